//! The registry of entries: one for each table and figure of the paper, and some about them.

mod errata;
mod figures;
mod mixing;
mod monte_carlo;
mod slices;
mod summary;
mod tables;
mod timings;

use mixgist::{Error, Result};

use crate::page::Section;
use crate::study::Study;

/// One part of the page.
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line on what it shows.
    pub help: &'static str,
    /// Computes it.
    pub run: fn(&Study) -> Result<Vec<Section>>,
}

/// All entries in the order of the page: what came out, then the paper's tables and figures.
pub const ENTRIES: &[Entry] = &[
    summary::ENTRY,
    mixing::ENTRY,
    errata::ENTRY,
    slices::ENTRY,
    timings::ENTRY,
    figures::FIGURE_2,
    tables::TABLE_1,
    tables::TABLE_2,
    tables::TABLE_3,
    figures::FIGURE_3,
    tables::TABLE_4,
    tables::TABLE_5,
    tables::TABLE_6,
    monte_carlo::ENTRY,
];

/// The entry of that name.
pub fn entry(name: &str) -> Result<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        Error::usage(format!("unknown entry '{name}'")).hint(format!("one of: {}", names.join(", ")))
    })
}
