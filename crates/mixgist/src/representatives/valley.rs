//! One mode or two: the test whether two groups of draws have a valley between them.

use super::{FALSE_ALARM, LEAST_MASS, MOST_VALLEY};
use crate::Result;
use crate::agreement::apart;
use crate::effective::{ascending, chains_in_order, effective_draws, sorted_quantile};
use crate::ensemble::Ensemble;
use crate::pairwise::Condensed;
use crate::random::{Purpose, stream};
use crate::tails::incomplete_beta;
use crate::text::Index;
use rand::RngExt;

/// A test of one mode against two.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct SplitTest {
    /// The draws that are the medoids of the two groups.
    #[schemars(with = "[Index; 2]")]
    pub medoids: [usize; 2],
    /// Posterior probability of each group.
    pub weights: [f64; 2],
    /// Share of the set's draws in the window at the lower peak.
    pub peak: f64,
    /// Share between the peaks, as much as a window of the same width holds there.
    pub valley: f64,
    /// Pairs of near draws across the emptiest cut between the groups, as a part of those across the lower of the cuts at their medians. The emptiest cut is
    /// chosen in one half of the draws, and its pairs are counted in the other.
    #[serde(default, with = "crate::document::infinite_is_null")]
    #[schemars(with = "Option<f64>")]
    pub crossing: f64,
    /// For groups of whole chains, how far the steadiest chain of either group moves from its first to its second half, as a part of the squared distance
    /// between the groups; null for other groups.
    #[serde(default)]
    pub drift: Option<f64>,
    /// Whether each chain stays in one of the groups.
    #[serde(default)]
    pub by_chains: bool,
    /// Effective sample size of the set within the groups.
    pub effective_draws: f64,
    /// Probability of so deep a valley under one mode, at most.
    pub p_value: f64,
}

/// What a split must have to be one of two modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Condition {
    /// A posterior with one mode shows such a valley with probability at most [`FALSE_ALARM`].
    Evidence,
    /// The valley is at most [`MOST_VALLEY`] of the lower peak on the line, and at most the square of that in pairs of near draws; instead of the
    /// latter, groups of whole chains must keep apart.
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
        self.valley <= MOST_VALLEY * self.peak
            && match self.drift {
                Some(drift) => self.by_chains && drift <= MOST_DRIFT,
                // Pairs go with the square of the density.
                None => self.crossing <= MOST_VALLEY * MOST_VALLEY,
            }
    }
}

