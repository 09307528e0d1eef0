//! Units: the coordinates in which distances are computed. Estimates always come back in the original ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::by_name::by_name;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::linalg::cholesky_in_place;
use crate::points::Points;
use crate::text;
use crate::text::{index, named, option};
use crate::{Error, Result};

/// How coordinates are scaled before distances are computed.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Units {
    /// As they are, as in the paper: the chosen draw then depends on the units of measurement.
    None,
    /// Each coordinate divided by its standard deviation.
    #[default]
    Sd,
    /// Coordinates turned and scaled to be uncorrelated with standard deviation 1.
    Whiten,
    /// Each coordinate divided by a number that the user gives.
    Scale(Vec<f64>),
}

by_name!(
    Units,
    "Units",
    [] as [&str; 0],
    "Units in which distances are computed: 'none', 'sd', 'whiten', or one number per coordinate, with commas."
);

impl Units {
    /// From `none`, `sd`, `whiten` or numbers separated by commas.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "none" => Ok(Units::None),
            "sd" => Ok(Units::Sd),
            "whiten" => Ok(Units::Whiten),
            _ => {
                let numbers: std::result::Result<Vec<f64>, _> =
                    name.split(',').map(|part| part.trim().parse()).collect();
                numbers.map(Units::Scale).map_err(|_| {
                    Error::usage(format!("unknown units '{name}'")).hint(text![
                        "one of: none, sd, whiten, or one number per coordinate, such as ",
                        option("units", "1.5,60")
                    ])
                })
            }
        }
    }

    /// The name that options use.
    pub fn name(&self) -> String {
        match self {
            Units::None => "none".into(),
            Units::Sd => "sd".into(),
            Units::Whiten => "whiten".into(),
            Units::Scale(scale) => scale.iter().map(f64::to_string).collect::<Vec<_>>().join(","),
        }
    }
}

/// Units with their numbers: the scale of each coordinate and the transformation that is applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ResolvedUnits {
    /// What was asked for.
    #[serde(rename = "name")]
    pub units: Units,
    /// Scale of each coordinate, from the data or else from the draws.
    pub scales: Vec<f64>,
    /// Rows of the d × d matrix T of the coordinates T x in which distances are computed; absent when coordinates stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::document::optional_square")]
    #[schemars(with = "Option<Vec<Vec<f64>>>")]
    pub transform: Option<Vec<f64>>,
}

impl ResolvedUnits {
    /// Works out scales from the data when given, otherwise from the draws by a rule that survives heavy-tailed covariances:
    /// half the distance between the 16 % and 84 % quantiles of each draw's marginal mixture, then the median over draws.
    pub fn new(units: &Units, ensemble: &Ensemble, data: Option<Points>) -> Result<Self> {
        let draws: Vec<usize> = looked_at(ensemble.len(), ensemble.weights().len()).collect();
        Self::of_draws(units, ensemble, &draws, data)
    }

    /// The same, of the draws that are looked at.
    pub(crate) fn of_draws(units: &Units, ensemble: &Ensemble, draws: &[usize], data: Option<Points>) -> Result<Self> {
        let d = ensemble.dim();
        let mut scales = match data.filter(|points| points.len() > 1) {
            Some(points) => standard_deviations(points),
            None => vec![0.0; d],
        };
        // Where the data do not vary the draws give the scale.
        if scales.iter().any(|scale| *scale <= 0.0) {
            let by_draws = robust_scales(ensemble, draws);
            scales.iter_mut().zip(by_draws).filter(|(scale, _)| **scale <= 0.0).for_each(|(scale, own)| *scale = own);
        }
        let diagonal = |values: Vec<f64>| {
            let mut matrix = vec![0.0; d * d];
            values.iter().enumerate().for_each(|(a, v)| matrix[a * d + a] = v.recip());
            matrix
        };
        if matches!(units, Units::Sd | Units::Whiten)
            && let Some(a) = scales.iter().position(|s| !(*s > 0.0 && s.is_finite()))
        {
            let scale = format!(" has scale {}, it cannot be divided by that", scales[a]);
            return Err(Error::input(text!["coordinate ", index(a), scale])
                .hint(text!["drop the constant coordinate, or give numbers: ", named("units")]));
        }
        let transform = match units {
            Units::None => None,
            Units::Sd => Some(diagonal(scales.clone())),
            Units::Scale(given) => {
                if given.len() != d {
                    return Err(Error::usage(format!("units give {} numbers for {d} coordinates", given.len())));
                }
                if let Some(a) = given.iter().position(|s| !(*s > 0.0 && s.is_finite())) {
                    let value = format!(" is {}, must be positive", given[a]);
                    return Err(Error::usage(text!["units: number ", index(a), value]));
                }
                Some(diagonal(given.clone()))
            }
            Units::Whiten => {
                let correlation = match data.filter(|points| points.len() > 1) {
                    Some(points) => data_correlation(points, &scales),
                    None => draw_correlation(ensemble, draws),
                };
                Some(whitening(&correlation, &scales)?)
            }
        };
        Ok(ResolvedUnits { units: units.clone(), scales, transform })
    }

