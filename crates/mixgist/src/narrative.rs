//! What there is to say about a result, as data: terminal, report and notebook print the same pieces, each in its own markup.
//!
//! One file for each kind of result. A sentence that a user reads about a result stands here and nowhere else.

mod chains;
mod components;
mod credible;
mod existing;
pub mod numbers;
mod partition;
mod representatives;
mod stability;
mod summary;

pub use chains::reservation;
pub use summary::{ATOMS_CHOSEN, main_atoms, methods};

use crate::about::About;
use crate::posterior::{Answer, Estimate};
use crate::settings::Settings;
use crate::text::{Spelling, Text};
use numbers::{count, table};

/// A piece of what is said.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A name and what there is to say under it.
    Line {
        /// The name, a word or two; empty where the line above goes on.
        name: String,
        /// What there is to say.
        text: Text,
    },
    /// A judgement that stands out.
    Verdict {
        /// Whether all is well.
        good: bool,
        /// The judgement.
        text: Text,
    },
    /// A remark.
    Note(Text),
    /// A table; the first column names its rows.
    Table {
        /// Names of the columns.
        header: Vec<String>,
        /// The rows.
        rows: Vec<Vec<Text>>,
    },
}

/// What there is to say about a result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Narrative(pub Vec<Piece>);

impl Narrative {
    pub(crate) fn line(&mut self, name: &str, text: impl Into<Text>) {
        self.0.push(Piece::Line { name: name.into(), text: text.into() });
    }

    pub(crate) fn verdict(&mut self, good: bool, text: impl Into<Text>) {
        self.0.push(Piece::Verdict { good, text: text.into() });
    }

    pub(crate) fn note(&mut self, text: impl Into<Text>) {
        self.0.push(Piece::Note(text.into()));
    }

    pub(crate) fn table<T: Into<Text>>(&mut self, header: Vec<String>, rows: Vec<Vec<T>>) {
        let rows = rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()).collect();
        self.0.push(Piece::Table { header, rows });
    }

    /// As plain text, the way a terminal shows it.
    pub fn plain(&self, spelling: &dyn Spelling) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Line { name, text } => format!("{name:<14} {}", text.spelled(spelling)),
            Piece::Verdict { text, .. } => format!("{:<15}{}", "verdict", text.spelled(spelling)),
            Piece::Note(text) => format!("({})", text.spelled(spelling)),
            Piece::Table { header, rows } => format!("\n{}", table(header, &spelled(rows, spelling))),
        };
        self.0.iter().map(piece).collect::<Vec<_>>().join("\n")
    }
}

/// The rows of a table as a front writes them.
pub fn spelled(rows: &[Vec<Text>], spelling: &dyn Spelling) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| cell.spelled(spelling)).collect()).collect()
}

/// A result that there is something to say about.
pub trait Narrate {
    /// What there is to say.
    fn narrate(&self, about: &About, around: Option<&Estimate>) -> Narrative;
}

impl<T: Narrate> Answer<T> {
    /// What there is to say about the result.
    pub fn narrative(&self) -> Narrative {
        self.result.narrate(&self.about, self.around.as_ref())
    }
}

/// Distance, order, slices, seed and units in one line.
pub(crate) fn distance_line(settings: &Settings, slices: usize) -> String {
    let slices = count(slices, "slice");
    let how = match &settings.directions {
        Some(_) => "given directions".to_owned(),
        None => format!("{}, seed {}", settings.scheme.name(), settings.seed),
    };
    let (name, order, units) = (settings.slicer.name(), settings.order.value(), settings.units.name());
    format!("{name}, order {order}, {slices} ({how}), units {units}")
}

/// What a table that leaves out coordinates says about them.
pub(crate) fn left_out(narrative: &mut Narrative, shown: usize, dim: usize) {
    if shown < dim {
        narrative.note(format!("{} of {dim} coordinates are shown; the document has all of them", shown));
    }
}
