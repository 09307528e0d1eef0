//! One door for everything a developer runs: `cargo xtask test | check | bench | validate`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask TASK

  test            every test of the project
  check           formatting, lints and documentation, warnings as errors
  validate [N]    the samplers against enumeration and Geweke's test, N times as long as in the tests
  bench           mixgist beside its peer in one run (needs Python), and how the cost grows
  bench peer|growth|large|free|partition|sampler
                  one of them; partition is beside dahl-salso";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test(),
        ["check"] => check(),
        ["validate"] => example("mixgist-samplers", "validate", &["10"]),
        ["validate", length] => example("mixgist-samplers", "validate", &[length]),
        ["bench"] => {
            ["peer", "growth", "large", "free", "partition", "sampler"].iter().try_for_each(|which| bench(which))
        }
        ["bench", which @ ("peer" | "growth" | "large" | "free" | "partition" | "sampler")] => bench(which),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn test() -> Result<(), String> {
    cargo(&["test", "--workspace"])
}

fn check() -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    run(Command::new(env!("CARGO"))
        .args(["doc", "--workspace", "--no-deps", "--document-private-items"])
        .env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs an example program of a package, optimised.
fn example(package: &str, name: &str, arguments: &[&str]) -> Result<(), String> {
    let run = ["run", "--release", "--quiet", "--package", package, "--example", name, "--"];
    cargo(&[&run[..], arguments].concat())
}

fn bench(which: &str) -> Result<(), String> {
    match which {
        "partition" => return example("mixgist", "bench_partition", &[]),
        "sampler" => return example("mixgist-samplers", "bench_gibbs", &["growth"]),
        _ => {}
    }
    cargo(&["build", "--release", "--package", "mixgist-bench"])?;
    let mut command = Command::new(root().join("target/release/mixgist-bench"));
    command.arg(which);
    if which == "peer" {
        let Some(python) = peer_python()? else {
            println!("SKIPPED: the comparison with numba needs python3");
            return Ok(());
        };
        command.arg(python);
    }
    run(&mut command)
}

/// Python with what the peer needs, in a virtual environment of its own.
fn peer_python() -> Result<Option<PathBuf>, String> {
    let folder = root().join("target/bench-venv");
    let python = folder.join("bin/python");
    if !python.exists() {
        if Command::new("python3").arg("--version").output().is_err() {
            return if std::env::var_os("CI").is_some() { Err("python3 is missing".into()) } else { Ok(None) };
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let requirements = root().join("benches/peers/requirements.txt");
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(requirements))?;
    }
    Ok(Some(python))
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(Command::new(env!("CARGO")).args(arguments))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(cause) => Err(format!("{command:?} could not be started: {cause}")),
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
