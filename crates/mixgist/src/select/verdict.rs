//! How far the choice of the medoid can be trusted: its lead over the runner-up, the error of that lead over slices and over draws, and
//! one verdict from both.
//!
//! The lead is the mean over the draws of how much nearer each is to the medoid than to the runner-up, Σ_m ω_m x_m. It has two errors. **Over
//! slices**: other directions would give other distances. **Over draws**: other draws of the same posterior would give another mean; the x_m are
//! paired differences, and their effective sample size counts autocorrelation, chains that differ and draw weights (see
//! [`crate::effective`]). The errors are independent, so that their squares add up, and the lead is judged by Student's t with the degrees of
//! freedom of the sum (Welch and Satterthwaite): few groups of slices, or a small effective sample size, need a larger lead.
//!
//! A small effective sample size is itself uncertain. So the error over draws is the larger of that and the one from the means of
//! successive blocks of the chains, and no lead is safe that rests on fewer than [`LEAST_EFFECTIVE`] independent draws.
//!
//! Where the lead is not safe, it matters how different the two are. Both are at hand, and so is the credible ball of 95 % around the
//! medoid: a rival within [`ALIKE`] of its radius says nearly the same, and to choose the wrong one of them does no harm. Where a draw has many free
//! numbers, all draws are about as far from each other as the ball is wide, and no two are that near. So a rival among the nearest [`NEAREST`] of the posterior
//! is alike too: no part of the posterior that could be called a mode lies between the two.
//!
//! The draw that is hardest to tell from the medoid need not be the runner-up: errors grow with the distance, and a draw that lies farther may have a larger lead and a
//! still larger error. So the draw of the smallest lead for its distance is judged too, and where the rival is alike, the one among
//! those that are not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SAFE_SEPARATION, TIE, is_tied};
use crate::effective::{Origin, ascending, block_error, draw_weights, effective_draws, sorted_quantile};
use crate::tails::student_tail;
use crate::text::Index;

/// Two measures at most this many radii of the credible ball apart are alike.
pub(crate) const ALIKE: f64 = 0.5;

/// A rival is alike too if less than this posterior probability is nearer to the medoid: the least that a mode has.
pub(crate) const NEAREST: f64 = 0.05;

/// A lead is safe when chance alone would make it with at most this probability: a little more than three standard errors of a normal distribution.
pub(crate) const SAFE_P_VALUE: f64 = 0.001;

/// Level of the ball whose radius is the unit.
const LEVEL: f64 = 0.95;

/// Slices still help while their error is at least this part of the error over draws.
const NOTABLE: f64 = 0.5;

/// How many times as many slices are taken when the choice asks for more: at most, and at least; with so many times what seems to be enough.
const LONGEST_LEAP: f64 = 4.0;
const SHORTEST_LEAP: f64 = 1.25;
const TO_BE_ENOUGH: f64 = 1.2;

/// A lead that rests on fewer independent draws than this is not safe.
pub(crate) const LEAST_EFFECTIVE: f64 = 50.0;

/// The lead of the medoid over the draw that is hardest to tell from it, with its errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Margin {
    /// That draw: the runner-up, or one that lies farther.
    #[schemars(with = "Index")]
    pub rival: usize,
    /// By how much its expected loss is larger.
    pub lead: f64,
    /// Standard error of the lead over slices; `None` with a single independent group of slices.
    pub slice_error: Option<f64>,
    /// Standard error of the lead over draws; `None` with fewer than two draws that count.
    pub draw_error: Option<f64>,
    /// How many independent draws the lead rests on.
    pub effective_draws: f64,
    /// The lead in standard errors, of slices and draws together; infinite when neither has any.
    pub separation: Option<f64>,
    /// Probability that chance alone makes such a lead.
    pub p_value: Option<f64>,
    /// Distance between the two, in radii of the 95 % credible ball around the medoid.
    #[serde(with = "crate::document::infinite_is_null")]
    #[schemars(with = "Option<f64>")]
    pub radii: f64,
    /// Posterior probability of the draws that are nearer to the medoid than the rival is.
    #[serde(default = "all")]
    pub nearer: f64,
    /// What follows.
    pub verdict: ChoiceVerdict,
}

/// Documents that do not say how many draws are nearer call no rival alike for it.
fn all() -> f64 {
    1.0
}

