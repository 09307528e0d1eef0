//! The expected loss of every draw, with the least one marked.

use mixgist::narrative::numbers::{count, significant};
use mixgist::{Loss, Result};

use super::traces::chain_layers;
use super::{beyond_text, upper_fence};
use crate::figure::{Axis, Crossing, Dash, Dots, Figure, Fill, Key, Layer, Panel, Stroke, Ticks};
use crate::palette::{Color, Marker};
use crate::presentation::Presentation;

/// Bars of the histogram.
const BARS: usize = 40;

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let draws = presentation.need_draws()?;
    let medoid = &presentation.summary().medoid;
    let losses = losses(presentation)?;
    // A few draws that are far away must not press all the others into a line.
    let top = upper_fence(losses.iter().map(|(_, loss)| *loss));
    let beyond = losses.iter().filter(|(_, loss)| *loss > top).count();
    let held = losses.iter().map(|(_, loss)| *loss).filter(|loss| *loss <= top).chain([medoid.expected_loss]);
    let mut y = Axis::around("expected loss", held);
    if beyond > 0 {
        y.high += 0.06 * (y.high - y.low);
    }
    let edge = y.high - 0.02 * (y.high - y.low);
    let every = losses.len().div_ceil(presentation.most_draws);
    let values: Vec<(usize, f64)> =
        losses.iter().filter(|(_, loss)| *loss <= top).copied().step_by(every.max(1)).collect();
    let far: Vec<[f64; 2]> = losses.iter().filter(|(_, loss)| *loss > top).map(|&(m, _)| [m as f64, edge]).collect();
    let far = Dots { at: far, marker: Marker::Triangle, radius: 3.6, color: Color::GREY, opacity: 1.0, group: None };
    let mut trace = Panel::new(Axis::linear("draw", 0.0, draws.len() as f64), y.clone())
        .sized(380.0, 300.0)
        .with_all(chain_layers(draws.chains(), &values))
        .with(Layer::Dots(far));
    let mut figure_legend = Vec::new();
    let least = Stroke::new(Color::INK, 1.0).dashed(Dash::Dashed);
    trace = trace.with(Layer::Rule { at: Crossing::Y(medoid.expected_loss), stroke: least });
    let best = presentation.medoid_name();
    let mut named = vec![(medoid.draw, medoid.expected_loss, Marker::Diamond, Color::VERMILION, best)];
    if let Some(other) = medoid.runner_up {
        named.push((other.draw, other.expected_loss, Marker::Square, Color(0x00, 0x9e, 0x73), "runner-up"));
    }
    for (m, loss, marker, color, name) in named.into_iter().rev() {
        let at = vec![[m as f64, loss]];
        for (radius, color) in [(7.0, Color::WHITE), (5.5, color)] {
            trace = trace.with(Layer::Dots(Dots { at: at.clone(), marker, radius, color, opacity: 1.0, group: None }));
        }
        figure_legend.insert(0, (Key::Point(marker, color), format!("{name} (draw {m}): {}", significant(loss, 5))));
    }
    if beyond > 0 {
        figure_legend.push((Key::Point(Marker::Triangle, Color::GREY), "above the frame".to_owned()));
    }
    let bars = histogram(&losses, &y);
    let most = bars.iter().map(|bar| bar.1).max().unwrap_or(1) as f64;
    let side = Panel::new(
        Axis::linear("draws", 0.0, 1.05 * most),
        Axis { label: String::new(), ..y }.with_ticks(Ticks::Hidden),
    )
    .sized(110.0, 300.0)
    .with_all(bars.iter().filter(|bar| bar.1 > 0).map(|&([low, high], count)| Layer::Area {
        rings: vec![vec![[0.0, low], [count as f64, low], [count as f64, high], [0.0, high]]],
        fill: Fill { color: Color::GREY, opacity: 0.7 },
        outline: None,
    }));
    let description = format!(
        "Expected losses of {} draws, least {} at draw {}.",
        losses.len(),
        significant(medoid.expected_loss, 5),
        medoid.draw
    );
    let which = match losses.len() < draws.len() {
        true => format!("{} of {}", losses.len(), count(draws.len(), "draw")),
        false => "each draw".to_owned(),
    };
    let caption = format!(
        "Expected loss of {which} over all {} ({}); colours are chains, the dashed line is the least of all.{}",
        draws.len(),
        presentation.distance_text(),
        beyond_text(beyond, "above the frame")
    );
    let mut figure = Figure::grid(2, vec![Some(trace), Some(side)]).described(description, caption);
    for (key, text) in figure_legend {
        figure = figure.with_legend(key, text);
    }
    Ok(figure)
}

/// Losses over all draws, of all of them or of some.
fn losses(presentation: &Presentation) -> Result<Vec<(usize, f64)>> {
    if let Some(losses) = &presentation.summary().medoid.expected_losses {
        return Ok(losses.iter().copied().enumerate().collect());
    }
    let (draws, settings) = (presentation.need_draws()?, presentation.settings());
    let landmarks = presentation.landmarks()?;
    let share = 1.0 / draws.len() as f64;
    let loss = |row: &[f64]| -> f64 {
        let weight = |m: usize| draws.draw_weights().map_or(share, |weights| weights[m]);
        let of = |distance: f64| match settings.loss {
            Loss::Distance => distance,
            Loss::Power => settings.order.power(distance),
        };
        row.iter().enumerate().map(|(m, &distance)| weight(m) * of(distance)).sum()
    };
    let rows = landmarks.rows.chunks_exact(draws.len());
    Ok(landmarks.draws.iter().zip(rows).map(|(&m, row)| (m, loss(row))).collect())
}

fn histogram(losses: &[(usize, f64)], axis: &Axis) -> Vec<([f64; 2], usize)> {
    let width = (axis.high - axis.low) / BARS as f64;
    let mut counts = vec![0; BARS];
    for (_, loss) in losses.iter().filter(|(_, loss)| *loss <= axis.high) {
        counts[((axis.fraction(*loss) * BARS as f64) as usize).min(BARS - 1)] += 1;
    }
    let edges = |i: usize| [axis.low + i as f64 * width, axis.low + (i as f64 + 1.0) * width];
    counts.into_iter().enumerate().map(|(i, count)| (edges(i), count)).collect()
}
