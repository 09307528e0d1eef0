//! All draws on one slice for p = 2, split so that products of draws are cheap and exact.
//!
//! Cut (0, 1) into T cells. A quantile function is the sum of its cell means and of a rest that is a step function of mean zero inside
//! each cell, and the two parts are orthogonal. Products of cell means are a matrix product. The rest of a draw is a sum of
//! jumps: with a jump of size D at s from the left end of a cell of length h, and r = (h − s)/h, two jumps in the same cell have the
//! product D D′ min(s r′, s′ r): the covariance of a Brownian bridge. Jumps in different cells, and jumps at cell ends, have none. With cell ends
//! at quantiles of all jumps, few jumps share a cell, and a product of two draws with J jumps costs O(J) instead of O(J²).

use crate::line::Lines;

/// Draws in one panel of the matrix of cell means.
pub(super) const PANEL: usize = 8;

/// One slice of all draws, decomposed; see the module text.
pub(crate) struct Bridge<'a> {
    lines: Lines<'a>,
    cells: usize,
    /// Cell means times √h, centred over the draws, in panels of eight draws: `panels[panel * cells + cell][draw % 8]`.
    panels: Vec<[f64; PANEL]>,
    /// ‖Q_i − Q̄ of the cell means‖² of each draw.
    norms: Vec<f64>,
    /// Jumps grouped by cell, in the order of draws within a cell.
    jumps: Jumps,
    /// The jumps of cell t are `cell_starts[t]..cell_starts[t + 1]`.
    cell_starts: Vec<u32>,
    /// Where the jumps of each draw stand among `jumps`, ragged by `draw_starts`.
    of_draw: Vec<JumpAddress>,
    draw_starts: Vec<u32>,
}

/// The jumps as columns.
#[derive(Default)]
pub(super) struct Jumps {
    pub(super) draw: Vec<u32>,
    pub(super) size: Vec<f64>,
    /// Distance from the left end of the cell.
    pub(super) left: Vec<f64>,
    /// Distance from the right end, in lengths of the cell.
    pub(super) right: Vec<f64>,
}

#[derive(Clone, Copy)]
pub(super) struct JumpAddress {
    pub(super) index: u32,
    pub(super) cell: u32,
}

impl<'a> Bridge<'a> {
    /// Decomposes one slice. `draw_weights` sum to 1. Cost O(M (J + T)).
    pub(crate) fn new(lines: Lines<'a>, draw_weights: &[f64]) -> Self {
        let ends = cell_ends(&lines);
        let cells = ends.len() - 1;
        let draws = lines.len();
        let mut panels = vec![[0.0; PANEL]; draws.div_ceil(PANEL) * cells];
        let mut found = Found::default();
        let mut integrals = vec![0.0; cells];
        let root_lengths: Vec<f64> = ends.windows(2).map(|g| (g[1] - g[0]).sqrt()).collect();
        for i in 0..draws {
            found.walk(&lines, i, &ends, &mut integrals);
            let panel = &mut panels[i / PANEL * cells..][..cells];
            for ((row, integral), root) in panel.iter_mut().zip(&mut integrals).zip(&root_lengths) {
                row[i % PANEL] = *integral / root;
                *integral = 0.0;
            }
        }
        center(&mut panels, cells, draw_weights);
        let Grouped { jumps, cell_starts, of_draw, draw_starts, mut norms } = found.group_by_cell(&ends, draws);
        add_squares(&panels, cells, &mut norms);
        Bridge { lines, cells, panels, norms, jumps, cell_starts, of_draw, draw_starts }
    }

