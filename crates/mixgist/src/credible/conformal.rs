//! Conformal balls: a radius that holds the next draw with a probability that is guaranteed for a finite number of draws.
//!
//! Split conformal prediction. One half of the draws gives the estimate Ĝ; the distances from it to the n draws of the other half, and
//! to a further draw, are exchangeable, so the ⌈(n + 1)(1 − α)⌉-th smallest of the n is at least as large as the further one with
//! probability at least 1 − α, and at most 1 − α + 1/(n + 1) without ties. No distribution of the distances is assumed.
//!
//! Exchangeable they are only if the draws are: a chain is first thinned to about its effective sample size, after which neighbours
//! are nearly independent. The guarantee is as good as that. Where the effective sample size is four fifths of the number of draws or more, all are kept: its estimates
//! scatter that far for independent draws.

use rand::seq::SliceRandom;

use super::{check_distances, check_level};
use crate::effective::{chains_in_order, effective_draws};
use crate::ensemble::MixingMeasure;
use crate::posterior::Posterior;
use crate::progress::Progress;
use crate::random::{Purpose, stream};
use crate::{Error, Result};

/// A conformal ball.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Conformal {
    /// The coverage that was asked for.
    pub level: f64,
    /// The radius with its guarantee, or how many draws are missing.
    #[serde(flatten)]
    pub radius: ConformalRadius,
    /// Its centre.
    pub estimate: MixingMeasure,
    /// Every so many draws of a chain were kept.
    pub thin: usize,
    /// Effective sample size of all draws, by their distances.
    pub effective_draws: f64,
    /// How many draws gave the estimate; 0 when it was given.
    #[serde(rename = "fitted_draws")]
    pub fitted: usize,
    /// How many draws n calibrate.
    #[serde(rename = "calibration_draws")]
    pub calibration: usize,
    /// Whether the centre was given; otherwise it was estimated from a part of the draws.
    pub estimate_given: bool,
}

/// What a calibration set allows to say.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ConformalRadius {
    /// A radius.
    Found {
        /// The distance of this rank, counted from 1, among the calibration draws.
        rank: usize,
        /// The radius.
        radius: f64,
        /// Coverage is at least this on average over calibration sets: rank/(n + 1).
        coverage: f64,
        /// Standard deviation of the coverage between calibration sets (it has a Beta distribution).
        coverage_sd: f64,
    },
    /// No finite radius has that coverage with so few draws.
    TooFewDraws {
        /// The least number of calibration draws that would do.
        #[serde(rename = "needed_draws")]
        needed: usize,
        /// The most that the present number can guarantee: n/(n + 1).
        #[serde(rename = "attainable_level")]
        attainable: f64,
    },
}

/// The conformal ball of a level around the estimate that was given to the posterior, or else around one from half of the draws. The seed splits
/// the draws; the autocorrelation of their distances from the estimate says how many draws to leave out.
///
/// Weighted draws are refused: they are not exchangeable. Cost: one estimate from half of the draws and a row of distances.
pub fn conformal(posterior: &Posterior, level: f64, progress: &dyn Progress) -> Result<Conformal> {
    let (ensemble, settings) = (posterior.ensemble(), posterior.settings());
    let from_estimate = posterior.distances(progress)?;
    check_level(level)?;
    check_distances(ensemble, from_estimate)?;
    if ensemble.draw_weights().is_some() {
        return Err(Error::usage("a conformal ball needs exchangeable draws, and these are weighted")
            .hint("resample the draws by their weights first, or use the credible ball"));
    }
    let effective = effective_draws(ensemble, from_estimate);
    let thin = thinning(ensemble.len(), effective);
    let mut kept: Vec<usize> =
        chains_in_order(ensemble).iter().flat_map(|chain| chain.iter().copied().step_by(thin)).collect();
    kept.shuffle(&mut stream(settings.seed, Purpose::Splits, 0));
    let (estimate, fitted) = match posterior.given_estimate() {
        Some(given) => (given.measure.clone(), 0),
        None => {
            let fitted = kept.len() / 2;
            let mut half = kept[..fitted].to_vec();
            half.sort_unstable();
            // A single draw cannot be split: it gives the estimate, and none is left to calibrate.
            let half = if half.is_empty() { vec![kept[0]] } else { half };
            let part = posterior.with(Some(&half), settings.clone())?;
            let estimate = match posterior.known_medoid(Some(&half), &part)? {
                Some(draw) => ensemble.draw(draw),
                None => part.bare_estimate(progress)?,
            };
            (estimate, half.len())
        }
    };
    let row = posterior.row(&estimate, progress)?;
    let mut distances: Vec<f64> = kept[fitted.min(kept.len())..].iter().map(|&m| row[m]).collect();
    distances.sort_by(f64::total_cmp);
    Ok(Conformal {
        level,
        radius: conformal_radius(&distances, level),
        estimate,
        thin,
        effective_draws: effective,
        fitted,
        calibration: distances.len(),
        estimate_given: posterior.given_estimate().is_some(),
    })
}

