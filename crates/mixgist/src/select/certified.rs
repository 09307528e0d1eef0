//! The certified route, for p = 2 and the distance loss: bounds exclude almost every draw, the rest is computed exactly.

use std::cell::RefCell;

use rand::seq::index;
use rayon::prelude::*;

use super::embedding::{Embedding, KnownSums, Rough, Truncated};
use super::rivals::{LossBounds, Step};
use super::{Candidate, Choice, Loss, least};
use crate::Result;
use crate::pairwise::{AnchorRows, Decompositions, MOST_MERGED, WEIGHTINGS, Weightings};
use crate::progress::Progress;
use crate::projection::Projection;
use crate::random::{Purpose, stream};
use crate::work::Form;

/// Below this many draws all pairs are as fast.
pub(super) const WORTHWHILE: usize = 400;

/// Never more axes than this.
const MOST_AXES: usize = 256;

/// Bounds that are computed anew for each row that was: a bound has a hundredth of the arithmetic of a row of 100 slices.
const BOUNDS_PER_ROW: usize = 64;

/// Axes of the first, cheap pass over the bounds.
const FEW_AXES: usize = 16;

/// With more draws in question than this, sums of squared distances under further weightings are worth a sweep, which takes the time of a dozen rows.
const MANY_SUSPECTS: usize = 64;

/// Bounds may be off by this much of the threshold before a draw is excluded.
pub(super) const SAFETY: f64 = 1e-9;

/// Rows that are computed together may take this many numbers, 256 MB.
const MOST_NUMBERS: usize = 1 << 25;

/// Pairs of draws whose intervals are worked on between two looks at whether to go on: less than a second with all axes.
const MOST_PAIRS: usize = 1 << 25;

/// Lower bounds of the losses of some draws.
pub(super) type Bounds<'b> = &'b (dyn Fn(&[usize]) -> Vec<f64> + Sync);

