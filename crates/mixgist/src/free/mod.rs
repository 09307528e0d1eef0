//! Free-support estimates: measures with few atoms that are not confined to the draws (a barycenter, in the words of optimal transport), and
//! the floor that tells how good any estimate is.
//!
//! **Fit.** For p = 2 the power loss of a measure Ĝ is (1/L) Σ_l ‖Q_Ĝ,l − Q̄_l‖² plus a constant, Q̄_l being the mean quantile function of the draws
//! on slice l. Weights (through a softmax), means and covariances (through a [`Chart`](crate::slice::Chart)) move along the analytic gradient. For the
//! distance loss the draws are reweighted by the inverse of their distance, which turns the mean into the geometric median: first with
//! the distances from the geometric median itself, then, for each fit, with the distances from that fit.
//!
//! An atom is never narrower than nearly all atoms of the draws: `sw` and `smix-w` would let a covariance collapse. In every direction its variance exceeds four
//! fifths of a bound that all but a hundredth of the posterior mass exceeds.
//!
//! **How many atoms.** The path holds the best fit for k = 1 … 15 atoms, each judged on slices that it was not fitted to. `auto` takes the smallest
//! k that cannot be told from the best one: its held-out expected loss is at most [`SAFE_SEPARATION`](crate::summary::SAFE_SEPARATION) standard errors above the least one on the path, but
//! no more than 5 %; 1 % is always tolerated. The standard error is that of the difference between the two fits, on the same slices and draws; it
//! counts that slices and draws are finitely many, the draws as if they were independent. The 1 % is there because with many slices and draws every
//! atom is significant, however little it says, the 5 % because few draws say little about their own error. When the best fit is better than the
//! medoid, so is the chosen one. Where the choice falls among the last fifth of the path, the path is made twice as long, up to 60 atoms.
//!
//! `auto` chooses among fits whose atoms the draws have: at most 1 % of the mass may stand where hardly a draw has a component (the rule is that of
//! the private module `components::support`). Where the weights of components that lie far apart are uncertain, the measure of least expected
//! loss puts mass on the way between them, and a reader would take it for components. When the loss alone would have chosen another fit,
//! [`FreeSupport::refused`] says so. If no fit qualifies, that with the least of such mass is taken.
//!
//! Atoms whose weight falls below a millionth are dropped, atoms that coincide become one.
//!
//! **Floor.** See [`Floor`].

mod choice;
mod estimator;
mod fit;
mod floor;
mod judge;
mod lbfgs;
mod narrowest;
mod objective;
mod path;
mod reduce;
mod steady;
mod target;

pub use choice::{IMMATERIAL, MATERIAL};
pub use estimator::{AtomCount, Estimator};
pub(crate) use fit::check;
pub use floor::Floor;
pub(crate) use floor::LEADING_SLICES;

use crate::aligned::Alignment;
use crate::components::Support;
use crate::effective::{Probability, draw_weights};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::Order;
use crate::pairwise::{Bridges, Form, SlicedDistance};
use crate::progress::Progress;
use crate::projection::Projection;
use crate::select::{Loss, Medoid};
use crate::slice::Slices;
use crate::units::ResolvedUnits;
use crate::warning::Warning;
use crate::{Error, Result};
use choice::{Choice, OnHeldOut, choose};
use estimator::at_the_end;
use fit::{Fitted, fit};
use judge::{Judged, judge};

/// How good the estimates are: against the floor, and on slices that nothing was fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// What no summary can beat under the slices that were fitted to.
    pub floor: Floor,
    /// The draw of least expected loss.
    pub medoid: Judgement,
    /// The free-support estimate, when it was asked for.
    pub free: Option<FreeSupport>,
    /// The aligned estimate, when it was asked for.
    pub aligned: Option<AlignedSupport>,
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

/// An estimate whose components exist.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedSupport {
    /// The estimate, heaviest component first.
    pub estimate: MixingMeasure,
    /// For each component the probability that a draw has it.
    pub existence: Vec<Probability>,
    /// Mean mass of a draw that belongs to no component.
    pub unmatched: f64,
    /// How good it is.
    pub judgement: Judgement,
    /// Distance from the estimate to every draw.
    pub distances: Vec<f64>,
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
    /// Which of them the loss alone would have chosen, when that was refused because the draws do not have its atoms.
    pub refused: Option<usize>,
}

