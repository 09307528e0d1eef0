//! Tables 1 to 6.

use super::Entry;
use crate::table::section;

/// Simulation: number of clusters, expected Binder, VI and omARI losses and losses against the true partition.
pub const TABLE_1: Entry = Entry {
    name: "table1",
    help: "Simulation: number of clusters, expected Binder, VI and omARI losses and losses against the true partition",
    run: |study| section(study, "table1"),
};

/// Simulation: total variation and sliced W_2 between densities, expected and against the truth.
pub const TABLE_2: Entry = Entry {
    name: "table2",
    help: "Simulation: total variation and sliced W_2 between densities, expected and against the truth",
    run: |study| section(study, "table2"),
};

/// Simulation: distances between mixing measures, expected and against the truth.
pub const TABLE_3: Entry = Entry {
    name: "table3",
    help: "Simulation: distances between mixing measures, expected and against the truth",
    run: |study| section(study, "table3"),
};

/// Old Faithful: number of clusters and expected partition losses.
pub const TABLE_4: Entry = Entry {
    name: "table4",
    help: "Old Faithful: number of clusters and expected partition losses",
    run: |study| section(study, "table4"),
};

/// Old Faithful: expected distances between densities.
pub const TABLE_5: Entry = Entry {
    name: "table5",
    help: "Old Faithful: expected distances between densities",
    run: |study| section(study, "table5"),
};

/// Old Faithful: expected distances between mixing measures.
pub const TABLE_6: Entry = Entry {
    name: "table6",
    help: "Old Faithful: expected distances between mixing measures",
    run: |study| section(study, "table6"),
};
