//! What the verbs about the posterior of an estimate share: draws, data, the distance, and which estimate.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::slice::SLICERS;
use mixgist::{
    Ensemble, Error, Estimator, Loss, MixingMeasure, Points, Progress, Result, Route, Settings, Warning, summarize,
};
use mixgist_io::posterior::{About, EstimateOrigin};
use mixgist_io::{DataTable, DrawsFile, SUMMARY_SCHEMA, Schema, SummaryDocument, read_json, to_json, write_json};
use serde::Serialize;

use crate::memory;
use crate::options::{
    DrawsArgs, OutputArgs, ReadingArgs, SlicingArgs, all_paths, by_name, expect_extension, has_extension, read_data_for,
    slices_text,
};
use crate::progress::Terminal;
use crate::text::{answer, warn};

/// Draws, data and the distance: what every estimate depends on.
#[derive(Args)]
pub struct JobArgs {
    #[command(flatten)]
    pub draws: DrawsArgs,

    /// Data to label and to take units from (.csv, .npy, .npz, .parquet); without it, data in the file of draws are used
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,

    /// Law of the slices
    #[arg(long, value_name = "NAME", default_value = "smix-w", help_heading = "Distance",
          value_parser = PossibleValuesParser::new(SLICERS.iter().map(|slicer| slicer.name())))]
    distance: String,

    #[command(flatten)]
    pub slicing: SlicingArgs,

    /// What the estimate averages over the posterior: the distance, or its p-th power
    #[arg(long, value_name = "LOSS", default_value = "distance", help_heading = "Distance",
          value_parser = PossibleValuesParser::new(Loss::NAMES.map(|(name, _)| name)))]
    loss: String,
}

impl JobArgs {
    /// What the options mean to the core.
    pub fn settings(&self, route: Route) -> Result<Settings> {
        self.slicing.settings(&self.distance, by_name(&Loss::NAMES, &self.loss), route)
    }

    /// Reads the draws, and the data from their own file or from that of the draws; directions must fit the draws.
    pub fn read(&self, settings: &Settings) -> Result<(DrawsFile, Option<DataTable>)> {
        let mut file = self.draws.read()?;
        self.slicing.check_directions(settings, file.ensemble.dim())?;
        let own = file.data.take();
        let data = match &self.data {
            Some(path) => Some(read_data_for(path, file.ensemble.dim())?),
            None => own,
        };
        Ok((file, data))
    }
}

/// Which estimate is made from the draws.
#[derive(Args)]
pub struct EstimatorArgs {
    /// The estimate: one of the draws, or a measure with few atoms that is not confined to them
    #[arg(long, value_name = "ESTIMATE", default_value = "medoid", help_heading = "Estimate",
          value_parser = PossibleValuesParser::new(Estimator::NAMES))]
    estimate: String,

    /// Number of atoms of the free estimate: a number, or 'auto', the smallest that cannot be told from the best [default: auto]
    #[arg(long, value_name = "K", help_heading = "Estimate")]
    atoms: Option<String>,
}

impl EstimatorArgs {
    /// What the options mean to the core.
    pub fn estimator(&self) -> Result<Estimator> {
        Estimator::from_name(&self.estimate, self.atoms.as_deref())
    }
}

/// A question about the posterior, and where the answer goes.
#[derive(Args)]
pub struct PosteriorArgs {
    #[command(flatten)]
    pub job: JobArgs,

    /// Write the answer to this file (.json)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    printing: OutputArgs,
}

/// What was read.
pub struct Posterior {
    pub ensemble: Ensemble,
    data: Option<DataTable>,
    /// With a number of slices that stays.
    pub settings: Settings,
    slices: usize,
}

impl Posterior {
    /// The data, when there are any.
    pub fn points(&self) -> Result<Option<Points<'_>>> {
        self.data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()
    }

    /// Names of the data's columns.
    fn columns(&self) -> Option<&[String]> {
        self.data.as_ref().and_then(DataTable::column_names)
    }

    /// What documents say about all of it.
    pub fn about(&self) -> About<'_> {
        About { ensemble: &self.ensemble, settings: &self.settings, columns: self.columns() }
    }

    /// The name of coordinate a.
    pub fn column(&self, a: usize) -> String {
        self.columns().map_or_else(|| format!("x{}", a + 1), |names| names[a].clone())
    }

    /// Slices, order, seed and units in one line.
    pub fn distance_text(&self) -> String {
        let Settings { slicer, order, units, .. } = &self.settings;
        let slices = slices_text(&self.settings, self.slices);
        format!("{}, order {}, {slices}, units {}", slicer.name(), order.value(), units.name())
    }
}

