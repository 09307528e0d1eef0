//! What R holds by a pointer. There is one type for all of it, so that a pointer to something else is an error, never a crash.

use std::sync::Arc;

use mixgist::{Error, PartitionDraws};
use mixgist_front::OwnedPosterior;
use mixgist_io::DrawsFile;
use savvy::{IntoExtPtrSexp, Sexp, savvy};

use crate::error::Result;

/// Something of Rust's that R keeps alive.
#[savvy]
pub struct Handle {
    kept: Kept,
}

/// What it is.
pub enum Kept {
    /// Draws of a mixing measure, with labels and data.
    Draws(Arc<DrawsFile>),
    /// Draws of a partition.
    Partitions(Arc<PartitionDraws>),
    /// Draws, data and settings, with what was computed from them.
    Posterior(Box<OwnedPosterior>),
}

impl Kept {
    /// Draws, with what their labels say about the chains.
    pub fn of_draws(file: DrawsFile) -> Self {
        Kept::Draws(Arc::new(file.with_label_traces()))
    }

    /// A pointer for R. Nothing of R may be allocated before it is in R's hands.
    pub fn into_sexp(self) -> Sexp {
        Handle { kept: self }.into_external_pointer()
    }
}

impl Handle {
    /// The draws.
    pub fn draws(&self) -> Result<&Arc<DrawsFile>> {
        match &self.kept {
            Kept::Draws(draws) => Ok(draws),
            Kept::Posterior(bound) => Ok(&bound.draws),
            Kept::Partitions(_) => Err(Error::usage("these draws are partitions, which have no atoms").into()),
        }
    }

    /// The partitions.
    pub fn partitions(&self) -> Result<&Arc<PartitionDraws>> {
        match &self.kept {
            Kept::Partitions(draws) => Ok(draws),
            _ => Err(Error::usage("draws of a mixing measure are no partitions").into()),
        }
    }

    /// The posterior.
    pub fn posterior(&self) -> Result<&OwnedPosterior> {
        match &self.kept {
            Kept::Posterior(bound) => Ok(bound),
            _ => Err(Error::usage("draws are no posterior").into()),
        }
    }
}
