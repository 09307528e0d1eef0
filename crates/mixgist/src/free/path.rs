//! Fits for every number of atoms, on few slices; the best ones are finished on all of them.

use rayon::prelude::*;

use super::lbfgs::{Effort, minimize};
use super::objective::{Objective, softmax};
use super::reduce::{measure, parameters, reductions, tidy};
use crate::Result;
use crate::ensemble::MixingMeasure;
use crate::progress::Progress;
use crate::slice::Slices;

/// A fit: logits and free parameters, and the loss against the targets.
#[derive(Clone)]
pub(super) struct Fit {
    pub(super) parameters: Vec<f64>,
    pub(super) value: f64,
}

/// How far fits go: (most iterations, tolerance). A fit stops when five iterations lower the expected loss, that of the mean itself included,
/// by no more than the tolerance. Parts of a hundred thousandth are far below the error over slices. Where the draws are all one
/// measure that constant is zero and the fit goes on to the end.
#[derive(Clone, Copy)]
pub(super) struct Depth(usize, f64);

/// For finding out which start is best.
const ROUGH: Depth = Depth(40, 3e-4);
/// For fits that are only a start for others.
const PASSING: Depth = Depth(60, 1e-4);
/// For fits that are reported.
pub(super) const FINE: Depth = Depth(150, 1e-5);

impl Depth {
    fn effort(self, objective: &Objective) -> Effort {
        Effort { iterations: self.0, tolerance: self.1, constant: objective.constant() }
    }
}

/// Finishes fits, each on its own objective.
pub(super) fn finish<'o, 'a: 'o>(
    starts: &[Fit],
    objective: impl Fn(usize) -> &'o Objective<'a> + Sync,
    depth: Depth,
    progress: &dyn Progress,
) -> Result<Vec<Fit>> {
    let finish = |(i, start): (usize, &Fit)| {
        progress.check()?;
        let fit = descend(objective(i), start.parameters.clone(), depth);
        progress.advance(1);
        Ok(fit)
    };
    starts.par_iter().enumerate().with_max_len(1).map(finish).collect()
}

/// All parameters together.
fn roughly(objective: &Objective, start: Vec<f64>) -> Fit {
    let curvature = objective.curvature(&start);
    let end = minimize(|x, gradient| objective.evaluate(x, gradient), start, &curvature, ROUGH.effort(objective));
    Fit { parameters: end.x, value: end.value }
}

/// All parameters together, and once more with the weights held where a kink of the loss may have stopped them: when many draws jump at the
/// same cumulative weight, the best weights lie on such a kink, and no step along the gradient leads down from it.
fn descend(objective: &Objective, start: Vec<f64>, depth: Depth) -> Fit {
    let effort = depth.effort(objective);
    let curvature = objective.curvature(&start);
    let logits = objective.atoms(&start);
    let together = |start| minimize(|x, gradient| objective.evaluate(x, gradient), start, &curvature, effort);
    let atoms_only = |x: &[f64], gradient: &mut [f64]| {
        let value = objective.evaluate(x, gradient);
        gradient[..logits].fill(0.0);
        value
    };
    let first = together(start);
    let value = first.value;
    let mut end = minimize(atoms_only, first.x, &curvature, effort);
    if end.value < value - effort.tolerance * (value + effort.constant) {
        end = together(end.x);
    }
    Fit { parameters: end.x, value: end.value }
}

/// How often fits learn from their neighbours. After the first time the excess of single fits of simulated posteriors was up to twice
/// what it was after the second; a third changed the second digit of some.
const ROUNDS: usize = 2;

/// The best fits with at most k atoms on few slices, for each k of `counts`, which ascend.
///
/// Fits of the fewest and of the most atoms start from each of `starts`, reduced to so many atoms. The others come from their neighbours: on the way
/// down from the fit with more atoms, reduced, on the way up from the fit with fewer, to which the atom is added that promises most. Both ways
/// run side by side, twice, so that what one number of atoms found the others know. Losses never increase with k.
pub(super) fn fit_path(
    counts: &[usize],
    starts: &[MixingMeasure],
    few: &Objective,
    slices: &dyn Slices,
    progress: &dyn Progress,
) -> Result<Vec<Fit>> {
    let (fewest, most) = (counts[0], counts[counts.len() - 1]);
    progress.begin("free-support fits", (2 * ROUNDS * counts.len()) as u64);
    let reduced: Vec<Vec<MixingMeasure>> =
        starts.par_iter().map(|start| reductions(start, slices, most)).collect::<Result<_>>()?;
    let from_starts = |count: usize| -> Result<Fit> {
        let rough = |of_start: &Vec<MixingMeasure>| {
            progress.check()?;
            Ok(roughly(few, parameters(&of_start[most - count], few)))
        };
        let rough: Vec<Fit> = reduced.par_iter().map(rough).collect::<Result<_>>()?;
        Ok(descend(few, least(&rough).parameters.clone(), PASSING))
    };
    let mut fits: Vec<Option<Fit>> = vec![None; counts.len()];
    fits[0] = Some(from_starts(fewest)?);
    fits[counts.len() - 1] = Some(from_starts(most)?);
    let pool: Vec<f64> = reduced.iter().flat_map(|start| few.chart().free_parameters(start[0].atoms())).collect();
    let (mut from_more, mut from_fewer) = (Tried::new(counts.len()), Tried::new(counts.len()));
    for _ in 0..ROUNDS {
        let (down, up) = rayon::join(
            || way_down(counts, fits.clone(), &mut from_more, few, slices, progress),
            || way_up(counts, fits.clone(), &mut from_fewer, &pool, few, progress),
        );
        fits = down?.into_iter().zip(up?).map(|(down, up)| Some(least(&[down, up]).clone())).collect();
    }
    Ok(fits.into_iter().flatten().collect())
}

