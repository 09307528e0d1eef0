//! Random variates on scales that do not underflow: logarithms of gammas, fractions of sticks, categories.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma, StandardNormal};

/// A uniform number strictly between 0 and 1.
pub(crate) fn uniform(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

/// A standard normal.
pub(crate) fn normal(rng: &mut impl Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// The logarithm of a Gamma(shape, 1) variate. For shapes below 1 the variate itself may underflow, its logarithm does not:
/// Gamma(a) = Gamma(a + 1) U^{1/a} in distribution.
pub(crate) fn log_gamma(shape: f64, rng: &mut impl Rng) -> f64 {
    if shape < 1.0 {
        let boost = uniform(rng).ln() / shape;
        return gamma(shape + 1.0, rng).ln() + boost;
    }
    gamma(shape, rng).ln()
}

/// A Gamma(shape, 1) variate, shape ≥ 1.
fn gamma(shape: f64, rng: &mut impl Rng) -> f64 {
    Gamma::new(shape, 1.0).expect("callers pass a positive finite shape").sample(rng)
}

/// The square root of a χ² variate, at least the smallest positive number.
pub(crate) fn chi(degrees: f64, rng: &mut impl Rng) -> f64 {
    (0.5 * (log_gamma(0.5 * degrees, rng) + std::f64::consts::LN_2)).exp().max(f64::MIN_POSITIVE)
}

/// Shapes of a Beta(a, b) law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BetaShape {
    pub a: f64,
    pub b: f64,
}

/// A Beta variate and its complement, both accurate near 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fraction {
    pub taken: f64,
    pub rest: f64,
}

impl Fraction {
    /// All of the stick.
    pub(crate) const WHOLE: Fraction = Fraction { taken: 1.0, rest: 0.0 };
}

/// A Beta(a, b) variate with its complement.
pub(crate) fn beta(shape: BetaShape, rng: &mut impl Rng) -> Fraction {
    if shape.a == 1.0 {
        // 1 − V = U^{1/b}
        let log_rest = uniform(rng).ln() / shape.b;
        return Fraction { taken: -log_rest.exp_m1(), rest: log_rest.exp() };
    }
    let difference = log_gamma(shape.a, rng) - log_gamma(shape.b, rng);
    Fraction { taken: 1.0 / (1.0 + (-difference).exp()), rest: 1.0 / (1.0 + difference.exp()) }
}

/// The index drawn with the given (unnormalised, not all zero) weights.
pub(crate) fn category(weights: &[f64], rng: &mut impl Rng) -> usize {
    let mut left = uniform(rng) * weights.iter().sum::<f64>();
    for (k, w) in weights.iter().enumerate() {
        left -= w;
        if left < 0.0 {
            return k;
        }
    }
    // rounding can leave a sliver: it belongs to the last positive weight
    weights.iter().rposition(|&w| w > 0.0).unwrap_or(0)
}

/// log B(a, b).
pub(crate) fn log_beta(shape: BetaShape) -> f64 {
    libm::lgamma(shape.a) + libm::lgamma(shape.b) - libm::lgamma(shape.a + shape.b)
}

/// log Γ_d(x), the multivariate gamma function.
pub(crate) fn log_multigamma(d: usize, x: f64) -> f64 {
    let pairs = (d * d.saturating_sub(1)) as f64 / 4.0;
    pairs * std::f64::consts::PI.ln() + (0..d).map(|j| libm::lgamma(x - 0.5 * j as f64)).sum::<f64>()
}

/// One step of univariate slice sampling (Neal 2003, stepping out and shrinkage) from `x` under an unnormalised log density.
///
/// Leaves the density invariant; both loops are bounded, and the step stays where it is when a bound is reached.
pub(crate) fn slice_step(x: f64, width: f64, log_density: impl Fn(f64) -> f64, rng: &mut impl Rng) -> f64 {
    const STEPS: u32 = 64;
    let level = log_density(x) + uniform(rng).ln();
    let mut low = x - width * uniform(rng);
    let mut high = low + width;
    let steps_low = (uniform(rng) * f64::from(STEPS)) as u32;
    for _ in 0..steps_low {
        if log_density(low) <= level {
            break;
        }
        low -= width;
    }
    for _ in 0..STEPS - 1 - steps_low {
        if log_density(high) <= level {
            break;
        }
        high += width;
    }
    for _ in 0..200 {
        let proposal = low + (high - low) * uniform(rng);
        if log_density(proposal) > level {
            return proposal;
        }
        if proposal < x {
            low = proposal;
        } else {
            high = proposal;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use mixgist::random::{Purpose, stream};

    /// |sample mean − mean| below 6 standard errors: a false alarm in 5e8 runs of a correct program, for each assertion.
    fn assert_mean(values: &[f64], mean: f64, variance: f64) {
        let got = values.iter().sum::<f64>() / values.len() as f64;
        let error = (variance / values.len() as f64).sqrt();
        assert!((got - mean).abs() < 6.0 * error, "mean {got}, expected {mean} ± {error}");
    }

    #[test]
    fn variates_have_their_moments() {
        let mut rng = stream(1, Purpose::Chains, 0);
        for shape in [0.05, 0.5, 1.0, 3.5] {
            let values: Vec<f64> = (0..40_000).map(|_| log_gamma(shape, &mut rng).exp()).collect();
            assert_mean(&values, shape, shape);
        }
        for (a, b) in [(1.0, 0.3), (0.2, 0.4), (3.0, 5.0)] {
            let values: Vec<f64> = (0..40_000).map(|_| beta(BetaShape { a, b }, &mut rng).taken).collect();
            assert_mean(&values, a / (a + b), a * b / ((a + b) * (a + b) * (a + b + 1.0)));
            let pair = beta(BetaShape { a, b }, &mut rng);
            assert!((pair.taken + pair.rest - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn tiny_shapes_keep_a_finite_logarithm() {
        let mut rng = stream(2, Purpose::Chains, 0);
        assert!((0..1000).all(|_| log_gamma(1e-4, &mut rng).is_finite()));
    }

    #[test]
    fn slice_steps_leave_a_gamma_law_invariant() {
        let mut rng = stream(3, Purpose::Chains, 0);
        // log X for X ~ Gamma(2, 1): E X = 2, Var X = 2; thinned by 10, so that autocorrelation is negligible
        let mut x = 0.0;
        let values: Vec<f64> = (0..20_000)
            .map(|_| {
                (0..10).for_each(|_| x = slice_step(x, 1.0, |x: f64| 2.0 * x - x.exp(), &mut rng));
                x.exp()
            })
            .collect();
        assert_mean(&values, 2.0, 2.0);
    }
}
