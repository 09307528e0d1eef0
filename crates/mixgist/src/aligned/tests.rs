use super::*;
use crate::random::{Purpose, standard_normals, stream};
use crate::{CovarianceForm, Silent};
use rand::{Rng, RngExt};

/// A gamma variate of whole shape.
fn gamma(shape: usize, rng: &mut impl Rng) -> f64 {
    (0..shape).map(|_| -(1.0 - rng.random::<f64>()).ln()).sum()
}

/// Atoms (weight, mean on the first axis, sd) in some dimension.
fn measure(dim: usize, atoms: &[(f64, f64, f64)]) -> MixingMeasure {
    let means = atoms.iter().flat_map(|a| (0..dim).map(move |i| if i == 0 { a.1 } else { 0.0 })).collect();
    let entry = |i: usize, sd: f64| if i.is_multiple_of(dim + 1) { sd * sd } else { 0.0 };
    let covariances = atoms.iter().flat_map(|a| (0..dim * dim).map(move |i| entry(i, a.2))).collect();
    let atoms_stored = GaussianAtoms::new(dim, means, covariances, CovarianceForm::Covariance).unwrap();
    MixingMeasure::new(atoms.iter().map(|a| a.0).collect(), atoms_stored).unwrap()
}

/// Three atoms at 0, 6 and 12 with weights of Dirichlet(200 (0.5, 0.3, 0.2)), in random order, and some junk in each draw.
fn uncertain_weights(dim: usize, draws: usize, junk: f64, seed: u64) -> Ensemble {
    let mut rng = stream(seed, Purpose::Simulation, 0);
    let one = |_| {
        let weights = [100, 60, 40].map(|shape| gamma(shape, &mut rng));
        let total: f64 = weights.iter().sum();
        let mut atoms: Vec<(f64, f64, f64)> =
            (0..3).map(|k| ((1.0 - junk) * weights[k] / total, 6.0 * k as f64, 1.0)).collect();
        if junk > 0.0 {
            atoms.extend((0..4).map(|_| (junk / 4.0, 60.0 * (rng.random::<f64>() - 0.5), 0.2 + rng.random::<f64>())));
        }
        for i in (1..atoms.len()).rev() {
            atoms.swap(i, rng.random_range(0..=i));
        }
        measure(dim, &atoms)
    };
    Ensemble::from_measures(&(0..draws).map(one).collect::<Vec<_>>()).unwrap()
}

fn aligned(ensemble: &Ensemble, start: usize) -> Alignment {
    align(&ensemble.draw(start), ensemble, &Units::Sd, Rules::default(), &Silent).unwrap()
}

#[test]
fn three_components_with_uncertain_weights_are_three_also_with_junk() {
    for dim in [1, 2, 3] {
        for junk in [0.0, 0.02] {
            let ensemble = uncertain_weights(dim, 150, junk, dim as u64);
            for start in [0, 70] {
                let found = aligned(&ensemble, start);
                assert_eq!(found.estimate.len(), 3, "{dim} {junk}: {:?}", found.estimate);
                for (k, (place, weight)) in [(0.0, 0.5), (6.0, 0.3), (12.0, 0.2)].into_iter().enumerate() {
                    assert!((found.estimate.atoms().mean(k)[0] - place).abs() < 0.1, "{:?}", found.estimate);
                    assert!((found.estimate.weights()[k] - weight).abs() < 0.01, "{:?}", found.estimate);
                    assert_eq!(found.existence[k].value, 1.0);
                }
                let support = crate::support::Support::of_all(&ensemble);
                assert_eq!(support.mass_without_draws(&found.estimate), 0.0);
            }
        }
    }
}

/// Weights are posterior means, and the parts of every draw sum to 1.
#[test]
fn aligned_draws_add_up_and_weights_are_their_means() {
    let ensemble = uncertain_weights(2, 120, 0.02, 9);
    let found = aligned(&ensemble, 3);
    let AlignedDraws { draws, components, dim, ref weights, ref means, ref covariances, ref unmatched, .. } =
        found.draws;
    assert_eq!((draws, components, dim), (120, 3, 2));
    assert_eq!((weights.len(), means.len(), covariances.len(), unmatched.len()), (360, 720, 1440, 120));
    for m in 0..draws {
        let sum: f64 = weights[m * 3..m * 3 + 3].iter().filter(|w| !w.is_nan()).sum();
        assert!((sum + unmatched[m] - 1.0).abs() < 1e-12);
    }
    let mean = found.draws.mean_weights(&ensemble);
    let total: f64 = mean.iter().sum();
    for k in 0..3 {
        assert!((mean[k] / total - found.estimate.weights()[k]).abs() < 1e-4, "{mean:?} {:?}", found.estimate);
    }
    // The second component of each draw is the atom at 6, wherever it stands in the draw, and what junk fell there: 0.02 of 0.3 at 2.4 away at most.
    assert!((0..draws).all(|m| (means[(m * 3 + 1) * 2] - 6.0).abs() < 0.2));
}

