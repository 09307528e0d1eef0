//! The allocation step: each point chooses among occupied atoms and the unoccupied weight, atoms of empty sticks integrated out.
//!
//! The state of the chain holds atoms of occupied clusters only. A point that leaves a cluster of one takes its atom with it; a
//! point that chooses unoccupied weight (with its prior predictive density) gets a new atom from the posterior given that point.
//! This is a Gibbs step on (label, atom of a cluster of one) given everything else, exact, and empty components cost nothing.

use std::ops::Range;

use mixgist::Result;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::Model;
use super::tile::{Tile, Weighing};
use crate::clusters::Clusters;
use crate::component::{AtomShape, Component, Posterior};
use crate::points::{LANES, ScaledData};
use crate::tiles::{Choice, Question, TileInput};
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

    /// The weight of a slot.
    fn weight(&self, slot: usize) -> f64;

    /// The unoccupied pieces of at least this weight, in an order in which each can be occupied after the others.
    fn pieces_above(&mut self, floor: f64, rng: &mut ChaCha8Rng) -> Vec<usize>;
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

/// What has less than this many times the weight of a point is closed to points that choose at once.
const LIGHTEST: f64 = 0.5;

/// Atoms of the occupied slots and the room to work in; nothing is allocated in a sweep once it has grown.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    pub atoms: Vec<f64>,
    /// The points that choose in turn begin here; the next two hold numbers for them.
    first: usize,
    /// log prior predictive density of each of them.
    prior_predictive: Vec<f64>,
    uniforms: Vec<f64>,
    logits: Vec<f64>,
    tile: Tile,
    posterior: Posterior,
    nothing: Vec<f64>,
}

impl Allocation {
    /// Draws the atoms of all slots from their posterior.
    pub(crate) fn draw_atoms<C: Component>(
        &mut self,
        component: &C,
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
        Ok(())
    }

    /// Prior predictive densities of these points, where they are not known.
    fn predict<C: Component>(
        &mut self,
        component: &C,
        points: &ScaledData,
        range: Range<usize>,
        first: usize,
    ) -> Result<()> {
        let known = self.first == range.start && self.prior_predictive.len() == range.len() + LANES;
        if component.has_shared() || !known {
            self.forget_predictive();
            self.first = range.start;
            self.nothing.resize(component.statistic_len(), 0.0);
            component.posterior(0, &self.nothing, &mut self.posterior)?;
            component.prepare(&mut self.posterior);
            let len = range.len();
            let log = |i: usize| component.log_predictive(&mut self.posterior, points.row(i - first));
            self.prior_predictive.extend(range.map(log));
            self.prior_predictive.resize(len + LANES, 0.0);
        }
        Ok(())
    }

    /// The points have changed.
    pub(crate) fn forget_predictive(&mut self) {
        self.prior_predictive.clear();
    }

    /// All points choose anew: in their order, or, if there is more than one tile, those of one tile in their order and then all others at once.
    pub(crate) fn reallocate<C: Component, R: Reservoir>(
        &mut self,
        path: Path,
        model: &Model<'_, C>,
        sweep: u64,
        clusters: &mut Clusters,
        reservoir: &mut R,
        rng: &mut ChaCha8Rng,
    ) -> Result<()> {
        let (n, size) = (model.points.len(), model.tiling.size);
        if !model.tiling.cuts(n) {
            return self.in_turn(path, model, 0..n, clusters, reservoir, rng);
        }
        let turn = (sweep % n.div_ceil(size) as u64) as usize;
        self.in_turn(path, model, turn * size..n.min((turn + 1) * size), clusters, reservoir, rng)?;
        self.at_once(path, model, turn, clusters, reservoir, rng)
    }

    /// These points choose one after the other among all clusters and new ones.
    fn in_turn<C: Component, R: Reservoir>(
        &mut self,
        path: Path,
        model: &Model<'_, C>,
        range: Range<usize>,
        clusters: &mut Clusters,
        reservoir: &mut R,
        rng: &mut ChaCha8Rng,
    ) -> Result<()> {
        let (component, n) = (&model.component, range.end);
        let (points, first) = model.points.range(range.clone())?;
        let points = &*points;
        self.predict(component, points, range.clone(), first)?;
        self.uniforms.clear();
        self.uniforms.extend(range.clone().map(|_| uniform(rng)));
        self.uniforms.resize(range.len() + LANES, 0.5);
        let mut start = range.start;
        while start < n {
            if path == Path::Plain {
                let x = points.row(start - first);
                let choice = self.choose(start, component, x, clusters, reservoir);
                self.settle(start, choice, component, x, clusters, reservoir, rng)?;
                start += 1;
                continue;
            }
            let slots = clusters.slots();
            let empty_row = self.tile.evaluate(
                component.shape(),
                points,
                start - first,
                &self.atoms,
                &clusters.counts,
                reservoir.weighing().from(start),
            );
            reservoir.log_unoccupied(start, empty_row);
            let lanes = start - self.first..start - self.first + LANES;
            self.tile.choose(slots, &self.prior_predictive[lanes.clone()], &self.uniforms[lanes]);
            let end = (start + LANES).min(n);
            let mut i = start;
            while i < end {
                let own = clusters.labels[i] as usize;
                let alone = clusters.counts[own] == 1;
                let x = points.row(i - first);
                let choice =
                    if alone { self.choose(i, component, x, clusters, reservoir) } else { self.tile.chosen(i - start) };
                i += 1;
                if (choice != own) && self.settle(i - 1, choice, component, x, clusters, reservoir, rng)? {
                    break; // clusters came or went: what was evaluated for the points behind no longer holds
                }
            }
            start = i;
        }
        Ok(())
    }

