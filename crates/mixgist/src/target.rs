//! What a free-support estimate is fitted to: the weighted mean quantile function of each slice, on few cells.
//!
//! The mean of M quantile functions has as many steps as all draws together. It is kept as its exact means over cells of (0, 1), which
//! are chosen where it rises; a mean with few steps is kept as it is. An iteration of the fit then does not depend on M.

use std::sync::Arc;

use crate::line::Lines;
use crate::rounded::{all_rounded, rounded};

/// Mean quantile functions have at most this many cells.
const MOST_CELLS: usize = 256;

/// A mean quantile function on one slice.
#[derive(Clone)]
pub(crate) struct SliceTarget {
    cells: Arc<Cells>,
    /// What is known of each cell, side by side: a fit looks at one cell after the other.
    steps: Vec<Step>,
    /// ∫ Q̄², of the cell means.
    pub(crate) norm: f64,
}

/// The mean quantile function on one cell.
#[derive(Clone, Copy)]
struct Step {
    start: f64,
    /// Mean over the cell.
    mean: f64,
    /// Integral from 0 to the start of the cell.
    integral: f64,
}

impl SliceTarget {
    /// The means of the draws under several weightings, each of sum 1, over the given cells.
    pub(crate) fn many(lines: &Lines, weightings: &[&[f64]], cells: Cells) -> Vec<Self> {
        let cells = Arc::new(cells);
        let (count, n) = (cells.ends.len(), weightings.len());
        let mut levels = vec![0.0; n];
        // Jumps inside each cell, and what they add to its integral, a number for each weighting.
        let (mut steps, mut parts) = (vec![0.0; count * n], vec![0.0; count * n]);
        let mut weights = vec![0.0; n];
        for m in 0..lines.len() {
            weights.iter_mut().zip(weightings).for_each(|(weight, weighting)| *weight = weighting[m]);
            let line = lines.draw(m);
            let (positions, cumulative) = (line.positions(), line.cumulative());
            add_scaled(&mut levels, positions[0] - cells.origin, &weights);
            for (pair, &place) in positions.windows(2).zip(cumulative) {
                if place >= 1.0 {
                    break;
                }
                let jump = pair[1] - pair[0];
                let cell = cells.find(place);
                add_scaled(&mut steps[cell * n..(cell + 1) * n], jump, &weights);
                add_scaled(&mut parts[cell * n..(cell + 1) * n], jump * (cells.ends[cell] - place), &weights);
            }
        }
        let column = |values: &[f64], i: usize| -> Vec<f64> { values.iter().skip(i).step_by(n).copied().collect() };
        (0..n).map(|i| Self::new(&cells, levels[i], &column(&steps, i), &column(&parts, i))).collect()
    }

    /// From the level at 0, the jumps inside each cell and what they add to its integral.
    fn new(cells: &Arc<Cells>, mut level: f64, jumps: &[f64], parts: &[f64]) -> Self {
        let starts = || std::iter::once(0.0).chain(cells.ends.iter().copied());
        let lengths = || cells.ends.iter().zip(starts()).map(|(end, start)| end - start);
        let mut means: Vec<f64> = Vec::with_capacity(jumps.len());
        for (length, (jump, part)) in lengths().zip(jumps.iter().zip(parts)) {
            means.push(level + part / length);
            level += jump;
        }
        all_rounded(&mut means);
        Self::of_means(cells, means)
    }

    /// From the mean over each cell.
    fn of_means(cells: &Arc<Cells>, means: Vec<f64>) -> Self {
        let starts = || std::iter::once(0.0).chain(cells.ends.iter().copied());
        let lengths = || cells.ends.iter().zip(starts()).map(|(end, start)| end - start);
        let (mut integral, mut norm) = (0.0, 0.0);
        let mut steps = Vec::with_capacity(means.len());
        for ((start, length), mean) in starts().zip(lengths()).zip(means) {
            steps.push(Step { start, mean, integral });
            integral += mean * length;
            norm += mean * mean * length;
        }
        SliceTarget { cells: Arc::clone(cells), steps, norm }
    }

    /// From the integral from 0 to the end of each cell.
    pub(crate) fn of_integrals(cells: Cells, integrals: &[f64]) -> Self {
        let (mut start, mut before) = (0.0, 0.0);
        let mut means = Vec::with_capacity(integrals.len());
        for (&end, &integral) in cells.ends.iter().zip(integrals) {
            means.push((integral - before) / (end - start));
            (start, before) = (end, integral);
        }
        all_rounded(&mut means);
        Self::of_means(&Arc::new(cells), means)
    }

    /// Means of one slice as plain numbers: how many cells, the origin, the ends of the cells, and for each weighting the mean over each.
    pub(crate) fn to_numbers(targets: &[Self]) -> Vec<f64> {
        let Some(first) = targets.first() else { return Vec::new() };
        let mut numbers = vec![first.cells.ends.len() as f64, first.cells.origin];
        numbers.extend_from_slice(&first.cells.ends);
        targets.iter().for_each(|target| numbers.extend(target.steps.iter().map(|step| step.mean)));
        numbers
    }

