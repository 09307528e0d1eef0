//! The components of the estimate with their intervals: where the means are in the plane, or coordinate by coordinate, and their weights.

use mixgist::components::{Component, Components, Intervals, PosteriorInterval};
use mixgist::{Answer, Estimator, MixingMeasure, Result};

use super::atoms::{ellipse, outline};
use super::rows::{height_of, interval_layers, mark, panel_height, row_axis, shortened, unnamed};
use crate::figure::{Axis, Crossing, Dash, Dots, Figure, Fill, Key, Layer, Panel, Side, Stroke};
use crate::palette::{Color, Marker, atom_style};
use crate::presentation::Presentation;
use mixgist::narrative::numbers::count;

/// More coordinates are not shown.
const MOST_COORDINATES: usize = 8;

/// A component, or several that can only be told together, with its look.
struct Row<'a> {
    name: String,
    component: &'a Component,
    color: Color,
    marker: Marker,
}

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let document = presentation.components()?;
    let estimate = document.around.as_ref().map_or(presentation.estimate(), |around| &around.measure);
    let rows = rows(estimate, document);
    let names: Vec<String> =
        rows.iter().map(|row| format!("{}, {}", row.name, percent(row.component.existence.value))).collect();
    let height = panel_height(rows.len());
    let d = estimate.dim();
    let shown = d.min(MOST_COORDINATES);
    let (figure, where_means) = if d == 2 {
        // Both are as high as the names need; a plane that is much higher than wide shows no more.
        let height = height.max(300.0);
        let plane = plane(presentation, estimate, &rows)?.sized(370.0, height.min(440.0));
        let weight = weight_panel(&rows, &names);
        let text = "Left: filled ellipses hold the mean of a component with 95 % probability, thin lines lie two standard \
                    deviations around the estimate's atoms. Right: its weight.";
        (Figure::grid(2, vec![Some(plane), Some(weight.sized(150.0, height))]), text.to_owned())
    } else {
        let size = if d == 1 { 170.0 } else { 150.0 };
        let first = weight_panel(&rows, &names);
        let mut panels = vec![Some(first.sized(size, height))];
        for a in 0..shown {
            let label = format!("mean {}", shortened(&presentation.columns[a], 18));
            let axis = if panels.len() % 3 == 0 { row_axis(&names) } else { unnamed(rows.len()) };
            let mut panel = interval_panel(&rows, &label, axis, &|all: &Intervals| all.mean[a], &|c| c.mean[a]);
            for cut in document.cuts.iter().filter_map(|cut| cut.interval) {
                let stroke = Stroke::new(Color::GREY, 1.0).dashed(Dash::Dotted);
                panel = panel.with(Layer::Rule { at: Crossing::X(cut.median), stroke });
            }
            panels.push(Some(panel.sized(size, height)));
        }
        if d == 1 {
            let axis = unnamed(rows.len());
            let sd = |all: &Intervals| all.sd[0];
            let panel = interval_panel(&rows, "standard deviation", axis, &sd, &|c| c.covariance[0].sqrt());
            panels.push(Some(panel.sized(size, height)));
        }
        let what = if d == 1 { "Weight, mean and standard deviation" } else { "Weight and mean" };
        let some = if shown < d { format!(" The first {shown} of {d} coordinates are shown.") } else { String::new() };
        let cuts = match document.cuts.is_empty() {
            true => "",
            false => " Dotted lines are where neighbouring components part.",
        };
        (Figure::grid(3, panels), format!("{what} of each component.{cuts}{some}"))
    };
    let without = rows.iter().any(|row| row.component.intervals.is_none());
    let description = format!(
        "{} with 95 % intervals: {}.",
        count(document.components.len(), "component"),
        rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>().join(", ")
    );
    let source =
        document.around.as_ref().map_or("estimate".into(), |around| around.source.spelled(presentation.spelling));
    let caption = format!(
        "Components of the {source}. {where_means} Lines are 95 % intervals over the draws that have the component, marks their medians; the percentage after a \
         name is the posterior probability that a draw has such a component at all.{} Which atoms of the {} draws belong to which component was found by exact \
         optimal transport; no labels were used.",
        match without {
            true => " A cross is the estimate of a component that has no interval.",
            false => "",
        },
        document.about.draws
    );
    let mut figure = figure.described(description, caption);
    if d == 2 {
        let fill = Fill { color: Color::GREY, opacity: 0.55 };
        figure = figure
            .with_legend(Key::Area(fill), "95 % of a component's mean")
            .with_legend(Key::Line(thin(Color::GREY)), "2 sd around the atom");
    }
    if without {
        figure = figure.with_legend(Key::Point(Marker::Cross, Color::INK), "no interval");
    }
    Ok(figure)
}

/// 0.998 is "99.8 %", 1 is "100 %".
fn percent(probability: f64) -> String {
    match 100.0 * probability {
        all if all >= 99.95 => "100 %".into(),
        part if part >= 99.0 => format!("{part:.1} %"),
        part => format!("{part:.0} %"),
    }
}

