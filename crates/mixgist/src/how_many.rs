//! How many components: the posterior of the number of clusters that have observations, of the number of atoms above a weight, and of the number that
//! is left after merge-truncate-merge.
//!
//! **Occupied clusters.** Where the draws come with labels, the number of different labels of each draw. Otherwise, where data are given, labels are drawn from their
//! probabilities under each draw: given the draw, that is their posterior.
//!
//! The number of atoms of a draw says little: nonparametric models have light atoms that come and go, and hold one component in several pieces. Guha, Ho and
//! Nguyen (arXiv 1901.05078) merge close atoms of each draw, truncate light ones and merge again, at a rate ω; the mode of the number that
//! is left is a consistent estimate when ω tends to 0 more slowly than the draws contract.
//!
//! **Merge.** The atoms of a draw are taken in a random order without replacement, with probabilities by weight. An atom within ω of one that was kept joins
//! the nearest of those. **Truncate.** Heaviest first, an atom is kept if its weight exceeds ω² and moving it to any atom that was kept before would
//! change the draw by more than ω in W₂ (weight × squared distance above ω²). **Merge again.** The others join the nearest atom that was kept.
//!
//! **Which ω.** (log n / n)^¼ for n observations: the rate, up to a constant, at which posteriors of mixtures with more atoms than the truth contract in W₂. Where
//! the number of observations is not known, half of the median distance W₂ between draws and estimate. At a rate ω components lighter than ω² are left out, whatever
//! they are: the answer is consistent, but cautious for few observations. Answers for a range of ω stand beside it, so that nobody has to believe one
//! value. Lengths are in units of the standard deviation of each coordinate, shapes by logarithms of covariances, as in [`crate::components`].

use std::collections::BTreeSet;

use rand::{Rng, RngExt};
use rayon::prelude::*;

use crate::allocate::sample_labels;
use crate::components::{Pass, PreparedDraws, Rules, coupling_units, scaled_coordinates};
use crate::effective::{ascending, draw_weights, sorted_quantile};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, has_length};
use crate::labels::PartitionDraws;
use crate::mixture::Mixture;
use crate::points::Points;
use crate::progress::{Progress, Silent};
use crate::random::{Purpose, stream};
use crate::transport::ground::width;
use crate::units::Units;
use crate::warning::Warning;
use crate::{Error, Result};

/// Weights above which atoms are counted.
pub(crate) const THRESHOLDS: [f64; 5] = [0.001, 0.01, 0.02, 0.05, 0.1];

/// Multiples of the chosen ω for which the answer is given too.
pub(crate) const MULTIPLES: [f64; 7] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// How many components the draws have.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct HowMany {
    /// The number of clusters that have observations; null when there are neither labels nor data.
    pub occupied: Option<OccupiedClusters>,
    /// The number of atoms above each of some weights, lightest first.
    pub heavier: Vec<HeavierThan>,
    /// The number after merge-truncate-merge, for each of some rates, smallest first.
    pub merged: Vec<MergedAt>,
    /// The rate ω that was chosen.
    pub omega: f64,
    /// The number of observations n that it was chosen by, (log n / n)^¼; null when it is half of the median distance between draws and estimate.
    pub observations: Option<usize>,
    /// The number after merge-truncate-merge at that rate: the mode of its posterior.
    pub components: usize,
    /// What the reader should know; the distances of chains are those of the couplings.
    pub warnings: Vec<Warning>,
}

/// The number of clusters that have observations.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct OccupiedClusters {
    /// Whether labels came with the draws; otherwise they were drawn, given each draw and the data.
    pub from_labels: bool,
    /// The number of draws that were counted: all, unless labels had to be drawn for very many observations.
    pub draws: usize,
    /// The posterior of the number.
    pub posterior: CountPosterior,
}

