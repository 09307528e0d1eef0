//! Components with intervals: what the posterior says about each atom of an estimate, without relabelling.
//!
//! The estimate Ĝ = Σ ŵ_k δ_θ̂k is coupled with every draw by exact optimal transport (the log-Euclidean product metric on means and
//! covariances), and the mass is carried along. Coordinates are divided by their scale first, unless other units are asked for:
//! the metric adds squared lengths to squared logarithms, so that only in such units the coupling does not depend on the units of
//! measurement. All rules speak of mass and of places, never of counts or labels of atoms; equal atoms of a measure are one atom, and atoms
//! of the estimate that nearly are (they overlap by 0.999) too.
//!
//! In a draw with atoms (w_j, θ_j) and plan π:
//! - **Near.** θ_j is near θ̂_k when the Gaussians overlap: Bhattacharyya's ∫ √(f g) is at least [`Rules::overlap`]. Equal shapes at 2.35
//!   standard deviations overlap by one half. This is unchanged by any linear map of the data. Mass that goes to an atom that is not near
//!   was pushed there by the balance of masses alone, and is no match.
//! - **Belongs.** Atom j belongs to the near k to which it is clearly closest (a third of the distance to any other near one);
//!   if there is none such, to the near k that sends it most mass; if none sends any, to the nearest of them; else to nobody.
//! - **Has.** The draw has component k when atoms that belong to k hold at least [`Rules::share`] of ŵ_k. Its weight, mean and covariance in
//!   the draw are those of these atoms together (moments of their mixture), so that a component in two pieces is still one.
//! - **Shared.** Atom j may be clearly at nobody's place. Its owners are the near k that send at least a third of what the heaviest sender
//!   does. It is shared for an owner if a quarter of what near ones send comes from others, and for every near k that is no owner:
//!   another carries its mass. It is also shared for an owner k and another near l when l sends as much to another such atom, near both, and an
//!   exchange would cost at most a third more: the coupling does not split, but it might as well have been the other one. The
//!   draw is ambiguous for k when half of ŵ_k goes to shared atoms.
//! - **Beside.** A draw without k may have something beside it: half of ŵ_k goes to atoms that belong to nobody and overlap with θ̂_k by the
//!   fourth power of what is near (half-way between, an atom of the same shape would be near both).
//!
//! Over the draws: the probability of existence is the weight of the draws that have k; intervals have equal tails and are those of
//! the draws that have k. Component k **cannot be told apart** from l when, of the draws that have either of them or are ambiguous for one, more
//! than half are ambiguous between the two, or when the clouds of their matches overlap: on the line from θ̂_k to θ̂_l a match of k lies
//! beyond a match of l (of an independent draw) with probability above 5 %. Then there is no interval for either, but one for both
//! together, and the probability of existence is that of both together.
//!
//! An estimate's atom can lie beside the component that it stands for, as free estimates have it when a component is often absent. If more than
//! 5 % of the draws that have k, or something beside it, have that beside it, the rules look around the centre of both (means of their means and of
//! their covariances) in place of θ̂_k, and [`Component::beside`] says so.

mod couple;
mod intervals;

pub use intervals::{Ellipse, Intervals, PosteriorInterval};

use rayon::prelude::*;

use crate::credible::check_level;
use crate::effective::{Probability, draw_weights};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::progress::Progress;
use crate::units::{ResolvedUnits, Units};
use crate::warning::Warning;
use crate::{Error, Result};
use couple::{Coupler, Gaussian, Match, Place, mixture_moments, overlap};

/// When a draw has a component; see the module's words.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Rules {
    /// Level of the intervals.
    pub level: f64,
    /// Atoms that overlap by this much are near.
    pub overlap: f64,
    /// The draw has a component when it holds this share of its weight.
    pub share: f64,
    /// Atoms of the estimate that are lighter are coupled, but not reported.
    pub least_weight: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { level: 0.95, overlap: 0.5, share: 0.1, least_weight: 0.01 }
    }
}

impl Rules {
    fn check(&self) -> Result<()> {
        check_level(self.level)?;
        for (name, value) in [("overlap", self.overlap), ("share", self.share)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(Error::usage(format!("{name} is {value}, must be above 0 and below 1")));
            }
        }
        if !(0.0..1.0).contains(&self.least_weight) {
            return Err(Error::usage(format!("least weight is {}, must be from 0 to below 1", self.least_weight)));
        }
        Ok(())
    }
}

