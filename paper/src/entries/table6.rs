//! Table 6.

use mixgist::Result;

use super::Entry;
use crate::page::Section;
use crate::study::Study;
use crate::table::section;

/// Old Faithful: expected distances between mixing measures.
pub const ENTRY: Entry =
    Entry { name: "table6", help: "Old Faithful: expected distances between mixing measures", run };

fn run(study: &Study) -> Result<Vec<Section>> {
    study.sources().into_iter().map(|source| section(study, "table6", "Table 6", source)).collect()
}
