//! Answers as Python takes them: the document, and what there is to say about it in Python's words.

use std::path::PathBuf;

use mixgist::components::Components;
use mixgist::credible::Credible;
use mixgist::fits::Fits;
use mixgist::narrative::{Narrative, Piece, spelled};
use mixgist::representatives::Representatives;
use mixgist::stability::Stability;
use mixgist::{Alignment, Error, HowMany, Memberships, Warning};
use mixgist_io::{Documented, Overwrite, read_json, to_json, write_bytes};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

use crate::error::{InPython, Result};

/// Name, message and advice of a warning.
pub type Told = (String, String, String);

/// An answer: its document and what there is to say about it.
#[pyclass(frozen, get_all, module = "mixgist._core")]
pub struct Answer {
    /// The document, as the command line prints it with `--json`.
    text: String,
    /// What there is to say, as plain text.
    plain: String,
    /// The same for a notebook.
    html: String,
    /// What documents hold in neutral words or not at all, in Python's words, as JSON.
    said: String,
    /// Name, message and advice of each warning.
    warnings: Vec<Told>,
}

#[pymethods]
impl Answer {
    /// Reads the document of an answer; `kind` is the name of its function.
    #[staticmethod]
    fn read(py: Python<'_>, kind: &str, path: PathBuf) -> Result<Self> {
        fn read<T: Documented + Fits + DeserializeOwned>(path: &std::path::Path) -> mixgist::Result<Answer> {
            Answer::new(&read_json::<mixgist::Answer<T>>(path, T::SCHEMA)?)
        }
        Ok(py.detach(|| match kind {
            "credible" => read::<Credible>(&path),
            "components" => read::<Components>(&path),
            "representatives" => read::<Representatives>(&path),
            "stability" => read::<Stability>(&path),
            "align" => read::<Alignment>(&path),
            "memberships" => read::<Memberships>(&path),
            "how_many" => read::<HowMany>(&path),
            other => Err(Error::usage(format!("there is no kind of answer '{other}'"))),
        })?)
    }
}

impl Answer {
    /// All of it.
    pub fn new<T: Documented>(answer: &mixgist::Answer<T>) -> mixgist::Result<Self> {
        let narrative = answer.narrative();
        let warnings = told(answer.warnings());
        Ok(Answer {
            text: to_json(T::SCHEMA, answer)?,
            plain: narrative.plain(&InPython),
            html: html(T::TITLE, &narrative, &warnings),
            said: answer.said(&InPython).to_string(),
            warnings,
        })
    }
}

/// Warnings in Python's words.
pub fn told(warnings: &[Warning]) -> Vec<Told> {
    let tell = |warning: &Warning| {
        let [message, advice] = [warning.message(), warning.advice()].map(|text| text.spelled(&InPython));
        (warning.name().to_owned(), message, advice)
    };
    warnings.iter().map(tell).collect()
}

/// A narrative as a part of a page, such as a notebook.
pub fn html(title: &str, narrative: &Narrative, warnings: &[Told]) -> String {
    let row = |tag: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let piece = |piece: &Piece| match piece {
        Piece::Line { name, text } if name.is_empty() => format!("<div>{}</div>\n", escaped(&text.spelled(&InPython))),
        Piece::Line { name, text } => format!("<div>{}: {}</div>\n", escaped(name), escaped(&text.spelled(&InPython))),
        Piece::Verdict { text, .. } => format!("<div><b>{}</b></div>\n", escaped(&text.spelled(&InPython))),
        Piece::Note(text) => format!("<div><i>{}</i></div>\n", escaped(&text.spelled(&InPython))),
        Piece::Table { header, rows } => {
            let rows: String = spelled(rows, &InPython).iter().map(|cells| row("td", cells)).collect();
            format!("<table>\n{}{rows}</table>\n", row("th", header))
        }
    };
    let said: String = narrative.0.iter().map(piece).collect();
    let warned = |(_, message, advice): &Told| {
        format!("<div>Warning: {}. <i>What helps:</i> {}.</div>\n", escaped(message), escaped(advice))
    };
    let warned: String = warnings.iter().map(warned).collect();
    format!("<div class=\"mixgist\">\n<strong>{}</strong>\n{said}{warned}</div>\n", escaped(title))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Writes a document, whole or not at all, as the command line does.
#[pyfunction]
pub fn write_document(path: PathBuf, text: &str, force: bool) -> Result<()> {
    Ok(write_bytes(&path, format!("{text}\n").as_bytes(), Overwrite::forced(force))?)
}

/// Writes the aligned draws of a document as arrays or as a table, whole or not at all.
#[pyfunction]
pub fn write_aligned(path: PathBuf, text: &str, force: bool) -> Result<()> {
    let found: mixgist::Answer<Alignment> =
        serde_json::from_str(text).map_err(|cause| Error::input(format!("the document is damaged: {cause}")))?;
    let columns: Vec<String> = (0..found.about.dim).map(|a| found.about.column(a)).collect();
    Ok(mixgist_io::write_aligned(&path, &found.draws, &found.names, &columns, Overwrite::forced(force))?)
}
