//! The stability card: how far each change of a choice moves the estimate, in radii of the credible ball.

use mixgist::Result;
use mixgist_io::posterior::CheckDocument;

use super::rows::{height_of, mark, panel_height, row_axis, shortened};
use crate::evidence::Card;
use crate::figure::{Axis, Crossing, Dash, Figure, Fill, Key, Layer, Panel, Side, Stroke};
use crate::palette::{Color, Marker};
use crate::subject::Subject;
use crate::words::significant;

/// Radii up to which a choice hardly matters, and up to which it matters less than what the posterior leaves open.
const ZONES: [f64; 2] = [0.5, 1.0];

pub fn draw(subject: &Subject) -> Result<Figure> {
    let Card { document: card, how, away } = subject.stability()?;
    let names: Vec<String> = card.checks.iter().map(|check| shortened(&check.change, 30)).collect();
    let farthest = card.checks.iter().filter_map(|check| check.radii).filter(|r| r.is_finite()).fold(0.0, f64::max);
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
        let Some(radii) = check.radii.filter(|radii| radii.is_finite()) else {
            let text = if check.error.is_some() { "no estimate" } else { "out of a ball of radius 0" };
            let at = [0.02 * end, y];
            panel = panel.with(Layer::Text { at, text: text.into(), side: Side::Right, color: Color::GREY });
            continue;
        };
        let (color, marker) = look(check);
        let stroke = Stroke::new(color, 2.0);
        panel = panel.with(Layer::Line { path: vec![[0.0, y], [radii, y]], stroke }).with(mark(
            [radii, y],
            marker,
            5.0,
            color,
        ));
        let other = check.clusters.filter(|_| check.clusters != card.clusters);
        if let Some(clusters) = other {
            // Beside the mark, on the side with room.
            let (at, side) = if radii < 0.6 * end {
                ([radii + 0.02 * end, y], Side::Right)
            } else {
                ([radii - 0.02 * end, y + 0.33], Side::Left)
            };
            let text = crate::words::count(clusters, "cluster");
            panel = panel.with(Layer::Text { at, text, side, color: Color::INK });
        }
    }
    let description = format!(
        "How far {} changes of choices move the estimate, at most {} radii of the credible ball: {}.",
        card.checks.len(),
        significant(farthest, 2),
        card.verdict
    );
    let clusters = match card.clusters {
        Some(count) => format!(" Where the number of clusters differs from {count}, it is written beside the mark."),
        None => String::new(),
    };
    let another = match away {
        Some(radii) => format!(
            " The estimate from which the card starts, computed with {how}, is another {} than the summary's, {}.",
            if subject.is_free() { "fit" } else { "draw" },
            match radii.is_finite() {
                true => format!("{radii:.2} radii from it"),
                false => "out of a ball of radius 0".into(),
            },
        ),
        None => String::new(),
    };
    let untried = match card.untried_chains {
        0 => String::new(),
        1 => " One chain was not left out in turn; those with the most draws went first.".to_owned(),
        more => format!(" {more} chains were not left out in turn; those with the most draws went first."),
    };
    let caption = format!(
        "Each line changes one choice and estimates again ({how}).{another} The unit is the radius of the 95 % ball, {}: up to a half \
         (dotted) a choice hardly matters, beyond one (dashed) it matters more than what the posterior leaves open.{clusters}{untried}{}",
        significant(card.ball.radius, 4),
        subject.stand_in()
    );
    let mut figure = Figure::single(panel).described(description, caption);
    for (name, text) in [("steady", "steady"), ("inside", "inside the ball"), ("outside", "out of the ball")] {
        let (color, marker) = look_of(name);
        if card.checks.iter().any(|check| check.movement.as_deref() == Some(name)) {
            figure = figure.with_legend(Key::Point(marker, color), text);
        }
    }
    Ok(figure)
}

fn look(check: &CheckDocument) -> (Color, Marker) {
    look_of(check.movement.as_deref().unwrap_or_default())
}

fn look_of(movement: &str) -> (Color, Marker) {
    match movement {
        "steady" => (Color::BLUE, Marker::Circle),
        "inside" => (Color(0x00, 0x9e, 0x73), Marker::Square),
        _ => (Color::VERMILION, Marker::Diamond),
    }
}
