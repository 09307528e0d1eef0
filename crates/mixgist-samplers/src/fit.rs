//! From data to draws: all chains, the ensemble they make, and whether they agree.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::thread;

use mixgist::diagnostics::{Convergence, converged, convergence};
use mixgist::text::option;
use mixgist::{Ensemble, Error, ErrorKind, Labels, Progress, Result, Trace, text};
use rayon::prelude::*;

use crate::chain::{Chain, Run};
use crate::checkpoint::{Checkpoints, Store};
use crate::component::with_component;
use crate::draws::{ChainDraws, ensemble};
use crate::end::{ChainEnd, run_number};
use crate::held::{Away, Held};
use crate::hyperparameters::Hyperparameters;
use crate::mixing::Concentration;
use crate::points::ScaledData;
use crate::settings::{Algorithm, FitSettings};
use crate::tiles::{TILE_ROWS, TileWorkers};

/// The posterior sample of a mixture model.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The draws of G, chain after chain.
    pub ensemble: Ensemble,
    /// M × n: the atom, within its draw, that each observation belongs to; nothing where others hold the observations.
    pub labels: Labels,
    /// Number of observations n.
    pub observations: usize,
    /// Label-free quantities along the chains.
    pub traces: Traces,
    /// The model, with what was chosen from the data.
    pub hyperparameters: Hyperparameters,
    /// Whether the chains agree; none with fewer than 4 draws per chain.
    pub diagnostics: Option<Diagnostics>,
    /// The largest weight that was left unbroken in a draw (slice and marginal sampler): below the remainder asked for, unless
    /// a draw reached its largest number of atoms.
    pub unresolved: f64,
    /// Whether the truncation of the blocked sampler was wide enough; `None` for other samplers and finite mixtures.
    pub truncated: Option<Truncated>,
    /// Where each chain ended, so that [`crate::extend()`] can let it run on; nothing where others hold the observations.
    pub ends: Vec<ChainEnd>,
}

impl Fit {
    /// The draws with the traces that their labels would give: for fits without labels.
    pub fn labelled_traces(&self) -> Result<Ensemble> {
        let traces = [(Trace::CLUSTERS, &self.traces.clusters), (Trace::LARGEST_CLUSTER, &self.traces.largest_cluster)];
        traces
            .into_iter()
            .try_fold(self.draws(), |draws, (name, values)| draws.with_trace(Trace::new(name, values.concat())))
    }

    /// The draws with the log posterior of each, by which later questions judge the chains too.
    pub fn draws(&self) -> Ensemble {
        let log_posterior = Trace::new(Trace::LOG_POSTERIOR, self.traces.log_posterior.concat());
        self.ensemble.clone().with_trace(log_posterior).unwrap_or_else(|_| self.ensemble.clone())
    }
}

/// How the truncation of the blocked sampler worked out.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Truncated {
    /// The number of sticks K; with `auto`, the most of any chain.
    pub sticks: usize,
    /// The share of the draws in which a cluster sits on the last stick, which stands for everything that was cut off.
    pub on_last_stick: f64,
}

impl Truncated {
    /// More draws than this with a cluster on the last stick, and the truncation shapes the answer.
    pub const TOLERATED: f64 = 0.01;

    /// Whether the truncation shapes the answer: with more sticks there would be other, and probably more, clusters.
    pub fn binds(&self) -> bool {
        self.on_last_stick > Self::TOLERATED
    }
}

/// One trace for each chain, one value for each draw kept.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Traces {
    /// log p(data, partition, α) up to a constant.
    pub log_posterior: Vec<Vec<f64>>,
    /// Number of clusters.
    pub clusters: Vec<Vec<f64>>,
    /// Size of the largest cluster.
    pub largest_cluster: Vec<Vec<f64>>,
    /// The concentration α.
    pub concentration: Vec<Vec<f64>>,
}

/// Agreement of the chains on each trace.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Diagnostics {
    /// Of the log posterior.
    pub log_posterior: Convergence,
    /// Of the number of clusters.
    pub clusters: Convergence,
    /// Of the size of the largest cluster.
    pub largest_cluster: Convergence,
    /// Of the concentration, when it is random.
    pub concentration: Option<Convergence>,
    /// Whether all of them have an R-hat below 1.01 and effective sample sizes of at least 100 per chain.
    pub converged: bool,
}

