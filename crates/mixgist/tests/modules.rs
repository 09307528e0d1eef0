//! The module graph of the core has no cycles: a module uses those below it only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The modules that each top-level module uses outside of its tests, read from `use crate::…` and `crate::…::`.
fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = BTreeSet::new();
    for line in std::fs::read_to_string(source.join("lib.rs")).unwrap().lines() {
        let line = line.trim_start_matches("pub ");
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            modules.insert(name.to_owned());
        }
    }
    let mut edges = BTreeMap::new();
    for module in &modules {
        let mut used = BTreeSet::new();
        let mut files = vec![source.join(format!("{module}.rs"))];
        let mut folders = vec![source.join(module)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else if entry.extension().is_some_and(|e| e == "rs")
                    && entry.file_stem().is_some_and(|s| s != "tests")
                {
                    files.push(entry);
                }
            }
        }
        for file in files.iter().filter(|file| file.exists()) {
            let text = std::fs::read_to_string(file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                for part in line.split("crate::").skip(1) {
                    let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    if modules.contains(&name) && name != *module {
                        used.insert(name);
                    }
                }
            }
        }
        edges.insert(module.clone(), used);
    }
    edges
}

#[test]
fn modules_use_those_below_them_only() {
    let edges = edges();
    assert!(edges.len() > 30, "the modules were not found");
    let mut left: BTreeSet<&String> = edges.keys().collect();
    // Modules that use none of those that are left are below all of them; what remains in the end uses itself.
    loop {
        let below: Vec<&String> =
            left.iter().copied().filter(|module| edges[*module].iter().all(|used| !left.contains(used))).collect();
        if below.is_empty() {
            break;
        }
        below.iter().for_each(|module| {
            left.remove(module);
        });
    }
    let cycle: Vec<String> = left
        .iter()
        .map(|module| {
            let used: Vec<&str> =
                edges[*module].iter().filter(|used| left.contains(used)).map(String::as_str).collect();
            format!("{module} uses {}", used.join(", "))
        })
        .collect();
    assert!(cycle.is_empty(), "modules in a cycle:\n{}", cycle.join("\n"));
}
