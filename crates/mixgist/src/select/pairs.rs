//! The plain route: all pairs of draws.

use super::{Candidate, Choice, Loss, is_same_measure, least};
use crate::Result;
use crate::pairwise::{Condensed, cost_matrix};
use crate::progress::Progress;
use crate::projection::Projection;

pub(super) fn choose(projection: &Projection, loss: Loss, progress: &dyn Progress) -> Result<Choice> {
    progress.begin("all pairs of draws", projection.slices() as u64);
    let costs = cost_matrix(projection, progress)?;
    let order = projection.order();
    let losses = costs.row_means_of(projection.draw_weights(), |cost| loss.of_cost(cost, order));
    from_losses(losses, |draw| Ok(row(&costs, draw)), projection, loss)
}

/// The two best draws when the losses of all are known.
pub(super) fn from_losses(
    losses: Vec<f64>,
    costs_of: impl Fn(usize) -> Result<Vec<f64>>,
    projection: &Projection,
    loss: Loss,
) -> Result<Choice> {
    let winner = least(losses.iter().copied().enumerate()).expect("there is a draw");
    let winner =
        Candidate { expected_loss: losses[winner], ..Candidate::new(winner, &costs_of(winner)?, projection, loss) };
    let others = losses.iter().copied().enumerate().filter(|&(i, _)| !is_same_measure(&winner, i));
    let runner_up = match least(others) {
        Some(draw) => {
            Some(Candidate { expected_loss: losses[draw], ..Candidate::new(draw, &costs_of(draw)?, projection, loss) })
        }
        None => None,
    };
    Ok(Choice { winner, runner_up, exact_draws: losses.len(), expected_losses: Some(losses) })
}

fn row(costs: &Condensed, i: usize) -> Vec<f64> {
    (0..costs.len()).map(|j| costs.get(i, j)).collect()
}
