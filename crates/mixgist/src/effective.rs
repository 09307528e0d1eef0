//! Effective sample sizes of autocorrelated, weighted, multi-chain draws, and posterior probabilities with their
//! Monte Carlo error.

use std::collections::BTreeMap;

use crate::diagnostics::{Groups, values_worth_one};
use crate::ensemble::Ensemble;
use crate::{Error, Result};

/// Where draws come from and what each of them counts for: all that verdicts on chains and effective sample sizes need to know of them.
pub(crate) trait Origin: Sync {
    /// Number of draws M.
    fn draws(&self) -> usize;
    /// Chain of each draw.
    fn chains(&self) -> &[u32];
    /// Iteration of each draw within its chain.
    fn iterations(&self) -> &[u64];
    /// Importance weights, summing to 1, when they were given.
    fn draw_weights(&self) -> Option<&[f64]>;
    /// The largest |sum of weights − 1| over the draws, before they were scaled to sum 1.
    fn renormalization(&self) -> f64;
    /// Chains of which no draw is left after the burn-in.
    fn lost_chains(&self) -> &[u32];
}

impl Origin for Ensemble {
    fn draws(&self) -> usize {
        self.len()
    }

    fn chains(&self) -> &[u32] {
        self.chains()
    }

    fn iterations(&self) -> &[u64] {
        self.iterations()
    }

    fn draw_weights(&self) -> Option<&[f64]> {
        self.draw_weights()
    }

    fn renormalization(&self) -> f64 {
        self.renormalization()
    }

    fn lost_chains(&self) -> &[u32] {
        self.lost_chains()
    }
}

/// The draws chain by chain, each chain in the order of its iterations.
pub(crate) fn chains_in_order(ensemble: &dyn Origin) -> Vec<Vec<usize>> {
    let mut chains = BTreeMap::<u32, Vec<usize>>::new();
    for (m, &chain) in ensemble.chains().iter().enumerate() {
        chains.entry(chain).or_default().push(m);
    }
    let mut chains: Vec<Vec<usize>> = chains.into_values().collect();
    chains.iter_mut().for_each(|chain| chain.sort_by_key(|&m| ensemble.iterations()[m]));
    chains
}

/// Weight of each draw; they sum to 1.
pub(crate) fn draw_weights(ensemble: &dyn Origin) -> Vec<f64> {
    let draws = ensemble.draws();
    ensemble.draw_weights().map_or_else(|| vec![1.0 / draws as f64; draws], <[f64]>::to_vec)
}

/// Refuses levels that are no probabilities.
pub(crate) fn check_level(level: f64) -> Result<()> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    Err(Error::usage(format!("level is {level}, must be above 0 and below 1")).hint("0.95 is usual"))
}

/// Effective sample size of the mean of `values`, one per draw.
///
/// Three things count, for chains of any lengths: the autocorrelation of the chains (as in [`crate::diagnostics`]), the inequality of the
/// draw weights, (Σ w)²/Σ w², and how much the chains differ. If the share ρ of the variance lies between chains, beyond what their autocorrelation
/// explains, and chain c has the weight p_c, then the variance of the mean is that of one draw times ρ Σ p_c² + (1 − ρ) Σ w², so that chains
/// that never leave a value of their own count as at most their number. Never more than there are draws.
pub(crate) fn effective_draws(ensemble: &dyn Origin, values: &[f64]) -> f64 {
    debug_assert_eq!(values.len(), ensemble.draws());
    let weights = draw_weights(ensemble);
    let weight = |chain: &[usize]| chain.iter().map(|&m| weights[m]).sum::<f64>();
    let mut members = chains_in_order(ensemble);
    members.retain(|chain| weight(chain) > 0.0);
    let chains: Vec<Vec<f64>> = members.iter().map(|chain| chain.iter().map(|&m| values[m]).collect()).collect();
    let slices: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
    let squares = weights.iter().map(|w| w * w).sum::<f64>();
    if all_alike(values) {
        return (1.0 / squares).clamp(1.0, ensemble.draws() as f64);
    }
    let successive = values_worth_one(&slices);
    let shared = between_chains(&slices, successive);
    let of_chains = members.iter().map(|chain| weight(chain).powi(2)).sum::<f64>();
    let variance = (successive * squares).max(shared * of_chains + (1.0 - shared) * squares);
    (1.0 / variance).clamp(1.0, ensemble.draws() as f64)
}

