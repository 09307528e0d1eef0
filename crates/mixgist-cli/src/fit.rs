//! `mixgist fit`: posterior draws of a mixture model from data.

mod earlier;

use std::path::{Path, PathBuf};

use clap::Arg;
use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::text::CommandLine;
use mixgist::{Error, ErrorKind, Points, Result};
use mixgist_io::{
    DataTable, DrawsFile, FIT_SCHEMA, ReadOptions, fit_document_path, json_schema, memory, read_data, to_json,
    together, write_draws, write_json,
};
use mixgist_samplers::{
    Agreement, Algorithm, Checkpoints, ComponentPrior, Concentration, CovarianceModel, Fit, FitRecord, FitSettings,
    MixingPrior, ScaleChoice, extend, fit, predicted_bytes,
};

use self::earlier::Earlier;
use crate::component_prior::{ComponentArgs, numbers};
use crate::options::{OutputArgs, by_name, has_extension, warn_of_cut};
use crate::progress::Terminal;
use crate::text::{answer, count, line, significant, table};

/// Fit a Bayesian mixture of normals and keep its posterior draws
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mixgist fit data.csv -o draws.npz\n  mixgist fit iris.csv --columns sepal_length,petal_length -o draws.npz\n  mixgist fit --resume draws.npz --iterations 20000 -o longer.npz\n  mixgist summarize draws.npz"
)]
pub struct FitVerb {
    /// Data (.csv, .npy, .npz, .parquet): one row per observation, one column per coordinate
    #[arg(value_name = "DATA", required_unless_present = "resume")]
    data: Option<PathBuf>,

    /// Columns of the data to use, by name, or counted from 0 if they have no names
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Option<Vec<String>>,

    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    running: RunningArgs,

    /// Write draws, labels and data to this file (.npz); diagnostics, and what a longer run needs, go beside it (.fit.json)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,

    #[command(flatten)]
    printing: OutputArgs,
}

/// The model.
#[derive(Args)]
#[command(next_help_heading = "Model")]
struct ModelArgs {
    /// Concentration α: a number, or 'gamma(a,b)' for a Gamma prior with shape a and rate b
    #[arg(long, value_name = "ALPHA", default_value = "1", allow_negative_numbers = true)]
    alpha: String,

    /// Discount of a Pitman-Yor process, from 0 (a Dirichlet process) to below 1
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_negative_numbers = true, conflicts_with = "components")]
    discount: f64,

    /// Finite mixture of this many components with symmetric Dirichlet(α) weights, instead of a process
    #[arg(long, value_name = "K")]
    components: Option<usize>,

    /// Covariances of the components: full, diagonal, or one that is common to all
    #[arg(long, value_name = "MODEL", default_value = "full",
          value_parser = PossibleValuesParser::new(CovarianceModel::NAMES.map(|(name, _)| name)))]
    covariance: String,

    /// Those of lambda, psi and nu that are not given: fixed, chosen from the data, or learned with everything else; auto learns them from three dimensions on
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = PossibleValuesParser::new(ScaleChoice::NAMES.map(|(name, _)| name)))]
    scales: String,

    #[command(flatten)]
    component: ComponentArgs,
}

/// The chains.
#[derive(Args)]
#[command(next_help_heading = "Chains")]
struct RunningArgs {
    /// Sampling algorithm: blocked Gibbs (truncated sticks), slice sampling, or marginal (collapsed) Gibbs
    #[arg(long, value_name = "NAME", default_value = "blocked",
          value_parser = PossibleValuesParser::new(Algorithm::NAMES.map(|(name, _)| name)))]
    algorithm: String,

    /// Truncation of the stick-breaking process in the blocked algorithm: a number of sticks, or 'auto' for an expected remaining weight below 1e-8
    #[arg(long, value_name = "K", default_value = "auto")]
    truncation: String,

    /// Number of chains
    #[arg(long, value_name = "N", default_value_t = FitSettings::usual().chains)]
    chains: u32,

    /// Iterations of each chain, burn-in included [default: 5000]
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,

    /// Iterations at the beginning of each chain that are discarded
    #[arg(long, value_name = "N", default_value_t = FitSettings::usual().burn_in)]
    burn_in: u64,

    /// Keep every N-th iteration after the burn-in
    #[arg(long, value_name = "N", default_value_t = FitSettings::usual().thin)]
    thin: u64,

    /// Random seed: the draws depend on the seed, the data and the options only
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Save the state of the chains in this folder at regular intervals, so that the run can be resumed
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    checkpoint: Option<PathBuf>,

    /// Let the chains of an earlier run go on: the file of draws that it wrote (model and data are taken from it), or the folder of its
    /// checkpoints (give the same data and options); with more --iterations the chains become longer
    #[arg(long, value_name = "FILE or DIR")]
    resume: Option<PathBuf>,

    /// Iterations between two checkpoints
    #[arg(long, value_name = "N", default_value_t = 1000)]
    checkpoint_every: u64,
}

