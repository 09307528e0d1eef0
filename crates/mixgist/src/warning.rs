//! Warnings: what a reader of the answer should know, each with the option that helps. They are data; fronts print them.

use std::fmt;

use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::agreement::{Agreement, ChainVerdict};
use crate::data_check::DataCheck;
use crate::effective::Origin;
use crate::ensemble::Ensemble;
use crate::prune::Pruned;
use crate::settings::{Settings, SliceCount};
use crate::text;
use crate::text::{Index, OptionValue, Text, index, named, option, verb};
use crate::units::ResolvedUnits;

/// Something that limits how far the answer can be trusted.
///
/// In documents it has its name and its numbers, a sentence (`message`), what helps (`advice`) and the options that help (`remedies`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "name", rename_all = "kebab-case", remote = "Self")]
#[non_exhaustive]
pub enum Warning {
    /// The winner and the draw that is hardest to tell from it differ by a notable part of the credible ball and cannot be told apart with this many slices.
    TooFewSlices {
        /// The draw that is hardest to tell from it.
        #[schemars(with = "Index")]
        runner_up: usize,
        /// Its distance behind, in standard errors over slices and draws.
        separation: f64,
        /// Its distance from the winner, in radii of the ball; null when the radius is 0.
        #[serde(default = "unknown", with = "crate::document::infinite_is_null")]
        #[schemars(with = "Option<f64>")]
        radii: f64,
        /// The number of slices.
        slices: usize,
        /// Where they come from.
        origin: SliceOrigin,
    },
    /// The winner and the draw that is hardest to tell from it differ by a notable part of the credible ball, and with this posterior sample either could be the better.
    NearTie {
        /// The draw that is hardest to tell from it.
        #[schemars(with = "Index")]
        runner_up: usize,
        /// Its distance behind, in standard errors over slices and draws.
        separation: f64,
        /// Its distance from the winner, in radii of the ball; null when the radius is 0.
        #[serde(default = "unknown", with = "crate::document::infinite_is_null")]
        #[schemars(with = "Option<f64>")]
        radii: f64,
    },
    /// There is one independent group of slices, so no error can be given.
    NoSliceError {
        /// The number of slices.
        slices: usize,
        /// Where they come from.
        origin: SliceOrigin,
    },
    /// `auto` ended at its cap before the expected loss was known as well as it asks for.
    SlicesCapped {
        /// The number of slices.
        slices: usize,
        /// Standard error of the expected loss over slices, as a part of it.
        accuracy: f64,
    },
    /// Winner and runner-up have the same expected loss, so that no slices will tell them apart.
    Tied {
        /// The chosen draw.
        #[schemars(with = "Index")]
        draw: usize,
        /// The other one.
        #[schemars(with = "Index")]
        runner_up: usize,
    },
    /// Coordinates have very different scales, so the choice depends on the units.
    UnequalUnits {
        /// Scale of each coordinate.
        scales: Vec<f64>,
    },
    /// Atoms were dropped beyond rounding, as asked for.
    MassPruned {
        /// What was done.
        pruned: Pruned,
    },
    /// Weights did not sum to 1.
    WeightsRenormalized {
        /// The largest |sum − 1|.
        correction: f64,
    },
    /// The estimate can be no better than the best of these few draws.
    FewDraws {
        /// The number of draws.
        draws: usize,
    },
    /// Chains of which no draw is left.
    ChainsLost {
        /// The chains.
        chains: Vec<u32>,
    },
    /// Importance weights leave few draws that count.
    FewEffectiveDraws {
        /// (Σ w)² / Σ w².
        effective: f64,
        /// The number of draws.
        draws: usize,
    },
    /// A covariance is so long and thin that distances and densities lose digits.
    IllConditioned {
        /// The draw.
        #[schemars(with = "Index")]
        draw: usize,
        /// The atom within it.
        #[schemars(with = "Index")]
        atom: usize,
        /// Largest eigenvalue over smallest.
        condition: f64,
    },
    /// The choice of the number of atoms fell at the end of the path.
    PathEnds {
        /// The most atoms that were tried.
        atoms: usize,
    },
    /// Atoms of a free-support estimate lie where almost no draw has a component.
    AtomsWithoutDraws {
        /// How many.
        atoms: usize,
        /// Of so many.
        of: usize,
        /// Their weight.
        weight: f64,
    },
    /// The loss asks for atoms that the draws do not have, and `auto` took fewer.
    AtomsRefused {
        /// How many atoms would have been chosen by the loss alone.
        atoms: usize,
        /// The part of their mass that lies where almost no draw has a component.
        weight: f64,
        /// How much lower their held-out expected loss is, as a part of that of the chosen estimate.
        gain: f64,
        /// How many atoms were chosen.
        chosen: usize,
    },
    /// The variances of the draws are probably standard deviations.
    DeviationsAsVariances {
        /// How much higher the mean log density of the data is if they are.
        gain: f64,
    },
    /// The data are not on the scale of the draws, so that labels and densities mean nothing.
    DataOffScale {
        /// What was compared.
        check: DataCheck,
    },
    /// Each chain stays in a part of the posterior of its own.
    ChainsDisagree {
        /// What they differ in most: a function of the draws.
        trace: String,
        /// R-hat of it; infinite when it is constant in each chain, and then written as null.
        #[serde(with = "crate::document::infinite_is_null")]
        #[schemars(with = "Option<f64>")]
        rhat: f64,
        /// Its mean, by chain.
        means: Vec<(u32, f64)>,
    },
    /// The chains mix slowly: their effective sample size is small.
    SlowChains {
        /// The function of the draws that mixes worst.
        trace: String,
        /// Its R-hat.
        #[serde(with = "crate::document::infinite_is_null")]
        #[schemars(with = "Option<f64>")]
        rhat: f64,
        /// Its effective sample size.
        ess: f64,
        /// By what factor the chains should be longer.
        longer_by: f64,
    },
    /// A warning of a document whose schema version held the sentences alone.
    Recorded {
        /// Its name.
        of: String,
        /// What is the matter.
        sentence: String,
        /// What helps.
        help: String,
    },
}

