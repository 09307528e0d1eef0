//! `mixgist demo`: summarises draws that it makes itself, around a mixture that is known.

use std::path::{Path, PathBuf};

use clap::Args;
use mixgist::linalg::{cholesky_in_place, from_cholesky};
use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::simulate::sample_points;
use mixgist::slice::slicer;
use mixgist::{
    CovarianceForm, Ensemble, Error, GaussianAtoms, MixingMeasure, Mixture, Points, Result, Settings, Summary,
    summarize,
};
use mixgist_io::{
    DataTable, DrawsFile, Overwrite, SUMMARY_SCHEMA, SummaryDocument, write_data, write_draws, write_json,
};

use crate::progress::Terminal;
use crate::summarize::report::{atoms, runner_up};
use crate::text::{answer, significant, table, with_error};

/// Summarise a small set of draws around a known mixture, made on the spot
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist demo
  mixgist demo -o demo && mixgist summarize demo/draws.npz --data demo/data.csv")]
pub struct Demo {
    /// Write the draws, the data and the summaries to this new folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

const SEED: u64 = 1;
const DRAWS: usize = 400;
const OBSERVATIONS: usize = 200;
const DISTANCES: [&str; 3] = ["sw", "mix-sw", "smix-w"];

impl Demo {
    /// Simulates, summarises under the three distances, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let folder = self.output.as_deref().map(NewFolder::create).transpose()?;
        let truth = truth()?;
        let ensemble = draws_around(&truth)?;
        let sampled = sample_points(&Mixture::new(&truth)?, OBSERVATIONS, SEED, terminal)?;
        let data = DataTable::new(2, sampled.values, Some(vec!["x".into(), "y".into()]))?;
        let points = Points::new(2, data.values())?;
        let mut results = Vec::new();
        for name in DISTANCES {
            let settings = Settings { slicer: slicer(name)?, ..Settings::default() };
            let summary = summarize(&ensemble, Some(points), &settings, terminal)?;
            results.push((settings, summary));
        }
        terminal.begin_writing();
        if let Some(folder) = folder {
            folder.fill(|path| write_all(path, &ensemble, &data, &results))?;
        }
        terminal.clear();
        answer(&self.report(&truth, &ensemble, &data, &results))
    }

    fn report(
        &self,
        truth: &MixingMeasure,
        ensemble: &Ensemble,
        data: &DataTable,
        results: &[(Settings, Summary)],
    ) -> String {
        let sizes = || (0..DRAWS).map(|m| ensemble.range(m).len());
        let mut text = vec![
            format!(
                "{DRAWS} draws around a mixture of {} Gaussians, as a sampler would give them for {OBSERVATIONS} observations:",
                truth.len()
            ),
            format!(
                "{} to {} atoms each, labels switching from draw to draw, a few atoms of junk. The truth is",
                sizes().min().unwrap_or(0),
                sizes().max().unwrap_or(0)
            ),
            String::new(),
            truth_table(truth),
            String::new(),
            "One draw stands for all of them: the one of least expected distance.".into(),
            String::new(),
        ];
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
        text.push(table(&header, &rows));
        for (settings, summary) in results {
            text.push(String::new());
            text.push(format!("{} estimate, draw {}:", settings.slicer.name(), summary.medoid.draw));
            text.push(atoms(summary, data.column_names()));
        }
        text.push(String::new());
        text.push(match &self.output {
            Some(folder) => {
                let folder = folder.display();
                format!("Written to {folder}. Next: mixgist summarize {folder}/draws.npz --data {folder}/data.csv")
            }
            None => "Next: mixgist demo -o demo && mixgist summarize demo/draws.npz --data demo/data.csv".into(),
        });
        text.join("\n")
    }
}

fn truth() -> Result<MixingMeasure> {
    let means = vec![0.0, 0.0, 4.0, 1.0, 1.0, 5.0];
    let covariances = vec![1.0, 0.5, 0.5, 1.0, 0.6, -0.2, -0.2, 0.4, 1.5, 0.0, 0.0, 0.3];
    MixingMeasure::new(vec![0.5, 0.3, 0.2], GaussianAtoms::new(2, means, covariances, CovarianceForm::Covariance)?)
}