/// Whether a component has a clear identity over the draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Intervals can be taken at face value.
    Clear,
    /// More than 5 % of the draws that have it are ambiguous: existence and intervals depend on how shared atoms were given to one side.
    Ambiguous,
    /// It cannot be told apart from others, so there are no intervals.
    Indistinct,
    /// So few draws have it that there are no intervals.
    Rare,
}

impl Standing {
    /// The name in documents and tables.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Clear => "clear",
            Standing::Ambiguous => "ambiguous",
            Standing::Indistinct => "indistinct",
            Standing::Rare => "rare",
        }
    }
}

/// The posterior of one atom of the estimate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Component {
    /// Its index in the estimate (the first, when several atoms of the estimate are equal or nearly so).
    pub atom: usize,
    /// The other atoms of the estimate that are equal to it or nearly so, and make one component with it.
    pub twins: Vec<usize>,
    /// Its weight in the estimate, that of equal atoms together.
    pub weight: f64,
    /// Its mean in the estimate.
    pub mean: Vec<f64>,
    /// Its covariance in the estimate, d × d.
    #[serde(with = "crate::document::square")]
    #[schemars(with = "Vec<Vec<f64>>")]
    pub covariance: Vec<f64>,
    /// Probability that a draw has such a component; of a component that cannot be told apart, that a draw has the group.
    pub existence: Probability,
    /// Probability that a draw is ambiguous for it.
    pub ambiguity: f64,
    /// Probability that a draw holds it in pieces: that no atom has two thirds of its weight there.
    pub in_pieces: f64,
    /// Probability that a draw has, beside the estimate's atom, what the atom stands for: 0 unless it is notable, and then existence and
    /// intervals are those around the centre of the draws' own cloud.
    pub beside: f64,
    /// What can be said.
    pub standing: Standing,
    /// Atoms of the estimate that it cannot be told apart from.
    pub rivals: Vec<usize>,
    /// Intervals, where they make sense.
    pub intervals: Option<Intervals>,
}

/// Atoms of the estimate that cannot be told apart, as one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Group {
    /// The atoms.
    pub atoms: Vec<usize>,
    /// The component that they make together; its atom is the first of them.
    pub together: Component,
}

/// All components of an estimate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Components {
    /// The rules.
    #[serde(flatten)]
    pub rules: Rules,
    /// Units in which atoms were coupled.
    pub units: Units,
    /// Components of at least the least weight, heaviest first.
    pub components: Vec<Component>,
    /// Those that can only be told together.
    pub groups: Vec<Group>,
    /// Mass of a draw that belongs to no component of the estimate, reported or not.
    pub unmatched: PosteriorInterval,
    /// Weight of the estimate's atoms that are too light to be reported.
    pub unreported_weight: f64,
    /// What the reader should know; the distances of chains are those of the couplings.
    pub warnings: Vec<Warning>,
}

/// Ambiguous draws, and draws with something beside an atom, are pointed out when they are more than this part of those that matter.
const NOTABLE: f64 = 0.05;

/// When more than this part of the draws that matter are ambiguous there are no intervals.
const MOST_AMBIGUITY: f64 = 0.5;

/// Clouds of matches that cross with more than this probability cannot be told apart.
const MOST_CROSSING: f64 = 0.05;

/// Fewer effective draws than this give no interval.
const FEWEST_DRAWS: f64 = 20.0;

/// The atoms of an estimate that at most [`NOTABLE`] of the draws have: whose place holds less than [`Rules::share`] of their weight in all the others.
///
/// A free-support estimate may need such atoms: where the weights of components that lie far apart are uncertain, the measure of least expected loss puts mass
/// on the way between them.
pub(crate) fn atoms_without_draws(estimate: &MixingMeasure, ensemble: &Ensemble) -> Vec<usize> {
    let rules = Rules::default();
    let weights = draw_weights(ensemble);
    let heaviest_first = |m: usize| {
        let mut atoms: Vec<usize> = ensemble.range(m).collect();
        atoms.sort_by(|&a, &b| ensemble.weights()[b].total_cmp(&ensemble.weights()[a]));
        atoms
    };
    let draws: Vec<(f64, Vec<usize>)> =
        (0..ensemble.len()).filter(|&m| weights[m] > 0.0).map(|m| (weights[m], heaviest_first(m))).collect();
    let is_rare = |k: usize| {
        let own = Gaussian { mean: estimate.atoms().mean(k), covariance: estimate.atoms().covariance(k) };
        let needed = rules.share * estimate.weights()[k];
        let has = |atoms: &[usize]| {
            let (mut near, mut left) = (0.0, 1.0);
            for &j in atoms {
                if near >= needed || near + left < needed {
                    break;
                }
                let weight = ensemble.weights()[j];
                left -= weight;
                let other = Gaussian { mean: ensemble.atoms().mean(j), covariance: ensemble.atoms().covariance(j) };
                if overlap(own, other) >= rules.overlap {
                    near += weight;
                }
            }
            near >= needed
        };
        let having: f64 = draws.iter().filter(|(_, atoms)| has(atoms)).map(|(weight, _)| weight).sum();
        having <= NOTABLE
    };
    (0..estimate.len()).into_par_iter().filter(|&k| is_rare(k)).collect()
}

