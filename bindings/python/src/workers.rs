//! Work on slices that Python carries elsewhere: jobs go out as bytes, answers come back as bytes.

use std::sync::{Mutex, PoisonError};

use mixgist::{Error, Progress, SliceAnswer, SliceJob, Workers};
use mixgist_front::desks;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::draws::Draws;
use crate::error::{Failure, Result};

/// Draws as bytes, and the number by which workers know them.
#[pyfunction]
pub fn draws_parcel<'py>(py: Python<'py>, draws: &Draws) -> Result<(u64, Bound<'py, PyBytes>)> {
    let (fingerprint, bytes) = py.detach(|| desks::parcel(&draws.file.ensemble))?;
    Ok((fingerprint, PyBytes::new(py, &bytes)))
}

/// Whether this process has these draws.
#[pyfunction]
pub fn knows_draws(fingerprint: u64) -> bool {
    desks::known(fingerprint).is_some()
}

/// Gives this process draws to work on, with so many threads.
#[pyfunction]
pub fn open_draws(py: Python<'_>, fingerprint: u64, parcel: &[u8], threads: usize) -> Result<()> {
    py.detach(|| desks::open(fingerprint, parcel, threads))?;
    Ok(())
}

/// Answers a job about draws that this process has.
#[pyfunction]
pub fn answer_job<'py>(py: Python<'py>, fingerprint: u64, job: &[u8]) -> Result<Bound<'py, PyBytes>> {
    let desk = desks::known(fingerprint).ok_or_else(|| Error::input("this process does not have the draws"))?;
    let answer = py.detach(|| desks::answer(&desk, job))?;
    Ok(PyBytes::new(py, &answer))
}

/// Seconds that a look for an answer waits.
const PATIENCE: f64 = 0.05;

/// Workers behind an object of the package's that carries bytes.
pub struct Carried {
    courier: Py<PyAny>,
    most_jobs: usize,
    /// What Python raised, while the core sees an error.
    raised: Mutex<Option<PyErr>>,
}

impl Carried {
    pub fn new(py: Python<'_>, courier: &Py<PyAny>) -> Result<Self> {
        let most_jobs = courier.getattr(py, "most_jobs")?.extract(py)?;
        Ok(Carried { courier: courier.clone_ref(py), most_jobs, raised: Mutex::new(None) })
    }

    /// The result of a job, or what Python raised in it.
    pub fn outcome<T>(&self, result: Result<T>) -> Result<T> {
        match self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(Failure::Python(error)),
            None => result,
        }
    }

    fn remember(&self, error: PyErr) -> Error {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        Error::resource("the executor failed")
    }

    /// Waits for the answer to one job.
    fn wait(&self, asked: &Py<PyAny>, job: usize, progress: &dyn Progress) -> mixgist::Result<SliceAnswer> {
        loop {
            progress.check()?;
            let found = Python::attach(|py| -> PyResult<Option<mixgist::Result<SliceAnswer>>> {
                let bytes = asked.call_method1(py, "poll", (job, PATIENCE))?;
                if bytes.is_none(py) {
                    return Ok(None);
                }
                let bytes = bytes.bind(py).cast::<PyBytes>()?;
                Ok(Some(desks::unpack_answer(bytes.as_bytes())))
            });
            match found {
                Ok(Some(answer)) => return answer,
                Ok(None) => {}
                Err(error) => return Err(self.remember(error)),
            }
        }
    }
}

impl Workers for Carried {
    fn answer(
        &self,
        jobs: &[SliceJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(SliceAnswer) -> mixgist::Result<()>,
    ) -> mixgist::Result<()> {
        let packed = jobs.iter().map(desks::pack_job).collect::<mixgist::Result<Vec<_>>>()?;
        let ask = |py: Python<'_>| {
            let jobs = PyList::new(py, packed.iter().map(|job| PyBytes::new(py, job)))?;
            self.courier.call_method1(py, "ask", (jobs,))
        };
        let asked = Python::attach(ask).map_err(|error| self.remember(error))?;
        let mut taken = (0..jobs.len()).map(|job| self.wait(&asked, job, progress));
        let result = taken.try_for_each(|answer| take(answer?));
        if result.is_err() {
            // The first error counts.
            let _ = Python::attach(|py| asked.call_method0(py, "cancel"));
        }
        result
    }

    fn most_jobs(&self) -> usize {
        self.most_jobs
    }
}
