//! The expected losses of estimate and runner-up against the number of slices.

use mixgist::{Result, SlicedDistance};

use crate::figure::{Axis, Crossing, Dash, Figure, Fill, Key, Layer, Panel, Points, Stroke};
use crate::palette::{Color, Marker};
use crate::replay::{Replay, stand_in};
use crate::subject::Subject;
use crate::words::significant;

/// The loss is averaged over at most so many draws, evenly spread.
const MOST_DRAWS: usize = 200;

const BAND: Fill = Fill { color: Color::BLUE, opacity: 0.15 };

pub fn draw(subject: &Subject) -> Result<Figure> {
    let (summary, replay) = (subject.summary, Replay::new(subject)?);
    let chosen: Vec<usize> = [Some(summary.draw), summary.runner_up].into_iter().flatten().collect();
    let estimates: Vec<_> = chosen.iter().map(|&m| replay.draws.draw(m)).collect();
    let every = replay.draws.len().div_ceil(MOST_DRAWS);
    let some = replay.draws.select(&(0..replay.draws.len()).step_by(every).collect::<Vec<_>>())?;
    let counts = slice_counts(summary.slices);
    let mut curves = vec![Vec::new(); chosen.len()];
    for &count in &counts {
        let slices = replay.slices(count)?;
        let distance = SlicedDistance::new(&*slices, replay.order);
        let losses = distance.expected_losses(&estimates, &some, replay.loss, subject.progress)?;
        for (curve, loss) in curves.iter_mut().zip(losses) {
            curve.push([count as f64, loss]);
        }
    }
    let most = summary.slices as f64;
    let last = curves[0].last().map_or(summary.expected_loss, |point| point[1]);
    let mut layers = Vec::new();
    // The error shrinks with the root of L for independent slices; other schemes have another rate.
    let funnel = summary.expected_loss_se.filter(|_| matches!(summary.scheme.as_str(), "iid" | "orthogonal"));
    if let Some(se) = funnel {
        let edge = |sign: f64| {
            let at = move |l: f64| [l, last + sign * 1.96 * se * (most / l).sqrt()];
            (0..=60).map(move |i| at(most.powf(f64::from(i) / 60.0))).collect::<Vec<_>>()
        };
        let mut ring = edge(1.0);
        ring.extend(edge(-1.0).into_iter().rev());
        layers.push(Layer::Area { rings: vec![ring], fill: BAND, outline: None });
    }
    let rule = Stroke::new(Color::INK, 1.0).dashed(Dash::Dashed);
    layers.push(Layer::Rule { at: Crossing::Y(last), stroke: rule });
    let looks = [
        (Color::BLUE, Marker::Circle, Dash::Solid, if subject.is_free() { "medoid" } else { "estimate" }),
        (Color::VERMILION, Marker::Triangle, Dash::Dotted, "runner-up"),
    ];
    for (curve, (color, marker, dash, _)) in curves.iter().zip(looks).rev() {
        layers.push(Layer::Line { path: curve.clone(), stroke: Stroke::new(color, 1.6).dashed(dash) });
        layers.push(Layer::Points(Points { at: curve.clone(), marker, radius: 2.8, color, opacity: 1.0, group: None }));
    }
    let x = Axis::log("slices L", 0.9, 1.1 * most.max(2.0));
    let y = Axis::around("expected loss", curves.iter().flatten().map(|p| p[1]));
    let description = format!(
        "Expected loss of draw {} against the number of slices, {} with {}.",
        summary.draw,
        significant(summary.expected_loss, 5),
        summary.slices
    );
    let spread = match funnel {
        Some(_) => " The shaded funnel is where 95 % of estimates with L slices fall.",
        None => "",
    };
    let caption = format!(
        "Expected {} loss over {} draws from the first L slices; the dashed line is the value with all {}.{spread}{}",
        summary.distance,
        if every > 1 { format!("{} of {}", some.len(), replay.draws.len()) } else { some.len().to_string() },
        summary.slices,
        stand_in(subject)
    );
    let mut figure =
        Figure::single(Panel::new(x, y).sized(460.0, 300.0).with_all(layers)).described(description, caption);
    for (m, (color, marker, _, name)) in chosen.iter().zip(looks) {
        figure = figure.with_legend(Key::Point(marker, color), format!("{name} (draw {m})"));
    }
    if funnel.is_some() {
        figure = figure.with_legend(Key::Area(BAND), "95 % of estimates with L slices");
    }
    Ok(figure)
}

/// 1, 2, 5, 10, … and the last one.
fn slice_counts(most: usize) -> Vec<usize> {
    let mut counts = Vec::new();
    let mut power = 1;
    while power < most {
        counts.extend([1, 2, 5].map(|digit| digit * power).into_iter().filter(|count| *count < most));
        power *= 10;
    }
    counts.push(most);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_end_with_all_slices() {
        assert_eq!(slice_counts(1), [1]);
        assert_eq!(slice_counts(60), [1, 2, 5, 10, 20, 50, 60]);
        assert_eq!(slice_counts(1000), [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    }
}
