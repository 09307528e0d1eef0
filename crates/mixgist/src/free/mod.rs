//! Free-support estimates: measures with few atoms that are not confined to the draws (a barycenter, in the words of optimal transport), and
//! the floor that tells how good any estimate is.
//!
//! **Fit.** For p = 2 the power loss of a measure Ĝ is (1/L) Σ_l ‖Q_Ĝ,l − Q̄_l‖² plus a constant, Q̄_l being the mean quantile function of the draws
//! on slice l. Weights (through a softmax), means and covariances (through a [`Chart`]) move along the analytic gradient. For the
//! distance loss the draws are reweighted by the inverse of their distance, which turns the mean into the geometric median: first with
//! the distances from the geometric median itself, then, for each fit, with the distances from that fit.
//!
//! An atom is never narrower than nearly all atoms of the draws: `sw` and `smix-w` would let a covariance collapse. In every direction its variance exceeds four
//! fifths of a bound that all but a hundredth of the posterior mass exceeds.
//!
//! **How many atoms.** The path holds the best fit for k = 1 … 15 atoms, each judged on slices that it was not fitted to. `auto` takes the smallest
//! k that cannot be told from the best one: its held-out expected loss is at most [`SAFE_SEPARATION`] standard errors above the least one on the path, but
//! no more than 5 %; 1 % is always tolerated. The standard error is that of the difference between the two fits, on the same slices and draws; it
//! counts that slices and draws are finitely many, the draws as if they were independent. The 1 % is there because with many slices and draws every
//! atom is significant, however little it says, the 5 % because few draws say little about their own error. When the best fit is better than the
//! medoid, so is the chosen one. Where the choice falls among the last fifth of the path, the path is made twice as long, up to 60 atoms.
//! Atoms whose weight falls below a millionth are dropped, atoms that coincide become one.
//!
//! **Floor.** See [`Floor`].

mod floor;
mod judge;
mod lbfgs;
mod narrowest;
mod objective;
mod path;
mod reduce;
mod steady;
mod target;

pub use floor::Floor;
pub(crate) use floor::LEADING_SLICES;

use rand::seq::index;

use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::Order;
use crate::pairwise::{Bridges, Form, SlicedDistance};
use crate::progress::Progress;
use crate::projection::Projection;
use crate::random::{Purpose, stream};
use crate::select::{Loss, Medoid};
use crate::slice::{Chart, Slices, Tangents};
use crate::summary::SAFE_SEPARATION;
use crate::units::ResolvedUnits;
use crate::warning::Warning;
use crate::{Error, Result};
use floor::Center;
use judge::{Judged, glance, judge};
use objective::Objective;
use target::{Cells, SliceTarget};

/// How many atoms a free-support estimate has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomCount {
    /// At most this many; atoms that do not help vanish.
    Fixed(usize),
    /// The smallest number that cannot be told from the best one.
    Auto {
        /// The most atoms that are tried, however much more would help.
        most: usize,
    },
}

impl AtomCount {
    /// The path goes up to this many atoms unless more are asked for or needed.
    pub const USUAL_MOST: usize = 15;

    /// `auto` tries no more atoms than this.
    pub const AUTO_MOST: usize = 60;

    /// More atoms than this are refused: a summary is short.
    pub const LIMIT: usize = 200;

    /// A number, or `auto` with the default limit.
    pub fn from_name(text: &str) -> Result<Self> {
        match text.parse() {
            _ if text == "auto" => Ok(AtomCount::default()),
            Ok(count) if (1..=Self::LIMIT).contains(&count) => Ok(AtomCount::Fixed(count)),
            _ => {
                Err(Error::usage(format!("--atoms is '{text}', must be 'auto' or a number from 1 to {}", Self::LIMIT)))
            }
        }
    }

    /// Refuses numbers that are out of range.
    fn check(self) -> Result<()> {
        let (AtomCount::Fixed(most) | AtomCount::Auto { most }) = self;
        if (1..=Self::LIMIT).contains(&most) {
            return Ok(());
        }
        Err(Error::usage(format!("number of atoms is {most}, must be from 1 to {}", Self::LIMIT)))
    }

