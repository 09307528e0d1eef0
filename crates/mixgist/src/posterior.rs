//! The posterior: draws, data and settings bound once. What was computed is kept, and every question is put to it.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::about::{About, Source};
use crate::aligned::Alignment;
use crate::blocks::{BlockWorkers, EnsembleBlocks};
use crate::effective::{Origin, chains_in_order, draw_weights};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Document, Fits, are_below, has_dim};
use crate::pairwise::{Condensed, Distance, SlicedDistance};
use crate::points::Points;
use crate::progress::Progress;
use crate::prune::Pruning;
use crate::select::least;
use crate::settings::{Settings, SliceCount};
use crate::slice::Slices;
use crate::summary::{self, Job, Summary};
use crate::text;
use crate::text::{Index, Text, index};
use crate::units::ResolvedUnits;
use crate::work::{Study, Workers};
use crate::{Error, Result};

/// A result with what it is about and how it was computed: the document that all fronts print, write and read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Answer<T> {
    /// What it is about.
    #[serde(flatten)]
    pub about: About,
    /// The result. It stands before the estimate, so that one that has an `estimate` of its own reads it.
    #[serde(flatten)]
    pub result: T,
    /// The estimate that it is about, unless the result is the estimate itself.
    #[serde(flatten, deserialize_with = "Estimate::whole_or_absent")]
    pub around: Option<Estimate>,
}

impl<T: Fits> Document for Answer<T> {
    fn check(&self) -> Result<()> {
        self.about.check()?;
        if let Some(around) = &self.around {
            has_dim("the estimate", &around.measure, self.about.dim)?;
            are_below("estimate_draw", around.draw, self.about.draws)?;
        }
        self.result.fits(self.about.draws, self.about.dim)
    }
}

impl<T> Deref for Answer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.result
    }
}

/// An estimate and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Estimate {
    /// The estimate.
    #[serde(rename = "estimate")]
    pub measure: MixingMeasure,
    /// Which draw it is, when it is one of them.
    #[serde(rename = "estimate_draw")]
    #[schemars(with = "Option<Index>")]
    pub draw: Option<usize>,
    /// Where it comes from, for a person.
    #[serde(rename = "estimate_source")]
    pub source: Text,
    /// The number of slices that it was found with; null when it was given.
    #[serde(rename = "estimate_slices", default)]
    pub slices: Option<usize>,
}

impl Estimate {
    /// A measure of the user's own and where it comes from, for a person.
    pub fn new(measure: MixingMeasure, source: impl Into<Text>) -> Self {
        Estimate { measure, draw: None, source: source.into(), slices: None }
    }

    /// The same, known to be this draw.
    #[must_use]
    pub fn with_draw(mut self, draw: Option<usize>) -> Self {
        self.draw = draw;
        self
    }

    /// Reads one, or none; where a part of one is missing or damaged, that is an error. A result may have an `estimate` of its own: one around it
    /// is known by the fields that only such an estimate has.
    fn whole_or_absent<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Self>, D::Error> {
        /// Any part may be missing. What is there must be sound.
        #[derive(Deserialize)]
        struct Parts {
            estimate: Option<MixingMeasure>,
            #[serde(default, deserialize_with = "even_null")]
            estimate_draw: Option<Option<usize>>,
            estimate_source: Option<Text>,
            #[serde(default, deserialize_with = "even_null")]
            estimate_slices: Option<Option<usize>>,
        }
        let parts = Parts::deserialize(deserializer)?;
        if parts.estimate_source.is_none() && parts.estimate_draw.is_none() && parts.estimate_slices.is_none() {
            return Ok(None);
        }
        Ok(Some(Estimate {
            measure: parts.estimate.ok_or_else(|| D::Error::missing_field("estimate"))?,
            draw: parts.estimate_draw.flatten(),
            source: parts.estimate_source.ok_or_else(|| D::Error::missing_field("estimate_source"))?,
            slices: parts.estimate_slices.flatten(),
        }))
    }
}

