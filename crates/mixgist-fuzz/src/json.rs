//! Documents as text.

use mixgist::partition::PartitionAnswer;
use mixgist_io::{PARTITION_SCHEMA, read_json, read_summary};

use crate::readers::with_file;

/// A summary, or an estimated partition.
pub fn json(bytes: &[u8]) {
    with_file(bytes, |path| {
        let _ = read_summary(path);
        let _ = read_json::<PartitionAnswer>(path, PARTITION_SCHEMA);
    });
}
