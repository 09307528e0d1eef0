//! Components with intervals: what the posterior says about each atom of an estimate, without relabelling.
//!
//! The estimate Ĝ = Σ ŵ_k δ_θ̂k is coupled with every draw by exact optimal transport (the log-Euclidean product metric on means and
//! covariances), and the mass is carried along. Coordinates are divided by their scale first, unless other units are asked for:
//! the metric adds squared lengths to squared logarithms, so that only in such units the coupling does not depend on the units of
//! measurement. All rules speak of mass and of places, never of counts or labels of atoms; equal atoms of a measure are one atom, and atoms
//! of the estimate that nearly are (they overlap by 0.999) too.
//!
//! In a draw with atoms (w_j, θ_j) and plan π:
//! - **Near.** θ_j is near θ̂_k when the Gaussians overlap: Bhattacharyya's ∫ √(f g) is at least [`Rules::overlap`]. Equal shapes at 2.35
//!   standard deviations overlap by one half. This is unchanged by any linear map of the data. Mass that goes to an atom that is not near
//!   was pushed there by the balance of masses alone, and is no match.
//! - **Belongs.** Atom j belongs to the near k to which it is clearly closest (a third of the distance to any other near one);
//!   if there is none such, to the near k that sends it most mass; if none sends any, to the nearest of them; else to nobody.
//! - **Has.** The draw has component k when atoms that belong to k hold at least [`Rules::share`] of ŵ_k. Its weight, mean and covariance in
//!   the draw are those of these atoms together (moments of their mixture), so that a component in two pieces is still one.
//! - **Shared.** Atom j may be clearly at nobody's place. Its owners are the near k that send at least a third of what the heaviest sender
//!   does. It is shared for an owner if a quarter of what near ones send comes from others, and for every near k that is no owner:
//!   another carries its mass. It is also shared for an owner k and another near l when l sends as much to another such atom, near both, and an
//!   exchange would cost at most a third more: the coupling does not split, but it might as well have been the other one. The
//!   draw is ambiguous for k when half of ŵ_k goes to shared atoms.
//! - **Exchangeable.** On the line from θ̂_k to θ̂_l the matches of k, and those of l, form a cloud each, taken to be normal. If the two matches of a draw
//!   could be exchanged (the other way round has a probability of 5 % or more under the two clouds), the draw is ambiguous for both; if it has one
//!   of the two only, that one must be in its own cloud rather than in the other's by as much.
//! - **Beside.** A draw without k may have something beside it: half of ŵ_k goes to atoms that belong to nobody and overlap with θ̂_k by the
//!   fourth power of what is near (half-way between, an atom of the same shape would be near both).
//!
//! Over the draws: the probability of existence is the weight of the draws that have k; intervals have equal tails and are those of
//! the draws that have k. Component k **cannot be told apart** from l when, of the draws that have either of them or are ambiguous for one, more
//! than half are ambiguous between the two, or when the clouds of their matches overlap: on the line from θ̂_k to θ̂_l a match of k lies
//! beyond a match of l (of an independent draw) with probability above 5 %. A component that is ambiguous in most draws, with several in turn, goes with
//! the one with which it is most often. Then there is no interval for either, but one for the group: the weight, mean and covariance of
//! what belongs to any of its members, and the probability of existence is that of the group.
//!
//! An estimate's atom can lie beside the component that it stands for, as free estimates have it when a component is often absent. If more than
//! 5 % of the draws that have k, or something beside it, have that beside it, the rules look around the centre of both (means of their means and of
//! their covariances) in place of θ̂_k, and [`Component::beside`] says so.
//!
//! What belongs to nobody may be a component that the estimate lacks: [`Components::missing`] lists the places that more than 5 % of the draws
//! have in common there.

mod couple;
mod intervals;
mod missing;
mod pass;

pub use crate::effective::PosteriorInterval;
pub(crate) use couple::{Coupler, Match, Prepared, PreparedDraws, scaled_coordinates};
pub use intervals::{Ellipse, Intervals};
pub use missing::Missing;
pub(crate) use missing::missing;
pub(crate) use pass::Pass;

