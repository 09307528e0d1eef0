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

const ROUGH: Effort = Effort { iterations: 40, tolerance: 1e-3 };
const FINE: Effort = Effort { iterations: 150, tolerance: 1e-5 };

/// Finishes fits, each on its own objective.
pub(super) fn finish<'o, 'a: 'o>(
    starts: &[Fit],
    objective: impl Fn(usize) -> &'o Objective<'a> + Sync,
    progress: &dyn Progress,
) -> Result<Vec<Fit>> {
    let finish = |(i, start): (usize, &Fit)| {
        progress.check()?;
        let fit = descend(objective(i), start.parameters.clone(), FINE);
        progress.advance(1);
        Ok(fit)
    };
    starts.par_iter().enumerate().map(finish).collect()
}

/// All parameters together, and once more with the weights held where a kink of the loss may have stopped them: when many draws jump at the
/// same cumulative weight, the best weights lie on such a kink, and no step along the gradient leads down from it.
fn descend(objective: &Objective, start: Vec<f64>, effort: Effort) -> Fit {
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
    if end.value < value * (1.0 - effort.tolerance) {
        end = together(end.x);
    }
    Fit { parameters: end.x, value: end.value }
}

/// The best fits with at most k atoms, for each k of `counts`, which ascend.
///
/// From the largest k down, a fit starts from each of `starts` and from the fit before, all reduced to k atoms. Then from the smallest up: a fit that is
/// no better than that with fewer atoms starts again from it, with an atom split, so that losses never increase with k.
pub(super) fn fit_path(
    counts: &[usize],
    starts: &[MixingMeasure],
    few: &Objective,
    all: &Objective,
    slices: &dyn Slices,
    progress: &dyn Progress,
) -> Result<Vec<Fit>> {
    let most = *counts.last().expect("there is a number of atoms");
    let starts: Vec<Vec<MixingMeasure>> =
        starts.iter().map(|start| reductions(start, slices, most)).collect::<Result<_>>()?;
    progress.begin("free-support fits", counts.len() as u64);
    let mut fits: Vec<Fit> = Vec::with_capacity(counts.len());
    for &count in counts.iter().rev() {
        progress.check()?;
        let mut candidates: Vec<MixingMeasure> = starts.iter().map(|start| start[most - count].clone()).collect();
        if let Some(before) = fits.last() {
            let before = measure(&before.parameters, few, 0.0)?;
            candidates.extend(reductions(&before, slices, count)?.into_iter().take(1));
        }
        let rough: Vec<Fit> = candidates.par_iter().map(|start| descend(few, parameters(start, few), ROUGH)).collect();
        let best =
            rough.into_iter().reduce(|best, next| if next.value < best.value * (1.0 - TIE) { next } else { best });
        fits.push(descend(all, best.expect("there is a start").parameters, FINE));
        progress.advance(1);
    }
    fits.reverse();
    for i in 1..fits.len() {
        if fits[i].value >= fits[i - 1].value {
            progress.check()?;
            let fit = descend(all, split(&fits[i - 1].parameters, all), FINE);
            fits[i] = if fit.value < fits[i - 1].value { fit } else { fits[i - 1].clone() };
        }
    }
    Ok(fits)
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
