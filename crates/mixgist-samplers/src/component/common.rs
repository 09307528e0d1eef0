//! Normal components that share one covariance: a location mixture.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::{PI, TAU};

use super::full::{draw_mean, draw_root_precision};
use super::packed::{at, cholesky, log_determinant, packed_len};
use super::{AtomShape, Component, FullCovariance, Posterior, singular};
use crate::clusters::Clusters;
use crate::hyperparameters::Hyperparameters;
use crate::points::Frame;
use crate::scales::Scales;
use crate::variates::log_multigamma;

/// Σ ~ IW(ν, Ψ), μ_k given Σ ~ N(m0, Σ/λ). Given the partition, Σ has ν + n degrees of freedom and the scale of all clusters
/// together, means integrated out; given Σ, clusters are independent.
#[derive(Debug, Clone)]
pub(crate) struct CommonCovariance {
    prior: FullCovariance,
    /// U with Σ⁻¹ = Uᵀ U, packed.
    root: Vec<f64>,
    log_det_root: f64,
    /// Room for the pooled scale and its inverse factor.
    pooled: Vec<f64>,
    inverse: Vec<f64>,
}

impl CommonCovariance {
    /// Cholesky factor of Ψ + Σ_k (A_k + λ m0 m0ᵀ − λ'_k μ'_k μ'_kᵀ).
    fn pooled_factor(&self, clusters: &Clusters, pooled: &mut [f64]) -> Result<()> {
        let (d, lambda, first) = (self.prior.d, self.prior.lambda, &self.prior.first);
        // `second` carries one λ m0 m0ᵀ already; each cluster brings its own
        let more = clusters.len() as f64 - 1.0;
        for r in 0..d {
            for c in 0..=r {
                pooled[at(r, c)] = self.prior.second[at(r, c)] + more * first[r] * first[c] / lambda;
            }
        }
        for cluster in clusters.occupied() {
            let strength = lambda + f64::from(cluster.count);
            for r in 0..d {
                let sum = first[r] + cluster.statistic[r];
                for c in 0..=r {
                    pooled[at(r, c)] +=
                        cluster.statistic[d + at(r, c)] - sum * (first[c] + cluster.statistic[c]) / strength;
                }
            }
        }
        if cholesky(pooled, d) { Ok(()) } else { Err(singular()) }
    }

    fn square(&self, mean: &[f64], x: &[f64]) -> f64 {
        let d = self.prior.d;
        (0..d).map(|r| (0..=r).map(|c| self.root[at(r, c)] * (x[c] - mean[c])).sum::<f64>().powi(2)).sum()
    }
}

impl Component for CommonCovariance {
    fn new(hyperparameters: &Hyperparameters, frame: &Frame) -> Self {
        let d = frame.dim();
        let mut root = vec![0.0; packed_len(d)];
        (0..d).for_each(|j| root[at(j, j)] = 1.0);
        CommonCovariance {
            prior: FullCovariance::new(hyperparameters, frame),
            pooled: root.clone(),
            inverse: root.clone(),
            root,
            log_det_root: 0.0,
        }
    }

    fn scales(&self) -> Scales {
        self.prior.scales()
    }

    fn set_scales(&mut self, scales: &Scales) {
        self.prior.set_scales(scales);
    }

    fn prior_mean(&self) -> &[f64] {
        self.prior.prior_mean()
    }

    fn dim(&self) -> usize {
        self.prior.d
    }

    fn shape(&self) -> AtomShape {
        AtomShape::Triangular
    }

    fn draw_shared(&mut self, clusters: &Clusters, rng: &mut ChaCha8Rng) -> Result<()> {
        let d = self.prior.d;
        let mut pooled = std::mem::take(&mut self.pooled);
        self.pooled_factor(clusters, &mut pooled)?;
        let degrees = self.prior.nu + clusters.points() as f64;
        draw_root_precision(degrees, &pooled, d, &mut self.inverse, &mut self.root, rng);
        self.pooled = pooled;
        self.log_det_root = log_determinant(&self.root, d);
        Ok(())
    }

    fn has_shared(&self) -> bool {
        true
    }

    fn posterior(&self, count: u32, statistic: &[f64], out: &mut Posterior) -> Result<()> {
        out.take(count, statistic, self.prior.lambda, self.prior.nu, &self.prior.first);
        Ok(())
    }

    fn prepare(&self, posterior: &mut Posterior) {
        let (d, lambda) = (self.prior.d as f64, posterior.lambda);
        let both = self.log_det_root - 0.5 * d * TAU.ln();
        posterior.outside = both + 0.5 * d * (lambda / (lambda + 1.0)).ln();
        if posterior.count > 0 {
            posterior.inside = both + 0.5 * d * ((lambda - 1.0) / lambda).ln();
        }
    }

    fn draw_atom(&self, posterior: &mut Posterior, rng: &mut ChaCha8Rng, atom: &mut [f64]) {
        atom[1 + self.prior.d..].copy_from_slice(&self.root);
        draw_mean(posterior, self.prior.d, rng, atom);
    }

    fn log_predictive(&self, posterior: &mut Posterior, x: &[f64]) -> f64 {
        posterior.outside - 0.5 * posterior.lambda / (posterior.lambda + 1.0) * self.square(&posterior.mean, x)
    }

    fn log_predictive_without(&self, posterior: &mut Posterior, x: &[f64]) -> f64 {
        // without x the mean is μ' − (x − μ')/(λ' − 1): x is λ'/(λ' − 1) times as far, its variance 1 + 1/(λ' − 1)
        posterior.inside - 0.5 * posterior.lambda / (posterior.lambda - 1.0) * self.square(&posterior.mean, x)
    }

    fn log_cluster(&self, count: u32, statistic: &[f64], posterior: &mut Posterior) -> Result<f64> {
        self.posterior(count, statistic, posterior)?;
        let (d, n, lambda) = (self.prior.d, f64::from(count), self.prior.lambda);
        // tr(Σ⁻¹ (A + λ m0 m0ᵀ − λ' μ' μ'ᵀ)), row by row of U
        let first = &self.prior.first;
        let entry = |r: usize, c: usize| {
            let scatter = statistic[d + if r >= c { at(r, c) } else { at(c, r) }];
            scatter + first[r] * first[c] / lambda - posterior.lambda * posterior.mean[r] * posterior.mean[c]
        };
        let mut trace = 0.0;
        for row in 0..d {
            for r in 0..=row {
                for c in 0..=row {
                    trace += self.root[at(row, r)] * self.root[at(row, c)] * entry(r, c);
                }
            }
        }
        Ok(n * (self.log_det_root - 0.5 * d as f64 * TAU.ln()) + 0.5 * d as f64 * (lambda / posterior.lambda).ln()
            - 0.5 * trace)
    }

    fn log_marginal(&self, clusters: &Clusters) -> Result<f64> {
        let (d, n) = (self.prior.d, clusters.points() as f64);
        let mut factor = vec![0.0; packed_len(d)];
        self.pooled_factor(clusters, &mut factor)?;
        let spread: f64 =
            clusters.occupied().map(|c| (self.prior.lambda / (self.prior.lambda + f64::from(c.count))).ln()).sum();
        Ok(0.5 * d as f64 * (spread - n * PI.ln()) + log_multigamma(d, 0.5 * (self.prior.nu + n))
            - log_multigamma(d, 0.5 * self.prior.nu)
            + self.prior.nu * self.prior.log_det_psi
            - (self.prior.nu + n) * log_determinant(&factor, d))
    }
}
