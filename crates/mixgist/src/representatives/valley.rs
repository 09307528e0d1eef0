//! One mode or two: the test whether a set of draws falls into two groups with a valley between.

use super::pam::k_medoids;
use super::{FALSE_ALARM, LEAST_MASS, MOST_VALLEY};
use crate::Result;
use crate::effective::{ascending, effective_draws, sorted_quantile};
use crate::ensemble::Ensemble;
use crate::pairwise::Condensed;
use crate::progress::Progress;
use crate::random::{Purpose, stream};
use rand::RngExt;

/// A test of one mode against two.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct SplitTest {
    /// The draws that are the medoids of the two groups.
    pub medoids: [usize; 2],
    /// Posterior probability of each group.
    pub weights: [f64; 2],
    /// Share of the set's draws in the window at the lower peak.
    pub peak: f64,
    /// Share in the window between the peaks.
    pub valley: f64,
    /// How many independent draws the set is worth within the groups.
    pub effective_draws: f64,
    /// Probability of so deep a valley under one mode, at most.
    pub p_value: f64,
}

/// What a split must have to be one of two modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// One mode would show such a valley at most once in 1 / [`FALSE_ALARM`] times.
    Evidence,
    /// The valley is at most [`MOST_VALLEY`] of the lower peak.
    Depth,
    /// Each group has at least [`LEAST_MASS`] of the posterior.
    Mass,
}

impl Condition {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Condition::Evidence => "evidence",
            Condition::Depth => "depth",
            Condition::Mass => "mass",
        }
    }
}

impl SplitTest {
    /// The conditions that it does not meet.
    pub fn refused_by(&self) -> Vec<Condition> {
        [
            (Condition::Evidence, self.p_value <= FALSE_ALARM),
            (Condition::Depth, self.valley <= MOST_VALLEY * self.peak),
            (Condition::Mass, self.weights.iter().all(|&weight| weight >= LEAST_MASS)),
        ]
        .into_iter()
        .filter_map(|(condition, met)| (!met).then_some(condition))
        .collect()
    }

    /// Whether there are two modes.
    pub fn accepted(&self) -> bool {
        self.refused_by().is_empty()
    }
}

/// A set in two groups, with the test whether they are modes.
pub(super) struct Split {
    pub(super) groups: [Vec<usize>; 2],
    pub(super) test: SplitTest,
}

/// Smaller sets are not tested: not even an empty valley would be evidence.
const FEWEST: usize = 20;

/// Splits the set (indices of the matrix, in the order of the chains) in two and tests the split; `None` for sets that cannot be split.
/// `chosen` holds the draws of the matrix.
///
/// Two medoids cut three modes in a row through the middle one; so each of three groups against its neighbour is tried as well, and
/// all p-values are multiplied by the number of tries.
pub(super) fn split(
    matrix: &Condensed,
    weights: &[f64],
    chosen: &Ensemble,
    set: &[usize],
    progress: &dyn Progress,
) -> Result<Option<Split>> {
    if set.len() < FEWEST {
        return Ok(None);
    }
    let task = Task { matrix, weights, chosen, set };
    let mut best: Option<Split> = None;
    for k in [2, 3] {
        let medoids = k_medoids(matrix, weights, set, k, &[], progress)?;
        for alone in 0..if k == 2 { 1 } else { k } {
            let Some(found) = task.try_split(&medoids, alone, progress)? else { continue };
            if found.test.accepted() {
                return Ok(Some(found));
            }
            if best.as_ref().is_none_or(|best| found.test.p_value < best.test.p_value) {
                best = Some(found);
            }
        }
    }
    Ok(best)
}

/// How many splits of a set are tried.
const TRIES: f64 = 4.0;

struct Task<'a> {
    matrix: &'a Condensed,
    weights: &'a [f64],
    chosen: &'a Ensemble,
    set: &'a [usize],
}

