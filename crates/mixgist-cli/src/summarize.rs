//! `mixgist summarize`: one point estimate from posterior draws.

mod derived;
mod quality;
pub mod report;

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::{Ensemble, Loss, Points, Result, Route, Settings, summarize};
use mixgist_io::{DataTable, SUMMARY_SCHEMA, SummaryDocument, to_json, write_json, together};

use crate::material::{Material, PartsArgs};
use crate::memory;
use crate::options::{OutputArgs, all_paths, by_name, expect_extension};
use crate::posterior::{EstimatorArgs, JobArgs, read_measure};
use crate::progress::Terminal;
use crate::report::{check_output, name_of, write_report};
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
    estimator: EstimatorArgs,

    /// A measure of your own to judge beside the estimate: a file with one draw, or a summary (.json)
    #[arg(long, value_name = "FILE", help_heading = "Estimate")]
    candidate: Option<PathBuf>,

    /// How the best draw is found; every route finds the same one
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
        let estimator = self.estimator.estimator()?;
        let settings = Settings { estimator, ..self.job.settings(route)? };
        self.check_outputs()?;
        let (file, data) = self.job.read(&settings)?;
        let reading = &self.job.draws.reading;
        let read = |path: &PathBuf| read_measure(path, reading, file.ensemble.dim());
        let settings = Settings { candidate: self.candidate.as_ref().map(read).transpose()?, ..settings };
        let points = data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()?;
        let new_points = self.derived.read_new_points(&file.ensemble)?;
        self.derived.check(&file.ensemble, points)?;
        require_memory(&file.ensemble, &settings)?;

        let summary = summarize(&file.ensemble, points, &settings, terminal)?;
        let columns = data.as_ref().and_then(DataTable::column_names);
        let derived = Derived::compute(&self.derived, &summary, &file.ensemble, points, new_points.as_ref(), terminal)?;
        let inputs = &self.job.draws.draws;
        let (data_path, directions) = (self.job.data.as_deref(), self.job.slicing.directions.as_deref());
        let source = reading.source(inputs, data_path, directions, self.output.as_deref())?;
        let document = SummaryDocument::new(&summary, &file.ensemble, &settings, columns).with_source(source);

        terminal.begin_writing();
        let overwrite = self.printing.overwrite();
        let text = match self.printing.json {
            true => to_json(SUMMARY_SCHEMA, &document)?,
            false => report::report(&summary, &file.ensemble, &settings, document.columns.as_deref()),
        };
        together(|| {
            derived.write(columns, overwrite, terminal)?;
            if let Some(path) = &self.report {
                let title = format!("Summary of {}", name_of(inputs));
                let material = Material::new(Some(file.clone()), data.clone())?.with_directions(settings.directions);
                let material = material.without(&self.parts);
                write_report(path, &title, std::slice::from_ref(&document), &material, overwrite, terminal)?;
            }
            self.output.as_ref().map_or(Ok(()), |path| write_json(path, SUMMARY_SCHEMA, &document, overwrite))
        })?;
        terminal.clear();
        answer(&text)?;
        warn(&summary.warnings);
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
            let other = Settings { route, loss, ..settings.clone() };
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
