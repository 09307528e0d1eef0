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

/// A number with so many significant digits, and as many more as show it to a tenth of `scale`, what it varies by: 100000004.87 where
/// a hundred million is known to a unit. Digits below a thousandth of `scale` are not shown.
pub fn resolved(x: f64, digits: usize, scale: f64) -> String {
    if x == 0.0 || !x.is_finite() || !(scale > 0.0 && scale.is_finite()) {
        return significant(x, digits);
    }
    let (exponent, fine) = (x.abs().log10().floor() as i32, scale.log10().floor() as i32);
    let (least, most) = (exponent - fine + 2, exponent - fine + 4);
    if most < 1 {
        return "0".into();
    }
    let shown = (digits as i32).max(least).min(most).min(MOST_DIGITS) as usize;
    match shown > digits && (6..MOST_DIGITS).contains(&exponent) {
        true => format!("{x:.*}", (shown as i32 - 1 - exponent).max(0) as usize),
        false => significant(x, shown),
    }
}

/// A number of 64 bits has no more decimal digits.
const MOST_DIGITS: i32 = 15;

/// "0.351 [0.281, 0.412]", with the digits that tell the ends apart.
pub fn interval(median: f64, low: f64, high: f64) -> String {
    let [median, low, high] = [median, low, high].map(|x| resolved(x, 3, high - low));
    format!("{median} [{low}, {high}]")
}

/// What twelve decimals cannot show.
const LEAST_SHOWN: f64 = 5e-13;

/// An error below this part of the value says nothing that its digits do not.
const LEAST_ERROR: f64 = 1e-6;

/// A value with its standard error: 1.2953 ± 0.0213.
pub fn with_error(value: f64, error: Option<f64>) -> String {
    match error {
        // Rounding alone.
        Some(error) if error > 0.0 && error.max(value.abs()) < LEAST_SHOWN => "0".into(),
        Some(error) if error > LEAST_SHOWN && error > LEAST_ERROR * value.abs() => {
            let (size, fine) = (value.abs().max(error).log10().floor() as i32, error.log10().floor() as i32);
            if (-4..6).contains(&size) {
                let decimals = (1 - fine).clamp(0, 12) as usize;
                return format!("{value:.decimals$} ± {error:.decimals$}");
            }
            let (unit, decimals) = (10f64.powi(size), (size - fine + 1).clamp(0, 12) as usize);
            format!("{:.decimals$}e{size} ± {:.decimals$}e{size}", value / unit, error / unit)
        }
        _ => significant(value, 5),
    }
}

/// How near an expected loss is to the floor: "within 1.23 % of the best possible". `excess` is the part by which it is above,
/// infinite when the floor is 0.
pub fn within(expected_loss: f64, excess: f64) -> String {
    match excess.is_finite().then_some(excess) {
        Some(excess) => format!("within {} of the best possible", percent(excess)),
        None if expected_loss > 0.0 => "while the best possible may be 0".into(),
        None => "the best possible".into(),
    }
}

/// "1.23 %", "12.3 %".
pub fn percent(part: f64) -> String {
    if part < 0.0995 { format!("{:.2} %", 100.0 * part) } else { format!("{:.1} %", 100.0 * part) }
}

/// An effective sample size, rounded: "effective sample size 7".
pub fn effective(draws: f64) -> String {
    format!("effective sample size {:.0}", draws.max(1.0))
}

/// A p-value: "p = 0.012", "p < 0.001".
pub fn p_value(p: f64) -> String {
    if p < 1e-3 { "p < 0.001".into() } else { format!("p = {}", significant(p, 2)) }
}

/// "every draw", "every 2nd draw", "every 11th draw".
pub fn every(n: usize, what: &str) -> String {
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    if n == 1 { format!("every {what}") } else { format!("every {n}{ending} {what}") }
}

/// With a capital at its beginning, as a sentence has it; a symbol such as ω stays what it is.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| std::iter::once(first.to_ascii_uppercase()).chain(letters).collect())
}

/// A probability of existence, with its error where there is doubt: "0.751 ± 0.013", "1.000".
pub fn existence(value: f64, standard_error: f64) -> String {
    match value {
        0.0 | 1.0 => format!("{value:.3}"),
        _ => format!("{value:.3} ± {standard_error:.3}"),
    }
}

/// "1 draw", "2 draws".
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A table of text, every column flush right.
pub fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let all = || std::iter::once(header).chain(rows.iter().map(Vec::as_slice));
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_to_what_they_vary_by() {
        // As before, where the digits suffice.
        for (x, scale) in [(1.2345, 0.9), (54.321, 3.0), (1.2e7, 3e5), (-4.8e-8, 1e-8), (0.0, 1.0), (1.5, 0.0)] {
            assert_eq!(resolved(x, 4, scale), significant(x, 4), "{x} {scale}");
        }
        assert_eq!(resolved(1e8 + 4.871, 4, 0.969), "100000004.87");
        assert_eq!(resolved(-1.7e9 - 14.5, 4, 3.0), "-1700000014.5");
        assert_eq!(resolved(1.000_001_2e-6, 4, 1e-12), "1.0000012e-6");
        assert_eq!(resolved(12.345_678, 4, 1e-4), "12.34568");
        assert_eq!(resolved(1e14, 4, 1e-9), "100000000000000");
        // Nothing that is far below what it varies by.
        assert_eq!(resolved(0.001_234, 4, 0.969), "0.0012");
        assert_eq!(resolved(-1e-9, 4, 0.969), "0");
        assert_eq!(interval(1e8, 1e8 - 0.5, 1e8 + 0.49), "100000000.00 [99999999.50, 100000000.49]");
        assert_eq!(interval(0.351, 0.281, 0.412), "0.351 [0.281, 0.412]");
        assert_eq!(interval(2.0, 2.0, 2.0), "2.00 [2.00, 2.00]");
    }

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
        assert_eq!(with_error(6.0712e11, Some(3.3e10)), "6.07e11 ± 0.33e11");
        assert_eq!(with_error(-6.0712e-9, Some(3.3e-10)), "-6.07e-9 ± 0.33e-9");
        assert_eq!(within(1.1, 0.1), "within 10.0 % of the best possible");
        assert_eq!(within(1.1, f64::INFINITY), "while the best possible may be 0");
        assert_eq!(
            (effective(0.2), effective(6.7)),
            ("effective sample size 1".into(), "effective sample size 7".into())
        );
        assert_eq!((p_value(1e-5), p_value(0.0123)), ("p < 0.001".into(), "p = 0.012".into()));
        let texts = [1, 2, 11, 23].map(|n| every(n, "draw"));
        assert_eq!(texts, ["every draw", "every 2nd draw", "every 11th draw", "every 23rd draw"]);
        assert_eq!((existence(1.0, 0.0), existence(0.75, 0.0125)), ("1.000".into(), "0.750 ± 0.013".into()));
        assert_eq!((capitalised("every 2nd draw"), capitalised("")), ("Every 2nd draw".into(), String::new()));
        assert_eq!(capitalised("ω"), "ω");
        assert_eq!((count(1, "draw"), count(2, "draw")), ("1 draw".into(), "2 draws".into()));
    }
}
