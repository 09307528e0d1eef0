//! The long form of the validation: every algorithm, component and prior, by enumeration and by Geweke's joint test.
//!
//! `cargo run --release -p mixgist-samplers --example validate [-- length [seed]]`

use mixgist_samplers::validation;

fn main() -> mixgist::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|argument| {
        argument.parse().map_err(|_| mixgist::Error::usage(format!("'{argument}' is not a whole number of at least 0")))
    });
    let length = numbers.next().transpose()?.unwrap_or(10);
    let seed = numbers.next().transpose()?.unwrap_or(1);
    let mut failed = 0;
    validation::all(length, seed, |outcome| {
        let verdict = if outcome.passed() { "ok" } else { "FAILED" };
        println!(
            "{verdict:6} {:6.2} of {:.1}  {}  ({})",
            outcome.deviation, outcome.limit, outcome.name, outcome.detail
        );
        failed += u32::from(!outcome.passed());
    })?;
    if failed > 0 {
        return Err(mixgist::Error::input(format!("{failed} experiments deviate from the truth")));
    }
    Ok(())
}