/// `decompositions` hold compressed draws: the search runs on those, and knows how far each is from the draw that it stands for. The few
/// draws that are in question then are compared as they are.
pub(super) fn choose<'p, 'a>(
    projection: &'p Projection<'a>,
    decompositions: &mut Decompositions<'p, 'a>,
    progress: &dyn Progress,
) -> Result<Choice<'p>> {
    let draws = projection.draws();
    let anchors = anchors(draws);
    progress.begin("anchors", projection.slices() as u64);
    let AnchorRows { rows, mean_squares } = decompositions.row_costs_and_mean_squares(&anchors, progress)?;
    let weights = projection.draw_weights();
    // Σ_j ω_j d_ij² = ρ_i² + V with V the mean of ρ².
    let variance = 0.5 * mean_squares.iter().zip(weights).map(|(square, weight)| square * weight).sum::<f64>();
    let squares = mean_squares.iter().map(|square| (square - variance).max(0.0)).collect();
    let mut embedding = Embedding::new(&anchors, &rows, squares);

    let mut known = KnownSums::new(weights, mean_squares, decompositions.spread().map_or(0.0, |spread| spread.size));

    let slack = slack(decompositions.moved(), weights);
    let keeps = decompositions.keeps();
    // Further weightings, and their sums, which the next pass for rows gives as well.
    let (wanted, found) = (RefCell::new(Vec::<Weightings>::new()), RefCell::new(Vec::new()));
    let mut search = Search::new(projection, |rows, progress| {
        let weightings = wanted.take();
        if weightings.is_empty() {
            return decompositions.row_costs(rows, progress);
        }
        let (costs, sums) = decompositions.row_costs_and_weighted_squares(rows, &weightings, progress)?;
        found.replace(sums);
        Ok(costs)
    });
    (search.slack, search.cheap_passes) = (slack, keeps);
    search.add(&anchors, &rows, progress)?;
    let bounds = |of_draws: Bounds, suspects: &[(f64, usize)]| -> Result<Vec<(f64, usize)>> {
        let suspects: Vec<usize> = suspects.iter().map(|&(_, i)| i).collect();
        let found = side_by_side(of_draws, &suspects, draws, progress)?;
        Ok(found.into_iter().zip(suspects).collect())
    };
    let unknown: Vec<(f64, usize)> = (0..draws).filter(|&i| !search.known[i]).map(|i| (0.0, i)).collect();
    let leading = embedding.leading(FEW_AXES);
    let rough = Rough::new(&leading, &known);
    let first_bounds = |draws: &[usize]| match &rough {
        Some(rough) => rough.lower_bounds(draws),
        None => leading.lower_bounds(draws, &known),
    };
    let mut few = sorted(bounds(&first_bounds, &unknown)?);
    let mut loss_bounds = vec![0.0; draws];
    few.iter().for_each(|&(bound, i)| loss_bounds[i] = bound - search.slack[i]);
    search.retain(&mut few);
    let mut functions = Vec::new();
    if few.len() > MANY_SUSPECTS {
        functions = embedding.slope_functions(embedding.square(few[0].1), weights);
        let weighted = |(f, weight): (&Weightings, &f64)| f.map(|f| f * weight);
        wanted.replace(functions.iter().zip(weights).map(weighted).collect());
    }
    // The most promising draws first: their exact losses lower the threshold for all others, and their rows sharpen the
    // bounds of their neighbours, which are promising too: 60 rows instead of 110 for 1000 draws.
    // Where a pass over the slices takes long, it shall be the last.
    let mut sharpened = Vec::new();
    let first = if keeps { 8 } else { (draws / 64).clamp(16, 32) };
    search.exhaust(few, first, progress, |computed, rows, left| {
        embedding.extend(computed, rows, MOST_AXES);
        let sums = found.take();
        let doubtful = if sums.is_empty() { left.len().min(BOUNDS_PER_ROW * computed.len()) } else { left.len() };
        if !sums.is_empty() {
            known.extend(&functions, sums);
        }
        let all_axes = embedding.leading(embedding.axes());
        let sharper = bounds(&|draws| all_axes.lower_bounds(draws, &known), &left[..doubtful])?;
        left.iter_mut().zip(sharper).for_each(|(old, new)| old.0 = old.0.max(new.0));
        sharpened.extend_from_slice(&left[..doubtful]);
        Ok(())
    })?;

    let contenders = search.contenders();
    let mut steps = vec![Step::First; draws];
    for (bound, i) in sharpened {
        loss_bounds[i] = f64::max(loss_bounds[i], bound - search.slack[i]);
        steps[i] = Step::SomeAxes;
    }
    search.losses.iter().for_each(|&(draw, loss)| loss_bounds[draw] = loss - search.slack[draw]);
    let (computed, slack) = (search.losses.len(), std::mem::take(&mut search.slack));
    steps.iter_mut().zip(&search.known).filter(|(_, known)| **known).for_each(|(step, _)| *step = Step::Row);
    drop(search);
    decompositions.guess_radii(embedding.median_radii(weights));
    let (mut exact, mut asked) = (Decompositions::new(projection, Form::Exact), 0);
    let mut slice_rows = Vec::new();
    let mut finals = Search::new(projection, |rows, progress| {
        asked += rows.len();
        if asked > MOST_MERGED {
            // There is space for the slices in one form.
            decompositions.release();
            return exact.row_costs(rows, progress);
        }
        let (costs, of_slices) = decompositions.merged_row_costs(rows, progress)?;
        slice_rows.extend(of_slices);
        Ok(costs)
    });
    // The first two are the winner and the runner-up, unless they differ from the others by less than compression changed them.
    finals.exhaust(contenders, 2, progress, |_, _, _| Ok(()))?;
    let Search { winner, runner_up, .. } = finals;
    Ok(Choice {
        winner: winner.expect("there is a contender"),
        runner_up,
        expected_losses: None,
        loss_bounds,
        bounds: Some(LossBounds::new(steps, slack, embedding, known)),
        exact_draws: computed,
        slice_rows,
    })
}

