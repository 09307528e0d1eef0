//! Summaries that were written by the first version of their schema are still read.

use std::collections::BTreeSet;
use std::path::Path;

use mixgist::text::CommandLine;
use mixgist::{Answer, AtomCount, Estimator, Order, SliceCount, Summary, Units};
use mixgist_io::{Overwrite, SUMMARY_SCHEMA, count_from_one, read_summary, to_json, write_bytes};
use serde_json::Value;

fn read(name: &str) -> Answer<Summary> {
    read_summary(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents").join(name)).unwrap()
}

#[test]
fn a_medoid_of_version_1_has_its_settings_and_warnings() {
    let old = read("summary-1-medoid.json");
    let settings = &old.about.settings;
    assert_eq!(
        (settings.slicer.name(), settings.order, settings.slices),
        ("smix-w", Order::TWO, SliceCount::Fixed(20))
    );
    assert_eq!((settings.units.clone(), settings.estimator), (Units::None, Estimator::Medoid));
    assert_eq!((old.medoid.draw, old.medoid.chain, old.medoid.iteration, old.about.draws), (10, 1, 2, 16));
    assert_eq!((old.expected_loss, old.medoid.expected_loss), (1.7806069981685422, 1.7806069981685422));
    let runner_up = old.medoid.runner_up.unwrap();
    assert_eq!((runner_up.draw, runner_up.separation), (14, Some(7.8277579325124185)));
    assert_eq!(old.warnings[0].name(), "unequal-units");
    assert_eq!(old.warnings[1].to_string(), "only 16 draws: a medoid is one of them");
    assert_eq!(old.warnings[1].advice().spelled(&CommandLine), "give more posterior draws");
    assert_eq!(old.about.source.as_ref().unwrap().draws[0].path, "draws.csv");
}

#[test]
fn the_expected_loss_of_a_free_estimate_is_its_own() {
    let old = read("summary-1-free.json");
    let free = old.free().unwrap();
    assert_eq!(old.about.settings.estimator, Estimator::Free(AtomCount::Fixed(3)));
    assert_eq!((old.expected_loss, old.expected_loss_se), (free.judgement.expected_loss, None));
    assert!(old.medoid.expected_loss > old.expected_loss);
    assert_eq!(free.estimate, old.estimate);
}

/// What was read from an old document is written as a new one that is read to the same.
#[test]
fn old_summaries_become_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["summary-1-medoid.json", "summary-1-free.json"] {
        let (old, path) = (read(name), folder.path().join(name));
        let text = to_json(SUMMARY_SCHEMA, &old).unwrap();
        assert!(text.contains("\"schema_version\": 2"));
        write_bytes(&path, text.as_bytes(), Overwrite::Refuse).unwrap();
        assert_eq!(read_summary(&path).unwrap(), old, "{name}");
    }
}

#[test]
fn a_damaged_summary_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let text = to_json(SUMMARY_SCHEMA, &read("summary-1-medoid.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let refuse = |change: fn(&mut serde_json::Value)| {
        let mut changed = document.clone();
        change(&mut changed);
        write_bytes(&path, changed.to_string().as_bytes(), Overwrite::Force).unwrap();
        read_summary(&path).unwrap_err().to_string()
    };
    assert!(
        refuse(|d| d["expected_losses"] = serde_json::json!([])).contains("expected_losses has length 0, expected 16")
    );
    assert!(refuse(|d| d["distances"] = serde_json::json!([1.0])).contains("distances has length 1, expected 16"));
    assert!(refuse(|d| d["draw"] = serde_json::json!(16)).contains("names number 16, there are 16"));
    assert!(refuse(|d| d["settings"]["loss"] = serde_json::json!("squared")).contains("unknown loss 'squared'"));
    assert!(refuse(|d| d["settings"]["scheme"] = serde_json::json!("sobol")).contains("sobol"));
    assert!(refuse(|d| d["estimate"]["means"][0] = serde_json::json!([1.0])).contains("mean has"));
}

/// In a whole document of a free estimate exactly the indices change, each by 1: numbers beside them (counts, losses, settings) stay.
#[test]
fn counting_from_one_shifts_the_indices_of_a_whole_document_alone() {
    fn changed(before: &Value, after: &Value, name: &str, found: &mut BTreeSet<String>) {
        match (before, after) {
            (Value::Object(fields), Value::Object(others)) => {
                assert!(fields.keys().eq(others.keys()));
                fields.iter().for_each(|(name, field)| changed(field, &others[name], name, found));
            }
            (Value::Array(entries), Value::Array(others)) => {
                assert_eq!(entries.len(), others.len());
                entries.iter().zip(others).for_each(|(entry, other)| changed(entry, other, name, found));
            }
            _ if before == after => {}
            _ => {
                assert_eq!(after.as_u64(), before.as_u64().map(|index| index + 1), "{name}");
                found.insert(name.to_owned());
            }
        }
    }
    let before = serde_json::to_value(read("summary-1-free.json")).unwrap();
    let mut after = before.clone();
    count_from_one::<Answer<Summary>>(SUMMARY_SCHEMA, &mut after);
    let mut found = BTreeSet::new();
    changed(&before, &after, "", &mut found);
    let free = |document: &Value| document["assessment"]["free"].clone();
    assert!(free(&before)["chosen"].is_u64() && free(&before)["path"] == free(&after)["path"]);
    assert!(["chosen", "draw"].iter().all(|name| found.contains(*name)), "{found:?}");
    let known = ["chosen", "draw", "rival", "labels", "refused"];
    assert!(found.iter().all(|name| known.contains(&name.as_str())), "{found:?}");
}
