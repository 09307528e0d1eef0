//! The path of best merges: from the clusters at hand down to the fewest allowed, two at a time.

use super::columns::{Columns, Label};
use super::objective::Objective;
use crate::partition::contingency::PairSums;

/// More clusters than this are not merged: the path costs O(rows · k³).
pub(super) const MAX_MERGED: usize = 48;

/// Where along the path the expected loss is least.
pub(super) struct MergePath {
    /// The merged number of each cluster.
    pub(super) numbers: Vec<u32>,
    /// The expected loss with these merges.
    pub(super) expected_loss: f64,
}

/// Merges at each step the two clusters whose union has the least expected loss, and returns the best partition on the way.
///
/// `counts` is (rows, clusters) without empty clusters; `sizes` are those of the clusters.
pub(super) fn best_merges<T: Label>(
    columns: &Columns<T>,
    objective: &Objective,
    mut counts: Vec<u32>,
    mut sizes: Vec<u32>,
) -> MergePath {
    let width = sizes.len();
    let mut alive: Vec<usize> = (0..width).collect();
    let mut numbers: Vec<u32> = (0..width as u32).collect();
    let mut joint: Vec<f64> = (0..columns.draws())
        .map(|b| {
            let rows = columns.rows_of(b);
            objective.sum(&counts[rows.start * width..rows.end * width])
        })
        .collect();
    let mut estimate = objective.sum(&sizes);
    let mut best =
        MergePath { numbers: numbers.clone(), expected_loss: mean_loss(columns, objective, estimate, &joint) };

    while alive.len() > objective.min_clusters.max(1) {
        let mut step: Option<Step> = None;
        for (position, &k) in alive.iter().enumerate() {
            for &l in &alive[..position] {
                let estimate = estimate + objective.merging(sizes[k], sizes[l]);
                let joint = merged_joint(columns, objective, &counts, width, (k, l), &joint);
                let loss = mean_loss(columns, objective, estimate, &joint);
                if step.as_ref().is_none_or(|step| loss < step.loss) {
                    step = Some(Step { gone: k, into: l, estimate, joint, loss });
                }
            }
        }
        let Some(Step { gone, into, loss, estimate: merged_estimate, joint: merged_joint }) = step else { break };
        (estimate, joint) = (merged_estimate, merged_joint);
        for row in counts.chunks_mut(width) {
            row[into] += std::mem::take(&mut row[gone]);
        }
        sizes[into] += std::mem::take(&mut sizes[gone]);
        alive.retain(|&k| k != gone);
        numbers.iter_mut().filter(|number| **number == gone as u32).for_each(|number| *number = into as u32);
        if loss < best.expected_loss {
            best = MergePath { numbers: numbers.clone(), expected_loss: loss };
        }
    }
    best
}

struct Step {
    gone: usize,
    into: usize,
    estimate: f64,
    joint: Vec<f64>,
    loss: f64,
}

fn merged_joint<T: Label>(
    columns: &Columns<T>,
    objective: &Objective,
    counts: &[u32],
    width: usize,
    (k, l): (usize, usize),
    joint: &[f64],
) -> Vec<f64> {
    let gain = |b: usize| -> f64 {
        columns.rows_of(b).map(|row| objective.merging(counts[row * width + k], counts[row * width + l])).sum()
    };
    joint.iter().enumerate().map(|(b, joint)| joint + gain(b)).collect()
}

fn mean_loss<T: Label>(columns: &Columns<T>, objective: &Objective, estimate: f64, joint: &[f64]) -> f64 {
    let draws = columns.draw_sums.iter().zip(joint).zip(&columns.weights);
    draws.map(|((&draw, &joint), w)| w * objective.loss.of(PairSums { estimate, draw, joint }, objective.scale)).sum()
}
