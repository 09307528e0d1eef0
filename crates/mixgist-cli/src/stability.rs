//! `mixgist stability`: what the estimate does when choices change.

use clap::Args;
use mixgist::Result;

use crate::posterior::PosteriorArgs;
use crate::progress::Terminal;

/// Show how far the estimate moves when slices, seed, units, loss, distance, burn-in or chains change
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist stability draws.npz --data data.csv
  mixgist stability draws.npz --estimate summary.json
  mixgist stability chain1.csv chain2.csv --slices 500 -o stability.json
  mixgist stability draws.npz --estimate free --atoms 5

Movements are in units of the radius of the credible ball: up to 0.5 the choice hardly matters; above 1 it matters more \
than the uncertainty of the posterior.")]
pub struct StabilityVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    /// Posterior probability of the ball
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,
}

impl StabilityVerb {
    /// Reads, estimates again and again, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        self.posterior.ask(terminal, |posterior, _, progress| posterior.stability(self.level, progress))
    }
}
