use super::*;
use crate::random::{Purpose, standard_normals, stream};
use crate::{CovarianceForm, GaussianAtoms};

fn line(atoms: &[(f64, f64, f64)]) -> MixingMeasure {
    let stored = GaussianAtoms::new(
        1,
        atoms.iter().map(|a| a.1).collect(),
        atoms.iter().map(|a| a.2).collect(),
        CovarianceForm::StandardDeviation,
    );
    MixingMeasure::new(atoms.iter().map(|a| a.0).collect(), stored.unwrap()).unwrap()
}

/// Draws with components at 0 and 4, in random order, the first in two pieces every third time, and a light atom at 30.
fn draws(count: usize) -> Vec<MixingMeasure> {
    let mut rng = stream(8, Purpose::Simulation, 0);
    (0..count)
        .map(|m| {
            let mut z = [0.0; 4];
            standard_normals(&mut rng, &mut z);
            let first = 0.6 * (0.1 * z[0]).exp();
            let mut atoms = vec![(0.38, 4.0 + 0.2 * z[1], 1.0)];
            if m % 3 == 0 {
                atoms.extend([(0.7 * first, 0.2 * z[2], 1.0), (0.3 * first, 0.2 * z[2] + 0.1, 1.1)]);
            } else {
                atoms.push((first, 0.2 * z[2], 1.0));
            }
            atoms.push((0.02, 30.0, 1.0));
            if m % 2 == 0 {
                atoms.reverse();
            }
            line(&atoms)
        })
        .collect()
}

/// Against the definition, computed atom by atom: those below 2 belong to the first component, those from 2 to 10 to the second, the others to none.
#[test]
fn means_and_intervals_are_those_of_the_probabilities_of_the_draws() {
    let measures = draws(90);
    let ensemble = Ensemble::from_measures(&measures).unwrap();
    let estimate = line(&[(0.6, 0.0, 1.0), (0.4, 4.0, 1.0)]);
    let values = [-1.0, 0.5, 1.9, 2.4, 5.0, 30.0];
    let points = Points::new(1, &values).unwrap();
    let rules = Rules { level: 0.8, ..Rules::default() };
    let found = membership_posterior(&estimate, &ensemble, points, &Units::Sd, rules, &Silent).unwrap();
    for (i, y) in values.into_iter().enumerate() {
        let probabilities: Vec<[f64; 3]> = measures
            .iter()
            .map(|draw| {
                let mut parts = [0.0; 3];
                for k in 0..draw.len() {
                    let (mean, sd) = (draw.atoms().mean(k)[0], draw.atoms().covariance(k)[0].sqrt());
                    let density = draw.weights()[k] / sd * (-0.5 * ((y - mean) / sd).powi(2)).exp();
                    parts[if mean < 2.0 { 0 } else { usize::from(mean > 10.0) + 1 }] += density;
                }
                let total: f64 = parts.iter().sum();
                parts.map(|part| part / total)
            })
            .collect();
        for k in 0..2 {
            let mut sorted: Vec<f64> = probabilities.iter().map(|p| p[k]).collect();
            sorted.sort_by(f64::total_cmp);
            let mean = sorted.iter().sum::<f64>() / 90.0;
            assert!((found.mean[2 * i + k] - mean).abs() < 1e-9, "{y} {k}");
            assert!(
                (found.low[2 * i + k] - sorted[8]).abs() < 1e-9 && (found.high[2 * i + k] - sorted[80]).abs() < 1e-9
            );
        }
        let none = probabilities.iter().map(|p| p[2]).sum::<f64>() / 90.0;
        assert!((found.none[i] - none).abs() < 1e-9, "{y}");
        assert!((found.mean[2 * i] + found.mean[2 * i + 1] + found.none[i] - 1.0).abs() < 1e-9);
    }
    assert_eq!(found.labels[..5], [0, 0, 0, 1, 1]);
    let uncertain = &found.uncertain;
    assert!(uncertain.contains(&2) && uncertain.contains(&3) && !uncertain.contains(&0));
    // The last one surely belongs to none.
    assert!(!uncertain.contains(&5) && found.outside() == 1);
}

