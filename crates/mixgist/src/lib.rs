//! mixgist: the gist of a mixture posterior.
//!
//! Posterior draws of a mixing measure go in ([`Ensemble`]), one point estimate comes out, with the density and the partition
//! that it implies and the evidence for it.

pub mod allocate;
pub mod atoms;
pub mod density;
pub mod ensemble;
pub mod error;
pub mod kernel;
pub mod linalg;
pub mod mixture;
pub mod points;
pub mod progress;
pub mod random;
pub mod simulate;
pub mod transport;

pub use allocate::{Allocation, allocate};
pub use atoms::{CovarianceForm, GaussianAtoms};
pub use density::GridDensity;
pub use ensemble::{Ensemble, MixingMeasure};
pub use error::{Error, ErrorKind, Result};
pub use mixture::Mixture;
pub use points::Points;
pub use progress::{Progress, Silent};
