//! `smix-w`, sliced mixture Wasserstein: w1⟨v, μ⟩ + w2 log √(vᵀΣv), one direction v for both parts.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, f64x8, prelude::*};

use super::coordinates::{Block, Coordinates, LANES, Lanes, store_tile};
use super::directions::Ingredients;
use super::{
    Chart, Freeze, NamedArrays, Replicates, Slicer, Slices, Tangents, direction_array, same_length, unit_length,
};
use crate::Result;
use crate::atoms::GaussianAtoms;
use crate::vector_math::ln_in_place;

/// The distribution of `smix-w` slices.
pub(super) struct SmixW;

impl Slicer for SmixW {
    fn name(&self) -> &'static str {
        "smix-w"
    }

    fn help(&self) -> &'static str {
        "sliced mixture Wasserstein: the mean and log standard deviation of the component along a direction"
    }

    fn freeze(&self, freeze: &Freeze) -> Box<dyn Slices> {
        let d = freeze.dim;
        let mut ingredients = Ingredients::new(freeze.seed, freeze.scheme, d, 0, true);
        let replicates = ingredients.replicates();
        let (mut v, mut all_v, mut all_w) = (vec![0.0; d], Vec::new(), Vec::new());
        ingredients.for_each(freeze.slices.clone(), |slice| {
            slice.main_direction(&mut v);
            all_v.extend_from_slice(&v);
            all_w.push(slice.circle());
        });
        Box::new(SmixWSlices::new(d, all_v, all_w, replicates))
    }

    fn given(&self, dim: usize, arrays: &NamedArrays) -> Result<Box<dyn Slices>> {
        let v = direction_array(arrays, "smix_w_v", &[dim])?;
        let w = direction_array(arrays, "smix_w_w", &[2])?;
        same_length(&[("smix_w_v", v), ("smix_w_w", w)])?;
        unit_length("smix_w_v", v)?;
        unit_length("smix_w_w", w)?;
        let w = w.values.chunks_exact(2).map(|w| [w[0], w[1]]).collect();
        Ok(Box::new(SmixWSlices::new(dim, v.values.clone(), w, Replicates::Consecutive(1))))
    }
}

struct SmixWSlices {
    dim: usize,
    v: Vec<f64>,
    /// The same, eight slices at a time: `panels[slice / 8 * dim + coordinate][slice % 8]`.
    panels: Vec<[f64; PANEL]>,
    w: Vec<[f64; 2]>,
    longest: f64,
    replicates: Replicates,
}

/// Slices of a panel of directions.
const PANEL: usize = 8;

/// Coordinates of an atom: μ, then the lower Cholesky factor of Σ column by column, then bounds of log √(uᵀΣu) over unit u.
///
/// The factor gives vᵀΣv = ‖Lᵀv‖² as a sum of squares: positive whatever the rounding.
impl SmixWSlices {
    fn new(dim: usize, v: Vec<f64>, w: Vec<[f64; 2]>, replicates: Replicates) -> Self {
        let longest_v = super::coordinates::longest(&v, dim);
        let longest_w = super::coordinates::longest(w.as_flattened(), 2);
        let mut panels = vec![[0.0; PANEL]; w.len().div_ceil(PANEL) * dim];
        for (l, v) in v.chunks_exact(dim).enumerate() {
            let panel = &mut panels[l / PANEL * dim..][..dim];
            panel.iter_mut().zip(v).for_each(|(lanes, x)| lanes[l % PANEL] = *x);
        }
        SmixWSlices { dim, v, panels, w, longest: longest_w * longest_v.max(1.0), replicates }
    }

    /// The panels that hold these slices: the directions of each, its slices among them, and where those stand among them.
    fn panels(&self, slices: Range<usize>) -> impl Iterator<Item = Panel<'_>> {
        (slices.start / PANEL..slices.end.div_ceil(PANEL)).map(move |panel| {
            let own = slices.start.max(panel * PANEL)..slices.end.min((panel + 1) * PANEL);
            Panel { v: &self.panels[panel * self.dim..][..self.dim], first: own.start - slices.start, slices: own }
        })
    }

    fn factor_len(&self) -> usize {
        self.dim * (self.dim + 1) / 2
    }
}

