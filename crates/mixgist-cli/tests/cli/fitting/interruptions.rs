//! Runs that are killed, stopped or out of room go on from their checkpoints and give the draws of a run that never was.
#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use super::{ALGORITHMS, bytes_of};
use crate::{Workplace, names};

/// Draws and diagnostics, bit for bit.
fn answer_of(place: &Workplace, name: &str) -> (Vec<u8>, String) {
    (bytes_of(place, &format!("{name}.npz")), place.read(&format!("{name}.fit.json")))
}

/// Starts a run, kills it as soon as its checkpoint folder holds `file`, and says whether it was still alive.
fn killed_at(place: &Workplace, line: &str, file: &str) -> bool {
    let mut child = place.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !place.path("saved").join(file).exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap().signal() == Some(9)
}

#[test]
fn a_killed_run_resumes_to_the_same_bits() {
    for algorithm in ALGORITHMS {
        // A run that ends before it is seen, because the machine is busy with something else, is no proof: a longer one is.
        let lengths = [30_000, 120_000, 480_000, 1_920_000];
        let killed =
            lengths.map(|iterations| move || kill_and_resume(algorithm, iterations)).iter().any(|run| run() >= 2);
        assert!(killed, "{algorithm} was not killed twice");
    }
}

/// The same run is killed again and again, each time further on; says how often.
fn kill_and_resume(algorithm: &str, iterations: usize) -> u32 {
    let place = Workplace::with_draws();
    let options = format!(
        "data.csv --algorithm {algorithm} --chains 2 --iterations {iterations} --burn-in 2000 --thin 400 --alpha gamma(2,2)"
    );
    place.done(&format!("fit {options} -o whole.npz"));
    let mut killed = 0;
    let moments = ["run", "chain-0.state", "chain-1.draws-2", "chain-0.draws-9", "chain-1.draws-16"];
    for (i, moment) in moments.into_iter().enumerate() {
        let folder = if i == 0 { "--checkpoint saved" } else { "--resume saved" };
        let line = format!("fit {options} -o resumed.npz {folder} --checkpoint-every 500");
        killed += u32::from(killed_at(&place, &line, moment));
        if place.path("resumed.npz").exists() {
            break; // it was done before it could be killed
        }
    }
    if !place.path("resumed.npz").exists() {
        place.done(&format!("fit {options} -o resumed.npz --resume saved"));
    }
    assert!(answer_of(&place, "resumed") == answer_of(&place, "whole"), "{algorithm}");
    assert!(names(place.folder.path()).iter().all(|name| !name.ends_with(".part")));
    killed
}

#[test]
fn a_run_resumes_only_as_itself() {
    let place = Workplace::with_draws();
    let fit = "--chains 1 --iterations 200 --burn-in 100";
    place.done(&format!("fit data.csv {fit} -o first.npz --checkpoint saved"));
    let again = place.run(&format!("fit data.csv {fit} -o second.npz --checkpoint saved"));
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(again.stderr.contains("saved: the directory holds the checkpoint of a run already"), "{}", again.stderr);
    let other = place.run(&format!("fit data.csv {fit} -o second.npz --resume saved --seed 1"));
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(other.stderr.contains("'seed: 0,' then, 'seed: 1,' now"), "{}", other.stderr);
    let state = place.path("saved/chain-0.state");
    let whole = std::fs::read(&state).unwrap();
    std::fs::write(&state, &whole[..whole.len() / 2]).unwrap();
    let damaged = place.run(&format!("fit data.csv {fit} -o second.npz --resume saved"));
    assert_eq!(damaged.code, Some(1), "{}", damaged.stderr);
    assert!(damaged.stderr.contains("saved/chain-0.state"), "{}", damaged.stderr);
    std::fs::write(&state, &whole).unwrap();
    place.done(&format!("fit data.csv {fit} -o second.npz --resume saved"));
    assert!(answer_of(&place, "second") == answer_of(&place, "first"));
}

#[test]
fn a_path_that_cannot_be_written_is_named_before_any_work() {
    let place = Workplace::with_draws();
    let before = place.files();
    // A run that would take hours: the error comes first.
    let long = "fit data.csv --iterations 1000000000 --burn-in 999999900";
    for (options, expected) in [
        ("-o no/such/fitted.npz", "no/such/fitted.npz: the folder no/such does not exist"),
        ("-o /proc/fitted.npz", "/proc/fitted.npz: cannot write: "),
        ("-o fitted.npz --checkpoint data.csv", "data.csv: cannot make the checkpoint directory: "),
        ("-o fitted.npz --checkpoint data.csv/saved", "data.csv/saved: cannot make the checkpoint directory: "),
        ("-o fitted.npz --checkpoint /proc/saved", "/proc/saved: cannot make the checkpoint directory: "),
    ] {
        let run = place.run(&format!("{long} {options}"));
        assert!(matches!(run.code, Some(1 | 2)), "{options}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{options}: {}", run.stderr);
        assert_eq!(place.files(), before, "{options}");
    }
}

