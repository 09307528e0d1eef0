//! Splits and merges whose proposals look at the data: for dimensions and numbers of points in which those that begin with two points at random fail.

use mixgist::{Error, Result};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::halves::{After, Half, log_ratio};
use super::{Model, State};
use crate::component::{Component, Posterior};
use crate::held::Rows;
use crate::tiles::{Halves, Launch, Question, TileInput};
use crate::variates::{category, uniform};

/// Parameters and weights are integrated out.
///
/// A point is chosen at random, its cluster A or, if it is to be merged, A and a cluster B that the point might have chosen instead: B with
/// probability π(B), proportional to urn weight times predictive density. Of the points of A, or of both, a *launch* is made that does not know
/// how they are divided: two seeds at random, then a few rounds in which each point goes to the likelier half. Given the launch, each point is in
/// either half with probability q, independently, its own place in the launch not counted; a split draws from q, and a merge asks q for the probability of the split that would undo it:
///
/// accept a split with p(split)/p(merged) · π(B) / q(split), a merge with the inverse.
///
/// Where there are more points than a tile, and more of them in the clusters than a launch begins with, q has normal densities in place of predictive
/// ones, with atoms drawn given the launch: they are part of the launch, and tiles of points are looked at by vectors and threads. Such a proposal about m of n
/// points is made with probability n/2m at most, which keeps the cost in bounds; m is the same for a split and the merge that undoes it.
#[derive(Debug, Default)]
pub(crate) struct Informed {
    /// The points of the cluster or clusters, and the half of each.
    members: Vec<u32>,
    in_second: Vec<bool>,
    /// The points that the launch begins with; the half of each, in the end of all.
    sample: Vec<u32>,
    launched: Vec<bool>,
    precisions: Vec<f64>,
    /// Atoms of the launch, for tiles of points.
    atoms: [Vec<f64>; 2],
    /// The launch, and the halves that were drawn or are there.
    launch: [Half; 2],
    halves: [Half; 2],
    /// Posteriors of all clusters, ready for predictive densities.
    posteriors: Vec<Posterior>,
    weights: Vec<f64>,
    after: After,
}

/// How many proposals a sweep makes, and how many points a launch begins with at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    pub proposals: usize,
    pub sample: usize,
}

impl Effort {
    /// Depends on the data alone. None in one and two dimensions with few points, where two points at random do better for what they cost.
    pub(crate) fn new(n: usize, d: usize) -> Self {
        let proposals = match (n, d) {
            (10_001.., _) => 1,
            (_, 0..=2) => 0,
            _ => d.min(10),
        };
        Effort { proposals, sample: 256 }
    }
}

/// Rounds of a launch.
const ROUNDS: usize = 6;

