//! The posterior sample: M draws of a mixing measure, ragged, each a weighted set of atoms.

mod plain;

use std::borrow::Cow;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::atoms::{CovarianceForm, GaussianAtoms};
use crate::text;
use crate::text::index;
use crate::{Error, Result};
pub use plain::PlainDraws;

/// One mixing measure G = Σ w_k δ_θk on its own, such as an estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "MeasureArrays", try_from = "MeasureArrays")]
#[schemars(with = "MeasureArrays")]
pub struct MixingMeasure {
    weights: Vec<f64>,
    atoms: GaussianAtoms,
}

impl MixingMeasure {
    /// Checks the weights (finite, non-negative, not all zero) and scales them to sum 1; atoms of weight 0 are dropped.
    pub fn new(weights: Vec<f64>, atoms: GaussianAtoms) -> Result<Self> {
        if weights.len() != atoms.len() {
            return Err(Error::input(format!("{} weights for {} atoms", weights.len(), atoms.len())));
        }
        let (weights, _) = normalized_weights(&weights)?;
        let positive: Vec<usize> = (0..weights.len()).filter(|&k| weights[k] > 0.0).collect();
        if positive.len() == weights.len() {
            return Ok(MixingMeasure { weights, atoms });
        }
        Ok(MixingMeasure {
            atoms: atoms.select(positive.iter().copied()),
            weights: positive.iter().map(|&k| weights[k]).collect(),
        })
    }

    /// The weights, which sum to 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The atoms.
    pub fn atoms(&self) -> &GaussianAtoms {
        &self.atoms
    }

    /// Number of atoms K.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Never: a mixing measure has at least one atom.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Dimension of the means.
    pub fn dim(&self) -> usize {
        self.atoms.dim()
    }

    /// The same measure with its atoms in the order of their weights, the heaviest first; atoms of equal weight keep their order.
    ///
    /// Every estimate has its atoms in this order, also one that is a draw: the draws themselves keep the order in which they were given.
    #[must_use]
    pub fn heaviest_first(&self) -> Self {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&a, &b| self.weights[b].total_cmp(&self.weights[a]));
        MixingMeasure {
            weights: order.iter().map(|&k| self.weights[k]).collect(),
            atoms: self.atoms.select(order.iter().copied()),
        }
    }

    /// The same measure in other coordinates; see [`crate::Units`].
    pub(crate) fn transformed(&self, transform: &[f64]) -> Result<Self> {
        Ok(MixingMeasure { weights: self.weights.clone(), atoms: self.atoms.transformed(transform)? })
    }
}

/// A number for each draw that tells something of it without labels, such as its log posterior.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// What it is.
    pub name: Cow<'static, str>,
    /// Its values, in the order of the draws.
    pub values: Vec<f64>,
}

impl Trace {
    /// The name under which the log posterior of the draws goes, up to a constant.
    pub const LOG_POSTERIOR: &'static str = "log posterior";

    /// The name of the number of clusters of the draws' labels.
    pub const CLUSTERS: &'static str = "clusters";

    /// The name of the number of observations in the largest cluster.
    pub const LARGEST_CLUSTER: &'static str = "largest cluster";

    /// A trace by name.
    pub fn new(name: impl Into<Cow<'static, str>>, values: Vec<f64>) -> Self {
        Trace { name: name.into(), values }
    }

    fn of(&self, draws: &[usize]) -> Self {
        Trace { name: self.name.clone(), values: draws.iter().map(|&m| self.values[m]).collect() }
    }
}

/// A mixing measure as documents hold it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MixingMeasure")]
struct MeasureArrays {
    /// Weights of the K atoms; they sum to 1.
    weights: Vec<f64>,
    /// Means, K rows of d numbers.
    means: Vec<Vec<f64>>,
    /// Covariances, K matrices of d rows.
    covariances: Vec<Vec<Vec<f64>>>,
}

