//! Draws through slices: the ensemble bound to frozen slices, handing out sorted line measures a few slices at a time.

use std::ops::Range;

use rayon::prelude::*;

use crate::ensemble::Ensemble;
use crate::line::{Lines, Order};
use crate::progress::Progress;
use crate::prune::{Pruned, Pruning, survivors};
use crate::slice::{Coordinates, Replicates, Slices};
use crate::slice_error::independent_batches;
use crate::{Error, Result};

/// An ensemble and L frozen slices of it. Line measures are computed when asked for and never all kept.
pub struct Projection<'a> {
    slices: &'a dyn Slices,
    coordinates: Coordinates,
    weights: Vec<f64>,
    offsets: Vec<usize>,
    draw_weights: Vec<f64>,
    pruned: Pruned,
    order: Order,
}

/// Slices that one task projects together, so that the coordinates pass through the cache once for all of them.
const TOGETHER: usize = 4;

impl<'a> Projection<'a> {
    /// Computes coordinates and prunes. Cost O(atoms × d³) at most.
    pub fn new(ensemble: &Ensemble, slices: &'a dyn Slices, order: Order, pruning: Pruning) -> Result<Self> {
        if slices.is_empty() {
            return Err(Error::usage("there are no slices, at least one is needed"));
        }
        pruning.check()?;
        let draws = ensemble.len();
        let draw_weights = match ensemble.draw_weights() {
            Some(weights) => weights.to_vec(),
            None => vec![1.0 / draws as f64; draws],
        };
        let coordinates = slices.coordinates(ensemble.atoms());
        let (weights, offsets) = (ensemble.weights(), ensemble.offsets());
        Ok(match survivors(slices, &coordinates, weights, offsets, order, pruning) {
            Some(left) => Projection {
                slices,
                coordinates: coordinates.select(&left.atoms),
                weights: left.weights,
                offsets: left.offsets,
                draw_weights,
                pruned: left.report,
                order,
            },
            None => Projection {
                slices,
                coordinates,
                weights: weights.to_vec(),
                offsets: offsets.to_vec(),
                draw_weights,
                pruned: Pruned::default(),
                order,
            },
        })
    }

    /// Number of draws M.
    pub fn draws(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of slices L.
    pub fn slices(&self) -> usize {
        self.slices.len()
    }

    /// Atoms of all draws after pruning.
    pub fn atoms(&self) -> usize {
        self.weights.len()
    }

    /// The order p.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Weight of each draw; they sum to 1.
    pub fn draw_weights(&self) -> &[f64] {
        &self.draw_weights
    }

    /// What pruning did.
    pub fn pruned(&self) -> Pruned {
        self.pruned
    }

    /// The independent groups of slices.
    pub fn replicates(&self) -> Replicates {
        self.slices.replicates()
    }

    /// Line measures of all draws on a few slices.
    fn lines(&self, slices: Range<usize>) -> Result<Vec<Lines<'_>>> {
        let atoms = self.atoms();
        let mut positions = vec![0.0; slices.len() * atoms];
        self.slices.project(slices.clone(), &self.coordinates, &mut positions);
        let largest = largest_position(self.order);
        if let Some(i) = positions.iter().position(|x| x.is_nan() || x.abs() > largest) {
            let atom = i % atoms;
            let draw = self.offsets.partition_point(|&start| start <= atom) - 1;
            return Err(Error::input(format!(
                "an atom is at {} on slice {}: too large to compute with",
                positions[i],
                slices.start + i / atoms
            ))
            .at_draw(draw)
            .hint("rescale the data, use --units sd, or a smaller --order"));
        }
        Ok(positions.chunks_exact(atoms).map(|row| Lines::sort(&self.offsets, row.to_vec(), &self.weights)).collect())
    }

    /// All slices in batches that keep the threads busy and whose tables stay below a quarter of a gigabyte.
    pub fn batches(&self) -> Vec<Vec<usize>> {
        let longest = self.longest_batch();
        (0..self.slices()).step_by(longest).map(|l| (l..self.slices().min(l + longest)).collect()).collect()
    }

    /// All slices in batches that are independent of each other, for standard errors.
    pub fn independent_batches(&self) -> Vec<Vec<usize>> {
        independent_batches(self.slices(), self.slices.replicates(), self.longest_batch())
    }

    /// The same batches, cut where one is longer than memory should hold.
    pub fn pieces(&self, batches: &[Vec<usize>]) -> Vec<Vec<usize>> {
        batches.iter().flat_map(|batch| batch.chunks(self.longest_batch())).map(<[usize]>::to_vec).collect()
    }

    /// Memory that one slice takes at most when it is kept.
    pub(crate) fn kept_bytes_per_slice(&self) -> usize {
        kept_bytes_per_slice(self.atoms(), self.draws())
    }

    fn longest_batch(&self) -> usize {
        longest_batch(self.atoms(), self.draws())
    }

    /// Passes over the given batches of slices: `build` turns the lines of each slice into what is needed, in parallel over the
    /// slices of a batch; `consume` gets each batch with its slices, in order.
    pub fn stream<'s, T: Send>(
        &'s self,
        batches: &[Vec<usize>],
        progress: &dyn Progress,
        build: impl Fn(Lines<'s>) -> T + Sync,
        consume: impl FnMut(&[usize], Vec<T>) -> Result<()>,
    ) -> Result<()> {
        self.stream_numbered(batches, progress, |_, lines| build(lines), consume)
    }

