//! Options that several verbs share, and what they mean to the core.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use mixgist::slice::Scheme;
use mixgist::text::CommandLine;
use mixgist::{
    CovarianceForm, Error, GivenDirections, Loss, Order, Pruning, Reading, Result, Route, Settings, SliceCount,
    SlicerName, Source, Units,
};
use mixgist_io::{
    DataTable, DrawsFile, Format, Overwrite, check_outputs, describe_file, deviations_by_name, may_be_cut_off,
    read_arrays, read_as, read_data,
};
pub use mixgist_io::{expect_extension, has_extension};

use crate::memory::reading;
use crate::text::{count, remark};

/// Files of draws and how to read them.
#[derive(Args, Clone)]
pub struct DrawsArgs {
    /// Files of draws (.npz, .parquet, .csv, .nc, .zarr); several files, or a directory of files, are several chains
    #[arg(required = true, value_name = "DRAWS")]
    pub draws: Vec<PathBuf>,

    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How files of draws are to be read.
#[derive(Args, Clone)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// Format of the files, if the extension does not say it
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::all().map(Format::name)))]
    format: Option<String>,

    /// Form of the covariances in the files; diagonal and spherical are variances, sd standard deviations
    #[arg(long, value_name = "FORM", default_value = "covariance", value_parser = covariance_forms())]
    covariance_form: String,

    /// Variable that holds the weights, in files with variables of any name (see 'mixgist inspect')
    #[arg(long, value_name = "NAME", default_value = "weights", alias = "stan-weights")]
    weights: String,

    /// Variable that holds the means
    #[arg(long, value_name = "NAME", default_value = "means", alias = "stan-means")]
    means: String,

    /// Variable that holds the covariances
    #[arg(long, value_name = "NAME", default_value = "covariances", alias = "stan-covariances")]
    covariances: String,

    /// Variable that holds the labels of the observations, when there is one
    #[arg(long, value_name = "NAME", alias = "stan-labels")]
    label_variable: Option<String>,

    /// Drop the first N draws of each chain. The draws that are left are numbered from 0; chains and iterations keep their numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    burn_in: usize,

    /// Keep every N-th draw of each chain, after --burn-in
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub thin: u32,
}

impl DrawsArgs {
    /// Reads the draws.
    pub fn read(&self) -> Result<DrawsFile> {
        self.reading.read(&self.draws)
    }
}

impl ReadingArgs {
    /// Reads draws from one or several files and leaves out those that are not wanted.
    pub fn read(&self, paths: &[PathBuf]) -> Result<DrawsFile> {
        let format = self.format.as_deref().map(Format::from_name).transpose()?;
        paths.iter().for_each(|path| warn_of_cut(path, format));
        let file = read_as(&self.how(), paths, reading().memory_limit)?;
        if let Some((message, advice)) =
            deviations_by_name(&self.covariances, &self.covariance_form, file.ensemble.dim())
        {
            remark(&format!("warning: {}\nhint: {}", message.spelled(&CommandLine), advice.spelled(&CommandLine)));
        }
        Ok(file)
    }

    /// Reads files in which no draw is left out: estimates, hypotheses.
    pub fn read_whole(&self, paths: &[PathBuf]) -> Result<DrawsFile> {
        read_as(&Reading { burn_in: 0, thin: 1, ..self.how() }, paths, reading().memory_limit)
    }

    /// What the options mean, as results record it.
    pub fn how(&self) -> Reading {
        Reading {
            format: self.format.clone(),
            covariance_form: self.covariance_form.clone(),
            variables: [&self.weights, &self.means, &self.covariances].map(Clone::clone),
            label_variable: self.label_variable.clone(),
            burn_in: self.burn_in,
            thin: self.thin as usize,
        }
    }

    /// The files of a result that will be written to `output`, or printed.
    pub fn source(
        &self,
        draws: &[PathBuf],
        data: Option<&Path>,
        directions: Option<&Path>,
        candidate: Option<&Path>,
        output: Option<&Path>,
    ) -> Result<Source> {
        let folder = output.and_then(Path::parent).unwrap_or(Path::new("."));
        let described = |path: Option<&Path>| path.map(|path| describe_file(path, folder)).transpose();
        Ok(Source {
            draws: draws.iter().map(|path| describe_file(path, folder)).collect::<Result<_>>()?,
            reading: self.how(),
            data: described(data)?,
            directions: described(directions)?,
            candidate: described(candidate)?,
        })
    }
}

/// The forms, and other words for them, which help does not list.
fn covariance_forms() -> PossibleValuesParser {
    PossibleValuesParser::new(CovarianceForm::NAMES.map(|(name, _)| {
        let aliases = CovarianceForm::ALIASES.iter().filter(|(_, of)| *of == name).map(|(alias, _)| *alias);
        PossibleValue::new(name).aliases(aliases)
    }))
}

/// Says that a text file may have been cut off within its last number.
pub fn warn_of_cut(path: &Path, format: Option<Format>) {
    if may_be_cut_off(path, format) {
        remark(&format!(
            "warning: {}: the last line has no line end\nhint: was the file cut off? If its last number is complete, add a line end",
            path.display()
        ));
    }
}

