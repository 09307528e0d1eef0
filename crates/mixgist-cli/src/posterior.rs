//! What the verbs about the posterior share: draws, data, the distance, which estimate, and where the answer goes.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use mixgist::slice::SLICERS;
use mixgist::text::CommandLine;
use mixgist::{
    Answer, Ensemble, Error, Estimate, Estimator, Loss, MixingMeasure, PartitionDraws, Posterior, Progress, Reading,
    Result, Route, Settings, Source, Summary,
};
use mixgist_io::{
    DataTable, Documented, DrawsFile, Overwrite, find_file, is_content_of, read_summary, to_json, write_json,
};

use crate::inputs::Inputs;
use crate::memory;
use crate::options::{
    DrawsArgs, OutputArgs, ReadingArgs, SlicingArgs, all_paths, by_name, expect_extension, has_extension, read_data_for,
};
use crate::progress::Terminal;
use crate::text::{answer, remark, warn};

/// Draws, data and the distance: what every estimate depends on.
#[derive(Args, Clone)]
pub struct JobArgs {
    #[command(flatten)]
    pub draws: DrawsArgs,

    /// Data to label and to take units from (.csv, .npy, .npz, .parquet); without it, those that the summary in --estimate was made with, or data in the
    /// file of draws
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,

    /// Name of the sliced distance
    #[arg(long, value_name = "NAME", default_value = "smix-w", help_heading = "Distance",
          value_parser = PossibleValuesParser::new(
          SLICERS.iter().map(|slicer| PossibleValue::new(slicer.name()).help(slicer.help()))))]
    distance: String,

    #[command(flatten)]
    pub slicing: SlicingArgs,

    /// Loss whose posterior mean the estimate minimises: the distance, or its p-th power
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

    /// The files, for an answer that will be written to `output`, or printed.
    pub fn source(&self, candidate: Option<&Path>, output: Option<&Path>) -> Result<Source> {
        let (data, directions) = (self.data.as_deref(), self.slicing.directions.as_deref());
        self.draws.reading.source(&self.draws.draws, data, directions, candidate, output)
    }
}

/// Which estimate.
#[derive(Args, Clone)]
pub struct EstimateArgs {
    /// The estimate: medoid (one of the draws), free (few atoms, least expected loss), aligned (the components that most draws have), or a file
    /// with an estimate: a summary (.json), or a single draw. A summary of these draws with the same options is not computed again
    #[arg(long, value_name = "ESTIMATE", default_value = "medoid", help_heading = "Estimate")]
    estimate: String,

    /// Number of atoms of the free estimate: a number, or 'auto', the smallest number whose expected loss does not differ clearly from the best [default: auto]
    #[arg(long, value_name = "K", help_heading = "Estimate")]
    atoms: Option<String>,
}

impl EstimateArgs {
    /// The file that holds the estimate, if it is none that has to be made.
    pub fn file(&self) -> Option<&Path> {
        (!Estimator::NAMES.contains(&self.estimate.as_str())).then_some(Path::new(&self.estimate))
    }

    /// Which estimate is to be made: with a file, the one that a summary in it was made with.
    pub fn estimator(&self) -> Result<Estimator> {
        match self.file() {
            Some(path) if !path.exists() && path.extension().is_some() => Err(Error::input("there is no such file")
                .in_file(path)
                .hint("mixgist summarize … -o summary.json writes one")),
            Some(path) if !path.exists() => Err(Error::usage(format!("unknown estimate '{}'", self.estimate))
                .hint(format!("one of: {}, or a file with an estimate", Estimator::NAMES.join(", ")))),
            Some(_) if self.atoms.is_some() => {
                Err(Error::usage("--atoms is for an estimate that is to be made").hint("leave out --atoms"))
            }
            Some(path) if has_extension(path, "json") => Ok(read_summary(path)?.about.settings.estimator),
            Some(_) => Ok(Estimator::Medoid),
            None => Estimator::from_name(&self.estimate, self.atoms.as_deref()),
        }
    }