    /// The numbers of atoms to fit first, ascending.
    fn first_path(self) -> Vec<usize> {
        match self {
            AtomCount::Auto { most } => (1..=most.min(Self::USUAL_MOST)).collect(),
            AtomCount::Fixed(count) if count > Self::USUAL_MOST => (1..=Self::USUAL_MOST).chain([count]).collect(),
            AtomCount::Fixed(_) => (1..=Self::USUAL_MOST).collect(),
        }
    }

    /// Most fits that a path may have.
    pub(crate) fn longest_path(self) -> usize {
        match self {
            AtomCount::Auto { most } => most,
            AtomCount::Fixed(_) => Self::USUAL_MOST + 1,
        }
    }

    /// The numbers of atoms to fit after a path of some length on which so many atoms were chosen; `None` if it was long enough.
    fn longer_path(self, length: usize, chosen: usize) -> Option<Vec<usize>> {
        match self {
            AtomCount::Auto { most } if length < most && at_the_end(length, chosen) => {
                Some((1..=most.min(2 * length)).collect())
            }
            _ => None,
        }
    }
}

/// Whether a choice falls among the last fifth of a path.
fn at_the_end(length: usize, chosen: usize) -> bool {
    5 * chosen > 4 * length
}

impl Default for AtomCount {
    fn default() -> Self {
        AtomCount::Auto { most: Self::AUTO_MOST }
    }
}

/// Which estimate is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimator {
    /// The draw of least expected loss.
    #[default]
    Medoid,
    /// The measure of least expected loss with few atoms, not confined to the draws.
    Free(AtomCount),
}

impl Estimator {
    /// Every estimator, with the name that options use.
    pub const NAMES: [&'static str; 2] = ["medoid", "free"];

    /// The estimator of that name; a number of atoms is for the free one.
    pub fn from_name(name: &str, atoms: Option<&str>) -> Result<Self> {
        match (name, atoms) {
            ("free", atoms) => Ok(Estimator::Free(AtomCount::from_name(atoms.unwrap_or("auto"))?)),
            ("medoid", None) => Ok(Estimator::Medoid),
            ("medoid", Some(_)) => {
                Err(Error::usage("--atoms is for the free estimate; a medoid has the atoms of its draw")
                    .hint("add --estimate free"))
            }
            _ => {
                Err(Error::usage(format!("unknown estimate '{name}'"))
                    .hint(format!("one of: {}", Self::NAMES.join(", "))))
            }
        }
    }

    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Medoid => "medoid",
            Estimator::Free(_) => "free",
        }
    }
}

/// How good the estimates are: against the floor, and on slices that nothing was fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// What no summary can beat under the slices that were fitted to.
    pub floor: Floor,
    /// The draw of least expected loss.
    pub medoid: Judgement,
    /// The free-support estimate, when it was asked for.
    pub free: Option<FreeSupport>,
    /// The user's own measure, when one was given.
    pub candidate: Option<Judgement>,
    /// Number of held-out slices; 0 when nothing was held out.
    pub held_out_slices: usize,
}

/// How good one estimate is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Expected loss under the slices that the floor is for.
    pub expected_loss: f64,
    /// How far that is above the floor, as a part of the floor.
    pub excess: f64,
    /// Expected loss under other slices.
    pub held_out: Option<HeldOut>,
}

/// An expected loss under slices that nothing was fitted to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOut {
    /// The expected loss.
    pub expected_loss: f64,
    /// Its standard error over slices.
    pub standard_error: Option<f64>,
    /// How much it is above the medoid's: negative when better.
    pub over_medoid: f64,
    /// Standard error of that difference over slices.
    pub over_medoid_se: Option<f64>,
}

