//! Normal components, each with its own full covariance: the normal-inverse-Wishart model.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::{PI, TAU};

use super::packed::{at, cholesky, invert, log_determinant, multiply_into, packed_len, solve, solved_square};
use super::{AtomShape, Component, Posterior, scaled_mean, singular};
use crate::hyperparameters::Hyperparameters;
use crate::points::Frame;
use crate::scales::Scales;
use crate::variates::{chi, log_multigamma, normal};

/// NIW(m0, λ, Ψ, ν). The prior is kept as pseudo-data: λ points at m0 with scatter Ψ, so that with b = Σ x and A = Σ x xᵀ
/// the posterior is μ' = (λ m0 + b)/λ', Ψ' = Ψ + λ m0 m0ᵀ + A − λ' μ' μ'ᵀ.
#[derive(Debug, Clone)]
pub(crate) struct FullCovariance {
    pub(super) d: usize,
    pub(super) lambda: f64,
    pub(super) nu: f64,
    pub(super) m0: Vec<f64>,
    /// Ψ, packed.
    psi: Vec<f64>,
    /// λ m0.
    pub(super) first: Vec<f64>,
    /// Ψ + λ m0 m0ᵀ, packed.
    pub(super) second: Vec<f64>,
    /// ½ log |Ψ|.
    pub(super) log_det_psi: f64,
}

impl FullCovariance {
    /// Ψ + (data and pseudo-data scatter about the posterior mean), factored.
    fn factor(&self, statistic: &[f64], lambda: f64, mean: &[f64], out: &mut [f64]) -> Result<()> {
        let scatter = &statistic[self.d..];
        for r in 0..self.d {
            for c in 0..=r {
                let e = at(r, c);
                out[e] = self.second[e] + scatter[e] - lambda * mean[r] * mean[c];
            }
        }
        if cholesky(out, self.d) { Ok(()) } else { Err(singular()) }
    }
}

/// log of π^{−d/2} (λ/(λ + 1))^{d/2} Γ((ν + 1)/2) / Γ((ν + 1 − d)/2): what the predictive density of one more point has besides |Ψ'| and the
/// point.
pub(super) fn step(lambda: f64, nu: f64, d: usize) -> f64 {
    let top = 0.5 * (nu + 1.0);
    // Γ(x)/Γ(x − i) = (x − 1) … (x − i), and for odd d one more half
    let whole: f64 = (1..=d / 2).map(|i| (top - i as f64).ln()).sum();
    let rest = top - (d / 2) as f64;
    let half = if d % 2 == 1 { libm::lgamma(rest) - libm::lgamma(rest - 0.5) } else { 0.0 };
    0.5 * d as f64 * (lambda / (lambda + 1.0) / PI).ln() + whole + half
}

/// U = B C⁻¹ with Ψ = C Cᵀ and Bᵀ B ~ W(ν, I), B lower triangular with B_jj ~ χ(ν − d + 1 + j): then (Uᵀ U)⁻¹ ~ IW(ν, Ψ).
pub(crate) fn draw_root_precision(
    nu: f64,
    factor: &[f64],
    d: usize,
    room: &mut [f64],
    u: &mut [f64],
    rng: &mut ChaCha8Rng,
) {
    invert(factor, d, room);
    for r in 0..d {
        for c in 0..r {
            u[at(r, c)] = normal(rng);
        }
        u[at(r, r)] = chi(nu - (d - 1 - r) as f64, rng);
    }
    multiply_into(u, room, d);
}

/// Fills in μ ~ N(mean, Σ/λ) and the normaliser of an atom whose U is there already.
pub(super) fn draw_mean(posterior: &mut Posterior, d: usize, rng: &mut ChaCha8Rng, atom: &mut [f64]) {
    let (head, u) = atom.split_at_mut(1 + d);
    posterior.work.iter_mut().for_each(|x| *x = normal(rng));
    solve(u, &mut posterior.work);
    let spread = 1.0 / posterior.lambda.sqrt();
    for j in 0..d {
        head[1 + j] = posterior.mean[j] + spread * posterior.work[j];
    }
    head[0] = log_determinant(u, d) - 0.5 * d as f64 * TAU.ln();
}

