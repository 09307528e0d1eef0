//! The posterior: draws, data and settings bound once; every question is put to it, and nothing is computed twice.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use mixgist::Computed;
use mixgist::components::Rules;
use mixgist::credible::Question as Asked;
use mixgist::representatives::Count;
use mixgist::{Error, Estimate, MixingMeasure, Progress, Settings};
use mixgist_io::{DataTable, memory};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::arrays::output;
use crate::draws::Draws;
use crate::error::Result;
use crate::measure::Measure;
use crate::options::{EstimateOptions, Question, points};
use crate::running::Call;
use crate::slices::SliceFunction;
use crate::summary::Summary;

/// Draws, data and settings, with what was computed from them so far.
#[pyclass(frozen, module = "mixgist._core")]
pub struct Posterior {
    draws: Py<Draws>,
    /// The data that were given; without them, those that came with the draws.
    data: Option<DataTable>,
    settings: Settings,
    /// A slice function of the user's and the number of its slices.
    function: Option<(Py<PyAny>, usize)>,
    given: Option<Estimate>,
    kept: Arc<Computed>,
    threads: Option<usize>,
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
            return call.run(py, |progress| job(&self.bound()?, progress));
        };
        let function = SliceFunction::new(function.clone_ref(py));
        let slices = function.slices(*count);
        let found = call.run(py, |progress| job(&self.bound()?.over(&slices), progress));
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

    fn bound(&self) -> mixgist::Result<mixgist::Posterior<'_>> {
        let ensemble = &self.draws.get().file.ensemble;
        let bound = mixgist::Posterior::new(ensemble, points(self.data())?, self.settings.clone())?;
        let columns = self.data().and_then(DataTable::column_names);
        Ok(bound.with_columns(columns).with_estimate(self.given.clone()).with_kept(Arc::clone(&self.kept)))
    }

    /// The draws.
    pub fn draws(&self) -> &Draws {
        self.draws.get()
    }

    fn data(&self) -> Option<&DataTable> {
        self.data.as_ref().or(self.draws.get().file.data.as_ref())
    }

    fn check_dimension(&self, what: &str, measure: &MixingMeasure) -> Result<()> {
        let (own, dim) = (measure.dim(), self.draws.get().file.ensemble.dim());
        if own == dim {
            return Ok(());
        }
        Err(Error::input(format!("{what} has dimension {own}, the draws have {dim}")).into())
    }

    /// Refuses at once what cannot fit.
    fn require_memory(&self) -> Result<()> {
        let ensemble = &self.draws.get().file.ensemble;
        let needed = self.settings.predicted_bytes(ensemble)?;
        Ok(memory::require(needed, &format!("summarising {} draws this way", ensemble.len()), |_| {
            "use route=\"auto\", fewer slices, or keep fewer draws: draws.thinned(thin=2)".into()
        })?)
    }
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
        draws: Py<Draws>,
        question: Question<'_>,
        estimating: EstimateOptions<'_>,
        given: Option<Given<'_>>,
        usual: bool,
    ) -> Result<Self> {
        let settings = estimating.settings(&question)?;
        let threads = question.threads;
        let data = question.own_data()?;
        let function = question.function.map(|(function, count, _)| (function, count));
        let mut bound =
            Posterior { draws, data, settings, function, given: None, kept: Arc::default(), threads, usual };
        let Some((measure, source, summary)) = given else {
            return Ok(bound);
        };
        bound.check_dimension("the estimate", &measure.measure)?;
        if let Some(summary) = summary
            && let Some(settings) = bound.adopts(&summary)
        {
            bound.settings = settings;
            let (kept, settings) = {
                let known = bound.bound()?.with_summary(&summary.answer)?;
                (known.kept(), known.settings().clone())
            };
            (bound.kept, bound.settings) = (kept, settings);
        } else {
            bound.given = Some(Estimate::new(measure.measure.clone(), source));
        }
        Ok(bound)
    }

    /// Whether the estimate was given and is not known to be the one of these draws and settings.
    #[getter]
    fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// The point estimate with its evidence.
    fn summary(&self, py: Python<'_>, progress: Report) -> Result<Summary> {
        self.require_memory()?;
        let answer =
            self.ask(py, progress, |posterior, progress| Ok(posterior.answer(posterior.summary(progress)?.clone())))?;
        Summary::new(py, answer, Some(key_of(self.data())))
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
            self.check_dimension("the hypothesis", measure)?;
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
            let mut found = posterior.aligned(rules, progress)?;
            if let Some(names) = names {
                found.result = found.result.named(names)?;
            }
            if let Some((measure, names)) = &old {
                found.result = found.result.carrying(measure, names, &posterior.settings().units, rules)?;
            }
            Answer::new(&found)
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
        let labels = self.draws.get().file.labels.as_ref();
        let labels = labels.map(|all| all.partitions()).transpose()?;
        self.ask_about_components(py, progress, |posterior, progress| {
            Answer::new(&posterior.how_many(labels.as_ref(), progress)?)
        })
    }

    /// One medoid for each mode; `count` without a value as many as there are modes. Densities have `grid` points per axis.
    fn representatives(&self, py: Python<'_>, count: Option<usize>, grid: usize, progress: Report) -> Result<Answer> {
        let wanted = count.map_or(Count::Auto, Count::Fixed);
        self.ask(py, progress, |posterior, progress| {
            let mut found = posterior.representatives(wanted, progress)?;
            if grid > 0 {
                found.result.add_densities(posterior.data(), grid, progress)?;
            }
            Answer::new(&found)
        })
    }

    /// The estimate under other choices.
    fn stability(&self, py: Python<'_>, level: f64, progress: Report) -> Result<Answer> {
        self.ask(py, progress, |posterior, progress| Answer::new(&posterior.stability(level, progress)?))
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

impl Posterior {
    /// The settings of a summary of the same draws, if all that matters for its estimate is as in these settings, and the data are the same.
    fn adopts(&self, summary: &Summary) -> Option<Settings> {
        let theirs = &summary.answer.about.settings;
        let ours = self
            .settings
            .clone()
            .with_estimator(theirs.estimator)
            .with_candidate(theirs.candidate.clone())
            .with_route(theirs.route);
        let same = ours == *theirs && summary.data_key == Some(key_of(self.data())) && self.function.is_none();
        same.then_some(ours)
    }
}