/// A free-support estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeSupport {
    /// The estimate.
    pub estimate: MixingMeasure,
    /// How good it is.
    pub judgement: Judgement,
    /// Distance from the estimate to every draw.
    pub distances: Vec<f64>,
    /// The fits for each number of atoms.
    pub path: Vec<PathPoint>,
    /// Which of them was chosen.
    pub chosen: usize,
}

impl FreeSupport {
    /// That `auto` would have needed a longer path than it may make.
    pub(crate) fn warning(&self, estimator: Estimator) -> Option<Warning> {
        match estimator {
            Estimator::Free(AtomCount::Auto { .. }) => {
                let length = self.path.len();
                at_the_end(length, self.path[self.chosen].atoms).then_some(Warning::PathEnds { atoms: length })
            }
            _ => None,
        }
    }
}

/// The best fit with a given number of atoms.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPoint {
    /// Most atoms that it may have.
    pub atoms: usize,
    /// The fit, some atoms of which may have vanished.
    pub measure: MixingMeasure,
    /// How good it is.
    pub judgement: Judgement,
    /// How much its held-out expected loss is above the least on the path.
    pub over_best: f64,
    /// Standard error of that difference, for finitely many slices and draws.
    pub over_best_se: f64,
}

/// What is to be assessed.
pub(crate) struct Job<'a> {
    /// The draws, in working units.
    pub(crate) ensemble: &'a Ensemble,
    /// The slices to fit to, with the draws on them.
    pub(crate) slices: &'a dyn Slices,
    pub(crate) loss: Loss,
    /// The slices to judge on.
    pub(crate) held_out: &'a SlicedDistance<'a>,
    pub(crate) medoid: &'a Medoid,
    pub(crate) estimator: Estimator,
    /// The user's own measure, in working units.
    pub(crate) candidate: Option<&'a MixingMeasure>,
    pub(crate) seed: u64,
}

/// Fits what is wanted and judges everything.
pub(crate) fn assess(
    job: &Job,
    projection: &Projection,
    mut bridges: Bridges,
    progress: &dyn Progress,
) -> Result<Assessment> {
    // For the medoid alone the floor is a figure to read, not a place to start from.
    let sharp = if job.estimator == Estimator::Medoid { floor::READABLE } else { floor::SHARP };
    let center = floor::center(projection, &mut bridges, job.loss, job.medoid, sharp, progress)?;
    let floor = center.floor;
    let candidate = match job.candidate {
        Some(own) => judge(std::slice::from_ref(own), &bridges, job.loss, progress)?.pop(),
        None => None,
    };
    let mut assessment = Assessment {
        floor,
        medoid: Judgement::fitted(job.medoid.expected_loss, &floor),
        free: None,
        candidate: candidate.as_ref().map(|judged| Judgement::fitted(judged.expected_loss, &floor)),
        held_out_slices: 0,
    };
    if job.estimator == Estimator::Medoid && candidate.is_none() {
        return Ok(assessment);
    }
    let held_out = job.held_out.project(job.ensemble)?;
    let held_out = Bridges::new(&held_out, Form::Exact);
    let mut references = vec![job.ensemble.draw(job.medoid.draw)];
    references.extend(job.candidate.cloned());
    // The medoid, the user's own measure if there is one, and all others.
    let on_held_out = |measures: Vec<MixingMeasure>| -> Result<(Judged, Option<Judged>, Vec<Judged>)> {
        let all = [references.clone(), measures].concat();
        let mut judged = judge(&all, &held_out, job.loss, progress)?.into_iter();
        let medoid = judged.next().expect("the medoid is among them");
        let own = job.candidate.and_then(|_| judged.next());
        Ok((medoid, own, judged.collect()))
    };
    assessment.held_out_slices = held_out.slices();
    let mut record = |medoid: &Judged, own: Option<&Judged>| {
        assessment.medoid.held_out = Some(HeldOut::new(medoid, medoid));
        if let (Some(candidate), Some(own)) = (&mut assessment.candidate, own) {
            candidate.held_out = Some(HeldOut::new(own, medoid));
        }
    };
    let Estimator::Free(count) = job.estimator else {
        let (medoid, own, _) = on_held_out(Vec::new())?;
        record(&medoid, own.as_ref());
        return Ok(assessment);
    };
    count.check()?;
    let mut counts = count.first_path();
    let (mut fits, held_out, medoid, chosen) = loop {
        let fits = fit(job, &counts, projection, &bridges, &center, progress)?;
        let (medoid, own, held_out) = on_held_out(fits.iter().map(|fit| fit.measure.clone()).collect())?;
        record(&medoid, own.as_ref());
        let chosen = choose(count, &fits, &held_out, &medoid);
        match count.longer_path(counts.len(), fits[chosen].atoms) {
            Some(longer) => counts = longer,
            None => break (fits, held_out, medoid, chosen),
        }
    };
    let medoid = &medoid;
    let best = &held_out[best(&held_out)];
    let point = |(fit, judged): (&Fitted, &Judged)| PathPoint {
        atoms: fit.atoms,
        measure: fit.measure.clone(),
        judgement: Judgement {
            held_out: Some(HeldOut::new(judged, medoid)),
            ..Judgement::fitted(fit.judged.expected_loss, &floor)
        },
        over_best: judged.expected_loss - best.expected_loss,
        over_best_se: judged.difference_error_of_both(best),
    };
    let path: Vec<PathPoint> = fits.iter().zip(&held_out).map(point).collect();
    let fit = fits.swap_remove(chosen);
    assessment.free = Some(FreeSupport {
        estimate: fit.measure,
        judgement: path[chosen].judgement,
        distances: fit.judged.costs.iter().map(|&cost| Order::TWO.root(cost)).collect(),
        path,
        chosen,
    });
    Ok(assessment)
}

