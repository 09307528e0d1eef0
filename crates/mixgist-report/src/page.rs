//! The report: one HTML file that needs no network, complete when printed and without its script.
//!
//! A section is a file in `page/` and a line in [`SECTIONS`].

mod figures;
mod memberships;
mod methods;
mod narrative;
mod sections;
mod settings;

use std::collections::BTreeSet;
use std::fmt::Write;

use mixgist::narrative::numbers::count;
use mixgist::{Error, ErrorKind, Result};

use crate::figure::Figure;
use crate::font::Glyph;
use crate::presentation::Presentation;
use crate::svg::{escaped, glyph_definitions};

/// A part of the report on one summary.
pub struct Section {
    /// Its name within the page.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its content; left out when empty.
    write: fn(&Presentation, &mut Page) -> Result<String>,
}

/// The sections, in order.
pub const SECTIONS: &[Section] = &[
    Section { id: "chains", title: "Can the draws be trusted?", write: sections::chains },
    Section { id: "answer", title: "The answer", write: sections::answer },
    Section { id: "estimate", title: "The estimate", write: figures::estimate },
    Section { id: "atoms", title: "Atoms", write: sections::atoms },
    Section { id: "components", title: "Components with intervals", write: sections::components },
    Section { id: "how-many", title: "How many clusters?", write: sections::how_many },
    Section { id: "memberships", title: "Who belongs to which component?", write: sections::memberships },
    Section { id: "uncertainty", title: "How sure is it?", write: sections::confidence },
    Section { id: "path", title: "Could a summary be better, or smaller?", write: sections::path },
    Section { id: "representatives", title: "Is there more than one answer?", write: sections::representatives },
    Section { id: "stability", title: "Does it depend on choices?", write: sections::stability },
    Section { id: "diagnostics", title: "Diagnostics", write: sections::diagnostics },
    Section { id: "settings", title: "To repeat it", write: settings::write },
    Section { id: "methods", title: "For a methods section", write: methods::write },
];

/// Parts that are computed from the draws for the report alone, and can be left out: sections, and the conformal ball in one of them.
pub const PARTS: [&str; 7] =
    ["components", "how-many", "memberships", "conformal", "path", "representatives", "stability"];

/// How names of files with a report may end.
pub const EXTENSIONS: [&str; 2] = ["html", "htm"];

/// What the page may do, told to the browser: show its own style, run its own script (by its fingerprint), and nothing else.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
                      script-src 'sha256-grfrn5gKG5XmvC2X3BjKzd3I+BlErpNvkRKq6Q4xX40='; base-uri 'none'; form-action 'none'";

/// Marks for observations in all figures of a report, so that it stays below 2 MB.
const MOST_MARKS: usize = 4_000;
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
        // Small panels would be too small on a phone: there such a figure is moved under the finger.
        let wide = if figure.columns > 3 { " wide" } else { "" };
        format!(
            "<figure><div class=\"drawing{wide}\">{drawing}</div>\
             <figcaption><b>Figure {number}.</b> {caption}</figcaption></figure>\n"
        )
    }
}

/// The report on one summary, or on several of the same draws between which the reader can switch.
pub fn html(title: &str, subjects: Vec<Presentation>) -> Result<String> {
    let several = subjects.len() > 1;
    let mut page = Page::default();
    let mut articles = String::new();
    let mut members = Vec::new();
    let names = variant_names(&subjects);
    let share = subjects.len().max(1);
    let about = subjects.first().map(about).unwrap_or_default();
    for (i, (mut presentation, name)) in subjects.into_iter().zip(&names).enumerate() {
        presentation.most_marks = presentation.most_marks.min(MOST_MARKS / share);
        presentation.most_draws = presentation.most_draws.min(MOST_DRAWS / share);
        presentation.whole = true;
        let heading = if several { format!("<h2>{}</h2>\n", escaped(name)) } else { String::new() };
        let _ = write!(articles, "<article id=\"v{i}\" data-name=\"{}\">\n{heading}", escaped(name));
        for section in SECTIONS {
            let content = content(section, &presentation, &mut page)?;
            if !content.is_empty() {
                let _ = write!(
                    articles,
                    "<section id=\"v{i}-{}\">\n<h3>{}</h3>\n{content}</section>\n",
                    section.id, section.title
                );
            }
        }
        articles.push_str("</article>\n");
        members.push(memberships::json(&presentation)?);
    }
    Ok(assemble(title, &about, &articles, &members, &page.glyphs))
}

