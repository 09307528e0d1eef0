//! The normal-inverse-Wishart model of one cluster: conjugate updates, predictive densities, draws.

use rand::{Rng, RngExt};
use rand_distr::{ChiSquared, StandardNormal};

use crate::linalg::{cholesky_in_place, from_cholesky, solve_lower};
use crate::{Error, Result};

/// NIW(μ0, λ, Ψ, ν): Σ ~ IW(ν, Ψ) and μ | Σ ~ N(μ0, Σ/λ), for observations y | μ, Σ ~ N(μ, Σ).
#[derive(Debug, Clone, PartialEq)]
pub struct NormalInverseWishart {
    mean: Vec<f64>,
    lambda: f64,
    scale: Vec<f64>,
    degrees: f64,
}

/// One atom (μ, Σ).
pub(super) struct NormalParameters {
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Vec<f64>,
}

impl NormalInverseWishart {
    /// Checks the hyperparameters: finite mean μ0 (its length is the dimension d), λ > 0, Ψ symmetric positive definite (d × d,
    /// row-major), ν > d − 1.
    pub fn new(mean: Vec<f64>, lambda: f64, scale: Vec<f64>, degrees: f64) -> Result<Self> {
        let d = mean.len();
        if d == 0 {
            return Err(Error::usage("prior mean has dimension 0, must be at least 1"));
        }
        if let Some(bad) = mean.iter().find(|x| !x.is_finite()) {
            return Err(Error::usage(format!("prior mean holds {bad}, must be finite")));
        }
        if !(lambda > 0.0 && lambda.is_finite()) {
            return Err(Error::usage(format!("prior lambda is {lambda}, must be positive and finite")));
        }
        if !(degrees > d as f64 - 1.0 && degrees.is_finite()) {
            return Err(Error::usage(format!(
                "prior nu is {degrees}, must be above {} (dimension − 1) and finite",
                d - 1
            )));
        }
        if scale.len() != d * d {
            return Err(Error::usage(format!("prior psi holds {} numbers, expected {d} × {d}", scale.len())));
        }
        let largest = scale.iter().fold(0.0f64, |max, x| max.max(x.abs()));
        for i in 0..d {
            for j in 0..i {
                let (a, b) = (scale[i * d + j], scale[j * d + i]);
                if (a - b).abs() > 1e-10 * largest {
                    return Err(Error::usage(format!("prior psi is not symmetric: {a} against {b} at ({i}, {j})")));
                }
            }
        }
        cholesky_in_place(&mut scale.clone(), d)
            .map_err(|pivot| Error::usage(format!("prior psi is not positive definite (row {pivot})")))?;
        Ok(NormalInverseWishart { mean, lambda, scale, degrees })
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// The posterior given observations (row after row of d finite numbers): λ' = λ + n, ν' = ν + n, μ' = (λμ0 + nȳ)/λ',
    /// Ψ' = Ψ + S + (λn/λ')(ȳ − μ0)(ȳ − μ0)ᵀ.
    pub(super) fn given<'a>(&self, observations: impl Iterator<Item = &'a [f64]> + Clone) -> Self {
        let d = self.dim();
        let mut count = 0.0;
        let mut average = vec![0.0; d];
        for y in observations.clone() {
            count += 1.0;
            average.iter_mut().zip(y).for_each(|(a, y)| *a += (y - *a) / count);
        }
        if count == 0.0 {
            return self.clone();
        }
        let lambda = self.lambda + count;
        let mut scale = self.scale.clone();
        let mut add = |factor: f64, difference: &[f64]| {
            for i in 0..d {
                for j in 0..d {
                    scale[i * d + j] += factor * (difference[i] * difference[j]);
                }
            }
        };
        let mut difference = vec![0.0; d];
        for y in observations {
            (0..d).for_each(|i| difference[i] = y[i] - average[i]);
            add(1.0, &difference);
        }
        (0..d).for_each(|i| difference[i] = average[i] - self.mean[i]);
        add(self.lambda * count / lambda, &difference);
        let mean = (0..d).map(|i| (self.lambda * self.mean[i] + count * average[i]) / lambda).collect();
        NormalInverseWishart { mean, lambda, scale, degrees: self.degrees + count }
    }

