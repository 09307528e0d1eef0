//! One mode or two: the test whether two groups of draws have a valley between them.

use super::{FALSE_ALARM, LEAST_MASS, MOST_VALLEY};
use crate::Result;
use crate::agreement::apart;
use crate::effective::{ascending, chains_in_order, effective_draws, sorted_quantile};
use crate::ensemble::Ensemble;
use crate::pairwise::Condensed;
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
    /// Pairs of near draws across the emptiest cut between the groups, as a part of those across the lower of the fullest cuts within them.
    #[serde(default, with = "crate::document::infinite_is_null")]
    #[schemars(with = "Option<f64>")]
    pub crossing: f64,
    /// Whether each chain stays in one of the groups.
    #[serde(default)]
    pub by_chains: bool,
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
    /// The valley is at most [`MOST_VALLEY`] of the lower peak on the line, and at most the square of that in pairs of near draws.
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
            (Condition::Depth, self.is_deep()),
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

    /// Whether the valley is deep, on the line and along the draws.
    pub(super) fn is_deep(&self) -> bool {
        // Pairs go with the square of the density.
        self.valley <= MOST_VALLEY * self.peak && self.crossing <= MOST_VALLEY * MOST_VALLEY
    }
}

/// A chain stays in a group that holds this share of its draws.
pub(super) const STAYS: f64 = 0.95;

/// The draws between which distances are known.
pub(super) struct Cloud<'a> {
    pub(super) matrix: &'a Condensed,
    pub(super) weights: &'a [f64],
    /// The draws of the matrix, with their chains.
    pub(super) chosen: &'a Ensemble,
}

