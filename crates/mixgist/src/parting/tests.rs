use super::*;
use crate::components::{Rules, components};
use crate::random::{Purpose, standard_normals, stream};
use crate::units::Units;
use crate::{CovarianceForm, Ensemble, GaussianAtoms, Silent};

fn bump(weight: f64, mean: f64, sd: f64) -> Bump {
    Bump { weight, mean, variance: sd * sd }
}

#[test]
fn cuts_are_where_both_are_equally_probable() {
    assert!((cut_between(bump(0.5, 0.0, 1.0), bump(0.5, 4.0, 1.0)).unwrap() - 2.0).abs() < 1e-12);
    // Equal shapes: (a + b)/2 + σ² log(w_a/w_b) / (b − a).
    let cut = cut_between(bump(0.8, 0.0, 1.5), bump(0.2, 4.0, 1.5)).unwrap();
    assert!((cut - (2.0 + 2.25 * 4f64.ln() / 4.0)).abs() < 1e-10, "{cut}");
    // The order of the two does not matter, and unlike shapes are equally probable at the cut.
    let (a, b) = (bump(0.3, -1.0, 0.5), bump(0.7, 3.0, 2.0));
    let cut = cut_between(a, b).unwrap();
    assert!((cut - cut_between(b, a).unwrap()).abs() < 1e-10);
    let density = |x: f64, c: Bump| c.weight / c.variance.sqrt() * (-(x - c.mean).powi(2) / (2.0 * c.variance)).exp();
    assert!((density(cut, a) / density(cut, b) - 1.0).abs() < 1e-9);
    // A heavy wide one covers a light one.
    assert_eq!(cut_between(bump(0.999, 0.0, 3.0), bump(0.001, 1.0, 3.0)), None);
}

#[test]
fn cuts_of_draws_have_intervals() {
    let mut rng = stream(6, Purpose::Simulation, 0);
    let mut truth = Vec::new();
    let draws: Vec<MixingMeasure> = (0..200)
        .map(|m| {
            let mut z = [0.0; 2];
            standard_normals(&mut rng, &mut z);
            let (left, right) = (0.2 * z[0], 6.0 + 0.2 * z[1]);
            truth.push(0.5 * (left + right));
            let means = if m % 2 == 0 { vec![left, right] } else { vec![right, left] };
            let atoms = GaussianAtoms::new(1, means, vec![1.0, 1.0], CovarianceForm::Covariance).unwrap();
            MixingMeasure::new(vec![0.5, 0.5], atoms).unwrap()
        })
        .collect();
    let ensemble = Ensemble::from_measures(&draws).unwrap();
    let rules = Rules { level: 0.9, ..Rules::default() };
    let cuts = components(&draws[0], &ensemble, &Units::Sd, rules, &Silent).unwrap().cuts;
    assert_eq!((cuts.len(), cuts[0].probability), (1, 1.0));
    let interval = cuts[0].interval.unwrap();
    truth.sort_by(f64::total_cmp);
    assert!((interval.low - truth[9]).abs() < 1e-9 && (interval.high - truth[189]).abs() < 1e-9, "{interval:?}");
    assert!((cuts[0].at.unwrap() - 3.0).abs() < 0.5);
}

/// Components whose means lie in a plane of five dimensions: the two axes span it up to the covariance within, show all of the separation, and have unit
/// variance within.
#[test]
fn discriminant_axes_show_what_separates() {
    let d = 5;
    let covariance: Vec<f64> = (0..25).map(|e| if e % 6 == 0 { 1.0 + (e / 6) as f64 } else { 0.2 }).collect();
    let (u, v) = ([1.0, 2.0, 0.0, -1.0, 0.5], [0.0, 1.0, 3.0, 0.0, -2.0]);
    let places = [(0.0, 0.0), (3.0, 0.0), (0.0, 2.0), (3.0, 2.5)];
    let means: Vec<f64> = places.iter().flat_map(|(s, t)| (0..d).map(move |a| s * u[a] + t * v[a])).collect();
    let atoms = GaussianAtoms::new(d, means.clone(), covariance.repeat(4), CovarianceForm::Covariance).unwrap();
    let measure = MixingMeasure::new(vec![0.4, 0.3, 0.2, 0.1], atoms).unwrap();
    let found = discriminant_axes(&measure, 2).unwrap();
    assert!((found.shown - 1.0).abs() < 1e-9 && found.separation[0] >= found.separation[1]);
    let form = |a: &[f64], b: &[f64]| -> f64 {
        (0..d).flat_map(|i| (0..d).map(move |j| (i, j))).map(|(i, j)| a[i] * covariance[i * d + j] * b[j]).sum()
    };
    assert!((form(&found.axes[0], &found.axes[0]) - 1.0).abs() < 1e-9);
    assert!(form(&found.axes[0], &found.axes[1]).abs() < 1e-9);
    // The variance of the means along an axis is its separation.
    for (axis, separation) in found.axes.iter().zip(&found.separation) {
        let along: Vec<f64> = means.chunks(d).map(|mean| mean.iter().zip(axis).map(|(x, a)| x * a).sum()).collect();
        let center: f64 = along.iter().zip(measure.weights()).map(|(x, w)| x * w).sum();
        let variance: f64 = along.iter().zip(measure.weights()).map(|(x, w)| w * (x - center).powi(2)).sum();
        assert!((variance - separation).abs() < 1e-9 * separation, "{variance} {separation}");
    }
    assert!(discriminant_axes(&measure, 0).is_err() && discriminant_axes(&measure, 6).is_err());
}

/// 400 posteriors of 200 draws; the truth is one more draw. The interval of level 0.9 of the cut must hold the true cut, in closed form for equal variances, in
/// 330 … 385 cases: outside happens with probability below 1e-5.
#[test]
fn intervals_of_cuts_cover() {
    let mut covered = 0;
    for seed in 0..400 {
        let mut rng = stream(seed, Purpose::Simulation, 11);
        let mut draw = || {
            let mut z = [0.0; 3];
            standard_normals(&mut rng, &mut z);
            let (left, right, share) = (0.2 * z[0], 5.0 + 0.2 * z[1], 1.0 / (1.0 + (0.4 + 0.3 * z[2]).exp()));
            let means = if z[0] > z[1] { [left, right] } else { [right, left] };
            let weights = if z[0] > z[1] { [share, 1.0 - share] } else { [1.0 - share, share] };
            let atoms = GaussianAtoms::new(1, means.to_vec(), vec![1.0, 1.0], CovarianceForm::Covariance).unwrap();
            let cut = 0.5 * (left + right) + (share / (1.0 - share)).ln() / (right - left);
            (MixingMeasure::new(weights.to_vec(), atoms).unwrap(), cut)
        };
        let draws: Vec<MixingMeasure> = (0..200).map(|_| draw().0).collect();
        let truth = draw().1;
        let rules = Rules { level: 0.9, ..Rules::default() };
        let ensemble = Ensemble::from_measures(&draws).unwrap();
        let cuts = components(&draws[0], &ensemble, &Units::Sd, rules, &Silent).unwrap().cuts;
        let interval = cuts[0].interval.unwrap();
        covered += u32::from((interval.low..=interval.high).contains(&truth));
    }
    assert!((330..=385).contains(&covered), "{covered}");
}