impl From<MixingMeasure> for MeasureArrays {
    fn from(measure: MixingMeasure) -> Self {
        let (atoms, d) = (&measure.atoms, measure.dim());
        let covariance = |k: usize| atoms.covariance(k).chunks_exact(d).map(<[f64]>::to_vec).collect();
        MeasureArrays {
            means: (0..measure.len()).map(|k| atoms.mean(k).to_vec()).collect(),
            covariances: (0..measure.len()).map(covariance).collect(),
            weights: measure.weights,
        }
    }
}

impl TryFrom<MeasureArrays> for MixingMeasure {
    type Error = Error;

    fn try_from(MeasureArrays { weights, means, covariances }: MeasureArrays) -> Result<Self> {
        let dim = means.first().map_or(0, Vec::len);
        if let Some(k) = means.iter().position(|mean| mean.len() != dim) {
            return Err(
                Error::input(format!("the mean has {} numbers, that of atom 0 has {dim}", means[k].len())).at_atom(k)
            );
        }
        let square = |matrix: &Vec<Vec<f64>>| matrix.len() == dim && matrix.iter().all(|row| row.len() == dim);
        if let Some(k) = covariances.iter().position(|matrix| !square(matrix)) {
            return Err(Error::input(format!("the covariance is no matrix of {dim} × {dim} numbers")).at_atom(k));
        }
        let covariances = covariances.into_iter().flatten().flatten().collect();
        let atoms = GaussianAtoms::new(dim, means.concat(), covariances, CovarianceForm::Covariance)?;
        let exact = weights.clone();
        let mut measure = MixingMeasure::new(weights, atoms)?;
        // Weights that were normalised when they were written are read back to the last bit.
        if measure.weights.len() == exact.len()
            && measure.weights.iter().zip(&exact).all(|(a, b)| (a - b).abs() <= 1e-12)
        {
            measure.weights = exact;
        }
        Ok(measure)
    }
}

/// M draws G_1 … G_M with their chain, iteration and (optional) importance weights.
///
/// Atoms of weight exactly 0 are padding: they are dropped at the door, whatever their parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble {
    atoms: GaussianAtoms,
    weights: Vec<f64>,
    offsets: Vec<usize>,
    chains: Vec<u32>,
    iterations: Vec<u64>,
    draw_weights: Option<Vec<f64>>,
    renormalization: f64,
    padding: usize,
    lost_chains: Vec<u32>,
    traces: Vec<Trace>,
}

/// Flat arrays that become draws: the atoms of the first draw, then those of the second, and so on.
///
/// Borrowed arrays are copied; the memory of means and covariances that are given away becomes that of the draws.
///
/// ```
/// # fn main() -> mixgist::Result<()> {
/// use mixgist::{CovarianceForm, Ensemble};
/// let draws = Ensemble::builder(1)
///     .atoms_per_draw(2)
///     .weights(&[0.5, 0.5, 0.3, 0.7])
///     .means(&[-1.0, 1.0, -1.2, 0.9])
///     .covariances(vec![1.0, 2.0, 1.0, 2.0])
///     .form(CovarianceForm::StandardDeviation)
///     .build()?;
/// assert_eq!(draws.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "draws are made by `build`"]
pub struct EnsembleBuilder<'a> {
    dim: usize,
    sizes: Sizes<'a>,
    weights: Cow<'a, [f64]>,
    means: Cow<'a, [f64]>,
    covariances: Cow<'a, [f64]>,
    form: CovarianceForm,
}

/// How many atoms each draw has.
#[derive(Debug, Clone, Default)]
enum Sizes<'a> {
    #[default]
    Unknown,
    Equal(usize),
    Offsets(&'a [usize]),
}

impl<'a> EnsembleBuilder<'a> {
    /// All draws have this number of atoms K.
    pub fn atoms_per_draw(mut self, atoms: usize) -> Self {
        self.sizes = Sizes::Equal(atoms);
        self
    }

