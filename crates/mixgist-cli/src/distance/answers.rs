//! Distances as answers, which are their own documents.

use mixgist::Metric;
use mixgist::{Condensed, Distance, Ensemble, ResolvedUnits, Settings};
use mixgist_io::{Schema, json_schema};
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of a single distance.
pub const DISTANCE_SCHEMA: Schema = Schema { name: "mixgist.distance", version: 2 };
/// The schema of distances to all draws.
pub const DISTANCES_SCHEMA: Schema = Schema { name: "mixgist.distances", version: 2 };
/// The schema of what is said about a matrix; the matrix itself is a file.
pub const MATRIX_SCHEMA: Schema = Schema { name: "mixgist.distance-matrix", version: 2 };

/// Which distance it is and how it was computed.
#[derive(Serialize, JsonSchema)]
pub struct Measured {
    /// Version of mixgist that computed it.
    mixgist_version: &'static str,
    /// Name of the distance.
    distance: String,
    /// The order p, when the distance has one.
    order: Option<f64>,
    /// Number of slices; null for an exact distance.
    slices: Option<usize>,
    /// How a sliced distance was computed; null for an exact one.
    settings: Option<Settings>,
    /// The units and their numbers.
    units: ResolvedUnits,
}

impl Measured {
    fn new(metric: &Metric, units: &ResolvedUnits) -> Self {
        Measured {
            mixgist_version: env!("CARGO_PKG_VERSION"),
            distance: metric.name().to_owned(),
            order: metric.order(),
            slices: metric.slices(units.scales.len()),
            settings: metric.sliced().cloned(),
            units: units.clone(),
        }
    }
}

/// One distance.
#[derive(Serialize, JsonSchema)]
pub struct DistanceAnswer {
    /// The distance.
    value: f64,
    /// Its Monte Carlo standard error over slices.
    standard_error: Option<f64>,
    #[serde(flatten)]
    metric: Measured,
}

impl DistanceAnswer {
    /// The answer of a distance.
    pub fn new(distance: Distance, metric: &Metric, units: &ResolvedUnits) -> Self {
        DistanceAnswer {
            value: distance.value,
            standard_error: distance.standard_error,
            metric: Measured::new(metric, units),
        }
    }
}

/// Distances to all draws.
#[derive(Serialize, JsonSchema)]
pub struct DistancesAnswer {
    /// The distance to every draw.
    pub values: Vec<f64>,
    /// Their Monte Carlo standard errors over slices.
    pub standard_errors: Option<Vec<f64>>,
    /// Chain of every draw.
    pub chains: Vec<u32>,
    /// Iteration of every draw.
    pub iterations: Vec<u64>,
    #[serde(flatten)]
    metric: Measured,
}

impl DistancesAnswer {
    /// The answer of distances to the draws of `ensemble`.
    pub fn new(distances: &[Distance], ensemble: &Ensemble, metric: &Metric, units: &ResolvedUnits) -> Self {
        DistancesAnswer {
            values: distances.iter().map(|distance| distance.value).collect(),
            standard_errors: distances.iter().map(|distance| distance.standard_error).collect(),
            chains: ensemble.chains().to_vec(),
            iterations: ensemble.iterations().to_vec(),
            metric: Measured::new(metric, units),
        }
    }
}

/// What can be said about a matrix in a few numbers.
#[derive(Serialize, JsonSchema)]
pub struct MatrixAnswer {
    /// Number of draws.
    pub draws: usize,
    /// Number of pairs of draws.
    pub pairs: usize,
    /// How the file holds the matrix: 'condensed' or 'square'.
    pub layout: &'static str,
    /// The smallest distance.
    pub smallest: Option<f64>,
    /// The mean of all distances.
    pub mean: Option<f64>,
    /// The largest distance.
    pub largest: Option<f64>,
    #[serde(flatten)]
    metric: Measured,
}

impl MatrixAnswer {
    /// The answer of a matrix.
    pub fn new(matrix: &Condensed, metric: &Metric, units: &ResolvedUnits, square: bool) -> Self {
        let values = matrix.values();
        let any = !values.is_empty();
        MatrixAnswer {
            draws: matrix.len(),
            pairs: values.len(),
            layout: if square { "square" } else { "condensed" },
            smallest: values.iter().copied().reduce(f64::min),
            mean: any.then(|| values.iter().sum::<f64>() / values.len() as f64),
            largest: values.iter().copied().reduce(f64::max),
            metric: Measured::new(metric, units),
        }
    }
}

/// The JSON Schema of each answer, with the name of its file.
pub fn json_schemas() -> Vec<(String, serde_json::Value)> {
    vec![
        json_schema::<DistanceAnswer>(DISTANCE_SCHEMA),
        json_schema::<DistancesAnswer>(DISTANCES_SCHEMA),
        json_schema::<MatrixAnswer>(MATRIX_SCHEMA),
    ]
}
