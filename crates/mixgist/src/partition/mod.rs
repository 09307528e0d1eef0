//! Partition first, the established way: losses between partitions, the partition of least expected loss, and how sure it is. The
//! density that it implies depends on the model: `mixgist-samplers` has it.
//!
//! Losses are values ([`PartitionLoss`]) from one [`REGISTRY`]; conventions are those of the R package `salso`. Everything works from the
//! draws alone: no n × n matrix is ever formed.

mod answer;
mod ball;
mod cluster_count;
mod coclustering;
mod contingency;
mod expected;
mod loss;
mod search;
mod similarity;

pub use answer::{PartitionAnswer, Question, estimate_partition};
pub use ball::{BallBound, PartitionBall, partition_ball};
pub use cluster_count::{ClusterCount, ClusterCountPosterior, cluster_count_posterior};
pub use coclustering::{Coclustering, coclusterings};
pub use expected::{expected_loss, expected_losses, loss_between, losses_to_draws};
pub use loss::{LossEntry, LossOptions, OmariConvention, PartitionLoss, REGISTRY};
pub use search::{ClusterBound, PartitionEstimate, SearchOptions, Start, search};
pub use similarity::{SimilarityBlock, similarity_block, similarity_of_pairs};
