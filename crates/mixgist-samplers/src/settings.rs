//! What the user asks for: mixing prior, component, algorithm, and how long to run.

use mixgist::text::option;
use mixgist::{Error, Result, Text, text};

use crate::mixing::{Concentration, MixingPrior};

/// How the covariance of a component varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CovarianceModel {
    /// Every component has its own full covariance: (μ, Σ) ~ NIW(μ0, λ, Ψ, ν).
    #[default]
    Full,
    /// Every component has its own diagonal covariance: in each coordinate j, (μ_j, σ_j²) ~ NIW(μ0_j, λ, Ψ_jj, ν) in dimension 1.
    Diagonal,
    /// All components share one covariance, Σ ~ IW(ν, Ψ), μ_k given Σ ~ N(μ0, Σ/λ): a location mixture.
    Common,
}

impl CovarianceModel {
    /// Every model, with the name that options use.
    pub const NAMES: [(&'static str, CovarianceModel); 3] =
        [("full", Self::Full), ("diagonal", Self::Diagonal), ("common", Self::Common)];

    /// The model of that name.
    pub fn from_name(name: &str) -> Result<Self> {
        named("covariance model", name, &Self::NAMES)
    }
}

/// The scale matrix Ψ of the inverse-Wishart prior, as it is given.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scale {
    /// The diagonal of Ψ, the rest being 0.
    Diagonal(Vec<f64>),
    /// The whole matrix, d × d row-major.
    Full(Vec<f64>),
}

/// Whether the scales λ, Ψ and ν of the components' prior are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ScaleChoice {
    /// Learned from three dimensions on, fixed in one and two. With many dimensions the spread of the data says little about how wide clusters are, and
    /// chains whose prior expects them too wide stay in modes of their own.
    #[default]
    Auto,
    /// Those that are not given are chosen from the spread of the data and stay as they are.
    Fixed,
    /// Those that are not given have distributions of their own, about what `fixed` would choose, and are drawn with everything else.
    Learned,
}

impl ScaleChoice {
    /// Every choice, with the name that options use.
    pub const NAMES: [(&'static str, ScaleChoice); 3] =
        [("auto", Self::Auto), ("fixed", Self::Fixed), ("learned", Self::Learned)];

    /// Whether scales are learned in this dimension.
    pub fn learns(self, dim: usize) -> bool {
        match self {
            Self::Auto => dim > 2,
            Self::Fixed => false,
            Self::Learned => true,
        }
    }

    /// The choice of that name.
    pub fn from_name(name: &str) -> Result<Self> {
        named("choice of scales", name, &Self::NAMES)
    }
}

/// Parameters of the component prior; what is `None` is chosen from the data, or learned ([`ScaleChoice`]): a cluster is then expected to be about half as wide
/// as the data, and the centres of clusters to spread somewhat wider than the data.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ComponentPrior {
    /// How the covariance varies between components.
    pub covariance: CovarianceModel,
    /// Prior mean μ0 of a component's mean; by default the mean of the data.
    pub mu0: Option<Vec<f64>>,
    /// Prior strength λ of μ0, in data points; by default 0.1.
    pub lambda: Option<f64>,
    /// Scale Ψ of the covariance; by default a quarter of the variances of the data, on the diagonal.
    pub psi: Option<Scale>,
    /// Degrees of freedom ν of the covariance; by default d + 2 (3 for [`CovarianceModel::Diagonal`]).
    pub nu: Option<f64>,
    /// Whether those of λ, Ψ and ν that are not given are learned.
    #[serde(default = "before_learning")]
    pub scales: ScaleChoice,
}

/// Fits that say nothing of scales are older than learned ones.
fn before_learning() -> ScaleChoice {
    ScaleChoice::Fixed
}

/// How many sticks the blocked sampler keeps.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Truncation {
    /// This number K of sticks.
    At(usize),
    /// The smallest K whose expected weight beyond stick K − 1 is below the tolerance: for the Dirichlet process
    /// (α/(1 + α))^{K−1}. What the prior expects can be too few for the data: during the burn-in each chain doubles K while more than half
    /// of its sticks are occupied.
    Auto {
        /// The tolerance.
        tolerance: f64,
    },
}

/// The Markov chain.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Algorithm {
    /// Blocked Gibbs with truncated stick-breaking, the last stick taking what is left. The stick positions of the
    /// clusters are redrawn in every sweep, so that no cluster gets stuck at a position.
    Blocked {
        /// The number of sticks; a finite mixture has its own and ignores it.
        truncation: Truncation,
    },
    /// Slice sampling: no truncation; in each sweep as many sticks as the slice variables ask for.
    Slice,
    /// Marginal (collapsed) Gibbs: weights and atoms are integrated out; draws of G are imputed given the partition.
    Marginal,
}

