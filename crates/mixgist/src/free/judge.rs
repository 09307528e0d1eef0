//! Judging measures that need not be draws: their exact expected losses under given slices, and errors of differences between them.

use crate::Result;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::pairwise::{Bridges, SlicedDistance};
use crate::progress::Progress;
use crate::select::Loss;
use crate::slice_error::BatchSums;

/// A measure's exact loss under some slices.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    /// Mean loss over the draws.
    pub(crate) expected_loss: f64,
    /// Weighted loss of every draw, the terms of that mean.
    losses: Vec<f64>,
    draw_weights: Vec<f64>,
    /// Mean transport cost to every draw.
    pub(crate) costs: Vec<f64>,
    /// The loss linearised in the costs, summed over each group of slices.
    by_group: Vec<f64>,
    group_sizes: Vec<usize>,
}

/// Groups of slices that are kept apart: 31 degrees of freedom are plenty.
const GROUPS: usize = 32;

/// Judges all measures in one pass over the first `most` slices. The order of the distance is 2.
pub(crate) fn judge(
    measures: &[MixingMeasure],
    ensemble: &Ensemble,
    distance: &SlicedDistance,
    most: usize,
    loss: Loss,
    phase: &str,
    progress: &dyn Progress,
) -> Result<Vec<Judged>> {
    let draws = ensemble.len();
    let weights = ensemble.draw_weights().map_or_else(|| vec![1.0 / draws as f64; draws], <[f64]>::to_vec);
    // The measures become draws that do not count.
    let guests = Ensemble::from_measures(measures)?;
    let mut all_weights = weights.clone();
    all_weights.resize(draws + measures.len(), 0.0);
    let all = Ensemble::concatenate(&[&ensemble.clone().without_draw_weights(), &guests])?;
    let projection = distance.project(&all.with_draw_weights(&all_weights)?)?;
    let rows: Vec<usize> = (draws..draws + measures.len()).collect();
    let mut bridges = Bridges::independent(&projection, most);
    let batches = bridges.batches();
    let groups = batches.min(GROUPS);
    let mut sums = vec![0.0; groups * rows.len() * draws];
    let mut group_sizes = vec![0; groups];
    let mut batch = 0;
    let slices = bridges.slices();
    progress.begin(phase, slices as u64);
    bridges.row_costs_by_batch(&rows, progress, |slices, costs| {
        let group = batch * groups / batches;
        group_sizes[group] += slices;
        let sums = &mut sums[group * rows.len() * draws..(group + 1) * rows.len() * draws];
        for (sums, costs) in sums.chunks_exact_mut(draws).zip(costs.chunks_exact(draws + rows.len())) {
            sums.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost.max(0.0));
        }
        batch += 1;
    })?;
    let order = projection.order();
    let slices = slices as f64;
    let judged = |row: usize| {
        let of_group = |group: usize| &sums[(group * rows.len() + row) * draws..][..draws];
        let costs: Vec<f64> = (0..draws).map(|m| (0..groups).map(|g| of_group(g)[m]).sum::<f64>() / slices).collect();
        let losses: Vec<f64> = costs.iter().zip(&weights).map(|(&cost, w)| w * loss.of_cost(cost, order)).collect();
        let slopes: Vec<f64> = costs.iter().zip(&weights).map(|(&cost, w)| w * loss.slope(cost, order)).collect();
        let linear = |group: usize| of_group(group).iter().zip(&slopes).map(|(cost, slope)| cost * slope).sum();
        Judged {
            expected_loss: losses.iter().sum(),
            losses,
            draw_weights: weights.clone(),
            costs,
            by_group: (0..groups).map(linear).collect(),
            group_sizes: group_sizes.clone(),
        }
    };
    Ok((0..rows.len()).map(judged).collect())
}

impl Judged {
    /// Standard error of the expected loss over slices; `None` with a single independent group.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        self.error(|group| self.by_group[group])
    }

    /// Standard error over slices of the difference to another measure judged in the same pass.
    pub(crate) fn difference_error(&self, other: &Judged) -> Option<f64> {
        self.error(|group| self.by_group[group] - other.by_group[group])
    }

    /// Standard error of the difference to another measure that counts finitely many slices and finitely many draws, which are taken
    /// to be independent.
    pub(crate) fn difference_error_of_both(&self, other: &Judged) -> f64 {
        let mean = self.expected_loss - other.expected_loss;
        let terms = self.losses.iter().zip(&other.losses).zip(&self.draw_weights);
        let variance: f64 = terms.map(|((own, other), weight)| (own - other - weight * mean).powi(2)).sum();
        libm::hypot(variance.sqrt(), self.difference_error(other).unwrap_or(0.0))
    }

    fn error(&self, value: impl Fn(usize) -> f64) -> Option<f64> {
        let mut sums = BatchSums::default();
        self.group_sizes.iter().enumerate().for_each(|(group, &size)| sums.add(value(group), size));
        let groups = self.group_sizes.len();
        (groups > 1).then(|| sums.standard_error(self.group_sizes.iter().sum(), groups))
    }
}
