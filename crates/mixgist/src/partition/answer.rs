//! The estimated partition with its evidence, as documents hold it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ClusterCount, OmariConvention, PartitionBall, PartitionLoss, SearchOptions, cluster_count_posterior, coclusterings,
    expected_losses, partition_ball, search,
};
use crate::fits::{Document, are_below, has_length};
use crate::labels::PartitionDraws;
use crate::{ErrorKind, Progress, Result};

/// A loss with the name that it is registered by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedLoss {
    /// The name.
    pub name: &'static str,
    /// The loss.
    pub loss: PartitionLoss,
}

/// What is asked about draws of partitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// How the partition of least expected loss is searched for.
    pub search: SearchOptions,
    /// Losses whose expectations are reported.
    pub reported: Vec<NamedLoss>,
    /// What omari makes of 0/0.
    pub omari: OmariConvention,
    /// Posterior probability of the credible ball.
    pub level: f64,
}

/// The partition of least expected loss with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PartitionAnswer {
    /// Version of mixgist that computed it.
    pub mixgist_version: String,
    /// Number of clusters.
    pub clusters: usize,
    /// Their sizes.
    pub sizes: Vec<u32>,
    /// The loss that was minimised.
    pub loss: String,
    /// Its mean over the draws.
    pub expected_loss: f64,
    /// The mean of every loss, by name; information is in bits.
    pub expected_losses: BTreeMap<String, f64>,
    /// What omari makes of 0/0: loss 0 ('identical') or 1 ('salso').
    pub omari_convention: String,
    /// Number of draws.
    pub draws: usize,
    /// Number of observations.
    pub observations: usize,
    /// Whether the draws had no labels, so that labels were drawn given each draw's measure, with the seed of the search.
    #[serde(default)]
    pub labels_sampled: bool,
    /// Seed of the search.
    pub seed: u64,
    /// Independent runs of the search.
    pub runs: usize,
    /// How many of them led to this partition.
    pub runs_agreeing: usize,
    /// Posterior of the number of clusters.
    pub cluster_counts: Vec<ClusterCount>,
    /// Its mean.
    pub cluster_count_mean: f64,
    /// Its mode.
    pub cluster_count_mode: usize,
    /// The credible ball.
    pub ball: PartitionBall,
    /// Cluster of every observation.
    pub labels: Vec<u32>,
    /// For every observation its co-clustering score, own / (own + other): own is the mean posterior probability of sharing a cluster with the other
    /// members of its cluster, other the largest such mean over the other clusters. 1 is sure, 1/2 is undecided; null when there are too many
    /// observations and clusters to compute it.
    pub coclustering: Option<Vec<f64>>,
}

impl Document for PartitionAnswer {
    fn check(&self) -> Result<()> {
        has_length("labels", self.labels.len(), self.observations)?;
        has_length("sizes", self.sizes.len(), self.clusters)?;
        are_below("labels", self.labels.iter().map(|label| *label as usize), self.clusters)?;
        if let Some(scores) = &self.coclustering {
            has_length("coclustering", scores.len(), self.observations)?;
        }
        let bounds = [&self.ball.horizontal, &self.ball.upper_vertical, &self.ball.lower_vertical];
        for bound in bounds {
            has_length("clusters of a bound", bound.clusters.len(), bound.draws.len())?;
        }
        let named = self.ball.inside.iter().chain(bounds.into_iter().flat_map(|bound| &bound.draws));
        are_below("the ball", named.copied(), self.draws)
    }
}

/// Searches for the partition of least expected loss and gathers its evidence.
pub fn estimate_partition(
    draws: &PartitionDraws,
    question: &Question,
    progress: &dyn Progress,
) -> Result<PartitionAnswer> {
    let estimate = search(draws, &question.search, progress)?;
    let losses: Vec<PartitionLoss> = question.reported.iter().map(|named| named.loss).collect();
    let means = expected_losses(&losses, &estimate.partition, draws, progress)?;
    let names = question.reported.iter().map(|named| named.name.to_owned());
    let metric = if question.search.loss.is_metric() { question.search.loss } else { PartitionLoss::Vi { a: 1.0 } };
    let counts = cluster_count_posterior(draws);
    let coclustering = match coclusterings(&estimate.partition, draws, progress) {
        Ok(all) => Some(all.iter().map(|one| one.score).collect()),
        Err(error) if error.kind() == ErrorKind::Resource => None,
        Err(error) => return Err(error),
    };
    Ok(PartitionAnswer {
        mixgist_version: env!("CARGO_PKG_VERSION").into(),
        clusters: estimate.partition.clusters(),
        sizes: estimate.partition.sizes(),
        loss: estimate.loss.to_string(),
        expected_loss: estimate.expected_loss,
        expected_losses: names.zip(means).collect(),
        omari_convention: question.omari.name().into(),
        draws: draws.len(),
        observations: draws.observations(),
        labels_sampled: false,
        seed: question.search.seed,
        runs: estimate.runs,
        runs_agreeing: estimate.runs_agreeing,
        cluster_counts: counts.counts,
        cluster_count_mean: counts.mean,
        cluster_count_mode: counts.mode,
        ball: partition_ball(metric, &estimate.partition, draws, question.level, progress)?,
        labels: estimate.partition.labels().to_vec(),
        coclustering,
    })
}
