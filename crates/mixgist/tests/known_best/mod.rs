//! Posteriors whose best draw is known, to see how often a choice that is called safe, or a near-tie that is called harmless, is wrong.

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{ChoiceVerdict, Ensemble, Settings, Silent, SliceCount, Units, summarize};
use rand::RngExt;

/// A posterior: G is one atom, whose place has some law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// So many points of the plane at random, with random probabilities.
    Points(usize),
    /// Normal clouds around so many such points, each a tenth as wide as the points are spread.
    Modes(usize),
    /// One normal cloud in so many dimensions.
    Normal(usize),
}

/// How the draws of a run are made.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub law: Law,
    pub draws: usize,
    pub chains: usize,
    /// Probability that a chain stays at its point or in its cloud, and its autocorrelation within a cloud.
    pub stay: f64,
}

/// What came of some runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    pub runs: usize,
    pub safe: usize,
    /// Safe, though another draw is the best one under the posterior itself.
    pub safe_wrong: usize,
    pub alike: usize,
    /// Called a harmless near-tie, though the best draw under the posterior itself is not alike.
    pub alike_wrong: usize,
    /// Safe if slices alone were looked at, though another draw is the best one.
    pub wrong_over_slices: usize,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.runs += other.runs;
        self.safe += other.safe;
        self.safe_wrong += other.safe_wrong;
        self.alike += other.alike;
        self.alike_wrong += other.alike_wrong;
        self.wrong_over_slices += other.wrong_over_slices;
    }
}

/// The largest rate at which so few of so many answers would be wrong with probability 0.05 (Clopper and Pearson).
pub fn upper_bound(wrong: usize, of: usize) -> f64 {
    let at_most = |rate: f64| -> f64 {
        let mut term = (1.0 - rate).powi(of as i32);
        let mut sum = term;
        for k in 0..wrong {
            term *= (of - k) as f64 / (k + 1) as f64 * rate / (1.0 - rate);
            sum += term;
        }
        sum
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_most(middle) > 0.05 { low = middle } else { high = middle }
    }
    if wrong >= of { 1.0 } else { high }
}

pub struct Posterior {
    dim: usize,
    centers: Vec<f64>,
    probabilities: Vec<f64>,
    width: f64,
}

impl Posterior {
    fn new(law: Law, rng: &mut impl rand::Rng) -> Self {
        let (dim, count, width) = match law {
            Law::Points(count) => (2, count, 0.0),
            Law::Modes(count) => (2, count, 0.1),
            Law::Normal(dim) => (dim, 1, 1.0),
        };
        let mut centers = vec![0.0; dim * count];
        if count > 1 {
            standard_normals(rng, &mut centers);
        }
        let mut probabilities: Vec<f64> = (0..count).map(|_| 0.2 + rng.random::<f64>()).collect();
        let total: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|p| *p /= total);
        Posterior { dim, centers, probabilities, width }
    }

    fn pick(&self, u: f64) -> usize {
        let mut below = 0.0;
        let found = self.probabilities.iter().position(|p| {
            below += p;
            u < below
        });
        found.unwrap_or(self.probabilities.len() - 1)
    }

    fn center(&self, k: usize) -> &[f64] {
        &self.centers[k * self.dim..(k + 1) * self.dim]
    }

    /// Expected distance of a place from a draw; the law of one normal cloud is known by the place's distance from its centre.
    fn loss(&self, place: &[f64], noise: &[f64]) -> f64 {
        if self.probabilities.len() == 1 {
            return gap(place, &self.centers);
        }
        let one = |k: usize| -> f64 {
            if self.width == 0.0 {
                return gap(place, self.center(k));
            }
            let toward = |z: &[f64]| {
                let at: Vec<f64> = self.center(k).iter().zip(z).map(|(c, z)| c + self.width * z).collect();
                gap(place, &at)
            };
            noise.chunks(self.dim).map(toward).sum::<f64>() / (noise.len() / self.dim) as f64
        };
        (0..self.probabilities.len()).map(|k| self.probabilities[k] * one(k)).sum()
    }
}

