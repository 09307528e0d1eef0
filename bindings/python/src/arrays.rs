//! NumPy arrays in and out.

use mixgist::Error;
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use crate::error::Result;

/// An array that the package has made contiguous.
pub type Input<'py, T> = PyReadonlyArrayDyn<'py, T>;

/// The numbers of an array, row-major.
pub fn values<'a, T: Element>(array: &'a Input<'_, T>) -> Result<&'a [T]> {
    Ok(array.as_slice().map_err(|cause| Error::input(format!("array is not contiguous: {cause}")))?)
}

/// Non-negative integers.
pub fn counts<T: TryFrom<i64>>(name: &str, array: &Input<'_, i64>) -> Result<Vec<T>> {
    let convert = |(i, &x): (usize, &i64)| {
        T::try_from(x).map_err(|_| Error::input(format!("entry {i} of {name} is {x}, which is out of range")))
    };
    Ok(values(array)?.iter().enumerate().map(convert).collect::<mixgist::Result<_>>()?)
}

/// A new array of that shape, which takes over the memory of `values`.
pub fn output<T: Element>(py: Python<'_>, values: Vec<T>, shape: impl Into<Vec<usize>>) -> Bound<'_, PyArrayDyn<T>> {
    PyArray1::from_vec(py, values).reshape(shape.into()).expect("the shape has as many entries as there are values")
}
