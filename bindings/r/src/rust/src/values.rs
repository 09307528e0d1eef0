//! Documents as R's lists.

use savvy::{OwnedListSexp, OwnedLogicalSexp, OwnedRealSexp, OwnedStringSexp, Sexp};
use serde_json::Value;

use crate::arrays::{column_major, integer, null, real};

/// A document as R has it: objects are named lists, arrays of numbers vectors, rectangular arrays of arrays matrices, null is `NULL`, and `NA`
/// among numbers.
pub fn list(value: &Value) -> savvy::Result<Sexp> {
    match value {
        Value::Null => Ok(null()),
        Value::Bool(flag) => OwnedLogicalSexp::try_from_scalar(*flag)?.into(),
        Value::Number(_) => numbers(std::slice::from_ref(value), &[]),
        Value::String(text) => OwnedStringSexp::try_from_scalar(text)?.into(),
        Value::Array(entries) => array(value, entries),
        Value::Object(fields) => {
            let mut out = OwnedListSexp::new(fields.len(), true)?;
            for (i, (name, value)) in fields.iter().enumerate() {
                out.set_name_and_value(i, name, list(value)?)?;
            }
            out.into()
        }
    }
}

fn array(value: &Value, entries: &[Value]) -> savvy::Result<Sexp> {
    if let Some(shape) = rectangle(value) {
        let mut flat = Vec::new();
        flatten(value, &mut flat);
        let dim: &[usize] = if shape.len() > 1 { &shape } else { &[] };
        return numbers(&flat, dim);
    }
    if !entries.is_empty() && entries.iter().all(Value::is_string) {
        let words: Vec<&str> = entries.iter().filter_map(Value::as_str).collect();
        return OwnedStringSexp::try_from_slice(words)?.into();
    }
    let mut out = OwnedListSexp::new(entries.len(), false)?;
    for (i, entry) in entries.iter().enumerate() {
        out.set_value(i, list(entry)?)?;
    }
    out.into()
}

/// The shape of nested arrays of numbers, if all of a level are equally long.
fn rectangle(value: &Value) -> Option<Vec<usize>> {
    match value {
        Value::Array(entries) if entries.is_empty() => None,
        Value::Array(entries) => {
            if entries.iter().all(|entry| entry.is_number() || entry.is_null()) {
                return entries.iter().any(Value::is_number).then(|| vec![entries.len()]);
            }
            let inner = rectangle(&entries[0])?;
            let same = entries[1..].iter().all(|entry| rectangle(entry).as_ref() == Some(&inner));
            same.then(|| [vec![entries.len()], inner].concat())
        }
        _ => None,
    }
}

fn flatten(value: &Value, into: &mut Vec<Value>) {
    match value {
        Value::Array(entries) => entries.iter().for_each(|entry| flatten(entry, into)),
        other => into.push(other.clone()),
    }
}

/// Numbers, row-major, as an array of that shape: integers when all of them are whole numbers as documents write them.
fn numbers(values: &[Value], shape: &[usize]) -> savvy::Result<Sexp> {
    let whole: Option<Vec<i64>> = values.iter().map(Value::as_i64).collect();
    if let Some(whole) = whole
        && shape.is_empty()
    {
        return integer(&whole, &[]);
    }
    let values: Vec<f64> = values.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect();
    let values = column_major(&values, shape);
    let mut out = OwnedRealSexp::try_from_slice(&values)?;
    for (i, value) in values.iter().enumerate() {
        if value.is_nan() {
            out.set_na(i)?;
        }
    }
    if !shape.is_empty() {
        out.set_dim(shape)?;
    }
    out.into()
}

/// A text as R has it.
pub fn text(text: &str) -> savvy::Result<Sexp> {
    OwnedStringSexp::try_from_scalar(text)?.into()
}

/// A numeric vector, or `NULL`.
pub fn optional(values: Option<&[f64]>) -> savvy::Result<Sexp> {
    values.map_or_else(|| Ok(null()), |values| real(values, &[]))
}