/// Draws whose effective sample size is at least this part of their number count as independent.
const INDEPENDENT: f64 = 0.8;

/// Every so many draws are kept.
fn thinning(draws: usize, effective: f64) -> usize {
    let draws = draws as f64;
    if effective >= INDEPENDENT * draws { 1 } else { (draws / effective).ceil() as usize }
}

/// The radius from sorted calibration distances.
fn conformal_radius(sorted: &[f64], level: f64) -> ConformalRadius {
    let n = sorted.len() as f64;
    // (n + 1) · level may exceed an integer by rounding alone.
    let rank = ((n + 1.0) * level - 1e-9).ceil().max(1.0);
    if rank > n {
        let needed = (level / (1.0 - level) - 1e-9).ceil() as usize;
        return ConformalRadius::TooFewDraws { needed, attainable: n / (n + 1.0) };
    }
    let (a, b) = (rank, n + 1.0 - rank);
    ConformalRadius::Found {
        rank: rank as usize,
        radius: sorted[rank as usize - 1],
        coverage: rank / (n + 1.0),
        coverage_sd: (a * b / (n + 2.0)).sqrt() / (n + 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::standard_normals;

    #[test]
    fn ranks_and_what_is_missing() {
        let sorted: Vec<f64> = (1..=19).map(f64::from).collect();
        let ConformalRadius::Found { rank, radius, coverage, .. } = conformal_radius(&sorted, 0.95) else { panic!() };
        assert_eq!((rank, radius, coverage), (19, 19.0, 0.95));
        let few = conformal_radius(&sorted[..18], 0.95);
        assert_eq!(few, ConformalRadius::TooFewDraws { needed: 19, attainable: 18.0 / 19.0 });
        assert_eq!(conformal_radius(&[], 0.9), ConformalRadius::TooFewDraws { needed: 9, attainable: 0.0 });
    }

    #[test]
    fn independent_draws_are_all_kept() {
        assert_eq!([1000.0, 999.999, 992.0, 800.0].map(|effective| thinning(1000, effective)), [1; 4]);
        assert_eq!([799.0, 500.0, 499.0, 1.0].map(|effective| thinning(1000, effective)), [2, 2, 3, 1000]);
    }

    /// 4000 calibration sets of 39 and a new value each: coverage is 38/40 or more in theory exactly 0.95. A count outside 3800 ± 61
    /// (4.4 standard errors) happens once in 100,000.
    #[test]
    fn coverage_is_as_promised_and_its_spread_too() {
        let (mut covered, mut first, mut second) = (0, 0.0, 0.0);
        for run in 0..4000 {
            let mut values = vec![0.0; 40];
            standard_normals(&mut stream(run, Purpose::Simulation, 1), &mut values);
            let new = values.pop().unwrap();
            values.sort_by(f64::total_cmp);
            let ConformalRadius::Found { radius, coverage, coverage_sd, .. } = conformal_radius(&values, 0.95) else {
                panic!()
            };
            assert_eq!(coverage, 0.95);
            covered += u32::from(new <= radius);
            let held = 0.5 * libm::erfc(-radius / std::f64::consts::SQRT_2);
            first += held / 4000.0;
            second += held * held / 4000.0;
            assert!((coverage_sd - (0.95f64 * 0.05 / 41.0).sqrt()).abs() < 1e-12);
        }
        assert!((3739..=3861).contains(&covered), "{covered}");
        // The standard deviation of a standard deviation over 4000 sets is about 2 %.
        let spread: f64 = second - first * first;
        assert!((spread.sqrt() / (0.95f64 * 0.05 / 41.0).sqrt() - 1.0).abs() < 0.12, "{spread}");
    }
}
