//! Sums of transport costs for p = 2 over a batch of decomposed slices: eight rows against all draws at a time.

use fearless_simd::{Level, Simd, dispatch, f64x8, prelude::*};

use super::decomposition::{
    Decomposition, Lanes, OwnJump, PANEL, Plan, add_panel_products, add_row_products, lone_products,
};
use crate::Result;
use crate::line::{Lines, Order, transport_cost};
use crate::progress::Progress;
use crate::projection::PIECE;

/// Which columns of a row are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// All draws.
    All,
    /// The draws of the row's own panel and of later ones: the upper triangle and a little more.
    FromOwnPanel,
}

/// Some decomposed slices.
pub(super) struct Batch<'a> {
    decompositions: Vec<Decomposition<'a>>,
    /// The norms of the draws summed over each [`PIECE`] of the slices.
    piece_norms: Vec<Vec<f64>>,
}

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
        Batch { piece_norms: decompositions.chunks(PIECE).map(sum_norms).collect(), decompositions }
    }

    /// Number of pieces.
    pub(super) fn pieces(&self) -> usize {
        self.piece_norms.len()
    }

    /// The slices of a piece.
    pub(super) fn piece(&self, piece: usize) -> &[Decomposition<'a>] {
        self.decompositions.chunks(PIECE).nth(piece).expect("the piece exists")
    }

    pub(super) fn decompositions(&self) -> &[Decomposition<'a>] {
        &self.decompositions
    }

    pub(super) fn draws(&self) -> usize {
        self.piece_norms[0].len()
    }

    /// What it takes to decompose the slices again.
    pub(super) fn into_bare(self) -> Vec<(Lines<'a>, Plan)> {
        self.decompositions.into_iter().map(Decomposition::into_bare).collect()
    }
}

/// A cost below this part of the two draws' norms has lost too many digits in the difference, and is computed anew by merging.
const CANCELLATION: f64 = 1e-5;

