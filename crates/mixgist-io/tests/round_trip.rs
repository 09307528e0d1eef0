//! What is written and read back is the same, bit for bit, in every format that can hold it.

use std::path::Path;

use mixgist::slice::{Array, NamedArrays};
use mixgist::{CovarianceForm, Ensemble};
use mixgist_io::*;
use proptest::prelude::*;

/// Draws of any size with labels and data, from a list of raw numbers.
fn draws(sizes: &[usize], dim: usize, raw: &[f64], weighted: bool) -> DrawsFile {
    let mut next = {
        let mut at = 0;
        move || {
            at += 1;
            raw[at % raw.len()]
        }
    };
    let atoms: usize = sizes.iter().sum();
    let offsets: Vec<usize> = std::iter::once(0)
        .chain(sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        }))
        .collect();
    let weights: Vec<f64> = (0..atoms).map(|_| 0.01 + next().abs().fract()).collect();
    let means: Vec<f64> = (0..atoms * dim).map(|_| next()).collect();
    let mut covariances = Vec::new();
    for _ in 0..atoms {
        let start = covariances.len();
        for i in 0..dim {
            for j in 0..dim {
                let entry = if j > i { 0.0 } else { next().fract() };
                covariances.push(if i == j { 1.0 + entry.abs() } else { entry });
            }
        }
        assert_eq!(covariances.len() - start, dim * dim);
    }
    let m = sizes.len();
    let chains = (0..m).map(|draw| (draw % 2) as u32).collect();
    let iterations = (0..m).map(|draw| 7 * draw as u64 + 3).collect();
    let ensemble = Ensemble::builder(dim)
        .offsets(&offsets)
        .weights(&weights)
        .means(&means)
        .covariances(&covariances)
        .form(CovarianceForm::Cholesky)
        .build()
        .and_then(|ensemble| ensemble.with_chains(chains, iterations))
        .unwrap();
    let draw_weights: Vec<f64> = (0..m).map(|_| 0.1 + next().abs().fract()).collect();
    DrawsFile::from(if weighted { ensemble.with_draw_weights(&draw_weights).unwrap() } else { ensemble })
}

fn labels(draws: usize, observations: usize) -> LabelDraws {
    // Neither from 0 nor in order of appearance.
    let row = |m: usize| (0..observations).map(move |i| 5 - 3 * (i % (m + 1)) as i64);
    LabelDraws { draws, observations, labels: (0..draws).flat_map(row).collect() }
}

/// All but the record of how far the weights were from 1, which scaling makes 0.
fn assert_same_draws(a: &DrawsFile, b: &DrawsFile) {
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let (x, y) = (&a.ensemble, &b.ensemble);
    assert_eq!((x.len(), x.dim()), (y.len(), y.dim()));
    assert_eq!(x.offsets(), y.offsets());
    assert_eq!(bits(x.weights()), bits(y.weights()));
    assert_eq!(bits(x.atoms().means()), bits(y.atoms().means()));
    assert_eq!(bits(x.atoms().covariances()), bits(y.atoms().covariances()));
    assert_eq!((x.chains(), x.iterations()), (y.chains(), y.iterations()));
    assert_eq!(x.draw_weights().map(bits), y.draw_weights().map(bits));
    assert_eq!((&a.labels, &a.data), (&b.labels, &b.data));
}

fn through(folder: &Path, name: &str, draws: &DrawsFile) -> DrawsFile {
    let path = folder.join(name);
    write_draws(&path, draws, None, Overwrite::Force).unwrap();
    read_draws(&[&path], &ReadOptions::default()).unwrap()
}

