//! An estimated partition with its evidence, as a JSON document.

use std::collections::BTreeMap;

use mixgist::PartitionDraws;
use mixgist::partition::{
    BallBound, Certainty, ClusterCountPosterior, OmariConvention, PartitionBall, PartitionEstimate,
};
use serde::{Deserialize, Serialize};

use crate::formats::json::Schema;

/// The schema of an estimated partition.
pub const PARTITION_SCHEMA: Schema = Schema { name: "mixgist.partition", version: 1 };

/// What is known about the estimate.
pub struct PartitionEvidence {
    /// The expected loss under every loss, by name.
    pub expected_losses: BTreeMap<String, f64>,
    /// How many clusters the draws have.
    pub cluster_counts: ClusterCountPosterior,
    /// The credible ball.
    pub ball: PartitionBall,
    /// How sure the place of every observation is, where that could be afforded.
    pub certainties: Option<Vec<Certainty>>,
    /// What omari made of 0/0.
    pub omari: OmariConvention,
    /// Seed of the search.
    pub seed: u64,
}

/// The estimate with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartitionDocument {
    /// Number of clusters.
    pub clusters: usize,
    /// Their sizes.
    pub sizes: Vec<u32>,
    /// The loss that was minimised.
    pub loss: String,
    /// Its mean over the draws.
    pub expected_loss: f64,
    /// The mean of every loss, by name.
    pub expected_losses: BTreeMap<String, f64>,
    /// What omari made of 0/0.
    pub omari_convention: String,
    /// Number of draws.
    pub draws: usize,
    /// Number of observations.
    pub observations: usize,
    /// Seed of the search.
    pub seed: u64,
    /// Runs of the search.
    pub runs: usize,
    /// How many of them led here.
    pub runs_agreeing: usize,
    /// Posterior of the number of clusters.
    pub cluster_counts: Vec<ClusterCountDocument>,
    /// Its mean.
    pub cluster_count_mean: f64,
    /// Its mode.
    pub cluster_count_mode: usize,
    /// The credible ball.
    pub ball: PartitionBallDocument,
    /// Cluster of every observation.
    pub labels: Vec<u32>,
    /// How sure that is.
    pub certainty: Option<Vec<f64>>,
}

/// A number of clusters and its probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterCountDocument {
    /// The number.
    pub clusters: usize,
    /// Its probability.
    pub probability: f64,
}

/// A credible ball around a partition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartitionBallDocument {
    /// The metric.
    pub loss: String,
    /// The probability that was asked for.
    pub level: f64,
    /// The probability that it holds.
    pub probability: f64,
    /// The radius.
    pub radius: f64,
    /// The draws farthest from the estimate.
    pub horizontal: BallBoundDocument,
    /// The farthest among those with the fewest clusters.
    pub upper_vertical: BallBoundDocument,
    /// The farthest among those with the most clusters.
    pub lower_vertical: BallBoundDocument,
}

/// The draws of a bound with the number of clusters of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BallBoundDocument {
    /// Their distance from the estimate.
    pub distance: f64,
    /// The draws.
    pub draws: Vec<usize>,
    /// Number of clusters of each.
    pub clusters: Vec<usize>,
}

impl PartitionBallDocument {
    /// The document of a ball among these draws.
    pub fn new(ball: &PartitionBall, draws: &PartitionDraws) -> Self {
        let bound = |bound: &BallBound| BallBoundDocument {
            distance: bound.distance,
            draws: bound.draws.clone(),
            clusters: bound.draws.iter().map(|&m| draws.clusters(m)).collect(),
        };
        PartitionBallDocument {
            loss: ball.loss.to_string(),
            level: ball.level,
            probability: ball.probability,
            radius: ball.radius,
            horizontal: bound(&ball.horizontal),
            upper_vertical: bound(&ball.upper_vertical),
            lower_vertical: bound(&ball.lower_vertical),
        }
    }
}

impl PartitionDocument {
    /// The document of an estimate.
    pub fn new(estimate: &PartitionEstimate, evidence: &PartitionEvidence, draws: &PartitionDraws) -> Self {
        let counts = &evidence.cluster_counts;
        PartitionDocument {
            clusters: estimate.partition.clusters(),
            sizes: estimate.partition.sizes(),
            loss: estimate.loss.to_string(),
            expected_loss: estimate.expected_loss,
            expected_losses: evidence.expected_losses.clone(),
            omari_convention: evidence.omari.name().into(),
            draws: draws.len(),
            observations: draws.observations(),
            seed: evidence.seed,
            runs: estimate.runs,
            runs_agreeing: estimate.runs_agreeing,
            cluster_counts: counts
                .counts
                .iter()
                .map(|count| ClusterCountDocument { clusters: count.clusters, probability: count.probability })
                .collect(),
            cluster_count_mean: counts.mean,
            cluster_count_mode: counts.mode,
            ball: PartitionBallDocument::new(&evidence.ball, draws),
            labels: estimate.partition.labels().to_vec(),
            certainty: evidence.certainties.as_ref().map(|all| all.iter().map(|one| one.certainty).collect()),
        }
    }
}
