//! All draws on one slice for p = 2, split so that products of draws are cheap and exact.
//!
//! Cut (0, 1) into T cells. A quantile function is the sum of its cell means and of a rest that is a step function of mean zero inside
//! each cell, and the two parts are orthogonal. Products of cell means are a matrix product. The rest of a draw is a sum of
//! jumps: with a jump of size D at s from the left end of a cell of length h, both in lengths of the cell, let left = √h D s and right = √h D (1 − s).
//! Two jumps in the same cell have the product min(left right′, left′ right), the covariance of a Brownian bridge. Jumps in different cells, and jumps at
//! cell ends, have none.
//!
//! **Lone jumps.** Where weights are of like size, jumps lie everywhere, and with enough cells hardly a draw has two in one. The first jump of every draw in
//! every cell stands in a table as dense as that of the cell means, zeros where there is none, and all jumps of one draw meet it eight draws at a time
//! without a branch.
//!
//! **Groups.** Atoms of little weight jump almost in the same place, so the jumps of a draw in a cell form a few tight groups. When a group lies
//! to the left of another one the product of the groups is (Σ left)(Σ right′), and since all jumps go up this is the smaller of the two
//! such products. Only groups that overlap need their jumps one by one. With cell ends at quantiles of all jumps few groups
//! share a cell, and a product of two draws takes a few products of groups instead of one for each pair of jumps. What is not a lone jump is in
//! a group; where most jumps would not be lone ones there is no such table.

mod mean;

pub(crate) use mean::{FromMean, WEIGHTINGS, Weightings};

use std::ops::Range;
use std::sync::OnceLock;

use fearless_simd::{Simd, f64x4, f64x8, prelude::*};

use crate::line::{Lines, squared_norm};
use mean::ByPlace;

/// Numbers in a vector of groups.
const LANES: usize = 4;

/// Draws in one panel of the matrix of cell means.
pub(super) const PANEL: usize = 8;

/// One slice of all draws, decomposed; see the module text.
pub(crate) struct Decomposition<'a> {
    lines: Lines<'a>,
    plan: Plan,
    cells: usize,
    /// Cell means times √h, centred over the draws, in panels of eight draws: `panels[panel * cells + cell][draw % 8]`.
    panels: Vec<Lanes>,
    /// The lone jumps in the same order; empty when there are none.
    lone: Vec<LoneJumps>,
    /// Squared norm of each draw, its cell means centred.
    norms: Vec<f64>,
    jumps: Jumps,
    groups: Groups,
    /// Jumps and their draws by place, when a sweep has sorted them.
    by_place: OnceLock<ByPlace>,
}

/// What is chosen before the draws of a slice are walked along: the same lines give the same.
#[derive(Clone)]
pub(super) struct Plan {
    cells: Cells,
    /// Where positions are counted from.
    origin: f64,
    /// Costs below this are no more than rounding.
    rounding: f64,
}

impl Plan {
    fn new(lines: &Lines, cells: Cells) -> Self {
        let origin = lines.middle();
        Plan { cells, origin, rounding: ROUNDING * typical_norm(lines, origin) }
    }
}

/// A number for each draw of a panel, in one line of the cache: loads across two lines take twice the time.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Lanes(pub(super) [f64; PANEL]);

impl std::ops::Deref for Lanes {
    type Target = [f64; PANEL];

    fn deref(&self) -> &[f64; PANEL] {
        &self.0
    }
}

impl std::ops::DerefMut for Lanes {
    fn deref_mut(&mut self) -> &mut [f64; PANEL] {
        &mut self.0
    }
}

/// The lone jumps of a panel of draws in one cell; zeros for a draw without one.
#[derive(Clone, Copy, Default)]
struct LoneJumps {
    left: Lanes,
    right: Lanes,
}

/// Jumps in groups, as columns: cell after cell, in the order of draws within a cell, each from left to right. In the order of draws the
/// jumps of a cell would lie far apart, and products of overlapping groups would wait for memory: rows took a quarter longer.
#[derive(Default)]
struct Jumps {
    left: Vec<f64>,
    right: Vec<f64>,
}

/// Jumps of one draw that lie close together in one cell, as columns: cell after cell, in the order of draws within a cell. Columns of
/// numbers are padded, so that four can be read from any place on.
#[derive(Default)]
struct Groups {
    draw: Vec<u32>,
    left_sum: Vec<f64>,
    right_sum: Vec<f64>,
    /// Place of the first jump, in lengths of the cell.
    first: Vec<f64>,
    /// Place of the last jump.
    last: Vec<f64>,
    /// The jumps of group g are `jump_starts[g]..jump_starts[g + 1]`.
    jump_starts: Vec<u32>,
    /// The groups of cell t are `cell_starts[t]..cell_starts[t + 1]`.
    cell_starts: Vec<u32>,
    /// Where the groups of each panel of draws begin within a cell: `panel_starts[cell * panels + panel]`.
    panel_starts: Vec<u32>,
    /// Where the groups of each draw stand, ragged by `draw_starts`.
    of_draw: Vec<GroupAddress>,
    draw_starts: Vec<u32>,
}

