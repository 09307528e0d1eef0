//! Letters as outlines of a bundled font, so that figures look the same on every machine.

use std::fmt::Write;
use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The two weights that figures use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// For everything but titles.
    Regular,
    /// For titles.
    Bold,
}

static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| face(include_bytes!("../fonts/Roboto-Regular.ttf")));
static BOLD: LazyLock<Face<'static>> = LazyLock::new(|| face(include_bytes!("../fonts/Roboto-Bold.ttf")));

fn face(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("the bundled font is sound")
}

impl Weight {
    fn face(self) -> &'static Face<'static> {
        match self {
            Weight::Regular => &REGULAR,
            Weight::Bold => &BOLD,
        }
    }
}

/// A letter of the font. Two texts that share a letter share its outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glyph {
    weight: Weight,
    index: u16,
}

impl Glyph {
    /// The name of its outline in an SVG document.
    pub fn id(self) -> String {
        let weight = if self.weight == Weight::Regular { 'r' } else { 'b' };
        format!("{weight}{}", self.index)
    }

    /// The outline as the `d` of an SVG path, in font units, y upwards.
    pub fn outline(self) -> String {
        let mut path = PathText(String::new());
        self.weight.face().outline_glyph(GlyphId(self.index), &mut path);
        path.0
    }
}

/// A letter and how far from the start of the text it stands, in font units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedGlyph {
    /// The letter.
    pub glyph: Glyph,
    /// Distance from the start.
    pub at: u32,
}

/// The letters of a text. What the font lacks becomes an empty box, what cannot be seen is left out.
pub fn layout(text: &str, weight: Weight) -> Vec<PlacedGlyph> {
    let face = weight.face();
    let mut at = 0;
    let mut placed = Vec::new();
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        let index = face.glyph_index(letter).unwrap_or(GlyphId(0));
        placed.push(PlacedGlyph { glyph: Glyph { weight, index: index.0 }, at });
        at += u32::from(face.glyph_hor_advance(index).unwrap_or(0));
    }
    placed
}

/// Whether the font has all letters of a text.
pub fn covers(text: &str, weight: Weight) -> bool {
    text.chars().filter(|letter| !letter.is_control()).all(|letter| weight.face().glyph_index(letter).is_some())
}

/// Width of a text at a font size.
pub fn width(text: &str, weight: Weight, size: f64) -> f64 {
    let face = weight.face();
    let letters = text.chars().filter(|letter| !letter.is_control());
    let advances = letters.map(|letter| face.glyph_index(letter).unwrap_or(GlyphId(0)));
    let units: u32 = advances.map(|index| u32::from(face.glyph_hor_advance(index).unwrap_or(0))).sum();
    f64::from(units) * scale(size)
}

/// Size of a font unit at a font size.
pub fn scale(size: f64) -> f64 {
    size / f64::from(REGULAR.units_per_em())
}

/// A text cut to a width, with an ellipsis where it was cut.
pub fn fitted(text: &str, weight: Weight, size: f64, most: f64) -> String {
    let face = weight.face();
    let advance = |letter: char| {
        let index = face.glyph_index(letter).unwrap_or(GlyphId(0));
        if letter.is_control() { 0 } else { u32::from(face.glyph_hor_advance(index).unwrap_or(0)) }
    };
    // One pass: names can be long, and figures have many of them.
    let (mut units, mut fits) = (0u32, None);
    for (at, letter) in text.char_indices() {
        if f64::from(units + advance('…')) * scale(size) <= most {
            fits = Some(at);
        }
        units = units.saturating_add(advance(letter));
        if f64::from(units) * scale(size) > most {
            return match fits {
                Some(at) => format!("{}…", text[..at].trim_end()),
                None => String::new(),
            };
        }
    }
    text.to_owned()
}

struct PathText(String);

impl PathText {
    fn push(&mut self, command: char, numbers: &[f32]) {
        self.0.push(command);
        for (i, number) in numbers.iter().enumerate() {
            if i > 0 && *number >= 0.0 {
                self.0.push(' ');
            }
            let _ = write!(self.0, "{number}");
        }
    }
}

impl OutlineBuilder for PathText {
    fn move_to(&mut self, x: f32, y: f32) {
        self.push('M', &[x, y]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push('L', &[x, y]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.push('Q', &[x1, y1, x, y]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.push('C', &[x1, y1, x2, y2, x, y]);
    }

    fn close(&mut self) {
        self.0.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_figures_need_are_in_the_font() {
        for weight in [Weight::Regular, Weight::Bold] {
            for letter in "aZ09 äñßøłЖя μσΣĜ−–…·×±≤≥²%‘’“”√∞".chars() {
                assert!(weight.face().glyph_index(letter).is_some(), "{letter}");
            }
        }
    }

    #[test]
    fn widths_add_up() {
        let both = width("ab", Weight::Regular, 12.0);
        let sum = width("a", Weight::Regular, 12.0) + width("b", Weight::Regular, 12.0);
        assert!((both - sum).abs() < 1e-9 && both > 8.0 && both < 20.0, "{both}");
        assert_eq!(layout("a\u{7}b", Weight::Bold).len(), 2);
        assert!(layout("A", Weight::Bold)[0].glyph.outline().starts_with('M'));
    }

    #[test]
    fn foreign_scripts_are_recognised() {
        assert!(covers("Länge μ", Weight::Regular) && !covers("長さ", Weight::Regular));
    }

    #[test]
    fn long_texts_are_cut_to_fit() {
        let short = fitted("a very long column name", Weight::Regular, 12.0, 60.0);
        assert!(short.ends_with('…') && width(&short, Weight::Regular, 12.0) <= 60.0, "{short}");
        assert_eq!(fitted("short", Weight::Regular, 12.0, 60.0), "short");
        assert_eq!(fitted("x", Weight::Regular, 12.0, 1.0), "");
        // Cutting one letter after the other would take days.
        assert!(fitted(&"w".repeat(10_000_000), Weight::Regular, 12.0, 60.0).ends_with('…'));
    }

    /// The obvious way: one letter less until it fits.
    #[test]
    fn cutting_in_one_pass_is_cutting_letter_by_letter() {
        let text = "Länge w  長 of it";
        for most in 0..120 {
            let most = f64::from(most);
            let fits = |candidate: &String| width(candidate, Weight::Bold, 11.0) <= most;
            let ends = (0..text.len()).rev().filter(|&end| text.is_char_boundary(end));
            let mut candidates =
                std::iter::once(text.to_owned()).chain(ends.map(|end| format!("{}…", text[..end].trim_end())));
            assert_eq!(fitted(text, Weight::Bold, 11.0, most), candidates.find(fits).unwrap_or_default(), "{most}");
        }
    }
}
