//! What users run, each beside the limit that it shall keep: processor time of user and system, one line for each.

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::slice::{Freeze, SLICERS, Scheme, slicer};
use mixgist::{
    AtomCount, Ensemble, Estimator, Loss, Order, Posterior, Route, Settings, Silent, SliceCount, SlicedDistance,
};
use rand_distr::{Distribution, Gamma};

use crate::draws::{evenly_weighted, posterior_like};
use crate::{fastest, machine};

/// Seconds of the processor, of the program itself and of the system for it.
#[derive(Clone, Copy)]
pub struct Processor {
    pub user: f64,
    pub system: f64,
}

impl Processor {
    /// Used so far by this process; zero where the system does not tell.
    pub fn now() -> Self {
        // Clock ticks are hundredths of a second on every Linux system of today.
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or("").split_whitespace().collect();
        let seconds = |field: usize| fields.get(field).and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0) / 100.0;
        Processor { user: seconds(11), system: seconds(12) }
    }

    fn of(job: impl FnOnce()) -> Self {
        let start = Self::now();
        job();
        let end = Self::now();
        Processor { user: end.user - start.user, system: end.system - start.system }
    }

    pub fn both(self) -> f64 {
        self.user + self.system
    }
}

/// Prints every line, or those whose name contains a word.
pub fn table(word: Option<&str>) {
    println!("{}\n", machine());
    println!("{:<84} {:>9} {:>9} {:>7} {:>8}", "work", "figure", "limit", "ratio", "system");
    for (name, limit, unit, job) in LINES {
        if word.is_none_or(|word| name.contains(word)) {
            let (figure, used) = job();
            let system = if used.both() > 0.0 { 100.0 * used.system / used.both() } else { 0.0 };
            let figures = format!("{figure:>7.2} {unit:<1} {limit:>7.1} {unit:<1} {:>7.2}", figure / limit);
            println!("{name:<84} {figures} {system:>6.0} %");
        }
    }
}

type Line = (&'static str, f64, &'static str, fn() -> (f64, Processor));

/// Name, limit, unit and what is measured: seconds of processor time, or how many times one thing takes the time of another.
const LINES: [Line; 21] = [
    ("defaults, 1000 draws of 100 atoms, d = 2", 1.2, "s", || defaults(&posterior_like(1000, 100, 2, 1))),
    ("defaults, 4000 draws of 5 like atoms, d = 1", 1.5, "s", || defaults(&finite(4000, 5, 1))),
    ("defaults, 4000 draws of 5 like atoms, d = 2", 1.5, "s", || defaults(&finite(4000, 5, 2))),
    ("defaults, 4000 draws of 5 like atoms, d = 10", 3.0, "s", || defaults(&finite(4000, 5, 10))),
    ("defaults, 4000 draws of 6 atoms, d = 1 (as of the galaxies)", 1.0, "s", || defaults(&finite(4000, 6, 1))),
    ("defaults, 1000 draws of 20 atoms, d = 10", 2.0, "s", || defaults(&posterior_like(1000, 20, 10, 1))),
    ("defaults, 4000 draws of 20 atoms, d = 10", 6.0, "s", || defaults(&posterior_like(4000, 20, 10, 1))),
    ("defaults, 1000 draws of 20 atoms, d = 20", 4.0, "s", || defaults(&posterior_like(1000, 20, 20, 1))),
    ("whole, 100 slices, 20,000 draws of 20 atoms, d = 10", 15.0, "s", || {
        whole(&posterior_like(20_000, 20, 10, 1), &fixed(100))
    }),
    ("free path beyond medoid and floor, 1000 slices, 1000 draws of 20 atoms, d = 10", 3.0, "s", || {
        let draws = posterior_like(1000, 20, 10, 1);
        let ((all, used), (medoid, _)) = (whole(&draws, &free_path()), whole(&draws, &fixed(1000)));
        (all - medoid, used)
    }),
    ("medoid, 100 slices, 100,000 draws of 20 atoms, d = 2", 60.0, "s", || {
        medoid(&posterior_like(100_000, 20, 2, 1), 100, Route::Auto)
    }),
    ("medoid, 100 slices, 1000 draws of 20 atoms, d = 50", 1.0, "s", || {
        medoid(&posterior_like(1000, 20, 50, 1), 100, Route::Auto)
    }),
    ("projections against a matrix product (nalgebra), 100 slices, 20,000 atoms, d = 50", 3.0, "x", projections),
    ("1600 slices against 400, medoid, 1000 draws of 100 atoms, d = 2", 4.5, "x", || {
        let draws = posterior_like(1000, 100, 2, 1);
        ratio(medoid(&draws, 1600, Route::Auto), medoid(&draws, 400, Route::Auto))
    }),
    ("1000 slices against 100, medoid, 1000 draws of 8 like atoms, d = 2", 10.5, "x", || {
        let draws = finite(1000, 8, 2);
        ratio(medoid(&draws, 1000, Route::Auto), medoid(&draws, 100, Route::Auto))
    }),
    ("whole against medoid, 100 slices, 10,000 draws of 100 atoms, d = 2", 1.5, "x", || {
        let draws = posterior_like(10_000, 100, 2, 1);
        ratio(whole(&draws, &fixed(100)), medoid(&draws, 100, Route::Auto))
    }),
    ("certified against pairs, 1000 slices, 1000 draws of 20 atoms, d = 10", 0.2, "x", || {
        let draws = posterior_like(1000, 20, 10, 1);
        ratio(medoid(&draws, 1000, Route::Certified), medoid(&draws, 1000, Route::Pairs))
    }),
    ("medoid, 100 slices, 1000 draws of 100 like atoms, d = 2", 0.5, "s", || {
        medoid(&evenly_weighted(1000, 100, 2, 1), 100, Route::Auto)
    }),
    ("all distances, 100 slices, 1000 draws of 100 like atoms, d = 2", 3.0, "s", || {
        let draws = evenly_weighted(1000, 100, 2, 1);
        timed(|| {
            let slices = freeze(&draws, 100);
            SlicedDistance::new(&*slices, Order::TWO).matrix(&draws, &Silent).expect("the draws are valid");
        })
    }),
    ("power loss, 100 slices, 1000 draws of 100 atoms, d = 2", 0.2, "s", || {
        let settings = fixed(100).with_loss(Loss::Power);
        whole(&posterior_like(1000, 100, 2, 1), &settings)
    }),
    ("all distances, 100 slices, 1000 draws of 100 atoms, d = 2", 1.0, "s", || {
        let draws = posterior_like(1000, 100, 2, 1);
        timed(|| {
            let slices = freeze(&draws, 100);
            SlicedDistance::new(&*slices, Order::TWO).matrix(&draws, &Silent).expect("the draws are valid");
        })
    }),
];

