//! `mixgist credible`: how far from the estimate the posterior reaches.

use std::path::{Path, PathBuf};

use clap::Args;
use mixgist::credible::Question;
use mixgist::{Error, Result};
use mixgist_io::{is_content_of, read_summary};

use crate::options::has_extension;
use crate::posterior::{PosteriorArgs, read_measure};
use crate::progress::Terminal;

/// Give the credible ball around an estimate, the probability of a region, and a conformal ball
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist credible draws.npz
  mixgist credible draws.npz --estimate summary.json --level 0.9
  mixgist credible draws.npz --conformal
  mixgist credible draws.npz --hypothesis truth.csv --radius 0.5 -o ball.json

A conformal ball needs an estimate that was made without the draws that calibrate it. Without --estimate, one half of \
the draws gives the estimate and the other half calibrates the radius. With --estimate, the estimate must come from other draws.")]
pub struct Credible {
    #[command(flatten)]
    posterior: PosteriorArgs,

    /// Posterior probability of the ball
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,

    /// A hypothesised measure: a summary (.json), or a file with one draw
    #[arg(long, value_name = "FILE")]
    hypothesis: Option<PathBuf>,

    /// Radius of the region around it; without it, that of the ball
    #[arg(long, value_name = "R", requires = "hypothesis", allow_negative_numbers = true)]
    radius: Option<f64>,

    /// Add a ball that holds the next draw with a probability guaranteed for this number of draws
    #[arg(long)]
    conformal: bool,
}

impl Credible {
    /// Reads, computes, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        if self.conformal
            && let Some(path) = self.posterior.estimate.file()
        {
            refuse_own_draws(path, &self.posterior.job.draws.draws)?;
        }
        let reading = self.posterior.reading();
        self.posterior.ask(terminal, |posterior, _, progress| {
            let dim = posterior.ensemble().dim();
            let hypothesis = self.hypothesis.as_deref().map(|path| read_measure(path, reading, dim)).transpose()?;
            let question = Question {
                level: self.level,
                hypothesis: hypothesis.as_ref().map(|measure| (measure, self.radius)),
                conformal: self.conformal,
            };
            posterior.credible(&question, progress)
        })
    }
}

/// Refuses a summary that was made from one of these files: its draws would calibrate the ball around their own estimate.
fn refuse_own_draws(estimate: &Path, draws: &[PathBuf]) -> Result<()> {
    if !has_extension(estimate, "json") {
        return Ok(());
    }
    for file in read_summary(estimate)?.about.source.iter().flat_map(|source| &source.draws) {
        for path in draws {
            if is_content_of(file, path)? {
                return Err(Error::usage(format!(
                    "was made from these draws ({}), so that no conformal ball around it is guaranteed",
                    path.display()
                ))
                .in_file(estimate)
                .hint(
                    "leave out --estimate: one half of the draws then gives the estimate, the other half calibrates",
                ));
            }
        }
    }
    Ok(())
}