impl Algorithm {
    /// Every algorithm with its usual options, with the name that options use.
    pub const NAMES: [(&'static str, Algorithm); 3] = [
        ("blocked", Self::Blocked { truncation: Truncation::Auto { tolerance: 1e-8 } }),
        ("slice", Self::Slice),
        ("marginal", Self::Marginal),
    ];

    /// The algorithm of that name, with its usual options.
    pub fn from_name(name: &str) -> Result<Self> {
        named("algorithm", name, &Self::NAMES)
    }

    /// The same with that many sticks, if it has sticks and a number is given.
    #[must_use]
    pub fn with_sticks(self, sticks: Option<usize>) -> Self {
        match (self, sticks) {
            (Self::Blocked { .. }, Some(sticks)) => Self::Blocked { truncation: Truncation::At(sticks) },
            (other, _) => other,
        }
    }
}

fn named<T: Copy>(what: &str, name: &str, names: &[(&str, T)]) -> Result<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        Error::usage(format!("unknown {what} '{name}'")).hint(format!("one of: {}", known.join(", ")))
    })
}

/// Everything that a fit depends on besides the data. `FitSettings::default()` is a Dirichlet process mixture of normals with α = 1.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct FitSettings {
    /// The distribution of the weights.
    pub prior: MixingPrior,
    /// The concentration α of that prior.
    pub concentration: Concentration,
    /// The components.
    pub component: ComponentPrior,
    /// The Markov chain.
    pub algorithm: Algorithm,
    /// The slice and marginal samplers impute the unoccupied part of G stick by stick until less than this weight is left;
    /// the last stick takes it.
    pub remainder: f64,
    /// Number of chains.
    pub chains: u32,
    /// Iterations of each chain, burn-in included.
    pub iterations: u64,
    /// Iterations at the beginning that are dropped.
    pub burn_in: u64,
    /// Of the others, every `thin`-th is kept.
    pub thin: u64,
    /// Chain c is a function of the data, the other settings and (seed, c).
    pub seed: u64,
}

impl Default for FitSettings {
    fn default() -> Self {
        FitSettings {
            prior: MixingPrior::DirichletProcess,
            concentration: Concentration::Fixed(1.0),
            component: ComponentPrior::default(),
            algorithm: Algorithm::NAMES[0].1,
            remainder: 1e-6,
            chains: 4,
            iterations: 2000,
            burn_in: 1000,
            thin: 1,
            seed: 0,
        }
    }
}

mixgist::setters! {
    FitSettings {
        with_prior: prior: MixingPrior, "this distribution of the weights";
        with_concentration: concentration: Concentration, "this concentration";
        with_component: component: ComponentPrior, "these components";
        with_algorithm: algorithm: Algorithm, "this Markov chain";
        with_remainder: remainder: f64, "this weight left to the last stick";
        with_chains: chains: u32, "this number of chains";
        with_iterations: iterations: u64, "this number of iterations per chain";
        with_burn_in: burn_in: u64, "this number of iterations dropped at the beginning";
        with_thin: thin: u64, "every `thin`-th of the others kept";
        with_seed: seed: u64, "this seed";
    }
}

impl FitSettings {
    /// What fronts run unless told otherwise: longer chains than the default, of which every fourth draw is kept.
    pub fn usual() -> Self {
        FitSettings::default().with_iterations(5000).with_burn_in(1000).with_thin(4)
    }

    /// Draws that each chain keeps.
    pub fn draws_per_chain(&self) -> u64 {
        self.iterations.saturating_sub(self.burn_in) / self.thin.max(1)
    }

