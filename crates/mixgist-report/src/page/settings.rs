//! What is needed to get the same answer again.

use mixgist::Pruning;
use mixgist::text::shell_word;
use mixgist::{Answer, Estimator, Result, Route, Summary};

use super::{Page, table};
use crate::presentation::Presentation;
use crate::svg::escaped;

pub fn write(presentation: &Presentation, _: &mut Page) -> Result<String> {
    let (about, summary, settings) = (&presentation.answer.about, presentation.summary(), presentation.settings());
    let directions = match &settings.directions {
        Some(given) => format!("given, fingerprint {}", given.fingerprint),
        None => settings.scheme.name().to_owned(),
    };
    let mut rows = vec![
        ["mixgist version", &about.mixgist_version].map(String::from),
        ["estimate", settings.estimator.name()].map(String::from),
        ["distance", settings.slicer.name()].map(String::from),
        ["order".into(), settings.order.value().to_string()],
        ["loss", settings.loss.name()].map(String::from),
        ["slices".into(), format!("{} ({directions})", summary.slices)],
        ["seed".into(), settings.seed.to_string()],
        ["units".into(), settings.units.name()],
        ["pruning".into(), pruning(settings.pruning)],
        [
            "route".into(),
            format!("{}, {} of {} losses exact", summary.medoid.route.name(), summary.medoid.exact_draws, about.draws),
        ],
    ];
    if let Some(atoms) = settings.estimator.atoms() {
        rows.insert(2, ["atoms".into(), atoms.name()]);
    }
    for (what, file) in about.source.iter().flat_map(|source| {
        let others = [("data", &source.data), ("directions", &source.directions), ("candidate", &source.candidate)];
        let others = others.into_iter().filter_map(|(what, file)| file.as_ref().map(|file| (what, file)));
        source.draws.iter().map(|file| ("draws", file)).chain(others)
    }) {
        rows.push([what.into(), format!("{} ({} bytes, CRC-32 {:08x})", file.path, file.bytes, file.crc32)]);
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    let mut text = table(&["setting", "value"].map(String::from), &rows);
    if let Some(command) = command(presentation.answer) {
        text.push_str(&format!("<p>The same answer again:</p>\n<pre><code>{}</code></pre>\n", escaped(&command)));
    }
    Ok(text)
}

fn pruning(pruning: Pruning) -> String {
    match pruning {
        Pruning::Off => "off".into(),
        Pruning::Rounding => "rounding".into(),
        Pruning::Tolerance(tolerance) => tolerance.to_string(),
    }
}

/// The command that gives the same summary, with every setting; `None` when it is not known where the draws are, which directions were given or
/// where the user's own measure is.
fn command(answer: &Answer<Summary>) -> Option<String> {
    let (settings, source) = (&answer.about.settings, answer.about.source.as_ref()?);
    settings.slicer.slicer().ok()?;
    let mut words = vec!["mixgist".to_owned(), "summarize".to_owned()];
    words.extend(source.draws.iter().map(|file| shell_word(&file.path)));
    let mut option = |name: &str, value: &str| words.extend([format!("--{name}"), shell_word(value)]);
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
    for (name, variable) in ["weights", "means", "covariances"].iter().zip(&reading.variables) {
        if name != variable {
            option(name, variable);
        }
    }
    reading.label_variable.iter().for_each(|variable| option("label-variable", variable));
    if reading.burn_in > 0 {
        option("burn-in", &reading.burn_in.to_string());
    }
    if reading.thin > 1 {
        option("thin", &reading.thin.to_string());
    }
    option("distance", settings.slicer.name());
    option("order", &settings.order.value().to_string());
    option("loss", settings.loss.name());
    match &settings.directions {
        Some(_) => option("directions", &source.directions.as_ref()?.path),
        None => {
            option("slices", &answer.slices.to_string());
            option("scheme", settings.scheme.name());
        }
    }
    option("seed", &settings.seed.to_string());
    if settings.estimator != Estimator::Medoid {
        option("estimate", settings.estimator.name());
    }
    if let Some(atoms) = settings.estimator.atoms() {
        option("atoms", &atoms.name());
    }
    if settings.candidate.is_some() {
        option("candidate", &source.candidate.as_ref()?.path);
    }
    option("units", &settings.units.name());
    option("prune", &pruning(settings.pruning));
    if settings.route != Route::Auto {
        option("route", settings.route.name());
    }
    Some(words.join(" "))
}
