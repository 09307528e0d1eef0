//! Every malformed file gets a message that names the trouble, quickly, and nothing is written.

mod common;

use std::path::Path;

use ::zip::CompressionMethod::{Deflated, Stored};
use common::{arrays, header, npy, npy_with, processor_seconds, zip};
use mixgist::{CovarianceForm, Error, ErrorKind, Result};
use mixgist_io::*;

#[derive(Clone, Copy)]
enum What {
    Draws,
    Data,
    Labels,
}
use What::{Data, Draws, Labels};

fn read(what: What, path: &Path, options: &ReadOptions) -> Result<()> {
    match what {
        Draws => read_draws(&[path], options).map(drop),
        Data => read_data(path, options).map(drop),
        Labels => read_labels(path, options).map(drop),
    }
}

fn error_of(what: What, name: &str, bytes: &[u8]) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let start = processor_seconds();
    let error =
        read(what, &path, &ReadOptions::default()).expect_err(&format!("{name}: {:?}", String::from_utf8_lossy(bytes)));
    let took = processor_seconds() - start;
    assert!(took < 5.0, "{name} took {took} s: {error}");
    let file = error.place().file.clone();
    assert_eq!(file.as_deref(), Some(path.as_path()), "the error names the file: {error}");
    error
}

/// Checks the message after the name of the file.
fn check(what: What, name: &str, bytes: &[u8], expected: &str) {
    let error = error_of(what, name, bytes).to_string();
    assert!(error.contains(expected), "expected: {expected}\n     got: {error}");
}

/// The draws of `arrays` with one array replaced or added.
fn with(name: &'static str, bytes: Vec<u8>) -> Vec<u8> {
    let mut entries = arrays();
    entries.retain(|(known, _)| *known != name);
    entries.push((name, bytes));
    zip(&entries, Stored)
}

#[test]
fn the_files_are_fine_before_they_are_spoilt() {
    let folder = tempfile::tempdir().unwrap();
    for method in [Stored, Deflated] {
        let path = folder.path().join("a.npz");
        std::fs::write(&path, zip(&arrays(), method)).unwrap();
        let ensemble = read_draws(&[&path], &ReadOptions::default()).unwrap().ensemble;
        assert_eq!(ensemble.atoms().covariances(), [1.0, 2.0, 3.0, 4.0]);
    }
}

