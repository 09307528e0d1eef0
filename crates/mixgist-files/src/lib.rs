//! Files that appear whole or not at all, and replace nothing unless told to.
//!
//! A file is written under another name beside its place, flushed to the disk, and renamed. Whoever is killed in between leaves the other
//! name behind (`.mixgist-….part`); the next run that writes to the same folder removes it. Several outputs of one command are written
//! [`together`]: none gets its name before all are on the disk, and the last one given gets its name last.

mod identity;
mod leftovers;
mod whole;

pub use identity::check_outputs;
pub use leftovers::abandon;
pub use whole::{Output, Overwrite, check_writable, together, write_bytes, write_whole};