impl Diagnostics {
    /// Every trace by name, in the order in which a table shows them.
    pub fn rows(&self) -> Vec<DiagnosticRow> {
        let row = |name, convergence| DiagnosticRow { name, convergence };
        let mut rows = vec![
            row("log posterior", self.log_posterior),
            row("clusters", self.clusters),
            row("largest cluster", self.largest_cluster),
        ];
        rows.extend(self.concentration.map(|convergence| row("concentration", convergence)));
        rows
    }
}

/// One line of a table of diagnostics.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DiagnosticRow {
    /// What was traced.
    pub name: &'static str,
    /// How well the chains agree on it.
    pub convergence: Convergence,
}

/// Fits the model to `data` (n × dim, row-major) and returns all draws.
///
/// The result depends on data, settings and seed alone, never on the number of threads, nor on whether the run was interrupted
/// and resumed. Cost of an iteration: O(n k d²) with k clusters.
pub fn fit(
    data: &[f64],
    dim: usize,
    settings: &FitSettings,
    checkpoints: Option<&Checkpoints>,
    progress: &dyn Progress,
) -> Result<Fit> {
    run(data, dim, settings, checkpoints, None, progress)
}

/// One chain of a fit, as it may come from another process.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChainRun {
    chain: u32,
    /// Data and settings that it belongs to.
    number: u64,
    run: Chain,
}

/// Runs chain `chain` of [`fit`] alone: it is a function of data, settings, seed and its number.
pub fn fit_chain(
    data: &[f64],
    dim: usize,
    settings: &FitSettings,
    chain: u32,
    progress: &dyn Progress,
) -> Result<ChainRun> {
    let (mut runs, _) = run_chains(data, dim, settings, None, None, chain..chain + 1, progress)?;
    Ok(ChainRun { chain, number: run_number(settings, data), run: runs.swap_remove(0) })
}

/// The fit that the chains make, given in any order: what [`fit`] gives, to the last bit.
pub fn join_chains(mut runs: Vec<ChainRun>, data: &[f64], dim: usize, settings: &FitSettings) -> Result<Fit> {
    let (points, hyperparameters) = (ScaledData::new(data, dim)?, Hyperparameters::resolve(data, dim, settings)?);
    runs.sort_by_key(|run| run.chain);
    let number = run_number(settings, data);
    let whole = runs.iter().map(|run| run.chain).eq(0..settings.chains);
    let sound = |run: &ChainRun| run.number == number && run.run.draws.is_sound(points.len(), dim);
    if !whole || !runs.iter().all(sound) {
        return Err(Error::input("these chains do not make one fit of these data").hint("run each chain once"));
    }
    gather(runs.into_iter().map(|run| run.run).collect(), points.len(), settings, hyperparameters)
}

