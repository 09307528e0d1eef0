//! The loss between two partitions, and its mean over the draws.

use rayon::prelude::*;

use super::contingency::{Comparison, PairSums, Potential};
use super::loss::{PartitionLoss, Scale};
use crate::labels::{LabelSlice, Partition, PartitionDraws};
use crate::{Error, Progress, Result};

/// L(estimate, draw) of two partitions of the same observations. Cost O(n).
pub fn loss_between(loss: PartitionLoss, estimate: &Partition, draw: &Partition) -> Result<f64> {
    loss.check()?;
    if estimate.len() != draw.len() {
        return Err(Error::input(format!(
            "the partitions label {} and {} observations, expected the same number",
            estimate.len(),
            draw.len()
        )));
    }
    let [sums] = Comparison::new(estimate).sums(LabelSlice::U32(draw.labels()), draw.clusters(), [loss.potential()]);
    Ok(loss.of(sums, Scale::new(estimate.len())))
}

/// L(estimate, draw m) for every draw m. Cost O(M n), in parallel.
pub fn losses_to_draws(
    loss: PartitionLoss,
    estimate: &Partition,
    draws: &PartitionDraws,
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    loss.check()?;
    let sums = pair_sums(estimate, draws, [loss.potential()], progress)?;
    Ok(sums.iter().map(|&[sums]| loss.of(sums, Scale::new(estimate.len()))).collect())
}

/// The mean of the loss over the (weighted) draws. Cost O(M n), in parallel.
pub fn expected_loss(
    loss: PartitionLoss,
    estimate: &Partition,
    draws: &PartitionDraws,
    progress: &dyn Progress,
) -> Result<f64> {
    Ok(weighted_mean(&losses_to_draws(loss, estimate, draws, progress)?, draws))
}

/// The expected losses of one estimate under several losses, from one pass over the draws.
pub fn expected_losses(
    losses: &[PartitionLoss],
    estimate: &Partition,
    draws: &PartitionDraws,
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    losses.iter().try_for_each(PartitionLoss::check)?;
    let sums = pair_sums(estimate, draws, [Potential::Pairs, Potential::Entropy], progress)?;
    let scale = Scale::new(estimate.len());
    Ok(losses
        .iter()
        .map(|loss| {
            let of = |[pairs, entropy]: &[PairSums; 2]| match loss.potential() {
                Potential::Pairs => loss.of(*pairs, scale),
                Potential::Entropy => loss.of(*entropy, scale),
            };
            weighted_mean(&sums.iter().map(of).collect::<Vec<f64>>(), draws)
        })
        .collect())
}

/// Σ w_m x_m in the order of the draws, so that the bits do not depend on threads.
pub(super) fn weighted_mean(values: &[f64], draws: &PartitionDraws) -> f64 {
    match draws.draw_weights() {
        Some(weights) => values.iter().zip(weights).map(|(x, w)| x * w).sum(),
        None => values.iter().sum::<f64>() / values.len() as f64,
    }
}

