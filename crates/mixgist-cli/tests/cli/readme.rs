//! The list of commands in the README, as a new user types it: in order, in one folder, on Old Faithful.

use std::path::Path;
use std::process::Command;

use crate::Workplace;

/// Processor time that the whole list may take, in seconds.
const MOST_SECONDS: f64 = 60.0;

/// The block of commands, without what installs the program.
fn commands(readme: &str) -> String {
    let block =
        readme.split("## Use it").nth(1).and_then(|rest| rest.split("```").nth(1)).expect("a block of commands");
    let lines = block.lines().skip(1).filter(|line| !line.starts_with("cargo install"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Seconds in the line of `times` about the programs that a shell has run: "1m2.50s 0m0.31s".
fn seconds(times: &str) -> f64 {
    let of = |word: &str| {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m').expect("minutes and seconds");
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    times.split_whitespace().map(of).sum()
}

#[test]
#[cfg(unix)]
fn the_commands_of_the_readme_run_in_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let commands = commands(&std::fs::read_to_string(root.join("README.md")).unwrap());
    assert!(commands.matches("mixgist ").count() >= 19, "{commands}");
    let place = Workplace::new();
    std::fs::copy(root.join("datasets/faithful.csv"), place.path("data.csv")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_mixgist")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let run = Command::new("sh")
        .args(["-e", "-c", &format!("{commands}times")])
        .env("PATH", path)
        .current_dir(place.path(""))
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && !stderr.contains("error"), "{stdout}\n{stderr}");
    let taken = seconds(stdout.lines().last().unwrap());
    println!("the commands of the README took {taken:.1} s of processor time");
    // Other programs on the machine and an unoptimised build make it longer: only a build for users is held to it.
    assert!(cfg!(debug_assertions) || taken < MOST_SECONDS, "{taken:.1} s of processor time");
    for file in ["longer.npz", "summary.json", "report.html", "bands.pdf", "aligned.csv", "distances.npy", "table.csv"]
    {
        assert!(place.path(file).metadata().unwrap().len() > 100, "{file}");
    }
}
