//! The point estimate with its evidence.

use std::path::PathBuf;

use mixgist::{Ensemble, MixingMeasure, Settings, Silent};
use mixgist_io::{
    DataTable, Overwrite, SUMMARY_SCHEMA, SummaryDocument, WarningDocument, memory, read_json, to_json, write_json,
};
use mixgist_report::Subject;
use numpy::PyArrayDyn;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::output;
use crate::draws::Draws;
use crate::error::{Result, spoken};
use crate::measure::Measure;
use crate::options::{EstimateOptions, Question, points};
use crate::slices::SliceFunction;

/// A summary: the document that the command line prints, with its estimate ready for use.
#[pyclass(frozen, module = "mixgist._core")]
pub struct Summary {
    pub document: SummaryDocument,
    estimate: Py<Measure>,
}

impl Summary {
    fn new(py: Python<'_>, document: SummaryDocument) -> Result<Self> {
        let estimate = Py::new(py, Measure::new(MixingMeasure::try_from(&document.estimate)?)?)?;
        Ok(Summary { document, estimate })
    }
}

/// Summarises draws by their medoid or by a free estimate.
#[pyfunction]
pub fn summarize(
    py: Python<'_>,
    draws: &Draws,
    question: Question<'_>,
    estimating: EstimateOptions<'_>,
) -> Result<Summary> {
    let settings = estimating.settings(&question)?;
    let ensemble = &draws.file.ensemble;
    let data = question.data(Some(draws))?;
    let data = data.as_deref();
    require_memory(ensemble, &settings)?;
    let call = question.call(py);
    let columns = data.and_then(DataTable::column_names);
    let document = |summary: mixgist::Summary| SummaryDocument::new(&summary, ensemble, &settings, columns);
    let document = match question.function {
        None => {
            call.run(py, |progress| Ok(document(mixgist::summarize(ensemble, points(data)?, &settings, progress)?)))?
        }
        Some((function, count, name)) => {
            let function = SliceFunction::new(function);
            let slices = function.slices(count);
            let result = call.run(py, |progress| {
                let summary = mixgist::summarize_over(ensemble, points(data)?, &settings, &slices, progress)?;
                Ok(SummaryDocument { distance: name, scheme: "given".into(), ..document(summary) })
            });
            function.outcome(result)?
        }
    };
    Summary::new(py, document)
}

/// Checks options before long work that comes before a summary.
#[pyfunction]
pub fn check_settings(question: Question<'_>, estimating: EstimateOptions<'_>) -> Result<()> {
    estimating.settings(&question).map(drop)
}

/// Name, message and advice of a warning, in Python's words.
pub fn spelled(warning: &WarningDocument) -> (String, String, String) {
    (warning.name.clone(), spoken(&warning.message), spoken(&warning.advice))
}

/// Refuses at once what cannot fit.
fn require_memory(ensemble: &Ensemble, settings: &Settings) -> Result<()> {
    let needed = settings.predicted_bytes(ensemble)?;
    Ok(memory::require(needed, &format!("summarising {} draws this way", ensemble.len()), |_| {
        "use route=\"auto\", fewer slices, or keep fewer draws: draws.thinned(thin=2)".into()
    })?)
}

#[pymethods]
impl Summary {
    /// Reads a summary that `write` or the command line wrote.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> Result<Self> {
        Self::new(py, read_json(&path, SUMMARY_SCHEMA)?)
    }

    /// Writes the summary as the command line does.
    fn write(&self, path: PathBuf, force: bool) -> Result<()> {
        let overwrite = if force { Overwrite::Force } else { Overwrite::Refuse };
        Ok(write_json(&path, SUMMARY_SCHEMA, &self.document, overwrite)?)
    }

    /// The document as JSON, as the command line prints it.
    fn to_json(&self) -> Result<String> {
        Ok(to_json(SUMMARY_SCHEMA, &self.document)?)
    }

    /// The summary of a document.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> Result<Self> {
        let document = serde_json::from_str(text).map_err(|cause| PyValueError::new_err(cause.to_string()))?;
        Self::new(py, document)
    }

    #[getter]
    fn estimate(&self, py: Python<'_>) -> Py<Measure> {
        self.estimate.clone_ref(py)
    }

    #[getter]
    fn distances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<f64>> {
        output(py, self.document.distances.clone(), [self.document.distances.len()])
    }

    #[getter]
    fn expected_losses<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArrayDyn<f64>>> {
        self.document.expected_losses.as_ref().map(|losses| output(py, losses.clone(), [losses.len()]))
    }

    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArrayDyn<i64>>> {
        let labels = self.document.labels.as_ref()?;
        Some(output(py, labels.iter().map(|&label| i64::from(label)).collect(), [labels.len()]))
    }

    #[getter]
    fn certainty<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArrayDyn<f64>>> {
        self.document.certainty.as_ref().map(|certainty| output(py, certainty.clone(), [certainty.len()]))
    }

    /// The document without its long arrays, as JSON.
    fn facts(&self) -> Result<String> {
        let document = SummaryDocument {
            distances: Vec::new(),
            expected_losses: None,
            labels: None,
            certainty: None,
            ..self.document.clone()
        };
        Ok(to_json(SUMMARY_SCHEMA, &document)?)
    }

    /// The answer of the report, for a notebook.
    fn to_html(&self) -> Result<String> {
        let mut document = self.document.clone();
        for warning in &mut document.warnings {
            (warning.message, warning.advice) = (spoken(&warning.message), spoken(&warning.advice));
        }
        Ok(mixgist_report::page::fragment(&Subject::new(&document, &Silent)?)?)
    }

    /// Name, message and advice of each warning.
    #[getter]
    fn warnings(&self) -> Vec<(String, String, String)> {
        self.document.warnings.iter().map(spelled).collect()
    }
}
