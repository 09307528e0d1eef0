//! Ground metrics: how far two Gaussian atoms are apart on the product of the means and the covariances.

use crate::linalg::{cholesky_in_place, eigen_symmetric, log_spd, solve_lower};
use crate::text;
use crate::text::index;
use crate::{Error, GaussianAtoms, Result};

/// d(θ_1, θ_2) = √(‖μ_1 − μ_2‖² + d_Σ(Σ_1, Σ_2)²) with a geometry d_Σ on covariances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroundMetric {
    /// d_Σ = ‖log Σ_1 − log Σ_2‖_F: the paper's metric on the product manifold, peer of `mix-sw`.
    #[default]
    LogEuclidean,
    /// d_Σ = ‖Σ_1 − Σ_2‖_F: Euclidean in (μ, vec Σ), peer of `sw`.
    Frobenius,
    /// d_Σ = ‖log(Σ_1^{-1/2} Σ_2 Σ_1^{-1/2})‖_F: unchanged by linear maps of the data.
    AffineInvariant,
}

/// More pairs of atoms than this are refused: the cost matrix alone would take gigabytes.
const MOST_PAIRS: usize = 100_000_000;

impl GroundMetric {
    /// Squared distances between all atoms of two stores, K_1 × K_2.
    ///
    /// Cost O(K_1 K_2 d²), for `AffineInvariant` O(K_1 K_2 d³).
    pub fn squared_distances(self, a: &GaussianAtoms, b: &GaussianAtoms) -> Result<Vec<f64>> {
        check_pairs(a, b)?;
        match self {
            Self::LogEuclidean => Ok(euclidean(a, b, |atoms, k, out| log_spd(atoms.covariance(k), atoms.dim(), out))),
            Self::Frobenius => Ok(euclidean(a, b, |atoms, k, out| out.copy_from_slice(atoms.covariance(k)))),
            Self::AffineInvariant => affine_invariant(a, b),
        }
    }
}

/// Error unless both stores have one dimension and their pairs can be held.
pub(super) fn check_pairs(a: &GaussianAtoms, b: &GaussianAtoms) -> Result<()> {
    if a.dim() != b.dim() {
        return Err(Error::input(format!(
            "the measures have dimensions {} and {}, must have the same",
            a.dim(),
            b.dim()
        )));
    }
    if a.len().saturating_mul(b.len()) > MOST_PAIRS {
        return Err(Error::resource(format!("exact distances need all {} × {} pairs of atoms", a.len(), b.len()))
            .hint("prune atoms of negligible weight, or use a sliced distance"));
    }
    Ok(())
}

/// Squared Euclidean distances of (μ, M) for a matrix M of each atom.
fn euclidean(a: &GaussianAtoms, b: &GaussianAtoms, matrix: impl Fn(&GaussianAtoms, usize, &mut [f64])) -> Vec<f64> {
    let width = width(a.dim());
    let coordinates = |atoms: &GaussianAtoms| {
        let mut out = Vec::with_capacity(atoms.len() * width);
        (0..atoms.len()).for_each(|k| push_coordinates(atoms, k, &matrix, &mut out));
        out
    };
    let (x, y) = (coordinates(a), coordinates(b));
    let mut out = Vec::with_capacity(a.len() * b.len());
    for x in x.chunks_exact(width) {
        out.extend(y.chunks_exact(width).map(|y| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>()));
    }
    out
}

/// Numbers that an atom of dimension `d` takes when it is a point of a Euclidean space.
pub(crate) fn width(d: usize) -> usize {
    d + d * (d + 1) / 2
}

/// The atoms as points of a Euclidean space whose distance is the log-Euclidean ground metric, [`width`] numbers each.
pub(crate) fn log_euclidean_coordinates(atoms: &GaussianAtoms) -> Vec<f64> {
    let mut out = Vec::with_capacity(atoms.len() * width(atoms.dim()));
    let matrix = |atoms: &GaussianAtoms, k: usize, out: &mut [f64]| log_spd(atoms.covariance(k), atoms.dim(), out);
    (0..atoms.len()).for_each(|k| push_coordinates(atoms, k, &matrix, &mut out));
    out
}

fn push_coordinates(
    atoms: &GaussianAtoms,
    k: usize,
    matrix: &impl Fn(&GaussianAtoms, usize, &mut [f64]),
    out: &mut Vec<f64>,
) {
    let d = atoms.dim();
    let mut full = vec![0.0; d * d];
    out.extend_from_slice(atoms.mean(k));
    matrix(atoms, k, &mut full);
    for i in 0..d {
        // An entry off the diagonal counts twice in the Frobenius norm.
        out.extend(full[i * d..i * d + i].iter().map(|x| x * std::f64::consts::SQRT_2));
        out.push(full[i * d + i]);
    }
}