    /// The line measures that were decomposed.
    pub(super) fn lines(&self) -> &Lines<'a> {
        &self.lines
    }

    pub(super) fn norms(&self) -> &[f64] {
        &self.norms
    }

    pub(super) fn panel(&self, panel: usize) -> &[[f64; PANEL]] {
        &self.panels[panel * self.cells..(panel + 1) * self.cells]
    }

    /// The cell means of one draw.
    pub(super) fn means(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        self.panel(i / PANEL).iter().map(move |row| row[i % PANEL])
    }

    pub(super) fn jumps(&self) -> &Jumps {
        &self.jumps
    }

    /// The jumps of draw i.
    pub(super) fn jumps_of(&self, i: usize) -> &[JumpAddress] {
        &self.of_draw[self.draw_starts[i] as usize..self.draw_starts[i + 1] as usize]
    }

    /// Where the jumps of a cell begin and end.
    pub(super) fn cell(&self, cell: usize) -> std::ops::Range<usize> {
        self.cell_starts[cell] as usize..self.cell_starts[cell + 1] as usize
    }

    /// Adds to `sums[i]` the mean over all draws j of ‖Q_i − Q_j‖², without forming pairs.
    ///
    /// The centred cell means have mean zero, so only ⟨rest_i, mean rest⟩ is needed: for each jump a sum over its cell, split at
    /// the jump itself, which running sums over the sorted cell give. Cost O(M J log J).
    pub(crate) fn add_mean_squares(&self, draw_weights: &[f64], sums: &mut [f64]) {
        let mean_norm: f64 = self.norms.iter().zip(draw_weights).map(|(n, w)| n * w).sum();
        for (sum, norm) in sums.iter_mut().zip(&self.norms) {
            *sum += norm + mean_norm;
        }
        let jumps = &self.jumps;
        let mut sorted: Vec<(f64, u32)> = Vec::new();
        for range in self.cell_starts.windows(2).map(|c| c[0] as usize..c[1] as usize) {
            sorted.clear();
            sorted.extend(range.map(|e| (jumps.left[e], e as u32)));
            sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut after: f64 = sorted
                .iter()
                .map(|&(_, e)| e as usize)
                .map(|e| draw_weights[jumps.draw[e] as usize] * jumps.size[e] * jumps.right[e])
                .sum();
            let mut before = 0.0;
            for &(left, e) in &sorted {
                let e = e as usize;
                let draw = jumps.draw[e] as usize;
                let mass = draw_weights[draw] * jumps.size[e];
                before += mass * left;
                after -= mass * jumps.right[e];
                sums[draw] -= 2.0 * jumps.size[e] * (jumps.right[e] * before + left * after);
            }
        }
    }
}

/// Adds to `row[j]`, for every draw j that shares a cell with draw i, the product of the rests of i and j.
///
/// The upper triangle begins behind the jump itself: later draws of a cell stand behind it.
#[inline(always)]
pub(super) fn add_rest_products(bridge: &Bridge, i: usize, upper_triangle: bool, row: &mut [f64]) {
    let jumps = bridge.jumps();
    for address in bridge.jumps_of(i) {
        let e = address.index as usize;
        let cell = bridge.cell(address.cell as usize);
        let range = if upper_triangle { e + 1..cell.end } else { cell };
        let (size, left, right) = (jumps.size[e], jumps.left[e], jumps.right[e]);
        let columns = jumps.draw[range.clone()]
            .iter()
            .zip(&jumps.size[range.clone()])
            .zip(&jumps.left[range.clone()])
            .zip(&jumps.right[range]);
        for (((&draw, &other_size), &other_left), &other_right) in columns {
            let (a, b) = (left * other_right, other_left * right);
            row[draw as usize] += size * other_size * if a < b { a } else { b };
        }
    }
}

/// Draws whose jumps decide where the cells end.
const SAMPLED_DRAWS: usize = 128;

/// Cells per jump of a draw: more cells make the matrix product longer, fewer make more jumps meet.
const CELLS_PER_JUMP: f64 = 3.0;

/// Ends of the cells, 0 and 1 included: quantiles of the jumps of an evenly spread sample of draws.
fn cell_ends(lines: &Lines) -> Vec<f64> {
    let draws = lines.len();
    let step = draws.div_ceil(SAMPLED_DRAWS);
    let mut places: Vec<f64> = Vec::new();
    let mut sampled = 0;
    for i in (0..draws).step_by(step) {
        let cumulative = lines.draw(i).cumulative();
        places.extend(cumulative[..cumulative.len() - 1].iter().filter(|&&c| c > 0.0 && c < 1.0));
        sampled += 1;
    }
    places.sort_unstable_by(f64::total_cmp);
    let cells = ((places.len() as f64 / f64::from(sampled) * CELLS_PER_JUMP) as usize).clamp(4, 512);
    let mut ends = vec![0.0];
    ends.extend((1..cells).filter_map(|t| places.get(t * places.len() / cells)));
    ends.push(1.0);
    ends.dedup();
    ends
}

