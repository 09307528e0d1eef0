//! Posteriors whose best draw is known, to see how often a choice that is called safe is wrong.

use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{ChoiceVerdict, CovarianceForm, Ensemble, Settings, Silent, SliceCount, summarize};
use rand::RngExt;

/// What came of some runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    pub runs: usize,
    pub safe: usize,
    /// Safe, though another draw is the best one under the posterior itself.
    pub wrong: usize,
    pub alike: usize,
    /// Safe if slices alone were looked at, though another draw is the best one.
    pub wrong_over_slices: usize,
}

/// How the draws of a run are made.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub draws: usize,
    pub chains: usize,
    /// Probability that a chain stays where it is.
    pub stay: f64,
    /// Points of the plane that the posterior sits on.
    pub points: usize,
}

/// Runs with seeds of their own: the posterior has a few points of the plane, G being one atom at one of them, with random probabilities. Chains
/// stay with some probability and else draw afresh, so that the posterior is their stationary law, and its best point is known: between measures
/// of one atom each distance is ‖x − y‖ up to a factor when there are many slices.
pub fn run(case: Case, seeds: std::ops::Range<u64>) -> Tally {
    let Case { draws, chains, stay, points } = case;
    let mut tally = Tally::default();
    for seed in seeds {
        let mut rng = stream(seed, Purpose::Simulation, 77);
        let mut places = vec![0.0; 2 * points];
        standard_normals(&mut rng, &mut places);
        let mut probabilities: Vec<f64> = (0..points).map(|_| 0.2 + rng.random::<f64>()).collect();
        let total: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|p| *p /= total);
        let pick = |u: f64| {
            let mut below = 0.0;
            probabilities.iter().position(|p| {
                below += p;
                u < below
            })
        };
        let mut at = 0;
        let visited: Vec<usize> = (0..draws)
            .map(|m| {
                if m % (draws / chains) == 0 || rng.random::<f64>() >= stay {
                    at = pick(rng.random()).unwrap_or(points - 1);
                }
                at
            })
            .collect();
        let means: Vec<f64> = visited.iter().flat_map(|&k| [places[2 * k], places[2 * k + 1]]).collect();
        let covariances: Vec<f64> = (0..draws).flat_map(|_| [1.0, 0.0, 0.0, 1.0]).collect();
        let ensemble =
            Ensemble::from_dense(2, 1, &vec![1.0; draws], &means, &covariances, CovarianceForm::Covariance).unwrap();
        let owners = (0..draws).map(|m| (m / (draws / chains)) as u32).collect();
        let ensemble = ensemble.with_chains(owners, (0..draws as u64).collect()).unwrap();
        let settings =
            Settings { slices: SliceCount::Fixed(64), units: mixgist::Units::None, seed, ..Settings::default() };
        let summary = summarize(&ensemble, None, &settings, &Silent).unwrap();
        let loss = |k: usize| -> f64 {
            let gap = |j: usize| (places[2 * k] - places[2 * j]).hypot(places[2 * k + 1] - places[2 * j + 1]);
            (0..points).map(|j| probabilities[j] * gap(j)).sum()
        };
        let best = (0..points).min_by(|&a, &b| loss(a).total_cmp(&loss(b))).unwrap();
        // A best point that no draw visited cannot be chosen; the rest of the claim is about the draws.
        let best = if visited.contains(&best) {
            best
        } else {
            *visited.iter().min_by(|&&a, &&b| loss(a).total_cmp(&loss(b))).unwrap()
        };
        let right = visited[summary.medoid.draw] == best;
        tally.runs += 1;
        let Some(margin) = summary.medoid.margin else { continue };
        let safe = margin.verdict == ChoiceVerdict::Safe;
        tally.safe += usize::from(safe);
        tally.wrong += usize::from(safe && !right);
        tally.alike += usize::from(margin.verdict == ChoiceVerdict::Alike);
        let over_slices = summary.medoid.runner_up.unwrap().separation.is_some_and(|s| s >= 3.0);
        tally.wrong_over_slices += usize::from(over_slices && !right);
    }
    tally
}
