//! Jobs that end early: signals and readers that have seen enough.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{Workplace, line_draws};

/// Processor time of a process in seconds, and whether it has ended but was not waited for. Unlike the clock it does not depend on what
/// else the machine does.
fn processor_time(child: &Child) -> (f64, bool) {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap() + 2..].split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    (ticks / 100.0, fields[0] == "Z")
}

/// Waits until a job has worked for some time.
fn wait_for_work(child: &Child, seconds: f64) {
    loop {
        let (time, ended) = processor_time(child);
        assert!(!ended, "the job is too short to be stopped");
        if time >= seconds {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a job to its end and says how much processor time it took.
pub(crate) fn worked(command: &mut Command) -> (Option<i32>, f64) {
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let time = loop {
        match processor_time(&child) {
            (time, true) => break time,
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    (child.wait().unwrap().code(), time)
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Starts a job that takes minutes on two threads, stops it, and says how much it worked after that.
fn stop(place: &Workplace, line: &str, signal: &str) -> (Option<i32>, f64, String) {
    let mut command = place.stoppable(line);
    let child = command.args(["--threads", "2"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_work(&child, 0.5);
    let (before, _) = processor_time(&child);
    send(&child, signal);
    let after = loop {
        match processor_time(&child) {
            (time, true) => break time,
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let output = child.wait_with_output().unwrap();
    (output.status.code(), after - before, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn ctrl_c_stops_within_a_second_and_leaves_no_file() {
    let place = Workplace::new();
    place.write_draws("draws.npz", line_draws(20_000));
    for (line, signal, expected) in [
        ("summarize draws.npz --route pairs --slices 100000 -o summary.json", "-INT", 130),
        (
            "summarize draws.npz --slices 1000000 --order 1.5 --thin 10 --density density.csv -o summary.json",
            "-TERM",
            143,
        ),
        ("distance draws.npz --matrix m.npy --errors e.npy --slices 100000 --thin 2", "-HUP", 129),
        ("distance draws.npz --matrix m.npy --distance exact-w --thin 2", "-INT", 130),
    ] {
        let (code, worked, stderr) = stop(&place, line, signal);
        assert_eq!(code, Some(expected), "{line}: {stderr}");
        assert_eq!(stderr, "error: interrupted\n");
        // A second on two threads, and what reading the processor time adds.
        assert!(worked < 3.0, "{line}: worked for {worked} s");
        assert_eq!(place.files(), ["draws.npz"]);
    }
}

/// `nohup`, and shells without job control that start something in the background, have signals ignored.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let place = Workplace::new();
    place.write_draws("draws.npz", line_draws(20_000));
    let job = format!(
        "trap '' HUP INT; exec '{}' summarize draws.npz --route pairs --slices 100000 --threads 1 -o summary.json",
        env!("CARGO_BIN_EXE_mixgist")
    );
    let mut child =
        Command::new("sh").args(["-c", &job]).current_dir(place.folder.path()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_work(&child, 0.5);
    send(&child, "-HUP");
    send(&child, "-INT");
    let (now, _) = processor_time(&child);
    wait_for_work(&child, now + 1.5);
    send(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(place.files(), ["draws.npz"]);
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    let place = Workplace::new();
    for line in ["--help", "help summarize", "--version"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(line).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {stderr}");
        assert!(stderr.contains("cannot write to standard output: No space left"), "{line}: {stderr}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Workplace::with_draws();
    for line in [
        "summarize draws.npz --slices 20 --json",
        "inspect draws.npz",
        "distance draws.npz draws.npz --draw-a 0 --to-draws --slices 20",
        "completions bash",
        "--help",
    ] {
        let mut child = place.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {stderr}");
        assert!(!stderr.contains("panicked") && !stderr.contains("pipe"), "{line}: {stderr}");
    }
    let mut child = place.command("summarize missing.npz").stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
