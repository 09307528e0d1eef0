//! NetCDF, the classic format with 64-bit offsets: what xarray reads without further packages. Written, never read.
//!
//! A header lists dimensions, attributes and variables with the place of their values; then come the values, big-endian, each variable padded to four
//! bytes (The NetCDF Classic Format Specification, Unidata).

use std::io::Write;

use mixgist::{AlignedDraws, Error, Result};

use crate::aligned::positions;
use crate::output::{Output, cannot_write};

const DIMENSIONS: u32 = 0x0A;
const VARIABLES: u32 = 0x0B;
const ATTRIBUTES: u32 = 0x0C;
const CHARACTERS: u32 = 2;
const INTEGERS: u32 = 4;
const DOUBLES: u32 = 6;

/// A variable: its dimensions by number, and its values.
struct Variable<'a> {
    name: &'a str,
    dimensions: Vec<usize>,
    values: Values<'a>,
}

enum Values<'a> {
    /// Whole numbers.
    Integers(Vec<i32>),
    /// The value at a place, row-major.
    Doubles(Box<dyn Fn(usize) -> f64 + 'a>),
    /// Words of the same number of bytes.
    Characters(Vec<u8>),
}

impl Values<'_> {
    /// Number of the type, and bytes of a value.
    fn kind(&self) -> (u32, u64) {
        match self {
            Values::Integers(_) => (INTEGERS, 4),
            Values::Doubles(_) => (DOUBLES, 8),
            Values::Characters(_) => (CHARACTERS, 1),
        }
    }
}

fn number(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_be_bytes());
}

/// A length and bytes, padded to four.
fn text(out: &mut Vec<u8>, words: &[u8]) {
    number(out, words.len() as u32);
    out.extend(words);
    out.resize(out.len().next_multiple_of(4), 0);
}

fn attributes(out: &mut Vec<u8>, all: &[(&str, &str)]) {
    if all.is_empty() {
        return out.extend([0; 8]);
    }
    number(out, ATTRIBUTES);
    number(out, all.len() as u32);
    for (name, value) in all {
        text(out, name.as_bytes());
        number(out, CHARACTERS);
        text(out, value.as_bytes());
    }
}

/// Words as one block of characters of the same length, which is at least 1.
fn words(names: &[String]) -> (usize, Vec<u8>) {
    let longest = names.iter().map(String::len).max().unwrap_or(0).max(1);
    let padded = names.iter().flat_map(|name| {
        let mut bytes = name.clone().into_bytes();
        bytes.resize(longest, 0);
        bytes
    });
    (longest, padded.collect())
}

/// The header, given where the values of each variable begin.
fn header(dimensions: &[(&str, usize)], variables: &[Variable], begins: &[u64]) -> Vec<u8> {
    let mut out = b"CDF\x02\0\0\0\0".to_vec();
    number(&mut out, DIMENSIONS);
    number(&mut out, dimensions.len() as u32);
    for (name, length) in dimensions {
        text(&mut out, name.as_bytes());
        number(&mut out, *length as u32);
    }
    attributes(&mut out, &[("title", "aligned draws of mixture components"), ("inference_library", "mixgist")]);
    number(&mut out, VARIABLES);
    number(&mut out, variables.len() as u32);
    for (variable, begin) in variables.iter().zip(begins) {
        text(&mut out, variable.name.as_bytes());
        number(&mut out, variable.dimensions.len() as u32);
        variable.dimensions.iter().for_each(|&dimension| number(&mut out, dimension as u32));
        let encoding: &[(&str, &str)] =
            if matches!(variable.values, Values::Characters(_)) { &[("_Encoding", "utf-8")] } else { &[] };
        attributes(&mut out, encoding);
        let bytes = padded(variable, dimensions);
        number(&mut out, variable.values.kind().0);
        number(&mut out, u32::try_from(bytes).unwrap_or(u32::MAX));
        out.extend(begin.to_be_bytes());
    }
    out
}

fn size(variable: &Variable, dimensions: &[(&str, usize)]) -> u64 {
    variable.dimensions.iter().map(|&dimension| dimensions[dimension].1 as u64).product()
}

