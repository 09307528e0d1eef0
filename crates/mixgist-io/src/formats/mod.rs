//! One module a format; [`crate::Format`] is the table that lists them.

pub(crate) mod bayesmix;
pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod netcdf;
pub(crate) mod npy;
pub(crate) mod npz;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod premium;
pub(crate) mod read_netcdf;
pub(crate) mod wide;
pub(crate) mod zarr;