/// Data of the dimension that the draws have.
pub fn read_data_for(path: &Path, dim: usize) -> Result<DataTable> {
    warn_of_cut(path, None);
    let table = read_data(path, &reading())?;
    if table.columns() == dim {
        return Ok(table);
    }
    let columns = count(table.columns(), "column");
    Err(Error::input(format!("has {columns}, the draws have dimension {dim}")).in_file(path))
}

/// How distances are computed.
#[derive(Args, Clone)]
#[command(next_help_heading = "Distance")]
pub struct SlicingArgs {
    /// Number of slices, or 'auto': as many as the answer needs [default: auto]
    #[arg(long, value_name = "L", conflicts_with = "directions")]
    pub slices: Option<String>,

    /// Order p of the transport cost, at least 1 [default: 2]
    #[arg(long, value_name = "P")]
    pub order: Option<f64>,

    /// Units in which distances are computed: sd, none, whiten, or one number per coordinate (1.5,60)
    #[arg(long, value_name = "UNITS", default_value = "sd")]
    units: String,

    /// How the random directions of the slices are generated
    #[arg(long, value_name = "SCHEME", default_value = Scheme::default().name(), conflicts_with = "directions",
          value_parser = PossibleValuesParser::new(Scheme::NAMES.map(|(name, _)| name)))]
    scheme: String,

    /// Unit vectors to use as directions instead of random ones (.npz with sw_theta; mix_sw_v, mix_sw_a, mix_sw_w; smix_w_v, smix_w_w)
    #[arg(long, value_name = "FILE")]
    pub directions: Option<PathBuf>,

    /// Drop light atoms: off, rounding (only where no result changes beyond rounding error), or a tolerance relative to the spread of the draws
    #[arg(long, value_name = "RULE", default_value = "rounding")]
    prune: String,

    /// Random seed of the directions
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl SlicingArgs {
    /// What the options mean to the core.
    pub fn settings(&self, slicer_name: &str, loss: Loss, route: Route) -> Result<Settings> {
        Ok(Settings::default()
            .with_slicer(SlicerName::from_name(slicer_name)?)
            .with_slices(self.slices.as_deref().map_or(Ok(SliceCount::default()), SliceCount::from_name)?)
            .with_scheme(Scheme::from_name(&self.scheme)?)
            .with_directions(self.directions.as_deref().map(read_directions).transpose()?)
            .with_order(self.order.map_or(Ok(Order::TWO), Order::new)?)
            .with_loss(loss)
            .with_units(self.units()?)
            .with_route(route)
            .with_pruning(Pruning::from_name(&self.prune)?)
            .with_seed(self.seed))
    }

    /// Checks that directions that were given fit draws of dimension `dim`.
    pub fn check_directions(&self, settings: &Settings, dim: usize) -> Result<()> {
        let Some(path) = &self.directions else { return Ok(()) };
        settings.slice_count(dim).map(|_| ()).map_err(|error| error.in_file(path))
    }

    /// The units.
    pub fn units(&self) -> Result<Units> {
        Units::from_name(&self.units)
    }
}

/// Directions from a file.
pub fn read_directions(path: &Path) -> Result<GivenDirections> {
    const NAMES: [&str; 6] = ["sw_theta", "mix_sw_v", "mix_sw_a", "mix_sw_w", "smix_w_v", "smix_w_w"];
    Ok(GivenDirections::new(read_arrays(path, &NAMES, &reading())?))
}

/// The value of a name in a table of names.
pub fn by_name<T: Copy>(table: &[(&str, T)], name: &str) -> T {
    table.iter().find(|(known, _)| *known == name).expect("clap admits known names only").1
}

/// Whether files may be replaced, and for whom the answer is printed.
#[derive(Args, Clone)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    #[command(flatten)]
    force: ForceArgs,

    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Whether files may be replaced.
#[derive(Args, Clone)]
#[command(next_help_heading = "Output")]
pub struct ForceArgs {
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

impl OutputArgs {
    /// What to do when a file exists.
    pub fn overwrite(&self) -> Overwrite {
        self.force.overwrite()
    }

    /// Checks, before any work, that all these files can be written, are different ones, and that none is an input.
    pub fn check(&self, outputs: &[&Option<PathBuf>], inputs: &[&Path]) -> Result<()> {
        self.force.check(outputs, inputs)
    }
}

impl ForceArgs {
    /// What to do when a file exists.
    pub fn overwrite(&self) -> Overwrite {
        Overwrite::forced(self.force)
    }

    /// Checks, before any work, that all these files can be written, are different ones, and that none is an input.
    pub fn check(&self, outputs: &[&Option<PathBuf>], inputs: &[&Path]) -> Result<()> {
        let outputs: Vec<&Path> = outputs.iter().filter_map(|path| path.as_deref()).collect();
        check_outputs(&outputs, inputs, self.overwrite())
    }
}

/// The files of a list and of options, as one list.
pub fn all_paths<'a>(files: &'a [PathBuf], options: &[&'a Option<PathBuf>]) -> Vec<&'a Path> {
    files.iter().map(PathBuf::as_path).chain(options.iter().filter_map(|path| path.as_deref())).collect()
}
