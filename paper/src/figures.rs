//! Panels that Figures 2 and 3 share: data by cluster over the contours of a density.

use mixgist::density::Grid;
use mixgist::narrative::numbers::count;
use mixgist::{GridDensity, Partition, Result};
use mixgist_report::Figure;
use mixgist_report::figure::{Axis, Dots, Layer, Panel};
use mixgist_report::kind::atoms::density_contours;
use mixgist_report::palette::group_style;

use crate::evaluate::{Estimate, METHODS};
use crate::grid::GridSlices;
use crate::model::{DIM, Observations};
use crate::page::Block;
use crate::study::Repeat;

/// Contours enclose these shares of the mass.
const SHARES: [f64; 5] = [0.95, 0.8, 0.6, 0.4, 0.2];

/// One panel for each method, and before them the truth where it is known, otherwise the bare data.
pub fn six_methods(repeat: &Repeat, columns: [&str; 2], file: &str, caption: &str) -> Result<Block> {
    let observations = &repeat.posterior.observations;
    let slices = GridSlices::over(mixgist::Points::new(DIM, &observations.values)?)?;
    let panel = |title: &str, values: Option<Vec<f64>>, partition: &Partition| {
        density_panel(slices.grid(), columns, title, values, observations, partition)
    };
    let one = Partition::from_integers(&vec![0u32; observations.values.len() / DIM])?;
    let mut panels = vec![Some(panel("data", None, &one)?)];
    panels.push(match &observations.truth {
        Some(truth) => Some(panel("truth", Some(slices.density(&truth.measure)?), &truth.partition)?),
        None => None,
    });
    panels.push(None);
    for (estimate, (_, name)) in repeat.evaluation.estimates.iter().zip(METHODS).take(6) {
        let title = format!("{name}, {}", count(estimate.partition.clusters(), "cluster"));
        panels.push(Some(panel(&title, Some(mean_density(&slices, estimate)?), &estimate.partition)?));
    }
    let figure = Figure::grid(3, panels).described(caption, caption);
    Ok(Block::Figure { file: file.into(), caption: caption.into(), svg: figure.to_svg() })
}

/// The mean density of the estimate's measures.
fn mean_density(slices: &GridSlices, estimate: &Estimate) -> Result<Vec<f64>> {
    let mut mean = vec![0.0; slices.grid().len()];
    for measure in &estimate.measures {
        let share = estimate.measures.len() as f64;
        mean.iter_mut().zip(slices.density(measure)?).for_each(|(sum, value)| *sum += value / share);
    }
    Ok(mean)
}

fn density_panel(
    grid: &Grid,
    columns: [&str; 2],
    title: &str,
    values: Option<Vec<f64>>,
    observations: &Observations,
    partition: &Partition,
) -> Result<Panel> {
    let axis = |a: usize| {
        let interval = grid.axes()[a].interval;
        Axis::linear(columns[a], interval.low, interval.high)
    };
    let contours = match values {
        Some(values) => density_contours(&GridDensity::new(grid.clone(), values)?, &SHARES),
        None => Vec::new(),
    };
    let mut sizes: Vec<(usize, u32)> = partition.sizes().into_iter().enumerate().collect();
    sizes.sort_by_key(|&(label, size)| (std::cmp::Reverse(size), label));
    let clusters = sizes.into_iter().enumerate().map(|(rank, (label, _))| {
        let (color, marker) = group_style(rank);
        let members = observations.values.chunks_exact(DIM).zip(partition.labels());
        let at = members.filter(|(_, l)| **l as usize == label).map(|(y, _)| [y[0], y[1]]).collect();
        Layer::Dots(Dots { at, marker, radius: 2.0, color, opacity: 0.85, group: Some(rank) })
    });
    Ok(Panel::new(axis(0), axis(1)).sized(230.0, 200.0).titled(title).with_all(contours).with_all(clusters))
}
