//! How the cost grows with the number of draws, atoms, slices and the dimension, and how far it goes.

use mixgist::slice::{Freeze, Scheme, slicer};
use mixgist::{Ensemble, Loss, Order, Route, Silent, SlicedDistance};

use crate::draws::posterior_like;
use crate::{fastest, peak_memory};

struct Case {
    draws: usize,
    atoms: usize,
    slices: usize,
    dim: usize,
}

const BASE: Case = Case { draws: 1000, atoms: 100, slices: 100, dim: 2 };

/// Prints a Markdown table of seconds, one parameter changed at a time.
pub fn table() {
    println!("| draws | atoms | slices | dimension | medoid, distance loss | medoid, power loss | matrix |");
    println!("|---:|---:|---:|---:|---:|---:|---:|");
    let cases = [
        BASE,
        Case { draws: 2000, ..BASE },
        Case { draws: 4000, ..BASE },
        Case { atoms: 20, ..BASE },
        Case { atoms: 400, ..BASE },
        Case { slices: 1000, ..BASE },
        Case { dim: 10, ..BASE },
        Case { dim: 50, atoms: 20, ..BASE },
    ];
    for case in cases {
        let ensemble = posterior_like(case.draws, case.atoms, case.dim, 1);
        let time = |job: &dyn Fn(&SlicedDistance)| {
            fastest(2, || {
                let slices = freeze("smix-w", &ensemble, case.slices);
                job(&SlicedDistance::new(&*slices, Order::TWO));
            })
        };
        let rooted = time(&|distance| check(distance, &ensemble, Loss::Distance));
        let power = time(&|distance| check(distance, &ensemble, Loss::Power));
        let matrix = time(&|distance| {
            distance.matrix(&ensemble, &Silent).expect("the draws are valid");
        });
        let Case { draws, atoms, slices, dim } = case;
        println!("| {draws} | {atoms} | {slices} | {dim} | {rooted:.3} s | {power:.3} s | {matrix:.3} s |");
    }
}

/// Large ensembles: seconds and the most memory used so far.
pub fn large() {
    for (draws, atoms, loss, name) in [
        (10_000, 100, Loss::Distance, "mix-sw"),
        (100_000, 20, Loss::Power, "mix-sw"),
        (100_000, 20, Loss::Distance, "mix-sw"),
    ] {
        let ensemble = posterior_like(draws, atoms, 2, 1);
        let seconds = fastest(1, || {
            let slices = freeze(name, &ensemble, 100);
            check(&SlicedDistance::new(&*slices, Order::TWO), &ensemble, loss);
        });
        let memory = peak_memory().map_or("unknown".into(), |gigabytes| format!("{gigabytes:.1} GB"));
        println!(
            "{draws} draws of {atoms} atoms, dimension 2, 100 slices, {name}, {} loss: {seconds:.1} s, peak memory so far {memory}",
            loss.name()
        );
    }
}

/// The first slices of a law.
pub fn freeze(name: &str, ensemble: &Ensemble, slices: usize) -> Box<dyn mixgist::slice::Slices> {
    let freeze = Freeze { dim: ensemble.dim(), slices: 0..slices, seed: 0, scheme: Scheme::Iid };
    slicer(name).expect("a registered name").freeze(&freeze)
}

fn check(distance: &SlicedDistance, ensemble: &Ensemble, loss: Loss) {
    let medoid = distance.medoid(ensemble, loss, Route::Auto, &Silent).expect("the draws are valid");
    assert!(medoid.expected_loss > 0.0);
}