/// Some slices of a panel.
struct Panel<'a> {
    v: &'a [[f64; PANEL]],
    slices: Range<usize>,
    /// Where the first of them stands among those that were asked for.
    first: usize,
}

impl Slices for SmixWSlices {
    fn len(&self) -> usize {
        self.w.len()
    }

    fn coordinates(&self, atoms: &GaussianAtoms) -> Coordinates {
        let (d, size) = (self.dim, self.factor_len());
        Coordinates::of_means_and(atoms, size + 2, |own, scratch, lanes| {
            let (factor, inverse) = scratch.split_at_mut(d * d);
            for (lane, atom) in own.clone().enumerate() {
                factor.iter_mut().zip(atoms.covariance(atom)).for_each(|(lanes, x)| lanes[lane] = *x);
            }
            let mut trace = [0.0; LANES];
            for a in 0..d {
                trace.iter_mut().zip(&factor[a * d + a]).for_each(|(sum, x)| *sum += x);
            }
            let mut inverse_trace = [0.0; LANES];
            dispatch!(Level::new(), simd => factorize(simd, d, factor, inverse, &mut inverse_trace));
            let entries = (0..d).flat_map(|b| (b..d).map(move |a| a * d + b));
            lanes.iter_mut().zip(entries).for_each(|(slot, entry)| *slot = factor[entry]);
            // λ_max ≤ tr Σ and λ_min ≥ 1 / tr Σ⁻¹ = 1 / ‖L⁻¹‖².
            for lane in 0..own.len() {
                lanes[size][lane] = -0.5 * libm::log(inverse_trace[lane]);
                lanes[size + 1][lane] = 0.5 * libm::log(trace[lane]);
            }
        })
    }

    fn project(&self, slices: Range<usize>, coordinates: &Coordinates, out: &mut [f64]) {
        let d = self.dim;
        let (v, w) = (&self.v[slices.start * d..slices.end * d], &self.w[slices]);
        dispatch!(Level::new(), simd => project(simd, v, w, coordinates, out));
    }

    fn reach(&self, coordinates: &Coordinates, i: usize, j: usize) -> Option<f64> {
        let bounds = self.dim + self.factor_len();
        let (least, most) = (coordinates.column(bounds), coordinates.column(bounds + 1));
        let log_scale = (most[i] - least[j]).max(most[j] - least[i]);
        Some(self.longest * libm::hypot(coordinates.distance(i, j, 0..self.dim), log_scale))
    }

    fn tangents(&self) -> Option<&dyn Tangents> {
        Some(self)
    }

    fn replicates(&self) -> Replicates {
        self.replicates
    }
}

impl Tangents for SmixWSlices {
    fn chart(&self) -> Chart {
        Chart::Factor(None)
    }

    /// With y = Lᵀv, log √(vᵀΣv) = ½ log ‖y‖² has the derivative v yᵀ / ‖y‖² with respect to L.
    fn differentiate(&self, slice: usize, points: &[f64], positions: &mut [f64], tangents: &mut [f64]) {
        let (d, width) = (self.dim, self.dim + self.factor_len());
        let (v, w) = (&self.v[slice * d..(slice + 1) * d], self.w[slice]);
        let atoms = || points.chunks_exact(width);
        let slots = positions.iter_mut().zip(tangents.chunks_exact_mut(width));
        for (point, (position, tangent)) in atoms().zip(slots) {
            let factor = &point[d..];
            let (mean_tangent, factor_tangent) = tangent.split_at_mut(d);
            mean_tangent.iter_mut().zip(v).for_each(|(out, x)| *out = w[0] * x);
            let mut square = 0.0;
            for j in 0..d {
                let y: f64 = (j..d).map(|i| factor[Chart::factor_entry(i, j)] * v[i]).sum();
                square += y * y;
                (j..d).for_each(|i| factor_tangent[Chart::factor_entry(i, j)] = y * v[i]);
            }
            let scale = w[1] / square;
            factor_tangent.iter_mut().for_each(|out| *out *= scale);
            *position = square;
        }
        ln_in_place(positions);
        for (point, position) in atoms().zip(positions) {
            let location: f64 = point[..d].iter().zip(v).map(|(x, v)| x * v).sum();
            *position = w[0] * location + w[1] * (0.5 * *position);
        }
    }

