//! Normal components with their own diagonal covariance: an independent normal-inverse-gamma model in each coordinate.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::{PI, TAU};

use super::full::step;
use super::{AtomShape, Component, Posterior, scaled_mean, singular};
use crate::hyperparameters::Hyperparameters;
use crate::points::Frame;
use crate::scales::Scales;
use crate::variates::{chi, normal};

/// NIW(m0_j, λ, Ψ_jj, ν) in dimension 1 for each coordinate j; pseudo-data as in the full model.
#[derive(Debug, Clone)]
pub(crate) struct DiagonalCovariance {
    d: usize,
    lambda: f64,
    nu: f64,
    m0: Vec<f64>,
    /// The diagonal of Ψ.
    psi: Vec<f64>,
    /// λ m0.
    first: Vec<f64>,
    /// Ψ_jj + λ m0_j².
    second: Vec<f64>,
    /// ½ Σ log Ψ_jj.
    log_root_psi: f64,
}

impl Component for DiagonalCovariance {
    fn new(hyperparameters: &Hyperparameters, frame: &Frame) -> Self {
        let d = frame.dim();
        let psi: Vec<f64> =
            (0..d).map(|j| hyperparameters.psi[j * d + j] / (frame.scale[j] * frame.scale[j])).collect();
        let mut component = DiagonalCovariance {
            d,
            lambda: hyperparameters.lambda,
            nu: hyperparameters.nu,
            m0: scaled_mean(hyperparameters, frame),
            first: vec![0.0; d],
            second: vec![0.0; d],
            psi,
            log_root_psi: 0.0,
        };
        component.set_scales(&component.scales());
        component
    }

    fn scales(&self) -> Scales {
        Scales { lambda: self.lambda, nu: self.nu, psi: self.psi.clone() }
    }

    fn set_scales(&mut self, scales: &Scales) {
        self.lambda = scales.lambda;
        self.nu = scales.nu;
        self.psi.copy_from_slice(&scales.psi);
        self.log_root_psi = log_root(&self.psi);
        for (j, &m) in self.m0.iter().enumerate() {
            self.first[j] = self.lambda * m;
            self.second[j] = self.psi[j] + self.lambda * m * m;
        }
    }

    fn prior_mean(&self) -> &[f64] {
        &self.m0
    }

    fn dim(&self) -> usize {
        self.d
    }

    fn shape(&self) -> AtomShape {
        AtomShape::Diagonal
    }

    fn posterior(&self, count: u32, statistic: &[f64], out: &mut Posterior) -> Result<()> {
        out.take(count, statistic, self.lambda, self.nu, &self.first);
        for j in 0..self.d {
            let square = self.second[j] + statistic[self.d + j];
            out.factor[j] = square - out.lambda * out.mean[j] * out.mean[j];
            if !(out.factor[j] > 4.0 * f64::EPSILON * square && out.factor[j].is_finite()) {
                return Err(singular());
            }
        }
        Ok(())
    }

    fn prepare(&self, posterior: &mut Posterior) {
        let d = self.d as f64;
        posterior.ready(|lambda, nu| d * step(lambda, nu, 1), log_root(&posterior.factor[..self.d]));
    }

    fn draw_atom(&self, posterior: &mut Posterior, rng: &mut ChaCha8Rng, atom: &mut [f64]) {
        let d = self.d;
        let mut log_det = 0.0;
        for j in 0..d {
            let u = chi(posterior.nu, rng) / posterior.factor[j].sqrt();
            atom[1 + d + j] = u;
            atom[1 + j] = posterior.mean[j] + normal(rng) / (u * posterior.lambda.sqrt());
            log_det += u.ln();
        }
        atom[0] = log_det - 0.5 * d as f64 * TAU.ln();
    }

    fn log_predictive(&self, posterior: &mut Posterior, x: &[f64]) -> f64 {
        let shrink = posterior.lambda / (posterior.lambda + 1.0);
        let logs: f64 =
            (0..self.d).map(|j| (shrink * (x[j] - posterior.mean[j]).powi(2) / posterior.factor[j]).ln_1p()).sum();
        posterior.outside - 0.5 * (posterior.nu + 1.0) * logs
    }

    fn log_predictive_without(&self, posterior: &mut Posterior, x: &[f64]) -> f64 {
        let grow = posterior.lambda / (posterior.lambda - 1.0);
        let logs: f64 = (0..self.d)
            .map(|j| (1.0 - grow * (x[j] - posterior.mean[j]).powi(2) / posterior.factor[j]).max(f64::EPSILON).ln())
            .sum();
        posterior.inside + 0.5 * (posterior.nu - 1.0) * logs
    }

    fn log_cluster(&self, count: u32, statistic: &[f64], posterior: &mut Posterior) -> Result<f64> {
        self.posterior(count, statistic, posterior)?;
        let d = self.d as f64;
        Ok(-0.5 * d * f64::from(count) * PI.ln()
            + 0.5 * d * (self.lambda / posterior.lambda).ln()
            + d * (libm::lgamma(0.5 * posterior.nu) - libm::lgamma(0.5 * self.nu))
            + self.nu * self.log_root_psi
            - posterior.nu * log_root(&posterior.factor[..self.d]))
    }
}

/// ½ log |Ψ| of a diagonal Ψ.
fn log_root(psi: &[f64]) -> f64 {
    0.5 * psi.iter().map(|p| p.ln()).sum::<f64>()
}
