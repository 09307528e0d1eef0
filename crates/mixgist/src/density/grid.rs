//! Regular grids over some coordinates, and the bounds they are made from.

use crate::{Error, MixingMeasure, Points, Result};

/// Grid points on each axis unless told otherwise.
pub const DEFAULT_GRID_COUNT: usize = 100;
/// More grid points than this are refused: a finer grid shows nothing more and fills the memory.
const MOST_POINTS: usize = 100_000_000;

/// An interval of the line, low < high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The interval of every coordinate that grids span.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    intervals: Vec<Interval>,
}

impl Bounds {
    /// Given intervals, one per coordinate: finite, low below high.
    pub fn new(intervals: Vec<Interval>) -> Result<Self> {
        if intervals.is_empty() {
            return Err(Error::usage("bounds have no coordinates"));
        }
        for (a, Interval { low, high }) in intervals.iter().enumerate() {
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err(Error::usage(format!(
                    "bounds of coordinate {a} are {low} and {high}, must be finite and ascending"
                )));
            }
        }
        Ok(Bounds { intervals })
    }

    /// (min y − 1, max y + 1) of every coordinate; the margin grows with values so large that 1 is lost in rounding.
    pub fn of_points(points: Points) -> Result<Self> {
        if points.is_empty() {
            return Err(Error::input("there are no data points to take bounds from"));
        }
        let mut intervals = vec![Interval { low: f64::INFINITY, high: f64::NEG_INFINITY }; points.dim()];
        for point in points.values().chunks_exact(points.dim()) {
            for (interval, &y) in intervals.iter_mut().zip(point) {
                interval.low = interval.low.min(y);
                interval.high = interval.high.max(y);
            }
        }
        for interval in &mut intervals {
            let margin = 1f64.max(1e-9 * interval.low.abs().max(interval.high.abs()));
            interval.low -= margin;
            interval.high += margin;
        }
        Self::new(intervals)
    }

    /// Without data, from the measure itself: the hull of μ ± 3σ over its atoms, leaving out the lightest ones that together
    /// weigh at most 1 % (they are often draws from the prior, far wider than anything one wants to see).
    pub fn of_measure(measure: &MixingMeasure) -> Result<Self> {
        let weights = measure.weights();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]));
        let mut left_out = 0.0;
        let light = order.iter().take_while(|&&k| {
            left_out += weights[k];
            left_out <= 0.01
        });
        let first = light.count();
        let (atoms, d) = (measure.atoms(), measure.dim());
        let mut intervals = vec![Interval { low: f64::INFINITY, high: f64::NEG_INFINITY }; d];
        for &k in &order[first..] {
            for (a, interval) in intervals.iter_mut().enumerate() {
                let (mean, reach) = (atoms.mean(k)[a], 3.0 * atoms.covariance(k)[a * d + a].sqrt());
                interval.low = interval.low.min(mean - reach);
                interval.high = interval.high.max(mean + reach);
            }
        }
        Self::new(intervals)
    }

    /// Number of coordinates.
    pub fn dim(&self) -> usize {
        self.intervals.len()
    }

    /// The interval of every coordinate.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// The regular grid over some coordinates with `count` points per axis.
    pub fn grid(&self, coordinates: &[usize], count: usize) -> Result<Grid> {
        let axis = |&coordinate: &usize| match self.intervals.get(coordinate) {
            Some(&interval) => Ok(Axis { coordinate, interval, count }),
            None => Err(Error::usage(format!("coordinate {coordinate} was chosen, the bounds have {}", self.dim()))
                .hint("coordinates count from 0")),
        };
        Grid::new(coordinates.iter().map(axis).collect::<Result<_>>()?)
    }

    /// One grid for each coordinate.
    pub fn marginal_grids(&self, count: usize) -> Result<Vec<Grid>> {
        (0..self.dim()).map(|a| self.grid(&[a], count)).collect()
    }

    /// One grid for each pair of coordinates, (0, 1), (0, 2), …, (1, 2), …; in dimension 2 this is the full grid.
    pub fn pairwise_grids(&self, count: usize) -> Result<Vec<Grid>> {
        let pairs = (0..self.dim()).flat_map(|a| (a + 1..self.dim()).map(move |b| [a, b]));
        pairs.map(|pair| self.grid(&pair, count)).collect()
    }
}

/// One axis of a grid: `count` equidistant positions, both ends included, of one coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Which coordinate of the points.
    pub coordinate: usize,
    /// From where to where.
    pub interval: Interval,
    /// Number of positions, at least 2.
    pub count: usize,
}

impl Axis {
    /// The positions, ascending; the last is exactly the upper end.
    pub fn positions(&self) -> Vec<f64> {
        let Interval { low, high } = self.interval;
        let last = self.count - 1;
        (0..last).map(|i| low + (high - low) * (i as f64 / last as f64)).chain([high]).collect()
    }
}

/// The product of one or more axes; the last axis runs fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    axes: Vec<Axis>,
}

