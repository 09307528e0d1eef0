//! Sweeps: what weighted mean quantile functions of all draws tell about each draw, without forming pairs.

use fearless_simd::{Level, dispatch};

use super::{Decomposition, PANEL, place};

/// Sums over the draws under as many weightings at once.
pub(crate) type Weightings = [f64; WEIGHTINGS];

/// Weightings that one sweep takes: the numbers of two vectors, or of one.
pub(crate) const WEIGHTINGS: usize = 8;

impl Decomposition<'_> {
    /// Adds to `sums[i]` the mean over all draws j of ‖Q_i − Q_j‖², without forming pairs, and returns the mean of ‖Q‖²,
    /// counted from the middle, which rounding errors are parts of.
    ///
    /// The centred cell means have mean zero, so only ⟨rest_i, mean rest⟩ is needed. Cost O(M J log J).
    pub(crate) fn add_mean_squares(&self, draw_weights: &[f64], sums: &mut [f64]) -> f64 {
        let mean_norm: f64 = self.norms.iter().zip(draw_weights).map(|(n, w)| n * w).sum();
        for (sum, norm) in sums.iter_mut().zip(&self.norms) {
            *sum += norm + mean_norm;
        }
        self.add_rest_products(draw_weights, -2.0, sums);
        mean_norm
    }

    /// ‖Q_i − Q̄‖² for every draw i, Q̄ = Σ_j a_j Q_j with any weights a of sum 1. Cost O(M J log J + M T).
    pub(crate) fn squares_from_mean(&self, weights: &[f64]) -> FromMean {
        let mut products = vec![0.0; self.norms.len()];
        let mut means = vec![0.0; self.cells];
        for (panel, weights) in self.panels.chunks_exact(self.cells).zip(weights.chunks(PANEL)) {
            for (mean, row) in means.iter_mut().zip(panel) {
                *mean += row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
            }
        }
        for (products, panel) in products.chunks_mut(PANEL).zip(self.panels.chunks_exact(self.cells)) {
            let mut sums = [0.0; PANEL];
            for (mean, row) in means.iter().zip(panel) {
                sums.iter_mut().zip(row.iter()).for_each(|(sum, x)| *sum += mean * x);
            }
            products.copy_from_slice(&sums[..products.len()]);
        }
        self.add_rest_products(weights, 1.0, &mut products);
        let norm: f64 = products.iter().zip(weights).map(|(product, weight)| product * weight).sum();
        let squares = products.iter().zip(&self.norms).map(|(product, own)| own - 2.0 * product + norm).collect();
        FromMean { squares, sizes: self.norms.iter().map(|own| own + norm.abs()).collect() }
    }

    /// Adds to `sums[i]` the sums over all draws j of a_j ‖Q_i − Q_j‖², for several weightings a of any sign. Cost O(M (J + T)) for each when
    /// a sweep has been before.
    pub(crate) fn add_weighted_squares(&self, weightings: &[Weightings], sums: &mut [Weightings]) {
        dispatch!(Level::new(), _simd => self.add_weighted_squares_vectorized(weightings, sums));
    }

    #[inline(always)]
    fn add_weighted_squares_vectorized(&self, weightings: &[Weightings], sums: &mut [Weightings]) {
        let (mut total, mut norm) = ([0.0; WEIGHTINGS], [0.0; WEIGHTINGS]);
        for (weights, own) in weightings.iter().zip(&self.norms) {
            add_times(&mut total, weights, 1.0);
            add_times(&mut norm, weights, *own);
        }
        let mut means = vec![[0.0; WEIGHTINGS]; self.cells];
        for (panel, weightings) in self.panels.chunks_exact(self.cells).zip(weightings.chunks(PANEL)) {
            for (mean, row) in means.iter_mut().zip(panel) {
                row.iter().zip(weightings).for_each(|(x, weights)| add_times(mean, weights, *x));
            }
        }
        let panels = self.panels.chunks_exact(self.cells).zip(self.norms.chunks(PANEL));
        for (sums, (panel, norms)) in sums.chunks_mut(PANEL).zip(panels) {
            for (lane, (sum, own)) in sums.iter_mut().zip(norms).enumerate() {
                let mut product = [0.0; WEIGHTINGS];
                panel.iter().zip(&means).for_each(|(row, mean)| add_times(&mut product, mean, row[lane]));
                add_times(sum, &total, *own);
                add_times(sum, &norm, 1.0);
                add_times(sum, &product, -2.0);
            }
        }
        // As in `add_rest_products`.
        let by_place = self.jumps_by_place();
        let mut start = 0;
        for (cell, &end) in by_place.cell_ends.iter().enumerate() {
            let sorted = &by_place.jumps[start..end as usize];
            start = end as usize;
            let (mut before, mut after) = ([0.0; WEIGHTINGS], [0.0; WEIGHTINGS]);
            self.for_rights(cell, |draw, right| add_times(&mut after, &weightings[draw], right));
            for &(e, draw) in sorted {
                let draw = draw as usize;
                let (left, right) = self.jump(cell, e, draw);
                add_times(&mut before, &weightings[draw], left);
                add_times(&mut after, &weightings[draw], -right);
                add_times(&mut sums[draw], &before, -2.0 * right);
                add_times(&mut sums[draw], &after, -2.0 * left);
            }
        }
    }

    /// Adds to `sums[i]` the product of the rest of draw i with the weighted mean of all rests, times a factor: for each jump a sum
    /// over its cell, split at the jump itself, which running sums over the sorted cell give.
    fn add_rest_products(&self, weights: &[f64], factor: f64, sums: &mut [f64]) {
        let by_place = self.jumps_by_place();
        let mut start = 0;
        for (cell, &end) in by_place.cell_ends.iter().enumerate() {
            let sorted = &by_place.jumps[start..end as usize];
            start = end as usize;
            let jump = |&(e, draw): &(u32, u32)| {
                let (left, right) = self.jump(cell, e, draw as usize);
                (draw as usize, left, right)
            };
            let mut after = 0.0;
            self.for_rights(cell, |draw, right| after += weights[draw] * right);
            let mut before = 0.0;
            for (draw, left, right) in sorted.iter().map(jump) {
                before += weights[draw] * left;
                after -= weights[draw] * right;
                sums[draw] += factor * (right * before + left * after);
            }
        }
    }

    /// Calls `take` with each draw and the right of its jumps in a cell, in the order of draws, in which weights are read from memory in order, too.
    #[inline(always)]
    fn for_rights(&self, cell: usize, mut take: impl FnMut(usize, f64)) {
        let groups = self.groups.cell(cell);
        for (&draw, &right) in self.groups.draw[groups.clone()].iter().zip(&self.groups.right_sum[groups]) {
            take(draw as usize, right);
        }
        for (panel, lone) in self.lone.iter().skip(cell).step_by(self.cells).enumerate() {
            // The last panel may hold fewer draws.
            let draws = panel * PANEL..self.norms.len().min((panel + 1) * PANEL);
            draws.zip(lone.right.iter()).for_each(|(draw, &right)| take(draw, right));
        }
    }

    /// Left and right of a jump in a group, or of the lone jump of a draw.
    fn jump(&self, cell: usize, e: u32, draw: usize) -> (f64, f64) {
        if e == LONE {
            let jumps = &self.lone[draw / PANEL * self.cells + cell];
            (jumps.left[draw % PANEL], jumps.right[draw % PANEL])
        } else {
            (self.jumps.left[e as usize], self.jumps.right[e as usize])
        }
    }

    /// The jumps sorted at the first sweep, for all that follow.
    fn jumps_by_place(&self) -> &ByPlace {
        let Decomposition { jumps, groups, .. } = self;
        self.by_place.get_or_init(|| {
            let mut all = Vec::with_capacity(if self.lone.is_empty() { jumps.left.len() } else { self.lines.atoms() });
            let mut cell_ends = Vec::with_capacity(self.cells);
            let mut sorter = PlaceSorter::default();
            for cell in 0..self.cells {
                sorter.found.clear();
                for g in groups.cell(cell) {
                    let draw = groups.draw[g];
                    let found = |e: u32| (place(jumps.left[e as usize], jumps.right[e as usize]), e, draw);
                    sorter.found.extend(groups.jumps(g).map(|e| found(e as u32)));
                }
                for (panel, lone) in self.lone.iter().skip(cell).step_by(self.cells).enumerate() {
                    for (lane, (&left, &right)) in lone.left.iter().zip(lone.right.iter()).enumerate() {
                        if left > 0.0 {
                            sorter.found.push((place(left, right), LONE, (panel * PANEL + lane) as u32));
                        }
                    }
                }
                all.extend(sorter.sorted().iter().map(|&(_, e, draw)| (e, draw)));
                cell_ends.push(all.len() as u32);
            }
            ByPlace { jumps: all, cell_ends }
        })
    }
}

