//! `mix-sw`, mixed sliced Wasserstein: w1⟨v, μ⟩ + w2 tr(A log Σ), with two distributions of the symmetric matrix A.

use super::coordinates::{MatrixCoordinate, fold_symmetric, unfold_symmetric, width};
use super::directions::{Ingredients, SliceIngredients};
use super::sw::LinearSlices;
use super::{Freeze, NamedArrays, Replicates, Slicer, Slices, direction_array, same_length, symmetric, unit_length};
use crate::Result;

/// The distribution of `mix-sw` slices.
pub(super) struct MixSw {
    name: &'static str,
    help: &'static str,
    /// Length of the direction that the matrix is made of.
    second_dim: fn(usize) -> usize,
    draw_matrix: fn(&mut SliceIngredients, usize, &mut [f64]),
}

impl MixSw {
    /// A = P diag(λ) Pᵀ, λ uniform on the sphere and P Haar-orthogonal: the distribution of the paper's experiments.
    pub(super) const SPECTRAL: MixSw = MixSw {
        name: "mix-sw",
        help: "mixed sliced Wasserstein: the mean and the logarithm of the covariance",
        second_dim: |d| d,
        draw_matrix: spectral,
    };

    /// A uniform on the unit Frobenius sphere of symmetric matrices.
    pub(super) const FROBENIUS: MixSw = MixSw {
        name: "mix-sw-frobenius",
        help: "mix-sw with its matrix direction uniform on the Frobenius sphere",
        second_dim: |d| d * (d + 1) / 2,
        draw_matrix: frobenius,
    };
}

fn spectral(slice: &mut SliceIngredients, d: usize, out: &mut [f64]) {
    let mut eigenvalues = vec![0.0; d];
    let mut p = vec![0.0; d * d];
    slice.second_direction(&mut eigenvalues);
    slice.orthogonal_matrix(d, &mut p);
    for i in 0..d {
        for j in 0..d {
            out[i * d + j] = (0..d).map(|k| p[i * d + k] * eigenvalues[k] * p[j * d + k]).sum();
        }
    }
}

/// A symmetric matrix whose isometric coordinates are uniform on the sphere.
fn frobenius(slice: &mut SliceIngredients, d: usize, out: &mut [f64]) {
    let mut folded = vec![0.0; d * (d + 1) / 2];
    slice.second_direction(&mut folded);
    unfold_symmetric(&folded, d, out);
}

impl Slicer for MixSw {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn freeze(&self, freeze: &Freeze) -> Box<dyn Slices> {
        let d = freeze.dim;
        let mut ingredients = Ingredients::new(freeze.seed, freeze.scheme, d, (self.second_dim)(d), true);
        let replicates = ingredients.replicates();
        let (mut v, mut a) = (vec![0.0; d], vec![0.0; d * d]);
        let mut directions = Vec::with_capacity(freeze.slices.len() * width(d));
        ingredients.for_each(freeze.slices.clone(), |slice| {
            slice.main_direction(&mut v);
            let w = slice.circle();
            (self.draw_matrix)(slice, d, &mut a);
            push_mixed(&v, &a, w, &mut directions);
        });
        Box::new(LinearSlices::new(d, directions, MatrixCoordinate::LogCovariance, replicates))
    }

    fn given(&self, dim: usize, arrays: &NamedArrays) -> Result<Box<dyn Slices>> {
        let v = direction_array(arrays, "mix_sw_v", &[dim])?;
        let a = direction_array(arrays, "mix_sw_a", &[dim, dim])?;
        let w = direction_array(arrays, "mix_sw_w", &[2])?;
        same_length(&[("mix_sw_v", v), ("mix_sw_a", a), ("mix_sw_w", w)])?;
        for (name, array) in [("mix_sw_v", v), ("mix_sw_a", a), ("mix_sw_w", w)] {
            unit_length(name, array)?;
        }
        symmetric("mix_sw_a", a, dim)?;
        let mut directions = Vec::new();
        for ((v, a), w) in
            v.values.chunks_exact(dim).zip(a.values.chunks_exact(dim * dim)).zip(w.values.chunks_exact(2))
        {
            push_mixed(v, a, [w[0], w[1]], &mut directions);
        }
        Ok(Box::new(LinearSlices::new(dim, directions, MatrixCoordinate::LogCovariance, Replicates::Consecutive(1))))
    }
}

/// (w1 v, w2 A) in isometric coordinates.
fn push_mixed(v: &[f64], a: &[f64], w: [f64; 2], directions: &mut Vec<f64>) {
    let d = v.len();
    directions.extend(v.iter().map(|x| w[0] * x));
    let start = directions.len();
    directions.resize(start + d * (d + 1) / 2, 0.0);
    fold_symmetric(a, d, &mut directions[start..]);
    directions[start..].iter_mut().for_each(|x| *x *= w[1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::Scheme;

    #[test]
    fn both_laws_give_matrices_of_unit_frobenius_norm() {
        for law in [MixSw::SPECTRAL, MixSw::FROBENIUS] {
            for d in [1, 2, 5] {
                for (_, scheme) in Scheme::NAMES {
                    Ingredients::new(3, scheme, d, (law.second_dim)(d), true).for_each(0..20, |slice| {
                        let (mut v, mut a) = (vec![0.0; d], vec![0.0; d * d]);
                        slice.main_direction(&mut v);
                        let w = slice.circle();
                        (law.draw_matrix)(slice, d, &mut a);
                        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
                        assert!((square(&a) - 1.0).abs() < 1e-12 && (square(&v) - 1.0).abs() < 1e-12);
                        assert!((square(&w) - 1.0).abs() < 1e-12);
                    });
                }
            }
        }
    }
}