fn gap(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

/// Points of the plane that stand for a normal law: as many as make the expected distances from clouds right to a ten thousandth of their width.
const NOISE: usize = 1000;

/// Runs with seeds of their own. Chains stay with some probability and else draw afresh, so that the posterior is their stationary law and its best draw is known:
/// between measures of one atom each distance is ‖x − y‖ up to a factor when there are many slices.
pub fn run(case: Case, seeds: std::ops::Range<u64>) -> Tally {
    // Evenly spread: radii at the middles of equal probabilities, angles by the golden ratio.
    let noise: Vec<f64> = (0..NOISE)
        .flat_map(|i| {
            let radius = (-2.0 * (1.0 - (i as f64 + 0.5) / NOISE as f64).ln()).sqrt();
            let angle = std::f64::consts::TAU * (i as f64 * 0.618_033_988_749_894_9).fract();
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect();
    let mut tally = Tally::default();
    seeds.for_each(|seed| tally.add(one(case, seed, &noise)));
    tally
}

/// The law, and draws from it with the place of each.
pub fn sample(case: Case, seed: u64) -> (Posterior, Ensemble, Vec<f64>) {
    let Case { law, draws, chains, stay } = case;
    let mut rng = stream(seed, Purpose::Simulation, 77);
    let posterior = Posterior::new(law, &mut rng);
    let dim = posterior.dim;
    let (mut at, mut state) = (0, vec![0.0; dim]);
    let mut means = Vec::with_capacity(draws * dim);
    for m in 0..draws {
        let start = m % (draws / chains) == 0;
        if start || rng.random::<f64>() >= stay {
            at = posterior.pick(rng.random());
        }
        let mut fresh = vec![0.0; dim];
        standard_normals(&mut rng, &mut fresh);
        let rho = if start { 0.0 } else { stay };
        state.iter_mut().zip(&fresh).for_each(|(x, z)| *x = rho * *x + (1.0 - rho * rho).sqrt() * z);
        means.extend(posterior.center(at).iter().zip(&state).map(|(c, x)| c + posterior.width * x));
    }
    let unit = (0..dim * dim).map(|i| f64::from(u8::from(i % (dim + 1) == 0)));
    let covariances: Vec<f64> = (0..draws).flat_map(|_| unit.clone()).collect();
    let ensemble = Ensemble::builder(dim)
        .atoms_per_draw(1)
        .weights(vec![1.0; draws])
        .means(&means)
        .covariances(&covariances)
        .build()
        .unwrap();
    let owners = (0..draws).map(|m| (m / (draws / chains)) as u32).collect();
    let ensemble = ensemble.with_chains(owners, (0..draws as u64).collect()).unwrap();
    (posterior, ensemble, means)
}

fn one(case: Case, seed: u64, noise: &[f64]) -> Tally {
    let (posterior, ensemble, means) = sample(case, seed);
    let (dim, draws) = (posterior.dim, case.draws);
    let settings = Settings::default().with_slices(SliceCount::Fixed(64)).with_units(Units::None).with_seed(seed);
    let summary = summarize(&ensemble, None, &settings, &Silent).unwrap();
    let mut tally = Tally { runs: 1, ..Tally::default() };
    let Some(margin) = summary.medoid.margin else { return tally };
    let place = |m: usize| &means[m * dim..(m + 1) * dim];
    let losses: Vec<f64> = (0..draws).map(|m| posterior.loss(place(m), noise)).collect();
    let best = (0..draws).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap();
    let chosen = summary.medoid.draw;
    let right = place(chosen) == place(best);
    match margin.verdict {
        ChoiceVerdict::Safe => {
            tally.safe = 1;
            tally.safe_wrong = usize::from(!right);
        }
        ChoiceVerdict::Alike => {
            let mut far: Vec<f64> = (0..draws).map(|m| gap(place(chosen), place(m))).collect();
            let to_best = far[best];
            let nearer = far.iter().filter(|&&gap| gap < to_best).count();
            far.sort_by(f64::total_cmp);
            // A little beyond the limit of the verdict, which knows distances over slices only.
            let alike = to_best <= 0.55 * far[(draws * 95).div_ceil(100) - 1] || 100 * nearer <= 6 * draws;
            tally.alike = 1;
            tally.alike_wrong = usize::from(!alike);
        }
        _ => {}
    }
    let over_slices = summary.medoid.runner_up.unwrap().separation.is_some_and(|s| s >= 3.0);
    tally.wrong_over_slices = usize::from(over_slices && !right);
    tally
}
