//! `mixgist report`: everything about a summary in one HTML file.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args};
use mixgist::slice::SLICERS;
use mixgist::{Error, Loss, Points, Progress, Result, Route, summarize};
use mixgist_io::{DataTable, Overwrite, SUMMARY_SCHEMA, SummaryDocument, read_json, write_bytes};
use mixgist_report::html;
use mixgist_report::page::EXTENSIONS;

use crate::material::{Material, MaterialArgs, PartsArgs};
use crate::options::{
    ForceArgs, ReadingArgs, SlicingArgs, expect_extension, has_extension, read_data_for, read_directions,
};
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

    /// Laws of the slices, for draws, as the other options on distances and reading; with several the reader can switch
    #[arg(long, value_name = "NAMES", default_value = "smix-w", value_delimiter = ',', help_heading = "Distance",
          value_parser = PossibleValuesParser::new(SLICERS.iter().map(|slicer| slicer.name())))]
    distance: Vec<String>,

    #[command(flatten)]
    slicing: SlicingArgs,

    #[command(flatten)]
    parts: PartsArgs,

    #[command(flatten)]
    material: MaterialArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    force: ForceArgs,
}

impl Report {
    /// Reads or computes the summaries and writes the report.
    pub fn run(&self, given: &[Arg], terminal: &Terminal) -> Result<()> {
        check_output(&self.output, "--output")?;
        self.force.check(&[&Some(self.output.clone())], &self.material.paths(&self.inputs))?;
        let summaries = self.inputs.iter().filter(|path| has_extension(path, "json")).count();
        let title = self.title.clone().unwrap_or_else(|| format!("Summary of {}", name_of(&self.inputs)));
        if summaries == 0 {
            let (documents, material) = self.summarise_draws(terminal)?;
            return self.write(&title, &documents, &material.without(&self.parts), terminal);
        }
        if summaries < self.inputs.len() {
            return Err(Error::usage("summaries and draws cannot be reported on together").hint(
                "give either summaries (.json) or files of draws; --draws says where the draws of a summary are",
            ));
        }
        refuse_options_for_draws(given)?;
        let read = |path: &PathBuf| read_json(path, SUMMARY_SCHEMA);
        let documents: Vec<SummaryDocument> = self.inputs.iter().map(read).collect::<Result<_>>()?;
        let material = Material::read(&documents[0], &self.inputs[0], &self.material)?.without(&self.parts);
        self.write(&title, &documents, &material, terminal)
    }

    fn summarise_draws(&self, terminal: &Terminal) -> Result<(Vec<SummaryDocument>, Material)> {
        if !self.material.is_empty_of_draws() {
            return Err(Error::usage("--draws is for summaries; the draws are given already"));
        }
        let file = self.reading.read(&self.inputs)?;
        let data_path = self.material.data();
        let data = data_path.map(|path| read_data_for(path, file.ensemble.dim())).transpose()?;
        let source =
            self.reading.source(&self.inputs, data_path, self.slicing.directions.as_deref(), Some(&self.output))?;
        let mut documents = Vec::new();
        {
            let data = data.as_ref().or(file.data.as_ref());
            let points = data.map(|data| Points::new(data.columns(), data.values())).transpose()?;
            for distance in &self.distance {
                let settings = self.slicing.settings(distance, Loss::default(), Route::default())?;
                require_memory(&file.ensemble, &settings)?;
                let summary = summarize(&file.ensemble, points, &settings, terminal)?;
                let columns = data.and_then(DataTable::column_names);
                let document = SummaryDocument::new(&summary, &file.ensemble, &settings, columns);
                documents.push(document.with_source(source.clone()));
            }
        }
        let directions = self.slicing.directions.as_deref().map(read_directions).transpose()?;
        Ok((documents, Material::new(Some(file), data)?.with_directions(directions)))
    }

    fn write(
        &self,
        title: &str,
        documents: &[SummaryDocument],
        material: &Material,
        terminal: &Terminal,
    ) -> Result<()> {
        let overwrite = self.force.overwrite();
        write_report(&self.output, title, documents, material, overwrite, terminal)?;
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

/// Writes the report of summaries of the same draws.
pub fn write_report(
    path: &Path,
    title: &str,
    documents: &[SummaryDocument],
    material: &Material,
    overwrite: Overwrite,
    progress: &dyn Progress,
) -> Result<()> {
    let subjects = documents.iter().map(|document| material.subject(document, progress)).collect::<Result<_>>()?;
    write_bytes(path, html(title, subjects)?.as_bytes(), overwrite)
}

/// What a title calls the inputs.
pub fn name_of(inputs: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match inputs {
        [first, second, ..] => {
            format!("{}, {}{}", name(first), name(second), if inputs.len() > 2 { ", …" } else { "" })
        }
        [first] => name(first),
        [] => String::new(),
    }
}
