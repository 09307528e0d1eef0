//! Every verb that writes, killed at each of its calls that change files, on full disks, with short and interrupted writes.
//!
//! A small library in C stands between the program and its files (`faults/shim.c`); it is built by the compiler that links Rust programs.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::{Workplace, names};

/// A command and what it writes; the last file says that all are there.
const VERBS: &[(&str, &[&str])] = &[
    ("convert draws.npz out.csv", &["out.csv"]),
    ("convert draws.npz out.parquet", &["out.parquet"]),
    ("convert draws.npz out.npz", &["out.npz"]),
    ("convert fitted.npz out.csv --labels l.npy --data d.npy", &["l.npy", "d.npy", "out.csv"]),
    (
        "summarize draws.npz --data data.csv --slices 10 --grid 5 --labels l.csv --memberships p.npy --density d.csv -o s.json",
        &["p.npy", "l.csv", "d.csv", "s.json"],
    ),
    (
        "summarize draws.npz --data data.csv --loss power --route blocks --slices 10 --labels l.csv -o s.json",
        &["l.csv", "s.json"],
    ),
    ("distance draws.npz --slices 10 --errors e.npy --matrix m.npy", &["e.npy", "m.npy"]),
    ("compare fitted.npz --slices 10 -o k.json", &["k.json"]),
    ("combine whole.slices -o k.json", &["k.json"]),
    ("credible draws.npz --slices 10 -o c.json", &["c.json"]),
    ("components draws.npz --slices 10 -o c.json", &["c.json"]),
    ("align draws.npz --slices 10 -o a.npz", &["a.npz"]),
    ("align draws.npz --slices 10 -o a.csv", &["a.csv"]),
    ("align draws.npz --slices 10 -o a.parquet", &["a.parquet"]),
    ("align draws.npz --slices 10 -o a.nc", &["a.nc"]),
    ("align draws.npz --slices 10 -o a.json", &["a.json"]),
    ("memberships draws.npz --data data.csv --slices 10 -o m.json", &["m.json"]),
    ("how-many draws.npz --data data.csv --slices 10 -o h.json", &["h.json"]),
    ("representatives draws.npz --slices 10 -o r.json", &["r.json"]),
    ("stability draws.npz --slices 10 -o s.json", &["s.json"]),
    ("partition z.csv --labels-out l.csv -o p.json", &["l.csv", "p.json"]),
    ("plot summary.json --kind losses -o losses.svg", &["losses.svg"]),
    ("report summary.json --without components,conformal,path,representatives,stability -o r.html", &["r.html"]),
    ("fit data.csv --chains 1 --iterations 40 --burn-in 20 -o f.npz", &["f.fit.json", "f.npz"]),
];

/// The shim, built once; `None` without a C compiler.
fn shim() -> Option<&'static Path> {
    static SHIM: std::sync::OnceLock<Option<PathBuf>> = std::sync::OnceLock::new();
    SHIM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/faults/shim.c");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shim-{}.so", std::process::id()));
        let built =
            Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl").status();
        let built = built.is_ok_and(|status| status.success()).then_some(library);
        if built.is_none() {
            assert!(std::env::var_os("CI").is_none(), "cc is missing");
            eprintln!("SKIPPED: faults of disks need a C compiler");
        }
        built
    })
    .as_deref()
}

/// A folder with what the verbs read.
fn workplace() -> Workplace {
    let place = Workplace::with_draws();
    place.write("z.csv", "0,0,1,1\n0,1,1,1\n0,0,0,1\n");
    place.done("summarize draws.npz --slices 10 -o summary.json");
    place.done("summarize draws.npz --slices 10 --slice-range 0:10 -o whole.slices");
    place.done("fit data.csv --chains 1 --iterations 40 --burn-in 20 -o fitted.npz");
    place
}

