//! A draw of the mixing measure G given the partition and the data: what a chain adds to the ensemble.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use crate::algorithm::{Model, State, StickLaw, Sticks, draw_weights, next_fraction};
use crate::component::{Component, Posterior};
use crate::draws::ChainDraws;
use crate::settings::MAX_STICKS;

/// Draws G from p(G given partition, data) and appends it with the labels, which name atoms of the draw.
///
/// The blocked sampler gives its K sticks in stick order. The others give the occupied atoms first, then the unoccupied part
/// stick by stick until less than the remainder is left, which the last stick takes. Atoms whose weight underflows are left out.
pub(crate) fn impute<C: Component>(
    model: &mut Model<'_, C>,
    state: &State,
    rng: &mut ChaCha8Rng,
    draws: &mut ChainDraws,
) -> Result<()> {
    model.component.draw_shared(&state.clusters, rng)?;
    let component = &model.component;
    let clusters = &state.clusters;
    let (mut weights, mut slot_of) = (Vec::new(), Vec::new());
    if let Some(sticks) = model.sticks {
        let law = StickLaw { prior: model.prior, alpha: state.alpha, sticks };
        let mut broken = Sticks::new(law);
        broken.draw(law, clusters, &state.positions, rng);
        weights.extend_from_slice(broken.complete(rng));
        slot_of.resize(weights.len(), None);
        state.positions.iter().enumerate().for_each(|(slot, &p)| slot_of[p as usize] = Some(slot));
        draws.sticks = draws.sticks.max(sticks as u64);
        draws.on_last_stick += u64::from(slot_of.last().is_some_and(Option::is_some));
    } else {
        let mut rest = draw_weights(model.prior, state.alpha, clusters, &mut weights, rng);
        slot_of.extend((0..clusters.len()).map(Some));
        while rest > 0.0 {
            let limit = model.prior.limit().unwrap_or(usize::MAX);
            let last =
                rest < model.remainder && model.prior.limit().is_none() || weights.len() + 1 >= limit.min(MAX_STICKS);
            if last && model.prior.limit().is_none() {
                draws.unresolved = draws.unresolved.max(rest);
            }
            let fraction = next_fraction(model.prior, state.alpha, weights.len(), rng);
            weights.push(if last { rest } else { rest * fraction.taken });
            slot_of.push(None);
            rest *= if last { 0.0 } else { fraction.rest };
        }
    }

    let shape = component.shape();
    let mut atom = vec![0.0; shape.atom_len(component.dim())];
    let mut posterior = Posterior::new(component.dim());
    let nothing = vec![0.0; component.statistic_len()];
    let mut atom_of = vec![0u32; clusters.len()];
    let mut kept = 0u32;
    for (&weight, &slot) in weights.iter().zip(&slot_of) {
        if weight <= 0.0 && slot.is_none() {
            continue;
        }
        match slot {
            Some(slot) => component.posterior(clusters.counts[slot], clusters.statistic(slot), &mut posterior)?,
            None => component.posterior(0, &nothing, &mut posterior)?,
        }
        component.draw_atom(&mut posterior, rng, &mut atom);
        shape.export(&atom, model.points.frame(), &mut draws.means, &mut draws.covariances);
        // an occupied atom stays even if its weight underflows, as labels name it
        draws.weights.push(weight.max(f64::MIN_POSITIVE));
        if let Some(slot) = slot {
            atom_of[slot] = kept;
        }
        kept += 1;
    }
    draws.offsets.push(draws.weights.len());
    draws.labels.extend(clusters.labels.iter().map(|&slot| atom_of[slot as usize]));
    Ok(())
}

/// log p(data, partition given α) + log p(α), up to a constant: the trace that chains are compared by.
///
/// Under truncation the distribution of the partition is that of the untruncated prior, from which it differs by the weight cut off.
pub(crate) fn log_posterior<C: Component>(model: &Model<'_, C>, state: &State) -> Result<f64> {
    let jacobian = state.clusters.points() as f64 * model.points.frame().log_jacobian();
    Ok(model.component.log_marginal(&state.clusters)?
        + jacobian
        + model.prior.log_partition(state.clusters.sizes(), state.alpha)
        + model.concentration.log_density(state.alpha)
        + state.scales.as_ref().map_or(0.0, |scales| model.scales.log_density(scales)))
}

#[cfg(test)]
mod tests;
