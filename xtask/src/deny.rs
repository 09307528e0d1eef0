//! Licences, sources and known defects of the dependencies.

use std::process::Command;

use crate::{root, run};

/// Compares the dependencies with the advisories that are checked in, then runs cargo-deny, if it can be had.
pub fn deny() -> Result<(), String> {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).map_err(|cause| format!("{name}: {cause}"));
    let (lock, advisories, deny) = (read("Cargo.lock")?, read("advisories.txt")?, read("deny.toml")?);
    let found = concerned(&lock, &advisories)?;
    let open: Vec<&String> = found.iter().filter(|line| !deny.contains(&line[..line.find(' ').unwrap_or(0)])).collect();
    println!("advisories.txt: {} concern us, {} of them justified in deny.toml", found.len(), found.len() - open.len());
    if let Some(first) = open.first() {
        return Err(format!("{first}\nupdate the crate, or justify it in deny.toml"));
    }
    let installed = Command::new("cargo-deny").arg("--version").output().is_ok_and(|output| output.status.success());
    let tools = root().join("target/tools");
    let own = tools.join("bin/cargo-deny");
    if !installed && !own.exists() {
        let install = run(Command::new(env!("CARGO"))
            .args(["install", "--quiet", "--locked", "cargo-deny", "--root"])
            .arg(&tools));
        if install.is_err() {
            println!("SKIPPED: licences, sources and duplicates need cargo-deny, which could not be installed");
            return Ok(());
        }
    }
    let program = if installed { "cargo-deny".into() } else { own };
    let check = |what: &[&str]| run(Command::new(&program).args(["--all-features", "check"]).args(what));
    check(&["bans", "licenses", "sources"])?;
    if check(&["advisories"]).is_err() {
        println!(
            "SKIPPED: the database of advisories cannot be reached, or cargo-deny found one above: see advisories.txt"
        );
    }
    Ok(())
}

/// The advisories about versions that are in the lock file: "ID crate version".
fn concerned(lock: &str, advisories: &str) -> Result<Vec<String>, String> {
    let packages: Vec<(&str, &str)> = lock
        .split("[[package]]")
        .skip(1)
        .filter_map(|text| {
            let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_suffix('"'));
            Some((field("name = \"")?, field("version = \"")?))
        })
        .collect();
    let mut found = Vec::new();
    for line in advisories.lines().filter(|line| !line.starts_with('#')) {
        let line = line.split(" #").next().unwrap_or(line).trim();
        let mut words = line.splitn(3, ' ');
        let (Some(id), Some(name), Some(safe)) = (words.next(), words.next(), words.next()) else {
            return Err(format!("advisories.txt: '{line}' is no advisory"));
        };
        for (_, version) in packages.iter().filter(|(known, _)| *known == name) {
            if !safe.split('|').any(|range| is_within(version, range)) {
                found.push(format!("{id} {name} {version}"));
            }
        }
    }
    Ok(found)
}

/// Whether a version satisfies all of `>=1.2, <2`, `^0.3.4`.
fn is_within(version: &str, range: &str) -> bool {
    let parts = |text: &str| -> Vec<u64> {
        let plain = text.trim().split(['-', '+']).next().unwrap_or("");
        let mut numbers: Vec<u64> = plain.split('.').map(|part| part.parse().unwrap_or(0)).collect();
        numbers.resize(3, 0);
        numbers
    };
    let version = parts(version);
    let one = |condition: &str| {
        let condition = condition.trim();
        let start = condition.find(|c: char| c.is_ascii_digit())?;
        let bound = parts(&condition[start..]);
        Some(match condition[..start].trim() {
            ">=" => version >= bound,
            ">" => version > bound,
            "<=" => version <= bound,
            "<" => version < bound,
            "^" => {
                let same = bound.iter().position(|&part| part > 0).unwrap_or(2) + 1;
                version >= bound && version[..same] == bound[..same]
            }
            _ => version == bound,
        })
    };
    range.split(',').all(|condition| one(condition).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_understood() {
        assert!(is_within("1.12.1", ">=1.11.1") && !is_within("1.2.3", ">=1.11.1"));
        assert!(is_within("0.9.5", "<0.10.0, >=0.9.3") && !is_within("0.10.0", "<0.10.0, >=0.9.3"));
        assert!(is_within("0.3.7", "^0.3.4") && !is_within("0.4.0", "^0.3.4") && is_within("1.9.0", "^1.2"));
        assert!(!is_within("1.0.0", "-"));
    }

    #[test]
    fn a_version_that_no_range_holds_is_found() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";
        let advisories = "# x\nID-1 a >=1.0.1 | <0.9\nID-2 b >=1.0\nID-3 c -\n";
        assert_eq!(concerned(lock, advisories).unwrap(), ["ID-1 a 1.0.0"]);
    }

    /// The same as `cargo xtask deny` does first, in every run of the tests.
    #[test]
    fn no_dependency_has_an_advisory_that_is_not_justified() {
        let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
        let deny = read("deny.toml");
        let open = concerned(&read("Cargo.lock"), &read("advisories.txt")).unwrap();
        let open: Vec<&String> = open.iter().filter(|line| !deny.contains(line.split(' ').next().unwrap())).collect();
        assert!(open.is_empty(), "{open:?}");
    }
}
