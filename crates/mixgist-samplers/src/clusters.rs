//! The partition of the points into clusters, with the sufficient statistic of each, kept up to date point by point.

use mixgist::Result;

use crate::algorithm::tiling::Tiling;
use crate::component::AtomShape;
use crate::held::Held;
use crate::tiles::{Question, TileInput};

/// Labels of the points and, slot by slot, the clusters. Slots may be empty within a sweep; [`Clusters::compact`] closes the gaps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clusters {
    pub labels: Vec<u32>,
    pub counts: Vec<u32>,
    pub statistics: Vec<f64>,
    pub stride: usize,
    occupied: usize,
}

/// What some points change in counts and statistics, slot by slot. Counts differ by whole numbers, so that tiles may be taken in one by one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Change {
    counts: Vec<i32>,
    statistics: Vec<f64>,
}

impl Change {
    /// Nothing yet.
    pub(crate) fn new(slots: usize, stride: usize) -> Self {
        Change { counts: vec![0; slots], statistics: vec![0.0; slots * stride] }
    }

    /// A point comes to a slot (`sign` = 1) or leaves it (−1).
    pub(crate) fn add(&mut self, slot: usize, shape: AtomShape, x: &[f64], sign: i32) {
        let stride = shape.statistic_len(x.len());
        self.counts[slot] += sign;
        shape.update(&mut self.statistics[slot * stride..(slot + 1) * stride], x, f64::from(sign));
    }

    /// Count and statistic of each slot.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (i32, &[f64])> {
        let stride = self.statistics.len() / self.counts.len().max(1);
        self.counts.iter().copied().zip(self.statistics.chunks(stride.max(1)))
    }

    /// Whether it is about so many slots and numbers.
    pub(crate) fn fits(&self, slots: usize, stride: usize) -> bool {
        self.counts.len() == slots && self.statistics.len() == slots * stride
    }
}

/// One occupied cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cluster<'a> {
    pub slot: usize,
    pub count: u32,
    pub statistic: &'a [f64],
}

