//! Files that numpy, pandas, pyarrow and polars wrote (fixtures/make.py) are read as they meant them.

use std::path::PathBuf;

use mixgist::{CovarianceForm, Ensemble, Result};
use mixgist_io::*;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn draws(name: &str) -> Result<DrawsFile> {
    read_draws(&[fixture(name)], &ReadOptions::default())
}

const WEIGHTS: [f64; 6] = [0.25, 0.75, 0.5, 0.5, 0.125, 0.875];
const MEANS: [f64; 12] = [0.5, 1.5, 10.5, 11.5, 100.5, 101.5, 110.5, 111.5, 200.5, 201.5, 210.5, 211.5];

/// The covariance of atom k of draw m is (1 + m + k) I + 1/4.
fn covariances() -> Vec<f64> {
    let scale = (0..3).flat_map(|m| (0..2).map(move |k| 1.25 + f64::from(m + k)));
    scale.flat_map(|on| [on, 0.25, 0.25, on]).collect()
}

fn assert_draws(ensemble: &Ensemble) {
    assert_eq!((ensemble.len(), ensemble.dim()), (3, 2));
    assert_eq!(ensemble.offsets(), [0, 2, 4, 6]);
    assert_eq!(ensemble.weights(), WEIGHTS);
    assert_eq!(ensemble.atoms().means(), MEANS);
    assert_eq!(ensemble.atoms().covariances(), covariances());
}

fn assert_labels(labels: &LabelDraws) {
    assert_eq!((labels.draws, labels.observations), (3, 4));
    let partitions = labels.partitions().unwrap();
    let expected = [[0, 1, 0, 2], [0, 0, 1, 2], [0, 0, 0, 0]];
    assert!((0..3).all(|m| partitions.labels(m) == expected[m]), "{labels:?}");
}

const DATA: [f64; 8] = [1.5, 2.0, 3.25, -4.0, 0.0, 1e-300, 1e300, 0.1];

#[test]
fn dense_arrays_of_numpy() {
    let file = draws("dense.npz").unwrap();
    assert_draws(&file.ensemble);
    assert_eq!(file.ensemble.chains(), [0, 0, 1]);
    assert_eq!(file.ensemble.iterations(), [10, 20, 10]);
    assert_eq!(file.ensemble.draw_weights(), Some(&[0.25, 0.5, 0.25][..]));
    assert_labels(&file.labels.unwrap());
    assert_eq!(file.data.unwrap().values(), DATA);
}

#[test]
fn ragged_big_endian_compressed_column_major_arrays_of_numpy() {
    let file = draws("ragged_big_endian.npz").unwrap();
    assert_eq!(file.ensemble.offsets(), [0, 2, 4, 5]);
    assert_eq!(file.ensemble.weights(), [0.25, 0.75, 0.5, 0.5, 1.0]);
    assert_eq!(file.ensemble.renormalization(), 0.875);
    assert_eq!(file.ensemble.atoms().means(), &MEANS[..10]);
    assert_eq!(file.ensemble.atoms().covariances(), &covariances()[..20]);
    assert_labels(&file.labels.unwrap());
}

#[test]
fn standard_deviations_on_the_line() {
    let options = ReadOptions { covariance_form: CovarianceForm::StandardDeviation, ..ReadOptions::default() };
    let ensemble = read_draws(&[fixture("line_sd.npz")], &options).unwrap().ensemble;
    assert_eq!(ensemble.dim(), 1);
    assert_eq!(ensemble.weights(), WEIGHTS);
    assert_eq!(ensemble.atoms().means(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(ensemble.atoms().covariances(), [4.0; 6]);
    let variances = draws("line_sd.npz").unwrap().ensemble;
    assert_eq!(variances.atoms().covariances(), [2.0; 6]);
}

#[test]
fn tables_of_draws() {
    let mut names = vec!["draws.csv"];
    if cfg!(feature = "parquet") {
        names.extend(["draws_pandas.parquet", "draws_pages.parquet", "draws_polars.parquet"]);
    }
    for name in names {
        let file = draws(name).unwrap();
        assert_draws(&file.ensemble);
        assert_eq!(file.ensemble.chains(), [0, 0, 1], "{name}");
        assert_eq!(file.ensemble.iterations(), [0, 1, 2], "{name}");
    }
}

#[test]
fn several_files_are_several_chains() {
    let ensemble = read_draws(&[fixture("draws.csv"), fixture("draws.csv")], &ReadOptions::default()).unwrap().ensemble;
    assert_eq!(ensemble.len(), 6);
    assert_eq!(ensemble.chains(), [0, 0, 1, 2, 2, 3]);
    assert_eq!(ensemble.iterations(), [0, 1, 2, 0, 1, 2]);
    assert_eq!(&ensemble.atoms().means()[12..], MEANS);
    let error =
        read_draws(&[fixture("dense.npz"), fixture("draws.csv")], &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("draw weights cannot be joined"), "{error}");
    assert!(read_draws::<PathBuf>(&[], &ReadOptions::default()).is_err());
}

#[test]
fn tables_of_data() {
    let data = |name: &str| read_data(&fixture(name), &ReadOptions::default());
    let names = ["eruptions".to_owned(), "waiting".to_owned()];
    for name in ["data.npy", "data_savetxt.csv"] {
        let data = data(name).unwrap();
        assert_eq!((data.rows(), data.columns(), data.column_names()), (4, 2, None));
        assert_eq!(data.values(), DATA, "{name}");
    }
    let header = data("data_header.csv").unwrap();
    assert_eq!((header.values(), header.column_names()), (&DATA[..], Some(&names[..])));
    if cfg!(feature = "parquet") {
        let index = data("data_index.parquet").unwrap();
        assert_eq!((index.values(), index.column_names()), (&DATA[..], Some(&names[..])));
        let message = |name: &str| data(name).unwrap_err().to_string();
        assert!(
            message("data_missing.parquet").ends_with("row 2, column 'eruptions' is NaN, expected a finite number")
        );
        assert!(message("data_text.parquet").ends_with("column 'species' holds text, expected numbers"));
        assert!(message("data_dates.parquet").contains("column 'x' has type INT64"));
        assert!(message("data_lists.parquet").contains("column 'x' holds lists or records"));
        let gzip = data("data_gzip.parquet").unwrap_err();
        assert!(gzip.to_string().contains("compressed in a way that is not supported"), "{gzip}");
        assert!(gzip.hint_text().unwrap().to_string().contains("zstd"));
    }
}

#[test]
fn tables_of_labels() {
    let labels = |name: &str| read_labels(&fixture(name), &ReadOptions::default()).unwrap();
    for name in ["labels.npy", "labels_bare.csv", "dense.npz", "ragged_big_endian.npz"] {
        assert_labels(&labels(name));
    }
    if cfg!(feature = "parquet") {
        assert_labels(&labels("labels.parquet"));
        assert_labels(&labels("labels_words.parquet"));
    }
    assert_eq!(labels("labels_savetxt.csv").labels, [3, 1, 2, 2]);
}
