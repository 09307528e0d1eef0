//! `mixgist partition` and `mixgist compare` as users meet them: exit codes, documents, messages.

use std::path::Path;
use std::process::{Command, Output};

use mixgist::Ensemble;
use mixgist_io::{DataTable, DrawsFile, LabelDraws, Overwrite, write_draws};
use serde_json::Value;

fn mixgist(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mixgist")).current_dir(folder).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", errors(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", errors(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Three of four draws say {0, 1}, {2, 3}.
const LABELS: &str = "0,0,1,1\n5,5,2,2\n1,1,0,0\n0,0,0,1\n";

/// Two far groups on the line, with draws that agree on them but for one observation.
fn draws_file(folder: &Path) {
    let (draws, n) = (8usize, 6usize);
    let data: Vec<f64> = vec![-5.2, -5.0, -4.7, 4.6, 5.0, 5.3];
    let weights: Vec<f64> = (0..draws).flat_map(|m| [0.5 + 0.01 * m as f64, 0.5 - 0.01 * m as f64]).collect();
    let means: Vec<f64> = (0..draws).flat_map(|m| [-5.0 + 0.1 * m as f64, 5.0 - 0.05 * m as f64]).collect();
    let ensemble = Ensemble::builder(1)
        .atoms_per_draw(2)
        .weights(&weights)
        .means(&means)
        .covariances(vec![0.3; 2 * draws])
        .build()
        .unwrap();
    let labels = (0..draws).flat_map(|m| [0, 0, i64::from(m == 3), 1, 1, 1]).collect();
    let file = DrawsFile {
        ensemble,
        labels: Some(LabelDraws { draws, observations: n, labels }),
        data: Some(DataTable::new(1, data, None).unwrap()),
    };
    write_draws(&folder.join("draws.npz"), &file, None, Overwrite::Refuse).unwrap();
}

#[test]
fn the_document_holds_the_estimate_and_its_evidence() {
    let folder = folder_with(&[("labels.csv", LABELS)]);
    let document = json(&mixgist(folder.path(), &["partition", "labels.csv", "--json"]));
    assert_eq!(document["schema"], "mixgist.partition");
    assert_eq!(document["clusters"], 2);
    assert_eq!(document["labels"], serde_json::json!([0, 0, 1, 1]));
    assert_eq!(document["sizes"], serde_json::json!([2, 2]));
    assert_eq!(document["omari_convention"], "identical");
    let losses = document["expected_losses"].as_object().unwrap();
    for name in ["binder", "vi", "omari", "nvi", "id", "nid"] {
        assert!(losses[name].is_f64(), "{name}");
    }
    // One of four draws parts the ordered pairs of {2, 3} and joins those of 0 and 1 with 2: 6 of 16.
    assert!((losses["binder"].as_f64().unwrap() - 6.0 / 16.0 / 4.0).abs() < 1e-12);
    assert_eq!(losses["vi"], document["expected_loss"]);
    assert_eq!(document["ball"]["level"], 0.95);
    assert_eq!(document["ball"]["horizontal"]["draws"], serde_json::json!([3]));
    assert_eq!(document["cluster_counts"], serde_json::json!([{"clusters": 2, "probability": 1.0}]));
    assert_eq!(document["coclustering"].as_array().unwrap().len(), 4);
}

#[test]
fn labels_may_be_any_integers_or_words() {
    let folder = folder_with(&[
        ("plain.csv", LABELS),
        ("sparse.csv", "-7,-7,9000000000000000000,9000000000000000000\n3,3,-1,-1\n0,0,8,8\n4,4,4,2\n"),
        ("words.csv", "a,a,b,b\nno,no,yes,yes\nx,x,y,y\nq,q,q,r\n"),
    ]);
    let plain = json(&mixgist(folder.path(), &["partition", "plain.csv", "--json"]));
    for name in ["sparse.csv", "words.csv"] {
        assert_eq!(json(&mixgist(folder.path(), &["partition", name, "--json"])), plain, "{name}");
    }
}

#[test]
fn the_convention_of_omari_is_printed_and_counts() {
    let folder = folder_with(&[("one.csv", "0,0,0\n1,1,1\n2,2,2\n")]);
    let plain = text(&mixgist(folder.path(), &["partition", "one.csv", "--loss", "omari"]));
    assert!(plain.contains("omari (0/0 = identical)    0.0000"), "{plain}");
    let salso = text(&mixgist(folder.path(), &["partition", "one.csv", "--omari", "salso", "--max-clusters", "1"]));
    assert!(salso.contains("omari (0/0 = salso)    1.0000"), "{salso}");
    let document = json(&mixgist(folder.path(), &["partition", "one.csv", "--omari", "salso", "--json"]));
    assert_eq!(document["omari_convention"], "salso");
}

#[test]
fn clusters_can_be_bounded_and_fixed() {
    let folder = folder_with(&[("labels.csv", LABELS)]);
    let document = |arguments: &[&str]| {
        let all = [&["partition", "labels.csv", "--json"], arguments].concat();
        json(&mixgist(folder.path(), &all))
    };
    assert_eq!(document(&["--max-clusters", "1"])["clusters"], 1);
    assert_eq!(document(&["--clusters", "3"])["clusters"], 3);
    let general = document(&["--loss", "generalized-binder", "--a", "1"]);
    assert_eq!(general["expected_losses"]["generalized-binder"], general["expected_losses"]["binder"]);
}

#[test]
fn threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    draws_file(folder.path());
    for verb in [&["partition", "draws.npz"][..], &["compare", "draws.npz", "--slices", "40", "--grid", "50"]] {
        let run = |threads| {
            let output = mixgist(folder.path(), &[verb, &["--json", "--threads", threads]].concat());
            assert!(output.status.success(), "{}", errors(&output));
            output.stdout
        };
        assert_eq!(run("1"), run("3"));
    }
}

#[test]
fn files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    draws_file(folder.path());
    let arguments =
        ["partition", "draws.npz", "--labels-out", "labels.csv", "--density", "density.csv", "-o", "partition.json"];
    let printed = text(&mixgist(folder.path(), &arguments));
    assert!(printed.starts_with("clusters       2 of 6 observations: 3, 3"), "{printed}");
    // Members of the ball, not of all draws.
    assert!(printed.contains("farthest in it: draw ") && printed.contains("most clusters in it: draw "), "{printed}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("labels.csv").starts_with("label,coclustering\n0,"));
    assert!(read("partition.json").contains("mixgist.partition"));
    let density = read("density.csv");
    let rows: Vec<Vec<f64>> =
        density.lines().skip(1).map(|row| row.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 100);
    // The t's have heavy tails: most of the mass, not all of it, lies within the range of the data and 1 around it.
    let integral: f64 = rows.iter().map(|row| row[1]).sum::<f64>() * (rows[1][0] - rows[0][0]);
    assert!((0.5..1.0).contains(&integral), "{integral}");

    let again = mixgist(folder.path(), &arguments);
    assert_eq!(again.status.code(), Some(2));
    assert!(errors(&again).contains("exists already"));
}

#[test]
fn comparisons_hold_every_estimate() {
    let folder = tempfile::tempdir().unwrap();
    draws_file(folder.path());
    let arguments = ["compare", "draws.npz", "--slices", "40", "--density-draws", "4"];
    let document = json(&mixgist(folder.path(), &[&arguments[..], &["--json"]].concat()));
    assert_eq!(document["density_draws"], 4);
    let estimates = document["estimates"].as_array().unwrap();
    let names: Vec<&str> = estimates.iter().map(|estimate| estimate["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["binder", "vi", "omari", "sw", "mix-sw", "smix-w"]);
    for estimate in estimates {
        assert_eq!(estimate["clusters"], 2);
        // Draw 3 puts observation 2 elsewhere: 2 × 2 ordered pairs parted, 2 × 3 joined, of 36, in one of 8 draws.
        let binder = estimate["expected_losses"]["binder"].as_f64().unwrap();
        assert!((binder - 10.0 / 36.0 / 8.0).abs() < 1e-12);
        let tv = estimate["expected_density_distances"]["total_variation"].as_f64().unwrap();
        assert!((0.0..1.0).contains(&tv));
        assert!(estimate["expected_density_distances"]["sliced_w2"].as_f64().unwrap() > 0.0);
    }
    // Each medoid is the best among the draws under its own distance.
    let distance = |i: usize, name: &str| estimates[i]["expected_measure_distances"][name].as_f64().unwrap();
    for (own, name) in [(3, "sw"), (4, "mix-sw"), (5, "smix-w")] {
        assert!((3..6).all(|i| distance(own, name) <= distance(i, name) + 1e-12), "{name}");
    }
    let printed = text(&mixgist(folder.path(), &[&arguments[..], &["-o", "table.csv"]].concat()));
    assert!(printed.contains("omari with 0/0 = identical"), "{printed}");
    assert!(printed.contains("against 4 of them"), "{printed}");
    let table = std::fs::read_to_string(folder.path().join("table.csv")).unwrap();
    assert_eq!(table.lines().count(), 7);
}

#[test]
fn errors_name_place_and_remedy_and_write_nothing() {
    let folder = folder_with(&[
        ("labels.csv", LABELS),
        ("unequal.csv", "0,0,1\n0,1\n"),
        ("empty.csv", ""),
        ("data.csv", "y\n1\n2\n3\n"),
    ]);
    let before = names(folder.path());
    let cases: [(&[&str], i32, &str); 10] = [
        (&["unequal.csv"], 1, "unequal.csv"),
        (&["empty.csv"], 1, "empty.csv"),
        (&["missing.csv"], 1, "missing.csv"),
        (&["labels.csv", "--loss", "zvi"], 2, "zvi"),
        (&["labels.csv", "--loss", "generalized-vi"], 2, "such as --a 0.5"),
        (&["labels.csv", "--a", "3"], 2, "must be between 0 and 2"),
        (&["labels.csv", "--ball", "1.5"], 2, "--ball is 1.5"),
        (&["labels.csv", "--clusters", "9"], 2, "9 clusters, but there are 4 observations"),
        (&["labels.csv", "--density", "d.csv"], 2, "give them with --data"),
        (&["labels.csv", "--density", "d.csv", "--data", "data.csv"], 1, "holds 3 observations, the draws label 4"),
    ];
    for (arguments, code, message) in cases {
        let all = [&["partition"], arguments, &["-o", "out.json", "--labels-out", "out.csv"]].concat();
        let output = mixgist(folder.path(), &all);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(message), "{arguments:?}: {}", errors(&output));
        assert!(output.stdout.is_empty());
        assert_eq!(names(folder.path()), before, "{arguments:?}");
    }
}

#[test]
fn comparisons_need_labels_and_fixed_slices() {
    let folder = folder_with(&[("draws.csv", "chain,draw,atom,weight,mean_1,cov_1_1\n0,0,0,1,0,1\n0,1,0,1,0.5,1\n")]);
    let output = mixgist(folder.path(), &["compare", "draws.csv"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("without labels"), "{}", errors(&output));
    draws_file(folder.path());
    // The number of slices is the same for all estimates, whatever each of them would need.
    let with = |slices| json(&mixgist(folder.path(), &["compare", "draws.npz", "--json", "--slices", slices]));
    assert_eq!(with("auto")["estimates"], with("256")["estimates"]);
}