    fn positions(&self, slices: Range<usize>, points: &[f64], positions: &mut [f64]) {
        let atoms = positions.len() / slices.len();
        let (mut locations, mut y) = (vec![0.0; positions.len()], vec![[0.0; PANEL]; self.dim]);
        for panel in self.panels(slices.clone()) {
            dispatch!(Level::new(), simd => place_panel(simd, &panel, points, atoms, &mut y, &mut locations, positions));
        }
        ln_in_place(positions);
        let places = positions.chunks_exact_mut(atoms).zip(locations.chunks_exact(atoms));
        for ((positions, locations), w) in places.zip(&self.w[slices]) {
            for (position, location) in positions.iter_mut().zip(locations) {
                *position = w[0] * location + w[1] * (0.5 * *position);
            }
        }
    }

    fn add_gradient(&self, slices: Range<usize>, points: &[f64], slopes: &[f64], gradient: &mut [f64]) {
        let (atoms, width) = (slopes.len() / slices.len(), self.dim + self.factor_len());
        let mut sums = vec![[0.0; PANEL]; width];
        let mut y = vec![[0.0; PANEL]; self.dim];
        for (atom, (point, gradient)) in points.chunks_exact(width).zip(gradient.chunks_exact_mut(width)).enumerate() {
            sums.fill([0.0; PANEL]);
            for panel in self.panels(slices.clone()) {
                // The part of each slice in the derivative; slices of the panel that were not asked for have none.
                let (mut of_mean, mut of_factor) = ([0.0; PANEL], [0.0; PANEL]);
                for (l, slice) in panel.slices.clone().enumerate() {
                    let slope = slopes[(panel.first + l) * atoms + atom];
                    of_mean[slice % PANEL] = slope * self.w[slice][0];
                    of_factor[slice % PANEL] = slope * self.w[slice][1];
                }
                dispatch!(Level::new(), simd => add_panel_gradient(simd, panel.v, point, of_mean, of_factor, &mut y, &mut sums));
            }
            for (sum, lanes) in gradient.iter_mut().zip(&sums) {
                let [a, b, c, d, e, f, g, h] = *lanes;
                *sum += ((a + b) + (c + d)) + ((e + f) + (g + h));
            }
        }
    }
}

