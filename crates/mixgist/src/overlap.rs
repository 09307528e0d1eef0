//! How much two Gaussians overlap: what "near" means wherever atoms of different measures are compared.

use crate::atoms::GaussianAtoms;
use crate::linalg::{cholesky_in_place, solve_lower};

/// Atoms that overlap by this much are near each other: equal shapes at 2.35 standard deviations.
pub(crate) const NEAR: f64 = 0.5;

/// Atoms of a measure that overlap by this much are one atom: equal shapes at 0.09 standard deviations.
pub(crate) const NEARLY_EQUAL: f64 = 0.999;

/// A Gaussian by its parameters.
#[derive(Clone, Copy)]
pub(crate) struct Gaussian<'a> {
    pub(crate) mean: &'a [f64],
    pub(crate) covariance: &'a [f64],
}

/// Bhattacharyya's coefficient ∫ √(f g) of two Gaussians: 1 when they are equal, 0 when they have nothing in common; the same in all
/// coordinates that a linear map gives. Covariances that cannot be factored overlap with nothing.
pub(crate) fn overlap(f: Gaussian, g: Gaussian) -> f64 {
    let d = f.mean.len();
    let of = |gaussian: Gaussian| half_log_det(gaussian.covariance, d);
    let (Some(of_f), Some(of_g)) = (of(f), of(g)) else { return 0.0 };
    overlap_given(f, g, of_f, of_g)
}

/// [`overlap`] of two atoms of stores.
pub(crate) fn overlap_of(a: &GaussianAtoms, k: usize, b: &GaussianAtoms, l: usize) -> f64 {
    overlap(
        Gaussian { mean: a.mean(k), covariance: a.covariance(k) },
        Gaussian { mean: b.mean(l), covariance: b.covariance(l) },
    )
}

/// Whether two Gaussians may overlap by as much as `least`, without a factor: the squared distance g' M⁻¹ g behind [`overlap`] is at least g_a² / M_aa for
/// each coordinate a (Cauchy and Schwarz), and the determinants only lower the overlap.
pub(crate) fn may_overlap(f: Gaussian, g: Gaussian, least: f64) -> bool {
    let d = f.mean.len();
    let most = -8.0 * libm::log(least) * (1.0 + 1e-9);
    (0..d).all(|a| {
        let (gap, variance) = (f.mean[a] - g.mean[a], 0.5 * (f.covariance[a * d + a] + g.covariance[a * d + a]));
        gap * gap <= most * variance
    })
}

/// Half the logarithm of the determinant of a covariance, if it can be factored.
pub(crate) fn half_log_det(covariance: &[f64], d: usize) -> Option<f64> {
    let mut factor = covariance.to_vec();
    cholesky_in_place(&mut factor, d).ok()?;
    Some(half_log_det_of_factor(&factor, d))
}

fn half_log_det_of_factor(factor: &[f64], d: usize) -> f64 {
    (0..d).map(|i| libm::log(factor[i * d + i])).sum()
}

/// [`overlap`] of Gaussians whose determinants are known, as [`half_log_det`] gives them.
pub(crate) fn overlap_given(f: Gaussian, g: Gaussian, of_f: f64, of_g: f64) -> f64 {
    let d = f.mean.len();
    let mut middle: Vec<f64> = f.covariance.iter().zip(g.covariance).map(|(a, b)| 0.5 * (a + b)).collect();
    let mut gap: Vec<f64> = f.mean.iter().zip(g.mean).map(|(a, b)| a - b).collect();
    if cholesky_in_place(&mut middle, d).is_err() {
        return 0.0;
    }
    solve_lower(&middle, d, &mut gap);
    let distance = gap.iter().map(|x| x * x).sum::<f64>() / 8.0;
    // More than that apart the rest need not be known.
    if distance > 50.0 {
        return 0.0;
    }
    libm::exp(-distance - half_log_det_of_factor(&middle, d) + 0.5 * (of_f + of_g)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, standard_normals, stream};

    /// Pairs that are ruled out without a factor overlap by less; most far ones are ruled out.
    #[test]
    fn what_may_not_overlap_does_not() {
        let mut rng = stream(1, Purpose::Simulation, 70);
        for d in [1, 2, 5] {
            let mut ruled_out = 0;
            for _ in 0..500 {
                let mut z = vec![0.0; 2 * (d + d * d)];
                standard_normals(&mut rng, &mut z);
                let covariance = |z: &[f64]| -> Vec<f64> {
                    let entry = |i: usize| (0..d).map(|k| z[i / d * d + k] * z[i % d * d + k]).sum::<f64>();
                    (0..d * d).map(|i| entry(i) + if i % (d + 1) == 0 { 0.1 } else { 0.0 }).collect()
                };
                let (means, rest) = z.split_at(2 * d);
                let covariances = [covariance(&rest[..d * d]), covariance(&rest[d * d..])];
                let means: Vec<f64> = means.iter().map(|x| 2.0 * x).collect();
                let f = Gaussian { mean: &means[..d], covariance: &covariances[0] };
                let g = Gaussian { mean: &means[d..], covariance: &covariances[1] };
                for least in [0.0625, 0.5] {
                    ruled_out += usize::from(!may_overlap(f, g, least));
                    assert!(may_overlap(f, g, least) || overlap(f, g) < least, "{means:?} {covariances:?}");
                }
            }
            assert!(ruled_out > 100, "{ruled_out} in dimension {d}");
        }
    }
}
