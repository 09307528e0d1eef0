//! The registry of entries: one for each table and figure of the paper, and three about it: mixing, errata, timings.

mod errata;
mod figure2;
mod figure3;
mod mixing;
mod monte_carlo;
mod table1;
mod table2;
mod table3;
mod table4;
mod table5;
mod table6;
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

/// All entries: those of the paper in its order, then those about it.
pub const ENTRIES: &[Entry] = &[
    figure2::ENTRY,
    table1::ENTRY,
    table2::ENTRY,
    table3::ENTRY,
    figure3::ENTRY,
    table4::ENTRY,
    table5::ENTRY,
    table6::ENTRY,
    monte_carlo::ENTRY,
    mixing::ENTRY,
    errata::ENTRY,
    timings::ENTRY,
];

/// The entry of that name.
pub fn entry(name: &str) -> Result<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<_> = ENTRIES.iter().map(|entry| entry.name).collect();
        Error::usage(format!("unknown entry '{name}'")).hint(format!("one of: {}", names.join(", ")))
    })
}
