//! The summary as a JSON document: what the command line prints with `--json` and what other programs read.

use mixgist::{Ensemble, Error, MixingMeasure, Result, Settings, Summary, Warning};
use serde::{Deserialize, Serialize};

use crate::assessment::AssessmentDocument;
use crate::formats::json::Schema;
use crate::provenance::SourceDocument;

/// The schema of summaries.
pub const SUMMARY_SCHEMA: Schema = Schema { name: "mixgist.summary", version: 1 };

/// A summary with the settings that produced it. Draws, atoms and labels count from 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryDocument {
    /// Version of mixgist that wrote it.
    pub mixgist_version: String,
    /// Which estimate it is: `medoid` or `free`. With `free`, everything about a draw, its losses and its route is about the medoid that the fit
    /// started from; `estimate`, `distances` and labels are those of the estimate.
    #[serde(default = "medoid")]
    pub estimator: String,
    /// The chosen draw.
    pub draw: usize,
    /// Its chain and iteration.
    pub chain: u32,
    /// Iteration within the chain.
    pub iteration: u64,
    /// Number of draws.
    pub draws: usize,
    /// Dimension of the means.
    pub dim: usize,
    /// Mean loss over all draws.
    pub expected_loss: f64,
    /// Its Monte Carlo standard error over slices.
    pub expected_loss_se: Option<f64>,
    /// The best draw that differs from the chosen one.
    pub runner_up: Option<usize>,
    /// Its expected loss.
    pub runner_up_expected_loss: Option<f64>,
    /// How far it is behind, in standard errors of the difference.
    pub separation: Option<f64>,
    /// The route that found the draw.
    pub route: String,
    /// How many draws had their loss computed exactly.
    pub exact_draws: usize,
    /// Name of the distance.
    pub distance: String,
    /// The order p.
    pub order: f64,
    /// What was averaged: `distance` or `power`.
    pub loss: String,
    /// Number of slices.
    pub slices: usize,
    /// How directions are spread: `iid`, `orthogonal`, `qmc`, or `given`.
    pub scheme: String,
    /// Seed of the directions.
    pub seed: u64,
    /// The units in which distances were computed.
    pub units: UnitsDocument,
    /// What pruning did.
    pub pruned: PrunedDocument,
    /// What the reader should know.
    pub warnings: Vec<WarningDocument>,
    /// The estimate, in the original units.
    pub estimate: MeasureDocument,
    /// Distance from the estimate to every draw.
    pub distances: Vec<f64>,
    /// How good the estimates are: against the floor and on held-out slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<AssessmentDocument>,
    /// Expected loss of every draw, when the route computed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_losses: Option<Vec<f64>>,
    /// Label of every data row: the atom of the estimate that it most probably belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<u32>>,
    /// Probability of that label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Vec<f64>>,
    /// Number of distinct labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
    /// Names of the data columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// The files that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceDocument>,
}

fn medoid() -> String {
    "medoid".into()
}

/// Units with their numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnitsDocument {
    /// `none`, `sd`, `whiten`, or the numbers that were given.
    pub name: String,
    /// Scale of each coordinate.
    pub scales: Vec<f64>,
    /// Rows of the matrix T of the coordinates T x in which distances were computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<Vec<Vec<f64>>>,
}

/// What pruning did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrunedDocument {
    /// Atoms dropped, over all draws.
    pub atoms: usize,
    /// Largest mass that a draw moved.
    pub mass: f64,
    /// No transport cost changed by more than this.
    pub cost_bound: f64,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WarningDocument {
    /// Short name.
    pub name: String,
    /// What is the matter.
    pub message: String,
    /// What helps.
    pub advice: String,
}

/// A mixing measure: weights (K), means (K, d), covariances (K, d, d).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureDocument {
    /// The weights.
    pub weights: Vec<f64>,
    /// The means.
    pub means: Vec<Vec<f64>>,
    /// The covariances.
    pub covariances: Vec<Vec<Vec<f64>>>,
}

