//! The credible ball around an estimate with its bounds (Wade & Ghahramani 2018).

use super::{PartitionLoss, REGISTRY, losses_to_draws};
use crate::labels::{Partition, PartitionDraws};
use crate::text::Index;
use crate::{Error, Progress, Result};

/// The smallest ball around an estimate, in a metric on partitions, that holds the asked-for posterior probability.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct PartitionBall {
    /// Name of the metric.
    pub loss: String,
    /// The probability that was asked for.
    pub level: f64,
    /// The probability that the ball holds: the level or a little more.
    pub probability: f64,
    /// The radius: the least one for which the ball holds at least `level`.
    pub radius: f64,
    /// The draws in the ball, ascending.
    #[schemars(with = "Vec<Index>")]
    pub inside: Vec<usize>,
    /// Draws in the ball that are farthest from the estimate.
    pub horizontal: BallBound,
    /// Among the draws in the ball with the fewest clusters, those farthest from the estimate.
    pub upper_vertical: BallBound,
    /// Among the draws in the ball with the most clusters, those farthest from the estimate.
    pub lower_vertical: BallBound,
}

/// The partitions that mark one side of a ball.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct BallBound {
    /// Their distance from the estimate.
    pub distance: f64,
    /// The first draw of each distinct partition, ascending.
    #[schemars(with = "Vec<Index>")]
    pub draws: Vec<usize>,
    /// Number of clusters of each.
    pub clusters: Vec<usize>,
}

/// Distances closer than this, relatively, are ties: they differ by the order of summation only.
const TIE: f64 = 1e-12;

/// The credible ball of probability `level` around `estimate` under a loss that is a metric (see [`PartitionLoss::is_metric`]).
///
/// Draws of weight 0 are not part of the posterior. Cost O(M n + M log M).
pub fn partition_ball(
    loss: PartitionLoss,
    estimate: &Partition,
    draws: &PartitionDraws,
    level: f64,
    progress: &dyn Progress,
) -> Result<PartitionBall> {
    if !loss.is_metric() {
        let metrics: Vec<&str> = REGISTRY
            .iter()
            .filter(|entry| (entry.build)(&Default::default()).is_ok_and(|loss| loss.is_metric()) && !entry.takes_a)
            .map(|entry| entry.name)
            .collect();
        return Err(Error::usage(format!("a credible ball needs a metric, {loss} is none"))
            .hint(format!("one of {}", metrics.join(", "))));
    }
    if !(level > 0.0 && level <= 1.0) {
        return Err(Error::usage(format!("level is {level}, must be above 0 and at most 1")));
    }
    let distances = losses_to_draws(loss, estimate, draws, progress)?;
    let mut order: Vec<usize> = (0..draws.len()).filter(|&m| draws.weight(m) > 0.0).collect();
    order.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(a.cmp(&b)));

    let mut probability = 0.0;
    let mut radius = 0.0;
    let mut held = 0;
    for (position, &m) in order.iter().enumerate() {
        // A sum of M weights may fall short of the level by rounding alone.
        if probability >= level - 1e-12 && distances[m] > radius * (1.0 + TIE) {
            break;
        }
        probability += draws.weight(m);
        radius = radius.max(distances[m]);
        held = position + 1;
    }
    let mut inside = order[..held].to_vec();
    inside.sort_unstable();
    let fewest = inside.iter().map(|&m| draws.clusters(m)).min().unwrap_or(0);
    let most = inside.iter().map(|&m| draws.clusters(m)).max().unwrap_or(0);
    let bound =
        |among: &dyn Fn(usize) -> bool| farthest(inside.iter().copied().filter(|&m| among(m)), &distances, draws);
    Ok(PartitionBall {
        loss: loss.to_string(),
        level,
        probability: probability.min(1.0),
        radius,
        horizontal: bound(&|_| true),
        upper_vertical: bound(&|m| draws.clusters(m) == fewest),
        lower_vertical: bound(&|m| draws.clusters(m) == most),
        inside,
    })
}

