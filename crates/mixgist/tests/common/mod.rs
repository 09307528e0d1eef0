//! Random measures, ensembles and slices that several test files share.
#![allow(dead_code)] // each test file uses its own part

use std::ops::Range;

use mixgist::slice::{Freeze, SLICERS, Scheme, Slicer, Slices};
use mixgist::{CovarianceForm, Ensemble, GaussianAtoms, MixingMeasure, Order};
use proptest::prelude::*;

/// The orders that every property is shown for.
pub const ORDERS: [f64; 4] = [1.0, 1.5, 2.0, 3.0];

/// Every registered slicer under every scheme of directions.
pub fn every_law() -> impl Iterator<Item = (&'static dyn Slicer, Scheme)> {
    SLICERS.into_iter().flat_map(|slicer| Scheme::NAMES.map(|(_, scheme)| (slicer, scheme)))
}

pub fn freeze(slicer: &dyn Slicer, scheme: Scheme, dim: usize, slices: Range<usize>, seed: u64) -> Box<dyn Slices> {
    slicer.freeze(&Freeze { dim, slices, seed, scheme })
}

pub fn order(p: f64) -> Order {
    Order::new(p).unwrap()
}

/// An atom before it is checked: weight, mean, and the entries of a lower triangular factor of its covariance (logarithms on the
/// diagonal), row by row.
pub type RawAtom = (f64, Vec<f64>, Vec<f64>);

