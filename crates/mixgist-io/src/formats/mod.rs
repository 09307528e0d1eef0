//! One module a format; [`crate::Format`] is the table that lists them.

pub(crate) mod csv;
pub(crate) mod npy;
pub(crate) mod npz;
