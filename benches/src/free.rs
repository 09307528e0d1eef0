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

    fn until(self, end: Moment) -> Seconds {
        [end.clock.duration_since(self.clock).as_secs_f64(), end.processor - self.processor]
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
    /// Seconds by phase, phases of the same name added up.
    fn phases(&self, end: Moment) -> Vec<(String, Seconds)> {
        let phases = self.0.lock().expect("no panic");
        let mut seconds: Vec<(String, Seconds)> = Vec::new();
        for (i, (name, start)) in phases.iter().enumerate() {
            let times = start.until(phases.get(i + 1).map_or(end, |next| next.1));
            match seconds.iter_mut().find(|known| known.0 == *name) {
                Some(known) => known.1.iter_mut().zip(times).for_each(|(sum, time)| *sum += time),
                None => seconds.push((name.clone(), times)),
            }
        }
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

/// Seconds that passed and of the processor.
type Seconds = [f64; 2];

/// A summary by a free-support estimate, and what it took.
pub struct Timed {
    summary: Summary,
    phases: Vec<(String, Seconds)>,
    /// All of it.
    pub whole: Seconds,
}

impl Timed {
    /// On two threads.
    pub fn new(ensemble: &Ensemble, distance: &str, slices: usize, loss: Loss) -> Self {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        let settings = Settings::default()
            .with_slicer(slicer(distance).expect("a registered name").into())
            .with_units(mixgist::Units::None)
            .with_slices(SliceCount::Fixed(slices))
            .with_estimator(Estimator::Free(AtomCount::default()))
            .with_loss(loss);
        let watch = Stopwatch::default();
        let start = Moment::now();
        let summary = pool.install(|| summarize(ensemble, None, &settings, &watch)).expect("the draws are valid");
        let end = Moment::now();
        Timed { summary: summary.result, phases: watch.phases(end), whole: start.until(end) }
    }

    /// The estimate.
    pub fn free(&self) -> &FreeSupport {
        self.summary.free().expect("it was asked for")
    }

    /// The path, after the sweep and before it is judged on all slices and on others.
    pub fn fitting(&self) -> Seconds {
        self.sum(|phase| FITTING.contains(&phase))
    }

    /// The path and its judgement.
    pub fn fitting_and_judging(&self) -> Seconds {
        self.sum(|phase| phase == JUDGING || FITTING.contains(&phase))
    }

    fn sum(&self, counts: impl Fn(&str) -> bool) -> Seconds {
        let own = self.phases.iter().filter(|(name, _)| counts(name));
        own.fold([0.0; 2], |[a, b], (_, [c, d])| [a + c, b + d])
    }
}

fn run(ensemble: &Ensemble, data: Option<&DataTable>, distance: &str, slices: usize) {
    for loss in [Loss::Power, Loss::Distance] {
        let timed = Timed::new(ensemble, distance, slices, loss);
        let (loss, draws, [passed, _]) = (loss.name(), ensemble.len(), timed.whole);
        println!("{distance}, {loss} loss, {slices} slices, {draws} draws, two threads: {passed:.2} s");
        println!("  passed    processor");
        let print = |[passed, processor]: Seconds, words: &str| println!("  {passed:7.3} s {processor:7.3} s  {words}");
        timed.phases.iter().for_each(|(name, seconds)| print(*seconds, name));
        let free = timed.free();
        let path = format!("= the path k = 1 … {} after the sweep,", free.path.len());
        print(timed.fitting(), &format!("{path} before it is judged"));
        print(timed.fitting_and_judging(), &format!("{path} with its judgement on these and other slices"));
        print_quality(&timed.summary, free);
        if let Some(data) = data.filter(|data| data.columns() == ensemble.dim() && ensemble.dim() <= 2) {
            print_variation(&timed.summary, free, ensemble, data);
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
