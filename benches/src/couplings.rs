//! How long it takes to couple an estimate with every draw.

use mixgist::components::{Rules, components};
use mixgist::{Ensemble, Loss, MixingMeasure, Route, Silent, SlicedDistance, Units};

use crate::draws::posterior_like;
use crate::growth::freeze;
use crate::{fastest, peak_memory};

/// Prints a Markdown table of seconds, for an estimate of few atoms and for a draw with all of its own.
pub fn table() {
    println!("| draws | atoms a draw | atoms of the estimate | components | peak memory so far |");
    println!("|---:|---:|---:|---:|---:|");
    for draws in [1000, 10_000] {
        let ensemble = posterior_like(draws, 100, 2, 1);
        let slices = freeze("smix-w", &ensemble, 50);
        let distance = SlicedDistance::new(&*slices, mixgist::Order::TWO);
        let medoid = distance.medoid(&ensemble, Loss::Power, Route::Auto, &Silent).expect("the draws are valid");
        let whole = ensemble.draw(medoid.draw);
        for estimate in [heaviest(&whole, 5), whole] {
            let seconds = seconds(&estimate, &ensemble);
            let memory = peak_memory().map_or("unknown".into(), |gigabytes| format!("{gigabytes:.1} GB"));
            println!("| {draws} | 100 | {} | {seconds:.2} s | {memory} |", estimate.len());
        }
    }
}

/// For one estimate.
pub fn seconds(estimate: &MixingMeasure, ensemble: &Ensemble) -> f64 {
    fastest(1, || {
        let found = components(estimate, ensemble, &Units::None, Rules::default(), &Silent);
        assert!(!found.expect("the draws are valid").components.is_empty());
    })
}

/// The heaviest atoms of a measure.
fn heaviest(measure: &MixingMeasure, count: usize) -> MixingMeasure {
    let mut order: Vec<usize> = (0..measure.len()).collect();
    order.sort_by(|&a, &b| measure.weights()[b].total_cmp(&measure.weights()[a]));
    order.truncate(count);
    let weights = order.iter().map(|&k| measure.weights()[k]).collect();
    MixingMeasure::new(weights, measure.atoms().select(order)).expect("atoms of a valid measure")
}
