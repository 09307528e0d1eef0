//! What is kept of the first pass over the slices: in which form, and how much.

use super::answers::{add, summed};
use super::decomposition::{Decomposition, Plan};
use super::tile::Batch;
use crate::line::{Compressed, Lines, Order, transport_cost};
use crate::work::{Form, Look};

/// All slices of the first pass. Keeping as many as fit was slower: 8.3 s instead of 6.1 s for the medoid of 10,000 draws.
#[derive(Default)]
pub(super) struct FirstPass<'p> {
    pub(super) batches: Vec<Batch<'p>>,
    /// The draws themselves, when the batches hold another form and there is space for both.
    pub(super) lines: Vec<Lines<'p>>,
    /// The draws in the form that is decomposed, batch by batch, each slice with how it is decomposed, when there is no space for more: decomposing them anew in every pass takes a
    /// fraction of the time that projecting, sorting and compressing take.
    pub(super) bare: Vec<Vec<(Lines<'p>, Plan)>>,
}

/// What is kept of the first pass, decided by the size of its first batch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    Nothing,
    Bare,
    BareAndLines,
    Decomposed,
    DecomposedAndLines,
}

impl Keeping {
    /// For as many slices, of which the first few take so many bytes.
    pub(super) fn of(bytes: [usize; 3], few: usize, slices: usize) -> Self {
        let fits = |bytes: usize| (bytes / few).saturating_mul(slices) <= KEPT_BYTES;
        let [decomposed, lines, bare] = bytes;
        match (fits(decomposed), fits(decomposed + lines)) {
            (_, true) => Keeping::DecomposedAndLines,
            (true, false) => Keeping::Decomposed,
            (false, false) if fits(bare + lines) => Keeping::BareAndLines,
            (false, false) if fits(bare) => Keeping::Bare,
            (false, false) => Keeping::Nothing,
        }
    }

    pub(super) fn keeps_decomposed(self) -> bool {
        matches!(self, Keeping::Decomposed | Keeping::DecomposedAndLines)
    }

    pub(super) fn keeps_lines(self) -> bool {
        matches!(self, Keeping::BareAndLines | Keeping::DecomposedAndLines)
    }
}

/// Slices of up to this many bytes are kept, 1.25 GB: enough for 1000 slices of 1000 draws of 100 atoms, whose medoid takes 3.2 s, and 5.5 s without.
pub(crate) const KEPT_BYTES: usize = 5 << 28;

/// A step of compression costs at most this part of a typical transport cost, over the squared number of draws: the more draws there
/// are, the closer together are the losses of the best, and the less may compression blur them.
const COMPRESSION: f64 = 0.03;

/// Pairs of draws whose transport costs say what is typical.
const TYPICAL_PAIRS: usize = 16;

/// How far compression moves the draws: squares, summed over the pieces so far.
#[derive(Default)]
pub(super) struct Moved(Vec<f64>);

impl Moved {
    pub(super) fn add(&mut self, look: &Look) {
        self.0.resize(self.0.len().max(look.moved.len()), 0.0);
        add(&mut self.0, &look.moved);
    }

    pub(super) fn distances(mut self, slices: usize, draws: usize) -> Vec<f64> {
        self.0.resize(draws, 0.0);
        self.0.into_iter().map(|sum| (sum / slices as f64).sqrt()).collect()
    }
}

/// What is seen of the slices of a piece when they are decomposed first.
pub(super) fn look_at(piece: &[Slice]) -> Look {
    let bytes = |of: &dyn Fn(&Slice) -> usize| piece.iter().map(of).sum();
    let residuals: Vec<Vec<f64>> = piece.iter().filter_map(|slice| slice.residuals.clone()).collect();
    Look {
        moved: summed(&residuals),
        bytes: [
            bytes(&|slice| slice.decomposed.bytes()),
            bytes(&|slice| slice.lines.as_ref().map_or(0, Lines::bytes)),
            bytes(&|slice| slice.decomposed.lines().bytes()),
        ],
    }
}

/// One slice in the form that was asked for.
pub(super) struct Slice<'p> {
    pub(super) decomposed: Decomposition<'p>,
    /// The lines themselves, and how far compression moved each draw; when it did.
    pub(super) lines: Option<Lines<'p>>,
    residuals: Option<Vec<f64>>,
}

/// One slice in this form.
pub(super) fn build<'p>(lines: Lines<'p>, form: Form, draw_weights: &[f64]) -> Slice<'p> {
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
pub(super) fn compressed(lines: &Lines) -> Compressed {
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
