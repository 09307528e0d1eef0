//! How many modes: chains that stay apart are looked at apart; sets of draws are split where a valley is proved, and pieces without a valley between them are put
//! together again.

use super::chains;
use super::pam::k_medoids;
use super::valley::{Cloud, SplitTest};
use crate::Result;
use crate::progress::Progress;

/// The modes with the tests that made them.
pub(super) struct Modes {
    /// Groups of whole chains that stay apart; one group when none does.
    pub(super) families: Vec<Family>,
    /// The tests of chains, those of splits, in order, those of pairs that were put together again, and that of every pair of modes that are left.
    pub(super) tests: Vec<SplitTest>,
}

/// Chains that stay apart from the others, with the modes in which they are. Numbers are indices of the matrix.
pub(super) struct Family {
    /// All draws of these chains.
    pub(super) members: Vec<usize>,
    /// The modes.
    pub(super) groups: Vec<Vec<usize>>,
}

/// No more modes than this are looked for.
const MOST_MODES: usize = 10;

/// Smaller sets are not tested: not even an empty valley would be evidence.
pub(super) const FEWEST: usize = 20;

/// A set is divided into so many groups at most, each of which is tried against its nearest neighbour: two medoids cut three modes in a row through the
/// middle one.
const MOST_GROUPS: usize = 4;

/// How many splits of a set are tried: one of two groups, three of three, four of four.
const TRIES: f64 = 8.0;

/// Two modes that were found apart from others are apart from each other unless chance makes their valley more often than this.
const PAIR_LEVEL: f64 = 0.05;

/// Finds the modes of all draws of the cloud.
pub(super) fn find(cloud: &Cloud, progress: &dyn Progress) -> Result<Modes> {
    let mut tests = Vec::new();
    let sets = chains::groups(cloud, &mut tests, progress)?;
    let mut families: Vec<Family> = Vec::with_capacity(sets.len());
    for (place, members) in sets.iter().enumerate() {
        let others = families.iter().map(|family| family.groups.len()).sum::<usize>() + sets.len() - place - 1;
        let pieces = split(cloud, members, MOST_MODES.saturating_sub(others), &mut tests, progress)?;
        let groups = merged(cloud, pieces, &mut tests, progress)?;
        families.push(Family { members: members.clone(), groups });
    }
    Ok(Modes { families, tests })
}

/// Splits a set where a valley is proved, into at most so many pieces.
fn split(
    cloud: &Cloud,
    set: &[usize],
    most: usize,
    tests: &mut Vec<SplitTest>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<usize>>> {
    let mut done = Vec::new();
    let mut open = vec![set.to_vec()];
    while let Some(set) = open.pop() {
        let best = match done.len() + open.len() + 1 < most {
            true => best_split(cloud, &set, progress)?,
            false => None,
        };
        match best {
            Some(split) if split.test.accepted() => {
                tests.push(split.test);
                open.extend(split.groups);
            }
            other => {
                tests.extend(other.map(|split| split.test));
                done.push(set);
            }
        }
    }
    Ok(done)
}

struct Split {
    groups: [Vec<usize>; 2],
    test: SplitTest,
}

/// The split of a set with the best evidence among those that are accepted, or among all when none is; `None` for sets that cannot be split.
fn best_split(cloud: &Cloud, set: &[usize], progress: &dyn Progress) -> Result<Option<Split>> {
    if set.len() < FEWEST {
        return Ok(None);
    }
    let mut best: Option<Split> = None;
    for k in 2..=MOST_GROUPS {
        let medoids = k_medoids(cloud.matrix, cloud.weights, set, k, &[], progress)?;
        let cells = cells(cloud, set, &medoids);
        for alone in 0..if k == 2 { 1 } else { k } {
            progress.check()?;
            let gap = |place: usize| cloud.matrix.get(medoids[place], medoids[alone]);
            let others = (0..k).filter(|&place| place != alone);
            let Some(next) = others.reduce(|best, place| if gap(place) < gap(best) { place } else { best }) else {
                continue;
            };
            // Against the nearest other group alone: the median of several groups may lie between them.
            let pair = [cells[alone].clone(), cells[next].clone()];
            let Some(test) = cloud.test([medoids[alone], medoids[next]], &pair, TRIES)? else { continue };
            let rest: Vec<usize> = (0..k).filter(|&place| place != alone).flat_map(|p| cells[p].clone()).collect();
            let mut groups = [cells[alone].clone(), rest];
            groups.iter_mut().for_each(|group| group.sort_unstable());
            let all: f64 = cloud.weights.iter().sum();
            let share = |group: &[usize]| group.iter().map(|&i| cloud.weights[i]).sum::<f64>() / all;
            let test = SplitTest { weights: [share(&groups[0]), share(&groups[1])], ..test };
            let found = Split { groups, test };
            let better = |best: &Split| {
                (found.test.accepted(), -found.test.p_value) > (best.test.accepted(), -best.test.p_value)
            };
            if best.as_ref().is_none_or(better) {
                best = Some(found);
            }
        }
    }
    Ok(best)
}

/// The points that are nearest to each of the medoids, the first among equals.
fn cells(cloud: &Cloud, set: &[usize], medoids: &[usize]) -> Vec<Vec<usize>> {
    let mut cells = vec![Vec::new(); medoids.len()];
    for &i in set {
        let gap = |place: usize| cloud.matrix.get(i, medoids[place]);
        let nearest = (0..medoids.len()).reduce(|best, place| if gap(place) < gap(best) { place } else { best });
        cells[nearest.unwrap_or(0)].push(i);
    }
    cells
}

/// Puts groups together until every pair shows a valley, those with the least sign of one first. A split that cuts through a mode leaves pieces
/// that were never tested against each other.
fn merged(
    cloud: &Cloud,
    mut groups: Vec<Vec<usize>>,
    tests: &mut Vec<SplitTest>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<usize>>> {
    loop {
        let medoids = groups
            .iter()
            .map(|group| Ok(k_medoids(cloud.matrix, cloud.weights, group, 1, &[], progress)?[0]))
            .collect::<Result<Vec<usize>>>()?;
        let mut pairs: Vec<SplitTest> = Vec::new();
        let mut worst: Option<(f64, usize, usize, Option<SplitTest>)> = None;
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                progress.check()?;
                let pair = [groups[a].clone(), groups[b].clone()];
                let test = cloud.test([medoids[a], medoids[b]], &pair, 1.0)?;
                let kept = test.is_some_and(|test| test.is_deep() && test.p_value <= PAIR_LEVEL);
                let depth = test.map_or(f64::INFINITY, |test| (test.valley / test.peak).max(test.crossing));
                let depth = if depth.is_nan() { f64::INFINITY } else { depth };
                if !kept && worst.is_none_or(|(most, ..)| depth > most) {
                    worst = Some((depth, a, b, test));
                }
                pairs.extend(test);
            }
        }
        let Some((_, a, b, refused)) = worst else {
            tests.extend(pairs.into_iter().filter(|_| groups.len() > 2));
            return Ok(groups);
        };
        tests.extend(refused);
        let more = groups.swap_remove(b);
        groups[a].extend(more);
        groups[a].sort_unstable();
    }
}
