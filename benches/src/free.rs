//! What free-support estimates cost: seconds by phase, for given draws or for large simulated ones.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use mixgist::slice::slicer;
use mixgist::{AtomCount, Ensemble, Estimator, Loss, Progress, Settings, SliceCount, summarize};
use mixgist_io::{ReadOptions, read_draws};

use crate::draws::posterior_like;
use crate::peak_memory;

/// Seconds by phase, phases of the same name added up.
#[derive(Default)]
struct Stopwatch(Mutex<Vec<(String, Instant)>>);

impl Progress for Stopwatch {
    fn begin(&self, phase: &str, _total: u64) {
        self.0.lock().expect("no panic").push((phase.to_owned(), Instant::now()));
    }
}

impl Stopwatch {
    fn print(&self, end: Instant) {
        let phases = self.0.lock().expect("no panic");
        let mut seconds: Vec<(&str, f64)> = Vec::new();
        for (i, (name, start)) in phases.iter().enumerate() {
            let stop = phases.get(i + 1).map_or(end, |next| next.1);
            let time = stop.duration_since(*start).as_secs_f64();
            match seconds.iter_mut().find(|known| known.0 == name) {
                Some(known) => known.1 += time,
                None => seconds.push((name, time)),
            }
        }
        seconds.iter().for_each(|(name, time)| println!("  {time:8.3} s  {name}"));
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
        let start = Instant::now();
        let summary = summarize(ensemble, None, &settings, &watch).expect("the draws are valid");
        let end = Instant::now();
        let free = summary.free().expect("it was asked for");
        println!(
            "{distance}, {} loss, {slices} slices, {} draws: {:.2} s, {} atoms, {:.2} % above the floor",
            loss.name(),
            ensemble.len(),
            end.duration_since(start).as_secs_f64(),
            free.estimate.len(),
            100.0 * free.judgement.excess
        );
        watch.print(end);
    }
    println!("  peak memory so far {}", peak_memory().map_or("unknown".into(), |gb| format!("{gb:.1} GB")));
}
