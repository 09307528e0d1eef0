//! Panels of named rows: an interval or a mark for each, what components and stability share.

use crate::figure::{Axis, Dots, Layer, Stroke, Ticks};
use crate::palette::{Color, Marker};
use crate::ticks::Tick;

/// Height of a row; with many of them they stand closer, but a name keeps its line.
const ROW: f64 = 24.0;
const CLOSE_ROW: f64 = 17.0;
/// More rows than this stand closer.
const FEW_ROWS: usize = 15;

/// The vertical axis of named rows, the first on top; row i lies at [`height_of`].
pub fn row_axis(names: &[String]) -> Axis {
    let tick = |(i, name): (usize, &String)| Tick { at: height_of(i, names.len()), text: name.clone() };
    let ticks = names.iter().enumerate().map(tick).collect();
    Axis::linear("", -0.5, names.len().max(1) as f64 - 0.5).with_ticks(Ticks::At(ticks))
}

/// The same rows without their names.
pub fn unnamed(rows: usize) -> Axis {
    Axis::linear("", -0.5, rows.max(1) as f64 - 0.5).with_ticks(Ticks::Hidden)
}

/// Where row i of so many lies.
pub fn height_of(i: usize, rows: usize) -> f64 {
    (rows - 1 - i) as f64
}

/// Height of a panel of so many rows.
pub fn panel_height(rows: usize) -> f64 {
    let few = ROW * rows.clamp(2, FEW_ROWS) as f64 + 10.0;
    if rows > FEW_ROWS { few.max(CLOSE_ROW * rows as f64 + 10.0) } else { few }
}

/// An interval with a mark in it.
pub fn interval_layers(y: f64, [low, middle, high]: [f64; 3], color: Color, marker: Marker) -> Vec<Layer> {
    let line = Layer::Line { path: vec![[low, y], [high, y]], stroke: Stroke::new(color, 2.6) };
    vec![line, mark([middle, y], marker, 4.2, color)]
}

/// One mark.
pub fn mark(at: [f64; 2], marker: Marker, radius: f64, color: Color) -> Layer {
    Layer::Dots(Dots { at: vec![at], marker, radius, color, opacity: 1.0, group: None })
}

/// A name that leaves room for a figure.
pub fn shortened(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}
