//! Draws of other packages against numbers computed by hand, and damaged files of each kind.

use std::path::{Path, PathBuf};

use mixgist::CovarianceForm;
use mixgist_io::*;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/arviz").join(name)
}

fn named(weights: &str, means: &str, covariances: &str, form: CovarianceForm) -> ReadOptions {
    let variables =
        Variables { weights: weights.into(), means: means.into(), covariances: covariances.into(), labels: None };
    ReadOptions { variables, covariance_form: form, ..ReadOptions::default() }
}

fn usual() -> ReadOptions {
    named("w", "mu", "Sigma", CovarianceForm::Covariance)
}

fn refusal(path: &Path, options: &ReadOptions) -> String {
    let error = read_draws(&[path], options).unwrap_err();
    assert!(error.hint_text().is_some() || error.to_string().contains("expected"), "{error}");
    error.to_string()
}

/// The numbers of `make_arviz.py`, from their formulas.
fn expect_arviz(file: &DrawsFile, labels: bool) {
    let ensemble = &file.ensemble;
    assert_eq!(ensemble.chains(), [0, 0, 0, 1, 1, 1]);
    assert_eq!(ensemble.iterations(), [10, 12, 14, 10, 12, 14]);
    for (i, (c, m)) in (0..2).flat_map(|c| (0..3).map(move |m| (c, m))).enumerate() {
        let (c, m) = (f64::from(c), f64::from(m));
        let draw = ensemble.draw(i);
        assert_eq!(draw.weights(), [0.25 + 0.0625 * m, 0.75 - 0.0625 * m]);
        let x = 100.0 * c + 10.0 * m;
        assert_eq!(draw.atoms().means(), [x, 0.0, x + 1.0, -1.0]);
        assert_eq!(draw.atoms().covariances(), [2.0, 0.5, 0.5, 3.0 + m, 3.0, 0.5, 0.5, 3.0 + m]);
    }
    if labels {
        let z = [[0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1]].concat();
        assert_eq!(file.labels.as_ref().unwrap().labels, z[..]);
    }
}

#[test]
fn arviz_files_hold_what_was_put_in() {
    for name in ["posterior.nc", "netcdf4.nc", "posterior-v2.zarr", "posterior-v3.zarr"] {
        let mut options = usual();
        options.variables.labels = Some("z".into());
        expect_arviz(&read_draws(&[fixture(name)], &options).unwrap(), true);
    }
    expect_arviz(&read_draws(&[fixture("classic.nc")], &usual()).unwrap(), false);
    for name in ["posterior.nc", "posterior-v2.zarr", "posterior-v3.zarr"] {
        let traces = read_draws(&[fixture(name)], &usual()).unwrap().ensemble.traces().to_vec();
        assert_eq!(traces.len(), 1, "{name}");
        assert_eq!(traces[0].values, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "{name}");
    }
}

/// Chunks by zlib, by blosc with lz4 in split blocks, by blosc with zstd, by gzip in single precision and column-major.
#[test]
fn compressed_chunks_hold_what_was_put_in() {
    let text = std::fs::read_to_string(fixture("codecs-mu.csv")).unwrap();
    let expected: Vec<f64> =
        text.split(['\n', ',']).filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect();
    for (spread, tolerance) in [("s2", 0.0), ("s2g", 1e-6)] {
        let draws = read_draws(&[fixture("codecs.zarr")], &named("w", "mu", spread, CovarianceForm::Diagonal)).unwrap();
        assert_eq!(draws.ensemble.atoms().means(), expected);
        for (variance, mean) in draws.ensemble.atoms().covariances().iter().zip(&expected) {
            assert!((variance - (mean.abs() + 1.0)).abs() <= tolerance, "{variance} {mean}");
        }
    }
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copied(&path, &target) } else { std::fs::copy(&path, &target).map(drop).unwrap() }
    }
}