impl PosteriorArgs {
    /// Checks the options and the output, then reads, and finds the number of slices that `auto` ends with.
    pub fn read(&self, estimator: Estimator, progress: &dyn Progress) -> Result<Posterior> {
        let settings = Settings { estimator, ..self.job.settings(Route::Auto)? };
        if let Some(path) = &self.output {
            expect_extension(path, "--output", &["json"])?;
        }
        self.printing.check(
            &[&self.output],
            &all_paths(&self.job.draws.draws, &[&self.job.data, &self.job.slicing.directions]),
        )?;
        let (DrawsFile { ensemble, .. }, data) = self.job.read(&settings)?;
        require_memory(&ensemble, &settings)?;
        let slices = settings.slice_count(ensemble.dim())?;
        let mut posterior = Posterior { ensemble, data, settings, slices };
        posterior.settings = posterior.settings.settled(&posterior.ensemble, posterior.points()?, progress)?;
        posterior.slices = posterior.settings.slice_count(posterior.ensemble.dim())?;
        Ok(posterior)
    }

    /// How files are read.
    pub fn reading(&self) -> &ReadingArgs {
        &self.job.draws.reading
    }

    /// Writes the document where it was asked for, and prints it or the report, then the warnings.
    pub fn answer<T: Serialize>(
        &self,
        schema: Schema,
        document: &T,
        report: &str,
        warnings: &[Warning],
        terminal: &Terminal,
    ) -> Result<()> {
        terminal.begin_writing();
        if let Some(path) = &self.output {
            write_json(path, schema, document, self.printing.overwrite())?;
        }
        terminal.clear();
        if self.printing.json {
            answer(&to_json(schema, document)?)?
        } else {
            answer(report)?
        }
        warn(warnings);
        Ok(())
    }
}

/// Refuses at once what cannot fit: the estimate, three more copies of the draws (in units, and beside the measures whose distances are taken),
/// and what each atom of the estimate takes from each draw (numbers and what keeps them), if the estimate is the longest draw.
fn require_memory(ensemble: &Ensemble, settings: &Settings) -> Result<()> {
    let (dim, atoms, draws) = (ensemble.dim(), ensemble.weights().len(), ensemble.len());
    let longest = ensemble.offsets().windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    let numbers = 1 + dim + dim * dim;
    let besides = 8 * (3 * atoms * numbers) as u64 + 8 * (draws * longest * (numbers + 16)) as u64;
    let needed = settings.predicted_bytes(ensemble)?.saturating_add(besides);
    memory::require(needed, &format!("this answer from {draws} draws"), |_| {
        "keep fewer draws with --thin, or use fewer --slices".into()
    })
}

/// Which estimate.
#[derive(Args)]
pub struct EstimateArgs {
    /// The estimate: a summary (.json), or a file with one draw; without it, the medoid of the draws
    #[arg(long, value_name = "FILE")]
    pub estimate: Option<PathBuf>,
}

/// An estimate and where it comes from.
pub struct Estimate {
    pub measure: MixingMeasure,
    /// Which draw it is, when it is one of these.
    pub draw: Option<usize>,
    pub source: String,
}

impl Estimate {
    /// What documents say about it.
    pub fn origin(&self) -> EstimateOrigin<'_> {
        EstimateOrigin { measure: &self.measure, draw: self.draw, source: &self.source }
    }
}

impl EstimateArgs {
    /// Reads the estimate or computes it.
    pub fn resolve(&self, posterior: &Posterior, reading: &ReadingArgs, progress: &dyn Progress) -> Result<Estimate> {
        if let Some(path) = &self.estimate {
            let measure =
                read_measure(path, reading, posterior.ensemble.dim()).map_err(|error| match path.to_str() {
                    // The name of an estimator, which `summarize` and `stability` have here.
                    Some(name) if Estimator::NAMES.contains(&name) && !path.exists() => {
                        error.hint(estimator_hint(name))
                    }
                    _ => error,
                })?;
            return Ok(Estimate { measure, draw: None, source: path.display().to_string() });
        }
        let summary = summarize(&posterior.ensemble, posterior.points()?, &posterior.settings, progress)?;
        let draw = summary.medoid.draw;
        Ok(Estimate { measure: summary.estimate, draw: Some(draw), source: format!("medoid, draw {draw}") })
    }
}

/// What helps those who gave the name of an estimator where a file was expected.
fn estimator_hint(name: &str) -> String {
    match name {
        "medoid" => "leave out --estimate: the medoid is what it is without".into(),
        _ => format!(
            "--estimate is a file here: make it with `mixgist summarize … --estimate {name} -o summary.json`, then give --estimate summary.json"
        ),
    }
}

/// One measure of dimension `dim`: the estimate of a summary, or the only draw of a file.
pub fn read_measure(path: &Path, reading: &ReadingArgs, dim: usize) -> Result<MixingMeasure> {
    let measure = if has_extension(path, "json") {
        let summary: SummaryDocument = read_json(path, SUMMARY_SCHEMA)?;
        MixingMeasure::try_from(&summary.estimate).map_err(|error| error.in_file(path))?
    } else {
        let ensemble = reading.read_whole(&[path.to_owned()])?.ensemble;
        if ensemble.len() != 1 {
            return Err(Error::input(format!("holds {} draws, expected one measure", ensemble.len()))
                .in_file(path)
                .hint("give a summary.json, or a file with a single draw"));
        }
        ensemble.draw(0)
    };
    if measure.dim() != dim {
        return Err(Error::input(format!("has dimension {}, the draws have {dim}", measure.dim())).in_file(path));
    }
    Ok(measure)
}
