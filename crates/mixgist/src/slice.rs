//! Slices: maps from atoms to the line. A slicer is a distribution of slices; freezing it gives L of them that all draws share.
//!
//! To add a sliced distance, write one file beside this one and one line in [`SLICERS`].

mod balanced;
mod chart;
mod coordinates;
mod custom;
mod directions;
mod mix_sw;
mod quasi;
mod smix_w;
mod sw;

use std::collections::BTreeMap;
use std::ops::Range;

pub use chart::{Chart, Narrowest};
pub use coordinates::Coordinates;
pub use custom::CustomSlices;
pub use directions::Scheme;

use crate::atoms::GaussianAtoms;
use crate::text;
use crate::text::index;
use crate::{Error, Result};

/// L frozen slices: everything that turns atoms into positions on L lines.
pub trait Slices: Send + Sync {
    /// Number of slices L.
    fn len(&self) -> usize;

    /// Whether there are no slices.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The coordinates of the atoms that the slices look at, computed once for all slices.
    fn coordinates(&self, atoms: &GaussianAtoms) -> Coordinates;

    /// Positions of all atoms on the given slices: `out` is (slices × atoms), row-major.
    fn project(&self, slices: Range<usize>, coordinates: &Coordinates, out: &mut [f64]);

    /// How far apart atoms i and j can be on any of the slices; `None` when that is not known, and then nothing is pruned.
    fn reach(&self, coordinates: &Coordinates, i: usize, j: usize) -> Option<f64> {
        let _ = (coordinates, i, j);
        None
    }

    /// Derivatives of positions, for estimates that are not confined to the draws; `None` when the slices have none.
    fn tangents(&self) -> Option<&dyn Tangents> {
        None
    }

    /// Which slices are statistically independent of each other: what the standard errors are computed from.
    fn replicates(&self) -> Replicates {
        Replicates::Consecutive(1)
    }
}

/// Slices whose positions can be differentiated with respect to the atoms.
pub trait Tangents: Send + Sync {
    /// The coordinates of atoms in which the derivatives are taken.
    fn chart(&self) -> Chart;

    /// Positions of atoms on one slice and their derivatives: `points` and `tangents` are (atoms × F), F the width of the chart
    /// in dimension `dim`.
    fn differentiate(&self, slice: usize, points: &[f64], positions: &mut [f64], tangents: &mut [f64]);

    /// Positions of atoms on some slices: `positions` is (slices × atoms). What [`Tangents::differentiate`] says, unless there is a faster way.
    fn positions(&self, slices: Range<usize>, points: &[f64], positions: &mut [f64]) {
        let atoms = positions.len() / slices.len();
        let mut tangents = vec![0.0; points.len()];
        for (slice, positions) in slices.zip(positions.chunks_exact_mut(atoms)) {
            self.differentiate(slice, points, positions, &mut tangents);
        }
    }

    /// Adds to `gradient`, (atoms × F), the derivatives of Σ slope × position over some slices and all atoms; `slopes` are (slices × atoms). What
    /// [`Tangents::differentiate`] says up to rounding, unless there is a faster way.
    fn add_gradient(&self, slices: Range<usize>, points: &[f64], slopes: &[f64], gradient: &mut [f64]) {
        let atoms = slopes.len() / slices.len();
        let (mut positions, mut tangents) = (vec![0.0; atoms], vec![0.0; points.len()]);
        for (slice, slopes) in slices.zip(slopes.chunks_exact(atoms)) {
            self.differentiate(slice, points, &mut positions, &mut tangents);
            let width = points.len() / atoms;
            let of_atoms = gradient.chunks_exact_mut(width).zip(tangents.chunks_exact(width));
            for ((sums, tangent), slope) in of_atoms.zip(slopes) {
                sums.iter_mut().zip(tangent).for_each(|(sum, t)| *sum += slope * t);
            }
        }
    }
}

/// How slices fall into groups that are independent of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replicates {
    /// Runs of this many slices.
    Consecutive(usize),
    /// Slice l belongs to group l mod this number.
    Interleaved(usize),
}

impl Replicates {
    /// The group of slice l.
    pub fn group(self, l: usize) -> usize {
        match self {
            Replicates::Consecutive(size) => l / size,
            Replicates::Interleaved(count) => l % count,
        }
    }
}

/// What a frozen set of slices depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Freeze {
    /// Dimension of the atoms' means.
    pub dim: usize,
    /// Which slices of the endless sequence; slice l depends on (seed, scheme, l) alone.
    pub slices: Range<usize>,
    /// The seed.
    pub seed: u64,
    /// How directions are spread.
    pub scheme: Scheme,
}

