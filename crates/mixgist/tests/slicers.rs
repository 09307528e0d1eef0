//! What holds for every registered slicer, scheme, dimension and order: the axioms of a metric, invariances, and the formulas
//! that define the projections.

mod common;

use common::*;
use mixgist::slice::{Array, CustomSlices, NamedArrays, SLICERS, Scheme, Slices, slicer};
use mixgist::{CovarianceForm, GaussianAtoms, Loss, MixingMeasure, Pruning, Route, Silent, SlicedDistance};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// Enough for one orthogonal block of `sw` in dimension 5 and some more.
const SLICES: usize = 33;

fn distance(slices: &dyn Slices, p: f64, a: &MixingMeasure, b: &MixingMeasure) -> f64 {
    SlicedDistance::new(slices, order(p)).with_pruning(Pruning::Off).between(a, b).unwrap().value
}

/// Asserts that two distances belong to transport costs that rounding alone can explain: cumulative weights and positions are good to
/// some units in the last place.
fn assert_same(got: f64, expected: f64, p: f64, span: f64) {
    let gap = (got.powf(p) - expected.powf(p)).abs();
    assert!(gap <= 1e-12 * span.powf(p), "{got} against {expected} at order {p} and span {span}");
}

fn three_measures() -> impl Strategy<Value = (MixingMeasure, MixingMeasure, MixingMeasure)> {
    dimension().prop_flat_map(|d| (measure(d, 1..7), measure(d, 1..7), measure(d, 1..7)))
}

fn raw_and_measure() -> impl Strategy<Value = (usize, Vec<RawAtom>, MixingMeasure)> {
    dimension().prop_flat_map(|d| (Just(d), raw_atoms(d, 1..7), measure(d, 1..7)))
}

