//! The command line.

use std::ffi::OsString;

/// Arguments are what stands between new lines.
pub fn arguments(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let words = std::iter::once("mixgist").chain(text.split('\n').take(64));
    mixgist_cli::understands(&words.map(OsString::from).collect::<Vec<_>>());
}
