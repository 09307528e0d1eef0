//! Geweke's (2004) joint-distribution test: data and parameters drawn in turn from each other must have the law of the prior.

use mixgist::Result;
use mixgist::random::{Purpose, stream};
use rand_chacha::ChaCha8Rng;

use super::Outcome;
use crate::algorithm::informed::Effort;
use crate::algorithm::tiling::Tiling;
use crate::algorithm::{Model, Sampler, State, StickLaw, next_fraction, sampler};
use crate::clusters::Clusters;
use crate::component::packed::solve;
use crate::component::{AtomShape, Component, Posterior, with_component};
use crate::hyperparameters::{Hyperparameters, Learned};
use crate::mixing::Concentration;
use crate::points::{Frame, ScaledData};
use crate::scales::{ScaleLaw, Scales};
use crate::settings::{ComponentPrior, CovarianceModel, FitSettings, Scale, ScaleChoice};
use crate::variates::{log_gamma, normal, uniform};

const N: usize = 6;
const D: usize = 2;
const NAMES: [&str; 14] = [
    "clusters",
    "largest cluster",
    "alpha",
    "x",
    "x squared",
    "x times y",
    "points 0 and 1 together",
    "product of points 0 and 1",
    "difference of points 0 and 1",
    "distance within clusters",
    "lambda",
    "nu",
    "first entry of Psi",
    "second entry of Psi",
];
const BATCHES: usize = 50;

/// Alternates a sweep of the chain given the data with data given the parameters, and compares the means of fourteen functions of
/// both with their means under the prior, by batch means. `tile` is the number of points of a tile.
pub fn joint(settings: &FitSettings, tile: usize, sweeps: u64, seed: u64) -> Result<Outcome> {
    let settings = settings.clone().with_component(ComponentPrior {
        mu0: Some(vec![0.3, -0.2]),
        lambda: Some(0.5),
        psi: Some(Scale::Diagonal(vec![6.0, 9.0])),
        nu: Some(12.0),
        ..settings.component.clone()
    });
    with_component!(settings.component.covariance, C => run::<C>(&settings, tile, sweeps, seed))
}

fn run<C: Component>(settings: &FitSettings, tile: usize, sweeps: u64, seed: u64) -> Result<Outcome> {
    let mut hyperparameters = Hyperparameters::resolve(&[0.0; N * D], D, settings)?;
    let own = settings.component.covariance != CovarianceModel::Common;
    if settings.component.scales == ScaleChoice::Learned {
        // the values above are then where the distributions are centred
        hyperparameters.learned = Learned { lambda: true, psi: own, nu: own };
    }
    let mut points = ScaledData::scaled(&[0.0; N * D], Frame { center: vec![0.0; D], scale: vec![1.0; D] });
    let mut rng = stream(seed, Purpose::Simulation, 1);
    let mut forward = Means::default();
    let mut state = None;
    for _ in 0..sweeps {
        let drawn = from_prior::<C>(&hyperparameters, &mut points, &mut rng)?;
        forward.add(&functions(&drawn, &points));
        state = Some(drawn);
    }
    let Some(mut state) = state else { return Err(mixgist::Error::usage("0 sweeps, must be at least 1")) };

    let mut successive = Means::default();
    let mut chain: Box<dyn Sampler<C>> = sampler(settings.algorithm);
    for _ in 0..sweeps {
        let mut model = Model::<C>::new(&points, &hyperparameters, settings.remainder);
        model.scales = model.scales.sharpened();
        model.effort = Effort { proposals: 1, sample: 3 };
        model.tiling.size = tile;
        model.resume_scales(&state)?;
        chain.forget_points();
        chain.sweep(&mut model, &mut state, &mut rng)?;
        let values = data_given_partition(&mut model, &state, &mut rng)?;
        let component = model.component;
        points.replace(&values);
        state.clusters.recompute(component.shape(), &points, Tiling::default())?;
        successive.add(&functions(&state, &points));
    }
    Ok(compare(&forward, &successive))
}

/// (α, partition, data) from the prior, the data written into `points`.
fn from_prior<C: Component>(
    hyperparameters: &Hyperparameters,
    points: &mut ScaledData,
    rng: &mut ChaCha8Rng,
) -> Result<State> {
    let alpha = match hyperparameters.concentration {
        Concentration::Fixed(alpha) => alpha,
        Concentration::Gamma { shape, rate } => log_gamma(shape, rng).exp() / rate,
    };
    let sticks = points_on_sticks(hyperparameters, alpha, rng);
    let mut positions = Vec::new();
    let labels: Vec<u32> = sticks
        .iter()
        .map(|stick| {
            let place = positions.iter().position(|known| known == stick).unwrap_or_else(|| {
                positions.push(*stick);
                positions.len() - 1
            });
            place as u32
        })
        .collect();
    if hyperparameters.truncation.is_none() {
        positions.clear();
    }

    let mut component = C::new(hyperparameters, &points.frame);
    let mut scales = component.scales();
    ScaleLaw::new(hyperparameters, &scales).sharpened().draw_prior(&mut scales, rng);
    component.set_scales(&scales);
    let (shape, tiling) = (component.shape(), Tiling::default());
    let nothing = Clusters::new(Vec::new(), shape, &*points, tiling)?;
    component.draw_shared(&nothing, rng)?;
    let mut posterior = Posterior::new(D);
    component.posterior(0, &vec![0.0; component.statistic_len()], &mut posterior)?;
    let clusters = labels.iter().max().map_or(0, |max| *max as usize + 1);
    let atoms = (0..clusters).map(|_| draw_atom(&component, &mut posterior, rng)).collect::<Vec<_>>();
    points.replace(&data_given_atoms(component.shape(), &atoms, &labels, rng));
    let scales = hyperparameters.learned.any().then_some(scales);
    Ok(State { clusters: Clusters::new(labels, shape, &*points, tiling)?, alpha, positions, scales, sweeps: 0 })
}

