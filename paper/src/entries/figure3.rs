//! Figure 3: data, densities and clusters of Old Faithful.

use mixgist::Result;

use super::Entry;
use crate::figures::six_methods;
use crate::page::Section;
use crate::study::Study;

/// Old Faithful and the densities and clusters of the six methods.
pub const ENTRY: Entry =
    Entry { name: "figure3", help: "Old Faithful and the densities and clusters of the six methods", run };

fn run(study: &Study) -> Result<Vec<Section>> {
    let sources = study.sources().into_iter();
    sources
        .map(|source| {
            let mut section = Section::new(format!("Figure 3, from {}", source.name()));
            let caption = format!(
                "Old Faithful and the densities and clusters of the six methods. Draws from {}. Contours enclose 20, 40, 60, 80 and 95 % of the mass; colours and markers are clusters, \
                 the largest first.",
                source.name()
            );
            let file = format!("figure3-{}.svg", source.key());
            section.blocks.push(six_methods(&study.faithful(source)?[0], ["eruption (min)", "waiting (min)"], &file, &caption)?);
            Ok(section)
        })
        .collect()
}
