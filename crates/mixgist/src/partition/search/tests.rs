//! The search against enumeration of all set partitions, and its contracts.

use std::sync::atomic::{AtomicU64, Ordering};

use dahl_salso::clustering::Clusterings;
use dahl_salso::optimize::{SALSOParameters, minimize_by_salso};
use dahl_salso::{LossFunction, PartitionDistributionInformation};
use proptest::prelude::*;
use rand::RngExt;

use super::*;
use crate::Silent;
use crate::partition::{LossOptions, OmariConvention, REGISTRY};
use crate::random::{Purpose, stream};

/// All partitions of n observations, as restricted growth strings.
fn all_partitions(n: usize) -> Vec<Partition> {
    fn extend(labels: &mut Vec<u32>, clusters: u32, n: usize, out: &mut Vec<Partition>) {
        if labels.len() == n {
            out.push(Partition::from_integers(labels).unwrap());
            return;
        }
        for k in 0..=clusters {
            labels.push(k);
            extend(labels, clusters.max(k + 1), n, out);
            labels.pop();
        }
    }
    let mut out = Vec::new();
    extend(&mut Vec::new(), 0, n, &mut out);
    out
}

fn every_loss() -> Vec<PartitionLoss> {
    let options = |omari| LossOptions { a: Some(0.6), omari };
    let mut losses: Vec<PartitionLoss> =
        REGISTRY.iter().map(|entry| (entry.build)(&options(OmariConvention::Identical)).unwrap()).collect();
    losses.push(PartitionLoss::Omari(OmariConvention::Salso));
    losses.push(PartitionLoss::Binder { a: 1.7 });
    losses
}

/// Draws that agree in part: a common partition with some labels resampled.
fn noisy_draws(n: usize, draws: usize, clusters: u32, noise: f64, seed: u64) -> PartitionDraws {
    let mut rng = stream(seed, Purpose::Simulation, n as u64);
    let truth: Vec<u32> = (0..n).map(|_| rng.random_range(0..clusters)).collect();
    let labels: Vec<u32> = (0..draws)
        .flat_map(|_| {
            let row: Vec<u32> = truth
                .iter()
                .map(|&k| if rng.random::<f64>() < noise { rng.random_range(0..clusters + 2) } else { k })
                .collect();
            row
        })
        .collect();
    PartitionDraws::from_dense(n, &labels).unwrap()
}

fn least(
    partitions: &[Partition],
    loss: PartitionLoss,
    draws: &PartitionDraws,
    allowed: impl Fn(&Partition) -> bool,
) -> f64 {
    partitions
        .iter()
        .filter(|p| allowed(p))
        .map(|p| expected_loss(loss, p, draws, &Silent).unwrap())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn the_search_finds_the_optimum_among_all_partitions() {
    for n in 1..=8 {
        let partitions = all_partitions(n);
        for seed in 0..3 {
            let draws = noisy_draws(n, 12, 3, [0.2, 0.5, 1.0][seed as usize], seed);
            for loss in every_loss() {
                let options = SearchOptions { clusters: ClusterBound::AtMost(n), seed, ..SearchOptions::new(loss) };
                let estimate = search(&draws, &options, &Silent).unwrap();
                let optimum = least(&partitions, loss, &draws, |_| true);
                assert!(
                    (estimate.expected_loss - optimum).abs() < 1e-12,
                    "n {n} seed {seed} {loss}: {} against {optimum}",
                    estimate.expected_loss
                );
            }
        }
    }
}

#[test]
fn bounds_on_the_clusters_hold_and_the_optimum_within_them_is_found() {
    let partitions = all_partitions(7);
    for seed in 0..2 {
        let draws = noisy_draws(7, 10, 3, 0.4, seed);
        for loss in every_loss() {
            for k in 1..=7 {
                let found = |clusters| {
                    let options = SearchOptions { clusters, seed, ..SearchOptions::new(loss) };
                    search(&draws, &options, &Silent).unwrap()
                };
                let exact = found(ClusterBound::Exactly(k));
                assert_eq!(exact.partition.clusters(), k);
                let optimum = least(&partitions, loss, &draws, |p| p.clusters() == k);
                assert!((exact.expected_loss - optimum).abs() < 1e-12, "{loss}, exactly {k}, seed {seed}");
                let bounded = found(ClusterBound::AtMost(k));
                let optimum = least(&partitions, loss, &draws, |p| p.clusters() <= k);
                assert!((bounded.expected_loss - optimum).abs() < 1e-12, "{loss}, at most {k}, seed {seed}");
            }
        }
    }
}

#[test]
fn the_same_answer_on_any_number_of_threads() {
    let draws = noisy_draws(40, 500, 4, 0.3, 5);
    for loss in [PartitionLoss::Vi { a: 1.0 }, PartitionLoss::Nid] {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| search(&draws, &SearchOptions::new(loss), &Silent).unwrap())
        };
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(5));
        assert!(one.runs_agreeing >= 1 && one.runs == 16);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Enough draws for the sampled path; the end is a local optimum for all of them.
    #[test]
    fn no_single_move_beats_the_estimate(seed in 0u64..1000, noise in 0.05f64..0.9) {
        let draws = noisy_draws(15, 420, 3, noise, seed);
        for loss in [PartitionLoss::Binder { a: 1.0 }, PartitionLoss::Vi { a: 1.0 }, PartitionLoss::Omari(OmariConvention::Identical), PartitionLoss::Id] {
            let options = SearchOptions { runs: 4, seed, ..SearchOptions::new(loss) };
            let estimate = search(&draws, &options, &Silent).unwrap();
            let mut labels = estimate.partition.labels().to_vec();
            let slack = 1e-11 * estimate.expected_loss;
            for i in 0..labels.len() {
                let own = labels[i];
                for k in 0..draws.max_clusters() as u32 {
                    labels[i] = k;
                    let moved = Partition::from_integers(&labels).unwrap();
                    prop_assert!(expected_loss(loss, &moved, &draws, &Silent).unwrap() >= estimate.expected_loss - slack);
                }
                labels[i] = own;
            }
        }
    }

    #[test]
    fn weights_count_like_copies(seed in 0u64..1000) {
        let draws = noisy_draws(12, 10, 3, 0.4, seed);
        let copies: Vec<usize> = (0..10).map(|m| m % 3).collect();
        let repeated: Vec<Partition> = (0..10).flat_map(|m| vec![draws.draw(m); copies[m]]).collect();
        let repeated = PartitionDraws::from_partitions(&repeated).unwrap();
        let weights: Vec<f64> = copies.iter().map(|&c| c as f64).collect();
        let weighted = draws.with_draw_weights(&weights).unwrap();
        let bound = ClusterBound::AtMost(6);
        let options = SearchOptions { clusters: bound, seed, ..SearchOptions::new(PartitionLoss::Vi { a: 1.0 }) };
        let left = search(&weighted, &options, &Silent).unwrap();
        let right = search(&repeated, &options, &Silent).unwrap();
        prop_assert!((left.expected_loss - right.expected_loss).abs() < 1e-12);
    }
}

