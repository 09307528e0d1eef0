//! The partition that a mixing measure implies: MAP labels, membership probabilities and sampled labels of points.

use fearless_simd::{Level, dispatch};
use rand::RngExt;
use rayon::prelude::*;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::fits::{are_below, has_length};
use crate::kernel::LANES;
use crate::mixture::{Evaluator, LogSumExp, Mixture, POINTS_PER_TASK};
use crate::random::{Purpose, stream};
use crate::text::Index;
use crate::vector_math::exp::exp_nonpositive;
use crate::{Ensemble, Error, Partition, PartitionDraws, Points, Progress, Result, Silent};

/// How many rows of membership probabilities [`for_each_membership_block`] holds at a time.
pub(crate) const ROWS_PER_BLOCK: usize = 8 * POINTS_PER_TASK;

/// The MAP label of every point and the probability of that label.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Allocation {
    /// argmax_k w_k f(y | θ_k), an index of an atom; ties go to the lowest.
    #[schemars(with = "Vec<Index>")]
    pub labels: Vec<u32>,
    /// The membership probability of that atom under the estimate, w_k f(y | θ_k) / F(y), between 1/K and 1: how far the atoms overlap at the point,
    /// not how much the draws differ about it.
    pub membership_probability: Vec<f64>,
}

impl Allocation {
    /// Reads one, or none; where a part of one is missing or damaged, that is an error.
    pub(crate) fn whole_or_absent<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Option<Self>, D::Error> {
        /// Any part may be missing. What is there must be sound.
        #[derive(Deserialize)]
        struct Parts {
            labels: Option<Vec<u32>>,
            membership_probability: Option<Vec<f64>>,
        }
        let parts = Parts::deserialize(deserializer)?;
        match (parts.labels, parts.membership_probability) {
            (Some(labels), Some(membership_probability)) => Ok(Some(Allocation { labels, membership_probability })),
            (None, None) => Ok(None),
            (None, _) => Err(D::Error::missing_field("labels")),
            (_, None) => Err(D::Error::missing_field("membership_probability")),
        }
    }

    /// Refuses labels that do not fit the number of atoms, or their probabilities.
    pub(crate) fn fits(&self, atoms: usize) -> Result<()> {
        has_length("membership_probability", self.membership_probability.len(), self.labels.len())?;
        are_below("labels", self.labels.iter().map(|label| *label as usize), atoms)
    }
}

impl Allocation {
    /// Number of distinct labels (k*_n in the paper).
    pub fn clusters(&self) -> usize {
        compact_labels(&self.labels).atoms.len()
    }
}

/// Labels renamed to 0, 1, … without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompactLabels {
    /// The new label of every point; clusters are numbered by the index of their atom.
    pub labels: Vec<u32>,
    /// The atom that each new label stands for, ascending.
    pub atoms: Vec<u32>,
}

/// Renames labels to 0, 1, … without gaps. Cost O(n log K*).
pub(crate) fn compact_labels(labels: &[u32]) -> CompactLabels {
    let mut atoms: Vec<u32> = Vec::new();
    for label in labels {
        if let Err(place) = atoms.binary_search(label) {
            atoms.insert(place, *label);
        }
    }
    let place = |label| atoms.partition_point(|&atom| atom < label) as u32;
    CompactLabels { labels: labels.iter().map(|&label| place(label)).collect(), atoms }
}

/// MAP labels of points, those of the fit or new ones, in the log domain, so that far-away points are right too.
///
/// Points in parallel; cost O(K d²) a point, memory 12 bytes a point.
pub fn allocate(mixture: &Mixture, points: Points, progress: &dyn Progress) -> Result<Allocation> {
    points.expect_dim(mixture.dim(), "the mixing measure")?;
    let mut labels = vec![0u32; points.len()];
    let mut membership_probability = vec![0.0; points.len()];
    progress.begin("labels", points.len() as u64);
    labels
        .par_chunks_mut(POINTS_PER_TASK)
        .zip(membership_probability.par_chunks_mut(POINTS_PER_TASK))
        .enumerate()
        .try_for_each(|(task, (labels, probability))| {
            progress.check()?;
            let mut evaluator = Evaluator::new(mixture);
            for (b, (labels, probability)) in labels.chunks_mut(LANES).zip(probability.chunks_mut(LANES)).enumerate() {
                let start = task * POINTS_PER_TASK + b * LANES;
                allocate_block(&mut evaluator, mixture, points.rows(start..start + labels.len()), labels, probability);
            }
            progress.advance(labels.len() as u64);
            Ok(())
        })?;
    Ok(Allocation { labels, membership_probability })
}

