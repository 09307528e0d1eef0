//! Attacks on the project by itself: fuzzing, checks of memory below us, and the same bits on other processors.

use std::path::PathBuf;
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

/// The shared cases on other processors by emulation: x86-64 without AVX, and aarch64. What differs is printed by the test.
pub fn bits() -> Result<(), String> {
    let cases = ["test", "--package", "mixgist-cli", "--test", "cases"];
    without_avx(&cases)?;
    aarch64(&cases)
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn without_avx(cases: &[&str]) -> Result<(), String> {
    if !is_there("qemu-x86_64") {
        println!("SKIPPED: x86-64 without AVX needs qemu-x86_64 (Debian's qemu-user)");
        return Ok(());
    }
    // The processor is chosen when the program runs: this one has SSE4.2 and nothing newer.
    let runner = "qemu-x86_64 -cpu Nehalem";
    run(Command::new(env!("CARGO"))
        .args(cases)
        .env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", runner)
        .env("MIXGIST_RUNNER", runner))
}

fn aarch64(cases: &[&str]) -> Result<(), String> {
    let target = "aarch64-unknown-linux-gnu";
    let linker = "aarch64-linux-gnu-gcc";
    if !is_there("qemu-aarch64") || !is_there(linker) {
        println!("SKIPPED: aarch64 needs qemu-aarch64 (Debian's qemu-user) and {linker} (gcc-aarch64-linux-gnu)");
        return Ok(());
    }
    run(Command::new("rustup").args(["target", "add", target]))?;
    let runner = "qemu-aarch64 -L /usr/aarch64-linux-gnu";
    let folder: PathBuf = root().join("target/aarch64");
    run(Command::new(env!("CARGO"))
        .args(cases)
        .args(["--target", target, "--target-dir"])
        .arg(folder)
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", linker)
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", runner)
        .env("MIXGIST_RUNNER", runner))
}
