//! Exact distances between two mixing measures: W_p, MW_2 and the energy distance, and the table that offers them by name.

use nalgebra::DMatrix;

use crate::transport::ground::{GroundMetric, check_pairs, cholesky};
use crate::transport::simplex::solve;
use crate::{Error, GaussianAtoms, MixingMeasure, Result};

/// A distance with the transport cost that it is the root of.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ExactDistance {
    /// W_p, the root of the transport cost.
    pub distance: f64,
    /// W_p^p.
    pub transport_cost: f64,
}

/// W_p between two mixing measures under a ground metric, by an exact solver; p ≥ 1.
///
/// Cost some K² log K after the K_1 × K_2 ground distances: milliseconds for a hundred atoms.
pub fn exact_w(a: &MixingMeasure, b: &MixingMeasure, ground: GroundMetric, order: f64) -> Result<ExactDistance> {
    if !(order >= 1.0 && order.is_finite()) {
        return Err(Error::usage(format!("order p is {order}, must be finite and at least 1")));
    }
    let mut costs = ground.squared_distances(a.atoms(), b.atoms())?;
    if order == 1.0 {
        costs.iter_mut().for_each(|c| *c = c.sqrt());
    } else if order != 2.0 {
        costs.iter_mut().for_each(|c| *c = c.powf(order / 2.0));
    }
    let transport_cost = solve(a.weights(), b.weights(), &costs)?.transport_cost;
    Ok(ExactDistance { distance: transport_cost.max(0.0).powf(1.0 / order), transport_cost })
}

/// MW_2, the mixture Wasserstein distance: W_2 with the Gaussian W_2 as ground metric,
/// ‖μ_1 − μ_2‖² + tr Σ_1 + tr Σ_2 − 2 tr((Σ_1^{1/2} Σ_2 Σ_1^{1/2})^{1/2}).
///
/// Cost as [`exact_w`], with O(d³) for each pair of atoms.
pub fn mw_2(a: &MixingMeasure, b: &MixingMeasure) -> Result<ExactDistance> {
    let costs = gaussian_w2_costs(a.atoms(), b.atoms())?;
    let transport_cost = solve(a.weights(), b.weights(), &costs)?.transport_cost;
    Ok(ExactDistance { distance: transport_cost.max(0.0).sqrt(), transport_cost })
}

/// The squared energy (Cramér) distance 2 E d(X, Y) − E d(X, X′) − E d(Y, Y′) with X, X′ from `a` and Y, Y′ from `b`.
///
/// Only for ground metrics under which it is a distance: those that embed into a Euclidean space.
pub fn energy_distance_squared(a: &MixingMeasure, b: &MixingMeasure, ground: GroundMetric) -> Result<f64> {
    if ground == GroundMetric::AffineInvariant {
        return Err(Error::usage("the energy distance can be negative under the affine-invariant metric")
            .hint("use the log-Euclidean or the Frobenius metric"));
    }
    let mean = |x: &MixingMeasure, y: &MixingMeasure| -> Result<f64> {
        let squares = ground.squared_distances(x.atoms(), y.atoms())?;
        let rows = x.weights().iter().zip(squares.chunks_exact(y.len()));
        Ok(rows.map(|(w, row)| w * row.iter().zip(y.weights()).map(|(square, v)| v * square.sqrt()).sum::<f64>()).sum())
    };
    Ok((2.0 * mean(a, b)? - mean(a, a)? - mean(b, b)?).max(0.0))
}

/// The energy distance, the root of [`energy_distance_squared`].
pub fn energy_distance(a: &MixingMeasure, b: &MixingMeasure, ground: GroundMetric) -> Result<f64> {
    Ok(energy_distance_squared(a, b, ground)?.sqrt())
}

/// An exact distance that fronts offer by name.
#[non_exhaustive]
pub struct NamedDistance {
    /// Its name in options and results.
    pub name: &'static str,
    /// One line for help texts.
    pub help: &'static str,
    /// Whether the order p can be chosen.
    pub takes_order: bool,
    distance: fn(&MixingMeasure, &MixingMeasure, f64) -> Result<f64>,
}

