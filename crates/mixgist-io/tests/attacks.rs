//! Files that once hung the reader, filled the memory or lost rows without a word.

mod common;

use std::path::{Path, PathBuf};

use ::zip::CompressionMethod::Deflated;
use common::{arrays, npy, zip};
use mixgist::{Ensemble, ErrorKind};
use mixgist_io::*;

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn draws() -> DrawsFile {
    let means: Vec<f64> = (0..40).map(f64::from).collect();
    DrawsFile::from(
        Ensemble::builder(1)
            .atoms_per_draw(2)
            .weights(&[0.5; 40])
            .means(&means)
            .covariances(&[1.0; 40])
            .build()
            .unwrap(),
    )
}

/// The header of the first page promises a list of 2^31 - 1 doubles, which the reader of others skips one by one past the end of the file.
#[cfg(feature = "parquet")]
#[test]
fn a_parquet_page_with_an_endless_list_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draws.parquet");
    write_draws(&path, &draws(), None, Overwrite::Refuse).unwrap();
    assert!(read_draws(&[&path], &ReadOptions::default()).is_ok());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4..11].copy_from_slice(b"\xf9\xf7\xff\xff\xff\xff\x07");
    let path = file(folder.path(), "endless.parquet", &bytes);
    for error in [
        read_draws(&[&path], &ReadOptions::default()).unwrap_err(),
        read_data(&path, &ReadOptions::default()).unwrap_err(),
        read_labels(&path, &ReadOptions::default()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("is a corrupt Parquet file: a page of column 'chain'"), "{error}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_footer_with_an_endless_list_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = b"PAR1".to_vec();
    let footer = b"\x15\x02\x19\xfc\xff\xff\xff\xff\x07\x00";
    bytes.extend(footer);
    bytes.extend((footer.len() as u32).to_le_bytes());
    bytes.extend(b"PAR1");
    let path = file(folder.path(), "endless.parquet", &bytes);
    let error = read_draws(&[&path], &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("its footer does not end"), "{error}");
}

/// 128 MiB of zeros are not unpacked to learn that their shape is wrong.
#[test]
fn shapes_are_compared_before_anything_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    for (name, shape) in [("means", "(16777216,)"), ("labels", "(4096, 4096)"), ("data", "(1048576, 16)")] {
        let mut entries = arrays();
        entries.retain(|(known, _)| *known != name);
        entries.push((name, npy(shape, &vec![0.0; 1 << 24])));
        // The checksum of the damaged archive is wrong: whoever unpacks it says so.
        let mut bytes = zip(&entries, Deflated);
        let half = bytes.len() / 2;
        bytes[half] ^= 0x10;
        let path = file(folder.path(), "bomb.npz", &bytes);
        let error = read_draws(&[&path], &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains(&format!("array '{name}' has shape {shape}, expected")), "{error}");
    }
}

#[test]
fn draw_weights_have_one_axis() {
    let folder = tempfile::tempdir().unwrap();
    let mut entries = arrays();
    entries.push(("draw_weights", npy("(2, 1)", &[0.5, 0.5])));
    let path = file(folder.path(), "a.npz", &zip(&entries, Deflated));
    let error = read_draws(&[&path], &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("array 'draw_weights' has shape (2, 1), expected (2,)"), "{error}");
}

