//! The price of Python: `summarize` from numpy arrays beside the same call in Rust, and beside what Python users have otherwise.

use crate::draws::posterior_like;
use crate::peer::{draws_file, script_seconds};
use crate::turns::{Worker, compare_turns};

/// Prints seconds and ratios for 1000 draws of 100 atoms in dimension 2.
pub fn compare(python: &str) {
    let ensemble = posterior_like(1000, 100, 2, 1);
    let file = draws_file(&ensemble);
    let mut worker = Worker::start(python, "python_call.py", &file);
    compare_turns("Python", &ensemble, &mut worker);
    println!(
        "of it checks and copies       {:>10.4} s",
        (0..5).map(|_| worker.seconds("draws")).fold(f64::MAX, f64::min)
    );
    println!("\nall {} distances, sw          seconds   ratio", ensemble.len() * (ensemble.len() - 1) / 2);
    let mut best = |job: &str, runs: usize| (0..runs).map(|_| worker.seconds(job)).fold(f64::MAX, f64::min);
    let matrix = best("matrix", 3);
    println!("mixgist in Python                {matrix:>10.3}");
    let peers =
        [("POT sliced, pair by pair *", best("pot-sliced", 2)), ("POT exact, pair by pair *", best("pot-exact", 2))];
    let numba = script_seconds(python, "numba_pairwise.py", &file, &[]);
    let numba = numba.iter().find(|(name, _)| name == "sw").expect("the peer prints it").1;
    for (name, other) in std::iter::once(("numba by hand, all cores", numba)).chain(peers) {
        println!("{name:<32} {other:>10.1} {:>7.0}", other / matrix);
    }
    println!("\n* one core, extrapolated from 60 pairs");
}