/// Fits the model to points that others hold, at least two tiles of them: what [`fit`] gives for the same points, but for labels and ends of chains,
/// which are left out. The blocked algorithm only.
///
/// Weights and atoms go out; labels of the points, which the chains keep, go out and come back, and so do sums over them. With the fit come the standard
/// deviations of the columns, by which [`crate::Agreement::in_units`] judges the chains.
pub fn fit_away(workers: &dyn TileWorkers, settings: &FitSettings, progress: &dyn Progress) -> Result<(Fit, Vec<f64>)> {
    if !matches!(settings.algorithm, Algorithm::Blocked { .. }) {
        return Err(Error::usage(
            "points that are not in the memory of this process are fitted by the blocked algorithm alone",
        )
        .hint(text!["leave the algorithm as it is: ", option("algorithm", "blocked")]));
    }
    settings.check()?;
    let (away, outline) = Away::new(workers, TILE_ROWS, progress)?;
    let hyperparameters = Hyperparameters::for_data(&outline, settings)?;
    check_size(0, outline.dim(), &hyperparameters, settings)?;
    let points = Held::Away(&away);
    if points.len() <= TILE_ROWS {
        return Err(Error::usage(format!("{} points are no more than a tile: they fit into memory", points.len())));
    }
    let stop = AtomicBool::new(false);
    let run = Run {
        points,
        threads: 1,
        hyperparameters: &hyperparameters,
        settings,
        store: None,
        number: 0,
        ends: None,
        progress,
        stop: &stop,
    };
    progress.begin("sampling", u64::from(settings.chains) * settings.iterations);
    // A chain mostly waits for others: each has a thread of its own.
    let one = |chain: u32| with_component!(settings.component.covariance, C => run.chain::<C>(u64::from(chain)));
    let results = thread::scope(|scope| {
        let started: Vec<_> = (0..settings.chains)
            .map(|chain| (chain, thread::Builder::new().spawn_scoped(scope, move || one(chain))))
            .collect();
        started
            .into_iter()
            .map(|(chain, started)| match started {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                // a thread that cannot be had: this one does its work
                Err(_) => one(chain),
            })
            .collect()
    });
    let fitted = gather(all_or_first_error(results)?, outline.rows, settings, hyperparameters)?;
    Ok((fitted, outline.variance.iter().map(|variance| variance.sqrt()).collect()))
}

/// The chains from their start, from a checkpoint or from where they ended before; then with the later draws alone.
pub(crate) fn run(
    data: &[f64],
    dim: usize,
    settings: &FitSettings,
    checkpoints: Option<&Checkpoints>,
    ends: Option<&[ChainEnd]>,
    progress: &dyn Progress,
) -> Result<Fit> {
    let (chains, hyperparameters) = run_chains(data, dim, settings, checkpoints, ends, 0..settings.chains, progress)?;
    gather(chains, data.len() / dim, settings, hyperparameters)
}

/// Some of the chains.
fn run_chains(
    data: &[f64],
    dim: usize,
    settings: &FitSettings,
    checkpoints: Option<&Checkpoints>,
    ends: Option<&[ChainEnd]>,
    chains: Range<u32>,
    progress: &dyn Progress,
) -> Result<(Vec<Chain>, Hyperparameters)> {
    let points = ScaledData::new(data, dim)?;
    let hyperparameters = Hyperparameters::resolve(data, dim, settings)?;
    check_size(points.len(), dim, &hyperparameters, settings)?;
    let identity = format!("{settings:#?}\n{hyperparameters}");
    let store = checkpoints.map(|checkpoints| Store::open(checkpoints, &identity, data)).transpose()?;
    let stop = AtomicBool::new(false);
    let run = Run {
        points: Held::Here(&points),
        // with fewer chains than threads, the others work within chains
        threads: (rayon::current_num_threads() / chains.len().max(1)).max(1),
        hyperparameters: &hyperparameters,
        settings,
        store: store.as_ref(),
        number: run_number(settings, data),
        ends,
        progress,
        stop: &stop,
    };
    progress.begin("sampling", chains.len() as u64 * settings.iterations);
    let results: Vec<Result<Chain>> = chains
        .into_par_iter()
        .with_max_len(1)
        .map(u64::from)
        .map(|chain| with_component!(settings.component.covariance, C => run.chain::<C>(chain)))
        .collect();
    Ok((all_or_first_error(results)?, hyperparameters))
}

/// The error that stopped the run, not one of a chain that merely followed it.
fn all_or_first_error<T>(results: Vec<Result<T>>) -> Result<Vec<T>> {
    let cause =
        results.iter().filter_map(|result| result.as_ref().err()).find(|error| error.kind() != ErrorKind::Interrupted);
    match cause {
        Some(error) => Err(error.clone()),
        None => results.into_iter().collect(),
    }
}