#[test]
fn what_a_spreadsheet_could_not_compute_is_no_comment() {
    let folder = tempfile::tempdir().unwrap();
    let data = |text: &str| {
        let path = file(folder.path(), "data.csv", text.as_bytes());
        read_data(&path, &ReadOptions::default()).map(|table| table.rows()).map_err(|error| error.to_string())
    };
    for word in ["#DIV/0!", "#REF!", "#N/A", "#VALUE!", "#NAME?"] {
        let error = data(&format!("x,y\n1,2\n{word},4\n5,6\n")).unwrap_err();
        assert!(error.ends_with(&format!("data.csv:3: column 'x' is '{word}', expected a number")), "{error}");
        assert!(data(&format!("{word},{word}\n1,2\n")).is_err());
        assert!(data(&format!("1,2\n{word},4\n")).is_err());
    }
    // What numpy.savetxt writes above its rows.
    assert_eq!(data("# length of\n# x,y\n1,2\n3,4\n"), Ok(2));
    let table = "draw,weight,mean_1,cov_1_1\n0,0.5,0,1\n#REF!,0.5,1,1\n";
    let path = file(folder.path(), "draws.csv", table.as_bytes());
    let error = read_draws(&[&path], &ReadOptions::default()).unwrap_err();
    assert!(
        error.to_string().ends_with("draws.csv:3: column 'draw' is '#REF!', expected an integer that is not negative"),
        "{error}"
    );
    let path = file(folder.path(), "labels.csv", b"1,2\n#N/A,2\n");
    assert!(read_labels(&path, &ReadOptions::default()).is_err());
}

/// Each of many files fits, all of them do not.
#[test]
fn all_files_together_have_one_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draws.npz");
    write_draws(&path, &draws(), None, Overwrite::Refuse).unwrap();
    // 40 atoms of three numbers in each.
    let options = ReadOptions { memory_limit: 3000, ..ReadOptions::default() };
    assert_eq!(read_draws(&[&path, &path], &options).unwrap().ensemble.len(), 40);
    assert_eq!(read_draws(&[&path; 20], &options).unwrap_err().kind(), ErrorKind::Resource);
}

#[test]
fn reading_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    options.stop.ask();
    for name in ["draws.npz", "draws.csv", "draws.parquet"] {
        let path = folder.path().join(name);
        write_draws(&path, &draws(), None, Overwrite::Refuse).unwrap();
        assert_eq!(read_draws(&[&path], &options).unwrap_err().kind(), ErrorKind::Interrupted, "{name}");
    }
}

/// A Zarr store of arrays without chunks, which are then all fill value: names, shapes without chain and draw, and what the chunks are.
fn store(folder: &Path, arrays: &[(&str, &str, &str)]) -> PathBuf {
    let store = folder.join("store.zarr");
    let _ = std::fs::remove_dir_all(&store);
    for (name, shape, chunks) in arrays {
        let array = store.join(name);
        std::fs::create_dir_all(&array).unwrap();
        let names = ["\"chain\", \"draw\"", ", \"a\"", ", \"b\"", ", \"c\""];
        let rank = shape.split(',').count();
        let metadata = format!(
            r#"{{"zarr_format": 3, "node_type": "array", "shape": [{shape}], "data_type": "float64", "fill_value": 1.0,
                "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [{chunks}]}}}},
                "codecs": [{{"name": "bytes", "configuration": {{"endian": "little"}}}}], "dimension_names": [{}]}}"#,
            names[..rank - 1].concat()
        );
        std::fs::write(array.join("zarr.json"), metadata).unwrap();
    }
    std::fs::write(store.join("zarr.json"), "{}").unwrap();
    store
}

fn refused(path: &Path, options: &ReadOptions) -> (ErrorKind, String) {
    let error = read_draws(&[path], options).unwrap_err();
    (error.kind(), error.to_string())
}

