//! Random bytes, cut files and flipped bits: an answer or an error, never a panic, in bounded memory.

mod common;

use std::path::Path;
use std::sync::LazyLock;

use common::{arrays, zip};
use mixgist::CovarianceForm;
use mixgist_io::*;
use proptest::prelude::*;

/// Reads a file in every way there is; whatever is read must be usable.
fn read_everything(path: &Path, format: Format) {
    let variables =
        Variables { weights: "w".into(), means: "m".into(), covariances: "c".into(), labels: Some("z".into()) };
    // One form a file keeps this quick; over all files every form has its turn.
    let forms = CovarianceForm::NAMES;
    let (_, covariance_form) = forms[std::fs::metadata(path).unwrap().len() as usize % forms.len()];
    let options = ReadOptions {
        format: Some(format),
        covariance_form,
        variables,
        memory_limit: 1 << 24,
        ..ReadOptions::default()
    };
    if let Ok(draws) = read_draws(&[path], &options) {
        assert!(draws.ensemble.atoms().covariances().iter().all(|x| x.is_finite()));
    }
    let options = ReadOptions { format: Some(format), memory_limit: 1 << 24, ..ReadOptions::default() };
    if let Ok(data) = read_data(path, &options) {
        assert_eq!(data.values().len(), data.rows() * data.columns());
    }
    if let Ok(labels) = read_labels(path, &options) {
        assert_eq!(labels.labels.len(), labels.draws * labels.observations);
    }
    let _ = read_summary(path);
}

fn read_bytes(bytes: &[u8], format: Format) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    read_everything(file.path(), format);
}

/// A valid file of each kind.
static VALID_FILES: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(valid_files);

fn valid_files() -> Vec<(Format, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    std::fs::write(&path, zip(&arrays(), zip::CompressionMethod::Deflated)).unwrap();
    let draws = read_draws(&[&path], &ReadOptions::default()).unwrap();
    let data =
        DataTable::new(2, (0..40).map(|x| f64::from(x) / 7.0).collect(), Some(vec!["a".into(), "b".into()])).unwrap();
    let labels = LabelDraws { draws: 2, observations: 3, labels: vec![0, 1, 0, 0, 1, 2].into() };
    let mut files = vec![
        (Format::Npz, std::fs::read(&path).unwrap()),
        (
            Format::StanCsv,
            b"# save_warmup = 1\n# num_warmup = 1\nw.1,w.2,m.1,m.2,c,z.1\n.5,.5,1,2,1,0\n.5,.5,1,2,1,0\n".to_vec(),
        ),
    ];
    for format in Format::all() {
        let path = folder.path().join(format.name());
        for which in 0..3 {
            let written = match which {
                0 => write_draws(&path, &draws, Some(format), Overwrite::Force),
                1 => write_data(&path, &data, Some(format), Overwrite::Force),
                _ => write_labels(&path, &labels, Some(format), Overwrite::Force),
            };
            if written.is_ok() {
                files.push((format, std::fs::read(&path).unwrap()));
            }
        }
    }
    files
}

#[test]
fn every_cut_of_every_valid_file() {
    for (format, bytes) in VALID_FILES.iter() {
        for end in 0..bytes.len().min(400) {
            read_bytes(&bytes[..end], *format);
        }
        for end in bytes.len().saturating_sub(100)..bytes.len() {
            read_bytes(&bytes[..end], *format);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), start in 0usize..6) {
        let start: &[u8] = [&b""[..], b"PK\x03\x04", b"\x93NUMPY\x01\x00\x76\x00{", b"PAR1", b"draw,weight,mean_1,cov_1_1\n", b"w.1,m.1,c\n"][start];
        for format in Format::all() {
            read_bytes(&[start, &bytes].concat(), format);
        }
    }

    #[test]
    fn flipped_bytes(seed in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        for (format, bytes) in VALID_FILES.iter() {
            let mut bytes = bytes.clone();
            for (at, value) in &seed {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
            read_bytes(&bytes, *format);
        }
    }

    #[test]
    fn text_that_looks_like_a_table(
        text in "(draw|weight|mean_1|cov_1_1|w\\.1|m\\.1|c|z\\.1|[0-9]{1,3}|-1|1e400|NA|\"|#|=|\\.|,|,|,|\n|\n|\r\n| ){0,80}"
    ) {
        for format in [Format::Csv, Format::StanCsv, Format::Json] {
            read_bytes(text.as_bytes(), format);
        }
    }
}
