//! The Monte Carlo error of the medoid's expected loss, and of its lead over the runner-up, by the delta method over slices.

use super::verdict::{Judge, Margin, Rival};
use super::{Candidate, Choice};
use crate::Result;
use crate::effective::Origin;
use crate::line::Order;
use crate::loss::Loss;
use crate::pairwise::Decompositions;
use crate::progress::Progress;
use crate::projection::Projection;
use crate::slice::Replicates;
use crate::slice_error::{groups, standard_error};
use crate::work::WeightedRow;

pub(super) struct Evidence {
    pub(super) expected_loss_se: Option<f64>,
    pub(super) difference_se: Option<f64>,
    /// Independent groups of slices, less one.
    pub(super) slice_freedom: usize,
    /// What the winner's losses are on each slice, by the delta method.
    of_winner: Vec<f64>,
}

/// One more pass over the slices, merging two rows only, unless the route has kept them.
///
/// The expected loss Σ_j ω_j ℓ(C_ij) is a smooth function of the mean costs C_ij, and so its error is that of the mean over slices
/// of Σ_j ω_j ℓ′(C_ij) c_ij(slice).
pub(super) fn gather(
    projection: &Projection,
    decompositions: &Decompositions,
    loss: Loss,
    choice: &Choice,
    progress: &dyn Progress,
) -> Result<Evidence> {
    let rows: Vec<WeightedRow> =
        std::iter::once(&choice.winner).chain(&choice.runner_up).map(|one| row(one, projection, loss)).collect();
    let at_hand = |row: &WeightedRow| choice.slice_rows.iter().find_map(|kept| kept.weighted_costs(row));
    let sums = match rows.iter().map(at_hand).collect::<Option<Vec<_>>>() {
        Some(sums) => sums,
        None => {
            progress.begin("errors over slices", projection.slices() as u64);
            decompositions.weighted_costs(&rows, progress)?
        }
    };
    Ok(Evidence::of_slices(sums, projection.slices(), projection.replicates()))
}

impl Evidence {
    /// From the losses of the winner on each slice and those of the runner-up, if there is one.
    pub(super) fn of_slices(mut sums: Vec<Vec<f64>>, slices: usize, replicates: Replicates) -> Self {
        let differences: Vec<f64> =
            sums[1..].iter().flat_map(|second| second.iter().zip(&sums[0]).map(|(b, a)| b - a)).collect();
        Evidence {
            expected_loss_se: standard_error(&sums[0], replicates),
            difference_se: standard_error(&differences, replicates),
            slice_freedom: groups(slices, replicates).saturating_sub(1),
            of_winner: sums.swap_remove(0),
        }
    }
}

/// What each of a candidate's costs counts for in its expected loss.
pub(super) fn row(candidate: &Candidate, projection: &Projection, loss: Loss) -> WeightedRow {
    let order = projection.order();
    let slopes = candidate.costs.iter().map(|&cost| loss.slope(cost, order));
    let slopes = slopes.zip(projection.draw_weights()).map(|(slope, weight)| slope * weight).collect();
    WeightedRow { draw: candidate.draw, slopes }
}

/// Rows that are computed at most to find and judge rivals besides the runner-up.
const MOST_ROWS: usize = 12;

/// Whoever computes the costs of rivals.
pub(super) trait Rivals {
    /// What is kept of the costs on each slice.
    type Kept;

    /// As [`Judge::next_rival`]; bounds among the losses may be raised before.
    fn next(&mut self, judge: &Judge, worst: &Margin, losses: &mut [f64], known: &[usize]) -> Result<Option<usize>> {
        Ok(judge.next_rival(worst, losses, known))
    }

    /// A draw with its costs to all.
    fn row(&mut self, draw: usize) -> Result<(Candidate, Self::Kept)>;

    /// What its losses are on each slice, by the delta method.
    fn of_slices(&mut self, rival: &Candidate, kept: Self::Kept) -> Result<Vec<f64>>;
}

/// What a margin is judged by.
pub(super) struct Judging<'a> {
    pub(super) origin: &'a dyn Origin,
    pub(super) order: Order,
    pub(super) loss: Loss,
    pub(super) replicates: Replicates,
    /// Distances of all draws from the winner.
    pub(super) distances: &'a [f64],
}

/// The margin of the winner over the draw that is hardest to tell from it. Each rival besides the runner-up costs a row.
pub(super) fn margin(
    judging: &Judging,
    choice: &Choice,
    evidence: &Evidence,
    rivals: &mut impl Rivals,
) -> Result<Option<Margin>> {
    let Some(runner_up) = &choice.runner_up else { return Ok(None) };
    let Judging { origin, order, loss, replicates, distances } = *judging;
    let judge = Judge::new(origin, choice.winner.expected_loss, distances, evidence.slice_freedom);
    let judged = |rival: &Candidate, slice_error: Option<f64>| {
        let pairs = choice.winner.costs.iter().zip(&rival.costs);
        let preferences: Vec<f64> = pairs.map(|(&a, &b)| loss.of_cost(b, order) - loss.of_cost(a, order)).collect();
        let Candidate { draw, expected_loss, .. } = *rival;
        judge.margin(&Rival { draw, expected_loss, preferences: &preferences, slice_error })
    };
    let mut worst = judged(runner_up, evidence.difference_se);
    let mut losses = choice.expected_losses.as_ref().unwrap_or(&choice.loss_bounds).clone();
    losses[runner_up.draw] = runner_up.expected_loss;
    let mut known = vec![choice.winner.draw, runner_up.draw];
    for _ in 0..MOST_ROWS {
        let Some(next) = rivals.next(&judge, &worst, &mut losses, &known)? else { break };
        let (rival, kept) = rivals.row(next)?;
        // A bound is below the loss: with the loss itself another draw may be harder to tell from the winner.
        let is_copy = rival.copies();
        losses.iter_mut().enumerate().filter(|(j, _)| is_copy(*j)).for_each(|(_, loss)| *loss = rival.expected_loss);
        if judge.next_rival(&worst, &losses, &known) != Some(next) {
            continue;
        }
        known.push(next);
        let of_slices = rivals.of_slices(&rival, kept)?;
        let differences: Vec<f64> = of_slices.iter().zip(&evidence.of_winner).map(|(b, a)| b - a).collect();
        let margin = judged(&rival, standard_error(&differences, replicates));
        if margin.is_worse_than(&worst) {
            worst = margin;
        }
    }
    Ok(Some(worst))
}
