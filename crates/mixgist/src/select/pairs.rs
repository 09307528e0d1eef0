//! The plain route: all pairs of draws.

use super::{Candidate, Choice, Loss, least};
use crate::Result;
use crate::pairwise::cost_matrix;
use crate::progress::Progress;
use crate::projection::Projection;

pub(super) fn choose(projection: &Projection, loss: Loss, progress: &dyn Progress) -> Result<Choice<'static>> {
    progress.begin("all pairs of draws", projection.slices() as u64);
    let costs = cost_matrix(projection, progress)?;
    let order = projection.order();
    let losses = costs.row_means_of(projection.draw_weights(), |cost| loss.of_cost(cost, order));
    from_losses(losses, projection, loss, |draws| {
        Ok(draws.iter().flat_map(|&i| (0..costs.len()).map(move |j| (i, j))).map(|(i, j)| costs.get(i, j)).collect())
    })
}

/// The two best draws when the losses of all are known; `rows` gives the costs of some draws to all.
pub(super) fn from_losses(
    losses: Vec<f64>,
    projection: &Projection,
    loss: Loss,
    mut rows: impl FnMut(&[usize]) -> Result<Vec<f64>>,
) -> Result<Choice<'static>> {
    let candidate = |draw: usize, costs: &[f64]| Candidate {
        expected_loss: losses[draw],
        ..Candidate::new(draw, costs, projection, loss)
    };
    let all = || losses.iter().copied().enumerate();
    let first = least(all()).expect("there is a draw");
    let Some(second) = least(all().filter(|&(i, _)| i != first)) else {
        return Ok(Choice::new(candidate(first, &rows(&[first])?), None, losses.clone()));
    };
    let costs = rows(&[first, second])?;
    let (first_costs, second_costs) = costs.split_at(losses.len());
    let winner = candidate(first, first_costs);
    // Draws that are copies of the winner are no rivals; then the runner-up is further down.
    let is_copy = winner.copies();
    let runner_up = match least(all().filter(|&(i, _)| i != first && !is_copy(i))) {
        Some(draw) if draw == second => Some(candidate(second, second_costs)),
        Some(draw) => Some(candidate(draw, &rows(&[draw])?)),
        None => None,
    };
    drop(is_copy);
    Ok(Choice::new(winner, runner_up, losses.clone()))
}