#[derive(Clone, Copy)]
struct GroupAddress {
    index: u32,
    cell: u32,
}

/// A jump of a draw whose products with others are wanted.
#[derive(Clone, Copy)]
pub(super) struct OwnJump {
    cell: u32,
    left: f64,
    right: f64,
}

impl<'a> Decomposition<'a> {
    /// Decomposes one slice. `draw_weights` sum to 1. Cost O(M (J + T)).
    pub(crate) fn new(lines: Lines<'a>, draw_weights: &[f64]) -> Self {
        let plan = Plan::new(&lines, Cells::choose(&lines));
        Self::again(lines, plan, draw_weights)
    }

    /// Decomposes a slice as it was decomposed before.
    pub(super) fn again(lines: Lines<'a>, plan: Plan, draw_weights: &[f64]) -> Self {
        let Cells { ends, lone } = &plan.cells;
        let (cells, draws) = (ends.len() - 1, lines.len());
        let root_lengths: Vec<f64> = ends.windows(2).map(|g| (g[1] - g[0]).sqrt()).collect();
        let rows = draws.div_ceil(PANEL) * cells;
        let mut panels = vec![Lanes::default(); rows];
        let mut integrals = vec![0.0; cells];
        let mut found = Found::new(&lines, plan.origin, if *lone { rows } else { 0 });
        for i in 0..draws {
            found.walk(&lines, i, ends, &mut integrals);
            let panel = &mut panels[i / PANEL * cells..][..cells];
            for ((row, integral), root) in panel.iter_mut().zip(&mut integrals).zip(&root_lengths) {
                row[i % PANEL] = *integral / root;
                *integral = 0.0;
            }
        }
        center(&mut panels, cells, draw_weights);
        let (groups, jumps) = found.group_by_cell(cells, draws);
        let Found { mut norms, lone, .. } = found;
        for (norms, panel) in norms.chunks_mut(PANEL).zip(panels.chunks_exact(cells)) {
            for row in panel {
                norms.iter_mut().zip(row.iter()).for_each(|(norm, x)| *norm += x * x);
            }
        }
        Decomposition { lines, plan, cells, panels, lone, norms, jumps, groups, by_place: OnceLock::new() }
    }

    /// The line measures that were decomposed.
    pub(crate) fn lines(&self) -> &Lines<'a> {
        &self.lines
    }

    /// What it takes to decompose the slice again.
    pub(super) fn into_bare(self) -> (Lines<'a>, Plan) {
        (self.lines, self.plan)
    }

    /// Memory that it takes once a sweep has sorted the jumps, up to small tables.
    pub(crate) fn bytes(&self) -> usize {
        const OF_JUMP: usize = 2 * size_of::<f64>();
        const OF_GROUP: usize = 4 * size_of::<f64>() + size_of::<(u32, u32, GroupAddress)>();
        let Groups { draw, panel_starts, .. } = &self.groups;
        let tables = size_of_val(&self.panels[..]) + size_of_val(&self.lone[..]) + size_of_val(&panel_starts[..]);
        let by_place = size_of::<(u32, u32)>() * self.lines.atoms();
        self.lines.bytes() + tables + by_place + OF_JUMP * self.jumps.left.len() + OF_GROUP * draw.len()
    }

    pub(super) fn norms(&self) -> &[f64] {
        &self.norms
    }

    /// Costs below this are no more than rounding, and say nothing unless they are merged.
    pub(super) fn rounding(&self) -> f64 {
        self.plan.rounding
    }

    pub(super) fn panel(&self, panel: usize) -> &[Lanes] {
        &self.panels[panel * self.cells..(panel + 1) * self.cells]
    }

    /// The cell means of one draw.
    pub(super) fn means(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        self.panel(i / PANEL).iter().map(move |row| row[i % PANEL])
    }

    /// The lone jumps of a panel, cell after cell; none where there is no table.
    fn lone_panel(&self, panel: usize) -> &[LoneJumps] {
        if self.lone.is_empty() { &[] } else { &self.lone[panel * self.cells..(panel + 1) * self.cells] }
    }

    /// The lone jumps of one draw.
    fn lone_jumps(&self, i: usize) -> impl Iterator<Item = OwnJump> + '_ {
        let jump = move |(cell, jumps): (usize, &LoneJumps)| jumps.of(i % PANEL, cell);
        self.lone_panel(i / PANEL).iter().enumerate().filter_map(jump)
    }

    /// Appends all jumps of one draw that [`lone_products`] needs.
    pub(super) fn append_jumps(&self, i: usize, out: &mut Vec<OwnJump>) {
        if self.lone.is_empty() {
            return;
        }
        out.extend(self.lone_jumps(i));
        for address in self.groups.of_draw(i) {
            let range = self.groups.jumps(address.index as usize);
            let pairs = self.jumps.left[range.clone()].iter().zip(&self.jumps.right[range]);
            out.extend(pairs.map(|(&left, &right)| OwnJump { cell: address.cell, left, right }));
        }
    }
}

