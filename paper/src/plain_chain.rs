//! The procedure behind the published tables, where it differs from mixgist's: a blocked Gibbs sampler that never moves a cluster to
//! another stick, and densities from a partition whose labels are taken for stick positions.
//!
//! It is here to show where published numbers come from, not to be used.

use mixgist::random::{Purpose, stream};
use mixgist::{CovarianceForm, Ensemble, GaussianAtoms, MixingMeasure, Partition, Result};
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Beta, ChiSquared, StandardNormal};

use crate::model::{ALPHA, DIM, LAMBDA, Length, NU, Prior, STICKS};

/// Draws of G and of the partition.
#[derive(Debug, Clone, PartialEq)]
pub struct PlainDraws {
    /// The mixing measures.
    pub ensemble: Ensemble,
    /// M × n.
    pub labels: Vec<u32>,
}

/// One Gaussian, ready to be evaluated.
#[derive(Debug, Clone, Copy)]
struct Atom {
    mean: [f64; DIM],
    covariance: [f64; DIM * DIM],
}

/// Where a chain starts: a k-means partition, and the sticks that its clusters sit on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Ten clusters on the first ten sticks.
    TenClusters,
    /// Two clusters, the larger one on the first of these sticks (counted from 0).
    TwoOnSticks([u32; 2]),
}

/// Runs the chain.
pub fn plain_chain(data: &[f64], prior: Prior, length: Length, start: Start, seed: u64) -> Result<PlainDraws> {
    let mut rng = stream(seed, Purpose::Simulation, 1 << 32);
    let points: Vec<[f64; DIM]> = data.chunks_exact(DIM).map(|y| [y[0], y[1]]).collect();
    let mut labels = match start {
        Start::TenClusters => k_means(&points, 10, &mut rng),
        Start::TwoOnSticks([larger, smaller]) => {
            let two = k_means(&points, 2, &mut rng);
            let ones = two.iter().filter(|label| **label == 1).count();
            let large = u32::from(2 * ones > two.len());
            two.iter().map(|label| if *label == large { larger } else { smaller }).collect()
        }
    };
    let (mut measures, mut kept) = (Vec::new(), Vec::new());
    for iteration in 0..length.iterations {
        let weights = break_sticks(&labels, &mut rng);
        let atoms = draw_atoms(&points, &labels, prior, &mut rng);
        draw_labels(&points, &weights, &atoms, &mut labels, &mut rng);
        if iteration >= length.burn_in {
            measures.push(measure(&weights, &atoms)?);
            kept.extend_from_slice(&labels);
        }
    }
    Ok(PlainDraws { ensemble: Ensemble::from_measures(&measures)?, labels: kept })
}

/// Measures given a partition as they were drawn for the published tables: cluster j (counted from 1) sits on stick j (counted from 0),
/// so that stick 0 is empty and takes an atom of the prior.
pub fn measures_from_labels(
    partition: &Partition,
    data: &[f64],
    prior: Prior,
    draws: usize,
    seed: u64,
) -> Result<Vec<MixingMeasure>> {
    let mut rng = stream(seed, Purpose::Simulation, 2 << 32);
    let points: Vec<[f64; DIM]> = data.chunks_exact(DIM).map(|y| [y[0], y[1]]).collect();
    let labels: Vec<u32> = partition.labels().iter().map(|label| label + 1).collect();
    (0..draws)
        .map(|_| {
            let weights = break_sticks(&labels, &mut rng);
            let atoms = draw_atoms(&points, &labels, prior, &mut rng);
            measure(&weights, &atoms)
        })
        .collect()
}

/// Weights given the labels; the last stick's fraction is random as well, so that they fall a sliver short of 1.
fn break_sticks(labels: &[u32], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut counts = [0u32; STICKS];
    labels.iter().for_each(|&label| counts[label as usize] += 1);
    let (mut behind, mut rest) = (labels.len() as u32, 1.0);
    let broken = counts.iter().map(|&count| {
        behind -= count;
        let law = Beta::new(1.0 + f64::from(count), ALPHA + f64::from(behind)).expect("both parameters are positive");
        let fraction: f64 = rng.sample(law);
        let weight = rest * fraction;
        rest *= 1.0 - fraction;
        weight
    });
    broken.collect()
}

fn draw_atoms(points: &[[f64; DIM]], labels: &[u32], prior: Prior, rng: &mut ChaCha8Rng) -> Vec<Atom> {
    let mut members = vec![Vec::new(); STICKS];
    points.iter().zip(labels).for_each(|(&y, &label)| members[label as usize].push(y));
    members.iter().map(|members| draw_atom(members, prior, rng)).collect()
}