/// Couples `estimate` with every draw and reports what the posterior says about each of its atoms.
///
/// Cost: one exact transport a draw, in parallel; 10,000 draws of 100 atoms take about a second on two cores (`cargo xtask bench growth`).
pub fn components(
    estimate: &MixingMeasure,
    ensemble: &Ensemble,
    units: &Units,
    rules: Rules,
    progress: &dyn Progress,
) -> Result<Components> {
    rules.check()?;
    if estimate.dim() != ensemble.dim() {
        return Err(Error::input(format!(
            "the estimate has dimension {}, the draws have {}",
            estimate.dim(),
            ensemble.dim()
        )));
    }
    let units = if *units == Units::None { Units::Sd } else { units.clone() };
    let resolved = ResolvedUnits::new(&units, ensemble, None)?;
    let pass = Pass::run(estimate, ensemble, &resolved, rules, progress)?;
    let mut components = pass.components();
    let groups = pass.groups(&components);
    let mut together = Vec::new();
    if !groups.is_empty() {
        let merged = Pass::run(&pass.merged(&groups)?, ensemble, &resolved, rules, progress)?;
        // The groups are the first atoms of the merged estimate.
        for (g, atoms) in groups.into_iter().enumerate() {
            let found = merged.reported.iter().position(|&k| merged.coupler.first_index(k) == g);
            if let Some(place) = found {
                let mut component = merged.component(place, &[]);
                component.atom = atoms[0];
                component.twins.clear();
                together.push(Group { atoms, together: component });
            }
        }
    }
    let heaviest = |a: &Component, b: &Component| b.weight.total_cmp(&a.weight).then(a.atom.cmp(&b.atom));
    for group in &together {
        let members = components.iter_mut().filter(|component| group.atoms.contains(&component.atom));
        members.for_each(|component| component.existence = group.together.existence);
    }
    components.sort_by(heaviest);
    let unreported_weight = 1.0 - components.iter().map(|component| component.weight).sum::<f64>();
    Ok(Components {
        rules,
        units,
        components,
        groups: together,
        unmatched: pass.unmatched(),
        unreported_weight: unreported_weight.max(0.0),
        warnings: Warning::of_distances(ensemble, &pass.distances),
    })
}

/// One pass over the draws.
struct Pass<'a> {
    ensemble: &'a Ensemble,
    coupler: Coupler<'a>,
    rules: Rules,
    /// Atoms of the coupler that are reported.
    reported: Vec<usize>,
    /// Pairs of reported atoms, by place, that are close enough to be confused.
    pairs: Vec<(usize, usize)>,
    /// For each draw a match for each reported atom.
    matches: Vec<Vec<Match>>,
    /// For each draw and pair the places of the matches on the line between the two.
    places: Vec<Vec<[Option<f64>; 2]>>,
    unmatched: Vec<f64>,
    /// For each draw the root of the cost of its coupling.
    distances: Vec<f64>,
    weights: Vec<f64>,
    /// For each reported atom the share of the draws that have something beside it, where that was notable and the rules looked there.
    beside: Vec<f64>,
}

/// Atoms of the estimate that overlap less than this cannot be confused.
const FAR: f64 = 0.01;

impl<'a> Pass<'a> {
    /// Couples, and once more around other centres if the draws have them beside atoms of the estimate.
    fn run(
        estimate: &MixingMeasure,
        ensemble: &'a Ensemble,
        units: &'a ResolvedUnits,
        rules: Rules,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let pass = Pass::around(Coupler::new(estimate, units, rules)?, ensemble, rules, progress)?;
        let mut centres = vec![None; pass.coupler.len()];
        let mut beside = vec![0.0; pass.reported.len()];
        for (place, &k) in pass.reported.iter().enumerate() {
            if let Some((share, centre)) = pass.centre_beside(place) {
                beside[place] = share;
                centres[k] = Some(centre);
            }
        }
        if centres.iter().all(Option::is_none) {
            return Ok(pass);
        }
        let pass = Pass::around(pass.coupler.recentred(&centres)?, ensemble, rules, progress)?;
        Ok(Pass { beside, ..pass })
    }

