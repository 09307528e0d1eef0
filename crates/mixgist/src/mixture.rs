//! The density F = f * G of a mixing measure, ready to be evaluated: kernels, log-weights and log-sum-exp.

use std::ops::Range;

use fearless_simd::{Level, dispatch};
use rayon::prelude::*;

use crate::kernel::{GaussianKernel, LANES, PointBlock};
use crate::vector_math::exp::{exp, exp_nonpositive};
use crate::{Ensemble, GaussianAtoms, MixingMeasure, Points, Progress, Result};

/// How many points one task evaluates; fixed, so that nothing depends on the number of threads.
pub(crate) const POINTS_PER_TASK: usize = 16 * LANES;
/// How many atoms are evaluated before their terms are folded into the sums; they stay in the nearest cache.
const ATOMS_AT_ONCE: usize = 16;

/// A term below e^−50 of the largest counts as 0: it is far below half a unit in the last place of the sum, which is at least
/// the largest. Most atoms are that far from most points, and skipping their exponentials saves most of the time.
const NEGLIGIBLE: f64 = -50.0;

/// F(y) = Σ_k w_k f(y | θ_k), prepared for evaluation at many points.
///
/// ```
/// use mixgist::{CovarianceForm, GaussianAtoms, MixingMeasure, Mixture, Points, Silent, allocate};
///
/// let atoms = GaussianAtoms::new(1, vec![-2.0, 2.0], vec![1.0, 0.5], CovarianceForm::StandardDeviation)?;
/// let mixture = Mixture::new(&MixingMeasure::new(vec![0.3, 0.7], atoms)?)?;
/// let points = [-3.0, 0.0, 2.5];
/// let points = Points::new(1, &points)?;
/// let density = mixture.density(points, &Silent)?;
/// let allocation = allocate(&mixture, points, &Silent)?;
/// assert_eq!(allocation.labels, [0, 0, 1]);
/// assert!(density.iter().all(|f| *f > 0.0) && allocation.membership_probability.iter().all(|p| *p > 0.9));
/// # Ok::<(), mixgist::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// log w_k is folded into the kernel's log-normalizers.
    kernel: GaussianKernel,
    weights: Vec<f64>,
}

impl Mixture {
    /// The density of a mixing measure. Cost O(K d³).
    pub fn new(measure: &MixingMeasure) -> Result<Self> {
        Ok(Self::with_kernel(GaussianKernel::new(measure.atoms())?, measure.weights()))
    }

    /// Its marginal density on some coordinates, in the given order.
    pub fn marginal(measure: &MixingMeasure, coordinates: &[usize]) -> Result<Self> {
        Self::marginal_of(measure.weights(), measure.atoms(), coordinates)
    }

    /// The posterior mean density: all atoms of all draws in one mixture, weighed by their draws.
    pub fn posterior_mean(ensemble: &Ensemble) -> Result<Self> {
        let mut weights = ensemble.weights().to_vec();
        for m in 0..ensemble.len() {
            let draw_weight = ensemble.draw_weights().map_or(1.0 / ensemble.len() as f64, |weights| weights[m]);
            weights[ensemble.range(m)].iter_mut().for_each(|w| *w *= draw_weight);
        }
        Ok(Self::with_kernel(GaussianKernel::new(ensemble.atoms())?, &weights))
    }

    pub(crate) fn marginal_of(weights: &[f64], atoms: &GaussianAtoms, coordinates: &[usize]) -> Result<Self> {
        Ok(Self::with_kernel(GaussianKernel::marginal(atoms, coordinates)?, weights))
    }

    fn with_kernel(kernel: GaussianKernel, weights: &[f64]) -> Self {
        Mixture { kernel: kernel.weighted(weights), weights: weights.to_vec() }
    }

    /// w_k f(y | θ_k) at the atoms.
    pub(crate) fn weighted_kernel(&self) -> &GaussianKernel {
        &self.kernel
    }

    /// The weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of atoms K.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Never: a mixing measure has at least one atom.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Dimension of the points.
    pub fn dim(&self) -> usize {
        self.kernel.dim()
    }

    /// log F at every point. Far from all atoms, where F itself underflows, it is still exact.
    ///
    /// Points in parallel; cost O(K d²) a point.
    pub fn log_density(&self, points: Points, progress: &dyn Progress) -> Result<Vec<f64>> {
        self.evaluate(points, progress, LogSumExp::logs)
    }

    /// F at every point: 0 where F < 1e-307.
    ///
    /// Points in parallel; cost O(K d²) a point.
    pub fn density(&self, points: Points, progress: &dyn Progress) -> Result<Vec<f64>> {
        self.evaluate(points, progress, LogSumExp::sums)
    }

