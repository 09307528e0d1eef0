//! A page as data, written as Markdown and as one HTML file.

use std::fmt::Write as _;

/// A piece of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A table; the first column is text, the others are numbers.
    Table {
        /// Names of the columns.
        header: Vec<String>,
        /// Cells.
        rows: Vec<Vec<String>>,
    },
    /// A figure in a file of its own.
    Figure {
        /// File name in `figures/`.
        file: String,
        /// What it shows.
        caption: String,
        /// The picture.
        svg: String,
    },
}

/// A heading with what stands under it.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// The rest.
    pub blocks: Vec<Block>,
}

impl Section {
    /// Nothing under it yet.
    pub fn new(title: impl Into<String>) -> Self {
        Section { title: title.into(), blocks: Vec::new() }
    }

    /// With one more paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// With one more table.
    pub fn table(&mut self, header: &[&str], rows: Vec<Vec<String>>) {
        self.blocks.push(Block::Table { header: header.iter().map(|s| s.to_string()).collect(), rows });
    }
}

/// The page as Markdown; figures are linked.
pub fn markdown(title: &str, sections: &[Section]) -> String {
    let mut out = format!("# {title}\n");
    for section in sections {
        let _ = write!(out, "\n## {}\n", section.title);
        for block in &section.blocks {
            match block {
                Block::Text(text) => {
                    let _ = write!(out, "\n{text}\n");
                }
                Block::Table { header, rows } => {
                    let line = |cells: &[String]| {
                        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
                        format!("| {} |\n", cells.join(" | "))
                    };
                    let rule: Vec<String> =
                        (0..header.len()).map(|j| if j == 0 { "---" } else { "---:" }.into()).collect();
                    let _ = write!(out, "\n{}{}", line(header), line(&rule));
                    rows.iter().for_each(|row| out.push_str(&line(row)));
                }
                Block::Figure { file, caption, .. } => {
                    let _ = write!(out, "\n![{caption}](figures/{file})\n\n*{caption}*\n");
                }
            }
        }
    }
    out
}

/// The page as one HTML file; figures are inside.
pub fn html(title: &str, sections: &[Section]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>\n{STYLE}</style></head><body>\n<h1>{0}</h1>\n",
        escape(title)
    );
    for section in sections {
        let _ = writeln!(out, "<h2>{}</h2>", escape(&section.title));
        for block in &section.blocks {
            match block {
                Block::Text(text) => {
                    let _ = writeln!(out, "<p>{}</p>", inline(text));
                }
                Block::Table { header, rows } => {
                    let line = |cells: &[String], tag: &str| {
                        let class = |text: &str| if text.chars().count() > LONG { " class=\"long\"" } else { "" };
                        let cell = |text: &String| format!("<{tag}{}>{}</{tag}>", class(text), inline(text));
                        let cells: String = cells.iter().map(cell).collect();
                        format!("<tr>{cells}</tr>\n")
                    };
                    let body: String = rows.iter().map(|row| line(row, "td")).collect();
                    let _ = write!(out, "<div class=\"wide\"><table>\n{}{body}</table></div>\n", line(header, "th"));
                }
                Block::Figure { caption, svg, .. } => {
                    let picture = svg.find("<svg").map_or("", |start| &svg[start..]);
                    let _ = writeln!(out, "<figure>{picture}<figcaption>{}</figcaption></figure>", inline(caption));
                }
            }
        }
    }
    out + "</body></html>\n"
}

/// Cells with more characters than this are sentences: they wrap.
const LONG: usize = 40;

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;font-size:.85em}td,th{padding:.15em .6em;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}
th{white-space:normal;vertical-align:bottom}td.long{white-space:normal;min-width:14em;text-align:left}
td:first-child,th:first-child{text-align:left}.wide{overflow-x:auto}figure{margin:1em 0}figure svg{max-width:100%;height:auto}
figcaption{color:#555;font-size:.9em}code{background:#f3f3f3;padding:0 .2em}
";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escaped, with `**bold**` and `` `code` `` of the Markdown kept.
fn inline(text: &str) -> String {
    let mut out = escape(text);
    for (mark, open, close) in [("**", "<b>", "</b>"), ("`", "<code>", "</code>")] {
        let pieces: Vec<&str> = out.split(mark).collect();
        if pieces.len() % 2 == 1 {
            let wrap = |(i, piece): (usize, &&str)| {
                if i % 2 == 1 { format!("{open}{piece}{close}") } else { piece.to_string() }
            };
            out = pieces.iter().enumerate().map(wrap).collect();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_everything_and_html_is_escaped() {
        let mut section = Section::new("A < B");
        section.text("see `x < y` and **this**");
        section.table(&["row", "value"], vec![vec!["a".into(), "p(x | y)".into()]]);
        section.blocks.push(Block::Figure { file: "f.svg".into(), caption: "c".into(), svg: "<?xml?><svg/>".into() });
        let text = markdown("T", std::slice::from_ref(&section));
        assert!(text.contains("| row | value |\n| --- | ---: |\n| a | p(x \\| y) |\n"), "{text}");
        assert!(text.contains("![c](figures/f.svg)"));
        let page = html("T", &[section]);
        assert!(page.contains("<h2>A &lt; B</h2>"));
        assert!(page.contains("<code>x &lt; y</code> and <b>this</b>"));
        assert!(page.contains("<td>a</td><td>p(x | y)</td>") && page.contains("<figure><svg/>"));
    }
}
