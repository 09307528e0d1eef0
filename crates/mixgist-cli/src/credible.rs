//! `mixgist credible`: how far from the estimate the posterior reaches.

use std::path::{Path, PathBuf};

use clap::Args;
use mixgist::credible::{Question, Source, credible};
use mixgist::{Ensemble, Error, Estimator, Result};
use mixgist_io::posterior::{BallDocument, CREDIBLE_SCHEMA, ConformalDocument, CredibleDocument, ProbabilityDocument};
use mixgist_io::{SUMMARY_SCHEMA, SummaryDocument, read_json};

use crate::options::has_extension;
use crate::posterior::{EstimateArgs, Posterior, PosteriorArgs, read_measure};
use crate::progress::Terminal;
use crate::text::{count, line, significant, with_error, worth};

/// Give the credible ball around an estimate, the probability of a region, and a conformal ball
#[derive(Args)]
#[command(after_help = "Examples:
  mixgist credible draws.npz
  mixgist credible draws.npz --estimate summary.json --level 0.9
  mixgist credible draws.npz --conformal
  mixgist credible draws.npz --hypothesis truth.csv --radius 0.5 -o ball.json

A conformal ball needs an estimate that was made without the draws that calibrate it. Without --estimate one half of the
draws gives the estimate and the other half calibrates; with it, the estimate must come from other draws.")]
pub struct Credible {
    #[command(flatten)]
    posterior: PosteriorArgs,

    #[command(flatten)]
    estimate: EstimateArgs,

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
            && let Some(path) = &self.estimate.estimate
        {
            refuse_own_draws(path, &self.posterior.job.draws.draws)?;
        }
        let posterior = self.posterior.read(Estimator::Medoid, terminal)?;
        let (ensemble, settings) = (&posterior.ensemble, &posterior.settings);
        let (points, reading) = (posterior.points()?, self.posterior.reading());
        let hypothesis =
            self.hypothesis.as_deref().map(|path| read_measure(path, reading, ensemble.dim())).transpose()?;
        let estimate = self.estimate.resolve(&posterior, reading, terminal)?;
        let fit = |draws: &Ensemble| mixgist::estimate(draws, points, settings, terminal);
        let source = match self.estimate.estimate {
            Some(_) => Source::Given(&estimate.measure),
            None => Source::Fitted(&fit),
        };
        let question = Question {
            level: self.level,
            hypothesis: hypothesis.as_ref().map(|measure| (measure, self.radius)),
            conformal: self.conformal.then_some(source),
        };
        let found = credible(&estimate.measure, ensemble, points, settings, &question, terminal)?;
        let document = CredibleDocument::new(&found, &estimate.origin(), &posterior.about())?;
        let report = report(&document, &posterior);
        self.posterior.answer(CREDIBLE_SCHEMA, &document, &report, &found.warnings, terminal)
    }
}

/// Refuses a summary that was made from one of these files: its draws would calibrate the ball around their own estimate.
fn refuse_own_draws(estimate: &Path, draws: &[PathBuf]) -> Result<()> {
    if !has_extension(estimate, "json") {
        return Ok(());
    }
    let summary: SummaryDocument = read_json(estimate, SUMMARY_SCHEMA)?;
    for file in summary.source.iter().flat_map(|source| &source.draws) {
        for path in draws {
            if file.is_content_of(path)? {
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

/// "0.950 (Monte Carlo: 0.931 to 0.964)".
fn probability(probability: &ProbabilityDocument) -> String {
    let ProbabilityDocument { value, low, high, .. } = probability;
    format!("{value:.3} (Monte Carlo: {low:.3} to {high:.3})")
}

/// The radius with its error.
fn radius(ball: &BallDocument) -> String {
    let radius = with_error(ball.radius, ball.radius_error);
    let few = if ball.radius_high.is_none() { ", too few effective draws for an upper error" } else { "" };
    format!("radius {radius} holds {:.4} of the posterior{few}", ball.probability.value)
}

fn conformal_lines(ball: &ConformalDocument) -> Vec<String> {
    let n = ball.calibration_draws;
    let mut lines = match (ball.radius, ball.coverage, ball.coverage_sd) {
        (Some(radius), Some(coverage), Some(sd)) => vec![line(
            "conformal",
            format!(
                "radius {} holds the next draw with probability at least {coverage:.4} (± {sd:.4} between splits)",
                significant(radius, 4)
            ),
        )],
        _ => vec![line(
            "conformal",
            format!(
                "no radius: {} {} at most {:.3}, level {} needs {}",
                count(n, "calibration draw"),
                if n == 1 { "guarantees" } else { "guarantee" },
                ball.attainable_level.unwrap_or(0.0),
                ball.level,
                ball.needed_draws.unwrap_or(0)
            ),
        )],
    };
    let centre = if ball.estimate_given {
        "around the given estimate: the guarantee holds only if it was made without these draws".to_owned()
    } else {
        format!("around the estimate from {}", count(ball.fitted_draws, "other"))
    };
    lines.push(line("", format!("{}, {centre}", count(n, "calibration draw"))));
    lines.push(line(
        "",
        format!(
            "every {} draw kept: all are worth {:.0}, so that these are nearly exchangeable",
            ordinal(ball.thin),
            ball.effective_draws
        ),
    ));
    lines
}

fn ordinal(n: usize) -> String {
    match n {
        1 => "single".into(),
        _ => {
            let ending = match (n % 100, n % 10) {
                (11..=13, _) => "th",
                (_, 1) => "st",
                (_, 2) => "nd",
                (_, 3) => "rd",
                _ => "th",
            };
            format!("{n}{ending}")
        }
    }
}

fn report(document: &CredibleDocument, posterior: &Posterior) -> String {
    let ball = &document.ball;
    let [low, _, median, _, high] = ball.distance_quantiles;
    let mut lines = vec![
        line("estimate", &document.estimate_source),
        line(
            &format!("{} % ball", significant(100.0 * document.level, 4).trim_end_matches('0').trim_end_matches('.')),
            radius(ball),
        ),
        line(
            "draws",
            format!(
                "{} in {}, {}",
                document.draws,
                count(document.chains, "chain"),
                worth(ball.probability.effective_draws)
            ),
        ),
        line(
            "distances",
            format!("median {}, 5 % {}, 95 % {}", significant(median, 4), significant(low, 4), significant(high, 4)),
        ),
    ];
    if let Some(error) = ball.slice_error {
        lines.push(line("slice error", format!("{} at the radius", significant(error, 2))));
    }
    for (i, member) in ball.farthest.iter().enumerate() {
        let text = format!(
            "draw {} (chain {}, iteration {}) at {}",
            member.draw,
            member.chain,
            member.iteration,
            significant(member.distance, 4)
        );
        lines.push(line(if i == 0 { "most distant" } else { "" }, text));
    }
    if let Some(region) = &document.region {
        let within = significant(region.radius, 4);
        lines.push(line("hypothesis", format!("P(within {within} of it) = {}", probability(&region.probability))));
        let place = if region.inside_ball { "inside" } else { "outside" };
        lines.push(line(
            "",
            format!(
                "at {} from the estimate, {place} the ball; the smallest ball that holds it has probability {:.3}",
                significant(region.distance_to_estimate, 4),
                region.smallest_ball.value
            ),
        ));
    }
    lines.extend(document.conformal.iter().flat_map(conformal_lines));
    lines.push(line("distance", posterior.distance_text()));
    lines.join("\n")
}