/// (μ, Σ) from the normal-inverse-Wishart posterior given these points.
fn draw_atom(members: &[[f64; DIM]], prior: Prior, rng: &mut impl Rng) -> Atom {
    let n = members.len() as f64;
    let mut average = [0.0; DIM];
    for y in members {
        (0..DIM).for_each(|i| average[i] += y[i] / n);
    }
    let [mut s00, mut s01, mut s11] = [prior.scale[0], 0.0, prior.scale[1]];
    let mut add = |u: f64, v: f64, factor: f64| {
        s00 += factor * u * u;
        s01 += factor * u * v;
        s11 += factor * v * v;
    };
    members.iter().for_each(|y| add(y[0] - average[0], y[1] - average[1], 1.0));
    let lambda = LAMBDA + n;
    add(average[0] - prior.mean[0], average[1] - prior.mean[1], LAMBDA * n / lambda);
    let centre: [f64; DIM] = std::array::from_fn(|i| (LAMBDA * prior.mean[i] + n * average[i]) / lambda);

    // Σ = (L A⁻ᵀ)(L A⁻ᵀ)ᵀ with Ψ' = L Lᵀ and A Bartlett's factor of a standard Wishart
    let (l00, l10) = (s00.sqrt(), s01 / s00.sqrt());
    let l11 = (s11 - l10 * l10).sqrt();
    let mut chi = |degrees: f64| rng.sample::<f64, _>(ChiSquared::new(degrees).expect("positive degrees")).sqrt();
    let (a00, a11) = (chi(NU + n), chi(NU + n - 1.0));
    let a10: f64 = rng.sample(StandardNormal);
    // rows of X = L A⁻ᵀ solve A x = (row of L)
    let solve = |first: f64, second: f64| [first / a00, (second - a10 * first / a00) / a11];
    let (x0, x1) = (solve(l00, 0.0), solve(l10, l11));
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let covariance = [dot(x0, x0), dot(x0, x1), dot(x0, x1), dot(x1, x1)];
    let noise = [rng.sample::<f64, _>(StandardNormal), rng.sample(StandardNormal)];
    let mean = [centre[0] + dot(x0, noise) / lambda.sqrt(), centre[1] + dot(x1, noise) / lambda.sqrt()];
    Atom { mean, covariance }
}

fn draw_labels(points: &[[f64; DIM]], weights: &[f64], atoms: &[Atom], labels: &mut [u32], rng: &mut impl Rng) {
    /// Terms this much below the largest, on the log scale, are never drawn.
    const NEGLIGIBLE: f64 = 40.0;
    struct Density {
        constant: f64,
        mean: [f64; DIM],
        precision: [f64; 3],
    }
    let densities: Vec<Density> = weights
        .iter()
        .zip(atoms)
        .map(|(weight, atom)| {
            let [a, b, _, c] = atom.covariance;
            let determinant = a * c - b * b;
            let precision = [c / determinant, -b / determinant, a / determinant];
            Density { constant: weight.ln() - 0.5 * determinant.ln(), mean: atom.mean, precision }
        })
        .collect();
    let mut terms = [0.0; STICKS];
    for (y, label) in points.iter().zip(labels) {
        let mut largest = f64::NEG_INFINITY;
        for (term, density) in terms.iter_mut().zip(&densities) {
            let (u, v) = (y[0] - density.mean[0], y[1] - density.mean[1]);
            let [a, b, c] = density.precision;
            *term = density.constant - 0.5 * (a * u * u + 2.0 * b * u * v + c * v * v);
            largest = largest.max(*term);
        }
        let mut total = 0.0;
        for term in &mut terms {
            *term = if *term > largest - NEGLIGIBLE { (*term - largest).exp() } else { 0.0 };
            total += *term;
        }
        let mut left = rng.random::<f64>() * total;
        let chosen = terms.iter().position(|term| {
            left -= term;
            left < 0.0
        });
        if let Some(chosen) = chosen {
            *label = chosen as u32;
        }
    }
}

fn measure(weights: &[f64], atoms: &[Atom]) -> Result<MixingMeasure> {
    let means = atoms.iter().flat_map(|atom| atom.mean).collect();
    let covariances = atoms.iter().flat_map(|atom| atom.covariance).collect();
    let total: f64 = weights.iter().sum();
    let atoms = GaussianAtoms::new(DIM, means, covariances, CovarianceForm::Covariance)?;
    MixingMeasure::new(weights.iter().map(|w| w / total).collect(), atoms)
}

