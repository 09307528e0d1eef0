//! mixgist: the gist of a mixture posterior.
//!
//! Posterior draws of a mixing measure go in ([`Ensemble`]), one point estimate comes out, with the density and the partition
//! that it implies and the evidence for it.

pub mod atoms;
pub mod ensemble;
pub mod error;
pub mod line;
pub mod linalg;
pub mod pairwise;
pub mod progress;
mod projection;
pub mod prune;
pub mod random;
pub mod select;
pub mod slice;
mod slice_error;
mod vector_math;

pub use atoms::{CovarianceForm, GaussianAtoms};
pub use ensemble::{Ensemble, MixingMeasure};
pub use error::{Error, ErrorKind, Result};
pub use line::Order;
pub use pairwise::{Condensed, Distance, DistanceMatrix, SlicedDistance};
pub use progress::{Progress, Silent};
pub use prune::{Pruned, Pruning};
pub use select::{Loss, Medoid, Route, RunnerUp};
