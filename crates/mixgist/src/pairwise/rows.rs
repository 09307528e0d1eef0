//! Passes over the decomposed slices for p = 2: rows of transport costs, and mean squares of all draws.

use rayon::prelude::*;

use super::decomposition::{Decomposition, PANEL, WEIGHTINGS, Weightings};
use super::tile::{Batch, Columns, part_row_costs, row_costs, row_costs_on};
use crate::Result;
use crate::line::{Compressed, Lines, Order, row_of_costs, transport_cost};
use crate::progress::Progress;
use crate::projection::{OtherMeasures, Projection};

/// The slices of a projection, decomposed; kept from the first pass on when they fit into memory, otherwise computed anew.
pub(crate) struct Decompositions<'p, 'a> {
    projection: &'p Projection<'a>,
    form: Form,
    batches: Vec<Vec<usize>>,
    /// Whether there is only one pass, after which nothing needs to be kept.
    once: bool,
    kept: Option<FirstPass<'p>>,
    /// For every draw its distance from the form that is decomposed, known after the first pass.
    moved: Vec<f64>,
    spread: Option<Spread>,
    /// For every draw a guess of its distance from the geometric median of all.
    radii: Option<Vec<f64>>,
}

/// What is decomposed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// The draws themselves.
    Exact,
    /// The draws with neighbouring atoms merged where that is a small fraction of a typical distance: half the atoms, and so half
    /// the time and memory of everything that follows. How far each draw moved is known.
    Compressed,
}

/// All slices of the first pass. Keeping as many as fit was slower: 8.3 s instead of 6.1 s for the medoid of 10,000 draws.
#[derive(Default)]
struct FirstPass<'p> {
    batches: Vec<Batch<'p>>,
    /// The draws themselves, when the batches hold another form and there is space for both.
    lines: Vec<Lines<'p>>,
    /// The draws in the form that is decomposed, batch by batch, when there is no space for more: decomposing them anew in every pass takes a
    /// fraction of the time that projecting, sorting and compressing take.
    bare: Vec<Vec<Lines<'p>>>,
}

/// What is kept of the first pass, decided by the size of its first batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeping {
    Nothing,
    Bare,
    BareAndLines,
    Decomposed,
    DecomposedAndLines,
}

impl Keeping {
    /// For as many slices, of which these are the first.
    fn of(first: &[Slice], slices: usize) -> Self {
        let fits = |bytes: usize| (bytes / first.len()).saturating_mul(slices) <= KEPT_BYTES;
        let decomposed = first.iter().map(|slice| slice.decomposed.bytes()).sum();
        let lines: usize = first.iter().flat_map(|slice| &slice.lines).map(Lines::bytes).sum();
        let bare = first.iter().map(|slice| slice.decomposed.lines().bytes()).sum();
        match (fits(decomposed), fits(decomposed + lines)) {
            (_, true) => Keeping::DecomposedAndLines,
            (true, false) => Keeping::Decomposed,
            (false, false) if fits(bare + lines) => Keeping::BareAndLines,
            (false, false) if fits(bare) => Keeping::Bare,
            (false, false) => Keeping::Nothing,
        }
    }

    fn keeps_lines(self) -> bool {
        matches!(self, Keeping::BareAndLines | Keeping::DecomposedAndLines)
    }
}

/// Slices of up to this many bytes are kept, 1.25 GB: enough for 1000 slices of 1000 draws of 100 atoms, whose medoid takes 3.2 s, and 5.5 s without.
pub(crate) const KEPT_BYTES: usize = 5 << 28;

/// A step of compression costs at most this part of a typical transport cost, over the squared number of draws: the more draws there
/// are, the closer together are the losses of the best, and the less may compression blur them.
const COMPRESSION: f64 = 0.03;

/// Up to this many rows are merged with all draws pair by pair; for more, decomposing the slices pays.
pub(crate) const MOST_MERGED: usize = 8;

/// Slices whose weighted squares are summed by one task.
const SWEPT_TOGETHER: usize = 4;

/// FirstPass slices that are worked on at a time.
const LINES_TOGETHER: usize = 32;

/// Pairs of draws whose transport costs say what is typical.
const TYPICAL_PAIRS: usize = 16;

