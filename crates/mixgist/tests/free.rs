//! Free-support estimates and the floor: gradients of slices, what cannot be beaten, what must be found, what must not matter.

mod common;

use common::*;
use mixgist::slice::{Chart, CustomSlices, Scheme, Slices, slicer};
use mixgist::{
    AtomCount, CovarianceForm, Ensemble, Estimator, GaussianAtoms, Judgement, Loss, MixingMeasure, Order, Route,
    Settings, Silent, SliceCount, SlicedDistance, Summary, Units, Warning, summarize,
};
use proptest::prelude::*;

fn free(atoms: AtomCount, slices: usize) -> Settings {
    let slices = SliceCount::Fixed(slices);
    Settings::default()
        .with_slices(slices)
        .with_estimator(Estimator::Free(atoms))
        .with_units(Units::None)
        .with_scheme(Scheme::Iid)
}

fn run(ensemble: &Ensemble, settings: &Settings) -> Summary {
    summarize(ensemble, None, settings, &Silent).unwrap().result
}

/// A multiple of the unit matrix.
fn diagonal(dim: usize, value: f64) -> Vec<f64> {
    (0..dim * dim).map(|e| if e % (dim + 1) == 0 { value } else { 0.0 }).collect()
}

/// The tangents of every slicer against central differences, in free parameters, and its positions against the projection.
#[test]
fn tangents_are_derivatives_of_positions() {
    for (law, scheme) in every_law() {
        for dim in [1, 2, 4] {
            let slices = freeze(law, scheme, dim, 0..12, 3);
            let tangents = slices.tangents().expect("named distances have derivatives");
            let atoms = noisy_measure(dim, 3..4, 0.5, 5, 0).atoms().clone();
            let narrow = diagonal(dim, 0.01);
            let chart = tangents.chart().no_narrower_than(narrow, dim);
            let parameters = chart.free_parameters(&atoms);
            let width = chart.width(dim);
            let at = |parameters: &[f64], l: usize| {
                let mut points = parameters.to_vec();
                chart.to_points(dim, &mut points);
                let (mut x, mut t) = (vec![0.0; 3], vec![0.0; 3 * width]);
                tangents.differentiate(l, &points, &mut x, &mut t);
                chart.pull_back(dim, parameters, &points, &mut t);
                (x, t)
            };
            let projected = positions(&*slices, &atoms);
            for l in 0..12 {
                let (x, tangent) = at(&parameters, l);
                for k in 0..3 {
                    let expected = projected[l * 3 + k];
                    assert!((x[k] - expected).abs() < 1e-12 * expected.abs().max(1.0), "{} {dim}", law.name());
                }
                for c in 0..3 * width {
                    let moved = |step: f64| {
                        let mut moved = parameters.clone();
                        moved[c] += step;
                        at(&moved, l).0[c / width]
                    };
                    let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                    let scale = x[c / width].abs().max(1.0);
                    assert!(
                        (difference - tangent[c]).abs() < 1e-7 * scale,
                        "{} {difference} {}",
                        law.name(),
                        tangent[c]
                    );
                }
            }
        }
    }
}

/// Any numbers are atoms, and atoms come back from their parameters.
#[test]
fn every_point_of_a_chart_is_an_atom() {
    for dim in [1, 2, 5] {
        let bounded = Chart::Factor(None).no_narrower_than(diagonal(dim, 1e-3), dim);
        for chart in [Chart::Logarithm, Chart::Factor(None), bounded] {
            let atoms = noisy_measure(dim, 4..5, 1.0, 2, 0).atoms().clone();
            let back = chart.atoms(dim, &chart.free_parameters(&atoms)).unwrap();
            for (x, y) in atoms.covariances().iter().zip(back.covariances()) {
                assert!((x - y).abs() < 1e-10 * x.abs().max(1.0), "{x} {y}");
            }
            for size in [0.1, 3.0, 20.0, 60.0] {
                let numbers: Vec<f64> = (0..chart.width(dim)).map(|i| size * (i as f64 * 2.4).sin()).collect();
                chart.atoms(dim, &numbers).unwrap();
            }
        }
    }
}

