//! Blocked Gibbs with truncated stick-breaking: positions, sticks and atoms given the partition, then all labels given those.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use super::allocate::{Allocation, Path};
use super::informed::Informed;
use super::split_merge::SplitMerge;
use super::sticks::{Room, StickLaw, Sticks};
use super::{Model, Sampler, State, finish};
use crate::component::Component;
use crate::concentration;

/// The truncated sampler of Ishwaran and James (2001), with stick positions redrawn in every sweep and the atoms of empty
/// sticks integrated out.
#[derive(Debug)]
pub(crate) struct Blocked {
    path: Path,
    allocation: Allocation,
    sticks: Option<Sticks>,
    room: Room,
    split_merge: SplitMerge,
    informed: Informed,
}

impl Blocked {
    pub(crate) fn new(path: Path) -> Self {
        Blocked {
            path,
            allocation: Allocation::default(),
            sticks: None,
            room: Room::default(),
            split_merge: SplitMerge::default(),
            informed: Informed::default(),
        }
    }
}

impl<C: Component> Sampler<C> for Blocked {
    fn sweep(&mut self, model: &mut Model<'_, C>, state: &mut State, rng: &mut ChaCha8Rng) -> Result<()> {
        model.component.draw_shared(&state.clusters, rng)?;
        self.split_merge.step(model, state, rng)?;
        self.informed.step(model, state, rng)?;
        if model.update_scales(state, rng)? {
            self.allocation.forget_predictive();
        }
        let law = stick_law(model, state);
        law.redraw_positions(&state.clusters.counts, &mut state.positions, &mut self.room, rng);
        let sticks = self.sticks.get_or_insert_with(|| Sticks::new(law));
        sticks.draw(law, &state.clusters, &state.positions, rng);
        if model.prior.discount() > 0.0 {
            // under Pitman-Yor positions reach far, and proposals beyond the last stick are lost
            sticks.swap_labels(&state.clusters, rng);
        }
        state.alpha = match model.prior.limit() {
            Some(_) => state.alpha, // done below, given the partition alone
            None => {
                let broken = sticks.fractions.len().min(law.sticks - 1);
                concentration::given_sticks(
                    model.prior,
                    model.concentration,
                    state.alpha,
                    &sticks.fractions[..broken],
                    rng,
                )
            }
        };
        sticks.set_alpha(state.alpha);

        self.allocation.draw_atoms(&model.component, &state.clusters, rng)?;
        self.allocation.reallocate(self.path, model, state.sweeps, &mut state.clusters, sticks, rng)?;
        state.positions.clear();
        state.positions.extend_from_slice(&sticks.positions);
        finish(model, state)?;
        if model.prior.limit().is_some() {
            state.alpha =
                concentration::given_partition(model.prior, model.concentration, state.alpha, &state.clusters, rng);
        }
        Ok(())
    }

    fn forget_points(&mut self) {
        self.allocation.forget_predictive();
    }
}

/// The distribution of the sticks in this state.
pub(crate) fn stick_law<C>(model: &Model<'_, C>, state: &State) -> StickLaw {
    StickLaw { prior: model.prior, alpha: state.alpha, sticks: model.sticks.unwrap_or(1) }
}