/// Bytes of the values, padded to four.
fn padded(variable: &Variable, dimensions: &[(&str, usize)]) -> u64 {
    (size(variable, dimensions) * variable.values.kind().1).next_multiple_of(4)
}

/// Writes aligned draws over chains and draws.
pub(crate) fn write_aligned(
    output: &mut Output,
    draws: &AlignedDraws,
    names: &[String],
    columns: &[String],
) -> Result<()> {
    let (j, d) = (draws.components, draws.dim);
    let places = positions(draws);
    let chains = places.iter().map(|place| place[0] + 1).max().unwrap_or(0);
    let longest = places.iter().map(|place| place[1] + 1).max().unwrap_or(0);
    if [chains, longest, j, d].iter().any(|&length| length == 0 || i32::try_from(length).is_err()) {
        return Err(Error::input("aligned draws of this size cannot be written as NetCDF"));
    }
    // Where chains differ in length, what is missing is NaN.
    let mut at: Vec<Option<usize>> = vec![None; chains * longest];
    places.iter().enumerate().for_each(|(m, place)| at[place[0] * longest + place[1]] = Some(m));
    let at = &at;
    let over =
        |values: &'_ [f64], each: usize, i: usize| at[i / each].map_or(f64::NAN, |m| values[m * each + i % each]);
    let (name_length, name_bytes) = words(names);
    let (column_length, column_bytes) = words(columns);
    let dimensions = [
        ("chain", chains),
        ("draw", longest),
        ("component", j),
        ("coordinate", d),
        ("coordinate_2", d),
        ("component_letter", name_length),
        ("coordinate_letter", column_length),
    ];
    let counted = |length: usize| Values::Integers((0..length as i32).collect());
    let variables = [
        Variable { name: "chain", dimensions: vec![0], values: counted(chains) },
        Variable { name: "draw", dimensions: vec![1], values: counted(longest) },
        Variable { name: "component", dimensions: vec![2, 5], values: Values::Characters(name_bytes) },
        Variable { name: "coordinate", dimensions: vec![3, 6], values: Values::Characters(column_bytes.clone()) },
        Variable { name: "coordinate_2", dimensions: vec![4, 6], values: Values::Characters(column_bytes) },
        Variable {
            name: "weight",
            dimensions: vec![0, 1, 2],
            values: Values::Doubles(Box::new(|i| over(&draws.weights, j, i))),
        },
        Variable {
            name: "mean",
            dimensions: vec![0, 1, 2, 3],
            values: Values::Doubles(Box::new(|i| over(&draws.means, j * d, i))),
        },
        Variable {
            name: "covariance",
            dimensions: vec![0, 1, 2, 3, 4],
            values: Values::Doubles(Box::new(|i| over(&draws.covariances, j * d * d, i))),
        },
        Variable {
            name: "unmatched",
            dimensions: vec![0, 1],
            values: Values::Doubles(Box::new(|i| over(&draws.unmatched, 1, i))),
        },
    ];
    let length = header(&dimensions, &variables, &vec![0; variables.len()]).len() as u64;
    let mut begins = vec![length];
    for variable in &variables {
        begins.push(begins[begins.len() - 1] + padded(variable, &dimensions));
    }
    output.write_all(&header(&dimensions, &variables, &begins)).map_err(cannot_write)?;
    for variable in &variables {
        let count = size(variable, &dimensions);
        match &variable.values {
            Values::Integers(values) => {
                values.iter().try_for_each(|value| output.write_all(&value.to_be_bytes())).map_err(cannot_write)?;
            }
            Values::Doubles(value) => {
                let all = (0..count as usize).map(value);
                all.into_iter().try_for_each(|x| output.write_all(&x.to_be_bytes())).map_err(cannot_write)?;
            }
            Values::Characters(bytes) => output.write_all(bytes).map_err(cannot_write)?,
        }
        let padding = padded(variable, &dimensions) - count * variable.values.kind().1;
        output.write_all(&[0; 4][..padding as usize]).map_err(cannot_write)?;
    }
    Ok(())
}
