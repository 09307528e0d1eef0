//! `mixgist compare`: partition-first and measure-first estimates side by side.

mod comparison;
mod estimate;

use std::path::PathBuf;

use clap::Args;
use mixgist::density::{Bounds, sliced_w2, total_variation};
use mixgist::partition::expected_losses;
use mixgist::{
    Ensemble, Error, GridDensity, PartitionDraws, Points, Progress, ResolvedUnits, Result, Route, Settings, Silent,
    SliceCount, SlicedDistance, inspect,
};
use mixgist_io::{DataTable, DrawsFile, read_data, to_json, write_json};

use crate::options::{DrawsArgs, OutputArgs, SlicingArgs, all_paths, expect_extension, has_extension};
use crate::partition::model::ModelArgs;
use crate::partition::{LossArgs, same_observations};
use crate::progress::Terminal;
use crate::text::{answer, warn};
pub use comparison::json_schemas;
use comparison::{COMPARISON_SCHEMA, ComparedEstimate, Comparison, DensityDistances};
use estimate::{DISTANCES, Estimate, measure_first, partition_first};

/// Judge six estimates against each other: three partitions (binder, vi, omari) and three measures (sw, mix-sw, smix-w), by every expected loss
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist compare draws.npz
  mixgist compare draws.npz --data data.csv --slices 200 -o comparison.csv")]
pub struct Compare {
    #[command(flatten)]
    draws: DrawsArgs,

    /// Observations that were labelled (.csv, .npy, .npz, .parquet); without it, data in the file of draws are used
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,

    #[command(flatten)]
    slicing: SlicingArgs,

    #[command(flatten)]
    conventions: LossArgs,

    #[command(flatten)]
    model: ModelArgs,

    /// Compare densities with at most so many draws, evenly spaced
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Densities",
          value_parser = clap::value_parser!(u32).range(1..))]
    density_draws: u32,

    /// Directions of the sliced W_2 between densities
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Densities",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    density_directions: u32,

    /// Write the comparison to this file (.json or .csv)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    printing: OutputArgs,
}

impl Compare {
    /// Reads, estimates, compares, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let settings: Vec<Settings> = DISTANCES.into_iter().map(|name| self.settings(name)).collect::<Result<_>>()?;
        let conventions = self.conventions.options()?;
        let (names, losses): (Vec<&str>, Vec<_>) = conventions.losses()?.into_iter().unzip();
        if let Some(path) = &self.output {
            expect_extension(path, "--output", &["json", "csv"])?;
        }
        self.printing.check(&[&self.output], &all_paths(&self.draws.draws, &[&self.data, &self.slicing.directions]))?;
        let Input { ensemble, partitions, data } = self.read()?;
        let model = self.model.resolve(&data)?;
        let points = Points::new(data.columns(), data.values())?;

        let mut estimates = partition_first(&partitions, &conventions, &model, settings[0].seed, terminal)?;
        estimates.extend(measure_first(&ensemble, points, &settings, terminal)?);
        let of_partitions = |estimate: &Estimate| expected_losses(&losses, &estimate.partition, &partitions, terminal);
        let losses = estimates.iter().map(of_partitions).collect::<Result<Vec<_>>>()?;
        let densities = self.density_distances(&estimates, &ensemble, points, settings[0].seed, terminal)?;
        let distances = measure_distances(&estimates, &ensemble, points, &settings, terminal)?;
        let rows = estimates.iter().enumerate().map(|(i, estimate)| {
            let measures = DISTANCES.into_iter().zip(&distances).map(|(name, all)| (name, all[i]));
            ComparedEstimate {
                name: estimate.name.clone(),
                draw: estimate.draw,
                clusters: estimate.partition.clusters(),
                expected_losses: names.iter().copied().zip(losses[i].iter().copied()).collect(),
                expected_density_distances: densities.as_ref().map(|all| all[i]),
                expected_measure_distances: measures.collect(),
            }
        });
        let document = Comparison {
            estimates: rows.collect(),
            omari_convention: conventions.omari.name(),
            draws: ensemble.len(),
            density_draws: densities.as_ref().map(|_| self.thinned(ensemble.len()).len()),
            density_directions: densities
                .as_ref()
                .map(|_| if ensemble.dim() == 1 { 1 } else { self.density_directions }),
            slices: settings[0].slice_count(ensemble.dim())?,
            settings: settings[0].clone(),
        };

