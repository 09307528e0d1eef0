//! One function a format: from bytes to draws, data or labels.

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};

use mixgist::CovarianceForm;
use mixgist_io::{Format, ReadOptions, Variables, propose, read_data, read_draws, read_labels};

use crate::{archive, folder};

/// Small, so that files that promise much are told from files that hold much.
pub(crate) const MEMORY_LIMIT: u64 = 1 << 24;

/// Lets `read` have a file of these bytes. Readers take files, so there is one for each thread, written again and again.
pub(crate) fn with_file(bytes: &[u8], read: impl FnOnce(&Path)) {
    thread_local! {
        static FILE: RefCell<Option<tempfile::NamedTempFile>> = const { RefCell::new(None) };
    }
    FILE.with_borrow_mut(|slot| {
        let make = || tempfile::NamedTempFile::new_in(in_memory()).expect("a temporary file can be made");
        let file = slot.get_or_insert_with(make);
        let handle = file.as_file_mut();
        handle.set_len(0).expect("a temporary file can be cut");
        std::io::Seek::rewind(handle).expect("a temporary file can be rewound");
        handle.write_all(bytes).expect("a temporary file can be written");
        read(file.path());
    });
}

/// Where files are faster than on a disk, if there is such a place.
pub(crate) fn in_memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// How a file is read; the first byte of the input says in which form covariances are.
fn options(format: Format, first: u8) -> ReadOptions {
    let variables =
        Variables { weights: "w".into(), means: "m".into(), covariances: "c".into(), labels: Some("z".into()) };
    let forms = CovarianceForm::NAMES;
    let (_, covariance_form) = forms[usize::from(first) % forms.len()];
    ReadOptions {
        format: Some(format),
        covariance_form,
        variables,
        memory_limit: MEMORY_LIMIT,
        ..ReadOptions::default()
    }
}

fn use_draws(path: &Path, options: &ReadOptions) {
    if let Ok(draws) = read_draws(&[path], options) {
        assert!(draws.ensemble.atoms().covariances().iter().all(|x| x.is_finite()));
        assert!(draws.ensemble.len() == draws.ensemble.chains().len());
    }
}

fn use_data(path: &Path, options: &ReadOptions) {
    if let Ok(data) = read_data(path, options) {
        assert!(data.values().iter().all(|x| x.is_finite()));
        assert_eq!(data.values().len(), data.rows() * data.columns());
    }
}

fn use_labels(path: &Path, options: &ReadOptions) {
    if let Ok(labels) = read_labels(path, options) {
        assert_eq!(labels.labels.len(), labels.draws * labels.observations);
    }
}

/// One array.
pub fn npy(bytes: &[u8]) {
    with_file(bytes, |path| {
        use_data(path, &options(Format::Npy, 0));
        use_labels(path, &options(Format::Npy, 0));
    });
}

/// An archive as it is, or one of the arrays that the bytes hold, with the checksums that belong to them.
pub fn npz(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let mended = (first & 1 == 1).then(|| archive::of_arrays(rest));
    with_file(mended.as_deref().unwrap_or(rest), |path| {
        let options = options(Format::Npz, first >> 1);
        use_draws(path, &options);
        use_data(path, &options);
        use_labels(path, &options);
    });
}

/// A long table of draws; the first byte says in which form covariances are.
pub fn csv_draws(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    with_file(rest, |path| use_draws(path, &options(Format::Csv, first)));
}

/// Data.
pub fn csv_data(bytes: &[u8]) {
    with_file(bytes, |path| use_data(path, &options(Format::Csv, 0)));
}

/// Labels.
pub fn csv_labels(bytes: &[u8]) {
    with_file(bytes, |path| use_labels(path, &options(Format::Csv, 0)));
}

/// The output of CmdStan.
pub fn stan_csv(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    with_file(rest, |path| use_draws(path, &options(Format::StanCsv, first)));
}

/// Tables of draws, data or labels.
pub fn parquet(bytes: &[u8]) {
    with_file(bytes, |path| {
        let options = options(Format::Parquet, 0);
        use_draws(path, &options);
        use_data(path, &options);
        use_labels(path, &options);
    });
}

/// Tables of any origin; what their variables could be is asked, too.
pub fn wide_csv(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    with_file(rest, |path| {
        let options = options(Format::WideCsv, first);
        use_draws(path, &options);
        let _ = propose(path, &options);
    });
}

/// Options for files of ArviZ, whose variables have the names of its examples; the first byte says whether labels are wanted.
fn arviz_options(format: Format, first: u8) -> ReadOptions {
    let labels = (first & 1 == 1).then(|| "z".into());
    let variables = Variables { weights: "w".into(), means: "mu".into(), covariances: "Sigma".into(), labels };
    ReadOptions { variables, ..options(format, first >> 1) }
}

/// NetCDF, classic or in HDF5.
pub fn netcdf(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    with_file(rest, |path| {
        let options = arviz_options(Format::NetCdf, first);
        use_draws(path, &options);
        let _ = propose(path, &options);
    });
}

/// A directory of the files that the bytes hold.
pub fn zarr(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else { return };
    folder::with_files(&folder::store(rest), |folder| {
        let options = arviz_options(Format::Zarr, first);
        use_draws(folder, &options);
        let _ = propose(folder, &options);
    });
}

/// Messages of bayesmix.
pub fn bayesmix(bytes: &[u8]) {
    with_file(bytes, |path| use_draws(path, &options(Format::Bayesmix, 0)));
}

/// Blank lines stand between the files.
pub fn premium(bytes: &[u8]) {
    folder::with_files(&folder::texts(bytes), |folder| {
        use_draws(&folder.join("run_psi.txt"), &options(Format::Premium, 0));
    });
}
