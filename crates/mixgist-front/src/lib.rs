//! What the fronts in other languages share: draws, data and settings that outlive a call, and jobs that run beside a listening
//! interpreter. What a front says, and how it holds arrays, is its own.

pub mod desks;
mod posterior;
pub mod running;

pub use posterior::OwnedPosterior;
