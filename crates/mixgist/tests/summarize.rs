//! The whole job: slices are doubled as far as needed, warnings appear when they should and not otherwise, bad settings are refused.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::*;
use mixgist::credible::Question;
use mixgist::slice::{Array, NamedArrays, Scheme, slicer};
use mixgist::{
    AtomCount, Ensemble, ErrorKind, Estimate, Estimator, GivenDirections, MixingMeasure, Order, Points, Posterior,
    Progress, Pruning, Route, Settings, Silent, SliceCount, Summary, Units, Warning, estimate, summarize,
};

fn run(ensemble: &Ensemble, settings: &Settings) -> Summary {
    summarize(ensemble, None, settings, &Silent).unwrap().result
}

fn names(summary: &Summary) -> Vec<&str> {
    summary.warnings.iter().map(Warning::name).collect()
}

fn fixed(slices: usize) -> Settings {
    Settings::default().with_slices(SliceCount::Fixed(slices)).with_units(Units::None)
}

/// Draws of which number 0 is the middle of all others, which lie far from it on both sides and from each other.
fn clear_winner(draws: usize) -> Ensemble {
    let center = noisy_measure(2, 3..4, 0.0, 1, 0);
    let measures: Vec<_> = (0..draws)
        .map(|m| {
            let angle = m as f64 * 2.399_963;
            let radius = if m == 0 { 0.0 } else { 3.0 + (m % 7) as f64 };
            shifted(&center, &[radius * angle.cos(), radius * angle.sin()])
        })
        .collect();
    Ensemble::from_measures(&measures).unwrap()
}

/// `auto` starts with five groups and at least 128 slices, ends when the expected loss is known to a hundredth and no slices are asked for that could
/// matter, and gives the answer of as many slices that were asked for.
#[test]
fn slices_are_added_as_long_as_they_help() {
    let mut stopped_at_once = 0;
    for seed in [0, 14, 15, 32, 37] {
        let ensemble = Kind::Plain.ensemble(2, 12, seed);
        for scheme in [Scheme::Balanced, Scheme::Iid] {
            let cap = 8000;
            let auto = fixed(1).with_scheme(scheme).with_slices(SliceCount::Auto { cap });
            let first = auto.slice_count(2).unwrap();
            assert_eq!(first, if scheme == Scheme::Balanced { 160 } else { 128 });
            let summary = run(&ensemble, &auto);
            let enough = |summary: &Summary| {
                let medoid = &summary.medoid;
                let margin = medoid.margin.unwrap();
                let error = margin.slice_error.unwrap_or(f64::INFINITY);
                medoid.expected_loss_se.unwrap() <= 0.01 * medoid.expected_loss
                    && (!margin.asks_for_slices() || 3.0 * error <= 0.01 * medoid.expected_loss)
            };
            assert!(enough(&summary) || summary.slices == cap, "{} slices", summary.slices);
            let same = run(&ensemble, &fixed(summary.slices).with_scheme(scheme));
            assert_eq!(same.medoid, summary.medoid);
            if summary.slices > first {
                assert!(!enough(&run(&ensemble, &fixed(first).with_scheme(scheme))));
            } else {
                stopped_at_once += usize::from(scheme == Scheme::Balanced);
            }
        }
    }
    assert!(stopped_at_once > 0, "no set of draws was content with the first balanced groups");
    let small = run(&clear_winner(5), &Settings::default().with_slices(SliceCount::Auto { cap: 50 }));
    assert_eq!(small.slices, 50);
}

#[test]
fn a_good_run_has_no_warnings() {
    let ensemble = clear_winner(150);
    let mixture = mixgist::Mixture::new(&ensemble.draw(0)).unwrap();
    let data = mixgist::sample_points(&mixture, 100, 1, &Silent).unwrap().values;
    for scheme in Scheme::NAMES.map(|(_, scheme)| scheme) {
        let settings = fixed(500).with_scheme(scheme);
        let summary = summarize(&ensemble, Some(Points::new(2, &data).unwrap()), &settings, &Silent).unwrap();
        assert_eq!(summary.warnings, []);
        assert_eq!((summary.medoid.draw, summary.slices), (0, 500));
        assert_eq!(summary.estimate, ensemble.draw(0).heaviest_first());
        assert_eq!(summary.allocation.as_ref().unwrap().labels.len(), 100);
    }
}