/// The bounds of some of all draws, side by side.
pub(super) fn side_by_side(
    of_draws: Bounds,
    some: &[usize],
    draws: usize,
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    let mut bounds = Vec::with_capacity(some.len());
    progress.begin("bounds of losses", some.len() as u64);
    for some in some.chunks((MOST_PAIRS / draws).max(Truncated::TOGETHER)) {
        progress.check()?;
        let found: Vec<Vec<f64>> = some.par_chunks(Truncated::TOGETHER).map(of_draws).collect();
        bounds.extend(found.into_iter().flatten());
        progress.advance(some.len() as u64);
    }
    Ok(bounds)
}

/// How far the expected loss of each draw may be from that of the compressed draws: by how far the draw itself moved, and by how far the
/// others moved on average.
fn slack(moved: &[f64], weights: &[f64]) -> Vec<f64> {
    let others: f64 = moved.iter().zip(weights).map(|(moved, weight)| moved * weight).sum();
    moved.iter().map(|own| (own + others) * (1.0 + SAFETY)).collect()
}

/// Numbers that the search takes at most, for `draws` draws: its axes, weightings with their functions and sums, and rows of costs with their copies, those of the
/// anchors or of a batch of candidates.
pub(crate) fn most_numbers(draws: usize) -> usize {
    draws * (MOST_AXES.min(draws) + 4 * WEIGHTINGS)
        + 3 * draws * anchor_count(draws).max(largest_batch(draws).min(draws))
}

/// Candidates that are computed together at most.
fn largest_batch(draws: usize) -> usize {
    (MOST_NUMBERS / draws).max(16)
}

fn anchor_count(draws: usize) -> usize {
    ((libm::pow(draws as f64, 0.3) * 4.0) as usize / 8 * 8).clamp(24, MOST_AXES)
}

/// Whether there are enough draws for screening; with fewer, all pairs are computed.
pub(super) fn can_screen(draws: usize) -> bool {
    3 * anchor_count(draws) <= draws
}

/// Draws whose rows span the embedding at first: 24 for 1000 draws, 56 for 10,000, evenly random.
fn anchors(draws: usize) -> Vec<usize> {
    let mut rng = stream(0, Purpose::Search, draws as u64);
    let mut chosen = index::sample(&mut rng, draws, anchor_count(draws).min(draws)).into_vec();
    chosen.sort_unstable();
    chosen
}

/// The draws whose losses have been computed, with the rows of the two best: other rows are forgotten, so that memory does not grow.
struct Search<'s, 'a, R> {
    projection: &'s Projection<'a>,
    /// Computes the mean costs of some draws to all.
    rows: R,
    losses: Vec<(usize, f64)>,
    known: Vec<bool>,
    /// How far the computed loss of each draw may be from its exact one.
    slack: Vec<f64>,
    /// Whether the slices are kept, so that another pass over them costs next to nothing but the rows.
    cheap_passes: bool,
    winner: Option<Candidate>,
    runner_up: Option<Candidate>,
}

impl<'s, 'a, R: FnMut(&[usize], &dyn Progress) -> Result<Vec<f64>>> Search<'s, 'a, R> {
    fn new(projection: &'s Projection<'a>, rows: R) -> Self {
        let draws = projection.draws();
        let (known, slack) = (vec![false; draws], vec![0.0; draws]);
        Search { projection, rows, losses: Vec::new(), known, slack, cheap_passes: true, winner: None, runner_up: None }
    }

    /// Computes suspects, the least bounds first, until all that are left are out. `sharpen` may raise the bounds of those left, by
    /// what the rows just computed tell.
    fn exhaust(
        &mut self,
        mut left: Vec<(f64, usize)>,
        mut batch: usize,
        progress: &dyn Progress,
        mut sharpen: impl FnMut(&[usize], &[f64], &mut [(f64, usize)]) -> Result<()>,
    ) -> Result<()> {
        loop {
            self.retain(&mut left);
            if left.is_empty() {
                return Ok(());
            }
            let next: Vec<usize> = left.drain(..batch.min(left.len())).map(|(_, i)| i).collect();
            progress.begin("exact losses of candidates", self.projection.slices() as u64);
            let rows = (self.rows)(&next, progress)?;
            self.add(&next, &rows, progress)?;
            self.retain(&mut left);
            sharpen(&next, &rows, &mut left)?;
            left = sorted(left);
            // Small batches waste few rows on draws that the next bounds would exclude; but each takes a pass over the slices.
            let most = if self.cheap_passes { 16.max(self.losses.len() / 4) } else { usize::MAX };
            batch = (2 * batch).min(most).min(largest_batch(self.known.len()));
        }
    }

