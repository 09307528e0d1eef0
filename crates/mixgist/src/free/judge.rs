//! Judging measures that need not be draws: their exact expected losses under given slices, and errors of differences between them.

use std::sync::Arc;

use crate::Result;
use crate::ensemble::MixingMeasure;
use crate::line::Order;
use crate::loss::Loss;
use crate::pairwise::Decompositions;
use crate::progress::Progress;
use crate::slice_error::{BatchSums, SliceGroups};
use crate::target::SliceTarget;
use crate::work::Form;

/// A measure's exact loss under some slices.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    /// Mean loss over the draws.
    pub(crate) expected_loss: f64,
    loss: Loss,
    draw_weights: Arc<[f64]>,
    /// Mean transport cost to every draw.
    pub(crate) costs: Vec<f64>,
    /// The loss linearised in the costs, summed over each group of slices.
    by_group: Vec<f64>,
    group_sizes: Vec<usize>,
}

/// The draws on some slices, as far as fits and those who judge them ask.
pub(crate) trait OnSlices {
    /// Weight of each draw; they sum to 1.
    fn draw_weights(&self) -> &[f64];

    /// Number of slices.
    fn slices(&self) -> usize;

    /// Mean quantile functions of the first `most` slices under several weightings of the draws, each of sum 1; cells are chosen by some draws.
    fn mean_quantiles(
        &self,
        weightings: &[&[f64]],
        sampled: &[usize],
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<SliceTarget>>>;

    /// Judges all measures in one pass over the slices. The order of the distance is 2.
    fn judge(&self, measures: &[MixingMeasure], loss: Loss, progress: &dyn Progress) -> Result<Vec<Judged>>;

    /// For each measure its mean transport costs to every draw over the first `most` slices: for a first idea.
    fn glance(&self, measures: &[MixingMeasure], most: usize, progress: &dyn Progress) -> Result<Vec<Vec<f64>>>;
}

impl OnSlices for Decompositions<'_, '_> {
    fn draw_weights(&self) -> &[f64] {
        self.projection().draw_weights()
    }

    fn slices(&self) -> usize {
        self.projection().slices()
    }

    fn mean_quantiles(
        &self,
        weightings: &[&[f64]],
        sampled: &[usize],
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<SliceTarget>>> {
        self.mean_quantiles(weightings, sampled, most, progress)
    }

    fn judge(&self, measures: &[MixingMeasure], loss: Loss, progress: &dyn Progress) -> Result<Vec<Judged>> {
        judge(measures, self, loss, progress)
    }

    fn glance(&self, measures: &[MixingMeasure], most: usize, progress: &dyn Progress) -> Result<Vec<Vec<f64>>> {
        glance(measures, self, most, progress)
    }
}

fn judge(
    measures: &[MixingMeasure],
    decompositions: &Decompositions,
    loss: Loss,
    progress: &dyn Progress,
) -> Result<Vec<Judged>> {
    let projection = decompositions.projection();
    let (draws, weights) = (projection.draws(), projection.draw_weights());
    let rows = measures.len();
    let SliceGroups { of_slice, sizes } = projection.slice_groups(rows * draws);
    let groups = sizes.len();
    progress.begin("expected losses", projection.slices() as u64);
    let sums = decompositions.other_costs(measures, Form::Exact, usize::MAX, &of_slice, progress)?;
    let order = projection.order();
    let slices = projection.slices() as f64;
    let shared: Arc<[f64]> = weights.into();
    let judged = |row: usize| {
        let of_group = |group: usize| &sums[(group * rows + row) * draws..][..draws];
        let costs: Vec<f64> = (0..draws).map(|m| (0..groups).map(|g| of_group(g)[m]).sum::<f64>() / slices).collect();
        let slopes: Vec<f64> = costs.iter().zip(weights).map(|(&cost, w)| w * loss.slope(cost, order)).collect();
        let linear = |group: usize| of_group(group).iter().zip(&slopes).map(|(cost, slope)| cost * slope).sum();
        let by_group = (0..groups).map(linear).collect();
        Judged::new(costs, loss, &shared, by_group, sizes.clone())
    };
    Ok((0..rows).map(judged).collect())
}

/// For each measure its mean transport costs to every draw over the first `most` slices, the draws being compressed: for a first idea.
fn glance(
    measures: &[MixingMeasure],
    decompositions: &Decompositions,
    most: usize,
    progress: &dyn Progress,
) -> Result<Vec<Vec<f64>>> {
    let projection = decompositions.projection();
    let count = most.min(projection.slices());
    progress.begin("distances of the fits", count as u64);
    let groups = vec![0; projection.slices()];
    let mut means = decompositions.other_costs(measures, Form::Compressed, count, &groups, progress)?;
    means.iter_mut().for_each(|mean| *mean /= count as f64);
    Ok(means.chunks_exact(projection.draws()).map(<[f64]>::to_vec).collect())
}

impl Judged {
    /// From the mean costs to every draw and what the linearised loss sums to over each group of slices.
    pub(super) fn new(
        costs: Vec<f64>,
        loss: Loss,
        draw_weights: &Arc<[f64]>,
        by_group: Vec<f64>,
        group_sizes: Vec<usize>,
    ) -> Self {
        let draw_weights = Arc::clone(draw_weights);
        let mut judged = Judged { expected_loss: 0.0, loss, draw_weights, costs, by_group, group_sizes };
        judged.expected_loss = judged.losses().sum();
        judged
    }

    /// Weighted loss of every draw, the terms of the expected loss.
    fn losses(&self) -> impl Iterator<Item = f64> + '_ {
        self.costs.iter().zip(&*self.draw_weights).map(|(&cost, w)| w * self.loss.of_cost(cost, Order::TWO))
    }

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
        let terms = self.losses().zip(other.losses()).zip(&*self.draw_weights);
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
