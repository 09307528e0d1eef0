//! Atoms and observations in a plane of two coordinates: what contours and pairs share.

use mixgist::linalg::eigen_symmetric;
use mixgist::{GridDensity, MixingMeasure, Points as Observations};

use crate::contour::{mass_levels, rings};
use crate::figure::{Dots, Figure, Fill, Key, Layer, Position, Side, Stroke};
use crate::palette::{Color, MOST_COLORED, Marker, atom_style};
use crate::presentation::Presentation;
use mixgist::narrative::main_atoms;

/// Shares of the mass that the contours enclose, from the outermost one.
pub const SHARES: [f64; 6] = [0.99, 0.95, 0.8, 0.6, 0.4, 0.2];

/// With more atoms than this each has its number beside it.
const MOST_COLORS: usize = 6;

/// A measure with the labels that it gives to observations: what is drawn in a plane.
pub struct View<'a> {
    /// The measure.
    pub measure: &'a MixingMeasure,
    /// The label of every observation.
    pub labels: Option<&'a [u32]>,
    /// The observations.
    pub data: Option<Observations<'a>>,
    /// Those of them that are shown.
    pub shown: Vec<usize>,
    /// Panels of the figure that show them: with many marks each is smaller.
    pub panels: usize,
    /// Whether a reader of the page can point at an observation to learn its probabilities.
    pub pointed: bool,
}

impl View<'_> {
    /// Atoms worth showing, heaviest first.
    pub fn main_atoms(&self) -> Vec<usize> {
        main_atoms(self.measure, self.labels)
    }
}

/// A density as filled contours: regions of highest density that hold the `shares` of the mass on the grid, the largest share first.
pub fn density_contours(density: &GridDensity, shares: &[f64]) -> Vec<Layer> {
    let axes = density.grid().axes();
    let (xs, ys) = (axes[0].positions(), axes[1].positions());
    let levels = mass_levels(density.values(), shares);
    let layers = levels.iter().enumerate().map(|(i, &level)| {
        let shade = Color::INK.mix(Color::WHITE, 0.955 - 0.06 * i as f64);
        Layer::Area {
            rings: rings(&xs, &ys, density.values(), level),
            fill: Fill { color: shade, opacity: 1.0 },
            outline: Some(Stroke::new(Color::INK.mix(Color::WHITE, 0.62), 0.6)),
        }
    });
    layers.collect()
}

/// The outline of the ellipse at `sigmas` standard deviations around an atom, in coordinates a and b.
pub fn ellipse(measure: &MixingMeasure, atom: usize, [a, b]: [usize; 2], sigmas: f64) -> Vec<Position> {
    let d = measure.dim();
    let (mean, covariance) = (measure.atoms().mean(atom), measure.atoms().covariance(atom));
    let marginal = [covariance[a * d + a], covariance[a * d + b], covariance[b * d + a], covariance[b * d + b]];
    outline([mean[a], mean[b]], marginal, sigmas)
}

/// The outline of the ellipse at `radius` standard deviations around a centre.
pub fn outline(center: Position, covariance: [f64; 4], radius: f64) -> Vec<Position> {
    const STEPS: u32 = 96;
    let eigen = eigen_symmetric(&covariance, 2);
    let axes = [0, 1].map(|i| radius * eigen.values[i].max(0.0).sqrt());
    (0..STEPS)
        .map(|step| {
            let angle = std::f64::consts::TAU * f64::from(step) / f64::from(STEPS);
            let (u, v) = (axes[0] * angle.cos(), axes[1] * angle.sin());
            let along = |row: usize| u * eigen.vectors[2 * row] + v * eigen.vectors[2 * row + 1];
            [center[0] + along(0), center[1] + along(1)]
        })
        .collect()
}

/// Width of the line around an atom: the heavier, the bolder.
pub fn line_width(weight: f64) -> f64 {
    ((0.8 + 3.4 * weight.sqrt()) * 10.0).round() / 10.0
}

/// The atoms as 2-sigma ellipses, their lines the bolder and their centres the larger the heavier they are.
pub fn atom_layers(view: &View, coordinates: [usize; 2]) -> Vec<Layer> {
    let mut layers = Vec::new();
    let mut atoms = view.main_atoms();
    if view.panels > 1 {
        atoms.truncate(MOST_COLORED); // small panels show the heavy ones
    }
    // Colours alone do not tell so many apart.
    let numbered = atoms.len() > MOST_COLORS && view.panels == 1;
    for (rank, k) in atoms.into_iter().enumerate() {
        let (color, _) = atom_style(rank);
        let weight = view.measure.weights()[k];
        let dark = color.mix(Color(0, 0, 0), 0.25);
        layers.push(Layer::Area {
            rings: vec![ellipse(view.measure, k, coordinates, 2.0)],
            fill: Fill { color, opacity: 0.08 },
            outline: Some(Stroke::new(dark, line_width(weight))),
        });
        let mean = view.measure.atoms().mean(k);
        let centre = |radius, color| {
            Layer::Dots(Dots {
                at: vec![coordinates.map(|a| mean[a])],
                marker: Marker::Circle,
                radius,
                color,
                opacity: 1.0,
                group: None,
            })
        };
        let radius = ((1.5 + 6.0 * weight.sqrt()) * 10.0).round() / 10.0;
        layers.push(centre(radius + 1.2, Color::WHITE));
        layers.push(centre(radius, dark));
        if numbered {
            let at = coordinates.map(|a| mean[a]);
            layers.push(Layer::Text { at, text: k.to_string(), side: Side::Right, color: Color::INK });
        }
    }
    layers
}