impl Assessment {
    /// With all measures in the original units.
    pub(crate) fn in_original(mut self, units: &ResolvedUnits) -> Result<Self> {
        if let Some(free) = &mut self.free {
            free.estimate = units.undo(&free.estimate)?;
            for point in &mut free.path {
                point.measure = units.undo(&point.measure)?;
            }
        }
        Ok(self)
    }
}

impl Judgement {
    fn fitted(expected_loss: f64, floor: &Floor) -> Self {
        Judgement { expected_loss, excess: floor.excess(expected_loss), held_out: None }
    }
}

impl HeldOut {
    fn new(judged: &Judged, medoid: &Judged) -> Self {
        HeldOut {
            expected_loss: judged.expected_loss,
            standard_error: judged.standard_error(),
            over_medoid: judged.expected_loss - medoid.expected_loss,
            over_medoid_se: judged.difference_error(medoid),
        }
    }
}

/// The fit of least held-out expected loss.
fn best(held_out: &[Judged]) -> usize {
    let loss = |i: usize| held_out[i].expected_loss;
    (0..held_out.len()).reduce(|best, i| if loss(i) < loss(best) { i } else { best }).unwrap_or(0)
}

/// A loss that is larger by no more than this part is not worth another atom.
pub const IMMATERIAL: f64 = 0.01;

/// A loss that is larger by more than this part is worth another atom, whatever its error.
pub const MATERIAL: f64 = 0.05;

/// The fit that was asked for, or that `auto` takes; see the module text.
fn choose(count: AtomCount, fits: &[Fitted], held_out: &[Judged], medoid: &Judged) -> usize {
    let found = match count {
        AtomCount::Fixed(count) => fits.iter().position(|fit| fit.atoms == count),
        AtomCount::Auto { .. } => {
            let best = &held_out[best(held_out)];
            // A fit that is the medoid does not beat it by rounding.
            let better = best.expected_loss < medoid.expected_loss * (1.0 - path::TIE);
            let beaten = if better { medoid.expected_loss } else { f64::INFINITY };
            held_out.iter().position(|judged| {
                let error = judged.difference_error_of_both(best);
                let tolerated = SAFE_SEPARATION * error;
                let tolerated = tolerated.clamp(IMMATERIAL * best.expected_loss, MATERIAL * best.expected_loss);
                judged.expected_loss - best.expected_loss <= tolerated && judged.expected_loss <= beaten
            })
        }
    };
    found.unwrap_or(fits.len() - 1)
}

