//! The R front: translates, calls the core once on a thread of its own while R's thread listens for interrupts, and hands lists back.
//!
//! Functions give either their answer or a list of class `mixgist_failure`, which the R side turns into a condition. Memory that R owns is read
//! before long work starts, on R's thread; other threads see memory of Rust alone.

mod arrays;
mod draws;
mod error;
mod fit;
mod handle;
mod options;
mod partition;
mod posterior;
mod report;
mod running;
mod values;