/// The lower Cholesky factors of several matrices, written over their lower triangles, and the squared norms of the inverses of those factors. For each
/// matrix the steps are those of [`crate::linalg::cholesky_in_place`]. `inverse` is scratch space that is zero
/// when it is used first.
#[inline(always)]
fn factorize<S: Simd>(simd: S, d: usize, a: &mut [Lanes], inverse: &mut [Lanes], inverse_norm: &mut Lanes) {
    for j in 0..d {
        let (before, after) = a.split_at_mut((j + 1) * d);
        let row = &mut before[j * d..];
        let [pivot] = subtract_products(simd, [row[j]], &row[..j], [&row[..j]]);
        let root = f64x8::from_slice(simd, &pivot).sqrt();
        root.store_slice(&mut row[j]);
        let mut rows = after.chunks_exact_mut(d);
        while rows.len() > 0 {
            if rows.len() >= TOGETHER {
                let mut some: [&mut [Lanes]; TOGETHER] =
                    std::array::from_fn(|_| rows.next().expect("there are as many"));
                let starts: [Lanes; TOGETHER] = std::array::from_fn(|r| some[r][j]);
                let sums = subtract_products(simd, starts, &row[..j], std::array::from_fn(|r| &some[r][..j]));
                for (other, sum) in some.iter_mut().zip(&sums) {
                    (f64x8::from_slice(simd, sum) / root).store_slice(&mut other[j]);
                }
            } else if let Some(other) = rows.next() {
                let [sum] = subtract_products(simd, [other[j]], &row[..j], [&other[..j]]);
                (f64x8::from_slice(simd, &sum) / root).store_slice(&mut other[j]);
            }
        }
    }
    // Column after column, so that both factors of each product are read in order.
    let mut norm = f64x8::splat(simd, 0.0);
    for i in 0..d {
        let (own, diagonal) = (&a[i * d..i * d + i], f64x8::from_slice(simd, &a[i * d + i]));
        let mut m = 0;
        while m <= i {
            let start = |m: usize| if m == i { [1.0; LANES] } else { [0.0; LANES] };
            let mut finish = |m: usize, sum: &Lanes, inverse: &mut [Lanes]| {
                let x = f64x8::from_slice(simd, sum) / diagonal;
                x.store_slice(&mut inverse[m * d + i]);
                norm += x * x;
            };
            if m + TOGETHER <= i {
                // Entries above the diagonal of the inverse are zero.
                let columns = std::array::from_fn(|r| &inverse[(m + r) * d + m..(m + r) * d + i]);
                let sums = subtract_products(simd, [[0.0; LANES]; TOGETHER], &own[m..], columns);
                sums.iter().enumerate().for_each(|(r, sum)| finish(m + r, sum, inverse));
                m += TOGETHER;
            } else {
                let [sum] = subtract_products(simd, [start(m)], &own[m..], [&inverse[m * d + m..m * d + i]]);
                finish(m, &sum, inverse);
                m += 1;
            }
        }
    }
    norm.store_slice(inverse_norm);
}

/// Rows whose sums go on at the same time, because each step of a sum waits for the one before it.
const TOGETHER: usize = 4;

/// Each start less the sum of the products of its row with `own`, term by term.
#[inline(always)]
fn subtract_products<S: Simd, const R: usize>(
    simd: S,
    starts: [Lanes; R],
    own: &[Lanes],
    rows: [&[Lanes]; R],
) -> [Lanes; R] {
    let mut sums = [f64x8::splat(simd, 0.0); R];
    for (sum, start) in sums.iter_mut().zip(&starts) {
        *sum = f64x8::from_slice(simd, start);
    }
    for (k, x) in own.iter().enumerate() {
        let x = f64x8::from_slice(simd, x);
        for (sum, row) in sums.iter_mut().zip(&rows) {
            *sum -= f64x8::from_slice(simd, &row[k]) * x;
        }
    }
    let mut out = starts;
    for (sum, out) in sums.iter().zip(&mut out) {
        sum.store_slice(out);
    }
    out
}

/// y = Lᵀv for each direction of a panel, and ‖y‖².
#[inline(always)]
fn factor_products<S: Simd>(simd: S, v: &[[f64; PANEL]], factor: &[f64], y: &mut [[f64; PANEL]]) -> f64x8<S> {
    let mut square = f64x8::splat(simd, 0.0);
    for (j, out) in y.iter_mut().enumerate() {
        let mut y = f64x8::splat(simd, 0.0);
        for (i, lanes) in v.iter().enumerate().skip(j) {
            y += f64x8::splat(simd, factor[Chart::factor_entry(i, j)]) * f64x8::from_slice(simd, lanes);
        }
        square += y * y;
        y.store_slice(out);
    }
    square
}

/// vᵀμ and vᵀΣv of every atom on the slices of a panel, (slices × atoms).
#[inline(always)]
fn place_panel<S: Simd>(
    simd: S,
    panel: &Panel,
    points: &[f64],
    atoms: usize,
    y: &mut [[f64; PANEL]],
    locations: &mut [f64],
    squares: &mut [f64],
) {
    let d = panel.v.len();
    for (atom, point) in points.chunks_exact(points.len() / atoms).enumerate() {
        let mut location = f64x8::splat(simd, 0.0);
        for (x, lanes) in point.iter().zip(panel.v) {
            location += f64x8::splat(simd, *x) * f64x8::from_slice(simd, lanes);
        }
        let square = factor_products(simd, panel.v, &point[d..], y);
        for (l, slice) in panel.slices.clone().enumerate() {
            let place = (panel.first + l) * atoms + atom;
            (locations[place], squares[place]) = (location.as_slice()[slice % PANEL], square.as_slice()[slice % PANEL]);
        }
    }
}

