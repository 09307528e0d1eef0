//! What is known once the estimate is found, and what it gives: estimate, labels, verdict on the chains, warnings.

use super::{ACCURACY, Summary};
use crate::Result;
use crate::agreement::{Agreement, ChainVerdict};
use crate::allocate::{Allocation, allocate};
use crate::data_check::{DataCheck, gain_as_deviations};
use crate::effective::Origin;
use crate::ensemble::{Ensemble, MixingMeasure, Trace};
use crate::free::{Assessment, Estimator, FreeSupport};
use crate::mixture::Mixture;
use crate::points::Points;
use crate::progress::Progress;
use crate::prune::{Pruned, Pruning};
use crate::select::{ChoiceVerdict, Margin, Medoid};
use crate::settings::Settings;
use crate::support::{NOTABLE_MASS, Support};
use crate::units::{ResolvedUnits, Units};
use crate::variation::expected_variation;
use crate::warning::{SliceOrigin, Warning};

/// What a summary says, whether the draws were in memory or in blocks.
pub(super) struct Evidence<'a> {
    pub(super) settings: &'a Settings,
    pub(super) units: &'a ResolvedUnits,
    pub(super) draws: &'a dyn Origin,
    /// All draws, or some that stand for them.
    pub(super) sample: &'a Ensemble,
    /// Functions of the draws that judge the chains, besides the distance to the estimate.
    pub(super) traces: Vec<Trace>,
    pub(super) origin: SliceOrigin,
    pub(super) medoid: Medoid,
    /// The draw that is the medoid, in the original units.
    pub(super) winner: MixingMeasure,
    /// In the original units.
    pub(super) assessment: Option<Assessment>,
    pub(super) slices: usize,
    pub(super) pruned: Pruned,
}

impl Evidence<'_> {
    pub(super) fn summary(self, data: Option<Points>, progress: &dyn Progress) -> Result<Summary> {
        let Evidence { settings, units, draws, sample, origin, medoid, slices, pruned, mut assessment, .. } = self;
        if let Some(assessment) = &mut assessment {
            with_variations(assessment, settings, sample, &self.winner, progress)?;
        }
        let other = assessment.as_ref().and_then(Assessment::of_estimate);
        let estimate = other.map_or_else(|| self.winner.heaviest_first(), |other| other.estimate.clone());
        let allocation = match data {
            Some(points) => Some(allocate(&Mixture::new(&estimate)?, points, progress)?),
            None => None,
        };
        let distances = other.map_or_else(|| medoid.distances.clone(), |other| other.distances.to_vec());
        let mut traces = vec![Trace::new("distance to estimate", distances.clone())];
        traces.extend(self.traces);
        if other.is_some() {
            // Chains at places of their own can be equally far from an estimate between them, but not from a draw.
            traces.push(Trace::new("distance to medoid", medoid.distances.clone()));
        }
        let agreement = Agreement::of_origin(draws, traces);
        // Whether the medoid is the best of the draws does not matter to an estimate that is none of them.
        let disagree = agreement.verdict == ChainVerdict::Disagree;
        let mut warnings = if other.is_none() { of_choice(origin, &medoid, slices, disagree) } else { Vec::new() };
        warnings.extend(capped(origin, &medoid, slices));
        warnings.extend(of_draws(settings, units, draws, &agreement, pruned));
        warnings.extend(of_data(sample, data, settings.seed)?);
        warnings.extend(of_free(assessment.as_ref(), settings.estimator, sample));
        Ok(Summary {
            expected_loss: other.map_or(medoid.expected_loss, |other| other.judgement.expected_loss),
            expected_loss_se: if other.is_some() { None } else { medoid.expected_loss_se },
            distances,
            estimate,
            medoid: Medoid { chain: draws.chains()[medoid.draw], iteration: draws.iterations()[medoid.draw], ..medoid },
            agreement,
            clusters: allocation.as_ref().map(Allocation::clusters),
            assessment,
            allocation,
            slices,
            units: units.clone(),
            pruned,
            warnings,
        })
    }
}

/// What limits the trust in the choice of a medoid.
fn of_choice(origin: SliceOrigin, medoid: &Medoid, slices: usize, disagree: bool) -> Vec<Warning> {
    let Some(Margin { rival: runner_up, radii, separation, verdict, .. }) = medoid.margin else { return Vec::new() };
    let separation = separation.unwrap_or(0.0);
    match verdict {
        ChoiceVerdict::Tied => vec![Warning::Tied { draw: medoid.draw, runner_up }],
        ChoiceVerdict::FewSlices => vec![Warning::TooFewSlices { runner_up, separation, radii, slices, origin }],
        // Where chains disagree more of such draws do not help, and the warning of that says what may.
        ChoiceVerdict::FewDraws if disagree => Vec::new(),
        ChoiceVerdict::FewDraws => vec![Warning::NearTie { runner_up, separation, radii }],
        ChoiceVerdict::Unknown => vec![Warning::NoSliceError { slices, origin }],
        ChoiceVerdict::Safe | ChoiceVerdict::Alike => Vec::new(),
    }
}