/// Documents of before do not have it.
fn unknown() -> f64 {
    f64::INFINITY
}

/// The fields that documents have besides those of a variant.
struct Told<'a>(&'a Warning);

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let advice = self.0.advice();
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("message", &self.0.to_string())?;
        map.serialize_entry("advice", &advice.to_string())?;
        map.serialize_entry("remedies", &advice.options().collect::<Vec<&OptionValue>>())?;
        map.end()
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'a> {
            #[serde(flatten, serialize_with = "Warning::serialize")]
            data: &'a Warning,
            #[serde(flatten)]
            told: Told<'a>,
        }
        Whole { data: self, told: Told(self) }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Warning {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Warning::deserialize(deserializer)
    }
}

/// Where the slices of a choice come from, and so how there can be more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SliceOrigin {
    /// A number was asked for, or none.
    Fixed,
    /// `auto` ended at its cap.
    Auto,
    /// Directions, or slices of the caller's own, were given.
    Given,
}

impl SliceOrigin {
    pub(crate) fn of(settings: &Settings) -> Self {
        match (&settings.directions, settings.slices) {
            (Some(_), _) => SliceOrigin::Given,
            (None, SliceCount::Fixed(_)) => SliceOrigin::Fixed,
            (None, SliceCount::Auto { .. }) => SliceOrigin::Auto,
        }
    }

    /// How to get `more` slices.
    fn more(self, more: usize) -> Text {
        let slices = option("slices", more);
        match self {
            SliceOrigin::Given => text!["give more directions of your own"],
            SliceOrigin::Fixed if more < SliceCount::DEFAULT_CAP => {
                text!["use more slices: ", slices, ", or ", option("slices", "auto")]
            }
            SliceOrigin::Fixed | SliceOrigin::Auto => text!["use more slices: ", slices],
        }
    }
}

/// Scales that differ by more than this factor are pointed out.
const UNEQUAL_SCALES: f64 = 5.0;

