//! The scales of the components' prior: λ, ν and Ψ, fixed or learned with everything else.
//!
//! With d the dimension of a covariance (1 in each coordinate for diagonal ones) let S = Ψ/(ν − d + 1), the scale of which 1/S_jj = E[1/Σ_jj].
//! Where they are learned, S ~ Wishart(d, S0/d) about S0 = Ψ0/(ν0 − d + 1) (in each coordinate for diagonal covariances), λ ~ Gamma(1/2, 1/2) and
//! ν − d + 1 ~ Gamma(2, 1/5), independently. ν − d + 1 is at least [`LEAST_UNIT`], so that
//! covariances have an expectation, and S not narrower than [`NARROWEST`] times S0, in each pivot of its Cholesky decomposition, as the scatter of a cluster of equal points
//! could be singular to rounding then: the distributions are cut off there. A common covariance is one draw, which says nothing about its own prior: there λ alone is learned.
//!
//! Given atoms (μ_k, Σ_k) of the k clusters, λ and Ψ are conjugate: λ ~ Gamma(1/2 + kd/2, 1/2 + ½ Σ (μ_k − μ0)ᵀ Σ_k⁻¹ (μ_k − μ0)) and
//! Ψ ~ Wishart(d + kν, (d S0⁻¹/(ν − d + 1) + Σ Σ_k⁻¹)⁻¹). ν moves given S and the partition, atoms integrated out, by slice sampling.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use crate::clusters::Clusters;
use crate::component::full::draw_root_precision;
use crate::component::packed::{at, cholesky, invert, log_determinant, packed_len};
use crate::component::{AtomShape, Component, Posterior};
use crate::hyperparameters::{Hyperparameters, Learned};
use crate::settings::CovarianceModel;
use crate::variates::{log_gamma, slice_step};

/// λ ~ Gamma(shape, rate).
pub(crate) const LAMBDA: (f64, f64) = (0.5, 0.5);
/// ν − d + 1 ~ Gamma(shape, rate).
pub(crate) const NU: (f64, f64) = (2.0, 0.2);

/// See above.
const NARROWEST: f64 = 1e-4;
/// See above.
pub(crate) const LEAST_UNIT: f64 = 2.0;

/// Where the scales are, in the coordinates of the points.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Scales {
    pub lambda: f64,
    pub nu: f64,
    /// Ψ: its diagonal for diagonal covariances, else its lower half by rows.
    pub psi: Vec<f64>,
}

/// The distribution of the scales.
#[derive(Debug, Clone)]
pub(crate) struct ScaleLaw {
    pub learned: Learned,
    /// The dimension of the covariances that have a distribution of their own: d, or 1 in each coordinate.
    pub inner: usize,
    d: usize,
    /// Shape and rate of λ, and of ν − d + 1.
    lambda: (f64, f64),
    nu: (f64, f64),
    /// Degrees of freedom of S.
    degrees: f64,
    /// S0 as Ψ is held.
    center: Vec<f64>,
    room: Room,
}

/// Room to work in.
#[derive(Debug, Clone, Default)]
struct Room {
    atom: Vec<f64>,
    posterior: Posterior,
    precision: Vec<f64>,
    inverse: Vec<f64>,
    root: Vec<f64>,
}

impl ScaleLaw {
    /// The distribution that these hyperparameters ask for; `scales` is where they say that it is centred.
    pub(crate) fn new(hyperparameters: &Hyperparameters, scales: &Scales) -> Self {
        let d = hyperparameters.dim;
        let inner = if hyperparameters.covariance == CovarianceModel::Diagonal { 1 } else { d };
        let unit = scales.nu - inner as f64 + 1.0;
        ScaleLaw {
            learned: hyperparameters.learned,
            inner,
            d,
            lambda: LAMBDA,
            nu: NU,
            degrees: inner as f64,
            center: scales.psi.iter().map(|psi| psi / unit).collect(),
            room: Room { posterior: Posterior::new(d), ..Room::default() },
        }
    }

    /// The same with lighter tails, so that moments exist: for the joint-distribution test.
    pub(crate) fn sharpened(mut self) -> Self {
        self.lambda = (4.0, 8.0);
        self.nu = (20.0, 2.0);
        self.degrees = self.inner as f64 + 10.0;
        self
    }

