//! The price of Python: `summarize` from numpy arrays beside the same call in Rust, and beside what Python users have otherwise.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mixgist::{CovarianceForm, Ensemble, Settings, Silent, SliceCount, summarize};

use crate::draws::posterior_like;
use crate::fastest;
use crate::peer::{SLICES, draws_file, script_seconds};

/// Rust and Python take turns so often, so that whatever else the machine does hits both.
const TURNS: usize = 25;

/// Prints seconds and ratios for 1000 draws of 100 atoms in dimension 2.
pub fn compare(python: &str) {
    let ensemble = posterior_like(1000, 100, 2, 1);
    let file = draws_file(&ensemble);
    let settings = Settings::default().with_slices(SliceCount::Fixed(SLICES));
    let atoms = ensemble.atoms();
    let rust = || {
        let form = CovarianceForm::Covariance;
        let draws = Ensemble::builder(2)
            .atoms_per_draw(100)
            .weights(ensemble.weights())
            .means(atoms.means())
            .covariances(atoms.covariances())
            .form(form)
            .build();
        let summary = summarize(&draws.expect("the draws are valid"), None, &settings, &Silent);
        assert!(summary.expect("the draws are valid").medoid.expected_loss > 0.0);
    };
    let mut worker = Worker::start(python, &file);
    let (mut in_rust, mut in_python) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        in_rust.push(fastest(1, rust));
        in_python.push(worker.seconds("call"));
    }
    let mut ratios: Vec<f64> = in_python.iter().zip(&in_rust).map(|(ours, rust)| ours / rust).collect();
    println!("1000 draws, 100 atoms, dimension 2, {SLICES} slices, {} threads\n", rayon::current_num_threads());
    println!("summarize from arrays, {TURNS} turns   fastest    median");
    println!("in Rust                       {:>10.4}{:>10.4} s", least(&in_rust), median(&mut in_rust));
    println!("in Python                     {:>10.4}{:>10.4} s", least(&in_python), median(&mut in_python));
    println!(
        "ratio                         {:>10.3}{:>10.3}     (median of the ratios of the turns {:.3})",
        least(&in_python) / least(&in_rust),
        median(&mut in_python) / median(&mut in_rust),
        median(&mut ratios)
    );
    println!(
        "of it checks and copies       {:>10.4} s",
        (0..5).map(|_| worker.seconds("draws")).fold(f64::MAX, f64::min)
    );
    println!("\nall {} distances, sw          seconds   ratio", ensemble.len() * (ensemble.len() - 1) / 2);
    let mut best = |job: &str, runs: usize| (0..runs).map(|_| worker.seconds(job)).fold(f64::MAX, f64::min);
    let matrix = best("matrix", 3);
    println!("mixgist in Python                {matrix:>10.3}");
    let peers =
        [("POT sliced, pair by pair *", best("pot-sliced", 2)), ("POT exact, pair by pair *", best("pot-exact", 2))];
    let numba = script_seconds(python, "numba_pairwise.py", &file, &[]);
    let numba = numba.iter().find(|(name, _)| name == "sw").expect("the peer prints it").1;
    for (name, other) in std::iter::once(("numba by hand, all cores", numba)).chain(peers) {
        println!("{name:<32} {other:>10.1} {:>7.0}", other / matrix);
    }
    println!("\n* one core, extrapolated from 60 pairs");
}

fn least(seconds: &[f64]) -> f64 {
    seconds.iter().copied().fold(f64::INFINITY, f64::min)
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// A Python program that runs one job after the other, as it is told.
struct Worker {
    child: Child,
    jobs: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    fn start(python: &str, file: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/python_call.py");
        let mut command = Command::new(python);
        command.arg(script).arg(file).arg(SLICES.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Python can be started");
        let jobs = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("the output is piped")).lines();
        Worker { child, jobs, answers }
    }

    /// Seconds that a job took.
    fn seconds(&mut self, job: &str) -> f64 {
        writeln!(self.jobs.as_mut().expect("the input is piped"), "{job}").expect("Python listens");
        let line = self.answers.next().expect("Python answers").expect("the answer is text");
        line.parse().expect("the answer is a number")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.jobs.take());
        let _ = self.child.wait();
    }
}
