//! One run of the search: a start, sweetening to a local optimum, then zealous updates.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::columns::{Columns, Label};
use super::objective::Objective;
use super::state::{State, UNASSIGNED};
use super::{SearchOptions, Start};
use crate::labels::PartitionDraws;
use crate::random::{Purpose, stream};
use crate::{Progress, Result};

/// Where a run ended.
pub(super) struct RunEnd {
    pub(super) labels: Vec<u32>,
    pub(super) expected_loss: f64,
    pub(super) start: Start,
}

/// Run number `index`; a function of the seed and the index alone.
pub(super) fn run<T: Label>(
    draws: &PartitionDraws,
    columns: &Columns<T>,
    objective: &Objective,
    options: &SearchOptions,
    index: usize,
    progress: &dyn Progress,
) -> Result<RunEnd> {
    let mut rng = stream(options.seed, Purpose::Partitions, index as u64);
    let start = Start::of_run(index);
    let labels = starting_labels(start, draws, objective.max_clusters, &mut rng);
    let mut run = Run {
        state: State::new(columns, objective, &labels),
        objective,
        order: (0..labels.len()).collect(),
        rng,
        progress,
    };
    run.place_unassigned((0..labels.len()).filter(|&i| labels[i] == UNASSIGNED).collect())?;
    run.sweeten(options.max_scans)?;
    let expected_loss = run.update_zealously(options)?;
    Ok(RunEnd { labels: run.state.labels().to_vec(), expected_loss, start })
}

fn starting_labels(start: Start, draws: &PartitionDraws, max_clusters: usize, rng: &mut impl Rng) -> Vec<u32> {
    let n = draws.observations();
    match start {
        Start::Sequential => vec![UNASSIGNED; n],
        Start::Random => {
            let clusters = max_clusters.min(draws.max_clusters().max(2)) as u32;
            let labels: Vec<u32> = (0..n).map(|_| rng.random_range(0..clusters)).collect();
            compact(&labels)
        }
        Start::Draw => {
            let draw = draws.labels(rng.random_range(0..draws.len()));
            draw.iter().map(|&k| if (k as usize) < max_clusters { k } else { UNASSIGNED }).collect()
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

struct Run<'a, T, R> {
    state: State<'a, T>,
    objective: &'a Objective,
    order: Vec<usize>,
    rng: R,
    progress: &'a dyn Progress,
}

impl<T: Label, R: Rng> Run<'_, T, R> {
    /// Gives each observation of `items`, in random order, the cluster that suits it best; then enough clusters exist.
    fn place_unassigned(&mut self, mut items: Vec<usize>) -> Result<()> {
        items.shuffle(&mut self.rng);
        for (step, &i) in items.iter().enumerate() {
            if step % 256 == 0 {
                self.progress.check()?;
            }
            let k = self.state.best_cluster(i);
            self.state.insert(i, k);
        }
        self.split_off_missing()
    }

    /// When clusters are missing, the observations that fit their cluster worst become clusters of their own.
    fn split_off_missing(&mut self) -> Result<()> {
        if self.state.clusters() >= self.objective.min_clusters {
            return Ok(());
        }
        let mut misfits: Vec<(f64, usize)> = (0..self.order.len()).map(|i| (self.state.fit(i), i)).collect();
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
        Ok(())
    }

    /// Moves single observations, in random order, for as long as that lowers the expected loss.
    fn sweeten(&mut self, max_scans: usize) -> Result<()> {
        for _ in 0..max_scans {
            self.order.shuffle(&mut self.rng);
            let mut moved = false;
            for step in 0..self.order.len() {
                if step % 256 == 0 {
                    self.progress.check()?;
                }
                let i = self.order[step];
                if let Some(k) = self.state.improving_move(i) {
                    self.state.reassign(i, k);
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }

    /// Dissolves clusters one after the other and lets their members choose anew; keeps what lowers the expected loss.
    fn update_zealously(&mut self, options: &SearchOptions) -> Result<f64> {
        let mut best = self.state.expected_loss();
        let sizes = self.state.sizes();
        let mut targets: Vec<u32> = (0..sizes.len() as u32).filter(|&k| sizes[k as usize] > 1).collect();
        targets.shuffle(&mut self.rng);
        targets.truncate(options.max_zealous_updates);
        let mut before = self.state.labels().to_vec();
        for k in targets {
            let members: Vec<usize> = (0..before.len()).filter(|&i| before[i] == k).collect();
            members.iter().for_each(|&i| self.state.remove(i));
            self.place_unassigned(members)?;
            self.sweeten(options.max_scans)?;
            let candidate = self.state.expected_loss();
            if candidate < best {
                best = candidate;
                before.copy_from_slice(self.state.labels());
            } else {
                (0..before.len()).for_each(|i| self.state.reassign(i, before[i]));
            }
        }
        Ok(best)
    }
}
