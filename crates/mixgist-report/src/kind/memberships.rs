//! Who belongs to which component: where the posterior is unsure, and the observations that are least certain.

use mixgist::Memberships;
use mixgist::Result;
use mixgist::discriminant_axes;
use mixgist::narrative::numbers::count;

use super::rows::{height_of, interval_layers, panel_height, row_axis};
use crate::figure::{Axis, Dots, Figure, Fill, Key, Layer, Panel, Stroke};
use crate::palette::{Color, Marker, group_style};
use crate::presentation::Presentation;

/// Uncertain observations that are listed.
const MOST_ROWS: usize = 20;

/// The part of a figure's marks that will do here, on the line and in the plane: a page has such a figure for each summary.
const LINE_PART: usize = 4;
const PLANE_PART: usize = 12;

/// Components that the legend lists.
const MOST_LISTED: usize = 8;

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let document = presentation.memberships()?;
    let found = &document.result;
    let d = document.about.dim;
    let (panel, text) = match d {
        1 => (line(presentation, found)?, "Left: the posterior probability of each component at each observation, with its 95 % interval over the draws.".to_owned()),
        _ => {
            let (panel, axes) = plane(presentation, found)?;
            (panel, format!("Left: the observations{axes}, coloured by their most probable component; black diamonds are the uncertain ones."))
        }
    };
    let rows: Vec<usize> = found.uncertain.iter().copied().take(MOST_ROWS).collect();
    let mut panels = vec![Some(panel.sized(330.0, 300.0))];
    if !rows.is_empty() {
        let names: Vec<String> = rows.iter().map(|i| format!("observation {i}")).collect();
        let mut listed = Panel::new(Axis::linear("probability", 0.0, 1.0), row_axis(&names));
        for (row, &i) in rows.iter().enumerate() {
            let place = i * found.components + found.labels[i] as usize;
            let (color, marker) = group_style(found.labels[i] as usize);
            let ends = [found.low[place], found.mean[place], found.high[place]];
            listed = listed.with_all(interval_layers(height_of(row, rows.len()), ends, color, marker));
        }
        panels.push(Some(listed.sized(190.0, panel_height(rows.len()).max(300.0))));
    }
    let right = match (rows.len(), found.uncertain.len()) {
        (0, _) => {
            format!(" No observation is uncertain: each has its place with a probability of {} or more.", found.sure)
        }
        (shown, all) => format!(
            " Right: the {shown} least certain of {} whose most probable place, a component or none of them, has a probability below {}, with intervals over the draws.",
            count(all, "observation"),
            found.sure
        ),
    };
    let outside = match found.outside() {
        0 => String::new(),
        outside => format!(
            " {} surely belong to none of the components{}.",
            count(outside, "observation"),
            if d > 1 { " (grey)" } else { "" }
        ),
    };
    let left_out = presentation.left_out(if d == 1 { LINE_PART } else { PLANE_PART });
    let caption =
        format!("{text}{right}{outside} Probabilities are means over {}.{left_out}", count(found.draws_used, "draw"));
    let description =
        format!("Memberships of {} in {}.", count(found.points, "observation"), count(found.components, "component"));
    let mut figure = Figure::grid(2, panels).described(description, caption);
    for k in 0..found.components.min(MOST_LISTED) {
        let (color, marker) = group_style(k);
        figure = figure.with_legend(Key::Point(marker, color), format!("component {k}"));
    }
    figure = figure.and_more(found.components, MOST_LISTED);
    if d > 1 && !rows.is_empty() {
        figure = figure.with_legend(Key::Point(Marker::Diamond, Color::INK), "uncertain");
    }
    Ok(figure)
}

/// The probabilities along the line.
fn line(presentation: &Presentation, found: &Memberships) -> Result<Panel> {
    let data = presentation.need_data()?;
    let mut order = presentation.shown(LINE_PART);
    order.sort_by(|&a, &b| data.point(a)[0].total_cmp(&data.point(b)[0]));
    let x = |i: usize| data.point(i)[0];
    let mut panel = Panel::new(
        Axis::around(&presentation.columns[0], order.iter().map(|&i| x(i))),
        Axis::linear("posterior probability", -0.02, 1.02),
    );
    for k in 0..found.components {
        let (color, marker) = group_style(k);
        let curve = |values: &[f64]| -> Vec<[f64; 2]> {
            order.iter().map(|&i| [x(i), values[i * found.components + k]]).collect()
        };
        let mut ring = curve(&found.low);
        ring.extend(curve(&found.high).into_iter().rev());
        panel = panel
            .with(Layer::Area { rings: vec![ring], fill: Fill { color, opacity: 0.2 }, outline: None })
            .with(Layer::Line { path: curve(&found.mean), stroke: Stroke::new(color, 1.2) });
        let at = order
            .iter()
            .filter(|&&i| found.labels[i] as usize == k)
            .map(|&i| [x(i), found.mean[i * found.components + k]]);
        panel =
            panel.with(Layer::Dots(Dots { at: at.collect(), marker, radius: 2.0, color, opacity: 0.9, group: None }));
    }
    Ok(panel)
}

/// The observations in the plane, or on the two axes that show the components best; and words for that.
fn plane(presentation: &Presentation, found: &Memberships) -> Result<(Panel, String)> {
    let data = presentation.need_data()?;
    let answer = presentation.memberships()?;
    let d = answer.about.dim;
    let at: Box<dyn Fn(usize) -> [f64; 2]>;
    let (names, words) = match (d, &answer.around) {
        (2, _) | (_, None) => {
            at = Box::new(|i| [data.point(i)[0], data.point(i)[1]]);
            ([presentation.columns[0].clone(), presentation.columns[1].clone()], String::new())
        }
        (_, Some(estimate)) => {
            let axes = discriminant_axes(&estimate.measure, 2)?;
            let along = move |point: &[f64], axis: &[f64]| point.iter().zip(axis).map(|(x, a)| x * a).sum::<f64>();
            let words =
                format!(" on the two axes that show {:.0} % of the separation of the components", 100.0 * axes.shown);
            at = Box::new(move |i| [0, 1].map(|a| along(data.point(i), &axes.axes[a])));
            (["discriminant axis 1".to_owned(), "discriminant axis 2".to_owned()], words)
        }
    };
    let shown = presentation.shown(PLANE_PART);
    let axis = |a: usize| Axis::around(&names[a], shown.iter().map(|&i| at(i)[a]));
    let mut panel = Panel::new(axis(0), axis(1));
    let surely_none = |i: usize| found.none[i] >= found.sure;
    let places = shown.iter().filter(|&&i| surely_none(i)).map(|&i| at(i)).collect();
    let color = Color::GREY;
    panel = panel.with(Layer::Dots(Dots {
        at: places,
        marker: Marker::Circle,
        radius: 2.4,
        color,
        opacity: 0.75,
        group: None,
    }));
    for k in 0..found.components {
        let (color, marker) = group_style(k);
        let its = |i: usize| found.labels[i] as usize == k && !surely_none(i);
        let places = shown.iter().filter(|&&i| its(i)).map(|&i| at(i)).collect();
        panel = panel.with(Layer::Dots(Dots { at: places, marker, radius: 2.4, color, opacity: 0.75, group: None }));
    }
    let unsure: std::collections::BTreeSet<usize> = found.uncertain.iter().copied().collect();
    let places = shown.iter().filter(|i| unsure.contains(i)).map(|&i| at(i)).collect();
    let uncertain =
        Dots { at: places, marker: Marker::Diamond, radius: 2.6, color: Color::INK, opacity: 1.0, group: None };
    Ok((panel.with(Layer::Dots(uncertain)), words))
}