impl Component for FullCovariance {
    fn new(hyperparameters: &Hyperparameters, frame: &Frame) -> Self {
        let d = frame.dim();
        let mut psi = vec![0.0; packed_len(d)];
        for r in 0..d {
            for c in 0..=r {
                psi[at(r, c)] = hyperparameters.psi[r * d + c] / (frame.scale[r] * frame.scale[c]);
            }
        }
        let mut component = FullCovariance {
            d,
            lambda: hyperparameters.lambda,
            nu: hyperparameters.nu,
            m0: scaled_mean(hyperparameters, frame),
            first: vec![0.0; d],
            second: psi.clone(),
            psi,
            log_det_psi: 0.0,
        };
        component.set_scales(&component.scales());
        component
    }

    fn scales(&self) -> Scales {
        Scales { lambda: self.lambda, nu: self.nu, psi: self.psi.clone() }
    }

    fn set_scales(&mut self, scales: &Scales) {
        let d = self.d;
        self.lambda = scales.lambda;
        self.nu = scales.nu;
        self.psi.copy_from_slice(&scales.psi);
        self.second.copy_from_slice(&scales.psi);
        let positive = cholesky(&mut self.second, d);
        debug_assert!(positive, "Ψ was checked when it was resolved, or drawn");
        self.log_det_psi = log_determinant(&self.second, d);
        for r in 0..d {
            self.first[r] = self.lambda * self.m0[r];
            for c in 0..=r {
                self.second[at(r, c)] = self.psi[at(r, c)] + self.lambda * self.m0[r] * self.m0[c];
            }
        }
    }

    fn prior_mean(&self) -> &[f64] {
        &self.m0
    }

    fn dim(&self) -> usize {
        self.d
    }

    fn shape(&self) -> AtomShape {
        AtomShape::Triangular
    }

    fn posterior(&self, count: u32, statistic: &[f64], out: &mut Posterior) -> Result<()> {
        out.take(count, statistic, self.lambda, self.nu, &self.first);
        self.factor(statistic, out.lambda, &out.mean, &mut out.factor)
    }

    fn prepare(&self, posterior: &mut Posterior) {
        posterior.ready(|lambda, nu| step(lambda, nu, self.d), log_determinant(&posterior.factor, self.d));
    }

    fn draw_atom(&self, posterior: &mut Posterior, rng: &mut ChaCha8Rng, atom: &mut [f64]) {
        let Posterior { nu, factor, room, .. } = posterior;
        draw_root_precision(*nu, factor, self.d, room, &mut atom[1 + self.d..], rng);
        draw_mean(posterior, self.d, rng, atom);
    }

    fn log_predictive(&self, posterior: &mut Posterior, x: &[f64]) -> f64 {
        let square = distance_square(posterior, x);
        let shrink = posterior.lambda / (posterior.lambda + 1.0);
        posterior.outside - 0.5 * (posterior.nu + 1.0) * (shrink * square).ln_1p()
    }

    fn log_predictive_without(&self, posterior: &mut Posterior, x: &[f64]) -> f64 {
        // Ψ' without x is Ψ' − λ'/(λ' − 1) (x − μ')(x − μ')ᵀ, and its determinant follows
        let square = distance_square(posterior, x);
        let grow = posterior.lambda / (posterior.lambda - 1.0);
        posterior.inside + 0.5 * (posterior.nu - 1.0) * (1.0 - grow * square).max(f64::EPSILON).ln()
    }

    fn log_cluster(&self, count: u32, statistic: &[f64], posterior: &mut Posterior) -> Result<f64> {
        self.posterior(count, statistic, posterior)?;
        let d = self.d as f64;
        Ok(-0.5 * d * f64::from(count) * PI.ln()
            + 0.5 * d * (self.lambda / posterior.lambda).ln()
            + log_multigamma(self.d, 0.5 * posterior.nu)
            - log_multigamma(self.d, 0.5 * self.nu)
            + self.nu * self.log_det_psi
            - posterior.nu * log_determinant(&posterior.factor, self.d))
    }
}

/// (x − μ')ᵀ Ψ'⁻¹ (x − μ').
fn distance_square(posterior: &mut Posterior, x: &[f64]) -> f64 {
    let Posterior { work, mean, factor, .. } = posterior;
    for j in 0..x.len() {
        work[j] = x[j] - mean[j];
    }
    solved_square(factor, work)
}
