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

    /// μ, then `size` numbers that `fill` makes of each covariance: it gets up to [`LANES`] neighbouring atoms, scratch space for as many pairs of d × d
    /// matrices, and `size` vectors, in which each atom has a lane.
    pub(super) fn of_means_and(
        atoms: &GaussianAtoms,
        size: usize,
        fill: impl Fn(Range<usize>, &mut [Lanes], &mut [Lanes]) + Sync,
    ) -> Self {
        const TASKS: usize = 16;
        let (n, d) = (atoms.len(), atoms.dim());
        let mut columns = mean_columns(atoms);
        columns.resize(n * (d + size), 0.0);
        // Atoms in parallel, eight by eight, then a transposition: logarithms and factors dominate.
        let eights = ((1 << 13) / size).clamp(1, 32);
        let together = LANES * eights;
        let mut rows = vec![[0.0; LANES]; TASKS * eights * size];
        for start in (0..n).step_by(TASKS * together) {
            let end = n.min(start + TASKS * together);
            rows.par_chunks_mut(size * eights).enumerate().for_each(|(task, rows)| {
                let mut scratch = vec![[0.0; LANES]; 2 * d * d];
                let own = (start + task * together).min(end)..(start + (task + 1) * together).min(end);
                for (first, rows) in own.clone().step_by(LANES).zip(rows.chunks_exact_mut(size)) {
                    fill(first..own.end.min(first + LANES), &mut scratch, rows);
                }
            });
            columns[n * d..].par_chunks_exact_mut(n).enumerate().for_each(|(c, column)| {
                for (slots, lanes) in column[start..end].chunks_mut(LANES).zip(rows[c..].iter().step_by(size)) {
                    slots.copy_from_slice(&lanes[..slots.len()]);
                }
            });
        }
        Coordinates { atoms: n, columns }
    }

    /// (μ, Σ or log Σ) with off-diagonal entries once, times √2: an isometry from (R^d, Frobenius) to Euclidean space.
    pub(super) fn isometric(atoms: &GaussianAtoms, matrix: MatrixCoordinate) -> Self {
        let d = atoms.dim();
        let size = d * (d + 1) / 2;
        Self::of_means_and(atoms, size, |own, scratch, lanes| {
            let (log, folded) = scratch.as_flattened_mut()[..2 * d * d].split_at_mut(d * d);
            for (lane, atom) in own.enumerate() {
                let covariance = atoms.covariance(atom);
                let matrix = match matrix {
                    MatrixCoordinate::Covariance => covariance,
                    MatrixCoordinate::LogCovariance => {
                        log_spd(covariance, d, log);
                        &*log
                    }
                };
                fold_symmetric(matrix, d, &mut folded[..size]);
                lanes.iter_mut().zip(&*folded).for_each(|(lanes, x)| lanes[lane] = *x);
            }
        })
    }
}

/// Atoms that are worked on side by side.
pub(super) const LANES: usize = 8;

/// A number of each.
pub(super) type Lanes = [f64; LANES];

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
    let mut block = Block::new(width);
    for start in (0..n).step_by(block.atoms) {
        let atoms = block.load(coordinates, start);
        let mut rest = (directions, &mut *out);
        while !rest.0.is_empty() {
            let slices = match rest.0.len() / width {
                1 => block_of_forms::<S, 1>(simd, &block, rest.0, atoms.clone(), n, rest.1),
                2 | 3 => block_of_forms::<S, 2>(simd, &block, rest.0, atoms.clone(), n, rest.1),
                _ => block_of_forms::<S, 4>(simd, &block, rest.0, atoms.clone(), n, rest.1),
            };
            rest = (&rest.0[slices * width..], &mut rest.1[slices * n..]);
        }
    }
}

/// The forms of the first R directions for the atoms of a block. Returns R.
#[inline(always)]
fn block_of_forms<S: Simd, const R: usize>(
    simd: S,
    block: &Block,
    directions: &[f64],
    atoms: Range<usize>,
    n: usize,
    out: &mut [f64],
) -> usize {
    let width = block.width();
    let factors: [&[f64]; R] = std::array::from_fn(|r| &directions[r * width..(r + 1) * width]);
    let mut sums = [[0.0; Block::MOST_ATOMS]; R];
    for first in block.tiles::<S>(atoms.len()) {
        let tile = block.forms(simd, first, 0..width, factors);
        for (sums, tile) in sums.iter_mut().zip(&tile) {
            store_tile::<S>(tile, &mut sums[first..]);
        }
    }
    for (row, sums) in out.chunks_mut(n).zip(&sums) {
        row[atoms.clone()].copy_from_slice(&sums[..atoms.len()]);
    }
    R
}

