//! Draws in blocks: questions about draws that never are in memory together, and answers that are folded to the same bits however they are cut.
//!
//! A [`BlockJob`] puts one question to the draws of some blocks; whoever holds them answers it ([`BlockWorkers`]): this process, which reads one block after
//! the other ([`DrawBlocks`]), or processes elsewhere. What is asked of each draw depends on that draw alone, and what is summed over draws is summed in whole
//! numbers (see [`sums`]), so that neither the cut into blocks nor the order of the answers changes a bit.

mod answer;
mod passes;
mod sums;
mod survey;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub(crate) use passes::{AskedOf, Losses, Passes, Row};
pub(crate) use survey::{Gallery, Survey};

use crate::ensemble::{Ensemble, MixingMeasure, PlainDraws};
use crate::progress::Progress;
use crate::work::Study;
use crate::{Error, Result};
pub(crate) use sums::bytes_of_sums;
use sums::{Fixed, Grid, MeanTable, SliceSums};
use survey::BlockSurvey;

/// Draws that come in blocks, as often as they are asked for: files that are larger than memory.
pub trait DrawBlocks: Sync {
    /// Number of blocks.
    fn blocks(&self) -> usize;

    /// The draws of a block. All blocks together are the draws, in order.
    fn block(&self, block: usize) -> Result<Cow<'_, Ensemble>>;
}

/// Draws in memory, in blocks of so many: what other sources are compared with.
pub struct EnsembleBlocks<'a> {
    ensemble: &'a Ensemble,
    size: usize,
}

impl<'a> EnsembleBlocks<'a> {
    /// Blocks of `size` draws; the last one may be shorter.
    pub fn new(ensemble: &'a Ensemble, size: usize) -> Self {
        EnsembleBlocks { ensemble, size: size.max(1) }
    }
}

impl DrawBlocks for EnsembleBlocks<'_> {
    fn blocks(&self) -> usize {
        self.ensemble.len().div_ceil(self.size)
    }

    fn block(&self, block: usize) -> Result<Cow<'_, Ensemble>> {
        if self.size >= self.ensemble.len() {
            return Ok(Cow::Borrowed(self.ensemble));
        }
        let start = block * self.size;
        let draws: Vec<usize> = (start..self.ensemble.len().min(start + self.size)).collect();
        self.ensemble.select(&draws).map(Cow::Owned)
    }
}

/// Whoever answers questions about blocks of draws.
pub trait BlockWorkers: Sync {
    /// Number of blocks.
    fn blocks(&self) -> usize;

    /// Into how many jobs a pass is cut at most; without a number each block is a job of its own.
    fn most_jobs(&self) -> Option<usize> {
        None
    }

    /// Answers all jobs; `take` gets each answer with the place of its job, in any order. An error of `take` ends the work and is returned; so does
    /// [`Progress::check`].
    fn answer(
        &self,
        jobs: &[BlockJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(usize, BlockAnswer) -> Result<()>,
    ) -> Result<()>;
}

/// This process reads a block after the other and answers with all its threads.
impl<D: DrawBlocks + ?Sized> BlockWorkers for &D {
    fn blocks(&self) -> usize {
        (**self).blocks()
    }

    fn answer(
        &self,
        jobs: &[BlockJob<'_>],
        progress: &dyn Progress,
        take: &mut dyn FnMut(usize, BlockAnswer) -> Result<()>,
    ) -> Result<()> {
        for (place, job) in jobs.iter().enumerate() {
            progress.check()?;
            take(place, job.answer(*self, progress)?)?;
        }
        Ok(())
    }
}

/// One question about the draws of some blocks.
#[derive(Debug, Clone)]
pub struct BlockJob<'a> {
    blocks: Vec<usize>,
    question: &'a BlockQuestion,
}

impl BlockJob<'_> {
    /// The blocks that it is about.
    pub fn blocks(&self) -> &[usize] {
        &self.blocks
    }

    /// The question, which is the same for all jobs of a pass.
    pub fn question(&self) -> &BlockQuestion {
        self.question
    }

    /// The answer of whoever has these blocks.
    pub fn answer(&self, draws: &(impl DrawBlocks + ?Sized), progress: &dyn Progress) -> Result<BlockAnswer> {
        self.question.answer(&self.blocks, draws, progress)
    }
}

impl BlockQuestion {
    /// The answer of some blocks, of whoever has them.
    pub fn answer(
        &self,
        blocks: &[usize],
        draws: &(impl DrawBlocks + ?Sized),
        progress: &dyn Progress,
    ) -> Result<BlockAnswer> {
        let mut all: Option<Found> = None;
        for &block in blocks {
            progress.check()?;
            let found = self.of_block(block, &*draws.block(block)?, progress)?;
            all = Some(match all {
                Some(before) => before.and(found)?,
                None => found,
            });
        }
        all.map(BlockAnswer).ok_or_else(wrong_answer)
    }
}

/// What is asked of the draws of blocks, as plain data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BlockQuestion(Asked);

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Asked {
    /// What they are, one by one, without slices.
    Survey,
    /// Some of them, counted within each block.
    Draws(Vec<Vec<usize>>),
    /// Sums of their quantile functions over the cells of each slice.
    Sums { study: Study, grids: Vec<Grid> },
    /// Mean squared distance of each of them to all draws, from the mean quantile functions of the slices.
    Losses { study: Study, means: Vec<MeanTable> },
    /// Costs between measures, in working units, and each of them.
    Costs { study: Study, measures: Vec<MixingMeasure>, origins: Vec<(f64, i32)> },
}

/// The answer to a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BlockAnswer(Found);

/// Numbers for each block, in order, or sums over all of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Found {
    Survey(Vec<BlockSurvey>),
    Draws(Vec<Option<PlainDraws<'static>>>),
    Sums(Vec<SliceSums>),
    /// For each draw its mean squared distance to all, less the mean of their sizes; how wrong that can be; its own size.
    Losses(Vec<[Vec<f64>; 3]>),
    /// Measures × draws, means over the slices; and for each measure and slice the sum over the draws.
    Costs {
        costs: Vec<Vec<f64>>,
        by_slice: Vec<Fixed>,
    },
}

impl Found {
    /// With what further blocks have found.
    fn and(self, other: Found) -> Result<Found> {
        match (self, other) {
            (Found::Survey(all), Found::Survey(new)) => Ok(Found::Survey([all, new].concat())),
            (Found::Draws(all), Found::Draws(new)) => Ok(Found::Draws([all, new].concat())),
            (Found::Losses(all), Found::Losses(new)) => Ok(Found::Losses([all, new].concat())),
            (Found::Sums(mut all), Found::Sums(new)) => {
                let same = all.len() == new.len() && all.iter_mut().zip(&new).all(|(sums, new)| sums.join(new));
                if same { Ok(Found::Sums(all)) } else { Err(wrong_answer()) }
            }
            (Found::Costs { mut costs, mut by_slice }, Found::Costs { costs: new, by_slice: more })
                if by_slice.len() == more.len() =>
            {
                costs.extend(new);
                by_slice.iter_mut().zip(more).for_each(|(sum, new)| *sum += new);
                Ok(Found::Costs { costs, by_slice })
            }
            _ => Err(wrong_answer()),
        }
    }
}

/// The error of an answer that does not fit its question.
fn wrong_answer() -> Error {
    crate::work::wrong_answer()
}