impl Clusters {
    /// The partition with these labels (0 … k − 1, none unused).
    pub(crate) fn new<'a>(
        labels: Vec<u32>,
        shape: AtomShape,
        points: impl Into<Held<'a>>,
        tiling: Tiling,
    ) -> Result<Self> {
        let points = points.into();
        let slots = labels.iter().max().map_or(0, |&max| max as usize + 1);
        let stride = shape.statistic_len(points.dim());
        let mut clusters =
            Clusters { labels, counts: vec![0; slots], statistics: vec![0.0; slots * stride], stride, occupied: slots };
        clusters.recompute(shape, points, tiling)?;
        Ok(clusters)
    }

    /// The partition read back from a checkpoint, statistics as they were to the last bit.
    pub(crate) fn restored(labels: Vec<u32>, statistics: Vec<f64>, stride: usize) -> Option<Self> {
        let slots = statistics.len() / stride;
        let mut counts = vec![0u32; slots];
        for &label in &labels {
            *counts.get_mut(label as usize)? += 1;
        }
        let sound = statistics.len() == slots * stride && counts.iter().all(|&count| count > 0);
        sound.then_some(Clusters { labels, counts, statistics, stride, occupied: slots })
    }

    /// Counts and statistics afresh from the labels: the plain twin of the updates, and the end of their rounding drift.
    pub(crate) fn recompute<'a>(
        &mut self,
        shape: AtomShape,
        points: impl Into<Held<'a>>,
        tiling: Tiling,
    ) -> Result<()> {
        self.counts.fill(0);
        self.statistics.fill(0.0);
        let question = Question::Clusters { slots: self.slots() as u32 };
        let answers = points.into().ask(shape, tiling, &question, TileInput::of_all(&self.labels, tiling.size))?;
        for answer in answers {
            self.take_in(&answer.into_change(self.slots(), self.stride)?);
        }
        Ok(())
    }

    /// Number of points.
    pub(crate) fn points(&self) -> usize {
        self.labels.len()
    }

    /// Number of slots, empty ones included.
    pub(crate) fn slots(&self) -> usize {
        self.counts.len()
    }

    /// Number of clusters.
    pub(crate) fn len(&self) -> usize {
        self.occupied
    }

    /// Statistic of a slot.
    pub(crate) fn statistic(&self, slot: usize) -> &[f64] {
        &self.statistics[slot * self.stride..(slot + 1) * self.stride]
    }

    /// The clusters, in slot order.
    pub(crate) fn occupied(&self) -> impl Iterator<Item = Cluster<'_>> {
        (0..self.slots()).filter(|&slot| self.counts[slot] > 0).map(|slot| Cluster {
            slot,
            count: self.counts[slot],
            statistic: self.statistic(slot),
        })
    }

    /// Sizes of the clusters, in slot order.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = u32> {
        self.counts.iter().copied().filter(|&count| count > 0)
    }

    /// An empty slot: one that was left, or a new one at the end.
    pub(crate) fn free_slot(&mut self) -> usize {
        if self.occupied < self.slots()
            && let Some(slot) = self.counts.iter().position(|&count| count == 0)
        {
            return slot;
        }
        self.counts.push(0);
        self.statistics.resize(self.statistics.len() + self.stride, 0.0);
        self.slots() - 1
    }

    /// So many empty slots at the end.
    pub(crate) fn append_slots(&mut self, slots: usize) {
        self.counts.resize(self.counts.len() + slots, 0);
        self.statistics.resize(self.statistics.len() + slots * self.stride, 0.0);
    }

    /// Takes in what changed when the labels of many points did.
    pub(crate) fn take_in(&mut self, change: &Change) {
        for (count, by) in self.counts.iter_mut().zip(&change.counts) {
            *count = count.wrapping_add_signed(*by);
        }
        for (sum, by) in self.statistics.iter_mut().zip(&change.statistics) {
            *sum += by;
        }
    }

    /// After changes have been taken in: nothing is left of clusters without points.
    pub(crate) fn settle(&mut self) {
        self.occupied = 0;
        for (slot, &count) in self.counts.iter().enumerate() {
            if count == 0 {
                self.statistics[slot * self.stride..(slot + 1) * self.stride].fill(0.0);
            } else {
                self.occupied += 1;
            }
        }
    }

    /// Moves point i to another slot, whether that is empty or not.
    pub(crate) fn relocate(&mut self, i: usize, to: usize, shape: AtomShape, x: &[f64]) {
        let from = self.labels[i] as usize;
        let stride = self.stride;
        self.counts[from] -= 1;
        let old = &mut self.statistics[from * stride..(from + 1) * stride];
        if self.counts[from] == 0 {
            old.fill(0.0);
            self.occupied -= 1;
        } else {
            shape.update(old, x, -1.0);
        }
        if self.counts[to] == 0 {
            self.occupied += 1;
        }
        self.counts[to] += 1;
        shape.update(&mut self.statistics[to * stride..(to + 1) * stride], x, 1.0);
        self.labels[i] = to as u32;
    }

    /// Some points go from one slot to another; number and statistic of the points that are in each then are known.
    pub(crate) fn divide(&mut self, moved: &[u32], [from, to]: [usize; 2], [stay, go]: [(u32, &[f64]); 2]) {
        moved.iter().for_each(|&i| self.labels[i as usize] = to as u32);
        for (slot, (count, statistic)) in [(from, stay), (to, go)] {
            self.counts[slot] = count;
            self.statistics[slot * self.stride..(slot + 1) * self.stride].copy_from_slice(statistic);
        }
        self.settle();
    }

    /// Closes the gaps: clusters from the end move into empty slots. `beside` holds one number a slot and moves along.
    pub(crate) fn compact(&mut self, beside: &mut Vec<u32>) {
        while self.occupied < self.slots() {
            let last = self.slots() - 1;
            if self.counts[last] > 0 {
                let gap = self.counts.iter().position(|&count| count == 0).expect("fewer clusters than slots");
                self.labels.iter_mut().filter(|label| **label == last as u32).for_each(|label| *label = gap as u32);
                self.counts[gap] = self.counts[last];
                self.statistics.copy_within(last * self.stride..(last + 1) * self.stride, gap * self.stride);
                if let Some(&value) = beside.get(last) {
                    beside[gap] = value;
                }
            }
            self.counts.pop();
            self.statistics.truncate(last * self.stride);
            beside.truncate(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::ScaledData;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn updates_agree_with_recomputing(
            values in prop::collection::vec(-5.0f64..5.0, 20),
            moves in prop::collection::vec((0usize..10, 0usize..6), 0..40),
        ) {
            prop_assume!(values.chunks(2).any(|p| p[0] != values[0]) && values.chunks(2).any(|p| p[1] != values[1]));
            let points = ScaledData::new(&values, 2).unwrap();
            let (shape, tiling) = (AtomShape::Triangular, Tiling { size: 3, threads: 1 });
            let mut clusters = Clusters::new(vec![0; 10], shape, &points, tiling).unwrap();
            let mut beside = vec![7];
            for (i, to) in moves {
                let to = if to < clusters.slots() { to } else { clusters.free_slot() };
                beside.resize(clusters.slots(), 7);
                if clusters.labels[i] as usize != to {
                    clusters.relocate(i, to, shape, points.row(i));
                }
            }
            clusters.compact(&mut beside);
            prop_assert_eq!(beside.len(), clusters.len());
            prop_assert!(clusters.counts.iter().all(|&count| count > 0));
            let afresh = Clusters::new(clusters.labels.clone(), shape, &points, tiling).unwrap();
            prop_assert_eq!(&afresh.counts, &clusters.counts);
            for (a, b) in afresh.statistics.iter().zip(&clusters.statistics) {
                prop_assert!((a - b).abs() < 1e-12);
            }
            prop_assert_eq!(Clusters::restored(clusters.labels.clone(), clusters.statistics.clone(), clusters.stride), Some(clusters));
        }
    }
}