impl Cloud<'_> {
    /// Tests two groups (indices of the matrix) against each other, and no draw but theirs; `None` when they are too small or at one place. The
    /// p-value is multiplied by `tries`, the number of splits that are tried.
    pub(super) fn test(&self, medoids: [usize; 2], groups: &[Vec<usize>; 2], tries: f64) -> Result<Option<SplitTest>> {
        let mut set: Vec<(usize, usize)> = Vec::with_capacity(groups[0].len() + groups[1].len());
        groups.iter().enumerate().for_each(|(g, group)| set.extend(group.iter().map(|&i| (i, g))));
        set.sort_unstable();
        // A random half fits, the rest is looked at; then the other way round. (Every other draw would not do: modes may alternate.)
        let mut rng = stream(set.len() as u64, Purpose::Splits, 1);
        let halves: Vec<bool> = set.iter().map(|_| rng.random()).collect();
        let total: f64 = set.iter().map(|&(i, _)| self.weights[i]).sum();
        let mut places = vec![0.0; set.len()];
        let (mut peak, mut valley) = (0.0, 0.0);
        for half in [false, true] {
            let fit = [0, 1].map(|g| {
                let own = (0..set.len()).filter(|&p| halves[p] == half && set[p].1 == g);
                own.map(|p| set[p].0).collect::<Vec<usize>>()
            });
            let Some(line) = Line::new(self, &fit) else { return Ok(None) };
            let fitted = (0..set.len()).filter(|&p| halves[p] == half).map(|p| set[p].0);
            let windows = Windows::fitted(fitted.map(|i| (line.place(self, i), self.weights[i])).collect());
            let mut held = Vec::new();
            for p in (0..set.len()).filter(|&p| halves[p] != half) {
                places[p] = line.place(self, set[p].0);
                held.push((places[p], self.weights[set[p].0] / total));
            }
            let [low, middle, high] = windows.held(&held);
            peak += low.min(high);
            valley += middle;
        }
        let members: Vec<usize> = set.iter().map(|&(i, _)| i).collect();
        let draws = self.chosen.select(&members)?;
        let mut residuals = places.clone();
        for side in [false, true] {
            let own: Vec<usize> = (0..places.len()).filter(|&p| (places[p] > 0.5) == side).collect();
            let mean = own.iter().map(|&p| places[p]).sum::<f64>() / own.len().max(1) as f64;
            own.iter().for_each(|&p| residuals[p] -= mean);
        }
        let effective = effective_draws(&draws, &residuals);
        let by_coin = coin(effective * valley, effective * peak);
        let chains = chains_in_order(&draws);
        let by_chains = stay_apart(&chains, |m| set[m].1 == 0);
        // Chains that never change their group say nothing about how often they would; that they are at different places is what there is to test.
        let by_places = if by_chains {
            let traces: Vec<Vec<f64>> = chains.iter().map(|chain| chain.iter().map(|&m| places[m]).collect()).collect();
            apart(&traces.iter().map(Vec::as_slice).collect::<Vec<_>>())
        } else {
            1.0
        };
        let all: f64 = self.weights.iter().sum();
        let share = |group: &Vec<usize>| group.iter().map(|&i| self.weights[i]).sum::<f64>() / all;
        Ok(Some(SplitTest {
            medoids,
            weights: [share(&groups[0]), share(&groups[1])],
            peak,
            valley,
            crossing: self.crossing(&members, &places, groups),
            by_chains,
            effective_draws: effective,
            p_value: (tries * by_coin.min(by_places)).min(1.0),
        }))
    }

    /// The valley along the draws. On a line it can be made by the geometry alone: a posterior that differs in weights only is a curve
    /// that turns at every point, whose ends pile up on any line. Pairs of near draws do not know of the line but for its order, so they are
    /// counted across cuts of it: those across the emptiest cut between the groups over those across the fullest within, for the lower peak.
    fn crossing(&self, members: &[usize], places: &[f64], groups: &[Vec<usize>; 2]) -> f64 {
        let radius = groups.iter().map(|group| self.near(group)).fold(0.0, f64::max);
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by(|&a, &b| places[a].total_cmp(&places[b]).then(a.cmp(&b)));
        // Pairs across the cut before each draw, by where they begin and end.
        let mut changes = vec![0i64; order.len() + 1];
        for a in 0..order.len() {
            for b in a + 1..order.len() {
                if self.matrix.get(members[order[a]], members[order[b]]) <= radius {
                    changes[a + 1] += 1;
                    changes[b + 1] -= 1;
                }
            }
        }
        let (mut pairs, mut low, mut middle, mut high) = (0, 0, i64::MAX, 0);
        for (rank, change) in changes.iter().enumerate().take(order.len()).skip(1) {
            pairs += change;
            let cut = 0.5 * (places[order[rank - 1]] + places[order[rank]]);
            if cut < 0.25 {
                low = low.max(pairs);
            } else if cut > 0.75 {
                high = high.max(pairs);
            } else {
                middle = middle.min(pairs);
            }
        }
        let peak = low.min(high);
        // No cut between the groups: they are so far apart that the jump from one to the other is at the edge.
        let middle = if middle == i64::MAX { 0 } else { middle };
        if peak == 0 { f64::INFINITY } else { middle as f64 / peak as f64 }
    }

    /// The distance within which draws of a group are near: half of its draws have so many others within it.
    fn near(&self, group: &[usize]) -> f64 {
        let neighbours = (group.len() / 6).clamp(1, MOST_NEIGHBOURS);
        let mut farthest: Vec<f64> = Vec::with_capacity(group.len());
        let mut row = Vec::with_capacity(group.len());
        for &i in group {
            row.clear();
            row.extend(group.iter().filter(|&&j| j != i).map(|&j| self.matrix.get(i, j)));
            if row.len() >= neighbours {
                farthest.push(*row.select_nth_unstable_by(neighbours - 1, f64::total_cmp).1);
            }
        }
        farthest.sort_by(f64::total_cmp);
        farthest.get(farthest.len() / 2).copied().unwrap_or(0.0)
    }
}

/// A draw has so many near ones at most, typically: fewer make the counts of pairs uncertain where draws lie along a curve.
const MOST_NEIGHBOURS: usize = 30;

/// Whether every chain stays in one of two groups, and each group has a chain.
fn stay_apart(chains: &[Vec<usize>], first: impl Fn(usize) -> bool) -> bool {
    let shares = chains.iter().map(|chain| chain.iter().filter(|&&m| first(m)).count() as f64 / chain.len() as f64);
    let shares: Vec<f64> = shares.collect();
    shares.iter().all(|&share| share >= STAYS || share <= 1.0 - STAYS)
        && shares.iter().any(|&share| share >= STAYS)
        && shares.iter().any(|&share| share <= 1.0 - STAYS)
}

