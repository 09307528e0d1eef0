//! What draws are worth: effective sample sizes of autocorrelated, weighted, multi-chain draws, and posterior probabilities with their
//! Monte Carlo error.

use std::collections::BTreeMap;

use crate::diagnostics::effective_size_of_values;
use crate::ensemble::Ensemble;

/// The draws of an ensemble chain by chain, each chain in the order of its iterations.
pub(crate) fn chains_in_order(ensemble: &Ensemble) -> Vec<Vec<usize>> {
    let mut chains = BTreeMap::<u32, Vec<usize>>::new();
    for (m, &chain) in ensemble.chains().iter().enumerate() {
        chains.entry(chain).or_default().push(m);
    }
    let mut chains: Vec<Vec<usize>> = chains.into_values().collect();
    chains.iter_mut().for_each(|chain| chain.sort_by_key(|&m| ensemble.iterations()[m]));
    chains
}

/// Weight of each draw; they sum to 1.
pub(crate) fn draw_weights(ensemble: &Ensemble) -> Vec<f64> {
    let draws = ensemble.len();
    ensemble.draw_weights().map_or_else(|| vec![1.0 / draws as f64; draws], <[f64]>::to_vec)
}

/// How many independent draws the mean of `values`, one a draw, is worth.
///
/// The autocorrelation of the chains (as in [`crate::diagnostics`]) and the inequality of the draw weights, (Σ w)²/Σ w², both
/// count. Chains shorter than half the longest say nothing here, the others are cut to one length. Never more than there are draws.
pub fn effective_draws(ensemble: &Ensemble, values: &[f64]) -> f64 {
    debug_assert_eq!(values.len(), ensemble.len());
    let weighted = match ensemble.draw_weights() {
        Some(weights) => 1.0 / weights.iter().map(|w| w * w).sum::<f64>() / ensemble.len() as f64,
        None => 1.0,
    };
    let all = chains_in_order(ensemble);
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    let long: Vec<&Vec<usize>> = all.iter().filter(|chain| 2 * chain.len() >= longest).collect();
    let length = long.iter().map(|chain| chain.len()).min().unwrap_or(0);
    if length < 4 {
        return ensemble.len() as f64 * weighted;
    }
    let chains: Vec<Vec<f64>> =
        long.iter().map(|chain| chain[chain.len() - length..].iter().map(|&m| values[m]).collect()).collect();
    let slices: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
    let share = effective_size_of_values(&slices) / (length * chains.len()) as f64;
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
    (share * weighted * ensemble.len() as f64).max(1.0)
}

/// A posterior probability, estimated from draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probability {
    /// The share of the draws, by weight.
    pub value: f64,
    /// Its Monte Carlo standard error.
    pub standard_error: f64,
    /// Lower end of its 95 % Monte Carlo interval (Wilson's, which is sensible at 0 and 1 too).
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How many independent draws it rests on.
    pub effective_draws: f64,
}

impl Probability {
    /// The probability of what is true of the draws for which `holds`. `values` is what `holds` was decided by: when the event
    /// holds always or never, its own autocorrelation cannot be seen, and that of `values` stands in.
    pub(crate) fn of(ensemble: &Ensemble, holds: &[bool], values: &[f64]) -> Self {
        let weights = draw_weights(ensemble);
        let total = |want: bool| -> f64 {
            weights.iter().zip(holds).filter(|(_, holds)| **holds == want).fold(0.0, |sum, (weight, _)| sum + weight)
        };
        // What holds always has probability 1, without the rounding of a sum.
        let value = if total(false) == 0.0 { 1.0 } else { total(true) };
        let indicator: Vec<f64> = holds.iter().map(|&holds| f64::from(holds)).collect();
        let effective = effective_draws(ensemble, &indicator).min(effective_draws(ensemble, values));
        Self::new(value.clamp(0.0, 1.0), effective)
    }

