//! Points of R^d at which something is evaluated: a checked view of an n × d array.

use std::ops::Range;

use crate::text;
use crate::text::index;
use crate::{Error, Result};

/// A view of n points of one dimension, row-major; every coordinate is finite.
///
/// The view remembers which row of the caller's array its first point is, so that a large array can be worked through piece
/// by piece: errors name the caller's row, and what is sampled for a row does not depend on the pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Points<'a> {
    dim: usize,
    values: &'a [f64],
    first_row: usize,
}

impl<'a> Points<'a> {
    /// Checks the shape and that every value is finite; an error names row and column. Cost O(n d).
    pub fn new(dim: usize, values: &'a [f64]) -> Result<Self> {
        Self::starting_at(0, dim, values)
    }

    /// As [`Points::new`], for a piece of a larger array that begins at its row `first_row`.
    pub fn starting_at(first_row: usize, dim: usize, values: &'a [f64]) -> Result<Self> {
        if dim == 0 {
            return Err(Error::input("points have dimension 0, must be at least 1"));
        }
        if !values.len().is_multiple_of(dim) {
            return Err(Error::input(format!("{} numbers do not make points of dimension {dim}", values.len())));
        }
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            let place = text!["data row ", index(first_row + i / dim), ", column ", index(i % dim)];
            return Err(Error::input(place.then(format!(" is {}", values[i])))
                .hint(text!["remove or impute missing values; rows and columns count from ", index(0)]));
        }
        Ok(Points { dim, values, first_row })
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of points n.
    pub fn len(&self) -> usize {
        self.values.len() / self.dim
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All coordinates, n × d.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// Point i of the view.
    pub fn point(&self, i: usize) -> &'a [f64] {
        &self.values[i * self.dim..(i + 1) * self.dim]
    }

    /// The row of the caller's array that the first point is.
    pub fn first_row(&self) -> usize {
        self.first_row
    }

    /// The points of a range of the view.
    pub fn rows(&self, range: Range<usize>) -> Points<'a> {
        Points {
            dim: self.dim,
            values: &self.values[range.start * self.dim..range.end * self.dim],
            first_row: self.first_row + range.start,
        }
    }

    /// Error unless the points have the dimension of `what`.
    pub(crate) fn expect_dim(&self, dim: usize, what: &str) -> Result<()> {
        if self.dim == dim {
            return Ok(());
        }
        Err(Error::input(format!("points have dimension {}, {what} dimension {dim}", self.dim)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_points_are_named_by_row_and_column() {
        let message = |first, dim, values: &[f64]| Points::starting_at(first, dim, values).unwrap_err().to_string();
        assert_eq!(message(0, 2, &[0.0, 1.0, f64::NAN, 1.0]), "data row 1, column 0 is NaN");
        assert_eq!(message(10, 2, &[0.0, 1.0, 1.0, f64::NEG_INFINITY]), "data row 11, column 1 is -inf");
        assert_eq!(message(0, 2, &[0.0]), "1 numbers do not make points of dimension 2");
        assert_eq!(message(0, 0, &[]), "points have dimension 0, must be at least 1");
        let points = Points::new(1, &[1.0]).unwrap();
        assert_eq!(
            points.expect_dim(2, "the mixing measure").unwrap_err().to_string(),
            "points have dimension 1, the mixing measure dimension 2"
        );
    }

    #[test]
    fn pieces_know_their_rows() {
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let piece = Points::new(2, &values).unwrap().rows(1..3);
        assert_eq!((piece.len(), piece.first_row(), piece.point(1)), (2, 1, &[4.0, 5.0][..]));
        assert_eq!(piece.rows(1..2).first_row(), 2);
    }
}
