//! Posteriors whose modes are known, to see how often their number is found.

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::representatives::{Count, Representatives};
use mixgist::{Ensemble, Posterior, Settings, Silent, SliceCount, Units};
use rand::RngExt;

/// How the draws of one mode are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Two atoms on the line whose means are normal.
    Normal,
    /// Two atoms in five dimensions whose means are normal: modes differ in one of ten coordinates.
    ManyCoordinates,
    /// Two atoms on the line, one of them with an exponential tail.
    Skewed,
    /// Two atoms on the line whose weights vary too, Dirichlet(50, 50).
    Weights,
}

pub const SHAPES: [Shape; 4] = [Shape::Normal, Shape::ManyCoordinates, Shape::Skewed, Shape::Weights];

/// Standard deviation of each mean within a mode.
const SPREAD: f64 = 0.3;

/// How far modes are apart, in standard deviations.
pub const APART: f64 = 8.0;

/// Probabilities of so many modes.
pub fn probabilities(modes: usize) -> &'static [f64] {
    [&[1.0][..], &[0.6, 0.4], &[0.4, 0.35, 0.25], &[0.4, 0.3, 0.2, 0.1]][modes - 1]
}

/// Draws with what is known of them.
pub struct Known {
    pub ensemble: Ensemble,
    /// Modes that some draw is in.
    pub visited: usize,
    /// Modes that at least a twentieth of the draws is in.
    pub notable: usize,
}

/// Four chains; well-mixing ones draw afresh each time. Others stay in their mode with probability 0.97 and move within it as an AR(1) process of
/// 0.8, and the last of them never leaves the mode in which it starts.
pub fn posterior(shape: Shape, probabilities: &[f64], draws: usize, well: bool, seed: u64) -> Known {
    posterior_of(shape, probabilities, APART, draws, well, seed)
}

/// The same with modes that are `apart` standard deviations from each other.
pub fn posterior_of(shape: Shape, probabilities: &[f64], apart: f64, draws: usize, well: bool, seed: u64) -> Known {
    let dim = if shape == Shape::ManyCoordinates { 5 } else { 1 };
    let (mut rng, per_chain) = (stream(seed, Purpose::Simulation, 99), draws / 4);
    let numbers = 2 * dim + 1;
    let (mut means, mut weights, mut state, mut mode) = (Vec::new(), Vec::new(), vec![0.0; numbers], 0);
    let mut counts = vec![0; probabilities.len()];
    for m in 0..4 * per_chain {
        let (start, last) = (m % per_chain == 0, m / per_chain == 3);
        if well || start || (!last && rng.random::<f64>() >= 0.97) {
            let u: f64 = rng.random();
            let mut below = 0.0;
            mode = probabilities
                .iter()
                .position(|p| {
                    below += p;
                    u < below
                })
                .unwrap_or(0);
        }
        counts[mode] += 1;
        let mut fresh = vec![0.0; numbers];
        standard_normals(&mut rng, &mut fresh);
        let rho: f64 = if well || start { 0.0 } else { 0.8 };
        state.iter_mut().zip(&fresh).for_each(|(x, z)| *x = rho * *x + (1.0 - rho * rho).sqrt() * z);
        let step = apart * SPREAD;
        let (first, second) = [(0.0, 0.0), (0.0, step), (0.0, -step), (step, 0.0)][mode];
        let mut both: Vec<f64> = state[..2 * dim].iter().map(|x| SPREAD * x).collect();
        if shape == Shape::Skewed {
            // Exponential, from a normal by its distribution function.
            let tail = 0.5 * libm::erfc(state[dim] / std::f64::consts::SQRT_2);
            both[dim] = -SPREAD * tail.max(1e-300).ln();
        }
        both[0] += first;
        both[dim] += 5.0 + second;
        means.extend(both);
        let share = if shape == Shape::Weights { 0.5 + 0.05 * state[2 * dim].clamp(-6.0, 6.0) } else { 0.5 };
        weights.extend([share, 1.0 - share]);
    }
    let unit: Vec<f64> = (0..dim * dim).map(|i| f64::from(u8::from(i % (dim + 1) == 0))).collect();
    let covariances: Vec<f64> = (0..2 * 4 * per_chain).flat_map(|_| unit.clone()).collect();
    let ensemble = Ensemble::builder(dim)
        .atoms_per_draw(2)
        .weights(&weights)
        .means(&means)
        .covariances(&covariances)
        .build()
        .unwrap();
    Known {
        ensemble: in_chains(ensemble, 4),
        visited: counts.iter().filter(|&&count| count > 0).count(),
        notable: counts.iter().filter(|&&count| 20 * count >= 4 * per_chain).count(),
    }
}

/// The draws in so many chains of equal length.
pub fn in_chains(ensemble: Ensemble, chains: usize) -> Ensemble {
    let draws = ensemble.len();
    let owners = (0..draws).map(|m| (m / draws.div_ceil(chains)) as u32).collect();
    ensemble.with_chains(owners, (0..draws as u64).collect()).unwrap()
}

/// The representatives, their number found by the rule.
pub fn found(ensemble: &Ensemble) -> Representatives {
    let settings = Settings::default().with_slices(SliceCount::Fixed(30)).with_units(Units::None);
    Posterior::new(ensemble, None, settings).unwrap().representatives(Count::Auto, 0, &Silent).unwrap().result
}

/// A law of the places of two means, from three numbers that are uniform on (0, 1).
pub type Law = fn([f64; 3]) -> [f64; 2];

/// Laws with one mode. A flat one is the hardest: its valley is as high as its peaks, and no law with one mode has a lower one.
pub const ONE_MODE: [(&str, Law); 6] = [
    ("flat line", |[u, ..]| [0.0, 4.0 * u]),
    ("flat square", |[u, v, _]| [2.0 * u, 2.0 * v]),
    ("flat disc", |[u, v, _]| {
        let (sin, cos) = (std::f64::consts::TAU * v).sin_cos();
        [u.sqrt() * sin, u.sqrt() * cos]
    }),
    ("triangle", |[u, v, _]| [0.0, u + v]),
    ("Student's t", |[u, v, _]| [0.0, (std::f64::consts::PI * (0.98 * u + 0.01 - 0.5)).tan() + 0.1 * v]),
    ("flat with a peak", |[u, v, w]| [0.0, if w < 0.5 { 4.0 * u } else { 2.0 + 0.1 * v }]),
];

/// Four chains of draws with one mode, each of three numbers an AR(1) process made uniform.
pub fn one_mode(law: Law, draws: usize, rho: f64, seed: u64) -> Ensemble {
    let (mut rng, per_chain) = (stream(seed, Purpose::Simulation, 98), draws / 4);
    let (mut means, mut state) = (Vec::new(), [0.0; 3]);
    for m in 0..4 * per_chain {
        let mut fresh = [0.0; 3];
        standard_normals(&mut rng, &mut fresh);
        let rho = if m % per_chain == 0 { 0.0 } else { rho };
        state.iter_mut().zip(&fresh).for_each(|(x, z)| *x = rho * *x + (1.0 - rho * rho).sqrt() * z);
        let [x, y] = law(state.map(|x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)));
        means.extend([x, 10.0 + y]);
    }
    let ones = vec![1.0; 8 * per_chain];
    let ensemble =
        Ensemble::builder(1).atoms_per_draw(2).weights(&ones).means(&means).covariances(&ones).build().unwrap();
    in_chains(ensemble, 4)
}