/// The line through the means of two groups, with 0 and 1 at the groups' median places.
struct Line<'a> {
    groups: &'a [Vec<usize>; 2],
    zero: f64,
    length: f64,
}

impl<'a> Line<'a> {
    fn new(cloud: &Cloud, groups: &'a [Vec<usize>; 2]) -> Option<Self> {
        if groups.iter().any(|group| group.len() < 2) {
            return None;
        }
        let mut line = Line { groups, zero: 0.0, length: 1.0 };
        let median = |g: usize| {
            let places: Vec<f64> = groups[g].iter().map(|&i| line.place(cloud, i)).collect();
            let own: Vec<f64> = groups[g].iter().map(|&i| cloud.weights[i]).collect();
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
    fn place(&self, cloud: &Cloud, i: usize) -> f64 {
        let mean = |group: &[usize]| {
            let (mut sum, mut mass) = (0.0, 0.0);
            for &j in group.iter().filter(|&&j| j != i) {
                sum += cloud.weights[j] * cloud.matrix.get(i, j).powi(2);
                mass += cloud.weights[j];
            }
            if mass > 0.0 { sum / mass } else { 0.0 }
        };
        (mean(&self.groups[0]) - mean(&self.groups[1]) - self.zero) / self.length
    }
}

/// Three windows of one width on the line: at 0, at 1, and one between that overlaps neither.
#[derive(Clone, Copy)]
struct Windows {
    center: f64,
    half_width: f64,
}

impl Windows {
    /// Those that show a valley best in the draws that the line was fitted to. Others are counted in them, so that the choice is no evidence by
    /// itself.
    fn fitted(places: Vec<(f64, f64)>) -> Self {
        let mut best = (f64::NEG_INFINITY, Windows { center: 0.5, half_width: 1.0 / 6.0 });
        for half_width in [1.0 / 8.0, 1.0 / 6.0, 1.0 / 5.0, 1.0 / 4.0] {
            let steps = ((1.0 - 4.0 * half_width) / 0.05 + 1e-9) as usize;
            for step in 0..=steps {
                let center = 2.0 * half_width + (1.0 - 4.0 * half_width) * (step as f64 / steps.max(1) as f64);
                let windows = Windows { center, half_width };
                let [low, middle, high] = windows.held(&places);
                let peak = low.min(high);
                let score = if peak > 0.0 { (peak - middle) / (peak + middle).sqrt() } else { f64::NEG_INFINITY };
                // Among equally good ones the one in the middle.
                let score = score * (1.0 - 1e-3 * (center - 0.5).abs());
                if score > best.0 {
                    best = (score, windows);
                }
            }
        }
        best.1
    }

    /// The weight in each of the three, of places with their weights.
    fn held(&self, places: &[(f64, f64)]) -> [f64; 3] {
        [0.0, self.center, 1.0].map(|center| {
            let inside = places.iter().filter(|(place, _)| (place - center).abs() <= self.half_width);
            inside.map(|(_, weight)| weight).sum()
        })
    }
}

/// Probability that a fair coin shows at most `few` heads when it is thrown `few` + `many` times, counts rounded against evidence.
fn coin(few: f64, many: f64) -> f64 {
    let (few, throws) = ((few - 1e-9).ceil().max(0.0), (few + many + 1e-9).floor());
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
            crossing: 0.25,
            by_chains: false,
            effective_draws: 100.0,
            p_value: FALSE_ALARM,
        };
        assert!(good.accepted());
        for (bad, condition) in [
            (SplitTest { p_value: 2.0 * FALSE_ALARM, ..good }, Condition::Evidence),
            (SplitTest { valley: 0.11, ..good }, Condition::Depth),
            (SplitTest { crossing: 0.3, ..good }, Condition::Depth),
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

    #[test]
    fn chains_that_stay_are_recognised() {
        let chains = [vec![0, 1, 2], vec![3, 4], vec![5]];
        assert!(stay_apart(&chains, |m| m < 3));
        assert!(!stay_apart(&chains, |m| m < 4));
        assert!(!stay_apart(&chains, |_| true));
    }
}
