//! Which prior a set of draws follows, read off the sticks that are empty in every draw: there the atoms come from the prior.

use crate::evaluate::Posterior;
use crate::model::{DIM, NU, STICKS};
use crate::score::Spread;

/// The sticks that are looked at, counted from 0: behind all clusters, and far from the last ones, whose weights are lost in rounding.
const EMPTY: std::ops::Range<usize> = STICKS / 2..STICKS - 20;

/// Estimates with their standard errors as `sd`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriorEstimates {
    /// The diagonal of Ψ.
    pub scale: [Spread; DIM],
    /// λ.
    pub lambda: Spread,
    /// α.
    pub alpha: Spread,
}

/// From the empty sticks; `None` when somebody may sit on one, going by its weight, or when the draws are not truncated at [`STICKS`].
///
/// (Σ⁻¹)_jj Ψ_jj is χ² with ν degrees of freedom (the diagonal of a Wishart matrix), λ (μ − μ0)ᵀ Σ⁻¹ (μ − μ0) is χ² with d, and −log(1 − v) of a
/// stick fraction v is exponential with rate α. Each parameter is the known mean divided by the observed one.
pub fn prior_estimates(posterior: &Posterior) -> Option<PriorEstimates> {
    let ensemble = &posterior.ensemble;
    let empty = |m: usize| {
        let weights = &ensemble.weights()[ensemble.range(m)];
        weights.len() == STICKS && weights[EMPTY.start..].iter().sum::<f64>() < 1e-4
    };
    if !(0..ensemble.len()).all(empty) {
        return None;
    }
    let mean = posterior.observations.prior.mean;
    let [mut first, mut second, mut squares, mut rates] = [const { Vec::new() }; 4];
    for m in 0..ensemble.len() {
        let sticks = ensemble.range(m);
        // what is left of the stick behind each of them, summed from the end, where nothing cancels
        let mut behind: f64 = ensemble.weights()[sticks.start + EMPTY.end..sticks.end].iter().sum();
        for k in EMPTY.rev().map(|k| sticks.start + k) {
            let c = ensemble.atoms().covariance(k);
            let determinant = c[0] * c[3] - c[1] * c[2];
            first.push(c[3] / determinant);
            second.push(c[0] / determinant);
            let (u, v) = (ensemble.atoms().mean(k)[0] - mean[0], ensemble.atoms().mean(k)[1] - mean[1]);
            squares.push((c[3] * u * u - 2.0 * c[1] * u * v + c[0] * v * v) / determinant);
            rates.push((ensemble.weights()[k] / behind).ln_1p());
            behind += ensemble.weights()[k];
        }
    }
    let divided = |known: f64, values: &[f64]| {
        let spread = Spread::of(values)?;
        let value = known / spread.mean;
        Some(Spread { mean: value, sd: value * spread.sd / spread.mean / (spread.count as f64).sqrt(), ..spread })
    };
    Some(PriorEstimates {
        scale: [divided(NU, &first)?, divided(NU, &second)?],
        lambda: divided(DIM as f64, &squares)?,
        alpha: divided(1.0, &rates)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ALPHA, LAMBDA, Length, old_faithful};
    use crate::plain_chain::{Start, plain_chain};

    /// The empty sticks of the plain chain are draws from the prior: four parameters within 5 standard errors, false alarms 3e-6.
    #[test]
    fn empty_sticks_tell_the_prior() {
        let observations = old_faithful();
        let length = Length { iterations: 80, burn_in: 40 };
        let draws = plain_chain(&observations.values, observations.prior, length, Start::TenClusters, 3).unwrap();
        let partitions = mixgist::PartitionDraws::from_dense(272, &draws.labels).unwrap();
        let posterior = Posterior { observations, ensemble: draws.ensemble, partitions, seed: 0 };
        let found = prior_estimates(&posterior).unwrap();
        for (estimate, truth) in
            [(found.scale[0], 4.0), (found.scale[1], 36.0), (found.lambda, LAMBDA), (found.alpha, ALPHA)]
        {
            assert!((estimate.mean - truth).abs() < 5.0 * estimate.sd, "{estimate:?} against {truth}");
            assert!(estimate.sd < 0.1 * truth);
        }
    }
}
