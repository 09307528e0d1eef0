//! The conjugate normal model under which a partition implies a density, and that density on a grid.

use std::path::Path;

use clap::Args;
use mixgist::density::{Bounds, DEFAULT_GRID_COUNT, Grid};
use mixgist::{Partition, Points, Result};
use mixgist_io::{Cell, DataTable, Overwrite, write_table};
use mixgist_samplers::{Algorithm, Concentration, CovarianceModel, FitSettings, Hyperparameters, ImpliedModel};

use crate::component_prior::ComponentArgs;

/// The hyperparameters.
#[derive(Args)]
#[command(next_help_heading = "Model of the density")]
pub struct ModelArgs {
    /// Concentration of the Dirichlet process
    #[arg(long, value_name = "ALPHA", default_value_t = 1.0, allow_negative_numbers = true)]
    alpha: f64,

    #[command(flatten)]
    component: ComponentArgs,

    /// Grid points per axis
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GRID_COUNT as u32,
          value_parser = clap::value_parser!(u32).range(2..=5000))]
    pub grid: u32,
}

impl ModelArgs {
    /// The model for these data.
    pub fn resolve(&self, data: &DataTable) -> Result<ImpliedModel> {
        ImpliedModel::new(data.values(), self.hyperparameters(data)?)
    }

    fn hyperparameters(&self, data: &DataTable) -> Result<Hyperparameters> {
        let settings = FitSettings::default()
            .with_concentration(Concentration::Fixed(self.alpha))
            .with_component(self.component.prior(CovarianceModel::Full)?)
            .with_algorithm(Algorithm::Marginal);
        Hyperparameters::resolve(data.values(), data.columns(), &settings)
    }
}

/// The density that a partition of the data implies, E[F | partition, data].
pub struct PartitionDensity {
    data: DataTable,
    /// One model for each grid.
    models: Vec<ImpliedModel>,
    grids: Vec<Grid>,
}

impl PartitionDensity {
    /// Checks the model against the data; grids over the data, marginal ones when d > 2.
    pub fn new(args: &ModelArgs, data: DataTable) -> Result<Self> {
        let joint = args.hyperparameters(&data)?;
        let bounds = Bounds::of_points(Points::new(data.columns(), data.values())?)?;
        let (d, count) = (data.columns(), args.grid as usize);
        let of_column = |j: usize| {
            let column: Vec<f64> = data.values().iter().skip(j).step_by(d).copied().collect();
            ImpliedModel::new(&column, joint.marginal(j))
        };
        let (grids, models) = if d <= 2 {
            let axes: Vec<usize> = (0..d).collect();
            (vec![bounds.grid(&axes, count)?], vec![ImpliedModel::new(data.values(), joint)?])
        } else {
            (bounds.marginal_grids(count)?, (0..d).map(of_column).collect::<Result<_>>()?)
        };
        Ok(PartitionDensity { data, models, grids })
    }

    /// The density of this partition.
    pub fn evaluate(self, partition: &Partition) -> Result<EvaluatedDensity> {
        let on_grid = |(grid, model): (&Grid, &ImpliedModel)| {
            let log_density = model.expected_density(partition)?.log_density(&grid.points())?;
            Ok(log_density.into_iter().map(f64::exp).collect())
        };
        let values = self.grids.iter().zip(&self.models).map(on_grid).collect::<Result<_>>()?;
        let names = match self.data.column_names() {
            Some(names) => names.to_vec(),
            None => (1..=self.data.columns()).map(|a| format!("x{a}")).collect(),
        };
        Ok(EvaluatedDensity { names, grids: self.grids, values })
    }
}

/// The density on its grids.
pub struct EvaluatedDensity {
    names: Vec<String>,
    grids: Vec<Grid>,
    values: Vec<Vec<f64>>,
}

impl EvaluatedDensity {
    /// Writes a row a grid point.
    pub fn write(&self, path: &Path, overwrite: Overwrite) -> Result<()> {
        let marginals = self.names.len() > 2;
        let mut header: Vec<&str> =
            if marginals { vec!["coordinate", "position"] } else { self.names.iter().map(String::as_str).collect() };
        header.push("density");
        write_table(path, &header, overwrite, |table| {
            for (grid, values) in self.grids.iter().zip(&self.values) {
                let coordinate = marginals.then(|| Cell::Text(&self.names[grid.coordinates()[0]]));
                for (position, &value) in grid.points().chunks_exact(grid.dim()).zip(values) {
                    let mut row: Vec<Cell> = coordinate.into_iter().collect();
                    row.extend(position.iter().map(|&x| Cell::Number(x)));
                    row.push(Cell::Number(value));
                    table.push(&row)?;
                }
            }
            Ok(())
        })
    }
}
