//! Warnings: what a reader of the answer should know, each with the option that helps. They are data; fronts print them.

use std::borrow::Cow;
use std::fmt;

use crate::Result;
use crate::components::Support;
use crate::data_check::DataCheck;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::points::Points;
use crate::prune::{Pruned, Pruning};
use crate::select::Medoid;
use crate::summary::{SAFE_SEPARATION, Settings, SliceCount};
use crate::units::{ResolvedUnits, Units};

/// Something that limits how far the answer can be trusted.
#[derive(Debug, Clone, PartialEq)]
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
    /// The loss asks for atoms that the draws do not have, and `auto` took fewer.
    AtomsRefused {
        /// How many atoms would have been chosen by the loss alone.
        atoms: usize,
        /// The part of their mass that stands where hardly a draw has a component.
        weight: f64,
        /// How much lower their held-out expected loss is, as a part of that of the chosen estimate.
        gain: f64,
        /// How many atoms were chosen.
        chosen: usize,
    },
    /// The data are not on the scale of the draws, so that labels and densities mean nothing.
    DataOffScale {
        /// What was compared.
        check: DataCheck,
    },
    /// The chains are at different distances from the estimate.
    ChainsDisagree {
        /// Mean distance to the estimate, by chain.
        distances: Vec<(u32, f64)>,
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

/// Atoms without draws are pointed out when they hold more than this part of the mass.
pub(crate) const NOTABLE_MASS: f64 = 0.01;

/// Fewer draws than this are pointed out.
const FEW_DRAWS: usize = 100;

impl Warning {
    pub(crate) fn collect(
        ensemble: &Ensemble,
        settings: &Settings,
        units: &ResolvedUnits,
        medoid: &Medoid,
        pruned: Pruned,
        slices: usize,
        own: bool,
    ) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some(other) = medoid.runner_up {
            let origin = if own { SliceOrigin::Given } else { SliceOrigin::of(settings) };
            match other.separation {
                _ if medoid.is_tied() => {
                    warnings.push(Warning::Tied { draw: medoid.draw, runner_up: other.draw });
                }
                Some(separation) if separation < SAFE_SEPARATION => {
                    warnings.push(Warning::TooFewSlices { runner_up: other.draw, separation, slices, origin });
                }
                None => warnings.push(Warning::NoSliceError { slices, origin }),
                _ => {}
            }
        }
        if settings.units == Units::None {
            warnings.extend(Self::unequal_units(units));
        }
        if matches!(settings.pruning, Pruning::Tolerance(_)) && pruned.atoms > 0 {
            warnings.push(Warning::MassPruned { pruned });
        }
        warnings.extend(Self::of_distances(ensemble, &medoid.distances));
        warnings
    }

    /// That the data are not on the scale of the draws.
    pub(crate) fn of_data(ensemble: &Ensemble, data: Points, seed: u64) -> Result<Option<Warning>> {
        let check = DataCheck::new(ensemble, data, seed)?;
        Ok(check.filter(DataCheck::is_off).map(|check| Warning::DataOffScale { check }))
    }

    /// That a notable part of an estimate stands where hardly a draw has a component.
    pub(crate) fn of_atoms(estimate: &MixingMeasure, ensemble: &Ensemble) -> Option<Warning> {
        let atoms = Support::of_all(ensemble).atoms_without_draws(estimate);
        let weight: f64 = atoms.iter().map(|&k| estimate.weights()[k]).sum();
        (weight > NOTABLE_MASS).then(|| Warning::AtomsWithoutDraws { atoms: atoms.len(), of: estimate.len(), weight })
    }

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
    pub fn name(&self) -> &'static str {
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
            Warning::AtomsRefused { .. } => "atoms-refused",
            Warning::DataOffScale { .. } => "data-off-scale",
            Warning::ChainsDisagree { .. } => "chains-disagree",
        }
    }

    /// What helps.
    pub fn advice(&self) -> Cow<'static, str> {
        let advice = match self {
            Warning::TooFewSlices { slices, origin, .. } => return origin.more(slices.saturating_mul(4)),
            Warning::NoSliceError { slices, origin } => {
                return origin.more(slices.saturating_mul(4).max(SliceCount::DEFAULT));
            }
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
            Warning::AtomsRefused { atoms, .. } => {
                return format!(
                    "to have the estimate of least loss all the same, name its number of atoms (--atoms {atoms})"
                )
                .into();
            }
            Warning::DataOffScale { .. } => "give the data as they were when the draws were fitted",
            Warning::ChainsDisagree { .. } => "run the chains longer, or look at each one on its own",
        };
        advice.into()
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

fn write_off_scale(f: &mut fmt::Formatter<'_>, check: &DataCheck) -> fmt::Result {
    write!(f, "the data are not on the scale of the draws")?;
    let off: Vec<usize> = (0..check.columns.len()).filter(|&j| check.columns[j].off).collect();
    if let Some(&first) = off.first() {
        let column = &check.columns[first];
        write!(
            f,
            ": column {first} has median {:.3} and quartiles {:.3} apart, points drawn from the model {:.3} and {:.3}",
            column.median, column.spread, column.model_median, column.model_spread
        )?;
        if off.len() > 1 {
            write!(f, " ({} of {} columns are off)", off.len(), check.columns.len())?;
        }
    }
    write!(
        f,
        "; {:.0} % of the data are less likely than 99 % of such points (median log density {:.1}, of the points {:.1})",
        100.0 * check.unlikely,
        check.log_density,
        check.model_log_density
    )?;
    match &check.likely {
        Some(likely) => write!(f, "; the draws were probably fitted to {}", likely.describe()),
        None => Ok(()),
    }
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
            Warning::AtomsRefused { atoms, weight, gain, chosen } => write!(
                f,
                "the loss asks for {atoms} atoms and would be {:.1} % lower, but {:.1} % of their mass stands where hardly a draw has a \
                 component: auto took {chosen}",
                100.0 * gain,
                100.0 * weight
            ),
            Warning::DataOffScale { check } => write_off_scale(f, check),
            Warning::ChainsDisagree { distances } => {
                let distances: Vec<String> = distances.iter().map(|(chain, d)| format!("{chain}: {d:.3}")).collect();
                write!(f, "chains lie at different mean distances from the estimate ({})", distances.join(", "))
            }
        }
    }
}
