//! Draws as Python holds them: an ensemble with the labels and data that came along.

use std::path::PathBuf;
use std::sync::Arc;

use mixgist::{Ensemble, Error, LabelSlice, PartitionDraws, inspect};
use mixgist_io::{
    DataTable, DrawsFile, Format, LabelDraws, Overwrite, ReadOptions, Variables, memory, read_draws, write_draws,
};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::answer::{Told, told};
use crate::arrays::{Input, counts, output, values};
use crate::error::Result;
use crate::measure::Measure;
use crate::options::covariance_form;
use crate::running::run_apart;

/// M draws of a mixing measure.
#[pyclass(frozen, module = "mixgist._core")]
pub struct Draws {
    pub file: Arc<DrawsFile>,
}

impl From<DrawsFile> for Draws {
    fn from(file: DrawsFile) -> Self {
        Draws { file: Arc::new(file.with_label_traces()) }
    }
}

#[pymethods]
impl Draws {
    #[new]
    #[pyo3(signature = (dim, offsets, weights, means, covariances, form, chains, iterations, draw_weights, labels, data, columns))]
    #[expect(clippy::too_many_arguments, reason = "one an array")]
    fn new(
        dim: usize,
        offsets: Input<'_, i64>,
        weights: Input<'_, f64>,
        means: Input<'_, f64>,
        covariances: Input<'_, f64>,
        form: &str,
        chains: Option<Input<'_, i64>>,
        iterations: Option<Input<'_, i64>>,
        draw_weights: Option<Input<'_, f64>>,
        labels: Option<Input<'_, i64>>,
        data: Option<Input<'_, f64>>,
        columns: Option<Vec<String>>,
    ) -> Result<Self> {
        let offsets: Vec<usize> = counts("offsets", &offsets)?;
        let (weights, means, covariances) = (values(&weights)?, values(&means)?, values(&covariances)?);
        let mut ensemble = Ensemble::builder(dim)
            .offsets(&offsets)
            .weights(weights)
            .means(means)
            .covariances(covariances)
            .form(covariance_form(form)?)
            .build()?;
        if chains.is_some() || iterations.is_some() {
            let chains = chains.map_or(Ok(ensemble.chains().to_vec()), |chains| counts("chains", &chains))?;
            let iterations =
                iterations.map_or(Ok(ensemble.iterations().to_vec()), |numbers| counts("iterations", &numbers))?;
            ensemble = ensemble.with_chains(chains, iterations)?;
        }
        if let Some(draw_weights) = draw_weights {
            ensemble = ensemble.with_draw_weights(values(&draw_weights)?)?;
        }
        let labels = labels.map(|labels| label_draws(&labels, ensemble.len())).transpose()?;
        let data = match data {
            Some(data) => Some(DataTable::new(dim, values(&data)?.to_vec(), columns)?),
            None => None,
        };
        let file = DrawsFile { ensemble, labels, data };
        file.check()?;
        Ok(file.into())
    }