/// The best fit with at most some number of atoms.
struct Fitted {
    atoms: usize,
    measure: MixingMeasure,
    judged: Judged,
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

fn fit(
    job: &Job,
    counts: &[usize],
    projection: &Projection,
    bridges: &Bridges,
    center: &Center,
    progress: &dyn Progress,
) -> Result<Vec<Fitted>> {
    let dim = job.ensemble.dim();
    let tangents = differentiable(job.slices)?;
    let draws = job.ensemble.len();
    let sampled: Vec<usize> = {
        let count = SAMPLED_DRAWS.min(draws);
        (0..count).map(|i| center.nearest_first[(2 * i + 1) * draws / (2 * count)]).collect()
    };
    let fitted_slices =
        (SLICES_PER_COORDINATE * tangents.chart().width(dim)).clamp(LEAST_FITTED_SLICES, MOST_FITTED_SLICES);
    let targets = |weightings: &[&[f64]]| -> Result<Vec<Vec<SliceTarget>>> {
        let mut found: Vec<Vec<SliceTarget>> = weightings.iter().map(|_| Vec::new()).collect();
        progress.begin("mean quantile functions", fitted_slices.min(projection.slices()) as u64);
        // Compression is far below what cells leave out, and a fit is judged on the draws themselves: the form at hand will do.
        bridges.visit_lines(
            bridges.form(),
            fitted_slices,
            progress,
            |_, lines| SliceTarget::many(lines, weightings, Cells::choose(lines, &sampled)),
            |of_slice: Vec<SliceTarget>| {
                found.iter_mut().zip(of_slice).for_each(|(found, target)| found.push(target));
            },
        )?;
        Ok(found)
    };
    let first = targets(&[&center.weights])?.swap_remove(0);
    let constant = match job.loss {
        Loss::Power => center.floor.value,
        Loss::Distance => center.floor.value * center.floor.value,
    };
    let chart = match tangents.chart() {
        Chart::Logarithm => Chart::Logarithm,
        chart => chart.no_narrower_than(narrowest::narrowest(job.ensemble, &center.nearest_first), dim),
    };
    let objective = |targets| Objective::new(tangents, &chart, targets, dim, constant);
    let few_slices = tangents.chart().width(dim).clamp(LEAST_FEW_SLICES, MOST_FEW_SLICES);
    let (all, few) = (objective(&first), objective(&first[..first.len().min(few_slices)]));
    let mut starts = vec![job.ensemble.draw(job.medoid.draw)];
    let mut rng = stream(job.seed, Purpose::Search, draws as u64);
    let random = index::sample(&mut rng, draws, RANDOM_STARTS.min(draws));
    starts.extend(random.into_iter().map(|rank| job.ensemble.draw(center.nearest_first[rank])));
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
        seen.push(job.ensemble.draw(job.medoid.draw));
        let costs = glance(&seen, bridges, WEIGHING_SLICES, progress)?;
        let (from_medoid, costs) = costs.split_last().expect("the medoid is among them");
        let pairs = job.medoid.distances.iter().zip(from_medoid);
        let correction: Vec<f64> = pairs.map(|(all, few)| all / few.sqrt()).collect();
        let weightings: Vec<Vec<f64>> =
            costs.iter().map(|costs| reweighted(costs, &correction, projection.draw_weights())).collect();
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
    let medoid = reduce::tidy(&job.ensemble.draw(job.medoid.draw), job.slices)?;
    let most = counts.iter().copied().max().unwrap_or(0);
    measures.extend(Some(medoid).filter(|medoid| medoid.len() <= most));
    let judged = judge(&measures, bridges, job.loss, progress)?;
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
            .hint("leave out --order, or use --estimate medoid"));
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
