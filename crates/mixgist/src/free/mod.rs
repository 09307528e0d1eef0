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
//! k that cannot be told from the best one: its held-out expected loss is at most [`SAFE_SEPARATION`](crate::select::SAFE_SEPARATION) standard errors above the least one on the path, but
//! no more than 5 %; 1 % is always tolerated. The standard error is that of the difference between the two fits, on the same slices and draws; it
//! counts that slices and draws are finitely many, the draws as if they were independent. The 1 % is there because with many slices and draws every
//! atom is significant, however little it says, the 5 % because few draws say little about their own error. When the best fit is better than the
//! medoid, so is the chosen one. Where the choice falls among the last fifth of the path, the path is made twice as long, up to 60 atoms.
//!
//! `auto` chooses among fits whose atoms the draws have: at most 1 % of the mass may lie where almost no draw has a component (the rule is that of
//! the private module `support`). Where the weights of components that lie far apart are uncertain, the measure of least expected
//! loss puts mass on the way between them, and a reader would take it for components. When the loss alone would have chosen another fit,
//! [`FreeSupport::refused`] says so. If no fit qualifies, that with the least of such mass is taken.
//!
//! Atoms whose weight falls below a millionth are dropped, atoms that coincide become one.
//!
//! **Floor.** See [`Floor`].

mod blocks;
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

pub(crate) use blocks::OnBlocks;
pub use estimator::{AtomCount, Estimator};
pub(crate) use fit::check;
pub use floor::Floor;
pub(crate) use floor::{Center, LEADING_SLICES};

use crate::Result;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, are_below, has_dim, has_length};
use crate::line::Order;
use crate::loss::Loss;
use crate::pairwise::{Decompositions, SlicedDistance};
use crate::progress::Progress;
use crate::projection::Projection;
use crate::select::Medoid;
use crate::slice::Slices;
use crate::support::Support;
use crate::text::Index;
use crate::units::ResolvedUnits;
use crate::variation::ExpectedVariation;
use crate::work::Form;
use choice::{Choice, OnHeldOut, choose};
use estimator::at_the_end;
use fit::{Fitted, fit};
use judge::Judged;
pub(crate) use judge::OnSlices;

/// How good the estimates are: against the floor, and on slices that nothing was fitted to.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Assessment {
    /// What no summary can beat under the slices that were fitted to.
    #[serde(flatten)]
    pub floor: Floor,
    /// The draw of least expected loss.
    pub medoid: Judgement,
    /// The free-support estimate, when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<FreeSupport>,
    /// The aligned estimate, when it or the free one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aligned: Option<AlignedSupport>,
    /// The user's own measure, when one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Judgement>,
    /// Number of held-out slices; 0 when nothing was held out.
    pub held_out_slices: usize,
}

/// How good one estimate is.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Judgement {
    /// Expected loss under the slices that the floor is for.
    pub expected_loss: f64,
    /// How far that is above the floor, as a part of the floor: 0.02 is "within 2 % of the best possible"; null when the floor is 0.
    #[serde(with = "crate::document::infinite_is_null")]
    #[schemars(with = "Option<f64>")]
    pub excess: f64,
    /// Expected loss under other slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// Expected total variation between its density and those of the draws; known for the estimates of a summary by another one than the medoid, and with a candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_variation: Option<ExpectedVariation>,
}

/// An expected loss under slices that nothing was fitted to.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct HeldOut {
    /// The expected loss.
    pub expected_loss: f64,
    /// Its standard error over slices.
    #[serde(rename = "expected_loss_se")]
    pub standard_error: Option<f64>,
    /// How much it is above the medoid's: negative when better.
    pub over_medoid: f64,
    /// Standard error of that difference over slices.
    pub over_medoid_se: Option<f64>,
}

/// An estimate whose components exist.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct AlignedSupport {
    /// The estimate, heaviest component first.
    pub estimate: MixingMeasure,
    /// For each component the probability that a draw has it.
    pub existence: Vec<f64>,
    /// Mean mass of a draw that belongs to no component.
    pub unmatched: f64,
    /// How good it is.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Distance from the estimate to every draw.
    pub distances: Vec<f64>,
}

/// A free-support estimate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct FreeSupport {
    /// The estimate.
    pub estimate: MixingMeasure,
    /// How good it is.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Distance from the estimate to every draw.
    pub distances: Vec<f64>,
    /// The fits for each number of atoms.
    pub path: Vec<PathPoint>,
    /// Which of them was chosen.
    #[schemars(with = "Index")]
    pub chosen: usize,
    /// Which of them the loss alone would have chosen, when that was refused because the draws do not have its atoms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Index>")]
    pub refused: Option<usize>,
}

