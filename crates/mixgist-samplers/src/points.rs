//! The data: checked once, then held in coordinates where every column runs from −1 to 1.

use mixgist::text::index;
use mixgist::{Error, Points, Result, text};
use serde::{Deserialize, Serialize};

use crate::outline::Outline;

/// ScaledData are stored with this many spare lanes behind each column, so that a tile never reads past the end.
pub(crate) const LANES: usize = 32;

/// The scaled coordinates x = (y − center) / scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub center: Vec<f64>,
    pub scale: Vec<f64>,
}

impl Frame {
    /// Every column runs from −1 to 1. A constant column keeps the scale 1.
    pub(crate) fn new(outline: &Outline) -> Result<Self> {
        let dim = outline.dim();
        let mut frame = Frame { center: vec![0.0; dim], scale: vec![1.0; dim] };
        for j in 0..dim {
            let (low, high) = (outline.low[j], outline.high[j]);
            frame.center[j] = low / 2.0 + high / 2.0;
            let half = high / 2.0 - low / 2.0;
            if half > 0.0 {
                frame.scale[j] = half;
            }
            if !(frame.scale[j] * frame.scale[j]).is_normal() {
                return Err(Error::input(text![
                    "column ",
                    index(j),
                    format!(" runs from {low:e} to {high:e}, out of the range of squares")
                ])
                .hint("choose another unit for this column"));
            }
        }
        Ok(frame)
    }

    /// Dimension d.
    pub(crate) fn dim(&self) -> usize {
        self.center.len()
    }

    /// A value of column j in the scaled coordinates.
    pub(crate) fn scaled_value(&self, j: usize, y: f64) -> f64 {
        (y - self.center[j]) / self.scale[j]
    }

    /// log |∂x/∂y| of one point: a density of y is the density of x times this.
    pub(crate) fn log_jacobian(&self) -> f64 {
        -self.scale.iter().map(|s| s.ln()).sum::<f64>()
    }
}

/// n points of dimension d, by rows and by columns, in scaled coordinates.
#[derive(Debug, Clone)]
pub(crate) struct ScaledData {
    n: usize,
    rows: Vec<f64>,
    columns: Vec<f64>,
    pub frame: Frame,
}

impl ScaledData {
    /// Checks n × dim values, row-major, and scales them.
    pub(crate) fn new(values: &[f64], dim: usize) -> Result<Self> {
        check(values, dim)?;
        Ok(Self::scaled(values, Frame::new(&Outline::of(values, dim))?))
    }

    /// The given values in given coordinates.
    pub(crate) fn scaled(values: &[f64], frame: Frame) -> Self {
        let mut points = Self::empty(values.len() / frame.dim(), frame);
        points.replace(values);
        points
    }

    fn empty(n: usize, frame: Frame) -> Self {
        let dim = frame.dim();
        ScaledData { n, rows: vec![0.0; n * dim], columns: vec![0.0; dim * (n + LANES)], frame }
    }

    /// Other values in the same coordinates; as many as before.
    pub(crate) fn replace(&mut self, values: &[f64]) {
        for (i, row) in values.chunks_exact(self.dim()).enumerate() {
            for (j, &y) in row.iter().enumerate() {
                self.set(i, j, self.frame.scaled_value(j, y));
            }
        }
    }

    /// Points whose coordinates are scaled already.
    pub(crate) fn of_rows(rows: &[f64], frame: Frame) -> Self {
        let mut points = Self::empty(rows.len() / frame.dim(), frame);
        for (i, row) in rows.chunks_exact(points.dim()).enumerate() {
            row.iter().enumerate().for_each(|(j, &x)| points.set(i, j, x));
        }
        points
    }

    fn set(&mut self, i: usize, j: usize, x: f64) {
        let (n, dim) = (self.n, self.dim());
        self.rows[i * dim + j] = x;
        self.columns[j * (n + LANES) + i] = x;
    }

    /// Number of points n.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Dimension d.
    pub(crate) fn dim(&self) -> usize {
        self.frame.dim()
    }

    /// Point i.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.dim()..(i + 1) * self.dim()]
    }

    /// Coordinate j of the points from `start` on, `LANES` of them; zeros stand behind the last.
    pub(crate) fn lanes(&self, j: usize, start: usize) -> &[f64; LANES] {
        let begin = j * (self.n + LANES) + start;
        self.columns[begin..begin + LANES].try_into().expect("spare lanes stand behind each column")
    }
}

fn check(values: &[f64], dim: usize) -> Result<()> {
    check_number(Points::new(dim, values)?.len())
}

/// Refuses no points, and more than can be numbered.
pub(crate) fn check_number(points: usize) -> Result<()> {
    if points == 0 {
        return Err(Error::input("the data have no rows"));
    }
    if points >= u32::MAX as usize {
        return Err(Error::resource(format!("{points} rows, at most 2^32 − 2 are possible")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_columns_run_from_minus_one_to_one() {
        let points = ScaledData::new(&[1.0, 5.0, 3.0, 5.0, 2.0, 5.0], 2).unwrap();
        assert_eq!(points.row(0), [-1.0, 0.0]);
        assert_eq!(points.row(1), [1.0, 0.0]);
        assert_eq!(points.lanes(0, 1)[..3], [1.0, 0.0, 0.0]);
        assert_eq!(points.frame.scale, [1.0, 1.0]);
    }

    #[test]
    fn bad_values_are_named() {
        let message = |values: &[f64], dim| ScaledData::new(values, dim).unwrap_err().to_string();
        assert!(message(&[1.0, 2.0, 3.0, f64::NAN], 2).contains("data row 1, column 1 is NaN"));
        assert!(message(&[f64::INFINITY], 1).contains("data row 0, column 0 is inf"));
        assert!(message(&[1.0, 2.0, 3.0], 2).contains("3 numbers do not make points of dimension 2"));
        assert!(message(&[], 2).contains("no rows"));
        assert!(message(&[1e200, -1e200], 1).contains("out of the range of squares"));
        assert!(message(&[1e-200, -1e-200], 1).contains("out of the range of squares"));
    }
}
