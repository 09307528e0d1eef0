//! What splits and merges of any kind share: the two halves, the ratio that accepts them, and the state after them.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use super::sticks::{Room, StickLaw};
use super::{Model, State};
use crate::clusters::Change;
use crate::component::{Component, Posterior};

/// A part of the points of a cluster.
#[derive(Debug, Default)]
pub(super) struct Half {
    pub(super) count: u32,
    pub(super) statistic: Vec<f64>,
    pub(super) posterior: Posterior,
}

impl Half {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.statistic.fill(0.0);
    }

    pub(super) fn add<C: Component>(&mut self, component: &C, x: &[f64]) {
        self.count += 1;
        component.shape().update(&mut self.statistic, x, 1.0);
    }

    /// Adds what the points of a tile make of both halves.
    pub(super) fn take_in(halves: &mut [Half; 2], part: &Change) {
        for (half, (count, statistic)) in halves.iter_mut().zip(part.slots()) {
            half.count = half.count.wrapping_add_signed(count);
            half.statistic.iter_mut().zip(statistic).for_each(|(sum, x)| *sum += x);
        }
    }

    /// Makes it ready for predictive densities.
    pub(super) fn prepare<C: Component>(&mut self, component: &C) -> Result<()> {
        component.posterior(self.count, &self.statistic, &mut self.posterior)?;
        component.prepare(&mut self.posterior);
        Ok(())
    }
}

/// log p(split partition, data) − log p(merged partition, data). What is ready for predictive densities is so no more.
pub(super) fn log_ratio<C: Component>(
    halves: &mut [Half; 2],
    model: &Model<'_, C>,
    state: &State,
    is_split: bool,
) -> Result<f64> {
    let component = &model.component;
    let [one, two] = halves;
    let mut log = component.log_cluster(one.count, &one.statistic, &mut one.posterior)?
        + component.log_cluster(two.count, &two.statistic, &mut two.posterior)?;
    let both: Vec<f64> = one.statistic.iter().zip(&two.statistic).map(|(x, y)| x + y).collect();
    log -= component.log_cluster(one.count + two.count, &both, &mut one.posterior)?;
    let (prior, alpha) = (model.prior, state.alpha);
    let split = prior.log_partition([one.count, two.count].into_iter(), alpha);
    let merged = prior.log_partition([one.count + two.count].into_iter(), alpha);
    // the sizes of other clusters cancel; what depends on the number of clusters does not: k against k + 1 instead of 1 against 2
    let others = state.clusters.len() - if is_split { 1 } else { 2 };
    let opened = prior.new_mass(others + 1, alpha).ln() - prior.new_mass(1, alpha).ln();
    Ok(log + split - merged + opened)
}

/// The sizes of the clusters after a move, and their positions among the sticks.
#[derive(Debug, Default)]
pub(super) struct After {
    counts: Vec<u32>,
    positions: Vec<u32>,
    room: Room,
}

impl After {
    /// After cluster a was split, or clusters a and b were merged, as [`After::settle`] leaves the slots: the last cluster moves into a gap.
    pub(super) fn count(&mut self, state: &State, halves: &[Half; 2], [a, b]: [usize; 2], is_split: bool) {
        self.counts.clear();
        self.counts.extend_from_slice(&state.clusters.counts);
        let [one, two] = halves;
        if is_split {
            self.counts[a] = one.count;
            self.counts.push(two.count);
        } else {
            self.counts[a] = one.count + two.count;
            self.counts.swap_remove(b);
        }
    }

    /// New stick positions for the blocked sampler, from the untruncated law as in [`StickLaw::redraw_positions`]; returns the log
    /// of the correction for truncation. None when the proposal is lost.
    pub(super) fn propose_positions<C>(
        &mut self,
        model: &Model<'_, C>,
        state: &State,
        rng: &mut ChaCha8Rng,
    ) -> Option<f64> {
        let Some(sticks) = model.sticks else { return Some(0.0) };
        let law = StickLaw { prior: model.prior, alpha: state.alpha, sticks };
        law.propose_positions(&self.counts, &mut self.room.weights, &mut self.positions, rng)?;
        Some(
            law.log_correction(&self.counts, &self.positions)
                - law.log_correction(&state.clusters.counts, &state.positions),
        )
    }

    /// Leaves the state with these positions and without a gap, once the points are where they belong.
    pub(super) fn settle<C>(&mut self, model: &Model<'_, C>, state: &mut State) {
        if model.sticks.is_some() {
            std::mem::swap(&mut state.positions, &mut self.positions);
        }
        state.clusters.compact(&mut Vec::new());
        debug_assert_eq!(state.clusters.counts, self.counts);
    }
}
