//! One panel for each mode of the posterior: the draw that stands for it, its density, atoms and clusters.

use mixgist::density::{Bounds, Interval};
use mixgist::representatives::Representative;
use mixgist::{GridDensity, Result};

use super::atoms::{SHARES, View, atom_layers, density_contours, observation_layers};
use super::bands::atom_curves;
use super::pairs::chosen;
use crate::figure::{Axis, Figure, Layer, Panel, Stroke};
use crate::palette::Color;
use crate::presentation::Presentation;
use mixgist::narrative::numbers::{count, significant};

/// Grid points per axis.
const COUNT: usize = 101;
/// More panels do not help.
const MOST: usize = 6;

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let document = presentation.representatives()?;
    let shown = document.representatives.len().min(MOST);
    let all = &document.representatives[..shown];
    let d = presentation.estimate().dim();
    let bounds = bounds(presentation, all)?;
    // All panels have one scale each way, so that they can be compared.
    let panels: Vec<Panel> = match d {
        1 => lines(presentation, all, &bounds)?,
        _ => planes(presentation, all, &bounds)?,
    };
    let columns = if shown == 4 { 2 } else { shown.min(3) };
    let weights: Vec<String> = document.representatives.iter().map(|one| percent(one.weight.value)).collect();
    let description = format!(
        "{} of the posterior with probability {}.",
        count(document.representatives.len(), "representative draw"),
        weights.join(", ")
    );
    let what = match d {
        1 => "its density, with the atoms as coloured areas".to_owned(),
        2 => "its density (contours), its atoms (2-sigma ellipses) and its clusters".to_owned(),
        _ => "its density, atoms and clusters in the two coordinates along which the atoms of the estimate differ most"
            .to_owned(),
    };
    let more = match document.representatives.len() > shown {
        true => format!(" The {shown} most probable are shown."),
        false => String::new(),
    };
    let caption = format!(
        "One draw for each mode of the posterior, the most probable first: {what}. Percentages are the shares of the draws that are \
         nearest to it, by weight ({}).{more}",
        presentation.distance_text()
    );
    Ok(Figure::grid(columns, panels.into_iter().map(Some).collect()).described(description, caption))
}

fn percent(part: f64) -> String {
    format!("{} %", significant(100.0 * part, 3))
}

fn title(one: &Representative) -> String {
    let clusters = one.clusters.map_or(String::new(), |clusters| format!(", {}", count(clusters, "cluster")));
    format!("draw {}: {}{clusters}", one.draw, percent(one.weight.value))
}

/// What the panels show: as for the estimate; without observations, wide enough for all of them.
fn bounds(presentation: &Presentation, all: &[Representative]) -> Result<Bounds> {
    if presentation.data.is_some() {
        return presentation.bounds();
    }
    let all = all.iter().map(|one| Bounds::of_measure(&one.measure)).collect::<Result<Vec<_>>>()?;
    let widest = |a: usize| Interval {
        low: all.iter().map(|bounds| bounds.intervals()[a].low).fold(f64::INFINITY, f64::min),
        high: all.iter().map(|bounds| bounds.intervals()[a].high).fold(f64::NEG_INFINITY, f64::max),
    };
    Bounds::new((0..presentation.estimate().dim()).map(widest).collect())
}

fn lines(presentation: &Presentation, all: &[Representative], bounds: &Bounds) -> Result<Vec<Panel>> {
    let grid = bounds.grid(&[0], 301)?;
    let xs = grid.axes()[0].positions();
    let interval = bounds.intervals()[0];
    let densities: Vec<GridDensity> = all
        .iter()
        .map(|one| GridDensity::of_measure(&one.measure, &grid, presentation.progress))
        .collect::<Result<_>>()?;
    let most = densities.iter().flat_map(|density| density.values()).copied().fold(0.0, f64::max);
    let panel = |(one, density): (&Representative, &GridDensity)| {
        let path = xs.iter().zip(density.values()).map(|(x, y)| [*x, *y]).collect();
        let x = Axis::linear(&presentation.columns[0], interval.low, interval.high);
        Panel::new(x, Axis::linear("density", 0.0, 1.06 * most))
            .sized(210.0, 170.0)
            .titled(title(one))
            .with_all(atom_curves(&view(presentation, one, all.len()), &xs))
            .with(Layer::Line { path, stroke: Stroke::new(Color::INK, 1.8) })
    };
    Ok(all.iter().zip(&densities).map(panel).collect())
}

fn planes(presentation: &Presentation, all: &[Representative], bounds: &Bounds) -> Result<Vec<Panel>> {
    let coordinates = chosen(presentation.estimate(), 2);
    let [a, b] = [coordinates[0], coordinates[1]];
    let grid = bounds.grid(&[a, b], COUNT)?;
    let axis = |a: usize| Axis::linear(&presentation.columns[a], bounds.intervals()[a].low, bounds.intervals()[a].high);
    let size = if all.len() == 1 { [400.0, 300.0] } else { [215.0, 190.0] };
    let panel = |one: &Representative| -> Result<Panel> {
        let view = view(presentation, one, all.len());
        Ok(Panel::new(axis(a), axis(b))
            .sized(size[0], size[1])
            .titled(title(one))
            .with_all(density_contours(&GridDensity::of_measure(&one.measure, &grid, presentation.progress)?, &SHARES))
            .with_all(observation_layers(&view, [a, b]))
            .with_all(atom_layers(&view, [a, b])))
    };
    all.iter().map(panel).collect()
}

fn view<'b>(presentation: &'b Presentation, one: &'b Representative, panels: usize) -> View<'b> {
    // Small panels: a quarter of the marks will do.
    let shown = presentation.shown(4 * panels);
    let labels = one.allocation.as_ref().map(|allocation| &allocation.labels[..]);
    View { measure: &one.measure, labels, data: presentation.data, shown, panels, pointed: false }
}
