//! The draws on a map, with the chosen one, the runner-up and the ball that holds 95 % of the posterior.

use std::borrow::Cow;

use mixgist::{Ensemble, Result, SlicedDistance};

use crate::figure::{Axis, Dash, Figure, Fill, Key, Layer, Panel, Points, Side, Stroke, Ticks};
use crate::mds::landmark_map;
use crate::palette::{Color, Marker};
use crate::replay::{Replay, slice_text, stand_in};
use crate::subject::Subject;
use crate::words::{percent, significant};

/// Landmarks of the map: their pairs cost little, and more do not change the picture.
const LANDMARKS: usize = 200;
/// Slices of the distances on the map: their error is far below the width of a mark.
const SLICES: usize = 64;

pub fn draw(subject: &Subject) -> Result<Figure> {
    let (summary, replay) = (subject.summary, Replay::new(subject)?);
    let draws = replay.draws.len();
    // An estimate that is no draw has its place behind them.
    let (all, estimate) = match subject.is_free() {
        true => {
            let own = Ensemble::from_measures(std::slice::from_ref(&replay.estimate))?;
            let draws_alike = replay.draws.clone().into_owned().without_draw_weights();
            (Cow::Owned(Ensemble::concatenate(&[&draws_alike, &own])?), draws)
        }
        false => (Cow::Borrowed(&*replay.draws), summary.draw),
    };
    let mut landmarks: Vec<usize> = (0..draws).step_by(draws.div_ceil(LANDMARKS)).collect();
    landmarks.extend([Some(estimate), Some(summary.draw), summary.runner_up].into_iter().flatten());
    landmarks.sort_unstable();
    landmarks.dedup();
    let slices = replay.slices(SLICES)?;
    let distance = SlicedDistance::new(&*slices, replay.order);
    let rows = distance.draw_rows(&landmarks, &all, subject.progress)?;
    let map = landmark_map(&rows, &landmarks, all.len());

    let ball = subject.ball()?;
    let radius = ball.radius;
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..draws).partition(|&m| summary.distances[m] <= radius);
    let [cx, cy] = map.at[estimate];
    let circle: Vec<[f64; 2]> = (0..120)
        .map(|i| std::f64::consts::TAU * f64::from(i) / 120.0)
        .map(|angle| [cx + radius * angle.cos(), cy + radius * angle.sin()])
        .collect();
    let shown = map.at.iter().chain(&circle);
    let x = Axis::around("first axis of the map", shown.clone().map(|p| p[0]));
    let y = Axis::around("second axis of the map", shown.map(|p| p[1]));
    // One unit is equally long on both axes.
    let (wide, high) = (x.high - x.low, y.high - y.low);
    let (width, height) = if wide > high { (430.0, 430.0 * high / wide) } else { (430.0 * wide / high, 430.0) };

    let mark = |at: Vec<[f64; 2]>, marker, radius, color, opacity| {
        Layer::Points(Points { at, marker, radius, color, opacity, group: None })
    };
    let every = draws.div_ceil(subject.most_draws);
    let places = |of: &[usize]| of.iter().filter(|m| *m % every == 0).map(|&m| map.at[m]).collect::<Vec<_>>();
    let size = if draws > 3000 { 1.3 } else { 2.0 };
    let faint = Color::BLUE.mix(Color::WHITE, 0.35);
    let mut panel = Panel::new(x.with_ticks(Ticks::Auto), y)
        .sized(width.max(120.0), height.max(120.0))
        .with(Layer::Area {
            rings: vec![circle],
            fill: Fill { color: Color::BLUE, opacity: 0.05 },
            outline: Some(Stroke::new(Color::BLUE, 1.2).dashed(Dash::Dashed)),
        })
        .with(mark(places(&outside), Marker::Cross, size, Color::GREY, 0.8))
        .with(mark(places(&inside), Marker::Circle, size, faint, 0.7));
    let mut figure_legend = vec![
        (Key::Point(Marker::Circle, faint), format!("draw within the ball ({})", inside.len())),
        (Key::Point(Marker::Cross, Color::GREY), format!("draw outside ({})", outside.len())),
        (Key::Line(Stroke::new(Color::BLUE, 1.2).dashed(Dash::Dashed)), "95 % ball around the estimate".to_owned()),
    ];
    let ink = Color(0, 0, 0);
    // The second is smaller and in front, so that both are seen where they lie close together.
    let mut named = vec![(estimate, Marker::Diamond, 7.0, Color::VERMILION, "estimate")];
    let green = Color(0x00, 0x9e, 0x73);
    named.extend(match subject.is_free() {
        true => Some((summary.draw, Marker::Square, 4.2, green, "medoid")),
        false => summary.runner_up.map(|m| (m, Marker::Square, 4.2, green, "runner-up")),
    });
    let farthest: Vec<[f64; 2]> = ball.farthest.iter().map(|member| map.at[member.draw]).collect();
    panel = panel.with(mark(farthest, Marker::TriangleDown, 4.0, Color::INK, 0.9));
    figure_legend.push((Key::Point(Marker::TriangleDown, Color::INK), "most distant in the ball".to_owned()));
    for (place, (m, marker, radius, color, name)) in named.into_iter().enumerate() {
        let at = map.at[m];
        panel = panel.with(mark(vec![at], marker, radius + 1.2, Color::WHITE, 1.0));
        panel = panel.with(mark(vec![at], marker, radius, color, 1.0));
        let text = if m < draws { format!("{name} (draw {m})") } else { name.to_owned() };
        figure_legend.insert(place, (Key::Point(marker, color), text));
        if name == "estimate" {
            panel = panel.with(Layer::Text { at, text: name.into(), side: Side::Above, color: ink });
        }
    }
    let description = format!(
        "Map of {draws} posterior draws; {} of them lie within the ball of radius {} around the estimate.",
        inside.len(),
        significant(radius, 4)
    );
    let caption = format!(
        "Each mark is a draw; the nearer, the more alike ({} distances with {}, classical scaling of {} landmarks, the other \
         draws projected). The two axes show {:.0} % of the squared distances. The 95 % ball, of radius {}, holds {} of \
         the posterior; marks say whether a draw is within, because distances on the map can only be shorter than they are.{}{}",
        summary.distance,
        slice_text(summary, SLICES),
        landmarks.len(),
        100.0 * map.share,
        significant(radius, 4),
        percent(ball.probability.value),
        if every > 1 { format!(" Every {every}th draw is shown.") } else { String::new() },
        stand_in(subject)
    );
    let mut figure = Figure::single(panel).described(description, caption);
    for (key, text) in figure_legend {
        figure = figure.with_legend(key, text);
    }
    Ok(figure)
}
