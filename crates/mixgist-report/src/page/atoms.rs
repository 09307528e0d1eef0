//! The table of atoms.

use mixgist::Result;

use super::{Page, table};
use crate::subject::Subject;
use crate::words::{count, resolved, significant};

/// Coordinates in the table.
const MOST_COLUMNS: usize = 8;

pub fn write(subject: &Subject, _: &mut Page) -> Result<String> {
    let (measure, d) = (&subject.estimate, subject.estimate.dim());
    let sizes = subject.summary.labels.as_ref().map(|labels| {
        let mut sizes = vec![0usize; measure.len()];
        labels.iter().for_each(|&label| sizes[label as usize] += 1);
        sizes
    });
    let shown = d.min(MOST_COLUMNS);
    let mut header = vec!["atom".to_owned(), "weight".to_owned()];
    header.extend(sizes.iter().map(|_| "observations".to_owned()));
    header.extend(subject.columns.iter().take(shown).map(|name| format!("{name} (± sd)")));
    if d == 2 {
        header.push("correlation".into());
    }
    let listed = subject.main_atoms();
    let row = |&k: &usize| {
        let (mean, covariance) = (measure.atoms().mean(k), measure.atoms().covariance(k));
        let mut row = vec![k.to_string(), format!("{:.4}", measure.weights()[k])];
        row.extend(sizes.iter().map(|sizes| sizes[k].to_string()));
        let sd = |a: usize| covariance[a * d + a].sqrt();
        row.extend((0..shown).map(|a| format!("{} ± {}", resolved(mean[a], 4, sd(a)), significant(sd(a), 3))));
        if d == 2 {
            row.push(format!("{:.2}", covariance[1] / (sd(0) * sd(1))));
        }
        row
    };
    let rows: Vec<Vec<String>> = listed.iter().map(row).collect();
    let mut text = table(&header, &rows);
    let rest = measure.len() - listed.len();
    if rest > 0 {
        let mass: f64 = 1.0 - listed.iter().map(|&k| measure.weights()[k]).sum::<f64>();
        let mass = significant(100.0 * mass.max(0.0), 2);
        text.push_str(&format!(
            "<p>{} without observations and below 1 % {} {mass} %{}.</p>\n",
            count(rest, "further atom"),
            if rest == 1 { "has" } else { "have" },
            if rest == 1 { "" } else { " together" }
        ));
    }
    if shown < d {
        let (more, are) = (count(d - shown, "further coordinate"), if d - shown == 1 { "is" } else { "are" });
        text.push_str(&format!("<p>{more} {are} in the summary file.</p>\n"));
    }
    Ok(text)
}
