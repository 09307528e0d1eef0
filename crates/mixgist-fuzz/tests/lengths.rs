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

/// Where the rest of a document does not tell the length: the means of a trace are those of the chains that have it.
fn is_free(name: &str, place: &str) -> bool {
    let trace = place.contains("/traces/") && name == "means";
    FREE.contains(&name) || trace
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
                if told.is_ok() && !same && !is_free(name, &place) {
                    free.insert(format!("{} {place}", kind.name));
                }
            }
        }
    }
    assert!(free.is_empty(), "{free:#?}");
}

/// The places of all values within a value; of lists the first and the last, which have the type of the others.
fn places(value: &Value, place: &str, found: &mut Vec<String>) {
    let mut inside = |name: String, item: &Value| {
        found.push(format!("{place}/{name}"));
        places(item, &format!("{place}/{name}"), found);
    };
    match value {
        Value::Array(items) => {
            for i in [0, items.len().saturating_sub(1)] {
                items.get(i).into_iter().for_each(|item| inside(i.to_string(), item));
            }
        }
        Value::Object(fields) => fields.iter().for_each(|(name, field)| inside(name.clone(), field)),
        _ => {}
    }
}

/// The words of a warning, which are not read but made again from what it is about.
fn is_told_anew(place: &str) -> bool {
    let Some((_, rest)) = place.split_once("/warnings/") else { return false };
    rest.split('/').nth(1).is_some_and(|field| ["message", "advice", "remedies"].contains(&field))
}

/// What a reader does not understand it refuses: no damaged value is left out as if the document had none.
#[test]
fn damaged_values_are_refused_or_kept() {
    let mut lost = std::collections::BTreeSet::new();
    for kind in KINDS.iter() {
        assert_eq!((kind.again)(kind.sound.clone()).unwrap(), kind.sound, "{}", kind.name);
        let mut found = Vec::new();
        places(&kind.sound, "", &mut found);
        for place in found {
            for damage in [Value::from("\u{202e}damaged"), Value::from(-7.5), serde_json::json!({"a": [1]})] {
                let mut changed = kind.sound.clone();
                *changed.pointer_mut(&place).expect("a place") = damage.clone();
                if let Ok(read) = (kind.again)(changed)
                    && !is_told_anew(&place)
                    && read.pointer(&place) != Some(&damage)
                {
                    lost.insert(format!("{} {place}: {damage}", kind.name));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}
