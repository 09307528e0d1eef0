//! Where the time of a run goes: processor time of each phase that the library reports.

use std::sync::Mutex;

use mixgist::{Ensemble, Posterior, Progress, Settings};

use crate::users::Processor;

/// Adds up processor time by phase.
struct Phases(Mutex<Vec<Phase>>);

struct Phase {
    name: String,
    passes: usize,
    seconds: f64,
    began: Processor,
}

impl Phases {
    /// What comes before the first phase is called `first`.
    fn new(first: &str) -> Self {
        let first = Phase { name: first.to_owned(), passes: 1, seconds: 0.0, began: Processor::now() };
        Phases(Mutex::new(vec![first]))
    }
}

impl Progress for Phases {
    fn begin(&self, phase: &str, _: u64) {
        let now = Processor::now();
        let mut phases = self.0.lock().expect("no phase panics");
        let last = phases.last_mut().expect("there is a first phase");
        last.seconds += now.both() - last.began.both();
        // The phase at hand stands last.
        match phases.iter().position(|known| known.name == phase) {
            Some(known) => {
                let known = phases.remove(known);
                phases.push(Phase { passes: known.passes + 1, began: now, ..known });
            }
            None => phases.push(Phase { name: phase.to_owned(), passes: 1, seconds: 0.0, began: now }),
        }
    }
}

/// Prints the phases of a summary of these draws, in the order in which they ended.
pub fn of_summary(title: &str, draws: &Ensemble, settings: &Settings) {
    let start = Processor::now();
    let phases = Phases::new("units, slices, coordinates");
    let posterior = Posterior::new(draws, None, settings.clone()).expect("the settings are valid");
    let summary = posterior.summary(&phases).expect("the draws are valid").clone();
    phases.begin("end", 0);
    let end = Processor::now();
    let (all, system) = (end.both() - start.both(), end.system - start.system);
    println!("\n### {title}\n");
    println!(
        "{} slices, {} draws with exact losses, {all:.2} s of processor time, {:.0} % of it the system's.\n",
        summary.slices,
        summary.medoid.exact_draws,
        100.0 * system / all
    );
    println!("| phase | passes | seconds | part |\n|---|---:|---:|---:|");
    for phase in phases.0.into_inner().expect("no phase panics").iter().filter(|phase| phase.name != "end") {
        println!("| {} | {} | {:.3} | {:.0} % |", phase.name, phase.passes, phase.seconds, 100.0 * phase.seconds / all);
    }
}
