//! Randomised quasi-Monte Carlo points: Sobol sequences, Owen-scrambled by a hash, as many independent copies as wanted.

use std::sync::LazyLock;

/// How many coordinates have direction numbers; points of higher dimension continue with independent uniforms.
#[cfg(test)]
const DIMENSIONS: usize = 128;

/// Primitive polynomial and initial direction numbers m_1, m_2, … of the dimensions 2, 3, …
///
/// Source: S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections",
/// SIAM J. Sci. Comput. 30 (2008), table new-joe-kuo-6.
const JOE_KUO: &str = include_str!("joe_kuo.txt");

static DIRECTIONS: LazyLock<Vec<[u32; 32]>> = LazyLock::new(|| {
    let first = std::array::from_fn(|bit| 1 << (31 - bit));
    std::iter::once(first).chain(JOE_KUO.lines().map(direction_numbers)).collect()
});

fn direction_numbers(line: &str) -> [u32; 32] {
    let (polynomial, initial) = line.split_once(':').expect("the table has one colon a line");
    let polynomial: u32 = polynomial.parse().expect("the table holds integers");
    let degree = polynomial.ilog2() as usize;
    let mut v = [0u32; 32];
    for (bit, m) in initial.split_whitespace().enumerate() {
        let m: u32 = m.parse().expect("the table holds integers");
        v[bit] = m << (31 - bit);
    }
    for bit in degree..32 {
        v[bit] = v[bit - degree] ^ (v[bit - degree] >> degree);
        for k in 1..degree {
            if polynomial >> (degree - k) & 1 == 1 {
                v[bit] ^= v[bit - k];
            }
        }
    }
    v
}

/// Coordinate `dimension` of point `index`, scrambled by `key`, strictly inside (0, 1).
///
/// Points that share a key per dimension form one randomised Sobol sequence; every point is uniform over the choice of keys.
pub(super) fn scrambled_sobol(index: u32, dimension: usize, key: u64) -> f64 {
    let key = mix(key ^ (dimension as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let bits = match DIRECTIONS.get(dimension) {
        Some(v) => owen_scramble(sobol(index, v), key as u32),
        None => (mix(key ^ u64::from(index)) >> 32) as u32,
    };
    (f64::from(bits) + 0.5) * 2f64.powi(-32)
}

fn sobol(index: u32, directions: &[u32; 32]) -> u32 {
    let mut left = index;
    let mut x = 0;
    while left != 0 {
        x ^= directions[left.trailing_zeros() as usize];
        left &= left - 1;
    }
    x
}

/// Owen's nested scrambling by a Laine-Karras hash: in bit-reversed order, each bit may only depend on the bits before it, which
/// additions and multiplications by even numbers xor-ed onto the value respect. Constants: N. Vegdahl (2021).
fn owen_scramble(x: u32, key: u32) -> u32 {
    let mut x = x.reverse_bits();
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(key);
    x = x.wrapping_mul((key >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}

/// A bijective hash of 64 bits (the finaliser of SplitMix64).
pub(super) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The defining property of a Sobol sequence in base 2: 2^m points put exactly one into each interval of length 2^-m, in every
    /// coordinate, scrambled or not; and the first two coordinates fill every elementary rectangle.
    #[test]
    fn points_are_balanced_in_every_coordinate_and_in_the_first_two() {
        for dimension in 0..DIMENSIONS {
            let mut seen = [false; 256];
            for index in 0..256 {
                seen[(scrambled_sobol(index, dimension, 42) * 256.0) as usize] = true;
            }
            assert!(seen.iter().all(|&s| s), "dimension {dimension}");
        }
        for (columns, rows) in [(2, 128), (16, 16), (128, 2)] {
            let mut seen = vec![false; 256];
            for index in 0..256 {
                let cell = |dimension, cells| (scrambled_sobol(index, dimension, 7) * f64::from(cells)) as usize;
                seen[cell(0, columns) * rows as usize + cell(1, rows)] = true;
            }
            assert!(seen.iter().all(|&s| s));
        }
    }

    /// First unscrambled points of dimension 2 and 3 as published with the table.
    #[test]
    fn unscrambled_points_match_the_published_sequence() {
        let value = |index, dimension: usize| f64::from(sobol(index, &DIRECTIONS[dimension])) * 2f64.powi(-32);
        let gray = [0, 1, 3, 2, 6, 7, 5, 4];
        let second: Vec<f64> = gray.iter().map(|&i| value(i, 1)).collect();
        let third: Vec<f64> = gray.iter().map(|&i| value(i, 2)).collect();
        assert_eq!(second, [0.0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625]);
        assert_eq!(third, [0.0, 0.5, 0.25, 0.75, 0.625, 0.125, 0.875, 0.375]);
    }

    #[test]
    fn coordinates_beyond_the_table_are_uniform() {
        let mean = (0..4096).map(|i| scrambled_sobol(i, DIMENSIONS + 3, 1)).sum::<f64>() / 4096.0;
        assert!((mean - 0.5).abs() < 5.0 / (12f64 * 4096.0).sqrt());
    }
}
