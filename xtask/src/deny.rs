//! Licences, sources and known defects of the dependencies.

use std::process::Command;

use crate::{root, run};

/// Holds the dependencies against what is checked in: advisories, licences and sources. cargo-deny, where it is installed, does so once more.
pub fn deny() -> Result<(), String> {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).map_err(|cause| format!("{name}: {cause}"));
    let (lock, advisories, deny) = (read("Cargo.lock")?, read("advisories.txt")?, read("deny.toml")?);
    let found = concerned(&lock, &advisories)?;
    let open: Vec<&String> = found.iter().filter(|line| !deny.contains(&line[..line.find(' ').unwrap_or(0)])).collect();
    println!("advisories.txt: {} concern us, {} of them justified in deny.toml", found.len(), found.len() - open.len());
    if let Some(first) = open.first() {
        return Err(format!("{first}\nupdate the crate, or justify it in deny.toml"));
    }
    let others: Vec<&str> = lock.lines().filter(|line| line.starts_with("source = ") && *line != SOURCE).collect();
    if let Some(other) = others.first() {
        return Err(format!("Cargo.lock: {other}: dependencies come from crates.io"));
    }
    let licensed = licences()?;
    let allowed = listed(&deny, "allow = [");
    if let Some((name, licence)) = licensed.iter().find(|(_, licence)| !is_allowed(licence, &allowed)) {
        return Err(format!("{name} has the licence '{licence}', which deny.toml does not allow"));
    }
    println!(
        "licences: those of {} crates are among the {} of deny.toml; all come from crates.io",
        licensed.len(),
        allowed.len()
    );
    let mut names: Vec<&str> = lock.lines().filter_map(|line| line.strip_prefix("name = ")).collect();
    names.sort_unstable();
    let mut twice: Vec<&str> =
        names.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0].trim_matches('"')).collect();
    twice.dedup();
    println!("in more than one version: {}", twice.join(", "));
    if !Command::new("cargo-deny").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: the database of advisories is not asked, which needs cargo-deny: see advisories.txt");
        return Ok(());
    }
    let check = |what: &[&str]| run(Command::new("cargo-deny").args(["--all-features", "check"]).args(what));
    check(&["bans", "licenses", "sources"])?;
    if check(&["advisories"]).is_err() {
        println!(
            "SKIPPED: the database of advisories cannot be reached, or cargo-deny found one above: see advisories.txt"
        );
    }
    Ok(())
}

const SOURCE: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// The crates of others with their licences, on every platform.
fn licences() -> Result<Vec<(String, String)>, String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--workspace",
            "--all-features",
            "--target",
            "all",
            "--edges",
            "normal,build,dev",
            "--prefix",
            "none",
        ])
        .args(["--format", "{p};{l}"])
        .current_dir(root())
        .output()
        .map_err(|cause| format!("cargo tree could not be started: {cause}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut found: Vec<(String, String)> = text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.contains(&format!("({}", root().display())))
        .filter_map(|line| line.split_once(';').map(|(name, licence)| (name.to_owned(), licence.to_owned())))
        .collect();
    found.sort();
    found.dedup();
    Ok(found)
}

/// The texts of a list in deny.toml.
fn listed(text: &str, head: &str) -> Vec<String> {
    let list = text.split_once(head).and_then(|(_, rest)| rest.split_once("\n]")).map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether a licence can be chosen so that all of it is allowed: `(MIT OR Apache-2.0) AND Unicode-3.0`.
fn is_allowed(licence: &str, allowed: &[String]) -> bool {
    let spaced = licence.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace(" WITH ", "_WITH_");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest, allowed) && rest.is_empty()
}

fn any_of(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut good = all_of(rest, allowed);
    while let ["OR", after @ ..] = *rest {
        *rest = after;
        good |= all_of(rest, allowed);
    }
    good
}

fn all_of(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut good = one(rest, allowed);
    while let ["AND", after @ ..] = *rest {
        *rest = after;
        good &= one(rest, allowed);
    }
    good
}

fn one(rest: &mut &[&str], allowed: &[String]) -> bool {
    let Some((first, after)) = rest.split_first() else { return false };
    *rest = after;
    if *first != "(" {
        return allowed.iter().any(|licence| *licence == first.replace("_WITH_", " WITH "));
    }
    let good = any_of(rest, allowed);
    let closed = rest.first() == Some(&")");
    *rest = rest.get(1..).unwrap_or(&[]);
    good && closed
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
    fn licences_are_understood() {
        let allowed = listed(
            "x = 1\nallow = [\n \"MIT\", \"Unicode-3.0\",\n \"Apache-2.0 WITH LLVM-exception\",\n]\n",
            "allow = [",
        );
        assert_eq!(allowed.len(), 3);
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "Unlicense/MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND Zlib", "Apache-2.0", "(MIT", "MIT MIT"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
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
