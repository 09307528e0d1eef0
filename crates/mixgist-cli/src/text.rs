//! Numbers and tables for people, and the two streams they go to.

use std::io::{ErrorKind, Write};

use mixgist::printable::printable;
use mixgist::{Error, Result, Warning};

pub use mixgist_report::words::{
    count, existence, interval, percent, refusal, resolved, significant, with_error, within, worth,
};

/// Prints the answer on standard output; what would steer a terminal is shown instead. A reader that has seen enough (`mixgist … | head`) is no error.
pub fn answer(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(printable(text).as_bytes()).and_then(|()| output.write_all(b"\n")).and_then(|()| output.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => {
            Err(Error::new(mixgist::ErrorKind::Io, format!("cannot write to standard output: {cause}")))
        }
        _ => Ok(()),
    }
}

/// Says something beside the answer, on standard error; nobody needs to listen.
pub fn remark(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(text));
}

/// Says what the reader of the answer should know.
pub fn warn(warnings: &[Warning]) {
    for warning in warnings {
        remark(&format!("warning: {warning}\nhint: {}", warning.advice()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_flush_right() {
        let row = |cells: [&str; 2]| cells.map(String::from).to_vec();
        assert_eq!(table(&row(["a", "long"]), &[row(["10", "2"])]), " a  long\n10     2");
    }
}
