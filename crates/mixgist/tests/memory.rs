//! What a summary is said to take, beside what it takes. Each case has a process of its own: memory that was used before would be used again.
#![cfg(target_os = "linux")]

use std::process::Command;

use mixgist::{Ensemble, Estimator, Loss, Route, Settings, Silent, SliceCount, Units, summarize};

/// Which case a process is for.
const CASE: &str = "MIXGIST_MEMORY_CASE";

/// A line of /proc/self/status, in bytes.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

fn draws(count: usize, atoms: usize) -> Ensemble {
    let mut state = 1u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let weights: Vec<f64> = (0..count * atoms).map(|_| 0.1 + next()).collect();
    let means: Vec<f64> = (0..count * atoms).flat_map(|i| [(i % atoms) as f64 + next(), next()]).collect();
    let covariances: Vec<f64> = (0..count * atoms)
        .flat_map(|_| {
            let size = 0.5 + next();
            [size, 0.1, 0.1, size]
        })
        .collect();
    Ensemble::builder(2)
        .atoms_per_draw(atoms)
        .weights(&weights)
        .means(&means)
        .covariances(&covariances)
        .build()
        .unwrap()
}

/// Name, draws, atoms, slices, settings.
type Case = (&'static str, usize, usize, usize, Settings);

fn cases() -> [Case; 5] {
    let usual = Settings::default().with_units(Units::None);
    let certified = usual.clone().with_route(Route::Certified);
    [
        ("certified", 1000, 10, 200, certified.clone()),
        ("certified, many slices", 1000, 20, 600, certified.clone()),
        ("certified, aligned", 1000, 10, 200, certified.with_estimator(Estimator::Aligned)),
        ("sweep", 1000, 10, 200, usual.clone().with_loss(Loss::Power)),
        ("pairs", 4000, 4, 64, usual.with_route(Route::Pairs)),
    ]
}

/// Never below the peak, and no more than twice as much.
#[test]
fn predictions_are_above_the_peak_and_near_it() {
    if let Ok(case) = std::env::var(CASE) {
        let (_, count, atoms, slices, settings) = cases()[case.parse::<usize>().unwrap()].clone();
        let ensemble = draws(count, atoms);
        let settings = settings.with_slices(SliceCount::Fixed(slices));
        let (predicted, before) = (settings.predicted_bytes(&ensemble).unwrap(), status("VmRSS:"));
        summarize(&ensemble, None, &settings, &Silent).unwrap();
        println!("measured: {predicted} {}", status("VmHWM:") - before);
        return;
    }
    for (case, (name, ..)) in cases().iter().enumerate() {
        let mut own = Command::new(std::env::current_exe().unwrap());
        own.args(["--exact", "predictions_are_above_the_peak_and_near_it", "--nocapture"]);
        let out = own.env(CASE, case.to_string()).output().unwrap();
        let said = String::from_utf8(out.stdout).unwrap();
        let numbers = said.lines().find_map(|line| line.split_once("measured: ")).expect("the process ends well").1;
        let numbers: Vec<u64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        let (predicted, peak) = (numbers[0], numbers[1]);
        println!("{name}: predicted {} MB, peak {} MB", predicted >> 20, peak >> 20);
        assert!(peak <= predicted && predicted <= 2 * peak, "{name}: predicted {predicted}, peak {peak}");
    }
}
