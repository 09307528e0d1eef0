//! A run that is over runs on: what it would have given with more iterations from the start.

use mixgist::text::option;
use mixgist::{Ensemble, Error, Labels, Progress, Result, text};

use crate::fit::{Fit, Traces, Truncated, diagnose, run};
use crate::settings::FitSettings;

/// Lets the chains of an earlier fit run on until they have `settings.iterations` iterations, and returns all draws, the earlier ones first in
/// each chain.
///
/// Data and settings are those of the earlier fit but for the number of iterations, or it is an error. The answer has the bits of a fit with
/// so many iterations. Cost: that of the further iterations.
pub fn extend(earlier: Fit, data: &[f64], dim: usize, settings: &FitSettings, progress: &dyn Progress) -> Result<Fit> {
    settings.check()?;
    let chains = settings.chains as usize;
    if earlier.ends.len() != chains {
        return Err(Error::input(format!("the ends of {} chains, the settings have {chains}", earlier.ends.len())));
    }
    let kept = earlier.traces.log_posterior.first().map_or(0, Vec::len);
    expect_whole(&earlier, chains, kept, data.len() / dim.max(1))?;
    let wanted = settings.draws_per_chain();
    if kept as u64 >= wanted {
        let more = settings.burn_in + (kept as u64 + 1) * settings.thin;
        return Err(Error::usage(format!(
            "each chain has {kept} draws already, {} iterations do not give more",
            settings.iterations
        ))
        .hint(text![
            "let them run on: ",
            option("iterations", more),
            " or more, burn-in and earlier iterations included"
        ]));
    }
    let later = run(data, dim, settings, None, Some(&earlier.ends), progress)?;
    join(earlier, later, settings)
}

/// Refuses a fit whose draws, labels and traces are not those of so many chains, each of as many draws: they come from different files.
fn expect_whole(fit: &Fit, chains: usize, kept: usize, points: usize) -> Result<()> {
    let Traces { log_posterior, clusters, largest_cluster, concentration } = &fit.traces;
    let in_order = (0..chains).flat_map(|chain| std::iter::repeat_n(chain, kept));
    if !fit.ensemble.chains().iter().map(|&chain| chain as usize).eq(in_order) {
        return Err(Error::input("the draws are not those of the fit: their chains are others"));
    }
    let traces = [log_posterior, clusters, largest_cluster, concentration];
    if traces.iter().any(|trace| trace.len() != chains || trace.iter().any(|chain| chain.len() != kept)) {
        return Err(Error::input("the draws and the traces of the fit do not belong together"));
    }
    if fit.ensemble.len().checked_mul(points) != Some(fit.labels.len()) {
        return Err(Error::input("the labels are not those of the data: their number is another"));
    }
    Ok(())
}

fn join(earlier: Fit, later: Fit, settings: &FitSettings) -> Result<Fit> {
    let (before, after) = (earlier.ensemble.len(), later.ensemble.len());
    let both = Ensemble::concatenate(&[&earlier.ensemble, &later.ensemble])?;
    let mut order: Vec<usize> = (0..both.len()).collect();
    order.sort_by_key(|&m| both.chains()[m]); // stable: the earlier draws of a chain stay first
    let observations = later.observations;
    let row = |m: usize| match m.checked_sub(before) {
        None => earlier.labels.slice(m * observations..(m + 1) * observations),
        Some(m) => later.labels.slice(m * observations..(m + 1) * observations),
    };
    let mut labels = Labels::new();
    order.iter().for_each(|&m| labels.append(row(m)));
    let traces = joined(earlier.traces, later.traces);
    let share = |truncated: &Truncated, draws: usize| truncated.on_last_stick * draws as f64;
    let truncated = earlier.truncated.zip(later.truncated).map(|(a, b)| Truncated {
        sticks: a.sticks.max(b.sticks),
        on_last_stick: (share(&a, before) + share(&b, after)).round() / (before + after) as f64,
    });
    Ok(Fit {
        ensemble: both.select(&order)?,
        labels,
        observations,
        diagnostics: diagnose(&traces, settings)?,
        traces,
        hyperparameters: later.hyperparameters,
        unresolved: earlier.unresolved.max(later.unresolved),
        truncated,
        ends: later.ends,
    })
}

fn joined(earlier: Traces, later: Traces) -> Traces {
    let join = |mut before: Vec<Vec<f64>>, after: Vec<Vec<f64>>| {
        before.iter_mut().zip(after).for_each(|(chain, more)| chain.extend(more));
        before
    };
    Traces {
        log_posterior: join(earlier.log_posterior, later.log_posterior),
        clusters: join(earlier.clusters, later.clusters),
        largest_cluster: join(earlier.largest_cluster, later.largest_cluster),
        concentration: join(earlier.concentration, later.concentration),
    }
}
