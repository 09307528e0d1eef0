//! The summary: the point estimate with its evidence. It orchestrates; the arithmetic is elsewhere.

mod blocks;
mod evidence;

use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agreement::Agreement;
use crate::aligned::{Alignment, align};
use crate::allocate::Allocation;
use crate::components::Rules;
use crate::effective::draw_weights;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, are_below, has_dim, has_length};
use crate::free::{self, Aligned, AlignedSupport, Assessment, Estimator, FreeSupport, Judgement, LEADING_SLICES};
use crate::line::Order;
use crate::loss::Loss;
use crate::pairwise::{KEPT_BYTES, SlicedDistance, most_merged_bytes};
use crate::points::Points;
use crate::progress::Progress;
use crate::projection::{bytes_to_judge, kept_bytes_per_slice, predicted_bytes};
use crate::prune::Pruned;
use crate::select::{Medoid, Route, medoid, most_numbers};
use crate::settings::{Settings, SliceCount};
use crate::slice::Slices;
use crate::text;
use crate::text::{named, option};
use crate::units::{ResolvedUnits, Units};
use crate::warning::{SliceOrigin, Warning};
use crate::work::{Study, Workers};
use crate::{Error, ErrorKind, Result};

use evidence::Evidence;

pub(crate) use blocks::{DRAWS_TOGETHER, summarize_blocks};

impl Settings {
    /// Bytes that a summary takes at most besides draws and data, known before it starts: the draws on their way through the
    /// slices and what the route keeps, which is a number for each pair of draws in the route `pairs` and little in the others. How far `auto` slices go is not
    /// known before; what they start with counts, twice.
    pub fn predicted_bytes(&self, ensemble: &Ensemble) -> Result<u64> {
        let (dim, atoms, draws) = (ensemble.dim(), ensemble.weights().len(), ensemble.len());
        if self.works_in_blocks(ensemble) {
            let block = atoms.div_ceil(draws.div_ceil(DRAWS_TOGETHER).max(1)) as u64;
            return self.predicted_bytes_of_blocks(dim, draws as u64, block);
        }
        self.predicted_bytes_of(dim, atoms, draws)
    }

    /// The same for so many draws with so many atoms in all, of dimension `dim`.
    pub fn predicted_bytes_of(&self, dim: usize, atoms: usize, draws: usize) -> Result<u64> {
        // Units make a copy of the draws.
        let copy = u64::from(self.units != Units::None) * 8 * (atoms * (1 + dim + dim * dim)) as u64;
        let fits = match self.estimator {
            Estimator::Free(count) => count.longest_path(),
            Estimator::Medoid | Estimator::Aligned => 0,
        };
        // `auto` seldom goes on for long: what its first slices take, twice.
        let slices = match self.slices {
            SliceCount::Fixed(count) => count as u64,
            SliceCount::Auto { cap } => (2 * self.slice_count(dim)?).min(cap) as u64,
        };
        // The medoid and the user's own measure are judged with the fits.
        let others = self.estimator != Estimator::Medoid || self.candidate.is_some();
        let judged = if others { bytes_to_judge(dim, atoms, draws, slices, fits + 2) } else { 0 };
        let decomposed = slices.saturating_mul(kept_bytes_per_slice(atoms, draws) as u64).min(KEPT_BYTES as u64);
        let route = self.route.resolve(self.order, self.loss, draws)?;
        let kept = match route {
            Route::Pairs | Route::Auto => SlicedDistance::matrix_bytes(draws) as u64 / 2,
            Route::Certified => decomposed + most_merged_bytes(draws, slices) + 8 * most_numbers(draws) as u64,
            Route::Sweep | Route::Blocks => decomposed + 8 * 4 * draws as u64,
        };
        let directions = slices.saturating_mul(8 * (dim * dim + 2 * dim + 4) as u64);
        // The floor comes after the route: all slices, as far as they are kept, and the leading ones where the middle is guessed from them.
        let per_slice = kept_bytes_per_slice(atoms, draws) as u64;
        let all_kept = slices.saturating_mul(per_slice) <= KEPT_BYTES as u64;
        let guesses_itself = route == Route::Certified && !matches!(self.estimator, Estimator::Free(_));
        let leading = match self.loss == Loss::Distance && !all_kept && !guesses_itself {
            true => (LEADING_SLICES as u64 * per_slice).min(decomposed),
            false => 0,
        };
        let kept = if self.order == Order::TWO { kept.max(decomposed + leading) } else { kept };
        Ok((copy + judged + predicted_bytes(dim, atoms, draws, slices) + kept).saturating_add(directions))
    }
}

