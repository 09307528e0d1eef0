//! Table 4.

use mixgist::Result;

use super::Entry;
use crate::page::Section;
use crate::study::Study;
use crate::table::section;

/// Old Faithful: number of clusters and expected partition losses.
pub const ENTRY: Entry =
    Entry { name: "table4", help: "Old Faithful: number of clusters and expected partition losses", run };

fn run(study: &Study) -> Result<Vec<Section>> {
    study.sources().into_iter().map(|source| section(study, "table4", "Table 4", source)).collect()
}