impl Grid {
    /// Checks the axes: at least 2 points each, finite ascending ends, no coordinate twice, not absurdly many points.
    pub fn new(axes: Vec<Axis>) -> Result<Self> {
        if axes.is_empty() {
            return Err(Error::usage("a grid needs at least one coordinate"));
        }
        let mut size = 1usize;
        for (i, axis) in axes.iter().enumerate() {
            Bounds::new(vec![axis.interval])?;
            if !(axis.interval.high - axis.interval.low).is_finite() {
                return Err(Error::usage(format!(
                    "the grid over coordinate {} is wider than a number can hold",
                    axis.coordinate
                )));
            }
            if axis.count < 2 {
                return Err(Error::usage(format!("{} grid points on an axis, must be at least 2", axis.count)));
            }
            if axes[..i].iter().any(|other| other.coordinate == axis.coordinate) {
                return Err(Error::usage(format!("coordinate {} was chosen twice", axis.coordinate)));
            }
            size = size.saturating_mul(axis.count);
        }
        if size > MOST_POINTS {
            return Err(Error::resource(format!(
                "the grid would have {size} points, at most {MOST_POINTS} are sensible"
            ))
            .hint("use fewer points per axis, or grids over pairs of coordinates"));
        }
        Ok(Grid { axes })
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Number of axes.
    pub fn dim(&self) -> usize {
        self.axes.len()
    }

    /// The coordinate of each axis.
    pub fn coordinates(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.coordinate).collect()
    }

    /// Number of grid points.
    pub fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product()
    }

    /// Never: a grid has at least two points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All grid points, len × dim, the last axis fastest.
    pub fn points(&self) -> Vec<f64> {
        let positions: Vec<Vec<f64>> = self.axes.iter().map(Axis::positions).collect();
        let mut points = vec![0.0; self.len() * self.dim()];
        for (i, point) in points.chunks_exact_mut(self.dim()).enumerate() {
            let mut rest = i;
            for (x, positions) in point.iter_mut().zip(&positions).rev() {
                *x = positions[rest % positions.len()];
                rest /= positions.len();
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GaussianAtoms;

    #[test]
    fn the_last_axis_runs_fastest_and_ends_are_exact() {
        let bounds = Bounds::of_points(Points::new(2, &[0.0, 10.0, 1.0, 10.0]).unwrap()).unwrap();
        assert_eq!(bounds.intervals(), [Interval { low: -1.0, high: 2.0 }, Interval { low: 9.0, high: 11.0 }]);
        let grid = bounds.grid(&[0, 1], 3).unwrap();
        assert_eq!(grid.points()[..8], [-1.0, 9.0, -1.0, 10.0, -1.0, 11.0, 0.5, 9.0]);
        assert_eq!(grid.points()[16..], [2.0, 11.0]);
        assert_eq!(bounds.grid(&[1, 0], 3).unwrap().points()[..4], [9.0, -1.0, 9.0, 0.5]);
        assert_eq!(grid.len(), 9);
    }

    #[test]
    fn three_coordinates_have_three_marginals_and_three_pairs() {
        let bounds = Bounds::new(vec![Interval { low: 0.0, high: 1.0 }; 3]).unwrap();
        let coordinates = |grids: Vec<Grid>| grids.iter().map(Grid::coordinates).collect::<Vec<_>>();
        assert_eq!(coordinates(bounds.marginal_grids(5).unwrap()), [[0], [1], [2]]);
        assert_eq!(coordinates(bounds.pairwise_grids(5).unwrap()), [[0, 1], [0, 2], [1, 2]]);
    }

    #[test]
    fn bounds_of_a_measure_ignore_the_lightest_hundredth() {
        let atoms = GaussianAtoms::new(1, vec![0.0, 10.0, 500.0], vec![1.0, 4.0, 1e6], Default::default()).unwrap();
        let measure = MixingMeasure::new(vec![0.5, 0.495, 0.005], atoms).unwrap();
        assert_eq!(Bounds::of_measure(&measure).unwrap().intervals(), [Interval { low: -3.0, high: 16.0 }]);
    }

    #[test]
    fn huge_equal_values_still_give_a_grid() {
        let bounds = Bounds::of_points(Points::new(1, &[1e20, 1e20]).unwrap()).unwrap();
        assert!(bounds.intervals()[0].low < bounds.intervals()[0].high);
    }

    #[test]
    fn senseless_grids_are_refused() {
        let bounds = Bounds::new(vec![Interval { low: 0.0, high: 1.0 }; 2]).unwrap();
        let message = |coordinates: &[usize], count| bounds.grid(coordinates, count).unwrap_err().to_string();
        assert_eq!(message(&[0], 1), "1 grid points on an axis, must be at least 2");
        assert_eq!(message(&[2], 9), "coordinate 2 was chosen, the bounds have 2");
        assert_eq!(message(&[0, 0], 9), "coordinate 0 was chosen twice");
        assert_eq!(message(&[], 9), "a grid needs at least one coordinate");
        assert!(message(&[0, 1], 1_000_000).contains("at most 100000000"));
        assert!(message(&[0, 1], usize::MAX).contains("at most 100000000"));
        let reversed = Bounds::new(vec![Interval { low: 1.0, high: 0.0 }]).unwrap_err();
        assert_eq!(reversed.to_string(), "bounds of coordinate 0 are 1 and 0, must be finite and ascending");
        assert!(Bounds::new(vec![Interval { low: f64::NAN, high: 0.0 }]).is_err());
        assert!(Bounds::of_points(Points::new(1, &[]).unwrap()).unwrap_err().to_string().contains("no data points"));
        let wide = Bounds::new(vec![Interval { low: f64::MIN, high: f64::MAX }]).unwrap();
        assert!(wide.grid(&[0], 5).unwrap_err().to_string().contains("wider than a number can hold"));
    }
}