/// The point estimate with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Summary {
    /// Ĝ, in the original units, its heaviest atom first.
    pub estimate: MixingMeasure,
    /// Mean loss of the estimate over all draws.
    pub expected_loss: f64,
    /// Its Monte Carlo standard error over slices; null for estimates that are no draws, whose error is that of their held-out loss.
    pub expected_loss_se: Option<f64>,
    /// The draw of least expected loss, and why: the estimate itself, unless another one was asked for.
    #[serde(flatten)]
    pub medoid: Medoid,
    /// Whether the chains agree, on the distance to the estimate and on other functions of the draws.
    #[serde(default)]
    pub agreement: Agreement,
    /// Distance from the estimate to every draw.
    pub distances: Vec<f64>,
    /// How good the estimates are against the floor and on held-out slices; absent when the order is not 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Assessment>,
    /// Labels of the data, when data were given.
    #[serde(flatten, deserialize_with = "Allocation::whole_or_absent")]
    pub allocation: Option<Allocation>,
    /// Number of distinct labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
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

    /// The aligned estimate, when it or the free one was asked for.
    pub fn aligned(&self) -> Option<&AlignedSupport> {
        self.assessment.as_ref()?.aligned.as_ref()
    }

    /// How good the estimate is, where that is known.
    pub fn judgement(&self) -> Option<&Judgement> {
        let assessment = self.assessment.as_ref()?;
        Some(assessment.of_estimate().map_or(&assessment.medoid, |other| other.judgement))
    }

    /// Observations of each atom, when there are labels.
    pub fn cluster_sizes(&self) -> Option<Vec<usize>> {
        let allocation = self.allocation.as_ref()?;
        let mut sizes = vec![0; self.estimate.len()];
        allocation.labels.iter().for_each(|&label| sizes[label as usize] += 1);
        Some(sizes)
    }
}

impl Fits for Summary {
    fn fits(&self, draws: usize, dim: usize) -> Result<()> {
        has_dim("the estimate", &self.estimate, dim)?;
        has_length("distances", self.distances.len(), draws)?;
        if let Some(losses) = &self.medoid.expected_losses {
            has_length("expected_losses", losses.len(), draws)?;
        }
        let rival = self.medoid.margin.map(|margin| margin.rival);
        let named = [Some(self.medoid.draw), self.medoid.runner_up.map(|other| other.draw), rival];
        are_below("the choice of a draw", named.into_iter().flatten(), draws)?;
        has_length("scales of the units", self.units.scales.len(), dim)?;
        if let Some(transform) = &self.units.transform {
            has_length("transform of the units", transform.len(), dim * dim)?;
        }
        if let Some(allocation) = &self.allocation {
            allocation.fits(self.estimate.len())?;
        }
        self.assessment.as_ref().map_or(Ok(()), |assessment| assessment.fits(draws, dim))
    }
}

