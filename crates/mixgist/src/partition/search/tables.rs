//! What the search asks of the contingency tables between its partition and all draws.

use super::columns::{Columns, Label};
use super::objective::Objective;

/// Counts of shared observations: a row for each cluster of each draw, a column for each cluster of the partition.
///
/// Two layouts stand side by side and give the same answers: [`super::dense`] for the usual few clusters, [`super::sparse`] for so
/// many that a full table would not fit.
pub(super) trait Tables: Sized {
    /// Empty tables with room for clusters numbered below `clusters`.
    fn new(rows: usize, clusters: usize) -> Self;

    /// How many columns there is room for.
    fn capacity(&self) -> usize;

    /// Keeps the given columns, in that order, and makes room for `clusters` of them.
    fn relayout(&mut self, kept: &[usize], clusters: usize);

    /// Counts one more observation in a cell; returns what that adds to Σ φ.
    fn add(&mut self, row: usize, k: usize, increments: &[f64]) -> f64;

    /// Counts one observation less in a cell; returns what that takes from Σ φ.
    fn take(&mut self, row: usize, k: usize, increments: &[f64]) -> f64;

    /// Σ φ over the cells of some rows.
    fn sum(&self, rows: std::ops::Range<usize>, objective: &Objective) -> f64;

    /// Scores of the clusters that an observation may join: the mean gain of the joint sum. Returns that of its own cluster
    /// without itself.
    fn score_linear<T: Label>(&self, query: &Query<'_, T>, scores: &mut Scores) -> f64;

    /// Scores of the clusters that an assigned observation may move to: the expected loss afterwards. `joint_sums` holds Σ φ over the cells
    /// of each draw.
    fn score_curved<T: Label>(&self, query: &Query<'_, T>, joint_sums: &[f64], scores: &mut Scores);
}

/// Which observation asks, and where it stands.
pub(super) struct Query<'a, T> {
    pub(super) columns: &'a Columns<T>,
    pub(super) objective: &'a Objective,
    pub(super) sizes: &'a [u32],
    /// Σ φ over the clusters of the partition.
    pub(super) estimate_sum: f64,
    /// The observation.
    pub(super) i: usize,
    /// Its cluster, unless it has none.
    pub(super) from: Option<usize>,
    /// An empty cluster that is open to it.
    pub(super) vacancy: Option<usize>,
}

impl<T> Query<'_, T> {
    /// Σ φ over the clusters once the observation has moved to cluster k.
    #[inline(always)]
    pub(super) fn estimate_after(&self, k: usize) -> f64 {
        let increments = &self.objective.increments;
        let leaving = self.from.map_or(0.0, |from| increments[self.sizes[from] as usize - 1]);
        self.estimate_sum - leaving + increments[self.sizes[k] as usize]
    }
}

/// Scores by number of cluster.
#[derive(Default)]
pub(super) struct Scores {
    /// `values[k]`, meaningful for candidates only.
    pub(super) values: Vec<f64>,
    /// The clusters that come into question, the own one perhaps among them.
    pub(super) candidates: Vec<u32>,
}
