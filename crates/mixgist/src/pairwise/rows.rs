//! Passes over the slices for p = 2: the questions that are put to them, here or to workers, and the folding of the answers.

use rayon::prelude::*;

use super::answers::{add, ask_batch, divide, gathered, on_lines, summed};
use super::decomposition::{Decomposition, FromMean, Weightings};
use super::kept::{FirstPass, KEPT_BYTES, Keeping, Moved, build, compressed, look_at};
use super::matrix::cut;
use super::tile::Batch;
use crate::Result;
use crate::ensemble::MixingMeasure;
use crate::line::Lines;
use crate::progress::Progress;
use crate::projection::{PIECE, Projection};
use crate::target::SliceTarget;
use crate::work::{Also, Form, Look, Question, WeightedRow, among, wrong_answer};

/// The slices of a projection, decomposed; kept from the first pass on when they fit into memory, otherwise computed anew.
pub(crate) struct Decompositions<'p, 'a> {
    projection: &'p Projection<'a>,
    form: Form,
    batches: Vec<Vec<usize>>,
    /// Whether there is only one pass, after which nothing needs to be kept.
    once: bool,
    kept: Option<FirstPass<'p>>,
    /// What is kept, here or by workers; known after the first pass.
    keeping: Option<Keeping>,
    /// What the first pass saw of each piece, when that is to be handed on.
    looks: Vec<Look>,
    /// For every draw its distance from the form that is decomposed, known after the first pass.
    moved: Vec<f64>,
    spread: Option<Spread>,
    /// For every draw a guess of its distance from the geometric median of all.
    radii: Option<Vec<f64>>,
}

/// Up to this many rows are merged with all draws pair by pair; for more, decomposing the slices pays.
pub(crate) const MOST_MERGED: usize = 8;

