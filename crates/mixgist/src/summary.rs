//! The whole job: draws in, the point estimate with its evidence out. It orchestrates; the arithmetic is elsewhere.

use crate::aligned::align;
use crate::allocate::{Allocation, allocate};
use crate::components::Rules;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::free::{self, AlignedSupport, Assessment, Estimator, FreeSupport, LEADING_SLICES};
use crate::line::Order;
use crate::mixture::Mixture;
use crate::pairwise::{KEPT_BYTES, SlicedDistance};
use crate::points::Points;
use crate::progress::Progress;
use crate::projection::{bytes_to_judge, kept_bytes_per_slice, predicted_bytes};
use crate::prune::{Pruned, Pruning};
use crate::random::{Purpose, stream};
use crate::select::{Loss, Medoid, Route, medoid, most_numbers};
use crate::slice::{Freeze, NamedArrays, Scheme, Slicer, Slices, slicer};
use crate::units::{ResolvedUnits, Units};
use crate::warning::Warning;
use crate::{Error, Result};
use rand::Rng;

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

    /// The number of slices that are tried first.
    pub fn first(self) -> usize {
        match self {
            SliceCount::Fixed(count) => count,
            SliceCount::Auto { cap } => Self::DEFAULT.min(cap),
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
    /// Which estimate is wanted.
    pub estimator: Estimator,
    /// A measure of the user's own, in the original units, to be judged beside the estimate.
    pub candidate: Option<MixingMeasure>,
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
            estimator: Estimator::default(),
            candidate: None,
        }
    }
}

/// At most this many slices are held out.
const MOST_HELD_OUT: usize = 500;

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

    /// Number of slices that [`Settings::freeze`] gives for atoms of dimension `dim`: `auto` has not ended yet, and says with how many
    /// it starts.
    pub fn slice_count(&self, dim: usize) -> Result<usize> {
        match &self.directions {
            Some(arrays) => Ok(self.slicer.given(dim, arrays)?.len()),
            None => Ok(self.slices.first()),
        }
    }

    /// The same with the number of slices that `auto` ends with for these draws; other numbers stay as they are.
    ///
    /// Cost of `auto`: that of a medoid. What is not an estimate itself (balls, representatives, a card) needs one number to start from.
    pub fn settled(&self, ensemble: &Ensemble, data: Option<Points>, progress: &dyn Progress) -> Result<Settings> {
        if matches!(self.slices, SliceCount::Fixed(_)) || self.directions.is_some() {
            return Ok(self.clone());
        }
        let (units, scaled) = in_units(ensemble, data, self)?;
        let chosen = choose(scaled.as_ref().unwrap_or(ensemble), self, &units, None, false, progress)?;
        Ok(Settings { slices: SliceCount::Fixed(chosen.slices), ..self.clone() })
    }

    /// Slices of the same law that are independent of those of [`Settings::freeze`]: what estimates are judged on.
    fn freeze_held_out(&self, dim: usize, count: usize) -> Box<dyn Slices> {
        let seed = stream(self.seed, Purpose::HeldOut, 0).next_u64();
        self.slicer.freeze(&Freeze { dim, slices: 0..count.min(MOST_HELD_OUT), seed, scheme: self.scheme })
    }

    /// Bytes that [`summarize`] takes at most besides draws and data, known before it starts: the draws on their way through the
    /// slices and what the route keeps, which is a number for each pair of draws in the route `pairs` and little in the others.
    pub fn predicted_bytes(&self, ensemble: &Ensemble) -> Result<u64> {
        let (dim, atoms, draws) = (ensemble.dim(), ensemble.weights().len(), ensemble.len());
        // Units make a copy of the draws.
        let copy = u64::from(self.units != Units::None) * 8 * (atoms * (1 + dim + dim * dim)) as u64;
        let fits = match self.estimator {
            Estimator::Free(count) => count.longest_path(),
            Estimator::Medoid | Estimator::Aligned => 0,
        };
        // The medoid and the user's own measure are judged with the fits.
        let judged = if self.estimator != Estimator::Medoid || self.candidate.is_some() {
            bytes_to_judge(dim, atoms, draws, fits + 2)
        } else {
            0
        };
        let slices = match self.slices {
            SliceCount::Fixed(count) | SliceCount::Auto { cap: count } => count as u64,
        };
        let decomposed = slices.saturating_mul(kept_bytes_per_slice(atoms, draws) as u64).min(KEPT_BYTES as u64);
        let kept = match self.route.resolve(self.order, self.loss, draws)? {
            Route::Pairs | Route::Auto => SlicedDistance::matrix_bytes(draws) as u64 / 2,
            // Compressed slices, and exact ones when very many draws are in question.
            Route::Certified => 2 * decomposed + 8 * most_numbers(draws) as u64,
            Route::Sweep => decomposed + 8 * 4 * draws as u64,
        };
        let directions = slices.saturating_mul(8 * (dim * dim + 2 * dim + 4) as u64);
        // The floor comes after the route: all slices, as far as they are kept, and the leading ones.
        let leading = (LEADING_SLICES * kept_bytes_per_slice(atoms, draws)).min(KEPT_BYTES) as u64;
        let kept = if self.order == Order::TWO { kept.max(decomposed + leading.min(decomposed)) } else { kept };
        Ok((copy + judged + predicted_bytes(dim, atoms, draws) + kept).saturating_add(directions))
    }
}

