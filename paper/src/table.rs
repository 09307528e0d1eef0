//! One table of the paper: the published numbers beside ours, with z-scores.

use mixgist::Result;

use crate::evaluate::METHODS;
use crate::page::Section;
use crate::score::{Spread, z_score};
use crate::study::{Repeat, Source, Study};

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
}

/// A difference of more than this many standard errors is a disagreement.
pub const DISAGREES: f64 = 3.0;

/// Every cell of a table.
pub fn compare(study: &Study, table: &str, repeats: &[Repeat]) -> Result<Vec<Compared>> {
    let published = study.published.table(table)?;
    let mut cells = Vec::new();
    for (method, _) in METHODS {
        for column in &published.columns {
            let Some(printed) = published.cell(method, column) else { continue };
            let Some(ours) = spread(repeats, method, column) else { continue };
            let noise = spread(repeats, method, &format!("{column} noise")).map_or(0.0, |noise| noise.mean);
            let z = z_score(ours, printed, published.deviation, study.published.repeats, noise);
            cells.push(Compared { method, column: column.clone(), published: printed.shown(), ours, z });
        }
    }
    Ok(cells)
}

/// A quantity over the repeats.
pub fn spread(repeats: &[Repeat], method: &'static str, column: &str) -> Option<Spread> {
    let key = (method, column.to_owned());
    let values: Vec<f64> = repeats.iter().filter_map(|r| r.evaluation.numbers.get(&key).copied()).collect();
    Spread::of(&values)
}

/// The section of a table from one source.
pub fn section(study: &Study, table: &str, number: &str, source: Source) -> Result<Section> {
    let published = study.published.table(table)?;
    let repeats = if table < "table4" { study.simulation(source)? } else { study.faithful(source)? };
    let cells = compare(study, table, repeats)?;
    let mut section = Section::new(format!("{number}, from {}", source.name()));
    section.text(format!("{}. {}", published.title, verdict(&cells)));
    let rows = cells.iter().map(|cell| {
        let name = METHODS.iter().find(|(key, _)| *key == cell.method).map_or(cell.method, |(_, name)| name);
        let right = spread(repeats, cell.method, &format!("{} right", cell.column));
        vec![
            format!("{name}, {}", quantity(&cell.column)),
            cell.published.clone(),
            shown(Some(cell.ours)),
            cell.z.map_or("".into(), |z| if z.abs() > DISAGREES { format!("**{z:+.1}**") } else { format!("{z:+.1}") }),
            right_value(cell, right),
        ]
    });
    section.table(&["", "published", "ours", "z", "ours, put right"], rows.collect());
    Ok(section)
}

/// What the number is when the paper's slip is left out; empty where there is none.
fn right_value(cell: &Compared, right: Option<Spread>) -> String {
    if cell.column.contains("tv") {
        let base = right.unwrap_or(cell.ours);
        return shown(Some(Spread { mean: 0.5 * base.mean, sd: 0.5 * base.sd, ..base }));
    }
    shown(right)
}

/// One sentence on how well a table agrees.
pub fn verdict(cells: &[Compared]) -> String {
    let scores: Vec<f64> = cells.iter().filter_map(|cell| cell.z).collect();
    if scores.is_empty() {
        return "One repeat has no spread, so there are no z-scores.".into();
    }
    let above = |bound: f64| scores.iter().filter(|z| z.abs() > bound).count();
    let largest = scores.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
    format!(
        "Of {} cells {} differ by more than 2 standard errors and {} by more than 3; the largest |z| is {largest:.1}.",
        scores.len(),
        above(2.0),
        above(DISAGREES)
    )
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
    fn a_verdict_counts_disagreements() {
        let ours = Spread { mean: 1.0, sd: 0.1, count: 4 };
        let cell = |z| Compared { method: "vi", column: "E vi".into(), published: String::new(), ours, z };
        let text = verdict(&[cell(Some(0.5)), cell(Some(-2.5)), cell(Some(4.0)), cell(None)]);
        assert!(text.contains("Of 3 cells 2 differ by more than 2 standard errors and 1 by more than 3"), "{text}");
        assert!(verdict(&[cell(None)]).contains("no spread"));
    }
}
