//! Distances as JSON documents.

use mixgist::metric::Metric;
use mixgist::{Condensed, Distance, Ensemble, ResolvedUnits};
use mixgist_io::{Schema, UnitsDocument};
use serde::Serialize;

/// The schema of a single distance.
pub const DISTANCE_SCHEMA: Schema = Schema { name: "mixgist.distance", version: 1 };
/// The schema of distances to all draws.
pub const DISTANCES_SCHEMA: Schema = Schema { name: "mixgist.distances", version: 1 };
/// The schema of what is said about a matrix; the matrix itself is a file.
pub const MATRIX_SCHEMA: Schema = Schema { name: "mixgist.distance-matrix", version: 1 };

/// Which distance it is.
#[derive(Serialize)]
pub struct MetricDocument {
    distance: &'static str,
    order: Option<f64>,
    slices: Option<usize>,
    scheme: Option<&'static str>,
    seed: Option<u64>,
    units: UnitsDocument,
}

impl MetricDocument {
    fn new(metric: &Metric, units: &ResolvedUnits) -> Self {
        let d = units.scales.len();
        let given = |settings: &mixgist::Settings| settings.directions.is_some();
        MetricDocument {
            distance: metric.name(),
            order: metric.order(),
            slices: metric.slices(d),
            scheme: metric.sliced().map(|s| if given(s) { "given" } else { s.scheme.name() }),
            seed: metric.sliced().map(|settings| settings.seed),
            units: UnitsDocument {
                name: units.units.name(),
                scales: units.scales.clone(),
                transform: units.transform.as_ref().map(|t| t.chunks_exact(d).map(<[f64]>::to_vec).collect()),
            },
        }
    }
}

/// One distance.
#[derive(Serialize)]
pub struct DistanceDocument {
    value: f64,
    standard_error: Option<f64>,
    #[serde(flatten)]
    metric: MetricDocument,
}

impl DistanceDocument {
    /// The document of a distance.
    pub fn new(distance: Distance, metric: &Metric, units: &ResolvedUnits) -> Self {
        DistanceDocument {
            value: distance.value,
            standard_error: distance.standard_error,
            metric: MetricDocument::new(metric, units),
        }
    }
}

/// Distances to all draws.
#[derive(Serialize)]
pub struct DistancesDocument {
    pub values: Vec<f64>,
    pub standard_errors: Option<Vec<f64>>,
    pub chains: Vec<u32>,
    pub iterations: Vec<u64>,
    #[serde(flatten)]
    metric: MetricDocument,
}

impl DistancesDocument {
    /// The document of distances to the draws of `ensemble`.
    pub fn new(distances: &[Distance], ensemble: &Ensemble, metric: &Metric, units: &ResolvedUnits) -> Self {
        DistancesDocument {
            values: distances.iter().map(|distance| distance.value).collect(),
            standard_errors: distances.iter().map(|distance| distance.standard_error).collect(),
            chains: ensemble.chains().to_vec(),
            iterations: ensemble.iterations().to_vec(),
            metric: MetricDocument::new(metric, units),
        }
    }
}

/// What can be said about a matrix in a few numbers.
#[derive(Serialize)]
pub struct MatrixDocument {
    pub draws: usize,
    pub pairs: usize,
    /// `condensed` or `square`.
    pub layout: &'static str,
    pub smallest: Option<f64>,
    pub mean: Option<f64>,
    pub largest: Option<f64>,
    #[serde(flatten)]
    metric: MetricDocument,
}

impl MatrixDocument {
    /// The document of a matrix.
    pub fn new(matrix: &Condensed, metric: &Metric, units: &ResolvedUnits, square: bool) -> Self {
        let values = matrix.values();
        let any = !values.is_empty();
        MatrixDocument {
            draws: matrix.len(),
            pairs: values.len(),
            layout: if square { "square" } else { "condensed" },
            smallest: values.iter().copied().reduce(f64::min),
            mean: any.then(|| values.iter().sum::<f64>() / values.len() as f64),
            largest: values.iter().copied().reduce(f64::max),
            metric: MetricDocument::new(metric, units),
        }
    }
}
