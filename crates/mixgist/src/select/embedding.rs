//! Draws as points of a Euclidean space: a Nyström embedding from a few exact rows, with the part it misses known exactly.

use fearless_simd::{Level, Simd, dispatch, f32x16, prelude::*};
use nalgebra::{DMatrix, SMatrix, SVector};

use crate::pairwise::{WEIGHTINGS, Weightings};

/// Coordinates of all draws along axes, and the norm of what the axes miss.
///
/// With ρ_i the distance of draw i from the mean of all, ⟨i, j⟩ = ½(ρ_i² + ρ_j² − d_ij²) is known for the anchors i. That gives the
/// projection z_j of every draw onto the span of the anchors, and ‖rest_j‖² = ρ_j² − ‖z_j‖². Rests are only known by their norms, hence
/// d_ij² = ρ_i² + ρ_j² − 2⟨z_i, z_j⟩ ± 2 ‖rest_i‖ ‖rest_j‖.
pub(super) struct Embedding {
    /// Axis after axis: `axes[axis][draw]`; first the principal axes of the anchors, longest first, then those of later rows.
    axes: Vec<Vec<f64>>,
    /// ρ_j².
    squares: Vec<f64>,
}

/// Axes shorter than this, relative to the longest, are noise.
const SHORTEST_AXIS: f64 = 1e-9;

/// A later row makes an axis if the others miss at least this part of its squared norm: below, rounding would be divided by too little.
const NEW_AXIS: f64 = 1e-6;

/// Widens every interval by this much of ρ_i² + ρ_j², far more than rounding can do.
const SLACK: f64 = 1e-8;

/// Most iterations towards the geometric median, which end when no distance changes by more than this part of the mean.
const MEDIAN_ITERATIONS: usize = 50;
const SAME_RADIUS: f64 = 1e-4;

impl Embedding {
    /// From the rows of squared distances of the anchors (`anchors.len()` × M) and the squared distances ρ² from the mean.
    pub(super) fn new(anchors: &[usize], rows: &[f64], squares: Vec<f64>) -> Self {
        let (count, draws) = (anchors.len(), squares.len());
        let inner = |a: usize, j: usize| 0.5 * (squares[anchors[a]] + squares[j] - rows[a * draws + j]);
        let gram = DMatrix::from_fn(count, count, |a, b| 0.5 * (inner(a, anchors[b]) + inner(b, anchors[a])));
        let eigen = gram.symmetric_eigen();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        let longest = eigen.eigenvalues[order[0]].max(0.0);
        order.retain(|&axis| eigen.eigenvalues[axis] > SHORTEST_AXIS * longest);
        let axes = order
            .iter()
            .map(|&axis| {
                let vector = eigen.eigenvectors.column(axis);
                let scale = eigen.eigenvalues[axis].sqrt().recip();
                let mut coordinates = vec![0.0; draws];
                for a in 0..count {
                    let factor = vector[a] * scale;
                    for (j, sum) in coordinates.iter_mut().enumerate() {
                        *sum += factor * inner(a, j);
                    }
                }
                coordinates
            })
            .collect();
        Embedding { axes, squares }
    }

    /// Adds the axes of further rows, as long as there are fewer than `most`: of each what the axes before it miss.
    pub(super) fn extend(&mut self, draws: &[usize], rows: &[f64], most: usize) {
        for (&i, row) in draws.iter().zip(rows.chunks_exact(self.squares.len())) {
            if self.axes.len() >= most {
                return;
            }
            let own = self.squares[i];
            let mut missed: Vec<f64> =
                row.iter().zip(&self.squares).map(|(cost, square)| 0.5 * (own + square - cost)).collect();
            for axis in &self.axes {
                let along = axis[i];
                missed.iter_mut().zip(axis).for_each(|(missed, x)| *missed -= along * x);
            }
            if missed[i] > NEW_AXIS * own {
                let scale = missed[i].sqrt().recip();
                missed.iter_mut().for_each(|x| *x *= scale);
                self.axes.push(missed);
            }
        }
    }

