//! The posterior mean density with pointwise bands, from all draws.

use rayon::prelude::*;

use crate::density::Grid;
use crate::kernel::LANES;
use crate::mixture::{Evaluator, Mixture};
use crate::{Ensemble, Error, Points, Progress, Result};

/// Each thread holds at most this many bytes of densities of all draws.
const BYTES_PER_THREAD: usize = 1 << 27;

/// Mean and pointwise band of F(y) over the posterior, one entry a point.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PosteriorDensity {
    /// Σ_m weight_m F_m(y).
    pub mean: Vec<f64>,
    /// Lower end of the band: the (1 − level)/2 quantile over the draws.
    pub lower: Vec<f64>,
    /// Upper end of the band: the (1 + level)/2 quantile.
    pub upper: Vec<f64>,
    /// Posterior probability of the band at each point.
    pub level: f64,
}

/// Bytes that [`posterior_density`] takes besides its input, for ensembles of `atoms` atoms in all.
///
/// Kernels of all atoms, three numbers a point, and a block of points × draws for each thread.
pub fn predicted_bytes(dim: usize, atoms: usize, draws: usize, points: usize, threads: usize) -> u64 {
    let kernels = atoms as u64 * (dim * (dim + 3) / 2 + 2) as u64;
    let block = (points_at_once(draws) + 3) as u64 * draws as u64;
    8 * (kernels + 3 * points as u64 + threads as u64 * block)
}

/// Mean and band of the density at given points; `level` between 0 and 1, say 0.9. Draw weights count.
///
/// A quantile is the smallest F_m(y) whose cumulative draw weight reaches it: always the density of a draw.
/// Points in parallel; cost O(d²) a point and atom, plus sorting M numbers a point.
pub fn posterior_density(
    ensemble: &Ensemble,
    points: Points,
    level: f64,
    progress: &dyn Progress,
) -> Result<PosteriorDensity> {
    posterior_marginal(ensemble, &(0..ensemble.dim()).collect::<Vec<_>>(), points, level, progress)
}

/// As [`posterior_density`], on a grid; a grid over some of the coordinates gets the marginal density.
pub fn posterior_density_on_grid(
    ensemble: &Ensemble,
    grid: &Grid,
    level: f64,
    progress: &dyn Progress,
) -> Result<PosteriorDensity> {
    let positions = grid.points();
    posterior_marginal(ensemble, &grid.coordinates(), Points::new(grid.dim(), &positions)?, level, progress)
}

fn posterior_marginal(
    ensemble: &Ensemble,
    coordinates: &[usize],
    points: Points,
    level: f64,
    progress: &dyn Progress,
) -> Result<PosteriorDensity> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::usage(format!("level of the band is {level}, must be between 0 and 1")));
    }
    points.expect_dim(coordinates.len(), "the draws")?;
    let mixture = Mixture::marginal_of(ensemble.weights(), ensemble.atoms(), coordinates)?;
    let draws = ensemble.len();
    let quantiles = Quantiles { weights: ensemble.draw_weights(), low: (1.0 - level) / 2.0, high: (1.0 + level) / 2.0 };
    let mut band = PosteriorDensity {
        mean: vec![0.0; points.len()],
        lower: vec![0.0; points.len()],
        upper: vec![0.0; points.len()],
        level,
    };
    let at_once = points_at_once(draws);
    progress.begin("posterior density", points.len() as u64);
    band.mean
        .par_chunks_mut(at_once)
        .zip(band.lower.par_chunks_mut(at_once))
        .zip(band.upper.par_chunks_mut(at_once))
        .enumerate()
        .try_for_each(|(task, ((mean, lower), upper))| {
            let n = mean.len();
            let mut evaluator = Evaluator::new(&mixture);
            evaluator.load(points.rows(task * at_once..task * at_once + n));
            let mut columns = vec![0.0; n * draws];
            for m in 0..draws {
                if m % 64 == 0 {
                    progress.check()?;
                }
                let densities = evaluator.accumulate(ensemble.range(m)).sums();
                (0..n).for_each(|b| columns[b * draws + m] = densities[b]);
            }
            let mut order = Vec::new();
            for (b, column) in columns.chunks_exact_mut(draws).enumerate() {
                mean[b] = quantiles.mean(column);
                (lower[b], upper[b]) = quantiles.ends(column, &mut order);
            }
            progress.advance(n as u64);
            Ok(())
        })?;
    Ok(band)
}

