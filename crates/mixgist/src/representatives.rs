//! Representatives: when the posterior of G has several modes, one medoid for each, with its posterior probability.
//!
//! **How many.** One mode is the null hypothesis, and splits must be proved. A set of draws is split in two by k-medoids. Squared
//! distances give the place of every draw on the line through the two groups' means (for p = 2 exactly, since draws are points of a Hilbert
//! space): s(G) = ‖G − A‖² − ‖G − B‖², up to scale. Three windows of one width, a third of the way from median to median, lie at
//! the groups' medians and half-way between them. Under any law with one mode on that line the middle window holds at least as much as
//! the emptier of the outer two, so that, given what both hold, the middle one's count exceeds a fair coin's. The split is accepted
//! when a fair coin would do as badly with probability at most [`FALSE_ALARM`] and the valley is at most half as high ([`MOST_VALLEY`]) as the
//! lower peak, and each group has at least [`LEAST_MASS`] of the posterior. Groups are split further by the same test.
//!
//! The line is fitted on a random half of the draws and tested on the rest, and the other way round, because a line that is fitted to the draws
//! shows a valley by itself. Counts are those of as many independent draws as the draws are worth *within* the groups: a chain that
//! seldom changes its mode shows two modes nevertheless; one that creeps through a single mode does not.
//!
//! **Which.** k-medoids on the distances (swaps as in FasterPAM, started at the medoids of the groups). Every draw then belongs to the
//! nearest representative, whose weight is the posterior probability of these draws. Distances between all pairs are computed for at
//! most [`MOST_CANDIDATES`] draws, evenly spaced in every chain; all draws are assigned.

mod pam;
mod valley;

pub use valley::{Condition, SplitTest};

use crate::allocate::{Allocation, allocate};
use crate::density::{Bounds, GridDensity};
use crate::effective::{Probability, chains_in_order, draw_weights};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::mixture::Mixture;
use crate::points::Points;
use crate::posterior::{Answer, Posterior};
use crate::progress::Progress;
use crate::warning::Warning;
use crate::{Error, Result};
use pam::k_medoids;

/// Draws between which all distances are computed, at most.
pub const MOST_CANDIDATES: usize = 1000;

/// A test of one mode against two is wrong at most this often.
pub const FALSE_ALARM: f64 = 1e-3;

/// A mode has at least this posterior probability.
pub const LEAST_MASS: f64 = 0.05;

/// The valley before a mode is at most this part of the lower peak.
pub const MOST_VALLEY: f64 = 0.5;

/// No more modes than this are looked for.
const MOST_MODES: usize = 10;

/// How many representatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Count {
    /// As many as there are modes, by the rule of this module.
    #[default]
    Auto,
    /// So many.
    Fixed(usize),
}

/// One medoid for each mode.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Representatives {
    /// The representatives, the most probable first.
    pub representatives: Vec<Representative>,
    /// For every draw the place of its representative in that list.
    pub assignment: Vec<usize>,
    /// The tests that were made, in order; empty with a fixed number, and when there are too few different draws to split.
    pub tests: Vec<SplitTest>,
    /// How many draws were candidates.
    pub candidates: usize,
    /// Mean distance of a draw to its representative.
    pub expected_distance: f64,
    /// Distances between the representatives, k × k.
    #[serde(with = "crate::document::square")]
    #[schemars(with = "Vec<Vec<f64>>")]
    pub distances: Vec<f64>,
    /// A test of one mode against two is wrong at most this often.
    pub false_alarm: f64,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

/// The medoid of a mode.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Representative {
    /// Which draw it is.
    pub draw: usize,
    /// Its chain.
    pub chain: u32,
    /// Its iteration within the chain.
    pub iteration: u64,
    /// The measure.
    pub measure: MixingMeasure,
    /// Posterior probability of the draws that are nearest to it.
    pub weight: Probability,
    /// Their mean distance to it.
    pub expected_distance: f64,
    /// Labels of the data, when data were given.
    #[serde(flatten)]
    pub allocation: Option<Allocation>,
    /// Number of distinct labels.
    pub clusters: Option<usize>,
    /// The whole density up to dimension 2, marginals beyond; empty when none was asked for.
    pub densities: Vec<GridDensity>,
}

impl Representatives {
    /// Adds the density of each representative on grids of `count` points per axis that suit all of them, over the data or else over the
    /// first one: one grid up to dimension 2, one for each coordinate beyond.
    pub fn add_densities(&mut self, data: Option<Points>, count: usize, progress: &dyn Progress) -> Result<()> {
        let bounds = match data.filter(|points| !points.is_empty()) {
            Some(points) => Bounds::of_points(points)?,
            None => Bounds::of_measure(&self.representatives[0].measure)?,
        };
        let grids = match bounds.dim() {
            1 => vec![bounds.grid(&[0], count)?],
            2 => vec![bounds.grid(&[0, 1], count)?],
            _ => bounds.marginal_grids(count)?,
        };
        for one in &mut self.representatives {
            let density = |grid| GridDensity::of_measure(&one.measure, grid, progress);
            one.densities = grids.iter().map(density).collect::<Result<_>>()?;
        }
        Ok(())
    }
}

impl Posterior<'_> {
    /// Finds representatives of the draws.
    ///
    /// Cost: a matrix of distances between at most [`MOST_CANDIDATES`] draws and a row for each representative.
    pub fn representatives(&self, count: Count, progress: &dyn Progress) -> Result<Answer<Representatives>> {
        Ok(self.answer(representatives(self, count, progress)?))
    }
}