/// Groups of chains are modes only if their chains move by at most this part of the squared distance between the groups from their first to their second half. A chain that
/// creeps through one mode moves more, if it is at least three quarters as long as the time in which its autocorrelation falls to 1/e.
pub(super) const MOST_DRIFT: f64 = 0.25;

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
        let set = pair(groups);
        // A random half fits, the rest is looked at; then the other way round. (Every other draw would not do: modes may alternate.)
        let mut rng = stream(set.len() as u64, Purpose::Splits, 1);
        let halves: Vec<bool> = set.iter().map(|_| rng.random()).collect();
        let Some(HeldOut { places, counts }) = self.held_out(&set, &halves) else { return Ok(None) };
        let members: Vec<usize> = set.iter().map(|&(i, _)| i).collect();
        let draws = self.chosen.select(&members)?;
        let effective = effective_within(&draws, &places);
        // Both must show it: under one mode the valley is at least as high as one of them.
        let by_coin = counts.iter().map(|count| count.p_value(effective)).fold(0.0, f64::max);
        let lower = lower(&counts);
        let chains = chains_in_order(&draws);
        let by_chains = stay_apart(&chains, |m| set[m].1 == 0);
        // Chains that never change their group say nothing about how often they would; that they are at different places is what there is to test.
        let by_places = if by_chains { different_places(&chains, &places) } else { 1.0 };
        Ok(Some(SplitTest {
            medoids,
            weights: [0, 1].map(|g| self.share(&groups[g])),
            peak: lower.peak,
            valley: lower.level(),
            crossing: self.crossing(&members, &places, &halves, groups),
            drift: None,
            by_chains,
            effective_draws: effective,
            p_value: (tries * by_coin.min(by_places)).min(1.0),
        }))
    }

    /// Tests two groups of whole chains against each other; `None` when a group is too small or both are at one place.
    ///
    /// What is fitted on one half of every chain is tested on the other half, in time: a chain that creeps through one mode is elsewhere by then. Pairs of near
    /// draws are not counted: in many coordinates draws of two modes are nearly as near to each other as draws of one. Instead chains must stay where they
    /// are ([`MOST_DRIFT`]).
    pub(super) fn test_chains(&self, groups: &[Vec<usize>; 2], tries: f64) -> Result<Option<ChainTest>> {
        let set = pair(groups);
        let members: Vec<usize> = set.iter().map(|&(i, _)| i).collect();
        let draws = self.chosen.select(&members)?;
        let chains = chains_in_order(&draws);
        let mut halves = vec![false; set.len()];
        chains.iter().flat_map(|chain| &chain[chain.len() / 2..]).for_each(|&m| halves[m] = true);
        let Some(HeldOut { places, counts }) = self.held_out(&set, &halves) else { return Ok(None) };
        let misplaced = |chain: &Vec<usize>| {
            let wrong = chain.iter().filter(|&&m| (places[m] < 0.5) != (set[m].1 == 0)).count();
            wrong as f64 / chain.len() as f64
        };
        let overlap = chains.iter().map(misplaced).fold(0.0, f64::max);
        let of = |chain: &[usize]| chain.iter().map(|&m| members[m]).collect::<Vec<usize>>();
        let steadiest = |g: usize| {
            let own = chains.iter().filter(|chain| set[chain[0]].1 == g);
            let moved = own.map(|chain| {
                let (first, second) = chain.split_at(chain.len() / 2);
                self.displacement(&of(first), &of(second))
            });
            moved.fold(f64::INFINITY, f64::min)
        };
        let between = self.displacement(&groups[0], &groups[1]);
        let lower = lower(&counts);
        let test = SplitTest {
            medoids: [groups[0][0], groups[1][0]],
            weights: [0, 1].map(|g| self.share(&groups[g])),
            peak: lower.peak,
            valley: lower.level(),
            crossing: f64::INFINITY,
            drift: Some((steadiest(0).max(steadiest(1)).max(0.0) / between.max(f64::MIN_POSITIVE)).min(1.0)),
            by_chains: overlap <= 1.0 - STAYS,
            effective_draws: effective_within(&draws, &places),
            p_value: (tries * different_places(&chains, &places)).min(1.0),
        };
        Ok(Some(ChainTest { test, overlap }))
    }

    /// Places of all draws of a set on lines that are fitted to the other half, and what windows hold that are; `None` when the groups are too
    /// small or at one place.
    fn held_out(&self, set: &[(usize, usize)], halves: &[bool]) -> Option<HeldOut> {
        let total: f64 = set.iter().map(|&(i, _)| self.weights[i]).sum();
        let mut places = vec![0.0; set.len()];
        let mut counts = [Count::default(); 2];
        for half in [false, true] {
            let fit = [0, 1].map(|g| {
                let own = (0..set.len()).filter(|&p| halves[p] == half && set[p].1 == g);
                own.map(|p| set[p].0).collect::<Vec<usize>>()
            });
            let line = Line::new(self, &fit)?;
            let fitted = (0..set.len()).filter(|&p| halves[p] == half).map(|p| set[p].0);
            let windows = Windows::fitted(&fitted.map(|i| (line.place(self, i), self.weights[i])).collect::<Vec<_>>());
            let mut held = Vec::new();
            for p in (0..set.len()).filter(|&p| halves[p] != half) {
                places[p] = line.place(self, set[p].0);
                held.push((places[p], self.weights[set[p].0] / total));
            }
            let [low, middle, high] = windows.count(&held);
            counts[0].add(low, middle, windows.breadth(0));
            counts[1].add(high, middle, windows.breadth(1));
        }
        Some(HeldOut { places, counts })
    }

    /// The part of the posterior that a group has.
    fn share(&self, group: &[usize]) -> f64 {
        group.iter().map(|&i| self.weights[i]).sum::<f64>() / self.weights.iter().sum::<f64>()
    }

    /// The squared distance between the means of two groups: that between their draws, less that within them.
    fn displacement(&self, a: &[usize], b: &[usize]) -> f64 {
        let mean = |a: &[usize], b: &[usize]| {
            let (mut sum, mut mass) = (0.0, 0.0);
            for (&i, &j) in a.iter().flat_map(|i| b.iter().map(move |j| (i, j))).filter(|(i, j)| i != j) {
                let weight = self.weights[i] * self.weights[j];
                sum += weight * self.matrix.get(i, j).powi(2);
                mass += weight;
            }
            if mass > 0.0 { sum / mass } else { 0.0 }
        };
        mean(a, b) - 0.5 * (mean(a, a) + mean(b, b))
    }

    /// The valley along the draws. On a line it can be made by the geometry alone: a posterior that differs in weights only is a curve
    /// that turns at every point, whose ends pile up on any line. Pairs of near draws do not know of the line but for its order, so they are
    /// counted across cuts of it: those across the emptiest cut between the groups over those across the fullest within, for the lower peak.
    ///
    /// The emptiest of many cuts is emptier than it should be, so that it is chosen in one half of the draws and judged in the other, twice; the lower
    /// peak is the lower of the cuts at the groups' medians.
    fn crossing(&self, members: &[usize], places: &[f64], halves: &[bool], groups: &[Vec<usize>; 2]) -> f64 {
        let radius = groups.iter().map(|group| self.near(group)).fold(0.0, f64::max);
        let cuts = |of: &dyn Fn(usize) -> bool| {
            let mut order: Vec<usize> = (0..members.len()).filter(|&p| of(p)).collect();
            order.sort_by(|&a, &b| places[a].total_cmp(&places[b]).then(a.cmp(&b)));
            let place = order.iter().map(|&p| places[p]).collect();
            Cuts::new(place, |a, b| self.matrix.get(members[order[a]], members[order[b]]) <= radius)
        };
        let all = cuts(&|_| true);
        let peak = all.across(0.0).min(all.across(1.0));
        let of_half = [false, true].map(|half| cuts(&|p| halves[p] == half));
        let middle: i64 =
            [0, 1].map(|half| of_half[half].across(of_half[1 - half].emptiest().unwrap_or(0.5))).iter().sum();
        // Pairs within halves are half of all pairs.
        if peak == 0 { f64::INFINITY } else { 2.0 * middle as f64 / peak as f64 }
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

/// Draws of two groups on the line between them.
struct HeldOut {
    places: Vec<f64>,
    counts: [Count; 2],
}

/// A test of two groups of chains, with the largest part of a chain that lies on the side of the other group.
pub(super) struct ChainTest {
    pub(super) test: SplitTest,
    pub(super) overlap: f64,
}

/// The draws of both groups in order, each with its group.
fn pair(groups: &[Vec<usize>; 2]) -> Vec<(usize, usize)> {
    let mut set: Vec<(usize, usize)> = Vec::with_capacity(groups[0].len() + groups[1].len());
    groups.iter().enumerate().for_each(|(g, group)| set.extend(group.iter().map(|&i| (i, g))));
    set.sort_unstable();
    set
}

/// The outer window that shows less of a valley.
fn lower(counts: &[Count; 2]) -> Count {
    let ratio = |count: &Count| if count.peak > 0.0 { count.level() / count.peak } else { f64::INFINITY };
    if ratio(&counts[1]) > ratio(&counts[0]) { counts[1] } else { counts[0] }
}

/// The effective sample size within groups: of whether a draw is on the inner side of its group's median. Half of either group is, so that changes of the group
/// do not count, and what is left has the autocorrelation of a window's count.
fn effective_within(draws: &Ensemble, places: &[f64]) -> f64 {
    let inner: Vec<f64> = places.iter().map(|place| f64::from(u8::from((0.0..1.0).contains(place)))).collect();
    effective_draws(draws, &inner)
}

/// Probability that chains at one place lie at such places of the line.
fn different_places(chains: &[Vec<usize>], places: &[f64]) -> f64 {
    let traces: Vec<Vec<f64>> = chains.iter().map(|chain| chain.iter().map(|&m| places[m]).collect()).collect();
    apart(&traces.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

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

/// Pairs of near draws across each cut of a line.
struct Cuts {
    /// Places of the draws, ascending.
    places: Vec<f64>,
    /// Pairs across the cut before each of them.
    pairs: Vec<i64>,
}

impl Cuts {
    fn new(places: Vec<f64>, near: impl Fn(usize, usize) -> bool) -> Self {
        // By where each pair begins and ends.
        let mut changes = vec![0i64; places.len() + 1];
        for a in 0..places.len() {
            for b in (a + 1..places.len()).filter(|&b| near(a, b)) {
                changes[a + 1] += 1;
                changes[b + 1] -= 1;
            }
        }
        let mut pairs = 0;
        let sum = |change: i64| {
            pairs += change;
            pairs
        };
        Cuts { pairs: changes.into_iter().map(sum).collect(), places }
    }

    /// The cut between the groups with the fewest pairs, halfway between the two successive draws that are farthest apart among equals; `None` when there is
    /// no draw near it on either side.
    fn emptiest(&self) -> Option<f64> {
        let cut = |rank: usize| 0.5 * (self.places[rank - 1] + self.places[rank]);
        let gap = |rank: usize| self.places[rank] - self.places[rank - 1];
        let between = (1..self.places.len()).filter(|&rank| (0.25..=0.75).contains(&cut(rank)));
        let emptier = |&a: &usize, &b: &usize| self.pairs[a].cmp(&self.pairs[b]).then(gap(b).total_cmp(&gap(a)));
        between.min_by(emptier).map(cut)
    }

    /// Pairs across a cut, which may have been chosen elsewhere.
    fn across(&self, cut: f64) -> i64 {
        self.pairs[self.places.partition_point(|&place| place < cut)]
    }
}

/// Three windows on the line: one around 0, one around 1, and one between that overlaps neither.
#[derive(Clone, Copy)]
struct Windows {
    /// Half the width of the window at 0, and of that at 1.
    half_widths: [f64; 2],
    valley: (f64, f64),
}

/// What windows hold: one of the outer ones, and the one between, added up over the halves of the draws.
#[derive(Clone, Copy, Default)]
struct Count {
    peak: f64,
    valley: f64,
    heads: f64,
}

impl Count {
    /// Adds what other windows hold, the one between `breadth` times as wide as the outer one.
    fn add(&mut self, peak: f64, valley: f64, breadth: f64) {
        self.peak += peak;
        self.valley += valley;
        self.heads += (peak + valley) * breadth / (1.0 + breadth);
    }

    /// Probability of heads, the mean over all throws. Few heads of coins that are not alike are no more probable than of as many coins that all
    /// have their mean (Hoeffding 1956).
    fn head(&self) -> f64 {
        let throws = self.peak + self.valley;
        if throws > 0.0 { self.heads / throws } else { 0.5 }
    }

    /// What a window as wide as the outer one holds of the valley.
    fn level(&self) -> f64 {
        self.valley * (1.0 - self.head()) / self.head()
    }

    fn p_value(&self, effective: f64) -> f64 {
        coin(effective * self.valley, effective * self.peak, self.head())
    }
}

/// Half widths of the windows at 0 and 1 that are tried.
const HALF_WIDTHS: [f64; 7] = [0.06, 0.08, 0.12, 0.16, 0.2, 0.25, 0.32];

/// Edges of the window between are multiples of this, and it is at least twice as wide.
const STEP: f64 = 0.04;

impl Windows {
    /// Those that show a valley best in the draws that the line was fitted to: with the greater evidence against the weaker of the outer two. Others are counted in
    /// them, so that the choice is no evidence by itself.
    fn fitted(places: &[(f64, f64)]) -> Self {
        let one = places.iter().map(|(_, weight)| weight).sum::<f64>() / places.len() as f64;
        let outer = |place: f64, half_width: f64| weight_within(places, place - half_width, place + half_width);
        let peaks = [0.0, 1.0].map(|place| HALF_WIDTHS.map(|half_width| outer(place, half_width)));
        // The log likelihood ratio of the coin; half a draw more in the valley, lest windows just as wide as it are taken.
        let score = |peak: f64, valley: f64, breadth: f64| {
            let (valley, fair) = (valley + 0.5 * one, breadth / (1.0 + breadth));
            let throws = valley + peak;
            if peak <= 0.0 || valley / throws >= fair {
                return f64::NEG_INFINITY;
            }
            valley * libm::log(valley / (throws * fair)) + peak * libm::log(peak / (throws * (1.0 - fair)))
        };
        let mut best = (f64::NEG_INFINITY, Windows { half_widths: [0.16; 2], valley: (0.32, 0.68) });
        let steps = (1.0 / STEP).round() as usize;
        for begin in 1..steps {
            for end in begin + 2..steps {
                let (from, to) = (begin as f64 * STEP, end as f64 * STEP);
                let middle = weight_within(places, from, to);
                let side = |side: usize, room: f64| {
                    let fits = (0..HALF_WIDTHS.len()).filter(|&w| HALF_WIDTHS[w] <= room + 1e-9);
                    let scores = fits
                        .map(|w| (score(peaks[side][w], middle, (to - from) / (2.0 * HALF_WIDTHS[w])), HALF_WIDTHS[w]));
                    scores.reduce(|best, next| if next.0 > best.0 { next } else { best })
                };
                let (Some(low), Some(high)) = (side(0, from), side(1, 1.0 - to)) else { continue };
                if low.0.min(high.0) > best.0 {
                    best = (low.0.min(high.0), Windows { half_widths: [low.1, high.1], valley: (from, to) });
                }
            }
        }
        best.1
    }

    /// How many times as wide as an outer one the window between is.
    fn breadth(&self, side: usize) -> f64 {
        (self.valley.1 - self.valley.0) / (2.0 * self.half_widths[side])
    }

    /// The weight in each of the three, of places with their weights.
    fn count(&self, places: &[(f64, f64)]) -> [f64; 3] {
        let [low, high] = self.half_widths;
        [
            weight_within(places, -low, low),
            weight_within(places, self.valley.0, self.valley.1),
            weight_within(places, 1.0 - high, 1.0 + high),
        ]
    }
}

/// The weight of the places from `from` to `to`.
fn weight_within(places: &[(f64, f64)], from: f64, to: f64) -> f64 {
    places.iter().filter(|(place, _)| (from..=to).contains(place)).map(|(_, weight)| weight).sum()
}

/// Probability that a coin shows at most `few` heads when it is thrown `few` + `many` times. Numbers of independent draws need not be whole: the distribution
/// function of the binomial distribution goes on between whole numbers as an incomplete beta function.
fn coin(few: f64, many: f64, head: f64) -> f64 {
    if many <= 0.0 { 1.0 } else { incomplete_beta(1.0 - head, many, few.max(0.0) + 1.0) }
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
            drift: None,
            by_chains: false,
            effective_draws: 100.0,
            p_value: FALSE_ALARM,
        };
        assert!(good.accepted());
        assert!(SplitTest { drift: Some(0.1), by_chains: true, crossing: f64::INFINITY, ..good }.accepted());
        for (bad, condition) in [
            (SplitTest { p_value: 2.0 * FALSE_ALARM, ..good }, Condition::Evidence),
            (SplitTest { valley: 0.11, ..good }, Condition::Depth),
            (SplitTest { crossing: 0.3, ..good }, Condition::Depth),
            (SplitTest { drift: Some(0.1), ..good }, Condition::Depth),
            (SplitTest { drift: Some(0.3), by_chains: true, ..good }, Condition::Depth),
            (SplitTest { weights: [0.96, 0.04], ..good }, Condition::Mass),
        ] {
            assert!(!bad.accepted());
            assert_eq!(bad.refused_by(), [condition]);
        }
    }

    #[test]
    fn the_coin_is_fair() {
        assert!((coin(0.0, 10.0, 0.5) - 1.0 / 1024.0).abs() < 1e-12);
        assert!((coin(1.0, 3.0, 0.5) - 5.0 / 16.0).abs() < 1e-12);
        let between = coin(0.4, 9.6, 0.5);
        assert!(coin(0.0, 10.0, 0.5) < between && between < coin(1.0, 9.0, 0.5));
        assert!((coin(0.0, 5.0, 0.75) - 0.25f64.powi(5)).abs() < 1e-15);
        assert_eq!(coin(3.0, 0.0, 0.5), 1.0);
        assert!((coin(500.0, 500.0, 0.5) - 0.512_6).abs() < 1e-3);
    }

    #[test]
    fn pairs_across_a_cut_are_those_with_an_end_on_either_side() {
        let places: Vec<f64> = vec![-0.1, 0.0, 0.2, 0.3, 0.7, 0.9, 1.0, 1.1];
        let near = |a: usize, b: usize| !(a + 2 * b).is_multiple_of(3);
        let cuts = Cuts::new(places.clone(), near);
        for cut in [-1.0, -0.05, 0.1, 0.25, 0.5, 0.8, 1.05, 2.0] {
            let across = (0..8).flat_map(|a| (a + 1..8).map(move |b| (a, b)));
            let across = across.filter(|&(a, b)| near(a, b) && places[a] < cut && places[b] >= cut);
            assert_eq!(cuts.across(cut), across.count() as i64, "{cut}");
        }
        let emptiest = cuts.emptiest().unwrap();
        assert!((0.25..=0.75).contains(&emptiest));
        assert!([0.26, 0.5, 0.74].iter().all(|&cut| cuts.across(cut) >= cuts.across(emptiest)));
    }

    /// Densities with one mode anywhere, of any slope: no windows hold less between than in proportion to the emptier outer one.
    #[test]
    fn one_mode_leaves_no_valley() {
        for mode in [-0.5f64, 0.0, 0.3, 0.6, 1.0, 1.5] {
            for width in [0.1, 0.4, 2.0] {
                let density = |x: f64| libm::exp(-((x - mode) / width).abs());
                let places: Vec<(f64, f64)> =
                    (0..4000).map(|i| -1.0 + f64::from(i) / 1333.0).map(|x| (x, density(x))).collect();
                for half_widths in [[0.06, 0.06], [0.16, 0.08], [0.12, 0.25]] {
                    for (from, to) in [(half_widths[0], 1.0 - half_widths[1]), (0.3, 0.6), (0.4, 0.72)] {
                        let windows = Windows { half_widths, valley: (from, to) };
                        let [low, middle, high] = windows.count(&places);
                        let least = (windows.breadth(0) * low).min(windows.breadth(1) * high);
                        // The grid's edges count one point more or less.
                        assert!(middle >= 0.97 * least, "{mode} {width} {half_widths:?} {from}");
                    }
                }
            }
        }
    }

    #[test]
    fn chains_that_stay_are_recognised() {
        let chains = [vec![0, 1, 2], vec![3, 4], vec![5]];
        assert!(stay_apart(&chains, |m| m < 3));
        assert!(!stay_apart(&chains, |m| m < 4));
        assert!(!stay_apart(&chains, |_| true));
    }
}
