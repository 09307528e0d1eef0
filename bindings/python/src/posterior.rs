//! What can be said with confidence, each as the JSON document that the command line prints.

use std::path::PathBuf;

use mixgist::components::Rules;
use mixgist::credible::{Question as Asked, Source};
use mixgist::representatives::Count;
use mixgist::{Ensemble, Error, Estimator, MixingMeasure, Points, Progress, Warning};
use mixgist_io::posterior::{
    About, COMPONENTS_SCHEMA, CREDIBLE_SCHEMA, ComponentsDocument, CredibleDocument, EstimateOrigin,
    REPRESENTATIVES_SCHEMA, RepresentativesDocument, STABILITY_SCHEMA, StabilityDocument,
};
use mixgist_io::{DataTable, Overwrite, to_json, write_bytes};
use pyo3::prelude::*;

use crate::draws::Draws;
use crate::error::Result;
use crate::measure::Measure;
use crate::options::{EstimateOptions, Question, points};
use crate::summary::spelled;

/// Runs a job about the posterior, with the interpreter released.
fn answer(
    py: Python<'_>,
    draws: &Draws,
    question: &Question<'_>,
    estimating: &EstimateOptions<'_>,
    job: impl FnOnce(&About, Option<Points>, &dyn Progress) -> mixgist::Result<(String, Vec<Warning>)> + Send,
) -> Result<Answer> {
    let settings = estimating.settings(question)?;
    let data = question.data(Some(draws))?;
    let columns = data.as_deref().and_then(DataTable::column_names);
    let ensemble = &draws.file.ensemble;
    let (text, warnings) = question.call(py).run(py, |progress| {
        let points = points(data.as_deref())?;
        let settings = settings.settled(ensemble, points, progress)?;
        job(&About { ensemble, settings: &settings, columns }, points, progress)
    })?;
    Ok((text, warnings.iter().map(|warning| spelled(&warning.into())).collect()))
}

/// A document, and name, message and advice of each warning.
type Answer = (String, Vec<(String, String, String)>);

/// A measure that was given as the estimate, and what it is for a person.
type Given<'py> = Option<(PyRef<'py, Measure>, String)>;

fn given(estimate: Given<'_>) -> Option<Estimate> {
    estimate.map(|(own, source)| Estimate { measure: own.measure.clone(), draw: None, source })
}

/// An estimate and where it comes from.
struct Estimate {
    measure: MixingMeasure,
    draw: Option<usize>,
    source: String,
}

impl Estimate {
    /// The given one, or the estimate that the settings ask for.
    fn resolve(
        own: Option<Self>,
        &About { ensemble, settings, .. }: &About,
        points: Option<Points>,
        progress: &dyn Progress,
    ) -> mixgist::Result<Self> {
        if let Some(own) = own {
            let (dim, expected) = (own.measure.dim(), ensemble.dim());
            return if dim == expected { Ok(own) } else { Err(dimension("the estimate", dim, expected)) };
        }
        let summary = mixgist::summarize(ensemble, points, settings, progress)?;
        let draw = summary.medoid.draw;
        Ok(match settings.estimator {
            Estimator::Medoid => {
                Estimate { measure: summary.estimate, draw: Some(draw), source: format!("medoid, draw {draw}") }
            }
            Estimator::Free(_) => {
                let source = format!("free, {} atoms", summary.estimate.len());
                Estimate { measure: summary.estimate, draw: None, source }
            }
        })
    }

    fn origin(&self) -> EstimateOrigin<'_> {
        EstimateOrigin { measure: &self.measure, draw: self.draw, source: &self.source }
    }
}

fn dimension(what: &str, own: usize, dim: usize) -> Error {
    Error::input(format!("{what} has dimension {own}, the draws have {dim}"))
}

/// What is asked of `credible`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct CredibleOptions<'py> {
    estimate: Given<'py>,
    level: f64,
    hypothesis: Option<PyRef<'py, Measure>>,
    radius: Option<f64>,
    conformal: bool,
}