impl FreeSupport {
    /// What is to be said about the choice of the number of atoms: that `auto` would have needed a longer path than it may make, that the loss
    /// asks for atoms that the draws do not have.
    pub(crate) fn warnings(&self, estimator: Estimator) -> Vec<Warning> {
        let Estimator::Free(AtomCount::Auto { .. }) = estimator else { return Vec::new() };
        let length = self.path.len();
        let chosen = &self.path[self.chosen];
        let ends = at_the_end(length, chosen.atoms).then_some(Warning::PathEnds { atoms: length });
        let refused = self.refused.map(|wanted| {
            let wanted = &self.path[wanted];
            Warning::AtomsRefused {
                atoms: wanted.measure.len(),
                weight: wanted.mass_without_draws,
                gain: 1.0 - wanted.held_out_loss() / chosen.held_out_loss(),
                chosen: chosen.measure.len(),
            }
        });
        ends.into_iter().chain(refused).collect()
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
    /// The part of its mass that stands where hardly a draw has a component.
    pub mass_without_draws: f64,
}

impl PathPoint {
    fn held_out_loss(&self) -> f64 {
        self.judgement.held_out.map_or(self.judgement.expected_loss, |held_out| held_out.expected_loss)
    }
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
    /// The aligned estimate, in working units, when it is wanted.
    pub(crate) aligned: Option<&'a Alignment>,
    pub(crate) seed: u64,
}

/// Fits what is wanted and judges everything.
pub(crate) fn assess(
    job: &Job,
    projection: &Projection,
    mut bridges: Bridges,
    progress: &dyn Progress,
) -> Result<Assessment> {
    // Unless a fit starts from it, the floor is a figure to read, not a place to start from.
    let sharp = if matches!(job.estimator, Estimator::Free(_)) { floor::SHARP } else { floor::READABLE };
    let center = floor::center(projection, &mut bridges, job.loss, job.medoid, sharp, progress)?;
    let floor = center.floor;
    let judged = |own: Option<&MixingMeasure>| match own {
        Some(own) => Ok::<_, Error>(judge(std::slice::from_ref(own), &bridges, job.loss, progress)?.pop()),
        None => Ok(None),
    };
    let candidate = judged(job.candidate)?;
    let aligned = judged(job.aligned.map(|aligned| &aligned.estimate))?;
    let mut assessment = Assessment {
        floor,
        medoid: Judgement::fitted(job.medoid.expected_loss, &floor),
        free: None,
        aligned: job
            .aligned
            .zip(aligned.as_ref())
            .map(|(found, judged)| AlignedSupport::new(found, judged, job, &floor)),
        candidate: candidate.as_ref().map(|judged| Judgement::fitted(judged.expected_loss, &floor)),
        held_out_slices: 0,
    };
    if job.estimator == Estimator::Medoid && candidate.is_none() && aligned.is_none() {
        return Ok(assessment);
    }
    let held_out = job.held_out.project(job.ensemble)?;
    let held_out = Bridges::new(&held_out, Form::Exact);
    let on_held_out = |fits: &[Fitted]| OnHeldOut::new(job, fits, &held_out, progress);
    let (fits, seen, choice) = match job.estimator {
        Estimator::Medoid | Estimator::Aligned => (Vec::new(), on_held_out(&[])?, None),
        Estimator::Free(count) => {
            count.check()?;
            let mut counts = count.first_path();
            let support = Support::of_few(job.ensemble);
            loop {
                let fits = fit(job, &counts, projection, &bridges, &center, progress)?;
                let seen = on_held_out(&fits)?;
                let choice = choose(count, &fits, &seen, &support, progress)?;
                match count.longer_path(counts.len(), fits[choice.chosen].atoms) {
                    Some(longer) => counts = longer,
                    None => break (fits, seen, Some(choice)),
                }
            }
        }
    };
    assessment.held_out_slices = held_out.slices();
    assessment.medoid.held_out = Some(HeldOut::new(&seen.medoid, &seen.medoid));
    if let Some(candidate) = &mut assessment.candidate {
        candidate.held_out = seen.candidate.as_ref().map(|judged| HeldOut::new(judged, &seen.medoid));
    }
    if let Some(aligned) = &mut assessment.aligned {
        aligned.judgement.held_out = seen.aligned.as_ref().map(|judged| HeldOut::new(judged, &seen.medoid));
    }
    assessment.free = choice.map(|choice| FreeSupport::new(fits, &seen, choice, &floor));
    Ok(assessment)
}

impl FreeSupport {
    fn new(mut fits: Vec<Fitted>, seen: &OnHeldOut, choice: Choice, floor: &Floor) -> Self {
        let Choice { chosen, refused, without_draws } = choice;
        let best = seen.best();
        let point = |((fit, judged), &without): ((&Fitted, &Judged), &f64)| PathPoint {
            atoms: fit.atoms,
            measure: fit.measure.clone(),
            judgement: Judgement {
                held_out: Some(HeldOut::new(judged, &seen.medoid)),
                ..Judgement::fitted(fit.judged.expected_loss, floor)
            },
            over_best: judged.expected_loss - best.expected_loss,
            over_best_se: judged.difference_error_of_both(best),
            mass_without_draws: without,
        };
        let path: Vec<PathPoint> = fits.iter().zip(&seen.fits).zip(&without_draws).map(point).collect();
        let fit = fits.swap_remove(chosen);
        FreeSupport {
            estimate: fit.measure,
            judgement: path[chosen].judgement,
            distances: fit.judged.costs.iter().map(|&cost| Order::TWO.root(cost)).collect(),
            path,
            chosen,
            refused,
        }
    }
}

impl AlignedSupport {
    fn new(found: &Alignment, judged: &Judged, job: &Job, floor: &Floor) -> Self {
        let weights = draw_weights(job.ensemble);
        AlignedSupport {
            estimate: found.estimate.clone(),
            existence: found.existence.clone(),
            unmatched: found.draws.unmatched.iter().zip(&weights).map(|(mass, weight)| mass * weight).sum(),
            judgement: Judgement::fitted(judged.expected_loss, floor),
            distances: judged.costs.iter().map(|&cost| Order::TWO.root(cost)).collect(),
        }
    }
}

impl Assessment {
    /// With all measures in the original units.
    pub(crate) fn in_original(mut self, units: &ResolvedUnits) -> Result<Self> {
        if let Some(aligned) = &mut self.aligned {
            aligned.estimate = units.undo(&aligned.estimate)?;
        }
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