impl<'p, 'a> Decompositions<'p, 'a> {
    /// Nothing is computed before the first pass. The order of the projection is 2 for all that is decomposed.
    pub(crate) fn new(projection: &'p Projection<'a>, form: Form) -> Self {
        Self::over(projection, form, projection.batches())
    }

    /// The first `count` slices only, in the same form.
    pub(crate) fn leading(&self, count: usize) -> Self {
        Self::over(self.projection, self.form, below(self.projection.batches(), count))
    }

    /// For each of `rows`, the mean over slices of the transport cost to every draw, when nothing else is wanted of the slices.
    pub(crate) fn row_costs_once(
        projection: &'p Projection<'a>,
        rows: &[usize],
        progress: &dyn Progress,
    ) -> Result<Vec<f64>> {
        let mut decompositions = Self::new(projection, Form::Exact);
        if rows.len() <= MOST_MERGED {
            return Ok(decompositions.merged_row_costs(rows, progress)?.0);
        }
        decompositions.once = true;
        decompositions.row_costs(rows, progress)
    }

    fn over(projection: &'p Projection<'a>, form: Form, batches: Vec<Vec<usize>>) -> Self {
        Decompositions {
            projection,
            form,
            batches,
            once: false,
            kept: None,
            moved: vec![0.0; projection.draws()],
            spread: None,
            radii: None,
        }
    }

    /// The draws on their slices.
    pub(crate) fn projection(&self) -> &'p Projection<'a> {
        self.projection
    }

    /// What is decomposed.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// For every draw its distance, over these slices, from the form that is decomposed; known after the first pass.
    pub(crate) fn moved(&self) -> &[f64] {
        &self.moved
    }

    /// How the decomposed draws spread over these slices, when [`Decompositions::row_costs_and_mean_squares`] has passed over them.
    pub(crate) fn spread(&self) -> Option<&Spread> {
        self.spread.as_ref()
    }

    /// For every draw a guess of its distance from the geometric median of all, where the search for the medoid had one.
    pub(crate) fn radii(&self) -> Option<&[f64]> {
        self.radii.as_deref()
    }

    /// Hands on such a guess.
    pub(crate) fn guess_radii(&mut self, radii: Vec<f64>) {
        self.radii = Some(radii);
    }

    /// Number of slices.
    pub(crate) fn slices(&self) -> usize {
        self.batches.iter().map(Vec::len).sum()
    }

