//! Densities of single coordinates with the posterior band: the only one in dimension 1, all marginals otherwise.

use mixgist::density::posterior_density_on_grid;
use mixgist::{GridDensity, Result};

use super::atoms::View;
use crate::figure::{Axis, Dash, Figure, Fill, Key, Layer, Panel, Points, Stroke};
use crate::palette::{Color, Marker, group_style};
use crate::subject::Subject;
use crate::words::count;

/// Grid points.
const COUNT: usize = 301;
/// Posterior probability of the band.
const LEVEL: f64 = 0.9;
/// More coordinates are not shown.
const MOST_PANELS: usize = 12;

const BAND: Fill = Fill { color: Color::INK, opacity: 0.15 };

/// More atoms than this are not listed in the legend.
const MOST_LISTED: usize = 8;

/// How dense the colour of an atom is.
const ATOM_OPACITY: f64 = 0.35;

/// The density on the line: estimate, posterior mean and band, observations as a rug, atoms as curves.
pub fn draw_line(subject: &Subject) -> Result<Figure> {
    let (panel, text) = panel(subject, 0, [500.0, 330.0])?;
    let description = format!(
        "Density of {} with posterior band, {}.",
        subject.columns[0],
        count(subject.main_atoms().len(), "atom")
    );
    let mut figure = with_legend(Figure::single(panel), subject);
    let atoms = subject.main_atoms();
    for (rank, &k) in atoms.iter().enumerate().take(MOST_LISTED) {
        let weight = 100.0 * subject.estimate.weights()[k];
        let fill = Fill { color: group_style(rank).0, opacity: ATOM_OPACITY };
        figure = figure.with_legend(Key::Area(fill), format!("atom {k}: {weight:.1} %"));
    }
    Ok(figure.and_more(atoms.len(), MOST_LISTED).described(description, text))
}

/// The marginal density of every coordinate.
pub fn draw_marginals(subject: &Subject) -> Result<Figure> {
    let d = subject.estimate.dim();
    let shown = d.min(MOST_PANELS);
    let columns = match shown {
        1 => 1,
        2 | 4 => 2,
        _ => 3,
    };
    let size = if shown == 1 {
        [500.0, 330.0]
    } else if columns == 2 {
        [270.0, 200.0]
    } else {
        [200.0, 150.0]
    };
    let mut panels = Vec::new();
    let mut text = String::new();
    for a in 0..shown {
        let (panel, caption) = panel(subject, a, size)?;
        panels.push(Some(panel));
        text = caption;
    }
    if shown < d {
        text.push_str(&format!(" The first {shown} of {d} coordinates are shown."));
    }
    let names: Vec<&str> = subject.columns.iter().take(shown).map(String::as_str).collect();
    let description = format!("Marginal densities with posterior bands: {}.", names.join(", "));
    Ok(with_legend(Figure::grid(columns, panels), subject).described(description, text))
}

fn with_legend(figure: Figure, subject: &Subject) -> Figure {
    let figure = figure.with_legend(Key::Line(Stroke::new(Color::INK, 2.0)), "estimate");
    if subject.draws.is_none() {
        return figure;
    }
    let mean = Stroke::new(Color::GREY, 1.6).dashed(Dash::Dashed);
    figure.with_legend(Key::Line(mean), "posterior mean").with_legend(Key::Area(BAND), "90 % posterior band")
}

fn panel(subject: &Subject, a: usize, [width, height]: [f64; 2]) -> Result<(Panel, String)> {
    let bounds = subject.bounds()?;
    let grid = bounds.grid(&[a], COUNT)?;
    let xs = grid.axes()[0].positions();
    let estimate = GridDensity::of_measure(&subject.estimate, &grid, subject.progress)?;
    let curve = |values: &[f64]| xs.iter().zip(values).map(|(x, y)| [*x, *y]).collect::<Vec<_>>();
    let mut layers = Vec::new();
    let mut most = estimate.values().iter().copied().fold(0.0, f64::max);
    let mut text = String::from("Density of the estimate");
    let on_line = subject.estimate.dim() == 1;
    if on_line {
        layers.extend(atom_curves(&subject.view(1), &xs));
    }
    if let Some(draws) = subject.draws {
        let posterior = posterior_density_on_grid(draws, &grid, LEVEL, subject.progress)?;
        most = posterior.upper.iter().copied().fold(most, f64::max);
        let mut ring = curve(&posterior.upper);
        ring.extend(curve(&posterior.lower).into_iter().rev());
        layers.push(Layer::Area { rings: vec![ring], fill: BAND, outline: None });
        let mean = Stroke::new(Color::GREY, 1.6).dashed(Dash::Dashed);
        layers.push(Layer::Line { path: curve(&posterior.mean), stroke: mean });
        text.push_str(", with the posterior mean density and the pointwise 90 % band of all draws");
    }
    if on_line {
        text.push_str("; coloured areas are the atoms, weighted");
    }
    layers.push(Layer::Line { path: curve(estimate.values()), stroke: Stroke::new(Color::INK, 2.0) });
    if let Some(data) = subject.data {
        let values = subject.shown(1).into_iter().map(|i| data.point(i)[a]).collect();
        layers.push(Layer::Rug { values, color: Color::INK });
        text.push_str("; strokes at the axis are the observations");
    }
    text.push('.');
    let interval = bounds.intervals()[a];
    let x = Axis::linear(&subject.columns[a], interval.low, interval.high);
    let y = Axis::linear("density", 0.0, 1.06 * most);
    Ok((Panel::new(x, y).sized(width, height).with_all(layers), text))
}

/// The weighted densities of the atoms, each with a mark at its mean.
pub fn atom_curves(view: &View, xs: &[f64]) -> Vec<Layer> {
    let mut layers = Vec::new();
    for (rank, k) in view.main_atoms().into_iter().enumerate() {
        let (color, _) = group_style(rank);
        let weight = view.measure.weights()[k];
        let (mean, variance) = (view.measure.atoms().mean(k)[0], view.measure.atoms().covariance(k)[0]);
        let height = weight / (std::f64::consts::TAU * variance).sqrt();
        let value = |x: f64| height * (-0.5 * (x - mean).powi(2) / variance).exp();
        let mut ring: Vec<[f64; 2]> = xs.iter().map(|&x| [x, value(x)]).collect();
        ring.extend([[xs[xs.len() - 1], 0.0], [xs[0], 0.0]]);
        layers.push(Layer::Area { rings: vec![ring], fill: Fill { color, opacity: ATOM_OPACITY }, outline: None });
        let at = vec![[mean, height]];
        let radius = 1.5 + 5.0 * weight.sqrt();
        layers.push(Layer::Points(Points { at, marker: Marker::Circle, radius, color, opacity: 1.0, group: None }));
    }
    layers
}
