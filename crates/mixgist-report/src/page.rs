//! The report: one HTML file that needs no network, complete when printed and without its script.
//!
//! A section is a file in `page/` and a line in [`SECTIONS`].

mod answer;
mod atoms;
mod components;
mod confidence;
mod diagnostics;
mod figures;
mod memberships;
mod methods;
mod path;
mod representatives;
mod settings;
mod stability;

use std::collections::BTreeSet;
use std::fmt::Write;

use mixgist::{ErrorKind, Result};

use crate::figure::Figure;
use crate::font::Glyph;
use crate::subject::Subject;
use crate::svg::{escaped, glyph_definitions};

/// A part of the report on one summary.
pub struct Section {
    /// Its name within the page.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its content; left out when empty.
    write: fn(&Subject, &mut Page) -> Result<String>,
}

/// The sections, in order.
pub const SECTIONS: &[Section] = &[
    Section { id: "answer", title: "The answer", write: answer::write },
    Section { id: "estimate", title: "The estimate", write: figures::estimate },
    Section { id: "atoms", title: "Atoms", write: atoms::write },
    Section { id: "components", title: "Components with intervals", write: components::write },
    Section { id: "uncertainty", title: "How sure is it?", write: confidence::write },
    Section { id: "path", title: "Could a summary be better, or smaller?", write: path::write },
    Section { id: "representatives", title: "Is there more than one answer?", write: representatives::write },
    Section { id: "stability", title: "Does it depend on choices?", write: stability::write },
    Section { id: "diagnostics", title: "Diagnostics", write: diagnostics::write },
    Section { id: "settings", title: "To repeat it", write: settings::write },
    Section { id: "methods", title: "For a methods section", write: methods::write },
];

/// Parts that are computed from the draws for the report alone, and can be left out: sections, and the conformal ball in one of them.
pub const PARTS: [&str; 5] = ["components", "conformal", "path", "representatives", "stability"];

/// How names of files with a report may end.
pub const EXTENSIONS: [&str; 2] = ["html", "htm"];

/// What the page may do, told to the browser: show its own style, run its own script (by its fingerprint), and nothing else.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
                      script-src 'sha256-grfrn5gKG5XmvC2X3BjKzd3I+BlErpNvkRKq6Q4xX40='; base-uri 'none'; form-action 'none'";

/// Marks for observations in all figures of a report, so that it stays below 2 MB.
const MOST_MARKS: usize = 12_000;
/// Marks for draws in each figure, shared by the summaries.
const MOST_DRAWS: usize = 3000;

/// What the sections share while a page is written.
#[derive(Default)]
pub struct Page {
    glyphs: BTreeSet<Glyph>,
    figures: usize,
}

impl Page {
    /// A figure with its caption.
    pub fn figure(&mut self, figure: &Figure) -> String {
        self.figures += 1;
        let drawing = figure.to_svg_without_glyphs(&mut self.glyphs);
        let (number, caption) = (self.figures, escaped(&figure.caption));
        format!(
            "<figure><div class=\"drawing\">{drawing}</div>\
             <figcaption><b>Figure {number}.</b> {caption}</figcaption></figure>\n"
        )
    }
}

/// The report on one summary, or on several of the same draws between which the reader can switch.
pub fn html(title: &str, subjects: Vec<Subject>) -> Result<String> {
    let several = subjects.len() > 1;
    let mut page = Page::default();
    let mut articles = String::new();
    let mut members = Vec::new();
    let names = variant_names(&subjects);
    let share = subjects.len().max(1);
    for (i, (mut subject, name)) in subjects.into_iter().zip(&names).enumerate() {
        subject.most_marks = subject.most_marks.min(MOST_MARKS / share);
        subject.most_draws = subject.most_draws.min(MOST_DRAWS / share);
        let heading = if several { format!("<h2>{}</h2>\n", escaped(name)) } else { String::new() };
        let _ = write!(articles, "<article id=\"v{i}\" data-name=\"{}\">\n{heading}", escaped(name));
        for section in SECTIONS {
            let content = content(section, &subject, &mut page)?;
            if !content.is_empty() {
                let _ = write!(
                    articles,
                    "<section id=\"v{i}-{}\">\n<h3>{}</h3>\n{content}</section>\n",
                    section.id, section.title
                );
            }
        }
        articles.push_str("</article>\n");
        members.push(memberships::json(&subject)?);
    }
    Ok(assemble(title, &articles, &members, &page.glyphs))
}

