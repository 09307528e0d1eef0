//! Why numbers from mixgist's sampler differ from the published ones: how well the chains mix.

use mixgist::diagnostics::convergence;
use mixgist::{Result, Silent};
use mixgist_samplers::{Algorithm, Settings, fit};

use super::Entry;
use crate::evaluate::Posterior;
use crate::model::{DIM, old_faithful};
use crate::page::Section;
use crate::score::Spread;
use crate::study::{Repeat, Source, Study};

/// How well the chains mix.
pub const ENTRY: Entry = Entry {
    name: "mixing",
    help: "Old Faithful: number of clusters, its R-hat over chains, and stick positions that the largest cluster takes",
    run,
};

fn run(study: &Study) -> Result<Vec<Section>> {
    let mut section = Section::new("Where ours and theirs differ: mixing");
    section.text(
        "A chain that samples the posterior visits every arrangement of clusters on sticks, and chains from different seeds agree. The table \
         shows the number of clusters in a draw, how much its mean differs between chains, R-hat (1 is perfect, above 1.01 is suspicious; one \
         chain is compared with itself, half against half) and on how many sticks the largest cluster sits at some time. Where chains of one \
         procedure differ, so do all expected losses computed from one of them, and a published number from a single chain is one \
         draw from that spread. mixgist redraws the stick positions in every sweep and splits and merges clusters; marginal Gibbs is \
         another algorithm for the same posterior, without sticks.",
    );
    let mut rows = Vec::new();
    for source in study.sources() {
        let mut repeats = study.faithful(source)?;
        if source == Source::Given {
            repeats = &repeats[..1]; // the repeats differ in directions, not in draws
        }
        rows.push(row(source.name(), &traces(repeats), Some(repeats))?);
    }
    let length = study.options.length;
    let settings = Settings { algorithm: Algorithm::Marginal, chains: 4, ..old_faithful().prior.settings(length, 1) };
    let fitted = fit(&old_faithful().values, DIM, &settings, None, &Silent)?;
    rows.push(row("mixgist's marginal Gibbs", &fitted.traces.clusters, None)?);
    section.table(
        &["Old Faithful", "chains", "clusters a draw", "sd between chains", "R-hat", "sticks of the largest cluster"],
        rows,
    );
    Ok(vec![section])
}

/// The number of clusters along each chain.
fn traces(repeats: &[Repeat]) -> Vec<Vec<f64>> {
    let of = |posterior: &Posterior| {
        (0..posterior.partitions.len()).map(|m| posterior.partitions.clusters(m) as f64).collect()
    };
    repeats.iter().map(|repeat| of(&repeat.posterior)).collect()
}

fn row(name: &str, traces: &[Vec<f64>], repeats: Option<&[Repeat]>) -> Result<Vec<String>> {
    let means: Vec<f64> = traces.iter().filter_map(|trace| Spread::of(trace)).map(|spread| spread.mean).collect();
    let slices: Vec<&[f64]> = traces.iter().map(Vec::as_slice).collect();
    let r_hat = if slices[0].len() >= 4 { format!("{:.2}", convergence(&slices)?.rhat) } else { String::new() };
    let between = Spread::of(&means).filter(|spread| spread.count > 1);
    let sticks = repeats.map_or(String::new(), |repeats| {
        let counts: Vec<f64> = repeats.iter().map(|r| sticks_of_largest(&r.posterior).len() as f64).collect();
        Spread::of(&counts).map_or(String::new(), |spread| format!("{:.1}", spread.mean))
    });
    Ok(vec![
        name.into(),
        traces.len().to_string(),
        Spread::of(&means).map_or(String::new(), |spread| format!("{:.3}", spread.mean)),
        between.map_or(String::new(), |spread| format!("{:.3}", spread.sd)),
        r_hat,
        sticks,
    ])
}

/// The different stick positions that the largest cluster takes.
pub fn sticks_of_largest(posterior: &Posterior) -> Vec<u32> {
    let n = posterior.partitions.observations();
    let mut sticks: Vec<u32> = posterior
        .labels
        .chunks_exact(n)
        .map(|labels| {
            let most = labels.iter().copied().max().map_or(0, |most| most as usize);
            let mut counts = vec![0u32; most + 1];
            labels.iter().for_each(|&label| counts[label as usize] += 1);
            (0..=most).max_by_key(|&k| (counts[k], std::cmp::Reverse(k))).unwrap_or(0) as u32
        })
        .collect();
    sticks.sort_unstable();
    sticks.dedup();
    sticks
}
