//! Jobs that end early: Ctrl-C and readers that have seen enough.
#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Workplace, line_draws};

/// Starts a job that takes minutes, stops it, and says how long it took to stop.
fn stop(place: &Workplace, line: &str) -> (Option<i32>, Duration, String) {
    let mut child = place.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(child.try_wait().unwrap().is_none(), "the job is too short to be stopped");
    let asked = Instant::now();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let status = child.wait().unwrap();
    let took = asked.elapsed();
    let output = child.wait_with_output().unwrap();
    (status.code(), took, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn ctrl_c_stops_within_a_second_and_leaves_no_file() {
    let place = Workplace::new();
    place.write_draws("draws.npz", line_draws(20_000));
    for line in [
        "summarize draws.npz --route pairs --slices 100000 -o summary.json",
        "summarize draws.npz --slices 1000000 --order 1.5 --thin 10 --density density.csv -o summary.json",
        "distance draws.npz --matrix m.npy --errors e.npy --slices 100000 --thin 2",
        "distance draws.npz --matrix m.npy --distance exact-w --thin 2",
    ] {
        let (code, took, stderr) = stop(&place, line);
        assert_eq!(code, Some(130), "{line}: {stderr}");
        assert_eq!(stderr, "error: interrupted\n");
        // It is one second on a machine that is not busy with other tests.
        assert!(took < Duration::from_secs(3), "{line}: {took:?}");
        assert_eq!(place.files(), ["draws.npz"]);
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
