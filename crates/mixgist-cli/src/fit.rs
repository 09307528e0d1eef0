//! `mixgist fit`: posterior draws of a mixture model from data.

mod document;

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::diagnostics::{Convergence, convergence};
use mixgist::{Error, Points, Result, Settings as SummarySettings, SliceCount, Summary, summarize};
use mixgist_io::{
    DataTable, DrawsFile, LabelDraws, ReadOptions, check_writable, read_data, to_json, write_draws, write_json,
};
use mixgist_samplers::{
    Algorithm, CheckpointMode, Checkpoints, ComponentPrior, Concentration, CovarianceModel, Fit, MixingPrior, Scale, Settings,
    Truncation, fit,
};

use self::document::{FIT_SCHEMA, FitDocument};
use crate::options::{OutputArgs, by_name};
use crate::progress::Terminal;
use crate::text::{count, significant, table};

/// Fit a Bayesian mixture of normals and keep its posterior draws
#[derive(Args)]
#[command(after_help = "Example:\n  mixgist fit data.csv -o draws.npz --chains 4 --iterations 5000 --burn-in 1000 --thin 4\n  mixgist summarize draws.npz")]
pub struct FitVerb {
    /// Data (.csv, .npy, .npz, .parquet): a row an observation, a column a coordinate
    #[arg(value_name = "DATA")]
    data: PathBuf,

    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    running: RunningArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The model.
#[derive(Args)]
#[command(next_help_heading = "Model")]
struct ModelArgs {
    /// Concentration α: a number, or 'gamma(a,b)' for a Gamma prior with shape a and rate b
    #[arg(long, value_name = "ALPHA", default_value = "1")]
    alpha: String,

    /// Discount of a Pitman-Yor process, from 0 (a Dirichlet process) to below 1
    #[arg(long, value_name = "D", default_value_t = 0.0, conflicts_with = "components")]
    discount: f64,

    /// Finite mixture of this many components with symmetric Dirichlet(α) weights, instead of a process
    #[arg(long, value_name = "K")]
    components: Option<usize>,

    /// Covariances of the components: full, diagonal, or one that is common to all
    #[arg(long, value_name = "MODEL", default_value = "full",
          value_parser = PossibleValuesParser::new(CovarianceModel::NAMES.map(|(name, _)| name)))]
    covariance: String,

    /// Prior mean of the components' means, one number a coordinate (3,70); from the data without it
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    mu0: Option<String>,

    /// Prior strength of mu0, in observations
    #[arg(long, value_name = "NUMBER")]
    lambda: Option<f64>,

    /// Scale of the inverse Wishart prior: its diagonal (4,36) or its rows (4,1;1,36)
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    psi: Option<String>,

    /// Degrees of freedom of the inverse Wishart prior
    #[arg(long, value_name = "NUMBER")]
    nu: Option<f64>,
}

/// The chains.
#[derive(Args)]
#[command(next_help_heading = "Chains")]
struct RunningArgs {
    /// Algorithm
    #[arg(long, value_name = "NAME", default_value = "blocked",
          value_parser = PossibleValuesParser::new(Algorithm::NAMES.map(|(name, _)| name)))]
    algorithm: String,

    /// Sticks that the blocked algorithm keeps: a number, or 'auto' for an expected rest below 1e-8
    #[arg(long, value_name = "K", default_value = "auto")]
    truncation: String,

    /// Number of chains
    #[arg(long, value_name = "N", default_value_t = 4)]
    chains: u32,

    /// Iterations of each chain, burn-in included
    #[arg(long, value_name = "N", default_value_t = 5000)]
    iterations: u64,

    /// Iterations at the beginning of each chain that are dropped
    #[arg(long, value_name = "N", default_value_t = 1000)]
    burn_in: u64,

    /// Of the others, keep every N-th
    #[arg(long, value_name = "N", default_value_t = 4)]
    thin: u64,

    /// Seed: the draws depend on it, the data and the options alone
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Save the state of the chains in this folder every so often, so that the run can be resumed
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    checkpoint: Option<PathBuf>,

    /// Go on with the run whose checkpoints are in this folder; give the same data and options
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// Iterations between two checkpoints
    #[arg(long, value_name = "N", default_value_t = 1000)]
    checkpoint_every: u64,
}

