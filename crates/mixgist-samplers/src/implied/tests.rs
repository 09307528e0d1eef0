//! Implied densities against the closed form in the units of the data, quadrature and draws.

use super::*;
use crate::hyperparameters::Learned;
use crate::mixing::MixingPrior;
use std::f64::consts::{FRAC_PI_2, PI};

const LINE: [f64; 7] = [-2.0, -1.5, -1.8, 3.0, 3.3, 2.5, 8.0];
const PLANE: [f64; 14] = [3.1, 70.5, 2.0, 55.0, 4.4, 81.0, 1.8, 51.0, 4.5, 79.0, 4.9, 90.0, 2.2, 48.0];

fn hyperparameters(mu0: &[f64], lambda: f64, psi: &[f64], nu: f64, alpha: f64) -> Hyperparameters {
    Hyperparameters {
        dim: mu0.len(),
        prior: MixingPrior::DirichletProcess,
        concentration: Concentration::Fixed(alpha),
        covariance: CovarianceModel::Full,
        mu0: mu0.to_vec(),
        lambda,
        psi: psi.to_vec(),
        nu,
        learned: Learned::default(),
        truncation: None,
    }
}

fn on_the_line() -> ImpliedModel {
    ImpliedModel::new(&LINE, hyperparameters(&[0.5], 0.5, &[2.0], 3.0, 1.5)).unwrap()
}

fn in_the_plane() -> Hyperparameters {
    hyperparameters(&[3.0, 70.0], 1.0, &[4.0, 1.0, 1.0, 36.0], 4.0, 0.7)
}

fn partition() -> Partition {
    Partition::from_integers(&[0, 0, 0, 1, 1, 1, 2]).unwrap()
}

/// A normal-inverse-Wishart law by its textbook formulas, in the units of the data: no sums of squares about 0, no factors.
struct Textbook {
    mean: [f64; 2],
    lambda: f64,
    scale: [f64; 4],
    nu: f64,
}

impl Textbook {
    fn prior(h: &Hyperparameters) -> Self {
        Textbook {
            mean: [h.mu0[0], h.mu0[1]],
            lambda: h.lambda,
            scale: [h.psi[0], h.psi[1], h.psi[2], h.psi[3]],
            nu: h.nu,
        }
    }

    /// λ' = λ + n, ν' = ν + n, μ' = (λμ0 + nȳ)/λ', Ψ' = Ψ + S + (λn/λ')(ȳ − μ0)(ȳ − μ0)ᵀ.
    fn given(&self, points: &[&[f64]]) -> Self {
        let n = points.len() as f64;
        let average = [0, 1].map(|j| points.iter().map(|y| y[j]).sum::<f64>() / n);
        let lambda = self.lambda + n;
        let mut scale = self.scale;
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            scale[2 * i + j] += points.iter().map(|y| (y[i] - average[i]) * (y[j] - average[j])).sum::<f64>();
            scale[2 * i + j] += self.lambda * n / lambda * (average[i] - self.mean[i]) * (average[j] - self.mean[j]);
        }
        let mean = [0, 1].map(|j| (self.lambda * self.mean[j] + n * average[j]) / lambda);
        Textbook { mean, lambda, scale, nu: self.nu + n }
    }

    /// The density of one more observation: Student's t with m = ν − 1 degrees of freedom, location μ and scale matrix
    /// T = Ψ (λ + 1)/(λ m). In the plane Γ((m + 2)/2)/Γ(m/2) = m/2, so that it is (1 + zᵀ T⁻¹ z / m)^{−(m + 2)/2} / (2π √|T|).
    fn density(&self, y: &[f64]) -> f64 {
        let m = self.nu - 1.0;
        let [a, b, _, c] = self.scale.map(|x| x * (self.lambda + 1.0) / (self.lambda * m));
        let (u, v) = (y[0] - self.mean[0], y[1] - self.mean[1]);
        let determinant = a * c - b * b;
        let square = (c * u * u - 2.0 * b * u * v + a * v * v) / determinant;
        (1.0 + square / m).powf(-0.5 * (m + 2.0)) / (2.0 * PI * determinant.sqrt())
    }
}

#[test]
fn the_expected_density_is_the_textbook_one() {
    let h = in_the_plane();
    let model = ImpliedModel::new(&PLANE, h.clone()).unwrap();
    let density = model.expected_density(&partition()).unwrap();
    let rows: Vec<&[f64]> = PLANE.chunks_exact(2).collect();
    let prior = Textbook::prior(&h);
    let clusters = [&rows[..3], &rows[3..6], &rows[6..]];
    for y in [[3.0, 69.0], [2.0, 60.0], [4.0, 90.0], [-20.0, 500.0]] {
        let expected = clusters.iter().map(|c| c.len() as f64 / 7.7 * prior.given(c).density(&y)).sum::<f64>()
            + 0.7 / 7.7 * prior.density(&y);
        let got = density.log_density(&y).unwrap()[0].exp();
        assert!((got / expected - 1.0).abs() < 1e-10, "{got} against {expected} at {y:?}");
    }
}