/// Kept slices that are worked on at a time.
const LINES_TOGETHER: usize = 32;

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

    /// Some slices only, in batches.
    pub(super) fn over(projection: &'p Projection<'a>, form: Form, batches: Vec<Vec<usize>>) -> Self {
        Decompositions {
            projection,
            form,
            batches,
            once: false,
            kept: None,
            keeping: None,
            looks: Vec::new(),
            moved: vec![0.0; projection.draws()],
            spread: None,
            radii: None,
        }
    }

    /// The draws on their slices.
    pub(crate) fn projection(&self) -> &'p Projection<'a> {
        self.projection
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

    /// Gives up what is kept of the slices; the next pass makes it again.
    pub(crate) fn release(&mut self) {
        (self.kept, self.keeping) = (None, None);
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
        self.keeping.is_some_and(Keeping::keeps_decomposed)
            || self.slices().saturating_mul(self.projection.kept_bytes_per_slice()) <= KEPT_BYTES
    }

    /// What the first pass saw, to be handed on.
    pub(super) fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// Puts a question to the decomposed slices; `fold` gets the answer of each piece, in order.
    pub(super) fn ask(
        &mut self,
        question: &Question,
        progress: &dyn Progress,
        mut fold: impl FnMut(Vec<f64>),
    ) -> Result<()> {
        let Some(away) = self.projection.away() else {
            let weights = self.projection.draw_weights();
            return self.for_each(progress, |batch| ask_batch(question, batch, weights, progress, &mut fold));
        };
        let (pieces, first) = (cut(&self.batches), self.keeping.is_none());
        let mut moved = Moved::default();
        let mut bytes = None;
        let draws = self.projection.draws();
        away.ask(question, (self.form, first), &pieces, draws, progress, |_, numbers, look| {
            if let Some(look) = look {
                bytes.get_or_insert(look.bytes);
                moved.add(&look);
            }
            fold(numbers);
            Ok(())
        })?;
        if let Some(bytes) = bytes {
            let (few, slices) = (pieces[0].len(), self.slices());
            self.keeping = Some(if self.once { Keeping::Nothing } else { Keeping::of(bytes, few, slices) });
            self.moved = moved.distances(slices, self.projection.draws());
        }
        Ok(())
    }

    /// Puts a question to the draws in the given form on each of the first `most` slices; `fold` gets each piece and its answer, in order.
    pub(super) fn ask_lines(
        &self,
        question: &Question,
        form: Form,
        most: usize,
        progress: &dyn Progress,
        mut fold: impl FnMut(&[usize], Vec<f64>),
    ) -> Result<()> {
        let pieces = cut(&below(self.batches.clone(), most));
        if let Some(away) = self.projection.away() {
            let draws = self.projection.draws();
            return away.ask(question, (self.form, false), &pieces, draws, progress, |piece, numbers, _| {
                fold(&pieces[piece], numbers);
                Ok(())
            });
        }
        let others = match question {
            Question::Others { measures, .. } => Some(self.projection.others(measures)?),
            _ => None,
        };
        let order = self.projection.order();
        let look = |slice: usize, lines: &Lines| on_lines(question, others.as_ref(), order, slice, lines);
        let (mut pieces, mut found, mut failure) = (pieces.iter(), Vec::new(), None);
        let mut piece = pieces.next();
        self.visit_lines(form, most, progress, look, |numbers| {
            match numbers {
                Ok(numbers) => found.push(numbers),
                Err(error) => failure = failure.take().or(Some(error)),
            }
            if let Some(whole) = piece.filter(|piece| piece.len() == found.len()) {
                fold(whole, gathered(question, whole, std::mem::take(&mut found)));
                piece = pieces.next();
            }
        })?;
        failure.map_or(Ok(()), Err)
    }

    /// For each of `rows`, the mean over slices of the transport cost to every draw: `rows.len()` × M numbers.
    pub(crate) fn row_costs(&mut self, rows: &[usize], progress: &dyn Progress) -> Result<Vec<f64>> {
        self.rows_and_more(rows, Also::Nothing, 0, progress)
    }

    /// Means over slices of the answers to [`Question::Rows`], so many of which are no costs.
    fn rows_and_more(&mut self, rows: &[usize], also: Also, more: usize, progress: &dyn Progress) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; rows.len() * self.projection.draws() + more];
        self.ask(&Question::Rows { rows: rows.to_vec(), also }, progress, |numbers| add(&mut sums, &numbers))?;
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
        let also = Also::WeightedSquares(weightings.as_flattened().to_vec());
        let mut costs = self.rows_and_more(rows, also, weightings.as_flattened().len(), progress)?;
        let squares = costs.split_off(rows.len() * self.projection.draws());
        Ok((costs, squares.as_chunks().0.to_vec()))
    }

    /// As [`Decompositions::row_costs`], but always of the draws themselves, by merging pair by pair: for a few rows. With the costs on each
    /// slice, unless they take too much memory.
    pub(crate) fn merged_row_costs(
        &self,
        rows: &[usize],
        progress: &dyn Progress,
    ) -> Result<(Vec<f64>, Option<SliceRows>)> {
        let numbers = rows.len() * self.projection.draws();
        let apart = numbers * self.projection.slices() <= KEPT_COSTS;
        let question = Question::MergedRows { rows: rows.to_vec(), apart };
        let (mut sums, mut costs) = (vec![0.0; numbers], Vec::new());
        self.ask_lines(&question, Form::Exact, usize::MAX, progress, |_, found| {
            if !apart {
                return add(&mut sums, &found);
            }
            let of_slices: Vec<Vec<f64>> = found.chunks_exact(numbers).map(<[f64]>::to_vec).collect();
            add(&mut sums, &summed(&of_slices));
            costs.extend(of_slices);
        })?;
        divide(&mut sums, self.projection.slices());
        Ok((sums, apart.then(|| SliceRows { rows: rows.to_vec(), costs })))
    }

    /// For every draw the mean over all draws of its squared distance.
    pub(crate) fn mean_squares(&mut self, progress: &dyn Progress) -> Result<Vec<f64>> {
        Ok(self.row_costs_and_mean_squares(&[], progress)?.mean_squares)
    }

    /// Both in one pass.
    pub(crate) fn row_costs_and_mean_squares(&mut self, rows: &[usize], progress: &dyn Progress) -> Result<AnchorRows> {
        let draws = self.projection.draws();
        let mut costs = self.rows_and_more(rows, Also::MeanSquares, draws + 1, progress)?;
        let mut mean_squares = costs.split_off(rows.len() * draws);
        let size = mean_squares.pop().expect("the size stands at the end");
        self.spread = Some(Spread { mean_squares: mean_squares.clone(), size });
        Ok(AnchorRows { rows: costs, mean_squares })
    }

    /// Mean over slices of ‖Q_m − Q̄‖², Q̄ the mean with these weights.
    pub(crate) fn squares_from_mean(&mut self, weights: &[f64], progress: &dyn Progress) -> Result<FromMean> {
        let mut sums = vec![0.0; 2 * weights.len()];
        let question = Question::FromMean { weights: weights.to_vec() };
        self.ask(&question, progress, |numbers| add(&mut sums, &numbers))?;
        divide(&mut sums, self.slices());
        let sizes = sums.split_off(weights.len());
        Ok(FromMean { squares: sums, sizes })
    }

    /// For one or two draws i and each slice, in order, the weighted sum Σ_j slopes_j c_ij.
    pub(crate) fn weighted_costs(&self, rows: &[WeightedRow], progress: &dyn Progress) -> Result<Vec<Vec<f64>>> {
        // Without decomposed slices at hand, merging a row or two is cheaper than making them.
        let decomposed = self.form == Form::Exact && self.keeping.is_some_and(Keeping::keeps_decomposed);
        let question = Question::WeightedRows { rows: rows.to_vec(), decomposed };
        let mut sums: Vec<f64> = Vec::with_capacity(rows.len() * self.projection.slices());
        match &self.kept {
            Some(kept) if decomposed => {
                for batch in &kept.batches {
                    ask_batch(&question, batch, &[], progress, &mut |numbers| sums.extend(numbers))?;
                    progress.advance(batch.decompositions().len() as u64);
                }
            }
            _ => self.ask_lines(&question, Form::Exact, usize::MAX, progress, |_, numbers| sums.extend(numbers))?,
        }
        Ok((0..rows.len()).map(|r| sums.iter().skip(r).step_by(rows.len()).copied().collect()).collect())
    }

    /// Transport costs between measures that are not draws and every draw, in the given form, summed over the first `most` slices; for each
    /// group of slices measures × M numbers.
    pub(crate) fn other_costs(
        &self,
        measures: &[MixingMeasure],
        form: Form,
        most: usize,
        groups: &[usize],
        progress: &dyn Progress,
    ) -> Result<Vec<f64>> {
        let numbers = measures.len() * self.projection.draws();
        let question = Question::Others { measures: measures.to_vec(), form, groups: groups.to_vec() };
        let mut sums = vec![0.0; (groups.iter().copied().max().unwrap_or(0) + 1) * numbers];
        self.ask_lines(&question, form, most, progress, |piece, found| {
            for (group, costs) in among(groups, piece).into_iter().zip(found.chunks_exact(numbers)) {
                add(&mut sums[group * numbers..][..numbers], costs);
            }
        })?;
        Ok(sums)
    }

    /// Mean quantile functions of the first `most` slices under several weightings of the draws, each of sum 1; cells are chosen by some draws.
    ///
    /// Compression is far below what cells leave out, and a fit is judged on the draws themselves: the form at hand will do.
    pub(crate) fn mean_quantiles(
        &self,
        weightings: &[&[f64]],
        sampled: &[usize],
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<SliceTarget>>> {
        let mut found: Vec<Vec<SliceTarget>> = weightings.iter().map(|_| Vec::new()).collect();
        if weightings.is_empty() {
            return Ok(found);
        }
        let question = Question::MeanQuantiles {
            weightings: weightings.iter().map(|weighting| weighting.to_vec()).collect(),
            sampled: sampled.to_vec(),
        };
        let mut sound = true;
        self.ask_lines(&question, self.form, most, progress, |piece, numbers| {
            let mut left = numbers.as_slice();
            for _ in piece {
                let Some((targets, rest)) = SliceTarget::of_numbers(left, weightings.len()) else {
                    sound = false;
                    return;
                };
                found.iter_mut().zip(targets).for_each(|(found, target)| found.push(target));
                left = rest;
            }
        })?;
        if sound { Ok(found) } else { Err(wrong_answer()) }
    }

    /// Calls `look` with the draws in the given form on each of the first `most` slices, in parallel, and `take` with what it found, in
    /// order.
    fn visit_lines<T: Send>(
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
                decomposed.chain(kept.bare.iter().flatten().map(|(lines, _)| lines)).take(most).collect()
            }
            None => Vec::new(),
        };
        let at_hand = if kept.is_empty() { Form::Exact } else { form.min(self.form) };
        let look = |slice: usize, lines: &Lines| match (form, at_hand) {
            (Form::Compressed, Form::Exact) => look(slice, &compressed(lines).lines),
            _ => look(slice, lines),
        };
        if kept.is_empty() {
            return self.projection.stream_numbered(
                &below(self.batches.clone(), most),
                progress,
                |slice, lines| look(slice, &lines),
                |_, found| {
                    found.into_iter().for_each(&mut take);
                    Ok(())
                },
            );
        }
        for (slices, lines) in self.batches.concat().chunks(LINES_TOGETHER).zip(kept.chunks(LINES_TOGETHER)) {
            let look = |(&slice, lines): (&usize, &&Lines)| progress.check().map(|()| look(slice, lines));
            let found: Vec<T> = slices.par_iter().zip(lines).map(look).collect::<Result<_>>()?;
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
            for bare in &kept.bare {
                progress.check()?;
                let weights = self.projection.draw_weights();
                let decomposed = bare.par_iter().map(|(lines, plan)| {
                    progress.check().map(|()| Decomposition::again(lines.borrowed(), plan.clone(), weights))
                });
                job(&Batch::new(decomposed.collect::<Result<_>>()?))?;
                progress.advance(bare.len() as u64);
            }
            return Ok(());
        }
        let (projection, form) = (self.projection, self.form);
        let (slices, once, mut keeping) = (self.slices(), self.once, None);
        let (mut moved, mut looks) = (Moved::default(), Vec::new());
        let mut kept = FirstPass::default();
        projection.stream(
            &self.batches,
            progress,
            |lines| build(lines, form, projection.draw_weights()),
            |_, built| {
                looks.clear();
                looks.extend(built.chunks(PIECE).map(look_at));
                looks.iter().for_each(|look| moved.add(look));
                let keeping = *keeping.get_or_insert_with(|| match once {
                    true => Keeping::Nothing,
                    false => Keeping::of(looks[0].bytes, built.len().min(PIECE), slices),
                });
                let mut decompositions = Vec::new();
                for slice in built {
                    decompositions.push(slice.decomposed);
                    kept.lines.extend(slice.lines.filter(|_| keeping.keeps_lines()));
                }
                let batch = Batch::new(decompositions);
                job(&batch)?;
                match keeping {
                    Keeping::Nothing => {}
                    Keeping::Bare | Keeping::BareAndLines => kept.bare.push(batch.into_bare()),
                    Keeping::Decomposed | Keeping::DecomposedAndLines => kept.batches.push(batch),
                }
                Ok(())
            },
        )?;
        self.moved = moved.distances(slices, projection.draws());
        (self.keeping, self.looks) = (keeping, looks);
        self.kept = (!kept.batches.is_empty() || !kept.bare.is_empty()).then_some(kept);
        Ok(())
    }
}

/// The batches without slices from `count` on.
fn below(mut batches: Vec<Vec<usize>>, count: usize) -> Vec<Vec<usize>> {
    batches.iter_mut().for_each(|batch| batch.retain(|&slice| slice < count));
    batches.retain(|batch| !batch.is_empty());
    batches
}

/// Costs on each slice of a few rows may take this many numbers, 256 MB.
const KEPT_COSTS: usize = 1 << 25;

/// Bytes that the costs of merged rows take at most, whether they are asked for together or two at a time.
pub(crate) fn most_merged_bytes(draws: usize, slices: u64) -> u64 {
    let costs = slices.saturating_mul((MOST_MERGED * draws) as u64).min((MOST_MERGED / 2 * KEPT_COSTS) as u64);
    8 * costs
}

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
