//! Draws as points of a Euclidean space: a Nyström embedding from a few exact rows, with the part it misses known exactly.

use fearless_simd::{Level, Simd, dispatch};
use nalgebra::DMatrix;

/// Coordinates of all draws in principal axes and the norm of what the axes miss.
///
/// With ρ_i the distance of draw i from the mean of all, ⟨i, j⟩ = ½(ρ_i² + ρ_j² − d_ij²) is known for the anchors i. That gives the
/// projection z_j of every draw onto the span of the anchors, and ‖rest_j‖² = ρ_j² − ‖z_j‖². Rests are only known by their norms, hence
/// d_ij² = ρ_i² + ρ_j² − 2⟨z_i, z_j⟩ ± 2 ‖rest_i‖ ‖rest_j‖.
pub(super) struct Embedding {
    /// Axis after axis, longest first: `axes[axis][draw]`.
    axes: Vec<Vec<f64>>,
    /// ρ_j².
    squares: Vec<f64>,
}

/// Axes shorter than this, relative to the longest, are noise.
const SHORTEST_AXIS: f64 = 1e-9;

/// Widens every interval by this much of ρ_i² + ρ_j², far more than rounding can do.
const SLACK: f64 = 1e-8;

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

    /// Number of axes.
    pub(super) fn axes(&self) -> usize {
        self.axes.len()
    }

    /// The embedding with the longest axes only.
    pub(super) fn leading(&self, count: usize) -> Truncated<'_> {
        let axes = &self.axes[..count.min(self.axes.len())];
        let mut rests = self.squares.clone();
        for axis in axes {
            rests.iter_mut().zip(axis).for_each(|(rest, x)| *rest -= x * x);
        }
        Truncated { axes, squares: &self.squares, rests: rests.iter().map(|rest| rest.max(0.0).sqrt()).collect() }
    }
}

/// The leading axes and the norms of what they miss.
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
