//! Points sampled from a density F = f * G.

use rand::RngExt;
use rayon::prelude::*;

use crate::mixture::{Mixture, POINTS_PER_TASK};
use crate::random::{Purpose, standard_normals, stream};
use crate::{Error, Progress, Result};

/// Points sampled from a mixture, each with the atom it came from.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SampledPoints {
    /// n × d, row-major.
    pub values: Vec<f64>,
    /// The atom of each point.
    pub labels: Vec<u32>,
}

/// Points whose memory is made at a time.
const POINTS_PER_BLOCK: usize = 1 << 18;

/// n points from F: an atom by its weight, then a Gaussian; point i depends on (seed, i) alone.
///
/// Points in parallel; cost O(K + d²) a point.
pub fn sample_points(mixture: &Mixture, n: usize, seed: u64, progress: &dyn Progress) -> Result<SampledPoints> {
    let d = mixture.dim();
    let too_large = || Error::resource(format!("{n} points of dimension {d} do not fit into memory"));
    let size = n.checked_mul(d).ok_or_else(too_large)?;
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    values.try_reserve_exact(size).map_err(|_| too_large())?;
    labels.try_reserve_exact(n).map_err(|_| too_large())?;

    let cumulative: Vec<f64> = mixture
        .weights()
        .iter()
        .scan(0.0, |sum, w| {
            *sum += w;
            Some(*sum)
        })
        .collect();
    let total = cumulative[cumulative.len() - 1];
    progress.begin("points", n as u64);
    // Fresh memory takes time too: it is made as the points come.
    for start in (0..n).step_by(POINTS_PER_BLOCK) {
        let end = n.min(start + POINTS_PER_BLOCK);
        values.resize(end * d, 0.0);
        labels.resize(end, 0u32);
        let tasks = values[start * d..].par_chunks_mut(POINTS_PER_TASK * d);
        tasks.zip(labels[start..].par_chunks_mut(POINTS_PER_TASK)).enumerate().try_for_each(
            |(task, (values, labels))| {
                progress.check()?;
                let first = start + task * POINTS_PER_TASK;
                for (i, (point, label)) in values.chunks_exact_mut(d).zip(labels.iter_mut()).enumerate() {
                    let mut rng = stream(seed, Purpose::Points, (first + i) as u64);
                    let u = rng.random::<f64>() * total;
                    let atom = cumulative.partition_point(|&c| c <= u).min(cumulative.len() - 1);
                    standard_normals(&mut rng, point);
                    place(mixture, atom, point);
                    *label = atom as u32;
                }
                progress.advance(labels.len() as u64);
                Ok(())
            },
        )?;
    }
    Ok(SampledPoints { values, labels })
}

/// Turns standard normals z into μ + L z, in place: with the rows of L⁻¹ at hand, x = L z solves L⁻¹ x = z.
fn place(mixture: &Mixture, atom: usize, z: &mut [f64]) {
    let mut rows = mixture.weighted_kernel().inverse_factor(atom);
    for i in 0..z.len() {
        let (row, rest) = rows.split_at(i + 1);
        let known: f64 = row[..i].iter().zip(z.iter()).map(|(w, x)| w * x).sum();
        z[i] = (z[i] - known) / row[i];
        rows = rest;
    }
    for (x, m) in z.iter_mut().zip(mixture.weighted_kernel().mean(atom)) {
        *x += m;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::mixture::tests::random_measure;

    #[test]
    fn moments_of_each_atom_are_right() {
        let measure = random_measure(3, 2, 4);
        let n = 100_000;
        let sampled = sample_points(&Mixture::new(&measure).unwrap(), n, 1, &Silent).unwrap();
        for k in 0..2 {
            let points: Vec<&[f64]> = sampled
                .values
                .chunks(3)
                .zip(&sampled.labels)
                .filter(|(_, label)| **label == k as u32)
                .map(|(y, _)| y)
                .collect();
            let m = points.len() as f64;
            // All bounds are 5 standard errors: false alarms about 1e-5 in all under another seed.
            let w = measure.weights()[k];
            assert!((m / n as f64 - w).abs() < 5.0 * (w * (1.0 - w) / n as f64).sqrt());
            let (mean, covariance) = (measure.atoms().mean(k), measure.atoms().covariance(k));
            for a in 0..3 {
                let average = points.iter().map(|y| y[a]).sum::<f64>() / m;
                assert!((average - mean[a]).abs() < 5.0 * (covariance[a * 3 + a] / m).sqrt());
                for b in 0..3 {
                    let product = points.iter().map(|y| (y[a] - mean[a]) * (y[b] - mean[b])).sum::<f64>() / m;
                    let variance = covariance[a * 3 + a] * covariance[b * 3 + b] + covariance[a * 3 + b].powi(2);
                    assert!((product - covariance[a * 3 + b]).abs() < 5.0 * (variance / m).sqrt());
                }
            }
        }
    }

    #[test]
    fn a_longer_sample_begins_with_the_shorter_one() {
        let mixture = Mixture::new(&random_measure(2, 3, 4)).unwrap();
        let short = sample_points(&mixture, 10, 7, &Silent).unwrap();
        let long = sample_points(&mixture, 3000, 7, &Silent).unwrap();
        assert_eq!(short.values, long.values[..20]);
        assert_eq!(short.labels, long.labels[..10]);
        assert_ne!(short.values, sample_points(&mixture, 10, 8, &Silent).unwrap().values);
        assert!(sample_points(&mixture, usize::MAX / 2, 7, &Silent).is_err());
    }
}
