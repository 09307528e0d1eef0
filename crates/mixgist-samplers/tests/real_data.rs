//! The three algorithms must agree on real data, and their chains among themselves.

mod data;

use mixgist::Silent;
use mixgist_samplers::{Algorithm, CovarianceModel, Fit, FitSettings, Scale, Truncation, fit};

fn all_algorithms(data: &[f64], dim: usize, settings: &FitSettings, sticks: usize) -> Vec<(&'static str, Fit)> {
    [
        ("blocked", Algorithm::Blocked { truncation: Truncation::At(sticks) }),
        ("slice", Algorithm::Slice),
        ("marginal", Algorithm::Marginal),
    ]
    .map(|(name, algorithm)| {
        (name, fit(data, dim, &settings.clone().with_algorithm(algorithm), None, &Silent).unwrap())
    })
    .to_vec()
}

/// Share of draws with this many clusters.
fn share(fit: &Fit, clusters: f64) -> f64 {
    let all: Vec<f64> = fit.traces.clusters.concat();
    all.iter().filter(|&&k| k == clusters).count() as f64 / all.len() as f64
}

fn mean(trace: &[Vec<f64>]) -> f64 {
    trace.concat().iter().sum::<f64>() / trace.concat().len() as f64
}

/// Two runs differ by less than 5 Monte Carlo standard errors in the mean number of clusters: a false alarm in 2e6.
fn assert_same_clusters(fits: &[(&str, Fit)]) {
    for (name, other) in &fits[1..] {
        let error = |fit: &Fit| {
            let all = fit.traces.clusters.concat();
            let center = mean(&fit.traces.clusters);
            let variance = all.iter().map(|k| (k - center).powi(2)).sum::<f64>() / all.len() as f64;
            variance / fit.diagnostics.as_ref().unwrap().clusters.bulk_ess
        };
        let (a, b) = (mean(&fits[0].1.traces.clusters), mean(&other.traces.clusters));
        let limit = 5.0 * (error(&fits[0].1) + error(other)).sqrt();
        assert!((a - b).abs() < limit, "{}: {a} clusters, {name}: {b}, limit {limit}", fits[0].0);
    }
}

#[test]
fn old_faithful_under_the_prior_of_the_experiments() {
    let mut settings = FitSettings::default().with_iterations(9_000).with_burn_in(1_000).with_thin(4).with_seed(3);
    settings.component.mu0 = Some(vec![3.0, 70.0]);
    settings.component.lambda = Some(1.0);
    settings.component.psi = Some(Scale::Diagonal(vec![4.0, 36.0]));
    settings.component.nu = Some(4.0);
    let fits = all_algorithms(&data::read("faithful", 2), 2, &settings, 100);
    for (name, fit) in &fits {
        let diagnostics = fit.diagnostics.as_ref().unwrap();
        println!("{name}: {} clusters, P(2) = {}, {diagnostics:?}", mean(&fit.traces.clusters), share(fit, 2.0));
        assert!((3.0..3.2).contains(&mean(&fit.traces.clusters)), "{name}: {} clusters", mean(&fit.traces.clusters));
        assert!((0.27..0.34).contains(&share(fit, 2.0)), "{name}: P(2 clusters) = {}", share(fit, 2.0));
        for convergence in [diagnostics.log_posterior, diagnostics.clusters, diagnostics.largest_cluster] {
            assert!(convergence.rhat < 1.01, "{name}: {diagnostics:?}");
        }
        assert!(diagnostics.converged, "{name}: {diagnostics:?}");
    }
    assert_same_clusters(&fits);
    assert_labels_move(&fits[0].1);
}

/// Given the partition, the largest cluster sits on stick 0 with probability n_max/(n + α) (up to the truncation, here 1e-30), and
/// positions of successive draws are independent: 5 standard errors, a false alarm in 2e6.
fn assert_labels_move(fit: &Fit) {
    let first = fit.labels.rows(272).filter(|labels| {
        let mut counts = [0; 100];
        labels.iter().for_each(|label| counts[label as usize] += 1);
        counts.iter().max() == Some(&counts[0])
    });
    let draws = fit.labels.len() as f64 / 272.0;
    let (share, expected) = (first.count() as f64 / draws, mean(&fit.traces.largest_cluster) / 273.0);
    let error = (expected * (1.0 - expected) / draws).sqrt();
    assert!(
        (share - expected).abs() < 5.0 * error,
        "largest cluster on stick 0 in {share} of the draws, expected {expected}"
    );
}

#[test]
fn galaxies_in_one_dimension() {
    let settings = FitSettings::default().with_iterations(5_000).with_burn_in(1_000).with_thin(4).with_seed(5);
    let fits = all_algorithms(&data::read("galaxies", 1), 1, &settings, 60);
    for (name, fit) in &fits {
        println!("{name}: {} clusters, {:?}", mean(&fit.traces.clusters), fit.diagnostics);
        assert!(fit.diagnostics.as_ref().unwrap().converged, "{name}: {:?}", fit.diagnostics);
    }
    assert_same_clusters(&fits);
}

#[test]
fn iris_in_four_dimensions() {
    let mut settings = FitSettings::default().with_iterations(5_000).with_burn_in(1_000).with_thin(4).with_seed(7);
    settings.component.covariance = CovarianceModel::Full;
    let fits = all_algorithms(&data::read("iris", 4), 4, &settings, 40);
    for (name, fit) in &fits {
        println!("{name}: {} clusters, {:?}", mean(&fit.traces.clusters), fit.diagnostics);
        assert_eq!(fit.ensemble.dim(), 4);
    }
    assert_same_clusters(&fits);
}
