//! An estimate whose components exist, and the draws aligned with it.
//!
//! Each atom is the posterior mean of a component that at least half of the draws have. The estimate is coupled with every draw by exact optimal
//! transport, what belongs to each atom is averaged over the draws that have it, and the average is coupled again, until nothing changes. What
//! belongs to whom, and when a draw has a component, are the rules of [`crate::components`]. No label is ever sorted or permuted.
//!
//! **How many components.** The search starts from a measure (the medoid) without its light atoms. Components of at least the least weight that half of the draws have
//! and the estimate lacks are added first. Then, one at a time, the component is dropped that the fewest draws have, as long as fewer than half have
//! it; and of components that cannot be told apart, the one that fewer draws have (of equals, the lighter one). What belonged to it goes to those
//! that are near it. Nothing is added once something was dropped, so that the search ends.
//!
//! **Weights** are posterior means: the mean over all draws of the mass that belongs to the component, 0 where a draw lacks it, divided by their sum. What
//! belongs to none is in [`AlignedDraws::unmatched`].

mod carry;

pub use carry::{Carried, CarriedComponent, Gone, carry, check_names};

use crate::components::{Component, Match, Pass, PreparedDraws, Rules, coupling_units, missing};
use crate::effective::{Probability, draw_weights};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, has_dim, has_length};
use crate::overlap::{NEARLY_EQUAL, overlap_of};
use crate::progress::Progress;
use crate::text;
use crate::text::named;
use crate::units::{ResolvedUnits, Units};
use crate::warning::Warning;
use crate::{Error, GaussianAtoms, Result};

/// A component stays when at least this part of the draws have it.
pub(crate) const LEAST_EXISTENCE: f64 = 0.5;

/// The search sees at most so many draws; then all of them settle the answer.
const DRAWS_OF_THE_SEARCH: usize = 400;

/// Rounds of adding what is missing, and of coupling and averaging.
const MOST_ADDITIONS: usize = 5;
const MOST_ROUNDS: usize = 100;

/// The weight of an atom that no draw has, until it is dropped.
const TRACE: f64 = 1e-4;

/// Centres that overlap by all but this much, with weights that differ by no more, are the same.
const SAME: f64 = 1e-6;

/// The estimate with what it rests on.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Alignment {
    /// The components, heaviest first, as a measure: weights are posterior means when the components were found from these draws.
    #[serde(rename = "components")]
    pub estimate: MixingMeasure,
    /// Their names: numbers from 0, unless names were given or carried over from another fit.
    pub names: Vec<String>,
    /// How the names were carried over from another fit, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Carried>,
    /// For each component the probability that a draw has it.
    pub existence: Vec<Probability>,
    /// The components of every draw.
    #[serde(rename = "aligned_draws")]
    pub draws: AlignedDraws,
    /// What the reader should know; the distances of chains are those of the couplings.
    pub warnings: Vec<Warning>,
}

/// The components of an estimate in every draw: arrays that tools for traces, R-hat and forest plots can read.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct AlignedDraws {
    /// Number of draws M.
    pub draws: usize,
    /// Number of components J.
    pub components: usize,
    /// Dimension d.
    pub dim: usize,
    /// The chain of each draw.
    pub chain: Vec<u32>,
    /// The iteration of each draw within its chain.
    pub iteration: Vec<u64>,
    /// Weight of each draw; null when all weights are equal.
    pub draw_weights: Option<Vec<f64>>,
    /// Weight of each component, M × J; NaN where the draw lacks it.
    #[serde(with = "crate::document::missing_is_null")]
    #[schemars(with = "Vec<Option<f64>>")]
    pub weights: Vec<f64>,
    /// Mean of each component, M × J × d; NaN where the draw lacks it.
    #[serde(with = "crate::document::missing_is_null")]
    #[schemars(with = "Vec<Option<f64>>")]
    pub means: Vec<f64>,
    /// Covariance of each component, M × J × d × d; NaN where the draw lacks it.
    #[serde(with = "crate::document::missing_is_null")]
    #[schemars(with = "Vec<Option<f64>>")]
    pub covariances: Vec<f64>,
    /// The mass of each draw that belongs to no component, M.
    pub unmatched: Vec<f64>,
}