use crate::effective::Probability;
use crate::effective::check_level;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, has_length};
use crate::overlap::NEAR;
use crate::parting::{Cut, DiscriminantAxes, discriminant_axes};
use crate::progress::Progress;
use crate::support::{NOTABLE, SHARE};
use crate::text::Index;
use crate::units::{ResolvedUnits, Units};
use crate::warning::Warning;
use crate::{Error, Result, setters};

/// When a draw has a component; see the module's words.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Rules {
    /// Level of the intervals.
    pub level: f64,
    /// Atoms that overlap by this much are near.
    pub overlap: f64,
    /// The draw has a component when it holds this share of its weight.
    pub share: f64,
    /// Atoms of the estimate that are lighter are coupled, but not reported.
    pub least_weight: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { level: 0.95, overlap: NEAR, share: SHARE, least_weight: 0.01 }
    }
}

setters! {
    Rules {
        with_level: level: f64, "this level of the intervals";
        with_overlap: overlap: f64, "this overlap of near atoms";
        with_share: share: f64, "this share of the weight";
        with_least_weight: least_weight: f64, "this least weight of reported atoms";
    }
}

impl Rules {
    pub(crate) fn check(&self) -> Result<()> {
        check_level(self.level)?;
        for (name, value) in [("overlap", self.overlap), ("share", self.share)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(Error::usage(format!("{name} is {value}, must be above 0 and below 1")));
            }
        }
        if !(0.0..1.0).contains(&self.least_weight) {
            return Err(Error::usage(format!("least weight is {}, must be from 0 to below 1", self.least_weight)));
        }
        Ok(())
    }
}

/// Whether a component has a clear identity over the draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Standing {
    /// Intervals can be taken at face value.
    Clear,
    /// More than 5 % of the draws that have it are ambiguous: existence and intervals depend on how shared atoms were given to one side.
    Ambiguous,
    /// It cannot be told apart from others, so there are no intervals.
    Indistinct,
    /// So few draws have it that there are no intervals.
    Rare,
}

impl Standing {
    /// The name in documents and tables.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Clear => "clear",
            Standing::Ambiguous => "ambiguous",
            Standing::Indistinct => "indistinct",
            Standing::Rare => "rare",
        }
    }
}

/// The posterior of one atom of the estimate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Component {
    /// Its index in the estimate (the first, when several atoms of the estimate are equal or nearly so).
    #[schemars(with = "Index")]
    pub atom: usize,
    /// The other atoms of the estimate that are equal to it or nearly so, and make one component with it.
    #[schemars(with = "Vec<Index>")]
    pub nearly_equal: Vec<usize>,
    /// Its weight in the estimate, that of equal atoms together.
    pub weight: f64,
    /// Its mean in the estimate.
    pub mean: Vec<f64>,
    /// Its covariance in the estimate, d × d.
    #[serde(with = "crate::document::square")]
    #[schemars(with = "Vec<Vec<f64>>")]
    pub covariance: Vec<f64>,
    /// Probability that a draw has such a component; of a component that cannot be told apart, that a draw has the group.
    pub existence: Probability,
    /// Probability that a draw is ambiguous for it.
    pub ambiguity: f64,
    /// Probability that a draw holds it in pieces: that no atom has two thirds of its weight there.
    pub in_pieces: f64,
    /// Probability that a draw has, beside the estimate's atom, what the atom stands for: 0 unless it is notable, and then existence and
    /// intervals are those around the centre of the draws' own cloud.
    pub beside: f64,
    /// What can be said.
    pub standing: Standing,
    /// Atoms of the estimate that it cannot be told apart from.
    #[schemars(with = "Vec<Index>")]
    pub rivals: Vec<usize>,
    /// Intervals, where they make sense.
    pub intervals: Option<Intervals>,
}

/// Atoms of the estimate that cannot be told apart, as one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Group {
    /// The atoms.
    #[schemars(with = "Vec<Index>")]
    pub atoms: Vec<usize>,
    /// The component that they make together; its atom is the first of them.
    pub together: Component,
}

