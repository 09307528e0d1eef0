//! Documents for languages that count from 1. Documents count draws, atoms and rows from 0; their schema says which numbers are indices.

use mixgist::text::Index;
use schemars::JsonSchema;
use serde_json::Value;

use crate::documents::json_schema;
use crate::formats::json::Schema;

/// Makes the indices of a document of type `T` count from 1.
pub fn count_from_one<T: JsonSchema>(schema: Schema, document: &mut Value) {
    let (_, root) = json_schema::<T>(schema);
    shift(document, &root, &root);
}

/// Shifts what a part of the schema calls an index.
fn shift(value: &mut Value, schema: &Value, root: &Value) {
    if let Some(place) = schema["$ref"].as_str().and_then(|name| name.strip_prefix('#')) {
        shift(value, root.pointer(place).unwrap_or(&Value::Null), root);
    }
    for every in schema["allOf"].as_array().into_iter().flatten() {
        shift(value, every, root);
    }
    for choice in ["anyOf", "oneOf"] {
        let mut schemas = schema[choice].as_array().into_iter().flatten();
        if let Some(one) = schemas.find(|schema| fits(value, schema, root)) {
            shift(value, one, root);
        }
    }
    match value {
        Value::Number(number) if schema["format"] == Index::FORMAT => {
            if let Some(index) = number.as_u64() {
                *value = (index + 1).into();
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| shift(entry, &schema["items"], root)),
        Value::Object(fields) => {
            for (name, field) in fields {
                shift(field, &schema["properties"][name.as_str()], root);
            }
        }
        _ => {}
    }
}

/// Whether a value can be of this one of several schemas: kinds of documents' parts differ by their type, the fields that they need, or a constant.
fn fits(value: &Value, schema: &Value, root: &Value) -> bool {
    if let Some(place) = schema["$ref"].as_str().and_then(|name| name.strip_prefix('#')) {
        return root.pointer(place).is_some_and(|schema| fits(value, schema, root));
    }
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("integer" | "number") => value.is_number(),
        _ => true,
    };
    let of_type = schema["type"].as_array().map_or_else(|| is(&schema["type"]), |names| names.iter().any(is));
    let constant = schema.get("const").is_none_or(|constant| constant == value);
    let has = |name: &Value| name.as_str().is_none_or(|name| value.get(name).is_some());
    let needed = schema["required"].as_array().into_iter().flatten().all(has);
    let same = |(name, schema): (&String, &Value)| {
        value.get(name).is_none_or(|field| schema.get("const").is_none_or(|constant| constant == field))
    };
    of_type && constant && needed && schema["properties"].as_object().into_iter().flatten().all(same)
}

#[cfg(test)]
mod tests {
    use mixgist::{Answer, Summary};
    use serde_json::json;

    use super::*;
    use crate::documents::Documented;

    #[test]
    fn indices_are_shifted_and_counts_are_not() {
        let mut document = json!({
            "draw": 3,
            "draws": 100,
            "labels": [0, 2, 1],
            "clusters": 3,
            "margin": {
                "rival": 0, "lead": 0.1, "slice_error": 0.1, "draw_error": null, "effective_draws": 10.0, "separation": 1.0,
                "p_value": 0.1, "radii": 1.0, "nearer": 1.0, "verdict": "safe",
            },
            "warnings": [
                { "name": "atoms-refused", "atoms": 5, "chosen": 4, "weight": 0.1, "gain": 0.1, "message": "", "advice": "", "remedies": [] },
                { "name": "tied", "draw": 3, "runner_up": 0, "message": "", "advice": "", "remedies": [] },
                { "name": "few-draws", "draws": 3, "message": "", "advice": "", "remedies": [] },
            ],
        });
        count_from_one::<Answer<Summary>>(Summary::SCHEMA, &mut document);
        assert_eq!((&document["draw"], &document["draws"], &document["clusters"]), (&json!(4), &json!(100), &json!(3)));
        assert_eq!(document["labels"], json!([1, 3, 2]));
        assert_eq!(document["margin"]["rival"], 1);
        assert_eq!(document["margin"]["effective_draws"], 10.0);
        let warnings = &document["warnings"];
        assert_eq!((&warnings[0]["atoms"], &warnings[0]["chosen"]), (&json!(5), &json!(4)));
        assert_eq!((&warnings[1]["draw"], &warnings[1]["runner_up"]), (&json!(4), &json!(1)));
        assert_eq!(warnings[2]["draws"], 3);
    }
}
