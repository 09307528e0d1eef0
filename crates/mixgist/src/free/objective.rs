//! The loss of a measure against mean quantile functions, with its gradient.
//!
//! On one slice let the atoms stand at x_1 ≤ … ≤ x_k with cumulative weights c_j, and let S be the running integral of the target. Then
//! ∫ (Q − Q̄)² = Σ_j (w_j x_j² − 2 x_j (S(c_j) − S(c_{j−1}))) + ∫ Q̄², with derivatives 2 (w_j x_j − S(c_j) + S(c_{j−1})) in x_j and
//! (x_j − x_{j+1}) (x_j + x_{j+1} − 2 Q̄(c_j)) in c_j. Where two atoms change places the loss has a kink that points up, so that no
//! minimum lies there.

use rayon::prelude::*;

use crate::slice::{Chart, Tangents};
use crate::target::SliceTarget;

/// The mean over slices of the squared distance between a measure and the targets.
pub(super) struct Objective<'a> {
    tangents: &'a dyn Tangents,
    chart: &'a Chart,
    targets: &'a [SliceTarget],
    dim: usize,
    constant: f64,
}

/// Slices that one task takes.
const BLOCK: usize = 128;

/// Fewer numbers than this, slices by atoms by coordinates, are not worth a second thread.
const WORTH_THREADS: usize = 1 << 14;

impl<'a> Objective<'a> {
    /// Slice l has target l. `chart` is that of the slices. `constant` is roughly what the expected squared loss has besides: that of
    /// the mean itself.
    pub(super) fn new(
        tangents: &'a dyn Tangents,
        chart: &'a Chart,
        targets: &'a [SliceTarget],
        dim: usize,
        constant: f64,
    ) -> Self {
        Objective { tangents, chart, targets, dim, constant }
    }

    /// What the expected squared loss has besides.
    pub(super) fn constant(&self) -> f64 {
        self.constant
    }

    /// The coordinates of atoms.
    pub(super) fn chart(&self) -> &Chart {
        self.chart
    }

    /// Numbers an atom.
    pub(super) fn width(&self) -> usize {
        self.chart.width(self.dim)
    }

    /// Dimension of the means.
    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    /// Number of atoms of a parameter vector: a logit and the free parameters for each.
    pub(super) fn atoms(&self, parameters: &[f64]) -> usize {
        parameters.len() / (1 + self.width())
    }

    /// Loss and gradient. `parameters` are k logits of the weights, then the free parameters of k atoms. Same bits for any
    /// number of threads. Infinite where a covariance could not be written down.
    pub(super) fn evaluate(&self, parameters: &[f64], gradient: &mut [f64]) -> f64 {
        let k = self.atoms(parameters);
        let weights = softmax(&parameters[..k]);
        let mut points = parameters[k..].to_vec();
        self.chart.to_points(self.dim, &mut points);
        if !self.chart.admits(self.dim, &points) {
            gradient.fill(0.0);
            return f64::INFINITY;
        }
        let of_block = |(block, targets): (usize, &[SliceTarget])| {
            let slices = block * BLOCK..block * BLOCK + targets.len();
            let mut positions = vec![0.0; targets.len() * k];
            self.tangents.positions(slices.clone(), &points, &mut positions);
            let mut work = Workspace::new(k, points.len());
            for (target, positions) in targets.iter().zip(positions.chunks_exact_mut(k)) {
                work.add_slice(target, &weights, positions);
            }
            // What stands in place of the positions are the slopes of the loss in them.
            self.tangents.add_gradient(slices, &points, &positions, &mut work.sums.points);
            work.sums
        };
        let blocks: Vec<Sums> = if self.targets.len() * points.len() >= WORTH_THREADS {
            self.targets.par_chunks(BLOCK).enumerate().map(of_block).collect()
        } else {
            self.targets.chunks(BLOCK).enumerate().map(of_block).collect()
        };
        let slices = self.targets.len() as f64;
        gradient.fill(0.0);
        let mut loss = 0.0;
        let (of_weights, of_points) = gradient.split_at_mut(k);
        for block in &blocks {
            loss += block.loss;
            of_weights.iter_mut().zip(&block.weights).for_each(|(sum, x)| *sum += x / slices);
            of_points.iter_mut().zip(&block.points).for_each(|(sum, x)| *sum += x / slices);
        }
        let mean: f64 = of_weights.iter().zip(&weights).map(|(g, w)| g * w).sum();
        of_weights.iter_mut().zip(&weights).for_each(|(g, w)| *g = w * (*g - mean));
        self.chart.pull_back(self.dim, &parameters[k..], &points, of_points);
        loss / slices
    }

