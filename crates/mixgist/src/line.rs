//! Transport on the line: weighted points in ascending order, and the exact cost between two such measures.

mod row;
mod table;

use std::borrow::Cow;

use fearless_simd::{Level, Simd, dispatch};

pub(crate) use row::Row;
pub(crate) use table::{squared_norm, table_of_costs, table_of_costs_from};

use crate::{Error, Result};

/// The order p ≥ 1 of a transport cost W_p^p.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Order(f64);

impl Order {
    /// p = 2, the default.
    pub const TWO: Order = Order(2.0);

    /// Any finite p ≥ 1.
    pub fn new(p: f64) -> Result<Self> {
        if p.is_finite() && p >= 1.0 {
            Ok(Order(p))
        } else {
            Err(Error::usage(format!("order is {p}, must be a finite number of at least 1")))
        }
    }

    /// p.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The distance that belongs to a transport cost: its p-th root.
    pub fn root(self, transport_cost: f64) -> f64 {
        match self.0 {
            2.0 => transport_cost.sqrt(),
            1.0 => transport_cost,
            p => libm::pow(transport_cost, p.recip()),
        }
    }

    /// The transport cost that belongs to a distance: its p-th power.
    pub fn power(self, distance: f64) -> f64 {
        match self.0 {
            2.0 => distance * distance,
            1.0 => distance,
            p => libm::pow(distance, p),
        }
    }

    /// Slope of [`Order::root`] at a transport cost; 0 at 0, where the distance is known without error.
    pub fn root_slope(self, transport_cost: f64) -> f64 {
        if transport_cost > 0.0 { self.root(transport_cost) / (self.0 * transport_cost) } else { 0.0 }
    }
}

impl TryFrom<f64> for Order {
    type Error = Error;

    fn try_from(p: f64) -> Result<Self> {
        Order::new(p)
    }
}

impl From<Order> for f64 {
    fn from(order: Order) -> f64 {
        order.0
    }
}

impl Default for Order {
    fn default() -> Self {
        Self::TWO
    }
}

/// A probability measure on the line as its quantile function: positions ascending, cumulative weights ending at exactly 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineMeasure<'a> {
    positions: &'a [f64],
    cumulative: &'a [f64],
}

impl<'a> LineMeasure<'a> {
    /// Position of each atom, ascending.
    pub(crate) fn positions(&self) -> &'a [f64] {
        self.positions
    }

    /// Sum of the weights up to and including each atom; the last is exactly 1.
    pub(crate) fn cumulative(&self) -> &'a [f64] {
        self.cumulative
    }

    /// The first atom up to which there is half of the mass.
    pub(crate) fn median(&self) -> f64 {
        self.positions[self.cumulative.partition_point(|&c| c < 0.5)]
    }
}

/// W_p^p = ∫ |Q_a − Q_b|^p between two measures on the line, exactly. Cost O(K_a + K_b).
pub(crate) fn transport_cost(a: LineMeasure, b: LineMeasure, order: Order) -> f64 {
    match order.0 {
        2.0 => merge(a, b, |gap| gap * gap),
        1.0 => merge(a, b, f64::abs),
        p => merge(a, b, |gap| libm::pow(gap.abs(), p)),
    }
}

/// A step of a merge that is no longer than this is none: cumulative weights are rounded sums, and where two measures are the same one up to the
/// order or the number of pieces of their atoms, such steps are all that tells them apart. Nine units in the last place of 1.
const SLIVER: f64 = 2e-15;

/// The length of a step.
#[inline(always)]
fn step(from: f64, to: f64) -> f64 {
    let length = to - from;
    if length > SLIVER { length } else { 0.0 }
}

/// Walks the union of the two cumulative sequences. Both end at exactly 1, so the walk stops before either index runs out.
#[inline(always)]
fn merge(a: LineMeasure, b: LineMeasure, cost: impl Fn(f64) -> f64) -> f64 {
    let (mut i, mut j) = (0, 0);
    let (mut reached, mut total) = (0.0, 0.0);
    loop {
        let (u, v) = (a.cumulative[i], b.cumulative[j]);
        let next = u.min(v);
        total += step(reached, next) * cost(a.positions[i] - b.positions[j]);
        if next >= 1.0 {
            return total;
        }
        reached = next;
        i += usize::from(u <= next);
        j += usize::from(v <= next);
    }
}

/// All draws on one slice: a ragged table of line measures.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    offsets: Cow<'a, [usize]>,
    positions: Cow<'a, [f64]>,
    cumulative: Cow<'a, [f64]>,
}

