//! What draws in blocks are, before anything is asked of slices: one pass for numbers of each draw, one for the few draws that stand for all.

use serde::{Deserialize, Serialize};

use super::{Asked, BlockJob, BlockQuestion, BlockWorkers, Found, wrong_answer};
use crate::agreement::own_traces;
use crate::effective::Origin;
use crate::ensemble::{Ensemble, Trace};
use crate::progress::Progress;
use crate::text;
use crate::text::option;
use crate::{Error, Result};

/// What a block says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct BlockSurvey {
    dim: usize,
    atoms: usize,
    chains: Vec<u32>,
    iterations: Vec<u64>,
    renormalization: f64,
    padding: usize,
    lost_chains: Vec<u32>,
    weighted: bool,
    /// Functions of each draw, by name.
    traces: Vec<(String, Vec<f64>)>,
}

impl BlockSurvey {
    pub(super) fn new(ensemble: &Ensemble) -> Self {
        let traces = own_traces(ensemble).into_iter().chain(ensemble.traces().iter().cloned());
        BlockSurvey {
            dim: ensemble.dim(),
            atoms: ensemble.weights().len(),
            chains: ensemble.chains().to_vec(),
            iterations: ensemble.iterations().to_vec(),
            renormalization: ensemble.renormalization(),
            padding: ensemble.padding(),
            lost_chains: ensemble.lost_chains().to_vec(),
            weighted: ensemble.draw_weights().is_some(),
            traces: traces.map(|trace| (trace.name.into_owned(), trace.values)).collect(),
        }
    }
}

/// All blocks together: where the draws come from, and functions of each of them.
pub(crate) struct Survey {
    pub(crate) dim: usize,
    /// Atoms of all draws.
    pub(crate) atoms: usize,
    /// Functions of each draw, without labels.
    pub(crate) traces: Vec<Trace>,
    /// Draw at which each block begins, and the number of all.
    starts: Vec<usize>,
    chains: Vec<u32>,
    iterations: Vec<u64>,
    renormalization: f64,
    lost_chains: Vec<u32>,
}

impl Survey {
    pub(crate) fn new(blocks: &dyn BlockWorkers, progress: &dyn Progress) -> Result<Self> {
        progress.begin("draws", blocks.blocks() as u64);
        let mut found: Vec<Option<BlockSurvey>> = vec![None; blocks.blocks()];
        ask(blocks, Asked::Survey, progress, |asked, answer| match answer {
            Found::Survey(surveys) if surveys.len() == asked.len() => {
                asked.iter().zip(surveys).for_each(|(&block, survey)| found[block] = Some(survey));
                Ok(())
            }
            _ => Err(wrong_answer()),
        })?;
        let found: Vec<BlockSurvey> = found.into_iter().collect::<Option<_>>().ok_or_else(wrong_answer)?;
        Self::of_blocks(found)
    }

    fn of_blocks(mut found: Vec<BlockSurvey>) -> Result<Self> {
        let Some(first) = found.first() else { return Err(Error::input("there are no draws")) };
        let dim = first.dim;
        if let Some(other) = found.iter().position(|block| block.dim != dim) {
            let own = found[other].dim;
            return Err(Error::input(format!("block {other} has draws of dimension {own}, the first block of {dim}")));
        }
        if found.iter().any(|block| block.weighted) {
            return Err(Error::usage("draws in blocks have no draw weights: each block has scaled its own").hint(
                text!["keep all draws in memory (", option("route", "sweep"), "), or resample them by their weights"],
            ));
        }
        let mut traces: Vec<Trace> = Vec::new();
        for (name, values) in std::mem::take(&mut found[0].traces) {
            traces.push(Trace::new(name, values));
        }
        let mut all = Survey {
            dim,
            atoms: 0,
            traces: Vec::new(),
            starts: vec![0],
            chains: Vec::new(),
            iterations: Vec::new(),
            renormalization: 0.0,
            lost_chains: Vec::new(),
        };
        for (place, block) in found.into_iter().enumerate() {
            // A trace that a block does not have is no trace of all.
            if place > 0 {
                traces.retain_mut(|trace| match block.traces.iter().find(|(name, _)| *name == trace.name) {
                    Some((_, values)) => {
                        trace.values.extend_from_slice(values);
                        true
                    }
                    None => false,
                });
            }
            all.atoms += block.atoms;
            all.chains.extend(block.chains);
            all.iterations.extend(block.iterations);
            all.renormalization = all.renormalization.max(block.renormalization);
            all.lost_chains.extend(block.lost_chains);
            all.starts.push(all.chains.len());
        }
        all.lost_chains.sort_unstable();
        all.lost_chains.dedup();
        all.lost_chains.retain(|chain| !all.chains.contains(chain));
        if all.chains.is_empty() {
            return Err(Error::input("there are no draws"));
        }
        Ok(Survey { traces, ..all })
    }

