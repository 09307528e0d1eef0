//! bayesmix: `chains.recordio`, one message of Protocol Buffers (`AlgorithmState`) per draw, each after its length.
//!
//! Multivariate states hold precisions, by columns unless they say otherwise. Weights are drawn by conditional algorithms alone; for the others they are the sizes of the clusters.

use std::path::Path;

use mixgist::{CovarianceForm, Ensemble, Error, Result};

use crate::draws::{DrawsFile, ReadOptions};
use crate::labels::LabelDraws;
use crate::source::{Budget, Source};

/// A field of a message: its number and what it holds.
type Field<'a> = (u64, Held<'a>);

enum Held<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The state of one draw; means and shapes atom by atom.
struct State {
    weights: Vec<f64>,
    means: Vec<f64>,
    shapes: Vec<f64>,
    labels: Vec<i64>,
    dim: Option<usize>,
}

pub(crate) fn read_draws(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    let mut budget = Budget::new(options);
    let bytes = Source::open(path)?.into_bytes(path, &mut budget)?;
    let mut rest = bytes.as_slice();
    let mut states: Vec<State> = Vec::new();
    while !rest.is_empty() {
        budget.go_on()?;
        let at = states.len();
        let length = varint(&mut rest).ok_or_else(|| cut_off(at))?;
        let message = take(&mut rest, length).ok_or_else(|| cut_off(at))?;
        // A field of two bytes takes as much as a long one while it is looked at.
        budget.fits("a state", (message.len() as u64).saturating_mul(size_of::<Field<'_>>() as u64 / 2))?;
        let state = state(message).unwrap_or_else(|| Err(damaged())).map_err(|error| error.at_draw(at))?;
        if let Some(first) = states.first()
            && first.dim != state.dim
        {
            return Err(Error::input("has another dimension than the first state").at_draw(at));
        }
        let numbers = state.weights.len() + state.means.len() + state.shapes.len() + state.labels.len();
        budget.take("the draws", (size_of::<State>() + 8 * numbers) as u64)?;
        states.push(state);
    }
    let dim = states[0].dim; // a file is not empty, so there is a state
    let mut offsets = vec![0];
    states.iter().for_each(|state| offsets.push(offsets[offsets.len() - 1] + state.weights.len()));
    let all = |part: fn(&State) -> &Vec<f64>| {
        states.iter().flat_map(|state| part(state).iter().copied()).collect::<Vec<f64>>()
    };
    let (weights, means, shapes) = (all(|s| &s.weights), all(|s| &s.means), all(|s| &s.shapes));
    let form = if dim.is_some() { CovarianceForm::Precision } else { CovarianceForm::Covariance };
    let ensemble = Ensemble::builder(dim.unwrap_or(1))
        .offsets(&offsets)
        .weights(&weights)
        .means(&means)
        .covariances(&shapes)
        .form(form)
        .build()?;
    let observations = states[0].labels.len();
    let labelled = observations > 0 && states.iter().all(|state| state.labels.len() == observations);
    let labels = labelled.then(|| LabelDraws {
        draws: states.len(),
        observations,
        labels: states.into_iter().flat_map(|state| state.labels).collect(),
    });
    Ok(DrawsFile { ensemble, labels, data: None })
}

fn cut_off(draw: usize) -> Error {
    Error::input("ends within a state").at_draw(draw).hint("the run did not end, or the file was not copied whole")
}

fn damaged() -> Error {
    Error::input("is damaged: it is no state of bayesmix").hint("expected chains.recordio of a FileCollector")
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

fn take<'a>(rest: &mut &'a [u8], length: u64) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    Some(taken)
}

fn fields(mut message: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message)?;
        let held = match key & 7 {
            0 => Held::Number(varint(&mut message)?),
            1 => Held::Bytes(take(&mut message, 8)?),
            5 => Held::Bytes(take(&mut message, 4)?),
            2 => {
                let length = varint(&mut message)?;
                Held::Bytes(take(&mut message, length)?)
            }
            _ => return None,
        };
        found.push((key >> 3, held));
    }
    Some(found)
}

