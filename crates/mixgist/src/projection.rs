//! Draws through slices: the ensemble bound to frozen slices, handing out sorted line measures a few slices at a time.

mod others;

use std::ops::Range;

use rayon::prelude::*;

pub(crate) use others::OtherMeasures;

use crate::ensemble::{Ensemble, MixingMeasure};
use crate::line::{Lines, Order};
use crate::progress::Progress;
use crate::prune::{Budget, Pruned, Pruning};
use crate::slice::{Coordinates, Replicates, Slices};
use crate::slice_error::{KEPT_APART, SliceGroups, independent_batches};
use crate::text;
use crate::text::{named, option};
use crate::work::Away;
use crate::{Error, Result};

/// An ensemble and L frozen slices of it. Line measures are computed when asked for and never all kept.
pub(crate) struct Projection<'a> {
    slices: &'a dyn Slices,
    coordinates: Coordinates,
    weights: Vec<f64>,
    offsets: Vec<usize>,
    draw_weights: Vec<f64>,
    budget: Option<Budget>,
    pruned: Pruned,
    order: Order,
    away: Option<Away<'a>>,
}

/// What pruning leaves of some measures.
struct PrunedMeasures {
    coordinates: Coordinates,
    weights: Vec<f64>,
    offsets: Vec<usize>,
}

impl PrunedMeasures {
    fn new(
        measures: &Ensemble,
        slices: &dyn Slices,
        coordinates: Coordinates,
        budget: Option<Budget>,
    ) -> (Self, Pruned) {
        let (weights, offsets) = (measures.weights(), measures.offsets());
        match budget.and_then(|budget| budget.survivors(slices, &coordinates, weights, offsets)) {
            Some(left) => {
                let coordinates = coordinates.select(&left.atoms);
                (PrunedMeasures { coordinates, weights: left.weights, offsets: left.offsets }, left.report)
            }
            None => (
                PrunedMeasures { coordinates, weights: weights.to_vec(), offsets: offsets.to_vec() },
                Pruned::default(),
            ),
        }
    }
}

/// Slices of a piece: what is summed over all slices is summed over each piece first, and then over the pieces in order. So the pieces of one pass can be
/// computed anywhere. With few rows the threads share the pieces of a batch.
pub(crate) const PIECE: usize = 8;

/// Slices that one task projects together, so that the coordinates pass through the cache once for all of them.
const TOGETHER: usize = 4;

/// Up to as many where the coordinates take more than [`LARGE_BYTES`] and come from far away each time, as long as every thread has a task: with four, to fetch those of
/// 1000 draws of 20 atoms in dimension 10 took as long as to multiply them, 15 % of the medoid's time.
const TOGETHER_IF_LARGE: usize = 16;
const LARGE_BYTES: usize = 1 << 23;

impl<'a> Projection<'a> {
    /// Computes coordinates and prunes. Cost O(atoms × d³) at most.
    pub(crate) fn new(ensemble: &Ensemble, slices: &'a dyn Slices, order: Order, pruning: Pruning) -> Result<Self> {
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
        let budget = Budget::of_draws(slices, &coordinates, ensemble.weights(), ensemble.offsets(), order, pruning);
        let (kept, pruned) = PrunedMeasures::new(ensemble, slices, coordinates, budget);
        let PrunedMeasures { coordinates, weights, offsets } = kept;
        Ok(Projection { slices, coordinates, weights, offsets, draw_weights, budget, pruned, order, away: None })
    }

    /// With workers elsewhere, who are asked instead of the threads of this process.
    pub(crate) fn with_workers(self, away: Option<Away<'a>>) -> Self {
        Projection { away, ..self }
    }

