use super::*;
use crate::random::standard_normals;
use crate::{CovarianceForm, GaussianAtoms, Silent};

/// Draws whose truth has three components, each in two pieces every other time, with two light atoms anywhere.
fn draws_of_three(draws: usize, seed: u64) -> (MixingMeasure, Ensemble) {
    let mut rng = stream(seed, Purpose::Simulation, 0);
    let measure = |atoms: &[(f64, f64, f64)]| {
        let stored = GaussianAtoms::new(
            1,
            atoms.iter().map(|a| a.1).collect(),
            atoms.iter().map(|a| a.2).collect(),
            CovarianceForm::StandardDeviation,
        );
        MixingMeasure::new(atoms.iter().map(|a| a.0).collect(), stored.unwrap()).unwrap()
    };
    let truth = [(0.5, 0.0, 1.0), (0.3, 6.0, 1.0), (0.2, 12.0, 1.0)];
    let draw = |_| {
        let mut atoms = Vec::new();
        for (weight, mean, sd) in truth {
            let mut z = [0.0; 4];
            standard_normals(&mut rng, &mut z);
            let split = if rng.random::<bool>() { 0.4 } else { 0.0 };
            let weight = weight * (0.1 * z[3]).exp();
            atoms.push((weight * (1.0 - split), mean + 0.1 * z[0], sd * (0.1 * z[2]).exp()));
            if split > 0.0 {
                atoms.push((weight * split, mean + 0.1 * z[1], sd));
            }
        }
        atoms.extend((0..2).map(|_| (0.012, -4.0 + 20.0 * rng.random::<f64>(), 0.5)));
        measure(&atoms)
    };
    (measure(&truth), Ensemble::from_measures(&(0..draws).map(draw).collect::<Vec<_>>()).unwrap())
}

/// The raw posterior has its mode elsewhere; after merge-truncate-merge it is at the truth, in all of 20 posteriors, at the chosen rate and at twice
/// it.
#[test]
fn merging_finds_the_number_that_the_raw_posterior_misses() {
    for seed in 0..20 {
        let (truth, ensemble) = draws_of_three(200, seed);
        let found = how_many(&truth, &ensemble, &Units::Sd, Occupied::Unknown, 1, &Silent).unwrap();
        assert_eq!(found.components, 3, "{found:?}");
        assert_ne!(found.heavier[1].posterior.mode, 3, "{found:?}");
        for at in found.merged.iter().filter(|at| (1.0..=2.0).contains(&at.multiple)) {
            assert_eq!(at.posterior.mode, 3, "{seed}: {at:?}");
        }
        for posterior in found.heavier.iter().map(|h| &h.posterior).chain(found.merged.iter().map(|m| &m.posterior)) {
            assert!((posterior.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}

/// Against the words of the paper, step by step, on atoms for which the random order does not matter: clumps far apart.
#[test]
fn one_draw_by_hand() {
    // Clumps at 0 (0.5 + 0.2), 10 (0.25) and 11 (0.05); widths of the points are 1.
    let (weights, points) = ([0.5, 0.2, 0.25, 0.05], [0.0, 0.1, 10.0, 11.0]);
    let draw = Draw { weights: &weights, points: &points, width: 1 };
    for seed in 0..20 {
        // At 0.01 nothing is merged and nothing truncated.
        assert_eq!(draw.merged(0.01, seed, 0), 4);
        // At 0.15 the first two merge; 0.05 × 1² > 0.15².
        assert_eq!(draw.merged(0.15, seed, 0), 3);
        // 0.05 × 1² ≤ 0.3²: the last is truncated.
        assert_eq!(draw.merged(0.3, seed, 0), 2);
        // At 5 the second clump's weight is below ω², and one component is left.
        assert_eq!(draw.merged(5.0, seed, 0), 1);
    }
}

#[test]
fn equal_draws_and_one_atom_are_counted() {
    let (truth, _) = draws_of_three(1, 0);
    let same = Ensemble::from_measures(&vec![truth.clone(); 30]).unwrap();
    let found = how_many(&truth, &same, &Units::Sd, Occupied::Unknown, 3, &Silent).unwrap();
    assert_eq!((found.components, found.heavier[0].posterior.counts.clone()), (3, vec![3]));
    let one = truth_of_one();
    let found = how_many(
        &one,
        &Ensemble::from_measures(&vec![one.clone(); 5]).unwrap(),
        &Units::Sd,
        Occupied::Unknown,
        3,
        &Silent,
    )
    .unwrap();
    assert_eq!(found.components, 1);
    assert!(how_many(&one, &plane(), &Units::Sd, Occupied::Unknown, 3, &Silent).is_err());
}

fn truth_of_one() -> MixingMeasure {
    let atoms = GaussianAtoms::new(1, vec![2.0], vec![1.0], CovarianceForm::Covariance).unwrap();
    MixingMeasure::new(vec![1.0], atoms).unwrap()
}

fn plane() -> Ensemble {
    Ensemble::builder(2)
        .atoms_per_draw(1)
        .weights(&[1.0])
        .means(&[0.0, 0.0])
        .covariances(&[1.0, 0.0, 0.0, 1.0])
        .build()
        .unwrap()
}

/// With labels the clusters are counted; with data alone labels are drawn. Two atoms far apart and one with next to no weight: always two have observations.
#[test]
fn occupied_clusters_are_counted_from_labels_or_data() {
    let atoms = GaussianAtoms::new(1, vec![0.0, 50.0, 100.0], vec![1.0; 3], CovarianceForm::Covariance).unwrap();
    let draw = MixingMeasure::new(vec![0.5, 0.5, 1e-12], atoms).unwrap();
    let ensemble = Ensemble::from_measures(&vec![draw.clone(); 4]).unwrap();
    let count = |occupied: Occupied| {
        how_many(&draw, &ensemble, &Units::Sd, occupied, 5, &Silent).unwrap().occupied.map(|found| {
            (found.from_labels, found.draws, found.posterior.counts.clone(), found.posterior.probabilities.clone())
        })
    };
    assert_eq!(count(Occupied::Unknown), None);
    let values = [0.1, -0.2, 50.3, 49.0];
    assert_eq!(count(Occupied::Data(Points::new(1, &values).unwrap())), Some((false, 4, vec![2], vec![1.0])));
    let labels = PartitionDraws::from_rows(&[[0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 1, 1], [3, 3, 3, 3]]).unwrap();
    assert_eq!(count(Occupied::Labels(&labels)), Some((true, 4, vec![1, 2, 3], vec![0.25, 0.5, 0.25])));
    let short = PartitionDraws::from_rows(&[[0, 0, 1, 2]]).unwrap();
    assert!(how_many(&draw, &ensemble, &Units::Sd, Occupied::Labels(&short), 5, &Silent).is_err());
}
