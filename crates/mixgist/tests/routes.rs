//! Every fast path against the obvious one: the matrix against single pairs, and the routes to the medoid against each other and
//! against the definition.

mod common;

use common::*;
use mixgist::slice::{SLICERS, Scheme, Slices, slicer};
use mixgist::{
    CovarianceForm, Ensemble, ErrorKind, GaussianAtoms, Loss, Medoid, MixingMeasure, Order, Pruning, Route, Silent,
    SlicedDistance,
};
use proptest::prelude::*;

fn exact<'a>(slices: &'a dyn Slices, p: f64) -> SlicedDistance<'a> {
    SlicedDistance::new(slices, order(p)).with_pruning(Pruning::Off)
}

fn close(got: f64, expected: f64, tolerance: f64) -> bool {
    (got - expected).abs() <= tolerance * expected.abs()
}

/// Kind, dimension, number of draws and seed.
fn any_ensemble(draws: std::ops::Range<usize>) -> impl Strategy<Value = (Kind, usize, usize, u64)> {
    (prop::sample::select(KINDS.to_vec()), 1usize..4, draws, any::<u64>())
}

fn any_law() -> impl Strategy<Value = (usize, Scheme)> {
    (0..SLICERS.len(), prop::sample::select(Scheme::NAMES.map(|(_, scheme)| scheme).to_vec()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_matrix_holds_the_distances_of_its_pairs((kind, dim, draws, seed) in any_ensemble(1..41), (which, scheme) in any_law()) {
        let ensemble = kind.ensemble(dim, draws, seed);
        let slices = freeze(SLICERS[which], scheme, ensemble.dim(), 0..40, seed);
        let distance = exact(&*slices, 2.0);
        let matrix = distance.matrix(&ensemble, &Silent).unwrap();
        prop_assert_eq!(matrix.distances.len(), ensemble.len());
        for i in 0..ensemble.len() {
            for j in 0..i {
                let expected = distance.between(&ensemble.draw(i), &ensemble.draw(j)).unwrap().value;
                let got = matrix.distances.get(i, j);
                prop_assert!(close(got, expected, 1e-9), "{kind:?} {scheme:?} ({i}, {j}): {got} against {expected}");
            }
        }
    }

    #[test]
    fn other_orders_and_rows_agree_with_pairs((kind, dim, draws, seed) in any_ensemble(1..12), (which, scheme) in any_law(), p in prop::sample::select(ORDERS.to_vec())) {
        let ensemble = kind.ensemble(dim, draws, seed);
        let slices = freeze(SLICERS[which], scheme, ensemble.dim(), 0..20, seed);
        let distance = exact(&*slices, p);
        let matrix = distance.matrix(&ensemble, &Silent).unwrap();
        let last = ensemble.len() - 1;
        let row = distance.to_draws(&ensemble.draw(last), &ensemble, &Silent).unwrap();
        let rows = distance.draw_rows(&[last, 0], &ensemble, &Silent).unwrap();
        prop_assert_eq!(rows.len(), 2 * ensemble.len());
        for (j, entry) in row.iter().enumerate() {
            let expected = distance.between(&ensemble.draw(last), &ensemble.draw(j)).unwrap();
            prop_assert!(close(entry.value, expected.value, 1e-12), "{kind:?}");
            prop_assert!(close(matrix.distances.get(last, j), expected.value, 1e-9), "{kind:?}");
            prop_assert!(close(rows[j], expected.value, 1e-9), "{kind:?}");
            prop_assert!(close(rows[ensemble.len() + j], matrix.distances.get(0, j), 1e-9), "{kind:?}");
            // Twenty independent slices are their own groups; from more, or from dependent ones, the errors are estimated in another way.
            if scheme == Scheme::Iid {
                let error = expected.standard_error.unwrap();
                prop_assert!((entry.standard_error.unwrap() - error).abs() <= 1e-7 * expected.value);
                prop_assert!((matrix.standard_errors.get(last, j) - error).abs() <= 1e-7 * expected.value);
            }
        }
    }

    /// Bounds exclude most draws, rounding differs, and yet every route must find the same draw with the same evidence.
    #[test]
    fn every_route_finds_the_medoid_of_the_definition((kind, dim, draws, seed) in any_ensemble(96..130), which in 0..SLICERS.len(), weighted: bool) {
        let ensemble = kind.ensemble(dim, draws, seed);
        let ensemble = if weighted { with_some_weights(ensemble, seed) } else { ensemble };
        let count = if kind == Kind::ManyAtoms { 2 } else { 6 };
        let slices = freeze(SLICERS[which], Scheme::Iid, ensemble.dim(), 0..count, seed);
        let distance = exact(&*slices, 2.0);
        let brute = brute_force(&distance, &ensemble);
        for (loss, routes) in [(Loss::Distance, [Route::Pairs, Route::Certified]), (Loss::Power, [Route::Pairs, Route::Sweep])] {
            let losses = expected_losses(&brute, &ensemble, loss);
            for route in routes {
                let medoid = distance.medoid(&ensemble, loss, route, &Silent).unwrap();
                prop_assert_eq!(medoid.route, route);
                let smallest = losses.iter().copied().fold(f64::INFINITY, f64::min);
                let best = losses.iter().position(|&l| l <= smallest * (1.0 + 1e-12)).unwrap();
                prop_assert_eq!(medoid.draw, best, "{:?} {:?}: {:?}", kind, route, losses);
                prop_assert!(close(medoid.expected_loss, losses[best], 1e-9));
                for (j, &d) in medoid.distances.iter().enumerate() {
                    prop_assert!(close(d, brute[best][j], 1e-9), "{kind:?} {route:?}: {d} against {}", brute[best][j]);
                }
                let runner_up = medoid.runner_up.unwrap();
                // Copies are judged by the size of the draw itself, however far others lie.
                let own = ensemble.draw(best);
                let atom = |k: usize| [own.atoms().mean(k), own.atoms().covariance(k)].concat();
                let size = (0..own.len()).flat_map(atom).fold(0.0, |most: f64, x| most.max(x.abs()));
                // Its width is that on the slices, which may see the logarithms of covariances.
                let d = own.dim();
                let alone = |k: usize| {
                    let (mean, covariance) = (own.atoms().mean(k).to_vec(), own.atoms().covariance(k).to_vec());
                    let atom = GaussianAtoms::new(d, mean, covariance, CovarianceForm::Covariance).unwrap();
                    MixingMeasure::new(vec![1.0], atom).unwrap()
                };
                let from_first = |k: usize| distance.between(&alone(k), &alone(0)).unwrap().value;
                let spread = (0..own.len()).map(from_first).fold(0.0, f64::max);
                let rounding = 1e-7 * spread + 1e-13 * size;
                let others = || (0..losses.len()).filter(|&j| brute[best][j] > rounding);
                let next = others().map(|j| losses[j]).fold(f64::INFINITY, f64::min);
                let expected = others().find(|&j| losses[j] <= next * (1.0 + 1e-12)).unwrap();
                prop_assert_eq!(runner_up.draw, expected, "{:?} {:?}", kind, route);
                prop_assert!(close(runner_up.expected_loss, next, 1e-9));
                if let Some(all) = &medoid.expected_losses {
                    prop_assert!(all.iter().zip(&losses).all(|(got, &expected)| close(*got, expected, 1e-9)));
                }
            }
        }
    }
}

/// Weights of which some are zero and one is large.
fn with_some_weights(ensemble: Ensemble, seed: u64) -> Ensemble {
    let weights: Vec<f64> = (0..ensemble.len() as u64)
        .map(|m| ((m * 7 + seed % 5) % 4) as f64 * if m == 17 { 20.0 } else { 1.0 })
        .collect();
    ensemble.with_draw_weights(&weights).unwrap()
}

fn brute_force(distance: &SlicedDistance, ensemble: &Ensemble) -> Vec<Vec<f64>> {
    (0..ensemble.len())
        .map(|i| {
            let row = distance.to_draws(&ensemble.draw(i), ensemble, &Silent).unwrap();
            row.into_iter().map(|distance| distance.value).collect()
        })
        .collect()
}

/// Σ_j ω_j D(i, j), or D squared, for every i.
fn expected_losses(distances: &[Vec<f64>], ensemble: &Ensemble, loss: Loss) -> Vec<f64> {
    let uniform = vec![1.0 / ensemble.len() as f64; ensemble.len()];
    let weights = ensemble.draw_weights().unwrap_or(&uniform);
    let of = |d: f64| if loss == Loss::Power { d * d } else { d };
    distances.iter().map(|row| row.iter().zip(weights).map(|(&d, w)| w * of(d)).sum()).collect()
}

fn assert_same_choice(a: &Medoid, b: &Medoid, what: &str) {
    assert_eq!(a.draw, b.draw, "{what}");
    assert!(close(a.expected_loss, b.expected_loss, 1e-10), "{what}");
    assert!(a.distances.iter().zip(&b.distances).all(|(x, &y)| close(*x, y, 1e-9)), "{what}");
    let near = |x: Option<f64>, y: Option<f64>| match (x, y) {
        (Some(x), Some(y)) => (x - y).abs() <= 1e-6 * x.abs().max(1e-6),
        (x, y) => x == y,
    };
    assert!(near(a.expected_loss_se, b.expected_loss_se), "{what}");
    match (a.runner_up, b.runner_up) {
        (Some(x), Some(y)) => {
            assert_eq!(x.draw, y.draw, "{what}");
            assert!(close(x.expected_loss, y.expected_loss, 1e-10), "{what}");
            // The lead is a difference: where it is small against the losses, their rounding shows in it.
            let lead = (x.expected_loss - a.expected_loss).max(f64::MIN_POSITIVE);
            let tolerance = 1e-6 + 1e-12 * x.expected_loss / lead;
            match (x.separation, y.separation) {
                (Some(x), Some(y)) => assert!((x - y).abs() <= tolerance * x, "{what}: {x:?} against {y:?}"),
                (x, y) => assert_eq!(x, y, "{what}"),
            }
        }
        (x, y) => assert_eq!(x, y, "{what}"),
    }
}

/// Sizes around the one from which screening pays, where most draws really are excluded unseen.
#[test]
fn certified_screening_agrees_with_all_pairs_and_looks_at_few_draws() {
    for kind in KINDS.into_iter().filter(|&kind| kind != Kind::ManyAtoms) {
        for (draws, weighted) in [(399, false), (400, true), (433, false)] {
            let ensemble = kind.ensemble(2, draws, 40 + draws as u64);
            let ensemble = if weighted { with_some_weights(ensemble, 3) } else { ensemble };
            let slices = freeze(slicer("mix-sw").unwrap(), Scheme::Iid, 2, 0..24, 1);
            let distance = SlicedDistance::new(&*slices, Order::TWO);
            let pairs = distance.medoid(&ensemble, Loss::Distance, Route::Pairs, &Silent).unwrap();
            let certified = distance.medoid(&ensemble, Loss::Distance, Route::Certified, &Silent).unwrap();
            assert_same_choice(&pairs, &certified, &format!("{kind:?} {draws}"));
            assert_eq!((pairs.exact_draws, certified.expected_losses.is_none()), (draws, true));
            let auto = distance.medoid(&ensemble, Loss::Distance, Route::Auto, &Silent).unwrap();
            assert_eq!(auto.route, if draws < 400 { Route::Pairs } else { Route::Certified });
            if kind == Kind::Plain {
                assert!(certified.exact_draws < draws / 2, "{} of {draws} draws were looked at", certified.exact_draws);
            }
            let sweep = distance.medoid(&ensemble, Loss::Power, Route::Sweep, &Silent).unwrap();
            let pairs = distance.medoid(&ensemble, Loss::Power, Route::Pairs, &Silent).unwrap();
            assert_same_choice(&pairs, &sweep, &format!("{kind:?} {draws} power"));
        }
    }
}

#[test]
fn identical_draws_tie_on_every_route() {
    let ensemble = Ensemble::from_measures(&vec![noisy_measure(2, 3..4, 1.0, 1, 1); 450]).unwrap();
    let slices = freeze(slicer("smix-w").unwrap(), Scheme::Iid, 2, 0..8, 1);
    let distance = SlicedDistance::new(&*slices, Order::TWO);
    for (loss, route) in [
        (Loss::Distance, Route::Pairs),
        (Loss::Distance, Route::Certified),
        (Loss::Power, Route::Pairs),
        (Loss::Power, Route::Sweep),
    ] {
        let medoid = distance.medoid(&ensemble, loss, route, &Silent).unwrap();
        assert_eq!((medoid.draw, medoid.runner_up), (0, None));
        assert!(medoid.expected_loss < 1e-14 && medoid.distances.iter().all(|&d| d == 0.0));
    }
}

/// Samplers that reject moves repeat their draws: a few measures, many copies of each.
#[test]
fn repeated_draws_are_told_by_every_route() {
    let distinct: Vec<_> = (0..5).map(|m| noisy_measure(2, 3..5, 0.5, 8, m)).collect();
    let draws: Vec<_> = (0..430).map(|m| distinct[(m + 1) * (m + 2) % 7 % 5].clone()).collect();
    let ensemble = Ensemble::from_measures(&draws).unwrap();
    let slices = freeze(slicer("sw").unwrap(), Scheme::Qmc, 2, 0..32, 1);
    let distance = SlicedDistance::new(&*slices, Order::TWO);
    for (loss, route) in [(Loss::Distance, Route::Certified), (Loss::Power, Route::Sweep)] {
        let pairs = distance.medoid(&ensemble, loss, Route::Pairs, &Silent).unwrap();
        let other = distance.medoid(&ensemble, loss, route, &Silent).unwrap();
        assert_same_choice(&pairs, &other, route.name());
        let first = draws.iter().position(|draw| *draw == draws[pairs.draw]).unwrap();
        assert_eq!(pairs.draw, first);
        assert_ne!(draws[pairs.draw], draws[pairs.runner_up.unwrap().draw]);
    }
}

/// Independent groups that are too long for memory are worked on in pieces, which must not show.
#[test]
fn long_groups_of_slices_are_cut_without_a_trace() {
    let ensemble = noisy_ensemble(1, 41, 50..51, 0.3, 2);
    let slices = freeze(slicer("mix-sw").unwrap(), Scheme::Qmc, 1, 0..16 * 40, 1);
    for p in [1.0, 2.0] {
        let distance = exact(&*slices, p);
        let matrix = distance.matrix(&ensemble, &Silent).unwrap();
        for (j, entry) in distance.to_draws(&ensemble.draw(5), &ensemble, &Silent).unwrap().iter().enumerate() {
            assert!(close(matrix.distances.get(5, j), entry.value, 1e-9));
            let error = matrix.standard_errors.get(5, j);
            assert!((error - entry.standard_error.unwrap()).abs() <= 1e-6 * entry.value, "{error} against {entry:?}");
        }
    }
}

/// Copies of the medoid only make it better, and the first copy must win on every route; the runner-up is another measure.
#[test]
fn ties_go_to_the_lowest_index() {
    let ensemble = Kind::Plain.ensemble(2, 110, 9);
    let slices = freeze(slicer("sw").unwrap(), Scheme::Orthogonal, 2, 0..24, 1);
    let distance = SlicedDistance::new(&*slices, Order::TWO);
    for (loss, routes) in
        [(Loss::Distance, [Route::Pairs, Route::Certified]), (Loss::Power, [Route::Pairs, Route::Sweep])]
    {
        let best = distance.medoid(&ensemble, loss, Route::Pairs, &Silent).unwrap().draw;
        let mut draws: Vec<_> = (0..110).map(|i| ensemble.draw(i)).collect();
        draws.insert(3, ensemble.draw(best));
        draws.extend([ensemble.draw(best), ensemble.draw(best)]);
        let copies = Ensemble::from_measures(&draws).unwrap();
        for route in routes {
            let medoid = distance.medoid(&copies, loss, route, &Silent).unwrap();
            assert_eq!(medoid.draw, 3.min(best), "{route:?}");
            assert!(medoid.distances[medoid.runner_up.unwrap().draw] > 0.0);
        }
    }
}

#[test]
fn two_draws_are_tied_and_one_draw_has_no_rival() {
    let ensemble = Kind::Plain.ensemble(2, 2, 1);
    let slices = freeze(slicer("smix-w").unwrap(), Scheme::Iid, 2, 0..50, 1);
    for p in ORDERS {
        let distance = SlicedDistance::new(&*slices, order(p));
        for loss in [Loss::Distance, Loss::Power] {
            let medoid = distance.medoid(&ensemble, loss, Route::Auto, &Silent).unwrap();
            let runner_up = medoid.runner_up.unwrap();
            assert_eq!((medoid.draw, runner_up.draw, runner_up.separation), (0, 1, Some(0.0)), "p = {p}, {loss:?}");
            let alone = Ensemble::from_measures(&[ensemble.draw(1)]).unwrap();
            let medoid = distance.medoid(&alone, loss, Route::Auto, &Silent).unwrap();
            assert_eq!((medoid.draw, medoid.expected_loss_se, medoid.runner_up), (0, Some(0.0), None));
        }
    }
}

#[test]
fn routes_that_do_not_fit_are_refused() {
    let ensemble = Kind::Plain.ensemble(1, 5, 1);
    let slices = freeze(slicer("sw").unwrap(), Scheme::Iid, 1, 0..4, 1);
    for (p, loss, route) in [
        (1.0, Loss::Distance, Route::Certified),
        (2.0, Loss::Power, Route::Certified),
        (2.0, Loss::Distance, Route::Sweep),
        (3.0, Loss::Power, Route::Sweep),
    ] {
        let error = SlicedDistance::new(&*slices, order(p)).medoid(&ensemble, loss, route, &Silent).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        let remedy = if route == Route::Sweep { "use loss = power, or route = auto" } else { "use route = auto" };
        assert_eq!(error.hint_text().unwrap().to_string(), remedy);
        assert!(error.to_string().contains(route.name()));
    }
}

/// Standard error and separation from their definition: the loss is linearised in the mean costs, whose slices are then averaged over
/// independent groups.
#[test]
fn evidence_follows_the_delta_method() {
    const SLICES: usize = 96;
    for (which, scheme) in (0..SLICERS.len()).flat_map(|which| Scheme::NAMES.map(|(_, scheme)| (which, scheme))) {
        for (p, loss, weighted) in [
            (2.0, Loss::Distance, false),
            (2.0, Loss::Power, true),
            (1.0, Loss::Distance, true),
            (3.0, Loss::Distance, false),
        ] {
            let ensemble = Kind::Plain.ensemble(2, 23, 77);
            let ensemble = if weighted { with_some_weights(ensemble, 1) } else { ensemble };
            let uniform = vec![1.0 / 23.0; 23];
            let weights = ensemble.draw_weights().unwrap_or(&uniform);
            let slices = freeze(SLICERS[which], scheme, 2, 0..SLICES, 5);
            let medoid = exact(&*slices, p).medoid(&ensemble, loss, Route::Auto, &Silent).unwrap();
            let runner_up = medoid.runner_up.unwrap();
            // costs[l][j] of one draw, a slice at a time.
            let costs = |draw: usize| -> Vec<Vec<f64>> {
                (0..SLICES)
                    .map(|l| {
                        let one = freeze(SLICERS[which], scheme, 2, l..l + 1, 5);
                        let row = exact(&*one, p).to_draws(&ensemble.draw(draw), &ensemble, &Silent).unwrap();
                        row.iter().map(|distance| distance.value.powf(p)).collect()
                    })
                    .collect()
            };
            let linearized = |draw: usize| -> Vec<f64> {
                let costs = costs(draw);
                let means: Vec<f64> =
                    (0..23).map(|j| costs.iter().map(|c| c[j]).sum::<f64>() / SLICES as f64).collect();
                let slope = |j: usize| match loss {
                    Loss::Power => 1.0,
                    Loss::Distance if j == draw => 0.0,
                    Loss::Distance => means[j].powf(1.0 / p - 1.0) / p,
                };
                costs.iter().map(|c| (0..23).map(|j| weights[j] * slope(j) * c[j]).sum()).collect()
            };
            let (own, other) = (linearized(medoid.draw), linearized(runner_up.draw));
            let difference: Vec<f64> = other.iter().zip(&own).map(|(x, y)| x - y).collect();
            let error = |values: &[f64]| {
                let groups: Vec<Vec<f64>> = match slices.replicates() {
                    mixgist::slice::Replicates::Consecutive(size) => values.chunks(size).map(<[f64]>::to_vec).collect(),
                    mixgist::slice::Replicates::Interleaved(count) => {
                        (0..count).map(|g| values.iter().skip(g).step_by(count).copied().collect()).collect()
                    }
                };
                let mean = values.iter().sum::<f64>() / SLICES as f64;
                let scatter: f64 = groups
                    .iter()
                    .map(|group| group.len() as f64 * (group.iter().sum::<f64>() / group.len() as f64 - mean).powi(2))
                    .sum();
                (scatter / (groups.len() - 1) as f64 / SLICES as f64).sqrt()
            };
            let what = format!("{} {scheme:?} p = {p} {loss:?}", SLICERS[which].name());
            assert!(close(medoid.expected_loss_se.unwrap(), error(&own), 1e-8), "{what}");
            let lead = runner_up.expected_loss - medoid.expected_loss;
            assert!(close(runner_up.separation.unwrap(), lead / error(&difference), 1e-7), "{what}");
        }
    }
}

/// Over 200 independent seeds the estimates scatter as their standard errors say. The ratio of the two variances has a relative error of
/// about 1/√100 = 10 % (for qmc, whose copies are few, the errors average over the seeds as well); the bounds are 5 of those away,
/// so that 24 comparisons raise a false alarm with probability below 1e-4.
#[test]
fn standard_errors_predict_the_scatter_between_seeds() {
    const SEEDS: usize = 200;
    let all = Kind::TwoClusters.ensemble(2, 5, 4);
    let ensemble = Ensemble::from_measures(&[0, 1, 3].map(|i| all.draw(i))).unwrap();
    for (slicer, scheme) in every_law() {
        let mut matrix = Vec::new();
        let mut losses = Vec::new();
        for seed in 0..SEEDS as u64 {
            let slices = freeze(slicer, scheme, 2, 0..192, 1000 + seed);
            let distance = SlicedDistance::new(&*slices, Order::TWO);
            let all = distance.matrix(&ensemble, &Silent).unwrap();
            matrix.push((all.distances.get(0, 2), all.standard_errors.get(0, 2)));
            let medoid = distance.medoid(&ensemble, Loss::Distance, Route::Pairs, &Silent).unwrap();
            losses.push((medoid.draw, medoid.expected_loss, medoid.expected_loss_se.unwrap()));
        }
        // The loss of one and the same draw: some seed may choose another.
        let usual = losses[0].0;
        losses.retain(|loss| loss.0 == usual);
        assert!(losses.len() > 190);
        let losses: Vec<(f64, f64)> = losses.into_iter().map(|(_, value, error)| (value, error)).collect();
        for (what, estimates) in [("matrix", &matrix), ("expected loss", &losses)] {
            let count = estimates.len() as f64;
            let mean = estimates.iter().map(|e| e.0).sum::<f64>() / count;
            let scatter = estimates.iter().map(|e| (e.0 - mean).powi(2)).sum::<f64>() / (count - 1.0);
            let predicted = estimates.iter().map(|e| e.1 * e.1).sum::<f64>() / count;
            let ratio = scatter / predicted;
            assert!((0.5..1.6).contains(&ratio), "{} {scheme:?} {what}: ratio {ratio}", slicer.name());
        }
    }
}

/// One measure, its first atom in two pieces of any size and its atoms in any order: sums of weights round otherwise, and still no draw is at a distance.
#[test]
fn one_measure_in_pieces_is_at_no_distance_from_itself() {
    let draws: Vec<MixingMeasure> = (1..40)
        .map(|m| {
            let measure = noisy_measure(2, 3..4, 0.5, 4, 0);
            let part = f64::from(m) / 41.0;
            let mut order: Vec<(usize, f64)> = vec![(0, part), (0, 1.0 - part), (1, 1.0), (2, 1.0)];
            order.rotate_left(m as usize % 4);
            let weights = order.iter().map(|&(k, part)| part * measure.weights()[k]).collect();
            MixingMeasure::new(weights, measure.atoms().select(order.iter().map(|one| one.0))).unwrap()
        })
        .collect();
    let ensemble = Ensemble::from_measures(&draws).unwrap();
    for slicer in SLICERS {
        let slices = freeze(slicer, Scheme::Iid, 2, 0..40, 3);
        let distance = SlicedDistance::new(&*slices, order(2.0));
        let matrix = distance.matrix(&ensemble, &Silent).unwrap();
        assert!((0..draws.len()).all(|i| (0..i).all(|j| matrix.distances.get(i, j) == 0.0)), "{}", slicer.name());
        assert!(distance.rows(&draws[..9], &ensemble, &Silent).unwrap().concat().iter().all(|d| *d == 0.0));
    }
}
