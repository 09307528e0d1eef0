//! What is known of the columns of the data before anything else: ranges, means and variances.

use crate::algorithm::tiling::TILE;

/// Ranges, means and variances of the columns. Sums are taken over each tile first and then in order, so that it does not matter who adds a tile up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outline {
    pub rows: usize,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub mean: Vec<f64>,
    pub variance: Vec<f64>,
}

/// Least and largest values of the columns of some rows, and the first row.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Extent {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub first: Vec<f64>,
}

impl Extent {
    /// Of values by rows, at least one row.
    pub(crate) fn of(values: &[f64], dim: usize) -> Self {
        let first = values[..dim].to_vec();
        let (mut low, mut high) = (vec![f64::INFINITY; dim], vec![f64::NEG_INFINITY; dim]);
        for row in values.chunks_exact(dim) {
            for (j, &v) in row.iter().enumerate() {
                low[j] = low[j].min(v);
                high[j] = high[j].max(v);
            }
        }
        Extent { low, high, first }
    }

    fn take_in(&mut self, other: &Extent) {
        self.low.iter_mut().zip(&other.low).for_each(|(low, v)| *low = low.min(*v));
        self.high.iter_mut().zip(&other.high).for_each(|(high, v)| *high = high.max(*v));
    }
}

/// Σ (v − from)ᵖ of each column.
pub(crate) fn power_sums(values: &[f64], from: &[f64], and: &[f64], power: i32) -> Vec<f64> {
    let mut sums = vec![0.0; from.len()];
    for row in values.chunks_exact(from.len()) {
        for (j, &v) in row.iter().enumerate() {
            sums[j] += if power == 1 { v - from[j] } else { (v - from[j] - and[j]).powi(2) };
        }
    }
    sums
}

impl Outline {
    /// Of n × dim finite values by rows.
    pub(crate) fn of(values: &[f64], dim: usize) -> Self {
        Self::in_tiles(values, dim, TILE)
    }

    /// The same with tiles of another size.
    pub(crate) fn in_tiles(values: &[f64], dim: usize, size: usize) -> Self {
        let tiles = || values.chunks(size * dim.max(1));
        let extents = tiles().map(|tile| Extent::of(tile, dim)).collect();
        let sums = |from: &[f64], and: &[f64], power| -> std::result::Result<_, std::convert::Infallible> {
            Ok(tiles().map(|tile| power_sums(tile, from, and, power)).collect())
        };
        let Ok(outline) = Self::from_tiles(values.len() / dim.max(1), dim, extents, sums);
        outline
    }

    /// From what is known of each tile; `sums` asks all of them for [`power_sums`].
    pub(crate) fn from_tiles<E>(
        rows: usize,
        dim: usize,
        extents: Vec<Extent>,
        mut sums: impl FnMut(&[f64], &[f64], i32) -> std::result::Result<Vec<Vec<f64>>, E>,
    ) -> std::result::Result<Self, E> {
        let mut extents = extents.into_iter();
        let Some(mut all) = extents.next() else {
            let nothing = vec![0.0; dim];
            let [low, high, mean, variance] = [(); 4].map(|()| nothing.clone());
            return Ok(Outline { rows, low, high, mean, variance });
        };
        extents.for_each(|extent| all.take_in(&extent));
        let mut total = |from: &[f64], and: &[f64], power| -> std::result::Result<Vec<f64>, E> {
            let mut totals = vec![0.0; dim];
            for tile in sums(from, and, power)? {
                totals.iter_mut().zip(tile).for_each(|(total, sum)| *total += sum);
            }
            Ok(totals)
        };
        // shifted by the first value: no overflow, no cancellation for data far from 0
        let (n, first) = (rows as f64, all.first);
        let shift: Vec<f64> = total(&first, &[], 1)?.into_iter().map(|sum| sum / n).collect();
        let squares = total(&first, &shift, 2)?;
        Ok(Outline {
            rows,
            low: all.low,
            high: all.high,
            mean: first.iter().zip(&shift).map(|(first, shift)| first + shift).collect(),
            variance: squares.into_iter().map(|sum| sum / (n - 1.0).max(1.0)).collect(),
        })
    }

    /// Dimension d.
    pub(crate) fn dim(&self) -> usize {
        self.low.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tiles_give_what_all_rows_give(values in prop::collection::vec(-1e3f64..1e3, 3..200), dim in 1usize..4, size in 1usize..20) {
            let values = &values[..values.len() / dim * dim];
            let (one, many) = (Outline::of(values, dim), Outline::in_tiles(values, dim, size));
            prop_assert_eq!((&one.low, &one.high), (&many.low, &many.high));
            for j in 0..dim {
                let column: Vec<f64> = values.iter().skip(j).step_by(dim).copied().collect();
                let n = column.len() as f64;
                let mean = column.iter().sum::<f64>() / n;
                let variance = column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
                for outline in [&one, &many] {
                    prop_assert!((outline.mean[j] - mean).abs() < 1e-9);
                    prop_assert!((outline.variance[j] - variance).abs() < 1e-8 * (1.0 + variance));
                }
                prop_assert_eq!(one.low[j], column.iter().copied().fold(f64::INFINITY, f64::min));
            }
        }
    }
}
