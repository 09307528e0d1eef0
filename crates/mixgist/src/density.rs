//! Densities on grids and at points: of one mixing measure, and of the posterior with pointwise bands.

pub mod compare;
pub mod grid;
pub mod posterior;

pub use compare::{SlicedW2, sliced_w2, total_variation};
pub use grid::{Axis, Bounds, DEFAULT_GRID_COUNT, Grid, Interval};
pub use posterior::{PosteriorDensity, posterior_density, posterior_density_on_grid};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::Index;
use crate::{Error, MixingMeasure, Mixture, Points, Progress, Result};

/// A density evaluated on a grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "DensityArrays", try_from = "DensityArrays")]
#[schemars(with = "DensityArrays")]
pub struct GridDensity {
    grid: Grid,
    values: Vec<f64>,
}

/// A density on a grid as documents hold it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridDensity")]
struct DensityArrays {
    /// The coordinates that it is of.
    #[schemars(with = "Vec<Index>")]
    coordinates: Vec<usize>,
    /// Positions of the grid on each axis.
    axes: Vec<Vec<f64>>,
    /// Values, the last axis running fastest.
    values: Vec<f64>,
}

impl From<GridDensity> for DensityArrays {
    fn from(density: GridDensity) -> Self {
        DensityArrays {
            coordinates: density.grid.coordinates(),
            axes: density.grid.axes().iter().map(Axis::positions).collect(),
            values: density.values,
        }
    }
}

impl TryFrom<DensityArrays> for GridDensity {
    type Error = Error;

    fn try_from(DensityArrays { coordinates, axes, values }: DensityArrays) -> Result<Self> {
        let axis = |(&coordinate, positions): (&usize, &Vec<f64>)| match (positions.first(), positions.last()) {
            (Some(&low), Some(&high)) => {
                Ok(Axis { coordinate, interval: Interval { low, high }, count: positions.len() })
            }
            _ => Err(Error::input("an axis of a grid is empty")),
        };
        if coordinates.len() != axes.len() {
            return Err(Error::input(format!("{} axes for {} coordinates", axes.len(), coordinates.len())));
        }
        GridDensity::new(Grid::new(coordinates.iter().zip(&axes).map(axis).collect::<Result<_>>()?)?, values)
    }
}

impl GridDensity {
    /// Checks that there is one finite, non-negative value for each grid point.
    pub fn new(grid: Grid, values: Vec<f64>) -> Result<Self> {
        if values.len() != grid.len() {
            return Err(Error::input(format!("{} density values for a grid of {} points", values.len(), grid.len())));
        }
        if let Some(i) = values.iter().position(|v| !(v.is_finite() && *v >= 0.0)) {
            return Err(Error::input(format!(
                "density at grid point {i} is {}, must be finite and not negative",
                values[i]
            )));
        }
        Ok(GridDensity { grid, values })
    }

    /// F of a mixing measure on a grid; a grid over some of the coordinates gets the marginal density.
    ///
    /// Cost O(K d²) a grid point, in parallel.
    pub fn of_measure(measure: &MixingMeasure, grid: &Grid, progress: &dyn Progress) -> Result<Self> {
        let mixture = Mixture::marginal(measure, &grid.coordinates())?;
        let positions = grid.points();
        let values = mixture.density(Points::new(grid.dim(), &positions)?, progress)?;
        Ok(GridDensity { grid: grid.clone(), values })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The density at each grid point, in the order of [`Grid::points`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values scaled to sum 1 on the grid; an error when all of them are zero.
    pub fn probabilities(&self) -> Result<Vec<f64>> {
        let total: f64 = self.values.iter().sum();
        if total <= 0.0 || !total.is_finite() {
            return Err(Error::input(format!("the density sums to {total} on the grid"))
                .hint("choose a grid that covers where the density is"));
        }
        Ok(self.values.iter().map(|v| v / total).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::mixture::tests::random_measure;

    #[test]
    fn a_density_integrates_to_one_over_a_wide_grid() {
        let measure = random_measure(2, 6, 3);
        let wide = Interval { low: -25.0, high: 25.0 };
        let grid = Bounds::new(vec![wide, wide]).unwrap().grid(&[0, 1], 501).unwrap();
        let density = GridDensity::of_measure(&measure, &grid, &Silent).unwrap();
        let integral: f64 = density.values().iter().sum::<f64>() * 0.1 * 0.1;
        assert!((integral - 1.0).abs() < 1e-6, "{integral}");
    }

    #[test]
    fn marginal_grids_integrate_the_other_coordinates_out() {
        let measure = random_measure(2, 4, 7);
        let wide = Interval { low: -40.0, high: 40.0 };
        let bounds = Bounds::new(vec![wide, wide]).unwrap();
        let joint = GridDensity::of_measure(&measure, &bounds.grid(&[0, 1], 801).unwrap(), &Silent).unwrap();
        let second = GridDensity::of_measure(&measure, &bounds.grid(&[1], 801).unwrap(), &Silent).unwrap();
        for j in (0..801).step_by(40) {
            let integral: f64 = (0..801).map(|i| joint.values()[i * 801 + j]).sum::<f64>() * 0.1;
            assert!((integral - second.values()[j]).abs() < 1e-6);
        }
    }

    #[test]
    fn bad_values_are_refused() {
        let grid = Bounds::new(vec![Interval { low: 0.0, high: 1.0 }]).unwrap().grid(&[0], 2).unwrap();
        let message = |values: &[f64]| GridDensity::new(grid.clone(), values.to_vec()).unwrap_err().to_string();
        assert_eq!(message(&[1.0]), "1 density values for a grid of 2 points");
        assert!(message(&[1.0, -1.0]).contains("grid point 1 is -1"));
        assert!(message(&[f64::NAN, 1.0]).contains("grid point 0 is NaN"));
        let empty = GridDensity::new(grid.clone(), vec![0.0, 0.0]).unwrap();
        assert_eq!(empty.probabilities().unwrap_err().to_string(), "the density sums to 0 on the grid");
    }
}