/// What the page is about, below its title: the data and the draws.
fn about(presentation: &Presentation) -> String {
    /// More names are not listed.
    const NAMES: usize = 6;
    let names: Vec<&str> = presentation.columns.iter().take(NAMES).map(String::as_str).collect();
    let more = if presentation.columns.len() > NAMES { ", …" } else { "" };
    let columns = format!("{} ({}{more})", count(presentation.columns.len(), "coordinate"), names.join(", "));
    let draws = format!("{} of a mixture", count(presentation.answer.about.draws, "posterior draw"));
    match presentation.data {
        Some(data) => format!("{} of {columns}; {draws}.", count(data.len(), "observation")),
        None => format!("{draws} of {columns}."),
    }
}

/// The content of a section. A part that cannot be computed from these draws says why, and the report goes on.
fn content(section: &Section, presentation: &Presentation, page: &mut Page) -> Result<String> {
    if !presentation.wants(section.id) {
        return Ok(String::new());
    }
    match (section.write)(presentation, page) {
        Err(error) if PARTS.contains(&section.id) && error.kind() != ErrorKind::Interrupted => {
            Ok(not_computed(&error, presentation))
        }
        other => other,
    }
}

/// Why something was not computed, and what helps.
fn not_computed(error: &Error, presentation: &Presentation) -> String {
    let advice = error.hint_text().map_or(String::new(), |hint| {
        format!(" <i>What helps:</i> {}.", escaped(&hint.spelled(presentation.spelling)))
    });
    let why = escaped(&error.message().spelled(presentation.spelling));
    format!("<p class=\"doubt\">Not computed: {why}.{advice}</p>\n")
}

/// The answer with its atoms as a part of another page, such as a notebook.
pub fn fragment(presentation: &Presentation) -> Result<String> {
    let mut page = Page::default();
    let mut text = String::new();
    for write in [sections::chains, sections::answer, sections::atoms] {
        text.push_str(&write(presentation, &mut page)?);
    }
    Ok(format!("<div class=\"mixgist\">\n<style>\n{}</style>\n{text}</div>\n", include_str!("page/fragment.css")))
}

fn assemble(title: &str, about: &str, articles: &str, members: &[String], glyphs: &BTreeSet<Glyph>) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <svg class=\"letters\" width=\"0\" height=\"0\" aria-hidden=\"true\">{letters}</svg>\n\
         <header><h1>{title}</h1><p class=\"note\">{about}</p></header>\n<main>\n{articles}</main>\n\
         <footer>Written by mixgist {version}.</footer>\n\
         <script type=\"application/json\" id=\"memberships\">[{members}]</script>\n<script>\n{script}</script>\n\
         </body>\n</html>\n",
        title = escaped(title),
        about = escaped(about),
        style = include_str!("page/style.css"),
        letters = glyph_definitions(glyphs),
        version = env!("CARGO_PKG_VERSION"),
        members = members.join(",\n"),
        script = include_str!("page/script.js"),
    )
}

/// What tells summaries apart: the distance, and what else differs.
fn variant_names(subjects: &[Presentation]) -> Vec<String> {
    let full = |presentation: &Presentation| {
        let settings = presentation.settings();
        [
            settings.slicer.name().to_owned(),
            settings.estimator.name().to_owned(),
            format!("{} loss", settings.loss.name()),
            format!("order {}", settings.order.value()),
            format!("units {}", settings.units.name()),
            format!("{} slices", presentation.summary().slices),
            format!("seed {}", settings.seed),
        ]
    };
    let all: Vec<[String; 7]> = subjects.iter().map(full).collect();
    let differs = |part: usize| part == 0 || all.iter().any(|parts| parts[part] != all[0][part]);
    all.iter()
        .map(|parts| {
            let shown: Vec<&str> = (0..7).filter(|&part| differs(part)).map(|part| parts[part].as_str()).collect();
            shown.join(", ")
        })
        .collect()
}

