//! The tables of docs/components.md: the aligned estimate beside medoid and free on ten posteriors, how well existence and the number of components are found, how often
//! intervals hold the truth, and what the answers cost. `cargo xtask bench components` runs it; `components quality | counts | coverage | cost | large` is one of its parts.

use std::path::Path;

use mixgist::components::{PosteriorInterval, Rules, components};
use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{
    AtomCount, CovarianceForm, Ensemble, Estimator, GaussianAtoms, MixingMeasure, Mixture, Points, Posterior, Result,
    Settings, Silent, Units, expected_variation, mass_without_draws, membership_posterior, sample_points,
};
use mixgist_samplers::{FitSettings, fit};
use rand::{Rng, RngExt};

fn main() -> Result<()> {
    let which = std::env::args().nth(1);
    let wants = |part: &str| which.as_deref().is_none_or(|word| word == part);
    if wants("quality") {
        quality()?;
    }
    if wants("counts") {
        existence()?;
        numbers()?;
    }
    if wants("coverage") {
        coverage()?;
    }
    if wants("cost") {
        cost(1000, 272, 100)?;
    }
    if wants("large") {
        cost(10_000, 272, 100)?;
        cost(1000, 1_000_000, 10)?;
    }
    Ok(())
}

/// An atom: weight, mean on the first coordinate, standard deviation.
type Atom = (f64, f64, f64);

fn measure(dim: usize, atoms: &[Atom]) -> Result<MixingMeasure> {
    let mean = |a: &Atom| (0..dim).map(|i| if i == 0 { a.1 } else { 0.0 }).collect::<Vec<_>>();
    let covariance =
        |a: &Atom| (0..dim * dim).map(|i| if i.is_multiple_of(dim + 1) { a.2 * a.2 } else { 0.0 }).collect::<Vec<_>>();
    let (means, covariances) = (atoms.iter().flat_map(mean).collect(), atoms.iter().flat_map(covariance).collect());
    let stored = GaussianAtoms::new(dim, means, covariances, CovarianceForm::Covariance)?;
    MixingMeasure::new(atoms.iter().map(|a| a.0).collect(), stored)
}

/// Three components at these places. Their weights are Dirichlet(precision · (0.5, 0.3, 0.2)), means have a standard deviation of 0.1; some mass is junk anywhere,
/// and the third is there with some probability. Atoms come in random order.
struct Law {
    name: &'static str,
    dim: usize,
    places: [f64; 3],
    precision: usize,
    junk: f64,
    third: f64,
}

impl Law {
    fn draw(&self, rng: &mut impl Rng) -> Result<MixingMeasure> {
        let gamma = |shape: usize, rng: &mut dyn FnMut() -> f64| (0..shape).map(|_| -(1.0 - rng()).ln()).sum::<f64>();
        let shapes = [0.5, 0.3, 0.2].map(|share| (share * self.precision as f64).round() as usize);
        let weights = shapes.map(|shape| gamma(shape, &mut || rng.random::<f64>()));
        let mut z = [0.0; 6];
        standard_normals(rng, &mut z);
        let mut atoms: Vec<Atom> =
            (0..3).map(|k| (weights[k], self.places[k] + 0.1 * z[k], (0.1 * z[3 + k]).exp())).collect();
        if rng.random::<f64>() >= self.third {
            atoms.truncate(2);
        }
        let total: f64 = atoms.iter().map(|a| a.0).sum();
        atoms.iter_mut().for_each(|a| a.0 *= (1.0 - self.junk) / total);
        if self.junk > 0.0 {
            atoms.extend(
                (0..4).map(|_| (self.junk / 4.0, 60.0 * (rng.random::<f64>() - 0.5), 0.2 + rng.random::<f64>())),
            );
        }
        for i in (1..atoms.len()).rev() {
            atoms.swap(i, rng.random_range(0..=i));
        }
        measure(self.dim, &atoms)
    }

    fn ensemble(&self, draws: usize, seed: u64) -> Result<Ensemble> {
        let mut rng = stream(seed, Purpose::Simulation, 40);
        Ensemble::from_measures(&(0..draws).map(|_| self.draw(&mut rng)).collect::<Result<Vec<_>>>()?)
    }
}