    fn around(coupler: Coupler<'a>, ensemble: &'a Ensemble, rules: Rules, progress: &dyn Progress) -> Result<Self> {
        let reported: Vec<usize> = (0..coupler.len()).filter(|&k| coupler.weight(k) >= rules.least_weight).collect();
        let mut pairs = Vec::new();
        for a in 0..reported.len() {
            for b in a + 1..reported.len() {
                let [x, y] = [reported[a], reported[b]].map(|k| coupler.place(k));
                if overlap(x, y) >= FAR {
                    pairs.push((a, b));
                }
            }
        }
        progress.begin("couplings", ensemble.len() as u64);
        let one = |m: usize| -> Result<_> {
            progress.check()?;
            let coupled = coupler.couple(ensemble, m, &reported).map_err(|error| error.at_draw(m))?;
            let place = |&(a, b): &(usize, usize)| coupler.places(reported[a], reported[b], &coupled.matches, a, b);
            let places: Vec<[Option<f64>; 2]> = pairs.iter().map(place).collect();
            progress.advance(1);
            Ok((coupled.matches, places, coupled.unmatched, coupled.distance))
        };
        let all: Vec<_> = (0..ensemble.len()).into_par_iter().map(one).collect::<Result<_>>()?;
        let mut pass = Pass {
            ensemble,
            coupler,
            rules,
            beside: vec![0.0; reported.len()],
            reported,
            pairs,
            matches: Vec::with_capacity(all.len()),
            places: Vec::with_capacity(all.len()),
            unmatched: Vec::with_capacity(all.len()),
            distances: Vec::with_capacity(all.len()),
            weights: draw_weights(ensemble),
        };
        for (matches, places, unmatched, distance) in all {
            pass.distances.push(distance);
            pass.matches.push(matches);
            pass.places.push(places);
            pass.unmatched.push(unmatched);
        }
        Ok(pass)
    }

    fn components(&self) -> Vec<Component> {
        let mut rivals = vec![Vec::new(); self.reported.len()];
        for (p, &(a, b)) in self.pairs.iter().enumerate() {
            let of = |m: usize| [&self.matches[m][a], &self.matches[m][b]];
            let between = |[x, y]: [&Match; 2]| {
                x.ambiguous_with.contains(&self.reported[b]) || y.ambiguous_with.contains(&self.reported[a])
            };
            let shared = self.share_of_draws(|m| between(of(m)));
            let either = self.share_of_draws(|m| between(of(m)) || of(m).iter().any(|one| one.exists || one.ambiguous));
            if shared > MOST_AMBIGUITY * either || self.crossing(p) > MOST_CROSSING {
                rivals[a].push(self.coupler.first_index(self.reported[b]));
                rivals[b].push(self.coupler.first_index(self.reported[a]));
            }
        }
        (0..self.reported.len()).map(|place| self.component(place, &rivals[place])).collect()
    }

    /// The share of the draws that have something beside an atom, and the centre of that and of the draws that have it, if the former is notable.
    fn centre_beside(&self, place: usize) -> Option<(f64, Place)> {
        let of = |m: usize| &self.matches[m][place];
        let beside = self.share_of_draws(|m| of(m).beside.is_some());
        let either = beside + self.share_of_draws(|m| of(m).exists);
        if beside <= NOTABLE * either {
            return None;
        }
        let d = self.ensemble.dim();
        let (mut mean, mut covariance) = (vec![0.0; d], vec![0.0; d * d]);
        for (found, weight) in (0..self.ensemble.len()).map(|m| (of(m), self.weights[m] / either)) {
            let there = match &found.beside {
                Some(there) => (&there.mean, &there.covariance),
                None if found.exists => (&found.mean, &found.covariance),
                None => continue,
            };
            mean.iter_mut().zip(there.0).for_each(|(sum, x)| *sum += weight * x);
            covariance.iter_mut().zip(there.1).for_each(|(sum, x)| *sum += weight * x);
        }
        Some((beside, Place { mean, covariance }))
    }

