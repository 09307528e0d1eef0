//! The credible ball of a level around an estimate.

use super::{check_distances, check_level, within};
use crate::Result;
use crate::effective::{Probability, ascending, draw_weights, sorted_quantile};
use crate::ensemble::Ensemble;
use crate::fits::{Fits, are_below};
use crate::text::Index;

/// The smallest ball around an estimate that holds the asked-for posterior probability.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Ball {
    /// The probability that was asked for.
    pub level: f64,
    /// The radius: the least one for which the ball holds at least `level`.
    pub radius: f64,
    /// Lower end of the 95 % Monte Carlo interval of the radius: the radius of the level 1.96 standard errors below.
    pub radius_low: f64,
    /// Upper end of the 95 % Monte Carlo interval of the radius; null when the level 1.96 standard errors above exceeds 1: there are too few effective
    /// draws.
    pub radius_high: Option<f64>,
    /// Monte Carlo standard error of the radius: half the distance between the radii of the levels one standard error below and above; null
    /// when the latter exceeds 1.
    pub radius_error: Option<f64>,
    /// Standard error over slices of the distance to the most distant member; null with a single group of slices.
    pub slice_error: Option<f64>,
    /// The probability that the ball holds, the level or a little more, with its Monte Carlo error.
    pub probability: Probability,
    /// Members of the ball that are farthest from the estimate, farthest first, at most [`Ball::FARTHEST`]: the edge of the ball.
    pub farthest: Vec<Member>,
    /// Draws that are farthest from the estimate, in the ball or not, farthest first, at most [`Ball::FARTHEST`].
    #[serde(default)]
    pub farthest_draws: Vec<Member>,
    /// Quantiles of the distance at 5, 25, 50, 75 and 95 %.
    #[serde(rename = "distance_quantiles")]
    pub quantiles: [f64; 5],
}

/// A draw and its distance from the estimate.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Member {
    /// Index of the draw.
    #[schemars(with = "Index")]
    pub draw: usize,
    /// Its chain.
    pub chain: u32,
    /// Its iteration within the chain.
    pub iteration: u64,
    /// Its distance.
    pub distance: f64,
}

impl Fits for Ball {
    fn fits(&self, draws: usize, _: usize) -> Result<()> {
        are_below(
            "the farthest draws",
            self.farthest.iter().chain(&self.farthest_draws).map(|member| member.draw),
            draws,
        )
    }
}

/// Standard errors on either side of a 95 % interval.
const INTERVAL: f64 = 1.959_963_984_540_054;

impl Ball {
    /// So many of the most distant members are listed.
    pub const FARTHEST: usize = 5;
}