const USUAL: Law = Law { name: "", dim: 1, places: [0.0, 6.0, 12.0], precision: 2000, junk: 0.0, third: 1.0 };

const LAWS: [Law; 8] = [
    Law { name: "well separated", ..USUAL },
    Law { name: "uncertain weights", precision: 200, ..USUAL },
    Law { name: "2 % of junk", precision: 200, junk: 0.02, ..USUAL },
    Law { name: "overlapping", places: [0.0, 2.8, 5.6], precision: 200, ..USUAL },
    Law { name: "third in 70 % of draws", precision: 200, third: 0.7, ..USUAL },
    Law { name: "third in 30 % of draws", precision: 200, third: 0.3, ..USUAL },
    Law { name: "in the plane, 2 % of junk", dim: 2, precision: 200, junk: 0.02, ..USUAL },
    Law { name: "ten dimensions", dim: 10, precision: 200, ..USUAL },
];

/// The aligned estimate beside medoid and free.
fn quality() -> Result<()> {
    println!(
        "| posterior | d | atoms: aligned | medoid | free | above the floor: aligned | medoid | free | E[TV]: aligned | medoid | free | mass without draws: aligned | free |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (law, seed) in LAWS.iter().zip(1..) {
        row(law.name, &law.ensemble(400, seed)?, None)?;
    }
    for name in ["faithful", "galaxies"] {
        let (dim, data) = data(name);
        let found = fit(&data, dim, &FitSettings::usual(), None, &Silent)?;
        row(name, &found.ensemble, Some(Points::new(dim, &data)?))?;
    }
    Ok(())
}

fn data(name: &str) -> (usize, Vec<f64>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../datasets/{name}.csv"));
    let text = std::fs::read_to_string(&path).expect("the data set is in the repository");
    let mut lines = text.lines();
    let dim = lines.next().map_or(0, |head| head.split(',').count());
    (dim, lines.flat_map(|line| line.split(',').map(|field| field.parse().expect("a number"))).collect())
}

fn row(name: &str, ensemble: &Ensemble, points: Option<Points>) -> Result<()> {
    let of = |estimator: Estimator| {
        let settings = Settings::default().with_estimator(estimator);
        Ok(Posterior::new(ensemble, points, settings)?.summary(&Silent)?.clone())
    };
    let all = [of(Estimator::Aligned)?, of(Estimator::Medoid)?, of(Estimator::Free(AtomCount::default()))?];
    let excess = all.each_ref().map(|one| format!("{:.1} %", 100.0 * one.judgement().map_or(f64::NAN, |j| j.excess)));
    // A medoid has atoms of next to no weight.
    let atoms = all.each_ref().map(|one| one.estimate.weights().iter().filter(|w| **w >= 0.01).count().to_string());
    let mut tv = Vec::new();
    for one in &all {
        tv.push(format!("{:.3}", expected_variation(&one.estimate, ensemble, 0, &Silent)?.mean));
    }
    let without = [&all[0], &all[2]].map(|one| format!("{:.3}", mass_without_draws(&one.estimate, ensemble)));
    let cells = [&atoms[..], &excess[..], &tv[..], &without[..]].concat();
    println!("| {name} | {} | {} |", ensemble.dim(), cells.join(" | "));
    Ok(())
}

/// Existence of a component that is present in a known share of the draws.
fn existence() -> Result<()> {
    println!(
        "\n| present in | mean existence found, 200 posteriors of 200 draws | its Monte Carlo interval holds the truth |"
    );
    println!("|---:|---:|---:|");
    for share in [0.1, 0.3, 0.9] {
        let law = Law { precision: 200, third: share, ..USUAL };
        let estimate = measure(1, &[(0.5, 0.0, 1.0), (0.3, 6.0, 1.0), (0.2, 12.0, 1.0)])?;
        let (mut mean, mut held) = (0.0, 0);
        for seed in 0..200 {
            let ensemble = law.ensemble(200, 1000 + seed)?;
            let found = components(&estimate, &ensemble, &Units::Sd, Rules::default(), &Silent)?;
            let third = found.components.iter().find(|one| one.atom == 2).expect("it is reported").existence;
            mean += third.value / 200.0;
            held += usize::from((third.low..=third.high).contains(&share));
        }
        println!("| {:.0} % | {:.1} % | {held} of 200 |", 100.0 * share, 100.0 * mean);
    }
    Ok(())
}