/// Whether the choice of the medoid is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ChoiceVerdict {
    /// Other slices and other draws of the same posterior would choose it too.
    Safe,
    /// Its expected loss is the same as the rival's, but for rounding.
    Tied,
    /// Not told from the rival, which is nearly the same measure: it does not matter which is chosen.
    Alike,
    /// Not told from a rival that differs, and more slices would help.
    FewSlices,
    /// Not told from a rival that differs, and only more draws of the posterior would help.
    FewDraws,
    /// There is no error over slices, so that nothing can be said.
    Unknown,
}

impl ChoiceVerdict {
    /// Every verdict, with its name in documents.
    pub const NAMES: [(&'static str, ChoiceVerdict); 6] = [
        ("safe", ChoiceVerdict::Safe),
        ("tied", ChoiceVerdict::Tied),
        ("alike", ChoiceVerdict::Alike),
        ("few-slices", ChoiceVerdict::FewSlices),
        ("few-draws", ChoiceVerdict::FewDraws),
        ("unknown", ChoiceVerdict::Unknown),
    ];

    /// The name in documents.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, verdict)| *verdict == self).expect("every verdict is named").0
    }
}

/// What is known of a rival.
pub(super) struct Rival<'a> {
    pub(super) draw: usize,
    pub(super) expected_loss: f64,
    /// How much nearer each draw is to the medoid than to the rival, in the loss.
    pub(super) preferences: &'a [f64],
    /// Standard error of the lead over slices.
    pub(super) slice_error: Option<f64>,
}

/// The medoid as it is judged.
pub(super) struct Judge<'a> {
    origin: &'a dyn Origin,
    weights: Vec<f64>,
    expected_loss: f64,
    distances: &'a [f64],
    /// Radius of the ball.
    radius: f64,
    /// Draws up to this distance from the medoid are among the nearest.
    nearest: f64,
    slice_freedom: usize,
}

impl<'a> Judge<'a> {
    pub(super) fn new(origin: &'a dyn Origin, expected_loss: f64, distances: &'a [f64], slice_freedom: usize) -> Self {
        let weights = draw_weights(origin);
        let radius = sorted_quantile(distances, &weights, &ascending(distances, &weights), LEVEL);
        let mut judge = Judge { origin, weights, expected_loss, distances, radius, nearest: 0.0, slice_freedom };
        let mut sorted = distances.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let count = sorted.partition_point(|&distance| judge.nearer(distance) < NEAREST);
        judge.nearest = count.checked_sub(1).map_or(f64::NEG_INFINITY, |last| sorted[last]);
        judge
    }

    /// Distance of a draw from the medoid, in radii of the ball.
    pub(super) fn radii(&self, draw: usize) -> f64 {
        let apart = self.distances[draw];
        if apart == 0.0 { 0.0 } else { apart / self.radius }
    }

    /// Posterior probability of the draws that are nearer to the medoid than so far.
    fn nearer(&self, own: f64) -> f64 {
        self.distances
            .iter()
            .zip(&self.weights)
            .filter(|(distance, _)| **distance < own)
            .map(|(_, weight)| weight)
            .sum()
    }

    /// Whether a draw says nearly the same as the medoid.
    fn is_alike(&self, draw: usize) -> bool {
        self.radii(draw) <= ALIKE || self.distances[draw] <= self.nearest
    }

    pub(super) fn margin(&self, rival: &Rival) -> Margin {
        let effective = effective_draws(self.origin, rival.preferences);
        let draw_error = draw_error(rival.preferences, &self.weights, effective);
        let draw_error = draw_error.map(|error| error.max(block_error(self.origin, rival.preferences).unwrap_or(0.0)));
        let lead = rival.expected_loss - self.expected_loss;
        let mut margin = Margin {
            rival: rival.draw,
            lead,
            slice_error: rival.slice_error,
            draw_error,
            effective_draws: effective,
            separation: None,
            p_value: None,
            radii: self.radii(rival.draw),
            nearer: self.nearer(self.distances[rival.draw]),
            verdict: ChoiceVerdict::Unknown,
        };
        if is_tied(self.expected_loss, rival.expected_loss) {
            return Margin { verdict: ChoiceVerdict::Tied, ..margin };
        }
        let Some(slice_error) = rival.slice_error else { return margin };
        // A single draw that counts is the whole posterior as far as anyone knows, and says nothing about others.
        let of_draws = draw_error.unwrap_or(f64::INFINITY);
        let error = slice_error.hypot(of_draws);
        let freedom = freedom(&[(slice_error, self.slice_freedom as f64), (of_draws, effective - 1.0)]);
        let separation = if error == 0.0 { f64::INFINITY } else { lead / error };
        let p_value = student_tail(separation, freedom);
        margin.separation = Some(separation);
        margin.p_value = Some(p_value);
        margin.verdict = match () {
            () if p_value <= SAFE_P_VALUE && effective >= LEAST_EFFECTIVE => ChoiceVerdict::Safe,
            () if self.is_alike(rival.draw) => ChoiceVerdict::Alike,
            () if slice_error >= NOTABLE * of_draws => ChoiceVerdict::FewSlices,
            () => ChoiceVerdict::FewDraws,
        };
        margin
    }

