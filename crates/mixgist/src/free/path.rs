//! Fits for every number of atoms: many rough starts on few slices, the best one finished on all of them.

use rayon::prelude::*;

use super::lbfgs::{Effort, minimize};
use super::objective::Objective;
use super::reduce::{measure, parameters, reductions};
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
/// by no more than the tolerance. Parts of a millionth are far below the error over slices, and where the draws are all one measure
/// that constant is zero and the fit goes on to the end.
#[derive(Clone, Copy)]
pub(super) struct Depth(usize, f64);

/// For finding out which start is best.
const ROUGH: Depth = Depth(40, 3e-4);
/// For fits that are only a start for others.
pub(super) const PASSING: Depth = Depth(60, 3e-5);
/// For fits that are reported.
pub(super) const FINE: Depth = Depth(150, 3e-6);

impl Depth {
    fn effort(self, objective: &Objective) -> Effort {
        Effort { iterations: self.0, tolerance: self.1, constant: objective.constant() }
    }
}

/// Numbers of atoms on one way down; the ways run in parallel. With a single way down from 15 to 1, on one thread, the path took a
/// tenth to a quarter longer.
const FLIGHT: usize = 4;

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

/// The best fits with at most k atoms, for each k of `counts`, which ascend.
///
/// Rough fits on few slices start from each of `starts`, reduced to k atoms, and, in flights from larger k down, from the rough fit before. The
/// best of them is finished on all slices. Then from the smallest k up: a fit that is no better than that with fewer atoms starts
/// again from it, with an atom split, so that losses never increase with k.
pub(super) fn fit_path(
    counts: &[usize],
    starts: &[MixingMeasure],
    few: &Objective,
    all: &Objective,
    slices: &dyn Slices,
    depth: Depth,
    progress: &dyn Progress,
) -> Result<Vec<Fit>> {
    let most = *counts.last().expect("there is a number of atoms");
    progress.begin("free-support fits", 2 * counts.len() as u64);
    let starts: Vec<Vec<MixingMeasure>> =
        starts.par_iter().map(|start| reductions(start, slices, most)).collect::<Result<_>>()?;
    // The largest first: they take longest.
    let jobs: Vec<&MixingMeasure> =
        counts.iter().rev().flat_map(|&count| starts.iter().map(move |start| &start[most - count])).collect();
    let from_starts = |start: &&MixingMeasure| {
        progress.check()?;
        Ok(roughly(few, parameters(start, few)))
    };
    let rough: Vec<Fit> = jobs.par_iter().with_max_len(1).map(from_starts).collect::<Result<_>>()?;
    let mut best: Vec<Fit> = rough.chunks(starts.len()).map(|fits| least(fits).clone()).collect();
    let down = |(fits, counts): (&mut [Fit], &[usize])| {
        for i in 1..fits.len() {
            progress.check()?;
            let before = measure(&fits[i - 1].parameters, few, 0.0)?;
            let reduced = reductions(&before, slices, counts[i])?.swap_remove(0);
            let next = roughly(few, parameters(&reduced, few));
            fits[i] = least(&[fits[i].clone(), next]).clone();
            progress.advance(1);
        }
        Ok(())
    };
    let descending: Vec<usize> = counts.iter().rev().copied().collect();
    best.par_chunks_mut(FLIGHT).zip(descending.par_chunks(FLIGHT)).try_for_each(down)?;
    let mut fits = finish(&best, |_| all, depth, progress)?;
    fits.reverse();
    for i in 1..fits.len() {
        if fits[i].value >= fits[i - 1].value {
            progress.check()?;
            let fit = descend(all, split(&fits[i - 1].parameters, all), depth);
            fits[i] = if fit.value < fits[i - 1].value { fit } else { fits[i - 1].clone() };
        }
    }
    Ok(fits)
}

/// The best of some fits, the first among the tied.
fn least(fits: &[Fit]) -> &Fit {
    let better = |best, next: &'_ Fit| next.value < best * (1.0 - TIE);
    fits.iter().reduce(|best, next| if better(best.value, next) { next } else { best }).expect("there is a fit")
}

/// Losses that agree to this relative difference are tied, and the earlier start wins.
const TIE: f64 = 1e-9;

/// The heaviest atom becomes two that differ a little.
fn split(parameters: &[f64], objective: &Objective) -> Vec<f64> {
    let (k, width) = (objective.atoms(parameters), objective.width());
    let (logits, atoms) = parameters.split_at(k);
    let heaviest = (0..k).reduce(|best, i| if logits[i] > logits[best] { i } else { best }).expect("an atom");
    let mut out = logits.to_vec();
    out[heaviest] -= std::f64::consts::LN_2;
    out.push(out[heaviest]);
    out.extend_from_slice(atoms);
    let curvature = objective.curvature(parameters);
    let own = &atoms[heaviest * width..(heaviest + 1) * width];
    // A tenth of the step that would raise the loss by its own size, up in every coordinate.
    out.extend(own.iter().enumerate().map(|(c, x)| x + 0.1 / curvature[k + heaviest * width + c].sqrt()));
    out
}
