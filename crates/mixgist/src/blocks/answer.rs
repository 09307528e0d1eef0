//! What a block of draws answers.

use rayon::prelude::*;

use super::sums::{Fixed, Grid, MeanTable, SliceSums, fixed_cost};
use super::survey::BlockSurvey;
use super::{Asked, BlockQuestion, Found};
use crate::Result;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::{Lines, Order, table_of_costs_from};
use crate::progress::Progress;
use crate::projection::{PIECE, positions_in_bounds};
use crate::slice::{Coordinates, Slices};
use crate::work::Study;

/// Atoms that go through all slices together: their positions stay in the cache.
const ATOMS_TOGETHER: usize = 1 << 15;

impl BlockQuestion {
    pub(super) fn of_block(&self, block: usize, ensemble: &Ensemble, progress: &dyn Progress) -> Result<Found> {
        match &self.0 {
            Asked::Survey => Ok(Found::Survey(vec![BlockSurvey::new(ensemble)])),
            Asked::Draws(some) => match some.get(block).map(Vec::as_slice) {
                None | Some([]) => Ok(Found::Draws(vec![None])),
                Some(draws) => Ok(Found::Draws(vec![Some(ensemble.select(draws)?.plain().into_owned())])),
            },
            Asked::Sums { study, grids } => sums(study, ensemble, grids, progress).map(Found::Sums),
            Asked::Losses { study, means } => Ok(Found::Losses(vec![losses(study, ensemble, means, progress)?])),
            Asked::Costs { study, measures, origins } => {
                let (costs, by_slice) = costs(study, ensemble, measures, origins, progress)?;
                Ok(Found::Costs { costs: vec![costs], by_slice })
            }
        }
    }
}

/// Some draws of a block, ready for slices.
struct Chunk<'a> {
    coordinates: Coordinates,
    offsets: Vec<usize>,
    weights: &'a [f64],
}

/// The draws in chunks of some thousand atoms.
fn chunks<'a>(ensemble: &'a Ensemble, slices: &'a dyn Slices) -> impl Iterator<Item = Chunk<'a>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        let offsets = ensemble.offsets();
        let start = *offsets.get(first).filter(|_| first < ensemble.len())?;
        while next < ensemble.len() && (next == first || offsets[next + 1] - start <= ATOMS_TOGETHER) {
            next += 1;
        }
        let atoms = start..offsets[next];
        Some(Chunk {
            coordinates: slices.coordinates(&ensemble.atoms().range(atoms.clone())),
            offsets: offsets[first..=next].iter().map(|offset| offset - start).collect(),
            weights: &ensemble.weights()[atoms],
        })
    })
}

impl Chunk<'_> {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The draws on one slice.
    fn lines(&self, slices: &dyn Slices, slice: usize) -> Result<Lines<'_>> {
        let mut positions = vec![0.0; self.weights.len()];
        slices.project(slice..slice + 1, &self.coordinates, &mut positions);
        positions_in_bounds(&positions, slice, &self.offsets, Order::TWO)?;
        Ok(Lines::sort(&self.offsets, positions, self.weights))
    }
}

fn sums(study: &Study, ensemble: &Ensemble, grids: &[Grid], progress: &dyn Progress) -> Result<Vec<SliceSums>> {
    let (draws, slices) = (study.draws(ensemble)?, study.freeze(ensemble.dim())?);
    let mut sums: Vec<_> = grids.iter().map(|grid| (grid, grid.cells(), SliceSums::new(grid))).collect();
    for chunk in chunks(&draws, &*slices) {
        sums.par_iter_mut().enumerate().try_for_each(|(slice, (grid, cells, sums))| {
            progress.check()?;
            sums.add(grid, cells, &chunk.lines(&*slices, slice)?)
        })?;
    }
    Ok(sums.into_iter().map(|(_, _, sums)| sums).collect())
}

