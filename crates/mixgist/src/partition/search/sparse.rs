//! Contingency tables that store only the cells that are not empty, for partitions into very many clusters.
//!
//! A cluster that shares no draw's cluster with an observation gains nothing from it, while the estimate's own sum grows; every loss
//! increases in that sum, so an empty cluster is at least as good. Only overlapping clusters and the smallest one need a score.

use std::ops::Range;

use super::columns::Label;
use super::objective::Objective;
use super::tables::{Query, Scores, Tables};
use crate::partition::contingency::PairSums;

/// For each row the clusters that it overlaps, with the counts.
pub(super) struct SparseTables {
    cells: Vec<Vec<Cell>>,
    capacity: usize,
}

#[derive(Clone, Copy)]
struct Cell {
    cluster: u32,
    count: u32,
}

impl SparseTables {
    fn position(&self, row: usize, k: usize) -> Option<usize> {
        self.cells[row].iter().position(|cell| cell.cluster as usize == k)
    }

    /// The clusters that share an observation with i in some draw, the vacancy, and the smallest cluster where there is no vacancy.
    fn list_candidates<T: Label>(&self, query: &Query<'_, T>, scores: &mut Scores) {
        scores.values.resize(self.capacity, UNSEEN);
        for k in scores.candidates.drain(..) {
            scores.values[k as usize] = UNSEEN;
        }
        let Scores { values, candidates } = scores;
        let mut list = |k: u32| {
            if values[k as usize] == UNSEEN {
                values[k as usize] = 0.0;
                candidates.push(k);
            }
        };
        for row in query.columns.rows_at(query.i) {
            self.cells[row].iter().for_each(|cell| list(cell.cluster));
        }
        match query.vacancy {
            Some(vacancy) => list(vacancy as u32),
            // To be alone is as good as an empty cluster.
            None if query.from.is_some_and(|from| query.sizes[from] == 1) => {}
            None => smallest_other(query.sizes, query.from).into_iter().for_each(&mut list),
        }
        candidates.sort_unstable();
    }
}

fn smallest_other(sizes: &[u32], from: Option<usize>) -> Option<u32> {
    let mut smallest: Option<usize> = None;
    for k in (0..sizes.len()).filter(|&k| sizes[k] > 0 && Some(k) != from) {
        if smallest.is_none_or(|s| sizes[k] < sizes[s]) {
            smallest = Some(k);
            if sizes[k] == 1 {
                break;
            }
        }
    }
    smallest.map(|k| k as u32)
}

/// Marks the values of clusters that are no candidates.
const UNSEEN: f64 = f64::INFINITY;

impl Tables for SparseTables {
    fn new(rows: usize, clusters: usize) -> Self {
        SparseTables { cells: vec![Vec::new(); rows], capacity: clusters }
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn relayout(&mut self, kept: &[usize], clusters: usize) {
        let mut numbers = vec![0; self.capacity];
        kept.iter().enumerate().for_each(|(new, &old)| numbers[old] = new as u32);
        self.cells.iter_mut().flatten().for_each(|cell| cell.cluster = numbers[cell.cluster as usize]);
        self.capacity = clusters;
    }

    fn add(&mut self, row: usize, k: usize, increments: &[f64]) -> f64 {
        match self.position(row, k) {
            Some(at) => {
                let count = &mut self.cells[row][at].count;
                *count += 1;
                increments[*count as usize - 1]
            }
            None => {
                self.cells[row].push(Cell { cluster: k as u32, count: 1 });
                increments[0]
            }
        }
    }

    fn take(&mut self, row: usize, k: usize, increments: &[f64]) -> f64 {
        let at = self.position(row, k).expect("an assigned observation is counted in its cell");
        let count = &mut self.cells[row][at].count;
        *count -= 1;
        let taken = increments[*count as usize];
        if *count == 0 {
            self.cells[row].swap_remove(at);
        }
        taken
    }

    fn sum(&self, rows: Range<usize>, objective: &Objective) -> f64 {
        self.cells[rows].iter().flatten().map(|cell| objective.potential[cell.count as usize]).sum()
    }

    fn score_linear<T: Label>(&self, query: &Query<'_, T>, scores: &mut Scores) -> f64 {
        self.list_candidates(query, scores);
        let increments = &query.objective.increments;
        let mut own = 0.0;
        for (row, w) in query.columns.rows_at(query.i).zip(&query.columns.weights) {
            for cell in &self.cells[row] {
                let k = cell.cluster as usize;
                scores.values[k] += w * increments[cell.count as usize];
                if Some(k) == query.from {
                    own += w * increments[cell.count as usize - 1];
                }
            }
        }
        own
    }

    fn score_curved<T: Label>(&self, query: &Query<'_, T>, joint_sums: &[f64], scores: &mut Scores) {
        self.list_candidates(query, scores);
        let Query { columns, objective, i, from, .. } = *query;
        let from = from.expect("only an assigned observation has a curved score");
        let loss = |estimate: f64, draw: f64, joint: f64| {
            objective.loss.of(PairSums { estimate, draw, joint }, objective.scale)
        };
        let left: Vec<f64> = columns
            .rows_at(i)
            .zip(joint_sums)
            .map(|(row, joint)| {
                let at = self.position(row, from).expect("an assigned observation is counted in its cell");
                joint - objective.increments[self.cells[row][at].count as usize - 1]
            })
            .collect();
        // Without overlap the loss depends on a cluster through its size alone.
        let mut by_size = std::collections::HashMap::new();
        for &k in &scores.candidates {
            let k = k as usize;
            scores.values[k] = *by_size.entry(query.sizes[k]).or_insert_with(|| {
                let estimate = query.estimate_after(k);
                let draws = columns.draw_sums.iter().zip(&columns.weights).zip(&left);
                draws.map(|((&draw, w), &left)| w * loss(estimate, draw, left)).sum::<f64>()
            });
        }
        let draws = columns.draw_sums.iter().zip(&columns.weights).zip(&left);
        for (row, ((&draw, w), &left)) in columns.rows_at(i).zip(draws) {
            for cell in &self.cells[row] {
                let estimate = query.estimate_after(cell.cluster as usize);
                let gain = objective.increments[cell.count as usize];
                scores.values[cell.cluster as usize] +=
                    w * (loss(estimate, draw, left + gain) - loss(estimate, draw, left));
            }
        }
    }
}