    /// As [`Projection::stream`]; `build` is told which slice it is, too.
    pub fn stream_numbered<'s, T: Send>(
        &'s self,
        batches: &[Vec<usize>],
        progress: &dyn Progress,
        build: impl Fn(usize, Lines<'s>) -> T + Sync,
        mut consume: impl FnMut(&[usize], Vec<T>) -> Result<()>,
    ) -> Result<()> {
        for batch in batches {
            progress.check()?;
            let built: Vec<Vec<T>> = runs(batch)
                .into_par_iter()
                .map(|run| {
                    let lines = run.clone().zip(self.lines(run)?);
                    lines.map(|(slice, lines)| progress.check().map(|()| build(slice, lines))).collect()
                })
                .collect::<Result<_>>()?;
            consume(batch, built.into_iter().flatten().collect())?;
            progress.advance(batch.len() as u64);
        }
        Ok(())
    }
}

/// Memory that one slice takes while it is worked on, roughly.
fn bytes_per_slice(atoms: usize, draws: usize) -> usize {
    64 * atoms + 64 * draws
}

/// Memory that one slice takes at most when it is kept: an atom stands in the line twice, compressed and not, and has a jump, a group
/// of its own and two cells.
pub(crate) fn kept_bytes_per_slice(atoms: usize, draws: usize) -> usize {
    132 * atoms + 64 * draws
}

fn longest_batch(atoms: usize, draws: usize) -> usize {
    let bytes = bytes_per_slice(atoms, draws);
    // 32 slices keep the threads busy, unless they are so small that handing out work takes longer than doing it.
    let most = ((1 << 22) / bytes).max(32);
    ((256 << 20) / bytes).clamp(TOGETHER, most) / TOGETHER * TOGETHER
}

/// Bytes that the draws take while they pass through slices, for atoms of dimension `dim`: their coordinates and one batch.
pub(crate) fn predicted_bytes(dim: usize, atoms: usize, draws: usize) -> u64 {
    let coordinates = 8 * (dim + dim * (dim + 1) / 2 + 3) as u64 * atoms as u64;
    // Pruning selects coordinates into a second store.
    2 * coordinates + longest_batch(atoms, draws) as u64 * bytes_per_slice(atoms, draws) as u64
}

/// Cuts a list of slices into runs of neighbours that are projected together.
fn runs(slices: &[usize]) -> Vec<Range<usize>> {
    slices
        .chunk_by(|a, b| a + 1 == *b)
        .flat_map(|run| run.chunks(TOGETHER))
        .map(|run| run[0]..run[run.len() - 1] + 1)
        .collect()
}

/// Positions beyond this are refused, so that transport costs, their squares and the sums of those stay finite.
fn largest_position(order: Order) -> f64 {
    libm::pow(1e140, order.value().recip())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atoms::{CovarianceForm, GaussianAtoms};
    use crate::slice::CustomSlices;

    #[test]
    fn runs_are_neighbours_and_short() {
        assert_eq!(runs(&[0, 1, 2, 3, 4, 7, 8, 10]), [0..4, 4..5, 7..9, 10..11]);
        assert_eq!(runs(&[]), Vec::<Range<usize>>::new());
    }

    /// One draw of two atoms whose position on slice l is l and −l.
    fn with_projection(slices: usize, job: impl Fn(&Projection)) {
        let atoms = ([0.0, 1.0], [1.0, 1.0]);
        let ensemble = Ensemble::from_dense(1, 2, &[0.5, 0.5], &atoms.0, &atoms.1, CovarianceForm::Covariance).unwrap();
        let frozen = CustomSlices::new(slices, |_: &GaussianAtoms, out: &mut [f64]| {
            out.chunks_mut(2).enumerate().for_each(|(l, x)| x.copy_from_slice(&[l as f64, -(l as f64)]));
        });
        job(&Projection::new(&ensemble, &frozen, Order::TWO, Pruning::Off).unwrap());
    }

    #[test]
    fn slices_arrive_in_the_order_of_their_batches() {
        with_projection(70, |projection| {
            let strided: Vec<Vec<usize>> = (0..3).map(|group| (group..70).step_by(3).collect()).collect();
            for batches in [projection.batches(), projection.independent_batches(), strided] {
                let (mut seen, mut asked) = (Vec::new(), Vec::new());
                let largest = |lines: Lines| lines.draw(0).positions()[1] as usize;
                projection
                    .stream(&batches, &crate::Silent, largest, |slices, built| {
                        asked.extend_from_slice(slices);
                        seen.extend(built);
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(seen, asked);
                seen.sort_unstable();
                assert_eq!(seen, (0..70).collect::<Vec<_>>());
            }
        });
    }

    #[test]
    fn pieces_are_the_batches_again() {
        with_projection(100_000, |projection| {
            let longest = projection.longest_batch();
            let batches = vec![(0..90_000).collect(), (90_000..100_000).collect::<Vec<usize>>()];
            let pieces = projection.pieces(&batches);
            assert!(pieces.len() > 2 && pieces.iter().all(|piece| piece.len() <= longest));
            assert_eq!(pieces.concat(), batches.concat());
            assert!(pieces.iter().any(|piece| piece.last() == Some(&89_999)));
        });
    }
}
