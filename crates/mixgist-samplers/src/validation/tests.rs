//! Short forms of both experiments for every algorithm, component and prior.

use super::*;

/// False-alarm rate 3e-7 for each of 54 combinations, 2e-5 in all; the seed is fixed, so a correct program never fails twice.
#[test]
fn every_chain_visits_partitions_as_often_as_enumeration_says() {
    for (algorithm_name, algorithm) in ALGORITHMS {
        for (covariance_name, covariance) in CovarianceModel::NAMES {
            for (prior_name, prior, concentration) in PRIORS {
                let outcome = enumeration(&settings(algorithm, covariance, prior, concentration), 4_000, 7).unwrap();
                println!(
                    "{algorithm_name} {covariance_name} {prior_name}: {:.2} ({})",
                    outcome.deviation, outcome.detail
                );
                assert!(outcome.passed(), "{algorithm_name}, {covariance_name}, {prior_name}: {outcome:?}");
            }
        }
    }
}

/// False-alarm rate 2e-5 for each of 27 combinations, 5e-4 in all, under a fixed seed.
#[test]
fn every_chain_passes_the_joint_test() {
    for (algorithm_name, algorithm) in ALGORITHMS {
        for (covariance_name, covariance) in CovarianceModel::NAMES {
            for (prior_name, prior, concentration) in PRIORS.into_iter().skip(1).step_by(2) {
                let outcome = joint(&settings(algorithm, covariance, prior, concentration), 12_000, 11).unwrap();
                println!(
                    "{algorithm_name} {covariance_name} {prior_name}: {:.2} ({})",
                    outcome.deviation, outcome.detail
                );
                assert!(outcome.passed(), "{algorithm_name}, {covariance_name}, {prior_name}: {outcome:?}");
            }
        }
    }
}
