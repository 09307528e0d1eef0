//! The expected loss of free estimates against their number of atoms, beside the medoid's and the floor.

use mixgist::narrative::ATOMS_CHOSEN;
use mixgist::narrative::numbers::{significant, within};
use mixgist::{AtomCount, Estimator, Judgement, PathPoint, Result};

use super::rows::mark;
use crate::figure::{Axis, Crossing, Dash, Dots, Figure, Fill, Key, Layer, Panel, Stroke, Ticks};
use crate::palette::{Color, Marker};
use crate::presentation::Presentation;
use crate::ticks::Tick;

const FITTED: Color = Color(0x00, 0x9e, 0x73);
const ERROR: Fill = Fill { color: Color::BLUE, opacity: 0.5 };

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let answer = presentation.free()?;
    let (Some(assessment), Some(free)) = (&answer.assessment, answer.free()) else {
        return Err(mixgist::Error::usage("there is no path over numbers of atoms"));
    };
    let floor = assessment.floor.value;
    let (points, medoid) = (&free.path, &assessment.medoid);
    let Some(chosen) = points.get(free.chosen) else {
        return Err(mixgist::Error::input("the summary is damaged: its path does not hold the chosen point"));
    };
    let held = |judgement: &Judgement| judgement.held_out.as_ref().map(|held| held.expected_loss);
    let fitted = |point: &PathPoint| Some(point.judgement.expected_loss);
    let curve = |loss: &dyn Fn(&PathPoint) -> Option<f64>| -> Vec<[f64; 2]> {
        points.iter().filter_map(|point| Some([point.atoms as f64, loss(point)?])).collect()
    };

    // What the frame must hold: the chosen point and its neighbours.
    let near = &points[free.chosen.saturating_sub(1)..(free.chosen + 2).min(points.len())];

    let rule = |at: f64, color, dash| Layer::Rule { at: Crossing::Y(at), stroke: Stroke::new(color, 1.4).dashed(dash) };
    let mut panels = Vec::new();
    let mut beyond = Vec::new();
    let judged = curve(&|point| held(&point.judgement));
    if let Some(line) = held(medoid).filter(|_| !judged.is_empty()) {
        let bars: Vec<[[f64; 2]; 2]> = points
            .iter()
            .filter_map(|point| {
                let (x, y, error) = (point.atoms as f64, held(&point.judgement)?, point.over_best_se);
                Some([[x, y - error], [x, y + error]])
            })
            .collect();
        let best = judged.iter().map(|point| point[1]).fold(f64::INFINITY, f64::min);
        let within_one_percent = Layer::Area {
            rings: vec![vec![[0.0, best], [1e3, best], [1e3, 1.01 * best], [0.0, 1.01 * best]]],
            fill: Fill { color: Color::INK, opacity: 0.08 },
            outline: None,
        };
        let needed = near.iter().filter_map(|point| held(&point.judgement)).chain([best]).collect();
        let mut panel = Panel::new(counts(points), losses(&judged, line, needed))
            .sized(290.0, 260.0)
            .titled("held-out slices")
            .with(within_one_percent)
            .with(rule(line, Color::VERMILION, Dash::Dashed));
        let stroke = Stroke::new(ERROR.color, 3.5).with_opacity(ERROR.opacity);
        panel = panel.with_all(bars.into_iter().map(|bar| Layer::Line { path: bar.to_vec(), stroke }));
        let chosen = held(&chosen.judgement).map(|loss| [chosen.atoms as f64, loss]);
        beyond.extend(beyond_edge(&panel, &judged));
        panels.push(Some(with_curve(panel, judged, Color::BLUE, Marker::Circle, chosen)));
    }
    let own = curve(&fitted);
    let needed = near.iter().filter_map(fitted).chain([floor]).collect();
    let panel = Panel::new(counts(points), losses(&own, medoid.expected_loss, needed))
        .sized(290.0, 260.0)
        .titled("fitted slices")
        .with(rule(medoid.expected_loss, Color::VERMILION, Dash::Dashed))
        .with(rule(floor, Color::INK, Dash::Solid));
    beyond.extend(beyond_edge(&panel, &own));
    let circled = fitted(chosen).map(|loss| [chosen.atoms as f64, loss]);
    panels.push(Some(with_curve(panel, own, FITTED, Marker::Square, circled)));
    beyond.sort_unstable();
    beyond.dedup();

    let description = format!(
        "Expected loss of free estimates with {} to {} atoms. The chosen one has at most {}, {}; the medoid is {}.",
        points.first().map_or(0, |point| point.atoms),
        points.last().map_or(0, |point| point.atoms),
        chosen.atoms,
        within(chosen.judgement.expected_loss, chosen.judgement.excess),
        within(medoid.expected_loss, medoid.excess)
    );
    let caption = format!(
        "Estimates that are not confined to the draws, with k atoms at most ({}, judged on {} others). Left: expected loss under slices that \
         nothing was fitted to, ± one standard error of the difference from the best; grey is within 1 % of the best. Circled: {}. Right: under the slices \
         of the fit, for which no summary of any kind can be below the floor, {}.{}",
        presentation.distance_text(),
        assessment.held_out_slices,
        match answer.about.settings.estimator {
            Estimator::Free(AtomCount::Fixed(_)) => "the number of atoms that was asked for",
            _ => ATOMS_CHOSEN,
        },
        significant(floor, 4),
        match beyond.is_empty() {
            true => String::new(),
            false => {
                let all: Vec<String> = beyond.iter().map(usize::to_string).collect();
                format!(" Beyond the upper edge, where the arrows point: k = {}.", all.join(", "))
            }
        }
    );
    let line = |color, dash| Key::Line(Stroke::new(color, 1.4).dashed(dash));
    let mut figure = Figure::grid(2, panels)
        .described(description, caption)
        .with_legend(Key::Point(Marker::Circle, Color::BLUE), "free estimate, held out")
        .with_legend(Key::Point(Marker::Square, FITTED), "free estimate, fitted")
        .with_legend(line(Color::VERMILION, Dash::Dashed), "medoid")
        .with_legend(line(Color::INK, Dash::Solid), "floor");
    if !beyond.is_empty() {
        figure = figure.with_legend(Key::Point(BEYOND, Color::GREY), "beyond the edge");
    }
    Ok(figure)
}

