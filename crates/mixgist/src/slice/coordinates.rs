//! Coordinates of atoms as a column store, and linear forms of them: the product that every slicer is made of.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, prelude::*};
use rayon::prelude::*;

use crate::atoms::GaussianAtoms;
use crate::linalg::log_spd;

/// n atoms by F coordinates, one coordinate after the other, so that a loop over atoms runs through memory in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Coordinates {
    atoms: usize,
    columns: Vec<f64>,
}

impl Coordinates {
    /// Columns of `atoms` numbers each, one after the other.
    ///
    /// # Panics
    /// When the numbers do not make whole columns.
    pub fn new(atoms: usize, columns: Vec<f64>) -> Self {
        assert!(atoms > 0 && columns.len().is_multiple_of(atoms), "coordinates come in whole columns");
        Coordinates { atoms, columns }
    }

    /// Number of atoms n.
    pub fn atoms(&self) -> usize {
        self.atoms
    }

    /// Number of coordinates F.
    pub fn width(&self) -> usize {
        self.columns.len() / self.atoms
    }

    /// Coordinate c of every atom.
    pub fn column(&self, c: usize) -> &[f64] {
        &self.columns[c * self.atoms..(c + 1) * self.atoms]
    }

    /// Euclidean distance of two atoms over the given coordinates.
    pub fn distance(&self, i: usize, j: usize, columns: Range<usize>) -> f64 {
        columns.map(|c| self.column(c)).map(|x| (x[i] - x[j]) * (x[i] - x[j])).sum::<f64>().sqrt()
    }

    /// The coordinates of the chosen atoms only.
    pub fn select(&self, atoms: &[usize]) -> Self {
        let columns = (0..self.width()).flat_map(|c| atoms.iter().map(move |&i| self.column(c)[i])).collect();
        Coordinates { atoms: atoms.len(), columns }
    }

    /// μ, then `size` numbers that `fill` makes of each covariance, with scratch space for two d × d matrices.
    pub(super) fn of_means_and(
        atoms: &GaussianAtoms,
        size: usize,
        fill: impl Fn(&[f64], &mut [f64], &mut [f64]) + Sync,
    ) -> Self {
        const TOGETHER: usize = 256;
        const CHUNK: usize = 16 * TOGETHER;
        let (n, d) = (atoms.len(), atoms.dim());
        let mut columns = mean_columns(atoms);
        columns.resize(n * (d + size), 0.0);
        // Atoms in parallel, row by row, then a transposition: logarithms and factors dominate.
        let mut rows = vec![0.0; n.min(CHUNK) * size];
        for start in (0..n).step_by(CHUNK) {
            let count = CHUNK.min(n - start);
            let rows = &mut rows[..count * size];
            rows.par_chunks_mut(size * TOGETHER).enumerate().for_each(|(chunk, rows)| {
                let mut scratch = vec![0.0; 2 * d * d];
                for (k, row) in rows.chunks_exact_mut(size).enumerate() {
                    fill(atoms.covariance(start + chunk * TOGETHER + k), &mut scratch, row);
                }
            });
            columns[n * d..].par_chunks_exact_mut(n).enumerate().for_each(|(c, column)| {
                let slots = column[start..start + count].iter_mut();
                slots.zip(rows[c..].iter().step_by(size)).for_each(|(slot, value)| *slot = *value);
            });
        }
        Coordinates { atoms: n, columns }
    }

    /// (μ, Σ or log Σ) with off-diagonal entries once, times √2: an isometry from (R^d, Frobenius) to Euclidean space.
    pub(super) fn isometric(atoms: &GaussianAtoms, matrix: MatrixCoordinate) -> Self {
        let d = atoms.dim();
        Self::of_means_and(atoms, d * (d + 1) / 2, |covariance, scratch, row| {
            let log = &mut scratch[..d * d];
            let matrix = match matrix {
                MatrixCoordinate::Covariance => covariance,
                MatrixCoordinate::LogCovariance => {
                    log_spd(covariance, d, log);
                    log
                }
            };
            fold_symmetric(matrix, d, row);
        })
    }
}

/// Which matrix of an atom is a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatrixCoordinate {
    Covariance,
    LogCovariance,
}

/// Number of coordinates of (vector, symmetric matrix) in dimension d.
pub(super) fn width(d: usize) -> usize {
    d + d * (d + 1) / 2
}

/// The means, one coordinate after the other.
pub(super) fn mean_columns(atoms: &GaussianAtoms) -> Vec<f64> {
    let d = atoms.dim();
    (0..d).flat_map(|c| atoms.means().iter().skip(c).step_by(d).copied()).collect()
}

