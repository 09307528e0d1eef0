//! Components: what a cluster is made of. One file a model, all conjugate; algorithms see only the trait.

mod common;
mod diagonal;
pub(crate) mod full;
pub(crate) mod packed;

use mixgist::{Error, Result};
use rand_chacha::ChaCha8Rng;

pub(crate) use common::CommonCovariance;
pub(crate) use diagonal::DiagonalCovariance;
pub(crate) use full::FullCovariance;

use crate::clusters::Clusters;
use crate::hyperparameters::Hyperparameters;
use crate::points::Frame;
use crate::scales::Scales;

/// An expression with the component of a covariance model as its type: `with_component!(model, C => run::<C>())`.
macro_rules! with_component {
    ($model:expr, $component:ident => $body:expr) => {
        match $model {
            $crate::CovarianceModel::Full => {
                type $component = $crate::component::FullCovariance;
                $body
            }
            $crate::CovarianceModel::Diagonal => {
                type $component = $crate::component::DiagonalCovariance;
                $body
            }
            $crate::CovarianceModel::Common => {
                type $component = $crate::component::CommonCovariance;
                $body
            }
        }
    };
}
pub(crate) use with_component;

/// A conjugate component model in the scaled coordinates of the points.
pub(crate) trait Component: Clone + Send + Sync {
    /// The model with these hyperparameters, for points in these coordinates.
    fn new(hyperparameters: &Hyperparameters, frame: &Frame) -> Self;

    /// λ, ν and Ψ.
    fn scales(&self) -> Scales;

    /// Other λ, ν and Ψ, in the coordinates of the points.
    fn set_scales(&mut self, scales: &Scales);

    /// m0, in the coordinates of the points.
    fn prior_mean(&self) -> &[f64];

    /// Dimension d.
    fn dim(&self) -> usize;

    /// How atoms and sufficient statistics are laid out.
    fn shape(&self) -> AtomShape;

    /// Numbers in the sufficient statistic of a cluster.
    fn statistic_len(&self) -> usize {
        self.shape().statistic_len(self.dim())
    }

    /// Draws what all clusters share, given the partition, their means integrated out; nothing unless a model says otherwise.
    fn draw_shared(&mut self, _clusters: &Clusters, _rng: &mut ChaCha8Rng) -> Result<()> {
        Ok(())
    }

    /// Whether predictive densities depend on what is shared.
    fn has_shared(&self) -> bool {
        false
    }

    /// Posterior of a cluster's parameters.
    fn posterior(&self, count: u32, statistic: &[f64], out: &mut Posterior) -> Result<()>;

    /// Makes a posterior ready for predictive densities.
    fn prepare(&self, posterior: &mut Posterior);

    /// Draws (μ, Σ) from a posterior into an atom.
    fn draw_atom(&self, posterior: &mut Posterior, rng: &mut ChaCha8Rng, atom: &mut [f64]);

    /// log p(x given the cluster's points) for a point outside the cluster.
    fn log_predictive(&self, posterior: &mut Posterior, x: &[f64]) -> f64;

    /// log p(x given the cluster's other points) for a point inside a cluster of at least two.
    fn log_predictive_without(&self, posterior: &mut Posterior, x: &[f64]) -> f64;

    /// log p(points of one cluster given what is shared), the cluster's own parameters integrated out; `posterior` is room.
    fn log_cluster(&self, count: u32, statistic: &[f64], posterior: &mut Posterior) -> Result<f64>;

    /// log p(points given the partition), all parameters integrated out. Clusters are independent where nothing is shared.
    fn log_marginal(&self, clusters: &Clusters) -> Result<f64> {
        let mut posterior = Posterior::new(self.dim());
        clusters.occupied().map(|c| self.log_cluster(c.count, c.statistic, &mut posterior)).sum()
    }
}

/// Layout of an atom: log normaliser, μ (d numbers), then U with Σ⁻¹ = Uᵀ U. That of the sufficient statistic of a cluster: Σ x, then Σ x xᵀ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum AtomShape {
    /// U is lower triangular, packed by rows, and so is the lower half of Σ x xᵀ.
    Triangular,
    /// U is diagonal, d numbers, and of Σ x xᵀ the diagonal counts.
    Diagonal,
}

impl AtomShape {
    /// Numbers of one atom.
    pub(crate) fn atom_len(self, d: usize) -> usize {
        match self {
            Self::Triangular => 1 + d + packed::packed_len(d),
            Self::Diagonal => 1 + 2 * d,
        }
    }

    /// Numbers in the sufficient statistic of a cluster.
    pub(crate) fn statistic_len(self, d: usize) -> usize {
        match self {
            Self::Triangular => d + packed::packed_len(d),
            Self::Diagonal => 2 * d,
        }
    }