/// Draws in working units with all that a summary of them depends on.
pub(crate) struct Job<'a> {
    pub(crate) ensemble: &'a Ensemble,
    /// The draws in working units.
    pub(crate) scaled: &'a Ensemble,
    pub(crate) units: &'a ResolvedUnits,
    pub(crate) data: Option<Points<'a>>,
    pub(crate) settings: &'a Settings,
    /// Slices of the caller's own.
    pub(crate) own: Option<&'a dyn Slices>,
    /// Whoever works on slices instead of the threads of this process, and which of the draws that they know these are.
    pub(crate) workers: Option<&'a dyn Workers>,
    pub(crate) subset: Option<&'a [usize]>,
    /// The aligned estimate, once it was found.
    pub(crate) alignment: &'a OnceLock<Arc<Alignment>>,
}

impl Job<'_> {
    /// The draws aligned, by the usual rules, with the components that are found from the medoid.
    pub(crate) fn alignment(&self, medoid: usize, progress: &dyn Progress) -> Result<&Arc<Alignment>> {
        if let Some(found) = self.alignment.get() {
            return Ok(found);
        }
        let start = self.ensemble.draw(medoid);
        let found = align(&start, self.ensemble, &self.settings.units, Rules::default(), progress)?;
        Ok(self.alignment.get_or_init(|| Arc::new(found)))
    }
}

/// Summarises draws by their medoid, or by a free-support or aligned estimate that starts from it. Cost: see [`Route`].
pub(crate) fn summarize(job: &Job, progress: &dyn Progress) -> Result<Summary> {
    let Job { ensemble, settings, units, own, .. } = *job;
    if let Some(candidate) = settings.candidate.as_ref().filter(|candidate| candidate.dim() != ensemble.dim()) {
        let (own, dim) = (candidate.dim(), ensemble.dim());
        return Err(Error::input(format!("the measure to judge has dimension {own}, the draws have {dim}")));
    }
    if settings.estimator == Estimator::Aligned && (settings.order != Order::TWO || own.is_some()) {
        return Err(Error::usage("an aligned estimate is judged beside the medoid, for order 2 and named distances")
            .hint(text!["leave out ", named("order"), ", or use ", option("estimate", "medoid")]));
    }
    if settings.candidate.is_some() && (settings.order != Order::TWO || own.is_some()) {
        return Err(Error::usage(text![
            named("candidate"),
            " is judged against the floor, which is known for order 2 and named distances"
        ])
        .hint(text!["leave out ", named("order"), ", or ask for its distance to the draws"]));
    }
    let chosen = choose(job, settings, Assess::All, progress)?;
    let mut assessment = chosen.assessment.map(|assessment| assessment.in_original(units)).transpose()?;
    // It was found in the original units.
    if let Some(aligned) = assessment.as_mut().and_then(|assessment| assessment.aligned.as_mut())
        && let Some(found) = job.alignment.get()
    {
        aligned.estimate = found.estimate.clone();
    }
    let evidence = Evidence {
        settings,
        units,
        draws: ensemble,
        sample: ensemble,
        traces: Agreement::functions(ensemble, None),
        origin: if own.is_some() { SliceOrigin::Given } else { SliceOrigin::of(settings) },
        winner: ensemble.draw(chosen.medoid.draw),
        medoid: chosen.medoid,
        assessment,
        slices: chosen.slices,
        pruned: chosen.pruned,
    };
    evidence.summary(job.data, progress)
}

/// The estimate of [`summarize`] alone: for a medoid neither the floor nor labels nor warnings are computed. With the number of slices.
pub(crate) fn estimate(job: &Job, progress: &dyn Progress) -> Result<(MixingMeasure, usize)> {
    let settings = job.settings;
    let free = matches!(settings.estimator, Estimator::Free(_));
    let chosen = choose(job, settings, if free { Assess::Estimate } else { Assess::Nothing }, progress)?;
    let estimate = match (settings.estimator, chosen.assessment) {
        (Estimator::Free(_), Some(Assessment { free: Some(free), .. })) => job.units.undo(&free.estimate)?,
        (Estimator::Aligned, _) => job.alignment(chosen.medoid.draw, progress)?.estimate.clone(),
        _ => job.ensemble.draw(chosen.medoid.draw).heaviest_first(),
    };
    Ok((estimate, chosen.slices))
}

