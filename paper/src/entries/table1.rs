//! Table 1.

use mixgist::Result;

use super::Entry;
use crate::page::Section;
use crate::study::{Source, Study};
use crate::table::section;

/// Simulation: number of clusters, expected Binder, VI and omARI losses and losses against the true partition.
pub const ENTRY: Entry = Entry {
    name: "table1",
    help: "Simulation: number of clusters, expected Binder, VI and omARI losses and losses against the true partition",
    run,
};

fn run(study: &Study) -> Result<Vec<Section>> {
    study
        .sources()
        .into_iter()
        .filter(|source| *source != Source::Given)
        .map(|source| section(study, "table1", "Table 1", source))
        .collect()
}
