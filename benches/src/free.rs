//! What free-support estimates cost: seconds by phase, for given draws or for large simulated ones. Beside the time that passed stands
//! the processor time of all threads, which other programs on the machine disturb less.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use mixgist::slice::slicer;
use mixgist::{AtomCount, Ensemble, Estimator, Loss, Progress, Settings, SliceCount, summarize};
use mixgist_io::{ReadOptions, read_draws};

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
    /// Seconds by phase, phases of the same name added up.
    fn print(&self, end: Moment) {
        let phases = self.0.lock().expect("no panic");
        let mut seconds: Vec<(&str, [f64; 2])> = Vec::new();
        for (i, (name, start)) in phases.iter().enumerate() {
            let stop = phases.get(i + 1).map_or(end, |next| next.1);
            let times = [stop.clock.duration_since(start.clock).as_secs_f64(), stop.processor - start.processor];
            match seconds.iter_mut().find(|known| known.0 == name) {
                Some(known) => known.1.iter_mut().zip(times).for_each(|(sum, time)| *sum += time),
                None => seconds.push((name, times)),
            }
        }
        println!("  passed    processor");
        seconds.iter().for_each(|(name, [passed, processor])| println!("  {passed:7.3} s {processor:7.3} s  {name}"));
    }
}

/// The path k = 1 … 15 for draws from a file.
pub fn from_file(file: &str) {
    let draws = read_draws(&[Path::new(file)], &ReadOptions::default()).expect("the draws can be read");
    for distance in ["mix-sw", "smix-w", "sw"] {
        for slices in [100, 1000] {
            run(&draws.ensemble, distance, slices);
        }
    }
}

/// The path for 10,000 draws of 100 atoms.
pub fn large() {
    run(&posterior_like(10_000, 100, 2, 1), "smix-w", 100);
}

fn run(ensemble: &Ensemble, distance: &str, slices: usize) {
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
        let summary = summarize(ensemble, None, &settings, &watch).expect("the draws are valid");
        let end = Moment::now();
        let free = summary.free().expect("it was asked for");
        println!(
            "{distance}, {} loss, {slices} slices, {} draws: {:.2} s, {} atoms, {:.2} % above the floor",
            loss.name(),
            ensemble.len(),
            end.clock.duration_since(start.clock).as_secs_f64(),
            free.estimate.len(),
            100.0 * free.judgement.excess
        );
        watch.print(end);
    }
    println!("  peak memory so far {}", peak_memory().map_or("unknown".into(), |gb| format!("{gb:.1} GB")));
}
