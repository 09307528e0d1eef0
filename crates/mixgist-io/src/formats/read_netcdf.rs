//! NetCDF as ArviZ writes it: variables with the dimensions chain and draw, in the group `posterior` or at the top.

use std::path::Path;

use mixgist::{Error, Result};
use netcdf_reader::{NcFile, NcMetadataMode, NcOpenOptions, NcVariable};

use crate::caught::caught;
use crate::draws::{DrawsFile, ReadOptions};
use crate::source::{Budget, Source, shown};
use crate::variables::{Arrays, Variable, Whole, order_of, transposed, unknown};

const REMEDY: &str = "was it copied whole? Write it again with to_netcdf()";

/// An open file and the group that holds the draws.
struct Posterior {
    file: NcFile,
    /// `posterior/`, or nothing.
    group: &'static str,
}

impl Posterior {
    fn open(path: &Path, budget: &mut Budget) -> Result<Self> {
        let bytes = Source::open(path)?.into_bytes(path, budget)?;
        let options = NcOpenOptions { metadata_mode: NcMetadataMode::Lossy, ..NcOpenOptions::default() };
        let open = || NcFile::from_bytes_with_options(&bytes, options);
        let file = caught(open).ok_or_else(damaged)?.map_err(|error| broken(&error))?;
        let group = if caught(|| file.group("posterior").is_ok()).ok_or_else(damaged)? { "posterior/" } else { "" };
        Ok(Posterior { file, group })
    }

    fn all(&self) -> Result<&[NcVariable]> {
        let all = || match self.group {
            "" => self.file.variables(),
            group => self.file.group(group.trim_end_matches('/')).map(|group| group.variables.as_slice()),
        };
        caught(all).ok_or_else(damaged)?.map_err(|error| broken(&error))
    }

    fn find(&self, name: &str) -> Result<&NcVariable> {
        let all = self.all()?;
        let known =
            || all.iter().filter(|known| dimensions(known).iter().any(|name| name == "draw")).map(NcVariable::name);
        all.iter()
            .find(|known| known.name() == name)
            .ok_or_else(|| unknown(name, known().filter(|&name| name != "draw")))
    }

    /// The values of a variable and its shape.
    fn values(&self, path: &str, variable: &NcVariable, budget: &mut Budget) -> Result<(Vec<usize>, Vec<f64>)> {
        let name = shown(path);
        let shape: Vec<usize> =
            variable.shape().into_iter().map(|axis| usize::try_from(axis).unwrap_or(usize::MAX)).collect();
        let size = shape.iter().try_fold(8usize, |size, &axis| size.checked_mul(axis)).unwrap_or(usize::MAX);
        budget.take(&format!("variable '{name}'"), size as u64)?;
        let read = || self.file.read_variable_as_f64(path).map(|array| array.iter().copied().collect::<Vec<f64>>());
        let about = |error: Error| Error::input(format!("variable '{name}' {}", error.message())).hint(REMEDY);
        let values = caught(read).ok_or_else(|| about(damaged()))?.map_err(|error| about(broken(&error)))?;
        if values.len() * 8 != size {
            return Err(about(damaged()));
        }
        Ok((shape, values))
    }
}

fn damaged() -> Error {
    Error::input("is damaged").hint(REMEDY)
}

fn broken(error: &netcdf_reader::Error) -> Error {
    Error::input(format!("cannot be read as NetCDF: {}", shown(&error.to_string()))).hint(REMEDY)
}

fn dimensions(variable: &NcVariable) -> Vec<String> {
    variable.dimensions().iter().map(|dimension| dimension.name.clone()).collect()
}

