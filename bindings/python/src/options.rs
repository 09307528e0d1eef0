//! Options as the core understands them. Their words are those of the command line.

use mixgist::partition::SearchOptions;
use mixgist::slice::{Array, NamedArrays, Scheme, slicer};
use mixgist::{CovarianceForm, Error, Loss, Order, Pruning, Route, Settings, SliceCount, Units};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Input, values};
use crate::error::Result;

/// Options of everything that measures by slices.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SlicingOptions<'py> {
    pub distance: String,
    pub slices: Option<String>,
    pub order: Option<f64>,
    pub units: String,
    pub scheme: String,
    pub directions: Option<Vec<(String, Input<'py, f64>)>>,
    pub prune: String,
    pub seed: u64,
}

impl SlicingOptions<'_> {
    /// What they mean to the core.
    pub fn settings(&self) -> Result<Settings> {
        Ok(Settings {
            slicer: slicer(&self.distance)?,
            slices: self.slices.as_deref().map_or(Ok(SliceCount::default()), SliceCount::from_name)?,
            scheme: Scheme::from_name(&self.scheme)?,
            directions: self.directions.as_deref().map(named_arrays).transpose()?,
            order: self.order.map_or(Ok(Order::TWO), Order::new)?,
            units: Units::from_name(&self.units)?,
            pruning: Pruning::from_name(&self.prune)?,
            seed: self.seed,
            ..Settings::default()
        })
    }
}

fn named_arrays(arrays: &[(String, Input<'_, f64>)]) -> Result<NamedArrays> {
    let convert = |(name, array): &(String, Input<'_, f64>)| {
        let array = Array { shape: array.as_array().shape().to_vec(), values: values(array)?.to_vec() };
        Ok((name.clone(), array))
    };
    arrays.iter().map(convert).collect()
}

/// The form of that name; `cov` is short for `covariance`.
pub fn covariance_form(name: &str) -> Result<CovarianceForm> {
    Ok(CovarianceForm::from_name(if name == "cov" { "covariance" } else { name })?)
}

/// The value of a name in one of the core's tables of names.
pub fn named<T: Copy>(what: &str, name: &str, table: &[(&str, T)]) -> Result<T> {
    let found = table.iter().find(|(known, _)| *known == name);
    Ok(found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = table.iter().map(|(known, _)| *known).collect();
        Error::usage(format!("unknown {what} '{name}'")).hint(format!("one of: {}", known.join(", ")))
    })?)
}

/// The defaults of the core, by the names of the options.
pub fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = Settings::default();
    let defaults = PyDict::new(py);
    defaults.set_item("distance", settings.slicer.name())?;
    defaults.set_item("slices", SliceCount::DEFAULT)?;
    defaults.set_item("order", settings.order.value())?;
    defaults.set_item("units", settings.units.name())?;
    defaults.set_item("scheme", settings.scheme.name())?;
    defaults.set_item("loss", settings.loss.name())?;
    defaults.set_item("route", settings.route.name())?;
    defaults.set_item("prune", "rounding")?;
    defaults.set_item("seed", settings.seed)?;
    let fit = mixgist_samplers::Settings::usual();
    defaults.set_item("chains", fit.chains)?;
    defaults.set_item("iterations", fit.iterations)?;
    defaults.set_item("burn_in", fit.burn_in)?;
    defaults.set_item("thin", fit.thin)?;
    defaults.set_item("runs", SearchOptions::new(mixgist::partition::Loss::Vi { a: 1.0 }).runs)?;
    Ok(defaults)
}

/// Loss and route of a summary.
pub fn with_rule(settings: Settings, loss: &str, route: &str) -> Result<Settings> {
    let (loss, route) = (named("loss", loss, &Loss::NAMES)?, named("route", route, &Route::NAMES)?);
    Ok(Settings { loss, route, ..settings })
}
