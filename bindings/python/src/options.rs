//! Options as the core understands them. Their words are those of the command line.

use std::borrow::Cow;

use mixgist::partition::{REGISTRY, SearchOptions};
use mixgist::slice::{Array, NamedArrays, SLICERS, Scheme};
use mixgist::transport::EXACT_DISTANCES;
use mixgist::{
    CovarianceForm, Estimator, GivenDirections, Loss, Order, Points, Pruning, Route, Settings, SliceCount, SlicerName,
    Units,
};
use mixgist_io::{DataTable, Format};
use mixgist_report::KINDS;
use mixgist_report::page::PARTS;
use mixgist_samplers::{Algorithm, CovarianceModel, ScaleChoice};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Input, values};
use crate::draws::Draws;
use crate::error::{InPython, Result};
use crate::measure::Measure;
use crate::running::Call;

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
        Ok(Settings::default()
            .with_slicer(SlicerName::from_name(&self.distance)?)
            .with_slices(self.slices.as_deref().map_or(Ok(SliceCount::default()), SliceCount::from_name)?)
            .with_scheme(Scheme::from_name(&self.scheme)?)
            .with_directions(self.directions.as_deref().map(named_arrays).transpose()?.map(GivenDirections::new))
            .with_order(self.order.map_or(Ok(Order::TWO), Order::new)?)
            .with_units(Units::from_name(&self.units)?)
            .with_pruning(Pruning::from_name(&self.prune)?)
            .with_seed(self.seed))
    }
}

fn named_arrays(arrays: &[(String, Input<'_, f64>)]) -> Result<NamedArrays> {
    let convert = |(name, array): &(String, Input<'_, f64>)| {
        let array = Array { shape: array.as_array().shape().to_vec(), values: values(array)?.to_vec() };
        Ok((name.clone(), array))
    };
    arrays.iter().map(convert).collect()
}

/// The form of that name, or of another word for it.
pub fn covariance_form(name: &str) -> Result<CovarianceForm> {
    Ok(CovarianceForm::from_name(name)?)
}

/// The defaults of the core, by the names of the options.
pub fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = Settings::default();
    let defaults = PyDict::new(py);
    defaults.set_item("distance", settings.slicer.name())?;
    defaults.set_item("slices", settings.slices.name())?;
    defaults.set_item("order", settings.order.value())?;
    defaults.set_item("units", settings.units.name())?;
    defaults.set_item("scheme", settings.scheme.name())?;
    defaults.set_item("loss", settings.loss.name())?;
    defaults.set_item("route", settings.route.name())?;
    defaults.set_item("prune", "rounding")?;
    defaults.set_item("seed", settings.seed)?;
    defaults.set_item("estimate", settings.estimator.name())?;
    let fit = mixgist_samplers::FitSettings::usual();
    defaults.set_item("chains", fit.chains)?;
    defaults.set_item("iterations", fit.iterations)?;
    defaults.set_item("burn_in", fit.burn_in)?;
    defaults.set_item("thin", fit.thin)?;
    defaults.set_item("runs", SearchOptions::new(mixgist::partition::PartitionLoss::Vi { a: 1.0 }).runs)?;
    Ok(defaults)
}

/// What to say where standard deviations, by the name of their variable, are read as variances, and what helps.
#[pyfunction]
pub fn deviations_by_name(name: &str, form: &str, dim: usize) -> Option<(String, String)> {
    mixgist_io::deviations_by_name(name, form, dim)
        .map(|(message, advice)| (message.spelled(&InPython), advice.spelled(&InPython)))
}

/// The words that options may be, by the names of the options.
pub fn choices(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    fn names<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
        table.iter().map(|(name, _)| *name).collect()
    }
    let choices = PyDict::new(py);
    let sliced: Vec<&str> = SLICERS.iter().map(|slicer| slicer.name()).collect();
    let exact: Vec<&str> = EXACT_DISTANCES.iter().map(|peer| peer.name).collect();
    choices.set_item("distance", [sliced, exact].concat())?;
    choices.set_item("scheme", names(&Scheme::NAMES))?;
    choices.set_item("loss", names(&Loss::NAMES))?;
    choices.set_item("route", names(&Route::NAMES))?;
    choices.set_item("estimate", Estimator::NAMES)?;
    choices.set_item("covariance_form", names(&CovarianceForm::NAMES))?;
    choices.set_item("covariance_form aliases", CovarianceForm::ALIASES)?;
    choices.set_item("format", Format::all().map(Format::name).collect::<Vec<_>>())?;
    choices.set_item("covariance", names(&CovarianceModel::NAMES))?;
    choices.set_item("algorithm", names(&Algorithm::NAMES))?;
    choices.set_item("scales", names(&ScaleChoice::NAMES))?;
    choices.set_item("partition loss", REGISTRY.iter().map(|entry| entry.name).collect::<Vec<_>>())?;
    choices.set_item("without", PARTS)?;
    choices.set_item("kind", KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>())?;
    Ok(choices)
}