/// Every byte of the metadata and the data cut off or changed in turn: an answer or an error with a place, never a panic.
#[test]
fn damaged_arviz_files_are_refused_with_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(fixture("posterior.nc")).unwrap();
    let path = folder.path().join("cut.nc");
    for length in [4, 100, whole.len() / 2, whole.len() - 10] {
        std::fs::write(&path, &whole[..length]).unwrap();
        if let Err(error) = read_draws(&[&path], &usual()) {
            assert!(error.to_string().contains("cut.nc"), "{error}");
            assert!(error.hint_text().is_some(), "{error}");
        }
    }
    for at in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        std::fs::write(&path, &bytes).unwrap();
        let _ =
            read_draws(&[&path], &usual()).map_err(|error| assert!(error.to_string().contains("cut.nc"), "{error}"));
    }
    assert!(
        refusal(&fixture("posterior.nc"), &named("v", "mu", "Sigma", CovarianceForm::Covariance))
            .contains("no variable 'v'")
    );
    assert!(
        refusal(&fixture("posterior.nc"), &named("w", "Sigma", "mu", CovarianceForm::Covariance))
            .contains("shape (2, 2, 2)")
    );

    let store = folder.path().join("store.zarr");
    copied(&fixture("codecs.zarr"), &store);
    let options = named("w", "mu", "s2", CovarianceForm::Diagonal);
    let chunk = store.join("mu/0.0.0");
    let bytes = std::fs::read(&chunk).unwrap();
    std::fs::write(&chunk, &bytes[..bytes.len() - 5]).unwrap();
    assert!(refusal(&store, &options).contains("0.0.0: is damaged"));
    for at in 0..64.min(bytes.len()) {
        let mut changed = bytes.clone();
        changed[at] ^= 0xff;
        std::fs::write(&chunk, &changed).unwrap();
        let _ = read_draws(&[&store], &options);
    }
    std::fs::write(store.join("mu/.zarray"), "{\"shape\": [2,").unwrap();
    assert!(refusal(&store, &options).contains(".zarray: is damaged"));
}

