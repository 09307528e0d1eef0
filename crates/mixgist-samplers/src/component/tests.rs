//! Closed forms of the components against each other, against quadrature and against their own chain rule.

use super::*;
use crate::algorithm::tiling::Tiling;
use crate::points::ScaledData;
use crate::settings::{CovarianceModel, FitSettings, Scale};
use mixgist::random::{Purpose, standard_normals, stream};

fn data(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut values = vec![0.0; n * d];
    standard_normals(&mut stream(seed, Purpose::Simulation, 0), &mut values);
    values.iter_mut().enumerate().for_each(|(e, v)| *v = 3.0 + (1 + e % d) as f64 * *v);
    values
}

fn resolved(values: &[f64], d: usize, covariance: CovarianceModel) -> Hyperparameters {
    let mut settings = FitSettings::default();
    settings.component.covariance = covariance;
    settings.component.mu0 = Some((0..d).map(|j| j as f64).collect());
    settings.component.lambda = Some(0.7);
    settings.component.nu = Some(d as f64 + 1.5);
    settings.component.psi = Some(Scale::Diagonal((0..d).map(|j| 2.0 + j as f64).collect()));
    Hyperparameters::resolve(values, d, &settings).unwrap()
}

/// Σ log p(x_i given x_1 … x_{i−1}) over the points of one cluster.
fn by_chain_rule<C: Component>(component: &C, points: &ScaledData) -> f64 {
    let mut statistic = vec![0.0; component.statistic_len()];
    let mut posterior = Posterior::new(points.dim());
    (0..points.len())
        .map(|i| {
            component.posterior(i as u32, &statistic, &mut posterior).unwrap();
            component.prepare(&mut posterior);
            component.shape().update(&mut statistic, points.row(i), 1.0);
            component.log_predictive(&mut posterior, points.row(i))
        })
        .sum()
}

fn check_chain_rule<C: Component>(covariance: CovarianceModel) {
    for d in [1, 2, 4] {
        let values = data(7, d, 1);
        let points = ScaledData::new(&values, d).unwrap();
        let component = C::new(&resolved(&values, d, covariance), &points.frame);
        let clusters = Clusters::new(vec![0; 7], component.shape(), &points, Tiling::default()).unwrap();
        let (marginal, chain) = (component.log_marginal(&clusters).unwrap(), by_chain_rule(&component, &points));
        assert!((marginal - chain).abs() < 1e-10, "d = {d}: {marginal} against {chain}");
    }
}

#[test]
fn marginals_are_products_of_predictive_densities() {
    check_chain_rule::<FullCovariance>(CovarianceModel::Full);
    check_chain_rule::<DiagonalCovariance>(CovarianceModel::Diagonal);
}

/// Given what is shared, the marginal of a cluster is the product of its predictive densities, for every model.
#[test]
fn cluster_marginals_are_products_of_predictive_densities() {
    fn check<C: Component>(covariance: CovarianceModel) {
        for d in [1, 3] {
            let values = data(7, d, 8);
            let points = ScaledData::new(&values, d).unwrap();
            let mut component = C::new(&resolved(&values, d, covariance), &points.frame);
            let clusters = Clusters::new(vec![0; 7], component.shape(), &points, Tiling::default()).unwrap();
            component.draw_shared(&clusters, &mut stream(2, Purpose::Chains, 0)).unwrap();
            let closed = component.log_cluster(7, clusters.statistic(0), &mut Posterior::new(d)).unwrap();
            let chain = by_chain_rule(&component, &points);
            assert!((closed - chain).abs() < 1e-9, "d = {d}: {closed} against {chain}");
        }
    }
    check::<FullCovariance>(CovarianceModel::Full);
    check::<DiagonalCovariance>(CovarianceModel::Diagonal);
    check::<CommonCovariance>(CovarianceModel::Common);
}

fn check_without<C: Component>(covariance: CovarianceModel) {
    for d in [1, 3] {
        let values = data(6, d, 2);
        let points = ScaledData::new(&values, d).unwrap();
        let mut component = C::new(&resolved(&values, d, covariance), &points.frame);
        let clusters = Clusters::new(vec![0; 6], component.shape(), &points, Tiling::default()).unwrap();
        component.draw_shared(&clusters, &mut stream(1, Purpose::Chains, 0)).unwrap();
        let mut posterior = Posterior::new(d);
        for i in 0..6 {
            let x = points.row(i);
            component.posterior(6, clusters.statistic(0), &mut posterior).unwrap();
            component.prepare(&mut posterior);
            let inside = component.log_predictive_without(&mut posterior, x);
            let mut others = clusters.statistic(0).to_vec();
            component.shape().update(&mut others, x, -1.0);
            component.posterior(5, &others, &mut posterior).unwrap();
            component.prepare(&mut posterior);
            let outside = component.log_predictive(&mut posterior, x);
            assert!((inside - outside).abs() < 1e-10, "d = {d}: {inside} against {outside}");
        }
    }
}