impl Informed {
    /// Makes proposals. The state must be compact.
    pub(crate) fn step<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        state: &mut State,
        rng: &mut ChaCha8Rng,
    ) -> Result<()> {
        if model.points.len() < 2 || model.effort.proposals == 0 {
            return Ok(());
        }
        self.begin(model, state)?;
        for _ in 0..model.effort.proposals {
            self.propose(model, state, rng)?;
        }
        Ok(())
    }

    fn begin<C: Component>(&mut self, model: &Model<'_, C>, state: &State) -> Result<()> {
        let (component, d) = (&model.component, model.points.dim());
        for half in self.launch.iter_mut().chain(&mut self.halves) {
            if half.posterior.mean.len() != d {
                half.posterior = Posterior::new(d);
            }
            half.statistic.resize(component.statistic_len(), 0.0);
        }
        while self.posteriors.len() < state.clusters.slots() {
            self.posteriors.push(Posterior::new(d));
        }
        for slot in 0..state.clusters.slots() {
            self.refresh(slot, component, state)?;
        }
        Ok(())
    }

    fn refresh<C: Component>(&mut self, slot: usize, component: &C, state: &State) -> Result<()> {
        let posterior = &mut self.posteriors[slot];
        component.posterior(state.clusters.counts[slot], state.clusters.statistic(slot), posterior)?;
        component.prepare(posterior);
        Ok(())
    }

    fn propose<C: Component>(&mut self, model: &Model<'_, C>, state: &mut State, rng: &mut ChaCha8Rng) -> Result<()> {
        let n = model.points.len();
        let chosen = pick(n, rng);
        let a = state.clusters.labels[chosen] as usize;
        let is_split = uniform(rng) < 0.5;
        let limit = model.sticks.or(model.prior.limit()).unwrap_or(usize::MAX);
        let possible = if is_split {
            state.clusters.counts[a] > 1 && state.clusters.len() < limit
        } else {
            state.clusters.len() > 1
        };
        if !possible {
            return Ok(());
        }
        let (b, mut log_choice) = if is_split {
            (a, 0.0)
        } else {
            let row = model.points.rows(&[chosen as u32])?;
            self.weigh_others(model, state, a, row.get(0, chosen as u32));
            let b = category(&self.weights, rng);
            (b, (self.weights[b] / self.weights.iter().sum::<f64>()).ln())
        };
        let size = state.clusters.counts[a] + if is_split { 0 } else { state.clusters.counts[b] };
        if model.tiling.cuts(n) && uniform(rng) * 2.0 * f64::from(size) >= n as f64 {
            return Ok(());
        }
        self.gather(state, a, b);
        if !self.make_launch(model, state, [a, b], rng)? {
            return Ok(());
        }
        let log_q = if self.in_tiles(model) {
            self.allocate_tiles(model, state, [a, b], is_split, rng)?
        } else {
            self.allocate(model, state, a, is_split, rng)?
        };
        let [one, two] = &self.halves;
        if one.count == 0 || two.count == 0 {
            return Ok(());
        }
        if is_split {
            log_choice = self.log_choice_after(model, state, a, chosen)?;
        }
        let log_ratio = log_ratio(&mut self.halves, model, state, is_split)?;
        let log_split = log_ratio + log_choice - log_q;
        let log_accept = if is_split { log_split } else { -log_split };
        self.after.count(state, &self.halves, [a, b], is_split);
        let Some(log_places) = self.after.propose_positions(model, state, rng) else { return Ok(()) };
        if uniform(rng).ln() < log_accept + log_places {
            self.carry_out(model, state, a, b, is_split)?;
        }
        Ok(())
    }

    /// Urn weight times predictive density at x of every cluster but `own`, up to a constant.
    fn weigh_others<C: Component>(&mut self, model: &Model<'_, C>, state: &State, own: usize, x: &[f64]) {
        self.weights.clear();
        for slot in 0..state.clusters.slots() {
            self.weights.push(if slot == own {
                f64::NEG_INFINITY
            } else {
                model.prior.cluster_mass(state.clusters.counts[slot], state.alpha).ln()
                    + model.component.log_predictive(&mut self.posteriors[slot], x)
            });
        }
        exponentiate(&mut self.weights);
    }

    /// After a split of cluster a: the probability with which the point would be merged with the half that it is not in.
    fn log_choice_after<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        state: &State,
        a: usize,
        chosen: usize,
    ) -> Result<f64> {
        let row = model.points.rows(&[chosen as u32])?;
        let x = row.get(0, chosen as u32);
        let place = self.members.iter().position(|&i| i as usize == chosen).expect("the point is in its cluster");
        let other = &mut self.halves[usize::from(!self.in_second[place])];
        model.component.posterior(other.count, &other.statistic, &mut other.posterior)?;
        model.component.prepare(&mut other.posterior);
        let log = model.prior.cluster_mass(other.count, state.alpha).ln()
            + model.component.log_predictive(&mut other.posterior, x);
        self.weights.clear();
        for slot in 0..state.clusters.slots() {
            self.weights.push(if slot == a {
                log
            } else {
                model.prior.cluster_mass(state.clusters.counts[slot], state.alpha).ln()
                    + model.component.log_predictive(&mut self.posteriors[slot], x)
            });
        }
        exponentiate(&mut self.weights);
        Ok((self.weights[a] / self.weights.iter().sum::<f64>()).ln())
    }

    fn gather(&mut self, state: &State, a: usize, b: usize) {
        self.members.clear();
        let (a, b) = (a as u32, b as u32);
        let members = state.clusters.labels.iter().enumerate().filter(|(_, label)| **label == a || **label == b);
        self.members.extend(members.map(|(i, _)| i as u32));
    }

    /// Divides the points without a look at how they are divided; false if that fails.
    fn make_launch<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        state: &State,
        clusters: [usize; 2],
        rng: &mut ChaCha8Rng,
    ) -> Result<bool> {
        let component = &model.component;
        let size = self.members.len();
        self.sample.clear();
        if size <= model.effort.sample {
            self.sample.extend_from_slice(&self.members);
        } else {
            self.sample.extend((0..model.effort.sample).map(|_| self.members[pick(size, rng)]));
        }
        let rows = model.points.rows(&self.sample)?;
        self.begin_launch(&rows, model.points.dim(), rng);
        for round in 0..ROUNDS {
            self.launch.iter_mut().for_each(Half::clear);
            for (place, (&i, &half)) in self.sample.iter().zip(&self.launched).enumerate() {
                self.launch[usize::from(half)].add(component, rows.get(place, i));
            }
            if !ready(&mut self.launch, component)? {
                return Ok(false);
            }
            let mut changed = false;
            for place in 0..if round + 1 < ROUNDS { self.sample.len() } else { 0 } {
                let x = rows.get(place, self.sample[place]);
                let to = self.log_odds(component, x, Some(self.launched[place])) < 0.0;
                changed |= to != self.launched[place];
                self.launched[place] = to;
            }
            if !changed {
                break;
            }
        }
        if size <= model.effort.sample {
            return Ok(true);
        }
        // once more with all of them
        if self.in_tiles(model) {
            self.draw_launch_atoms(model, rng);
            self.launch_tiles(model, state, clusters)?;
            if !ready(&mut self.launch, component)? {
                return Ok(false);
            }
            self.draw_launch_atoms(model, rng);
            return Ok(true);
        }
        self.launched.clear();
        self.halves.iter_mut().for_each(Half::clear);
        let rows = model.points.rows(&self.members)?;
        for place in 0..size {
            let x = rows.get(place, self.members[place]);
            let to = self.log_odds(component, x, None) < 0.0;
            self.launched.push(to);
            self.halves[usize::from(to)].add(component, x);
        }
        std::mem::swap(&mut self.launch, &mut self.halves);
        ready(&mut self.launch, component)
    }

    /// Two seeds at random; each point goes to the nearer one, in units of the spread of all.
    fn begin_launch(&mut self, rows: &Rows<'_>, dim: usize, rng: &mut ChaCha8Rng) {
        let m = self.sample.len();
        let first = pick(m, rng);
        let second = (first + 1 + pick(m - 1, rng)) % m;
        let seeds = [first, second].map(|place| rows.get(place, self.sample[place]));
        self.precisions.clear();
        for j in 0..dim {
            let values = || self.sample.iter().enumerate().map(|(place, &i)| rows.get(place, i)[j]);
            let mean = values().sum::<f64>() / m as f64;
            let variance = values().map(|x| (x - mean).powi(2)).sum::<f64>() / m as f64;
            self.precisions.push(if variance > 0.0 { 1.0 / variance } else { 0.0 });
        }
        let square = |x: &[f64], y: &[f64]| -> f64 {
            x.iter().zip(y).zip(&self.precisions).map(|((x, y), precision)| (x - y) * (x - y) * precision).sum()
        };
        self.launched.clear();
        self.launched.extend(self.sample.iter().enumerate().map(|(place, &i)| {
            let x = rows.get(place, i);
            square(x, seeds[1]) < square(x, seeds[0])
        }));
    }

    /// log of the odds of the first half; `own` is the half that the launch has the point in, which then does not count for itself.
    fn log_odds<C: Component>(&mut self, component: &C, x: &[f64], own: Option<bool>) -> f64 {
        let [one, two] = &mut self.launch;
        let log = |half: &mut Half, has: bool| {
            if has && half.count > 1 {
                f64::from(half.count - 1).ln() + component.log_predictive_without(&mut half.posterior, x)
            } else if has {
                f64::NEG_INFINITY
            } else {
                f64::from(half.count).ln() + component.log_predictive(&mut half.posterior, x)
            }
        };
        log(one, own == Some(false)) - log(two, own == Some(true))
    }

    /// Draws the halves, or follows the labels; log of the probability.
    fn allocate<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        state: &State,
        a: usize,
        is_split: bool,
        rng: &mut ChaCha8Rng,
    ) -> Result<f64> {
        self.in_second.clear();
        self.halves.iter_mut().for_each(Half::clear);
        let rows = model.points.rows(&self.members)?;
        let (mut log, mut log_swapped) = (0.0, 0.0);
        for place in 0..self.members.len() {
            let i = self.members[place] as usize;
            let x = rows.get(place, self.members[place]);
            let difference = self.log_odds(&model.component, x, Some(self.launched[place]));
            let second = if is_split {
                uniform(rng) * (1.0 + difference.exp()) < 1.0
            } else {
                state.clusters.labels[i] as usize != a
            };
            let exponent = if second { difference } else { -difference };
            log -= log_one_plus_exp(exponent);
            log_swapped -= log_one_plus_exp(-exponent);
            self.in_second.push(second);
            self.halves[usize::from(second)].add(&model.component, x);
        }
        Ok(log_sum(log, log_swapped))
    }

    /// Whether the points of the clusters are looked at in tiles.
    fn in_tiles<C>(&self, model: &Model<'_, C>) -> bool {
        model.tiling.cuts(model.points.len()) && self.members.len() > model.effort.sample
    }

    fn draw_launch_atoms<C: Component>(&mut self, model: &Model<'_, C>, rng: &mut ChaCha8Rng) {
        let len = model.component.shape().atom_len(model.points.dim());
        for (half, atom) in self.launch.iter_mut().zip(&mut self.atoms) {
            atom.resize(len, 0.0);
            model.component.draw_atom(&mut half.posterior, rng, atom);
        }
    }

    /// What the points of two clusters are divided by.
    fn launch(&self, clusters: [usize; 2]) -> Launch {
        Launch {
            clusters: clusters.map(|slot| slot as u32),
            atoms: self.atoms.clone(),
            log_weights: [0, 1].map(|half| f64::from(self.launch[half].count).ln()),
        }
    }

    /// Asks the tiles that have points of two clusters.
    fn ask<C: Component>(
        model: &Model<'_, C>,
        state: &State,
        clusters: [usize; 2],
        question: &Question,
    ) -> Result<Vec<Halves>> {
        let clusters = clusters.map(|slot| slot as u32);
        let mut inputs = TileInput::of_all(&state.clusters.labels, model.tiling.size);
        inputs.retain(|input| input.numbers.0.iter().any(|label| clusters.contains(label)));
        let answers = model.points.ask(model.component.shape(), model.tiling, question, inputs)?;
        answers.into_iter().map(|answer| answer.into_halves(model.component.statistic_len())).collect()
    }

    /// All points go to the likelier half.
    fn launch_tiles<C: Component>(&mut self, model: &Model<'_, C>, state: &State, clusters: [usize; 2]) -> Result<()> {
        let found = Self::ask(model, state, clusters, &Question::Launch(self.launch(clusters)))?;
        self.launch.iter_mut().for_each(Half::clear);
        found.iter().for_each(|halves| Half::take_in(&mut self.launch, &halves.sums));
        Ok(())
    }

    /// As [`Informed::allocate`], tile by tile.
    fn allocate_tiles<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        state: &State,
        clusters: [usize; 2],
        is_split: bool,
        rng: &mut ChaCha8Rng,
    ) -> Result<f64> {
        let question = Question::Divide { launch: self.launch(clusters), key: rng.next_u64(), is_split };
        let found = Self::ask(model, state, clusters, &question)?;
        self.in_second.clear();
        self.halves.iter_mut().for_each(Half::clear);
        let mut logs = [0.0; 2];
        for halves in &found {
            Half::take_in(&mut self.halves, &halves.sums);
            self.in_second.extend(halves.in_second.0.iter().map(|&second| second == 1));
            logs.iter_mut().zip(halves.log).for_each(|(log, part)| *log += part);
        }
        if self.in_second.len() != self.members.len() {
            return Err(Error::input("other points were divided than were asked for"));
        }
        Ok(log_sum(logs[0], logs[1]))
    }

    fn carry_out<C: Component>(
        &mut self,
        model: &Model<'_, C>,
        state: &mut State,
        a: usize,
        b: usize,
        is_split: bool,
    ) -> Result<()> {
        let in_tiles = self.in_tiles(model);
        let (component, clusters) = (&model.component, &mut state.clusters);
        let to = if is_split { clusters.free_slot() } else { a };
        if in_tiles {
            let moved = self.members.iter().zip(&self.in_second).filter(|(_, second)| **second);
            let moved: Vec<u32> = moved.map(|(&i, _)| i).collect();
            let [one, two] = &self.halves;
            if is_split {
                clusters.divide(&moved, [a, to], [(one.count, &one.statistic), (two.count, &two.statistic)]);
            } else {
                let both: Vec<f64> = one.statistic.iter().zip(&two.statistic).map(|(x, y)| x + y).collect();
                clusters.divide(&moved, [b, a], [(0, &vec![0.0; both.len()]), (one.count + two.count, &both)]);
            }
        } else {
            let rows = model.points.rows(&self.members)?;
            for (place, (&i, &second)) in self.members.iter().zip(&self.in_second).enumerate() {
                if second {
                    clusters.relocate(i as usize, to, component.shape(), rows.get(place, i));
                }
            }
        }
        self.after.settle(model, state);
        while self.posteriors.len() < state.clusters.slots() {
            self.posteriors.push(Posterior::new(model.points.dim()));
        }
        // those that changed; after a merge the last cluster may be where b was, or where a was
        [a, b, to]
            .into_iter()
            .filter(|&slot| slot < state.clusters.slots())
            .try_for_each(|slot| self.refresh(slot, component, state))
    }
}

/// Makes both halves ready for predictive densities; false if one is empty.
fn ready<C: Component>(halves: &mut [Half; 2], component: &C) -> Result<bool> {
    if halves.iter().any(|half| half.count == 0) {
        return Ok(false);
    }
    halves.iter_mut().try_for_each(|half| half.prepare(component))?;
    Ok(true)
}

fn pick(count: usize, rng: &mut ChaCha8Rng) -> usize {
    ((uniform(rng) * count as f64) as usize).min(count - 1)
}

/// log(1 + e^x).
pub(crate) fn log_one_plus_exp(x: f64) -> f64 {
    if x > 36.0 { x } else { x.exp().ln_1p() }
}

/// log(e^x + e^y).
fn log_sum(x: f64, y: f64) -> f64 {
    let (high, low) = if x > y { (x, y) } else { (y, x) };
    high + (low - high).exp().ln_1p()
}

fn exponentiate(logs: &mut [f64]) {
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.iter_mut().for_each(|log| *log = (*log - highest).exp());
}
