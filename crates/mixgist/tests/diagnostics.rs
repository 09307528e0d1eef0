//! Diagnostics against the numbers of ArviZ on the same traces.

mod arviz;

use mixgist::diagnostics::convergence;

#[test]
fn diagnostics_are_those_of_arviz() {
    for expected in arviz::EXPECTED {
        let got = convergence(expected.chains).unwrap();
        for (what, got, expected_value) in [
            ("rhat", got.rhat, expected.rhat),
            ("bulk ESS", got.bulk_ess, expected.bulk_ess),
            ("tail ESS", got.tail_ess, expected.tail_ess),
        ] {
            let error = (got - expected_value).abs() / expected_value.abs().max(1.0);
            assert!(error < 1e-10, "{}: {what} is {got}, ArviZ has {expected_value}", expected.name);
        }
    }
}
