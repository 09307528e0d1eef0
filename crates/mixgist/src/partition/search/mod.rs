//! Search for the partition of least expected loss, from the draws alone.
//!
//! Greedy stochastic search in the manner of SALSO (Dahl, Johnson & Müller 2022): independent runs from different starts, each
//! sweetened by single-observation moves and shaken by zealous updates. Two things are different. Runs work on a sample of the draws,
//! and only their best ends are refined against all of them (with very many observations, against a larger sample); and refinement also merges clusters, moves torn observations in groups and
//! dissolves rival clusters in pairs, which gets it out of ends where SALSO's moves are stuck.

mod columns;
mod dense;
mod kernel;
mod merge;
mod objective;
mod run;
mod sparse;
mod state;
mod tables;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use self::columns::{Columns, Label};
use self::dense::DenseTables;
use self::objective::Objective;
use self::sparse::SparseTables;
use self::tables::Tables;
use super::{PartitionLoss, expected_loss};
use crate::labels::{Partition, PartitionDraws};
use crate::{Error, Progress, Result};

/// Runs work on one draw in so many, as long as that leaves enough draws; their best distinct ends are then refined against all.
const SAMPLED_SHARE: usize = 4;
const MIN_SAMPLE: usize = 100;
const REFINED: usize = 2;

/// Labels (observations times draws) that a run looks at in one pass, at most, and those that refinement does: with many observations, fewer draws are sampled, but
/// at least [`MIN_SAMPLE`]. A pass is then a second or two, and expected losses are over all draws in any case.
const MOST_LABELS_OF_RUN: usize = 20_000_000;
const MOST_LABELS_OF_REFINEMENT: usize = 100_000_000;

/// Tables of a run that would take more memory than this hold their non-empty cells only.
const MAX_DENSE_BYTES: usize = 1 << 30;

/// How many clusters the estimate may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClusterBound {
    /// At most as many as the draw with the most clusters has.
    #[default]
    LargestDraw,
    /// At most this many.
    AtMost(usize),
    /// Exactly this many.
    Exactly(usize),
}

/// Options of [`search`].
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// The loss whose expectation is minimized.
    pub loss: PartitionLoss,
    /// How many clusters the estimate may have.
    pub clusters: ClusterBound,
    /// Independent runs.
    pub runs: usize,
    /// Clusters that a run dissolves and builds anew, at most.
    pub max_zealous_updates: usize,
    /// Passes over all observations until single moves are given up, at most; the search converges long before.
    pub max_scans: usize,
    /// Seed of all random choices.
    pub seed: u64,
}

impl SearchOptions {
    /// 16 runs with up to 10 zealous updates each, as in `salso`.
    pub fn new(loss: PartitionLoss) -> Self {
        SearchOptions {
            loss,
            clusters: ClusterBound::default(),
            runs: 16,
            max_zealous_updates: 10,
            max_scans: 1000,
            seed: 0,
        }
    }
}

/// How a run begins; runs take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Observations join one after the other, in random order, where they suit best.
    Sequential,
    /// One of the draws.
    Draw,
    /// Labels at random.
    Random,
}

impl Start {
    fn of_run(index: usize) -> Self {
        [Start::Sequential, Start::Draw, Start::Random][index % 3]
    }
}

/// The partition of least expected loss that was found, with the evidence.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PartitionEstimate {
    /// The estimate.
    pub partition: Partition,
    /// The loss that was minimized.
    pub loss: PartitionLoss,
    /// Its mean over the draws.
    pub expected_loss: f64,
    /// The run that found it, counted from 0.
    pub run: usize,
    /// How that run began.
    pub start: Start,
    /// How many runs there were.
    pub runs: usize,
    /// How many of them led to it: few of many suggest more runs.
    pub runs_agreeing: usize,
}

/// The partition of least expected loss that the runs find; ties go to the lowest run.
///
/// The result depends on the draws, the options and the seed alone. Memory: a copy of the labels, and for each run at work tables of
/// (clusters of all draws together) × (clusters of the estimate), or of their non-empty cells where that would exceed 1 GiB. Cost of a pass
/// over all observations: O(n M k).
pub fn search(draws: &PartitionDraws, options: &SearchOptions, progress: &dyn Progress) -> Result<PartitionEstimate> {
    let objective = checked_objective(draws, options)?;
    let rows = (0..draws.len()).map(|m| draws.clusters(m)).sum();
    let dense = DenseTables::bytes(rows, objective.max_clusters) <= MAX_DENSE_BYTES;
    match (draws.max_clusters(), dense) {
        (0..=0x100, true) => search_in::<u8, DenseTables>(draws, &objective, options, progress),
        (0x101..=0x1_0000, true) => search_in::<u16, DenseTables>(draws, &objective, options, progress),
        (_, true) => search_in::<u32, DenseTables>(draws, &objective, options, progress),
        (_, false) => search_in::<u32, SparseTables>(draws, &objective, options, progress),
    }
}