impl FitVerb {
    /// Reads the data, fits, writes draws and diagnostics, and prints the verdict.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let settings = self.settings()?;
        let overwrite = self.output.overwrite();
        let Some(output) = &self.output.output else {
            return Err(Error::usage("fit needs a file for the draws").hint("add -o draws.npz"));
        };
        let sidecar = output.with_extension("json");
        check_writable(output, overwrite)?;
        check_writable(&sidecar, overwrite)?;
        let data = read_data(&self.data, &ReadOptions::default())?;
        let fitted = fit(data.values(), data.columns(), &settings, self.checkpoints().as_ref(), terminal)
            .map_err(|error| name_column(error, &data).in_file(&self.data))?;
        let agreement = Agreement::new(&fitted, &data, &settings, terminal)?;
        let document = FitDocument::new(&fitted, &settings, &agreement, &data);
        let labels = LabelDraws::canonical(fitted.ensemble.len(), data.rows(), &fitted.labels)?;
        let draws = DrawsFile { ensemble: fitted.ensemble.clone(), labels: Some(labels), data: Some(data) };
        write_draws(output, &draws, None, overwrite)?;
        write_json(&sidecar, FIT_SCHEMA, &document, overwrite)?;
        if self.output.json {
            crate::text::print(&to_json(FIT_SCHEMA, &document)?);
        } else {
            crate::text::print(&report(&fitted, &settings, &agreement));
        }
        Ok(())
    }

    fn settings(&self) -> Result<Settings> {
        let (model, running) = (&self.model, &self.running);
        let prior = match model.components {
            Some(components) => MixingPrior::Finite { components },
            None if model.discount == 0.0 => MixingPrior::DirichletProcess,
            None => MixingPrior::PitmanYor { discount: model.discount },
        };
        let algorithm = match by_name(&Algorithm::NAMES, &running.algorithm) {
            Algorithm::Blocked { truncation } => Algorithm::Blocked { truncation: parse_truncation(&running.truncation, truncation)? },
            other => other,
        };
        let settings = Settings {
            prior,
            concentration: parse_concentration(&model.alpha)?,
            component: ComponentPrior {
                covariance: by_name(&CovarianceModel::NAMES, &model.covariance),
                mu0: model.mu0.as_deref().map(|text| numbers("--mu0", text)).transpose()?,
                lambda: model.lambda,
                psi: model.psi.as_deref().map(parse_psi).transpose()?,
                nu: model.nu,
            },
            algorithm,
            chains: running.chains,
            iterations: running.iterations,
            burn_in: running.burn_in,
            thin: running.thin,
            seed: running.seed,
            ..Settings::default()
        };
        settings.check()?;
        Ok(settings)
    }

    fn checkpoints(&self) -> Option<Checkpoints> {
        let every = self.running.checkpoint_every;
        let start = self.running.checkpoint.clone().map(|directory| (directory, CheckpointMode::Start));
        let resume = self.running.resume.clone().map(|directory| (directory, CheckpointMode::Resume));
        start.or(resume).map(|(directory, mode)| Checkpoints { directory, every, mode })
    }
}

/// Whether the chains agree, the distance of every draw to the estimate included.
pub struct Agreement {
    /// The estimate that distances are taken to.
    pub summary: Summary,
    /// Name and convergence of each trace.
    pub rows: Vec<(String, Convergence)>,
    /// The verdict on all of them.
    pub verdict: &'static str,
}

/// Slices for the distance trace: a diagnostic needs no more.
const DIAGNOSTIC_SLICES: usize = 100;

impl Agreement {
    /// Summarises the draws and judges the traces.
    pub fn new(fitted: &Fit, data: &DataTable, settings: &Settings, terminal: &Terminal) -> Result<Self> {
        let summary_settings = SummarySettings {
            slices: SliceCount::Fixed(DIAGNOSTIC_SLICES),
            units: mixgist::Units::Sd,
            ..SummarySettings::default()
        };
        let points = Points::new(data.columns(), data.values())?;
        let summary = summarize(&fitted.ensemble, Some(points), &summary_settings, terminal)?;
        let mut rows: Vec<(String, Convergence)> = fitted
            .diagnostics
            .iter()
            .flat_map(|diagnostics| diagnostics.rows())
            .map(|row| (row.name.to_owned(), row.convergence))
            .collect();
        if fitted.diagnostics.is_some() {
            let by_chain: Vec<&[f64]> =
                summary.medoid.distances.chunks(settings.draws_per_chain() as usize).collect();
            rows.push(("distance to estimate".into(), convergence(&by_chain)?));
        }
        let quantities: Vec<Convergence> = rows.iter().map(|(_, convergence)| *convergence).collect();
        let verdict = if rows.is_empty() {
            "too few draws to judge"
        } else {
            mixgist::diagnostics::verdict(&quantities, settings.chains as usize).text()
        };
        Ok(Agreement { summary, rows, verdict })
    }

