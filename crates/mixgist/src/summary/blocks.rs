//! The summary of draws in blocks, of which only one at a time is in memory.

use super::evidence::Evidence;
use super::{Summary, more_slices};
use crate::blocks::{AskedOf, BlockWorkers, Gallery, Losses, Passes, Survey, bytes_of_sums};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::free::{self, Assessment, Center, Estimator, OnBlocks, SomeDraws};
use crate::line::Order;
use crate::loss::Loss;
use crate::points::Points;
use crate::progress::Progress;
use crate::prune::{Pruned, Pruning};
use crate::select::{MOST_ROWS, Medoid, Route, medoid_of_blocks};
use crate::settings::{Settings, SliceCount};
use crate::text;
use crate::text::{named, option};
use crate::units::ResolvedUnits;
use crate::warning::SliceOrigin;
use crate::{Error, Result};

/// From so many draws on they are worked on in blocks even where they are in memory: the answer is the same on a machine with less of it.
const MANY_DRAWS: usize = 1 << 17;

/// Draws of a block of those that are in memory.
pub(crate) const DRAWS_TOGETHER: usize = 1 << 16;

impl Settings {
    /// Why draws in blocks cannot be summarised this way, if so.
    pub fn check_for_blocks(&self) -> Result<()> {
        let in_memory = || text!["keep all draws in memory, or fewer of them with ", named("thin")];
        if self.order != Order::TWO || self.loss != Loss::Power {
            return Err(Error::usage("draws in blocks are summarised under the power loss of order 2")
                .hint(text!["use ", option("loss", "power"), ", or "].then(in_memory())));
        }
        if self.estimator == Estimator::Aligned {
            return Err(Error::usage("an aligned estimate needs all draws in memory").hint(text![
                "use ",
                option("estimate", "free"),
                " or ",
                option("estimate", "medoid")
            ]));
        }
        if matches!(self.pruning, Pruning::Tolerance(_)) {
            return Err(Error::usage("draws in blocks are not pruned")
                .hint(text!["leave out ", named("prune"), ", or "].then(in_memory())));
        }
        match self.route {
            Route::Auto | Route::Blocks => Ok(()),
            _ => Err(Error::usage("draws in blocks have a route of their own")
                .hint(text!["use ", option("route", "auto"), ", or "].then(in_memory()))),
        }
    }

    /// Whether these draws are worked on in blocks, by this process whoever else works on slices.
    pub fn works_in_blocks(&self, ensemble: &Ensemble) -> bool {
        let many = ensemble.len() > MANY_DRAWS && ensemble.draw_weights().is_none() && self.check_for_blocks().is_ok();
        self.route == Route::Blocks || (self.route == Route::Auto && many)
    }

    /// Bytes that a summary of `draws` draws in blocks takes at most, known before it starts: besides the readers, two copies of a block of `atoms` atoms, the cells
    /// of all slices, and some numbers for each draw.
    pub fn predicted_bytes_of_blocks(&self, dim: usize, draws: u64, atoms: u64) -> Result<u64> {
        let slices = match self.slices {
            SliceCount::Fixed(count) => count as u64,
            SliceCount::Auto { cap } => (8 * self.slice_count(dim)?).min(cap) as u64,
        };
        let block = 2 * 8 * atoms.saturating_mul((1 + dim + dim * dim) as u64);
        let fits = match self.estimator {
            Estimator::Free(count) => 3 * count.longest_path() as u64,
            Estimator::Medoid | Estimator::Aligned => 0,
        };
        // Functions of each draw, losses with their errors, rows, and what judges chains and margins.
        let numbers = 24 + MOST_ROWS as u64 + 24 + fits;
        let at_work = 64 << 20;
        Ok(block.saturating_add(bytes_of_sums(slices)).saturating_add(8 * numbers * draws) + at_work)
    }
}

/// Draws in blocks with what is known of them before anything is asked of slices.
struct Surveyed<'a> {
    blocks: &'a dyn BlockWorkers,
    survey: &'a Survey,
    gallery: &'a Gallery,
    /// The draws that stand for all, in working units.
    few: Ensemble,
    units: &'a ResolvedUnits,
    settings: &'a Settings,
    progress: &'a dyn Progress,
}

