//! Mean quantile functions that are summed block by block, and what they say about a draw.
//!
//! On each slice (0, 1) is cut into cells, finer where the mean quantile function Q̄ rises. For each cell three things are kept of all jumps in it: their sum S, the
//! integral of what they add up to its end, and the first and the last place at which there is one. Sums are whole numbers of a quantum that is chosen for the slice
//! beforehand: they are the same in any order. So J(t) = ∫ Q̄ from 0 to t is known exactly wherever no jump of the same cell is on both sides of t, and in between it lies between
//! its chord and its tangents, because it is convex. The product of a draw with the mean is x_K J(1) − Σ_k (x_{k+1} − x_k) J(c_k), and its error the sum of the jumps times
//! those of J.

use serde::{Deserialize, Serialize};

use crate::line::{LineMeasure, Lines};
use crate::target::{Cells, SliceTarget};
use crate::{Error, Result};

/// A sum in whole numbers of some quantum.
pub(super) type Fixed = i128;

/// Cells of all slices together: 2^21 of them take 100 MB.
const CELLS: usize = 1 << 21;
const FEWEST_CELLS: usize = 256;
const MOST_CELLS: usize = 1 << 14;

/// Quanta in the largest position of the sample, and in its square.
const POSITION_BITS: i32 = 52;
const COST_BITS: i32 = 48;

/// Numbers of more quanta than this are refused: sums of 2^32 of them would overflow.
const MOST_QUANTA: f64 = (1u128 << 94) as f64;

/// Cells for each of so many slices.
pub(super) fn cells_for(slices: usize) -> usize {
    (CELLS / slices.max(1)).clamp(FEWEST_CELLS, MOST_CELLS)
}

/// Memory that sums take for so many slices: those of all blocks, those of one, and the table that is made of them.
pub(crate) fn bytes_of_sums(slices: u64) -> u64 {
    slices
        .saturating_mul(cells_for(usize::try_from(slices).unwrap_or(usize::MAX)) as u64)
        .saturating_mul(48 + 48 + 48 + 16)
}

/// The cells of a slice, where positions are counted from, and the power of 2 that the largest position of a sample is below.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Grid {
    pub(super) origin: f64,
    pub(super) exponent: i32,
    pub(super) ends: Vec<f64>,
}

impl Grid {
    /// From some draws that stand for all.
    pub(super) fn of_sample(lines: &Lines, cells: usize) -> Self {
        let all: Vec<usize> = (0..lines.len()).collect();
        let cells = Cells::choose_among(lines, &all, cells);
        let (origin, ends) = (cells.origin(), cells.ends().to_vec());
        Grid { origin, exponent: exponent(lines, origin), ends }
    }

    pub(super) fn cells(&self) -> Cells {
        Cells::of_ends(self.origin, self.ends.clone())
    }
}

/// The power of 2 that no position of some draws reaches, counted from `origin`.
pub(super) fn exponent(lines: &Lines, origin: f64) -> i32 {
    let positions = (0..lines.len()).flat_map(|m| lines.draw(m).positions());
    let largest = positions.map(|x| (x - origin).abs()).fold(0.0, f64::max);
    let largest = if largest > 0.0 { largest } else { origin.abs().max(1.0) };
    (largest.log2().floor() as i32 + 1).clamp(-400, 400)
}

/// Quanta of positions, or of costs, in a unit.
fn quanta(exponent: i32, bits: i32) -> f64 {
    libm::ldexp(1.0, bits - exponent)
}

fn fixed(value: f64) -> Result<Fixed> {
    let value = libm::rint(value);
    if value.abs() < 4e18 {
        return Ok(Fixed::from(value as i64));
    }
    // NaN is refused, too.
    if value.abs() <= MOST_QUANTA {
        return Ok(value as Fixed);
    }
    Err(Error::input("an atom lies more than a billion times farther out than those of most draws")
        .hint("drop the draw, or keep all draws in memory (route sweep)"))
}

/// A cost in whole numbers.
pub(super) fn fixed_cost(cost: f64, exponent: i32) -> Result<Fixed> {
    fixed(cost * quanta(2 * exponent, COST_BITS))
}

/// The sum of such costs.
pub(super) fn of_fixed_cost(sum: Fixed, exponent: i32) -> f64 {
    sum as f64 / quanta(2 * exponent, COST_BITS)
}

/// Sums over draws for one slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SliceSums {
    /// Where the draws begin.
    level: Fixed,
    cells: Vec<CellSums>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct CellSums {
    /// Sum of the jumps, and of what each adds to the integral up to the end of the cell.
    jumps: Fixed,
    parts: Fixed,
    /// Places of the first and the last jump.
    first: f64,
    last: f64,
}

const NO_JUMPS: CellSums = CellSums { jumps: 0, parts: 0, first: f64::INFINITY, last: f64::NEG_INFINITY };

impl SliceSums {
    pub(super) fn new(grid: &Grid) -> Self {
        SliceSums { level: 0, cells: vec![NO_JUMPS; grid.ends.len()] }
    }

