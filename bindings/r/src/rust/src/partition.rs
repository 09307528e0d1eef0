//! Partition first: the partition of least expected loss, and how sure it is.

use mixgist::Error;
use mixgist::partition::{
    ClusterBound, LossOptions, NamedLoss, OmariConvention, PartitionLoss, Question, REGISTRY, SearchOptions,
    estimate_partition, similarity_block,
};
use mixgist::text;
use mixgist::text::option;
use mixgist_io::{PARTITION_SCHEMA, to_json};
use savvy::{FunctionSexp, ListSexp, Sexp, savvy};
use serde_json::Value;

use crate::arrays::{column_major, real};
use crate::counting::plain;
use crate::error::{Result, outcome};
use crate::handle::Handle;
use crate::options::Options;
use crate::posterior::parts;
use crate::running::Call;

/// The partition of least expected loss with its evidence.
/// @noRd
#[savvy]
fn partitions_search(partitions: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let draws = partitions.partitions()?;
        let question = question(&options)?;
        let found = Call::new(&options, tick)?.run(|progress| estimate_partition(draws, &question, progress))?;
        parts(to_json(PARTITION_SCHEMA, &found)?, &plain(found.narrative()), &[], &Value::Null)
    };
    outcome(ask())
}

fn question(options: &Options) -> Result<Question> {
    let a = options.number("a")?;
    let omari = match options.text("omari")? {
        Some(name) => OmariConvention::from_name(&name)?,
        None => LossOptions::default().omari,
    };
    let conventions = LossOptions { a: a.unwrap_or(LossOptions::default().a), omari };
    let name = options.text("loss")?.unwrap_or_else(|| "vi".into());
    if a.is_none() && REGISTRY.iter().any(|entry| entry.name == name && entry.takes_a) {
        let error = Error::usage(format!("{name} needs its cost"));
        return Err(error.hint(text!["give it, such as ", option("a", 0.5)]).into());
    }
    let usual = SearchOptions::new(PartitionLoss::from_name(&name, &conventions)?);
    let search = SearchOptions {
        clusters: match (options.size("clusters")?, options.size("max_clusters")?) {
            (Some(k), _) => ClusterBound::Exactly(k),
            (None, Some(k)) => ClusterBound::AtMost(k),
            (None, None) => ClusterBound::LargestDraw,
        },
        runs: options.size("runs")?.unwrap_or(usual.runs),
        seed: options.seed()?.unwrap_or(usual.seed),
        ..usual
    };
    let entries = REGISTRY.iter().filter(|entry| !entry.takes_a || a.is_some());
    let named = |loss: mixgist::Result<PartitionLoss>, name| loss.map(|loss| NamedLoss { name, loss });
    let reported = entries.map(|entry| named((entry.build)(&conventions), entry.name));
    let level = options.number("ball")?.unwrap_or(0.95);
    if !(level > 0.0 && level <= 1.0) {
        return Err(Error::usage(format!("ball is {level}, must be a level above 0 and at most 1")).into());
    }
    Ok(Question { search, reported: reported.collect::<mixgist::Result<_>>()?, omari, level })
}

/// The posterior probability that two observations share a cluster, n × n.
/// @noRd
#[savvy]
fn partitions_similarity(partitions: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let draws = partitions.partitions()?;
        let n = draws.observations();
        let block = Call::new(&options, tick)?.run(|progress| similarity_block(draws, 0..n, 0..n, progress))?;
        Ok(real(&column_major(&block.values, &[n, n]), &[n, n])?)
    };
    outcome(ask())
}
