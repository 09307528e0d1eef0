//! Checked partitions: one ([`Partition`]) and a posterior sample of them ([`PartitionDraws`]).
//!
//! Whatever the labels were (any integers, any strings), inside they are canonical: 0-based, numbered in order of first
//! appearance. Two partitions are the same exactly when their labels are equal.

mod store;

use std::collections::HashMap;
use std::hash::Hash;

pub use store::{LabelIter, LabelSlice, Labels};

use crate::ensemble::normalized_draw_weights;
use crate::{Error, Result};

/// A partition of n ≥ 1 observations into clusters, with canonical labels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Partition {
    labels: Vec<u32>,
    clusters: usize,
}

impl Partition {
    /// The partition that any integer labels describe: negative, sparse, 64-bit.
    ///
    /// Fails when there is no observation. Cost O(n).
    pub fn from_integers<T: Copy + Into<i128>>(labels: &[T]) -> Result<Self> {
        let mut canonical = vec![0; labels.len()];
        let clusters = canonicalize_integers(labels, &mut canonical)?;
        Ok(Partition { labels: canonical, clusters })
    }

    /// The partition that string labels describe. Fails when there is no observation. Cost O(total length).
    pub fn from_strings<S: AsRef<str>>(labels: &[S]) -> Result<Self> {
        let mut canonical = vec![0; labels.len()];
        let clusters = canonicalize(labels.iter().map(AsRef::as_ref), &mut canonical)?;
        Ok(Partition { labels: canonical, clusters })
    }

    /// Canonical labels, one per observation.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Number of observations n.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Never: a partition has at least one observation.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Number of observations in each cluster.
    pub fn sizes(&self) -> Vec<u32> {
        cluster_sizes(LabelSlice::U32(&self.labels), self.clusters)
    }
}

/// M ≥ 1 draws of a partition of the same n observations, with optional weights of the draws.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionDraws {
    labels: Labels,
    clusters: Vec<u32>,
    observations: usize,
    draw_weights: Option<Vec<f64>>,
}

impl PartitionDraws {
    /// Draws from a row-major (M, n) array of any integers. Cost O(M n).
    pub fn from_dense<T: Copy + Into<i128>>(observations: usize, labels: &[T]) -> Result<Self> {
        if observations == 0 {
            return Err(Error::input("draws label no observations, expected at least 1"));
        }
        if labels.is_empty() {
            return Err(Error::input("there are no draws, expected at least 1"));
        }
        if !labels.len().is_multiple_of(observations) {
            return Err(Error::input(format!(
                "{} labels do not make draws of {observations} observations each",
                labels.len()
            )));
        }
        Self::collect(labels.chunks(observations).map(|row| (row.len(), row)), |row, out| {
            canonicalize_integers(row, out)
        })
    }

    /// Draws from labels (M, n), row-major. Cost O(M n).
    pub fn from_labels(observations: usize, labels: &Labels) -> Result<Self> {
        match labels.as_slice() {
            LabelSlice::U8(labels) => Self::from_dense(observations, labels),
            LabelSlice::U16(labels) => Self::from_dense(observations, labels),
            LabelSlice::U32(labels) => Self::from_dense(observations, labels),
            LabelSlice::I64(labels) => Self::from_dense(observations, labels),
        }
    }

    /// Draws from one slice of integer labels each; an error names the draw whose length differs. Cost O(M n).
    pub fn from_rows<T: Copy + Into<i128>, R: AsRef<[T]>>(rows: &[R]) -> Result<Self> {
        Self::collect(rows.iter().map(|row| (row.as_ref().len(), row.as_ref())), |row, out| {
            canonicalize_integers(row, out)
        })
    }

    /// Draws from partitions; an error names the draw whose length differs.
    pub fn from_partitions(partitions: &[Partition]) -> Result<Self> {
        Self::collect(partitions.iter().map(|p| (p.len(), p)), |partition: &Partition, out| {
            out.copy_from_slice(partition.labels());
            Ok(partition.clusters())
        })
    }