#[test]
fn arrays_that_do_not_fit() {
    for (name, bytes, expected) in [
        (
            "weights",
            npy("(4,)", &[0.25; 4]),
            "array 'means' has shape (2, 2), expected (4, dimension) as the weights have shape (4,)",
        ),
        ("weights", npy("(1, 2, 2)", &[0.5; 4]), "array 'weights' has shape (1, 2, 2), expected (draws, atoms)"),
        ("weights", npy("()", &[1.0]), "array 'weights' has shape (), expected (draws, atoms)"),
        ("weights", npy("(0, 2)", &[]), "expected (0, 2, dimension)"),
        ("weights", npy("(2, 2)", &[0.5, f64::NAN, 0.5, 0.5]), "draw 0, atom 1: weight is NaN"),
        ("weights", npy("(2, 2)", &[0.5, 0.5, -0.5, 1.5]), "draw 1, atom 0: weight is -0.5"),
        ("weights", npy("(2, 2)", &[0.5, 0.5, 0.0, 0.0]), "draw 1: weights sum to 0"),
        ("means", npy("(2, 3)", &[0.0; 6]), "array 'means' has shape (2, 3), expected (2, 2, dimension)"),
        ("means", npy("(2, 2, 0)", &[]), "array 'covariances' has shape (2, 2), expected (2, 2, 0, 0)"),
        ("means", npy("(2, 2)", &[0.0, 1.0, f64::INFINITY, 3.0]), "draw 1, atom 0: coordinate 0 of the mean is inf"),
        ("covariances", npy("(2, 2, 2, 2)", &[1.0; 16]), "expected (2, 2, 1, 1) or (2, 2, 1) or (2, 2)"),
        ("covariances", npy("(2, 2)", &[1.0, 2.0, 3.0, -4.0]), "draw 1, atom 1: covariance is not positive definite"),
        ("chain", npy("(3,)", &[0.0; 3]), "array 'chain' has shape (3,), expected (2,)"),
        ("chain", npy("(2,)", &[0.0, 0.5]), "entry 1 of array 'chain' is 0.5, expected an integer"),
        ("chain", npy("(2,)", &[0.0, 1e12]), "chain number 1000000000000 is too large"),
        ("iteration", npy("(2,)", &[0.0, -1.0]), "entry 1 of array 'iteration' is -1"),
        ("iteration", npy("(2, 1)", &[0.0, 1.0]), "array 'iteration' has shape (2, 1), expected (2,)"),
        ("draw_weights", npy("(2,)", &[0.5, -0.5]), "draw 1: draw weight is -0.5"),
        ("labels", npy("(3, 1)", &[0.0; 3]), "array 'labels' has shape (3, 1), expected (2, observations)"),
        ("labels", npy("(2,)", &[0.0; 2]), "array 'labels' has shape (2,), expected (2, observations)"),
        ("labels", npy("(2, 0)", &[]), "labels hold no observations"),
        ("labels", npy("(2, 1)", &[0.0, 0.5]), "draw 1: label of observation 0 is 0.5, expected an integer"),
        ("data", npy("(1, 2)", &[0.0; 2]), "array 'data' has shape (1, 2), expected (observations, 1)"),
        ("data", npy("(1, 1)", &[f64::NAN]), "row 0, column 0 (counted from 0) is NaN, expected a finite number"),
        ("data", npy("(1,)", &[f64::NAN]), "row 0, column 0 (counted from 0) is NaN"),
        (
            "offsets",
            npy("(2,)", &[0.0, 2.0]),
            "array 'weights' has shape (2, 2), expected (atoms,) because there are 'offsets'",
        ),
    ] {
        check(Draws, "a.npz", &with(name, bytes), expected);
    }
}

#[test]
fn a_form_of_covariances_that_was_named_is_not_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    std::fs::write(&path, with("covariances", npy("(2, 2, 1, 1)", &[1.0; 4]))).unwrap();
    let options = ReadOptions { covariance_form: CovarianceForm::StandardDeviation, ..ReadOptions::default() };
    let error = read_draws(&[&path], &options).unwrap_err();
    assert!(error.to_string().contains("has shape (2, 2, 1, 1), expected (2, 2) or (2, 2, 1)"), "{error}");
    assert!(error.hint_text().unwrap().to_string().contains("the form that was named"), "{error:?}");
}

#[test]
fn exchanged_indices_are_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    std::fs::write(&path, with("means", npy("(2, 3, 2)", &[0.0; 12]))).unwrap();
    let error = read_draws(&[&path], &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("has shape (2, 3, 2), expected (2, 2, dimension)"), "{error}");
    assert!(error.hint_text().unwrap().to_string().contains("exchange the last two axes"), "{error:?}");
}

#[test]
fn offsets_that_lie() {
    let ragged = |offsets: Vec<u8>| {
        let entries = [
            ("weights", npy("(2,)", &[1.0; 2])),
            ("means", npy("(2, 1)", &[0.0; 2])),
            ("covariances", npy("(2, 1, 1)", &[1.0; 2])),
            ("offsets", offsets),
        ];
        zip(&entries, Stored)
    };
    for (offsets, expected) in [
        (npy("(3,)", &[0.0, 1.0, 3.0]), "offsets run from 0 to 3, must run from 0 to the number of atoms, 2"),
        (npy("(4,)", &[0.0, 2.0, 1.0, 2.0]), "draw 1: has no atoms"),
        (npy("(1,)", &[0.0]), "there are no draws"),
        (npy("(2,)", &[0.0, 1e18]), "offsets run from 0 to 1000000000000000000"),
        (npy("(3,)", &[0.0, -1.0, 2.0]), "entry 1 of array 'offsets' is -1"),
        (npy("(3,)", &[0.0, f64::NAN, 2.0]), "entry 1 of array 'offsets' is NaN"),
    ] {
        check(Draws, "a.npz", &ragged(offsets), expected);
    }
}

