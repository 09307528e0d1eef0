//! The expected loss of every draw, with the least one marked.

use mixgist::{Result, SlicedDistance};

use super::traces::chain_layers;
use crate::figure::{Axis, Crossing, Dash, Figure, Fill, Key, Layer, Panel, Points, Stroke, Ticks};
use crate::palette::{Color, Marker};
use crate::replay::{Replay, slice_text, stand_in};
use crate::subject::Subject;
use crate::words::significant;

/// Where the summary does not have the losses, those of at most so many draws are computed.
const MOST_DRAWS: usize = 1000;
/// Slices for that: the picture shows no more.
const SLICES: usize = 64;
/// Bars of the histogram.
const BARS: usize = 40;

pub fn draw(subject: &Subject) -> Result<Figure> {
    let draws = subject.need_draws()?;
    let summary = subject.summary;
    let (losses, how) = losses(subject)?;
    let y = Axis::around("expected loss", losses.iter().map(|(_, loss)| *loss));
    let trace = Panel::new(Axis::linear("draw", 0.0, draws.len() as f64), y.clone()).sized(380.0, 300.0);
    let every = losses.len().div_ceil(subject.most_draws);
    let values: Vec<(usize, f64)> = losses.iter().copied().step_by(every).collect();
    let mut trace = trace.with_all(chain_layers(draws.chains(), &values));
    let mut figure_legend = Vec::new();
    let least = Stroke::new(Color::INK, 1.0).dashed(Dash::Dashed);
    trace = trace.with(Layer::Rule { at: Crossing::Y(summary.expected_loss), stroke: least });
    let best = if subject.is_free() { "medoid" } else { "estimate" };
    let mut named = vec![(summary.draw, summary.expected_loss, Marker::Diamond, Color::VERMILION, best)];
    if let (Some(m), Some(loss)) = (summary.runner_up, summary.runner_up_expected_loss) {
        named.push((m, loss, Marker::Square, Color(0x00, 0x9e, 0x73), "runner-up"));
    }
    for (m, loss, marker, color, name) in named.into_iter().rev() {
        let at = vec![[m as f64, loss]];
        for (radius, color) in [(7.0, Color::WHITE), (5.5, color)] {
            trace =
                trace.with(Layer::Points(Points { at: at.clone(), marker, radius, color, opacity: 1.0, group: None }));
        }
        figure_legend.insert(0, (Key::Point(marker, color), format!("{name} (draw {m}): {}", significant(loss, 5))));
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
        significant(summary.expected_loss, 5),
        summary.draw
    );
    let caption = format!(
        "Expected {} loss of each draw against all {} draws ({how}); colours are chains, the dashed line is the least.{}",
        summary.distance,
        draws.len(),
        if summary.expected_losses.is_some() { String::new() } else { stand_in(subject) }
    );
    let mut figure = Figure::grid(2, vec![Some(trace), Some(side)]).described(description, caption);
    for (key, text) in figure_legend {
        figure = figure.with_legend(key, text);
    }
    Ok(figure)
}

/// Losses of all draws or of some, and how they were got.
fn losses(subject: &Subject) -> Result<(Vec<(usize, f64)>, String)> {
    let summary = subject.summary;
    if let Some(losses) = &summary.expected_losses {
        let all = losses.iter().copied().enumerate().collect();
        return Ok((all, format!("all of them, {} slices", summary.slices)));
    }
    let replay = Replay::new(subject)?;
    let draws = replay.draws.len();
    let step = draws.div_ceil(MOST_DRAWS);
    let rows: Vec<usize> = (0..draws).step_by(step).collect();
    let slices = replay.slices(SLICES)?;
    let some = replay.draws.select(&rows)?;
    let matrix = SlicedDistance::new(&*slices, replay.order).matrix(&some, subject.progress)?;
    let weight = |j: usize| some.draw_weights().map_or(1.0 / rows.len() as f64, |weights| weights[j]);
    let loss = |i: usize| -> f64 {
        let distances = (0..rows.len()).map(|j| (weight(j), matrix.distances.get(i, j)));
        distances.map(|(weight, distance)| weight * replay.loss_of(distance)).sum()
    };
    let losses = rows.iter().enumerate().map(|(i, &m)| (m, loss(i))).collect();
    let which = if step > 1 { format!("every {step}th draw against each other") } else { "all of them".into() };
    Ok((losses, format!("{which}, {}", slice_text(summary, SLICES))))
}

fn histogram(losses: &[(usize, f64)], axis: &Axis) -> Vec<([f64; 2], usize)> {
    let width = (axis.high - axis.low) / BARS as f64;
    let mut counts = vec![0; BARS];
    for (_, loss) in losses {
        counts[((axis.fraction(*loss) * BARS as f64) as usize).min(BARS - 1)] += 1;
    }
    let edges = |i: usize| [axis.low + i as f64 * width, axis.low + (i as f64 + 1.0) * width];
    counts.into_iter().enumerate().map(|(i, count)| (edges(i), count)).collect()
}
