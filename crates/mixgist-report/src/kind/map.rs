//! The draws on a map, with the chosen one, the runner-up and the ball that holds 95 % of the posterior.

use mixgist::{Result, SlicedDistance};

use crate::figure::{Axis, Dash, Figure, Fill, Key, Layer, Panel, Points, Side, Stroke, Ticks};
use crate::mds::landmark_map;
use crate::palette::{Color, Marker};
use crate::replay::Replay;
use crate::subject::Subject;

/// Landmarks of the map: their pairs cost little, and more do not change the picture.
const LANDMARKS: usize = 200;
/// Slices of the distances on the map: their error is far below the width of a mark.
const SLICES: usize = 64;
/// Probability of the ball.
const LEVEL: f64 = 0.95;

pub fn draw(subject: &Subject) -> Result<Figure> {
    let (summary, replay) = (subject.summary, Replay::new(subject)?);
    let draws = replay.draws.len();
    let mut landmarks: Vec<usize> = (0..draws).step_by(draws.div_ceil(LANDMARKS)).collect();
    landmarks.extend([Some(summary.draw), summary.runner_up].into_iter().flatten());
    landmarks.sort_unstable();
    landmarks.dedup();
    let slices = replay.slices(SLICES)?;
    let distance = SlicedDistance::new(&*slices, replay.order);
    let rows = distance.draw_rows(&landmarks, &replay.draws, subject.progress)?;
    let map = landmark_map(&rows, &landmarks, draws);

    let radius = ball_radius(&summary.distances, replay.draws.draw_weights());
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..draws).partition(|&m| summary.distances[m] <= radius);
    let [cx, cy] = map.at[summary.draw];
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
    let mut named = vec![(summary.draw, Marker::Diamond, Color::VERMILION, "estimate")];
    named.extend(summary.runner_up.map(|m| (m, Marker::Square, Color(0x00, 0x9e, 0x73), "runner-up")));
    for (m, marker, color, name) in named.into_iter().rev() {
        panel = panel.with(mark(vec![map.at[m]], marker, 7.0, Color::WHITE, 1.0)).with(mark(
            vec![map.at[m]],
            marker,
            5.5,
            color,
            1.0,
        ));
        figure_legend.insert(0, (Key::Point(marker, color), format!("{name} (draw {m})")));
        if name == "estimate" {
            panel = panel.with(Layer::Text { at: map.at[m], text: name.into(), side: Side::Above, color: ink });
        }
    }
    let description = format!(
        "Map of {draws} posterior draws; {} of them lie within the ball of radius {radius:.4} around draw {}, the estimate.",
        inside.len(),
        summary.draw
    );
    let caption = format!(
        "Each mark is a draw; the nearer, the more alike ({} distances with {}, classical scaling of {} landmarks, the other \
         draws projected). The two axes show {:.0} % of the squared distances. The ball of radius {radius:.4} holds 95 % of \
         the posterior; marks say whether a draw is within, because distances on the map can only be shorter than they are.{}",
        summary.distance,
        replay.count(SLICES),
        landmarks.len(),
        100.0 * map.share,
        if every > 1 { format!(" Every {every}th draw is shown.") } else { String::new() }
    );
    let mut figure = Figure::single(panel).described(description, caption);
    for (key, text) in figure_legend {
        figure = figure.with_legend(key, text);
    }
    Ok(figure)
}

/// The least radius that holds [`LEVEL`] of the draws' weight.
fn ball_radius(distances: &[f64], weights: Option<&[f64]>) -> f64 {
    let mut order: Vec<usize> = (0..distances.len()).collect();
    order.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]));
    let mut sum = 0.0;
    for &m in &order {
        sum += weights.map_or(1.0 / distances.len() as f64, |weights| weights[m]);
        if sum >= LEVEL - 1e-12 {
            return distances[m];
        }
    }
    order.last().map_or(0.0, |&m| distances[m])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ball_holds_its_share() {
        let distances: Vec<f64> = (0..100).map(|i| f64::from((i * 37) % 100)).collect();
        let radius = ball_radius(&distances, None);
        assert_eq!(distances.iter().filter(|d| **d <= radius).count(), 95);
        assert_eq!(ball_radius(&[0.0, 1.0, 5.0], Some(&[0.96, 0.02, 0.02])), 0.0);
    }
}
