//! Transport costs from a few draws to all, summed over the slices.

use rayon::prelude::*;

use super::bridge::{Bridge, PANEL};
use super::tile::{Batch, Columns, row_costs};
use crate::Result;
use crate::line::{Lines, Order, transport_cost};
use crate::progress::Progress;
use crate::projection::Projection;

/// For each of `rows`, the mean over slices of W_p^p to every draw: `rows.len()` × M numbers.
pub(crate) fn row_sums(projection: &Projection, rows: &[usize], progress: &dyn Progress) -> Result<Vec<f64>> {
    let draws = projection.draws();
    let mut sums = vec![0.0; rows.len() * draws];
    if projection.order() == Order::TWO {
        let weights = projection.draw_weights();
        projection.stream(
            &projection.batches(),
            progress,
            |lines| Bridge::new(lines, weights),
            |_, bridges| {
                let batch = Batch::new(bridges);
                sums.par_chunks_mut(PANEL * draws).zip(rows.par_chunks(PANEL)).for_each(|(sums, rows)| {
                    let mut costs = vec![0.0; rows.len() * draws];
                    row_costs(&batch, rows, Columns::All, &mut costs);
                    sums.iter_mut().zip(&costs).for_each(|(sum, cost)| *sum += cost);
                });
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
                    sums.iter_mut().zip(&costs).for_each(|(sum, cost)| *sum += cost);
                }
                Ok(())
            },
        )?;
    }
    let count = projection.slices() as f64;
    sums.iter_mut().for_each(|sum| *sum /= count);
    Ok(sums)
}

/// The obvious way, for any order: every pair by a merge.
pub(super) fn merged_rows(lines: &Lines, rows: &[usize], order: Order) -> Vec<f64> {
    rows.iter()
        .flat_map(|&i| (0..lines.len()).map(move |j| transport_cost(lines.draw(i), lines.draw(j), order)))
        .collect()
}
