//! The distance that was asked for: from options to the core, and back to a line of text.

use mixgist::Metric;
use mixgist::slice::SLICERS;
use mixgist::{Ensemble, Error, Loss, ResolvedUnits, Result, Route};

use crate::memory;
use crate::options::SlicingArgs;
use crate::text::count;

/// What the options mean.
pub fn metric(name: &str, args: &SlicingArgs) -> Result<Metric> {
    if !SLICERS.iter().any(|slicer| slicer.name() == name) {
        for (option, given) in [("--slices", args.slices.is_some()), ("--directions", args.directions.is_some())] {
            if given {
                return Err(Error::usage(format!("'{name}' is exact, {option} has no meaning for it"))
                    .hint(format!("leave out {option}, or choose a sliced distance")));
            }
        }
    }
    Metric::from_name(name, args.order, |slicer| args.settings(slicer.name(), Loss::Distance, Route::Auto))
}

/// How it was computed, in a line.
pub fn description(metric: &Metric, units: &ResolvedUnits) -> String {
    let mut parts = vec![metric.name().to_owned()];
    parts.extend(metric.order().map(|order| format!("order {order}")));
    parts.push(match (metric.sliced(), metric.slices(units.scales.len())) {
        (Some(settings), Some(slices)) => match settings.directions {
            Some(_) => format!("{}, given directions", count(slices, "slice")),
            None => format!("{}, seed {}", count(slices, "slice"), settings.seed),
        },
        _ => "exact".into(),
    });
    parts.push(format!("units {}", units.units.name()));
    parts.join(", ")
}

/// Refuses at once what cannot fit, the matrix aside.
pub fn require_memory(metric: &Metric, ensemble: &Ensemble) -> Result<()> {
    let Some(settings) = metric.sliced() else { return Ok(()) };
    let few = settings.clone().with_route(Route::Auto).with_loss(Loss::Power).with_order(mixgist::Order::TWO);
    let needed = few.predicted_bytes(ensemble)?;
    memory::require(needed, "this distance", |_| "use fewer --slices, or keep fewer draws with --thin".into())
}