#[test]
fn an_answer_that_cannot_be_printed_is_an_error_and_the_draws_stay() {
    let place = Workplace::with_draws();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = place.command("fit data.csv -o fitted.npz --chains 1 --iterations 200 --burn-in 100 --thin 1");
    let Output { status, stderr, .. } = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot write to standard output: No space left on device"), "{stderr}");
    assert_eq!(super::draws_of(&place, "fitted.npz").ensemble.len(), 100);
}

/// Runs a shell script that may mount small disks, which are gone when it ends; `None` where nobody may.
fn with_disks(folder: &Path, script: &str) -> Option<Output> {
    let ways: [&[&str]; 3] = [
        &["unshare", "--mount"],
        &["unshare", "--user", "--map-root-user", "--mount"],
        &["sudo", "-n", "unshare", "--mount"],
    ];
    let run = |way: &[&str], script: &str| {
        let program = env!("CARGO_BIN_EXE_mixgist");
        Command::new(way[0]).args(&way[1..]).args(["sh", "-c", script, program]).current_dir(folder).output()
    };
    std::fs::create_dir(folder.join("disk")).unwrap();
    let possible = |way: &&&[&str]| {
        run(way, "mount -t tmpfs -o size=64k tmpfs disk && mount -o remount,size=1m disk")
            .is_ok_and(|output| output.status.success())
    };
    ways.iter().find(possible).map(|way| run(way, script).unwrap())
}

/// A disk of 160 kB fills up with checkpoints; one of 32 kB holds an earlier answer and has no room for a new one.
const FULL_DISKS: &str = r#"
fit="$0 fit data.csv --chains 2 --iterations 4000 --burn-in 1000 --thin 4"
mount -t tmpfs -o size=160k tmpfs disk
$fit -o lost.npz --checkpoint disk/saved --checkpoint-every 100 2>checkpoint.txt; echo "checkpoint: $?"
ls disk/saved | grep -c state
ls -A disk/saved | grep -c part
mount -o remount,size=64m disk
$fit -o resumed.npz --resume disk/saved >resumed.txt 2>&1; echo "resumed: $?"
umount disk
mount -t tmpfs -o size=32k tmpfs disk
$0 fit data.csv --chains 1 --iterations 8 --burn-in 4 -o disk/draws.npz --algorithm marginal --covariance diagonal >small.txt 2>&1; echo "small: $?"
cp disk/draws.npz earlier.npz
$fit -o disk/draws.npz --force --checkpoint kept 2>output.txt; echo "output: $?"
cmp disk/draws.npz earlier.npz; echo "intact: $?"
ls -A disk
$fit -o again.npz --resume kept >again.txt 2>&1; echo "again: $?"
"#;

#[test]
fn a_full_disk_loses_nothing_that_was_saved() {
    let place = Workplace::with_draws();
    place.done("fit data.csv --chains 2 --iterations 4000 --burn-in 1000 --thin 4 -o whole.npz");
    let Some(output) = with_disks(place.folder.path(), FULL_DISKS) else {
        eprintln!(
            "SKIPPED: a full disk cannot be made here, it takes the right to mount one (root, or user namespaces)"
        );
        return;
    };
    let said = String::from_utf8(output.stdout).unwrap();
    let texts = ["checkpoint.txt", "resumed.txt", "small.txt", "output.txt", "again.txt"].map(|name| place.read(name));
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "checkpoint: 1",
            "2", // both chains had saved a state,
            "0", // and half a file is not left
            "resumed: 0",
            "small: 0",
            "output: 1",
            "intact: 0",
            "draws.fit.json",
            "draws.npz",
            "again: 0"
        ],
        "{}",
        texts.join("\n")
    );
    let [checkpoint, _, _, written, _] = &texts;
    assert!(
        checkpoint.contains("disk/saved/chain-")
            && checkpoint.contains(": cannot write: No space left on device")
            && checkpoint.contains("hint: earlier checkpoints are whole"),
        "{checkpoint}"
    );
    assert!(written.contains("disk/draws.fit.json: cannot write: No space left on device"), "{written}");
    assert!(!place.path("lost.npz").exists());
    let whole = answer_of(&place, "whole");
    assert!(answer_of(&place, "resumed") == whole && answer_of(&place, "again") == whole);
}
