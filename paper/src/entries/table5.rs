//! Table 5.

use mixgist::Result;

use super::Entry;
use crate::page::Section;
use crate::study::Study;
use crate::table::section;

/// Old Faithful: expected distances between densities.
pub const ENTRY: Entry = Entry { name: "table5", help: "Old Faithful: expected distances between densities", run };

fn run(study: &Study) -> Result<Vec<Section>> {
    study.sources().into_iter().map(|source| section(study, "table5", "Table 5", source)).collect()
}
