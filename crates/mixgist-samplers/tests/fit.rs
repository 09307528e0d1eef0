//! The shape of a fit: what comes back, for every prior, component and algorithm, whatever the number of threads.

mod data;

use mixgist::Silent;
use mixgist::random::{Purpose, standard_normals, stream};
use mixgist_samplers::{
    Algorithm, Concentration, CovarianceModel, Fit, FitSettings, MixingPrior, Scale, Truncation, extend, fit,
};

fn short() -> FitSettings {
    FitSettings::default().with_chains(3).with_iterations(60).with_burn_in(20).with_thin(4).with_seed(1)
}

fn run(settings: &FitSettings) -> Fit {
    fit(&data::read("faithful", 2), 2, settings, None, &Silent).unwrap()
}

#[test]
fn every_combination_gives_draws_labels_and_traces_that_fit_together() {
    for (_, covariance) in CovarianceModel::NAMES {
        for (name, algorithm) in Algorithm::NAMES {
            for prior in [
                MixingPrior::DirichletProcess,
                MixingPrior::PitmanYor { discount: 0.2 },
                MixingPrior::Finite { components: 8 },
            ] {
                let mut settings = short().with_algorithm(algorithm).with_prior(prior);
                settings.component.covariance = covariance;
                if let (Algorithm::Blocked { .. }, MixingPrior::PitmanYor { .. }) = (algorithm, prior) {
                    settings.algorithm = Algorithm::Blocked { truncation: Truncation::At(30) };
                }
                let fit = run(&settings);
                assert_eq!(fit.ensemble.len(), 30);
                assert_eq!(fit.ensemble.chains()[9..11], [0, 1]);
                assert_eq!(fit.ensemble.iterations()[..3], [23, 27, 31]);
                assert!(fit.ensemble.renormalization() < 1e-12);
                assert_eq!(fit.labels.len(), 30 * 272);
                for (m, labels) in fit.labels.rows(272).enumerate() {
                    let used: std::collections::HashSet<_> = labels.iter().collect();
                    assert!(
                        labels.iter().all(|label| (label as usize) < fit.ensemble.range(m).len()),
                        "{name}, {prior:?}"
                    );
                    assert_eq!(used.len() as f64, fit.traces.clusters[m / 10][m % 10]);
                }
                if let MixingPrior::Finite { components } = prior {
                    assert!(fit.ensemble.offsets().windows(2).all(|pair| pair[1] - pair[0] <= components));
                }
                assert!(fit.unresolved < 1e-6);
                assert!(fit.diagnostics.is_some());
            }
        }
    }
}

/// More than one tile of points: threads work within the chain, and a chain that is stopped and runs on goes the same way.
#[test]
fn many_points_have_the_same_draws_for_any_number_of_threads() {
    let mut values = vec![0.0; 2 * 70_000];
    standard_normals(&mut stream(3, Purpose::Simulation, 0), &mut values);
    values.chunks_exact_mut(2).enumerate().for_each(|(i, x)| x[0] += 9.0 * (i % 3) as f64);
    let base = FitSettings::default().with_chains(2).with_burn_in(8).with_thin(1).with_seed(2);
    for algorithm in [Algorithm::NAMES[0].1, Algorithm::Slice] {
        let settings = base.clone().with_algorithm(algorithm).with_iterations(14);
        let in_pool = |threads: usize, settings: &FitSettings| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&values, 2, settings, None, &Silent)).unwrap()
        };
        let whole = in_pool(1, &settings);
        assert!(in_pool(5, &settings) == whole, "{algorithm:?}");
        let begun = in_pool(4, &settings.clone().with_iterations(11));
        assert!(extend(begun, &values, 2, &settings, &Silent).unwrap() == whole, "{algorithm:?}");
    }
}

/// A label names the atom that its observation belongs to: labelled points must lie near their atom.
#[test]
fn labels_name_atoms() {
    for (_, algorithm) in Algorithm::NAMES {
        let fit = run(&short().with_algorithm(algorithm).with_iterations(400).with_burn_in(300));
        let data = data::read("faithful", 2);
        let mut far = 0;
        for (m, labels) in fit.labels.rows(272).enumerate() {
            for (i, label) in labels.iter().enumerate() {
                let atom = fit.ensemble.range(m).start + label as usize;
                let (mean, covariance) = (fit.ensemble.atoms().mean(atom), fit.ensemble.atoms().covariance(atom));
                let z = (data[2 * i + 1] - mean[1]).abs() / covariance[3].sqrt();
                far += usize::from(z > 4.0);
            }
        }
        assert!(
            far < fit.labels.len() / 500,
            "{far} of {} labelled points lie 4 standard deviations off",
            fit.labels.len()
        );
    }
}

