//! Truncated sticks with the clusters that sit on them; sticks behind the last occupied one are broken only when reached.

use rand_chacha::ChaCha8Rng;

use super::allocate::{Pick, Reservoir};
use super::tile::Weighing;
use crate::clusters::Clusters;
use crate::mixing::MixingPrior;
use crate::points::LANES;
use crate::variates::{BetaShape, Fraction, beta, category, log_beta, uniform};

const NOBODY: u32 = u32::MAX;

/// The distribution of truncated sticks: stick j takes a Beta fraction of what is left, the last one all of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StickLaw {
    pub prior: MixingPrior,
    pub alpha: f64,
    /// Number of sticks K.
    pub sticks: usize,
}

impl StickLaw {
    /// Fraction of stick j given that `here` points sit on it and `behind` points on later ones.
    pub(crate) fn draw(&self, j: usize, here: u32, behind: u32, rng: &mut ChaCha8Rng) -> Fraction {
        if j + 1 >= self.sticks {
            return Fraction::WHOLE;
        }
        let prior = self.prior.stick(j, self.alpha);
        beta(BetaShape { a: prior.a + f64::from(here), b: prior.b + f64::from(behind) }, rng)
    }

    /// Draws positions of the clusters from their law given the partition under the *untruncated* prior: by the urn, stick j
    /// gets a given cluster of m points with weight m − σ and none with weight α + (j + r)σ, r clusters being left (for a
    /// finite mixture: 1 and K − j − r). None when a cluster would lie beyond the last stick.
    pub(super) fn propose_positions(
        &self,
        counts: &[u32],
        weights: &mut Vec<f64>,
        positions: &mut Vec<u32>,
        rng: &mut ChaCha8Rng,
    ) -> Option<()> {
        positions.clear();
        positions.resize(counts.len(), NOBODY);
        weights.clear();
        weights.extend(counts.iter().map(|&m| match self.prior {
            MixingPrior::Finite { .. } => 1.0,
            _ => f64::from(m) - self.prior.discount(),
        }));
        weights.push(0.0);
        let clusters = counts.len();
        let mut left = clusters;
        for j in 0..self.sticks {
            weights[clusters] = match self.prior {
                MixingPrior::Finite { components } => (components - j - left) as f64,
                _ => self.alpha + (j + left) as f64 * self.prior.discount(),
            };
            let choice = category(weights, rng);
            if choice < clusters {
                positions[choice] = j as u32;
                weights[choice] = 0.0;
                left -= 1;
                if left == 0 {
                    return Some(());
                }
            }
        }
        None
    }

    /// log of (truncated law / untruncated law) of these positions: they differ by the last stick's fraction alone.
    pub(super) fn log_correction(&self, counts: &[u32], positions: &[u32]) -> f64 {
        if self.prior.limit().is_some() {
            return 0.0;
        }
        let last = self.sticks - 1;
        let Some(slot) = positions.iter().position(|&p| p as usize == last) else { return 0.0 };
        let law = self.prior.stick(last, self.alpha);
        log_beta(law) - log_beta(BetaShape { a: law.a + f64::from(counts[slot]), b: law.b })
    }

    /// Redraws the stick positions of all clusters given the partition, fractions integrated out: an independence proposal from
    /// the untruncated law, which is accepted but for the truncation. This moves every cluster at once, where swaps of two labels
    /// (Papaspiliopoulos and Roberts 2008) move two.
    pub(crate) fn redraw_positions(
        &self,
        counts: &[u32],
        positions: &mut Vec<u32>,
        room: &mut Room,
        rng: &mut ChaCha8Rng,
    ) {
        let Room { weights, proposal } = room;
        if self.propose_positions(counts, weights, proposal, rng).is_none() {
            return;
        }
        let log_ratio = self.log_correction(counts, proposal) - self.log_correction(counts, positions);
        if log_ratio >= 0.0 || uniform(rng).ln() < log_ratio {
            std::mem::swap(positions, proposal);
        }
    }
}

/// Room for [`StickLaw::redraw_positions`].
#[derive(Debug, Default)]
pub(crate) struct Room {
    pub(super) weights: Vec<f64>,
    proposal: Vec<u32>,
}

/// The sticks of one sweep.
#[derive(Debug)]
pub(crate) struct Sticks {
    law: StickLaw,
    /// Fractions and weights of the sticks broken so far, and who sits on them.
    pub fractions: Vec<Fraction>,
    weights: Vec<f64>,
    owners: Vec<u32>,
    /// Weight behind the last stick broken.
    rest: f64,
    /// Weight of all sticks that nobody sits on, `rest` included.
    unoccupied: f64,
    /// Position and log weight of each slot.
    pub positions: Vec<u32>,
    log_weights: Vec<f64>,
}

impl Sticks {
    pub(crate) fn new(law: StickLaw) -> Self {
        Sticks {
            law,
            fractions: Vec::new(),
            weights: Vec::new(),
            owners: Vec::new(),
            rest: 1.0,
            unoccupied: 1.0,
            positions: Vec::new(),
            log_weights: Vec::new(),
        }
    }