fn fixed(slices: usize) -> Settings {
    Settings::default().with_slices(SliceCount::Fixed(slices))
}

fn timed(job: impl FnOnce()) -> (f64, Processor) {
    let used = Processor::of(job);
    (used.both(), used)
}

fn defaults(draws: &Ensemble) -> (f64, Processor) {
    whole(draws, &Settings::default())
}

fn whole(draws: &Ensemble, settings: &Settings) -> (f64, Processor) {
    timed(|| {
        let posterior = Posterior::new(draws, None, settings.clone()).expect("the settings are valid");
        posterior.summary(&Silent).expect("the draws are valid");
    })
}

fn medoid(draws: &Ensemble, slices: usize, route: Route) -> (f64, Processor) {
    timed(|| {
        let slices = freeze(draws, slices);
        let distance = SlicedDistance::new(&*slices, Order::TWO);
        distance.medoid(draws, Loss::Distance, route, &Silent).expect("the draws are valid");
    })
}

fn freeze(draws: &Ensemble, slices: usize) -> Box<dyn mixgist::slice::Slices> {
    let freeze = Freeze { dim: draws.dim(), slices: 0..slices, seed: 0, scheme: Scheme::default() };
    slicer("smix-w").expect("a registered name").freeze(&freeze)
}

fn ratio((one, used): (f64, Processor), (other, _): (f64, Processor)) -> (f64, Processor) {
    (one / other, used)
}

/// All atoms through 100 slices of dimension 50, and a matrix product with as many multiplications, each on one thread, the fastest of three.
fn projections() -> (f64, Processor) {
    let (draws, count) = (posterior_like(1000, 20, 50, 1), 100);
    let slices = freeze(&draws, count);
    let coordinates = slices.coordinates(draws.atoms());
    let atoms = coordinates.atoms();
    let mut out = vec![0.0; count * atoms];
    let start = Processor::now();
    let own = fastest(3, || slices.project(0..count, &coordinates, &mut out));
    let end = Processor::now();
    // Means, and the lower factors of the covariances.
    let width = 50 + 50 * 51 / 2;
    let columns: Vec<f64> = (0..width).flat_map(|c| coordinates.column(c).iter().copied()).collect();
    let left = nalgebra::DMatrix::from_vec(atoms, width, columns);
    let right = nalgebra::DMatrix::from_fn(width, count, |i, j| ((i + j) % 7) as f64 - 3.0);
    let mut product = nalgebra::DMatrix::zeros(atoms, count);
    let peer = fastest(3, || left.mul_to(&right, &mut product));
    (own / peer, Processor { user: end.user - start.user, system: end.system - start.system })
}

/// Draws as Stan gives them for a finite mixture of `atoms` separate components: weights around one over their number.
fn finite(draws: usize, atoms: usize, dim: usize) -> Ensemble {
    const OBSERVATIONS: f64 = 60.0;
    let gamma = Gamma::new(OBSERVATIONS, 1.0).expect("a positive shape");
    let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
    for m in 0..draws {
        let mut rng = stream(7, Purpose::Simulation, m as u64);
        for k in 0..atoms {
            weights.push(gamma.sample(&mut rng));
            let mut noise = vec![0.0; 2 * dim];
            standard_normals(&mut rng, &mut noise);
            means.extend((0..dim).map(|a| 3.0 * ((k * (a + 1)) % atoms) as f64 + noise[a] / OBSERVATIONS.sqrt()));
            let scale = |a: usize| (1.0 + 0.2 * k as f64) * (1.0 + noise[dim + a] / OBSERVATIONS.sqrt()).abs().max(0.1);
            covariances.extend((0..dim * dim).map(|e| if e % (dim + 1) == 0 { scale(e / dim) } else { 0.0 }));
        }
    }
    Ensemble::builder(dim)
        .atoms_per_draw(atoms)
        .weights(&weights)
        .means(&means)
        .covariances(&covariances)
        .build()
        .expect("draws are valid")
}

