//! Exact optimal transport between mixing measures: the peers that sliced distances are compared with.

mod draws;
pub mod exact;
pub mod ground;
pub mod simplex;

pub use exact::{EXACT_DISTANCES, NamedDistance, energy_distance, energy_distance_squared, exact_w, mw_2};
pub use ground::GroundMetric;
pub use simplex::{Move, Plan, solve};
