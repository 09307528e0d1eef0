//! The draw that is hardest to tell from the medoid: found by bounds that are raised where they matter, and judged by its exact row.

use super::Candidate;
use super::certified::{SAFETY, side_by_side};
use super::embedding::{Embedding, KnownSums};
use super::evidence::{Rivals, row};
use super::verdict::{Judge, Margin};
use crate::Result;
use crate::loss::Loss;
use crate::pairwise::{Decompositions, SliceRows};
use crate::progress::Progress;
use crate::projection::Projection;

/// Draws whose bounds are raised together by some more axes and all sums that are known, and as many at most; and those axes.
const FEW_TOGETHER: usize = 256;
const MOST_BY_FEW: usize = 8 * FEW_TOGETHER;
const SOME_AXES: usize = 32;

/// Draws whose bounds are raised together by all axes, and as many at most: with 256 axes five times the time of the step before.
const AXES_TOGETHER: usize = 64;
const MOST_BY_AXES: usize = 16 * AXES_TOGETHER;

/// Draws whose bounds are raised together by rows of the kept slices, a panel of rows or more where a pass over the slices takes longer than its rows;
/// and as many at most.
const ROWS_TOGETHER: usize = 8;
const ROWS_TOGETHER_IF_SLOW: usize = 32;
const MOST_BY_ROWS: usize = 64;

/// Rows of draws in memory.
pub(super) struct RivalRows<'r, 'p, 'a> {
    pub(super) projection: &'r Projection<'a>,
    pub(super) decompositions: &'r mut Decompositions<'p, 'a>,
    pub(super) loss: Loss,
    /// What raises the bounds of losses, where those are not known.
    pub(super) bounds: Option<LossBounds<'p>>,
    pub(super) progress: &'r dyn Progress,
}

impl Rivals for RivalRows<'_, '_, '_> {
    type Kept = Option<SliceRows>;

    /// Bounds are raised until that draw's can be raised no more.
    fn next(&mut self, judge: &Judge, worst: &Margin, losses: &mut [f64], known: &[usize]) -> Result<Option<usize>> {
        loop {
            let next = judge.next_rival(worst, losses, known);
            let (Some(draw), Some(bounds)) = (next, &mut self.bounds) else { return Ok(next) };
            let step = bounds.steps[draw];
            let rows = if self.decompositions.keeps() { ROWS_TOGETHER } else { ROWS_TOGETHER_IF_SLOW };
            let (left, together) = match step {
                Step::First => (&mut bounds.left[0], FEW_TOGETHER),
                Step::SomeAxes => (&mut bounds.left[1], AXES_TOGETHER),
                Step::AllAxes => (&mut bounds.left[2], rows),
                Step::Row => return Ok(next),
            };
            if *left == 0 {
                return Ok(next);
            }
            *left = left.saturating_sub(together);
            let mut draws = judge.flattest(worst, losses, together, |j| bounds.steps[j] == step);
            if !draws.contains(&draw) {
                draws.push(draw);
            }
            match step {
                Step::First => bounds.raise_by_axes(&draws, losses, Step::SomeAxes, self.progress)?,
                Step::SomeAxes => bounds.raise_by_axes(&draws, losses, Step::AllAxes, self.progress)?,
                _ => bounds.raise_by_rows(&draws, losses, self.decompositions, self.progress)?,
            }
        }
    }

    fn row(&mut self, draw: usize) -> Result<(Candidate, Self::Kept)> {
        let (costs, kept) = self.decompositions.merged_row_costs(&[draw], self.progress)?;
        self.bounds.iter_mut().for_each(|bounds| bounds.steps[draw] = Step::Row);
        Ok((Candidate::new(draw, &costs, self.projection, self.loss), kept))
    }

    fn of_slices(&mut self, rival: &Candidate, kept: Self::Kept) -> Result<Vec<f64>> {
        let row = row(rival, self.projection, self.loss);
        match kept.and_then(|kept| kept.weighted_costs(&row)) {
            Some(sums) => Ok(sums),
            None => Ok(self.decompositions.weighted_costs(std::slice::from_ref(&row), self.progress)?.swap_remove(0)),
        }
    }
}

/// What raises lower bounds of the expected losses of draws.
pub(super) struct LossBounds<'p> {
    /// What each bound rests on.
    steps: Vec<Step>,
    /// How far the loss of each draw over the kept slices may be from its exact one.
    slack: Vec<f64>,
    embedding: Embedding,
    known: KnownSums<'p>,
    /// Bounds that may still be raised by some axes, by all and by rows.
    left: [usize; 3],
}

/// What a bound rests on, the roughest first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A few axes of the embedding and the means of squared distances.
    First,
    /// Some axes, and all sums of squared distances that are known; or more, while there were fewer axes.
    SomeAxes,
    /// All of them.
    AllAxes,
    /// A row of the kept slices.
    Row,
}

impl<'p> LossBounds<'p> {
    pub(super) fn new(steps: Vec<Step>, slack: Vec<f64>, embedding: Embedding, known: KnownSums<'p>) -> Self {
        LossBounds { steps, slack, embedding, known, left: [MOST_BY_FEW, MOST_BY_AXES, MOST_BY_ROWS] }
    }

    /// Raises the bounds of some draws by what the embedding knows, to the step of some or of all axes.
    fn raise_by_axes(
        &mut self,
        draws: &[usize],
        losses: &mut [f64],
        step: Step,
        progress: &dyn Progress,
    ) -> Result<()> {
        let axes = if step == Step::SomeAxes { SOME_AXES } else { self.embedding.axes() };
        let leading = self.embedding.leading(axes);
        let of_draws = |draws: &[usize]| leading.lower_bounds(draws, &self.known);
        let found = side_by_side(&of_draws, draws, losses.len(), progress)?;
        self.raise(draws, &found, losses, step);
        Ok(())
    }

    /// Raises the bounds of some draws by their rows of the kept slices.
    fn raise_by_rows(
        &mut self,
        draws: &[usize],
        losses: &mut [f64],
        decompositions: &mut Decompositions,
        progress: &dyn Progress,
    ) -> Result<()> {
        progress.begin("exact losses of candidates", decompositions.slices() as u64);
        let rows = decompositions.row_costs(draws, progress)?;
        let weights = decompositions.projection().draw_weights();
        let loss = |costs: &[f64]| costs.iter().zip(weights).map(|(cost, weight)| cost.sqrt() * weight).sum();
        let found: Vec<f64> = rows.chunks_exact(weights.len()).map(loss).collect();
        self.raise(draws, &found, losses, Step::Row);
        Ok(())
    }

    fn raise(&mut self, draws: &[usize], found: &[f64], losses: &mut [f64], step: Step) {
        for (&draw, found) in draws.iter().zip(found) {
            losses[draw] = losses[draw].max(found * (1.0 - SAFETY) - self.slack[draw]);
            self.steps[draw] = step;
        }
    }
}