/// Subtracts from every cell its mean over the draws.
fn center(panels: &mut [[f64; PANEL]], cells: usize, draw_weights: &[f64]) {
    let mut means = vec![0.0; cells];
    for (panel, weights) in panels.chunks_exact(cells).zip(draw_weights.chunks(PANEL)) {
        for (mean, row) in means.iter_mut().zip(panel) {
            *mean += row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
        }
    }
    for panel in panels.chunks_exact_mut(cells) {
        for (mean, row) in means.iter().zip(panel) {
            row.iter_mut().for_each(|x| *x -= mean);
        }
    }
}

/// Jumps in the order in which the walk over the draws finds them.
#[derive(Default)]
struct Found {
    cell: Vec<u32>,
    place: Vec<f64>,
    size: Vec<f64>,
    draw_starts: Vec<u32>,
}

impl Found {
    /// Walks along one quantile function: adds up its integral over each cell and notes the jumps inside cells.
    fn walk(&mut self, lines: &Lines, i: usize, ends: &[f64], integrals: &mut [f64]) {
        self.draw_starts.push(self.cell.len() as u32);
        let line = lines.draw(i);
        let (positions, cumulative) = (line.positions(), line.cumulative());
        let (mut cell, mut reached) = (0, 0.0);
        for k in 0..positions.len() {
            let (x, until) = (positions[k], cumulative[k]);
            while cell < integrals.len() && ends[cell + 1] <= until {
                integrals[cell] += x * (ends[cell + 1] - reached);
                reached = ends[cell + 1];
                cell += 1;
            }
            if until > reached {
                integrals[cell] += x * (until - reached);
                reached = until;
            }
            // A cell that is entered but not left by this atom: the next one begins inside it.
            if cell < integrals.len() && reached > ends[cell] && k + 1 < positions.len() && positions[k + 1] > x {
                self.cell.push(cell as u32);
                self.place.push(reached);
                self.size.push(positions[k + 1] - x);
            }
        }
    }

    /// Counting sort by cell, which keeps the order of draws within a cell; also the norm of every draw's rest.
    fn group_by_cell(mut self, ends: &[f64], draws: usize) -> Grouped {
        let (cells, count) = (ends.len() - 1, self.cell.len());
        self.draw_starts.push(count as u32);
        let mut cell_starts = vec![0u32; cells + 1];
        for &cell in &self.cell {
            cell_starts[cell as usize + 1] += 1;
        }
        for t in 0..cells {
            cell_starts[t + 1] += cell_starts[t];
        }
        let mut next = cell_starts.clone();
        let mut jumps = Jumps {
            draw: vec![0; count],
            size: vec![0.0; count],
            left: vec![0.0; count],
            right: vec![0.0; count],
        };
        let mut of_draw = Vec::with_capacity(count);
        let mut norms = vec![0.0; draws];
        for i in 0..draws {
            // Σ_e Σ_f D_e D_f s_e r_f over e ≤ f in a cell, cross terms twice.
            let (mut current, mut prefix) = (u32::MAX, 0.0);
            for found in self.draw_starts[i] as usize..self.draw_starts[i + 1] as usize {
                let cell = self.cell[found];
                let (start, end) = (ends[cell as usize], ends[cell as usize + 1]);
                let left = self.place[found] - start;
                let right = (end - self.place[found]) / (end - start);
                let size = self.size[found];
                if cell != current {
                    (current, prefix) = (cell, 0.0);
                }
                norms[i] += size * right * (2.0 * prefix + size * left);
                prefix += size * left;
                let slot = next[cell as usize];
                next[cell as usize] += 1;
                jumps.draw[slot as usize] = i as u32;
                jumps.size[slot as usize] = size;
                jumps.left[slot as usize] = left;
                jumps.right[slot as usize] = right;
                of_draw.push(JumpAddress { index: slot, cell });
            }
        }
        Grouped { jumps, cell_starts, of_draw, draw_starts: self.draw_starts, norms }
    }
}

/// The jumps of all draws, by cell, and the squared norm of every draw's rest.
struct Grouped {
    jumps: Jumps,
    cell_starts: Vec<u32>,
    of_draw: Vec<JumpAddress>,
    draw_starts: Vec<u32>,
    norms: Vec<f64>,
}

fn add_squares(panels: &[[f64; PANEL]], cells: usize, norms: &mut [f64]) {
    for (norms, panel) in norms.chunks_mut(PANEL).zip(panels.chunks_exact(cells)) {
        for row in panel {
            for (norm, x) in norms.iter_mut().zip(row) {
                *norm += x * x;
            }
        }
    }
}
