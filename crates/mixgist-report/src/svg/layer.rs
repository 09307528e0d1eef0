//! The layers of a panel as paths.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::markup::{Anchor, Markup, coordinate, in_reach, pair, stroke_attributes, tenths};
use crate::figure::{Crossing, Dots, Fill, Layer, Panel, Position, Side, Stroke};
use crate::font::{self, Weight};
use crate::palette::{Color, Marker};

/// Size of texts within panels.
const TEXT: f64 = 11.0;

/// Draws the layers of a panel; what lies outside of the frame is cut off.
pub fn draw_all(markup: &mut Markup, panel: &Panel, [left, top]: [f64; 2]) {
    let (width, height) = (coordinate(panel.width), coordinate(panel.height));
    let _ = writeln!(
        markup.text,
        "<svg x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">",
        coordinate(left),
        coordinate(top)
    );
    let mut frame = Frame { panel, taken: obstacles(panel) };
    for layer in &panel.layers {
        frame.draw(markup, layer);
    }
    markup.text.push_str("</svg>\n");
}

/// A marker on its own.
pub fn single_point(markup: &mut Markup, marker: Marker, radius: f64, color: Color, [x, y]: [f64; 2]) {
    let d = format!("M{}{}", pair(x, y), outline(marker, radius));
    let _ = writeln!(markup.text, "<path d=\"{d}\"{}/>", marker_attributes(marker, radius, color, 1.0));
}

/// A curve may leave its course by this much, in units of the drawing, of which a screen shows one or two pixels: it is not seen.
const TOLERANCE: f64 = 0.2;

