//! What the posterior says about each component of an estimate.

use mixgist::Result;
use mixgist::components::{Component, Components, Intervals, PosteriorInterval};
use serde::{Deserialize, Serialize};

use super::{About, EstimateOrigin, ProbabilityDocument, SettingsDocument, rows};
use crate::formats::json::Schema;
use crate::summary::{MeasureDocument, WarningDocument};

/// The schema of components.
pub const COMPONENTS_SCHEMA: Schema = Schema { name: "mixgist.components", version: 1 };

/// A component that at least this share of the draws holds in pieces deserves a remark.
pub const NOTABLE_PIECES: f64 = 0.2;

/// The components of an estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComponentsDocument {
    /// Level of the intervals.
    pub level: f64,
    /// Atoms that overlap by this much are near.
    pub overlap: f64,
    /// A draw has a component when it holds this share of its weight.
    pub share: f64,
    /// Lighter atoms of the estimate are not reported.
    pub least_weight: f64,
    /// Where the estimate comes from.
    pub estimate_source: String,
    /// Which draw it is, when it is one of them.
    pub estimate_draw: Option<usize>,
    /// Number of draws.
    pub draws: usize,
    /// Dimension of the means.
    pub dim: usize,
    /// Names of the data columns.
    pub columns: Option<Vec<String>>,
    /// How distances were computed, where they decided on the estimate; the units are those in which atoms were coupled.
    #[serde(flatten)]
    pub settings: SettingsDocument,
    /// What the reader should know.
    pub warnings: Vec<WarningDocument>,
    /// The components, heaviest first.
    pub components: Vec<ComponentDocument>,
    /// Those that can only be told together.
    pub groups: Vec<GroupDocument>,
    /// Mass of a draw that belongs to none of them.
    pub unmatched: IntervalDocument,
    /// Weight of the atoms that are too light to be reported.
    pub unreported_weight: f64,
    /// The estimate.
    pub estimate: MeasureDocument,
}

/// Atoms that cannot be told apart, as one component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupDocument {
    /// The atoms.
    pub atoms: Vec<usize>,
    /// The component that they make together.
    pub together: ComponentDocument,
}

/// The posterior of one atom of the estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComponentDocument {
    /// Its index in the estimate.
    pub atom: usize,
    /// Other atoms of the estimate that are equal to it or nearly so, and make one component with it.
    #[serde(default)]
    pub twins: Vec<usize>,
    /// Its weight there.
    pub weight: f64,
    /// Its mean there.
    pub mean: Vec<f64>,
    /// Its covariance there.
    pub covariance: Vec<Vec<f64>>,
    /// Probability that a draw has such a component; that of the group when it cannot be told apart.
    pub existence: ProbabilityDocument,
    /// Probability that a draw is ambiguous for it.
    pub ambiguity: f64,
    /// Probability that a draw holds it in pieces.
    pub in_pieces: f64,
    /// Probability that a draw has, beside the estimate's atom, what it stands for; 0 unless notable.
    #[serde(default)]
    pub beside: f64,
    /// `clear`, `ambiguous`, `indistinct` or `rare`: the draws that have it are worth too few independent ones for intervals.
    pub standing: String,
    /// Atoms that it cannot be told apart from.
    pub rivals: Vec<usize>,
    /// Intervals, where they make sense.
    pub intervals: Option<IntervalsDocument>,
}

/// Intervals of a component's parameters over the draws that have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalsDocument {
    /// Weight.
    pub weight: IntervalDocument,
    /// Mean, each coordinate.
    pub mean: Vec<IntervalDocument>,
    /// Standard deviation, each coordinate.
    pub sd: Vec<IntervalDocument>,
    /// Entries of the covariance; empty in many dimensions.
    pub covariance: Vec<Vec<IntervalDocument>>,
    /// Correlations; empty in many dimensions.
    pub correlation: Vec<Vec<IntervalDocument>>,
    /// Where the mean is.
    pub mean_ellipse: EllipseDocument,
}

/// {x : (x − center)ᵀ covariance⁻¹ (x − center) ≤ radius²}.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EllipseDocument {
    /// The centre.
    pub center: Vec<f64>,
    /// The shape.
    pub covariance: Vec<Vec<f64>>,
    /// The size; `null` when the draws do not differ.
    pub radius: Option<f64>,
}

/// What the posterior says about one number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IntervalDocument {
    /// Posterior mean.
    pub mean: f64,
    /// Posterior median.
    pub median: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl From<PosteriorInterval> for IntervalDocument {
    fn from(interval: PosteriorInterval) -> Self {
        let PosteriorInterval { mean, median, low, high } = interval;
        IntervalDocument { mean, median, low, high }
    }
}

impl ComponentsDocument {
    /// The document of the components of an estimate.
    pub fn new(found: &Components, estimate: &EstimateOrigin, about: &About) -> Result<Self> {
        let d = about.ensemble.dim();
        let group = |group: &mixgist::components::Group| GroupDocument {
            atoms: group.atoms.clone(),
            together: ComponentDocument::new(&group.together, d),
        };
        let settings = SettingsDocument::new(about.settings, d)?;
        Ok(ComponentsDocument {
            level: found.rules.level,
            overlap: found.rules.overlap,
            share: found.rules.share,
            least_weight: found.rules.least_weight,
            estimate_source: estimate.source.into(),
            estimate_draw: estimate.draw,
            draws: about.ensemble.len(),
            dim: d,
            columns: about.columns.map(<[String]>::to_vec),
            settings: SettingsDocument { units: found.units.name(), ..settings },
            warnings: found.warnings.iter().map(WarningDocument::from).collect(),
            components: found.components.iter().map(|one| ComponentDocument::new(one, d)).collect(),
            groups: found.groups.iter().map(group).collect(),
            unmatched: found.unmatched.into(),
            unreported_weight: found.unreported_weight,
            estimate: estimate.measure.into(),
        })
    }
}

impl ComponentDocument {
    fn new(component: &Component, d: usize) -> Self {
        ComponentDocument {
            atom: component.atom,
            twins: component.twins.clone(),
            weight: component.weight,
            mean: component.mean.clone(),
            covariance: rows(&component.covariance, d),
            existence: component.existence.into(),
            ambiguity: component.ambiguity,
            in_pieces: component.in_pieces,
            beside: component.beside,
            standing: component.standing.name().into(),
            rivals: component.rivals.clone(),
            intervals: component.intervals.as_ref().map(|intervals| IntervalsDocument::new(intervals, d)),
        }
    }
}

impl IntervalsDocument {
    fn new(intervals: &Intervals, d: usize) -> Self {
        let list = |all: &[PosteriorInterval]| all.iter().map(|&one| one.into()).collect::<Vec<IntervalDocument>>();
        IntervalsDocument {
            weight: intervals.weight.into(),
            mean: list(&intervals.mean),
            sd: list(&intervals.sd),
            covariance: rows(&list(&intervals.covariance), d),
            correlation: rows(&list(&intervals.correlation), d),
            mean_ellipse: EllipseDocument {
                center: intervals.mean_ellipse.center.clone(),
                covariance: rows(&intervals.mean_ellipse.covariance, d),
                radius: intervals.mean_ellipse.radius,
            },
        }
    }
}