impl<'a> Lines<'a> {
    /// Sorts each draw's projected atoms. `positions` and `weights` are ragged by `offsets`; the weights of a draw sum to 1.
    pub(crate) fn sort(offsets: &'a [usize], mut positions: Vec<f64>, weights: &[f64]) -> Self {
        let mut cumulative = weights.to_vec();
        let mut sorter = Sorter::default();
        for range in offsets.windows(2).map(|pair| pair[0]..pair[1]) {
            sorter.sort(&mut positions[range.clone()], &mut cumulative[range.clone()]);
            accumulate(&mut cumulative[range]);
        }
        Lines { offsets: Cow::Borrowed(offsets), positions: Cow::Owned(positions), cumulative: Cow::Owned(cumulative) }
    }

    /// The same, without a copy.
    pub(crate) fn borrowed(&self) -> Lines<'_> {
        Lines {
            offsets: Cow::Borrowed(&self.offsets),
            positions: Cow::Borrowed(&self.positions),
            cumulative: Cow::Borrowed(&self.cumulative),
        }
    }

    /// Number of draws.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of atoms of all draws.
    pub(crate) fn atoms(&self) -> usize {
        self.positions.len()
    }

    /// Memory that the positions and weights take.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.positions[..]) + size_of_val(&self.cumulative[..])
    }

    /// The median over draws of their medians: where to count positions from, because a common offset would eat digits.
    pub(crate) fn middle(&self) -> f64 {
        let mut medians: Vec<f64> = (0..self.len()).map(|i| self.draw(i).median()).collect();
        let half = medians.len() / 2;
        *medians.select_nth_unstable_by(half, f64::total_cmp).1
    }

    /// Draw i on this slice.
    pub(crate) fn draw(&self, i: usize) -> LineMeasure<'_> {
        let range = self.offsets[i]..self.offsets[i + 1];
        LineMeasure { positions: &self.positions[range.clone()], cumulative: &self.cumulative[range] }
    }
}

/// Line measures with fewer atoms, and how far each is from what it stands for.
pub(crate) struct Compressed {
    pub(crate) lines: Lines<'static>,
    /// For each draw the transport cost of order 2 between it and its compressed form.
    pub(crate) residuals: Vec<f64>,
}

impl Lines<'_> {
    /// Replaces neighbouring atoms by their mean as long as a step adds no more than `tolerance` to the transport cost of order 2.
    ///
    /// A step replaces the quantile function by its mean on an interval, an orthogonal projection, so the costs of the steps add up
    /// to the cost of them all: W_2 between the draw and its compressed form is known, not estimated.
    pub(crate) fn compress(&self, tolerance: f64) -> Compressed {
        let column = || Vec::with_capacity(self.positions.len() / 2);
        let (mut positions, mut cumulative) = (column(), column());
        let (mut offsets, mut residuals) = (Vec::with_capacity(self.len() + 1), Vec::with_capacity(self.len()));
        offsets.push(0);
        for i in 0..self.len() {
            residuals.push(compress_draw(self.draw(i), tolerance, &mut positions, &mut cumulative));
            offsets.push(positions.len());
        }
        let lines = Lines { offsets: offsets.into(), positions: positions.into(), cumulative: cumulative.into() };
        Compressed { lines, residuals }
    }
}

/// Appends the compressed form of one draw, and gives the cost of it.
fn compress_draw(line: LineMeasure, tolerance: f64, positions: &mut Vec<f64>, cumulative: &mut Vec<f64>) -> f64 {
    let (mut mean, mut end) = (line.positions[0], line.cumulative[0]);
    let (mut mass, mut residual) = (end, 0.0);
    for (k, (&x, &until)) in line.positions.iter().zip(line.cumulative).enumerate().skip(1) {
        // Atoms in one place are one.
        if line.positions.get(k + 1) == Some(&x) {
            continue;
        }
        let (weight, gap) = (until - end, x - mean);
        let both = mass + weight;
        // The cost times `both`: most atoms need no division.
        let product = mass * weight * (gap * gap);
        if product <= tolerance * both {
            // Atoms without mass vanish; 0 is not divided by 0 when the interval is still empty.
            if weight > 0.0 {
                mean += weight / both * gap;
                residual += product / both;
            }
            mass = both;
        } else {
            positions.push(mean);
            cumulative.push(end);
            (mean, mass) = (x, weight);
        }
        end = until;
    }
    positions.push(mean);
    cumulative.push(end);
    residual
}

/// Running sums in place; the last is set to exactly 1, so that rounding never leaves a sliver of mass unmatched.
fn accumulate(weights: &mut [f64]) {
    let mut sum = 0.0;
    for w in weights.iter_mut() {
        sum += *w;
        *w = f64::min(sum, 1.0);
    }
    weights[weights.len() - 1] = 1.0;
}