#[test]
fn headers_that_lie() {
    let body = [0; 32];
    let four = |descr: &str| format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (4,), }}");
    for (bytes, expected) in [
        (
            npy_with(&header("(1000000000000, 100)"), &body),
            "promises (1000000000000, 100) of 8-byte floats (727.6 TiB), but 32 bytes follow the header: is it truncated?",
        ),
        (npy_with(&header("(99999999999, 99999999999)"), &body), "more than any memory holds"),
        (npy_with(&header("(99999999999999999999999,)"), &body), "too large a number"),
        (npy_with(&header("(3,)"), &body), "but 32 bytes follow the header: what follows the array?"),
        (npy_with(&header("(-4,)"), &body), "npy header cannot be understood"),
        (
            npy_with("{'descr': '<f8', 'fortran_order': False, 'shape': (4", &body),
            "npy header cannot be understood: expected ')'",
        ),
        (npy_with(&four("|O"), &body), "holds Python objects (pickle), which are never loaded"),
        (npy_with(&four("<f2"), &body[..8]), "values of type '<f2' cannot be read"),
        (npy_with(&four("<c8"), &body), "values of type '<c8' cannot be read"),
        (npy_with(&four("<M8[ns]"), &body), "values of type '<M8[ns]' cannot be read"),
        (npy_with(&four("<U2"), &body), "array 'data' holds text, expected numbers"),
        (npy_with("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (4,), }", &body), "structured array"),
        (npy_with("import os", &body), "npy header cannot be understood: expected '{'"),
        (npy_with("\u{e9}\u{1F600}", &body), "npy header cannot be understood"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), "npy header of 4294967295 bytes, expected at most 10000"),
        (b"\x93NUMPY\x01\x00\xff\x00{".to_vec(), "ends within the npy header"),
        (b"\x93NUMPY\x09\x00\x01\x00{".to_vec(), "npy format version 9 is unknown"),
        (b"\x93NUM".to_vec(), "ends within the npy header"),
        (b"1,2\n3,4\n5,6\n".to_vec(), "is not an npy array"),
        (npy("(2, 2, 1)", &[0.0; 4]), "array 'data' has shape (2, 2, 1), expected (observations, dimension)"),
        (npy("(0, 2)", &[]), "data has no rows"),
        (npy("(2, 0)", &[]), "data has no columns"),
        (npy("(1, 2)", &[1.0, f64::NEG_INFINITY]), "row 0, column 1 (counted from 0) is -inf"),
        (vec![], "is empty"),
    ] {
        check(Data, "a.npy", &bytes, expected);
    }
    check(
        Data,
        "a.npz",
        &zip(&[("data", npy_with(&header("(1000000000000,)"), &body))], Deflated),
        "array 'data': promises",
    );
}

#[test]
fn archives_that_lie() {
    let good = zip(&arrays(), Stored);
    let mut flipped = good.clone();
    let at = flipped.windows(8).position(|bytes| bytes == 0.25f64.to_le_bytes()).unwrap();
    flipped[at + 6] ^= 1;
    check(Draws, "a.npz", &flipped, "array 'weights': cannot be unpacked: Invalid checksum");
    check(Draws, "a.npz", &good[..good.len() - 30], "is not an npz file, or is truncated");
    check(Draws, "a.npz", &good[..100], "is not an npz file, or is truncated");
    check(Draws, "a.npz", b"PK\x03\x04", "is not an npz file, or is truncated");
    check(Draws, "a.npz", b"weights,means\n1,2\n", "is not an npz file, or is truncated");
    check(Draws, "a.npz", &npy("(1,)", &[1.0]), "is not an npz file, or is truncated");
    check(Draws, "a.npz", &zip(&[], Stored), "has no array 'weights'; it holds no arrays");
    check(Draws, "a.npz", &zip(&arrays()[..2], Stored), "has no array 'covariances'; it holds 'means', 'weights'");
    check(Data, "a.npz", &good, "has no array 'data'");
    check(Labels, "a.npz", &good, "has no array 'labels'");

    // The same name twice: renaming 'meanx' to 'means' changes neither sizes nor checksums.
    let mut twice = arrays();
    twice.push(("meanx", npy("(2, 2)", &[9.0; 4])));
    let text = zip(&twice, Stored);
    let mut twice = text.clone();
    for at in 0..text.len() - 5 {
        if &text[at..at + 5] == b"meanx" {
            twice[at + 4] = b's';
        }
    }
    check(Draws, "a.npz", &twice, "holds two arrays of one name");
}