impl FitVerb {
    /// Reads the data, fits, writes draws and diagnostics, and prints the verdict.
    pub fn run(&self, given: &[Arg], terminal: &Terminal) -> Result<()> {
        let overwrite = self.printing.overwrite();
        if !has_extension(&self.output, "npz") {
            return Err(Error::usage("draws with their labels and data go to an .npz file")
                .in_file(&self.output)
                .hint("name it draws.npz; mixgist convert makes other formats of it"));
        }
        let sidecar = fit_document_path(&self.output);
        let earlier = self.running.resume.as_deref().filter(|path| path.is_file());
        let inputs: Vec<&Path> = self.data.as_deref().into_iter().chain(earlier).collect();
        self.printing.check(&[&Some(self.output.clone()), &Some(sidecar.clone())], &inputs)?;
        let (mut fitted, settings, data) = match earlier {
            Some(path) => self.run_on(path, given, terminal)?,
            None => self.run_anew(terminal)?,
        };
        let agreement = Agreement::new(&fitted, Points::new(data.columns(), data.values())?, &settings, terminal)?;
        let document = FitRecord::new(&fitted, &settings, &agreement, data.column_names());
        terminal.begin_writing();
        // They are the largest part of a fit: no copy of them is made.
        let labels = std::mem::take(&mut fitted.labels);
        let draws = DrawsFile::labelled(fitted.draws(), labels, data);
        together(|| {
            write_json(&sidecar, FIT_SCHEMA, &document, overwrite)?;
            write_draws(&self.output, &draws, None, overwrite)
        })?;
        terminal.clear();
        if self.printing.json {
            answer(&to_json(FIT_SCHEMA, &document)?)
        } else {
            let files = format!("{}; diagnostics in {}", self.output.display(), sidecar.display());
            answer(&format!("{}\n{}", report(&fitted, &settings, &agreement), line("written to", files)))
        }
    }

    /// From data, or from checkpoints.
    fn run_anew(&self, terminal: &Terminal) -> Result<(Fit, FitSettings, DataTable)> {
        let settings = self.settings()?;
        let Some(path) = &self.data else {
            let folder = self.running.resume.as_deref().unwrap_or(Path::new(""));
            return Err(Error::usage("the data are missing, they are not kept with checkpoints").in_file(folder).hint(
                "give the data and the options of the run again; to let a run go on without them, resume from the file of draws that it wrote",
            ));
        };
        warn_of_cut(path, None);
        let data = read_data(path, &ReadOptions { columns: self.columns.clone(), ..memory::reading() })?;
        if self.columns.is_none() {
            expect_data(&data).map_err(|error| error.in_file(path))?;
        }
        require_memory(&data, &settings).map_err(|error| place(error, path, &data))?;
        let fitted = fit(data.values(), data.columns(), &settings, self.checkpoints().as_ref(), terminal)
            .map_err(|error| place(error, path, &data))?;
        Ok((fitted, settings, data))
    }

    /// From the draws of an earlier run.
    fn run_on(&self, path: &Path, given: &[Arg], terminal: &Terminal) -> Result<(Fit, FitSettings, DataTable)> {
        const FREE: [&str; 6] = ["resume", "iterations", "output", "force", "json", "threads"];
        if let Some(other) = given.iter().find(|arg| !FREE.contains(&arg.get_id().as_str())) {
            let name = other.get_long().map_or_else(|| "the data".to_owned(), |name| format!("--{name}"));
            return Err(Error::usage(format!("the run in {} goes on with its own data and options", path.display()))
                .hint(format!("leave out {name}; only --iterations can change")));
        }
        let Earlier { fit: earlier, settings, data } = Earlier::read(path)?;
        let Some(iterations) = self.running.iterations else {
            return Err(Error::usage(format!(
                "the run in {} is over: it has {} iterations",
                path.display(),
                settings.iterations
            ))
            .hint(format!("say how many it is to have, such as --iterations {}", 2 * settings.iterations)));
        };
        let settings = settings.with_iterations(iterations);
        require_memory(&data, &settings)?;
        let fitted = extend(earlier, data.values(), data.columns(), &settings, terminal)?;
        Ok((fitted, settings, data))
    }

