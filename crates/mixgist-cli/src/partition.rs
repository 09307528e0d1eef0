//! `mixgist partition`: the partition of least expected loss, and how sure it is.

pub mod model;

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use mixgist::partition::{
    LossOptions, OmariConvention, PartitionAnswer, Question, REGISTRY, SearchOptions, estimate_partition,
};
use mixgist::text::CommandLine;
use mixgist::{Error, Partition, PartitionDraws, Points, Result, Warning, inspect, sample_partitions};
use mixgist_io::{
    Cell, DataTable, Format, Overwrite, PARTITION_SCHEMA, ReadOptions, read_data, read_draws, read_labels, to_json,
    together, write_json, write_npy_labels, write_table,
};

use crate::memory::reading;
use crate::options::{OutputArgs, all_paths, expect_extension, has_extension, read_data_for};
use crate::progress::Terminal;
use crate::text::{answer, remark, warn};
use model::{ModelArgs, PartitionDensity};

/// Estimate one partition from the labels of the draws: the one of least expected loss, with its uncertainty
#[derive(Args)]
#[command(
    name = "partition",
    after_help = "Examples:
  mixgist partition labels.csv
  mixgist partition draws.npz --loss binder --labels-out labels.csv \\
      -o partition.json
  mixgist partition labels.csv --data data.csv --density density.csv --alpha 0.5"
)]
pub struct PartitionVerb {
    /// Labels, one line or row per draw (.csv, .npy, .parquet), or a file of draws (.npz, .csv, .parquet). Draws without labels need --data:
    /// labels are then drawn given the measure of each draw
    #[arg(value_name = "LABELS")]
    labels: PathBuf,

    /// Observations, for --density and for draws without labels; without it, data in an .npz file of draws are used
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,

    /// Format of the labels, when the extension does not tell
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::all().map(Format::name)))]
    format: Option<String>,

    /// The loss whose expectation is minimised
    #[arg(long, value_name = "LOSS", default_value = "vi", help_heading = "Search",
          value_parser = PossibleValuesParser::new(
          REGISTRY.iter().map(|entry| PossibleValue::new(entry.name).help(entry.help))))]
    loss: String,

    #[command(flatten)]
    conventions: LossArgs,

    /// At most this many clusters; without it, as many as the draw with the most has
    #[arg(long, value_name = "K", help_heading = "Search", conflicts_with = "clusters")]
    max_clusters: Option<usize>,

    /// Exactly this many clusters
    #[arg(long, value_name = "K", help_heading = "Search")]
    clusters: Option<usize>,

    /// Independent runs of the search
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Search",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,

    /// Seed of the search
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    seed: u64,

    /// Posterior probability of the credible ball
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    ball: f64,

    #[command(flatten)]
    model: ModelArgs,

    /// Write the estimate with its evidence to this file (.json)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write the label of every observation (.csv with its co-clustering score, or .npy)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    labels_out: Option<PathBuf>,

    /// Write the density that the partition implies, on a grid (.csv); marginals when d > 2
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    density: Option<PathBuf>,

    #[command(flatten)]
    printing: OutputArgs,
}

/// What losses leave open.
#[derive(Args)]
#[command(next_help_heading = "Search")]
pub struct LossArgs {
    /// What omari makes of 0/0 (two one-cluster partitions, say): loss 0 as they are identical, or 1 as in salso
    #[arg(long, value_name = "CONVENTION", default_value = "identical",
          value_parser = PossibleValuesParser::new(OmariConvention::ALL.map(OmariConvention::name)))]
    omari: String,

    /// Cost, from 0 to 2, of separating what belongs together in the generalized losses; reports these, too
    #[arg(long, value_name = "A")]
    a: Option<f64>,
}

impl LossArgs {
    /// What the options mean.
    pub fn options(&self) -> Result<LossOptions> {
        LossOptions::new(self.a, Some(&self.omari))
    }
}

impl PartitionVerb {
    /// Reads, searches, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let question = self.question()?;
        self.check_options()?;
        let format = self.format.as_deref().map(Format::from_name).transpose()?;
        let Labelled { draws, sampled, warnings } = self.read_labels(format, terminal)?;
        let density = self.read_data(&draws)?.map(|data| PartitionDensity::new(&self.model, data)).transpose()?;

        let found = estimate_partition(&draws, &Question { labels_sampled: sampled, ..question }, terminal)?;
        let partition = Partition::from_integers(&found.labels)?;
        let densities = density.map(|density| density.evaluate(&partition)).transpose()?;

