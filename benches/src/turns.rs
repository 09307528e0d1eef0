//! The same call in Rust and in another language by turns.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mixgist::{CovarianceForm, Ensemble, Settings, Silent, SliceCount, summarize};

use crate::fastest;
use crate::peer::SLICES;

/// Rust and the other language take turns so often, so that whatever else the machine does hits both.
const TURNS: usize = 25;

/// Prints the seconds of `summarize` from the arrays of an ensemble in dimension 2, here and by the job `call` of a worker, and their ratio.
pub fn compare_turns(language: &str, ensemble: &Ensemble, worker: &mut Worker) {
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
    let (mut in_rust, mut elsewhere) = (Vec::new(), Vec::new());
    let (own, other) = (std::process::id(), worker.child.id());
    worker.seconds("call"); // what is done once does not count
    let before = (processor_seconds(own), processor_seconds(other));
    for _ in 0..TURNS {
        in_rust.push(fastest(1, rust));
        elsewhere.push(worker.seconds("call"));
    }
    let after = (processor_seconds(own), processor_seconds(other));
    let mut ratios: Vec<f64> = elsewhere.iter().zip(&in_rust).map(|(ours, rust)| ours / rust).collect();
    println!("1000 draws, 100 atoms, dimension 2, {SLICES} slices, {} threads\n", rayon::current_num_threads());
    println!("summarize from arrays, {TURNS} turns   fastest    median");
    println!("in Rust                       {:>10.4}{:>10.4} s", least(&in_rust), median(&mut in_rust));
    println!("in {language:<27}{:>10.4}{:>10.4} s", least(&elsewhere), median(&mut elsewhere));
    println!(
        "ratio                         {:>10.3}{:>10.3}     (median of the ratios of the turns {:.3})",
        least(&elsewhere) / least(&in_rust),
        median(&mut elsewhere) / median(&mut in_rust),
        median(&mut ratios)
    );
    if let (Some(from), Some(to)) = (before.0.zip(before.1), after.0.zip(after.1)) {
        let (rust, other) = ((to.0 - from.0) / TURNS as f64, (to.1 - from.1) / TURNS as f64);
        println!(
            "processor time of a turn: {rust:.4} s in Rust, {other:.4} s in {language}, ratio {:.3}",
            other / rust
        );
    }
}

/// Processor time of a process, its threads that have ended included, where the system tells; in hundredths of a second.
fn processor_seconds(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

fn least(seconds: &[f64]) -> f64 {
    seconds.iter().copied().fold(f64::INFINITY, f64::min)
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// A program that runs one job after the other, as it is told.
pub struct Worker {
    child: Child,
    jobs: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    /// Starts a script of `peers` on a file of draws.
    pub fn start(interpreter: &str, script: &str, file: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script);
        let mut command = Command::new(interpreter);
        command.arg(script).arg(file).arg(SLICES.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the interpreter can be started");
        let jobs = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("the output is piped")).lines();
        Worker { child, jobs, answers }
    }

    /// The number that a job answers with: the seconds that it took.
    pub fn seconds(&mut self, job: &str) -> f64 {
        writeln!(self.jobs.as_mut().expect("the input is piped"), "{job}").expect("the script listens");
        let line = self.answers.next().expect("the script answers").expect("the answer is text");
        line.parse().expect("the answer is a number")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.jobs.take());
        let _ = self.child.wait();
    }
}
