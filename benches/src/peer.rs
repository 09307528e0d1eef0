//! mixgist beside the strongest program that a Python user would write by hand: numba, all pairs, all cores.

use std::path::{Path, PathBuf};
use std::process::Command;

use mixgist::slice::{Freeze, Scheme, slicer};
use mixgist::{Ensemble, Loss, Order, Route, Silent, SlicedDistance};
use mixgist_io::{Overwrite, write_draws};

use crate::draws::{evenly_weighted, posterior_like};
use crate::{fastest, machine};

pub const SLICES: usize = 100;

/// Prints seconds and ratios for 1000 draws of 100 atoms in dimension 2 and 100 slices.
pub fn compare(python: &str) {
    println!("{}", machine());
    println!("1000 draws, 100 atoms, dimension 2, {SLICES} slices, {} threads", rayon::current_num_threads());
    let cases = [
        ("weights of a Dirichlet process posterior", posterior_like(1000, 100, 2, 1)),
        ("weights all of like size", evenly_weighted(1000, 100, 2, 1)),
    ];
    for (case, ensemble) in cases {
        println!("\n{case}\ndistance      numba s   medoid s    ratio   matrix s    ratio");
        for (name, peer) in script_seconds(python, "numba_pairwise.py", &draws_file(&ensemble), &[]) {
            let medoid = fastest(5, || medoid(&ensemble, &name));
            let matrix = fastest(3, || matrix(&ensemble, &name));
            println!(
                "{name:<10} {peer:>10.2} {medoid:>10.3} {:>8.1} {matrix:>10.3} {:>8.1}",
                peer / medoid,
                peer / matrix
            );
        }
    }
}

fn medoid(ensemble: &Ensemble, name: &str) {
    let slices = slicer(name).expect("a registered name").freeze(&freeze(ensemble));
    let medoid = SlicedDistance::new(&*slices, Order::TWO).medoid(ensemble, Loss::Distance, Route::Certified, &Silent);
    assert!(medoid.expect("the draws are valid").expected_loss > 0.0);
}

fn matrix(ensemble: &Ensemble, name: &str) {
    let slices = slicer(name).expect("a registered name").freeze(&freeze(ensemble));
    let matrix = SlicedDistance::new(&*slices, Order::TWO).matrix(ensemble, &Silent).expect("the draws are valid");
    assert!(matrix.distances.get(0, 1) > 0.0);
}

fn freeze(ensemble: &Ensemble) -> Freeze {
    Freeze { dim: ensemble.dim(), slices: 0..SLICES, seed: 0, scheme: Scheme::Iid }
}

/// The draws as a file that peers read.
pub fn draws_file(ensemble: &Ensemble) -> PathBuf {
    let folder = std::env::temp_dir().join("mixgist-bench");
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let file = folder.join("draws.npz");
    write_draws(&file, &ensemble.clone().into(), None, Overwrite::Force).expect("draws can be written");
    file
}

/// The names and seconds that a script prints, a line each, for the draws of a file.
pub fn script_seconds(python: &str, script: &str, file: &Path, more: &[&str]) -> Vec<(String, f64)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script);
    let output = Command::new(python).arg(script).arg(file).arg(SLICES.to_string()).args(more).output();
    let output = output.expect("the peer can be started");
    assert!(output.status.success(), "the peer failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| {
            let mut words = line.split_whitespace();
            let name = words.next().expect("a name").to_owned();
            (name, words.next().expect("seconds").parse().expect("a number"))
        })
        .collect()
}
