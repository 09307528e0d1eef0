//! `mixgist demo`: Old Faithful from data to answer.

use std::path::{Path, PathBuf};

use clap::Args;
use mixgist::text::CommandLine;
use mixgist::{Answer, Error, Points, Posterior, Progress, Result, Settings, SlicerName, Source, Summary};
use mixgist_io::{
    DataTable, DrawsFile, Overwrite, SUMMARY_SCHEMA, default_reading, describe_file, write_bytes, write_data,
    write_draws, write_json,
};
use mixgist_report::page::PARTS;
use mixgist_samplers::{Agreement, ComponentPrior, FitSettings, Scale, fit};

use crate::fit::report;
use crate::inputs::Inputs;
use crate::progress::Terminal;
use crate::text::{answer, table, with_error};

/// Old Faithful from data to answer: fit a mixture, summarise its draws under three distances
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist demo
  mixgist demo -o demo && mixgist summarize demo/draws.npz")]
pub struct Demo {
    /// Write the data, the draws, the summaries and a report to this new folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

const DATA: &str = include_str!("../data/faithful.csv");
const DISTANCES: [&str; 3] = ["sw", "mix-sw", "smix-w"];

impl Demo {
    /// Fits, summarises under the three distances, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let folder = self.output.as_deref().map(NewFolder::create).transpose()?;
        let data = old_faithful()?;
        let fit_settings = fit_settings();
        let fitted = fit(data.values(), data.columns(), &fit_settings, None, terminal)?;
        let agreement = Agreement::new(&fitted, Points::new(data.columns(), data.values())?, &fit_settings, terminal)?;
        let points = Points::new(data.columns(), data.values())?;
        let mut results = Vec::new();
        for name in DISTANCES {
            let settings = Settings::default().with_slicer(SlicerName::from_name(name)?);
            let posterior = Posterior::new(&fitted.ensemble, Some(points), settings)?.with_columns(data.column_names());
            results.push(posterior.answer(posterior.summary(terminal)?.clone()));
        }
        let mut text = vec![
            format!("Old Faithful: {} eruptions, {}.", data.rows(), data.column_names().unwrap_or(&[]).join(" and ")),
            String::new(),
            report(&fitted, &fit_settings, &agreement),
            String::new(),
            "One draw stands for all of them: the one of least expected distance.".into(),
            String::new(),
            comparison(&results),
        ];
        // The default distance in full.
        if let Some(found) = results.last() {
            text.push(String::new());
            text.push(format!("Under {}:", found.about.settings.slicer.name()));
            text.push(found.narrative().plain(&CommandLine));
        }
        text.push(String::new());
        text.push(match &self.output {
            Some(folder) => {
                let folder = folder.display();
                format!("Written to {folder}; open {folder}/report.html. Next: mixgist summarize {folder}/draws.npz")
            }
            None => "Next: mixgist demo -o demo && mixgist summarize demo/draws.npz".into(),
        });
        terminal.begin_writing();
        if let Some(folder) = folder {
            folder.fill(|path| {
                write_all(path, DrawsFile::labelled(fitted.draws(), fitted.labels.clone(), data), &results, terminal)
            })?;
        }
        terminal.clear();
        answer(&text.join("\n"))
    }
}

fn old_faithful() -> Result<DataTable> {
    let mut lines = DATA.lines();
    let names = lines.next().unwrap_or("").split(',').map(str::to_owned).collect::<Vec<_>>();
    let values: std::result::Result<Vec<f64>, _> = lines.flat_map(|line| line.split(',').map(str::parse)).collect();
    DataTable::new(
        names.len(),
        values.map_err(|cause| Error::input(format!("the data set is damaged: {cause}")))?,
        Some(names),
    )
}

/// The prior of the paper's experiments on these data; four chains, 250 draws of each.
fn fit_settings() -> FitSettings {
    FitSettings::default()
        .with_component(ComponentPrior {
            mu0: Some(vec![3.0, 70.0]),
            lambda: Some(1.0),
            psi: Some(Scale::Diagonal(vec![4.0, 36.0])),
            nu: Some(4.0),
            ..ComponentPrior::default()
        })
        .with_chains(4)
        .with_iterations(21_000)
        .with_burn_in(1000)
        .with_thin(80)
}

fn comparison(results: &[Answer<Summary>]) -> String {
    let header = ["distance", "draw", "expected loss", "runner-up", "clusters"].map(String::from);
    let row = |found: &Answer<Summary>| {
        vec![
            found.about.settings.slicer.name().to_owned(),
            found.medoid.draw.to_string(),
            with_error(found.expected_loss, found.expected_loss_se),
            found.medoid.runner_up.map_or("none".into(), |other| format!("draw {}", other.draw)),
            found.clusters.unwrap_or(0).to_string(),
        ]
    };
    table(&header, &results.iter().map(row).collect::<Vec<_>>())
}

fn write_all(folder: &Path, draws: DrawsFile, results: &[Answer<Summary>], progress: &dyn Progress) -> Result<()> {
    let path = folder.join("draws.npz");
    write_draws(&path, &draws, None, Overwrite::Refuse)?;
    let source = Source {
        draws: vec![describe_file(&path, folder)?],
        reading: default_reading(),
        data: None,
        directions: None,
        candidate: None,
    };
    if let Some(data) = &draws.data {
        write_data(&folder.join("data.csv"), data, None, Overwrite::Refuse)?;
    }
    // The default distance is what the reader sees first.
    let mut answers: Vec<Answer<Summary>> = results.iter().rev().cloned().collect();
    for found in &mut answers {
        found.about.source = Some(source.clone());
        let name = format!("summary-{}.json", found.about.settings.slicer.name());
        write_json(&folder.join(name), SUMMARY_SCHEMA, found, Overwrite::Refuse)?;
    }
    // What takes time is computed for the first; its stability card changes the distance as well.
    let without = |i: usize| if i == 0 { Vec::new() } else { PARTS.map(String::from).to_vec() };
    let (inputs, answers) = (Inputs::new(Some(draws), None)?, answers.iter().collect::<Vec<_>>());
    let report = inputs.behind()?.report("Old Faithful", &answers, without, &CommandLine, progress)?;
    write_bytes(&folder.join("report.html"), report.as_bytes(), Overwrite::Refuse)
}

/// A folder that did not exist before and disappears again unless it is filled.
struct NewFolder {
    path: PathBuf,
    filled: bool,
}

impl NewFolder {
    fn create(path: &Path) -> Result<Self> {
        std::fs::create_dir(path).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Error::usage("exists already").in_file(path).hint("name a folder that does not exist yet")
            }
            _ => Error::io(path, "make the folder", &cause),
        })?;
        Ok(NewFolder { path: path.to_owned(), filled: false })
    }

    fn fill(mut self, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        write(&self.path)?;
        self.filled = true;
        Ok(())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if !self.filled {
            // What could not be completed is of no use; failing to remove it is no new error.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
