//! The full matrix of distances between draws, with the Monte Carlo error of each entry.

use rayon::prelude::*;

use super::answers::add;
use super::decomposition::{Decomposition, PANEL};
use super::tile::{Batch, Columns, row_costs};
use crate::line::{Lines, Order, transport_cost};
use crate::progress::Progress;
use crate::projection::{PIECE, Projection};
use crate::slice_error::BatchSums;
use crate::text;
use crate::text::option;
use crate::work::{Form, Question};
use crate::{Error, Result};

/// A symmetric matrix with zero diagonal: the entries above the diagonal, row after row, as SciPy's `squareform` has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Condensed {
    len: usize,
    values: Vec<f64>,
}

impl Condensed {
    pub(crate) fn zeros(len: usize) -> Result<Self> {
        let size = len * (len - 1) / 2;
        let mut values = Vec::new();
        values.try_reserve_exact(size).map_err(|_| {
            Error::resource(format!(
                "the distances between {len} draws take {:.1} GB, more than there is",
                size as f64 * 8e-9
            ))
            .hint(text!["thin the draws; a medoid needs no matrix: ", option("route", "certified")])
        })?;
        values.resize(size, 0.0);
        Ok(Condensed { len, values })
    }

    /// Number of rows M.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The M (M − 1)/2 entries above the diagonal.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Entry (i, j).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (i, j) = (i.min(j), i.max(j));
        if i == j { 0.0 } else { self.values[i * (2 * self.len - i - 1) / 2 + j - i - 1] }
    }

    /// For each row the weighted mean of a function of its entries, the diagonal included; the function is 0 at 0. Summed in a fixed order.
    pub(crate) fn row_means_of(&self, weights: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut means = vec![0.0; self.len];
        let mut values = self.values.iter();
        for i in 0..self.len {
            let mut own = 0.0;
            for (j, &value) in (i + 1..self.len).zip(&mut values) {
                let value = f(value);
                own += weights[j] * value;
                means[j] += weights[i] * value;
            }
            means[i] += own;
        }
        means
    }

    /// The same for some of the rows, in that order.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let entries = rows.iter().enumerate().flat_map(|(place, &i)| rows[place + 1..].iter().map(move |&j| (i, j)));
        Condensed { len: rows.len(), values: entries.map(|(i, j)| self.get(i, j)).collect() }
    }

    /// The entries above the diagonal of each row.
    pub(crate) fn rows_mut(&mut self) -> Vec<&mut [f64]> {
        self.blocks_of(1)
    }

    /// The entries above the diagonal of some rows at a time.
    fn row_blocks(&mut self) -> Vec<&mut [f64]> {
        self.blocks_of(ROWS_TOGETHER)
    }

    fn blocks_of(&mut self, rows: usize) -> Vec<&mut [f64]> {
        let len = self.len;
        let mut rest = self.values.as_mut_slice();
        let mut blocks = Vec::new();
        for start in (0..len).step_by(rows) {
            let size = (start..len.min(start + rows)).map(|i| len - 1 - i).sum();
            let (block, tail) = rest.split_at_mut(size);
            blocks.push(block);
            rest = tail;
        }
        blocks
    }

    fn map(&mut self, f: impl Fn(f64) -> f64 + Sync) {
        self.values.par_iter_mut().with_min_len(1 << 14).for_each(|value| *value = f(*value));
    }
}

/// Distances between all draws and their standard errors over slices.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DistanceMatrix {
    /// The distances.
    pub distances: Condensed,
    /// Their Monte Carlo standard errors; zero throughout when there is only one independent group of slices.
    pub standard_errors: Condensed,
}