fn points_at_once(draws: usize) -> usize {
    (BYTES_PER_THREAD / 8 / draws.max(1)).clamp(1, LANES)
}

/// The weights of the draws and the two quantiles wanted.
struct Quantiles<'a> {
    weights: Option<&'a [f64]>,
    low: f64,
    high: f64,
}

impl Quantiles<'_> {
    fn mean(&self, values: &[f64]) -> f64 {
        match self.weights {
            None => values.iter().sum::<f64>() / values.len() as f64,
            Some(weights) => values.iter().zip(weights).map(|(v, w)| v * w).sum(),
        }
    }

    /// The two quantiles; reorders `values`.
    fn ends(&self, values: &mut [f64], order: &mut Vec<(f64, f64)>) -> (f64, f64) {
        match self.weights {
            None => {
                let high = rank(self.high, values.len());
                let low = rank(self.low, values.len());
                let (below, &mut upper, _) = values.select_nth_unstable_by(high, f64::total_cmp);
                let lower = if low == high { upper } else { *below.select_nth_unstable_by(low, f64::total_cmp).1 };
                (lower, upper)
            }
            Some(weights) => {
                order.clear();
                order.extend(values.iter().copied().zip(weights.iter().copied()).filter(|(_, w)| *w > 0.0));
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                (weighted_quantile(order, self.low), weighted_quantile(order, self.high))
            }
        }
    }
}

/// Quantiles within this of a cumulative weight count as equal to it, so that 0.05 of 20 draws is the first, not the second.
const ROUNDING: f64 = 1e-10;

/// Index, in ascending order of n equally weighted values, of the smallest whose cumulative weight reaches q.
fn rank(q: f64, n: usize) -> usize {
    ((q - ROUNDING) * n as f64).ceil().clamp(1.0, n as f64) as usize - 1
}

