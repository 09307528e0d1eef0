//! What a search run minimizes, and within which numbers of clusters.

use crate::partition::loss::{PartitionLoss, Scale};

/// Shared by all runs of a search.
pub(super) struct Objective {
    pub(super) loss: PartitionLoss,
    pub(super) scale: Scale,
    /// φ(x) for x in 0..=n.
    pub(super) potential: Vec<f64>,
    /// φ(x + 1) − φ(x) for x in 0..=n: what an observation adds when it joins x others.
    pub(super) increments: Vec<f64>,
    /// The cost 2 − a of the estimate's own sum, for the losses that are linear in the joint sum.
    pub(super) linear_cost: Option<f64>,
    pub(super) min_clusters: usize,
    pub(super) max_clusters: usize,
}

impl Objective {
    pub(super) fn new(loss: PartitionLoss, n: usize, min_clusters: usize, max_clusters: usize) -> Self {
        let potential: Vec<f64> = (0..=n as u32 + 1).map(|x| loss.potential().at(x)).collect();
        Objective {
            loss,
            scale: Scale::new(n),
            increments: potential.windows(2).map(|pair| pair[1] - pair[0]).collect(),
            potential,
            linear_cost: match loss {
                PartitionLoss::Binder { a } | PartitionLoss::Vi { a } => Some(2.0 - a),
                _ => None,
            },
            min_clusters,
            max_clusters,
        }
    }

    /// Σ φ(count).
    pub(super) fn sum(&self, counts: &[u32]) -> f64 {
        counts.iter().map(|&count| self.potential[count as usize]).sum()
    }

    /// φ(a + b) − φ(a) − φ(b).
    #[inline(always)]
    pub(super) fn merging(&self, a: u32, b: u32) -> f64 {
        if a == 0 || b == 0 {
            return 0.0;
        }
        self.potential[(a + b) as usize] - self.potential[a as usize] - self.potential[b as usize]
    }
}
