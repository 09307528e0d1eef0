//! The route without pairs, for p = 2 and the power loss: Σ_j ‖Q_i − Q_j‖² from one sweep over each slice.

use super::pairs::from_losses;
use super::{Choice, Loss};
use crate::Result;
use crate::pairwise::Decompositions;
use crate::progress::Progress;
use crate::projection::Projection;

pub(super) fn choose(
    projection: &Projection,
    decompositions: &mut Decompositions,
    progress: &dyn Progress,
) -> Result<Choice<'static>> {
    let slices = projection.slices() as u64;
    progress.begin("sweep over slices", slices);
    let losses = decompositions.mean_squares(progress)?.into_iter().map(|square| square.max(0.0)).collect();
    let mut slice_rows = Vec::new();
    let choice = from_losses(losses, projection, Loss::Power, |draws| {
        progress.begin("distances of the best draws", slices);
        if decompositions.keeps() {
            return decompositions.row_costs(draws, progress);
        }
        // Merging two rows takes a third of the time of decomposing the slices again.
        let (costs, of_slices) = decompositions.merged_row_costs(draws, progress)?;
        slice_rows.extend(of_slices);
        Ok(costs)
    })?;
    Ok(Choice { slice_rows, ..choice })
}
