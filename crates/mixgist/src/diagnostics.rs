//! Do the chains agree? Rank-normalised split R-hat, bulk and tail effective sample size (Vehtari et al. 2021), as in ArviZ.

use crate::normal::normal_quantile;
use crate::{Error, Result};

/// How well several chains agree on one quantity.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Convergence {
    /// Rank-normalised split R-hat: the larger of bulk and folded; NaN when the quantity is constant.
    #[serde(with = "crate::document::infinite_is_null")]
    #[schemars(with = "Option<f64>")]
    pub rhat: f64,
    /// Effective sample size of the rank-normalised values.
    pub bulk_ess: f64,
    /// The smaller effective sample size of the 5 % and 95 % quantiles.
    pub tail_ess: f64,
}

/// Computes all three for chains of at least 4 draws each; a single chain is compared with itself, half against half. Chains may have different
/// lengths; for equal ones the numbers are those of ArviZ. Cost O(N log N) in the number N of values.
pub fn convergence(chains: &[&[f64]]) -> Result<Convergence> {
    let draws = chains.iter().map(|chain| chain.len()).min().unwrap_or(0);
    if draws < 4 {
        return Err(Error::input(format!(
            "{draws} draws per chain are too few for diagnostics, at least 4 are needed"
        )));
    }
    for (c, chain) in chains.iter().enumerate() {
        if let Some(m) = chain.iter().position(|x| !x.is_finite()) {
            return Err(Error::input(format!("value {m} of chain {c} is {}", chain[m])));
        }
    }
    let split = split(chains);
    let scores = normal_scores(&split);
    let (bulk, tail) = (rhat_of(&scores), rhat_of(&normal_scores(&folded(&split))));
    let all = chains.concat();
    let below = |probability: f64| {
        let limit = quantile(&all, probability);
        let indicators: Vec<Vec<f64>> =
            split.iter().map(|half| half.iter().map(|&x| f64::from(x <= limit)).collect()).collect();
        effective_size(&indicators)
    };
    Ok(Convergence {
        rhat: if bulk.is_nan() || bulk > tail { bulk } else { tail },
        bulk_ess: effective_size(&scores),
        tail_ess: below(0.05).min(below(0.95)),
    })
}

/// Whether several quantities from `chains` chains have an R-hat below 1.01 and effective sample sizes of at least 100 per chain. A constant quantity
/// has nothing to disagree on.
pub fn converged(quantities: &[Convergence], chains: usize) -> bool {
    let enough = 100.0 * chains as f64;
    quantities.iter().all(|c| c.rhat.is_nan() || (c.rhat < 1.01 && c.bulk_ess >= enough && c.tail_ess >= enough))
}

/// How many successive values of the chains count as one independent value of the mean, without ranks, and at least 1; chains of any
/// lengths, none empty.
pub(crate) fn values_worth_one(chains: &[&[f64]]) -> f64 {
    let pieces = split(chains);
    let size: usize = pieces.iter().map(Vec::len).sum();
    if size < 4 { 1.0 } else { (size as f64 / effective_size(&pieces)).max(1.0) }
}

/// First and last half of every chain; the middle draw of an odd number is left out, and a single draw is a piece of its own.
fn split(chains: &[&[f64]]) -> Vec<Vec<f64>> {
    let half = |chain: &[f64]| (chain.len() / 2).max(1);
    let firsts = chains.iter().map(|chain| chain[..half(chain)].to_vec());
    let lasts = chains.iter().filter(|chain| chain.len() > 1).map(|chain| chain[chain.len() - half(chain)..].to_vec());
    firsts.chain(lasts).collect()
}

/// The variance of values within groups and the excess of that between groups, of any sizes.
pub(crate) struct Groups {
    /// Within groups; 0 when no group has two values.
    pub within: f64,
    /// Of the groups' means, each squared deviation times the size of its group; it is `within` on average when the groups are alike.
    pub between: f64,
    /// The size of a group, if all were equally large.
    pub size: f64,
}

