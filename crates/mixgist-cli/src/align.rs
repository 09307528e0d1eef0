//! `mixgist align`: every draw aligned with the components, for tools that read traces; names carried over from another fit.

use std::path::{Path, PathBuf};

use clap::Args;
use mixgist::{Alignment, Answer, Error, MixingMeasure, Posterior, Result};
use mixgist_io::{ALIGNED_EXTENSIONS, Overwrite, read_named_components, write_aligned};

use crate::components::RulesArgs;
use crate::options::has_extension;
use crate::posterior::{Form, PosteriorArgs};
use crate::progress::Terminal;

/// Align every draw with the components, or carry the names of components over to another fit
#[derive(Args)]
#[command(
    override_usage = "mixgist align [OPTIONS] <DRAWS>\n       mixgist align [OPTIONS] <OLD> <NEW>",
    mut_arg("estimate", |arg| arg.default_value("aligned")),
    mut_arg("output", |arg| arg.help("Write the aligned draws to this file (.npz, .csv, .parquet, .nc, or .json with all that is known)")),
    mut_arg("draws", |arg| arg.num_args(1..).help("The draws; or, first, an older fit (.json of align or summarize, or its draws), the names of whose components are carried over")),
    after_help = "Examples:
  mixgist align draws.npz -o aligned.npz
  mixgist align draws.npz --names long,short,rest -o aligned.json
  mixgist align aligned.json new-draws.npz -o aligned.csv

Without --estimate the components are those that at least half of the draws have; with it, the atoms of that \
estimate. Labels are neither sorted nor permuted: each draw is coupled with the components by exact optimal transport. A component \
that a draw does not have is NaN. CSV and Parquet files have the layout of draws_df of the R package posterior. A .nc file can be \
read with xarray.open_dataset and given to ArviZ. To align chains in several files, join them first: \
mixgist convert chain-*.csv draws.npz"
)]
pub struct Align {
    #[command(flatten)]
    posterior: PosteriorArgs,

    #[command(flatten)]
    rules: RulesArgs,

    /// Names of the components, heaviest first
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    names: Option<Vec<String>>,
}

impl Align {
    /// Reads, aligns, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let (old, new) = self.files()?;
        if old.is_some() && self.names.is_some() {
            return Err(Error::usage("--names gives names, and an older fit does too").hint("leave out --names"));
        }
        let old = old.map(|path| self.old(path, terminal)).transpose()?;
        let rules = self.rules.rules();
        let write = |path: &Path, found: &Answer<Alignment>, overwrite: Overwrite| {
            let columns: Vec<String> = (0..found.about.dim).map(|a| found.about.column(a)).collect();
            write_aligned(path, &found.draws, &found.names, &columns, overwrite)
        };
        let form = Form { tables: ALIGNED_EXTENSIONS, write: &write };
        let mut posterior = self.posterior.clone();
        posterior.job.draws.draws = new;
        posterior.ask_about_components(terminal, &form, |posterior, _, progress| {
            posterior.aligned_by_name(rules, self.names.clone(), old.as_ref(), progress)
        })
    }

    /// The older fit, if one is named, and the draws to align.
    fn files(&self) -> Result<(Option<&Path>, Vec<PathBuf>)> {
        match &self.posterior.job.draws.draws[..] {
            [old, new @ ..] if !new.is_empty() && has_extension(old, "json") => Ok((Some(old), new.to_vec())),
            [old, new] => Ok((Some(old), vec![new.clone()])),
            [draws] => Ok((None, vec![draws.clone()])),
            _ => Err(Error::usage("give the draws, or an older fit and the draws")
                .hint("join chains that are in several files: mixgist convert A B C draws.npz")),
        }
    }

    /// The components of the older fit and their names.
    fn old(&self, path: &Path, terminal: &Terminal) -> Result<(MixingMeasure, Vec<String>)> {
        if has_extension(path, "json") {
            return read_named_components(path);
        }
        let settings = self.posterior.settings()?;
        let ensemble = self.posterior.reading().read(&[path.to_owned()])?.ensemble;
        let found = Posterior::new(&ensemble, None, settings)?.aligned(self.rules.rules(), terminal)?;
        Ok((found.result.estimate, found.result.names))
    }
}