    /// The draw that is judged next, when another may be harder to tell from the medoid than the one of `margin`: that of the smallest lead for its distance,
    /// by `losses` (bounds will do), among those not `known`, and among those that are not alike if the rival is.
    pub(super) fn next_rival(&self, margin: &Margin, losses: &[f64], known: &[usize]) -> Option<usize> {
        if !matches!(margin.verdict, ChoiceVerdict::Safe | ChoiceVerdict::Alike) {
            return None;
        }
        let (steepness, others) = (|&j: &usize| self.steepness(losses, j), self.others(margin, losses));
        // Copies differ by rounding, and the first of them is named.
        let rounding = |j: &usize| TIE * self.expected_loss / self.distances[*j];
        let least = others.iter().map(steepness).fold(f64::INFINITY, f64::min);
        let flattest = others.into_iter().find(|j| steepness(j) <= least + rounding(j))?;
        (!known.contains(&flattest)).then_some(flattest)
    }

    /// The draws of the smallest leads for their distances among those that are wanted, at most so many, the smallest first.
    pub(super) fn flattest(
        &self,
        margin: &Margin,
        losses: &[f64],
        most: usize,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut others = self.others(margin, losses);
        others.retain(|&j| wanted(j));
        others.sort_by(|&i, &j| self.steepness(losses, i).total_cmp(&self.steepness(losses, j)).then(i.cmp(&j)));
        others.truncate(most);
        others
    }

    /// The lead over a draw for its distance.
    fn steepness(&self, losses: &[f64], j: usize) -> f64 {
        (losses[j] - self.expected_loss) / self.distances[j]
    }

    /// The draws that may be harder to tell from the medoid than the rival of a margin: all that are not the medoid, or all that are not alike either.
    fn others(&self, margin: &Margin, losses: &[f64]) -> Vec<usize> {
        let differs = |j: usize| margin.verdict == ChoiceVerdict::Safe || !self.is_alike(j);
        (0..losses.len()).filter(|&j| self.distances[j] > 0.0 && losses[j].is_finite() && differs(j)).collect()
    }
}

impl Margin {
    /// Whether more slices could make the choice safer where that matters.
    pub fn asks_for_slices(&self) -> bool {
        matches!(self.verdict, ChoiceVerdict::FewSlices | ChoiceVerdict::Unknown)
    }

    /// How many times as many slices the choice asks for, if it asks for any that matter. The error over slices falls with the root of their number, until it is
    /// small beside that over draws, or so small that the choice decides no more than how far the expected loss is `known`.
    pub(crate) fn more_slices(&self, known: f64) -> Option<f64> {
        if !self.asks_for_slices() {
            return None;
        }
        let Some(error) = self.slice_error else { return Some(LONGEST_LEAP) };
        if SAFE_SEPARATION * error <= known {
            return None;
        }
        let small = f64::max(known / SAFE_SEPARATION, NOTABLE * self.draw_error.unwrap_or(0.0));
        let times = TO_BE_ENOUGH * (error / small).powi(2);
        Some(if times >= SHORTEST_LEAP { times.min(LONGEST_LEAP) } else { SHORTEST_LEAP })
    }

    /// Whether this margin leaves the choice more open than another.
    pub(super) fn is_worse_than(&self, other: &Margin) -> bool {
        let rank = |verdict: ChoiceVerdict| match verdict {
            ChoiceVerdict::Safe => 0,
            ChoiceVerdict::Alike => 1,
            _ => 2,
        };
        rank(self.verdict) > rank(other.verdict)
    }
}

/// Standard error of the weighted mean of values with this effective sample size.
fn draw_error(values: &[f64], weights: &[f64], effective: f64) -> Option<f64> {
    if effective <= 1.0 {
        return None;
    }
    let mean: f64 = values.iter().zip(weights).map(|(x, w)| x * w).sum();
    let variance: f64 = values.iter().zip(weights).map(|(x, w)| w * (x - mean).powi(2)).sum();
    Some((variance / (effective - 1.0)).sqrt())
}

