//! Passes over all draws in blocks, for one set of slices.

use super::answer::on_slices;
use super::sums::{Fixed, Grid, MeanTable, SliceSums, cells_for, exponent, of_fixed_cost};
use super::survey::ask;
use super::{Asked, BlockWorkers, Found, Survey, wrong_answer};
use crate::Result;
use crate::effective::Origin;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::Lines;
use crate::progress::Progress;
use crate::slice::Replicates;
use crate::target::SliceTarget;
use crate::work::Study;

/// Draws in blocks on some slices.
pub(crate) struct Passes<'a> {
    blocks: &'a dyn BlockWorkers,
    survey: &'a Survey,
    study: Study,
    slices: usize,
    replicates: Replicates,
    grids: Vec<Grid>,
}

/// What passes are for; without mean quantile functions the slices need no cells.
#[derive(Clone, Copy)]
pub(crate) enum AskedOf {
    Everything,
    CostsAlone,
}

/// What one sweep tells of every draw.
pub(crate) struct Losses {
    /// Mean squared distance of each draw to all draws.
    pub(crate) losses: Vec<f64>,
    /// How wrong that can be.
    pub(crate) errors: Vec<f64>,
    /// Mean quantile functions for fits.
    pub(crate) targets: Vec<SliceTarget>,
}

/// The costs of one measure.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Mean transport cost to every draw.
    pub(crate) costs: Vec<f64>,
    /// Mean over the draws of the costs on each slice.
    pub(crate) by_slice: Vec<f64>,
}

/// Rounding errors of a square are parts of the sizes that it is a difference of.
const ROUNDING: f64 = 1e-13;

/// Slices that the size of a draw is looked up on.
const SIZING_SLICES: usize = 16;

impl<'a> Passes<'a> {
    /// `sample` are draws that stand for all.
    pub(crate) fn new(
        blocks: &'a dyn BlockWorkers,
        survey: &'a Survey,
        sample: &Ensemble,
        study: Study,
        replicates: Replicates,
        asked: AskedOf,
    ) -> Result<Self> {
        let cells = cells_for(study.freeze(survey.dim)?.len());
        let grid = |lines: &Lines| match asked {
            AskedOf::Everything => Grid::of_sample(lines, cells),
            AskedOf::CostsAlone => {
                let origin = lines.middle();
                Grid { origin, exponent: exponent(lines, origin), ends: Vec::new() }
            }
        };
        let grids = on_slices(&study, sample, grid)?;
        Ok(Passes { blocks, survey, slices: grids.len(), study, replicates, grids })
    }

    pub(crate) fn draws(&self) -> usize {
        self.survey.draws()
    }

    pub(crate) fn slices(&self) -> usize {
        self.slices
    }

    pub(crate) fn replicates(&self) -> Replicates {
        self.replicates
    }

