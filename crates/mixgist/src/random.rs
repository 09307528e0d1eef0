//! Random streams: everything random is a function of (seed, purpose, index), never of threads or call order.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// What a stream is for; two purposes never share random numbers under the same seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Directions of slices.
    Slices = 1,
    /// Choices that only affect speed, such as anchors of a search.
    Search = 2,
    /// Sampled labels.
    Labels = 3,
    /// Points sampled from a density.
    Points = 4,
    /// Chains of a sampler.
    Chains = 5,
    /// Starts and sweeps of a partition search.
    Partitions = 6,
    /// Simulated data and demonstrations.
    Simulation = 7,
    /// Directions that estimates are judged on, not fitted to.
    HeldOut = 8,
    /// Splits of the draws into halves.
    Splits = 9,
    /// Tiles of points in a step of a sampler.
    Tiles = 10,
}

/// The generator number `index` for `purpose` under `seed`.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(((purpose as u64) << 56) | (index & ((1 << 56) - 1)));
    rng
}

/// Fills `out` with independent standard normals.
pub fn standard_normals(rng: &mut impl Rng, out: &mut [f64]) {
    out.fill_with(|| rng.sample(StandardNormal));
}

/// Fills `out` with a point that is uniform on the unit sphere (on {−1, +1} in dimension 1).
pub fn unit_vector(rng: &mut impl Rng, out: &mut [f64]) {
    loop {
        standard_normals(rng, out);
        if normalize(out) {
            return;
        }
    }
}

/// Scales `x` to Euclidean length 1; false when it is the zero vector.
pub fn normalize(x: &mut [f64]) -> bool {
    let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
    if norm > 0.0 {
        x.iter_mut().for_each(|v| *v /= norm);
    }
    norm > 0.0
}

/// Turns a d × d matrix of standard normals (row-major) into a Haar-distributed orthogonal matrix, in place: the columns are
/// orthonormalised by modified Gram-Schmidt, twice for accuracy, which is QR with a positive diagonal of R.
pub fn orthonormalize(matrix: &mut [f64], d: usize) {
    for _ in 0..2 {
        for j in 0..d {
            for k in 0..j {
                let dot: f64 = (0..d).map(|i| matrix[i * d + j] * matrix[i * d + k]).sum();
                (0..d).for_each(|i| matrix[i * d + j] -= dot * matrix[i * d + k]);
            }
            let norm = (0..d).map(|i| matrix[i * d + j].powi(2)).sum::<f64>().sqrt();
            (0..d).for_each(|i| matrix[i * d + j] /= norm);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_purpose_and_index_and_repeat() {
        let first = |purpose, index| stream(7, purpose, index).next_u64();
        assert_eq!(first(Purpose::Slices, 3), first(Purpose::Slices, 3));
        assert_ne!(first(Purpose::Slices, 3), first(Purpose::Slices, 4));
        assert_ne!(first(Purpose::Slices, 3), first(Purpose::Search, 3));
    }

    #[test]
    fn orthonormalized_columns_are_orthonormal() {
        for d in [1, 2, 5, 20] {
            let mut q = vec![0.0; d * d];
            standard_normals(&mut stream(1, Purpose::Slices, d as u64), &mut q);
            orthonormalize(&mut q, d);
            for j in 0..d {
                for k in 0..=j {
                    let dot: f64 = (0..d).map(|i| q[i * d + j] * q[i * d + k]).sum();
                    assert!((dot - f64::from(j == k)).abs() < 1e-14 * d as f64);
                }
            }
        }
    }
}
