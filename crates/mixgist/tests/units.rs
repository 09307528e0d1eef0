//! Units: with `sd` and `whiten` the chosen draw does not depend on the units of measurement; without, it can.

mod common;

use common::*;
use mixgist::slice::SLICERS;
use mixgist::{Ensemble, ErrorKind, Points, Settings, Silent, SliceCount, Summary, Units, summarize};

/// The same draws with every coordinate multiplied by a factor.
fn rescaled(ensemble: &Ensemble, factors: &[f64]) -> Ensemble {
    let d = factors.len();
    let means: Vec<f64> = ensemble.atoms().means().iter().enumerate().map(|(i, x)| x * factors[i % d]).collect();
    let covariances: Vec<f64> = ensemble
        .atoms()
        .covariances()
        .iter()
        .enumerate()
        .map(|(i, x)| x * factors[i / d % d] * factors[i % d])
        .collect();
    let (offsets, weights) = (ensemble.offsets(), ensemble.weights());
    Ensemble::builder(d).offsets(offsets).weights(weights).means(&means).covariances(&covariances).build().unwrap()
}

fn summary(ensemble: &Ensemble, data: Option<&[f64]>, units: Units, which: usize) -> Summary {
    let slices = SliceCount::Fixed(120);
    let settings = Settings::default().with_slicer(SLICERS[which].into()).with_slices(slices).with_units(units);
    let points = data.map(|values| Points::new(ensemble.dim(), values).unwrap());
    summarize(ensemble, points, &settings, &Silent).unwrap().result
}

/// Durations in minutes or in hours, lengths in meters or in feet.
const FACTORS: [f64; 2] = [1.0 / 60.0, 3.280_839_895];

fn data(factors: &[f64; 2]) -> Vec<f64> {
    let cell = |i: usize| (i * 7919 % 101) as f64 / 10.0;
    (0..80).flat_map(|i| [cell(i) * factors[0], (0.5 * cell(i) + cell(3 * i + 1)) * factors[1]]).collect()
}

#[test]
fn scaled_units_do_not_depend_on_the_units_of_measurement() {
    let (before, after) = (data(&[1.0, 1.0]), data(&FACTORS));
    for seed in 0..4 {
        let ensemble = Kind::Plain.ensemble(2, 40, seed);
        let other = rescaled(&ensemble, &FACTORS);
        for which in 0..SLICERS.len() {
            for units in [Units::Sd, Units::Whiten] {
                for (before, after) in [(None, None), (Some(&before[..]), Some(&after[..]))] {
                    let a = summary(&ensemble, before, units.clone(), which);
                    let b = summary(&other, after, units.clone(), which);
                    assert_eq!(a.medoid.draw, b.medoid.draw);
                    assert!((a.medoid.expected_loss - b.medoid.expected_loss).abs() <= 1e-9 * a.medoid.expected_loss);
                    assert_eq!(
                        a.estimate,
                        ensemble.draw(a.medoid.draw).heaviest_first(),
                        "estimates are in the original units"
                    );
                    assert_eq!(b.estimate, other.draw(b.medoid.draw).heaviest_first());
                    assert!(a.allocation.map(|x| x.labels) == b.allocation.map(|x| x.labels));
                }
            }
        }
    }
}

#[test]
fn a_given_scale_undoes_the_change_of_units() {
    let ensemble = Kind::Plain.ensemble(2, 40, 1);
    let other = rescaled(&ensemble, &FACTORS);
    let (a, b) = (summary(&ensemble, None, Units::None, 0), summary(&other, None, Units::Scale(FACTORS.to_vec()), 0));
    assert_eq!(a.medoid.draw, b.medoid.draw);
    assert!((a.medoid.expected_loss - b.medoid.expected_loss).abs() <= 1e-9 * a.medoid.expected_loss);
}

/// Without units the choice is the reader's risk: among four sets of draws at least one has another medoid in other units.
#[test]
fn without_units_the_choice_can_change() {
    let changed = (0..4).filter(|&seed| {
        let ensemble = Kind::Plain.ensemble(2, 40, seed);
        let other = rescaled(&ensemble, &[1.0, 60.0]);
        let draw = |ensemble: &Ensemble| summary(ensemble, None, Units::None, 3).medoid.draw;
        draw(&ensemble) != draw(&other)
    });
    assert!(changed.count() > 0);
}

/// A covariance at the edge of what counts as positive definite falls over it in other coordinates; that is an error with its place.
#[test]
fn covariances_that_are_singular_in_the_units_are_named() {
    // Thin along (1, 1), where the data are wide: whitening makes it four times thinner still, relative to its width.
    let off = 1e-15 - 1.0;
    let ensemble = Ensemble::builder(2)
        .atoms_per_draw(1)
        .weights(&[1.0, 1.0])
        .means(&[0.0; 4])
        .covariances(&[1.0, 0.0, 0.0, 1.0, 1.0, off, off, 1.0])
        .build()
        .unwrap();
    let data: Vec<f64> = (0..50).flat_map(|i| [f64::from(i), f64::from(i) + 0.01 * f64::from(i * 7 % 5)]).collect();
    let settings = Settings::default().with_units(Units::Whiten).with_slices(SliceCount::Fixed(2));
    let error = summarize(&ensemble, Some(Points::new(2, &data).unwrap()), &settings, &Silent).unwrap_err();
    assert_eq!((error.kind(), error.place().draw, error.place().atom), (ErrorKind::Input, Some(1), Some(0)));
    assert!(error.to_string().contains("covariance in these units is singular to rounding"), "{error}");
    assert!(error.hint_text().is_some());
}

#[test]
fn where_data_have_no_spread_the_draws_give_the_scale() {
    let ensemble = Kind::Plain.ensemble(2, 5, 1);
    let row = [0.5, 0.5];
    assert_eq!(summary(&ensemble, Some(&row), Units::None, 0).allocation.unwrap().labels.len(), 1);
    let scales = |data: Option<&[f64]>| summary(&ensemble, data, Units::Sd, 0).units.scales;
    assert_eq!(scales(Some(&row)), scales(None));
    // A constant column has no spread, the other one has.
    let constant = [0.5, 0.0, 0.5, 2.0, 0.5, 4.0];
    assert_eq!(scales(Some(&constant)), [scales(None)[0], 2.0]);
}
