//! The draws around the estimate: how far each is from it, and in which direction, with the ball that holds 95 % of the posterior.

use mixgist::Result;
use mixgist::narrative::numbers::{capitalised, every as every_n, percent, significant};

use super::beyond_text;
use crate::figure::{Axis, Dash, Dots, Figure, Fill, Key, Layer, Panel, Side, Stroke};
use crate::mds::landmark_map;
use crate::palette::{Color, Marker};
use crate::presentation::Presentation;

/// Draws that are farther than so many radii of the ball do not set the frame: they are at its edge.
const FARTHEST: f64 = 2.0;

/// Where the draws are.
struct Places {
    /// One for each draw, the estimate being in the middle.
    at: Vec<[f64; 2]>,
    /// Share of the squared distances between landmarks that two axes show.
    share: f64,
    landmarks: usize,
}

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let summary = presentation.summary();
    let ball = &presentation.credible()?.ball;
    let (radius, distances) = (ball.radius, &summary.distances);
    let draws = distances.len();
    let farthest = distances.iter().copied().fold(radius, f64::max);
    let near = distances.iter().copied().filter(|distance| *distance <= FARTHEST * radius).fold(radius, f64::max);
    let limit = if radius > 0.0 && farthest > near { 1.15 * near } else { farthest };
    let places = places(presentation, limit)?;
    let half = 1.07 * if limit > 0.0 { limit } else { 1.0 };
    let axis = |name: &str| Axis::linear(name, -half, half);

    let within = |m: &usize| distances[*m] <= radius * (1.0 + 1e-12);
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..draws).partition(within);
    let (beyond, outside): (Vec<usize>, Vec<usize>) = outside.into_iter().partition(|&m| distances[m] > limit);
    let circle: Vec<[f64; 2]> = (0..120)
        .map(|i| std::f64::consts::TAU * f64::from(i) / 120.0)
        .map(|angle| [radius * angle.cos(), radius * angle.sin()])
        .collect();
    let mark = |at: Vec<[f64; 2]>, marker, radius, color, opacity| {
        Layer::Dots(Dots { at, marker, radius, color, opacity, group: None })
    };
    let every = draws.div_ceil(presentation.most_draws).max(1);
    let some = |of: &[usize]| of.iter().filter(|m| *m % every == 0).map(|&m| places.at[m]).collect::<Vec<_>>();
    let size = if draws > 3000 { 1.3 } else { 2.0 };
    let faint = Color::BLUE.mix(Color::WHITE, 0.35);
    let ball_line = Stroke::new(Color::BLUE, 1.2).dashed(Dash::Dashed);
    let mut panel = Panel::new(axis("distance from the estimate"), axis("distance from the estimate"))
        .sized(400.0, 400.0)
        .with(Layer::Area {
            rings: vec![circle],
            fill: Fill { color: Color::BLUE, opacity: 0.05 },
            outline: Some(ball_line),
        })
        .with(mark(some(&outside), Marker::Plus, size, Color::GREY, 0.8))
        .with(mark(some(&inside), Marker::Circle, size, faint, 0.7))
        .with(mark(beyond.iter().map(|&m| places.at[m]).collect(), Marker::Triangle, 3.6, Color::GREY, 1.0));
    let mut legend = vec![
        (Key::Point(Marker::Circle, faint), format!("draw in the ball ({})", inside.len())),
        (Key::Point(Marker::Plus, Color::GREY), format!("draw outside ({})", outside.len() + beyond.len())),
        (Key::Line(ball_line), "95 % ball around the estimate".to_owned()),
    ];
    if !beyond.is_empty() {
        legend.push((Key::Point(Marker::Triangle, Color::GREY), format!("farther ({})", beyond.len())));
    }
    let edge: Vec<[f64; 2]> = ball.farthest.iter().map(|member| places.at[member.draw]).collect();
    panel = panel.with(mark(edge, Marker::TriangleDown, 4.0, Color::INK, 0.9));
    legend.push((Key::Point(Marker::TriangleDown, Color::INK), "farthest in the ball".to_owned()));
    let green = Color(0x00, 0x9e, 0x73);
    let medoid = &summary.medoid;
    let second = match presentation.is_free() {
        true => Some((medoid.draw, "medoid")),
        false => medoid.runner_up.map(|other| (other.draw, "runner-up")),
    };
    let own = if presentation.is_free() { "estimate".into() } else { format!("estimate (draw {})", medoid.draw) };
    legend.insert(0, (Key::Point(Marker::Diamond, Color::VERMILION), own));
    panel = panel.with(mark(vec![[0.0; 2]], Marker::Diamond, 8.2, Color::WHITE, 1.0)).with(mark(
        vec![[0.0; 2]],
        Marker::Diamond,
        7.0,
        Color::VERMILION,
        1.0,
    ));
    // The second is smaller and in front, so that both are seen where they lie close together.
    if let Some((m, name)) = second {
        panel = panel.with(mark(vec![places.at[m]], Marker::Square, 5.4, Color::WHITE, 1.0)).with(mark(
            vec![places.at[m]],
            Marker::Square,
            4.2,
            green,
            1.0,
        ));
        legend.insert(1, (Key::Point(Marker::Square, green), format!("{name} (draw {m})")));
    }
    panel = panel.with(Layer::Text { at: [0.0; 2], text: "estimate".into(), side: Side::Above, color: Color(0, 0, 0) });
    let description = format!(
        "{draws} posterior draws around the estimate; {} of them lie within the ball of radius {}.",
        inside.len(),
        significant(radius, 4)
    );
    let caption = format!(
        "Each mark is a draw, as far from the estimate in the middle as it is ({}). Its direction comes from classical scaling of {} draws, \
         of whose squared distances two axes show {:.0} %: draws in the same direction are alike as far as these axes tell. The 95 % ball, of \
         radius {}, holds {} of the posterior.{}{}",
        presentation.distance_text(),
        places.landmarks,
        100.0 * places.share,
        significant(radius, 4),
        percent(ball.probability.value),
        beyond_text(beyond.len(), "farther than the frame reaches"),
        if every > 1 { format!(" {} is shown.", capitalised(&every_n(every, "draw"))) } else { String::new() },
    );
    let mut figure = Figure::single(panel).described(description, caption);
    for (key, text) in legend {
        figure = figure.with_legend(key, text);
    }
    Ok(figure)
}

