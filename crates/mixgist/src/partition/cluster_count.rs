//! The posterior of the number of clusters.

use std::collections::BTreeMap;

use crate::labels::PartitionDraws;

/// How probable each number of clusters is.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ClusterCountPosterior {
    /// The numbers that occur, ascending.
    pub counts: Vec<ClusterCount>,
    /// The posterior mean.
    pub mean: f64,
    /// The most probable number; the smallest of equally probable ones.
    pub mode: usize,
}

/// One number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ClusterCount {
    /// The number of clusters.
    pub clusters: usize,
    /// Its posterior probability.
    pub probability: f64,
}

/// The posterior of the number of clusters. Cost O(M log M).
pub fn cluster_count_posterior(draws: &PartitionDraws) -> ClusterCountPosterior {
    let mut mass: BTreeMap<usize, f64> = BTreeMap::new();
    for m in (0..draws.len()).filter(|&m| draws.weight(m) > 0.0) {
        // Whole draws are counted as such, so that equally frequent numbers are equally probable to the last bit.
        *mass.entry(draws.clusters(m)).or_default() += draws.draw_weights().map_or(1.0, |weights| weights[m]);
    }
    let total: f64 = mass.values().sum();
    let counts: Vec<ClusterCount> =
        mass.into_iter().map(|(clusters, mass)| ClusterCount { clusters, probability: mass / total }).collect();
    let mut mode = counts[0];
    for &count in &counts {
        if count.probability > mode.probability {
            mode = count;
        }
    }
    ClusterCountPosterior {
        mean: counts.iter().map(|count| count.clusters as f64 * count.probability).sum(),
        mode: mode.clusters,
        counts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_mean_and_mode() {
        let draws = PartitionDraws::from_rows(&[[0, 0, 0], [0, 1, 2], [0, 1, 1], [0, 0, 1], [0, 1, 2]]).unwrap();
        let posterior = cluster_count_posterior(&draws);
        let pairs: Vec<(usize, f64)> = posterior.counts.iter().map(|c| (c.clusters, c.probability)).collect();
        assert_eq!(pairs, [(1, 0.2), (2, 0.4), (3, 0.4)]);
        assert_eq!(posterior.mode, 2);
        assert!((posterior.mean - 2.2).abs() < 1e-15);
        let weighted = draws.with_draw_weights(&[0.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(cluster_count_posterior(&weighted).counts, [ClusterCount { clusters: 3, probability: 1.0 }]);
    }
}