#[test]
fn the_number_of_threads_changes_no_bit_and_the_seed_all() {
    let settings = short().with_concentration(Concentration::Gamma { shape: 1.0, rate: 1.0 });
    let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| run(&settings));
    assert!(on(1) == on(3));
    assert!(run(&settings.clone().with_seed(2)).ensemble != on(1).ensemble);
}

#[test]
fn a_chain_depends_on_the_seed_and_its_number_alone() {
    let three = run(&short());
    let one = run(&short().with_chains(1));
    assert_eq!(three.traces.log_posterior[0], one.traces.log_posterior[0]);
    assert_eq!(three.labels.slice(0..one.labels.len()), one.labels.as_slice());
    assert_ne!(three.traces.log_posterior[0], three.traces.log_posterior[1]);
    // and thinning keeps every other draw of the same chain
    let thinned = run(&short().with_chains(1).with_thin(8));
    assert_eq!(thinned.ensemble.draw(1), one.ensemble.draw(3));
}

#[test]
fn data_that_cannot_be_used_are_refused_with_their_place() {
    let message = |values: &[f64], dim| fit(values, dim, &short(), None, &Silent).unwrap_err().to_string();
    assert!(message(&[1.0, 2.0, f64::NAN, 4.0], 2).contains("row 1, column 0"));
    assert!(message(&[1.0, 2.0, 1.0, 4.0], 2).contains("column 0 of the data is constant"));
    assert!(message(&[], 1).contains("no rows"));
}

#[test]
fn data_of_any_unit_give_the_same_partitions() {
    let data = data::read("galaxies", 1);
    let labels = |factor: f64| {
        let scaled: Vec<f64> = data.iter().map(|v| v * factor).collect();
        fit(&scaled, 1, &short(), None, &Silent).unwrap().labels
    };
    // powers of two scale without rounding
    assert_eq!(labels(1.0), labels(2f64.powi(60)));
    assert_eq!(labels(1.0), labels(2f64.powi(-60)));
}

#[test]
fn ties_a_single_point_and_sparse_weights_are_ordinary() {
    let mut settings = short();
    settings.component.mu0 = Some(vec![0.0]);
    settings.component.psi = Some(mixgist_samplers::Scale::Diagonal(vec![1.0]));
    for (_, algorithm) in Algorithm::NAMES {
        for prior in [MixingPrior::DirichletProcess, MixingPrior::Finite { components: 50 }] {
            let settings = settings
                .clone()
                .with_algorithm(algorithm)
                .with_prior(prior)
                .with_concentration(Concentration::Fixed(1e-3));
            for data in [vec![1.0], vec![2.0; 40], vec![0.0, 1e6]] {
                let fit = fit(&data, 1, &settings, None, &Silent).unwrap();
                assert_eq!(fit.labels.len(), 30 * data.len());
            }
        }
    }
}

/// Forty clusters far apart: the prior with α = 1 asks for 28 sticks. `auto` adds sticks during the burn-in and finds all clusters; 28 sticks that are asked for
/// stay 28, and the fit says that the last one is occupied.
#[test]
fn truncation_adapts_to_the_data_or_says_that_it_binds() {
    let data: Vec<f64> = (0..400).map(|i| 10.0 * f64::from(i % 40) + 0.1 * f64::from(i / 40)).collect();
    let with = |truncation: Truncation| {
        let mut settings = short().with_algorithm(Algorithm::Blocked { truncation });
        settings.iterations = 500;
        settings.burn_in = 400;
        settings.component.psi = Some(Scale::Diagonal(vec![0.1]));
        // The prior of a centre is as wide as the data, whatever the width of its cluster.
        settings.component.lambda = Some(1e-5);
        fit(&data, 1, &settings, None, &Silent).unwrap()
    };
    let adapted = with(Truncation::Auto { tolerance: 1e-8 });
    let truncated = adapted.truncated.unwrap();
    assert!(truncated.sticks > 56 && truncated.on_last_stick == 0.0 && !truncated.binds(), "{truncated:?}");
    let most = adapted.traces.clusters.iter().flatten().copied().fold(0.0, f64::max);
    assert!(most >= 40.0, "{most}");
    let bound = with(Truncation::At(28));
    let truncated = bound.truncated.unwrap();
    assert!(truncated.binds() && truncated.on_last_stick > 0.5, "{truncated:?}");
    assert_eq!(truncated.sticks, 28);
}