    /// Some of the draws, in the order of `draws`, without their chains.
    pub(crate) fn some(&self, blocks: &dyn BlockWorkers, draws: &[usize], progress: &dyn Progress) -> Result<Ensemble> {
        let mut ascending = draws.to_vec();
        ascending.sort_unstable();
        ascending.dedup();
        let mut wanted: Vec<Vec<usize>> = vec![Vec::new(); blocks.blocks()];
        for &draw in &ascending {
            let block = self.starts.partition_point(|&start| start <= draw) - 1;
            wanted[block].push(draw - self.starts[block]);
        }
        let asked: Vec<usize> = (0..wanted.len()).filter(|&block| !wanted[block].is_empty()).collect();
        progress.begin("some draws", asked.len() as u64);
        let mut parts: Vec<Option<Ensemble>> = vec![None; wanted.len()];
        ask_some(blocks, &asked, Asked::Draws(wanted), progress, |asked, answer| match answer {
            Found::Draws(found) if found.len() == asked.len() => {
                for (&block, plain) in asked.iter().zip(found) {
                    parts[block] = Some(plain.ok_or_else(wrong_answer)?.into_ensemble()?);
                }
                Ok(())
            }
            _ => Err(wrong_answer()),
        })?;
        let parts: Vec<&Ensemble> = parts.iter().flatten().collect();
        let all = Ensemble::concatenate(&parts)?;
        let place = |draw: &usize| ascending.binary_search(draw).ok().filter(|&place| place < all.len());
        let places: Vec<usize> = draws.iter().map(place).collect::<Option<_>>().ok_or_else(wrong_answer)?;
        all.select(&places)
    }
}

impl Origin for Survey {
    fn draws(&self) -> usize {
        self.chains.len()
    }

    fn chains(&self) -> &[u32] {
        &self.chains
    }

    fn iterations(&self) -> &[u64] {
        &self.iterations
    }

    fn draw_weights(&self) -> Option<&[f64]> {
        None
    }

    fn renormalization(&self) -> f64 {
        self.renormalization
    }

    fn lost_chains(&self) -> &[u32] {
        &self.lost_chains
    }
}

/// Draws that stand for all.
const STAND_FOR_ALL: usize = 1000;

/// A few draws that stand for all, in the original units: what is told of the draws beside distances is read off them.
pub(crate) struct Gallery {
    /// At equal steps.
    pub(crate) draws: Ensemble,
    /// Those from which units are taken.
    pub(crate) of_units: Ensemble,
}

impl Gallery {
    pub(crate) fn new(blocks: &dyn BlockWorkers, survey: &Survey, progress: &dyn Progress) -> Result<Self> {
        let draws = survey.draws();
        let steps = STAND_FOR_ALL.min(draws);
        let spread: Vec<usize> = (0..steps).map(|i| (2 * i + 1) * draws / (2 * steps)).collect();
        let of_units: Vec<usize> = crate::units::looked_at(draws, survey.atoms).collect();
        let all = survey.some(blocks, &[spread.as_slice(), &of_units].concat(), progress)?;
        let places = |range: std::ops::Range<usize>| all.select(&range.collect::<Vec<_>>());
        Ok(Gallery { draws: places(0..spread.len())?, of_units: places(spread.len()..all.len())? })
    }
}

/// Puts a question to all blocks.
pub(super) fn ask(
    blocks: &dyn BlockWorkers,
    asked: Asked,
    progress: &dyn Progress,
    take: impl FnMut(&[usize], Found) -> Result<()>,
) -> Result<()> {
    ask_some(blocks, &(0..blocks.blocks()).collect::<Vec<_>>(), asked, progress, take)
}

/// Puts a question to some blocks; `take` gets each of them once, some at a time, with their answer.
fn ask_some(
    workers: &dyn BlockWorkers,
    blocks: &[usize],
    asked: Asked,
    progress: &dyn Progress,
    mut take: impl FnMut(&[usize], Found) -> Result<()>,
) -> Result<()> {
    let question = BlockQuestion(asked);
    let together = workers.most_jobs().map_or(1, |most| blocks.len().div_ceil(most.max(1))).max(1);
    let job = |blocks: &[usize]| BlockJob { blocks: blocks.to_vec(), question: &question };
    let jobs: Vec<BlockJob> = blocks.chunks(together).map(job).collect();
    let mut seen = vec![false; jobs.len()];
    workers.answer(&jobs, progress, &mut |place, answer| {
        let again = seen.get(place).copied().unwrap_or(true);
        if again {
            return Err(wrong_answer());
        }
        seen[place] = true;
        take(&jobs[place].blocks, answer.0)?;
        progress.advance(jobs[place].blocks.len() as u64);
        Ok(())
    })?;
    if seen.into_iter().all(|seen| seen) { Ok(()) } else { Err(wrong_answer()) }
}
