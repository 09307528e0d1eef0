//! What can be said with confidence, as JSON documents: credible sets, components, representatives, stability cards. Draws, atoms and labels
//! count from 0.

mod components;
mod credible;
mod representatives;
mod settings;
mod stability;

pub use components::{
    COMPONENTS_SCHEMA, ComponentDocument, ComponentsDocument, EllipseDocument, GroupDocument, IntervalDocument,
    IntervalsDocument, NOTABLE_PIECES,
};
pub use credible::{
    BallDocument, CREDIBLE_SCHEMA, ConformalDocument, CredibleDocument, MemberDocument, RegionDocument,
};
pub use representatives::{
    DensityDocument, REPRESENTATIVES_SCHEMA, RepresentativeDocument, RepresentativesDocument, TestDocument,
};
pub use settings::SettingsDocument;
pub(crate) use settings::scheme;
pub use stability::{CheckDocument, STABILITY_SCHEMA, StabilityDocument};

use mixgist::effective::Probability;
use mixgist::{Ensemble, MixingMeasure, Settings};
use serde::{Deserialize, Serialize};

/// The draws that a document is about, and how distances between them were measured.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The draws.
    pub ensemble: &'a Ensemble,
    /// The settings.
    pub settings: &'a Settings,
    /// Names of the data columns.
    pub columns: Option<&'a [String]>,
}

/// The estimate that a document is about, and where it comes from.
#[derive(Clone, Copy)]
pub struct EstimateOrigin<'a> {
    /// The estimate.
    pub measure: &'a MixingMeasure,
    /// Which draw it is, when it is one of them.
    pub draw: Option<usize>,
    /// Where it comes from, for a person.
    pub source: &'a str,
}

/// A posterior probability with its Monte Carlo error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProbabilityDocument {
    /// The share of the draws, by weight.
    pub value: f64,
    /// Its Monte Carlo standard error.
    pub standard_error: f64,
    /// Lower end of its 95 % Monte Carlo interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How many independent draws it rests on.
    pub effective_draws: f64,
}

impl From<Probability> for ProbabilityDocument {
    fn from(p: Probability) -> Self {
        let Probability { value, standard_error, low, high, effective_draws } = p;
        ProbabilityDocument { value, standard_error, low, high, effective_draws }
    }
}

/// The rows of a flat d × d array.
fn rows<T: Clone>(flat: &[T], d: usize) -> Vec<Vec<T>> {
    flat.chunks_exact(d).map(<[T]>::to_vec).collect()
}
