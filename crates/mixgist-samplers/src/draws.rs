//! What one chain has kept: draws of G, labels and traces.

use mixgist::{Ensemble, Error, Labels, Result};
use serde::{Deserialize, Serialize};

/// The kept draws of one chain, flat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChainDraws {
    pub offsets: Vec<usize>,
    pub weights: Vec<f64>,
    pub means: Vec<f64>,
    pub covariances: Vec<f64>,
    #[serde(with = "numbers_of_atoms")]
    pub labels: Labels,
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
            labels: Labels::new(),
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

    /// Whether all lengths fit each other, for draws that come from a file.
    pub(crate) fn is_sound(&self, points: usize, dim: usize) -> bool {
        let (count, atoms) = (self.len(), self.weights.len());
        let times = |a: usize, b: usize| a.checked_mul(b);
        self.offsets.len() == count + 1
            && self.offsets[0] == 0
            && self.offsets.is_sorted()
            && self.offsets.last() == Some(&atoms)
            && times(atoms, dim) == Some(self.means.len())
            && times(atoms, dim * dim) == Some(self.covariances.len())
            && times(count, points) == Some(self.labels.len())
            && [&self.log_posterior, &self.clusters, &self.largest, &self.alpha]
                .iter()
                .all(|trace| trace.len() == count)
    }

    /// Appends the draws of `other`.
    pub(crate) fn append(&mut self, other: &ChainDraws) {
        self.append_measures(other);
        self.labels.append(other.labels.as_slice());
        self.log_posterior.extend_from_slice(&other.log_posterior);
        self.clusters.extend_from_slice(&other.clusters);
        self.largest.extend_from_slice(&other.largest);
        self.alpha.extend_from_slice(&other.alpha);
        self.unresolved = self.unresolved.max(other.unresolved);
        self.sticks = self.sticks.max(other.sticks);
        self.on_last_stick = self.on_last_stick.saturating_add(other.on_last_stick); // which a damaged file may claim
    }

    /// Appends weights and atoms, with their iterations.
    fn append_measures(&mut self, other: &ChainDraws) {
        let base = self.weights.len();
        self.offsets.extend(other.offsets[1..].iter().map(|offset| base + offset));
        self.weights.extend_from_slice(&other.weights);
        self.means.extend_from_slice(&other.means);
        self.covariances.extend_from_slice(&other.covariances);
        self.iterations.extend_from_slice(&other.iterations);
    }
}

/// Labels in a record: a list of the numbers of atoms.
mod numbers_of_atoms {
    use std::fmt;

    use mixgist::Labels;
    use serde::de::{SeqAccess, Visitor};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(labels: &Labels, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(labels.iter().map(|label| label as u32))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Labels, D::Error> {
        deserializer.deserialize_seq(Numbers)
    }

    struct Numbers;

    impl<'de> Visitor<'de> for Numbers {
        type Value = Labels;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of numbers of atoms")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Labels, A::Error> {
            let mut labels = Labels::new();
            while let Some(number) = numbers.next_element::<u32>()? {
                labels.extend([number]);
            }
            Ok(labels)
        }
    }
}

/// All chains as one ensemble, chain after chain.
pub(crate) fn ensemble(chains: &[ChainDraws], dim: usize) -> Result<Ensemble> {
    let mut all = ChainDraws::default();
    let mut numbers = Vec::new();
    for (c, chain) in chains.iter().enumerate() {
        all.append_measures(chain);
        let chain_number = u32::try_from(c).map_err(|_| Error::resource("more than 2^32 chains"))?;
        numbers.extend(std::iter::repeat_n(chain_number, chain.len()));
    }
    Ensemble::builder(dim)
        .offsets(&all.offsets)
        .weights(&all.weights)
        .means(&all.means)
        .covariances(&all.covariances)
        .build()?
        .with_chains(numbers, all.iterations)
}
