//! Do the chains agree? R-hat and effective sample size of several functions of each draw, none of which needs labels, and one verdict.
//!
//! A mixing measure has no coordinates that could be traced, so several numbers of each draw are: its distance to the estimate, how many atoms
//! it has that are heavier than [`HEAVY`], its largest weight, the weighted mean of the log determinants of its covariances, and whatever came along
//! with the draws ([`Ensemble::traces`]: log posterior, number of clusters). Chains in different modes may agree on any one of them, hardly on all.
//!
//! Two things are told apart. Chains **disagree** when each stays at a place of its own: their means differ by more than the means of
//! successive [`BLOCKS`] parts within a chain do (a nested analysis of variance of normal scores, plain and folded), beyond chance
//! ([`FALSE_ALARM`], for all functions together) and by a notable part of their spread. Chains are **slow** when they move, but their effective sample size is too
//! small: R-hat above [`SLOW_RHAT`], or an effective sample size below [`SLOW_ESS`] and half the draws. More iterations help slow chains; chains that disagree may
//! need another model or sampler. Where a chain is shorter than a few of its autocorrelation times, the two cannot be told apart by anyone;
//! the tests of this module say how often chains that agree are called apart.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::{Convergence, convergence, folded, normal_scores};
use crate::effective::{Origin, chains_in_order};
use crate::ensemble::{Ensemble, Trace};
use crate::linalg::cholesky_in_place;
use crate::tails::fisher_tail;

/// Atoms of at least this weight are counted.
pub(crate) const HEAVY: f64 = 0.01;

/// Parts of each chain whose means are compared with the means of chains.
pub(crate) const BLOCKS: usize = 4;

/// Chains that agree and move are called apart at most this often, all functions together.
pub(crate) const FALSE_ALARM: f64 = 0.005;

/// Chains disagree only where R-hat is above this: smaller differences matter little.
pub(crate) const NOTABLE_RHAT: f64 = 1.1;

/// Chains are slow above this R-hat.
pub(crate) const SLOW_RHAT: f64 = 1.1;

/// Chains are slow below this effective sample size, bulk.
pub(crate) const SLOW_ESS: f64 = 50.0;

/// Well-mixed chains have an R-hat below this, and effective sample sizes of at least [`GOOD_ESS`] per chain (Vehtari et al. 2021).
pub(crate) const GOOD_RHAT: f64 = 1.01;

/// See [`GOOD_RHAT`].
pub(crate) const GOOD_ESS: f64 = 100.0;

/// Shorter chains are not judged.
pub(crate) const SHORTEST: usize = 2 * BLOCKS;

/// How the chains agree on one function of the draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TraceAgreement {
    /// What it is.
    pub name: Cow<'static, str>,
    /// R-hat and effective sample sizes; null with fewer than 4 draws per chain, and for a constant, which has nothing to disagree on.
    pub convergence: Option<Convergence>,
    /// Mean of each chain, by its number.
    pub means: Vec<(u32, f64)>,
    /// Probability that chains which agree differ that much; 1 for a single chain.
    pub p_value: f64,
}

/// Whether the chains agree, with what that is based on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Agreement {
    /// One row for each function of the draws.
    pub traces: Vec<TraceAgreement>,
    /// Number of chains.
    pub chains: usize,
    /// The verdict on all of them.
    pub verdict: ChainVerdict,
}

/// The verdict on the chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainVerdict {
    /// Well mixed: R-hat below 1.01, and an effective sample size of at least 100 per chain.
    Agree,
    /// No chain differs from the others, but the effective sample size is smaller than it should be.
    Short,
    /// R-hat above 1.1, or an effective sample size below 50 and below half the draws.
    Slow,
    /// Chains stay at places of their own.
    Disagree,
    /// Too few draws to judge.
    #[default]
    #[serde(rename = "too-few-draws")]
    TooFew,
}

impl ChainVerdict {
    /// Every verdict with its name in documents.
    pub const NAMES: [(&'static str, ChainVerdict); 5] = [
        ("agree", ChainVerdict::Agree),
        ("short", ChainVerdict::Short),
        ("slow", ChainVerdict::Slow),
        ("disagree", ChainVerdict::Disagree),
        ("too-few-draws", ChainVerdict::TooFew),
    ];

    /// The name in documents.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, verdict)| *verdict == self).expect("every verdict is named").0
    }

    /// The name of the warning that a fit with this verdict gives.
    pub fn warning(self) -> Option<&'static str> {
        match self {
            ChainVerdict::Agree => None,
            ChainVerdict::Short => Some("short-chains"),
            ChainVerdict::Slow => Some("slow-chains"),
            ChainVerdict::Disagree => Some("chains-disagree"),
            ChainVerdict::TooFew => Some("few-draws"),
        }
    }

    /// The verdict in words.
    pub fn text(self) -> &'static str {
        match self {
            ChainVerdict::Agree => "the chains agree",
            ChainVerdict::Short => "the chains agree, but there are too few draws to be sure: run longer",
            ChainVerdict::Slow => "the chains mix slowly: run longer",
            ChainVerdict::Disagree => "the chains disagree: they stay in different parts of the posterior",
            ChainVerdict::TooFew => "too few draws to judge the chains",
        }
    }
}

