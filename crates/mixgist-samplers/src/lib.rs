//! From data to draws: mixing priors, component models and algorithms as three independent axes.
//!
//! ```
//! use mixgist::Silent;
//! use mixgist_samplers::{Algorithm, FitSettings, fit};
//!
//! let data = [1.8, 2.0, 1.9, 2.2, 4.3, 4.5, 4.7, 4.4]; // n × 1
//! let settings = FitSettings::default().with_algorithm(Algorithm::Slice).with_iterations(200).with_burn_in(100);
//! let fit = fit(&data, 1, &settings, None, &Silent)?;
//! assert_eq!(fit.ensemble.len(), 4 * 100); // four chains
//! println!("{}", fit.hyperparameters); // what a paper has to say about the prior
//! # Ok::<(), mixgist::Error>(())
//! ```
//!
//! A chain moves on (partition, α): weights and atoms are integrated out or drawn afresh in each sweep, and a draw of the mixing
//! measure is imputed from its law given the partition when it is kept. What proves the chains right is in [`validation`].

mod agreement;
mod algorithm;
mod chain;
mod checkpoint;
mod clusters;
mod component;
mod concentration;
mod draws;
mod end;
mod extend;
mod fit;
mod held;
mod hyperparameters;
mod implied;
mod measure;
mod mixing;
mod outline;
mod packing;
mod points;
mod record;
mod scales;
mod settings;
mod start;
mod tiles;
pub mod validation;
mod variates;

pub use agreement::Agreement;
pub use checkpoint::{CheckpointMode, Checkpoints};
pub use end::ChainEnd;
pub use extend::extend;
pub use fit::{
    ChainRun, DiagnosticRow, Diagnostics, Fit, Traces, Truncated, fit, fit_away, fit_chain, join_chains,
    predicted_bytes,
};
pub use hyperparameters::{Hyperparameters, Learned};
pub use implied::{ImpliedDensity, ImpliedModel};
pub use mixing::{Concentration, MixingPrior};
pub use record::FitRecord;
pub use settings::{Algorithm, ComponentPrior, CovarianceModel, FitSettings, Scale, ScaleChoice, Truncation};
pub use tiles::{HeldPoints, TILE_ROWS, TileAnswers, TileJob, TileWorkers};

/// Takes the body of a checkpoint file apart, as resuming does after its checksum was found right: for the fuzz targets.
#[doc(hidden)]
pub fn take_checkpoint_apart(body: &[u8]) {
    checkpoint::take_apart(body);
}