    /// The mean quantile functions, and the losses that they give: two passes.
    pub(crate) fn losses(&self, progress: &dyn Progress) -> Result<Losses> {
        progress.begin("mean quantile functions", self.blocks.blocks() as u64);
        let empty = Found::Sums(self.grids.iter().map(SliceSums::new).collect());
        let mut sums = Some(empty);
        let asked = Asked::Sums { study: self.study.clone(), grids: self.grids.clone() };
        ask(self.blocks, asked, progress, |_, answer| {
            sums = Some(sums.take().ok_or_else(wrong_answer)?.and(answer)?);
            Ok(())
        })?;
        let Some(Found::Sums(sums)) = sums else { return Err(wrong_answer()) };
        let tables = self.grids.iter().zip(&sums).map(|(grid, sums)| MeanTable::new(grid, sums, self.draws()));
        let means: Vec<MeanTable> = tables.collect();
        let targets = means.iter().map(MeanTable::target).collect();
        drop(sums);
        progress.begin("sweep over draws", self.blocks.blocks() as u64);
        let mut found: Vec<[Vec<f64>; 3]> = vec![const { [const { Vec::new() }; 3] }; self.blocks.blocks()];
        let asked = Asked::Losses { study: self.study.clone(), means };
        ask(self.blocks, asked, progress, |asked, answer| match answer {
            Found::Losses(losses) if losses.len() == asked.len() => {
                asked.iter().zip(losses).for_each(|(&block, losses)| found[block] = losses);
                Ok(())
            }
            _ => Err(wrong_answer()),
        })?;
        let joined = |i: usize| found.iter().flat_map(|block| &block[i]).copied().collect::<Vec<f64>>();
        let [mut losses, mut errors, norms] = [joined(0), joined(1), joined(2)];
        if [&losses, &errors, &norms].iter().any(|all| all.len() != self.draws()) {
            return Err(wrong_answer());
        }
        let mean_norm = norms.iter().sum::<f64>() / norms.len() as f64;
        for ((loss, error), norm) in losses.iter_mut().zip(&mut errors).zip(&norms) {
            *loss = (*loss + mean_norm).max(0.0);
            *error += ROUNDING * (norm + mean_norm);
        }
        Ok(Losses { losses, errors, targets })
    }

    /// Costs of measures in working units to every draw.
    pub(crate) fn rows(&self, measures: &[MixingMeasure], phase: &str, progress: &dyn Progress) -> Result<Vec<Row>> {
        progress.begin(phase, self.blocks.blocks() as u64);
        let (rows, draws) = (measures.len(), self.draws());
        let origins: Vec<(f64, i32)> = self.grids.iter().map(|grid| (grid.origin, grid.exponent)).collect();
        let asked = Asked::Costs { study: self.study.clone(), measures: measures.to_vec(), origins };
        let mut found: Vec<Vec<f64>> = vec![Vec::new(); self.blocks.blocks()];
        let mut sums: Vec<Fixed> = vec![0; rows * self.slices];
        ask(self.blocks, asked, progress, |asked, answer| match answer {
            Found::Costs { costs, by_slice } if by_slice.len() == sums.len() && costs.len() == asked.len() => {
                sums.iter_mut().zip(by_slice).for_each(|(sum, new)| *sum += new);
                asked.iter().zip(costs).for_each(|(&block, costs)| found[block] = costs);
                Ok(())
            }
            _ => Err(wrong_answer()),
        })?;
        let row = |(row, sums): (usize, &[Fixed])| {
            let of_block = |costs: &Vec<f64>| {
                let size = costs.len() / rows;
                costs[row * size..(row + 1) * size].to_vec()
            };
            let costs: Vec<f64> = found.iter().flat_map(of_block).collect();
            let mean = |(sum, grid): (&Fixed, &Grid)| of_fixed_cost(*sum, grid.exponent) / draws as f64;
            let by_slice = sums.iter().zip(&self.grids).map(mean).collect();
            if costs.len() == draws { Ok(Row { costs, by_slice }) } else { Err(wrong_answer()) }
        };
        sums.chunks_exact(self.slices).enumerate().map(row).collect()
    }

    /// What rounding makes of the cost between copies of a measure: mass of the size of rounding errors moved from end to end, and last digits of positions.
    pub(crate) fn rounding(&self, measure: &MixingMeasure) -> Result<f64> {
        let few = Study { slices: self.study.slices.min(SIZING_SLICES), transform: None, ..self.study.clone() };
        let of_slice = |lines: &Lines| {
            let positions = lines.draw(0).positions();
            let (low, high) = (positions[0], positions[positions.len() - 1]);
            1e-14 * (high - low).powi(2) + (1e-14 * low.abs().max(high.abs())).powi(2)
        };
        let sizes = on_slices(&few, &Ensemble::from_measures(std::slice::from_ref(measure))?, of_slice)?;
        Ok(sizes.iter().sum::<f64>() / sizes.len() as f64)
    }
}
