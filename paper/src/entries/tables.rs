//! Tables 1 to 6.

use super::Entry;
use crate::table::section;

macro_rules! table {
    ($name:literal, $help:literal) => {
        Entry { name: $name, help: $help, run: |study| section(study, $name) }
    };
}

/// Table 1.
pub const TABLE_1: Entry = table!(
    "table1",
    "Simulation: number of clusters, expected Binder, VI and omARI losses and losses against the true partition"
);

/// Table 2.
pub const TABLE_2: Entry =
    table!("table2", "Simulation: total variation and sliced W_2 between densities, expected and against the truth");

/// Table 3.
pub const TABLE_3: Entry =
    table!("table3", "Simulation: distances between mixing measures, expected and against the truth");

/// Table 4.
pub const TABLE_4: Entry = table!("table4", "Old Faithful: number of clusters and expected partition losses");

/// Table 5.
pub const TABLE_5: Entry = table!("table5", "Old Faithful: expected distances between densities");

/// Table 6.
pub const TABLE_6: Entry = table!("table6", "Old Faithful: expected distances between mixing measures");
