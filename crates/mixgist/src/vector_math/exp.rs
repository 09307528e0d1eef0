//! exp of non-positive numbers over whole vectors, in code that the compiler vectorizes and that has the same bits on every CPU.

/// exp(x) for x ≤ 0, within 2 units in the last place; 0 below −708 (where exp(x) < 1e-307) and for NaN.
///
/// x = k ln 2 + r with |r| ≤ ln 2 / 2, a polynomial of degree 11 in r, then the exponent k by bits.
#[inline(always)]
pub fn exp_nonpositive(x: f64) -> f64 {
    // Adding 1.5 · 2^52 rounds to an integer and leaves that integer in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // ln 2 in two parts; the first has trailing zeros, so that k · LN_2_HIGH is exact.
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const SMALLEST: f64 = -708.0;

    let inside = x >= SMALLEST;
    let x = if inside { x } else { SMALLEST };
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let k = rounded - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    // Even and odd powers apart: two short chains of dependent operations instead of a long one.
    let square = r * r;
    let even = ((((C[8] * square + C[6]) * square + C[4]) * square + C[2]) * square + C[0]) * square;
    let odd = ((((C[9] * square + C[7]) * square + C[5]) * square + C[3]) * square + C[1]) * square;
    let sum = 1.0 + (r + (even + r * odd));
    let power_of_two = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    let value = sum * power_of_two;
    if inside { value } else { 0.0 }
}

/// exp(x), within 3 units in the last place; 0 below −708, ∞ above 708.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let value = exp_nonpositive(-x.abs());
    if x > 0.0 { 1.0 / value } else { value }
}

/// exp(r) ≈ 1 + r + r² (C0 + C1 r + … + C9 r⁹): minimax for |r| ≤ ln 2 / 2, relative error 4e-18.
#[allow(clippy::excessive_precision)]
const C: [f64; 10] = [
    0.500_000_000_000_001_1,
    0.166_666_666_666_664_13,
    0.041_666_666_666_530_16,
    0.008_333_333_333_494_468,
    0.001_388_888_894_362_999,
    0.000_198_412_695_065_64,
    2.480_149_309_903_041_7e-5,
    2.755_758_638_842_914_3e-6,
    2.763_024_833_611_640_6e-7,
    2.500_005_660_451_325_7e-8,
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ends_are_right() {
        assert_eq!(exp_nonpositive(0.0), 1.0);
        assert_eq!(exp_nonpositive(-0.0), 1.0);
        assert_eq!(exp_nonpositive(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp_nonpositive(-709.0), 0.0);
        assert_eq!(exp_nonpositive(f64::NAN), 0.0);
        assert!((exp_nonpositive(-708.0) / (-708.0f64).exp() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn exp_overflows_and_underflows() {
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(1000.0), f64::INFINITY);
        assert_eq!(exp(0.0), 1.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn agrees_with_std(x in prop_oneof![-708.0..0.0f64, -1.0..0.0f64, -1e-9..0.0f64]) {
            let exact = x.exp();
            prop_assert!((exp_nonpositive(x) - exact).abs() <= 2.0 * f64::EPSILON * exact, "{x}");
            prop_assert!((exp(-x) - 1.0 / exact).abs() <= 3.0 * f64::EPSILON / exact, "{x}");
        }
    }
}
