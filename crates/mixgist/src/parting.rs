//! Where components part: cut points on the line, and the two axes that show components of many dimensions best.

use crate::effective::PosteriorInterval;
use crate::ensemble::MixingMeasure;
use crate::linalg::{cholesky_in_place, eigen_symmetric, whiten};
use crate::text::Index;
use crate::{Error, Result};

/// Where one component of the line ends and the next one begins: left of the cut the first is the more probable of the two, right of it the second.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Cut {
    /// The component on the left, an atom of the estimate.
    #[schemars(with = "Index")]
    pub left: usize,
    /// The component on the right.
    #[schemars(with = "Index")]
    pub right: usize,
    /// The cut of the estimate; null when one of the two is more probable all the way between their means.
    pub at: Option<f64>,
    /// The cut over the draws that have both components and a cut between them; null when there are none.
    pub interval: Option<PosteriorInterval>,
    /// The share of the draws that have such a cut.
    pub probability: f64,
}

/// A component on the line.
#[derive(Clone, Copy)]
pub(crate) struct Bump {
    pub(crate) weight: f64,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

/// The cuts between neighbouring components, from left to right, with intervals of a level. `own` are the components of the estimate, each with its atom; `in_draw`
/// says what draw m has of number k of them; `weights` are those of the draws.
///
/// Cost O(M J).
pub(crate) fn cuts(
    own: &[(usize, Bump)],
    in_draw: &dyn Fn(usize, usize) -> Option<Bump>,
    weights: &[f64],
    level: f64,
) -> Vec<Cut> {
    let mut order: Vec<usize> = (0..own.len()).collect();
    order.sort_by(|&a, &b| own[a].1.mean.total_cmp(&own[b].1.mean));
    let cut = |pair: &[usize]| {
        let (left, right) = (pair[0], pair[1]);
        let of_draw = |m: usize| cut_between(in_draw(m, left)?, in_draw(m, right)?);
        let (at, share): (Vec<f64>, Vec<f64>) =
            (0..weights.len()).filter(|&m| weights[m] > 0.0).filter_map(|m| Some((of_draw(m)?, weights[m]))).unzip();
        Cut {
            left: own[left].0,
            right: own[right].0,
            at: cut_between(own[left].1, own[right].1),
            interval: (!at.is_empty()).then(|| PosteriorInterval::of(&at, &share, level)),
            probability: share.iter().fold(0.0, |sum, weight| sum + weight).min(1.0),
        }
    };
    order.windows(2).map(cut).collect()
}

/// The point between the means where both are equally probable: log w + log f is equal, a quadratic equation. There is one, or none when one of the two
/// prevails at both means.
fn cut_between(a: Bump, b: Bump) -> Option<f64> {
    let lead = |x: f64| {
        let log = |bump: Bump| {
            libm::log(bump.weight) - 0.5 * libm::log(bump.variance) - (x - bump.mean).powi(2) / (2.0 * bump.variance)
        };
        log(a) - log(b)
    };
    // The lead of a falls all the way between the means: its derivative is −(x − a)/σ_a² + (x − b)/σ_b², negative for a < x < b.
    let (mut low, mut high) = if a.mean <= b.mean { (a.mean, b.mean) } else { (b.mean, a.mean) };
    let sign = if a.mean <= b.mean { 1.0 } else { -1.0 };
    if sign * lead(low) < 0.0 || sign * lead(high) > 0.0 {
        return None;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if sign * lead(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(0.5 * (low + high))
}

/// A linear map that shows the components of a measure best: axes along which their means differ most in units of their own spread.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct DiscriminantAxes {
    /// The axes, each of d numbers: a point y has the coordinates ⟨axis, y⟩. Within components the coordinates have variance 1 on average and are
    /// uncorrelated.
    pub axes: Vec<Vec<f64>>,
    /// Variance of the components' means along each axis, by weight, descending.
    pub separation: Vec<f64>,
    /// The part of the separation over all axes that these show, from 0 to 1.
    pub shown: f64,
}

/// The discriminant directions of a measure: the leading `count` eigenvectors of W⁻¹B, W being the mean covariance within components and B the covariance of their
/// means, both by weight. With J components there are at most J − 1 that separate anything.
///
/// Cost O(K d² + d³).
pub fn discriminant_axes(measure: &MixingMeasure, count: usize) -> Result<DiscriminantAxes> {
    let d = measure.dim();
    if count == 0 || count > d {
        return Err(Error::usage(format!("{count} axes were asked for, must be from 1 to the dimension {d}")));
    }
    let mut center = vec![0.0; d];
    for (k, w) in measure.weights().iter().enumerate() {
        center.iter_mut().zip(measure.atoms().mean(k)).for_each(|(sum, x)| *sum += w * x);
    }
    let (mut within, mut between) = (vec![0.0; d * d], vec![0.0; d * d]);
    for (k, w) in measure.weights().iter().enumerate() {
        let (mean, covariance) = (measure.atoms().mean(k), measure.atoms().covariance(k));
        for a in 0..d {
            for b in 0..d {
                within[a * d + b] += w * covariance[a * d + b];
                between[a * d + b] += w * (mean[a] - center[a]) * (mean[b] - center[b]);
            }
        }
    }
    cholesky_in_place(&mut within, d).map_err(|_| {
        Error::input("the mean covariance of the components cannot be factored").hint("rescale the data")
    })?;
    let eigen = eigen_symmetric(&whiten(&between, &within, d), d);
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|&a, &b| eigen.values[b].total_cmp(&eigen.values[a]).then(a.cmp(&b)));
    let axis = |&i: &usize| {
        let mut axis: Vec<f64> = (0..d).map(|row| eigen.vectors[row * d + i]).collect();
        solve_lower_transposed(&within, d, &mut axis);
        // The sign is free: the largest entry is positive.
        let largest = axis.iter().copied().reduce(|best, x| if x.abs() > best.abs() { x } else { best });
        if largest.is_some_and(|x| x < 0.0) {
            axis.iter_mut().for_each(|x| *x = -*x);
        }
        axis
    };
    let separation: Vec<f64> = order[..count].iter().map(|&i| eigen.values[i].max(0.0)).collect();
    let all: f64 = eigen.values.iter().map(|value| value.max(0.0)).sum();
    Ok(DiscriminantAxes {
        axes: order[..count].iter().map(axis).collect(),
        shown: if all > 0.0 { (separation.iter().sum::<f64>() / all).min(1.0) } else { 1.0 },
        separation,
    })
}

/// Solves Cᵀ x = b in place for a lower factor C.
fn solve_lower_transposed(factor: &[f64], d: usize, b: &mut [f64]) {
    for i in (0..d).rev() {
        let sum: f64 = (i + 1..d).map(|j| factor[j * d + i] * b[j]).sum();
        b[i] = (b[i] - sum) / factor[i * d + i];
    }
}

#[cfg(test)]
mod tests;
