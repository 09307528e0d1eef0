//! exp of non-positive numbers over whole vectors, in code that the compiler vectorizes and that has the same bits on every CPU.

/// exp(x) for x ≤ 0, within 2 units in the last place; 0 below −708 (where exp(x) < 1e-307) and for NaN.
///
/// x = k ln 2 + r with |r| ≤ ln 2 / 2, Taylor polynomial of degree 13 in r (error below 5e-18), then the exponent k by bits.
#[inline(always)]
pub(crate) fn exp_nonpositive(x: f64) -> f64 {
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
    let mut sum = COEFFICIENTS[0];
    for coefficient in &COEFFICIENTS[1..] {
        sum = sum * r + coefficient;
    }
    let power_of_two = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    let value = sum * power_of_two;
    if inside { value } else { 0.0 }
}

/// 1/13!, 1/12!, …, 1/1!, 1/0!.
const COEFFICIENTS: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn agrees_with_std(x in prop_oneof![-708.0..0.0f64, -1.0..0.0f64, -1e-9..0.0f64]) {
            let exact = x.exp();
            prop_assert!((exp_nonpositive(x) - exact).abs() <= 2.0 * f64::EPSILON * exact, "{x}");
        }
    }
}
