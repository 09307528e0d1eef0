//! Arrays as they come out of a file, before anything is known of what they mean.

use mixgist::slice::Array;
use mixgist::{Error, Labels, Result};

/// An array of any type that can be read, values row-major.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawArray {
    pub shape: Vec<usize>,
    pub values: Values,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    Float(Vec<f64>),
    Integer(Labels),
    /// Some of them beyond 63 bits.
    Unsigned(Vec<u64>),
    Text(Vec<String>),
}

/// Checks that there are as many values as the shape says.
pub(crate) fn check_shape(array: &Array) -> Result<()> {
    if array.shape.iter().try_fold(1usize, |size, &axis| size.checked_mul(axis)) == Some(array.values.len()) {
        return Ok(());
    }
    Err(Error::input(format!("{} values for an array of shape {}", array.values.len(), shape_text(&array.shape))))
}

impl RawArray {
    /// The values as f64; integers beyond 2⁵³ are rounded to the nearest f64.
    pub fn into_numeric(self, name: &str) -> Result<Array> {
        let values = match self.values {
            Values::Float(values) => values,
            Values::Integer(values) => values.iter().map(|x| x as f64).collect(),
            Values::Unsigned(values) => values.into_iter().map(|x| x as f64).collect(),
            Values::Text(_) => return Err(Error::input(format!("array '{name}' holds text, expected numbers"))),
        };
        Ok(Array { shape: self.shape, values })
    }

    /// The values as non-negative integers, such as offsets or iteration numbers.
    pub fn into_counts(self, name: &str) -> Result<Vec<u64>> {
        let bad = |at: usize, value: &dyn std::fmt::Display| {
            Error::input(format!("entry {at} of array '{name}' is {value}, expected an integer that is not negative"))
        };
        match self.values {
            Values::Unsigned(values) => Ok(values),
            Values::Integer(values) => {
                values.iter().enumerate().map(|(at, x)| u64::try_from(x).map_err(|_| bad(at, &x))).collect()
            }
            Values::Float(values) => values
                .iter()
                .enumerate()
                .map(|(at, &x)| integer(x).and_then(|x| u64::try_from(x).ok()).ok_or_else(|| bad(at, &x)))
                .collect(),
            Values::Text(_) => Err(Error::input(format!("array '{name}' holds text, expected integers"))),
        }
    }
}

/// The integer that a float stands for exactly, if it does.
pub(crate) fn integer(x: f64) -> Option<i64> {
    (x.fract() == 0.0 && x.abs() < 2f64.powi(63)).then_some(x as i64)
}

/// The shape as numpy prints it; of very many axes the first.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    const MOST: usize = 16;
    let axes: Vec<String> = shape.iter().take(MOST).map(usize::to_string).collect();
    match shape.len() {
        1 => format!("({},)", axes[0]),
        0..=MOST => format!("({})", axes.join(", ")),
        count => format!("({}, … {count} axes)", axes.join(", ")),
    }
}

/// Reorders column-major values (first axis fastest) to row-major.
pub(crate) fn row_major<T: Clone>(values: &[T], shape: &[usize]) -> Vec<T> {
    let mut steps = Vec::with_capacity(shape.len());
    let mut step = 1;
    for &axis in shape {
        steps.push(step);
        step *= axis;
    }
    let mut index = vec![0; shape.len()];
    let mut at = 0;
    let mut out = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        out.push(values[at].clone());
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += steps[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= steps[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_major_is_reordered() {
        // The value at (i, j, k) is 100 i + 10 j + k, stored with i fastest.
        let shape = [2, 3, 4];
        let (mut column_major, mut expected) = (Vec::new(), Vec::new());
        for k in 0..4 {
            for j in 0..3 {
                for i in 0..2 {
                    column_major.push(100 * i + 10 * j + k);
                }
            }
        }
        for i in 0..2 {
            for j in 0..3 {
                for k in 0..4 {
                    expected.push(100 * i + 10 * j + k);
                }
            }
        }
        assert_eq!(row_major(&column_major, &shape), expected);
        assert_eq!(row_major(&[7], &[]), [7]);
        assert!(row_major::<i32>(&[], &[3, 0]).is_empty());
    }

    #[test]
    fn integers_are_exact_or_refused() {
        assert_eq!(integer(-3.0), Some(-3));
        assert_eq!(integer(9.223372036854775e18), Some(9223372036854774784));
        for x in [0.5, f64::NAN, f64::INFINITY, 9.3e18] {
            assert_eq!(integer(x), None);
        }
    }

    #[test]
    fn the_number_of_values_must_fit_the_shape() {
        assert!(check_shape(&Array { shape: vec![2, 2], values: vec![0.0; 4] }).is_ok());
        let error = check_shape(&Array { shape: vec![2, 2], values: vec![0.0; 3] }).unwrap_err();
        assert_eq!(error.to_string(), "3 values for an array of shape (2, 2)");
        assert!(check_shape(&Array { shape: vec![usize::MAX, 3], values: vec![] }).is_err());
    }

    #[test]
    fn shapes_print_as_in_numpy() {
        assert_eq!(shape_text(&[]), "()");
        assert_eq!(shape_text(&[3]), "(3,)");
        assert_eq!(shape_text(&[3, 4]), "(3, 4)");
    }
}