/// Up to this many atoms, counting for each atom how many lie to its left is used instead of a comparison sort: quadratic, but without
/// branches and four atoms at a time.
const RANK_LIMIT: usize = 128;

/// Sorts positions and carries the weights along; keeps its scratch space between calls.
struct Sorter {
    level: Level,
    positions: Vec<f64>,
    weights: Vec<f64>,
    ranks: Vec<u64>,
    pairs: Vec<(f64, f64)>,
}

impl Default for Sorter {
    fn default() -> Self {
        Sorter { level: Level::new(), positions: Vec::new(), weights: Vec::new(), ranks: Vec::new(), pairs: Vec::new() }
    }
}

impl Sorter {
    fn sort(&mut self, positions: &mut [f64], weights: &mut [f64]) {
        if positions.len() > RANK_LIMIT || !self.sort_by_rank(positions, weights) {
            self.sort_by_comparison(positions, weights);
        }
    }

    /// False, and nothing changed, when two positions are equal: then ranks collide.
    fn sort_by_rank(&mut self, positions: &mut [f64], weights: &mut [f64]) -> bool {
        let count = positions.len();
        self.positions.clear();
        self.positions.extend_from_slice(positions);
        self.positions.resize(count.next_multiple_of(8), f64::INFINITY);
        self.ranks.resize(self.positions.len(), 0);
        dispatch!(self.level, simd => count_smaller(simd, &self.positions, count, &mut self.ranks));
        if self.ranks[..count].iter().sum::<u64>() != (count * (count - 1) / 2) as u64 {
            return false;
        }
        self.weights.clear();
        self.weights.extend_from_slice(weights);
        for ((&rank, &x), &w) in self.ranks.iter().zip(&self.positions[..count]).zip(&self.weights) {
            positions[rank as usize] = x;
            weights[rank as usize] = w;
        }
        true
    }

    fn sort_by_comparison(&mut self, positions: &mut [f64], weights: &mut [f64]) {
        self.pairs.clear();
        self.pairs.extend(positions.iter().copied().zip(weights.iter().copied()));
        self.pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        for ((x, w), pair) in positions.iter_mut().zip(weights).zip(&self.pairs) {
            (*x, *w) = *pair;
        }
    }
}

