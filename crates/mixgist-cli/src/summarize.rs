//! `mixgist summarize`: one point estimate from posterior draws.

mod derived;

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::text::CommandLine;
use mixgist::{Ensemble, Loss, Posterior, Result, Route, Settings};
use mixgist_io::{DrawsFile, SUMMARY_SCHEMA, to_json, together, write_bytes, write_json};

use crate::inputs::{Inputs, PartsArgs};
use crate::memory;
use crate::options::{OutputArgs, all_paths, by_name, expect_extension};
use crate::posterior::{EstimateArgs, JobArgs, read_measure};
use crate::progress::Terminal;
use crate::report::{check_output, title_of};
use crate::text::{answer, warn};
use derived::{Derived, DerivedArgs};

/// Summarise posterior draws by one measure: the draw of least expected loss, or a free one with few atoms
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
    /// Reads, summarises, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let route = by_name(&Route::NAMES, &self.route);
        let settings = self.job.settings(route)?.with_estimator(self.estimate.made()?);
        self.check_outputs()?;
        let (file, data) = self.job.read(&settings)?;
        let dim = file.ensemble.dim();
        let read = |path: &PathBuf| read_measure(path, &self.job.draws.reading, dim);
        let settings = settings.with_candidate(self.candidate.as_ref().map(read).transpose()?);
        let source = self.job.source(self.candidate.as_deref(), self.output.as_deref())?;
        let inputs = Inputs::new(Some(DrawsFile { data: None, ..file }), data)?;
        let Some(DrawsFile { ensemble, .. }) = &inputs.draws else { unreachable!("draws were read") };
        let points = inputs.points()?;
        let new_points = self.derived.read_new_points(ensemble)?;
        self.derived.check(ensemble, points)?;
        require_memory(ensemble, &settings)?;

        let posterior =
            Posterior::new(ensemble, points, settings)?.with_columns(inputs.columns()).with_source(Some(source));
        let found = posterior.answer(posterior.summary(terminal)?.clone());
        let derived = Derived::compute(&self.derived, &found, ensemble, points, new_points.as_ref(), terminal)?;
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

    fn check_outputs(&self) -> Result<()> {
        if let Some(path) = &self.output {
            expect_extension(path, "--output", &["json"])?;
        }
        if let Some(path) = &self.report {
            check_output(path, "--report")?;
        }
        let [labels, memberships, density] = self.derived.outputs()?;
        let inputs = all_paths(
            &self.job.draws.draws,
            &[&self.job.data, &self.job.slicing.directions, &self.candidate, self.derived.new_points_path()],
        );
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
