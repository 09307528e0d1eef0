//! mixgist: the gist of a mixture posterior.
//!
//! Posterior draws of a mixing measure go in ([`Ensemble`]), one point estimate comes out, with the density and the partition
//! that it implies and the evidence for it.
//!
//! Start with [`Posterior`], which binds draws, data and [`Settings`] and answers every question, or with [`summarize`], its short form.

#![warn(unreachable_pub, unnameable_types)]

mod about;
mod agreement;
mod aligned;
mod allocate;
mod answers;
mod atoms;
mod blocks;
mod by_name;
pub mod components;
pub mod credible;
mod data_check;
pub mod density;
pub mod diagnostics;
mod document;
mod effective;
mod ensemble;
mod error;
pub mod fits;
mod free;
mod how_many;
pub mod inspect;
mod kernel;
mod labels;
pub mod linalg;
mod line;
mod loss;
mod memberships;
mod metric;
mod mixture;
pub mod narrative;
mod normal;
mod overlap;
mod pairwise;
mod parting;
pub mod partition;
mod points;
mod posterior;
pub mod printable;
mod progress;
mod projection;
mod prune;
pub mod random;
pub mod representatives;
mod rounded;
mod select;
mod setters;
mod settings;
mod simulate;
pub mod slice;
mod slice_error;
pub mod stability;
mod summary;
mod support;
mod tails;
mod target;
pub mod text;
pub mod transport;
mod units;
mod variation;
mod vector_math;
mod warning;
mod work;

pub use about::{About, Reading, Source, SourceFile};
pub use agreement::{Agreement, ChainVerdict, TraceAgreement};
pub use aligned::{AlignedDraws, Alignment, Carried, CarriedComponent, Gone, align, align_with, carry, check_names};
pub use allocate::{
    Allocation, MembershipBlock, allocate, for_each_membership_block, memberships, sample_labels, sample_partitions,
};
pub use atoms::{CovarianceForm, GaussianAtoms};
pub use blocks::{BlockAnswer, BlockJob, BlockQuestion, BlockWorkers, DrawBlocks, EnsembleBlocks};
pub use data_check::{ColumnCheck, DataCheck, Transformation};
pub use density::GridDensity;
pub use effective::Probability;
pub use ensemble::{Ensemble, EnsembleBuilder, MixingMeasure, PlainDraws, Trace};
pub use error::{Error, ErrorKind, Place, Result, SystemCause};
pub use free::{AlignedSupport, Assessment, AtomCount, Estimator, Floor, FreeSupport, HeldOut, Judgement, PathPoint};
pub use how_many::{CountPosterior, HeavierThan, HowMany, MergedAt, Occupied, OccupiedClusters, how_many};
pub use inspect::{Inspection, inspect};
pub use labels::{LabelIter, LabelSlice, Labels, Partition, PartitionDraws};
pub use line::Order;
pub use loss::Loss;
pub use memberships::{Memberships, MembershipsBlock, for_each_memberships_block, membership_posterior};
pub use metric::{Matrix, Metric};
pub use mixture::Mixture;
pub use pairwise::{Condensed, Desk, Distance, DistanceMatrix, SlicedDistance};
pub use parting::{Cut, DiscriminantAxes, discriminant_axes};
pub use points::Points;
pub use posterior::{Answer, Computed, Estimate, Posterior, estimate, summarize, summarize_blocks, summarize_over};
pub use progress::{Progress, Silent};
pub use prune::{Pruned, Pruning};
pub use select::{ChoiceVerdict, Margin, Medoid, Route, RunnerUp};
pub use settings::{GivenDirections, Settings, SliceCount, SlicerName};
pub use simulate::{SampledPoints, sample_points};
pub use summary::Summary;
pub use support::mass_without_draws;
pub use text::Text;
pub use units::{ResolvedUnits, Units};
pub use variation::{ExpectedVariation, expected_variation};
#[doc(hidden)] // the samplers' inner loop has it from here
pub use vector_math::exp::exp_nonpositive;
pub use warning::{SliceOrigin, Warning};
pub use work::{SliceAnswer, SliceJob, Workers};

/// The example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
