//! The distance that was asked for, sliced or exact, ready to measure.

use mixgist::slice::SLICERS;
use mixgist::transport::Peer;
use mixgist::{
    Condensed, Distance, Ensemble, Error, Loss, MixingMeasure, Progress, ResolvedUnits, Result, Route, Settings,
    SliceCount, SlicedDistance,
};

use crate::memory;
use crate::options::SlicingArgs;
use crate::text::count;

/// A distance by name.
pub enum Metric {
    /// Over slices.
    Sliced(Box<Settings>),
    /// By an exact solver.
    Exact {
        /// Which one.
        peer: &'static Peer,
        /// The order, when it was given.
        order: Option<f64>,
    },
}

/// Distances between all pairs; exact ones have no standard errors.
pub struct Matrix {
    pub distances: Condensed,
    pub standard_errors: Option<Condensed>,
}

impl Metric {
    /// What the options mean.
    pub fn new(name: &str, args: &SlicingArgs) -> Result<Self> {
        if SLICERS.iter().any(|slicer| slicer.name() == name) {
            let settings = args.settings(name, Loss::Distance, Route::Auto)?;
            if matches!(settings.slices, SliceCount::Auto { .. }) {
                return Err(Error::usage("--slices auto is for summarize, which knows when there are enough")
                    .hint("give a number and look at the standard error"));
            }
            return Ok(Metric::Sliced(Box::new(settings)));
        }
        for (option, given) in [("--slices", args.slices.is_some()), ("--directions", args.directions.is_some())] {
            if given {
                return Err(Error::usage(format!("'{name}' is exact, {option} has no meaning for it"))
                    .hint(format!("leave out {option}, or choose a sliced distance")));
            }
        }
        let peer = Peer::from_name(name)?;
        if let Some(order) = args.order
            && !peer.takes_order
        {
            return Err(Error::usage(format!("'{name}' has no order, got --order {order}")).hint("leave out --order"));
        }
        Ok(Metric::Exact { peer, order: args.order })
    }

    /// Whether there is no Monte Carlo error.
    pub fn is_exact(&self) -> bool {
        matches!(self, Metric::Exact { .. })
    }

    /// The name that options use.
    pub fn name(&self) -> &'static str {
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
        let settings = self.sliced()?;
        match (&settings.directions, settings.slices) {
            (Some(arrays), _) => settings.slicer.given(dim, arrays).ok().map(|slices| slices.len()),
            (None, SliceCount::Fixed(count) | SliceCount::Auto { cap: count }) => Some(count),
        }
    }

    /// How it was computed, in a line.
    pub fn description(&self, units: &ResolvedUnits) -> String {
        let mut parts = vec![self.name().to_owned()];
        parts.extend(self.order().map(|order| format!("order {order}")));
        parts.extend(self.slices(units.scales.len()).map(|slices| count(slices, "slice")));
        match self.sliced() {
            Some(settings) if settings.directions.is_some() => parts.push("given directions".into()),
            Some(settings) => parts.push(format!("seed {}", settings.seed)),
            None => parts.push("exact".into()),
        }
        parts.push(format!("units {}", units.units.name()));
        parts.join(", ")
    }

    /// Refuses at once what cannot fit, the matrix aside.
    pub fn require_memory(&self, ensemble: &Ensemble) -> Result<()> {
        let Some(settings) = self.sliced() else { return Ok(()) };
        let few = Settings { route: Route::Auto, loss: Loss::Power, order: mixgist::Order::TWO, ..settings.clone() };
        let needed = few.predicted_bytes(ensemble)?;
        memory::require(needed, "this distance", |_| "use fewer --slices, or keep fewer draws with --thin".into())
    }

    /// Bytes that the matrix of these draws takes.
    pub fn matrix_bytes(&self, ensemble: &Ensemble) -> u64 {
        match self {
            Metric::Sliced(_) => SlicedDistance::predicted_matrix_bytes(ensemble),
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
        match self {
            Metric::Sliced(settings) => {
                let matrix = over_slices(settings, draws.dim(), |distance| distance.matrix(draws, progress))?;
                Ok(Matrix { distances: matrix.distances, standard_errors: Some(matrix.standard_errors) })
            }
            Metric::Exact { peer, order } => {
                Ok(Matrix { distances: peer.matrix(draws, *order, progress)?, standard_errors: None })
            }
        }
    }
}

fn over_slices<T>(settings: &Settings, dim: usize, f: impl FnOnce(SlicedDistance) -> Result<T>) -> Result<T> {
    let (SliceCount::Fixed(count) | SliceCount::Auto { cap: count }) = settings.slices;
    let slices = settings.freeze(dim, count)?;
    f(SlicedDistance::new(&*slices, settings.order).with_pruning(settings.pruning))
}

fn exact(value: f64) -> Distance {
    Distance { value, standard_error: None }
}
