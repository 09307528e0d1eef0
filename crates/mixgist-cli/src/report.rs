//! `mixgist report`: everything about a summary in one HTML file.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args};
use mixgist::slice::SLICERS;
use mixgist::text::CommandLine;
use mixgist::{Answer, Error, Loss, Posterior, Result, Route, Summary};
use mixgist_io::{read_summary, write_bytes};
use mixgist_report::page::EXTENSIONS;

use crate::inputs::{InputArgs, Inputs, PartsArgs};
use crate::options::{ForceArgs, ReadingArgs, SlicingArgs, expect_extension, has_extension, read_data_for};
use crate::posterior::EstimateArgs;
use crate::progress::Terminal;
use crate::summarize::require_memory;
use crate::text::answer;

/// Write a report of summaries, or straight of draws, as one HTML file
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist report summary.json -o report.html
  mixgist report summary-sw.json summary-smix-w.json -o report.html
  mixgist report draws.npz --data data.csv --distance sw,mix-sw,smix-w \\
      -o report.html")]
pub struct Report {
    /// Summaries (.json) of the same draws, or files of draws
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Write the report to this file (.html)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,

    /// Title of the report
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    title: Option<String>,

    /// Names of the distances, for draws, as the other options on distances and reading; with several the reader can switch
    #[arg(long, value_name = "NAMES", default_value = "smix-w", value_delimiter = ',', help_heading = "Distance",
          value_parser = PossibleValuesParser::new(SLICERS.iter().map(|slicer| slicer.name())))]
    distance: Vec<String>,

    #[command(flatten)]
    slicing: SlicingArgs,

    #[command(flatten)]
    parts: PartsArgs,

    #[command(flatten)]
    inputs_behind: InputArgs,

    #[command(flatten)]
    estimate: EstimateArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    force: ForceArgs,
}

impl Report {
    /// Reads or computes the summaries and writes the report.
    pub fn run(&self, given: &[Arg], terminal: &Terminal) -> Result<()> {
        check_output(&self.output, "--output")?;
        self.force.check(&[&Some(self.output.clone())], &self.inputs_behind.paths(&self.inputs))?;
        let summaries = self.inputs.iter().filter(|path| has_extension(path, "json")).count();
        let title = |found: &[Answer<Summary>]| self.title.clone().unwrap_or_else(|| title_of(&found[0], &self.inputs));
        if summaries == 0 {
            let (found, inputs) = self.summarise_draws(terminal)?;
            return self.write(&title(&found), &found, &inputs, terminal);
        }
        if summaries < self.inputs.len() {
            return Err(Error::usage("summaries and draws cannot be reported on together").hint(
                "give either summaries (.json) or files of draws; --draws says where the draws of a summary are",
            ));
        }
        refuse_options_for_draws(given)?;
        let found: Vec<Answer<Summary>> = self.inputs.iter().map(|path| read_summary(path)).collect::<Result<_>>()?;
        let inputs = Inputs::read(&found[0], &self.inputs[0], &self.inputs_behind)?;
        self.write(&title(&found), &found, &inputs, terminal)
    }

    fn summarise_draws(&self, terminal: &Terminal) -> Result<(Vec<Answer<Summary>>, Inputs)> {
        if !self.inputs_behind.is_empty_of_draws() {
            return Err(Error::usage("--draws is for summaries; the draws are given already"));
        }
        let file = self.reading.read(&self.inputs)?;
        let (data_path, directions) = (self.inputs_behind.data(), self.slicing.directions.as_deref());
        let data = data_path.map(|path| read_data_for(path, file.ensemble.dim())).transpose()?;
        let source = self.reading.source(&self.inputs, data_path, directions, None, Some(&self.output))?;
        let inputs = Inputs::new(Some(file), data)?;
        let Some(file) = &inputs.draws else { unreachable!("draws were read") };
        let mut found = Vec::new();
        for distance in &self.distance {
            let settings = self.slicing.settings(distance, Loss::default(), Route::default())?;
            let settings = settings.with_estimator(self.estimate.made()?);
            require_memory(&file.ensemble, &settings)?;
            let posterior = Posterior::new(&file.ensemble, inputs.points()?, settings)?
                .with_columns(inputs.columns())
                .with_source(Some(source.clone()));
            found.push(posterior.answer(posterior.summary(terminal)?.clone()));
        }
        Ok((found, inputs))
    }

    fn write(&self, title: &str, found: &[Answer<Summary>], inputs: &Inputs, terminal: &Terminal) -> Result<()> {
        let (found, without) = (found.iter().collect::<Vec<_>>(), |_| self.parts.without.clone());
        let report = inputs.behind()?.report(title, &found, without, &CommandLine, terminal)?;
        terminal.begin_writing();
        write_bytes(&self.output, report.as_bytes(), self.force.overwrite())?;
        terminal.clear();
        answer(&format!("Written to {}. It opens in any browser.", self.output.display()))
    }
}

/// Refuses options on how draws are read and distances measured, which a summary has behind it.
fn refuse_options_for_draws(given: &[Arg]) -> Result<()> {
    let for_draws = |arg: &&Arg| {
        matches!(arg.get_help_heading(), Some("Distance" | "Reading"))
            && !matches!(arg.get_id().as_str(), "draws" | "data")
    };
    let names: Vec<String> =
        given.iter().filter(for_draws).filter_map(Arg::get_long).map(|name| format!("--{name}")).collect();
    match names.as_slice() {
        [] => Ok(()),
        names => {
            let verb = if names.len() == 1 { "is" } else { "are" };
            Err(Error::usage(format!("{} {verb} for draws; a summary says how it was made", names.join(", ")))
                .hint("leave them out, give the draws instead of the summary, or summarise again with these options"))
        }
    }
}

/// Refuses a file that is no HTML.
pub fn check_output(path: &Path, option: &str) -> Result<()> {
    expect_extension(path, option, &EXTENSIONS)
}

/// The title of a report: what the data are, or else the draws, by the names of their files.
pub fn title_of(answer: &Answer<Summary>, inputs: &[PathBuf]) -> String {
    let files = answer.about.source.as_ref().map(|source| match &source.data {
        Some(data) => vec![PathBuf::from(&data.path)],
        None => source.draws.iter().map(|file| PathBuf::from(&file.path)).collect(),
    });
    format!("Mixture posterior: {}", name_of(files.as_deref().unwrap_or(inputs)))
}

/// What a title calls the inputs.
fn name_of(inputs: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match inputs {
        [first, second, ..] => {
            format!("{}, {}{}", name(first), name(second), if inputs.len() > 2 { ", …" } else { "" })
        }
        [first] => name(first),
        [] => String::new(),
    }
}