#[test]
fn zarr_stores_that_promise_much_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let sound =
        [("weights", "1,2,1", "1,2,1"), ("means", "1,2,1,1", "1,2,1,1"), ("covariances", "1,2,1,1,1", "1,2,1,1,1")];
    let options = ReadOptions::default();
    let path = store(folder.path(), &sound);
    assert_eq!(read_draws(&[&path], &options).unwrap().ensemble.len(), 2);

    // A chunk that is a gigabyte without contents, for two numbers.
    let chunk = path.join("weights/c/0/0/0");
    std::fs::create_dir_all(chunk.parent().unwrap()).unwrap();
    std::fs::File::create(&chunk).unwrap().set_len(1 << 30).unwrap();
    let (_, message) = refused(&path, &options);
    assert!(message.ends_with("has 1.0 GiB, too many for a chunk of 2 numbers"), "{message}");

    // Half a billion chunks, each of which would be looked for.
    let mut many = sound;
    many[0] = ("weights", "1,536870912,1", "1,1,1");
    let (kind, message) = refused(&store(folder.path(), &many), &options);
    assert_eq!(kind, ErrorKind::Resource);
    assert!(message.ends_with("has 536870912 chunks, at most 1048576 are read"), "{message}");

    // No dimension, and one covariance for all atoms.
    let flat = [("weights", "1,2,1", "1,2,1"), ("means", "1,2,1,0", "1,2,1,1"), ("covariances", "1,2,0,0", "1,2,1,1")];
    let (_, message) = refused(&store(folder.path(), &flat), &options);
    assert!(
        message.ends_with("variable 'means' has shape (1, 0), expected (1, d), or (1,) in dimension 1"),
        "{message}"
    );

    // No chain of endless draws: the numbers of a draw cannot be counted.
    let endless = [("weights", "0,1,1099511627776,1099511627776", "1,1,1,1")];
    let _ = propose(&store(folder.path(), &endless), &options);

    // One covariance of 64 MiB for 64 atoms.
    let shared = [
        ("weights", "1,1,64", "1,1,64"),
        ("means", "1,1,64,2896", "1,1,64,2896"),
        ("covariances", "1,1,2896,2896", "1,1,2896,2896"),
    ];
    let (kind, message) = refused(&store(folder.path(), &shared), &ReadOptions { memory_limit: 1 << 30, ..options });
    assert_eq!(kind, ErrorKind::Resource);
    assert!(message.ends_with("the covariance of every atom needs 4.0 GiB, the memory limit is 1.0 GiB"), "{message}");
}

/// A table of a thousand atoms and one covariance of 10,000 entries for all of them: ten million columns to keep in mind.
#[test]
fn one_covariance_for_all_atoms_counts_for_each() {
    let folder = tempfile::tempdir().unwrap();
    let mut names: Vec<String> = (1..=200).map(|k| format!("weights.{k}")).collect();
    names.extend((1..=200).flat_map(|k| (1..=100).map(move |i| format!("means.{k}.{i}"))));
    names.extend((1..=100).flat_map(|i| (1..=100).map(move |j| format!("covariances.{i}.{j}"))));
    let path = file(folder.path(), "wide.csv", format!("{}\n", names.join(",")).as_bytes());
    let options = ReadOptions { format: Some(Format::WideCsv), memory_limit: 8 << 20, ..ReadOptions::default() };
    let (kind, message) = refused(&path, &options);
    assert_eq!(kind, ErrorKind::Resource, "{message}");
    assert!(message.contains("the covariance of every atom needs 15.3 MiB"), "{message}");
}

#[test]
fn numbers_that_swell_count_as_they_will_be() {
    let folder = tempfile::tempdir().unwrap();
    // A cluster on the line, then a million labels of one byte.
    let mut message = b"\x0a\x14\x0a\x12\x09\0\0\0\0\0\0\xf0\x3f\x11\0\0\0\0\0\0\xf0\x3f".to_vec();
    message.extend(b"\x12\xc0\x84\x3d");
    message.extend(vec![0; 1_000_000]);
    let mut bytes = vec![];
    let mut left = message.len();
    while left > 0 {
        bytes.push((left & 127) as u8 | if left > 127 { 128 } else { 0 });
        left >>= 7;
    }
    bytes.extend(message);
    let path = file(folder.path(), "chains.recordio", &bytes);
    let limited = |limit: u64| ReadOptions { memory_limit: limit, ..ReadOptions::default() };
    let (kind, message) = refused(&path, &limited(8 << 20));
    assert_eq!(kind, ErrorKind::Resource, "{message}");
    let (_, message) = refused(&path, &limited(64 << 20));
    assert!(message.contains("weight"), "sizes of clusters are missing: {message}");

    for (name, text) in [("nClusters", "1\n"), ("mu", "0\n"), ("Sigma", "1\n")] {
        file(folder.path(), &format!("run_{name}.txt"), text.repeat(20_000).as_bytes());
    }
    let path = file(folder.path(), "run_psi.txt", "1\n".repeat(20_000).as_bytes());
    let options = |limit| ReadOptions { format: Some(Format::Premium), ..limited(limit) };
    assert_eq!(read_draws(&[&path], &options(8 << 20)).unwrap().ensemble.len(), 20_000);
    assert_eq!(refused(&path, &options(2 << 20)).0, ErrorKind::Resource);
}

