//! The posterior: draws, data and settings bound once; every question is put to it, and nothing is computed twice.

use std::sync::Arc;

use mixgist::components::{Components, Rules};
use mixgist::credible::{Credible, Question};
use mixgist::narrative::Narrate;
use mixgist::representatives::{Condition, Count, Representatives};
use mixgist::stability::{Outcome, Stability};
use mixgist::{
    Computed, Error, Estimate, HowMany, Memberships, MixingMeasure, Mixture, PartitionDraws, Points, Progress,
    Settings, Summary, Warning, allocate, memberships,
};
use mixgist_io::{
    ALIGNMENT_SCHEMA, COMPONENTS_SCHEMA, CREDIBLE_SCHEMA, DataTable, DrawsFile, HOW_MANY_SCHEMA, MEMBERSHIPS_SCHEMA,
    REPRESENTATIVES_SCHEMA, STABILITY_SCHEMA, SUMMARY_SCHEMA, Schema, memory, to_json,
};
use savvy::{FunctionSexp, ListSexp, OwnedListSexp, Sexp, savvy};
use serde::Serialize;
use serde_json::{Value, json};

use crate::arrays::{column_major, integer, null, real};
use crate::counting::{from_one, plain, shifted};
use crate::error::{Failure, InR, Result, outcome};
use crate::handle::{Handle, Kept};
use crate::options::Options;
use crate::running::Call;
use crate::values::{list, text};

/// Draws, data and settings, with what was computed from them so far.
pub struct Bound {
    /// The draws.
    pub draws: Arc<DrawsFile>,
    /// The data that were given; without them, those that came with the draws.
    data: Option<DataTable>,
    settings: Settings,
    given: Option<Estimate>,
    kept: Arc<Computed>,
}

impl Bound {
    fn posterior(&self) -> mixgist::Result<mixgist::Posterior<'_>> {
        let data = self.data.as_ref().or(self.draws.data.as_ref());
        let points = data.map(|data| Points::new(data.columns(), data.values())).transpose()?;
        let bound = mixgist::Posterior::new(&self.draws.ensemble, points, self.settings.clone())?;
        let columns = data.and_then(DataTable::column_names);
        Ok(bound.with_columns(columns).with_estimate(self.given.clone()).with_kept(Arc::clone(&self.kept)))
    }

    fn check_dimension(&self, what: &str, measure: &MixingMeasure) -> Result<()> {
        let (own, dim) = (measure.dim(), self.draws.ensemble.dim());
        if own == dim {
            return Ok(());
        }
        Err(Error::input(format!("{what} has dimension {own}, the draws have {dim}")).into())
    }

    /// Refuses at once what cannot fit.
    fn require_memory(&self) -> Result<()> {
        let ensemble = &self.draws.ensemble;
        let needed = self.settings.predicted_bytes(ensemble)?;
        Ok(memory::require(needed, &format!("summarising {} draws this way", ensemble.len()), |_| {
            "use route = \"auto\", fewer slices, or keep fewer draws: thin(draws, by = 2)".into()
        })?)
    }
}

/// Binds draws, data and settings; `given` is an estimate of the user's own.
/// @noRd
#[savvy]
fn posterior_new(draws: &Handle, options: ListSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let bind = || -> Result<Bound> {
        let mut bound = Bound {
            draws: Arc::clone(draws.draws()?),
            data: options.data("data")?,
            settings: options.settings()?,
            given: None,
            kept: Arc::default(),
        };
        if let Some(measure) = options.measure("given")? {
            bound.check_dimension("the estimate", &measure)?;
            bound.given = Some(Estimate::new(measure, "your own estimate"));
        }
        bound.posterior()?;
        Ok(bound)
    };
    outcome(bind().map(|bound| Kept::Posterior(Box::new(bound)).into_sexp()))
}

/// A result that R makes an object of.
pub trait Answered: Serialize + Narrate {
    /// The name and version of its document.
    const SCHEMA: Schema;

    /// What the reader should know.
    fn warnings(&self) -> &[Warning];

    /// What documents hold in neutral words or not at all.
    fn said(&self) -> Value {
        Value::Null
    }
}

