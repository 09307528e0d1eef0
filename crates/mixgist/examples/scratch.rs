use dahl_salso::clustering::Clusterings;
use dahl_salso::optimize::{SALSOParameters, minimize_by_salso};
use dahl_salso::{LossFunction, PartitionDistributionInformation};
use mixgist::partition::*;
use mixgist::random::{Purpose, stream};
use mixgist::{Partition, PartitionDraws, Silent};
use rand::{RngExt, SeedableRng};
fn main() {
    let losses = [
        (Loss::Binder { a: 1.0 }, LossFunction::BinderDraws(1.0)),
        (Loss::Vi { a: 1.0 }, LossFunction::VI(1.0)),
        (Loss::Omari(OmariConvention::Salso), LossFunction::OneMinusARI),
        (Loss::Nvi, LossFunction::NVI),
        (Loss::Id, LossFunction::ID),
        (Loss::Nid, LossFunction::NID),
        (Loss::Vi { a: 0.5 }, LossFunction::VI(0.5)),
    ];
    let runs: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let (mut worse, mut better, mut same) = (0, 0, 0);
    for set in 0..60u64 {
        let mut rng = stream(set, Purpose::Simulation, 99);
        let n = rng.random_range(30..200usize);
        let m = rng.random_range(30..600usize);
        let k = rng.random_range(2..12u32);
        let noise: f64 = rng.random_range(0.05..0.8);
        let truth: Vec<u32> = (0..n).map(|_| rng.random_range(0..k)).collect();
        let mut labels = vec![];
        for _ in 0..m {
            // merge and split at random on top of independent noise
            let map: Vec<u32> =
                (0..k).map(|c| if rng.random::<f64>() < 0.3 { rng.random_range(0..k) } else { c }).collect();
            let split = rng.random_range(0..k);
            for i in 0..n {
                let mut c = map[truth[i] as usize];
                if rng.random::<f64>() < noise {
                    c = rng.random_range(0..k + 2);
                }
                if c == split && i % 3 == 0 {
                    c = k + 3;
                }
                labels.push(c);
            }
        }
        let draws = PartitionDraws::from_dense(n, &labels).unwrap();
        let item_major: Vec<i32> = (0..n)
            .flat_map(|i| {
                let draws = &draws;
                (0..m).map(move |b| draws.labels(b)[i] as i32)
            })
            .collect();
        for (loss, reference) in losses {
            let c = Clusterings::from_i32_column_major_order(&item_major, n);
            let p = SALSOParameters {
                n_items: n,
                max_size: 0,
                max_size_as_rf: false,
                max_scans: u32::MAX,
                max_zealous_updates: 10,
                n_runs: runs,
                prob_sequential_allocation: 0.5,
                prob_singletons_initialization: 0.0,
            };
            let r = minimize_by_salso(
                PartitionDistributionInformation::Draws(&c),
                reference,
                &p,
                f64::INFINITY,
                1,
                &mut rand_chacha::ChaCha8Rng::seed_from_u64(set),
            );
            let part = Partition::from_integers(&r.clustering.iter().map(|&l| l as u64).collect::<Vec<_>>()).unwrap();
            let theirs = expected_loss(loss, &part, &draws).unwrap();
            let e =
                search(&draws, &SearchOptions { runs: runs as usize, seed: set, ..SearchOptions::new(loss) }, &Silent)
                    .unwrap();
            let ours = e.expected_loss;
            let rel = ours / theirs - 1.0;
            if rel > 1e-10 {
                worse += 1;
                println!(
                    "WORSE set {set} n {n} m {m} k {k} noise {noise:.2} {loss} {ours:.8} {theirs:.8} {rel:.2e} k {} {}",
                    e.partition.clusters(),
                    part.clusters()
                );
            } else if rel < -1e-10 {
                better += 1;
            } else {
                same += 1;
            }
        }
    }
    println!("runs {runs}: worse {worse} better {better} same {same}");
}
