//! The estimated partition with its evidence, as documents hold it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ClusterBound, ClusterCount, LossOptions, PartitionBall, PartitionLoss, SearchOptions, cluster_count_posterior,
    coclusterings, expected_losses, partition_ball, search,
};
use crate::fits::{Document, are_below, has_length};
use crate::labels::PartitionDraws;
use crate::text::Index;
use crate::text::named;
use crate::{Error, ErrorKind, Progress, Result, text};

/// What is asked about draws of partitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// How the partition of least expected loss is searched for.
    pub search: SearchOptions,
    /// What losses leave open; all that it allows are reported.
    pub losses: LossOptions,
    /// Posterior probability of the credible ball.
    pub level: f64,
    /// Whether the labels were drawn given each draw's measure.
    pub labels_sampled: bool,
}

impl Question {
    /// From the options of a front: the loss by name, exactly or at most so many clusters.
    pub fn new(
        loss: &str,
        losses: LossOptions,
        clusters: Option<usize>,
        max_clusters: Option<usize>,
        level: f64,
    ) -> Result<Self> {
        if !(level > 0.0 && level <= 1.0) {
            return Err(Error::usage(text![named("ball"), format!(" is {level}, must be above 0 and at most 1")]));
        }
        let bound = match (clusters, max_clusters) {
            (Some(k), _) => ClusterBound::Exactly(k),
            (None, Some(k)) => ClusterBound::AtMost(k),
            (None, None) => ClusterBound::LargestDraw,
        };
        let search = SearchOptions { clusters: bound, ..SearchOptions::new(PartitionLoss::from_name(loss, &losses)?) };
        Ok(Question { search, losses, level, labels_sampled: false })
    }
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
    #[schemars(with = "Vec<Index>")]
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
    let (names, losses): (Vec<&str>, Vec<PartitionLoss>) = question.losses.losses()?.into_iter().unzip();
    let means = expected_losses(&losses, &estimate.partition, draws, progress)?;
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
        expected_losses: names.into_iter().map(str::to_owned).zip(means).collect(),
        omari_convention: question.losses.omari.name().into(),
        draws: draws.len(),
        observations: draws.observations(),
        labels_sampled: question.labels_sampled,
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
