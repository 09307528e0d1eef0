//! Distances between densities on the paper's grid: one density against many, all slices shared.

use std::f64::consts::PI;

use mixgist::density::{Bounds, Grid};
use mixgist::{GaussianAtoms, MixingMeasure, Mixture, Points, Result, Silent};
use rayon::prelude::*;

use crate::score::Spread;

/// Directions of the sliced W_2 in the plane, equally spaced. W_2² is a smooth periodic function of the angle, so that the midpoint rule
/// with 16 angles is closer to the integral than 1000 random directions (bound by a test).
const ANGLES: usize = 16;

/// Positions on a slice are rounded to this many bins.
const BINS: usize = 1024;

/// Atoms lighter than this are not seen on a grid.
const INVISIBLE: f64 = 1e-12;

/// The grid of the paper, 100 × 100 over (min y − 1, max y + 1), and how its points fall on the slices.
pub struct GridSlices {
    grid: Grid,
    points: Vec<f64>,
    slices: Vec<Slice>,
}

struct Slice {
    bins: Vec<u32>,
    width: f64,
}

/// A density on the grid: probabilities, and the masses in the bins of every slice.
pub struct GridMass {
    probabilities: Vec<f64>,
    masses: Vec<f64>,
}

/// How far apart two densities are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DensityDistance {
    /// ½ Σ |p − q|.
    pub total_variation: f64,
    /// Sliced W_2.
    pub sliced_w2: f64,
    /// Variance of the latter with one random direction instead, to first order; in a mean over many pairs, that of the mean.
    pub sliced_w2_variance: f64,
}

