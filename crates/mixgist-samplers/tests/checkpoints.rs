//! A run that is stopped or killed goes on from its checkpoint and gives the draws of a run that never stopped.

mod data;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mixgist::{ErrorKind, Progress, Silent};
use mixgist_samplers::{
    Algorithm, ChainEnd, CheckpointMode, Checkpoints, Concentration, Fit, FitSettings, MixingPrior, Truncation, extend,
    fit,
};

fn settings(algorithm: Algorithm) -> FitSettings {
    FitSettings::default()
        .with_algorithm(algorithm)
        .with_prior(MixingPrior::PitmanYor { discount: 0.1 })
        .with_concentration(Concentration::Gamma { shape: 2.0, rate: 2.0 })
        .with_chains(2)
        .with_iterations(600)
        .with_burn_in(100)
        .with_thin(5)
        .with_seed(9)
}

fn checkpoints(directory: &Path, mode: CheckpointMode) -> Checkpoints {
    Checkpoints { directory: directory.to_owned(), every: 120, mode }
}

fn galaxies() -> Vec<f64> {
    data::read("galaxies", 1)
}

/// Stops the run after so many looks.
struct StopAfter(AtomicU64);

impl Progress for StopAfter {
    fn cancelled(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1))) == Ok(0)
    }
}

fn uninterrupted(algorithm: Algorithm) -> Fit {
    fit(&galaxies(), 1, &settings(algorithm), None, &Silent).unwrap()
}

#[test]
fn an_interrupted_run_resumes_to_the_same_draws() {
    // So few sticks at first that the chains add some.
    let growing = ("growing", Algorithm::Blocked { truncation: Truncation::Auto { tolerance: 0.3 } });
    for (name, algorithm) in Algorithm::NAMES.into_iter().chain([growing]) {
        let expected = uninterrupted(algorithm);
        let directory = tempfile::tempdir().unwrap();
        let mut mode = CheckpointMode::Start;
        let mut interruptions = 0;
        let resumed = loop {
            let stop = StopAfter(AtomicU64::new(3));
            match fit(&galaxies(), 1, &settings(algorithm), Some(&checkpoints(directory.path(), mode)), &stop) {
                Ok(fit) => break fit,
                Err(error) => assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}"),
            }
            mode = CheckpointMode::Resume;
            interruptions += 1;
        };
        assert!(interruptions >= 2, "{name} was interrupted {interruptions} times");
        assert!(resumed == expected, "{name}");
        // a run that is done resumes to itself
        assert!(
            fit(&galaxies(), 1, &settings(algorithm), Some(&checkpoints(directory.path(), mode)), &Silent).unwrap()
                == expected
        );
    }
}

