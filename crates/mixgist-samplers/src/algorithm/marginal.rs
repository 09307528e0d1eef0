//! Marginal (collapsed) Gibbs: every point in turn leaves its cluster and chooses again by urn weight times predictive density.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use super::informed::Informed;
use super::split_merge::SplitMerge;
use super::{Model, Sampler, State, finish};
use crate::component::{Component, Posterior};
use crate::concentration;
use crate::variates::category;

/// Neal's (2000) algorithm 3, with the predictive density of a point's own cluster obtained without taking the point out.
#[derive(Debug, Default)]
pub(crate) struct Marginal {
    posteriors: Vec<Posterior>,
    weights: Vec<f64>,
    empty: Posterior,
    nothing: Vec<f64>,
    split_merge: SplitMerge,
    informed: Informed,
}

impl<C: Component> Sampler<C> for Marginal {
    fn sweep(&mut self, model: &mut Model<'_, C>, state: &mut State, rng: &mut ChaCha8Rng) -> Result<()> {
        let (points, prior) = (model.points.in_memory()?, model.prior);
        model.component.draw_shared(&state.clusters, rng)?;
        self.split_merge.step(model, state, rng)?;
        self.informed.step(model, state, rng)?;
        model.update_scales(state, rng)?;
        state.alpha = concentration::given_partition(prior, model.concentration, state.alpha, &state.clusters, rng);
        let component = &model.component;
        if self.nothing.is_empty() {
            self.nothing.resize(component.statistic_len(), 0.0);
            self.empty = Posterior::new(component.dim());
        }
        component.posterior(0, &self.nothing, &mut self.empty)?;
        component.prepare(&mut self.empty);
        for slot in 0..state.clusters.slots() {
            self.refresh(slot, component, state)?;
        }
        for i in 0..points.len() {
            let x = points.row(i);
            let own = state.clusters.labels[i] as usize;
            let alone = state.clusters.counts[own] == 1;
            let slots = state.clusters.slots();
            self.weights.clear();
            for slot in 0..slots {
                let count = state.clusters.counts[slot];
                let log = if count == 0 || (slot == own && alone) {
                    f64::NEG_INFINITY
                } else if slot == own {
                    prior.cluster_mass(count - 1, state.alpha).ln()
                        + component.log_predictive_without(&mut self.posteriors[slot], x)
                } else {
                    prior.cluster_mass(count, state.alpha).ln()
                        + component.log_predictive(&mut self.posteriors[slot], x)
                };
                self.weights.push(log);
            }
            let others = state.clusters.len() - usize::from(alone);
            self.weights.push(prior.new_mass(others, state.alpha).ln() + component.log_predictive(&mut self.empty, x));
            let highest = self.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            self.weights.iter_mut().for_each(|w| *w = (*w - highest).exp());

            let choice = category(&self.weights, rng);
            if choice == own || (choice == slots && alone) {
                continue;
            }
            let to = if choice == slots { state.clusters.free_slot() } else { choice };
            state.clusters.relocate(i, to, component.shape(), x);
            if !alone {
                self.refresh(own, component, state)?;
            }
            self.refresh(to, component, state)?;
        }
        finish(model, state)
    }
}

impl Marginal {
    fn refresh<C: Component>(&mut self, slot: usize, component: &C, state: &State) -> Result<()> {
        while self.posteriors.len() <= slot {
            self.posteriors.push(Posterior::new(component.dim()));
        }
        let posterior = &mut self.posteriors[slot];
        component.posterior(state.clusters.counts[slot], state.clusters.statistic(slot), posterior)?;
        component.prepare(posterior);
        Ok(())
    }
}
