//! The data: checked once, then held in coordinates where every column runs from −1 to 1.

use mixgist::text::index;
use mixgist::{Error, Points, Result, text};

/// ScaledData are stored with this many spare lanes behind each column, so that a tile never reads past the end.
pub(crate) const LANES: usize = 32;

/// n points of dimension d, by rows and by columns, in scaled coordinates x = (y − center) / scale.
#[derive(Debug, Clone)]
pub(crate) struct ScaledData {
    n: usize,
    dim: usize,
    rows: Vec<f64>,
    columns: Vec<f64>,
    pub center: Vec<f64>,
    pub scale: Vec<f64>,
}

impl ScaledData {
    /// Checks n × dim values, row-major, and scales them. A constant column keeps the scale 1.
    pub(crate) fn new(values: &[f64], dim: usize) -> Result<Self> {
        check(values, dim)?;
        let (mut center, mut scale) = (vec![0.0; dim], vec![1.0; dim]);
        for j in 0..dim {
            let column = || values.iter().skip(j).step_by(dim).copied();
            let (low, high) = (column().fold(f64::INFINITY, f64::min), column().fold(f64::NEG_INFINITY, f64::max));
            center[j] = low / 2.0 + high / 2.0;
            let half = high / 2.0 - low / 2.0;
            if half > 0.0 {
                scale[j] = half;
            }
            if !(scale[j] * scale[j]).is_normal() {
                return Err(Error::input(text![
                    "column ",
                    index(j),
                    format!(" runs from {low:e} to {high:e}, out of the range of squares")
                ])
                .hint("choose another unit for this column"));
            }
        }
        Ok(Self::scaled(values, dim, center, scale))
    }

    /// The given values in given coordinates.
    pub(crate) fn scaled(values: &[f64], dim: usize, center: Vec<f64>, scale: Vec<f64>) -> Self {
        let n = values.len() / dim;
        let mut points =
            ScaledData { n, dim, rows: vec![0.0; n * dim], columns: vec![0.0; dim * (n + LANES)], center, scale };
        points.replace(values);
        points
    }

    /// Other values in the same coordinates; as many as before.
    pub(crate) fn replace(&mut self, values: &[f64]) {
        for (i, row) in values.chunks_exact(self.dim).enumerate() {
            for j in 0..self.dim {
                let x = self.scaled_value(j, row[j]);
                self.rows[i * self.dim + j] = x;
                self.columns[j * (self.n + LANES) + i] = x;
            }
        }
    }

    /// Some of the points, in the same coordinates.
    pub(crate) fn subset(&self, indices: &[usize]) -> Self {
        let (n, dim) = (indices.len(), self.dim);
        let mut columns = vec![0.0; dim * (n + LANES)];
        for (place, &i) in indices.iter().enumerate() {
            (0..dim).for_each(|j| columns[j * (n + LANES) + place] = self.row(i)[j]);
        }
        let rows = indices.iter().flat_map(|&i| self.row(i)).copied().collect();
        ScaledData { n, dim, rows, columns, center: self.center.clone(), scale: self.scale.clone() }
    }

    /// A value of column j in the scaled coordinates.
    pub(crate) fn scaled_value(&self, j: usize, y: f64) -> f64 {
        (y - self.center[j]) / self.scale[j]
    }

    /// Number of points n.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Dimension d.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Point i.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.dim..(i + 1) * self.dim]
    }

    /// Coordinate j of the points from `start` on, `LANES` of them; zeros stand behind the last.
    pub(crate) fn lanes(&self, j: usize, start: usize) -> &[f64; LANES] {
        let begin = j * (self.n + LANES) + start;
        self.columns[begin..begin + LANES].try_into().expect("spare lanes stand behind each column")
    }

    /// log |∂x/∂y| of one point: a density of y is the density of x times this.
    pub(crate) fn log_jacobian(&self) -> f64 {
        -self.scale.iter().map(|s| s.ln()).sum::<f64>()
    }
}

fn check(values: &[f64], dim: usize) -> Result<()> {
    let points = Points::new(dim, values)?;
    if points.is_empty() {
        return Err(Error::input("the data have no rows"));
    }
    if points.len() >= u32::MAX as usize {
        return Err(Error::resource(format!("{} rows, at most 2^32 − 2 are possible", points.len())));
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
        assert_eq!(points.scale, [1.0, 1.0]);
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
