//! What free-support estimates cost: seconds by phase, for given draws or for large simulated ones. Beside the time that passed stands
//! the processor time of all threads, which other programs on the machine disturb less.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use mixgist::density::{Bounds, total_variation};
use mixgist::slice::slicer;
use mixgist::{
    AtomCount, Ensemble, Estimator, FreeSupport, GridDensity, Loss, MixingMeasure, Points, Progress, Settings, Silent,
    SliceCount, Summary, summarize,
};
use mixgist_io::{DataTable, ReadOptions, read_data, read_draws};

use crate::draws::posterior_like;
use crate::peak_memory;

/// A moment, by the clock and by the processor time of this process.
#[derive(Clone, Copy)]
struct Moment {
    clock: Instant,
    /// Seconds; 0 where the system does not tell.
    processor: f64,
}

impl Moment {
    fn now() -> Self {
        Moment { clock: Instant::now(), processor: processor_seconds().unwrap_or(0.0) }
    }
}

/// Time that the threads of this process have run, in user mode and in the system.
fn processor_seconds() -> Option<f64> {
    let nanoseconds = |task: std::io::Result<std::fs::DirEntry>| -> Option<f64> {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    let total: f64 = std::fs::read_dir("/proc/self/task").ok()?.filter_map(nanoseconds).sum();
    Some(total / 1e9)
}

/// Moments at which phases began.
#[derive(Default)]
struct Stopwatch(Mutex<Vec<(String, Moment)>>);

impl Progress for Stopwatch {
    fn begin(&self, phase: &str, _total: u64) {
        self.0.lock().expect("no panic").push((phase.to_owned(), Moment::now()));
    }
}

impl Stopwatch {
    /// Seconds by phase, phases of the same name added up; returns them.
    fn print(&self, end: Moment) -> Vec<(String, [f64; 2])> {
        let phases = self.0.lock().expect("no panic");
        let mut seconds: Vec<(String, [f64; 2])> = Vec::new();
        for (i, (name, start)) in phases.iter().enumerate() {
            let stop = phases.get(i + 1).map_or(end, |next| next.1);
            let times = [stop.clock.duration_since(start.clock).as_secs_f64(), stop.processor - start.processor];
            match seconds.iter_mut().find(|known| known.0 == *name) {
                Some(known) => known.1.iter_mut().zip(times).for_each(|(sum, time)| *sum += time),
                None => seconds.push((name.clone(), times)),
            }
        }
        println!("  passed    processor");
        seconds.iter().for_each(|(name, [passed, processor])| println!("  {passed:7.3} s {processor:7.3} s  {name}"));
        seconds
    }
}

/// The phases that fit the path, after the sweep and before the fits are judged on all slices and on others.
const FITTING: [&str; 3] = ["mean quantile functions", "free-support fits", "distances of the fits"];

/// The phase in which they are judged.
const JUDGING: &str = "expected losses";

/// The path k = 1 … 15 for draws from a file, and with data the expected total variation between densities on a grid over them.
pub fn from_file(file: &str, data: Option<&str>) {
    let draws = read_draws(&[Path::new(file)], &ReadOptions::default()).expect("the draws can be read");
    let data = data
        .map(|path| read_data(Path::new(path), &ReadOptions::default()).expect("the data can be read"))
        .or(draws.data);
    for distance in ["mix-sw", "smix-w", "sw"] {
        for slices in [100, 1000] {
            run(&draws.ensemble, data.as_ref(), distance, slices);
        }
    }
}

/// The path for 1000 and for 10,000 draws of 100 atoms.
pub fn large() {
    for draws in [1000, 10_000] {
        run(&posterior_like(draws, 100, 2, 1), None, "smix-w", 100);
    }
}

fn run(ensemble: &Ensemble, data: Option<&DataTable>, distance: &str, slices: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    for loss in [Loss::Power, Loss::Distance] {
        let settings = Settings {
            slicer: slicer(distance).expect("a registered name"),
            slices: SliceCount::Fixed(slices),
            estimator: Estimator::Free(AtomCount::default()),
            loss,
            ..Settings::default()
        };
        let watch = Stopwatch::default();
        let start = Moment::now();
        let summary = pool.install(|| summarize(ensemble, None, &settings, &watch)).expect("the draws are valid");
        let end = Moment::now();
        let free = summary.free().expect("it was asked for");
        println!(
            "{distance}, {} loss, {slices} slices, {} draws, two threads: {:.2} s",
            loss.name(),
            ensemble.len(),
            end.clock.duration_since(start.clock).as_secs_f64(),
        );
        let phases = watch.print(end);
        let sum = |judging: bool| {
            let own =
                phases.iter().filter(|(name, _)| FITTING.contains(&name.as_str()) || (judging && name == JUDGING));
            own.fold([0.0; 2], |[a, b], (_, [c, d])| [a + c, b + d])
        };
        let length = free.path.len();
        for (judging, words) in [(false, "before it is judged"), (true, "with its judgement on these and other slices")]
        {
            let [passed, processor] = sum(judging);
            println!("  {passed:7.3} s {processor:7.3} s  = the path k = 1 … {length} after the sweep, {words}");
        }
        print_quality(&summary, free);
        if let Some(data) = data.filter(|data| data.columns() == ensemble.dim() && ensemble.dim() <= 2) {
            print_variation(&summary, free, ensemble, data);
        }
    }
    println!("  peak memory so far {}", peak_memory().map_or("unknown".into(), |gb| format!("{gb:.1} GB")));
}

/// Above the floor on the fitted slices, and against the medoid on slices that were held out.
fn print_quality(summary: &Summary, free: &FreeSupport) {
    let medoid = summary.assessment.as_ref().map_or(f64::NAN, |assessment| assessment.medoid.excess);
    println!("  medoid: {:.2} % above the floor", 100.0 * medoid);
    for point in &free.path {
        let held = point.judgement.held_out.expect("the path is judged on held-out slices");
        println!(
            "  {:2} atoms: {:6.2} % above the floor, held out {:.4}, {:+.2} % against the medoid{}",
            point.atoms,
            100.0 * point.judgement.excess,
            held.expected_loss,
            100.0 * held.over_medoid / (held.expected_loss - held.over_medoid),
            if point.atoms == free.path[free.chosen].atoms { " (chosen)" } else { "" }
        );
    }
}

/// Mean total variation, as the integral of the absolute difference, between the density of an estimate and those of all draws.
fn print_variation(summary: &Summary, free: &FreeSupport, ensemble: &Ensemble, data: &DataTable) {
    const STEPS: usize = 100;
    let points = Points::new(data.columns(), data.values()).expect("the data are valid");
    let coordinates: Vec<usize> = (0..ensemble.dim()).collect();
    let grid = Bounds::of_points(points).and_then(|bounds| bounds.grid(&coordinates, STEPS)).expect("a grid");
    let density = |measure: &MixingMeasure| GridDensity::of_measure(measure, &grid, &Silent).expect("a density");
    let medoid = ensemble.draw(summary.medoid.draw);
    let named: Vec<(String, GridDensity)> = std::iter::once(("medoid".to_owned(), density(&medoid)))
        .chain(free.path.iter().map(|point| (format!("{} atoms", point.atoms), density(&point.measure))))
        .collect();
    let weights = ensemble.draw_weights();
    let mut sums = vec![0.0; named.len()];
    for m in 0..ensemble.len() {
        let weight = weights.map_or(1.0 / ensemble.len() as f64, |weights| weights[m]);
        let own = density(&ensemble.draw(m));
        for (sum, (_, estimate)) in sums.iter_mut().zip(&named) {
            *sum += weight * 2.0 * total_variation(estimate, &own).expect("one grid");
        }
    }
    print!("  E‖f − f_m‖₁ on a grid of {STEPS} steps:");
    named.iter().zip(&sums).for_each(|((name, _), sum)| print!(" {name} {sum:.4},"));
    println!(" over {} draws", ensemble.len());
}
