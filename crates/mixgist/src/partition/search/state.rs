//! The state of one search run: a (partial) partition with its contingency tables against all draws, updated move by move.

use super::columns::{Columns, Label};
use super::merge::{MAX_MERGED, best_merges};
use super::objective::Objective;
use super::tables::{Query, Scores, Tables};
use crate::partition::contingency::PairSums;

/// The label of an observation that has no cluster yet.
pub(super) const UNASSIGNED: u32 = u32::MAX;

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
pub(super) struct State<'a, T, C> {
    columns: &'a Columns<T>,
    objective: &'a Objective,
    tables: C,
    labels: Vec<u32>,
    sizes: Vec<u32>,
    clusters: usize,
    /// Numbers of empty clusters; some may have been filled since.
    free: Vec<u32>,
    /// Σ φ over the clusters.
    estimate_sum: f64,
    /// Σ φ over the cells of each draw.
    joint_sums: Vec<f64>,
    scores: Scores,
}

impl<'a, T: Label, C: Tables> State<'a, T, C> {
    /// The partition with these labels, of which some may be [`UNASSIGNED`]; the others are below `max_clusters`.
    pub(super) fn new(columns: &'a Columns<T>, objective: &'a Objective, labels: &[u32]) -> Self {
        let used = labels.iter().filter(|&&k| k != UNASSIGNED).max().map_or(0, |&k| k as usize + 1);
        let tables = C::new(columns.rows(), used + 1);
        let mut state = State {
            columns,
            objective,
            labels: vec![UNASSIGNED; labels.len()],
            sizes: vec![0; tables.capacity()],
            clusters: 0,
            free: (0..tables.capacity() as u32).rev().collect(),
            estimate_sum: 0.0,
            joint_sums: vec![0.0; columns.draws()],
            scores: Scores::default(),
            tables,
        };
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
        let kept: Vec<usize> = (0..self.sizes.len()).filter(|&k| self.sizes[k] > 0).collect();
        let mut numbers = vec![UNASSIGNED; self.sizes.len()];
        kept.iter().enumerate().for_each(|(new, &old)| numbers[old] = new as u32);
        let assigned = self.labels.iter_mut().filter(|k| **k != UNASSIGNED);
        assigned.for_each(|k| *k = numbers[*k as usize]);
        self.relayout(&kept, self.clusters + 1);
    }

    fn relayout(&mut self, kept: &[usize], clusters: usize) {
        self.tables.relayout(kept, clusters);
        let mut sizes: Vec<u32> = kept.iter().map(|&k| self.sizes[k]).collect();
        sizes.resize(self.tables.capacity(), 0);
        self.sizes = sizes;
        self.free = (0..self.sizes.len() as u32).rev().filter(|&k| self.sizes[k as usize] == 0).collect();
        self.scores = Scores::default();
    }

    /// The number of an empty cluster, if another one is allowed.
    pub(super) fn vacancy(&mut self) -> Option<u32> {
        if self.clusters >= self.objective.max_clusters {
            return None;
        }
        if self.clusters == self.sizes.len() {
            let all: Vec<usize> = (0..self.sizes.len()).collect();
            self.relayout(&all, self.sizes.len() + self.sizes.len() / 2 + 1);
        }
        while let Some(&k) = self.free.last() {
            if self.sizes[k as usize] == 0 {
                return Some(k);
            }
            self.free.pop();
        }
        None
    }

    /// Puts the unassigned observation i into cluster k.
    pub(super) fn insert(&mut self, i: usize, k: u32) {
        let increments = &self.objective.increments;
        for (row, joint) in self.columns.rows_at(i).zip(&mut self.joint_sums) {
            *joint += self.tables.add(row, k as usize, increments);
        }
        let size = &mut self.sizes[k as usize];
        self.estimate_sum += increments[*size as usize];
        self.clusters += usize::from(*size == 0);
        *size += 1;
        self.labels[i] = k;
    }

    /// Takes observation i out of its cluster.
    pub(super) fn remove(&mut self, i: usize) {
        let increments = &self.objective.increments;
        let k = std::mem::replace(&mut self.labels[i], UNASSIGNED);
        for (row, joint) in self.columns.rows_at(i).zip(&mut self.joint_sums) {
            *joint -= self.tables.take(row, k as usize, increments);
        }
        let size = &mut self.sizes[k as usize];
        *size -= 1;
        self.estimate_sum -= increments[*size as usize];
        if *size == 0 {
            self.clusters -= 1;
            self.free.push(k);
        }
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
        self.score_linear(i, None, vacancy);
        self.best_candidate(None, |state, k| state.linear_score(state.sizes[k], state.scores.values[k])).0
    }