impl FreeSupport {
    /// Length of the path when `auto` would have needed a longer one than it may make.
    pub(crate) fn ends_at(&self, estimator: Estimator) -> Option<usize> {
        let length = self.path.len();
        let auto = matches!(estimator, Estimator::Free(AtomCount::Auto { .. }));
        (auto && at_the_end(length, self.path[self.chosen].atoms)).then_some(length)
    }

    /// How much lower the held-out loss of the fit that was refused is, as a part of that of the chosen one.
    pub(crate) fn gain_refused(&self) -> Option<f64> {
        let loss = |point: &PathPoint| {
            point.judgement.held_out.map_or(point.judgement.expected_loss, |held_out| held_out.expected_loss)
        };
        Some(1.0 - loss(&self.path[self.refused?]) / loss(&self.path[self.chosen]))
    }
}

/// The best fit with a given number of atoms.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct PathPoint {
    /// Most atoms that it may have.
    pub atoms: usize,
    /// The fit, some atoms of which may have vanished.
    pub measure: MixingMeasure,
    /// How good it is.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// How much its held-out expected loss is above the least on the path.
    pub over_best: f64,
    /// Standard error of that difference, for finitely many slices and draws.
    pub over_best_se: f64,
    /// The part of its mass that lies where almost no draw has a component.
    #[serde(default)]
    pub mass_without_draws: f64,
}

impl Fits for Assessment {
    fn fits(&self, draws: usize, dim: usize) -> Result<()> {
        if let Some(free) = &self.free {
            has_dim("the free estimate", &free.estimate, dim)?;
            has_length("distances of the free estimate", free.distances.len(), draws)?;
            for point in &free.path {
                has_dim("the path", &point.measure, dim)?;
            }
            are_below(
                "the choice on the path",
                [Some(free.chosen), free.refused].into_iter().flatten(),
                free.path.len(),
            )?;
        }
        if let Some(aligned) = &self.aligned {
            has_dim("the aligned estimate", &aligned.estimate, dim)?;
            has_length("distances of the aligned estimate", aligned.distances.len(), draws)?;
            has_length("existence of the aligned estimate", aligned.existence.len(), aligned.estimate.len())?;
        }
        Ok(())
    }
}

/// The draws one by one, in working units.
pub(crate) trait SomeDraws: Sync {
    /// Dimension of the means.
    fn dim(&self) -> usize;

    /// The draws with these indices, in that order.
    fn some(&self, draws: &[usize]) -> Result<Vec<MixingMeasure>>;

    /// Draws that stand for all where estimates are asked for their support.
    fn stand_for_all(&self) -> &Ensemble;
}

impl SomeDraws for Ensemble {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn some(&self, draws: &[usize]) -> Result<Vec<MixingMeasure>> {
        Ok(draws.iter().map(|&m| self.draw(m)).collect())
    }

    fn stand_for_all(&self) -> &Ensemble {
        self
    }
}

/// What is to be assessed.
pub(crate) struct Job<'a> {
    pub(crate) draws: &'a dyn SomeDraws,
    /// The slices to fit to.
    pub(crate) slices: &'a dyn Slices,
    pub(crate) loss: Loss,
    pub(crate) medoid: &'a Medoid,
    pub(crate) estimator: Estimator,
    /// The user's own measure, in working units.
    pub(crate) candidate: Option<&'a MixingMeasure>,
    /// The aligned estimate, in working units, when it is wanted.
    pub(crate) aligned: Option<Aligned>,
    pub(crate) seed: u64,
}

/// An aligned estimate that is not judged yet.
pub(crate) struct Aligned {
    pub(crate) estimate: MixingMeasure,
    pub(crate) existence: Vec<f64>,
    pub(crate) unmatched: f64,
}

/// Fits what is wanted and judges everything; estimates are judged on the slices of `held_out`.
pub(crate) fn assess(
    job: &Job,
    ensemble: &Ensemble,
    projection: &Projection,
    mut decompositions: Decompositions,
    held_out: &SlicedDistance,
    progress: &dyn Progress,
) -> Result<Assessment> {
    // Unless fits start from it the floor is a figure to read.
    let sharp = if matches!(job.estimator, Estimator::Free(_)) { floor::SHARP } else { floor::READABLE };
    let center = floor::center(projection, &mut decompositions, job.loss, job.medoid, sharp, progress)?;
    if job.judges_the_medoid_alone() {
        return Ok(Assessment::of_medoid(job, &center));
    }
    let held_out = held_out.project(ensemble)?;
    judged(job, &center, &decompositions, &Decompositions::new(&held_out, Form::Exact), progress)
}

impl Job<'_> {
    /// Whether there is nothing to compare the medoid with but the floor.
    pub(crate) fn judges_the_medoid_alone(&self) -> bool {
        self.estimator == Estimator::Medoid && self.candidate.is_none() && self.aligned.is_none()
    }
}