    fn evaluate(
        &self,
        points: Points,
        progress: &dyn Progress,
        finish: fn(&LogSumExp) -> [f64; LANES],
    ) -> Result<Vec<f64>> {
        points.expect_dim(self.dim(), "the mixture")?;
        let mut out = vec![0.0; points.len()];
        progress.begin("density", points.len() as u64);
        out.par_chunks_mut(POINTS_PER_TASK).enumerate().try_for_each(|(task, out)| {
            progress.check()?;
            let mut evaluator = Evaluator::new(self);
            for (b, out) in out.chunks_mut(LANES).enumerate() {
                let start = task * POINTS_PER_TASK + b * LANES;
                evaluator.load(points.rows(start..start + out.len()));
                out.copy_from_slice(&finish(&evaluator.accumulate(0..self.len()))[..out.len()]);
            }
            progress.advance(out.len() as u64);
            Ok(())
        })?;
        Ok(out)
    }
}

/// One task's scratch space for evaluating a mixture block by block.
pub(crate) struct Evaluator<'a> {
    mixture: &'a Mixture,
    block: PointBlock,
    terms: Vec<[f64; LANES]>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(mixture: &'a Mixture) -> Self {
        Evaluator { mixture, block: PointBlock::new(mixture.dim()), terms: vec![[0.0; LANES]; ATOMS_AT_ONCE] }
    }

    /// Takes in at most [`LANES`] points.
    pub(crate) fn load(&mut self, points: Points) {
        self.block.load(points);
    }

    /// Σ_k w_k f(y | θ_k) over the atoms of a range, at the points that were loaded.
    pub(crate) fn accumulate(&mut self, atoms: Range<usize>) -> LogSumExp {
        let mut sums = LogSumExp::default();
        self.visit(atoms, |_, terms| sums.add(terms));
        sums
    }

    /// Loads at most [`LANES`] points and hands log(w_k f(y | θ_k)) of some atoms at a time to `visitor`, with the first atom.
    pub(crate) fn terms(&mut self, points: Points, visitor: impl FnMut(usize, &[[f64; LANES]])) {
        self.load(points);
        self.visit(0..self.mixture.len(), visitor);
    }

    fn visit(&mut self, atoms: Range<usize>, mut visitor: impl FnMut(usize, &[[f64; LANES]])) {
        let end = atoms.end;
        for first in atoms.step_by(ATOMS_AT_ONCE) {
            let chunk = first..end.min(first + ATOMS_AT_ONCE);
            let terms = &mut self.terms[..chunk.len()];
            self.mixture.kernel.log_kernel(chunk, &mut self.block, terms);
            visitor(first, terms);
        }
    }
}

/// Running log Σ exp of each lane: the largest term so far, and the sum of exp(term − largest).
#[derive(Debug, Clone)]
pub(crate) struct LogSumExp {
    largest: [f64; LANES],
    sum: [f64; LANES],
}

impl Default for LogSumExp {
    fn default() -> Self {
        LogSumExp { largest: [f64::NEG_INFINITY; LANES], sum: [0.0; LANES] }
    }
}

impl LogSumExp {
    pub(crate) fn add(&mut self, terms: &[[f64; LANES]]) {
        dispatch!(Level::new(), _simd => self.add_vectorized(terms));
    }

    #[inline(always)]
    fn add_vectorized(&mut self, terms: &[[f64; LANES]]) {
        let mut largest = self.largest;
        for term in terms {
            for b in 0..LANES {
                largest[b] = if term[b] > largest[b] { term[b] } else { largest[b] };
            }
        }
        let mut sum = self.sum;
        for b in 0..LANES {
            sum[b] *= exp_nonpositive(self.largest[b] - largest[b]);
        }
        for term in terms {
            let mut counts = false;
            for b in 0..LANES {
                counts |= term[b] - largest[b] >= NEGLIGIBLE;
            }
            if !counts {
                continue;
            }
            for b in 0..LANES {
                let x = term[b] - largest[b];
                let value = exp_nonpositive(x);
                sum[b] += if x >= NEGLIGIBLE { value } else { 0.0 };
            }
        }
        *self = LogSumExp { largest, sum };
    }

    /// The logarithms of the sums.
    pub(crate) fn logs(&self) -> [f64; LANES] {
        std::array::from_fn(|b| self.largest[b] + self.sum[b].ln())
    }

    /// The sums themselves.
    pub(crate) fn sums(&self) -> [f64; LANES] {
        dispatch!(Level::new(), _simd => self.sums_vectorized())
    }

    #[inline(always)]
    fn sums_vectorized(&self) -> [f64; LANES] {
        let mut out = [0.0; LANES];
        for b in 0..LANES {
            out[b] = exp(self.largest[b]) * self.sum[b];
        }
        out
    }

