//! `mixgist convert`: the same draws in another format.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use mixgist::{Error, Result};
use mixgist_io::{DrawsFile, Format, Overwrite, check_outputs, together, write_data, write_draws, write_labels};

use crate::options::{ReadingArgs, all_paths};
use crate::progress::Terminal;
use crate::text::{count, remark};

/// Convert files of draws to another format, with their chains, iterations and draw weights
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist convert draws.npz draws.parquet
  mixgist convert chain1.csv chain2.csv draws.npz --format stan-csv \\
      --weights theta --means mu --covariances Sigma

Labels keep their numbers.")]
pub struct Convert {
    /// Files of draws to read (several are several chains), then the file to write (.npz, .parquet, .csv)
    #[arg(required = true, num_args = 2.., value_names = ["IN", "OUT"])]
    files: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Format to write, when the extension of the output does not tell
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
          value_parser = PossibleValuesParser::new(Format::all().filter(|format| format.holds_written_draws()).map(Format::name)))]
    to_format: Option<String>,

    /// Write the labels that came with the draws to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    labels: Option<PathBuf>,

    /// Write the data that came with the draws to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    data: Option<PathBuf>,

    /// Leave out labels and data that the format cannot hold
    #[arg(long, help_heading = "Output")]
    drop_extras: bool,

    /// Scale weights that do not sum to 1, as of truncated sticks; without it they are refused, as a row may be missing
    #[arg(long, help_heading = "Reading")]
    rescale_weights: bool,

    /// Replace files that exist
    #[arg(long, help_heading = "Output")]
    force: bool,
}

impl Convert {
    /// Reads all, then writes.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let (output, inputs) = self.files.split_last().expect("at least two files are required");
        let writable: Vec<&str> =
            Format::all().filter(|format| format.holds_written_draws()).map(Format::name).collect();
        let format = Format::to_write_draws(self.to_format.as_deref().map(Format::from_name).transpose()?, output)
            .map_err(|error| {
                error.hint(format!("name the format with --to-format, one of: {}", writable.join(", ")))
            })?;
        let overwrite = Overwrite::forced(self.force);
        let outputs = all_paths(std::slice::from_ref(output), &[&self.labels, &self.data]);
        check_outputs(&outputs, &all_paths(inputs, &[]), overwrite)?;
        let mut file = self.reading.read(inputs)?;
        self.check_weights(file.ensemble.renormalization())?;
        let extras = Extras::split_from(&mut file, format, self, output)?;
        terminal.begin_writing();
        together(|| {
            if let (Some(path), Some(labels)) = (&self.labels, &extras.labels) {
                write_labels(path, labels, None, overwrite)?;
            }
            if let (Some(path), Some(data)) = (&self.data, &extras.data) {
                write_data(path, data, None, overwrite)?;
            }
            write_draws(output, &file, Some(format), overwrite)
        })?;
        remark(&format!("wrote {} to {}", count(file.ensemble.len(), "draw"), output.display()));
        Ok(())
    }
}

impl Convert {
    /// The new file would not show that the weights of a draw do not sum to 1, as when a row is missing.
    fn check_weights(&self, off: f64) -> Result<()> {
        if off <= MOST_ROUNDING {
            return Ok(());
        }
        let what = format!("the weights of a draw sum to 1 only up to {off:.1e}");
        if self.rescale_weights {
            remark(&format!("warning: {what}; those of every draw are scaled to sum 1"));
            return Ok(());
        }
        Err(Error::input(format!("{what}: is a row missing?")).hint(
            "if they are meant to be like this (truncated sticks, counts), --rescale-weights scales them to sum 1",
        ))
    }
}

/// How far sums of weights are off when they were written with six digits or more.
const MOST_ROUNDING: f64 = 1e-6;

/// Labels and data that are not written with the draws.
struct Extras {
    labels: Option<mixgist_io::LabelDraws>,
    data: Option<mixgist_io::DataTable>,
}

impl Extras {
    /// Takes out of `file` what goes to files of its own or is dropped; refuses to lose anything silently.
    fn split_from(file: &mut DrawsFile, format: Format, options: &Convert, output: &Path) -> Result<Self> {
        for (option, wanted, there) in [
            ("labels", options.labels.is_some(), file.labels.is_some()),
            ("data", options.data.is_some(), file.data.is_some()),
        ] {
            if wanted && !there {
                return Err(Error::usage(format!("--{option} was given, but the input holds no {option}")));
            }
            if there && !wanted && !format.draws_carry_labels() && !options.drop_extras {
                return Err(Error::usage(format!(
                    "the input holds {option}, which format '{}' cannot hold",
                    format.name()
                ))
                .in_file(output)
                .hint(format!("write them to a file of their own with --{option} FILE, or use --drop-extras")));
            }
        }
        let split = !format.draws_carry_labels();
        let labels = if split || options.labels.is_some() { file.labels.take() } else { None };
        let data = if split || options.data.is_some() { file.data.take() } else { None };
        Ok(Extras { labels, data })
    }
}