/// Balls around an estimate, and a region around a hypothesised measure.
#[pyfunction]
pub fn credible(
    py: Python<'_>,
    draws: &Draws,
    question: Question<'_>,
    estimating: EstimateOptions<'_>,
    options: CredibleOptions<'_>,
) -> Result<Answer> {
    let hypothesis = options.hypothesis.map(|measure| measure.measure.clone());
    if let Some(measure) = hypothesis.as_ref().filter(|measure| measure.dim() != draws.file.ensemble.dim()) {
        return Err(dimension("the hypothesis", measure.dim(), draws.file.ensemble.dim()).into());
    }
    let (own, level, radius, conformal) = (given(options.estimate), options.level, options.radius, options.conformal);
    answer(py, draws, &question, &estimating, |about, points, progress| {
        let About { ensemble, settings, .. } = *about;
        let is_given = own.is_some();
        let estimate = Estimate::resolve(own, about, points, progress)?;
        let fit = |draws: &Ensemble| mixgist::estimate(draws, points, settings, progress);
        let source = if is_given { Source::Given(&estimate.measure) } else { Source::Fitted(&fit) };
        let asked = Asked {
            level,
            hypothesis: hypothesis.as_ref().map(|measure| (measure, radius)),
            conformal: conformal.then_some(source),
        };
        let found = mixgist::credible::credible(&estimate.measure, ensemble, points, settings, &asked, progress)?;
        let document = CredibleDocument::new(&found, &estimate.origin(), about)?;
        Ok((to_json(CREDIBLE_SCHEMA, &document)?, found.warnings))
    })
}

/// What is asked of `components`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ComponentsOptions<'py> {
    estimate: Given<'py>,
    level: f64,
    overlap: Option<f64>,
    share: Option<f64>,
    least_weight: Option<f64>,
}

/// The posterior of every component of an estimate.
#[pyfunction]
pub fn components(
    py: Python<'_>,
    draws: &Draws,
    question: Question<'_>,
    estimating: EstimateOptions<'_>,
    options: ComponentsOptions<'_>,
) -> Result<Answer> {
    let usual = Rules::default();
    let rules = Rules {
        level: options.level,
        overlap: options.overlap.unwrap_or(usual.overlap),
        share: options.share.unwrap_or(usual.share),
        least_weight: options.least_weight.unwrap_or(usual.least_weight),
    };
    let own = given(options.estimate);
    answer(py, draws, &question, &estimating, |about, points, progress| {
        let About { ensemble, settings, .. } = *about;
        let estimate = Estimate::resolve(own, about, points, progress)?;
        let found = mixgist::components::components(&estimate.measure, ensemble, &settings.units, rules, progress)?;
        let document = ComponentsDocument::new(&found, &estimate.origin(), about)?;
        Ok((to_json(COMPONENTS_SCHEMA, &document)?, found.warnings))
    })
}

/// One medoid for each mode; `count` without a value as many as there are modes.
#[pyfunction]
#[pyo3(signature = (draws, question, estimating, count, grid))]
pub fn representatives(
    py: Python<'_>,
    draws: &Draws,
    question: Question<'_>,
    estimating: EstimateOptions<'_>,
    count: Option<usize>,
    grid: usize,
) -> Result<Answer> {
    let wanted = count.map_or(Count::Auto, Count::Fixed);
    answer(py, draws, &question, &estimating, |about, points, progress| {
        let found =
            mixgist::representatives::representatives(about.ensemble, points, about.settings, wanted, progress)?;
        let densities = if grid == 0 { Vec::new() } else { found.densities(points, grid, progress)? };
        let document = RepresentativesDocument::new(&found, &densities, about)?;
        Ok((to_json(REPRESENTATIVES_SCHEMA, &document)?, found.warnings))
    })
}

/// The estimate under other choices.
#[pyfunction]
pub fn stability(
    py: Python<'_>,
    draws: &Draws,
    question: Question<'_>,
    estimating: EstimateOptions<'_>,
    level: f64,
) -> Result<Answer> {
    answer(py, draws, &question, &estimating, |about, points, progress| {
        let About { ensemble, settings, .. } = *about;
        let card = mixgist::stability::stability(ensemble, points, settings, level, &mixgist::estimate, progress)?;
        Ok((to_json(STABILITY_SCHEMA, &StabilityDocument::new(&card, about)?)?, card.warnings))
    })
}

/// Writes a document, whole or not at all, as the command line does.
#[pyfunction]
pub fn write_document(path: PathBuf, text: &str, force: bool) -> Result<()> {
    let overwrite = if force { Overwrite::Force } else { Overwrite::Refuse };
    Ok(write_bytes(&path, format!("{text}\n").as_bytes(), overwrite)?)
}
