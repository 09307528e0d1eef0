//! How good free-support estimates are: expected losses on slices that nothing was fitted to. Two builds of the program are compared by their tables.

use mixgist::{Assessment, AtomCount, Ensemble, Estimator, Judgement, Posterior, Settings, Silent, SliceCount};

use crate::draws::{evenly_weighted, posterior_like};

const SLICES: usize = 200;

/// Prints, for several posteriors, the losses of the medoid and of the chosen fit, and the sum over the path.
pub fn table() {
    println!("400 draws, {SLICES} slices, smix-w, distance loss; expected losses on as many other slices\n");
    println!(
        "| draws | dimension | seed | medoid | free | atoms | by loss alone | sum over the path |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    );
    for (dim, seed) in [(2, 1), (2, 2), (2, 3), (5, 1), (5, 2), (10, 1), (10, 2), (10, 3)] {
        row("Dirichlet process, 20 atoms", dim, seed, &posterior_like(400, 20, dim, seed));
    }
    for (dim, seed) in [(2, 1), (2, 2), (10, 1)] {
        row("like weights, 6 atoms", dim, seed, &evenly_weighted(400, 6, dim, seed));
    }
    println!(
        "\nmean over the fits with 4 to 15 atoms, Dirichlet process, d = 10, when all means are moved by parts in a million\n"
    );
    println!("| seed | moved by | fitted | held out |\n|---:|---:|---:|---:|");
    for (seed, parts) in (1..=3).flat_map(|seed| (0..4).map(move |parts| (seed, parts))) {
        valley(seed, parts);
    }
}

/// Fits end in one of many valleys of the loss. Next to nothing decides which: how much does that change the losses?
fn valley(seed: u64, parts: u32) {
    const DIM: usize = 10;
    let draws = posterior_like(400, 20, DIM, seed);
    let means: Vec<f64> = draws.atoms().means().iter().map(|x| x * (1.0 + 1e-6 * f64::from(parts))).collect();
    let moved = Ensemble::builder(DIM)
        .atoms_per_draw(20)
        .weights(draws.weights())
        .means(&means)
        .covariances(draws.atoms().covariances())
        .build()
        .expect("draws are valid");
    let assessment = assessment(&moved);
    let path = &assessment.free.as_ref().expect("it was asked for").path;
    let fits: Vec<Judgement> =
        path.iter().filter(|point| (4..=15).contains(&point.atoms)).map(|point| point.judgement).collect();
    let mean = |loss: fn(&Judgement) -> f64| fits.iter().map(loss).sum::<f64>() / fits.len() as f64;
    println!("| {seed} | {parts} | {:.6} | {:.6} |", mean(|fit| fit.expected_loss), mean(of_point));
}

fn of_point(judgement: &Judgement) -> f64 {
    judgement.held_out.map_or(f64::NAN, |held_out| held_out.expected_loss)
}

fn assessment(draws: &Ensemble) -> Assessment {
    let settings = Settings::default()
        .with_slices(SliceCount::Fixed(SLICES))
        .with_estimator(Estimator::Free(AtomCount::default()));
    let posterior = Posterior::new(draws, None, settings).expect("the settings are valid");
    let summary = posterior.summary(&Silent).expect("the draws are valid");
    summary.assessment.clone().expect("it was asked for")
}

fn row(name: &str, dim: usize, seed: u64, draws: &Ensemble) {
    let assessment = assessment(draws);
    let free = assessment.free.as_ref().expect("it was asked for");
    let medoid = of_point(&assessment.medoid);
    let path: f64 = free.path.iter().map(|point| of_point(&point.judgement)).sum();
    let by_loss = free.path[free.refused.unwrap_or(free.chosen)].measure.len();
    let (chosen, atoms) = (of_point(&free.judgement), free.estimate.len());
    println!("| {name} | {dim} | {seed} | {medoid:.6} | {chosen:.6} | {atoms} | {by_loss} | {path:.6} |");
}
