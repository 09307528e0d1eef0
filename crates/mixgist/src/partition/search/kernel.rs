//! The inner loops of the search: what every cluster would gain from one more observation, over all draws at once.
//!
//! To be inlined into a vectorized context. Every lane is summed in the order of the draws, so
//! the bits do not depend on the vector width.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::objective::Objective;
use crate::partition::contingency::PairSums;
use crate::partition::loss::PartitionLoss;

/// `scores[k]` = Σ_b w_b gains[cell_b + k].
#[inline(always)]
pub(super) fn linear_scores<S: Simd>(
    simd: S,
    cells: impl Iterator<Item = usize>,
    weights: &[f64],
    gains: &[f64],
    scores: &mut [f64],
) {
    match scores.len() {
        4 => linear_vectors::<S, 1>(simd, cells, weights, gains, scores),
        8 => linear_vectors::<S, 2>(simd, cells, weights, gains, scores),
        12 => linear_vectors::<S, 3>(simd, cells, weights, gains, scores),
        16 => linear_vectors::<S, 4>(simd, cells, weights, gains, scores),
        20 => linear_vectors::<S, 5>(simd, cells, weights, gains, scores),
        24 => linear_vectors::<S, 6>(simd, cells, weights, gains, scores),
        stride => {
            scores.fill(0.0);
            for (cell, &w) in cells.zip(weights) {
                for (score, gain) in scores.iter_mut().zip(&gains[cell..cell + stride]) {
                    *score += w * gain;
                }
            }
        }
    }
}

/// The sums stay in V registers of four lanes.
#[inline(always)]
fn linear_vectors<S: Simd, const V: usize>(
    simd: S,
    cells: impl Iterator<Item = usize>,
    weights: &[f64],
    gains: &[f64],
    scores: &mut [f64],
) {
    let mut sums = [f64x4::splat(simd, 0.0); V];
    for (cell, &w) in cells.zip(weights) {
        let row = &gains[cell..cell + 4 * V];
        for (sum, lanes) in sums.iter_mut().zip(row.chunks_exact(4)) {
            *sum += f64x4::from_slice(simd, lanes) * w;
        }
    }
    for (sum, lanes) in sums.iter().zip(scores.chunks_exact_mut(4)) {
        sum.store_slice(lanes);
    }
}

/// `scores[k]` is the sum over b of `w_b L(after[k], draw_b, left_b + gains[cell_b + k])`.
#[inline(always)]
pub(super) fn curved_scores<'a>(
    objective: &Objective,
    draws: impl Iterator<Item = ((usize, f64), (&'a f64, &'a f64))>,
    gains: &[f64],
    after: &[f64],
    scores: &mut [f64],
) {
    let scale = objective.scale;
    // An arm of its own, so that the match leaves the loop; any loss is right without one.
    match objective.loss {
        PartitionLoss::Omari(convention) => {
            curved(draws, gains, after, scores, |sums| PartitionLoss::Omari(convention).of(sums, scale))
        }
        PartitionLoss::Nvi => curved(draws, gains, after, scores, |sums| PartitionLoss::Nvi.of(sums, scale)),
        PartitionLoss::Id => curved(draws, gains, after, scores, |sums| PartitionLoss::Id.of(sums, scale)),
        PartitionLoss::Nid => curved(draws, gains, after, scores, |sums| PartitionLoss::Nid.of(sums, scale)),
        loss => curved(draws, gains, after, scores, |sums| loss.of(sums, scale)),
    }
}

#[inline(always)]
fn curved<'a>(
    draws: impl Iterator<Item = ((usize, f64), (&'a f64, &'a f64))>,
    gains: &[f64],
    after: &[f64],
    scores: &mut [f64],
    loss: impl Fn(PairSums) -> f64,
) {
    scores.fill(0.0);
    for ((cell, left), (&draw, &w)) in draws {
        let row = &gains[cell..cell + scores.len()];
        for ((score, &gain), &estimate) in scores.iter_mut().zip(row).zip(after) {
            *score += w * loss(PairSums { estimate, draw, joint: left + gain });
        }
    }
}
