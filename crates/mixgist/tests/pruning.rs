//! Pruning: no transport cost changes by more than the bound that is reported, whatever the slicer, the order and the tolerance.

mod common;

use common::*;
use mixgist::slice::SLICERS;
use mixgist::{
    Ensemble, ErrorKind, MixingMeasure, Pruned, Pruning, Route, Settings, Silent, SliceCount, SlicedDistance, Units,
    summarize,
};
use proptest::prelude::*;

const SLICES: usize = 12;

fn settings(which: usize, p: f64, pruning: Pruning) -> Settings {
    Settings::default()
        .with_slicer(SLICERS[which].into())
        .with_slices(SliceCount::Fixed(SLICES))
        .with_order(order(p))
        .with_route(Route::Pairs)
        .with_pruning(pruning)
        .with_seed(5)
        .with_units(Units::None)
}

/// Transport costs between all draws, and the widest gap on a slice.
fn costs(ensemble: &Ensemble, settings: &Settings) -> Vec<f64> {
    let slices = settings.freeze(ensemble.dim(), SLICES).unwrap();
    let distance = SlicedDistance::new(&*slices, settings.order).with_pruning(settings.pruning);
    let matrix = distance.matrix(ensemble, &Silent).unwrap();
    matrix.distances.values().iter().map(|d| d.powf(settings.order.value())).collect()
}

fn report(ensemble: &Ensemble, settings: &Settings) -> Pruned {
    summarize(ensemble, None, settings, &Silent).unwrap().pruned
}

/// Weights from 1 down to 1e-18, so that some can be dropped at every tolerance.
fn light_measures() -> impl Strategy<Value = Vec<MixingMeasure>> {
    let dim = prop_oneof![Just(1usize), Just(2), Just(3)];
    dim.prop_flat_map(|dim| {
        let draw =
            (raw_atoms(dim, 1..9), prop::collection::vec(0.0..18.0f64, 8)).prop_map(move |(mut raw, exponents)| {
                raw.iter_mut().zip(exponents).for_each(|(atom, exponent)| atom.0 = 10f64.powf(-exponent));
                measure_from(dim, &raw)
            });
        prop::collection::vec(draw, 2..6)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_bound_holds_for_every_pair(measures in light_measures(), tolerance in 3.0..13.0f64, p in prop::sample::select(ORDERS.to_vec())) {
        let ensemble = Ensemble::from_measures(&measures).unwrap();
        let all: Vec<&MixingMeasure> = measures.iter().collect();
        for which in 0..SLICERS.len() {
            let whole = settings(which, p, Pruning::Off);
            let pruned = settings(which, p, Pruning::Tolerance(10f64.powf(-tolerance)));
            let report = report(&ensemble, &pruned);
            let span = span(&*whole.freeze(ensemble.dim(), SLICES).unwrap(), &all);
            // Moving mass changes sums of weights in their last digits as well.
            let rounding = 1e-14 * span.powf(p);
            for (a, b) in costs(&ensemble, &whole).iter().zip(costs(&ensemble, &pruned)) {
                prop_assert!((a - b).abs() <= report.cost_bound + rounding, "{}: {a} became {b}, {report:?}", SLICERS[which].name());
            }
            prop_assert!(report.mass < 1.0 && report.atoms < ensemble.atoms().len());
            prop_assert_eq!(report.atoms == 0, report.mass == 0.0);
        }
    }
}

#[test]
fn atoms_are_dropped_where_they_may_be() {
    let ensemble = Kind::LightAtoms.ensemble(2, 20, 1);
    for which in 0..SLICERS.len() {
        for p in ORDERS {
            let report = |pruning| report(&ensemble, &settings(which, p, pruning));
            let (off, zero) = (report(Pruning::Off), report(Pruning::Tolerance(0.0)));
            assert_eq!((off, zero), (Pruned::default(), Pruned::default()));
            let (rounding, coarse) = (report(Pruning::Rounding), report(Pruning::Tolerance(1e-3)));
            assert_eq!(rounding, report(Pruning::Tolerance(1e-13)));
            // The lightest two atoms of nine weigh 1e-14 and less.
            assert!(rounding.atoms >= 10 && rounding.mass < 1e-12, "{} {p} {rounding:?}", SLICERS[which].name());
            assert!(coarse.atoms > rounding.atoms && coarse.cost_bound > rounding.cost_bound);
        }
    }
}

/// Slices whose gaps have no known bound are never pruned.
#[test]
fn slices_of_ones_own_keep_every_atom() {
    let ensemble = Kind::LightAtoms.ensemble(1, 3, 1);
    let own = mixgist::slice::CustomSlices::new(1, |atoms: &mixgist::GaussianAtoms, out: &mut [f64]| {
        out.copy_from_slice(atoms.means());
    });
    let value = |pruning| {
        let distance = SlicedDistance::new(&own, order(2.0)).with_pruning(pruning);
        distance.between(&ensemble.draw(0), &ensemble.draw(1)).unwrap().value
    };
    assert_eq!(value(Pruning::Tolerance(1e-2)), value(Pruning::Off));
}

#[test]
fn tolerances_must_be_numbers() {
    let ensemble = Kind::Plain.ensemble(1, 3, 1);
    for tolerance in [-1e-3, f64::NAN, f64::INFINITY] {
        let error = summarize(&ensemble, None, &settings(0, 2.0, Pruning::Tolerance(tolerance)), &Silent).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.to_string().contains("pruning tolerance is"));
    }
}