/// That `auto` ended before the expected loss was known well enough.
fn capped(origin: SliceOrigin, medoid: &Medoid, slices: usize) -> Option<Warning> {
    let accuracy = medoid.expected_loss_se? / medoid.expected_loss;
    (origin == SliceOrigin::Auto && accuracy > ACCURACY).then_some(Warning::SlicesCapped { slices, accuracy })
}

/// What limits the trust in any estimate.
fn of_draws(
    settings: &Settings,
    units: &ResolvedUnits,
    draws: &dyn Origin,
    agreement: &Agreement,
    pruned: Pruned,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if settings.units == Units::None {
        warnings.extend(Warning::unequal_units(units));
    }
    if matches!(settings.pruning, Pruning::Tolerance(_)) && pruned.atoms > 0 {
        warnings.push(Warning::MassPruned { pruned });
    }
    warnings.extend(Warning::of_draws(draws));
    warnings.extend(Warning::of_chains(draws, agreement));
    warnings
}

/// What the data say about the draws.
fn of_data(draws: &Ensemble, data: Option<Points>, seed: u64) -> Result<Vec<Warning>> {
    let Some(points) = data else { return Ok(Vec::new()) };
    let mut warnings = Vec::new();
    let check = DataCheck::new(draws, points, seed)?.filter(DataCheck::is_off);
    // Where another form of the data explains why they are off, the variances need no other reading.
    if check.as_ref().is_none_or(|check| check.likely.is_none()) {
        warnings.extend(gain_as_deviations(draws, points)?.map(|gain| Warning::DeviationsAsVariances { gain }));
    }
    warnings.extend(check.map(|check| Warning::DataOffScale { check }));
    Ok(warnings)
}

/// What limits the trust in a free-support estimate.
fn of_free(assessment: Option<&Assessment>, estimator: Estimator, draws: &Ensemble) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(free) = assessment.and_then(|assessment| assessment.free.as_ref()) {
        warnings.extend(free.ends_at(estimator).map(|atoms| Warning::PathEnds { atoms }));
        warnings.extend(refused(free));
        warnings.extend(unsupported(&free.estimate, draws));
    }
    warnings
}

/// That `auto` refused atoms that the loss asks for.
fn refused(free: &FreeSupport) -> Option<Warning> {
    let (wanted, gain) = (&free.path[free.refused?], free.gain_refused()?);
    Some(Warning::AtomsRefused {
        atoms: wanted.measure.len(),
        weight: wanted.mass_without_draws,
        gain,
        chosen: free.estimate.len(),
    })
}

/// That a notable part of an estimate lies where almost no draw has a component.
fn unsupported(estimate: &MixingMeasure, ensemble: &Ensemble) -> Option<Warning> {
    let atoms = Support::of_all(ensemble).atoms_without_draws(estimate);
    let weight: f64 = atoms.iter().map(|&k| estimate.weights()[k]).sum();
    (weight > NOTABLE_MASS).then(|| Warning::AtomsWithoutDraws { atoms: atoms.len(), of: estimate.len(), weight })
}

/// Fills in how far the densities of estimates are from those of the draws, where there is more than the medoid to compare.
fn with_variations(
    assessment: &mut Assessment,
    settings: &Settings,
    draws: &Ensemble,
    medoid: &MixingMeasure,
    progress: &dyn Progress,
) -> Result<()> {
    if settings.estimator == Estimator::Medoid && settings.candidate.is_none() {
        return Ok(());
    }
    let of = |measure: &MixingMeasure| expected_variation(measure, draws, settings.seed, progress).map(Some);
    assessment.medoid.total_variation = of(medoid)?;
    if let Some(free) = &mut assessment.free {
        free.judgement.total_variation = of(&free.estimate)?;
    }
    if let Some(aligned) = &mut assessment.aligned {
        aligned.judgement.total_variation = of(&aligned.estimate)?;
    }
    if let Some((judged, own)) = assessment.candidate.as_mut().zip(settings.candidate.as_ref()) {
        judged.total_variation = of(own)?;
    }
    Ok(())
}
