//! What a release holds, in `target/dist`: wheels for any Linux, the command line as one static file, checksums. Each is tried in a clean environment.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::Environment;
use crate::{root, run};

/// A processor and C library that is built for, when its Rust target is installed.
struct Platform {
    target: &'static str,
    /// What the wheel says it runs on.
    wheel: &'static str,
    /// The linker of the command line; zig links wheels.
    linker: Option<&'static str>,
    /// What runs programs of this platform here; `None` without an emulator.
    runner: Option<&'static str>,
}

const PLATFORMS: [Platform; 4] = [
    Platform { target: "x86_64-unknown-linux-gnu", wheel: "manylinux2014", linker: None, runner: None },
    Platform {
        target: "aarch64-unknown-linux-gnu",
        wheel: "manylinux2014",
        linker: Some("aarch64-linux-gnu-gcc"),
        runner: Some("qemu-aarch64"),
    },
    // Static programs of the other two run there as well, so that only wheels are needed.
    Platform { target: "x86_64-unknown-linux-musl", wheel: "musllinux_1_2", linker: None, runner: None },
    Platform { target: "aarch64-unknown-linux-musl", wheel: "musllinux_1_2", linker: None, runner: None },
];

/// Builds for every platform whose target is installed, tries what can be run here, and writes checksums. What was left out is told at the end, where
/// it is seen; where releases are made, a platform that cannot be built is a failure.
pub fn dist(only: Option<&str>) -> Result<(), String> {
    let out = root().join("target/dist");
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir_all(&out).map_err(|cause| format!("cannot make {}: {cause}", out.display()))?;
    let is_ci = std::env::var_os("CI").is_some();
    if is_ci {
        install_tools()?;
    }
    let installed = installed_targets()?;
    let environment =
        Environment::open("dist-venv", &["maturin>=1.9,<2", "ziglang"])?.ok_or("a release needs python3")?;
    let mut left_out: Vec<String> = Vec::new();
    for platform in PLATFORMS.iter().filter(|platform| only.is_none_or(|only| platform.target.contains(only))) {
        let target = platform.target;
        let missing = match platform.linker.filter(|linker| !is_there(linker)) {
            _ if !installed.iter().any(|name| name == target) => {
                Some(format!("{target} is not installed: rustup target add {target}"))
            }
            Some(linker) => Some(format!("{target} needs {linker}")),
            None => None,
        };
        if let Some(why) = missing {
            if is_ci {
                return Err(why);
            }
            left_out.push(format!("NOT BUILT: {why}"));
            continue;
        }
        let wheel = wheel(&environment, platform, &out)?;
        if target.ends_with("musl") {
            left_out.push(format!("NOT TRIED: {} needs a Python for musl", wheel.display()));
            continue;
        }
        let program = program(platform, &out)?;
        match platform.runner {
            None => {
                try_program(&program, None)?;
                try_wheel(&wheel)?;
            }
            Some(runner) if is_there(runner) => {
                try_program(&program, Some(runner))?;
                match arm_system() {
                    Ok(system) => try_arm_wheel(&wheel, runner, &system, &environment)?,
                    Err(why) => left_out.push(format!("NOT TRIED: {} needs an ARM Python: {why}", wheel.display())),
                }
            }
            Some(runner) => left_out.push(format!("NOT TRIED: {target} needs {runner} to run here")),
        }
    }
    let summed = checksums(&out);
    left_out.iter().for_each(|what| println!("{what}"));
    summed
}

