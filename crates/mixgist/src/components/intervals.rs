//! Intervals and ellipses of a component's parameters over the draws that have it.

use super::couple::Match;
use crate::Result;
use crate::effective::{PosteriorInterval, ascending, sorted_quantile};
use crate::fits::has_length;
use crate::linalg::{cholesky_in_place, solve_lower};

/// An ellipse {x : (x − c)ᵀ S⁻¹ (x − c) ≤ r²} that holds a component's mean with the level's probability.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Ellipse {
    /// c, the posterior mean of the mean.
    pub center: Vec<f64>,
    /// S, the posterior covariance of the mean, d × d.
    #[serde(with = "crate::document::square")]
    #[schemars(with = "Vec<Vec<f64>>")]
    pub covariance: Vec<f64>,
    /// r: the quantile of the distance over the draws; `None` when S is singular, as it is when draws do not differ.
    pub radius: Option<f64>,
}

/// Intervals of all parameters of a component, given that it exists.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Intervals {
    /// Weight.
    pub weight: PosteriorInterval,
    /// Mean, each coordinate.
    pub mean: Vec<PosteriorInterval>,
    /// Standard deviation of each coordinate.
    pub sd: Vec<PosteriorInterval>,
    /// Entries of the covariance, d × d; empty beyond dimension [`Intervals::MOST_DIMENSIONS`].
    #[serde(with = "crate::document::square")]
    #[schemars(with = "Vec<Vec<PosteriorInterval>>")]
    pub covariance: Vec<PosteriorInterval>,
    /// Correlations, d × d with ones on the diagonal; empty beyond that dimension.
    #[serde(with = "crate::document::square")]
    #[schemars(with = "Vec<Vec<PosteriorInterval>>")]
    pub correlation: Vec<PosteriorInterval>,
    /// Where the mean is.
    pub mean_ellipse: Ellipse,
}

impl Intervals {
    /// Refuses intervals of another dimension.
    pub(super) fn fits(&self, dim: usize) -> Result<()> {
        has_length("intervals of the mean", self.mean.len(), dim)?;
        has_length("intervals of the sd", self.sd.len(), dim)?;
        has_length("intervals of the covariance", self.covariance.len(), dim * dim)?;
        has_length("intervals of the correlation", self.correlation.len(), dim * dim)?;
        has_length("center of the ellipse", self.mean_ellipse.center.len(), dim)?;
        has_length("covariance of the ellipse", self.mean_ellipse.covariance.len(), dim * dim)
    }
}

impl Intervals {
    /// Beyond this dimension standard deviations must do: a covariance of 50 coordinates has 1275 entries.
    pub const MOST_DIMENSIONS: usize = 10;

    pub(super) fn new(d: usize, matches: &[&Match], weights: &[f64], level: f64) -> Self {
        let of = |value: &dyn Fn(&Match) -> f64| {
            let values: Vec<f64> = matches.iter().map(|found| value(found)).collect();
            PosteriorInterval::of(&values, weights, level)
        };
        let entry = |found: &Match, a: usize, b: usize| found.covariance[a * d + b];
        let entries = |value: &dyn Fn(&Match, usize, usize) -> f64| -> Vec<PosteriorInterval> {
            if d > Self::MOST_DIMENSIONS {
                return Vec::new();
            }
            (0..d * d).map(|e| of(&|found| value(found, e / d, e % d))).collect()
        };
        Intervals {
            weight: of(&|found| found.weight),
            mean: (0..d).map(|a| of(&|found| found.mean[a])).collect(),
            sd: (0..d).map(|a| of(&|found| entry(found, a, a).sqrt())).collect(),
            covariance: entries(&entry),
            correlation: entries(&|found, a, b| {
                if a == b { 1.0 } else { entry(found, a, b) / (entry(found, a, a) * entry(found, b, b)).sqrt() }
            }),
            mean_ellipse: ellipse(d, matches, weights, level),
        }
    }
}

fn ellipse(d: usize, matches: &[&Match], weights: &[f64], level: f64) -> Ellipse {
    let total: f64 = weights.iter().sum();
    let mut center = vec![0.0; d];
    for (found, weight) in matches.iter().zip(weights) {
        center.iter_mut().zip(&found.mean).for_each(|(sum, x)| *sum += weight / total * x);
    }
    let mut covariance = vec![0.0; d * d];
    for (found, weight) in matches.iter().zip(weights) {
        for a in 0..d {
            for b in 0..d {
                covariance[a * d + b] += weight / total * (found.mean[a] - center[a]) * (found.mean[b] - center[b]);
            }
        }
    }
    let mut factor = covariance.clone();
    let radius = cholesky_in_place(&mut factor, d).ok().map(|()| {
        let distances: Vec<f64> = matches
            .iter()
            .map(|found| {
                let mut gap: Vec<f64> = found.mean.iter().zip(&center).map(|(x, c)| x - c).collect();
                solve_lower(&factor, d, &mut gap);
                gap.iter().map(|x| x * x).sum::<f64>().sqrt()
            })
            .collect();
        sorted_quantile(&distances, weights, &ascending(&distances, weights), level)
    });
    Ellipse { center, covariance, radius }
}
