//! Slice sampling without truncation: a point sees only the pieces of weight above its slice variable, which are finitely many.

use mixgist::{Error, Result};
use rand_chacha::ChaCha8Rng;

use super::allocate::{Allocation, Path, Pick, Reservoir};
use super::informed::Informed;
use super::split_merge::SplitMerge;
use super::tile::{Slices, Weighing};
use super::{Model, Sampler, State, finish};
use crate::clusters::Clusters;
use crate::component::Component;
use crate::concentration;
use crate::mixing::MixingPrior;
use crate::points::LANES;
use crate::variates::{Fraction, beta, log_gamma, uniform};

/// Walker's (2007) slice sampler on weights without stick labels: given the partition, the occupied weights and the unoccupied
/// one are Dirichlet(n_1 − σ, …, n_k − σ, α + kσ), and what is unoccupied is again a Pitman-Yor process (Pitman 1996), broken until
/// less than the smallest slice variable is left. There are no labels that could get stuck.
///
/// Slice variables are u_i ~ U(0, min(w, ζ)) with w the weight of the point's cluster and ζ = 1/(10 n) (a threshold as in Fall and
/// Barat 2014): a point sees all pieces with min(w, ζ) > u_i, each with weight w / min(w, ζ). With ζ = 1, Walker's own choice,
/// points of large clusters hardly ever see small ones.
#[derive(Debug)]
pub(crate) struct Slice {
    path: Path,
    allocation: Allocation,
    pieces: Pieces,
    split_merge: SplitMerge,
    informed: Informed,
}

impl Slice {
    pub(crate) fn new(path: Path) -> Self {
        Slice {
            path,
            allocation: Allocation::default(),
            pieces: Pieces::default(),
            split_merge: SplitMerge::default(),
            informed: Informed::default(),
        }
    }
}

impl<C: Component> Sampler<C> for Slice {
    fn sweep(&mut self, model: &mut Model<'_, C>, state: &mut State, rng: &mut ChaCha8Rng) -> Result<()> {
        model.component.draw_shared(&state.clusters, rng)?;
        self.split_merge.step(model, state, rng)?;
        self.informed.step(model, state, rng)?;
        if model.update_scales(state, rng)? {
            self.allocation.forget_predictive();
        }
        state.alpha =
            concentration::given_partition(model.prior, model.concentration, state.alpha, &state.clusters, rng);
        let rest = draw_weights(model.prior, state.alpha, &state.clusters, &mut self.pieces.weights, rng);
        self.pieces.draw_slices(&state.clusters, rng);
        self.pieces.break_rest(model.prior, state.alpha, rest, rng)?;
        self.allocation.draw_atoms(&model.component, &state.clusters, rng)?;
        let Slice { path, allocation, pieces, .. } = self;
        allocation.reallocate(*path, model, state.sweeps, &mut state.clusters, pieces, rng)?;
        finish(model, state)
    }

    fn forget_points(&mut self) {
        self.allocation.forget_predictive();
    }
}

/// Weights of the clusters given the partition, and what is left for all that is unoccupied.
pub(crate) fn draw_weights(
    prior: MixingPrior,
    alpha: f64,
    clusters: &Clusters,
    weights: &mut Vec<f64>,
    rng: &mut ChaCha8Rng,
) -> f64 {
    weights.clear();
    weights.extend(clusters.sizes().map(|count| log_gamma(prior.cluster_mass(count, alpha), rng)));
    let unoccupied = prior.new_mass(clusters.len(), alpha);
    let log_rest = if unoccupied > 0.0 { log_gamma(unoccupied, rng) } else { f64::NEG_INFINITY };
    let highest = weights.iter().copied().fold(log_rest, f64::max);
    weights.iter_mut().for_each(|w| *w = (*w - highest).exp());
    let rest = (log_rest - highest).exp();
    let total = weights.iter().sum::<f64>() + rest;
    weights.iter_mut().for_each(|w| *w /= total);
    rest / total
}

/// Fraction that the next piece takes of the unoccupied weight when `before` atoms have been taken from G.
pub(crate) fn next_fraction(prior: MixingPrior, alpha: f64, before: usize, rng: &mut ChaCha8Rng) -> Fraction {
    match prior.limit() {
        Some(limit) if before + 1 >= limit => Fraction::WHOLE,
        _ => beta(prior.stick(before, alpha), rng),
    }
}

/// Weights of one sweep: by slot, and the unoccupied pieces that some slice variable may see, largest first.
#[derive(Debug, Default)]
struct Pieces {
    weights: Vec<f64>,
    /// ζ.
    ceiling: f64,
    /// min(w, ζ) and log(w / min(w, ζ)) by slot.
    heights: Vec<f64>,
    log_ratios: Vec<f64>,
    thresholds: Vec<f64>,
    lowest: f64,
    unoccupied: Vec<f64>,
    /// Σ w / min(w, ζ) over the first unoccupied pieces.
    cumulative: Vec<f64>,
}

