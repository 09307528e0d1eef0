//! The site: figures and pages of the gallery are made by running it, then mkdocs builds everything into `target/site` and checks the links within.

use std::path::Path;
use std::process::Command;

use crate::python::Environment;
use crate::{cargo, root, run};

/// How long the fits of the gallery are.
#[derive(Clone, Copy, PartialEq)]
pub enum Length {
    Full,
    /// A tenth of the iterations, as in the tests.
    Short,
}

/// Builds the site. What the pages load comes from the site itself.
pub fn build(length: Length) -> Result<(), String> {
    let Some(environment) = Environment::open("docs-venv", &[".[docs]"])? else {
        println!("SKIPPED: the site needs python3");
        return Ok(());
    };
    check_spelling(&environment)?;
    cargo(&["build", "--package", "mixgist-cli"])?;
    environment.develop()?;
    let (made, site) = match length {
        Length::Full => (root().join("target/docs"), root().join("target/site")),
        Length::Short => (root().join("target/docs-short"), root().join("target/site-short")),
    };
    if length == Length::Full {
        // Entries that were renamed leave nothing behind.
        let _ = std::fs::remove_dir_all(&made);
    }
    let mut gallery = environment.python(&[]);
    gallery.arg(root().join("docs/build/gallery.py")).arg(&made).current_dir(root());
    if length == Length::Short {
        gallery.env("MIXGIST_GALLERY", "short");
    }
    run(&mut gallery)?;
    let program = root().join("target/debug").join(format!("mixgist{}", std::env::consts::EXE_SUFFIX));
    run(environment
        .python(&["-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"])
        .arg(&site)
        .current_dir(root())
        .env("MIXGIST_MADE", &made)
        .env("MIXGIST_CLI", program)
        .env("NO_MKDOCS_2_WARNING", "1"))?;
    expect_own_parts(&site)?;
    println!("the site is in {}", site.display());
    Ok(())
}

/// Common misspellings in what people read: pages, help texts, docstrings, sentences of the program.
fn check_spelling(environment: &Environment) -> Result<(), String> {
    // Names of the code and of people.
    let known = "atmost,lik,nd,ot,ser,teh";
    let output =
        Command::new("git").args(["ls-files", "*.md", "*.Rmd", "*.R", "*.py", "*.rs"]).current_dir(root()).output();
    let output = output.map_err(|cause| format!("git could not be started: {cause}"))?;
    let files = String::from_utf8_lossy(&output.stdout);
    run(environment
        .python(&["-m", "codespell_lib", "--ignore-words-list", known])
        .args(files.lines())
        .current_dir(root()))
}

/// Scripts, styles, fonts and pictures of other hosts would be missing without a network, and would tell that host who reads.
fn expect_own_parts(folder: &Path) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|cause| format!("cannot read {}: {cause}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|cause| cause.to_string())?.path();
        if path.is_dir() {
            expect_own_parts(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "html" || extension == "css") {
            let text =
                std::fs::read_to_string(&path).map_err(|cause| format!("cannot read {}: {cause}", path.display()))?;
            for mark in ["src=\"http", "src=\"//", "url(http", "url(//", "@import \"http"] {
                if text.contains(mark) {
                    return Err(format!("{} loads something from another host: {mark}", path.display()));
                }
            }
            if text.split("<link").skip(1).any(|rest| {
                let tag = rest.split('>').next().unwrap_or("");
                tag.contains("stylesheet") && tag.contains("href=\"http")
            }) {
                return Err(format!("{} loads a style from another host", path.display()));
            }
        }
    }
    Ok(())
}
