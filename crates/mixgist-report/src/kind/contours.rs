//! Density contours of the estimate in the plane, with observations by cluster and atoms as ellipses.

use mixgist::{GridDensity, Result};

use super::atoms::{SHARES, atom_layers, density_contours, observation_layers, with_cluster_legend};
use crate::figure::{Axis, Figure, Panel};
use crate::presentation::Presentation;
use mixgist::narrative::numbers;

/// Grid points per axis.
const COUNT: usize = 161;

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let bounds = presentation.bounds()?;
    let grid = bounds.grid(&[0, 1], COUNT)?;
    let axis = |a: usize| Axis::linear(&presentation.columns[a], bounds.intervals()[a].low, bounds.intervals()[a].high);
    let (density, view) =
        (GridDensity::of_measure(presentation.estimate(), &grid, presentation.progress)?, presentation.view(1));
    let panel = Panel::new(axis(0), axis(1))
        .sized(500.0, 370.0)
        .with_all(density_contours(&density, &SHARES))
        .with_all(observation_layers(&view, [0, 1]))
        .with_all(atom_layers(&view, [0, 1]));
    let summary = presentation.summary();
    let shares: Vec<String> = SHARES.iter().map(|share| format!("{:.0}", 100.0 * share)).collect();
    let clusters = summary.clusters.map_or(String::new(), |count| format!(" in {}", numbers::count(count, "cluster")));
    let observations =
        presentation.data.map_or(String::new(), |data| format!(", {} observations{clusters}", data.len()));
    let description = format!(
        "Density contours of {} and {}{observations}, {} as 2-sigma ellipses.",
        presentation.columns[0],
        presentation.columns[1],
        numbers::count(presentation.main_atoms().len(), "atom")
    );
    let caption = format!(
        "Density of the estimate: contours enclose {} % of its mass. Ellipses lie two standard deviations around the \
         means of the atoms; the heavier an atom, the bolder its line and the larger its centre.{}",
        shares.join(", "),
        presentation.left_out(1)
    );
    Ok(with_cluster_legend(Figure::single(panel), presentation).described(description, caption))
}
