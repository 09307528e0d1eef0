//! mixgist: the gist of a mixture posterior.
//!
//! Posterior draws of a mixing measure go in ([`Ensemble`]), one point estimate comes out, with the density and the partition
//! that it implies and the evidence for it.

pub mod allocate;
pub mod atoms;
pub mod components;
pub mod credible;
pub mod density;
pub mod diagnostics;
pub mod effective;
pub mod ensemble;
pub mod error;
pub mod free;
pub mod inspect;
pub mod kernel;
pub mod labels;
pub mod linalg;
pub mod line;
pub mod metric;
pub mod mixture;
mod normal;
pub mod pairwise;
pub mod partition;
pub mod points;
pub mod progress;
mod projection;
pub mod printable;
pub mod prune;
pub mod random;
pub mod representatives;
pub mod ruler;
pub mod select;
pub mod simulate;
pub mod slice;
mod slice_error;
pub mod stability;
pub mod summary;
pub mod transport;
pub mod units;
mod vector_math;
pub mod warning;

pub use allocate::{Allocation, allocate};
pub use atoms::{CovarianceForm, GaussianAtoms};
pub use density::GridDensity;
pub use ensemble::{Ensemble, MixingMeasure};
pub use error::{Error, ErrorKind, Result, SystemCause};
pub use free::{Assessment, AtomCount, Estimator, Floor, FreeSupport, Judgement, PathPoint};
pub use inspect::{Inspection, inspect};
pub use labels::{Partition, PartitionDraws};
pub use line::Order;
pub use metric::Metric;
pub use mixture::Mixture;
pub use pairwise::{Condensed, Distance, DistanceMatrix, SlicedDistance};
pub use points::Points;
pub use progress::{Progress, Silent};
pub use prune::{Pruned, Pruning};
pub use select::{Loss, Medoid, Route, RunnerUp};
pub use summary::{Settings, SliceCount, Summary, estimate, summarize, summarize_over};
pub use units::{ResolvedUnits, Units};
pub use warning::{SliceOrigin, Warning};

/// The example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