    fn settings(&self) -> Result<FitSettings> {
        let (model, running) = (&self.model, &self.running);
        let algorithm = by_name(&Algorithm::NAMES, &running.algorithm).with_sticks(sticks(&running.truncation)?);
        let settings = FitSettings::default()
            .with_prior(MixingPrior::from_options(model.discount, model.components)?)
            .with_concentration(parse_concentration(&model.alpha)?)
            .with_component(ComponentPrior {
                scales: by_name(&ScaleChoice::NAMES, &model.scales),
                ..model.component.prior(by_name(&CovarianceModel::NAMES, &model.covariance))?
            })
            .with_algorithm(algorithm)
            .with_chains(running.chains)
            .with_iterations(running.iterations.unwrap_or(FitSettings::usual().iterations))
            .with_burn_in(running.burn_in)
            .with_thin(running.thin)
            .with_seed(running.seed);
        settings.check()?;
        Ok(settings)
    }

    fn checkpoints(&self) -> Option<Checkpoints> {
        let RunningArgs { checkpoint, resume, checkpoint_every, .. } = &self.running;
        Checkpoints::from_options(checkpoint.clone(), resume.clone(), *checkpoint_every)
    }
}

/// The JSON Schema of the answer, with the name of its file.
pub fn json_schemas() -> Vec<(String, serde_json::Value)> {
    vec![json_schema::<FitRecord>(FIT_SCHEMA)]
}

fn require_memory(data: &DataTable, settings: &FitSettings) -> Result<()> {
    memory::require(predicted_bytes(data.values(), data.columns(), settings)?, "keeping these draws", |_| {
        "keep fewer draws with --thin, or --truncation at fewer sticks".into()
    })
}

/// Whether the chains agree: the table for a person, with the verdict below it.
fn agreement_table(agreement: &Agreement) -> String {
    let header = ["", "R-hat", "bulk ESS", "tail ESS"].map(str::to_owned);
    let rows: Vec<Vec<String>> = agreement
        .rows
        .iter()
        .map(|(name, c)| {
            vec![name.clone(), format!("{:.4}", c.rhat), format!("{:.0}", c.bulk_ess), format!("{:.0}", c.tail_ess)]
        })
        .collect();
    let mut lines = vec![table(&header, &rows), line("verdict", agreement.verdict)];
    lines.extend(agreement.advice.iter().map(|advice| line("", format!("→ {}", advice.spelled(&CommandLine)))));
    lines.join("\n")
}

/// What a person wants to know of a fit.
pub fn report(fitted: &Fit, settings: &FitSettings, agreement: &Agreement) -> String {
    let clusters = fitted.traces.clusters.concat();
    let mean = clusters.iter().sum::<f64>() / clusters.len() as f64;
    let mut probabilities = std::collections::BTreeMap::<u64, f64>::new();
    for k in &clusters {
        *probabilities.entry(*k as u64).or_default() += 1.0 / clusters.len() as f64;
    }
    let mut likely: Vec<(u64, f64)> = probabilities.into_iter().collect();
    likely.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let likely: Vec<String> = likely.iter().take(5).map(|(k, p)| format!("{k}: {p:.2}")).collect();
    let begun = fitted.hyperparameters.truncation.unwrap_or(0);
    let grown = fitted.truncated.filter(|truncated| truncated.sticks > begun).map_or(String::new(), |truncated| {
        let text = format!("{begun} at first, up to {} where there were more clusters", truncated.sticks);
        format!("\n{}", line("sticks", text))
    });
    [
        fitted.hyperparameters.to_string(),
        String::new(),
        line(
            "draws",
            format!(
                "{} ({} from each of {})",
                fitted.ensemble.len(),
                settings.draws_per_chain(),
                count(settings.chains as usize, "chain")
            ),
        ),
        line("clusters", format!("{} on average; probability of {}", significant(mean, 3), likely.join(", "))) + &grown,
        String::new(),
        agreement_table(agreement),
    ]
    .join("\n")
}

/// Adds the file to a message about the data, and its name to a column that is counted.
fn place(error: Error, path: &Path, data: &DataTable) -> Error {
    if error.kind() != ErrorKind::Input {
        return error;
    }
    data.naming_column(error, &CommandLine).in_file(path)
}

fn sticks(text: &str) -> Result<Option<usize>> {
    match (text, text.parse()) {
        ("auto", _) => Ok(None),
        (_, Ok(sticks)) => Ok(Some(sticks)),
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

/// Refuses a table of draws where data are expected: it could be fitted, with chain and iteration as coordinates.
fn expect_data(data: &DataTable) -> Result<()> {
    const OF_DRAWS: [&str; 7] = ["lp__", ".chain", ".iteration", ".draw", "draw_weight", "mean_1", "cov_1_1"];
    let is_of_draws = |name: &&String| OF_DRAWS.contains(&name.as_str()) || (name.contains('[') && name.ends_with(']'));
    match data.column_names().unwrap_or(&[]).iter().find(is_of_draws) {
        Some(name) => Err(Error::usage(format!("has a column '{name}': these look like draws, not data"))
            .hint("mixgist inspect says how to read draws; if these are data, choose columns: --columns")),
        None => Ok(()),
    }
}
