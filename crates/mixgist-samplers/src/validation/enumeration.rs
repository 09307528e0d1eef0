//! The posterior of all partitions of five points, enumerated, against what a chain visits.

use std::collections::HashMap;

use mixgist::Result;
use mixgist::random::{Purpose, stream};

use super::Outcome;
use crate::algorithm::informed::{Effort, Informed};
use crate::algorithm::{Model, sampler};
use crate::clusters::Clusters;
use crate::component::{Component, with_component};
use crate::hyperparameters::{Hyperparameters, Learned};
use crate::mixing::{Concentration, MixingPrior};
use crate::points::ScaledData;
use crate::scales::LEAST_UNIT;
use crate::settings::{ComponentPrior, CovarianceModel, FitSettings, Scale, ScaleChoice};
use crate::start::start;
use crate::variates::{BetaShape, log_beta};

/// Five points of the plane, close enough together that no partition is out of the question.
const DATA: [f64; 10] = [0.0, 0.3, 0.8, -0.5, 1.9, 1.4, 2.6, 2.2, 0.4, 2.5];
const THIN: u64 = 12;

/// Runs a chain of the given settings on five points of the plane and compares how often it visits each of the 52 partitions
/// with their exact posterior probabilities, by a χ² test on every 12th state, which leaves next to no autocorrelation. `tile` is the number of
/// points of a tile.
pub fn enumeration(settings: &FitSettings, tile: usize, draws: u64, seed: u64) -> Result<Outcome> {
    let settings = at_hand(settings);
    with_component!(settings.component.covariance, C => run::<C>(&settings, tile, draws, seed))
}

/// The settings with hyperparameters for these points.
fn at_hand(settings: &FitSettings) -> FitSettings {
    settings.clone().with_component(ComponentPrior {
        mu0: Some(vec![1.0, 1.0]),
        lambda: Some(0.4),
        psi: Some(Scale::Diagonal(vec![0.8, 0.8])),
        nu: Some(4.0),
        ..settings.component.clone()
    })
}

/// The same for the informed splits and merges alone, so that nothing hides a wrong ratio; `sample` is the number of points that a launch
/// begins with at most, `tile` that of a tile.
pub fn splits_and_merges(settings: &FitSettings, sample: usize, tile: usize, draws: u64, seed: u64) -> Result<Outcome> {
    let settings = at_hand(settings);
    with_component!(settings.component.covariance, C => run_alone::<C>(&settings, sample, tile, draws, seed))
}

fn run_alone<C: Component>(
    settings: &FitSettings,
    sample: usize,
    tile: usize,
    draws: u64,
    seed: u64,
) -> Result<Outcome> {
    let points = ScaledData::new(&DATA, 2)?;
    let mut model = Model::<C>::new(&points, &Hyperparameters::resolve(&DATA, 2, settings)?, settings.remainder);
    // in tiles fewer proposals are made, and more of them are lost
    model.effort = Effort { proposals: if tile < points.len() { 400 } else { 40 }, sample };
    model.tiling.size = tile;
    let exact = posterior(&model)?;
    let mut rng = stream(seed, Purpose::Chains, 0);
    let mut state = start(&model, 1, &mut rng)?;
    let mut moves = Informed::default();
    let mut visits: HashMap<Vec<u32>, u64> = HashMap::new();
    for step in 0..draws + 100 {
        model.component.draw_shared(&state.clusters, &mut rng)?;
        moves.step(&model, &mut state, &mut rng)?;
        if step >= 100 {
            *visits.entry(canonical(&state.clusters.labels)).or_default() += 1;
        }
    }
    Ok(chi_square(&exact, &visits, draws))
}