    /// Refuses values that make no sense whatever the data are.
    pub fn check(&self) -> Result<()> {
        check_mixing(self.prior, self.concentration)?;
        if let Some(lambda) = self.component.lambda {
            check_size("lambda", lambda)?;
        }
        match self.algorithm {
            Algorithm::Blocked { truncation: Truncation::At(0) } => {
                return Err(Error::usage("truncation is 0, must be at least 1 stick"));
            }
            Algorithm::Blocked { truncation: Truncation::At(sticks) } if sticks > MAX_STICKS => {
                return Err(Error::usage(format!("truncation is {sticks}, at most {MAX_STICKS} sticks are possible")));
            }
            Algorithm::Blocked { truncation: Truncation::Auto { tolerance } }
                if !(tolerance > 0.0 && tolerance < 1.0) =>
            {
                return Err(Error::usage(format!(
                    "tolerance of the truncation is {tolerance}, must be between 0 and 1"
                )));
            }
            _ => {}
        }
        if !(self.remainder > 0.0 && self.remainder < 1.0) {
            return Err(Error::usage(format!("remainder is {}, must be between 0 and 1", self.remainder)));
        }
        if self.chains == 0 || self.chains > 10_000 {
            return Err(Error::usage(format!("{} chains, must be 1 to 10000", self.chains)));
        }
        if self.thin == 0 {
            return Err(Error::usage("thin is 0, must be at least 1 (1 keeps every iteration)"));
        }
        if self.iterations >= 1 << 40 {
            return Err(Error::usage(format!("{} iterations, must be below 2^40", self.iterations)));
        }
        if self.draws_per_chain() == 0 {
            return Err(Error::usage(format!(
                "no draw would be kept: {} iterations, of which {} are burn-in, thinned by {}",
                self.iterations, self.burn_in, self.thin
            ))
            .hint(text![
                "burn-in counts as part of the iterations: give more of them, or ",
                option("burn_in", self.iterations / 4),
                " with ",
                option("thin", 1)
            ]));
        }
        Ok(())
    }
}

/// Refuses mixing priors and concentrations that are none.
pub(crate) fn check_mixing(prior: MixingPrior, concentration: Concentration) -> Result<()> {
    match prior {
        MixingPrior::PitmanYor { discount } if !(0.0..1.0).contains(&discount) => {
            return Err(Error::usage(format!("discount is {discount}, must be at least 0 and below 1")));
        }
        MixingPrior::Finite { components: 0 } => {
            return Err(Error::usage("a finite mixture needs at least 1 component"));
        }
        MixingPrior::Finite { components } if components > MAX_STICKS => {
            return Err(Error::usage(format!("{components} components, at most {MAX_STICKS} are possible")));
        }
        _ => {}
    }
    match concentration {
        Concentration::Fixed(alpha) => {
            let sigma = prior.discount();
            if alpha <= -sigma || alpha.is_nan() {
                return Err(Error::usage(format!("concentration is {alpha}, must be above {}", 0.0 - sigma)));
            }
            check_size("concentration plus discount", alpha + sigma)?;
        }
        Concentration::Gamma { shape, rate } => {
            check_size("shape of the concentration's Gamma prior", shape)?;
            check_size("rate of the concentration's Gamma prior", rate)?;
        }
    }
    Ok(())
}

/// Refuses sizes that are not positive, or so extreme that products of them leave the range of numbers.
pub(crate) fn check_size(name: impl Into<Text>, value: f64) -> Result<()> {
    if (1e-100..=1e100).contains(&value) {
        return Ok(());
    }
    Err(Error::usage(name.into().then(format!(" is {value:?}, must be between 1e-100 and 1e100"))))
}

/// More sticks than this in one draw are refused.
pub(crate) const MAX_STICKS: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_nonsense_is_named() {
        FitSettings::default().check().unwrap();
        let message = |change: fn(&mut FitSettings)| {
            let mut settings = FitSettings::default();
            change(&mut settings);
            settings.check().unwrap_err().to_string()
        };
        assert!(message(|s| s.prior = MixingPrior::PitmanYor { discount: 1.0 }).contains("discount is 1"));
        assert!(message(|s| s.prior = MixingPrior::Finite { components: 0 }).contains("at least 1 component"));
        assert!(message(|s| s.concentration = Concentration::Fixed(0.0)).contains("concentration is 0"));
        assert!(message(|s| s.concentration = Concentration::Gamma { shape: 1.0, rate: f64::NAN }).contains("rate"));
        assert!(message(|s| s.component.lambda = Some(-1.0)).contains("lambda is -1.0"));
        assert!(
            message(|s| s.algorithm = Algorithm::Blocked { truncation: Truncation::At(0) }).contains("truncation is 0")
        );
        assert!(message(|s| s.thin = 0).contains("thin is 0"));
        assert!(message(|s| s.chains = 0).contains("0 chains"));
        assert!(message(|s| s.burn_in = 2000).contains("no draw would be kept"));
        assert!(message(|s| s.remainder = 0.0).contains("remainder is 0"));
        assert!(
            Algorithm::from_name("gibbs")
                .unwrap_err()
                .hint_text()
                .unwrap()
                .to_string()
                .contains("blocked, slice, marginal")
        );
    }
}