    /// For every draw roughly its distance from the geometric median, by the iteration of Weiszfeld on the axes; rests are taken to be
    /// orthogonal to each other. Cost O(M × axes) an iteration.
    pub(super) fn median_radii(&self, draw_weights: &[f64]) -> Vec<f64> {
        let rests: Vec<f64> = self.leading(self.axes()).rests.iter().map(|rest| rest * rest).collect();
        let mut radii: Vec<f64> = self.squares.iter().map(|square| square.max(0.0).sqrt()).collect();
        for _ in 0..MEDIAN_ITERATIONS {
            let mean: f64 = radii.iter().zip(draw_weights).map(|(r, w)| r * w).sum();
            let mut weights: Vec<f64> = draw_weights.iter().zip(&radii).map(|(w, r)| w / r.max(1e-7 * mean)).collect();
            let total: f64 = weights.iter().sum();
            if !total.is_finite() || total == 0.0 {
                break;
            }
            weights.iter_mut().for_each(|w| *w /= total);
            let common: f64 = weights.iter().zip(&rests).map(|(w, rest)| w * w * rest).sum();
            let mut squares: Vec<f64> = weights.iter().zip(&rests).map(|(w, r)| r * (1.0 - 2.0 * w) + common).collect();
            for axis in &self.axes {
                let middle: f64 = axis.iter().zip(&weights).map(|(x, w)| x * w).sum();
                squares.iter_mut().zip(axis).for_each(|(sum, x)| *sum += (x - middle) * (x - middle));
            }
            let change = radii.iter_mut().zip(squares).fold(0.0, |change: f64, (radius, square)| {
                let new = square.max(0.0).sqrt();
                let change = change.max((new - *radius).abs());
                *radius = new;
                change
            });
            if change <= SAME_RADIUS * mean {
                break;
            }
        }
        radii
    }

    /// Functions of the draws that follow the slope of a promising draw's loss: with m_ij roughly d_ij² that slope is 1/(2 √m_ij), and m_ij = ρ_i² + ρ_j² −
    /// 2 z_i z_j. Expanded in z_i, of which a promising draw has little, that is a function of ρ_j and a few of those times coordinates of j. `near`
    /// is the squared distance of a promising draw from the mean. The sums of squared distances under such weightings make bounds sharp.
    pub(super) fn slope_functions(&self, near: f64, draw_weights: &[f64]) -> Vec<Weightings> {
        let variance: f64 = self.squares.iter().zip(draw_weights).map(|(square, weight)| square * weight).sum();
        let scale = (near + variance).max(f64::MIN_POSITIVE);
        let function = |(j, square): (usize, &f64)| {
            let falling = (scale / (near + square).max(1e-3 * scale)).sqrt();
            let cube = falling * falling * falling;
            let coordinate = |k: usize| self.axes.get(k).map_or(0.0, |axis| axis[j] / scale.sqrt());
            std::array::from_fn(|k| match k {
                0 => falling,
                1 => cube,
                _ => cube * coordinate(k - 2),
            })
        };
        self.squares.iter().enumerate().map(function).collect()
    }

    /// ρ_i².
    pub(super) fn square(&self, i: usize) -> f64 {
        self.squares[i]
    }

    /// Number of axes.
    pub(super) fn axes(&self) -> usize {
        self.axes.len()
    }

    /// The embedding with the first axes only.
    pub(super) fn leading(&self, count: usize) -> Truncated<'_> {
        let axes = &self.axes[..count.min(self.axes.len())];
        let mut rests = self.squares.clone();
        for axis in axes {
            rests.iter_mut().zip(axis).for_each(|(rest, x)| *rest -= x * x);
        }
        let rests = rests.iter().map(|rest| rest.max(0.0).sqrt()).collect();
        let sampled = |axis: &Vec<f64>| sample(self.squares.len()).map(|j| axis[j]).collect();
        Truncated { axes, sampled_axes: axes.iter().map(sampled).collect(), squares: &self.squares, rests }
    }
}

/// Draws on which slopes are fitted, at most.
const SAMPLED: usize = 192;

/// An even sample of the draws.
fn sample(draws: usize) -> impl Iterator<Item = usize> {
    (0..draws).step_by(draws.div_ceil(SAMPLED))
}

/// Sums of squared distances that are known for every draw: their mean, and sums under further weightings of the draws.
pub(super) struct KnownSums<'a> {
    draw_weights: &'a [f64],
    mean_squares: Vec<f64>,
    /// Mean over the draws of ‖Q‖²: rounding errors are parts of it.
    size: f64,
    further: Option<Further>,
}

