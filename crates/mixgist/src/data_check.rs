//! Whether data are on the scale of the draws: their place, spread and log density beside those of points drawn from the model.
//!
//! Points are simulated from the posterior mean density. A column is off when the distribution of the data and that of the points differ by more
//! than 0.3 in Kolmogorov's distance, the largest difference of the two distribution functions, beyond what chance explains. The data as a
//! whole are off when most of them are less likely than 99 % of the points. Data that the draws were fitted to are far below both, even
//! where the model fits badly; data in other units, or on a logarithmic scale, are far above.

use std::fmt;

use crate::ensemble::Ensemble;
use crate::mixture::Mixture;
use crate::points::Points;
use crate::progress::Silent;
use crate::simulate::sample_points;
use crate::text;
use crate::text::{Index, Text, index, indices};
use crate::{CovarianceForm, GaussianAtoms, MixingMeasure, Result};

/// What was found.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct DataCheck {
    /// Each column of the data beside that of the points drawn from the model.
    pub columns: Vec<ColumnCheck>,
    /// Median log density of the data under the draws.
    #[serde(with = "crate::document::infinite_is_null")]
    #[schemars(with = "Option<f64>")]
    pub log_density: f64,
    /// Median log density of points drawn from the model.
    pub model_log_density: f64,
    /// The part of the data that is less likely than 99 % of the points drawn from the model; 0.01 is expected.
    pub unlikely: f64,
    /// What was probably done to the columns before the draws were fitted, and not to these data.
    pub likely: Option<Transformation>,
}

/// One column of the data beside that of points drawn from the model.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ColumnCheck {
    /// Median of the data.
    pub median: f64,
    /// Distance between the quartiles of the data.
    pub spread: f64,
    /// Median of points drawn from the model.
    pub model_median: f64,
    /// Distance between the quartiles of points drawn from the model.
    pub model_spread: f64,
    /// Kolmogorov's distance between the two distributions, from 0 to 1.
    pub gap: f64,
    /// Whether that is more than a fitted model would have.
    pub off: bool,
}

/// What may have been done to columns before a model was fitted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Transformation {
    /// The mean was subtracted.
    Centered,
    /// Columns were divided by their standard deviation.
    Scaled,
    /// Both.
    Standardized,
    /// Columns were mapped to the range from 0 to 1.
    UnitRange,
    /// Natural logarithms were taken.
    Log,
    /// Logarithms to base 10 were taken.
    Log10,
    /// Natural logarithms were taken and standardised.
    LogStandardized,
    /// The data are logarithms of what was fitted.
    Exponential,
    /// The data are standardised, what was fitted was not.
    Unstandardized,
    /// Column j of what was fitted is column `order[j]` of the data.
    Reordered {
        /// The columns of the data in the order of the draws.
        #[schemars(with = "Vec<Index>")]
        order: Vec<usize>,
    },
}

impl Transformation {
    /// In words, as what the draws were probably fitted to.
    pub fn describe(&self) -> Text {
        match self {
            Transformation::Centered => "columns from which the mean was subtracted".into(),
            Transformation::Scaled => "columns divided by their standard deviation".into(),
            Transformation::Standardized => "standardised columns (mean 0, standard deviation 1)".into(),
            Transformation::UnitRange => "columns mapped to the range from 0 to 1".into(),
            Transformation::Log => "natural logarithms of the columns".into(),
            Transformation::Log10 => "logarithms of the columns to base 10".into(),
            Transformation::LogStandardized => "standardised natural logarithms of the columns".into(),
            Transformation::Exponential => "the exponentials of these columns (the data are logarithms)".into(),
            Transformation::Unstandardized => "columns that were not standardised, as these are".into(),
            Transformation::Reordered { order } => {
                text!["the columns in another order (", indices(order), ")"]
            }
        }
    }
}

/// Draws and points that are looked at.
const DRAWS: usize = 25;
const POINTS: usize = 2000;

/// Atoms lighter than this are left out.
const LEAST_WEIGHT: f64 = 1e-3;

/// Log densities cost at most so many multiplications.
const MOST_WORK: usize = 200_000_000;