/// Diagonal, then (m_ij + m_ji)/√2 for i > j: for a symmetric matrix its isometric coordinates, and for any two matrices the
/// inner product of the folded vectors is tr(A Bᵀ) when one of them is symmetric.
pub(super) fn fold_symmetric(matrix: &[f64], d: usize, out: &mut [f64]) {
    let (diagonal, rest) = out.split_at_mut(d);
    for i in 0..d {
        diagonal[i] = matrix[i * d + i];
    }
    let below = (0..d).flat_map(|i| (0..i).map(move |j| (i, j)));
    for (slot, (i, j)) in rest.iter_mut().zip(below) {
        *slot = (matrix[i * d + j] + matrix[j * d + i]) * std::f64::consts::FRAC_1_SQRT_2;
    }
}

/// The symmetric matrix with these isometric coordinates.
pub(super) fn unfold_symmetric(folded: &[f64], d: usize, out: &mut [f64]) {
    let below = (0..d).flat_map(|i| (0..i).map(move |j| (i, j)));
    for i in 0..d {
        out[i * d + i] = folded[i];
    }
    for ((i, j), &value) in below.zip(&folded[d..]) {
        out[i * d + j] = value * std::f64::consts::FRAC_1_SQRT_2;
        out[j * d + i] = out[i * d + j];
    }
}

/// `out[s][i]` is the sum over c of `directions[s][c]` times coordinate c of atom i, over the first columns of the store.
///
/// Sums run over c in order for each atom, so that the bits do not depend on the vector width.
pub(super) fn linear_forms(directions: &[f64], width: usize, coordinates: &Coordinates, out: &mut [f64]) {
    dispatch!(Level::new(), simd => linear_forms_with(simd, directions, width, coordinates, out));
}

#[inline(always)]
fn linear_forms_with<S: Simd>(simd: S, directions: &[f64], width: usize, coordinates: &Coordinates, out: &mut [f64]) {
    let n = coordinates.atoms;
    let mut sums = vec![[0.0; BLOCK]; (directions.len() / width).min(SLICES)];
    let together = directions.chunks(SLICES * width).zip(out.chunks_mut(SLICES * n));
    for (directions, out) in together {
        let sums = &mut sums[..directions.len() / width];
        for start in (0..n).step_by(BLOCK) {
            let atoms = start..n.min(start + BLOCK);
            sums.fill([0.0; BLOCK]);
            add_forms(simd, coordinates, atoms.clone(), 0..width, |s, c| directions[s * width + c], sums);
            for (row, sums) in out.chunks_exact_mut(n).zip(sums.iter()) {
                row[atoms.clone()].copy_from_slice(&sums[..atoms.len()]);
            }
        }
    }
}

/// Atoms whose sums are formed together: those of all [`SLICES`] and four columns stay in the first-level cache.
pub(super) const BLOCK: usize = 256;

/// Slices whose sums are formed together, so that the coordinates pass through the cache once for all of them.
pub(super) const SLICES: usize = 16;

/// Adds to `sums[s][i]` the sum over the given columns of `factor(s, c)` times the column's number for atom i, c being counted from the first of the
/// columns. For each atom the columns are added in order.
///
/// Four columns by two slices at a time, as in a matrix product, so that there are four products for every number that is loaded or stored.
#[inline(always)]
pub(super) fn add_forms<S: Simd>(
    simd: S,
    coordinates: &Coordinates,
    atoms: Range<usize>,
    columns: Range<usize>,
    factor: impl Fn(usize, usize) -> f64,
    sums: &mut [[f64; BLOCK]],
) {
    let store = &coordinates.columns[..];
    let mut c = 0;
    while c < columns.len() {
        let first = (columns.start + c) * coordinates.atoms + atoms.start;
        let column = Column { numbers: &store[first..], stride: coordinates.atoms, count: atoms.len() };
        let mut s = 0;
        while s < sums.len() {
            let two = s + 1 < sums.len();
            let here = &mut sums[s..];
            match (columns.len() - c, two) {
                (1, true) => add_tile::<S, 1, 2>(simd, column, &factor, s, c, here),
                (2, true) => add_tile::<S, 2, 2>(simd, column, &factor, s, c, here),
                (3, true) => add_tile::<S, 3, 2>(simd, column, &factor, s, c, here),
                (_, true) => add_tile::<S, 4, 2>(simd, column, &factor, s, c, here),
                (1, false) => add_tile::<S, 1, 1>(simd, column, &factor, s, c, here),
                (2, false) => add_tile::<S, 2, 1>(simd, column, &factor, s, c, here),
                (3, false) => add_tile::<S, 3, 1>(simd, column, &factor, s, c, here),
                (_, false) => add_tile::<S, 4, 1>(simd, column, &factor, s, c, here),
            }
            s += 2;
        }
        c += 4;
    }
}

