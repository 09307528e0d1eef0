//! How many components: the posterior of the number of atoms above a weight, and of the number that is left after merge-truncate-merge.
//!
//! The number of atoms of a draw says little: nonparametric models have light atoms that come and go, and hold one component in several pieces. Guha, Ho and
//! Nguyen (arXiv 1901.05078) merge close atoms of each draw, truncate light ones and merge again, at a rate ω; the mode of the number that
//! is left is a consistent estimate when ω tends to 0 more slowly than the draws contract.
//!
//! **Merge.** The atoms of a draw are taken in a random order without replacement, with probabilities by weight. An atom within ω of one that was kept joins
//! the nearest of those. **Truncate.** Heaviest first, an atom is kept if its weight exceeds ω² and moving it to any atom that was kept before would
//! change the draw by more than ω in W₂ (weight × squared distance above ω²). **Merge again.** The others join the nearest atom that was kept.
//!
//! **Which ω.** The median over the draws of the exact distance W₂ between draw and estimate: an atom counts when moving it would change a draw by more
//! than draws and estimate differ. Answers for a range of ω around that stand beside it, so that nobody has to believe one value. Lengths
//! are in units of the standard deviation of each coordinate, shapes by logarithms of covariances, as in [`crate::components`].

use rand::RngExt;
use rayon::prelude::*;

use crate::components::{Pass, Rules, scaled_coordinates};
use crate::effective::{ascending, draw_weights, sorted_quantile};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, has_length};
use crate::progress::Progress;
use crate::random::{Purpose, stream};
use crate::transport::ground::width;
use crate::units::{ResolvedUnits, Units};
use crate::{Error, Result};

/// Weights above which atoms are counted.
pub const THRESHOLDS: [f64; 5] = [0.001, 0.01, 0.02, 0.05, 0.1];

/// Multiples of the chosen ω for which the answer is given too.
pub const MULTIPLES: [f64; 7] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// How many components the draws have.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct HowMany {
    /// The number of atoms above each of some weights, lightest first.
    pub heavier: Vec<HeavierThan>,
    /// The number after merge-truncate-merge, for each of some rates, smallest first.
    pub merged: Vec<MergedAt>,
    /// The rate ω that was chosen: the median distance between draws and estimate.
    pub omega: f64,
    /// The number after merge-truncate-merge at that rate: the mode of its posterior.
    pub components: usize,
}

/// The number of atoms above a weight.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct HeavierThan {
    /// The weight.
    pub weight: f64,
    /// The posterior of the number.
    pub posterior: CountPosterior,
}

/// The number of atoms after merge-truncate-merge at a rate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct MergedAt {
    /// The rate ω.
    pub omega: f64,
    /// The rate as a multiple of the chosen one.
    pub multiple: f64,
    /// The posterior of the number.
    pub posterior: CountPosterior,
}

/// How probable each number is.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct CountPosterior {
    /// The numbers that occur, ascending.
    pub counts: Vec<usize>,
    /// The posterior probability of each.
    pub probabilities: Vec<f64>,
    /// The posterior mean.
    pub mean: f64,
    /// The most probable number; the smallest of equally probable ones.
    pub mode: usize,
}

impl Fits for HowMany {
    fn fits(&self, _: usize, _: usize) -> Result<()> {
        let posteriors =
            self.heavier.iter().map(|one| &one.posterior).chain(self.merged.iter().map(|one| &one.posterior));
        for posterior in posteriors {
            has_length("probabilities of the counts", posterior.probabilities.len(), posterior.counts.len())?;
        }
        Ok(())
    }
}

impl CountPosterior {
    fn of(numbers: &[usize], weights: &[f64]) -> Self {
        let mut mass = std::collections::BTreeMap::<usize, f64>::new();
        for (&number, &weight) in numbers.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            *mass.entry(number).or_default() += weight;
        }
        let (counts, probabilities): (Vec<usize>, Vec<f64>) = mass.into_iter().unzip();
        let likeliest = |best: usize, i: usize| if probabilities[i] > probabilities[best] + 1e-12 { i } else { best };
        CountPosterior {
            mean: counts.iter().zip(&probabilities).map(|(&count, p)| count as f64 * p).sum(),
            mode: (0..counts.len()).reduce(likeliest).map_or(0, |best| counts[best]),
            counts,
            probabilities,
        }
    }
}