impl Fits for Alignment {
    fn fits(&self, draws: usize, dim: usize) -> Result<()> {
        has_dim("the estimate", &self.estimate, dim)?;
        has_length("existence", self.existence.len(), self.estimate.len())?;
        has_length("draws", self.draws.draws, draws)?;
        has_length("components", self.draws.components, self.estimate.len())?;
        has_length("dim", self.draws.dim, dim)?;
        let atoms = draws * self.estimate.len();
        has_length("weights", self.draws.weights.len(), atoms)?;
        has_length("means", self.draws.means.len(), atoms * dim)?;
        has_length("covariances", self.draws.covariances.len(), atoms * dim * dim)?;
        has_length("unmatched", self.draws.unmatched.len(), draws)?;
        has_length("names", self.names.len(), self.estimate.len())?;
        has_length("chain", self.draws.chain.len(), draws)?;
        has_length("iteration", self.draws.iteration.len(), draws)?;
        self.draws.draw_weights.as_ref().map_or(Ok(()), |weights| has_length("draw_weights", weights.len(), draws))
    }
}

/// Finds the components that the draws have in common, starting from some measure, and aligns the draws with them.
///
/// Cost: some twenty rounds of one exact transport for each of at most 400 draws, and a few rounds over all draws.
pub fn align(
    start: &MixingMeasure,
    ensemble: &Ensemble,
    units: &Units,
    rules: Rules,
    progress: &dyn Progress,
) -> Result<Alignment> {
    let aligner = Aligner::new(start, ensemble, units, rules)?;
    let heavy: Vec<usize> = (0..start.len()).filter(|&k| start.weights()[k] >= rules.least_weight).collect();
    let mut current = if heavy.is_empty() { start.clone() } else { restricted(start, &heavy)? };
    let draws = ensemble.len();
    if draws > DRAWS_OF_THE_SEARCH {
        let some: Vec<usize> = (0..DRAWS_OF_THE_SEARCH).map(|i| i * draws / DRAWS_OF_THE_SEARCH).collect();
        let fewer = ensemble.select(&some)?;
        let fewer = PreparedDraws::new(&fewer, &aligner.units, progress)?;
        current = aligner.with_missing(current, &fewer, progress)?;
        current = aligner.settled(current, &fewer, progress)?;
    }
    let prepared = PreparedDraws::new(ensemble, &aligner.units, progress)?;
    if draws <= DRAWS_OF_THE_SEARCH {
        current = aligner.with_missing(current, &prepared, progress)?;
    }
    let settled = aligner.settled(current, &prepared, progress)?;
    let estimate = settled.heaviest_first();
    let pass = aligner.pass(&estimate, &prepared, progress)?;
    Ok(Alignment::of(estimate, &pass))
}

/// The draws aligned with the atoms of any estimate that are heavy enough to be reported, heaviest first; atoms that are equal or nearly so are one component.
///
/// Cost: one exact transport per draw.
pub fn align_with(
    estimate: &MixingMeasure,
    ensemble: &Ensemble,
    units: &Units,
    rules: Rules,
    progress: &dyn Progress,
) -> Result<Alignment> {
    let aligner = Aligner::new(estimate, ensemble, units, rules)?;
    let prepared = PreparedDraws::new(ensemble, &aligner.units, progress)?;
    let pass = Pass::run(estimate, &prepared, rules, progress)?;
    let components = pass.components();
    let mut places: Vec<usize> = (0..pass.reported()).collect();
    places.sort_by(|&a, &b| components[b].weight.total_cmp(&components[a].weight).then(a.cmp(&b)));
    if places.is_empty() {
        return Err(Error::input(format!("no atom of the estimate has the least weight {}", rules.least_weight))
            .hint(text!["give a smaller ", named("least_weight")]));
    }
    let of = |value: &dyn Fn(&Component) -> &[f64]| -> Vec<f64> {
        places.iter().flat_map(|&place| value(&components[place]).to_vec()).collect()
    };
    let atoms =
        GaussianAtoms::new(estimate.dim(), of(&|one| &one.mean), of(&|one| &one.covariance), Default::default())?;
    let heavy = MixingMeasure::new(places.iter().map(|&place| components[place].weight).collect(), atoms)?;
    Ok(Alignment::of(heavy, &ByAtom { pass, places }))
}