struct Further {
    /// `columns[k][j]` is f_k(j).
    columns: Vec<Vec<f64>>,
    sampled: Vec<Weightings>,
    /// For each draw i and function, Σ_j ω_j f_k(j) d_ij².
    sums: Vec<Weightings>,
    /// Σ_j ω_j |f_k(j)|, and the same of ρ_j² |f_k(j)|.
    total: Weightings,
    total_square: Weightings,
}

/// Known sums are exact to this part of the squared norms that they are differences of.
const ROUNDING: f64 = 1e-12;

impl<'a> KnownSums<'a> {
    /// The means alone.
    pub(super) fn new(draw_weights: &'a [f64], mean_squares: Vec<f64>, size: f64) -> Self {
        KnownSums { draw_weights, mean_squares, size, further: None }
    }

    /// With sums Σ_j ω_j f_k(j) d_ij², for each draw i.
    pub(super) fn extend(&mut self, functions: &[Weightings], sums: Vec<Weightings>) {
        let (mut total, mut total_square) = ([0.0; WEIGHTINGS], [0.0; WEIGHTINGS]);
        for ((f, weight), square) in functions.iter().zip(self.draw_weights).zip(&self.mean_squares) {
            for k in 0..WEIGHTINGS {
                total[k] += weight * f[k].abs();
                total_square[k] += weight * f[k].abs() * square;
            }
        }
        let columns = (0..WEIGHTINGS).map(|k| functions.iter().map(|f| f[k]).collect()).collect();
        let sampled = sample(functions.len()).map(|j| functions[j]).collect();
        self.further = Some(Further { columns, sampled, sums, total, total_square });
    }

    /// Σ_j ω_j η_j d_ij² for the slopes η_j = c_0 + Σ_k c_k f_k(j), less what rounding can do to it.
    fn sum(&self, i: usize, slopes: &Slopes) -> f64 {
        let square = self.mean_squares[i];
        let size = 4.0 * (self.size + square);
        let mut sum = slopes.constant * square - ROUNDING * slopes.constant.abs() * size;
        if let Some(further) = &self.further {
            for (k, factor) in slopes.factors.iter().enumerate() {
                let rounding = ROUNDING * (size * further.total[k] + 4.0 * further.total_square[k]);
                sum += factor * further.sums[i][k] - factor.abs() * rounding;
            }
        }
        sum
    }
}

/// Slopes η_j = c_0 + Σ_k c_k f_k(j) for one draw.
#[derive(Clone, Copy)]
struct Slopes {
    constant: f64,
    factors: Weightings,
}

/// The first axes and the norms of what they miss.
pub(super) struct Truncated<'a> {
    axes: &'a [Vec<f64>],
    /// The axes at the sampled draws alone.
    sampled_axes: Vec<Vec<f64>>,
    squares: &'a [f64],
    rests: Vec<f64>,
}

/// Unknowns of a fit of slopes.
const UNKNOWNS: usize = 1 + WEIGHTINGS;

/// Keeps the fit of slopes from dividing by nothing.
const RIDGE: f64 = 1e-7;

