//! The certified route, for p = 2 and the distance loss: bounds exclude almost every draw, the rest is computed exactly.

use rand::seq::index;
use rayon::prelude::*;

use super::embedding::{Embedding, Truncated};
use super::{Candidate, Choice, Loss, is_same_measure, least, pairs};
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

pub(super) fn choose<'a>(
    projection: &Projection<'a>,
    bridges: &mut Bridges<'_, 'a>,
    progress: &dyn Progress,
) -> Result<Choice> {
    let draws = projection.draws();
    let anchors = anchors(draws);
    if 3 * anchors.len() > draws {
        return pairs::choose(projection, Loss::Distance, progress);
    }
    progress.begin("anchors", projection.slices() as u64);
    let AnchorRows { rows, mean_squares } = bridges.row_costs_and_mean_squares(&anchors, progress)?;
    let weights = projection.draw_weights();
    // Σ_j ω_j d_ij² = ρ_i² + V with V the mean of ρ².
    let variance = 0.5 * mean_squares.iter().zip(weights).map(|(square, weight)| square * weight).sum::<f64>();
    let squares = mean_squares.iter().map(|square| (square - variance).max(0.0)).collect();
    let embedding = Embedding::new(&anchors, &rows, squares);

    let mut search = Search { projection, bridges, exact: Vec::new(), known: vec![false; draws] };
    search.add(&anchors, &rows);
    let mut suspects: Vec<usize> = (0..draws).filter(|&i| !search.known[i]).collect();
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
    let threshold = search.threshold();
    few.retain(|&(bound, _)| bound <= threshold);
    suspects = few.into_iter().map(|(_, i)| i).collect();

    let mut left = bounds(&embedding.leading(embedding.axes()), &suspects);
    let mut batch = 16;
    loop {
        let threshold = search.threshold();
        left.retain(|&(bound, _)| bound <= threshold);
        if left.is_empty() {
            return Ok(search.finish());
        }
        let next: Vec<usize> = left.drain(..batch.min(left.len())).map(|(_, i)| i).collect();
        search.compute(&next, progress)?;
        batch *= 2;
    }
}

/// Draws whose rows span the embedding: 64 for 1000 draws, 128 for 10,000, evenly random.
fn anchors(draws: usize) -> Vec<usize> {
    let count = (libm::pow(draws as f64, 0.3) * 8.0) as usize / 8 * 8;
    let mut rng = stream(0, Purpose::Search, draws as u64);
    let mut chosen = index::sample(&mut rng, draws, count.clamp(32, MOST_ANCHORS).min(draws)).into_vec();
    chosen.sort_unstable();
    chosen
}

struct Search<'s, 'p, 'a> {
    projection: &'s Projection<'a>,
    bridges: &'s mut Bridges<'p, 'a>,
    exact: Vec<Candidate>,
    known: Vec<bool>,
}

impl Search<'_, '_, '_> {
    fn add(&mut self, draws: &[usize], rows: &[f64]) {
        for (&draw, costs) in draws.iter().zip(rows.chunks_exact(self.known.len())) {
            self.known[draw] = true;
            self.exact.push(Candidate::new(draw, costs, self.projection, Loss::Distance));
        }
        self.forget();
    }

    fn compute(&mut self, draws: &[usize], progress: &dyn Progress) -> Result<()> {
        progress.begin("exact losses of candidates", self.projection.slices() as u64);
        let rows = self.bridges.row_costs(draws, progress)?;
        self.add(draws, &rows);
        Ok(())
    }

    /// Keeps the rows of those draws only that can still be winner or runner-up.
    fn forget(&mut self) {
        let threshold = self.threshold();
        for candidate in self.exact.iter_mut().filter(|candidate| candidate.expected_loss > threshold) {
            candidate.costs = Vec::new();
        }
    }

    fn winner(&self) -> &Candidate {
        let draw = least(self.losses()).expect("anchors are exact");
        self.candidate(draw)
    }

    fn runner_up(&self) -> Option<&Candidate> {
        let winner = self.winner();
        least(self.losses().filter(|&(draw, _)| !is_same_measure(winner, draw))).map(|draw| self.candidate(draw))
    }

    fn losses(&self) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        self.exact.iter().map(|candidate| (candidate.draw, candidate.expected_loss))
    }

    fn candidate(&self, draw: usize) -> &Candidate {
        self.exact.iter().find(|candidate| candidate.draw == draw).expect("the draw is exact")
    }

    /// A draw whose bound is above this can be neither winner nor runner-up.
    fn threshold(&self) -> f64 {
        self.runner_up().map_or(f64::INFINITY, |candidate| candidate.expected_loss * (1.0 + SAFETY))
    }

    fn finish(self) -> Choice {
        Choice {
            winner: self.winner().clone(),
            runner_up: self.runner_up().cloned(),
            expected_losses: None,
            exact_draws: self.exact.len(),
        }
    }
}