/// The draw keeps the order in which it was given; every estimate has its heaviest atom first, and its labels count the atoms in this order.
#[test]
fn atoms_of_every_estimate_are_sorted_by_weight() {
    let weights = [0.2, 0.5, 0.3, 0.1, 0.6, 0.3, 0.25, 0.45, 0.3];
    let means = [0.0, 10.0, 20.0, 0.1, 10.1, 20.1, -0.1, 9.9, 19.9];
    let ensemble =
        Ensemble::builder(1).atoms_per_draw(3).weights(&weights).means(&means).covariances(&[1.0; 9]).build().unwrap();
    let data = [0.3, 10.2, 19.0, 9.0];
    let points = Points::new(1, &data).unwrap();
    for estimator in [Estimator::Medoid, Estimator::Aligned, Estimator::Free(AtomCount::Fixed(3))] {
        let settings = fixed(50).with_estimator(estimator);
        let summary = summarize(&ensemble, Some(points), &settings, &Silent).unwrap();
        let found = &summary.estimate;
        assert!(found.weights().is_sorted_by(|a, b| a >= b), "{estimator:?}: {:?}", found.weights());
        assert_eq!(summary.allocation.as_ref().unwrap().labels, [2, 0, 1, 0], "{estimator:?}");
        assert_eq!(found.atoms().mean(0)[0].round(), 10.0, "{estimator:?}");
        assert_eq!(found, &estimate(&ensemble, Some(points), &settings, &Silent).unwrap(), "{estimator:?}");
    }
    assert_eq!(ensemble.draw(0).weights(), [0.2, 0.5, 0.3]);
    let posterior = Posterior::new(&ensemble, Some(points), fixed(50)).unwrap();
    let modes = posterior.representatives(mixgist::representatives::Count::Auto, 0, &Silent).unwrap();
    assert!(modes.representatives.iter().all(|one| one.measure.weights().is_sorted_by(|a, b| a >= b)));
}

#[test]
fn too_few_slices_and_none_to_spare_are_said() {
    let twins = Kind::Plain.ensemble(2, 150, 3);
    // Four slices of one balanced group would have no error.
    let fixed = |slices: usize| fixed(slices).with_scheme(Scheme::Iid);
    let summary = run(&twins, &fixed(4));
    let Some(Warning::TooFewSlices { runner_up, separation, slices, .. }) = summary.warnings.first() else {
        panic!("{:?}", summary.warnings)
    };
    assert_eq!(summary.warnings[0].advice().to_string(), "use more slices: slices = 16, or slices = auto");
    let capped = fixed(4).with_slices(SliceCount::Auto { cap: 4 });
    assert_eq!(run(&twins, &capped).warnings[0].advice().to_string(), "use more slices: slices = 16");
    assert!(
        run(&twins, &capped).warnings[0].to_string().starts_with("4 slices, the most that auto takes, cannot tell")
    );
    let v = Array { shape: vec![4, 2], values: [1.0, 0.0, 0.6, 0.8, 0.0, 1.0, -0.6, 0.8].to_vec() };
    let directions = NamedArrays::from([("smix_w_v".to_owned(), v.clone()), ("smix_w_w".to_owned(), v)]);
    let given = fixed(1000).with_directions(Some(GivenDirections::new(directions)));
    assert_eq!((run(&twins, &given).slices, given.slice_count(2).unwrap()), (4, 4));
    assert_eq!(run(&twins, &given).warnings[0].advice().to_string(), "give more directions of your own");
    assert_eq!((Some(*runner_up), *slices), (summary.medoid.margin.map(|margin| margin.rival), 4));
    assert!((0.0..3.0).contains(separation));
    assert_eq!(names(&run(&twins, &fixed(1))), ["no-slice-error"]);
    // One orthogonal block is one group: four slices that depend on each other.
    let block = fixed(4).with_scheme(Scheme::Orthogonal);
    assert_eq!(names(&run(&twins, &block)), ["no-slice-error"]);
    let tied = Kind::Plain.ensemble(2, 2, 3);
    assert_eq!(names(&run(&tied, &fixed(100))), ["tied", "few-draws"]);
    // No slices will separate them, so that `auto` ends when the expected loss is known.
    let auto = run(&tied, &fixed(1).with_slices(SliceCount::Auto { cap: 4000 }).with_scheme(Scheme::default()));
    assert_eq!(names(&auto), ["tied", "few-draws"]);
    assert!(auto.slices < 4000, "{}", auto.slices);
}

