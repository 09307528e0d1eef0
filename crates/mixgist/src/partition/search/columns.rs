//! The draws as the search reads them: distinct, weighted, and with all labels of an observation side by side.

use std::collections::HashMap;

use crate::labels::{LabelSlice, PartitionDraws, cluster_sizes};
use crate::partition::contingency::Potential;

/// An unsigned integer that holds the labels of the draws: the narrowest one keeps the search within the caches.
pub(super) trait Label: Copy + Send + Sync {
    fn from_canonical(label: u32) -> Self;
    fn index(self) -> usize;
}

macro_rules! label {
    ($($int:ty),*) => {$(
        impl Label for $int {
            fn from_canonical(label: u32) -> Self {
                label as $int
            }

            #[inline(always)]
            fn index(self) -> usize {
                self as usize
            }
        }
    )*};
}
label!(u8, u16, u32);

/// Distinct draws in item-major order. A *row* is a cluster of a draw; rows are numbered draw after draw.
pub(super) struct Columns<T> {
    /// `labels[i * draws + b]`.
    labels: Vec<T>,
    /// Row of label 0 of each draw, and the number of rows at the end.
    first_rows: Vec<usize>,
    /// Weight of each draw; they sum to 1.
    pub(super) weights: Vec<f64>,
    /// Σ φ over the clusters of each draw.
    pub(super) draw_sums: Vec<f64>,
}

impl<T: Label> Columns<T> {
    /// All draws; those of weight 0 are dropped and equal ones merged. Cost O(M n).
    pub(super) fn new(draws: &PartitionDraws, potential: Potential) -> Self {
        let weighted = (0..draws.len()).map(|m| (m, draws.weight(m))).filter(|&(_, w)| w > 0.0);
        Self::of_draws(draws, weighted, potential)
    }

    /// A systematic sample of `size` draws: the draws at equally spaced steps of their cumulative weight.
    pub(super) fn sample(draws: &PartitionDraws, size: usize, potential: Potential) -> Self {
        let mut cumulative = 0.0;
        let mut m = 0;
        let chosen = (0..size).map(|step| {
            let position = (step as f64 + 0.5) / size as f64;
            while m + 1 < draws.len() && cumulative + draws.weight(m) < position {
                cumulative += draws.weight(m);
                m += 1;
            }
            (m, 1.0 / size as f64)
        });
        Self::of_draws(draws, chosen, potential)
    }

    fn of_draws(draws: &PartitionDraws, weighted: impl Iterator<Item = (usize, f64)>, potential: Potential) -> Self {
        let observations = draws.observations();
        let (distinct, weights) = distinct_draws(draws, weighted);
        let mut first_rows = vec![0];
        let mut draw_sums = Vec::with_capacity(distinct.len());
        for &m in &distinct {
            first_rows.push(first_rows[first_rows.len() - 1] + draws.clusters(m));
            draw_sums.push(potential.sum(cluster_sizes(draws.labels(m), draws.clusters(m))));
        }
        // Blocks of observations keep both sides of the transposition in cache.
        const BLOCK: usize = 64;
        let mut labels = vec![T::from_canonical(0); distinct.len() * observations];
        for start in (0..observations).step_by(BLOCK) {
            let end = (start + BLOCK).min(observations);
            for (b, &m) in distinct.iter().enumerate() {
                for (i, label) in (start..end).zip(draws.labels(m).slice(start..end)) {
                    labels[i * distinct.len() + b] = T::from_canonical(label as u32);
                }
            }
        }
        Columns { labels, first_rows, weights, draw_sums }
    }

    /// Number of distinct draws.
    pub(super) fn draws(&self) -> usize {
        self.weights.len()
    }

    /// Number of clusters of all draws together.
    pub(super) fn rows(&self) -> usize {
        self.first_rows[self.draws()]
    }

    /// The rows of draw b.
    pub(super) fn rows_of(&self, b: usize) -> std::ops::Range<usize> {
        self.first_rows[b]..self.first_rows[b + 1]
    }

    /// The row of observation i in each draw.
    #[inline(always)]
    pub(super) fn rows_at(&self, i: usize) -> impl Iterator<Item = usize> {
        let labels = &self.labels[i * self.draws()..(i + 1) * self.draws()];
        labels.iter().zip(&self.first_rows).map(|(label, first)| first + label.index())
    }
}

fn distinct_draws(draws: &PartitionDraws, weighted: impl Iterator<Item = (usize, f64)>) -> (Vec<usize>, Vec<f64>) {
    let mut distinct = Vec::new();
    let mut weights: Vec<f64> = Vec::new();
    let mut seen: HashMap<LabelSlice<'_>, usize> = HashMap::new();
    for (m, weight) in weighted {
        let b = *seen.entry(draws.labels(m)).or_insert(distinct.len());
        if b == distinct.len() {
            distinct.push(m);
            weights.push(0.0);
        }
        weights[b] += weight;
    }
    (distinct, weights)
}
