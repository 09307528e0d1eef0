//! Progress and interruption: the one way in which a long job talks to its caller before it is done.

use crate::{Error, Result};

/// Listens to a long job; one implementation carries a progress bar, Ctrl-C, Python signals or R interrupts.
pub trait Progress: Sync {
    /// A phase of `total` steps begins.
    fn begin(&self, phase: &str, total: u64) {
        let _ = (phase, total);
    }

    /// `steps` more steps of the phase are done.
    fn advance(&self, steps: u64) {
        let _ = steps;
    }

    /// A short remark on the state of the job (a sampler's clusters and log-posterior, say).
    fn remark(&self, remark: &str) {
        let _ = remark;
    }

    /// Whether the user asked to stop. Checked at least some ten times a second.
    fn cancelled(&self) -> bool {
        false
    }

    /// The error of an interrupted job once the user asked to stop.
    fn check(&self) -> Result<()> {
        if self.cancelled() { Err(Error::interrupted()) } else { Ok(()) }
    }
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}