impl Answered for Summary {
    const SCHEMA: Schema = SUMMARY_SCHEMA;

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl Answered for Credible {
    const SCHEMA: Schema = CREDIBLE_SCHEMA;

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl Answered for Components {
    const SCHEMA: Schema = COMPONENTS_SCHEMA;

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl Answered for Representatives {
    const SCHEMA: Schema = REPRESENTATIVES_SCHEMA;

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The conditions that each test does not meet.
    fn said(&self) -> Value {
        let names = |refused: Vec<Condition>| refused.into_iter().map(Condition::name).collect::<Vec<_>>();
        json!({ "refused_by": self.tests.iter().map(|test| names(test.refused_by())).collect::<Vec<_>>() })
    }
}

impl Answered for Stability {
    const SCHEMA: Schema = STABILITY_SCHEMA;

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Changes, errors and advice.
    fn said(&self) -> Value {
        let error = |outcome: &Outcome| match outcome {
            Outcome::Failed { error } => Some(error.spelled(&InR)),
            Outcome::Moved(_) => None,
        };
        json!({
            "advice": self.verdict.advice.iter().map(|text| text.spelled(&InR)).collect::<Vec<_>>(),
            "changes": self.checks.iter().map(|check| check.change.spelled(&InR)).collect::<Vec<_>>(),
            "errors": self.checks.iter().map(|check| error(&check.outcome)).collect::<Vec<_>>(),
        })
    }
}

/// The parts of an answer: its document as JSON and as a list that counts from 1, what there is to say, and the warnings in R's words.
fn answered<T: Answered>(answer: &mixgist::Answer<T>) -> Result<Sexp> {
    parts(to_json(T::SCHEMA, answer)?, &plain(answer.narrative()), answer.warnings(), &answer.said())
}

/// The same for a result that is not about a posterior.
pub fn parts(json: String, told: &str, warnings: &[Warning], said: &Value) -> Result<Sexp> {
    let mut document: Value =
        serde_json::from_str(&json).map_err(|cause| Error::input(format!("damaged document: {cause}")))?;
    shifted(&mut document);
    let tell = |warning: &Warning| {
        let (message, advice) = (from_one(&warning.to_string()), from_one(&warning.advice().spelled(&InR)));
        json!({ "name": warning.name(), "message": message, "advice": advice })
    };
    let mut out = OwnedListSexp::new(5, true)?;
    out.set_name_and_value(0, "json", text(&json)?)?;
    out.set_name_and_value(1, "document", list(&document)?)?;
    out.set_name_and_value(2, "plain", text(told)?)?;
    out.set_name_and_value(3, "warnings", list(&warnings.iter().map(tell).collect())?)?;
    out.set_name_and_value(4, "said", list(said)?)?;
    Ok(out.into())
}

/// The point estimate with its evidence.
/// @noRd
#[savvy]
fn posterior_summary(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let bound = posterior.posterior()?;
        bound.require_memory()?;
        answered(&Call::new(&options, tick)?.run(|progress| {
            let posterior = bound.posterior()?;
            Ok(posterior.answer(posterior.summary(progress)?.clone()))
        })?)
    };
    outcome(ask())
}

/// Balls around the estimate, and a region around a hypothesised measure.
/// @noRd
#[savvy]
fn posterior_ball(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let bound = posterior.posterior()?;
        let (level, radius, conformal) =
            (options.number("level")?.unwrap_or(0.95), options.number("radius")?, options.flag("conformal")?);
        let hypothesis = options.measure("hypothesis")?;
        if let Some(measure) = &hypothesis {
            bound.check_dimension("the hypothesis", measure)?;
        }
        answered(&Call::new(&options, tick)?.run(|progress| {
            let hypothesis = hypothesis.as_ref().map(|measure| (measure, radius));
            bound.posterior()?.credible(&Question { level, hypothesis, conformal }, progress)
        })?)
    };
    outcome(ask())
}

fn rules(options: &Options) -> Result<Rules> {
    let mut rules = Rules::default();
    for (name, value) in [
        ("level", &mut rules.level),
        ("overlap", &mut rules.overlap),
        ("share", &mut rules.share),
        ("least_weight", &mut rules.least_weight),
    ] {
        *value = options.number(name)?.unwrap_or(*value);
    }
    Ok(rules)
}

/// The posterior of every component of the estimate.
/// @noRd
#[savvy]
fn posterior_components(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let (bound, rules) = (posterior.posterior()?, rules(&options)?);
        answered(&Call::new(&options, tick)?.run(|progress| bound.posterior()?.components(rules, progress))?)
    };
    outcome(ask())
}