    fn new(value: f64, effective_draws: f64) -> Self {
        let (z, n) = (1.959_963_984_540_054, effective_draws);
        let center = (value + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let half = z / (1.0 + z * z / n) * (value * (1.0 - value) / n + z * z / (4.0 * n * n)).sqrt();
        Probability {
            value,
            standard_error: (value * (1.0 - value) / n).sqrt(),
            low: (center - half).clamp(0.0, value),
            high: (center + half).clamp(value, 1.0),
            effective_draws,
        }
    }
}

/// The least value that at least `level` of the weight does not exceed; `order` sorts the values. Sums of weights may fall short of
/// the level by rounding alone.
pub(crate) fn sorted_quantile(values: &[f64], weights: &[f64], order: &[usize], level: f64) -> f64 {
    let total: f64 = order.iter().map(|&i| weights[i]).sum();
    let mut below = 0.0;
    for &i in order {
        below += weights[i];
        if below >= (level - 1e-12) * total {
            return values[i];
        }
    }
    order.last().map_or(f64::NAN, |&i| values[i])
}

/// Indices in ascending order of their values, those of weight 0 left out.
pub(crate) fn ascending(values: &[f64], weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).filter(|&i| weights[i] > 0.0).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CovarianceForm;
    use crate::random::{Purpose, standard_normals, stream};

    fn ensemble(draws: usize) -> Ensemble {
        let values = vec![1.0; draws];
        Ensemble::from_dense(1, 1, &values, &values, &values, CovarianceForm::Covariance).unwrap()
    }

    fn autoregression(n: usize, rho: f64, seed: u64) -> Vec<f64> {
        let mut noise = vec![0.0; n];
        standard_normals(&mut stream(seed, Purpose::Simulation, 0), &mut noise);
        let mut x = 0.0;
        noise
            .iter()
            .map(|z| {
                x = rho * x + z;
                x
            })
            .collect()
    }

    /// Of an AR(1) chain the theory says n (1 − ρ)/(1 + ρ).
    #[test]
    fn autocorrelation_and_weights_both_cost_draws() {
        let chain = autoregression(20_000, 0.8, 1);
        let expected = 20_000.0 * 0.2 / 1.8;
        let got = effective_draws(&ensemble(20_000), &chain);
        assert!((got / expected - 1.0).abs() < 0.15, "{got} against {expected}");
        let halved: Vec<f64> = (0..20_000).map(|m| f64::from(m % 2)).collect();
        let weighted = ensemble(20_000).with_draw_weights(&halved).unwrap();
        let half = effective_draws(&weighted, &chain);
        assert!((half / got - 0.5).abs() < 1e-9, "{half} against {got}");
        assert_eq!(effective_draws(&ensemble(3), &[1.0, 2.0, 3.0]), 3.0);
    }

    #[test]
    fn the_order_of_the_draws_in_the_file_does_not_matter() {
        let chain = autoregression(400, 0.9, 2);
        let order: Vec<usize> = (0..400).map(|i| i * 171 % 400).collect();
        let shuffled = ensemble(400).select(&order).unwrap();
        let values: Vec<f64> = order.iter().map(|&m| chain[m]).collect();
        assert_eq!(effective_draws(&shuffled, &values), effective_draws(&ensemble(400), &chain));
    }

    #[test]
    fn chains_of_unequal_length_are_cut_and_short_ones_left_out() {
        let chain = autoregression(1100, 0.5, 3);
        let chains: Vec<u32> = (0..1100).map(|m| u32::from(m >= 500) + u32::from(m >= 1097)).collect();
        let draws = ensemble(1100).with_chains(chains, (0..1100).collect()).unwrap();
        let effective = effective_draws(&draws, &chain);
        assert!((150.0..700.0).contains(&effective), "{effective}");
    }

    #[test]
    fn probabilities_have_intervals_at_the_ends_too() {
        let draws = ensemble(400);
        let values = autoregression(400, 0.0, 4);
        let never = Probability::of(&draws, &[false; 400], &values);
        assert_eq!((never.value, never.standard_error, never.low), (0.0, 0.0, 0.0));
        assert!(never.high > 0.005 && never.high < 0.02, "{never:?}");
        let sticky = Probability::of(&draws, &[true; 400], &autoregression(400, 0.98, 5));
        assert!(sticky.low < 0.9 && sticky.high == 1.0, "{sticky:?}");
    }
}