/// Draws that scatter about the truth as a posterior of [`OBSERVATIONS`] observations does: an atom of weight w stands for
/// n w of them, and its mean, covariance and weight are known to about 1/√(n w).
fn draws_around(truth: &MixingMeasure) -> Result<Ensemble> {
    let draws: Result<Vec<MixingMeasure>> = (0..DRAWS as u64).map(|m| draw_around(truth, m)).collect();
    Ensemble::from_measures(&draws?)
}

fn draw_around(truth: &MixingMeasure, m: u64) -> Result<MixingMeasure> {
    let mut rng = stream(SEED, Purpose::Simulation, m);
    let mut normals = |n: usize| {
        let mut out = vec![0.0; n];
        standard_normals(&mut rng, &mut out);
        out
    };
    let mut drawn: Vec<(f64, Vec<f64>, Vec<f64>)> = Vec::new();
    for k in 0..truth.len() {
        let weight = truth.weights()[k];
        let spread = (OBSERVATIONS as f64 * weight).sqrt().recip();
        let mut factor = truth.atoms().covariance(k).to_vec();
        cholesky_in_place(&mut factor, 2).map_err(|_| Error::input("the truth has a singular covariance"))?;
        let z = normals(6);
        let shift = [factor[0] * z[0], factor[2] * z[0] + factor[3] * z[1]];
        let mean = (0..2).map(|a| truth.atoms().mean(k)[a] + spread * shift[a]).collect();
        // Σ = L (I + E)(I + E)ᵀ Lᵀ with a small lower triangular E.
        let e = [1.0 + spread * z[2] / 2f64.sqrt(), spread * z[3], 1.0 + spread * z[4] / 2f64.sqrt()];
        let moved = [factor[0] * e[0], 0.0, factor[2] * e[0] + factor[3] * e[1], factor[3] * e[2]];
        let mut covariance = vec![0.0; 4];
        from_cholesky(&moved, 2, &mut covariance);
        drawn.push((weight * (spread * (1.0 - weight).sqrt() * z[5]).exp(), mean, covariance));
    }
    // Junk, as Dirichlet process samplers leave it behind: light atoms straight from a wide prior.
    let junk = (2.0 * normals(1)[0].abs()) as usize;
    for _ in 0..junk.min(6) {
        let z = normals(4);
        let (first, second) = ((1.0 + z[2].abs()).powi(2), (1.0 + z[3].abs()).powi(2));
        drawn.push((0.004 * z[0].abs(), vec![2.0 + 5.0 * z[0], 2.0 + 5.0 * z[1]], vec![first, 0.0, 0.0, second]));
    }
    // Labels switch: atoms come in the order of random keys.
    let keys = normals(drawn.len());
    let mut order: Vec<usize> = (0..drawn.len()).collect();
    order.sort_by(|&i, &j| keys[i].total_cmp(&keys[j]));
    let means = order.iter().flat_map(|&k| drawn[k].1.clone()).collect();
    let covariances = order.iter().flat_map(|&k| drawn[k].2.clone()).collect();
    let atoms = GaussianAtoms::new(2, means, covariances, CovarianceForm::Covariance)?;
    MixingMeasure::new(order.iter().map(|&k| drawn[k].0).collect(), atoms)
}

fn truth_table(truth: &MixingMeasure) -> String {
    let header = ["weight", "mean x", "mean y", "sd x", "sd y"].map(String::from);
    let rows: Vec<Vec<String>> = (0..truth.len())
        .map(|k| {
            let (mean, covariance) = (truth.atoms().mean(k), truth.atoms().covariance(k));
            vec![
                format!("{:.4}", truth.weights()[k]),
                significant(mean[0], 4),
                significant(mean[1], 4),
                significant(covariance[0].sqrt(), 3),
                significant(covariance[3].sqrt(), 3),
            ]
        })
        .collect();
    table(&header, &rows)
}

fn write_all(folder: &Path, ensemble: &Ensemble, data: &DataTable, results: &[(Settings, Summary)]) -> Result<()> {
    write_draws(&folder.join("draws.npz"), &DrawsFile::from(ensemble.clone()), None, Overwrite::Refuse)?;
    write_data(&folder.join("data.csv"), data, None, Overwrite::Refuse)?;
    for (settings, summary) in results {
        let document = SummaryDocument::new(summary, ensemble, settings, data.column_names());
        let name = format!("summary-{}.json", settings.slicer.name());
        write_json(&folder.join(name), SUMMARY_SCHEMA, &document, Overwrite::Refuse)?;
    }
    Ok(())
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