fn allocate_block(
    evaluator: &mut Evaluator,
    mixture: &Mixture,
    points: Points,
    labels: &mut [u32],
    probability: &mut [f64],
) {
    let mut sums = LogSumExp::default();
    let mut best = [f64::NEG_INFINITY; LANES];
    let mut atom = [0u64; LANES];
    evaluator.terms(points, |first, terms| {
        for (k, term) in (first as u64..).zip(terms) {
            for b in 0..LANES {
                let better = term[b] > best[b];
                best[b] = if better { term[b] } else { best[b] };
                atom[b] = if better { k } else { atom[b] };
            }
        }
        sums.add(terms);
    });
    let shares = sums.largest_shares();
    for b in 0..labels.len() {
        if best[b] > f64::NEG_INFINITY {
            labels[b] = atom[b] as u32;
            probability[b] = shares[b];
        } else {
            labels[b] = nearest_beyond_range(mixture, points.point(b)) as u32;
            probability[b] = 1.0;
        }
    }
}

/// The MAP atom of a point so far away that ‖L⁻¹(y − μ)‖² overflows for every atom: weights and normalizers no longer matter,
/// so the least ‖L⁻¹(y − μ)‖ wins, computed with all coordinates scaled into [−1, 1] and without squares.
fn nearest_beyond_range(mixture: &Mixture, point: &[f64]) -> usize {
    let kernel = mixture.weighted_kernel();
    let largest = |x: &[f64]| x.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let size = (0..mixture.len()).fold(largest(point), |size, k| size.max(largest(kernel.mean(k))));
    let norm = |k: usize| -> f64 {
        let mut rows = kernel.inverse_factor(k);
        let mut norm: f64 = 0.0;
        for i in 0..point.len() {
            let (row, rest) = rows.split_at(i + 1);
            let z: f64 =
                row.iter().zip(point.iter().zip(kernel.mean(k))).map(|(w, (y, m))| w * (y / size - m / size)).sum();
            norm = norm.hypot(z);
            rows = rest;
        }
        norm
    };
    let mut best = (0, f64::INFINITY);
    for k in 0..mixture.len() {
        let norm = norm(k);
        if norm < best.1 {
            best = (k, norm);
        }
    }
    best.0
}

/// Membership probabilities P(z = k | y) of a run of points.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MembershipBlock<'a> {
    /// Row of the first point, as the caller counts them.
    pub first_row: usize,
    /// Number of atoms K.
    pub atoms: usize,
    /// rows × K; every row sums to 1.
    pub probabilities: &'a [f64],
}

/// Hands the membership probabilities of all points to `visitor`, in order, `ROWS_PER_BLOCK` rows at a time.
///
/// Memory: `ROWS_PER_BLOCK` × K numbers, whatever the number of points.
pub fn for_each_membership_block(
    mixture: &Mixture,
    points: Points,
    progress: &dyn Progress,
    mut visitor: impl FnMut(MembershipBlock) -> Result<()>,
) -> Result<()> {
    points.expect_dim(mixture.dim(), "the mixing measure")?;
    let atoms = mixture.len();
    progress.begin("membership probabilities", points.len() as u64);
    let mut block = reserve(ROWS_PER_BLOCK.min(points.len()), atoms)?;
    for start in (0..points.len()).step_by(ROWS_PER_BLOCK) {
        let rows = points.rows(start..points.len().min(start + ROWS_PER_BLOCK));
        let probabilities = &mut block[..rows.len() * atoms];
        fill_memberships(mixture, rows, progress, probabilities)?;
        visitor(MembershipBlock { first_row: rows.first_row(), atoms, probabilities })?;
    }
    Ok(())
}