fn rows<'a>(estimate: &MixingMeasure, document: &'a Answer<Components>) -> Vec<Row<'a>> {
    let mut order: Vec<usize> = (0..estimate.len()).collect();
    order.sort_by(|&a, &b| estimate.weights()[b].total_cmp(&estimate.weights()[a]));
    let mut ranks = vec![0; order.len()];
    order.iter().enumerate().for_each(|(rank, &k)| ranks[k] = rank);
    let row = |name: String, component: &'a Component| {
        let (color, marker) = atom_style(ranks[component.atom]);
        Row { name, component, color, marker }
    };
    // Those of the aligned estimate are components wherever they are named; atoms are those of a draw.
    let noun = if document.about.settings.estimator == Estimator::Aligned { "component" } else { "atom" };
    let mut rows: Vec<Row> = document.components.iter().map(|one| row(format!("{noun} {}", one.atom), one)).collect();
    rows.extend(document.groups.iter().map(|group| {
        let atoms: Vec<String> = group.atoms.iter().map(usize::to_string).collect();
        row(format!("{noun}s {}", shortened(&atoms.join("+"), 12)), &group.together)
    }));
    rows
}

/// The weights, on an axis that does not reach where no weight can be.
fn weight_panel(rows: &[Row], names: &[String]) -> Panel {
    let mut panel = interval_panel(rows, "weight", row_axis(names), &|all| all.weight, &|one| one.weight);
    (panel.x.low, panel.x.high) = (panel.x.low.max(-0.02), panel.x.high.min(1.02));
    panel
}

fn interval_panel(
    rows: &[Row],
    label: &str,
    names: Axis,
    of_intervals: &dyn Fn(&Intervals) -> PosteriorInterval,
    of_estimate: &dyn Fn(&Component) -> f64,
) -> Panel {
    let ends = |row: &Row| match &row.component.intervals {
        Some(intervals) => {
            let PosteriorInterval { low, median, high, .. } = of_intervals(intervals);
            Some([low, median, high])
        }
        None => None,
    };
    let values = rows.iter().flat_map(|row| ends(row).unwrap_or([of_estimate(row.component); 3]));
    let mut panel = Panel::new(Axis::around(label, values), names);
    for (i, row) in rows.iter().enumerate() {
        let y = height_of(i, rows.len());
        panel = match ends(row) {
            Some(ends) => panel.with_all(interval_layers(y, ends, row.color, row.marker)),
            None => panel.with(mark([of_estimate(row.component), y], Marker::Cross, 4.0, Color::INK)),
        };
    }
    panel
}

/// The atom's number beside its mark.
fn name_at(at: [f64; 2], row: &Row) -> Layer {
    Layer::Text { at, text: row.component.atom.to_string(), side: Side::Right, color: Color::INK }
}

fn thin(color: Color) -> Stroke {
    Stroke::new(color, 1.0).dashed(Dash::Dashed)
}

fn plane(presentation: &Presentation, estimate: &MixingMeasure, rows: &[Row]) -> Result<Panel> {
    let bounds = presentation.bounds()?;
    let axis = |a: usize| Axis::linear(&presentation.columns[a], bounds.intervals()[a].low, bounds.intervals()[a].high);
    let mut panel = Panel::new(axis(0), axis(1));
    if let Some(data) = presentation.data {
        // A backdrop: a quarter of the marks will do.
        let at = presentation.shown(4).into_iter().map(|i| [data.point(i)[0], data.point(i)[1]]).collect();
        let color = Color::GREY.mix(Color::WHITE, 0.45);
        panel =
            panel.with(Layer::Dots(Dots { at, marker: Marker::Circle, radius: 1.4, color, opacity: 0.7, group: None }));
    }
    for row in rows {
        let stroke = thin(row.color);
        if row.component.atom < estimate.len() && !row.name.contains('+') {
            let rings = vec![ellipse(estimate, row.component.atom, [0, 1], 2.0)];
            let fill = Fill { color: row.color, opacity: 0.0 };
            panel = panel.with(Layer::Area { rings, fill, outline: Some(stroke) });
        }
    }
    for row in rows.iter().rev() {
        let mean = [row.component.mean[0], row.component.mean[1]];
        let Some(intervals) = &row.component.intervals else {
            panel = panel.with(mark(mean, Marker::Cross, 4.0, Color::INK)).with(name_at(mean, row));
            continue;
        };
        let region = &intervals.mean_ellipse;
        let center = [region.center[0], region.center[1]];
        if let Some(radius) = region.radius {
            let shape = [0, 1, 2, 3].map(|entry| region.covariance[entry]);
            panel = panel.with(Layer::Area {
                rings: vec![outline(center, shape, radius)],
                fill: Fill { color: row.color, opacity: 0.55 },
                outline: Some(Stroke::new(row.color.mix(Color(0, 0, 0), 0.25), 1.2)),
            });
        }
        panel = panel.with(mark(center, row.marker, 3.4, Color::INK));
        if !row.name.contains('+') {
            panel = panel.with(name_at(center, row));
        }
    }
    Ok(panel)
}
