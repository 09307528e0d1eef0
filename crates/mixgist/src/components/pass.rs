//! One pass over the draws: each coupled with the estimate, and what that says about atoms and groups of them.

use rayon::prelude::*;

use super::couple::{Coupler, Match, Place, PreparedDraws, Stranger, mixture_moments};
use super::intervals::Intervals;
use super::{Component, FEWEST_DRAWS, Group, MOST_AMBIGUITY, MOST_CROSSING, NOTABLE, Rules, Standing};
use crate::Result;
use crate::agreement::Agreement;
use crate::effective::{PosteriorInterval, Probability, draw_weights};
use crate::ensemble::{Ensemble, MixingMeasure, Trace};
use crate::overlap::overlap;
use crate::parting::{Bump, Cut, cuts};
use crate::progress::Progress;
use crate::warning::Warning;

/// One pass over the draws.
pub(crate) struct Pass<'a> {
    pub(crate) ensemble: &'a Ensemble,
    coupler: Coupler<'a>,
    pub(super) rules: Rules,
    /// Atoms of the coupler that are reported.
    reported: Vec<usize>,
    /// Pairs of reported atoms, by place, that are close enough to be confused.
    pairs: Vec<(usize, usize)>,
    /// For each draw a match for each reported atom.
    matches: Vec<Vec<Match>>,
    /// For each draw and pair the places of the matches on the line between the two.
    places: Vec<Vec<[Option<f64>; 2]>>,
    unmatched: Vec<f64>,
    /// For each draw and each of its atoms the atom of the estimate that it belongs to.
    owners: Vec<Vec<Option<usize>>>,
    /// For each draw what belongs to nobody.
    pub(super) strangers: Vec<Vec<Stranger>>,
    /// For each draw the root of the cost of its coupling.
    pub(crate) distances: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    /// For each reported atom the share of the draws that have something beside it, where that was notable and the rules looked there.
    beside: Vec<f64>,
}

/// Atoms of the estimate that overlap less than this cannot be confused.
const FAR: f64 = 0.01;

impl<'a> Pass<'a> {
    /// Couples, and once more around other centres if the draws have them beside atoms of the estimate.
    pub(crate) fn run(
        estimate: &MixingMeasure,
        draws: &PreparedDraws<'a>,
        rules: Rules,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let pass = Pass::around(Coupler::new(estimate, draws.units, rules)?, draws, rules, progress)?;
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
        let pass = Pass::around(pass.coupler.recentred(&centres)?, draws, rules, progress)?;
        Ok(Pass { beside, ..pass })
    }

