//! The Monte Carlo error of the medoid's expected loss, and of its lead over the runner-up, by the delta method over slices.

use super::{Candidate, Choice, Loss};
use crate::Result;
use crate::line::{LineMeasure, Lines, transport_cost};
use crate::pairwise::Bridges;
use crate::progress::Progress;
use crate::projection::Projection;
use crate::slice_error::standard_error;

pub(super) struct Evidence {
    pub(super) expected_loss_se: Option<f64>,
    pub(super) difference_se: Option<f64>,
}

/// One more pass over the slices, merging two rows only.
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
    let slopes = |candidate: &Candidate| -> Vec<f64> {
        let slopes = candidate.costs.iter().map(|&cost| loss.slope(cost, order));
        slopes.zip(projection.draw_weights()).map(|(slope, weight)| slope * weight).collect()
    };
    let winner_slopes = slopes(&choice.winner);
    let runner_up = choice.runner_up.as_ref().map(|candidate| (candidate.draw, slopes(candidate)));
    let linearized = |lines: &Lines, own: LineMeasure, slopes: &[f64]| -> f64 {
        let costs = slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0);
        costs.map(|(j, slope)| slope * transport_cost(own, lines.draw(j), order)).sum()
    };
    progress.begin("errors over slices", projection.slices() as u64);
    let pairs = bridges.map_lines(progress, |lines| {
        let own = linearized(lines, lines.draw(choice.winner.draw), &winner_slopes);
        let other = runner_up.as_ref().map(|(draw, slopes)| linearized(lines, lines.draw(*draw), slopes));
        (own, other)
    })?;
    let losses: Vec<f64> = pairs.iter().map(|(own, _)| *own).collect();
    let differences: Vec<f64> = pairs.iter().filter_map(|(own, other)| Some((*other)? - own)).collect();
    Ok(Evidence {
        expected_loss_se: standard_error(&losses, projection.replicates()),
        difference_se: standard_error(&differences, projection.replicates()),
    })
}
