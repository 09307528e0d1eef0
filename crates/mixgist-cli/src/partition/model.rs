//! The conjugate normal model under which a partition implies a density, and that density on a grid.

use std::path::Path;

use clap::Args;
use mixgist::density::{Bounds, DEFAULT_GRID_COUNT, Grid};
use mixgist::partition::{DirichletNormalModel, NormalInverseWishart};
use mixgist::{Partition, Points, Result};
use mixgist_io::{Cell, DataTable, Overwrite, write_table};
use mixgist_samplers::{Algorithm, Concentration, CovarianceModel, FitSettings, Hyperparameters};

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

    /// Grid points an axis
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GRID_COUNT as u32,
          value_parser = clap::value_parser!(u32).range(2..=5000))]
    pub grid: u32,
}

impl ModelArgs {
    /// The model for these data.
    pub fn resolve(&self, data: &DataTable) -> Result<DirichletNormalModel> {
        normal_model(&self.hyperparameters(data)?, self.alpha)
    }

    fn hyperparameters(&self, data: &DataTable) -> Result<Hyperparameters> {
        let settings = FitSettings {
            concentration: Concentration::Fixed(self.alpha),
            component: self.component.prior(CovarianceModel::Full)?,
            algorithm: Algorithm::Marginal,
            ..FitSettings::default()
        };
        Hyperparameters::resolve(data.values(), data.columns(), &settings)
    }
}

fn normal_model(prior: &Hyperparameters, alpha: f64) -> Result<DirichletNormalModel> {
    let component = NormalInverseWishart::new(prior.mu0.clone(), prior.lambda, prior.psi.clone(), prior.nu)?;
    DirichletNormalModel::new(component, alpha)
}

/// The model of coordinate j alone: Σ_jj ~ IW(ν − d + 1, Ψ_jj), so that its predictive densities are the marginals of the joint ones.
fn marginal(prior: &Hyperparameters, j: usize) -> Hyperparameters {
    let d = prior.dim;
    Hyperparameters {
        dim: 1,
        mu0: vec![prior.mu0[j]],
        psi: vec![prior.psi[j * d + j]],
        nu: prior.nu - (d - 1) as f64,
        ..prior.clone()
    }
}

/// The density that a partition of the data implies, E[F | partition, data].
pub struct PartitionDensity {
    data: DataTable,
    hyperparameters: Hyperparameters,
    alpha: f64,
    model: DirichletNormalModel,
    grids: Vec<Grid>,
}

impl PartitionDensity {
    /// Checks the model against the data; grids over the data, marginal ones when d > 2.
    pub fn new(args: &ModelArgs, data: DataTable) -> Result<Self> {
        let hyperparameters = args.hyperparameters(&data)?;
        let model = normal_model(&hyperparameters, args.alpha)?;
        let bounds = Bounds::of_points(Points::new(data.columns(), data.values())?)?;
        let count = args.grid as usize;
        let grids = match data.columns() {
            1 => vec![bounds.grid(&[0], count)?],
            2 => vec![bounds.grid(&[0, 1], count)?],
            _ => bounds.marginal_grids(count)?,
        };
        Ok(PartitionDensity { data, hyperparameters, alpha: args.alpha, model, grids })
    }

    /// The density of this partition.
    pub fn evaluate(self, partition: &Partition) -> Result<EvaluatedDensity> {
        let d = self.data.columns();
        let on_grid = |grid: &Grid| {
            let log_density = if d > 2 {
                let j = grid.coordinates()[0];
                let column: Vec<f64> = self.data.values().iter().skip(j).step_by(d).copied().collect();
                let model = normal_model(&marginal(&self.hyperparameters, j), self.alpha)?;
                model.expected_density(partition, &column)?.log_density(&grid.points())?
            } else {
                self.model.expected_density(partition, self.data.values())?.log_density(&grid.points())?
            };
            Ok(log_density.into_iter().map(f64::exp).collect())
        };
        let values = self.grids.iter().map(on_grid).collect::<Result<_>>()?;
        let names = match self.data.column_names() {
            Some(names) => names.to_vec(),
            None => (1..=d).map(|a| format!("x{a}")).collect(),
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
