//! The Gaussian kernel f(y | θ): log N(y; μ, Σ) of many atoms for blocks of points.

use std::f64::consts::TAU;
use std::ops::Range;

use fearless_simd::{Level, dispatch};

use crate::linalg::{cholesky_in_place, solve_lower};
use crate::{Error, GaussianAtoms, Points, Result};

/// How many points a [`PointBlock`] holds.
pub(crate) const LANES: usize = 64;

/// Atoms made ready for evaluation: means, inverse Cholesky factors and log-normalizers.
///
/// With Σ = L Lᵀ, log f(y | θ) = log N(y; μ, Σ) = −½ ‖L⁻¹(y − μ)‖² − Σ_i log L_ii − (d/2) log 2π.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GaussianKernel {
    dim: usize,
    means: Vec<f64>,
    /// Rows of L⁻¹ up to the diagonal, d (d + 1) / 2 numbers per atom.
    inverse_factors: Vec<f64>,
    log_normalizers: Vec<f64>,
}

impl GaussianKernel {
    /// The kernel at all atoms of a store. Cost O(K d³) once; memory K (d (d + 3) / 2 + 1) numbers.
    pub(crate) fn new(atoms: &GaussianAtoms) -> Result<Self> {
        Self::marginal(atoms, &(0..atoms.dim()).collect::<Vec<_>>())
    }

    /// The kernel of the marginal on some coordinates, in the given order: each index below d, none twice.
    pub(crate) fn marginal(atoms: &GaussianAtoms, coordinates: &[usize]) -> Result<Self> {
        check_coordinates(coordinates, atoms.dim())?;
        let (full, d) = (atoms.dim(), coordinates.len());
        let mut kernel = GaussianKernel {
            dim: d,
            means: Vec::with_capacity(atoms.len() * d),
            inverse_factors: Vec::with_capacity(atoms.len() * packed(d)),
            log_normalizers: Vec::with_capacity(atoms.len()),
        };
        let (mut factor, mut column, mut inverse) = (vec![0.0; d * d], vec![0.0; d], vec![0.0; d * d]);
        for k in 0..atoms.len() {
            let (mean, covariance) = (atoms.mean(k), atoms.covariance(k));
            kernel.means.extend(coordinates.iter().map(|&a| mean[a]));
            for (i, &a) in coordinates.iter().enumerate() {
                for (j, &b) in coordinates.iter().enumerate() {
                    factor[i * d + j] = covariance[a * full + b];
                }
            }
            cholesky_in_place(&mut factor, d)
                .map_err(|_| Error::input("covariance is not positive definite").at_atom(k))?;
            for j in 0..d {
                column.fill(0.0);
                column[j] = 1.0;
                solve_lower(&factor, d, &mut column);
                (j..d).for_each(|i| inverse[i * d + j] = column[i]);
            }
            (0..d).for_each(|i| kernel.inverse_factors.extend_from_slice(&inverse[i * d..i * d + i + 1]));
            let log_determinant_root: f64 = (0..d).map(|i| factor[i * d + i].ln()).sum();
            kernel.log_normalizers.push(-log_determinant_root - 0.5 * d as f64 * TAU.ln());
        }
        Ok(kernel)
    }

    /// The kernel times a weight for each atom: w_k f(y | θ_k).
    #[must_use]
    pub(crate) fn weighted(mut self, weights: &[f64]) -> Self {
        assert_eq!(weights.len(), self.len(), "one weight an atom");
        self.log_normalizers.iter_mut().zip(weights).for_each(|(log, w)| *log += w.ln());
        self
    }

    /// Number of atoms K.
    pub(crate) fn len(&self) -> usize {
        self.log_normalizers.len()
    }

    /// Dimension of the points.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Mean of atom k.
    pub(crate) fn mean(&self, k: usize) -> &[f64] {
        &self.means[k * self.dim..(k + 1) * self.dim]
    }

