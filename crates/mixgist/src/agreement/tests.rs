use super::*;
use crate::random::{Purpose, standard_normals, stream};

/// Draws in chains of these lengths, one after the other, all the same.
fn in_chains(lengths: &[usize]) -> Ensemble {
    let chains: Vec<u32> = lengths.iter().zip(0..).flat_map(|(&n, c)| std::iter::repeat_n(c, n)).collect();
    let draws = chains.len();
    let ones = vec![1.0; draws];
    let ensemble =
        Ensemble::builder(1).atoms_per_draw(1).weights(&ones).means(&ones).covariances(&ones).build().unwrap();
    ensemble.with_chains(chains, (0..draws as u64).collect()).unwrap()
}

/// Stationary AR(1) values of unit variance for chains of these lengths.
fn autoregressions(lengths: &[usize], rho: f64, seed: u64) -> Vec<f64> {
    let mut values = Vec::new();
    for (c, &n) in lengths.iter().enumerate() {
        let mut z = vec![0.0; n];
        standard_normals(&mut stream(seed, Purpose::Simulation, 50 + c as u64), &mut z);
        let mut x = z[0];
        values.extend((0..n).map(|m| {
            if m > 0 {
                x = rho * x + (1.0 - rho * rho).sqrt() * z[m];
            }
            x
        }));
    }
    values
}

fn verdict_on(lengths: &[usize], traces: Vec<Vec<f64>>) -> ChainVerdict {
    let traces = traces.into_iter().map(|values| Trace::new("x", values)).collect();
    Agreement::of_traces(&in_chains(lengths), traces).verdict
}

/// Chains that agree, four traces each, 100 runs a case: the promised rate of false alarms is one in 200 for all traces together, so that more than four
/// in 100 happen with probability below 2e-4; the seeds are fixed. Slow chains are 5 autocorrelation times long (AR 0.95 has 39 of 200 draws).
#[test]
fn chains_that_agree_are_seldom_called_apart() {
    for (lengths, rho) in
        [(&[50; 4][..], 0.0), (&[200; 4], 0.9), (&[200; 4], 0.95), (&[200; 2], 0.9), (&[300, 100, 60], 0.5)]
    {
        let alarms = (0..100)
            .filter(|seed| {
                let traces = (0..4).map(|t| autoregressions(lengths, rho, 1000 * (t + 1) + seed)).collect();
                verdict_on(lengths, traces) == ChainVerdict::Disagree
            })
            .count();
        assert!(alarms <= 4, "{alarms} of 100 for {lengths:?} with AR {rho}");
    }
}

/// One chain of four elsewhere, by three standard deviations in one trace of four: found, whether chains mix well or not so well.
#[test]
fn a_chain_in_another_mode_is_found() {
    for (lengths, rho) in [(&[50; 4][..], 0.0), (&[200; 4], 0.5), (&[300, 100, 60, 80], 0.5)] {
        for seed in 0..20 {
            let mut traces: Vec<Vec<f64>> =
                (0..4).map(|t| autoregressions(lengths, rho, 1000 * (t + 1) + seed)).collect();
            let last = lengths[3];
            let from = traces[1].len() - last;
            traces[1][from..].iter_mut().for_each(|x| *x += 3.0);
            assert_eq!(verdict_on(lengths, traces), ChainVerdict::Disagree, "{lengths:?}, seed {seed}");
        }
    }
}

#[test]
fn verdicts_short_of_disagreement() {
    let long = autoregressions(&[1000; 4], 0.0, 1);
    assert_eq!(verdict_on(&[1000; 4], vec![long.clone()]), ChainVerdict::Agree);
    assert_eq!(verdict_on(&[50; 4], vec![autoregressions(&[50; 4], 0.0, 1)]), ChainVerdict::Short);
    assert_eq!(verdict_on(&[4000], vec![autoregressions(&[4000], 0.999, 1)]), ChainVerdict::Slow);
    // Fifty independent draws are few, not slow.
    assert_eq!(verdict_on(&[50], vec![autoregressions(&[50], 0.0, 1)]), ChainVerdict::Short);
    assert_eq!(verdict_on(&[7, 50], vec![long[..57].to_vec()]), ChainVerdict::TooFew);
    // Constants have nothing to disagree on, unless each chain has its own.
    assert_eq!(verdict_on(&[50; 2], vec![vec![3.0; 100]]), ChainVerdict::Agree);
    let own: Vec<f64> = (0..100).map(|m| if m < 50 { 3.0 } else { 4.0 }).collect();
    assert_eq!(verdict_on(&[50; 2], vec![own]), ChainVerdict::Disagree);
}