/// A column is off when the distance of the distributions exceeds this by more than chance explains.
const GAP: f64 = 0.3;

/// A transformation explains a column when it brings the distance down to this.
const EXPLAINED: f64 = 0.2;

/// The data are off as a whole when more than this part of them is unlikely.
const MOST_UNLIKELY: f64 = 0.5;

/// The quantile of the points' log densities below which data are unlikely.
const UNLIKELY: f64 = 0.01;

/// Fewer data than this are not judged.
const FEWEST_DATA: usize = 10;

impl DataCheck {
    /// Compares data with points drawn from the model; `None` for fewer than ten points. The draws and the data must have one dimension.
    ///
    /// Cost: a fraction of a second, whatever the number of draws and data, of which a part is looked at.
    pub fn new(ensemble: &Ensemble, data: Points, seed: u64) -> Result<Option<Self>> {
        if data.len() < FEWEST_DATA {
            return Ok(None);
        }
        let d = data.dim();
        let mixture = Mixture::new(&some_draws(ensemble)?)?;
        let model = sample_points(&mixture, POINTS, seed, &Silent)?.values;
        let step = data.len().div_ceil(POINTS);
        let rows: Vec<f64> = (0..data.len()).step_by(step).flat_map(|i| data.point(i).iter().copied()).collect();
        let column = |values: &[f64], j: usize| -> Vec<f64> {
            let mut column: Vec<f64> = values.iter().skip(j).step_by(d).copied().collect();
            column.sort_by(f64::total_cmp);
            column
        };
        let own: Vec<Vec<f64>> = (0..d).map(|j| column(&rows, j)).collect();
        let drawn: Vec<Vec<f64>> = (0..d).map(|j| column(&model, j)).collect();
        let columns: Vec<ColumnCheck> =
            own.iter().zip(&drawn).map(|(own, drawn)| ColumnCheck::new(own, drawn)).collect();

        let affordable = (MOST_WORK / (mixture.len() * d * d)).clamp(100, POINTS) * d;
        let log_densities = |values: &[f64]| -> Result<Vec<f64>> {
            let some = Points::new(d, &values[..values.len().min(affordable)])?;
            let mut found = mixture.log_density(some, &Silent)?;
            found.sort_by(f64::total_cmp);
            Ok(found)
        };
        // The first rows may be all alike: those that are afforded are spread over the data.
        let spread_step = rows.len().div_ceil(affordable);
        let spread: Vec<f64> = rows.chunks_exact(d).step_by(spread_step).flatten().copied().collect();
        let (of_data, of_model) = (log_densities(&spread)?, log_densities(&model)?);
        let bound = quantile(&of_model, UNLIKELY);
        let unlikely = of_data.partition_point(|&x| x < bound) as f64 / of_data.len() as f64;
        let off: Vec<usize> = (0..d).filter(|&j| columns[j].off).collect();
        Ok(Some(DataCheck {
            likely: if off.is_empty() { None } else { likely(&own, &drawn, &off) },
            columns,
            log_density: quantile(&of_data, 0.5),
            model_log_density: quantile(&of_model, 0.5),
            unlikely,
        }))
    }

    /// Whether the data are not on the scale of the draws.
    pub fn is_off(&self) -> bool {
        self.unlikely > MOST_UNLIKELY || self.columns.iter().any(|column| column.off)
    }
}

