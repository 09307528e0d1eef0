//! Files of mixgist: one module a format, each turning bytes into the core's types and back.

mod array;
mod data;
mod delimited;
mod draws;
mod format;
mod formats;
mod labels;
mod long_table;
mod output;
mod source;
mod summary;

pub use array::NumericArray;
pub use data::{DataTable, read_data, write_data};
pub use draws::{DrawsFile, ReadOptions, read_draws, write_draws};
pub use format::Format;
pub use formats::json::{Schema, read_json, to_json, write_json};
pub use formats::npy::write_npy;
pub use formats::npz::{NamedArrays, read_arrays, write_arrays};
pub use formats::stan_csv::StanVariables;
pub use labels::{LabelDraws, read_labels, write_labels};
pub use output::{Overwrite, check_writable};
pub use summary::{MeasureDocument, PrunedDocument, SUMMARY_SCHEMA, SummaryDocument, UnitsDocument, WarningDocument};
