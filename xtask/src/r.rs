//! The R package: its tests in a library of its own, its source package, its check.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::{cargo, root, run};

/// Installs the package under `target` and runs its tests, those included that need the command line.
pub fn test() -> Result<(), String> {
    if !found()? {
        return Ok(());
    }
    cargo(&["build", "--package", "mixgist-cli"])?;
    let library = installed("r-library", "dev")?;
    let tests = "library(testthat); library(mixgist); test_dir('testthat', package = 'mixgist', reporter = 'summary', stop_on_failure = TRUE)";
    run(Command::new("Rscript")
        .args(["-e", tests])
        .current_dir(package().join("tests"))
        .env("R_LIBS", &library)
        .env("NOT_CRAN", "true")
        .env("MIXGIST_ROOT", root())
        .env("MIXGIST_CLI", root().join("target/debug/mixgist")))
}

/// A library with the optimised package, for the benchmark.
pub fn bench_library() -> Result<Option<PathBuf>, String> {
    if !found()? {
        return Ok(None);
    }
    installed("r-bench-library", "release").map(Some)
}

/// The source package, with the crates of others packed, in `target/r`. For the vignettes it is installed on the way, from those crates.
pub fn build() -> Result<(), String> {
    let folder = folder("r")?;
    let mut command = Command::new("R");
    run(command.args(["CMD", "build"]).arg(package()).current_dir(&folder).envs(building()?))
}

/// What CRAN asks of the source package, in `target/r/mixgist.Rcheck`; the manual is left out where LaTeX is missing.
pub fn check() -> Result<(), String> {
    build()?;
    let folder = folder("r")?;
    let mut command = Command::new("R");
    command.args(["CMD", "check", "--as-cran"]).current_dir(&folder).envs(building()?);
    if Command::new("pdflatex").arg("--version").output().is_err() {
        println!("SKIPPED: the manual as PDF needs pdflatex");
        command.arg("--no-manual");
    }
    let description = std::fs::read_to_string(package().join("DESCRIPTION")).map_err(|cause| cause.to_string())?;
    let version = description.lines().find_map(|line| line.strip_prefix("Version: ")).unwrap_or_default();
    run(command.arg(format!("mixgist_{version}.tar.gz")))
}

/// How the source package is built and checked: quickly, and the crates of others once for both.
fn building() -> Result<[(&'static str, OsString); 2], String> {
    Ok([("MIXGIST_PROFILE", "dev".into()), ("MIXGIST_TARGET_DIR", folder("r-build")?.into())])
}

/// Whether there is an R with what the tests need. Without it they are left out loudly, which is an error in CI.
fn found() -> Result<bool, String> {
    let works = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let missing = if !works("R", &["--version"]) {
        "R (Debian's r-base-dev)"
    } else if !works("Rscript", &["-e", "library(testthat)"]) {
        "R's package testthat (Debian's r-cran-testthat)"
    } else {
        return Ok(true);
    };
    if std::env::var_os("CI").is_some() {
        return Err(format!("{missing} is missing"));
    }
    println!("SKIPPED: the tests of the R package need {missing}");
    Ok(false)
}

fn package() -> PathBuf {
    root().join("bindings/r")
}

/// A library of its own under `target` with the package, built by a profile of Cargo.
fn installed(name: &str, profile: &str) -> Result<PathBuf, String> {
    let library = folder(name)?;
    run(Command::new("R")
        .args(["CMD", "INSTALL", "--no-docs"])
        .arg(format!("--library={}", library.display()))
        .arg(package())
        .env("MIXGIST_PROFILE", profile))?;
    Ok(library)
}

/// A folder under `target`.
fn folder(name: &str) -> Result<PathBuf, String> {
    let folder = root().join("target").join(name);
    std::fs::create_dir_all(&folder).map_err(|cause| format!("cannot make {}: {cause}", folder.display()))?;
    Ok(folder)
}
