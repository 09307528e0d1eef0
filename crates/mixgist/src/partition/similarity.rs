//! Posterior similarity π_ij = P(i and j share a cluster): for chosen pairs and by blocks, never as a whole n × n matrix.

use std::ops::Range;

use rayon::prelude::*;

use crate::labels::PartitionDraws;
use crate::{Error, Progress, Result};

/// A rectangle of the similarity matrix.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SimilarityBlock {
    /// The observations of its rows.
    pub rows: Range<usize>,
    /// The observations of its columns.
    pub columns: Range<usize>,
    /// π_ij, row-major.
    pub values: Vec<f64>,
}

/// π_ij for each of the given pairs of observations. Cost O(M) a pair.
pub fn similarity_of_pairs(draws: &PartitionDraws, pairs: &[(usize, usize)]) -> Result<Vec<f64>> {
    let n = draws.observations();
    if let Some((i, j)) = pairs.iter().find(|(i, j)| *i.max(j) >= n) {
        return Err(Error::usage(format!("pair ({i}, {j}) is outside of the {n} observations 0..{n}")));
    }
    Ok(pairs
        .par_iter()
        .with_min_len(64)
        .map(|&(i, j)| {
            (0..draws.len())
                .filter(|&m| draws.labels(m).get(i) == draws.labels(m).get(j))
                .map(|m| draws.weight(m))
                .sum::<f64>()
                .min(1.0)
        })
        .collect())
}

/// Labels that are compared between two looks at whether to go on.
const COMPARED: usize = 1 << 20;

/// π_ij for i in `rows` and j in `columns`. Cost O(M · rows · columns) in parallel, memory the block alone.
pub fn similarity_block(
    draws: &PartitionDraws,
    rows: Range<usize>,
    columns: Range<usize>,
    progress: &dyn Progress,
) -> Result<SimilarityBlock> {
    let n = draws.observations();
    for (what, range) in [("rows", &rows), ("columns", &columns)] {
        if range.start > range.end || range.end > n {
            return Err(Error::usage(format!(
                "{what} {}..{} are outside of the {n} observations 0..{n}",
                range.start, range.end
            )));
        }
    }
    let cells = rows.len().saturating_mul(columns.len());
    let mut values: Vec<f64> = Vec::new();
    values.try_reserve_exact(cells).map_err(|_| {
        Error::resource(format!("a block of {} × {} similarities does not fit into memory", rows.len(), columns.len()))
            .hint("ask for smaller blocks")
    })?;
    values.resize(cells, 0.0);
    if cells > 0 {
        let together = (COMPARED / columns.len()).max(1);
        progress.begin("similarities", rows.len() as u64);
        values.par_chunks_mut(columns.len()).zip(rows.clone()).try_for_each(|(row, i)| {
            for m in 0..draws.len() {
                if m % together == 0 {
                    progress.check()?;
                }
                let (labels, weight) = (draws.labels(m), draws.weight(m));
                let own = labels.get(i);
                let others = labels.slice(columns.clone()).iter().enumerate();
                others.for_each(|(place, label)| row[place] += if label == own { weight } else { 0.0 });
            }
            row.iter_mut().for_each(|value| *value = value.min(1.0));
            progress.advance(1);
            Ok(())
        })?;
    }
    Ok(SimilarityBlock { rows, columns, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn blocks_and_pairs_agree_with_counting() {
        let draws = PartitionDraws::from_rows(&[[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]])
            .unwrap()
            .with_draw_weights(&[1.0, 2.0, 1.0])
            .unwrap();
        let expected = [[1.0, 0.5, 0.25, 0.0], [0.5, 1.0, 0.75, 0.5], [0.25, 0.75, 1.0, 0.75], [0.0, 0.5, 0.75, 1.0]];
        let block = similarity_block(&draws, 1..3, 0..4, &Silent).unwrap();
        assert_eq!(block.values, [expected[1], expected[2]].concat());
        let pairs: Vec<(usize, usize)> = (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).collect();
        assert_eq!(similarity_of_pairs(&draws, &pairs).unwrap(), expected.concat());
        assert!(similarity_block(&draws, 2..2, 0..4, &Silent).unwrap().values.is_empty());
    }

    #[test]
    fn observations_that_do_not_exist_are_refused() {
        let draws = PartitionDraws::from_dense(2, &[0, 1]).unwrap();
        assert!(similarity_of_pairs(&draws, &[(0, 2)]).is_err());
        assert!(similarity_block(&draws, 0..3, 0..1, &Silent).is_err());
        let backwards = Range { start: 2, end: 1 };
        assert!(similarity_block(&draws, 0..1, backwards, &Silent).is_err());
    }

    #[test]
    fn a_hundred_thousand_observations_by_blocks() {
        let labels: Vec<u32> = (0..300_000).map(|i| i % 7).collect();
        let draws = PartitionDraws::from_dense(100_000, &labels).unwrap();
        let block = similarity_block(&draws, 99_990..100_000, 0..100_000, &Silent).unwrap();
        for (cell, &value) in block.values.iter().enumerate() {
            let (i, j) = (99_990 + cell / 100_000, cell % 100_000);
            assert_eq!(value, f64::from(i % 7 == j % 7));
        }
    }
}
