//! Representatives: when the posterior of G has several modes, one medoid for each, with its posterior probability.
//!
//! **How many.** One mode is the null hypothesis, and splits must be proved. Sets of draws are split by k-medoids. Squared
//! distances give the place of every draw on the line through two groups' means (for p = 2 exactly, since draws are points of a Hilbert
//! space): s(G) = ‖G − A‖² − ‖G − B‖², up to scale. Two windows lie at the groups' medians, and one between them. Under any distribution with
//! one mode on that line the density in the middle window is on average at least that in one of the outer two, so that, given what both hold, the
//! middle one's count exceeds that of a coin that shows heads in proportion to the widths. A split is accepted when such coins would do as badly against either of the outer windows with
//! probability at most [`FALSE_ALARM`], the valley
//! is at most half as high ([`MOST_VALLEY`]) as the lower peak, both on the line and in the number of pairs of near draws across it, and each group
//! has at least [`LEAST_MASS`] of the posterior. Groups are split further by the same test. At last every pair of groups must show a valley, or they
//! are put together again.
//!
//! The line and the windows are fitted on a random half of the draws and tested on the rest, and the other way round, because a line that is fitted to the
//! draws shows a valley by itself. Counts are scaled to the effective sample size *within* the groups: a chain that
//! seldom changes its mode shows two modes nevertheless; one that creeps through a single mode does not. Where every chain stays in one of two
//! groups, whether they are at different places is tested as in `crate::agreement` too.
//!
//! **Chains that stay in a mode of their own are modes.** Before anything is split, chains are tested against each other, and put together until every two groups are
//! apart: on a line that is fitted on one half of every chain, in time, at least 95 % of the other half of every chain lies on its own side; a valley is between them; chains at one
//! place would differ so much with probability at most [`FALSE_ALARM`]; and they stay: from one half to the other their mean moves by little of what lies between the
//! groups. What these groups hold is then split as above, and every draw belongs to a mode of its own chains. Each representative says which chains never leave it.
//!
//! How often the number is wrong is measured for the whole answer in `docs/modes.md`.
//!
//! **Which.** k-medoids on the distances (swaps as in FasterPAM, started at the medoids of the groups), among chains that stay together. Every draw then belongs to the
//! nearest of them, and the representative of a mode is its draw of least expected loss (that of the settings) over the draws of the mode; a single one is the medoid
//! that [`crate::summarize`] chooses. Its weight is the posterior probability of the draws that are nearest to it. Distances between all pairs are computed for
//! at most [`MOST_CANDIDATES`] draws, evenly spaced in every chain; all draws are assigned.

mod chains;
mod modes;
mod pam;
mod valley;

pub use valley::{Condition, SplitTest};

use std::collections::BTreeMap;
use std::ops::Range;

use crate::allocate::{Allocation, allocate};
use crate::density::{Bounds, GridDensity};
use crate::effective::{Probability, chains_in_order, draw_weights};
use crate::ensemble::{Ensemble, MixingMeasure, Trace};
use crate::fits::{Fits, are_below, has_dim, has_length};
use crate::line::Order;
use crate::loss::Loss;
use crate::mixture::Mixture;
use crate::pairwise::Condensed;
use crate::points::Points;
use crate::posterior::{Answer, Posterior};
use crate::progress::Progress;
use crate::text::Index;
use crate::warning::Warning;
use crate::{Error, Result};
use pam::k_medoids;
use valley::{Cloud, STAYS};

/// Draws between which all distances are computed, at most.
pub const MOST_CANDIDATES: usize = 1000;

/// One mode is split at most this often: the p-value of a split counts all the splits of a set that are tried.
pub const FALSE_ALARM: f64 = 0.01;

/// A gap that one mode would show at most this often is told, even if it is no proof of two.
pub const DOUBTFUL: f64 = 0.2;

/// A mode has at least this posterior probability.
pub const LEAST_MASS: f64 = 0.05;