#[test]
fn auto_says_when_it_stopped_at_its_cap() {
    let twins = Kind::Plain.ensemble(2, 150, 3);
    let settings = Settings::default().with_scheme(Scheme::Iid);
    let capped = run(&twins, &settings.clone().with_slices(SliceCount::Auto { cap: 10 }));
    let Some(Warning::SlicesCapped { slices, accuracy }) =
        capped.warnings.iter().find(|warning| warning.name() == "slices-capped")
    else {
        panic!("{:?}", capped.warnings)
    };
    assert_eq!((*slices, *accuracy), (10, capped.medoid.expected_loss_se.unwrap() / capped.medoid.expected_loss));
    assert!(*accuracy > 0.01);
    // A number that was asked for is no cap, and with enough slices there is nothing to say.
    assert!(!names(&run(&twins, &settings.clone().with_slices(SliceCount::Fixed(10)))).contains(&"slices-capped"));
    let enough = run(&twins, &settings);
    assert!(enough.slices < SliceCount::DEFAULT_CAP && !names(&enough).contains(&"slices-capped"));
}

#[test]
fn an_estimate_that_is_no_draw_does_not_repeat_the_warnings_about_the_medoid() {
    let twins = Kind::Plain.ensemble(2, 150, 3);
    let settings = fixed(4).with_scheme(Scheme::Iid);
    assert!(names(&run(&twins, &settings)).contains(&"too-few-slices"));
    for estimator in [Estimator::Free(AtomCount::Fixed(3)), Estimator::Aligned] {
        let found = run(&twins, &settings.clone().with_estimator(estimator));
        assert!(
            !names(&found).iter().any(|name| ["too-few-slices", "near-tie", "tied"].contains(name)),
            "{:?}",
            found.warnings
        );
    }
}

#[test]
fn unequal_units_are_said_unless_units_were_chosen() {
    let wide = |factor: f64| {
        let ensemble = clear_winner(120);
        let means: Vec<f64> = ensemble.atoms().means().chunks(2).flat_map(|x| [x[0], factor * x[1]]).collect();
        let covariances: Vec<f64> = ensemble
            .atoms()
            .covariances()
            .chunks(4)
            .flat_map(|c| [c[0], factor * c[1], factor * c[2], factor * factor * c[3]])
            .collect();
        let (offsets, weights) = (ensemble.offsets(), ensemble.weights());
        Ensemble::builder(2).offsets(offsets).weights(weights).means(&means).covariances(&covariances).build().unwrap()
    };
    let with = |units| fixed(500).with_units(units);
    assert!(names(&run(&wide(60.0), &with(Units::None))).contains(&"unequal-units"));
    assert!(!names(&run(&wide(1.0), &with(Units::None))).contains(&"unequal-units"));
    for units in [Units::Sd, Units::Whiten, Units::Scale(vec![1.0, 60.0])] {
        assert!(!names(&run(&wide(60.0), &with(units))).contains(&"unequal-units"));
    }
    // A single coordinate has nothing to differ from, even when the data are constant.
    let line = Kind::Plain.ensemble(1, 120, 1);
    let constant = [2.0; 10];
    let summary = summarize(&line, Some(Points::new(1, &constant).unwrap()), &fixed(100), &Silent).unwrap();
    assert!(!names(&summary).contains(&"unequal-units"));
}

