//! What follows from the estimate, as files: labels, membership probabilities and the density on a grid.

use std::path::{Path, PathBuf};

use clap::Args;
use mixgist::density::posterior::predicted_bytes;
use mixgist::density::{Bounds, DEFAULT_GRID_COUNT, Grid, PosteriorDensity, posterior_density_on_grid};
use mixgist::for_each_membership_block;
use mixgist::{Allocation, Ensemble, Error, GridDensity, Mixture, Points, Progress, Result, Summary, allocate};
use mixgist_io::{Cell, DataTable, Overwrite, TableRows, write_npy_in_pieces, write_npy_labels, write_table};

use crate::memory;
use crate::options::{expect_extension, has_extension, read_data_for};

/// Which files are wanted.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct DerivedArgs {
    /// Write the label of every observation (.csv with its membership probability, or .npy)
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// Write the probabilities of every observation to belong to each atom, n × K (.npy or .csv)
    #[arg(long, value_name = "FILE")]
    memberships: Option<PathBuf>,

    /// New observations for --labels and --memberships instead of the data
    #[arg(long, value_name = "DATA")]
    predict: Option<PathBuf>,

    /// Write the density of the estimate with posterior mean and 90 % band on a grid (.csv); marginals when d > 2
    #[arg(long, value_name = "FILE")]
    density: Option<PathBuf>,

    /// Grid points per axis
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GRID_COUNT as u32, requires = "density",
          value_parser = clap::value_parser!(u32).range(2..=5000))]
    grid: u32,
}

/// Posterior probability of the band.
const LEVEL: f64 = 0.9;

impl DerivedArgs {
    /// The files that will be written, their extensions checked.
    pub fn outputs(&self) -> Result<[&Option<PathBuf>; 3]> {
        let tables: &[&str] = &["csv"];
        let arrays: &[&str] = &["csv", "npy"];
        for (path, option, extensions) in [
            (&self.labels, "--labels", arrays),
            (&self.memberships, "--memberships", arrays),
            (&self.density, "--density", tables),
        ] {
            path.as_ref().map_or(Ok(()), |path| expect_extension(path, option, extensions))?;
        }
        if self.predict.is_some() && self.labels.is_none() && self.memberships.is_none() {
            return Err(Error::usage("--predict says whom to label, not where the labels go")
                .hint("add --labels labels.csv or --memberships memberships.npy"));
        }
        Ok([&self.labels, &self.memberships, &self.density])
    }

    /// The file of observations to predict for.
    pub fn new_points_path(&self) -> &Option<PathBuf> {
        &self.predict
    }

    /// The observations to predict for.
    pub fn read_new_points(&self, dim: usize) -> Result<Option<DataTable>> {
        self.predict.as_deref().map(|path| read_data_for(path, dim)).transpose()
    }

    /// Checks before the work that it can be done; draws that are read in blocks are not at hand.
    pub fn check(&self, ensemble: Option<&Ensemble>, data: Option<Points>) -> Result<()> {
        if data.is_none() && self.predict.is_none() {
            for (path, option) in [(&self.labels, "--labels"), (&self.memberships, "--memberships")] {
                if path.is_some() {
                    return Err(Error::usage(format!("{option} needs observations, and the file of draws holds none"))
                        .hint("give them with --data, or new ones with --predict"));
                }
            }
        }
        if self.density.is_some() {
            let Some(ensemble) = ensemble else {
                return Err(Error::usage("--density has a band over all draws, which do not fit into memory")
                    .hint("leave it out, or keep fewer draws with --thin"));
            };
            let (dim, atoms, draws) = (ensemble.dim(), ensemble.weights().len(), ensemble.len());
            let points = (self.grid as usize).pow(if dim == 2 { 2 } else { 1 });
            let needed = predicted_bytes(dim, atoms, draws, points, rayon::current_num_threads());
            memory::require(needed, "the density on the grid", |_| "use a smaller --grid, or --thin the draws".into())?;
        }
        Ok(())
    }
}

/// The results, computed but for the membership probabilities, which are streamed.
pub struct Derived<'a> {
    args: &'a DerivedArgs,
    mixture: Mixture,
    points: Option<Points<'a>>,
    predicted: Option<Allocation>,
    allocation: Option<&'a Allocation>,
    densities: Vec<Densities>,
}

/// The densities on one grid.
struct Densities {
    grid: Grid,
    estimate: GridDensity,
    posterior: PosteriorDensity,
}

impl<'a> Derived<'a> {
    /// Computes what was asked for.
    pub fn compute(
        args: &'a DerivedArgs,
        summary: &'a Summary,
        ensemble: Option<&Ensemble>,
        data: Option<Points<'a>>,
        new_points: Option<&'a DataTable>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mixture = Mixture::new(&summary.estimate)?;
        let new_points = new_points.map(|table| Points::new(table.columns(), table.values())).transpose()?;
        let predicted = match (new_points, &args.labels) {
            (Some(points), Some(_)) => Some(allocate(&mixture, points, progress)?),
            _ => None,
        };
        let densities = match (&args.density, ensemble) {
            (Some(_), Some(ensemble)) => densities(args, summary, ensemble, data, progress)?,
            _ => Vec::new(),
        };
        let points = new_points.or(data);
        Ok(Derived { args, mixture, points, predicted, allocation: summary.allocation.as_ref(), densities })
    }

