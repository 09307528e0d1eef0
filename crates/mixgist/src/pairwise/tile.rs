//! Sums of transport costs for p = 2 over a batch of decomposed slices: eight rows against all draws at a time.

use fearless_simd::{Level, Simd, dispatch, f64x4, prelude::*};

use super::decomposition::{Decomposition, PANEL, add_panel_products, add_row_products};
use crate::Result;
use crate::line::{Lines, Order, transport_cost};
use crate::progress::Progress;

/// Which columns of a row are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// All draws.
    All,
    /// The draws of the row's own panel and of later ones: the upper triangle and a little more.
    FromOwnPanel,
}

/// Some decomposed slices and the norms of the draws summed over them.
pub(super) struct Batch<'a> {
    decompositions: Vec<Decomposition<'a>>,
    norms: Vec<f64>,
    /// The norms summed over each [`PART`] of the slices.
    part_norms: Vec<Vec<f64>>,
}

/// Slices of a part of a batch: with few rows the threads share the slices.
const PART: usize = 8;

impl<'a> Batch<'a> {
    /// At least one slice.
    pub(super) fn new(decompositions: Vec<Decomposition<'a>>) -> Self {
        let sum_norms = |decompositions: &[Decomposition]| -> Vec<f64> {
            let mut norms = vec![0.0; decompositions[0].norms().len()];
            for decomposed in decompositions {
                norms.iter_mut().zip(decomposed.norms()).for_each(|(sum, norm)| *sum += norm);
            }
            norms
        };
        Batch {
            norms: sum_norms(&decompositions),
            part_norms: decompositions.chunks(PART).map(sum_norms).collect(),
            decompositions,
        }
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        self.part_norms.len()
    }

    pub(super) fn decompositions(&self) -> &[Decomposition<'a>] {
        &self.decompositions
    }

    pub(super) fn draws(&self) -> usize {
        self.norms.len()
    }

    /// The line measures that were decomposed.
    pub(super) fn into_lines(self) -> Vec<Lines<'a>> {
        self.decompositions.into_iter().map(Decomposition::into_lines).collect()
    }
}

/// A cost below this part of the two draws' norms has lost too many digits in the difference, and is computed anew by merging.
const CANCELLATION: f64 = 1e-5;

/// Costs summed over the slices of a batch, for up to eight rows: `out[r * draws + j]` is set for each wanted column j of draw `rows[r]`.
pub(super) fn row_costs(
    batch: &Batch,
    rows: &[usize],
    columns: Columns,
    progress: &dyn Progress,
    out: &mut [f64],
) -> Result<()> {
    row_costs_at(Level::new(), &batch.decompositions, &batch.norms, rows, columns, progress, out)
}

/// As [`row_costs`], over one part of the batch and for all columns.
pub(super) fn part_row_costs(
    batch: &Batch,
    part: usize,
    rows: &[usize],
    progress: &dyn Progress,
    out: &mut [f64],
) -> Result<()> {
    let decompositions = batch.decompositions.chunks(PART).nth(part).expect("the part exists");
    row_costs_at(Level::new(), decompositions, &batch.part_norms[part], rows, Columns::All, progress, out)
}

/// Costs on a single slice from one draw to all.
pub(super) fn row_costs_on(
    decomposed: &Decomposition,
    row: usize,
    progress: &dyn Progress,
    out: &mut [f64],
) -> Result<()> {
    let decompositions = std::slice::from_ref(decomposed);
    row_costs_at(Level::new(), decompositions, decomposed.norms(), &[row], Columns::All, progress, out)
}

/// With given instructions, on which the bits do not depend; `norms` are those of the draws, summed over the slices.
fn row_costs_at(
    level: Level,
    decompositions: &[Decomposition],
    norms: &[f64],
    rows: &[usize],
    columns: Columns,
    progress: &dyn Progress,
    out: &mut [f64],
) -> Result<()> {
    let draws = norms.len();
    out.fill(0.0);
    // Rows that are a whole panel are used where they stand; others are gathered into one.
    let own_panel = rows[0] / PANEL;
    let aligned = rows.iter().enumerate().all(|(r, &i)| i == own_panel * PANEL + r);
    let gathered: Vec<Vec<[f64; PANEL]>> =
        if aligned { Vec::new() } else { decompositions.iter().map(|b| gather(b, rows)).collect() };
    let row_panels: Vec<&[[f64; PANEL]]> = if aligned {
        decompositions.iter().map(|decomposed| decomposed.panel(own_panel)).collect()
    } else {
        gathered.iter().map(Vec::as_slice).collect()
    };
    let first_panel = if columns == Columns::FromOwnPanel { own_panel } else { 0 };
    for panel in first_panel..draws.div_ceil(PANEL) {
        progress.check()?;
        let mut products = [[0.0; PANEL]; PANEL];
        dispatch!(level, simd => add_products(simd, &row_panels, decompositions, panel, &mut products));
        let width = PANEL.min(draws - panel * PANEL);
        for (r, product) in products.iter().enumerate().take(rows.len()) {
            out[r * draws + panel * PANEL..][..width].copy_from_slice(&product[..width]);
        }
    }
    let first_column = first_panel * PANEL;
    for decomposed in decompositions {
        progress.check()?;
        match columns {
            Columns::FromOwnPanel => dispatch!(level, simd => add_panel_products(simd, decomposed, own_panel, out)),
            Columns::All => {
                for (&i, row) in rows.iter().zip(out.chunks_exact_mut(draws)) {
                    dispatch!(level, simd => add_row_products(simd, decomposed, i, row));
                }
            }
        }
    }
    let rounding: f64 = decompositions.iter().map(Decomposition::rounding).sum();
    for (r, &i) in rows.iter().enumerate() {
        let row = &mut out[r * draws..(r + 1) * draws];
        for (j, product) in row.iter_mut().enumerate().skip(first_column) {
            let scale = norms[i] + norms[j];
            let cost = scale - 2.0 * *product;
            let lost = cost < f64::max(CANCELLATION * scale, rounding);
            *product = if lost { merged_cost(decompositions, i, j) } else { cost };
        }
    }
    Ok(())
}

