//! Whatever the data and settings: draws or an error, never a panic.

use mixgist::Silent;
use mixgist_samplers::{
    Algorithm, Concentration, CovarianceModel, FitSettings, MixingPrior, Scale, ScaleChoice, Truncation, fit,
};
use proptest::prelude::*;

/// Numbers of every size, with ties and extremes.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        400 => -3.0f64..3.0,
        200 => (-3i32..3).prop_map(f64::from),
        10 => (-140i32..140).prop_map(|e| 10f64.powi(e)),
        1 => any::<f64>(),
    ]
}

/// Positive numbers of every size, and some that are not.
fn size() -> impl Strategy<Value = f64> {
    prop_oneof![40 => 0.01f64..8.0, 8 => (-20i32..20).prop_map(|e| 10f64.powi(e)), 2 => (-300i32..300).prop_map(|e| 10f64.powi(e)), 1 => any::<f64>()]
}

fn algorithm() -> impl Strategy<Value = Algorithm> {
    prop_oneof![
        (0usize..20).prop_map(|sticks| Algorithm::Blocked { truncation: Truncation::At(sticks) }),
        size().prop_map(|tolerance| Algorithm::Blocked { truncation: Truncation::Auto { tolerance } }),
        Just(Algorithm::Slice),
        Just(Algorithm::Marginal),
    ]
}

fn prior() -> impl Strategy<Value = MixingPrior> {
    prop_oneof![
        Just(MixingPrior::DirichletProcess),
        (-0.1f64..1.1).prop_map(|discount| MixingPrior::PitmanYor { discount }),
        (0usize..12).prop_map(|components| MixingPrior::Finite { components }),
    ]
}

fn concentration() -> impl Strategy<Value = Concentration> {
    prop_oneof![
        size().prop_map(Concentration::Fixed),
        (size(), size()).prop_map(|(shape, rate)| Concentration::Gamma { shape, rate })
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Few rows, many of them equal: learned scales become narrow, but never so narrow that a chain fails.
    #[test]
    fn learned_scales_stand_ties(
        dim in 1usize..5,
        digits in prop::collection::vec(0u8..4, 60..160),
        algorithm in 0usize..3,
        covariance in 0usize..3,
        seed in any::<u64>(),
    ) {
        let mut values: Vec<f64> = digits.iter().map(|&digit| f64::from(digit / 2) * 7.0).collect();
        let rows = values.len() / dim;
        (0..dim).for_each(|j| values[j] = 1.0); // no column is constant
        let mut settings = FitSettings::default().with_algorithm(Algorithm::NAMES[algorithm].1).with_chains(1).with_iterations(80).with_burn_in(70).with_seed(seed);
        settings.component.covariance = CovarianceModel::NAMES[covariance].1;
        settings.component.scales = ScaleChoice::Learned;
        let found = fit(&values[..rows * dim], dim, &settings, None, &Silent);
        prop_assert!(found.is_ok(), "{:?}", found.err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn anything_gives_draws_or_an_error(
        dim in 1usize..4,
        values in prop::collection::vec(value(), 0..40),
        algorithm in algorithm(),
        prior in prior(),
        concentration in concentration(),
        covariance in 0usize..3,
        lambda in proptest::option::of(size()),
        nu in proptest::option::of(size()),
        psi in proptest::option::of(prop::collection::vec(size(), 3)),
        mu0 in proptest::option::of(prop::collection::vec(value(), 3)),
        seed in any::<u64>(),
    ) {
        let rows = values.len() / dim;
        let mut settings = FitSettings::default().with_algorithm(algorithm).with_prior(prior).with_concentration(concentration).with_chains(1).with_iterations(12).with_burn_in(4).with_thin(2).with_seed(seed);
        settings.component.covariance = CovarianceModel::NAMES[covariance].1;
        settings.component.lambda = lambda;
        settings.component.nu = nu;
        settings.component.psi = psi.map(|psi| Scale::Diagonal(psi[..dim].to_vec()));
        settings.component.mu0 = mu0.map(|mu0| mu0[..dim].to_vec());
        match fit(&values[..rows * dim], dim, &settings, None, &Silent) {
            Ok(fit) => {
                prop_assert_eq!(fit.ensemble.len(), 4);
                prop_assert_eq!(fit.labels.len(), 4 * rows);
                prop_assert!(fit.traces.log_posterior[0].iter().all(|v| v.is_finite()));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
