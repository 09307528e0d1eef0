//! JSON documents with the name and version of their schema.

mod weight;

use std::io::{BufReader, Write};
use std::path::Path;

use mixgist::fits::Document;
use mixgist::printable::is_hidden_control;
use mixgist::{Error, ErrorKind, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::documents::upgraded;
use crate::memory;
use crate::output::{Overwrite, cannot_write, write_whole};
use crate::source::{Source, shown, size_text};

/// The name and version of what a document holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// What it is, such as `mixgist.summary`.
    pub name: &'static str,
    /// Counts up whenever a reader of the version before would misunderstand.
    pub version: u32,
}

#[derive(Serialize)]
struct Written<'a, T> {
    schema: &'a str,
    schema_version: u32,
    #[serde(flatten)]
    body: &'a T,
}

/// The document as text: the fields of `body` (a struct or map) after `schema` and `schema_version`.
pub fn to_json<T: Serialize>(schema: Schema, body: &T) -> Result<String> {
    let document = Written { schema: schema.name, schema_version: schema.version, body };
    serde_json::to_string_pretty(&document)
        .map(escaped)
        .map_err(|cause| Error::new(ErrorKind::Io, format!("{} cannot be written as JSON: {cause}", schema.name)))
}

/// JSON in which names from strangers cannot steer a terminal: serde escapes ASCII controls, this the others.
fn escaped(json: String) -> String {
    let hidden = |c: char| is_hidden_control(c) && c != '\n'; // which stand between the fields
    if !json.contains(hidden) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match hidden(c) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
    }
    out
}

/// Writes a document, whole or not at all. Numbers are read back to the same bits; NaN and infinities become `null`.
pub fn write_json<T: Serialize>(path: &Path, schema: Schema, body: &T, overwrite: Overwrite) -> Result<()> {
    let text = to_json(schema, body).map_err(|error| error.in_file(path))?;
    write_whole(path, overwrite, |output| writeln!(output, "{text}").map_err(cannot_write))
}

/// Reads a document of that schema, of its version or an older one that `T` still understands, and checks that it fits together.
pub fn read_json<T: DeserializeOwned + Document>(path: &Path, schema: Schema) -> Result<T> {
    let Source { mut file, bytes } = Source::open(path)?;
    if bytes > ALWAYS_FITS {
        let limit = memory::reading().memory_limit;
        fits(file, bytes, limit).map_err(|error| error.in_file(path))?;
        file = Source::open(path)?.file;
    }
    parse(BufReader::new(file), schema).map_err(|error| error.in_file(path))
}

/// Whether a document says that it is of that schema; what is wrong with it is told by the one that reads it.
pub(crate) fn holds(path: &Path, schema: Schema) -> Result<bool> {
    #[derive(serde::Deserialize)]
    struct Head {
        schema: String,
    }
    let head: serde_json::Result<Head> = serde_json::from_reader(BufReader::new(Source::open(path)?.file));
    Ok(head.is_ok_and(|head| head.schema == schema.name))
}

/// Documents up to this size are read without a look at the memory: they take a few hundred megabytes at the very most.
const ALWAYS_FITS: u64 = 1 << 20;

/// Refuses a document that takes more memory than `limit`.
fn fits(text: impl std::io::Read, bytes: u64, limit: u64) -> Result<()> {
    if bytes.saturating_mul(weight::MOST_PER_CHARACTER) <= limit {
        return Ok(());
    }
    match weight::fits(BufReader::new(text), limit) {
        Err(cause) if cause.to_string().starts_with(weight::TOO_HEAVY) => Err(Error::resource(format!(
            "is a document of {} that takes more than {} of memory, the limit here",
            size_text(bytes),
            size_text(limit)
        ))),
        // What else is wrong with it is told by the one that reads it.
        _ => Ok(()),
    }
}

