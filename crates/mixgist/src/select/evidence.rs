//! The Monte Carlo error of the medoid's expected loss, and of its lead over the runner-up, by the delta method over slices.

use super::{Candidate, Choice, Loss};
use crate::Result;
use crate::pairwise::{Bridges, WeightedRow};
use crate::progress::Progress;
use crate::projection::Projection;
use crate::slice_error::standard_error;

pub(super) struct Evidence {
    pub(super) expected_loss_se: Option<f64>,
    pub(super) difference_se: Option<f64>,
}

/// One more pass over the slices, merging two rows only, unless the route has kept them.
///
/// The expected loss Σ_j ω_j ℓ(C_ij) is a smooth function of the mean costs C_ij, and so its error is that of the mean over slices
/// of Σ_j ω_j ℓ′(C_ij) c_ij(slice).
pub(super) fn gather(
    projection: &Projection,
    bridges: &Bridges,
    loss: Loss,
    choice: &Choice,
    progress: &dyn Progress,
) -> Result<Evidence> {
    let order = projection.order();
    let row = |candidate: &Candidate| -> WeightedRow {
        let slopes = candidate.costs.iter().map(|&cost| loss.slope(cost, order));
        let slopes = slopes.zip(projection.draw_weights()).map(|(slope, weight)| slope * weight).collect();
        WeightedRow { draw: candidate.draw, slopes }
    };
    let rows: Vec<WeightedRow> = std::iter::once(&choice.winner).chain(&choice.runner_up).map(row).collect();
    let at_hand = |row: &WeightedRow| choice.slice_rows.iter().find_map(|kept| kept.weighted_costs(row));
    let sums = match rows.iter().map(at_hand).collect::<Option<Vec<_>>>() {
        Some(sums) => sums,
        None => {
            progress.begin("errors over slices", projection.slices() as u64);
            bridges.weighted_costs(&rows, progress)?
        }
    };
    let differences: Vec<f64> =
        sums[1..].iter().flat_map(|second| second.iter().zip(&sums[0]).map(|(b, a)| b - a)).collect();
    Ok(Evidence {
        expected_loss_se: standard_error(&sums[0], projection.replicates()),
        difference_se: standard_error(&differences, projection.replicates()),
    })
}
