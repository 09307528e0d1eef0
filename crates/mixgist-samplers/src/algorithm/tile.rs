//! Choices of many points at a time: densities, exponentials and cumulative weights in vector lanes, the same bits on every CPU.

use fearless_simd::{Level, Simd, dispatch};
use mixgist::exp_nonpositive;

use crate::component::AtomShape;
use crate::component::packed::at;
use crate::points::{LANES, ScaledData};
use crate::tiles::TilePoints;

/// Weights of the slots as the allocation step sees them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weighing<'a> {
    /// What is added to the log density of each slot.
    pub log_weights: &'a [f64],
    /// Slice sampling: point i sees slot s when `heights[s]` exceeds `thresholds[i]`. One number a slot and one a point
    /// (with spare lanes); without slices, nothing.
    pub slices: Option<Slices<'a>>,
}

/// See [`Weighing::slices`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slices<'a> {
    pub heights: &'a [f64],
    pub thresholds: &'a [f64],
}

impl Weighing<'_> {
    /// As the points from `start` on see it.
    pub(crate) fn from(self, start: usize) -> Self {
        Weighing { slices: self.slices.map(|s| Slices { thresholds: &s.thresholds[start..], ..s }), ..self }
    }

    /// Whether point i may choose this slot.
    pub(crate) fn sees(&self, i: usize, slot: usize) -> bool {
        self.slices.is_none_or(|slices| slices.heights[slot] > slices.thresholds[i])
    }
}

/// Logits of up to [`LANES`] points: one row a slot, and a last one for the unoccupied weight.
#[derive(Debug)]
pub(crate) struct Tile {
    level: Level,
    rows: Vec<[f64; LANES]>,
    chosen: [f64; LANES],
    differences: Vec<[f64; LANES]>,
    gathered: Vec<[f64; LANES]>,
}

impl Default for Tile {
    fn default() -> Self {
        Tile {
            level: Level::new(),
            rows: Vec::new(),
            chosen: [0.0; LANES],
            differences: Vec::new(),
            gathered: Vec::new(),
        }
    }
}

impl Tile {
    /// Fills the rows of the slots for the points from `start` on, of which `weighing` is; the caller fills the last row, which is returned.
    pub(crate) fn evaluate(
        &mut self,
        shape: AtomShape,
        points: &ScaledData,
        start: usize,
        atoms: &[f64],
        counts: &[u32],
        weighing: Weighing<'_>,
    ) -> &mut [f64; LANES] {
        let (d, slots) = (points.dim(), counts.len());
        self.rows.resize(slots + 1, [0.0; LANES]);
        self.differences.resize(d, [0.0; LANES]);
        let Tile { level, rows, differences, .. } = self;
        let len = shape.atom_len(d);
        dispatch!(*level, simd => {
            for slot in 0..slots {
                let row = &mut rows[slot];
                if counts[slot] == 0 {
                    *row = [f64::NEG_INFINITY; LANES];
                    continue;
                }
                let atom = &atoms[slot * len..(slot + 1) * len];
                log_densities(simd, shape, atom, weighing.log_weights[slot], |j| points.lanes(j, start), differences, row);
                if let Some(slices) = weighing.slices {
                    let thresholds: &[f64; LANES] = slices.thresholds[..LANES].try_into().expect("LANES of them");
                    hide_below(simd, slices.heights[slot], thresholds, row);
                }
            }
        });
        &mut self.rows[slots]
    }

    /// log weight + log N(x; μ, Σ) of two atoms for up to [`LANES`] points at any places of a tile: first minus second.
    pub(crate) fn log_odds(
        &mut self,
        shape: AtomShape,
        points: TilePoints<'_>,
        places: &[u32],
        atoms: &[Vec<f64>; 2],
        log_weights: [f64; 2],
    ) -> [f64; LANES] {
        let d = points.data.dim();
        self.rows.resize(2, [0.0; LANES]);
        self.differences.resize(d, [0.0; LANES]);
        self.gathered.resize(d, [0.0; LANES]);
        for (lane, &i) in places.iter().enumerate() {
            for (column, &x) in self.gathered.iter_mut().zip(points.data.row(points.start + i as usize)) {
                column[lane] = x;
            }
        }
        let Tile { level, rows, differences, gathered, .. } = self;
        dispatch!(*level, simd => {
            for half in 0..2 {
                log_densities(simd, shape, &atoms[half], log_weights[half], |j| &gathered[j], differences, &mut rows[half]);
            }
        });
        std::array::from_fn(|lane| rows[0][lane] - rows[1][lane])
    }

