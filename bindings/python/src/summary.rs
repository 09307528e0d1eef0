//! The point estimate with its evidence.

use std::path::PathBuf;

use mixgist::fits::Document;
use mixgist::{Answer, Silent};
use mixgist_io::{Overwrite, SUMMARY_SCHEMA, read_summary, to_json, write_json};
use mixgist_report::Presentation;
use numpy::PyArrayDyn;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::answer::{Told, told};
use crate::arrays::output;
use crate::error::{InPython, Result};
use crate::measure::Measure;
use crate::options::{EstimateOptions, Question};

/// A summary: the document that the command line prints, with its estimate ready for use.
#[pyclass(frozen, module = "mixgist._core")]
pub struct Summary {
    pub answer: mixgist::Answer<mixgist::Summary>,
    /// A key of the data that it was made with; unknown for one that was read.
    pub data_key: Option<u64>,
    estimate: Py<Measure>,
}

impl Summary {
    pub fn new(py: Python<'_>, answer: mixgist::Answer<mixgist::Summary>, data_key: Option<u64>) -> Result<Self> {
        let estimate = Py::new(py, Measure::new(answer.estimate.clone())?)?;
        Ok(Summary { answer, data_key, estimate })
    }
}

/// Checks options before long work that comes before a summary.
#[pyfunction]
pub fn check_settings(question: Question<'_>, estimating: EstimateOptions<'_>) -> Result<()> {
    estimating.settings(&question).map(drop)
}

#[pymethods]
impl Summary {
    /// Reads a summary that `write` or the command line wrote.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> Result<Self> {
        Self::new(py, read_summary(&path)?, None)
    }

    /// Writes the summary as the command line does.
    fn write(&self, path: PathBuf, force: bool) -> Result<()> {
        Ok(write_json(&path, SUMMARY_SCHEMA, &self.answer, Overwrite::forced(force))?)
    }

    /// The document as JSON, as the command line prints it.
    fn to_json(&self) -> Result<String> {
        Ok(to_json(SUMMARY_SCHEMA, &self.answer)?)
    }

    /// The summary of a document.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> Result<Self> {
        let answer: Answer<mixgist::Summary> =
            serde_json::from_str(text).map_err(|cause| PyValueError::new_err(cause.to_string()))?;
        answer.check()?;
        Self::new(py, answer, None)
    }

    #[getter]
    fn estimate(&self, py: Python<'_>) -> Py<Measure> {
        self.estimate.clone_ref(py)
    }

    #[getter]
    fn distances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<f64>> {
        output(py, self.answer.distances.clone(), [self.answer.distances.len()])
    }

    #[getter]
    fn expected_losses<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArrayDyn<f64>>> {
        self.answer.medoid.expected_losses.as_ref().map(|losses| output(py, losses.clone(), [losses.len()]))
    }

    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArrayDyn<i64>>> {
        let labels = &self.answer.allocation.as_ref()?.labels;
        Some(output(py, labels.iter().map(|&label| i64::from(label)).collect(), [labels.len()]))
    }

    #[getter]
    fn membership_probability<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArrayDyn<f64>>> {
        let all = &self.answer.allocation.as_ref()?.membership_probability;
        Some(output(py, all.clone(), [all.len()]))
    }

    /// The document without its long arrays, as JSON.
    fn facts(&self) -> Result<String> {
        let mut answer = self.answer.clone();
        let summary = &mut answer.result;
        summary.distances.clear();
        summary.medoid.expected_losses = None;
        summary.allocation = None;
        if let Some(assessment) = summary.assessment.as_mut() {
            if let Some(free) = &mut assessment.free {
                free.distances.clear();
            }
            if let Some(aligned) = &mut assessment.aligned {
                aligned.distances.clear();
            }
        }
        Ok(to_json(SUMMARY_SCHEMA, &answer)?)
    }

    /// What there is to say, as plain text.
    fn plain(&self) -> String {
        self.answer.narrative().plain(&InPython)
    }

    /// The same for a notebook, as the report has it.
    fn to_html(&self) -> Result<String> {
        Ok(mixgist_report::page::fragment(&Presentation::new(&self.answer, &InPython, &Silent)?)?)
    }

    /// Name, message and advice of each warning.
    #[getter]
    fn warnings(&self) -> Vec<Told> {
        told(&self.answer.warnings)
    }
}
