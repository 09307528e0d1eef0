//! The whole job: draws in, the point estimate with its evidence out. It orchestrates; the arithmetic is elsewhere.

use crate::allocate::{Allocation, allocate};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::Order;
use crate::mixture::Mixture;
use crate::pairwise::{KEPT_BYTES, SlicedDistance};
use crate::points::Points;
use crate::progress::Progress;
use crate::projection::{bytes_per_slice, predicted_bytes};
use crate::prune::{Pruned, Pruning};
use crate::select::{Loss, Medoid, Route, medoid, most_numbers};
use crate::slice::{Freeze, NamedArrays, Scheme, Slicer, Slices, slicer};
use crate::units::{ResolvedUnits, Units};
use crate::warning::Warning;
use crate::{Error, Result};

/// How many slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceCount {
    /// This many.
    Fixed(usize),
    /// Doubled from the default until the winner is separated from the runner-up, or this many are reached.
    Auto {
        /// The most slices that are tried.
        cap: usize,
    },
}

impl SliceCount {
    /// The default number of slices.
    pub const DEFAULT: usize = 1000;

    /// The default cap of `auto`.
    pub const DEFAULT_CAP: usize = 16_000;

    /// More slices than this are a slip of the keyboard.
    const MOST: usize = 100_000_000;

    /// A number, or `auto` with the default cap.
    pub fn from_name(text: &str) -> Result<Self> {
        if text == "auto" {
            return Ok(SliceCount::Auto { cap: Self::DEFAULT_CAP });
        }
        match text.parse() {
            Ok(count) if (1..=Self::MOST).contains(&count) => Ok(SliceCount::Fixed(count)),
            _ => {
                Err(Error::usage(format!("--slices is '{text}', must be 'auto' or a number from 1 to {}", Self::MOST)))
            }
        }
    }
}

impl Default for SliceCount {
    fn default() -> Self {
        SliceCount::Fixed(Self::DEFAULT)
    }
}

/// A lead of this many standard errors of the difference is called safe: chance makes it less than once in 400 choices of directions.
pub const SAFE_SEPARATION: f64 = 3.0;

/// Directions may take this many numbers, 4 GB.
const MOST_NUMBERS: usize = 1 << 29;

/// Everything that the answer depends on besides the draws.
#[derive(Clone)]
pub struct Settings {
    /// The law of slices.
    pub slicer: &'static dyn Slicer,
    /// How many slices.
    pub slices: SliceCount,
    /// How directions are spread.
    pub scheme: Scheme,
    /// Directions given by the user instead; then `slices`, `scheme` and `seed` do not matter.
    pub directions: Option<NamedArrays>,
    /// The order p.
    pub order: Order,
    /// What is averaged over the posterior.
    pub loss: Loss,
    /// Units in which distances are computed.
    pub units: Units,
    /// How the medoid is found.
    pub route: Route,
    /// Which atoms may be dropped.
    pub pruning: Pruning,
    /// Seed of the directions.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            slicer: slicer("smix-w").expect("smix-w is registered"),
            slices: SliceCount::default(),
            scheme: Scheme::default(),
            directions: None,
            order: Order::TWO,
            loss: Loss::default(),
            units: Units::default(),
            route: Route::default(),
            pruning: Pruning::default(),
            seed: 0,
        }
    }
}

impl Settings {
    /// The first `count` slices, or the given ones, for atoms of dimension `dim`.
    pub fn freeze(&self, dim: usize, count: usize) -> Result<Box<dyn Slices>> {
        match &self.directions {
            Some(arrays) => self.slicer.given(dim, arrays),
            None if count == 0 => Err(Error::usage("number of slices is 0, must be at least 1")),
            None if count.saturating_mul(dim * (dim + 1)) > MOST_NUMBERS => Err(Error::resource(format!(
                "the directions of {count} slices in dimension {dim} take {:.0} GB, the most is {:.0} GB",
                count as f64 * (dim * (dim + 1)) as f64 * 8e-9,
                MOST_NUMBERS as f64 * 8e-9
            ))
            .hint("use fewer slices; --scheme qmc needs fewer for the same error")),
            None => Ok(self.slicer.freeze(&Freeze { dim, slices: 0..count, seed: self.seed, scheme: self.scheme })),
        }
    }

    /// Bytes that [`summarize`] takes at most besides draws and data, known before it starts: the draws on their way through the
    /// slices and what the route keeps, which is a number for each pair of draws in the route `pairs` and little in the others.
    pub fn predicted_bytes(&self, ensemble: &Ensemble) -> Result<u64> {
        let (dim, atoms, draws) = (ensemble.dim(), ensemble.weights().len(), ensemble.len());
        let copy = if self.units == Units::None { 0 } else { 8 * (atoms * (1 + dim + dim * dim)) as u64 };
        let slices = match self.slices {
            SliceCount::Fixed(count) | SliceCount::Auto { cap: count } => count as u64,
        };
        let decomposed = slices.saturating_mul(bytes_per_slice(atoms, draws) as u64).min(KEPT_BYTES as u64);
        let kept = match self.route.resolve(self.order, self.loss, draws)? {
            Route::Pairs | Route::Auto => SlicedDistance::matrix_bytes(draws) as u64 / 2,
            // Compressed slices, and exact ones when very many draws are in question.
            Route::Certified => 2 * decomposed + 8 * most_numbers(draws) as u64,
            Route::Sweep => decomposed + 8 * 4 * draws as u64,
        };
        let directions = slices.saturating_mul(8 * (dim * dim + 2 * dim + 4) as u64);
        Ok((copy + predicted_bytes(dim, atoms, draws) + kept).saturating_add(directions))
    }
}