impl LoneJumps {
    fn of(&self, lane: usize, cell: usize) -> Option<OwnJump> {
        let (left, right) = (self.left[lane], self.right[lane]);
        (left > 0.0).then_some(OwnJump { cell: cell as u32, left, right })
    }
}

/// Place of a jump in its cell, in lengths of the cell.
fn place(left: f64, right: f64) -> f64 {
    left / (left + right)
}

/// The products of the jumps of one draw with the lone jumps of each draw of a panel. Even and odd ones are added up apart, because an addition waits for
/// the one before it.
#[inline(always)]
pub(super) fn lone_products<S: Simd>(simd: S, decomposed: &Decomposition, own: &[OwnJump], panel: usize) -> f64x8<S> {
    let others = decomposed.lone_panel(panel);
    let product = |jump: &OwnJump| {
        let other = &others[jump.cell as usize];
        let lefts = f64x8::from_slice(simd, &other.left[..]);
        let rights = f64x8::from_slice(simd, &other.right[..]);
        (f64x8::splat(simd, jump.left) * rights).min(lefts * f64x8::splat(simd, jump.right))
    };
    let mut sums = [f64x8::splat(simd, 0.0); 2];
    let mut pairs = own.chunks_exact(2);
    for pair in &mut pairs {
        sums[0] += product(&pair[0]);
        sums[1] += product(&pair[1]);
    }
    pairs.remainder().iter().for_each(|jump| sums[0] += product(jump));
    sums[0] + sums[1]
}

/// Adds to `rows[r * draws + j]`, for the draws i of one panel and every draw j ≥ i that shares a cell with i, the products of the rest of i
/// with the groups of j.
#[inline(always)]
pub(super) fn add_panel_products<S: Simd>(simd: S, decomposed: &Decomposition, panel: usize, rows: &mut [f64]) {
    let (draws, groups) = (decomposed.lines.len(), &decomposed.groups);
    let mut own = OwnGroup::default();
    for cell in 0..decomposed.cells {
        let end = groups.cell(cell).end;
        let of_panel = groups.of_panel(cell, panel, draws.div_ceil(PANEL));
        for g in of_panel.clone() {
            let row = (groups.draw[g] as usize - panel * PANEL) * draws;
            own.choose_group(decomposed, g);
            own.add_products(simd, decomposed, g + 1..end, &mut rows[row..row + draws]);
        }
        if let Some(lone) = decomposed.lone_panel(panel).get(cell) {
            for (lane, row) in rows.chunks_exact_mut(draws).enumerate() {
                if let Some(jump) = lone.of(lane, cell) {
                    own.choose_jump(jump);
                    own.add_products(simd, decomposed, of_panel.start..end, row);
                }
            }
        }
    }
}

/// Adds to `row[j]`, for every draw j that shares a cell with draw i, the products of the rest of i with the groups of j.
#[inline(always)]
pub(super) fn add_row_products<S: Simd>(simd: S, decomposed: &Decomposition, i: usize, row: &mut [f64]) {
    let mut own = OwnGroup::default();
    for address in decomposed.groups.of_draw(i) {
        own.choose_group(decomposed, address.index as usize);
        own.add_products(simd, decomposed, decomposed.groups.cell(address.cell as usize), row);
    }
    for jump in decomposed.lone_jumps(i) {
        own.choose_jump(jump);
        own.add_products(simd, decomposed, decomposed.groups.cell(jump.cell as usize), row);
    }
}

/// The group whose products with others are being computed: scratch space that is kept from group to group.
#[derive(Default)]
struct OwnGroup {
    left_sum: f64,
    right_sum: f64,
    first: f64,
    last: f64,
    /// Its jumps; those of a group of the slice until they are needed, see `jumps`.
    group: Option<usize>,
    /// Its jumps, padded with zeros to whole vectors.
    left: Vec<f64>,
    right: Vec<f64>,
}

impl OwnGroup {
    /// A group of the slice.
    #[inline(always)]
    fn choose_group(&mut self, decomposed: &Decomposition, g: usize) {
        let Groups { left_sum, right_sum, first, last, .. } = &decomposed.groups;
        (self.left_sum, self.right_sum) = (left_sum[g], right_sum[g]);
        (self.first, self.last) = (first[g], last[g]);
        self.group = Some(g);
        self.left.clear();
    }

