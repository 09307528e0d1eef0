//! Partition first: the partition of least expected loss, and how sure it is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mixgist::partition::{
    LossOptions, PartitionAnswer, PartitionLoss, Question, SearchOptions, estimate_partition, expected_losses,
    losses_to_draws, partition_ball, similarity_block,
};
use mixgist::{Error, Partition, PartitionDraws, Points, Silent, sample_partitions};
use mixgist_io::{PARTITION_SCHEMA, read_json, to_json};
use mixgist_report::of_partitions;
use numpy::PyArrayDyn;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::answer::html;
use crate::arrays::{Input, output, values};
use crate::draws::Draws;
use crate::error::{InPython, Result};
use crate::options::table;
use crate::running::Call;

/// The document of a partition, what there is to say about it, and the same for a notebook.
type PartitionTold = (String, String, String);

fn tell(answer: &PartitionAnswer) -> mixgist::Result<PartitionTold> {
    let narrative = answer.narrative();
    let document = to_json(PARTITION_SCHEMA, answer)?;
    Ok((document, narrative.plain(&InPython), html("Partition of least expected loss", &narrative, &[])))
}

/// Reads a partition that was written as a document.
#[pyfunction]
pub fn read_partition(py: Python<'_>, path: PathBuf) -> Result<PartitionTold> {
    Ok(py.detach(|| tell(&read_json::<PartitionAnswer>(&path, PARTITION_SCHEMA)?))?)
}

/// Draws of a partition of n observations.
#[pyclass(frozen, module = "mixgist._core")]
pub struct Partitions {
    draws: PartitionDraws,
    /// Whether the labels were drawn here.
    sampled: bool,
}

/// What losses leave open: the cost a, and what omari makes of 0/0.
type Conventions<'a> = (Option<f64>, &'a str);

fn loss_options((a, omari): Conventions<'_>) -> mixgist::Result<LossOptions> {
    LossOptions::new(a, Some(omari))
}

fn chosen_loss(name: &str, conventions: Conventions<'_>) -> Result<PartitionLoss> {
    Ok(PartitionLoss::from_name(name, &loss_options(conventions)?)?)
}

impl Partitions {
    fn weighted(draws: PartitionDraws, draw_weights: Option<Input<'_, f64>>) -> Result<Self> {
        let draws = match draw_weights {
            Some(weights) => draws.with_draw_weights(values(&weights)?)?,
            None => draws,
        };
        Ok(Partitions { draws, sampled: false })
    }
}

#[pymethods]
impl Partitions {
    #[new]
    fn new(observations: usize, labels: Input<'_, i64>, draw_weights: Option<Input<'_, f64>>) -> Result<Self> {
        Self::weighted(PartitionDraws::from_dense(observations, values(&labels)?)?, draw_weights)
    }

    /// The partitions that came with draws, if any did; without other weights each has that of its draw.
    #[staticmethod]
    fn of_draws(draws: PyRef<'_, Draws>, draw_weights: Option<Input<'_, f64>>) -> Result<Option<Self>> {
        let Some(labels) = &draws.file.labels else { return Ok(None) };
        let partitions = labels.partitions()?;
        Ok(Some(match (draw_weights, draws.file.ensemble.draw_weights()) {
            (None, Some(own)) => Partitions { draws: partitions.with_draw_weights(own)?, sampled: false },
            (given, _) => Self::weighted(partitions, given)?,
        }))
    }