impl From<&MixingMeasure> for MeasureDocument {
    fn from(measure: &MixingMeasure) -> Self {
        let (atoms, d) = (measure.atoms(), measure.dim());
        MeasureDocument {
            weights: measure.weights().to_vec(),
            means: (0..measure.len()).map(|k| atoms.mean(k).to_vec()).collect(),
            covariances: (0..measure.len())
                .map(|k| atoms.covariance(k).chunks_exact(d).map(<[f64]>::to_vec).collect())
                .collect(),
        }
    }
}

impl TryFrom<&MeasureDocument> for MixingMeasure {
    type Error = Error;

    fn try_from(document: &MeasureDocument) -> Result<Self> {
        let dim = document.means.first().map_or(0, Vec::len);
        if document.means.iter().any(|mean| mean.len() != dim) {
            return Err(Error::input("means of the estimate have different lengths"));
        }
        let covariances = document.covariances.iter().flatten().flatten().copied().collect();
        let atoms = mixgist::GaussianAtoms::new(dim, document.means.concat(), covariances, Default::default())?;
        MixingMeasure::new(document.weights.clone(), atoms)
    }
}

impl From<&Warning> for WarningDocument {
    fn from(warning: &Warning) -> Self {
        WarningDocument { name: warning.name().into(), message: warning.to_string(), advice: warning.advice().into() }
    }
}

impl SummaryDocument {
    /// The document of a summary of `ensemble` under `settings`.
    pub fn new(summary: &Summary, ensemble: &Ensemble, settings: &Settings, columns: Option<&[String]>) -> Self {
        let medoid = &summary.medoid;
        let d = ensemble.dim();
        SummaryDocument {
            mixgist_version: env!("CARGO_PKG_VERSION").into(),
            estimator: settings.estimator.name().into(),
            draw: medoid.draw,
            chain: ensemble.chains()[medoid.draw],
            iteration: ensemble.iterations()[medoid.draw],
            draws: ensemble.len(),
            dim: d,
            expected_loss: medoid.expected_loss,
            expected_loss_se: medoid.expected_loss_se,
            runner_up: medoid.runner_up.map(|other| other.draw),
            runner_up_expected_loss: medoid.runner_up.map(|other| other.expected_loss),
            separation: medoid.runner_up.and_then(|other| other.separation),
            route: medoid.route.name().into(),
            exact_draws: medoid.exact_draws,
            distance: settings.slicer.name().into(),
            order: settings.order.value(),
            loss: settings.loss.name().into(),
            slices: summary.slices,
            scheme: crate::posterior::scheme(settings).into(),
            seed: settings.seed,
            units: UnitsDocument {
                name: summary.units.units.name(),
                scales: summary.units.scales.clone(),
                transform: summary.units.transform.as_ref().map(|t| t.chunks_exact(d).map(<[f64]>::to_vec).collect()),
            },
            pruned: PrunedDocument {
                atoms: summary.pruned.atoms,
                mass: summary.pruned.mass,
                cost_bound: summary.pruned.cost_bound,
            },
            warnings: summary.warnings.iter().map(WarningDocument::from).collect(),
            estimate: MeasureDocument::from(&summary.estimate),
            distances: summary.distances().to_vec(),
            assessment: summary.assessment.as_ref().map(AssessmentDocument::from),
            expected_losses: medoid.expected_losses.clone(),
            labels: summary.allocation.as_ref().map(|allocation| allocation.labels.clone()),
            certainty: summary.allocation.as_ref().map(|allocation| allocation.certainty.clone()),
            clusters: summary.allocation.as_ref().map(|allocation| allocation.clusters()),
            columns: columns.map(<[String]>::to_vec),
            source: None,
        }
    }

    /// With the files that it came from.
    #[must_use]
    pub fn with_source(mut self, source: SourceDocument) -> Self {
        self.source = Some(source);
        self
    }
}
