//! Lengths of every array of every document are checked where documents come in.

use mixgist_fuzz::documents::KINDS;
use serde_json::Value;

/// Arrays that may have any length, by the name of their field: lists of findings.
const FREE: [&str; 15] = [
    "warnings",
    "remedies",
    "advice",
    "checks",
    "traces",
    "path",
    "farthest",
    "farthest_draws",
    "cluster_counts",
    "inside",
    "merged",
    "heavier",
    "components",
    "groups",
    "missing",
];

/// Where the rest of a document does not tell the length: the means of a trace are those of the chains that have it, and an estimate
/// beside a result is left out when it is damaged, as if the document had none.
fn is_free(name: &str, place: &str, kind: &str) -> bool {
    let trace = place.contains("/traces/") && name == "means";
    let beside = place.starts_with("/estimate/") && !["summary", "stability"].contains(&kind);
    FREE.contains(&name) || trace || beside
}

/// The places of all arrays within a value.
fn arrays(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            found.push(place.to_owned());
            items.iter().enumerate().for_each(|(i, item)| arrays(item, &format!("{place}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| arrays(field, &format!("{place}/{name}"), found));
        }
        _ => {}
    }
}

#[test]
fn arrays_of_another_length_are_refused_or_told() {
    let mut free = std::collections::BTreeSet::new();
    for kind in KINDS.iter() {
        (kind.tell)(kind.sound.clone()).unwrap_or_else(|error| panic!("{}: {error}", kind.name));
        let mut places = Vec::new();
        arrays(&kind.sound, "", &mut places);
        assert!(places.len() > 4, "{}", kind.name);
        for place in places {
            let damages: [fn(&mut Vec<Value>); 3] =
                [Vec::clear, |items| drop(items.pop()), |items| items.extend(items.last().cloned())];
            for damage in damages {
                let mut changed = kind.sound.clone();
                let Some(Value::Array(items)) = changed.pointer_mut(&place) else { unreachable!("{place}") };
                let before = items.len();
                damage(items);
                let same = before == items.len();
                let told = std::panic::catch_unwind(|| (kind.tell)(changed));
                let Ok(told) = told else { panic!("{}: {place} was believed", kind.name) };
                let name = place.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or("");
                if told.is_ok() && !same && !is_free(name, &place, &kind.name) {
                    free.insert(format!("{} {place}", kind.name));
                }
            }
        }
    }
    assert!(free.is_empty(), "{free:#?}");
}
