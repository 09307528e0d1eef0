//! Checkpoints of a fit.

/// The files of a checkpoint, each for itself.
pub fn checkpoint(bytes: &[u8]) {
    mixgist_samplers::take_checkpoint_apart(bytes);
}
