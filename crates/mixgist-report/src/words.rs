//! Numbers as people read them.

/// A number with so many significant digits, without an exponent where that is readable.
pub fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let exponent = x.abs().log10().floor() as i32;
    if (-4..6).contains(&exponent) {
        format!("{x:.*}", (digits as i32 - 1 - exponent).max(0) as usize)
    } else {
        format!("{x:.*e}", digits - 1)
    }
}

/// What twelve decimals cannot show.
const LEAST_SHOWN: f64 = 5e-13;

/// A value with its standard error: 1.2953 ± 0.0213.
pub fn with_error(value: f64, error: Option<f64>) -> String {
    match error {
        // Rounding alone.
        Some(error) if error > 0.0 && error.max(value.abs()) < LEAST_SHOWN => "0".into(),
        Some(error) if error > LEAST_SHOWN => {
            let decimals = (1 - error.log10().floor() as i32).clamp(0, 12) as usize;
            format!("{value:.decimals$} ± {error:.decimals$}")
        }
        _ => significant(value, 5),
    }
}

/// How near an expected loss is to the floor: "within 1.23 % of the best possible". `excess` is the part by which it is above; there is
/// none when the floor is 0.
pub fn within(expected_loss: f64, excess: Option<f64>) -> String {
    match excess {
        Some(excess) => format!("within {} of the best possible", percent(excess)),
        None if expected_loss > 0.0 => "while the best possible may be 0".into(),
        None => "the best possible".into(),
    }
}

/// "1.23 %", "12.3 %".
pub fn percent(part: f64) -> String {
    if part < 0.0995 { format!("{:.2} %", 100.0 * part) } else { format!("{:.1} %", 100.0 * part) }
}

/// "1 draw", "2 draws".
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_the_digits_that_count() {
        assert_eq!(significant(1234.5678, 3), "1235");
        assert_eq!(significant(-0.0012345, 3), "-0.00123");
        assert_eq!(significant(1.5e-7, 3), "1.50e-7");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(with_error(1.29531, Some(0.02134)), "1.295 ± 0.021");
        assert_eq!(with_error(1.29531, Some(0.0)), "1.2953");
        assert_eq!(with_error(1.29531, None), "1.2953");
        assert_eq!(with_error(1.29531, Some(1e-16)), "1.2953");
        assert_eq!(with_error(3e-17, Some(1e-17)), "0");
        assert_eq!(within(1.1, Some(0.1)), "within 10.0 % of the best possible");
        assert_eq!(within(1.1, None), "while the best possible may be 0");
        assert_eq!((count(1, "draw"), count(2, "draw")), ("1 draw".into(), "2 draws".into()));
    }
}
