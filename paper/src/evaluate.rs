//! The six estimates of a posterior sample, and every number that the tables print about them.

use std::collections::BTreeMap;
use std::ops::Range;

use mixgist::partition::{
    LossOptions, OmariConvention, PartitionLoss, SearchOptions, expected_loss, loss_between, search,
};
use mixgist::{Ensemble, MixingMeasure, Mixture, Partition, PartitionDraws, Points, Result, Silent, allocate};

use crate::choice::SliceSetting;
use crate::grid::{DensityDistance, GridMass, GridSlices};
use crate::model::{DIM, Observations, STICK_WEIGHTS, four_gaussians};
use crate::plain_chain::measures_from_labels;

/// A posterior sample of one data set.
#[derive(Debug, Clone)]
pub struct Posterior {
    /// The data and what they come from.
    pub observations: Observations,
    /// Draws of G.
    pub ensemble: Ensemble,
    /// Draws of the partition.
    pub partitions: PartitionDraws,
    /// Number of the repeat, and seed of everything random from here on.
    pub seed: u64,
}

/// How estimates are found and distances averaged.
#[derive(Debug, Clone, Copy)]
pub struct Procedure {
    /// Densities from a partition as they were drawn for the published tables, labels taken for stick positions, instead of from
    /// p(G | partition, data).
    pub labels_as_sticks: bool,
    /// The slices of the tables, then those of the comparison of settings.
    pub slices: &'static [SliceSetting],
}

/// The methods, in the order of the tables, with the name that the paper uses. The last has no row in the paper: 0/0 counts as 0 there.
pub const METHODS: [(&str, &str); 7] = [
    ("binder", "Binder"),
    ("vi", "VI"),
    ("omari", "omARI"),
    ("sw", "SW"),
    ("mix-sw", "Mix-SW"),
    ("smix-w", "SMix-W"),
    ("omari-identical", "omARI, 0/0 = 0"),
];

/// The distances, in the order of the tables.
pub const DISTANCES: [&str; 3] = ["sw", "mix-sw", "smix-w"];

/// Densities given a partition that losses are averaged over.
const FROZEN_DRAWS: usize = 10;

/// Directions of the published sliced W_2 between densities, new ones for each pair.
const PUBLISHED_DIRECTIONS: usize = 1000;

/// An estimate: a partition, the measures that it stands for (one, or several given the partition).
#[derive(Debug, Clone)]
pub struct Estimate {
    /// Key of the method.
    pub method: &'static str,
    /// Which of the procedure's slice settings it comes from.
    pub setting: usize,
    /// The partition.
    pub partition: Partition,
    /// Its measures.
    pub measures: Vec<MixingMeasure>,
    /// Which draw it is, when it is one.
    pub draw: Option<usize>,
}

/// Numbers by (method, quantity). A trailing `*` is the loss against the truth, `E` its posterior expectation; TV is twice the total variation
/// and the truth of densities has the weights of Table 2, as published; `right` marks the same number without the slip, `mean` the density
/// E[F | partition, data] instead of draws, `noise` the Monte Carlo error of the published number that comes from its directions. `draw` is
/// the index of the medoid. What comes from another slice setting than that of the tables ends in [`under`] that setting.
pub type Numbers = BTreeMap<(&'static str, String), f64>;

/// Everything about one posterior sample.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The estimates: those of the tables in the order of [`METHODS`], then medoids under other slice settings.
    pub estimates: Vec<Estimate>,
    /// What the tables print.
    pub numbers: Numbers,
}

/// The end of a quantity's key under one of the procedure's slice settings; empty for that of the tables.
pub fn under(setting: usize) -> String {
    if setting == 0 { String::new() } else { format!(" under {setting}") }
}

