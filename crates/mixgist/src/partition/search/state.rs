//! The state of one search run: a (partial) partition with its contingency tables against all draws, updated move by move.

use fearless_simd::{Level, dispatch};

use super::columns::{Columns, Label};
use super::kernel::{curved_scores, linear_scores};
use super::objective::Objective;
use crate::partition::contingency::PairSums;

/// The label of an observation that has no cluster yet.
pub(super) const UNASSIGNED: u32 = u32::MAX;

/// Table columns come in groups of this many, for the vector units.
const LANES: usize = 4;

/// What an observation wants.
pub(super) struct Preference {
    /// The best other cluster that is open to it; [`UNASSIGNED`] when there is none.
    pub(super) cluster: u32,
    /// Whether to move there lowers the expected loss.
    pub(super) moves: bool,
    /// By how much the best other cluster is worse than its own; negative when it is better.
    pub(super) margin: f64,
}

/// A partition under construction.
///
/// `counts[row * stride + k]` is how many observations cluster k of the partition shares with a cluster of a draw (a row), and
/// `gains` holds φ(count + 1) − φ(count) of the same cell. What an observation adds to the joint sums by joining any of the
/// clusters is then a sum of contiguous rows, one a draw.
pub(super) struct State<'a, T> {
    columns: &'a Columns<T>,
    objective: &'a Objective,
    labels: Vec<u32>,
    sizes: Vec<u32>,
    clusters: usize,
    stride: usize,
    counts: Vec<u32>,
    gains: Vec<f64>,
    /// Σ φ over the cells of each draw; kept up to date only where the loss is not linear in it.
    joint_sums: Vec<f64>,
    scores: Vec<f64>,
    level: Level,
}

impl<'a, T: Label> State<'a, T> {
    /// The partition with these labels, of which some may be [`UNASSIGNED`]; the others are below `max_clusters`.
    pub(super) fn new(columns: &'a Columns<T>, objective: &'a Objective, labels: &[u32]) -> Self {
        let used = labels.iter().filter(|&&k| k != UNASSIGNED).max().map_or(0, |&k| k as usize + 1);
        let mut state = State {
            columns,
            objective,
            labels: vec![UNASSIGNED; labels.len()],
            sizes: Vec::new(),
            clusters: 0,
            stride: 0,
            counts: Vec::new(),
            gains: Vec::new(),
            joint_sums: vec![0.0; columns.draws()],
            scores: Vec::new(),
            level: Level::new(),
        };
        state.relayout((used + 1).next_multiple_of(LANES), &[]);
        for (i, &k) in labels.iter().enumerate().filter(|(_, k)| **k != UNASSIGNED) {
            state.insert(i, k);
        }
        state
    }

    /// The label of each observation; numbers of clusters may have gaps.
    pub(super) fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Number of clusters that are not empty.
    pub(super) fn clusters(&self) -> usize {
        self.clusters
    }

    /// Number of observations of each cluster, some of which may be empty.
    pub(super) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Renumbers the clusters without gaps and narrows the tables to them.
    pub(super) fn compact(&mut self) {
        let stride = (self.clusters + 1).next_multiple_of(LANES);
        if stride < self.stride {
            let kept: Vec<usize> = (0..self.stride).filter(|&k| self.sizes[k] > 0).collect();
            let mut numbers = vec![UNASSIGNED; self.stride];
            kept.iter().enumerate().for_each(|(new, &old)| numbers[old] = new as u32);
            let assigned = self.labels.iter_mut().filter(|k| **k != UNASSIGNED);
            assigned.for_each(|k| *k = numbers[*k as usize]);
            self.relayout(stride, &kept);
        }
    }

