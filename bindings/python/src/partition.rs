//! Partition first: the partition of least expected loss, and how sure it is.

use mixgist::partition::{
    BallBound, ClusterBound, Loss, LossOptions, OmariConvention, PartitionBall, REGISTRY, SearchOptions, certainties,
    cluster_count_posterior, expected_losses, losses_to_draws, partition_ball, search, similarity_block,
};
use mixgist::{Error, ErrorKind, Partition, PartitionDraws};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Input, output, values};
use crate::error::Result;
use crate::running::Call;

/// Draws of a partition of n observations.
#[pyclass(frozen, module = "mixgist._core")]
pub struct Partitions {
    draws: PartitionDraws,
}

/// What losses leave open: the cost a, and what omari makes of 0/0.
type Conventions<'a> = (Option<f64>, &'a str);

fn loss_options((a, omari): Conventions<'_>) -> Result<LossOptions> {
    Ok(LossOptions { a: a.unwrap_or(LossOptions::default().a), omari: OmariConvention::from_name(omari)? })
}

fn chosen_loss(name: &str, conventions: Conventions<'_>) -> Result<Loss> {
    if conventions.0.is_none() && REGISTRY.iter().any(|entry| entry.name == name && entry.takes_a) {
        return Err(Error::usage(format!("{name} needs its cost")).hint("give it with a=, such as a=0.5").into());
    }
    Ok(Loss::from_name(name, &loss_options(conventions)?)?)
}

#[pymethods]
impl Partitions {
    #[new]
    fn new(observations: usize, labels: Input<'_, i64>, draw_weights: Option<Input<'_, f64>>) -> Result<Self> {
        let draws = PartitionDraws::from_dense(observations, values(&labels)?)?;
        Ok(Partitions {
            draws: match draw_weights {
                Some(weights) => draws.with_draw_weights(values(&weights)?)?,
                None => draws,
            },
        })
    }

    fn __len__(&self) -> usize {
        self.draws.len()
    }

    /// The partition of least expected loss, with its evidence.
    #[expect(clippy::too_many_arguments, reason = "the package calls it with everything")]
    fn search<'py>(
        &self,
        py: Python<'py>,
        loss: &str,
        conventions: Conventions<'_>,
        max_clusters: Option<usize>,
        clusters: Option<usize>,
        runs: usize,
        seed: u64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Bound<'py, PyDict>> {
        let options = SearchOptions {
            clusters: match (clusters, max_clusters) {
                (Some(k), _) => ClusterBound::Exactly(k),
                (None, Some(k)) => ClusterBound::AtMost(k),
                (None, None) => ClusterBound::LargestDraw,
            },
            runs,
            seed,
            ..SearchOptions::new(chosen_loss(loss, conventions)?)
        };
        let (estimate, certainty) = Call { threads, progress }.run(py, |progress| {
            let estimate = search(&self.draws, &options, progress)?;
            // Very many clusters of very many observations leave no room for certainties; the estimate stands without them.
            let certainty = match certainties(&estimate.partition, &self.draws) {
                Err(error) if error.kind() == ErrorKind::Resource => None,
                other => Some(other?),
            };
            Ok((estimate, certainty))
        })?;
        let counts = cluster_count_posterior(&self.draws);
        let found = PyDict::new(py);
        found.set_item("labels", label_array(py, &estimate.partition))?;
        found.set_item("expected_loss", estimate.expected_loss)?;
        found.set_item("loss", estimate.loss.to_string())?;
        found.set_item("runs", estimate.runs)?;
        found.set_item("runs_agreeing", estimate.runs_agreeing)?;
        found.set_item(
            "cluster_counts",
            counts.counts.iter().map(|c| (c.clusters, c.probability)).collect::<Vec<_>>(),
        )?;
        let certainty = certainty.map(|all| all.iter().map(|one| one.certainty).collect::<Vec<f64>>());
        found.set_item("certainty", certainty.map(|all| output(py, all.clone(), [all.len()])))?;
        Ok(found)
    }

    /// The expected loss of a partition under every loss, or under every one that needs no cost.
    fn expected_losses(
        &self,
        py: Python<'_>,
        partition: Input<'_, i64>,
        conventions: Conventions<'_>,
        threads: Option<usize>,
    ) -> Result<Vec<(String, f64)>> {
        let options = loss_options(conventions)?;
        let entries = REGISTRY.iter().filter(|entry| !entry.takes_a || conventions.0.is_some());
        let losses: Vec<(&str, Loss)> =
            entries.map(|entry| Ok((entry.name, (entry.build)(&options)?))).collect::<mixgist::Result<_>>()?;
        let partition = Partition::from_integers(values(&partition)?)?;
        let only: Vec<Loss> = losses.iter().map(|(_, loss)| *loss).collect();
        let call = Call { threads, progress: None };
        let expected = call.run(py, |_| expected_losses(&only, &partition, &self.draws))?;
        Ok(losses.into_iter().map(|(name, _)| name.to_owned()).zip(expected).collect())
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
        let losses = call.run(py, |_| losses_to_draws(loss, &partition, &self.draws))?;
        let draws = losses.len();
        Ok(output(py, losses, [draws]))
    }

    /// The credible ball around a partition. A loss that is no metric falls back on the variation of information, as on the
    /// command line, when `fall_back` says so.
    #[expect(clippy::too_many_arguments, reason = "the package calls it with everything")]
    fn ball<'py>(
        &self,
        py: Python<'py>,
        partition: Input<'_, i64>,
        loss: &str,
        conventions: Conventions<'_>,
        level: f64,
        fall_back: bool,
        threads: Option<usize>,
    ) -> Result<Bound<'py, PyDict>> {
        let mut loss = chosen_loss(loss, conventions)?;
        if fall_back && !loss.is_metric() {
            loss = Loss::Vi { a: 1.0 };
        }
        let partition = Partition::from_integers(values(&partition)?)?;
        let call = Call { threads, progress: None };
        let ball = call.run(py, |_| partition_ball(loss, &partition, &self.draws, level))?;
        ball_dict(py, &ball)
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
        let block = call.run(py, |_| similarity_block(&self.draws, rows.0..rows.1, columns.0..columns.1))?;
        Ok(output(py, block.values, [block.rows.len(), block.columns.len()]))
    }
}

fn label_array<'py>(py: Python<'py>, partition: &Partition) -> Bound<'py, PyArrayDyn<i64>> {
    output(py, partition.labels().iter().map(|&label| i64::from(label)).collect(), [partition.len()])
}

fn ball_dict<'py>(py: Python<'py>, ball: &PartitionBall) -> Result<Bound<'py, PyDict>> {
    let bound = |bound: &BallBound| (bound.distance, bound.draws.clone());
    let dict = PyDict::new(py);
    dict.set_item("loss", ball.loss.to_string())?;
    dict.set_item("level", ball.level)?;
    dict.set_item("probability", ball.probability)?;
    dict.set_item("radius", ball.radius)?;
    dict.set_item("inside", output(py, ball.inside.iter().map(|&m| m as i64).collect(), [ball.inside.len()]))?;
    dict.set_item("horizontal", bound(&ball.horizontal))?;
    dict.set_item("upper_vertical", bound(&ball.upper_vertical))?;
    dict.set_item("lower_vertical", bound(&ball.lower_vertical))?;
    Ok(dict)
}