    fn component(&self, place: usize, rivals: &[usize]) -> Component {
        let k = self.reported[place];
        let of = |m: usize| &self.matches[m][place];
        let exists: Vec<bool> = (0..self.ensemble.len()).map(|m| of(m).exists).collect();
        let masses: Vec<f64> = (0..self.ensemble.len()).map(|m| of(m).weight).collect();
        let existence = Probability::of(self.ensemble, &exists, &masses);
        let ambiguity = self.share_of_draws(|m| of(m).ambiguous);
        let either = self.share_of_draws(|m| of(m).exists || of(m).ambiguous);
        let in_pieces = self.share_of_draws(|m| of(m).exists && of(m).in_pieces);
        let few = |share: f64| share * existence.effective_draws < FEWEST_DRAWS;
        let standing = if !rivals.is_empty() || ambiguity > MOST_AMBIGUITY * either && !few(either) {
            Standing::Indistinct
        } else if few(existence.value) {
            Standing::Rare
        } else if ambiguity > NOTABLE * either {
            Standing::Ambiguous
        } else {
            Standing::Clear
        };
        let intervals = matches!(standing, Standing::Clear | Standing::Ambiguous).then(|| {
            let draws: Vec<usize> = (0..self.ensemble.len()).filter(|&m| exists[m] && self.weights[m] > 0.0).collect();
            let weights: Vec<f64> = draws.iter().map(|&m| self.weights[m]).collect();
            let matches: Vec<&Match> = draws.iter().map(|&m| of(m)).collect();
            Intervals::new(self.ensemble.dim(), &matches, &weights, self.rules.level)
        });
        let gaussian = self.coupler.gaussian(k);
        Component {
            atom: self.coupler.first_index(k),
            twins: self.coupler.indices(k)[1..].to_vec(),
            weight: self.coupler.weight(k),
            mean: gaussian.mean.to_vec(),
            covariance: gaussian.covariance.to_vec(),
            existence,
            ambiguity,
            in_pieces,
            beside: self.beside[place],
            standing,
            rivals: rivals.to_vec(),
            intervals,
        }
    }

    fn share_of_draws(&self, holds: impl Fn(usize) -> bool) -> f64 {
        // The sum of nothing would be −0.
        (0..self.ensemble.len()).filter(|&m| holds(m)).fold(0.0, |sum, m| sum + self.weights[m]).min(1.0)
    }

    /// Probability that a match of the first of a pair lies beyond a match of the second, in an independent draw.
    fn crossing(&self, pair: usize) -> f64 {
        let side = |side: usize| -> Vec<(f64, f64)> {
            let place = |m: usize| self.places[m][pair][side].map(|x| (x, self.weights[m]));
            let mut all: Vec<(f64, f64)> = (0..self.ensemble.len()).filter_map(place).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            all
        };
        let (first, second) = (side(0), side(1));
        let total = |all: &[(f64, f64)]| all.iter().map(|x| x.1).sum::<f64>();
        let pairs = total(&first) * total(&second);
        if pairs <= 0.0 {
            return 0.0;
        }
        let (mut below, mut next, mut crossed) = (0.0, 0, 0.0);
        for (x, weight) in first {
            while next < second.len() && second[next].0 <= x {
                below += second[next].1;
                next += 1;
            }
            crossed += weight * below;
        }
        crossed / pairs
    }

    /// The sets of atoms that rivalry connects, each by first index, ascending.
    fn groups(&self, components: &[Component]) -> Vec<Vec<usize>> {
        let mut left: Vec<&Component> = components.iter().filter(|component| !component.rivals.is_empty()).collect();
        left.sort_by_key(|component| component.atom);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for component in left {
            let mut own = vec![component.atom];
            own.extend(&component.rivals);
            let (touching, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group: &Vec<usize>| group.iter().any(|atom| own.contains(atom)));
            own.extend(touching.concat());
            own.sort_unstable();
            own.dedup();
            groups = apart;
            groups.push(own);
        }
        groups.sort();
        groups
    }

    /// The estimate with each group as one atom, groups first.
    fn merged(&self, groups: &[Vec<usize>]) -> Result<MixingMeasure> {
        let d = self.ensemble.dim();
        let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
        let alone: Vec<Vec<usize>> = (0..self.coupler.len())
            .map(|k| self.coupler.first_index(k))
            .filter(|atom| !groups.concat().contains(atom))
            .map(|atom| vec![atom])
            .collect();
        for atoms in groups.iter().chain(&alone) {
            let parts: Vec<usize> =
                (0..self.coupler.len()).filter(|&k| atoms.contains(&self.coupler.first_index(k))).collect();
            let moments = mixture_moments(d, parts.iter().map(|&k| (self.coupler.weight(k), self.coupler.gaussian(k))));
            weights.push(moments.weight);
            means.extend(moments.mean);
            covariances.extend(moments.covariance);
        }
        MixingMeasure::new(weights, crate::GaussianAtoms::new(d, means, covariances, Default::default())?)
    }

    fn unmatched(&self) -> PosteriorInterval {
        PosteriorInterval::of(&self.unmatched, &self.weights, self.rules.level)
    }
}

#[cfg(test)]
mod tests;
