//! Updates of the concentration α that leave its posterior invariant, given the partition or given the sticks.

use rand_chacha::ChaCha8Rng;

use crate::clusters::Clusters;
use crate::mixing::{Concentration, MixingPrior};
use crate::variates::{BetaShape, Fraction, beta, log_beta, log_gamma, slice_step, uniform};

/// α given the partition, weights integrated out.
///
/// p(α given partition) ∝ p(α) Π_{i=1}^{k−1} (α + iσ) / (α + 1)_{n−1}. With x ~ Beta(α + 1, n − 1) and
/// y_i ~ Bernoulli(α/(α + iσ)) this becomes Gamma(a + Σ y_i, b − log x) (Escobar and West 1995; Teh 2006). For a finite
/// mixture there is no such trick, and a slice-sampling step on log α does it.
pub(crate) fn given_partition(
    prior: MixingPrior,
    concentration: Concentration,
    alpha: f64,
    clusters: &Clusters,
    rng: &mut ChaCha8Rng,
) -> f64 {
    let Concentration::Gamma { shape, rate } = concentration else { return alpha };
    if prior.limit().is_some() {
        let target = |log_alpha: f64| {
            let alpha = log_alpha.exp();
            shape * log_alpha - rate * alpha + prior.log_partition(clusters.sizes(), alpha)
        };
        return slice_step(alpha.ln(), 1.0, target, rng).exp();
    }
    let n = clusters.points() as f64;
    let log_x = if n > 1.0 { beta(BetaShape { a: alpha + 1.0, b: n - 1.0 }, rng).taken.ln() } else { 0.0 };
    let discount = prior.discount();
    let opened = (1..clusters.len()).filter(|&i| uniform(rng) * (alpha + i as f64 * discount) < alpha).count();
    (log_gamma(shape + opened as f64, rng) - (rate - log_x).ln()).exp()
}

/// α given the fractions of the first sticks, the others integrated out.
pub(crate) fn given_sticks(
    prior: MixingPrior,
    concentration: Concentration,
    alpha: f64,
    fractions: &[Fraction],
    rng: &mut ChaCha8Rng,
) -> f64 {
    let Concentration::Gamma { shape, rate } = concentration else { return alpha };
    if prior == MixingPrior::DirichletProcess {
        // V ~ Beta(1, α): conjugate
        let logs: f64 = fractions.iter().map(|f| f.rest.max(f64::MIN_POSITIVE).ln()).sum();
        return (log_gamma(shape + fractions.len() as f64, rng) - (rate - logs).ln()).exp();
    }
    let target = |log_alpha: f64| {
        let alpha = log_alpha.exp();
        let sticks: f64 = fractions
            .iter()
            .enumerate()
            .map(|(j, f)| {
                let law = prior.stick(j, alpha);
                (law.b - 1.0) * f.rest.max(f64::MIN_POSITIVE).ln() + (law.a - 1.0) * f.taken.max(f64::MIN_POSITIVE).ln()
                    - log_beta(law)
            })
            .sum();
        shape * log_alpha - rate * alpha + sticks
    };
    slice_step(alpha.ln(), 1.0, target, rng).exp()
}