    /// Draws differ in size: draw m has the atoms `offsets[m]..offsets[m + 1]`.
    pub fn offsets(mut self, offsets: &'a [usize]) -> Self {
        self.sizes = Sizes::Offsets(offsets);
        self
    }

    /// Weight of each atom; those of a draw are scaled to sum 1. Arrays that are handed over become those of the draws, others are copied.
    pub fn weights(mut self, weights: impl Into<Cow<'a, [f64]>>) -> Self {
        self.weights = weights.into();
        self
    }

    /// Mean of each atom, d numbers each.
    pub fn means(mut self, means: impl Into<Cow<'a, [f64]>>) -> Self {
        self.means = means.into();
        self
    }

    /// Covariance of each atom, as [`EnsembleBuilder::form`] says.
    pub fn covariances(mut self, covariances: impl Into<Cow<'a, [f64]>>) -> Self {
        self.covariances = covariances.into();
        self
    }

    /// What the covariances are given as; covariance matrices, unless this says otherwise.
    pub fn form(mut self, form: CovarianceForm) -> Self {
        self.form = form;
        self
    }

    /// Checks the arrays and makes the draws.
    pub fn build(self) -> Result<Ensemble> {
        let offsets: Cow<'_, [usize]> = match self.sizes {
            Sizes::Unknown => {
                return Err(Error::input("the number of atoms per draw or the offsets of the draws are missing"));
            }
            Sizes::Equal(0) => return Err(Error::input("draws have no atoms")),
            Sizes::Equal(atoms) if !self.weights.len().is_multiple_of(atoms) => {
                return Err(Error::input(format!("{} weights do not make draws of {atoms} atoms", self.weights.len())));
            }
            Sizes::Equal(atoms) => (0..=self.weights.len() / atoms).map(|m| m * atoms).collect(),
            Sizes::Offsets(offsets) => offsets.into(),
        };
        let EnsembleBuilder { dim, weights, means, covariances, form, .. } = self;
        if dim == 0 {
            return Err(Error::input("atoms have dimension 0, must be at least 1"));
        }
        check_offsets(&offsets, weights.len())?;
        let size = form.numbers_per_atom(dim);
        for (what, got, expected) in
            [("means", means.len(), weights.len() * dim), ("covariances", covariances.len(), weights.len() * size)]
        {
            if got != expected {
                return Err(Error::input(format!(
                    "{what} hold {got} numbers, expected {expected} for {} atoms of dimension {dim}",
                    weights.len()
                )));
            }
        }
        let (mut weights, mut renormalization) = (weights.into_owned(), 0.0_f64);
        for (m, pair) in offsets.windows(2).enumerate() {
            let own = &mut weights[pair[0]..pair[1]];
            let (scaled, correction) = normalized_weights(own).map_err(|error| error.at_draw(m))?;
            own.copy_from_slice(&scaled);
            renormalization = renormalization.max(correction);
        }
        let given = weights.len();
        // The atoms that are left once padding is dropped, where there is any.
        let kept: Option<Vec<usize>> =
            (!weights.iter().all(|&w| w > 0.0)).then(|| (0..given).filter(|&i| weights[i] > 0.0).collect());
        let pick = |source: Cow<'_, [f64]>, size: usize| -> Vec<f64> {
            let Some(kept) = &kept else { return source.into_owned() };
            kept.iter().flat_map(|&i| &source[i * size..(i + 1) * size]).copied().collect()
        };
        let atoms = GaussianAtoms::new(dim, pick(means, dim), pick(covariances, size), form).map_err(|error| {
            let Some(atom) = error.place().atom else { return error };
            let given = kept.as_ref().map_or(atom, |kept| kept[atom]);
            let draw = offsets.partition_point(|&start| start <= given) - 1;
            error.at_draw(draw).at_atom(given - offsets[draw])
        })?;
        let weights = pick(weights.into(), 1);
        let offsets: Vec<usize> = match &kept {
            None => offsets.into_owned(),
            Some(kept) => offsets.iter().map(|&start| kept.partition_point(|&i| i < start)).collect(),
        };
        let draws = offsets.len() - 1;
        let padding = given - weights.len();
        Ok(Ensemble {
            atoms,
            weights,
            offsets,
            chains: vec![0; draws],
            iterations: (0..draws as u64).collect(),
            draw_weights: None,
            renormalization,
            padding,
            lost_chains: Vec::new(),
            traces: Vec::new(),
        })
    }
}