/// Coordinates of some neighbouring atoms, copied so that they stay in the cache while all slices are formed of them: coordinate after coordinate, zeros
/// after the last atom.
pub(super) struct Block {
    atoms: usize,
    numbers: Vec<f64>,
}

/// Vectors of atoms whose sums are formed together, for several slices: as many as there are registers for.
const VECTORS: usize = 2;

impl Block {
    /// Atoms of a block at most.
    pub(super) const MOST_ATOMS: usize = 256;

    /// Numbers of a block, unless it is of the least size: half of a second-level cache of 1 MB.
    const NUMBERS: usize = 1 << 16;

    /// An empty block for as many coordinates, the first ones of an atom.
    pub(super) fn new(width: usize) -> Self {
        // Whole tiles of the longest vectors.
        let atoms = (Self::NUMBERS / width / 16 * 16).clamp(16, Self::MOST_ATOMS);
        Block { atoms, numbers: vec![0.0; atoms * width] }
    }

    /// Atoms that a block holds.
    pub(super) fn atoms(&self) -> usize {
        self.atoms
    }

    /// Number of coordinates.
    fn width(&self) -> usize {
        self.numbers.len() / self.atoms
    }

    /// Copies the atoms from `start` on, and says which they are.
    pub(super) fn load(&mut self, coordinates: &Coordinates, start: usize) -> Range<usize> {
        let atoms = start..coordinates.atoms.min(start + self.atoms);
        for (c, numbers) in self.numbers.chunks_exact_mut(self.atoms).enumerate() {
            numbers[..atoms.len()].copy_from_slice(&coordinates.column(c)[atoms.clone()]);
            numbers[atoms.len()..].fill(0.0);
        }
        atoms
    }

    /// Where the tiles of the first `count` atoms begin.
    pub(super) fn tiles<S: Simd>(&self, count: usize) -> impl Iterator<Item = usize> + use<S> {
        (0..count).step_by(VECTORS * S::f64s::LEN)
    }

    /// For R slices and the atoms of the tile that begins at `first`, the sums over the given columns of factor times coordinate. For each atom the columns
    /// are added in order, so that the bits do not depend on the length of vectors.
    ///
    /// The sums stay in registers over all columns; there are as many products for every number that is loaded as in a matrix product.
    #[inline(always)]
    pub(super) fn forms<S: Simd, const R: usize>(
        &self,
        simd: S,
        first: usize,
        columns: Range<usize>,
        factors: [&[f64]; R],
    ) -> [[S::f64s; VECTORS]; R] {
        let lanes = S::f64s::LEN;
        let mut sums = [[S::f64s::splat(simd, 0.0); VECTORS]; R];
        let numbers = &self.numbers[columns.start * self.atoms..columns.end * self.atoms];
        for (c, column) in numbers.chunks_exact(self.atoms).enumerate() {
            let column = &column[first..first + VECTORS * lanes];
            let (one, other) = column.split_at(lanes);
            let x = [S::f64s::from_slice(simd, one), S::f64s::from_slice(simd, other)];
            for (sums, factors) in sums.iter_mut().zip(&factors) {
                let factor = S::f64s::splat(simd, factors[c]);
                for (sum, x) in sums.iter_mut().zip(&x) {
                    *sum += factor * *x;
                }
            }
        }
        sums
    }
}

/// Writes the numbers of a tile for one slice.
#[inline(always)]
pub(super) fn store_tile<S: Simd>(tile: &[S::f64s; VECTORS], out: &mut [f64]) {
    for (vector, out) in tile.iter().zip(out.chunks_exact_mut(S::f64s::LEN)) {
        vector.store_slice(out);
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

    /// More atoms than fit into a block, and neither they nor the directions a whole number of tiles.
    #[test]
    fn linear_forms_have_the_same_bits_at_every_level_and_are_sums_of_products() {
        const ATOMS: usize = 1037;
        const WIDTH: usize = 7;
        const DIRECTIONS: usize = 7;
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
