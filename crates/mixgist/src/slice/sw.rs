//! `sw`, vectorised sliced Wasserstein: ⟨u, (μ, vec Σ)⟩ with u uniform on the sphere of all d + d² coordinates.

use std::ops::Range;

use super::coordinates::{Coordinates, MatrixCoordinate, fold_symmetric, linear_forms, longest, width};
use super::directions::Ingredients;
use super::{Chart, Freeze, NamedArrays, Replicates, Slicer, Slices, Tangents, direction_array, unit_length};
use crate::Result;
use crate::atoms::GaussianAtoms;

/// The distribution of `sw` slices.
pub(super) struct Sw;

impl Slicer for Sw {
    fn name(&self) -> &'static str {
        "sw"
    }

    fn help(&self) -> &'static str {
        "vectorised sliced Wasserstein: the mean and all entries of the covariance, flattened"
    }

    fn freeze(&self, freeze: &Freeze) -> Box<dyn Slices> {
        let d = freeze.dim;
        let mut ingredients = Ingredients::new(freeze.seed, freeze.scheme, d + d * d, 0, false);
        let replicates = ingredients.replicates();
        let mut flat = vec![0.0; d + d * d];
        let mut directions = Vec::with_capacity(freeze.slices.len() * width(d));
        ingredients.for_each(freeze.slices.clone(), |slice| {
            slice.main_direction(&mut flat);
            push_folded(&flat, d, &mut directions);
        });
        Box::new(LinearSlices::new(d, directions, MatrixCoordinate::Covariance, replicates))
    }

    fn given(&self, dim: usize, arrays: &NamedArrays) -> Result<Box<dyn Slices>> {
        let theta = direction_array(arrays, "sw_theta", &[dim + dim * dim])?;
        unit_length("sw_theta", theta)?;
        let mut directions = Vec::new();
        for flat in theta.values.chunks_exact(dim + dim * dim) {
            push_folded(flat, dim, &mut directions);
        }
        Ok(Box::new(LinearSlices::new(dim, directions, MatrixCoordinate::Covariance, Replicates::Consecutive(1))))
    }
}

/// From (u_μ, rows of u_Σ) to the isometric coordinates.
fn push_folded(flat: &[f64], d: usize, directions: &mut Vec<f64>) {
    directions.extend_from_slice(&flat[..d]);
    let start = directions.len();
    directions.resize(start + d * (d + 1) / 2, 0.0);
    fold_symmetric(&flat[d..], d, &mut directions[start..]);
}

/// Slices that are linear in (μ, Σ) or (μ, log Σ).
pub(super) struct LinearSlices {
    dim: usize,
    directions: Vec<f64>,
    matrix: MatrixCoordinate,
    longest: f64,
    replicates: Replicates,
}

impl LinearSlices {
    pub(super) fn new(dim: usize, directions: Vec<f64>, matrix: MatrixCoordinate, replicates: Replicates) -> Self {
        let longest = longest(&directions, width(dim));
        LinearSlices { dim, directions, matrix, longest, replicates }
    }
}

impl Slices for LinearSlices {
    fn len(&self) -> usize {
        self.directions.len() / width(self.dim)
    }

    fn coordinates(&self, atoms: &GaussianAtoms) -> Coordinates {
        Coordinates::isometric(atoms, self.matrix)
    }

    fn project(&self, slices: Range<usize>, coordinates: &Coordinates, out: &mut [f64]) {
        let width = width(self.dim);
        linear_forms(&self.directions[slices.start * width..slices.end * width], width, coordinates, out);
    }

    fn reach(&self, coordinates: &Coordinates, i: usize, j: usize) -> Option<f64> {
        Some(self.longest * coordinates.distance(i, j, 0..width(self.dim)))
    }

    fn tangents(&self) -> Option<&dyn Tangents> {
        Some(self)
    }

    fn replicates(&self) -> Replicates {
        self.replicates
    }
}

impl Tangents for LinearSlices {
    fn chart(&self) -> Chart {
        match self.matrix {
            MatrixCoordinate::Covariance => Chart::Factor(None),
            MatrixCoordinate::LogCovariance => Chart::Logarithm,
        }
    }

    fn differentiate(&self, slice: usize, points: &[f64], positions: &mut [f64], tangents: &mut [f64]) {
        let (d, width) = (self.dim, width(self.dim));
        let direction = &self.directions[slice * width..(slice + 1) * width];
        let atoms = points.chunks_exact(width).zip(positions).zip(tangents.chunks_exact_mut(width));
        match self.matrix {
            MatrixCoordinate::LogCovariance => {
                for ((point, position), tangent) in atoms {
                    *position = point.iter().zip(direction).map(|(x, u)| x * u).sum();
                    tangent.copy_from_slice(direction);
                }
            }
            // tr(A L Lᵀ) has the derivative 2 A L.
            MatrixCoordinate::Covariance => {
                for ((point, position), tangent) in atoms {
                    tangent[..d].copy_from_slice(&direction[..d]);
                    *position = point.iter().zip(&direction[..d]).map(|(x, u)| x * u).sum();
                    let factor = &point[d..];
                    for i in 0..d {
                        for j in 0..=i {
                            let sum: f64 =
                                (j..d).map(|k| unfolded(direction, d, i, k) * factor[Chart::factor_entry(k, j)]).sum();
                            *position += sum * factor[Chart::factor_entry(i, j)];
                            tangent[d + Chart::factor_entry(i, j)] = 2.0 * sum;
                        }
                    }
                }
            }
        }
    }
}

/// Entry (i, j) of the symmetric matrix whose isometric coordinates follow the mean's in `direction`.
fn unfolded(direction: &[f64], d: usize, i: usize, j: usize) -> f64 {
    let (low, high) = (i.min(j), i.max(j));
    if low == high {
        direction[d + low]
    } else {
        direction[2 * d + high * (high - 1) / 2 + low] * std::f64::consts::FRAC_1_SQRT_2
    }
}
