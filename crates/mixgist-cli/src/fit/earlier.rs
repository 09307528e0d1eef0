//! An earlier fit, read back from what it wrote, so that its chains can run on.

use std::path::Path;

use mixgist::{Error, Result};
use mixgist_io::{DataTable, DrawsFile, memory, read_draws, read_json};
use mixgist_samplers::{ChainEnd, Fit, FitSettings, Hyperparameters, Traces, Truncated};
use serde::Deserialize;

use super::answer::FIT_SCHEMA;

/// A fit with what it came from.
pub struct Earlier {
    pub fit: Fit,
    pub settings: FitSettings,
    pub data: DataTable,
}

/// What is needed of the document beside the draws.
#[derive(Deserialize)]
struct Kept {
    model: Hyperparameters,
    settings: FitSettings,
    unresolved: f64,
    truncated: Option<Truncated>,
    ends: Option<Vec<ChainEnd>>,
    traces: Traces,
}

impl Earlier {
    /// Reads draws, labels and data from the file, and how the chains ended from the document beside it.
    pub fn read(path: &Path) -> Result<Self> {
        let DrawsFile { ensemble, labels, data } = read_draws(&[path.to_owned()], &memory::reading())?;
        let (Some(labels), Some(data)) = (labels, data) else {
            return Err(Error::input("holds draws without labels or data").in_file(path).hint("resume from a file that mixgist fit wrote"));
        };
        let document = path.with_extension("json");
        let kept: Kept = read_json(&document, FIT_SCHEMA)
            .map_err(|error| error.hint("mixgist fit writes it beside the draws: keep both to let the chains run on"))?;
        let Some(ends) = kept.ends else {
            return Err(Error::input("does not say how the chains ended").in_file(&document).hint("it is from an earlier version: fit again"));
        };
        let not_together = || Error::input("does not belong to the draws beside it").in_file(&document);
        if labels.draws != ensemble.len() || labels.observations != data.rows() {
            return Err(not_together());
        }
        let labels = labels.labels.into_iter().map(u32::try_from).collect::<std::result::Result<_, _>>();
        let fit = Fit {
            ensemble,
            labels: labels.map_err(|_| not_together())?,
            traces: kept.traces,
            hyperparameters: kept.model,
            diagnostics: None,
            unresolved: kept.unresolved,
            truncated: kept.truncated,
            ends,
        };
        Ok(Earlier { fit, settings: kept.settings, data })
    }
}