/// Overwrites the uncompressed size of the first entry in both directories of a zip file.
fn promise(mut bytes: Vec<u8>, size: u32) -> Vec<u8> {
    for (signature, offset) in [(b"PK\x03\x04", 22), (b"PK\x01\x02", 24)] {
        let at = bytes.windows(4).position(|four| four == signature).unwrap() + offset;
        bytes[at..at + 4].copy_from_slice(&size.to_le_bytes());
    }
    bytes
}

#[test]
fn archives_that_unpack_to_more_than_they_should() {
    let lie = promise(zip(&[("weights", npy("(2, 2)", &[0.5; 4]))], Deflated), 0xffff_fff0);
    check(Draws, "a.npz", &lie, "cannot unpack to the 4.0 GiB that are promised");
    let short = promise(zip(&[("weights", npy("(2, 2)", &[0.5; 4]))], Deflated), 90);
    check(Draws, "a.npz", &short, "array 'weights': promises (2, 2) of 8-byte floats (32 bytes), but");

    // An honest bomb: 128 MiB of zeros in some 130 kB, against a limit of 1 MiB.
    let zeros = npy("(16384, 1024)", &vec![0.0; 1 << 24]);
    let bomb = zip(&["weights", "means", "covariances"].map(|name| (name, zeros.clone())), Deflated);
    assert!(bomb.len() < 1 << 19);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    std::fs::write(&path, bomb).unwrap();
    let start = processor_seconds();
    let error = read_draws(&[&path], &ReadOptions { memory_limit: 1 << 20, ..ReadOptions::default() }).unwrap_err();
    assert!(processor_seconds() - start < 1.0);
    assert_eq!(error.kind(), ErrorKind::Resource);
    let expected = "array 'weights': an array of shape (16384, 1024) needs 128.0 MiB, the memory limit is 1.0 MiB";
    assert!(error.to_string().ends_with(expected), "{error}");
    assert!(error.hint_text().unwrap().to_string().contains("memory limit"));
}

