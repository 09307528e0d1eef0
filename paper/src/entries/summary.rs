//! What agrees, what does not, and why: the first page.

use mixgist::Result;

use super::Entry;
use crate::page::Section;
use crate::study::{Experiment, Source, Study};
use crate::table::{Compared, TABLES, Tally, compare};

/// What agrees and what does not.
pub const ENTRY: Entry = Entry {
    name: "summary",
    help: "What agrees and what does not: z-scores of all tables, counted, beside chance",
    run,
};

fn run(study: &Study) -> Result<Vec<Section>> {
    let mut section = Section::new("What agrees, what does not, and why");
    let mut rows = Vec::new();
    for source in [Source::Own, Source::Given, Source::AsPublished, Source::SameSticks] {
        let mut all: Vec<Compared> = Vec::new();
        for (table, experiment, name) in TABLES {
            if !study.sources(experiment).contains(&source) {
                continue;
            }
            let cells = compare(study, table, study.repeats(experiment, source)?, 0)?;
            let mut row = vec![source.name().to_owned(), name.to_owned()];
            row.extend(Tally::of(&cells).row());
            rows.push(row);
            all.extend(cells);
        }
        if !all.is_empty() {
            let mut row = vec![source.name().to_owned(), "all".to_owned()];
            row.extend(Tally::of(&all).row());
            rows.push(row.into_iter().map(|cell| format!("**{cell}**")).collect());
        }
    }
    section.table(&[&["draws", ""][..], &Tally::HEADER].concat(), rows);
    let _ = Experiment::Simulation;
    Ok(vec![section])
}
