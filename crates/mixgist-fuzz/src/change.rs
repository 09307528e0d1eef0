//! Changes of a JSON value that bytes stand for.

use serde_json::Value;

/// Each four bytes are a change: two for which value, one for what becomes of it, one for the details; `text` is put in where text is.
pub(crate) fn alter(value: &mut Value, changes: &[u8], text: &str) {
    for change in changes.chunks_exact(4) {
        let mut left = u16::from_le_bytes([change[0], change[1]]).into();
        at(value, &mut left, change[2], change[3], text);
    }
}

/// Changes the value that is `left` values further on, counted in depth.
fn at(value: &mut Value, left: &mut usize, what: u8, seed: u8, text: &str) -> bool {
    if *left == 0 {
        *value = other(value, what, seed, text);
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| at(item, left, what, seed, text)),
        Value::Object(fields) => fields.iter_mut().any(|(_, field)| at(field, left, what, seed, text)),
        _ => false,
    }
}

fn other(value: &Value, what: u8, seed: u8, text: &str) -> Value {
    const NUMBERS: [f64; 12] =
        [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e300, -1e300, 5e-324, f64::MAX, 4_294_967_296.0, 1e17];
    match (what % 8, value) {
        (0, _) => Value::Null,
        (1, _) => NUMBERS[usize::from(seed) % NUMBERS.len()].into(),
        (2, _) => u64::from(seed).into(),
        (3, Value::Array(items)) => Value::Array(items[..items.len() * usize::from(seed) / 256].to_vec()),
        (4, Value::Array(items)) => {
            Value::Array(items.iter().cycle().take(items.len() + usize::from(seed)).cloned().collect())
        }
        (5, Value::Object(fields)) => {
            let mut fields = fields.clone();
            let name = fields.keys().nth(usize::from(seed) % fields.len().max(1)).cloned();
            name.and_then(|name| fields.remove(&name));
            Value::Object(fields)
        }
        (6, Value::Bool(old)) => (!old).into(),
        (6, _) => true.into(),
        _ => text.into(),
    }
}