/// Finds the estimates and computes all numbers.
pub fn evaluate(posterior: &Posterior, procedure: Procedure) -> Result<Evaluation> {
    let estimates = estimates(posterior, procedure)?;
    let mut numbers = Numbers::new();
    partition_numbers(posterior, &estimates, &mut numbers)?;
    density_numbers(posterior, &estimates, &mut numbers)?;
    measure_numbers(posterior, &estimates, procedure, &mut numbers)?;
    Ok(Evaluation { estimates, numbers })
}

fn partition_loss(method: &str) -> Result<PartitionLoss> {
    match method {
        "omari-identical" => Ok(PartitionLoss::Omari(OmariConvention::Identical)),
        name => {
            PartitionLoss::from_name(name, &LossOptions { omari: OmariConvention::Salso, ..LossOptions::default() })
        }
    }
}

fn estimates(posterior: &Posterior, procedure: Procedure) -> Result<Vec<Estimate>> {
    let mut estimates = Vec::new();
    for (method, _) in METHODS {
        estimates.push(if DISTANCES.contains(&method) {
            medoid(posterior, procedure, method, 0)?
        } else {
            partition_first(posterior, procedure, method)?
        });
    }
    for setting in (1..procedure.slices.len()).filter(|&i| posterior.seed < procedure.slices[i].most_repeats) {
        for distance in DISTANCES {
            estimates.push(medoid(posterior, procedure, distance, setting)?);
        }
    }
    Ok(estimates)
}

fn medoid(posterior: &Posterior, procedure: Procedure, method: &'static str, setting: usize) -> Result<Estimate> {
    let draw = procedure.slices[setting].medoid(method, &posterior.ensemble, posterior.seed)?;
    let measure = posterior.ensemble.draw(draw);
    let points = Points::new(DIM, &posterior.observations.values)?;
    let labels = allocate(&Mixture::new(&measure)?, points, &Silent)?.labels;
    let partition = Partition::from_integers(&labels)?;
    Ok(Estimate { method, setting, partition, measures: vec![measure], draw: Some(draw) })
}

fn partition_first(posterior: &Posterior, procedure: Procedure, method: &'static str) -> Result<Estimate> {
    let Posterior { observations, partitions, seed, .. } = posterior;
    let options = SearchOptions { seed: *seed, ..SearchOptions::new(partition_loss(method)?) };
    let partition = search(partitions, &options, &Silent)?.partition;
    let data = &observations.values;
    let measures = if procedure.labels_as_sticks {
        measures_from_labels(&partition, data, observations.prior, FROZEN_DRAWS, *seed)?
    } else {
        let sampled = observations.model()?.sample_measures(&partition, FROZEN_DRAWS, *seed)?;
        (0..FROZEN_DRAWS).map(|i| sampled.draw(i)).collect()
    };
    Ok(Estimate { method, setting: 0, partition, measures, draw: None })
}

fn partition_numbers(posterior: &Posterior, estimates: &[Estimate], numbers: &mut Numbers) -> Result<()> {
    for estimate in estimates {
        let end = under(estimate.setting);
        let mut put = |key: String, value| numbers.insert((estimate.method, key + &end), value);
        put("clusters".into(), estimate.partition.clusters() as f64);
        if let Some(draw) = estimate.draw {
            put("draw".into(), draw as f64);
        }
        for (key, right) in [("binder", false), ("vi", false), ("omari", false), ("omari-identical", true)] {
            let loss = partition_loss(key)?;
            let (name, mark) = if right { ("omari", " right") } else { (key, "") };
            put(format!("E {name}{mark}"), expected_loss(loss, &estimate.partition, &posterior.partitions, &Silent)?);
            if let Some(truth) = &posterior.observations.truth {
                put(format!("{name}*{mark}"), loss_between(loss, &estimate.partition, &truth.partition)?);
            }
        }
    }
    Ok(())
}

