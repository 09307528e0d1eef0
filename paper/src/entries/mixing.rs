//! Why numbers from mixgist's sampler differ from the published ones: how well the chains mix.

use std::collections::BTreeMap;

use mixgist::diagnostics::convergence;
use mixgist::{Result, Silent};
use mixgist_samplers::{Algorithm, fit};

use super::Entry;
use crate::evaluate::Posterior;
use crate::model::{ALPHA, DIM, LAMBDA, old_faithful};
use crate::page::Section;
use crate::prior_check::prior_estimates;
use crate::score::Spread;
use crate::study::{Experiment, PUBLISHED_STICKS, Repeat, Source, Study};

/// How well the chains mix.
pub const ENTRY: Entry = Entry {
    name: "mixing",
    help: "Old Faithful: number of clusters, its R-hat over chains, and arrangements of the two heaviest atoms on the sticks",
    run,
};

fn run(study: &Study) -> Result<Vec<Section>> {
    let mut section = Section::new("Why Old Faithful differs: the published chain did not mix");
    section.text(
        "The table shows the number of clusters in a draw of Old Faithful, how much its mean differs between chains, R-hat (1 is perfect, above \
         1.01 is suspicious; one chain is compared with itself, half against half, which cannot see what it never visits) and in how many \
         arrangements the two heaviest atoms sit on the sticks. mixgist's sampler redraws the stick positions in every sweep and \
         splits and merges clusters; its marginal Gibbs sampler is another algorithm for the same posterior, without sticks. The plain \
         blocked Gibbs sampler of the published procedure never moves a large cluster to another stick, so a chain keeps the \
         arrangement that it starts with.",
    );
    let mut rows = Vec::new();
    for source in study.sources(Experiment::OldFaithful) {
        let repeats = chains(study, source)?;
        rows.push(row(source.name(), &traces(repeats), Some(repeats))?);
    }
    let length = study.options.length;
    let settings = old_faithful().prior.settings(length, 1).with_algorithm(Algorithm::Marginal).with_chains(4);
    let fitted = fit(&old_faithful().values, DIM, &settings, None, &Silent)?;
    rows.push(row("mixgist's marginal Gibbs sampler", &fitted.traces.clusters, None)?);
    section.table(&["Old Faithful", "chains", "clusters a draw", "sd between chains", "R-hat", "arrangements"], rows);
    if study.options.draws.is_some() {
        prior(study, &mut section)?;
    }
    if study.options.as_published {
        arrangement(study, &mut section)?;
    }
    Ok(vec![section])
}

/// Chains of Old Faithful. Repeats of the published draws differ in directions, not in draws.
fn chains(study: &Study, source: Source) -> Result<&[Repeat]> {
    let repeats = study.faithful(source)?;
    Ok(if source == Source::Given { &repeats[..1] } else { repeats })
}

/// The mean number of clusters in a draw, chain by chain.
fn chain_means(study: &Study, source: Source) -> Result<Vec<f64>> {
    let chains = chains(study, source)?.iter();
    Ok(chains.filter_map(|repeat| Spread::of(&trace(&repeat.posterior))).map(|spread| spread.mean).collect())
}

/// The mean number of clusters in a draw of Old Faithful over all chains.
pub fn mean_clusters(study: &Study, source: Source) -> Result<f64> {
    Ok(Spread::of(&chain_means(study, source)?).map_or(f64::NAN, |spread| spread.mean))
}

/// Is it the prior?
fn prior(study: &Study, section: &mut Section) -> Result<()> {
    let posterior = &study.faithful(Source::Given)?[0].posterior;
    let Some(found) = prior_estimates(posterior) else { return Ok(()) };
    section.text(
        "**Another prior?** No. The sticks that are empty in every published draw hold draws from the prior, and they follow the one used here:",
    );
    let scale = posterior.observations.prior.scale;
    let rows = [
        ("α", ALPHA, found.alpha),
        ("λ", LAMBDA, found.lambda),
        ("first entry of Ψ", scale[0], found.scale[0]),
        ("second entry of Ψ", scale[1], found.scale[1]),
    ];
    let row = |(name, here, spread): (&str, f64, Spread)| {
        let z = (spread.mean - here) / spread.sd;
        vec![name.into(), here.to_string(), format!("{:.3} ± {:.3}", spread.mean, spread.sd), format!("{z:+.1}")]
    };
    section.table(&["", "here", "published draws ± standard error", "z"], rows.map(row).to_vec());
    Ok(())
}

