//! The floor: what no summary can beat, whatever it is, under the same slices.
//!
//! For p = 2 the draws are points Q_m of a Hilbert space (the quantile functions on all slices), and a summary is one more point Q. Under
//! the power loss Σ ω_m ‖Q − Q_m‖² is least at the mean Q̄ = Σ ω_m Q_m, so that Σ ω_m ‖Q̄ − Q_m‖² is the floor. Under the distance loss the
//! least of Σ ω_m ‖Q − Q_m‖ is attained at the geometric median. For any numbers r_m > 0 put a_m ∝ ω_m / r_m, Q̃ = Σ a_m Q_m and
//! u_m = (Q̃ − Q_m) / r_m. Then Σ ω_m u_m = 0, and with s = min_m r_m / ‖Q̃ − Q_m‖ no s u_m is longer than 1, so that for every Q
//!
//!   Σ ω_m ‖Q − Q_m‖ ≥ s Σ ω_m ⟨u_m, Q − Q_m⟩ = −s Σ ω_m ⟨u_m, Q_m⟩ = s Σ ω_m ‖Q̃ − Q_m‖² / r_m.
//!
//! The bound holds for any r; it is sharp when r_m = ‖Q̃ − Q_m‖, which the iteration of Weiszfeld, r_m ← ‖Q̃ − Q_m‖, brings about. One
//! sweep over the slices gives ‖Q̃ − Q_m‖ for all draws. What rounding can do to it is taken off the bound.
//!
//! With a few draws very far from all others s stays small for long, and a second bound is better. The loss F is convex, and
//! g = Σ ω_m (Q̃ − Q_m) / ‖Q̃ − Q_m‖ is a slope of it at Q̃, so that the median Q* has F(Q*) ≥ F(Q̃) − ‖g‖ ‖Q* − Q̃‖. Both factors are
//! bounded by known numbers. Since Σ ω_m u_m = 0, ‖g‖ ≤ Σ ω_m |1 − ‖Q̃ − Q_m‖ / r_m|. And Q* is not far away: with D = ‖Q* − Q̃‖, draws near Q̃
//! lose at least D − 2 ‖Q̃ − Q_m‖ on the way to Q*, all others gain at most D. If the near ones have the mass β > ½, F(Q*) ≤ F(Q̃)
//! leaves D ≤ 2 Σ_near ω_m ‖Q̃ − Q_m‖ / (2β − 1).
//!
//! The search for the medoid leaves decomposed slices in which each draw has moved by a known, small distance. The floor of those draws
//! minus the mean distance that they moved is a floor of the draws themselves, by the triangle inequality.

use crate::Result;
use crate::loss::Loss;
use crate::pairwise::{Decompositions, FromMean, KEPT_BYTES, Spread};
use crate::progress::Progress;
use crate::projection::Projection;
use crate::select::Medoid;

/// What no summary can beat.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Floor {
    /// No summary of any kind has a smaller expected loss under the same slices.
    #[serde(rename = "floor")]
    pub value: f64,
    /// Expected loss of the best mean of quantile functions that was found. It need not belong to any mixing measure, but shows that
    /// the floor cannot be raised beyond it.
    #[serde(rename = "floor_attained")]
    pub attained: f64,
}

impl Floor {
    /// How far a loss is above the floor, as a part of the floor: 0.02 is "within 2 % of the best possible".
    pub fn excess(&self, expected_loss: f64) -> f64 {
        if expected_loss <= self.value { 0.0 } else { expected_loss / self.value - 1.0 }
    }
}

/// The middle of the draws: the mean of quantile functions, under weights that make it least in expected loss.
pub(crate) struct Center {
    /// Weight of each draw in the middle; they sum to 1.
    pub(crate) weights: Vec<f64>,
    /// The draws that have weight, by their distance from the plain mean, the nearest first.
    pub(crate) nearest_first: Vec<usize>,
    /// The floor.
    pub(crate) floor: Floor,
}

/// Slices on which the geometric median is found before it is corrected on all.
pub(crate) const LEADING_SLICES: usize = 128;
const LEAST_LEADING: usize = 8;

/// The floor is sharp enough when the attained loss is so close to it: where a fit starts from the geometric median, and where the
/// floor is only read, with two or three digits.
pub(super) const SHARP: f64 = 1e-4;
pub(super) const READABLE: f64 = 1e-3;

/// Iterations on the leading slices, and sweeps over all slices.
const MOST_ITERATIONS: usize = 40;
const MOST_SWEEPS: usize = 4;

/// Iterations without progress after which the search ends.
const PATIENCE: usize = 3;

/// Squared distances are exact to this part of the squared norms that they are differences of.
const ROUNDING: f64 = 1e-12;

