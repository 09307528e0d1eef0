//! `mixgist summarize`: one point estimate from posterior draws.

mod derived;
mod streamed;

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::text::CommandLine;
use mixgist::{Ensemble, Error, Loss, Points, Posterior, Result, Route, Settings, SliceCount, Workers};
use mixgist_io::{DrawsFile, SUMMARY_SCHEMA, to_json, together, write_bytes, write_json};

use crate::inputs::{Inputs, PartsArgs};
use crate::memory;
use crate::options::{OutputArgs, all_paths, by_name, expect_extension, has_extension};
use crate::parts::{Combined, Part, Recorder, Whole, slice_range};
use crate::posterior::{EstimateArgs, JobArgs, read_measure};
use crate::progress::Terminal;
use crate::report::{check_output, title_of};
use crate::text::{answer, warn};
use derived::{Derived, DerivedArgs};

/// Summarise posterior draws by one mixture: the draw of least expected loss, or an estimate with few atoms
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist summarize draws.npz --data data.csv --distance smix-w -o summary.json
  mixgist summarize draws.npz --estimate free --atoms 5 --data data.csv
  mixgist summarize chain1.csv chain2.csv --burn-in 500 --data data.csv \\
      --labels labels.csv --density density.csv")]
pub struct Summarize {
    #[command(flatten)]
    job: JobArgs,

    #[command(flatten)]
    estimate: EstimateArgs,

    /// A measure of your own to judge beside the estimate: a file with one draw, or a summary (.json)
    #[arg(long, value_name = "FILE", help_heading = "Estimate")]
    candidate: Option<PathBuf>,

    /// How the best draw is found; every route that can be taken finds the same one
    #[arg(long, value_name = "ROUTE", default_value = "auto", help_heading = "Distance",
          value_parser = PossibleValuesParser::new(Route::NAMES.map(|(name, _)| name)))]
    route: String,

    /// Memory that may be used, such as 2GB: draws that need more are read in blocks, again for each pass (power loss only) [default: what is free]
    #[arg(long, value_name = "SIZE", help_heading = "Distance", value_parser = streamed::size)]
    memory: Option<u64>,

    /// Work on the slices from A to before B only, and write what is found to --output, for 'mixgist combine'
    #[arg(long, value_name = "A:B", help_heading = "Distance", requires = "output", value_parser = slice_range,
          conflicts_with_all = ["report", "labels", "memberships", "density", "json"])]
    slice_range: Option<Range<usize>>,

    /// Write the summary to this file (.json)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write a report with figures to this file (.html)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,

    #[command(flatten)]
    parts: PartsArgs,

    #[command(flatten)]
    derived: DerivedArgs,

    #[command(flatten)]
    printing: OutputArgs,
}

impl Summarize {
    /// Whether a part is asked for.
    pub fn makes_part(&self) -> bool {
        self.slice_range.is_some()
    }

    /// The same verb for parts of which a whole is made; where its answer goes is said anew.
    pub fn combining(self, output: Option<PathBuf>, printing: OutputArgs) -> Self {
        Summarize { slice_range: None, output, printing, ..self }
    }

