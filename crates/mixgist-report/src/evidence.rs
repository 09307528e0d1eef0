//! What can be said with confidence about a summary, computed from its draws when a figure or a section asks for it, and once only.
//!
//! The ball comes from the distances of the summary itself, components from all draws. What takes estimates again (the path, the
//! conformal ball, representatives) uses fewer slices than the summary, [`SLICES`], and says so. The stability card is about the estimate that the
//! report presents, so that it uses all slices where that is affordable; else it says how far its own estimate is from that one.

use std::cell::OnceCell;

use mixgist::components::{Rules, components};
use mixgist::credible::{Source, ball, conformal};
use mixgist::representatives::{Count, representatives};
use mixgist::ruler::Ruler;
use mixgist::stability::{MOST_DRAWS, in_radii, stability};
use mixgist::{AtomCount, Ensemble, Estimator, MixingMeasure, Result, Settings, summarize};
use mixgist_io::AssessmentDocument;
use mixgist_io::posterior::{
    About, BallDocument, ComponentsDocument, ConformalDocument, EstimateOrigin, RepresentativesDocument,
    StabilityDocument,
};

use crate::replay::{known_slicer, settings, slice_text, stand_in};
use crate::subject::Subject;

/// Slices of what is estimated again: the questions are by how much, not by which digit.
pub const SLICES: usize = 100;
/// Atoms of draws on slices, counted for one estimate, that the dozen estimates of a stability card can afford.
const AFFORDABLE: usize = 4_000_000;
/// Radii that two decimals do not show.
const UNSEEN_RADII: f64 = 0.005;
/// Posterior probability of balls and intervals.
pub const LEVEL: f64 = 0.95;

/// What was computed so far.
#[derive(Default)]
pub(crate) struct Evidence {
    ball: OnceCell<BallDocument>,
    conformal: OnceCell<ConformalDocument>,
    components: OnceCell<ComponentsDocument>,
    representatives: OnceCell<(RepresentativesDocument, Vec<MixingMeasure>)>,
    stability: OnceCell<Card>,
    path: OnceCell<Path>,
}

/// The stability card.
pub struct Card {
    /// What it says.
    pub document: StabilityDocument,
    /// With how many slices and draws it was computed.
    pub how: String,
    /// How far the estimate that it starts from is from the summary's, in radii, where that can be seen: another one, because there were
    /// fewer slices or draws.
    pub away: Option<f64>,
}

/// The path over numbers of atoms.
pub struct Path {
    /// How good the estimates on it are; its `free` is there.
    pub assessment: AssessmentDocument,
    /// With how many slices and draws it was computed.
    pub how: String,
    /// Whether it is that of the summary itself.
    pub own: bool,
}

/// The value of a cell, computed when it is asked for the first time.
fn once<T>(cell: &OnceCell<T>, compute: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = compute()?;
    Ok(cell.get_or_init(|| value))
}

impl<'a> Subject<'a> {
    /// How what is estimated again was computed, for captions.
    pub fn again(&self) -> String {
        slice_text(self.summary, SLICES)
    }

    /// What captions say when directions are missing.
    pub fn stand_in(&self) -> String {
        stand_in(self)
    }

    /// The credible ball around the estimate, by the distances of the summary.
    pub fn ball(&self) -> Result<&BallDocument> {
        once(&self.evidence.ball, || {
            let draws = self.need_draws()?;
            let ball = ball(draws, &self.summary.distances, LEVEL)?;
            let slice_error = match ball.farthest.first() {
                Some(member) if known_slicer(self.summary).is_ok() => {
                    let ruler = Ruler::new(draws, self.data, &settings(self, self.summary.slices)?)?;
                    ruler.between(&self.estimate, &draws.draw(member.draw))?.standard_error
                }
                _ => None,
            };
            Ok(BallDocument::new(&ball, slice_error, draws))
        })
    }

    /// The conformal ball, its centre estimated from a half of the draws.
    pub fn conformal(&self) -> Result<&ConformalDocument> {
        once(&self.evidence.conformal, || {
            let (draws, settings) = (self.need_draws()?, settings(self, SLICES)?);
            let fit = |half: &Ensemble| mixgist::estimate(half, self.data, &settings, self.progress);
            let (source, distances) = (Source::Fitted(&fit), &self.summary.distances);
            let found = conformal(draws, self.data, &settings, LEVEL, &source, distances, self.progress)?;
            Ok(ConformalDocument::new(&found, false))
        })
    }