fn parse<T: DeserializeOwned + Document>(source: impl std::io::Read, schema: Schema) -> Result<T> {
    let mut document: Value = serde_json::from_reader(source).map_err(|cause| {
        let error = Error::input(format!("is not valid JSON, or is truncated ({cause})"));
        if cause.line() > 0 { error.at_line(cause.line() as u64) } else { error }
    })?;
    let Some(fields) = document.as_object_mut() else {
        return Err(Error::input(format!("is not a JSON object, expected a '{}' document", schema.name)));
    };
    match fields.remove("schema") {
        Some(Value::String(name)) if name == schema.name => {}
        Some(Value::String(name)) => {
            return Err(Error::input(format!("is a '{}' document, expected '{}'", shown(&name), schema.name)));
        }
        _ => return Err(Error::input(format!("has no 'schema', expected '{}'", schema.name))),
    }
    let version = fields.remove("schema_version");
    match version.as_ref().and_then(Value::as_u64) {
        Some(0) | None => {
            let got = version.map_or("missing".to_owned(), |version| version.to_string());
            return Err(Error::input(format!(
                "'schema_version' is {got}, expected a number from 1 to {}",
                schema.version
            )));
        }
        Some(version) if version > u64::from(schema.version) => {
            return Err(Error::input(format!(
                "has version {version} of schema '{}', this program reads up to version {}",
                schema.name, schema.version
            ))
            .hint("a newer mixgist wrote it: update"));
        }
        Some(version) => upgraded(schema, version, fields),
    }
    let document = T::deserialize(document)
        .map_err(|cause| Error::input(format!("is not a valid '{}' document: {cause}", schema.name)))?;
    document.check()?;
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    const SCHEMA: Schema = Schema { name: "mixgist.test", version: 2 };

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Body {
        z_first: Vec<f64>,
        a_second: Option<u64>,
    }

    impl Document for Body {
        fn check(&self) -> Result<()> {
            Ok(())
        }
    }

    fn read(text: &str) -> Result<Body> {
        parse(text.as_bytes(), SCHEMA)
    }

    #[test]
    fn documents_survive() {
        let body = Body { z_first: vec![0.1, -0.0, 1e300, 5e-324, 0.1 + 0.2], a_second: Some(u64::MAX) };
        let text = to_json(SCHEMA, &body).unwrap();
        assert!(
            text.starts_with("{\n  \"schema\": \"mixgist.test\",\n  \"schema_version\": 2,\n  \"z_first\""),
            "{text}"
        );
        let back = read(&text).unwrap();
        assert_eq!(back, body);
        assert!(back.z_first[1].is_sign_negative());
    }

    #[test]
    fn names_in_documents_cannot_steer_a_terminal() {
        let names = vec!["a\u{1b}\u{9b}\u{202e}\n".to_owned()];
        let text = to_json(SCHEMA, &std::collections::BTreeMap::from([("names", &names)])).unwrap();
        assert!(text.contains("\"a\\u001b\\u009b\\u202e\\n\""), "{text}");
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["names"][0], names[0]);
    }

    #[test]
    fn other_schemas_and_versions_are_named() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(message("[]"), "is not a JSON object, expected a 'mixgist.test' document");
        assert_eq!(message("{}"), "has no 'schema', expected 'mixgist.test'");
        assert_eq!(message(r#"{"schema": "x"}"#), "is a 'x' document, expected 'mixgist.test'");
        let with = |version: &str| message(&format!(r#"{{"schema": "mixgist.test", "schema_version": {version}}}"#));
        assert_eq!(with("3"), "has version 3 of schema 'mixgist.test', this program reads up to version 2");
        assert_eq!(with("\"1\""), "'schema_version' is \"1\", expected a number from 1 to 2");
        assert_eq!(with("2"), "is not a valid 'mixgist.test' document: missing field `z_first`");
        assert!(message("{\"schema\":\n").starts_with("line 2: is not valid JSON, or is truncated"));
        assert!(message(&"[".repeat(100_000)).contains("recursion limit"));
    }

    #[test]
    fn documents_that_swell_are_refused() {
        let text = format!("[{}0]", "0,".repeat(10_000));
        let fits = |limit: u64| fits(text.as_bytes(), text.len() as u64, limit);
        assert!(fits(2_000_000).is_ok());
        let error = fits(1_000_000).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Resource);
        let message = "is a document of 19.5 KiB that takes more than 976.6 KiB of memory, the limit here";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn older_versions_are_read() {
        let text = r#"{"schema": "mixgist.test", "schema_version": 1, "z_first": []}"#;
        assert_eq!(read(text).unwrap(), Body { z_first: vec![], a_second: None });
    }
}