pub(crate) fn read_draws(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    let mut budget = Budget::new(options);
    let posterior = Posterior::open(path, &mut budget)?;
    let weights = posterior.find(&options.variables.weights)?;
    let names = dimensions(weights);
    let size =
        |name: &str| weights.dimensions().iter().find(|known| known.name == name).map(|known| known.size as usize);
    let (Some(chains), Some(draws)) = (size("chain"), size("draw")) else {
        return Err(no_draws(weights.name(), &names));
    };
    let atom = names.iter().find(|name| !["chain", "draw"].contains(&name.as_str())).cloned();
    let mut numbers = |name: &str, count: usize| {
        let found = posterior.find(name).ok()?;
        let (_, values) = posterior.values(&format!("{}{name}", posterior.group), found, &mut budget).ok()?;
        whole_numbers(&values, count)
    };
    let chain_numbers = numbers("chain", chains).map(|all| all.iter().map(|&x| x as u32).collect());
    let draw_numbers = numbers("draw", draws);
    let log_posterior = posterior.file.group("sample_stats").ok().and_then(|group| {
        let found = group.variables.iter().find(|known| ["lp", "lp__"].contains(&known.name()))?;
        let order = order_of(&dimensions(found), None)?;
        let (shape, values) = posterior.values(&format!("sample_stats/{}", found.name()), found, &mut budget).ok()?;
        (chains.checked_mul(draws) == Some(values.len())).then(|| transposed(&values, &shape, &order))
    });
    let arrays = Arrays { chains, draws, chain_numbers, draw_numbers, log_posterior };
    arrays.into_draws(options, |name| {
        let found = posterior.find(name)?;
        let names = dimensions(found);
        let order = order_of(&names, atom.as_deref()).ok_or_else(|| no_draws(name, &names))?;
        let (shape, values) = posterior.values(&format!("{}{name}", posterior.group), found, &mut budget)?;
        in_order(&shape, &values, &order, [chains, draws], name)
    })
}

/// A variable with chain and draw first, checked.
pub(crate) fn in_order(
    shape: &[usize],
    values: &[f64],
    order: &[usize],
    [chains, draws]: [usize; 2],
    name: &str,
) -> Result<Whole> {
    let sorted: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
    if sorted[..2] != [chains, draws] {
        let message = format!(
            "variable '{}' has {} chains of {} draws, the weights have {chains} of {draws}",
            shown(name),
            sorted[0],
            sorted[1]
        );
        return Err(Error::input(message));
    }
    Ok(Whole { shape: sorted[2..].to_vec(), values: transposed(values, shape, order) })
}

/// Numbers of chains or draws, if they are such.
pub(crate) fn whole_numbers(values: &[f64], count: usize) -> Option<Vec<u64>> {
    let whole = |&x: &f64| (x >= 0.0 && x.fract() == 0.0 && x < 4e9).then_some(x as u64);
    values.iter().map(whole).collect::<Option<Vec<u64>>>().filter(|all| all.len() == count)
}

pub(crate) fn no_draws(name: &str, dimensions: &[String]) -> Error {
    let has = shown(&dimensions.join(", "));
    Error::input(format!("variable '{}' has the dimensions ({has}), expected chain and draw among them", shown(name)))
        .hint("ArviZ gives these names to the first two axes of its groups")
}

/// The variables that have draws.
pub(crate) fn variables(path: &Path, options: &ReadOptions) -> Result<Vec<Variable>> {
    let mut budget = Budget::new(options);
    let posterior = Posterior::open(path, &mut budget)?;
    let mut found = Vec::new();
    for variable in posterior.all()? {
        let Some(order) = order_of(&dimensions(variable), None) else { continue };
        let path = format!("{}{}", posterior.group, variable.name());
        let Ok((shape, values)) = posterior.values(&path, variable, &mut budget) else { continue };
        if values.is_empty() {
            continue;
        }
        let shape_of_one: Vec<usize> = order[2..].iter().map(|&axis| shape[axis]).collect();
        let size = shape_of_one.iter().product();
        let first = transposed(&values, &shape, &order).into_iter().take(size).collect();
        found.push(Variable { name: variable.name().to_owned(), shape: shape_of_one, first });
    }
    Ok(found)
}