    fn around(coupler: Coupler<'a>, draws: &PreparedDraws<'a>, rules: Rules, progress: &dyn Progress) -> Result<Self> {
        let ensemble = draws.ensemble;
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
            let draw = draws.get(m)?;
            let coupled = coupler.couple(&draw, &reported).map_err(|error| error.at_draw(m))?;
            let paired = |place: usize| pairs.iter().any(|&(a, b)| a == place || b == place);
            let at = |place: usize| paired(place).then(|| coupler.coordinates_of(&coupled, &draw, place)).flatten();
            let at: Vec<Option<Vec<f64>>> = (0..reported.len()).map(at).collect();
            let place = |&(a, b): &(usize, usize)| {
                coupler.places(reported[a], reported[b], [a, b].map(|place| at[place].as_deref()))
            };
            let places: Vec<[Option<f64>; 2]> = pairs.iter().map(place).collect();
            progress.advance(1);
            Ok((coupled, places))
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
            owners: Vec::with_capacity(all.len()),
            strangers: Vec::with_capacity(all.len()),
            distances: Vec::with_capacity(all.len()),
            weights: draw_weights(ensemble),
        };
        for (coupled, places) in all {
            pass.distances.push(coupled.distance);
            pass.matches.push(coupled.matches);
            pass.places.push(places);
            pass.unmatched.push(coupled.unmatched);
            pass.owners.push(coupled.owners);
            pass.strangers.push(coupled.strangers);
        }
        pass.mark_exchangeable();
        Ok(pass)
    }

    /// What limits the answer. Chains that have different components can be equally far from an estimate that has them all; so they are judged by the
    /// weight of the heaviest one too.
    pub(super) fn warnings(&self, ensemble: &Ensemble) -> Vec<Warning> {
        let mut traces = Agreement::functions(ensemble, Some(&self.distances));
        let places = self.matches.first().map_or(0, Vec::len);
        let of = |place: usize| self.matches.iter().map(move |draw| draw[place].weight);
        if let Some(place) = (0..places).max_by(|&a, &b| of(a).sum::<f64>().total_cmp(&of(b).sum())) {
            traces.push(Trace::new("weight of the heaviest component", of(place).collect()));
        }
        let mut warnings = Warning::of_draws(ensemble);
        warnings.extend(Warning::of_chains(ensemble, &Agreement::of_traces(ensemble, traces)));
        warnings
    }

    /// Marks the draws whose matches of a pair could be exchanged: see the module's words.
    fn mark_exchangeable(&mut self) {
        for (p, &(a, b)) in self.pairs.iter().enumerate() {
            let clouds = [0, 1].map(|side| Cloud::of(&self.places, p, side, &self.weights));
            let [Some(first), Some(second)] = clouds else { continue };
            for m in 0..self.matches.len() {
                let [x, y] = self.places[m][p];
                let of_first = x.map_or(0.0, |x| first.log_density(x) - second.log_density(x));
                let of_second = y.map_or(0.0, |y| second.log_density(y) - first.log_density(y));
                if (x.is_none() && y.is_none()) || of_first + of_second >= SURELY {
                    continue;
                }
                for (one, other) in [(a, b), (b, a)] {
                    let other = self.reported[other];
                    let found = &mut self.matches[m][one];
                    if found.exists && !found.ambiguous_with.contains(&other) {
                        found.ambiguous_with.push(other);
                        found.ambiguous = true;
                    }
                }
            }
        }
    }

    /// What is said about each reported atom.
    pub(crate) fn components(&self) -> Vec<Component> {
        let rivals = self.rivals();
        (0..self.reported.len()).map(|place| self.component(&[place], &rivals[place])).collect()
    }

    /// What is said about each set of atoms that rivalry connects.
    pub(super) fn groups(&self) -> Vec<Group> {
        let group = |places: Vec<usize>| {
            let mut atoms: Vec<usize> = places.iter().map(|&place| self.first_index(place)).collect();
            atoms.sort_unstable();
            let together = Component { atom: atoms[0], nearly_equal: Vec::new(), ..self.component(&places, &[]) };
            Group { atoms, together }
        };
        let mut groups: Vec<Group> = connected(&self.rivals()).into_iter().map(group).collect();
        groups.sort_by(|a, b| a.atoms.cmp(&b.atoms));
        groups
    }

    /// Number of atoms that are reported.
    pub(crate) fn reported(&self) -> usize {
        self.reported.len()
    }

    /// What draw m has of a reported atom.
    pub(crate) fn found(&self, m: usize, place: usize) -> &Match {
        &self.matches[m][place]
    }

    /// For each atom of draw m the atom of the estimate, the first of those nearly equal to it, that it belongs to.
    pub(crate) fn owners(&self, m: usize) -> &[Option<usize>] {
        &self.owners[m]
    }

    /// The index in the estimate of a reported atom, the first of those nearly equal to it.
    pub(crate) fn first_index(&self, place: usize) -> usize {
        self.coupler.first_index(self.reported[place])
    }

    /// For each reported atom those, by place, that it cannot be told apart from.
    pub(crate) fn rivals(&self) -> Vec<Vec<usize>> {
        let mut rivals = vec![Vec::new(); self.reported.len()];
        let mut most_shared = vec![(0.0, None); self.reported.len()];
        for (p, &(a, b)) in self.pairs.iter().enumerate() {
            let of = |m: usize| [&self.matches[m][a], &self.matches[m][b]];
            let between = |[x, y]: [&Match; 2]| {
                x.ambiguous_with.contains(&self.reported[b]) || y.ambiguous_with.contains(&self.reported[a])
            };
            let shared = self.share_of_draws(|m| between(of(m)));
            let either = self.share_of_draws(|m| between(of(m)) || of(m).iter().any(|one| one.exists || one.ambiguous));
            for (one, other) in [(a, b), (b, a)] {
                if shared > most_shared[one].0 {
                    most_shared[one] = (shared, Some(other));
                }
            }
            if shared > MOST_AMBIGUITY * either || self.crossing(p) > MOST_CROSSING {
                rivals[a].push(b);
                rivals[b].push(a);
            }
        }
        // Ambiguous in most draws, with several in turn: it goes with the one with which it is most often.
        for place in 0..rivals.len() {
            let either = self.share_of_draws(|m| self.matches[m][place].exists || self.matches[m][place].ambiguous);
            let ambiguity = self.share_of_draws(|m| self.matches[m][place].ambiguous);
            if let Some(other) =
                most_shared[place].1.filter(|_| rivals[place].is_empty() && ambiguity > MOST_AMBIGUITY * either)
            {
                rivals[place].push(other);
                rivals[other].push(place);
            }
        }
        rivals
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

    /// What of draw m belongs to any of some reported atoms, as one.
    fn joined(&self, m: usize, places: &[usize]) -> Match {
        let of = |place: &usize| &self.matches[m][*place];
        if let [place] = places {
            return of(place).clone();
        }
        let present = places.iter().map(of).filter(|found| found.weight > 0.0);
        let moments = mixture_moments(self.ensemble.dim(), present.map(|found| (found.weight, found.gaussian())));
        let own: f64 = places.iter().map(|&place| self.coupler.weight(self.reported[place])).sum();
        let outside = |atom: &usize| !places.iter().any(|&place| self.reported[place] == *atom);
        // What half of the group's weight is ambiguous with outside of it.
        let torn = places.iter().filter(|place| of(place).ambiguous_with.iter().any(outside));
        let torn: f64 = torn.map(|&place| self.coupler.weight(self.reported[place])).sum();
        Match {
            exists: moments.weight >= self.rules.share * own,
            weight: moments.weight,
            mean: moments.mean,
            covariance: moments.covariance,
            largest: places.iter().map(|place| of(place).largest).fold(0.0, f64::max),
            ambiguous: torn >= 0.5 * own,
            ambiguous_with: Vec::new(),
            beside: None,
        }
    }

    /// What is said about one reported atom, or about several as one.
    fn component(&self, places: &[usize], rivals: &[usize]) -> Component {
        let found: Vec<Match> = (0..self.ensemble.len()).map(|m| self.joined(m, places)).collect();
        let exists: Vec<bool> = found.iter().map(|one| one.exists).collect();
        let masses: Vec<f64> = found.iter().map(|one| one.weight).collect();
        let existence = Probability::of(self.ensemble, &exists, &masses);
        let ambiguity = self.share_of_draws(|m| found[m].ambiguous);
        let either = self.share_of_draws(|m| found[m].exists || found[m].ambiguous);
        let in_pieces = self.share_of_draws(|m| found[m].exists && found[m].in_pieces());
        let standing = if !rivals.is_empty() {
            Standing::Indistinct
        } else if existence.value * existence.effective_draws < FEWEST_DRAWS {
            Standing::Rare
        } else if ambiguity > NOTABLE * either {
            Standing::Ambiguous
        } else {
            Standing::Clear
        };
        let intervals = matches!(standing, Standing::Clear | Standing::Ambiguous).then(|| {
            let draws: Vec<usize> = (0..self.ensemble.len()).filter(|&m| exists[m] && self.weights[m] > 0.0).collect();
            let weights: Vec<f64> = draws.iter().map(|&m| self.weights[m]).collect();
            let matches: Vec<&Match> = draws.iter().map(|&m| &found[m]).collect();
            Intervals::new(self.ensemble.dim(), &matches, &weights, self.rules.level)
        });
        let atoms = places.iter().map(|&place| self.reported[place]);
        let own =
            mixture_moments(self.ensemble.dim(), atoms.map(|k| (self.coupler.weight(k), self.coupler.gaussian(k))));
        let first = self.reported[places[0]];
        Component {
            atom: self.coupler.first_index(first),
            nearly_equal: self.coupler.indices(first)[1..].to_vec(),
            weight: own.weight,
            mean: own.mean,
            covariance: own.covariance,
            existence,
            ambiguity,
            in_pieces,
            beside: places.iter().map(|&place| self.beside[place]).fold(0.0, f64::max),
            standing,
            rivals: rivals.iter().map(|&place| self.first_index(place)).collect(),
            intervals,
        }
    }

    /// Where neighbours on the line part; those that rivalry connects are one.
    pub(super) fn cuts(&self) -> Vec<Cut> {
        let rivals = self.rivals();
        let mut sets = connected(&rivals);
        sets.extend((0..self.reported.len()).filter(|&place| rivals[place].is_empty()).map(|place| vec![place]));
        let bump =
            |weight: f64, mean: &[f64], covariance: &[f64]| Bump { weight, mean: mean[0], variance: covariance[0] };
        let own: Vec<(usize, Bump)> = sets
            .iter()
            .map(|places| {
                let atoms = places.iter().map(|&place| self.reported[place]);
                let moments = mixture_moments(1, atoms.map(|k| (self.coupler.weight(k), self.coupler.place(k))));
                let first = places.iter().map(|&place| self.first_index(place)).min().unwrap_or(0);
                (first, bump(moments.weight, &moments.mean, &moments.covariance))
            })
            .collect();
        let found: Vec<Vec<Option<Bump>>> = sets
            .iter()
            .map(|places| {
                let of = |m: usize| Some(self.joined(m, places)).filter(|found| found.exists);
                (0..self.ensemble.len())
                    .map(|m| of(m).map(|one| bump(one.weight, &one.mean, &one.covariance)))
                    .collect()
            })
            .collect();
        cuts(&own, &|m, k| found[k][m], &self.weights, self.rules.level)
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

    /// Mass of a draw that belongs to nobody.
    pub(super) fn unmatched(&self) -> PosteriorInterval {
        PosteriorInterval::of(&self.unmatched, &self.weights, self.rules.level)
    }
}

/// A draw surely has its two matches the right way round when the other way has a probability below 1 / (1 + e^3), about 5 %.
const SURELY: f64 = 3.0;

/// Where the matches of one of a pair of atoms lie on the line between the two, as a normal distribution.
#[derive(Clone, Copy)]
struct Cloud {
    mean: f64,
    variance: f64,
}

impl Cloud {
    fn of(places: &[Vec<[Option<f64>; 2]>], pair: usize, side: usize, weights: &[f64]) -> Option<Self> {
        let found = || places.iter().zip(weights).filter_map(|(of_draw, &w)| Some((of_draw[pair][side]?, w)));
        let total: f64 = found().map(|(_, w)| w).sum();
        if total <= 0.0 {
            return None;
        }
        let mean = found().map(|(x, w)| w / total * x).sum::<f64>();
        let variance = found().map(|(x, w)| w / total * (x - mean) * (x - mean)).sum::<f64>();
        // The line from one place to the other has length 1.
        Some(Cloud { mean, variance: variance.max(1e-12) })
    }

    fn log_density(&self, x: f64) -> f64 {
        -0.5 * ((x - self.mean).powi(2) / self.variance + libm::log(self.variance))
    }
}

/// The sets that links connect, of those that have any; each ascending.
fn connected(links: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for (place, others) in links.iter().enumerate().filter(|(_, others)| !others.is_empty()) {
        let mut own = vec![place];
        own.extend(others);
        let (touching, apart): (Vec<_>, Vec<_>) =
            sets.into_iter().partition(|set: &Vec<usize>| set.iter().any(|place| own.contains(place)));
        own.extend(touching.concat());
        own.sort_unstable();
        own.dedup();
        sets = apart;
        sets.push(own);
    }
    sets
}
