//! One door for everything a developer runs: `cargo xtask test`.
fn main() {}
