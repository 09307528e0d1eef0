//! How far from the estimate the posterior reaches, in words.

use super::numbers::{count, effective, every, significant, with_error};
use super::{Narrate, Narrative, distance_line};
use crate::about::About;
use crate::credible::{Conformal, ConformalRadius, Credible};
use crate::effective::Probability;
use crate::posterior::Estimate;
use crate::text;
use crate::text::{index, joined};

impl Narrate for Credible {
    fn narrate(&self, about: &About, around: Option<&Estimate>) -> Narrative {
        let mut narrative = Narrative::default();
        let ball = &self.ball;
        if let Some(estimate) = around {
            narrative.line("estimate", estimate.source.clone());
        }
        let interval = match ball.radius_high {
            Some(high) => format!("95 % interval {} to {}", significant(ball.radius_low, 4), significant(high, 4)),
            None => format!(
                "95 % interval from {}, without an upper end: the effective sample size is too small",
                significant(ball.radius_low, 4)
            ),
        };
        narrative.line(
            &format!("{} % ball", percent_of(ball.level)),
            format!(
                "radius {} ({interval}) holds {:.4} of the posterior",
                with_error(ball.radius, ball.radius_error),
                ball.probability.value
            ),
        );
        narrative.line(
            "draws",
            format!(
                "{} in {}, {}",
                about.draws,
                count(about.chains, "chain"),
                effective(ball.probability.effective_draws)
            ),
        );
        let [low, _, median, _, high] = ball.quantiles.map(|x| significant(x, 4));
        narrative.line("distances", format!("median {median}, 5 % quantile {low}, 95 % quantile {high}"));
        if let Some(error) = ball.slice_error {
            narrative.line(
                "slice error",
                format!("{} (standard error of the distance at the radius)", significant(error, 2)),
            );
        }
        if let Some(region) = &self.region {
            let within = significant(region.radius, 4);
            narrative.line("hypothesis", format!("P(within {within} of it) = {}", probability(&region.probability)));
            narrative.line("", format!(
                "its distance from the estimate is {}: {} the ball; the smallest ball that holds it has probability {:.3}",
                significant(region.distance_to_estimate, 4),
                if region.inside_ball { "inside" } else { "outside" },
                region.smallest_ball.value
            ));
        }
        if let Some(ball) = &self.conformal {
            conformal(&mut narrative, ball);
        }
        narrative.line("distance", distance_line(&about.settings, self.slices));
        let farthest = ball
            .farthest_draws
            .iter()
            .map(|member| text!["draw ", index(member.draw), format!(" at {}", significant(member.distance, 4))]);
        narrative.line("farthest of all", joined(farthest, ", "));
        let header = ["farthest in the ball", "chain", "iteration", "distance"].map(String::from).to_vec();
        let rows = ball.farthest.iter().map(|member| {
            let distance = significant(member.distance, 4);
            let (chain, iteration) = (member.chain.to_string(), member.iteration.to_string());
            vec![text!["draw ", index(member.draw)], chain.into(), iteration.into(), distance.into()]
        });
        narrative.table(header, rows.collect());
        narrative
    }
}

/// 0.95 as "95".
fn percent_of(level: f64) -> String {
    let text = significant(100.0 * level, 4);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// "0.950 (95 % interval 0.931 to 0.964)".
fn probability(probability: &Probability) -> String {
    let Probability { value, low, high, .. } = probability;
    format!("{value:.3} (95 % Monte Carlo interval {low:.3} to {high:.3})")
}

fn conformal(narrative: &mut Narrative, ball: &Conformal) {
    let n = count(ball.calibration, "calibration draw");
    let text = match ball.radius {
        ConformalRadius::Found { radius, coverage, coverage_sd, .. } => format!(
            "radius {} holds the next draw with probability at least {coverage:.4} (standard deviation {coverage_sd:.4} over calibration sets)",
            significant(radius, 4)
        ),
        ConformalRadius::TooFewDraws { needed, attainable } => {
            format!("too few draws: {n} can guarantee at most {attainable:.3}; level {} needs {needed}", ball.level)
        }
    };
    narrative.line("conformal ball", text);
    let centre = match ball.estimate_given {
        true => {
            "its centre is the given estimate: the guarantee holds only if that was made without these draws".to_owned()
        }
        false => format!("its centre is the estimate from {} other draws", ball.fitted),
    };
    narrative.line("", format!("{n}; {centre}"));
    narrative.line(
        "",
        format!(
            "{} of each chain was kept ({}), so that the kept draws are nearly independent",
            every(ball.thin, "draw"),
            effective(ball.effective_draws)
        ),
    );
}
