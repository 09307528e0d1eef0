//! Split and merge: two clusters become one or one becomes two in a single step, which points one by one hardly ever achieve.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use super::halves::{After, Half, log_ratio};
use super::{Model, State};
use crate::component::{Component, Posterior};
use crate::held::Rows;
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
    /// The pair, then the others.
    all: Vec<u32>,
    with_first: Vec<bool>,
    halves: [Half; 2],
    after: After,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proposal {
    Split,
    Merge,
}

/// A proposal is made in every second sweep …
const EVERY: u64 = 2;
/// … but one that concerns m points, more than this, only with probability POINTS/m, and none of more points than a tile has, which keeps the cost in
/// bounds; m is the same for a split and the merge that undoes it.
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
        let too_many = uniform(rng) * f64::from(moved) >= POINTS || model.tiling.cuts(moved as usize);
        if too_many || (a == b && full) {
            return Ok(());
        }
        self.gather(state, [first, second], rng);
        let rows = model.points.rows(&self.all)?;
        let proposal = if a == b { Proposal::Split } else { Proposal::Merge };
        let log_split = self.allocate(model, &rows, state, [first, second], proposal, rng)?;
        let log_ratio = log_ratio(&mut self.halves, model, state, a == b)?;
        let log_accept = if a == b { log_ratio - log_split } else { log_split - log_ratio };

        self.after.count(state, &self.halves, [a as usize, b as usize], a == b);
        let Some(log_places) = self.after.propose_positions(model, state, rng) else { return Ok(()) };
        if uniform(rng).ln() < log_accept + log_places {
            self.carry_out(model, &rows, state, [first, second]);
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
        self.all.clear();
        self.all.extend(pair.map(|i| i as u32));
        self.all.extend_from_slice(&self.others);
    }

    /// Allocates the other points, drawing (for a split) or following the labels (for a merge); returns the log probability.
    fn allocate<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        rows: &Rows<'_>,
        state: &State,
        pair: [usize; 2],
        proposal: Proposal,
        rng: &mut ChaCha8Rng,
    ) -> Result<f64> {
        let (component, d) = (&model.component, model.points.dim());
        for (place, half) in self.halves.iter_mut().enumerate() {
            if half.posterior.mean.len() != d {
                half.posterior = Posterior::new(d);
            }
            half.count = 0;
            half.statistic.clear();
            half.statistic.resize(component.statistic_len(), 0.0);
            add(half, component, rows.get(place, self.all[place]))?;
        }
        self.with_first.clear();
        let mut log = 0.0;
        for (place, &i) in self.all.iter().enumerate().skip(2) {
            let x = rows.get(place, i);
            let [one, two] = &mut self.halves;
            let difference = log_weight(one, model, state.alpha, x) - log_weight(two, model, state.alpha, x);
            let with_first = match proposal {
                Proposal::Split => uniform(rng) * (1.0 + (-difference).exp()) < 1.0,
                Proposal::Merge => state.clusters.labels[i as usize] == state.clusters.labels[pair[0]],
            };
            // log p = −log(1 + e^{∓difference})
            let exponent = if with_first { -difference } else { difference };
            log -= if exponent > 700.0 { exponent } else { exponent.exp().ln_1p() };
            self.with_first.push(with_first);
            add(&mut self.halves[usize::from(!with_first)], component, x)?;
        }
        Ok(log)
    }

    fn carry_out<C: Component>(&mut self, model: &Model<'_, C>, rows: &Rows<'_>, state: &mut State, pair: [usize; 2]) {
        let (shape, clusters) = (model.component.shape(), &mut state.clusters);
        let (a, b) = (clusters.labels[pair[0]] as usize, clusters.labels[pair[1]] as usize);
        let to = if a == b { clusters.free_slot() } else { a };
        clusters.relocate(pair[1], to, shape, rows.get(1, self.all[1]));
        for (place, (&i, &with_first)) in (2..).zip(self.others.iter().zip(&self.with_first)) {
            if !with_first {
                clusters.relocate(i as usize, to, shape, rows.get(place, i));
            }
        }
        self.after.settle(model, state);
    }
}

/// Adds a point and makes the half ready for the next.
fn add<C: Component>(half: &mut Half, component: &C, x: &[f64]) -> Result<()> {
    half.add(component, x);
    half.prepare(component)
}

/// log of urn weight times predictive density.
fn log_weight<C: Component>(half: &mut Half, model: &Model<'_, C>, alpha: f64, x: &[f64]) -> f64 {
    model.prior.cluster_mass(half.count, alpha).ln() + model.component.log_predictive(&mut half.posterior, x)
}
