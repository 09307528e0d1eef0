//! The posterior: draws, data and settings bound once; every question is put to it, and nothing is computed twice.

use std::sync::Arc;

use mixgist::components::{Components, Rules};
use mixgist::credible::{Credible, Question};
use mixgist::narrative::Narrate;
use mixgist::representatives::{Condition, Count, Representatives};
use mixgist::stability::{Outcome, Stability};
use mixgist::{
    Computed, Error, Estimate, MixingMeasure, Mixture, Points, Settings, Summary, Warning, allocate, memberships,
};
use mixgist_io::{
    COMPONENTS_SCHEMA, CREDIBLE_SCHEMA, DataTable, DrawsFile, REPRESENTATIVES_SCHEMA, STABILITY_SCHEMA, SUMMARY_SCHEMA,
    Schema, memory, to_json,
};
use savvy::{FunctionSexp, ListSexp, OwnedListSexp, Sexp, savvy};
use serde::Serialize;
use serde_json::{Value, json};

use crate::arrays::{column_major, integer, null, real};
use crate::counting::{from_one, plain, shifted};
use crate::error::{InR, Result, outcome};
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
            bound.given = Some(Estimate { measure, draw: None, source: "your own estimate".into(), slices: None });
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
    let usual = Rules::default();
    Ok(Rules {
        level: options.number("level")?.unwrap_or(usual.level),
        overlap: options.number("overlap")?.unwrap_or(usual.overlap),
        share: options.number("share")?.unwrap_or(usual.share),
        least_weight: options.number("least_weight")?.unwrap_or(usual.least_weight),
    })
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

/// The components that at least half of the draws have, in every draw: arrays with draws first.
/// @noRd
#[savvy]
fn posterior_aligned(posterior: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let (bound, rules) = (posterior.posterior()?, rules(&options)?);
        let answer = Call::new(&options, tick)?.run(|progress| bound.posterior()?.aligned(rules, progress))?;
        let aligned = &answer.draws;
        let (m, j, d) = (aligned.draws, aligned.components, aligned.dim);
        let array = |values: &[f64], shape: &[usize]| real(&column_major(values, shape), shape);
        let existence: Vec<f64> = answer.existence.iter().map(|one| one.value).collect();
        let mut out = OwnedListSexp::new(5, true)?;
        out.set_name_and_value(0, "weights", array(&aligned.weights, &[m, j])?)?;
        out.set_name_and_value(1, "means", array(&aligned.means, &[m, j, d])?)?;
        out.set_name_and_value(2, "covariances", array(&aligned.covariances, &[m, j, d, d])?)?;
        out.set_name_and_value(3, "unmatched", real(&aligned.unmatched, &[])?)?;
        out.set_name_and_value(4, "existence", real(&existence, &[])?)?;
        Ok(out.into())
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