    /// Scales from their prior; what is fixed stays as it is.
    pub(crate) fn draw_prior(&mut self, scales: &mut Scales, rng: &mut ChaCha8Rng) {
        let gamma = |(shape, rate): (f64, f64), rng: &mut ChaCha8Rng| log_gamma(shape, rng).exp() / rate;
        if self.learned.lambda {
            scales.lambda = gamma(self.lambda, rng);
        }
        if self.learned.nu {
            let mut unit = 0.0;
            while unit < LEAST_UNIT {
                unit = gamma(self.nu, rng);
            }
            scales.nu = unit + self.inner as f64 - 1.0;
        }
        if self.learned.psi {
            self.room.precision.clear();
            self.room.precision.resize(self.center.len(), 0.0);
            self.draw_psi(scales, 0.0, rng);
        }
    }

    fn is_diagonal(&self) -> bool {
        self.inner < self.d || self.d == 1
    }

    /// Whether these are scales, of the right length.
    pub(crate) fn is_sound(&self, scales: &Scales) -> bool {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let definite = || match self.is_diagonal() {
            true => scales.psi.iter().all(|&psi| positive(psi)),
            false => cholesky(&mut scales.psi.clone(), self.d),
        };
        scales.psi.len() == self.center.len() && positive(scales.lambda) && positive(self.unit(scales.nu)) && definite()
    }

    /// ν − d + 1.
    fn unit(&self, nu: f64) -> f64 {
        nu - self.inner as f64 + 1.0
    }

    /// Updates all that is learned; true if something is. What clusters share must have been drawn.
    pub(crate) fn update<C: Component>(
        &mut self,
        component: &mut C,
        clusters: &Clusters,
        rng: &mut ChaCha8Rng,
    ) -> Result<bool> {
        if !self.learned.any() {
            return Ok(false);
        }
        let mut scales = component.scales();
        if self.learned.lambda || self.learned.psi {
            let square = self.gather(component, clusters, rng)?;
            let k = clusters.len() as f64;
            if self.learned.lambda {
                let (shape, rate) = self.lambda;
                scales.lambda = (log_gamma(shape + 0.5 * k * self.d as f64, rng) - (rate + 0.5 * square).ln()).exp();
            }
            if self.learned.psi {
                self.draw_psi(&mut scales, k, rng);
            }
            component.set_scales(&scales);
        }
        if self.learned.nu {
            self.move_nu(component, clusters, scales, rng);
        }
        Ok(true)
    }

    /// Draws the atoms of all clusters; leaves Σ Σ_k⁻¹ in the room and returns Σ (μ_k − μ0)ᵀ Σ_k⁻¹ (μ_k − μ0).
    fn gather<C: Component>(&mut self, component: &C, clusters: &Clusters, rng: &mut ChaCha8Rng) -> Result<f64> {
        let (d, shape) = (self.d, component.shape());
        let Room { atom, posterior, precision, .. } = &mut self.room;
        atom.resize(shape.atom_len(d), 0.0);
        precision.clear();
        precision.resize(shape.atom_len(d) - 1 - d, 0.0);
        let mut square = 0.0;
        for cluster in clusters.occupied() {
            component.posterior(cluster.count, cluster.statistic, posterior)?;
            component.draw_atom(posterior, rng, atom);
            square += -2.0 * (shape.log_density(atom, component.prior_mean()) - atom[0]);
            let u = &atom[1 + d..];
            match shape {
                AtomShape::Diagonal => (0..d).for_each(|j| precision[j] += u[j] * u[j]),
                AtomShape::Triangular => {
                    for r in 0..d {
                        for c in 0..=r {
                            precision[at(r, c)] += (r..d).map(|i| u[at(i, r)] * u[at(i, c)]).sum::<f64>();
                        }
                    }
                }
            }
        }
        Ok(square)
    }

