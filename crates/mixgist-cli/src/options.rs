//! Options that several verbs share, and what they mean to the core.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::slice::{Array, SLICERS, Scheme, slicer};
use mixgist::{CovarianceForm, Error, Loss, Order, Pruning, Result, Route, Settings, SliceCount, Units};
use mixgist_io::{DrawsFile, Format, Overwrite, ReadOptions, StanVariables, read_arrays, read_draws};

/// Files of draws and how to read them.
#[derive(Args)]
pub struct DrawsArgs {
    /// Files of draws (.npz, .parquet, .csv); several files are several chains
    #[arg(required = true, value_name = "DRAWS")]
    pub draws: Vec<PathBuf>,

    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How files of draws are to be read.
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// Format of the files, when the extension does not tell
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::all().map(Format::name)))]
    format: Option<String>,

    /// Form of the covariances in the files
    #[arg(long, value_name = "FORM", default_value = "covariance",
          value_parser = PossibleValuesParser::new(CovarianceForm::NAMES.map(|(name, _)| name)))]
    covariance_form: String,

    /// Stan variable that holds the weights (with --format stan-csv)
    #[arg(long, value_name = "NAME", default_value = "weights")]
    stan_weights: String,

    /// Stan variable that holds the means
    #[arg(long, value_name = "NAME", default_value = "means")]
    stan_means: String,

    /// Stan variable that holds the covariances
    #[arg(long, value_name = "NAME", default_value = "covariances")]
    stan_covariances: String,
}

impl DrawsArgs {
    /// Reads the draws.
    pub fn read(&self) -> Result<DrawsFile> {
        read_draws(&self.draws, &self.reading.options()?)
    }
}

impl ReadingArgs {
    /// What the options mean to the reader.
    pub fn options(&self) -> Result<ReadOptions> {
        Ok(ReadOptions {
            format: self.format.as_deref().map(Format::from_name).transpose()?,
            covariance_form: CovarianceForm::from_name(&self.covariance_form)?,
            stan: StanVariables {
                weights: self.stan_weights.clone(),
                means: self.stan_means.clone(),
                covariances: self.stan_covariances.clone(),
                labels: None,
            },
            ..ReadOptions::default()
        })
    }
}

/// Which distance, and how it is computed.
#[derive(Args)]
#[command(next_help_heading = "Distance")]
pub struct DistanceArgs {
    /// Law of the slices
    #[arg(long, value_name = "NAME", default_value = "smix-w",
          value_parser = PossibleValuesParser::new(SLICERS.iter().map(|slicer| slicer.name())))]
    pub distance: String,

    /// Number of slices, or 'auto': doubled until the winner is safe
    #[arg(long, value_name = "L", default_value_t = SliceCount::DEFAULT.to_string())]
    slices: String,

    /// Order p of the transport cost, at least 1
    #[arg(long, value_name = "P", default_value_t = 2.0)]
    order: f64,

    /// Units in which distances are computed: none, sd, whiten, or one number a coordinate (1.5,60)
    #[arg(long, value_name = "UNITS", default_value = "none")]
    units: String,

    /// How directions are spread
    #[arg(long, value_name = "SCHEME", default_value = "iid",
          value_parser = PossibleValuesParser::new(Scheme::NAMES.map(|(name, _)| name)))]
    scheme: String,

    /// Directions to use instead (.npz with sw_theta; mix_sw_v, mix_sw_a, mix_sw_w; smix_w_v, smix_w_w)
    #[arg(long, value_name = "FILE")]
    directions: Option<PathBuf>,

    /// Drop light atoms: off, rounding (no result changes), or a tolerance relative to the spread of the draws
    #[arg(long, value_name = "RULE", default_value = "rounding")]
    prune: String,

    /// Seed of the directions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl DistanceArgs {
    /// What the options mean to the core.
    pub fn settings(&self, loss: Loss, route: Route) -> Result<Settings> {
        Ok(Settings {
            slicer: slicer(&self.distance)?,
            slices: slice_count(&self.slices)?,
            scheme: Scheme::from_name(&self.scheme)?,
            directions: self.directions.as_deref().map(read_directions).transpose()?,
            order: Order::new(self.order)?,
            loss,
            units: Units::from_name(&self.units)?,
            route,
            pruning: pruning(&self.prune)?,
            seed: self.seed,
        })
    }
}

fn slice_count(text: &str) -> Result<SliceCount> {
    if text == "auto" {
        return Ok(SliceCount::Auto { cap: SliceCount::DEFAULT_CAP });
    }
    match text.parse() {
        Ok(count) if (1..=MOST_SLICES).contains(&count) => Ok(SliceCount::Fixed(count)),
        _ => Err(Error::usage(format!("--slices is '{text}', must be 'auto' or a number from 1 to {MOST_SLICES}"))),
    }
}

/// More slices than this are a slip of the keyboard.
const MOST_SLICES: usize = 100_000_000;

fn pruning(text: &str) -> Result<Pruning> {
    match text {
        "off" => Ok(Pruning::Off),
        "rounding" => Ok(Pruning::Rounding),
        _ => match text.parse::<f64>() {
            Ok(tolerance) if (0.0..1.0).contains(&tolerance) => Ok(Pruning::Tolerance(tolerance)),
            _ => Err(Error::usage(format!("--prune is '{text}', must be off, rounding or a number from 0 to 1"))),
        },
    }
}

fn read_directions(path: &Path) -> Result<mixgist::slice::NamedArrays> {
    const NAMES: [&str; 6] = ["sw_theta", "mix_sw_v", "mix_sw_a", "mix_sw_w", "smix_w_v", "smix_w_w"];
    let arrays = read_arrays(path, &NAMES, &ReadOptions::default())?;
    Ok(arrays.into_iter().map(|(name, array)| (name, Array { shape: array.shape, values: array.values })).collect())
}

/// The value of a name in a table of names.
pub fn by_name<T: Copy>(table: &[(&str, T)], name: &str) -> T {
    table.iter().find(|(known, _)| *known == name).expect("clap admits known names only").1
}

/// Where results go.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write the result to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace files that exist
    #[arg(long)]
    pub force: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl OutputArgs {
    /// What to do when a file exists.
    pub fn overwrite(&self) -> Overwrite {
        if self.force { Overwrite::Force } else { Overwrite::Refuse }
    }
}