/// Labels that do not belong to the draws were left out without a word, and half a label was a label.
#[test]
fn damaged_labels_of_premium_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("nClusters", "1\n1\n"), ("psi", "1\n1\n"), ("mu", "0\n1\n"), ("Sigma", "1\n1\n")] {
        file(folder.path(), &format!("run_{name}.txt"), text.as_bytes());
    }
    let options = ReadOptions { format: Some(Format::Premium), ..ReadOptions::default() };
    let path = folder.path().join("run_psi.txt");
    for (text, expected) in [
        ("0 0\n", "run_z.txt: has 1 lines, expected 2 as the weights have"),
        ("0 0\n0\n", "run_z.txt:2: has 1 labels, expected 2"),
        ("0 0\n0 0.5\n", "run_z.txt:2: label is 0.5, expected an integer"),
    ] {
        file(folder.path(), "run_z.txt", text.as_bytes());
        let (_, message) = refused(&path, &options);
        assert!(message.ends_with(expected), "{message}");
    }
}

/// One number can stand for a covariance of any dimension: the memory for it ended the program.
#[test]
fn short_forms_of_long_covariances_are_held_against_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let dim = 20_000;
    let row = |count: usize| vec!["1"; count].join(",");
    let numbered = |name: &str| (1..=dim).map(|i| format!("{name}_{i}")).collect::<Vec<_>>().join(",");
    let indexed = (1..=dim).map(|i| format!("m[1,{i}]")).collect::<Vec<_>>().join(",");
    let long = format!("draw,weight,{},cov\n0,1,{}\n", numbered("mean"), row(dim + 1));
    let diagonal = format!("draw,weight,{},{}\n0,1,{}\n", numbered("mean"), numbered("cov"), row(2 * dim));
    let wide = format!("w[1],{indexed},c\n{}\n", row(dim + 2));
    let npz = zip(
        &[
            ("weights", npy("(1, 1)", &[1.0])),
            ("means", npy(&format!("(1, 1, {dim})"), &vec![0.0; dim])),
            ("covariances", npy("(1, 1)", &[1.0])),
        ],
        Deflated,
    );
    file(folder.path(), "run_nClusters.txt", b"1\n");
    file(folder.path(), "run_mu.txt", row(dim).replace(',', " ").as_bytes());
    file(folder.path(), "run_Sigma.txt", row(dim).replace(',', " ").as_bytes());
    for (name, bytes, format, covariance_form) in [
        ("long.csv", long.into_bytes(), Format::Csv, mixgist::CovarianceForm::Spherical),
        ("diagonal.csv", diagonal.into_bytes(), Format::Csv, mixgist::CovarianceForm::StandardDeviation),
        ("wide.csv", wide.into_bytes(), Format::WideCsv, mixgist::CovarianceForm::Spherical),
        ("draws.npz", npz, Format::Npz, mixgist::CovarianceForm::Spherical),
        ("run_psi.txt", b"1\n".to_vec(), Format::Premium, mixgist::CovarianceForm::Covariance),
    ] {
        let path = file(folder.path(), name, &bytes);
        let variables = Variables { weights: "w".into(), means: "m".into(), covariances: "c".into(), labels: None };
        let options = ReadOptions {
            format: Some(format),
            covariance_form,
            variables,
            memory_limit: 1 << 30,
            ..ReadOptions::default()
        };
        let error = read_draws(&[&path], &options).map(|draws| draws.ensemble.dim()).unwrap_err().to_string();
        assert!(error.contains("the covariance of every atom needs 3.0 GiB"), "{name}: {error}");
    }
}