    /// Whether the decomposed slices are kept, or certainly will be, so that further passes are cheap.
    pub(crate) fn keeps(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.bare.is_empty())
            || self.slices().saturating_mul(self.projection.kept_bytes_per_slice()) <= KEPT_BYTES
    }

    /// Calls `look` for each slice, in parallel, and `take` with what it found, in order.
    pub(crate) fn visit<T: Send>(
        &mut self,
        progress: &dyn Progress,
        look: impl Fn(usize, &Decomposition) -> T + Sync,
        mut take: impl FnMut(usize, T),
    ) -> Result<()> {
        let slices: Vec<usize> = self.batches.concat();
        let mut done = 0;
        let asking = |slice: usize, decomposed: &Decomposition| progress.check().map(|()| look(slice, decomposed));
        self.for_each(progress, |batch| {
            let own = &slices[done..done + batch.decompositions().len()];
            let found: Vec<T> = own
                .par_iter()
                .zip(batch.decompositions())
                .map(|(&slice, decomposed)| asking(slice, decomposed))
                .collect::<Result<_>>()?;
            own.iter().zip(found).for_each(|(&slice, found)| take(slice, found));
            done += own.len();
            Ok(())
        })
    }

    /// For each of `rows`, the mean over slices of the transport cost to every draw: `rows.len()` × M numbers.
    pub(crate) fn row_costs(&mut self, rows: &[usize], progress: &dyn Progress) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; rows.len() * self.projection.draws()];
        self.for_each(progress, |batch| add_rows(batch, rows, progress, &mut sums))?;
        divide(&mut sums, self.projection.slices());
        Ok(sums)
    }

    /// As [`Decompositions::row_costs`], and in the same pass, for every draw and several weightings of the draws, the weighted sum of its squared
    /// distances.
    pub(crate) fn row_costs_and_weighted_squares(
        &mut self,
        rows: &[usize],
        weightings: &[Weightings],
        progress: &dyn Progress,
    ) -> Result<(Vec<f64>, Vec<Weightings>)> {
        let (draws, slices) = (self.projection.draws(), self.projection.slices());
        let mut costs = vec![0.0; rows.len() * draws];
        let mut squares = vec![[0.0; WEIGHTINGS]; draws];
        self.for_each(progress, |batch| {
            add_rows(batch, rows, progress, &mut costs)?;
            let of_part = |part: &[Decomposition]| -> Result<Vec<Weightings>> {
                let mut squares = vec![[0.0; WEIGHTINGS]; draws];
                for decomposed in part {
                    progress.check()?;
                    decomposed.add_weighted_squares(weightings, &mut squares);
                }
                Ok(squares)
            };
            let parts = batch.decompositions().par_chunks(SWEPT_TOGETHER);
            let found: Vec<Vec<Weightings>> = parts.map(of_part).collect::<Result<_>>()?;
            found.iter().for_each(|found| add(squares.as_flattened_mut(), found.as_flattened()));
            Ok(())
        })?;
        divide(&mut costs, slices);
        divide(squares.as_flattened_mut(), slices);
        Ok((costs, squares))
    }

    /// As [`Decompositions::row_costs`], but always of the draws themselves, by merging pair by pair: for a few rows. With the costs on each
    /// slice, unless they take too much memory.
    pub(crate) fn merged_row_costs(
        &self,
        rows: &[usize],
        progress: &dyn Progress,
    ) -> Result<(Vec<f64>, Option<SliceRows>)> {
        let draws = self.projection.draws();
        let of_slice = |_, lines: &Lines| -> Vec<f64> {
            let mut costs = vec![0.0; rows.len() * draws];
            let rows = rows.iter().zip(costs.chunks_exact_mut(draws));
            rows.for_each(|(&i, row)| row_of_costs(lines.draw(i), lines, row));
            costs
        };
        let mut sums = vec![0.0; rows.len() * draws];
        let mut slice_rows = (rows.len() * draws * self.projection.slices() <= KEPT_COSTS)
            .then(|| SliceRows { rows: rows.to_vec(), costs: Vec::new() });
        self.visit_lines(Form::Exact, usize::MAX, progress, of_slice, |costs: Vec<f64>| {
            add(&mut sums, &costs);
            if let Some(kept) = &mut slice_rows {
                kept.costs.push(costs);
            }
        })?;
        divide(&mut sums, self.projection.slices());
        Ok((sums, slice_rows))
    }

    /// For every draw the mean over all draws of its squared distance.
    pub(crate) fn mean_squares(&mut self, progress: &dyn Progress) -> Result<Vec<f64>> {
        Ok(self.row_costs_and_mean_squares(&[], progress)?.mean_squares)
    }

    /// Both in one pass.
    pub(crate) fn row_costs_and_mean_squares(&mut self, rows: &[usize], progress: &dyn Progress) -> Result<AnchorRows> {
        let (draws, weights) = (self.projection.draws(), self.projection.draw_weights());
        let mut costs = vec![0.0; rows.len() * draws];
        let mut mean_squares = vec![0.0; draws];
        let mut size = 0.0;
        self.for_each(progress, |batch| {
            add_rows(batch, rows, progress, &mut costs)?;
            let of_slice = |decomposed: &Decomposition| {
                progress.check()?;
                let mut squares = vec![0.0; draws];
                let size = decomposed.add_mean_squares(weights, &mut squares);
                Ok((squares, size))
            };
            let found: Vec<(Vec<f64>, f64)> = batch.decompositions().par_iter().map(of_slice).collect::<Result<_>>()?;
            for (squares, of_slice) in &found {
                add(&mut mean_squares, squares);
                size += of_slice;
            }
            Ok(())
        })?;
        divide(&mut costs, self.projection.slices());
        divide(&mut mean_squares, self.projection.slices());
        self.spread = Some(Spread { mean_squares: mean_squares.clone(), size: size / self.projection.slices() as f64 });
        Ok(AnchorRows { rows: costs, mean_squares })
    }

    /// For one or two draws i and each slice, in order, the weighted sum Σ_j slopes_j c_ij.
    pub(crate) fn weighted_costs(&self, rows: &[WeightedRow], progress: &dyn Progress) -> Result<Vec<Vec<f64>>> {
        let (draws, order) = (self.projection.draws(), self.projection.order());
        let mut sums: Vec<Vec<f64>> = Vec::with_capacity(self.projection.slices());
        match &self.kept {
            Some(kept) if self.form == Form::Exact && kept.bare.is_empty() => {
                let of_slice = |decomposed: &Decomposition| -> Result<Vec<f64>> {
                    let mut costs = vec![0.0; draws];
                    let of_row = |row: &WeightedRow| {
                        row_costs_on(decomposed, row.draw, progress, &mut costs)?;
                        Ok(row.weighted(&costs))
                    };
                    rows.iter().map(of_row).collect()
                };
                for batch in &kept.batches {
                    let found: Vec<Vec<f64>> =
                        batch.decompositions().par_iter().map(of_slice).collect::<Result<_>>()?;
                    sums.extend(found);
                    progress.advance(batch.decompositions().len() as u64);
                }
            }
            // Without decomposed slices at hand, merging a row or two is cheaper than making them.
            _ => {
                let of_slice = |_, lines: &Lines| -> Vec<f64> {
                    let mut costs = vec![0.0; draws];
                    let of_row = |row: &WeightedRow| {
                        if order == Order::TWO {
                            row_of_costs(lines.draw(row.draw), lines, &mut costs);
                        } else {
                            let cost = |j| transport_cost(lines.draw(row.draw), lines.draw(j), order);
                            costs.iter_mut().enumerate().for_each(|(j, out)| *out = cost(j));
                        }
                        row.weighted(&costs)
                    };
                    rows.iter().map(of_row).collect()
                };
                self.visit_lines(Form::Exact, usize::MAX, progress, of_slice, |of_rows| sums.push(of_rows))?;
            }
        }
        Ok((0..rows.len()).map(|r| sums.iter().map(|of_slice| of_slice[r]).collect()).collect())
    }

    /// Transport costs between measures that are not draws and every draw, in the given form, on each of the first `most` slices, in order: `take`
    /// gets the slice and measures × M costs.
    pub(crate) fn other_costs(
        &self,
        others: &OtherMeasures,
        form: Form,
        most: usize,
        progress: &dyn Progress,
        mut take: impl FnMut(usize, &[f64]),
    ) -> Result<()> {
        let of_slice = |slice: usize, lines: &Lines| others.costs(slice, lines);
        let (mut slice, mut failure) = (0, None);
        self.visit_lines(form, most, progress, of_slice, |costs| {
            match costs {
                Ok(costs) => take(slice, &costs),
                Err(error) => failure = failure.take().or(Some(error)),
            }
            slice += 1;
        })?;
        failure.map_or(Ok(()), Err)
    }

    /// Calls `look` with the draws in the given form on each of the first `most` slices, in parallel, and `take` with what it found, in
    /// order.
    pub(crate) fn visit_lines<T: Send>(
        &self,
        form: Form,
        most: usize,
        progress: &dyn Progress,
        look: impl Fn(usize, &Lines) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<()> {
        let kept: Vec<&Lines> = match &self.kept {
            Some(kept) if self.form == Form::Compressed && form == Form::Exact => {
                kept.lines.iter().take(most).collect()
            }
            Some(kept) => {
                let decomposed = kept.batches.iter().flat_map(|batch| batch.decompositions()).map(Decomposition::lines);
                decomposed.chain(kept.bare.iter().flatten()).take(most).collect()
            }
            None => Vec::new(),
        };
        let at_hand = if kept.is_empty() { Form::Exact } else { form.min(self.form) };
        let look = |slice: usize, lines: &Lines| match (form, at_hand) {
            (Form::Compressed, Form::Exact) => look(slice, &compressed(lines).lines),
            _ => look(slice, lines),
        };
        if kept.is_empty() {
            // Slices are told apart by where they stand in their batch.
            return self.projection.stream_numbered(
                &below(self.projection.batches(), most),
                progress,
                |slice, lines| look(slice, &lines),
                |_, found| {
                    found.into_iter().for_each(&mut take);
                    Ok(())
                },
            );
        }
        for (chunk, lines) in kept.chunks(LINES_TOGETHER).enumerate() {
            let look =
                |(i, lines): (usize, &&Lines)| progress.check().map(|()| look(chunk * LINES_TOGETHER + i, lines));
            let found: Vec<T> = lines.par_iter().enumerate().map(look).collect::<Result<_>>()?;
            found.into_iter().for_each(&mut take);
            progress.advance(lines.len() as u64);
        }
        Ok(())
    }

    /// Calls `job` with each batch.
    fn for_each(&mut self, progress: &dyn Progress, mut job: impl FnMut(&Batch) -> Result<()>) -> Result<()> {
        if let Some(kept) = &self.kept {
            for batch in &kept.batches {
                progress.check()?;
                job(batch)?;
                progress.advance(batch.decompositions().len() as u64);
            }
            for lines in &kept.bare {
                progress.check()?;
                let weights = self.projection.draw_weights();
                let decomposed =
                    |lines: &Lines<'p>| progress.check().map(|()| Decomposition::new(lines.clone(), weights));
                job(&Batch::new(lines.par_iter().map(decomposed).collect::<Result<_>>()?))?;
                progress.advance(lines.len() as u64);
            }
            return Ok(());
        }
        let (projection, form) = (self.projection, self.form);
        let (slices, once, mut keeping) = (self.slices(), self.once, None);
        let mut moved = vec![0.0; projection.draws()];
        let mut kept = FirstPass::default();
        projection.stream(
            &self.batches,
            progress,
            |lines| build(lines, form, projection.draw_weights()),
            |_, built| {
                let keeping =
                    *keeping.get_or_insert_with(|| if once { Keeping::Nothing } else { Keeping::of(&built, slices) });
                let mut decompositions = Vec::new();
                for slice in built {
                    decompositions.push(slice.decomposed);
                    slice.residuals.iter().for_each(|residuals| add(&mut moved, residuals));
                    kept.lines.extend(slice.lines.filter(|_| keeping.keeps_lines()));
                }
                let batch = Batch::new(decompositions);
                job(&batch)?;
                match keeping {
                    Keeping::Nothing => {}
                    Keeping::Bare | Keeping::BareAndLines => kept.bare.push(batch.into_lines()),
                    Keeping::Decomposed | Keeping::DecomposedAndLines => kept.batches.push(batch),
                }
                Ok(())
            },
        )?;
        divide(&mut moved, slices);
        self.moved = moved.into_iter().map(f64::sqrt).collect();
        self.kept = (!kept.batches.is_empty() || !kept.bare.is_empty()).then_some(kept);
        Ok(())
    }
}