    /// Tables of another width, whose first columns are the given ones.
    fn relayout(&mut self, stride: usize, kept: &[usize]) {
        let rows = self.columns.rows();
        let (mut counts, mut gains) = (vec![0; rows * stride], vec![0.0; rows * stride]);
        for row in 0..rows {
            for (new, &old) in kept.iter().enumerate() {
                counts[row * stride + new] = self.counts[row * self.stride + old];
                gains[row * stride + new] = self.gains[row * self.stride + old];
            }
        }
        let mut sizes: Vec<u32> = kept.iter().map(|&k| self.sizes[k]).collect();
        sizes.resize(stride, 0);
        (self.counts, self.gains, self.sizes, self.stride) = (counts, gains, sizes, stride);
        self.scores.resize(stride, 0.0);
    }

    /// The number of an empty cluster, if another one is allowed.
    pub(super) fn vacancy(&mut self) -> Option<u32> {
        if self.clusters >= self.objective.max_clusters {
            return None;
        }
        if self.clusters == self.stride {
            let all: Vec<usize> = (0..self.stride).collect();
            self.relayout((self.stride * 3 / 2).next_multiple_of(LANES), &all);
        }
        self.sizes.iter().position(|&size| size == 0).map(|k| k as u32)
    }

    /// Puts the unassigned observation i into cluster k.
    pub(super) fn insert(&mut self, i: usize, k: u32) {
        let increments = &self.objective.increments;
        for (row, joint) in self.columns.rows_at(i).zip(&mut self.joint_sums) {
            let cell = row * self.stride + k as usize;
            *joint += self.gains[cell];
            self.counts[cell] += 1;
            self.gains[cell] = increments[self.counts[cell] as usize];
        }
        self.clusters += usize::from(self.sizes[k as usize] == 0);
        self.sizes[k as usize] += 1;
        self.labels[i] = k;
    }

    /// Takes observation i out of its cluster.
    pub(super) fn remove(&mut self, i: usize) {
        let increments = &self.objective.increments;
        let k = std::mem::replace(&mut self.labels[i], UNASSIGNED);
        for (row, joint) in self.columns.rows_at(i).zip(&mut self.joint_sums) {
            let cell = row * self.stride + k as usize;
            self.counts[cell] -= 1;
            self.gains[cell] = increments[self.counts[cell] as usize];
            *joint -= self.gains[cell];
        }
        self.sizes[k as usize] -= 1;
        self.clusters -= usize::from(self.sizes[k as usize] == 0);
    }

    /// Moves observation i to cluster k.
    pub(super) fn reassign(&mut self, i: usize, k: u32) {
        if self.labels[i] != k {
            self.remove(i);
            self.insert(i, k);
        }
    }

    /// The cluster that suits the unassigned observation i best, under the linear loss of the same φ.
    pub(super) fn best_cluster(&mut self, i: usize) -> u32 {
        let vacancy = self.vacancy();
        self.score_linear(i, None);
        let cost = self.objective.linear_cost.unwrap_or(1.0);
        self.best_candidate(vacancy, None, |state, k| {
            cost * state.objective.increments[state.sizes[k] as usize] - 2.0 * state.scores[k]
        })
        .0
    }

    /// Where observation i should go, and how sure that is.
    pub(super) fn preference(&mut self, i: usize) -> Preference {
        let from = self.labels[i] as usize;
        let alone = self.sizes[from] == 1;
        if alone && self.clusters <= self.objective.min_clusters {
            return Preference { cluster: UNASSIGNED, moves: false, margin: f64::INFINITY };
        }
        let vacancy = if alone { None } else { self.vacancy() };
        let (to, score, own) = match self.objective.linear_cost {
            Some(cost) => {
                let own = self.score_linear(i, Some(from));
                let increments = &self.objective.increments;
                let own = cost * increments[self.sizes[from] as usize - 1] - 2.0 * own;
                let (to, score) = self.best_candidate(vacancy, Some(from), |state, k| {
                    cost * increments[state.sizes[k] as usize] - 2.0 * state.scores[k]
                });
                (to, score, own)
            }
            None => {
                let own = self.score_curved(i, from);
                let (to, score) = self.best_candidate(vacancy, Some(from), |state, k| state.scores[k]);
                (to, score, own)
            }
        };
        // A gain within rounding is a tie, and ties stay, or two clusters could swap an observation for ever.
        let improves = score < own - 1e-12 * own.abs().max(score.abs());
        Preference { cluster: to, moves: improves, margin: score - own }
    }