/// Fewer draws than this are pointed out.
const FEW_DRAWS: usize = 100;

impl Warning {
    /// What limits everything that is said about the posterior: what there is to say about the draws, and whether their chains agree.
    pub(crate) fn of_distances(ensemble: &Ensemble, distances: &[f64]) -> Vec<Warning> {
        let mut warnings = Self::of_draws(ensemble);
        warnings.extend(Self::of_chains(ensemble, &Agreement::new(ensemble, Some(distances))));
        warnings
    }

    /// What the verdict on the chains asks to say. Few draws have a warning of their own.
    pub(crate) fn of_chains(ensemble: &dyn Origin, agreement: &Agreement) -> Option<Warning> {
        let worst = agreement.worst()?;
        let (trace, rhat) = (worst.name.to_string(), worst.convergence.map_or(f64::INFINITY, |c| c.rhat));
        match agreement.verdict {
            ChainVerdict::Disagree => Some(Warning::ChainsDisagree { trace, rhat, means: worst.means.clone() }),
            ChainVerdict::Slow if ensemble.draws() >= FEW_DRAWS => {
                let slowest = agreement.slowest()?;
                Some(Warning::SlowChains {
                    trace: slowest.name.to_string(),
                    rhat: slowest.convergence?.rhat,
                    ess: slowest.convergence?.bulk_ess,
                    longer_by: agreement.longer_by().unwrap_or(1.0),
                })
            }
            _ => None,
        }
    }

    /// What can be said about the draws before anything is computed from them.
    pub(crate) fn of_draws(ensemble: &dyn Origin) -> Vec<Warning> {
        let mut warnings = Vec::new();
        // Files of six digits, such as those of Stan, are off by a few 1e-6.
        if ensemble.renormalization() > 1e-5 {
            warnings.push(Warning::WeightsRenormalized { correction: ensemble.renormalization() });
        }
        if !ensemble.lost_chains().is_empty() {
            warnings.push(Warning::ChainsLost { chains: ensemble.lost_chains().to_vec() });
        }
        if ensemble.draws() < FEW_DRAWS {
            warnings.push(Warning::FewDraws { draws: ensemble.draws() });
        }
        if let Some(weights) = ensemble.draw_weights() {
            let effective = weights.iter().map(|w| w * w).sum::<f64>().recip();
            if effective < FEW_DRAWS as f64 && effective < 0.5 * ensemble.draws() as f64 {
                warnings.push(Warning::FewEffectiveDraws { effective, draws: ensemble.draws() });
            }
        }
        warnings
    }

    pub(crate) fn unequal_units(units: &ResolvedUnits) -> Option<Warning> {
        (units.imbalance() > UNEQUAL_SCALES).then(|| Warning::UnequalUnits { scales: units.scales.clone() })
    }

    /// A short name for machines.
    pub fn name(&self) -> &str {
        match self {
            Warning::TooFewSlices { .. } => "too-few-slices",
            Warning::NearTie { .. } => "near-tie",
            Warning::NoSliceError { .. } => "no-slice-error",
            Warning::SlicesCapped { .. } => "slices-capped",
            Warning::Tied { .. } => "tied",
            Warning::UnequalUnits { .. } => "unequal-units",
            Warning::MassPruned { .. } => "mass-pruned",
            Warning::WeightsRenormalized { .. } => "weights-renormalized",
            Warning::FewDraws { .. } => "few-draws",
            Warning::ChainsLost { .. } => "chains-lost",
            Warning::FewEffectiveDraws { .. } => "few-effective-draws",
            Warning::IllConditioned { .. } => "ill-conditioned",
            Warning::PathEnds { .. } => "path-ends",
            Warning::AtomsWithoutDraws { .. } => "atoms-without-draws",
            Warning::AtomsRefused { .. } => "atoms-refused",
            Warning::DeviationsAsVariances { .. } => "deviations-as-variances",
            Warning::DataOffScale { .. } => "data-off-scale",
            Warning::ChainsDisagree { .. } => "chains-disagree",
            Warning::SlowChains { .. } => "slow-chains",
            Warning::Recorded { of, .. } => of,
        }
    }

