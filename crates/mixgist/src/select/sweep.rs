//! The route without pairs, for p = 2 and the power loss: Σ_j ‖Q_i − Q_j‖² from one sweep over each slice.

use super::pairs::from_losses;
use super::{Choice, Loss};
use crate::Result;
use crate::pairwise::{Bridge, row_costs_of};
use crate::progress::Progress;
use crate::projection::Projection;

pub(super) fn choose(projection: &Projection, progress: &dyn Progress) -> Result<Choice> {
    progress.begin("sweep over slices", projection.slices() as u64);
    let losses = mean_squares(projection, progress)?;
    from_losses(losses, |draw| row_costs_of(projection, &[draw], progress), projection, Loss::Power)
}

/// For every draw the mean over draws and slices of the squared distance.
fn mean_squares(projection: &Projection, progress: &dyn Progress) -> Result<Vec<f64>> {
    let weights = projection.draw_weights();
    let mut sums = vec![0.0; projection.draws()];
    projection.stream(
        &projection.batches(),
        progress,
        |lines| {
            let mut squares = vec![0.0; lines.len()];
            Bridge::new(lines, weights).add_mean_squares(weights, &mut squares);
            squares
        },
        |_, batch| {
            for squares in batch {
                sums.iter_mut().zip(&squares).for_each(|(sum, square)| *sum += square);
            }
            Ok(())
        },
    )?;
    let slices = projection.slices() as f64;
    Ok(sums.into_iter().map(|sum| (sum / slices).max(0.0)).collect())
}
