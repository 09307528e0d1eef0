//! The allocation step: each point chooses among occupied atoms and the unoccupied weight, atoms of empty sticks integrated out.
//!
//! The state of the chain holds atoms of occupied clusters only. A point that leaves a cluster of one takes its atom with it; a
//! point that chooses unoccupied weight (with its prior predictive density) gets a new atom from the posterior given that point.
//! This is a Gibbs step on (label, atom of a cluster of one) given everything else, exact, and empty components cost nothing.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use super::tile::{Tile, Weighing};
use crate::clusters::Clusters;
use crate::component::{Component, Posterior};
use crate::points::{LANES, ScaledData};
use crate::variates::uniform;

/// The weights: of occupied slots, and of what is unoccupied.
pub(crate) trait Reservoir {
    /// Weights of the slots, and which points may see them.
    fn weighing(&self) -> Weighing<'_>;

    /// log of the unoccupied weight that each of the points from `start` on may choose.
    fn log_unoccupied(&self, start: usize, out: &mut [f64; LANES]);

    /// The same for point i when its own slot, where it is alone, counts as unoccupied too.
    fn log_unoccupied_with(&self, i: usize, own: usize) -> f64;

    /// Draws which piece of the unoccupied weight point i takes; `own` is its slot when it is alone there.
    fn pick(&mut self, i: usize, own: Option<usize>, rng: &mut ChaCha8Rng) -> Pick;

    /// The picked piece now belongs to `slot`.
    fn occupy(&mut self, slot: usize, piece: usize);

    /// `slot` is empty now: its weight is unoccupied.
    fn release(&mut self, slot: usize);
}

/// What [`Reservoir::pick`] drew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick {
    /// The point's own slot: it stays.
    Own,
    /// An unoccupied piece of weight, by the reservoir's own index.
    Piece(usize),
}

/// Which code finds the choices; the results are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// Many points at a time.
    Tiles,
    /// One point at a time, the obvious way.
    #[cfg_attr(not(test), allow(dead_code))]
    Plain,
}

/// Atoms of the occupied slots and the room to work in; nothing is allocated in a sweep once it has grown.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    pub atoms: Vec<f64>,
    /// log prior predictive density of each point.
    prior_predictive: Vec<f64>,
    uniforms: Vec<f64>,
    logits: Vec<f64>,
    tile: Tile,
    posterior: Posterior,
    nothing: Vec<f64>,
}

impl Allocation {
    /// Draws the atoms of all slots from their posterior and, where needed, prior predictive densities.
    pub(crate) fn draw_atoms<C: Component>(
        &mut self,
        component: &C,
        points: &ScaledData,
        clusters: &Clusters,
        rng: &mut ChaCha8Rng,
    ) -> Result<()> {
        let d = component.dim();
        if self.posterior.mean.len() != d {
            self.posterior = Posterior::new(d);
        }
        let len = component.shape().atom_len(d);
        self.atoms.resize(clusters.slots() * len, 0.0);
        for cluster in clusters.occupied() {
            component.posterior(cluster.count, cluster.statistic, &mut self.posterior)?;
            let atom = &mut self.atoms[cluster.slot * len..(cluster.slot + 1) * len];
            component.draw_atom(&mut self.posterior, rng, atom);
        }
        if component.has_shared() || self.prior_predictive.len() != points.len() + LANES {
            self.forget_predictive();
            self.nothing.resize(component.statistic_len(), 0.0);
            component.posterior(0, &self.nothing, &mut self.posterior)?;
            component.prepare(&mut self.posterior);
            self.prior_predictive
                .extend((0..points.len()).map(|i| component.log_predictive(&mut self.posterior, points.row(i))));
            self.prior_predictive.resize(points.len() + LANES, 0.0);
        }
        Ok(())
    }

    /// The points have changed.
    pub(crate) fn forget_predictive(&mut self) {
        self.prior_predictive.clear();
    }