/// Adds the derivatives with respect to one atom, a lane for each slice of a panel.
#[inline(always)]
fn add_panel_gradient<S: Simd>(
    simd: S,
    v: &[[f64; PANEL]],
    point: &[f64],
    of_mean: [f64; PANEL],
    of_factor: [f64; PANEL],
    y: &mut [[f64; PANEL]],
    sums: &mut [[f64; PANEL]],
) {
    let d = v.len();
    let square = factor_products(simd, v, &point[d..], y);
    // A panel can have fewer directions than lanes: they are zero then, and so are their parts.
    let square = square.max(f64x8::splat(simd, f64::MIN_POSITIVE));
    let of_mean = f64x8::from_slice(simd, &of_mean);
    let scale = f64x8::from_slice(simd, &of_factor) / square;
    let (mean_sums, factor_sums) = sums.split_at_mut(d);
    for (i, (lanes, sum)) in v.iter().zip(mean_sums).enumerate() {
        let lanes = f64x8::from_slice(simd, lanes);
        (f64x8::from_slice(simd, sum) + of_mean * lanes).store_slice(sum);
        let scaled = scale * lanes;
        for (y, sum) in y[..=i].iter().zip(&mut factor_sums[Chart::factor_entry(i, 0)..]) {
            (f64x8::from_slice(simd, sum) + scaled * f64x8::from_slice(simd, y)).store_slice(sum);
        }
    }
}

/// Directions `v` and pairs `w` of some slices, one after the other.
#[inline(always)]
fn project<S: Simd>(simd: S, v: &[f64], w: &[[f64; 2]], coordinates: &Coordinates, out: &mut [f64]) {
    let (d, n) = (v.len() / w.len().max(1), coordinates.atoms());
    let mut block = Block::new(d + d * (d + 1) / 2);
    for start in (0..n).step_by(block.atoms()) {
        let atoms = block.load(coordinates, start);
        let mut first = 0;
        while first < w.len() {
            let (v, w, out) = (&v[first * d..], &w[first..], &mut out[first * n..]);
            first += match w.len() {
                1 => project_block::<S, 1>(simd, &block, v, w, atoms.clone(), n, out),
                2 | 3 => project_block::<S, 2>(simd, &block, v, w, atoms.clone(), n, out),
                _ => project_block::<S, 4>(simd, &block, v, w, atoms.clone(), n, out),
            };
        }
    }
}

