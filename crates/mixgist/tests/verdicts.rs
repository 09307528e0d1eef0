//! Verdicts as a whole: the choice that is called safe, modes that are counted, chains that are judged, and the cases in which they misled.

mod known_best;
mod known_modes;

use known_modes::{Shape, found, in_chains, posterior, probabilities};
use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::{
    ChainVerdict, ChoiceVerdict, CovarianceForm, Ensemble, Loss, Order, Posterior, Route, Settings, Silent, SliceCount,
    SlicedDistance, Trace, Units, Warning, summarize,
};

fn settings(slices: usize) -> Settings {
    Settings { slices: SliceCount::Fixed(slices), units: Units::None, ..Settings::default() }
}

/// One atom of variance 1 in each draw, on the line.
fn at(means: &[f64]) -> Ensemble {
    let ones = vec![1.0; means.len()];
    Ensemble::from_dense(1, 1, &ones, means, &ones, CovarianceForm::Covariance).unwrap()
}

/// "Safe" may be wrong in 1 of 100 answers. Here 800 posteriors of 100 draws with a known best draw, of which few allow a safe answer (42 do); if one in 100
/// safe answers were wrong, more than 2 of 42 would be with probability below 0.01. The seeds are fixed. Judged by slices alone, several times as many are wrong.
#[test]
fn a_safe_choice_is_seldom_wrong() {
    let (mut safe, mut wrong, mut by_slices) = (0, 0, 0);
    for (chains, stay, points) in [(1, 0.0, 3), (4, 0.0, 6), (4, 0.5, 3), (4, 0.9, 6)] {
        let law = known_best::Law::Points(points);
        let tally = known_best::run(known_best::Case { law, draws: 100, chains, stay }, 5000..5200);
        safe += tally.safe;
        wrong += tally.safe_wrong;
        by_slices += tally.wrong_over_slices;
    }
    assert!(safe > 30 && 100 * wrong <= safe + 200, "{wrong} of {safe}");
    assert!(by_slices > 10 * wrong.max(1), "{by_slices} if slices alone were judged, {wrong} now");
}

/// The lead of a draw over its mirror image is error over draws alone: every slice agrees on it.
#[test]
fn the_error_over_draws_counts_where_slices_agree() {
    let mut z = vec![0.0; 400];
    standard_normals(&mut stream(1, Purpose::Simulation, 3), &mut z);
    // Two tight groups far apart, nearly as many draws in each.
    let means: Vec<f64> = z.iter().enumerate().map(|(m, z)| 0.01 * z + if m % 2 == 0 { 0.0 } else { 10.0 }).collect();
    let summary = summarize(&at(&means[..399]), None, &settings(1000), &Silent).unwrap();
    let margin = summary.medoid.margin.unwrap();
    assert_eq!(margin.verdict, ChoiceVerdict::FewDraws, "{margin:?}");
    assert!(margin.radii > 0.9 && margin.draw_error.unwrap() > 5.0 * margin.slice_error.unwrap(), "{margin:?}");
    assert!(summary.warnings.iter().any(|warning| warning.name() == "near-tie"), "{:?}", summary.warnings);
    // More slices cannot help, and are not tried.
    let auto = Settings { slices: SliceCount::Auto { cap: 16_000 }, ..settings(1) };
    assert!(summarize(&at(&means[..399]), None, &auto, &Silent).unwrap().slices <= SliceCount::PLENTY);
}

/// Draws of one mode: the runner-up is nearly the same measure, and nothing is warned of.
#[test]
fn a_near_tie_of_alike_draws_is_no_trouble() {
    // An odd number: of an even one on the line the two in the middle are tied.
    let mut z = vec![0.0; 301];
    standard_normals(&mut stream(2, Purpose::Simulation, 3), &mut z);
    let summary = summarize(&at(&z), None, &settings(200), &Silent).unwrap();
    let margin = summary.medoid.margin.unwrap();
    assert_eq!(margin.verdict, ChoiceVerdict::Alike, "{margin:?}");
    assert!(margin.radii < 0.1 && summary.warnings.is_empty(), "{:?}", summary.warnings);
}

/// One draw far away makes no others copies of the winner.
#[test]
fn a_far_draw_does_not_hide_the_runner_up() {
    let mut z = vec![0.0; 51];
    standard_normals(&mut stream(3, Purpose::Simulation, 3), &mut z);
    z[17] = 1e6;
    let draws = at(&z);
    let slices = settings(50).freeze(1, 50).unwrap();
    let distance = SlicedDistance::new(&*slices, Order::new(3.0).unwrap());
    for loss in [Loss::Distance, Loss::Power] {
        let medoid = distance.medoid(&draws, loss, Route::Pairs, &Silent).unwrap();
        let mut losses: Vec<(f64, usize)> = medoid.expected_losses.as_ref().unwrap().iter().copied().zip(0..).collect();
        losses.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!((medoid.draw, medoid.runner_up.unwrap().draw), (losses[0].1, losses[1].1));
    }
}