    /// Rows of L⁻¹ of atom k, each up to the diagonal.
    pub(crate) fn inverse_factor(&self, k: usize) -> &[f64] {
        &self.inverse_factors[k * packed(self.dim)..(k + 1) * packed(self.dim)]
    }

    /// log f(y | θ_k) of every point of a block for the atoms of a range; `out` holds one row of lanes an atom.
    ///
    /// Lanes beyond the block's points hold numbers without meaning. Cost O(d²) a point and atom.
    pub(crate) fn log_kernel(&self, atoms: Range<usize>, block: &mut PointBlock, out: &mut [[f64; LANES]]) {
        assert_eq!(block.coordinates.len(), self.dim, "points have the dimension of the kernel");
        dispatch!(Level::new(), _simd => self.log_kernel_vectorized(atoms, block, out));
    }

    #[inline(always)]
    fn log_kernel_vectorized(&self, atoms: Range<usize>, block: &mut PointBlock, out: &mut [[f64; LANES]]) {
        for (k, out) in atoms.zip(out) {
            let (mean, rows, log_normalizer) = (self.mean(k), self.inverse_factor(k), self.log_normalizers[k]);
            match self.dim {
                1 => {
                    let (y, m, w) = (&block.coordinates[0], mean[0], rows[0]);
                    for b in 0..LANES {
                        let z = w * (y[b] - m);
                        out[b] = log_normalizer - 0.5 * (z * z);
                    }
                }
                2 => {
                    let (y0, y1) = (&block.coordinates[0], &block.coordinates[1]);
                    let (m0, m1, w00, w10, w11) = (mean[0], mean[1], rows[0], rows[1], rows[2]);
                    for b in 0..LANES {
                        let (x0, x1) = (y0[b] - m0, y1[b] - m1);
                        let (z0, z1) = (w00 * x0, w10 * x0 + w11 * x1);
                        out[b] = log_normalizer - 0.5 * (z0 * z0 + z1 * z1);
                    }
                }
                _ => quadratic_form(mean, rows, log_normalizer, block, out),
            }
        }
    }

    /// log f(y | θ_k) of one point: the obvious twin of [`GaussianKernel::log_kernel`].
    #[cfg(test)]
    pub(crate) fn log_kernel_at(&self, k: usize, point: &[f64]) -> f64 {
        let mut rows = self.inverse_factor(k);
        let mut square = 0.0;
        for i in 0..self.dim {
            let (row, rest) = rows.split_at(i + 1);
            let z: f64 = row.iter().zip(point.iter().zip(self.mean(k))).map(|(w, (y, m))| w * (y - m)).sum();
            square += z * z;
            rows = rest;
        }
        self.log_normalizers[k] - 0.5 * square
    }
}

#[inline(always)]
fn quadratic_form(mean: &[f64], mut rows: &[f64], log_normalizer: f64, block: &mut PointBlock, out: &mut [f64; LANES]) {
    let PointBlock { coordinates, centered, .. } = block;
    for ((x, y), m) in centered.iter_mut().zip(coordinates.iter()).zip(mean) {
        for b in 0..LANES {
            x[b] = y[b] - m;
        }
    }
    let mut square = [0.0; LANES];
    for i in 0..mean.len() {
        let (row, rest) = rows.split_at(i + 1);
        let mut z = [0.0; LANES];
        for (w, x) in row.iter().zip(centered.iter()) {
            for b in 0..LANES {
                z[b] += w * x[b];
            }
        }
        for b in 0..LANES {
            square[b] += z[b] * z[b];
        }
        rows = rest;
    }
    for b in 0..LANES {
        out[b] = log_normalizer - 0.5 * square[b];
    }
}

/// Up to [`LANES`] points with each coordinate contiguous, so that atoms are evaluated at many points at once.
#[derive(Debug, Clone)]
pub(crate) struct PointBlock {
    coordinates: Vec<[f64; LANES]>,
    centered: Vec<[f64; LANES]>,
    len: usize,
}