    /// A positive diagonal that stands for the second derivatives: for atoms that of the squared distance with the coupling held
    /// fixed, 2 w_k mean_l (∂x/∂θ)²; for logits the weight times the spread of the targets.
    pub(super) fn curvature(&self, parameters: &[f64]) -> Vec<f64> {
        let (k, width) = (self.atoms(parameters), self.width());
        let weights = softmax(&parameters[..k]);
        let mut points = parameters[k..].to_vec();
        self.chart.to_points(self.dim, &mut points);
        let (mut positions, mut tangents) = (vec![0.0; k], vec![0.0; k * width]);
        let mut squares = vec![0.0; k * width];
        let mut spread = 0.0;
        let step = self.targets.len().div_ceil(SAMPLED_SLICES);
        let sampled = (0..self.targets.len()).step_by(step);
        let count = sampled.len() as f64;
        for l in sampled {
            self.tangents.differentiate(l, &points, &mut positions, &mut tangents);
            self.chart.pull_back(self.dim, &parameters[k..], &points, &mut tangents);
            squares.iter_mut().zip(&tangents).for_each(|(sum, x)| *sum += x * x / count);
            spread += self.targets[l].spread() / count;
        }
        // Light atoms would take steps without end; rests of rounding are lifted to something positive.
        let weight = |atom: usize| weights[atom].max(LIGHTEST);
        let mean_square = squares.iter().sum::<f64>() / squares.len() as f64;
        let logits = (0..k).map(|atom| weight(atom) * spread);
        let atoms = squares.iter().enumerate().map(|(i, x)| 2.0 * weight(i / width) * (x + 1e-6 * mean_square));
        logits.chain(atoms).map(|x| x.max(f64::MIN_POSITIVE)).collect()
    }
}

/// Slices that the curvature is averaged over.
const SAMPLED_SLICES: usize = 64;

/// Atoms below this weight are taken to have this weight where step lengths are chosen.
const LIGHTEST: f64 = 1e-4;

/// Weights from logits.
pub(super) fn softmax(logits: &[f64]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut weights: Vec<f64> = logits.iter().map(|x| libm::exp(x - largest)).collect();
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    weights
}

/// Loss and derivatives, summed over slices.
struct Sums {
    loss: f64,
    weights: Vec<f64>,
    points: Vec<f64>,
}

struct Workspace {
    sums: Sums,
    ranks: Vec<u64>,
    order: Vec<usize>,
    /// Positions in ascending order.
    sorted: Vec<f64>,
    of_cumulative: Vec<f64>,
}

impl Workspace {
    fn new(k: usize, coordinates: usize) -> Self {
        Workspace {
            sums: Sums { loss: 0.0, weights: vec![0.0; k], points: vec![0.0; coordinates] },
            ranks: vec![0; k],
            order: vec![0; k],
            sorted: vec![0.0; k],
            of_cumulative: vec![0.0; k],
        }
    }

    /// Adds the loss on one slice and its derivatives in the weights; puts those in the positions in their place.
    fn add_slice(&mut self, target: &SliceTarget, weights: &[f64], positions: &mut [f64]) {
        let k = weights.len();
        positions.iter_mut().for_each(|x| *x -= target.origin());
        self.sort(positions);
        let (mut reached, mut integral, mut loss) = (0.0, 0.0, target.norm);
        for rank in 0..k {
            let atom = self.order[rank];
            let (x, weight) = (self.sorted[rank], weights[atom]);
            let end = if rank + 1 == k { 1.0 } else { f64::min(reached + weight, 1.0) };
            let (until, level) = target.at(end);
            let mass = until - integral;
            let length = end - reached;
            loss += x * (length * x - 2.0 * mass);
            positions[atom] = 2.0 * (length * x - mass);
            self.of_cumulative[rank] = if rank + 1 == k {
                0.0
            } else {
                let next = self.sorted[rank + 1];
                (x - next) * (x + next - 2.0 * level)
            };
            (reached, integral) = (end, until);
        }
        self.sums.loss += loss;
        // A weight moves every cumulative weight from its own on.
        let mut later = 0.0;
        for rank in (0..k).rev() {
            later += self.of_cumulative[rank];
            self.sums.weights[self.order[rank]] += later;
        }
    }