/// A pass over the draws, read by the atoms of the estimate.
struct ByAtom<'a> {
    pass: Pass<'a>,
    /// For each atom its place among what the pass reports.
    places: Vec<usize>,
}

impl ByAtom<'_> {
    fn found(&self, m: usize, k: usize) -> &Match {
        self.pass.found(m, self.places[k])
    }

    fn existence(&self, k: usize) -> Probability {
        let draws = 0..self.pass.ensemble.len();
        let exists: Vec<bool> = draws.clone().map(|m| self.found(m, k).exists).collect();
        let masses: Vec<f64> = draws.map(|m| self.found(m, k).weight).collect();
        Probability::of(self.pass.ensemble, &exists, &masses)
    }

    /// What the draws have of component k, with the weights of those draws.
    fn having(&self, k: usize) -> impl Iterator<Item = (&Match, f64)> {
        let all = (0..self.pass.ensemble.len()).map(move |m| (self.found(m, k), self.pass.weights[m]));
        all.filter(|(found, weight)| found.exists && *weight > 0.0)
    }

    /// Whether each atom can be told apart from all others.
    fn is_distinct(&self) -> Vec<bool> {
        let rivals = self.pass.rivals();
        self.places.iter().map(|&place| rivals[place].is_empty()).collect()
    }
}

struct Aligner {
    units: ResolvedUnits,
    rules: Rules,
}

impl Aligner {
    fn new(estimate: &MixingMeasure, ensemble: &Ensemble, units: &Units, rules: Rules) -> Result<Self> {
        rules.check()?;
        if estimate.dim() != ensemble.dim() {
            let (own, dim) = (estimate.dim(), ensemble.dim());
            return Err(Error::input(format!("the estimate has dimension {own}, the draws have {dim}")));
        }
        Ok(Aligner { units: coupling_units(units, ensemble)?, rules })
    }

