//! Slices by a function of the user: any map from atoms to positions on L lines.

use std::ops::Range;

use super::{Coordinates, Slices};
use crate::atoms::GaussianAtoms;

/// L slices that a function computes at once: it fills an (L × atoms) array, row-major, for the atoms that it is given.
pub struct CustomSlices<F> {
    count: usize,
    positions: F,
}

impl<F: Fn(&GaussianAtoms, &mut [f64]) + Send + Sync> CustomSlices<F> {
    /// `count` slices whose positions the function writes. The function must depend on each atom alone, so that the result is a
    /// distance; positions that are not finite are reported as an error when the slices are used.
    pub fn new(count: usize, positions: F) -> Self {
        CustomSlices { count, positions }
    }
}

impl<F: Fn(&GaussianAtoms, &mut [f64]) + Send + Sync> Slices for CustomSlices<F> {
    fn len(&self) -> usize {
        self.count
    }

    /// The positions themselves, a column for each slice.
    fn coordinates(&self, atoms: &GaussianAtoms) -> Coordinates {
        let mut positions = vec![0.0; self.count * atoms.len()];
        (self.positions)(atoms, &mut positions);
        Coordinates::new(atoms.len(), positions)
    }

    fn project(&self, slices: Range<usize>, coordinates: &Coordinates, out: &mut [f64]) {
        for (l, row) in slices.zip(out.chunks_exact_mut(coordinates.atoms())) {
            row.copy_from_slice(coordinates.column(l));
        }
    }
}
