//! `mixgist stability`: what the estimate does when choices change.

use clap::Args;
use mixgist::Result;
use mixgist::stability::{Stability, stability};
use mixgist_io::posterior::{STABILITY_SCHEMA, StabilityDocument};

use crate::posterior::{EstimatorArgs, Posterior, PosteriorArgs};
use crate::progress::Terminal;
use crate::text::{count, line, significant, table};

/// Show how far the estimate moves when slices, seed, units, loss, distance, burn-in or chains change
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist stability draws.npz --data data.csv
  mixgist stability chain1.csv chain2.csv --slices 500 -o stability.json
  mixgist stability draws.npz --estimate free --atoms 5

Movements are in units of the radius of the credible ball: up to 0.5 a choice hardly matters, beyond 1 it matters more than
what the posterior leaves open.")]
pub struct StabilityVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    #[command(flatten)]
    estimator: EstimatorArgs,

    /// Posterior probability of the ball
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,
}

impl StabilityVerb {
    /// Reads, estimates again and again, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let posterior = self.posterior.read(self.estimator.estimator()?, terminal)?;
        let Posterior { ensemble, settings, .. } = &posterior;
        let card = stability(ensemble, posterior.points()?, settings, self.level, &mixgist::estimate, terminal)?;
        let document = StabilityDocument::new(&card, &posterior.about())?;
        let report = report(&card, &document, &posterior);
        self.posterior.answer(STABILITY_SCHEMA, &document, &report, &card.warnings, terminal)
    }
}

fn report(card: &Stability, document: &StabilityDocument, posterior: &Posterior) -> String {
    let mut lines = vec![line("verdict", &card.verdict.advice[0])];
    lines.extend(card.verdict.advice[1..].iter().map(|advice| line("", advice)));
    lines.push(line(
        "unit",
        format!("the ball's radius, {} at level {}", significant(card.ball.radius, 4), card.ball.level),
    ));
    if let Some(clusters) = card.clusters {
        lines.push(line("clusters", format!("{clusters} before any change")));
    }
    if card.thin > 1 {
        lines.push(line("draws", format!("{}, one in {} of each chain used", document.draws, card.thin)));
    }
    if card.untried_chains > 0 {
        let text = format!(
            "{} not left out in turn; those with the most draws went first",
            count(card.untried_chains, "chain")
        );
        lines.push(line("chains", text));
    }
    lines.push(line("distance", posterior.distance_text()));
    lines.push(String::new());
    let header = ["choice", "change", "moves by", "radii", "clusters", ""].map(String::from);
    let rows: Vec<Vec<String>> = document
        .checks
        .iter()
        .map(|check| {
            let number =
                |value: Option<f64>, digits| value.map_or("–".to_owned(), |value| significant(value, digits));
            vec![
                check.choice.clone(),
                check.change.clone(),
                number(check.distance, 4),
                check.radii.map_or("–".to_owned(), |radii| format!("{radii:.2}")),
                check.clusters.map_or("–".to_owned(), |clusters| clusters.to_string()),
                check.error.clone().unwrap_or_else(|| check.movement.clone().unwrap_or_default()),
            ]
        })
        .collect();
    lines.push(table(&header, &rows));
    lines.join("\n")
}
