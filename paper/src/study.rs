//! The experiments, each run once and shared by all entries.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use mixgist::{Error, PartitionDraws, Result, Silent};
use mixgist_io::{ReadOptions, read_draws};
use mixgist_samplers::fit;
use rayon::prelude::*;

use crate::choice::{MANY, NEW_FOR_EACH_PAIR, ORTHOGONAL, SHARED};
use crate::evaluate::{Evaluation, Posterior, Procedure, evaluate};
use crate::model::{DIM, Length, Observations, old_faithful, simulated};
use crate::plain_chain::{Start, plain_chain};
use crate::published::Published;

/// Where posterior draws come from, and with them how they are summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// mixgist's sampler and methods.
    Own,
    /// The published draws, with the conventions of the published tables.
    Given,
    /// The sampler and the conventions of the published tables, chains from ten clusters.
    AsPublished,
    /// The same with chains whose two clusters start where the published chain had them.
    SameSticks,
}

/// The sticks of the two large clusters in all published draws of Old Faithful, counted from 0.
pub const PUBLISHED_STICKS: [u32; 2] = [3, 4];

/// What a run is asked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// A folder with the published draws of Old Faithful.
    pub draws: Option<PathBuf>,
    /// Also run the published procedure.
    pub as_published: bool,
    /// Repeats of the simulation; Old Faithful is repeated as often, but at most [`FAITHFUL_REPEATS`] times.
    pub repeats: usize,
    /// How long chains run.
    pub length: Length,
}

/// Most repeats of Old Faithful: they give the spread of single numbers, not the numbers.
pub const FAITHFUL_REPEATS: usize = 10;

/// One posterior sample with its estimates.
pub struct Repeat {
    /// The sample.
    pub posterior: Posterior,
    /// What came out.
    pub evaluation: Evaluation,
}

/// The experiments of one run.
pub struct Study {
    /// What was asked for.
    pub options: Options,
    /// The published numbers.
    pub published: Published,
    simulation: [OnceLock<Result<Vec<Repeat>>>; 4],
    faithful: [OnceLock<Result<Vec<Repeat>>>; 4],
    seconds: Mutex<Vec<(String, f64)>>,
    steps: OnceLock<Result<Vec<(String, f64)>>>,
}

impl Study {
    /// Nothing is run yet.
    pub fn new(options: Options) -> Result<Self> {
        if options.repeats == 0 {
            return Err(Error::usage("0 repeats, must be at least 1"));
        }
        Ok(Study {
            options,
            published: Published::read()?,
            simulation: Default::default(),
            faithful: Default::default(),
            seconds: Mutex::default(),
            steps: OnceLock::new(),
        })
    }

    /// The sources that this run has for an experiment; there are no published draws of the simulation.
    pub fn sources(&self, experiment: Experiment) -> Vec<Source> {
        let faithful = experiment == Experiment::OldFaithful;
        let mut sources = vec![Source::Own];
        sources.extend((faithful && self.options.draws.is_some()).then_some(Source::Given));
        sources.extend(self.options.as_published.then_some(Source::AsPublished));
        sources.extend((faithful && self.options.as_published).then_some(Source::SameSticks));
        sources
    }

    /// All repeats of an experiment.
    pub fn repeats(&self, experiment: Experiment, source: Source) -> Result<&[Repeat]> {
        match experiment {
            Experiment::Simulation => self.simulation(source),
            Experiment::OldFaithful => self.faithful(source),
        }
    }

    /// What has been run and how many seconds it took.
    pub fn seconds(&self) -> Vec<(String, f64)> {
        self.seconds.lock().map_or(Vec::new(), |seconds| seconds.clone())
    }

    /// Seconds of the steps on the first repeat of the simulation, measured once by `measure`.
    pub fn timed_steps(
        &self,
        measure: impl FnOnce(&Posterior) -> Result<Vec<(String, f64)>>,
    ) -> Result<&[(String, f64)]> {
        let steps = self.steps.get_or_init(|| measure(&self.simulation(Source::Own)?[0].posterior));
        steps.as_deref().map_err(Clone::clone)
    }

    /// All repeats of the simulation.
    pub fn simulation(&self, source: Source) -> Result<&[Repeat]> {
        let procedure = source.procedure(Experiment::Simulation);
        kept(self.simulation[source as usize].get_or_init(|| {
            self.run("Simulation", self.options.repeats, source, procedure, |repeat| {
                self.sample(simulated(repeat)?, source, repeat)
            })
        }))
    }

    /// All repeats of Old Faithful: chains with other seeds, or other directions for the published draws.
    pub fn faithful(&self, source: Source) -> Result<&[Repeat]> {
        let run = |posterior: &(dyn Fn(u64) -> Result<Posterior> + Sync)| {
            let count = self.options.repeats.min(FAITHFUL_REPEATS);
            self.run("Old Faithful", count, source, source.procedure(Experiment::OldFaithful), posterior)
        };
        kept(self.faithful[source as usize].get_or_init(|| match (source, &self.options.draws) {
            (Source::Given, None) => {
                Err(Error::usage("there are no published draws").hint("give them with --draws DIR"))
            }
            (Source::Given, Some(folder)) => {
                let given = given_draws(folder)?;
                run(&|seed| Ok(Posterior { seed, ..given.clone() }))
            }
            _ => run(&|repeat| self.sample(old_faithful(), source, repeat)),
        }))
    }