#[test]
fn tables_of_draws_with_trouble() {
    let line = "chain,draw,atom,weight,mean_1,cov_1_1\n";
    let rows = |rows: &str| format!("{line}{rows}").into_bytes();
    for (bytes, expected) in [
        (rows(""), "a.csv: has no rows"),
        (rows("0,0,0,1,0,1\n0,1,0,1,0\n"), "a.csv:3: has 5 fields, expected 6"),
        (rows("0,0,0,1,0,1,7\n"), "a.csv:2: has 7 fields, expected 6"),
        (rows("0,0,0,1,zero,1\n"), "a.csv:2: column 'mean_1' is 'zero', expected a number"),
        (rows("0,0,0,,0,1\n"), "a.csv:2: draw 0, atom 0: weight is NaN"),
        (rows("0,0,0,1,NA,1\n"), "a.csv:2: draw 0, atom 0: coordinate 0 of the mean is NaN"),
        (
            rows("0,0,0,1,0,1\n\n0,1,0,0.5,0,1\n0,1,1,0.5,0,0\n"),
            "a.csv:5: draw 1, atom 1: covariance is not positive definite",
        ),
        (rows("0,0,0,1,0,1\n0,0,0,1,0,1\n"), "a.csv:3: chain 0, draw 0 has atom 0 twice"),
        (rows("0,-1,0,1,0,1\n"), "a.csv:2: column 'draw' is '-1', expected an integer that is not negative"),
        (rows("0,0.5,0,1,0,1\n"), "a.csv:2: column 'draw' is '0.5', expected an integer"),
        (
            rows("99999999999,0,0,1,0,1\n"),
            "a.csv:2: column 'chain' is '99999999999', expected a chain number below 2^32",
        ),
        (rows("0,0,one,1,0,1\n"), "a.csv:2: column 'atom' is 'one', expected an integer"),
        (rows("0,0,0,1,0,\"1\n"), "a.csv:2: a quoted field does not end"),
        (rows("0,0,0,1,0,\u{e9}\n"), "a.csv:2: column 'cov_1_1' is 'é', expected a number"),
        (
            b"chain,draw,atom,weight,mean_1\n0,0,0,1,0\n".to_vec(),
            "a.csv:1: has no column 'cov_1_1', expected for dimension 1",
        ),
        (b"draw,mean_1,cov_1_1\n0,0,1\n".to_vec(), "a.csv:1: has no column 'weight'"),
        (b"weight,mean_1,cov_1_1\n1,0,1\n".to_vec(), "a.csv:1: has no column 'draw'"),
        (b"draw,weight,mean_0,cov_0_0\n0,1,0,1\n".to_vec(), "a.csv:1: has no column 'mean_1'"),
        (b"draw,weight,mean_1,mean_3,cov_1_1\n0,1,0,0,1\n".to_vec(), "a.csv:1: does not expect a column 'mean_3'"),
        (b"draw,weight,weight,mean_1,cov_1_1\n0,1,1,0,1\n".to_vec(), "a.csv:1: two columns are called 'weight'"),
        (b",draw,weight,mean_1,cov_1_1\n0,0,1,0,1\n".to_vec(), "a.csv:1: does not expect a column ''"),
        (
            b"draw,weight,draw_weight,mean_1,cov_1_1\n0,.5,1,0,1\n0,.5,2,0,1\n".to_vec(),
            "a.csv:3: draw_weight is 2, other rows of the same draw have 1",
        ),
        (
            b"draw,weight,draw_weight,mean_1,cov_1_1\n0,1,1,0,1\n4,1,-2,0,1\n".to_vec(),
            "a.csv:3: draw 1: draw weight is -2",
        ),
        (b"lp__,accept_stat__,theta.1\n-7,1,1\n".to_vec(), "a.csv:1: has a column 'lp__': this is the output of Stan"),
        (b"draw,weight\xff\n".to_vec(), "a.csv:1: is not UTF-8 text"),
        (b"# nothing\n\n".to_vec(), "a.csv: holds no lines"),
        (b"".to_vec(), "a.csv: is empty"),
        (zip(&arrays(), Stored), "a.csv:1: has the control character \\u{3}, which text files do not have"),
    ] {
        check(Draws, "a.csv", &bytes, expected);
    }
}