fn representatives(posterior: &Posterior, count: Count, progress: &dyn Progress) -> Result<Representatives> {
    let ensemble = posterior.ensemble();
    let candidates = candidates(ensemble);
    if let Count::Fixed(k) = count
        && !(1..=candidates.len()).contains(&k)
    {
        return Err(Error::usage(format!("{k} representatives of {} draws cannot be chosen", candidates.len())));
    }
    let matrix = posterior.matrix(&candidates, progress)?.distances;
    let all_weights = draw_weights(ensemble);
    let weights: Vec<f64> = candidates.iter().map(|&m| all_weights[m]).collect();
    let everyone: Vec<usize> = (0..candidates.len()).collect();
    let mut tests = Vec::new();
    let medoids = match count {
        Count::Fixed(k) => k_medoids(&matrix, &weights, &everyone, k, &[], progress)?,
        Count::Auto => {
            let chosen = ensemble.select(&candidates)?;
            let mut starts = Vec::new();
            let mut open = vec![everyone.clone()];
            while let Some(set) = open.pop() {
                let test = match starts.len() + open.len() + 1 < MOST_MODES {
                    true => valley::split(&matrix, &weights, &chosen, &set, progress)?,
                    false => None,
                };
                match test {
                    Some(split) if split.test.accepted() => {
                        tests.push(split.test);
                        // The second group is looked at first, for no reason but to have an order.
                        open.extend(split.groups);
                    }
                    other => {
                        tests.extend(other.map(|split| split.test));
                        starts.extend(k_medoids(&matrix, &weights, &set, 1, &[], progress)?);
                    }
                }
            }
            k_medoids(&matrix, &weights, &everyone, starts.len(), &starts, progress)?
        }
    };
    for test in &mut tests {
        test.medoids = test.medoids.map(|place| candidates[place]);
    }
    let draws: Vec<usize> = medoids.iter().map(|&place| candidates[place]).collect();
    gather(posterior, &draws, Gathered { tests, candidates: candidates.len() }, progress)
}

struct Gathered {
    tests: Vec<SplitTest>,
    candidates: usize,
}

/// Assigns all draws and describes each representative.
fn gather(
    posterior: &Posterior,
    draws: &[usize],
    Gathered { tests, candidates }: Gathered,
    progress: &dyn Progress,
) -> Result<Representatives> {
    let (ensemble, data) = (posterior.ensemble(), posterior.data());
    let measures: Vec<MixingMeasure> = draws.iter().map(|&m| ensemble.draw(m)).collect();
    let rows = posterior.rows(&measures, progress)?;
    let weights = draw_weights(ensemble);
    let nearest = |m: usize| (0..rows.len()).reduce(|best, r| if rows[r][m] < rows[best][m] { r } else { best });
    let owner: Vec<usize> = (0..ensemble.len()).map(|m| nearest(m).unwrap_or(0)).collect();
    let mut order: Vec<usize> = (0..draws.len()).collect();
    let mass = |r: usize| (0..ensemble.len()).filter(|&m| owner[m] == r).map(|m| weights[m]).sum::<f64>();
    let masses: Vec<f64> = order.iter().map(|&r| mass(r)).collect();
    order.sort_by(|&a, &b| masses[b].total_cmp(&masses[a]).then(draws[a].cmp(&draws[b])));
    let describe = |&r: &usize| -> Result<Representative> {
        let own: Vec<bool> = owner.iter().map(|&o| o == r).collect();
        let within: f64 = (0..ensemble.len()).filter(|&m| own[m]).map(|m| weights[m] * rows[r][m]).sum();
        let allocation = match data {
            Some(points) => Some(allocate(&Mixture::new(&measures[r])?, points, progress)?),
            None => None,
        };
        Ok(Representative {
            draw: draws[r],
            chain: ensemble.chains()[draws[r]],
            iteration: ensemble.iterations()[draws[r]],
            measure: measures[r].clone(),
            weight: Probability::of(ensemble, &own, &rows[r]),
            expected_distance: if masses[r] > 0.0 { within / masses[r] } else { 0.0 },
            clusters: allocation.as_ref().map(Allocation::clusters),
            allocation,
            densities: Vec::new(),
        })
    };
    let representatives = order.iter().map(describe).collect::<Result<Vec<_>>>()?;
    let place: Vec<usize> = (0..order.len()).map(|r| order.iter().position(|&o| o == r).unwrap_or(0)).collect();
    Ok(Representatives {
        expected_distance: (0..ensemble.len()).map(|m| weights[m] * rows[owner[m]][m]).sum(),
        distances: order
            .iter()
            .flat_map(|&a| order.iter().map(move |&b| (a, b)))
            .map(|(a, b)| rows[a][draws[b]])
            .collect(),
        assignment: owner.iter().map(|&r| place[r]).collect(),
        warnings: Warning::of_distances(ensemble, &rows[order[0]]),
        representatives,
        tests,
        candidates,
        false_alarm: FALSE_ALARM,
    })
}

/// At most [`MOST_CANDIDATES`] draws of positive weight, evenly spaced in every chain, chain after chain.
fn candidates(ensemble: &Ensemble) -> Vec<usize> {
    let weights = draw_weights(ensemble);
    let thin = ensemble.len().div_ceil(MOST_CANDIDATES);
    let all: Vec<usize> = chains_in_order(ensemble).concat().into_iter().filter(|&m| weights[m] > 0.0).collect();
    all.into_iter().step_by(thin).collect()
}

#[cfg(test)]
mod tests;
