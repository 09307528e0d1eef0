//! The price of Python: `summarize` from numpy arrays beside the same call in Rust, and beside what Python users have otherwise.

use mixgist::{CovarianceForm, Ensemble, Settings, Silent, SliceCount, summarize};

use crate::draws::posterior_like;
use crate::fastest;
use crate::peer::{SLICES, draws_file, script_seconds};

const RUNS: usize = 7;

/// Prints seconds and ratios for 1000 draws of 100 atoms in dimension 2.
pub fn compare(python: &str) {
    let ensemble = posterior_like(1000, 100, 2, 1);
    let file = draws_file(&ensemble);
    let settings = Settings { slices: SliceCount::Fixed(SLICES), ..Settings::default() };
    let atoms = ensemble.atoms();
    let rust = || {
        let form = CovarianceForm::Covariance;
        let draws = Ensemble::from_dense(2, 100, ensemble.weights(), atoms.means(), atoms.covariances(), form);
        let summary = summarize(&draws.expect("the draws are valid"), None, &settings, &Silent);
        assert!(summary.expect("the draws are valid").medoid.expected_loss > 0.0);
    };
    let before = fastest(RUNS, rust);
    let runs = RUNS.to_string();
    let ours = script_seconds(python, "python_call.py", &file, &[&runs]);
    let rust = before.min(fastest(RUNS, rust));
    let seconds = |name: &str| ours.iter().find(|(own, _)| own == name).expect("the script prints it").1;
    println!("1000 draws, 100 atoms, dimension 2, {SLICES} slices, {} threads\n", rayon::current_num_threads());
    println!("summarize from arrays in Rust    {rust:>10.3} s");
    println!(
        "summarize from arrays in Python  {:>10.3} s   {:.3} times that, {:.3} s of it checks and copies of arrays",
        seconds("call"),
        seconds("call") / rust,
        seconds("draws")
    );
    println!("\nall {} distances, sw          seconds   ratio", ensemble.len() * (ensemble.len() - 1) / 2);
    let matrix = seconds("matrix");
    println!("mixgist in Python                {matrix:>10.3}");
    let numba = script_seconds(python, "numba_pairwise.py", &file, &[]);
    let numba = numba.iter().find(|(name, _)| name == "sw").expect("the peer prints it").1;
    for (name, other) in [
        ("numba by hand, all cores", numba),
        ("POT sliced, pair by pair *", seconds("pot-sliced")),
        ("POT exact, pair by pair *", seconds("pot-exact")),
    ] {
        println!("{name:<32} {other:>10.1} {:>7.0}", other / matrix);
    }
    println!("\n* one core, extrapolated from 60 pairs");
}