    /// Counts for each atom how many stand to its left, the earlier ones among those in one place: quadratic, but there are few atoms, and no
    /// branch depends on where they stand.
    fn sort(&mut self, x: &[f64]) {
        self.ranks.fill(0);
        for (j, &own) in x.iter().enumerate() {
            let (before, after) = self.ranks.split_at_mut(j);
            before.iter_mut().zip(x).for_each(|(rank, &other)| *rank += u64::from(own < other));
            after[1..].iter_mut().zip(&x[j + 1..]).for_each(|(rank, &other)| *rank += u64::from(own <= other));
        }
        for (atom, &rank) in self.ranks.iter().enumerate() {
            self.order[rank as usize] = atom;
            self.sorted[rank as usize] = x[atom];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{Lines, Order, transport_cost};
    use crate::random::{Purpose, standard_normals, stream};
    use crate::slice::{Freeze, SLICERS, Scheme};
    use crate::target::Cells;

    const SLICES: usize = 10;

    /// Numbers that look random.
    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut x = vec![0.0; count];
        standard_normals(&mut stream(seed, Purpose::Simulation, 0), &mut x);
        x
    }

    /// A line measure of so many atoms for each slice.
    fn with_targets(atoms: usize, job: impl Fn(&[SliceTarget], &[Lines])) {
        let offsets = [0, atoms];
        let total: f64 = numbers(atoms, 99).iter().map(|x| x.exp()).sum();
        let weights: Vec<f64> = numbers(atoms, 99).iter().map(|x| x.exp() / total).collect();
        let lines: Vec<Lines> =
            (0..SLICES as u64).map(|l| Lines::sort(&offsets, numbers(atoms, l), &weights)).collect();
        let target = |lines: &Lines| SliceTarget::many(lines, &[&[1.0]], Cells::choose(lines, &[0])).remove(0);
        job(&lines.iter().map(target).collect::<Vec<_>>(), &lines);
    }

    /// A covariance that is not much narrower than the atoms here.
    fn narrow(dim: usize) -> Vec<f64> {
        (0..dim * dim).map(|e| if e % (dim + 1) == 0 { 0.5 } else { 0.1 }).collect()
    }

    #[test]
    fn gradients_are_differences_of_the_loss_for_every_slicer() {
        // So many atoms that the target's steps are finer than the differences, up to the last digits.
        with_targets(7, |targets, _| {
            for (slicer, dim) in SLICERS.into_iter().flat_map(|slicer| [1, 2, 3].map(|dim| (slicer, dim))) {
                let freeze = Freeze { dim, slices: 0..SLICES, seed: 4, scheme: Scheme::Iid };
                let slices = slicer.freeze(&freeze);
                let tangents = slices.tangents().unwrap();
                let chart = tangents.chart().no_narrower_than(narrow(dim), dim);
                let objective = Objective::new(tangents, &chart, targets, dim, 0.0);
                let x: Vec<f64> = numbers(4 * (1 + objective.width()), 7).iter().map(|x| 0.6 * x).collect();
                let mut gradient = vec![0.0; x.len()];
                objective.evaluate(&x, &mut gradient);
                for c in 0..x.len() {
                    let moved = |step: f64| {
                        let mut moved = x.clone();
                        moved[c] += step;
                        objective.evaluate(&moved, &mut vec![0.0; x.len()])
                    };
                    let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    let scale = gradient.iter().map(|g| g.abs()).fold(1e-3, f64::max);
                    assert!(
                        (difference - gradient[c]).abs() < 1e-6 * scale,
                        "{} in dimension {dim}, coordinate {c}: {difference} {}",
                        slicer.name(),
                        gradient[c]
                    );
                }
                assert!(objective.curvature(&x).iter().all(|c| *c > 0.0 && c.is_finite()));
            }
        });
    }

    /// The loss is the transport cost, to the digits that a target keeps while it fits into its cells, and nearly when it does not.
    #[test]
    fn the_loss_is_the_mean_transport_cost() {
        for (atoms, tolerance) in [(1, 1e-8), (7, 1e-8), (200, 1e-8), (5000, 1e-4)] {
            with_targets(atoms, |targets, lines| {
                let freeze = Freeze { dim: 2, slices: 0..SLICES, seed: 4, scheme: Scheme::Iid };
                let slices = SLICERS[1].freeze(&freeze);
                let tangents = slices.tangents().unwrap();
                let chart = tangents.chart().no_narrower_than(narrow(2), 2);
                let objective = Objective::new(tangents, &chart, targets, 2, 0.0);
                let x = numbers(4 * (1 + objective.width()), 8);
                let loss = objective.evaluate(&x, &mut vec![0.0; x.len()]);
                let weights = softmax(&x[..4]);
                let own = slices.coordinates(&objective.chart().atoms(2, &x[4..]).unwrap());
                let mut expected = 0.0;
                for (l, lines) in lines.iter().enumerate() {
                    let mut positions = vec![0.0; 4];
                    slices.project(l..l + 1, &own, &mut positions);
                    let offsets = [0, 4];
                    let sorted = Lines::sort(&offsets, positions, &weights);
                    expected += transport_cost(sorted.draw(0), lines.draw(0), Order::TWO) / SLICES as f64;
                }
                assert!((loss - expected).abs() < tolerance * expected, "{atoms}: {loss} {expected}");
            });
        }
    }
}