impl Task<'_> {
    /// Tests the group of the medoid number `alone` against the rest.
    fn try_split(&self, medoids: &[usize], alone: usize, progress: &dyn Progress) -> Result<Option<Split>> {
        let Task { matrix, weights, chosen, set } = *self;
        let groups = divide(matrix, set, medoids, alone);
        let apart = medoids.iter().all(|&other| other == medoids[alone] || matrix.get(other, medoids[alone]) > 0.0);
        if !apart || groups.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        // A random half fits, the rest is looked at; then the other way round. (Every other draw would not do: modes may alternate.)
        let mut rng = stream(set.len() as u64, Purpose::Splits, 1);
        let halves: Vec<bool> = set.iter().map(|_| rng.random()).collect();
        let mut residuals = vec![0.0; set.len()];
        let (mut peak, mut valley) = (0.0, 0.0);
        let total: f64 = set.iter().map(|&i| weights[i]).sum();
        for half in [false, true] {
            let of_half = |want: bool| {
                let halves = &halves;
                (0..set.len()).filter(move |&p| halves[p] == want)
            };
            let fit: Vec<usize> = of_half(half).map(|p| set[p]).collect();
            if fit.len() < medoids.len() {
                return Ok(None);
            }
            let own = k_medoids(matrix, weights, &fit, medoids.len(), &[], progress)?;
            let gap = |place: usize| matrix.get(own[place], medoids[alone]);
            let same = (0..own.len()).reduce(|best, place| if gap(place) < gap(best) { place } else { best });
            let same = same.unwrap_or(0);
            // Against the nearest other group alone: the median of several groups may lie between them.
            let away = |place: usize| matrix.get(own[place], own[same]);
            let others = (0..own.len()).filter(|&place| place != same);
            let next = others.reduce(|best, place| if away(place) < away(best) { place } else { best });
            let next = next.unwrap_or(same);
            let fit_groups = [same, next].map(|place| divide(matrix, &fit, &own, place)[0].clone());
            let Some(line) = Line::new(matrix, weights, &fit_groups) else { return Ok(None) };
            let gap = |p: usize, place: usize| matrix.get(set[p], own[place]);
            let beside = |p: usize| (0..own.len()).all(|third| gap(p, third) >= gap(p, same).min(gap(p, next)));
            let looked_at: Vec<usize> = of_half(!half).filter(|&p| beside(p)).collect();
            let places: Vec<f64> = looked_at.iter().map(|&p| line.place(matrix, weights, set[p])).collect();
            let inside = |center: f64| -> f64 {
                let held = |place: f64| (place - center).abs() <= 1.0 / 6.0;
                let own = looked_at.iter().zip(&places).filter(|(_, place)| held(**place));
                own.map(|(&p, _)| weights[set[p]] / total).sum()
            };
            peak += inside(0.0).min(inside(1.0));
            valley += inside(0.5);
            for side in [false, true] {
                let own: Vec<usize> = (0..places.len()).filter(|&q| (places[q] > 0.5) == side).collect();
                let mean = own.iter().map(|&q| places[q]).sum::<f64>() / own.len().max(1) as f64;
                own.iter().for_each(|&q| residuals[looked_at[q]] = places[q] - mean);
            }
        }
        let effective = effective_draws(&chosen.select(set)?, &residuals);
        let p_value = (TRIES * coin(effective * valley, effective * peak)).min(1.0);
        let all: f64 = weights.iter().sum();
        let shares = [0, 1].map(|g| groups[g].iter().map(|&i| weights[i]).sum::<f64>() / all);
        let other = k_medoids(matrix, weights, &groups[1], 1, &[], progress)?[0];
        let test = SplitTest {
            medoids: [medoids[alone], other],
            weights: shares,
            peak,
            valley,
            effective_draws: effective,
            p_value,
        };
        Ok(Some(Split { groups, test }))
    }
}

/// The points nearest to the medoid number `alone`, and the others.
fn divide(matrix: &Condensed, set: &[usize], medoids: &[usize], alone: usize) -> [Vec<usize>; 2] {
    let farther = |i: usize| medoids.iter().any(|&other| matrix.get(i, other) < matrix.get(i, medoids[alone]));
    let (second, first) = set.iter().partition(|&&i| farther(i));
    [first, second]
}

/// The line through the means of two groups, with 0 and 1 at the groups' median places.
struct Line<'a> {
    groups: &'a [Vec<usize>; 2],
    zero: f64,
    length: f64,
}

impl<'a> Line<'a> {
    fn new(matrix: &Condensed, weights: &[f64], groups: &'a [Vec<usize>; 2]) -> Option<Self> {
        let mut line = Line { groups, zero: 0.0, length: 1.0 };
        let median = |g: usize| {
            let places: Vec<f64> = groups[g].iter().map(|&i| line.place(matrix, weights, i)).collect();
            let own: Vec<f64> = groups[g].iter().map(|&i| weights[i]).collect();
            sorted_quantile(&places, &own, &ascending(&places, &own), 0.5)
        };
        let (zero, one) = (median(0), median(1));
        if !(one > zero && (one - zero).is_finite()) {
            return None;
        }
        (line.zero, line.length) = (zero, one - zero);
        Some(line)
    }

    /// The place of point i: mean squared distance to the first group less that to the second, itself left out.
    fn place(&self, matrix: &Condensed, weights: &[f64], i: usize) -> f64 {
        let mean = |group: &[usize]| {
            let (mut sum, mut mass) = (0.0, 0.0);
            for &j in group.iter().filter(|&&j| j != i) {
                sum += weights[j] * matrix.get(i, j).powi(2);
                mass += weights[j];
            }
            if mass > 0.0 { sum / mass } else { 0.0 }
        };
        (mean(&self.groups[0]) - mean(&self.groups[1]) - self.zero) / self.length
    }
}

/// Probability that a fair coin shows at most `few` heads when it is thrown `few` + `many` times, counts rounded against evidence.
fn coin(few: f64, many: f64) -> f64 {
    let (few, throws) = (few.ceil(), (few + many).floor());
    if few >= throws {
        return 1.0;
    }
    let log_choose = |k: f64| libm::lgamma(throws + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(throws - k + 1.0);
    let term = |k: u32| libm::exp(log_choose(f64::from(k)) - throws * std::f64::consts::LN_2);
    (0..=few as u32).map(term).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_names_the_conditions_that_refuse_it() {
        let good = SplitTest {
            medoids: [0, 1],
            weights: [0.9, 0.1],
            peak: 0.2,
            valley: 0.1,
            effective_draws: 100.0,
            p_value: FALSE_ALARM,
        };
        assert!(good.accepted());
        for (bad, condition) in [
            (SplitTest { p_value: 0.002, ..good }, Condition::Evidence),
            (SplitTest { valley: 0.11, ..good }, Condition::Depth),
            (SplitTest { weights: [0.96, 0.04], ..good }, Condition::Mass),
        ] {
            assert!(!bad.accepted());
            assert_eq!(bad.refused_by(), [condition]);
        }
    }

    #[test]
    fn the_coin_is_fair() {
        assert!((coin(0.0, 10.0) - 1.0 / 1024.0).abs() < 1e-12);
        assert!((coin(1.0, 3.0) - 5.0 / 16.0).abs() < 1e-12);
        assert!((coin(0.4, 10.0) - coin(1.0, 9.0)).abs() < 1e-12);
        assert_eq!(coin(3.0, 0.0), 1.0);
        assert!((coin(500.0, 500.0) - 0.512_6).abs() < 1e-3);
    }
}