fn run<C: Component>(settings: &FitSettings, tile: usize, draws: u64, seed: u64) -> Result<Outcome> {
    let points = ScaledData::new(&DATA, 2)?;
    let mut hyperparameters = Hyperparameters::resolve(&DATA, 2, settings)?;
    if settings.component.scales == ScaleChoice::Learned {
        // Ψ has too many entries for sums over a grid: the joint test has it
        let own = settings.component.covariance != CovarianceModel::Common;
        hyperparameters.learned = Learned { lambda: true, psi: false, nu: own };
    }
    let mut model = Model::<C>::new(&points, &hyperparameters, settings.remainder);
    model.tiling.size = tile;
    let exact = posterior(&model)?;

    let mut rng = stream(seed, Purpose::Chains, 0);
    let mut state = start(&model, 1, &mut rng)?;
    let mut sampler = sampler::<C>(settings.algorithm);
    let mut visits: HashMap<Vec<u32>, u64> = HashMap::new();
    for sweep in 0..(draws + 100) * THIN {
        sampler.sweep(&mut model, &mut state, &mut rng)?;
        if sweep >= 100 * THIN && sweep % THIN == 0 {
            *visits.entry(canonical(&state.clusters.labels)).or_default() += 1;
        }
    }
    Ok(chi_square(&exact, &visits, draws))
}

/// Pearson's χ² with partitions of fewer than 5 expected visits pooled, as a normal deviate (Wilson and Hilferty 1931).
fn chi_square(exact: &[(Vec<u32>, f64)], visits: &HashMap<Vec<u32>, u64>, draws: u64) -> Outcome {
    let (mut statistic, mut cells, mut rare, mut rare_visits) = (0.0, 0.0, 0.0, 0.0);
    let (mut worst, mut detail) = (0.0, String::new());
    for (partition, probability) in exact {
        let expected = probability * draws as f64;
        let seen = visits.get(partition).copied().unwrap_or(0) as f64;
        if expected < 5.0 {
            rare += expected;
            rare_visits += seen;
            continue;
        }
        let term = (seen - expected).powi(2) / expected;
        statistic += term;
        cells += 1.0;
        if term > worst {
            worst = term;
            detail = format!("partition {partition:?}: {seen} visits, {expected:.1} expected");
        }
    }
    if rare > 0.0 {
        statistic += (rare_visits - rare).powi(2) / rare;
        cells += 1.0;
    }
    let spread = 2.0 / (9.0 * (cells - 1.0));
    let deviation = ((statistic / (cells - 1.0)).cbrt() - (1.0 - spread)) / spread.sqrt();
    Outcome { name: "enumeration".into(), deviation, limit: 5.0, false_alarm: 3e-7, detail }
}

/// Every partition of the points with its posterior probability.
fn posterior<C: Component>(model: &Model<'_, C>) -> Result<Vec<(Vec<u32>, f64)>> {
    let mut all = Vec::new();
    for labels in partitions(model.points.len()) {
        let clusters = Clusters::new(labels.clone(), model.component.shape(), model.points, model.tiling)?;
        let sizes: Vec<u32> = clusters.sizes().collect();
        let log = log_marginal(model, &clusters)? + prior_probability(model, &sizes).ln();
        all.push((labels, log));
    }
    let highest = all.iter().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = all.iter().map(|(_, log)| (log - highest).exp()).sum();
    all.iter_mut().for_each(|(_, log)| *log = (*log - highest).exp() / total);
    Ok(all)
}

/// log p(points given the partition), learned scales integrated out by the trapezoidal rule in their logarithms.
fn log_marginal<C: Component>(model: &Model<'_, C>, clusters: &Clusters) -> Result<f64> {
    let fixed = model.component.scales();
    let inner = if model.scales.learned.nu { model.scales.inner as f64 } else { 0.0 };
    let axis = |learned: bool, low: f64, high: f64| {
        let steps = if learned { 80 } else { 1 };
        (0..steps).map(move |t| (low + (high - low) * f64::from(t) / f64::from(steps)).exp())
    };
    let mut logs = Vec::new();
    for lambda in axis(model.scales.learned.lambda, -14.0, 5.0) {
        for unit in axis(model.scales.learned.nu, LEAST_UNIT.ln(), 6.0) {
            let mut scales = fixed.clone();
            let mut jacobian = 0.0;
            if model.scales.learned.lambda {
                scales.lambda = lambda;
                jacobian += lambda.ln();
            }
            if model.scales.learned.nu {
                scales.nu = unit + inner - 1.0;
                jacobian += unit.ln();
            }
            let mut component = model.component.clone();
            component.set_scales(&scales);
            logs.push(component.log_marginal(clusters)? + model.scales.log_density(&scales) + jacobian);
        }
    }
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(highest + logs.iter().map(|log| (log - highest).exp()).sum::<f64>().ln())
}