/// A component that comes and goes stays when half of the draws have it, and draws that lack it have NaN.
#[test]
fn components_that_half_of_the_draws_have_stay() {
    for (share, expected) in [(0.3, 2), (0.7, 3)] {
        let mut rng = stream(4, Purpose::Simulation, 1);
        let draws: Vec<MixingMeasure> = (0..200)
            .map(|m| {
                let mut z = [0.0; 3];
                standard_normals(&mut rng, &mut z);
                let mut atoms = vec![(0.5, 0.1 * z[0], 1.0), (0.3, 8.0 + 0.1 * z[1], 1.0)];
                if f64::from(m % 10) < 10.0 * share {
                    atoms.push((0.2, 16.0 + 0.1 * z[2], 1.0));
                }
                measure(1, &atoms)
            })
            .collect();
        let ensemble = Ensemble::from_measures(&draws).unwrap();
        // Whether or not the start has it.
        for start in [0, 9] {
            let found = aligned(&ensemble, start);
            assert_eq!(found.estimate.len(), expected, "{share} {start}: {:?}", found.estimate);
            if expected == 3 {
                let third = (0..3).find(|&k| found.estimate.atoms().mean(k)[0] > 12.0).unwrap();
                assert!((found.existence[third].value - share).abs() < 1e-9);
                assert!((0..200).all(|m| found.draws.has(m, third) == ((m % 10) as f64 <= 10.0 * share - 1.0)));
            }
        }
    }
}

#[test]
fn order_of_atoms_and_draws_and_copies_change_nothing() {
    let ensemble = uncertain_weights(2, 100, 0.02, 5);
    let plain = aligned(&ensemble, 7);
    let copied: Vec<MixingMeasure> = (0..100)
        .map(|m| {
            let draw = ensemble.draw(m);
            let order: Vec<usize> = (0..draw.len()).rev().chain([0]).collect();
            let mut weights: Vec<f64> = order.iter().map(|&k| draw.weights()[k]).collect();
            let last = weights.len() - 1;
            weights[last] *= 0.3;
            weights[last - 1] *= 0.7;
            MixingMeasure::new(weights, draw.atoms().select(order)).unwrap()
        })
        .collect();
    let other = aligned(&Ensemble::from_measures(&copied).unwrap(), 7);
    assert_eq!(plain.estimate.len(), other.estimate.len());
    for (a, b) in plain.draws.weights.iter().zip(&other.draws.weights) {
        assert!((a - b).abs() < 1e-9 || a.is_nan() && b.is_nan());
    }
    for (a, b) in plain.estimate.atoms().means().iter().zip(other.estimate.atoms().means()) {
        assert!((a - b).abs() < 1e-6);
    }
}

#[test]
fn draws_align_with_any_estimate_that_has_distinct_atoms() {
    let ensemble = uncertain_weights(1, 60, 0.0, 2);
    let estimate = measure(1, &[(0.3, 6.2, 1.0), (0.5, 0.1, 1.1), (0.2, 11.8, 1.0)]);
    let found = align_with(&estimate, &ensemble, &Units::Sd, Rules::default(), &Silent).unwrap();
    // Heaviest first.
    assert_eq!(found.estimate.weights(), [0.5, 0.3, 0.2]);
    for m in 0..60 {
        assert!(found.draws.means[m * 3].abs() < 1e-9 && (found.draws.means[m * 3 + 1] - 6.0).abs() < 1e-9);
        assert!(found.draws.unmatched[m] < 1e-9);
    }
    // Copies are one component, and light atoms are not reported.
    let odd = measure(1, &[(0.3, 0.0, 1.0), (0.2, 0.01, 1.0), (0.3, 6.0, 1.0), (0.196, 12.0, 1.0), (0.004, 90.0, 1.0)]);
    let found = align_with(&odd, &ensemble, &Units::Sd, Rules::default(), &Silent).unwrap();
    assert_eq!(found.names, ["0", "1", "2"]);
    assert!(found.existence.iter().all(|one| one.value == 1.0));
    let plane = measure(2, &[(1.0, 0.0, 1.0)]);
    assert!(align(&plane, &ensemble, &Units::Sd, Rules::default(), &Silent).is_err());
}
