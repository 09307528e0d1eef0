//! What the fuzz targets do with bytes from strangers: one function a reader, from bytes to something usable or an error, never a panic.
//!
//! The programs in `fuzz/` hand these functions to libFuzzer; the tests of this crate hand them what fuzzing has found worth keeping. Each module has what
//! belongs together, because a program holds the modules that it uses, and libFuzzer looks at all that a program holds after every execution.

mod archive;
pub mod arguments;
pub mod blocks;
mod change;
pub mod checkpoint;
pub mod documents;
mod folder;
pub mod json;
pub mod part;
pub mod readers;
pub mod report;

/// What is done with the bytes.
pub type Entry = fn(&[u8]);

/// The targets, by the name of their program and of their corpus.
pub const TARGETS: &[(&str, Entry)] = &[
    ("npy", readers::npy),
    ("npz", readers::npz),
    ("csv_draws", readers::csv_draws),
    ("csv_data", readers::csv_data),
    ("csv_labels", readers::csv_labels),
    ("stan_csv", readers::stan_csv),
    ("wide_csv", readers::wide_csv),
    ("parquet", readers::parquet),
    ("netcdf", readers::netcdf),
    ("zarr", readers::zarr),
    ("blocks", blocks::blocks),
    ("bayesmix", readers::bayesmix),
    ("premium", readers::premium),
    ("json", json::json),
    ("checkpoint", checkpoint::checkpoint),
    ("part", part::part),
    ("arguments", arguments::arguments),
    ("documents", documents::documents),
    ("report", report::report),
];