/// The test binary starts itself as another process (see `the_run_that_is_killed`), kills it at some moment and resumes.
#[cfg(unix)]
#[test]
fn a_killed_run_resumes_to_the_same_draws() {
    let algorithm = Algorithm::NAMES[0].1;
    let expected = fit(&galaxies(), 1, &long(), None, &Silent).unwrap();
    for saves in [1, 2, 5] {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_run_that_is_killed"])
            .env("MIXGIST_TEST_CHECKPOINT", directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Whatever it is doing when so many states of the directory were seen, or at its end if it was too fast to be seen.
        let mut seen = std::collections::BTreeSet::new();
        while seen.len() < saves && child.try_wait().unwrap().is_none() {
            let saved = fs::read(directory.path().join("run")).is_ok();
            if saved {
                seen.insert(state(directory.path()));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        let resumed =
            fit(&galaxies(), 1, &long(), Some(&checkpoints(directory.path(), CheckpointMode::Resume)), &Silent)
                .unwrap();
        assert!(resumed == expected, "killed after {saves} saves ({algorithm:?})");
    }
}

/// Names, lengths and times of the files in a directory.
fn state(directory: &Path) -> Vec<(std::ffi::OsString, u64, Option<std::time::SystemTime>)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| entry.metadata().ok().map(|data| (entry.file_name(), data.len(), data.modified().ok())))
        .collect();
    files.sort();
    files
}

fn long() -> FitSettings {
    settings(Algorithm::NAMES[0].1).with_iterations(6_000).with_thin(20)
}

/// Does nothing unless `a_killed_run_resumes_to_the_same_draws` says where to save.
#[test]
fn the_run_that_is_killed() {
    let Some(directory) = std::env::var_os("MIXGIST_TEST_CHECKPOINT") else { return };
    let begun = fit(&galaxies(), 1, &long(), Some(&checkpoints(Path::new(&directory), CheckpointMode::Start)), &Silent);
    assert!(begun.is_ok());
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let run = |data: &[f64], settings: &FitSettings, mode| {
        fit(data, 1, settings, Some(&checkpoints(directory.path(), mode)), &Silent)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let settings = settings(Algorithm::Marginal);
    let data = galaxies();
    let absent = run(&data, &settings, CheckpointMode::Resume).unwrap_err();
    assert!(absent.contains("there is no run to resume"), "{absent}");
    run(&data, &settings, CheckpointMode::Start).unwrap();
    let twice = run(&data, &settings, CheckpointMode::Start).unwrap_err();
    assert!(twice.contains("holds the checkpoint of a run already"), "{twice}");
    let other = run(&data, &settings.clone().with_seed(10), CheckpointMode::Resume).unwrap_err();
    assert!(other.contains("'seed: 9,' then, 'seed: 10,' now"), "{other}");
    let mut changed = data.clone();
    changed[3] += 1e-9;
    let mut fixed = settings.clone();
    fixed.component.mu0 = Some(vec![20.0]);
    fixed.component.psi = Some(mixgist_samplers::Scale::Diagonal(vec![1.0]));
    let explicit = tempfile::tempdir().unwrap();
    let with = |data: &[f64], mode| fit(data, 1, &fixed, Some(&checkpoints(explicit.path(), mode)), &Silent);
    with(&data, CheckpointMode::Start).unwrap();
    let message = with(&changed, CheckpointMode::Resume).unwrap_err().to_string();
    assert!(message.contains("other data"), "{message}");
}

#[test]
fn two_runs_cannot_share_a_directory() {
    /// Tries to resume the run from within.
    struct Intruder<'a>(&'a Path, std::sync::Mutex<Vec<String>>);
    impl Progress for Intruder<'_> {
        fn remark(&self, _: &str) {
            let mut seen = self.1.lock().unwrap();
            if seen.is_empty() {
                let again = fit(
                    &galaxies(),
                    1,
                    &settings(Algorithm::Slice),
                    Some(&checkpoints(self.0, CheckpointMode::Resume)),
                    &Silent,
                );
                seen.push(again.unwrap_err().to_string());
            }
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let intruder = Intruder(directory.path(), std::sync::Mutex::new(Vec::new()));
    fit(
        &galaxies(),
        1,
        &settings(Algorithm::Slice),
        Some(&checkpoints(directory.path(), CheckpointMode::Start)),
        &intruder,
    )
    .unwrap();
    assert!(intruder.1.lock().unwrap()[0].contains("another process"), "{:?}", intruder.1);
}

#[test]
fn a_damaged_or_foreign_checkpoint_is_an_error_that_names_the_file() {
    let settings = settings(Algorithm::Slice);
    for (name, damage) in [
        ("chain-1.state", "cut"),
        ("chain-0.draws-3", "flip"),
        ("chain-0.draws-3", "remove"),
        ("chain-1.state", "swap"),
        ("run", "foreign"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let run = |mode| fit(&galaxies(), 1, &settings, Some(&checkpoints(directory.path(), mode)), &Silent);
        run(CheckpointMode::Start).unwrap();
        let path = directory.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        match damage {
            "cut" => fs::write(&path, &bytes[..bytes.len() / 2]).unwrap(),
            "flip" => {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(&path, &bytes).unwrap();
            }
            "swap" => drop(fs::copy(directory.path().join("chain-0.state"), &path).unwrap()),
            "foreign" => fs::write(&path, "some notes").unwrap(),
            _ => fs::remove_file(&path).unwrap(),
        }
        let message = run(CheckpointMode::Resume).unwrap_err().to_string();
        assert!(message.contains(name), "{damage}: {message}");
    }
}

#[test]
fn a_path_that_cannot_be_written_is_an_error_and_nothing_saved_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "x").unwrap();
    let settings = settings(Algorithm::Marginal);
    let error = fit(&galaxies(), 1, &settings, Some(&checkpoints(&file.join("below"), CheckpointMode::Start)), &Silent)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);

    // a directory in the way of the next file of draws: writing fails in the middle of the run, whoever runs it
    let saved = tempfile::tempdir().unwrap();
    let obstacle = saved.path().join("chain-0.draws-4");
    fs::create_dir_all(obstacle.join("full")).unwrap();
    let error =
        fit(&galaxies(), 1, &settings, Some(&checkpoints(saved.path(), CheckpointMode::Start)), &Silent).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert!(
        error.to_string().contains("chain-0.draws-4") && error.hint_text().unwrap().to_string().contains("resume"),
        "{error}"
    );
    fs::remove_dir_all(&obstacle).unwrap();
    let resumed =
        fit(&galaxies(), 1, &settings, Some(&checkpoints(saved.path(), CheckpointMode::Resume)), &Silent).unwrap();
    assert!(resumed == uninterrupted(Algorithm::Marginal));
}

