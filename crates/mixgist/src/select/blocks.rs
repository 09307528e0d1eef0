//! The route for draws in blocks, for p = 2 and the power loss: bounds from mean quantile functions on cells, then rows for the few draws that could be the best.

use std::collections::BTreeMap;

use super::evidence::{Evidence, Judging, Rivals, margin};
use super::{Candidate, Choice, Medoid, Route, TIE, least, made};
use crate::blocks::{Losses, Passes, Row};
use crate::effective::Origin;
use crate::ensemble::MixingMeasure;
use crate::line::Order;
use crate::loss::Loss;
use crate::progress::Progress;
use crate::text;
use crate::text::option;
use crate::{Error, Result};

/// Rows that one pass computes, and all passes together: a row takes 8 bytes for each draw.
const ROWS_TOGETHER: usize = 8;
pub(crate) const MOST_ROWS: usize = 32;

/// Some of the draws, in working units.
pub(crate) type SomeDraws<'a> = &'a dyn Fn(&[usize]) -> Result<Vec<MixingMeasure>>;

/// Finds the medoid of draws in blocks; the losses of all draws, with how wrong they can be, are handed on.
pub(crate) fn medoid_of_blocks(
    passes: &Passes,
    origin: &dyn Origin,
    some: SomeDraws<'_>,
    progress: &dyn Progress,
) -> Result<(Medoid, Losses)> {
    let mut found = passes.losses(progress)?;
    let mut rows = Rows { passes, some, progress, known: BTreeMap::new() };
    let (winner, runner_up) = rows.search(&found)?;
    for (&draw, known) in &rows.known {
        found.losses[draw] = known.expected_loss;
    }
    let exact_draws = rows.known.len();
    let by_slice = |candidate: &Candidate| rows.known[&candidate.draw].row.by_slice.clone();
    let of_slices: Vec<Vec<f64>> = std::iter::once(&winner).chain(&runner_up).map(by_slice).collect();
    let evidence = Evidence::of_slices(of_slices, passes.slices(), passes.replicates());
    let choice = Choice { exact_draws, ..Choice::new(winner, runner_up, found.losses.clone()) };
    let distances: Vec<f64> = choice.winner.costs.iter().map(|&cost| Order::TWO.root(cost)).collect();
    let judging = Judging {
        origin,
        order: Order::TWO,
        loss: Loss::Power,
        replicates: passes.replicates(),
        distances: &distances,
    };
    let margin = margin(&judging, &choice, &evidence, &mut rows)?;
    Ok((made(choice, &evidence, margin, Route::Blocks, distances), found))
}

/// Draws whose costs to all draws are known.
struct Rows<'a> {
    passes: &'a Passes<'a>,
    some: SomeDraws<'a>,
    progress: &'a dyn Progress,
    known: BTreeMap<usize, Known>,
}

struct Known {
    row: Row,
    expected_loss: f64,
    rounding: f64,
}

impl Rows<'_> {
    /// The best draw and the best one that differs from it, with proof: every other draw's bound is above their losses.
    fn search(&mut self, found: &Losses) -> Result<(Candidate, Option<Candidate>)> {
        let draws = found.losses.len();
        // Losses of the draws that have rows, and of their copies.
        let mut exact: Vec<Option<f64>> = vec![None; draws];
        loop {
            let all = || exact.iter().enumerate().filter_map(|(draw, loss)| Some((draw, (*loss)?)));
            let winner = least(all());
            let is_copy = |draw: usize| winner.is_some_and(|winner| self.are_copies(winner, draw));
            let runner_up = least(all().filter(|&(draw, _)| !is_copy(draw)));
            let bar = runner_up.and_then(|draw| exact[draw]).unwrap_or(f64::INFINITY) * (1.0 + TIE);
            let is_open = |draw: &usize| exact[*draw].is_none() && found.losses[*draw] - found.errors[*draw] <= bar;
            let mut next: Vec<usize> = (0..draws).filter(is_open).collect();
            next.sort_by(|&a, &b| found.losses[a].total_cmp(&found.losses[b]).then(a.cmp(&b)));
            next.truncate(ROWS_TOGETHER);
            // The lowest of equal draws is named, and has a row of its own.
            let named = winner.into_iter().chain(runner_up).filter(|draw| !self.known.contains_key(draw));
            if next.is_empty() {
                next = named.collect();
            }
            if next.is_empty() {
                let candidate = |draw: usize| self.candidate(draw);
                return Ok((candidate(winner.expect("a draw has a row")), runner_up.map(candidate)));
            }
            if self.known.len() + next.len() > MOST_ROWS {
                return Err(too_many(draws));
            }
            self.add(&next)?;
            for draw in next {
                let known = &self.known[&draw];
                exact[draw] = Some(known.expected_loss);
                for (other, cost) in known.row.costs.iter().enumerate() {
                    if *cost <= known.rounding {
                        exact[other].get_or_insert(known.expected_loss);
                    }
                }
            }
        }
    }

    /// Whether two draws, one of which has a row or is the copy of one that has, are the same measure.
    fn are_copies(&self, one: usize, other: usize) -> bool {
        let is_copy = |known: &Known, draw: usize| known.row.costs[draw] <= known.rounding;
        match self.known.get(&one) {
            Some(known) => one == other || is_copy(known, other),
            None => self.known.values().any(|known| is_copy(known, one) && is_copy(known, other)),
        }
    }

    fn candidate(&self, draw: usize) -> Candidate {
        let Known { row, expected_loss, rounding } = &self.known[&draw];
        Candidate { draw, expected_loss: *expected_loss, costs: row.costs.clone(), rounding: *rounding }
    }

    fn add(&mut self, draws: &[usize]) -> Result<()> {
        let measures = (self.some)(draws)?;
        let rows = self.passes.rows(&measures, "distances of the best draws", self.progress)?;
        for ((&draw, measure), row) in draws.iter().zip(&measures).zip(rows) {
            let expected_loss = row.costs.iter().sum::<f64>() / row.costs.len() as f64;
            let rounding = self.passes.rounding(measure)?;
            self.known.insert(draw, Known { row, expected_loss, rounding });
        }
        Ok(())
    }
}

impl Rivals for Rows<'_> {
    type Kept = ();

    fn row(&mut self, draw: usize) -> Result<(Candidate, ())> {
        if !self.known.contains_key(&draw) {
            self.add(&[draw])?;
        }
        Ok((self.candidate(draw), ()))
    }

    fn of_slices(&mut self, rival: &Candidate, (): ()) -> Result<Vec<f64>> {
        Ok(self.known[&rival.draw].row.by_slice.clone())
    }
}

fn too_many(draws: usize) -> Error {
    Error::resource(format!(
        "of {draws} draws in blocks more than {MOST_ROWS} are so nearly the best that mean quantile functions on cells do not tell them apart"
    ))
    .hint(text![
        "use fewer slices, which have more cells each, or keep all draws in memory: ",
        option("route", "sweep")
    ])
}