    /// Chooses for every point: adds the prior predictive density to the last row, exponentiates, accumulates, and counts the
    /// slots whose cumulative weight does not exceed the point's uniform number times the total.
    pub(crate) fn choose(&mut self, slots: usize, prior_predictive: &[f64], uniforms: &[f64]) {
        let Tile { level, rows, chosen, .. } = self;
        let prior_predictive: &[f64; LANES] = prior_predictive.try_into().expect("LANES of them");
        let uniforms: &[f64; LANES] = uniforms.try_into().expect("LANES of them");
        dispatch!(*level, simd => choose(simd, &mut rows[..=slots], prior_predictive, uniforms, chosen));
    }

    /// The choice of the point in this lane.
    pub(crate) fn chosen(&self, lane: usize) -> usize {
        self.chosen[lane] as usize
    }
}

/// log weight + log N(x; μ, Σ) for a tile of points.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn log_densities<'a, S: Simd>(
    _: S,
    shape: AtomShape,
    atom: &[f64],
    log_weight: f64,
    lanes: impl Fn(usize) -> &'a [f64; LANES],
    differences: &mut [[f64; LANES]],
    row: &mut [f64; LANES],
) {
    let d = differences.len();
    let (mean, u) = (&atom[1..=d], &atom[1 + d..]);
    for (j, difference) in differences.iter_mut().enumerate() {
        let x = lanes(j);
        for lane in 0..LANES {
            difference[lane] = x[lane] - mean[j];
        }
    }
    let mut square = [0.0; LANES];
    for r in 0..d {
        let mut t = [0.0; LANES];
        match shape {
            AtomShape::Diagonal => {
                for lane in 0..LANES {
                    t[lane] = u[r] * differences[r][lane];
                }
            }
            AtomShape::Triangular => {
                for c in 0..=r {
                    let entry = u[at(r, c)];
                    for lane in 0..LANES {
                        t[lane] += entry * differences[c][lane];
                    }
                }
            }
        }
        for lane in 0..LANES {
            square[lane] += t[lane] * t[lane];
        }
    }
    for lane in 0..LANES {
        row[lane] = log_weight + (atom[0] - 0.5 * square[lane]);
    }
}

#[inline(always)]
fn hide_below<S: Simd>(_: S, height: f64, thresholds: &[f64; LANES], row: &mut [f64; LANES]) {
    for lane in 0..LANES {
        row[lane] = if height > thresholds[lane] { row[lane] } else { f64::NEG_INFINITY };
    }
}

#[inline(always)]
fn choose<S: Simd>(
    _: S,
    rows: &mut [[f64; LANES]],
    prior_predictive: &[f64; LANES],
    uniforms: &[f64; LANES],
    chosen: &mut [f64; LANES],
) {
    let slots = rows.len() - 1;
    for lane in 0..LANES {
        rows[slots][lane] += prior_predictive[lane];
    }
    let mut highest = [f64::NEG_INFINITY; LANES];
    for row in rows.iter() {
        for lane in 0..LANES {
            highest[lane] = if row[lane] > highest[lane] { row[lane] } else { highest[lane] };
        }
    }
    let mut total = [0.0; LANES];
    for row in rows.iter_mut() {
        for lane in 0..LANES {
            total[lane] += exp_nonpositive(row[lane] - highest[lane]);
        }
        *row = total;
    }
    *chosen = [0.0; LANES];
    for lane in 0..LANES {
        total[lane] *= uniforms[lane];
    }
    for row in &rows[..slots] {
        for lane in 0..LANES {
            chosen[lane] += if row[lane] <= total[lane] { 1.0 } else { 0.0 };
        }
    }
}
