//! The posterior: draws, data and settings bound once; every question is put to it, and nothing is computed twice.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use mixgist::components::Rules;
use mixgist::credible::Question as Asked;
use mixgist::representatives::Count;
use mixgist::{Error, Estimate, Progress, Settings};
use mixgist_front::OwnedPosterior;
use mixgist_io::DataTable;
use mixgist_report::{Kind, Known, Presentation};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

use crate::answer::Answer;
use crate::arrays::output;
use crate::draws::Draws;
use crate::error::{InPython, Result};
use crate::measure::Measure;
use crate::options::{EstimateOptions, Question};
use crate::running::Call;
use crate::slices::SliceFunction;
use crate::summary::Summary;
use crate::workers::Carried;

/// Draws, data and settings, with what was computed from them so far.
#[pyclass(frozen, weakref, module = "mixgist._core")]
pub struct Posterior {
    bound: OwnedPosterior,
    /// A slice function of the user's and the number of its slices.
    function: Option<(Py<PyAny>, usize)>,
    threads: Option<usize>,
    /// What carries work on slices elsewhere, if anything does.
    courier: Mutex<Option<Py<PyAny>>>,
    /// Whether questions about components are about the aligned estimate, whatever the others are about.
    usual: bool,
}

/// Level, overlap, share and least weight; rules without a value are the usual ones.
type GivenRules = (f64, Option<f64>, Option<f64>, Option<f64>);

fn rules_of((level, overlap, share, least_weight): GivenRules) -> Rules {
    let usual = Rules::default();
    usual
        .with_level(level)
        .with_overlap(overlap.unwrap_or(usual.overlap))
        .with_share(share.unwrap_or(usual.share))
        .with_least_weight(least_weight.unwrap_or(usual.least_weight))
}

/// A function (phase, done, total, remark) that shows progress.
type Report = Option<Py<PyAny>>;

/// An estimate that the user gave: the measure, what it is for a person, and the summary of these draws that it may be.
type Given<'py> = (PyRef<'py, Measure>, String, Option<PyRef<'py, Summary>>);

impl Posterior {
    /// Runs a job about the posterior, with the interpreter released.
    pub fn ask<T: Send>(
        &self,
        py: Python<'_>,
        progress: Report,
        job: impl FnOnce(&mixgist::Posterior, &dyn Progress) -> mixgist::Result<T> + Send,
    ) -> Result<T> {
        let call = Call { threads: self.threads, progress };
        let Some((function, count)) = &self.function else {
            let courier =
                self.courier.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|one| one.clone_ref(py));
            let Some(courier) = courier else {
                return call.run(py, |progress| job(&self.bound.posterior()?, progress));
            };
            let workers = Carried::new(py, &courier)?;
            let found = call.run(py, |progress| job(&self.bound.posterior()?.with_workers(Some(&workers)), progress));
            return workers.outcome(found);
        };
        let function = SliceFunction::new(function.clone_ref(py));
        let slices = function.slices(*count);
        let found = call.run(py, |progress| job(&self.bound.posterior()?.over(&slices), progress));
        function.outcome(found)
    }

    /// The same for a question about components.
    fn ask_about_components<T: Send>(
        &self,
        py: Python<'_>,
        progress: Report,
        job: impl FnOnce(&mixgist::Posterior, &dyn Progress) -> mixgist::Result<T> + Send,
    ) -> Result<T> {
        self.ask(py, progress, |posterior, progress| match self.usual {
            true => job(&posterior.about_components(progress)?, progress),
            false => job(posterior, progress),
        })
    }
}

