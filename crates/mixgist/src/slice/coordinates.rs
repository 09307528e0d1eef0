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

    /// μ, then `size` numbers that `fill` makes of each covariance, with scratch space for a d × d matrix.
    pub(super) fn of_means_and(
        atoms: &GaussianAtoms,
        size: usize,
        fill: impl Fn(&[f64], &mut [f64], &mut [f64]) + Sync,
    ) -> Self {
        const TOGETHER: usize = 256;
        let (n, d) = (atoms.len(), atoms.dim());
        let mut columns = mean_columns(atoms);
        columns.resize(n * (d + size), 0.0);
        // Atoms in parallel, row by row, then one transposition: logarithms and factors dominate.
        let mut rows = vec![0.0; n * size];
        rows.par_chunks_mut(size * TOGETHER).enumerate().for_each(|(chunk, rows)| {
            let mut scratch = vec![0.0; d * d];
            for (k, row) in rows.chunks_exact_mut(size).enumerate() {
                fill(atoms.covariance(chunk * TOGETHER + k), &mut scratch, row);
            }
        });
        columns[n * d..].par_chunks_exact_mut(n).enumerate().for_each(|(c, column)| {
            column.iter_mut().zip(rows[c..].iter().step_by(size)).for_each(|(slot, value)| *slot = *value);
        });
        Coordinates { atoms: n, columns }
    }

    /// (μ, Σ or log Σ) with off-diagonal entries once, times √2: an isometry from (R^d, Frobenius) to Euclidean space.
    pub(super) fn isometric(atoms: &GaussianAtoms, matrix: MatrixCoordinate) -> Self {
        let d = atoms.dim();
        Self::of_means_and(atoms, d * (d + 1) / 2, |covariance, log, row| {
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
pub(super) const BLOCK: usize = 128;

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
    let mut c = 0;
    while c < columns.len() {
        let column = |k: usize| &coordinates.column(columns.start + c + k)[atoms.clone()];
        let of_column = |s: usize, k: usize| factor(s, c + k);
        match columns.len() - c {
            1 => add_columns::<S, 1>(simd, std::array::from_fn(column), of_column, sums),
            2 => add_columns::<S, 2>(simd, std::array::from_fn(column), of_column, sums),
            3 => add_columns::<S, 3>(simd, std::array::from_fn(column), of_column, sums),
            _ => add_columns::<S, 4>(simd, std::array::from_fn(column), of_column, sums),
        }
        c += 4;
    }
}

#[inline(always)]
fn add_columns<S: Simd, const C: usize>(
    simd: S,
    columns: [&[f64]; C],
    factor: impl Fn(usize, usize) -> f64,
    sums: &mut [[f64; BLOCK]],
) {
    for (pair, sums) in sums.chunks_mut(2).enumerate() {
        let factors = |s: usize| std::array::from_fn(|k| factor(2 * pair + s, k));
        match sums {
            [one, other] => add_tile::<S, C, 2>(simd, columns, [factors(0), factors(1)], [one, other]),
            [one] => add_tile::<S, C, 1>(simd, columns, [factors(0)], [one]),
            _ => {}
        }
    }
}

#[inline(always)]
fn add_tile<S: Simd, const C: usize, const R: usize>(
    simd: S,
    columns: [&[f64]; C],
    factors: [[f64; C]; R],
    sums: [&mut [f64; BLOCK]; R],
) {
    let (lanes, count) = (S::f64s::LEN, columns[0].len());
    let whole = count / lanes * lanes;
    let splats = factors.map(|row| row.map(|factor| S::f64s::splat(simd, factor)));
    for start in (0..whole).step_by(lanes) {
        let x = columns.map(|column| S::f64s::from_slice(simd, &column[start..start + lanes]));
        for r in 0..R {
            let place = &mut sums[r][start..start + lanes];
            let mut sum = S::f64s::from_slice(simd, place);
            for c in 0..C {
                sum += splats[r][c] * x[c];
            }
            sum.store_slice(place);
        }
    }
    for i in whole..count {
        for r in 0..R {
            for c in 0..C {
                sums[r][i] += factors[r][c] * columns[c][i];
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
