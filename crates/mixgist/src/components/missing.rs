//! Components that the draws have and the estimate has not.

use super::couple::{Match, Place, Stranger, mixture_moments};
use super::intervals::Intervals;
use super::pass::Pass;
use super::{FEWEST_DRAWS, NOTABLE};
use crate::effective::Probability;
use crate::overlap::overlap;

/// A component that no atom of the estimate stands for.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Missing {
    /// Its weight: the mean over the draws that have it.
    pub weight: f64,
    /// Its mean: the mean over the draws that have it.
    pub mean: Vec<f64>,
    /// Its covariance, d × d: the mean over the draws that have it.
    #[serde(with = "crate::document::square")]
    #[schemars(with = "Vec<Vec<f64>>")]
    pub covariance: Vec<f64>,
    /// Probability that a draw has it.
    pub existence: Probability,
    /// Intervals over the draws that have it; `None` when they are too few.
    pub intervals: Option<Intervals>,
}

/// Atoms at which a component is looked for.
const MOST_SEEDS: usize = 200;

/// Draws that are looked at to find a place.
const DRAWS_FOR_A_PLACE: usize = 300;

/// No more than this many are listed.
const MOST_LISTED: usize = 20;

/// Looks among what belongs to nobody for places that more than a twentieth of the draws have in common, the commonest first. A draw has a place when atoms
/// near it hold the least weight that is reported. Once found, the place is the centre of what the draws have there.
pub(crate) fn missing(pass: &Pass) -> Vec<Missing> {
    let mut left: Vec<Vec<Stranger>> = pass.strangers.clone();
    let mut found: Vec<Missing> = Vec::new();
    while found.len() < MOST_LISTED {
        let Some(seed) = commonest(pass, &left) else { break };
        let around_seed = Found::around(pass, &left, &seed);
        let centred = Found::around(pass, &left, &around_seed.centre(pass));
        let one = if centred.share >= around_seed.share { centred } else { around_seed };
        if one.share <= NOTABLE {
            break;
        }
        found.push(one.report(pass));
        for (strangers, near) in left.iter_mut().zip(&one.near) {
            let mut near = near.iter();
            strangers.retain(|_| near.next() == Some(&false));
        }
    }
    found
}

/// The place that most draws have, of some; `None` when no draw has any.
fn commonest(pass: &Pass, left: &[Vec<Stranger>]) -> Option<Place> {
    let step = left.len().div_ceil(DRAWS_FOR_A_PLACE);
    let draws: Vec<usize> = (0..left.len()).step_by(step).collect();
    let heavy = |m: &usize| left[*m].iter().filter(|stranger| stranger.weight >= pass.rules.least_weight);
    let seeds: Vec<&Stranger> = draws.iter().flat_map(heavy).collect();
    let step = seeds.len().div_ceil(MOST_SEEDS).max(1);
    let share = |seed: &Stranger| -> f64 {
        let has = |m: usize| {
            let near = left[m].iter().filter(|one| near(pass, &seed.place, one));
            near.map(|one| one.weight).sum::<f64>() >= pass.rules.least_weight
        };
        draws.iter().filter(|&&m| has(m)).map(|&m| pass.weights[m]).sum()
    };
    let shares = seeds.into_iter().step_by(step).map(|seed| (share(seed), seed));
    let best = shares.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    Some(best.1.place.clone())
}

fn near(pass: &Pass, place: &Place, one: &Stranger) -> bool {
    overlap(place.gaussian(), one.place.gaussian()) >= pass.rules.overlap
}

/// What all draws have around a place.
struct Found {
    matches: Vec<Match>,
    /// For each draw which of what is left is near.
    near: Vec<Vec<bool>>,
    /// The share of the draws that have it.
    share: f64,
}

impl Found {
    fn around(pass: &Pass, left: &[Vec<Stranger>], place: &Place) -> Self {
        let d = pass.ensemble.dim();
        let near: Vec<Vec<bool>> =
            left.iter().map(|strangers| strangers.iter().map(|one| near(pass, place, one)).collect()).collect();
        let one = |(strangers, near): (&Vec<Stranger>, &Vec<bool>)| {
            let pieces = strangers.iter().zip(near).filter(|(_, near)| **near).map(|(one, _)| one);
            let moments = mixture_moments(d, pieces.clone().map(|one| (one.weight, one.place.gaussian())));
            Match {
                exists: moments.weight >= pass.rules.least_weight,
                weight: moments.weight,
                mean: moments.mean,
                covariance: moments.covariance,
                largest: pieces.map(|one| one.weight).fold(0.0, f64::max),
                ambiguous: false,
                ambiguous_with: Vec::new(),
                beside: None,
            }
        };
        let matches: Vec<Match> = left.iter().zip(&near).map(one).collect();
        let share = (0..matches.len()).filter(|&m| matches[m].exists).map(|m| pass.weights[m]).sum();
        Found { matches, near, share }
    }

    /// The draws that have it, with their weights, which sum to 1.
    fn there<'a>(&'a self, pass: &'a Pass) -> impl Iterator<Item = (&'a Match, f64)> {
        let having = self.matches.iter().zip(&pass.weights).filter(|(one, weight)| one.exists && **weight > 0.0);
        having.map(|(one, weight)| (one, weight / self.share))
    }

    fn centre(&self, pass: &Pass) -> Place {
        let d = pass.ensemble.dim();
        let (mut mean, mut covariance) = (vec![0.0; d], vec![0.0; d * d]);
        for (one, weight) in self.there(pass) {
            mean.iter_mut().zip(&one.mean).for_each(|(sum, x)| *sum += weight * x);
            covariance.iter_mut().zip(&one.covariance).for_each(|(sum, x)| *sum += weight * x);
        }
        Place { mean, covariance }
    }

    fn report(&self, pass: &Pass) -> Missing {
        let exists: Vec<bool> = self.matches.iter().map(|one| one.exists).collect();
        let masses: Vec<f64> = self.matches.iter().map(|one| one.weight).collect();
        let existence = Probability::of(pass.ensemble, &exists, &masses);
        let enough = existence.value * existence.effective_draws >= FEWEST_DRAWS;
        let intervals = enough.then(|| {
            let (matches, weights): (Vec<&Match>, Vec<f64>) = self.there(pass).unzip();
            Intervals::new(pass.ensemble.dim(), &matches, &weights, pass.rules.level)
        });
        let Place { mean, covariance } = self.centre(pass);
        Missing {
            weight: self.there(pass).map(|(one, w)| w * one.weight).sum(),
            mean,
            covariance,
            existence,
            intervals,
        }
    }
}