/// An answer from its document, as far as a figure shows it, with the kind of that figure.
fn known(kind: &str, text: &str) -> Result<(Option<Known>, &'static str)> {
    fn from<T: DeserializeOwned>(text: &str) -> Result<mixgist::Answer<T>> {
        Ok(serde_json::from_str(text).map_err(|cause| Error::input(format!("the document is damaged: {cause}")))?)
    }
    Ok(match kind {
        "credible" => (Some(Known::Credible(from(text)?)), "map"),
        "components" => (Some(Known::Components(from(text)?)), "components"),
        "memberships" => (Some(Known::Memberships(from(text)?)), "memberships"),
        "how_many" => (Some(Known::HowMany(from(text)?)), "how-many"),
        "representatives" => (Some(Known::Representatives(from(text)?)), "representatives"),
        "stability" => (Some(Known::Stability(from(text)?)), "stability"),
        // Aligned draws are about the components.
        _ => (None, "components"),
    })
}

/// A key of the numbers of a table.
fn key_of(data: Option<&DataTable>) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(data) = data {
        data.columns().hash(&mut hasher);
        data.values().iter().for_each(|value| value.to_bits().hash(&mut hasher));
    }
    hasher.finish()
}

#[pymethods]
impl Posterior {
    #[new]
    fn new(
        draws: &Draws,
        question: Question<'_>,
        estimating: EstimateOptions<'_>,
        given: Option<Given<'_>>,
        usual: bool,
    ) -> Result<Self> {
        let settings = estimating.settings(&question)?;
        let threads = question.threads;
        let mut bound = OwnedPosterior::new(Arc::clone(&draws.file), question.own_data()?, settings);
        let function = question.function.map(|(function, count, _)| (function, count));
        if let Some((measure, source, summary)) = given {
            bound.check_dimension("the estimate", &measure.measure)?;
            if let Some(summary) = summary.filter(|_| function.is_none())
                && let Some(settings) = adopted(&bound, &summary)
            {
                bound.settings = settings;
                let known = bound.posterior()?.with_summary(&summary.answer)?;
                (bound.kept, bound.settings) = (known.kept(), known.settings().clone());
            } else {
                bound.given = Some(Estimate::new(measure.measure.clone(), source));
            }
        }
        Ok(Posterior { bound, function, threads, courier: Mutex::new(None), usual })
    }

    /// From now on work on slices is carried elsewhere by this object, or done here.
    fn work_by(&self, courier: Option<Py<PyAny>>) {
        *self.courier.lock().unwrap_or_else(PoisonError::into_inner) = courier;
    }

    /// Whether the estimate was given and is not known to be the one of these draws and settings.
    #[getter]
    fn is_given(&self) -> bool {
        self.bound.given.is_some()
    }

    /// The point estimate with its evidence.
    fn summary(&self, py: Python<'_>, progress: Report) -> Result<Summary> {
        self.bound.require_memory("use route=\"auto\", fewer slices, or keep fewer draws: draws.thinned(thin=2)")?;
        let answer =
            self.ask(py, progress, |posterior, progress| Ok(posterior.answer(posterior.summary(progress)?.clone())))?;
        Summary::new(py, answer, Some(key_of(self.bound.data())))
    }

    /// Balls around the estimate, and a region around a hypothesised measure.
    fn credible(
        &self,
        py: Python<'_>,
        level: f64,
        hypothesis: Option<&Measure>,
        radius: Option<f64>,
        conformal: bool,
        progress: Report,
    ) -> Result<Answer> {
        let hypothesis = hypothesis.map(|measure| measure.measure.clone());
        if let Some(measure) = &hypothesis {
            self.bound.check_dimension("the hypothesis", measure)?;
        }
        self.ask(py, progress, |posterior, progress| {
            let hypothesis = hypothesis.as_ref().map(|measure| (measure, radius));
            Answer::new(&posterior.credible(&Asked { level, hypothesis, conformal }, progress)?)
        })
    }

    /// The posterior of every component of the estimate.
    fn components(&self, py: Python<'_>, rules: GivenRules, progress: Report) -> Result<Answer> {
        let rules = rules_of(rules);
        self.ask_about_components(py, progress, |posterior, progress| {
            Answer::new(&posterior.components(rules, progress)?)
        })
    }

