//! One mixing measure with the density and the labels that it implies.

use mixgist::memberships;
use mixgist::sample_points;
use mixgist::{GaussianAtoms, MixingMeasure, Mixture, Points, Progress, allocate};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::arrays::{Input, output, values};
use crate::error::Result;
use crate::options::covariance_form;
use crate::running::Call;

/// An array of NumPy.
type Array<'py, T> = Bound<'py, PyArrayDyn<T>>;

/// Labels that are converted between two looks at signals.
const LABELS_TOGETHER: usize = 1 << 20;

/// A mixing measure G = Σ w_k δ_(μ_k, Σ_k).
#[pyclass(frozen, module = "mixgist._core")]
pub struct Measure {
    pub measure: MixingMeasure,
    mixture: Mixture,
}

impl Measure {
    pub fn new(measure: MixingMeasure) -> Result<Self> {
        Ok(Measure { mixture: Mixture::new(&measure)?, measure })
    }

    /// Something about every observation.
    fn at<T: Send>(
        &self,
        py: Python<'_>,
        points: &Input<'_, f64>,
        threads: Option<usize>,
        job: impl FnOnce(&Mixture, Points, &dyn Progress) -> mixgist::Result<T> + Send,
    ) -> Result<T> {
        let (dim, values) = (points.as_array().shape()[1], values(points)?.to_vec());
        quiet(threads).run(py, |progress| job(&self.mixture, Points::new(dim, &values)?, progress))
    }
}

#[pymethods]
impl Measure {
    #[new]
    fn from_arrays(
        dim: usize,
        weights: Input<'_, f64>,
        means: Input<'_, f64>,
        covariances: Input<'_, f64>,
        form: &str,
    ) -> Result<Self> {
        let (means, covariances) = (values(&means)?.to_vec(), values(&covariances)?.to_vec());
        let atoms = GaussianAtoms::new(dim, means, covariances, covariance_form(form)?)?;
        Self::new(MixingMeasure::new(values(&weights)?.to_vec(), atoms)?)
    }

    fn __len__(&self) -> usize {
        self.measure.len()
    }

    #[getter]
    fn dim(&self) -> usize {
        self.measure.dim()
    }

    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Array<'py, f64> {
        output(py, self.measure.weights().to_vec(), [self.measure.len()])
    }

    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> Array<'py, f64> {
        output(py, self.measure.atoms().means().to_vec(), [self.measure.len(), self.measure.dim()])
    }

    #[getter]
    fn covariances<'py>(&self, py: Python<'py>) -> Array<'py, f64> {
        let (k, d) = (self.measure.len(), self.measure.dim());
        output(py, self.measure.atoms().covariances().to_vec(), [k, d, d])
    }

    /// The atom that each point most probably belongs to, and how probable that is.
    fn allocate<'py>(
        &self,
        py: Python<'py>,
        points: Input<'_, f64>,
        threads: Option<usize>,
    ) -> Result<(Array<'py, i64>, Array<'py, f64>)> {
        let allocation = self.at(py, &points, threads, allocate)?;
        let n = allocation.labels.len();
        let labels = allocation.labels.into_iter().map(i64::from).collect();
        Ok((output(py, labels, [n]), output(py, allocation.membership_probability, [n])))
    }

    /// The probability of each point to belong to each atom.
    fn memberships<'py>(
        &self,
        py: Python<'py>,
        points: Input<'_, f64>,
        threads: Option<usize>,
    ) -> Result<Array<'py, f64>> {
        let all = self.at(py, &points, threads, memberships)?;
        let k = self.mixture.len();
        let n = all.len() / k;
        Ok(output(py, all, [n, k]))
    }

    /// The logarithm of the density at each point.
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        points: Input<'_, f64>,
        threads: Option<usize>,
    ) -> Result<Array<'py, f64>> {
        let logs = self.at(py, &points, threads, Mixture::log_density)?;
        let n = logs.len();
        Ok(output(py, logs, [n]))
    }

    /// Points from the density, with the atoms that they come from.
    fn sample<'py>(&self, py: Python<'py>, n: usize, seed: u64) -> Result<(Array<'py, f64>, Array<'py, i64>)> {
        let (values, labels) = quiet(None).run(py, |progress| {
            let sampled = sample_points(&self.mixture, n, seed, progress)?;
            let mut labels = Vec::with_capacity(n);
            for some in sampled.labels.chunks(LABELS_TOGETHER) {
                progress.check()?;
                labels.extend(some.iter().copied().map(i64::from));
            }
            Ok((sampled.values, labels))
        })?;
        Ok((output(py, values, [n, self.mixture.dim()]), output(py, labels, [n])))
    }
}

/// A call without a progress bar.
fn quiet(threads: Option<usize>) -> Call {
    Call { threads, progress: None }
}