    /// Reads files of draws; several are several chains.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        format: Option<&str>,
        form: &str,
        stan: (String, String, String, Option<String>),
    ) -> Result<Self> {
        let (weights, means, covariances, labels) = stan;
        let options = ReadOptions {
            format: format.map(Format::from_name).transpose()?,
            covariance_form: covariance_form(form)?,
            variables: Variables { weights, means, covariances, labels },
            ..memory::reading()
        };
        let stop = options.stop.clone();
        Ok(run_apart(py, || stop.ask(), move || read_draws(&paths, &options))?.into())
    }

    /// Writes draws, whole or not at all.
    fn write(&self, py: Python<'_>, path: PathBuf, format: Option<&str>, force: bool) -> Result<()> {
        let format = format.map(Format::from_name).transpose()?;
        Ok(py.detach(|| write_draws(&path, &self.file, format, Overwrite::forced(force)))?)
    }

    /// The draws with the given indices, in that order.
    fn select(&self, indices: Input<'_, i64>) -> Result<Self> {
        Ok(DrawsFile::clone(&self.file).select(&counts::<usize>("the selection", &indices)?)?.into())
    }

    /// The draws that are left after burn-in and thinning within each chain.
    fn thinned(&self, burn_in: usize, thin: usize) -> Result<Self> {
        Ok(self.file.thinned(burn_in, thin)?.into())
    }

    /// The same draws, as they were after so much was done to them at the door: what a pickle remembers.
    fn with_history(&self, renormalization: f64, padding: usize, lost_chains: Vec<u32>) -> Self {
        let mut file = DrawsFile::clone(&self.file);
        file.ensemble = file.ensemble.with_history(renormalization, padding, lost_chains);
        file.into()
    }

    /// The same draws with these observations.
    fn with_data(&self, data: Input<'_, f64>, columns: Option<Vec<String>>) -> Result<Self> {
        let table = DataTable::new(data.as_array().shape()[1], values(&data)?.to_vec(), columns)?;
        let mut file = DrawsFile::clone(&self.file);
        file.data = Some(table);
        file.check()?;
        Ok(file.into())
    }

    /// The same draws without labels.
    fn without_labels(&self) -> Self {
        let DrawsFile { ensemble, data, .. } = &*self.file;
        DrawsFile { ensemble: ensemble.clone(), labels: None, data: data.clone() }.into()
    }

    /// Traces of the chains, as SVG.
    fn picture(&self, py: Python<'_>) -> String {
        py.detach(|| mixgist_report::of_draws(&self.file.ensemble).to_svg())
    }

    #[getter]
    fn has_labels(&self) -> bool {
        self.file.labels.is_some()
    }

    /// Number of observations, as far as labels or data tell.
    #[getter]
    fn observations(&self) -> Option<usize> {
        let of_labels = self.file.labels.as_ref().map(|labels| labels.observations);
        of_labels.or(self.file.data.as_ref().map(DataTable::rows))
    }

    /// Draw m on its own.
    fn draw(&self, m: usize) -> Result<Measure> {
        Measure::new(self.file.ensemble.draw(m))
    }

    fn __len__(&self) -> usize {
        self.file.ensemble.len()
    }

    #[getter]
    fn dim(&self) -> usize {
        self.file.ensemble.dim()
    }

    /// What limits the trust in them: their number, and whether their chains agree.
    fn warnings(&self, py: Python<'_>) -> Vec<Told> {
        told(&py.detach(|| inspect::warnings(&self.file.ensemble)))
    }

    #[getter]
    fn padding(&self) -> usize {
        self.file.ensemble.padding()
    }

    #[getter]
    fn lost_chains(&self) -> Vec<u32> {
        self.file.ensemble.lost_chains().to_vec()
    }

    #[getter]
    fn renormalization(&self) -> f64 {
        self.file.ensemble.renormalization()
    }

    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<i64>> {
        let offsets = self.file.ensemble.offsets();
        output(py, offsets.iter().map(|&x| x as i64).collect(), [offsets.len()])
    }

    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<f64>> {
        let weights = self.file.ensemble.weights();
        output(py, weights.to_vec(), [weights.len()])
    }

    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<f64>> {
        let atoms = self.file.ensemble.atoms();
        output(py, atoms.means().to_vec(), [atoms.len(), atoms.dim()])
    }

    #[getter]
    fn covariances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<f64>> {
        let atoms = self.file.ensemble.atoms();
        output(py, atoms.covariances().to_vec(), [atoms.len(), atoms.dim(), atoms.dim()])
    }

    #[getter]
    fn chains<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<i64>> {
        let chains: Vec<i64> = self.file.ensemble.chains().iter().map(|&chain| i64::from(chain)).collect();
        let draws = chains.len();
        output(py, chains, [draws])
    }

    #[getter]
    fn iterations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<i64>> {
        let iterations: Vec<i64> = self.file.ensemble.iterations().iter().map(|&number| number as i64).collect();
        let draws = iterations.len();
        output(py, iterations, [draws])
    }

    #[getter]
    fn draw_weights<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArrayDyn<f64>>> {
        self.file.ensemble.draw_weights().map(|weights| output(py, weights.to_vec(), [weights.len()]))
    }

    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let labels = self.file.labels.as_ref()?;
        let shape = [labels.draws, labels.observations];
        Some(match labels.labels.as_slice() {
            LabelSlice::U8(values) => output(py, values.to_vec(), shape).into_any(),
            LabelSlice::U16(values) => output(py, values.to_vec(), shape).into_any(),
            LabelSlice::U32(values) => output(py, values.to_vec(), shape).into_any(),
            LabelSlice::I64(values) => output(py, values.to_vec(), shape).into_any(),
        })
    }

    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArrayDyn<f64>>> {
        let data = self.file.data.as_ref()?;
        Some(output(py, data.values().to_vec(), [data.rows(), data.columns()]))
    }

    #[getter]
    fn columns(&self) -> Option<Vec<String>> {
        self.file.data.as_ref()?.column_names().map(<[String]>::to_vec)
    }
}

/// Labels (M, n) of any integers.
fn label_draws(labels: &Input<'_, i64>, draws: usize) -> Result<LabelDraws> {
    let labels = values(labels)?;
    let observations = labels.len() / draws.max(1);
    let rows = PartitionDraws::from_dense(observations, labels)?.len();
    if rows != draws {
        return Err(Error::input(format!("labels of {rows} draws, but there are {draws} draws")).into());
    }
    Ok(LabelDraws { draws, observations, labels: labels.iter().copied().collect() })
}
