//! How often the verdict on a choice is wrong, as the table of docs/verdicts.md: `cargo run --release -p mixgist --example verdicts [runs]`.

#[path = "../tests/known_best/mod.rs"]
mod known_best;

use known_best::{Case, Law, Tally, run, upper_bound};

fn main() {
    let runs = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(500);
    println!("{runs} posteriors in each row.\n");
    println!(
        "| posterior | draws | chains | stay | safe | of these wrong | harmless near-tie | of these wrong | left open |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut all = Tally::default();
    for (law, name) in [
        (Law::Points(3), "3 points"),
        (Law::Points(6), "6 points"),
        (Law::Modes(3), "3 modes"),
        (Law::Normal(2), "normal, 2 dimensions"),
        (Law::Normal(10), "normal, 10 dimensions"),
        (Law::Normal(40), "normal, 40 dimensions"),
    ] {
        for draws in [100, 400] {
            for (chains, stay) in [(1, 0.0), (4, 0.0), (4, 0.5), (4, 0.9), (1, 0.9)] {
                let tally = run(Case { law, draws, chains, stay }, 0..runs);
                let open = tally.runs - tally.safe - tally.alike;
                println!(
                    "| {name} | {draws} | {chains} | {stay} | {} | {} | {} | {} | {open} |",
                    tally.safe, tally.safe_wrong, tally.alike, tally.alike_wrong
                );
                all.add(tally);
            }
        }
    }
    let rate = |wrong: usize, of: usize| {
        format!("{wrong} of {of} wrong: at most {:.2} % at 95 % confidence", 100.0 * upper_bound(wrong, of))
    };
    println!("\nSafe: {}.", rate(all.safe_wrong, all.safe));
    println!("Harmless near-ties: {}.", rate(all.alike_wrong, all.alike));
    println!(
        "If slices alone were judged, {} choices would have been called safe that are wrong.",
        all.wrong_over_slices
    );
}