/// The valley before a mode is at most this part of the lower peak.
pub const MOST_VALLEY: f64 = 0.5;

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
#[non_exhaustive]
pub struct Representatives {
    /// The representatives, the most probable first.
    pub representatives: Vec<Representative>,
    /// For every draw the place of its representative in that list.
    #[schemars(with = "Vec<Index>")]
    pub assignment: Vec<usize>,
    /// The tests that were made, in order; empty with a fixed number, and when there are too few different draws to split.
    pub tests: Vec<SplitTest>,
    /// How many draws were candidates.
    pub candidates: usize,
    /// Number of slices of the distances; with `auto` as many as the estimate needs.
    #[serde(default)]
    pub slices: usize,
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
#[non_exhaustive]
pub struct Representative {
    /// Which draw it is.
    #[schemars(with = "Index")]
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
    /// Chains that stay with it: nearly all of their draws are nearest to it. Where it has no draws of other chains, it is a mode of these chains, and
    /// its weight is the share of the draws that they were given.
    #[serde(default)]
    pub chains: Vec<u32>,
    /// Whether it has no draws of other chains, while other representatives have.
    #[serde(default)]
    pub of_own_chains: bool,
    /// Mean log posterior of the draws that belong to it, up to a constant; null when the draws have none.
    #[serde(default)]
    pub log_posterior: Option<f64>,
    /// Labels of the data, when data were given.
    #[serde(flatten, deserialize_with = "Allocation::whole_or_absent")]
    pub allocation: Option<Allocation>,
    /// Number of distinct labels.
    pub clusters: Option<usize>,
    /// The whole density up to dimension 2, marginals beyond; empty when none was asked for.
    pub densities: Vec<GridDensity>,
}

impl Fits for Representatives {
    fn fits(&self, draws: usize, dim: usize) -> Result<()> {
        let modes = self.representatives.len();
        has_length("assignment", self.assignment.len(), draws)?;
        are_below("assignment", self.assignment.iter().copied(), modes)?;
        has_length("distances between representatives", self.distances.len(), modes * modes)?;
        are_below("a representative", self.representatives.iter().map(|one| one.draw), draws)?;
        are_below("a test", self.tests.iter().flat_map(|test| test.medoids), draws)?;
        for one in &self.representatives {
            has_dim("a representative", &one.measure, dim)?;
            one.allocation.as_ref().map_or(Ok(()), |allocation| allocation.fits(one.measure.len()))?;
        }
        Ok(())
    }
}

impl Representatives {
    /// Whether the draws leave a gap that is deep, with enough of the posterior on either side, and that they are too few to tell from chance: there may be one
    /// more mode.
    pub fn may_have_more(&self) -> bool {
        self.tests.iter().any(|test| test.refused_by() == [Condition::Evidence] && test.p_value <= DOUBTFUL)
    }

