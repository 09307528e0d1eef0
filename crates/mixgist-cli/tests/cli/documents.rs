//! What every verb prints and writes as JSON is what its schema in `docs/schema` says.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Workplace;

/// A document against the schema of that name, in which no field beyond those of the schema is allowed.
fn validate(name: &str, line: &str, document: &Value) {
    let (_, mut schema) = mixgist_cli::json_schemas().into_iter().find(|(file, _)| file == name).expect(name);
    schema["unevaluatedProperties"] = Value::Bool(false);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator
        .iter_errors(document)
        .take(5)
        .map(|error| {
            format!("{} at {}", error.to_string().chars().take(300).collect::<String>(), error.instance_path())
        })
        .collect();
    assert!(wrong.is_empty(), "mixgist {line} is not as {name} says:\n{}", wrong.join("\n"));
}

#[test]
fn documents_are_as_their_schemas_say() {
    let place = Workplace::with_draws();
    place.done("fit data.csv -o fitted.npz --iterations 60 --burn-in 20 --chains 2 --seed 3");
    place.done("summarize draws.npz --data data.csv -o summary.json");
    let written: Value = serde_json::from_str(&place.read("summary.json")).unwrap();
    validate("summary.json", "summarize -o", &written);
    let diagnostics: Value = serde_json::from_str(&place.read("fitted.fit.json")).unwrap();
    validate("fit.json", "fit -o", &diagnostics);

    let cases = [
        ("summary.json", "summarize draws.npz --data data.csv"),
        ("summary.json", "summarize draws.npz --estimate free --loss power --units none --prune off --slices 20"),
        ("summary.json", "summarize draws.npz --estimate aligned --scheme iid --slices 20"),
        ("summary.json", "summarize fitted.npz --data data.csv --burn-in 2 --thin 2"),
        ("credible.json", "credible draws.npz"),
        ("credible.json", "credible draws.npz --conformal"),
        ("components.json", "components draws.npz"),
        ("representatives.json", "representatives draws.npz"),
        ("stability.json", "stability draws.npz"),
        ("partition.json", "partition fitted.npz --loss vi"),
        ("comparison.json", "compare fitted.npz --data data.csv --slices 20"),
        ("distance.json", "distance draws.npz draws.npz --draw-a 0 --draw-b 1"),
        ("distances.json", "distance draws.npz draws.npz --draw-a 0 --to-draws"),
        ("distance-matrix.json", "distance draws.npz --matrix distances.npy"),
        ("alignment.json", "align draws.npz"),
        ("memberships.json", "memberships draws.npz --data data.csv"),
        ("how-many.json", "how-many draws.npz"),
        ("inspection.json", "inspect draws.npz"),
        ("fit.json", "fit data.csv -o other.npz --iterations 60 --burn-in 20 --chains 2 --seed 3"),
    ];
    for (schema, line) in cases {
        validate(schema, line, &place.json(line));
    }
    let tried: BTreeSet<String> = cases.iter().map(|(schema, _)| (*schema).to_owned()).collect();
    let all: BTreeSet<String> = mixgist_cli::json_schemas().into_iter().map(|(name, _)| name).collect();
    assert_eq!(tried, all, "a schema that no verb is held to, or the other way round");
}

/// The check above can fail: a field of another kind, one that is missing and one too many are found.
#[test]
fn documents_that_are_not_as_their_schema_says_are_found() {
    let place = Workplace::with_draws();
    let good = place.json("credible draws.npz");
    for change in [
        |document: &mut Value| document["draws"] = Value::String("many".to_owned()),
        |document: &mut Value| drop(document.as_object_mut().unwrap().remove("draws")),
        |document: &mut Value| document["unheard_of"] = Value::Bool(true),
    ] {
        let mut document = good.clone();
        change(&mut document);
        assert!(std::panic::catch_unwind(|| validate("credible.json", "credible", &document)).is_err());
    }
}