/// How much likelier the data are, in mean log density per observation, if the variances of the draws are taken for standard deviations; `None`
/// unless that is so much that it is probably what they are. Covariances with entries beside the diagonal are none.
///
/// Draws that were fitted to the data are near the maximum of the likelihood, which no other reading of them can exceed by more than about one
/// unit per parameter in total, so that the whole gain must exceed 20 and the gain per observation 0.05.
pub(crate) fn gain_as_deviations(ensemble: &Ensemble, data: Points) -> Result<Option<f64>> {
    let d = data.dim();
    let measure = some_draws(ensemble)?;
    let atoms = measure.atoms();
    let is_diagonal = |k: usize| (0..d * d).all(|e| e / d == e % d || atoms.covariance(k)[e] == 0.0);
    if data.len() < FEWEST_DATA || !(0..atoms.len()).all(is_diagonal) {
        return Ok(None);
    }
    let variances = (0..atoms.len()).flat_map(|k| (0..d).map(move |a| atoms.covariance(k)[a * d + a]));
    let Ok(squared) =
        GaussianAtoms::new(d, atoms.means().to_vec(), variances.collect(), CovarianceForm::StandardDeviation)
    else {
        return Ok(None); // squares out of range
    };
    let other = MixingMeasure::new(measure.weights().to_vec(), squared)?;
    let affordable = (MOST_WORK / (atoms.len() * d * d)).clamp(100, POINTS);
    let step = data.len().div_ceil(affordable);
    let some: Vec<f64> = (0..data.len()).step_by(step).flat_map(|i| data.point(i).iter().copied()).collect();
    let mean = |measure: &MixingMeasure| -> Result<f64> {
        let found = Mixture::new(measure)?.log_density(Points::new(d, &some)?, &Silent)?;
        Ok(found.iter().sum::<f64>() / found.len() as f64)
    };
    let gain = mean(&other)? - mean(&measure)?;
    Ok((gain > 0.05 && gain * data.len() as f64 > 20.0).then_some(gain))
}

impl DataCheck {
    /// What is wrong, in a sentence with numbers; for data that are off.
    pub(crate) fn message(&self) -> Text {
        let mut message = Text::from("the data are not on the scale of the draws");
        let off: Vec<usize> = (0..self.columns.len()).filter(|&j| self.columns[j].off).collect();
        if let Some(&first) = off.first() {
            let column = &self.columns[first];
            message = message.then(": column ").then(index(first)).then(format!(
                " has median {:.3} and quartiles {:.3} apart, points drawn from the model {:.3} and {:.3}",
                column.median, column.spread, column.model_median, column.model_spread
            ));
            if off.len() > 1 {
                message = message.then(format!(" ({} of {} columns are off)", off.len(), self.columns.len()));
            }
        }
        message = message.then(format!(
            "; {:.0} % of the data are less likely than 99 % of such points (median log density {:.1}, of the points {:.1})",
            100.0 * self.unlikely, self.log_density, self.model_log_density
        ));
        match &self.likely {
            Some(likely) => message.then("; the draws were probably fitted to ").then(likely.describe()),
            None => message,
        }
    }
}

impl fmt::Display for DataCheck {
    /// In the neutral spelling of documents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message())
    }
}

impl ColumnCheck {
    fn new(own: &[f64], drawn: &[f64]) -> Self {
        let gap = gap(own, drawn);
        let spread = |sorted: &[f64]| quantile(sorted, 0.75) - quantile(sorted, 0.25);
        // Beyond this by chance once in 1e5 (Kolmogorov's distribution: 2 exp(−2 c²)).
        let chance = 2.5 * (1.0 / own.len() as f64 + 1.0 / drawn.len() as f64).sqrt();
        ColumnCheck {
            median: quantile(own, 0.5),
            spread: spread(own),
            model_median: quantile(drawn, 0.5),
            model_spread: spread(drawn),
            gap,
            off: gap > GAP + chance,
        }
    }
}

/// Some draws at equal steps of the cumulative draw weights as one measure, light atoms left out.
fn some_draws(ensemble: &Ensemble) -> Result<MixingMeasure> {
    let weight = |m: usize| ensemble.draw_weights().map_or(1.0 / ensemble.len() as f64, |weights| weights[m]);
    let (mut reached, mut taken) = (0.0, 0);
    let (mut weights, mut atoms) = (Vec::new(), Vec::new());
    for m in 0..ensemble.len() {
        reached += weight(m);
        let mut times = 0.0;
        while taken < DRAWS && (taken as f64 + 0.5) < reached * DRAWS as f64 {
            taken += 1;
            times += 1.0;
        }
        if times > 0.0 {
            let heavy = ensemble.range(m).filter(|&k| ensemble.weights()[k] >= LEAST_WEIGHT);
            for k in heavy {
                weights.push(times * ensemble.weights()[k]);
                atoms.push(k);
            }
        }
    }
    if atoms.is_empty() {
        return Ok(ensemble.draw(0));
    }
    let atoms: GaussianAtoms = ensemble.atoms().select(atoms);
    MixingMeasure::new(weights, atoms)
}

