//! Work on slices that Python carries elsewhere: jobs go out as bytes, answers come back as bytes.

use std::sync::{Mutex, PoisonError};

use mixgist::{BlockAnswer, BlockJob, BlockWorkers, Error, Progress, SliceAnswer, SliceJob, Workers};
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

    /// The object that carries bytes.
    pub fn courier(&self) -> &Py<PyAny> {
        &self.courier
    }

    fn remember(&self, error: PyErr) -> Error {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        Error::resource("the executor failed")
    }

    /// Waits for the answer to one job.
    fn wait<T>(
        &self,
        asked: &Py<PyAny>,
        job: usize,
        unpack: fn(&[u8]) -> mixgist::Result<T>,
        progress: &dyn Progress,
    ) -> mixgist::Result<T> {
        loop {
            progress.check()?;
            let found = Python::attach(|py| -> PyResult<Option<mixgist::Result<T>>> {
                let bytes = asked.call_method1(py, "poll", (job, PATIENCE))?;
                if bytes.is_none(py) {
                    return Ok(None);
                }
                let bytes = bytes.bind(py).cast::<PyBytes>()?;
                Ok(Some(unpack(bytes.as_bytes())))
            });
            match found {
                Ok(Some(answer)) => return answer,
                Ok(None) => {}
                Err(error) => return Err(self.remember(error)),
            }
        }
    }
}

impl Carried {
    /// Sends jobs and takes their answers, in order.
    pub fn collect<T>(
        &self,
        ask: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>,
        jobs: usize,
        unpack: fn(&[u8]) -> mixgist::Result<T>,
        progress: &dyn Progress,
        mut take: impl FnMut(usize, T) -> mixgist::Result<()>,
    ) -> mixgist::Result<()> {
        let asked = Python::attach(ask).map_err(|error| self.remember(error))?;
        let result = (0..jobs).try_for_each(|job| take(job, self.wait(&asked, job, unpack, progress)?));
        if result.is_err() {
            // The first error counts.
            let _ = Python::attach(|py| asked.call_method0(py, "cancel"));
        }
        result
    }
}

/// Blocks of draws behind such an object.
pub struct CarriedBlocks {
    carried: Carried,
    blocks: usize,
}

impl CarriedBlocks {
    pub fn new(py: Python<'_>, courier: &Py<PyAny>) -> Result<Self> {
        let blocks = courier.getattr(py, "blocks")?.extract(py)?;
        Ok(CarriedBlocks { carried: Carried::new(py, courier)?, blocks })
    }

    /// The result of a job, or what Python raised in it.
    pub fn outcome<T>(&self, result: Result<T>) -> Result<T> {
        self.carried.outcome(result)
    }
}

impl BlockWorkers for CarriedBlocks {
    fn blocks(&self) -> usize {
        self.blocks
    }

    fn most_jobs(&self) -> Option<usize> {
        Some(self.carried.most_jobs)
    }

    fn answer(
        &self,
        jobs: &[BlockJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(usize, BlockAnswer) -> mixgist::Result<()>,
    ) -> mixgist::Result<()> {
        let Some(first) = jobs.first() else { return Ok(()) };
        let question = desks::pack_question(first.question())?;
        let blocks: Vec<Vec<usize>> = jobs.iter().map(|job| job.blocks().to_vec()).collect();
        let ask = |py: Python<'_>| self.carried.courier.call_method1(py, "ask", (PyBytes::new(py, &question), blocks));
        self.carried.collect(ask, jobs.len(), desks::unpack_block_answer, progress, take)
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
        self.collect(ask, jobs.len(), desks::unpack_answer, progress, |_, answer| take(answer))
    }

    fn most_jobs(&self) -> usize {
        self.most_jobs
    }
}
