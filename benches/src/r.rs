//! The price of R: `mixgist_summary()` from R's arrays beside the same call in Rust, and the memory that the draws take beside those arrays.

use crate::draws::posterior_like;
use crate::peer::draws_file;
use crate::turns::{Worker, compare_turns};

/// Prints seconds and ratios for 1000 draws of 100 atoms in dimension 2.
pub fn compare(rscript: &str) {
    let ensemble = posterior_like(1000, 100, 2, 1);
    let file = draws_file(&ensemble);
    let mut worker = Worker::start(rscript, "r_call.R", &file);
    compare_turns("R", &ensemble, &mut worker);
    let draws = (0..5).map(|_| worker.seconds("draws")).fold(f64::MAX, f64::min);
    println!("of it checks and copies       {draws:>10.4} s");
    let copies = worker.seconds("memory");
    if copies.is_finite() {
        println!("memory of as_mixgist_draws(): at most {copies:.2} copies of the arrays, while it works");
    }
}
