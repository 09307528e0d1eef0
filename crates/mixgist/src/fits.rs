//! Whether a document that was read fits together: every array has the length that the rest of the document tells, and every index is
//! within. Readers ask before anything else sees the document.

use crate::ensemble::MixingMeasure;
use crate::{Error, Result};

/// A document that knows whether it fits together.
pub trait Document {
    /// Refuses a document whose parts do not fit together.
    fn check(&self) -> Result<()>;
}

/// A result that knows whether it fits what it is about.
pub trait Fits {
    /// Refuses a result whose arrays and indices do not fit together, or not that many draws of that dimension.
    fn fits(&self, draws: usize, dim: usize) -> Result<()>;
}

/// What is wrong with a document.
pub fn damaged<T>(what: String) -> Result<T> {
    Err(Error::input(format!("the document is damaged: {what}")))
}

/// Refuses an array of another length.
pub fn has_length(name: &str, length: usize, expected: usize) -> Result<()> {
    if length == expected { Ok(()) } else { damaged(format!("{name} has length {length}, expected {expected}")) }
}

/// Refuses indices that are not below `end`.
pub fn are_below(name: &str, indices: impl IntoIterator<Item = usize>, end: usize) -> Result<()> {
    match indices.into_iter().find(|index| *index >= end) {
        Some(index) => damaged(format!("{name} names number {index}, there are {end} (from 0)")),
        None => Ok(()),
    }
}

/// Refuses a measure of another dimension.
pub fn has_dim(name: &str, measure: &MixingMeasure, dim: usize) -> Result<()> {
    has_length(&format!("a mean of {name}"), measure.dim(), dim)
}