    /// Where observation i should go, and how sure that is.
    pub(super) fn preference(&mut self, i: usize) -> Preference {
        let from = self.labels[i] as usize;
        let alone = self.sizes[from] == 1;
        if alone && self.clusters <= self.objective.min_clusters {
            return Preference { cluster: UNASSIGNED, moves: false, margin: f64::INFINITY };
        }
        let vacancy = if alone { None } else { self.vacancy() };
        let (to, score, own) = if self.objective.linear_cost.is_some() {
            let own = self.score_linear(i, Some(from), vacancy);
            let (to, score) =
                self.best_candidate(Some(from), |state, k| state.linear_score(state.sizes[k], state.scores.values[k]));
            (to, score, self.linear_score(self.sizes[from] - 1, own))
        } else {
            self.score_curved(i, from, vacancy);
            let (to, score) = self.best_candidate(Some(from), |state, k| state.scores.values[k]);
            (to, score, self.running_loss())
        };
        // A gain within rounding is a tie, and ties stay, or two clusters could swap an observation for ever.
        let improves = score < own - 1e-12 * own.abs().max(score.abs());
        Preference { cluster: to, moves: improves, margin: score - own }
    }

    /// How badly observation i suits its cluster, against a cluster of its own, under the linear loss of the same φ.
    pub(super) fn misfit(&mut self, i: usize) -> f64 {
        let from = self.labels[i] as usize;
        let own = self.score_linear(i, Some(from), None);
        self.linear_score(self.sizes[from] - 1, own)
    }

    /// The least score over the candidates; ties go to the lowest number.
    #[inline(always)]
    fn best_candidate(&self, from: Option<usize>, score: impl Fn(&Self, usize) -> f64) -> (u32, f64) {
        let mut best = (UNASSIGNED, f64::INFINITY);
        for &k in &self.scores.candidates {
            if Some(k as usize) != from {
                let score = score(self, k as usize);
                if score < best.1 {
                    best = (k, score);
                }
            }
        }
        best
    }

    /// Up to a constant and a factor, the expected linear loss when an observation joins a cluster of that size and the joint sum gains
    /// that much on average.
    #[inline(always)]
    fn linear_score(&self, size: u32, gain: f64) -> f64 {
        self.objective.linear_cost.unwrap_or(1.0) * self.objective.increments[size as usize] - 2.0 * gain
    }

    fn score_linear(&mut self, i: usize, from: Option<usize>, vacancy: Option<u32>) -> f64 {
        let State { columns, objective, tables, sizes, scores, .. } = self;
        let vacancy = vacancy.map(|k| k as usize);
        tables.score_linear(
            &Query { columns, objective, sizes, estimate_sum: self.estimate_sum, i, from, vacancy },
            scores,
        )
    }

    fn score_curved(&mut self, i: usize, from: usize, vacancy: Option<u32>) {
        let State { columns, objective, tables, sizes, scores, joint_sums, .. } = self;
        let (from, vacancy) = (Some(from), vacancy.map(|k| k as usize));
        let query = Query { columns, objective, sizes, estimate_sum: self.estimate_sum, i, from, vacancy };
        tables.score_curved(&query, joint_sums, scores);
    }

    /// Merges clusters where that lowers the expected loss; returns whether it did. Leaves very many clusters alone.
    pub(super) fn merge(&mut self) -> bool {
        self.compact();
        if self.clusters > MAX_MERGED {
            return false;
        }
        let before = self.expected_loss();
        let mut counts = vec![0; self.columns.rows() * self.clusters];
        for (i, &k) in self.labels.iter().enumerate() {
            self.columns.rows_at(i).for_each(|row| counts[row * self.clusters + k as usize] += 1);
        }
        let path = best_merges(self.columns, self.objective, counts, self.sizes[..self.clusters].to_vec());
        let merges = path.expected_loss < before * (1.0 - 1e-12);
        if merges {
            (0..self.labels.len()).for_each(|i| self.reassign(i, path.numbers[self.labels[i] as usize]));
        }
        merges
    }

    /// The expected loss from the running sums.
    fn running_loss(&self) -> f64 {
        let Objective { loss, scale, .. } = self.objective;
        let draws = self.columns.draw_sums.iter().zip(&self.joint_sums).zip(&self.columns.weights);
        draws
            .map(|((&draw, &joint), w)| w * loss.of(PairSums { estimate: self.estimate_sum, draw, joint }, *scale))
            .sum()
    }

    /// The expected loss, from sums recomputed cell by cell, which also ends the drift of the running ones.
    pub(super) fn expected_loss(&mut self) -> f64 {
        self.estimate_sum = self.objective.sum(&self.sizes);
        for (b, joint) in self.joint_sums.iter_mut().enumerate() {
            *joint = self.tables.sum(self.columns.rows_of(b), self.objective);
        }
        self.running_loss()
    }
}
