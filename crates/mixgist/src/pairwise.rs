//! Sliced distances between draws: the full matrix, rows of it, and single pairs, each with its Monte Carlo error over slices.

mod answers;
mod decomposition;
mod desk;
mod kept;
mod matrix;
mod rows;
mod sliced;
mod tile;

pub(crate) use decomposition::{FromMean, WEIGHTINGS, Weightings};
pub use desk::Desk;
pub(crate) use kept::KEPT_BYTES;
pub(crate) use matrix::cost_matrix;
pub use matrix::{Condensed, DistanceMatrix};
pub(crate) use rows::{AnchorRows, Decompositions, MOST_MERGED, SliceRows, Spread, most_merged_bytes};
pub use sliced::{Distance, SlicedDistance};
