//! `mixgist how-many`: the posterior of the number of clusters and components.

use clap::Args;
use mixgist::Result;

use crate::posterior::{Form, PosteriorArgs};
use crate::progress::Terminal;

/// Say how many clusters and components there are, with and without merging similar ones
#[derive(Args)]
#[command(
    mut_arg("estimate", |arg| arg.default_value("aligned")),
    after_help = "Examples:
  mixgist how-many draws.npz
  mixgist how-many draws.npz --estimate summary.json
  mixgist how-many draws.npz --data data.csv -o how-many.json

Occupied clusters are counted from the labels that came with the draws. If there are none, labels are drawn given each \
draw and the data. Merge-truncate-merge (Guha, Ho and Nguyen, arXiv 1901.05078) merges close atoms of each draw, removes light \
ones and merges again. Its rate ω is (log n / n)^¼ for n observations; without data, half of the median distance between the draws and the \
estimate. The answer also shows other rates."
)]
pub struct HowManyVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,
}

impl HowManyVerb {
    /// Reads, counts, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        self.posterior.ask_about_components(terminal, &Form::document(), |posterior, labels, progress| {
            posterior.how_many(labels, progress)
        })
    }
}
