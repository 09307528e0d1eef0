//! Transport costs from a few draws to all, summed over the slices.

use rayon::prelude::*;

use super::bridge::{Bridge, PANEL};
use super::tile::{Batch, Columns, row_costs};
use crate::Result;
use crate::line::{Lines, Order, transport_cost};
use crate::progress::Progress;
use crate::projection::Projection;

/// For each of `rows`, the mean over slices of W_p^p to every draw: `rows.len()` × M numbers.
pub(crate) fn row_costs_of(projection: &Projection, rows: &[usize], progress: &dyn Progress) -> Result<Vec<f64>> {
    let mut sums = vec![0.0; rows.len() * projection.draws()];
    if projection.order() == Order::TWO {
        let weights = projection.draw_weights();
        projection.stream(
            &projection.batches(),
            progress,
            |lines| Bridge::new(lines, weights),
            |_, bridges| {
                add_rows(&Batch::new(bridges), rows, &mut sums);
                Ok(())
            },
        )?;
    } else {
        projection.stream(
            &projection.batches(),
            progress,
            |lines| merged_rows(&lines, rows, projection.order()),
            |_, batch| {
                for costs in batch {
                    add(&mut sums, &costs);
                }
                Ok(())
            },
        )?;
    }
    divide(&mut sums, projection.slices());
    Ok(sums)
}

/// What one pass over the slices tells about all draws when p = 2.
pub(crate) struct AnchorRows {
    /// Mean transport costs of the anchors to every draw: anchors × M.
    pub(crate) rows: Vec<f64>,
    /// For every draw the mean over all draws of its squared distance.
    pub(crate) mean_squares: Vec<f64>,
}

/// Rows of the anchors and mean squares of all draws; p = 2.
pub(crate) fn anchor_rows(projection: &Projection, anchors: &[usize], progress: &dyn Progress) -> Result<AnchorRows> {
    let (draws, weights) = (projection.draws(), projection.draw_weights());
    let mut rows = vec![0.0; anchors.len() * draws];
    let mut mean_squares = vec![0.0; draws];
    projection.stream(
        &projection.batches(),
        progress,
        |lines| {
            let bridge = Bridge::new(lines, weights);
            let mut squares = vec![0.0; draws];
            bridge.add_mean_squares(weights, &mut squares);
            (bridge, squares)
        },
        |_, built| {
            let (bridges, squares): (Vec<_>, Vec<_>) = built.into_iter().unzip();
            add_rows(&Batch::new(bridges), anchors, &mut rows);
            squares.iter().for_each(|squares| add(&mut mean_squares, squares));
            Ok(())
        },
    )?;
    divide(&mut rows, projection.slices());
    divide(&mut mean_squares, projection.slices());
    Ok(AnchorRows { rows, mean_squares })
}

fn add_rows(batch: &Batch, rows: &[usize], sums: &mut [f64]) {
    let draws = batch.draws();
    sums.par_chunks_mut(PANEL * draws).zip(rows.par_chunks(PANEL)).for_each(|(sums, rows)| {
        let mut costs = vec![0.0; rows.len() * draws];
        row_costs(batch, rows, Columns::All, &mut costs);
        add(sums, &costs);
    });
}

fn add(sums: &mut [f64], new: &[f64]) {
    sums.iter_mut().zip(new).for_each(|(sum, x)| *sum += x);
}

fn divide(sums: &mut [f64], count: usize) {
    sums.iter_mut().for_each(|sum| *sum /= count as f64);
}

/// The obvious way, for any order: every pair by a merge.
fn merged_rows(lines: &Lines, rows: &[usize], order: Order) -> Vec<f64> {
    rows.iter()
        .flat_map(|&i| (0..lines.len()).map(move |j| transport_cost(lines.draw(i), lines.draw(j), order)))
        .collect()
}