/// The point estimate with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Ĝ, in the original units.
    pub estimate: MixingMeasure,
    /// The draw of least expected loss, and why: the estimate itself, unless a free-support one was asked for.
    pub medoid: Medoid,
    /// How good the estimates are against the floor and on held-out slices; `None` when the order is not 2.
    pub assessment: Option<Assessment>,
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

impl Summary {
    /// The free-support estimate, when it was asked for.
    pub fn free(&self) -> Option<&FreeSupport> {
        self.assessment.as_ref()?.free.as_ref()
    }

    /// The aligned estimate, when it was asked for.
    pub fn aligned(&self) -> Option<&AlignedSupport> {
        self.assessment.as_ref()?.aligned.as_ref()
    }

    /// Distance from the estimate to every draw.
    pub fn distances(&self) -> &[f64] {
        let free = self.free().map(|free| &free.distances);
        free.or(self.aligned().map(|aligned| &aligned.distances)).unwrap_or(&self.medoid.distances)
    }
}

/// Summarises draws by their medoid, or by a free-support estimate that starts from it.
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

/// The estimate of [`summarize`] alone: for a medoid neither the floor nor labels nor warnings are computed.
pub fn estimate(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<MixingMeasure> {
    if settings.estimator != Estimator::Medoid || settings.candidate.is_some() {
        return Ok(summarize(ensemble, data, settings, progress)?.estimate);
    }
    let (units, scaled) = in_units(ensemble, data, settings)?;
    let chosen = choose(scaled.as_ref().unwrap_or(ensemble), settings, &units, None, false, progress)?;
    Ok(ensemble.draw(chosen.medoid.draw))
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
    let (units, scaled) = in_units(ensemble, data, settings)?;
    if let Some(candidate) = settings.candidate.as_ref().filter(|candidate| candidate.dim() != ensemble.dim()) {
        let (own, dim) = (candidate.dim(), ensemble.dim());
        return Err(Error::input(format!("the measure to judge has dimension {own}, the draws have {dim}")));
    }
    if settings.estimator == Estimator::Aligned && (settings.order != Order::TWO || own.is_some()) {
        return Err(Error::usage("an aligned estimate is judged beside the medoid, for order 2 and named distances")
            .hint("leave out --order, or use --estimate medoid"));
    }
    if settings.candidate.is_some() && (settings.order != Order::TWO || own.is_some()) {
        return Err(Error::usage(
            "--candidate is judged against the floor, which is known for order 2 and named distances",
        )
        .hint("leave out --order, or ask for its distance to the draws"));
    }
    let chosen = choose(scaled.as_ref().unwrap_or(ensemble), settings, &units, own, true, progress)?;
    let assessment = chosen.assessment.map(|assessment| assessment.in_original(&units)).transpose()?;
    let other = assessment.as_ref().and_then(|assessment| {
        let aligned = assessment.aligned.as_ref().map(|aligned| &aligned.estimate);
        assessment.free.as_ref().map(|free| &free.estimate).or(aligned)
    });
    let estimate = other.cloned().unwrap_or_else(|| ensemble.draw(chosen.medoid.draw));
    let allocation = match data {
        Some(points) => Some(allocate(&Mixture::new(&estimate)?, points, progress)?),
        None => None,
    };
    let mut warnings =
        Warning::collect(ensemble, settings, &units, &chosen.medoid, chosen.pruned, chosen.slices, own.is_some());
    if let Some(points) = data {
        warnings.extend(Warning::of_data(ensemble, points, settings.seed)?);
    }
    let free = assessment.as_ref().and_then(|assessment| assessment.free.as_ref());
    warnings.extend(free.into_iter().flat_map(|free| free.warnings(settings.estimator)));
    warnings.extend(free.and_then(|free| Warning::of_atoms(&free.estimate, ensemble)));
    Ok(Summary {
        estimate,
        medoid: chosen.medoid,
        assessment,
        allocation,
        slices: chosen.slices,
        units,
        pruned: chosen.pruned,
        warnings,
    })
}

/// The units, and the draws in them if they are not as they were.
fn in_units(
    ensemble: &Ensemble,
    data: Option<Points>,
    settings: &Settings,
) -> Result<(ResolvedUnits, Option<Ensemble>)> {
    if let Some(points) = data.filter(|points| points.dim() != ensemble.dim()) {
        return Err(Error::input(format!(
            "data have {} columns, the draws have dimension {}",
            points.dim(),
            ensemble.dim()
        )));
    }
    let units = ResolvedUnits::new(&settings.units, ensemble, data)?;
    let scaled = units.transform.is_some().then(|| units.apply(ensemble)).transpose()?;
    Ok((units, scaled))
}

struct Chosen {
    medoid: Medoid,
    assessment: Option<Assessment>,
    pruned: Pruned,
    slices: usize,
}

/// The medoid; with `auto` slices, again and again with twice as many until it is safe. Then it is assessed, where that is wanted.
fn choose(
    ensemble: &Ensemble,
    settings: &Settings,
    units: &ResolvedUnits,
    own: Option<&dyn Slices>,
    assess: bool,
    progress: &dyn Progress,
) -> Result<Chosen> {
    let mut count = settings.slices.first();
    let cap = match settings.slices {
        SliceCount::Fixed(count) => count,
        SliceCount::Auto { cap } => cap,
    };
    let candidate = settings.candidate.as_ref().map(|own| units.apply_to_measure(own)).transpose()?;
    loop {
        let frozen = if own.is_none() { Some(settings.freeze(ensemble.dim(), count)?) } else { None };
        let slices = frozen.as_deref().or(own).expect("slices are frozen or given");
        if matches!(settings.estimator, Estimator::Free(_)) {
            free::check(settings.order, slices)?;
        }
        let distance = SlicedDistance::new(slices, settings.order).with_pruning(settings.pruning);
        let projection = distance.project(ensemble)?;
        let (medoid, bridges) = medoid(&projection, settings.loss, settings.route, progress)?;
        let safe = medoid.is_tied()
            || medoid.runner_up.is_none_or(|other| other.separation.is_some_and(|s| s >= SAFE_SEPARATION));
        if safe || count >= cap || settings.directions.is_some() || own.is_some() {
            let held_out = settings.freeze_held_out(ensemble.dim(), slices.len());
            let aligned = match settings.estimator {
                Estimator::Aligned if assess => {
                    Some(align(&ensemble.draw(medoid.draw), ensemble, Rules::default(), progress)?)
                }
                _ => None,
            };
            let job = free::Job {
                ensemble,
                slices,
                loss: settings.loss,
                held_out: &SlicedDistance::new(&*held_out, settings.order).with_pruning(settings.pruning),
                medoid: &medoid,
                estimator: settings.estimator,
                candidate: candidate.as_ref(),
                aligned: aligned.as_ref(),
                seed: settings.seed,
            };
            // Slices of the caller have no others to be judged on.
            let assessed = assess && settings.order == Order::TWO && own.is_none();
            let assessment = assessed.then(|| free::assess(&job, &projection, bridges, progress)).transpose()?;
            return Ok(Chosen { medoid, assessment, pruned: projection.pruned(), slices: slices.len() });
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