/// The point estimate with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Ĝ, in the original units.
    pub estimate: MixingMeasure,
    /// Which draw it is, and why.
    pub medoid: Medoid,
    /// Labels of the data, when data were given.
    pub allocation: Option<Allocation>,
    /// Number of slices L that the answer is based on.
    pub slices: usize,
    /// The units and their numbers.
    pub units: ResolvedUnits,
    /// What pruning did.
    pub pruned: Pruned,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

/// Summarises draws by their medoid.
///
/// `data` sets the scale of `sd` and `whiten` units and gets labels. Cost: see [`Route`].
pub fn summarize(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Summary> {
    summarize_with(ensemble, data, settings, None, progress)
}

/// As [`summarize`], over slices of the caller's own; the slicer, the directions and the seed of the settings do not matter then.
pub fn summarize_over(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    slices: &dyn Slices,
    progress: &dyn Progress,
) -> Result<Summary> {
    summarize_with(ensemble, data, settings, Some(slices), progress)
}

fn summarize_with(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    own: Option<&dyn Slices>,
    progress: &dyn Progress,
) -> Result<Summary> {
    if let Some(points) = data.filter(|points| points.dim() != ensemble.dim()) {
        return Err(Error::input(format!(
            "data have {} columns, the draws have dimension {}",
            points.dim(),
            ensemble.dim()
        )));
    }
    let units = ResolvedUnits::new(&settings.units, ensemble, data)?;
    let scaled;
    let in_units = if units.transform.is_some() {
        scaled = units.apply(ensemble)?;
        &scaled
    } else {
        ensemble
    };
    let chosen = choose(in_units, settings, own, progress)?;
    let estimate = ensemble.draw(chosen.medoid.draw);
    let allocation = match data {
        Some(points) => Some(allocate(&Mixture::new(&estimate)?, points, progress)?),
        None => None,
    };
    let warnings = Warning::collect(ensemble, settings, &units, &chosen.medoid, chosen.pruned, chosen.slices);
    Ok(Summary {
        estimate,
        medoid: chosen.medoid,
        allocation,
        slices: chosen.slices,
        units,
        pruned: chosen.pruned,
        warnings,
    })
}

struct Chosen {
    medoid: Medoid,
    pruned: Pruned,
    slices: usize,
}

/// The medoid; with `auto` slices, again and again with twice as many until it is safe.
fn choose(
    ensemble: &Ensemble,
    settings: &Settings,
    own: Option<&dyn Slices>,
    progress: &dyn Progress,
) -> Result<Chosen> {
    let (mut count, cap) = match settings.slices {
        SliceCount::Fixed(count) => (count, count),
        SliceCount::Auto { cap } => (SliceCount::DEFAULT.min(cap), cap),
    };
    loop {
        let frozen = if own.is_none() { Some(settings.freeze(ensemble.dim(), count)?) } else { None };
        let slices = frozen.as_deref().or(own).expect("slices are frozen or given");
        let distance = SlicedDistance::new(slices, settings.order).with_pruning(settings.pruning);
        let projection = distance.project(ensemble)?;
        let medoid = medoid(&projection, settings.loss, settings.route, progress)?;
        let safe = medoid.runner_up.is_none_or(|other| other.separation.is_some_and(|s| s >= SAFE_SEPARATION));
        if safe || count >= cap || settings.directions.is_some() || own.is_some() {
            return Ok(Chosen { medoid, pruned: projection.pruned(), slices: slices.len() });
        }
        count = (2 * count).min(cap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CovarianceForm;

    #[test]
    fn predicted_memory_grows_with_pairs_only_where_there_are_pairs() {
        let draws = 40_000;
        let values = vec![1.0; draws];
        let ensemble =
            Ensemble::from_dense(1, 1, &values, &values, &values, CovarianceForm::StandardDeviation).unwrap();
        let bytes = |route, loss| Settings { route, loss, ..Settings::default() }.predicted_bytes(&ensemble);
        let pairs = (draws * (draws - 1) / 2 * 8) as u64;
        let least = bytes(Route::Auto, Loss::Power).unwrap();
        assert!(least < pairs / 2, "{least}");
        assert!(bytes(Route::Auto, Loss::Distance).unwrap() < pairs);
        assert!((pairs..pairs + least).contains(&bytes(Route::Pairs, Loss::Distance).unwrap()));
        assert!(bytes(Route::Sweep, Loss::Distance).is_err());
        let endless = Settings { slices: SliceCount::Fixed(usize::MAX), ..Settings::default() };
        assert_eq!(endless.predicted_bytes(&ensemble).unwrap(), u64::MAX);
    }
}