/// Numbers of some atoms in one column; those of the next column are `stride` farther.
#[derive(Clone, Copy)]
struct Column<'a> {
    numbers: &'a [f64],
    stride: usize,
    count: usize,
}

/// C columns from c on and R sums from s on. Loops instead of closures over arrays: those were not compiled to vectors.
#[inline(always)]
fn add_tile<S: Simd, const C: usize, const R: usize>(
    simd: S,
    column: Column,
    factor: &impl Fn(usize, usize) -> f64,
    s: usize,
    c: usize,
    sums: &mut [[f64; BLOCK]],
) {
    let zero = S::f64s::splat(simd, 0.0);
    let (mut factors, mut splats) = ([[0.0; C]; R], [[zero; C]; R]);
    for (r, (factors, splats)) in factors.iter_mut().zip(&mut splats).enumerate() {
        for (k, (number, splat)) in factors.iter_mut().zip(splats).enumerate() {
            *number = factor(s + r, c + k);
            *splat = S::f64s::splat(simd, *number);
        }
    }
    let lanes = S::f64s::LEN;
    let whole = column.count / lanes * lanes;
    for start in (0..whole).step_by(lanes) {
        let mut x = [zero; C];
        for (k, x) in x.iter_mut().enumerate() {
            *x = S::f64s::from_slice(simd, &column.numbers[k * column.stride + start..][..lanes]);
        }
        for (sums, splats) in sums.iter_mut().zip(&splats) {
            let place = &mut sums[start..start + lanes];
            let mut sum = S::f64s::from_slice(simd, place);
            for (splat, x) in splats.iter().zip(&x) {
                sum += *splat * *x;
            }
            sum.store_slice(place);
        }
    }
    for i in whole..column.count {
        for (sums, factors) in sums.iter_mut().zip(&factors) {
            for (k, number) in factors.iter().enumerate() {
                sums[i] += number * column.numbers[k * column.stride + i];
            }
        }
    }
}

/// The longest direction: linear forms of atoms are at most this far apart per unit of Euclidean distance.
pub(super) fn longest(directions: &[f64], width: usize) -> f64 {
    directions.chunks_exact(width).map(|u| u.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, standard_normals, stream};
    use crate::vector_math::tests::{bits, every_level};

    /// More atoms and directions than fit into a block, and neither a whole number of vectors.
    #[test]
    fn linear_forms_have_the_same_bits_at_every_level_and_are_sums_of_products() {
        const ATOMS: usize = 1037;
        const WIDTH: usize = 7;
        const DIRECTIONS: usize = SLICES + 3;
        let mut numbers = vec![0.0; ATOMS * WIDTH + DIRECTIONS * WIDTH];
        standard_normals(&mut stream(1, Purpose::Simulation, 0), &mut numbers);
        let directions = numbers.split_off(ATOMS * WIDTH);
        let coordinates = Coordinates::new(ATOMS, numbers);
        let of = |level: Level| {
            let mut out = vec![f64::NAN; DIRECTIONS * ATOMS];
            dispatch!(level, simd => linear_forms_with(simd, &directions, WIDTH, &coordinates, &mut out));
            out
        };
        let expected: Vec<f64> = directions
            .chunks(WIDTH)
            .flat_map(|u| (0..ATOMS).map(|i| (0..WIDTH).fold(0.0, |sum, c| sum + u[c] * coordinates.column(c)[i])))
            .collect();
        assert!(every_level().into_iter().all(|level| bits(&of(level)) == bits(&expected)));
    }

    #[test]
    fn folded_matrices_keep_their_inner_product() {
        let (a, b) = ([1.0, 2.0, 5.0, -3.0], [2.0, 0.5, 0.5, 7.0]);
        let folded = |m: &[f64]| {
            let mut out = [0.0; 3];
            fold_symmetric(m, 2, &mut out);
            out
        };
        let product: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
        let of_folded: f64 = folded(&a).iter().zip(folded(&b)).map(|(x, y)| x * y).sum();
        assert!((product - of_folded).abs() < 1e-14);
    }

    #[test]
    fn chosen_atoms_keep_their_coordinates() {
        let coordinates = Coordinates::new(3, vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0]).select(&[2, 0]);
        assert_eq!((coordinates.atoms(), coordinates.width()), (2, 2));
        assert_eq!((coordinates.column(0), coordinates.column(1)), (&[2.0, 0.0][..], &[12.0, 10.0][..]));
        assert_eq!(coordinates.distance(0, 1, 0..2), 8f64.sqrt());
    }
}