/// Whoever gives a verb an output gives it a line above. The demonstration has a test of its own: it fits and summarises for seconds before its
/// first write.
#[test]
fn no_verb_that_writes_is_forgotten() {
    let place = Workplace::new();
    let overview = place.done("--help").stdout;
    let commands = overview.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let verbs = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|verb| !verb.is_empty());
    let mut writing = 0;
    for verb in verbs.filter(|verb| !["help", "demo"].contains(verb)) {
        let help = place.done(&format!("{verb} --help")).stdout;
        if help.contains("--output <") || help.contains("<OUT>") {
            writing += 1;
            assert!(VERBS.iter().any(|(line, _)| line.split(' ').next() == Some(verb)), "{verb} writes");
        }
    }
    assert!(writing > 12, "{writing}");
}

fn faulty(place: &Workplace, line: &str, fault: &str, at: usize) -> Output {
    let mut command = place.command(line);
    command.env("LD_PRELOAD", shim().unwrap()).env("FAULT", fault).env("FAULT_AT", at.to_string());
    command.arg("--threads").arg("1").output().unwrap()
}

fn bytes(place: &Workplace, name: &str) -> Option<Vec<u8>> {
    std::fs::read(place.path(name)).ok()
}

/// Nothing is half there: each output is as it was before or as it should be, and with the last one all are new.
fn check(place: &Workplace, whole: &Workplace, before: Option<&[u8]>, outputs: &[&str], what: &str) {
    let is_new = |name: &&str| bytes(place, name) == bytes(whole, name);
    for name in outputs {
        let found = bytes(place, name);
        assert!(found.is_none() || found.as_deref() == before || is_new(name), "{what}: {name} is damaged");
    }
    if is_new(outputs.last().unwrap()) {
        assert!(outputs.iter().all(is_new), "{what}: not all were written");
    }
}

fn unfinished(place: &Workplace) -> Vec<String> {
    names(place.folder.path()).into_iter().filter(|name| name.ends_with(".part")).collect()
}

#[test]
fn a_verb_that_is_killed_at_any_call_leaves_whole_files_and_the_next_run_cleans_up() {
    if shim().is_none() {
        return;
    }
    for (line, outputs) in VERBS {
        let whole = workplace();
        whole.done(line);
        let mut calls = 0;
        for (fault, force) in [("kill", false), ("kill", true), ("torn", false), ("after", true)] {
            let place = workplace();
            let old = b"old".as_slice();
            let line = if force { format!("{line} --force") } else { (*line).to_owned() };
            for at in 1.. {
                for name in *outputs {
                    let _ = std::fs::remove_file(place.path(name));
                    if force {
                        std::fs::write(place.path(name), old).unwrap();
                    }
                }
                let run = faulty(&place, &line, fault, at);
                let what = format!("{line}, {fault} at call {at}");
                if run.status.code() == Some(0) {
                    check(&place, &whole, None, outputs, &what);
                    if fault == "kill" {
                        assert!(at > 2, "{what}: no call was seen");
                        calls = at;
                    }
                    if at >= calls {
                        break;
                    }
                    continue; // only writes can be torn
                }
                assert_eq!(run.status.code(), None, "{what}: {}", String::from_utf8_lossy(&run.stderr));
                check(&place, &whole, force.then_some(old), outputs, &what);
                assert!(at < 1000, "{what}");
            }
            // The last run was not killed: it has removed what the others left.
            assert_eq!(unfinished(&place), [""; 0], "{line}, {fault}");
        }
    }
}

#[test]
fn full_disks_and_failed_flushes_are_errors_that_leave_what_was() {
    if shim().is_none() {
        return;
    }
    for (line, outputs) in VERBS {
        let whole = workplace();
        whole.done(line);
        let total: usize = outputs.iter().map(|name| bytes(&whole, name).unwrap().len()).sum();
        let place = workplace();
        let mut faults: Vec<(&str, usize)> = [0, 1, total / 2, total - 1].map(|room| ("room", room)).to_vec();
        faults.extend((1..8).map(|call| ("sync", call)));
        for (fault, at) in faults {
            let run = faulty(&place, line, fault, at);
            let what = format!("{line}, {fault} {at}");
            if fault == "sync" && run.status.code() == Some(0) {
                outputs.iter().for_each(|name| std::fs::remove_file(place.path(name)).unwrap());
                continue; // that call was no flush of a file
            }
            let stderr = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(1), "{what}: {stderr}");
            assert!(stderr.contains("cannot write") && stderr.contains("(os error"), "{what}: {stderr}");
            assert!(outputs.iter().all(|name| bytes(&place, name).is_none()), "{what}");
            assert_eq!(unfinished(&place), [""; 0], "{what}");
        }
    }
}

