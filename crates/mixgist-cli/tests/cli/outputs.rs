//! Outputs that would destroy something, inputs that may be damaged, and names that would steer a terminal.

use crate::Workplace;

#[test]
fn one_file_by_two_names_and_inputs_as_outputs_are_refused() {
    let place = Workplace::with_draws();
    let before = place.files();
    let data = place.read("data.csv");
    for (line, expected) in [
        (
            "summarize draws.npz --data data.csv --labels o.csv --memberships ./o.csv",
            "two outputs cannot go to the same file",
        ),
        ("summarize draws.npz --data data.csv --labels data.csv --force", "data.csv: is an input"),
        ("summarize draws.npz --data data.csv --labels ./data.csv --force", "data.csv: is an input"),
        ("distance draws.npz --matrix m.npy --errors ./m.npy", "two outputs cannot go to the same file"),
        ("convert draws.npz a.npz --labels draws.npz --force", "draws.npz: is an input"),
        ("convert draws.npz draws.npz --force", "draws.npz: is an input"),
        ("convert draws.npz ./draws.npz --thin 2 --force", "draws.npz: is an input"),
    ] {
        let run = place.run(line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{line}: {}", run.stderr);
        assert_eq!((place.files(), place.read("data.csv")), (before.clone(), data.clone()), "{line}");
    }
}

/// A table of draws without its last row: the weights of the last draw no longer sum to 1.
#[test]
fn converting_does_not_hide_a_missing_row() {
    let place = Workplace::with_draws();
    place.done("convert draws.npz whole.csv");
    let text = place.read("whole.csv");
    let cut = text.trim_end().rfind('\n').unwrap();
    place.write("cut.csv", &text[..=cut]);
    let run = place.run("convert cut.csv out.npz");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains("the weights of a draw sum to 1 only up to") && run.stderr.contains("--rescale-weights"),
        "{}",
        run.stderr
    );
    assert!(!place.path("out.npz").exists());
    let run = place.done("convert cut.csv out.npz --rescale-weights");
    assert!(run.stderr.contains("warning: the weights of a draw sum to 1 only up to"), "{}", run.stderr);
}

#[test]
fn a_last_line_that_does_not_end_is_told() {
    let place = Workplace::with_draws();
    let data = place.read("data.csv");
    place.write("cut.csv", &data[..data.len() - 3]);
    let run = place.run("summarize draws.npz --data cut.csv --slices 10");
    assert!(run.stderr.contains("warning: cut.csv: the last line has no line end"), "{}", run.stderr);
    let run = place.done("summarize draws.npz --data data.csv --slices 10");
    assert!(!run.stderr.contains("has no line end"), "{}", run.stderr);
}

#[test]
fn names_from_files_cannot_steer_a_terminal() {
    let place = Workplace::with_draws();
    let data = place.read("data.csv").replace("length", "\u{9b}2J\u{202e}evil");
    place.write("names.csv", &data);
    for line in [
        "summarize draws.npz --data names.csv --slices 10",
        "summarize draws.npz --data names.csv --slices 10 --json",
        "components draws.npz --data names.csv --slices 10",
        "fit names.csv --chains 1 --iterations 20 --burn-in 10 -o f.npz --force",
    ] {
        let run = place.done(line);
        let said = run.stdout + &run.stderr;
        assert!(said.contains("evil") || line.starts_with("fit"), "{line}: {said}");
        assert!(!said.contains(['\u{9b}', '\u{202e}']), "{line}: {said:?}");
    }
    place.write("hostile.json", "{\"schema\": \"\\u001b]0;x\\u0007\", \"schema_version\": 1}");
    let run = place.run("plot hostile.json -o a.svg");
    assert!(run.stderr.contains("is a '\\u{1b}]0;x\\u{7}' document"), "{}", run.stderr);
}

/// More draws than any machine has memory for: refused before the first iteration.
#[test]
fn a_fit_that_cannot_fit_into_memory_is_refused_before_it_starts() {
    let place = Workplace::with_draws();
    let run = place.run("fit data.csv --iterations 200000000 --burn-in 0 --thin 1 --chains 2 --truncation 20 -o f.npz");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains("keeping these draws needs") || run.stderr.contains("the draws would take"),
        "{}",
        run.stderr
    );
}

/// What `ulimit -v` leaves counts like what the machine has.
#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_shell_count() {
    let place = Workplace::with_draws();
    place.write_draws("line.npz", crate::line_draws(20_000));
    let program = env!("CARGO_BIN_EXE_mixgist");
    let script = format!("ulimit -v 1500000; '{program}' summarize line.npz --route pairs --slices 10 --threads 1");
    let output =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(place.folder.path()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("of memory") && stderr.contains("are available"), "{stderr}");
}

/// What is written with long names is read again, and a report takes time in proportion to their length, not to its square.
#[cfg(target_os = "linux")]
#[test]
fn names_of_ten_thousand_characters_are_written_and_read() {
    let place = Workplace::new();
    let rows: String = (0..60).map(|i| format!("{},{}\n", i % 7 + 9 * (i % 2), i % 5)).collect();
    place.write("data.csv", &format!("{},{}\n{rows}", "x".repeat(10_000), "y".repeat(10_000)));
    place.done("fit data.csv --iterations 60 --burn-in 20 --thin 1 --chains 2 -o draws.npz");
    let line = "summarize draws.npz --slices 20 -o summary.json --report report.html --without stability,path";
    let (code, worked) = crate::stopping::worked(place.command(line).stdout(std::process::Stdio::null()));
    assert_eq!(code, Some(0));
    // It takes half a second; with the square of the length it took ten.
    assert!(worked < 5.0, "{worked} s of processor time");
    assert!(place.read("report.html").contains(&"y".repeat(10_000)));
}
