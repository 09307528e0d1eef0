//! What one chain has kept: draws of G, labels and traces.

use mixgist::{CovarianceForm, Ensemble, Error, Result};

/// The kept draws of one chain, flat.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChainDraws {
    pub offsets: Vec<usize>,
    pub weights: Vec<f64>,
    pub means: Vec<f64>,
    pub covariances: Vec<f64>,
    pub labels: Vec<u32>,
    pub iterations: Vec<u64>,
    pub log_posterior: Vec<f64>,
    pub clusters: Vec<f64>,
    pub largest: Vec<f64>,
    pub alpha: Vec<f64>,
    /// The largest weight that was not broken further in any draw.
    pub unresolved: f64,
    /// Sticks of the blocked sampler: the most in any draw; 0 for the others.
    pub sticks: u64,
    /// Draws in which a cluster sits on the last stick, which stands for all that truncation cut off.
    pub on_last_stick: u64,
}

impl Default for ChainDraws {
    fn default() -> Self {
        ChainDraws {
            offsets: vec![0],
            weights: Vec::new(),
            means: Vec::new(),
            covariances: Vec::new(),
            labels: Vec::new(),
            iterations: Vec::new(),
            log_posterior: Vec::new(),
            clusters: Vec::new(),
            largest: Vec::new(),
            alpha: Vec::new(),
            unresolved: 0.0,
            sticks: 0,
            on_last_stick: 0,
        }
    }
}

impl ChainDraws {
    /// Number of draws.
    pub(crate) fn len(&self) -> usize {
        self.iterations.len()
    }

    /// Appends the draws of `other`.
    pub(crate) fn append(&mut self, other: &ChainDraws) {
        let base = self.weights.len();
        self.offsets.extend(other.offsets[1..].iter().map(|offset| base + offset));
        self.weights.extend_from_slice(&other.weights);
        self.means.extend_from_slice(&other.means);
        self.covariances.extend_from_slice(&other.covariances);
        self.labels.extend_from_slice(&other.labels);
        self.iterations.extend_from_slice(&other.iterations);
        self.log_posterior.extend_from_slice(&other.log_posterior);
        self.clusters.extend_from_slice(&other.clusters);
        self.largest.extend_from_slice(&other.largest);
        self.alpha.extend_from_slice(&other.alpha);
        self.unresolved = self.unresolved.max(other.unresolved);
        self.sticks = self.sticks.max(other.sticks);
        self.on_last_stick += other.on_last_stick;
    }
}

/// All chains as one ensemble, chain after chain.
pub(crate) fn ensemble(chains: &[ChainDraws], dim: usize) -> Result<Ensemble> {
    let mut all = ChainDraws::default();
    let mut numbers = Vec::new();
    for (c, chain) in chains.iter().enumerate() {
        all.append(chain);
        let chain_number = u32::try_from(c).map_err(|_| Error::resource("more than 2^32 chains"))?;
        numbers.extend(std::iter::repeat_n(chain_number, chain.len()));
    }
    Ensemble::from_ragged(dim, &all.offsets, &all.weights, &all.means, &all.covariances, CovarianceForm::Covariance)?
        .with_chains(numbers, all.iterations)
}
