//! Charts: coordinates of atoms in which every point is an atom, so that an estimate can move freely and its covariances stay positive
//! definite by construction.

use super::coordinates::{fold_symmetric, unfold_symmetric, width};
use crate::Result;
use crate::atoms::{CovarianceForm, GaussianAtoms};
use crate::linalg::{apply_to_spectrum, cholesky_in_place, from_cholesky, log_spd, whiten};

/// Which matrix stands for the covariance. A point of a chart is the mean, then d(d + 1)/2 numbers.
///
/// An optimiser moves in *free* parameters, which may take any value; slices are differentiated at *points*, whose matrix is used
/// by all slices.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// log Σ, folded to isometric coordinates. Free parameters and points are the same.
    Logarithm,
    /// The lower Cholesky factor L, row by row. The free parameters are log F_ii and F_ij / F_ii, which do not depend on units, of the factor F of Σ
    /// itself, or of what Σ has beyond the narrowest covariance.
    Factor(Option<Narrowest>),
}

/// A covariance that the atoms of a chart exceed in every direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Narrowest {
    covariance: Vec<f64>,
    factor: Vec<f64>,
}

/// An atom that is narrower gets this part of the narrowest covariance beyond it.
const LIFTED: f64 = 0.1;

/// Eigenvalues of a covariance below this part of the largest are lifted to it when rounding made the matrix singular.
const THINNEST: f64 = 1e-12;

impl Chart {
    /// The chart in which no covariance is narrower than this one, positive definite. Logarithms stay as they are: slices that see the logarithm of a
    /// covariance are far from any that is nearly singular.
    pub fn no_narrower_than(self, covariance: Vec<f64>, dim: usize) -> Self {
        let mut factor = covariance.clone();
        match self {
            Chart::Factor(_) if cholesky_in_place(&mut factor, dim).is_ok() => {
                Chart::Factor(Some(Narrowest { covariance, factor }))
            }
            chart => chart,
        }
    }

    /// Numbers that an atom of dimension `dim` takes.
    pub fn width(&self, dim: usize) -> usize {
        width(dim)
    }

    /// Where entry (i, j), i ≥ j, of a lower factor stands.
    pub fn factor_entry(i: usize, j: usize) -> usize {
        i * (i + 1) / 2 + j
    }

    /// Free parameters of the atoms: n × F. Covariances that are too narrow for the chart are lifted.
    pub fn free_parameters(&self, atoms: &GaussianAtoms) -> Vec<f64> {
        let d = atoms.dim();
        let mut out = vec![0.0; atoms.len() * width(d)];
        let mut matrix = vec![0.0; d * d];
        for (k, row) in out.chunks_exact_mut(width(d)).enumerate() {
            row[..d].copy_from_slice(atoms.mean(k));
            let Chart::Factor(narrowest) = self else {
                log_spd(atoms.covariance(k), d, &mut matrix);
                fold_symmetric(&matrix, d, &mut row[d..]);
                continue;
            };
            match narrowest {
                None => {
                    matrix.copy_from_slice(atoms.covariance(k));
                    cholesky_in_place(&mut matrix, d).expect("atoms are positive definite");
                }
                Some(narrowest) => narrowest.factor_beyond(atoms.covariance(k), d, &mut matrix),
            }
            for i in 0..d {
                let diagonal = matrix[i * d + i];
                for j in 0..i {
                    row[d + Self::factor_entry(i, j)] = matrix[i * d + j] / diagonal;
                }
                row[d + Self::factor_entry(i, i)] = libm::log(diagonal);
            }
        }
        out
    }

    /// Free parameters to points, in place.
    pub fn to_points(&self, dim: usize, parameters: &mut [f64]) {
        let Chart::Factor(narrowest) = self else { return };
        let (mut factor, mut covariance) = (vec![0.0; dim * dim], vec![0.0; dim * dim]);
        for row in parameters.chunks_exact_mut(width(dim)) {
            free_factor(dim, &row[dim..], &mut factor);
            if let Some(narrowest) = narrowest {
                from_cholesky(&factor, dim, &mut covariance);
                factor.iter_mut().zip(&covariance).zip(&narrowest.covariance).for_each(|((l, x), y)| *l = x + y);
                if cholesky_in_place(&mut factor, dim).is_err() {
                    // A step so long that the covariance is singular to rounding: `admits` sees it.
                    factor.fill(f64::NAN);
                }
            }
            for (i, j) in lower(dim) {
                row[dim + Self::factor_entry(i, j)] = factor[i * dim + j];
            }
        }
    }

    /// Whether the covariances at these points can be written down: an optimiser may try steps that are far too long.
    pub fn admits(&self, dim: usize, points: &[f64]) -> bool {
        points.chunks_exact(width(dim)).all(|point| {
            let size = point[dim..].iter().map(|x| x * x).sum::<f64>();
            let thinnest = (0..dim).map(|i| point[dim + Self::factor_entry(i, i)]).fold(f64::INFINITY, f64::min);
            let representable = match self {
                // Eigenvalues of Σ between e^-650 and e^650.
                Chart::Logarithm => size <= 650.0 * 650.0,
                Chart::Factor(_) => size <= 1e280 && thinnest > 1e-140,
            };
            representable && point[..dim].iter().all(|x| x.is_finite())
        })
    }