/// The neighbour that each fit started from last: from the same one it would end where it did, and that is known.
struct Tried(Vec<Vec<f64>>);

impl Tried {
    fn new(fits: usize) -> Self {
        Tried(vec![Vec::new(); fits])
    }

    /// Whether fit i has not yet started from there; from now on it has.
    fn is_new(&mut self, i: usize, from: &Fit) -> bool {
        let new = self.0[i] != from.parameters;
        if new {
            self.0[i].clone_from(&from.parameters);
        }
        new
    }
}

/// From the most atoms down: a fit starts again from the one with more atoms, reduced.
fn way_down(
    counts: &[usize],
    fits: Vec<Option<Fit>>,
    tried: &mut Tried,
    objective: &Objective,
    slices: &dyn Slices,
    progress: &dyn Progress,
) -> Result<Vec<Fit>> {
    let mut out: Vec<Fit> = Vec::with_capacity(fits.len());
    for (i, (&count, fit)) in counts.iter().zip(fits).enumerate().rev() {
        progress.check()?;
        let next = match out.last().filter(|more| tried.is_new(i, more)) {
            Some(more) => {
                let more = tidy(&measure(&more.parameters, objective)?, slices)?;
                let reduced = reductions(&more, slices, count)?.swap_remove(0);
                Some(descend(objective, parameters(&reduced, objective), PASSING))
            }
            None => None,
        };
        let found: Vec<Fit> = fit.into_iter().chain(next).collect();
        out.push(least(&found).clone());
        progress.advance(1);
    }
    out.reverse();
    Ok(out)
}

/// From the fewest atoms up: a fit starts again from the one with fewer atoms and the atom of the pool that promises most, and is never
/// worse than it.
fn way_up(
    counts: &[usize],
    fits: Vec<Option<Fit>>,
    tried: &mut Tried,
    pool: &[f64],
    objective: &Objective,
    progress: &dyn Progress,
) -> Result<Vec<Fit>> {
    let mut out: Vec<Fit> = Vec::with_capacity(fits.len());
    for (i, fit) in fits.into_iter().enumerate() {
        progress.check()?;
        let fewer = out.last();
        let start = fewer
            .filter(|fewer| tried.is_new(i, fewer))
            .and_then(|fewer| with_more_atoms(&fewer.parameters, counts[i], pool, objective));
        let next = start.map(|start| descend(objective, start, PASSING));
        let found: Vec<Fit> = fit.into_iter().chain(next).chain(fewer.cloned()).collect();
        out.push(least(&found).clone());
        progress.advance(1);
    }
    Ok(out)
}

/// The best of some fits, the first among the tied.
fn least(fits: &[Fit]) -> &Fit {
    let better = |best, next: &'_ Fit| next.value < best * (1.0 - TIE);
    fits.iter().reduce(|best, next| if better(best.value, next) { next } else { best }).expect("there is a fit")
}

/// Losses that agree to this relative difference are tied, and the earlier start wins.
pub(super) const TIE: f64 = 1e-9;

/// A weight that is nothing, but not zero.
const TRACE: f64 = 1e-12;

/// Weights with which a new atom is tried.
const FIRST_WEIGHTS: [f64; 3] = [0.1, 0.03, 0.01];

/// The measure with at most `count` atoms that adding one after the other gives; `None` if no atom of the pool lowers the loss.
fn with_more_atoms(fit: &[f64], count: usize, pool: &[f64], objective: &Objective) -> Option<Vec<f64>> {
    let another = |fit: &Vec<f64>| {
        if objective.atoms(fit) < count { with_another_atom(fit, pool, objective) } else { None }
    };
    std::iter::successors(another(&fit.to_vec()), another).last()
}

/// The measure with another atom, free parameters out of `pool`: that to which moving a little mass lowers the loss most. `None` if no
/// atom of the pool lowers it.
fn with_another_atom(fit: &[f64], pool: &[f64], objective: &Objective) -> Option<Vec<f64>> {
    let (k, width) = (objective.atoms(fit), objective.width());
    let (logits, atoms) = fit.split_at(k);
    let weights = softmax(logits);
    let added = pool.len() / width;
    // All of the pool at once, with next to no weight; derivatives with respect to logits are weights times slopes.
    let log_weights = weights.iter().map(|w| libm::log(*w)).chain((0..added).map(|_| libm::log(TRACE)));
    let together: Vec<f64> = log_weights.chain(atoms.iter().chain(pool).copied()).collect();
    let mut gradient = vec![0.0; together.len()];
    objective.evaluate(&together, &mut gradient);
    let slope = |c: usize| gradient[k + c];
    let steepest = (0..added).reduce(|best, c| if slope(c) < slope(best) { c } else { best })?;
    if slope(steepest) >= 0.0 {
        return None;
    }
    let atom = &pool[steepest * width..(steepest + 1) * width];
    let with_weight = |weight: f64| -> Vec<f64> {
        let log_weights = weights.iter().map(|w| libm::log(w * (1.0 - weight))).chain([libm::log(weight)]);
        log_weights.chain(atoms.iter().chain(atom).copied()).collect()
    };
    let tried = FIRST_WEIGHTS.map(|weight| {
        let parameters = with_weight(weight);
        let value = objective.evaluate(&parameters, &mut vec![0.0; parameters.len()]);
        Fit { parameters, value }
    });
    Some(least(&tried).parameters.clone())
}