/// One slice in the form that was asked for.
struct Slice<'p> {
    decomposed: Decomposition<'p>,
    /// The lines themselves, and how far compression moved each draw; when it did.
    lines: Option<Lines<'p>>,
    residuals: Option<Vec<f64>>,
}

fn build<'p>(lines: Lines<'p>, form: Form, draw_weights: &[f64]) -> Slice<'p> {
    match form {
        Form::Exact => Slice { decomposed: Decomposition::new(lines, draw_weights), lines: None, residuals: None },
        Form::Compressed => {
            let compressed = compressed(&lines);
            let decomposed = Decomposition::new(compressed.lines, draw_weights);
            Slice { decomposed, lines: Some(lines), residuals: Some(compressed.residuals) }
        }
    }
}

/// The draws with neighbouring atoms merged.
fn compressed(lines: &Lines) -> Compressed {
    lines.compress(compression(lines.len()) * typical_cost(lines))
}

/// What a step of compression may cost, relative to a typical transport cost: 3e-8 for 1000 draws. Below 1e-10 hardly an atom would be
/// merged.
fn compression(draws: usize) -> f64 {
    (COMPRESSION / (draws as f64 * draws as f64)).max(1e-10)
}

/// The median cost of some pairs of draws: a few draws far from all others do not decide what is small. The pairs are found by the draws' medians,
/// so that it does not matter how they are numbered.
fn typical_cost(lines: &Lines) -> f64 {
    let draws = lines.len();
    let mut by_median: Vec<(f64, usize)> = (0..draws).map(|i| (lines.draw(i).median(), i)).collect();
    by_median.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let cost = |pair: usize| {
        let rank = pair * draws / TYPICAL_PAIRS;
        let draw = |rank: usize| lines.draw(by_median[rank % draws].1);
        transport_cost(draw(rank), draw(rank + draws / 2), Order::TWO)
    };
    let mut costs: Vec<f64> = (0..TYPICAL_PAIRS).map(cost).collect();
    *costs.select_nth_unstable_by(TYPICAL_PAIRS / 2, f64::total_cmp).1
}

