//! What the posterior answers about the summary, asked for when a figure or a section needs it, and once only.
//!
//! Every answer is about the estimate and over the slices of the summary.

use std::cell::OnceCell;

use mixgist::HowMany;
use mixgist::Memberships;
use mixgist::components::{Components, Rules};
use mixgist::credible::{self, Conformal, Credible, Question};
use mixgist::representatives::{Count, Representatives};
use mixgist::stability::Stability;
use mixgist::{Answer, AtomCount, Condensed, Error, Estimator, Order, Posterior, Result, Summary};

use super::Presentation;

/// Posterior probability of balls and intervals.
pub const LEVEL: f64 = 0.95;

/// Draws whose distances to all draws are computed, for the map and the figure of losses, at most; some named ones come on top.
pub const LANDMARKS: usize = 200;

/// What was computed so far.
#[derive(Default)]
pub(super) struct Evidence {
    credible: OnceCell<Answer<Credible>>,
    conformal: OnceCell<Conformal>,
    components: OnceCell<Answer<Components>>,
    memberships: OnceCell<Answer<Memberships>>,
    how_many: OnceCell<Answer<HowMany>>,
    representatives: OnceCell<Answer<Representatives>>,
    stability: OnceCell<Answer<Stability>>,
    free: OnceCell<Answer<Summary>>,
    landmarks: OnceCell<Landmarks>,
}

/// Some draws with their distances to all draws.
#[non_exhaustive]
pub struct Landmarks {
    /// The draws, in order.
    pub draws: Vec<usize>,
    /// A row of distances for each of them.
    pub rows: Vec<f64>,
}

/// The value of a cell, computed when it is asked for the first time.
fn once<T>(cell: &OnceCell<T>, compute: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = compute()?;
    Ok(cell.get_or_init(|| value))
}

/// An answer that is known already, so that figures of it are drawn without asking again.
pub enum Known {
    /// A ball.
    Credible(Answer<Credible>),
    /// Components.
    Components(Answer<Components>),
    /// Memberships.
    Memberships(Answer<Memberships>),
    /// Numbers of clusters.
    HowMany(Answer<HowMany>),
    /// Modes.
    Representatives(Answer<Representatives>),
    /// The stability card.
    Stability(Answer<Stability>),
}

