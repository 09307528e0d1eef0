//! The path of fits for one set of draws: targets, starts, fits, and the reweighting that the distance loss needs.

use rand::seq::index;

use super::Job;
use super::floor::Center;
use super::judge::{Judged, OnSlices};
use super::objective::Objective;
use super::{narrowest, path, reduce};
use crate::ensemble::MixingMeasure;
use crate::line::Order;
use crate::loss::Loss;
use crate::progress::Progress;
use crate::random::{Purpose, stream};
use crate::slice::{Chart, Slices, Tangents};
use crate::target::SliceTarget;
use crate::text;
use crate::text::{named, option};
use crate::{Error, Result};

/// The best fit with at most some number of atoms.
pub(super) struct Fitted {
    pub(super) atoms: usize,
    pub(super) measure: MixingMeasure,
    pub(super) judged: Judged,
}

/// Random draws that fits start from, besides the medoid.
const RANDOM_STARTS: usize = 2;

/// Slices on which fits are compared and learn from each other before they are finished on all: one for each coordinate of an atom, within
/// limits.
const LEAST_FEW_SLICES: usize = 32;
const MOST_FEW_SLICES: usize = 128;

/// Slices that are fitted to: so many for each coordinate of an atom, within limits. More do not help: on Old Faithful's draws the
/// held-out loss of a fit to 100 slices is as far above its fitted loss as the medoid's is. All slices count where a fit is judged.
const SLICES_PER_COORDINATE: usize = 8;
const LEAST_FITTED_SLICES: usize = 128;
const MOST_FITTED_SLICES: usize = 1000;

/// Draws whose jumps decide on the cells of the targets.
const SAMPLED_DRAWS: usize = 64;

/// Slices on which the distances that reweight the draws are seen.
const WEIGHING_SLICES: usize = 32;

/// Weights of the draws that differ by no more than this in total variation count as the same: the loss is least at the right weights,
/// and so it changes with the square of this.
const SAME_WEIGHTS: f64 = 0.02;

