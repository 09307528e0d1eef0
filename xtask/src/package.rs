//! The packages that are published, and the lowest version of Rust that they allow.

use crate::cargo;

/// The published crates, each after those that it needs.
const PUBLISHED: [&str; 6] =
    ["mixgist", "mixgist-files", "mixgist-io", "mixgist-samplers", "mixgist-report", "mixgist-cli"];

/// Packs all of them at once, so that each finds the others though no registry has them.
pub fn package(options: &[&str]) -> Result<(), String> {
    let names = PUBLISHED.iter().flat_map(|name| ["--package", name]);
    cargo(&["package", "--allow-dirty"].into_iter().chain(names).chain(options.iter().copied()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root;
    use serde_json::Value;
    use std::process::Command;

    /// `cargo metadata`, of all platforms if their crates can be had, else of what this machine was built from.
    fn metadata() -> Value {
        let ask = |more: &[&str]| {
            let mut command = Command::new(env!("CARGO"));
            command.args(["metadata", "--format-version", "1", "--locked"]).args(more).current_dir(root());
            let output = command.output().unwrap();
            output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
        };
        let compiler = Command::new("rustc").arg("-vV").output().unwrap().stdout;
        let compiler = String::from_utf8(compiler).unwrap();
        let host = compiler.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        ask(&[]).or_else(|| ask(&["--offline", "--filter-platform", host])).expect("cargo metadata fails")
    }

    fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
        metadata["packages"].as_array().unwrap().iter()
    }

    fn version(text: &str) -> Vec<u64> {
        let mut numbers: Vec<u64> = text.split('.').map(|part| part.parse().unwrap()).collect();
        numbers.resize(3, 0);
        numbers
    }

    /// No dependency asks for a newer Rust than ours, and one asks for as new a one: ours is the lowest. Whether an older compiler would do, only that
    /// compiler can say.
    #[test]
    fn our_rust_version_is_the_lowest_that_the_dependencies_allow() {
        let metadata = metadata();
        let of = |package: &Value| package["rust_version"].as_str().map(version);
        let ours = packages(&metadata).find(|package| package["name"] == "mixgist").and_then(of).unwrap();
        let needed = packages(&metadata)
            .filter(|package| !package["source"].is_null())
            .filter_map(|package| Some((of(package)?, format!("{} {}", package["name"], package["version"]))));
        let (newest, who) = needed.max().unwrap();
        assert_eq!(newest, ours, "{who} needs the newest Rust of all dependencies; rust-version in Cargo.toml is ours");
    }

    /// What is not marked `publish = false` is published, and says what a registry shows of it.
    #[test]
    fn published_crates_are_listed_and_described() {
        let metadata = metadata();
        let published = |package: &&Value| package["source"].is_null() && package["publish"].is_null();
        let mut names: Vec<&str> = Vec::new();
        for package in packages(&metadata).filter(published) {
            names.push(package["name"].as_str().unwrap());
            for field in ["description", "license", "readme", "rust_version"] {
                assert!(package[field].is_string(), "{} has no {field}", package["name"]);
            }
            for field in ["keywords", "categories"] {
                let count = package[field].as_array().unwrap().len();
                assert!((1..=5).contains(&count), "{} has {count} {field}", package["name"]);
            }
        }
        let mut listed = PUBLISHED;
        listed.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, listed);
    }
}
