//! The six estimates of a posterior sample, and every number that the tables print about them.

use std::collections::BTreeMap;
use std::ops::Range;

use mixgist::partition::{Loss, LossOptions, OmariConvention, SearchOptions, expected_loss, loss_between, search};
use mixgist::slice::{Freeze, Scheme, slicer};
use mixgist::{
    Ensemble, MixingMeasure, Mixture, Order, Partition, PartitionDraws, Points, Result, Settings, Silent, SliceCount,
    SlicedDistance, allocate, summarize,
};
use rayon::prelude::*;

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
    /// M × n: the atom of each observation in each draw.
    pub labels: Vec<u32>,
    /// Medoids that are known already, by distance.
    pub medoids: BTreeMap<&'static str, usize>,
    /// Seed of everything random from here on.
    pub seed: u64,
}

/// How estimates are found and distances averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Procedure {
    /// mixgist's: densities from p(G | partition, data), directions shared by all pairs.
    Mixgist,
    /// As in the published tables: labels taken for stick positions, 100 new directions for each pair in expected distances. Medoids are
    /// still chosen with shared directions.
    AsPublished,
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
    /// The partition.
    pub partition: Partition,
    /// Its measures.
    pub measures: Vec<MixingMeasure>,
    /// Which draw it is, when it is one.
    pub draw: Option<usize>,
}

/// Numbers by (method, quantity). A trailing `*` is the loss against the truth, `E` its posterior expectation; TV is twice the total variation
/// and the truth of densities has the weights of Table 2, as published; `right` marks the same number without the slip, `mean` the density
/// E[F | partition, data] instead of draws, `noise` the Monte Carlo error of the published number that comes from its directions.
pub type Numbers = BTreeMap<(&'static str, String), f64>;

/// Everything about one posterior sample.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The estimates, in the order of [`METHODS`].
    pub estimates: Vec<Estimate>,
    /// What the tables print.
    pub numbers: Numbers,
}

/// As many slices as in the paper, but by quasi-Monte Carlo.
const SLICES: usize = 100;