    /// A jump alone.
    #[inline(always)]
    fn choose_jump(&mut self, jump: OwnJump) {
        (self.left_sum, self.right_sum) = (jump.left, jump.right);
        self.first = place(jump.left, jump.right);
        self.last = self.first;
        self.group = None;
        self.left.clear();
    }

    /// Adds to `row` the products with the groups of a range of the same cell, four at a time: first as if none of them
    /// overlapped, then those that do, jump by jump, then the scattered additions.
    #[inline(always)]
    fn add_products<S: Simd>(&mut self, simd: S, decomposed: &Decomposition, range: Range<usize>, row: &mut [f64]) {
        let Groups { draw, left_sum, right_sum, first, last, .. } = &decomposed.groups;
        let own_left = f64x4::splat(simd, self.left_sum);
        let own_right = f64x4::splat(simd, self.right_sum);
        let (own_first, own_last) = (self.first, self.last);
        let (own_firsts, own_lasts) = (f64x4::splat(simd, own_first), f64x4::splat(simd, own_last));
        let mut start = range.start;
        while start < range.end {
            // Beyond the range there are other groups, or padding.
            let four = start..start + LANES;
            let lefts = f64x4::from_slice(simd, &left_sum[four.clone()]);
            let rights = f64x4::from_slice(simd, &right_sum[four.clone()]);
            let firsts = f64x4::from_slice(simd, &first[four.clone()]);
            let lasts = f64x4::from_slice(simd, &last[four.clone()]);
            let mut products = [0.0; LANES];
            (own_left * rights).min(lefts * own_right).store_slice(&mut products);
            let count = LANES.min(range.end - start);
            if (own_lasts.simd_gt(firsts) & lasts.simd_gt(own_firsts)).any_true() {
                for (k, product) in products.iter_mut().enumerate().take(count) {
                    if (own_last > first[start + k]) & (last[start + k] > own_first) {
                        if self.left.is_empty() {
                            self.load(decomposed);
                        }
                        *product = self.overlapping_product(simd, decomposed, start + k);
                    }
                }
            }
            for (&draw, &product) in draw[start..start + count].iter().zip(&products) {
                row[draw as usize] += product;
            }
            start += LANES;
        }
    }

    fn load(&mut self, decomposed: &Decomposition) {
        self.right.clear();
        match self.group {
            Some(g) => {
                let jumps = decomposed.groups.jumps(g);
                self.left.extend_from_slice(&decomposed.jumps.left[jumps.clone()]);
                self.right.extend_from_slice(&decomposed.jumps.right[jumps]);
            }
            None => {
                self.left.push(self.left_sum);
                self.right.push(self.right_sum);
            }
        }
        let padded = self.left.len().next_multiple_of(LANES);
        self.left.resize(padded, 0.0);
        self.right.resize(padded, 0.0);
    }

    /// The products of all jumps of two groups of a cell, one by one: groups are short, and the double
    /// loop has no branches, which beats merging the two.
    #[inline(always)]
    fn overlapping_product<S: Simd>(&self, simd: S, decomposed: &Decomposition, other: usize) -> f64 {
        let others = decomposed.groups.jumps(other);
        let (lefts, rights) = (&decomposed.jumps.left[others.clone()], &decomposed.jumps.right[others]);
        let mut total = f64x4::splat(simd, 0.0);
        for (own_left, own_right) in self.left.chunks_exact(LANES).zip(self.right.chunks_exact(LANES)) {
            let own_left = f64x4::from_slice(simd, own_left);
            let own_right = f64x4::from_slice(simd, own_right);
            for (&left, &right) in lefts.iter().zip(rights) {
                total += (own_left * f64x4::splat(simd, right)).min(own_right * f64x4::splat(simd, left));
            }
        }
        let lanes = total.as_slice();
        (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    }
}

impl Jumps {
    fn zeros(len: usize) -> Self {
        Jumps { left: vec![0.0; len], right: vec![0.0; len] }
    }

    /// Copies some jumps to `start` and after, and adds them up: few of them, so that a loop is faster than copies of memory.
    fn copy(&mut self, start: usize, from: &Jumps, range: Range<usize>) -> (f64, f64) {
        let (mut left_sum, mut right_sum) = (0.0, 0.0);
        let found = from.left[range.clone()].iter().zip(&from.right[range.clone()]);
        let own = self.left[start..][..range.len()].iter_mut().zip(&mut self.right[start..][..range.len()]);
        for ((own_left, own_right), (&left, &right)) in own.zip(found) {
            (*own_left, *own_right) = (left, right);
            left_sum += left;
            right_sum += right;
        }
        (left_sum, right_sum)
    }
}

impl Groups {
    fn cell(&self, cell: usize) -> Range<usize> {
        self.cell_starts[cell] as usize..self.cell_starts[cell + 1] as usize
    }

