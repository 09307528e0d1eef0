//! How good free-support estimates are: expected losses on slices that nothing was fitted to. Two builds of the program are compared by their tables.

use mixgist::{AtomCount, Ensemble, Estimator, Posterior, Settings, Silent, SliceCount};

use crate::draws::{evenly_weighted, posterior_like};

const SLICES: usize = 200;

/// Prints, for several posteriors, the losses of the medoid and of the chosen fit, and the sum over the path.
pub fn table() {
    println!("400 draws, {SLICES} slices, smix-w, distance loss; expected losses on as many other slices\n");
    println!(
        "| draws | dimension | seed | medoid | free | atoms | sum over the path |\n|---|---:|---:|---:|---:|---:|---:|"
    );
    for (dim, seed) in [(2, 1), (2, 2), (2, 3), (5, 1), (5, 2), (10, 1), (10, 2), (10, 3)] {
        row("Dirichlet process, 20 atoms", dim, seed, &posterior_like(400, 20, dim, seed));
    }
    for (dim, seed) in [(2, 1), (2, 2), (10, 1)] {
        row("like weights, 6 atoms", dim, seed, &evenly_weighted(400, 6, dim, seed));
    }
}

fn row(name: &str, dim: usize, seed: u64, draws: &Ensemble) {
    let settings = Settings::default()
        .with_slices(SliceCount::Fixed(SLICES))
        .with_estimator(Estimator::Free(AtomCount::default()));
    let posterior = Posterior::new(draws, None, settings).expect("the settings are valid");
    let summary = posterior.summary(&Silent).expect("the draws are valid");
    let assessment = summary.assessment.as_ref().expect("it was asked for");
    let free = assessment.free.as_ref().expect("it was asked for");
    let medoid = assessment.medoid.held_out.expect("slices were held out").expected_loss;
    let of_point =
        |judgement: &mixgist::Judgement| judgement.held_out.map_or(f64::NAN, |held_out| held_out.expected_loss);
    let path: f64 = free.path.iter().map(|point| of_point(&point.judgement)).sum();
    let chosen = of_point(&free.judgement);
    println!("| {name} | {dim} | {seed} | {medoid:.6} | {chosen:.6} | {} | {path:.6} |", free.estimate.len());
}