/// Longer cells are sentences.
const WORDS: usize = 40;

/// Longer names of rows wrap.
const NAME: usize = 18;

/// Characters of a line of paper.
const PAPER: usize = 92;

/// A table; the first column is a heading of its row. One that is too wide for paper is printed in parts, the first column in each.
fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let whole = markup(header, rows);
    let parts = columns_on_paper(header, rows);
    if parts.len() < 2 {
        return whole;
    }
    let part = |columns: &Vec<usize>| {
        let of = |row: &[String]| columns.iter().filter_map(|&c| row.get(c).cloned()).collect::<Vec<_>>();
        markup(&of(header), &rows.iter().map(|row| of(row)).collect::<Vec<_>>())
    };
    let paper: String = parts.iter().map(part).collect();
    format!("<div class=\"screen\">{whole}</div>\n<div class=\"paper\" aria-hidden=\"true\">{paper}</div>\n")
}

/// The columns of each part of a table that fits on paper.
fn columns_on_paper(header: &[String], rows: &[Vec<String>]) -> Vec<Vec<usize>> {
    let longest_word = |text: &str| text.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
    let width = |c: usize| {
        let cells = rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count().min(WORDS)).max();
        3 + longest_word(&header[c]).max(cells.unwrap_or(0))
    };
    let mut parts = vec![vec![0]];
    let mut used = width(0);
    for c in 1..header.len() {
        if used + width(c) > PAPER && parts[parts.len() - 1].len() > 1 {
            parts.push(vec![0]);
            used = width(0);
        }
        used += width(c);
        let last = parts.len() - 1;
        parts[last].push(c);
    }
    parts
}

fn markup(header: &[String], rows: &[Vec<String>]) -> String {
    let mut text = String::from("<div class=\"table\"><table>\n<thead><tr>");
    header.iter().for_each(|cell| text.push_str(&format!("<th scope=\"col\">{}</th>", escaped(cell))));
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        text.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            let _ = match i {
                // Long names wrap: a phone has room for the numbers then.
                0 if cell.len() > NAME => write!(text, "<th scope=\"row\" class=\"words\">{cell}</th>"),
                0 => write!(text, "<th scope=\"row\">{cell}</th>"),
                // Sentences wrap, numbers do not.
                _ if cell.len() > WORDS => {
                    write!(text, "<td class=\"words\">{}</td>", cell.replace(" %", "\u{a0}%"))
                }
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
    fn wide_tables_are_printed_in_parts() {
        let header: Vec<String> = (0..14).map(|c| format!("mean column_{c}")).collect();
        let rows = vec![(0..14).map(|c| format!("{c}.25")).collect::<Vec<_>>(); 3];
        let parts = columns_on_paper(&header, &rows);
        assert!(parts.len() > 1 && parts.iter().all(|part| part[0] == 0 && part.len() > 1));
        let once: Vec<usize> = parts.iter().flat_map(|part| part[1..].to_vec()).collect();
        assert_eq!(once, (1..14).collect::<Vec<_>>());
        assert!(table(&header, &rows).contains("class=\"paper\""));
        assert!(!table(&header[..4], &rows).contains("class=\"paper\""));
    }

    #[test]
    fn the_policy_lets_the_script_of_the_page_run_and_no_other() {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digest = Sha256::digest(format!("\n{}", include_str!("page/script.js")));
        let text: String = digest
            .chunks(3)
            .flat_map(|chunk| {
                let bits =
                    chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
                (0..4).map(
                    move |i| if i <= chunk.len() { LETTERS[(bits >> (18 - 6 * i) & 63) as usize] as char } else { '=' },
                )
            })
            .collect();
        assert!(POLICY.contains(&format!("script-src 'sha256-{text}';")), "the script has changed: sha256-{text}");
    }
}