fn pair_sums<const P: usize>(
    estimate: &Partition,
    draws: &PartitionDraws,
    potentials: [Potential; P],
    progress: &dyn Progress,
) -> Result<Vec<[PairSums; P]>> {
    draws.check_size(estimate)?;
    let comparison = Comparison::new(estimate);
    (0..draws.len())
        .into_par_iter()
        .with_min_len(16)
        .map_init(
            || comparison.clone(),
            |comparison, m| {
                progress.check()?;
                Ok(comparison.sums(draws.labels(m), draws.clusters(m), potentials))
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::partition::{LossOptions, OmariConvention, REGISTRY};
    use dahl_partition::PartitionsHolderView;
    use dahl_salso::log2cache::Log2Cache;
    use dahl_salso::loss::compute_loss_multiple;
    use dahl_salso::optimize::{
        BinderCMLossComputer, GeneralInformationBasedCMLossComputer, IDInformationBasedLoss, NIDInformationBasedLoss,
        NVIInformationBasedLoss, OMARICMLossComputer, VICMLossComputer,
    };
    use proptest::prelude::*;

    /// Labels as the oracle stores them: all draws of an observation side by side.
    fn item_major(draws: &PartitionDraws) -> Vec<i32> {
        (0..draws.observations()).flat_map(|i| (0..draws.len()).map(move |m| draws.labels(m).get(i) as i32)).collect()
    }

    fn by_oracle(loss: PartitionLoss, estimate: &Partition, draws: &PartitionDraws) -> f64 {
        let estimates = PartitionDraws::from_partitions(std::slice::from_ref(estimate)).unwrap();
        let (n, m) = (draws.observations(), draws.len());
        let (estimates, labels) = (item_major(&estimates), item_major(draws));
        let estimates = PartitionsHolderView::from_slice(&estimates, 1, n, true);
        let draws = PartitionsHolderView::from_slice(&labels, m, n, true);
        let cache = Log2Cache::new(n);
        let mut out = [0.0];
        match loss {
            PartitionLoss::Binder { a } => {
                compute_loss_multiple(Box::new(|| BinderCMLossComputer::new(a)), &estimates, &draws, &mut out)
            }
            PartitionLoss::Vi { a } => {
                compute_loss_multiple(Box::new(|| VICMLossComputer::new(a, &cache)), &estimates, &draws, &mut out)
            }
            PartitionLoss::Omari(_) => {
                compute_loss_multiple(Box::new(|| OMARICMLossComputer::new(m)), &estimates, &draws, &mut out)
            }
            PartitionLoss::Nvi => compute_loss_multiple(
                Box::new(|| GeneralInformationBasedCMLossComputer::new(m, &cache, NVIInformationBasedLoss)),
                &estimates,
                &draws,
                &mut out,
            ),
            PartitionLoss::Id => compute_loss_multiple(
                Box::new(|| GeneralInformationBasedCMLossComputer::new(m, &cache, IDInformationBasedLoss)),
                &estimates,
                &draws,
                &mut out,
            ),
            PartitionLoss::Nid => compute_loss_multiple(
                Box::new(|| GeneralInformationBasedCMLossComputer::new(m, &cache, NIDInformationBasedLoss)),
                &estimates,
                &draws,
                &mut out,
            ),
        }
        out[0]
    }

    fn every_loss(a: f64) -> Vec<PartitionLoss> {
        let options = LossOptions { a: Some(a), omari: OmariConvention::Salso };
        REGISTRY.iter().map(|entry| (entry.build)(&options).unwrap()).collect()
    }

    fn labelings() -> impl Strategy<Value = Vec<Vec<u8>>> {
        (1usize..25, 2usize..7, 1u8..6)
            .prop_flat_map(|(n, m, k)| proptest::collection::vec(proptest::collection::vec(0..k, n), m))
    }

    proptest! {
        #[test]
        fn losses_agree_with_salso(rows in labelings(), a in 0.0f64..2.0) {
            let estimate = Partition::from_integers(&rows[0]).unwrap();
            let draws = PartitionDraws::from_rows(&rows[1..]).unwrap();
            let losses = every_loss(a);
            let together = expected_losses(&losses, &estimate, &draws, &Silent).unwrap();
            for (loss, &value) in losses.iter().zip(&together) {
                let oracle = by_oracle(*loss, &estimate, &draws);
                prop_assert!((value - oracle).abs() < 1e-10, "{loss}: {value} against {oracle}");
                let alone = expected_loss(*loss, &estimate, &draws, &Silent).unwrap();
                prop_assert!((value - alone).abs() < 1e-13, "{loss}: {value} against {alone}");
            }
        }

        #[test]
        fn metrics_are_metrics(rows in labelings().prop_filter("three rows", |rows| rows.len() >= 3)) {
            let [x, y, z] = [0, 1, 2].map(|i| Partition::from_integers(&rows[i]).unwrap());
            for loss in every_loss(1.0).into_iter().filter(PartitionLoss::is_metric) {
                let d = |p: &Partition, q: &Partition| loss_between(loss, p, q).unwrap();
                prop_assert_eq!(d(&x, &x), 0.0);
                prop_assert!((d(&x, &y) - d(&y, &x)).abs() < 1e-12);
                prop_assert!((d(&x, &y) > 1e-9) == (x != y), "{}", loss);
                prop_assert!(d(&x, &z) <= d(&x, &y) + d(&y, &z) + 1e-12, "{}", loss);
            }
        }

        #[test]
        fn draw_weights_count_like_copies(rows in labelings(), copies in proptest::collection::vec(0usize..4, 6)) {
            let estimate = Partition::from_integers(&rows[0]).unwrap();
            let repeated: Vec<Vec<u8>> =
                rows[1..].iter().zip(&copies).flat_map(|(row, &c)| vec![row.clone(); c]).collect();
            prop_assume!(!repeated.is_empty());
            let weights: Vec<f64> = copies[..rows.len() - 1].iter().map(|&c| c as f64).collect();
            let weighted = PartitionDraws::from_rows(&rows[1..]).unwrap().with_draw_weights(&weights).unwrap();
            let repeated = PartitionDraws::from_rows(&repeated).unwrap();
            for loss in every_loss(0.7) {
                let left = expected_loss(loss, &estimate, &weighted, &Silent).unwrap();
                let right = expected_loss(loss, &estimate, &repeated, &Silent).unwrap();
                prop_assert!((left - right).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn zero_over_zero_follows_the_convention() {
        let one = Partition::from_integers(&[0; 5]).unwrap();
        let singletons = Partition::from_integers(&[0, 1, 2, 3, 4]).unwrap();
        let alone = Partition::from_integers(&[3]).unwrap();
        for partition in [&one, &singletons, &alone] {
            for (convention, expected) in [(OmariConvention::Identical, 0.0), (OmariConvention::Salso, 1.0)] {
                assert_eq!(loss_between(PartitionLoss::Omari(convention), partition, partition).unwrap(), expected);
            }
            for loss in every_loss(1.0).into_iter().filter(PartitionLoss::is_metric) {
                assert_eq!(loss_between(loss, partition, partition).unwrap(), 0.0);
            }
        }
        for convention in OmariConvention::ALL {
            assert_eq!(loss_between(PartitionLoss::Omari(convention), &one, &singletons).unwrap(), 1.0);
        }
        assert_eq!(loss_between(PartitionLoss::Nvi, &one, &singletons).unwrap(), 1.0);
        assert_eq!(loss_between(PartitionLoss::Vi { a: 1.0 }, &one, &singletons).unwrap(), 5f64.log2());
    }

    #[test]
    fn names_lead_back_to_their_losses() {
        for entry in REGISTRY {
            let loss =
                PartitionLoss::from_name(entry.name, &LossOptions { a: Some(0.5), ..LossOptions::default() }).unwrap();
            assert_eq!(loss.name(), entry.name);
        }
        assert_eq!(PartitionLoss::Omari(OmariConvention::Salso).to_string(), "omari(0/0=salso)");
        assert_eq!(PartitionLoss::Vi { a: 0.5 }.to_string(), "generalized-vi(a=0.5)");
        let unknown = PartitionLoss::from_name("rand", &LossOptions::default()).unwrap_err();
        assert!(unknown.hint_text().unwrap().to_string().contains("omari"));
        assert!(
            PartitionLoss::from_name("generalized-vi", &LossOptions { a: Some(2.5), ..LossOptions::default() })
                .is_err()
        );
        assert!(
            loss_between(
                PartitionLoss::Vi { a: f64::NAN },
                &Partition::from_integers(&[1]).unwrap(),
                &Partition::from_integers(&[1]).unwrap()
            )
            .is_err()
        );
    }

    #[test]
    fn partitions_of_different_size_are_an_error() {
        let short = Partition::from_integers(&[0, 1]).unwrap();
        let long = Partition::from_integers(&[0, 1, 1]).unwrap();
        assert!(loss_between(PartitionLoss::Nid, &short, &long).is_err());
        let draws = PartitionDraws::from_partitions(&[long]).unwrap();
        let message = expected_loss(PartitionLoss::Nid, &short, &draws, &Silent).unwrap_err().to_string();
        assert_eq!(message, "the partition labels 2 observations, the draws label 3");
    }

    #[test]
    fn tens_of_thousands_of_clusters() {
        let singletons = Partition::from_integers(&(0..70_000).collect::<Vec<i32>>()).unwrap();
        let pairs = Partition::from_integers(&(0..70_000).map(|i| i / 2).collect::<Vec<i32>>()).unwrap();
        assert!((loss_between(PartitionLoss::Vi { a: 1.0 }, &singletons, &pairs).unwrap() - 1.0).abs() < 1e-9);
        let binder = loss_between(PartitionLoss::Binder { a: 1.0 }, &singletons, &pairs).unwrap();
        assert!((binder - 1.0 / 70_000.0).abs() < 1e-15);
    }
}