#[test]
fn short_and_interrupted_writes_change_nothing() {
    if shim().is_none() {
        return;
    }
    for (line, outputs) in VERBS {
        let whole = workplace();
        whole.done(line);
        for fault in ["short", "eintr"] {
            let place = workplace();
            let run = faulty(&place, line, fault, 0);
            assert_eq!(run.status.code(), Some(0), "{line}, {fault}: {}", String::from_utf8_lossy(&run.stderr));
            assert!(outputs.iter().all(|name| bytes(&place, name) == bytes(&whole, name)), "{line}, {fault}");
        }
    }
}

#[test]
fn a_fit_that_is_killed_at_any_call_resumes_to_the_same_bytes() {
    if shim().is_none() {
        return;
    }
    let fit = "fit data.csv --chains 2 --iterations 40 --burn-in 20 --checkpoint-every 20 -o f.npz";
    let whole = workplace();
    whole.done(fit);
    let mut calls = usize::MAX;
    for fault in ["kill", "torn", "after"] {
        for at in 1..1000.min(calls) {
            let place = workplace();
            let begun = faulty(&place, &format!("{fit} --checkpoint saved"), fault, at);
            if begun.status.code() == Some(0) {
                if fault == "kill" {
                    assert!(at > 10, "{fault}: {at}");
                    calls = at;
                    break;
                }
                continue; // only writes can be torn
            }
            check(&place, &whole, None, &["f.fit.json", "f.npz"], &format!("{fault} at call {at}"));
            let how = if place.path("saved/run").exists() { "--resume" } else { "--checkpoint" };
            place.done(&format!("{fit} {how} saved --force"));
            for name in ["f.fit.json", "f.npz"] {
                assert!(bytes(&place, name) == bytes(&whole, name), "{fault} at call {at}: {name}");
            }
            assert_eq!(unfinished(&place), [""; 0]);
            assert!(names(&place.path("saved")).iter().all(|name| !name.ends_with(".part")), "{fault} at call {at}");
        }
    }
}

/// It writes several files, the report last, each as the verbs above write theirs: killed in the middle, what is there is whole.
#[test]
fn a_demonstration_that_is_killed_leaves_whole_files_and_no_report() {
    if shim().is_none() {
        return;
    }
    let place = Workplace::new();
    // Most calls are for the draws, the first file.
    let run = faulty(&place, "demo -o shown", "kill", 66);
    assert_eq!(run.status.code(), None, "it makes fewer calls than that: {}", String::from_utf8_lossy(&run.stderr));
    let written = names(&place.path("shown"));
    assert!(!written.is_empty());
    for name in written.iter().filter(|name| !name.ends_with(".part")) {
        let path = format!("shown/{name}");
        match name.as_str() {
            "draws.npz" => drop(place.done(&format!("inspect {path}"))),
            "data.csv" => assert_eq!(place.read(&path).lines().count(), 273),
            _ => assert!(serde_json::from_str::<serde_json::Value>(&place.read(&path)).is_ok(), "{name}"),
        }
    }
    assert_eq!(place.run("demo -o shown").code, Some(2));
}

/// A signal while a file is being written: it is given time, unless asked again; nothing unfinished stays.
#[test]
fn a_stop_while_a_file_is_written_leaves_nothing() {
    if shim().is_none() {
        return;
    }
    let place = workplace();
    let before = place.files();
    for line in [
        "report summary.json --without components,conformal,path,representatives,stability -o r.html",
        "convert draws.npz out.csv",
    ] {
        let mut command = place.stoppable(line);
        command.env("LD_PRELOAD", shim().unwrap()).env("FAULT", "stall").env("FAULT_AT", "2").stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        while unfinished(&place).is_empty() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        // Asked again and again: the second time it ends, whatever it does.
        while child.try_wait().unwrap().is_none() {
            Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        assert_eq!(child.wait().unwrap().code(), Some(130), "{line}");
        assert_eq!(place.files(), before, "{line}");
    }
}