    /// Who is asked instead of the threads of this process.
    pub(crate) fn away(&self) -> Option<&Away<'a>> {
        self.away.as_ref()
    }

    /// Number of draws M.
    pub(crate) fn draws(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of slices L.
    pub(crate) fn slices(&self) -> usize {
        self.slices.len()
    }

    /// Atoms of all draws after pruning.
    pub(crate) fn atoms(&self) -> usize {
        self.weights.len()
    }

    /// The order p.
    pub(crate) fn order(&self) -> Order {
        self.order
    }

    /// Weight of each draw; they sum to 1.
    pub(crate) fn draw_weights(&self) -> &[f64] {
        &self.draw_weights
    }

    /// What pruning did.
    pub(crate) fn pruned(&self) -> Pruned {
        self.pruned
    }

    /// The independent groups of slices.
    pub(crate) fn replicates(&self) -> Replicates {
        self.slices.replicates()
    }

    /// Line measures of all draws on a few slices, with scratch space for their positions.
    fn lines(&self, slices: Range<usize>, positions: &mut Vec<f64>) -> Result<Vec<Lines<'_>>> {
        let atoms = self.atoms();
        positions.resize(slices.len() * atoms, 0.0);
        self.slices.project(slices.clone(), &self.coordinates, positions);
        for (slice, positions) in slices.clone().zip(positions.chunks_exact(atoms)) {
            positions_in_bounds(positions, slice, &self.offsets, self.order)?;
        }
        Ok(positions.chunks_exact(atoms).map(|row| Lines::sort(&self.offsets, row.to_vec(), &self.weights)).collect())
    }

    /// All slices in batches that keep the threads busy and whose tables stay below a quarter of a gigabyte.
    pub(crate) fn batches(&self) -> Vec<Vec<usize>> {
        let longest = self.longest_batch();
        (0..self.slices()).step_by(longest).map(|l| (l..self.slices().min(l + longest)).collect()).collect()
    }

    /// All slices in batches that are independent of each other, for standard errors: they do not depend on the draws, so that the error of a distance is the
    /// same wherever it is asked for.
    pub(crate) fn independent_batches(&self) -> Vec<Vec<usize>> {
        independent_batches(self.slices(), self.slices.replicates())
    }

    /// All slices in a few groups that are independent of each other, for standard errors; fewer when so many numbers are kept for each.
    pub(crate) fn slice_groups(&self, numbers: usize) -> SliceGroups {
        SliceGroups::new(self.slices(), self.slices.replicates(), groups_to_keep(numbers))
    }

    /// The same batches, cut where one is longer than memory should hold.
    pub(crate) fn pieces(&self, batches: &[Vec<usize>]) -> Vec<Vec<usize>> {
        batches.iter().flat_map(|batch| batch.chunks(self.longest_batch())).map(<[usize]>::to_vec).collect()
    }

    /// Measures that are not draws, on the same slices and pruned as the draws are.
    pub(crate) fn others(&self, measures: &[MixingMeasure]) -> Result<OtherMeasures<'a>> {
        let others = Ensemble::from_measures(measures)?;
        let coordinates = self.slices.coordinates(others.atoms());
        let (kept, _) = PrunedMeasures::new(&others, self.slices, coordinates, self.budget);
        Ok(OtherMeasures::new(self.slices, kept, self.order))
    }

    /// Memory that one slice takes at most when it is kept.
    pub(crate) fn kept_bytes_per_slice(&self) -> usize {
        kept_bytes_per_slice(self.atoms(), self.draws())
    }

    fn longest_batch(&self) -> usize {
        longest_batch(self.atoms(), self.draws())
    }

    /// Slices of a batch of so many that one task projects. No number depends on it.
    fn together(&self, batch: usize) -> usize {
        let bytes = size_of::<f64>() * self.coordinates.width() * self.atoms();
        let of_thread = batch / rayon::current_num_threads() / TOGETHER * TOGETHER;
        if bytes > LARGE_BYTES { of_thread.clamp(TOGETHER, TOGETHER_IF_LARGE) } else { TOGETHER }
    }

    /// Passes over the given batches of slices: `build` turns the lines of each slice into what is needed, in parallel over the
    /// slices of a batch; `consume` gets each batch with its slices, in order.
    pub(crate) fn stream<'s, T: Send>(
        &'s self,
        batches: &[Vec<usize>],
        progress: &dyn Progress,
        build: impl Fn(Lines<'s>) -> T + Sync,
        consume: impl FnMut(&[usize], Vec<T>) -> Result<()>,
    ) -> Result<()> {
        self.stream_numbered(batches, progress, |_, lines| build(lines), consume)
    }

    /// As [`Projection::stream`]; `build` is told which slice it is, too.
    pub(crate) fn stream_numbered<'s, T: Send>(
        &'s self,
        batches: &[Vec<usize>],
        progress: &dyn Progress,
        build: impl Fn(usize, Lines<'s>) -> T + Sync,
        mut consume: impl FnMut(&[usize], Vec<T>) -> Result<()>,
    ) -> Result<()> {
        for batch in batches {
            progress.check()?;
            let built: Vec<Vec<T>> = runs(batch, self.together(batch.len()))
                .into_par_iter()
                .map_init(Vec::new, |positions, run| {
                    let lines = run.clone().zip(self.lines(run, positions)?);
                    lines.map(|(slice, lines)| progress.check().map(|()| build(slice, lines))).collect()
                })
                .collect::<Result<_>>()?;
            consume(batch, built.into_iter().flatten().collect())?;
            progress.advance(batch.len() as u64);
        }
        Ok(())
    }
}

