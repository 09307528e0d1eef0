//! `mixgist inspect`: what is in a file of draws, and what should worry its reader.

use clap::Args;
use mixgist::TraceAgreement;
use mixgist::inspect::{AtomCounts, ChainProfile, Conditioning, WeightProfile};
use mixgist::printable::printable_line;
use mixgist::text::{CommandLine, shell_word};
use mixgist::{Error, Inspection, Points, Result, inspect};
use mixgist_io::{DrawsFile, Format, Proposal, ReadOptions, Schema, json_schema, propose, to_json};
use schemars::JsonSchema;
use serde::Serialize;

use crate::memory;
use crate::options::DrawsArgs;
use crate::text::{answer, count, line, significant, table};

/// Say what is in files of draws: variables, sizes, weights, conditioning, problems
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist inspect draws.npz
  mixgist inspect posterior.nc          which variables to use, and the command
  mixgist inspect posterior.nc --weights w --means mu --covariances Sigma")]
pub struct Inspect {
    #[command(flatten)]
    draws: DrawsArgs,

    /// Print the answer as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

const SCHEMA: Schema = Schema { name: "mixgist.inspection", version: 2 };

impl Inspect {
    /// Reads and prints.
    pub fn run(&self) -> Result<()> {
        if let Some(text) = self.proposed()? {
            return answer(&text);
        }
        let file = self.draws.read()?.with_label_traces();
        let points = file.data.as_ref().map(|data| Points::new(data.columns(), data.values())).transpose()?;
        let inspection = inspect(&file.ensemble, points)?;
        if self.json {
            answer(&to_json(SCHEMA, &InspectionAnswer::new(&file, &inspection))?)
        } else {
            answer(&report(&file, &inspection))
        }
    }
}

impl Inspect {
    /// Variables of the first file and what they may be, when it has variables of any name and they were not named yet.
    fn proposed(&self) -> Result<Option<String>> {
        let path = &self.draws.draws[0];
        let how = self.draws.reading.how();
        let format = how.format.as_deref().map(Format::from_name).transpose()?;
        let Some(found) = propose(path, &ReadOptions { format, ..memory::reading() })? else { return Ok(None) };
        let named = how.variables.iter().all(|name| found.variables.iter().any(|variable| variable.name == *name));
        if named && (format == Some(found.format) || format.is_none() && found.by_extension) {
            return Ok(None);
        }
        if self.json {
            return Err(Error::usage("weights, means and covariances must be named before there is an answer as JSON")
                .hint("without --json this command proposes the names"));
        }
        Ok(Some(proposal(&found, &self.draws.draws, format.is_some() || !found.by_extension)))
    }
}

/// The variables, what is proposed, what must be decided, and the command that uses it.
fn proposal(found: &Proposal, paths: &[std::path::PathBuf], name_format: bool) -> String {
    const LISTED: usize = 40;
    let mut lines = vec![line("format", found.format.name())];
    for (i, variable) in found.variables.iter().take(LISTED).enumerate() {
        let shape: Vec<String> = variable.shape.iter().map(usize::to_string).collect();
        let shape = if shape.is_empty() { "one number".into() } else { shape.join(" × ") };
        lines
            .push(line(if i == 0 { "variables" } else { "" }, format!("{} ({shape})", printable_line(&variable.name))));
    }
    if found.variables.len() > LISTED {
        lines.push(line("", format!("and {} more", found.variables.len() - LISTED)));
    }
    for (i, what) in found.incomplete.iter().take(LISTED).enumerate() {
        lines.push(line(if i == 0 { "left out" } else { "" }, printable_line(what)));
    }
    lines.push(String::new());
    let mut words = vec!["mixgist summarize".to_owned()];
    words.extend(paths.iter().map(|path| quoted(&path.to_string_lossy())));
    if name_format {
        words.push(format!("--format {}", found.format.name()));
    }
    for (role, option, able) in [
        ("weights", "--weights", &found.weights),
        ("means", "--means", &found.means),
        ("covariances", "--covariances", &found.covariances),
    ] {
        match able.as_slice() {
            [name] => {
                lines.push(line(role, format!("{} is proposed", printable_line(name))));
                words.push(format!("{option} {}", quoted(name)));
            }
            [] => {
                let missing: String = match role {
                    "weights" => {
                        "no variable has K numbers that sum to 1: weights must be saved as a vector of K".into()
                    }
                    "means" if !found.exchanged.is_empty() => exchanged(&found.exchanged),
                    "means" => "no variable has the shape K or K × d: the first index must be the atom".into(),
                    _ if found.means.is_empty() => "can be proposed when the means are known".into(),
                    _ => "no variable has the shape K, K × d, K × d × d or that of one covariance for all atoms".into(),
                };
                lines.push(line(role, missing));
                words.push(format!("{option} …"));
            }
            several => {
                let named = |name: &String| match found.forms_of(name).as_slice() {
                    [form] if role == "covariances" => format!("{} ({form})", printable_line(name)),
                    _ => printable_line(name).into_owned(),
                };
                let names: Vec<String> = several.iter().map(named).collect();
                lines.push(line(role, format!("which of {}?", names.join(", "))));
                words.push(format!("{option} …"));
                if role == "covariances" {
                    words.push("--covariance-form …".into());
                }
            }
        }
    }
    match found.forms.as_slice() {
        ["covariance"] => lines.push(line("form", "covariance matrices")),
        [form] => {
            lines.push(line("form", format!("{form} is proposed")));
            words.push(format!("--covariance-form {form}"));
        }
        [] => {}
        several => {
            let meaning = |form: &&str| match *form {
                "sd" => "standard deviations (sd)".to_owned(),
                "diagonal" => "variances (diagonal)".into(),
                "precision" => "precision matrices (precision)".into(),
                other => format!("{other} matrices ({other})"),
            };
            let forms: Vec<String> = several.iter().map(meaning).collect();
            lines.push(line("form", format!("which of {}?", forms.join(", "))));
            words.push("--covariance-form …".into());
        }
    }
    let what = if found.is_certain() { "to use it" } else { "then" };
    lines.extend([String::new(), line(what, words.join(" "))]);
    lines.join("\n")
}

/// What helps where the indices of the means are in the other order.
fn exchanged(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| printable_line(name)).collect();
    format!(
        "the second index of {} seems to be the atom; the first must be. Save the transposed matrix, or rename the columns mu[i,j] to mu[j,i]",
        names.join(", ")
    )
}