/// `ranks[i]` = how many of the first `count` positions are smaller than position i.
#[inline(always)]
fn count_smaller<S: Simd>(_simd: S, positions: &[f64], count: usize, ranks: &mut [u64]) {
    for (block, ranks) in positions.chunks_exact(8).zip(ranks.chunks_exact_mut(8)) {
        let mut counts = [0u64; 8];
        for &x in &positions[..count] {
            for (total, &own) in counts.iter_mut().zip(block) {
                *total += u64::from(x < own);
            }
        }
        ranks.copy_from_slice(&counts);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines<'a>(offsets: &'a [usize], positions: &[f64], weights: &[f64]) -> Lines<'a> {
        Lines::sort(offsets, positions.to_vec(), weights)
    }

    /// ∫ |Q_a − Q_b|^p by evaluating both quantile functions at the middle of every piece.
    fn brute_force(a: LineMeasure, b: LineMeasure, p: f64) -> f64 {
        let quantile = |m: LineMeasure, t: f64| m.positions[m.cumulative.partition_point(|&c| c < t)];
        let mut cuts: Vec<f64> = [0.0].iter().chain(a.cumulative).chain(b.cumulative).copied().collect();
        cuts.sort_by(f64::total_cmp);
        cuts.windows(2)
            .map(|c| {
                let middle = (c[0] + c[1]) / 2.0;
                (c[1] - c[0]) * (quantile(a, middle) - quantile(b, middle)).abs().powf(p)
            })
            .sum()
    }

    fn measure() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
        prop::collection::vec((-5.0..5.0f64, prop_oneof![0.01..1.0f64, Just(1e-16), Just(1e-9)]), 1..200).prop_map(
            |pairs| {
                let total: f64 = pairs.iter().map(|p| p.1).sum();
                (pairs.iter().map(|p| p.0).collect(), pairs.iter().map(|p| p.1 / total).collect())
            },
        )
    }

    proptest! {
        #[test]
        fn cost_is_the_integral_of_the_quantile_gap(a in measure(), b in measure(), p in prop_oneof![Just(1.0), Just(1.5), Just(2.0), Just(3.0)]) {
            let offsets = [0, a.0.len(), a.0.len() + b.0.len()];
            let table = lines(&offsets, &[a.0, b.0].concat(), &[a.1, b.1].concat());
            let cost = transport_cost(table.draw(0), table.draw(1), Order::new(p).unwrap());
            let expected = brute_force(table.draw(0), table.draw(1), p);
            let slivers = table.atoms() as f64 * SLIVER * libm::pow(10.0, p);
            prop_assert!((cost - expected).abs() <= 1e-12 * expected.max(1.0) + slivers, "{cost} against {expected}");
        }

        #[test]
        fn ranking_sorts_as_comparing_does(mut pairs in prop::collection::vec((-5.0..5.0f64, 0.0..1.0f64), 1..RANK_LIMIT)) {
            let (mut positions, mut weights): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            Sorter::default().sort_by_rank(&mut positions, &mut weights);
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            prop_assert_eq!(positions.into_iter().zip(weights).collect::<Vec<_>>(), pairs);
        }
    }

    proptest! {
        #[test]
        fn compression_costs_what_it_says(a in measure(), tolerance in prop_oneof![Just(0.0), Just(1e-12), Just(1e-4), Just(0.1)]) {
            let offsets = [0, a.0.len()];
            let table = lines(&offsets, &a.0, &a.1);
            let compressed = table.compress(tolerance);
            let (before, after) = (table.draw(0), compressed.lines.draw(0));
            prop_assert!(after.positions.len() <= before.positions.len());
            prop_assert!(after.positions.is_sorted() && after.cumulative.is_sorted() && after.cumulative.ends_with(&[1.0]));
            let cost = transport_cost(before, after, Order::TWO);
            // Steps of the length of a sliver, over a range of 10, are left out of the cost.
            let slivers = 1e-13 + a.0.len() as f64 * SLIVER * 100.0;
            prop_assert!((cost - compressed.residuals[0]).abs() <= slivers, "{cost} against {}", compressed.residuals[0]);
            prop_assert!(cost <= tolerance * a.0.len() as f64 + 1e-13);
        }
    }

    #[test]
    fn ranks_are_the_same_at_every_level() {
        let positions: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 101)).collect();
        let weights: Vec<f64> = (0..100).map(f64::from).collect();
        for level in crate::vector_math::tests::every_level() {
            let (mut x, mut w) = (positions.clone(), weights.clone());
            assert!(Sorter { level, ..Sorter::default() }.sort_by_rank(&mut x, &mut w));
            assert!(x.is_sorted() && x.iter().zip(&w).all(|(x, &w)| positions[w as usize] == *x));
        }
    }

    #[test]
    fn equal_positions_are_left_to_the_comparison_sort() {
        let (mut positions, mut weights) = (vec![1.0, 0.0, 1.0], vec![0.1, 0.2, 0.7]);
        let mut sorter = Sorter::default();
        assert!(!sorter.sort_by_rank(&mut positions, &mut weights));
        sorter.sort(&mut positions, &mut weights);
        assert_eq!((positions, weights), (vec![0.0, 1.0, 1.0], vec![0.2, 0.1, 0.7]));
    }

    #[test]
    fn weights_that_overshoot_one_by_rounding_are_matched_to_the_end() {
        let weights = [0.1; 10];
        let offsets = [0, 10, 11];
        let positions: Vec<f64> = (0..11).map(f64::from).collect();
        let table = lines(&offsets, &positions, &[&weights[..], &[1.0]].concat());
        assert_eq!(table.draw(0).cumulative()[9], 1.0);
        let cost = transport_cost(table.draw(0), table.draw(1), Order::new(1.0).unwrap());
        assert!((cost - 5.5).abs() < 1e-14);
    }

    /// A measure whose atoms come in two pieces is still the same measure, although sums of its weights round otherwise.
    #[test]
    fn measures_in_pieces_are_at_no_distance() {
        let positions = [-1.0, 0.5, 2.0];
        for (weights, part) in (1..40).map(|i| ([0.31, 0.17, 0.52], f64::from(i) / 41.0)) {
            let pieces: Vec<f64> = weights.iter().flat_map(|w| [part * w, (1.0 - part) * w]).collect();
            let twice: Vec<f64> = positions.iter().flat_map(|x| [*x, *x]).collect();
            let offsets = [0, 3, 9];
            let table = lines(&offsets, &[&positions[..], &twice].concat(), &[&weights[..], &pieces].concat());
            for order in [1.0, 2.0, 3.0] {
                assert_eq!(transport_cost(table.draw(0), table.draw(1), Order::new(order).unwrap()), 0.0);
            }
        }
    }

    #[test]
    fn orders_below_one_are_refused() {
        for p in [0.5, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Order::new(p).is_err());
        }
        let order = Order::new(3.0).unwrap();
        assert!((order.root(8.0) - 2.0).abs() < 1e-15);
        assert!((order.root_slope(8.0) - 1.0 / 12.0).abs() < 1e-15);
        assert_eq!(order.root_slope(0.0), 0.0);
    }
}