/// Every measure that comes to mind, judged under the slices of the floor.
fn candidates(ensemble: &Ensemble, seed: u64) -> Vec<MixingMeasure> {
    let dim = ensemble.dim();
    let mut all: Vec<MixingMeasure> = (0..ensemble.len()).map(|m| ensemble.draw(m)).collect();
    all.extend((0..6).map(|m| noisy_measure(dim, 1..8, 0.1 * m as f64, seed, 1000 + m)));
    // The pooled draws, whose density is the posterior mean.
    let weights = ensemble.weights().iter().map(|w| w / ensemble.len() as f64).collect();
    all.push(MixingMeasure::new(weights, ensemble.atoms().clone()).unwrap());
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn nothing_beats_the_floor(seed in 0u64..1000, which in 0usize..4, kind in 0usize..KINDS.len(), power in any::<bool>(), dim in 1usize..3) {
        let law = mixgist::slice::SLICERS[which];
        let ensemble = KINDS[kind].ensemble(dim, 12, seed);
        let loss = if power { Loss::Power } else { Loss::Distance };
        let settings = free(AtomCount::Fixed(4), 40).with_slicer(law.into()).with_loss(loss).with_seed(seed);
        let summary = run(&ensemble, &settings);
        let assessment = summary.assessment.as_ref().unwrap();
        let floor = assessment.floor;
        prop_assert!(floor.value >= 0.0 && floor.value <= floor.attained * (1.0 + 1e-9) + f64::MIN_POSITIVE);
        prop_assert!(floor.attained <= summary.medoid.expected_loss, "{floor:?}");
        let slices = settings.freeze(dim, 40).unwrap();
        let mut measures = candidates(&ensemble, seed);
        measures.extend(summary.free().unwrap().path.iter().map(|point| point.measure.clone()));
        let losses = SlicedDistance::new(&*slices, Order::TWO).expected_losses(&measures, &ensemble, loss, &Silent).unwrap();
        for value in losses {
            prop_assert!(value >= floor.value * (1.0 - 1e-9), "{:?}: {value} below {}", KINDS[kind], floor.value);
        }
    }
}

