//! Warnings: what a reader of the answer should know, each with the option that helps. They are data; fronts print them.

use std::borrow::Cow;
use std::fmt;

use crate::agreement::{Agreement, ChainVerdict};
use crate::components::atoms_without_draws;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::prune::{Pruned, Pruning};
use crate::select::{ChoiceVerdict, Margin, Medoid};
use crate::summary::{Settings, SliceCount};
use crate::units::{ResolvedUnits, Units};

/// Something that limits how far the answer can be trusted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Winner and runner-up differ by a notable part of the credible ball and cannot be told apart with this many slices.
    TooFewSlices {
        /// The second-best draw.
        runner_up: usize,
        /// Its distance behind, in standard errors over slices and draws.
        separation: f64,
        /// Its distance from the winner, in radii of the ball.
        radii: f64,
        /// The number of slices.
        slices: usize,
        /// Where they come from.
        origin: SliceOrigin,
    },
    /// Winner and runner-up differ by a notable part of the credible ball, and with this posterior sample either could be the better.
    NearTie {
        /// The second-best draw.
        runner_up: usize,
        /// Its distance behind, in standard errors over slices and draws.
        separation: f64,
        /// Its distance from the winner, in radii of the ball.
        radii: f64,
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
    /// Each chain stays in a part of the posterior of its own.
    ChainsDisagree {
        /// What they differ in most: a function of the draws.
        trace: String,
        /// R-hat of it; infinite when it is constant in each chain.
        rhat: f64,
        /// Its mean, by chain.
        means: Vec<(u32, f64)>,
    },
    /// The chains move, but the draws are worth few independent ones.
    SlowChains {
        /// The function of the draws that mixes worst.
        trace: String,
        /// Its R-hat.
        rhat: f64,
        /// Its effective sample size.
        ess: f64,
        /// By what factor the chains should be longer.
        longer_by: f64,
    },
}

/// Where the slices of a choice come from, and so how there can be more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceOrigin {
    /// A number was asked for, or none.
    Fixed,
    /// `auto` ended at its cap.
    Auto,
    /// Directions, or slices of the caller's own, were given.
    Given,
}

impl SliceOrigin {
    fn of(settings: &Settings) -> Self {
        match (&settings.directions, settings.slices) {
            (Some(_), _) => SliceOrigin::Given,
            (None, SliceCount::Fixed(_)) => SliceOrigin::Fixed,
            (None, SliceCount::Auto { .. }) => SliceOrigin::Auto,
        }
    }

    /// How to get `more` slices.
    fn more(self, more: usize) -> Cow<'static, str> {
        match self {
            SliceOrigin::Given => "give more directions of your own".into(),
            SliceOrigin::Fixed if more < SliceCount::DEFAULT_CAP => {
                format!("use more slices (--slices {more}, or --slices auto)").into()
            }
            SliceOrigin::Fixed | SliceOrigin::Auto => format!("use more slices (--slices {more})").into(),
        }
    }
}

/// Scales that differ by more than this factor are pointed out.
const UNEQUAL_SCALES: f64 = 5.0;

/// Atoms without draws are pointed out when they hold this much of the mass.
const NOTABLE_MASS: f64 = 0.05;

/// Fewer draws than this are pointed out.
const FEW_DRAWS: usize = 100;

