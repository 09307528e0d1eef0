//! The conjugate normal model under which a partition implies a density, and that density on a grid.

use std::path::Path;

use clap::Args;
use mixgist::density::{Bounds, DEFAULT_GRID_COUNT, Grid};
use mixgist::partition::{DirichletNormalModel, NormalInverseWishart};
use mixgist::{Error, Partition, Points, Result};
use mixgist_io::{Cell, DataTable, Overwrite, write_table};

/// The hyperparameters.
#[derive(Args)]
#[command(next_help_heading = "Model of the density")]
pub struct ModelArgs {
    /// Concentration of the Dirichlet process
    #[arg(long, value_name = "ALPHA", default_value_t = 1.0)]
    alpha: f64,

    /// Prior mean, one number a column [default: the mean of the data]
    #[arg(long, value_name = "X,…", allow_hyphen_values = true)]
    mu0: Option<String>,

    /// Prior strength of mu0, in observations
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    lambda: f64,

    /// Prior scale of the covariances: a diagonal (1,2) or rows of a matrix (1,0;0,2) [default: a quarter of the variances]
    #[arg(long, value_name = "X,…", allow_hyphen_values = true)]
    psi: Option<String>,

    /// Prior degrees of freedom [default: dimension + 2]
    #[arg(long, value_name = "X")]
    nu: Option<f64>,

    /// Grid points an axis
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GRID_COUNT as u32,
          value_parser = clap::value_parser!(u32).range(2..=5000))]
    pub grid: u32,
}

impl ModelArgs {
    /// The model for these data.
    pub fn resolve(&self, data: &DataTable) -> Result<DirichletNormalModel> {
        Hyperparameters::new(self, data)?.model()
    }
}

struct Hyperparameters {
    alpha: f64,
    mu0: Vec<f64>,
    lambda: f64,
    psi: Vec<f64>,
    nu: f64,
}

impl Hyperparameters {
    fn new(args: &ModelArgs, data: &DataTable) -> Result<Self> {
        let d = data.columns();
        let moments = moments(data);
        let mu0 = match &args.mu0 {
            Some(text) => expect_count("--mu0", numbers("--mu0", text)?, d)?,
            None => moments.iter().map(|column| column.mean).collect(),
        };
        let psi = match &args.psi {
            Some(text) if text.contains(';') => {
                let rows = text.split(';').map(|row| expect_count("a row of --psi", numbers("--psi", row)?, d));
                let rows: Vec<Vec<f64>> = rows.collect::<Result<_>>()?;
                if rows.len() != d {
                    return Err(Error::usage(format!("--psi has {} rows, the data have {d} columns", rows.len())));
                }
                rows.concat()
            }
            Some(text) => diagonal(&expect_count("--psi", numbers("--psi", text)?, d)?),
            None => {
                if let Some(j) = moments.iter().position(|column| column.variance <= 0.0) {
                    return Err(Error::input(format!("column {j} of the data is constant"))
                        .hint("drop the column, or give --psi"));
                }
                diagonal(&moments.iter().map(|column| column.variance / 4.0).collect::<Vec<_>>())
            }
        };
        Ok(Hyperparameters { alpha: args.alpha, mu0, lambda: args.lambda, psi, nu: args.nu.unwrap_or((d + 2) as f64) })
    }

    fn model(&self) -> Result<DirichletNormalModel> {
        let prior = NormalInverseWishart::new(self.mu0.clone(), self.lambda, self.psi.clone(), self.nu)?;
        DirichletNormalModel::new(prior, self.alpha)
    }

    /// The model of coordinate j alone: Σ_jj ~ IW(ν − d + 1, Ψ_jj), so that its predictive densities are the marginals of the joint ones.
    fn marginal(&self, j: usize) -> Self {
        let d = self.mu0.len();
        Hyperparameters {
            mu0: vec![self.mu0[j]],
            psi: vec![self.psi[j * d + j]],
            nu: self.nu - (d - 1) as f64,
            ..*self
        }
    }
}

/// The density that a partition of the data implies, E[F | partition, data].
pub struct PartitionDensity {
    data: DataTable,
    hyperparameters: Hyperparameters,
    model: DirichletNormalModel,
    grids: Vec<Grid>,
}

impl PartitionDensity {
    /// Checks the model against the data; grids over the data, marginal ones when d > 2.
    pub fn new(args: &ModelArgs, data: DataTable) -> Result<Self> {
        let hyperparameters = Hyperparameters::new(args, &data)?;
        let model = hyperparameters.model()?;
        let bounds = Bounds::of_points(Points::new(data.columns(), data.values())?)?;
        let count = args.grid as usize;
        let grids = match data.columns() {
            1 => vec![bounds.grid(&[0], count)?],
            2 => vec![bounds.grid(&[0, 1], count)?],
            _ => bounds.marginal_grids(count)?,
        };
        Ok(PartitionDensity { data, hyperparameters, model, grids })
    }

    /// The density of this partition.
    pub fn evaluate(self, partition: &Partition) -> Result<EvaluatedDensity> {
        let d = self.data.columns();
        let on_grid = |grid: &Grid| {
            let log_density = if d > 2 {
                let j = grid.coordinates()[0];
                let column: Vec<f64> = self.data.values().iter().skip(j).step_by(d).copied().collect();
                let model = self.hyperparameters.marginal(j).model()?;
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

struct Moments {
    mean: f64,
    variance: f64,
}

fn moments(data: &DataTable) -> Vec<Moments> {
    let (n, d) = (data.rows() as f64, data.columns());
    (0..d)
        .map(|j| {
            let column = || data.values().iter().skip(j).step_by(d);
            let mean = column().sum::<f64>() / n;
            let squares: f64 = column().map(|y| (y - mean).powi(2)).sum();
            Moments { mean, variance: squares / (n - 1.0).max(1.0) }
        })
        .collect()
}

fn diagonal(entries: &[f64]) -> Vec<f64> {
    let d = entries.len();
    let mut matrix = vec![0.0; d * d];
    (0..d).for_each(|j| matrix[j * d + j] = entries[j]);
    matrix
}

fn numbers(option: &str, text: &str) -> Result<Vec<f64>> {
    let parsed: std::result::Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    parsed.map_err(|_| Error::usage(format!("{option} is '{text}', must be numbers separated by commas")))
}

fn expect_count(what: &str, values: Vec<f64>, d: usize) -> Result<Vec<f64>> {
    if values.len() == d {
        return Ok(values);
    }
    Err(Error::usage(format!("{what} has {} numbers, the data have {d} columns", values.len())))
}