/// A field that is there, if only as null.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Option<usize>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Draws, data and settings, with what was computed from them so far.
///
/// Units are resolved, draws scaled and slices frozen when that is needed first, and then kept; so are the summary and the distances of its
/// estimate. All questions see the same slices.
pub struct Posterior<'a> {
    ensemble: Cow<'a, Ensemble>,
    data: Option<Points<'a>>,
    settings: Settings,
    columns: Option<Vec<String>>,
    source: Option<Source>,
    own: Option<&'a dyn Slices>,
    workers: Option<&'a dyn Workers>,
    /// Which of the draws that the workers know these are, unless they are all.
    subset: Option<Vec<usize>>,
    given: Option<Estimate>,
    kept: Arc<Computed>,
}

/// What was computed from a posterior so far; it can be handed to another posterior of the same draws, data and settings.
#[derive(Default)]
pub struct Computed {
    scaled: OnceLock<(ResolvedUnits, Option<Ensemble>)>,
    slices: OnceLock<Box<dyn Slices>>,
    summary: OnceLock<Summary>,
    estimate: OnceLock<Estimate>,
    alignment: OnceLock<Arc<Alignment>>,
    distances: OnceLock<Vec<f64>>,
    all_distances: OnceLock<Condensed>,
}

/// Distances between all draws are kept for at most so many draws: they take 4 MB then.
const MOST_KEPT: usize = 1000;

/// The value of a cell, computed when it is asked for the first time.
fn once<T>(cell: &OnceLock<T>, compute: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = compute()?;
    Ok(cell.get_or_init(|| value))
}

impl<'a> Posterior<'a> {
    /// Binds draws, data and settings; data set the scale of `sd` and `whiten` units and get labels.
    pub fn new(ensemble: impl Into<Cow<'a, Ensemble>>, data: Option<Points<'a>>, settings: Settings) -> Result<Self> {
        let ensemble = ensemble.into();
        if let Some(points) = data.filter(|points| points.dim() != ensemble.dim()) {
            return Err(Error::input(format!(
                "data have {} columns, the draws have dimension {}",
                points.dim(),
                ensemble.dim()
            )));
        }
        let kept = Arc::default();
        Ok(Posterior {
            ensemble,
            data,
            settings,
            columns: None,
            source: None,
            own: None,
            workers: None,
            subset: None,
            given: None,
            kept,
        })
    }

    /// With names of the data's columns.
    #[must_use]
    pub fn with_columns(mut self, columns: Option<&[String]>) -> Self {
        self.columns = columns.map(<[String]>::to_vec);
        self
    }

    /// With the files that it came from.
    #[must_use]
    pub fn with_source(mut self, source: Option<Source>) -> Self {
        self.source = source;
        self
    }

    /// Over slices of the caller's own; the directions and the seed of the settings do not matter then.
    #[must_use]
    pub fn over(mut self, slices: &'a dyn Slices) -> Self {
        self.own = Some(slices);
        self
    }

    /// With workers who know these draws and work on slices instead of the threads of this process; answers have the same bits. Slices of the
    /// caller's own stay here.
    #[must_use]
    pub fn with_workers(mut self, workers: Option<&'a dyn Workers>) -> Self {
        self.workers = workers;
        self
    }

    /// With an estimate that was made elsewhere: balls, components and cards are about it.
    #[must_use]
    pub fn with_estimate(mut self, estimate: Option<Estimate>) -> Self {
        self.given = estimate;
        self
    }

    /// With what was computed before from the same draws, data and settings.
    #[must_use]
    pub fn with_kept(mut self, kept: Arc<Computed>) -> Self {
        self.kept = kept;
        self
    }