impl Truncated<'_> {
    /// Draws whose bounds are computed together, so that the axes pass through the cache once for all of them.
    pub(super) const TOGETHER: usize = 8;

    /// Lower bounds of the mean distances of some draws.
    ///
    /// Each d_ij² = x_j lies in an interval [lo_j, hi_j], and sums Σ_j ω_j f_k(j) x_j are known. For any slopes η_j = Σ_k c_k f_k(j),
    /// Σ ω_j √x_j ≥ Σ ω_j min over the interval of (√x − η_j x) + Σ_k c_k Σ_j ω_j f_k(j) x_j; √x − ηx is concave, so that minimum is at
    /// an end. The nearer η_j is to the slope of the root's chord, the less is lost; nothing at all in first order.
    pub(super) fn lower_bounds(&self, draws: &[usize], known: &KnownSums) -> Vec<f64> {
        dispatch!(Level::new(), simd => self.lower_bounds_with(simd, draws, known))
    }

    #[inline(always)]
    fn lower_bounds_with<S: Simd>(&self, _simd: S, draws: &[usize], known: &KnownSums) -> Vec<f64> {
        const BLOCK: usize = 256;
        const LANES: usize = 8;
        let slopes: Vec<Slopes> = draws.iter().map(|&i| self.fit_slopes(i, known)).collect();
        let mut sums = vec![[0.0; LANES]; draws.len()];
        let (mut products, mut etas) = ([0.0; BLOCK], [0.0; BLOCK]);
        let count = self.squares.len();
        for start in (0..count).step_by(BLOCK) {
            let end = count.min(start + BLOCK);
            let (products, etas) = (&mut products[..end - start], &mut etas[..end - start]);
            for ((&i, slopes), sums) in draws.iter().zip(&slopes).zip(&mut sums) {
                products.fill(0.0);
                add_columns(products, self.axes.iter().map(|axis| (axis[i], &axis[start..end])));
                etas.fill(slopes.constant);
                if let Some(further) = &known.further {
                    let columns = slopes.factors.iter().zip(&further.columns);
                    add_columns(etas, columns.map(|(&factor, column)| (factor, &column[start..end])));
                }
                let columns =
                    products.chunks(LANES).zip(etas.chunks(LANES)).zip(self.squares[start..end].chunks(LANES));
                let weights = known.draw_weights[start..end].chunks(LANES);
                let columns = columns.zip(self.rests[start..end].chunks(LANES)).zip(weights);
                for ((((products, etas), squares), rests), weights) in columns {
                    for lane in 0..products.len() {
                        let (low, high) =
                            interval(self.squares[i] + squares[lane], products[lane], self.rests[i] * rests[lane]);
                        let (a, b) = (low.sqrt() - etas[lane] * low, high.sqrt() - etas[lane] * high);
                        sums[lane] += weights[lane] * if a < b { a } else { b };
                    }
                }
            }
        }
        // The draw's own entry is known to be zero: its interval begins at 0 and so costs next to nothing.
        let bound = |((&i, slopes), sums): ((&usize, &Slopes), &[f64; LANES])| {
            f64::max(0.0, sums.iter().sum::<f64>() + known.sum(i, slopes))
        };
        draws.iter().zip(&slopes).zip(&sums).map(bound).collect()
    }

    /// Least squares on a sample of the draws, for the slopes of the chords of the root over the intervals, each as important as its interval is
    /// wide.
    #[inline(always)]
    fn fit_slopes(&self, i: usize, known: &KnownSums) -> Slopes {
        let mut products = [0.0; SAMPLED];
        let count = sample(self.squares.len()).count();
        add_columns(
            &mut products[..count],
            self.axes.iter().zip(&self.sampled_axes).map(|(axis, sampled)| (axis[i], &sampled[..])),
        );
        let mut normal = SMatrix::<f64, UNKNOWNS, UNKNOWNS>::zeros();
        let mut right = SVector::<f64, UNKNOWNS>::zeros();
        let mut row = [1.0; UNKNOWNS];
        for (s, j) in sample(self.squares.len()).enumerate() {
            let (low, high) = interval(self.squares[i] + self.squares[j], products[s], self.rests[i] * self.rests[j]);
            let roots = low.sqrt() + high.sqrt();
            if j == i || roots == 0.0 {
                continue;
            }
            let weight = known.draw_weights[j] * (high - low);
            if let Some(further) = &known.further {
                row[1..].copy_from_slice(&further.sampled[s]);
            }
            let unknowns = if known.further.is_some() { UNKNOWNS } else { 1 };
            for a in 0..unknowns {
                right[a] += weight * row[a] / roots;
                (0..=a).for_each(|b| normal[(a, b)] += weight * row[a] * row[b]);
            }
        }
        let mut slopes = Slopes { constant: 0.0, factors: [0.0; WEIGHTINGS] };
        if known.further.is_none() {
            slopes.constant = if normal[(0, 0)] > 0.0 { right[0] / normal[(0, 0)] } else { 0.0 };
            return slopes;
        }
        let least = RIDGE * normal[(0, 0)];
        (0..UNKNOWNS).for_each(|a| normal[(a, a)] = normal[(a, a)] * (1.0 + RIDGE) + RIDGE * least);
        if let Some(factored) = normal.cholesky() {
            let solution = factored.solve(&right);
            slopes.constant = solution[0];
            slopes.factors.iter_mut().zip(&solution.as_slice()[1..]).for_each(|(factor, x)| *factor = *x);
        }
        slopes
    }
}