    fn collect<R>(
        rows: impl ExactSizeIterator<Item = (usize, R)>,
        fill: impl Fn(R, &mut [u32]) -> Result<usize>,
    ) -> Result<Self> {
        let mut draws =
            PartitionDraws { labels: Labels::new(), clusters: Vec::new(), observations: 0, draw_weights: None };
        let expected = rows.len();
        let mut canonical = Vec::new();
        for (m, (n, row)) in rows.enumerate() {
            if m == 0 {
                draws.observations = n;
                draws.labels.reserve(n.saturating_mul(expected));
            } else if n != draws.observations {
                return Err(Error::input(format!(
                    "labels {n} observations, expected {} as in draw 0",
                    draws.observations
                ))
                .at_draw(m)
                .hint("every draw labels every observation, in the same order"));
            }
            canonical.resize(n, 0);
            let clusters = fill(row, &mut canonical).map_err(|error| error.at_draw(m))?;
            draws.labels.extend(canonical.iter().copied());
            draws.clusters.push(clusters as u32);
        }
        if draws.clusters.is_empty() {
            return Err(Error::input("there are no draws, expected at least 1"));
        }
        Ok(draws)
    }

    /// Weighs the draws (importance sampling, SMC); scaled to sum 1.
    pub fn with_draw_weights(mut self, weights: &[f64]) -> Result<Self> {
        self.draw_weights = Some(normalized_draw_weights(weights, self.len())?);
        Ok(self)
    }

    /// Number of draws M.
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Never: there is at least one draw.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Number of observations n.
    pub fn observations(&self) -> usize {
        self.observations
    }

    /// Canonical labels of draw m.
    pub fn labels(&self, m: usize) -> LabelSlice<'_> {
        self.labels.slice(m * self.observations..(m + 1) * self.observations)
    }

    /// Number of clusters of draw m.
    pub fn clusters(&self, m: usize) -> usize {
        self.clusters[m] as usize
    }

    /// The largest number of clusters among the draws.
    pub fn max_clusters(&self) -> usize {
        self.clusters.iter().copied().max().unwrap_or(0) as usize
    }

    /// Draw m on its own.
    pub fn draw(&self, m: usize) -> Partition {
        Partition { labels: self.labels(m).iter().map(|label| label as u32).collect(), clusters: self.clusters(m) }
    }

    /// Weights of the draws, summing to 1, when they were given.
    pub fn draw_weights(&self) -> Option<&[f64]> {
        self.draw_weights.as_deref()
    }

    /// Weight of draw m: as given, 1/M otherwise.
    pub fn weight(&self, m: usize) -> f64 {
        self.draw_weights.as_ref().map_or(1.0 / self.len() as f64, |weights| weights[m])
    }

    /// Fails unless `partition` labels the same number of observations.
    pub(crate) fn check_size(&self, partition: &Partition) -> Result<()> {
        if partition.len() == self.observations {
            return Ok(());
        }
        Err(Error::input(format!(
            "the partition labels {} observations, the draws label {}",
            partition.len(),
            self.observations
        )))
    }
}

/// Number of observations with each of the canonical labels 0..clusters.
pub(crate) fn cluster_sizes(labels: LabelSlice<'_>, clusters: usize) -> Vec<u32> {
    let mut sizes = vec![0; clusters];
    labels.iter().for_each(|label| sizes[label as usize] += 1);
    sizes
}

fn check_count(n: usize) -> Result<()> {
    match n {
        0 => Err(Error::input("labels no observations, expected at least 1")),
        n if n > u32::MAX as usize => {
            Err(Error::resource(format!("labels {n} observations, at most {} fit", u32::MAX)))
        }
        _ => Ok(()),
    }
}

fn canonicalize<T: Eq + Hash>(labels: impl ExactSizeIterator<Item = T>, out: &mut [u32]) -> Result<usize> {
    check_count(out.len())?;
    let mut seen = HashMap::new();
    for (slot, label) in out.iter_mut().zip(labels) {
        let next = seen.len() as u32;
        *slot = *seen.entry(label).or_insert(next);
    }
    Ok(seen.len())
}

