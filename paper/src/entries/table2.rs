//! Table 2.

use mixgist::Result;

use super::Entry;
use crate::page::Section;
use crate::study::{Source, Study};
use crate::table::section;

/// Simulation: total variation and sliced W_2 between densities, expected and against the truth.
pub const ENTRY: Entry = Entry {
    name: "table2",
    help: "Simulation: total variation and sliced W_2 between densities, expected and against the truth",
    run,
};

fn run(study: &Study) -> Result<Vec<Section>> {
    study
        .sources()
        .into_iter()
        .filter(|source| *source != Source::Given)
        .map(|source| section(study, "table2", "Table 2", source))
        .collect()
}
