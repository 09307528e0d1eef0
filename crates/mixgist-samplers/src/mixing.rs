//! The mixing prior: the distribution of the weights, seen as sticks, as an urn, and as a distribution of partitions.

use libm::lgamma;
use mixgist::{Error, Result};

use crate::variates::BetaShape;

/// The distribution of the mixing weights; its concentration α is kept apart, as it may be random.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MixingPrior {
    /// Dirichlet process with concentration α > 0.
    DirichletProcess,
    /// Pitman-Yor process with discount σ in [0, 1) and concentration α > −σ.
    PitmanYor {
        /// The discount σ.
        discount: f64,
    },
    /// A fixed number K of components with weights from a symmetric Dirichlet(α, …, α); α well below 1 makes a sparse mixture.
    Finite {
        /// The number of components K.
        components: usize,
    },
}

impl MixingPrior {
    /// The law that options ask for: a finite mixture of that many components, else a process with that discount.
    pub fn from_options(discount: f64, components: Option<usize>) -> Result<Self> {
        match components {
            Some(components) if discount == 0.0 => Ok(Self::Finite { components }),
            Some(_) => Err(Error::usage("a finite mixture has no discount")),
            None if discount == 0.0 => Ok(Self::DirichletProcess),
            None => Ok(Self::PitmanYor { discount }),
        }
    }

    /// The discount σ: 0 but for the Pitman-Yor process.
    pub fn discount(self) -> f64 {
        match self {
            Self::PitmanYor { discount } => discount,
            Self::DirichletProcess | Self::Finite { .. } => 0.0,
        }
    }

    /// The largest number of components, when there is one.
    pub fn limit(self) -> Option<usize> {
        match self {
            Self::Finite { components } => Some(components),
            Self::DirichletProcess | Self::PitmanYor { .. } => None,
        }
    }

    /// Law of the fraction that stick `j` (counted from 0) takes of what is left: w_j = V_j Π_{i<j} (1 − V_i).
    ///
    /// The last stick of a finite mixture takes the whole, which this must not be asked for.
    pub(crate) fn stick(self, j: usize, alpha: f64) -> BetaShape {
        match self {
            Self::DirichletProcess => BetaShape { a: 1.0, b: alpha },
            Self::PitmanYor { discount } => BetaShape { a: 1.0 - discount, b: alpha + (j + 1) as f64 * discount },
            Self::Finite { components } => BetaShape { a: alpha, b: alpha * (components - 1 - j) as f64 },
        }
    }

    /// Urn weight of a cluster of `count` points; also the Dirichlet parameter of its weight given the partition.
    pub(crate) fn cluster_mass(self, count: u32, alpha: f64) -> f64 {
        match self {
            Self::Finite { .. } => f64::from(count) + alpha,
            _ => f64::from(count) - self.discount(),
        }
    }

    /// Urn weight of a new cluster beside `clusters` others; also the Dirichlet parameter of all that is unoccupied.
    pub(crate) fn new_mass(self, clusters: usize, alpha: f64) -> f64 {
        match self {
            Self::Finite { components } => alpha * components.saturating_sub(clusters) as f64,
            _ => alpha + clusters as f64 * self.discount(),
        }
    }

    /// log p(partition given α) for clusters of these sizes (the exchangeable partition probability function).
    pub(crate) fn log_partition(self, sizes: impl Iterator<Item = u32>, alpha: f64) -> f64 {
        let (mut n, mut clusters, mut log) = (0.0, 0usize, 0.0);
        let base = match self {
            Self::Finite { .. } => alpha,
            _ => 1.0 - self.discount(),
        };
        for size in sizes {
            log += lgamma(base + f64::from(size) - if self.limit().is_some() { 0.0 } else { 1.0 }) - lgamma(base);
            n += f64::from(size);
            clusters += 1;
        }
        match self {
            Self::Finite { components } => {
                let k = components as f64;
                log + lgamma(k + 1.0) - lgamma(k + 1.0 - clusters as f64) + lgamma(k * alpha) - lgamma(k * alpha + n)
            }
            _ => {
                let opened: f64 = (1..clusters).map(|i| self.new_mass(i, alpha).ln()).sum();
                log + opened + lgamma(alpha + 1.0) - lgamma(alpha + n)
            }
        }
    }
}

/// The concentration α of the mixing prior.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Concentration {
    /// Known.
    Fixed(f64),
    /// α ~ Gamma(shape, rate), updated with everything else.
    Gamma {
        /// Shape a; the prior mean is a / b.
        shape: f64,
        /// Rate b.
        rate: f64,
    },
}

impl Concentration {
    /// The fixed value, or the prior mean: where chains start.
    pub fn mean(self) -> f64 {
        match self {
            Self::Fixed(alpha) => alpha,
            Self::Gamma { shape, rate } => shape / rate,
        }
    }

    /// log p(α) up to a constant; 0 when α is fixed.
    pub(crate) fn log_density(self, alpha: f64) -> f64 {
        match self {
            Self::Fixed(_) => 0.0,
            Self::Gamma { shape, rate } => (shape - 1.0) * alpha.ln() - rate * alpha,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIORS: [MixingPrior; 3] = [
        MixingPrior::DirichletProcess,
        MixingPrior::PitmanYor { discount: 0.3 },
        MixingPrior::Finite { components: 4 },
    ];

    /// The urn is the definition; the closed form must be its product.
    #[test]
    fn partition_probability_is_the_product_of_urn_steps() {
        for prior in PRIORS {
            for alpha in [0.2, 1.0, 2.5] {
                let order = [0usize, 1, 0, 2, 1, 0];
                let (mut sizes, mut log) = (Vec::<u32>::new(), 0.0);
                for &cluster in &order {
                    let total = sizes.iter().map(|&m| prior.cluster_mass(m, alpha)).sum::<f64>()
                        + prior.new_mass(sizes.len(), alpha);
                    if cluster == sizes.len() {
                        log += (prior.new_mass(sizes.len(), alpha) / total).ln();
                        sizes.push(1);
                    } else {
                        log += (prior.cluster_mass(sizes[cluster], alpha) / total).ln();
                        sizes[cluster] += 1;
                    }
                }
                let closed = prior.log_partition(sizes.iter().copied(), alpha);
                assert!((closed - log).abs() < 1e-12, "{prior:?}, α = {alpha}: {closed} against {log}");
            }
        }
    }
}