impl PointBlock {
    /// An empty block for points of dimension `dim`.
    pub(crate) fn new(dim: usize) -> Self {
        let centered = vec![[0.0; LANES]; if dim > 2 { dim } else { 0 }];
        PointBlock { coordinates: vec![[0.0; LANES]; dim], centered, len: 0 }
    }

    /// Takes in at most [`LANES`] points of the block's dimension.
    pub(crate) fn load(&mut self, points: Points) {
        assert!(points.len() <= LANES && points.dim() == self.coordinates.len(), "the block was made for such points");
        self.len = points.len();
        for (b, point) in points.values().chunks_exact(points.dim()).enumerate() {
            for (row, &value) in self.coordinates.iter_mut().zip(point) {
                row[b] = value;
            }
        }
    }
}

fn packed(d: usize) -> usize {
    d * (d + 1) / 2
}

fn check_coordinates(coordinates: &[usize], dim: usize) -> Result<()> {
    if coordinates.is_empty() {
        return Err(Error::usage("no coordinates were chosen"));
    }
    for (i, &a) in coordinates.iter().enumerate() {
        if a >= dim {
            return Err(Error::usage(format!("coordinate {a} was chosen, the atoms have dimension {dim}"))
                .hint("coordinates count from 0"));
        }
        if coordinates[..i].contains(&a) {
            return Err(Error::usage(format!("coordinate {a} was chosen twice")));
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::CovarianceForm;
    use crate::linalg::{eigen_symmetric, inverse_spd};
    use crate::random::{Purpose, standard_normals, stream};

    /// K atoms with means of size 3 and covariances A Aᵀ + 0.1 I.
    pub(crate) fn random_atoms(dim: usize, k: usize, seed: u64) -> GaussianAtoms {
        let mut rng = stream(seed, Purpose::Simulation, (dim * 1000 + k) as u64);
        let (mut means, mut roots) = (vec![0.0; k * dim], vec![0.0; k * dim * dim]);
        standard_normals(&mut rng, &mut means);
        standard_normals(&mut rng, &mut roots);
        means.iter_mut().for_each(|x| *x *= 3.0);
        let mut covariances = vec![0.0; k * dim * dim];
        for (a, out) in roots.chunks_exact(dim * dim).zip(covariances.chunks_exact_mut(dim * dim)) {
            for i in 0..dim {
                for j in 0..dim {
                    let dot: f64 = (0..dim).map(|l| a[i * dim + l] * a[j * dim + l]).sum();
                    out[i * dim + j] = dot + 0.1 * f64::from(i == j);
                }
            }
        }
        GaussianAtoms::new(dim, means, covariances, CovarianceForm::Covariance).unwrap()
    }

    pub(crate) fn random_values(len: usize, scale: f64, seed: u64) -> Vec<f64> {
        let mut values = vec![0.0; len];
        standard_normals(&mut stream(seed, Purpose::Simulation, 99), &mut values);
        values.iter_mut().for_each(|x| *x *= scale);
        values
    }

    /// From the inverse and the eigenvalues: shares nothing with the code under test.
    pub(crate) fn log_normal_by_definition(atoms: &GaussianAtoms, k: usize, y: &[f64]) -> f64 {
        let d = atoms.dim();
        let inverse = inverse_spd(atoms.covariance(k), d).unwrap();
        let log_det: f64 = eigen_symmetric(atoms.covariance(k), d).values.iter().map(|v| v.ln()).sum();
        let x: Vec<f64> = y.iter().zip(atoms.mean(k)).map(|(y, m)| y - m).collect();
        let square: f64 =
            (0..d).flat_map(|i| (0..d).map(move |j| (i, j))).map(|(i, j)| x[i] * inverse[i * d + j] * x[j]).sum();
        -0.5 * (square + log_det + d as f64 * TAU.ln())
    }

    #[test]
    fn blocks_agree_with_single_points_and_with_the_definition() {
        for d in [1, 2, 3, 5, 12] {
            let atoms = random_atoms(d, 7, 1);
            let kernel = GaussianKernel::new(&atoms).unwrap();
            let values = random_values(50 * d, 4.0, 2);
            let points = Points::new(d, &values).unwrap();
            let mut block = PointBlock::new(d);
            block.load(points);
            let mut out = vec![[0.0; LANES]; 5];
            kernel.log_kernel(2..7, &mut block, &mut out);
            for k in 2..7 {
                for b in 0..50 {
                    let single = kernel.log_kernel_at(k, points.point(b));
                    let defined = log_normal_by_definition(&atoms, k, points.point(b));
                    assert!(
                        (out[k - 2][b] - single).abs() <= 1e-12 * single.abs().max(1.0),
                        "d {d}: {} {single}",
                        out[k - 2][b]
                    );
                    assert!((defined - single).abs() <= 1e-9 * single.abs().max(1.0), "d {d}: {defined} {single}");
                }
            }
        }
    }

    #[test]
    fn every_cpu_gets_the_same_bits() {
        for d in [1, 2, 5] {
            let kernel = GaussianKernel::new(&random_atoms(d, 9, 4)).unwrap();
            let values = random_values(LANES * d, 4.0, 5);
            let mut block = PointBlock::new(d);
            block.load(Points::new(d, &values).unwrap());
            let (mut dispatched, mut plain) = (vec![[0.0; LANES]; 9], vec![[0.0; LANES]; 9]);
            kernel.log_kernel(0..9, &mut block, &mut dispatched);
            kernel.log_kernel_vectorized(0..9, &mut block, &mut plain);
            assert_eq!(dispatched, plain);
        }
    }

    #[test]
    fn known_values() {
        // scipy.stats.norm(1, 2).logpdf(4) and multivariate_normal([0, 1], [[2, .6], [.6, 1]]).logpdf([1, -1])
        let one = GaussianAtoms::new(1, vec![1.0], vec![4.0], CovarianceForm::Covariance).unwrap();
        assert!((GaussianKernel::new(&one).unwrap().log_kernel_at(0, &[4.0]) + 2.737_085_713_764_618).abs() < 1e-14);
        let two = GaussianAtoms::new(2, vec![0.0, 1.0], vec![2.0, 0.6, 0.6, 1.0], CovarianceForm::Covariance).unwrap();
        assert!(
            (GaussianKernel::new(&two).unwrap().log_kernel_at(0, &[1.0, -1.0]) + 5.560_834_943_424_962).abs() < 1e-13
        );
    }

    #[test]
    fn marginals_are_those_of_the_sub_covariance() {
        let atoms = random_atoms(4, 2, 3);
        let marginal = GaussianKernel::marginal(&atoms, &[3, 1]).unwrap();
        let c = atoms.covariance(1);
        let sub = GaussianAtoms::new(
            2,
            vec![atoms.mean(1)[3], atoms.mean(1)[1]],
            vec![c[15], c[13], c[7], c[5]],
            CovarianceForm::Covariance,
        )
        .unwrap();
        let expected = log_normal_by_definition(&sub, 0, &[0.5, -0.5]);
        assert!((marginal.log_kernel_at(1, &[0.5, -0.5]) - expected).abs() < 1e-12);
    }

    #[test]
    fn coordinates_are_checked() {
        let atoms = random_atoms(2, 1, 1);
        let message = |coordinates: &[usize]| GaussianKernel::marginal(&atoms, coordinates).unwrap_err().to_string();
        assert_eq!(message(&[]), "no coordinates were chosen");
        assert_eq!(message(&[0, 2]), "coordinate 2 was chosen, the atoms have dimension 2");
        assert_eq!(message(&[1, 1]), "coordinate 1 was chosen twice");
    }
}
