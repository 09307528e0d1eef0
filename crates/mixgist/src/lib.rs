//! mixgist: the gist of a mixture posterior.
//!
//! Posterior draws of a mixing measure go in ([`Ensemble`]), one point estimate comes out, with the density and the partition
//! that it implies and the evidence for it.

pub mod atoms;
pub mod diagnostics;
pub mod ensemble;
pub mod error;
pub mod linalg;
pub mod progress;
pub mod random;

pub use atoms::{CovarianceForm, GaussianAtoms};
pub use ensemble::{Ensemble, MixingMeasure};
pub use error::{Error, ErrorKind, Result};
pub use progress::{Progress, Silent};