    /// The table for a person, with the verdict below it.
    pub fn table(&self) -> String {
        let header = ["", "R-hat", "bulk ESS", "tail ESS"].map(str::to_owned);
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|(name, c)| {
                vec![name.clone(), format!("{:.4}", c.rhat), format!("{:.0}", c.bulk_ess), format!("{:.0}", c.tail_ess)]
            })
            .collect();
        format!("{}\nverdict: {}", table(&header, &rows), self.verdict)
    }
}

/// What a person wants to know of a fit.
pub fn report(fitted: &Fit, settings: &Settings, agreement: &Agreement) -> String {
    let clusters = fitted.traces.clusters.concat();
    let mean = clusters.iter().sum::<f64>() / clusters.len() as f64;
    let mut probabilities = std::collections::BTreeMap::<u64, f64>::new();
    for k in &clusters {
        *probabilities.entry(*k as u64).or_default() += 1.0 / clusters.len() as f64;
    }
    let mut likely: Vec<(u64, f64)> = probabilities.into_iter().collect();
    likely.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let likely: Vec<String> = likely.iter().take(5).map(|(k, p)| format!("{k}: {p:.2}")).collect();
    format!(
        "{}\n\ndraws         {} ({} from each of {})\nclusters      {} on average; probabilities {}\n\n{}",
        fitted.hyperparameters,
        fitted.ensemble.len(),
        settings.draws_per_chain(),
        count(settings.chains as usize, "chain"),
        significant(mean, 3),
        likely.join(", "),
        agreement.table()
    )
}

/// Adds the name of the column to a message that counts columns.
fn name_column(error: Error, data: &DataTable) -> Error {
    let Some(names) = data.column_names() else { return error };
    let text = error.to_string();
    let named = (0..names.len()).find(|a| text.contains(&format!("column {a} ")) || text.ends_with(&format!("column {a}")));
    match (named, error.hint_text()) {
        (Some(a), None) => error.hint(format!("column {a} is '{}'", names[a])),
        (Some(a), Some(hint)) => {
            let hint = format!("column {a} is '{}'; {hint}", names[a]);
            error.hint(hint)
        }
        (None, _) => error,
    }
}

fn numbers(option: &str, text: &str) -> Result<Vec<f64>> {
    let parsed: std::result::Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    parsed.map_err(|_| Error::usage(format!("{option} is '{text}', must be numbers separated by commas")))
}

fn parse_psi(text: &str) -> Result<Scale> {
    if !text.contains(';') {
        return Ok(Scale::Diagonal(numbers("--psi", text)?));
    }
    let rows: Vec<Vec<f64>> = text.split(';').map(|row| numbers("--psi", row)).collect::<Result<_>>()?;
    if rows.iter().any(|row| row.len() != rows.len()) {
        return Err(Error::usage(format!("--psi is '{text}', its rows do not make a square matrix")));
    }
    Ok(Scale::Full(rows.concat()))
}

fn parse_truncation(text: &str, auto: Truncation) -> Result<Truncation> {
    match (text, text.parse()) {
        ("auto", _) => Ok(auto),
        (_, Ok(sticks)) => Ok(Truncation::At(sticks)),
        _ => Err(Error::usage(format!("--truncation is '{text}', must be 'auto' or a number of sticks"))),
    }
}

fn parse_concentration(text: &str) -> Result<Concentration> {
    if let Ok(value) = text.parse() {
        return Ok(Concentration::Fixed(value));
    }
    let inner = text.strip_prefix("gamma(").and_then(|rest| rest.strip_suffix(')'));
    match inner.map(|inner| numbers("--alpha", inner)) {
        Some(Ok(values)) if values.len() == 2 => Ok(Concentration::Gamma { shape: values[0], rate: values[1] }),
        _ => Err(Error::usage(format!("--alpha is '{text}', must be a number or gamma(a,b)"))),
    }
}
