//! The text of an SVG document: numbers, escaped strings, words, paths.

use std::collections::BTreeSet;
use std::fmt::Write;

use mixgist::printable::is_hidden_control;

use crate::figure::{Dash, Stroke};
use crate::font::{self, Glyph, Weight};
use crate::palette::Color;

/// Which end of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// What becomes of words with letters that the bundled font lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// They are left to a font of the reader's machine: better than nothing, where there is a reader.
    Text,
    /// The letters become empty boxes, as in an image, which has no reader's machine.
    Boxes,
}

/// An SVG document on its way, and the letters that it uses.
pub struct Markup<'a> {
    pub text: String,
    glyphs: &'a mut BTreeSet<Glyph>,
    missing: Missing,
}

impl<'a> Markup<'a> {
    pub fn new(glyphs: &'a mut BTreeSet<Glyph>, missing: Missing) -> Self {
        Markup { text: String::new(), glyphs, missing }
    }

    /// Words at a position on their base line.
    pub fn text(&mut self, text: &str, weight: Weight, size: f64, [x, y]: [f64; 2], anchor: Anchor, color: Color) {
        let shift = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        } * font::width(text, weight, size);
        let place = format!("translate({} {})", coordinate(x - shift), coordinate(y));
        self.letters(text, weight, size, &place, color);
    }

    /// Words that run upward, centred at a position.
    pub fn text_upward(&mut self, text: &str, size: f64, [x, y]: [f64; 2]) {
        let half = 0.5 * font::width(text, Weight::Regular, size);
        let place = format!("translate({} {})rotate(-90)", coordinate(x), coordinate(y + half));
        self.letters(text, Weight::Regular, size, &place, Color::INK);
    }

    fn letters(&mut self, text: &str, weight: Weight, size: f64, place: &str, color: Color) {
        let placed = font::layout(text, weight);
        if placed.is_empty() {
            return;
        }
        if self.missing == Missing::Text && !font::covers(text, weight) {
            let words = escaped(text);
            let family = "font-family=\"sans-serif\"";
            let _ = writeln!(
                self.text,
                "<text fill=\"{color}\" {family} font-size=\"{size}\" transform=\"{place}\">{words}</text>"
            );
            return;
        }
        let scale = font::scale(size);
        let _ = write!(self.text, "<g fill=\"{color}\" transform=\"{place}scale({scale:.6} -{scale:.6})\">");
        for letter in placed {
            // Blanks have no outline.
            if letter.glyph.outline().is_empty() {
                continue;
            }
            self.glyphs.insert(letter.glyph);
            let _ = match letter.at {
                0 => write!(self.text, "<use href=\"#{}\"/>", letter.glyph.id()),
                at => write!(self.text, "<use href=\"#{}\" x=\"{at}\"/>", letter.glyph.id()),
            };
        }
        self.text.push_str("</g>\n");
    }

    /// A stroked path.
    pub fn path(&mut self, d: &str, stroke: Stroke) {
        if !d.is_empty() {
            let _ = writeln!(self.text, "<path d=\"{d}\" fill=\"none\"{}/>", stroke_attributes(stroke));
        }
    }
}

/// The attributes that draw a stroke.
pub fn stroke_attributes(stroke: Stroke) -> String {
    let mut text = format!(" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"", stroke.color, stroke.width);
    if stroke.opacity < 1.0 {
        let _ = write!(text, " stroke-opacity=\"{}\"", stroke.opacity);
    }
    match stroke.dash {
        Dash::Solid => {}
        Dash::Dashed => text.push_str(" stroke-dasharray=\"6 4\""),
        Dash::Dotted => text.push_str(" stroke-dasharray=\"1.5 3\""),
    }
    text
}

/// What is far outside is brought near, what is no number goes to 0.
pub fn in_reach(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(-99_999.0, 99_999.0) }
}

/// A coordinate that is in reach, in tenths of a unit.
pub fn tenths(x: f64) -> i64 {
    (in_reach(x) * 10.0).round() as i64
}

/// A coordinate that is in reach, with a tenth of a unit and no idle digits.
pub fn coordinate(x: f64) -> String {
    let tenths = tenths(x);
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.abs() / 10, tenths.abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, tenth) => format!("{sign}.{tenth}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

/// Two coordinates, separated where the second does not bring its own sign.
pub fn pair(x: f64, y: f64) -> String {
    let (x, y) = (coordinate(x), coordinate(y));
    let gap = if y.starts_with('-') { "" } else { " " };
    format!("{x}{gap}{y}")
}

/// A string as XML or HTML text or attribute: markup becomes text, and what XML cannot hold is left out.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            letter if letter.is_control() => {}
            // They would turn the direction of what follows.
            letter if is_hidden_control(letter) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        let texts = [0.0, -0.04, 0.25, -0.3, 12.0, 12.34, -7.96, f64::NAN, f64::INFINITY].map(coordinate);
        assert_eq!(texts, ["0", "0", ".3", "-.3", "12", "12.3", "-8", "0", "99999"]);
        assert_eq!((pair(1.0, 2.0), pair(1.0, -2.5)), ("1 2".into(), "1-2.5".into()));
    }

    #[test]
    fn markup_becomes_text() {
        assert_eq!(escaped("<b a='1'>&\"\u{1}\n"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot; ");
        assert_eq!(escaped("a\u{202e}b\u{2067}"), "a\\u{202e}b\\u{2067}");
    }
}