fn checked_objective(draws: &PartitionDraws, options: &SearchOptions) -> Result<Objective> {
    options.loss.check()?;
    if options.runs == 0 {
        return Err(Error::usage("the search has 0 runs, expected at least 1"));
    }
    let n = draws.observations();
    let (min, max) = match options.clusters {
        ClusterBound::LargestDraw => (1, draws.max_clusters()),
        ClusterBound::AtMost(0) | ClusterBound::Exactly(0) => {
            return Err(Error::usage("the estimate may have 0 clusters, expected at least 1"));
        }
        ClusterBound::AtMost(k) => (1, k.min(n)),
        ClusterBound::Exactly(k) if k > n => {
            return Err(Error::usage(format!("the estimate must have {k} clusters, but there are {n} observations")));
        }
        ClusterBound::Exactly(k) => (k, k),
    };
    Ok(Objective::new(options.loss, n, min, max))
}

fn search_in<T: Label, C: Tables>(
    draws: &PartitionDraws,
    objective: &Objective,
    options: &SearchOptions,
    progress: &dyn Progress,
) -> Result<PartitionEstimate> {
    let [of_runs, of_refinement] = sample_sizes(draws.observations(), draws.len());
    let potential = options.loss.potential();
    let columns_of = |size: usize| match size < draws.len() {
        true => Columns::<T>::sample(draws, size, potential),
        false => Columns::new(draws, potential),
    };
    let columns = columns_of(of_runs);
    progress.begin("partition search", options.runs as u64);
    let ends = (0..options.runs)
        .into_par_iter()
        .map(|index| {
            let labels = run::run::<T, C>(draws, &columns, objective, options, index, progress)?;
            progress.advance(1);
            Partition::from_integers(&labels)
        })
        .collect::<Result<Vec<_>>>()?;
    let mut candidates = candidates(ends, options.loss, draws, progress)?;
    candidates.truncate(REFINED);
    let columns = if of_refinement == of_runs { columns } else { columns_of(of_refinement) };
    progress.begin("partition refinement", candidates.len() as u64);
    candidates = candidates
        .into_par_iter()
        .map(|mut candidate| {
            let labels =
                run::refine::<T, C>(&candidate.partition, &columns, objective, options, candidate.run, progress)?;
            candidate.partition = Partition::from_integers(&labels)?;
            candidate.expected_loss = expected_loss(options.loss, &candidate.partition, draws, progress)?;
            progress.advance(1);
            Ok(candidate)
        })
        .collect::<Result<Vec<_>>>()?;
    candidates.sort_by(|a, b| a.expected_loss.total_cmp(&b.expected_loss).then(a.run.cmp(&b.run)));
    let Candidate { partition, expected_loss, run, runs_agreeing } = candidates.swap_remove(0);
    Ok(PartitionEstimate {
        partition,
        loss: options.loss,
        expected_loss,
        run,
        start: Start::of_run(run),
        runs: options.runs,
        runs_agreeing,
    })
}

/// How many draws runs work on, and how many their best ends are refined against.
fn sample_sizes(observations: usize, draws: usize) -> [usize; 2] {
    let bounded = |size: usize, most: usize| size.min((most / observations.max(1)).max(MIN_SAMPLE)).min(draws);
    let share = draws / SAMPLED_SHARE;
    let of_runs = if share >= MIN_SAMPLE { share } else { draws };
    let of_refinement = bounded(draws, MOST_LABELS_OF_REFINEMENT);
    [bounded(of_runs, MOST_LABELS_OF_RUN).min(of_refinement), of_refinement]
}

struct Candidate {
    partition: Partition,
    expected_loss: f64,
    run: usize,
    runs_agreeing: usize,
}

/// The distinct ends of the runs, best first; equal losses in the order of the runs.
fn candidates(
    ends: Vec<Partition>,
    loss: PartitionLoss,
    draws: &PartitionDraws,
    progress: &dyn Progress,
) -> Result<Vec<Candidate>> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (run, partition) in ends.into_iter().enumerate() {
        match candidates.iter_mut().find(|candidate| candidate.partition == partition) {
            Some(candidate) => candidate.runs_agreeing += 1,
            None => {
                let expected_loss = expected_loss(loss, &partition, draws, progress)?;
                candidates.push(Candidate { partition, expected_loss, run, runs_agreeing: 1 });
            }
        }
    }
    candidates.sort_by(|a, b| a.expected_loss.total_cmp(&b.expected_loss).then(a.run.cmp(&b.run)));
    Ok(candidates)
}
