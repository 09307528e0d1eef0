//! What repeats an answer: the distance and all that it depends on.

use mixgist::{Result, Settings};
use serde::{Deserialize, Serialize};

/// How distances were computed and what the estimate averages; the names and words of the options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingsDocument {
    /// Name of the distance.
    pub distance: String,
    /// The order p.
    pub order: f64,
    /// What an estimate averages: `distance` or `power`.
    pub loss: String,
    /// Number of slices.
    pub slices: usize,
    /// How directions are spread: `iid`, `orthogonal`, `qmc`, or `given`.
    pub scheme: String,
    /// Seed of the directions.
    pub seed: u64,
    /// Units in which distances were computed.
    pub units: String,
}

impl SettingsDocument {
    /// The document of settings for draws of dimension `dim`.
    pub fn new(settings: &Settings, dim: usize) -> Result<Self> {
        Ok(SettingsDocument {
            distance: settings.slicer.name().into(),
            order: settings.order.value(),
            loss: settings.loss.name().into(),
            slices: settings.slice_count(dim)?,
            scheme: scheme(settings).into(),
            seed: settings.seed,
            units: settings.units.name(),
        })
    }
}

/// How directions are spread, in a word.
pub(crate) fn scheme(settings: &Settings) -> &'static str {
    if settings.directions.is_some() { "given" } else { settings.scheme.name() }
}
