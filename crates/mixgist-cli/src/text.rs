//! Numbers and tables for people, and the two streams they go to.

use std::io::{ErrorKind, Write};

use mixgist::printable::printable;
use mixgist::{Error, Result, Warning};

pub use mixgist::narrative::numbers::{count, significant, table, with_error};
use mixgist::text::CommandLine;

/// Prints the answer on standard output; what would steer a terminal is shown instead. A reader that has seen enough (`mixgist … | head`) is no error.
pub fn answer(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output
        .write_all(printable(text).as_bytes())
        .and_then(|()| output.write_all(b"\n"))
        .and_then(|()| output.flush())
    {
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
        remark(&format!("warning: {warning}\nhint: {}", warning.advice().spelled(&CommandLine)));
    }
}

/// A line of the answer: what, and the value in its column.
pub fn line(name: &str, text: impl std::fmt::Display) -> String {
    format!("{name:<14} {text}")
}