/// What is profiled: its name, its draws, its settings.
type Profiled = (&'static str, fn() -> Ensemble, Settings);

/// Prints where the time of runs goes.
pub fn profile(word: Option<&str>) {
    println!("{}", machine());
    let runs: [Profiled; 12] = [
        ("defaults, 1000 draws of 100 atoms, d = 2", || posterior_like(1000, 100, 2, 1), Settings::default()),
        ("defaults, 4000 draws of 5 like atoms, d = 2", || finite(4000, 5, 2), Settings::default()),
        ("defaults, 4000 draws of 5 like atoms, d = 10", || finite(4000, 5, 10), Settings::default()),
        ("defaults, 1000 draws of 20 atoms, d = 10", || posterior_like(1000, 20, 10, 1), Settings::default()),
        ("defaults, 1000 draws of 20 atoms, d = 20", || posterior_like(1000, 20, 20, 1), Settings::default()),
        ("1000 slices, 1000 draws of 20 atoms, d = 10", || posterior_like(1000, 20, 10, 1), fixed(1000)),
        ("400 slices, 1000 draws of 100 atoms, d = 2", || posterior_like(1000, 100, 2, 1), fixed(400)),
        ("100 slices, 1000 draws of 100 like atoms, d = 2", || evenly_weighted(1000, 100, 2, 1), fixed(100)),
        ("1600 slices, 1000 draws of 100 atoms, d = 2", || posterior_like(1000, 100, 2, 1), fixed(1600)),
        ("100 slices, 20,000 draws of 20 atoms, d = 10", || posterior_like(20_000, 20, 10, 1), fixed(100)),
        ("100 slices, 100,000 draws of 20 atoms, d = 2", || posterior_like(100_000, 20, 2, 1), fixed(100)),
        ("free path, 1000 slices, 1000 draws of 20 atoms, d = 10", || posterior_like(1000, 20, 10, 1), free_path()),
    ];
    for (title, draws, settings) in runs {
        if word.is_none_or(|word| title.contains(word)) {
            crate::profile::of_summary(title, &draws(), &settings);
        }
    }
}

fn free_path() -> Settings {
    fixed(1000).with_estimator(Estimator::Free(AtomCount::default()))
}

/// Prints, for each distance and dimension, what slices of every scheme are worth: the error of the expected loss over seeds with about as many slices, and
/// how many independent slices have that error.
pub fn slices() {
    const SEEDS: u64 = 32;
    println!("error of the expected loss over {SEEDS} seeds, 60 draws of 20 atoms, units of standard deviations");
    println!(
        "{:<18} {:>3} {:<11} {:>6} {:>9} {:>9} {:>16}",
        "distance", "d", "scheme", "slices", "error", "µs/slice", "worth iid slices"
    );
    for d in [1, 2, 5, 10, 50] {
        let raw = posterior_like(60, 20, d, 1);
        let units = mixgist::ResolvedUnits::new(&mixgist::Units::Sd, &raw, None).expect("draws have a spread");
        let draws = units.apply(&raw).expect("the draws are valid");
        for law in SLICERS {
            let mut of_one = 0.0;
            for scheme in [Scheme::Iid, Scheme::Orthogonal, Scheme::Qmc, Scheme::Balanced] {
                let settings = Settings::default().with_slicer(law.into()).with_scheme(scheme);
                let count = settings.slice_count(d).expect("a registered name");
                let mut losses = Vec::new();
                let (seconds, _) = timed(|| {
                    for seed in 0..SEEDS {
                        let slices = law.freeze(&Freeze { dim: d, slices: 0..count, seed, scheme });
                        let row = SlicedDistance::new(&*slices, Order::TWO).draw_rows(&[0], &draws, &Silent);
                        let row = row.expect("the draws are valid");
                        losses.push(row.iter().sum::<f64>() / row.len() as f64);
                    }
                });
                let mean = losses.iter().sum::<f64>() / SEEDS as f64;
                let variance = losses.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (SEEDS - 1) as f64;
                let error = variance.sqrt() / mean;
                if scheme == Scheme::Iid {
                    of_one = error * error * count as f64;
                }
                println!(
                    "{:<18} {d:>3} {:<11} {count:>6} {:>7.3} % {:>9.1} {:>16.0}",
                    law.name(),
                    scheme.name(),
                    100.0 * error,
                    1e6 * seconds / (SEEDS as f64 * count as f64),
                    of_one / (error * error)
                );
            }
        }
    }
}
