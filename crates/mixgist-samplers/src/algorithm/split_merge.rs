//! Split and merge: two clusters become one or one becomes two in a single step, which points one by one hardly ever achieve.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use super::sticks::{Room, StickLaw};
use super::{Model, State};
use crate::component::{Component, Posterior};
use crate::variates::uniform;

/// The sequentially allocated merge-split sampler of Dahl (2005), parameters and weights integrated out.
///
/// Two points are chosen at random. If they share a cluster, it is proposed to be split: each point begins a cluster of its own,
/// and the others join one of them in random order, by urn weight times predictive density. If they do not, their clusters
/// are proposed to be merged, and the probability of the split that would undo it is computed the same way.
#[derive(Debug, Default)]
pub(crate) struct SplitMerge {
    /// The other points of the cluster or clusters, in random order, and whether each goes with the first point.
    others: Vec<u32>,
    with_first: Vec<bool>,
    halves: [Half; 2],
    room: Room,
    positions: Vec<u32>,
    counts: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proposal {
    Split,
    Merge,
}

#[derive(Debug, Default)]
struct Half {
    count: u32,
    statistic: Vec<f64>,
    posterior: Posterior,
}

/// A proposal is made in every second sweep …
const EVERY: u64 = 2;
/// … but one that concerns m points, more than this, only with probability POINTS/m, which keeps the cost in bounds; m is
/// the same for a split and the merge that undoes it.
const POINTS: f64 = 1_000.0;

impl SplitMerge {
    /// Makes a proposal when its turn has come. The state must be compact.
    pub(crate) fn step<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        state: &mut State,
        rng: &mut ChaCha8Rng,
    ) -> Result<()> {
        let n = model.points.len();
        if n < 2 || !state.sweeps.is_multiple_of(EVERY) {
            return Ok(());
        }
        let first = ((uniform(rng) * n as f64) as usize).min(n - 1);
        let second = (first + 1 + ((uniform(rng) * (n - 1) as f64) as usize).min(n - 2)) % n;
        let (a, b) = (state.clusters.labels[first], state.clusters.labels[second]);
        let (count_a, count_b) = (state.clusters.counts[a as usize], state.clusters.counts[b as usize]);
        let moved = if a == b { count_a } else { count_a + count_b };
        let full = model.sticks.or(model.prior.limit()).is_some_and(|limit| state.clusters.len() >= limit);
        if uniform(rng) * f64::from(moved) >= POINTS || (a == b && full) {
            return Ok(());
        }
        self.gather(state, [first, second], rng);
        let log_split =
            self.allocate(model, state, [first, second], if a == b { Proposal::Split } else { Proposal::Merge }, rng)?;
        let log_ratio = self.log_ratio(model, state, a == b)?;
        let log_accept = if a == b { log_ratio - log_split } else { log_split - log_ratio };

        self.counts.clear();
        self.counts.extend_from_slice(&state.clusters.counts);
        if a == b {
            self.counts[a as usize] = self.halves[0].count;
            self.counts.push(self.halves[1].count);
        } else {
            self.counts[a as usize] = moved;
            self.counts.swap_remove(b as usize);
        }
        let Some(log_places) = self.propose_positions(model, state, rng) else { return Ok(()) };
        if uniform(rng).ln() < log_accept + log_places {
            self.carry_out(model, state, [first, second]);
        }
        Ok(())
    }

    /// The points that share a cluster with one of the pair, shuffled.
    fn gather(&mut self, state: &State, pair: [usize; 2], rng: &mut ChaCha8Rng) {
        let labels = &state.clusters.labels;
        let (a, b) = (labels[pair[0]], labels[pair[1]]);
        self.others.clear();
        for (i, &label) in labels.iter().enumerate() {
            if (label == a || label == b) && i != pair[0] && i != pair[1] {
                self.others.push(i as u32);
            }
        }
        for last in (1..self.others.len()).rev() {
            let other = ((uniform(rng) * (last + 1) as f64) as usize).min(last);
            self.others.swap(last, other);
        }
    }

