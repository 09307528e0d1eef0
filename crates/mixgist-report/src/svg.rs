//! A figure as an SVG document that needs no font, no script and no other file.

mod layer;
mod layout;
mod markup;

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::figure::{Axis, Figure, Key, LegendEntry, Panel, Stroke};
use crate::font::{Glyph, Weight};
use crate::palette::Color;
use layout::{Layout, PANEL_TITLE, TICK_LENGTH, TICK_TEXT};
use markup::{Anchor, Markup, Missing, coordinate};

pub(crate) use markup::escaped;

/// Size of the words at the axes.
const LABEL_TEXT: f64 = 12.5;
/// Size of a figure's title.
const TITLE_TEXT: f64 = 14.0;
/// Size of the legend's words.
const LEGEND_TEXT: f64 = 11.5;

impl Figure {
    /// The figure as an SVG document. Letters are outlines of a bundled font; words in scripts that it lacks are left to the
    /// reader's fonts.
    pub fn to_svg(&self) -> String {
        self.document(Missing::Text)
    }

    /// As [`Figure::to_svg`], with nothing left to fonts.
    pub(crate) fn to_outlines(&self) -> String {
        self.document(Missing::Boxes)
    }

    fn document(&self, missing: Missing) -> String {
        let mut glyphs = BTreeSet::new();
        let body = self.element(&mut glyphs, missing);
        // The outlines come first, right behind the opening tag.
        let split = body.find('>').map_or(0, |at| at + 1);
        format!("{}{}{}\n", &body[..split], glyph_definitions(&glyphs), &body[split..])
    }

    /// The figure as an SVG element that uses outlines which the page around it defines; they are added to `glyphs`.
    pub fn to_svg_without_glyphs(&self, glyphs: &mut BTreeSet<Glyph>) -> String {
        self.element(glyphs, Missing::Text)
    }

    fn element(&self, glyphs: &mut BTreeSet<Glyph>, missing: Missing) -> String {
        let layout = Layout::new(self);
        let mut markup = Markup::new(glyphs, missing);
        let (width, height) = (layout.width, layout.height);
        let _ = write!(
            markup.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" \
             aria-label=\"{2}\">\n<title>{3}</title>\n<desc>{2}</desc>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            coordinate(width),
            coordinate(height),
            escaped(&self.description),
            escaped(if self.title.is_empty() { &self.description } else { &self.title }),
        );
        if !self.title.is_empty() {
            let title = crate::font::fitted(&self.title, Weight::Bold, TITLE_TEXT, width - 20.0);
            markup.text(&title, Weight::Bold, TITLE_TEXT, [width / 2.0, 19.0], Anchor::Middle, Color::INK);
        }
        // Words may be longer than their panel, but must not meet those of the next.
        let slack = [self.columns, layout.rows].map(|panels| if panels > 1 { 12.0 } else { 30.0 });
        for (panel, corner) in self.panels.iter().zip(&layout.corners) {
            if let Some(panel) = panel {
                draw_panel(&mut markup, panel, *corner, slack);
            }
        }
        for (entry, corner) in self.legend.iter().zip(&layout.legend) {
            draw_legend(&mut markup, entry, *corner);
        }
        markup.text.push_str("</svg>");
        markup.text
    }
}

/// The outlines of letters, to be used by the figures of a page.
pub fn glyph_definitions(glyphs: &BTreeSet<Glyph>) -> String {
    let mut text = String::from("\n<defs>");
    for glyph in glyphs {
        let _ = write!(text, "<path id=\"{}\" d=\"{}\"/>", glyph.id(), glyph.outline());
    }
    text.push_str("</defs>");
    text
}