    /// Draws the fractions up to the last occupied stick, given who sits where.
    pub(crate) fn draw(&mut self, law: StickLaw, clusters: &Clusters, positions: &[u32], rng: &mut ChaCha8Rng) {
        self.law = law;
        self.fractions.clear();
        self.weights.clear();
        self.owners.clear();
        self.rest = 1.0;
        let last = positions.iter().max().map_or(0, |&p| p as usize);
        self.owners.resize(last + 1, NOBODY);
        for (slot, &position) in positions.iter().enumerate() {
            self.owners[position as usize] = slot as u32;
        }
        let mut behind = clusters.points() as u32;
        for j in 0..=last {
            let here = if self.owners[j] == NOBODY { 0 } else { clusters.counts[self.owners[j] as usize] };
            behind -= here;
            let fraction = law.draw(j, here, behind, rng);
            self.push(fraction);
        }
        self.positions.clear();
        self.positions.extend_from_slice(positions);
        self.log_weights.clear();
        self.log_weights.extend(positions.iter().map(|&p| self.weights[p as usize].ln()));
        self.sum_unoccupied();
    }

    /// α has changed: it matters for the sticks that are not broken yet.
    pub(crate) fn set_alpha(&mut self, alpha: f64) {
        self.law.alpha = alpha;
    }

    /// Swaps of two labels given the weights: each cluster in turn is offered the place of a stick chosen uniformly among all
    /// (Papaspiliopoulos and Roberts 2008, move 1).
    pub(crate) fn swap_labels(&mut self, clusters: &Clusters, rng: &mut ChaCha8Rng) {
        for slot in 0..self.positions.len() {
            let from = self.positions[slot] as usize;
            let to = ((uniform(rng) * self.law.sticks as f64) as usize).min(self.law.sticks - 1);
            while self.weights.len() <= to {
                self.extend(rng);
            }
            let other = self.owners[to];
            let there = if other == NOBODY { 0 } else { clusters.counts[other as usize] };
            let log_ratio =
                (self.weights[to] / self.weights[from]).ln() * (f64::from(clusters.counts[slot]) - f64::from(there));
            if to == from || log_ratio.is_nan() || uniform(rng).ln() >= log_ratio {
                continue;
            }
            self.owners.swap(from, to);
            self.positions[slot] = to as u32;
            self.log_weights[slot] = self.weights[to].ln();
            if other != NOBODY {
                self.positions[other as usize] = from as u32;
                self.log_weights[other as usize] = self.weights[from].ln();
            }
        }
        self.sum_unoccupied();
    }

    fn push(&mut self, fraction: Fraction) {
        self.fractions.push(fraction);
        self.weights.push(self.rest * fraction.taken);
        self.rest *= fraction.rest;
    }

    fn extend(&mut self, rng: &mut ChaCha8Rng) {
        let fraction = self.law.draw(self.weights.len(), 0, 0, rng);
        self.push(fraction);
        self.owners.push(NOBODY);
    }

    fn sum_unoccupied(&mut self) {
        let empty = self.weights.iter().zip(&self.owners).filter(|(_, owner)| **owner == NOBODY);
        self.unoccupied = self.rest + empty.map(|(w, _)| w).sum::<f64>();
    }

    /// Breaks what is left up to the last stick and returns the weights of all K.
    pub(crate) fn complete(&mut self, rng: &mut ChaCha8Rng) -> &[f64] {
        while self.weights.len() < self.law.sticks {
            self.extend(rng);
        }
        &self.weights
    }
}

impl Reservoir for Sticks {
    fn weighing(&self) -> Weighing<'_> {
        Weighing { log_weights: &self.log_weights, slices: None }
    }

    fn log_unoccupied(&self, _: usize, out: &mut [f64; LANES]) {
        out.fill(self.unoccupied.ln());
    }

    fn log_unoccupied_with(&self, _: usize, own: usize) -> f64 {
        (self.unoccupied + self.weights[self.positions[own] as usize]).ln()
    }

    fn pick(&mut self, _: usize, own: Option<usize>, rng: &mut ChaCha8Rng) -> Pick {
        let own_weight = own.map_or(0.0, |slot| self.weights[self.positions[slot] as usize]);
        let mut left = uniform(rng) * (self.unoccupied + own_weight) - own_weight;
        if left < 0.0 {
            return Pick::Own;
        }
        let mut last_empty = None;
        for j in 0..self.law.sticks {
            if j == self.weights.len() {
                self.extend(rng);
            }
            if self.owners[j] == NOBODY {
                last_empty = Some(j);
                left -= self.weights[j];
                if left < 0.0 {
                    return Pick::Piece(j);
                }
            }
        }
        // rounding can leave a sliver behind the last stick
        last_empty.map_or(Pick::Own, Pick::Piece)
    }

    fn occupy(&mut self, slot: usize, piece: usize) {
        self.owners[piece] = slot as u32;
        if slot == self.positions.len() {
            self.positions.push(0);
            self.log_weights.push(0.0);
        }
        self.positions[slot] = piece as u32;
        self.log_weights[slot] = self.weights[piece].ln();
        self.sum_unoccupied();
    }

    fn release(&mut self, slot: usize) {
        self.owners[self.positions[slot] as usize] = NOBODY;
        self.sum_unoccupied();
    }
    fn weight(&self, slot: usize) -> f64 {
        self.weights[self.positions[slot] as usize]
    }

    fn pieces_above(&mut self, floor: f64, rng: &mut ChaCha8Rng) -> Vec<usize> {
        while self.weights.len() < self.law.sticks && self.rest >= floor {
            self.extend(rng);
        }
        (0..self.weights.len()).filter(|&j| self.owners[j] == NOBODY && self.weights[j] >= floor).collect()
    }
}