fn density_numbers(posterior: &Posterior, estimates: &[Estimate], numbers: &mut Numbers) -> Result<()> {
    // the seventh method differs from omARI in its partition alone, and no table has a row for it
    let estimates: Vec<&Estimate> = estimates.iter().filter(|estimate| estimate.method != METHODS[6].0).collect();
    let data = &posterior.observations.values;
    let grid = GridSlices::over(Points::new(DIM, data)?)?;
    let model = posterior.observations.model()?;
    // All densities in one list: those of each estimate's measures, then E[F | partition, data] in closed form.
    let mut masses: Vec<GridMass> = Vec::new();
    let mut ranges: Vec<(Range<usize>, usize)> = Vec::new();
    for (i, estimate) in estimates.iter().enumerate() {
        if let Some(same) = estimates[..i].iter().position(|other| other.measures == estimate.measures) {
            ranges.push(ranges[same].clone());
            continue;
        }
        let start = masses.len();
        for measure in &estimate.measures {
            masses.push(grid.of_measure(measure)?);
        }
        let own = start..masses.len();
        let exact = if estimate.draw.is_none() {
            let log = model.expected_density(&estimate.partition)?.log_density(grid.points())?;
            masses.push(grid.mass(&log.iter().map(|x| x.exp()).collect::<Vec<_>>()));
            masses.len() - 1
        } else {
            start
        };
        ranges.push((own, exact));
    }
    let draws: Vec<MixingMeasure> = (0..posterior.ensemble.len()).map(|m| posterior.ensemble.draw(m)).collect();
    let expected = grid.expected(&masses, &draws)?;
    let mut put = |suffix: &str, mark: &str, of: &dyn Fn(usize) -> DensityDistance| {
        for (estimate, (own, exact)) in estimates.iter().zip(&ranges) {
            let mean = |value: &dyn Fn(DensityDistance) -> f64| {
                own.clone().map(|i| value(of(i))).sum::<f64>() / own.len() as f64
            };
            let prefix = if suffix.is_empty() { "E " } else { "" };
            let end = under(estimate.setting);
            let mut one = |name: &str, value| {
                numbers.insert((estimate.method, format!("{prefix}{name}{suffix}{mark}{end}")), value)
            };
            one("tv", 2.0 * mean(&|d| d.total_variation));
            one("sw2", mean(&|d| d.sliced_w2));
            one("sw2 noise", (mean(&|d| d.sliced_w2_variance) / (own.len() * PUBLISHED_DIRECTIONS) as f64).sqrt());
            one("mean tv", 2.0 * of(*exact).total_variation);
            one("mean sw2", of(*exact).sliced_w2);
        }
    };
    put("", "", &|i| expected[i]);
    if let Some(truth) = &posterior.observations.truth {
        let (right, published) = (grid.of_measure(&truth.measure)?, grid.of_measure(&four_gaussians(STICK_WEIGHTS)?)?);
        put("*", "", &|i| grid.between(&masses[i], &published));
        put("*", " right", &|i| grid.between(&masses[i], &right));
    }
    Ok(())
}

fn measure_numbers(
    posterior: &Posterior,
    estimates: &[Estimate],
    procedure: Procedure,
    numbers: &mut Numbers,
) -> Result<()> {
    for (setting, slices) in procedure.slices.iter().enumerate() {
        let of_setting = |estimate: &&Estimate| estimate.draw.is_some() && estimate.setting == setting;
        let chosen: Vec<&Estimate> = estimates.iter().filter(of_setting).collect();
        if chosen.is_empty() {
            continue;
        }
        let measures: Vec<MixingMeasure> = chosen.iter().map(|estimate| estimate.measures[0].clone()).collect();
        for distance in DISTANCES {
            let expected = slices.expected(distance, &measures, &posterior.ensemble, posterior.seed)?;
            for ((estimate, measure), expected) in chosen.iter().zip(&measures).zip(expected) {
                let mut put = |key: String, value| numbers.insert((estimate.method, key + &under(setting)), value);
                put(format!("E G {distance}"), expected);
                if let Some(truth) = &posterior.observations.truth {
                    let to_truth = slices.between(distance, measure, &truth.measure, posterior.seed)?;
                    put(format!("G {distance}*"), to_truth);
                }
            }
        }
    }
    Ok(())
}