#[inline(always)]
fn add_times(sums: &mut Weightings, weights: &Weightings, factor: f64) {
    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * factor);
}

/// In place of the index of a jump: the lone jump of its draw.
const LONE: u32 = u32::MAX;

/// Jumps, each with its draw, cell after cell and from left to right.
pub(super) struct ByPlace {
    jumps: Vec<(u32, u32)>,
    /// Where the jumps of each cell end.
    cell_ends: Vec<u32>,
}

/// A jump on its way into order: place, index, draw.
type Place = (f64, u32, u32);

/// Sorts the jumps of a cell by place, those at the same place in the order in which they come.
///
/// They are spread over a cell evenly enough that as many bins as jumps hold one or two each; comparing them all took 7 % of a medoid's time.
#[derive(Default)]
struct PlaceSorter {
    found: Vec<Place>,
    sorted: Vec<Place>,
    next: Vec<u32>,
}

impl PlaceSorter {
    /// A bin with more jumps than this is a sign that they are not spread evenly.
    const FULL: u32 = 16;

    fn sorted(&mut self) -> &[Place] {
        let count = self.found.len();
        let last = self.found.iter().fold(0.0, |last, jump| f64::max(last, jump.0));
        let scale = (count as f64 - 0.5) / last;
        let bin = |jump: &Place| (jump.0 * scale) as usize;
        self.next.clear();
        self.next.resize(count + 1, 0);
        // Places that are too close to zero to scale go to bin 0, or beyond the last one: those are compared.
        let mut fullest = if scale.is_finite() { 0 } else { u32::MAX };
        if scale.is_finite() {
            for jump in &self.found {
                let held = &mut self.next[bin(jump) + 1];
                *held += 1;
                fullest = fullest.max(*held);
            }
        }
        if fullest > Self::FULL {
            self.found.sort_by(|a, b| a.0.total_cmp(&b.0));
            return &self.found;
        }
        for b in 0..count {
            self.next[b + 1] += self.next[b];
        }
        self.sorted.clear();
        self.sorted.resize(count, (0.0, 0, 0));
        for jump in &self.found {
            let slot = &mut self.next[bin(jump)];
            self.sorted[*slot as usize] = *jump;
            *slot += 1;
        }
        for i in 1..count {
            let (jump, mut slot) = (self.sorted[i], i);
            while slot > 0 && self.sorted[slot - 1].0 > jump.0 {
                self.sorted[slot] = self.sorted[slot - 1];
                slot -= 1;
            }
            self.sorted[slot] = jump;
        }
        &self.sorted
    }
}

/// Squared distances of all draws from a mean quantile function.
pub(crate) struct FromMean {
    /// ‖Q_i − Q̄‖².
    pub(crate) squares: Vec<f64>,
    /// ‖Q_i‖² + ‖Q̄‖², both counted from the middle of the draws: rounding errors of the squares are a few units in the last place
    /// of this.
    pub(crate) sizes: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PlaceSorter;

    proptest! {
        #[test]
        fn bins_sort_as_comparing_does(places in prop::collection::vec(
            prop_oneof![4 => 0.0..0.01f64, 1 => Just(0.005), 1 => 0.0..1e-300f64, 1 => Just(0.0)], 0..300,
        ), scale in prop_oneof![Just(1.0), Just(1e-320), Just(1e9)]) {
            let found: Vec<_> = places.iter().enumerate().map(|(e, place)| (place * scale, e as u32, 7)).collect();
            let mut expected = found.clone();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut sorter = PlaceSorter { found, ..PlaceSorter::default() };
            prop_assert_eq!(sorter.sorted(), &expected[..]);
        }
    }
}
