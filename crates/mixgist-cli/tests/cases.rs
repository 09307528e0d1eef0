//! The cases that all fronts share (`tests/cases`): the same options by the same names give the same numbers.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the program prints as JSON.
fn answer(folder: &Path, words: &[&str], options: &Value) -> Value {
    // An emulator of another processor, see `cargo xtask bits`.
    let runner = std::env::var("MIXGIST_RUNNER").unwrap_or_default();
    let mut line = runner.split_whitespace().chain([env!("CARGO_BIN_EXE_mixgist")]);
    let mut command = Command::new(line.next().unwrap());
    command.args(line).current_dir(folder).args(words);
    for (name, value) in options.as_object().unwrap() {
        command.arg(format!("--{}", name.replace('_', "-")));
        if *value != Value::Bool(true) {
            command.arg(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
    }
    let output = command.arg("--json").output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Answers are kept in the folder that `MIXGIST_ANSWERS` names, for `cargo xtask bits`, which compares those of two processors; they are not
/// checked then.
fn keep(name: &str, answer: &Value) -> bool {
    let Some(folder) = std::env::var_os("MIXGIST_ANSWERS") else { return false };
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(Path::new(&folder).join(format!("{name}.json")), format!("{answer:#}")).unwrap();
    true
}

/// Whole numbers and words must be equal; the last digits of other numbers may depend on the system's mathematical library.
fn check(case: &Value, answer: &Value) {
    let expected: &Map<String, Value> = case["expect"].as_object().unwrap();
    assert!(!expected.is_empty());
    for (key, value) in expected {
        // "ball.radius" is the radius in the ball, "components.0.weight" the weight of the first component.
        let found = answer.pointer(&format!("/{}", key.replace('.', "/"))).unwrap_or(&Value::Null);
        match (value.as_f64(), found.as_f64()) {
            (Some(want), Some(got)) if value.is_f64() => {
                assert!((got - want).abs() <= 1e-12 * want.abs(), "{}, {key}: {got}, expected {want}", case["name"]);
            }
            _ => assert_eq!(found, value, "{}, {key}", case["name"]),
        }
    }
}

#[test]
fn every_case_gives_its_numbers() {
    let cases: Value =
        serde_json::from_slice(&std::fs::read(root().join("tests/cases/faithful.json")).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = root().join(cases["data"].as_str().unwrap()).canonicalize().unwrap();
    let fitted = answer(folder, &["fit", data.to_str().unwrap(), "-o", "draws.npz"], &cases["fit"]);
    keep("fit", &fitted);
    for (key, words) in [
        ("summarize", vec!["summarize", "draws.npz"]),
        ("distance_matrix", vec!["distance", "draws.npz", "--force", "--matrix", "matrix.npy"]),
        ("partition", vec!["partition", "draws.npz"]),
        ("credible", vec!["credible", "draws.npz"]),
        ("components", vec!["components", "draws.npz"]),
        ("align", vec!["align", "draws.npz"]),
        ("memberships", vec!["memberships", "draws.npz"]),
        ("how-many", vec!["how-many", "draws.npz"]),
        ("representatives", vec!["representatives", "draws.npz"]),
        ("stability", vec!["stability", "draws.npz"]),
    ] {
        for case in cases[key].as_array().unwrap() {
            let answer = answer(folder, &words, &case["options"]);
            if !keep(&format!("{key} {}", case["name"].as_str().unwrap()), &answer) {
                check(case, &answer);
            }
        }
    }
}
