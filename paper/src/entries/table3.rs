//! Table 3.

use mixgist::Result;

use super::Entry;
use crate::page::Section;
use crate::study::{Source, Study};
use crate::table::section;

/// Simulation: distances between mixing measures, expected and against the truth.
pub const ENTRY: Entry = Entry {
    name: "table3",
    help: "Simulation: distances between mixing measures, expected and against the truth",
    run,
};

fn run(study: &Study) -> Result<Vec<Section>> {
    study
        .sources()
        .into_iter()
        .filter(|source| *source != Source::Given)
        .map(|source| section(study, "table3", "Table 3", source))
        .collect()
}
