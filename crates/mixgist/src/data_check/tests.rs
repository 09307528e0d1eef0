use super::*;
use crate::random::{Purpose, standard_normals, stream};
use crate::{CovarianceForm, Settings, SliceCount, Warning, summarize};

/// Two clusters in two columns of positive numbers with unlike scales, n points.
fn raw(n: usize) -> Vec<f64> {
    let mut z = vec![0.0; 2 * n];
    standard_normals(&mut stream(3, Purpose::Simulation, 1), &mut z);
    let point = |(i, z): (usize, &[f64])| {
        let high = i % 3 == 0;
        [if high { 70.0 } else { 40.0 } + 4.0 * z[0], (if high { 3.0 } else { 1.0 } + 0.2 * z[1]).exp()]
    };
    z.chunks_exact(2).enumerate().flat_map(point).collect()
}

/// Draws as a sampler would give them for two clusters of these points: moments of each, with the noise of their estimation.
fn draws_for(points: &[f64]) -> Ensemble {
    let mut rng = stream(4, Purpose::Simulation, 2);
    let draw = |_| {
        let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
        for third in [true, false] {
            let members: Vec<&[f64]> =
                points.chunks_exact(2).enumerate().filter(|(i, _)| (i % 3 == 0) == third).map(|(_, y)| y).collect();
            let mut z = [0.0; 2];
            standard_normals(&mut rng, &mut z);
            weights.push(members.len() as f64);
            let columns: Vec<(f64, f64)> =
                (0..2).map(|j| mean_and_sd(&members.iter().map(|y| y[j]).collect::<Vec<f64>>())).collect();
            let noise = (members.len() as f64).sqrt();
            means.extend(columns.iter().zip(z).map(|(&(mean, sd), z)| mean + sd * z / noise));
            covariances.extend([columns[0].1.powi(2), 0.0, 0.0, columns[1].1.powi(2)]);
        }
        let atoms = GaussianAtoms::new(2, means, covariances, CovarianceForm::Covariance).unwrap();
        MixingMeasure::new(weights, atoms).unwrap()
    };
    Ensemble::from_measures(&(0..100).map(draw).collect::<Vec<_>>()).unwrap()
}

fn by_column(points: &[f64], change: &dyn Fn(&[f64], usize) -> Vec<f64>) -> Vec<f64> {
    let columns: Vec<Vec<f64>> =
        (0..2).map(|j| change(&points.iter().skip(j).step_by(2).copied().collect::<Vec<f64>>(), j)).collect();
    (0..points.len()).map(|i| columns[i % 2][i / 2]).collect()
}

#[test]
fn data_of_the_fit_are_on_scale_and_others_are_named() {
    let points = raw(300);
    let check = |fitted: &[f64], given: &[f64]| {
        DataCheck::new(&draws_for(fitted), Points::new(2, given).unwrap(), 5).unwrap().unwrap()
    };
    let own = check(&points, &points);
    assert!(!own.is_off() && own.likely.is_none(), "{own:?}");
    assert!(own.unlikely < 0.1 && own.columns.iter().all(|column| column.gap < 0.25), "{own:?}");
    for kind in [
        Transformation::Centered,
        Transformation::Standardized,
        Transformation::UnitRange,
        Transformation::Log,
        Transformation::Log10,
        Transformation::LogStandardized,
    ] {
        let fitted = by_column(&points, &|column, _| {
            let mut sorted = column.to_vec();
            sorted.sort_by(f64::total_cmp);
            // Sorted values are what the range is read from; the order of the rows must stay.
            let changed = transformed(&sorted, &kind).unwrap();
            column.iter().map(|x| changed[sorted.partition_point(|y| y < x)]).collect()
        });
        let found = check(&fitted, &points);
        assert!(found.is_off(), "{kind:?}: {found:?}");
        assert_eq!(found.likely, Some(kind.clone()), "{found:?}");
        assert!(check(&fitted, &fitted).likely.is_none() && !check(&fitted, &fitted).is_off(), "{kind:?}");
    }
    let logged = by_column(&points, &|column, _| column.iter().map(|x| x.ln()).collect());
    assert_eq!(check(&points, &logged).likely, Some(Transformation::Exponential));
    let standardized = by_column(&points, &|column, _| {
        let (mean, sd) = mean_and_sd(column);
        column.iter().map(|x| (x - mean) / sd).collect()
    });
    assert_eq!(check(&points, &standardized).likely, Some(Transformation::Unstandardized));
    let swapped: Vec<f64> = points.chunks_exact(2).flat_map(|y| [y[1], y[0]]).collect();
    assert_eq!(check(&points, &swapped).likely, Some(Transformation::Reordered { order: vec![1, 0] }));
}

