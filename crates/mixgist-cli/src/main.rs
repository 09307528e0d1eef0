//! The command line: translates options, calls the core once, prints the answer.
fn main() {}