/// A chain of three components beside three others whose distances from the estimate say little: its weights tell.
#[test]
fn chains_in_another_mode_are_found_by_other_functions_of_the_draws() {
    let mut z = vec![0.0; 800];
    standard_normals(&mut stream(4, Purpose::Simulation, 3), &mut z);
    let weights: Vec<f64> = (0..400)
        .flat_map(|m| {
            let small = if m >= 300 { 0.02 } else { 0.05 } + 0.002 * z[m].clamp(-3.0, 3.0);
            [small, 1.0 - small]
        })
        .collect();
    let means: Vec<f64> = (0..400).flat_map(|m| [0.1 * z[m], 0.1 + z[400 + m]]).collect();
    let ones = vec![1.0; 800];
    let draws = Ensemble::from_dense(1, 2, &weights, &means, &ones, CovarianceForm::Covariance).unwrap();
    let summary = summarize(&in_chains(draws.clone(), 4), None, &settings(100), &Silent).unwrap();
    let Some(Warning::ChainsDisagree { trace, .. }) = summary.warnings.last() else { panic!("{:?}", summary.warnings) };
    assert_eq!(trace, "largest weight");
    let seen = mixgist::inspect(&in_chains(draws.clone(), 4), None).unwrap();
    assert_eq!(seen.agreement.verdict, ChainVerdict::Disagree);
    // The same with what came along with the draws alone.
    let constant = at(&vec![1.0; 400]);
    let log_posterior: Vec<f64> = (0..400).map(|m| z[m] + if m >= 300 { 8.0 } else { 0.0 }).collect();
    let told = in_chains(constant, 4).with_trace(Trace::new("log posterior", log_posterior)).unwrap();
    assert_eq!(mixgist::inspect(&told, None).unwrap().agreement.verdict, ChainVerdict::Disagree);
}

/// One mode is counted as one in all of 60 posteriors, three that mix well as three in 45; at a rate of 1 in 100 the 60 would be without an error for
/// 55 % of all choices of seeds, so that this bounds the rate by 5 % (at 95 % confidence) and no better. The seeds are fixed and the rule was not tuned on them.
///
/// A known defect is held in place here, not approved: where weights vary as much as modes differ, 3 of 15 answers have a mode too many. The bound is what
/// was observed; it must fall, never rise.
#[test]
fn modes_are_counted() {
    let mut found_too_many = Vec::new();
    for shape in known_modes::SHAPES {
        for seed in 0..15 {
            let one = posterior(shape, probabilities(1), 200, seed % 2 == 0, 7000 + seed);
            if found(&one.ensemble).representatives.len() > one.visited {
                found_too_many.push((shape, 1, seed));
            }
            let three = posterior(shape, probabilities(3), 200, true, 7100 + seed);
            let count = found(&three.ensemble).representatives.len();
            if count > three.visited {
                found_too_many.push((shape, 3, seed));
            }
            assert!(count >= three.notable || shape == Shape::Weights, "{shape:?}, seed {seed}: {count}");
        }
    }
    let hard = |&(shape, modes, _): &(Shape, usize, u64)| shape == Shape::Weights && modes == 3;
    assert!(found_too_many.iter().all(hard) && found_too_many.len() <= 3, "{found_too_many:?}");
}

/// Three chains sit at (−4, 4) and a fourth creeps around (0, 0): two modes, and it is said which chains they are of.
#[test]
fn a_chain_in_a_mode_of_its_own_is_a_mode() {
    let mut z = vec![0.0; 800];
    standard_normals(&mut stream(6, Purpose::Simulation, 3), &mut z);
    let (mut x, mut y) = (0.0, 0.0);
    let means: Vec<f64> = (0..400)
        .flat_map(|m| {
            (x, y) = (0.99 * x + 0.014 * z[2 * m], 0.99 * y + 0.014 * z[2 * m + 1]);
            if m < 300 { [-4.0 + 0.1 * z[2 * m], 4.0 + 0.1 * z[2 * m + 1]] } else { [x, y] }
        })
        .collect();
    let ones = vec![1.0; 800];
    let draws = Ensemble::from_dense(1, 2, &ones, &means, &ones, CovarianceForm::Covariance).unwrap();
    let modes = found(&in_chains(draws, 4));
    assert_eq!(modes.representatives.len(), 2, "{:?}", modes.tests);
    assert_eq!(
        (&modes.representatives[0].chains[..], &modes.representatives[1].chains[..]),
        (&[0, 1, 2][..], &[3][..])
    );
    assert!(modes.representatives.iter().all(|one| one.of_own_chains));
    assert!(modes.warnings.iter().any(|warning| warning.name() == "chains-disagree"), "{:?}", modes.warnings);
}

/// The only mode is represented by the draw that the summary chooses, for either loss.
#[test]
fn the_only_representative_is_the_summary() {
    let one = posterior(Shape::Skewed, probabilities(1), 200, true, 3).ensemble;
    for loss in [Loss::Distance, Loss::Power] {
        let posterior = Posterior::new(&one, None, Settings { loss, ..settings(60) }).unwrap();
        let modes = posterior.representatives(mixgist::representatives::Count::Auto, &Silent).unwrap();
        assert_eq!(modes.representatives.len(), 1);
        assert_eq!(modes.representatives[0].draw, posterior.summary(&Silent).unwrap().medoid.draw);
    }
}