#[test]
fn tables_of_data_with_trouble() {
    for (text, expected) in [
        ("x,y\n", "a.csv: has a header, but no rows"),
        ("x,y\n1,2\n3\n", "a.csv:3: has 1 field, expected 2"),
        ("x,y\n1,2\n3,4,5\n", "a.csv:3: has 3 fields, expected 2"),
        ("x,y\n1,\n", "a.csv:2: column 'y' is empty, expected a number, this value is missing"),
        ("x,y\n1,2\nNA,4\n", "a.csv:3: column 'x' is 'NA', expected a number, this value is missing"),
        ("x,y\n1,NaN\n", "a.csv:2: column 'y' is 'NaN', expected a number, this value is missing"),
        ("x,y\n1,-inf\n", "a.csv:2: column 'y' is '-inf', expected a finite number"),
        ("x,y\n1,1e999\n", "a.csv:2: column 'y' is '1e999', expected a finite number"),
        ("x,species\n1,setosa\n", "a.csv:2: column 'species' is 'setosa', expected a number"),
        ("1,2\n3,x\n", "a.csv:2: column 1 (counted from 0) is 'x', expected a number"),
        ("x,2\n3,4\n", "a.csv:1: column 0 (counted from 0) is 'x', expected a number"),
        ("NA,2\n3,4\n", "a.csv:1: column 0 (counted from 0) is 'NA', expected a number, this value is missing"),
        (",x,y\n0,1,2\n", "a.csv:1: column 0 (counted from 0) has no name"),
        ("1 2\n3 4\n", "a.csv:1: column 0 (counted from 0) is '1 2', expected a number"),
        ("\n\n", "a.csv: holds no lines"),
        ("x\n1\n\u{0}\n", "a.csv:3: has the control character \\u{0}, which text files do not have"),
    ] {
        check(Data, "a.csv", text.as_bytes(), expected);
    }
    let long = format!("x\n{}\n", "y".repeat(1000));
    check(Data, "a.csv", long.as_bytes(), &format!("is '{}…', expected a number", "y".repeat(100)));
    check(Data, "a.csv", b"\xff\xfe1\x00,\x002\x00\n\x00", "a.csv:1: is not UTF-8 text");
    let hint =
        |text: &str| error_of(Data, "a.csv", text.as_bytes()).hint_text().map_or_else(String::new, ToString::to_string);
    assert!(hint("1,5;2\n").contains("separated by semicolons"));
    assert!(hint("x;y\n1,5;2\n").contains("decimal point"));
    assert!(hint("1 2\n3 4\n").contains("separated by blanks"));
    assert!(hint("x,y\n1,\n").contains("missing values"));
    assert!(hint(",x\n1,2\n").contains("row.names=FALSE"));
    assert!(hint("x,2\n").contains("header"));
}

#[test]
fn tables_of_labels_with_trouble() {
    for (text, expected) in [
        ("0,1\n0\n", "a.csv:2: has 1 field, expected 2"),
        ("0,1\n0,0.5\n", "a.csv:2: column 1 (counted from 0) is '0.5', expected a label, an integer or a word"),
        ("0,1\n0,\n", "a.csv:2: column 1 (counted from 0) is empty, expected a label, this one is missing"),
        ("a,NA\nb,c\n", "a.csv:1: column 1 (counted from 0) is 'NA', expected a label, this one is missing"),
        ("0,inf\n", "a.csv:1: column 1 (counted from 0) is 'inf', expected a label, an integer or a word"),
        ("#\n", "a.csv: holds no lines"),
    ] {
        check(Labels, "a.csv", text.as_bytes(), expected);
    }
    // Data where labels should be: a first step is missing.
    let data = [error_of(Labels, "a.csv", b"5.1,3.5\n"), error_of(Labels, "a.npy", &npy("(1, 2)", &[5.1, 3.5]))];
    assert!(data.iter().all(|error| error.hint_text().unwrap().to_string().contains("if these are data, fit a model")));
    check(Labels, "a.npy", &npy("(2,)", &[0.0; 2]), "array 'labels' has shape (2,), expected (draws, observations)");
    check(Labels, "a.npy", &npy("(0, 3)", &[]), "labels hold no draws");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files_with_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("good.parquet");
    let data = DataTable::new(2, (0..2000).map(f64::from).collect(), None).unwrap();
    write_data(&path, &data, None, Overwrite::Refuse).unwrap();
    let good = std::fs::read(&path).unwrap();
    check(Data, "a.parquet", &good[..good.len() - 1], "is not a Parquet file, or is truncated or corrupt");
    check(Data, "a.parquet", &good[..good.len() / 2], "is not a Parquet file, or is truncated or corrupt");
    check(Data, "a.parquet", &good[good.len() / 2..], "corrupt");
    check(Data, "a.parquet", b"PAR1", "has 4 bytes, too few for a Parquet file");
    check(Data, "a.parquet", b"x,y\n1,2\n3,4\n5,6\n", "is not a Parquet file, or is truncated or corrupt");
    check(
        Data,
        "a.parquet",
        b"PAR1\xff\xff\xff\xffPAR1",
        "is a corrupt Parquet file: its footer is longer than the file",
    );
    check(Draws, "a.parquet", &good, "has no column 'draw'");
    check(Data, "a.parquet", b"", "is empty");
    check(Labels, "a.parquet", &fractions(), "row 0, column 'x_1' is 0.5, expected a label, an integer or a word");
}

