//! The same input, options and seed give the same bits with any number of threads.

mod common;

use common::*;
use mixgist::slice::{Scheme, slicer};
use mixgist::{Loss, Order, Points, Route, Settings, Silent, SliceCount, SlicedDistance, Units, summarize};

/// Runs a job with one, two and three threads and compares what it prints of itself; floats print every bit that they have.
fn assert_same_bits<T: std::fmt::Debug + Send>(job: impl Fn() -> T + Sync) {
    let printed = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        format!("{:?}", pool.install(&job))
    });
    assert_eq!(printed[0], printed[1]);
    assert_eq!(printed[0], printed[2]);
}

#[test]
fn distances_do_not_depend_on_threads() {
    let ensemble = Kind::LightAtoms.ensemble(2, 30, 3);
    for (slicer, scheme) in every_law() {
        let slices = freeze(slicer, scheme, 2, 0..70, 6);
        for p in [1.5, 2.0] {
            let distance = SlicedDistance::new(&*slices, order(p));
            assert_same_bits(|| distance.matrix(&ensemble, &Silent).unwrap());
            assert_same_bits(|| distance.to_draws(&ensemble.draw(7), &ensemble, &Silent).unwrap());
            assert_same_bits(|| distance.between(&ensemble.draw(7), &ensemble.draw(8)).unwrap());
        }
    }
}

#[test]
fn medoids_do_not_depend_on_threads() {
    let ensemble = Kind::Plain.ensemble(2, 420, 3);
    let slices = freeze(slicer("smix-w").unwrap(), Scheme::Orthogonal, 2, 0..40, 6);
    let distance = SlicedDistance::new(&*slices, Order::TWO);
    for (loss, route) in [
        (Loss::Distance, Route::Pairs),
        (Loss::Distance, Route::Certified),
        (Loss::Power, Route::Pairs),
        (Loss::Power, Route::Sweep),
    ] {
        assert_same_bits(|| distance.medoid(&ensemble, loss, route, &Silent).unwrap());
    }
}

#[test]
fn summaries_do_not_depend_on_threads() {
    let ensemble = Kind::TwoClusters.ensemble(2, 60, 3);
    let data: Vec<f64> = (0..600).map(|i| f64::from(i * 37 % 101) - 50.0).collect();
    let points = Points::new(2, &data).unwrap();
    for scheme in Scheme::NAMES.map(|(_, scheme)| scheme) {
        let slices = SliceCount::Auto { cap: 2000 };
        let settings = Settings::default().with_scheme(scheme).with_slices(slices).with_units(Units::Whiten);
        assert_same_bits(|| summarize(&ensemble, Some(points), &settings, &Silent).unwrap());
    }
}