/// Settings under which medoids are chosen.
pub fn settings(distance: &str, slices: usize, seed: u64) -> Result<Settings> {
    let slices = SliceCount::Fixed(slices);
    Ok(Settings { slicer: slicer(distance)?, slices, scheme: Scheme::Qmc, seed, ..Settings::default() })
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

fn partition_loss(method: &str) -> Result<Loss> {
    match method {
        "omari-identical" => Ok(Loss::Omari(OmariConvention::Identical)),
        name => Loss::from_name(name, &LossOptions { omari: OmariConvention::Salso, ..LossOptions::default() }),
    }
}

fn estimates(posterior: &Posterior, procedure: Procedure) -> Result<Vec<Estimate>> {
    let Posterior { observations, ensemble, partitions, seed, .. } = posterior;
    let (data, seed) = (&observations.values, *seed);
    let points = Points::new(DIM, data)?;
    METHODS
        .iter()
        .map(|&(method, _)| {
            if DISTANCES.contains(&method) {
                let draw = match posterior.medoids.get(method) {
                    Some(&known) => known,
                    None => summarize(ensemble, None, &settings(method, SLICES, seed)?, &Silent)?.medoid.draw,
                };
                let measure = ensemble.draw(draw);
                let labels = allocate(&Mixture::new(&measure)?, points, &Silent)?.labels;
                let partition = Partition::from_integers(&labels)?;
                return Ok(Estimate { method, partition, measures: vec![measure], draw: Some(draw) });
            }
            let options = SearchOptions { seed, ..SearchOptions::new(partition_loss(method)?) };
            let partition = search(partitions, &options, &Silent)?.partition;
            let measures = match procedure {
                Procedure::Mixgist => {
                    let model = observations.prior.model()?;
                    let sampled = model.sample_measures(&partition, data, FROZEN_DRAWS, seed)?;
                    (0..FROZEN_DRAWS).map(|i| sampled.draw(i)).collect()
                }
                Procedure::AsPublished => {
                    measures_from_labels(&partition, data, observations.prior, FROZEN_DRAWS, seed)?
                }
            };
            Ok(Estimate { method, partition, measures, draw: None })
        })
        .collect()
}

fn partition_numbers(posterior: &Posterior, estimates: &[Estimate], numbers: &mut Numbers) -> Result<()> {
    for estimate in estimates {
        let mut put = |key: String, value| numbers.insert((estimate.method, key), value);
        put("clusters".into(), estimate.partition.clusters() as f64);
        for (key, right) in [("binder", false), ("vi", false), ("omari", false), ("omari-identical", true)] {
            let loss = partition_loss(key)?;
            let (name, mark) = if right { ("omari", " right") } else { (key, "") };
            put(format!("E {name}{mark}"), expected_loss(loss, &estimate.partition, &posterior.partitions)?);
            if let Some(truth) = &posterior.observations.truth {
                put(format!("{name}*{mark}"), loss_between(loss, &estimate.partition, &truth.partition)?);
            }
        }
    }
    Ok(())
}

fn density_numbers(posterior: &Posterior, estimates: &[Estimate], numbers: &mut Numbers) -> Result<()> {
    // the seventh differs from omARI in its partition alone, and no table has a row for it
    let estimates = &estimates[..estimates.len().min(6)];
    let data = &posterior.observations.values;
    let grid = GridSlices::over(Points::new(DIM, data)?)?;
    let model = posterior.observations.prior.model()?;
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
            let log = model.expected_density(&estimate.partition, data)?.log_density(grid.points())?;
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
            let mut one =
                |name: &str, value| numbers.insert((estimate.method, format!("{prefix}{name}{suffix}{mark}")), value);
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
    let chosen: Vec<&Estimate> = estimates.iter().filter(|estimate| estimate.draw.is_some()).collect();
    let measures: Vec<MixingMeasure> = chosen.iter().map(|estimate| estimate.measures[0].clone()).collect();
    for distance in DISTANCES {
        let slices = settings(distance, SLICES, posterior.seed)?.freeze(DIM, SLICES)?;
        let shared = SlicedDistance::new(&*slices, Order::TWO);
        let expected = match procedure {
            Procedure::Mixgist => {
                shared.expected_losses(&measures, &posterior.ensemble, mixgist::Loss::Distance, &Silent)?
            }
            Procedure::AsPublished => measures
                .iter()
                .enumerate()
                .map(|(i, measure)| with_new_directions(distance, measure, &posterior.ensemble, posterior.seed, i))
                .collect::<Result<_>>()?,
        };
        for ((estimate, measure), expected) in chosen.iter().zip(&measures).zip(expected) {
            numbers.insert((estimate.method, format!("E G {distance}")), expected);
            if let Some(truth) = &posterior.observations.truth {
                let to_truth = shared.between(measure, &truth.measure)?.value;
                numbers.insert((estimate.method, format!("G {distance}*")), to_truth);
            }
        }
    }
    Ok(())
}

/// The mean distance to the draws with 100 new directions for each of them.
fn with_new_directions(
    distance: &str,
    measure: &MixingMeasure,
    ensemble: &Ensemble,
    seed: u64,
    estimate: usize,
) -> Result<f64> {
    const NEW: usize = 100;
    let slicer = slicer(distance)?;
    let distances: Vec<f64> = (0..ensemble.len())
        .into_par_iter()
        .map(|m| {
            let draw = ensemble.draw(m);
            if draw == *measure {
                return Ok(0.0);
            }
            let first = NEW * (m + estimate * ensemble.len());
            let slices = slicer.freeze(&Freeze { dim: DIM, slices: first..first + NEW, seed, scheme: Scheme::Iid });
            Ok(SlicedDistance::new(&*slices, Order::TWO).between(measure, &draw)?.value)
        })
        .collect::<Result<_>>()?;
    Ok(distances.iter().sum::<f64>() / distances.len() as f64)
}
