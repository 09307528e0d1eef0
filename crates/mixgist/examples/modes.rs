//! How often `representatives` finds the right number of modes, as the table of docs/modes.md:
//! `cargo run --release -p mixgist --example modes [runs] [most modes] [first seed]`.

#[path = "../tests/known_modes/mod.rs"]
mod known_modes;

use known_modes::{SHAPES, Shape, found, posterior, posterior_of, probabilities};

fn main() {
    if std::env::args().nth(1).as_deref() == Some("power") {
        return power();
    }
    if std::env::args().nth(1).as_deref() == Some("one") {
        return one_mode();
    }
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

/// How often a light mode and one that is near are found: `modes power [runs] [first seed]`.
fn power() {
    let asked: Vec<u64> = std::env::args().skip(2).filter_map(|text| text.parse().ok()).collect();
    let runs = asked.first().copied().unwrap_or(60);
    let first = asked.get(1).copied().unwrap_or(0);
    println!("Two modes found in, of {runs} posteriors (answers with more than two).\n");
    println!("| probabilities | apart | draws | chains | normal | many coordinates | skewed | weights |");
    println!("|---|---|---|---|---|---|---|---|");
    for light in [0.1, 0.4] {
        for (apart, draws, well) in [
            (4.0, 200, true),
            (5.0, 200, true),
            (6.0, 200, true),
            (8.0, 200, true),
            (8.0, 200, false),
            (5.0, 600, true),
            (8.0, 600, false),
        ] {
            let cells = SHAPES.map(|shape: Shape| {
                let (mut two, mut more) = (0, 0);
                for seed in 0..runs {
                    let known = posterior_of(shape, &[1.0 - light, light], apart, draws, well, 5000 + first + seed);
                    let found = found(&known.ensemble);
                    let count = found.representatives.len();
                    two += u64::from(count >= known.notable);
                    more += u64::from(count > known.visited);
                }
                format!("{two} ({more})")
            });
            let mixing = if well { "mix well" } else { "mix badly" };
            println!("| {:.1}, {light:.1} | {apart} | {draws} | {mixing} | {} |", 1.0 - light, cells.join(" | "));
        }
    }
}

/// How often one mode of other shapes is counted as more: `modes one [runs] [first seed]`.
fn one_mode() {
    let asked: Vec<u64> = std::env::args().skip(2).filter_map(|text| text.parse().ok()).collect();
    let runs = asked.first().copied().unwrap_or(100);
    let first = asked.get(1).copied().unwrap_or(0);
    println!("More than one mode in, of {runs} posteriors with one (a remark that there may be more).\n");
    println!("| draws | autocorrelation | {} |", known_modes::ONE_MODE.map(|(name, _)| name).join(" | "));
    println!("|---|---|{}", "---|".repeat(known_modes::ONE_MODE.len()));
    for draws in [60, 200, 600] {
        for rho in [0.0, 0.8, 0.95] {
            let cells = known_modes::ONE_MODE.map(|(_, law)| {
                let (mut many, mut told) = (0, 0);
                for seed in 0..runs {
                    let modes = found(&known_modes::one_mode(law, draws, rho, 9000 + first + seed));
                    many += usize::from(modes.representatives.len() > 1);
                    told += usize::from(modes.may_have_more());
                }
                format!("{many} ({told})")
            });
            println!("| {draws} | {rho} | {} |", cells.join(" | "));
        }
    }
}
