//! The expected loss of free estimates against their number of atoms, beside the medoid's and the floor.

use mixgist::Result;
use mixgist_io::{JudgementDocument, PathDocument};

use super::rows::mark;
use crate::figure::{Axis, Crossing, Dash, Figure, Fill, Key, Layer, Panel, Points, Stroke, Ticks};
use crate::palette::{Color, Marker};
use crate::subject::Subject;
use crate::ticks::Tick;
use crate::words::{significant, within};

const FITTED: Color = Color(0x00, 0x9e, 0x73);
const ERROR: Fill = Fill { color: Color::BLUE, opacity: 0.5 };

pub fn draw(subject: &Subject) -> Result<Figure> {
    let path = subject.path()?;
    let assessment = &path.assessment;
    let free =
        assessment.free.as_ref().ok_or_else(|| mixgist::Error::usage("there is no path over numbers of atoms"))?;
    let (points, medoid) = (&free.path, &assessment.medoid);
    let Some(chosen) = points.get(free.chosen) else {
        return Err(mixgist::Error::input("the summary is damaged: its path does not hold the chosen point"));
    };
    let held = |judgement: &JudgementDocument| judgement.held_out.as_ref().map(|held| held.expected_loss);
    let fitted = |point: &PathDocument| Some(point.judgement.expected_loss);
    let curve = |loss: &dyn Fn(&PathDocument) -> Option<f64>| -> Vec<[f64; 2]> {
        points.iter().filter_map(|point| Some([point.atoms as f64, loss(point)?])).collect()
    };

    let rule = |at: f64, color, dash| Layer::Rule { at: Crossing::Y(at), stroke: Stroke::new(color, 1.4).dashed(dash) };
    let mut panels = Vec::new();
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
        let near = Layer::Area {
            rings: vec![vec![[0.0, best], [1e3, best], [1e3, 1.01 * best], [0.0, 1.01 * best]]],
            fill: Fill { color: Color::INK, opacity: 0.08 },
            outline: None,
        };
        let mut panel = Panel::new(counts(points), losses(&judged, line, best))
            .sized(290.0, 260.0)
            .titled("held-out slices")
            .with(near)
            .with(rule(line, Color::VERMILION, Dash::Dashed));
        let stroke = Stroke::new(ERROR.color, 3.5).with_opacity(ERROR.opacity);
        panel = panel.with_all(bars.into_iter().map(|bar| Layer::Line { path: bar.to_vec(), stroke }));
        panels.push(Some(with_curve(
            panel,
            judged,
            Color::BLUE,
            Marker::Circle,
            chosen.atoms,
            held(&chosen.judgement),
        )));
    }
    let own = curve(&fitted);
    let panel = Panel::new(counts(points), losses(&own, medoid.expected_loss, assessment.floor))
        .sized(290.0, 260.0)
        .titled("fitted slices")
        .with(rule(medoid.expected_loss, Color::VERMILION, Dash::Dashed))
        .with(rule(assessment.floor, Color::INK, Dash::Solid));
    panels.push(Some(with_curve(panel, own, FITTED, Marker::Square, chosen.atoms, fitted(chosen))));

    let top = losses(&curve(&fitted), medoid.expected_loss, assessment.floor).high;
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
         nothing was fitted to, ± one standard error of the difference from the best; the chosen k (circled) is the smallest within three \
         standard errors of the best, or within 1 % of it (grey). Right: under the slices of the fit, for which no summary of any kind \
         can be below the floor, {}.{}{}",
        path.how,
        assessment.held_out_slices,
        significant(assessment.floor, 4),
        match points.iter().any(|point| point.judgement.expected_loss > top) {
            true => " Fits with too few atoms lie beyond the upper edge; the table has them.",
            false => "",
        },
        subject.stand_in()
    );
    let line = |color, dash| Key::Line(Stroke::new(color, 1.4).dashed(dash));
    Ok(Figure::grid(2, panels)
        .described(description, caption)
        .with_legend(Key::Point(Marker::Circle, Color::BLUE), "free estimate, held out")
        .with_legend(Key::Point(Marker::Square, FITTED), "free estimate, fitted")
        .with_legend(line(Color::VERMILION, Dash::Dashed), "medoid")
        .with_legend(line(Color::INK, Dash::Solid), "floor"))
}

/// The axis of numbers of atoms: a mark at each, as many with a number as there is room for.
fn counts(points: &[PathDocument]) -> Axis {
    let every = points.len().div_ceil(10);
    let tick = |(i, point): (usize, &PathDocument)| Tick {
        at: point.atoms as f64,
        text: if i % every == 0 { point.atoms.to_string() } else { String::new() },
    };
    let ticks = points.iter().enumerate().map(tick).collect();
    Axis::around("atoms k", points.iter().map(|point| point.atoms as f64)).with_ticks(Ticks::At(ticks))
}

/// The axis of losses. A single atom can be many times worse than the rest, which would press all that matters into a line: the axis
/// ends where the gap between the least and the medoid is seen well.
fn losses(curve: &[[f64; 2]], medoid: f64, least: f64) -> Axis {
    let least = curve.iter().map(|point| point[1]).fold(least.min(medoid), f64::min);
    let top = (least + 3.5 * (medoid - least)).max(1.15 * least);
    let within = curve.iter().map(|point| point[1]).filter(|loss| *loss <= top);
    Axis::around("expected loss", within.chain([medoid, least]))
}

/// A curve with the chosen point circled.
fn with_curve(
    panel: Panel,
    curve: Vec<[f64; 2]>,
    color: Color,
    marker: Marker,
    chosen: usize,
    loss: Option<f64>,
) -> Panel {
    let mut panel = panel.with(Layer::Line { path: curve.clone(), stroke: Stroke::new(color, 1.4) });
    if let Some(loss) = loss {
        let at = [chosen as f64, loss];
        panel = panel.with(mark(at, Marker::Circle, 8.0, Color::INK)).with(mark(at, Marker::Circle, 6.4, Color::WHITE));
    }
    panel.with(Layer::Points(Points { at: curve, marker, radius: 3.4, color, opacity: 1.0, group: None }))
}
