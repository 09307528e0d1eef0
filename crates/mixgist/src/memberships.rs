//! Who belongs to which component, with the uncertainty of the posterior: membership probabilities over the draws.
//!
//! Given a draw G_m, the probability that observation i belongs to component k is the part of its density F_m(y_i) that comes from atoms that belong to
//! k (the rules of [`crate::components`]); what comes from atoms that belong to no component is the probability of none. Over the draws these
//! probabilities have a mean, which is the posterior probability of the membership, and an interval, which says how much the draws differ about it.
//! The membership probability under the estimate alone has no such interval.

use rayon::prelude::*;

use crate::allocate::memberships;
use crate::components::{Pass, PreparedDraws, Rules, coupling_units};
use crate::effective::{ascending, draw_weights, sorted_quantile};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::fits::{Fits, are_below, has_length};
use crate::inspect;
use crate::mixture::Mixture;
use crate::points::Points;
use crate::progress::{Progress, Silent};
use crate::text::Index;
use crate::units::Units;
use crate::warning::Warning;
use crate::{Error, Result};

/// Memberships of observations in the components of an estimate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Memberships {
    /// Number of observations n.
    pub points: usize,
    /// Number of components J: the atoms of the estimate.
    pub components: usize,
    /// Level of the intervals.
    pub level: f64,
    /// Posterior mean of the membership probability, n × J.
    pub mean: Vec<f64>,
    /// Lower ends of its intervals over the draws, n × J.
    pub low: Vec<f64>,
    /// Upper ends, n × J.
    pub high: Vec<f64>,
    /// Posterior probability that the observation belongs to no component, n.
    pub none: Vec<f64>,
    /// The most probable component of each observation; ties go to the first.
    #[schemars(with = "Vec<Index>")]
    pub labels: Vec<u32>,
    /// An assignment, to a component or to none of them, is certain when its posterior probability is at least this.
    pub sure: f64,
    /// Observations whose assignment is uncertain, least certain first; those that surely belong to no component are not among them.
    #[schemars(with = "Vec<Index>")]
    pub uncertain: Vec<usize>,
    /// The number of draws that were looked at: all, unless there are very many observations.
    pub draws_used: usize,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

impl Fits for Memberships {
    fn fits(&self, _: usize, _: usize) -> Result<()> {
        let cells = self.points.saturating_mul(self.components);
        has_length("mean", self.mean.len(), cells)?;
        has_length("low", self.low.len(), cells)?;
        has_length("high", self.high.len(), cells)?;
        has_length("none", self.none.len(), self.points)?;
        has_length("labels", self.labels.len(), self.points)?;
        are_below("labels", self.labels.iter().map(|label| *label as usize), self.components)?;
        are_below("uncertain", self.uncertain.iter().copied(), self.points)
    }
}

/// The memberships of a run of observations; see [`Memberships`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MembershipsBlock {
    /// Row of the first observation, as the caller counts them.
    pub first_row: usize,
    /// Posterior means.
    pub mean: Vec<f64>,
    /// Lower ends.
    pub low: Vec<f64>,
    /// Upper ends.
    pub high: Vec<f64>,
    /// Probabilities of no component.
    pub none: Vec<f64>,
    /// Draws that were looked at.
    pub draws_used: usize,
}

/// An assignment is certain from this posterior probability on.
pub(crate) const SURE: f64 = 0.9;

/// Observations that are worked on at a time, at most, and numbers that are kept for them.
const ROWS: usize = 1024;
const MOST_NUMBERS: usize = 4_000_000;

/// With more observations than this, at most [`FEWER_DRAWS`] draws are looked at.
const MANY_POINTS: usize = 100_000;
const FEWER_DRAWS: usize = 200;

/// Atoms lighter than this part of a draw are left out; in all they are less than one in ten thousand.
const LIGHTEST: f64 = 1e-6;

/// Hands the memberships of all observations to `visitor`, in order, some at a time.
///
/// Cost: one exact transport a draw and O(K d²) an observation and draw. Memory: some millions of numbers, whatever the number of observations.
pub fn for_each_memberships_block(
    estimate: &MixingMeasure,
    ensemble: &Ensemble,
    points: Points,
    units: &Units,
    rules: Rules,
    progress: &dyn Progress,
    mut visitor: impl FnMut(&MembershipsBlock) -> Result<()>,
) -> Result<()> {
    rules.check()?;
    points.expect_dim(ensemble.dim(), "the draws")?;
    if estimate.dim() != ensemble.dim() {
        let (own, dim) = (estimate.dim(), ensemble.dim());
        return Err(Error::input(format!("the estimate has dimension {own}, the draws have {dim}")));
    }
    let fewer = points.len() > MANY_POINTS && ensemble.len() > FEWER_DRAWS;
    let some: Vec<usize> = (0..FEWER_DRAWS).map(|i| i * ensemble.len() / FEWER_DRAWS).collect();
    let selected = if fewer { Some(ensemble.select(&some)?) } else { None };
    let ensemble = selected.as_ref().unwrap_or(ensemble);
    let units = coupling_units(units, ensemble)?;
    let pass = Pass::run(estimate, &PreparedDraws::new(ensemble, &units, progress)?, rules, progress)?;
    let draws: Vec<Draw> = (0..ensemble.len()).map(|m| Draw::new(&pass, ensemble, m)).collect::<Result<_>>()?;
    let weights = draw_weights(ensemble);
    let components = estimate.len();
    progress.begin("memberships", points.len() as u64);
    let step = (MOST_NUMBERS / ((components + 1) * draws.len())).clamp(16, ROWS);
    for start in (0..points.len()).step_by(step) {
        progress.check()?;
        let rows = points.rows(start..points.len().min(start + step));
        let by_draw: Vec<Vec<f64>> =
            draws.par_iter().map(|draw| draw.memberships(rows, components)).collect::<Result<_>>()?;
        visitor(&MembershipsBlock::of(&by_draw, &weights, rows, components, rules.level))?;
        progress.advance(rows.len() as u64);
    }
    Ok(())
}

