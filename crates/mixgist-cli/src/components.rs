//! `mixgist components`: intervals for every component of an estimate, without relabelling.

use clap::Args;
use mixgist::Result;
use mixgist::components::Rules;

use crate::posterior::{Form, PosteriorArgs};
use crate::progress::Terminal;

/// Give every component of an estimate its probability, and intervals for its weight, mean and covariance
#[derive(Args)]
#[command(mut_arg("estimate", |arg| arg.default_value("aligned")), after_help = "Examples:
  mixgist components draws.npz --data data.csv
  mixgist components draws.npz --estimate summary.json
  mixgist components draws.npz --level 0.9 -o components.json

Without --estimate the answer is about the aligned estimate: the components that at least half of the draws have. \
A draw has a component if the atoms near it hold at least a tenth of its weight. Each draw is coupled with the estimate by \
exact optimal transport, so that label switching does not matter. Components that cannot be told apart are named, with the \
probability and the intervals of their group. If the draws have a component beside an atom of the estimate, the answer is about that \
component. In dimension 1 the answer also gives the points that separate neighbouring components. A summary of these draws made with the \
same options (--estimate summary.json) saves most of the time: the aligned estimate is then found from its medoid. With \
--estimate medoid the answer is about the atoms of the medoid itself.")]
pub struct ComponentsVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    #[command(flatten)]
    rules: RulesArgs,
}

/// When a draw has a component, and the level of intervals.
#[derive(Args, Clone)]
pub struct RulesArgs {
    /// Level of the intervals
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,

    /// Atoms are near when their Gaussians overlap by this much (Bhattacharyya)
    #[arg(long, value_name = "P", default_value_t = Rules::default().overlap)]
    overlap: f64,

    /// A draw has a component when it holds this share of its weight
    #[arg(long, value_name = "P", default_value_t = Rules::default().share)]
    share: f64,

    /// Lighter atoms of the estimate are not reported
    #[arg(long, value_name = "W", default_value_t = Rules::default().least_weight)]
    least_weight: f64,
}

impl RulesArgs {
    /// What the options mean to the core.
    pub fn rules(&self) -> Rules {
        Rules::default()
            .with_level(self.level)
            .with_overlap(self.overlap)
            .with_share(self.share)
            .with_least_weight(self.least_weight)
    }
}

impl ComponentsVerb {
    /// Reads, couples, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let rules = self.rules.rules();
        self.posterior.ask_about_components(terminal, &Form::document(), |posterior, _, progress| {
            posterior.components(rules, progress)
        })
    }
}