    /// Turns derivatives at points into derivatives with respect to the free parameters that the points come from, in place.
    pub fn pull_back(&self, dim: usize, parameters: &[f64], points: &[f64], derivatives: &mut [f64]) {
        let Chart::Factor(narrowest) = self else { return };
        let mut factor = vec![0.0; dim * dim];
        let width = width(dim);
        let places = parameters.chunks_exact(width).zip(points.chunks_exact(width));
        for ((parameters, point), derivative) in places.zip(derivatives.chunks_exact_mut(width)) {
            free_factor(dim, &parameters[dim..], &mut factor);
            let derivative = &mut derivative[dim..];
            if narrowest.is_some() {
                through_cholesky(dim, &point[dim..], &factor, derivative);
            }
            for i in 0..dim {
                let (first, last) = (Self::factor_entry(i, 0), Self::factor_entry(i, i));
                let diagonal = factor[i * dim + i];
                let of_log: f64 = (first..=last).zip(&factor[i * dim..]).map(|(e, x)| derivative[e] * x).sum();
                derivative[first..last].iter_mut().for_each(|x| *x *= diagonal);
                derivative[last] = of_log;
            }
        }
    }

    /// The atoms at free parameters, all finite.
    pub fn atoms(&self, dim: usize, parameters: &[f64]) -> Result<GaussianAtoms> {
        let (mut means, mut covariances) = (Vec::new(), Vec::new());
        let (mut matrix, mut covariance) = (vec![0.0; dim * dim], vec![0.0; dim * dim]);
        for row in parameters.chunks_exact(width(dim)) {
            means.extend_from_slice(&row[..dim]);
            match self {
                Chart::Logarithm => {
                    unfold_symmetric(&row[dim..], dim, &mut matrix);
                    apply_to_spectrum(&matrix, dim, libm::exp, &mut covariance);
                }
                Chart::Factor(narrowest) => {
                    free_factor(dim, &row[dim..], &mut matrix);
                    from_cholesky(&matrix, dim, &mut covariance);
                    if let Some(narrowest) = narrowest {
                        covariance.iter_mut().zip(&narrowest.covariance).for_each(|(x, y)| *x += y);
                    }
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

impl Narrowest {
    /// The lower factor of what a covariance has beyond this one, lifted where that is too little.
    fn factor_beyond(&self, covariance: &[f64], d: usize, out: &mut [f64]) {
        let white = whiten(covariance, &self.factor, d);
        let trace: f64 = (0..d).map(|i| white[i * d + i]).sum();
        apply_to_spectrum(&white, d, |value| (value - 1.0).max(LIFTED).max(THINNEST * trace), out);
        cholesky_in_place(out, d).expect("eigenvalues were lifted");
        // The product of two lower factors, from the last row up, so that it can be written over one of them.
        for i in (0..d).rev() {
            for j in 0..=i {
                out[i * d + j] = (j..=i).map(|k| self.factor[i * d + k] * out[k * d + j]).sum();
            }
        }
    }
}

/// Entries on and below the diagonal, row by row.
fn lower(dim: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..dim).flat_map(|i| (0..=i).map(move |j| (i, j)))
}

/// The lower factor F whose free parameters these are.
fn free_factor(dim: usize, parameters: &[f64], out: &mut [f64]) {
    for i in 0..dim {
        let diagonal = libm::exp(parameters[Chart::factor_entry(i, i)]);
        for j in 0..i {
            out[i * dim + j] = parameters[Chart::factor_entry(i, j)] * diagonal;
        }
        out[i * dim + i] = diagonal;
        out[i * dim + i + 1..(i + 1) * dim].fill(0.0);
    }
}

/// Derivatives with respect to L become derivatives with respect to F, where L Lᵀ = F Fᵀ + a constant.
///
/// With S = L⁻ᵀ Φ(Lᵀ L̄) L⁻¹, Φ taking the lower triangle and half of the diagonal, the derivative with respect to L Lᵀ is (S + Sᵀ) / 2, and that
/// with respect to F is (S + Sᵀ) F.
fn through_cholesky(dim: usize, packed: &[f64], factor: &[f64], derivative: &mut [f64]) {
    let entry = |packed: &[f64], i: usize, j: usize| packed[Chart::factor_entry(i, j)];
    let mut s = vec![0.0; dim * dim];
    for (i, j) in lower(dim) {
        let sum: f64 = (i..dim).map(|k| entry(packed, k, i) * entry(derivative, k, j)).sum();
        s[i * dim + j] = if i == j { 0.5 * sum } else { sum };
    }
    // From the left by L⁻ᵀ, a column at a time; then from the right by L⁻¹, a row at a time.
    for i in (0..dim).rev() {
        for j in 0..dim {
            let known: f64 = (i + 1..dim).map(|k| entry(packed, k, i) * s[k * dim + j]).sum();
            s[i * dim + j] = (s[i * dim + j] - known) / entry(packed, i, i);
        }
    }
    for row in s.chunks_exact_mut(dim) {
        for j in (0..dim).rev() {
            let known: f64 = (j + 1..dim).map(|k| row[k] * entry(packed, k, j)).sum();
            row[j] = (row[j] - known) / entry(packed, j, j);
        }
    }
    for (i, j) in lower(dim) {
        derivative[Chart::factor_entry(i, j)] =
            (j..dim).map(|k| (s[i * dim + k] + s[k * dim + i]) * factor[k * dim + j]).sum();
    }
}
