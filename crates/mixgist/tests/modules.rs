//! The module graph of the core is the one that ARCHITECTURE.md promises: a module uses those below it only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The top-level modules, and for each name that `lib.rs` exports from one of them that module.
fn modules_and_names() -> (BTreeSet<String>, BTreeMap<String, String>) {
    let lib = std::fs::read_to_string(source().join("lib.rs")).unwrap();
    let (mut modules, mut names) = (BTreeSet::new(), BTreeMap::new());
    for statement in lib.split(';').map(str::trim) {
        let last = statement.lines().last().unwrap_or("").trim_start_matches("pub ");
        if let Some(name) = last.strip_prefix("mod ") {
            modules.insert(name.to_owned());
        }
        if let Some((_, path)) = statement.split_once("pub use ") {
            let (module, exported) = path.split_once("::").unwrap();
            for name in words(exported) {
                names.insert(name, module.to_owned());
            }
        }
    }
    (modules, names)
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The first names of every path that starts with `crate::`: one, or several in braces.
fn heads(code: &str) -> Vec<String> {
    let mut heads = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let Some(inside) = rest.strip_prefix('{') else {
            heads.extend(words(rest).into_iter().next());
            continue;
        };
        let (mut depth, mut start) = (0, true);
        let mut name = String::new();
        for c in inside.chars() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    heads.push(std::mem::take(&mut name));
                    start = true;
                }
                c if start && (c.is_alphanumeric() || c == '_') => name.push(c),
                ':' => start = false,
                _ => {}
            }
        }
        heads.push(name);
    }
    heads
}

/// The modules that each top-level module uses outside of its tests, whether by path or by a name of the root.
fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let (modules, names) = modules_and_names();
    let mut edges = BTreeMap::new();
    for module in &modules {
        let mut files = vec![source().join(format!("{module}.rs"))];
        let mut folders = vec![source().join(module)];
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
        let mut used = BTreeSet::new();
        for file in files.iter().filter(|file| file.exists()) {
            let text = std::fs::read_to_string(file).unwrap();
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or("");
            let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            for name in heads(&code) {
                let target = if modules.contains(&name) { Some(&name) } else { names.get(&name) };
                used.extend(target.filter(|target| *target != module).cloned());
            }
        }
        edges.insert(module.clone(), used);
    }
    edges
}

/// The lines of the block of layers in ARCHITECTURE.md, from the top.
fn layers() -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let text = std::fs::read_to_string(path).unwrap();
    let block = text.split("```layers\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of layers");
    block.lines().map(words).collect()
}

#[test]
fn modules_use_those_below_them_only() {
    let (edges, layers) = (edges(), layers());
    assert!(edges.len() > 30, "the modules were not found");
    assert!(edges["summary"].contains("error") && edges["narrative"].len() > 10, "uses were not found");
    let listed: Vec<&String> = layers.iter().flatten().collect();
    let set: BTreeSet<&String> = listed.iter().copied().collect();
    assert_eq!(set.len(), listed.len(), "a module stands twice in ARCHITECTURE's layers");
    assert_eq!(set, edges.keys().collect(), "ARCHITECTURE's layers and the modules of lib.rs differ");
    let height = |module: &str| layers.iter().rev().position(|layer| layer.iter().any(|name| name == module)).unwrap();
    let wrong: Vec<String> = edges
        .iter()
        .flat_map(|(module, used)| used.iter().map(move |other| (module, other)))
        .filter(|(module, other)| height(other) >= height(module))
        .map(|(module, other)| format!("{module} uses {other}, which does not lie below it"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
