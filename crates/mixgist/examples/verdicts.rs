//! How often the verdict "safe" is wrong: `cargo run --release -p mixgist --example verdicts [runs]`.

#[path = "../tests/known_best/mod.rs"]
mod known_best;

use known_best::{Case, run};

fn main() {
    let runs = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    println!("draws chains  stay points   runs   safe  wrong  alike  wrong if slices alone were judged");
    for draws in [40, 100, 400] {
        for (chains, stay) in [(1, 0.0), (4, 0.0), (4, 0.5), (4, 0.9), (1, 0.9)] {
            for points in [3, 6] {
                let tally = run(Case { draws, chains, stay, points }, 0..runs);
                println!(
                    "{draws:5} {chains:6} {stay:5} {points:6} {:6} {:6} {:6} {:6} {:6}",
                    tally.runs, tally.safe, tally.wrong, tally.alike, tally.wrong_over_slices
                );
            }
        }
    }
}
