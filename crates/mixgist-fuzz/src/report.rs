//! From a document to report and figures: a sound summary is changed here and there, and whatever is still read as one must be drawn.

use mixgist::text::Neutral;
use mixgist::{Answer, Silent, Summary};
use mixgist_report::{KINDS as FIGURES, Presentation, html};

use crate::change::alter;
use crate::documents::{KINDS, SUMMARIES};

/// The first byte says which summary, and what is made of it: the page, or one of the figures. Each four bytes are a change: which value, and what becomes of it. The rest is text to put in.
pub fn report(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let (changes, text) = bytes.split_at(bytes.len().min(32) / 4 * 4);
    let text = String::from_utf8_lossy(text);
    let mut value = KINDS[usize::from(*first) % SUMMARIES].sound.clone();
    alter(&mut value, changes, &text);
    let Ok(document) = serde_json::from_value::<Answer<Summary>>(value) else { return };
    let Ok(subject) = Presentation::new(&document, &Neutral, &Silent) else { return };
    match FIGURES.get(usize::from(*first) / SUMMARIES % (FIGURES.len() + 1)) {
        Some(kind) => {
            if let Ok(figure) = kind.draw(&subject) {
                assert!(figure.to_svg().ends_with("</svg>\n"), "{}", kind.name);
            }
        }
        None => {
            if let Ok(page) = html(&text, vec![subject]) {
                assert_eq!(page.matches("<script").count(), 2);
            }
        }
    }
}