/// What every call about distances takes: how they are measured, where units come from, and how the job runs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Question<'py> {
    pub slicing: SlicingOptions<'py>,
    data: Option<Input<'py, f64>>,
    columns: Option<Vec<String>>,
    /// A slice function of the user's, the number of its slices, and its name.
    pub function: Option<(Py<PyAny>, usize, String)>,
    pub threads: Option<usize>,
    progress: Option<Py<PyAny>>,
}

impl Question<'_> {
    /// How distances are measured.
    pub fn settings(&self) -> Result<Settings> {
        let settings = self.slicing.settings()?;
        Ok(match &self.function {
            Some((_, _, name)) => settings.with_slicer(SlicerName::own(name.clone())),
            None => settings,
        })
    }

    /// The data that were given, or else those that came with the draws.
    pub fn data<'a>(&self, draws: Option<&'a Draws>) -> Result<Option<Cow<'a, DataTable>>> {
        table(self.data.as_ref(), self.columns.clone(), draws)
    }

    /// The data that were given.
    pub fn own_data(&self) -> Result<Option<DataTable>> {
        Ok(self.data(None)?.map(Cow::into_owned))
    }

    /// How the job runs.
    pub fn call(&self, py: Python<'_>) -> Call {
        Call { threads: self.threads, progress: self.progress.as_ref().map(|report| report.clone_ref(py)) }
    }
}

/// The data that were given, or else those that came with the draws.
pub fn table<'a>(
    data: Option<&Input<'_, f64>>,
    columns: Option<Vec<String>>,
    draws: Option<&'a Draws>,
) -> Result<Option<Cow<'a, DataTable>>> {
    let own = draws.and_then(|draws| draws.file.data.as_ref());
    Ok(match data {
        Some(data) => Some(Cow::Owned(DataTable::new(data.as_array().shape()[1], values(data)?.to_vec(), columns)?)),
        None => own.map(Cow::Borrowed),
    })
}

/// Data as the core takes them.
pub fn points(data: Option<&DataTable>) -> mixgist::Result<Option<Points<'_>>> {
    data.map(|data| Points::new(data.columns(), data.values())).transpose()
}

/// Options of everything that estimates.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct EstimateOptions<'py> {
    pub loss: String,
    pub route: String,
    /// The name of the estimator, and its number of atoms.
    pub estimate: (String, Option<String>),
    /// The user's own measure.
    pub candidate: Option<PyRef<'py, Measure>>,
}

impl EstimateOptions<'_> {
    /// What they mean to the core, with those of the distance.
    pub fn settings(&self, question: &Question<'_>) -> Result<Settings> {
        let (name, atoms) = &self.estimate;
        Ok(question
            .settings()?
            .with_loss(Loss::from_name(&self.loss)?)
            .with_route(Route::from_name(&self.route)?)
            .with_estimator(Estimator::from_name(name, atoms.as_deref())?)
            .with_candidate(self.candidate.as_ref().map(|own| own.measure.clone())))
    }
}