/// What the clusters that have observations are counted from.
#[derive(Clone, Copy)]
pub enum Occupied<'a> {
    /// The labels of the observations in every draw.
    Labels(&'a PartitionDraws),
    /// The observations.
    Data(Points<'a>),
    /// Neither is known.
    Unknown,
}

/// Densities that are computed at most to draw labels; with more observations and atoms some of the draws are counted, at equal steps.
const MOST_DENSITIES: usize = 400_000_000;

impl Occupied<'_> {
    /// The number of observations.
    fn observations(self) -> Option<usize> {
        match self {
            Occupied::Labels(labels) => Some(labels.observations()),
            Occupied::Data(points) => Some(points.len()),
            Occupied::Unknown => None,
        }
    }

    fn count(self, ensemble: &Ensemble, seed: u64, progress: &dyn Progress) -> Result<Option<OccupiedClusters>> {
        let all = ensemble.len();
        let weights = draw_weights(ensemble);
        match self {
            Occupied::Unknown => Ok(None),
            Occupied::Labels(labels) if labels.len() != all => {
                Err(Error::input(format!("labels of {} draws for {all} draws", labels.len())))
            }
            Occupied::Labels(labels) => {
                let numbers: Vec<usize> = (0..all).map(|m| labels.clusters(m)).collect();
                let posterior = CountPosterior::of(&numbers, &weights);
                Ok(Some(OccupiedClusters { from_labels: true, draws: all, posterior }))
            }
            Occupied::Data(points) => {
                points.expect_dim(ensemble.dim(), "the draws")?;
                let densities = points.len().saturating_mul(ensemble.weights().len());
                let step = densities.div_ceil(MOST_DENSITIES).clamp(1, all);
                let counted: Vec<usize> = (0..all).step_by(step).collect();
                progress.begin("occupied clusters", counted.len() as u64);
                let number = |&m: &usize| -> Result<usize> {
                    progress.check()?;
                    let own = stream(seed, Purpose::Labels, 1 + m as u64).next_u64();
                    let labels = sample_labels(&Mixture::new(&ensemble.draw(m))?, points, own, &Silent)?;
                    progress.advance(1);
                    Ok(labels.into_iter().collect::<BTreeSet<u32>>().len())
                };
                let numbers: Vec<usize> = counted.par_iter().map(number).collect::<Result<_>>()?;
                let kept: Vec<f64> = counted.iter().map(|&m| weights[m]).collect();
                let total: f64 = kept.iter().sum();
                if total <= 0.0 {
                    return Ok(None);
                }
                let kept: Vec<f64> = kept.iter().map(|weight| weight / total).collect();
                let posterior = CountPosterior::of(&numbers, &kept);
                Ok(Some(OccupiedClusters { from_labels: false, draws: counted.len(), posterior }))
            }
        }
    }
}

/// The number of atoms above a weight.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct HeavierThan {
    /// The weight.
    pub weight: f64,
    /// The posterior of the number.
    pub posterior: CountPosterior,
}

/// The number of atoms after merge-truncate-merge at a rate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
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
#[non_exhaustive]
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
        let posteriors = self
            .heavier
            .iter()
            .map(|one| &one.posterior)
            .chain(self.merged.iter().map(|one| &one.posterior))
            .chain(self.occupied.iter().map(|one| &one.posterior));
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
pub fn how_many(
    estimate: &MixingMeasure,
    ensemble: &Ensemble,
    units: &Units,
    occupied: Occupied,
    seed: u64,
    progress: &dyn Progress,
) -> Result<HowMany> {
    if estimate.dim() != ensemble.dim() {
        let (own, dim) = (estimate.dim(), ensemble.dim());
        return Err(Error::input(format!("the estimate has dimension {own}, the draws have {dim}")));
    }
    let units = coupling_units(units, ensemble)?;
    let pass = Pass::run(estimate, &PreparedDraws::new(ensemble, &units, progress)?, Rules::default(), progress)?;
    let weights = draw_weights(ensemble);
    let observations = occupied.observations().filter(|&n| n > 2);
    let omega = observations.map_or_else(
        || 0.5 * sorted_quantile(&pass.distances, &weights, &ascending(&pass.distances, &weights), 0.5),
        |n| libm::pow(libm::log(n as f64) / n as f64, 0.25),
    );
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
    let occupied = occupied.count(ensemble, seed, progress)?;
    Ok(HowMany {
        occupied,
        heavier: heavier.into(),
        merged,
        omega,
        observations,
        components,
        warnings: Warning::of_distances(ensemble, &pass.distances),
    })
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