/// The iteration of Weiszfeld without quantile functions: for Q = Σ a_j Q_j the distances between the draws alone give
/// ‖Q − Q_i‖² = Σ_j a_j d_ij² − ½ Σ_jk a_j a_k d_jk². Returns the least expected distance that it reaches.
fn weiszfeld(square: &[f64], draws: usize) -> f64 {
    let mut weights = vec![1.0 / draws as f64; draws];
    let mut least = f64::INFINITY;
    for _ in 0..60 {
        let products: Vec<f64> =
            square.chunks_exact(draws).map(|row| row.iter().zip(&weights).map(|(d, a)| d * a).sum()).collect();
        let own: f64 = products.iter().zip(&weights).map(|(p, a)| p * a).sum();
        let distances: Vec<f64> = products.iter().map(|p| (p - 0.5 * own).max(0.0).sqrt()).collect();
        let mean = distances.iter().sum::<f64>() / draws as f64;
        least = least.min(mean);
        weights = distances.iter().map(|d| 1.0 / d.max(1e-9 * mean)).collect();
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|a| *a /= total);
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    /// From 400 draws on the floor of the distance loss is that of compressed draws, less how far they moved.
    #[test]
    fn nothing_beats_the_floor_of_compressed_draws(seed in 0u64..1000, which in 0usize..3, kind in 0usize..KINDS.len()) {
        let (draws, slices) = (420, 24);
        let ensemble = KINDS[kind].ensemble(2, draws, seed);
        let settings = free(AtomCount::Fixed(3), slices).with_slicer(mixgist::slice::SLICERS[which].into()).with_seed(seed);
        let summary = run(&ensemble, &settings);
        prop_assert_eq!(summary.medoid.route, Route::Certified);
        let floor = summary.assessment.as_ref().unwrap().floor;
        let frozen = settings.freeze(2, slices).unwrap();
        let distance = SlicedDistance::new(&*frozen, Order::TWO);
        let matrix = distance.matrix(&ensemble, &Silent).unwrap().distances;
        let square: Vec<f64> = (0..draws * draws)
            .map(|i| (i / draws, i % draws))
            .map(|(i, j)| if i == j { 0.0 } else { matrix.get(i, j).powi(2) })
            .collect();
        let best = weiszfeld(&square, draws);
        prop_assert!(floor.value <= best * (1.0 + 1e-9), "{:?}: {floor:?} above {best}", KINDS[kind]);
        prop_assert!(floor.value >= 0.99 * best, "{:?}: {floor:?} far below {best}", KINDS[kind]);
        let mut measures: Vec<MixingMeasure> = (0..8).map(|m| noisy_measure(2, 1..8, 0.1 * m as f64, seed, 1000 + m)).collect();
        measures.extend(summary.free().unwrap().path.iter().map(|point| point.measure.clone()));
        measures.push(ensemble.draw(summary.medoid.draw));
        for value in distance.expected_losses(&measures, &ensemble, Loss::Distance, &Silent).unwrap() {
            prop_assert!(value >= floor.value * (1.0 - 1e-9), "{:?}: {value} below {}", KINDS[kind], floor.value);
        }
    }

    /// The floor of the power loss comes from the sweep that finds the medoid; after the route `pairs` it comes from a sweep of its own.
    #[test]
    fn the_floor_of_the_power_loss_does_not_depend_on_the_route(seed in 0u64..1000, which in 0usize..4, kind in 0usize..KINDS.len()) {
        let ensemble = KINDS[kind].ensemble(2, 30, seed);
        let floor = |route| {
            let settings = Settings::default().with_slicer(mixgist::slice::SLICERS[which].into()).with_loss(Loss::Power).with_route(route).with_seed(seed).with_slices(SliceCount::Fixed(20)).with_units(Units::None);
            run(&ensemble, &settings).assessment.unwrap().floor
        };
        let (sweep, direct) = (floor(Route::Sweep), floor(Route::Pairs));
        // Both are lower bounds of what both attain.
        prop_assert!(sweep.value <= direct.attained && direct.value <= sweep.attained, "{sweep:?} {direct:?}");
        prop_assert!((sweep.value - direct.value).abs() <= 1e-9 * direct.attained, "{sweep:?} {direct:?}");
    }
}

/// Once a light atom ran off to a covariance that overflows.
#[test]
fn heavy_tails_do_not_carry_atoms_away() {
    let settings = free(AtomCount::Fixed(4), 40).with_slicer(slicer("mix-sw").unwrap().into()).with_seed(194);
    let summary = run(&Kind::HeavyTails.ensemble(2, 12, 194), &settings);
    let assessment = summary.assessment.as_ref().unwrap();
    let loss = summary.free().unwrap().judgement.expected_loss;
    assert!(loss.is_finite() && loss >= assessment.floor.value * (1.0 - 1e-9));
}

/// A few draws far from all others once left the floor five per cent below what is attained.
#[test]
fn far_draws_leave_the_floor_sharp() {
    for (seed, law) in [(77, "sw"), (24, "sw"), (32, "smix-w")] {
        let settings = free(AtomCount::Fixed(2), 24).with_slicer(slicer(law).unwrap().into()).with_seed(seed);
        let floor = run(&Kind::HeavyTails.ensemble(2, 420, seed), &settings).assessment.unwrap().floor;
        assert!(floor.value >= 0.995 * floor.attained, "{floor:?} for {law} and seed {seed}");
    }
}

#[test]
fn the_floor_is_sharp() {
    for slices in [100, 300] {
        for loss in [Loss::Power, Loss::Distance] {
            let ensemble = noisy_ensemble(2, 60, 2..6, 0.3, 4);
            let summary =
                run(&ensemble, &free(AtomCount::default(), slices).with_estimator(Estimator::Medoid).with_loss(loss));
            let floor = summary.assessment.unwrap().floor;
            assert!(floor.attained <= floor.value * 1.002, "{floor:?}");
        }
    }
}

