//! The built program as a user meets it: what it prints, what it writes, how it exits.

mod confidence;
mod demonstration;
mod derived_files;
mod distances;
mod documents;
mod draws_files;
mod existing;
mod faults;
mod figures;
mod fitting;
mod outputs;
mod parts;
mod refusals;
mod stopping;
mod summaries;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mixgist::Ensemble;
use mixgist_io::{DataTable, DrawsFile, Overwrite, write_data, write_draws};
use tempfile::TempDir;

/// A folder in which the program runs.
struct Workplace {
    folder: TempDir,
}

/// What a run of the program did.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Workplace {
    fn new() -> Self {
        Workplace { folder: tempfile::tempdir().unwrap() }
    }

    /// With `draws.npz` and `data.csv`: [`DRAWS`] draws of two or three atoms in the plane, in two chains.
    fn with_draws() -> Self {
        let place = Self::new();
        place.write_draws("draws.npz", planar_draws());
        let values: Vec<f64> = (0..30).flat_map(|i| [f64::from(i % 3) * 4.0 + wave(i), wave(i + 9)]).collect();
        let names = Some(vec!["length".to_owned(), "pause".to_owned()]);
        let data = DataTable::new(2, values, names).unwrap();
        write_data(&place.path("data.csv"), &data, None, Overwrite::Refuse).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_draws(&self, name: &str, ensemble: Ensemble) {
        write_draws(&self.path(name), &DrawsFile::from(ensemble), None, Overwrite::Refuse).unwrap();
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The values of an npy file of f64, whose header takes 128 bytes.
    fn read_npy(&self, name: &str) -> Vec<f64> {
        let bytes = std::fs::read(self.path(name)).unwrap();
        bytes[128..].chunks_exact(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap())).collect()
    }

    /// Names of all files, sorted.
    fn files(&self) -> Vec<String> {
        names(self.folder.path())
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mixgist"));
        command.current_dir(self.folder.path()).args(line.split_whitespace());
        command
    }

    /// The same, with signals that end it: whoever runs the tests in the background may have them ignored, which is inherited.
    #[cfg(target_os = "linux")]
    fn stoppable(&self, line: &str) -> Command {
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_mixgist")]);
        command.current_dir(self.folder.path()).args(line.split_whitespace());
        command
    }

    /// Runs `mixgist` with these arguments, separated by blanks.
    fn run(&self, line: &str) -> Run {
        let Output { status, stdout, stderr } = self.command(line).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Runs what must succeed.
    fn done(&self, line: &str) -> Run {
        let run = self.run(line);
        assert_eq!(run.code, Some(0), "mixgist {line}\n{}", run.stderr);
        run
    }

    /// Runs what must succeed with a JSON answer.
    fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.done(&format!("{line} --json")).stdout).unwrap()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Number of draws of [`planar_draws`].
const DRAWS: usize = 24;

/// Draws about three atoms, the third missing from every fourth draw; no randomness, so that numbers can be pinned.
fn planar_draws() -> Ensemble {
    let (mut offsets, mut weights, mut means, mut covariances) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for m in 0..DRAWS as i32 {
        let atoms = if m % 4 == 3 { 2 } else { 3 };
        for k in 0..atoms {
            weights.push(1.0 / f64::from(atoms));
            means.extend([4.0 * f64::from(k) + 0.3 * wave(7 * m + k), 0.3 * wave(5 * m + 3 * k)]);
            covariances.extend([1.0 + 0.1 * wave(m), 0.2, 0.2, 0.8 + 0.1 * wave(m + k)]);
        }
        offsets.push(weights.len());
    }
    let chains = (0..DRAWS).map(|m| (m >= DRAWS / 2) as u32).collect();
    let iterations = (0..DRAWS).map(|m| 100 + (m % (DRAWS / 2)) as u64).collect();
    Ensemble::builder(2)
        .offsets(&offsets)
        .weights(&weights)
        .means(&means)
        .covariances(&covariances)
        .build()
        .and_then(|ensemble| ensemble.with_chains(chains, iterations))
        .unwrap()
}

/// Draws of one atom each on the line.
fn line_draws(draws: usize) -> Ensemble {
    let means: Vec<f64> = (0..draws as i32).map(wave).collect();
    let ones = vec![1.0; draws];
    Ensemble::builder(1).atoms_per_draw(1).weights(&ones).means(&means).covariances(&ones).build().unwrap()
}

/// Something irregular between −1 and 1, with the same bits everywhere.
fn wave(i: i32) -> f64 {
    let i = i64::from(i);
    (i * i * 37 + i * 101 + 11).rem_euclid(211) as f64 / 105.0 - 1.0
}
