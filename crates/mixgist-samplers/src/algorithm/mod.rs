//! Algorithms: one file a Markov chain on (partition, α), and the allocation step that two of them share.

pub(crate) mod allocate;
mod blocked;
mod marginal;
mod slice;
mod split_merge;
mod sticks;
pub(crate) mod tile;

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use allocate::Path;
use blocked::Blocked;
use marginal::Marginal;
use slice::Slice;
pub(crate) use slice::{draw_weights, next_fraction};
pub(crate) use sticks::{StickLaw, Sticks};

use crate::clusters::Clusters;
use crate::component::Component;
use crate::hyperparameters::Hyperparameters;
use crate::mixing::{Concentration, MixingPrior};
use crate::points::ScaledData;
use crate::settings::Algorithm;

/// What a chain carries from one sweep to the next: weights and atoms are drawn afresh given this.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    pub clusters: Clusters,
    pub alpha: f64,
    /// Stick position of each cluster (blocked sampler only, else empty).
    pub positions: Vec<u32>,
    /// Sweeps done.
    pub sweeps: u64,
}

/// The model that a chain samples from; a chain owns one, as the component holds what its clusters share.
#[derive(Debug, Clone)]
pub(crate) struct Model<'a, C> {
    pub points: &'a ScaledData,
    pub component: C,
    pub prior: MixingPrior,
    pub concentration: Concentration,
    /// Sticks of the blocked sampler.
    pub sticks: Option<usize>,
    /// Weight below which the unoccupied part of a draw is not broken further.
    pub remainder: f64,
}

impl<'a, C: Component> Model<'a, C> {
    /// The model with these hyperparameters for these points.
    pub(crate) fn new(points: &'a ScaledData, hyperparameters: &Hyperparameters, remainder: f64) -> Self {
        Model {
            points,
            component: C::new(hyperparameters, points),
            prior: hyperparameters.prior,
            concentration: hyperparameters.concentration,
            sticks: hyperparameters.truncation,
            remainder,
        }
    }
}

/// A Markov chain that leaves the posterior of (partition, α, positions) invariant.
pub(crate) trait Sampler<C: Component>: Send {
    /// One sweep. Fails only when the scatter of a cluster is singular to rounding or a resource limit is reached.
    fn sweep(&mut self, model: &mut Model<'_, C>, state: &mut State, rng: &mut ChaCha8Rng) -> Result<()>;

    /// The points have changed since the last sweep: nothing computed from them may be kept.
    fn forget_points(&mut self) {}
}

/// The sampler of an algorithm.
pub(crate) fn sampler<C: Component>(algorithm: Algorithm) -> Box<dyn Sampler<C>> {
    match algorithm {
        Algorithm::Blocked { .. } => Box::new(Blocked::new(Path::Tiles)),
        Algorithm::Slice => Box::new(Slice::new(Path::Tiles)),
        Algorithm::Marginal => Box::new(Marginal::default()),
    }
}

/// Sweeps after which statistics are computed afresh, so that rounding never accumulates.
const RECOMPUTE_EVERY: u64 = 256;

/// Bookkeeping at the end of each sweep.
fn finish<C: Component>(model: &Model<'_, C>, state: &mut State) {
    state.clusters.compact(&mut state.positions);
    state.sweeps += 1;
    if state.sweeps.is_multiple_of(RECOMPUTE_EVERY) {
        state.clusters.recompute(&model.component, model.points);
    }
}

#[cfg(test)]
mod tests;