impl SomeDraws for Surveyed<'_> {
    fn dim(&self) -> usize {
        self.survey.dim
    }

    fn some(&self, draws: &[usize]) -> Result<Vec<MixingMeasure>> {
        let found = self.units.apply(&self.survey.some(self.blocks, draws, self.progress)?)?;
        Ok((0..found.len()).map(|m| found.draw(m)).collect())
    }

    fn stand_for_all(&self) -> &Ensemble {
        &self.few
    }
}

/// Summarises draws in blocks. Two passes over the draws for what they are, two for the losses of all of them, one or more for the best.
pub(crate) fn summarize_blocks(
    blocks: &dyn BlockWorkers,
    data: Option<Points>,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<(Summary, Survey)> {
    settings.check_for_blocks()?;
    let survey = Survey::new(blocks, progress)?;
    if let Some(points) = data.filter(|points| points.dim() != survey.dim) {
        let (columns, dim) = (points.dim(), survey.dim);
        return Err(Error::input(format!("data have {columns} columns, the draws have dimension {dim}")));
    }
    let gallery = Gallery::new(blocks, &survey, progress)?;
    let of_units: Vec<usize> = (0..gallery.of_units.len()).collect();
    let units = ResolvedUnits::of_draws(&settings.units, &gallery.of_units, &of_units, data)?;
    let few = units.apply(&gallery.draws)?;
    let surveyed = Surveyed { blocks, survey: &survey, gallery: &gallery, few, units: &units, settings, progress };
    let (medoid, assessment, slices) = surveyed.choose()?;
    let evidence = Evidence {
        settings,
        units: &units,
        draws: &survey,
        sample: &gallery.draws,
        traces: survey.traces.clone(),
        origin: SliceOrigin::of(settings),
        winner: survey.some(blocks, &[medoid.draw], progress)?.draw(0),
        medoid,
        assessment: Some(assessment.in_original(&units)?),
        slices,
        pruned: Pruned::default(),
    };
    Ok((evidence.summary(data, progress)?, survey))
}

impl Surveyed<'_> {
    /// The medoid, with `auto` slices from as many as it needs, and how good it and the estimate are.
    fn choose(&self) -> Result<(Medoid, Assessment, usize)> {
        let Surveyed { settings, units, blocks, survey, gallery, progress, .. } = *self;
        let mut count = settings.slice_count(survey.dim)?;
        let cap = settings.slices.most();
        loop {
            let frozen = settings.freeze(survey.dim, count)?;
            let slices = &*frozen;
            if matches!(settings.estimator, Estimator::Free(_)) {
                free::check(settings.order, slices)?;
            }
            let study = settings.study(slices.len(), units)?;
            let passes = Passes::new(blocks, survey, &gallery.draws, study, slices.replicates(), AskedOf::Everything)?;
            let (medoid, found) = medoid_of_blocks(&passes, survey, &|draws| self.some(draws), progress)?;
            let last = count >= cap || settings.directions.is_some();
            let Some(times) = more_slices(&medoid).filter(|_| !last) else {
                let candidate = settings.candidate.as_ref().map(|own| units.apply_to_measure(own)).transpose()?;
                let job = free::Job {
                    draws: self,
                    slices,
                    loss: settings.loss,
                    medoid: &medoid,
                    estimator: settings.estimator,
                    candidate: candidate.as_ref(),
                    aligned: None,
                    seed: settings.seed,
                };
                let assessment = self.assess(&job, &passes, &found)?;
                return Ok((medoid, assessment, slices.len()));
            };
            let wanted = (count as f64 * times) as usize;
            count = settings.whole_groups(survey.dim, wanted)?.min(cap);
        }
    }

    fn assess(&self, job: &free::Job, passes: &Passes, found: &Losses) -> Result<Assessment> {
        let Surveyed { settings, units, blocks, survey, gallery, progress, .. } = *self;
        let center = Center::of_blocks(found);
        if job.judges_the_medoid_alone() {
            return Ok(Assessment::of_medoid(job, &center));
        }
        let held_out = settings.freeze_held_out(survey.dim, passes.slices())?;
        let study = settings.held_out_study(held_out.len(), units);
        let held_out = Passes::new(blocks, survey, &gallery.draws, study, held_out.replicates(), AskedOf::CostsAlone)?;
        let (fitted, judged) = (OnBlocks::new(passes, &found.targets), OnBlocks::new(&held_out, &[]));
        free::judged(job, &center, &fitted, &judged, progress)
    }
}
