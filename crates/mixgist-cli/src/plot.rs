//! `mixgist plot`: a figure of a summary, as SVG, PDF or PNG.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use mixgist::text::CommandLine;
use mixgist::{Error, Result};
use mixgist_io::{read_summary, write_bytes};
use mixgist_report::{Figure, KINDS, Kind};

use crate::inputs::{InputArgs, Inputs};
use crate::options::{ForceArgs, expect_extension, has_extension};
use crate::progress::Terminal;

/// Draw a figure of a summary
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist plot summary.json -o contours.svg
  mixgist plot summary.json --kind map -o map.pdf
  mixgist plot summary.json --kind contours --data data.csv -o contours.png")]
pub struct Plot {
    /// The summary (.json), as 'summarize -o' writes it
    #[arg(value_name = "SUMMARY")]
    summary: PathBuf,

    /// Kind of figure; without it the one that shows the estimate in its dimension
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(
          KINDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.help))))]
    kind: Option<String>,

    /// Write the figure to this file (.svg, .pdf or .png)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,

    /// Write this title above the figure
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    title: Option<String>,

    /// Dots per inch of a .png
    #[arg(long, value_name = "N", default_value_t = 300, help_heading = "Output",
          value_parser = clap::value_parser!(u16).range(20..=2400))]
    dpi: u16,

    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    force: ForceArgs,
}

impl Plot {
    /// Reads, draws and writes.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        expect_extension(&self.output, "--output", &Figure::EXTENSIONS)?;
        self.force.check(&[&Some(self.output.clone())], &self.inputs.paths(std::slice::from_ref(&self.summary)))?;
        if !has_extension(&self.summary, "json") {
            return Err(Error::usage("is no summary (.json)").in_file(&self.summary).hint(
                "summarise draws first: mixgist summarize DRAWS -o summary.json, then mixgist plot summary.json",
            ));
        }
        let found = read_summary(&self.summary)?;
        let inputs = Inputs::read(&found, &self.summary, &self.inputs)?;
        let behind = inputs.behind()?;
        let posterior = behind.posterior(&found)?;
        let presentation = behind.presentation(&found, posterior.as_ref(), &CommandLine, terminal)?;
        let kind = match &self.kind {
            Some(name) => Kind::from_name(name)?,
            None => Kind::of_estimate(found.estimate.dim()),
        };
        let mut figure = kind.draw(&presentation)?;
        if let Some(title) = &self.title {
            figure = figure.titled(title);
        }
        let bytes = figure.to_file(&self.output, self.dpi.into())?;
        terminal.begin_writing();
        write_bytes(&self.output, &bytes, self.force.overwrite())?;
        terminal.clear();
        Ok(())
    }
}