/// Sums over the slices of numbers for each draw of a chunk: over pieces of slices first, then over the pieces in order.
fn over_slices(
    slices: usize,
    numbers: usize,
    of_slice: impl Fn(usize, &mut [f64]) -> Result<()> + Sync,
) -> Result<Vec<f64>> {
    let of_piece = |piece: usize| -> Result<Vec<f64>> {
        let (mut sums, mut found) = (vec![0.0; numbers], vec![0.0; numbers]);
        for slice in piece * PIECE..slices.min((piece + 1) * PIECE) {
            of_slice(slice, &mut found)?;
            sums.iter_mut().zip(&found).for_each(|(sum, x)| *sum += x);
        }
        Ok(sums)
    };
    let pieces: Vec<Vec<f64>> = (0..slices.div_ceil(PIECE)).into_par_iter().map(of_piece).collect::<Result<_>>()?;
    let mut sums = vec![0.0; numbers];
    pieces.iter().for_each(|piece| sums.iter_mut().zip(piece).for_each(|(sum, x)| *sum += x));
    sums.iter_mut().for_each(|sum| *sum /= slices as f64);
    Ok(sums)
}

fn losses(study: &Study, ensemble: &Ensemble, means: &[MeanTable], progress: &dyn Progress) -> Result<[Vec<f64>; 3]> {
    let (draws, slices) = (study.draws(ensemble)?, study.freeze(ensemble.dim())?);
    let cells: Vec<_> = means.iter().map(MeanTable::cells).collect();
    let mut all = [const { Vec::new() }; 3];
    for chunk in chunks(&draws, &*slices) {
        let count = chunk.len();
        let sums = over_slices(means.len(), 3 * count, |slice, found| {
            progress.check()?;
            let lines = chunk.lines(&*slices, slice)?;
            for m in 0..count {
                let numbers = means[slice].square(&cells[slice], lines.draw(m));
                (0..3).for_each(|i| found[i * count + m] = numbers[i]);
            }
            Ok(())
        })?;
        all.iter_mut().zip(sums.chunks_exact(count)).for_each(|(all, new)| all.extend_from_slice(new));
    }
    Ok(all)
}

fn costs(
    study: &Study,
    ensemble: &Ensemble,
    measures: &[MixingMeasure],
    origins: &[(f64, i32)],
    progress: &dyn Progress,
) -> Result<(Vec<f64>, Vec<Fixed>)> {
    let (draws, slices) = (study.draws(ensemble)?, study.freeze(ensemble.dim())?);
    let (rows, count) = (measures.len(), origins.len());
    let others = Ensemble::from_measures(measures)?;
    let own = chunk_of(&others, &*slices);
    let own: Vec<Lines> = (0..count).into_par_iter().map(|slice| own.lines(&*slices, slice)).collect::<Result<_>>()?;
    let mut all = vec![Vec::with_capacity(draws.len()); rows];
    let mut by_slice: Vec<Vec<Fixed>> = vec![vec![0; rows]; count];
    for chunk in chunks(&draws, &*slices) {
        let size = chunk.len();
        let of_slices = by_slice.iter_mut().map(std::sync::Mutex::new).collect::<Vec<_>>();
        let sums = over_slices(count, rows * size, |slice, found| {
            progress.check()?;
            let (origin, exponent) = origins[slice];
            table_of_costs_from(origin, &own[slice], &chunk.lines(&*slices, slice)?, found);
            let mut sums = of_slices[slice].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for (sum, costs) in sums.iter_mut().zip(found.chunks_exact(size)) {
                for &cost in costs {
                    *sum += fixed_cost(cost, exponent)?;
                }
            }
            Ok(())
        })?;
        all.iter_mut().zip(sums.chunks_exact(size)).for_each(|(all, new)| all.extend_from_slice(new));
    }
    let by_slice = (0..rows).flat_map(|row| by_slice.iter().map(move |sums| sums[row])).collect();
    Ok((all.concat(), by_slice))
}

/// Few measures as one chunk, however many atoms they have.
fn chunk_of<'a>(measures: &'a Ensemble, slices: &dyn Slices) -> Chunk<'a> {
    Chunk {
        coordinates: slices.coordinates(measures.atoms()),
        offsets: measures.offsets().to_vec(),
        weights: measures.weights(),
    }
}

/// Lines of some draws on every slice, one slice at a time.
pub(super) fn on_slices<T: Send>(study: &Study, draws: &Ensemble, look: impl Fn(&Lines) -> T + Sync) -> Result<Vec<T>> {
    let (draws, slices) = (study.draws(draws)?, study.freeze(draws.dim())?);
    let chunk = chunk_of(&draws, &*slices);
    (0..slices.len()).into_par_iter().map(|slice| Ok(look(&chunk.lines(&*slices, slice)?))).collect()
}