#[test]
fn pruned_mass_is_said_when_it_was_asked_for() {
    let ensemble = Kind::LightAtoms.ensemble(2, 120, 1);
    let with = |pruning| fixed(100).with_pruning(pruning);
    let summary = run(&ensemble, &with(Pruning::Tolerance(1e-3)));
    assert!(summary.pruned.atoms > 0);
    assert!(summary.warnings.contains(&Warning::MassPruned { pruned: summary.pruned }));
    for pruning in [Pruning::Off, Pruning::Rounding] {
        assert!(!names(&run(&ensemble, &with(pruning))).contains(&"mass-pruned"));
    }
}

#[test]
fn weights_that_do_not_sum_to_one_are_said() {
    let make = |total: f64| {
        let draws = 120;
        let means: Vec<f64> = (0..2 * draws).map(|i| f64::from(i * 31 % 17)).collect();
        let weights: Vec<f64> = (0..2 * draws).map(|i| total * if i % 2 == 0 { 0.75 } else { 0.25 }).collect();
        Ensemble::builder(1)
            .atoms_per_draw(2)
            .weights(&weights)
            .means(&means)
            .covariances(vec![1.0; means.len()])
            .build()
            .unwrap()
    };
    let warned = |total: f64| names(&run(&make(total), &fixed(100))).contains(&"weights-renormalized");
    assert!(warned(0.99) && warned(1.0 + 1e-5));
    assert!(!warned(1.0) && !warned(1.0 - 1e-8));
}