/// The summary warns, with numbers and the transformation; with the right data it does not.
#[test]
fn the_summary_warns_of_data_in_other_units() {
    let points = raw(300);
    let standardized = by_column(&points, &|column, _| {
        let (mean, sd) = mean_and_sd(column);
        column.iter().map(|x| (x - mean) / sd).collect()
    });
    let draws = draws_for(&standardized);
    let settings = Settings { slices: SliceCount::Fixed(20), ..Settings::default() };
    let warned = |data: &[f64]| {
        let summary = summarize(&draws, Some(Points::new(2, data).unwrap()), &settings, &Silent).unwrap();
        let of_data =
            |warning: &Warning| matches!(warning, Warning::DataOffScale { .. } | Warning::DeviationsAsVariances { .. });
        summary.result.warnings.into_iter().filter(of_data).map(|warning| warning.to_string()).collect::<Vec<_>>()
    };
    // One cause, one warning: the variances of the draws need no other reading.
    let [text] = &warned(&points)[..] else { panic!("{:?}", warned(&points)) };
    assert!(text.contains("column 0 has median 4") && text.contains("standardised columns"), "{text}");
    assert!(warned(&standardized).is_empty());
}

#[test]
fn gap_is_the_largest_difference_of_distribution_functions() {
    assert_eq!(gap(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), 0.0);
    assert_eq!(gap(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
    assert_eq!(gap(&[1.0, 1.0, 5.0, 5.0], &[1.0, 5.0, 5.0, 5.0]), 0.25);
    let (a, b): (Vec<f64>, Vec<f64>) = (
        (0..50).map(|i| (f64::from(i) * 0.37).sin()).collect(),
        (0..70).map(|i| (f64::from(i) * 0.61).cos()).collect(),
    );
    let below = |values: &[f64], x: f64| values.iter().filter(|y| **y <= x).count() as f64 / values.len() as f64;
    let expected = a.iter().chain(&b).map(|&x| (below(&a, x) - below(&b, x)).abs()).fold(0.0, f64::max);
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    assert!((gap(&sorted(&a), &sorted(&b)) - expected).abs() < 1e-15);
}

/// Four normal columns and one that is skewed, all standardised before the fit. The logarithm helps the last column more than it harms any other, but it harms
/// four: plain standardising is named.
#[test]
fn one_skewed_column_does_not_make_logarithms() {
    let n = 300;
    let mut rows = vec![[0.0; 5]; n];
    let mut z = vec![0.0; n];
    for j in 0..5 {
        standard_normals(&mut stream(8, Purpose::Simulation, j), &mut z);
        // The normal scores of the ranks, so that no column is off by chance.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| z[a].total_cmp(&z[b]));
        for (rank, &i) in order.iter().enumerate() {
            let score = crate::normal::normal_quantile((rank as f64 + 0.5) / n as f64);
            rows[i][j as usize] = if j < 4 { 4.0 + score } else { (0.5 * score).exp() };
        }
    }
    let atoms = GaussianAtoms::new(5, vec![0.0; 5], vec![1.0; 5], CovarianceForm::Diagonal).unwrap();
    let draws = Ensemble::from_measures(&vec![MixingMeasure::new(vec![1.0], atoms).unwrap(); 20]).unwrap();
    let given: Vec<f64> = rows.concat();
    let found = DataCheck::new(&draws, Points::new(5, &given).unwrap(), 5).unwrap().unwrap();
    assert_eq!(found.likely, Some(Transformation::Standardized), "{found:?}");
}