    /// What helps.
    pub fn advice(&self) -> Text {
        match self {
            Warning::TooFewSlices { slices, origin, .. } => origin.more(slices.saturating_mul(4)),
            Warning::NoSliceError { slices, origin } => origin.more(slices.saturating_mul(4).max(SliceCount::PLENTY)),
            Warning::SlicesCapped { slices, .. } => SliceOrigin::Auto.more(slices.saturating_mul(4)),
            Warning::Tied { .. } => text!["take either of them, or give more posterior draws"],
            Warning::ChainsLost { .. } => {
                text!["use a smaller ", named("burn_in"), ", or leave the chain out on purpose"]
            }
            Warning::NearTie { .. } => {
                text![
                    "give more posterior draws, or report both; ",
                    verb("representatives"),
                    " says whether they are of one mode"
                ]
            }
            Warning::UnequalUnits { .. } => {
                text![
                    "use ",
                    option("units", "sd"),
                    ", or ",
                    option("units", "whiten"),
                    ", unless these units are intended"
                ]
            }
            Warning::MassPruned { .. } => text!["leave out ", named("prune"), " to keep all atoms that matter"],
            Warning::WeightsRenormalized { .. } => {
                text!["check that these are the weights of one draw, truncated as intended"]
            }
            Warning::FewDraws { .. } => text!["give more posterior draws"],
            Warning::FewEffectiveDraws { .. } => text!["resample, or run the sampler longer"],
            Warning::IllConditioned { .. } => {
                text!["look at that atom: a coordinate may be constant, or its prior too wide"]
            }
            Warning::PathEnds { .. } => text![
                "ask for a larger number of atoms: ",
                named("atoms"),
                ", or take the medoid: ",
                option("estimate", "medoid")
            ],
            Warning::AtomsRefused { atoms, .. } => text![
                "for the estimate of least loss all the same, ask for its number of atoms: ",
                option("atoms", atoms),
                "; for components that the draws have: ",
                option("estimate", "aligned")
            ],
            Warning::DeviationsAsVariances { .. } => {
                text!["if they are, read them as such: ", option("covariance_form", "sd")]
            }
            Warning::DataOffScale { .. } => text!["give the data in the form in which the model was fitted"],
            Warning::AtomsWithoutDraws { .. } => text![
                "for components that the draws have: ",
                option("estimate", "aligned"),
                ", for densities the medoid: ",
                option("estimate", "medoid"),
                "; ",
                verb("components"),
                " shows what the draws have"
            ],
            Warning::ChainsDisagree { .. } => text![
                "look at each chain separately; ",
                verb("representatives"),
                " says whether their modes can be told apart. A simpler model, other starting values or another sampler may help; more iterations alone probably not"
            ],
            Warning::SlowChains { longer_by, .. } => {
                format!("run the chains some {} times as long", longer_by.ceil()).into()
            }
            Warning::Recorded { help, .. } => help.as_str().into(),
        }
    }
}

/// "2.3 standard errors".
fn standard_errors(separation: f64) -> String {
    if separation < 0.05 { "less than 0.1 standard errors".into() } else { format!("{separation:.1} standard errors") }
}

/// "1 draw", "3 draws".
fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

