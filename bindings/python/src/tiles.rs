//! Points that stay where they are: jobs about tiles of them go out as bytes, answers come back as bytes.

use mixgist::{Error, Progress};
use mixgist_samplers::{Agreement, TileAnswers, TileJob, TileWorkers, fit_away};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;

use crate::arrays::{Input, values};
use crate::error::Result;
use crate::fit::{FitOptions, Fitted, answered};
use crate::running::Call;
use crate::workers::Carried;
use mixgist_io::DrawsFile;

/// What a worker keeps of the points that it holds.
#[pyclass(frozen, module = "mixgist._core")]
pub struct HeldPoints {
    held: mixgist_samplers::HeldPoints,
}

#[pymethods]
impl HeldPoints {
    #[new]
    fn new() -> Self {
        HeldPoints { held: mixgist_samplers::HeldPoints::default() }
    }

    /// Answers a job about these rows, the first of which is row `first` of all.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        job: &[u8],
        rows: Input<'_, f64>,
        first: usize,
        threads: usize,
    ) -> Result<Bound<'py, PyBytes>> {
        let job: TileJob<'_> = postcard::from_bytes(job).map_err(|_| damaged())?;
        // what was kept serves most jobs: the rows are not looked at again
        let own = if self.held.wants_values(&job) { values(&rows)?.to_vec() } else { Vec::new() };
        let answers = py.detach(|| packed(&self.held.answer(&job, &own, first, threads)?))?;
        Ok(PyBytes::new(py, &answers))
    }
}

/// Points behind an object of the package's that carries bytes.
struct CarriedTiles {
    carried: Carried,
    dim: usize,
    ends: Vec<usize>,
}

impl TileWorkers for CarriedTiles {
    fn dim(&self) -> usize {
        self.dim
    }

    fn parts(&self) -> &[usize] {
        &self.ends
    }

    fn answer(
        &self,
        jobs: &[TileJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(usize, TileAnswers) -> mixgist::Result<()>,
    ) -> mixgist::Result<()> {
        let parts: Vec<usize> = jobs.iter().map(TileJob::part).collect();
        let bytes = jobs.iter().map(packed).collect::<mixgist::Result<Vec<_>>>()?;
        let ask = |py: Python<'_>| {
            let jobs: Vec<_> = bytes.iter().map(|job| PyBytes::new(py, job)).collect();
            self.carried.courier().call_method1(py, "ask", (parts, jobs))
        };
        self.carried.collect(
            ask,
            jobs.len(),
            |bytes| postcard::from_bytes(bytes).map_err(|_| damaged()),
            progress,
            take,
        )
    }
}

/// Draws of the posterior of points that workers hold.
#[pyfunction]
pub fn fit_held(
    py: Python<'_>,
    courier: Py<PyAny>,
    columns: Option<Vec<String>>,
    options: FitOptions,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Fitted> {
    let settings = options.settings()?;
    let workers = CarriedTiles {
        carried: Carried::new(py, &courier)?,
        dim: courier.getattr(py, "dim")?.extract(py)?,
        ends: courier.getattr(py, "ends")?.extract(py)?,
    };
    let found = Call { threads, progress }.run(py, |progress| {
        let (fitted, deviations) = fit_away(&workers, &settings, progress)?;
        let agreement = Agreement::in_units(&fitted, &deviations, &settings, progress)?;
        Ok((fitted, agreement))
    });
    let (fitted, agreement) = workers.carried.outcome(found)?;
    let ensemble = fitted.labelled_traces()?;
    let file = |_| DrawsFile { ensemble, labels: None, data: None };
    answered(fitted, &settings, &agreement, columns.as_deref(), file)
}

fn packed(value: &impl Serialize) -> mixgist::Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|cause| Error::resource(format!("a job cannot be sent: {cause}")))
}

fn damaged() -> Error {
    Error::input("what came from another process is damaged").hint("use the same version of mixgist everywhere")
}