/// Targets, linker and emulator, on a machine that is there for making releases.
fn install_tools() -> Result<(), String> {
    run(Command::new("rustup").args(["target", "add"]).args(PLATFORMS.iter().map(|platform| platform.target)))?;
    let packages = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"];
    if packages
        .iter()
        .all(|package| Command::new("dpkg").args(["-s", package]).output().is_ok_and(|o| o.status.success()))
    {
        return Ok(());
    }
    let install = format!("apt-get update && apt-get install --yes --no-install-recommends {}", packages.join(" "));
    run(Command::new("sudo").args(["sh", "-c", &install]))
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn installed_targets() -> Result<Vec<String>, String> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().map_err(|cause| cause.to_string())?;
    let libraries = Path::new(String::from_utf8_lossy(&output.stdout).trim()).join("lib/rustlib");
    let names =
        std::fs::read_dir(&libraries).map_err(|cause| format!("cannot read {}: {cause}", libraries.display()))?;
    Ok(names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

/// The wheel; zig links it against the oldest C library that its name promises.
fn wheel(environment: &Environment, platform: &Platform, out: &Path) -> Result<PathBuf, String> {
    let before = files(out)?;
    run(environment
        .python(&["-m", "maturin", "build", "--release", "--zig", "--target", platform.target])
        .args(["--compatibility", platform.wheel, "--out"])
        .arg(out)
        .env("VIRTUAL_ENV", environment.folder())
        // Where zig is found.
        .env("CARGO_ZIGBUILD_PYTHON_PATH", environment.interpreter()))?;
    files(out)?.into_iter().find(|file| !before.contains(file)).ok_or("maturin wrote no wheel".into())
}

/// The command line, with the C library in it, packed with licences and README.
fn program(platform: &Platform, out: &Path) -> Result<PathBuf, String> {
    let target = platform.target;
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--release", "--package", "mixgist-cli", "--target", target]);
    build.env("RUSTFLAGS", "-C target-feature=+crt-static");
    if let Some(linker) = platform.linker {
        build.env(format!("CARGO_TARGET_{}_LINKER", target.to_uppercase().replace('-', "_")), linker);
    }
    run(&mut build)?;
    let name = format!("mixgist-{}-{target}", env!("CARGO_PKG_VERSION"));
    let folder = root().join("target").join(&name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|cause| format!("cannot make {}: {cause}", folder.display()))?;
    let built = root().join("target").join(target).join("release/mixgist");
    for file in [built.clone(), root().join("README.md"), root().join("LICENSE-MIT"), root().join("LICENSE-APACHE")] {
        let to = folder.join(file.file_name().expect("it has a name"));
        std::fs::copy(&file, &to).map_err(|cause| format!("cannot copy {}: {cause}", file.display()))?;
    }
    run(Command::new("tar")
        .args(["--sort=name", "--owner=0", "--group=0", "--mtime=@0", "-czf"])
        .arg(out.join(format!("{name}.tar.gz")))
        .arg("-C")
        .arg(root().join("target"))
        .arg(&name))?;
    Ok(folder.join("mixgist"))
}

/// Runs the program alone: an empty environment, an empty folder, from a table to a summary.
fn try_program(program: &Path, runner: Option<&str>) -> Result<(), String> {
    let folder = root().join("target/dist-trial");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|cause| format!("cannot make {}: {cause}", folder.display()))?;
    let data = root().join("datasets/galaxies.csv");
    let data = data.to_string_lossy();
    let fit = ["fit", &data, "--iterations", "60", "--burn-in", "20", "-o", "draws.npz"];
    for words in [&["--version"][..], &fit, &["summarize", "draws.npz", "-o", "summary.json"]] {
        let mut command = match runner {
            Some(runner) => {
                let mut command = Command::new(runner);
                command.arg(program);
                command
            }
            None => Command::new(program),
        };
        let output = command.args(words).current_dir(&folder).env_clear().env("PATH", "/usr/bin").output();
        let output = output.map_err(|cause| format!("{} could not be started: {cause}", program.display()))?;
        if !output.status.success() {
            return Err(format!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    println!("tried: {}", program.display());
    Ok(())
}

/// What a wheel is tried with: data to figure.
const TRIAL: &str = "import mixgist, numpy as np; x = np.concatenate([np.linspace(-1, 1, 30), np.linspace(9, 11, 30)])[:, None]; \
                     s = mixgist.summarize(mixgist.fit(x, iterations=200, burn_in=100).draws); assert len(set(s.predict(x))) >= 2; \
                     assert mixgist.figure(s).svg.startswith('<svg'); import platform; \
                     print('tried: mixgist', mixgist.__version__, 'from its wheel on', platform.machine())";

/// Installs the wheel into an environment that has nothing but NumPy, and runs it.
fn try_wheel(wheel: &Path) -> Result<(), String> {
    let folder = root().join("target/dist-trial-venv");
    let _ = std::fs::remove_dir_all(&folder);
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let python = folder.join("bin/python");
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(&python).args(install).arg(wheel))?;
    run(Command::new(&python).args(["-W", "ignore", "-c", TRIAL]).current_dir(&folder))
}

/// The same with the Python of an ARM system, by emulation.
fn try_arm_wheel(wheel: &Path, runner: &str, system: &Path, environment: &Environment) -> Result<(), String> {
    let folder = root().join("target/dist-trial-arm64");
    let _ = std::fs::remove_dir_all(&folder);
    // Python 3.11 of Debian 12; NumPy has wheels for it.
    let wanted = [
        "--only-binary=:all:",
        "--python-version",
        "3.11",
        "--implementation",
        "cp",
        "--abi",
        "cp311",
        "--abi",
        "abi3",
    ];
    let platforms = ["manylinux2014_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64"];
    let mut install =
        environment.python(&["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]);
    install.arg(&folder).args(wanted).args(platforms.iter().flat_map(|name| ["--platform", name])).arg(wheel);
    run(&mut install)?;
    run(Command::new(runner)
        .arg("-L")
        .arg(system)
        .arg("-E")
        .arg(format!("PYTHONPATH={}", folder.display()))
        .arg(system.join("usr/bin/python3.11"))
        .args(["-W", "ignore", "-c", TRIAL])
        .current_dir(&folder))
}

/// A small ARM system with Python, unpacked from Debian's packages into `target`; nothing is installed on this machine.
fn arm_system() -> Result<PathBuf, String> {
    let folder = root().join("target/arm64");
    let system = folder.join("system");
    if system.join("usr/bin/python3.11").exists() {
        return Ok(system);
    }
    for part in ["lists/partial", "cache/archives/partial", "system"] {
        std::fs::create_dir_all(folder.join(part)).map_err(|cause| format!("cannot make {part}: {cause}"))?;
    }
    std::fs::write(folder.join("status"), "").map_err(|cause| format!("cannot write status: {cause}"))?;
    let place = |name: &str, part: &str| format!("{name}={}", folder.join(part).display());
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        for option in [
            "APT::Architecture=arm64",
            "APT::Architectures=arm64",
            "APT::Sandbox::User=root",
            "APT::Install-Recommends=false",
            &place("Dir::State::Lists", "lists"),
            &place("Dir::Cache", "cache"),
            &place("Dir::State::status", "status"),
        ] {
            command.args(["-o", option]);
        }
        run(command.arg("-qq").args(words))
    };
    apt(&["update"])?;
    apt(&["--yes", "--download-only", "install", "python3.11", "libstdc++6"])?;
    for package in
        files(&folder.join("cache/archives"))?.iter().filter(|file| file.extension().is_some_and(|e| e == "deb"))
    {
        run(Command::new("dpkg-deb").arg("-x").arg(package).arg(&system))?;
    }
    Ok(system)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|cause| format!("cannot read {}: {cause}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    Ok(files)
}

/// SHA-256 of every file, as `sha256sum --check` reads it.
fn checksums(out: &Path) -> Result<(), String> {
    let names: Vec<_> = files(out)?.iter().filter_map(|file| file.file_name().map(ToOwned::to_owned)).collect();
    if names.is_empty() {
        return Err(format!(
            "nothing was built; the platforms are {}",
            PLATFORMS.each_ref().map(|one| one.target).join(", ")
        ));
    }
    let output = Command::new("sha256sum").args(&names).current_dir(out).output();
    let output = output.map_err(|cause| format!("sha256sum could not be started: {cause}"))?;
    std::fs::write(out.join("SHA256SUMS"), &output.stdout)
        .map_err(|cause| format!("cannot write checksums: {cause}"))?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    run(Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(out))
}

/// Makes `target/dist` the release of a tag, which must name the version that was built.
pub fn publish(tag: &str) -> Result<(), String> {
    let expected = format!("v{}", env!("CARGO_PKG_VERSION"));
    if tag != expected {
        return Err(format!(
            "the tag is '{tag}', this is {expected}: the version in Cargo.toml and the tag must agree"
        ));
    }
    let out = root().join("target/dist");
    if !out.join("SHA256SUMS").exists() {
        return Err("target/dist has no SHA256SUMS: cargo xtask dist makes it".into());
    }
    run(Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(&out))?;
    let notes = root().join("CHANGELOG.md");
    run(Command::new("gh")
        .args(["release", "create", tag, "--verify-tag", "--notes-file"])
        .arg(notes)
        .args(files(&out)?)
        .current_dir(root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a forge runs, a developer can run.
    #[test]
    fn workflows_call_nothing_but_these_tasks() {
        let mut calls = 0;
        for file in files(&root().join(".github/workflows")).unwrap() {
            let text = std::fs::read_to_string(&file).unwrap();
            for line in text.lines().map(|line| line.trim_start_matches([' ', '-'])) {
                let Some(call) = line.strip_prefix("run:") else { continue };
                assert!(["cargo xtask ", ".ci/run"].iter().any(|known| call.trim().starts_with(known)), "{call}");
                calls += 1;
            }
        }
        assert!(calls >= 3, "{calls}");
    }

    #[test]
    fn checksums_are_of_what_was_built() {
        let folder = std::env::temp_dir().join(format!("mixgist-dist-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let nothing = checksums(&folder);
        std::fs::write(folder.join("a.whl"), "abc").unwrap();
        let something = checksums(&folder);
        let sums = std::fs::read_to_string(folder.join("SHA256SUMS"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(nothing.unwrap_err().contains("nothing was built"));
        assert_eq!(something, Ok(()));
        let sums = sums.unwrap();
        assert_eq!(sums, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.whl\n");
    }

    #[test]
    fn only_the_tag_of_this_version_is_published() {
        for tag in ["", "v", "main", "0.0.0", "v999.0.0", concat!("v", env!("CARGO_PKG_VERSION"), "-rc1")] {
            assert!(publish(tag).unwrap_err().contains("must agree"), "{tag}");
        }
    }
}
