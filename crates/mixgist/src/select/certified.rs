//! The certified route, for p = 2 and the distance loss: bounds exclude almost every draw, the rest is computed exactly.

use rand::seq::index;
use rayon::prelude::*;

use super::embedding::{Embedding, Truncated};
use super::{Candidate, Choice, Loss, least};
use crate::Result;
use crate::pairwise::{AnchorRows, Bridges};
use crate::progress::Progress;
use crate::projection::Projection;
use crate::random::{Purpose, stream};

/// Below this many draws all pairs are as fast.
pub(super) const WORTHWHILE: usize = 400;

/// Never more anchors than this.
pub(crate) const MOST_ANCHORS: usize = 256;

/// Axes of the first, cheap pass over the bounds.
const FEW_AXES: usize = 16;

/// Bounds may be off by this much of the threshold before a draw is excluded.
const SAFETY: f64 = 1e-9;

/// Rows that are computed together may take this many numbers, 256 MB.
const MOST_NUMBERS: usize = 1 << 25;

pub(super) fn choose<'a>(
    projection: &Projection<'a>,
    bridges: &mut Bridges<'_, 'a>,
    progress: &dyn Progress,
) -> Result<Choice> {
    let draws = projection.draws();
    let anchors = anchors(draws);
    progress.begin("anchors", projection.slices() as u64);
    let AnchorRows { rows, mean_squares } = bridges.row_costs_and_mean_squares(&anchors, progress)?;
    let weights = projection.draw_weights();
    // Σ_j ω_j d_ij² = ρ_i² + V with V the mean of ρ².
    let variance = 0.5 * mean_squares.iter().zip(weights).map(|(square, weight)| square * weight).sum::<f64>();
    let squares = mean_squares.iter().map(|square| (square - variance).max(0.0)).collect();
    let embedding = Embedding::new(&anchors, &rows, squares);

    let mut search = Search::new(projection, bridges);
    search.add(&anchors, &rows, progress)?;
    let suspects: Vec<usize> = (0..draws).filter(|&i| !search.known[i]).collect();
    let bounds = |axes: &Truncated, suspects: &[usize]| -> Vec<(f64, usize)> {
        let bound = |&i: &usize| (axes.lower_bound(i, mean_squares[i], weights), i);
        let mut bounds: Vec<(f64, usize)> = suspects.par_iter().with_min_len(8).map(bound).collect();
        bounds.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        bounds
    };
    // The most promising draws first: their exact losses lower the threshold for all others.
    let mut few = bounds(&embedding.leading(FEW_AXES), &suspects);
    progress.check()?;
    let promising: Vec<usize> = few.drain(..8.min(few.len())).map(|(_, i)| i).collect();
    search.compute(&promising, progress)?;
    search.retain(&mut few);
    let suspects: Vec<usize> = few.into_iter().map(|(_, i)| i).collect();

    let mut left = bounds(&embedding.leading(embedding.axes()), &suspects);
    let mut batch = 16;
    loop {
        search.retain(&mut left);
        if left.is_empty() {
            return Ok(search.finish());
        }
        let next: Vec<usize> = left.drain(..batch.min(left.len())).map(|(_, i)| i).collect();
        search.compute(&next, progress)?;
        batch = (2 * batch).min((MOST_NUMBERS / draws).max(16));
    }
}

fn anchor_count(draws: usize) -> usize {
    ((libm::pow(draws as f64, 0.3) * 6.0) as usize / 8 * 8).clamp(32, MOST_ANCHORS)
}

/// Whether there are enough draws for screening; with fewer, all pairs are computed.
pub(super) fn can_screen(draws: usize) -> bool {
    3 * anchor_count(draws) <= draws
}

/// Draws whose rows span the embedding: 64 for 1000 draws, 128 for 10,000, evenly random.
fn anchors(draws: usize) -> Vec<usize> {
    let mut rng = stream(0, Purpose::Search, draws as u64);
    let mut chosen = index::sample(&mut rng, draws, anchor_count(draws).min(draws)).into_vec();
    chosen.sort_unstable();
    chosen
}

/// The draws whose losses are known exactly, with the rows of the two best: other rows are forgotten, so that memory does not grow.
struct Search<'s, 'p, 'a> {
    projection: &'s Projection<'a>,
    bridges: &'s mut Bridges<'p, 'a>,
    exact: Vec<(usize, f64)>,
    known: Vec<bool>,
    winner: Option<Candidate>,
    runner_up: Option<Candidate>,
}

impl<'s, 'p, 'a> Search<'s, 'p, 'a> {
    fn new(projection: &'s Projection<'a>, bridges: &'s mut Bridges<'p, 'a>) -> Self {
        Search {
            projection,
            bridges,
            exact: Vec::new(),
            known: vec![false; projection.draws()],
            winner: None,
            runner_up: None,
        }
    }

    fn compute(&mut self, draws: &[usize], progress: &dyn Progress) -> Result<()> {
        progress.begin("exact losses of candidates", self.projection.slices() as u64);
        let rows = self.bridges.row_costs(draws, progress)?;
        self.add(draws, &rows, progress)
    }

    fn add(&mut self, draws: &[usize], rows: &[f64], progress: &dyn Progress) -> Result<()> {
        let rows = draws.iter().zip(rows.chunks_exact(self.known.len()));
        let mut candidates: Vec<Candidate> =
            rows.map(|(&draw, costs)| Candidate::new(draw, costs, self.projection, Loss::Distance)).collect();
        for candidate in &candidates {
            self.known[candidate.draw] = true;
            self.exact.push((candidate.draw, candidate.expected_loss));
        }
        candidates.extend(self.winner.take());
        candidates.extend(self.runner_up.take());
        loop {
            let best = least(self.exact.iter().copied()).expect("anchors are exact");
            let winner = self.candidate(best, &candidates, progress)?;
            let is_copy = winner.copies();
            let second = least(self.exact.iter().copied().filter(|&(draw, _)| !is_copy(draw)));
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
            self.exact.push((copy, of.expected_loss));
        }
        copies.len()
    }

    /// The draw with its row: at hand, or that of a copy, or computed again.
    fn candidate(&mut self, draw: usize, at_hand: &[Candidate], progress: &dyn Progress) -> Result<Candidate> {
        let own = at_hand.iter().find(|candidate| candidate.draw == draw);
        match own.or_else(|| at_hand.iter().find(|candidate| candidate.costs[draw] == 0.0)) {
            Some(candidate) => Ok(Candidate { draw, ..candidate.clone() }),
            None => {
                let row = self.bridges.row_costs(&[draw], progress)?;
                Ok(Candidate::new(draw, &row, self.projection, Loss::Distance))
            }
        }
    }

    /// A draw whose bound is above this can be neither winner nor runner-up.
    fn threshold(&self) -> f64 {
        self.runner_up.as_ref().map_or(f64::INFINITY, |candidate| candidate.expected_loss * (1.0 + SAFETY))
    }

    /// Drops those that are known by now or cannot matter.
    fn retain(&self, suspects: &mut Vec<(f64, usize)>) {
        let threshold = self.threshold();
        suspects.retain(|&(bound, i)| bound <= threshold && !self.known[i]);
    }

    fn finish(self) -> Choice {
        Choice {
            winner: self.winner.expect("anchors are exact"),
            runner_up: self.runner_up,
            expected_losses: None,
            exact_draws: self.exact.len(),
        }
    }
}