/// Membership probabilities of all points at once, n × K; see [`for_each_membership_block`] for many points.
pub fn memberships(mixture: &Mixture, points: Points, progress: &dyn Progress) -> Result<Vec<f64>> {
    points.expect_dim(mixture.dim(), "the mixing measure")?;
    progress.begin("membership probabilities", points.len() as u64);
    let mut out = reserve(points.len(), mixture.len())?;
    fill_memberships(mixture, points, progress, &mut out)?;
    Ok(out)
}

fn reserve(rows: usize, atoms: usize) -> Result<Vec<f64>> {
    let too_large = || {
        Error::resource(format!("membership probabilities of {rows} points and {atoms} atoms do not fit into memory"))
            .hint("work through the points in blocks, or prune atoms of negligible weight")
    };
    let size = rows.checked_mul(atoms).ok_or_else(too_large)?;
    let mut out = Vec::new();
    out.try_reserve_exact(size).map_err(|_| too_large())?;
    out.resize(size, 0.0);
    Ok(out)
}

fn fill_memberships(mixture: &Mixture, points: Points, progress: &dyn Progress, out: &mut [f64]) -> Result<()> {
    let atoms = mixture.len();
    out.par_chunks_mut(POINTS_PER_TASK * atoms).enumerate().try_for_each(|(task, out)| {
        progress.check()?;
        let mut evaluator = Evaluator::new(mixture);
        for (b, out) in out.chunks_mut(LANES * atoms).enumerate() {
            let (start, rows) = (task * POINTS_PER_TASK + b * LANES, out.len() / atoms);
            log_terms(&mut evaluator, points.rows(start..start + rows), atoms, out);
            for (i, row) in out.chunks_exact_mut(atoms).enumerate() {
                to_probabilities(row, || nearest_beyond_range(mixture, points.point(start + i)));
            }
        }
        progress.advance((out.len() / atoms) as u64);
        Ok(())
    })
}

/// log(w_k f(y | θ_k)), one row of atoms a point.
fn log_terms(evaluator: &mut Evaluator, points: Points, atoms: usize, out: &mut [f64]) {
    evaluator.terms(points, |first, terms| {
        for (k, term) in (first..).zip(terms) {
            for (row, value) in out.chunks_exact_mut(atoms).zip(term) {
                row[k] = *value;
            }
        }
    });
}

/// Turns log-terms into probabilities, in place; `nearest` names the atom when all terms are −∞.
fn to_probabilities(terms: &mut [f64], nearest: impl FnOnce() -> usize) {
    let largest = terms.iter().fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a });
    if largest == f64::NEG_INFINITY {
        terms.fill(0.0);
        terms[nearest()] = 1.0;
        return;
    }
    dispatch!(Level::new(), _simd => exponentiate(terms, largest));
    let total: f64 = terms.iter().sum();
    terms.iter_mut().for_each(|x| *x /= total);
}

#[inline(always)]
fn exponentiate(terms: &mut [f64], largest: f64) {
    for x in terms {
        *x = exp_nonpositive(*x - largest);
    }
}

/// One label a point, drawn from its membership probabilities: the label of row i depends on (seed, i) alone.
///
/// Points in parallel; cost O(K d²) a point.
pub fn sample_labels(mixture: &Mixture, points: Points, seed: u64, progress: &dyn Progress) -> Result<Vec<u32>> {
    sample_labels_of_draw(mixture, points, seed, 0, progress)
}