/// The best fits with at most so many atoms, for each of `counts`, which ascend.
pub(super) fn fit(
    job: &Job,
    counts: &[usize],
    on_slices: &dyn OnSlices,
    center: &Center,
    progress: &dyn Progress,
) -> Result<Vec<Fitted>> {
    let dim = job.draws.dim();
    let tangents = differentiable(job.slices)?;
    let draws = center.nearest_first.len();
    let sampled: Vec<usize> = {
        let count = SAMPLED_DRAWS.min(draws);
        (0..count).map(|i| center.nearest_first[(2 * i + 1) * draws / (2 * count)]).collect()
    };
    let fitted_slices =
        (SLICES_PER_COORDINATE * tangents.chart().width(dim)).clamp(LEAST_FITTED_SLICES, MOST_FITTED_SLICES);
    let targets = |weightings: &[&[f64]]| -> Result<Vec<Vec<SliceTarget>>> {
        progress.begin("mean quantile functions", fitted_slices.min(on_slices.slices()) as u64);
        on_slices.mean_quantiles(weightings, &sampled, fitted_slices, progress)
    };
    let first = targets(&[&center.weights])?.swap_remove(0);
    let constant = match job.loss {
        Loss::Power => center.floor.value,
        Loss::Distance => center.floor.value * center.floor.value,
    };
    let chart = match tangents.chart() {
        Chart::Logarithm => Chart::Logarithm,
        chart => {
            let some = narrowest::spread_out(on_slices.draw_weights(), &center.nearest_first);
            chart.no_narrower_than(narrowest::narrowest(&job.draws.some(&some)?, dim), dim)
        }
    };
    let objective = |targets| Objective::new(tangents, &chart, targets, dim, constant);
    let few_slices = tangents.chart().width(dim).clamp(LEAST_FEW_SLICES, MOST_FEW_SLICES);
    let (all, few) = (objective(&first), objective(&first[..first.len().min(few_slices)]));
    let mut starts = vec![job.medoid.draw];
    let mut rng = stream(job.seed, Purpose::Search, draws as u64);
    let random = index::sample(&mut rng, draws, RANDOM_STARTS.min(draws));
    starts.extend(random.into_iter().map(|rank| center.nearest_first[rank]));
    let starts = job.draws.some(&starts)?;
    let medoid = &starts[0];
    let mut fits = path::fit_path(counts, &starts, &few, job.slices, progress)?;
    if job.loss == Loss::Power {
        fits = path::finish(&fits, |_| &all, path::FINE, progress)?;
    }
    let measures_of = |fits: &[path::Fit]| -> Result<Vec<MixingMeasure>> {
        fits.iter().map(|fit| reduce::tidy(&reduce::measure(&fit.parameters, &all)?, job.slices)).collect()
    };
    let mut measures = measures_of(&fits)?;
    if job.loss == Loss::Distance {
        // How far each draw is from each fit is seen on few slices, and corrected by what the medoid's distances say about those slices.
        let mut seen = measures.clone();
        seen.push(medoid.clone());
        let costs = on_slices.glance(&seen, WEIGHING_SLICES, progress)?;
        let (from_medoid, costs) = costs.split_last().expect("the medoid is among them");
        let pairs = job.medoid.distances.iter().zip(from_medoid);
        let correction: Vec<f64> = pairs.map(|(all, few)| all / few.sqrt()).collect();
        let weightings: Vec<Vec<f64>> =
            costs.iter().map(|costs| reweighted(costs, &correction, on_slices.draw_weights())).collect();
        // A fit that is close to the middle weighs the draws as the middle does.
        let apart = |own: &[f64]| 0.5 * own.iter().zip(&center.weights).map(|(a, b)| (a - b).abs()).sum::<f64>();
        let others: Vec<usize> = (0..fits.len()).filter(|&i| apart(&weightings[i]) > SAME_WEIGHTS).collect();
        let own = targets(&others.iter().map(|&i| weightings[i].as_slice()).collect::<Vec<_>>())?;
        progress.begin("free-support fits", fits.len() as u64);
        let own: Vec<Objective> = own.iter().map(|own| objective(own)).collect();
        let objective = |i: usize| others.iter().position(|&other| other == i).map_or(&all, |place| &own[place]);
        let fits = path::finish(&fits, objective, path::FINE, progress)?;
        measures = measures_of(&fits)?;
    }
    // The medoid is a summary too, if it has few atoms.
    let medoid = reduce::tidy(medoid, job.slices)?;
    let most = counts.iter().copied().max().unwrap_or(0);
    measures.extend(Some(medoid).filter(|medoid| medoid.len() <= most));
    let judged = on_slices.judge(&measures, job.loss, progress)?;
    // Each fit has a target of its own; what does better with no more atoms is also a fit.
    let fitted = |&atoms: &usize| {
        let fitting = (0..measures.len()).filter(|&i| measures[i].len() <= atoms);
        let loss = |i: usize| judged[i].expected_loss;
        let best = fitting.reduce(|best, i| if loss(i) < loss(best) { i } else { best }).expect("one atom fits");
        Fitted { atoms, measure: measures[best].clone(), judged: judged[best].clone() }
    };
    Ok(counts.iter().map(fitted).collect())
}

/// Whether free-support estimates can be fitted with these slices and this order.
pub(crate) fn check(order: Order, slices: &dyn Slices) -> Result<()> {
    if order != Order::TWO {
        return Err(Error::usage(format!("a free-support estimate needs order 2, the order is {}", order.value()))
            .hint(text!["leave out ", named("order"), ", or use ", option("estimate", "medoid")]));
    }
    differentiable(slices).map(|_| ())
}

fn differentiable(slices: &dyn Slices) -> Result<&dyn Tangents> {
    slices.tangents().ok_or_else(|| {
        Error::usage("a free-support estimate needs slices with derivatives, and these have none")
            .hint("use a named distance (sw, mix-sw, smix-w), implement Slices::tangents, or use the medoid")
    })
}

/// Weights under which the squared loss has the slope of the distance loss: ω_m over the distance from the fit.
fn reweighted(costs: &[f64], correction: &[f64], draw_weights: &[f64]) -> Vec<f64> {
    let corrected = |(cost, by): (&f64, &f64)| cost.sqrt() * if by.is_finite() && *by > 0.0 { *by } else { 1.0 };
    let distances: Vec<f64> = costs.iter().zip(correction).map(corrected).collect();
    let mean: f64 = distances.iter().zip(draw_weights).map(|(d, w)| d * w).sum();
    if mean == 0.0 {
        return draw_weights.to_vec();
    }
    let mut weights: Vec<f64> = draw_weights.iter().zip(&distances).map(|(w, d)| w / d.max(1e-7 * mean)).collect();
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    weights
}