fn any_order() -> impl Strategy<Value = f64> {
    prop::sample::select(ORDERS.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_distance_is_a_metric((a, b, c) in three_measures(), p in any_order(), seed: u64) {
        for (slicer, scheme) in every_law() {
            let slices = freeze(slicer, scheme, a.dim(), 0..SLICES, seed);
            let d = |x, y| distance(&*slices, p, x, y);
            let (ab, bc, ac) = (d(&a, &b), d(&b, &c), d(&a, &c));
            prop_assert!(ab >= 0.0 && ab.is_finite());
            prop_assert_eq!(ab, d(&b, &a), "{} is not symmetric", slicer.name());
            prop_assert_eq!(d(&a, &a), 0.0);
            prop_assert!(ac <= ab + bc + 1e-12 * span(&*slices, &[&a, &b, &c]), "{} {:?}", slicer.name(), scheme);
            // Weights, means and covariances are random and so the measures differ.
            prop_assert!(ab > 0.0);
        }
    }

    #[test]
    fn the_order_of_atoms_does_not_matter((dim, mut raw, other) in raw_and_measure(), p in any_order(), turn in 0usize..6, seed: u64) {
        let measure = measure_from(dim, &raw);
        let turn = turn % raw.len();
        raw.rotate_left(turn);
        let permuted = measure_from(dim, &raw);
        raw.reverse();
        let reversed = measure_from(dim, &raw);
        for (slicer, scheme) in every_law() {
            let slices = freeze(slicer, scheme, dim, 0..SLICES, seed);
            let span = span(&*slices, &[&measure, &other]);
            for copy in [&permuted, &reversed] {
                assert_same(distance(&*slices, p, copy, &other), distance(&*slices, p, &measure, &other), p, span);
                assert_same(distance(&*slices, p, copy, &measure), 0.0, p, span);
            }
        }
    }

    #[test]
    fn splitting_an_atom_changes_nothing((dim, mut raw, other) in raw_and_measure(), p in any_order(), k in 0usize..6, share in 0.0..1.0f64, seed: u64) {
        let measure = measure_from(dim, &raw);
        let k = k % raw.len();
        let mut half = raw[k].clone();
        half.0 *= share;
        raw[k].0 -= half.0;
        raw.push(half);
        let split = measure_from(dim, &raw);
        for (slicer, scheme) in every_law() {
            let slices = freeze(slicer, scheme, dim, 0..SLICES, seed);
            let span = span(&*slices, &[&measure, &other]);
            assert_same(distance(&*slices, p, &split, &other), distance(&*slices, p, &measure, &other), p, span);
            assert_same(distance(&*slices, p, &split, &measure), 0.0, p, span);
        }
    }

    #[test]
    fn atoms_without_weight_are_not_there((dim, mut raw, other) in raw_and_measure(), p in any_order(), place in 0usize..7, seed: u64) {
        let measure = measure_from(dim, &raw);
        raw.insert(place % (raw.len() + 1), (0.0, vec![1e9; dim], vec![3.0; dim * (dim + 1) / 2]));
        let padded = measure_from(dim, &raw);
        for (slicer, scheme) in every_law() {
            let slices = freeze(slicer, scheme, dim, 0..SLICES, seed);
            prop_assert_eq!(distance(&*slices, p, &padded, &other), distance(&*slices, p, &measure, &other));
        }
    }

    #[test]
    fn shifting_both_measures_changes_nothing((a, b, _) in three_measures(), p in any_order(), by in prop::collection::vec(-50.0..50.0f64, 5), seed: u64) {
        let by = &by[..a.dim()];
        for (slicer, scheme) in every_law() {
            let slices = freeze(slicer, scheme, a.dim(), 0..SLICES, seed);
            let moved = distance(&*slices, p, &shifted(&a, by), &shifted(&b, by));
            // Positions of size 100 are good to 1e-14, the gaps between them to as much.
            assert_same(moved, distance(&*slices, p, &a, &b), p, span(&*slices, &[&a, &b]).max(1.0));
        }
    }

    /// Shifting one measure by t moves every position by the slice's mean part of t, so the cost between a measure and its shifted
    /// self is that of two single points.
    #[test]
    fn shifting_one_measure_moves_it_rigidly((a, _, _) in three_measures(), p in any_order(), by in prop::collection::vec(-3.0..3.0f64, 5), seed: u64) {
        let by = &by[..a.dim()];
        for (slicer, scheme) in every_law() {
            let slices = freeze(slicer, scheme, a.dim(), 0..SLICES, seed);
            let moved = shifted(&a, by);
            let (from, to) = (positions(&*slices, a.atoms()), positions(&*slices, moved.atoms()));
            let shifts: Vec<f64> = from.iter().zip(&to).step_by(a.len()).map(|(x, y)| (y - x).abs().powf(p)).collect();
            let expected = (shifts.iter().sum::<f64>() / SLICES as f64).powf(1.0 / p);
            assert_same(distance(&*slices, p, &a, &moved), expected, p, span(&*slices, &[&a, &moved]));
        }
    }

    /// The distance from the definition, with positions from the formulas and a transport cost that shares no code with the library.
    #[test]
    fn given_directions_follow_the_formulas((a, b, _) in three_measures(), p in any_order(), numbers in prop::collection::vec(0.1..1.5f64, 4 * 64)) {
        let d = a.dim();
        let arrays = direction_arrays(d, &numbers);
        for slicer in SLICERS {
            let slices = slicer.given(d, &arrays).unwrap();
            prop_assert_eq!(slices.len(), 4);
            let (ours_a, ours_b) = (positions(&*slices, a.atoms()), positions(&*slices, b.atoms()));
            let mut cost = 0.0;
            for l in 0..4 {
                let line = |m: &MixingMeasure, ours: &[f64]| -> Vec<(f64, f64)> {
                    (0..m.len())
                        .map(|k| {
                            let x = by_formula(slicer.name(), &arrays, l, m.atoms(), k);
                            let got = ours[l * m.len() + k];
                            assert!((got - x).abs() <= 1e-11 * (1.0 + x.abs()), "{}: {got} against {x}", slicer.name());
                            (x, m.weights()[k])
                        })
                        .collect()
                };
                cost += transport_cost_by_definition(&line(&a, &ours_a), &line(&b, &ours_b), p) / 4.0;
            }
            let got = distance(&*slices, p, &a, &b);
            let span = span(&*slices, &[&a, &b]).max(1.0);
            prop_assert!((got.powf(p) - cost).abs() <= 1e-10 * span.powf(p), "{}: {} against {cost}", slicer.name(), got.powf(p));
        }
    }
}

/// Directions of four slices under the names of every slicer, of length 1 and the matrices symmetric; every third number gets a minus.
fn direction_arrays(d: usize, numbers: &[f64]) -> NamedArrays {
    let mut numbers =
        numbers.iter().copied().cycle().zip([1.0, 1.0, -1.0].into_iter().cycle()).map(|(x, sign)| sign * x);
    let mut take = |rest: &[usize]| {
        let shape: Vec<usize> = std::iter::once(4).chain(rest.iter().copied()).collect();
        let size = rest.iter().product();
        let mut values: Vec<f64> = numbers.by_ref().take(4 * size).collect();
        for row in values.chunks_exact_mut(size) {
            if let [rows, columns] = rest {
                (0..*rows).for_each(|i| (0..i).for_each(|j| row[i * columns + j] = row[j * columns + i]));
            }
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        }
        Array { shape, values }
    };
    NamedArrays::from([
        ("sw_theta".to_owned(), take(&[d + d * d])),
        ("mix_sw_v".to_owned(), take(&[d])),
        ("mix_sw_a".to_owned(), take(&[d, d])),
        ("mix_sw_w".to_owned(), take(&[2])),
        ("smix_w_v".to_owned(), take(&[d])),
        ("smix_w_w".to_owned(), take(&[2])),
    ])
}

/// The position of atom k on slice l, word for word from the definition of the slicer.
fn by_formula(name: &str, arrays: &NamedArrays, l: usize, atoms: &GaussianAtoms, k: usize) -> f64 {
    let d = atoms.dim();
    let row = |array: &str| {
        let array = &arrays[array];
        let size = array.values.len() / array.shape[0];
        &array.values[l * size..(l + 1) * size]
    };
    let mean = DVector::from_row_slice(atoms.mean(k));
    let covariance = DMatrix::from_row_slice(d, d, atoms.covariance(k));
    let vector = |array: &str| DVector::from_row_slice(row(array));
    match name {
        "sw" => row("sw_theta").iter().zip(atoms.mean(k).iter().chain(atoms.covariance(k))).map(|(u, x)| u * x).sum(),
        "mix-sw" | "mix-sw-frobenius" => {
            let eigen = covariance.symmetric_eigen();
            let logs = DMatrix::from_diagonal(&eigen.eigenvalues.map(f64::ln));
            let log = &eigen.eigenvectors * logs * eigen.eigenvectors.transpose();
            let a = DMatrix::from_row_slice(d, d, row("mix_sw_a"));
            let w = row("mix_sw_w");
            w[0] * vector("mix_sw_v").dot(&mean) + w[1] * (a * log).trace()
        }
        "smix-w" => {
            let (v, w) = (vector("smix_w_v"), row("smix_w_w"));
            w[0] * v.dot(&mean) + w[1] * (&v.transpose() * covariance * &v)[0].sqrt().ln()
        }
        other => panic!("the formula of {other} is not written down here"),
    }
}

#[test]
fn given_directions_are_checked() {
    let good = direction_arrays(2, &[0.5, 1.0, 0.25, 0.7]);
    let message = |name: &str, change: &dyn Fn(&mut NamedArrays)| {
        let mut arrays = good.clone();
        change(&mut arrays);
        slicer(name).unwrap().given(2, &arrays).err().expect("these directions are wrong").to_string()
    };
    assert!(message("sw", &|a| a.retain(|name, _| name != "sw_theta")).contains("no array 'sw_theta'"));
    assert!(message("mix-sw", &|a| a.get_mut("mix_sw_a").unwrap().shape = vec![4, 4]).contains("expected (L, 2, 2)"));
    assert!(
        message("mix-sw", &|a| a.get_mut("mix_sw_w").unwrap().values[3] = f64::NAN).contains("direction 1 holds NaN")
    );
    assert!(message("sw", &|a| a.get_mut("sw_theta").unwrap().values.truncate(23)).contains("holds 23 numbers"));
    assert!(
        message("smix-w", &|a| a.get_mut("smix_w_v").unwrap().values[2..4].fill(0.0))
            .contains("'smix_w_v': direction 1 has length 0,")
    );
    assert!(
        message("smix-w", &|a| a.get_mut("smix_w_w").unwrap().values[7] *= 2.0).contains("'smix_w_w': direction 3")
    );
    assert!(message("sw", &|a| a.get_mut("sw_theta").unwrap().values[0] += 0.1).contains("'sw_theta': direction 0"));
    assert!(
        message("mix-sw", &|a| a.get_mut("mix_sw_v").unwrap().values[0] += 0.1).contains("'mix_sw_v': direction 0")
    );
    assert!(
        message("mix-sw", &|a| a.get_mut("mix_sw_a").unwrap().values[4] *= -2.0).contains("'mix_sw_a': direction 1")
    );
    assert!(
        message("mix-sw", &|a| a.get_mut("mix_sw_a").unwrap().values[5] *= -1.0).contains("matrix 1 is not symmetric")
    );
    let shorter = |a: &mut NamedArrays| {
        a.insert("smix_w_w".into(), Array { shape: vec![3, 2], values: vec![1.0; 6] });
    };
    assert!(message("smix-w", &shorter).contains("holds 3 directions"));
    assert!(slicer("swift").err().unwrap().to_string().contains("unknown distance 'swift'"));
}

#[test]
fn slices_depend_on_seed_and_index_alone() {
    let raw: Vec<RawAtom> =
        (0..3).map(|k| (1.0, vec![f64::from(k); 5], (0..15).map(|c| 0.1 * f64::from(c - 7 * k)).collect())).collect();
    for (slicer, scheme) in every_law() {
        for d in [1, 2, 5] {
            let raw: Vec<RawAtom> =
                raw.iter().map(|(w, m, f)| (*w, m[..d].to_vec(), f[..d * (d + 1) / 2].to_vec())).collect();
            let atoms = atoms_from(d, &raw);
            let all = positions(&*freeze(slicer, scheme, d, 0..200, 7), &atoms);
            for range in [0..1, 0..100, 3..40, 64..65, 123..200] {
                let part = positions(&*freeze(slicer, scheme, d, range.clone(), 7), &atoms);
                assert_eq!(part, all[range.start * 3..range.end * 3], "{} {scheme:?} {range:?}", slicer.name());
            }
            assert_ne!(all, positions(&*freeze(slicer, scheme, d, 0..200, 8), &atoms));
        }
    }
}

/// One atom against one atom: the mean over directions of the squared gap is known. The standard error over slices says how close
/// the estimate must be. Over the 60 comparisons the chance of a false alarm is below 1e-4: 7 standard errors with at least 15 degrees of
/// freedom (P(|t_15| > 7) = 4e-6, two thirds of the comparisons have far more).
#[test]
fn one_atom_distances_have_their_closed_form() {
    for d in [1usize, 2, 5] {
        let one = |mean: f64, factor: &dyn Fn(usize) -> f64| {
            let size = d * (d + 1) / 2;
            measure_from(d, &[(1.0, (0..d).map(|i| mean + i as f64).collect(), (0..size).map(factor).collect())])
        };
        let a = one(0.0, &|c| 0.1 * c as f64);
        let pairs = [(a.clone(), one(1.5, &|c| 0.1 * c as f64)), (a.clone(), one(0.2, &|c| -0.2 * c as f64 + 0.3))];
        for (a, b) in &pairs {
            let mean = square(a.atoms().means(), b.atoms().means());
            let flat = square(a.atoms().covariances(), b.atoms().covariances());
            let log = log_of(a) - log_of(b);
            let dim = d as f64;
            let spectral = (2.0 * log.norm_squared() + log.trace().powi(2)) / (dim * (dim + 2.0));
            let expected = |name: &str| match name {
                "sw" => Some((mean + flat) / (dim + dim * dim)),
                "mix-sw" => Some(0.5 * mean / dim + 0.5 * spectral),
                "mix-sw-frobenius" => Some(0.5 * mean / dim + log.norm_squared() / (dim * (dim + 1.0))),
                // vᵀΣv has no simple law unless the covariances are equal or d = 1.
                "smix-w" if d == 1 => Some(0.5 * mean + 0.5 * (0.5 * log[0]).powi(2)),
                "smix-w" if flat == 0.0 => Some(0.5 * mean / dim),
                _ => None,
            };
            for (slicer, scheme) in every_law() {
                let Some(expected) = expected(slicer.name()) else { continue };
                let slices = freeze(slicer, scheme, d, 0..3840, 11);
                let estimate = SlicedDistance::new(&*slices, order(2.0)).between(a, b).unwrap();
                let error = 2.0 * estimate.value * estimate.standard_error.unwrap();
                let gap = (estimate.value.powi(2) - expected).abs();
                assert!(
                    gap <= 7.0 * error + 1e-12 * expected,
                    "{} {scheme:?} d = {d}: off by {gap}, standard error {error}",
                    slicer.name()
                );
                // A full orthogonal basis of `sw` integrates squares exactly, and so do the pairs of right angles for the means.
                let basis = matches!(scheme, Scheme::Orthogonal | Scheme::Balanced);
                if basis && (slicer.name() == "sw" || flat == 0.0) {
                    assert!(gap <= 1e-12 * expected, "{} d = {d}: off by {gap}", slicer.name());
                }
            }
        }
    }
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum()
}

fn log_of(measure: &MixingMeasure) -> DMatrix<f64> {
    let d = measure.dim();
    let eigen = DMatrix::from_row_slice(d, d, measure.atoms().covariance(0)).symmetric_eigen();
    &eigen.eigenvectors * DMatrix::from_diagonal(&eigen.eigenvalues.map(f64::ln)) * eigen.eigenvectors.transpose()
}

/// The linear part of every slice, recovered from the positions of a few atoms: its response to each mean coordinate, and to log Σ = E_11
/// (to log Σ = I for `smix-w`, to Σ = I + E_11 for `sw`).
struct Responses {
    means: Vec<Vec<f64>>,
    matrix: Vec<f64>,
}

fn responses(name: &str, slices: &dyn Slices, d: usize) -> Responses {
    let mut means = vec![0.0; (d + 2) * d];
    (0..d).for_each(|c| means[(c + 1) * d + c] = 1.0);
    let mut covariances: Vec<f64> =
        (0..d + 2).flat_map(|_| DMatrix::<f64>::identity(d, d).as_slice().to_vec()).collect();
    let last = covariances.len() - d * d;
    match name {
        "sw" => covariances[last] = 2.0,
        "smix-w" => (0..d).for_each(|c| covariances[last + c * d + c] = 2f64.exp()),
        _ => covariances[last] = 1f64.exp(),
    }
    let atoms = GaussianAtoms::new(d, means, covariances, CovarianceForm::Covariance).unwrap();
    let all = positions(slices, &atoms);
    let rows = all.chunks(d + 2).map(|row| row[1..].iter().map(|x| x - row[0]).collect::<Vec<f64>>());
    let (means, matrix) = rows.map(|row| (row[..d].to_vec(), row[d])).unzip();
    Responses { means, matrix }
}

/// First, second and fourth moments of the directions under every scheme. Each is a mean over slices with known expectation. The error
/// comes from 40 (16 for qmc) independent groups; with 7 standard errors and some 200 comparisons the chance of a
/// false alarm is below 1e-3 (P(|t_15| > 7) = 4e-6).
#[test]
fn every_scheme_has_the_law_of_its_slicer() {
    for d in [1usize, 2, 5] {
        for (slicer, scheme) in every_law() {
            let name = slicer.name();
            // 40 groups of whole orthogonal blocks.
            let slices = freeze(slicer, scheme, d, 0..7200, 5);
            let Responses { means, matrix } = responses(name, &*slices, d);
            let (dim, flat) = (d as f64, (d + d * d) as f64);
            // Second and fourth moments of a coordinate of a uniform unit vector in n dimensions.
            let moments = |n: f64| (1.0 / n, 3.0 / (n * (n + 2.0)));
            let (circle, unit) = (moments(2.0), moments(dim));
            let (second, fourth) = if name == "sw" { moments(flat) } else { (circle.0 * unit.0, circle.1 * unit.1) };
            let matrix_second = match name {
                "sw" => moments(flat).0,
                "mix-sw" => circle.0 * 3.0 / (dim * (dim + 2.0)),
                "mix-sw-frobenius" => circle.0 * 2.0 / (dim * (dim + 1.0)),
                _ => circle.0,
            };
            let check = |what: &str, values: Vec<f64>, expected: f64| {
                let groups: Vec<f64> = match scheme {
                    Scheme::Qmc => (0..16).map(|g| mean(values.iter().skip(g).step_by(16))).collect(),
                    _ => values.chunks(180).map(|group| mean(group.iter())).collect(),
                };
                let estimate = mean(groups.iter());
                let variance = groups.iter().map(|g| (g - estimate).powi(2)).sum::<f64>() / (groups.len() - 1) as f64;
                let error = (variance / groups.len() as f64).sqrt();
                let gap = (estimate - expected).abs();
                assert!(gap <= 7.0 * error + 1e-12, "{name} {scheme:?} d = {d}: {what} off by {gap} ± {error}");
            };
            for c in [0, d - 1] {
                check("mean", means.iter().map(|u| u[c]).collect(), 0.0);
                check("square", means.iter().map(|u| u[c] * u[c]).collect(), second);
                check("fourth power", means.iter().map(|u| u[c].powi(4)).collect(), fourth);
            }
            if d > 1 {
                check("product", means.iter().map(|u| u[0] * u[1]).collect(), 0.0);
            }
            check("matrix mean", matrix.clone(), 0.0);
            check("matrix square", matrix.iter().map(|x| x * x).collect(), matrix_second);
            check("mean times matrix", means.iter().zip(&matrix).map(|(u, x)| u[0] * x).collect(), 0.0);
        }
    }
}

fn mean<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), x| (count + 1.0, sum + x));
    sum / count
}

