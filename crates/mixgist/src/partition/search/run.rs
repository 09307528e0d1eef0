//! One run of the search: a start, sweetening to a local optimum, then zealous updates.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::columns::{Columns, Label};
use super::objective::Objective;
use super::state::{Preference, State, UNASSIGNED};
use super::tables::Tables;
use super::{SearchOptions, Start};
use crate::labels::{Partition, PartitionDraws};
use crate::random::{Purpose, stream};
use crate::{Progress, Result};

/// Torn groups that are tried, the largest first.
const MAX_GROUPS: usize = 32;

/// A rebuilt cluster is worth a pass over all observations when the expected loss is at most this much worse, relatively.
const HOPE: f64 = 0.02;

/// The labels where run number `index` ends; a function of the columns, the seed and the index alone.
pub(super) fn run<T: Label, C: Tables>(
    draws: &PartitionDraws,
    columns: &Columns<T>,
    objective: &Objective,
    options: &SearchOptions,
    index: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>> {
    let mut rng = stream(options.seed, Purpose::Partitions, index as u64);
    let labels = starting_labels(Start::of_run(index), draws, objective.max_clusters, &mut rng);
    let mut run = Run::<T, C, _>::new(columns, objective, options, &labels, rng, progress);
    run.place_unassigned(&mut (0..labels.len()).filter(|&i| labels[i] == UNASSIGNED).collect::<Vec<_>>())?;
    run.sweeten()?;
    run.merge()?;
    run.update_zealously(options.max_zealous_updates)?;
    Ok(run.state.labels().to_vec())
}

/// The labels where run number `index` ends when it goes on from `partition`: no single move and none of the last zealous updates
/// lowers the expected loss.
pub(super) fn refine<T: Label, C: Tables>(
    partition: &Partition,
    columns: &Columns<T>,
    objective: &Objective,
    options: &SearchOptions,
    index: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>> {
    let rng = stream(options.seed, Purpose::Partitions, (options.runs + index) as u64);
    let mut run = Run::<T, C, _>::new(columns, objective, options, partition.labels(), rng, progress);
    run.sweeten()?;
    let mut least = f64::INFINITY;
    for _ in 0..options.max_scans {
        run.merge()?;
        run.update_zealously(options.max_zealous_updates)?;
        let refined = run.resolve_rivalries(options.max_zealous_updates)?;
        if refined >= least * (1.0 - 1e-12) {
            break;
        }
        least = refined;
    }
    Ok(run.state.labels().to_vec())
}

fn starting_labels(start: Start, draws: &PartitionDraws, max_clusters: usize, rng: &mut impl Rng) -> Vec<u32> {
    let n = draws.observations();
    match start {
        Start::Sequential => vec![UNASSIGNED; n],
        Start::Random => {
            let clusters = rng.random_range(1..=max_clusters.min(draws.max_clusters().max(2)) as u32);
            let labels: Vec<u32> = (0..n).map(|_| rng.random_range(0..clusters)).collect();
            compact(&labels)
        }
        Start::Draw => {
            let draw = draws.labels(rng.random_range(0..draws.len()));
            draw.iter().map(|k| if (k as usize) < max_clusters { k as u32 } else { UNASSIGNED }).collect()
        }
    }
}

fn compact(labels: &[u32]) -> Vec<u32> {
    let mut numbers = vec![UNASSIGNED; labels.iter().max().map_or(0, |&k| k as usize + 1)];
    let mut next = 0;
    labels
        .iter()
        .map(|&k| {
            let number = &mut numbers[k as usize];
            if *number == UNASSIGNED {
                *number = next;
                next += 1;
            }
            *number
        })
        .collect()
}

/// The best partition of a run so far.
struct Incumbent {
    labels: Vec<u32>,
    expected_loss: f64,
}

struct Run<'a, T, C, R> {
    state: State<'a, T, C>,
    objective: &'a Objective,
    order: Vec<usize>,
    /// By how much each observation preferred its cluster to the next best one when last asked.
    margins: Vec<f64>,
    /// That next best cluster.
    runners_up: Vec<u32>,
    rng: R,
    progress: &'a dyn Progress,
    max_scans: usize,
}

impl<'a, T: Label, C: Tables, R: Rng> Run<'a, T, C, R> {
    fn new(
        columns: &'a Columns<T>,
        objective: &'a Objective,
        options: &SearchOptions,
        labels: &[u32],
        rng: R,
        progress: &'a dyn Progress,
    ) -> Self {
        Run {
            state: State::new(columns, objective, labels),
            objective,
            order: (0..labels.len()).collect(),
            margins: vec![0.0; labels.len()],
            runners_up: vec![UNASSIGNED; labels.len()],
            rng,
            progress,
            max_scans: options.max_scans,
        }
    }

    /// Gives each observation of `items`, in random order, the cluster that suits it best; then enough clusters exist.
    fn place_unassigned(&mut self, items: &mut [usize]) -> Result<()> {
        items.shuffle(&mut self.rng);
        for (step, &i) in items.iter().enumerate() {
            if step % 256 == 0 {
                self.progress.check()?;
            }
            let k = self.state.best_cluster(i);
            self.state.insert(i, k);
        }
        self.split_off_missing();
        Ok(())
    }

    /// When clusters are missing, the observations that fit their cluster worst become clusters of their own.
    fn split_off_missing(&mut self) {
        if self.state.clusters() >= self.objective.min_clusters {
            return;
        }
        let mut misfits: Vec<(f64, usize)> = (0..self.order.len()).map(|i| (self.state.misfit(i), i)).collect();
        misfits.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, i) in misfits {
            if self.state.clusters() >= self.objective.min_clusters {
                break;
            }
            if self.state.sizes()[self.state.labels()[i] as usize] > 1
                && let Some(k) = self.state.vacancy()
            {
                self.state.reassign(i, k);
            }
        }
    }

    /// Moves single observations for as long as that lowers the expected loss; ends where no single move does.
    ///
    /// Passes over all observations alternate with passes over those that may still move, until one over all finds nothing.
    fn sweeten(&mut self) -> Result<()> {
        let mut order = std::mem::take(&mut self.order);
        for _ in 0..self.max_scans {
            let moved = self.scan(&mut order)?;
            if moved == 0 {
                break;
            }
            if moved * 10 < order.len() {
                let mut uncertain = self.uncertain();
                self.settle(&mut uncertain)?;
            }
        }
        self.order = order;
        Ok(())
    }

    /// The tenth of the observations that preferred their cluster the least; those that moved are among them.
    fn uncertain(&self) -> Vec<usize> {
        let mut items: Vec<usize> = (0..self.margins.len()).collect();
        let size = items.len() / 10 + 32;
        if size < items.len() {
            items.select_nth_unstable_by(size, |&i, &j| self.margins[i].total_cmp(&self.margins[j]).then(i.cmp(&j)));
            items.truncate(size);
            items.sort_unstable();
        }
        items
    }

    /// Passes over `items` until none of them moves.
    fn settle(&mut self, items: &mut [usize]) -> Result<()> {
        for _ in 0..self.max_scans {
            if self.scan(items)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// One pass over `items` in random order; returns how many moved.
    fn scan(&mut self, items: &mut [usize]) -> Result<usize> {
        items.shuffle(&mut self.rng);
        let mut moved = 0;
        for (step, &i) in items.iter().enumerate() {
            if step % 256 == 0 {
                self.progress.check()?;
            }
            let Preference { cluster, moves, margin } = self.state.preference(i);
            self.margins[i] = margin;
            self.runners_up[i] = cluster;
            if moves {
                self.runners_up[i] = self.state.labels()[i];
                self.state.reassign(i, cluster);
                moved += 1;
            }
        }
        Ok(moved)
    }

    /// Merges clusters for as long as that lowers the expected loss.
    fn merge(&mut self) -> Result<()> {
        for _ in 0..self.max_scans {
            if !self.state.merge() {
                break;
            }
            self.sweeten()?;
        }
        Ok(())
    }

    /// Dissolves clusters one after the other and lets their members choose anew; keeps what lowers the expected loss.
    fn update_zealously(&mut self, max_updates: usize) -> Result<f64> {
        self.state.compact();
        let mut incumbent = self.incumbent();
        let sizes = self.state.sizes();
        let mut targets: Vec<u32> = (0..sizes.len() as u32).filter(|&k| sizes[k as usize] > 1).collect();
        targets.shuffle(&mut self.rng);
        for &k in targets.iter().take(max_updates) {
            self.rebuild(&[k], &mut incumbent)?;
        }
        Ok(incumbent.expected_loss)
    }

    /// What single moves cannot do to two clusters that compete for observations: moves the torn ones all at once, or dissolves both
    /// clusters. Keeps what lowers the expected loss.
    fn resolve_rivalries(&mut self, max_updates: usize) -> Result<f64> {
        self.state.compact();
        self.sweeten()?;
        let mut incumbent = self.incumbent();
        let mut groups: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        let mut rivals: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        for i in self.uncertain() {
            let (own, other) = (incumbent.labels[i], self.runners_up[i]);
            if other != UNASSIGNED {
                groups.entry([own, other]).or_default().push(i);
                if self.state.sizes()[other as usize] > 0 {
                    *rivals.entry([own.min(other), own.max(other)]).or_default() += 1;
                }
            }
        }
        let mut groups: Vec<([u32; 2], Vec<usize>)> = groups.into_iter().filter(|(_, group)| group.len() > 1).collect();
        groups.sort_by_key(|(_, group)| Reverse(group.len()));
        for ([_, to], group) in groups.into_iter().take(MAX_GROUPS) {
            group.iter().for_each(|&i| self.state.reassign(i, to));
            self.split_off_missing();
            // The empty cluster of an earlier group may be one too many by now.
            if self.state.clusters() <= self.objective.max_clusters {
                self.settle(&mut self.uncertain())?;
                if self.state.expected_loss() < incumbent.expected_loss {
                    self.sweeten()?;
                }
            }
            self.keep_or_undo(&mut incumbent);
        }
        let mut rivals: Vec<([u32; 2], usize)> = rivals.into_iter().collect();
        rivals.sort_by_key(|&(_, torn)| Reverse(torn));
        for (pair, _) in rivals.into_iter().take(max_updates) {
            self.rebuild(&pair, &mut incumbent)?;
        }
        Ok(incumbent.expected_loss)
    }

    /// Dissolves the given clusters of the incumbent and lets their members choose anew; keeps that when it lowers the expected loss.
    fn rebuild(&mut self, dissolved: &[u32], incumbent: &mut Incumbent) -> Result<()> {
        let mut members: Vec<usize> =
            (0..self.order.len()).filter(|&i| dissolved.contains(&incumbent.labels[i])).collect();
        members.iter().for_each(|&i| self.state.remove(i));
        self.place_unassigned(&mut members)?;
        if !self.is_cluster(&members) {
            let mut active = self.uncertain();
            active.extend(&members);
            active.sort_unstable();
            active.dedup();
            self.settle(&mut active)?;
            if self.state.expected_loss() < incumbent.expected_loss * (1.0 + HOPE) {
                self.sweeten()?;
            }
        }
        self.keep_or_undo(incumbent);
        Ok(())
    }

    fn incumbent(&mut self) -> Incumbent {
        Incumbent { expected_loss: self.state.expected_loss(), labels: self.state.labels().to_vec() }
    }

    /// The state becomes the incumbent when it is better and allowed, or else the incumbent becomes the state.
    fn keep_or_undo(&mut self, incumbent: &mut Incumbent) {
        let expected_loss = self.state.expected_loss();
        if expected_loss < incumbent.expected_loss && self.state.clusters() <= self.objective.max_clusters {
            *incumbent = Incumbent { expected_loss, labels: self.state.labels().to_vec() };
        } else {
            (0..incumbent.labels.len()).for_each(|i| self.state.reassign(i, incumbent.labels[i]));
        }
    }

    /// Whether `members` are exactly one cluster.
    fn is_cluster(&self, members: &[usize]) -> bool {
        let labels = self.state.labels();
        let Some(&first) = members.first() else { return false };
        self.state.sizes()[labels[first] as usize] as usize == members.len()
            && members.iter().all(|&i| labels[i] == labels[first])
    }
}