    /// Allocates the other points, drawing (for a split) or following the labels (for a merge); returns the log probability.
    fn allocate<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        state: &State,
        pair: [usize; 2],
        proposal: Proposal,
        rng: &mut ChaCha8Rng,
    ) -> Result<f64> {
        let (component, points, d) = (&model.component, model.points, model.points.dim());
        for (half, &i) in self.halves.iter_mut().zip(&pair) {
            if half.posterior.mean.len() != d {
                half.posterior = Posterior::new(d);
            }
            half.count = 0;
            half.statistic.clear();
            half.statistic.resize(component.statistic_len(), 0.0);
            half.add(component, points.row(i))?;
        }
        self.with_first.clear();
        let mut log = 0.0;
        for &i in &self.others {
            let x = points.row(i as usize);
            let [one, two] = &mut self.halves;
            let difference = one.log_weight(model, state.alpha, x) - two.log_weight(model, state.alpha, x);
            let with_first = match proposal {
                Proposal::Split => uniform(rng) * (1.0 + (-difference).exp()) < 1.0,
                Proposal::Merge => state.clusters.labels[i as usize] == state.clusters.labels[pair[0]],
            };
            // log p = −log(1 + e^{∓difference})
            let exponent = if with_first { -difference } else { difference };
            log -= if exponent > 700.0 { exponent } else { exponent.exp().ln_1p() };
            self.with_first.push(with_first);
            self.halves[usize::from(!with_first)].add(component, x)?;
        }
        Ok(log)
    }

    /// log p(split partition, data) − log p(merged partition, data).
    fn log_ratio<C: Component>(&mut self, model: &Model<'_, C>, state: &State, is_split: bool) -> Result<f64> {
        let component = &model.component;
        let [one, two] = &mut self.halves;
        let mut log = component.log_cluster(one.count, &one.statistic, &mut one.posterior)?
            + component.log_cluster(two.count, &two.statistic, &mut two.posterior)?;
        let (count_one, count_two) = (one.count, two.count);
        for (sum, part) in one.statistic.iter_mut().zip(&two.statistic) {
            *sum += part;
        }
        log -= component.log_cluster(count_one + count_two, &one.statistic, &mut one.posterior)?;
        let (prior, alpha) = (model.prior, state.alpha);
        let split = prior.log_partition([count_one, count_two].into_iter(), alpha);
        let merged = prior.log_partition([count_one + count_two].into_iter(), alpha);
        // the sizes of other clusters cancel; what depends on the number of clusters does not: k against k + 1 instead of 1 against 2
        let others = state.clusters.len() - if is_split { 1 } else { 2 };
        let opened = prior.new_mass(others + 1, alpha).ln() - prior.new_mass(1, alpha).ln();
        Ok(log + split - merged + opened)
    }

    /// New stick positions for the blocked sampler, from the untruncated law as in [`StickLaw::redraw_positions`]; returns the log
    /// of the correction for truncation. None when the proposal is lost.
    fn propose_positions<C>(&mut self, model: &Model<'_, C>, state: &State, rng: &mut ChaCha8Rng) -> Option<f64> {
        let Some(sticks) = model.sticks else { return Some(0.0) };
        let law = StickLaw { prior: model.prior, alpha: state.alpha, sticks };
        law.propose_positions(&self.counts, &mut self.room.weights, &mut self.positions, rng)?;
        Some(
            law.log_correction(&self.counts, &self.positions)
                - law.log_correction(&state.clusters.counts, &state.positions),
        )
    }

    fn carry_out<C: Component>(&mut self, model: &Model<'_, C>, state: &mut State, pair: [usize; 2]) {
        let (component, points, clusters) = (&model.component, model.points, &mut state.clusters);
        let (a, b) = (clusters.labels[pair[0]] as usize, clusters.labels[pair[1]] as usize);
        let to = if a == b { clusters.free_slot() } else { a };
        clusters.relocate(pair[1], to, component, points.row(pair[1]));
        for (&i, &with_first) in self.others.iter().zip(&self.with_first) {
            if !with_first {
                clusters.relocate(i as usize, to, component, points.row(i as usize));
            }
        }
        if model.sticks.is_some() {
            std::mem::swap(&mut state.positions, &mut self.positions);
        }
        // counts were arranged as this leaves the slots: the last cluster moves into the gap; positions know it already
        clusters.compact(&mut Vec::new());
        debug_assert_eq!(clusters.counts, self.counts);
    }
}

impl Half {
    fn add<C: Component>(&mut self, component: &C, x: &[f64]) -> Result<()> {
        self.count += 1;
        component.update(&mut self.statistic, x, 1.0);
        component.posterior(self.count, &self.statistic, &mut self.posterior)?;
        component.prepare(&mut self.posterior);
        Ok(())
    }

    /// log of urn weight times predictive density.
    fn log_weight<C: Component>(&mut self, model: &Model<'_, C>, alpha: f64, x: &[f64]) -> f64 {
        model.prior.cluster_mass(self.count, alpha).ln() + model.component.log_predictive(&mut self.posterior, x)
    }
}
