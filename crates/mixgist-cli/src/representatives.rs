//! `mixgist representatives`: one medoid for each mode of the posterior.

use clap::Args;
use mixgist::density::{Bounds, Grid};
use mixgist::representatives::{Count, FALSE_ALARM, Representatives, representatives};
use mixgist::{Ensemble, Error, GridDensity, Points, Progress, Result};
use mixgist_io::{MeasureDocument, Schema};
use serde::Serialize;

use crate::credible::ProbabilityDocument;
use crate::posterior::{Posterior, PosteriorArgs};
use crate::progress::Terminal;
use crate::text::{count, line, significant, table};

/// Give one representative draw for each mode of the posterior, with its probability, partition and density
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist representatives draws.npz --data data.csv
  mixgist representatives draws.npz --count 3 -o representatives.json

There are as many as the posterior has modes: a split of the draws in two must show a valley between the groups that one mode would
show less than once in 1000 times.")]
pub struct RepresentativesVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    /// How many: auto, or a number
    #[arg(long, value_name = "K", default_value = "auto")]
    count: String,

    /// Grid points an axis of the densities in the JSON
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=1000))]
    grid: u32,
}

/// The schema of representatives.
const REPRESENTATIVES_SCHEMA: Schema = Schema { name: "mixgist.representatives", version: 1 };

impl RepresentativesVerb {
    /// Reads, chooses, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let wanted = match (self.count.as_str(), self.count.parse()) {
            ("auto", _) => Count::Auto,
            (_, Ok(k)) if k > 0 => Count::Fixed(k),
            _ => return Err(Error::usage(format!("--count is '{}', must be 'auto' or a number from 1", self.count))),
        };
        let posterior = self.posterior.read()?;
        let points = posterior.points()?;
        let found = representatives(&posterior.ensemble, points, &posterior.settings, wanted, terminal)?;
        let document = RepresentativesDocument::new(&found, &posterior, points, self.grid as usize, terminal)?;
        let report = report(&found, &posterior);
        self.posterior.answer(REPRESENTATIVES_SCHEMA, &document, &report, terminal)
    }
}

#[derive(Serialize)]
struct RepresentativesDocument {
    count: usize,
    draws: usize,
    candidates: usize,
    expected_distance: f64,
    distance: &'static str,
    order: f64,
    seed: u64,
    units: String,
    columns: Option<Vec<String>>,
    false_alarm: f64,
    tests: Vec<TestDocument>,
    representatives: Vec<RepresentativeDocument>,
    distances: Vec<Vec<f64>>,
    assignment: Vec<usize>,
}

#[derive(Serialize)]
struct TestDocument {
    medoids: [usize; 2],
    weights: [f64; 2],
    peak: f64,
    valley: f64,
    effective_draws: f64,
    p_value: f64,
    accepted: bool,
}

#[derive(Serialize)]
struct RepresentativeDocument {
    draw: usize,
    chain: u32,
    iteration: u64,
    weight: ProbabilityDocument,
    expected_distance: f64,
    clusters: Option<usize>,
    labels: Option<Vec<u32>>,
    certainty: Option<Vec<f64>>,
    measure: MeasureDocument,
    /// On one grid a list: the whole density up to dimension 2, marginals beyond.
    densities: Vec<DensityDocument>,
}

#[derive(Serialize)]
struct DensityDocument {
    coordinates: Vec<usize>,
    /// Positions of the grid on each axis.
    axes: Vec<Vec<f64>>,
    /// Values, the last axis running fastest.
    values: Vec<f64>,
}

