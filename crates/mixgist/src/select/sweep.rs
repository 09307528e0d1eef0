//! The route without pairs, for p = 2 and the power loss: Σ_j ‖Q_i − Q_j‖² from one sweep over each slice.

use super::pairs::from_losses;
use super::{Choice, Loss};
use crate::Result;
use crate::pairwise::Bridges;
use crate::progress::Progress;
use crate::projection::Projection;

pub(super) fn choose(projection: &Projection, bridges: &mut Bridges, progress: &dyn Progress) -> Result<Choice> {
    let slices = projection.slices() as u64;
    progress.begin("sweep over slices", slices);
    let losses = bridges.mean_squares(progress)?.into_iter().map(|square| square.max(0.0)).collect();
    from_losses(losses, projection, Loss::Power, |draws| {
        progress.begin("distances of the best draws", slices);
        bridges.row_costs(draws, progress)
    })
}