    /// Writes the files. The one that takes long comes first, so that an interrupted job leaves none.
    pub fn write(&self, columns: Option<&[String]>, overwrite: Overwrite, progress: &dyn Progress) -> Result<()> {
        if let (Some(path), Some(points)) = (&self.args.memberships, self.points) {
            self.write_memberships(path, points, overwrite, progress)?;
        }
        if let (Some(path), Some(allocation)) = (&self.args.labels, self.predicted.as_ref().or(self.allocation)) {
            write_labels(path, allocation, overwrite)?;
        }
        match &self.args.density {
            Some(path) => self.write_densities(path, columns, overwrite),
            None => Ok(()),
        }
    }

    fn write_memberships(
        &self,
        path: &Path,
        points: Points,
        overwrite: Overwrite,
        progress: &dyn Progress,
    ) -> Result<()> {
        let atoms = self.mixture.len();
        if has_extension(path, "npy") {
            return write_npy_in_pieces(path, &[points.len(), atoms], overwrite, |out| {
                for_each_membership_block(&self.mixture, points, progress, |block| out.push(block.probabilities))
            });
        }
        let names: Vec<String> = (0..atoms).map(|k| format!("atom_{k}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        write_table(path, &names, overwrite, |table| {
            for_each_membership_block(&self.mixture, points, progress, |block| {
                let mut row = Vec::with_capacity(atoms);
                for probabilities in block.probabilities.chunks_exact(atoms) {
                    row.clear();
                    row.extend(probabilities.iter().map(|&p| Cell::Number(p)));
                    table.push(&row)?;
                }
                Ok(())
            })
        })
    }

    fn write_densities(&self, path: &Path, columns: Option<&[String]>, overwrite: Overwrite) -> Result<()> {
        let name = |a: usize| match columns {
            Some(names) => names[a].clone(),
            None => format!("x{}", a + 1),
        };
        let names: Vec<String> = (0..self.mixture.dim()).map(name).collect();
        let marginals = self.mixture.dim() > 2;
        let mut header: Vec<&str> =
            if marginals { vec!["coordinate", "position"] } else { names.iter().map(String::as_str).collect() };
        header.extend(["estimate", "mean", "lower", "upper"]);
        write_table(path, &header, overwrite, |table| {
            self.densities.iter().try_for_each(|densities| {
                let coordinate = marginals.then(|| names[densities.grid.coordinates()[0]].as_str());
                densities.push_to(table, coordinate)
            })
        })
    }
}

impl Densities {
    fn push_to(&self, table: &mut TableRows, coordinate: Option<&str>) -> Result<()> {
        let positions = self.grid.points();
        for (i, position) in positions.chunks_exact(self.grid.dim()).enumerate() {
            let PosteriorDensity { mean, lower, upper, .. } = &self.posterior;
            let mut row: Vec<Cell> = coordinate.map(Cell::Text).into_iter().collect();
            row.extend(position.iter().map(|&x| Cell::Number(x)));
            row.extend([self.estimate.values()[i], mean[i], lower[i], upper[i]].map(Cell::Number));
            table.push(&row)?;
        }
        Ok(())
    }
}

fn densities(
    args: &DerivedArgs,
    summary: &Summary,
    ensemble: &Ensemble,
    data: Option<Points>,
    progress: &dyn Progress,
) -> Result<Vec<Densities>> {
    let (d, count) = (ensemble.dim(), args.grid as usize);
    let bounds = match data {
        Some(points) => Bounds::of_points(points)?,
        None => Bounds::of_measure(&summary.estimate)?,
    };
    let grids = match d {
        1 => vec![bounds.grid(&[0], count)?],
        2 => vec![bounds.grid(&[0, 1], count)?],
        _ => bounds.marginal_grids(count)?,
    };
    let on_grid = |grid: Grid| {
        Ok(Densities {
            estimate: GridDensity::of_measure(&summary.estimate, &grid, progress)?,
            posterior: posterior_density_on_grid(ensemble, &grid, LEVEL, progress)?,
            grid,
        })
    };
    grids.into_iter().map(on_grid).collect()
}

fn write_labels(path: &Path, allocation: &Allocation, overwrite: Overwrite) -> Result<()> {
    let Allocation { labels, membership_probability, .. } = allocation;
    if has_extension(path, "npy") {
        return write_npy_labels(path, labels, overwrite);
    }
    write_table(path, &["label", "membership_probability"], overwrite, |table| {
        let mut rows = labels.iter().zip(membership_probability);
        rows.try_for_each(|(&label, &p)| table.push(&[Cell::Index(label.into()), Cell::Number(p)]))
    })
}