#[cold]
fn merged_cost(decompositions: &[Decomposition], i: usize, j: usize) -> f64 {
    decompositions
        .iter()
        .map(|decomposed| transport_cost(decomposed.lines().draw(i), decomposed.lines().draw(j), Order::TWO))
        .sum()
}

fn gather(decomposed: &Decomposition, rows: &[usize]) -> Vec<[f64; PANEL]> {
    let mut panel = vec![[0.0; PANEL]; decomposed.panel(0).len()];
    for (r, &i) in rows.iter().enumerate() {
        for (row, mean) in panel.iter_mut().zip(decomposed.means(i)) {
            row[r] = mean;
        }
    }
    panel
}

/// Products of cell means, eight rows by eight columns, summed over cells and slices in order: the bits do not depend on the CPU.
#[inline(always)]
fn add_products<S: Simd>(
    simd: S,
    row_panels: &[&[[f64; PANEL]]],
    batch: &[Decomposition],
    panel: usize,
    out: &mut [[f64; PANEL]; PANEL],
) {
    for half in 0..2 {
        let mut sums = [[f64x4::splat(simd, 0.0); 2]; 4];
        for (rows, decomposed) in row_panels.iter().zip(batch) {
            for (row, column) in rows.iter().zip(decomposed.panel(panel)) {
                let low = f64x4::from_slice(simd, &column[..4]);
                let high = f64x4::from_slice(simd, &column[4..]);
                for (r, sum) in sums.iter_mut().enumerate() {
                    let x = f64x4::splat(simd, row[half * 4 + r]);
                    sum[0] += x * low;
                    sum[1] += x * high;
                }
            }
        }
        for (r, sum) in sums.iter().enumerate() {
            sum[0].store_slice(&mut out[half * 4 + r][..4]);
            sum[1].store_slice(&mut out[half * 4 + r][4..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::pairwise::decomposition::tests::{RandomSlice, random_slice};
    use crate::vector_math::tests::{bits, every_level};

    fn costs(level: Level, batch: &Batch, rows: &[usize], columns: Columns) -> Vec<f64> {
        let mut out = vec![f64::NAN; rows.len() * batch.draws()];
        row_costs_at(level, &batch.decompositions, &batch.norms, rows, columns, &Silent, &mut out).unwrap();
        out
    }

    /// A batch of one whole part and three slices.
    fn with_batch(draws: usize, atoms: usize, job: impl Fn(&Batch)) {
        let slices: Vec<RandomSlice> = (0..PART as u64 + 3).map(|seed| random_slice(draws, atoms, seed)).collect();
        let weights = vec![1.0 / draws as f64; draws];
        let decompositions = slices.iter().map(|slice| {
            let lines = Lines::sort(&slice.offsets, slice.positions.clone(), &slice.weights);
            Decomposition::new(lines, &weights)
        });
        job(&Batch::new(decompositions.collect()));
    }

    #[test]
    fn costs_have_the_same_bits_at_every_level() {
        with_batch(21, 30, |batch| {
            for (rows, columns) in
                [(&[8, 9, 10, 11, 12, 13, 14, 15][..], Columns::FromOwnPanel), (&[3, 17], Columns::All)]
            {
                let expected = bits(&costs(Level::new(), batch, rows, columns));
                for level in every_level() {
                    assert_eq!(bits(&costs(level, batch, rows, columns)), expected);
                }
            }
        });
    }

    /// Numbers of draws around a whole panel, and every way of asking for rows.
    #[test]
    fn costs_are_those_of_merging() {
        for (draws, atoms) in [(1, 3), (2, 1), (7, 5), (8, 40), (9, 400), (17, 20)] {
            with_batch(draws, atoms, |batch| {
                let check = |i: usize, j: usize, got: f64| {
                    let expected = merged_cost(&batch.decompositions, i, j);
                    assert!((got - expected).abs() <= 1e-10 * expected, "{draws} draws: ({i}, {j}) {got} {expected}");
                };
                for first in (0..draws).step_by(PANEL) {
                    let rows: Vec<usize> = (first..draws.min(first + PANEL)).collect();
                    let upper = costs(Level::new(), batch, &rows, Columns::FromOwnPanel);
                    for (r, &i) in rows.iter().enumerate() {
                        (i + 1..draws).for_each(|j| check(i, j, upper[r * draws + j]));
                    }
                }
                for i in 0..draws {
                    let row = costs(Level::new(), batch, &[i], Columns::All);
                    (0..draws).for_each(|j| check(i, j, row[j]));
                    let mut parts = vec![0.0; 2 * draws];
                    parts
                        .chunks_mut(draws)
                        .enumerate()
                        .for_each(|(p, row)| part_row_costs(batch, p, &[i], &Silent, row).unwrap());
                    (0..draws).for_each(|j| check(i, j, parts[j] + parts[draws + j]));
                }
            });
        }
    }
}