    /// With a summary that was computed before, such as one that was read from a file: it is not computed again. The number of slices is
    /// that of the summary.
    pub fn with_summary(mut self, summary: &Summary) -> Result<Self> {
        let (draws, dim) = (self.ensemble.len(), self.ensemble.dim());
        if summary.distances.len() != draws || summary.estimate.dim() != dim {
            let (known, own) = (summary.distances.len(), summary.estimate.dim());
            return Err(Error::input(format!(
                "the summary is of {known} draws of dimension {own}, these are {draws} of dimension {dim}"
            )));
        }
        summary.fits(draws, dim)?;
        self.settings.slices = SliceCount::Fixed(summary.slices);
        let kept = Computed::default();
        let scaled = summary.units.transform.is_some().then(|| summary.units.apply(&self.ensemble)).transpose()?;
        let _ = kept.scaled.set((summary.units.clone(), scaled));
        let _ = kept.summary.set(summary.clone());
        self.kept = Arc::new(kept);
        Ok(self)
    }

    /// The draws.
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// The data.
    pub fn data(&self) -> Option<Points<'a>> {
        self.data
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was computed so far.
    pub fn kept(&self) -> Arc<Computed> {
        Arc::clone(&self.kept)
    }

    /// What answers are about.
    pub fn about(&self) -> About {
        About {
            mixgist_version: env!("CARGO_PKG_VERSION").into(),
            draws: self.ensemble.len(),
            chains: chains_in_order(&*self.ensemble).len(),
            dim: self.ensemble.dim(),
            columns: self.columns.clone(),
            settings: self.settings.clone(),
            source: self.source.clone(),
        }
    }

    /// A result that is the estimate, as a document.
    pub fn answer<T>(&self, result: T) -> Answer<T> {
        Answer { about: self.about(), around: None, result }
    }

    /// A result about the estimate, as a document.
    pub fn answer_around<T>(&self, estimate: &Estimate, result: T) -> Answer<T> {
        Answer { about: self.about(), around: Some(estimate.clone()), result }
    }

    /// The units with their numbers.
    pub fn units(&self) -> Result<&ResolvedUnits> {
        Ok(&self.in_units()?.0)
    }

    /// The draws in working units.
    pub fn scaled(&self) -> Result<&Ensemble> {
        Ok(self.in_units()?.1.as_ref().unwrap_or(&self.ensemble))
    }

    fn in_units(&self) -> Result<&(ResolvedUnits, Option<Ensemble>)> {
        once(&self.kept.scaled, || {
            let units = ResolvedUnits::new(&self.settings.units, &self.ensemble, self.data)?;
            let scaled = units.transform.is_some().then(|| units.apply(&self.ensemble)).transpose()?;
            Ok((units, scaled))
        })
    }

    /// The slices; with `auto` as many of them as the estimate needs.
    pub fn slices(&self, progress: &dyn Progress) -> Result<&dyn Slices> {
        if let Some(own) = self.own {
            return Ok(own);
        }
        let frozen = once(&self.kept.slices, || {
            let count = match (self.settings.slices, self.kept.summary.get()) {
                (_, Some(summary)) => summary.slices,
                (SliceCount::Fixed(count), None) => count,
                (SliceCount::Auto { .. }, None) if self.settings.directions.is_some() => 1,
                (SliceCount::Auto { .. }, None) => summary::estimate(&self.job()?, progress)?.1,
            };
            self.settings.freeze(self.ensemble.dim(), count)
        })?;
        Ok(&**frozen)
    }

