//! Element-wise functions on slices, vectorised with run-time dispatch; the same bits on every CPU, because no step is fused.

pub(crate) mod exp;

use fearless_simd::{Level, Simd, dispatch};

/// Replaces every x by ln x. Every x is a positive normal number; the error is below 1 unit in the last place.
pub(crate) fn ln_in_place(x: &mut [f64]) {
    dispatch!(Level::new(), simd => ln_slice(simd, x));
}

#[inline(always)]
fn ln_slice<S: Simd>(_simd: S, x: &mut [f64]) {
    for v in x {
        *v = ln(*v);
    }
}

/// The algorithm of fdlibm without its branches: x = 2^k m with m in [√½, √2), ln m by a polynomial in s = (m − 1)/(m + 1).
#[inline(always)]
fn ln(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e << 32;
    const ONE: u64 = 0x3ff0_0000 << 32;
    const MANTISSA: u64 = (1 << 52) - 1;
    // 2^52: a double with these bits or-ed onto a small integer is 2^52 plus that integer.
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    let bits = x.to_bits().wrapping_add(ONE - SQRT_HALF);
    let k = f64::from_bits(TWO_52 | (bits >> 52)) - (4_503_599_627_370_496.0 + 1023.0);
    let f = f64::from_bits((bits & MANTISSA).wrapping_add(SQRT_HALF)) - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let odd = w * (0.399_999_999_994_094_2 + w * (0.222_221_984_321_497_84 + w * 0.153_138_376_992_093_73));
    let even = z
        * (0.666_666_666_666_673_5
            + w * (0.285_714_287_436_623_9 + w * (0.181_835_721_616_180_5 + w * 0.147_981_986_051_165_86)));
    s * (half_square + odd + even) + k * 1.908_214_929_270_587_7e-10 - half_square + f + k * 0.693_147_180_369_123_8
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every instruction set that this machine can run, the plainest first.
    pub(crate) fn every_level() -> Vec<Level> {
        let best = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let lower = [
            best.as_sse2().map(|simd| simd.level()),
            best.as_sse4_2().map(|simd| simd.level()),
            best.as_avx2().map(|simd| simd.level()),
        ];
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        let lower = [Some(Level::baseline())];
        lower.into_iter().flatten().chain([best]).collect()
    }

    /// The bits of numbers, for comparisons that see every rounding error.
    pub(crate) fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|x| x.to_bits()).collect()
    }

    #[test]
    fn logarithms_have_the_same_bits_at_every_level() {
        let values: Vec<f64> = (1..2000).map(|i| f64::from(i * i) * 1e-5).collect();
        let of = |level: Level| {
            let mut x = values.clone();
            dispatch!(level, simd => ln_slice(simd, &mut x));
            bits(&x)
        };
        assert!(every_level().into_iter().all(|level| of(level) == of(Level::new())));
    }

    proptest! {
        #[test]
        fn ln_agrees_with_the_standard_library(exponent in -1000.0..1000.0f64, factor in 0.5..2.0f64) {
            let x = exponent.exp2() * factor;
            let mut y = [x];
            ln_in_place(&mut y);
            prop_assert!((y[0] - x.ln()).abs() <= 2.0 * f64::EPSILON * x.ln().abs().max(f64::MIN_POSITIVE), "{x}: {} {}", y[0], x.ln());
        }
    }

    #[test]
    fn ln_of_one_is_zero() {
        let mut x = [1.0];
        ln_in_place(&mut x);
        assert_eq!(x, [0.0]);
    }
}
