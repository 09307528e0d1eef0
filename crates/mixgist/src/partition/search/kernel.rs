//! The inner loops of the search: what every cluster would gain from one more observation, over all draws at once.
//!
//! Plain loops over fixed-size arrays, to be inlined into a vectorized context. Every lane is summed in the order of the draws, so
//! the bits do not depend on the vector width.

use super::objective::Objective;
use crate::partition::contingency::PairSums;
use crate::partition::loss::Loss;

/// `scores[k]` = Σ_b w_b gains[cell_b + k].
#[inline(always)]
pub(super) fn linear_scores(cells: impl Iterator<Item = usize>, weights: &[f64], gains: &[f64], scores: &mut [f64]) {
    match scores.len() {
        8 => linear_fixed::<8>(cells, weights, gains, scores),
        16 => linear_fixed::<16>(cells, weights, gains, scores),
        32 => linear_fixed::<32>(cells, weights, gains, scores),
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

#[inline(always)]
fn linear_fixed<const K: usize>(
    cells: impl Iterator<Item = usize>,
    weights: &[f64],
    gains: &[f64],
    scores: &mut [f64],
) {
    let mut sums = [0.0; K];
    for (cell, &w) in cells.zip(weights) {
        let row: &[f64; K] = gains[cell..cell + K].try_into().expect("a row is K long");
        for k in 0..K {
            sums[k] += w * row[k];
        }
    }
    scores.copy_from_slice(&sums);
}

/// `scores[k]` = Σ_b w_b L(after[k], draw_b, left_b + gains[cell_b + k]).
#[inline(always)]
pub(super) fn curved_scores<'a>(
    objective: &Objective,
    draws: impl Iterator<Item = ((usize, f64), ((&'a f64, &'a f64), &'a f64))>,
    gains: &[f64],
    after: &[f64],
    scores: &mut [f64],
) {
    let scale = objective.scale;
    // One arm for each loss, so that the match leaves the loop.
    match objective.loss {
        Loss::Omari(convention) => curved(draws, gains, after, scores, |sums| Loss::Omari(convention).of(sums, scale)),
        Loss::Nvi => curved(draws, gains, after, scores, |sums| Loss::Nvi.of(sums, scale)),
        Loss::Id => curved(draws, gains, after, scores, |sums| Loss::Id.of(sums, scale)),
        Loss::Nid => curved(draws, gains, after, scores, |sums| Loss::Nid.of(sums, scale)),
        loss @ (Loss::Binder { .. } | Loss::Vi { .. }) => {
            curved(draws, gains, after, scores, |sums| loss.of(sums, scale))
        }
    }
}

#[inline(always)]
fn curved<'a>(
    draws: impl Iterator<Item = ((usize, f64), ((&'a f64, &'a f64), &'a f64))>,
    gains: &[f64],
    after: &[f64],
    scores: &mut [f64],
    loss: impl Fn(PairSums) -> f64,
) {
    scores.fill(0.0);
    for ((cell, left), ((&draw, _), &w)) in draws {
        let row = &gains[cell..cell + scores.len()];
        for ((score, &gain), &estimate) in scores.iter_mut().zip(row).zip(after) {
            *score += w * loss(PairSums { estimate, draw, joint: left + gain });
        }
    }
}