impl Ensemble {
    /// Draws from flat arrays of atoms of dimension `dim`; see [`EnsembleBuilder`].
    pub fn builder<'a>(dim: usize) -> EnsembleBuilder<'a> {
        EnsembleBuilder { dim, ..EnsembleBuilder::default() }
    }

    /// Draws from mixing measures of one dimension.
    pub fn from_measures(measures: &[MixingMeasure]) -> Result<Self> {
        let dim = measures.first().map_or(1, MixingMeasure::dim);
        let mut offsets = vec![0];
        let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
        for (m, measure) in measures.iter().enumerate() {
            if measure.dim() != dim {
                return Err(Error::input(format!("dimension {}, the first draw has {dim}", measure.dim())).at_draw(m));
            }
            weights.extend_from_slice(measure.weights());
            means.extend_from_slice(measure.atoms().means());
            covariances.extend_from_slice(measure.atoms().covariances());
            offsets.push(weights.len());
        }
        Self::builder(dim).offsets(&offsets).weights(&weights).means(means).covariances(covariances).build()
    }

    /// The draws of several ensembles of one dimension, one after the other, with their chains and iterations as they are.
    ///
    /// Draw weights are refused: each ensemble has scaled its own.
    pub fn concatenate(parts: &[&Ensemble]) -> Result<Self> {
        let Some((first, rest)) = parts.split_first() else { return Err(Error::input("there are no draws")) };
        let mut all = (*first).clone();
        if parts.iter().any(|part| part.draw_weights.is_some()) {
            return Err(Error::input("draw weights cannot be joined, because each part has scaled its own"));
        }
        for part in rest {
            if part.dim() != all.dim() {
                return Err(Error::input(format!("dimension {}, the first part has {}", part.dim(), all.dim())));
            }
            let start = all.weights.len();
            all.atoms.append(&part.atoms);
            all.weights.extend_from_slice(&part.weights);
            all.offsets.extend(part.offsets[1..].iter().map(|end| start + end));
            all.chains.extend_from_slice(&part.chains);
            all.iterations.extend_from_slice(&part.iterations);
            all.renormalization = all.renormalization.max(part.renormalization);
            all.padding += part.padding;
            // A trace that a part does not have is no trace of all.
            all.traces.retain_mut(|trace| match part.traces.iter().find(|other| other.name == trace.name) {
                Some(other) => {
                    trace.values.extend_from_slice(&other.values);
                    true
                }
                None => false,
            });
        }
        Ok(all)
    }

    /// Says which chain and iteration each draw comes from (without it: one chain, counted from 0).
    pub fn with_chains(mut self, chains: Vec<u32>, iterations: Vec<u64>) -> Result<Self> {
        for (what, got) in [("chain", chains.len()), ("iteration", iterations.len())] {
            if got != self.len() {
                return Err(Error::input(format!("{got} {what} numbers for {} draws", self.len())));
            }
        }
        self.chains = chains;
        self.iterations = iterations;
        Ok(self)
    }