/// A table takes the place of the hash map when the labels span a range not much wider than n.
fn canonicalize_integers<T: Copy + Into<i128>>(labels: &[T], out: &mut [u32]) -> Result<usize> {
    check_count(out.len())?;
    let bounds = labels.iter().fold((i128::MAX, i128::MIN), |(low, high), &label| {
        let label: i128 = label.into();
        (low.min(label), high.max(label))
    });
    let span = bounds.1.checked_sub(bounds.0).unwrap_or(i128::MAX);
    if span > 4 * labels.len() as i128 + 1024 {
        return canonicalize(labels.iter().map(|&label| label.into()), out);
    }
    const UNSEEN: u32 = u32::MAX;
    let mut seen = vec![UNSEEN; span as usize + 1];
    let mut clusters = 0;
    for (slot, &label) in out.iter_mut().zip(labels) {
        let entry = &mut seen[(label.into() - bounds.0) as usize];
        if *entry == UNSEEN {
            *entry = clusters;
            clusters += 1;
        }
        *slot = *entry;
    }
    Ok(clusters as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_of_any_kind_become_canonical() {
        let expected = [0, 0, 1, 2, 1];
        assert_eq!(Partition::from_integers(&[7i64, 7, -3, i64::MIN, -3]).unwrap().labels(), expected);
        assert_eq!(Partition::from_integers(&[u64::MAX, u64::MAX, 0, 5, 0]).unwrap().labels(), expected);
        assert_eq!(Partition::from_strings(&["b", "b", "", "é", ""]).unwrap().labels(), expected);
        let partition = Partition::from_integers(&[9u8, 9, 1, 4, 1]).unwrap();
        assert_eq!((partition.clusters(), partition.sizes()), (3, vec![2, 2, 1]));
        assert_eq!(Partition::from_integers(&[i128::MIN, i128::MAX]).unwrap().clusters(), 2);
    }

    #[test]
    fn more_clusters_than_sixteen_bits_hold() {
        let labels: Vec<i64> = (0..70_000).map(|i| -i).collect();
        let draws = PartitionDraws::from_rows(&[&labels[..], &labels[..]]).unwrap();
        assert_eq!(draws.max_clusters(), 70_000);
        assert_eq!(draws.labels(1).get(69_999), 69_999);
    }

    #[test]
    fn bad_draws_are_named() {
        let message = |result: Result<PartitionDraws>| result.unwrap_err().to_string();
        let unequal = PartitionDraws::from_rows(&[vec![1, 2], vec![1, 2], vec![1, 2, 3]]);
        assert_eq!(message(unequal), "draw 2: labels 3 observations, expected 2 as in draw 0");
        assert_eq!(
            message(PartitionDraws::from_rows(&[vec![1], vec![]])),
            "draw 1: labels 0 observations, expected 1 as in draw 0"
        );
        assert_eq!(
            message(PartitionDraws::from_rows::<i32, Vec<i32>>(&[vec![]])),
            "draw 0: labels no observations, expected at least 1"
        );
        assert_eq!(message(PartitionDraws::from_rows::<i32, Vec<i32>>(&[])), "there are no draws, expected at least 1");
        assert_eq!(
            message(PartitionDraws::from_dense::<i32>(0, &[])),
            "draws label no observations, expected at least 1"
        );
        assert_eq!(message(PartitionDraws::from_dense::<i32>(3, &[])), "there are no draws, expected at least 1");
        assert_eq!(
            message(PartitionDraws::from_dense(3, &[1, 2, 3, 4])),
            "4 labels do not make draws of 3 observations each"
        );
        assert_eq!(
            Partition::from_strings::<&str>(&[]).unwrap_err().to_string(),
            "labels no observations, expected at least 1"
        );
    }

    #[test]
    fn draw_weights_are_checked_and_scaled() {
        let draws = PartitionDraws::from_dense(2, &[0, 0, 0, 1]).unwrap();
        assert_eq!(draws.weight(1), 0.5);
        assert_eq!(draws.clone().with_draw_weights(&[1.0, 3.0]).unwrap().weight(1), 0.75);
        for bad in [vec![1.0], vec![-1.0, 2.0], vec![f64::NAN, 1.0], vec![0.0, 0.0]] {
            assert!(draws.clone().with_draw_weights(&bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn table_and_hash_map_agree(labels in proptest::collection::vec(-40i64..40, 1..60), scale in prop_oneof![Just(1i64), Just(1 << 50)]) {
            let scaled: Vec<i64> = labels.iter().map(|l| l * scale).collect();
            let texts: Vec<String> = labels.iter().map(|l| l.to_string()).collect();
            let partition = Partition::from_integers(&scaled).unwrap();
            prop_assert_eq!(&partition, &Partition::from_strings(&texts).unwrap());
            let mut highest = None;
            for (i, &label) in partition.labels().iter().enumerate() {
                prop_assert!(label <= highest.map_or(0, |h: u32| h + 1));
                highest = highest.max(Some(label));
                for j in 0..i {
                    prop_assert_eq!(labels[i] == labels[j], label == partition.labels()[j]);
                }
            }
        }
    }
}
