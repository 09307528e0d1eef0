//! How far the density of an estimate is from the densities of the draws, in total variation.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::mixture::Mixture;
use crate::points::Points;
use crate::progress::{Progress, Silent};
use crate::simulate::sample_points;

/// Mean total variation distance between the density of a measure and those of the draws.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExpectedVariation {
    /// The mean over the draws: 0 for equal densities, 1 for such that have nothing in common.
    pub mean: f64,
    /// Its standard error over the draws that were looked at and the points at which densities were compared.
    pub standard_error: f64,
}

/// Draws that are looked at.
const DRAWS: usize = 200;

/// Points from each of the two densities that are compared.
const POINTS: usize = 100;

/// The lightest atoms of a measure, up to this mass in all, are left out.
const LIGHT_MASS: f64 = 1e-3;

/// Expected total variation: the mean of ½ ∫ |f − f_m| over the draws, for the density f of a measure and f_m of a draw. At points from ½ (f + f_m) the mean of
/// |f − f_m| / (f + f_m) is that integral without bias. The points from a draw are the same for every measure that is compared with it.
///
/// Cost: 200 densities at each of 200 points, of at most 200 draws.
pub fn expected_variation(
    measure: &MixingMeasure,
    ensemble: &Ensemble,
    seed: u64,
    progress: &dyn Progress,
) -> Result<ExpectedVariation> {
    let own = Mixture::new(&without_light(measure)?)?;
    let some = ensemble.spread(DRAWS);
    let one = |&(m, _): &(usize, f64)| -> Result<f64> {
        progress.check()?;
        let other = Mixture::new(&without_light(&ensemble.draw(m))?).map_err(|error| error.at_draw(m))?;
        let of = |mixture: &Mixture, side: u64| {
            let seed = seed.wrapping_mul(2).wrapping_add(side).wrapping_add((m as u64) << 32);
            Ok::<_, crate::Error>(sample_points(mixture, POINTS, seed, &Silent)?.values)
        };
        let values = [of(&own, 0)?, of(&other, 1)?].concat();
        let points = Points::new(ensemble.dim(), &values)?;
        let (f, g) = (own.log_density(points, &Silent)?, other.log_density(points, &Silent)?);
        // |f − g| / (f + g), also where both are too small to be told from 0.
        let part = |(f, g): (&f64, &f64)| libm::tanh(0.5 * (f - g).abs());
        Ok(f.iter().zip(&g).map(part).sum::<f64>() / f.len() as f64)
    };
    let all: Vec<f64> = some.par_iter().map(one).collect::<Result<_>>()?;
    let mean = all.iter().zip(&some).map(|(x, (_, w))| w * x).sum::<f64>();
    let error = all.iter().zip(&some).map(|(x, (_, w))| (w * (x - mean)).powi(2)).sum::<f64>().sqrt();
    Ok(ExpectedVariation { mean, standard_error: error })
}

/// The measure without its lightest atoms.
fn without_light(measure: &MixingMeasure) -> Result<MixingMeasure> {
    let weights = measure.weights();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(a.cmp(&b)));
    let mut left_out = 0.0;
    order.retain(|&k| {
        left_out += weights[k];
        left_out > LIGHT_MASS
    });
    order.sort_unstable();
    MixingMeasure::new(order.iter().map(|&k| weights[k]).collect(), measure.atoms().select(order.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, standard_normals, stream};
    use crate::{CovarianceForm, GaussianAtoms};

    fn normal(mean: f64, dim: usize) -> MixingMeasure {
        let means = (0..dim).map(|a| if a == 0 { mean } else { 0.0 }).collect();
        let atoms = GaussianAtoms::new(dim, means, vec![1.0; dim], CovarianceForm::Diagonal).unwrap();
        MixingMeasure::new(vec![1.0], atoms).unwrap()
    }

    /// Two normal densities of variance 1 whose means are δ apart have the total variation 2 Φ(δ / 2) − 1 = erf(δ / √8), in any dimension.
    #[test]
    fn it_is_the_closed_form_for_normal_densities() {
        for dim in [1, 2, 10] {
            let mut z = vec![0.0; 150];
            standard_normals(&mut stream(3, Purpose::Simulation, dim as u64), &mut z);
            let draws: Vec<MixingMeasure> = z.iter().map(|&z| normal(z, dim)).collect();
            let ensemble = Ensemble::from_measures(&draws).unwrap();
            let truth = z.iter().map(|z| libm::erf(z.abs() / 8f64.sqrt())).sum::<f64>() / 150.0;
            let found = expected_variation(&normal(0.0, dim), &ensemble, 1, &Silent).unwrap();
            // 30,000 points, each part within 0 and 1 with a standard deviation below 0.3: 5 standard errors are 0.009.
            assert!((found.mean - truth).abs() < 0.009, "{found:?}, {truth}");
            assert!(found.standard_error > 0.005 && found.standard_error < 0.05, "{found:?}");
        }
    }

    /// The same densities are 0 apart, such without anything in common 1, also where densities are too small for a number.
    #[test]
    fn its_ends_are_zero_and_one() {
        let ensemble = Ensemble::from_measures(&[normal(2.0, 3), normal(2.0, 3)]).unwrap();
        let same = expected_variation(&normal(2.0, 3), &ensemble, 1, &Silent).unwrap();
        assert!(same.mean < 1e-12 && same.standard_error < 1e-12, "{same:?}");
        let far = expected_variation(&normal(1e6, 3), &ensemble, 1, &Silent).unwrap();
        assert!((far.mean - 1.0).abs() < 1e-12, "{far:?}");
    }

    /// Draws count by their weight, and the lightest atoms change next to nothing.
    #[test]
    fn draws_count_by_their_weight() {
        let draws = [normal(0.0, 1), normal(100.0, 1)];
        let weighted = Ensemble::from_measures(&draws).unwrap().with_draw_weights(&[0.9, 0.1]).unwrap();
        let found = expected_variation(&normal(0.0, 1), &weighted, 1, &Silent).unwrap();
        assert!((found.mean - 0.1).abs() < 1e-9, "{found:?}");
        let atoms = GaussianAtoms::new(1, vec![0.0, 50.0], vec![1.0; 2], CovarianceForm::Covariance).unwrap();
        let dusty = MixingMeasure::new(vec![0.9995, 0.0005], atoms).unwrap();
        assert!((expected_variation(&dusty, &weighted, 1, &Silent).unwrap().mean - 0.1).abs() < 1e-9);
    }
}