    /// Adds a number for each draw that chains are to agree on; one of the same name is replaced. Values that are not finite are refused.
    pub fn with_trace(mut self, trace: Trace) -> Result<Self> {
        let Trace { name, values } = &trace;
        if values.len() != self.len() {
            return Err(Error::input(format!("{} values of '{name}' for {} draws", values.len(), self.len())));
        }
        if let Some(m) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::input(format!("'{name}' is {}, must be finite", values[m])).at_draw(m));
        }
        self.traces.retain(|other| other.name != *name);
        self.traces.push(trace);
        Ok(self)
    }

    /// The numbers that came along with the draws.
    pub fn traces(&self) -> &[Trace] {
        &self.traces
    }

    /// Remembers what was done at the door when these draws were first made, as a copy from elsewhere should.
    #[must_use]
    pub fn with_history(mut self, renormalization: f64, padding: usize, lost_chains: Vec<u32>) -> Self {
        (self.renormalization, self.padding, self.lost_chains) = (renormalization, padding, lost_chains);
        self
    }

    /// Weighs the draws (importance sampling, SMC); scaled to sum 1.
    pub fn with_draw_weights(mut self, weights: &[f64]) -> Result<Self> {
        self.draw_weights = Some(normalized_draw_weights(weights, self.len())?);
        Ok(self)
    }

    /// The draws with the given indices, in that order, with their chains, iterations and (scaled anew) weights.
    ///
    /// What was done at the door, [`Ensemble::renormalization`], [`Ensemble::padding`] and [`Ensemble::lost_chains`], stays that of all
    /// draws.
    pub fn select(&self, draws: &[usize]) -> Result<Self> {
        if draws.is_empty() {
            return Err(Error::input("no draw was selected, at least one is needed"));
        }
        if let Some(&m) = draws.iter().find(|&&m| m >= self.len()) {
            return Err(Error::input(text![
                "draw ",
                index(m),
                format!(" was selected, there are {} (counted from ", self.len()),
                index(0),
                ")"
            ]));
        }
        let mut offsets = vec![0];
        let mut weights = Vec::new();
        for &m in draws {
            weights.extend_from_slice(&self.weights[self.range(m)]);
            offsets.push(weights.len());
        }
        let selected = Ensemble {
            atoms: self.atoms.select(draws.iter().flat_map(|&m| self.range(m))),
            weights,
            offsets,
            chains: draws.iter().map(|&m| self.chains[m]).collect(),
            iterations: draws.iter().map(|&m| self.iterations[m]).collect(),
            draw_weights: None,
            renormalization: self.renormalization,
            padding: self.padding,
            lost_chains: self.lost_chains.clone(),
            traces: self.traces.iter().map(|trace| trace.of(draws)).collect(),
        };
        match &self.draw_weights {
            Some(all) => selected.with_draw_weights(&draws.iter().map(|&m| all[m]).collect::<Vec<_>>()),
            None => Ok(selected),
        }
    }

    /// Remembers the chains of `all` of which these draws, some of `all`, hold none.
    #[must_use]
    pub fn remembering_chains_of(mut self, all: &Ensemble) -> Self {
        let kept: std::collections::BTreeSet<u32> = self.chains.iter().copied().collect();
        let before: std::collections::BTreeSet<u32> = all.chains.iter().copied().collect();
        self.lost_chains.extend(before.difference(&kept));
        self
    }

    /// Indices of the draws that are left when the first `burn_in` of each chain are dropped and then every `thin`-th is kept,
    /// in the order of the draws; `thin` 0 counts as 1.
    pub fn thinned(&self, burn_in: usize, thin: usize) -> Vec<usize> {
        let mut seen = std::collections::HashMap::<u32, usize>::new();
        let kept = |&m: &usize| {
            let place = seen.entry(self.chains[m]).or_insert(0);
            *place += 1;
            *place > burn_in && (*place - 1 - burn_in).is_multiple_of(thin.max(1))
        };
        (0..self.len()).filter(kept).collect()
    }

    /// Number of draws M.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Never: an ensemble has at least one draw.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Dimension of the means.
    pub fn dim(&self) -> usize {
        self.atoms.dim()
    }

    /// The atoms of all draws, draw after draw.
    pub fn atoms(&self) -> &GaussianAtoms {
        &self.atoms
    }

    /// The weights of all atoms; those of a draw sum to 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// M + 1 numbers: draw m owns the atoms `offsets()[m]..offsets()[m + 1]`.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The atoms of draw m.
    pub fn range(&self, m: usize) -> Range<usize> {
        self.offsets[m]..self.offsets[m + 1]
    }

    /// Draw m on its own.
    pub fn draw(&self, m: usize) -> MixingMeasure {
        let range = self.range(m);
        MixingMeasure { weights: self.weights[range.clone()].to_vec(), atoms: self.atoms.range(range) }
    }

    /// Chain of each draw.
    pub fn chains(&self) -> &[u32] {
        &self.chains
    }

    /// Iteration of each draw.
    pub fn iterations(&self) -> &[u64] {
        &self.iterations
    }

    /// At most so many draws that have weight, at equal steps of the cumulative draw weights, each with what it stands for; these sum to 1.
    pub(crate) fn spread(&self, most: usize) -> Vec<(usize, f64)> {
        let equal = 1.0 / self.len() as f64;
        let weight = |m: usize| self.draw_weights.as_ref().map_or(equal, |weights| weights[m]);
        if self.len() <= most {
            return (0..self.len()).map(|m| (m, weight(m))).filter(|(_, weight)| *weight > 0.0).collect();
        }
        let (mut reached, mut taken) = (0.0, 0);
        let mut draws = Vec::with_capacity(most);
        for m in 0..self.len() {
            reached += weight(m);
            let before = taken;
            while taken < most && (taken as f64 + 0.5) < reached * most as f64 {
                taken += 1;
            }
            if taken > before {
                draws.push((m, (taken - before) as f64 / most as f64));
            }
        }
        draws
    }

    /// Importance weights of the draws, summing to 1, when they were given.
    pub fn draw_weights(&self) -> Option<&[f64]> {
        self.draw_weights.as_deref()
    }

    /// The largest |sum of weights − 1| over the draws, before they were scaled to sum 1.
    pub fn renormalization(&self) -> f64 {
        self.renormalization
    }

    /// How many atoms of weight 0 were dropped at the door.
    pub fn padding(&self) -> usize {
        self.padding
    }

    /// Chains of which no draw is left after the burn-in, in order.
    pub fn lost_chains(&self) -> &[u32] {
        &self.lost_chains
    }

    /// The same draws in other coordinates; see [`crate::Units`].
    pub(crate) fn transformed(&self, transform: &[f64]) -> Result<Self> {
        let atoms = self.atoms.transformed(transform).map_err(|error| {
            let Some(atom) = error.place().atom else { return error };
            let draw = self.offsets.partition_point(|&start| start <= atom) - 1;
            error.at_draw(draw).at_atom(atom - self.offsets[draw])
        })?;
        Ok(Ensemble { atoms, ..self.clone() })
    }
}