/// The floor of the power loss is half the mean squared distance of all pairs.
#[test]
fn the_floor_of_the_power_loss_is_the_variance_of_the_draws() {
    let ensemble = noisy_ensemble(2, 20, 2..6, 0.4, 9);
    let settings =
        Settings::default().with_loss(Loss::Power).with_slices(SliceCount::Fixed(50)).with_units(Units::None);
    let floor = run(&ensemble, &settings).assessment.unwrap().floor;
    let slices = settings.freeze(2, 50).unwrap();
    let distances = SlicedDistance::new(&*slices, Order::TWO).matrix(&ensemble, &Silent).unwrap().distances;
    let pairs = (0..20).flat_map(|i| (0..i).map(move |j| (i, j)));
    let expected = pairs.map(|(i, j)| distances.get(i, j).powi(2)).sum::<f64>() / 400.0;
    assert!((floor.value - expected).abs() < 1e-9 * expected, "{} {expected}", floor.value);
}

#[test]
fn draws_that_are_all_one_measure_are_found_exactly() {
    for name in ["sw", "mix-sw", "smix-w"] {
        for loss in [Loss::Power, Loss::Distance] {
            let truth = noisy_measure(2, 3..4, 0.0, 7, 0);
            let ensemble = Ensemble::from_measures(&vec![truth.clone(); 8]).unwrap();
            let settings = free(AtomCount::default(), 60).with_slicer(slicer(name).unwrap().into()).with_loss(loss);
            let summary = run(&ensemble, &settings);
            let found = &summary.estimate;
            assert_eq!(found.len(), 3, "{name} {loss:?}");
            let slices = settings.freeze(2, 60).unwrap();
            let gap = SlicedDistance::new(&*slices, Order::TWO).between(found, &truth).unwrap().value;
            assert!(gap < 1e-6, "{name} {loss:?}: {gap}");
            assert!(summary.distances.iter().all(|&d| d < 1e-6));
            assert!(summary.assessment.unwrap().floor.value < 1e-6);
        }
    }
}

/// Under the power loss one atom can be solved by hand: `mix-sw` is linear in (μ, log Σ), and so the best single atom for draws of a single atom is the mean
/// of their coordinates.
#[test]
fn the_best_single_atom_is_the_mean_of_the_coordinates() {
    let means: Vec<f64> = (0..10).map(|i| f64::from(i * i % 7)).collect();
    let variances: Vec<f64> = (0..10).map(|i| 0.5 + f64::from(i % 4)).collect();
    let draws = Ensemble::builder(1)
        .atoms_per_draw(1)
        .weights(&[1.0; 10])
        .means(&means)
        .covariances(&variances)
        .build()
        .unwrap();
    let settings = free(AtomCount::Fixed(1), 50).with_slicer(slicer("mix-sw").unwrap().into()).with_loss(Loss::Power);
    let found = run(&draws, &settings).estimate;
    let mean = means.iter().sum::<f64>() / 10.0;
    let log = variances.iter().map(|v| v.ln()).sum::<f64>() / 10.0;
    assert!((found.atoms().mean(0)[0] - mean).abs() < 1e-5);
    assert!((found.atoms().covariance(0)[0].ln() - log).abs() < 1e-5);
}

/// A posterior about three atoms, every third draw with a small one besides.
fn posterior() -> Ensemble {
    noisy_ensemble(2, 120, 3..4, 0.15, 21)
}

#[test]
fn more_atoms_never_fit_worse_and_the_free_estimate_beats_the_medoid() {
    let summary = run(&posterior(), &free(AtomCount::default(), 150));
    let free = summary.free().unwrap();
    let losses: Vec<f64> = free.path.iter().map(|point| point.judgement.expected_loss).collect();
    assert!(losses.windows(2).all(|pair| pair[1] <= pair[0] * 1.002), "{losses:?}");
    let held = free.judgement.held_out.unwrap();
    assert!(held.over_medoid < -3.0 * held.over_medoid_se.unwrap(), "{held:?}");
    // The rule of `auto`: the smallest number of atoms within three standard errors or 1 % of the best.
    let within = |i: usize| {
        let (point, held) = (&free.path[i], free.path[i].judgement.held_out.unwrap().expected_loss);
        point.over_best <= (3.0 * point.over_best_se).max(0.01 * (held - point.over_best))
    };
    assert!(within(free.chosen) && (0..free.chosen).all(|i| !within(i)));
    assert!(free.path.iter().any(|point| point.over_best == 0.0));
    // A fixed number of atoms is the same fit.
    let again = run(&posterior(), &fixed(free.path[free.chosen].atoms));
    assert_eq!(again.estimate, summary.estimate);
}