    /// The points of all tiles but one choose at once, given weights and atoms: whatever is heavy enough, occupied or not, is open to them.
    ///
    /// Given the weights, which stay as they are, it is known what is open: pieces of at least [`LIGHTEST`] over n. Empty ones get atoms from the
    /// prior. Then labels of points in open pieces are independent, and each is drawn from its conditional distribution among open pieces;
    /// other points stay. A new cluster hardly ever begins like this, but it does where points choose in turn, and with splits.
    fn at_once<C: Component, R: Reservoir>(
        &mut self,
        path: Path,
        model: &Model<'_, C>,
        turn: usize,
        clusters: &mut Clusters,
        reservoir: &mut R,
        rng: &mut ChaCha8Rng,
    ) -> Result<()> {
        let (component, n) = (&model.component, model.points.len());
        let (shape, len) = (component.shape(), component.shape().atom_len(model.points.dim()));
        let floor = LIGHTEST / n as f64;
        let old = clusters.slots();
        let pieces = reservoir.pieces_above(floor, rng);
        clusters.append_slots(pieces.len());
        self.atoms.resize(clusters.slots() * len, 0.0);
        for (slot, piece) in (old..).zip(pieces) {
            reservoir.occupy(slot, piece);
            component.posterior(0, &self.nothing, &mut self.posterior)?;
            component.draw_atom(&mut self.posterior, rng, &mut self.atoms[slot * len..(slot + 1) * len]);
        }
        let had: Vec<bool> = (0..clusters.slots()).map(|slot| slot >= old || clusters.counts[slot] > 0).collect();
        let open: Vec<u32> =
            had.iter().enumerate().map(|(slot, &had)| u32::from(had && reservoir.weight(slot) >= floor)).collect();

        let (weighing, size) = (reservoir.weighing(), model.tiling.size);
        let slots = open.len();
        let choice = Question::Choose(Choice {
            atoms: self.atoms.clone(),
            log_weights: weighing.log_weights.to_vec(),
            heights: weighing.slices.map_or_else(Vec::new, |slices| slices.heights.to_vec()),
            open,
            key: rng.next_u64(),
            plain: path == Path::Plain,
        });
        let mut inputs = TileInput::of_all(&clusters.labels, size);
        inputs.retain(|input| input.tile != turn);
        if let Some(slices) = weighing.slices {
            for input in &mut inputs {
                let start = input.tile * size;
                input.thresholds = slices.thresholds[start..start + input.numbers.0.len() + LANES].into();
            }
        }
        let tiles: Vec<usize> = inputs.iter().map(|input| input.tile).collect();
        let answers = model.points.ask(shape, model.tiling, &choice, inputs)?;
        for (tile, answer) in tiles.into_iter().zip(answers) {
            let own = &mut clusters.labels[tile * size..n.min((tile + 1) * size)];
            let (labels, change) = answer.into_labels(own.len(), slots, clusters.stride)?;
            own.copy_from_slice(&labels);
            clusters.take_in(&change);
        }
        clusters.settle();
        (0..had.len()).filter(|&slot| had[slot] && clusters.counts[slot] == 0).for_each(|slot| reservoir.release(slot));
        Ok(())
    }

    /// The slot that point i chooses (the number of slots: unoccupied weight).
    fn choose<C: Component, R: Reservoir>(
        &mut self,
        i: usize,
        component: &C,
        x: &[f64],
        clusters: &Clusters,
        reservoir: &R,
    ) -> usize {
        let shape = component.shape();
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
        self.logits.push(self.prior_predictive[i - self.first] + unoccupied);
        let highest = self.logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for logit in &mut self.logits {
            total += (*logit - highest).exp();
            *logit = total;
        }
        let target = self.uniforms[i - self.first] * total;
        self.logits[..slots].iter().filter(|&&cumulative| cumulative <= target).count()
    }

    /// Carries out a choice; true when a cluster came or went.
    #[allow(clippy::too_many_arguments)] // one step of one loop, split off for reading
    fn settle<C: Component, R: Reservoir>(
        &mut self,
        i: usize,
        choice: usize,
        component: &C,
        x: &[f64],
        clusters: &mut Clusters,
        reservoir: &mut R,
        rng: &mut ChaCha8Rng,
    ) -> Result<bool> {
        let own = clusters.labels[i] as usize;
        if choice == own {
            return Ok(false);
        }
        let alone = clusters.counts[own] == 1;
        if choice < clusters.slots() {
            clusters.relocate(i, choice, component.shape(), x);
            if alone {
                reservoir.release(own);
            }
            return Ok(alone);
        }
        let Pick::Piece(piece) = reservoir.pick(i, alone.then_some(own), rng) else { return Ok(false) };
        let slot = clusters.free_slot();
        clusters.relocate(i, slot, component.shape(), x);
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

/// The open slot that point i chooses with this uniform number, the obvious way.
pub(crate) fn choose_among(
    open: &[u32],
    shape: AtomShape,
    atoms: &[f64],
    weighing: Weighing<'_>,
    i: usize,
    x: &[f64],
    uniform: f64,
) -> usize {
    let len = shape.atom_len(x.len());
    let log = |slot: usize| match open[slot] > 0 && weighing.sees(i, slot) {
        true => weighing.log_weights[slot] + shape.log_density(&atoms[slot * len..(slot + 1) * len], x),
        false => f64::NEG_INFINITY,
    };
    let logs: Vec<f64> = (0..open.len()).map(log).collect();
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    let cumulative: Vec<f64> = logs
        .iter()
        .map(|log| {
            total += (log - highest).exp();
            total
        })
        .collect();
    cumulative.iter().filter(|&&sum| sum <= uniform * total).count()
}