impl Agreement {
    /// Judges the chains of an ensemble by the traces of its draws and, when there is an estimate, by their distances from it.
    ///
    /// Cost O(M log M) for each trace, and a Cholesky factor of each covariance.
    pub fn new(ensemble: &Ensemble, distances: Option<&[f64]>) -> Self {
        Self::of_traces(ensemble, Self::functions(ensemble, distances))
    }

    /// The functions of the draws that the chains are judged by, with their values.
    pub fn functions(ensemble: &Ensemble, distances: Option<&[f64]>) -> Vec<Trace> {
        let mut traces = Vec::new();
        traces.extend(distances.map(|distances| Trace::new("distance to estimate", distances.to_vec())));
        traces.extend(own_traces(ensemble));
        traces.extend_from_slice(ensemble.traces());
        traces
    }

    /// Judges the chains by these traces alone.
    pub fn of_traces(ensemble: &Ensemble, traces: Vec<Trace>) -> Self {
        Self::of_origin(ensemble, traces)
    }

    /// The same where only the origin of the draws is at hand.
    pub(crate) fn of_origin(ensemble: &dyn Origin, traces: Vec<Trace>) -> Self {
        let chains = chains_in_order(ensemble);
        let numbers: Vec<u32> = chains.iter().map(|chain| ensemble.chains()[chain[0]]).collect();
        let one = |trace: Trace| -> TraceAgreement {
            let values: Vec<Vec<f64>> =
                chains.iter().map(|chain| chain.iter().map(|&m| trace.values[m]).collect()).collect();
            let slices: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
            let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
            TraceAgreement {
                name: trace.name,
                convergence: convergence(&slices).ok().filter(|convergence| !convergence.rhat.is_nan()),
                means: numbers.iter().copied().zip(slices.iter().map(|chain| mean(chain))).collect(),
                p_value: apart(&slices),
            }
        };
        let traces: Vec<TraceAgreement> = traces.into_iter().map(one).collect();
        let shortest = chains.iter().map(Vec::len).min().unwrap_or(0);
        let verdict = match shortest < SHORTEST {
            true => ChainVerdict::TooFew,
            false => verdict(&traces, chains.len(), ensemble.draws()),
        };
        Agreement { traces, chains: chains.len(), verdict }
    }

    /// The verdict in words; of a single sequence of draws, only its halves are compared.
    pub fn text(&self) -> &'static str {
        match (self.chains, self.verdict) {
            (1, ChainVerdict::Agree) => "the first and the second half of the draws agree",
            (1, ChainVerdict::Short) => {
                "the first and the second half of the draws agree, but there are too few draws to be sure"
            }
            (1, ChainVerdict::Slow) => {
                "too few draws: their halves differ, or successive draws are alike; give more of them"
            }
            (1, ChainVerdict::TooFew) => "too few draws to judge",
            (_, verdict) => verdict.text(),
        }
    }

    /// The trace that speaks most against agreement: the one on which chains stand apart, or else that of the largest R-hat.
    pub fn worst(&self) -> Option<&TraceAgreement> {
        let level = FALSE_ALARM / self.traces.len().max(1) as f64;
        let rhat = |trace: &TraceAgreement| trace.convergence.map_or(0.0, |convergence| convergence.rhat);
        let worse = |a: &&TraceAgreement, b: &&TraceAgreement| {
            (stands_apart(a, level), rhat(a)).partial_cmp(&(stands_apart(b, level), rhat(b)))
        };
        self.traces.iter().reduce(|a, b| if worse(&a, &b) == Some(std::cmp::Ordering::Less) { b } else { a })
    }

    /// The trace of the least effective sample size.
    pub fn slowest(&self) -> Option<&TraceAgreement> {
        let ess = |trace: &TraceAgreement| trace.convergence.map_or(f64::INFINITY, |c| c.bulk_ess);
        let told = self.traces.iter().filter(|trace| trace.convergence.is_some());
        told.reduce(|a, b| if ess(b) < ess(a) { b } else { a })
    }

    /// The least effective sample size of all traces, bulk.
    pub fn least_ess(&self) -> Option<f64> {
        self.slowest().and_then(|trace| trace.convergence).map(|c| c.bulk_ess)
    }

    /// The largest R-hat of all traces; `None` when none has one.
    pub fn largest_rhat(&self) -> Option<f64> {
        self.traces.iter().filter_map(|trace| trace.convergence).map(|c| c.rhat).reduce(f64::max)
    }

    /// By what factor chains would have to be longer for `GOOD_ESS` per chain, in bulk and in the tails, and for an R-hat below `GOOD_RHAT`, whose
    /// excess over 1 shrinks in proportion to their length; `None` when they are long enough, or when no length would help because they disagree.
    pub fn longer_by(&self) -> Option<f64> {
        let one = |c: Convergence| {
            let of_ess = GOOD_ESS * self.chains as f64 / c.bulk_ess.min(c.tail_ess).max(1.0);
            if c.rhat.is_finite() { of_ess.max((c.rhat - 1.0) / (GOOD_RHAT - 1.0)) } else { of_ess }
        };
        let factor = self.traces.iter().filter_map(|trace| trace.convergence).map(one).reduce(f64::max)?;
        let settled = matches!(self.verdict, ChainVerdict::Agree | ChainVerdict::Disagree);
        (factor > 1.0 && !settled).then_some(factor)
    }
}