    /// How badly observation i suits its cluster, against a cluster of its own, under the linear loss of the same φ.
    pub(super) fn misfit(&mut self, i: usize) -> f64 {
        let from = self.labels[i] as usize;
        let own = self.score_linear(i, Some(from));
        let cost = self.objective.linear_cost.unwrap_or(1.0);
        cost * self.objective.increments[self.sizes[from] as usize - 1] - 2.0 * own
    }

    /// The least score over the clusters that are open to an observation; ties go to the lowest number.
    #[inline(always)]
    fn best_candidate(
        &self,
        vacancy: Option<u32>,
        from: Option<usize>,
        score: impl Fn(&Self, usize) -> f64,
    ) -> (u32, f64) {
        let mut best = (UNASSIGNED, f64::INFINITY);
        for k in 0..self.stride {
            if Some(k) != from && (self.sizes[k] > 0 || vacancy == Some(k as u32)) {
                let score = score(self, k);
                if score < best.1 {
                    best = (k as u32, score);
                }
            }
        }
        best
    }

    /// Fills `scores[k]` with the mean gain of the joint sum when i joins k; returns that of its own cluster without itself.
    fn score_linear(&mut self, i: usize, from: Option<usize>) -> f64 {
        let State { columns, objective, stride, counts, gains, scores, .. } = self;
        let stride = *stride;
        dispatch!(self.level, simd => {
            let cells = columns.rows_at(i).map(|row| row * stride);
            linear_scores(simd, cells, &columns.weights, gains, scores);
            match from {
                None => 0.0,
                Some(from) => {
                    let own = |(row, w): (usize, &f64)| {
                        w * objective.increments[counts[row * stride + from] as usize - 1]
                    };
                    columns.rows_at(i).zip(&columns.weights).map(own).sum()
                }
            }
        })
    }

    /// Fills `scores[k]` with the expected loss when i moves to k; returns the present one.
    fn score_curved(&mut self, i: usize, from: usize) -> f64 {
        let objective = self.objective;
        let estimate = objective.sum(&self.sizes);
        let without = estimate - objective.increments[self.sizes[from] as usize - 1];
        let after: Vec<f64> = self.sizes.iter().map(|&size| without + objective.increments[size as usize]).collect();
        let State { columns, stride, counts, gains, joint_sums, scores, level, .. } = self;
        let stride = *stride;
        dispatch!(*level, simd => {
            let _ = simd;
            let cells = columns.rows_at(i).map(|row| row * stride);
            let present = columns.draw_sums.iter().zip(joint_sums.iter()).zip(&columns.weights);
            let left = columns.rows_at(i).zip(joint_sums.iter()).map(|(row, joint)| {
                joint - objective.increments[counts[row * stride + from] as usize - 1]
            });
            curved_scores(objective, cells.zip(left).zip(present.clone()), gains, &after, scores);
            present
                .map(|((&draw, &joint), w)| {
                    w * objective.loss.of(PairSums { estimate, draw, joint }, objective.scale)
                })
                .sum()
        })
    }

    /// The expected loss, from joint sums recomputed cell by cell, which also ends the drift of the running sums.
    pub(super) fn expected_loss(&mut self) -> f64 {
        let objective = self.objective;
        let estimate = objective.sum(&self.sizes);
        let mut total = 0.0;
        for (b, (&draw, w)) in self.columns.draw_sums.iter().zip(&self.columns.weights).enumerate() {
            let rows = self.columns.rows_of(b);
            let joint = objective.sum(&self.counts[rows.start * self.stride..rows.end * self.stride]);
            self.joint_sums[b] = joint;
            total += w * objective.loss.of(PairSums { estimate, draw, joint }, objective.scale);
        }
        total
    }
}