/// Under the orthogonal scheme two neighbouring slices of the mixed slicers share v at a right angle of (w1, w2), and the directions v
/// of a block are orthogonal to each other.
#[test]
fn orthogonal_blocks_are_orthogonal() {
    for name in ["mix-sw", "mix-sw-frobenius", "smix-w"] {
        for d in [2usize, 5] {
            let slices = freeze(slicer(name).unwrap(), Scheme::Orthogonal, d, 0..6 * d, 3);
            let Responses { means, .. } = responses(name, &*slices, d);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            for block in means.chunks(2 * d) {
                for (i, a) in block.iter().enumerate() {
                    for (j, b) in block.iter().enumerate() {
                        if i / 2 != j / 2 {
                            assert!(dot(a, b).abs() < 1e-13, "{name} d = {d}: {i} and {j}");
                        } else if i != j {
                            assert!((dot(a, a) + dot(b, b) - 1.0).abs() < 1e-13);
                        }
                    }
                }
            }
            assert!(dot(&means[0], &means[2 * d]).abs() > 1e-6, "blocks are independent of each other");
        }
    }
}

/// The standard deviation over seeds of the distance between two mixtures: a few balanced groups do better than eight times as many
/// independent slices. With 24 seeds each a ratio of standard deviations is off by a factor of 2 once in 1000 times; the ratios are 3 to 30.
#[test]
fn balanced_slices_are_worth_many_independent_ones() {
    for (name, d) in [("smix-w", 1), ("smix-w", 2), ("mix-sw", 2), ("smix-w", 5), ("mix-sw", 5), ("sw", 5)] {
        let draws = Kind::Plain.ensemble(d, 2, 8);
        let spread = |scheme: Scheme, count: usize| {
            let value = |seed: u64| {
                let slices = freeze(slicer(name).unwrap(), scheme, d, 0..count, seed);
                SlicedDistance::new(&*slices, order(2.0)).between(&draws.draw(0), &draws.draw(1)).unwrap().value
            };
            let values: Vec<f64> = (0..24).map(value).collect();
            let center = mean(values.iter());
            (values.iter().map(|x| (x - center).powi(2)).sum::<f64>() / 23.0).sqrt()
        };
        // Whole groups.
        let count = if name == "sw" {
            120
        } else if d == 5 {
            130
        } else {
            128
        };
        let (balanced, independent) = (spread(Scheme::Balanced, count), spread(Scheme::Iid, 1024));
        assert!(balanced < independent, "{name} in dimension {d}: {balanced} against {independent}");
    }
}