impl Warning {
    #[expect(clippy::too_many_arguments, reason = "one call, where each is at hand")]
    pub(crate) fn collect(
        ensemble: &Ensemble,
        settings: &Settings,
        units: &ResolvedUnits,
        medoid: &Medoid,
        agreement: &Agreement,
        pruned: Pruned,
        slices: usize,
        own: bool,
    ) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some(margin) = medoid.margin {
            let origin = if own { SliceOrigin::Given } else { SliceOrigin::of(settings) };
            let Margin { rival: runner_up, radii, .. } = margin;
            let separation = margin.separation.unwrap_or(0.0);
            match margin.verdict {
                ChoiceVerdict::Tied => warnings.push(Warning::Tied { draw: medoid.draw, runner_up }),
                ChoiceVerdict::FewSlices => {
                    warnings.push(Warning::TooFewSlices { runner_up, separation, radii, slices, origin });
                }
                ChoiceVerdict::FewDraws => warnings.push(Warning::NearTie { runner_up, separation, radii }),
                ChoiceVerdict::Unknown => warnings.push(Warning::NoSliceError { slices, origin }),
                ChoiceVerdict::Safe | ChoiceVerdict::Alike => {}
            }
        }
        if settings.units == Units::None {
            warnings.extend(Self::unequal_units(units));
        }
        if matches!(settings.pruning, Pruning::Tolerance(_)) && pruned.atoms > 0 {
            warnings.push(Warning::MassPruned { pruned });
        }
        warnings.extend(Self::of_draws(ensemble));
        warnings.extend(Self::of_chains(ensemble, agreement));
        warnings
    }

    /// That a notable part of an estimate stands where hardly a draw has a component.
    pub(crate) fn of_atoms(estimate: &MixingMeasure, ensemble: &Ensemble) -> Option<Warning> {
        let atoms = atoms_without_draws(estimate, ensemble);
        let weight: f64 = atoms.iter().map(|&k| estimate.weights()[k]).sum();
        (weight >= NOTABLE_MASS).then(|| Warning::AtomsWithoutDraws { atoms: atoms.len(), of: estimate.len(), weight })
    }

    /// What limits everything that is said about the posterior: what there is to say about the draws, and whether their chains agree.
    pub(crate) fn of_distances(ensemble: &Ensemble, distances: &[f64]) -> Vec<Warning> {
        let mut warnings = Self::of_draws(ensemble);
        warnings.extend(Self::of_chains(ensemble, &Agreement::new(ensemble, Some(distances))));
        warnings
    }

    /// What the verdict on the chains asks to say. Few draws have a warning of their own.
    pub(crate) fn of_chains(ensemble: &Ensemble, agreement: &Agreement) -> Option<Warning> {
        let worst = agreement.worst()?;
        let (trace, convergence) = (worst.name.to_string(), worst.convergence?);
        match agreement.verdict {
            ChainVerdict::Disagree => {
                Some(Warning::ChainsDisagree { trace, rhat: convergence.rhat, means: worst.means.clone() })
            }
            ChainVerdict::Slow if ensemble.len() >= FEW_DRAWS => {
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
    pub fn name(&self) -> &'static str {
        match self {
            Warning::TooFewSlices { .. } => "too-few-slices",
            Warning::NearTie { .. } => "near-tie",
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
            Warning::SlowChains { .. } => "slow-chains",
        }
    }

    /// What helps.
    pub fn advice(&self) -> Cow<'static, str> {
        let advice = match self {
            Warning::TooFewSlices { slices, origin, .. } => return origin.more(slices.saturating_mul(4)),
            Warning::NoSliceError { slices, origin } => {
                return origin.more(slices.saturating_mul(4).max(SliceCount::DEFAULT));
            }
            Warning::NearTie { .. } => "give more posterior draws, or report both (mixgist representatives)",
            Warning::Tied { .. } => "take either of them, or give more posterior draws",
            Warning::ChainsLost { .. } => "use a smaller --burn-in, or leave the chain out on purpose",
            Warning::UnequalUnits { .. } => "use --units sd, or --units whiten, unless these units are meant",
            Warning::MassPruned { .. } => "leave out --prune to keep all atoms that matter",
            Warning::WeightsRenormalized { .. } => "check that the weights are those of one draw, truncated as meant",
            Warning::FewDraws { .. } => "give more posterior draws",
            Warning::FewEffectiveDraws { .. } => "resample, or run the sampler longer",
            Warning::IllConditioned { .. } => "look at that atom: is a coordinate constant, or its prior too wide?",
            Warning::PathEnds { .. } => {
                "name a larger number of atoms (--atoms), or take the medoid (--estimate medoid)"
            }
            Warning::AtomsWithoutDraws { .. } => {
                "for densities and components take the medoid (--estimate medoid), and see what the draws have with mixgist components"
            }
            Warning::ChainsDisagree { .. } => {
                "look at each chain on its own (mixgist representatives tells their modes); a simpler model, other starts or another sampler \
                 may help, more iterations alone hardly"
            }
            Warning::SlowChains { longer_by, .. } => {
                return format!("run the chains some {} times as long", longer_by.ceil()).into();
            }
        };
        advice.into()
    }
}

/// "1 draw", "3 draws".
fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::TooFewSlices { runner_up, separation, radii, slices, .. } => write!(
                f,
                "{} cannot tell the chosen draw from draw {runner_up}, which is {separation:.1} standard errors behind and {radii:.2} radii of \
                 the credible ball away",
                count(*slices, "slice")
            ),
            Warning::NearTie { runner_up, separation, radii } => write!(
                f,
                "draw {runner_up} may be as good as the chosen draw ({separation:.1} standard errors behind, most of it error over draws) and \
                 differs from it by {radii:.2} radii of the credible ball"
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
                write!(f, "the draw weights make {draws} draws worth {effective:.1}")
            }
            Warning::IllConditioned { draw, atom, condition } => {
                write!(f, "the covariance of draw {draw}, atom {atom} has condition number {condition:.1e}")
            }
            Warning::PathEnds { atoms } => {
                write!(f, "the loss still falls at {atoms} atoms, where the path ends: auto tries no more")
            }
            Warning::AtomsWithoutDraws { atoms, of, weight } => write!(
                f,
                "{atoms} of {of} atoms, {:.1} % of the mass, stand where hardly a draw has a component: on the way between components whose \
                 weights are uncertain",
                100.0 * weight
            ),
            Warning::ChainsDisagree { trace, rhat, means } => {
                let means: Vec<String> = means.iter().map(|(chain, mean)| format!("{chain}: {mean:.3}")).collect();
                let rhat = if rhat.is_finite() { format!("R-hat {rhat:.2}") } else { "R-hat infinite".into() };
                write!(
                    f,
                    "the chains disagree: each stays in a part of the posterior of its own ({trace}: {rhat}; means by chain {})",
                    means.join(", ")
                )
            }
            Warning::SlowChains { trace, rhat, ess, .. } => {
                write!(f, "the chains mix slowly: {trace} has R-hat {rhat:.2} and an effective sample size of {ess:.0}")
            }
        }
    }
}