/// The observations, each cluster with its colour and marker; grey discs when there are no labels.
pub fn observation_layers(view: &View, coordinates: [usize; 2]) -> Vec<Layer> {
    let Some(data) = view.data else { return Vec::new() };
    let shown = view.shown.iter().copied();
    let radius = if shown.len() * view.panels > 4000 { 1.2 } else { 2.1 };
    let opacity = if shown.len() > 2000 { 0.55 } else { 0.8 };
    let position = |i: usize| coordinates.map(|a| data.point(i)[a]);
    let Some(labels) = view.labels else {
        let at = shown.map(position).collect();
        let layer = Dots { at, marker: Marker::Circle, radius, color: Color::GREY, opacity, group: None };
        return vec![Layer::Dots(layer)];
    };
    let mut members = vec![Vec::new(); view.measure.len()];
    shown.for_each(|i| members[labels[i] as usize].push(position(i)));
    let groups = view.main_atoms().into_iter().enumerate();
    groups
        .map(|(rank, k)| {
            let (color, marker) = atom_style(rank);
            let at = std::mem::take(&mut members[k]);
            Layer::Dots(Dots { at, marker, radius, color, opacity, group: view.pointed.then_some(k) })
        })
        .filter(|layer| matches!(layer, Layer::Dots(points) if !points.at.is_empty()))
        .collect()
}

/// Adds the clusters to the legend of a figure.
pub fn with_cluster_legend(mut figure: Figure, presentation: &Presentation) -> Figure {
    let atoms = presentation.main_atoms();
    for (rank, &k) in atoms.iter().enumerate().take(MOST_COLORED) {
        let (color, marker) = atom_style(rank);
        let weight = 100.0 * presentation.estimate().weights()[k];
        let marker = if presentation.labels().is_some() { marker } else { Marker::Circle };
        figure = figure.with_legend(Key::Point(marker, color), format!("atom {k}: {weight:.1} %"));
    }
    let light = atoms.len().saturating_sub(MOST_COLORED);
    if light == 0 {
        return figure;
    }
    let rest: f64 = atoms[MOST_COLORED..].iter().map(|&k| presentation.estimate().weights()[k]).sum();
    let (color, marker) = atom_style(MOST_COLORED);
    figure.with_legend(Key::Point(marker, color), format!("{light} lighter: {:.1} %", 100.0 * rest))
}

/// That only the heavy atoms have ellipses in a figure of several panels, for its caption.
pub fn light_atoms_left_out(presentation: &Presentation) -> String {
    match presentation.main_atoms().len() {
        all if all > MOST_COLORED => format!(" Of {all} atoms the {MOST_COLORED} heaviest have ellipses."),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mixgist::GaussianAtoms;

    #[test]
    fn ellipses_lie_two_sigma_from_the_mean() {
        // The marginal of coordinates 0 and 2 of a covariance with correlation there.
        let covariance = [4.0, 0.3, 1.2, 0.3, 1.0, 0.1, 1.2, 0.1, 0.9];
        let atoms = GaussianAtoms::new(3, vec![1.0, 2.0, 3.0], covariance.to_vec(), Default::default()).unwrap();
        let measure = MixingMeasure::new(vec![1.0], atoms).unwrap();
        let (a, b, c) = (4.0, 1.2, 0.9);
        let determinant: f64 = a * c - b * b;
        let outline = ellipse(&measure, 0, [0, 2], 2.0);
        assert_eq!(outline.len(), 96);
        for [x, y] in &outline {
            let (x, y) = (x - 1.0, y - 3.0);
            let squared = (c * x * x - 2.0 * b * x * y + a * y * y) / determinant;
            assert!((squared.sqrt() - 2.0).abs() < 1e-9);
        }
        let area: f64 = 0.5
            * outline.iter().zip(outline.iter().cycle().skip(1)).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum::<f64>();
        let exact = std::f64::consts::PI * 4.0 * determinant.sqrt();
        assert!((area.abs() / exact - 1.0).abs() < 2e-3, "{area} {exact}");
    }

    #[test]
    fn heavier_atoms_have_bolder_lines() {
        assert!(line_width(0.9) > line_width(0.3) && line_width(0.3) > line_width(0.01));
    }
}
