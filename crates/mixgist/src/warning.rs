//! Warnings: what a reader of the answer should know, each with the option that helps. They are data; fronts print them.

use std::fmt;

use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::ensemble::Ensemble;
use crate::prune::Pruned;
use crate::settings::{Settings, SliceCount};
use crate::text;
use crate::text::{OptionValue, Text, named, option, verb};
use crate::units::ResolvedUnits;

/// Something that limits how far the answer can be trusted.
///
/// In documents it has its name and its numbers, a sentence (`message`), what helps (`advice`) and the options that help (`remedies`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "name", rename_all = "kebab-case", remote = "Self")]
#[non_exhaustive]
pub enum Warning {
    /// Winner and runner-up cannot be told apart with this many slices.
    TooFewSlices {
        /// The second-best draw.
        runner_up: usize,
        /// Its distance behind, in standard errors.
        separation: f64,
        /// The number of slices.
        slices: usize,
        /// Where they come from.
        origin: SliceOrigin,
    },
    /// There is one independent group of slices, so no error can be given.
    NoSliceError {
        /// The number of slices.
        slices: usize,
        /// Where they come from.
        origin: SliceOrigin,
    },
    /// Winner and runner-up have the same expected loss, so that no slices will tell them apart.
    Tied {
        /// The chosen draw.
        draw: usize,
        /// The other one.
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
        draw: usize,
        /// The atom within it.
        atom: usize,
        /// Largest eigenvalue over smallest.
        condition: f64,
    },
    /// The choice of the number of atoms fell at the end of the path.
    PathEnds {
        /// The most atoms that were tried.
        atoms: usize,
    },
    /// Atoms of a free-support estimate stand where hardly a draw has a component.
    AtomsWithoutDraws {
        /// How many.
        atoms: usize,
        /// Of so many.
        of: usize,
        /// Their weight.
        weight: f64,
    },
    /// The chains are at different distances from the estimate.
    ChainsDisagree {
        /// Mean distance to the estimate, by chain.
        distances: Vec<(u32, f64)>,
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
    /// What limits everything that is said about the posterior: what there is to say about the draws, and whether their chains agree by
    /// the draws' distances from an estimate.
    pub(crate) fn of_distances(ensemble: &Ensemble, distances: &[f64]) -> Vec<Warning> {
        let mut warnings = Self::of_draws(ensemble);
        warnings.extend(chains_disagree(ensemble, distances));
        warnings
    }

    /// What can be said about the draws before anything is computed from them.
    pub(crate) fn of_draws(ensemble: &Ensemble) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if ensemble.renormalization() > 1e-6 {
            warnings.push(Warning::WeightsRenormalized { correction: ensemble.renormalization() });
        }
        if !ensemble.lost_chains().is_empty() {
            warnings.push(Warning::ChainsLost { chains: ensemble.lost_chains().to_vec() });
        }
        if ensemble.len() < FEW_DRAWS {
            warnings.push(Warning::FewDraws { draws: ensemble.len() });
        }
        if let Some(weights) = ensemble.draw_weights() {
            let effective = weights.iter().map(|w| w * w).sum::<f64>().recip();
            if effective < FEW_DRAWS as f64 && effective < 0.5 * ensemble.len() as f64 {
                warnings.push(Warning::FewEffectiveDraws { effective, draws: ensemble.len() });
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
            Warning::NoSliceError { .. } => "no-slice-error",
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
            Warning::ChainsDisagree { .. } => "chains-disagree",
            Warning::Recorded { of, .. } => of,
        }
    }

    /// What helps.
    pub fn advice(&self) -> Text {
        match self {
            Warning::TooFewSlices { slices, origin, .. } => origin.more(slices.saturating_mul(4)),
            Warning::NoSliceError { slices, origin } => origin.more(slices.saturating_mul(4).max(SliceCount::PLENTY)),
            Warning::Tied { .. } => text!["take either of them, or give more posterior draws"],
            Warning::ChainsLost { .. } => {
                text!["use a smaller ", named("burn_in"), ", or leave the chain out on purpose"]
            }
            Warning::UnequalUnits { .. } => {
                text![
                    "use ",
                    option("units", "sd"),
                    ", or ",
                    option("units", "whiten"),
                    ", unless these units are meant"
                ]
            }
            Warning::MassPruned { .. } => text!["leave out ", named("prune"), " to keep all atoms that matter"],
            Warning::WeightsRenormalized { .. } => {
                text!["check that the weights are those of one draw, truncated as meant"]
            }
            Warning::FewDraws { .. } => text!["give more posterior draws"],
            Warning::FewEffectiveDraws { .. } => text!["resample, or run the sampler longer"],
            Warning::IllConditioned { .. } => {
                text!["look at that atom: is a coordinate constant, or its prior too wide?"]
            }
            Warning::PathEnds { .. } => text![
                "ask for a larger number of atoms: ",
                named("atoms"),
                ", or take the medoid: ",
                option("estimate", "medoid")
            ],
            Warning::AtomsWithoutDraws { .. } => text![
                "for densities and components take the medoid: ",
                option("estimate", "medoid"),
                "; ",
                verb("components"),
                " shows what the draws have"
            ],
            Warning::ChainsDisagree { .. } => text!["run the chains longer, or look at each one on its own"],
            Warning::Recorded { help, .. } => help.as_str().into(),
        }
    }
}

/// "1 draw", "3 draws".
fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Means of the chains' distances to the estimate that differ by more than chance would have it even for draws that are worth only a tenth of their
/// number: a coarse check that needs no labels. Half the spread within chains is tolerated.
fn chains_disagree(ensemble: &Ensemble, distances: &[f64]) -> Option<Warning> {
    let mut by_chain = std::collections::BTreeMap::<u32, Vec<f64>>::new();
    for (&chain, &distance) in ensemble.chains().iter().zip(distances) {
        by_chain.entry(chain).or_default().push(distance);
    }
    if by_chain.len() < 2 {
        return None;
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let means: Vec<(u32, f64)> = by_chain.iter().map(|(&chain, x)| (chain, mean(x))).collect();
    let within = by_chain.values().map(|x| x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>()).sum::<f64>()
        / distances.len() as f64;
    let shortest = by_chain.values().map(Vec::len).min().expect("there is a chain") as f64;
    let largest = means.iter().map(|m| m.1).fold(f64::NEG_INFINITY, f64::max);
    let smallest = means.iter().map(|m| m.1).fold(f64::INFINITY, f64::min);
    let chance = 4.0 * (2.0 * within / (shortest / 10.0).max(1.0)).sqrt();
    // Equal chains may differ by the rounding of their means.
    let tolerated = (0.5 * within.sqrt()).max(1e-9 * largest);
    (largest - smallest > chance.max(tolerated)).then_some(Warning::ChainsDisagree { distances: means })
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::TooFewSlices { runner_up, separation, slices, .. } => write!(
                f,
                "{} cannot tell the chosen draw from draw {runner_up}, which is {separation:.1} standard errors behind",
                count(*slices, "slice")
            ),
            Warning::NoSliceError { slices, .. } => {
                let verb = if *slices == 1 { "gives" } else { "give" };
                write!(f, "{} {verb} no standard error, so the choice cannot be judged", count(*slices, "slice"))
            }
            Warning::Tied { draw, runner_up } => write!(
                f,
                "draw {draw} and draw {runner_up} are tied: their expected losses are the same, and no slices will separate them"
            ),
            Warning::UnequalUnits { scales } => {
                let scales: Vec<String> = scales.iter().map(|s| format!("{s:.3}")).collect();
                write!(
                    f,
                    "coordinates have scales {}: the chosen draw depends on the units of measurement",
                    scales.join(", ")
                )
            }
            Warning::MassPruned { pruned } => write!(
                f,
                "{} atoms were pruned (at most {:.1e} of a draw's mass); no transport cost changed by more than {:.1e}",
                pruned.atoms, pruned.mass, pruned.cost_bound
            ),
            Warning::WeightsRenormalized { correction } => {
                write!(f, "the weights of a draw were off 1 by up to {correction:.2e} and were scaled")
            }
            Warning::FewDraws { draws: 1 } => write!(f, "only 1 draw: it is the estimate"),
            Warning::FewDraws { draws } => write!(f, "only {draws} draws: a medoid is one of them"),
            Warning::ChainsLost { chains } => {
                let names: Vec<String> = chains.iter().map(u32::to_string).collect();
                let noun = if chains.len() == 1 { "chain" } else { "chains" };
                write!(f, "no draw of {noun} {} is left after the burn-in", names.join(", "))
            }
            Warning::FewEffectiveDraws { effective, draws } => {
                write!(f, "the importance weights leave an effective sample size of {effective:.1} of {draws} draws")
            }
            Warning::IllConditioned { draw, atom, condition } => {
                write!(f, "the covariance of draw {draw}, atom {atom} has condition number {condition:.1e}")
            }
            Warning::PathEnds { atoms } => {
                write!(f, "the loss still falls at {atoms} atoms, where the path ends: auto tries no more")
            }
            Warning::AtomsWithoutDraws { atoms, of, weight } => write!(
                f,
                "{atoms} of {of} atoms, {:.1} % of the mass, lie where almost no draw has a component: between components whose weights are \
                 uncertain",
                100.0 * weight
            ),
            Warning::ChainsDisagree { distances } => {
                let distances: Vec<String> = distances.iter().map(|(chain, d)| format!("{chain}: {d:.3}")).collect();
                write!(f, "chains lie at different mean distances from the estimate ({})", distances.join(", "))
            }
            Warning::Recorded { sentence, .. } => f.write_str(sentence),
        }
    }
}