/// The content of a section. A part that cannot be computed from these draws says why, and the report goes on.
fn content(section: &Section, subject: &Subject, page: &mut Page) -> Result<String> {
    if !subject.wants(section.id) {
        return Ok(String::new());
    }
    match (section.write)(subject, page) {
        Err(error) if PARTS.contains(&section.id) && error.kind() != ErrorKind::Interrupted => {
            let advice =
                error.hint_text().map_or(String::new(), |hint| format!(" <i>What helps:</i> {}.", escaped(hint)));
            Ok(format!("<p class=\"doubt\">Not computed: {}.{advice}</p>\n", escaped(&error.to_string())))
        }
        other => other,
    }
}

/// The answer with its atoms as a part of another page, such as a notebook.
pub fn fragment(subject: &Subject) -> Result<String> {
    let mut page = Page::default();
    let (answer, atoms) = (answer::write(subject, &mut page)?, atoms::write(subject, &mut page)?);
    Ok(format!(
        "<div class=\"mixgist\">\n<style>\n{}</style>\n{answer}{atoms}</div>\n",
        include_str!("page/fragment.css")
    ))
}

fn assemble(title: &str, articles: &str, members: &[String], glyphs: &BTreeSet<Glyph>) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <svg class=\"letters\" width=\"0\" height=\"0\" aria-hidden=\"true\">{letters}</svg>\n\
         <header><h1>{title}</h1></header>\n<main>\n{articles}</main>\n\
         <footer>Written by mixgist {version}.</footer>\n\
         <script type=\"application/json\" id=\"memberships\">[{members}]</script>\n<script>\n{script}</script>\n\
         </body>\n</html>\n",
        title = escaped(title),
        style = include_str!("page/style.css"),
        letters = glyph_definitions(glyphs),
        version = env!("CARGO_PKG_VERSION"),
        members = members.join(",\n"),
        script = include_str!("page/script.js"),
    )
}

/// What tells summaries apart: the distance, and what else differs.
fn variant_names(subjects: &[Subject]) -> Vec<String> {
    let full = |subject: &Subject| {
        let summary = subject.summary;
        [
            summary.distance.clone(),
            format!("{} loss", summary.loss),
            format!("order {}", summary.order),
            format!("units {}", summary.units.name),
            format!("{} slices", summary.slices),
            format!("seed {}", summary.seed),
        ]
    };
    let all: Vec<[String; 6]> = subjects.iter().map(full).collect();
    let differs = |part: usize| part == 0 || all.iter().any(|parts| parts[part] != all[0][part]);
    all.iter()
        .map(|parts| {
            let shown: Vec<&str> = (0..6).filter(|&part| differs(part)).map(|part| parts[part].as_str()).collect();
            shown.join(", ")
        })
        .collect()
}

/// A table; the first column is a heading of its row.
fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let mut text = String::from("<div class=\"table\"><table>\n<thead><tr>");
    header.iter().for_each(|cell| text.push_str(&format!("<th scope=\"col\">{}</th>", escaped(cell))));
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        text.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            let _ = match i {
                0 => write!(text, "<th scope=\"row\">{cell}</th>"),
                _ => write!(text, "<td>{cell}</td>"),
            };
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody></table></div>\n");
    text
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_lets_the_script_of_the_page_run_and_no_other() {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digest = Sha256::digest(format!("\n{}", include_str!("page/script.js")));
        let text: String = digest
            .chunks(3)
            .flat_map(|chunk| {
                let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
                (0..4).map(move |i| if i <= chunk.len() { LETTERS[(bits >> (18 - 6 * i) & 63) as usize] as char } else { '=' })
            })
            .collect();
        assert!(POLICY.contains(&format!("script-src 'sha256-{text}';")), "the script has changed: sha256-{text}");
    }
}