#[test]
fn few_draws_are_said() {
    assert!(names(&run(&clear_winner(99), &fixed(100))).contains(&"few-draws"));
    assert!(!names(&run(&clear_winner(100), &fixed(100))).contains(&"few-draws"));
    let weighted = |weights: &dyn Fn(usize) -> f64| {
        let weights: Vec<f64> = (0..200).map(weights).collect();
        let summary = run(&clear_winner(200).with_draw_weights(&weights).unwrap(), &fixed(100));
        names(&summary).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(weighted(&|m| if m < 10 { 1.0 } else { 1e-6 }).iter().any(|name| name == "few-effective-draws"));
    assert!(!weighted(&|m| 1.0 + (m % 2) as f64).iter().any(|name| name == "few-effective-draws"));
}

#[test]
fn chains_that_disagree_are_said() {
    let near = noisy_ensemble(2, 200, 3..4, 0.3, 5);
    let chains: Vec<u32> = (0..200).map(|m| m / 100).collect();
    let iterations: Vec<u64> = (0..200).map(|m| m % 100).collect();
    let far: Vec<_> = (0..200).map(|m| shifted(&near.draw(m), &[if m < 120 { 0.0 } else { 30.0 }; 2])).collect();
    let stuck: Vec<u32> = (0..200).map(|m| u32::from(m >= 120)).collect();
    let agree = near.with_chains(chains, iterations.clone()).unwrap();
    assert!(!names(&run(&agree, &fixed(100))).contains(&"chains-disagree"));
    let disagree = Ensemble::from_measures(&far).unwrap().with_chains(stuck, iterations).unwrap();
    let summary = run(&disagree, &fixed(100));
    let Some(Warning::ChainsDisagree { trace, rhat, means }) = summary.warnings.last() else {
        panic!("{:?}", summary.warnings)
    };
    assert_eq!((trace.as_str(), means.len(), means[0].0, means[1].0), ("distance to estimate", 2, 0, 1));
    assert!(means[1].1 > 5.0 * means[0].1 && *rhat > 1.5);
    assert_eq!(summary.agreement.verdict, mixgist::ChainVerdict::Disagree);
}

#[test]
fn every_warning_says_what_helps() {
    let ensemble = Kind::LightAtoms.ensemble(2, 30, 1);
    let summary = run(&ensemble, &fixed(3).with_pruning(Pruning::Tolerance(1e-3)));
    assert!(summary.warnings.len() >= 2);
    for warning in &summary.warnings {
        assert!(!warning.to_string().is_empty() && !warning.advice().is_empty());
    }
}

#[test]
fn bad_settings_are_usage_errors() {
    let ensemble = Kind::Plain.ensemble(2, 10, 1);
    let error = |settings: Settings| summarize(&ensemble, None, &settings, &Silent).unwrap_err();
    for (settings, message) in [
        (fixed(0), "number of slices is 0"),
        (Settings::default().with_slices(SliceCount::Auto { cap: 0 }), "number of slices is 0"),
        (fixed(10).with_route(Route::Sweep), "route 'sweep'"),
        (fixed(10).with_route(Route::Certified).with_order(order(1.0)), "route 'certified'"),
        (fixed(10).with_units(Units::Scale(vec![1.0])), "1 numbers for 2 coordinates"),
        (fixed(10).with_units(Units::Scale(vec![1.0, -1.0])), "must be positive"),
        (fixed(10).with_pruning(Pruning::Tolerance(f64::NAN)), "pruning tolerance is NaN"),
    ] {
        let error = error(settings);
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    assert_eq!(Order::new(0.99).unwrap_err().kind(), ErrorKind::Usage);
    assert_eq!(slicer("sliced").err().unwrap().kind(), ErrorKind::Usage);
    assert_eq!(Scheme::from_name("sobol").unwrap_err().kind(), ErrorKind::Usage);
    assert_eq!(Units::from_name("inches").unwrap_err().kind(), ErrorKind::Usage);

    let directions = error(fixed(10).with_directions(Some(GivenDirections::new(NamedArrays::new()))));
    assert_eq!(directions.kind(), ErrorKind::Input);
    let line = [1.0, 2.0];
    let data = summarize(&ensemble, Some(Points::new(1, &line).unwrap()), &fixed(10), &Silent).unwrap_err();
    assert_eq!(data.to_string(), "data have 1 columns, the draws have dimension 2");
}

#[test]
fn slices_that_do_not_fit_are_refused_at_once() {
    let ensemble = Kind::Plain.ensemble(2, 10, 1);
    for slices in [1_000_000_000, 1_000_000_000_000, usize::MAX] {
        let error = summarize(&ensemble, None, &fixed(slices), &Silent).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Resource);
        assert!(
            error.to_string().contains(&format!("the directions of {slices} slices in dimension 2 take")),
            "{error}"
        );
        assert!(error.hint_text().unwrap().to_string().contains("fewer slices"));
    }
}

/// Positions whose powers would overflow are refused by name instead of giving infinite losses.
#[test]
fn sizes_that_cannot_be_computed_with_are_input_errors() {
    let huge = |mean: f64| {
        let means = [0.0, mean, 1.0];
        Ensemble::builder(1).atoms_per_draw(1).weights(&[1.0; 3]).means(&means).covariances(&[1.0; 3]).build().unwrap()
    };
    for (mean, p) in [(1e200, 2.0), (1e100, 3.0), (1e5, 100.0)] {
        let error = summarize(&huge(mean), None, &fixed(20).with_order(order(p)), &Silent).unwrap_err();
        assert_eq!((error.kind(), error.place().draw), (ErrorKind::Input, Some(1)), "{error}");
        assert!(error.hint_text().unwrap().to_string().contains("rescale"));
    }
    for (mean, p) in [(1e60, 2.0), (1e40, 3.0), (1.0, 100.0)] {
        let summary = run(&huge(mean), &fixed(20).with_order(order(p)));
        assert!(summary.medoid.expected_loss.is_finite() && summary.medoid.expected_loss_se.unwrap() > 0.0);
    }
}

/// Listens for some time and then wants to stop.
struct Impatient {
    steps: AtomicUsize,
    patience: usize,
}

impl Progress for Impatient {
    fn cancelled(&self) -> bool {
        self.steps.fetch_add(1, Ordering::Relaxed) >= self.patience
    }
}

#[test]
fn a_job_stops_when_asked_to() {
    let ensemble = Kind::Plain.ensemble(2, 450, 1);
    // With several threads each of them asks once.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (route, loss) in [(Route::Certified, "distance"), (Route::Pairs, "distance"), (Route::Sweep, "power")] {
        let loss = mixgist::Loss::NAMES.iter().find(|(name, _)| *name == loss).unwrap().1;
        for patience in [0, 1, 2, 40, 150] {
            let impatient = Impatient { steps: AtomicUsize::new(0), patience };
            let settings = fixed(200).with_route(route).with_loss(loss);
            let error = pool.install(|| summarize(&ensemble, None, &settings, &impatient)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Interrupted);
            assert_eq!(impatient.steps.load(Ordering::Relaxed), patience + 1, "asked once more after the answer");
        }
    }
}

