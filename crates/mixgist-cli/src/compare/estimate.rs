//! The estimates that are compared: each a partition and a mixing measure.

use mixgist::partition::{LossOptions, PartitionLoss, SearchOptions, search};
use mixgist::{
    Ensemble, Error, MixingMeasure, Partition, PartitionDraws, Points, Progress, Result, Settings, summarize,
};
use mixgist_samplers::ImpliedModel;

/// An estimate.
pub struct Estimate {
    /// How it was found: the loss or distance whose expectation is least.
    pub name: String,
    /// Which draw it is, when it is one.
    pub draw: Option<usize>,
    /// The partition.
    pub partition: Partition,
    /// The mixing measure.
    pub measure: MixingMeasure,
}

/// Measures given the partition that are pooled, as in the paper.
pub const POOLED: usize = 10;

/// The distances whose medoids are compared.
pub const DISTANCES: [&str; 3] = ["sw", "mix-sw", "smix-w"];

/// The losses whose partitions are compared.
const LOSSES: [&str; 3] = ["binder", "vi", "omari"];

/// The partitions of least expected loss, each with the pooled measure of [`POOLED`] draws from p(G | partition, data).
pub fn partition_first(
    draws: &PartitionDraws,
    options: &LossOptions,
    model: &ImpliedModel,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<Estimate>> {
    let estimate = |name: &str| {
        let loss = PartitionLoss::from_name(name, options)?;
        let partition = search(draws, &SearchOptions { seed, ..SearchOptions::new(loss) }, progress)?.partition;
        let measure = pooled(&model.sample_measures(&partition, POOLED, seed)?)?;
        Ok(Estimate { name: name.to_owned(), draw: None, partition, measure })
    };
    LOSSES.into_iter().map(estimate).collect()
}

/// The medoids, each with the partition of most probable labels.
pub fn measure_first(
    ensemble: &Ensemble,
    data: Points,
    settings: &[Settings],
    progress: &dyn Progress,
) -> Result<Vec<Estimate>> {
    let estimate = |settings: &Settings| {
        let summary = summarize(ensemble, Some(data), settings, progress)?.result;
        let allocation = summary.allocation.ok_or_else(|| Error::input("there are no data to label"))?;
        Ok(Estimate {
            name: settings.slicer.name().to_owned(),
            draw: Some(summary.medoid.draw),
            partition: Partition::from_integers(&allocation.labels)?,
            measure: summary.estimate,
        })
    };
    settings.iter().map(estimate).collect()
}

/// The mean of the measures, whose density is the mean of theirs.
fn pooled(measures: &Ensemble) -> Result<MixingMeasure> {
    let share = measures.len() as f64;
    MixingMeasure::new(measures.weights().iter().map(|w| w / share).collect(), measures.atoms().clone())
}