/// Observations one by one make the clusters that they make at once: here the second posterior is the first one's prior.
#[test]
fn one_update_with_all_observations_is_many_with_one() {
    let prior = Textbook::prior(&in_the_plane());
    let rows: Vec<&[f64]> = PLANE.chunks_exact(2).collect();
    let at_once = prior.given(&rows);
    let one_by_one = rows.iter().fold(prior, |posterior, y| posterior.given(&[y]));
    for (a, b) in at_once.scale.iter().zip(&one_by_one.scale).chain(at_once.mean.iter().zip(&one_by_one.mean)) {
        assert!((a - b).abs() < 1e-10 * a.abs());
    }
    assert_eq!((one_by_one.lambda, one_by_one.nu), (8.0, 11.0));
    // the model's own posterior of all seven as the prior of none
    let whole =
        ImpliedModel::new(&PLANE, hyperparameters(&[3.0, 70.0], 1.0, &[4.0, 1.0, 1.0, 36.0], 4.0, 1e-90)).unwrap();
    let one_cluster = Partition::from_integers(&[0; 7]).unwrap();
    let got = whole.expected_density(&one_cluster).unwrap().log_density(&[2.5, 66.0]).unwrap()[0];
    assert!((got - one_by_one.density(&[2.5, 66.0]).ln()).abs() < 1e-10);
}

/// With ν = 1 on the line the prior predictive is Cauchy; a tiny data set and a huge α leave it alone.
#[test]
fn the_one_dimensional_t_is_cauchy_with_one_degree() {
    let model = ImpliedModel::new(&[0.0], hyperparameters(&[1.0], 1.0, &[2.0], 1.0, 1e90)).unwrap();
    let density = model.expected_density(&Partition::from_integers(&[0]).unwrap()).unwrap();
    for y in [-3.0f64, 0.0, 1.0, 10.0] {
        // scale² = Ψ (λ + 1)/λ = 4
        let cauchy = 1.0 / (PI * 2.0 * (1.0 + ((y - 1.0) / 2.0).powi(2)));
        assert!((density.log_density(&[y]).unwrap()[0] - cauchy.ln()).abs() < 1e-13);
    }
}

/// The model of one coordinate is the marginal of the joint one: ∫ f(x, y) dy on a grid in y = 70 + 20 tan u.
#[test]
fn the_model_of_a_coordinate_has_the_marginal_density() {
    let h = in_the_plane();
    let joint = ImpliedModel::new(&PLANE, h.clone()).unwrap();
    let column: Vec<f64> = PLANE.iter().step_by(2).copied().collect();
    let marginal = ImpliedModel::new(&column, h.marginal(0)).unwrap();
    let steps = 4000;
    let width = PI / f64::from(steps);
    let angles: Vec<f64> = (0..steps).map(|i| -FRAC_PI_2 + (f64::from(i) + 0.5) * width).collect();
    for x in [1.0, 3.0, 4.6] {
        let points: Vec<f64> = angles.iter().flat_map(|u| [x, 70.0 + 20.0 * u.tan()]).collect();
        let logs = joint.expected_density(&partition()).unwrap().log_density(&points).unwrap();
        let integral: f64 = logs.iter().zip(&angles).map(|(log, u)| log.exp() * 20.0 * width / u.cos().powi(2)).sum();
        let got = marginal.expected_density(&partition()).unwrap().log_density(&[x]).unwrap()[0].exp();
        assert!((got / integral - 1.0).abs() < 1e-6, "{got} against {integral}");
    }
}

#[test]
fn the_expected_density_integrates_to_one() {
    let model = on_the_line();
    let density = model.expected_density(&partition()).unwrap();
    assert!((density.weights().iter().sum::<f64>() - 1.0).abs() < 1e-15);
    assert_eq!(density.weights().len(), 4);
    // y = tan(u) maps the line to (−π/2, π/2); the integrand is smooth there and the midpoint rule converges fast.
    let steps = 20_000;
    let width = PI / steps as f64;
    let points: Vec<f64> = (0..steps).map(|i| (-FRAC_PI_2 + (i as f64 + 0.5) * width).tan()).collect();
    let logs = density.log_density(&points).unwrap();
    let integral: f64 = logs.iter().zip(&points).map(|(log, y)| log.exp() * (1.0 + y * y) * width).sum();
    assert!((integral - 1.0).abs() < 1e-6, "{integral}");
}

