//! Attacks on the project by itself: fuzzing, and checks of memory below us.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{root, run};

/// How long targets are run.
pub enum Length<'a> {
    /// Minutes for all targets together.
    Minutes(&'a str),
    /// Executions of one target.
    Runs(&'a str, &'a str),
}

/// Runs every fuzz target for its share of the minutes, or one so many times, with a sanitizer of the compiler or without (`none`, which is
/// several times as fast), and prints how many executions each had, in this run and in all runs that are recorded under `target`. Needs a nightly
/// compiler.
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
    let programs = programs(sanitizer)?;
    for target in targets {
        // What is found worth keeping goes to a folder of its own; the corpus that is checked in stays small.
        let found = root().join("target/fuzz-corpus").join(&target);
        std::fs::create_dir_all(&found).map_err(|cause| format!("{}: {cause}", found.display()))?;
        let mut command = Command::new(programs.join(&target));
        command.arg(&found).arg(root().join("fuzz/corpus").join(&target)).args([
            "-rss_limit_mb=4096",
            "-timeout=100",
            "-max_len=4096",
            "-print_final_stats=1",
            "-verbosity=0",
            &limit,
        ]);
        command.arg(format!("-artifact_prefix={}/broken-", root().join("target/fuzz-corpus").display()));
        // A program of a sanitizer finds leaks by stopping itself, which needs a right that containers lack.
        let output = command
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(|cause| format!("{command:?} could not be started: {cause}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!(
                "{said}\n{target} broke: the file that breaks it is named above; it belongs into fuzz/corpus/{target}"
            ));
        }
        let count = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        let count = count.and_then(|count| count.trim().parse::<u64>().ok()).ok_or("libFuzzer told no executions")?;
        println!("{target:12} {count:>12} executions, {:>12} in all", recorded(&target, count)?);
    }
    Ok(())
}

/// Builds the programs as libFuzzer needs them: counters at every edge, comparisons traced. Says where they are.
fn programs(sanitizer: &str) -> Result<PathBuf, String> {
    let nightly = Command::new("rustup").args(["run", "nightly", "rustc", "--version"]).output();
    if !nightly.is_ok_and(|output| output.status.success()) {
        return Err("fuzzing needs a nightly compiler: rustup toolchain install nightly".into());
    }
    // The same versions of the dependencies as the workspace has.
    let lock = std::fs::copy(root().join("Cargo.lock"), root().join("fuzz/Cargo.lock"));
    lock.map_err(|cause| format!("fuzz/Cargo.lock: {cause}"))?;
    let mut flags = "--cfg fuzzing -Cpasses=sancov-module".to_owned();
    for flag in ["level=4", "inline-8bit-counters", "pc-table", "trace-compares"] {
        flags += &format!(" -Cllvm-args=-sanitizer-coverage-{flag}");
    }
    let mut folder = root().join("target/fuzz");
    if sanitizer != "none" {
        flags += &format!(" -Zsanitizer={sanitizer}");
        folder.push(sanitizer);
    }
    // With a target named, programs that run while others are built are without these flags.
    run(Command::new("rustup")
        .args(["run", "nightly", "cargo", "build", "--quiet", "--release", "--target", PLATFORM, "--target-dir"])
        .arg(&folder)
        .current_dir(root().join("fuzz"))
        .env("RUSTFLAGS", flags))?;
    Ok(folder.join(PLATFORM).join("release"))
}

const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Adds executions to those of earlier runs, and says how many there are now.
fn recorded(target: &str, count: u64) -> Result<u64, String> {
    let path = root().join("target/fuzz-corpus").join(format!("{target}.executions"));
    let before = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0);
    let sum = before + count;
    std::fs::write(&path, format!("{sum}\n")).map_err(|cause| format!("{}: {cause}", path.display()))?;
    Ok(sum)
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