fn farthest(among: impl Iterator<Item = usize>, distances: &[f64], draws: &PartitionDraws) -> BallBound {
    let among: Vec<usize> = among.collect();
    let distance = among.iter().map(|&m| distances[m]).fold(0.0, f64::max);
    let mut seen = std::collections::HashSet::new();
    let first: Vec<usize> =
        among.into_iter().filter(|&m| distances[m] >= distance * (1.0 - TIE) && seen.insert(draws.labels(m))).collect();
    BallBound { distance, clusters: first.iter().map(|&m| draws.clusters(m)).collect(), draws: first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::partition::{OmariConvention, loss_between};
    use proptest::prelude::*;

    #[test]
    fn bounds_of_a_small_posterior() {
        let estimate = Partition::from_integers(&[0, 0, 1, 1]).unwrap();
        let draws = PartitionDraws::from_rows(&[
            [0, 0, 1, 1],
            [0, 0, 1, 1],
            [0, 0, 1, 2],
            [0, 1, 2, 2],
            [0, 0, 0, 0],
            [0, 1, 2, 3],
            [1, 1, 0, 2],
        ])
        .unwrap();
        // Binder's distances are 0, 0, 2/16, 2/16, 8/16, 4/16, 2/16.
        let ball = partition_ball(PartitionLoss::Binder { a: 1.0 }, &estimate, &draws, 0.8, &Silent).unwrap();
        assert_eq!(ball.radius, 0.25);
        assert_eq!(ball.inside, [0, 1, 2, 3, 5, 6]);
        assert!((ball.probability - 6.0 / 7.0).abs() < 1e-12);
        assert_eq!(ball.horizontal, BallBound { distance: 0.25, draws: vec![5], clusters: vec![4] });
        assert_eq!(ball.upper_vertical, BallBound { distance: 0.0, draws: vec![0], clusters: vec![2] });
        assert_eq!(ball.lower_vertical, BallBound { distance: 0.25, draws: vec![5], clusters: vec![4] });
        let ball = partition_ball(PartitionLoss::Binder { a: 1.0 }, &estimate, &draws, 0.5, &Silent).unwrap();
        assert_eq!((ball.radius, ball.inside.len()), (0.125, 5));
        assert_eq!(ball.lower_vertical, BallBound { distance: 0.125, draws: vec![2, 3], clusters: vec![3, 3] });
        let whole = partition_ball(PartitionLoss::Vi { a: 1.0 }, &estimate, &draws, 1.0, &Silent).unwrap();
        assert_eq!(whole.inside.len(), 7);
        assert_eq!(whole.upper_vertical, BallBound { distance: 1.0, draws: vec![4], clusters: vec![1] });
    }

    #[test]
    fn only_metrics_and_levels_make_balls() {
        let estimate = Partition::from_integers(&[0, 1]).unwrap();
        let draws = PartitionDraws::from_dense(2, &[0, 0]).unwrap();
        for loss in [
            PartitionLoss::Omari(OmariConvention::Identical),
            PartitionLoss::Vi { a: 0.5 },
            PartitionLoss::Binder { a: 1.5 },
        ] {
            let error = partition_ball(loss, &estimate, &draws, 0.9, &Silent).unwrap_err();
            assert_eq!(error.hint_text().unwrap().to_string(), "one of binder, vi, nvi, id, nid");
        }
        for level in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(partition_ball(PartitionLoss::Nvi, &estimate, &draws, level, &Silent).is_err());
        }
    }

    proptest! {
        #[test]
        fn the_radius_is_the_least_that_holds_the_level(
            rows in proptest::collection::vec(proptest::collection::vec(0u8..3, 6), 2..20),
            level in 0.01f64..1.0,
        ) {
            let estimate = Partition::from_integers(&rows[0]).unwrap();
            let draws = PartitionDraws::from_rows(&rows[1..]).unwrap();
            for loss in [PartitionLoss::Binder { a: 1.0 }, PartitionLoss::Vi { a: 1.0 }, PartitionLoss::Nid] {
                let ball = partition_ball(loss, &estimate, &draws, level, &Silent).unwrap();
                let share = |radius: f64| {
                    let inside = (0..draws.len())
                        .filter(|&m| loss_between(loss, &estimate, &draws.draw(m)).unwrap() <= radius);
                    inside.count() as f64 / draws.len() as f64
                };
                prop_assert!(share(ball.radius + 1e-9) >= level - 1e-9);
                prop_assert!((share(ball.radius + 1e-9) - ball.probability).abs() < 1e-9);
                prop_assert!(ball.radius == 0.0 || share(ball.radius - 1e-9) < level + 1e-9);
                prop_assert_eq!(ball.horizontal.distance, ball.radius);
            }
        }
    }
}