/// Draws of partitions from draws of mixing measures: given each draw, every point's label is drawn from its membership probabilities, which is
/// their posterior distribution. Labels of draw m depend on (seed, m) alone.
///
/// Draws in parallel; cost O(K d²) per point and draw.
pub fn sample_partitions(
    draws: &Ensemble,
    points: Points,
    seed: u64,
    progress: &dyn Progress,
) -> Result<PartitionDraws> {
    points.expect_dim(draws.dim(), "the draws")?;
    progress.begin("labels of each draw", draws.len() as u64);
    let partitions = (0..draws.len()).into_par_iter().map(|m| {
        progress.check()?;
        let mixture = Mixture::new(&draws.draw(m))?;
        let labels = sample_labels_of_draw(&mixture, points, seed, m as u64, &Silent)?;
        progress.advance(1);
        Partition::from_integers(&labels)
    });
    let sampled = PartitionDraws::from_partitions(&partitions.collect::<Result<Vec<_>>>()?)?;
    draws.draw_weights().map_or(Ok(sampled.clone()), |weights| sampled.with_draw_weights(weights))
}

/// The label of row i in draw m depends on (seed, m, i) alone.
fn sample_labels_of_draw(
    mixture: &Mixture,
    points: Points,
    seed: u64,
    draw: u64,
    progress: &dyn Progress,
) -> Result<Vec<u32>> {
    points.expect_dim(mixture.dim(), "the mixing measure")?;
    let atoms = mixture.len();
    let mut labels = vec![0u32; points.len()];
    progress.begin("sampled labels", points.len() as u64);
    labels.par_chunks_mut(POINTS_PER_TASK).enumerate().try_for_each(|(task, labels)| {
        progress.check()?;
        let mut evaluator = Evaluator::new(mixture);
        let mut rows = vec![0.0; LANES * atoms];
        // Row i takes the i-th 64-bit number of one stream.
        let mut rng = stream(seed, Purpose::Labels, draw);
        rng.set_word_pos(2 * (points.first_row() + task * POINTS_PER_TASK) as u128);
        for (b, labels) in labels.chunks_mut(LANES).enumerate() {
            let start = task * POINTS_PER_TASK + b * LANES;
            let rows = &mut rows[..labels.len() * atoms];
            log_terms(&mut evaluator, points.rows(start..start + labels.len()), atoms, rows);
            for (i, (row, label)) in rows.chunks_exact_mut(atoms).zip(labels).enumerate() {
                to_probabilities(row, || nearest_beyond_range(mixture, points.point(start + i)));
                *label = pick(row, rng.random::<f64>()) as u32;
            }
        }
        progress.advance(labels.len() as u64);
        Ok(())
    })?;
    Ok(labels)
}