/// The mark at the upper edge for a point beyond it.
const BEYOND: Marker = Marker::Triangle;

/// Numbers of atoms whose loss lies beyond the upper edge of a panel.
fn beyond_edge(panel: &Panel, curve: &[[f64; 2]]) -> Vec<usize> {
    curve.iter().filter(|point| point[1] > panel.y.high).map(|point| point[0] as usize).collect()
}

/// The axis of numbers of atoms: a mark at each, as many with a number as there is room for.
fn counts(points: &[PathPoint]) -> Axis {
    let every = points.len().div_ceil(10);
    let tick = |(i, point): (usize, &PathPoint)| Tick {
        at: point.atoms as f64,
        text: if i % every == 0 { point.atoms.to_string() } else { String::new() },
    };
    let ticks = points.iter().enumerate().map(tick).collect();
    Axis::around("atoms k", points.iter().map(|point| point.atoms as f64)).with_ticks(Ticks::At(ticks))
}

/// The axis of losses: it holds all that is needed. A single atom can be many times worse than the rest, which would press all that
/// matters into a line: the axis ends where the gap between the least and the medoid is seen well.
fn losses(curve: &[[f64; 2]], medoid: f64, needed: Vec<f64>) -> Axis {
    let all = || needed.iter().copied().chain([medoid]);
    let least = curve.iter().map(|point| point[1]).chain(all()).fold(f64::INFINITY, f64::min);
    let top = all().fold((least + 3.5 * (medoid - least)).max(1.15 * least), f64::max);
    let (within, beyond): (Vec<f64>, Vec<f64>) = curve.iter().map(|point| point[1]).partition(|loss| *loss <= top);
    let mut axis = Axis::around("expected loss", within.into_iter().chain(all()));
    if !beyond.is_empty() {
        // Room for the arrows.
        axis.high += 0.06 * (axis.high - axis.low);
    }
    axis
}

/// A curve with the chosen point circled, and an arrow at the upper edge for each point beyond it.
fn with_curve(panel: Panel, curve: Vec<[f64; 2]>, color: Color, marker: Marker, chosen: Option<[f64; 2]>) -> Panel {
    let edge = panel.y.high - 0.03 * (panel.y.high - panel.y.low);
    let beyond: Vec<[f64; 2]> = beyond_edge(&panel, &curve).into_iter().map(|k| [k as f64, edge]).collect();
    let mut panel = panel.with(Layer::Line { path: curve.clone(), stroke: Stroke::new(color, 1.4) });
    if let Some(at) = chosen {
        panel = panel.with(mark(at, Marker::Circle, 8.0, Color::INK)).with(mark(at, Marker::Circle, 6.4, Color::WHITE));
    }
    panel
        .with(Layer::Dots(Dots { at: beyond, marker: BEYOND, radius: 4.2, color, opacity: 1.0, group: None }))
        .with(Layer::Dots(Dots { at: curve, marker, radius: 3.4, color, opacity: 1.0, group: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_holds_what_is_needed() {
        // All far above the floor, as with few atoms under a loss that more of them would lower much.
        let curve = [[1.0, 90.0], [2.0, 40.0], [3.0, 30.0], [4.0, 29.0]];
        let axis = losses(&curve, 2.0, vec![40.0, 30.0, 29.0, 1.0]);
        assert!(axis.low < 1.0 && axis.high > 40.0 && axis.high < 90.0, "{axis:?}");
        let panel = Panel::new(Axis::linear("", 0.0, 5.0), axis);
        assert_eq!(beyond_edge(&panel, &curve), [1]);
        // Each point beyond has an arrow within the frame.
        let panel = with_curve(panel, curve.to_vec(), Color::INK, Marker::Circle, Some([3.0, 30.0]));
        let arrows = panel.layers.iter().find_map(|layer| match layer {
            Layer::Dots(points) if points.marker == BEYOND => Some(points.at.clone()),
            _ => None,
        });
        let arrows = arrows.unwrap();
        assert_eq!(arrows.len(), 1);
        assert!(arrows[0][0] == 1.0 && (0.9..1.0).contains(&panel.y.fraction(arrows[0][1])));
        // What is near is shown, though it is not needed.
        let axis = losses(&[[1.0, 1.4], [2.0, 1.2], [3.0, 1.1]], 1.2, vec![1.1, 1.0]);
        assert!(axis.high > 1.4);
    }
}
