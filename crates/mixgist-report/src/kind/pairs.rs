//! All pairs of coordinates: contours, clusters and atoms below the diagonal, marginal densities on it.

use mixgist::{GridDensity, MixingMeasure, Result};

use super::atoms::{
    SHARES, atom_layers, density_contours, light_atoms_left_out, observation_layers, with_cluster_legend,
};
use crate::figure::{Axis, Figure, Fill, Layer, Panel, Stroke, Ticks};
use crate::palette::Color;
use crate::presentation::Presentation;
use mixgist::narrative::numbers::count as count_of;

/// Grid points per axis.
const COUNT: usize = 81;
/// More coordinates do not fit on a page.
const MOST: usize = 6;
/// With more coordinates than this the panels are small.
const LARGE_PANELS: usize = 4;
/// Shares of the mass within the contours of small panels, where more lines would merge.
const FEW_SHARES: [f64; 3] = [0.95, 0.8, 0.4];

/// Number of coordinates of `dim` that are shown.
pub fn shown(dim: usize) -> usize {
    dim.min(MOST)
}

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let coordinates = chosen(presentation.estimate(), MOST);
    let count = coordinates.len();
    let size = (600.0 / count as f64).round().min(230.0);
    let panels_with_points = count * (count - 1) / 2;
    let view = presentation.view(panels_with_points);
    let shares = if count > LARGE_PANELS { &FEW_SHARES[..] } else { &SHARES };
    let bounds = presentation.bounds()?;
    let axis = |a: usize, outer: bool| {
        let interval = bounds.intervals()[a];
        let label = if outer { presentation.columns[a].as_str() } else { "" };
        let axis = Axis::linear(label, interval.low, interval.high);
        if outer { axis } else { axis.with_ticks(Ticks::Hidden) }
    };
    let mut panels = Vec::new();
    for (row, &b) in coordinates.iter().enumerate() {
        for (column, &a) in coordinates.iter().enumerate() {
            let last = row + 1 == count;
            panels.push(match column.cmp(&row) {
                std::cmp::Ordering::Greater => None,
                std::cmp::Ordering::Equal => Some(marginal(presentation, a, axis(a, last))?.sized(size, size)),
                std::cmp::Ordering::Less => {
                    let grid = bounds.grid(&[a, b], COUNT)?;
                    let density = GridDensity::of_measure(presentation.estimate(), &grid, presentation.progress)?;
                    let panel = Panel::new(axis(a, last), axis(b, column == 0)).sized(size, size);
                    Some(
                        panel
                            .with_all(density_contours(&density, shares))
                            .with_all(observation_layers(&view, [a, b]))
                            .with_all(atom_layers(&view, [a, b])),
                    )
                }
            });
        }
    }
    let d = presentation.estimate().dim();
    let shares: Vec<String> = shares.iter().map(|share| format!("{:.0}", 100.0 * share)).collect();
    let some = match count < d {
        true => format!(" The {count} of {d} coordinates are shown along which the atoms differ most."),
        false => String::new(),
    };
    let caption = format!(
        "All pairs of coordinates: contours enclose {} % of the estimate's mass, ellipses lie two standard deviations around \
         the means of the atoms. On the diagonal the marginal densities.{some}{}{}",
        shares.join(", "),
        if panels_with_points > 1 { light_atoms_left_out(presentation) } else { String::new() },
        presentation.left_out(panels_with_points)
    );
    let names: Vec<&str> = coordinates.iter().map(|&a| presentation.columns[a].as_str()).collect();
    let description = format!(
        "Pairs of {} with density contours and {} as 2-sigma ellipses.",
        names.join(", "),
        count_of(presentation.main_atoms().len(), "atom")
    );
    Ok(with_cluster_legend(Figure::grid(count, panels), presentation).described(description, caption))
}

/// At most `most` coordinates to show: those whose variance is to the largest part between atoms, in their own order.
pub fn chosen(measure: &MixingMeasure, most: usize) -> Vec<usize> {
    let d = measure.dim();
    let share = |a: usize| {
        let mean: f64 = (0..measure.len()).map(|k| measure.weights()[k] * measure.atoms().mean(k)[a]).sum();
        let (mut between, mut within) = (0.0, 0.0);
        for k in 0..measure.len() {
            between += measure.weights()[k] * (measure.atoms().mean(k)[a] - mean).powi(2);
            within += measure.weights()[k] * measure.atoms().covariance(k)[a * d + a];
        }
        between / (between + within)
    };
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
    order.truncate(most);
    order.sort_unstable();
    order
}

fn marginal(presentation: &Presentation, a: usize, axis: Axis) -> Result<Panel> {
    let grid = presentation.bounds()?.grid(&[a], 201)?;
    let density = GridDensity::of_measure(presentation.estimate(), &grid, presentation.progress)?;
    let xs = grid.axes()[0].positions();
    let mut ring: Vec<[f64; 2]> = xs.iter().zip(density.values()).map(|(x, y)| [*x, *y]).collect();
    let most = density.values().iter().copied().fold(0.0, f64::max);
    let line = Layer::Line { path: ring.clone(), stroke: Stroke::new(Color::INK, 1.4) };
    ring.extend([[xs[xs.len() - 1], 0.0], [xs[0], 0.0]]);
    let fill = Fill { color: Color::INK, opacity: 0.1 };
    let y = Axis::linear("", 0.0, 1.1 * most).with_ticks(Ticks::Hidden);
    Ok(Panel::new(axis, y)
        .titled(&presentation.columns[a])
        .with(Layer::Area { rings: vec![ring], fill, outline: None })
        .with(line))
}