/// The value below which a part of sorted values lies.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    sorted[((level * sorted.len() as f64) as usize).min(sorted.len() - 1)]
}

/// Kolmogorov's distance of two sorted samples.
fn gap(a: &[f64], b: &[f64]) -> f64 {
    let (mut i, mut j, mut largest) = (0, 0, 0.0f64);
    while i < a.len() && j < b.len() {
        let x = a[i].min(b[j]);
        while i < a.len() && a[i] <= x {
            i += 1;
        }
        while j < b.len() && b[j] <= x {
            j += 1;
        }
        largest = largest.max((i as f64 / a.len() as f64 - j as f64 / b.len() as f64).abs());
    }
    largest
}

/// The transformation that explains all columns that are off: that of the least mean gap and, among equally good ones, the simplest.
fn likely(own: &[Vec<f64>], drawn: &[Vec<f64>], off: &[usize]) -> Option<Transformation> {
    use Transformation::*;
    let simple = [Centered, Scaled, Standardized, UnitRange, Log, Log10, LogStandardized, Exponential]
        .into_iter()
        .filter_map(|kind| {
            let of_column = |&j: &usize| {
                let mut changed = transformed(&own[j], &kind)?;
                changed.sort_by(f64::total_cmp);
                Some(gap(&changed, &drawn[j]))
            };
            Some((off.iter().map(of_column).collect::<Option<Vec<f64>>>()?, kind))
        });
    let mean = |gaps: &[f64]| gaps.iter().sum::<f64>() / gaps.len() as f64;
    let explains = |(gaps, _): &(Vec<f64>, Transformation)| gaps.iter().all(|&gap| gap <= EXPLAINED);
    let best = simple
        .chain(reordered(own, drawn))
        .filter(explains)
        .reduce(|best, next| if mean(&next.0) < mean(&best.0) { next } else { best });
    if let Some((_, kind)) = best {
        return Some(kind);
    }
    let is_standardized = |values: &Vec<f64>| {
        let (mean, sd) = mean_and_sd(values);
        mean.abs() < 0.02 && (sd - 1.0).abs() < 0.05
    };
    own.iter().all(is_standardized).then_some(Unstandardized)
}

fn transformed(values: &[f64], kind: &Transformation) -> Option<Vec<f64>> {
    let (mean, sd) = mean_and_sd(values);
    let map = |f: &dyn Fn(f64) -> f64| -> Option<Vec<f64>> {
        let out: Vec<f64> = values.iter().map(|&x| f(x)).collect();
        out.iter().all(|x| x.is_finite()).then_some(out)
    };
    match kind {
        Transformation::Centered => map(&|x| x - mean),
        Transformation::Scaled => map(&|x| x / sd),
        Transformation::Standardized => map(&|x| (x - mean) / sd),
        Transformation::UnitRange => {
            let (least, most) = (values[0], values[values.len() - 1]);
            map(&|x| (x - least) / (most - least))
        }
        Transformation::Log => map(&|x| libm::log(x)),
        Transformation::Log10 => map(&|x| libm::log10(x)),
        Transformation::LogStandardized => transformed(&map(&|x| libm::log(x))?, &Transformation::Standardized),
        Transformation::Exponential => map(&|x| libm::exp(x)),
        Transformation::Unstandardized | Transformation::Reordered { .. } => None,
    }
}

fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt())
}

/// For each column of the draws the closest column of the data that is left, if that is another order.
fn reordered(own: &[Vec<f64>], drawn: &[Vec<f64>]) -> Option<(Vec<f64>, Transformation)> {
    let mut left: Vec<usize> = (0..own.len()).collect();
    let (mut order, mut all) = (Vec::new(), Vec::new());
    for drawn in drawn {
        let gaps = left.iter().map(|&i| gap(&own[i], drawn)).enumerate();
        let (place, gap) = gaps.reduce(|best, next| if next.1 < best.1 { next } else { best })?;
        all.push(gap);
        order.push(left.remove(place));
    }
    (!order.is_sorted()).then_some((all, Transformation::Reordered { order }))
}

#[cfg(test)]
mod tests;
