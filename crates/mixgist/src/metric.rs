//! A distance by name, sliced or exact, ready to measure: what all fronts offer.

use crate::slice::{SLICERS, Slicer};
use crate::text;
use crate::text::{named, option};
use crate::transport::NamedDistance;
use crate::{
    Condensed, Distance, Ensemble, Error, MixingMeasure, Progress, ResolvedUnits, Result, Settings, SlicedDistance,
    Workers,
};

/// A distance by name.
pub enum Metric {
    /// Over slices.
    Sliced(Box<Settings>),
    /// By an exact solver.
    Exact {
        /// Which one.
        peer: &'static NamedDistance,
        /// The order, when it was given.
        order: Option<f64>,
    },
}

/// Distances between all pairs; exact ones have no standard errors.
pub struct Matrix {
    /// The distances.
    pub distances: Condensed,
    /// Their Monte Carlo standard errors.
    pub standard_errors: Option<Condensed>,
}

impl Metric {
    /// The distance of that name. `settings` is asked for the settings of a sliced one; an exact one uses the order alone.
    pub fn from_name(
        name: &str,
        order: Option<f64>,
        settings: impl FnOnce(&'static dyn Slicer) -> Result<Settings>,
    ) -> Result<Self> {
        if let Some(slicer) = SLICERS.into_iter().find(|slicer| slicer.name() == name) {
            let settings = settings(slicer)?;
            return Ok(Metric::Sliced(Box::new(settings)));
        }
        let peer = NamedDistance::from_name(name)?;
        match order {
            Some(order) if !peer.takes_order => {
                Err(Error::usage(text![format!("'{name}' has no order, got "), option("order", order)])
                    .hint(text!["leave out ", named("order")]))
            }
            _ => Ok(Metric::Exact { peer, order }),
        }
    }

    /// Whether there is no Monte Carlo error.
    pub fn is_exact(&self) -> bool {
        matches!(self, Metric::Exact { .. })
    }

    /// The name that options use.
    pub fn name(&self) -> &str {
        match self {
            Metric::Sliced(settings) => settings.slicer.name(),
            Metric::Exact { peer, .. } => peer.name,
        }
    }

    /// The order p, when the distance has one.
    pub fn order(&self) -> Option<f64> {
        match self {
            Metric::Sliced(settings) => Some(settings.order.value()),
            Metric::Exact { peer, order } => peer.takes_order.then(|| order.unwrap_or(2.0)),
        }
    }

    /// The settings of a sliced distance.
    pub fn sliced(&self) -> Option<&Settings> {
        match self {
            Metric::Sliced(settings) => Some(settings),
            Metric::Exact { .. } => None,
        }
    }

    /// Number of slices of a sliced distance between atoms of dimension `dim`.
    pub fn slices(&self, dim: usize) -> Option<usize> {
        self.sliced()?.slice_count(dim).ok()
    }

    /// Bytes that the matrix of these draws takes.
    pub fn matrix_bytes(&self, ensemble: &Ensemble) -> u64 {
        match self {
            Metric::Sliced(_) => {
                let slices = self.slices(ensemble.dim()).unwrap_or(usize::MAX);
                SlicedDistance::predicted_matrix_bytes(ensemble, slices)
            }
            Metric::Exact { .. } => SlicedDistance::matrix_bytes(ensemble.len()) as u64 / 2,
        }
    }

    /// Between two measures.
    pub fn between(&self, a: &MixingMeasure, b: &MixingMeasure) -> Result<Distance> {
        match self {
            Metric::Sliced(settings) => over_slices(settings, a.dim(), |distance| distance.between(a, b)),
            Metric::Exact { peer, order } => Ok(exact(peer.distance(a, b, *order)?)),
        }
    }

    /// From one measure to every draw.
    pub fn to_draws(&self, from: &MixingMeasure, draws: &Ensemble, progress: &dyn Progress) -> Result<Vec<Distance>> {
        match self {
            Metric::Sliced(settings) => {
                over_slices(settings, from.dim(), |distance| distance.to_draws(from, draws, progress))
            }
            Metric::Exact { peer, order } => {
                Ok(peer.to_draws(from, draws, *order, progress)?.into_iter().map(exact).collect())
            }
        }
    }

    /// Between all pairs of draws.
    pub fn matrix(&self, draws: &Ensemble, progress: &dyn Progress) -> Result<Matrix> {
        self.matrix_by(None, draws, progress)
    }

    /// The same with workers who know the draws, which have been brought into these units; exact distances are computed here.
    pub fn matrix_by(
        &self,
        workers: Option<(&dyn Workers, &ResolvedUnits)>,
        draws: &Ensemble,
        progress: &dyn Progress,
    ) -> Result<Matrix> {
        match self {
            Metric::Sliced(settings) => {
                let slices = settings.slice_count(draws.dim())?;
                let away = |(workers, units)| Ok((workers, settings.study(slices, units)?));
                let away = workers.map(away).transpose()?;
                let matrix =
                    over_slices(settings, draws.dim(), |distance| distance.with_workers(away).matrix(draws, progress))?;
                Ok(Matrix { distances: matrix.distances, standard_errors: Some(matrix.standard_errors) })
            }
            Metric::Exact { peer, order } => {
                Ok(Matrix { distances: peer.matrix(draws, *order, progress)?, standard_errors: None })
            }
        }
    }
}

fn over_slices<T>(settings: &Settings, dim: usize, f: impl FnOnce(SlicedDistance) -> Result<T>) -> Result<T> {
    // No estimate is chosen here: `auto` means the number that it starts with.
    let slices = settings.freeze(dim, settings.slice_count(dim)?)?;
    f(SlicedDistance::new(&*slices, settings.order).with_pruning(settings.pruning))
}

fn exact(value: f64) -> Distance {
    Distance { value, standard_error: None }
}
