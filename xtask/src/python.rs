//! The Python package: its tests in a virtual environment of its own, its wheel, its benchmark.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, root, run};

/// Tests, examples of the documentation, types, and the gallery.
pub fn test() -> Result<(), String> {
    let Some(environment) = Environment::open("python-venv", &[".[test,gallery]"])? else {
        println!("SKIPPED: the tests of the Python package need python3");
        return Ok(());
    };
    cargo(&["build", "--package", "mixgist-cli"])?;
    environment.develop()?;
    let command_line = root().join("target/debug").join(format!("mixgist{}", std::env::consts::EXE_SUFFIX));
    run(environment
        .python(&["-m", "pytest", "-q", "tests", "--doctest-modules", "python"])
        .env("MIXGIST_CLI", command_line))?;
    run(&mut environment.python(&["-m", "mypy"]))
}

/// The wheel, optimised, in `target/wheels`.
pub fn wheel() -> Result<(), String> {
    let environment = Environment::open("wheel-venv", &["maturin>=1.9,<2"])?.ok_or("a wheel needs python3")?;
    let out = root().join("target/wheels");
    run(environment.python(&["-m", "maturin", "build", "--release", "--out"]).arg(out))
}

/// Python with the package, optimised, and the peers that it is compared with.
pub fn bench_python() -> Result<Option<PathBuf>, String> {
    let Some(environment) = Environment::open("bench-venv", &["-r", "../../benches/peers/requirements.txt"])? else {
        return Ok(None);
    };
    run(&mut environment.python(&["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", "."]))?;
    Ok(Some(environment.interpreter()))
}

/// A virtual environment under `target`.
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Makes it, unless it is there, and installs what is asked for, unless that was done. `None` without Python, which is an error in CI.
    pub fn open(name: &str, requirements: &[&str]) -> Result<Option<Self>, String> {
        let environment = Environment { folder: root().join("target").join(name) };
        if !environment.interpreter().exists() {
            if Command::new("python3").arg("--version").output().is_err() {
                return if std::env::var_os("CI").is_some() { Err("python3 is missing".into()) } else { Ok(None) };
            }
            run(Command::new("python3").args(["-m", "venv"]).arg(&environment.folder))?;
        }
        environment.install(requirements)?;
        Ok(Some(environment))
    }

    /// What belongs to the package itself is left out: `develop` builds it, without waiting for an optimised build.
    fn install(&self, requirements: &[&str]) -> Result<(), String> {
        let wanted = match requirements {
            [extras] if extras.starts_with(".[") => dependencies(extras)?,
            other => other.iter().map(|word| (*word).to_owned()).collect(),
        };
        let stamp = self.folder.join("installed");
        if std::fs::read_to_string(&stamp).is_ok_and(|text| text == wanted.join("\n")) {
            return Ok(());
        }
        run(self.python(&["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(&wanted))?;
        std::fs::write(&stamp, wanted.join("\n")).map_err(|cause| format!("cannot write {}: {cause}", stamp.display()))
    }

    pub fn interpreter(&self) -> PathBuf {
        self.folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Builds the package as the tests do and installs it in place.
    pub fn develop(&self) -> Result<(), String> {
        run(self.python(&["-m", "maturin", "develop", "--quiet"]).env("VIRTUAL_ENV", &self.folder))
    }

    /// Python in the folder of the package.
    pub fn python(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.interpreter());
        command.current_dir(package()).args(arguments);
        command
    }
}

fn package() -> PathBuf {
    root().join("bindings/python")
}

/// The requirements of the extras `.[a,b]` in `pyproject.toml`, with maturin and NumPy.
fn dependencies(extras: &str) -> Result<Vec<String>, String> {
    let text = read(&package().join("pyproject.toml"))?;
    let mut wanted = vec!["maturin>=1.9,<2".to_owned(), "numpy".to_owned()];
    for extra in extras.trim_start_matches(".[").trim_end_matches(']').split(',') {
        let line = text.lines().find(|line| line.starts_with(&format!("{extra} = [")));
        let line = line.ok_or_else(|| format!("pyproject.toml has no extra '{extra}'"))?;
        wanted.extend(line.split('"').skip(1).step_by(2).map(str::to_owned));
    }
    Ok(wanted)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|cause| format!("cannot read {}: {cause}", path.display()))
}