/// Blocks join to the whole, whatever their size, and every row is visited once.
#[test]
fn blocks_are_the_whole() {
    let ensemble = Ensemble::from_measures(&draws(12)).unwrap();
    let estimate = line(&[(0.6, 0.0, 1.0), (0.4, 4.0, 1.0)]);
    let values: Vec<f64> = (0..2500).map(|i| f64::from(i) * 0.002).collect();
    let points = Points::new(1, &values).unwrap();
    let whole = membership_posterior(&estimate, &ensemble, points, &Units::Sd, Rules::default(), &Silent).unwrap();
    assert_eq!((whole.points, whole.mean.len(), whole.none.len()), (2500, 5000, 2500));
    let part =
        membership_posterior(&estimate, &ensemble, points.rows(2000..2010), &Units::Sd, Rules::default(), &Silent)
            .unwrap();
    assert_eq!(part.mean[..], whole.mean[4000..4020]);
}

/// 400 posteriors of 200 draws; the truth is one more draw. The interval of level 0.9 of the membership of an observation between two components must hold its
/// probability under the truth in 330 … 385 cases, outside happens with probability below 1e-5; the mean of the posterior means must be that of the true
/// probabilities within 4.5 standard errors, a false alarm in 140,000.
#[test]
fn intervals_of_memberships_cover() {
    let (mut covered, mut differences) = (0, Vec::new());
    for seed in 0..400 {
        let mut rng = stream(seed, Purpose::Simulation, 3);
        let mut draw = || {
            let mut z = [0.0; 3];
            standard_normals(&mut rng, &mut z);
            let atoms = [(0.6 * (0.2 * z[0]).exp(), 0.3 * z[1], 1.0), (0.4, 5.0 + 0.3 * z[2], 1.0)];
            let part = |a: (f64, f64, f64)| a.0 * (-0.5 * (2.4 - a.1).powi(2)).exp();
            (line(&atoms), part(atoms[0]) / (part(atoms[0]) + part(atoms[1])))
        };
        let measures: Vec<MixingMeasure> = (0..200).map(|_| draw().0).collect();
        let (_, truth) = draw();
        let ensemble = Ensemble::from_measures(&measures).unwrap();
        let rules = Rules { level: 0.9, ..Rules::default() };
        let estimate = line(&[(0.6, 0.0, 1.0), (0.4, 5.0, 1.0)]);
        let points = Points::new(1, &[2.4]).unwrap();
        let found = membership_posterior(&estimate, &ensemble, points, &Units::Sd, rules, &Silent).unwrap();
        covered += u32::from((found.low[0]..=found.high[0]).contains(&truth));
        differences.push(found.mean[0] - truth);
    }
    assert!((330..=385).contains(&covered), "{covered}");
    let mean = differences.iter().sum::<f64>() / 400.0;
    let variance = differences.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 399.0;
    assert!(mean.abs() < 4.5 * (variance / 400.0).sqrt(), "{mean}");
}

/// An observation that all draws give to an atom of no component is certain: it belongs to none. It is not among the uncertain ones, and is counted.
#[test]
fn who_surely_belongs_to_none_is_not_uncertain() {
    let draws: Vec<MixingMeasure> =
        (0..50).map(|_| line(&[(0.5, 0.0, 1.0), (0.4, 5.0, 1.0), (0.1, 40.0, 1.0)])).collect();
    let ensemble = Ensemble::from_measures(&draws).unwrap();
    let estimate = line(&[(0.55, 0.0, 1.0), (0.45, 5.0, 1.0)]);
    let points = Points::new(1, &[0.0, 2.5, 5.0, 40.0]).unwrap();
    let found = membership_posterior(&estimate, &ensemble, points, &Units::Sd, Rules::default(), &Silent).unwrap();
    assert!(found.none[3] > 0.999, "{:?}", found.none);
    assert_eq!((&found.uncertain[..], found.outside()), (&[1][..], 1));
}