fn gather(
    chains: Vec<Chain>,
    observations: usize,
    settings: &FitSettings,
    hyperparameters: Hyperparameters,
) -> Result<Fit> {
    let (chains, ends): (Vec<ChainDraws>, Vec<Option<ChainEnd>>) =
        chains.into_iter().map(|chain| (chain.draws, chain.end)).unzip();
    let ends = ends.into_iter().flatten().collect();
    let ensemble = ensemble(&chains, hyperparameters.dim)?;
    let mut labels = Labels::new();
    labels.reserve(chains.iter().map(|chain| chain.labels.len()).sum());
    let mut traces = Traces {
        log_posterior: Vec::new(),
        clusters: Vec::new(),
        largest_cluster: Vec::new(),
        concentration: Vec::new(),
    };
    let mut unresolved: f64 = 0.0;
    let sticks = chains.iter().map(|chain| chain.sticks as usize).max().unwrap_or(0);
    let on_last_stick: u64 = chains.iter().map(|chain| chain.on_last_stick).sum();
    let draws = ensemble.len() as f64;
    let truncated = (sticks > 0 && settings.prior.limit().is_none())
        .then(|| Truncated { sticks, on_last_stick: on_last_stick as f64 / draws });
    for chain in chains {
        labels.append(chain.labels.as_slice());
        unresolved = unresolved.max(chain.unresolved);
        traces.log_posterior.push(chain.log_posterior);
        traces.clusters.push(chain.clusters);
        traces.largest_cluster.push(chain.largest);
        traces.concentration.push(chain.alpha);
    }
    let diagnostics = diagnose(&traces, settings)?;
    Ok(Fit { ensemble, labels, observations, traces, hyperparameters, diagnostics, unresolved, truncated, ends })
}

/// Whether the chains agree, if they are long enough to be asked.
pub(crate) fn diagnose(traces: &Traces, settings: &FitSettings) -> Result<Option<Diagnostics>> {
    if traces.log_posterior.iter().any(|chain| chain.len() < 4) {
        return Ok(None);
    }
    let of = |trace: &[Vec<f64>]| convergence(&trace.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let log_posterior = of(&traces.log_posterior)?;
    let clusters = of(&traces.clusters)?;
    let largest_cluster = of(&traces.largest_cluster)?;
    let concentration = match settings.concentration {
        Concentration::Fixed(_) => None,
        Concentration::Gamma { .. } => Some(of(&traces.concentration)?),
    };
    let mut all = vec![log_posterior, clusters, largest_cluster];
    all.extend(concentration);
    let converged = converged(&all, settings.chains as usize);
    Ok(Some(Diagnostics { log_posterior, clusters, largest_cluster, concentration, converged }))
}

/// Bytes that the draws of [`fit`] take at most while they are gathered, known before it starts. Where the number of atoms is not (slice and
/// marginal sampler), one for each draw is counted.
pub fn predicted_bytes(data: &[f64], dim: usize, settings: &FitSettings) -> Result<u64> {
    let points = ScaledData::new(data, dim)?;
    let hyperparameters = Hyperparameters::resolve(data, dim, settings)?;
    // Those of the chains, all of them behind each other, and the ensemble.
    Ok((3.0 * bytes_of_draws(points.len(), dim, &hyperparameters, settings)) as u64)
}

/// Of so many labelled points.
fn bytes_of_draws(points: usize, dim: usize, hyperparameters: &Hyperparameters, settings: &FitSettings) -> f64 {
    let atoms = hyperparameters.truncation.unwrap_or(1) as f64;
    let d = dim as f64;
    let label = match hyperparameters.truncation.unwrap_or(1) {
        0..=0x100 => 1.0,
        0x101..=0x1_0000 => 2.0,
        _ => 4.0,
    };
    let draw = atoms * (1.0 + d + d * d) * 8.0 + points as f64 * label;
    draw * settings.draws_per_chain() as f64 * f64::from(settings.chains)
}

/// Refuses runs whose draws would take more memory than any machine that this is likely to run on.
fn check_size(points: usize, dim: usize, hyperparameters: &Hyperparameters, settings: &FitSettings) -> Result<()> {
    const MOST: f64 = (1u64 << 38) as f64;
    let bytes = bytes_of_draws(points, dim, hyperparameters, settings);
    if bytes <= MOST {
        return Ok(());
    }
    Err(Error::resource(format!("the draws would take {:.0} GiB", bytes / (1u64 << 30) as f64))
        .hint("keep fewer draws (thin), or truncate at fewer sticks"))
}