    /// Reads, summarises, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        self.run_with(None, terminal)
    }

    /// The same with parts that were made before.
    pub fn run_with(&self, parts: Option<&Combined>, terminal: &Terminal) -> Result<()> {
        let route = by_name(&Route::NAMES, &self.route);
        let settings = self.job.settings(route)?.with_estimator(self.estimate.made()?);
        self.check_outputs(parts)?;
        if let Some(blocks) = self.blocks(&settings, parts.is_some())? {
            return self.run_in_blocks(&blocks, settings, terminal);
        }
        let (file, data) = self.job.read(&settings)?;
        let dim = file.ensemble.dim();
        let read = |path: &PathBuf| read_measure(path, &self.job.draws.reading, dim);
        let settings = settings.with_candidate(self.candidate.as_ref().map(read).transpose()?);
        let source = self.job.source(self.candidate.as_deref(), self.output.as_deref())?;
        let inputs = Inputs::new(Some(DrawsFile { data: None, ..file }), data)?;
        let Some(DrawsFile { ensemble, .. }) = &inputs.draws else { unreachable!("draws were read") };
        let points = inputs.points()?;
        let new_points = self.derived.read_new_points(ensemble.dim())?;
        self.derived.check(Some(ensemble), points)?;
        require_memory(ensemble, &settings)?;

        let whole = Whole { settings: &settings, source: &source, ensemble };
        if let (Some(range), Some(path)) = (&self.slice_range, &self.output) {
            let part = self.part(range, &whole, points, terminal)?;
            terminal.begin_writing();
            part.write(path, self.printing.overwrite())?;
            terminal.clear();
            return Ok(());
        }
        let workers = parts.map(|parts| parts.workers(&whole)).transpose()?;
        let workers = workers.as_ref().map(|workers| workers as &dyn Workers);
        let posterior = Posterior::new(ensemble, points, settings.clone())?
            .with_columns(inputs.columns())
            .with_source(Some(source.clone()))
            .with_workers(workers);
        let found = posterior.answer(posterior.summary(terminal)?.clone());
        let derived = Derived::compute(&self.derived, &found, Some(ensemble), points, new_points.as_ref(), terminal)?;
        let presentation = inputs.behind()?.presentation(&found, Some(&posterior), &CommandLine, terminal)?;
        let presentation = presentation.without(&self.parts.without);
        let title = title_of(&found, &self.job.draws.draws);
        let report = self.report.as_ref().map(|_| mixgist_report::html(&title, vec![presentation])).transpose()?;
        let text = match self.printing.json {
            true => to_json(SUMMARY_SCHEMA, &found)?,
            false => found.narrative().plain(&CommandLine),
        };

        terminal.begin_writing();
        let overwrite = self.printing.overwrite();
        together(|| {
            derived.write(inputs.columns(), overwrite, terminal)?;
            if let (Some(path), Some(report)) = (&self.report, &report) {
                write_bytes(path, report.as_bytes(), overwrite)?;
            }
            self.output.as_ref().map_or(Ok(()), |path| write_json(path, SUMMARY_SCHEMA, &found, overwrite))
        })?;
        terminal.clear();
        answer(&text)?;
        warn(&found.warnings);
        Ok(())
    }

    /// The answer to the first question about the slices, for those that begin in a range.
    fn part(&self, range: &Range<usize>, whole: &Whole, points: Option<Points>, terminal: &Terminal) -> Result<Part> {
        let Whole { settings, ensemble, .. } = *whole;
        if matches!(settings.slices, SliceCount::Auto { .. }) && settings.directions.is_none() {
            return Err(Error::usage("--slice-range needs to know how many slices there are")
                .hint("say how many, the same for all parts: --slices 1000"));
        }
        if settings.works_in_blocks(ensemble) {
            return Err(Error::usage("so many draws are worked on in blocks of draws, not in parts of slices")
                .hint("use --route sweep, the same for all parts"));
        }
        let slices = settings.slice_count(ensemble.dim())?;
        if range.end > slices {
            let (start, end) = (range.start, range.end);
            return Err(Error::usage(format!("--slice-range is {start}:{end}, there are {slices} slices"))
                .hint(format!("end it at {slices}, or ask for more --slices")));
        }
        let recorder = Recorder::new(ensemble, range.clone());
        let posterior = Posterior::new(ensemble, points, settings.clone())?.with_workers(Some(&recorder));
        let ended = posterior.summary(terminal).map(drop);
        drop(posterior);
        if let Err(error) = ended
            && !recorder.is_done()
        {
            return Err(error);
        }
        recorder.into_part(whole, slices)
    }

    fn check_outputs(&self, parts: Option<&Combined>) -> Result<()> {
        match &self.output {
            Some(path) if self.slice_range.is_some() && has_extension(path, "json") => {
                return Err(Error::usage("--output is a .json file, and a part of a summary is none")
                    .hint("call it something else, such as 0.part"));
            }
            Some(path) if self.slice_range.is_none() => expect_extension(path, "--output", &["json"])?,
            _ => {}
        }
        if let Some(path) = &self.report {
            check_output(path, "--report")?;
        }
        let [labels, memberships, density] = self.derived.outputs()?;
        let mut inputs = all_paths(
            &self.job.draws.draws,
            &[&self.job.data, &self.job.slicing.directions, &self.candidate, self.derived.new_points_path()],
        );
        inputs.extend(parts.into_iter().flat_map(Combined::paths).map(PathBuf::as_path));
        self.printing.check(&[&self.output, &self.report, labels, memberships, density], &inputs)
    }
}

/// Refuses at once what cannot fit.
pub fn require_memory(ensemble: &Ensemble, settings: &Settings) -> Result<()> {
    let needed = settings.predicted_bytes(ensemble)?;
    memory::require(needed, &format!("summarising {} draws this way", ensemble.len()), |free| {
        let fits = |route, loss| {
            let other = settings.clone().with_route(route).with_loss(loss);
            other.predicted_bytes(ensemble).is_ok_and(|bytes| bytes <= free)
        };
        if fits(Route::Certified, settings.loss) {
            "use --route auto, which needs no matrix of all pairs".into()
        } else if fits(Route::Auto, Loss::Power) {
            "use --loss power, which needs no matrix of all pairs with order 2, or keep fewer draws with --thin".into()
        } else {
            "keep fewer draws with --thin, or use fewer --slices".into()
        }
    })
}
