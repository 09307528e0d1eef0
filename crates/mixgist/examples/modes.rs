//! How often `representatives` finds the right number of modes, as the table of docs/modes.md:
//! `cargo run --release -p mixgist --example modes [runs] [most modes] [first seed]`.

#[path = "../tests/known_modes/mod.rs"]
mod known_modes;

use known_modes::{SHAPES, found, posterior, probabilities};

fn main() {
    let asked: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let runs = asked.first().copied().unwrap_or(50);
    let most = asked.get(1).map_or(4, |&most| most as usize);
    let first = asked.get(2).copied().unwrap_or(0);
    println!(
        "Too many / too few modes (of the latter, and of one mode, with the remark that there may be more) in {runs} runs each.\n"
    );
    println!("| modes | draws | chains | normal | many coordinates | skewed | weights |");
    println!("|---|---|---|---|---|---|---|");
    for modes in 1..=most {
        for draws in [60, 200, 600] {
            for well in [true, false] {
                let cells = SHAPES.map(|shape| {
                    let (mut many, mut few, mut told) = (0, 0, 0);
                    for seed in 0..runs {
                        let seed = 1000 * modes as u64 + first + seed;
                        let known = posterior(shape, probabilities(modes), draws, well, seed);
                        let modes = found(&known.ensemble);
                        let count = modes.representatives.len();
                        many += usize::from(count > known.visited);
                        few += usize::from(count < known.notable);
                        told += usize::from((count < known.notable || known.visited == 1) && modes.may_have_more());
                    }
                    format!("{many} / {few} ({told})")
                });
                let mixing = if well { "mix well" } else { "mix badly" };
                println!("| {modes} | {draws} | {mixing} | {} |", cells.join(" | "));
            }
        }
    }
}