    /// Couples all draws with an estimate all of whose atoms are components of their own.
    fn pass<'a>(
        &self,
        estimate: &MixingMeasure,
        draws: &PreparedDraws<'a>,
        progress: &dyn Progress,
    ) -> Result<ByAtom<'a>> {
        // Atoms that are too light were left out before, or are about to be dropped.
        let rules = Rules { least_weight: 0.5 * TRACE, ..self.rules };
        let pass = Pass::run(estimate, draws, rules, progress)?;
        let place = |atom: usize| (0..pass.reported()).find(|&place| pass.first_index(place) == atom);
        let places: Option<Vec<usize>> = (0..estimate.len()).map(place).collect();
        match places {
            Some(places) => Ok(ByAtom { pass, places }),
            None => {
                Err(Error::input("atoms of the estimate are too light, or equal or nearly so").hint("merge them first"))
            }
        }
    }

    /// With the components that half of the draws have and it lacks.
    fn with_missing(
        &self,
        mut current: MixingMeasure,
        draws: &PreparedDraws,
        progress: &dyn Progress,
    ) -> Result<MixingMeasure> {
        for _ in 0..MOST_ADDITIONS {
            let pass = Pass::run(&current, draws, self.rules, progress)?;
            let lacking: Vec<_> =
                missing(&pass).into_iter().filter(|one| one.existence.value >= LEAST_EXISTENCE).collect();
            if lacking.is_empty() {
                break;
            }
            let added: f64 = lacking.iter().map(|one| one.weight).sum::<f64>().min(0.9);
            let mut weights: Vec<f64> = current.weights().iter().map(|w| w * (1.0 - added)).collect();
            let (mut means, mut covariances) =
                (current.atoms().means().to_vec(), current.atoms().covariances().to_vec());
            for one in lacking {
                weights.push(one.weight);
                means.extend(one.mean);
                covariances.extend(one.covariance);
            }
            current = MixingMeasure::new(
                weights,
                GaussianAtoms::new(draws.ensemble.dim(), means, covariances, Default::default())?,
            )?;
        }
        Ok(current)
    }

    /// Couples and averages until nothing changes, and drops what half of the draws lack or what cannot be told apart.
    fn settled(
        &self,
        mut current: MixingMeasure,
        draws: &PreparedDraws,
        progress: &dyn Progress,
    ) -> Result<MixingMeasure> {
        for _ in 0..MOST_ROUNDS {
            current = without_near_copies(&current)?;
            let pass = self.pass(&current, draws, progress)?;
            let dropped = self.to_drop(&pass, &current);
            let next = averages(&pass, &current)?;
            if let Some(dropped) = dropped.filter(|_| next.len() > 1) {
                let kept: Vec<usize> = (0..next.len()).filter(|&k| k != dropped).collect();
                current = restricted(&next, &kept)?;
                continue;
            }
            let same = (0..next.len()).all(|k| {
                (next.weights()[k] - current.weights()[k]).abs() <= SAME
                    && overlap_of(next.atoms(), k, current.atoms(), k) >= 1.0 - SAME
            });
            current = next;
            if same {
                break;
            }
        }
        Ok(current)
    }

    /// The component that goes next, if any.
    fn to_drop(&self, pass: &ByAtom, current: &MixingMeasure) -> Option<usize> {
        let existence: Vec<f64> = (0..current.len()).map(|k| pass.having(k).map(|(_, w)| w).sum()).collect();
        let mean_weight = |k: usize| pass.having(k).map(|(found, w)| w * found.weight).sum::<f64>();
        let weaker = |a: usize, b: usize| {
            let key = |k: usize| (existence[k], current.weights()[k]);
            if key(b) < key(a) { b } else { a }
        };
        // Shares are sums of weights, which round.
        let light = |k: usize| existence[k] < LEAST_EXISTENCE - 1e-12 || mean_weight(k) < self.rules.least_weight;
        let rare = (0..current.len()).filter(|&k| light(k)).reduce(weaker);
        rare.or_else(|| {
            let distinct = pass.is_distinct();
            (0..current.len()).filter(|&k| !distinct[k]).reduce(weaker)
        })
    }
}

/// Posterior means of what belongs to each atom; atoms that no draw has stay as they are, with next to no weight.
fn averages(pass: &ByAtom, current: &MixingMeasure) -> Result<MixingMeasure> {
    let d = current.dim();
    let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..current.len() {
        let (mut total, mut weight) = (0.0, 0.0);
        let (mut mean, mut covariance) = (vec![0.0; d], vec![0.0; d * d]);
        for (found, draw_weight) in pass.having(k) {
            total += draw_weight;
            weight += draw_weight * found.weight;
            mean.iter_mut().zip(&found.mean).for_each(|(sum, x)| *sum += draw_weight * x);
            covariance.iter_mut().zip(&found.covariance).for_each(|(sum, x)| *sum += draw_weight * x);
        }
        if total > 0.0 {
            means.extend(mean.iter().map(|x| x / total));
            covariances.extend(covariance.iter().map(|x| x / total));
        } else {
            means.extend_from_slice(current.atoms().mean(k));
            covariances.extend_from_slice(current.atoms().covariance(k));
        }
        weights.push(weight.max(TRACE));
    }
    MixingMeasure::new(weights, GaussianAtoms::new(d, means, covariances, Default::default())?)
}