/// p(partition), α integrated out by the trapezoidal rule in log α.
fn prior_probability<C>(model: &Model<'_, C>, sizes: &[u32]) -> f64 {
    let given = |alpha: f64| match model.sticks {
        Some(sticks) => truncated_probability(model.prior, alpha, sticks, sizes),
        None => model.prior.log_partition(sizes.iter().copied(), alpha).exp(),
    };
    match model.concentration {
        Concentration::Fixed(alpha) => given(alpha),
        Concentration::Gamma { .. } => (0..400)
            .map(|t| {
                let alpha = (-12.0 + 17.0 * f64::from(t) / 400.0_f64).exp();
                given(alpha) * model.concentration.log_density(alpha).exp() * alpha
            })
            .sum(),
    }
}

/// p(partition) under truncated sticks: the sum over all places that the clusters can take.
fn truncated_probability(prior: MixingPrior, alpha: f64, sticks: usize, sizes: &[u32]) -> f64 {
    fn place(prior: MixingPrior, alpha: f64, j: usize, sticks: usize, left: &mut Vec<u32>) -> f64 {
        if left.is_empty() {
            return 1.0;
        }
        if j + 1 == sticks {
            return if left.len() == 1 { 1.0 } else { 0.0 };
        }
        let law = prior.stick(j, alpha);
        let behind: u32 = left.iter().sum();
        let term = |here: u32| {
            let updated = BetaShape { a: law.a + f64::from(here), b: law.b + f64::from(behind - here) };
            (log_beta(updated) - log_beta(law)).exp()
        };
        let mut sum = term(0) * place(prior, alpha, j + 1, sticks, left);
        for c in 0..left.len() {
            let here = left.remove(c);
            sum += term(here) * place(prior, alpha, j + 1, sticks, left);
            left.insert(c, here);
        }
        sum
    }
    place(prior, alpha, 0, sticks, &mut sizes.to_vec())
}

/// All partitions of n points, as labels numbered by first appearance.
fn partitions(n: usize) -> Vec<Vec<u32>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|labels: Vec<u32>| {
                let used = labels.iter().max().map_or(0, |max| max + 1);
                (0..=used).map(move |next| [&labels[..], &[next]].concat())
            })
            .collect();
    }
    all
}

/// Labels renumbered by first appearance.
fn canonical(labels: &[u32]) -> Vec<u32> {
    let mut seen = Vec::new();
    labels
        .iter()
        .map(|label| {
            let place = seen.iter().position(|known| known == label).unwrap_or_else(|| {
                seen.push(*label);
                seen.len() - 1
            });
            place as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_partitions_as_bell_says_and_their_probabilities_sum_to_one() {
        assert_eq!(partitions(5).len(), 52);
        let sizes = |labels: &[u32]| {
            let mut sizes = vec![0; labels.iter().max().unwrap().to_owned() as usize + 1];
            labels.iter().for_each(|&label| sizes[label as usize] += 1);
            sizes
        };
        for prior in [
            MixingPrior::DirichletProcess,
            MixingPrior::PitmanYor { discount: 0.4 },
            MixingPrior::Finite { components: 4 },
        ] {
            let exact: f64 = partitions(5).iter().map(|p| prior.log_partition(sizes(p).into_iter(), 0.7).exp()).sum();
            let truncated: f64 = partitions(5).iter().map(|p| truncated_probability(prior, 0.7, 4, &sizes(p))).sum();
            assert!((exact - 1.0).abs() < 1e-12 && (truncated - 1.0).abs() < 1e-12, "{prior:?}: {exact}, {truncated}");
        }
    }

    #[test]
    fn truncated_sticks_of_a_finite_mixture_are_its_partition_law() {
        let prior = MixingPrior::Finite { components: 4 };
        for sizes in [vec![5], vec![2, 3], vec![1, 1, 1, 2]] {
            let (sum, closed) =
                (truncated_probability(prior, 0.3, 4, &sizes), prior.log_partition(sizes.iter().copied(), 0.3).exp());
            assert!((sum - closed).abs() < 1e-12);
        }
    }

    #[test]
    fn a_wrong_law_is_noticed() {
        let exact = vec![(vec![0, 0], 0.5), (vec![0, 1], 0.5)];
        let visits = HashMap::from([(vec![0, 0], 5300), (vec![0, 1], 4700)]);
        assert!(!chi_square(&exact, &visits, 10_000).passed());
    }
}