/// Mean transport costs over the slices, for all pairs.
pub(crate) fn cost_matrix(projection: &Projection, progress: &dyn Progress) -> Result<Condensed> {
    let batches = projection.batches();
    let mut costs = Condensed::zeros(projection.draws())?;
    if let Some(away) = projection.away() {
        let pieces: Vec<Vec<usize>> = cut(&batches);
        away.ask(&Question::Pairs, (Form::Exact, false), &pieces, projection.draws(), progress, |_, numbers, _| {
            costs.values.iter_mut().zip(numbers).for_each(|(sum, cost)| *sum += cost);
            Ok(())
        })?;
    } else {
        for_each_batch(projection, &batches, progress, |batch, new_costs| {
            let blocks = costs.row_blocks();
            blocks.into_par_iter().enumerate().try_for_each_init(Vec::new, |scratch, (block, sums)| {
                for piece in 0..batch.len().div_ceil(PIECE) {
                    new_costs(block, piece, scratch)?;
                    add(sums, scratch);
                }
                Ok(())
            })
        })?;
    }
    let slices = projection.slices() as f64;
    costs.map(|sum| (sum / slices).max(0.0));
    Ok(costs)
}

/// Distances and their standard errors over slices, for all pairs.
pub(crate) fn distance_matrix(projection: &Projection, progress: &dyn Progress) -> Result<DistanceMatrix> {
    let batches = projection.independent_batches();
    let pieces = projection.pieces(&batches);
    let mut sums = Condensed::zeros(projection.draws())?;
    let mut squares = Condensed::zeros(projection.draws())?;
    // Costs of the pieces of a batch so far; empty where every batch is one piece.
    let mut unfinished = Condensed::zeros(if pieces.len() > batches.len() { projection.draws() } else { 1 })?;
    let mut ends = batches.iter().map(|batch| (batch[batch.len() - 1], batch.len())).peekable();
    let mut fold = |piece: &[usize], new_costs: &BlockCosts| {
        let finished = ends.next_if(|(last, _)| piece.last() == Some(last)).map(|(_, slices)| slices);
        let mut unfinished = unfinished.row_blocks();
        unfinished.resize_with(sums.len.div_ceil(ROWS_TOGETHER), Default::default);
        let blocks = sums.row_blocks().into_par_iter().zip(squares.row_blocks()).zip(unfinished);
        blocks.enumerate().try_for_each_init(Vec::new, |scratch, (block, ((sums, squares), unfinished))| {
            new_costs(block, scratch)?;
            scratch.iter_mut().zip(unfinished.iter()).for_each(|(cost, before)| *cost += before);
            let Some(slices) = finished else {
                unfinished.copy_from_slice(scratch);
                return Ok(());
            };
            unfinished.fill(0.0);
            for ((sum, square), &mut cost) in sums.iter_mut().zip(squares).zip(scratch) {
                let mut batch_sums = BatchSums { sum: *sum, squares: *square };
                batch_sums.add(cost, slices);
                (*sum, *square) = (batch_sums.sum, batch_sums.squares);
            }
            Ok(())
        })
    };
    if let Some(away) = projection.away() {
        let draws = projection.draws();
        away.ask(
            &Question::Pairs,
            (Form::Exact, false),
            &pieces,
            projection.draws(),
            progress,
            |piece, numbers, _| {
                fold(&pieces[piece], &|block, out| {
                    let rows = rows_of_block(block, draws);
                    let start = |row: usize| row * (2 * draws - row - 1) / 2;
                    out.clear();
                    out.extend_from_slice(&numbers[start(rows.start)..start(rows.end)]);
                    Ok(())
                })
            },
        )?;
    } else {
        for_each_batch(projection, &pieces, progress, |slices, new_costs| {
            fold(slices, &|block, out| whole_block(slices.len(), block, new_costs, out))
        })?;
    }
    let (order, slices) = (projection.order(), projection.slices());
    let pairs = sums.values.par_iter_mut().zip(squares.values.par_iter_mut()).with_min_len(1 << 14);
    pairs.for_each(|(sum, square)| {
        let batch_sums = BatchSums { sum: *sum, squares: *square };
        let cost = batch_sums.mean(slices).max(0.0);
        *sum = order.root(cost);
        *square = batch_sums.standard_error(slices, batches.len()) * order.root_slope(cost);
    });
    Ok(DistanceMatrix { distances: sums, standard_errors: squares })
}

/// Rows of a task: the tables of a panel of draws pass through the cache once for all of them.
const ROWS_TOGETHER: usize = 4 * PANEL;

/// Computes the entries above the diagonal of a block of rows, summed over the slices of a piece of a batch, in the order of
/// [`Condensed`], into scratch space; asks between its rows or slices whether to go on.
type NewCosts<'a> = dyn Fn(usize, usize, &mut Vec<f64>) -> Result<()> + Sync + 'a;

