//! The slice error: Monte Carlo error of a mean over finitely many slices, from groups of slices that are independent.

use crate::slice::Replicates;

/// Standard error of the mean of `values`, one for each slice; `None` with fewer than two independent groups.
///
/// Group means x_g over n_g slices estimate the variance of a slice by Σ n_g (x_g − x̄)² / (G − 1).
pub(crate) fn standard_error(values: &[f64], replicates: Replicates) -> Option<f64> {
    let groups = groups(values.len(), replicates);
    if groups < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut sums = vec![0.0; groups];
    let mut sizes = vec![0.0; groups];
    for (l, value) in values.iter().enumerate() {
        sums[replicates.group(l)] += value - mean;
        sizes[replicates.group(l)] += 1.0;
    }
    let scatter: f64 = sums.iter().zip(&sizes).map(|(sum, size)| sum * sum / size).sum();
    Some((scatter / ((groups - 1) as f64 * values.len() as f64)).sqrt())
}

/// How many independent groups so many slices make.
pub(crate) fn groups(slices: usize, replicates: Replicates) -> usize {
    (0..slices).map(|l| replicates.group(l) + 1).max().unwrap_or(0)
}

/// At most this many groups are kept apart where a whole vector or matrix of errors is wanted: 31 degrees of freedom are plenty.
pub(crate) const KEPT_APART: usize = 32;

/// Slices in batches that are independent of each other and, up to one group, of equal size, [`KEPT_APART`] of them if there are as many groups.
pub(crate) fn independent_batches(slices: usize, replicates: Replicates) -> Vec<Vec<usize>> {
    match replicates {
        Replicates::Interleaved(count) => {
            (0..count.min(slices)).map(|group| (group..slices).step_by(count).collect()).collect()
        }
        Replicates::Consecutive(size) => {
            let units = slices.div_ceil(size);
            let batches = KEPT_APART.min(units);
            (0..batches)
                .map(|b| (b * units / batches * size..((b + 1) * units / batches * size).min(slices)).collect())
                .collect()
        }
    }
}

/// Slices in a few groups that are independent of each other and nearly of equal size.
#[derive(Debug, Clone)]
pub(crate) struct SliceGroups {
    /// The group of each slice.
    pub(crate) of_slice: Vec<usize>,
    /// Slices in each group.
    pub(crate) sizes: Vec<usize>,
}

impl SliceGroups {
    /// At most so many groups.
    pub(crate) fn new(slices: usize, replicates: Replicates, most: usize) -> Self {
        let batches = independent_batches(slices, replicates);
        let groups = batches.len().min(most);
        let (mut of_slice, mut sizes) = (vec![0; slices], vec![0; groups]);
        for (b, batch) in batches.iter().enumerate() {
            let group = b * groups / batches.len();
            sizes[group] += batch.len();
            batch.iter().for_each(|&slice| of_slice[slice] = group);
        }
        SliceGroups { of_slice, sizes }
    }
}

/// What batches scatter by beyond this part of their squares; below it is rounding, which is another one wherever sums are folded in another order.
const ROUNDING: f64 = 1e-14;

/// Running sums of one quantity over independent batches of slices.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BatchSums {
    /// Σ T_b: over all slices.
    pub(crate) sum: f64,
    /// Σ T_b² / n_b.
    pub(crate) squares: f64,
}

impl BatchSums {
    pub(crate) fn add(&mut self, batch_sum: f64, batch_size: usize) {
        self.sum += batch_sum;
        self.squares += batch_sum * batch_sum / batch_size as f64;
    }

    pub(crate) fn mean(&self, slices: usize) -> f64 {
        self.sum / slices as f64
    }

    /// Standard error of the mean; 0 with fewer than two batches.
    pub(crate) fn standard_error(&self, slices: usize, batches: usize) -> f64 {
        if batches < 2 {
            return 0.0;
        }
        let scatter = self.squares - self.sum * self.sum / slices as f64;
        if scatter <= ROUNDING * self.squares {
            return 0.0;
        }
        (scatter / ((batches - 1) as f64 * slices as f64)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_slices_give_the_textbook_standard_error() {
        let values = [1.0, 2.0, 4.0, 7.0];
        let variance = values.iter().map(|v| (v - 3.5f64).powi(2)).sum::<f64>() / 3.0;
        let expected = (variance / 4.0).sqrt();
        assert!((standard_error(&values, Replicates::Consecutive(1)).unwrap() - expected).abs() < 1e-15);
        let mut sums = BatchSums::default();
        values.iter().for_each(|&v| sums.add(v, 1));
        assert!((sums.standard_error(4, 4) - expected).abs() < 1e-15);
    }

    #[test]
    fn groups_count_as_one_observation() {
        let values = [1.0, 3.0, 5.0, 7.0];
        assert!((standard_error(&values, Replicates::Consecutive(2)).unwrap() - 2.0).abs() < 1e-15);
        assert!((standard_error(&values, Replicates::Interleaved(2)).unwrap() - 1.0).abs() < 1e-15);
        assert_eq!(standard_error(&values, Replicates::Consecutive(4)), None);
        assert_eq!(standard_error(&[], Replicates::Consecutive(4)), None);
    }

    #[test]
    fn batches_cover_every_slice_once() {
        for slices in [1, 2, 7, 100, 1000] {
            for replicates in [Replicates::Consecutive(1), Replicates::Consecutive(6), Replicates::Interleaved(16)] {
                let batches = independent_batches(slices, replicates);
                let mut all: Vec<usize> = batches.concat();
                all.sort_unstable();
                assert_eq!(all, (0..slices).collect::<Vec<_>>());
                assert!(batches.iter().all(|batch| !batch.is_empty()));
                let groups = SliceGroups::new(slices, replicates, 10);
                let count = |group: usize| groups.of_slice.iter().filter(|&&of_slice| of_slice == group).count();
                assert!(groups.sizes.len() == batches.len().min(10));
                assert!(groups.sizes.iter().enumerate().all(|(group, &size)| size > 0 && size == count(group)));
                // Slices that depend on each other are in one group.
                let group = |l: usize| groups.of_slice[l];
                assert!(
                    (0..slices)
                        .all(|l| (0..l).all(|m| replicates.group(l) != replicates.group(m) || group(l) == group(m)))
                );
            }
        }
    }
}
