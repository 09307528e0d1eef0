//! One medoid for each mode of the posterior.

use mixgist::representatives::{FALSE_ALARM, Representative, Representatives, SplitTest};
use mixgist::{Ensemble, GridDensity, Result};
use serde::{Deserialize, Serialize};

use super::{About, ProbabilityDocument, SettingsDocument, rows};
use crate::formats::json::Schema;
use crate::summary::{MeasureDocument, WarningDocument};

/// The schema of representatives.
pub const REPRESENTATIVES_SCHEMA: Schema = Schema { name: "mixgist.representatives", version: 1 };

/// Representatives of the draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepresentativesDocument {
    /// How many.
    pub count: usize,
    /// Number of draws.
    pub draws: usize,
    /// How many of them were candidates.
    pub candidates: usize,
    /// Mean distance of a draw to its representative.
    pub expected_distance: f64,
    /// How distances were computed.
    #[serde(flatten)]
    pub settings: SettingsDocument,
    /// What the reader should know.
    pub warnings: Vec<WarningDocument>,
    /// Names of the data columns.
    pub columns: Option<Vec<String>>,
    /// A test of one mode against two is wrong at most this often.
    pub false_alarm: f64,
    /// The tests that were made; empty when the number was given, or when there are too few different draws to split.
    pub tests: Vec<TestDocument>,
    /// The representatives, the most probable first.
    pub representatives: Vec<RepresentativeDocument>,
    /// Distances between them.
    pub distances: Vec<Vec<f64>>,
    /// For every draw the place of its representative.
    pub assignment: Vec<usize>,
}

/// A test of one mode against two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestDocument {
    /// Medoids of the two groups.
    pub medoids: [usize; 2],
    /// Weights of the two groups.
    pub weights: [f64; 2],
    /// Share of the draws in the window at the lower peak.
    pub peak: f64,
    /// Share of the draws in the window between the peaks.
    pub valley: f64,
    /// How many independent draws the test rests on.
    pub effective_draws: f64,
    /// How probable such a valley is under one mode, at most.
    pub p_value: f64,
    /// Whether the set was split.
    pub accepted: bool,
    /// What it lacked for that: `evidence` (the p-value is above `false_alarm`), `depth` (the valley is more than half of the lower peak),
    /// `mass` (a group has less than 5 % of the posterior).
    #[serde(default)]
    pub refused_by: Vec<String>,
}

/// The medoid of a mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepresentativeDocument {
    /// Which draw it is.
    pub draw: usize,
    /// Its chain.
    pub chain: u32,
    /// Iteration within the chain.
    pub iteration: u64,
    /// Posterior probability of the draws that are nearest to it.
    pub weight: ProbabilityDocument,
    /// Their mean distance to it.
    pub expected_distance: f64,
    /// Number of clusters of the data.
    pub clusters: Option<usize>,
    /// Label of every data row.
    pub labels: Option<Vec<u32>>,
    /// Probability of that label.
    pub certainty: Option<Vec<f64>>,
    /// The measure.
    pub measure: MeasureDocument,
    /// The whole density up to dimension 2, marginals beyond; empty when none was asked for.
    pub densities: Vec<DensityDocument>,
}

/// A density on a grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DensityDocument {
    /// The coordinates that it is of.
    pub coordinates: Vec<usize>,
    /// Positions of the grid on each axis.
    pub axes: Vec<Vec<f64>>,
    /// Values, the last axis running fastest.
    pub values: Vec<f64>,
}

impl From<&GridDensity> for DensityDocument {
    fn from(density: &GridDensity) -> Self {
        DensityDocument {
            coordinates: density.grid().coordinates(),
            axes: density.grid().axes().iter().map(|axis| axis.positions()).collect(),
            values: density.values().to_vec(),
        }
    }
}

impl RepresentativesDocument {
    /// The document of representatives; `densities` are those of [`Representatives::densities`], or empty.
    pub fn new(found: &Representatives, densities: &[Vec<GridDensity>], about: &About) -> Result<Self> {
        let About { ensemble, settings, columns } = *about;
        let describe = |(place, one): (usize, &Representative)| {
            let densities = densities.get(place).map_or(&[][..], Vec::as_slice);
            RepresentativeDocument::new(one, densities, ensemble)
        };
        Ok(RepresentativesDocument {
            count: found.representatives.len(),
            draws: ensemble.len(),
            candidates: found.candidates,
            expected_distance: found.expected_distance,
            settings: SettingsDocument::new(settings, ensemble.dim())?,
            warnings: found.warnings.iter().map(WarningDocument::from).collect(),
            columns: columns.map(<[String]>::to_vec),
            false_alarm: FALSE_ALARM,
            tests: found.tests.iter().map(TestDocument::from).collect(),
            representatives: found.representatives.iter().enumerate().map(describe).collect(),
            distances: rows(&found.distances, found.representatives.len()),
            assignment: found.assignment.clone(),
        })
    }
}

impl RepresentativeDocument {
    fn new(one: &Representative, densities: &[GridDensity], ensemble: &Ensemble) -> Self {
        let allocation = one.allocation.as_ref();
        RepresentativeDocument {
            draw: one.draw,
            chain: ensemble.chains()[one.draw],
            iteration: ensemble.iterations()[one.draw],
            weight: one.weight.into(),
            expected_distance: one.expected_distance,
            clusters: allocation.map(|all| all.clusters()),
            labels: allocation.map(|all| all.labels.clone()),
            certainty: allocation.map(|all| all.certainty.clone()),
            measure: MeasureDocument::from(&one.measure),
            densities: densities.iter().map(DensityDocument::from).collect(),
        }
    }
}

impl From<&SplitTest> for TestDocument {
    fn from(test: &SplitTest) -> Self {
        TestDocument {
            medoids: test.medoids,
            weights: test.weights,
            peak: test.peak,
            valley: test.valley,
            effective_draws: test.effective_draws,
            p_value: test.p_value,
            accepted: test.accepted(),
            refused_by: test.refused_by().iter().map(|condition| condition.name().into()).collect(),
        }
    }
}