#[test]
fn dimension_one_sees_log_variance_or_log_sd() {
    let atom = |mean: f64, variance: f64| {
        let atoms = GaussianAtoms::new(1, vec![mean], vec![variance], CovarianceForm::Covariance).unwrap();
        MixingMeasure::new(vec![1.0], atoms).unwrap()
    };
    let (narrow, wide) = (atom(2.0, 1.0), atom(2.0, 9.0));
    for p in ORDERS {
        // Only (w1, w2) matters, and W_p = |w2| · constant on each slice: the ratio of two slicers' constants is exact.
        let value = |name: &str| distance(&*freeze(slicer(name).unwrap(), Scheme::Iid, 1, 0..50, 1), p, &narrow, &wide);
        let w2: Vec<f64> = responses("smix-w", &*freeze(slicer("smix-w").unwrap(), Scheme::Iid, 1, 0..50, 1), 1).matrix;
        let norm = (w2.iter().map(|w| w.abs().powf(p)).sum::<f64>() / 50.0).powf(1.0 / p);
        assert!((value("smix-w") - norm * 3f64.ln()).abs() < 1e-12);
        assert!((value("mix-sw") - norm * 9f64.ln()).abs() < 1e-12);
        assert!((value("mix-sw-frobenius") - norm * 9f64.ln()).abs() < 1e-12);
    }
}