pub fn raw_atoms(dim: usize, count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<RawAtom>> {
    let weight = prop_oneof![8 => 0.01..1.0f64, 1 => Just(1e-9), 1 => Just(1e-16)];
    let mean = prop::collection::vec(-5.0..5.0f64, dim);
    let factor = prop::collection::vec(-1.0..1.0f64, dim * (dim + 1) / 2);
    prop::collection::vec((weight, mean, factor), count)
}

pub fn covariance(dim: usize, factor: &[f64]) -> Vec<f64> {
    let entry = |i: usize, j: usize| {
        let x = factor[i * (i + 1) / 2 + j];
        if i == j { x.exp() } else { x }
    };
    let mut covariance = vec![0.0; dim * dim];
    for i in 0..dim {
        for j in 0..=i {
            let sum: f64 = (0..=j).map(|k| entry(i, k) * entry(j, k)).sum();
            covariance[i * dim + j] = sum;
            covariance[j * dim + i] = sum;
        }
    }
    covariance
}

pub fn atoms_from(dim: usize, raw: &[RawAtom]) -> GaussianAtoms {
    let means = raw.iter().flat_map(|atom| atom.1.clone()).collect();
    let covariances = raw.iter().flat_map(|atom| covariance(dim, &atom.2)).collect();
    GaussianAtoms::new(dim, means, covariances, CovarianceForm::Covariance).unwrap()
}

pub fn measure_from(dim: usize, raw: &[RawAtom]) -> MixingMeasure {
    MixingMeasure::new(raw.iter().map(|atom| atom.0).collect(), atoms_from(dim, raw)).unwrap()
}

pub fn measure(dim: usize, count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = MixingMeasure> {
    raw_atoms(dim, count).prop_map(move |raw| measure_from(dim, &raw))
}

/// The dimensions that every property is shown for.
pub fn dimension() -> impl Strategy<Value = usize> {
    prop_oneof![Just(1usize), Just(2), Just(5)]
}

/// The same measure with every mean moved by a vector.
pub fn shifted(measure: &MixingMeasure, by: &[f64]) -> MixingMeasure {
    let means = measure.atoms().means().iter().enumerate().map(|(i, x)| x + by[i % by.len()]).collect();
    let covariances = measure.atoms().covariances().to_vec();
    let atoms = GaussianAtoms::new(measure.dim(), means, covariances, CovarianceForm::Covariance).unwrap();
    MixingMeasure::new(measure.weights().to_vec(), atoms).unwrap()
}

/// Positions of the atoms on every slice: (slices × atoms).
pub fn positions(slices: &dyn Slices, atoms: &GaussianAtoms) -> Vec<f64> {
    let mut out = vec![0.0; slices.len() * atoms.len()];
    slices.project(0..slices.len(), &slices.coordinates(atoms), &mut out);
    out
}

/// The widest gap between two atoms on any of the slices.
pub fn span(slices: &dyn Slices, measures: &[&MixingMeasure]) -> f64 {
    let all: Vec<MixingMeasure> = measures.iter().map(|&m| m.clone()).collect();
    let ensemble = Ensemble::from_measures(&all).unwrap();
    let widths = positions(slices, ensemble.atoms());
    let widths = widths.chunks(ensemble.atoms().len()).map(|row| {
        row.iter().copied().fold(f64::NEG_INFINITY, f64::max) - row.iter().copied().fold(f64::INFINITY, f64::min)
    });
    widths.fold(0.0, f64::max)
}

/// W_p^p of two weighted point sets on the line from the definition: the gap of the quantile functions, piece by piece. It shares no
/// code with the library and takes sums of weights as they come, so the last piece may be a rounding error short.
pub fn transport_cost_by_definition(a: &[(f64, f64)], b: &[(f64, f64)], p: f64) -> f64 {
    let sorted = |points: &[(f64, f64)]| {
        let mut points = points.to_vec();
        points.sort_by(|x, y| x.0.total_cmp(&y.0));
        points
    };
    let (a, b) = (sorted(a), sorted(b));
    let (mut i, mut j) = (0, 0);
    let (mut left_a, mut left_b) = (a[0].1, b[0].1);
    let mut total = 0.0;
    loop {
        let mass = left_a.min(left_b);
        total += mass * (a[i].0 - b[j].0).abs().powf(p);
        left_a -= mass;
        left_b -= mass;
        if left_a <= 0.0 {
            i += 1;
            match a.get(i) {
                Some(point) => left_a = point.1,
                None => return total,
            }
        }
        if left_b <= 0.0 {
            j += 1;
            match b.get(j) {
                Some(point) => left_b = point.1,
                None => return total,
            }
        }
    }
}

/// An ensemble of `draws` random draws with `atoms` atoms each: draws are noisy copies of one measure, as posterior draws are.
pub fn noisy_ensemble(dim: usize, draws: usize, atoms: Range<usize>, noise: f64, seed: u64) -> Ensemble {
    let measures: Vec<MixingMeasure> =
        (0..draws).map(|m| noisy_measure(dim, atoms.clone(), noise, seed, m as u64)).collect();
    Ensemble::from_measures(&measures).unwrap()
}

/// Draw number `m` of [`noisy_ensemble`].
pub fn noisy_measure(dim: usize, atoms: Range<usize>, noise: f64, seed: u64, m: u64) -> MixingMeasure {
    use mixgist::random::{Purpose, standard_normals, stream};
    let size = dim + dim * (dim + 1) / 2 + 1;
    let most = atoms.end - 1;
    let mut base = vec![0.0; size * most];
    standard_normals(&mut stream(seed, Purpose::Simulation, u64::MAX), &mut base);
    let mut own = vec![0.0; size * most + 1];
    standard_normals(&mut stream(seed, Purpose::Simulation, m), &mut own);
    let count = atoms.start + (own[size * most].abs() * 1e6) as usize % (most + 1 - atoms.start);
    let raw: Vec<RawAtom> = (0..count)
        .map(|k| {
            let z: Vec<f64> = (0..size).map(|c| base[k * size + c] + noise * own[k * size + c]).collect();
            (z[0].exp(), z[1..=dim].iter().map(|x| 3.0 * x).collect(), z[dim + 1..].iter().map(|x| 0.5 * x).collect())
        })
        .collect();
    measure_from(dim, &raw)
}

/// Ensembles that are hard in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Ragged draws around one measure.
    Plain,
    /// Each third draw is a copy of the first.
    Duplicates,
    /// Each third draw is the first one with its means moved by 1e-9.
    NearDuplicates,
    /// Scales of atoms spread over many orders of magnitude.
    HeavyTails,
    /// All weights are 1/K with one K, so that all quantile functions jump at the same places.
    EqualWeights,
    /// One atom a draw.
    OneAtom,
    /// Means around 1e6.
    Offset,
    /// Means around 1e6 and each third draw close to the first: the common offset must not eat the digits of their distance.
    OffsetNear,
    /// Most atoms weigh next to nothing.
    LightAtoms,
    /// More atoms than are sorted by rank, and as many cells as jumps can have.
    ManyAtoms,
    /// Two groups of draws far from each other.
    TwoClusters,
    /// A tight core and a few draws a million times farther out, on both sides.
    Outliers,
}

pub const KINDS: [Kind; 12] = [
    Kind::Plain,
    Kind::Duplicates,
    Kind::NearDuplicates,
    Kind::HeavyTails,
    Kind::EqualWeights,
    Kind::OneAtom,
    Kind::Offset,
    Kind::OffsetNear,
    Kind::LightAtoms,
    Kind::ManyAtoms,
    Kind::TwoClusters,
    Kind::Outliers,
];

impl Kind {
    pub fn ensemble(self, dim: usize, draws: usize, seed: u64) -> Ensemble {
        let measures: Vec<MixingMeasure> = (0..draws).map(|m| self.draw(dim, seed, m)).collect();
        Ensemble::from_measures(&measures).unwrap()
    }

    fn draw(self, dim: usize, seed: u64, m: usize) -> MixingMeasure {
        let plain = |m: usize| noisy_measure(dim, 1..6, 0.3, seed, m as u64);
        match self {
            Kind::Plain => plain(m),
            Kind::Duplicates => plain(if m.is_multiple_of(3) { 0 } else { m }),
            Kind::NearDuplicates if m.is_multiple_of(3) => shifted(&plain(0), &vec![1e-9 * m as f64; dim]),
            Kind::NearDuplicates => plain(m),
            Kind::HeavyTails => {
                let wild = noisy_measure(dim, 1..6, 1.0, seed, m as u64);
                scaled_atoms(&wild, |k| (3.0 * wild.atoms().mean(k)[0]).clamp(-12.0, 12.0).exp())
            }
            Kind::EqualWeights => {
                let atoms = noisy_measure(dim, 4..5, 0.3, seed, m as u64).atoms().clone();
                MixingMeasure::new(vec![0.25; 4], atoms).unwrap()
            }
            Kind::OneAtom => noisy_measure(dim, 1..2, 0.3, seed, m as u64),
            Kind::Offset => shifted(&plain(m), &vec![1e6; dim]),
            Kind::OffsetNear => {
                let near = if m.is_multiple_of(3) { shifted(&plain(0), &vec![2e-3 * m as f64; dim]) } else { plain(m) };
                shifted(&near, &vec![1e6; dim])
            }
            Kind::LightAtoms => {
                let draw = noisy_measure(dim, 9..10, 0.3, seed, m as u64);
                let weights = draw.weights().iter().enumerate().map(|(k, w)| w * 0.01f64.powi(k as i32)).collect();
                MixingMeasure::new(weights, draw.atoms().clone()).unwrap()
            }
            Kind::ManyAtoms => noisy_measure(dim, 110..140, 0.3, seed, m as u64),
            Kind::TwoClusters => shifted(&plain(m), &vec![if m.is_multiple_of(2) { 20.0 } else { -20.0 }; dim]),
            Kind::Outliers => {
                let far = [1e6, -1e6].get(m % 20).copied().unwrap_or(0.0);
                shifted(&plain(m), &vec![far; dim])
            }
        }
    }
}

fn scaled_atoms(measure: &MixingMeasure, factor: impl Fn(usize) -> f64) -> MixingMeasure {
    let d = measure.dim();
    let means = measure.atoms().means().iter().enumerate().map(|(i, x)| x * factor(i / d)).collect();
    let covariances =
        measure.atoms().covariances().iter().enumerate().map(|(i, x)| x * factor(i / (d * d)).powi(2)).collect();
    let atoms = GaussianAtoms::new(d, means, covariances, CovarianceForm::Covariance).unwrap();
    MixingMeasure::new(measure.weights().to_vec(), atoms).unwrap()
}