/// Successive blocks of all chains together whose means are compared, at least, as far as each block has two draws.
const BLOCKS: usize = 16;

/// Standard error of the weighted mean of `values` from the means of successive blocks of the chains: no model of the autocorrelation, but blocks must be longer
/// than it lasts. `None` when there are too few draws for four blocks.
pub(crate) fn block_error(ensemble: &dyn Origin, values: &[f64]) -> Option<f64> {
    let weights = draw_weights(ensemble);
    let chains = chains_in_order(ensemble);
    let each = BLOCKS.div_ceil(chains.len()).max(2);
    let mut blocks = Vec::new();
    for chain in &chains {
        let count = each.min(chain.len() / 2).max(1);
        for b in 0..count {
            let members = &chain[b * chain.len() / count..(b + 1) * chain.len() / count];
            let weight: f64 = members.iter().map(|&m| weights[m]).sum();
            let sum: f64 = members.iter().map(|&m| weights[m] * values[m]).sum();
            if weight > 0.0 {
                blocks.push((weight, sum / weight));
            }
        }
    }
    if blocks.len() < 4 {
        return None;
    }
    let mean: f64 = blocks.iter().map(|(weight, block)| weight * block).sum();
    let scatter: f64 = blocks.iter().map(|(weight, block)| (weight * (block - mean)).powi(2)).sum();
    let count = blocks.len() as f64;
    Some((scatter * count / (count - 1.0)).sqrt())
}

/// Whether values differ by rounding at most: how that is correlated says nothing about the draws.
fn all_alike(values: &[f64]) -> bool {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - least <= 1e-12 * most.abs().max(least.abs())
}

/// The share of the variance that lies between chains and that chance does not explain: what is beyond the mean plus four standard deviations of
/// the variance between alike chains in which `successive` values count as one.
fn between_chains(chains: &[&[f64]], successive: f64) -> f64 {
    let Groups { within, between, size } = Groups::new(chains);
    // Chains of one draw each cannot tell what they share.
    if chains.len() < 2 || chains.iter().all(|chain| chain.len() < 2) {
        return 0.0;
    }
    let by_chance = within * successive * (1.0 + 4.0 * (2.0 / (chains.len() - 1) as f64).sqrt());
    let excess = (between - by_chance).max(0.0) / size;
    if excess > 0.0 { excess / (excess + within) } else { 0.0 }
}

/// What the posterior says about one number.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct PosteriorInterval {
    /// Posterior mean.
    pub mean: f64,
    /// Posterior median.
    pub median: f64,
    /// Lower end: half of 1 − level lies below.
    pub low: f64,
    /// Upper end: half of 1 − level lies above.
    pub high: f64,
}

impl PosteriorInterval {
    /// Of weighted values; NaN when there are none.
    pub(crate) fn of(values: &[f64], weights: &[f64], level: f64) -> Self {
        let order = ascending(values, weights);
        let quantile = |level: f64| sorted_quantile(values, weights, &order, level);
        let total: f64 = order.iter().map(|&i| weights[i]).sum();
        PosteriorInterval {
            mean: order.iter().map(|&i| weights[i] / total * values[i]).sum(),
            median: quantile(0.5),
            low: quantile((1.0 - level) / 2.0),
            high: quantile((1.0 + level) / 2.0),
        }
    }
}