/// The second atom is so light that the first weight rounds to the largest number below 1: the walk along the cumulative weights must
/// still end, on either side, and the light atom costs next to nothing.
#[test]
fn a_sliver_of_mass_is_matched() {
    for d in [1usize, 2, 5] {
        let size = d * (d + 1) / 2;
        let heavy = (1.0 - 1e-16, vec![0.5; d], vec![0.1; size]);
        let light = (1e-16, vec![4.0; d], vec![-0.5; size]);
        let alone = measure_from(d, &[(1.0, vec![0.5; d], vec![0.1; size])]);
        for raw in [[heavy.clone(), light.clone()], [light, heavy]] {
            let sliver = measure_from(d, &raw);
            assert_eq!(sliver.len(), 2);
            for (slicer, scheme) in every_law() {
                let slices = freeze(slicer, scheme, d, 0..SLICES, 9);
                let span = span(&*slices, &[&sliver, &alone]);
                for p in ORDERS {
                    let there = distance(&*slices, p, &sliver, &alone);
                    assert!(there.powf(p) <= 4e-16 * span.powf(p), "{} {there}", slicer.name());
                    assert_eq!(there, distance(&*slices, p, &alone, &sliver));
                    assert_eq!(distance(&*slices, p, &sliver, &sliver), 0.0);
                }
            }
        }
    }
}

