//! One table of the paper: the published numbers beside ours, with z-scores.

use mixgist::Result;

use crate::evaluate::{DISTANCES, METHODS, under};
use crate::page::Section;
use crate::published::Deviation;
use crate::score::{Spread, tail, z_score};
use crate::study::{Experiment, Repeat, Source, Study};

/// A cell with both numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Key of the method.
    pub method: &'static str,
    /// Key of the quantity.
    pub column: String,
    /// As printed.
    pub published: String,
    /// Over the repeats.
    pub ours: Spread,
    /// How many standard errors ours is above the published number.
    pub z: Option<f64>,
    /// The same when the published number is not granted an error of its own from its random directions.
    pub z_without_directions: Option<f64>,
    /// Degrees of freedom of the standard error.
    pub degrees: usize,
}

/// A difference of more than this many standard errors is a disagreement.
pub const DISAGREES: f64 = 3.0;

/// The tables of the paper, the experiment that they are about, and their names in a heading.
pub const TABLES: [(&str, Experiment, &str); 6] = [
    ("table1", Experiment::Simulation, "Table 1"),
    ("table2", Experiment::Simulation, "Table 2"),
    ("table3", Experiment::Simulation, "Table 3"),
    ("table4", Experiment::OldFaithful, "Table 4"),
    ("table5", Experiment::OldFaithful, "Table 5"),
    ("table6", Experiment::OldFaithful, "Table 6"),
];

/// Every cell of a table, with medoids under one of the slice settings of the repeats' procedure.
pub fn compare(study: &Study, table: &str, repeats: &[Repeat], setting: usize) -> Result<Vec<Compared>> {
    let published = study.published.table(table)?;
    let mut cells = Vec::new();
    for (method, _) in METHODS {
        let end = under(if DISTANCES.contains(&method) { setting } else { 0 });
        for column in &published.columns {
            let Some(printed) = published.cell(method, column) else { continue };
            let Some(ours) = spread(repeats, method, &format!("{column}{end}")) else { continue };
            let noise = spread(repeats, method, &format!("{column} noise{end}")).map_or(0.0, |noise| noise.mean);
            let z = |noise| z_score(ours, printed, published.deviation, study.published.repeats, noise);
            cells.push(Compared {
                method,
                column: column.clone(),
                published: printed.shown(),
                ours,
                z: z(noise),
                z_without_directions: z(0.0),
                degrees: degrees(ours.count, published.deviation, study.published.repeats),
            });
        }
    }
    Ok(cells)
}

/// Two means over repeats have the degrees of freedom of both; one printed number has those of our repeats alone.
fn degrees(ours: usize, deviation: Option<Deviation>, theirs: usize) -> usize {
    ours.saturating_sub(1) + deviation.map_or(0, |_| theirs - 1)
}

/// How many z-scores there are, how many of them are far out, and how many would be by chance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// Cells with a z-score.
    pub cells: usize,
    /// Observed beyond 2 and beyond 3.
    pub observed: [usize; 2],
    /// Expected beyond 2 and beyond 3 if both sides had the same distribution (Student's t).
    pub expected: [f64; 2],
    /// The largest |z|.
    pub largest: f64,
}

impl Tally {
    /// Of these cells.
    pub fn of(cells: &[Compared]) -> Self {
        let mut tally = Tally::default();
        for (cell, z) in cells.iter().filter_map(|cell| Some((cell, cell.z?.abs()))) {
            tally.cells += 1;
            tally.largest = tally.largest.max(z);
            for (i, bound) in [2.0, DISAGREES].into_iter().enumerate() {
                tally.observed[i] += usize::from(z > bound);
                tally.expected[i] += tail(bound, cell.degrees);
            }
        }
        tally
    }

    /// Cells of a table of tallies: cells, then observed and expected beyond 2 and 3, then the largest.
    pub fn row(&self) -> Vec<String> {
        let far = |i: usize| format!("{} ({:.1})", self.observed[i], self.expected[i]);
        vec![self.cells.to_string(), far(0), far(1), format!("{:.1}", self.largest)]
    }

    /// The header of that.
    pub const HEADER: [&str; 4] = ["z-scores", "beyond 2 (by chance)", "beyond 3 (by chance)", "largest"];
}

/// A quantity over the repeats.
pub fn spread(repeats: &[Repeat], method: &'static str, column: &str) -> Option<Spread> {
    let key = (method, column.to_owned());
    let values: Vec<f64> = repeats.iter().filter_map(|r| r.evaluation.numbers.get(&key).copied()).collect();
    Spread::of(&values)
}