const DRAWS_NAMES: &[&str] = &[
    "a.npz",
    "a.csv",
    #[cfg(feature = "parquet")]
    "a.parquet",
];
const TABLE_NAMES: &[&str] = &[
    "a.npz",
    "a.npy",
    "a.csv",
    #[cfg(feature = "parquet")]
    "a.parquet",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn draws_survive_every_format(
        sizes in prop::collection::vec(1usize..5, 1..6),
        dim in 1usize..4,
        raw in prop::collection::vec(any::<f32>().prop_filter("finite", |x| x.is_finite()), 40..60),
        weighted in any::<bool>(),
    ) {
        let raw: Vec<f64> = raw.iter().map(|x| f64::from(*x) / 3.0).collect();
        let folder = tempfile::tempdir().unwrap();
        let draws = draws(&sizes, dim, &raw, weighted);
        for name in DRAWS_NAMES {
            assert_same_draws(&through(folder.path(), name, &draws), &draws);
        }
    }

    #[test]
    fn data_and_labels_survive_every_format(
        rows in 1usize..6,
        columns in 1usize..4,
        raw in prop::collection::vec(any::<f64>().prop_filter("finite", |x| x.is_finite()), 24),
        named in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        for name in TABLE_NAMES {
            let path = folder.path().join(name);
            // npy has no names, Parquet always has.
            let named = *name != "a.npy" && (named || *name == "a.parquet");
            let names = named.then(|| (0..columns).map(|j| format!("x \"{j}\", é")).collect());
            let data = DataTable::new(columns, raw[..rows * columns].to_vec(), names).unwrap();
            write_data(&path, &data, None, Overwrite::Force).unwrap();
            let back = read_data(&path, &ReadOptions::default()).unwrap();
            prop_assert_eq!(&back, &data, "{}", name);
            let signs = |data: &DataTable| data.values().iter().map(|x| x.is_sign_negative()).collect::<Vec<_>>();
            prop_assert_eq!(signs(&back), signs(&data), "{}", name);
            let labels = labels(rows, columns);
            write_labels(&path, &labels, None, Overwrite::Force).unwrap();
            prop_assert_eq!(&read_labels(&path, &ReadOptions::default()).unwrap(), &labels, "{}", name);
        }
    }
}

#[test]
fn npz_holds_labels_and_data_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut draws = draws(&[2, 3], 2, &[0.3, -1.5, 2.25], true);
    draws.labels = Some(labels(2, 5));
    let names = vec!["eruptions".to_owned(), "waiting".to_owned()];
    draws.data = Some(DataTable::new(2, (0..10).map(f64::from).collect(), Some(names)).unwrap());
    assert_same_draws(&through(folder.path(), "a.npz", &draws), &draws);
    let path = folder.path().join("a.npz");
    assert_eq!(read_data(&path, &ReadOptions::default()).unwrap(), draws.data.clone().unwrap());
    assert_eq!(read_labels(&path, &ReadOptions::default()).unwrap(), draws.labels.unwrap());
}

/// Labels are written in the narrowest integers that hold them, and read back the same whatever their width.
#[test]
fn labels_are_written_in_the_narrowest_integers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.npy");
    for (largest, descr) in [(255, "'|u1'"), (256, "'<u2'"), (65_536, "'<u4'"), (1i64 << 32, "'<i8'"), (-1, "'<i8'")] {
        let labels = LabelDraws { draws: 2, observations: 2, labels: vec![0, 1, 0, largest].into() };
        write_labels(&path, &labels, None, Overwrite::Force).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert!(String::from_utf8_lossy(&bytes[..128]).contains(descr), "{largest}");
        assert_eq!(read_labels(&path, &ReadOptions::default()).unwrap(), labels);
    }
}

#[test]
fn the_same_draws_make_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let draws = draws(&[2, 2], 2, &[0.3, -1.5, 2.25], false);
    for name in DRAWS_NAMES {
        let write = |prefix: &str| {
            let path = folder.path().join(format!("{prefix}{name}"));
            write_draws(&path, &draws, None, Overwrite::Refuse).unwrap();
            std::fs::read(path).unwrap()
        };
        assert_eq!(write("x"), write("y"), "{name}");
    }
}

#[test]
fn arrays_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("directions.npz");
    let array = Array { shape: vec![2, 3], values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.5] };
    write_arrays(&path, &NamedArrays::from([("sw_theta".to_owned(), array.clone())]), Overwrite::Refuse).unwrap();
    let arrays = read_arrays(&path, &["sw_theta", "mix_sw_v"], &ReadOptions::default()).unwrap();
    assert_eq!(arrays, NamedArrays::from([("sw_theta".to_owned(), array.clone())]));
    let path = folder.path().join("matrix.npy");
    write_npy(&path, &array, Overwrite::Refuse).unwrap();
    assert_eq!(read_data(&path, &ReadOptions::default()).unwrap().values(), array.values);
}
