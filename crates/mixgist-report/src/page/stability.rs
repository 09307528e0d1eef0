//! The stability card: its verdict first.

use std::fmt::Write;

use mixgist::Result;

use super::{Page, figures, table};
use crate::subject::Subject;
use crate::svg::escaped;
use crate::words::significant;

pub fn write(subject: &Subject, page: &mut Page) -> Result<String> {
    if subject.draws.is_none() {
        return Ok(String::new());
    }
    let card = &subject.stability()?.document;
    let (verdict, advice) = match card.advice.split_first() {
        Some((first, rest)) => (first.as_str(), rest),
        None => (card.verdict.as_str(), &[][..]),
    };
    let class = if matches!(card.verdict.as_str(), "outside" | "undecided") { "doubt" } else { "good" };
    let mut text = format!("<p class=\"{class}\"><b>Verdict:</b> {}.</p>\n", escaped(verdict));
    if !advice.is_empty() {
        text.push_str("<ul>\n");
        for line in advice {
            let _ = writeln!(text, "<li>{}</li>", escaped(line));
        }
        text.push_str("</ul>\n");
    }
    text.push_str(&figures::drawn(&["stability"], subject, page)?);
    let header = ["choice", "change", "moves by", "radii", "clusters", "so it is"].map(String::from);
    let rows: Vec<Vec<String>> = card
        .checks
        .iter()
        .map(|check| {
            vec![
                check.choice.clone(),
                check.change.clone(),
                check.distance.map_or("–".into(), |distance| significant(distance, 4)),
                check.radii.map_or("–".into(), |radii| format!("{radii:.2}")),
                check.clusters.map_or("–".into(), |clusters| clusters.to_string()),
                check.error.clone().unwrap_or_else(|| check.movement.clone().unwrap_or_default()),
            ]
        })
        .collect();
    text.push_str(&table(&header, &rows));
    Ok(text)
}
