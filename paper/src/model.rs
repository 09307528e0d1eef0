//! The models and data of the experiments.

use mixgist::sample_points;
use mixgist::{CovarianceForm, GaussianAtoms, MixingMeasure, Mixture, Partition, Result, Silent};
use mixgist_samplers::{Algorithm, ComponentPrior, FitSettings, Hyperparameters, ImpliedModel, Scale, Truncation};

/// Dimension of all data.
pub const DIM: usize = 2;
/// Concentration α of the Dirichlet process.
pub const ALPHA: f64 = 1.0;
/// Truncation level K.
pub const STICKS: usize = 100;
/// Strength λ of the prior mean.
pub const LAMBDA: f64 = 1.0;
/// Degrees of freedom ν.
pub const NU: f64 = 4.0;

/// How long chains run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// Iterations in all.
    pub iterations: u64,
    /// Those that are dropped.
    pub burn_in: u64,
}

impl Length {
    /// As in the paper.
    pub const PAPER: Length = Length { iterations: 10_000, burn_in: 9_000 };
}

/// What differs between the two experiments: the location and scale of the prior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// μ0.
    pub mean: [f64; DIM],
    /// The diagonal of Ψ.
    pub scale: [f64; DIM],
}

impl Prior {
    /// Of the simulation.
    pub const SIMULATION: Prior = Prior { mean: [0.0, 0.0], scale: [1.0, 1.0] };
    /// Of Old Faithful: the scale that the published draws follow, where the text prints diag(4, 26).
    pub const FAITHFUL: Prior = Prior { mean: [3.0, 70.0], scale: [4.0, 36.0] };

    /// Settings of one chain of mixgist's blocked sampler.
    pub fn settings(self, length: Length, seed: u64) -> FitSettings {
        FitSettings::default()
            .with_component(ComponentPrior {
                mu0: Some(self.mean.to_vec()),
                lambda: Some(LAMBDA),
                psi: Some(Scale::Diagonal(self.scale.to_vec())),
                nu: Some(NU),
                ..ComponentPrior::default()
            })
            .with_algorithm(Algorithm::Blocked { truncation: Truncation::At(STICKS) })
            .with_chains(1)
            .with_iterations(length.iterations)
            .with_burn_in(length.burn_in)
            .with_seed(seed)
    }
}

/// What simulated data come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// The components of the observations.
    pub partition: Partition,
    /// G*.
    pub measure: MixingMeasure,
}

/// Observations, with the truth where it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    /// n × 2.
    pub values: Vec<f64>,
    /// Known for simulated data.
    pub truth: Option<Truth>,
    /// The prior that goes with them.
    pub prior: Prior,
}

impl Observations {
    /// The model under which a partition of them implies a density.
    pub fn model(&self) -> Result<ImpliedModel> {
        let settings = self.prior.settings(Length::PAPER, 0);
        ImpliedModel::new(&self.values, Hyperparameters::resolve(&self.values, DIM, &settings)?)
    }
}

/// Four Gaussians at (±2, ±2) of covariance 1.5² I, with these weights (any positive numbers).
pub fn four_gaussians(weights: [f64; 4]) -> Result<MixingMeasure> {
    let means = vec![-2.0, -2.0, 2.0, -2.0, -2.0, 2.0, 2.0, 2.0];
    let covariance = [2.25, 0.0, 0.0, 2.25];
    let atoms = GaussianAtoms::new(DIM, means, covariance.repeat(4), CovarianceForm::Covariance)?;
    let total: f64 = weights.iter().sum();
    MixingMeasure::new(weights.iter().map(|w| w / total).collect(), atoms)
}

/// The weights that Table 2 was computed with: (¼, ¼, ¼, ¼) read as fractions of what is left of a stick.
pub const STICK_WEIGHTS: [f64; 4] = [0.25, 0.1875, 0.140625, 0.10546875];

/// The data of one repeat of the simulation: n = 200.
pub fn simulated(repeat: u64) -> Result<Observations> {
    let measure = four_gaussians([0.25; 4])?;
    let sampled = sample_points(&Mixture::new(&measure)?, 200, repeat, &Silent)?;
    let partition = Partition::from_integers(&sampled.labels)?;
    Ok(Observations { values: sampled.values, truth: Some(Truth { partition, measure }), prior: Prior::SIMULATION })
}

/// Old Faithful, from the project's data sets.
pub fn old_faithful() -> Observations {
    let numbers = include_str!("../../datasets/faithful.csv").lines().skip(1).flat_map(|line| line.split(','));
    let values = numbers.map(|text| text.trim().parse().expect("the data set holds numbers")).collect();
    Observations { values, truth: None, prior: Prior::FAITHFUL }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_have_the_published_sizes_and_repeats_differ() {
        assert_eq!(old_faithful().values.len(), 272 * DIM);
        let (a, b) = (simulated(0).unwrap(), simulated(1).unwrap());
        assert_eq!(a.values.len(), 200 * DIM);
        assert_ne!(a.values, b.values);
        assert_eq!(a.truth.unwrap().partition.clusters(), 4);
    }

    #[test]
    fn stick_fractions_become_the_weights_of_table_2() {
        let mut rest = 1.0;
        let broken: Vec<f64> = (0..4)
            .map(|_| {
                rest *= 0.75;
                rest / 3.0
            })
            .collect();
        assert_eq!(broken, STICK_WEIGHTS);
        let shown: Vec<String> =
            four_gaussians(STICK_WEIGHTS).unwrap().weights().iter().map(|w| format!("{w:.3}")).collect();
        assert_eq!(shown, ["0.366", "0.274", "0.206", "0.154"]);
    }
}
