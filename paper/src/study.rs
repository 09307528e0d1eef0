//! The experiments, each run once and shared by all entries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mixgist::{Error, PartitionDraws, Result, Silent, summarize};
use mixgist_io::{ReadOptions, read_draws};
use mixgist_samplers::fit;
use rayon::prelude::*;

use crate::evaluate::{DISTANCES, Evaluation, Posterior, Procedure, evaluate, settings};
use crate::model::{DIM, Length, Observations, old_faithful, simulated};
use crate::plain_chain::plain_chain;
use crate::published::Published;

/// Where posterior draws come from, and with them how they are summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// mixgist's sampler and methods.
    Own,
    /// The sampler and the conventions of the published tables.
    AsPublished,
    /// The published draws, with the conventions of the published tables.
    Given,
}

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
    simulation: [OnceLock<Result<Vec<Repeat>>>; 2],
    faithful: [OnceLock<Result<Vec<Repeat>>>; 3],
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
        })
    }

    /// The sources that this run has.
    pub fn sources(&self) -> Vec<Source> {
        let mut sources = vec![Source::Own];
        sources.extend(self.options.draws.as_ref().map(|_| Source::Given));
        sources.extend(self.options.as_published.then_some(Source::AsPublished));
        sources
    }

    /// All repeats of the simulation; there are no published draws of it.
    pub fn simulation(&self, source: Source) -> Result<&[Repeat]> {
        let slot = &self.simulation[if source == Source::Own { 0 } else { 1 }];
        let run = || {
            self.repeats("simulation", self.options.repeats, source, |repeat| {
                self.sample(simulated(repeat)?, source, repeat)
            })
        };
        kept(slot.get_or_init(run))
    }

    /// All repeats of Old Faithful: chains with other seeds, or other directions for the published draws.
    pub fn faithful(&self, source: Source) -> Result<&[Repeat]> {
        let slot = &self.faithful[source as usize];
        kept(slot.get_or_init(|| match (source, &self.options.draws) {
            (Source::Given, None) => {
                Err(Error::usage("there are no published draws").hint("give them with --draws DIR"))
            }
            (Source::Given, Some(folder)) => {
                let given = given_draws(folder)?;
                self.repeats("Old Faithful", self.options.repeats.min(FAITHFUL_REPEATS), source, |seed| {
                    Ok(Posterior { seed, ..given.clone() })
                })
            }
            _ => self.repeats("Old Faithful", self.options.repeats.min(FAITHFUL_REPEATS), source, |repeat| {
                self.sample(old_faithful(), source, repeat)
            }),
        }))
    }

    fn repeats(
        &self,
        what: &str,
        count: usize,
        source: Source,
        posterior: impl Fn(u64) -> Result<Posterior> + Sync,
    ) -> Result<Vec<Repeat>> {
        eprintln!("{what}, {}: {count} repeats", source.name());
        (0..count)
            .into_par_iter()
            .with_max_len(1)
            .map(|repeat| {
                let posterior = posterior(repeat as u64)?;
                let evaluation = evaluate(&posterior, source.procedure())?;
                Ok(Repeat { posterior, evaluation })
            })
            .collect()
    }

    fn sample(&self, observations: Observations, source: Source, seed: u64) -> Result<Posterior> {
        let (prior, length) = (observations.prior, self.options.length);
        let (ensemble, labels) = if source == Source::Own {
            let fitted = fit(&observations.values, DIM, &prior.settings(length, seed), None, &Silent)?;
            (fitted.ensemble, fitted.labels)
        } else {
            let draws = plain_chain(&observations.values, prior, length, seed)?;
            (draws.ensemble, draws.labels)
        };
        let partitions = PartitionDraws::from_dense(observations.values.len() / DIM, &labels)?;
        Ok(Posterior { observations, ensemble, partitions, labels, medoids: BTreeMap::new(), seed })
    }
}

impl Source {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Source::Own => "mixgist's sampler",
            Source::AsPublished => "the published procedure",
            Source::Given => "the published draws",
        }
    }

    /// In a file name.
    pub fn key(self) -> &'static str {
        match self {
            Source::Own => "own",
            Source::AsPublished => "as-published",
            Source::Given => "published-draws",
        }
    }

    /// How its draws are summarised.
    pub fn procedure(self) -> Procedure {
        if self == Source::Own { Procedure::Mixgist } else { Procedure::AsPublished }
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
    let partitions = PartitionDraws::from_dense(labels.observations, &labels.labels)?;
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
    // One sample for all repeats: its medoids are found once, with slices enough to be sure of them.
    let medoid = |distance| {
        let settings = settings(distance, 1024, 0)?;
        Ok((distance, summarize(&file.ensemble, None, &settings, &Silent)?.medoid.draw))
    };
    let medoids = DISTANCES.into_iter().map(medoid).collect::<Result<_>>()?;
    Ok(Posterior { observations, ensemble: file.ensemble, partitions, labels: labels.labels, medoids, seed: 0 })
}
