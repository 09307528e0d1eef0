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
pub fn scrambled_sobol(index: u32, dimension: usize, key: u64) -> f64 {
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
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Quantile function of the standard normal law, relative error about 1e-16.
///
/// Algorithm AS 241 (PPND16): M. J. Wichura, Applied Statistics 37 (1988).
pub fn normal_quantile(u: f64) -> f64 {
    let q = u - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(r, &A, &B);
    }
    let tail = if q < 0.0 { u } else { 1.0 - u };
    let r = (-libm::log(tail)).sqrt();
    let magnitude = if r <= 5.0 { ratio(r - 1.6, &C, &D) } else { ratio(r - 5.0, &E, &F) };
    magnitude.copysign(q)
}

fn ratio(r: f64, numerator: &[f64; 8], denominator: &[f64; 8]) -> f64 {
    let polynomial = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, &k| sum * r + k);
    polynomial(numerator) / polynomial(denominator)
}

const A: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const B: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const C: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    7.745_450_142_783_414e-4,
];
const D: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const E: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const F: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from the 40-digit arithmetic of mpmath.
    #[test]
    fn normal_quantiles_match_high_precision_values() {
        for (u, x) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054_2),
            (0.01, -2.326_347_874_040_841),
            (1e-9, -5.997_807_015_007_687),
            (1e-15, -7.941_345_326_170_997),
        ] {
            assert!((normal_quantile(u) - x).abs() <= 4e-15 * x.abs(), "{u}");
        }
    }

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
