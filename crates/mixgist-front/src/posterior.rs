//! Draws, data and settings that a front keeps between calls.

use std::sync::Arc;

use mixgist::{Computed, Error, Estimate, MixingMeasure, PartitionDraws, Points, Posterior, Result, Settings};
use mixgist_io::{DataTable, DrawsFile, memory};

/// Draws, data and settings, with what was computed from them so far.
pub struct OwnedPosterior {
    /// The draws.
    pub draws: Arc<DrawsFile>,
    /// The data that were given; without them, those that came with the draws.
    pub data: Option<DataTable>,
    /// The settings.
    pub settings: Settings,
    /// An estimate of the user's own.
    pub given: Option<Estimate>,
    /// What was computed.
    pub kept: Arc<Computed>,
}

impl OwnedPosterior {
    /// Nothing is computed yet.
    pub fn new(draws: Arc<DrawsFile>, data: Option<DataTable>, settings: Settings) -> Self {
        OwnedPosterior { draws, data, settings, given: None, kept: Arc::default() }
    }

    /// What questions are put to.
    pub fn posterior(&self) -> Result<Posterior<'_>> {
        let points = self.data().map(|data| Points::new(data.columns(), data.values())).transpose()?;
        let bound = Posterior::new(&self.draws.ensemble, points, self.settings.clone())?;
        let columns = self.data().and_then(DataTable::column_names);
        Ok(bound.with_columns(columns).with_estimate(self.given.clone()).with_kept(Arc::clone(&self.kept)))
    }

    /// The data.
    pub fn data(&self) -> Option<&DataTable> {
        self.data.as_ref().or(self.draws.data.as_ref())
    }

    /// The partitions that came with the draws.
    pub fn partitions(&self) -> Result<Option<PartitionDraws>> {
        self.draws.partitions()
    }

    /// Refuses a measure of another dimension than the draws.
    pub fn check_dimension(&self, what: &str, measure: &MixingMeasure) -> Result<()> {
        let (own, dim) = (measure.dim(), self.draws.ensemble.dim());
        if own == dim {
            return Ok(());
        }
        Err(Error::input(format!("{what} has dimension {own}, the draws have {dim}")))
    }

    /// Refuses a summary that cannot fit into memory; `remedy` says in the front's words what helps.
    pub fn require_memory(&self, remedy: &str) -> Result<()> {
        let ensemble = &self.draws.ensemble;
        let needed = self.settings.predicted_bytes(ensemble)?;
        memory::require(needed, &format!("summarising {} draws this way", ensemble.len()), |_| remedy.into())
    }
}
