//! Imputed draws of G against closed forms of their means.

use super::*;
use crate::algorithm::tiling::Tiling;
use crate::clusters::Clusters;
use crate::component::{DiagonalCovariance, FullCovariance};
use crate::hyperparameters::Hyperparameters;
use crate::mixing::{Concentration, MixingPrior};
use crate::points::ScaledData;
use crate::settings::{Algorithm, CovarianceModel, FitSettings, Scale, Truncation};
use mixgist::random::{Purpose, stream};

const DATA: [f64; 12] = [0.0, 0.3, 0.8, -0.5, 1.9, 1.4, 2.6, 2.2, 0.4, 2.5, 5.0, 4.0];
const DRAWS: usize = 20_000;

fn settings(prior: MixingPrior, algorithm: Algorithm, covariance: CovarianceModel) -> FitSettings {
    let mut settings = FitSettings::default()
        .with_prior(prior)
        .with_algorithm(algorithm)
        .with_concentration(Concentration::Fixed(0.8))
        .with_remainder(1e-3);
    settings.component.covariance = covariance;
    settings.component.psi = Some(Scale::Diagonal(vec![1.0, 2.0]));
    settings
}

/// log N(y; μ, Σ) in the plane.
fn log_normal(y: &[f64], mean: &[f64], covariance: &[f64]) -> f64 {
    let (a, b, c) = (covariance[0], covariance[1], covariance[3]);
    let (x, z) = (y[0] - mean[0], y[1] - mean[1]);
    let determinant = a * c - b * b;
    -0.5 * (c * x * x - 2.0 * b * x * z + a * z * z) / determinant - 0.5 * determinant.ln() - std::f64::consts::TAU.ln()
}

/// E[F(y) given the partition] is the urn's predictive density Σ_j m_j t_j(y) + m_0 t_0(y), whatever the remainder, as leftover
/// weight goes to an atom from the prior. 6 standard errors: a false alarm in 5e8 for each of 18 comparisons.
fn check_mean_density<C: Component>(prior: MixingPrior, covariance: CovarianceModel) {
    let settings = settings(prior, Algorithm::Marginal, covariance);
    let points = ScaledData::new(&DATA, 2).unwrap();
    let hyperparameters = Hyperparameters::resolve(&DATA, 2, &settings).unwrap();
    let mut model = Model::<C>::new(&points, &hyperparameters, settings.remainder);
    let clusters = Clusters::new(vec![0, 0, 0, 1, 1, 2], model.component.shape(), &points, Tiling::default()).unwrap();
    let state = State { clusters, alpha: 0.8, positions: Vec::new(), scales: None, sweeps: 0 };
    let mut draws = ChainDraws::default();
    let mut rng = stream(3, Purpose::Chains, 0);
    for _ in 0..DRAWS {
        impute(&mut model, &state, &mut rng, &mut draws).unwrap();
    }
    assert!(draws.labels.rows(6).all(|labels| labels == [0, 0, 0, 1, 1, 2]));
    for y in [[0.5, 0.5], [3.0, 2.0], [9.0, -4.0]] {
        let x: Vec<f64> = (0..2).map(|j| points.frame.scaled_value(j, y[j])).collect();
        let mut posterior = Posterior::new(2);
        let mut predictive = |count: u32, statistic: &[f64]| {
            model.component.posterior(count, statistic, &mut posterior).unwrap();
            model.component.prepare(&mut posterior);
            (model.component.log_predictive(&mut posterior, &x) + points.frame.log_jacobian()).exp()
        };
        let mut total = prior.new_mass(3, 0.8);
        let mut expected = total * predictive(0, &[0.0; 5]);
        for cluster in state.clusters.occupied() {
            let mass = prior.cluster_mass(cluster.count, 0.8);
            expected += mass * predictive(cluster.count, cluster.statistic);
            total += mass;
        }
        expected /= total;
        let values: Vec<f64> = draws
            .offsets
            .windows(2)
            .map(|pair| {
                (pair[0]..pair[1])
                    .map(|k| {
                        draws.weights[k] * log_normal(&y, &draws.means[2 * k..], &draws.covariances[4 * k..]).exp()
                    })
                    .sum()
            })
            .collect();
        let mean = values.iter().sum::<f64>() / DRAWS as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / DRAWS as f64;
        assert!(
            (mean - expected).abs() < 6.0 * (variance / DRAWS as f64).sqrt(),
            "{prior:?} at {y:?}: {mean}, expected {expected}"
        );
    }
}

#[test]
fn the_mean_density_is_the_predictive_density() {
    for prior in
        [MixingPrior::DirichletProcess, MixingPrior::PitmanYor { discount: 0.3 }, MixingPrior::Finite { components: 5 }]
    {
        check_mean_density::<FullCovariance>(prior, CovarianceModel::Full);
        check_mean_density::<DiagonalCovariance>(prior, CovarianceModel::Diagonal);
    }
}

/// Mean stick weights given positions: E w_j = E V_j Π_{i<j} E (1 − V_i), independent Betas. 6 standard errors as above.
#[test]
fn truncated_sticks_have_their_mean_weights() {
    for prior in
        [MixingPrior::DirichletProcess, MixingPrior::PitmanYor { discount: 0.3 }, MixingPrior::Finite { components: 5 }]
    {
        let settings = settings(prior, Algorithm::Blocked { truncation: Truncation::At(5) }, CovarianceModel::Full);
        let points = ScaledData::new(&DATA, 2).unwrap();
        let hyperparameters = Hyperparameters::resolve(&DATA, 2, &settings).unwrap();
        let mut model = Model::<FullCovariance>::new(&points, &hyperparameters, settings.remainder);
        let clusters =
            Clusters::new(vec![0, 0, 0, 1, 1, 2], model.component.shape(), &points, Tiling::default()).unwrap();
        let state = State { clusters, alpha: 0.8, positions: vec![2, 0, 3], scales: None, sweeps: 0 };
        let mut draws = ChainDraws::default();
        let mut rng = stream(4, Purpose::Chains, 0);
        for _ in 0..DRAWS {
            impute(&mut model, &state, &mut rng, &mut draws).unwrap();
        }
        assert_eq!(draws.labels.slice(0..6), [2, 2, 2, 0, 0, 3]);
        let (here, mut behind, mut rest) = ([2.0, 0.0, 3.0, 1.0, 0.0], 6.0, 1.0);
        for j in 0..5 {
            behind -= here[j];
            let taken = if j == 4 {
                1.0
            } else {
                let law = prior.stick(j, 0.8);
                (law.a + here[j]) / (law.a + law.b + here[j] + behind)
            };
            let values: Vec<f64> = draws.weights.iter().skip(j).step_by(5).copied().collect();
            let mean = values.iter().sum::<f64>() / DRAWS as f64;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / DRAWS as f64;
            assert!(
                (mean - rest * taken).abs() < 6.0 * (variance / DRAWS as f64).sqrt(),
                "{prior:?}, stick {j}: {mean}, expected {}",
                rest * taken
            );
            rest *= 1.0 - taken;
        }
    }
}