/// The first index whose cumulative probability exceeds u in [0, 1); rounding never picks an index of probability 0.
pub(crate) fn pick(probabilities: &[f64], u: f64) -> usize {
    let mut left = u;
    let mut last = 0;
    for (k, &p) in probabilities.iter().enumerate() {
        if p > 0.0 {
            last = k;
            if left < p {
                break;
            }
            left -= p;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::GaussianKernel;
    use crate::kernel::tests::random_values;
    use crate::mixture::tests::random_measure;
    use crate::{GaussianAtoms, MixingMeasure};
    use proptest::prelude::*;

    fn line_mixture(weights: &[f64], means: &[f64], variances: &[f64]) -> Mixture {
        let atoms = GaussianAtoms::new(1, means.to_vec(), variances.to_vec(), Default::default()).unwrap();
        Mixture::new(&MixingMeasure::new(weights.to_vec(), atoms).unwrap()).unwrap()
    }

    /// Posterior of two measures under which the point 0 is in the first cluster with probability 1/2 and 1/(1 + e^-2·…): shares of sampled pairs
    /// agree with products of memberships. False alarm: each share is within 5 standard errors, 6e-7.
    #[test]
    fn partitions_of_draws_have_the_law_of_their_measures() {
        let count = 4000;
        let (weights, means) = ([0.5, 0.5].repeat(count), [0.0, 2.0].repeat(count));
        let draws = Ensemble::builder(1)
            .atoms_per_draw(2)
            .weights(&weights)
            .means(&means)
            .covariances(vec![1.0; 2 * count])
            .build()
            .unwrap();
        let values = [1.0, 1.3, -4.0];
        let points = Points::new(1, &values).unwrap();
        let sampled = sample_partitions(&draws, points, 5, &Silent).unwrap();
        let again = sample_partitions(&draws, points, 5, &Silent).unwrap();
        assert!((0..count).all(|m| sampled.labels(m) == again.labels(m)));
        let first: Vec<f64> = values.iter().map(|y| 1.0 / (1.0 + (2.0 * (y - 1.0)).exp())).collect();
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let expected = first[i] * first[j] + (1.0 - first[i]) * (1.0 - first[j]);
            let shared = (0..count).filter(|&m| sampled.labels(m).get(i) == sampled.labels(m).get(j)).count() as f64;
            let error = (expected * (1.0 - expected) / count as f64).sqrt();
            assert!((shared / count as f64 - expected).abs() < 5.0 * error, "{i} {j}: {shared} of {count}, {expected}");
        }
    }

    fn label_of(mixture: &Mixture, y: f64) -> u32 {
        allocate(mixture, Points::new(1, &[y]).unwrap(), &Silent).unwrap().labels[0]
    }

    #[test]
    fn labels_and_memberships_agree_with_the_definition() {
        for (d, k) in [(1, 1), (1, 5), (2, 20), (4, 50)] {
            let measure = random_measure(d, k, 3);
            let mixture = Mixture::new(&measure).unwrap();
            let kernel = GaussianKernel::new(measure.atoms()).unwrap();
            let values = random_values(1500 * d, 5.0, 4);
            let points = Points::new(d, &values).unwrap();
            let allocation = allocate(&mixture, points, &Silent).unwrap();
            let probabilities = memberships(&mixture, points, &Silent).unwrap();
            for i in 0..1500 {
                let logs: Vec<f64> =
                    (0..k).map(|k| measure.weights()[k].ln() + kernel.log_kernel_at(k, points.point(i))).collect();
                let best = (0..k).max_by(|&a, &b| logs[a].total_cmp(&logs[b])).unwrap();
                let total: f64 = logs.iter().map(|x| (x - logs[best]).exp()).sum();
                assert_eq!(allocation.labels[i] as usize, best);
                assert!((allocation.membership_probability[i] - 1.0 / total).abs() < 1e-12);
                let row = &probabilities[i * k..(i + 1) * k];
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                for (p, log) in row.iter().zip(&logs) {
                    assert!((p - (log - logs[best]).exp() / total).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn far_points_get_the_right_label_even_beyond_the_range_of_f64() {
        let mixture = line_mixture(&[0.3, 0.3, 0.4], &[-1.0, 1.0, 0.0], &[1.0, 1.0, 1e-4]);
        for y in [40.0, 1e8, 1e15] {
            assert_eq!(label_of(&mixture, y), 1);
            assert_eq!(label_of(&mixture, -y), 0);
        }
        let wide = line_mixture(&[0.5, 1e-12, 0.5], &[0.0, 5.0, 0.0], &[1.0, 100.0, 1.0]);
        for y in [1e3, 1e100, 1e160, 1e200, f64::MAX] {
            assert_eq!(label_of(&wide, y), 1, "{y}");
            assert_eq!(label_of(&wide, -y), 1, "{y}");
            let row = memberships(&wide, Points::new(1, &[y]).unwrap(), &Silent).unwrap();
            assert_eq!(row, [0.0, 1.0, 0.0]);
        }
        let narrow = line_mixture(&[0.5, 0.5], &[0.0, 0.0], &[1e-300, 2e-300]);
        assert_eq!(label_of(&narrow, f64::MAX), 1);
    }

    #[test]
    fn ties_go_to_the_lowest_atom_and_clusters_are_counted() {
        let mixture = line_mixture(&[0.25; 4], &[5.0, -1.0, 1.0, 1.0], &[1.0; 4]);
        let allocation = allocate(&mixture, Points::new(1, &[0.0, 1.0, -9.0, 1e300]).unwrap(), &Silent).unwrap();
        assert_eq!(allocation.labels[..3], [1, 2, 1]);
        assert_eq!(allocation.clusters(), 3);
        assert_eq!(compact_labels(&[7, 2, 7, 9]), CompactLabels { labels: vec![1, 0, 1, 2], atoms: vec![2, 7, 9] });
        assert_eq!(compact_labels(&[]), CompactLabels { labels: vec![], atoms: vec![] });
    }

    #[test]
    fn sampled_labels_follow_the_memberships() {
        let mixture = line_mixture(&[0.2, 0.3, 0.5], &[0.0, 1.0, -1.0], &[1.0, 2.0, 0.5]);
        let n = 200_000;
        let values = vec![0.4; n];
        let points = Points::new(1, &values).unwrap();
        let expected = memberships(&mixture, points.rows(0..1), &Silent).unwrap();
        let labels = sample_labels(&mixture, points, 11, &Silent).unwrap();
        for k in 0..3 {
            let share = labels.iter().filter(|&&label| label == k as u32).count() as f64 / n as f64;
            // 5 standard errors: false alarms 6e-7 each under another seed.
            assert!((share - expected[k]).abs() < 5.0 * (expected[k] * (1.0 - expected[k]) / n as f64).sqrt());
        }
    }

    #[test]
    fn pieces_blocks_and_threads_do_not_change_a_bit() {
        let mixture = Mixture::new(&random_measure(2, 12, 8)).unwrap();
        let values = random_values(2 * 20_000, 4.0, 9);
        let points = Points::new(2, &values).unwrap();
        let whole = sample_labels(&mixture, points, 5, &Silent).unwrap();
        let mut pieces = Vec::new();
        for range in [0..777, 777..5000, 5000..20_000] {
            pieces.extend(sample_labels(&mixture, points.rows(range), 5, &Silent).unwrap());
        }
        assert_eq!(whole, pieces);

        let all = memberships(&mixture, points, &Silent).unwrap();
        let mut streamed = Vec::new();
        for_each_membership_block(&mixture, points, &Silent, |block| {
            assert_eq!(block.first_row * block.atoms, streamed.len());
            streamed.extend_from_slice(block.probabilities);
            Ok(())
        })
        .unwrap();
        assert_eq!(all, streamed);

        let allocation = allocate(&mixture, points, &Silent).unwrap();
        let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        single.install(|| {
            assert_eq!(allocation, allocate(&mixture, points, &Silent).unwrap());
            assert_eq!(all, memberships(&mixture, points, &Silent).unwrap());
            assert_eq!(whole, sample_labels(&mixture, points, 5, &Silent).unwrap());
        });
    }

    #[test]
    fn interruption_and_wrong_dimensions_are_errors() {
        struct Stop;
        impl Progress for Stop {
            fn cancelled(&self) -> bool {
                true
            }
        }
        let mixture = line_mixture(&[1.0], &[0.0], &[1.0]);
        let points = Points::new(1, &[0.0]).unwrap();
        assert_eq!(allocate(&mixture, points, &Stop).unwrap_err().to_string(), "interrupted");
        let plane = Points::new(2, &[0.0, 0.0]).unwrap();
        for error in
            [allocate(&mixture, plane, &Silent).unwrap_err(), memberships(&mixture, plane, &Silent).unwrap_err()]
        {
            assert_eq!(error.to_string(), "points have dimension 2, the mixing measure dimension 1");
        }
    }

    proptest! {
        #[test]
        fn pick_inverts_the_cumulative_distribution(weights in prop::collection::vec(0.0..1.0f64, 1..20), u in 0.0..1.0f64) {
            let total: f64 = weights.iter().sum();
            prop_assume!(total > 0.0);
            let p: Vec<f64> = weights.iter().map(|w| w / total).collect();
            let k = pick(&p, u);
            prop_assert!(p[k] > 0.0);
            let before: f64 = p[..k].iter().sum();
            prop_assert!(before <= u + 1e-12 && u <= before + p[k] + 1e-12);
        }
    }
}
