//! Attacks on the project by itself: fuzzing, and checks of memory below us.

use std::process::Command;

use crate::{root, run};

/// Runs every fuzz target for its share of the minutes; needs a nightly compiler.
pub fn fuzz(minutes: &str) -> Result<(), String> {
    let minutes: f64 = minutes.parse().map_err(|_| format!("'{minutes}' is no number of minutes"))?;
    let targets = targets()?;
    let seconds = (60.0 * minutes / targets.len() as f64).ceil() as u64;
    let tools = root().join("target/tools");
    if !tools.join("bin/cargo-fuzz").exists() {
        run(Command::new(env!("CARGO")).args(["install", "--quiet", "--locked", "cargo-fuzz", "--root"]).arg(&tools))?;
    }
    for target in targets {
        // What is found worth keeping goes to a folder of its own; the corpus that is checked in stays small.
        let found = root().join("target/fuzz-corpus").join(&target);
        std::fs::create_dir_all(&found).map_err(|cause| format!("{}: {cause}", found.display()))?;
        println!("{target}: {seconds} s");
        let mut command = Command::new("rustup");
        command.args(["run", "nightly"]).arg(tools.join("bin/cargo-fuzz")).args(["run", &target]).arg(found);
        command.arg(root().join("fuzz/corpus").join(&target));
        command.args(["--", "-rss_limit_mb=4096", "-timeout=20", "-print_final_stats=1"]);
        run(command.arg(format!("-max_total_time={seconds}")))?;
    }
    Ok(())
}

fn targets() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/fuzz_targets");
    let entries = std::fs::read_dir(&folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    Ok(names)
}

/// The readers under Miri, which sees undefined behaviour in the code of others that is Rust; needs a nightly compiler with Miri.
pub fn miri() -> Result<(), String> {
    let run_tests = |package: &str, filter: &str| {
        run(Command::new("rustup")
            .args([
                "run",
                "nightly",
                "cargo",
                "miri",
                "test",
                "--no-default-features",
                "--package",
                package,
                "--lib",
                filter,
            ])
            .env("MIRIFLAGS", "-Zmiri-disable-isolation"))
    };
    run_tests("mixgist-io", "delimited")?;
    run_tests("mixgist-io", "npy::header")?;
    run_tests("mixgist-samplers", "checkpoint::record")
}