/// Lower bounds of the mean distances of draws as [`Truncated::lower_bounds`] has them, in single precision: half of the numbers are in a vector, and
/// roots take a third of the time. All draws are bounded once, against all, so that this is what takes longest when there are many.
///
/// Intervals are widened, and bounds lowered, by more than rounding can do.
pub(super) struct Rough<'a> {
    truncated: &'a Truncated<'a>,
    known: &'a KnownSums<'a>,
    /// Squared distances are counted in these: V, the mean of ρ².
    unit: f64,
    /// Sixteen draws after the other: their squares, rests and weights, then their coordinates.
    columns: Vec<Sixteen>,
}

type Sixteen = [f32; 16];

/// Intervals are widened by this much of ρ_i² + ρ_j². Products of up to [`ROUGH_AXES`] coordinates in single precision are off by less than 40 units in the
/// last place of it, 2.4e-6.
const ROUGH_SLACK: f32 = 4e-6;
const ROUGH_AXES: usize = 16;

/// Sums of roots and of slopes times squares are off by this part at most: [`ADDED_TOGETHER`] terms are added up in single precision, each with five
/// roundings.
const ROUGH_SUM: f64 = 4e-6;
const ADDED_TOGETHER: usize = 16;

/// Squares beyond this, in units, are for double precision.
const LARGEST_SQUARE: f64 = 1e12;

/// Columns of sixteen draws before their coordinates.
const BEFORE_AXES: usize = 3;

impl<'a> Rough<'a> {
    /// Of some axes, when no sums but the means are known and all numbers are of a size for single precision.
    pub(super) fn new(truncated: &'a Truncated<'a>, known: &'a KnownSums<'a>) -> Option<Self> {
        let Truncated { axes, squares, rests, .. } = truncated;
        let weights = known.draw_weights;
        let unit: f64 = squares.iter().zip(weights).map(|(square, weight)| square * weight).sum();
        let fits = |square: &f64| *square <= LARGEST_SQUARE * unit;
        if known.further.is_some() || axes.len() > ROUGH_AXES || !unit.is_normal() || !squares.iter().all(fits) {
            return None;
        }
        let (draws, root) = (squares.len(), unit.sqrt());
        let mut columns = vec![[0.0; 16]; draws.div_ceil(16) * (BEFORE_AXES + axes.len())];
        for (j, lane) in (0..draws).map(|j| (j, j % 16)) {
            let of_draw = &mut columns[j / 16 * (BEFORE_AXES + axes.len())..][..BEFORE_AXES + axes.len()];
            of_draw[0][lane] = (squares[j] / unit) as f32;
            of_draw[1][lane] = (rests[j] / root) as f32;
            of_draw[2][lane] = (weights[j] * draws as f64) as f32;
            for (column, axis) in of_draw[BEFORE_AXES..].iter_mut().zip(*axes) {
                column[lane] = (axis[j] / root) as f32;
            }
        }
        Some(Rough { truncated, known, unit, columns })
    }

    /// The bounds of some draws.
    pub(super) fn lower_bounds(&self, draws: &[usize]) -> Vec<f64> {
        dispatch!(Level::new(), simd => self.lower_bounds_with(simd, draws))
    }

    #[inline(always)]
    fn lower_bounds_with<S: Simd>(&self, simd: S, draws: &[usize]) -> Vec<f64> {
        let slopes: Vec<Slopes> = draws.iter().map(|&i| self.truncated.fit_slopes(i, self.known)).collect();
        let root = self.unit.sqrt();
        let own: Vec<Own> = draws.iter().zip(&slopes).map(|(&i, slopes)| self.own(i, slopes.constant * root)).collect();
        let mut sums = vec![0.0; draws.len()];
        let per_sixteen = BEFORE_AXES + self.truncated.axes.len();
        for block in self.columns.chunks(per_sixteen * ADDED_TOGETHER) {
            for (own, sum) in own.iter().zip(&mut sums) {
                let mut lanes = f32x16::splat(simd, 0.0);
                for columns in block.chunks_exact(per_sixteen) {
                    lanes += least_of_sixteen(simd, own, columns);
                }
                *sum += lanes.as_slice().iter().map(|&x| f64::from(x)).sum::<f64>();
            }
        }
        let bound = |((&i, slopes), sum): ((&usize, &Slopes), &f64)| {
            // No interval reaches beyond 2 (ρ_i² + ρ_j²).
            let farthest = 2.0 * (self.truncated.squares[i] / self.unit + 1.0) * 1.001;
            let rounding = ROUGH_SUM * (farthest.sqrt() + slopes.constant.abs() * root * farthest);
            let mean = sum / self.truncated.squares.len() as f64 - rounding;
            f64::max(0.0, root * mean + self.known.sum(i, slopes))
        };
        draws.iter().zip(&slopes).zip(&sums).map(bound).collect()
    }

