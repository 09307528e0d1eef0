//! The contingency table of two partitions, reduced to the sums that losses are made of.

use crate::labels::{LabelSlice, Partition, cluster_sizes};

/// φ, the function of counts whose sums a loss is made of; 0 for counts 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Potential {
    /// φ(x) = x(x − 1), the ordered pairs among x observations.
    Pairs,
    /// φ(x) = x log₂ x.
    Entropy,
}

impl Potential {
    /// φ(count).
    #[inline]
    pub(crate) fn at(self, count: u32) -> f64 {
        let x = f64::from(count);
        match self {
            Potential::Pairs => x * (x - 1.0),
            Potential::Entropy if count == 0 => 0.0,
            Potential::Entropy => x * x.log2(),
        }
    }

    /// Σ φ over counts, in their order.
    pub(crate) fn sum(self, counts: impl IntoIterator<Item = u32>) -> f64 {
        counts.into_iter().map(|count| self.at(count)).sum()
    }
}

/// Σ φ over the clusters of the estimate, those of the draw, and their intersections.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairSums {
    pub(crate) estimate: f64,
    pub(crate) draw: f64,
    pub(crate) joint: f64,
}

/// One partition, ready to be compared with many others.
///
/// A comparison costs O(n + clusters) whatever the number of clusters: small tables are counted densely, large ones cluster by
/// cluster of the estimate. Counts enter the sums in label order either way, so identical partitions give identical sums.
#[derive(Clone)]
pub(crate) struct Comparison<'a> {
    estimate: &'a Partition,
    sizes: Vec<u32>,
    /// Observations sorted by cluster; only made when the table is too large to be dense.
    members: Vec<u32>,
    cells: Vec<u32>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(estimate: &'a Partition) -> Self {
        Comparison { estimate, sizes: estimate.sizes(), members: Vec::new(), cells: Vec::new() }
    }

    /// The sums for each of `potentials` against a draw with canonical `labels`.
    pub(crate) fn sums<const P: usize>(
        &mut self,
        labels: LabelSlice<'_>,
        clusters: usize,
        potentials: [Potential; P],
    ) -> [PairSums; P] {
        let dense_cells = self.estimate.clusters().saturating_mul(clusters);
        let joint = if dense_cells <= labels.len().max(4096) {
            self.joint_dense(labels, clusters, potentials)
        } else {
            self.joint_by_cluster(labels, clusters, potentials)
        };
        let draw_sizes = cluster_sizes(labels, clusters);
        std::array::from_fn(|p| PairSums {
            estimate: potentials[p].sum(self.sizes.iter().copied()),
            draw: potentials[p].sum(draw_sizes.iter().copied()),
            joint: joint[p],
        })
    }

    fn joint_dense<const P: usize>(
        &mut self,
        labels: LabelSlice<'_>,
        clusters: usize,
        potentials: [Potential; P],
    ) -> [f64; P] {
        self.cells.clear();
        self.cells.resize(self.estimate.clusters() * clusters, 0);
        let rows = self.estimate.labels();
        labels
            .iter()
            .enumerate()
            .for_each(|(i, column)| self.cells[rows[i] as usize * clusters + column as usize] += 1);
        potentials.map(|potential| potential.sum(self.cells.iter().copied().filter(|&count| count > 0)))
    }

    fn joint_by_cluster<const P: usize>(
        &mut self,
        labels: LabelSlice<'_>,
        clusters: usize,
        potentials: [Potential; P],
    ) -> [f64; P] {
        if self.members.is_empty() {
            self.members = members_by_cluster(self.estimate, &self.sizes);
        }
        self.cells.clear();
        self.cells.resize(clusters, 0);
        let mut sums = [0.0; P];
        let mut rest = &self.members[..];
        for &size in &self.sizes {
            let (cluster, others) = rest.split_at(size as usize);
            rest = others;
            cluster.iter().for_each(|&i| self.cells[labels.get(i as usize) as usize] += 1);
            for &i in cluster {
                let count = std::mem::take(&mut self.cells[labels.get(i as usize) as usize]);
                if count > 0 {
                    (0..P).for_each(|p| sums[p] += potentials[p].at(count));
                }
            }
        }
        sums
    }
}

fn members_by_cluster(partition: &Partition, sizes: &[u32]) -> Vec<u32> {
    let mut next: Vec<usize> = sizes
        .iter()
        .scan(0, |start, &size| {
            let this = *start;
            *start += size as usize;
            Some(this)
        })
        .collect();
    let mut members = vec![0; partition.len()];
    for (i, &label) in partition.labels().iter().enumerate() {
        members[next[label as usize]] = i as u32;
        next[label as usize] += 1;
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_of_counting_agree_with_pairs(pairs in proptest::collection::vec((0u8..6, 0u8..6), 1..40)) {
            let estimate = Partition::from_integers(&pairs.iter().map(|p| p.0).collect::<Vec<_>>()).unwrap();
            let draw = Partition::from_integers(&pairs.iter().map(|p| p.1).collect::<Vec<_>>()).unwrap();
            let potentials = [Potential::Pairs, Potential::Entropy];
            let mut comparison = Comparison::new(&estimate);
            let dense = comparison.joint_dense(LabelSlice::U32(draw.labels()), draw.clusters(), potentials);
            let sparse = comparison.joint_by_cluster(LabelSlice::U32(draw.labels()), draw.clusters(), potentials);
            let together = pairs.iter().flat_map(|p| pairs.iter().map(move |q| p == q)).filter(|&same| same).count();
            prop_assert_eq!(dense[0], (together - pairs.len()) as f64);
            prop_assert_eq!(sparse[0], (together - pairs.len()) as f64);
            prop_assert!((dense[1] - sparse[1]).abs() < 1e-12 * pairs.len() as f64);
            let [own] = comparison.sums(LabelSlice::U32(estimate.labels()), estimate.clusters(), [Potential::Entropy]);
            prop_assert!(own.estimate == own.draw && own.draw == own.joint);
        }
    }
}