    fn add(&mut self, draws: &[usize], rows: &[f64], progress: &dyn Progress) -> Result<()> {
        let rows = draws.iter().zip(rows.chunks_exact(self.known.len()));
        let mut candidates: Vec<Candidate> =
            rows.map(|(&draw, costs)| Candidate::new(draw, costs, self.projection, Loss::Distance)).collect();
        for candidate in &candidates {
            self.known[candidate.draw] = true;
            self.losses.push((candidate.draw, candidate.expected_loss));
        }
        candidates.extend(self.winner.take());
        candidates.extend(self.runner_up.take());
        loop {
            let best = least(self.losses.iter().copied()).expect("a loss is known");
            let winner = self.candidate(best, &candidates, progress)?;
            let is_copy = winner.copies();
            let second = least(self.losses.iter().copied().filter(|&(draw, _)| !is_copy(draw)));
            drop(is_copy);
            let runner_up = second.map(|draw| self.candidate(draw, &candidates, progress)).transpose()?;
            let copies = self.recognize_copies(&winner) + runner_up.as_ref().map_or(0, |c| self.recognize_copies(c));
            if copies == 0 {
                (self.winner, self.runner_up) = (Some(winner), runner_up);
                return Ok(());
            }
        }
    }

    /// Draws at distance exactly 0 are the same on every slice, and so is their loss: samplers that reject moves repeat draws.
    fn recognize_copies(&mut self, of: &Candidate) -> usize {
        let copies: Vec<usize> = (0..self.known.len()).filter(|&i| !self.known[i] && of.costs[i] == 0.0).collect();
        for &copy in &copies {
            self.known[copy] = true;
            self.losses.push((copy, of.expected_loss));
        }
        copies.len()
    }

    /// The draw with its row: at hand, or that of a copy, or computed again.
    fn candidate(&mut self, draw: usize, at_hand: &[Candidate], progress: &dyn Progress) -> Result<Candidate> {
        let own = at_hand.iter().find(|candidate| candidate.draw == draw);
        match own.or_else(|| at_hand.iter().find(|candidate| candidate.costs[draw] == 0.0)) {
            Some(candidate) => Ok(Candidate { draw, ..candidate.clone() }),
            None => {
                let row = (self.rows)(&[draw], progress)?;
                Ok(Candidate::new(draw, &row, self.projection, Loss::Distance))
            }
        }
    }

    /// A draw whose exact loss is above this can be neither winner nor runner-up: two draws that are not copies are below.
    fn threshold(&self) -> f64 {
        let most = |candidate: &Candidate| (candidate.expected_loss + self.slack[candidate.draw]) * (1.0 + SAFETY);
        match (&self.winner, &self.runner_up) {
            (Some(winner), Some(runner_up)) => most(winner).max(most(runner_up)),
            _ => f64::INFINITY,
        }
    }

    /// Drops those that are known by now or cannot matter.
    fn retain(&self, suspects: &mut Vec<(f64, usize)>) {
        let threshold = self.threshold();
        suspects.retain(|&(bound, i)| bound - self.slack[i] <= threshold && !self.known[i]);
    }

    /// Draws that may be the winner or the runner-up, with lower bounds of their exact losses, the least first.
    fn contenders(&self) -> Vec<(f64, usize)> {
        let threshold = self.threshold();
        let bounds = self.losses.iter().map(|&(draw, loss)| (loss - self.slack[draw], draw));
        sorted(bounds.filter(|&(bound, _)| bound <= threshold).collect())
    }
}

/// The least bounds first.
fn sorted(mut bounds: Vec<(f64, usize)>) -> Vec<(f64, usize)> {
    bounds.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    bounds
}