    /// Every draw aligned with the components, with names of the user's or of an older fit.
    fn align(
        &self,
        py: Python<'_>,
        rules: GivenRules,
        names: Option<Vec<String>>,
        old: Option<(PyRef<'_, Measure>, Vec<String>)>,
        progress: Report,
    ) -> Result<Answer> {
        let rules = rules_of(rules);
        let old = old.map(|(measure, names)| (measure.measure.clone(), names));
        self.ask_about_components(py, progress, |posterior, progress| {
            Answer::new(&posterior.aligned_by_name(rules, names, old.as_ref(), progress)?)
        })
    }

    /// Who belongs to which component.
    fn memberships(&self, py: Python<'_>, rules: GivenRules, progress: Report) -> Result<Answer> {
        let rules = rules_of(rules);
        self.ask_about_components(py, progress, |posterior, progress| {
            Answer::new(&posterior.memberships(rules, progress)?)
        })
    }

    /// How many clusters and components there are.
    fn how_many(&self, py: Python<'_>, progress: Report) -> Result<Answer> {
        let labels = self.bound.partitions()?;
        self.ask_about_components(py, progress, |posterior, progress| {
            Answer::new(&posterior.how_many(labels.as_ref(), progress)?)
        })
    }

    /// One medoid for each mode; `count` without a value as many as there are modes. Densities have `grid` points per axis.
    fn representatives(&self, py: Python<'_>, count: Option<usize>, grid: usize, progress: Report) -> Result<Answer> {
        let wanted = count.map_or(Count::Auto, Count::Fixed);
        self.ask(py, progress, |posterior, progress| Answer::new(&posterior.representatives(wanted, grid, progress)?))
    }

    /// The estimate under other choices.
    fn stability(&self, py: Python<'_>, level: f64, progress: Report) -> Result<Answer> {
        self.ask(py, progress, |posterior, progress| Answer::new(&posterior.stability(level, progress)?))
    }

    /// The main figure of an answer to a question of this posterior, as SVG; none where there is nothing to draw it from.
    fn picture(&self, py: Python<'_>, kind: &str, text: &str) -> Result<Option<String>> {
        if self.bound.given.is_some() {
            return Ok(None);
        }
        let (known, kind) = known(kind, text)?;
        let labels = self.bound.partitions()?;
        self.ask(py, None, |posterior, progress| {
            let answer = posterior.answer(posterior.summary(progress)?.clone());
            let mut shown = Presentation::new(&answer, &InPython, progress)?.with_posterior(posterior)?;
            if let Some(labels) = &labels {
                shown = shown.with_partitions(labels);
            }
            if let Some(known) = known {
                shown = shown.knowing(known);
            }
            // A kind refuses what it cannot be drawn from, such as slices of the user's own: the answer is then shown without it.
            Ok(Kind::from_name(kind)?.draw(&shown).ok().map(|figure| figure.to_svg()))
        })
    }

    /// Distances to every draw, from the estimate or from another measure.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        measure: Option<&Measure>,
        progress: Report,
    ) -> Result<Bound<'py, PyArrayDyn<f64>>> {
        let from = measure.map(|measure| measure.measure.clone());
        let found = self.ask(py, progress, |posterior, progress| match &from {
            Some(measure) => posterior.row(measure, progress),
            None => Ok(posterior.distances(progress)?.to_vec()),
        })?;
        let draws = found.len();
        Ok(output(py, found, [draws]))
    }
}

/// The settings of a summary of the same draws, if all that matters for its estimate is as in these settings, and the data are the same.
fn adopted(bound: &OwnedPosterior, summary: &Summary) -> Option<Settings> {
    let theirs = &summary.answer.about.settings;
    let ours = bound
        .settings
        .clone()
        .with_estimator(theirs.estimator)
        .with_candidate(theirs.candidate.clone())
        .with_route(theirs.route);
    (ours == *theirs && summary.data_key == Some(key_of(bound.data()))).then_some(ours)
}