    /// Adds the density of each representative on grids of `count` points per axis that suit all of them, over the data or else over the
    /// first one: one grid up to dimension 2, one for each coordinate beyond.
    fn add_densities(&mut self, data: Option<Points>, count: usize, progress: &dyn Progress) -> Result<()> {
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
    /// Finds representatives of the draws, with their densities on grids of `grid` points per axis, unless that is 0.
    ///
    /// Cost: a matrix of distances between at most [`MOST_CANDIDATES`] draws and a row for each representative.
    pub fn representatives(
        &self,
        count: Count,
        grid: usize,
        progress: &dyn Progress,
    ) -> Result<Answer<Representatives>> {
        let mut found = representatives(self, count, progress)?;
        if grid > 0 {
            found.add_densities(self.data(), grid, progress)?;
        }
        Ok(self.answer(found))
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
    let matrix = posterior.matrix(&candidates, progress)?;
    let all_weights = draw_weights(ensemble);
    let weights: Vec<f64> = candidates.iter().map(|&m| all_weights[m]).collect();
    let everyone: Vec<usize> = (0..candidates.len()).collect();
    let (mut families, mut tests) = match count {
        Count::Fixed(k) => {
            let medoids = k_medoids(&matrix, &weights, &everyone, k, &[], progress)?;
            (vec![Family { members: everyone, medoids }], Vec::new())
        }
        Count::Auto => {
            let chosen = ensemble.select(&candidates)?;
            let cloud = Cloud { matrix: &matrix, weights: &weights, chosen: &chosen };
            let modes::Modes { families, tests } = modes::find(&cloud, progress)?;
            let families = families.into_iter().map(|modes::Family { members, groups }| {
                let starts = groups
                    .iter()
                    .map(|group| Ok(k_medoids(&matrix, &weights, group, 1, &[], progress)?[0]))
                    .collect::<Result<Vec<usize>>>()?;
                let medoids = k_medoids(&matrix, &weights, &members, starts.len(), &starts, progress)?;
                Ok(Family { members, medoids })
            });
            (families.collect::<Result<Vec<Family>>>()?, tests)
        }
    };
    for test in &mut tests {
        test.medoids = test.medoids.map(|place| candidates[place]);
    }
    match &mut families[..] {
        [one] if one.medoids.len() == 1 => one.medoids = vec![posterior.medoid_draw(progress)?],
        families => {
            let settings = posterior.settings();
            for family in families {
                let best = best_of_each(&matrix, &weights, family, settings.loss, settings.order);
                family.medoids = best.into_iter().map(|place| candidates[place]).collect();
            }
        }
    }
    for family in &mut families {
        family.members.iter_mut().for_each(|place| *place = candidates[*place]);
    }
    gather(posterior, &families, Gathered { tests, candidates: candidates.len() }, progress)
}

/// Chains that stay apart from all others, with the medoids of the modes in which they are. All chains are one family where none stays apart.
struct Family {
    /// The candidates of these chains.
    members: Vec<usize>,
    medoids: Vec<usize>,
}

/// The draw of least expected loss among those of a family that are nearest to each of its medoids.
fn best_of_each(matrix: &Condensed, weights: &[f64], family: &Family, loss: Loss, order: Order) -> Vec<usize> {
    let medoids = &family.medoids;
    let mut cells = vec![Vec::new(); medoids.len()];
    for &i in &family.members {
        let gap = |place: usize| matrix.get(i, medoids[place]);
        let nearest = (0..medoids.len()).reduce(|best, place| if gap(place) < gap(best) { place } else { best });
        cells[nearest.unwrap_or(0)].push(i);
    }
    let of = |cell: &Vec<usize>, i: usize| -> f64 {
        cell.iter().map(|&j| weights[j] * loss.of_cost(order.power(matrix.get(i, j)), order)).sum()
    };
    let best = |(cell, &medoid): (&Vec<usize>, &usize)| {
        let losses = cell.iter().map(|&i| (of(cell, i), i));
        losses.reduce(|best, next| if next.0 < best.0 { next } else { best }).map_or(medoid, |(_, i)| i)
    };
    cells.iter().zip(medoids).map(best).collect()
}

struct Gathered {
    tests: Vec<SplitTest>,
    candidates: usize,
}

/// Assigns all draws and describes each representative.
fn gather(
    posterior: &Posterior,
    families: &[Family],
    Gathered { tests, candidates }: Gathered,
    progress: &dyn Progress,
) -> Result<Representatives> {
    let (ensemble, data) = (posterior.ensemble(), posterior.data());
    let draws: Vec<usize> = families.iter().flat_map(|family| family.medoids.iter().copied()).collect();
    let measures: Vec<MixingMeasure> = draws.iter().map(|&m| ensemble.draw(m).heaviest_first()).collect();
    let rows = posterior.rows(&measures, progress)?;
    let weights = draw_weights(ensemble);
    let chains = chains_in_order(ensemble);
    let own = own_representatives(ensemble, families);
    let nearest = |m: usize| own(m).reduce(|best, r| if rows[r][m] < rows[best][m] { r } else { best });
    let owner: Vec<usize> = (0..ensemble.len()).map(|m| nearest(m).unwrap_or(0)).collect();
    let mut order: Vec<usize> = (0..draws.len()).collect();
    let mass = |r: usize| (0..ensemble.len()).filter(|&m| owner[m] == r).map(|m| weights[m]).sum::<f64>();
    let masses: Vec<f64> = order.iter().map(|&r| mass(r)).collect();
    order.sort_by(|&a, &b| masses[b].total_cmp(&masses[a]).then(draws[a].cmp(&draws[b])));
    let log_posterior = ensemble.traces().iter().find(|trace| trace.name == Trace::LOG_POSTERIOR);
    let describe = |&r: &usize| -> Result<Representative> {
        let own: Vec<bool> = owner.iter().map(|&o| o == r).collect();
        let within: f64 = (0..ensemble.len()).filter(|&m| own[m]).map(|m| weights[m] * rows[r][m]).sum();
        let allocation = match data {
            Some(points) => Some(allocate(&Mixture::new(&measures[r])?, points, progress)?),
            None => None,
        };
        let mut stay = Vec::new();
        let mut others = false;
        for chain in &chains {
            let share = chain.iter().filter(|&&m| own[m]).count() as f64 / chain.len() as f64;
            if share >= STAYS {
                stay.push(ensemble.chains()[chain[0]]);
            } else if share > 1.0 - STAYS {
                others = true;
            }
        }
        Ok(Representative {
            draw: draws[r],
            of_own_chains: draws.len() > 1 && !others && !stay.is_empty() && stay.len() < chains.len(),
            chains: stay,
            chain: ensemble.chains()[draws[r]],
            iteration: ensemble.iterations()[draws[r]],
            measure: measures[r].clone(),
            weight: Probability::of(ensemble, &own, &rows[r]),
            expected_distance: if masses[r] > 0.0 { within / masses[r] } else { 0.0 },
            log_posterior: log_posterior.filter(|_| masses[r] > 0.0).map(|trace| {
                let sum: f64 = (0..ensemble.len()).filter(|&m| own[m]).map(|m| weights[m] * trace.values[m]).sum();
                sum / masses[r]
            }),
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
        slices: posterior.slices(progress)?.len(),
        false_alarm: FALSE_ALARM,
    })
}

/// The representatives that a draw may belong to: those of the chains that its own chain stays with.
fn own_representatives(ensemble: &Ensemble, families: &[Family]) -> impl Fn(usize) -> Range<usize> {
    let mut of_chain = BTreeMap::new();
    let mut first = 0;
    for family in families {
        let own = first..first + family.medoids.len();
        of_chain.extend(family.members.iter().map(|&m| (ensemble.chains()[m], own.clone())));
        first = own.end;
    }
    // A chain without candidates has no draw of positive weight.
    move |m| of_chain.get(&ensemble.chains()[m]).cloned().unwrap_or(0..first)
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