#[test]
fn identical_draws_are_at_distance_zero() {
    let draw = noisy_measure(2, 4..5, 1.0, 3, 0);
    let ensemble = mixgist::Ensemble::from_measures(&vec![draw; 11]).unwrap();
    for (slicer, scheme) in every_law() {
        let slices = freeze(slicer, scheme, 2, 0..SLICES, 2);
        for p in ORDERS {
            let sliced = SlicedDistance::new(&*slices, order(p));
            let matrix = sliced.matrix(&ensemble, &Silent).unwrap();
            assert!(matrix.distances.values().iter().chain(matrix.standard_errors.values()).all(|&x| x == 0.0));
            for loss in [Loss::Distance, Loss::Power] {
                let medoid = sliced.medoid(&ensemble, loss, Route::Auto, &Silent).unwrap();
                assert_eq!((medoid.draw, medoid.runner_up), (0, None));
                // The sweep takes a difference of squared norms, whose rounding is left over.
                assert!(medoid.expected_loss <= if medoid.route == Route::Sweep { 1e-15 } else { 0.0 });
            }
        }
    }
}

#[test]
fn slices_of_ones_own_are_used_as_given() {
    let (a, b) = (noisy_measure(2, 3..6, 1.0, 1, 0), noisy_measure(2, 3..6, 1.0, 1, 1));
    let own = CustomSlices::new(2, |atoms: &GaussianAtoms, out: &mut [f64]| {
        let n = atoms.len();
        for k in 0..n {
            out[k] = atoms.mean(k)[0];
            out[n + k] = atoms.mean(k)[1] + atoms.covariance(k)[0].ln();
        }
    });
    for p in ORDERS {
        let mut cost = 0.0;
        for l in 0..2 {
            let line = |m: &MixingMeasure| -> Vec<(f64, f64)> {
                positions(&own, m.atoms())[l * m.len()..(l + 1) * m.len()]
                    .iter()
                    .copied()
                    .zip(m.weights().iter().copied())
                    .collect()
            };
            cost += transport_cost_by_definition(&line(&a), &line(&b), p) / 2.0;
        }
        let distance = SlicedDistance::new(&own, order(p)).between(&a, &b).unwrap();
        assert!((distance.value - cost.powf(1.0 / p)).abs() <= 1e-12 * distance.value);
        assert!(distance.standard_error.unwrap() > 0.0);
    }
}

#[test]
fn slices_of_ones_own_that_are_not_finite_or_not_there_are_errors() {
    let (a, b) = (noisy_measure(1, 2..3, 1.0, 1, 0), noisy_measure(1, 2..3, 1.0, 1, 1));
    let message =
        |slices: &dyn Slices| SlicedDistance::new(slices, order(2.0)).between(&a, &b).unwrap_err().to_string();
    let broken = CustomSlices::new(1, |_: &GaussianAtoms, out: &mut [f64]| out[2] = f64::NAN);
    assert_eq!(message(&broken), "draw 1: an atom is at NaN on slice 0: too large to compute with");
    let none = CustomSlices::new(0, |_: &GaussianAtoms, _: &mut [f64]| ());
    assert_eq!(message(&none), "there are no slices, at least one is needed");
}
