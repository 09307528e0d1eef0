//! Where panels and legend entries go: the axes' words decide how much room a panel needs.

use super::{LABEL_TEXT, LEGEND_TEXT, TITLE_TEXT};
use crate::figure::{Axis, Figure, Marks, Ticks};
use crate::font::{self, Weight};
use crate::ticks::origin_text;

/// Size of the numbers at the axes.
pub const TICK_TEXT: f64 = 11.0;
/// Size of a panel's title.
pub const PANEL_TITLE: f64 = 12.5;
/// Length of a mark.
pub const TICK_LENGTH: f64 = 4.5;
/// Room for a number of a horizontal axis, if it is not a long one.
const X_ROOM: f64 = 55.0;
/// Room for a number of a vertical axis.
const Y_ROOM: f64 = 32.0;
/// Between two numbers of a horizontal axis.
const NUMBER_GAP: f64 = 7.0;
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
    /// Rows of panels.
    pub rows: usize,
    /// The upper left corner of each panel's frame.
    pub corners: Vec<[f64; 2]>,
    /// The left end and the middle line of each legend entry.
    pub legend: Vec<[f64; 2]>,
}

impl Layout {
    pub fn new(figure: &Figure) -> Self {
        let columns = figure.columns;
        let rows = figure.panels.len().div_ceil(columns);
        let (mut lefts, mut widths, mut rights) = (vec![0f64; columns], vec![0f64; columns], vec![0f64; columns]);
        let (mut tops, mut heights, mut bottoms) = (vec![0f64; rows], vec![0f64; rows], vec![0f64; rows]);
        for (i, panel) in figure.panels.iter().enumerate() {
            let Some(panel) = panel else { continue };
            let (row, column) = (i / columns, i % columns);
            let (x_marks, y_marks) = (x_marks(&panel.x, panel.width), y_marks(&panel.y, panel.height));
            // The first and the last number may reach beyond the ends of their axis.
            let [before, behind] = overhang(&panel.x, &x_marks, panel.width);
            lefts[column] = lefts[column].max(left_of_axis(&panel.y, &y_marks)).max(before);
            rights[column] = rights[column].max(behind);
            widths[column] = widths[column].max(panel.width);
            tops[row] = tops[row].max(if panel.title.is_empty() { 0.0 } else { PANEL_TITLE + 9.0 });
            heights[row] = heights[row].max(panel.height);
            bottoms[row] = bottoms[row].max(below_axis(&panel.x, &x_marks));
        }
        let mut x = GAP;
        let column_starts: Vec<f64> = (0..columns)
            .map(|column| {
                let start = x + lefts[column];
                let gap = if column + 1 < columns { COLUMN_GAP } else { GAP + 8.0 };
                x = start + widths[column] + gap.max(rights[column] + NUMBER_GAP);
                start
            })
            .collect();
        let width = x;
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
        Layout { width, height, rows, corners, legend }
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

/// The marks of a horizontal axis: as many as their numbers leave room for.
pub fn x_marks(axis: &Axis, length: f64) -> Marks {
    suitable(axis, ((length / X_ROOM) as usize).max(3), |marks| stand_apart(axis, marks, length))
}

/// The marks of a vertical axis.
pub fn y_marks(axis: &Axis, length: f64) -> Marks {
    suitable(axis, ((length / Y_ROOM) as usize).max(3), |_| true)
}

/// About `wanted` marks that are suitable, or fewer; more only where there would be one alone, which gives no scale.
fn suitable(axis: &Axis, wanted: usize, is_suitable: impl Fn(&Marks) -> bool) -> Marks {
    if !matches!(axis.ticks, Ticks::Auto) {
        return axis.marks(wanted);
    }
    let all = (1..=wanted).rev().chain(wanted + 1..=2 * wanted);
    let suitable: Vec<Marks> = all.map(|wanted| axis.marks(wanted)).filter(is_suitable).collect();
    let with_scale = suitable.iter().find(|marks| marks.ticks.len() > 1);
    with_scale.or(suitable.first()).cloned().unwrap_or_else(|| axis.marks(1))
}

/// Whether no number of a horizontal axis meets the next.
fn stand_apart(axis: &Axis, marks: &Marks, length: f64) -> bool {
    let named: Vec<[f64; 2]> = marks
        .ticks
        .iter()
        .filter(|tick| !tick.text.is_empty())
        .map(|tick| [axis.fraction(tick.at) * length, font::width(&tick.text, Weight::Regular, TICK_TEXT)])
        .collect();
    named.windows(2).all(|two| two[1][0] - two[0][0] >= (two[0][1] + two[1][1]) / 2.0 + NUMBER_GAP)
}

/// How far the numbers of a horizontal axis reach beyond its two ends.
fn overhang(axis: &Axis, marks: &Marks, length: f64) -> [f64; 2] {
    marks.ticks.iter().fold([0f64; 2], |[before, behind], tick| {
        let (at, half) = (axis.fraction(tick.at) * length, font::width(&tick.text, Weight::Regular, TICK_TEXT) / 2.0);
        [before.max(half - at), behind.max(at + half - length)]
    })
}

/// The words at an axis, cut to a width: its name, and from where its numbers are counted, which is never cut.
pub fn axis_title(axis: &Axis, marks: &Marks, most: f64) -> String {
    let Some(origin) = marks.origin.map(origin_text) else {
        return font::fitted(&axis.label, Weight::Regular, LABEL_TEXT, most);
    };
    let rest = if axis.label.is_empty() { origin } else { format!(" {origin}") };
    let room = most - font::width(&rest, Weight::Regular, LABEL_TEXT);
    font::fitted(&axis.label, Weight::Regular, LABEL_TEXT, room) + &rest
}

/// Height that an axis needs below the frame.
pub fn below_axis(axis: &Axis, marks: &Marks) -> f64 {
    let numbers = if marks.ticks.iter().all(|mark| mark.text.is_empty()) { 0.0 } else { TICK_TEXT + 4.0 };
    let ticks = if marks.ticks.is_empty() { 0.0 } else { TICK_LENGTH };
    ticks + numbers + if has_title(axis, marks) { LABEL_TEXT + 8.0 } else { 0.0 }
}

/// Width that an axis needs to the left of the frame.
pub fn left_of_axis(axis: &Axis, marks: &Marks) -> f64 {
    let texts = marks.ticks.iter().map(|mark| font::width(&mark.text, Weight::Regular, TICK_TEXT));
    let ticks = if marks.ticks.is_empty() { 0.0 } else { TICK_LENGTH + 5.0 };
    ticks + texts.fold(0.0, f64::max) + if has_title(axis, marks) { LABEL_TEXT + 7.0 } else { 0.0 }
}

fn has_title(axis: &Axis, marks: &Marks) -> bool {
    !axis.label.is_empty() || marks.origin.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_never_meet() {
        for (low, high) in [
            (1e8 - 2.5, 1e8 + 8.0),
            (-4.0000051e7, -3.9999849e7),
            (1.7e9, 1.7e9 + 1e-3),
            (-2e12, 8e12),
            (-3.1e-8, 8e-8),
            (123_456.0, 123_466.0),
            (-1e-4, 1.3e-4),
            (0.0, 1e-300),
            (-123_456.7, 654_321.0),
            (41.0, 98.0),
            (0.02, 0.19),
        ] {
            let axis = Axis::linear("x", low, high);
            for length in [100.0, 110.0, 150.0, 200.0, 370.0, 500.0] {
                let marks = x_marks(&axis, length);
                assert!(stand_apart(&axis, &marks, length), "{low} {high} {length} {marks:?}");
                assert!(marks.ticks.len() > 1, "{low} {high} {length} {marks:?}");
            }
        }
    }

    #[test]
    fn a_long_name_is_cut_but_not_its_origin() {
        let axis = Axis::linear("a very long name of a column, with its units", 1.7e9, 1.7e9 + 20.0);
        let marks = x_marks(&axis, 150.0);
        let words = axis_title(&axis, &marks, 150.0);
        assert!(words.starts_with("a very") && words.ends_with("… \u{2212} 1.7e9"), "{words}");
        assert!(font::width(&words, Weight::Regular, LABEL_TEXT) <= 150.0);
        let unnamed = Axis { label: String::new(), ..axis };
        assert_eq!(axis_title(&unnamed, &marks, 150.0), "\u{2212} 1.7e9");
        assert!(below_axis(&unnamed, &marks) > TICK_TEXT + LABEL_TEXT);
    }
}
