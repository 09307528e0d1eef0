//! Fewer atoms: a measure is reduced by merging the two atoms whose merger costs least, again and again. Fits start from these.

use super::objective::Objective;
use crate::Result;
use crate::ensemble::MixingMeasure;
use crate::rounded::rounded;
use crate::slice::{Chart, Slices};

/// Atoms that take part; lighter ones join the nearest of them first.
const MOST_ATOMS: usize = 64;

/// Slices on which atoms are compared.
const COMPARED_SLICES: usize = 32;

/// An atom, or what became of several: weight, free parameters in the chart of logarithms, positions on some slices.
#[derive(Clone)]
struct Blob {
    weight: f64,
    parameters: Vec<f64>,
    positions: Vec<f64>,
}

impl Blob {
    /// What a merger adds to the squared distance on the slices: a b / (a + b) times the mean squared gap.
    fn merging_cost(&self, other: &Blob) -> f64 {
        self.weight * other.weight / (self.weight + other.weight) * self.gap(other)
    }

    /// Mean squared gap on the slices.
    fn gap(&self, other: &Blob) -> f64 {
        let gaps = self.positions.iter().zip(&other.positions).map(|(x, y)| (x - y) * (x - y));
        gaps.sum::<f64>() / self.positions.len() as f64
    }

    fn absorb(&mut self, other: &Blob) {
        let share = other.weight / (self.weight + other.weight);
        let move_to = |own: &mut [f64], others: &[f64]| {
            own.iter_mut().zip(others).for_each(|(x, y)| *x += share * (y - *x));
        };
        move_to(&mut self.parameters, &other.parameters);
        move_to(&mut self.positions, &other.positions);
        self.weight += other.weight;
    }
}

/// The measure with at most `most`, `most` − 1, …, 1 atoms, in this order.
pub(super) fn reductions(measure: &MixingMeasure, slices: &dyn Slices, most: usize) -> Result<Vec<MixingMeasure>> {
    let mut blobs = heaviest(measure, slices);
    let mut out = Vec::new();
    for count in (1..=most).rev() {
        while blobs.len() > count {
            merge_cheapest(&mut blobs);
        }
        out.push(to_measure(&blobs, measure.dim())?);
    }
    Ok(out)
}

/// Atoms of smaller weight have vanished.
const VANISHED: f64 = 1e-6;

/// The measure, heaviest atom first, without atoms that vanished; atoms that coincide to rounding become one.
pub(super) fn tidy(measure: &MixingMeasure, slices: &dyn Slices) -> Result<MixingMeasure> {
    let (weights, atoms) = (measure.weights(), measure.atoms());
    let mut order: Vec<usize> = (0..measure.len()).filter(|&i| weights[i] >= VANISHED).collect();
    order.sort_by(|&i, &j| {
        let places = atoms.mean(i).iter().zip(atoms.mean(j)).map(|(x, y)| x.total_cmp(y));
        places.fold(weights[j].total_cmp(&weights[i]), std::cmp::Ordering::then)
    });
    let left: f64 = order.iter().map(|&i| weights[i]).sum();
    let weights = order.iter().map(|&i| weights[i] / left).collect();
    merge_coinciding(&MixingMeasure::new(weights, atoms.select(order.iter().copied()))?, slices)
}

fn merge_coinciding(measure: &MixingMeasure, slices: &dyn Slices) -> Result<MixingMeasure> {
    let (weights, atoms) = (measure.weights(), measure.atoms());
    let blobs = blobs(measure, slices);
    let center = blobs.iter().cloned().reduce(|mut all, next| {
        all.absorb(&next);
        all
    });
    let center = center.expect("a measure has an atom");
    let spread: f64 = blobs.iter().map(|blob| blob.weight * blob.gap(&center)).sum();
    let mut kept: Vec<(usize, f64)> = Vec::new();
    for k in 0..measure.len() {
        let same = kept.iter().position(|&(other, _)| blobs[k].gap(&blobs[other]) <= COINCIDING * spread);
        match same {
            Some(same) => kept[same].1 += weights[k],
            None => kept.push((k, weights[k])),
        }
    }
    MixingMeasure::new(kept.iter().map(|kept| kept.1).collect(), atoms.select(kept.iter().map(|kept| kept.0)))
}

/// Atoms whose squared gap on the slices is below this part of the spread of the measure are one.
const COINCIDING: f64 = 1e-9;

fn blobs(measure: &MixingMeasure, slices: &dyn Slices) -> Vec<Blob> {
    let count = slices.len().min(COMPARED_SLICES);
    let coordinates = slices.coordinates(measure.atoms());
    let n = measure.len();
    let mut positions = vec![0.0; count * n];
    slices.project(0..count, &coordinates, &mut positions);
    let width = Chart::Logarithm.width(measure.dim());
    let parameters = Chart::Logarithm.free_parameters(measure.atoms());
    (0..n)
        .map(|k| Blob {
            weight: measure.weights()[k],
            parameters: parameters[k * width..(k + 1) * width].to_vec(),
            positions: (0..count).map(|l| positions[l * n + k]).collect(),
        })
        .collect()
}

fn heaviest(measure: &MixingMeasure, slices: &dyn Slices) -> Vec<Blob> {
    let mut blobs = blobs(measure, slices);
    // By place, where parts of one atom meet, then by weight, so that the order of the atoms does not matter.
    blobs.sort_by(|a, b| {
        let places = a.parameters.iter().zip(&b.parameters).map(|(x, y)| x.total_cmp(y));
        places.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    blobs.dedup_by(|next, kept| {
        let same = next.parameters == kept.parameters;
        if same {
            kept.weight += next.weight;
        }
        same
    });
    blobs.iter_mut().for_each(|blob| blob.weight = rounded(blob.weight, 1.0));
    blobs.retain(|blob| blob.weight > 0.0);
    blobs.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let light = blobs.split_off(blobs.len().min(MOST_ATOMS));
    for blob in &light {
        let cost = |other: &Blob| blob.merging_cost(other);
        let nearest = (0..blobs.len()).min_by(|&a, &b| cost(&blobs[a]).total_cmp(&cost(&blobs[b])));
        blobs[nearest.expect("a measure has an atom")].absorb(blob);
    }
    blobs
}

fn merge_cheapest(blobs: &mut Vec<Blob>) {
    let pairs = (0..blobs.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    let costs = pairs.map(|(j, i)| (blobs[i].merging_cost(&blobs[j]), j, i));
    let (_, j, i) = costs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("two atoms are left");
    let gone = blobs.remove(i);
    blobs[j].absorb(&gone);
}

fn to_measure(blobs: &[Blob], dim: usize) -> Result<MixingMeasure> {
    let parameters: Vec<f64> = blobs.iter().flat_map(|blob| blob.parameters.clone()).collect();
    let atoms = Chart::Logarithm.atoms(dim, &parameters)?;
    MixingMeasure::new(blobs.iter().map(|blob| blob.weight).collect(), atoms)
}

/// Logits and free parameters of a measure.
pub(super) fn parameters(measure: &MixingMeasure, objective: &Objective) -> Vec<f64> {
    let mut out: Vec<f64> = measure.weights().iter().map(|&w| libm::log(w)).collect();
    out.extend(objective.chart().free_parameters(measure.atoms()));
    out
}

/// The measure with these logits and free parameters.
pub(super) fn measure(parameters: &[f64], objective: &Objective) -> Result<MixingMeasure> {
    let k = objective.atoms(parameters);
    let atoms = objective.chart().atoms(objective.dim(), &parameters[k..])?;
    MixingMeasure::new(super::objective::softmax(&parameters[..k]), atoms)
}
