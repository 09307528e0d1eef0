//! The posterior: draws, data and settings bound once; every question is put to it, and nothing is computed twice.

use std::sync::Arc;

use mixgist::components::Rules;
use mixgist::credible::Question;
use mixgist::narrative::Narrative;
use mixgist::representatives::Count;
use mixgist::{Error, Estimate, Mixture, Points, Progress, Warning, allocate, memberships, summarize_blocks};
use mixgist_front::OwnedPosterior;
use mixgist_io::{ALIGNMENT_SCHEMA, Documented, FileBlocks, count_from_one, default_reading, memory, to_json};
use savvy::{FunctionSexp, ListSexp, OwnedListSexp, Sexp, savvy};
use serde_json::{Value, json};

use crate::arrays::{column_major, integer, null, real};
use crate::error::{Failure, InR, Result, outcome};
use crate::handle::{Handle, Kept};
use crate::options::Options;
use crate::running::Call;
use crate::values::{list, text};

/// Binds draws, data and settings; `given` is an estimate of the user's own.
/// @noRd
#[savvy]
fn posterior_new(draws: &Handle, options: ListSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let bind = || -> Result<OwnedPosterior> {
        let mut bound = OwnedPosterior::new(Arc::clone(draws.draws()?), options.data("data")?, options.settings()?);
        if let Some(measure) = options.measure("given")? {
            bound.check_dimension("the estimate", &measure)?;
            bound.given = Some(Estimate::new(measure, "your own estimate"));
        }
        bound.posterior()?;
        Ok(bound)
    };
    outcome(bind().map(|bound| Kept::Posterior(Box::new(bound)).into_sexp()))
}

/// The parts of an answer: its document as JSON and as a list that counts from 1, what there is to say, and the warnings in R's words.
fn answered<T: Documented>(answer: &mixgist::Answer<T>) -> Result<Sexp> {
    told(&to_json(T::SCHEMA, answer)?, answer)
}

/// The same with a JSON of its own.
fn told<T: Documented>(json: &str, answer: &mixgist::Answer<T>) -> Result<Sexp> {
    let mut document = parsed(json)?;
    count_from_one::<mixgist::Answer<T>>(T::SCHEMA, &mut document);
    if let Some(estimate) = &answer.around {
        document["estimate_source"] = estimate.source.spelled(&InR).into();
    }
    parts(json, &document, &answer.narrative(), answer.warnings(), &answer.said(&InR))
}

/// A document from its JSON.
pub fn parsed(json: &str) -> Result<Value> {
    Ok(serde_json::from_str(json).map_err(|cause| Error::input(format!("damaged document: {cause}")))?)
}

/// A document as JSON and as a list, which counts from 1, with what there is to say about it.
pub fn parts(json: &str, document: &Value, narrative: &Narrative, warnings: &[Warning], said: &Value) -> Result<Sexp> {
    let tell = |warning: &Warning| {
        let [message, advice] = [warning.message(), warning.advice()].map(|text| text.spelled(&InR));
        json!({ "name": warning.name(), "message": message, "advice": advice })
    };
    let mut out = OwnedListSexp::new(5, true)?;
    out.set_name_and_value(0, "json", text(json)?)?;
    out.set_name_and_value(1, "document", list(document)?)?;
    out.set_name_and_value(2, "plain", text(&narrative.plain(&InR))?)?;
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
        bound.require_memory("use route = \"auto\", fewer slices, or keep fewer draws: thin(draws, by = 2)")?;
        answered(&Call::new(&options, tick)?.run(|progress| {
            let posterior = bound.posterior()?;
            Ok(posterior.answer(posterior.summary(progress)?.clone()))
        })?)
    };
    outcome(ask())
}

/// The point estimate of draws in the files `paths`, which are read in blocks, again for each pass, and are never in memory at once.
/// @noRd
#[savvy]
fn files_summary(options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let (settings, given) = (options.settings()?, options.data("data")?);
        let paths = options.texts("paths")?.unwrap_or_default();
        let found = Call::new(&options, tick)?.run(|progress| {
            let blocks = FileBlocks::open(&default_reading(), &paths, memory::reading().memory_limit)?;
            let data = given.map_or_else(|| blocks.data(), |data| Ok(Some(data)))?;
            let points = data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()?;
            let mut found = summarize_blocks(&&blocks, points, &settings, progress)?;
            found.about.columns = data.as_ref().and_then(|data| data.column_names()).map(<[String]>::to_vec);
            Ok(found)
        })?;
        answered(&found)
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
            posterior.aligned_by_name(rules, names, old.as_ref(), progress)
        })?;
        let json = to_json(ALIGNMENT_SCHEMA, &answer)?;
        if unnamed {
            let from_one = (1..=answer.names.len()).map(|number| number.to_string()).collect();
            answer.result = answer.result.named(from_one)?;
        }
        told(&json, &answer)
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
        let labels = posterior.posterior()?.partitions()?;
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
        let ask = |progress: &dyn Progress| bound.posterior()?.representatives(wanted, grid, progress);
        answered(&Call::new(&options, tick)?.run(ask)?)
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
