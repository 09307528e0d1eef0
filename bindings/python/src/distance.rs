//! Distances: between two measures, from one to all draws, between all draws.

use mixgist::slice::SLICERS;
use mixgist::{
    Condensed, Distance, Ensemble, Error, Metric, MixingMeasure, Points, Progress, ResolvedUnits, Settings,
    SlicedDistance,
};
use mixgist_io::memory;
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::arrays::{Input, output, values};
use crate::draws::Draws;
use crate::error::Result;
use crate::measure::Measure;
use crate::options::SlicingOptions;
use crate::running::Call;
use crate::slices::SliceFunction;

/// An array of numbers.
type Floats<'py> = Bound<'py, PyArrayDyn<f64>>;

/// A distance: by name, or over slices of the user's.
enum Measuring {
    Named(Metric),
    Function { function: SliceFunction, count: usize, settings: Box<Settings> },
}

impl Measuring {
    fn new(options: &SlicingOptions<'_>, function: Option<(Py<PyAny>, usize)>) -> Result<Self> {
        if let Some((function, count)) = function {
            let settings = Box::new(options.settings()?);
            return Ok(Measuring::Function { function: SliceFunction::new(function), count, settings });
        }
        let name = options.distance.as_str();
        if SLICERS.iter().any(|slicer| slicer.name() == name) {
            let settings = options.settings()?;
            return Ok(Measuring::Named(Metric::from_name(name, options.order, |_| Ok(settings))?));
        }
        for (option, given) in [("slices", options.slices.is_some()), ("directions", options.directions.is_some())] {
            if given {
                let error = Error::usage(format!("'{name}' is exact, {option} has no meaning for it"));
                return Err(error.hint(format!("leave out {option}, or choose a sliced distance")).into());
            }
        }
        Ok(Measuring::Named(Metric::from_name(name, options.order, |_| Ok(Settings::default()))?))
    }

    /// Runs a job that needs the distance as the core has it.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        call: &Call,
        named: impl FnOnce(&Metric, &dyn Progress) -> mixgist::Result<T> + Send,
        sliced: impl FnOnce(SlicedDistance, &dyn Progress) -> mixgist::Result<T> + Send,
    ) -> Result<T> {
        match self {
            Measuring::Named(metric) => call.run(py, |progress| named(metric, progress)),
            Measuring::Function { function, count, settings } => {
                let slices = function.slices(*count);
                let distance = SlicedDistance::new(&slices, settings.order);
                function.outcome(call.run(py, |progress| sliced(distance, progress)))
            }
        }
    }
}

/// The units of the data, or else of these draws.
fn resolve(options: &SlicingOptions<'_>, ensemble: &Ensemble, data: Option<&Input<'_, f64>>) -> Result<ResolvedUnits> {
    let units = mixgist::Units::from_name(&options.units)?;
    let data = match data {
        Some(data) => Some(Points::new(data.as_array().shape()[1], values(data)?)?),
        None => None,
    };
    Ok(ResolvedUnits::new(&units, ensemble, data)?)
}

/// Between two measures: the distance and its standard error.
#[pyfunction]
pub fn distance(
    py: Python<'_>,
    a: &Measure,
    b: &Measure,
    data: Option<Input<'_, f64>>,
    options: SlicingOptions<'_>,
    function: Option<(Py<PyAny>, usize)>,
    threads: Option<usize>,
) -> Result<(f64, Option<f64>)> {
    let measuring = Measuring::new(&options, function)?;
    if a.measure.dim() != b.measure.dim() {
        let message = format!("A has dimension {}, B has dimension {}", a.measure.dim(), b.measure.dim());
        return Err(Error::input(message).into());
    }
    let pair = Ensemble::from_measures(&[a.measure.clone(), b.measure.clone()])?;
    let pair = resolve(&options, &pair, data.as_ref())?.apply(&pair)?;
    let (a, b) = (pair.draw(0), pair.draw(1));
    let call = Call { threads, progress: None };
    let between = |distance: SlicedDistance, _: &dyn Progress| distance.between(&a, &b);
    let Distance { value, standard_error } = measuring.run(py, &call, |metric, _| metric.between(&a, &b), between)?;
    Ok((value, standard_error))
}

/// From one measure to every draw: distances and their standard errors.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package calls it with everything")]
pub fn distances_to_draws<'py>(
    py: Python<'py>,
    from: &Measure,
    draws: &Draws,
    data: Option<Input<'_, f64>>,
    options: SlicingOptions<'_>,
    function: Option<(Py<PyAny>, usize)>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<(Floats<'py>, Option<Floats<'py>>)> {
    let measuring = Measuring::new(&options, function)?;
    let ensemble = &draws.file.ensemble;
    if from.measure.dim() != ensemble.dim() {
        let message = format!("A has dimension {}, B has dimension {}", from.measure.dim(), ensemble.dim());
        return Err(Error::input(message).into());
    }
    let units = resolve(&options, ensemble, data.as_ref())?;
    let in_units = |py: Python<'_>, ensemble: &Ensemble| py.detach(|| units.apply(ensemble));
    let from: MixingMeasure = in_units(py, &Ensemble::from_measures(std::slice::from_ref(&from.measure))?)?.draw(0);
    let ensemble = in_units(py, ensemble)?;
    let call = Call { threads, progress };
    let found = measuring.run(
        py,
        &call,
        |metric, progress| metric.to_draws(&from, &ensemble, progress),
        |distance, progress| distance.to_draws(&from, &ensemble, progress),
    )?;
    let errors: Option<Vec<f64>> = found.iter().map(|distance| distance.standard_error).collect();
    let values = found.iter().map(|distance| distance.value).collect();
    Ok((output(py, values, [found.len()]), errors.map(|errors| output(py, errors, [found.len()]))))
}

/// Between all pairs of draws, condensed as SciPy has it: distances and their standard errors.
#[pyfunction]
pub fn distance_matrix<'py>(
    py: Python<'py>,
    draws: &Draws,
    data: Option<Input<'_, f64>>,
    options: SlicingOptions<'_>,
    function: Option<(Py<PyAny>, usize)>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<(Floats<'py>, Option<Floats<'py>>)> {
    let measuring = Measuring::new(&options, function)?;
    let ensemble = &draws.file.ensemble;
    let units = resolve(&options, ensemble, data.as_ref())?;
    let ensemble = py.detach(|| units.apply(ensemble))?;
    let needed = match &measuring {
        Measuring::Named(metric) => metric.matrix_bytes(&ensemble),
        Measuring::Function { .. } => SlicedDistance::predicted_matrix_bytes(&ensemble),
    };
    memory::require(needed, &format!("the matrix of {} draws", ensemble.len()), |_| {
        "keep fewer draws: draws.thinned(thin=2); a medoid needs no matrix: mixgist.summarize".into()
    })?;
    let call = Call { threads, progress };
    let matrix = measuring.run(
        py,
        &call,
        |metric, progress| metric.matrix(&ensemble, progress),
        |distance, progress| {
            let matrix = distance.matrix(&ensemble, progress)?;
            Ok(mixgist::metric::Matrix { distances: matrix.distances, standard_errors: Some(matrix.standard_errors) })
        },
    )?;
    let array = |matrix: Condensed| output(py, matrix.values().to_vec(), [matrix.values().len()]);
    Ok((array(matrix.distances), matrix.standard_errors.map(array)))
}
