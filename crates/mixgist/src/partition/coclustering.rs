//! How sure the posterior is of the place of each observation in an estimate.

use rayon::prelude::*;

use crate::labels::{Partition, PartitionDraws};
use crate::{Error, Progress, Result};

/// How an observation is tied to its cluster and to the nearest other one, by how often the draws put pairs of observations together.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Coclustering {
    /// Mean posterior similarity with the other members of its cluster; 1 when it has none.
    pub own: f64,
    /// Mean posterior similarity with the members of the other cluster where that is largest; 0 when there is none.
    pub other: f64,
    /// That other cluster: the runner-up for this observation.
    pub runner_up: Option<u32>,
    /// own / (own + other): 1 is sure, 1/2 is torn, less is misplaced.
    pub score: f64,
}

/// The co-clustering score of every observation: with π_ij = P(i and j share a cluster),
/// own_i = mean of π_ij over j ≠ i in the cluster of i, other_i = max over the other clusters C of the mean of π_ij over j in C, and
/// score_i = own_i / (own_i + other_i).
///
/// The means come from contingency tables, no π_ij is formed. Cost O(M n k), memory O(n k) for k clusters.
pub fn coclusterings(
    estimate: &Partition,
    draws: &PartitionDraws,
    progress: &dyn Progress,
) -> Result<Vec<Coclustering>> {
    draws.check_size(estimate)?;
    let (n, clusters) = (estimate.len(), estimate.clusters());
    let sizes = estimate.sizes();
    let too_large = || {
        Error::resource(format!("co-clustering of {n} observations in {clusters} clusters does not fit into memory"))
            .hint("bound the number of clusters of the estimate")
    };
    let table_cells = clusters.checked_mul(n.max(draws.max_clusters())).filter(|&cells| cells <= MAX_CELLS);
    table_cells.ok_or_else(too_large)?;

    // together[i * clusters + k] = Σ_m w_m |cluster k of the estimate ∩ cluster of i in draw m|
    let mut together = vec![0.0; n * clusters];
    let mut table = Vec::new();
    for m in 0..draws.len() {
        progress.check()?;
        let (labels, weight) = (draws.labels(m), draws.weight(m));
        table.clear();
        table.resize(clusters * draws.clusters(m), 0.0);
        for (row, &k) in labels.iter().zip(estimate.labels()) {
            table[row as usize * clusters + k as usize] += weight;
        }
        together.par_chunks_mut(clusters * CHUNK).enumerate().for_each(|(chunk, sums)| {
            let labels = labels.slice(chunk * CHUNK..n.min((chunk + 1) * CHUNK));
            for (sums, row) in sums.chunks_mut(clusters).zip(labels) {
                let counts = &table[row as usize * clusters..(row as usize + 1) * clusters];
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        });
    }
    Ok(estimate
        .labels()
        .iter()
        .zip(together.chunks(clusters))
        .map(|(&own, sums)| coclustering(own, sums, &sizes))
        .collect())
}

const CHUNK: usize = 1024;

/// 4 GiB of sums.
const MAX_CELLS: usize = 1 << 29;

fn coclustering(cluster: u32, sums: &[f64], sizes: &[u32]) -> Coclustering {
    let mates = f64::from(sizes[cluster as usize] - 1);
    // An observation is always together with itself, which does not count.
    let own = if mates > 0.0 { ((sums[cluster as usize] - 1.0) / mates).clamp(0.0, 1.0) } else { 1.0 };
    let (mut other, mut runner_up) = (0.0, None);
    for (k, (&sum, &size)) in sums.iter().zip(sizes).enumerate() {
        let mean = (sum / f64::from(size)).min(1.0);
        if k as u32 != cluster && (runner_up.is_none() || mean > other) {
            (other, runner_up) = (mean, Some(k as u32));
        }
    }
    let score = if own + other > 0.0 { own / (own + other) } else { 0.5 };
    Coclustering { own, other, runner_up, score }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::partition::similarity_block;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_similarity_matrix(
            rows in (2usize..12).prop_flat_map(|n| proptest::collection::vec(proptest::collection::vec(0u8..4, n), 2..9)),
        ) {
            let estimate = Partition::from_integers(&rows[0]).unwrap();
            let draws = PartitionDraws::from_rows(&rows[1..]).unwrap();
            let n = estimate.len();
            let similarity = similarity_block(&draws, 0..n, 0..n, &Silent).unwrap().values;
            let all = coclusterings(&estimate, &draws, &Silent).unwrap();
            for i in 0..n {
                let mean = |k: u32| {
                    let members: Vec<usize> = (0..n).filter(|&j| j != i && estimate.labels()[j] == k).collect();
                    let sum: f64 = members.iter().map(|&j| similarity[i * n + j]).sum();
                    if members.is_empty() { 1.0 } else { sum / members.len() as f64 }
                };
                let own = estimate.labels()[i];
                let other = (0..estimate.clusters() as u32).filter(|&k| k != own).map(mean).fold(0.0, f64::max);
                prop_assert!((all[i].own - mean(own)).abs() < 1e-12);
                prop_assert!((all[i].other - other).abs() < 1e-12);
                prop_assert!((0.0..=1.0).contains(&all[i].score));
                prop_assert_eq!(all[i].runner_up.is_some(), estimate.clusters() > 1);
            }
        }
    }

    #[test]
    fn sure_torn_and_misplaced() {
        let draws = PartitionDraws::from_rows(&[[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]).unwrap();
        let estimate = Partition::from_integers(&[0, 0, 0, 1, 1]).unwrap();
        let scores: Vec<f64> = coclusterings(&estimate, &draws, &Silent).unwrap().iter().map(|c| c.score).collect();
        assert_eq!(scores[2], 0.5);
        assert_eq!(scores[0], 1.0);
        let wrong = Partition::from_integers(&[0, 0, 0, 0, 1]).unwrap();
        assert!(coclusterings(&wrong, &draws, &Silent).unwrap()[3].score < 0.5);
        assert!(coclusterings(&Partition::from_integers(&[0]).unwrap(), &draws, &Silent).is_err());
    }
}