/// The last field of that number that holds bytes, which is the one that counts.
fn bytes<'a>(fields: &[Field<'a>], number: u64) -> Option<&'a [u8]> {
    fields.iter().rev().find_map(|(found, held)| match held {
        Held::Bytes(bytes) if *found == number => Some(*bytes),
        _ => None,
    })
}

fn is_set(fields: &[Field<'_>], number: u64) -> bool {
    fields.iter().any(|(found, held)| *found == number && matches!(held, Held::Number(1)))
}

/// All numbers of the fields of that number, packed or one by one.
fn doubles(fields: &[Field<'_>], number: u64) -> Option<Vec<f64>> {
    let mut all = Vec::new();
    for (found, held) in fields {
        if let (true, Held::Bytes(bytes)) = (*found == number, held) {
            if bytes.len() % 8 != 0 {
                return None;
            }
            all.extend(bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().expect("eight bytes"))));
        }
    }
    Some(all)
}

/// A number that is 0 when it is left out.
fn double(fields: &[Field<'_>], number: u64) -> Option<f64> {
    bytes(fields, number).map_or(Some(0.0), |word| Some(f64::from_le_bytes(word.try_into().ok()?)))
}

fn state(message: &[u8]) -> Option<Result<State>> {
    let all = fields(message)?;
    let mut out = State { weights: Vec::new(), means: Vec::new(), shapes: Vec::new(), labels: Vec::new(), dim: None };
    let mut atoms = 0;
    for (number, held) in &all {
        match (number, held) {
            (1, Held::Bytes(cluster)) => {
                let cluster = fields(cluster)?;
                if let Some(line) = bytes(&cluster, 1) {
                    let line = fields(line)?;
                    out.means.push(double(&line, 1)?);
                    out.shapes.push(double(&line, 2)?);
                } else if let Some(plane) = bytes(&cluster, 2) {
                    let plane = fields(plane)?;
                    let mean = doubles(&fields(bytes(&plane, 1)?)?, 2)?;
                    let precision = fields(bytes(&plane, 2)?)?;
                    let entries = doubles(&precision, 3)?;
                    let d = mean.len();
                    if d == 0
                        || entries.len() != d * d
                        || out.dim.is_some_and(|dim| dim != d)
                        || (atoms > 0 && out.dim.is_none())
                    {
                        return None;
                    }
                    out.dim = Some(d);
                    out.means.extend(mean);
                    let by_rows = is_set(&precision, 4);
                    out.shapes.extend(
                        (0..d * d).map(|at| if by_rows { entries[at] } else { entries[(at % d) * d + at / d] }),
                    );
                } else {
                    return Some(Err(Error::input("has clusters that are not Gaussian")
                        .hint("hierarchies of location and scale are read: NNIG, NNW and their like")));
                }
                atoms += 1;
                let size = cluster.iter().find_map(|(number, held)| match (number, held) {
                    (3, Held::Number(size)) => Some(*size as f64),
                    (3, Held::Bytes(word)) => Some(f64::from_le_bytes((*word).try_into().ok()?)),
                    _ => None,
                });
                out.weights.push(size.unwrap_or(0.0));
            }
            (2, Held::Number(label)) => out.labels.push(*label as i64),
            (2, Held::Bytes(packed)) => {
                let mut packed = *packed;
                while !packed.is_empty() {
                    out.labels.push(varint(&mut packed)? as i64);
                }
            }
            _ => {}
        }
    }
    if atoms == 0 {
        return Some(Err(Error::input("has no clusters")));
    }
    if let Some(mixing) = bytes(&all, 3)
        && let Some(sticks) = bytes(&fields(mixing)?, 4)
        && let Some(logs) = bytes(&fields(sticks)?, 2)
    {
        let logs = doubles(&fields(logs)?, 2)?;
        if logs.len() == atoms {
            out.weights = logs.iter().map(|log| log.exp()).collect();
        }
    }
    let sum: f64 = out.weights.iter().sum();
    out.weights.iter_mut().for_each(|weight| *weight /= sum);
    Some(Ok(out))
}
