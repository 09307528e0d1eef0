//! The sliced distance as a value: frozen slices and an order, ready to compare measures.

use super::matrix::{Condensed, DistanceMatrix, distance_matrix};
use super::rows::Decompositions;
use crate::Result;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::{Order, transport_cost};
use crate::loss::Loss;
use crate::progress::Progress;
use crate::projection::Projection;
use crate::prune::Pruning;
use crate::slice::Slices;
use crate::slice_error::BatchSums;
use crate::work::{Away, Form, Study, Workers};

/// A distance with its Monte Carlo error over slices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// ((1/L) Σ_l W_p^p(slice l))^(1/p).
    pub value: f64,
    /// Standard error over slices; `None` with a single slice or group of dependent slices.
    pub standard_error: Option<f64>,
}

/// A sliced distance of order p over frozen slices.
pub struct SlicedDistance<'a> {
    slices: &'a dyn Slices,
    order: Order,
    pruning: Pruning,
    away: Option<(&'a dyn Workers, Study)>,
}

impl<'a> SlicedDistance<'a> {
    /// The distance over these slices.
    pub fn new(slices: &'a dyn Slices, order: Order) -> Self {
        SlicedDistance { slices, order, pruning: Pruning::default(), away: None }
    }

    /// With another rule for pruning.
    #[must_use]
    pub fn with_pruning(self, pruning: Pruning) -> Self {
        SlicedDistance { pruning, ..self }
    }

    /// With workers who know the draws; what is asked of other measures is computed here.
    #[must_use]
    pub(crate) fn with_workers(self, away: Option<(&'a dyn Workers, Study)>) -> Self {
        SlicedDistance { away, ..self }
    }

    /// The ensemble, whose draws any workers know, bound to the slices.
    pub(crate) fn project(&self, ensemble: &Ensemble) -> Result<Projection<'a>> {
        let away = self.away.as_ref().map(|(workers, study)| Away { workers: *workers, study: study.clone() });
        Ok(self.project_here(ensemble)?.with_workers(away))
    }