/// Places the draws: at their distances from the estimate, at most `limit`, in the directions of a map of those that are not beyond it, so that
/// a few that are far away do not take an axis of the map for themselves.
fn places(presentation: &Presentation, limit: f64) -> Result<Places> {
    let (landmarks, distances) = (presentation.landmarks()?, &presentation.summary().distances);
    let draws = distances.len();
    // The estimate has its place behind the draws, whether it is one of them or not.
    let points = draws + 1;
    let (mut rows, mut chosen) = (Vec::new(), Vec::new());
    for (&m, row) in landmarks.draws.iter().zip(landmarks.rows.chunks_exact(draws)) {
        if distances[m] <= limit {
            rows.extend_from_slice(row);
            rows.push(distances[m]);
            chosen.push(m);
        }
    }
    rows.extend_from_slice(distances);
    rows.push(0.0);
    chosen.push(draws);
    let map = landmark_map(&rows, &chosen, points);
    let [cx, cy] = map.at[draws];
    let place = |m: usize| {
        let (x, y) = (map.at[m][0] - cx, map.at[m][1] - cy);
        let (length, distance) = (x.hypot(y), distances[m].min(limit));
        if length > 0.0 { [x * distance / length, y * distance / length] } else { [distance, 0.0] }
    };
    Ok(Places { at: (0..draws).map(place).collect(), share: map.share, landmarks: chosen.len() - 1 })
}