fn draw_panel(markup: &mut Markup, panel: &Panel, [left, top]: [f64; 2], slack: [f64; 2]) {
    let (width, height) = (panel.width, panel.height);
    markup.text.push_str("<g class=\"panel\">");
    layer::draw_all(markup, panel, [left, top]);
    let _ = writeln!(
        markup.text,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>",
        coordinate(left),
        coordinate(top),
        coordinate(width),
        coordinate(height),
        Color::INK
    );
    if !panel.title.is_empty() {
        let title = crate::font::fitted(&panel.title, Weight::Bold, PANEL_TITLE, width + slack[0]);
        markup.text(&title, Weight::Bold, PANEL_TITLE, [left + width / 2.0, top - 7.0], Anchor::Middle, Color::INK);
    }
    draw_x_axis(markup, &panel.x, [left, top + height], width, slack[0]);
    draw_y_axis(markup, &panel.y, [left, top], height, slack[1]);
    markup.text.push_str("</g>\n");
}

fn draw_x_axis(markup: &mut Markup, axis: &Axis, [left, bottom]: [f64; 2], width: f64, slack: f64) {
    let marks = layout::x_marks(axis, width);
    let mut path = String::new();
    for mark in &marks.ticks {
        let x = left + axis.fraction(mark.at) * width;
        let length = if mark.text.is_empty() { TICK_LENGTH / 2.0 } else { TICK_LENGTH };
        let _ = write!(path, "M{} {}v{}", coordinate(x), coordinate(bottom), coordinate(length));
        let below = bottom + TICK_LENGTH + TICK_TEXT;
        markup.text(&mark.text, Weight::Regular, TICK_TEXT, [x, below], Anchor::Middle, Color::INK);
    }
    markup.path(&path, Stroke::new(Color::INK, 1.0));
    let below = bottom + layout::below_axis(axis, &marks) - 4.0;
    let label = layout::axis_title(axis, &marks, width + slack);
    markup.text(&label, Weight::Regular, LABEL_TEXT, [left + width / 2.0, below], Anchor::Middle, Color::INK);
}

fn draw_y_axis(markup: &mut Markup, axis: &Axis, [left, top]: [f64; 2], height: f64, slack: f64) {
    let marks = layout::y_marks(axis, height);
    let mut path = String::new();
    for mark in &marks.ticks {
        let y = top + (1.0 - axis.fraction(mark.at)) * height;
        let length = if mark.text.is_empty() { TICK_LENGTH / 2.0 } else { TICK_LENGTH };
        let _ = write!(path, "M{} {}h{}", coordinate(left), coordinate(y), coordinate(-length));
        let at = [left - TICK_LENGTH - 3.0, y + 0.35 * TICK_TEXT];
        markup.text(&mark.text, Weight::Regular, TICK_TEXT, at, Anchor::End, Color::INK);
    }
    markup.path(&path, Stroke::new(Color::INK, 1.0));
    let at = [left - layout::left_of_axis(axis, &marks) + LABEL_TEXT, top + height / 2.0];
    let label = layout::axis_title(axis, &marks, height + slack);
    markup.text_upward(&label, LABEL_TEXT, at);
}

fn draw_legend(markup: &mut Markup, entry: &LegendEntry, [left, middle]: [f64; 2]) {
    let centre = [left + 9.0, middle];
    match &entry.key {
        Key::Point(marker, color) => layer::single_point(markup, *marker, 4.0, *color, centre),
        Key::Line(stroke) => {
            markup.path(&format!("M{} {}h20", coordinate(left), coordinate(middle)), *stroke);
        }
        Key::Area(fill) => {
            let _ = write!(
                markup.text,
                "<rect x=\"{}\" y=\"{}\" width=\"18\" height=\"10\" fill=\"{}\" fill-opacity=\"{}\"/>",
                coordinate(left),
                coordinate(middle - 5.0),
                fill.color,
                fill.opacity
            );
        }
    }
    let at = [left + layout::LEGEND_KEY, middle + 0.35 * LEGEND_TEXT];
    markup.text(&entry.text, Weight::Regular, LEGEND_TEXT, at, Anchor::Start, Color::INK);
}