/// Groups of slices that are kept apart when each takes so many numbers: a quarter of a gigabyte, but never fewer than eight.
fn groups_to_keep(numbers: usize) -> usize {
    ((1 << 25) / numbers.max(1)).clamp(8, KEPT_APART)
}

/// Memory that judging so many measures takes: the draws on other slices, and costs by groups and for one batch of slices.
pub(crate) fn bytes_to_judge(dim: usize, atoms: usize, draws: usize, slices: u64, measures: usize) -> u64 {
    let numbers = measures * draws;
    let together = slices.min((groups_to_keep(numbers) + longest_batch(atoms, draws)) as u64);
    predicted_bytes(dim, atoms, draws, slices) + 8 * numbers as u64 * together
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

/// Bytes that the draws take while they pass through so many slices, for atoms of dimension `dim`: their coordinates and one batch.
pub(crate) fn predicted_bytes(dim: usize, atoms: usize, draws: usize, slices: u64) -> u64 {
    let coordinates = 8 * (dim + dim * (dim + 1) / 2 + 3) as u64 * atoms as u64;
    // Pruning selects coordinates into a second store.
    2 * coordinates + slices.min(longest_batch(atoms, draws) as u64) * bytes_per_slice(atoms, draws) as u64
}

/// Cuts a list of slices into runs of neighbours that are projected together.
fn runs(slices: &[usize], together: usize) -> Vec<Range<usize>> {
    slices
        .chunk_by(|a, b| a + 1 == *b)
        .flat_map(|run| run.chunks(together))
        .map(|run| run[0]..run[run.len() - 1] + 1)
        .collect()
}

/// A position that is no number or too large.
struct Beyond {
    place: usize,
    position: f64,
}

impl Beyond {
    fn error(&self, slice: usize) -> Error {
        Error::input(format!("an atom is at {} on slice {slice}: too large to compute with", self.position))
            .hint(text!["rescale the data, use ", option("units", "sd"), ", or a smaller ", named("order")])
    }
}

/// Refuses positions of draws on one slice that cannot be computed with.
pub(crate) fn positions_in_bounds(positions: &[f64], slice: usize, offsets: &[usize], order: Order) -> Result<()> {
    check_positions(positions, order).map_err(|beyond| {
        let draw = offsets.partition_point(|&start| start <= beyond.place) - 1;
        beyond.error(slice).at_draw(draw)
    })
}

/// Refuses positions so large that transport costs, their squares or the sums of those would not be finite.
fn check_positions(positions: &[f64], order: Order) -> std::result::Result<(), Beyond> {
    let largest = libm::pow(1e140, order.value().recip());
    match positions.iter().position(|x| x.is_nan() || x.abs() > largest) {
        Some(place) => Err(Beyond { place, position: positions[place] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atoms::GaussianAtoms;
    use crate::slice::CustomSlices;

    #[test]
    fn runs_are_neighbours_and_short() {
        assert_eq!(runs(&[0, 1, 2, 3, 4, 7, 8, 10], 4), [0..4, 4..5, 7..9, 10..11]);
        assert_eq!(runs(&[], 4), Vec::<Range<usize>>::new());
    }

    /// One draw of two atoms whose position on slice l is l and −l.
    fn with_projection(slices: usize, job: impl Fn(&Projection)) {
        let atoms = ([0.0, 1.0], [1.0, 1.0]);
        let ensemble = Ensemble::builder(1)
            .atoms_per_draw(2)
            .weights(&[0.5, 0.5])
            .means(&atoms.0)
            .covariances(&atoms.1)
            .build()
            .unwrap();
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