/// All components of an estimate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Components {
    /// The rules.
    #[serde(flatten)]
    pub rules: Rules,
    /// Units in which atoms were coupled.
    pub units: Units,
    /// Components of at least the least weight, heaviest first.
    pub components: Vec<Component>,
    /// Those that can only be told together.
    pub groups: Vec<Group>,
    /// What more than a twentieth of the draws have and the estimate has not, the commonest first.
    pub missing: Vec<Missing>,
    /// Mass of a draw that belongs to no component of the estimate, reported or not.
    pub unmatched: PosteriorInterval,
    /// Weight of the estimate's atoms that are too light to be reported.
    pub unreported_weight: f64,
    /// Where neighbouring components part, from left to right, in dimension 1; those that cannot be told apart count as one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Cut>,
    /// From dimension 3 on the two axes that show the components best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<DiscriminantAxes>,
    /// What the reader should know; the distances of chains are those of the couplings.
    pub warnings: Vec<Warning>,
}

impl Fits for Components {
    fn fits(&self, _: usize, dim: usize) -> Result<()> {
        let atoms = self.components.iter().chain(self.groups.iter().map(|group| &group.together));
        for component in atoms {
            has_length("mean of a component", component.mean.len(), dim)?;
            has_length("covariance of a component", component.covariance.len(), dim * dim)?;
            component.intervals.as_ref().map_or(Ok(()), |intervals| intervals.fits(dim))?;
        }
        for missing in &self.missing {
            has_length("mean of a missing component", missing.mean.len(), dim)?;
            has_length("covariance of a missing component", missing.covariance.len(), dim * dim)?;
            missing.intervals.as_ref().map_or(Ok(()), |intervals| intervals.fits(dim))?;
        }
        if let Some(axes) = &self.axes {
            has_length("separation", axes.separation.len(), axes.axes.len())?;
            axes.axes.iter().try_for_each(|axis| has_length("an axis", axis.len(), dim))?;
        }
        Ok(())
    }
}

/// When more than this part of the draws that matter are ambiguous there are no intervals but those of the group.
const MOST_AMBIGUITY: f64 = 0.5;

/// Clouds of matches that cross with more than this probability cannot be told apart.
const MOST_CROSSING: f64 = 0.05;

/// Fewer effective draws than this give no interval.
const FEWEST_DRAWS: f64 = 20.0;

/// The units in which atoms are coupled: those that are asked for, or standard deviations where none are.
pub(crate) fn coupling_units(units: &Units, ensemble: &Ensemble) -> Result<ResolvedUnits> {
    ResolvedUnits::new(if *units == Units::None { &Units::Sd } else { units }, ensemble, None)
}

/// Couples `estimate` with every draw and reports what the posterior says about each of its atoms.
///
/// Cost: one exact transport a draw, in parallel; 10,000 draws of 100 atoms take about a second on two cores (`cargo xtask bench growth`).
pub fn components(
    estimate: &MixingMeasure,
    ensemble: &Ensemble,
    units: &Units,
    rules: Rules,
    progress: &dyn Progress,
) -> Result<Components> {
    rules.check()?;
    if estimate.dim() != ensemble.dim() {
        return Err(Error::input(format!(
            "the estimate has dimension {}, the draws have {}",
            estimate.dim(),
            ensemble.dim()
        )));
    }
    let resolved = coupling_units(units, ensemble)?;
    let units = if *units == Units::None { Units::Sd } else { units.clone() };
    let pass = Pass::run(estimate, &PreparedDraws::new(ensemble, &resolved, progress)?, rules, progress)?;
    let mut components = pass.components();
    let groups = pass.groups();
    let heaviest = |a: &Component, b: &Component| b.weight.total_cmp(&a.weight).then(a.atom.cmp(&b.atom));
    for group in &groups {
        let members = components.iter_mut().filter(|component| group.atoms.contains(&component.atom));
        members.for_each(|component| component.existence = group.together.existence);
    }
    components.sort_by(heaviest);
    let unreported_weight = 1.0 - components.iter().map(|component| component.weight).sum::<f64>();
    Ok(Components {
        rules,
        units,
        components,
        groups,
        missing: missing(&pass),
        unmatched: pass.unmatched(),
        unreported_weight: unreported_weight.max(0.0),
        cuts: if ensemble.dim() == 1 { pass.cuts() } else { Vec::new() },
        axes: if ensemble.dim() > 2 { Some(discriminant_axes(estimate, 2)?) } else { None },
        warnings: pass.warnings(ensemble),
    })
}

#[cfg(test)]
mod tests;