fn affine_invariant(a: &GaussianAtoms, b: &GaussianAtoms) -> Result<Vec<f64>> {
    let d = a.dim();
    let mut out = Vec::with_capacity(a.len() * b.len());
    let mut whitened = vec![0.0; d * d];
    for i in 0..a.len() {
        let factor = cholesky(a, i)?;
        for j in 0..b.len() {
            let means: f64 = a.mean(i).iter().zip(b.mean(j)).map(|(x, y)| (x - y) * (x - y)).sum();
            if a.covariance(i) == b.covariance(j) {
                out.push(means);
                continue;
            }
            // The eigenvalues of L⁻¹ Σ_2 L⁻ᵀ are those of Σ_1^{-1/2} Σ_2 Σ_1^{-1/2}. Rows and columns of Σ_2 are the same.
            whitened.copy_from_slice(b.covariance(j));
            whitened.chunks_exact_mut(d).for_each(|row| solve_lower(&factor, d, row));
            transpose(&mut whitened, d);
            whitened.chunks_exact_mut(d).for_each(|row| solve_lower(&factor, d, row));
            if let Some(bad) = whitened.iter().find(|x| !x.is_finite()) {
                return Err(Error::input(text![
                    "covariances of atoms ",
                    index(i),
                    " and ",
                    index(j),
                    format!(" differ so much that their ratio is {bad}")
                ]));
            }
            let largest = (0..d).map(|k| whitened[k * d + k]).fold(0.0, f64::max);
            let logs = eigen_symmetric(&whitened, d).values.into_iter().map(|v| v.max(largest * f64::EPSILON).ln());
            out.push(means + logs.map(|x| x * x).sum::<f64>());
        }
    }
    Ok(out)
}

/// Lower Cholesky factor of the covariance of atom k.
pub(super) fn cholesky(atoms: &GaussianAtoms, k: usize) -> Result<Vec<f64>> {
    let mut factor = atoms.covariance(k).to_vec();
    cholesky_in_place(&mut factor, atoms.dim())
        .map_err(|_| Error::input("covariance is not positive definite").at_atom(k))?;
    Ok(factor)
}

fn transpose(matrix: &mut [f64], d: usize) {
    for i in 0..d {
        for j in 0..i {
            matrix.swap(i * d + j, j * d + i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::tests::random_atoms;
    use crate::linalg::apply_to_spectrum;

    fn product(a: &[f64], b: &[f64], d: usize) -> Vec<f64> {
        (0..d * d).map(|e| (0..d).map(|k| a[e / d * d + k] * b[k * d + e % d]).sum()).collect()
    }

    #[test]
    fn distances_follow_their_definitions() {
        for d in [1, 2, 3, 5] {
            let (a, b) = (random_atoms(d, 3, 1), random_atoms(d, 4, 2));
            let norm = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
            let by = |metric: GroundMetric| metric.squared_distances(&a, &b).unwrap();
            let (log_euclidean, frobenius, affine) =
                (by(GroundMetric::LogEuclidean), by(GroundMetric::Frobenius), by(GroundMetric::AffineInvariant));
            for i in 0..3 {
                for j in 0..4 {
                    let means = norm(a.mean(i), b.mean(j));
                    let (mut log_a, mut log_b, mut root) = (vec![0.0; d * d], vec![0.0; d * d], vec![0.0; d * d]);
                    log_spd(a.covariance(i), d, &mut log_a);
                    log_spd(b.covariance(j), d, &mut log_b);
                    apply_to_spectrum(a.covariance(i), d, |v| v.powf(-0.5), &mut root);
                    let mut ratio = product(&product(&root, b.covariance(j), d), &root, d);
                    for r in 0..d {
                        (0..r).for_each(|c| ratio[r * d + c] = ratio[c * d + r]);
                    }
                    let mut log_ratio = vec![0.0; d * d];
                    log_spd(&ratio, d, &mut log_ratio);
                    let close =
                        |got: f64, want: f64| assert!((got - want).abs() < 1e-9 * want.max(1.0), "d {d}: {got} {want}");
                    close(log_euclidean[i * 4 + j], means + norm(&log_a, &log_b));
                    close(frobenius[i * 4 + j], means + norm(a.covariance(i), b.covariance(j)));
                    close(affine[i * 4 + j], means + norm(&log_ratio, &vec![0.0; d * d]));
                }
            }
        }
    }

    #[test]
    fn dimensions_and_sizes_are_checked() {
        let (a, b) = (random_atoms(1, 2, 1), random_atoms(2, 2, 1));
        let error = GroundMetric::Frobenius.squared_distances(&a, &b).unwrap_err();
        assert_eq!(error.to_string(), "the measures have dimensions 1 and 2, must have the same");
        let many = GaussianAtoms::new(1, vec![0.0; 20_000], vec![1.0; 20_000], Default::default()).unwrap();
        let error = GroundMetric::default().squared_distances(&many, &many).unwrap_err();
        assert_eq!(error.to_string(), "exact distances need all 20000 × 20000 pairs of atoms");
    }
}