/// The same, summed over all pieces.
type BlockCosts<'a> = dyn Fn(usize, &mut Vec<f64>) -> Result<()> + Sync + 'a;

fn whole_block(slices: usize, block: usize, new_costs: &NewCosts, out: &mut Vec<f64>) -> Result<()> {
    new_costs(block, 0, out)?;
    let mut more = Vec::new();
    for piece in 1..slices.div_ceil(PIECE) {
        new_costs(block, piece, &mut more)?;
        add(out, &more);
    }
    Ok(())
}

/// The batches cut into pieces.
pub(super) fn cut(batches: &[Vec<usize>]) -> Vec<Vec<usize>> {
    batches.iter().flat_map(|batch| batch.chunks(PIECE)).map(<[usize]>::to_vec).collect()
}

/// The answer to [`Question::Pairs`]: the entries of [`Condensed`], summed over some slices.
pub(super) fn pair_costs(projection: &Projection, slices: &[usize], progress: &dyn Progress) -> Result<Vec<f64>> {
    let mut costs = Condensed::zeros(projection.draws())?;
    for_each_batch(projection, &[slices.to_vec()], progress, |slices, new_costs| {
        let blocks = costs.row_blocks();
        blocks.into_par_iter().enumerate().try_for_each_init(Vec::new, |scratch, (block, sums)| {
            whole_block(slices.len(), block, new_costs, scratch)?;
            sums.copy_from_slice(scratch);
            Ok(())
        })
    })?;
    Ok(costs.values)
}

/// Calls `fold` with each batch and a function that gives its costs, block of rows by block of rows.
fn for_each_batch(
    projection: &Projection,
    batches: &[Vec<usize>],
    progress: &dyn Progress,
    mut fold: impl FnMut(&[usize], &NewCosts) -> Result<()>,
) -> Result<()> {
    let order = projection.order();
    if order != Order::TWO {
        return projection.stream(
            batches,
            progress,
            |lines| lines,
            |batch, lines| {
                let piece = |piece: usize| lines.chunks(PIECE).nth(piece).expect("the piece exists");
                fold(batch, &|block, at, out| merged_block(piece(at), block, order, progress, out))
            },
        );
    }
    let weights = projection.draw_weights();
    projection.stream(
        batches,
        progress,
        |lines| Decomposition::new(lines, weights),
        |slices, decompositions| {
            let batch = Batch::new(decompositions);
            fold(slices, &|block, piece, out| decomposed_block(&batch, piece, block, progress, out))
        },
    )
}

fn rows_of_block(block: usize, draws: usize) -> std::ops::Range<usize> {
    block * ROWS_TOGETHER..draws.min((block + 1) * ROWS_TOGETHER)
}

fn decomposed_block(
    batch: &Batch,
    piece: usize,
    block: usize,
    progress: &dyn Progress,
    out: &mut Vec<f64>,
) -> Result<()> {
    let draws = batch.draws();
    let rows: Vec<usize> = rows_of_block(block, draws).collect();
    out.resize(rows.len() * draws, 0.0);
    row_costs(batch, piece, &rows, Columns::FromOwnPanel, progress, out)?;
    let mut filled = 0;
    for (r, &i) in rows.iter().enumerate() {
        out.copy_within(r * draws + i + 1..(r + 1) * draws, filled);
        filled += draws - i - 1;
    }
    out.truncate(filled);
    Ok(())
}

/// Draws of a row that are merged, on all slices of a batch, between two looks at whether to go on.
const MERGED_TOGETHER: usize = 64;

/// The obvious way, for any order: every pair by a merge.
fn merged_block(
    lines: &[Lines],
    block: usize,
    order: Order,
    progress: &dyn Progress,
    out: &mut Vec<f64>,
) -> Result<()> {
    out.clear();
    let draws = lines[0].len();
    for i in rows_of_block(block, draws) {
        for j in i + 1..draws {
            if j % MERGED_TOGETHER == 0 {
                progress.check()?;
            }
            out.push(lines.iter().map(|lines| transport_cost(lines.draw(i), lines.draw(j), order)).sum());
        }
    }
    Ok(())
}