/// How often intervals of level 0.9 hold the truth, which is one more draw: 400 posteriors of 200 draws. Two components on the line, at 0 and 5, and a group of two atoms
/// at 20 that cannot be told apart.
fn coverage() -> Result<()> {
    const POSTERIORS: u64 = 400;
    const AT: f64 = 2.4;
    let rules = Rules::default().with_level(0.9);
    let center = measure(1, &[(0.4, 0.0, 1.0), (0.3, 5.0, 1.0), (0.15, 19.9, 1.0), (0.15, 20.1, 1.0)])?;
    let names = [
        "weight of a component",
        "mean of a component",
        "weight of a group",
        "mean of a group",
        "cut between components",
        "membership of an observation",
    ];
    let mut held = [0; 6];
    for seed in 0..POSTERIORS {
        let mut rng = stream(seed, Purpose::Simulation, 42);
        let mut draw = || -> Result<(MixingMeasure, [f64; 6])> {
            let mut z = [0.0; 7];
            standard_normals(&mut rng, &mut z);
            let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
            let (group, share, part) = (logistic(-0.85 + 0.2 * z[0]), logistic(0.3 + 0.3 * z[1]), logistic(0.3 * z[2]));
            let (left, right, a, b) = (0.2 * z[3], 5.0 + 0.2 * z[4], 20.0 + 0.3 * z[5], 20.0 + 0.3 * z[6]);
            let (first, second) = ((1.0 - group) * share, (1.0 - group) * (1.0 - share));
            let atoms =
                [(first, left, 1.0), (second, right, 1.0), (group * part, a, 1.0), (group * (1.0 - part), b, 1.0)];
            let at = |weight: f64, mean: f64| weight * (-0.5 * (AT - mean).powi(2)).exp();
            let cut = 0.5 * (left + right) + (first / second).ln() / (right - left);
            let membership = at(first, left) / (at(first, left) + at(second, right));
            Ok((measure(1, &atoms)?, [first, left, group, part * a + (1.0 - part) * b, cut, membership]))
        };
        let draws = (0..200).map(|_| Ok(draw()?.0)).collect::<Result<Vec<_>>>()?;
        let (_, truth) = draw()?;
        let ensemble = Ensemble::from_measures(&draws)?;
        let found = components(&center, &ensemble, &Units::Sd, rules, &Silent)?;
        let one = found.components.iter().find(|one| one.atom == 0).and_then(|one| one.intervals.as_ref());
        let group = found.groups.first().and_then(|group| group.together.intervals.as_ref());
        let (one, group) = (one.expect("it is clear"), group.expect("two atoms cannot be told apart"));
        let cut = found.cuts[0].interval.expect("every draw has both");
        let memberships = membership_posterior(&center, &ensemble, Points::new(1, &[AT])?, &Units::Sd, rules, &Silent)?;
        let ends = |interval: &PosteriorInterval| (interval.low, interval.high);
        let all = [
            ends(&one.weight),
            ends(&one.mean[0]),
            ends(&group.weight),
            ends(&group.mean[0]),
            ends(&cut),
            (memberships.low[0], memberships.high[0]),
        ];
        for ((held, (low, high)), truth) in held.iter_mut().zip(all).zip(truth) {
            *held += u32::from((low..=high).contains(&truth));
        }
    }
    println!("\n| interval of level 90 % | holds the truth, of {POSTERIORS} posteriors |\n|---|---:|");
    names.iter().zip(held).for_each(|(name, held)| println!("| {name} | {held} |"));
    Ok(())
}

