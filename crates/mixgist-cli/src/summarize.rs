//! `mixgist summarize`: one point estimate from posterior draws.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::summary::SAFE_SEPARATION;
use mixgist::{Ensemble, Loss, Points, Result, Route, Settings, Summary, summarize};
use mixgist_io::{DataTable, SUMMARY_SCHEMA, SummaryDocument, check_writable, read_data, to_json, write_json};

use crate::options::{DistanceArgs, DrawsArgs, OutputArgs, by_name};
use crate::progress::Terminal;
use crate::text::{count, significant, table, with_error};

/// Summarise posterior draws by one of them: the draw of least expected loss
#[derive(Args)]
#[command(after_help = "Example:\n  mixgist summarize draws.npz --data data.csv --distance smix-w -o summary.json")]
pub struct Summarize {
    #[command(flatten)]
    draws: DrawsArgs,

    /// Data to label and to take units from (.csv, .npy, .npz, .parquet); without it, data in the file of draws are used
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,

    #[command(flatten)]
    distance: DistanceArgs,

    /// What is averaged over the posterior: the distance, or its p-th power
    #[arg(long, value_name = "LOSS", default_value = "distance", help_heading = "Distance",
          value_parser = PossibleValuesParser::new(Loss::NAMES.map(|(name, _)| name)))]
    loss: String,

    /// How the best draw is found; every route finds the same one
    #[arg(long, value_name = "ROUTE", default_value = "auto", help_heading = "Distance",
          value_parser = PossibleValuesParser::new(Route::NAMES.map(|(name, _)| name)))]
    route: String,

    #[command(flatten)]
    output: OutputArgs,
}

impl Summarize {
    /// Reads, summarises, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let settings =
            self.distance.settings(by_name(&Loss::NAMES, &self.loss), by_name(&Route::NAMES, &self.route))?;
        if let Some(path) = &self.output.output {
            check_writable(path, self.output.overwrite())?;
        }
        let file = self.draws.read()?;
        let data = match &self.data {
            Some(path) => Some(read_data(path, &Default::default())?),
            None => file.data,
        };
        let points = data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()?;
        let summary = summarize(&file.ensemble, points, &settings, terminal)?;
        let columns = data.as_ref().and_then(DataTable::column_names);
        let document = SummaryDocument::new(&summary, &file.ensemble, &settings, columns);
        if let Some(path) = &self.output.output {
            write_json(path, SUMMARY_SCHEMA, &document, self.output.overwrite())?;
        }
        if self.output.json {
            println!("{}", to_json(SUMMARY_SCHEMA, &document)?);
        } else {
            println!("{}", report(&summary, &file.ensemble, &settings, columns));
        }
        for warning in &summary.warnings {
            eprintln!("warning: {warning}\nhint: {}", warning.advice());
        }
        Ok(())
    }
}

/// The answer for a person: which draw, how good, how safe, what it looks like.
pub fn report(summary: &Summary, ensemble: &Ensemble, settings: &Settings, columns: Option<&[String]>) -> String {
    let medoid = &summary.medoid;
    let mut lines = Vec::new();
    let mut line = |name: &str, text: String| lines.push(format!("{name:<14}{text}"));
    let (chain, iteration) = (ensemble.chains()[medoid.draw], ensemble.iterations()[medoid.draw]);
    line("estimate", format!("draw {} of {} (chain {chain}, iteration {iteration})", medoid.draw, ensemble.len()));
    line("expected loss", with_error(medoid.expected_loss, medoid.expected_loss_se));
    line("runner-up", runner_up(summary));
    if let Some(allocation) = &summary.allocation {
        let mut sizes = vec![0; summary.estimate.len()];
        allocation.labels.iter().for_each(|&label| sizes[label as usize] += 1);
        sizes.retain(|&size| size > 0);
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        line("clusters", format!("{} (of {} observations)", allocation.clusters(), sizes.join(", ")));
    }
    line(
        "distance",
        format!(
            "{}, order {}, {}, seed {}, units {}",
            settings.slicer.name(),
            settings.order.value(),
            count(summary.slices, "slice"),
            settings.seed,
            summary.units.units.name()
        ),
    );
    line(
        "route",
        format!("{}, {} of {} losses computed exactly", medoid.route.name(), medoid.exact_draws, ensemble.len()),
    );
    lines.push(String::new());
    lines.push(atoms(summary, columns));
    lines.join("\n")
}

fn runner_up(summary: &Summary) -> String {
    let Some(other) = summary.medoid.runner_up else {
        return "none: all draws are the same measure".into();
    };
    let behind = significant(other.expected_loss - summary.medoid.expected_loss, 3);
    match other.separation {
        Some(separation) => format!(
            "draw {}, {behind} behind: {separation:.1} standard errors, {}",
            other.draw,
            if separation >= SAFE_SEPARATION { "safe" } else { "not safe" }
        ),
        None => format!("draw {}, {behind} behind", other.draw),
    }
}

/// Lighter atoms are counted, not listed.
const LISTED_WEIGHT: f64 = 0.01;

/// The atoms that matter: those of some weight or with observations, heaviest first.
fn atoms(summary: &Summary, columns: Option<&[String]>) -> String {
    let (measure, d) = (&summary.estimate, summary.estimate.dim());
    let sizes = summary.allocation.as_ref().map(|allocation| {
        let mut sizes = vec![0; measure.len()];
        allocation.labels.iter().for_each(|&label| sizes[label as usize] += 1);
        sizes
    });
    let occupied = |k: usize| sizes.as_ref().is_some_and(|sizes| sizes[k] > 0);
    let mut listed: Vec<usize> =
        (0..measure.len()).filter(|&k| measure.weights()[k] >= LISTED_WEIGHT || occupied(k)).collect();
    listed.sort_by(|&a, &b| measure.weights()[b].total_cmp(&measure.weights()[a]));
    let shown = d.min(6);
    let name = |a: usize| match columns {
        Some(names) => names[a].clone(),
        None => format!("x{}", a + 1),
    };
    let mut header = vec!["atom".to_owned(), "weight".to_owned()];
    header.extend(sizes.iter().map(|_| "obs".to_owned()));
    header.extend((0..shown).map(|a| format!("mean {}", name(a))));
    header.extend((0..shown).map(|a| format!("sd {}", name(a))));
    let rows: Vec<Vec<String>> = listed
        .iter()
        .map(|&k| {
            let (mean, covariance) = (measure.atoms().mean(k), measure.atoms().covariance(k));
            let mut row = vec![k.to_string(), format!("{:.4}", measure.weights()[k])];
            row.extend(sizes.iter().map(|sizes| sizes[k].to_string()));
            row.extend((0..shown).map(|a| significant(mean[a], 4)));
            row.extend((0..shown).map(|a| significant(covariance[a * d + a].sqrt(), 3)));
            row
        })
        .collect();
    let mut text = table(&header, &rows);
    let rest = measure.len() - listed.len();
    if rest > 0 {
        let mass: f64 = 1.0 - listed.iter().map(|&k| measure.weights()[k]).sum::<f64>();
        text.push_str(&format!(
            "\n({} more of weight below {LISTED_WEIGHT}, together {})",
            count(rest, "atom"),
            significant(mass.max(0.0), 2)
        ));
    }
    if shown < d {
        text.push_str(&format!("\n({} more coordinates; all are in the JSON)", d - shown));
    }
    text
}