    /// Adds all draws of some lines.
    pub(super) fn add(&mut self, grid: &Grid, cells: &Cells, lines: &Lines) -> Result<()> {
        let scale = quanta(grid.exponent, POSITION_BITS);
        for m in 0..lines.len() {
            let line = lines.draw(m);
            self.level += fixed((line.positions()[0] - grid.origin) * scale)?;
            for (jump, place) in jumps(line) {
                let cell = cells.find(place);
                let sums = &mut self.cells[cell];
                let jump = jump * scale;
                sums.jumps += fixed(jump)?;
                sums.parts += fixed(jump * (grid.ends[cell] - place))?;
                sums.first = sums.first.min(place);
                sums.last = sums.last.max(place);
            }
        }
        Ok(())
    }

    /// Adds the sums of other draws; false when they are about other cells.
    pub(super) fn join(&mut self, other: &SliceSums) -> bool {
        self.level += other.level;
        for (sums, new) in self.cells.iter_mut().zip(&other.cells) {
            sums.jumps += new.jumps;
            sums.parts += new.parts;
            sums.first = sums.first.min(new.first);
            sums.last = sums.last.max(new.last);
        }
        self.cells.len() == other.cells.len()
    }
}

/// Jumps of a draw and their places, all below 1.
fn jumps(line: LineMeasure<'_>) -> impl Iterator<Item = (f64, f64)> + '_ {
    let pairs = line.positions().windows(2).zip(line.cumulative());
    pairs.map(|(pair, &place)| (pair[1] - pair[0], place)).take_while(|&(_, place)| place < 1.0)
}

/// The mean quantile function of a slice, as far as its sums tell. Positions are counted from the origin of its grid.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MeanTable {
    origin: f64,
    ends: Vec<f64>,
    steps: Vec<Step>,
    /// ∫ Q̄.
    total: f64,
}

/// One cell.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Step {
    start: f64,
    /// J and Q̄ at its start.
    integral: f64,
    level: f64,
    /// Sum of the jumps, the first and the last place of them, and what they add to J up to the last.
    jumps: f64,
    first: f64,
    last: f64,
    added: f64,
}

impl MeanTable {
    pub(super) fn new(grid: &Grid, sums: &SliceSums, draws: usize) -> Self {
        let unit = 1.0 / (quanta(grid.exponent, POSITION_BITS) * draws as f64);
        let (mut start, mut integral, mut level) = (0.0, 0.0, sums.level as f64 * unit);
        let mut steps = Vec::with_capacity(sums.cells.len());
        for (cell, &end) in sums.cells.iter().zip(&grid.ends) {
            let (jumps, parts) = (cell.jumps as f64 * unit, cell.parts as f64 * unit);
            let (first, last) = if cell.jumps == 0 { (end, end) } else { (cell.first, cell.last) };
            let added = (parts - jumps * (end - last)).clamp(0.0, jumps * (last - first));
            steps.push(Step { start, integral, level, jumps, first, last, added });
            integral += level * (end - start) + parts;
            level += jumps;
            start = end;
        }
        MeanTable { origin: grid.origin, ends: grid.ends.clone(), steps, total: integral }
    }

    pub(super) fn cells(&self) -> Cells {
        Cells::of_ends(self.origin, self.ends.clone())
    }

    /// J at a place, and how wrong that can be.
    #[inline]
    fn at(&self, cells: &Cells, t: f64) -> (f64, f64) {
        let step = &self.steps[cells.find(t)];
        let before = step.integral + step.level * (t - step.start);
        if t <= step.first {
            return (before, 0.0);
        }
        if t >= step.last {
            return (before + step.added + step.jumps * (t - step.last), 0.0);
        }
        let part = (t - step.first) / (step.last - step.first);
        let chord = step.added * part;
        let tangent = (step.added - step.jumps * (step.last - t)).max(0.0);
        // Jumps that are spread evenly make a parabola.
        let guess = (step.added * part * part).clamp(tangent.min(chord), chord);
        (before + guess, (chord - guess).max(guess - tangent))
    }

    /// For a draw: its squared norm less twice its product with the mean; how wrong that can be; its squared norm.
    pub(super) fn square(&self, cells: &Cells, line: LineMeasure) -> [f64; 3] {
        let (mut norm, mut reached) = (0.0, 0.0);
        let (mut product, mut error) = (0.0, 0.0);
        let mut last = 0.0;
        for (&position, &place) in line.positions().iter().zip(line.cumulative()) {
            let x = position - self.origin;
            norm += x * x * (place - reached);
            (reached, last) = (place, x);
            if place >= 1.0 {
                break;
            }
        }
        for (jump, place) in jumps(line) {
            let (integral, wrong) = self.at(cells, place);
            product -= jump * integral;
            error += jump * wrong;
        }
        product += last * self.total;
        [norm - 2.0 * product, 2.0 * error, norm]
    }

    /// What a fit sees of it: means over few cells, the ends of which are ends of these.
    pub(super) fn target(&self) -> SliceTarget {
        let jumps: Vec<(f64, f64)> = self.steps.iter().zip(&self.ends).map(|(step, &end)| (end, step.jumps)).collect();
        let few = Cells::of_jumps(self.origin, jumps);
        let mut integrals = Vec::with_capacity(few.ends().len());
        for &end in few.ends() {
            // J at the end of a cell is J at the start of the next.
            let next = self.steps.partition_point(|step| step.start < end);
            integrals.push(self.steps.get(next).map_or(self.total, |step| step.integral));
        }
        SliceTarget::of_integrals(few, &integrals)
    }
}