/// Is it the arrangement on the sticks?
fn arrangement(study: &Study, section: &mut Section) -> Result<()> {
    section.text(format!(
        "**The arrangement on the sticks?** Each stick before the later of the two large clusters, though it holds few observations or none, has \
         a weight of about 1/(n + 1), as much as all sticks behind them together. The more of them, the more small clusters. In all \
         published draws the two large clusters sit on sticks {} and {}, with {} sticks before them. Chains of the published procedure, one \
         by one in the order of these sticks, then chains of the same code started with two clusters on the published sticks:",
        PUBLISHED_STICKS[0] + 1,
        PUBLISHED_STICKS[1] + 1,
        PUBLISHED_STICKS[0]
    ));
    let mut rows = Vec::new();
    for source in [Source::AsPublished, Source::SameSticks, Source::Given] {
        if source == Source::Given && study.options.draws.is_none() {
            continue;
        }
        let mut own: Vec<_> =
            chains(study, source)?.iter().map(|repeat| (usual_arrangement(&repeat.posterior), repeat)).collect();
        own.sort_by_key(|((sticks, _), _)| sticks.iter().max().copied());
        for ((sticks, share), repeat) in own {
            let clusters = Spread::of(&trace(&repeat.posterior)).map_or(f64::NAN, |spread| spread.mean);
            // one of the sticks before the later cluster holds the other one
            let before = sticks.iter().max().map_or(0, |later| later.saturating_sub(1));
            rows.push(vec![
                source.name().into(),
                sticks.iter().map(|stick| (stick + 1).to_string()).collect::<Vec<_>>().join(" and "),
                format!("{:.0} %", 100.0 * share),
                before.to_string(),
                format!("{clusters:.2}"),
            ]);
        }
    }
    let header = [
        "chain",
        "sticks of the two heaviest",
        "share of draws",
        "small sticks before the later one",
        "clusters a draw",
    ];
    section.table(&header, rows);
    if study.options.draws.is_some() {
        let published = mean_clusters(study, Source::Given)?;
        let score = |source| -> Result<String> {
            let Some(spread) = Spread::of(&chain_means(study, source)?).filter(|spread| spread.count > 1) else {
                return Ok("no z-score".into());
            };
            let z = (published - spread.mean) / (spread.sd * (1.0 + 1.0 / spread.count as f64).sqrt());
            Ok(format!("{:.2} ± {:.2}, z {z:+.1}", spread.mean, spread.sd))
        };
        section.text(format!(
            "The published {published:.2} clusters a draw as one more chain of each: published procedure from ten clusters {}; on the \
             published sticks {}; mixgist's sampler {}.",
            score(Source::AsPublished)?,
            score(Source::SameSticks)?,
            score(Source::Own)?
        ));
    }
    Ok(())
}

/// The number of clusters along each chain.
fn traces(repeats: &[Repeat]) -> Vec<Vec<f64>> {
    repeats.iter().map(|repeat| trace(&repeat.posterior)).collect()
}

fn trace(posterior: &Posterior) -> Vec<f64> {
    (0..posterior.partitions.len()).map(|m| posterior.partitions.clusters(m) as f64).collect()
}

fn row(name: &str, traces: &[Vec<f64>], repeats: Option<&[Repeat]>) -> Result<Vec<String>> {
    let means: Vec<f64> = traces.iter().filter_map(|trace| Spread::of(trace)).map(|spread| spread.mean).collect();
    let slices: Vec<&[f64]> = traces.iter().map(Vec::as_slice).collect();
    let r_hat = if slices[0].len() >= 4 { format!("{:.2}", convergence(&slices)?.rhat) } else { String::new() };
    let between = Spread::of(&means).filter(|spread| spread.count > 1);
    let sticks = repeats.map_or(String::new(), |repeats| {
        let counts: Vec<f64> = repeats.iter().map(|r| arrangements(&r.posterior) as f64).collect();
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

/// How many different pairs of stick positions the two heaviest atoms take.
pub fn arrangements(posterior: &Posterior) -> usize {
    counted(posterior).len()
}

/// The pair of stick positions that the two heaviest atoms have most often, and in which share of the draws.
fn usual_arrangement(posterior: &Posterior) -> (Vec<usize>, f64) {
    let most = counted(posterior).into_iter().max_by_key(|(_, count)| *count);
    most.map_or((Vec::new(), 0.0), |(sticks, count)| (sticks, count as f64 / posterior.ensemble.len() as f64))
}

fn counted(posterior: &Posterior) -> BTreeMap<Vec<usize>, usize> {
    let mut counts = BTreeMap::new();
    for m in 0..posterior.ensemble.len() {
        let weights = &posterior.ensemble.weights()[posterior.ensemble.range(m)];
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        order.truncate(2);
        *counts.entry(order).or_default() += 1;
    }
    counts
}