/// The ball of probability `level`, from the distances between the estimate and every draw.
///
/// Draws of weight 0 are no part of the posterior. Cost O(M log M).
pub fn ball(ensemble: &Ensemble, distances: &[f64], level: f64) -> Result<Ball> {
    check_level(level)?;
    check_distances(ensemble, distances)?;
    let weights = draw_weights(ensemble);
    let order = ascending(distances, &weights);
    let quantile = |level: f64| sorted_quantile(distances, &weights, &order, level);
    let radius = quantile(level);
    let inside = |m: usize| within(distances[m], radius);
    let flags: Vec<bool> = (0..ensemble.len()).map(inside).collect();
    let probability = Probability::of(ensemble, &flags, distances);
    let error = (level * (1.0 - level) / probability.effective_draws).sqrt();
    let mut farthest = order.clone();
    farthest.sort_by(|&a, &b| distances[b].total_cmp(&distances[a]).then(a.cmp(&b)));
    let member = |&draw: &usize| Member {
        draw,
        chain: ensemble.chains()[draw],
        iteration: ensemble.iterations()[draw],
        distance: distances[draw],
    };
    let members = farthest.iter().filter(|&&m| inside(m)).take(Ball::FARTHEST).map(member);
    let below = |errors: f64| quantile((level - errors * error).max(0.0));
    // Where all draws are equally far there is nothing to be unsure of.
    let alike = quantile(0.0) >= quantile(1.0) * (1.0 - super::TIE);
    let above = |errors: f64| {
        let level = level + errors * error;
        (alike || level <= 1.0).then(|| quantile(level.min(1.0)))
    };
    Ok(Ball {
        level,
        radius,
        radius_low: below(INTERVAL),
        radius_high: above(INTERVAL),
        radius_error: above(1.0).map(|high| (high - below(1.0)) / 2.0),
        slice_error: None,
        probability,
        farthest: members.collect(),
        farthest_draws: farthest.iter().take(Ball::FARTHEST).map(member).collect(),
        quantiles: [0.05, 0.25, 0.5, 0.75, 0.95].map(quantile),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::random::{Purpose, standard_normals, stream};

    fn draws(count: usize) -> Ensemble {
        let ones = vec![1.0; count];
        Ensemble::builder(1).atoms_per_draw(1).weights(&ones).means(&ones).covariances(&ones).build().unwrap()
    }

    #[test]
    fn a_small_ball_by_hand() {
        let distances = [3.0, 1.0, 4.0, 1.0, 5.0];
        let got = ball(&draws(5), &distances, 0.5).unwrap();
        assert_eq!((got.radius, got.probability.value), (3.0, 0.6000000000000001));
        let listed: Vec<(usize, f64)> = got.farthest.iter().map(|member| (member.draw, member.distance)).collect();
        assert_eq!(listed, [(0, 3.0), (1, 1.0), (3, 1.0)]);
        let all: Vec<usize> = got.farthest_draws.iter().map(|member| member.draw).collect();
        assert_eq!(all, [4, 2, 0, 1, 3]);
        assert_eq!(got.quantiles, [1.0, 1.0, 3.0, 4.0, 5.0]);
        let weighted = draws(5).with_draw_weights(&[0.0, 0.3, 0.6, 0.0, 0.1]).unwrap();
        let got = ball(&weighted, &distances, 0.5).unwrap();
        assert_eq!((got.radius, got.farthest.len()), (4.0, 2));
    }

    #[test]
    fn equal_distances_give_an_exact_radius() {
        let got = ball(&draws(50), &[0.0; 50], 0.95).unwrap();
        assert_eq!((got.radius, got.radius_low, got.radius_high, got.probability.value), (0.0, 0.0, Some(0.0), 1.0));
    }

    /// 300 balls of 400 autocorrelated draws of |N(0, 1)|: the interval of ± 2 standard errors must hold the true quantile, 1.6449 at
    /// 90 %, about as often as a normal distribution has it (95 %). Fewer than 260 happen with probability below 1e-8 if it does at 95 %,
    /// and all 300 would mean that errors are exaggerated.
    #[test]
    fn the_error_of_the_radius_is_that_of_autocorrelated_draws() {
        let (mut held, mut in_interval, mut ignored) = (0, 0, 0);
        let runs = 300;
        for run in 0..runs {
            let mut noise = vec![0.0; 400];
            standard_normals(&mut stream(run, Purpose::Simulation, 0), &mut noise);
            let (rho, mut x) = (0.8f64, noise[0]);
            let distances: Vec<f64> = noise
                .iter()
                .map(|z| {
                    x = rho * x + (1.0 - rho * rho).sqrt() * z;
                    x.abs()
                })
                .collect();
            let ensemble = draws(400);
            let got = ball(&ensemble, &distances, 0.9).unwrap();
            let error = got.radius_error.unwrap();
            held += u32::from((got.radius - 1.6449).abs() <= 2.0 * error);
            in_interval += u32::from(got.radius_low <= 1.6449 && got.radius_high.is_none_or(|high| 1.6449 <= high));
            let naive = got.probability.effective_draws / 400.0;
            ignored += u32::from((got.radius - 1.6449).abs() <= 2.0 * error * naive.sqrt());
        }
        assert!((260..300).contains(&held), "{held} of {runs}");
        assert!((260..300).contains(&in_interval), "{in_interval} of {runs}");
        assert!(ignored < 250, "without autocorrelation {ignored} of {runs} would do");
    }

    #[test]
    fn levels_and_distances_are_checked() {
        for level in [0.0, 1.0, f64::NAN] {
            assert!(ball(&draws(2), &[0.0, 1.0], level).is_err());
        }
        assert!(ball(&draws(2), &[0.0], 0.5).is_err());
        let error = ball(&draws(2), &[0.0, f64::NAN], 0.5).unwrap_err();
        assert_eq!(error.to_string(), "draw 1: distance is NaN, must be finite and not negative");
    }
}