/// Which draw is the medoid, whatever the estimator.
pub(crate) fn medoid_draw(job: &Job, progress: &dyn Progress) -> Result<usize> {
    let settings = Settings { estimator: Estimator::Medoid, candidate: None, ..job.settings.clone() };
    Ok(choose(job, &settings, Assess::Nothing, progress)?.medoid.draw)
}

/// What is assessed once the medoid is found.
#[derive(Clone, Copy, PartialEq)]
enum Assess {
    Nothing,
    /// The estimate that is asked for.
    Estimate,
    /// What it is compared with, too.
    All,
}

struct Chosen {
    medoid: Medoid,
    assessment: Option<Assessment>,
    pruned: Pruned,
    slices: usize,
}

/// The medoid; with `auto` slices, again with more until there are enough. Then it is assessed, where that is wanted.
fn choose(job: &Job, settings: &Settings, assess: Assess, progress: &dyn Progress) -> Result<Chosen> {
    let Job { scaled: ensemble, units, own, .. } = *job;
    let mut count = if own.is_some() { 1 } else { settings.slice_count(ensemble.dim())? };
    let cap = settings.slices.most();
    let candidate = settings.candidate.as_ref().map(|own| units.apply_to_measure(own)).transpose()?;
    loop {
        let frozen = if own.is_none() { Some(settings.freeze(ensemble.dim(), count)?) } else { None };
        let slices = frozen.as_deref().or(own).expect("slices are frozen or given");
        if matches!(settings.estimator, Estimator::Free(_)) {
            free::check(settings.order, slices)?;
        }
        let away = |study: Study| Some((job.workers?, Study { subset: job.subset.map(<[usize]>::to_vec), ..study }));
        let distance = SlicedDistance::new(slices, settings.order)
            .with_pruning(settings.pruning)
            .with_workers(if own.is_none() { away(settings.study(slices.len(), units)?) } else { None });
        let projection = distance.project(ensemble)?;
        let (medoid, decompositions) = medoid(ensemble, &projection, settings.loss, settings.route, progress)?;
        let last = count >= cap || settings.directions.is_some() || own.is_some();
        let Some(times) = more_slices(&medoid).filter(|_| !last) else {
            // Slices of the caller have no others to be judged on.
            let assessed = assess != Assess::Nothing && settings.order == Order::TWO && own.is_none();
            if !assessed {
                return Ok(Chosen { medoid, assessment: None, pruned: projection.pruned(), slices: slices.len() });
            }
            let held_out = settings.freeze_held_out(ensemble.dim(), slices.len())?;
            let aligned = match settings.estimator {
                Estimator::Aligned => Some(aligned(job, medoid.draw, progress)?),
                Estimator::Free(_) if assess == Assess::All => match aligned(job, medoid.draw, progress) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                    // It only stands beside the free one.
                    found => found.ok(),
                },
                _ => None,
            };
            let judged_on = SlicedDistance::new(&*held_out, settings.order)
                .with_pruning(settings.pruning)
                .with_workers(away(settings.held_out_study(held_out.len(), units)));
            let assessed = free::Job {
                draws: ensemble,
                slices,
                loss: settings.loss,
                medoid: &medoid,
                estimator: settings.estimator,
                candidate: candidate.as_ref(),
                aligned,
                seed: settings.seed,
            };
            let assessment =
                Some(free::assess(&assessed, ensemble, &projection, decompositions, &judged_on, progress)?);
            return Ok(Chosen { medoid, assessment, pruned: projection.pruned(), slices: slices.len() });
        };
        let wanted = (count as f64 * times) as usize;
        count = settings.whole_groups(ensemble.dim(), wanted)?.min(cap);
    }
}