/// The same for values with weights, ascending.
fn weighted_quantile(ascending: &[(f64, f64)], q: f64) -> f64 {
    let mut cumulative = 0.0;
    for &(value, weight) in ascending {
        cumulative += weight;
        if cumulative >= q - ROUNDING {
            return value;
        }
    }
    ascending[ascending.len() - 1].0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Bounds, GridDensity, Interval};
    use crate::kernel::tests::random_values;
    use crate::mixture::tests::random_measure;
    use crate::{MixingMeasure, Silent};
    use proptest::prelude::*;

    fn draws(dim: usize, count: usize) -> Vec<MixingMeasure> {
        (0..count).map(|m| random_measure(dim, 1 + m % 7, m as u64)).collect()
    }

    #[test]
    fn mean_and_band_are_those_of_the_draws() {
        let measures = draws(2, 40);
        let ensemble = Ensemble::from_measures(&measures).unwrap();
        let values = random_values(2 * 150, 3.0, 2);
        let points = Points::new(2, &values).unwrap();
        let band = posterior_density(&ensemble, points, 0.9, &Silent).unwrap();
        let each: Vec<Vec<f64>> =
            measures.iter().map(|g| Mixture::new(g).unwrap().density(points, &Silent).unwrap()).collect();
        for i in 0..150 {
            let mut column: Vec<f64> = each.iter().map(|f| f[i]).collect();
            column.sort_by(f64::total_cmp);
            // Of 40 draws the 5 % quantile is the second, the 95 % quantile the 38th.
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-13 * b;
            assert!(close(band.lower[i], column[1]) && close(band.upper[i], column[37]));
            assert!(close(band.mean[i], column.iter().sum::<f64>() / 40.0));
        }
    }

    #[test]
    fn equal_draw_weights_change_nothing_and_zero_weights_drop_a_draw() {
        let measures = draws(1, 30);
        let ensemble = Ensemble::from_measures(&measures).unwrap();
        let values = random_values(100, 3.0, 2);
        let points = Points::new(1, &values).unwrap();
        let plain = posterior_density(&ensemble, points, 0.8, &Silent).unwrap();
        let equal =
            posterior_density(&ensemble.clone().with_draw_weights(&[2.0; 30]).unwrap(), points, 0.8, &Silent).unwrap();
        assert_eq!((&plain.lower, &plain.upper), (&equal.lower, &equal.upper));

        let mut weights = vec![1.0; 30];
        weights[20..].fill(0.0);
        let some = posterior_density(&ensemble.with_draw_weights(&weights).unwrap(), points, 0.8, &Silent).unwrap();
        let first =
            posterior_density(&Ensemble::from_measures(&measures[..20]).unwrap(), points, 0.8, &Silent).unwrap();
        assert_eq!((&some.lower, &some.upper), (&first.lower, &first.upper));
        for (a, b) in some.mean.iter().zip(&first.mean) {
            assert!((a - b).abs() <= 1e-14 * b);
        }
    }

    #[test]
    fn one_draw_is_its_own_band_on_any_grid() {
        let measure = random_measure(3, 4, 1);
        let ensemble = Ensemble::from_measures(std::slice::from_ref(&measure)).unwrap();
        let bounds = Bounds::new(vec![Interval { low: -5.0, high: 5.0 }; 3]).unwrap();
        for grid in bounds.marginal_grids(20).unwrap().iter().chain(&bounds.pairwise_grids(20).unwrap()) {
            let band = posterior_density_on_grid(&ensemble, grid, 0.5, &Silent).unwrap();
            let density = GridDensity::of_measure(&measure, grid, &Silent).unwrap();
            assert_eq!(band.lower, band.upper);
            for (a, b) in band.mean.iter().zip(density.values()) {
                assert!((a - b).abs() <= 1e-13 * b);
            }
        }
    }

    #[test]
    fn threads_change_no_bit_and_memory_is_predicted() {
        let ensemble = Ensemble::from_measures(&draws(2, 25)).unwrap();
        let values = random_values(2000, 3.0, 2);
        let points = Points::new(2, &values).unwrap();
        let band = posterior_density(&ensemble, points, 0.9, &Silent).unwrap();
        let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(band, single.install(|| posterior_density(&ensemble, points, 0.9, &Silent)).unwrap());
        assert_eq!(predicted_bytes(2, 100, 25, 1000, 2), 8 * (100 * 7 + 3000 + 2 * 67 * 25));
        assert!(predicted_bytes(2, 20_000_000, 1_000_000, 10_000, 2) < 2_000_000_000);
    }

    #[test]
    fn senseless_levels_and_dimensions_are_refused() {
        let ensemble = Ensemble::from_measures(&draws(2, 2)).unwrap();
        let plane = Points::new(2, &[0.0, 0.0]).unwrap();
        for level in [0.0, 1.0, -1.0, f64::NAN] {
            let error = posterior_density(&ensemble, plane, level, &Silent).unwrap_err();
            assert!(error.to_string().contains("must be between 0 and 1"));
        }
        let error = posterior_density(&ensemble, Points::new(1, &[0.0]).unwrap(), 0.9, &Silent).unwrap_err();
        assert_eq!(error.to_string(), "points have dimension 1, the draws dimension 2");
    }

    proptest! {
        #[test]
        fn selection_and_sorting_give_the_same_quantiles(
            values in prop::collection::vec(0.0..1.0f64, 1..60), level in 0.01..0.99f64,
        ) {
            let weights = vec![1.0 / values.len() as f64; values.len()];
            let (low, high) = ((1.0 - level) / 2.0, (1.0 + level) / 2.0);
            let mut order = Vec::new();
            let plain = Quantiles { weights: None, low, high }.ends(&mut values.clone(), &mut order);
            let weighted = Quantiles { weights: Some(&weights), low, high }.ends(&mut values.clone(), &mut order);
            prop_assert_eq!(plain, weighted);
        }
    }
}