/// The corners that a curve needs so that none of the others is farther than [`TOLERANCE`] from it (Douglas and Peucker).
fn simplified(path: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut needed = vec![false; path.len()];
    let mut parts = match path.len() {
        0 => Vec::new(),
        corners => vec![(0, corners - 1)],
    };
    while let Some((first, last)) = parts.pop() {
        (needed[first], needed[last]) = (true, true);
        let gap = |i: usize| distance_to_line(path[i], path[first], path[last]);
        let farthest = (first + 1..last).map(|i| (i, gap(i))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((corner, _)) = farthest.filter(|(_, gap)| *gap > TOLERANCE) {
            parts.extend([(first, corner), (corner, last)]);
        }
    }
    path.iter().zip(needed).filter(|(_, needed)| *needed).map(|(&at, _)| at).collect()
}

/// From a point to the line between two others.
fn distance_to_line([x, y]: [f64; 2], [ax, ay]: [f64; 2], [bx, by]: [f64; 2]) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { (((x - ax) * dx + (y - ay) * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (x - ax - along * dx).hypot(y - ay - along * dy)
}

/// A path through these corners: the first as it is, the others as steps, which take less space. Steps are between rounded corners,
/// so that they do not drift.
fn line(corners: &[[f64; 2]]) -> String {
    let mut d = String::new();
    let mut last: Option<[i64; 2]> = None;
    for at in corners {
        let here = at.map(tenths);
        let text = match last {
            None => format!("M{}", pair(here[0] as f64 / 10.0, here[1] as f64 / 10.0)),
            Some(last) if last == here => continue,
            Some([x, y]) => {
                let step = pair((here[0] - x) as f64 / 10.0, (here[1] - y) as f64 / 10.0);
                match (d.contains('l'), step.starts_with('-')) {
                    (false, _) => format!("l{step}"),
                    (true, true) => step,
                    (true, false) => format!(" {step}"),
                }
            }
        };
        d.push_str(&text);
        last = Some(here);
    }
    d
}

/// Where a position of the data lies in the frame.
fn place(panel: &Panel, [x, y]: Position) -> [f64; 2] {
    [panel.x.fraction(x) * panel.width, (1.0 - panel.y.fraction(y)) * panel.height]
}

/// A rectangle: left, top, right, bottom.
type Rectangle = [f64; 4];

/// What a text should not cover, and how bad it is if it does.
struct Obstacle {
    at: Rectangle,
    cost: f64,
}

/// Marks of at least this radius stand for something of their own, smaller ones for one of many.
const LARGE_MARK: f64 = 3.0;

/// The cost of covering a large mark, or another text; more than that of all small marks, each of which costs 1.
const LARGE_COST: f64 = 1e6;

fn obstacles(panel: &Panel) -> Vec<Obstacle> {
    if !panel.layers.iter().any(|layer| matches!(layer, Layer::Text { .. })) {
        return Vec::new();
    }
    let marks = panel.layers.iter().filter_map(|layer| match layer {
        // White ones are paper around others.
        Layer::Dots(points) if points.color != Color::WHITE => Some(points),
        _ => None,
    });
    let obstacle = |points: &Dots, at: Position| {
        let ([x, y], reach) = (place(panel, at), 1.2 * points.radius);
        let cost = if points.radius >= LARGE_MARK { LARGE_COST } else { 1.0 };
        Obstacle { at: [x - reach, y - reach, x + reach, y + reach], cost }
    };
    marks.flat_map(|points| points.at.iter().map(move |&at| obstacle(points, at))).collect()
}

fn meet(a: Rectangle, b: Rectangle) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

struct Frame<'a> {
    panel: &'a Panel,
    taken: Vec<Obstacle>,
}

impl Frame<'_> {
    fn place(&self, at: Position) -> [f64; 2] {
        place(self.panel, at)
    }

    fn draw(&mut self, markup: &mut Markup, layer: &Layer) {
        match layer {
            Layer::Dots(points) => self.points(markup, points),
            Layer::Line { path, stroke } => markup.path(&self.line(path), *stroke),
            Layer::Area { rings, fill, outline } => self.area(markup, rings, *fill, *outline),
            Layer::Rug { values, color } => self.rug(markup, values, *color),
            Layer::Shades { rows, color } => self.shades(markup, rows, *color),
            Layer::Rule { at, stroke } => {
                let (width, height) = (self.panel.width, self.panel.height);
                let d = match at {
                    Crossing::X(x) => {
                        format!("M{}v{}", pair(self.panel.x.fraction(*x) * width, 0.0), coordinate(height))
                    }
                    Crossing::Y(y) => {
                        format!("M{}h{}", pair(0.0, (1.0 - self.panel.y.fraction(*y)) * height), coordinate(width))
                    }
                };
                markup.path(&d, *stroke);
            }
            Layer::Text { at, text, side, color } => self.text(markup, *at, text, *side, *color),
        }
    }

    fn points(&self, markup: &mut Markup, points: &Dots) {
        let shape = outline(points.marker, points.radius);
        let mut d = String::with_capacity(points.at.len() * 14);
        for &at in &points.at {
            let [x, y] = self.place(at);
            let _ = write!(d, "M{}{shape}", pair(x, y));
        }
        if d.is_empty() {
            return;
        }
        let group = points.group.map(|group| format!(" data-group=\"{group}\"")).unwrap_or_default();
        let look = marker_attributes(points.marker, points.radius, points.color, points.opacity);
        let _ = writeln!(markup.text, "<path{group} d=\"{d}\"{look}/>");
    }

    fn line(&self, path: &[Position]) -> String {
        line(&simplified(&path.iter().map(|&at| self.place(at).map(in_reach)).collect::<Vec<_>>()))
    }

    fn area(&self, markup: &mut Markup, rings: &[Vec<Position>], fill: Fill, outline: Option<Stroke>) {
        let d: String = rings.iter().map(|ring| self.line(ring) + "Z").collect();
        if d.is_empty() {
            return;
        }
        let stroke = outline.map(stroke_attributes).unwrap_or_default();
        let _ = writeln!(
            markup.text,
            "<path d=\"{d}\" fill=\"{}\" fill-opacity=\"{}\" fill-rule=\"evenodd\"{stroke}/>",
            fill.color, fill.opacity
        );
    }

    fn rug(&self, markup: &mut Markup, values: &[f64], color: Color) {
        let (width, height) = (self.panel.width, self.panel.height);
        // Strokes of this width that are half a unit apart are one area.
        let halves = |x: &f64| (in_reach(self.panel.x.fraction(*x) * width) * 2.0).round() as i64;
        let places: BTreeSet<i64> = values.iter().map(halves).collect();
        let (mut d, mut last) = (String::new(), None);
        for place in places {
            let _ = match last {
                None => write!(d, "M{}v-8", pair(place as f64 / 2.0, height)),
                Some(last) => write!(d, "m{}v-8", pair((place - last) as f64 / 2.0, 8.0)),
            };
            last = Some(place);
        }
        markup.path(&d, Stroke::new(color, 0.7).with_opacity(0.6));
    }

    /// One path for each shade, a run of equal cells being one stroke.
    fn shades(&self, markup: &mut Markup, rows: &[Vec<f64>], color: Color) {
        const STEPS: usize = 16;
        let height = self.panel.height / rows.len().max(1) as f64;
        let mut paths = vec![String::new(); STEPS + 1];
        for (i, row) in rows.iter().enumerate() {
            let width = self.panel.width / row.len().max(1) as f64;
            let shade = |v: f64| (v.clamp(0.0, 1.0) * STEPS as f64).round() as usize;
            let mut start = 0;
            while start < row.len() {
                let level = shade(row[start]);
                let run = row[start..].iter().take_while(|v| shade(**v) == level).count();
                let middle = (i as f64 + 0.5) * height;
                let (from, long) = (start as f64 * width, run as f64 * width);
                // Slightly longer than the cell, so that no seam shows.
                let _ = write!(paths[level], "M{}h{}", pair(from, middle), coordinate(long + 0.1));
                start += run;
            }
        }
        // Smoothed edges would show as seams between the cells.
        markup.text.push_str("<g shape-rendering=\"crispEdges\">\n");
        for (level, path) in paths.iter().enumerate().skip(1) {
            let shade = Color::WHITE.mix(color, level as f64 / STEPS as f64);
            markup.path(path, Stroke::new(shade, ((height + 0.15) * 100.0).round() / 100.0));
        }
        markup.text.push_str("</g>\n");
    }

    /// A text on its side, or on another where it would cover less that matters.
    fn text(&mut self, markup: &mut Markup, at: Position, text: &str, side: Side, color: Color) {
        let width = font::width(text, Weight::Bold, TEXT);
        let ([left, base], at) = self.free_place(at, width, side);
        self.taken.push(Obstacle { at, cost: LARGE_COST });
        markup.text(text, Weight::Bold, TEXT, [left, base], Anchor::Start, color);
    }

    /// Where a text of this width starts, and the rectangle that it fills: on its side unless it covers something large there.
    fn free_place(&self, at: Position, width: f64, side: Side) -> ([f64; 2], Rectangle) {
        let judged = |side: Side| {
            let [left, base] = self.beside(at, width, side);
            let fills = [left, base - 0.75 * TEXT, left + width, base + 0.2 * TEXT];
            let cost: f64 = self.taken.iter().filter(|other| meet(fills, other.at)).map(|other| other.cost).sum();
            (cost, [left, base], fills)
        };
        let mut best = judged(side);
        if best.0 >= LARGE_COST && side != Side::Centre {
            for other in [Side::Above, Side::Right, Side::Left, Side::Below].map(judged) {
                if other.0 < best.0 {
                    best = other;
                }
            }
        }
        (best.1, best.2)
    }

    /// Where a text of this width starts on this side of its position, kept within the frame.
    fn beside(&self, at: Position, width: f64, side: Side) -> [f64; 2] {
        let [x, y] = self.place(at);
        let (left, base) = match side {
            Side::Centre => (x - width / 2.0, y + 0.35 * TEXT),
            Side::Above => (x - width / 2.0, y - 11.5),
            Side::Below => (x - width / 2.0, y + 8.0 + 0.8 * TEXT),
            Side::Right => (x + 8.5, y + 0.35 * TEXT),
            Side::Left => (x - 8.5 - width, y + 0.35 * TEXT),
        };
        [left.min(self.panel.width - width - 2.0).max(2.0), base.clamp(TEXT, self.panel.height - 3.0)]
    }
}

/// The rest of a path that draws the marker around the position where the path stands.
fn outline(marker: Marker, radius: f64) -> String {
    let r = radius;
    let step = |x: f64, y: f64| pair(x, y);
    match marker {
        // A line of no length with round ends is a disc, one of hardly any length with square ends a square: of none, some programs draw nothing.
        Marker::Circle => "h0".into(),
        Marker::Square => "h.1".into(),
        Marker::Triangle => format!("m{}l{}h{}z", step(0.0, -1.2 * r), step(1.1 * r, 2.0 * r), coordinate(-2.2 * r)),
        Marker::TriangleDown => {
            format!("m{}l{}h{}z", step(0.0, 1.2 * r), step(1.1 * r, -2.0 * r), coordinate(-2.2 * r))
        }
        Marker::Diamond => {
            let s = 1.3 * r;
            format!("m{}l{}l{}l{}z", step(0.0, -s), step(s, s), step(-s, s), step(-s, -s))
        }
        Marker::Plus => {
            let s = 1.2 * r;
            format!("m{}h{}m{}v{}", step(-s, 0.0), coordinate(2.0 * s), step(-s, -s), coordinate(2.0 * s))
        }
        Marker::Cross => {
            let s = r;
            format!("m{}l{}m{}l{}", step(-s, -s), step(2.0 * s, 2.0 * s), step(-2.0 * s, 0.0), step(2.0 * s, -2.0 * s))
        }
    }
}

fn marker_attributes(marker: Marker, radius: f64, color: Color, opacity: f64) -> String {
    let stroked = |width: f64, cap: &str| {
        format!(" fill=\"none\" stroke=\"{color}\" stroke-width=\"{}\" stroke-linecap=\"{cap}\"", coordinate(width))
    };
    let look = match marker {
        Marker::Circle => stroked(2.0 * radius, "round"),
        Marker::Square => stroked(1.8 * radius, "square"),
        Marker::Plus | Marker::Cross => stroked((0.5 * radius).max(1.0), "butt"),
        Marker::Triangle | Marker::TriangleDown | Marker::Diamond => format!(" fill=\"{color}\""),
    };
    if opacity < 1.0 { format!("{look} opacity=\"{opacity}\"") } else { look }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mark in the middle, others around it, and a text for the one in the middle.
    fn beside_marks(others: &[Position]) -> Rectangle {
        use crate::figure::Axis;
        let mark = |at: Position, radius| {
            Layer::Dots(Dots {
                at: vec![at],
                marker: Marker::Diamond,
                radius,
                color: Color::INK,
                opacity: 1.0,
                group: None,
            })
        };
        let panel = Panel::new(Axis::linear("", -100.0, 100.0), Axis::linear("", -100.0, 100.0))
            .sized(200.0, 200.0)
            .with(mark([0.0, 0.0], 5.5))
            .with_all(others.iter().map(|&at| mark(at, 5.5)))
            .with(Layer::Text { at: [0.0, 0.0], text: "estimate".into(), side: Side::Above, color: Color::INK });
        let frame = Frame { panel: &panel, taken: obstacles(&panel) };
        let (_, taken) = frame.free_place([0.0, 0.0], font::width("estimate", Weight::Bold, TEXT), Side::Above);
        assert!(frame.taken.iter().all(|other| !meet(taken, other.at)), "{others:?}: {taken:?}");
        taken
    }

    #[test]
    fn texts_cover_no_mark() {
        // Above unless something is there; y runs downward in the frame.
        assert!(beside_marks(&[])[3] < 95.0);
        assert!(beside_marks(&[[0.0, -15.0]])[3] < 95.0);
        assert!(beside_marks(&[[-12.0, 14.0]])[0] > 105.0);
        assert!(beside_marks(&[[0.0, 15.0], [20.0, 0.0]])[2] < 95.0);
        assert!(beside_marks(&[[0.0, 15.0], [20.0, 0.0], [-20.0, 3.0]])[1] > 105.0);
    }

    #[test]
    fn a_path_is_a_corner_and_steps_between_rounded_corners() {
        assert_eq!(line(&[[1.04, 2.0], [1.06, 2.0], [3.0, 1.0], [3.0, 1.0], [3.5, 4.0]]), "M1 2l.1 0 1.9-1 .5 3");
        assert_eq!((line(&[]), line(&[[5.0, -1.0]])), (String::new(), "M5-1".into()));
    }

    /// No corner of a circle is farther from the simplified one than what is allowed, and most are not needed.
    #[test]
    fn curves_keep_their_course() {
        let circle: Vec<[f64; 2]> = (0..=1000)
            .map(|i| f64::from(i) * std::f64::consts::TAU / 1000.0)
            .map(|t| [90.0 * t.cos(), 90.0 * t.sin()])
            .collect();
        let few = simplified(&circle);
        assert!(few.len() < 120 && few[0] == circle[0] && few[few.len() - 1] == circle[1000], "{}", few.len());
        for &at in &circle {
            let gap = few.windows(2).map(|ends| distance_to_line(at, ends[0], ends[1])).fold(f64::INFINITY, f64::min);
            assert!(gap <= TOLERANCE);
        }
        assert_eq!(simplified(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 3.0]]), [[0.0, 0.0], [2.0, 0.0], [2.0, 3.0]]);
        assert_eq!(simplified(&[]), Vec::<[f64; 2]>::new());
    }
}
