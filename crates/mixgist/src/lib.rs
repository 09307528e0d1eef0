//! mixgist: the gist of a mixture posterior.
//!
//! Posterior draws of a mixing measure go in ([`Ensemble`]), one point estimate comes out, with the density and the partition
//! that it implies and the evidence for it.

mod about;
pub mod agreement;
pub mod aligned;
pub mod allocate;
mod answers;
pub mod atoms;
mod by_name;
pub mod components;
pub mod credible;
pub mod data_check;
pub mod density;
pub mod diagnostics;
mod document;
pub mod effective;
pub mod ensemble;
pub mod error;
pub mod free;
pub mod how_many;
pub mod inspect;
pub mod kernel;
pub mod labels;
pub mod linalg;
pub mod line;
mod loss;
pub mod memberships;
pub mod metric;
pub mod mixture;
pub mod narrative;
mod normal;
mod overlap;
pub mod pairwise;
pub mod parting;
pub mod partition;
pub mod points;
pub mod posterior;
pub mod printable;
pub mod progress;
mod projection;
pub mod prune;
pub mod random;
pub mod representatives;
pub mod select;
mod settings;
pub mod simulate;
pub mod slice;
mod slice_error;
pub mod stability;
pub mod summary;
mod support;
mod tails;
pub mod text;
pub mod transport;
pub mod units;
mod vector_math;
pub mod warning;

pub use about::{About, Reading, Source, SourceFile};
pub use agreement::{Agreement, ChainVerdict};
pub use aligned::{AlignedDraws, Alignment, align};
pub use allocate::{Allocation, allocate};
pub use atoms::{CovarianceForm, GaussianAtoms};
pub use data_check::{DataCheck, Transformation};
pub use density::GridDensity;
pub use ensemble::{Ensemble, MixingMeasure, Trace};
pub use error::{Error, ErrorKind, Result, SystemCause};
pub use free::{AlignedSupport, Assessment, AtomCount, Estimator, Floor, FreeSupport, Judgement, PathPoint};
pub use inspect::{Inspection, inspect};
pub use labels::{Partition, PartitionDraws};
pub use line::Order;
pub use loss::Loss;
pub use metric::Metric;
pub use mixture::Mixture;
pub use pairwise::{Condensed, Distance, DistanceMatrix, SlicedDistance};
pub use points::Points;
pub use posterior::{Answer, Estimate, Posterior, estimate, summarize, summarize_over};
pub use progress::{Progress, Silent};
pub use prune::{Pruned, Pruning};
pub use select::{ChoiceVerdict, Margin, Medoid, Route, RunnerUp};
pub use settings::{GivenDirections, Settings, SliceCount, SlicerName};
pub use summary::Summary;
pub use support::mass_without_draws;
pub use text::Text;
pub use units::{ResolvedUnits, Units};
pub use warning::{SliceOrigin, Warning};

/// The example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
