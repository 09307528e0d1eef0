//! Full contingency tables: every observation is scored against all clusters at once, in vector registers.

use std::ops::Range;

use fearless_simd::{Level, dispatch};

use super::columns::Label;
use super::kernel::{curved_scores, linear_scores};
use super::objective::Objective;
use super::tables::{Query, Scores, Tables};

/// Columns come in groups of this many, for the vector units.
const LANES: usize = 4;

/// `counts[row * stride + k]` and, for the same cell, `gains` = φ(count + 1) − φ(count). What an observation adds to the joint sums
/// by joining any of the clusters is then a sum of contiguous rows, one per draw.
pub(super) struct DenseTables {
    rows: usize,
    stride: usize,
    counts: Vec<u32>,
    gains: Vec<f64>,
    level: Level,
}

impl DenseTables {
    /// Memory of tables with so many rows and clusters.
    pub(super) fn bytes(rows: usize, clusters: usize) -> usize {
        rows.saturating_mul(clusters.saturating_add(LANES)).saturating_mul(size_of::<u32>() + size_of::<f64>())
    }
}

impl Tables for DenseTables {
    fn new(rows: usize, clusters: usize) -> Self {
        let stride = clusters.next_multiple_of(LANES);
        DenseTables {
            rows,
            stride,
            counts: vec![0; rows * stride],
            gains: vec![0.0; rows * stride],
            level: Level::new(),
        }
    }

    fn capacity(&self) -> usize {
        self.stride
    }

    fn relayout(&mut self, kept: &[usize], clusters: usize) {
        let mut to = DenseTables::new(self.rows, clusters);
        for row in 0..self.rows {
            for (new, &old) in kept.iter().enumerate() {
                to.counts[row * to.stride + new] = self.counts[row * self.stride + old];
                to.gains[row * to.stride + new] = self.gains[row * self.stride + old];
            }
        }
        *self = to;
    }

    #[inline(always)]
    fn add(&mut self, row: usize, k: usize, increments: &[f64]) -> f64 {
        let cell = row * self.stride + k;
        self.counts[cell] += 1;
        std::mem::replace(&mut self.gains[cell], increments[self.counts[cell] as usize])
    }

    #[inline(always)]
    fn take(&mut self, row: usize, k: usize, increments: &[f64]) -> f64 {
        let cell = row * self.stride + k;
        self.counts[cell] -= 1;
        self.gains[cell] = increments[self.counts[cell] as usize];
        self.gains[cell]
    }

    fn sum(&self, rows: Range<usize>, objective: &Objective) -> f64 {
        objective.sum(&self.counts[rows.start * self.stride..rows.end * self.stride])
    }

    fn score_linear<T: Label>(&self, query: &Query<'_, T>, scores: &mut Scores) -> f64 {
        self.list_candidates(query, scores);
        let Query { columns, objective, i, from, .. } = *query;
        let DenseTables { stride, counts, gains, .. } = self;
        dispatch!(self.level, simd => {
            let cells = columns.rows_at(i).map(|row| row * stride);
            linear_scores(simd, cells, &columns.weights, gains, &mut scores.values);
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

    fn score_curved<T: Label>(&self, query: &Query<'_, T>, joint_sums: &[f64], scores: &mut Scores) {
        self.list_candidates(query, scores);
        let Query { columns, objective, i, .. } = *query;
        let from = query.from.expect("only an assigned observation has a curved score");
        let after: Vec<f64> = (0..self.stride).map(|k| query.estimate_after(k)).collect();
        let DenseTables { stride, counts, gains, .. } = self;
        dispatch!(self.level, simd => {
            let _ = simd;
            let draws = columns.rows_at(i).zip(joint_sums).map(|(row, joint)| {
                let cell = row * stride;
                (cell, joint - objective.increments[counts[cell + from] as usize - 1])
            });
            let weights = columns.draw_sums.iter().zip(&columns.weights);
            curved_scores(objective, draws.zip(weights), gains, &after, &mut scores.values);
        })
    }
}

impl DenseTables {
    fn list_candidates<T>(&self, query: &Query<'_, T>, scores: &mut Scores) {
        scores.values.resize(self.stride, 0.0);
        scores.candidates.clear();
        let open = |&k: &usize| query.sizes[k] > 0 || query.vacancy == Some(k);
        scores.candidates.extend((0..self.stride).filter(open).map(|k| k as u32));
    }
}