/// Lloyd's algorithm from points chosen at random.
fn k_means(points: &[[f64; DIM]], clusters: usize, rng: &mut impl Rng) -> Vec<u32> {
    let square = |a: &[f64; DIM], b: &[f64; DIM]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    let mut centres: Vec<[f64; DIM]> =
        (0..clusters).map(|_| points[(rng.random::<f64>() * points.len() as f64) as usize]).collect();
    let mut labels = vec![0u32; points.len()];
    for _ in 0..100 {
        for (label, y) in labels.iter_mut().zip(points) {
            let nearest = (0..clusters).min_by(|&a, &b| square(y, &centres[a]).total_cmp(&square(y, &centres[b])));
            *label = nearest.unwrap_or(0) as u32;
        }
        for (k, centre) in centres.iter_mut().enumerate() {
            let members = || points.iter().zip(&labels).filter(move |(_, label)| **label == k as u32);
            let count = members().count() as f64;
            if count > 0.0 {
                *centre = std::array::from_fn(|i| members().map(|(y, _)| y[i]).sum::<f64>() / count);
            }
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::old_faithful;

    /// Means of 20,000 draws against the moments of the posterior, 5 standard errors for 5 numbers: false alarms 3e-6.
    #[test]
    fn atoms_have_the_moments_of_the_posterior() {
        let members = [[1.0, 50.0], [2.0, 60.0], [3.5, 64.0], [3.0, 80.0], [2.2, 70.0], [4.0, 90.0]];
        let mut rng = stream(5, Purpose::Simulation, 0);
        let draws: Vec<Atom> = (0..20_000).map(|_| draw_atom(&members, Prior::FAITHFUL, &mut rng)).collect();
        let n = members.len() as f64;
        let average: [f64; 2] = std::array::from_fn(|i| members.iter().map(|y| y[i]).sum::<f64>() / n);
        let mut psi = [4.0, 0.0, 36.0];
        for (u, v, factor) in members.iter().map(|y| (y[0] - average[0], y[1] - average[1], 1.0)).chain([(
            average[0] - 3.0,
            average[1] - 70.0,
            n / (1.0 + n),
        )]) {
            psi[0] += factor * u * u;
            psi[1] += factor * u * v;
            psi[2] += factor * v * v;
        }
        let check = |expected: f64, value: &dyn Fn(&Atom) -> f64| {
            let values: Vec<f64> = draws.iter().map(value).collect();
            let spread = crate::score::Spread::of(&values).unwrap();
            let bound = 5.0 * spread.sd / (values.len() as f64).sqrt();
            assert!((spread.mean - expected).abs() < bound, "{} against {expected}", spread.mean);
        };
        // E Σ = Ψ' / (ν' − d − 1), E μ = μ'
        let divisor = NU + n - 3.0;
        check(psi[0] / divisor, &|a| a.covariance[0]);
        check(psi[1] / divisor, &|a| a.covariance[1]);
        check(psi[2] / divisor, &|a| a.covariance[3]);
        check((3.0 + n * average[0]) / (1.0 + n), &|a| a.mean[0]);
        check((70.0 + n * average[1]) / (1.0 + n), &|a| a.mean[1]);
    }

    #[test]
    fn a_chain_finds_the_two_geyser_clusters_and_repeats_by_seed() {
        let data = old_faithful();
        let length = Length { iterations: 300, burn_in: 280 };
        let draws = plain_chain(&data.values, data.prior, length, Start::TenClusters, 1).unwrap();
        assert_eq!((draws.ensemble.len(), draws.labels.len()), (20, 20 * 272));
        let mut weights = draws.ensemble.draw(19).weights().to_vec();
        weights.sort_by(f64::total_cmp);
        assert!((0.5..0.75).contains(&weights[STICKS - 1]), "{weights:?}");
        assert_eq!(draws, plain_chain(&data.values, data.prior, length, Start::TenClusters, 1).unwrap());
    }

    #[test]
    fn two_clusters_start_on_their_sticks() {
        let data = old_faithful();
        let length = Length { iterations: 3, burn_in: 2 };
        let draws = plain_chain(&data.values, data.prior, length, Start::TwoOnSticks([3, 4]), 1).unwrap();
        let on = |stick| draws.labels.iter().filter(|label| **label == stick).count();
        assert!(on(3) > on(4) && on(4) > 80, "{} and {} of 272", on(3), on(4));
    }

    #[test]
    fn labels_taken_for_positions_leave_the_first_stick_empty() {
        let data = old_faithful();
        let partition = Partition::from_integers(&vec![0u32; 272]).unwrap();
        let measures = measures_from_labels(&partition, &data.values, data.prior, 3, 1).unwrap();
        assert!(measures.iter().all(|m| m.weights()[0] < 0.1 && m.weights()[1] > 0.8));
    }
}