impl Answered for Memberships {
    const SCHEMA: Schema = MEMBERSHIPS_SCHEMA;

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl Answered for HowMany {
    const SCHEMA: Schema = HOW_MANY_SCHEMA;

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

/// Puts a question about components: to the aligned estimate if `usual`, which means that no estimate was asked for by name.
fn ask_about_components<T: Send>(
    posterior: &Handle,
    options: &Options,
    tick: FunctionSexp,
    question: impl FnOnce(&mixgist::Posterior, &dyn Progress) -> mixgist::Result<mixgist::Answer<T>> + Send,
) -> Result<mixgist::Answer<T>> {
    let (bound, usual) = (posterior.posterior()?, options.flag("usual")?);
    Call::new(options, tick)?.run(|progress| {
        let posterior = bound.posterior()?;
        if usual {
            return question(&posterior.about_components(progress)?, progress);
        }
        question(&posterior, progress)
    })
}

/// Every draw aligned with the components, with names of the user's, or of an `old` measure whose names are `old_names`.
/// @noRd
#[savvy]
fn posterior_aligned(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let (rules, names) = (rules(&options)?, options.texts("names")?);
        let unnamed = names.is_none() && options.get("old").is_none();
        let old =
            options.measure("old")?.map(|old| Ok::<_, Failure>((old, options.texts("old_names")?.unwrap_or_default())));
        let old = old.transpose()?;
        let mut answer = ask_about_components(posterior, &options, tick, |posterior, progress| {
            let mut found = posterior.aligned(rules, progress)?;
            if let Some(names) = names {
                found.result = found.result.named(names)?;
            }
            if let Some((measure, names)) = &old {
                found.result = found.result.carrying(measure, names, &posterior.settings().units, rules)?;
            }
            Ok(found)
        })?;
        let json = to_json(ALIGNMENT_SCHEMA, &answer)?;
        if unnamed {
            let from_one = (1..=answer.names.len()).map(|number| number.to_string()).collect();
            answer.result = answer.result.named(from_one)?;
        }
        parts(json, &plain(answer.narrative()), &answer.warnings, &Value::Null)
    };
    outcome(ask())
}

/// Who belongs to which component.
/// @noRd
#[savvy]
fn posterior_memberships(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let rules = rules(&options)?;
        let found = ask_about_components(posterior, &options, tick, |posterior, progress| {
            posterior.memberships(rules, progress)
        })?;
        answered(&found)
    };
    outcome(ask())
}

/// How many clusters and components there are.
/// @noRd
#[savvy]
fn posterior_how_many(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let labels = posterior.draws()?.labels.as_ref();
        let labels = labels.map(|all| PartitionDraws::from_labels(all.observations, &all.labels)).transpose()?;
        let found = ask_about_components(posterior, &options, tick, |posterior, progress| {
            posterior.how_many(labels.as_ref(), progress)
        })?;
        answered(&found)
    };
    outcome(ask())
}

/// One medoid for each mode; `count` without a value as many as there are modes.
/// @noRd
#[savvy]
fn posterior_representatives(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let bound = posterior.posterior()?;
        let wanted = options.size("count")?.map_or(Count::Auto, Count::Fixed);
        let grid = options.size("grid")?.unwrap_or(0);
        answered(&Call::new(&options, tick)?.run(|progress| {
            let posterior = bound.posterior()?;
            let mut found = posterior.representatives(wanted, progress)?;
            if grid > 0 {
                found.result.add_densities(posterior.data(), grid, progress)?;
            }
            Ok(found)
        })?)
    };
    outcome(ask())
}

/// The estimate under other choices.
/// @noRd
#[savvy]
fn posterior_stability(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let (bound, level) = (posterior.posterior()?, options.number("level")?.unwrap_or(0.95));
        answered(&Call::new(&options, tick)?.run(|progress| bound.posterior()?.stability(level, progress))?)
    };
    outcome(ask())
}

/// Labels that count from 1, membership probabilities n × K, or log densities of the observations `data` under the mixture `measure`.
/// @noRd
#[savvy]
fn measure_predict(kind: &str, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let missing = |what: &str| Error::usage(format!("{what} is missing"));
        let measure = options.measure("measure")?.ok_or_else(|| missing("measure"))?;
        let data = options.data("data")?.ok_or_else(|| missing("data"))?;
        let mixture = Mixture::new(&measure)?;
        let points = Points::new(data.columns(), data.values())?;
        let call = Call::new(&options, tick)?;
        match kind {
            "label" => {
                let found = call.run(|progress| allocate(&mixture, points, progress))?;
                let labels: Vec<i64> = found.labels.iter().map(|&label| i64::from(label) + 1).collect();
                Ok(integer(&labels, &[])?)
            }
            "probability" => {
                let found = call.run(|progress| memberships(&mixture, points, progress))?;
                let shape = [data.rows(), mixture.len()];
                Ok(real(&column_major(&found, &shape), &shape)?)
            }
            _ => {
                let found = call.run(|progress| mixture.log_density(points, progress))?;
                Ok(real(&found, &[])?)
            }
        }
    };
    outcome(ask())
}

/// Nothing: tells whether a pointer is alive.
/// @noRd
#[savvy]
fn handle_alive(handle: &Handle) -> savvy::Result<Sexp> {
    outcome(handle.draws().map(|_| null()).or_else(|_| handle.partitions().map(|_| null())))
}