    fn job(&self) -> Result<Job<'_>> {
        let (units, _) = self.in_units()?;
        let Posterior { ensemble, data, settings, own, workers, subset, kept, .. } = self;
        Ok(Job {
            ensemble,
            scaled: self.scaled()?,
            units,
            data: *data,
            settings,
            own: *own,
            workers: *workers,
            subset: subset.as_deref(),
            alignment: &kept.alignment,
        })
    }

    /// The point estimate with its evidence, computed when it is asked for first. Cost: see [`Route`](crate::Route).
    pub fn summary(&self, progress: &dyn Progress) -> Result<&Summary> {
        once(&self.kept.summary, || {
            if self.own.is_none() && self.settings.works_in_blocks(&self.ensemble) {
                let blocks = EnsembleBlocks::new(&self.ensemble, summary::DRAWS_TOGETHER);
                return Ok(summary::summarize_blocks(&&blocks, self.data, &self.settings, progress)?.0);
            }
            summary::summarize(&self.job()?, progress)
        })
    }

    /// The estimate that balls, components and cards are about: the one that was given, otherwise the summary's. Neither the floor nor labels are
    /// computed for it.
    pub fn estimate(&self, progress: &dyn Progress) -> Result<&Estimate> {
        if let Some(given) = &self.given {
            return Ok(given);
        }
        once(&self.kept.estimate, || {
            let name = self.settings.estimator.name();
            let aligned = self.settings.estimator == crate::Estimator::Aligned;
            if aligned && self.kept.summary.get().is_none() {
                let (measure, slices) = summary::estimate(&self.job()?, progress)?;
                return Ok(Estimate {
                    source: format!("{name} estimate").into(),
                    measure,
                    draw: None,
                    slices: Some(slices),
                });
            }
            let summary = self.summary(progress)?;
            let draw = (self.settings.estimator == crate::Estimator::Medoid).then_some(summary.medoid.draw);
            Ok(Estimate {
                source: match draw {
                    Some(draw) => text![format!("{name}, draw "), index(draw)],
                    None => format!("{name} estimate").into(),
                },
                measure: summary.estimate.clone(),
                draw,
                slices: Some(summary.slices),
            })
        })
    }

    /// The components that the draws have in common, and every draw aligned with them, by the usual rules; found once, from the medoid.
    pub(crate) fn alignment(&self, progress: &dyn Progress) -> Result<&Arc<Alignment>> {
        if let Some(found) = self.kept.alignment.get() {
            return Ok(found);
        }
        self.job()?.alignment(self.medoid_draw(progress)?, progress)?;
        Ok(self.kept.alignment.get().expect("it was found"))
    }

    /// The same posterior with the estimate that questions about components are best put to: the aligned one, unless one was given or another than the medoid
    /// was asked for. A medoid has light atoms by chance, and the components that they stand for cannot be told apart.
    pub fn about_components(&self, progress: &dyn Progress) -> Result<Posterior<'_>> {
        let mut other = Posterior {
            ensemble: Cow::Borrowed(&*self.ensemble),
            data: self.data,
            settings: self.settings.clone(),
            columns: self.columns.clone(),
            source: self.source.clone(),
            own: self.own,
            workers: self.workers,
            subset: self.subset.clone(),
            given: self.given.clone(),
            kept: Arc::clone(&self.kept),
        };
        if self.given.is_some() || self.settings.estimator != crate::Estimator::Medoid {
            return Ok(other);
        }
        let alignment = Arc::clone(self.alignment(progress)?);
        let slices =
            self.kept.summary.get().map(|summary| summary.slices).or(self.kept.slices.get().map(|all| all.len()));
        let slices = slices.map_or_else(|| Ok(self.slices(progress)?.len()), Ok)?;
        let estimate = Estimate {
            measure: alignment.estimate.clone(),
            draw: None,
            source: format!("{} estimate", crate::Estimator::Aligned.name()).into(),
            slices: Some(slices),
        };
        other.settings.estimator = crate::Estimator::Aligned;
        other.kept =
            Arc::new(Computed { alignment: alignment.into(), estimate: estimate.into(), ..Computed::default() });
        Ok(other)
    }

    /// The estimate that was given, if one was.
    pub fn given_estimate(&self) -> Option<&Estimate> {
        self.given.as_ref()
    }

    /// Distances from the estimate to every draw.
    pub fn distances(&self, progress: &dyn Progress) -> Result<&[f64]> {
        if self.given.is_none() {
            return Ok(&self.summary(progress)?.distances);
        }
        let estimate = self.estimate(progress)?;
        Ok(once(&self.kept.distances, || self.row(&estimate.measure, progress))?)
    }

    /// Distances from each of the measures to every draw.
    pub fn rows(&self, measures: &[MixingMeasure], progress: &dyn Progress) -> Result<Vec<Vec<f64>>> {
        let scaled = measures.iter().map(|measure| self.in_working_units(measure)).collect::<Result<Vec<_>>>()?;
        self.distance_of(None, progress)?.rows(&scaled, self.scaled()?, progress)
    }

    /// Distances from one measure to every draw.
    pub fn row(&self, measure: &MixingMeasure, progress: &dyn Progress) -> Result<Vec<f64>> {
        Ok(self.rows(std::slice::from_ref(measure), progress)?.swap_remove(0))
    }

    /// The distance between two measures, with its Monte Carlo error over slices.
    pub fn between(&self, a: &MixingMeasure, b: &MixingMeasure, progress: &dyn Progress) -> Result<Distance> {
        self.distance(progress)?.between(&self.in_working_units(a)?, &self.in_working_units(b)?)
    }

    /// All distances between the draws with these indices.
    pub fn matrix(&self, draws: &[usize], progress: &dyn Progress) -> Result<Condensed> {
        match self.all_distances(progress)? {
            Some(all) => Ok(all.select(draws)),
            None => {
                let distance = self.distance_of(Some(draws), progress)?;
                Ok(distance.matrix(&self.scaled()?.select(draws)?, progress)?.distances)
            }
        }
    }

    /// The distances between all draws, computed when they are asked for first and kept; none when there are too many draws.
    pub fn all_distances(&self, progress: &dyn Progress) -> Result<Option<&Condensed>> {
        if self.ensemble.len() > MOST_KEPT {
            return Ok(None);
        }
        let all = || Ok(self.distance_of(None, progress)?.matrix(self.scaled()?, progress)?.distances);
        once(&self.kept.all_distances, all).map(Some)
    }

    /// The medoid of some of the draws, or under the other loss, where it can be read off the distances between all draws: those are at hand, and nothing else
    /// that distances depend on has changed.
    pub(crate) fn known_medoid(&self, draws: Option<&[usize]>, other: &Posterior) -> Result<Option<usize>> {
        let Some(all) = self.kept.all_distances.get() else { return Ok(None) };
        let Settings { loss, route, .. } = *other.settings();
        let same = other.settings == Settings { loss, route, ..self.settings.clone() }
            && self.settings.estimator == crate::Estimator::Medoid
            && !matches!(self.settings.pruning, Pruning::Tolerance(_))
            && (self.own.is_some() || !matches!(self.settings.slices, SliceCount::Auto { .. }))
            && other.units()?.transform == self.units()?.transform;
        if !same {
            return Ok(None);
        }
        let everyone: Vec<usize>;
        let draws = match draws {
            Some(draws) => draws,
            None => {
                everyone = (0..self.ensemble.len()).collect();
                &everyone
            }
        };
        let (order, weights) = (self.settings.order, draw_weights(&*self.ensemble));
        let expected = |&i: &usize| -> f64 {
            draws.iter().map(|&j| weights[j] * loss.of_cost(order.power(all.get(i, j)), order)).sum()
        };
        let losses: Vec<f64> = draws.iter().map(expected).collect();
        Ok(least(losses.into_iter().enumerate()).map(|place| draws[place]))
    }

    /// The distance that the settings name, over the slices of this posterior, between measures in working units.
    pub fn distance(&self, progress: &dyn Progress) -> Result<SlicedDistance<'_>> {
        Ok(SlicedDistance::new(self.slices(progress)?, self.settings.order).with_pruning(self.settings.pruning))
    }

    /// The same between some of the draws, or between all of them: workers know these, and no other measures.
    fn distance_of(&self, draws: Option<&[usize]>, progress: &dyn Progress) -> Result<SlicedDistance<'_>> {
        let distance = self.distance(progress)?;
        let away = match self.workers.filter(|_| self.own.is_none()) {
            Some(workers) => {
                let study = self.settings.study(self.slices(progress)?.len(), self.units()?)?;
                Some((workers, Study { subset: self.subset_of(draws), ..study }))
            }
            None => None,
        };
        Ok(distance.with_workers(away))
    }

    /// Which of the draws that workers know some of these are.
    fn subset_of(&self, draws: Option<&[usize]>) -> Option<Vec<usize>> {
        match (&self.subset, draws) {
            (Some(own), Some(draws)) => Some(draws.iter().map(|&m| own[m]).collect()),
            (own, draws) => draws.map(<[usize]>::to_vec).or_else(|| own.clone()),
        }
    }

    /// A measure in working units.
    pub fn in_working_units(&self, measure: &MixingMeasure) -> Result<MixingMeasure> {
        if measure.dim() != self.ensemble.dim() {
            return Err(Error::input(format!(
                "the measure has dimension {}, the draws have {}",
                measure.dim(),
                self.ensemble.dim()
            )));
        }
        self.units()?.apply_to_measure(measure)
    }

    /// The same question put to some of the draws, or to all of them, with other settings: nothing is kept from this one.
    pub fn with(&self, draws: Option<&[usize]>, settings: Settings) -> Result<Posterior<'_>> {
        let ensemble = match draws {
            Some(draws) => Cow::Owned(self.ensemble.select(draws)?),
            None => Cow::Borrowed(&*self.ensemble),
        };
        let (workers, subset) = (self.workers, self.subset_of(draws));
        Ok(Posterior { own: self.own, workers, subset, ..Posterior::new(ensemble, self.data, settings)? })
    }

    /// The draw that is the medoid, whatever the estimate.
    pub(crate) fn medoid_draw(&self, progress: &dyn Progress) -> Result<usize> {
        match self.kept.summary.get() {
            Some(summary) => Ok(summary.medoid.draw),
            None => summary::medoid_draw(&self.job()?, progress),
        }
    }

    /// The estimate alone, without floor, labels and warnings.
    pub(crate) fn bare_estimate(&self, progress: &dyn Progress) -> Result<MixingMeasure> {
        match self.kept.summary.get() {
            Some(summary) => Ok(summary.estimate.clone()),
            None => Ok(summary::estimate(&self.job()?, progress)?.0),
        }
    }
}