/// Of atoms that are nearly equal the first, with the weight of all.
fn without_near_copies(measure: &MixingMeasure) -> Result<MixingMeasure> {
    let mut kept: Vec<usize> = Vec::new();
    let mut weights: Vec<f64> = Vec::new();
    for k in 0..measure.len() {
        let equal = kept.iter().position(|&l| overlap_of(measure.atoms(), k, measure.atoms(), l) >= NEARLY_EQUAL);
        match equal {
            Some(place) => weights[place] += measure.weights()[k],
            None => {
                kept.push(k);
                weights.push(measure.weights()[k]);
            }
        }
    }
    MixingMeasure::new(weights, measure.atoms().select(kept))
}

/// Some atoms in some order, their weights scaled to sum 1.
fn restricted(measure: &MixingMeasure, atoms: &[usize]) -> Result<MixingMeasure> {
    let weights = atoms.iter().map(|&k| measure.weights()[k]).collect();
    MixingMeasure::new(weights, measure.atoms().select(atoms.iter().copied()))
}

impl Alignment {
    fn of(estimate: MixingMeasure, pass: &ByAtom) -> Self {
        Alignment {
            names: (0..estimate.len()).map(|k| k.to_string()).collect(),
            carried: None,
            existence: (0..estimate.len()).map(|k| pass.existence(k)).collect(),
            draws: AlignedDraws::of(pass),
            warnings: Warning::of_distances(pass.pass.ensemble, &pass.pass.distances),
            estimate,
        }
    }

    /// With names for the components, heaviest first.
    pub fn named(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.estimate.len() {
            let (given, own) = (names.len(), self.estimate.len());
            return Err(Error::usage(format!("{given} names for {own} components, heaviest first"))
                .hint("give a name for each of them"));
        }
        check_names(&names)?;
        self.names = names;
        Ok(self)
    }

    /// With the names of the components of another fit, where the same components are here.
    pub fn carrying(mut self, old: &MixingMeasure, names: &[String], units: &Units, rules: Rules) -> Result<Self> {
        let carried = carry(old, names, &self.estimate, units, rules)?;
        self.names = carried.components.iter().map(|one| one.name.clone()).collect();
        self.carried = Some(carried);
        Ok(self)
    }
}

impl AlignedDraws {
    fn of(pass: &ByAtom) -> Self {
        let ensemble = pass.pass.ensemble;
        let (draws, components, dim) = (ensemble.len(), pass.places.len(), ensemble.dim());
        let mut out = AlignedDraws {
            draws,
            components,
            dim,
            chain: ensemble.chains().to_vec(),
            iteration: ensemble.iterations().to_vec(),
            draw_weights: ensemble.draw_weights().map(<[f64]>::to_vec),
            weights: vec![f64::NAN; draws * components],
            means: vec![f64::NAN; draws * components * dim],
            covariances: vec![f64::NAN; draws * components * dim * dim],
            unmatched: vec![1.0; draws],
        };
        for m in 0..draws {
            for (k, found) in (0..components).map(|k| (k, pass.found(m, k))).filter(|(_, found)| found.exists) {
                let i = m * components + k;
                out.weights[i] = found.weight;
                out.means[i * dim..(i + 1) * dim].copy_from_slice(&found.mean);
                out.covariances[i * dim * dim..(i + 1) * dim * dim].copy_from_slice(&found.covariance);
                out.unmatched[m] -= found.weight;
            }
            out.unmatched[m] = out.unmatched[m].max(0.0);
        }
        out
    }

    /// Whether draw m has component k.
    pub fn has(&self, m: usize, k: usize) -> bool {
        !self.weights[m * self.components + k].is_nan()
    }

    /// Posterior mean of the weight of each component, 0 counting where a draw lacks it; with the mean unmatched mass they sum to 1.
    pub fn mean_weights(&self, ensemble: &Ensemble) -> Vec<f64> {
        let weights = draw_weights(ensemble);
        let one = |k: usize| {
            let there = (0..self.draws).filter(|&m| self.has(m, k));
            there.map(|m| weights[m] * self.weights[m * self.components + k]).sum()
        };
        (0..self.components).map(one).collect()
    }
}

#[cfg(test)]
mod tests;
