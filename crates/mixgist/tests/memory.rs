//! What a summary is said to take, beside what it takes. Alone in its program, because the peak is that of the whole process.
#![cfg(target_os = "linux")]

use mixgist::{Ensemble, Estimator, Loss, Route, Settings, Silent, SliceCount, Units, summarize};

/// A line of /proc/self/status, in bytes.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// The peak begins anew from what is taken now.
fn begin() -> u64 {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    status("VmRSS:")
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

/// Never below the peak, and no more than twice as much.
#[test]
fn predictions_are_above_the_peak_and_near_it() {
    let usual = Settings::default().with_units(Units::None);
    let cases = [
        ("certified", 1000, 10, 200, usual.clone().with_route(Route::Certified)),
        ("certified, many slices", 1000, 20, 600, usual.clone().with_route(Route::Certified)),
        (
            "certified, aligned",
            1000,
            10,
            200,
            usual.clone().with_route(Route::Certified).with_estimator(Estimator::Aligned),
        ),
        ("sweep", 1000, 10, 200, usual.clone().with_loss(Loss::Power)),
        ("pairs", 4000, 4, 64, usual.with_route(Route::Pairs)),
    ];
    for (name, count, atoms, slices, settings) in cases {
        let ensemble = draws(count, atoms);
        let settings = settings.with_slices(SliceCount::Fixed(slices));
        let predicted = settings.predicted_bytes(&ensemble).unwrap();
        let before = begin();
        summarize(&ensemble, None, &settings, &Silent).unwrap();
        let peak = status("VmHWM:") - before;
        println!("{name}: predicted {} MB, peak {} MB", predicted >> 20, peak >> 20);
        assert!(peak <= predicted && predicted <= 2 * peak, "{name}: predicted {predicted}, peak {peak}");
    }
}
