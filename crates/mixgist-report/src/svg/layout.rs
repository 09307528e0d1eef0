//! Where panels and legend entries go: the axes' words decide how much room a panel needs.

use super::{LABEL_TEXT, LEGEND_TEXT, TITLE_TEXT};
use crate::figure::{Axis, Figure};
use crate::font::{self, Weight};
use crate::ticks::Tick;

/// Size of the numbers at the axes.
pub const TICK_TEXT: f64 = 11.0;
/// Size of a panel's title.
pub const PANEL_TITLE: f64 = 12.5;
/// Length of a mark.
pub const TICK_LENGTH: f64 = 4.5;
/// Room for a number of a horizontal axis.
pub const X_ROOM: f64 = 55.0;
/// Room for a number of a vertical axis.
pub const Y_ROOM: f64 = 32.0;
/// Room for the sample in front of a legend entry.
pub const LEGEND_KEY: f64 = 26.0;
/// Height of a line of the legend.
const LEGEND_LINE: f64 = 19.0;
/// Between panels and around the figure.
const GAP: f64 = 12.0;

/// Between columns, where the last number of one axis must not meet the first of the next.
const COLUMN_GAP: f64 = 22.0;

/// Where everything goes.
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// The upper left corner of each panel's frame.
    pub corners: Vec<[f64; 2]>,
    /// The left end and the middle line of each legend entry.
    pub legend: Vec<[f64; 2]>,
}

impl Layout {
    pub fn new(figure: &Figure) -> Self {
        let columns = figure.columns;
        let rows = figure.panels.len().div_ceil(columns);
        let (mut lefts, mut widths) = (vec![0f64; columns], vec![0f64; columns]);
        let (mut tops, mut heights, mut bottoms) = (vec![0f64; rows], vec![0f64; rows], vec![0f64; rows]);
        for (i, panel) in figure.panels.iter().enumerate() {
            let Some(panel) = panel else { continue };
            let (row, column) = (i / columns, i % columns);
            let y_marks = panel.y.marks(panel.height, Y_ROOM);
            lefts[column] = lefts[column].max(left_of_axis(&panel.y, &y_marks));
            widths[column] = widths[column].max(panel.width);
            tops[row] = tops[row].max(if panel.title.is_empty() { 0.0 } else { PANEL_TITLE + 9.0 });
            heights[row] = heights[row].max(panel.height);
            let x_marks = panel.x.marks(panel.width, X_ROOM);
            bottoms[row] = bottoms[row].max(below_axis(&panel.x, &x_marks));
        }
        let mut x = GAP;
        let column_starts: Vec<f64> = (0..columns)
            .map(|column| {
                let start = x + lefts[column];
                x = start + widths[column] + if column + 1 < columns { COLUMN_GAP } else { GAP };
                start
            })
            .collect();
        // The last number of an axis may reach beyond its end.
        let width = x + 8.0;
        let mut y = GAP + if figure.title.is_empty() { 0.0 } else { TITLE_TEXT + 10.0 };
        let row_starts: Vec<f64> = (0..rows)
            .map(|row| {
                let start = y + tops[row];
                y = start + heights[row] + bottoms[row] + GAP;
                start
            })
            .collect();
        let corners = (0..figure.panels.len()).map(|i| [column_starts[i % columns], row_starts[i / columns]]).collect();
        let (legend, height) = legend(figure, width, y);
        Layout { width, height, corners, legend }
    }
}

/// Legend entries in lines below the panels, and where they end.
fn legend(figure: &Figure, width: f64, top: f64) -> (Vec<[f64; 2]>, f64) {
    if figure.legend.is_empty() {
        return (Vec::new(), top);
    }
    let mut lines: Vec<Vec<f64>> = vec![Vec::new()];
    let mut used = 0.0;
    for entry in &figure.legend {
        let own = LEGEND_KEY + font::width(&entry.text, Weight::Regular, LEGEND_TEXT) + 18.0;
        if used > 0.0 && used + own > width - 2.0 * GAP {
            lines.push(Vec::new());
            used = 0.0;
        }
        used += own;
        lines.last_mut().expect("there is a line").push(own);
    }
    let mut places = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let mut x = (width - line.iter().sum::<f64>() + 18.0) / 2.0;
        for own in line {
            places.push([x.max(GAP), top + 7.0 + i as f64 * LEGEND_LINE]);
            x += own;
        }
    }
    (places, top + lines.len() as f64 * LEGEND_LINE + 6.0)
}

/// Height that an axis needs below the frame.
pub fn below_axis(axis: &Axis, marks: &[Tick]) -> f64 {
    let numbers = if marks.iter().all(|mark| mark.text.is_empty()) { 0.0 } else { TICK_TEXT + 4.0 };
    let ticks = if marks.is_empty() { 0.0 } else { TICK_LENGTH };
    ticks + numbers + if axis.label.is_empty() { 0.0 } else { LABEL_TEXT + 8.0 }
}

/// Width that an axis needs to the left of the frame.
pub fn left_of_axis(axis: &Axis, marks: &[Tick]) -> f64 {
    let widest = marks.iter().map(|mark| font::width(&mark.text, Weight::Regular, TICK_TEXT)).fold(0.0, f64::max);
    let ticks = if marks.is_empty() { 0.0 } else { TICK_LENGTH + 5.0 };
    ticks + widest + if axis.label.is_empty() { 0.0 } else { LABEL_TEXT + 7.0 }
}
