//! One chain from its start (or checkpoint) to its last draw.

use std::sync::atomic::{AtomicBool, Ordering};

use mixgist::random::{Purpose, stream};
use mixgist::text::option;
use mixgist::{Error, Labels, Progress, Result, text};

use crate::algorithm::{Model, State, sampler};
use crate::checkpoint::{Saved, Store};
use crate::component::Component;
use crate::draws::ChainDraws;
use crate::end::ChainEnd;
use crate::held::Held;
use crate::hyperparameters::Hyperparameters;
use crate::measure::{impute, log_posterior};
use crate::settings::{Algorithm, FitSettings, MAX_STICKS, Truncation};
use crate::start::start;

/// What a chain gives.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Chain {
    pub draws: ChainDraws,
    /// Where it ended; not for points that others hold.
    pub end: Option<ChainEnd>,
}

/// What all chains of a run have in common.
pub(crate) struct Run<'a> {
    pub points: Held<'a>,
    /// Threads for each chain.
    pub threads: usize,
    pub hyperparameters: &'a Hyperparameters,
    pub settings: &'a FitSettings,
    pub store: Option<&'a Store>,
    /// What the run is known by.
    pub number: u64,
    /// Where the chains ended that are to run on.
    pub ends: Option<&'a [ChainEnd]>,
    pub progress: &'a dyn Progress,
    /// Set when a chain failed: the others stop too.
    pub stop: &'a AtomicBool,
}

impl Run<'_> {
    /// Runs chain number `chain`; it depends on (seed, chain) alone. A chain that is stopped saves where it is first.
    pub(crate) fn chain<C: Component>(&self, chain: u64) -> Result<Chain> {
        let result = self.sample::<C>(chain);
        if result.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        result
    }

    fn sample<C: Component>(&self, chain: u64) -> Result<Chain> {
        let settings = self.settings;
        let mut model = Model::<C>::new(self.points, self.hyperparameters, settings.remainder);
        model.tiling.threads = self.threads;
        let Saved { mut state, mut rng, mut draws, sticks, mut segments } = self.begin(&model, chain)?;
        model.sticks = sticks;
        model.resume_scales(&state)?;
        if state.sweeps > settings.iterations {
            let (done, asked) = (state.sweeps, settings.iterations);
            return Err(Error::usage(format!(
                "the run has {done} iterations already, more than the {asked} that were asked for"
            ))
            .hint(text!["ask for at least as many: ", option("iterations", done)]));
        }
        self.progress.advance(state.sweeps);
        let mut sampler = sampler::<C>(settings.algorithm);
        let mut fresh = ChainDraws::default();
        let mut told = state.sweeps;
        let stride = (100_000 / self.points.len() as u64).clamp(1, 100);
        while state.sweeps < settings.iterations {
            let iteration = state.sweeps;
            sampler.sweep(&mut model, &mut state, &mut rng)?;
            let done = state.sweeps;
            if done <= settings.burn_in {
                model.sticks = enough_sticks(model.sticks, state.clusters.len(), settings);
            }
            if iteration >= settings.burn_in && (done - settings.burn_in).is_multiple_of(settings.thin) {
                self.record(&mut model, &state, chain, iteration, &mut fresh)?;
            }
            let at_check = done.is_multiple_of(stride) || done == settings.iterations;
            let stopped = at_check && (self.progress.cancelled() || self.stop.load(Ordering::Relaxed));
            if let Some(store) = self.store
                && (done.is_multiple_of(store.every) || done == settings.iterations || stopped)
            {
                store.save(chain, segments, &state, model.sticks, &rng, &fresh)?;
                segments += 1;
                draws.append(&std::mem::take(&mut fresh));
            }
            if stopped && done < settings.iterations {
                return Err(Error::interrupted());
            }
            if at_check {
                self.tell(&model, &state, chain, done - told)?;
                told = done;
            }
        }
        draws.append(&fresh);
        let end = match self.points {
            Held::Here(_) => Some(ChainEnd::new(self.number, chain, &state, model.sticks, &rng)?),
            Held::Away(_) => None,
        };
        Ok(Chain { draws, end })
    }

    fn begin<C: Component>(&self, model: &Model<'_, C>, chain: u64) -> Result<Saved> {
        if let Some(store) = self.store {
            let stride = model.component.statistic_len();
            if let Some(saved) = store.load(chain, stride, self.points.len(), self.points.dim())? {
                return Ok(saved);
            }
        }
        if let Some(end) = self.ends.and_then(|ends| ends.get(chain as usize)) {
            return end.restore(self.number, chain, model.component.statistic_len(), self.points.len());
        }
        let mut rng = stream(self.settings.seed, Purpose::Chains, chain << 40);
        let state = start(model, chain, &mut rng)?;
        Ok(Saved { state, rng, draws: ChainDraws::default(), sticks: model.sticks, segments: 0 })
    }

    /// Keeps a draw. Its own stream of random numbers keeps the chain the same whatever is kept of it.
    fn record<C: Component>(
        &self,
        model: &mut Model<'_, C>,
        state: &State,
        chain: u64,
        iteration: u64,
        out: &mut ChainDraws,
    ) -> Result<()> {
        let mut rng = stream(self.settings.seed, Purpose::Chains, chain << 40 | (iteration + 1));
        impute(model, state, &mut rng, out)?;
        if matches!(self.points, Held::Away(_)) {
            // a number for each point and draw, which nobody who has so many points asks for
            out.labels = Labels::new();
        }
        out.iterations.push(iteration);
        out.log_posterior.push(log_posterior(model, state)?);
        out.clusters.push(state.clusters.len() as f64);
        out.largest.push(f64::from(state.clusters.sizes().max().unwrap_or(0)));
        out.alpha.push(state.alpha);
        Ok(())
    }

    fn tell<C: Component>(&self, model: &Model<'_, C>, state: &State, chain: u64, steps: u64) -> Result<()> {
        self.progress.advance(steps);
        self.progress.remark(&format!(
            "chain {chain}: iteration {}, {} clusters, log posterior {:.1}",
            state.sweeps,
            state.clusters.len(),
            log_posterior(model, state)?
        ));
        Ok(())
    }
}

/// The sticks of the blocked sampler that so many clusters ask for: `auto` doubles them while more than half are occupied. This happens
/// during the burn-in alone, so that the draws that are kept come from one chain with one truncation.
fn enough_sticks(sticks: Option<usize>, clusters: usize, settings: &FitSettings) -> Option<usize> {
    let adaptive = matches!(settings.algorithm, Algorithm::Blocked { truncation: Truncation::Auto { .. } });
    let sticks = sticks?;
    let grows = adaptive && settings.prior.limit().is_none() && 2 * clusters > sticks;
    Some(if grows { (2 * sticks).min(MAX_STICKS) } else { sticks })
}
