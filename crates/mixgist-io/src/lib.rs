//! Files of mixgist: one module a format, each turning bytes into the core's types and back.
//!
//! ```
//! use mixgist::{CovarianceForm, Ensemble};
//! use mixgist_io::{DrawsFile, Overwrite, ReadOptions, read_draws, write_draws};
//!
//! # fn main() -> mixgist::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("draws.npz");
//! let ensemble = Ensemble::builder(1).atoms_per_draw(2).weights(&[0.5, 0.5]).means(&[-1.0, 1.0]).covariances(&[1.0, 2.0]).build()?;
//! write_draws(&path, &DrawsFile::from(ensemble.clone()), None, Overwrite::Refuse)?;
//! assert_eq!(read_draws(&[&path], &ReadOptions::default())?.ensemble, ensemble);
//! # Ok(())
//! # }
//! ```
//!
//! | format | draws | data | labels |
//! |---|---|---|---|
//! | npz | arrays `weights` (M, K), `means` (M, K, d), `covariances` (M, K, d, d); of differing K: flat, with `offsets` (M + 1); `chain`, `iteration`, `draw_weights`, `log_posterior` if wanted | `data` (n, d), `data_columns` | `labels` (M, n) |
//! | csv, parquet | one row per atom: `chain`, `draw`, `atom`, `weight`, `mean_1` …, `cov_1_1` …, `draw_weight` if wanted | one row per observation | one row per draw |
//! | npy | | (n, d) | (M, n) |
//! | stan-csv | output of CmdStan, read only | | with the draws |
//!
//! What is read is not trusted: sizes that a file promises are held against the bytes that it has before memory is asked for.
//! What is written appears whole or not at all, and replaces nothing unless told to.

mod aligned;
mod array;
mod blocks;
mod caught;
mod counting;
mod data;
mod delimited;
mod documents;
mod draws;
mod format;
mod formats;
mod labels;
mod long_table;
pub mod memory;
mod output;
mod proposal;
mod provenance;
mod results;
mod source;
mod variables;

pub use aligned::{ALIGNED_EXTENSIONS, write_aligned};
pub use blocks::FileBlocks;
pub use counting::count_from_one;
pub use data::{DataTable, read_data, write_data};
pub use documents::{
    ALIGNMENT_SCHEMA, COMPONENTS_SCHEMA, CREDIBLE_SCHEMA, Documented, FIT_SCHEMA, HOW_MANY_SCHEMA, MEMBERSHIPS_SCHEMA,
    PARTITION_SCHEMA, REPRESENTATIVES_SCHEMA, STABILITY_SCHEMA, SUMMARY_SCHEMA, fit_document_path, json_schema,
    json_schemas, read_named_components, read_summary,
};
pub use draws::{DrawsFile, ReadOptions, read_draws, write_draws};
pub use format::Format;
pub use formats::json::{Schema, read_json, to_json, write_json};
pub use formats::npy::write_npy;
pub use formats::npz::{read_arrays, write_arrays};
pub use labels::{LabelDraws, read_labels, write_labels};
pub use mixgist_files::{Overwrite, check_outputs, check_writable, together, write_bytes};
pub use output::{expect_extension, has_extension};
pub use proposal::{Proposal, deviations_by_name, propose};
pub use provenance::{default_reading, describe_file, find_file, is_content_of, read_as};
pub use results::{ArrayValues, Cell, TableRows, write_npy_in_pieces, write_npy_labels, write_table};
pub use source::{Stop, may_be_cut_off, read_bytes};
pub use variables::{Variable, Variables};