impl Assessment {
    /// The medoid against the floor.
    pub(crate) fn of_medoid(job: &Job, center: &Center) -> Self {
        // The medoid attains its own loss.
        let floor = Floor { attained: center.floor.attained.min(job.medoid.expected_loss), ..center.floor };
        let medoid = Judgement::fitted(job.medoid.expected_loss, &floor);
        Assessment { floor, medoid, free: None, aligned: None, candidate: None, held_out_slices: 0 }
    }
}

/// All that is wanted, fitted and judged on some slices, and judged on others.
pub(crate) fn judged(
    job: &Job,
    center: &Center,
    fitted: &dyn OnSlices,
    held_out: &dyn OnSlices,
    progress: &dyn Progress,
) -> Result<Assessment> {
    let mut assessment = Assessment::of_medoid(job, center);
    let floor = assessment.floor;
    let judged = |own: &MixingMeasure| fitted.judge(std::slice::from_ref(own), job.loss, progress);
    let candidate = job.candidate.map(judged).transpose()?.and_then(|mut judged| judged.pop());
    assessment.candidate = candidate.as_ref().map(|judged| Judgement::fitted(judged.expected_loss, &floor));
    let aligned = job.aligned.as_ref().map(|aligned| judged(&aligned.estimate)).transpose()?;
    let aligned = aligned.and_then(|mut judged| judged.pop());
    assessment.aligned =
        job.aligned.as_ref().zip(aligned).map(|(found, judged)| AlignedSupport::new(found, &judged, &floor));
    let on_held_out = |fits: &[Fitted]| OnHeldOut::new(job, fits, held_out, progress);
    let (fits, seen, choice) = match job.estimator {
        Estimator::Medoid | Estimator::Aligned => (Vec::new(), on_held_out(&[])?, None),
        Estimator::Free(count) => {
            count.check()?;
            let mut counts = count.first_path();
            let support = Support::of_few(job.draws.stand_for_all());
            loop {
                let fits = fit(job, &counts, fitted, center, progress)?;
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
        let point = |((fit, judged), &mass_without_draws): ((&Fitted, &Judged), &f64)| PathPoint {
            atoms: fit.atoms,
            measure: fit.measure.clone(),
            judgement: Judgement {
                held_out: Some(HeldOut::new(judged, &seen.medoid)),
                ..Judgement::fitted(fit.judged.expected_loss, floor)
            },
            over_best: judged.expected_loss - best.expected_loss,
            over_best_se: judged.difference_error_of_both(best),
            mass_without_draws,
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
    fn new(found: &Aligned, judged: &Judged, floor: &Floor) -> Self {
        AlignedSupport {
            estimate: found.estimate.clone(),
            existence: found.existence.clone(),
            unmatched: found.unmatched,
            judgement: Judgement::fitted(judged.expected_loss, floor),
            distances: judged.costs.iter().map(|&cost| Order::TWO.root(cost)).collect(),
        }
    }
}

/// An estimate that is no draw, as far as it is told.
#[derive(Clone, Copy)]
pub(crate) struct NoDraw<'a> {
    pub(crate) estimate: &'a MixingMeasure,
    pub(crate) judgement: &'a Judgement,
    pub(crate) distances: &'a [f64],
}

impl Assessment {
    /// The estimate that was asked for, when that is not the medoid.
    pub(crate) fn of_estimate(&self) -> Option<NoDraw<'_>> {
        let free = self.free.as_ref().map(|free| NoDraw {
            estimate: &free.estimate,
            judgement: &free.judgement,
            distances: &free.distances,
        });
        free.or(self.aligned.as_ref().map(|aligned| NoDraw {
            estimate: &aligned.estimate,
            judgement: &aligned.judgement,
            distances: &aligned.distances,
        }))
    }

    /// The same, judged against another floor for the same slices, such as the one that another summary of the same draws gives: bounds that are found in
    /// different ways differ in their last digits.
    #[must_use]
    pub fn against(mut self, floor: Floor) -> Self {
        let free = self.free.iter_mut();
        let judgements = free.flat_map(|free| {
            std::iter::once(&mut free.judgement).chain(free.path.iter_mut().map(|point| &mut point.judgement))
        });
        let others = self.aligned.iter_mut().map(|aligned| &mut aligned.judgement).chain(self.candidate.iter_mut());
        for judgement in judgements.chain(others).chain([&mut self.medoid]) {
            judgement.excess = floor.excess(judgement.expected_loss);
        }
        Assessment { floor, ..self }
    }

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
        Judgement { expected_loss, excess: floor.excess(expected_loss), held_out: None, total_variation: None }
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