/// Checked weights of `draws` draws, scaled to sum 1; those that already do, up to rounding, are left as they are.
pub(crate) fn normalized_draw_weights(weights: &[f64], draws: usize) -> Result<Vec<f64>> {
    if weights.len() != draws {
        return Err(Error::input(format!("{} draw weights for {draws} draws", weights.len())));
    }
    Ok(scaled_to_one(weights, "draw weight", Error::at_draw)?.0)
}

/// Weights scaled to sum 1 and |sum − 1| before that. Weights that sum to 1 up to rounding are left as they are,
/// so that reading what was written changes no bit.
fn normalized_weights(weights: &[f64]) -> Result<(Vec<f64>, f64)> {
    if weights.is_empty() {
        return Err(Error::input("has no atoms"));
    }
    scaled_to_one(weights, "weight", Error::at_atom)
}

/// What [`normalized_weights`] does, whatever the weights are of; an error says so and names the `place` of a bad one.
fn scaled_to_one(weights: &[f64], what: &str, place: fn(Error, usize) -> Error) -> Result<(Vec<f64>, f64)> {
    if let Some(i) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(place(Error::input(format!("{what} is {}, must be finite and not negative", weights[i])), i));
    }
    let total: f64 = weights.iter().sum();
    if total <= 0.0 || !total.is_finite() {
        return Err(Error::input(format!("{what}s sum to {total}, expected a positive finite sum")));
    }
    let correction = (total - 1.0).abs();
    if correction <= summation_error(weights.len()) {
        return Ok((weights.to_vec(), correction));
    }
    Ok((weights.iter().map(|w| w / total).collect(), correction))
}

