//! Costs of order 2 between one measure and all draws on one slice, without merging.
//!
//! Let Q be the quantile function of the measure and A its running integral, which is linear between its levels. A draw that stands at y_k between the levels c_{k−1} and c_k has
//! ∫ (Q − Q_y)² = ‖Q‖² + Σ_k y_k (y_k (c_k − c_{k−1}) − 2 (A(c_k) − A(c_{k−1}))). Merging walks along both measures, and every step waits for the one before it; here each
//! atom of a draw looks up A by itself, in a table of [`BUCKETS`] that says between which levels to begin: hardly ever is there another level in the bucket. Where the terms cancel, the
//! pair is merged after all.

use super::table::{CANCELS, squared_norm};
use super::{LineMeasure, Lines, Order, transport_cost};

/// Buckets of the table: it takes 2 kB, and draws of a hundred atoms have five buckets for each.
const BUCKETS: usize = 512;

/// Rounding makes less than this part of the products of the measures' farthest atoms, counted from the median: a cost below it is merged, too.
const ROUNDING: f64 = 1e-12;

/// 2^52: a number from 0 to [`BUCKETS`] that is added to it is rounded to an integer, which is the end of the sum's bits.
const INTEGERS: f64 = 4_503_599_627_370_496.0;

/// A measure, ready to be compared with all draws. Its space is used again for the next measure.
#[derive(Default)]
pub(crate) struct Row {
    pieces: Vec<Piece>,
    /// For each bucket the first piece that ends there or later.
    first: Vec<u32>,
}

/// Where A is linear: from one level to the next.
#[derive(Clone, Copy)]
struct Piece {
    start: f64,
    end: f64,
    slope: f64,
    /// A at the start.
    value: f64,
}

/// The bucket of a level; never descends as levels ascend.
#[inline(always)]
fn bucket(level: f64) -> usize {
    ((level * BUCKETS as f64 + INTEGERS).to_bits() & (2 * BUCKETS as u64 - 1)) as usize
}

impl Row {
    /// The costs of [`transport_cost`] from `own` to every draw, to rounding.
    pub(crate) fn costs(&mut self, own: LineMeasure, lines: &Lines, out: &mut [f64]) {
        let origin = own.median();
        self.load(own, origin);
        let norm = squared_norm(own, origin);
        let reach = |line: LineMeasure| {
            let last = line.positions[line.positions.len() - 1];
            f64::max((line.positions[0] - origin).abs(), (last - origin).abs())
        };
        let own_reach = reach(own);
        for (j, out) in out.iter_mut().enumerate() {
            let draw = lines.draw(j);
            let (mut start, mut reached) = (0.0, 0.0);
            let (mut size, mut product) = (norm, 0.0);
            for (x, &end) in draw.positions.iter().zip(draw.cumulative) {
                let y = x - origin;
                let integral = self.integral(end);
                size += y * y * (end - start);
                product += y * (integral - reached);
                (start, reached) = (end, integral);
            }
            let cost = size - 2.0 * product;
            let rounding = f64::max(CANCELS * size, ROUNDING * own_reach * reach(draw));
            let cancels = cost.is_nan() || cost <= rounding;
            *out = if cancels { transport_cost(own, draw, Order::TWO) } else { cost };
        }
    }

    fn load(&mut self, own: LineMeasure, origin: f64) {
        self.pieces.clear();
        self.first.clear();
        let (mut start, mut integral) = (0.0, 0.0);
        for (x, &end) in own.positions.iter().zip(own.cumulative) {
            let slope = x - origin;
            let piece = self.pieces.len() as u32;
            self.pieces.push(Piece { start, end, slope, value: integral });
            integral += slope * (end - start);
            start = end;
            self.first.resize(self.first.len().max(bucket(end) + 1), piece);
        }
    }

    /// A at a level.
    #[inline(always)]
    fn integral(&self, level: f64) -> f64 {
        let mut at = self.first[bucket(level)] as usize;
        // The last piece ends at 1, and no level is beyond.
        while self.pieces[at].end < level {
            at += 1;
        }
        let piece = &self.pieces[at];
        piece.value + piece.slope * (level - piece.start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::SLIVER;
    use super::super::table::tests::table;
    use super::*;

    proptest! {
        #[test]
        fn every_cost_is_that_of_merging(a in table(), offset in prop_oneof![Just(0.0), Just(1e6)], scale in prop_oneof![Just(1.0), Just(1e-4)]) {
            let draws = Lines::sort(&a.0, a.1.iter().map(|x| offset + scale * x).collect(), &a.2);
            let slivers = 80.0 * SLIVER * (10.0 * scale).powi(2);
            let (mut row, mut costs) = (Row::default(), vec![f64::NAN; draws.len()]);
            for i in 0..draws.len() {
                row.costs(draws.draw(i), &draws, &mut costs);
                // Copies are at no distance, to the bit.
                prop_assert_eq!(costs[i], 0.0);
                for (j, cost) in costs.iter().enumerate() {
                    let merged = transport_cost(draws.draw(i), draws.draw(j), Order::TWO);
                    prop_assert!((cost - merged).abs() <= 1e-9 * merged + slivers, "draws {i}, {j}: {cost} against {merged}");
                }
            }
        }

        /// The table and the search find the piece that a search alone finds.
        #[test]
        fn levels_stand_in_their_pieces(a in table(), levels in prop::collection::vec(0.0..=1.0f64, 1..50)) {
            let draws = Lines::sort(&a.0, a.1.clone(), &a.2);
            let (mut row, own) = (Row::default(), draws.draw(0));
            row.load(own, 0.0);
            for level in levels.into_iter().chain(own.cumulative.iter().copied()).chain([0.0, 0.5 / BUCKETS as f64, 1.0]) {
                let piece = own.cumulative.partition_point(|&end| end < level);
                let before: f64 = (0..piece).map(|k| own.positions[k] * (own.cumulative[k] - if k > 0 { own.cumulative[k - 1] } else { 0.0 })).sum();
                let start = if piece > 0 { own.cumulative[piece - 1] } else { 0.0 };
                let expected = before + own.positions[piece] * (level - start);
                prop_assert!((row.integral(level) - expected).abs() <= 1e-13, "{level}: {} {expected}", row.integral(level));
            }
        }
    }
}