    /// Partitions of these observations that are drawn given the measure of each draw.
    #[staticmethod]
    fn sampled(
        py: Python<'_>,
        draws: PyRef<'_, Draws>,
        data: Option<Input<'_, f64>>,
        seed: u64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Self> {
        let Some(table) = table(data.as_ref(), None, Some(&draws))? else {
            return Err(Error::input("the draws hold no labels")
                .hint("give the observations as data: labels are then drawn given the measure of each draw")
                .into());
        };
        let (ensemble, table) = (&draws.file.ensemble, &*table);
        let sampled = Call { threads, progress }.run(py, |progress| {
            sample_partitions(ensemble, Points::new(table.columns(), table.values())?, seed, progress)
        })?;
        Ok(Partitions { draws: sampled, sampled: true })
    }

    fn __len__(&self) -> usize {
        self.draws.len()
    }

    /// How often observations share a cluster, sorted by their cluster in a partition, as SVG.
    fn picture(&self, py: Python<'_>, labels: Input<'_, i64>) -> Result<String> {
        let partition = Partition::from_integers(values(&labels)?)?;
        Ok(py.detach(|| of_partitions(&self.draws, Some(partition.labels()), &Silent)).map(|figure| figure.to_svg())?)
    }

    #[getter]
    fn observations(&self) -> usize {
        self.draws.observations()
    }

    /// The partition of least expected loss with its evidence, as the document of the command line.
    #[expect(clippy::too_many_arguments, reason = "the package calls it with everything")]
    fn search(
        &self,
        py: Python<'_>,
        loss: &str,
        conventions: Conventions<'_>,
        max_clusters: Option<usize>,
        clusters: Option<usize>,
        runs: usize,
        seed: u64,
        level: f64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<PartitionTold> {
        let asked = Question::new(loss, loss_options(conventions)?, clusters, max_clusters, level)?;
        let search = SearchOptions { runs, seed, ..asked.search };
        let question = Question { search, labels_sampled: self.sampled, ..asked };
        Call { threads, progress }.run(py, |progress| tell(&estimate_partition(&self.draws, &question, progress)?))
    }

    /// The expected loss of a partition under every loss, or under every one that needs no cost.
    fn expected_losses(
        &self,
        py: Python<'_>,
        partition: Input<'_, i64>,
        conventions: Conventions<'_>,
        threads: Option<usize>,
    ) -> Result<BTreeMap<String, f64>> {
        let partition = Partition::from_integers(values(&partition)?)?;
        let (names, losses): (Vec<&str>, Vec<_>) = loss_options(conventions)?.losses()?.into_iter().unzip();
        let call = Call { threads, progress: None };
        let expected = call.run(py, |progress| expected_losses(&losses, &partition, &self.draws, progress))?;
        Ok(names.into_iter().map(str::to_owned).zip(expected).collect())
    }

    /// The loss between a partition and every draw.
    fn losses<'py>(
        &self,
        py: Python<'py>,
        partition: Input<'_, i64>,
        loss: &str,
        conventions: Conventions<'_>,
        threads: Option<usize>,
    ) -> Result<Bound<'py, PyArrayDyn<f64>>> {
        let loss = chosen_loss(loss, conventions)?;
        let partition = Partition::from_integers(values(&partition)?)?;
        let call = Call { threads, progress: None };
        let losses = call.run(py, |progress| losses_to_draws(loss, &partition, &self.draws, progress))?;
        let draws = losses.len();
        Ok(output(py, losses, [draws]))
    }

    /// The credible ball around a partition, as a document.
    fn ball(
        &self,
        py: Python<'_>,
        partition: Input<'_, i64>,
        loss: &str,
        conventions: Conventions<'_>,
        level: f64,
        threads: Option<usize>,
    ) -> Result<String> {
        let loss = chosen_loss(loss, conventions)?;
        let partition = Partition::from_integers(values(&partition)?)?;
        let call = Call { threads, progress: None };
        let ball = call.run(py, |progress| partition_ball(loss, &partition, &self.draws, level, progress))?;
        Ok(serde_json::to_string(&ball).map_err(|cause| PyValueError::new_err(cause.to_string()))?)
    }

    /// Posterior similarity of the observations in `rows` with those in `columns`.
    fn similarity<'py>(
        &self,
        py: Python<'py>,
        rows: (usize, usize),
        columns: (usize, usize),
        threads: Option<usize>,
    ) -> Result<Bound<'py, PyArrayDyn<f64>>> {
        let call = Call { threads, progress: None };
        let block =
            call.run(py, |progress| similarity_block(&self.draws, rows.0..rows.1, columns.0..columns.1, progress))?;
        Ok(output(py, block.values, [block.rows.len(), block.columns.len()]))
    }
}