#[test]
fn wide_tables_of_any_origin_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draws.csv");
    let options =
        ReadOptions { format: Some(Format::WideCsv), ..named("w", "mu", "s", CovarianceForm::StandardDeviation) };
    // posterior's draws_df; MCMCChains; R's write.csv and write.table of a matrix of NIMBLE, by tabs and as it is; semicolons, with quotes and without.
    let tables = [
        ".chain,.iteration,.draw,w[1],w[2],mu[1],mu[2],s[1],s[2]\n1,5,1,0.25,0.75,-1,2,1,3\n2,5,2,0.5,0.5,-2,4,2,1\n",
        "iteration,chain,w[1],w[2],mu[1],mu[2],s[1],s[2],lp\n5,1,0.25,0.75,-1,2,1,3,-7\n5,2,0.5,0.5,-2,4,2,1,-8\n",
        "\"\",\"chain\",\"iteration\",\"mu[1]\",\"mu[2]\",\"s[1]\",\"s[2]\",\"w[1]\",\"w[2]\"\n\"1\",1,5,-1,2,1,3,0.25,0.75\n\"2\",2,5,-2,4,2,1,0.5,0.5\n",
        "chain\titeration\tmu.1\tmu.2\ts.1\ts.2\tw.1\tw.2\n1\t1\t5\t-1\t2\t1\t3\t0.25\t0.75\n2\t2\t5\t-2\t4\t2\t1\t0.5\t0.5\n",
        "\"chain\" \"iteration\" \"mu[1]\" \"mu[2]\" \"s[1]\" \"s[2]\" \"w[1]\" \"w[2]\"\n\"1\" 1 5 -1 2 1 3 0.25 0.75\n\"2\" 2 5 -2 4 2 1 0.5 0.5\n",
        "\"chain\";\"iteration\";\"mu[1]\";\"mu[2]\";\"s[1]\";\"s[2]\";\"w[1]\";\"w[2]\"\n1;5;-1;2;1;3;0.25;0.75\n2;5;-2;4;2;1;0.5;0.5\n",
        "chain;iteration;mu.1;mu.2;s.1;s.2;w.1;w.2\n1;5;-1;2;1;3;0.25;0.75\n2;5;-2;4;2;1;0.5;0.5\n",
    ];
    for text in tables {
        std::fs::write(&path, text).unwrap();
        let draws = read_draws(&[&path], &options).unwrap_or_else(|error| panic!("{error}\n{text}")).ensemble;
        assert_eq!(draws.weights(), [0.25, 0.75, 0.5, 0.5], "{text}");
        assert_eq!(draws.atoms().means(), [-1.0, 2.0, -2.0, 4.0], "{text}");
        assert_eq!(draws.atoms().covariances(), [1.0, 9.0, 4.0, 1.0], "{text}");
        assert_eq!((draws.chains(), draws.iterations()), ([1, 2].as_slice(), [5, 5].as_slice()), "{text}");
        let unnamed = refusal(&path, &ReadOptions::default());
        assert!(unnamed.contains("one draw per row"), "{unnamed}\n{text}");
        let found = propose(&path, &ReadOptions::default()).unwrap().expect(text);
        assert_eq!(found.format, Format::WideCsv, "{text}");
        assert_eq!((found.weights[0].as_str(), found.means[0].as_str()), ("w", "mu"), "{text}");
    }
    // As Python counts.
    std::fs::write(&path, "w[0],w[1],mu[0],mu[1],s[0],s[1]\n0.25,0.75,-1,2,1,3\n").unwrap();
    let draws = read_draws(&[&path], &options).unwrap().ensemble;
    assert_eq!((draws.weights(), draws.atoms().means()), ([0.25, 0.75].as_slice(), [-1.0, 2.0].as_slice()));
    std::fs::write(
        &path,
        "mu[1, 1],mu[1, 2],mu[2, 1],mu[2, 2],w[1],w[2],v,.log_weight\n1,2,3,4,0.5,0.5,2,0\n5,6,7,8,0.5,0.5,3,-1\n",
    )
    .unwrap();
    let options = ReadOptions { format: Some(Format::WideCsv), ..named("w", "mu", "v", CovarianceForm::Spherical) };
    let draws = read_draws(&[&path], &options).unwrap().ensemble;
    assert_eq!(draws.draw(1).atoms().means(), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(draws.draw(1).atoms().covariances(), [3.0, 0.0, 0.0, 3.0, 3.0, 0.0, 0.0, 3.0]);
    let weights = draws.draw_weights().unwrap();
    assert!((weights[1] / weights[0] - (-1f64).exp()).abs() < 1e-12);
    for (text, expected) in [
        ("w[1],w[2],mu[1],mu[2]\n0.5,0.5,1,2\n", "no variable 'v'"),
        ("w[1],w[2],mu[1],mu[2],v\n0.5,0.5,1\n", "draws.csv:2: has 3 fields, expected 5"),
        ("w[1],w[2],mu[1],mu[2],v\n0.5,0.5,x,2,1\n", "draws.csv:2: column 'mu[1]' is 'x'"),
        ("w[1],w[2],mu[1],mu[2],v\nfirst,0.5,0.5,1,NA,1\n", "draws.csv:2: column 'mu[2]' is 'NA'"),
        ("w[1],w[3],mu[1],mu[2],v\n0.5,0.5,x,2,1\n", "largest indices (3,): w[2] is missing"),
        ("w[1],w[3],mu[1],mu[2],v\n", "variable 'w' has 2 columns"),
        ("w[1],w[2],mu[1],mu[2],v\n", "no draws"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = read_draws(&[&path], &options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// A field of Protocol Buffers with bytes in it.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [vec![number << 3 | 2, bytes.len() as u8], bytes.to_vec()].concat()
}

fn packed(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Two clusters in the plane, of sizes 1 and 3; precisions by columns, or by rows.
fn bayesmix_state(by_rows: bool) -> Vec<u8> {
    let cluster = |mean: [f64; 2], precision: [f64; 4], size: u8| {
        let mut matrix = [vec![8, 2, 16, 2], field(3, &packed(&precision))].concat();
        if by_rows {
            matrix.extend([32, 1]);
        }
        let state = [field(1, &[vec![8, 2], field(2, &packed(&mean))].concat()), field(2, &matrix)].concat();
        field(1, &[field(2, &state), vec![24, size]].concat())
    };
    let message = [
        cluster([1.0, 2.0], [0.5, 0.0, 0.0, 0.25], 1),
        cluster([-3.0, 4.0], [1.0, 0.0, 0.0, 2.0], 3),
        field(2, &[0, 1, 1, 1]),
    ]
    .concat();
    // Longer than 127 bytes: two bytes for the length.
    [vec![message.len() as u8 | 128, (message.len() >> 7) as u8], message].concat()
}

#[test]
fn chains_of_bayesmix_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chains.recordio");
    let bytes = [bayesmix_state(false), bayesmix_state(true)].concat();
    std::fs::write(&path, &bytes).unwrap();
    let file = read_draws(&[&path], &ReadOptions::default()).unwrap();
    for m in 0..2 {
        let draw = file.ensemble.draw(m);
        assert_eq!(draw.weights(), [0.25, 0.75]);
        assert_eq!(draw.atoms().means(), [1.0, 2.0, -3.0, 4.0]);
        for (found, expected) in draw.atoms().covariances().iter().zip([2.0, 0.0, 0.0, 4.0, 1.0, 0.0, 0.0, 0.5]) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
    }
    assert_eq!(file.labels.unwrap().labels, [0, 1, 1, 1, 0, 1, 1, 1]);
    std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
    assert!(refusal(&path, &ReadOptions::default()).contains("ends within a state"));
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0xff;
        std::fs::write(&path, &changed).unwrap();
        let _ = read_draws(&[&path], &ReadOptions::default());
    }
}

#[test]
fn text_files_of_premium_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(format!("run_{name}.txt")), text).unwrap();
    // Two clusters in the plane, then one: coordinate by coordinate, the cluster fastest.
    write("nClusters", "2\n1\n");
    write("psi", "0.2 0.6\n0.9\n");
    write("mu", "1 3 2 4\n5 6\n");
    write("Sigma", "1 2 0.5 0.25 0.5 0.25 3 4\n1 0 0 1\n");
    write("z", "0 1 1\n0 0 0\n");
    let path = folder.path().join("run_psi.txt");
    let options = ReadOptions::default();
    let file = read_draws(&[&path], &options).unwrap();
    let (first, second) = (file.ensemble.draw(0), file.ensemble.draw(1));
    assert!((first.weights()[0] - 0.25).abs() < 1e-15 && second.weights() == [1.0]);
    assert_eq!(first.atoms().means(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(first.atoms().covariances(), [1.0, 0.5, 0.5, 3.0, 2.0, 0.25, 0.25, 4.0]);
    assert_eq!(second.atoms().means(), [5.0, 6.0]);
    assert_eq!(file.labels.unwrap().labels, [0, 1, 1, 0, 0, 0]);
    write("mu", "1 3 2 4\n5\n");
    let message = refusal(&path, &options);
    assert!(message.contains("run_mu.txt:2: numbers: 1, expected 2"), "{message}");
    write("mu", "1 3 2 4\n5 x\n");
    let message = refusal(&path, &options);
    assert!(message.contains("run_mu.txt:2: 'x' is not a number"), "{message}");
    write("mu", "1 3 2 4\n");
    assert!(refusal(&path, &options).contains("2, 2, 1 and 2 lines"));
    std::fs::remove_file(folder.path().join("run_mu.txt")).unwrap();
    assert!(refusal(&path, &options).contains("run_mu.txt: does not exist"));
}

#[test]
fn a_directory_of_files_is_chains() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        ReadOptions { format: Some(Format::WideCsv), ..named("w", "mu", "s", CovarianceForm::StandardDeviation) };
    for chain in [1, 2, 10] {
        let text = format!("w[1],mu[1],s[1]\n1,{chain},1\n1,{chain},2\n");
        std::fs::write(folder.path().join(format!("chain-{chain}.csv")), text).unwrap();
    }
    std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
    let draws = read_draws(&[folder.path()], &options).unwrap().ensemble;
    assert_eq!(draws.chains(), [0, 0, 1, 1, 2, 2]);
    assert_eq!(draws.atoms().means(), [1.0, 1.0, 2.0, 2.0, 10.0, 10.0]);
    // Files that number their chains keep the numbers.
    let numbered = tempfile::tempdir().unwrap();
    for chain in [1, 2, 4] {
        let text = format!(".chain,w[1],mu[1],s[1]\n{chain},1,{chain},1\n{chain},1,{chain},2\n");
        std::fs::write(numbered.path().join(format!("chain-{chain}.csv")), text).unwrap();
    }
    let draws = read_draws(&[numbered.path()], &options).unwrap().ensemble;
    assert_eq!(draws.chains(), [1, 1, 2, 2, 4, 4]);
    let described = describe_file(folder.path(), Path::new(".")).unwrap();
    std::fs::write(folder.path().join("chain-2.csv"), "w[1],mu[1],s[1]\n1,3,1\n").unwrap();
    assert!(!is_content_of(&described, folder.path()).unwrap());
    let empty = tempfile::tempdir().unwrap();
    assert!(refusal(empty.path(), &options).contains("without files of draws"));
}

#[test]
fn variables_are_proposed_for_each_kind_of_file() {
    for name in ["posterior.nc", "posterior-v2.zarr", "posterior-v3.zarr"] {
        let found = propose(&fixture(name), &ReadOptions::default()).unwrap().unwrap();
        assert!(found.is_certain(), "{found:?}");
        assert_eq!(
            (found.weights[0].as_str(), found.means[0].as_str(), found.covariances[0].as_str()),
            ("w", "mu", "Sigma")
        );
        assert_eq!(found.forms, ["covariance"]);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "# model = m\nlp__,theta.1,theta.2,mu.1,mu.2,sigma.1,sigma.2\n-1,0.5,0.5,0,3,1,2\n").unwrap();
    let found = propose(&path, &ReadOptions::default()).unwrap().unwrap();
    assert_eq!((found.format, found.forms.as_slice()), (Format::StanCsv, ["sd"].as_slice()));
    let empty = folder.path().join("empty.zarr");
    std::fs::create_dir(&empty).unwrap();
    let error = propose(&empty, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("empty.zarr: has no variables with draws"), "{error}");
    std::fs::write(&path, "draw,atom,weight,mean_1,cov_1_1\n0,0,1,0,1\n").unwrap();
    assert_eq!(propose(&path, &ReadOptions::default()).unwrap(), None);
    // As R's data.frame() names columns, and numbers without brackets.
    for text in [
        "theta.1.,theta.2.,center.1.1.,center.2.1.,sdev.1.1.,sdev.2.1.\n0.25,0.75,0,3,1,2\n",
        "prob1,prob2,m1,m2,sd1,sd2\n0.25,0.75,0,3,1,2\n",
    ] {
        std::fs::write(&path, text).unwrap();
        let found = propose(&path, &ReadOptions::default()).unwrap().unwrap();
        assert!(found.is_certain() && found.format == Format::WideCsv && found.forms == ["sd"], "{found:?}");
        let mut options = ReadOptions {
            format: Some(found.format),
            covariance_form: CovarianceForm::StandardDeviation,
            ..ReadOptions::default()
        };
        options.variables.weights.clone_from(&found.weights[0]);
        options.variables.means.clone_from(&found.means[0]);
        options.variables.covariances.clone_from(&found.covariances[0]);
        let file = read_draws(&[&path], &options).unwrap();
        let draw = file.ensemble.draw(0);
        assert_eq!((draw.weights(), draw.atoms().mean(1)), (&[0.25, 0.75][..], &[3.0][..]));
    }
    // The first file of a directory stands for all.
    let chains = folder.path().join("chains");
    std::fs::create_dir(&chains).unwrap();
    for chain in ["chain-1.csv", "chain-2.csv"] {
        std::fs::write(chains.join(chain), "w[1],w[2],mu[1],mu[2],s2[1],s2[2]\n0.25,0.75,0,3,1,2\n").unwrap();
    }
    let found = propose(&chains, &ReadOptions::default()).unwrap().unwrap();
    assert!(found.is_certain() && found.format == Format::WideCsv && !found.by_extension, "{found:?}");
    // Means whose second index is the atom are named, not taken.
    let head = "w.1,w.2,mu.1.1,mu.2.1,mu.3.1,mu.1.2,mu.2.2,mu.3.2,sd.1,sd.2";
    std::fs::write(&path, format!("{head}\n0.25,0.75,0,3,1,2,4,5,1,1\n")).unwrap();
    let found = propose(&path, &ReadOptions::default()).unwrap().unwrap();
    assert_eq!((found.means.len(), found.exchanged.as_slice()), (0, ["mu".to_owned()].as_slice()), "{found:?}");
    // Data have numbered columns, too.
    std::fs::write(&path, "x1,x2,weight\n3.5,2,70\n").unwrap();
    assert_eq!(propose(&path, &ReadOptions::default()).unwrap(), None);
}