/// Costs summed over the slices of a piece: `out[r * draws + j]` is set for each wanted column j of draw `rows[r]`. Rows from their own panel on are whole
/// panels, one after the other, but for the last draws.
pub(super) fn row_costs(
    batch: &Batch,
    piece: usize,
    rows: &[usize],
    columns: Columns,
    progress: &dyn Progress,
    out: &mut [f64],
) -> Result<()> {
    row_costs_at(Level::new(), batch.piece(piece), &batch.piece_norms[piece], rows, columns, progress, out)
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
    let mut own: Vec<RowPanel> = Vec::new();
    own.resize_with(rows.len().div_ceil(PANEL), RowPanel::default);
    for decomposed in decompositions {
        progress.check()?;
        for (own, rows) in own.iter_mut().zip(rows.chunks(PANEL)) {
            own.load(decomposed, rows, columns);
        }
        dispatch!(level, simd => add_products(simd, decomposed, &own, rows, columns, out));
    }
    let first_column = if columns == Columns::FromOwnPanel { rows[0] / PANEL * PANEL } else { 0 };
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

/// Up to eight rows on one slice; the space is used again for the next slice.
#[derive(Default)]
struct RowPanel {
    /// The panel that the rows are, if they stand in one, and their cell means if they do not.
    panel: Option<usize>,
    means: Vec<Lanes>,
    /// Jumps of the rows, one row after the other, and where each ends.
    jumps: Vec<OwnJump>,
    ends: Vec<usize>,
}

impl RowPanel {
    fn load(&mut self, decomposed: &Decomposition, rows: &[usize], columns: Columns) {
        self.panel = (columns == Columns::FromOwnPanel).then_some(rows[0] / PANEL);
        if self.panel.is_none() {
            self.means.clear();
            self.means.resize(decomposed.panel(0).len(), Lanes::default());
            for (r, &i) in rows.iter().enumerate() {
                self.means.iter_mut().zip(decomposed.means(i)).for_each(|(row, mean)| row[r] = mean);
            }
        }
        self.jumps.clear();
        self.ends.clear();
        for &i in rows {
            decomposed.append_jumps(i, &mut self.jumps);
            self.ends.push(self.jumps.len());
        }
    }

    fn means<'s>(&'s self, decomposed: &'s Decomposition) -> &'s [Lanes] {
        self.panel.map_or(&self.means, |panel| decomposed.panel(panel))
    }
}

/// Adds the products of the rows with all wanted draws on one slice. For each draw they are summed over cells and jumps in order: the bits do not depend on
/// the CPU. A panel of draws stays in the cache while all rows meet it.
#[inline(always)]
fn add_products<S: Simd>(
    simd: S,
    decomposed: &Decomposition,
    own: &[RowPanel],
    rows: &[usize],
    columns: Columns,
    out: &mut [f64],
) {
    let draws = decomposed.norms().len();
    let mut products = vec![[Lanes::default(); PANEL]; own.len()];
    for panel in own[0].panel.unwrap_or(0)..draws.div_ceil(PANEL) {
        // Rows before the diagonal.
        let wanted = own.iter().take_while(|own| own.panel.is_none_or(|first| first <= panel));
        for (own, products) in wanted.clone().zip(&mut products) {
            mean_products(simd, own.means(decomposed), decomposed.panel(panel), products);
        }
        let width = PANEL.min(draws - panel * PANEL);
        for ((own, products), out) in wanted.zip(&products).zip(out.chunks_mut(PANEL * draws)) {
            let mut start = 0;
            for ((row, &end), product) in out.chunks_exact_mut(draws).zip(&own.ends).zip(products) {
                let product = f64x8::from_slice(simd, &product[..]);
                let product = product + lone_products(simd, decomposed, &own.jumps[start..end], panel);
                start = end;
                let sums = row[panel * PANEL..][..width].iter_mut();
                sums.zip(product.as_slice()).for_each(|(sum, product)| *sum += product);
            }
        }
    }
    for (rows, out) in rows.chunks(PANEL).zip(out.chunks_mut(PANEL * draws)) {
        match columns {
            Columns::FromOwnPanel => add_panel_products(simd, decomposed, rows[0] / PANEL, out),
            Columns::All => {
                for (&i, row) in rows.iter().zip(out.chunks_exact_mut(draws)) {
                    add_row_products(simd, decomposed, i, row);
                }
            }
        }
    }
}

/// Products of cell means, eight rows by eight columns.
#[inline(always)]
fn mean_products<S: Simd>(simd: S, rows: &[Lanes], columns: &[Lanes], out: &mut [Lanes; PANEL]) {
    // As many sums at a time as there are registers for.
    if S::f64s::LEN == PANEL {
        some_mean_products::<S, PANEL>(simd, rows, columns, 0, out);
    } else {
        some_mean_products::<S, 4>(simd, rows, columns, 0, out);
        some_mean_products::<S, 4>(simd, rows, columns, 4, out);
    }
}

/// The same for R of the rows.
#[inline(always)]
fn some_mean_products<S: Simd, const R: usize>(
    simd: S,
    rows: &[Lanes],
    columns: &[Lanes],
    first: usize,
    out: &mut [Lanes; PANEL],
) {
    let mut sums = [f64x8::splat(simd, 0.0); R];
    for (row, column) in rows.iter().zip(columns) {
        let column = f64x8::from_slice(simd, &column[..]);
        for (sum, &x) in sums.iter_mut().zip(&row[first..]) {
            *sum += f64x8::splat(simd, x) * column;
        }
    }
    for (sum, out) in sums.iter().zip(&mut out[first..]) {
        sum.store_slice(&mut out[..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::pairwise::decomposition::tests::{RandomSlice, random_slice};
    use crate::vector_math::tests::{bits, every_level};

    /// Costs summed over both pieces of a batch.
    fn costs(level: Level, batch: &Batch, rows: &[usize], columns: Columns) -> Vec<f64> {
        let of_piece = |piece: usize| {
            let mut out = vec![f64::NAN; rows.len() * batch.draws()];
            let (slices, norms) = (batch.piece(piece), &batch.piece_norms[piece]);
            row_costs_at(level, slices, norms, rows, columns, &Silent, &mut out).unwrap();
            out
        };
        assert_eq!(batch.pieces(), 2);
        of_piece(0).iter().zip(of_piece(1)).map(|(a, b)| a + b).collect()
    }

    /// A batch of one whole piece and three slices, with tables of lone jumps and without.
    fn with_batches(draws: usize, atoms: usize, job: impl Fn(&Batch)) {
        let slices: Vec<RandomSlice> = (0..PIECE as u64 + 3).map(|seed| random_slice(draws, atoms, seed)).collect();
        for lone in [false, true] {
            job(&Batch::new(slices.iter().map(|slice| slice.decomposed(lone)).collect()));
        }
    }

    #[test]
    fn costs_have_the_same_bits_at_every_level() {
        with_batches(21, 30, |batch| {
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
            with_batches(draws, atoms, |batch| {
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
                }
            });
        }
    }
}
