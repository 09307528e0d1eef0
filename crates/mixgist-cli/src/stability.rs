//! `mixgist stability`: what the estimate does when choices change.

use clap::Args;
use mixgist::Result;
use mixgist::stability::{Stability, stability, summary_estimate};
use mixgist_io::{MeasureDocument, Schema};
use serde::Serialize;

use crate::credible::BallDocument;
use crate::posterior::{Posterior, PosteriorArgs};
use crate::progress::Terminal;
use crate::text::{line, significant, table};

/// Show how far the estimate moves when slices, seed, units, loss, distance, burn-in or chains change
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist stability draws.npz --data data.csv
  mixgist stability chain1.csv chain2.csv --slices 500 -o stability.json

Movements are in units of the radius of the credible ball: up to 0.5 a choice hardly matters, beyond 1 it matters more than
what the posterior leaves open.")]
pub struct StabilityVerb {
    #[command(flatten)]
    posterior: PosteriorArgs,

    /// Posterior probability of the ball
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    level: f64,
}

/// The schema of stability cards.
const STABILITY_SCHEMA: Schema = Schema { name: "mixgist.stability", version: 1 };

impl StabilityVerb {
    /// Reads, estimates again and again, writes and prints.
    pub fn run(&self, terminal: &Terminal) -> Result<()> {
        let posterior = self.posterior.read()?;
        let Posterior { ensemble, settings, .. } = &posterior;
        let card = stability(ensemble, posterior.points()?, settings, self.level, &summary_estimate, terminal)?;
        let used = if card.thin > 1 { &ensemble.select(&ensemble.thinned(0, card.thin))? } else { ensemble };
        let document = StabilityDocument {
            verdict: card.verdict.movement.name(),
            advice: card.verdict.advice.clone(),
            draws: ensemble.len(),
            thin: card.thin,
            clusters: card.clusters,
            ball: BallDocument::new(&card.ball, None, used),
            checks: card.checks.iter().map(CheckDocument::new).collect(),
            distance: settings.slicer.name(),
            slices: settings.slices.first(),
            seed: settings.seed,
            units: settings.units.name(),
            estimate: MeasureDocument::from(&card.estimate),
        };
        let report = report(&card, &document, &posterior);
        self.posterior.answer(STABILITY_SCHEMA, &document, &report, terminal)
    }
}

#[derive(Serialize)]
struct StabilityDocument {
    verdict: &'static str,
    advice: Vec<String>,
    draws: usize,
    thin: usize,
    clusters: Option<usize>,
    ball: BallDocument,
    checks: Vec<CheckDocument>,
    distance: &'static str,
    slices: usize,
    seed: u64,
    units: String,
    estimate: MeasureDocument,
}

#[derive(Serialize)]
struct CheckDocument {
    choice: &'static str,
    change: String,
    distance: Option<f64>,
    radii: Option<f64>,
    movement: Option<&'static str>,
    clusters: Option<usize>,
    error: Option<String>,
}

impl CheckDocument {
    fn new(check: &mixgist::stability::Check) -> Self {
        let outcome = check.outcome.as_ref().ok();
        CheckDocument {
            choice: check.choice,
            change: check.change.clone(),
            distance: outcome.map(|outcome| outcome.distance),
            radii: outcome.map(|outcome| outcome.radii),
            movement: outcome.map(|outcome| outcome.movement.name()),
            clusters: outcome.and_then(|outcome| outcome.clusters),
            error: check.outcome.as_ref().err().map(ToString::to_string),
        }
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
                check.choice.to_owned(),
                check.change.clone(),
                number(check.distance, 4),
                check.radii.map_or("–".to_owned(), |radii| format!("{radii:.2}")),
                check.clusters.map_or("–".to_owned(), |clusters| clusters.to_string()),
                check.error.clone().unwrap_or_else(|| check.movement.unwrap_or_default().to_owned()),
            ]
        })
        .collect();
    lines.push(table(&header, &rows));
    lines.join("\n")
}