    /// Adds (`sign` = 1) or removes (−1) a point.
    pub(crate) fn update(self, statistic: &mut [f64], x: &[f64], sign: f64) {
        let d = x.len();
        let (first, second) = statistic.split_at_mut(d);
        match self {
            Self::Triangular => {
                for r in 0..d {
                    let signed = sign * x[r];
                    first[r] += signed;
                    for c in 0..=r {
                        second[packed::at(r, c)] += signed * x[c];
                    }
                }
            }
            Self::Diagonal => {
                for j in 0..d {
                    first[j] += sign * x[j];
                    second[j] += sign * x[j] * x[j];
                }
            }
        }
    }

    /// log N(x; μ, Σ) of one atom: the obvious form of what tiles compute many at a time.
    pub(crate) fn log_density(self, atom: &[f64], x: &[f64]) -> f64 {
        let d = x.len();
        let (mean, u) = (&atom[1..=d], &atom[1 + d..]);
        let mut square = 0.0;
        for r in 0..d {
            let t = match self {
                Self::Diagonal => u[r] * (x[r] - mean[r]),
                Self::Triangular => {
                    let mut sum = 0.0;
                    for c in 0..=r {
                        sum += u[packed::at(r, c)] * (x[c] - mean[c]);
                    }
                    sum
                }
            };
            square += t * t;
        }
        atom[0] - 0.5 * square
    }

    /// Appends mean and covariance of an atom in the units of the data.
    pub(crate) fn export(self, atom: &[f64], frame: &Frame, means: &mut Vec<f64>, covariances: &mut Vec<f64>) {
        let d = frame.dim();
        let (mean, u) = (&atom[1..=d], &atom[1 + d..]);
        means.extend((0..d).map(|j| frame.center[j] + frame.scale[j] * mean[j]));
        let start = covariances.len();
        covariances.resize(start + d * d, 0.0);
        let out = &mut covariances[start..];
        match self {
            Self::Diagonal => {
                (0..d).for_each(|j| out[j * d + j] = (frame.scale[j] / u[j]).powi(2));
            }
            Self::Triangular => {
                let mut inverse = vec![0.0; packed::packed_len(d)];
                packed::invert(u, d, &mut inverse);
                for i in 0..d {
                    for j in 0..=i {
                        let sum: f64 = (0..=j).map(|k| inverse[packed::at(i, k)] * inverse[packed::at(j, k)]).sum();
                        out[i * d + j] = frame.scale[i] * sum * frame.scale[j];
                        out[j * d + i] = out[i * d + j];
                    }
                }
            }
        }
    }
}

/// Posterior of one cluster's parameters, with the room to work in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Posterior {
    /// ScaledData in the cluster.
    pub count: u32,
    /// λ' = λ + n.
    pub lambda: f64,
    /// ν' = ν + n.
    pub nu: f64,
    /// μ'.
    pub mean: Vec<f64>,
    /// Cholesky factor of Ψ', packed (full); the diagonal of Ψ' (diagonal); nothing (common).
    pub factor: Vec<f64>,
    /// What does not depend on the point in the predictive density of a point outside, and of one inside.
    pub outside: f64,
    pub inside: f64,
    work: Vec<f64>,
    room: Vec<f64>,
}

impl Posterior {
    /// Room for dimension d.
    pub(crate) fn new(d: usize) -> Self {
        let triangle = vec![0.0; packed::packed_len(d)];
        Posterior {
            mean: vec![0.0; d],
            factor: triangle.clone(),
            work: vec![0.0; d],
            room: triangle,
            ..Self::default()
        }
    }

    /// Takes in the points: what the prior counts as `lambda` points of sum `first`, and these. The scale is left as it was.
    fn take(&mut self, count: u32, sum: &[f64], lambda: f64, nu: f64, first: &[f64]) {
        self.count = count;
        self.lambda = lambda + f64::from(count);
        self.nu = nu + f64::from(count);
        for j in 0..first.len() {
            self.mean[j] = (first[j] + sum[j]) / self.lambda;
        }
    }

    /// Makes ready for predictive densities: `step` of (λ', ν'), and ½ log |Ψ'|.
    fn ready(&mut self, step: impl Fn(f64, f64) -> f64, log_root: f64) {
        self.outside = step(self.lambda, self.nu) - log_root;
        if self.count > 0 {
            self.inside = step(self.lambda - 1.0, self.nu - 1.0) - log_root;
        }
    }
}

fn singular() -> Error {
    Error::input("the scatter of a cluster is singular to rounding").hint(
        "psi is too small for the spread of the data, or mu0 too far from it; the default hyperparameters avoid both",
    )
}

/// m0 = (μ0 − center) / scale, in the coordinates of the points.
fn scaled_mean(hyperparameters: &Hyperparameters, frame: &Frame) -> Vec<f64> {
    (0..frame.dim()).map(|j| frame.scaled_value(j, hyperparameters.mu0[j])).collect()
}

#[cfg(test)]
mod tests;