/// The aligned estimate in working units, with what is said about it.
fn aligned(job: &Job, medoid: usize, progress: &dyn Progress) -> Result<Aligned> {
    let found = job.alignment(medoid, progress)?;
    let weights = draw_weights(job.ensemble);
    Ok(Aligned {
        existence: found.existence.iter().map(|probability| probability.value).collect(),
        unmatched: found.draws.unmatched.iter().zip(&weights).map(|(mass, weight)| mass * weight).sum(),
        estimate: job.units.apply_to_measure(&found.estimate)?,
    })
}

/// The standard error of the expected loss, which is the mean distance of the draws from the medoid, is small enough when it is this part of it.
const ACCURACY: f64 = 0.01;

/// Errors of few groups are rough: no leap is longer, and none is shorter.
const LEAPS: (f64, f64) = (2.0, 8.0);

/// How many times as many slices are needed, roughly; `None` when there are enough.
fn more_slices(medoid: &Medoid) -> Option<f64> {
    // Where all draws are one measure there is nothing to be unsure of.
    let loss = match medoid.expected_loss_se {
        Some(error) if error <= ACCURACY * medoid.expected_loss => None,
        Some(error) => Some((error / (ACCURACY * medoid.expected_loss)).powi(2)),
        None => Some(f64::INFINITY),
    };
    // Whichever of the two is better, it may be so by less than the expected loss is known: then more slices decide nothing that matters.
    let winner = medoid.margin.and_then(|margin| margin.more_slices(ACCURACY * medoid.expected_loss));
    loss.map(|times| times.clamp(LEAPS.0, LEAPS.1)).into_iter().chain(winner).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CovarianceForm;

    /// A small question is not refused on a small machine: 400 draws of 3 atoms in the plane.
    #[test]
    fn predicted_memory_of_small_questions_is_small() {
        let (weights, means) = (vec![1.0; 1200], vec![0.0; 2400]);
        let covariances: Vec<f64> = (0..1200).flat_map(|_| [1.0, 0.0, 0.0, 1.0]).collect();
        let ensemble = Ensemble::builder(2)
            .atoms_per_draw(3)
            .weights(&weights)
            .means(&means)
            .covariances(&covariances)
            .build()
            .unwrap();
        let few = Settings { slices: SliceCount::Fixed(30), ..Settings::default() };
        assert!(few.predicted_bytes(&ensemble).unwrap() < 30 << 20);
        assert!(Settings::default().predicted_bytes(&ensemble).unwrap() < 200 << 20);
    }

    /// A batch of slices is not longer than there are slices: 112,000 atoms take 7 MB on each while they are worked on.
    #[test]
    fn predicted_memory_of_few_slices_is_that_of_few() {
        let draws = 4000;
        let values = vec![1.0; 28 * draws];
        let ensemble = Ensemble::builder(1)
            .atoms_per_draw(28)
            .weights(&values)
            .means(&values)
            .covariances(&values)
            .form(CovarianceForm::StandardDeviation)
            .build()
            .unwrap();
        let bytes = |slices, estimator| {
            let settings = Settings { slices: SliceCount::Fixed(slices), ..Settings::default() };
            settings.with_estimator(estimator).predicted_bytes(&ensemble).unwrap()
        };
        let kept = kept_bytes_per_slice(28 * draws, draws) as u64;
        for (estimator, batches) in [(Estimator::Medoid, 1), (Estimator::Aligned, 2)] {
            let more = bytes(32, estimator) - bytes(1, estimator);
            assert!(more > 31 * (kept + batches * (7 << 20)), "{more} {kept}");
        }
    }

    #[test]
    fn predicted_memory_grows_with_pairs_only_where_there_are_pairs() {
        let draws = 40_000;
        let values = vec![1.0; draws];
        let ensemble = Ensemble::builder(1)
            .atoms_per_draw(1)
            .weights(&values)
            .means(&values)
            .covariances(&values)
            .form(CovarianceForm::StandardDeviation)
            .build()
            .unwrap();
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