/// The batches without slices from `count` on.
fn below(mut batches: Vec<Vec<usize>>, count: usize) -> Vec<Vec<usize>> {
    batches.iter_mut().for_each(|batch| batch.retain(|&slice| slice < count));
    batches.retain(|batch| !batch.is_empty());
    batches
}

/// A draw and what each of its costs counts for.
pub(crate) struct WeightedRow {
    pub(crate) draw: usize,
    pub(crate) slopes: Vec<f64>,
}

impl WeightedRow {
    fn weighted(&self, costs: &[f64]) -> f64 {
        self.slopes.iter().zip(costs).map(|(slope, cost)| slope * cost).sum()
    }
}

/// Costs on each slice of a few rows may take this many numbers, 256 MB.
const KEPT_COSTS: usize = 1 << 25;

/// The costs of a few draws to all, on each slice.
pub(crate) struct SliceRows {
    rows: Vec<usize>,
    costs: Vec<Vec<f64>>,
}

impl SliceRows {
    /// As [`Decompositions::weighted_costs`], when the draw is among the rows.
    pub(crate) fn weighted_costs(&self, row: &WeightedRow) -> Option<Vec<f64>> {
        let (r, draws) = (self.rows.iter().position(|&draw| draw == row.draw)?, row.slopes.len());
        Some(self.costs.iter().map(|costs| row.weighted(&costs[r * draws..(r + 1) * draws])).collect())
    }
}