impl Pieces {
    /// Pieces broken in one sweep before the sampler gives up.
    const MOST: usize = 1_000_000;

    fn draw_slices(&mut self, clusters: &Clusters, rng: &mut ChaCha8Rng) {
        self.ceiling = 0.1 / clusters.points() as f64;
        self.heights.clear();
        self.log_ratios.clear();
        for slot in 0..self.weights.len() {
            self.heights.push(0.0);
            self.log_ratios.push(0.0);
            self.set_slot(slot, self.weights[slot]);
        }
        self.thresholds.clear();
        self.thresholds.extend(clusters.labels.iter().map(|&slot| uniform(rng) * self.heights[slot as usize]));
        self.lowest = self.thresholds.iter().copied().fold(f64::INFINITY, f64::min);
        self.thresholds.resize(clusters.points() + LANES, 1.0);
    }

    fn set_slot(&mut self, slot: usize, weight: f64) {
        self.weights[slot] = weight;
        self.heights[slot] = weight.min(self.ceiling);
        self.log_ratios[slot] = self.ratio(weight).ln();
    }

    fn ratio(&self, weight: f64) -> f64 {
        (weight / self.ceiling).max(1.0)
    }

    fn break_rest(&mut self, prior: MixingPrior, alpha: f64, mut rest: f64, rng: &mut ChaCha8Rng) -> Result<()> {
        self.unoccupied.clear();
        let mut taken = self.weights.len();
        while rest > self.lowest && prior.limit().is_none_or(|limit| taken < limit) {
            let fraction = next_fraction(prior, alpha, taken, rng);
            let weight = rest * fraction.taken;
            if weight > self.lowest {
                self.unoccupied.push(weight);
            }
            rest *= fraction.rest;
            taken += 1;
            if taken - self.weights.len() >= Self::MOST {
                return Err(Error::resource(format!(
                    "the slice sampler needs more than {} pieces of weight in one sweep (discount {}, concentration {alpha})",
                    Self::MOST,
                    prior.discount()
                ))
                .hint("use the marginal sampler, which needs none"));
            }
        }
        self.unoccupied.sort_unstable_by(|a, b| b.total_cmp(a));
        self.accumulate();
        Ok(())
    }

    fn accumulate(&mut self) {
        self.cumulative.clear();
        let mut sum = 0.0;
        for &weight in &self.unoccupied {
            sum += self.ratio(weight);
            self.cumulative.push(sum);
        }
    }

    /// Σ w / min(w, ζ) over the unoccupied pieces that point i sees: the largest ones.
    fn visible(&self, i: usize) -> f64 {
        match self.unoccupied.partition_point(|&weight| weight.min(self.ceiling) > self.thresholds[i]) {
            0 => 0.0,
            pieces => self.cumulative[pieces - 1],
        }
    }
}

impl Reservoir for Pieces {
    fn weighing(&self) -> Weighing<'_> {
        let slices = Slices { heights: &self.heights, thresholds: &self.thresholds };
        Weighing { log_weights: &self.log_ratios, slices: Some(slices) }
    }

    fn log_unoccupied(&self, start: usize, out: &mut [f64; LANES]) {
        for (lane, value) in out.iter_mut().enumerate() {
            *value = self.visible(start + lane).ln();
        }
    }

    fn log_unoccupied_with(&self, i: usize, own: usize) -> f64 {
        (self.visible(i) + self.ratio(self.weights[own])).ln()
    }

    fn pick(&mut self, i: usize, own: Option<usize>, rng: &mut ChaCha8Rng) -> Pick {
        let (visible, own_ratio) = (self.visible(i), own.map_or(0.0, |slot| self.ratio(self.weights[slot])));
        let target = uniform(rng) * (visible + own_ratio);
        if target >= visible && own.is_some() {
            return Pick::Own;
        }
        Pick::Piece(self.cumulative.partition_point(|&sum| sum <= target).min(self.cumulative.len() - 1))
    }

    fn occupy(&mut self, slot: usize, piece: usize) {
        let weight = self.unoccupied.remove(piece);
        if slot == self.weights.len() {
            self.weights.push(0.0);
            self.heights.push(0.0);
            self.log_ratios.push(0.0);
        }
        self.set_slot(slot, weight);
        self.accumulate();
    }

    fn release(&mut self, slot: usize) {
        let weight = self.weights[slot];
        let place = self.unoccupied.partition_point(|&other| other > weight);
        self.unoccupied.insert(place, weight);
        self.accumulate();
    }
    fn weight(&self, slot: usize) -> f64 {
        self.weights[slot]
    }

    fn pieces_above(&mut self, floor: f64, _: &mut ChaCha8Rng) -> Vec<usize> {
        // the lightest first: to occupy a piece moves those behind it
        (0..self.unoccupied.partition_point(|&weight| weight >= floor)).rev().collect()
    }
}