/// The atoms of a block on the first R slices. Returns R.
#[inline(always)]
fn project_block<S: Simd, const R: usize>(
    simd: S,
    block: &Block,
    v: &[f64],
    w: &[[f64; 2]],
    atoms: Range<usize>,
    n: usize,
    out: &mut [f64],
) -> usize {
    let d = v.len() / w.len();
    let v: [&[f64]; R] = std::array::from_fn(|r| &v[r * d..(r + 1) * d]);
    let mut locations = [[0.0; Block::MOST_ATOMS]; R];
    let mut logs = [[0.0; Block::MOST_ATOMS]; R];
    for first in block.tiles::<S>(atoms.len()) {
        let location = block.forms(simd, first, 0..d, v);
        let mut squares = [[S::f64s::splat(simd, 0.0); 2]; R];
        let (mut column, mut rest) = (d, v);
        for b in 0..d {
            let parts = block.forms(simd, first, column..column + d - b, rest);
            column += d - b;
            for (squares, parts) in squares.iter_mut().zip(&parts) {
                for (square, part) in squares.iter_mut().zip(parts) {
                    *square += *part * *part;
                }
            }
            for v in &mut rest {
                *v = &v[1..];
            }
        }
        for r in 0..R {
            store_tile::<S>(&location[r], &mut locations[r][first..]);
            store_tile::<S>(&squares[r], &mut logs[r][first..]);
        }
    }
    for ((row, w), (locations, logs)) in out.chunks_mut(n).zip(w).zip(locations.iter().zip(&mut logs)) {
        let row = &mut row[atoms.clone()];
        let logs = &mut logs[..row.len()];
        ln_in_place(logs);
        for ((x, location), log) in row.iter_mut().zip(locations).zip(logs) {
            *x = w[0] * location + w[1] * (0.5 * *log);
        }
    }
    R
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atoms::CovarianceForm;
    use crate::linalg::{cholesky_in_place, solve_lower};
    use crate::random::{Purpose, standard_normals, stream};
    use crate::slice::Scheme;
    use crate::vector_math::tests::{bits, every_level};

    fn atoms(count: usize, d: usize) -> GaussianAtoms {
        let mut numbers = vec![0.0; count * (d + d * d)];
        standard_normals(&mut stream(2, Purpose::Simulation, 0), &mut numbers);
        let means = numbers.split_off(count * d * d);
        for factor in numbers.chunks_mut(d * d) {
            for i in 0..d {
                factor[i * d + i] = factor[i * d + i].exp();
                factor[i * d + i + 1..(i + 1) * d].fill(0.0);
            }
        }
        GaussianAtoms::new(d, means, numbers, CovarianceForm::Cholesky).unwrap()
    }

    /// More slices and atoms than are worked on together, and neither a whole number of vectors.
    #[test]
    fn positions_have_the_same_bits_at_every_level_and_are_those_of_single_slices() {
        for (d, count) in [(1, 3), (3, 1), (6, 37)] {
            let mut v = vec![0.0; count * d];
            standard_normals(&mut stream(3, Purpose::Simulation, d as u64), &mut v);
            let own = SmixWSlices::new(d, v, vec![[0.8, -0.6]; count], Replicates::Consecutive(1));
            let atoms = atoms(1037, d);
            let coordinates = own.coordinates(&atoms);
            let of = |level: Level| {
                let mut out = vec![0.0; count * 1037];
                dispatch!(level, simd => project(simd, &own.v, &own.w, &coordinates, &mut out));
                out
            };
            let all = of(Level::new());
            assert!(every_level().into_iter().all(|level| bits(&of(level)) == bits(&all)));
            for (l, row) in all.chunks_exact(1037).enumerate() {
                let mut single = vec![0.0; 1037];
                own.project(l..l + 1, &coordinates, &mut single);
                assert_eq!(bits(&single), bits(row));
                // By the definition.
                let v = &own.v[l * d..(l + 1) * d];
                for (k, &x) in row.iter().enumerate().step_by(101) {
                    let location: f64 = atoms.mean(k).iter().zip(v).map(|(x, v)| x * v).sum();
                    let sigma = atoms.covariance(k);
                    let variance: f64 = (0..d)
                        .flat_map(|a| (0..d).map(move |b| (a, b)))
                        .map(|(a, b)| v[a] * sigma[a * d + b] * v[b])
                        .sum();
                    let expected = 0.8 * location - 0.6 * 0.5 * variance.ln();
                    assert!((x - expected).abs() < 1e-10 * (1.0 + expected.abs()), "{x} {expected}");
                }
            }
        }
    }

    /// Eight matrices at a time have the factors of single ones, to the bit, and the norms of the inverses are those of solutions.
    #[test]
    fn factors_have_the_same_bits_at_every_level_and_are_those_of_single_matrices() {
        for d in [1, 2, 5, 9, 14] {
            let atoms = atoms(11, d);
            let own = SmixWSlices::new(d, vec![1.0; d], vec![[0.8, -0.6]], Replicates::Consecutive(1));
            let coordinates = own.coordinates(&atoms);
            for k in 0..11 {
                let mut factor = atoms.covariance(k).to_vec();
                cholesky_in_place(&mut factor, d).unwrap();
                let expected: Vec<f64> =
                    (0..d).flat_map(|b| (b..d).map(move |a| a * d + b)).map(|e| factor[e]).collect();
                let found: Vec<f64> = (0..own.factor_len()).map(|c| coordinates.column(d + c)[k]).collect();
                assert_eq!(bits(&found), bits(&expected));
                let mut norm = 0.0;
                for j in 0..d {
                    let mut column = vec![0.0; d];
                    column[j] = 1.0;
                    solve_lower(&factor, d, &mut column);
                    norm += column.iter().map(|x| x * x).sum::<f64>();
                }
                let bound = coordinates.column(d + own.factor_len())[k];
                assert!((bound + 0.5 * norm.ln()).abs() < 1e-10, "{d}: {bound} {norm}");
            }
            let at = |level: Level| {
                let mut matrices = vec![[0.0; LANES]; d * d];
                for (lane, k) in (0..LANES).enumerate() {
                    matrices.iter_mut().zip(atoms.covariance(k)).for_each(|(lanes, x)| lanes[lane] = *x);
                }
                let (mut inverse, mut norm) = (vec![[0.0; LANES]; d * d], [0.0; LANES]);
                dispatch!(level, simd => factorize(simd, d, &mut matrices, &mut inverse, &mut norm));
                [matrices.as_flattened(), &norm].concat()
            };
            let expected = bits(&at(Level::new()));
            assert!(every_level().into_iter().all(|level| bits(&at(level)) == expected));
        }
    }

    /// All slices of a range at once give what one slice after the other gives; ranges begin and end within panels.
    #[test]
    fn panels_of_slices_have_the_derivatives_of_single_ones() {
        /// What [`Tangents`] does when nothing faster is known.
        struct Single<'a>(&'a SmixWSlices);
        impl Tangents for Single<'_> {
            fn chart(&self) -> Chart {
                self.0.chart()
            }
            fn differentiate(&self, slice: usize, points: &[f64], positions: &mut [f64], tangents: &mut [f64]) {
                self.0.differentiate(slice, points, positions, tangents);
            }
        }
        for (d, atoms, range) in [(1, 1, 0..1), (2, 3, 0..21), (5, 2, 3..19), (3, 4, 9..14)] {
            let width = d + d * (d + 1) / 2;
            let mut numbers = vec![0.0; 21 * d + atoms * width + range.len() * atoms];
            standard_normals(&mut stream(6, Purpose::Simulation, d as u64), &mut numbers);
            let slopes = numbers.split_off(21 * d + atoms * width);
            let points = numbers.split_off(21 * d);
            let own = SmixWSlices::new(d, numbers, vec![[0.8, -0.6]; 21], Replicates::Consecutive(1));
            let both = [&own as &dyn Tangents, &Single(&own)].map(|tangents| {
                let (mut positions, mut gradient) = (vec![0.0; slopes.len()], vec![0.5; points.len()]);
                tangents.positions(range.clone(), &points, &mut positions);
                tangents.add_gradient(range.clone(), &points, &slopes, &mut gradient);
                (positions, gradient)
            });
            let close = |a: &[f64], b: &[f64]| {
                let size = b.iter().fold(1.0, |size, x| f64::max(size, x.abs()));
                a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * size)
            };
            assert!(close(&both[0].0, &both[1].0) && close(&both[0].1, &both[1].1), "{d}: {both:?}");
        }
    }

    /// What pruning relies on: no slice puts two atoms farther apart than `reach` says.
    #[test]
    fn no_slice_reaches_farther_than_the_bound() {
        for d in [1, 2, 4] {
            let atoms = atoms(12, d);
            for (_, scheme) in Scheme::NAMES {
                let slices = SmixW.freeze(&Freeze { dim: d, slices: 0..300, seed: 1, scheme });
                let coordinates = slices.coordinates(&atoms);
                let mut positions = vec![0.0; 300 * 12];
                slices.project(0..300, &coordinates, &mut positions);
                for (i, j) in (0..12).flat_map(|i| (0..i).map(move |j| (i, j))) {
                    let farthest = positions.chunks(12).map(|x| (x[i] - x[j]).abs()).fold(0.0, f64::max);
                    let reach = slices.reach(&coordinates, i, j).unwrap();
                    assert!(farthest <= reach * (1.0 + 1e-14), "{farthest} beyond {reach}");
                }
            }
        }
    }
}
