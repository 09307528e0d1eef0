//! `mixgist inspect`: what is in a file of draws, and what should worry its reader.

use clap::Args;
use mixgist::inspect::{AtomCounts, ChainProfile, Conditioning, WeightProfile};
use mixgist::{Inspection, Points, Result, inspect};
use mixgist_io::{DrawsFile, Schema, WarningDocument, to_json};
use serde::Serialize;

use crate::options::DrawsArgs;
use crate::text::{answer, count, line, significant};

/// Say what is in files of draws: sizes, weights, conditioning, problems
#[derive(Args)]
#[command(after_help = "Example:\n  mixgist inspect draws.npz")]
pub struct Inspect {
    #[command(flatten)]
    draws: DrawsArgs,

    /// Print the answer as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

const SCHEMA: Schema = Schema { name: "mixgist.inspection", version: 1 };

impl Inspect {
    /// Reads and prints.
    pub fn run(&self) -> Result<()> {
        let file = self.draws.read()?;
        let points = file.data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()?;
        let inspection = inspect(&file.ensemble, points)?;
        if self.json {
            answer(&to_json(SCHEMA, &InspectionDocument::new(&file, &inspection))?)
        } else {
            answer(&report(&file, &inspection))
        }
    }
}

fn report(file: &DrawsFile, seen: &Inspection) -> String {
    let DrawsFile { ensemble, labels, data } = file;
    let mut lines = vec![line("draws", draws(ensemble.len(), &seen.chains)), line("dimension", ensemble.dim())];
    let AtomCounts { min, median, max } = seen.atoms;
    let atoms =
        if min == max { format!("{max} a draw") } else { format!("{min} to {max} a draw, {median} in the median") };
    let padding = match ensemble.padding() {
        0 => String::new(),
        n => format!(" ({} of weight 0 dropped)", count(n, "atom")),
    };
    lines.push(line("atoms", format!("{atoms}{padding}")));
    let WeightProfile { largest, above_1e_4, above_1e_2, perplexity } = seen.weights;
    lines.push(line(
        "effective",
        format!("{above_1e_4:.1} atoms a draw above 1e-4, {above_1e_2:.1} above 1e-2, perplexity {perplexity:.2}"),
    ));
    lines.push(line("largest", format!("{largest:.4} is the mean largest weight of a draw")));
    lines.push(line(
        "weight sums",
        match ensemble.renormalization() {
            off if off > 1e-12 => format!("off 1 by up to {}, scaled", significant(off, 2)),
            _ => "1".into(),
        },
    ));
    let Conditioning { min_eigenvalue, max_eigenvalue, worst_condition, worst_draw, worst_atom } = seen.conditioning;
    lines.push(line(
        "covariances",
        format!("eigenvalues {} to {}", significant(min_eigenvalue, 3), significant(max_eigenvalue, 3)),
    ));
    lines.push(line(
        "conditioning",
        format!("at worst {} (draw {worst_draw}, atom {worst_atom})", significant(worst_condition, 3)),
    ));
    let scales: Vec<String> = seen.scales.iter().map(|&scale| significant(scale, 3)).collect();
    let whose = if data.is_some() { "data" } else { "draws" };
    lines.push(line("scales", format!("{} (of the {whose})", scales.join(", "))));
    if let Some(effective) = seen.effective_draws {
        lines.push(line("draw weights", format!("worth {effective:.1} of {} draws", ensemble.len())));
    }
    lines.push(line(
        "labels",
        match labels {
            Some(labels) => format!("{} draws × {} observations", labels.draws, labels.observations),
            None => "none".into(),
        },
    ));
    lines.push(line(
        "data",
        match data {
            Some(data) => {
                let names = data.column_names().map_or(String::new(), |names| format!(" ({})", names.join(", ")));
                format!("{} observations × {} columns{names}", data.rows(), data.columns())
            }
            None => "none".into(),
        },
    ));
    if seen.problems.is_empty() {
        lines.push(line("problems", "none"));
    }
    for (i, problem) in seen.problems.iter().enumerate() {
        lines.push(line(if i == 0 { "problems" } else { "" }, problem));
        lines.push(line("", format!("→ {}", problem.advice())));
    }
    lines.join("\n")
}

/// Longer lists of chains are summed up.
const LISTED_CHAINS: usize = 8;

fn draws(total: usize, chains: &[ChainProfile]) -> String {
    let iterations = |chain: &ChainProfile| format!("iterations {} to {}", chain.first_iteration, chain.last_iteration);
    match chains {
        [only] => format!("{total} in 1 chain ({})", iterations(only)),
        _ if chains.len() <= LISTED_CHAINS => {
            let each: Vec<String> =
                chains.iter().map(|c| format!("chain {}: {}, {}", c.chain, c.draws, iterations(c))).collect();
            format!("{total} in {} chains ({})", chains.len(), each.join("; "))
        }
        _ => {
            let sizes = || chains.iter().map(|chain| chain.draws);
            let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
            format!("{total} in {} chains of {least} to {most}", chains.len())
        }
    }
}

/// The answer for machines.
#[derive(Serialize)]
struct InspectionDocument {
    draws: usize,
    dim: usize,
    chains: Vec<ChainDocument>,
    atoms: AtomsDocument,
    weights: WeightsDocument,
    covariances: CovariancesDocument,
    scales: Vec<f64>,
    effective_draws: Option<f64>,
    /// (draws, observations).
    labels: Option<[usize; 2]>,
    /// (observations, columns).
    data: Option<[usize; 2]>,
    columns: Option<Vec<String>>,
    problems: Vec<WarningDocument>,
}

#[derive(Serialize)]
struct ChainDocument {
    chain: u32,
    draws: usize,
    first_iteration: u64,
    last_iteration: u64,
}

#[derive(Serialize)]
struct AtomsDocument {
    min: usize,
    median: usize,
    max: usize,
    padding: usize,
}

#[derive(Serialize)]
struct WeightsDocument {
    mean_largest: f64,
    mean_atoms_above_1e_4: f64,
    mean_atoms_above_1e_2: f64,
    mean_perplexity: f64,
    renormalization: f64,
}

#[derive(Serialize)]
struct CovariancesDocument {
    min_eigenvalue: f64,
    max_eigenvalue: f64,
    worst_condition: f64,
    worst_draw: usize,
    worst_atom: usize,
}

impl InspectionDocument {
    fn new(file: &DrawsFile, seen: &Inspection) -> Self {
        let DrawsFile { ensemble, labels, data } = file;
        let chain = |&ChainProfile { chain, draws, first_iteration, last_iteration }: &ChainProfile| ChainDocument {
            chain,
            draws,
            first_iteration,
            last_iteration,
        };
        let AtomCounts { min, median, max } = seen.atoms;
        let WeightProfile { largest, above_1e_4, above_1e_2, perplexity } = seen.weights;
        let Conditioning { min_eigenvalue, max_eigenvalue, worst_condition, worst_draw, worst_atom } =
            seen.conditioning;
        InspectionDocument {
            draws: ensemble.len(),
            dim: ensemble.dim(),
            chains: seen.chains.iter().map(chain).collect(),
            atoms: AtomsDocument { min, median, max, padding: ensemble.padding() },
            weights: WeightsDocument {
                mean_largest: largest,
                mean_atoms_above_1e_4: above_1e_4,
                mean_atoms_above_1e_2: above_1e_2,
                mean_perplexity: perplexity,
                renormalization: ensemble.renormalization(),
            },
            covariances: CovariancesDocument {
                min_eigenvalue,
                max_eigenvalue,
                worst_condition,
                worst_draw,
                worst_atom,
            },
            scales: seen.scales.clone(),
            effective_draws: seen.effective_draws,
            labels: labels.as_ref().map(|labels| [labels.draws, labels.observations]),
            data: data.as_ref().map(|data| [data.rows(), data.columns()]),
            columns: data.as_ref().and_then(|data| data.column_names()).map(<[String]>::to_vec),
            problems: seen.problems.iter().map(WarningDocument::from).collect(),
        }
    }
}
