//! The R package: its tests in a library of its own, its source package, its check.

use std::path::PathBuf;
use std::process::Command;

use crate::{cargo, root, run};

/// Installs the package under `target` and runs its tests, those included that need the command line.
pub fn test() -> Result<(), String> {
    if !found()? {
        return Ok(());
    }
    cargo(&["build", "--package", "mixgist-cli"])?;
    let library = library()?;
    run(Command::new("R")
        .args(["CMD", "INSTALL", "--no-docs", "--library"])
        .arg(&library)
        .arg(package())
        .env("MIXGIST_PROFILE", "dev"))?;
    let tests = "library(testthat); library(mixgist); test_dir('testthat', package = 'mixgist', reporter = 'summary', stop_on_failure = TRUE)";
    run(Command::new("Rscript")
        .args(["-e", tests])
        .current_dir(package().join("tests"))
        .env("R_LIBS", &library)
        .env("NOT_CRAN", "true")
        .env("MIXGIST_ROOT", root())
        .env("MIXGIST_CLI", root().join("target/debug/mixgist")))
}

/// The source package, with the crates of others packed, in `target/r`.
pub fn build() -> Result<(), String> {
    let folder = root().join("target/r");
    std::fs::create_dir_all(&folder).map_err(|cause| format!("cannot make {}: {cause}", folder.display()))?;
    run(Command::new("R").args(["CMD", "build"]).arg(package()).current_dir(&folder))
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

/// A library of its own for the package.
fn library() -> Result<PathBuf, String> {
    let folder = root().join("target/r-library");
    std::fs::create_dir_all(&folder).map_err(|cause| format!("cannot make {}: {cause}", folder.display()))?;
    Ok(folder)
}
