//! Numbers and tables for people, and the two streams they go to.

use std::io::{ErrorKind, Write};

use mixgist::{Error, Result, Warning};

/// Prints the answer on standard output. A reader that has seen enough (`mixgist … | head`) is no error.
pub fn answer(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.write_all(b"\n")).and_then(|()| output.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => {
            Err(Error::new(mixgist::ErrorKind::Io, format!("cannot write to standard output: {cause}")))
        }
        _ => Ok(()),
    }
}

/// Says something beside the answer, on standard error; nobody needs to listen.
pub fn remark(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Says what the reader of the answer should know.
pub fn warn(warnings: &[Warning]) {
    for warning in warnings {
        remark(&format!("warning: {warning}\nhint: {}", warning.advice()));
    }
}

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

/// A line of the answer: what, and the value in its column.
pub fn line(name: &str, text: impl std::fmt::Display) -> String {
    format!("{name:<14}{text}")
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
        assert_eq!((count(1, "draw"), count(2, "draw")), ("1 draw".into(), "2 draws".into()));
    }

    #[test]
    fn columns_are_flush_right() {
        let row = |cells: [&str; 2]| cells.map(String::from).to_vec();
        assert_eq!(table(&row(["a", "long"]), &[row(["10", "2"])]), " a  long\n10     2");
    }
}