/// A posterior probability, estimated from draws.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
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

    use crate::random::{Purpose, standard_normals, stream};

    fn ensemble(draws: usize) -> Ensemble {
        let values = vec![1.0; draws];
        Ensemble::builder(1).atoms_per_draw(1).weights(&values).means(&values).covariances(&values).build().unwrap()
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

    /// Rounding that happens to follow the chains does not lower the effective sample size.
    #[test]
    fn values_that_differ_by_rounding_count_as_equal() {
        let chains = (0..60).map(|m| m / 30).collect();
        let draws = ensemble(60).with_chains(chains, (0..60).collect()).unwrap();
        let values: Vec<f64> = (0..60).map(|m| 0.02 * (1.0 + f64::EPSILON * f64::from(m / 30))).collect();
        assert!((effective_draws(&draws, &values) - 60.0).abs() < 1e-9);
        let values: Vec<f64> = (0..60).map(|m| 0.02 + 0.01 * f64::from(m / 30)).collect();
        assert!(effective_draws(&draws, &values) < 2.1);
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

    /// Draws in chains of these lengths, one after the other.
    fn in_chains(lengths: &[usize]) -> Ensemble {
        let chains: Vec<u32> = lengths.iter().zip(0..).flat_map(|(&n, c)| std::iter::repeat_n(c, n)).collect();
        let draws = chains.len();
        ensemble(draws).with_chains(chains, (0..draws as u64).collect()).unwrap()
    }

    #[test]
    fn all_chains_of_unequal_length_count() {
        let chain = autoregression(1100, 0.5, 3);
        let effective = effective_draws(&in_chains(&[500, 597, 3]), &chain);
        assert!((150.0..700.0).contains(&effective), "{effective}");
    }

    /// Chains that stay at one value each have an effective sample size of 1/Σ p², at most their number, whatever their lengths and the weights of the draws.
    #[test]
    fn stuck_chains_are_never_worth_more_than_their_number() {
        let mut last = 1.0;
        for n in 1..=150 {
            let draws = in_chains(&[150, n]);
            let values: Vec<f64> = (0..150 + n).map(|m| f64::from(u8::from(m >= 150))).collect();
            let got = effective_draws(&draws, &values);
            assert!((last - 0.01..last + 0.06).contains(&got) && got < 2.01, "{got} after {last} for {n}");
            last = got;
            let weights: Vec<f64> = (0..150 + n).map(|m| 1.0 + (m % 3) as f64).collect();
            let weighted = effective_draws(&draws.with_draw_weights(&weights).unwrap(), &values);
            // With these weights the effective sample size is 6/7 of the number of draws.
            assert!((6.0 / 7.0 * got - 0.05..got + 0.05).contains(&weighted), "{weighted} and {got} for {n}");
        }
        for lengths in [&[5, 5, 5][..], &[10, 10], &[40, 3, 20, 1], &[2, 3]] {
            let draws = in_chains(lengths);
            let values: Vec<f64> = draws.chains().iter().map(|&c| f64::from(c)).collect();
            let got = effective_draws(&draws, &values);
            assert!(got <= lengths.len() as f64 + 1e-9, "{got} for {lengths:?}");
        }
    }

    /// No jump: each draw more changes the effective sample size of two chains that differ little, and that of those that differ much.
    #[test]
    fn the_worth_changes_little_with_each_draw_of_a_shorter_chain() {
        for (shift, most) in [(3.0, 8.0), (8.0, 3.0)] {
            let noise = autoregression(300, 0.0, 6);
            for n in 5..=150 {
                let values: Vec<f64> =
                    noise[..150 + n].iter().enumerate().map(|(m, z)| if m < 150 { *z } else { z + shift }).collect();
                let got = effective_draws(&in_chains(&[150, n]), &values);
                assert!((1.0..most).contains(&got), "{got} for a shift of {shift} and {n} draws");
            }
        }
    }

    /// The seeds are fixed, so that there is no false alarm. Over 30 of them the seven means are 0.89 to 0.94, the least single one 0.40.
    #[test]
    fn independent_draws_in_unequal_chains_count_about_in_full() {
        for lengths in [&[150, 1][..], &[150, 10], &[150, 74], &[150, 80], &[150, 150], &[300, 40, 7, 2], &[60, 30, 90]]
        {
            let draws = in_chains(lengths);
            let total = draws.len();
            let parts: Vec<f64> = (0..30)
                .map(|seed| effective_draws(&draws, &autoregression(total, 0.0, 100 + seed)) / total as f64)
                .collect();
            let (mean, least) = (parts.iter().sum::<f64>() / 30.0, parts.iter().copied().fold(1.0, f64::min));
            assert!(mean > 0.75 && least > 0.25, "{mean}, at least {least}, for {lengths:?}");
        }
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