impl Groups {
    /// At least one group, none empty.
    pub(crate) fn new(groups: &[impl AsRef<[f64]>]) -> Self {
        let groups = || groups.iter().map(AsRef::as_ref);
        let (count, values) = (groups().count(), groups().map(<[f64]>::len).sum::<usize>());
        let total = values as f64;
        let grand = groups().flatten().sum::<f64>() / total;
        let squares = |values: &[f64], center: f64| values.iter().map(|x| (x - center).powi(2)).sum::<f64>();
        let within = groups().map(|group| squares(group, mean(group))).sum::<f64>();
        let within = if values > count { within / (values - count) as f64 } else { 0.0 };
        if count == 1 {
            return Groups { within, between: within, size: total };
        }
        let between = groups().map(|group| group.len() as f64 * (mean(group) - grand).powi(2)).sum::<f64>();
        let sizes = groups().map(|group| (group.len() as f64).powi(2)).sum::<f64>();
        let others = (count - 1) as f64;
        Groups { within, between: between / others, size: (total - sizes / total) / others }
    }
}

/// Distances of all values from their common median.
pub(crate) fn folded(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let median = quantile(&chains.concat(), 0.5);
    chains.iter().map(|chain| chain.iter().map(|x| (x - median).abs()).collect()).collect()
}

/// Normal scores of the ranks, ties averaged (Blom's offset 3/8).
pub(crate) fn normal_scores(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let values = chains.concat();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut scores = vec![0.0; values.len()];
    let size = values.len() as f64;
    let mut begin = 0;
    while begin < order.len() {
        let mut end = begin + 1;
        while end < order.len() && values[order[end]] == values[order[begin]] {
            end += 1;
        }
        let rank = (begin + 1 + end) as f64 / 2.0;
        let score = normal_quantile((rank - 0.375) / (size + 0.25));
        order[begin..end].iter().for_each(|&i| scores[i] = score);
        begin = end;
    }
    let mut rest = scores.as_slice();
    let own = |chain: &Vec<f64>| {
        let (own, others) = rest.split_at(chain.len());
        rest = others;
        own.to_vec()
    };
    chains.iter().map(own).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn rhat_of(chains: &[Vec<f64>]) -> f64 {
    let Groups { within, between, size } = Groups::new(chains);
    ((between / within + size - 1.0) / size).sqrt()
}

/// Effective sample size with Geyer's initial monotone sequence, step by step as in ArviZ; chains may have different lengths, and
/// then a chain counts as its length.
fn effective_size(chains: &[Vec<f64>]) -> f64 {
    let draws = chains.iter().map(Vec::len).max().unwrap_or(0);
    let size = chains.iter().map(Vec::len).sum::<usize>() as f64;
    let all = || chains.iter().flatten().copied();
    if draws < 2 || all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min) < 1e-15 {
        return size;
    }
    let covariances: Vec<Vec<f64>> = chains.iter().map(|chain| autocovariance(chain)).collect();
    let at_lag = |t: usize| {
        let sums = covariances.iter().filter_map(|c| c.get(t).map(|value| value * c.len() as f64));
        sums.sum::<f64>() / size
    };
    let Groups { within: mean_variance, between, size: length } = Groups::new(chains);
    let total_variance = if chains.len() > 1 { mean_variance + (between - mean_variance) / length } else { at_lag(0) };
    let correlation = |t: usize| 1.0 - (mean_variance - at_lag(t)) / total_variance;
    let mut rho = vec![0.0; draws];
    let (mut even, mut odd) = (1.0, correlation(1));
    rho[0] = even;
    rho[1] = odd;
    let mut t = 1;
    while t + 3 < draws && even + odd > 0.0 {
        even = correlation(t + 1);
        odd = correlation(t + 2);
        if even + odd >= 0.0 {
            rho[t + 1] = even;
            rho[t + 2] = odd;
        }
        t += 2;
    }
    // `kept` is the number of correlations in the truncated sum, max_t + 1 of ArviZ
    let kept = t - 1;
    if even > 0.0 {
        rho[kept] = even;
    }
    let mut t = 1;
    while t + 3 <= kept {
        if rho[t + 1] + rho[t + 2] > rho[t - 1] + rho[t] {
            rho[t + 1] = (rho[t - 1] + rho[t]) / 2.0;
            rho[t + 2] = rho[t + 1];
        }
        t += 2;
    }
    let tau = -1.0 + 2.0 * rho[..kept].iter().sum::<f64>() + rho[kept];
    size / tau.max(1.0 / size.log10())
}