#[test]
fn a_point_inside_is_predicted_as_if_it_were_outside() {
    check_without::<FullCovariance>(CovarianceModel::Full);
    check_without::<DiagonalCovariance>(CovarianceModel::Diagonal);
    check_without::<CommonCovariance>(CovarianceModel::Common);
}

/// In dimension 1 the three models agree on one cluster, and with ∫∫ Π N(x_i; μ, s) N(μ; μ0, s/λ) IG(s; ν/2, Ψ/2) dμ ds by
/// the trapezoidal rule in (μ, log s).
#[test]
fn marginal_in_dimension_one_is_the_integral() {
    let values = data(4, 1, 3);
    let points = ScaledData::new(&values, 1).unwrap();
    let h = resolved(&values, 1, CovarianceModel::Full);
    let normal = |x: f64, m: f64, s: f64| (-0.5 * (x - m).powi(2) / s).exp() / (std::f64::consts::TAU * s).sqrt();
    let (a, b) = (h.nu / 2.0, h.psi[0] / 2.0);
    let mut integral = 0.0;
    let (steps, low, high) = (1200, -6.0, 9.0);
    for t in 0..steps {
        let s = (low + (high - low) * f64::from(t) / f64::from(steps)).exp();
        let inverse_gamma = (a * b.ln() - libm::lgamma(a) - (a + 1.0) * s.ln() - b / s).exp();
        let width = 12.0 * s.sqrt() / (h.lambda + 4.0).sqrt();
        let center = (h.lambda * h.mu0[0] + values.iter().sum::<f64>()) / (h.lambda + 4.0);
        for m in 0..400 {
            let mu = center + width * (f64::from(m) / 200.0 - 1.0);
            let likelihood: f64 = values.iter().map(|&x| normal(x, mu, s)).product();
            integral += likelihood * normal(mu, h.mu0[0], s / h.lambda) * inverse_gamma * s * width / 200.0;
        }
    }
    let expected = (integral * (high - low) / f64::from(steps)).ln();
    let jacobian = 4.0 * points.frame.log_jacobian();
    let log_marginal = [
        component_log_marginal::<FullCovariance>(&h, &points),
        component_log_marginal::<DiagonalCovariance>(&h, &points),
        component_log_marginal::<CommonCovariance>(&h, &points),
    ];
    for got in log_marginal {
        assert!((got + jacobian - expected).abs() < 1e-8, "{} against {expected}", got + jacobian);
    }
}

fn component_log_marginal<C: Component>(h: &Hyperparameters, points: &ScaledData) -> f64 {
    let component = C::new(h, &points.frame);
    component
        .log_marginal(&Clusters::new(vec![0; points.len()], component.shape(), points, Tiling::default()).unwrap())
        .unwrap()
}

/// Draws of (μ, Σ) from the prior have E Σ = Ψ/(ν − d − 1) and E μ = μ0; Z within 6 standard errors of the mean,
/// a false alarm in 5e8 for each of the entries.
#[test]
fn atoms_have_the_moments_of_the_prior() {
    let d = 2;
    let mut h = resolved(&data(6, d, 4), d, CovarianceModel::Full);
    h.nu = 12.0;
    h.psi = vec![3.0, 1.0, 1.0, 2.0];
    let points = ScaledData::new(&data(6, d, 4), d).unwrap();
    let component = FullCovariance::new(&h, &points.frame);
    let mut posterior = Posterior::new(d);
    component.posterior(0, &vec![0.0; component.statistic_len()], &mut posterior).unwrap();
    let mut rng = stream(5, Purpose::Chains, 0);
    let draws = 40_000;
    let mut atom = vec![0.0; component.shape().atom_len(d)];
    let (mut means, mut covariances) = (Vec::new(), Vec::new());
    for _ in 0..draws {
        component.draw_atom(&mut posterior, &mut rng, &mut atom);
        component.shape().export(&atom, &points.frame, &mut means, &mut covariances);
    }
    let check = |values: Vec<f64>, expected: f64| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        assert!((mean - expected).abs() < 6.0 * (variance / values.len() as f64).sqrt(), "{mean} against {expected}");
    };
    for j in 0..d {
        check(means.iter().skip(j).step_by(d).copied().collect(), h.mu0[j]);
    }
    for e in 0..d * d {
        check(covariances.iter().skip(e).step_by(d * d).copied().collect(), h.psi[e] / (h.nu - d as f64 - 1.0));
    }
}

#[test]
fn scatter_that_is_lost_to_rounding_is_an_error() {
    let values = [0.0, 1e9, 2e9];
    let points = ScaledData::new(&values, 1).unwrap();
    let mut h = resolved(&values, 1, CovarianceModel::Full);
    h.psi = vec![1e-12];
    h.lambda = 1e-12;
    let component = FullCovariance::new(&h, &points.frame);
    let clusters = Clusters::new(vec![0, 1, 2], component.shape(), &points, Tiling::default()).unwrap();
    assert!(component.log_marginal(&clusters).unwrap_err().to_string().contains("singular"));
}
