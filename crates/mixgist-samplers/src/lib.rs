//! From data to draws: mixing priors, component models and algorithms as three independent axes.

mod algorithm;
mod chain;
mod checkpoint;
mod clusters;
mod component;
mod concentration;
mod draws;
mod fit;
mod hyperparameters;
mod measure;
mod mixing;
mod points;
mod settings;
mod start;
pub mod validation;
mod variates;

pub use checkpoint::{CheckpointMode, Checkpoints};
pub use fit::{Diagnostics, Fit, Traces, fit};
pub use hyperparameters::Hyperparameters;
pub use mixing::{Concentration, MixingPrior};
pub use settings::{Algorithm, ComponentPrior, CovarianceModel, Scale, Settings, Truncation};