/// Degrees of freedom of the root of a sum of squared standard errors, each with its own.
fn freedom(errors: &[(f64, f64)]) -> f64 {
    let largest = errors.iter().map(|(error, _)| *error).fold(0.0, f64::max);
    if largest == 0.0 {
        return f64::MAX.sqrt();
    }
    if largest.is_infinite() {
        return 1.0;
    }
    let share = |error: f64| (error / largest).powi(2);
    let total: f64 = errors.iter().map(|(error, _)| share(*error)).sum();
    let spread: f64 = errors.iter().map(|(error, freedom)| share(*error).powi(2) / freedom).sum();
    (total * total / spread).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::Ensemble;

    /// By counting for each draw how much lies nearer.
    #[test]
    fn the_nearest_draws_are_those_with_little_nearer_than_they_are() {
        for count in [1, 2, 7, 100, 333] {
            let ones = vec![1.0; count];
            let draws =
                Ensemble::builder(1).atoms_per_draw(1).weights(&ones).means(&ones).covariances(&ones).build().unwrap();
            // Some distances are equal; with the second half none is small against the radius.
            for offset in [0.0, 50.0] {
                let distances: Vec<f64> = (0..count).map(|j| offset + (j * 7919 % 101) as f64 / 2.0).collect();
                let judge = Judge::new(&draws, 10.0, &distances, 10);
                for j in 0..count {
                    let expected = judge.radii(j) <= ALIKE || judge.nearer(distances[j]) < NEAREST;
                    assert_eq!(judge.is_alike(j), expected, "{j} of {count}");
                }
            }
        }
    }

    /// As many slices as make their error small enough, between the shortest leap and the longest.
    #[test]
    fn a_choice_asks_for_as_many_slices_as_would_settle_it() {
        let margin = |slice_error: Option<f64>, draw_error: f64, verdict: ChoiceVerdict| Margin {
            rival: 1,
            lead: 0.001,
            slice_error,
            draw_error: Some(draw_error),
            effective_draws: 1000.0,
            separation: Some(1.0),
            p_value: Some(0.2),
            radii: 1.0,
            nearer: 0.5,
            verdict,
        };
        let few = |slice_error: Option<f64>, draw_error: f64| {
            margin(slice_error, draw_error, ChoiceVerdict::FewSlices).more_slices(0.003)
        };
        // An error of 0.001 decides nothing that matters.
        assert_eq!(few(Some(0.0009), 0.0), None);
        assert_eq!(few(Some(0.00101), 0.0), Some(SHORTEST_LEAP));
        let times = few(Some(0.0015), 0.0).unwrap();
        assert!((times - TO_BE_ENOUGH * 2.25).abs() < 1e-9, "{times}");
        // Nor does one of half the error over draws.
        let times = few(Some(0.003), 0.004).unwrap();
        assert!((times - TO_BE_ENOUGH * 2.25).abs() < 1e-9, "{times}");
        assert_eq!((few(Some(0.1), 0.0), few(None, 0.0)), (Some(LONGEST_LEAP), Some(LONGEST_LEAP)));
        assert_eq!(margin(Some(0.1), 0.0, ChoiceVerdict::Safe).more_slices(0.003), None);
    }

    /// A lead of ten standard errors over slices is safe where many groups of slices give the error, and not where two do (one degree of freedom), as few blocks of
    /// orthogonal slices are.
    #[test]
    fn errors_of_few_groups_are_judged_by_students_t() {
        let ones = vec![1.0; 100];
        let means: Vec<f64> = (0..100).map(f64::from).collect();
        let draws =
            Ensemble::builder(1).atoms_per_draw(1).weights(&ones).means(&means).covariances(&ones).build().unwrap();
        let rival = Rival { draw: 99, expected_loss: 11.0, preferences: &ones, slice_error: Some(0.1) };
        let verdict = |freedom: usize| Judge::new(&draws, 10.0, &means, freedom).margin(&rival);
        assert_eq!(verdict(100).verdict, ChoiceVerdict::Safe);
        let few = verdict(1);
        assert_eq!(few.verdict, ChoiceVerdict::FewSlices, "{few:?}");
        assert!(few.separation.unwrap() > 9.9 && few.p_value.unwrap() > 0.03, "{few:?}");
    }
}
