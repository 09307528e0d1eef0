//! How narrow an atom may become.
//!
//! `sw` and `smix-w` see little of the narrow directions of a covariance, so that one may collapse onto a line at a finite loss, as
//! one did on Old Faithful's draws, and leave a density of no use. So the atoms of a fit stay wider than nearly all that the posterior has.

use crate::ensemble::MixingMeasure;
use crate::linalg::{apply_to_spectrum, cholesky_in_place, eigen_symmetric, log_spd, whiten};
use crate::rounded::all_rounded;

/// Draws that are looked at.
const DRAWS: usize = 64;

/// This part of the draws' mass may be in atoms that are narrower.
const NARROWER: f64 = 0.01;

/// What the bound is of the narrowest of the others, so that an estimate can have their width.
const BELOW: f64 = 0.8;

/// Four fifths of a covariance that all but a hundredth of the mass of some draws exceeds in every direction: a multiple of the log-Euclidean mean of
/// their covariances.
pub(super) fn narrowest(draws: &[MixingMeasure], d: usize) -> Vec<f64> {
    let atoms: Vec<(f64, &[f64])> = draws
        .iter()
        .flat_map(|draw| draw.weights().iter().enumerate().map(|(k, &weight)| (weight, draw.atoms().covariance(k))))
        .collect();
    let total: f64 = atoms.iter().map(|atom| atom.0).sum();
    let share = |weight: f64| weight / total;
    let (mut log, mut mean_log, mut mean) = (vec![0.0; d * d], vec![0.0; d * d], vec![0.0; d * d]);
    for &(weight, covariance) in &atoms {
        log_spd(covariance, d, &mut log);
        mean_log.iter_mut().zip(&log).for_each(|(sum, x)| *sum += share(weight) * x);
    }
    apply_to_spectrum(&mean_log, d, libm::exp, &mut mean);
    all_rounded(&mut mean);
    let mut factor = mean.clone();
    if cholesky_in_place(&mut factor, d).is_err() {
        return vec![0.0; d * d];
    }
    let width = |covariance: &[f64]| {
        let white = whiten(covariance, &factor, d);
        eigen_symmetric(&white, d).values.into_iter().fold(f64::INFINITY, f64::min)
    };
    let mut widths: Vec<(f64, f64)> =
        atoms.iter().map(|&(weight, covariance)| (width(covariance), share(weight))).collect();
    widths.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut narrower = 0.0;
    let first_beyond = widths.iter().find(|(_, share)| {
        narrower += share;
        narrower > NARROWER
    });
    let bound = first_beyond.map_or(0.0, |&(width, _)| width).max(f64::EPSILON);
    mean.iter().map(|x| BELOW * bound * x).collect()
}

/// The draws that are looked at: at equal steps of the cumulative draw weights. `ordered` are all draws in an order that does not depend on how they are numbered.
pub(super) fn spread_out(draw_weights: &[f64], ordered: &[usize]) -> Vec<usize> {
    let count = DRAWS.min(ordered.len());
    let mut reached = 0.0;
    let mut out = Vec::with_capacity(count);
    for &m in ordered {
        reached += draw_weights[m];
        while out.len() < count && (out.len() as f64 + 0.5) < reached * count as f64 {
            out.push(m);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::Ensemble;

    /// Draws with the same two diagonal covariances, and a third atom of some weight and covariance.
    fn draws(third: f64, covariance: [f64; 4]) -> Ensemble {
        let weights = [0.6, 0.4 - third, third].repeat(100);
        let covariances = [[4.0, 0.0, 0.0, 0.01], [1.0, 0.0, 0.0, 0.04], covariance].concat().repeat(100);
        Ensemble::builder(2)
            .atoms_per_draw(3)
            .weights(&weights)
            .means(&[0.0; 600])
            .covariances(&covariances)
            .build()
            .unwrap()
    }

    fn bound_of(ensemble: &Ensemble) -> Vec<f64> {
        let all: Vec<usize> = (0..ensemble.len()).collect();
        let some = spread_out(&crate::effective::draw_weights(ensemble), &all);
        narrowest(&some.into_iter().map(|m| ensemble.draw(m)).collect::<Vec<_>>(), ensemble.dim())
    }

    #[test]
    fn atoms_are_wider_except_for_a_hundredth_of_the_mass() {
        let third = [3.0, 0.05, 0.05, 0.002];
        for (weight, counts) in [(0.3, true), (0.02, true), (0.005, false)] {
            let draws = draws(weight, third);
            let bound = bound_of(&draws);
            let mut factor = bound.clone();
            cholesky_in_place(&mut factor, 2).unwrap();
            let width = |k: usize| {
                let values = eigen_symmetric(&whiten(draws.atoms().covariance(k), &factor, 2), 2).values;
                values.into_iter().fold(f64::INFINITY, f64::min)
            };
            let counting = if counts { 0..3 } else { 0..2 };
            let least = counting.map(width).fold(f64::INFINITY, f64::min);
            assert!((BELOW * least - 1.0).abs() < 1e-9, "{weight}: {least}");
        }
    }

    #[test]
    fn outliers_of_little_weight_hardly_move_it() {
        let usual = bound_of(&draws(1e-9, [1.0, 0.0, 0.0, 0.01]));
        for covariance in [[1e20, 0.0, 0.0, 0.01], [1e-20, 0.0, 0.0, 1e-20]] {
            let moved = bound_of(&draws(1e-9, covariance));
            assert!(usual.iter().zip(&moved).all(|(x, y)| (x - y).abs() <= 1e-6 * x.abs()), "{usual:?} {moved:?}");
        }
    }

    /// Weighted draws are looked at where the weight is.
    #[test]
    fn draws_without_weight_do_not_count() {
        let narrow = draws(0.3, [1e-8, 0.0, 0.0, 1e-8]);
        let wide = draws(0.3, [1.0, 0.0, 0.0, 0.01]);
        let both = Ensemble::concatenate(&[&narrow, &wide]).unwrap();
        let both = both.with_draw_weights(&[[0.0; 100], [1.0; 100]].concat()).unwrap();
        assert_eq!(bound_of(&both), bound_of(&wide));
    }
}