    /// Which estimate is made, where one cannot be given.
    pub fn made(&self) -> Result<Estimator> {
        match self.file() {
            Some(path) if path.exists() => Err(Error::usage("--estimate is a file, and this verb makes an estimate")
                .hint("judge a measure of your own with --candidate FILE")),
            _ => self.estimator(),
        }
    }

    /// The summary in the file, if it was made from these draws with these settings, so that it need not be found again.
    fn summary_of(&self, draws: &[PathBuf], reading: &Reading, settings: &Settings) -> Result<Option<Answer<Summary>>> {
        let Some(path) = self.file().filter(|path| has_extension(path, "json")) else { return Ok(None) };
        let found = read_summary(path)?;
        let theirs = &found.about.settings;
        let ours = settings.clone().with_candidate(theirs.candidate.clone()).with_route(theirs.route);
        let Some(source) = &found.about.source else { return Ok(None) };
        if ours != *theirs || source.reading != *reading || source.draws.len() != draws.len() {
            return Ok(None);
        }
        Ok(is_of(source, draws)?.then_some(found))
    }

    /// The data that the summary in the file was made with, if it is one of these draws and its data are still there.
    fn data_of_summary(&self, draws: &[PathBuf]) -> Result<Option<PathBuf>> {
        let Some(path) = self.file().filter(|path| has_extension(path, "json")) else { return Ok(None) };
        let Some(source) = read_summary(path)?.about.source else { return Ok(None) };
        let Some(data) = source.data.as_ref().filter(|_| source.draws.len() == draws.len()) else { return Ok(None) };
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(if is_of(&source, draws)? { find_file(data, folder, "").ok() } else { None })
    }

    /// The estimate in the file, if there is one.
    fn given(&self, ensemble: &Ensemble, reading: &ReadingArgs) -> Result<Option<Estimate>> {
        let Some(path) = self.file() else { return Ok(None) };
        let measure = read_measure(path, reading, ensemble.dim())?;
        let draw = (0..ensemble.len()).find(|&m| ensemble.draw(m) == measure);
        Ok(Some(Estimate::new(measure, path.display().to_string()).with_draw(draw)))
    }
}

/// Whether these files are those of a source.
fn is_of(source: &Source, draws: &[PathBuf]) -> Result<bool> {
    for (file, path) in source.draws.iter().zip(draws) {
        if !is_content_of(file, path)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How an answer is written: as a document, or as tables and arrays.
pub struct Form<'a, T> {
    /// Extensions of what is no document.
    pub tables: &'a [&'a str],
    /// Writes such a file.
    pub write: &'a Writer<T>,
}

impl<T> Form<'_, T> {
    /// A document and nothing else.
    pub fn document() -> Self {
        Form { tables: &[], write: &|_, _, _| unreachable!("there are no tables") }
    }
}

/// What writes an answer to a file.
pub type Writer<T> = dyn Fn(&Path, &Answer<T>, Overwrite) -> Result<()>;

/// A question about the posterior, and where the answer goes.
#[derive(Args, Clone)]
pub struct PosteriorArgs {
    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub estimate: EstimateArgs,

    /// Write the answer to this file (.json)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    printing: OutputArgs,
}

impl PosteriorArgs {
    /// Checks the options and the output, reads, puts the question, writes and prints the answer. The question gets the partitions that came
    /// with the draws.
    pub fn ask<T: Documented>(
        &self,
        terminal: &Terminal,
        question: impl FnOnce(&Posterior, Option<&PartitionDraws>, &dyn Progress) -> Result<Answer<T>>,
    ) -> Result<()> {
        let form = Form::document();
        self.ask_for(terminal, &form, question)
    }