    /// The means of the first slice of those numbers, and the numbers that follow; none when they are not what [`SliceTarget::to_numbers`] writes.
    pub(crate) fn of_numbers(numbers: &[f64], weightings: usize) -> Option<(Vec<Self>, &[f64])> {
        let (&[count, origin], rest) = numbers.split_first_chunk()?;
        let count = count as usize;
        let (ends, rest) = rest.split_at_checked(count)?;
        let (means, rest) = rest.split_at_checked(weightings.checked_mul(count)?)?;
        if ends.last() != Some(&1.0) || count > MOST_CELLS {
            return None;
        }
        let cells = Arc::new(Cells::of_ends(origin, ends.to_vec()));
        Some((means.chunks_exact(count).map(|means| Self::of_means(&cells, means.to_vec())).collect(), rest))
    }

    /// Positions are counted from here.
    pub(crate) fn origin(&self) -> f64 {
        self.cells.origin
    }

    /// At t, ∫ Q̄ from 0 to t and the mean over the cell of t.
    #[inline]
    pub(crate) fn at(&self, t: f64) -> (f64, f64) {
        let step = &self.steps[self.cells.find(t)];
        (step.integral + step.mean * (t - step.start), step.mean)
    }

    /// ∫ (Q̄ − mean of Q̄)²: how far the target spreads.
    pub(crate) fn spread(&self) -> f64 {
        let mean = self.at(1.0).0;
        (self.norm - mean * mean).max(0.0)
    }
}

fn add_scaled(sums: &mut [f64], factor: f64, x: &[f64]) {
    sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += factor * x);
}

/// Cells of (0, 1) for one slice.
pub(crate) struct Cells {
    origin: f64,
    /// Ends of the cells; the last is 1.
    ends: Vec<f64>,
    /// The cell of b / [`BUCKETS`] for each b, so that a cell is found in a step or two: half of the time of a fit was spent on
    /// searching all cells.
    buckets: Vec<u16>,
}

/// Parts of (0, 1) whose first cell is known.
const BUCKETS: usize = 1024;

impl Cells {
    /// From the jumps of some draws that stand for all.
    ///
    /// The squared error of T cell means is least when cells are spread like (Q̄′)^(2/3); a jump of size D in a gap g counts D^(2/3) g^(1/3).
    pub(crate) fn choose(lines: &Lines, sampled: &[usize]) -> Self {
        Self::choose_among(lines, sampled, MOST_CELLS)
    }

    /// The same with at most so many cells.
    pub(crate) fn choose_among(lines: &Lines, sampled: &[usize], most: usize) -> Self {
        let mut jumps: Vec<(f64, f64)> = Vec::new();
        for &m in sampled {
            let line = lines.draw(m);
            let pairs = line.positions().windows(2).zip(line.cumulative());
            let own = pairs.map(|(pair, &place)| (place, pair[1] - pair[0]));
            jumps.extend(own.filter(|&(place, size)| size > 0.0 && place > 0.0 && place < 1.0));
        }
        jumps.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        jumps.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self::spread(lines.draw(sampled[0]).median(), &jumps, most)
    }

    /// From jumps at ascending places.
    pub(crate) fn of_jumps(origin: f64, mut jumps: Vec<(f64, f64)>) -> Self {
        jumps.retain(|&(place, size)| size > 0.0 && place < 1.0);
        Self::spread(origin, &jumps, MOST_CELLS)
    }

    fn spread(origin: f64, jumps: &[(f64, f64)], most: usize) -> Self {
        let mut ends: Vec<f64> = if jumps.len() < most {
            jumps.iter().map(|jump| jump.0).collect()
        } else {
            let place = |j: usize| jumps.get(j).map_or(1.0, |jump| jump.0);
            let before = |j: usize| if j == 0 { 0.0 } else { jumps[j - 1].0 };
            let share = |j: usize| libm::cbrt(jumps[j].1 * jumps[j].1 * 0.5 * (place(j + 1) - before(j)));
            let shares: Vec<f64> = (0..jumps.len()).map(share).collect();
            let cell = shares.iter().sum::<f64>() / most as f64;
            let (mut sum, mut next) = (0.0, cell);
            let mut ends = Vec::with_capacity(most);
            for (jump, share) in jumps.iter().zip(&shares) {
                sum += share;
                if sum >= next && ends.len() + 1 < most {
                    ends.push(jump.0);
                    next = ((sum / cell).floor() + 1.0) * cell;
                }
            }
            ends
        };
        ends.iter_mut().for_each(|end| *end = rounded(*end, 1.0));
        ends.retain(|&end| end > 0.0 && end < 1.0);
        ends.dedup();
        ends.push(1.0);
        Self::of_ends(origin, ends)
    }

    /// Where positions are counted from.
    pub(crate) fn origin(&self) -> f64 {
        self.origin
    }

    /// Ends of the cells; the last is 1.
    pub(crate) fn ends(&self) -> &[f64] {
        &self.ends
    }

    pub(crate) fn of_ends(origin: f64, ends: Vec<f64>) -> Self {
        let cell = |b: usize| ends.partition_point(|&end| end <= b as f64 / BUCKETS as f64).min(ends.len() - 1);
        let buckets = (0..=BUCKETS).map(|b| cell(b) as u16).collect();
        Cells { origin, ends, buckets }
    }

    /// The cell of t; the last one from its start on.
    #[inline]
    pub(crate) fn find(&self, t: f64) -> usize {
        let bucket = ((t * BUCKETS as f64) as usize).min(BUCKETS - 1);
        let (mut first, last) = (self.buckets[bucket] as usize, self.buckets[bucket + 1] as usize);
        // Mostly there are none or one to pass.
        if last - first > 8 {
            return first + self.ends[first..last].partition_point(|&end| end <= t);
        }
        while first < last && self.ends[first] <= t {
            first += 1;
        }
        first
    }
}
