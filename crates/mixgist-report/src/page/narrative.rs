//! What there is to say about a result, as HTML: the one place where pieces become markup.

use mixgist::Warning;
use mixgist::narrative::numbers::capitalised;
use mixgist::narrative::{Narrative, Piece, reservation, spelled as in_words};
use mixgist::text::Text;

use super::table;
use crate::presentation::Presentation;
use crate::svg::escaped;

/// All pieces.
pub fn written(narrative: &Narrative, presentation: &Presentation) -> String {
    pieces(&narrative.0, presentation)
}

/// The pieces before the first table, and the first table with the pieces up to the next one.
pub fn parts(narrative: &Narrative) -> Vec<&[Piece]> {
    let is_table = |piece: &Piece| matches!(piece, Piece::Table { .. });
    let mut parts = Vec::new();
    let mut start = 0;
    for (i, _) in narrative.0.iter().enumerate().filter(|(_, piece)| is_table(piece)) {
        parts.push(&narrative.0[start..i]);
        start = i;
    }
    parts.push(&narrative.0[start..]);
    parts
}

/// Some pieces. Where chains disagree no verdict is good: it says so instead.
pub fn pieces(pieces: &[Piece], presentation: &Presentation) -> String {
    let spelled = |text: &Text| escaped(&sentence(&text.spelled(presentation.spelling)));
    let mut text = String::new();
    let mut listed = false;
    for piece in pieces {
        if let Piece::Line { name, text: line } = piece {
            if !listed {
                text.push_str("<dl>\n");
                listed = true;
            }
            if !name.is_empty() {
                text.push_str(&format!("<dt>{}</dt>", escaped(&capitalised(name))));
            }
            // No capital: it may begin with a name.
            text.push_str(&format!("<dd>{}</dd>\n", escaped(&line.spelled(presentation.spelling))));
            continue;
        }
        if listed {
            text.push_str("</dl>\n");
            listed = false;
        }
        match piece {
            Piece::Verdict { good, text: verdict } => {
                let but = reservation(&presentation.summary().agreement).filter(|_| *good);
                let class = if *good && but.is_none() { "good" } else { "doubt" };
                let but = but.map_or(String::new(), |but| format!(" {}", spelled(&but)));
                text.push_str(&format!("<p class=\"{class}\"><b>Verdict:</b> {}{but}</p>\n", spelled(verdict)));
            }
            Piece::Note(note) => text.push_str(&format!("<p class=\"note\">{}</p>\n", spelled(note))),
            Piece::Table { header, rows } => text.push_str(&table(header, &in_words(rows, presentation.spelling))),
            Piece::Line { .. } => {}
        }
    }
    if listed {
        text.push_str("</dl>\n");
    }
    text
}

/// With a capital at its beginning and a full stop at its end.
pub fn sentence(text: &str) -> String {
    let text = capitalised(text);
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// Warnings, each with what helps.
pub fn warnings<'a>(all: impl IntoIterator<Item = &'a Warning>, presentation: &Presentation) -> String {
    let spelled = |text: &Text| escaped(&sentence(&text.spelled(presentation.spelling)));
    let one = |warning: &Warning| {
        let (message, advice) = (spelled(&warning.message()), spelled(&warning.advice()));
        format!("<p class=\"doubt\"><b>Warning:</b> {message} <i>What helps:</i> {advice}</p>\n")
    };
    all.into_iter().map(one).collect()
}
