//! Which atoms of an estimate the draws have: the support rule of free-support estimates.
//!
//! A draw's atom supports an atom of the estimate when it is at its place (they overlap by [`SAME_PLACE`]), or near it (they overlap by
//! [`NEAR`]) while no other atom of the estimate is clearly closer: at a third of the distance √(−ln overlap) or less. So mass beside a
//! component is not supported by the component when the estimate has an atom at the component itself. A draw has an atom of the estimate when
//! what supports it holds [`SHARE`] of its weight. An atom is without draws when at most a twentieth of the draws have it.

use rayon::prelude::*;

use crate::ensemble::{Ensemble, MixingMeasure};
use crate::overlap::{Gaussian, NEAR, half_log_det, overlap_given};

/// A draw has an atom when what it has there holds this share of the atom's weight.
pub(crate) const SHARE: f64 = 0.1;

/// What at most this part of the draws has, hardly a draw has.
pub(crate) const NOTABLE: f64 = 0.05;

/// Estimates are told to have atoms without draws when those hold more than this part of the mass.
pub(crate) const NOTABLE_MASS: f64 = 0.01;

/// Atoms that overlap by this much are at one place: equal shapes at 0.64 standard deviations.
const SAME_PLACE: f64 = 0.95;

/// An atom is clearly closer at a third of the distance; squared, a ninth.
const CLEARLY: f64 = 1.0 / 9.0;

/// Draws that are looked at where many estimates are compared.
const FEW_DRAWS: usize = 1000;

/// The draws, prepared for asking which atoms of an estimate they have.
pub(crate) struct Support<'a> {
    ensemble: &'a Ensemble,
    draws: Vec<Draw>,
}

/// Weight of a draw, and its atoms with half the logarithm of their determinants, heaviest first.
struct Draw {
    weight: f64,
    atoms: Vec<(usize, f64)>,
}

impl<'a> Support<'a> {
    /// All draws that have weight.
    pub(crate) fn of_all(ensemble: &'a Ensemble) -> Self {
        Self::new(ensemble, ensemble.spread(usize::MAX))
    }

    /// At most a thousand of them: for many estimates.
    pub(crate) fn of_few(ensemble: &'a Ensemble) -> Self {
        Self::new(ensemble, ensemble.spread(FEW_DRAWS))
    }

    fn new(ensemble: &'a Ensemble, draws: Vec<(usize, f64)>) -> Self {
        let d = ensemble.dim();
        let prepare = |(m, weight): (usize, f64)| {
            // A covariance that cannot be factored overlaps with nothing.
            let one = |k: usize| Some((k, half_log_det(ensemble.atoms().covariance(k), d)?));
            let mut atoms: Vec<(usize, f64)> = ensemble.range(m).filter_map(one).collect();
            atoms.sort_by(|a, b| ensemble.weights()[b.0].total_cmp(&ensemble.weights()[a.0]).then(a.0.cmp(&b.0)));
            Draw { weight, atoms }
        };
        Support { ensemble, draws: draws.into_par_iter().map(prepare).collect() }
    }

    /// The atoms of an estimate that at most a twentieth of the draws have.
    ///
    /// Cost O(k K d³) a draw for k atoms of the estimate and K atoms of the draw.
    pub(crate) fn atoms_without_draws(&self, estimate: &MixingMeasure) -> Vec<usize> {
        let d = estimate.dim();
        let needed: Vec<f64> = estimate.weights().iter().map(|w| SHARE * w).collect();
        let least = needed.iter().copied().fold(f64::INFINITY, f64::min);
        let own: Vec<Option<f64>> =
            (0..estimate.len()).map(|k| half_log_det(estimate.atoms().covariance(k), d)).collect();
        let has = |draw: &Draw| -> Vec<bool> {
            let (mut held, mut left) = (vec![0.0; needed.len()], 1.0);
            for &(j, log_det) in &draw.atoms {
                if left < least {
                    break;
                }
                let weight = self.ensemble.weights()[j];
                left -= weight;
                let atom =
                    Gaussian { mean: self.ensemble.atoms().mean(j), covariance: self.ensemble.atoms().covariance(j) };
                let overlaps: Vec<f64> = (0..needed.len())
                    .map(|k| {
                        let place =
                            Gaussian { mean: estimate.atoms().mean(k), covariance: estimate.atoms().covariance(k) };
                        own[k].map_or(0.0, |own| overlap_given(place, atom, own, log_det))
                    })
                    .collect();
                let closest = overlaps.iter().copied().fold(0.0, f64::max);
                // −ln overlap grows with the square of the distance; the closest atom is never clearly beaten, be it at distance 0.
                let clearly_closer = |overlap: f64| -libm::log(closest) < -CLEARLY * libm::log(overlap);
                for (held, &overlap) in held.iter_mut().zip(&overlaps) {
                    let near = overlap >= NEAR && !(overlap < closest && clearly_closer(overlap));
                    if overlap >= SAME_PLACE || near {
                        *held += weight;
                    }
                }
            }
            held.iter().zip(&needed).map(|(held, needed)| held >= needed).collect()
        };
        let by_draw: Vec<Vec<bool>> = self.draws.par_iter().map(has).collect();
        let share = |k: usize| -> f64 {
            self.draws.iter().zip(&by_draw).filter(|(_, has)| has[k]).map(|(draw, _)| draw.weight).sum()
        };
        (0..estimate.len()).filter(|&k| share(k) <= NOTABLE).collect()
    }

    /// The weight of those atoms.
    pub(crate) fn mass_without_draws(&self, estimate: &MixingMeasure) -> f64 {
        // The sum of nothing would be −0.
        self.atoms_without_draws(estimate).into_iter().fold(0.0, |sum, k| sum + estimate.weights()[k])
    }
}

/// The part of a measure's mass that lies where at most a twentieth of the draws have a component.
///
/// Cost O(k K d³) per draw for k atoms of the measure and K atoms of the draw.
pub fn mass_without_draws(measure: &MixingMeasure, ensemble: &Ensemble) -> f64 {
    Support::of_all(ensemble).mass_without_draws(measure)
}