impl<'a> From<&'a Ensemble> for Cow<'a, Ensemble> {
    fn from(ensemble: &'a Ensemble) -> Self {
        Cow::Borrowed(ensemble)
    }
}

impl From<Ensemble> for Cow<'_, Ensemble> {
    fn from(ensemble: Ensemble) -> Self {
        Cow::Owned(ensemble)
    }
}

/// Summarises draws by their medoid, or by a free-support estimate that starts from it: the short form of [`Posterior::summary`].
///
/// `data` sets the scale of `sd` and `whiten` units and gets labels. Cost: see [`Route`](crate::Route).
pub fn summarize(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Answer<Summary>> {
    let posterior = Posterior::new(ensemble, data, settings.clone())?;
    let summary = posterior.summary(progress)?.clone();
    Ok(posterior.answer(summary))
}

/// As [`summarize`], for draws in blocks, of which one at a time is in memory; for the power loss of order 2. The answer has the same bits as that for draws in
/// memory with the route [`Route::Blocks`](crate::Route::Blocks), however the draws are cut into blocks and whoever answers.
pub fn summarize_blocks(
    blocks: &dyn BlockWorkers,
    data: Option<Points>,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Answer<Summary>> {
    let (result, survey) = summary::summarize_blocks(blocks, data, settings, progress)?;
    let about = About {
        mixgist_version: env!("CARGO_PKG_VERSION").into(),
        draws: survey.draws(),
        chains: chains_in_order(&survey).len(),
        dim: survey.dim,
        columns: None,
        settings: settings.clone(),
        source: None,
    };
    Ok(Answer { about, around: None, result })
}

/// As [`summarize`], over slices of the caller's own; the slicer, the directions and the seed of the settings do not matter then.
pub fn summarize_over(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    slices: &dyn Slices,
    progress: &dyn Progress,
) -> Result<Answer<Summary>> {
    let posterior = Posterior::new(ensemble, data, settings.clone())?.over(slices);
    let summary = posterior.summary(progress)?.clone();
    Ok(posterior.answer(summary))
}

/// The estimate of [`summarize`] alone: for a medoid neither the floor nor labels nor warnings are computed.
pub fn estimate(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<MixingMeasure> {
    Posterior::new(ensemble, data, settings.clone())?.bare_estimate(progress)
}