/// How far the sum of n scaled weights can be from 1 by rounding alone.
fn summation_error(n: usize) -> f64 {
    f64::EPSILON * n.max(45) as f64
}

fn check_offsets(offsets: &[usize], atoms: usize) -> Result<()> {
    if offsets.len() < 2 {
        return Err(Error::input("there are no draws"));
    }
    if offsets[0] != 0 || offsets[offsets.len() - 1] != atoms {
        return Err(Error::input(format!(
            "offsets run from {} to {}, must run from 0 to the number of atoms, {atoms}",
            offsets[0],
            offsets[offsets.len() - 1]
        )));
    }
    match offsets.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(m) => {
            Err(Error::input(format!("has no atoms (offsets {} and {})", offsets[m], offsets[m + 1])).at_draw(m))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(offsets: &[usize], weights: &[f64]) -> Result<Ensemble> {
        let means: Vec<f64> = (0..weights.len()).map(|i| i as f64).collect();
        Ensemble::builder(1)
            .offsets(offsets)
            .weights(weights)
            .means(&means)
            .covariances(vec![1.0; weights.len()])
            .build()
    }

    #[test]
    fn weights_are_normalized_and_the_correction_is_kept() {
        let ensemble = line(&[0, 2, 3], &[1.0, 1.0, 0.5]).unwrap();
        assert_eq!(ensemble.weights(), [0.5, 0.5, 1.0]);
        assert_eq!(ensemble.renormalization(), 1.0);
        assert_eq!(ensemble.draw(1).atoms().means(), [2.0]);
    }

    #[test]
    fn padding_is_dropped_unread() {
        let ensemble = Ensemble::builder(1)
            .atoms_per_draw(2)
            .weights(&[1.0, 0.0, 0.5, 0.5])
            .means(&[3.0, f64::NAN, 1.0, 2.0])
            .covariances(&[1.0, f64::NAN, 1.0, 1.0])
            .build()
            .unwrap();
        assert_eq!(ensemble.offsets(), [0, 1, 3]);
        assert_eq!(ensemble.atoms().means(), [3.0, 1.0, 2.0]);
        assert_eq!(ensemble.padding(), 1);
    }

    #[test]
    fn selected_draws_keep_all_that_belongs_to_them() {
        let all = line(&[0, 2, 3, 6], &[0.5, 0.5, 1.0, 0.2, 0.3, 0.5])
            .unwrap()
            .with_chains(vec![4, 5, 4], vec![10, 10, 11])
            .unwrap()
            .with_draw_weights(&[0.5, 0.25, 0.25])
            .unwrap();
        let some = all.select(&[2, 0]).unwrap();
        assert_eq!((some.draw(0), some.draw(1)), (all.draw(2), all.draw(0)));
        assert_eq!((some.chains(), some.iterations()), (&[4, 4][..], &[11, 10][..]));
        assert_eq!(some.draw_weights(), Some(&[0.25 / 0.75, 0.5 / 0.75][..]));
        assert_eq!(all.select(&[0, 1, 2]).unwrap(), all);
        let message = |draws: &[usize]| all.select(draws).unwrap_err().to_string();
        assert_eq!(message(&[]), "no draw was selected, at least one is needed");
        assert_eq!(message(&[1, 3]), "draw 3 was selected, there are 3 (counted from 0)");
    }

    #[test]
    fn parts_are_joined_with_what_was_done_to_them() {
        let one = line(&[0, 2], &[1.0, 1.0]).unwrap();
        let two = line(&[0, 1, 3], &[1.0, 1.0, 0.0]).unwrap();
        let all = Ensemble::concatenate(&[&one, &two]).unwrap();
        assert_eq!(all.offsets(), [0, 2, 3, 4]);
        assert_eq!((all.draw(0), all.draw(2)), (one.draw(0), two.draw(1)));
        assert_eq!((all.renormalization(), all.padding()), (1.0, 1));
        assert_eq!(all.iterations(), [0, 0, 1]);
        let message = |parts: &[&Ensemble]| Ensemble::concatenate(parts).unwrap_err().to_string();
        let plane = Ensemble::builder(2)
            .atoms_per_draw(1)
            .weights(&[1.0])
            .means(&[0.0; 2])
            .covariances(&[1.0])
            .form(CovarianceForm::Spherical)
            .build()
            .unwrap();
        assert_eq!(message(&[&one, &plane]), "dimension 2, the first part has 1");
        assert!(message(&[&one, &one.clone().with_draw_weights(&[1.0]).unwrap()]).contains("draw weights"));
        assert_eq!(message(&[]), "there are no draws");
    }

    #[test]
    fn burn_in_and_thinning_count_within_each_chain() {
        let all = line(&(0..=8).collect::<Vec<_>>(), &[1.0; 8]).unwrap();
        assert_eq!(all.thinned(0, 1), (0..8).collect::<Vec<_>>());
        assert_eq!(all.thinned(1, 3), [1, 4, 7]);
        let chains = all.with_chains(vec![0, 1, 0, 1, 0, 1, 0, 0], (0..8).collect()).unwrap();
        assert_eq!(chains.thinned(1, 2), [2, 3, 6]);
        assert_eq!(chains.thinned(3, 1), [6, 7]);
        assert!(chains.thinned(9, 1).is_empty());
    }

    #[test]
    fn errors_name_draw_and_atom_as_the_caller_counts_them() {
        let message = |offsets: &[usize], weights: &[f64]| line(offsets, weights).unwrap_err().to_string();
        assert_eq!(
            message(&[0, 1, 3], &[1.0, 0.5, -0.5]),
            "draw 1, atom 1: weight is -0.5, must be finite and not negative"
        );
        assert_eq!(message(&[0, 1, 3], &[1.0, 0.0, 0.0]), "draw 1: weights sum to 0, expected a positive finite sum");
        assert_eq!(message(&[0, 1, 1], &[1.0]), "draw 1: has no atoms (offsets 1 and 1)");
        assert_eq!(message(&[0], &[]), "there are no draws");
        assert!(message(&[0, 1], &[1.0, 1.0]).contains("must run from 0"));
        assert!(message(&[0, 1], &[f64::NAN]).contains("weight is NaN"));
        let error = Ensemble::builder(1)
            .atoms_per_draw(2)
            .weights(&[1.0, 0.0, 0.5, 0.5])
            .means(&[0.0, 0.0, 0.0, f64::NAN])
            .covariances(&[1.0; 4])
            .build();
        assert_eq!(error.unwrap_err().to_string(), "draw 1, atom 1: coordinate 0 of the mean is NaN");
    }

    #[test]
    fn draw_weights_and_chains_must_fit() {
        let ensemble = || line(&[0, 1, 2], &[1.0, 1.0]).unwrap();
        assert_eq!(ensemble().with_draw_weights(&[1.0, 3.0]).unwrap().draw_weights(), Some(&[0.25, 0.75][..]));
        assert!(ensemble().with_draw_weights(&[1.0]).is_err());
        assert!(
            ensemble().with_draw_weights(&[1.0, -1.0]).unwrap_err().to_string().contains("draw 1: draw weight is -1")
        );
        assert!(ensemble().with_draw_weights(&[0.0, 0.0]).is_err());
        assert!(ensemble().with_chains(vec![0], vec![0, 1]).is_err());
    }
}
