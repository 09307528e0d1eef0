//! Figures 2 and 3: data, densities and clusters of the six methods.

use mixgist::Result;

use super::Entry;
use crate::figures::six_methods;
use crate::page::Section;
use crate::study::{Experiment, Source, Study};

/// Simulated data of the first repeat, the true density, and the densities and clusters of the six methods.
pub const FIGURE_2: Entry = Entry {
    name: "figure2",
    help: "Simulated data of the first repeat, the true density, and the densities and clusters of the six methods",
    run: |study| {
        let what = "Simulated data of the first repeat, the true density";
        run(study, Experiment::Simulation, 2, what, ["y₁", "y₂"])
    },
};

/// Old Faithful and the densities and clusters of the six methods.
pub const FIGURE_3: Entry = Entry {
    name: "figure3",
    help: "Old Faithful and the densities and clusters of the six methods",
    run: |study| run(study, Experiment::OldFaithful, 3, "Old Faithful", ["eruption (min)", "waiting (min)"]),
};

fn run(study: &Study, experiment: Experiment, number: u32, what: &str, columns: [&str; 2]) -> Result<Vec<Section>> {
    let mut section = Section::new(format!("Figure {number}"));
    for source in study.sources(experiment).into_iter().filter(|source| *source != Source::SameSticks) {
        let caption = format!(
            "{what}, and the densities and clusters of the six methods. Draws: {}. Contours enclose 20, 40, 60, 80 and 95 % of the mass; \
             colours and markers are clusters, the largest first.",
            source.name()
        );
        let file = format!("figure{number}-{}.svg", source.key());
        section.blocks.push(six_methods(&study.repeats(experiment, source)?[0], columns, &file, &caption)?);
    }
    Ok(vec![section])
}
