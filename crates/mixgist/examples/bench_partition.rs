//! Time and expected loss of the partition search against the crate `dahl-salso`, in one run.
//!
//! `cargo run --release -p mixgist --example bench_partition [-- LABELS.csv]`; with a file (one draw per line, labels separated by
//! commas) that file takes the place of the synthetic draws. Ratios below 1 favor mixgist.

use std::time::Instant;

use dahl_salso::clustering::Clusterings;
use dahl_salso::optimize::{SALSOParameters, minimize_by_salso};
use dahl_salso::{LossFunction, PartitionDistributionInformation};
use mixgist::partition::{OmariConvention, PartitionLoss, SearchOptions, expected_loss, search};
use mixgist::random::{Purpose, stream};
use mixgist::{Partition, PartitionDraws, Silent};
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:>7} {:>5} {:<8} {:>5} {:>10} {:>10} {:>6} {:>12} {:>12} {:>13} {:>4} {:>4}",
        "n", "M", "loss", "runs", "salso s", "mixgist s", "ratio", "salso", "mixgist", "ratio - 1", "k", "k"
    );
    if let Some(path) = std::env::args().nth(1) {
        let text = std::fs::read_to_string(path)?;
        let rows: Vec<Vec<i64>> =
            text.lines().map(|line| line.split(',').map(|x| x.trim().parse()).collect()).collect::<Result<_, _>>()?;
        return bench(&PartitionDraws::from_rows(&rows)?, 16, 5, 6);
    }
    bench(&synthetic_draws(272, 1000), 16, 5, 6)?;
    // The reference takes minutes for each of the other losses.
    bench(&synthetic_draws(20_000, 1000), 4, 1, 3)
}

/// Draws like those of a mixture posterior: eight overlapping components on a line, jittered from draw to draw, of which each draw
/// may lack some; labels sampled given the components.
fn synthetic_draws(n: usize, draws: usize) -> PartitionDraws {
    const COMPONENTS: usize = 8;
    let mut rng = stream(1, Purpose::Simulation, n as u64);
    let data: Vec<f64> =
        (0..n).map(|_| 3.0 * rng.random_range(0..COMPONENTS) as f64 + rng.sample::<f64, _>(StandardNormal)).collect();
    let mut labels = Vec::with_capacity(n * draws);
    for _ in 0..draws {
        let components: Vec<(f64, f64)> = (0..COMPONENTS)
            .map(|k| {
                let present = f64::from(rng.random::<f64>() < 0.8 || k == 0);
                (3.0 * k as f64 + 0.2 * rng.sample::<f64, _>(StandardNormal), present * (0.5 + rng.random::<f64>()))
            })
            .collect();
        for &y in &data {
            let weights: [f64; COMPONENTS] = std::array::from_fn(|k| {
                let (mean, weight) = components[k];
                weight / (1.0 + (y - mean).powi(2)).powi(6) + 1e-12 * weight
            });
            let mut u = rng.random::<f64>() * weights.iter().sum::<f64>();
            let k = weights.iter().position(|w| {
                u -= w;
                u < 0.0
            });
            labels.push(k.unwrap_or(0) as u32);
        }
    }
    PartitionDraws::from_dense(n, &labels).expect("a rectangular array of labels")
}

fn bench(
    draws: &PartitionDraws,
    runs: u32,
    repeats: u64,
    losses_tried: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let (n, m) = (draws.observations(), draws.len());
    let item_major: Vec<i32> = (0..n).flat_map(|i| (0..m).map(move |b| draws.labels(b).get(i) as i32)).collect();
    let losses = [
        (PartitionLoss::Binder { a: 1.0 }, LossFunction::BinderDraws(1.0)),
        (PartitionLoss::Vi { a: 1.0 }, LossFunction::VI(1.0)),
        (PartitionLoss::Omari(OmariConvention::Salso), LossFunction::OneMinusARI),
        (PartitionLoss::Nvi, LossFunction::NVI),
        (PartitionLoss::Id, LossFunction::ID),
        (PartitionLoss::Nid, LossFunction::NID),
    ];
    for (loss, reference) in losses.into_iter().take(losses_tried) {
        let (mut salso_seconds, mut seconds) = (f64::INFINITY, f64::INFINITY);
        let (mut salso_best, mut best) = (None, None);
        for seed in 0..repeats {
            let time = Instant::now();
            let clusterings = Clusterings::from_i32_column_major_order(&item_major, n);
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
            let result = minimize_by_salso(
                PartitionDistributionInformation::Draws(&clusterings),
                reference,
                &parameters,
                f64::INFINITY,
                rayon::current_num_threads() as u32,
                &mut rand_chacha::ChaCha8Rng::seed_from_u64(seed),
            );
            salso_seconds = salso_seconds.min(time.elapsed().as_secs_f64());
            let labels: Vec<u64> = result.clustering.iter().map(|&l| l as u64).collect();
            let partition = Partition::from_integers(&labels)?;
            let value = expected_loss(loss, &partition, draws, &Silent)?;
            worst(&mut salso_best, value, partition.clusters());

            let time = Instant::now();
            let options = SearchOptions { runs: runs as usize, seed, ..SearchOptions::new(loss) };
            let estimate = search(draws, &options, &Silent)?;
            seconds = seconds.min(time.elapsed().as_secs_f64());
            worst(&mut best, estimate.expected_loss, estimate.partition.clusters());
        }
        let ((salso_loss, salso_k), (own_loss, k)) = (salso_best.ok_or("no repeat")?, best.ok_or("no repeat")?);
        println!(
            "{n:>7} {m:>5} {:<8} {runs:>5} {salso_seconds:>10.4} {seconds:>10.4} {:>6.3} {salso_loss:>12.8} {own_loss:>12.8} {:>13.2e} {salso_k:>4} {k:>4}",
            loss.name(),
            seconds / salso_seconds,
            own_loss / salso_loss - 1.0
        );
    }
    Ok(())
}

/// Keeps the worst of the repeats: what a user risks.
fn worst(slot: &mut Option<(f64, usize)>, value: f64, clusters: usize) {
    if slot.is_none_or(|(held, _)| value > held) {
        *slot = Some((value, clusters));
    }
}