    /// All points choose anew, in their order.
    pub(crate) fn reallocate<C: Component, R: Reservoir>(
        &mut self,
        path: Path,
        component: &C,
        points: &ScaledData,
        clusters: &mut Clusters,
        reservoir: &mut R,
        rng: &mut ChaCha8Rng,
    ) -> Result<()> {
        let n = points.len();
        self.uniforms.clear();
        self.uniforms.extend((0..n).map(|_| uniform(rng)));
        self.uniforms.resize(n + LANES, 0.5);
        let mut start = 0;
        while start < n {
            if path == Path::Plain {
                let choice = self.choose(start, component, points, clusters, reservoir);
                self.settle(start, choice, component, points, clusters, reservoir, rng)?;
                start += 1;
                continue;
            }
            let slots = clusters.slots();
            let empty_row = self.tile.evaluate(
                component.shape(),
                points,
                start,
                &self.atoms,
                &clusters.counts,
                reservoir.weighing(),
            );
            reservoir.log_unoccupied(start, empty_row);
            self.tile.choose(slots, &self.prior_predictive[start..start + LANES], &self.uniforms[start..start + LANES]);
            let end = (start + LANES).min(n);
            let mut i = start;
            while i < end {
                let own = clusters.labels[i] as usize;
                let alone = clusters.counts[own] == 1;
                let choice = if alone {
                    self.choose(i, component, points, clusters, reservoir)
                } else {
                    self.tile.chosen(i - start)
                };
                i += 1;
                if (choice != own) && self.settle(i - 1, choice, component, points, clusters, reservoir, rng)? {
                    break; // clusters came or went: what was evaluated for the points behind no longer holds
                }
            }
            start = i;
        }
        Ok(())
    }

    /// The slot that point i chooses (the number of slots: unoccupied weight).
    fn choose<C: Component, R: Reservoir>(
        &mut self,
        i: usize,
        component: &C,
        points: &ScaledData,
        clusters: &Clusters,
        reservoir: &R,
    ) -> usize {
        let (shape, x) = (component.shape(), points.row(i));
        let len = shape.atom_len(x.len());
        let own = clusters.labels[i] as usize;
        let alone = clusters.counts[own] == 1;
        let weighing = reservoir.weighing();
        let slots = clusters.slots();
        self.logits.clear();
        for slot in 0..slots {
            let out_of_choice = clusters.counts[slot] == 0 || (alone && slot == own) || !weighing.sees(i, slot);
            self.logits.push(if out_of_choice {
                f64::NEG_INFINITY
            } else {
                weighing.log_weights[slot] + shape.log_density(&self.atoms[slot * len..(slot + 1) * len], x)
            });
        }
        let unoccupied = if alone {
            reservoir.log_unoccupied_with(i, own)
        } else {
            let mut lanes = [0.0; LANES];
            reservoir.log_unoccupied(i, &mut lanes);
            lanes[0]
        };
        self.logits.push(self.prior_predictive[i] + unoccupied);
        let highest = self.logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for logit in &mut self.logits {
            total += (*logit - highest).exp();
            *logit = total;
        }
        let target = self.uniforms[i] * total;
        self.logits[..slots].iter().filter(|&&cumulative| cumulative <= target).count()
    }

    /// Carries out a choice; true when a cluster came or went.
    #[allow(clippy::too_many_arguments)] // one step of one loop, split off for reading
    fn settle<C: Component, R: Reservoir>(
        &mut self,
        i: usize,
        choice: usize,
        component: &C,
        points: &ScaledData,
        clusters: &mut Clusters,
        reservoir: &mut R,
        rng: &mut ChaCha8Rng,
    ) -> Result<bool> {
        let own = clusters.labels[i] as usize;
        if choice == own {
            return Ok(false);
        }
        let alone = clusters.counts[own] == 1;
        let x = points.row(i);
        if choice < clusters.slots() {
            clusters.relocate(i, choice, component, x);
            if alone {
                reservoir.release(own);
            }
            return Ok(alone);
        }
        let Pick::Piece(piece) = reservoir.pick(i, alone.then_some(own), rng) else { return Ok(false) };
        let slot = clusters.free_slot();
        clusters.relocate(i, slot, component, x);
        reservoir.occupy(slot, piece);
        if alone {
            reservoir.release(own);
        }
        let len = component.shape().atom_len(x.len());
        self.atoms.resize(clusters.slots() * len, 0.0);
        component.posterior(1, clusters.statistic(slot), &mut self.posterior)?;
        component.draw_atom(&mut self.posterior, rng, &mut self.atoms[slot * len..(slot + 1) * len]);
        Ok(true)
    }
}
