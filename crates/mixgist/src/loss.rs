//! The loss: what is averaged over the posterior.

use crate::by_name::named;
use crate::line::Order;

/// What is averaged over the posterior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// The distance D, as in the paper.
    #[default]
    Distance,
    /// Its power D^p.
    Power,
}

named!(Loss, "Loss", "loss", "What is averaged over the posterior: the 'distance', or its p-th 'power'.");

impl Loss {
    /// Every loss, with the name that options use.
    pub const NAMES: [(&'static str, Loss); 2] = [("distance", Loss::Distance), ("power", Loss::Power)];

    /// The loss of a draw at a given mean transport cost.
    pub(crate) fn of_cost(self, cost: f64, order: Order) -> f64 {
        match self {
            Loss::Distance => order.root(cost),
            Loss::Power => cost,
        }
    }

    /// Slope of [`Loss::of_cost`].
    pub(crate) fn slope(self, cost: f64, order: Order) -> f64 {
        match self {
            Loss::Distance => order.root_slope(cost),
            Loss::Power => 1.0,
        }
    }
}
