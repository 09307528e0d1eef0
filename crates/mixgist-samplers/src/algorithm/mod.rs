//! Algorithms: one file a Markov chain on (partition, α), and the allocation step that two of them share.

pub(crate) mod allocate;
mod blocked;
mod halves;
pub(crate) mod informed;
mod marginal;
mod slice;
mod split_merge;
mod sticks;
pub(crate) mod tile;
pub(crate) mod tiling;

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use allocate::Path;
use blocked::Blocked;
use informed::Effort;
use marginal::Marginal;
use slice::Slice;
pub(crate) use slice::{draw_weights, next_fraction};
pub(crate) use sticks::{StickLaw, Sticks};
use tiling::Tiling;

use crate::checkpoint::record::damaged;
use crate::clusters::Clusters;
use crate::component::Component;
use crate::held::Held;
use crate::hyperparameters::Hyperparameters;
use crate::mixing::{Concentration, MixingPrior};
use crate::scales::{ScaleLaw, Scales};
use crate::settings::Algorithm;

/// What a chain carries from one sweep to the next: weights and atoms are drawn afresh given this.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    pub clusters: Clusters,
    pub alpha: f64,
    /// Stick position of each cluster (blocked sampler only, else empty).
    pub positions: Vec<u32>,
    /// λ, ν and Ψ, if any of them is learned.
    pub scales: Option<Scales>,
    /// Sweeps done.
    pub sweeps: u64,
}

/// The model that a chain samples from; a chain owns one, as the component holds what its clusters share.
#[derive(Debug, Clone)]
pub(crate) struct Model<'a, C> {
    pub points: Held<'a>,
    pub component: C,
    pub prior: MixingPrior,
    pub concentration: Concentration,
    /// The distribution of the scales of the component's prior.
    pub scales: ScaleLaw,
    /// Sticks of the blocked sampler.
    pub sticks: Option<usize>,
    /// How much the informed splits and merges do.
    pub effort: Effort,
    /// How the points are cut.
    pub tiling: Tiling,
    /// Weight below which the unoccupied part of a draw is not broken further.
    pub remainder: f64,
}

impl<'a, C: Component> Model<'a, C> {
    /// The model with these hyperparameters for these points.
    pub(crate) fn new(points: impl Into<Held<'a>>, hyperparameters: &Hyperparameters, remainder: f64) -> Self {
        let points = points.into();
        let component = C::new(hyperparameters, points.frame());
        Model {
            points,
            scales: ScaleLaw::new(hyperparameters, &component.scales()),
            component,
            prior: hyperparameters.prior,
            concentration: hyperparameters.concentration,
            sticks: hyperparameters.truncation,
            effort: Effort::new(points.len(), points.dim()),
            tiling: Tiling::default(),
            remainder,
        }
    }
}

impl<C: Component> Model<'_, C> {
    /// The scales where a chain starts: none if all are fixed.
    pub(crate) fn start_scales(&self) -> Option<Scales> {
        self.scales.learned.any().then(|| self.component.scales())
    }

    /// Goes on with the scales of a state, which may come from a file.
    pub(crate) fn resume_scales(&mut self, state: &State) -> Result<()> {
        let sound = match &state.scales {
            Some(scales) => self.scales.learned.any() && self.scales.is_sound(scales),
            None => !self.scales.learned.any(),
        };
        if !sound {
            return Err(damaged());
        }
        if let Some(scales) = &state.scales {
            self.component.set_scales(scales);
        }
        Ok(())
    }

    /// Updates the scales; true if any of them is learned.
    fn update_scales(&mut self, state: &mut State, rng: &mut ChaCha8Rng) -> Result<bool> {
        let learned = self.scales.update(&mut self.component, &state.clusters, rng)?;
        if learned {
            state.scales = Some(self.component.scales());
        }
        Ok(learned)
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
fn finish<C: Component>(model: &Model<'_, C>, state: &mut State) -> Result<()> {
    state.clusters.compact(&mut state.positions);
    state.sweeps += 1;
    if state.sweeps.is_multiple_of(RECOMPUTE_EVERY) {
        state.clusters.recompute(model.component.shape(), model.points, model.tiling)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