    /// Ψ given the sum of the precisions of k atoms.
    fn draw_psi(&mut self, scales: &mut Scales, k: f64, rng: &mut ChaCha8Rng) {
        let (d, degrees) = (self.d, self.degrees + k * scales.nu);
        let per_unit = self.degrees / self.unit(scales.nu);
        if self.is_diagonal() {
            for j in 0..d {
                let rate = 0.5 * (per_unit / self.center[j] + self.room.precision[j]);
                let psi = (log_gamma(0.5 * degrees, rng) - rate.ln()).exp();
                if psi >= NARROWEST * self.unit(scales.nu) * self.center[j] {
                    scales.psi[j] = psi;
                }
            }
            return;
        }
        let narrowest = NARROWEST * self.unit(scales.nu);
        let Room { precision, inverse, root, .. } = &mut self.room;
        // S0⁻¹ = L⁻ᵀ L⁻¹ with S0 = L Lᵀ
        let len = packed_len(d);
        root.clear();
        root.extend_from_slice(&self.center);
        inverse.resize(len, 0.0);
        cholesky(root, d);
        invert(root, d, inverse);
        for r in 0..d {
            for c in 0..=r {
                precision[at(r, c)] += per_unit * (r..d).map(|i| inverse[at(i, r)] * inverse[at(i, c)]).sum::<f64>();
            }
        }
        // Ψ = Uᵀ U as the precision of an atom is drawn
        if !cholesky(precision, d) {
            return; // to rounding: the scale stays as it is
        }
        draw_root_precision(degrees, precision, d, inverse, root, rng);
        for r in 0..d {
            for c in 0..=r {
                precision[at(r, c)] = (r..d).map(|i| root[at(i, r)] * root[at(i, c)]).sum();
            }
        }
        inverse.copy_from_slice(precision);
        let narrow = |(j, pivot): (usize, f64)| pivot < narrowest * self.center[at(j, j)];
        if cholesky(inverse, d) && !(0..d).map(|j| (j, inverse[at(j, j)].powi(2))).any(narrow) {
            scales.psi.copy_from_slice(precision);
        }
    }

    /// One step of slice sampling on log(ν − d + 1) given S, atoms integrated out.
    fn move_nu<C: Component>(&self, component: &mut C, clusters: &Clusters, scales: Scales, rng: &mut ChaCha8Rng) {
        let unit = self.unit(scales.nu);
        let at_log = |log_unit: f64| {
            let new = log_unit.exp();
            let psi = if self.learned.psi {
                scales.psi.iter().map(|p| p * (new / unit)).collect()
            } else {
                scales.psi.clone()
            };
            Scales { lambda: scales.lambda, nu: new + self.inner as f64 - 1.0, psi }
        };
        let target = |log_unit: f64| {
            if log_unit < LEAST_UNIT.ln() || log_unit > 50.0 {
                return f64::NEG_INFINITY;
            }
            let mut other = component.clone();
            other.set_scales(&at_log(log_unit));
            let (shape, rate) = self.nu;
            other.log_marginal(clusters).map_or(f64::NEG_INFINITY, |log| log + shape * log_unit - rate * log_unit.exp())
        };
        let moved = at_log(slice_step(unit.ln(), 0.5, target, rng));
        component.set_scales(&moved);
    }

    /// log of the prior density of (λ, ν, S) up to a constant; what is fixed counts nothing.
    pub(crate) fn log_density(&self, scales: &Scales) -> f64 {
        let mut log = 0.0;
        let gamma = |(shape, rate): (f64, f64), x: f64| (shape - 1.0) * x.ln() - rate * x;
        if self.learned.lambda {
            log += gamma(self.lambda, scales.lambda);
        }
        let unit = self.unit(scales.nu);
        if self.learned.nu {
            log += gamma(self.nu, unit);
        }
        if self.learned.psi {
            log += self.log_wishart(&scales.psi, unit);
        }
        log
    }

    /// log density of S = Ψ/unit, up to a constant.
    fn log_wishart(&self, psi: &[f64], unit: f64) -> f64 {
        let (d, n) = (self.d, self.degrees);
        if self.is_diagonal() {
            let term = |j: usize| {
                let ratio = psi[j] / unit / self.center[j];
                (0.5 * n - 1.0) * ratio.ln() - 0.5 * n * ratio
            };
            return (0..d).map(term).sum();
        }
        let (mut root, mut inverse) = (self.center.clone(), vec![0.0; packed_len(d)]);
        cholesky(&mut root, d);
        invert(&root, d, &mut inverse);
        let mut trace = 0.0;
        for i in 0..d {
            for r in 0..=i {
                for c in 0..=i {
                    trace += inverse[at(i, r)] * inverse[at(i, c)] * psi[if r >= c { at(r, c) } else { at(c, r) }];
                }
            }
        }
        let mut factor = psi.to_vec();
        cholesky(&mut factor, d);
        let log_det = 2.0 * log_determinant(&factor, d) - d as f64 * unit.ln();
        0.5 * (n - d as f64 - 1.0) * log_det - 0.5 * n * trace / unit
    }
}

#[cfg(test)]
mod tests;