/// The section of a table: the published number, then ours from every source with its z-score.
pub fn section(study: &Study, table: &str) -> Result<Vec<Section>> {
    let Some(&(_, experiment, number)) = TABLES.iter().find(|(name, ..)| *name == table) else {
        return Ok(Vec::new());
    };
    let published = study.published.table(table)?;
    let sources = study.sources(experiment);
    let columns: Vec<(Source, &[Repeat])> =
        sources.iter().map(|&source| Ok((source, study.repeats(experiment, source)?))).collect::<Result<_>>()?;
    let cells: Vec<Vec<Compared>> =
        columns.iter().map(|(_, repeats)| compare(study, table, repeats, 0)).collect::<Result<_>>()?;
    let mut section = Section::new(number);
    section.text(format!("{}. In brackets: z.", published.title));
    let own = columns[0].1;
    let mut any_right = false;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (i, cell) in cells[0].iter().enumerate() {
        let name = METHODS.iter().find(|(key, _)| *key == cell.method).map_or(cell.method, |(_, name)| name);
        let mut row = vec![format!("{name}, {}", quantity(&cell.column)), cell.published.clone()];
        row.extend(cells.iter().map(|cells| with_score(&cells[i])));
        let right = right_value(cell, spread(own, cell.method, &format!("{} right", cell.column)));
        any_right |= !right.is_empty();
        row.push(right);
        rows.push(row);
    }
    let mut header = vec!["", "published"];
    header.extend(sources.iter().map(|source| source.name()));
    header.push("mixgist's sampler, put right");
    if !any_right {
        header.pop();
        rows.iter_mut().for_each(|row| drop(row.pop()));
    }
    section.table(&header, rows);
    Ok(vec![section])
}

fn with_score(cell: &Compared) -> String {
    let z = cell
        .z
        .map_or(String::new(), |z| if z.abs() > DISAGREES { format!(" (**{z:+.1}**)") } else { format!(" ({z:+.1})") });
    shown(Some(cell.ours)) + &z
}

/// What the number is when the paper's slip is left out; empty where there is none.
fn right_value(cell: &Compared, right: Option<Spread>) -> String {
    if cell.column.contains("tv") {
        let base = right.unwrap_or(cell.ours);
        return shown(Some(Spread { mean: 0.5 * base.mean, sd: 0.5 * base.sd, ..base }));
    }
    shown(right)
}

fn shown(spread: Option<Spread>) -> String {
    match spread {
        Some(s) if s.count > 1 => format!("{:.4} ± {:.4}", s.mean, s.sd),
        Some(s) => format!("{:.4}", s.mean),
        None => String::new(),
    }
}

/// A key in words.
pub fn quantity(key: &str) -> String {
    let base = key.trim_start_matches("E ");
    let (name, to) = match base.strip_suffix('*') {
        Some(name) => (name, " to the truth"),
        None => (base, ""),
    };
    let name = match name {
        "clusters" => return "clusters".into(),
        "binder" => "Binder",
        "vi" => "VI",
        "omari" => "omARI",
        "tv" => "TV",
        "sw2" => "SW₂ of densities",
        "G sw" => "SW",
        "G mix-sw" => "Mix-SW",
        "G smix-w" => "SMix-W",
        other => other,
    };
    if key.starts_with("E ") { format!("expected {name}") } else { format!("{name}{to}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_as_words() {
        assert_eq!(quantity("E vi"), "expected VI");
        assert_eq!(quantity("sw2*"), "SW₂ of densities to the truth");
        assert_eq!(quantity("clusters"), "clusters");
    }

    #[test]
    fn a_tally_counts_disagreements_and_what_chance_would_do() {
        let ours = Spread { mean: 1.0, sd: 0.1, count: 4 };
        let cell = |z| Compared {
            method: "vi",
            column: "E vi".into(),
            published: String::new(),
            ours,
            z,
            z_without_directions: z,
            degrees: 9,
        };
        let tally = Tally::of(&[cell(Some(0.5)), cell(Some(-2.5)), cell(Some(4.0)), cell(None)]);
        assert_eq!((tally.cells, tally.observed, tally.largest), (3, [2, 1], 4.0));
        // P(|t| > 2) and P(|t| > 3) with 9 degrees of freedom: 0.0766, 0.0150
        assert_eq!(tally.row()[1..3], ["2 (0.2)", "1 (0.0)"]);
        assert!((tally.expected[0] - 3.0 * 0.0766).abs() < 1e-3, "{:?}", tally.expected);
    }
}