    fn own(&self, i: usize, slope: f64) -> Own {
        let (of_draw, lane) = (i / 16 * (BEFORE_AXES + self.truncated.axes.len()), i % 16);
        let number = |column: usize| self.columns[of_draw + column][lane];
        let mut coordinates = [0.0; ROUGH_AXES];
        for (k, coordinate) in coordinates.iter_mut().enumerate().take(self.truncated.axes.len()) {
            *coordinate = number(BEFORE_AXES + k);
        }
        Own { square: number(0), rest: number(1), slope: slope as f32, coordinates }
    }
}

/// The draw whose bound is computed.
struct Own {
    square: f32,
    rest: f32,
    slope: f32,
    coordinates: [f32; ROUGH_AXES],
}

/// The least of √x − ηx over the intervals of sixteen draws, times their weights.
#[inline(always)]
fn least_of_sixteen<S: Simd>(simd: S, own: &Own, columns: &[Sixteen]) -> f32x16<S> {
    let splat = |x: f32| f32x16::splat(simd, x);
    let mut product = splat(0.0);
    for (coordinate, column) in own.coordinates.iter().zip(&columns[BEFORE_AXES..]) {
        product += splat(*coordinate) * f32x16::from_slice(simd, column);
    }
    let scale = splat(own.square) + f32x16::from_slice(simd, &columns[0]);
    let middle = scale - splat(2.0) * product;
    let width = splat(2.0 * own.rest) * f32x16::from_slice(simd, &columns[1]) + splat(ROUGH_SLACK) * scale;
    let (low, high) = ((middle - width).max(splat(0.0)), middle + width);
    let (at_low, at_high) = (low.sqrt() - splat(own.slope) * low, high.sqrt() - splat(own.slope) * high);
    at_low.min(at_high) * f32x16::from_slice(simd, &columns[2])
}

/// Where d_ij² lies: `scale` = ρ_i² + ρ_j², the product of what the axes have of i and j, and that of the norms of what they miss.
#[inline(always)]
fn interval(scale: f64, product: f64, rests: f64) -> (f64, f64) {
    let middle = scale - 2.0 * product;
    let width = 2.0 * rests + SLACK * scale;
    let low = middle - width;
    (if low > 0.0 { low } else { 0.0 }, middle + width)
}

