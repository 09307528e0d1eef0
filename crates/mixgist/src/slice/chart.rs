//! Charts: coordinates of atoms in which every point is an atom, so that an estimate can move freely and its covariances stay positive
//! definite by construction.

use super::coordinates::{fold_symmetric, unfold_symmetric, width};
use crate::Result;
use crate::atoms::{CovarianceForm, GaussianAtoms};
use crate::linalg::{apply_to_spectrum, cholesky_in_place, from_cholesky, log_spd};

/// Which matrix stands for the covariance. A point of a chart is the mean, then d(d + 1)/2 numbers.
///
/// An optimiser moves in *free* parameters, which may take any value; slices are differentiated at *points*, whose matrix is used
/// by all slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chart {
    /// log Σ, folded to isometric coordinates. Free parameters and points are the same.
    Logarithm,
    /// The lower Cholesky factor L, row by row. The free parameters are log L_ii and L_ij / L_ii, which do not depend on units.
    Factor,
}

/// Eigenvalues of a covariance below this part of the largest are lifted to it when rounding made the matrix singular.
const THINNEST: f64 = 1e-12;

impl Chart {
    /// Numbers that an atom of dimension `dim` takes.
    pub fn width(self, dim: usize) -> usize {
        width(dim)
    }

    /// Where entry (i, j), i ≥ j, of a lower factor stands.
    pub fn factor_entry(i: usize, j: usize) -> usize {
        i * (i + 1) / 2 + j
    }

    /// Free parameters of the atoms: n × F.
    pub fn free_parameters(self, atoms: &GaussianAtoms) -> Vec<f64> {
        let d = atoms.dim();
        let mut out = vec![0.0; atoms.len() * width(d)];
        let mut matrix = vec![0.0; d * d];
        for (k, row) in out.chunks_exact_mut(width(d)).enumerate() {
            row[..d].copy_from_slice(atoms.mean(k));
            match self {
                Chart::Logarithm => {
                    log_spd(atoms.covariance(k), d, &mut matrix);
                    fold_symmetric(&matrix, d, &mut row[d..]);
                }
                Chart::Factor => {
                    matrix.copy_from_slice(atoms.covariance(k));
                    cholesky_in_place(&mut matrix, d).expect("atoms are positive definite");
                    for i in 0..d {
                        let diagonal = matrix[i * d + i];
                        for j in 0..i {
                            row[d + Self::factor_entry(i, j)] = matrix[i * d + j] / diagonal;
                        }
                        row[d + Self::factor_entry(i, i)] = libm::log(diagonal);
                    }
                }
            }
        }
        out
    }

    /// Free parameters to points, in place.
    pub fn to_points(self, dim: usize, parameters: &mut [f64]) {
        if self == Chart::Logarithm {
            return;
        }
        for row in parameters.chunks_exact_mut(width(dim)) {
            for i in 0..dim {
                let diagonal = libm::exp(row[dim + Self::factor_entry(i, i)]);
                for j in 0..i {
                    row[dim + Self::factor_entry(i, j)] *= diagonal;
                }
                row[dim + Self::factor_entry(i, i)] = diagonal;
            }
        }
    }

    /// Whether the covariances at these points can be written down: an optimiser may try steps that are far too long.
    pub fn admits(self, dim: usize, points: &[f64]) -> bool {
        points.chunks_exact(width(dim)).all(|point| {
            let size = point[dim..].iter().map(|x| x * x).sum::<f64>();
            let limit: f64 = match self {
                // Eigenvalues of Σ between e^-650 and e^650.
                Chart::Logarithm => 650.0 * 650.0,
                Chart::Factor => 1e280,
            };
            let thinnest = (0..dim).map(|i| point[dim + Self::factor_entry(i, i)]).fold(f64::INFINITY, f64::min);
            size <= limit
                && (self == Chart::Logarithm || thinnest > 1e-140)
                && point[..dim].iter().all(|x| x.is_finite())
        })
    }

    /// Turns derivatives at points into derivatives with respect to free parameters, in place.
    pub fn pull_back(self, dim: usize, points: &[f64], derivatives: &mut [f64]) {
        if self == Chart::Logarithm {
            return;
        }
        let rows = points.chunks_exact(width(dim)).zip(derivatives.chunks_exact_mut(width(dim)));
        for (point, derivative) in rows {
            let (factor, derivative) = (&point[dim..], &mut derivative[dim..]);
            for i in 0..dim {
                let (first, last) = (Self::factor_entry(i, 0), Self::factor_entry(i, i));
                let diagonal = factor[last];
                let of_log: f64 = (first..=last).map(|e| derivative[e] * factor[e]).sum();
                derivative[first..last].iter_mut().for_each(|x| *x *= diagonal);
                derivative[last] = of_log;
            }
        }
    }

    /// The atoms at free parameters, all finite.
    pub fn atoms(self, dim: usize, parameters: &[f64]) -> Result<GaussianAtoms> {
        let mut points = parameters.to_vec();
        self.to_points(dim, &mut points);
        let (mut means, mut covariances) = (Vec::new(), Vec::new());
        let (mut matrix, mut covariance) = (vec![0.0; dim * dim], vec![0.0; dim * dim]);
        for point in points.chunks_exact(width(dim)) {
            means.extend_from_slice(&point[..dim]);
            match self {
                Chart::Logarithm => {
                    unfold_symmetric(&point[dim..], dim, &mut matrix);
                    apply_to_spectrum(&matrix, dim, libm::exp, &mut covariance);
                }
                Chart::Factor => {
                    for (i, j) in (0..dim).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                        matrix[i * dim + j] = point[dim + Self::factor_entry(i, j)];
                    }
                    from_cholesky(&matrix, dim, &mut covariance);
                }
            }
            matrix.copy_from_slice(&covariance);
            if cholesky_in_place(&mut matrix, dim).is_err() {
                let largest = (0..dim).map(|i| covariance[i * dim + i]).fold(f64::MIN_POSITIVE, f64::max);
                matrix.copy_from_slice(&covariance);
                apply_to_spectrum(&matrix, dim, |value| value.max(THINNEST * largest), &mut covariance);
            }
            covariances.extend_from_slice(&covariance);
        }
        GaussianAtoms::new(dim, means, covariances, CovarianceForm::Covariance)
    }
}
