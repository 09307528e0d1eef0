//! Attacks on the project by itself: fuzzing, and checks of memory below us.

use std::process::Command;

use crate::{root, run};

/// How long targets are run.
pub enum Length<'a> {
    /// Minutes for all targets together.
    Minutes(&'a str),
    /// Executions of one target.
    Runs(&'a str, &'a str),
}

/// Runs every fuzz target for its share of the minutes, or one so many times, with a sanitizer of the compiler or without (`none`, which is
/// several times as fast), and prints how many executions each had. Needs a nightly compiler.
pub fn fuzz(length: Length, sanitizer: &str) -> Result<(), String> {
    let all = targets()?;
    let (targets, limit) = match length {
        Length::Minutes(minutes) => {
            let minutes: f64 = minutes.parse().map_err(|_| format!("'{minutes}' is no number of minutes"))?;
            let seconds = (60.0 * minutes / all.len() as f64).ceil() as u64;
            (all, format!("-max_total_time={seconds}"))
        }
        Length::Runs(target, runs) => {
            if !all.iter().any(|known| known == target) {
                return Err(format!("'{target}' is no target; there are {}", all.join(", ")));
            }
            let runs: u64 = runs.parse().map_err(|_| format!("'{runs}' is no number of executions"))?;
            (vec![target.to_owned()], format!("-runs={runs}"))
        }
    };
    let nightly = Command::new("rustup").args(["run", "nightly", "rustc", "--version"]).output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        return Err("fuzzing needs a nightly compiler: rustup toolchain install nightly".into());
    }
    let tools = root().join("target/tools");
    if !tools.join("bin/cargo-fuzz").exists() {
        run(Command::new(env!("CARGO")).args(["install", "--quiet", "--locked", "cargo-fuzz", "--root"]).arg(&tools))?;
    }
    // The same versions of the dependencies as the workspace has.
    let lock = std::fs::copy(root().join("Cargo.lock"), root().join("fuzz/Cargo.lock"));
    lock.map_err(|cause| format!("fuzz/Cargo.lock: {cause}"))?;
    let fuzz = |words: &[&str]| {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly"]).arg(tools.join("bin/cargo-fuzz")).args(words);
        command.args(["--sanitizer", sanitizer, "--target-dir", "target/fuzz"]).current_dir(root());
        command
    };
    run(&mut fuzz(&["build"]))?;
    let mut table = String::new();
    for target in targets {
        // What is found worth keeping goes to a folder of its own; the corpus that is checked in stays small.
        let found = root().join("target/fuzz-corpus").join(&target);
        std::fs::create_dir_all(&found).map_err(|cause| format!("{}: {cause}", found.display()))?;
        println!("{target} {limit}");
        let mut command = fuzz(&["run", &target]);
        command.arg(found).arg(root().join("fuzz/corpus").join(&target));
        command.args(["--", "-rss_limit_mb=4096", "-timeout=100", "-print_final_stats=1", "-verbosity=0"]);
        let output = command
            .arg(&limit)
            .stderr(std::process::Stdio::piped())
            .output()
            .map_err(|cause| format!("{command:?} could not be started: {cause}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!(
                "{said}\n{target} broke: the file that breaks it is named above; it belongs into fuzz/corpus/{target}"
            ));
        }
        let count = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        table += &format!("{target:12} {:>12} executions\n", count.map_or("?", str::trim));
    }
    print!("{table}");
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