fn stands_apart(trace: &TraceAgreement, level: f64) -> bool {
    // What is constant within chains has no R-hat; if it differs between them, they are apart all the same.
    let notable = trace.convergence.is_none_or(|c| c.rhat >= NOTABLE_RHAT);
    trace.p_value <= level && notable
}

fn verdict(traces: &[TraceAgreement], chains: usize, draws: usize) -> ChainVerdict {
    let level = FALSE_ALARM / traces.len().max(1) as f64;
    let told = || traces.iter().filter_map(|trace| trace.convergence);
    let good = |c: &Convergence| c.rhat < GOOD_RHAT && c.bulk_ess.min(c.tail_ess) >= GOOD_ESS * chains as f64;
    // Few draws that are nearly independent are few, not slow.
    let slow = |c: &Convergence| c.bulk_ess < SLOW_ESS.min(0.5 * draws as f64);
    match () {
        () if traces.iter().any(|trace| stands_apart(trace, level)) => ChainVerdict::Disagree,
        () if told().any(|c| c.rhat > SLOW_RHAT || slow(&c)) => ChainVerdict::Slow,
        () if told().all(|c| good(&c)) => ChainVerdict::Agree,
        () => ChainVerdict::Short,
    }
}

/// Label-free numbers of each draw.
pub(crate) fn own_traces(ensemble: &Ensemble) -> Vec<Trace> {
    let weights = |m: usize| &ensemble.weights()[ensemble.range(m)];
    let each = |f: &dyn Fn(usize) -> f64| (0..ensemble.len()).map(f).collect::<Vec<f64>>();
    let heavy = each(&|m| weights(m).iter().filter(|weight| **weight >= HEAVY).count() as f64);
    let largest = each(&|m| weights(m).iter().copied().fold(0.0, f64::max));
    let log_determinant = each(&|m| {
        let one = |(weight, k): (&f64, usize)| weight * log_determinant(ensemble.atoms().covariance(k), ensemble.dim());
        weights(m).iter().zip(ensemble.range(m)).map(one).sum()
    });
    let mut traces = vec![Trace::new("atoms of at least 1 %", heavy), Trace::new("largest weight", largest)];
    // A covariance that is singular to rounding has no finite logarithm.
    if log_determinant.iter().all(|value| value.is_finite()) {
        traces.push(Trace::new("mean log determinant", log_determinant));
    }
    traces
}

fn log_determinant(covariance: &[f64], dim: usize) -> f64 {
    let mut factor = covariance.to_vec();
    match cholesky_in_place(&mut factor, dim) {
        Ok(()) => (0..dim).map(|a| 2.0 * libm::log(factor[a * dim + a])).sum(),
        Err(_) => f64::NAN,
    }
}

/// Probability that chains which agree differ as much as these, from the means of their blocks; plain and folded scores, twice the smaller.
pub(crate) fn apart(chains: &[&[f64]]) -> f64 {
    if chains.len() < 2 || chains.iter().any(|chain| chain.len() < SHORTEST) {
        return 1.0;
    }
    let whole: Vec<Vec<f64>> = chains.iter().map(|chain| chain.to_vec()).collect();
    if whole.iter().flatten().any(|x| !x.is_finite()) {
        return 1.0;
    }
    let plain = nested(&normal_scores(&whole));
    let folded = nested(&normal_scores(&folded(&whole)));
    (2.0 * plain.min(folded)).min(1.0)
}

/// The p-value of a nested analysis of variance: chains against the blocks of chains, every block counting the same.
fn nested(chains: &[Vec<f64>]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let blocks: Vec<Vec<f64>> = chains
        .iter()
        .map(|chain| {
            let end = |b: usize| b * chain.len() / BLOCKS;
            (0..BLOCKS).map(|b| mean(&chain[end(b)..end(b + 1)])).collect()
        })
        .collect();
    let means: Vec<f64> = blocks.iter().map(|blocks| mean(blocks)).collect();
    let grand = mean(&means);
    let (above, below) = ((chains.len() - 1) as f64, (chains.len() * (BLOCKS - 1)) as f64);
    let between = BLOCKS as f64 * means.iter().map(|m| (m - grand).powi(2)).sum::<f64>() / above;
    let scatter = |(blocks, m): (&Vec<f64>, &f64)| blocks.iter().map(|x| (x - m).powi(2)).sum::<f64>();
    let within = blocks.iter().zip(&means).map(scatter).sum::<f64>() / below;
    // Equal chains may differ by the rounding of their means.
    if between <= 1e-24 { 1.0 } else { fisher_tail(between / within, above, below) }
}

#[cfg(test)]
mod tests;
