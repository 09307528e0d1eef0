//! Partition first: the partition of least expected loss, and how sure it is.

use mixgist::partition::{LossOptions, PartitionAnswer, Question, SearchOptions, estimate_partition, similarity_block};
use mixgist_io::{PARTITION_SCHEMA, count_from_one, to_json};
use savvy::{FunctionSexp, ListSexp, Sexp, savvy};
use serde_json::Value;

use crate::arrays::{column_major, real};
use crate::error::{Result, outcome};
use crate::handle::Handle;
use crate::options::Options;
use crate::posterior::{parsed, parts};
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
        let json = to_json(PARTITION_SCHEMA, &found)?;
        let mut document = parsed(&json)?;
        count_from_one::<PartitionAnswer>(PARTITION_SCHEMA, &mut document);
        parts(&json, &document, &found.narrative(), &[], &Value::Null)
    };
    outcome(ask())
}

fn question(options: &Options) -> Result<Question> {
    let losses = LossOptions::new(options.number("a")?, options.text("omari")?.as_deref())?;
    let loss = options.text("loss")?.unwrap_or_else(|| "vi".into());
    let level = options.number("ball")?.unwrap_or(0.95);
    let asked = Question::new(&loss, losses, options.size("clusters")?, options.size("max_clusters")?, level)?;
    let usual = asked.search;
    let (runs, seed) = (options.size("runs")?.unwrap_or(usual.runs), options.seed()?.unwrap_or(usual.seed));
    Ok(Question { search: SearchOptions { runs, seed, ..usual }, ..asked })
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