    /// The same for an answer that can be written as something else than a document too.
    pub fn ask_for<T: Documented>(
        &self,
        terminal: &Terminal,
        form: &Form<T>,
        question: impl FnOnce(&Posterior, Option<&PartitionDraws>, &dyn Progress) -> Result<Answer<T>>,
    ) -> Result<()> {
        let settings = self.settings()?;
        if let Some(path) = &self.output {
            expect_extension(path, "--output", &[form.tables, &["json"]].concat())?;
        }
        let estimate = self.estimate.file().map(Path::to_owned);
        let draws = &self.job.draws.draws;
        let mut job = self.job.clone();
        if job.data.is_none() {
            job.data = self.estimate.data_of_summary(draws)?;
        }
        let inputs = [&job.data, &job.slicing.directions, &estimate];
        self.printing.check(&[&self.output], &all_paths(draws, &inputs))?;
        let (file, data) = job.read(&settings)?;
        require_memory(&file.ensemble, &settings)?;
        let given = self.estimate.given(&file.ensemble, self.reading())?;
        let source = job.source(None, self.output.as_deref())?;
        let inputs = Inputs::new(Some(DrawsFile { data: None, ..file }), data)?;
        let Some(DrawsFile { ensemble, .. }) = &inputs.draws else { unreachable!("draws were read") };
        let known = self.estimate.summary_of(draws, &source.reading, &settings)?;
        let route = known.as_ref().map_or(settings.route, |known| known.about.settings.route);
        let settings = settings.with_route(route);
        let mut posterior = Posterior::new(ensemble, inputs.points()?, settings)?
            .with_columns(inputs.columns())
            .with_source(Some(source));
        // Data set the units: with others the estimate is a measure like any other.
        posterior = match known {
            Some(known) if *posterior.units()? == known.units => posterior.with_summary(&known)?,
            other => {
                if other.is_some() {
                    remark(
                        "warning: the summary was made with other data, and data set the units: what follows is in other units\nhint: give the same data with --data",
                    );
                }
                posterior.with_estimate(given)
            }
        };
        let found = question(&posterior, inputs.partitions(), terminal)?;
        terminal.begin_writing();
        match &self.output {
            Some(path) if has_extension(path, "json") => {
                write_json(path, T::SCHEMA, &found, self.printing.overwrite())?;
            }
            Some(path) => (form.write)(path, &found, self.printing.overwrite())?,
            None => {}
        }
        terminal.clear();
        match self.printing.json {
            true => answer(&to_json(T::SCHEMA, &found)?)?,
            false => answer(&found.narrative().plain(&CommandLine))?,
        }
        warn(found.result.warnings());
        Ok(())
    }

    /// The same for a question about components. A medoid has light atoms by chance: a summary of these draws stands for the components that are
    /// found from its medoid.
    pub fn ask_about_components<T: Documented>(
        &self,
        terminal: &Terminal,
        form: &Form<T>,
        question: impl FnOnce(&Posterior, Option<&PartitionDraws>, &dyn Progress) -> Result<Answer<T>>,
    ) -> Result<()> {
        let from_file = self.estimate.file().is_some();
        let question = |posterior: &Posterior, labels: Option<&PartitionDraws>, progress: &dyn Progress| match from_file
        {
            true => question(&posterior.about_components(progress)?, labels, progress),
            false => question(posterior, labels, progress),
        };
        self.ask_for(terminal, form, question)
    }

    /// What the options mean to the core.
    pub fn settings(&self) -> Result<Settings> {
        Ok(self.job.settings(Route::Auto)?.with_estimator(self.estimate.estimator()?))
    }

    /// How files are read.
    pub fn reading(&self) -> &ReadingArgs {
        &self.job.draws.reading
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

/// One measure of dimension `dim`: the estimate of a summary, or the only draw of a file.
pub fn read_measure(path: &Path, reading: &ReadingArgs, dim: usize) -> Result<MixingMeasure> {
    let measure = if has_extension(path, "json") {
        read_summary(path)?.result.estimate
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
