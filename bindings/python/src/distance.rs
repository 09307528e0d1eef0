//! Distances: between two measures, from one to all draws, between all draws.

use mixgist::slice::SLICERS;
use mixgist::{
    Condensed, Distance, Ensemble, Error, Metric, Progress, ResolvedUnits, Settings, SlicedDistance, Units, Workers,
};
use mixgist_io::{DataTable, memory};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::arrays::output;
use crate::draws::Draws;
use crate::error::Result;
use crate::measure::Measure;
use crate::options::{Question, points};
use crate::running::Call;
use crate::slices::SliceFunction;
use crate::workers::Carried;

/// An array of numbers.
type Floats<'py> = Bound<'py, PyArrayDyn<f64>>;

/// A distance: by name, or over slices of the user's.
enum Measuring {
    Named(Metric),
    Function { function: SliceFunction, count: usize, settings: Box<Settings> },
}

impl Measuring {
    fn new(py: Python<'_>, question: &Question<'_>) -> Result<Self> {
        let options = &question.slicing;
        if let Some((function, count, _)) = &question.function {
            let (function, settings) = (SliceFunction::new(function.clone_ref(py)), Box::new(question.settings()?));
            return Ok(Measuring::Function { function, count: *count, settings });
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

/// The draws in the units of the data, or else in their own.
fn in_units(py: Python<'_>, question: &Question<'_>, draws: &Ensemble, data: Option<&DataTable>) -> Result<Scaled> {
    let units = Units::from_name(&question.slicing.units)?;
    let units = ResolvedUnits::new(&units, draws, points(data)?)?;
    Ok(Scaled { draws: py.detach(|| units.apply(draws))?, units })
}

struct Scaled {
    draws: Ensemble,
    units: ResolvedUnits,
}

fn same_dimension(a: usize, b: usize) -> Result<()> {
    if a == b { Ok(()) } else { Err(Error::input(format!("A has dimension {a}, B has dimension {b}")).into()) }
}

/// Between two measures: the distance and its standard error.
#[pyfunction]
pub fn distance(py: Python<'_>, a: &Measure, b: &Measure, question: Question<'_>) -> Result<(f64, Option<f64>)> {
    let measuring = Measuring::new(py, &question)?;
    same_dimension(a.measure.dim(), b.measure.dim())?;
    let pair = Ensemble::from_measures(&[a.measure.clone(), b.measure.clone()])?;
    let pair = in_units(py, &question, &pair, question.data(None)?.as_deref())?.draws;
    let (a, b) = (pair.draw(0), pair.draw(1));
    let between = |distance: SlicedDistance, _: &dyn Progress| distance.between(&a, &b);
    let named = |metric: &Metric, _: &dyn Progress| metric.between(&a, &b);
    let Distance { value, standard_error } = measuring.run(py, &question.call(py), named, between)?;
    Ok((value, standard_error))
}

/// From one measure to every draw: distances and their standard errors.
#[pyfunction]
pub fn distances_to_draws<'py>(
    py: Python<'py>,
    from: &Measure,
    draws: &Draws,
    question: Question<'_>,
) -> Result<(Floats<'py>, Option<Floats<'py>>)> {
    let measuring = Measuring::new(py, &question)?;
    let ensemble = &draws.file.ensemble;
    same_dimension(from.measure.dim(), ensemble.dim())?;
    let scaled = in_units(py, &question, ensemble, question.data(Some(draws))?.as_deref())?;
    let from = scaled.units.apply_to_measure(&from.measure)?;
    let found = measuring.run(
        py,
        &question.call(py),
        |metric, progress| metric.to_draws(&from, &scaled.draws, progress),
        |distance, progress| distance.to_draws(&from, &scaled.draws, progress),
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
    question: Question<'_>,
    courier: Option<Py<PyAny>>,
) -> Result<(Floats<'py>, Option<Floats<'py>>)> {
    let measuring = Measuring::new(py, &question)?;
    let Scaled { draws: ensemble, units } =
        in_units(py, &question, &draws.file.ensemble, question.data(Some(draws))?.as_deref())?;
    let workers = courier.map(|courier| Carried::new(py, &courier)).transpose()?;
    let needed = match &measuring {
        Measuring::Named(metric) => metric.matrix_bytes(&ensemble),
        Measuring::Function { count, .. } => SlicedDistance::predicted_matrix_bytes(&ensemble, *count),
    };
    memory::require(needed, &format!("the matrix of {} draws", ensemble.len()), |_| {
        "keep fewer draws: draws.thinned(thin=2); a medoid needs no matrix: mixgist.summarize".into()
    })?;
    let found = measuring.run(
        py,
        &question.call(py),
        |metric, progress| {
            let away = workers.as_ref().map(|workers| (workers as &dyn Workers, &units));
            metric.matrix_by(away, &ensemble, progress)
        },
        |distance, progress| {
            let matrix = distance.matrix(&ensemble, progress)?;
            Ok(mixgist::Matrix { distances: matrix.distances, standard_errors: Some(matrix.standard_errors) })
        },
    );
    let matrix = match &workers {
        Some(workers) => workers.outcome(found)?,
        None => found?,
    };
    let array = |matrix: Condensed| output(py, matrix.values().to_vec(), [matrix.values().len()]);
    Ok((array(matrix.distances), matrix.standard_errors.map(array)))
}
