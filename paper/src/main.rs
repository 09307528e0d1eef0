//! `cargo xtask paper`: reproduces the paper's tables and figures.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use mixgist::{Error, Result};
use mixgist_paper::entries::{ENTRIES, Entry, entry};
use mixgist_paper::model::Length;
use mixgist_paper::page::{Block, Section, html, markdown};
use mixgist_paper::study::{Options, Study};

const TITLE: &str = "The paper, reproduced";

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(hint) = error.hint_text() {
                eprintln!("hint: {hint}");
            }
            ExitCode::FAILURE
        }
    }
}

struct Arguments {
    options: Options,
    entries: Vec<&'static Entry>,
    output: PathBuf,
}

fn usage() -> String {
    let entries: String = ENTRIES.iter().map(|e| format!("\n  {:<12} {}", e.name, e.help)).collect();
    format!(
        "usage: cargo xtask paper [ENTRY ...] [--draws DIR] [--as-published] [--repeats N] [-o DIR]

Prints all entries and writes RESULTS.md, results.html and figures/; with names of entries prints these and writes nothing.

  --draws DIR      also from the published draws of Old Faithful (DIR/draws.npz)
  --as-published   also by the published procedure: its sampler, its directions, its conventions
  --repeats N      repeats of the simulation (25); Old Faithful has as many, but at most 10
  -o DIR           write there instead of into paper/

Entries:{entries}"
    )
}

fn parse(words: &[String]) -> Result<Arguments> {
    let mut arguments = Arguments {
        options: Options { draws: None, as_published: false, repeats: 25, length: Length::PAPER },
        entries: Vec::new(),
        output: PathBuf::from(env!("CARGO_MANIFEST_DIR")),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| Error::usage(format!("{word} needs a value")).hint(usage()));
        match word.as_str() {
            "--draws" => arguments.options.draws = Some(value()?.into()),
            "--as-published" => arguments.options.as_published = true,
            "--repeats" => {
                let text = value()?;
                let count = text.parse().ok().filter(|count| *count > 0);
                arguments.options.repeats =
                    count.ok_or_else(|| Error::usage(format!("--repeats is '{text}', expected a number from 1")))?;
            }
            "-o" => arguments.output = value()?.into(),
            option if option.starts_with('-') => {
                return Err(Error::usage(format!("unknown option '{option}'")).hint(usage()));
            }
            name => arguments.entries.push(entry(name)?),
        }
    }
    Ok(arguments)
}

fn run(words: &[String]) -> Result<()> {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        println!("{}", usage());
        return Ok(());
    }
    let arguments = parse(words)?;
    let study = Study::new(arguments.options)?;
    let start = Instant::now();
    let mut sections = Vec::new();
    let all = arguments.entries.is_empty();
    for entry in if all { ENTRIES.iter().collect() } else { arguments.entries } {
        eprintln!("{}", entry.name);
        sections.extend((entry.run)(&study)?);
    }
    if !all {
        print!("{}", markdown(TITLE, &sections));
        return Ok(());
    }
    sections.insert(0, overview(&study, words, start.elapsed().as_secs_f64()));
    let text = markdown(TITLE, &sections);
    print!("{text}");
    write(&arguments.output, &sections, &text)
}

/// How the page was made and how to read it.
fn overview(study: &Study, words: &[String], seconds: f64) -> Section {
    let mut section = Section::new("How to read this page");
    // folders are nobody else's, and where the page was written changes nothing
    let mut shown = vec!["cargo xtask paper"];
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match word {
            "-o" => drop(rest.next()),
            "--draws" => {
                shown.extend([word, "DIR"]);
                rest.next();
            }
            _ => shown.push(word),
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    section.text(format!(
        "Written by `{}` in {:.0} s on {threads} threads of a shared machine. Published numbers: {}.",
        shown.join(" "),
        seconds,
        study.published.source
    ));
    section.text(
        "The first three sections say what agrees, why the rest does not, and which slips of the paper were found; the paper's tables and figures follow \
         further down. Each number of a table stands beside the published one as mean ± standard deviation over repeats, with z in \
         brackets: by how many standard errors it is above the published number. Repeats are new data and a new chain for the simulation \
         (25), new chains for Old Faithful (10), new directions and new densities given a partition for the published draws (10). z uses the spread \
         over repeats of both sides, or, where the paper prints a single number, takes that for one more repeat. z beyond 3 is bold.",
    );
    section.text(
        "Draws: **mixgist's sampler** is its blocked sampler with the paper's prior, truncation, iterations and burn-in, with mixgist's partition \
         search and medoids. **Published draws** are those that the paper's Tables 4 to 6 were made from. **Published procedure** \
         (`--as-published`) is a plain blocked Gibbs sampler started from k-means with ten clusters, with densities from partitions and \
         expected distances as computed for the paper; **on the published sticks**, the same started from two clusters on the sticks where the \
         published chain had them. All medoids use L = 100 independent directions, as the paper says.",
    );
    section
}

fn write(folder: &Path, sections: &[Section], text: &str) -> Result<()> {
    let io = |path: &Path, cause| Error::io(path, "write", &cause);
    let put = |path: PathBuf, content: &str| std::fs::write(&path, content).map_err(|cause| io(&path, cause));
    let figures = folder.join("figures");
    std::fs::create_dir_all(&figures).map_err(|cause| io(&figures, cause))?;
    for block in sections.iter().flat_map(|section| &section.blocks) {
        if let Block::Figure { file, svg, .. } = block {
            put(figures.join(file), svg)?;
        }
    }
    put(folder.join("RESULTS.md"), text)?;
    put(folder.join("results.html"), &html(TITLE, sections))
}
