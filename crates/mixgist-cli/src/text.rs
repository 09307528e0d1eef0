//! Numbers and tables for people.

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

/// A value with its standard error: 1.2953 ± 0.0213.
pub fn with_error(value: f64, error: Option<f64>) -> String {
    match error {
        Some(error) if error > 0.0 => {
            let decimals = (1 - error.log10().floor() as i32).clamp(0, 12) as usize;
            format!("{value:.decimals$} ± {error:.decimals$}")
        }
        _ => significant(value, 5),
    }
}

/// A table without lines, every column flush right.
pub fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let all = || std::iter::once(header).chain(rows.iter().map(Vec::as_slice));
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ")
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

/// "1 draw", "2 draws".
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