/// What others put into the directory, or links to, stays as it is, whether the run is refused or not.
#[cfg(unix)]
#[test]
fn what_no_run_wrote_is_left_alone() {
    let settings = settings(Algorithm::Marginal);
    let start = |directory: &Path| {
        fit(&galaxies(), 1, &settings, Some(&checkpoints(directory, CheckpointMode::Start)), &Silent).map(drop)
    };
    for name in ["run", "chain-0.state", "chain-1.draws-0"] {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(name), "my notes").unwrap();
        let error = start(directory.path()).unwrap_err().to_string();
        assert!(
            ["left as it is", "holds the checkpoint", "is not a checkpoint"].iter().any(|said| error.contains(said)),
            "{name}: {error}"
        );
        assert_eq!(fs::read_to_string(directory.path().join(name)).unwrap(), "my notes", "{name}");
    }
    for name in ["lock", "run", "run.tmp", "chain-0.state"] {
        let directory = tempfile::tempdir().unwrap();
        let precious = directory.path().join("precious");
        fs::write(&precious, "my notes").unwrap();
        let folder = directory.path().join("saved");
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&precious, folder.join(name)).unwrap();
        assert_eq!(start(&folder).is_ok(), name == "run.tmp", "{name}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "my notes", "{name}");
        assert!(folder.join(name).symlink_metadata().unwrap().is_symlink(), "{name}");
    }
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("lock"), "my notes").unwrap();
    start(directory.path()).unwrap();
    assert_eq!(fs::read_to_string(directory.path().join("lock")).unwrap(), "my notes");
}

/// What has no end is not read: pipes and devices in the place of a file.
#[cfg(unix)]
#[test]
fn devices_are_no_checkpoints() {
    let settings = settings(Algorithm::Marginal);
    let directory = tempfile::tempdir().unwrap();
    let start = checkpoints(directory.path(), CheckpointMode::Start);
    fit(&galaxies(), 1, &settings, Some(&start), &Silent).unwrap();
    let resume = checkpoints(directory.path(), CheckpointMode::Resume);
    for name in ["chain-0.draws-0", "chain-0.state", "run"] {
        let path = directory.path().join(name);
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let error = fit(&galaxies(), 1, &settings, Some(&resume), &Silent).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("not a regular file"), "{name}: {error}");
    }
}

/// A run of 600 iterations that is made longer is the run of 1000: from its checkpoint, and from what it left in memory.
#[test]
fn a_run_that_is_over_runs_on() {
    for (name, algorithm) in Algorithm::NAMES {
        let longer = settings(algorithm).with_iterations(1000);
        let expected = fit(&galaxies(), 1, &longer, None, &Silent).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let start = checkpoints(directory.path(), CheckpointMode::Start);
        let first = fit(&galaxies(), 1, &settings(algorithm), Some(&start), &Silent).unwrap();
        let resume = checkpoints(directory.path(), CheckpointMode::Resume);
        let resumed = fit(&galaxies(), 1, &longer, Some(&resume), &Silent).unwrap();
        assert!(resumed == expected, "{name}");
        let shorter = fit(&galaxies(), 1, &settings(algorithm), Some(&resume), &Silent).unwrap_err();
        assert!(shorter.to_string().contains("has 1000 iterations already"), "{shorter}");
        let text = read_back(&first.ends);
        let extended = extend(Fit { ends: text, ..first.clone() }, &galaxies(), 1, &longer, &Silent).unwrap();
        assert!(extended == expected, "{name}");
        let other = longer.clone().with_seed(1);
        let refused = extend(first.clone(), &galaxies(), 1, &other, &Silent).unwrap_err();
        assert!(refused.to_string().contains("other settings or other data"), "{refused}");
        let refused = extend(first, &galaxies(), 1, &settings(algorithm), &Silent).unwrap_err();
        assert!(refused.to_string().contains("each chain has 100 draws already"), "{refused}");
    }
}

/// Draws, labels and traces come from two files, which may be of different runs: labels of fewer points once ended in a panic when the run was over.
#[test]
fn what_is_of_different_runs_does_not_run_on() {
    let short = settings(Algorithm::Marginal);
    let first = fit(&galaxies(), 1, &short, None, &Silent).unwrap();
    let refused = |changed: Fit| {
        extend(changed, &galaxies(), 1, &short.clone().with_iterations(700), &Silent).unwrap_err().to_string()
    };
    let mut changed = first.clone();
    changed.labels = Default::default();
    changed.labels.extend(first.labels.iter().skip(first.ensemble.len()));
    assert!(refused(changed).contains("the labels are not those of the data"));
    let mut changed = first.clone();
    changed.traces.clusters[1].pop();
    assert!(refused(changed).contains("do not belong together"));
    let mut changed = first.clone();
    let last = changed.traces.log_posterior[1].pop().unwrap();
    changed.traces.log_posterior[0].push(last);
    assert!(refused(changed).contains("the draws are not those of the fit"));
    let mut changed = first.clone();
    let chains = first.ensemble.chains().iter().rev().copied().collect();
    changed.ensemble = first.ensemble.clone().with_chains(chains, first.ensemble.iterations().to_vec()).unwrap();
    assert!(refused(changed).contains("the draws are not those of the fit"));
}

/// The ends of chains as a document holds them, read back.
fn read_back(ends: &[ChainEnd]) -> Vec<ChainEnd> {
    let text = serde_json::to_string(ends).unwrap();
    serde_json::from_str(&text).unwrap()
}