/// Counts the components of all draws; `estimate` is what ω is read from.
///
/// Cost: one exact transport a draw, and O(K²) distances a draw for each rate.
pub fn how_many(estimate: &MixingMeasure, ensemble: &Ensemble, seed: u64, progress: &dyn Progress) -> Result<HowMany> {
    if estimate.dim() != ensemble.dim() {
        let (own, dim) = (estimate.dim(), ensemble.dim());
        return Err(Error::input(format!("the estimate has dimension {own}, the draws have {dim}")));
    }
    let units = ResolvedUnits::new(&Units::Sd, ensemble, None)?;
    let pass = Pass::run(estimate, ensemble, &units, Rules::default(), progress)?;
    let weights = draw_weights(ensemble);
    let omega = sorted_quantile(&pass.distances, &weights, &ascending(&pass.distances, &weights), 0.5);
    progress.begin("merging atoms", ensemble.len() as u64);
    let one = |m: usize| -> Result<Vec<usize>> {
        progress.check()?;
        let range = ensemble.range(m);
        let points = scaled_coordinates(&ensemble.atoms().select(range.clone()), &units).map_err(|e| e.at_draw(m))?;
        let draw = Draw { weights: &ensemble.weights()[range], points: &points, width: width(ensemble.dim()) };
        let counts = MULTIPLES.iter().map(|multiple| draw.merged(multiple * omega, seed, m as u64)).collect();
        progress.advance(1);
        Ok(counts)
    };
    let merged: Vec<Vec<usize>> = (0..ensemble.len()).into_par_iter().map(one).collect::<Result<_>>()?;
    let heavier = THRESHOLDS.map(|weight| {
        let above = |m: usize| ensemble.range(m).filter(|&k| ensemble.weights()[k] >= weight).count();
        let numbers: Vec<usize> = (0..ensemble.len()).map(above).collect();
        HeavierThan { weight, posterior: CountPosterior::of(&numbers, &weights) }
    });
    let at = |(i, &multiple): (usize, &f64)| {
        let numbers: Vec<usize> = merged.iter().map(|counts| counts[i]).collect();
        MergedAt { omega: multiple * omega, multiple, posterior: CountPosterior::of(&numbers, &weights) }
    };
    let merged: Vec<MergedAt> = MULTIPLES.iter().enumerate().map(at).collect();
    let components = merged.iter().find(|at| at.multiple == 1.0).map_or(0, |at| at.posterior.mode);
    Ok(HowMany { heavier: heavier.into(), merged, omega, components })
}

/// A draw's atoms as weighted points.
struct Draw<'a> {
    weights: &'a [f64],
    points: &'a [f64],
    width: usize,
}

impl Draw<'_> {
    fn squared_distance(&self, a: usize, b: usize) -> f64 {
        let point = |k: usize| &self.points[k * self.width..(k + 1) * self.width];
        point(a).iter().zip(point(b)).map(|(x, y)| (x - y) * (x - y)).sum()
    }

    fn nearest(&self, k: usize, among: &[usize]) -> Option<(usize, f64)> {
        let distances = among.iter().enumerate().map(|(place, &l)| (place, self.squared_distance(k, l)));
        distances.reduce(|best, next| if next.1 < best.1 { next } else { best })
    }

    /// The number of atoms after merge-truncate-merge at rate ω; the random order depends on (seed, index) alone.
    fn merged(&self, omega: f64, seed: u64, index: u64) -> usize {
        let square = omega * omega;
        let mut rng = stream(seed, Purpose::Search, index);
        // The order of exponential clocks is that of sampling without replacement by weight.
        let mut clocks: Vec<(f64, usize)> =
            (0..self.weights.len()).map(|k| (-libm::log1p(-rng.random::<f64>()) / self.weights[k], k)).collect();
        clocks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut kept, mut mass): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
        for (_, k) in clocks {
            match self.nearest(k, &kept).filter(|(_, distance)| *distance <= square) {
                Some((place, _)) => mass[place] += self.weights[k],
                None => {
                    kept.push(k);
                    mass.push(self.weights[k]);
                }
            }
        }
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by(|&a, &b| mass[b].total_cmp(&mass[a]).then(kept[a].cmp(&kept[b])));
        let mut standing: Vec<usize> = Vec::new();
        for place in order {
            let counts = match self.nearest(kept[place], &standing) {
                // There is always one component.
                None => true,
                Some((_, distance)) => mass[place] > square && mass[place] * distance > square,
            };
            if counts {
                standing.push(kept[place]);
            }
        }
        standing.len()
    }
}

#[cfg(test)]
mod tests;