/// Finds the middle and the floor.
///
/// Where the search for the medoid has embedded the draws, it has guessed their distances from the geometric median, and a sweep or two
/// over all slices make the bound exact. Otherwise, with more slices than are kept in memory, the geometric median is found on the leading ones. What it is
/// on all slices is guessed from there: the distance of a draw from the median changes with the slices as its distance from the medoid
/// does, which is known. Sweeps over all slices follow until the floor is within the part `sharp` of what is attained.
pub(crate) fn center(
    projection: &Projection,
    decompositions: &mut Decompositions,
    loss: Loss,
    medoid: &Medoid,
    sharp: f64,
    progress: &dyn Progress,
) -> Result<Center> {
    let draw_weights = projection.draw_weights();
    // As many leading slices as can be kept: each iteration passes over them.
    let kept = (KEPT_BYTES / projection.kept_bytes_per_slice()).clamp(LEAST_LEADING, LEADING_SLICES);
    let mut leading = decompositions.leading(kept);
    // The guess depends on which draws were embedded first, so that fits, which start here, do without it.
    let radii = decompositions.radii().filter(|_| loss == Loss::Distance && sharp >= READABLE).map(<[f64]>::to_vec);
    let guess = loss == Loss::Distance
        && leading.slices() < decompositions.slices()
        && !decompositions.keeps()
        && radii.is_none();
    let plain = match decompositions.spread() {
        Some(spread) => FromMean::of_spread(spread, draw_weights),
        None => {
            let few = if guess { &mut leading } else { &mut *decompositions };
            progress.begin("floor", few.slices() as u64);
            few.squares_from_mean(draw_weights, progress)?
        }
    };
    let mut nearest_first: Vec<usize> = (0..projection.draws()).filter(|&m| draw_weights[m] > 0.0).collect();
    nearest_first.sort_by(|&i, &j| plain.squares[i].total_cmp(&plain.squares[j]).then(i.cmp(&j)));
    if loss == Loss::Power {
        let floor = match decompositions.spread() {
            Some(spread) => spread.floor(draw_weights),
            None => Floor { value: plain.mean(-1.0, draw_weights), attained: plain.mean(1.0, draw_weights) },
        };
        return Ok(Center { weights: draw_weights.to_vec(), nearest_first, floor });
    }
    let mut median = Median::new(draw_weights, &plain, sharp);
    if guess {
        // The plain mean was taken over other slices.
        median.floor.attained = f64::INFINITY;
    }
    if let Some(radii) = radii {
        median.radii = radii;
        median.lift_radii();
    }
    let most = if guess || decompositions.keeps() { MOST_ITERATIONS } else { MOST_SWEEPS };
    median.iterate(if guess { &mut leading } else { &mut *decompositions }, most, progress)?;
    if guess {
        let from_medoid = leading.row_costs(&[medoid.draw], progress)?;
        for (m, radius) in median.radii.iter_mut().enumerate() {
            let ratio = medoid.distances[m] / from_medoid[m].sqrt();
            if ratio.is_finite() && ratio > 0.0 {
                *radius *= ratio;
            }
        }
        median.lift_radii();
        median.floor = Floor { value: 0.0, attained: f64::INFINITY };
        median.iterate(decompositions, MOST_SWEEPS, progress)?;
    }
    // Without compression nothing moved.
    let moved: f64 = decompositions.moved().iter().zip(draw_weights).map(|(moved, weight)| moved * weight).sum();
    let Floor { value, attained } = median.floor;
    let floor = Floor { value: (value - moved * (1.0 + ROUNDING)).max(0.0), attained: attained + moved };
    Ok(Center { weights: median.weights, nearest_first, floor })
}

impl Spread {
    /// The floor of the power loss: since the mean of ‖Q_i − Q_j‖² over j is ‖Q_i − Q̄‖² + V with V the mean of ‖Q_i − Q̄‖², V is half the mean of
    /// those means. The pass that finds the medoid has them all. Its terms are at most four times the mean of ‖Q‖², half of which
    /// counts; what rounding can do to them is taken off.
    fn floor(&self, weights: &[f64]) -> Floor {
        let (variance, rounding) = (self.variance(weights), 2.0 * ROUNDING * self.size);
        Floor { value: (variance - rounding).max(0.0), attained: variance + rounding }
    }

    fn variance(&self, weights: &[f64]) -> f64 {
        0.5 * self.mean_squares.iter().zip(weights).map(|(square, weight)| square * weight).sum::<f64>()
    }
}

impl FromMean {
    /// Distances from the plain mean: ‖Q_i − Q̄‖² is the mean of ‖Q_i − Q_j‖² over j less V.
    fn of_spread(spread: &Spread, weights: &[f64]) -> Self {
        let variance = spread.variance(weights);
        let squares: Vec<f64> = spread.mean_squares.iter().map(|square| square - variance).collect();
        let sizes = spread.mean_squares.iter().map(|square| 2.0 * (square.abs() + spread.size)).collect();
        FromMean { squares, sizes }
    }