#[test]
fn a_settled_number_of_slices_is_the_one_that_auto_ends_with() {
    let twins = Kind::Plain.ensemble(2, 150, 3);
    let auto = fixed(1).with_slices(SliceCount::Auto { cap: 2000 });
    let slices = |settings| Posterior::new(&twins, None, settings).unwrap().slices(&Silent).unwrap().len();
    assert_eq!(slices(auto.clone()), run(&twins, &auto).slices);
    assert_eq!(slices(fixed(7)), 7);
}

#[test]
fn chains_that_the_burn_in_removes_are_named() {
    let chains = (0..150).map(|m| u32::from(m >= 140)).collect();
    let draws = Kind::Plain.ensemble(2, 150, 3).with_chains(chains, (0..150).collect()).unwrap();
    let left = draws.select(&draws.thinned(10, 1)).unwrap();
    assert!(left.lost_chains().is_empty());
    let left = left.remembering_chains_of(&draws);
    assert_eq!(left.lost_chains(), [1]);
    let lost = run(&left, &fixed(50)).warnings.into_iter().find(|warning| warning.name() == "chains-lost").unwrap();
    assert_eq!(lost.to_string(), "no draw of chain 1 is left after the burn-in");
}

/// How often a job asks whether to go on.
fn questions<T>(job: impl FnOnce(&dyn Progress) -> mixgist::Result<T>) -> usize {
    let patient = Impatient { steps: AtomicUsize::new(0), patience: usize::MAX };
    job(&patient).unwrap();
    patient.steps.into_inner()
}

/// Little work passes between two questions, however much there is.
#[test]
fn a_long_job_asks_often() {
    let (draws, slices) = (450, 200);
    let ensemble = Kind::Plain.ensemble(2, draws, 1);
    let tasks_of_rows = draws / 32;
    for (route, loss, least) in [
        (Route::Pairs, "distance", slices * tasks_of_rows),
        (Route::Certified, "distance", slices),
        (Route::Sweep, "power", 2 * slices),
    ] {
        let loss = mixgist::Loss::NAMES.iter().find(|(name, _)| *name == loss).unwrap().1;
        let settings = fixed(slices).with_route(route).with_loss(loss);
        let asked = questions(|progress| summarize(&ensemble, None, &settings, progress));
        assert!(asked >= least, "{route:?}: {asked}");
    }
    for p in [1.0, 2.0] {
        let few = Kind::Plain.ensemble(2, 130, 1);
        let metric = mixgist::Metric::Sliced(Box::new(fixed(slices).with_order(order(p))));
        let asked = questions(|progress| metric.matrix(&few, progress));
        assert!(asked >= slices + 130, "order {p}: {asked}");
    }
}