    /// The density of one more observation: Student's t with ν − d + 1 degrees of freedom, location μ0 and scale matrix
    /// Ψ (λ + 1) / (λ (ν − d + 1)).
    pub(super) fn predictive(&self) -> Result<StudentT> {
        let d = self.dim();
        let degrees = self.degrees - d as f64 + 1.0;
        let factor = (self.lambda + 1.0) / (self.lambda * degrees);
        StudentT::new(self.mean.clone(), self.scale.iter().map(|x| x * factor).collect(), degrees)
    }

    /// One draw of (μ, Σ), by Bartlett's decomposition: Ψ = LLᵀ, A the factor of a standard Wishart, Σ = (LA⁻ᵀ)(LA⁻ᵀ)ᵀ.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Result<NormalParameters> {
        let d = self.dim();
        let mut wishart = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..i {
                wishart[i * d + j] = rng.sample(StandardNormal);
            }
            let chi_squared = ChiSquared::new(self.degrees - i as f64)
                .map_err(|_| Error::usage(format!("nu is {}, too small for dimension {d}", self.degrees)))?;
            wishart[i * d + i] = rng.sample::<f64, _>(chi_squared).sqrt().max(f64::MIN_POSITIVE);
        }
        let mut root = self.scale.clone();
        cholesky_in_place(&mut root, d).map_err(|_| Error::input("a cluster's scale matrix is singular"))?;
        // Row i of X = LA⁻ᵀ solves A x = (row i of L).
        root.chunks_mut(d).for_each(|row| solve_lower(&wishart, d, row));
        let mut covariance = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..d {
                covariance[i * d + j] = (0..d).map(|k| root[i * d + k] * root[j * d + k]).sum();
            }
        }
        let noise: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
        let spread = self.lambda.sqrt();
        let mean =
            (0..d).map(|i| self.mean[i] + (0..d).map(|k| root[i * d + k] * noise[k]).sum::<f64>() / spread).collect();
        Ok(NormalParameters { mean, covariance })
    }
}

/// A multivariate Student's t.
#[derive(Debug, Clone, PartialEq)]
pub struct StudentT {
    location: Vec<f64>,
    factor: Vec<f64>,
    degrees: f64,
    log_constant: f64,
}

impl StudentT {
    fn new(location: Vec<f64>, scale: Vec<f64>, degrees: f64) -> Result<Self> {
        let d = location.len();
        let mut factor = scale;
        cholesky_in_place(&mut factor, d).map_err(|_| {
            Error::input("a cluster's scale matrix is not positive definite")
                .hint("data on very different scales: standardize the columns")
        })?;
        let half = 0.5 * (degrees + d as f64);
        let log_root: f64 = (0..d).map(|i| factor[i * d + i].ln()).sum();
        let log_constant = libm::lgamma(half)
            - libm::lgamma(0.5 * degrees)
            - 0.5 * d as f64 * (degrees * std::f64::consts::PI).ln()
            - log_root;
        Ok(StudentT { location, factor, degrees, log_constant })
    }

    /// Its location.
    pub fn location(&self) -> &[f64] {
        &self.location
    }

    /// Its scale matrix, row-major.
    pub fn scale(&self) -> Vec<f64> {
        let d = self.location.len();
        let mut scale = vec![0.0; d * d];
        from_cholesky(&self.factor, d, &mut scale);
        scale
    }

    /// Its degrees of freedom.
    pub fn degrees(&self) -> f64 {
        self.degrees
    }