    /// Largest scale over smallest: 1 for a single coordinate, infinite when one of several has scale 0.
    pub fn imbalance(&self) -> f64 {
        if self.scales.len() == 1 {
            return 1.0;
        }
        let largest = self.scales.iter().copied().fold(0.0, f64::max);
        let smallest = self.scales.iter().copied().fold(f64::INFINITY, f64::min);
        if smallest > 0.0 { largest / smallest } else { f64::INFINITY }
    }

    /// One measure in these units.
    pub fn apply_to_measure(&self, measure: &MixingMeasure) -> Result<MixingMeasure> {
        match &self.transform {
            Some(transform) => measure.transformed(transform),
            None => Ok(measure.clone()),
        }
    }

    /// A measure in these units, back in the original ones.
    pub(crate) fn undo(&self, measure: &MixingMeasure) -> Result<MixingMeasure> {
        match &self.transform {
            Some(transform) => measure.transformed(&inverse(transform, self.scales.len())),
            None => Ok(measure.clone()),
        }
    }

    /// The draws in these units; an error names the atom whose covariance is singular to rounding in them.
    pub fn apply(&self, ensemble: &Ensemble) -> Result<Ensemble> {
        match &self.transform {
            Some(transform) => ensemble
                .transformed(transform)
                .map_err(|error| error.hint(text!["use ", option("units", "none"), ", or drop the draw"])),
            None => Ok(ensemble.clone()),
        }
    }
}

/// Inverse of a lower triangular or diagonal matrix, which is what units are.
fn inverse(transform: &[f64], d: usize) -> Vec<f64> {
    let mut out = vec![0.0; d * d];
    for a in 0..d {
        let mut column = vec![0.0; d];
        column[a] = 1.0;
        crate::linalg::solve_lower(transform, d, &mut column);
        for b in 0..d {
            out[b * d + a] = column[b];
        }
    }
    out
}

fn standard_deviations(points: Points) -> Vec<f64> {
    let (n, d) = (points.len(), points.dim());
    let means = column_means(points);
    let mut squares = vec![0.0; d];
    for i in 0..n {
        for (a, x) in points.point(i).iter().enumerate() {
            squares[a] += (x - means[a]).powi(2);
        }
    }
    squares.into_iter().map(|square| (square / (n - 1) as f64).sqrt()).collect()
}

fn column_means(points: Points) -> Vec<f64> {
    let mut means = vec![0.0; points.dim()];
    for i in 0..points.len() {
        means.iter_mut().zip(points.point(i)).for_each(|(mean, x)| *mean += x);
    }
    means.iter_mut().for_each(|mean| *mean /= points.len() as f64);
    means
}

fn data_correlation(points: Points, scales: &[f64]) -> Vec<f64> {
    let (n, d) = (points.len(), points.dim());
    let means = column_means(points);
    let mut correlation = vec![0.0; d * d];
    for i in 0..n {
        let z: Vec<f64> = points.point(i).iter().enumerate().map(|(a, x)| (x - means[a]) / scales[a]).collect();
        for a in 0..d {
            for b in 0..d {
                correlation[a * d + b] += z[a] * z[b] / (n - 1) as f64;
            }
        }
    }
    correlation
}

/// Draws that are looked at: more would not make the scale better. Of draws with very many atoms fewer are looked at: 200 of 800 atoms
/// took a second.
const LOOKED_AT: usize = 200;
const LEAST_LOOKED_AT: usize = 20;
const ATOMS_LOOKED_AT: usize = 40_000;

