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