/// log N(y; μ, Σ) by the formulas for one and two dimensions.
fn normal(y: &[f64], mean: &[f64], c: &[f64]) -> f64 {
    let (determinant, square) = if let [y] = y {
        (c[0], (y - mean[0]).powi(2) / c[0])
    } else {
        let (u, v) = (y[0] - mean[0], y[1] - mean[1]);
        let determinant = c[0] * c[3] - c[1] * c[2];
        (determinant, (c[3] * u * u - 2.0 * c[1] * u * v + c[0] * v * v) / determinant)
    };
    (-0.5 * square).exp() / ((2.0 * PI).powi(y.len() as i32) * determinant).sqrt()
}

/// The closed form against the mean of 20,000 sampled densities; 5 standard errors at each of 7 points, a false-alarm rate of 5e-6 for
/// the fixed seed.
#[test]
fn sampled_densities_average_to_the_expected_one() {
    fn check(model: &ImpliedModel, points: &[&[f64]]) {
        let draws = 20_000;
        let ensemble = model.sample_measures(&partition(), draws, 11).unwrap();
        let exact = model.expected_density(&partition()).unwrap();
        for &y in points {
            let densities: Vec<f64> = (0..draws)
                .map(|m| {
                    let measure = ensemble.draw(m);
                    let atoms = measure.atoms();
                    (0..measure.len())
                        .map(|k| measure.weights()[k] * normal(y, atoms.mean(k), atoms.covariance(k)))
                        .sum()
                })
                .collect();
            let mean = densities.iter().sum::<f64>() / draws as f64;
            let variance = densities.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws as f64;
            let expected = exact.log_density(y).unwrap()[0].exp();
            let error = (variance / draws as f64).sqrt();
            assert!((mean - expected).abs() < 5.0 * error, "{mean} against {expected} at {y:?}");
        }
    }
    check(&on_the_line(), &[&[-1.7], &[0.5], &[3.0], &[9.0]]);
    check(&ImpliedModel::new(&PLANE, in_the_plane()).unwrap(), &[&[3.0, 69.0], &[2.0, 60.0], &[4.0, 90.0]]);
}

#[test]
fn draws_depend_on_the_seed_and_their_index_alone() {
    let model = on_the_line();
    let two = model.sample_measures(&partition(), 2, 5).unwrap();
    let ten = model.sample_measures(&partition(), 10, 5).unwrap();
    assert_eq!(two.draw(1), ten.draw(1));
    assert_ne!(ten.draw(1), ten.draw(2));
    assert_ne!(two.draw(1), model.sample_measures(&partition(), 2, 6).unwrap().draw(1));
}

#[test]
fn data_partition_and_model_must_fit_each_other() {
    let line = || hyperparameters(&[0.5], 0.5, &[2.0], 3.0, 1.5);
    let six = ImpliedModel::new(&LINE[..6], line()).unwrap();
    let error = six.expected_density(&partition()).unwrap_err();
    assert_eq!(error.to_string(), "data hold 6 observations, the partition labels 7");
    let mut broken = LINE;
    broken[3] = f64::NAN;
    assert!(ImpliedModel::new(&broken, line()).unwrap_err().to_string().contains("row 3, column 0"));
    assert!(on_the_line().expected_density(&partition()).unwrap().log_density(&[f64::NAN]).is_err());
    assert!(on_the_line().sample_measures(&partition(), 0, 1).is_err());
    let refused = |change: fn(&mut Hyperparameters)| {
        let mut model = line();
        change(&mut model);
        ImpliedModel::new(&LINE, model).unwrap_err().to_string()
    };
    assert!(refused(|h| h.concentration = Concentration::Fixed(0.0)).contains("concentration is 0"));
    assert!(refused(|h| h.concentration = Concentration::Gamma { shape: 1.0, rate: 1.0 }).contains("fixed alpha"));
    assert!(refused(|h| h.covariance = CovarianceModel::Common).contains("full covariances"));
    assert!(refused(|h| h.nu = 0.0).contains("nu is 0"));
    let plane = hyperparameters(&[0.0; 2], 1.0, &[1.0, 0.0, 0.0, 1.0], 4.0, 1.0);
    assert!(ImpliedModel::new(&LINE, plane).is_err(), "7 numbers make no rows of 2");
    let finite = Hyperparameters { prior: MixingPrior::Finite { components: 2 }, ..line() };
    let few = ImpliedModel::new(&LINE, finite).unwrap();
    assert!(few.expected_density(&partition()).unwrap_err().to_string().contains("3 clusters"));
}
