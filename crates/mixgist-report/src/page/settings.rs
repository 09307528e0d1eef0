//! What is needed to get the same answer again.

use mixgist::Result;
use mixgist_io::SummaryDocument;

use super::{Page, table};
use crate::subject::Subject;
use crate::svg::escaped;

pub fn write(subject: &Subject, _: &mut Page) -> Result<String> {
    let summary = subject.summary;
    let mut rows = vec![
        ["mixgist version", &summary.mixgist_version].map(String::from),
        ["estimate", &summary.estimator].map(String::from),
        ["distance", &summary.distance].map(String::from),
        ["order".into(), summary.order.to_string()],
        ["loss", &summary.loss].map(String::from),
        ["slices".into(), format!("{} ({})", summary.slices, summary.scheme)],
        ["seed".into(), summary.seed.to_string()],
        ["units", &summary.units.name].map(String::from),
        ["route".into(), format!("{}, {} of {} losses exact", summary.route, summary.exact_draws, summary.draws)],
    ];
    for (what, file) in summary.source.iter().flat_map(|source| {
        source
            .draws
            .iter()
            .map(|file| ("draws", file))
            .chain(source.data.iter().map(|file| ("data", file)))
            .chain(source.directions.iter().map(|file| ("directions", file)))
    }) {
        rows.push([what.into(), format!("{} ({} bytes, CRC-32 {:08x})", file.path, file.bytes, file.crc32)]);
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    let mut text = table(&["setting", "value"].map(String::from), &rows);
    if let Some(command) = command(summary) {
        text.push_str(&format!("<p>The same answer again:</p>\n<pre><code>{}</code></pre>\n", escaped(&command)));
    }
    Ok(text)
}

/// The command that gives the same summary; `None` when it is not known where the draws are, or which directions were given.
fn command(summary: &SummaryDocument) -> Option<String> {
    let source = summary.source.as_ref()?;
    let given = summary.scheme == "given";
    if given && source.directions.is_none() {
        return None;
    }
    let mut words = vec!["mixgist".to_owned(), "summarize".to_owned()];
    words.extend(source.draws.iter().map(|file| quoted(&file.path)));
    let mut option = |name: &str, value: &str| words.extend([format!("--{name}"), quoted(value)]);
    if let Some(file) = &source.data {
        option("data", &file.path);
    }
    let reading = &source.reading;
    if let Some(format) = &reading.format {
        option("format", format);
    }
    if reading.covariance_form != "covariance" {
        option("covariance-form", &reading.covariance_form);
    }
    if reading.format.as_deref() == Some("stan-csv") {
        for (name, variable) in ["weights", "means", "covariances"].iter().zip(&reading.stan_variables) {
            option(&format!("stan-{name}"), variable);
        }
        reading.stan_labels.iter().for_each(|variable| option("stan-labels", variable));
    }
    if reading.burn_in > 0 {
        option("burn-in", &reading.burn_in.to_string());
    }
    if reading.thin > 1 {
        option("thin", &reading.thin.to_string());
    }
    option("distance", &summary.distance);
    option("order", &summary.order.to_string());
    option("loss", &summary.loss);
    match source.directions.as_ref().filter(|_| given) {
        Some(file) => option("directions", &file.path),
        None => {
            option("slices", &summary.slices.to_string());
            option("scheme", &summary.scheme);
        }
    }
    option("seed", &summary.seed.to_string());
    if let Some(free) = summary.assessment.as_ref().and_then(|assessment| assessment.free.as_ref()) {
        option("estimate", "free");
        if let Some(chosen) = free.path.get(free.chosen) {
            option("atoms", &chosen.atoms.to_string());
        }
    }
    option("units", &summary.units.name);
    Some(words.join(" "))
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-,:=+".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("a/b-1.npz"), "a/b-1.npz");
        assert_eq!(quoted("my draws.npz"), "'my draws.npz'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
