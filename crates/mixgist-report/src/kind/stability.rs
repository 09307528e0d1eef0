//! The stability card: how far each change of a choice moves the estimate, in radii of the credible ball.

use mixgist::Result;
use mixgist::stability::{Check, Movement, Outcome};

use super::rows::{height_of, mark, panel_height, row_axis, shortened};
use crate::figure::{Axis, Crossing, Dash, Figure, Fill, Key, Layer, Panel, Side, Stroke};
use crate::palette::{Color, Marker};
use crate::presentation::Presentation;
use mixgist::narrative::numbers::{every, significant};

/// Radii up to which a choice hardly matters, and up to which it matters less than what the posterior leaves open.
const ZONES: [f64; 2] = [0.5, 1.0];

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let card = presentation.stability()?;
    let radii_of = |check: &Check| check.outcome.moved().map(|moved| moved.radii).filter(|radii| radii.is_finite());
    let names: Vec<String> =
        card.checks.iter().map(|check| shortened(&check.change.spelled(presentation.spelling), 30)).collect();
    let farthest = card.checks.iter().filter_map(radii_of).fold(0.0, f64::max);
    let end = (1.08 * farthest).max(1.25);
    let zone = |from: f64, to: f64, color: Color, opacity: f64| Layer::Area {
        rings: vec![vec![[from, -1.0], [to, -1.0], [to, 1e3], [from, 1e3]]],
        fill: Fill { color, opacity },
        outline: None,
    };
    let edge = |at: f64, dash| Layer::Rule { at: Crossing::X(at), stroke: Stroke::new(Color::GREY, 1.0).dashed(dash) };
    let mut panel = Panel::new(Axis::linear("moves by (radii of the ball)", -0.03 * end, end), row_axis(&names))
        .sized(330.0, panel_height(names.len()))
        .with(zone(ZONES[0], ZONES[1], Color::INK, 0.05))
        .with(zone(ZONES[1], end, Color::VERMILION, 0.12))
        .with(edge(ZONES[0], Dash::Dotted))
        .with(edge(ZONES[1], Dash::Dashed));
    for (i, check) in card.checks.iter().enumerate() {
        let y = height_of(i, names.len());
        let (Some(radii), Some(moved)) = (radii_of(check), check.outcome.moved()) else {
            let text = if matches!(check.outcome, Outcome::Failed { .. }) {
                "no estimate"
            } else {
                "out of a ball of radius 0"
            };
            let at = [0.02 * end, y];
            panel = panel.with(Layer::Text { at, text: text.into(), side: Side::Right, color: Color::GREY });
            continue;
        };
        let (color, marker) = look_of(moved.movement);
        let stroke = Stroke::new(color, 2.0);
        panel = panel.with(Layer::Line { path: vec![[0.0, y], [radii, y]], stroke }).with(mark(
            [radii, y],
            marker,
            5.0,
            color,
        ));
        let other = moved.clusters.filter(|_| moved.clusters != card.clusters);
        if let Some(clusters) = other {
            // Beside the mark, on the side with room.
            let (at, side) = if radii < 0.6 * end {
                ([radii + 0.02 * end, y], Side::Right)
            } else {
                ([radii - 0.02 * end, y + 0.33], Side::Left)
            };
            let text = mixgist::narrative::numbers::count(clusters, "cluster");
            panel = panel.with(Layer::Text { at, text, side, color: Color::INK });
        }
    }
    let description = format!(
        "How far {} changes of choices move the estimate, at most {} radii of the credible ball: {}.",
        card.checks.len(),
        significant(farthest, 2),
        card.verdict.verdict
    );
    let clusters = match card.clusters {
        Some(count) => format!(" Where the number of clusters differs from {count}, it is written beside the mark."),
        None => String::new(),
    };
    let untried = match card.untried_chains {
        0 => String::new(),
        1 => " One chain was not left out in turn; those with the most draws went first.".to_owned(),
        more => format!(" {more} chains were not left out in turn; those with the most draws went first."),
    };
    let thinned = if card.thin > 1 { format!(", {} of each chain", every(card.thin, "draw")) } else { String::new() };
    let caption = format!(
        "Each line changes one choice and estimates again ({}{thinned}). The unit is the radius of the 95 % ball, {}: up to a half \
         (dotted) a choice hardly matters, beyond one (dashed) it matters more than what the posterior leaves open.{clusters}{untried}",
        presentation.distance_text(),
        significant(card.ball.radius, 4),
    );
    let mut figure = Figure::single(panel).described(description, caption);
    let looks =
        [(Movement::Stable, "stable"), (Movement::Inside, "inside the ball"), (Movement::Outside, "out of the ball")];
    for (movement, text) in looks {
        let (color, marker) = look_of(movement);
        if card.checks.iter().any(|check| check.outcome.moved().is_some_and(|moved| moved.movement == movement)) {
            figure = figure.with_legend(Key::Point(marker, color), text);
        }
    }
    Ok(figure)
}

fn look_of(movement: Movement) -> (Color, Marker) {
    match movement {
        Movement::Stable => (Color::BLUE, Marker::Circle),
        Movement::Inside => (Color(0x00, 0x9e, 0x73), Marker::Square),
        Movement::Outside => (Color::VERMILION, Marker::Diamond),
    }
}
