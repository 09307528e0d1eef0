//! Partition first, the established way: losses between partitions, the partition of least expected loss, how sure it is, and
//! the density that it implies.
//!
//! Losses are values ([`Loss`]) from one [`REGISTRY`]; conventions are those of the R package `salso`. Everything works from the
//! draws alone: no n × n matrix is ever formed.

mod contingency;
mod expected;
mod loss;
mod search;

pub use expected::{expected_loss, expected_losses, loss_between, losses_to_draws};
pub use loss::{Loss, LossEntry, LossOptions, OmariConvention, REGISTRY};
pub use search::{ClusterBound, PartitionEstimate, SearchOptions, Start, search};
