//! Which fit is taken: all of them judged on slices that nothing was fitted to, and asked whether the draws have their atoms.

use super::fit::Fitted;
use super::judge::{Judged, OnSlices};
use super::{AtomCount, Job, path};
use crate::Result;
use crate::progress::Progress;
use crate::select::SAFE_SEPARATION;
use crate::support::{NOTABLE_MASS, Support};

/// Everything on slices that nothing was fitted to, judged in one pass.
pub(super) struct OnHeldOut {
    pub(super) medoid: Judged,
    pub(super) candidate: Option<Judged>,
    pub(super) aligned: Option<Judged>,
    pub(super) fits: Vec<Judged>,
}

impl OnHeldOut {
    pub(super) fn new(job: &Job, fits: &[Fitted], held_out: &dyn OnSlices, progress: &dyn Progress) -> Result<Self> {
        let mut measures = job.draws.some(&[job.medoid.draw])?;
        measures.extend(job.candidate.cloned());
        measures.extend(job.aligned.as_ref().map(|aligned| aligned.estimate.clone()));
        measures.extend(fits.iter().map(|fit| fit.measure.clone()));
        let mut judged = held_out.judge(&measures, job.loss, progress)?.into_iter();
        let medoid = judged.next().expect("the medoid is among them");
        let candidate = job.candidate.and_then(|_| judged.next());
        let aligned = job.aligned.as_ref().and_then(|_| judged.next());
        Ok(OnHeldOut { medoid, candidate, aligned, fits: judged.collect() })
    }

    /// The fit of least expected loss.
    pub(super) fn best(&self) -> &Judged {
        &self.fits[self.best_of(|_| true).expect("there is a fit")]
    }

    /// The fit of least expected loss among some.
    fn best_of(&self, among: impl Fn(usize) -> bool) -> Option<usize> {
        let loss = |i: usize| self.fits[i].expected_loss;
        (0..self.fits.len()).filter(|&i| among(i)).reduce(|best, i| if loss(i) < loss(best) { i } else { best })
    }

    /// Whether a fit is better than the medoid. A fit that is the medoid does not beat it by rounding.
    fn beats_medoid(&self, i: usize) -> bool {
        self.fits[i].expected_loss < self.medoid.expected_loss * (1.0 - path::TIE)
    }

    /// The first of some fits that cannot be told from the best of them and, if that beats the medoid, is no worse than the medoid.
    fn smallest_as_good(&self, among: impl Fn(usize) -> bool) -> Option<usize> {
        let best_index = self.best_of(&among)?;
        let best = &self.fits[best_index];
        let beaten = if self.beats_medoid(best_index) { self.medoid.expected_loss } else { f64::INFINITY };
        (0..self.fits.len()).filter(|&i| among(i)).find(|&i| {
            let judged = &self.fits[i];
            let tolerated = SAFE_SEPARATION * judged.difference_error_of_both(best);
            let tolerated = tolerated.clamp(IMMATERIAL * best.expected_loss, MATERIAL * best.expected_loss);
            judged.expected_loss - best.expected_loss <= tolerated && judged.expected_loss <= beaten
        })
    }
}

/// A loss that is larger by no more than this part is not worth another atom.
pub(crate) const IMMATERIAL: f64 = 0.01;

/// A loss that is larger by more than this part is worth another atom, whatever its error.
pub(crate) const MATERIAL: f64 = 0.05;

/// Which fit is taken, and which one the loss alone would have taken if that is another.
pub(super) struct Choice {
    pub(super) chosen: usize,
    pub(super) refused: Option<usize>,
    /// For each fit the part of its mass that stands where hardly a draw has a component.
    pub(super) without_draws: Vec<f64>,
}

/// The fit that was asked for, or that `auto` takes; see the text of the parent module.
pub(super) fn choose(
    count: AtomCount,
    fits: &[Fitted],
    seen: &OnHeldOut,
    support: &Support,
    progress: &dyn Progress,
) -> Result<Choice> {
    let mut without_draws: Vec<f64> = Vec::with_capacity(fits.len());
    for (i, fit) in fits.iter().enumerate() {
        progress.check()?;
        // A fit can be that of the number before.
        let known = i > 0 && fit.measure == fits[i - 1].measure;
        without_draws.push(if known { without_draws[i - 1] } else { support.mass_without_draws(&fit.measure) });
    }
    let last = fits.len() - 1;
    if let AtomCount::Fixed(count) = count {
        let chosen = fits.iter().position(|fit| fit.atoms == count).unwrap_or(last);
        return Ok(Choice { chosen, refused: None, without_draws });
    }
    let wanted = seen.smallest_as_good(|_| true).unwrap_or(last);
    let better = |i: usize| !seen.beats_medoid(wanted) || seen.beats_medoid(i);
    let chosen = seen.smallest_as_good(|i| without_draws[i] <= NOTABLE_MASS && better(i)).unwrap_or_else(|| {
        let least = |best: usize, i: usize| if without_draws[i] < without_draws[best] { i } else { best };
        (0..fits.len()).filter(|&i| better(i)).reduce(least).unwrap_or(wanted)
    });
    Ok(Choice { chosen, refused: (chosen != wanted).then_some(wanted), without_draws })
}