/// Which stick each point sits on, sticks broken as far as a point reaches.
fn points_on_sticks(hyperparameters: &Hyperparameters, alpha: f64, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let prior = hyperparameters.prior;
    let law = hyperparameters.truncation.map(|sticks| StickLaw { prior, alpha, sticks });
    let (mut weights, mut rest) = (Vec::<f64>::new(), 1.0);
    (0..N)
        .map(|_| {
            let mut left = uniform(rng);
            for j in 0.. {
                if j == weights.len() {
                    let fraction = match law {
                        Some(law) => law.draw(j, 0, 0, rng),
                        None => next_fraction(prior, alpha, j, rng),
                    };
                    weights.push(rest * fraction.taken);
                    rest *= fraction.rest;
                }
                left -= weights[j];
                if left < 0.0 || rest <= 0.0 && j + 1 == weights.len() {
                    return j as u32;
                }
            }
            unreachable!("the loop has no end but the return")
        })
        .collect()
}

fn draw_atom<C: Component>(component: &C, posterior: &mut Posterior, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut atom = vec![0.0; component.shape().atom_len(D)];
    component.draw_atom(posterior, rng, &mut atom);
    atom
}

/// Atoms given partition and data, then new data given those.
fn data_given_partition<C: Component>(
    model: &mut Model<'_, C>,
    state: &State,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<f64>> {
    model.component.draw_shared(&state.clusters, rng)?;
    let mut posterior = Posterior::new(D);
    let mut atoms = Vec::new();
    for cluster in state.clusters.occupied() {
        model.component.posterior(cluster.count, cluster.statistic, &mut posterior)?;
        atoms.push(draw_atom(&model.component, &mut posterior, rng));
    }
    Ok(data_given_atoms(model.component.shape(), &atoms, &state.clusters.labels, rng))
}

/// x = μ + U⁻¹ z for each point.
fn data_given_atoms(shape: AtomShape, atoms: &[Vec<f64>], labels: &[u32], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut values = Vec::with_capacity(N * D);
    for &label in labels {
        let (mean, u) = atoms[label as usize][1..].split_at(D);
        let mut z = [normal(rng), normal(rng)];
        match shape {
            AtomShape::Triangular => solve(u, &mut z),
            AtomShape::Diagonal => (0..D).for_each(|j| z[j] /= u[j]),
        }
        values.extend((0..D).map(|j| mean[j] + z[j]));
    }
    values
}

fn functions(state: &State, points: &ScaledData) -> [f64; NAMES.len()] {
    let (a, b) = (points.row(0), points.row(1));
    let together = f64::from(state.clusters.labels[0] == state.clusters.labels[1]);
    let mut within = 0.0;
    for i in 0..N {
        for j in 0..i {
            if state.clusters.labels[i] == state.clusters.labels[j] {
                within += (points.row(i)[1] - points.row(j)[1]).abs();
            }
        }
    }
    let scale = |of: &dyn Fn(&Scales) -> f64| state.scales.as_ref().map_or(0.0, of);
    [
        state.clusters.len() as f64,
        f64::from(state.clusters.sizes().max().unwrap_or(0)),
        state.alpha,
        a[0],
        a[0] * a[0],
        a[0] * a[1],
        together,
        a[0] * b[0],
        (a[1] - b[1]).abs(),
        within,
        scale(&|scales| scales.lambda),
        scale(&|scales| scales.nu),
        scale(&|scales| scales.psi[0]),
        scale(&|scales| scales.psi[1]),
    ]
}

/// Values of the functions over a run.
#[derive(Default)]
struct Means {
    values: Vec<[f64; NAMES.len()]>,
}

struct Estimate {
    mean: f64,
    variance: f64,
}

impl Means {
    fn add(&mut self, values: &[f64; NAMES.len()]) {
        self.values.push(*values);
    }

    /// Mean of function f and the variance of that mean, by batches, which keep what autocorrelation does to it.
    fn estimate(&self, f: usize) -> Estimate {
        let size = (self.values.len() / BATCHES).max(1);
        let batches: Vec<f64> =
            self.values.chunks_exact(size).map(|batch| batch.iter().map(|v| v[f]).sum::<f64>() / size as f64).collect();
        let count = batches.len() as f64;
        let mean = batches.iter().sum::<f64>() / count;
        let variance = batches.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0) / count;
        Estimate { mean, variance }
    }
}

fn compare(forward: &Means, successive: &Means) -> Outcome {
    // Student's t with some 50 to 100 degrees of freedom exceeds 5.5 with probability below 2e-6: fourteen functions, 3e-5
    let mut outcome =
        Outcome { name: "joint".into(), deviation: 0.0, limit: 5.5, false_alarm: 3e-5, detail: String::new() };
    for (f, name) in NAMES.iter().enumerate() {
        let (a, b) = (forward.estimate(f), successive.estimate(f));
        let error = (a.variance + b.variance).sqrt();
        let deviation = if error > 0.0 { (a.mean - b.mean).abs() / error } else { 0.0 };
        if deviation > outcome.deviation {
            outcome.deviation = deviation;
            outcome.detail = format!("{name}: {} under the prior, {} by the chain", a.mean, b.mean);
        }
    }
    outcome
}
