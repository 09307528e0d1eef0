//! Chains that stay in modes of their own: groups of whole chains are put together until every two that are left are apart.

use std::collections::BTreeMap;

use super::modes::FEWEST;
use super::pam::k_medoids;
use super::valley::{ChainTest, Cloud, SplitTest};
use crate::Result;
use crate::effective::chains_in_order;
use crate::progress::Progress;

/// Groups of whole chains, by the place of their first chain.
type Groups = BTreeMap<usize, Vec<usize>>;

/// Groups of whole chains (indices of the matrix, ascending), each of which is apart from every other one; one group when chains are too short to judge. The
/// tests that were decisive are added to `tests`: those of groups that were put together, and those of every two that are left.
pub(super) fn groups(cloud: &Cloud, tests: &mut Vec<SplitTest>, progress: &dyn Progress) -> Result<Vec<Vec<usize>>> {
    let chains = chains_in_order(cloud.chosen);
    if chains.len() < 2 || chains.iter().any(|chain| chain.len() < FEWEST) {
        return Ok(vec![(0..cloud.weights.len()).collect()]);
    }
    let tries = (chains.len() * (chains.len() - 1) / 2) as f64;
    let mut groups: Groups = chains.into_iter().enumerate().collect();
    groups.values_mut().for_each(|group| group.sort_unstable());
    let test = |groups: &Groups, pair: (usize, usize)| -> Result<Option<ChainTest>> {
        progress.check()?;
        cloud.test_chains(&[groups[&pair.0].clone(), groups[&pair.1].clone()], tries)
    };
    let pairs = |groups: &Groups| -> Vec<(usize, usize)> {
        groups.keys().flat_map(|&a| groups.keys().filter(move |&&b| a < b).map(move |&b| (a, b))).collect()
    };
    let mut known = BTreeMap::new();
    for pair in pairs(&groups) {
        known.insert(pair, test(&groups, pair)?);
    }
    while let Some((a, b)) = least_apart(&known) {
        tests.extend(named(cloud, &groups, (a, b), &known, progress)?);
        let more = groups.remove(&b).unwrap_or_default();
        let group = groups.entry(a).or_default();
        group.extend(more);
        group.sort_unstable();
        known.retain(|pair, _| pair.0 != b && pair.1 != b);
        for pair in pairs(&groups).into_iter().filter(|pair| pair.0 == a || pair.1 == a) {
            known.insert(pair, test(&groups, pair)?);
        }
    }
    for pair in pairs(&groups) {
        tests.extend(named(cloud, &groups, pair, &known, progress)?);
    }
    Ok(groups.into_values().collect())
}

/// The two groups with the least sign of being apart, among those that are not.
fn least_apart(known: &BTreeMap<(usize, usize), Option<ChainTest>>) -> Option<(usize, usize)> {
    let refused = known.iter().filter(|(_, found)| !found.as_ref().is_some_and(|found| found.test.accepted()));
    let together = |found: &Option<ChainTest>| match found {
        Some(found) => found.overlap + found.test.p_value,
        None => f64::INFINITY,
    };
    let most = refused.reduce(|most, next| if together(next.1) > together(most.1) { next } else { most });
    most.map(|(&pair, _)| pair)
}

/// The test of two groups, with their medoids.
fn named(
    cloud: &Cloud,
    groups: &Groups,
    pair: (usize, usize),
    known: &BTreeMap<(usize, usize), Option<ChainTest>>,
    progress: &dyn Progress,
) -> Result<Option<SplitTest>> {
    let Some(Some(ChainTest { test, .. })) = known.get(&pair) else { return Ok(None) };
    let medoid = |group: usize| k_medoids(cloud.matrix, cloud.weights, &groups[&group], 1, &[], progress);
    Ok(Some(SplitTest { medoids: [medoid(pair.0)?[0], medoid(pair.1)?[0]], ..*test }))
}
