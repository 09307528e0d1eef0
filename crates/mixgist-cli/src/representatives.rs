//! `mixgist representatives`: one medoid for each mode of the posterior.

use clap::Args;
use mixgist::representatives::Count;
use mixgist::{Error, Result};

use crate::posterior::PosteriorArgs;
use crate::progress::Terminal;

/// Give one representative draw for each mode of the posterior, with its probability, partition and density
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist representatives draws.npz --data data.csv
  mixgist representatives draws.npz --estimate summary.json
  mixgist representatives draws.npz --count 3 -o representatives.json

There are as many representatives as the posterior has modes. Two groups of draws are two modes if three conditions hold: \
the density between them has a valley that is at most half as high as the lower peak; a posterior with one mode would show such a valley \
with probability at most 0.01; each group has at least 5 % of the posterior.")]
pub struct RepresentativesVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    /// How many: auto, or a number
    #[arg(long, value_name = "K", default_value = "auto")]
    count: String,

    /// Grid points per axis of the densities in the JSON
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=1000))]
    grid: u32,
}

impl RepresentativesVerb {
    /// Reads, chooses, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let wanted = match (self.count.as_str(), self.count.parse()) {
            ("auto", _) => Count::Auto,
            (_, Ok(k)) if k > 0 => Count::Fixed(k),
            _ => return Err(Error::usage(format!("--count is '{}', must be 'auto' or a number from 1", self.count))),
        };
        let grid = self.grid as usize;
        self.posterior.ask(terminal, |posterior, _, progress| posterior.representatives(wanted, grid, progress))
    }
}
