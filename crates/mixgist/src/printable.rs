//! Text from strangers as it can be shown: nothing in it steers a terminal or changes the direction of what follows.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character acts instead of being seen: controls, and those that change the direction of text or end its lines.
pub fn is_hidden_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The text with such characters written as `\u{1b}`; its lines and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_hidden_control(c) && c != '\n' && c != '\t')
}

/// The same for a piece of one line: a new line becomes `\n`.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    escape(text, is_hidden_control)
}

fn escape(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' if hidden(c) => out.push_str("\\n"),
            '\t' if hidden(c) => out.push_str("\\t"),
            c if hidden(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_becomes_what_is_seen() {
        assert_eq!(printable("a\u{1b}[31m\u{9b}2J\u{202e}x\n\ty é 長"), "a\\u{1b}[31m\\u{9b}2J\\u{202e}x\n\ty é 長");
        assert_eq!(printable_line("a\nb\r"), "a\\nb\\u{d}");
        assert!(matches!(printable("plain, äöü"), Cow::Borrowed(_)));
    }
}