fn fixed(atoms: usize) -> Settings {
    free(AtomCount::Fixed(atoms), 150)
}

/// The same draws in another order, with their atoms in another order and the first atom of each split in two.
fn disguised(ensemble: &Ensemble) -> Ensemble {
    let measures: Vec<MixingMeasure> = (0..ensemble.len())
        .rev()
        .map(|m| {
            let draw = ensemble.draw(m);
            let order: Vec<usize> = (0..draw.len()).rev().chain([0]).collect();
            let weight = |k: usize| draw.weights()[k] * if k == 0 { 0.5 } else { 1.0 };
            let atoms: GaussianAtoms = draw.atoms().select(order.iter().copied());
            MixingMeasure::new(order.iter().map(|&k| weight(k)).collect(), atoms).unwrap()
        })
        .collect();
    Ensemble::from_measures(&measures).unwrap()
}

/// For draws that are all searched (60) and compressed ones (420). Other sums round otherwise, and what fits are made of is rounded to fewer digits. Not so
/// where rounding decides on much more than digits: among draws nearly all alike, or a million times as far apart as others.
#[test]
fn the_order_of_draws_and_atoms_and_split_atoms_do_not_matter() {
    let posteriors =
        [Kind::Plain, Kind::Duplicates, Kind::EqualWeights].map(|kind| move |draws| kind.ensemble(2, draws, 1));
    for (which, draws) in [(0, 60), (0, 420), (1, 60), (1, 420), (2, 60), (2, 420)] {
        let ensemble = posteriors[which](draws);
        for (name, loss) in [("sw", Loss::Distance), ("mix-sw", Loss::Power), ("smix-w", Loss::Distance)] {
            let settings =
                free(AtomCount::Auto { most: 6 }, 60).with_slicer(slicer(name).unwrap().into()).with_loss(loss);
            let (one, other) = (run(&ensemble, &settings), run(&disguised(&ensemble), &settings));
            let (a, b) = (one.free().unwrap(), other.free().unwrap());
            let (floor, same) = (one.assessment.as_ref().unwrap().floor, other.assessment.as_ref().unwrap().floor);
            assert!((floor.value - same.value).abs() < 1e-9 * floor.value);
            assert_eq!((a.chosen, a.path.len()), (b.chosen, b.path.len()), "{which} {draws} {name}");
            for (x, y) in a.path.iter().zip(&b.path) {
                let (loss, same) = (x.judgement.expected_loss, y.judgement.expected_loss);
                assert!(
                    (loss - same).abs() <= 1e-12 * loss,
                    "{which} {draws} {name}, {} atoms: {loss} {same}",
                    x.atoms
                );
            }
            let slices = settings.freeze(2, 60).unwrap();
            let gap = SlicedDistance::new(&*slices, Order::TWO).between(&a.estimate, &b.estimate).unwrap().value;
            assert!(gap < 1e-6 * a.judgement.expected_loss, "{which} {draws} {name}: {gap}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&posterior(), &free(AtomCount::Auto { most: 5 }, 200)))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn estimates_come_back_in_the_original_units() {
    let ensemble = posterior();
    let settings = fixed(3).with_units(Units::Whiten);
    let summary = run(&ensemble, &settings);
    let medoid = ensemble.draw(summary.medoid.draw);
    let center = |measure: &MixingMeasure, a: usize| -> f64 {
        (0..measure.len()).map(|k| measure.weights()[k] * measure.atoms().mean(k)[a]).sum()
    };
    for a in 0..2 {
        let scale = summary.units.scales[a];
        assert!((center(&summary.estimate, a) - center(&medoid, a)).abs() < 0.5 * scale);
    }
    let candidate = settings.with_candidate(Some(summary.estimate.clone()));
    let again = run(&ensemble, &candidate).assessment.unwrap();
    let own = again.candidate.unwrap();
    assert!((own.expected_loss - again.free.unwrap().judgement.expected_loss).abs() < 1e-9 * own.expected_loss);
}

#[test]
fn what_cannot_be_done_is_refused_with_a_remedy() {
    let ensemble = posterior();
    let message = |settings: Settings| {
        let error = summarize(&ensemble, None, &settings, &Silent).unwrap_err();
        format!("{error} {}", error.hint_text().map_or_else(String::new, |hint| hint.to_string()))
    };
    let refused = message(free(AtomCount::default(), 10).with_order(order(1.0)));
    assert!(refused.contains("needs order 2") && refused.contains("estimate = medoid"), "{refused}");
    assert!(message(free(AtomCount::Fixed(0), 10)).contains("from 1 to"));
    let other = noisy_measure(3, 1..2, 0.1, 1, 0);
    assert!(message(Settings::default().with_candidate(Some(other)).with_units(Units::None)).contains("dimension 3"));
    let custom = CustomSlices::new(2, |_: &GaussianAtoms, out: &mut [f64]| out.fill(0.0));
    assert!(custom.tangents().is_none());
    let medoid = run(
        &ensemble,
        &Settings::default().with_order(order(1.0)).with_slices(SliceCount::Fixed(10)).with_units(Units::None),
    );
    assert!(medoid.assessment.is_none());
}

/// Draws with many light atoms and one narrow coordinate: `sw` and `smix-w` hardly see it, and without a bound they let it collapse.
#[test]
fn covariances_do_not_collapse() {
    let draws: Vec<MixingMeasure> = (0..60).map(|m| noisy_measure(2, 12..20, 0.3, 9, m)).collect();
    let scaled = |draw: &MixingMeasure| {
        let means: Vec<f64> = draw.atoms().means().chunks(2).flat_map(|x| [0.1 * x[0], 10.0 * x[1]]).collect();
        let covariances = draw.atoms().covariances().chunks(4);
        let covariances = covariances.flat_map(|c| [0.01 * c[0], c[1], c[2], 100.0 * c[3]]).collect();
        let atoms = GaussianAtoms::new(2, means, covariances, CovarianceForm::Covariance).unwrap();
        MixingMeasure::new(draw.weights().to_vec(), atoms).unwrap()
    };
    let draws: Vec<MixingMeasure> = draws.iter().map(scaled).collect();
    // What a coordinate has beyond the other: a bound from below for every direction.
    let narrow = |measure: &MixingMeasure| {
        let conditional = measure.atoms().covariances().chunks(4).map(|c| c[0] - c[1] * c[2] / c[3]);
        conditional.fold(f64::INFINITY, f64::min)
    };
    let narrowest_draw = draws.iter().map(narrow).fold(f64::INFINITY, f64::min);
    let ensemble = Ensemble::from_measures(&draws).unwrap();
    for distance in ["sw", "mix-sw", "smix-w"] {
        let settings = free(AtomCount::Fixed(12), 60).with_slicer(slicer(distance).unwrap().into());
        let path = run(&ensemble, &settings).assessment.unwrap().free.unwrap().path;
        for point in path {
            let narrow = narrow(&point.measure);
            assert!(narrow > 0.3 * narrowest_draw, "{distance}, {} atoms: {narrow} {narrowest_draw}", point.atoms);
        }
    }
}

/// Atoms on a grid, far from each other, that jitter from draw to draw.
fn grid(atoms: usize, draws: u64) -> Ensemble {
    let draw = |m: u64| {
        let jitter = noisy_measure(2, atoms..atoms + 1, 0.2, 31, m);
        let place = |k: usize| [10.0 * (k % 5) as f64, 10.0 * (k / 5) as f64];
        let means = jitter.atoms().means().chunks(2).enumerate();
        let means = means.flat_map(|(k, x)| [place(k)[0] + 0.1 * x[0], place(k)[1] + 0.1 * x[1]]).collect();
        let covariances = (0..atoms).flat_map(|_| diagonal(2, 1.0)).collect();
        let atoms = GaussianAtoms::new(2, means, covariances, CovarianceForm::Covariance).unwrap();
        MixingMeasure::new(jitter.weights().to_vec(), atoms).unwrap()
    };
    Ensemble::from_measures(&(0..draws).map(draw).collect::<Vec<_>>()).unwrap()
}

#[test]
fn auto_goes_on_while_more_atoms_help() {
    let draws = grid(18, 20);
    let summary = run(&draws, &free(AtomCount::default(), 40));
    let found = summary.free().unwrap();
    assert!(found.estimate.len() >= 18 && found.path.len() > 15, "{} of {}", found.estimate.len(), found.path.len());
    assert!(found.judgement.expected_loss < summary.medoid.expected_loss);
    let limited = run(&draws, &free(AtomCount::Auto { most: 17 }, 40));
    assert_eq!(limited.free().unwrap().path.len(), 17);
    assert!(limited.warnings.contains(&Warning::PathEnds { atoms: 17 }), "{:?}", limited.warnings);
}

/// What one number of atoms finds the others know: no fit is beaten by one with no more atoms, and none by a neighbour from which the atom
/// is taken that matters least.
#[test]
fn fits_on_the_path_know_of_each_other() {
    for name in ["sw", "mix-sw", "smix-w"] {
        let draws: Vec<MixingMeasure> = (0..80).map(|m| noisy_measure(2, 3..9, 0.4, 17, m)).collect();
        let ensemble = Ensemble::from_measures(&draws).unwrap();
        let settings = free(AtomCount::Auto { most: 10 }, 80).with_slicer(slicer(name).unwrap().into());
        let summary = run(&ensemble, &settings);
        let path = &summary.free().unwrap().path;
        let loss = |i: usize| path[i].judgement.expected_loss;
        let slices = settings.freeze(2, 80).unwrap();
        let distance = SlicedDistance::new(&*slices, Order::TWO);
        for i in 0..path.len() {
            assert!(path[i].measure.len() <= path[i].atoms);
            let rivals = (0..path.len()).filter(|&j| path[j].measure.len() <= path[i].atoms);
            assert!(rivals.map(loss).all(|rival| rival >= loss(i)), "{name}, {} atoms", path[i].atoms);
        }
        for pair in path.windows(2) {
            let (weights, atoms) = (pair[1].measure.weights(), pair[1].measure.atoms());
            for gone in 0..weights.len() {
                let left: Vec<usize> = (0..weights.len()).filter(|&k| k != gone).collect();
                if left.is_empty() {
                    continue;
                }
                let total: f64 = left.iter().map(|&k| weights[k]).sum();
                let weights = left.iter().map(|&k| weights[k] / total).collect();
                let reduced = MixingMeasure::new(weights, atoms.select(left.iter().copied())).unwrap();
                let row = distance.to_draws(&reduced, &ensemble, &Silent).unwrap();
                let reduced = row.iter().map(|d| d.value).sum::<f64>() / 80.0;
                assert!(reduced >= pair[0].judgement.expected_loss * 0.999, "{name}, {} atoms", pair[0].atoms);
            }
        }
    }
}

/// A draw is a summary too, so that with as many atoms as the medoid has the free estimate is no worse.
#[test]
fn few_draws_do_not_make_the_free_estimate_worse_than_the_medoid() {
    for (count, seed) in [2, 3, 4, 6].into_iter().flat_map(|count| (0..4).map(move |seed| (count, seed))) {
        let draws: Vec<MixingMeasure> = (0..count).map(|m| noisy_measure(2, 2..4, 0.5, 40 + seed, m)).collect();
        let ensemble = Ensemble::from_measures(&draws).unwrap();
        for loss in [Loss::Distance, Loss::Power] {
            let summary = run(&ensemble, &free(AtomCount::Fixed(4), 60).with_loss(loss));
            let own = summary.free().unwrap().judgement.expected_loss;
            assert!(own <= summary.medoid.expected_loss * (1.0 + 1e-9), "{count} draws, seed {seed}");
            let auto = run(&ensemble, &free(AtomCount::default(), 60).with_loss(loss));
            let over_medoid = |judgement: &Judgement| judgement.held_out.unwrap().over_medoid;
            let auto = auto.free().unwrap();
            let best = auto.path.iter().map(|point| over_medoid(&point.judgement)).fold(f64::INFINITY, f64::min);
            assert!(over_medoid(&auto.judgement) <= 0.0 || best >= 0.0, "{count} draws, seed {seed}");
        }
    }
}

/// A number of atoms beyond the usual path is fitted by way of all smaller ones, not in one leap from 15.
#[test]
fn many_atoms_are_fitted_when_many_are_asked_for() {
    let draws = grid(30, 20);
    let loss = |atoms: usize| {
        let summary = run(&draws, &free(AtomCount::Fixed(atoms), 40));
        let found = summary.free().unwrap();
        (found.estimate.len(), found.judgement.expected_loss, found.path.last().unwrap().atoms)
    };
    let (few, middle, many, beyond) = (loss(16), loss(24), loss(30), loss(70));
    assert!(few.0 == 16 && middle.0 == 24 && many.0 == 30, "{few:?} {middle:?} {many:?}");
    assert!(many.1 < 0.97 * middle.1 && middle.1 < 0.97 * few.1, "{few:?} {middle:?} {many:?}");
    assert!(beyond.1 <= many.1 && beyond.2 == 70, "{beyond:?}");
}

/// What is small is not decided by one draw that is far from all others: by every route the fits are as good, and the floor as sharp.
#[test]
fn one_far_draw_spoils_nothing_by_any_route() {
    let near: Vec<MixingMeasure> = (0..200).map(|m| noisy_measure(2, 4..5, 0.3, 8, m)).collect();
    let far = {
        let atoms = near[7].atoms();
        let means = atoms.means().iter().map(|x| x + 1e4).collect();
        let atoms = GaussianAtoms::new(2, means, atoms.covariances().to_vec(), CovarianceForm::Covariance).unwrap();
        MixingMeasure::new(near[7].weights().to_vec(), atoms).unwrap()
    };
    let draws = Ensemble::from_measures(&[&near[..], &[far]].concat()).unwrap();
    let judged = |route| {
        let summary = run(&draws, &free(AtomCount::default(), 60).with_route(route));
        let assessment = summary.assessment.clone().unwrap();
        (assessment.medoid.excess, summary.free().unwrap().judgement.excess)
    };
    let (pairs, certified) = (judged(Route::Pairs), judged(Route::Certified));
    assert!((pairs.0 - certified.0).abs() < 1e-3 && (pairs.1 - certified.1).abs() < 1e-3, "{pairs:?} {certified:?}");
}

/// Where the weights of components far apart are uncertain, the measure of least expected loss has mass between them. It is said.
#[test]
fn atoms_that_no_draw_has_are_pointed_out() {
    let draw = |m: u64| {
        let jitter = noisy_measure(2, 3..4, 0.1, 12, m);
        let means = (0..6).map(|i| 20.0 * f64::from(u8::from(i == 2 || i == 5)) + 0.1 * jitter.atoms().means()[i]);
        let atoms = GaussianAtoms::new(2, means.collect(), diagonal(2, 1.0).repeat(3), CovarianceForm::Covariance);
        MixingMeasure::new(jitter.weights().to_vec(), atoms.unwrap()).unwrap()
    };
    let draws = Ensemble::from_measures(&(0..60).map(draw).collect::<Vec<_>>()).unwrap();
    let without = |atoms: usize| {
        let summary = run(&draws, &fixed(atoms));
        summary.warnings.iter().any(|warning| matches!(warning, Warning::AtomsWithoutDraws { .. }))
    };
    assert!(without(12));
    let medoid = run(&draws, &fixed(3).with_estimator(Estimator::Medoid));
    assert!(!medoid.warnings.iter().any(|warning| matches!(warning, Warning::AtomsWithoutDraws { .. })));
    // Weights that are all the same leave nothing between.
    let same = |m: u64| {
        let measure = draw(m);
        MixingMeasure::new(vec![0.5, 0.3, 0.2], measure.atoms().clone()).unwrap()
    };
    let draws = Ensemble::from_measures(&(0..60).map(same).collect::<Vec<_>>()).unwrap();
    let summary = run(&draws, &fixed(3));
    assert!(!summary.warnings.iter().any(|warning| matches!(warning, Warning::AtomsWithoutDraws { .. })));
}