/// Every exact distance.
pub const EXACT_DISTANCES: [NamedDistance; 6] = [
    NamedDistance {
        name: "exact-w",
        help: "exact W_p, log-Euclidean metric on covariances (the paper's product metric)",
        takes_order: true,
        distance: |a, b, order| Ok(exact_w(a, b, GroundMetric::LogEuclidean, order)?.distance),
    },
    NamedDistance {
        name: "exact-w-frobenius",
        help: "exact W_p, Frobenius metric on covariances",
        takes_order: true,
        distance: |a, b, order| Ok(exact_w(a, b, GroundMetric::Frobenius, order)?.distance),
    },
    NamedDistance {
        name: "exact-w-affine",
        help: "exact W_p, affine-invariant metric on covariances",
        takes_order: true,
        distance: |a, b, order| Ok(exact_w(a, b, GroundMetric::AffineInvariant, order)?.distance),
    },
    NamedDistance {
        name: "mw",
        help: "MW_2, the Gaussian-Wasserstein mixture distance",
        takes_order: false,
        distance: |a, b, _| Ok(mw_2(a, b)?.distance),
    },
    NamedDistance {
        name: "energy",
        help: "energy (Cramér) distance, rooted, log-Euclidean metric on covariances",
        takes_order: false,
        distance: |a, b, _| energy_distance(a, b, GroundMetric::LogEuclidean),
    },
    NamedDistance {
        name: "energy-frobenius",
        help: "energy (Cramér) distance, rooted, Frobenius metric on covariances",
        takes_order: false,
        distance: |a, b, _| energy_distance(a, b, GroundMetric::Frobenius),
    },
];

impl NamedDistance {
    /// The exact distance of that name.
    pub fn from_name(name: &str) -> Result<&'static NamedDistance> {
        const { &EXACT_DISTANCES }.iter().find(|peer| peer.name == name).ok_or_else(|| {
            let known: Vec<_> = EXACT_DISTANCES.iter().map(|peer| peer.name).collect();
            Error::usage(format!("unknown exact distance '{name}'")).hint(format!("one of: {}", known.join(", ")))
        })
    }

    /// The distance between two measures; without an order p it is 2. An order that the distance cannot have is an error.
    pub fn distance(&self, a: &MixingMeasure, b: &MixingMeasure, order: Option<f64>) -> Result<f64> {
        match order {
            Some(order) if !self.takes_order => {
                Err(Error::usage(format!("'{}' has no order, got order {order}", self.name))
                    .hint("leave the order out"))
            }
            order => (self.distance)(a, b, order.unwrap_or(2.0)),
        }
    }
}

/// Squared Gaussian W_2 between all atoms, K_1 × K_2.
fn gaussian_w2_costs(a: &GaussianAtoms, b: &GaussianAtoms) -> Result<Vec<f64>> {
    check_pairs(a, b)?;
    let factors = |atoms: &GaussianAtoms| (0..atoms.len()).map(|k| cholesky(atoms, k)).collect::<Result<Vec<_>>>();
    let (from, to) = (factors(a)?, factors(b)?);
    let mut costs = Vec::with_capacity(a.len() * b.len());
    for (i, l1) in from.iter().enumerate() {
        for (j, l2) in to.iter().enumerate() {
            let means: f64 = a.mean(i).iter().zip(b.mean(j)).map(|(x, y)| (x - y) * (x - y)).sum();
            costs.push(means + squared_bures(l1, l2, a.dim())?);
        }
    }
    Ok(costs)
}

/// tr Σ_1 + tr Σ_2 − 2 tr((Σ_1^{1/2} Σ_2 Σ_1^{1/2})^{1/2}) from the Cholesky factors, as min ‖L_1 − L_2 U‖_F² over orthogonal U:
/// the difference is taken before squaring, so that close covariances lose no digits.
fn squared_bures(l1: &[f64], l2: &[f64], d: usize) -> Result<f64> {
    if l1 == l2 {
        return Ok(0.0);
    }
    // M = L_2ᵀ L_1; the best U is the orthogonal factor of its polar decomposition.
    let entry = |i: usize, j: usize| (0..d).map(|k| l2[k * d + i] * l1[k * d + j]).sum::<f64>();
    let rotation: Vec<f64> = match d {
        1 => vec![1.0],
        2 => {
            // det M > 0, so that U is a rotation; its angle maximizes tr(Uᵀ M).
            let (x, y) = (entry(0, 0) + entry(1, 1), entry(1, 0) - entry(0, 1));
            let norm = x.hypot(y);
            let (cos, sin) = (x / norm, y / norm);
            vec![cos, -sin, sin, cos]
        }
        _ => {
            let m = DMatrix::from_fn(d, d, entry);
            let failed =
                || Error::input("the Gaussian W_2 between two atoms cannot be computed: covariances are too extreme");
            if m.iter().any(|x| !x.is_finite()) {
                return Err(failed());
            }
            let svd = m.try_svd(true, true, f64::EPSILON, 10_000).ok_or_else(failed)?;
            let (u, v) = (svd.u.ok_or_else(failed)?, svd.v_t.ok_or_else(failed)?);
            (u * v).transpose().as_slice().to_vec()
        }
    };
    let mut sum = 0.0;
    for i in 0..d {
        for j in 0..d {
            let turned: f64 = (0..=i).map(|k| l2[i * d + k] * rotation[k * d + j]).sum();
            sum += (l1[i * d + j] - turned).powi(2);
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests;