/// A word from a file as a shell takes it.
fn quoted(word: &str) -> String {
    shell_word(&printable_line(word))
}

fn report(file: &DrawsFile, seen: &Inspection) -> String {
    let DrawsFile { ensemble, labels, data } = file;
    let mut lines = vec![line("draws", draws(ensemble.len(), &seen.chains)), line("dimension", ensemble.dim())];
    let AtomCounts { min, median, max, .. } = seen.atoms;
    let atoms =
        if min == max { format!("{max} per draw") } else { format!("{min} to {max} per draw, median {median}") };
    let padding = match ensemble.padding() {
        0 => String::new(),
        n => format!(" ({} of weight 0 dropped)", count(n, "atom")),
    };
    lines.push(line("atoms", format!("{atoms}{padding}")));
    let WeightProfile { largest, above_1e_4, above_1e_2, perplexity, .. } = seen.weights;
    lines.push(line(
        "effective",
        format!("{above_1e_4:.1} atoms per draw heavier than 1e-4, {above_1e_2:.1} heavier than 1e-2, perplexity {perplexity:.2}"),
    ));
    lines.push(line("largest", format!("{largest:.4} is the mean largest weight of a draw")));
    lines.push(line(
        "weight sums",
        match ensemble.renormalization() {
            off if off > 1e-12 => format!("off 1 by up to {}, scaled", significant(off, 2)),
            _ => "1".into(),
        },
    ));
    let Conditioning { min_eigenvalue, max_eigenvalue, worst_condition, worst_draw, worst_atom, .. } =
        seen.conditioning;
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
        lines.push(line("draw weights", format!("effective sample size {effective:.1} of {} draws", ensemble.len())));
    }
    lines.push(line("chains", seen.agreement.text()));
    let told = |trace: &TraceAgreement| {
        let convergence = trace.convergence?;
        Some(vec![
            trace.name.to_string(),
            format!("{:.3}", convergence.rhat),
            format!("{:.0}", convergence.bulk_ess),
            format!("{:.0}", convergence.tail_ess),
        ])
    };
    let traces: Vec<Vec<String>> = seen.agreement.traces.iter().filter_map(told).collect();
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
                format!("{} × {}{names}", count(data.rows(), "observation"), count(data.columns(), "column"))
            }
            None => "none".into(),
        },
    ));
    if seen.problems.is_empty() {
        lines.push(line("problems", "none"));
    }
    for (i, problem) in seen.problems.iter().enumerate() {
        lines.push(line(if i == 0 { "problems" } else { "" }, problem));
        lines.push(line("", format!("→ {}", problem.advice().spelled(&CommandLine))));
    }
    if !traces.is_empty() {
        lines.extend([String::new(), table(&["", "R-hat", "bulk ESS", "tail ESS"].map(String::from), &traces)]);
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

/// What is in the files, for machines.
#[derive(Serialize, JsonSchema)]
struct InspectionAnswer<'a> {
    /// Version of mixgist that computed it.
    mixgist_version: &'static str,
    /// Number of draws.
    draws: usize,
    /// Dimension of the atoms' means.
    dim: usize,
    /// Atoms of weight 0, which were dropped.
    padding: usize,
    /// The largest difference between 1 and the sum of the weights of a draw, before they were scaled.
    renormalization: f64,
    /// Numbers of draws and observations that have labels.
    labels: Option<[usize; 2]>,
    /// Numbers of observations and columns of the data.
    data: Option<[usize; 2]>,
    /// Names of the columns.
    columns: Option<&'a [String]>,
    #[serde(flatten)]
    seen: &'a Inspection,
}

impl<'a> InspectionAnswer<'a> {
    fn new(file: &'a DrawsFile, seen: &'a Inspection) -> Self {
        let DrawsFile { ensemble, labels, data } = file;
        InspectionAnswer {
            mixgist_version: env!("CARGO_PKG_VERSION"),
            draws: ensemble.len(),
            dim: ensemble.dim(),
            padding: ensemble.padding(),
            renormalization: ensemble.renormalization(),
            labels: labels.as_ref().map(|labels| [labels.draws, labels.observations]),
            data: data.as_ref().map(|data| [data.rows(), data.columns()]),
            columns: data.as_ref().and_then(|data| data.column_names()),
            seen,
        }
    }
}

/// The JSON Schema of the answer, with the name of its file.
pub fn json_schemas() -> Vec<(String, serde_json::Value)> {
    vec![json_schema::<InspectionAnswer>(SCHEMA)]
}