    fn run(
        &self,
        what: &str,
        count: usize,
        source: Source,
        procedure: Procedure,
        posterior: impl Fn(u64) -> Result<Posterior> + Sync,
    ) -> Result<Vec<Repeat>> {
        let name = format!("{what}, {}: {count} repeats", source.name());
        eprintln!("{name}");
        let start = Instant::now();
        let repeats = (0..count)
            .into_par_iter()
            .with_max_len(1)
            .map(|repeat| {
                let posterior = posterior(repeat as u64)?;
                let evaluation = evaluate(&posterior, procedure)?;
                Ok(Repeat { posterior, evaluation })
            })
            .collect();
        if let Ok(mut seconds) = self.seconds.lock() {
            seconds.push((name, start.elapsed().as_secs_f64()));
        }
        repeats
    }

    fn sample(&self, observations: Observations, source: Source, seed: u64) -> Result<Posterior> {
        let (prior, length) = (observations.prior, self.options.length);
        let plain = |start| -> Result<_> {
            let draws = plain_chain(&observations.values, prior, length, start, seed)?;
            Ok((draws.ensemble, draws.labels.into()))
        };
        let (ensemble, labels) = match source {
            Source::Own => {
                let fitted = fit(&observations.values, DIM, &prior.settings(length, seed), None, &Silent)?;
                (fitted.ensemble, fitted.labels)
            }
            Source::SameSticks => plain(Start::TwoOnSticks(PUBLISHED_STICKS))?,
            Source::AsPublished | Source::Given => plain(Start::TenClusters)?,
        };
        let partitions = PartitionDraws::from_labels(observations.values.len() / DIM, &labels)?;
        Ok(Posterior { observations, ensemble, partitions, seed })
    }
}

/// The two experiments of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experiment {
    /// Tables 1 to 3.
    Simulation,
    /// Tables 4 to 6.
    OldFaithful,
}

impl Source {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Source::Own => "mixgist's sampler",
            Source::Given => "published draws",
            Source::AsPublished => "published procedure",
            Source::SameSticks => "published procedure, published sticks",
        }
    }

    /// In a file name.
    pub fn key(self) -> &'static str {
        match self {
            Source::Own => "own",
            Source::Given => "published-draws",
            Source::AsPublished => "as-published",
            Source::SameSticks => "same-sticks",
        }
    }

    /// How its draws are summarised.
    pub fn procedure(self, experiment: Experiment) -> Procedure {
        match (self, experiment) {
            (Source::Own, Experiment::Simulation) => {
                Procedure { labels_as_sticks: false, slices: const { &[SHARED, ORTHOGONAL] } }
            }
            (Source::Own, Experiment::OldFaithful) => {
                Procedure { labels_as_sticks: false, slices: const { &[SHARED, ORTHOGONAL, MANY] } }
            }
            (Source::Given, _) => {
                let slices = const { &[NEW_FOR_EACH_PAIR, SHARED, ORTHOGONAL, MANY] };
                Procedure { labels_as_sticks: true, slices }
            }
            (Source::AsPublished | Source::SameSticks, _) => {
                Procedure { labels_as_sticks: true, slices: const { &[NEW_FOR_EACH_PAIR] } }
            }
        }
    }
}

fn kept(slot: &Result<Vec<Repeat>>) -> Result<&[Repeat]> {
    slot.as_deref().map_err(Clone::clone)
}

/// The published draws: `draws.npz` with `weights`, `means`, `covariances`, `labels` and `data`.
fn given_draws(folder: &Path) -> Result<Posterior> {
    let path = folder.join("draws.npz");
    let file = read_draws(&[&path], &ReadOptions::default())?;
    let missing = |what: &str| {
        Error::input(format!("{} holds no array '{what}'", path.display()))
            .hint("paper/README.md describes the layout of the published draws")
    };
    let labels = file.labels.ok_or_else(|| missing("labels"))?;
    let data = file.data.ok_or_else(|| missing("data"))?;
    if file.ensemble.dim() != DIM || data.columns() != DIM {
        return Err(Error::input(format!(
            "{} has draws of dimension {} and data of {} columns, Old Faithful has {DIM}",
            path.display(),
            file.ensemble.dim(),
            data.columns()
        )));
    }
    let partitions = labels.partitions()?;
    if partitions.observations() != data.rows() || partitions.len() != file.ensemble.len() {
        return Err(Error::input(format!(
            "{}: labels of {} draws and {} observations, {} draws and {} rows of data",
            path.display(),
            partitions.len(),
            partitions.observations(),
            file.ensemble.len(),
            data.rows()
        )));
    }
    let observations = Observations { values: data.values().to_vec(), ..old_faithful() };
    Ok(Posterior { observations, ensemble: file.ensemble, partitions, seed: 0 })
}
