//! R's arrays, whose first index runs fastest, in and out.

use mixgist::Error;
use savvy::{NullSexp, OwnedIntegerSexp, OwnedRealSexp, Sexp, TypedSexp};

use crate::error::Result;

/// The numbers of a numeric vector.
pub fn numbers(what: &str, sexp: Sexp) -> Result<Vec<f64>> {
    match sexp.into_typed() {
        TypedSexp::Real(values) => Ok(values.to_vec()),
        TypedSexp::Integer(values) => {
            Ok(values.iter().map(|&x| if x == i32::MIN { f64::NAN } else { f64::from(x) }).collect())
        }
        _ => Err(Error::input(format!("{what} must be numeric")).into()),
    }
}

/// The indices and counts of a numeric vector: whole numbers from `least`.
pub fn whole(what: &str, sexp: Sexp, least: f64) -> Result<Vec<u64>> {
    let convert = |(i, x): (usize, f64)| {
        if x.is_finite() && x.fract() == 0.0 && (least..9e15).contains(&x) {
            return Ok(x as u64);
        }
        let shown = if x.is_nan() { "missing".to_owned() } else { x.to_string() };
        Err(Error::input(format!("entry {} of {what} is {shown}, must be a whole number from {least}", i + 1)).into())
    };
    numbers(what, sexp)?.into_iter().enumerate().map(convert).collect()
}

/// The numbers of R's array of that shape, whose first index runs fastest, in the order in which the last one does.
pub fn row_major(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let [rows, inner @ ..] = shape else { return values.to_vec() };
    let size: usize = inner.iter().product();
    if size <= 1 || values.len() != rows * size {
        return values.to_vec();
    }
    // Where each column goes within a row.
    let place = |mut column: usize| {
        inner.iter().fold(0, |place, &length| {
            let index = column % length;
            column /= length;
            place * length + index
        })
    };
    let places: Vec<usize> = (0..size).map(place).collect();
    // In blocks of rows, so that what is written stays in the cache while columns are read.
    const BLOCK: usize = 64;
    let mut out = vec![0.0; values.len()];
    for (block, part) in out.chunks_mut(BLOCK * size).enumerate() {
        let (start, count) = (block * BLOCK, part.len() / size);
        for (k, &place) in places.iter().enumerate() {
            let column = &values[k * rows + start..][..count];
            for (i, &x) in column.iter().enumerate() {
                part[i * size + place] = x;
            }
        }
    }
    out
}

/// The inverse: numbers whose last index runs fastest, as R's array of that shape.
pub fn column_major(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    row_major(values, &reversed)
}

/// A numeric array of R; without dimensions a vector.
pub fn real(values: &[f64], dim: &[usize]) -> savvy::Result<Sexp> {
    let mut out = OwnedRealSexp::try_from_slice(values)?;
    if !dim.is_empty() {
        out.set_dim(dim)?;
    }
    Ok(out.into())
}

/// An integer array of R; numbers that R's integers cannot hold make it numeric.
pub fn integer(values: &[i64], dim: &[usize]) -> savvy::Result<Sexp> {
    // The least of R's integers means a missing value.
    let small: Option<Vec<i32>> = values.iter().map(|&x| i32::try_from(x).ok().filter(|&x| x != i32::MIN)).collect();
    let Some(small) = small else {
        return real(&values.iter().map(|&x| x as f64).collect::<Vec<_>>(), dim);
    };
    let mut out = OwnedIntegerSexp::try_from_slice(small)?;
    if !dim.is_empty() {
        out.set_dim(dim)?;
    }
    Ok(out.into())
}

/// Nothing.
pub fn null() -> Sexp {
    NullSexp.into()
}