/// Adds columns times factors, four columns in one go over the sums.
#[inline(always)]
fn add_columns<'a>(sums: &mut [f64], mut columns: impl Iterator<Item = (f64, &'a [f64])>) {
    loop {
        match [columns.next(), columns.next(), columns.next(), columns.next()] {
            [Some((a, w)), Some((b, x)), Some((c, y)), Some((d, z))] => {
                for ((((sum, w), x), y), z) in sums.iter_mut().zip(w).zip(x).zip(y).zip(z) {
                    *sum = *sum + a * w + b * x + c * y + d * z;
                }
            }
            fewer => {
                for (factor, column) in fewer.into_iter().flatten() {
                    sums.iter_mut().zip(column).for_each(|(sum, x)| *sum += factor * x);
                }
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, standard_normals, stream};
    use crate::vector_math::tests::{bits, every_level};

    const DRAWS: usize = 301;

    /// Points of which only a few coordinates are large; squared distances between them, and from their mean.
    struct Cloud {
        squared: Vec<f64>,
        from_mean: Vec<f64>,
        mean_squares: Vec<f64>,
    }

    fn cloud(dim: usize) -> Cloud {
        let mut x = vec![0.0; DRAWS * dim];
        standard_normals(&mut stream(4, Purpose::Simulation, dim as u64), &mut x);
        for point in x.chunks_mut(dim) {
            point.iter_mut().enumerate().for_each(|(c, x)| *x /= (1 + c) as f64);
        }
        let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
        let point = |i: usize| &x[i * dim..(i + 1) * dim];
        let mean: Vec<f64> = (0..dim).map(|c| (0..DRAWS).map(|i| point(i)[c]).sum::<f64>() / DRAWS as f64).collect();
        let squared: Vec<f64> =
            (0..DRAWS).flat_map(|i| (0..DRAWS).map(move |j| (i, j))).map(|(i, j)| gap(point(i), point(j))).collect();
        Cloud {
            from_mean: (0..DRAWS).map(|i| gap(point(i), &mean)).collect(),
            mean_squares: squared.chunks(DRAWS).map(|row| row.iter().sum::<f64>() / DRAWS as f64).collect(),
            squared,
        }
    }

    #[test]
    fn lower_bounds_hold_and_are_close() {
        let weights = vec![1.0 / DRAWS as f64; DRAWS];
        for dim in [2, 10, 60] {
            let Cloud { squared, from_mean, mean_squares } = cloud(dim);
            let anchors: Vec<usize> = (0..DRAWS).step_by(10).collect();
            let rows: Vec<f64> = anchors.iter().flat_map(|&a| squared[a * DRAWS..(a + 1) * DRAWS].to_vec()).collect();
            let embedding = Embedding::new(&anchors, &rows, from_mean);
            let mut extended = Embedding::new(&anchors, &rows, embedding.squares.clone());
            // The first of them is an anchor already and adds nothing.
            let later = [anchors[0], 101, 102, 103];
            let rows: Vec<f64> = later.iter().flat_map(|&a| squared[a * DRAWS..(a + 1) * DRAWS].to_vec()).collect();
            extended.extend(&later, &rows, embedding.axes() + 2);
            assert_eq!(extended.axes() - embedding.axes(), if dim > anchors.len() { 2 } else { 0 });
            let nearest = embedding.squares.iter().copied().fold(f64::INFINITY, f64::min);
            let functions = embedding.slope_functions(nearest, &weights);
            let sum =
                |i: usize, k: usize| (0..DRAWS).map(|j| weights[j] * functions[j][k] * squared[i * DRAWS + j]).sum();
            let sums: Vec<Weightings> = (0..DRAWS).map(|i| std::array::from_fn(|k| sum(i, k))).collect();
            let truncated = [0, 1, 3, embedding.axes()].map(|axes| embedding.leading(axes));
            for truncated in truncated.into_iter().chain([extended.leading(extended.axes())]) {
                let mut known = KnownSums::new(&weights, mean_squares.clone(), 0.0);
                let mut lost = [0.0; 2];
                for lost in &mut lost {
                    for i in 0..DRAWS {
                        let exact =
                            squared[i * DRAWS..(i + 1) * DRAWS].iter().map(|d| d.sqrt()).sum::<f64>() / DRAWS as f64;
                        let bound = truncated.lower_bounds(&[i], &known)[0];
                        assert!(bound <= exact * (1.0 + 1e-12), "{bound} above {exact}");
                        // The anchors span the plane and ten dimensions, so that nothing is missed but the slack.
                        if truncated.axes.len() == embedding.axes() && dim <= 10 {
                            assert!(bound >= 0.999 * exact, "{bound} far below {exact}");
                        }
                        *lost += exact - bound;
                    }
                    known.extend(&functions, sums.clone());
                }
                // What more sums are known for: bounds lose less.
                if truncated.axes.len() > 1 && lost[0] > 1e-3 {
                    assert!(lost[1] < 0.8 * lost[0], "{dim}: {lost:?}");
                }
            }
        }
    }

    /// Against the iteration with all coordinates at hand: of points whose anchors span the space, and of points in general.
    #[test]
    fn radii_are_distances_from_the_geometric_median() {
        let weights = vec![1.0 / DRAWS as f64; DRAWS];
        for (dim, tolerance) in [(2, 1e-3), (10, 1e-3), (60, 0.02)] {
            let Cloud { squared, from_mean, .. } = cloud(dim);
            let anchors: Vec<usize> = (0..DRAWS).step_by(10).collect();
            let rows: Vec<f64> = anchors.iter().flat_map(|&a| squared[a * DRAWS..(a + 1) * DRAWS].to_vec()).collect();
            let radii = Embedding::new(&anchors, &rows, from_mean.clone()).median_radii(&weights);
            // ‖x_i − Σ a_j x_j‖² = Σ_j a_j d_ij² − ½ Σ_jk a_j a_k d_jk².
            let mut expected: Vec<f64> = from_mean.iter().map(|square| square.sqrt()).collect();
            for _ in 0..200 {
                let total: f64 = expected.iter().map(|r| 1.0 / r).sum();
                let a: Vec<f64> = expected.iter().map(|r| 1.0 / (r * total)).collect();
                let mean = |i: usize| (0..DRAWS).map(|j| a[j] * squared[i * DRAWS + j]).sum::<f64>();
                let means: Vec<f64> = (0..DRAWS).map(mean).collect();
                let half = 0.5 * means.iter().zip(&a).map(|(m, a)| m * a).sum::<f64>();
                expected = means.iter().map(|m| (m - half).sqrt()).collect();
            }
            let typical = expected.iter().sum::<f64>() / DRAWS as f64;
            for (radius, expected) in radii.iter().zip(&expected) {
                assert!((radius - expected).abs() < tolerance * typical, "{dim}: {radius} {expected}");
            }
        }
    }

    /// In single precision bounds are a little lower, whatever the unit; and numbers of very different size are left to double precision.
    #[test]
    fn rough_bounds_are_just_below_those_in_double_precision() {
        let weights: Vec<f64> = (0..DRAWS).map(|j| (j + 1) as f64 / (DRAWS * (DRAWS + 1) / 2) as f64).collect();
        let draws: Vec<usize> = (0..DRAWS).collect();
        for (dim, unit) in [(1, 1.0), (5, 1e-130), (40, 1e130), (40, 1.0)] {
            let Cloud { squared, .. } = cloud(dim);
            let squared: Vec<f64> = squared.iter().map(|square| square * unit).collect();
            let weighted = |row: &[f64]| row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
            let mean_squares: Vec<f64> = squared.chunks(DRAWS).map(weighted).collect();
            let variance = 0.5 * weighted(&mean_squares);
            let from_mean: Vec<f64> = mean_squares.iter().map(|square| (square - variance).max(0.0)).collect();
            let anchors: Vec<usize> = (0..DRAWS).step_by(DRAWS.div_ceil(ROUGH_AXES)).collect();
            let rows: Vec<f64> = anchors.iter().flat_map(|&a| squared[a * DRAWS..(a + 1) * DRAWS].to_vec()).collect();
            let mut embedding = Embedding::new(&anchors, &rows, from_mean);
            let known = KnownSums::new(&weights, mean_squares.clone(), 0.0);
            let truncated = embedding.leading(ROUGH_AXES);
            let rough = Rough::new(&truncated, &known).unwrap();
            let found = rough.lower_bounds(&draws);
            for (rough, exact) in found.iter().zip(truncated.lower_bounds(&draws, &known)) {
                assert!(*rough <= exact && *rough >= exact * (1.0 - 1e-3), "{dim}: {rough} {exact}");
            }
            for level in every_level() {
                let again = dispatch!(level, simd => rough.lower_bounds_with(simd, &draws));
                assert_eq!(bits(&again), bits(&found));
            }
            assert_eq!(bits(&rough.lower_bounds(&[7])), bits(&found[7..8]));
            embedding.squares[3] = 1e14 * variance;
            let light: Vec<f64> = (0..DRAWS).map(|j| if j == 3 { 0.0 } else { weights[j] }).collect();
            let known = KnownSums::new(&light, mean_squares.clone(), 0.0);
            assert!(Rough::new(&embedding.leading(ROUGH_AXES), &known).is_none());
        }
    }

    #[test]
    fn lower_bounds_have_the_same_bits_at_every_level() {
        let Cloud { squared, from_mean, mean_squares } = cloud(20);
        let embedding = Embedding::new(
            &[0, 100, 200],
            &[&squared[..DRAWS], &squared[100 * DRAWS..101 * DRAWS], &squared[200 * DRAWS..201 * DRAWS]].concat(),
            from_mean,
        );
        let truncated = embedding.leading(3);
        let weights = vec![1.0 / DRAWS as f64; DRAWS];
        let mut known = KnownSums::new(&weights, mean_squares.clone(), 0.0);
        known.extend(&embedding.slope_functions(mean_squares[0], &weights), vec![[0.5; WEIGHTINGS]; DRAWS]);
        let draws: Vec<usize> = (0..DRAWS).collect();
        let expected = bits(&truncated.lower_bounds(&draws, &known));
        // One by one, or many at once.
        assert_eq!(bits(&truncated.lower_bounds(&[7], &known)), expected[7..8]);
        for level in every_level() {
            let bounds = dispatch!(level, simd => truncated.lower_bounds_with(simd, &draws, &known));
            assert_eq!(bits(&bounds), expected);
        }
    }
}