impl Presentation<'_> {
    /// With an answer about the same draws.
    #[must_use]
    pub fn knowing(mut self, known: Known) -> Self {
        let evidence = &mut self.evidence;
        match known {
            Known::Credible(answer) => evidence.credible = OnceCell::from(answer),
            Known::Components(answer) => evidence.components = OnceCell::from(answer),
            Known::Memberships(answer) => evidence.memberships = OnceCell::from(answer),
            Known::HowMany(answer) => evidence.how_many = OnceCell::from(answer),
            Known::Representatives(answer) => evidence.representatives = OnceCell::from(answer),
            Known::Stability(answer) => evidence.stability = OnceCell::from(answer),
        }
        self
    }

    /// How far from the estimate the posterior reaches: the credible ball, by the distances of the summary.
    pub fn credible(&self) -> Result<&Answer<Credible>> {
        once(&self.evidence.credible, || {
            let posterior = self.need_posterior()?;
            if self.slices_missing().is_none() {
                let question = Question { level: LEVEL, hypothesis: None, conformal: false };
                return posterior.credible(&question, self.progress);
            }
            // The ball needs the distances alone; what takes slices, an error of the last distance, is not there.
            let (summary, draws) = (self.summary(), posterior.ensemble());
            let found = Credible::of_summary(draws, summary, LEVEL)?;
            Ok(posterior.answer_around(posterior.estimate(self.progress)?, found))
        })
    }

    /// The conformal ball, its centre estimated from a half of the draws.
    pub fn conformal(&self) -> Result<&Conformal> {
        once(&self.evidence.conformal, || {
            self.all_distances()?;
            credible::conformal(self.need_posterior()?, LEVEL, self.progress)
        })
    }

    /// What the posterior says about each component: of the aligned estimate, unless the summary is by another than the medoid.
    pub fn components(&self) -> Result<&Answer<Components>> {
        let rules = Rules::default().with_level(LEVEL);
        once(&self.evidence.components, || self.about_components()?.components(rules, self.progress))
    }

    /// Who belongs to which of these components.
    pub fn memberships(&self) -> Result<&Answer<Memberships>> {
        let rules = Rules::default().with_level(LEVEL);
        once(&self.evidence.memberships, || self.about_components()?.memberships(rules, self.progress))
    }

    /// How many clusters and components there are.
    pub fn how_many(&self) -> Result<&Answer<HowMany>> {
        once(&self.evidence.how_many, || self.about_components()?.how_many(self.partitions, self.progress))
    }

    fn about_components(&self) -> Result<Posterior<'_>> {
        self.need_posterior()?.about_components(self.progress)
    }

    /// One draw for each mode of the posterior.
    pub fn representatives(&self) -> Result<&Answer<Representatives>> {
        once(&self.evidence.representatives, || self.need_posterior()?.representatives(Count::Auto, 0, self.progress))
    }

    /// What the estimate does when choices change.
    pub fn stability(&self) -> Result<&Answer<Stability>> {
        once(&self.evidence.stability, || self.need_posterior()?.stability(LEVEL, self.progress))
    }

    /// A free estimate with the path over numbers of atoms: the summary itself when it is one, else one of the same draws and slices.
    pub fn free(&self) -> Result<&Answer<Summary>> {
        if self.is_free() {
            return Ok(self.answer);
        }
        once(&self.evidence.free, || {
            let posterior = self.need_posterior()?;
            if self.settings().order != Order::TWO {
                return Err(Error::usage("the path over numbers of atoms is known for order 2 only"));
            }
            let estimator = Estimator::Free(AtomCount::default());
            let settings = posterior.settings().clone().with_estimator(estimator);
            let free = posterior.with(None, settings)?.with_columns(self.answer.about.columns.as_deref());
            let mut summary = free.summary(self.progress)?.clone();
            // One page has one floor.
            let floor = self.summary().assessment.as_ref().map(|assessment| assessment.floor);
            if let (Some(floor), Some(assessment)) = (floor, summary.assessment.take()) {
                summary.assessment = Some(assessment.against(floor));
            }
            if summary.free().is_none() {
                return Err(Error::usage("there is no path over numbers of atoms for slices of one's own"));
            }
            Ok(free.answer(summary))
        })
    }

    /// Distances from some of the draws, evenly spread, and from medoid and runner-up to all draws.
    pub fn landmarks(&self) -> Result<&Landmarks> {
        once(&self.evidence.landmarks, || {
            let (posterior, medoid) = (self.need_posterior()?, &self.summary().medoid);
            let all = posterior.ensemble().len();
            let mut draws: Vec<usize> = (0..all).step_by(all.div_ceil(LANDMARKS)).collect();
            draws.extend([medoid.draw].into_iter().chain(medoid.runner_up.map(|other| other.draw)));
            draws.sort_unstable();
            draws.dedup();
            let rows = match self.all_distances()? {
                Some(known) => draws.iter().flat_map(|&i| (0..all).map(move |j| known.get(i, j))).collect(),
                None => posterior.distance(self.progress)?.draw_rows(&draws, posterior.scaled()?, self.progress)?,
            };
            Ok(Landmarks { draws, rows })
        })
    }

    /// The distances between all draws, where the report needs them in any case, so that draws pass through the slices once for all of its parts.
    fn all_distances(&self) -> Result<Option<&Condensed>> {
        match self.whole && self.wants("representatives") {
            true => self.need_posterior()?.all_distances(self.progress),
            false => Ok(None),
        }
    }

    /// Why the slices of the summary cannot be had again, when they cannot: its distance has no name, or its directions are not at hand.
    pub fn slices_missing(&self) -> Option<Error> {
        self.posterior?.slices(self.progress).err()
    }
}