#[test]
fn partitions_and_points_are_worked_on_in_small_steps() {
    use mixgist::partition::{PartitionLoss, coclusterings, expected_losses, partition_ball, similarity_block};
    let (draws, n) = (40, 60_000);
    let labels: Vec<u32> = (0..draws * n).map(|i| ((i / n + i) % 5) as u32).collect();
    let partitions = mixgist::PartitionDraws::from_dense(n, &labels).unwrap();
    let (first, vi) = (partitions.draw(0), PartitionLoss::Vi { a: 1.0 });
    // Rows of 60,000 labels in 40 draws: a million comparisons at a time are 17 draws of a row.
    assert!(questions(|progress| similarity_block(&partitions, 0..4, 0..n, progress)) >= 4 * 3);
    assert!(questions(|progress| partition_ball(vi, &first, &partitions, 0.9, progress)) >= draws);
    assert!(questions(|progress| expected_losses(&[vi], &first, &partitions, progress)) >= draws);
    assert!(questions(|progress| coclusterings(&first, &partitions, progress)) >= draws);

    let mixture = mixgist::Mixture::new(&Kind::Plain.ensemble(2, 2, 1).draw(0)).unwrap();
    let sample = |progress: &dyn Progress| mixgist::sample_points(&mixture, 600_000, 1, progress);
    assert!(questions(sample) >= 600_000 / 4096);
    let impatient = Impatient { steps: AtomicUsize::new(0), patience: 10 };
    assert_eq!(sample(&impatient).unwrap_err().kind(), ErrorKind::Interrupted);
}

/// The members of a ball are in it, also when they are asked for as hypotheses: sums in another order round otherwise.
#[test]
fn a_ball_holds_its_own_members() {
    for dim in [1, 2, 3, 6] {
        let ensemble =
            Ensemble::from_measures(&(0..60).map(|m| noisy_measure(dim, 3..6, 0.3, 31, m)).collect::<Vec<_>>())
                .unwrap();
        let settings = Settings::default().with_slices(SliceCount::Fixed(50)).with_units(Units::None);
        let estimate = summarize(&ensemble, None, &settings, &Silent).unwrap().result.estimate;
        let ask = |hypothesis: Option<&MixingMeasure>| {
            let question = Question { level: 0.9, hypothesis: hypothesis.map(|one| (one, None)), conformal: false };
            let given = Estimate::new(estimate.clone(), "given");
            let posterior = Posterior::new(&ensemble, None, settings.clone()).unwrap().with_estimate(Some(given));
            posterior.credible(&question, &Silent).unwrap().result
        };
        let farthest = ask(None).ball.farthest[0].draw;
        let region = ask(Some(&ensemble.draw(farthest))).region.unwrap();
        assert!(region.inside_ball && region.smallest_ball.value >= 0.9 - 1e-12, "{dim}: {region:?}");
    }
}

/// A summary that was damaged on its way is refused where it comes in, not where an index is out of bounds.
#[test]
fn a_summary_whose_arrays_do_not_fit_is_refused() {
    let ensemble = clear_winner(9);
    let data: Vec<f64> = (0..12).map(f64::from).collect();
    let settings = fixed(20).with_route(Route::Pairs).with_units(Units::Sd);
    let sound = summarize(&ensemble, Some(Points::new(2, &data).unwrap()), &settings, &Silent).unwrap().result;
    let check = |damage: fn(&mut Summary)| {
        let mut summary = sound.clone();
        damage(&mut summary);
        Posterior::new(&ensemble, None, settings.clone()).unwrap().with_summary(&summary).map(drop)
    };
    assert!(check(|_| {}).is_ok());
    let damages: [fn(&mut Summary); 7] = [
        |summary| summary.medoid.expected_losses = Some(Vec::new()),
        |summary| summary.medoid.expected_losses = Some(vec![1.0; 8]),
        |summary| summary.medoid.draw = 9,
        |summary| summary.units.scales.clear(),
        |summary| summary.units.transform = Some(vec![1.0]),
        |summary| summary.allocation.as_mut().unwrap().labels[0] = 99,
        |summary| summary.allocation.as_mut().unwrap().membership_probability.clear(),
    ];
    for (i, damage) in damages.into_iter().enumerate() {
        let error = check(damage).expect_err(&format!("damage {i}"));
        assert!(error.to_string().contains("the document is damaged"), "damage {i}: {error}");
    }
    let error = check(|summary| summary.distances.push(1.0)).unwrap_err().to_string();
    assert_eq!(error, "the summary is of 10 draws of dimension 2, these are 9 of dimension 2");
}