/// The memberships of all observations at once; see [`for_each_memberships_block`] for very many.
pub fn membership_posterior(
    estimate: &MixingMeasure,
    ensemble: &Ensemble,
    points: Points,
    units: &Units,
    rules: Rules,
    progress: &dyn Progress,
) -> Result<Memberships> {
    let mut all = Memberships {
        points: points.len(),
        components: estimate.len(),
        level: rules.level,
        mean: Vec::new(),
        low: Vec::new(),
        high: Vec::new(),
        none: Vec::new(),
        labels: Vec::new(),
        sure: SURE,
        uncertain: Vec::new(),
        draws_used: 0,
        warnings: inspect::warnings(ensemble),
    };
    for_each_memberships_block(estimate, ensemble, points, units, rules, progress, |block| {
        all.mean.extend_from_slice(&block.mean);
        all.low.extend_from_slice(&block.low);
        all.high.extend_from_slice(&block.high);
        all.none.extend_from_slice(&block.none);
        all.draws_used = block.draws_used;
        Ok(())
    })?;
    all.labels = all.most_probable();
    all.uncertain = all.uncertain_below(all.sure);
    Ok(all)
}

/// A draw ready to be evaluated: its density and whom its atoms belong to.
struct Draw {
    mixture: Mixture,
    owners: Vec<Option<usize>>,
}

impl Draw {
    fn new(pass: &Pass, ensemble: &Ensemble, m: usize) -> Result<Self> {
        let range = ensemble.range(m);
        let first = range.start;
        let heavy: Vec<usize> = range.filter(|&k| ensemble.weights()[k] >= LIGHTEST).collect();
        let measure = MixingMeasure::new(
            heavy.iter().map(|&k| ensemble.weights()[k]).collect(),
            ensemble.atoms().select(heavy.iter().copied()),
        )?;
        let owners = pass.owners(m);
        Ok(Draw { mixture: Mixture::new(&measure)?, owners: heavy.iter().map(|&k| owners[k - first]).collect() })
    }

    /// Rows × (J + 1): the probabilities of the components, and of none.
    fn memberships(&self, rows: Points, components: usize) -> Result<Vec<f64>> {
        let of_atoms = memberships(&self.mixture, rows, &Silent)?;
        let mut out = vec![0.0; rows.len() * (components + 1)];
        for (row, out) in of_atoms.chunks_exact(self.owners.len()).zip(out.chunks_exact_mut(components + 1)) {
            for (p, owner) in row.iter().zip(&self.owners) {
                out[owner.unwrap_or(components)] += p;
            }
        }
        Ok(out)
    }
}

impl MembershipsBlock {
    fn of(by_draw: &[Vec<f64>], weights: &[f64], rows: Points, components: usize, level: f64) -> Self {
        let one = |i: usize| -> Vec<[f64; 3]> {
            let of = |k: usize| {
                let values: Vec<f64> = by_draw.iter().map(|all| all[i * (components + 1) + k]).collect();
                let mean = values.iter().zip(weights).map(|(p, w)| p * w).sum::<f64>().clamp(0.0, 1.0);
                if k == components {
                    return [mean, f64::NAN, f64::NAN];
                }
                let order = ascending(&values, weights);
                let quantile = |level: f64| sorted_quantile(&values, weights, &order, level);
                [mean, quantile((1.0 - level) / 2.0), quantile((1.0 + level) / 2.0)]
            };
            (0..=components).map(of).collect()
        };
        let found: Vec<Vec<[f64; 3]>> = (0..rows.len()).into_par_iter().map(one).collect();
        let column =
            |which: usize| found.iter().flat_map(|row| row[..components].iter().map(move |x| x[which])).collect();
        MembershipsBlock {
            first_row: rows.first_row(),
            mean: column(0),
            low: column(1),
            high: column(2),
            none: found.iter().map(|row| row[components][0]).collect(),
            draws_used: by_draw.len(),
        }
    }
}

impl Memberships {
    fn most_probable(&self) -> Vec<u32> {
        let best = |row: &[f64]| (0..row.len()).reduce(|best, k| if row[k] > row[best] { k } else { best });
        self.mean.chunks_exact(self.components).map(|row| best(row).unwrap_or(0) as u32).collect()
    }

    /// Number of observations that surely belong to no component.
    pub fn outside(&self) -> usize {
        self.none.iter().filter(|none| **none >= self.sure).count()
    }

    /// Observations whose most probable place, a component or none of them, has a posterior probability below `sure`, least certain first.
    pub fn uncertain_below(&self, sure: f64) -> Vec<usize> {
        let rows = self.mean.chunks_exact(self.components).zip(&self.none);
        let largest: Vec<f64> = rows.map(|(row, none)| row.iter().copied().fold(*none, f64::max)).collect();
        let mut found: Vec<usize> = (0..self.points).filter(|&i| largest[i] < sure).collect();
        found.sort_by(|&a, &b| largest[a].total_cmp(&largest[b]).then(a.cmp(&b)));
        found
    }
}

#[cfg(test)]
mod tests;
