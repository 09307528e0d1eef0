//! Figure 2: data, densities and clusters of the simulation.

use mixgist::Result;

use super::Entry;
use crate::figures::six_methods;
use crate::page::Section;
use crate::study::{Source, Study};

/// Simulated data of the first repeat, the true density, and the densities and clusters of the six methods.
pub const ENTRY: Entry = Entry {
    name: "figure2",
    help: "Simulated data of the first repeat, the true density, and the densities and clusters of the six methods",
    run,
};

fn run(study: &Study) -> Result<Vec<Section>> {
    let sources = study.sources().into_iter();
    sources
        .filter(|source| *source != Source::Given)
        .map(|source| {
            let mut section = Section::new(format!("Figure 2, from {}", source.name()));
            let caption = format!(
                "Simulated data of the first repeat, the true density, and the densities and clusters of the six methods. Draws from {}. Contours enclose 20, 40, 60, 80 and 95 % of the mass; colours and markers are clusters, \
                 the largest first.",
                source.name()
            );
            let file = format!("figure2-{}.svg", source.key());
            section.blocks.push(six_methods(&study.simulation(source)?[0], ["y₁", "y₂"], &file, &caption)?);
            Ok(section)
        })
        .collect()
}
