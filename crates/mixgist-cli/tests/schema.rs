//! The JSON Schemas in docs/schema are those of the types that the verbs print. `UPDATE_SCHEMAS=1 cargo test -p mixgist-cli --test schema` writes them anew.

use std::path::Path;

use serde_json::Value;

#[test]
fn the_schemas_in_the_documentation_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some();
    for (name, schema) in mixgist_cli::json_schemas() {
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        let path = folder.join(&name);
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == text, "docs/schema/{name} is not that of the type: UPDATE_SCHEMAS=1 writes it anew");
    }
}

/// Every field of every document has a sentence, also within the types that it refers to.
#[test]
fn every_field_has_a_sentence() {
    fn missing(schema: &Value, place: &str, found: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                // A tag names its variant; a field that refers to a type alone has that type's sentence.
                let told = property.get("description").is_some()
                    || property.get("const").is_some()
                    || property.get("$ref").is_some()
                    // A variant that holds one value: its sentence stands beside the property.
                    || schema.get("description").is_some();
                if !told {
                    found.push(format!("{place}.{name}"));
                }
            }
        }
        for list in ["anyOf", "oneOf", "allOf"] {
            for part in schema.get(list).and_then(Value::as_array).into_iter().flatten() {
                missing(part, place, found);
            }
        }
    }
    for (name, schema) in mixgist_cli::json_schemas() {
        let mut found = Vec::new();
        missing(&schema, &name, &mut found);
        for (definition, inner) in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
            missing(inner, &format!("{name}: {definition}"), &mut found);
        }
        assert!(found.is_empty(), "fields without a sentence: {found:?}");
    }
}