        terminal.begin_writing();
        if let Some(path) = &self.output {
            if has_extension(path, "csv") {
                document.write_csv(path, self.printing.overwrite())?;
            } else {
                write_json(path, COMPARISON_SCHEMA, &document, self.printing.overwrite())?;
            }
        }
        terminal.clear();
        match self.printing.json {
            true => answer(&to_json(COMPARISON_SCHEMA, &document)?)?,
            false => answer(&document.report())?,
        }
        warn(&inspect::warnings(&ensemble));
        Ok(())
    }

    fn settings(&self, slicer: &str) -> Result<Settings> {
        if self.slicing.directions.is_some() {
            return Err(Error::usage("--directions are of one distance, compare uses several")
                .hint("leave out --directions; --seed chooses others"));
        }
        let settings = self.slicing.settings(slicer, mixgist::Loss::Distance, Route::Auto)?;
        let slices = fixed_slices(&settings)?;
        Ok(settings.with_slices(slices))
    }

    fn read(&self) -> Result<Input> {
        let DrawsFile { ensemble, labels, data } = self.draws.read()?.with_label_traces();
        let labels = labels.ok_or_else(|| {
            Error::input("the draws come without labels, which partition losses need")
                .hint("an .npz file with an array 'labels' (draws, observations) holds them")
        })?;
        let data = match &self.data {
            Some(path) => read_data(path, &Default::default())?,
            None => data.ok_or_else(|| {
                Error::usage("compare needs the observations, and the file of draws holds none")
                    .hint("give them with --data")
            })?,
        };
        same_observations(&data, labels.observations)?;
        if data.columns() != ensemble.dim() {
            let (columns, dim) = (data.columns(), ensemble.dim());
            return Err(Error::input(format!("data have {columns} columns, the draws have dimension {dim}")));
        }
        let mut partitions = labels.partitions()?;
        if let Some(weights) = ensemble.draw_weights() {
            partitions = partitions.with_draw_weights(weights)?;
        }
        Ok(Input { ensemble, partitions, data })
    }

    /// Evenly spaced draws, as many as densities are compared with.
    fn thinned(&self, draws: usize) -> Vec<usize> {
        let kept = draws.min(self.density_draws as usize);
        (0..kept).map(|i| (i as u128 * draws as u128 / kept as u128) as usize).collect()
    }

    /// The expected distances of every estimate's density to those of the draws, on a grid over the data; none beyond the plane.
    fn density_distances(
        &self,
        estimates: &[Estimate],
        ensemble: &Ensemble,
        points: Points,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<DensityDistances>>> {
        if ensemble.dim() > 2 {
            return Ok(None);
        }
        let coordinates: Vec<usize> = (0..ensemble.dim()).collect();
        let grid = Bounds::of_points(points)?.grid(&coordinates, self.model.grid as usize)?;
        let own: Vec<GridDensity> = estimates
            .iter()
            .map(|estimate| GridDensity::of_measure(&estimate.measure, &grid, &Silent))
            .collect::<Result<_>>()?;
        let draws = ensemble.select(&self.thinned(ensemble.len()))?;
        let mut sums = vec![DensityDistances::default(); estimates.len()];
        progress.begin("density distances", draws.len() as u64);
        for m in 0..draws.len() {
            progress.check()?;
            let weight = draws.draw_weights().map_or(1.0 / draws.len() as f64, |weights| weights[m]);
            let density = GridDensity::of_measure(&draws.draw(m), &grid, &Silent)?;
            for (sum, own) in sums.iter_mut().zip(&own) {
                let transport = sliced_w2(own, &density, self.density_directions as usize, seed, &Silent)?;
                sum.total_variation += weight * total_variation(own, &density)?;
                sum.sliced_w2 += weight * transport.distance;
            }
            progress.advance(1);
        }
        Ok(Some(sums))
    }
}

struct Input {
    ensemble: Ensemble,
    partitions: PartitionDraws,
    data: DataTable,
}

/// A number of slices that is the same for all estimates: what `auto` starts with is not enough to compare by.
fn fixed_slices(settings: &Settings) -> Result<SliceCount> {
    match settings.slices {
        SliceCount::Auto { .. } => Ok(SliceCount::Fixed(COMPARED_SLICES)),
        fixed => Ok(fixed),
    }
}

/// Slices unless told otherwise.
const COMPARED_SLICES: usize = 256;

/// The expected distance of every estimate to the draws, for each of the settings.
fn measure_distances(
    estimates: &[Estimate],
    ensemble: &Ensemble,
    points: Points,
    settings: &[Settings],
    progress: &dyn Progress,
) -> Result<Vec<Vec<f64>>> {
    let measures: Vec<_> = estimates.iter().map(|estimate| estimate.measure.clone()).collect();
    let measures = Ensemble::from_measures(&measures)?;
    settings
        .iter()
        .map(|settings| {
            let units = ResolvedUnits::new(&settings.units, ensemble, Some(points))?;
            let (draws, measures) = (units.apply(ensemble)?, units.apply(&measures)?);
            let measures: Vec<_> = (0..measures.len()).map(|i| measures.draw(i)).collect();
            let slices = settings.freeze(draws.dim(), settings.slice_count(draws.dim())?)?;
            let distance = SlicedDistance::new(&*slices, settings.order).with_pruning(settings.pruning);
            distance.expected_losses(&measures, &draws, mixgist::Loss::Distance, progress)
        })
        .collect()
}