    /// ‖Q_m − Q̄‖² or, with a sign, what it is at least or at most given rounding.
    fn square(&self, m: usize, sign: f64) -> f64 {
        (self.squares[m] + sign * ROUNDING * self.sizes[m]).max(0.0)
    }

    fn mean(&self, sign: f64, weights: &[f64]) -> f64 {
        (0..weights.len()).map(|m| weights[m] * self.square(m, sign)).sum()
    }
}

/// The search for the geometric median.
struct Median<'a> {
    draw_weights: &'a [f64],
    radii: Vec<f64>,
    weights: Vec<f64>,
    floor: Floor,
    /// Goes on until the floor is so close to the attained loss.
    sharp: f64,
}

impl<'a> Median<'a> {
    /// From the plain mean.
    fn new(draw_weights: &'a [f64], plain: &FromMean, sharp: f64) -> Self {
        let mut median = Median {
            draw_weights,
            sharp,
            radii: roots(plain),
            weights: draw_weights.to_vec(),
            floor: Floor { value: 0.0, attained: upper(draw_weights, plain) },
        };
        median.lift_radii();
        median
    }

    /// Draws at the median itself must not take all the weight at once.
    fn lift_radii(&mut self) {
        let mean: f64 = self.radii.iter().zip(self.draw_weights).map(|(r, w)| r * w).sum();
        self.radii.iter_mut().for_each(|radius| *radius = radius.max(1e-7 * mean));
    }

    fn iterate(&mut self, decompositions: &mut Decompositions, most: usize, progress: &dyn Progress) -> Result<()> {
        let (mut gap, mut stalled) = (f64::INFINITY, 0);
        for _ in 0..most {
            if self.radii.iter().all(|&radius| radius == 0.0) {
                self.radii.fill(1.0);
            }
            progress.begin("geometric median", decompositions.slices() as u64);
            let mut weights: Vec<f64> = self.draw_weights.iter().zip(&self.radii).map(|(w, r)| w / r).collect();
            let total: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|w| *w /= total);
            let found = decompositions.squares_from_mean(&weights, progress)?;
            self.floor.value = self.floor.value.max(self.lower(&found));
            let attained = upper(self.draw_weights, &found);
            if attained <= self.floor.attained {
                self.floor.attained = attained;
                self.weights = weights;
            }
            self.radii = roots(&found);
            self.lift_radii();
            // Sharp enough, or nothing but rounding is left.
            let new_gap = self.floor.attained - self.floor.value;
            stalled = if new_gap > 0.99 * gap { stalled + 1 } else { 0 };
            if new_gap <= self.sharp * self.floor.attained || stalled == PATIENCE {
                break;
            }
            gap = new_gap;
        }
        Ok(())
    }

    /// The better one of the two bounds of the module text for the present radii.
    fn lower(&self, found: &FromMean) -> f64 {
        let counted = || (0..self.radii.len()).filter(|&m| self.draw_weights[m] > 0.0);
        let longest = counted().map(|m| found.square(m, 1.0).sqrt() / self.radii[m]).fold(0.0, f64::max);
        let sum: f64 = counted().map(|m| self.draw_weights[m] * found.square(m, -1.0) / self.radii[m]).sum();
        let scaled = if longest > 0.0 { sum / longest } else { 0.0 };
        let slope: f64 = counted()
            .map(|m| {
                let parts = [-1.0, 1.0].map(|sign| (1.0 - found.square(m, sign).sqrt() / self.radii[m]).abs());
                self.draw_weights[m] * parts[0].max(parts[1])
            })
            .sum();
        let here: f64 = counted().map(|m| self.draw_weights[m] * found.square(m, -1.0).sqrt()).sum();
        scaled.max(here - slope * self.reach(found)) * (1.0 - ROUNDING)
    }

    /// How far the geometric median can be from the mean that was tried.
    fn reach(&self, found: &FromMean) -> f64 {
        let mut near: Vec<(f64, f64)> =
            self.draw_weights.iter().enumerate().map(|(m, &weight)| (found.square(m, 1.0).sqrt(), weight)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut mass, mut sum, mut reach) = (0.0, 0.0, f64::INFINITY);
        for (distance, weight) in near {
            mass += weight;
            sum += weight * distance;
            if mass > 0.5 + ROUNDING {
                reach = f64::min(reach, 2.0 * sum / (2.0 * mass - 1.0));
            }
        }
        reach
    }
}

fn roots(found: &FromMean) -> Vec<f64> {
    (0..found.squares.len()).map(|m| found.square(m, 0.0).sqrt()).collect()
}

fn upper(draw_weights: &[f64], found: &FromMean) -> f64 {
    (0..draw_weights.len()).map(|m| draw_weights[m] * found.square(m, 1.0).sqrt()).sum()
}
