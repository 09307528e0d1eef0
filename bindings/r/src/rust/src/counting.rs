//! The core counts draws, atoms and rows from 0, R counts from 1: documents and sentences are shifted here, and nowhere else.

use mixgist::narrative::{Narrative, Piece};
use serde_json::Value;

use crate::error::InR;

/// Fields that hold one index.
const ONE: [&str; 10] =
    ["draw", "estimate_draw", "rival", "runner_up", "atom", "chosen", "refused", "column", "left", "right"];

/// Fields that hold indices when they hold several numbers; `draws` and `atoms` are counts when they hold one.
const SEVERAL: [&str; 10] = [
    "labels",
    "uncertain",
    "assignment",
    "medoids",
    "inside",
    "draws",
    "atoms",
    "rivals",
    "nearly_equal",
    "coordinates",
];

/// A document whose indices count from 1.
pub fn shifted(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Number(_) if ONE.contains(&name.as_str()) => shift(value),
                    Value::String(text) if name == "estimate_source" => *text = from_one(text),
                    Value::Array(entries) if SEVERAL.contains(&name.as_str()) => entries.iter_mut().for_each(shift),
                    other => shifted(other),
                }
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(shifted),
        _ => {}
    }
}

fn shift(value: &mut Value) {
    match value.as_u64() {
        Some(index) => *value = (index + 1).into(),
        None => shifted(value),
    }
}

/// Words that are followed by an index, or by several with commas between them.
const WORDS: [&str; 6] = ["draw", "atom", "atoms", "row", "column", "observation"];

/// A sentence in which draws, atoms, rows and columns count from 1: "draw 3, atom 0" becomes "draw 4, atom 1".
pub fn from_one(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len() + 8);
    let mut rest = sentence;
    while !rest.is_empty() {
        let word = rest.len() - rest.trim_start_matches(char::is_alphabetic).len();
        if word == 0 {
            let next = rest.find(char::is_alphabetic).unwrap_or(rest.len());
            out.push_str(&rest[..next]);
            rest = &rest[next..];
            continue;
        }
        let (name, after) = rest.split_at(word);
        out.push_str(name);
        rest = after;
        let several = name == "atom" || name == "atoms";
        let mut separator = " ";
        while WORDS.contains(&name)
            && let Some(numbers) = rest.strip_prefix(separator)
            && let digits = numbers.len() - numbers.trim_start_matches(|c: char| c.is_ascii_digit()).len()
            && !numbers[digits..].starts_with('.')
            && let Ok(index) = numbers[..digits].parse::<u64>()
        {
            out.push_str(&format!("{separator}{}", index + 1));
            rest = &numbers[digits..];
            separator = if rest.starts_with(" and ") { " and " } else { ", " };
            if !several {
                break;
            }
        }
    }
    out.replace("(counted from 0)", "(counted from 1)")
}

/// What there is to say, in R's words and counted from 1: tables have columns of atoms, or of observations with their components.
pub fn plain(mut narrative: Narrative) -> String {
    for piece in &mut narrative.0 {
        let Piece::Table { header, rows } = piece else { continue };
        // Components have names, unless they are the labels of observations.
        let labelled = header.iter().any(|name| name == "observation");
        let counts = |name: &str| name == "atom" || name == "observation" || (labelled && name == "component");
        for column in (0..header.len()).filter(|&column| counts(&header[column])) {
            for cell in rows.iter_mut().filter_map(|row| row.get_mut(column)) {
                if let Ok(index) = cell.parse::<u64>() {
                    *cell = (index + 1).to_string();
                }
            }
        }
    }
    from_one(&narrative.plain(&InR))
}
