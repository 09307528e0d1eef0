//! Proofs by experiment that the chains sample from the posterior: enumeration of all partitions, and Geweke's joint test.

mod enumeration;
mod joint;

use mixgist::Result;

pub use enumeration::{enumeration, splits_and_merges};
pub use joint::joint;

use crate::settings::{Algorithm, CovarianceModel, FitSettings, ScaleChoice, Truncation};
use crate::{Concentration, MixingPrior};

/// Outcome of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What was tested.
    pub name: String,
    /// How far the chain is from the truth, in standard deviations of a correct one: the largest over all that was compared.
    pub deviation: f64,
    /// Beyond this deviation the chain counts as wrong.
    pub limit: f64,
    /// Probability that a correct chain exceeds the limit.
    pub false_alarm: f64,
    /// What deviates most.
    pub detail: String,
}

impl Outcome {
    /// Whether the chain agrees with the truth.
    pub fn passed(&self) -> bool {
        self.deviation < self.limit
    }
}

/// The algorithms at a small truncation, where truncation matters and is tested.
pub const ALGORITHMS: [(&str, Algorithm); 3] = [
    ("blocked", Algorithm::Blocked { truncation: Truncation::At(5) }),
    ("slice", Algorithm::Slice),
    ("marginal", Algorithm::Marginal),
];

/// Mixing priors, with fixed and with random concentration.
pub const PRIORS: [(&str, MixingPrior, Concentration); 6] = [
    ("DP", MixingPrior::DirichletProcess, Concentration::Fixed(1.0)),
    ("DP, random alpha", MixingPrior::DirichletProcess, Concentration::Gamma { shape: 2.0, rate: 1.5 }),
    ("PY", MixingPrior::PitmanYor { discount: 0.25 }, Concentration::Fixed(0.8)),
    ("PY, random alpha", MixingPrior::PitmanYor { discount: 0.25 }, Concentration::Gamma { shape: 2.0, rate: 1.5 }),
    ("finite", MixingPrior::Finite { components: 4 }, Concentration::Fixed(0.5)),
    ("finite, random alpha", MixingPrior::Finite { components: 4 }, Concentration::Gamma { shape: 2.0, rate: 2.0 }),
];

/// No tiles, as with any fit of fewer points than 65,537.
pub const WHOLE: usize = usize::MAX;

/// The settings of an experiment.
pub fn settings(
    algorithm: Algorithm,
    covariance: CovarianceModel,
    prior: MixingPrior,
    concentration: Concentration,
) -> FitSettings {
    let mut settings =
        FitSettings::default().with_algorithm(algorithm).with_prior(prior).with_concentration(concentration);
    settings.component.covariance = covariance;
    settings
}

/// The settings of an experiment with learned scales: λ and ν by enumeration, Ψ too by the joint test.
pub fn learned(algorithm: Algorithm, covariance: CovarianceModel) -> FitSettings {
    let mut settings = settings(algorithm, covariance, PRIORS[0].1, PRIORS[0].2);
    settings.component.scales = ScaleChoice::Learned;
    settings
}

/// Every algorithm, component and prior by both experiments; `length` multiplies the length of the chains (1 takes about half
/// a minute). The outcomes come one by one as they are ready.
pub fn all(length: u64, seed: u64, mut report: impl FnMut(Outcome)) -> Result<()> {
    for (algorithm_name, algorithm) in ALGORITHMS {
        for (covariance_name, covariance) in CovarianceModel::NAMES {
            for (prior_name, prior, concentration) in PRIORS {
                let settings = settings(algorithm, covariance, prior, concentration);
                let name = format!("{algorithm_name}, {covariance_name} covariance, {prior_name}");
                report(Outcome {
                    name: format!("enumeration: {name}"),
                    ..enumeration(&settings, WHOLE, 8_000 * length, seed)?
                });
                report(Outcome { name: format!("joint: {name}"), ..joint(&settings, WHOLE, 40_000 * length, seed)? });
                if algorithm != Algorithm::Marginal {
                    let name = format!("{name}, in tiles");
                    report(Outcome {
                        name: format!("enumeration: {name}"),
                        ..enumeration(&settings, 2, 8_000 * length, seed)?
                    });
                    report(Outcome { name: format!("joint: {name}"), ..joint(&settings, 2, 40_000 * length, seed)? });
                }
            }
            let settings = learned(algorithm, covariance);
            let name = format!("{algorithm_name}, {covariance_name} covariance, learned scales");
            report(Outcome {
                name: format!("enumeration: {name}"),
                ..enumeration(&settings, WHOLE, 8_000 * length, seed)?
            });
            report(Outcome { name: format!("joint: {name}"), ..joint(&settings, WHOLE, 40_000 * length, seed)? });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
