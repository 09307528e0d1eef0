//! One door for everything a developer runs: `cargo xtask test | check | docs | dist | wheel | package | bench | validate | paper`.

mod attacks;
mod bits;
mod deny;
mod dist;
mod docs;
mod package;
mod python;
mod r;

use attacks::Length;
use std::path::Path;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask TASK

  test            every test of the project, the Python and R packages included
  test rust|python|r|docs
                  a part of them
  check           formatting, lints and documentation, warnings as errors
  docs            the site, in target/site: gallery and figures are made by running them; docs short runs shorter fits, as the tests do
  dist            what a release holds, in target/dist: wheel, command line, checksums; each is installed and run in a clean environment; dist WORD only platforms with that word in their name
  publish TAG     target/dist as the release of a tag on GitHub (needs gh and its token)
  wheel           the wheel of the Python package, in target/wheels
  package         the packages of the published crates, in target/package, each built from its package; package quick does not build them
  package-r       the source package for R, which builds without a network, in target/r; package-r check is R CMD check --as-cran
  validate [N]    the samplers against enumeration and Geweke's test, N times as long as in the tests
  bench           mixgist beside its peers in one run (needs Python), and how the cost grows
  bench peer|python|r|growth|large|couplings|components|slices|users|profile|free|held-out|partition|sampler
                  one of them; users prints what users run beside its limits (users WORD those lines alone), profile where their time goes, slices what each scheme is worth; free takes a file of draws, and one of data, of your own; python is from numpy arrays, r from those of R, partition beside dahl-salso, components the tables of docs/components.md, sampler beside bayesm
  fuzz [MINUTES [SANITIZER]]
                  all fuzz targets, for so many minutes together (12 without a number), with a sanitizer (address) if one is named; needs a nightly compiler
  fuzz runs TARGET N
                  one fuzz target, N executions
  miri            readers under Miri; needs a nightly compiler with Miri
  deny            licences, sources and known defects of the dependencies
  bits            the shared cases without AVX and on aarch64, by emulation (needs qemu-user)
  paper [OPTIONS] every table and figure of the paper, ours beside the published; --help has the options";

const BENCHES: [&str; 14] = [
    "peer",
    "python",
    "r",
    "growth",
    "large",
    "couplings",
    "components",
    "slices",
    "users",
    "profile",
    "free",
    "held-out",
    "partition",
    "sampler",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test()
            .and_then(|()| python::test())
            .and_then(|()| r::test())
            .and_then(|()| docs::build(docs::Length::Short)),
        ["test", "rust"] => test(),
        ["test", "python"] => python::test(),
        ["test", "r"] => r::test(),
        ["test", "docs"] | ["docs", "short"] => docs::build(docs::Length::Short),
        ["docs"] => docs::build(docs::Length::Full),
        ["dist"] => dist::dist(None),
        ["dist", platform] => dist::dist(Some(platform)),
        ["publish", tag] => dist::publish(tag),
        ["wheel"] => python::wheel(),
        ["package-r"] => r::build(),
        ["package-r", "check"] => r::check(),
        ["check"] => check(),
        ["package"] => package::package(&[]),
        ["package", "quick"] => package::package(&["--no-verify"]),
        ["fuzz"] => attacks::fuzz(Length::Minutes("12"), "none"),
        ["fuzz", minutes] => attacks::fuzz(Length::Minutes(minutes), "none"),
        ["fuzz", "runs", target, runs] => attacks::fuzz(Length::Runs(target, runs), "none"),
        ["fuzz", minutes, sanitizer] => attacks::fuzz(Length::Minutes(minutes), sanitizer),
        ["miri"] => attacks::miri(),
        ["deny"] => deny::deny(),
        ["bits"] => bits::bits(),
        ["validate"] => example("mixgist-samplers", "validate", &["10"]),
        ["validate", length] => example("mixgist-samplers", "validate", &[length]),
        ["bench"] => BENCHES.iter().try_for_each(|which| bench(which, &[])),
        ["bench", which] if BENCHES.contains(which) => bench(which, &[]),
        ["bench", "free", files @ ..] => bench("free", files),
        ["bench", which @ ("users" | "profile"), word] => bench(which, &[word]),
        ["paper", options @ ..] => {
            let run = ["run", "--release", "--quiet", "--package", "mixgist-paper", "--"];
            cargo(&[&run[..], options].concat())
        }
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

/// Property tests draw their cases from this seed here, so that an unchanged tree passes or fails always; a plain `cargo test` draws new ones.
const CASES: (&str, &str) = ("PROPTEST_RNG_SEED", "2026");

fn test() -> Result<(), String> {
    let mut tests = Command::new(env!("CARGO"));
    tests.args(["test", "--workspace"]);
    if std::env::var_os(CASES.0).is_none() {
        tests.env(CASES.0, CASES.1);
    }
    run(&mut tests)
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

fn bench(which: &str, files: &[&str]) -> Result<(), String> {
    if which == "components" {
        return example("mixgist-samplers", "components", files);
    }
    if which == "partition" {
        return example("mixgist", "bench_partition", &[]);
    }
    cargo(&["build", "--release", "--package", "mixgist-bench"])?;
    let mut command = Command::new(root().join("target/release/mixgist-bench"));
    command.arg(which);
    let absolute = |file: &&str| std::path::absolute(file).unwrap_or_else(|_| file.into());
    // The only argument that is no file is the word that chooses lines.
    command.args(files.iter().map(|file| if which == "users" { (*file).into() } else { absolute(file) }));
    if matches!(which, "peer" | "python") {
        let Some(python) = python::bench_python()? else {
            println!("SKIPPED: the comparison with other programs needs python3");
            return Ok(());
        };
        command.arg(python);
    }
    if which == "r" {
        let Some(library) = r::bench_library()? else {
            return Ok(());
        };
        command.arg("Rscript").env("R_LIBS", library);
    }
    if which == "sampler" {
        if Command::new("Rscript").args(["-e", "library(bayesm)"]).output().is_ok_and(|output| output.status.success())
        {
            command.arg("Rscript");
        } else {
            println!(
                "SKIPPED: the comparison with another sampler needs R with the package bayesm (Debian's r-cran-bayesm)"
            );
        }
    }
    run(&mut command)
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(Command::new(env!("CARGO")).args(arguments))
}

fn run(command: &mut Command) -> Result<(), String> {
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    let status = command.status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(cause) => Err(format!("{command:?} could not be started: {cause}")),
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
