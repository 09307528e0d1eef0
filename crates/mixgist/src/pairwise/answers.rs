//! Answers to questions about slices: those of one piece or one slice, wherever they are computed.

use rayon::prelude::*;

use super::decomposition::{Decomposition, FromMean, PANEL, WEIGHTINGS};
use super::tile::{Batch, Columns, row_costs, row_costs_on};
use crate::Result;
use crate::line::{Lines, Order, Row, transport_cost};
use crate::progress::Progress;
use crate::projection::OtherMeasures;
use crate::target::{Cells, SliceTarget};
use crate::work::{Also, Question, WeightedRow, among};

/// Slices whose weighted squares are summed by one task.
const SWEPT_TOGETHER: usize = 4;

/// With up to this many rows the parts of a batch are worked on side by side: panels of rows alone would leave threads idle. More
/// rows keep them busy, and their parts would take memory.
const FEW_ROWS: usize = 4 * PANEL;

/// Answers a question for each piece of a batch.
pub(super) fn ask_batch(
    question: &Question,
    batch: &Batch,
    draw_weights: &[f64],
    progress: &dyn Progress,
    fold: &mut dyn FnMut(Vec<f64>),
) -> Result<()> {
    let answer = |piece: usize| on_piece(question, batch, piece, draw_weights, progress);
    if matches!(question, Question::Rows { rows, .. } if rows.len() > FEW_ROWS) {
        return (0..batch.pieces()).try_for_each(|piece| answer(piece).map(&mut *fold));
    }
    let found: Vec<Vec<f64>> = (0..batch.pieces()).into_par_iter().map(answer).collect::<Result<_>>()?;
    found.into_iter().for_each(fold);
    Ok(())
}

/// The answer of decomposed slices.
fn on_piece(
    question: &Question,
    batch: &Batch,
    piece: usize,
    draw_weights: &[f64],
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    let (draws, slices) = (batch.draws(), batch.piece(piece));
    let of_slices = |of: &(dyn Fn(&Decomposition) -> Result<Vec<f64>> + Sync)| -> Result<Vec<Vec<f64>>> {
        slices.par_iter().map(|decomposed| progress.check().and_then(|()| of(decomposed))).collect()
    };
    match question {
        Question::Rows { rows, also } => {
            let mut numbers = vec![0.0; rows.len() * draws];
            numbers
                .par_chunks_mut(PANEL * draws)
                .zip(rows.par_chunks(PANEL))
                .try_for_each(|(costs, rows)| row_costs(batch, piece, rows, Columns::All, progress, costs))?;
            match also {
                Also::Nothing => {}
                Also::MeanSquares => numbers.extend(summed(&of_slices(&|decomposed| {
                    let mut squares = vec![0.0; draws];
                    let size = decomposed.add_mean_squares(draw_weights, &mut squares);
                    squares.push(size);
                    Ok(squares)
                })?)),
                Also::WeightedSquares(weightings) => {
                    let weightings = weightings.as_chunks::<WEIGHTINGS>().0;
                    let of_some = |some: &[Decomposition]| -> Result<Vec<f64>> {
                        let mut squares = vec![[0.0; WEIGHTINGS]; draws];
                        for decomposed in some {
                            progress.check()?;
                            decomposed.add_weighted_squares(weightings, &mut squares);
                        }
                        Ok(squares.into_flattened())
                    };
                    let found: Result<Vec<Vec<f64>>> = slices.par_chunks(SWEPT_TOGETHER).map(of_some).collect();
                    numbers.extend(summed(&found?));
                }
            }
            Ok(numbers)
        }
        Question::FromMean { weights } => Ok(summed(&of_slices(&|decomposed| {
            let FromMean { mut squares, sizes } = decomposed.squares_from_mean(weights);
            squares.extend(sizes);
            Ok(squares)
        })?)),
        Question::WeightedRows { rows, .. } => {
            let found = of_slices(&|decomposed| {
                let mut costs = vec![0.0; draws];
                let of_row = |row: &WeightedRow| {
                    row_costs_on(decomposed, row.draw, progress, &mut costs)?;
                    Ok(row.weighted(&costs))
                };
                rows.iter().map(of_row).collect()
            })?;
            Ok(found.concat())
        }
        Question::MergedRows { .. } | Question::Others { .. } | Question::MeanQuantiles { .. } | Question::Pairs => {
            unreachable!("they need no decomposed slices")
        }
    }
}

/// The answer of one slice.
pub(super) fn on_lines(
    question: &Question,
    others: Option<&OtherMeasures>,
    order: Order,
    slice: usize,
    lines: &Lines,
) -> Result<Vec<f64>> {
    let draws = lines.len();
    let mut row = Row::default();
    let mut merged = |draw: usize, costs: &mut [f64]| {
        if order == Order::TWO {
            row.costs(lines.draw(draw), lines, costs);
        } else {
            let cost = |j| transport_cost(lines.draw(draw), lines.draw(j), order);
            costs.iter_mut().enumerate().for_each(|(j, out)| *out = cost(j));
        }
    };
    match question {
        Question::MergedRows { rows, .. } => {
            let mut costs = vec![0.0; rows.len() * draws];
            rows.iter().zip(costs.chunks_exact_mut(draws)).for_each(|(&draw, row)| merged(draw, row));
            Ok(costs)
        }
        Question::WeightedRows { rows, .. } => {
            let mut costs = vec![0.0; draws];
            let of_row = |row: &WeightedRow| {
                merged(row.draw, &mut costs);
                row.weighted(&costs)
            };
            Ok(rows.iter().map(of_row).collect())
        }
        Question::MeanQuantiles { weightings, sampled } => {
            let weightings: Vec<&[f64]> = weightings.iter().map(Vec::as_slice).collect();
            Ok(SliceTarget::to_numbers(&SliceTarget::many(lines, &weightings, Cells::choose(lines, sampled))))
        }
        Question::Others { .. } => others.expect("they are on the slices").costs(slice, lines),
        Question::Rows { .. } | Question::FromMean { .. } | Question::Pairs => {
            unreachable!("they need more than lines")
        }
    }
}

/// What the slices of a piece answer together.
pub(super) fn gathered(question: &Question, piece: &[usize], found: Vec<Vec<f64>>) -> Vec<f64> {
    match question {
        Question::MergedRows { apart: false, .. } => summed(&found),
        Question::Others { groups, .. } => {
            let of_group = |group: usize| {
                let own: Vec<&Vec<f64>> =
                    piece.iter().zip(&found).filter(|(slice, _)| groups[**slice] == group).map(|(_, f)| f).collect();
                summed(&own)
            };
            among(groups, piece).into_iter().flat_map(of_group).collect()
        }
        _ => found.concat(),
    }
}

/// The sum of vectors of one length, in order.
pub(super) fn summed(found: &[impl AsRef<[f64]>]) -> Vec<f64> {
    let Some((first, rest)) = found.split_first() else { return Vec::new() };
    let mut sums = first.as_ref().to_vec();
    rest.iter().for_each(|more| add(&mut sums, more.as_ref()));
    sums
}

pub(super) fn add(sums: &mut [f64], new: &[f64]) {
    sums.iter_mut().zip(new).for_each(|(sum, x)| *sum += x);
}

pub(super) fn divide(sums: &mut [f64], count: usize) {
    sums.iter_mut().for_each(|sum| *sum /= count as f64);
}