    /// Any measures bound to the slices.
    fn project_here(&self, ensemble: &Ensemble) -> Result<Projection<'a>> {
        Projection::new(ensemble, self.slices, self.order, self.pruning)
    }

    /// Between two measures. Cost O(L K log K).
    pub fn between(&self, a: &MixingMeasure, b: &MixingMeasure) -> Result<Distance> {
        let pair = Ensemble::from_measures(&[a.clone(), b.clone()])?;
        let projection = self.project_here(&pair)?;
        let mut costs = Vec::with_capacity(self.slices.len());
        projection.stream(
            &projection.batches(),
            &crate::Silent,
            |lines| transport_cost(lines.draw(0), lines.draw(1), self.order),
            |_, batch| {
                costs.extend(batch);
                Ok(())
            },
        )?;
        let cost = costs.iter().sum::<f64>() / costs.len() as f64;
        let groups = projection.independent_batches();
        let mut sums = BatchSums::default();
        groups.iter().for_each(|group| sums.add(group.iter().map(|&slice| costs[slice]).sum(), group.len()));
        let error = sums.standard_error(costs.len(), groups.len()) * self.order.root_slope(cost);
        Ok(Distance { value: self.order.root(cost), standard_error: (groups.len() > 1).then_some(error) })
    }

    /// From one measure to every draw. Cost O(L M K log K).
    pub fn to_draws(
        &self,
        measure: &MixingMeasure,
        ensemble: &Ensemble,
        progress: &dyn Progress,
    ) -> Result<Vec<Distance>> {
        let projection = self.project(ensemble)?;
        let groups = projection.slice_groups(ensemble.len());
        let mut sums = vec![BatchSums::default(); ensemble.len()];
        let by_group = other_costs(std::slice::from_ref(measure), &projection, &groups.of_slice, progress)?;
        let by_group: Vec<&[f64]> = by_group.chunks_exact(ensemble.len()).collect();
        for (costs, &size) in by_group.iter().zip(&groups.sizes) {
            sums.iter_mut().zip(*costs).for_each(|(sums, cost)| sums.add(*cost, size));
        }
        let slices = self.slices.len();
        let distance = |sums: &BatchSums| {
            let cost = sums.mean(slices);
            let error = sums.standard_error(slices, by_group.len()) * self.order.root_slope(cost);
            Distance { value: self.order.root(cost), standard_error: (by_group.len() > 1).then_some(error) }
        };
        Ok(sums.iter().map(distance).collect())
    }

    /// From some of the draws to every draw: `rows.len()` × M distances. One pass over the slices for p = 2.
    pub fn draw_rows(&self, rows: &[usize], ensemble: &Ensemble, progress: &dyn Progress) -> Result<Vec<f64>> {
        if self.order != Order::TWO {
            let row = |&m: &usize| self.to_draws(&ensemble.draw(m), ensemble, progress);
            let rows = rows.iter().map(row).collect::<Result<Vec<_>>>()?;
            return Ok(rows.concat().iter().map(|distance| distance.value).collect());
        }
        let projection = self.project(ensemble)?;
        progress.begin("distances", self.slices.len() as u64);
        let costs = Decompositions::row_costs_once(&projection, rows, progress)?;
        Ok(costs.iter().map(|cost| self.order.root(cost.max(0.0))).collect())
    }

    /// Expected losses of several estimates, which need not be draws: for each its mean loss over the draws.
    ///
    /// All estimates share one pass over the slices.
    pub fn expected_losses(
        &self,
        estimates: &[MixingMeasure],
        ensemble: &Ensemble,
        loss: Loss,
        progress: &dyn Progress,
    ) -> Result<Vec<f64>> {
        let weights = crate::effective::draw_weights(ensemble);
        let mean_loss = |costs: Vec<f64>| {
            let losses = costs.iter().map(|&cost| loss.of_cost(cost, self.order));
            losses.zip(&weights).map(|(loss, weight)| loss * weight).sum()
        };
        Ok(self.mean_costs(estimates, ensemble, progress)?.into_iter().map(mean_loss).collect())
    }

    /// Distances from several measures, which need not be draws, to every draw: for each measure M numbers.
    ///
    /// All measures share one pass over the slices.
    pub fn rows(
        &self,
        measures: &[MixingMeasure],
        ensemble: &Ensemble,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<f64>>> {
        let mut rows = self.mean_costs(measures, ensemble, progress)?;
        rows.iter_mut().flatten().for_each(|cost| *cost = self.order.root(*cost));
        Ok(rows)
    }

    /// Mean transport costs over slices from each of the measures to every draw.
    fn mean_costs(
        &self,
        measures: &[MixingMeasure],
        ensemble: &Ensemble,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<f64>>> {
        let projection = self.project(ensemble)?;
        let sums = other_costs(measures, &projection, &vec![0; self.slices.len()], progress)?;
        let slices = self.slices.len() as f64;
        let row = |sums: &[f64]| sums.iter().map(|sum| sum / slices).collect();
        Ok(sums.chunks_exact(ensemble.len()).map(row).collect())
    }

    /// Between all pairs of draws.
    ///
    /// Cost O(L M² K) with a small constant for p = 2; memory 16 bytes a pair, refused at once when there is less.
    pub fn matrix(&self, ensemble: &Ensemble, progress: &dyn Progress) -> Result<DistanceMatrix> {
        let projection = self.project(ensemble)?;
        progress.begin("distance matrix", self.slices.len() as u64);
        distance_matrix(&projection, progress)
    }

    /// Bytes that [`SlicedDistance::matrix`] over so many slices takes at most besides the draws, known before it starts.
    pub fn predicted_matrix_bytes(ensemble: &Ensemble, slices: usize) -> u64 {
        let (dim, atoms, draws) = (ensemble.dim(), ensemble.weights().len(), ensemble.len());
        Self::matrix_bytes(draws) as u64 + crate::projection::predicted_bytes(dim, atoms, draws, slices as u64)
    }

    /// Number of bytes that [`SlicedDistance::matrix`] returns for this many draws.
    pub fn matrix_bytes(draws: usize) -> usize {
        2 * size_of::<f64>() * (draws * draws.saturating_sub(1) / 2) + 2 * size_of::<Condensed>()
    }
}

/// Transport costs from each of the measures to every draw, summed over each group of slices.
fn other_costs(
    measures: &[MixingMeasure],
    projection: &Projection,
    groups: &[usize],
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    progress.begin("distances to all draws", projection.slices() as u64);
    Decompositions::new(projection, Form::Exact).other_costs(measures, Form::Exact, usize::MAX, groups, progress)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::slice::{Freeze, Scheme, slicer};

    #[test]
    fn expected_losses_are_mean_losses_over_the_draws() {
        let means: Vec<f64> = (0..24).map(|i| f64::from(i * i % 7)).collect();
        let variances: Vec<f64> = (0..24).map(|i| 0.5 + f64::from(i % 5)).collect();
        let weights: Vec<f64> = (0..24).map(|i| 1.0 + f64::from(i % 3)).collect();
        let draws = Ensemble::builder(1)
            .atoms_per_draw(2)
            .weights(&weights)
            .means(&means)
            .covariances(&variances)
            .build()
            .unwrap();
        let draws = draws.with_draw_weights(&(1..=12).map(f64::from).collect::<Vec<_>>()).unwrap();
        let estimates = [draws.draw(3), draws.draw(7)];
        let slices = slicer("mix-sw").unwrap().freeze(&Freeze { dim: 1, slices: 0..40, seed: 2, scheme: Scheme::Iid });
        for p in [1.0, 2.0, 3.0] {
            let distance = SlicedDistance::new(&*slices, Order::new(p).unwrap());
            for loss in [Loss::Distance, Loss::Power] {
                let losses = distance.expected_losses(&estimates, &draws, loss, &Silent).unwrap();
                for (estimate, got) in estimates.iter().zip(losses) {
                    let to_draws = distance.to_draws(estimate, &draws, &Silent).unwrap();
                    let power = if loss == Loss::Power { p } else { 1.0 };
                    let mean = to_draws.iter().zip(draws.draw_weights().unwrap());
                    let expected: f64 = mean.map(|(d, w)| d.value.powf(power) * w).sum();
                    assert!((got - expected).abs() < 1e-10 * expected, "{got} against {expected}");
                }
            }
        }
    }
}
