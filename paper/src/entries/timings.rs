//! How long the steps take, beside the published minutes.

use std::time::Instant;

use mixgist::partition::{LossOptions, PartitionLoss, SearchOptions, search};
use mixgist::slice::{Scheme, slicer};
use mixgist::{Mixture, Points, Result, Settings, Silent, SliceCount, Units, allocate, summarize};

use super::Entry;
use crate::evaluate::{DISTANCES, Posterior};
use crate::grid::GridSlices;
use crate::model::DIM;
use crate::page::Section;
use crate::study::{Source, Study};

/// How long the steps take.
pub const ENTRY: Entry =
    Entry { name: "timings", help: "Seconds of each step beside the published minutes, one step at a time", run };

/// All steps for one data set.
pub struct Totals {
    /// Published.
    pub minutes: f64,
    /// Ours.
    pub seconds: f64,
}

/// The sum of all steps that the paper has a time for.
pub fn totals(study: &Study) -> Result<Totals> {
    let steps = study.timed_steps(steps)?;
    let minutes = study.published.timings.iter().map(|timing| timing.minutes).sum();
    let published = |what: &str| study.published.timings.iter().any(|timing| timing.what == what);
    let seconds = steps.iter().filter(|(what, _)| published(what)).map(|(_, seconds)| seconds).sum();
    Ok(Totals { minutes, seconds })
}

fn run(study: &Study) -> Result<Vec<Section>> {
    let posterior = &study.simulation(Source::Own)?[0].posterior;
    let steps = study.timed_steps(steps)?;
    let totals = totals(study)?;
    let mut section = Section::new("Timings");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    section.text(format!(
        "First repeat of the simulation: {} draws of {} atoms, n = {}, L = 100 slices as in the paper. Published: PyTorch on an Nvidia RTX 3060 for \
         mixing measures, the R package salso for partitions. Ours: {threads} threads of a shared x86-64 cloud machine without a \
         graphics card, one step after the other, once. Different machines: the ratio says what a user waits for, not which code is better.",
        posterior.ensemble.len(),
        posterior.ensemble.range(0).len(),
        posterior.partitions.observations()
    ));
    let line = |what: &str, minutes: Option<f64>, seconds: f64| {
        vec![
            what.to_owned(),
            minutes.map_or(String::new(), |minutes| format!("{minutes} min")),
            format!("{seconds:.3} s"),
            minutes.map_or(String::new(), |minutes| format!("{:.0}", minutes * 60.0 / seconds)),
        ]
    };
    let mut rows: Vec<Vec<String>> = steps
        .iter()
        .map(|(what, seconds)| {
            let published = study.published.timings.iter().find(|timing| timing.what == *what);
            line(what, published.map(|timing| timing.minutes), *seconds)
        })
        .collect();
    rows.push(line("all of them", Some(totals.minutes), totals.seconds));
    section.table(&["step", "published", "ours", "ratio"], rows);
    let repeats = study.published.repeats;
    section.text(format!(
        "The experiments of this run, from sampling to the last number of the tables. By the published times the estimates of {repeats} data sets \
         alone, without sampling and without the expected losses, take {:.0} hours.",
        repeats as f64 * totals.minutes / 60.0
    ));
    let rows = study.seconds().into_iter().map(|(what, seconds)| vec![what, format!("{seconds:.0} s")]);
    section.table(&["experiment", "this run"], rows.collect());
    Ok(vec![section])
}

/// Seconds of each step.
fn steps(posterior: &Posterior) -> Result<Vec<(String, f64)>> {
    let mut steps = Vec::new();
    let mut timed = |what: String, step: &mut dyn FnMut() -> Result<()>| {
        let start = Instant::now();
        step()?;
        steps.push((what, start.elapsed().as_secs_f64()));
        Ok(())
    };
    let data = &posterior.observations.values;
    let points = Points::new(DIM, data)?;
    let mut chosen = None;
    for distance in DISTANCES {
        let slices = SliceCount::Fixed(100);
        // As in the paper: independent slices, units as they are.
        let (scheme, units) = (Scheme::Iid, Units::None);
        let settings = Settings::default()
            .with_slicer(slicer(distance)?.into())
            .with_slices(slices)
            .with_scheme(scheme)
            .with_units(units)
            .with_seed(1);
        timed(format!("medoid under {distance}"), &mut || {
            chosen = Some(summarize(&posterior.ensemble, None, &settings, &Silent)?.result.estimate);
            Ok(())
        })?;
    }
    let mut partition = None;
    for loss in ["binder", "vi", "omari"] {
        let options = SearchOptions::new(PartitionLoss::from_name(loss, &LossOptions::default())?);
        timed(format!("partition by {loss}"), &mut || {
            partition = Some(search(&posterior.partitions, &options, &Silent)?.partition);
            Ok(())
        })?;
    }
    let grid = GridSlices::over(points)?;
    if let Some(measure) = chosen {
        timed("labels and density of a measure".into(), &mut || {
            allocate(&Mixture::new(&measure)?, points, &Silent)?;
            grid.density(&measure).map(drop)
        })?;
    }
    if let Some(partition) = partition {
        timed("density of a partition".into(), &mut || {
            let measures = posterior.observations.model()?.sample_measures(&partition, 10, 1)?;
            (0..measures.len()).try_for_each(|i| grid.density(&measures.draw(i)).map(drop))
        })?;
    }
    Ok(steps)
}
