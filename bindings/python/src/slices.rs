//! Slices by a Python function: positions of atoms on L lines.

use std::sync::Mutex;

use mixgist::GaussianAtoms;
use mixgist::slice::CustomSlices;
use pyo3::prelude::*;

use crate::arrays::{Input, output, values};
use crate::error::{Failure, Result};

/// A function of the package's that takes means (K, d) and covariances (K, d, d) and returns an array (L, K).
pub struct SliceFunction {
    function: Py<PyAny>,
    /// What the function raised, while the core sees positions that are no numbers.
    raised: Mutex<Option<PyErr>>,
}

impl SliceFunction {
    pub fn new(function: Py<PyAny>) -> Self {
        SliceFunction { function, raised: Mutex::new(None) }
    }

    /// The function as `count` slices of the core.
    pub fn slices(&self, count: usize) -> CustomSlices<impl Fn(&GaussianAtoms, &mut [f64]) + Send + Sync> {
        CustomSlices::new(count, |atoms: &GaussianAtoms, out: &mut [f64]| {
            if let Err(error) = Python::attach(|py| self.call(py, atoms, out)) {
                out.fill(f64::NAN);
                self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error.into());
            }
        })
    }

    fn call(&self, py: Python<'_>, atoms: &GaussianAtoms, out: &mut [f64]) -> Result<()> {
        let (k, d) = (atoms.len(), atoms.dim());
        let means = output(py, atoms.means().to_vec(), [k, d]);
        let covariances = output(py, atoms.covariances().to_vec(), [k, d, d]);
        let positions = self.function.call1(py, (means, covariances, out.len() / k))?;
        let positions: Input<'_, f64> = positions.extract(py)?;
        out.copy_from_slice(values(&positions)?);
        Ok(())
    }

    /// The result of a job, or what the function raised in it.
    pub fn outcome<T>(&self, result: Result<T>) -> Result<T> {
        match self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take() {
            Some(error) => Err(Failure::Python(error)),
            None => result,
        }
    }
}