    /// The share of the largest term in each sum.
    pub(crate) fn largest_shares(&self) -> [f64; LANES] {
        self.sum.map(|sum| 1.0 / sum)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Silent;
    use crate::kernel::tests::{log_normal_by_definition, random_atoms, random_values};
    use proptest::prelude::*;

    pub(crate) fn random_measure(dim: usize, k: usize, seed: u64) -> MixingMeasure {
        let weights: Vec<f64> = random_values(k, 1.0, seed).iter().map(|x| x.exp()).collect();
        MixingMeasure::new(weights, random_atoms(dim, k, seed)).unwrap()
    }

    #[test]
    fn log_density_is_the_sum_over_atoms() {
        for (d, k) in [(1, 1), (1, 40), (2, 17), (3, 33), (6, 5)] {
            let measure = random_measure(d, k, 5);
            let mixture = Mixture::new(&measure).unwrap();
            let values = random_values(2500 * d, 4.0, 6);
            let points = Points::new(d, &values).unwrap();
            let logs = mixture.log_density(points, &Silent).unwrap();
            let densities = mixture.density(points, &Silent).unwrap();
            for i in (0..2500).step_by(83) {
                let direct: f64 = (0..k)
                    .map(|k| measure.weights()[k] * log_normal_by_definition(measure.atoms(), k, points.point(i)).exp())
                    .sum();
                assert!((densities[i] - direct).abs() <= 1e-10 * direct, "{} {direct}", densities[i]);
                assert!((logs[i] - direct.ln()).abs() <= 1e-10 * direct.ln().abs().max(1.0));
            }
        }
    }

    #[test]
    fn far_away_the_logarithm_stays_exact() {
        let atoms = GaussianAtoms::new(1, vec![0.0, 1.0], vec![1.0, 1.0], Default::default()).unwrap();
        let mixture = Mixture::new(&MixingMeasure::new(vec![0.5, 0.5], atoms).unwrap()).unwrap();
        let log = mixture.log_density(Points::new(1, &[1e6, 1e200]).unwrap(), &Silent).unwrap();
        let expected = -0.5 * (1e6f64 - 1.0).powi(2) + 0.5f64.ln() - 0.5 * std::f64::consts::TAU.ln();
        assert!((log[0] / expected - 1.0).abs() < 1e-15);
        assert_eq!(log[1], f64::NEG_INFINITY);
    }

    #[test]
    fn the_posterior_mean_is_the_weighted_mean_over_draws() {
        let draws: Vec<_> = (0..5).map(|m| random_measure(2, 3 + m, m as u64)).collect();
        let draw_weights = [0.1, 0.2, 0.0, 0.3, 0.4];
        let ensemble = Ensemble::from_measures(&draws).unwrap().with_draw_weights(&draw_weights).unwrap();
        let values = random_values(20, 3.0, 1);
        let points = Points::new(2, &values).unwrap();
        let mean = Mixture::posterior_mean(&ensemble).unwrap().density(points, &Silent).unwrap();
        let each: Vec<_> = draws.iter().map(|g| Mixture::new(g).unwrap().density(points, &Silent).unwrap()).collect();
        for i in 0..10 {
            let direct: f64 = each.iter().zip(draw_weights).map(|(f, w)| w * f[i]).sum();
            assert!((mean[i] - direct).abs() <= 1e-14 * direct);
        }
    }

    #[test]
    fn every_cpu_gets_the_same_bits() {
        let terms: Vec<[f64; LANES]> =
            random_values(30 * LANES, 20.0, 1).chunks_exact(LANES).map(|row| row.try_into().unwrap()).collect();
        let (mut dispatched, mut plain) = (LogSumExp::default(), LogSumExp::default());
        dispatched.add(&terms);
        plain.add_vectorized(&terms);
        assert_eq!((dispatched.logs(), dispatched.sums()), (plain.logs(), plain.sums_vectorized()));
    }

    #[test]
    fn dimensions_must_agree() {
        let mixture = Mixture::new(&random_measure(2, 1, 1)).unwrap();
        let error = mixture.log_density(Points::new(3, &[0.0; 3]).unwrap(), &Silent).unwrap_err();
        assert_eq!(error.to_string(), "points have dimension 3, the mixture dimension 2");
    }

    proptest! {
        #[test]
        fn log_sum_exp_agrees_with_the_obvious_sum(terms in prop::collection::vec(-50.0..50.0f64, 1..60), cut in 0..60usize) {
            let rows: Vec<[f64; LANES]> = terms.iter().map(|&t| [t; LANES]).collect();
            let (first, second) = rows.split_at(cut.min(rows.len()));
            let mut sums = LogSumExp::default();
            sums.add(first);
            sums.add(second);
            let direct = terms.iter().map(|t| t.exp()).sum::<f64>().ln();
            prop_assert!((sums.logs()[3] - direct).abs() < 1e-13 * direct.abs().max(1.0));
        }
    }
}