/// A distribution of slices, with the name that users see.
pub trait Slicer: Send + Sync {
    /// The name, as in `--distance NAME`.
    fn name(&self) -> &'static str;

    /// One line on what it projects.
    fn help(&self) -> &'static str;

    /// Freezes slices.
    fn freeze(&self, freeze: &Freeze) -> Box<dyn Slices>;

    /// Slices from directions that the user gives as named arrays.
    fn given(&self, dim: usize, arrays: &NamedArrays) -> Result<Box<dyn Slices>>;
}

/// Every slicer: the one table that all fronts read.
pub static SLICERS: [&dyn Slicer; 4] = [&sw::Sw, &mix_sw::MixSw::SPECTRAL, &mix_sw::MixSw::FROBENIUS, &smix_w::SmixW];

/// The slicer of that name.
pub fn slicer(name: &str) -> Result<&'static dyn Slicer> {
    SLICERS.into_iter().find(|slicer| slicer.name() == name).ok_or_else(|| {
        let known: Vec<_> = SLICERS.iter().map(|slicer| slicer.name()).collect();
        Error::usage(format!("unknown distance '{name}'")).hint(format!("one of: {}", known.join(", ")))
    })
}

/// A dense array with its shape, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// The entries; as many as the product of the shape.
    pub values: Vec<f64>,
}

/// Arrays by name, such as the directions in a file.
pub type NamedArrays = BTreeMap<String, Array>;

/// The array `name` of shape (L, …`rest`), finite, with L > 0.
fn direction_array<'a>(arrays: &'a NamedArrays, name: &str, rest: &[usize]) -> Result<&'a Array> {
    let array = arrays.get(name).ok_or_else(|| {
        let known: Vec<_> = arrays.keys().map(String::as_str).collect();
        let held = if known.is_empty() { "no arrays".to_owned() } else { known.join(", ") };
        Error::input(format!("directions hold no array '{name}'")).hint(format!("there are: {held}"))
    })?;
    if array.shape.len() != rest.len() + 1 || array.shape[1..] != *rest || array.shape[0] == 0 {
        let expected: Vec<_> = std::iter::once("L".to_owned()).chain(rest.iter().map(usize::to_string)).collect();
        return Err(Error::input(format!(
            "array '{name}' has shape {:?}, expected ({})",
            array.shape,
            expected.join(", ")
        )));
    }
    if array.shape.iter().product::<usize>() != array.values.len() {
        return Err(Error::input(format!(
            "array '{name}' of shape {:?} holds {} numbers",
            array.shape,
            array.values.len()
        )));
    }
    match array.values.iter().position(|v| !v.is_finite()) {
        Some(i) => {
            // One of the array's numbers, by its direction: what comes after it differs in order between languages.
            let l = i / (array.values.len() / array.shape[0]);
            Err(Error::input(text![
                format!("array '{name}': direction "),
                index(l),
                format!(" holds {}", array.values[i])
            ]))
        }
        None => Ok(array),
    }
}

/// Lengths and symmetry of directions may be off by this much.
const ROUNDING: f64 = 1e-6;

/// Every direction of the array must have length 1; for matrices that is the root of the sum of all squared entries.
fn unit_length(name: &str, array: &Array) -> Result<()> {
    let size = array.values.len() / array.shape[0];
    let length = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let wrong =
        array.values.chunks_exact(size).map(length).enumerate().find(|(_, length)| (length - 1.0).abs() > ROUNDING);
    wrong.map_or(Ok(()), |(l, length)| {
        let what = format!(" has length {length}, must be 1");
        Err(Error::input(text![format!("array '{name}': direction "), index(l), what])
            .hint("divide every direction by its length"))
    })
}

/// Every matrix of the array must be symmetric.
fn symmetric(name: &str, array: &Array, dim: usize) -> Result<()> {
    let is_symmetric =
        |a: &[f64]| (0..dim).all(|i| (0..i).all(|j| (a[i * dim + j] - a[j * dim + i]).abs() <= ROUNDING));
    match array.values.chunks_exact(dim * dim).position(|a| !is_symmetric(a)) {
        Some(l) => Err(Error::input(text![format!("array '{name}': matrix "), index(l), " is not symmetric"])
            .hint("give (A + Aᵀ)/2, divided by its length")),
        None => Ok(()),
    }
}

/// The arrays of one slicer must hold the same number of directions.
fn same_length(arrays: &[(&str, &Array)]) -> Result<()> {
    let (first_name, first) = arrays[0];
    match arrays.iter().find(|(_, array)| array.shape[0] != first.shape[0]) {
        Some((name, array)) => Err(Error::input(format!(
            "array '{name}' holds {} directions, '{first_name}' holds {}",
            array.shape[0], first.shape[0]
        ))),
        None => Ok(()),
    }
}