        terminal.begin_writing();
        let overwrite = self.printing.overwrite();
        together(|| {
            if let (Some(path), Some(densities)) = (&self.density, &densities) {
                densities.write(path, overwrite)?;
            }
            if let Some(path) = &self.labels_out {
                write_labels(path, &found, overwrite)?;
            }
            self.output.as_ref().map_or(Ok(()), |path| write_json(path, PARTITION_SCHEMA, &found, overwrite))
        })?;
        terminal.clear();
        if found.coclustering.is_none() {
            remark("warning: too many observations and clusters to say how certain each label is");
        }
        match self.printing.json {
            true => answer(&to_json(PARTITION_SCHEMA, &found)?)?,
            false => answer(&found.narrative().plain(&CommandLine))?,
        }
        warn(&warnings);
        Ok(())
    }

    /// Labels from the file; where it holds draws without labels, labels given each draw.
    fn read_labels(&self, format: Option<Format>, terminal: &Terminal) -> Result<Labelled> {
        let options = ReadOptions { format, ..reading() };
        let Ok(file) = read_draws(std::slice::from_ref(&self.labels), &options) else {
            let draws = read_labels(&self.labels, &options)?.partitions()?;
            return Ok(Labelled { draws, sampled: false, warnings: Vec::new() });
        };
        let file = file.with_label_traces();
        let warnings = inspect::warnings(&file.ensemble);
        if let Some(draws) = file.partitions()? {
            return Ok(Labelled { draws, sampled: false, warnings });
        }
        let data = match (&self.data, file.data) {
            (Some(path), _) => read_data_for(path, file.ensemble.dim())?,
            (None, Some(own)) => own,
            (None, None) => {
                return Err(Error::input("holds draws without labels")
                    .in_file(&self.labels)
                    .hint("give the observations with --data: labels are then drawn given the measure of each draw"));
            }
        };
        let points = Points::new(data.columns(), data.values())?;
        let draws = sample_partitions(&file.ensemble, points, self.seed, terminal)?;
        Ok(Labelled { draws, sampled: true, warnings })
    }

    fn question(&self) -> Result<Question> {
        let losses = self.conventions.options()?;
        let asked = Question::new(&self.loss, losses, self.clusters, self.max_clusters, self.ball)?;
        Ok(Question { search: SearchOptions { runs: self.runs as usize, seed: self.seed, ..asked.search }, ..asked })
    }

    fn check_options(&self) -> Result<()> {
        let outputs: [(&Option<PathBuf>, &str, &[&str]); 3] = [
            (&self.output, "--output", &["json"]),
            (&self.labels_out, "--labels-out", &["csv", "npy"]),
            (&self.density, "--density", &["csv"]),
        ];
        for (path, option, extensions) in outputs {
            path.as_ref().map_or(Ok(()), |path| expect_extension(path, option, extensions))?;
        }
        self.printing
            .check(&outputs.map(|(path, _, _)| path), &all_paths(std::slice::from_ref(&self.labels), &[&self.data]))
    }

    /// The data, when the density was asked for.
    fn read_data(&self, draws: &PartitionDraws) -> Result<Option<DataTable>> {
        if self.density.is_none() {
            return Ok(None);
        }
        let path = match &self.data {
            Some(path) => path,
            None if has_extension(&self.labels, "npz") => &self.labels,
            None => return Err(Error::usage("--density needs the observations").hint("give them with --data")),
        };
        let data = read_data(path, &reading())?;
        same_observations(&data, draws.observations()).map_err(|error| error.in_file(path))?;
        Ok(Some(data))
    }
}

/// Draws of partitions, and whether they were drawn here.
struct Labelled {
    draws: PartitionDraws,
    sampled: bool,
    /// What limits the trust in them, where they came with draws.
    warnings: Vec<Warning>,
}

/// Refuses data that are not the ones that were labelled.
pub fn same_observations(data: &DataTable, labelled: usize) -> Result<()> {
    if data.rows() == labelled {
        return Ok(());
    }
    Err(Error::input(format!("holds {} observations, the draws label {labelled}", data.rows())))
}

fn write_labels(path: &Path, found: &PartitionAnswer, overwrite: Overwrite) -> Result<()> {
    if has_extension(path, "npy") {
        return write_npy_labels(path, &found.labels, overwrite);
    }
    write_table(path, &["label", "coclustering"], overwrite, |table| {
        found.labels.iter().enumerate().try_for_each(|(i, &label)| {
            let score = found.coclustering.as_ref().map(|all| all[i]);
            table.push(&[Cell::Index(label.into()), score.into()])
        })
    })
}