impl GridSlices {
    /// The grid over these data.
    pub fn over(data: Points) -> Result<Self> {
        let grid = Bounds::of_points(data)?.grid(&[0, 1], 100)?;
        let points = grid.points();
        let slices = (0..ANGLES).map(|t| Slice::new(&points, PI * (t as f64 + 0.5) / ANGLES as f64)).collect();
        Ok(GridSlices { grid, points, slices })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The density of a measure.
    pub fn of_measure(&self, measure: &MixingMeasure) -> Result<GridMass> {
        Ok(self.mass(&self.density(measure)?))
    }

    /// F of a measure at the grid points.
    pub fn density(&self, measure: &MixingMeasure) -> Result<Vec<f64>> {
        Mixture::new(&visible(measure)?)?.density(Points::new(2, &self.points)?, &Silent)
    }

    /// Any function that is known at the grid points.
    pub fn mass(&self, values: &[f64]) -> GridMass {
        let total: f64 = values.iter().sum();
        let probabilities: Vec<f64> = values.iter().map(|v| v / total).collect();
        let mut masses = vec![0.0; ANGLES * BINS];
        for (slice, masses) in self.slices.iter().zip(masses.chunks_exact_mut(BINS)) {
            for (p, &bin) in probabilities.iter().zip(&slice.bins) {
                masses[bin as usize] += p;
            }
        }
        GridMass { probabilities, masses }
    }

    /// The grid points.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// Between two densities.
    pub fn between(&self, a: &GridMass, b: &GridMass) -> DensityDistance {
        let difference: f64 = a.probabilities.iter().zip(&b.probabilities).map(|(p, q)| (p - q).abs()).sum();
        let costs = self.slices.iter().zip(a.masses.chunks_exact(BINS).zip(b.masses.chunks_exact(BINS)));
        let costs: Vec<f64> = costs.map(|(slice, (p, q))| slice.width * slice.width * bin_cost(p, q)).collect();
        let cost = Spread::of(&costs).map_or(0.0, |spread| spread.mean);
        let variance = Spread::of(&costs).map_or(0.0, |spread| spread.sd * spread.sd);
        DensityDistance {
            total_variation: 0.5 * difference,
            sliced_w2: cost.sqrt(),
            sliced_w2_variance: if cost > 0.0 { variance / (4.0 * cost) } else { 0.0 },
        }
    }

    /// For each of the estimates the mean distance to the densities of many measures.
    pub fn expected(&self, estimates: &[GridMass], draws: &[MixingMeasure]) -> Result<Vec<DensityDistance>> {
        let rows: Vec<Vec<DensityDistance>> = draws
            .par_iter()
            .map(|draw| {
                let own = self.of_measure(draw)?;
                Ok(estimates.iter().map(|estimate| self.between(estimate, &own)).collect())
            })
            .collect::<Result<_>>()?;
        let mut means = vec![DensityDistance::default(); estimates.len()];
        let count = rows.len() as f64;
        for row in &rows {
            for (mean, distance) in means.iter_mut().zip(row) {
                mean.total_variation += distance.total_variation / count;
                mean.sliced_w2 += distance.sliced_w2 / count;
                mean.sliced_w2_variance += distance.sliced_w2_variance / (count * count);
            }
        }
        Ok(means)
    }
}

impl Slice {
    fn new(points: &[f64], angle: f64) -> Self {
        let (sine, cosine) = angle.sin_cos();
        let positions: Vec<f64> = points.chunks_exact(2).map(|x| x[0] * cosine + x[1] * sine).collect();
        let low = positions.iter().copied().fold(f64::INFINITY, f64::min);
        let high = positions.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = (high - low) / (BINS - 1) as f64;
        let bins = positions.iter().map(|x| (((x - low) / width).round() as u32).min(BINS as u32 - 1)).collect();
        Slice { bins, width }
    }
}

/// W_2² between two histograms on the same bins of width 1: mass left to right, what fits first.
fn bin_cost(p: &[f64], q: &[f64]) -> f64 {
    let (mut i, mut j, mut cost) = (0, 0, 0.0);
    let (mut left_p, mut left_q) = (p[0], q[0]);
    loop {
        let way = i as f64 - j as f64;
        if left_p <= left_q {
            cost += left_p * (way * way);
            left_q -= left_p;
            i += 1;
            if i == p.len() {
                return cost;
            }
            left_p = p[i];
        } else {
            cost += left_q * (way * way);
            left_p -= left_q;
            j += 1;
            if j == q.len() {
                return cost;
            }
            left_q = q[j];
        }
    }
}

/// The measure without atoms that no grid shows and no distance feels.
pub fn visible(measure: &MixingMeasure) -> Result<MixingMeasure> {
    let kept: Vec<usize> = (0..measure.len()).filter(|&k| measure.weights()[k] >= INVISIBLE).collect();
    let means = kept.iter().flat_map(|&k| measure.atoms().mean(k).to_vec()).collect();
    let covariances = kept.iter().flat_map(|&k| measure.atoms().covariance(k).to_vec()).collect();
    let atoms = GaussianAtoms::new(measure.dim(), means, covariances, Default::default())?;
    let total: f64 = kept.iter().map(|&k| measure.weights()[k]).sum();
    MixingMeasure::new(kept.iter().map(|&k| measure.weights()[k] / total).collect(), atoms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{STICK_WEIGHTS, four_gaussians, simulated};
    use mixgist::GridDensity;
    use mixgist::density::{sliced_w2, total_variation};

    /// Sixteen angles and bins against the core's exact transport along 4000 random directions: 4 standard errors and 0.2 %; the first
    /// alone has a false-alarm rate of 6e-5.
    #[test]
    fn few_angles_and_bins_are_as_good_as_many_exact_slices() {
        let data = simulated(0).unwrap().values;
        let slices = GridSlices::over(Points::new(2, &data).unwrap()).unwrap();
        let (a, b) = (four_gaussians([0.25; 4]).unwrap(), four_gaussians(STICK_WEIGHTS).unwrap());
        let got = slices.between(&slices.of_measure(&a).unwrap(), &slices.of_measure(&b).unwrap());
        let on_grid = |measure| GridDensity::of_measure(measure, slices.grid(), &Silent).unwrap();
        let (a, b) = (on_grid(&a), on_grid(&b));
        assert!((got.total_variation - total_variation(&a, &b).unwrap()).abs() < 1e-9);
        let exact = sliced_w2(&a, &b, 4000, 1, &Silent).unwrap();
        let error = exact.transport_cost_se / (2.0 * exact.distance);
        let bound = 4.0 * error + 0.002 * exact.distance;
        assert!((got.sliced_w2 - exact.distance).abs() < bound, "{got:?} against {exact:?}");
    }
}
