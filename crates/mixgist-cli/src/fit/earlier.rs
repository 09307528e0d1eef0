//! An earlier fit, read back from what it wrote, so that its chains can run on.

use std::path::Path;

use mixgist::{Error, Result};
use mixgist_io::{DataTable, DrawsFile, FIT_SCHEMA, fit_document_path, memory, read_draws, read_json};
use mixgist_samplers::{Fit, FitRecord, FitSettings};

/// A fit with what it came from.
pub struct Earlier {
    pub fit: Fit,
    pub settings: FitSettings,
    pub data: DataTable,
}

impl Earlier {
    /// Reads draws, labels and data from the file, and how the chains ended from the document beside it.
    pub fn read(path: &Path) -> Result<Self> {
        let DrawsFile { ensemble, labels, data } = read_draws(&[path.to_owned()], &memory::reading())?;
        let (Some(labels), Some(data)) = (labels, data) else {
            return Err(Error::input("holds draws without labels or data")
                .in_file(path)
                .hint("resume from a file that mixgist fit wrote"));
        };
        let document = fit_document_path(path);
        let kept: FitRecord = read_json(&document, FIT_SCHEMA).map_err(|error| {
            error.hint("mixgist fit writes it beside the draws: keep both to let the chains run on")
        })?;
        let (fit, settings) = kept.into_fit(ensemble, labels.labels).map_err(|error| error.in_file(&document))?;
        Ok(Earlier { fit, settings, data })
    }
}
