//! The point estimate with its evidence.

use std::path::PathBuf;

use mixgist::{Ensemble, MixingMeasure, Points, Settings};
use mixgist_io::{Overwrite, SUMMARY_SCHEMA, SummaryDocument, memory, read_json, to_json, write_json};
use numpy::PyArrayDyn;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Input, output, values};
use crate::draws::Draws;
use crate::error::{Result, spoken};
use crate::measure::Measure;
use crate::options::{SlicingOptions, with_rule};
use crate::running::Call;
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

/// Summarises draws by their medoid.
#[pyfunction]
#[pyo3(signature = (draws, data, columns, options, function, loss, route, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "the package calls it with everything")]
pub fn summarize(
    py: Python<'_>,
    draws: &Draws,
    data: Option<Input<'_, f64>>,
    columns: Option<Vec<String>>,
    options: SlicingOptions<'_>,
    function: Option<(Py<PyAny>, usize, String)>,
    loss: &str,
    route: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Summary> {
    let settings = with_rule(options.settings()?, loss, route)?;
    let ensemble = &draws.file.ensemble;
    let given = match &data {
        Some(data) => Some((data.as_array().shape()[1], values(data)?.to_vec())),
        None => None,
    };
    let (data, columns) = match (&given, &draws.file.data) {
        (Some((dim, values)), _) => (Some((*dim, values.as_slice())), columns),
        (None, Some(own)) => (Some((own.columns(), own.values())), own.column_names().map(<[String]>::to_vec)),
        (None, None) => (None, None),
    };
    require_memory(ensemble, &settings)?;
    let call = Call { threads, progress };
    let points = || data.map(|(dim, values)| Points::new(dim, values)).transpose();
    let document = |summary: mixgist::Summary| SummaryDocument::new(&summary, ensemble, &settings, columns.as_deref());
    let document = match function {
        None => call.run(py, |progress| Ok(document(mixgist::summarize(ensemble, points()?, &settings, progress)?)))?,
        Some((function, count, name)) => {
            let function = SliceFunction::new(function);
            let slices = function.slices(count);
            let result = call.run(py, |progress| {
                let summary = mixgist::summarize_over(ensemble, points()?, &settings, &slices, progress)?;
                Ok(SummaryDocument { distance: name, scheme: "given".into(), ..document(summary) })
            });
            function.outcome(result)?
        }
    };
    Summary::new(py, document)
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

    #[getter]
    fn draw(&self) -> usize {
        self.document.draw
    }

    #[getter]
    fn chain(&self) -> u32 {
        self.document.chain
    }

    #[getter]
    fn iteration(&self) -> u64 {
        self.document.iteration
    }

    #[getter]
    fn draws(&self) -> usize {
        self.document.draws
    }

    #[getter]
    fn expected_loss(&self) -> f64 {
        self.document.expected_loss
    }

    #[getter]
    fn expected_loss_se(&self) -> Option<f64> {
        self.document.expected_loss_se
    }

    #[getter]
    fn runner_up(&self) -> Option<usize> {
        self.document.runner_up
    }

    #[getter]
    fn runner_up_expected_loss(&self) -> Option<f64> {
        self.document.runner_up_expected_loss
    }

    #[getter]
    fn separation(&self) -> Option<f64> {
        self.document.separation
    }

    #[getter]
    fn route(&self) -> &str {
        &self.document.route
    }

    #[getter]
    fn distance(&self) -> &str {
        &self.document.distance
    }

    #[getter]
    fn order(&self) -> f64 {
        self.document.order
    }

    #[getter]
    fn loss(&self) -> &str {
        &self.document.loss
    }

    #[getter]
    fn slices(&self) -> usize {
        self.document.slices
    }

    #[getter]
    fn scheme(&self) -> &str {
        &self.document.scheme
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.document.seed
    }

    #[getter]
    fn units(&self) -> &str {
        &self.document.units.name
    }

    #[getter]
    fn clusters(&self) -> Option<usize> {
        self.document.clusters
    }

    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        self.document.columns.clone()
    }

    /// Name, message and advice of each warning.
    #[getter]
    fn warnings(&self) -> Vec<(String, String, String)> {
        let spell = |w: &mixgist_io::WarningDocument| (w.name.clone(), spoken(&w.message), spoken(&w.advice));
        self.document.warnings.iter().map(spell).collect()
    }
}