/// Atoms that together hold this much of a draw's mass stand for it where a correlation is computed.
const CORE_MASS: f64 = 0.95;

/// Which of so many draws, with so many atoms in all, are looked at.
pub(crate) fn looked_at(draws: usize, atoms: usize) -> impl Iterator<Item = usize> {
    let affordable = (ATOMS_LOOKED_AT as f64 / atoms as f64 * draws as f64) as usize;
    (0..draws).step_by(draws.div_ceil(affordable.clamp(LEAST_LOOKED_AT, LOOKED_AT)))
}

fn robust_scales(ensemble: &Ensemble, draws: &[usize]) -> Vec<f64> {
    (0..ensemble.dim())
        .map(|a| {
            let mut scales: Vec<f64> = draws
                .iter()
                .map(|&m| (marginal_quantile(ensemble, m, a, 0.84) - marginal_quantile(ensemble, m, a, 0.16)) / 2.0)
                .collect();
            scales.sort_by(f64::total_cmp);
            scales[scales.len() / 2]
        })
        .collect()
}

/// Quantile of coordinate a under draw m, by bisection; a thousandth of the scale is accurate enough, and this is far better.
fn marginal_quantile(ensemble: &Ensemble, m: usize, a: usize, level: f64) -> f64 {
    let d = ensemble.dim();
    let atoms: Vec<(f64, f64, f64)> = ensemble
        .range(m)
        .map(|k| {
            let (mean, variance) = (ensemble.atoms().mean(k)[a], ensemble.atoms().covariance(k)[a * d + a]);
            (ensemble.weights()[k], mean, variance.sqrt())
        })
        .filter(|atom| atom.0 > 1e-6)
        .collect();
    let below = |x: f64| -> f64 {
        let total: f64 = atoms.iter().map(|atom| atom.0).sum();
        let sum: f64 =
            atoms.iter().map(|(w, mean, sd)| w * 0.5 * libm::erfc((mean - x) / (sd * std::f64::consts::SQRT_2))).sum();
        sum / total
    };
    let mut low = atoms.iter().map(|(_, mean, sd)| mean - 10.0 * sd).fold(f64::INFINITY, f64::min);
    let mut high = atoms.iter().map(|(_, mean, sd)| mean + 10.0 * sd).fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..60 {
        let middle = low + (high - low) / 2.0;
        if below(middle) < level { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// Mean over draws of the correlation matrix of each draw's heaviest atoms: positive definite, and no single draw or light atom
/// can dominate it.
fn draw_correlation(ensemble: &Ensemble, draws: &[usize]) -> Vec<f64> {
    let d = ensemble.dim();
    let mut mean_correlation = vec![0.0; d * d];
    let mut count = 0.0;
    for &m in draws {
        let mut atoms: Vec<usize> = ensemble.range(m).collect();
        atoms.sort_by(|&i, &j| ensemble.weights()[j].total_cmp(&ensemble.weights()[i]));
        let mut mass = 0.0;
        let core: Vec<usize> = atoms
            .into_iter()
            .take_while(|&k| {
                let wanted = mass < CORE_MASS;
                mass += ensemble.weights()[k];
                wanted
            })
            .collect();
        let total: f64 = core.iter().map(|&k| ensemble.weights()[k]).sum();
        let mut center = vec![0.0; d];
        for &k in &core {
            for (sum, x) in center.iter_mut().zip(ensemble.atoms().mean(k)) {
                *sum += ensemble.weights()[k] / total * x;
            }
        }
        let mut covariance = vec![0.0; d * d];
        for &k in &core {
            let (mean, own) = (ensemble.atoms().mean(k), ensemble.atoms().covariance(k));
            for a in 0..d {
                for b in 0..d {
                    let between = (mean[a] - center[a]) * (mean[b] - center[b]);
                    covariance[a * d + b] += ensemble.weights()[k] / total * (own[a * d + b] + between);
                }
            }
        }
        for a in 0..d {
            for b in 0..d {
                mean_correlation[a * d + b] +=
                    covariance[a * d + b] / (covariance[a * d + a] * covariance[b * d + b]).sqrt();
            }
        }
        count += 1.0;
    }
    mean_correlation.iter_mut().for_each(|value| *value /= count);
    mean_correlation
}

/// T with T Σ Tᵀ = I: the inverse of the Cholesky factor of Σ = diag(s) R diag(s).
fn whitening(correlation: &[f64], scales: &[f64]) -> Result<Vec<f64>> {
    let d = scales.len();
    let mut factor = correlation.to_vec();
    cholesky_in_place(&mut factor, d).map_err(|a| {
        let what = " is a linear combination of others, so the data cannot be whitened";
        Error::input(text!["coordinate ", index(a), what]).hint(text!["drop it, or use ", option("units", "sd")])
    })?;
    let mut inverse = vec![0.0; d * d];
    for a in 0..d {
        let mut column = vec![0.0; d];
        column[a] = 1.0;
        crate::linalg::solve_lower(&factor, d, &mut column);
        for b in 0..d {
            inverse[b * d + a] = column[b] / scales[a];
        }
    }
    Ok(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_draws() -> Ensemble {
        // The second atom of each draw is light and absurdly wide.
        Ensemble::builder(2)
            .atoms_per_draw(2)
            .weights(&[0.99, 0.01, 0.99, 0.01])
            .means(&[0.0, 0.0, 5.0, 5.0, 0.0, 0.0, 5.0, 5.0])
            .covariances(&[4.0, 3.0, 3.0, 9.0, 1e8, 0.0, 0.0, 1e8, 4.0, 3.0, 3.0, 9.0, 1e8, 0.0, 0.0, 1e8])
            .build()
            .unwrap()
    }

    #[test]
    fn scales_from_draws_ignore_light_heavy_tailed_atoms() {
        let resolved = ResolvedUnits::new(&Units::Sd, &two_draws(), None).unwrap();
        assert!(
            (resolved.scales[0] - 2.0).abs() < 0.1 && (resolved.scales[1] - 3.0).abs() < 0.15,
            "{:?}",
            resolved.scales
        );
    }

    #[test]
    fn whitening_makes_the_typical_covariance_the_identity() {
        let ensemble = two_draws();
        let white = ResolvedUnits::new(&Units::Whiten, &ensemble, None).unwrap().apply(&ensemble).unwrap();
        let covariance = white.atoms().covariance(0);
        for (value, expected) in covariance.iter().zip([1.0, 0.0, 0.0, 1.0]) {
            assert!((value - expected).abs() < 0.1, "{covariance:?}");
        }
    }

    #[test]
    fn data_give_the_usual_standard_deviation_and_whitening() {
        let data = [0.0, 0.0, 2.0, 4.0, 4.0, 2.0, 6.0, 10.0];
        let points = Points::new(2, &data).unwrap();
        let resolved = ResolvedUnits::new(&Units::Sd, &two_draws(), Some(points)).unwrap();
        assert!((resolved.scales[0] - (20.0f64 / 3.0).sqrt()).abs() < 1e-14);
        let t = ResolvedUnits::new(&Units::Whiten, &two_draws(), Some(points)).unwrap().transform.unwrap();
        let white: Vec<f64> =
            data.chunks(2).flat_map(|x| [t[0] * x[0] + t[1] * x[1], t[2] * x[0] + t[3] * x[1]]).collect();
        let correlation = data_correlation(Points::new(2, &white).unwrap(), &[1.0, 1.0]);
        for (value, expected) in correlation.iter().zip([1.0, 0.0, 0.0, 1.0]) {
            assert!((value - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_units_are_refused() {
        let message = |units: &str| match Units::from_name(units) {
            Ok(units) => ResolvedUnits::new(&units, &two_draws(), None).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(message("meters").contains("unknown units 'meters'"));
        assert!(message("1").contains("1 numbers for 2 coordinates"));
        assert!(message("1,0").contains("must be positive"));
        let constant = [1.0, 2.0, 1.0, 3.0];
        let resolved = ResolvedUnits::new(&Units::Sd, &two_draws(), Some(Points::new(2, &constant).unwrap())).unwrap();
        let by_draws = ResolvedUnits::new(&Units::Sd, &two_draws(), None).unwrap();
        assert_eq!(resolved.scales, [by_draws.scales[0], 0.5f64.sqrt()]);
    }
}
