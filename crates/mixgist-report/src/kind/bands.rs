//! Densities of single coordinates with the posterior band: the only one in dimension 1, all marginals otherwise.

use mixgist::density::posterior_density_on_grid;
use mixgist::{GridDensity, Result};

use super::atoms::View;
use crate::figure::{Axis, Dash, Dots, Figure, Fill, Key, Layer, Panel, Stroke};
use crate::palette::{Color, Marker, atom_style};
use crate::presentation::Presentation;
use mixgist::narrative::numbers::count;

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
pub fn draw_line(presentation: &Presentation) -> Result<Figure> {
    let (panel, text) = panel(presentation, 0, [500.0, 330.0])?;
    let description = format!(
        "Density of {} with posterior band, {}.",
        presentation.columns[0],
        count(presentation.main_atoms().len(), "atom")
    );
    let mut figure = with_legend(Figure::single(panel), presentation);
    let atoms = presentation.main_atoms();
    for (rank, &k) in atoms.iter().enumerate().take(MOST_LISTED) {
        let weight = 100.0 * presentation.estimate().weights()[k];
        let fill = Fill { color: atom_style(rank).0, opacity: ATOM_OPACITY };
        figure = figure.with_legend(Key::Area(fill), format!("atom {k}: {weight:.1} %"));
    }
    Ok(figure.and_more(atoms.len(), MOST_LISTED).described(description, text))
}

/// The marginal density of every coordinate.
pub fn draw_marginals(presentation: &Presentation) -> Result<Figure> {
    let d = presentation.estimate().dim();
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
        let (panel, caption) = panel(presentation, a, size)?;
        panels.push(Some(panel));
        text = caption;
    }
    if shown < d {
        text.push_str(&format!(" The first {shown} of {d} coordinates are shown."));
    }
    let names: Vec<&str> = presentation.columns.iter().take(shown).map(String::as_str).collect();
    let description = format!("Marginal densities with posterior bands: {}.", names.join(", "));
    Ok(with_legend(Figure::grid(columns, panels), presentation).described(description, text))
}

fn with_legend(figure: Figure, presentation: &Presentation) -> Figure {
    let figure = figure.with_legend(Key::Line(Stroke::new(Color::INK, 2.0)), "estimate");
    if presentation.draws().is_none() {
        return figure;
    }
    let mean = Stroke::new(Color::GREY, 1.6).dashed(Dash::Dashed);
    figure.with_legend(Key::Line(mean), "posterior mean").with_legend(Key::Area(BAND), "90 % posterior band")
}

fn panel(presentation: &Presentation, a: usize, [width, height]: [f64; 2]) -> Result<(Panel, String)> {
    let bounds = presentation.bounds()?;
    let grid = bounds.grid(&[a], COUNT)?;
    let xs = grid.axes()[0].positions();
    let estimate = GridDensity::of_measure(presentation.estimate(), &grid, presentation.progress)?;
    let curve = |values: &[f64]| xs.iter().zip(values).map(|(x, y)| [*x, *y]).collect::<Vec<_>>();
    let mut layers = Vec::new();
    let mut most = estimate.values().iter().copied().fold(0.0, f64::max);
    let mut text = String::from("Density of the estimate");
    let on_line = presentation.estimate().dim() == 1;
    if on_line {
        layers.extend(atom_curves(&presentation.view(1), &xs));
    }
    if let Some(draws) = presentation.draws() {
        let posterior = posterior_density_on_grid(draws, &grid, LEVEL, presentation.progress)?;
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
    if let Some(data) = presentation.data {
        let values = presentation.shown(1).into_iter().map(|i| data.point(i)[a]).collect();
        layers.push(Layer::Rug { values, color: Color::INK });
        text.push_str("; strokes at the axis are the observations");
    }
    text.push('.');
    let interval = bounds.intervals()[a];
    let x = Axis::linear(&presentation.columns[a], interval.low, interval.high);
    let y = Axis::linear("density", 0.0, 1.06 * most);
    Ok((Panel::new(x, y).sized(width, height).with_all(layers), text))
}

/// The weighted densities of the atoms, each with a mark at its mean.
pub fn atom_curves(view: &View, xs: &[f64]) -> Vec<Layer> {
    let mut layers = Vec::new();
    for (rank, k) in view.main_atoms().into_iter().enumerate() {
        let (color, _) = atom_style(rank);
        let weight = view.measure.weights()[k];
        let (mean, variance) = (view.measure.atoms().mean(k)[0], view.measure.atoms().covariance(k)[0]);
        let height = weight / (std::f64::consts::TAU * variance).sqrt();
        let value = |x: f64| height * (-0.5 * (x - mean).powi(2) / variance).exp();
        let mut ring: Vec<[f64; 2]> = xs.iter().map(|&x| [x, value(x)]).collect();
        ring.extend([[xs[xs.len() - 1], 0.0], [xs[0], 0.0]]);
        layers.push(Layer::Area { rings: vec![ring], fill: Fill { color, opacity: ATOM_OPACITY }, outline: None });
        let at = vec![[mean, height]];
        let radius = 1.5 + 5.0 * weight.sqrt();
        layers.push(Layer::Dots(Dots { at, marker: Marker::Circle, radius, color, opacity: 1.0, group: None }));
    }
    layers
}
