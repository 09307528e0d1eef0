//! Partition first: the partition of least expected loss, and how sure it is.

use mixgist::partition::{LossOptions, PartitionAnswer, Question, SearchOptions, estimate_partition, similarity_block};
use mixgist::{Error, Points, Progress, sample_partitions};
use mixgist_io::{PARTITION_SCHEMA, count_from_one, to_json};
use savvy::{FunctionSexp, ListSexp, Sexp, savvy};
use serde_json::Value;

use crate::arrays::{column_major, integer, real};
use crate::error::{Result, outcome};
use crate::handle::Handle;
use crate::options::Options;
use crate::posterior::{parsed, parts};
use crate::running::Call;

/// Labels of the observations `data`, without them of those that came with the draws: drawn given the measure of each draw, draws by observations,
/// counted from 1.
/// @noRd
#[savvy]
fn draws_labels(handle: &Handle, options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let (file, given) = (handle.draws()?, options.data("data")?);
        let data = given.as_ref().or(file.data.as_ref()).ok_or_else(|| Error::usage("data are missing"))?;
        let (points, seed) = (Points::new(data.columns(), data.values())?, options.seed()?.unwrap_or(0));
        let sample = |progress: &dyn Progress| sample_partitions(&file.ensemble, points, seed, progress);
        let sampled = Call::new(&options, tick)?.run(sample)?;
        let (m, n) = (sampled.len(), sampled.observations());
        let mut labels = vec![0; m * n];
        for draw in 0..m {
            for (i, &label) in sampled.draw(draw).labels().iter().enumerate() {
                labels[i * m + draw] = i64::from(label) + 1;
            }
        }
        Ok(integer(&labels, &[m, n])?)
    };
    outcome(ask())
}

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
    let labels_sampled = options.flag("labels_sampled")?;
    Ok(Question { search: SearchOptions { runs, seed, ..usual }, labels_sampled, ..asked })
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