impl Warning {
    /// The warning as a sentence.
    pub fn message(&self) -> Text {
        match self {
            Warning::TooFewSlices { runner_up, separation, radii, slices, origin } => text![
                count(*slices, "slice"),
                if *origin == SliceOrigin::Auto { ", the most that auto takes," } else { "" },
                " cannot tell the chosen draw from draw ",
                index(*runner_up),
                format!(
                    ", which is {} behind and {radii:.2} radii of the credible ball away",
                    standard_errors(*separation)
                )
            ],
            Warning::NearTie { runner_up, separation, radii } => text![
                "draw ",
                index(*runner_up),
                format!(
                    " may be as good as the chosen draw ({} behind, and most of that error is over draws) and differs from it by {radii:.2} \
                     radii of the credible ball",
                    standard_errors(*separation)
                )
            ],
            Warning::NoSliceError { slices, .. } => {
                let verb = if *slices == 1 { "gives" } else { "give" };
                format!("{} {verb} no standard error, so the choice cannot be judged", count(*slices, "slice")).into()
            }
            Warning::SlicesCapped { slices, accuracy } => format!("auto stopped at its cap of {}: the standard error of the expected loss is {:.1} % of it, not 1 %",
                count(*slices, "slice"),
                100.0 * accuracy
            ).into(),
            Warning::Tied { draw, runner_up } => text![
                "draw ",
                index(*draw),
                " and draw ",
                index(*runner_up),
                " are tied: their expected losses are the same, and no slices will separate them"
            ],
            Warning::UnequalUnits { scales } => {
                let scales: Vec<String> = scales.iter().map(|s| format!("{s:.3}")).collect();
                format!("coordinates have scales {}: the chosen draw may depend on the units of measurement",
                    scales.join(", ")
                ).into()
            }
            Warning::MassPruned { pruned } => format!("{} atoms were pruned (at most {:.1e} of a draw's mass); no transport cost changed by more than {:.1e}",
                pruned.atoms, pruned.mass, pruned.cost_bound
            ).into(),
            Warning::WeightsRenormalized { correction } => {
                format!("the weights of a draw were off 1 by up to {correction:.2e} and were scaled").into()
            }
            Warning::FewDraws { draws: 1 } => "only 1 draw: it is the estimate".into(),
            Warning::FewDraws { draws } => format!("only {draws} draws stand for the posterior").into(),
            Warning::ChainsLost { chains } => {
                let names: Vec<String> = chains.iter().map(u32::to_string).collect();
                let noun = if chains.len() == 1 { "chain" } else { "chains" };
                format!("no draw of {noun} {} is left after the burn-in", names.join(", ")).into()
            }
            Warning::FewEffectiveDraws { effective, draws } => {
                format!("the importance weights leave an effective sample size of {effective:.1} of {draws} draws").into()
            }
            Warning::IllConditioned { draw, atom, condition } => text![
                "the covariance of draw ",
                index(*draw),
                ", atom ",
                index(*atom),
                format!(" has condition number {condition:.1e}")
            ],
            Warning::PathEnds { atoms } => {
                format!("the loss still decreases at {atoms} atoms, the largest number that auto tries").into()
            }
            Warning::AtomsWithoutDraws { atoms, of, weight } => format!("{atoms} of {of} atoms, {:.1} % of the mass, lie where almost no draw has a component, as between components whose weights \
                 are uncertain",
                100.0 * weight
            ).into(),
            Warning::AtomsRefused { atoms, weight, gain, chosen } => format!("the loss asks for {atoms} atoms and would be {:.1} % lower, but {:.1} % of their mass lies where almost no draw has a \
                 component: auto took {chosen}",
                100.0 * gain,
                100.0 * weight
            ).into(),
            Warning::DeviationsAsVariances { gain } => format!("the variances of the draws look like standard deviations: taken for those, the mean log density of the data is {gain:.2} higher"
            ).into(),
            Warning::DataOffScale { check } => check.message(),
            Warning::ChainsDisagree { trace, rhat, means } => {
                let means: Vec<String> = means.iter().map(|(chain, mean)| format!("{chain}: {mean:.3}")).collect();
                let rhat = if rhat.is_finite() { format!("R-hat {rhat:.2}") } else { "R-hat infinite".into() };
                format!(
                    "the chains disagree: they stay in different parts of the posterior ({trace}: {rhat}; means by chain {})",
                    means.join(", ")
                )
                .into()
            }
            Warning::SlowChains { trace, rhat, ess, .. } => {
                format!("the chains mix slowly: {trace} has R-hat {rhat:.2} and an effective sample size of {ess:.0}").into()
            }
            Warning::Recorded { sentence, .. } => sentence.as_str().into(),
        }
    }
}

impl fmt::Display for Warning {
    /// In the neutral spelling of documents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message())
    }
}
