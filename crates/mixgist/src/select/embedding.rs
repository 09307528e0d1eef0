//! Draws as points of a Euclidean space: a Nyström embedding from a few exact rows, with the part it misses known exactly.

use fearless_simd::{Level, Simd, dispatch};
use nalgebra::DMatrix;

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
        Truncated { axes, squares: &self.squares, rests: rests.iter().map(|rest| rest.max(0.0).sqrt()).collect() }
    }
}

/// The first axes and the norms of what they miss.
pub(super) struct Truncated<'a> {
    axes: &'a [Vec<f64>],
    squares: &'a [f64],
    rests: Vec<f64>,
}

/// Multipliers λ that are tried, relative to 1/(2 √mean square).
const MULTIPLIERS: [f64; 4] = [0.85, 1.1, 1.5, 2.2];

impl Truncated<'_> {
    /// A lower bound of the mean distance of draw i, whose mean squared distance is known.
    ///
    /// Each d_ij² = x_j lies in an interval [lo_j, hi_j], and Σ ω_j x_j = `mean_square`. For any λ > 0,
    /// Σ ω_j √x_j ≥ Σ ω_j min over the interval of (√x − λ x) + λ `mean_square`; √x − λx is concave, so that minimum is at an end.
    pub(super) fn lower_bound(&self, i: usize, mean_square: f64, draw_weights: &[f64]) -> f64 {
        dispatch!(Level::new(), simd => self.lower_bound_with(simd, i, mean_square, draw_weights))
    }

    #[inline(always)]
    fn lower_bound_with<S: Simd>(&self, _simd: S, i: usize, mean_square: f64, draw_weights: &[f64]) -> f64 {
        const BLOCK: usize = 256;
        const LANES: usize = 8;
        let unit = 0.5 / mean_square.sqrt();
        let multipliers = MULTIPLIERS.map(|m| m * unit);
        let mut sums = [[0.0; LANES]; MULTIPLIERS.len()];
        let mut products = [0.0; BLOCK];
        let draws = self.squares.len();
        for start in (0..draws).step_by(BLOCK) {
            let end = draws.min(start + BLOCK);
            let products = &mut products[..end - start];
            products.fill(0.0);
            for axis in self.axes {
                let own = axis[i];
                for (sum, x) in products.iter_mut().zip(&axis[start..end]) {
                    *sum += own * x;
                }
            }
            let columns = products.chunks(LANES).zip(self.squares[start..end].chunks(LANES));
            let columns = columns.zip(self.rests[start..end].chunks(LANES)).zip(draw_weights[start..end].chunks(LANES));
            for (((products, squares), rests), weights) in columns {
                for lane in 0..products.len() {
                    let scale = self.squares[i] + squares[lane];
                    let middle = scale - 2.0 * products[lane];
                    let width = 2.0 * self.rests[i] * rests[lane] + SLACK * scale;
                    let low = middle - width;
                    let low = if low > 0.0 { low } else { 0.0 };
                    let high = middle + width;
                    let (root_low, root_high) = (low.sqrt(), high.sqrt());
                    for (sum, multiplier) in sums.iter_mut().zip(multipliers) {
                        let (a, b) = (root_low - multiplier * low, root_high - multiplier * high);
                        sum[lane] += weights[lane] * if a < b { a } else { b };
                    }
                }
            }
        }
        // The draw's own entry is known to be zero: its interval begins at 0 and so costs nothing.
        let bounds =
            sums.iter().zip(multipliers).map(|(sum, multiplier)| sum.iter().sum::<f64>() + multiplier * mean_square);
        bounds.fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, standard_normals, stream};
    use crate::vector_math::tests::every_level;

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
            let truncated = [0, 1, 3, embedding.axes()].map(|axes| embedding.leading(axes));
            for truncated in truncated.into_iter().chain([extended.leading(extended.axes())]) {
                for i in 0..DRAWS {
                    let exact =
                        squared[i * DRAWS..(i + 1) * DRAWS].iter().map(|d| d.sqrt()).sum::<f64>() / DRAWS as f64;
                    let bound = truncated.lower_bound(i, mean_squares[i], &weights);
                    assert!(bound <= exact * (1.0 + 1e-12), "{bound} above {exact}");
                    // The anchors span the plane and ten dimensions, so that nothing is missed but the slack.
                    if truncated.axes.len() == embedding.axes() && dim <= 10 {
                        assert!(bound >= 0.999 * exact, "{bound} far below {exact}");
                    }
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
        for i in 0..DRAWS {
            let expected = truncated.lower_bound(i, mean_squares[i], &weights).to_bits();
            for level in every_level() {
                let bound = dispatch!(level, simd => truncated.lower_bound_with(simd, i, mean_squares[i], &weights));
                assert_eq!(bound.to_bits(), expected);
            }
        }
    }
}