#[cfg(feature = "parquet")]
fn fractions() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write_data(&path, &DataTable::new(1, vec![0.5], None).unwrap(), None, Overwrite::Refuse).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn paths_that_are_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str| {
        let error = read(Data, &folder.path().join(name), &ReadOptions::default()).unwrap_err();
        (error.to_string(), error.hint_text().map_or_else(String::new, ToString::to_string))
    };
    for extension in ["csv", "npy", "npz"] {
        std::fs::create_dir(folder.path().join(format!("folder.{extension}"))).unwrap();
        assert!(message(&format!("folder.{extension}")).0.ends_with("is a directory, expected a file"));
        assert!(message(&format!("missing.{extension}")).0.contains("cannot open: No such file"));
    }
    let (error, hint) = message("data.xlsx");
    assert!(error.ends_with("data.xlsx: extension 'xlsx' stands for no known format"), "{error}");
    assert!(hint.contains("npz, npy, csv"), "{hint}");
    assert!(message("data").0.ends_with("has no extension that names its format"));
    assert!(message("data.json").0.contains("format 'json' cannot hold data"));
    let draws = |name: &str| read(Draws, &folder.path().join(name), &ReadOptions::default()).unwrap_err().to_string();
    assert!(draws("a.npy").contains("format 'npy' cannot hold draws"));
    #[cfg(unix)]
    {
        let options = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
        let error = read(Data, Path::new("/dev/zero"), &options).unwrap_err().to_string();
        assert!(error.ends_with("is not a regular file"), "{error}");
    }
    assert!(Format::from_name("excel").unwrap_err().hint_text().unwrap().to_string().contains("stan-csv"));
}

#[test]
fn what_cannot_be_written_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.npz"), zip(&arrays(), Stored)).unwrap();
    let mut draws = read_draws(&[path("a.npz")], &ReadOptions::default()).unwrap();
    let refused = |draws: &DrawsFile, name: &str| {
        write_draws(&path(name), draws, None, Overwrite::Force).unwrap_err().to_string()
    };
    draws.labels = Some(LabelDraws { draws: 2, observations: 1, labels: vec![0, 0].into() });
    assert!(refused(&draws, "b.csv").contains("format 'csv' holds draws only"));
    draws.labels = Some(LabelDraws { draws: 3, observations: 1, labels: vec![0; 3].into() });
    assert!(refused(&draws, "b.npz").contains("labels of 3 draws, but there are 2 draws"));
    draws.labels = None;
    draws.ensemble = draws.ensemble.with_chains(vec![1, 1], vec![5, 5]).unwrap();
    assert!(refused(&draws, "b.csv").contains("draw 1: has the same chain and iteration as draw 0"));
    for (name, problem) in [("b.json", "format 'json' cannot be written for draws"), ("b.foo", "extension 'foo'")] {
        assert!(refused(&draws, name).contains(problem));
        let error = write_draws(&path(name), &draws, None, Overwrite::Force).unwrap_err();
        assert!(
            error.hint_text().unwrap().to_string().ends_with("one of: npz, csv, parquet"),
            "only what can be written"
        );
    }
    let numbered = DataTable::new(1, vec![1.0], Some(vec!["1".into()])).unwrap();
    let error = write_data(&path("b.csv"), &numbered, None, Overwrite::Refuse).unwrap_err().to_string();
    assert!(error.contains("column name '1' would not be read back as a name"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