impl RepresentativesDocument {
    fn new(
        found: &Representatives,
        posterior: &Posterior,
        points: Option<Points>,
        grid: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let Posterior { ensemble, settings, .. } = posterior;
        let grids = grids(found, ensemble, points, grid)?;
        let describe = |one: &mixgist::representatives::Representative| -> Result<RepresentativeDocument> {
            let on_grid = |grid: &Grid| -> Result<DensityDocument> {
                let density = GridDensity::of_measure(&one.measure, grid, progress)?;
                Ok(DensityDocument {
                    coordinates: grid.coordinates(),
                    axes: grid.axes().iter().map(|axis| axis.positions()).collect(),
                    values: density.values().to_vec(),
                })
            };
            let allocation = one.allocation.as_ref();
            Ok(RepresentativeDocument {
                draw: one.draw,
                chain: ensemble.chains()[one.draw],
                iteration: ensemble.iterations()[one.draw],
                weight: one.weight.into(),
                expected_distance: one.expected_distance,
                clusters: allocation.map(|all| all.clusters()),
                labels: allocation.map(|all| all.labels.clone()),
                certainty: allocation.map(|all| all.certainty.clone()),
                measure: MeasureDocument::from(&one.measure),
                densities: grids.iter().map(on_grid).collect::<Result<_>>()?,
            })
        };
        let k = found.representatives.len();
        let test = |test: &mixgist::representatives::SplitTest| TestDocument {
            medoids: test.medoids,
            weights: test.weights,
            peak: test.peak,
            valley: test.valley,
            effective_draws: test.effective_draws,
            p_value: test.p_value,
            accepted: test.accepted,
        };
        Ok(RepresentativesDocument {
            count: k,
            draws: ensemble.len(),
            candidates: found.candidates,
            expected_distance: found.expected_distance,
            distance: settings.slicer.name(),
            order: settings.order.value(),
            seed: settings.seed,
            units: settings.units.name(),
            columns: posterior.columns().map(<[String]>::to_vec),
            false_alarm: FALSE_ALARM,
            tests: found.tests.iter().map(test).collect(),
            representatives: found.representatives.iter().map(describe).collect::<Result<_>>()?,
            distances: found.distances.chunks_exact(k).map(<[f64]>::to_vec).collect(),
            assignment: found.assignment.clone(),
        })
    }
}

/// Grids that suit all representatives: over the data, or else over the first.
fn grids(found: &Representatives, ensemble: &Ensemble, points: Option<Points>, count: usize) -> Result<Vec<Grid>> {
    let bounds = match points.filter(|points| !points.is_empty()) {
        Some(points) => Bounds::of_points(points)?,
        None => Bounds::of_measure(&found.representatives[0].measure)?,
    };
    match ensemble.dim() {
        1 => Ok(vec![bounds.grid(&[0], count)?]),
        2 => Ok(vec![bounds.grid(&[0, 1], count)?]),
        _ => bounds.marginal_grids(count),
    }
}

/// Lighter atoms are not listed.
const LISTED_WEIGHT: f64 = 0.01;

fn report(found: &Representatives, posterior: &Posterior) -> String {
    let modes = found.representatives.len();
    let mut lines = vec![line("representatives ", format!(" {modes}"))];
    let how = match found.tests.last() {
        None => "as asked for".to_owned(),
        Some(_) if modes > 1 => format!("{modes} modes: each split has a valley that one mode would not show"),
        Some(test) => format!(
            "one mode: between the halves lie {:.3} of the draws, at the lower peak {:.3} (p = {})",
            test.valley,
            test.peak,
            significant(test.p_value, 2)
        ),
    };
    lines.push(line("rule", how));
    lines.push(line("draws", format!("{}, {} of them candidates", posterior.ensemble.len(), found.candidates)));
    lines.push(line(
        "mean distance",
        format!("{} of a draw to its representative", significant(found.expected_distance, 4)),
    ));
    lines.push(line("distance", posterior.distance_text()));
    lines.push(String::new());
    let header = ["draw", "weight", "± error", "mean distance", "atoms", "clusters"].map(String::from);
    let rows: Vec<Vec<String>> = found
        .representatives
        .iter()
        .map(|one| {
            let heavy = one.measure.weights().iter().filter(|&&w| w >= LISTED_WEIGHT).count();
            vec![
                one.draw.to_string(),
                format!("{:.3}", one.weight.value),
                format!("{:.3}", one.weight.standard_error),
                significant(one.expected_distance, 4),
                format!("{heavy} of weight {LISTED_WEIGHT} or more"),
                one.allocation.as_ref().map_or("no data".into(), |all| count(all.clusters(), "cluster")),
            ]
        })
        .collect();
    lines.push(table(&header, &rows));
    if modes > 1 {
        lines.push(format!(
            "(representatives 1 and 2 are {} apart; all distances are in the JSON)",
            significant(found.distances[1], 4)
        ));
    }
    lines.join("\n")
}
