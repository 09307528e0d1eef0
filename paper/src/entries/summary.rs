//! What agrees, what does not, and why: the first page.

use mixgist::Result;

use super::Entry;
use super::mixing::mean_clusters;
use crate::page::Section;
use crate::study::{Source, Study};
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
        for (table, experiment, name) in TABLES {
            if study.sources(experiment).contains(&source) {
                let cells = compare(study, table, study.repeats(experiment, source)?, 0)?;
                let mut row = vec![format!("{name}, {}", source.name())];
                row.extend(Tally::of(&cells).row());
                rows.push(row);
            }
        }
    }
    let agreement = |source, tables: &[&str]| -> Result<String> {
        let mut cells: Vec<Compared> = Vec::new();
        for (table, experiment, _) in TABLES.iter().filter(|(name, ..)| tables.contains(name)) {
            cells.extend(compare(study, table, study.repeats(*experiment, source)?, 0)?);
        }
        Ok(in_words(&Tally::of(&cells)))
    };
    let simulation = &["table1", "table2", "table3"][..];
    let faithful = &["table4", "table5", "table6"][..];
    section.text(format!(
        "**The simulation (Tables 1 to 3, 25 data sets)**, everything computed anew with mixgist's sampler and methods: {}.",
        agreement(Source::Own, simulation)?
    ));
    if study.options.as_published {
        section.text(format!(
            "The same by the published procedure, a plain Gibbs sampler and the paper's conventions: {}.",
            agreement(Source::AsPublished, simulation)?
        ));
    }
    if study.options.draws.is_some() {
        section.text(format!(
            "**Old Faithful (Tables 4 to 6), from the published draws**: {}. This is the test of mixgist's methods: same draws in, same \
             numbers out.",
            agreement(Source::Given, faithful)?
        ));
    }
    section.text(format!(
        "**Old Faithful, from mixgist's own draws**: {}. Its draws have {:.2} clusters on average.",
        agreement(Source::Own, faithful)?,
        mean_clusters(study, Source::Own)?
    ));
    if study.options.draws.is_some() && study.options.as_published {
        section.text(format!(
            "**Why.** The published draws have {:.2} clusters. They come from one chain whose two large clusters never change their sticks, and small \
             clusters live on the sticks in front of them. The direct test is the published sampler, run again: its chains differ from one \
             another by where they got stuck ({:.2} clusters on average), and taken for one more of them the published numbers give: {}. \
             Chains of that sampler which start on the published sticks ({:.2} clusters): {}. The next section has the details.",
            mean_clusters(study, Source::Given)?,
            mean_clusters(study, Source::AsPublished)?,
            agreement(Source::AsPublished, faithful)?,
            mean_clusters(study, Source::SameSticks)?,
            agreement(Source::SameSticks, faithful)?,
        ));
    }
    section.text(
        "**Counting.** With so many comparisons some z-scores are large by chance. The table counts those beyond 2 and 3 and, in brackets, how many \
         there would be if both sides had the same distribution: Student's t with the degrees of freedom of the spreads, 48 where both sides have 25 \
         repeats, 9 where 10 of ours meet one published number. Cells of a table are far from independent, since one data set or one chain \
         moves many of them together, so the counts scatter widely around these means.",
    );
    section.table(&[&[""][..], &Tally::HEADER].concat(), rows);
    Ok(vec![section])
}

fn in_words(tally: &Tally) -> String {
    if tally.cells == 0 {
        return "one repeat has no spread, so there are no z-scores".into();
    }
    let [two, three] = tally.observed;
    format!(
        "of {} numbers {two} differ by more than 2 standard errors ({:.1} expected by chance) and {three} by more than 3 ({:.1}); the largest |z| is {:.1}",
        tally.cells, tally.expected[0], tally.expected[1], tally.largest
    )
}
