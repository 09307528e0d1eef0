//! `mixgist demo`: Old Faithful from data to answer.

use std::path::{Path, PathBuf};

use clap::Args;
use mixgist::slice::slicer;
use mixgist::{Error, Points, Progress, Result, Settings, SliceCount, Summary, summarize};
use mixgist_io::{
    DataTable, DrawsFile, FileDocument, Overwrite, ReadingDocument, SUMMARY_SCHEMA, SourceDocument, SummaryDocument,
    write_bytes, write_data, write_draws, write_json,
};
use mixgist_report::html;
use mixgist_report::page::PARTS;
use mixgist_samplers::{Agreement, ComponentPrior, Scale, Settings as FitSettings, fit};

use crate::fit::{draws_file, report};
use crate::material::Material;
use crate::progress::Terminal;
use crate::summarize::report::{atoms, runner_up};
use crate::text::{answer, table, with_error};

/// Old Faithful from data to answer: fit a mixture, summarise its draws under three distances
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist demo
  mixgist demo -o demo && mixgist summarize demo/draws.npz --units sd")]
pub struct Demo {
    /// Write the data, the draws, the summaries and a report to this new folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

const DATA: &str = include_str!("../../../datasets/faithful.csv");
const DISTANCES: [&str; 3] = ["sw", "mix-sw", "smix-w"];

/// Fewer than the default, so that a first look takes a few seconds only.
const SLICES: usize = 400;

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
            let settings = Settings { slicer: slicer(name)?, slices: SliceCount::Fixed(SLICES), ..Settings::default() };
            let summary = summarize(&fitted.ensemble, Some(points), &settings, terminal)?;
            results.push((settings, summary));
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
        for (settings, summary) in &results {
            text.push(String::new());
            text.push(format!("{} estimate, draw {}:", settings.slicer.name(), summary.medoid.draw));
            text.push(atoms(summary, data.column_names()));
        }
        text.push(String::new());
        text.push(match &self.output {
            Some(folder) => {
                let folder = folder.display();
                format!("Written to {folder}; open {folder}/report.html. Next: mixgist summarize {folder}/draws.npz --units sd")
            }
            None => "Next: mixgist demo -o demo && mixgist summarize demo/draws.npz --units sd".into(),
        });
        terminal.begin_writing();
        if let Some(folder) = folder {
            folder.fill(|path| write_all(path, draws_file(&fitted, data), &results, terminal))?;
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
    FitSettings {
        component: ComponentPrior {
            mu0: Some(vec![3.0, 70.0]),
            lambda: Some(1.0),
            psi: Some(Scale::Diagonal(vec![4.0, 36.0])),
            nu: Some(4.0),
            ..ComponentPrior::default()
        },
        chains: 4,
        iterations: 21_000,
        burn_in: 1000,
        thin: 80,
        ..FitSettings::default()
    }
}

fn comparison(results: &[(Settings, Summary)]) -> String {
    let header = ["distance", "draw", "expected loss", "runner-up", "clusters"].map(String::from);
    let rows: Vec<Vec<String>> = results
        .iter()
        .map(|(settings, summary)| {
            vec![
                settings.slicer.name().into(),
                summary.medoid.draw.to_string(),
                with_error(summary.medoid.expected_loss, summary.medoid.expected_loss_se),
                runner_up(summary),
                summary.allocation.as_ref().map_or(0, |allocation| allocation.clusters()).to_string(),
            ]
        })
        .collect();
    table(&header, &rows)
}

fn write_all(folder: &Path, draws: DrawsFile, results: &[(Settings, Summary)], progress: &dyn Progress) -> Result<()> {
    let path = folder.join("draws.npz");
    write_draws(&path, &draws, None, Overwrite::Refuse)?;
    let source = SourceDocument {
        draws: vec![FileDocument::new(&path, folder)?],
        reading: ReadingDocument::default(),
        data: None,
        directions: None,
    };
    let columns = draws.data.as_ref().and_then(DataTable::column_names);
    if let Some(data) = &draws.data {
        write_data(&folder.join("data.csv"), data, None, Overwrite::Refuse)?;
    }
    let mut documents = Vec::new();
    for (settings, summary) in results {
        let document = SummaryDocument::new(summary, &draws.ensemble, settings, columns).with_source(source.clone());
        let name = format!("summary-{}.json", settings.slicer.name());
        write_json(&folder.join(name), SUMMARY_SCHEMA, &document, Overwrite::Refuse)?;
        documents.push(document);
    }
    // The default distance is what the reader sees first.
    documents.reverse();
    let material = Material::new(Some(draws), None)?;
    let mut subjects =
        documents.iter().map(|document| material.subject(document, progress)).collect::<Result<Vec<_>>>()?;
    // What takes time is computed for the first; its stability card changes the distance as well.
    let parts = PARTS.map(String::from);
    subjects =
        subjects.into_iter().enumerate().map(|(i, one)| if i == 0 { one } else { one.without(&parts) }).collect();
    write_bytes(&folder.join("report.html"), html("Old Faithful", subjects)?.as_bytes(), Overwrite::Refuse)
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