/// Both searches are deterministic by their seeds; the same number of runs each.
#[test]
fn never_worse_than_the_reference() {
    let pairs = [
        (PartitionLoss::Binder { a: 1.0 }, LossFunction::BinderDraws(1.0)),
        (PartitionLoss::Vi { a: 1.0 }, LossFunction::VI(1.0)),
        (PartitionLoss::Vi { a: 0.6 }, LossFunction::VI(0.6)),
        (PartitionLoss::Omari(OmariConvention::Salso), LossFunction::OneMinusARI),
        (PartitionLoss::Nvi, LossFunction::NVI),
        (PartitionLoss::Id, LossFunction::ID),
        (PartitionLoss::Nid, LossFunction::NID),
    ];
    let runs = 8;
    for seed in 0..4 {
        let n = 40 + 20 * seed as usize;
        let draws = noisy_draws(n, 150 + 70 * seed as usize, 3 + seed as u32, 0.1 + 0.06 * seed as f64, seed);
        let m = draws.len();
        let draws_ref = &draws;
        let item_major: Vec<i32> =
            (0..n).flat_map(|i| (0..m).map(move |b| draws_ref.labels(b).get(i) as i32)).collect();
        let clusterings = Clusterings::from_i32_column_major_order(&item_major, n);
        for (loss, reference) in pairs {
            let parameters = SALSOParameters {
                n_items: n,
                max_size: 0,
                max_size_as_rf: false,
                max_scans: u32::MAX,
                max_zealous_updates: 10,
                n_runs: runs,
                prob_sequential_allocation: 0.5,
                prob_singletons_initialization: 0.0,
            };
            let information = PartitionDistributionInformation::Draws(&clusterings);
            let mut rng = stream(seed, Purpose::Simulation, 1);
            let theirs = minimize_by_salso(information, reference, &parameters, f64::INFINITY, 1, &mut rng);
            let options = SearchOptions { runs: runs as usize, seed, ..SearchOptions::new(loss) };
            let ours = search(&draws, &options, &Silent).unwrap();
            assert!(
                ours.expected_loss <= theirs.expected_loss * (1.0 + 1e-10),
                "{loss}, seed {seed}: {} against {}",
                ours.expected_loss,
                theirs.expected_loss
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn dense_and_sparse_tables_keep_the_exact_loss(seed in 0u64..1000, k in 1usize..6, fixed in any::<bool>()) {
        let draws = noisy_draws(25, 14, 4, 0.4, seed);
        for loss in every_loss() {
            let clusters = if fixed { ClusterBound::Exactly(k) } else { ClusterBound::AtMost(k) };
            let options = SearchOptions { clusters, runs: 3, seed, ..SearchOptions::new(loss) };
            let objective = checked_objective(&draws, &options).unwrap();
            // The two may part ways where candidates are tied to rounding, but each knows exactly what its end is worth.
            let dense = search_in::<u8, DenseTables>(&draws, &objective, &options, &Silent).unwrap();
            let sparse = search_in::<u32, SparseTables>(&draws, &objective, &options, &Silent).unwrap();
            for estimate in [dense, sparse] {
                let exact = expected_loss(loss, &estimate.partition, &draws, &Silent).unwrap();
                prop_assert!((estimate.expected_loss - exact).abs() < 1e-12, "{}", loss);
            }
        }
    }
}

#[test]
fn more_clusters_than_sixteen_bits_hold() {
    // Some pairs are together in two of three draws, alone in the third; all others are always alone.
    let n = 70_000u32;
    let together: Vec<u32> = (0..n).map(|i| if i < 1000 { i - i % 2 } else { i }).collect();
    let alone: Vec<u32> = (0..n).collect();
    let draws = PartitionDraws::from_rows(&[&together[..], &alone[..], &together[..]]).unwrap();
    for loss in [PartitionLoss::Vi { a: 1.0 }, PartitionLoss::Omari(OmariConvention::Identical)] {
        let estimate = search(&draws, &SearchOptions { runs: 2, ..SearchOptions::new(loss) }, &Silent).unwrap();
        assert!(estimate.partition.clusters() > 1 << 16);
        assert_eq!(estimate.partition, draws.draw(0), "{loss}");
    }
}

#[test]
fn merges_are_scored_as_they_turn_out() {
    let draws = noisy_draws(20, 9, 5, 0.3, 4);
    for loss in every_loss() {
        let options = SearchOptions::new(loss);
        let objective = checked_objective(&draws, &options).unwrap();
        let columns = Columns::<u8>::new(&draws, loss.potential());
        let singletons: Vec<u32> = (0..20).collect();
        let mut state = state::State::<_, DenseTables>::new(&columns, &objective, &singletons);
        let before = state.expected_loss();
        assert!(state.merge(), "{loss}");
        let merged = Partition::from_integers(state.labels()).unwrap();
        let after = state.expected_loss();
        assert!(after < before && (after - expected_loss(loss, &merged, &draws, &Silent).unwrap()).abs() < 1e-12);
        // The path ends where no further merge helps.
        assert!(!state.merge());
    }
}

#[test]
fn one_observation_and_one_draw() {
    let draws = PartitionDraws::from_dense(1, &[5, 5, 7]).unwrap();
    for loss in every_loss() {
        assert_eq!(search(&draws, &SearchOptions::new(loss), &Silent).unwrap().partition.labels(), [0]);
    }
    let draws = PartitionDraws::from_dense(6, &[0, 0, 1, 1, 1, 2]).unwrap();
    for loss in every_loss().into_iter().filter(PartitionLoss::is_metric) {
        let estimate = search(&draws, &SearchOptions::new(loss), &Silent).unwrap();
        assert_eq!(estimate.partition, draws.draw(0), "{loss}");
        assert_eq!(estimate.expected_loss, 0.0);
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let draws = noisy_draws(5, 4, 2, 0.5, 0);
    let options = SearchOptions::new(PartitionLoss::Vi { a: 1.0 });
    for bad in [
        SearchOptions { runs: 0, ..options.clone() },
        SearchOptions { clusters: ClusterBound::AtMost(0), ..options.clone() },
        SearchOptions { clusters: ClusterBound::Exactly(0), ..options.clone() },
        SearchOptions { clusters: ClusterBound::Exactly(6), ..options.clone() },
        SearchOptions { loss: PartitionLoss::Binder { a: -1.0 }, ..options },
    ] {
        assert_eq!(search(&draws, &bad, &Silent).unwrap_err().kind(), crate::ErrorKind::Usage);
    }
}

#[test]
fn an_interrupted_search_ends_with_that_error() {
    struct StopAfter(AtomicU64);
    impl Progress for StopAfter {
        fn cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) > 20
        }
    }
    let draws = noisy_draws(300, 50, 4, 0.3, 1);
    let error = search(&draws, &SearchOptions::new(PartitionLoss::Nvi), &StopAfter(AtomicU64::new(0))).unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::Interrupted);
}

/// Small problems are searched as they are; with many observations a pass stays within its bound, and no sample has fewer than 100 draws of as many.
#[test]
fn samples_of_draws_shrink_with_the_observations() {
    assert_eq!(sample_sizes(272, 4000), [1000, 4000]);
    assert_eq!(sample_sizes(272, 399), [399, 399]);
    assert_eq!(sample_sizes(100_000, 4000), [200, 1000]);
    assert_eq!(sample_sizes(10_000_000, 4000), [100, 100]);
    assert_eq!(sample_sizes(10_000_000, 60), [60, 60]);
}