    /// Logarithm of its density at y. Cost O(d²).
    pub fn log_density(&self, y: &[f64]) -> f64 {
        let d = self.location.len();
        let mut z: Vec<f64> = y.iter().zip(&self.location).map(|(y, m)| y - m).collect();
        solve_lower(&self.factor, d, &mut z);
        let squared: f64 = z.iter().map(|z| z * z).sum();
        self.log_constant - 0.5 * (self.degrees + d as f64) * (squared / self.degrees).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    fn prior() -> NormalInverseWishart {
        NormalInverseWishart::new(vec![3.0, 70.0], 1.0, vec![4.0, 1.0, 1.0, 36.0], 4.0).unwrap()
    }

    #[test]
    fn one_update_with_all_observations_is_many_with_one() {
        let data = [[3.1, 70.5], [2.0, 55.0], [4.4, 81.0]];
        let at_once = prior().given(data.iter().map(|y| &y[..]));
        let one_by_one = data.iter().fold(prior(), |posterior, y| posterior.given(std::iter::once(&y[..])));
        for (a, b) in at_once.scale.iter().zip(&one_by_one.scale).chain(at_once.mean.iter().zip(&one_by_one.mean)) {
            assert!((a - b).abs() < 1e-10 * a.abs());
        }
        assert_eq!((at_once.lambda, at_once.degrees), (4.0, 7.0));
    }

    #[test]
    fn the_one_dimensional_t_is_cauchy_with_one_degree() {
        let t = StudentT::new(vec![1.0], vec![4.0], 1.0).unwrap();
        for y in [-3.0f64, 0.0, 1.0, 10.0] {
            let cauchy = 1.0 / (std::f64::consts::PI * 2.0 * (1.0 + ((y - 1.0) / 2.0).powi(2)));
            assert!((t.log_density(&[y]) - cauchy.ln()).abs() < 1e-13);
        }
    }

    /// The predictive density is the mean of the normal density over draws of (μ, Σ). 40,000 draws; the tolerance is 5 standard errors
    /// of the mean at each of 3 points, a false-alarm rate of 2e-6 for the fixed seed.
    #[test]
    fn draws_average_to_the_predictive() {
        let posterior = prior().given([[3.1, 70.5], [2.0, 55.0], [4.4, 81.0]].iter().map(|y| &y[..]));
        let predictive = posterior.predictive().unwrap();
        let mut rng = stream(3, Purpose::Simulation, 0);
        let draws: Vec<NormalParameters> = (0..40_000).map(|_| posterior.sample(&mut rng).unwrap()).collect();
        for y in [[3.0, 69.0], [2.0, 60.0], [4.0, 90.0]] {
            let densities: Vec<f64> = draws
                .iter()
                .map(|NormalParameters { mean, covariance: c }| {
                    let determinant = c[0] * c[3] - c[1] * c[2];
                    let (u, v) = (y[0] - mean[0], y[1] - mean[1]);
                    let squared = (c[3] * u * u - 2.0 * c[1] * u * v + c[0] * v * v) / determinant;
                    (-0.5 * squared).exp() / (2.0 * std::f64::consts::PI * determinant.sqrt())
                })
                .collect();
            let mean = densities.iter().sum::<f64>() / 40_000.0;
            let variance = densities.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 40_000.0;
            let exact = predictive.log_density(&y).exp();
            assert!((mean - exact).abs() < 5.0 * (variance / 40_000.0).sqrt(), "{mean} against {exact}");
        }
    }

    #[test]
    fn impossible_hyperparameters_are_refused() {
        let new = NormalInverseWishart::new;
        assert!(new(vec![], 1.0, vec![], 3.0).is_err());
        assert!(new(vec![f64::NAN], 1.0, vec![1.0], 3.0).is_err());
        assert!(new(vec![0.0], 0.0, vec![1.0], 3.0).is_err());
        assert!(new(vec![0.0], 1.0, vec![1.0, 2.0], 3.0).is_err());
        assert!(new(vec![0.0], 1.0, vec![-1.0], 3.0).is_err());
        assert!(new(vec![0.0, 0.0], 1.0, vec![1.0, 0.5, -0.5, 1.0], 3.0).is_err());
        assert!(new(vec![0.0, 0.0], 1.0, vec![1.0, 0.0, 0.0, 1.0], 1.0).is_err());
        assert!(new(vec![0.0, 0.0], 1.0, vec![1.0, 0.0, 0.0, 1.0], 1.01).is_ok());
    }
}