    fn of_panel(&self, cell: usize, panel: usize, panels: usize) -> Range<usize> {
        let starts = &self.panel_starts[cell * panels..(cell + 1) * panels];
        let end = starts.get(panel + 1).unwrap_or(&self.cell_starts[cell + 1]);
        starts[panel] as usize..*end as usize
    }

    fn jumps(&self, g: usize) -> Range<usize> {
        self.jump_starts[g] as usize..self.jump_starts[g + 1] as usize
    }

    fn of_draw(&self, i: usize) -> &[GroupAddress] {
        &self.of_draw[self.draw_starts[i] as usize..self.draw_starts[i + 1] as usize]
    }
}

/// Draws whose jumps decide where the cells end.
const SAMPLED_DRAWS: usize = 128;

/// Cells per jump of a draw: more cells make the matrix product longer, fewer make more groups meet. 2 was faster than 1 and 3.
const CELLS_PER_JUMP: f64 = 2.0;

/// As many when there is a table of lone jumps: more cells make the matrix product longer and the tables larger, fewer leave more jumps in groups.
const LONE_CELLS_PER_JUMP: f64 = 3.0;

/// With 1000 draws of 100 atoms of like weight all distances took 3.2 s of processor time with the table, 6.1 s with groups alone.
///
/// There is a table of lone jumps where at least this part of the jumps are lone ones; then it takes no more memory than groups do. Where jumps lie
/// anywhere it is 0.85.
const MOSTLY_LONE: f64 = 0.75;

/// A jump joins the group of the jump before it when it is this close, in lengths of the cell. Close ones are few products instead of many; ones
/// that lie apart would overlap with much else. With weights of like size and no table of lone jumps all distances took 5 s with this and 12 s with one group a cell.
const NEAR: f64 = 1.0 / 256.0;

/// Cumulative weights are rounded sums: two draws that are one measure, its atoms in other pieces, differ by so much of their squared norm.
const ROUNDING: f64 = 1e-12;

/// The median of the squared norms of some draws.
fn typical_norm(lines: &Lines, origin: f64) -> f64 {
    let step = lines.len().div_ceil(SAMPLED_NORMS);
    let mut norms: Vec<f64> = (0..lines.len()).step_by(step).map(|i| squared_norm(lines.draw(i), origin)).collect();
    let half = norms.len() / 2;
    *norms.select_nth_unstable_by(half, f64::total_cmp).1
}

/// Draws whose norms say what is typical.
const SAMPLED_NORMS: usize = 16;

/// Into which cells (0, 1) is cut.
#[derive(Clone)]
struct Cells {
    /// Ends of the cells, 0 and 1 included.
    ends: Vec<f64>,
    /// Whether there is to be a table of lone jumps.
    lone: bool,
}

impl Cells {
    /// Quantiles of the jumps of an evenly spread sample of draws.
    fn choose(lines: &Lines) -> Self {
        let draws = lines.len();
        let sampled = || (0..draws).step_by(draws.div_ceil(SAMPLED_DRAWS));
        let jumps_of = |i: usize| {
            let cumulative = lines.draw(i).cumulative();
            cumulative[..cumulative.len() - 1].iter().copied().filter(|&c| c > 0.0 && c < 1.0)
        };
        let mut places: Vec<f64> = sampled().flat_map(jumps_of).collect();
        places.sort_unstable_by(f64::total_cmp);
        let per_draw = places.len() as f64 / sampled().len() as f64;
        let quantiles = |cells: usize| {
            let mut ends = vec![0.0];
            ends.extend((1..cells).filter_map(|t| places.get(t * places.len() / cells)));
            ends.push(1.0);
            ends.dedup();
            ends
        };
        let ends = quantiles(((per_draw * LONE_CELLS_PER_JUMP) as usize).clamp(4, 2048));
        // The jumps of a draw ascend, and so do their cells.
        let lone_of = |i: usize| {
            let cell = |place: f64| ends.partition_point(|&end| end <= place);
            let mut cells: Vec<usize> = jumps_of(i).map(cell).collect();
            cells.dedup();
            cells.len()
        };
        let lone: usize = sampled().map(lone_of).sum();
        if lone as f64 >= MOSTLY_LONE * places.len() as f64 {
            return Cells { ends, lone: true };
        }
        Cells { ends: quantiles(((per_draw * CELLS_PER_JUMP) as usize).clamp(4, 512)), lone: false }
    }
}

/// Subtracts from every cell its mean over the draws.
fn center(panels: &mut [Lanes], cells: usize, draw_weights: &[f64]) {
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

/// What the walk over the draws finds: jumps in the order of draws, and where a draw's groups begin.
#[derive(Default)]
struct Found {
    /// Where positions are counted from.
    origin: f64,
    /// The table of lone jumps, if there is to be one.
    lone: Vec<LoneJumps>,
    jumps: Jumps,
    groups: Vec<FoundGroup>,
    /// The groups of draw i begin at `draw_starts[i]`.
    draw_starts: Vec<u32>,
    /// Squared norm of each draw's rest.
    norms: Vec<f64>,
    /// The cell of the present draw's last jump.
    cell: Option<usize>,
    /// Sum of `left` over the jumps of the present draw in that cell.
    left_sum: f64,
    /// Where its last group there ends, if it has one.
    group_end: Option<f64>,
}

/// A group on its way to its cell; its jumps reach to those of the next one.
struct FoundGroup {
    cell: u32,
    first_jump: u32,
    first: f64,
    last: f64,
}

impl Found {
    /// Nothing found yet, with a table of lone jumps of this size.
    fn new(lines: &Lines, origin: f64, lone: usize) -> Self {
        // Without a table all atoms may jump in groups. Space that is not used is not touched.
        let most = if lone == 0 { lines.atoms() } else { 0 };
        let jumps = Jumps { left: Vec::with_capacity(most), right: Vec::with_capacity(most) };
        let (groups, lone) = (Vec::with_capacity(most), vec![LoneJumps::default(); lone]);
        Found { origin, lone, jumps, groups, ..Found::default() }
    }

    /// Walks along one quantile function: adds up its integral over each cell and notes the jumps inside cells.
    fn walk(&mut self, lines: &Lines, i: usize, ends: &[f64], integrals: &mut [f64]) {
        self.draw_starts.push(self.groups.len() as u32);
        self.norms.push(0.0);
        self.cell = None;
        let line = lines.draw(i);
        let (positions, cumulative) = (line.positions(), line.cumulative());
        let (mut cell, mut reached) = (0, 0.0);
        for k in 0..positions.len() {
            let (x, until) = (positions[k] - self.origin, cumulative[k]);
            while cell < integrals.len() && ends[cell + 1] <= until {
                integrals[cell] += x * (ends[cell + 1] - reached);
                reached = ends[cell + 1];
                cell += 1;
            }
            if until > reached {
                integrals[cell] += x * (until - reached);
                reached = until;
            }
            // This atom ends inside the cell, so the next one, if it is elsewhere, jumps there.
            if cell < integrals.len()
                && reached > ends[cell]
                && k + 1 < positions.len()
                && positions[k + 1] > positions[k]
            {
                self.add_jump(i, cell, reached, positions[k + 1] - positions[k], ends);
            }
        }
    }

    fn add_jump(&mut self, i: usize, cell: usize, place: f64, size: f64, ends: &[f64]) {
        let (start, end) = (ends[cell], ends[cell + 1]);
        let length = end - start;
        let (place, rest, scaled) = ((place - start) / length, (end - place) / length, size * length.sqrt());
        let (left, right) = (scaled * place, scaled * rest);
        let first_in_cell = self.cell != Some(cell);
        if first_in_cell {
            (self.cell, self.left_sum, self.group_end) = (Some(cell), 0.0, None);
        }
        // Σ_e Σ_f left_e right_f over e ≤ f, cross terms twice.
        self.norms[i] += right * (2.0 * self.left_sum + left);
        self.left_sum += left;
        if first_in_cell && !self.lone.is_empty() {
            let jumps = &mut self.lone[i / PANEL * (ends.len() - 1) + cell];
            (jumps.left[i % PANEL], jumps.right[i % PANEL]) = (left, right);
            return;
        }
        let first_jump = self.jumps.left.len() as u32;
        if self.group_end.is_none_or(|group_end| place - group_end > NEAR) {
            self.groups.push(FoundGroup { cell: cell as u32, first_jump, first: place, last: place });
        }
        let group = self.groups.last_mut().expect("just pushed, or the draw has one in this cell");
        group.last = place;
        self.group_end = Some(place);
        self.jumps.left.push(left);
        self.jumps.right.push(right);
    }

    /// Counting sort of the groups and their jumps by cell, which keeps the order of draws within a cell.
    fn group_by_cell(&mut self, cells: usize, draws: usize) -> (Groups, Jumps) {
        let count = self.groups.len();
        self.draw_starts.push(count as u32);
        let all_jumps = self.jumps.left.len() as u32;
        self.groups.push(FoundGroup { cell: 0, first_jump: all_jumps, first: 0.0, last: 0.0 });
        let mut cell_starts = vec![0u32; cells + 1];
        let mut next_jump = vec![0u32; cells + 1];
        for pair in self.groups.windows(2) {
            cell_starts[pair[0].cell as usize + 1] += 1;
            next_jump[pair[0].cell as usize + 1] += pair[1].first_jump - pair[0].first_jump;
        }
        for t in 0..cells {
            cell_starts[t + 1] += cell_starts[t];
            next_jump[t + 1] += next_jump[t];
        }
        let mut jumps = Jumps::zeros(all_jumps as usize);
        let panels = draws.div_ceil(PANEL);
        let mut out = Groups {
            draw: vec![0; count],
            left_sum: vec![0.0; count + LANES - 1],
            right_sum: vec![0.0; count + LANES - 1],
            first: vec![0.0; count + LANES - 1],
            last: vec![0.0; count + LANES - 1],
            jump_starts: vec![all_jumps; count + 1],
            panel_starts: vec![0; cells * panels],
            of_draw: Vec::with_capacity(count),
            draw_starts: std::mem::take(&mut self.draw_starts),
            cell_starts: Vec::new(),
        };
        let mut next = cell_starts.clone();
        for i in 0..draws {
            if i % PANEL == 0 {
                for (cell, &start) in next.iter().enumerate().take(cells) {
                    out.panel_starts[cell * panels + i / PANEL] = start;
                }
            }
            for pair in self.groups[out.draw_starts[i] as usize..=out.draw_starts[i + 1] as usize].windows(2) {
                let group = &pair[0];
                let index = next[group.cell as usize];
                next[group.cell as usize] += 1;
                out.of_draw.push(GroupAddress { index, cell: group.cell });
                let (slot, found) = (index as usize, group.first_jump as usize..pair[1].first_jump as usize);
                let first = next_jump[group.cell as usize];
                next_jump[group.cell as usize] += found.len() as u32;
                (out.left_sum[slot], out.right_sum[slot]) = jumps.copy(first as usize, &self.jumps, found);
                out.draw[slot] = i as u32;
                (out.first[slot], out.last[slot]) = (group.first, group.last);
                out.jump_starts[slot] = first;
            }
        }
        out.cell_starts = cell_starts;
        (out, jumps)
    }
}

#[cfg(test)]
pub(in crate::pairwise) mod tests {
    use rand::RngExt;

    use super::*;
    use crate::line::{Order, transport_cost};
    use crate::random::{Purpose, standard_normals, stream};

    /// Draws on one slice, before they are sorted.
    pub(in crate::pairwise) struct RandomSlice {
        pub(in crate::pairwise) offsets: Vec<usize>,
        pub(in crate::pairwise) positions: Vec<f64>,
        pub(in crate::pairwise) weights: Vec<f64>,
    }

    impl RandomSlice {
        /// With draws of equal weight, with a table of lone jumps or without.
        pub(in crate::pairwise) fn decomposed(&self, lone: bool) -> Decomposition<'_> {
            let draws = self.offsets.len() - 1;
            let lines = Lines::sort(&self.offsets, self.positions.clone(), &self.weights);
            let cells = Cells { lone, ..Cells::choose(&lines) };
            let plan = Plan::new(&lines, cells);
            Decomposition::again(lines, plan, &vec![1.0 / draws as f64; draws])
        }
    }

    /// Draws of 1 to `atoms` atoms. Weights are multiples of one number per draw, so that jumps meet each other and cell ends; some positions
    /// are equal, and every fifth draw is a copy.
    pub(in crate::pairwise) fn random_slice(draws: usize, atoms: usize, seed: u64) -> RandomSlice {
        let mut slice = RandomSlice { offsets: vec![0], positions: Vec::new(), weights: Vec::new() };
        for m in 0..draws {
            let mut rng = stream(seed, Purpose::Simulation, if m % 5 == 4 { 0 } else { m as u64 });
            let count = rng.random_range(1..=atoms);
            let mut x = vec![0.0; count];
            standard_normals(&mut rng, &mut x);
            let counts: Vec<f64> = (0..count).map(|_| f64::from(rng.random_range(1..4u32))).collect();
            let total: f64 = counts.iter().sum();
            slice.positions.extend(x.iter().map(|x| if *x > 1.0 { 1.0 } else { *x }));
            slice.weights.extend(counts.iter().map(|c| c / total));
            slice.offsets.push(slice.positions.len());
        }
        slice
    }

    #[test]
    fn norms_and_products_are_those_of_quantile_functions() {
        for (draws, atoms) in [(1, 1), (5, 3), (12, 30), (9, 500)] {
            let slice = random_slice(draws, atoms, 7);
            let lines = Lines::sort(&slice.offsets, slice.positions.clone(), &slice.weights);
            let weights: Vec<f64> = (0..draws).map(|m| (m + 1) as f64 / (draws * (draws + 1) / 2) as f64).collect();
            let cost = |i, j| transport_cost(lines.draw(i), lines.draw(j), Order::TWO);
            for lone in [false, true] {
                let plan = Plan::new(&lines, Cells { lone, ..Cells::choose(&lines) });
                let decomposed = Decomposition::again(lines.clone(), plan, &weights);
                // With Q̄ the weighted mean, Σ_j ω_j ‖Q_i − Q_j‖² is what the sweep adds up.
                let mut sums = vec![0.0; draws];
                decomposed.add_mean_squares(&weights, &mut sums);
                for (i, &sum) in sums.iter().enumerate() {
                    let expected: f64 = (0..draws).map(|j| weights[j] * cost(i, j)).sum();
                    assert!((sum - expected).abs() <= 1e-12 * expected.max(1.0), "{i} of {draws}: {sum} {expected}");
                }
            }
        }
    }

    #[test]
    fn weighted_squares_are_sums_over_pairs() {
        for (draws, atoms) in [(1, 1), (5, 3), (12, 30), (9, 500)] {
            let slice = random_slice(draws, atoms, 9);
            let lines = Lines::sort(&slice.offsets, slice.positions.clone(), &slice.weights);
            let decomposed = Decomposition::new(lines.clone(), &vec![1.0 / draws as f64; draws]);
            let weight = |j: usize, k: usize| ((j * 7 + k * 3) % 11) as f64 / 11.0 - 0.4;
            let weightings: Vec<Weightings> = (0..draws).map(|j| std::array::from_fn(|k| weight(j, k))).collect();
            let mut sums = vec![[1.0; WEIGHTINGS]; draws];
            decomposed.add_weighted_squares(&weightings, &mut sums);
            let cost = |i, j| transport_cost(lines.draw(i), lines.draw(j), Order::TWO);
            for (i, sums) in sums.iter().enumerate() {
                for (k, sum) in sums.iter().enumerate() {
                    let expected = 1.0 + (0..draws).map(|j| weight(j, k) * cost(i, j)).sum::<f64>();
                    assert!(
                        (sum - expected).abs() <= 1e-12 * draws as f64,
                        "draw {i}, weighting {k}: {sum} {expected}"
                    );
                }
            }
        }
    }

    /// ‖Q_i − Q̄‖² = Σ_j a_j ‖Q_i − Q_j‖² − ½ Σ_jk a_j a_k ‖Q_j − Q_k‖² for any weights a, not only those of the draws.
    #[test]
    fn squares_from_a_mean_follow_from_all_pairs() {
        for (draws, atoms) in [(1, 1), (5, 3), (12, 30), (9, 500)] {
            let slice = random_slice(draws, atoms, 8);
            let lines = Lines::sort(&slice.offsets, slice.positions.clone(), &slice.weights);
            let decomposed = Decomposition::new(lines.clone(), &vec![1.0 / draws as f64; draws]);
            let weights: Vec<f64> = (0..draws).map(|m| (m + 1) as f64 / (draws * (draws + 1) / 2) as f64).collect();
            let cost = |i, j| transport_cost(lines.draw(i), lines.draw(j), Order::TWO);
            let mean = |i: usize| (0..draws).map(|j| weights[j] * cost(i, j)).sum::<f64>();
            let spread = 0.5 * (0..draws).map(|j| weights[j] * mean(j)).sum::<f64>();
            let found = decomposed.squares_from_mean(&weights);
            for i in 0..draws {
                let expected = mean(i) - spread;
                let square = found.squares[i];
                assert!((square - expected).abs() <= 1e-12 * expected.max(1.0), "draw {i}: {square} {expected}");
                assert!(square <= found.sizes[i] * 4.0 + 1e-12);
            }
        }
    }

    #[test]
    fn cells_cover_the_unit_interval_and_are_not_too_many() {
        for (draws, atoms) in [(1, 1), (1, 2), (3, 10), (200, 4), (4, 2000)] {
            let slice = random_slice(draws, atoms, 3);
            let cells = Cells::choose(&Lines::sort(&slice.offsets, slice.positions.clone(), &slice.weights));
            let ends = cells.ends;
            assert!(ends[0] == 0.0 && ends[ends.len() - 1] == 1.0 && ends.len() <= if cells.lone { 2049 } else { 513 });
            assert!(ends.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    /// Weights of like size give lone jumps, weights of which most are next to nothing give groups.
    #[test]
    fn there_is_a_table_of_lone_jumps_where_jumps_lie_apart() {
        for (shrink, lone) in [(1.0, true), (0.7, false)] {
            let mut rng = stream(5, Purpose::Simulation, 0);
            let (draws, atoms) = (200, 60);
            let offsets: Vec<usize> = (0..=draws).map(|m| m * atoms).collect();
            let mut positions = vec![0.0; draws * atoms];
            standard_normals(&mut rng, &mut positions);
            let mut weights: Vec<f64> =
                (0..draws * atoms).map(|k| rng.random::<f64>() * f64::powi(shrink, (k % atoms) as i32)).collect();
            for own in weights.chunks_mut(atoms) {
                let total: f64 = own.iter().sum();
                own.iter_mut().for_each(|w| *w /= total);
            }
            assert_eq!(Cells::choose(&Lines::sort(&offsets, positions, &weights)).lone, lone);
        }
    }
}