/// Autocovariance at every lag, divided by n, by the Fourier transform.
fn autocovariance(chain: &[f64]) -> Vec<f64> {
    let n = chain.len();
    let length = (2 * n).next_power_of_two();
    let center = mean(chain);
    let mut re: Vec<f64> = chain.iter().map(|x| x - center).collect();
    re.resize(length, 0.0);
    let mut im = vec![0.0; length];
    fourier(&mut re, &mut im);
    for (a, b) in re.iter_mut().zip(&mut im) {
        *a = *a * *a + *b * *b;
        *b = 0.0;
    }
    // the power spectrum is even, so that its forward transform is its inverse but for the length
    fourier(&mut re, &mut im);
    re[..n].iter().map(|x| x / (length * n) as f64).collect()
}

/// Discrete Fourier transform in place; the length is a power of two.
fn fourier(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    let mut reversed = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while reversed & bit != 0 {
            reversed ^= bit;
            bit >>= 1;
        }
        reversed |= bit;
        if i < reversed {
            re.swap(i, reversed);
            im.swap(i, reversed);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (sin, cos) = (-std::f64::consts::PI * k as f64 / half as f64).sin_cos();
            for a in (k..n).step_by(2 * half) {
                let b = a + half;
                let (x, y) = (re[b] * cos - im[b] * sin, re[b] * sin + im[b] * cos);
                (re[b], im[b]) = (re[a] - x, im[a] - y);
                (re[a], im[a]) = (re[a] + x, im[a] + y);
            }
        }
        half *= 2;
    }
}

/// Quantile of R's type 7, in the arithmetic of SciPy's `mquantiles`, as comparisons with it decide.
fn quantile(values: &[f64], probability: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let place = n * probability + (1.0 - probability);
    let below = place.clamp(1.0, n - 1.0).floor();
    let gamma = (place - below).clamp(0.0, 1.0);
    let k = below as usize;
    (1.0 - gamma) * sorted[k - 1] + gamma * sorted[k]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, standard_normals, stream};

    #[test]
    fn autocovariances_are_the_sums_they_stand_for() {
        let mut x = vec![0.0; 37];
        standard_normals(&mut stream(1, Purpose::Simulation, 0), &mut x);
        let center = mean(&x);
        for (lag, got) in autocovariance(&x).into_iter().enumerate() {
            let expected = (lag..37).map(|i| (x[i] - center) * (x[i - lag] - center)).sum::<f64>() / 37.0;
            assert!((got - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn chains_that_cannot_be_compared_are_refused() {
        let message = |chains: &[&[f64]]| convergence(chains).unwrap_err().to_string();
        assert!(message(&[]).contains("0 draws"));
        assert!(message(&[&[1.0, 2.0, 3.0]]).contains("3 draws"));
        assert!(message(&[&[1.0; 5], &[1.0; 3]]).contains("3 draws"));
        assert!(message(&[&[1.0, f64::NAN, 1.0, 1.0]]).contains("value 1 of chain 0 is NaN"));
    }

    #[test]
    fn constants_agree_and_shifted_chains_do_not() {
        let constant = convergence(&[&[2.0; 10], &[2.0; 10]]).unwrap();
        assert!(constant.rhat.is_nan() && constant.bulk_ess == 20.0 && constant.tail_ess == 20.0);
        assert!(converged(&[constant], 2));
        let mut x = vec![0.0; 2000];
        standard_normals(&mut stream(2, Purpose::Simulation, 0), &mut x);
        let (a, b) = x.split_at(1000);
        let shifted: Vec<f64> = b.iter().map(|v| v + 1.0).collect();
        assert!(converged(&[convergence(&[a, b]).unwrap()], 2));
        assert!(!converged(&[convergence(&[a, &shifted]).unwrap()], 2));
    }
}