/// How the draws spread, the means over slices.
pub(crate) struct Spread {
    /// For every draw the mean over all draws of its squared distance.
    pub(crate) mean_squares: Vec<f64>,
    /// Mean over the draws of ‖Q‖², counted from the middle of their cell means: rounding errors of the mean of the mean squares are a
    /// few units in the last place of this.
    pub(crate) size: f64,
}

/// What one pass over the slices tells about all draws.
pub(crate) struct AnchorRows {
    /// Mean transport costs of the anchors to every draw: anchors × M.
    pub(crate) rows: Vec<f64>,
    /// For every draw the mean over all draws of its squared distance.
    pub(crate) mean_squares: Vec<f64>,
}

/// With up to this many rows the parts of a batch are worked on side by side: panels of rows alone would leave threads idle. More
/// rows keep them busy, and their parts would take memory.
const FEW_ROWS: usize = 4 * PANEL;

fn add_rows(batch: &Batch, rows: &[usize], progress: &dyn Progress, sums: &mut [f64]) -> Result<()> {
    let draws = batch.draws();
    if rows.len() <= FEW_ROWS {
        let tasks: Vec<(usize, usize)> =
            (0..rows.len()).step_by(PANEL).flat_map(|r| (0..batch.parts()).map(move |part| (r, part))).collect();
        let of_task = |&(r, part): &(usize, usize)| -> Result<Vec<f64>> {
            let rows = &rows[r..rows.len().min(r + PANEL)];
            let mut costs = vec![0.0; rows.len() * draws];
            part_row_costs(batch, part, rows, progress, &mut costs)?;
            Ok(costs)
        };
        let found: Vec<Vec<f64>> = tasks.par_iter().map(of_task).collect::<Result<_>>()?;
        tasks.iter().zip(&found).for_each(|(&(r, _), costs)| add(&mut sums[r * draws..], costs));
        return Ok(());
    }
    sums.par_chunks_mut(PANEL * draws).zip(rows.par_chunks(PANEL)).try_for_each(|(sums, rows)| {
        let mut costs = vec![0.0; rows.len() * draws];
        row_costs(batch, rows, Columns::All, progress, &mut costs)?;
        add(sums, &costs);
        Ok(())
    })
}

pub(super) fn add(sums: &mut [f64], new: &[f64]) {
    sums.iter_mut().zip(new).for_each(|(sum, x)| *sum += x);
}

fn divide(sums: &mut [f64], count: usize) {
    sums.iter_mut().for_each(|sum| *sum /= count as f64);
}