/// The number of components in posteriors of data whose number is known.
fn numbers() -> Result<()> {
    println!(
        "\n| observations | mode of occupied clusters is 3 | merge-truncate-merge finds 3 | the aligned estimate has 3 |"
    );
    println!("|---:|---:|---:|---:|");
    let truth = Mixture::new(&measure(1, &[(0.4, 0.0, 1.0), (0.35, 6.0, 1.0), (0.25, 12.0, 1.0)])?)?;
    for n in [100, 400, 1600] {
        let (mut raw, mut merged, mut aligned) = (0, 0, 0);
        const SETS: u64 = 10;
        for seed in 0..SETS {
            let values = sample_points(&truth, n, seed, &Silent)?.values;
            let settings = FitSettings::default()
                .with_chains(2)
                .with_iterations(1500)
                .with_burn_in(500)
                .with_thin(4)
                .with_seed(seed);
            let found = fit(&values, 1, &settings, None, &Silent)?;
            let settings = Settings::default().with_estimator(Estimator::Aligned);
            let posterior = Posterior::new(&found.ensemble, Some(Points::new(1, &values)?), settings)?;
            let answer = posterior.how_many(None, &Silent)?;
            raw += usize::from(answer.occupied.as_ref().is_some_and(|one| one.posterior.mode == 3));
            merged += usize::from(answer.components == 3);
            aligned += usize::from(posterior.estimate(&Silent)?.measure.len() == 3);
        }
        println!("| {n} | {raw} of {SETS} | {merged} of {SETS} | {aligned} of {SETS} |");
    }
    Ok(())
}

/// Processor time of all threads so far, in seconds, as Linux counts it; 0 elsewhere.
fn processor_seconds() -> f64 {
    let of_task = |entry: std::io::Result<std::fs::DirEntry>| -> Option<f64> {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    let tasks = std::fs::read_dir("/proc/self/task").map(|tasks| tasks.filter_map(of_task).sum::<f64>());
    1e-9 * tasks.unwrap_or(0.0)
}

/// What each answer takes on one thread, the estimate included in the first.
fn cost(draws: usize, n: usize, atoms: usize) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    pool.install(|| {
        let mut rng = stream(5, Purpose::Simulation, 41);
        let one = |rng: &mut dyn FnMut() -> f64| -> Result<MixingMeasure> {
            let mut parts: Vec<Atom> = vec![(0.6, 4.0 + 0.2 * rng(), 1.0), (0.35, -4.0 + 0.2 * rng(), 1.0)];
            let mut left = 0.05;
            while parts.len() < atoms {
                let weight = left * 0.4 * rng();
                parts.push((weight, 20.0 * rng() - 10.0, 0.3 + rng()));
                left -= weight;
            }
            measure(2, &parts)
        };
        let measures = (0..draws).map(|_| one(&mut || rng.random::<f64>())).collect::<Result<Vec<_>>>()?;
        let ensemble = Ensemble::from_measures(&measures)?;
        let values = sample_points(&Mixture::new(&measures[0])?, n, 3, &Silent)?.values;
        let points = Points::new(2, &values)?;
        let settings = Settings::default().with_estimator(Estimator::Aligned);
        let posterior = Posterior::new(&ensemble, Some(points), settings)?;
        println!("\n{draws} draws of {atoms} atoms, {n} observations, one thread:\n");
        println!("| answer | processor seconds |\n|---|---:|");
        let timed = |name: &str, job: &dyn Fn() -> Result<()>| -> Result<()> {
            let start = processor_seconds();
            job()?;
            println!("| {name} | {:.2} |", processor_seconds() - start);
            Ok(())
        };
        let rules = Rules::default();
        timed("medoid and aligned estimate", &|| posterior.estimate(&Silent).map(drop))?;
        timed("aligned draws", &|| posterior.aligned(rules, &Silent).map(drop))?;
        timed("components", &|| posterior.components(rules, &Silent).map(drop))?;
        timed("memberships", &|| posterior.memberships(rules, &Silent).map(drop))?;
        timed("how many", &|| posterior.how_many(None, &Silent).map(drop))
    })
}