#[test]
fn the_traces_of_draws_are_label_free() {
    let weights = [0.7, 0.295, 0.005, 0.5, 0.4, 0.1];
    let (means, variances) = ([0.0, 1.0, 2.0, 0.0, 1.0, 2.0], [1.0, 4.0, 9.0, 1.0, 1.0, 1.0]);
    let ensemble =
        Ensemble::builder(1).atoms_per_draw(3).weights(&weights).means(&means).covariances(&variances).build().unwrap();
    let traces = own_traces(&ensemble);
    assert_eq!(traces[0].values, [2.0, 3.0]);
    assert_eq!(traces[1].values, [0.7, 0.5]);
    let expected = 0.295 * 4f64.ln() + 0.005 * 9f64.ln();
    assert!((traces[2].values[0] - expected).abs() < 1e-14 && traces[2].values[1] == 0.0);
    let ensemble = ensemble.with_trace(Trace::new("log posterior", vec![1.0, 2.0])).unwrap();
    let agreement = Agreement::new(&ensemble, Some(&[0.0, 1.0]));
    let names: Vec<&str> = agreement.traces.iter().map(|trace| trace.name.as_ref()).collect();
    assert_eq!(
        names,
        ["distance to estimate", "atoms of at least 1 %", "largest weight", "mean log determinant", "log posterior"]
    );
    assert_eq!(agreement.verdict, ChainVerdict::TooFew);
}

/// One sequence of draws has no chains that could agree: what is said is about its halves.
#[test]
fn a_single_sequence_is_not_called_chains() {
    for (name, verdict) in ChainVerdict::NAMES.into_iter().filter(|(_, verdict)| *verdict != ChainVerdict::Disagree) {
        let of = |chains| Agreement { traces: Vec::new(), chains, verdict }.text();
        assert!(!of(1).contains("chain"), "{name}");
        assert_eq!(of(4), verdict.text(), "{name}");
    }
}

/// A reader is told a length at which every condition holds: bulk, tails and R-hat.
#[test]
fn how_much_longer_counts_tails_and_r_hat() {
    let lengths = [60; 4];
    let short = Agreement::of_traces(&in_chains(&lengths), vec![Trace::new("x", autoregressions(&lengths, 0.5, 3))]);
    let c = short.traces[0].convergence.unwrap();
    let expected = (4.0 * GOOD_ESS / c.bulk_ess.min(c.tail_ess)).max((c.rhat - 1.0) / 0.01);
    assert!((short.longer_by().unwrap() / expected - 1.0).abs() < 1e-9, "{:?} {expected}", short.longer_by());

    let with = |rhat: f64, bulk_ess: f64, tail_ess: f64, verdict: ChainVerdict| {
        let convergence = Some(Convergence { rhat, bulk_ess, tail_ess, ..c });
        let trace = TraceAgreement { convergence, ..short.traces[0].clone() };
        Agreement { traces: vec![trace], chains: 4, verdict }.longer_by()
    };
    assert!((with(1.03, 900.0, 900.0, ChainVerdict::Short).unwrap() - 3.0).abs() < 1e-9);
    assert_eq!(with(1.001, 900.0, 100.0, ChainVerdict::Short), Some(4.0));
    assert_eq!(with(1.001, 900.0, 900.0, ChainVerdict::Agree), None);
    assert_eq!(with(3.0, 5.0, 5.0, ChainVerdict::Disagree), None);
}