    /// What the posterior says about each component of the estimate.
    pub fn components(&self) -> Result<&ComponentsDocument> {
        once(&self.evidence.components, || {
            let (draws, settings) = (self.need_draws()?, settings(self, SLICES)?);
            let rules = Rules { level: LEVEL, ..Rules::default() };
            let found = components(&self.estimate, draws, &settings.units, rules, self.progress)?;
            let origin = EstimateOrigin {
                measure: &self.estimate,
                draw: (!self.is_free()).then_some(self.summary.draw),
                source: &self.summary.estimator,
            };
            ComponentsDocument::new(&found, &origin, &self.about(draws, &settings))
        })
    }

    /// One draw for each mode of the posterior, with its measure.
    pub fn representatives(&self) -> Result<&(RepresentativesDocument, Vec<MixingMeasure>)> {
        once(&self.evidence.representatives, || {
            let (draws, settings) = (self.need_draws()?, settings(self, SLICES)?);
            let found = representatives(draws, self.data, &settings, Count::Auto, self.progress)?;
            let document = RepresentativesDocument::new(&found, &[], &self.about(draws, &settings))?;
            Ok((document, found.representatives.into_iter().map(|one| one.measure).collect()))
        })
    }

    /// What the estimate does when choices change.
    pub fn stability(&self) -> Result<&Card> {
        once(&self.evidence.stability, || {
            let draws = self.need_draws()?;
            let slices = card_slices(draws);
            let settings = settings(self, slices)?;
            let card = stability(draws, self.data, &settings, LEVEL, &mixgist::estimate, self.progress)?;
            let own = if self.is_free() { self.estimate.clone() } else { draws.draw(self.summary.draw) };
            let distance = Ruler::new(draws, self.data, &settings)?.between(&own, &card.estimate)?.value;
            let away = Some(in_radii(distance, &card.ball)).filter(|&radii| radii >= UNSEEN_RADII);
            let thinned = if card.thin > 1 { format!(", one in {} draws", card.thin) } else { String::new() };
            let how = format!("{}{thinned}", slice_text(self.summary, slices));
            Ok(Card { document: StabilityDocument::new(&card, &self.about(draws, &settings))?, how, away })
        })
    }

    /// The path over numbers of atoms: that of the summary, or one from fewer slices and draws.
    pub fn path(&self) -> Result<&Path> {
        once(&self.evidence.path, || {
            if let Some(assessment) = self.summary.assessment.as_ref().filter(|assessment| assessment.free.is_some()) {
                let how = slice_text(self.summary, self.summary.slices);
                return Ok(Path { assessment: assessment.clone(), how, own: true });
            }
            let draws = self.need_draws()?;
            let every = draws.len().div_ceil(MOST_DRAWS);
            let some = draws.select(&draws.thinned(0, every))?;
            let estimator = Estimator::Free(AtomCount::default());
            let settings = Settings { estimator, ..settings(self, SLICES)? };
            let summary = summarize(&some, self.data, &settings, self.progress)?;
            let assessment = summary.assessment.as_ref().map(AssessmentDocument::from);
            let Some(assessment) = assessment.filter(|assessment| assessment.free.is_some()) else {
                return Err(mixgist::Error::usage("the path over numbers of atoms is known for order 2 only"));
            };
            let thinned = if every > 1 { format!(", one in {every} draws") } else { String::new() };
            Ok(Path { assessment, how: format!("{}{thinned}", self.again()), own: false })
        })
    }

    fn about<'b>(&'b self, ensemble: &'b Ensemble, settings: &'b Settings) -> About<'b> {
        About { ensemble, settings, columns: self.summary.columns.as_deref() }
    }
}

/// How many slices a stability card of these draws can afford, [`SLICES`] at least.
fn card_slices(draws: &Ensemble) -> usize {
    let used = draws.weights().len().div_ceil(draws.len().div_ceil(MOST_DRAWS));
    (AFFORDABLE / used.max(1)).max(SLICES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mixgist::CovarianceForm;

    #[test]
    fn a_card_takes_as_many_slices_as_it_can_afford() {
        let slices = |draws: usize, atoms: usize| {
            let ones = vec![1.0; draws * atoms];
            card_slices(&Ensemble::from_dense(1, atoms, &ones, &ones, &ones, CovarianceForm::Covariance).unwrap())
        };
        assert_eq!((slices(120, 3), slices(MOST_DRAWS, 4), slices(MOST_DRAWS, 100)), (AFFORDABLE / 360, 500, SLICES));
        // The card uses one in five of these.
        assert_eq!(slices(5 * MOST_DRAWS, 4), 500);
    }
}
