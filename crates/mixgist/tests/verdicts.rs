//! Verdicts as a whole: the choice that is called safe, modes that are counted, chains that are judged, and the cases in which they misled.

mod known_best;
mod known_modes;

use known_best::Law;
use known_modes::{Shape, found, in_chains, posterior, probabilities};
use mixgist::random::{Purpose, standard_normals, stream};
use mixgist::slice::Scheme;
use mixgist::{
    ChainVerdict, ChoiceVerdict, CovarianceForm, Ensemble, Loss, Order, Posterior, Route, Settings, Silent, SliceCount,
    SlicedDistance, Trace, Units, Warning, summarize,
};

fn settings(slices: usize) -> Settings {
    Settings::default().with_slices(SliceCount::Fixed(slices)).with_units(Units::None)
}

/// One atom of variance 1 in each draw, on the line.
fn at(means: &[f64]) -> Ensemble {
    let ones = vec![1.0; means.len()];
    Ensemble::builder(1).atoms_per_draw(1).weights(&ones).means(means).covariances(&ones).build().unwrap()
}

/// "Safe" may be wrong in 1 of 100 answers. Here 1000 posteriors of 100 draws with a known best draw, of which few allow a safe answer (some forty do); if one in 100
/// safe answers were wrong, more than 2 of 42 would be with probability below 0.01. The seeds are fixed; docs/verdicts.md has many more. Judged by slices alone, several
/// times as many are wrong.
#[test]
fn a_safe_choice_is_seldom_wrong() {
    let mut all = known_best::Tally::default();
    for (law, chains, stay) in [
        (Law::Points(3), 1, 0.0),
        (Law::Points(6), 4, 0.0),
        (Law::Points(3), 4, 0.5),
        (Law::Points(6), 4, 0.9),
        (Law::Modes(3), 4, 0.5),
    ] {
        all.add(known_best::run(known_best::Case { law, draws: 100, chains, stay }, 5000..5200));
    }
    assert!(all.safe > 30 && 100 * all.safe_wrong <= all.safe + 200, "{all:?}");
    assert!(all.alike > 30 && known_best::upper_bound(all.alike_wrong, all.alike) < 0.1, "{all:?}");
    assert!(all.wrong_over_slices > 10 * all.safe_wrong.max(1), "{all:?}");
}

/// The certified route has bounds of most losses only, and names the same rival with the same verdict as the one that computes all pairs.
#[test]
fn every_route_judges_the_choice_against_the_same_rival() {
    let mut other_than_the_runner_up = 0;
    let mut compare = |draws: &Ensemble, slices: usize| {
        let of =
            |route: Route| summarize(draws, None, &settings(slices).with_route(route), &Silent).unwrap().medoid.clone();
        let (pairs, certified) = (of(Route::Pairs), of(Route::Certified));
        assert_eq!((pairs.route, certified.route), (Route::Pairs, Route::Certified));
        let (one, other) = (pairs.margin.unwrap(), certified.margin.unwrap());
        assert_eq!((one.rival, one.verdict), (other.rival, other.verdict), "{one:?} {other:?}");
        assert!((one.lead - other.lead).abs() <= 1e-9 * pairs.expected_loss, "{one:?} {other:?}");
        other_than_the_runner_up += usize::from(one.rival != pairs.runner_up.unwrap().draw);
    };
    for seed in 0..6 {
        for law in [Law::Points(6), Law::Modes(3), Law::Normal(2), Law::Normal(10)] {
            for chains in [1, 4] {
                let case = known_best::Case { law, draws: 400, chains, stay: 0.0 };
                compare(&known_best::sample(case, seed).1, 64);
            }
        }
        for shape in [Shape::Normal, Shape::ManyCoordinates, Shape::Weights] {
            compare(&posterior(shape, probabilities(2), 600, true, seed).ensemble, 32);
        }
    }
    assert!(other_than_the_runner_up > 5, "{other_than_the_runner_up}");
}

/// In ten dimensions hardly two draws are within half a radius of each other; those among the nearest of the medoid are alike all the same. The seeds are
/// fixed; over 500 of them (docs/verdicts.md) two in five answers are such, none of them wrong.
#[test]
fn a_near_tie_with_a_near_draw_is_no_trouble_in_many_dimensions() {
    let case = known_best::Case { law: Law::Normal(10), draws: 400, chains: 4, stay: 0.0 };
    let tally = known_best::run(case, 5000..5030);
    assert!(tally.alike >= 6 && tally.alike_wrong == 0 && tally.safe_wrong == 0, "{tally:?}");
}

/// One pair has one error, whether it is asked for alone, in a row or in the matrix.
#[test]
fn a_distance_has_the_same_error_wherever_it_is_asked_for() {
    let draws = posterior(Shape::ManyCoordinates, probabilities(2), 12, true, 4).ensemble;
    for scheme in [Scheme::Iid, Scheme::Balanced, Scheme::Orthogonal, Scheme::Qmc] {
        for slices in [10, 100, 700] {
            let slices = settings(slices).with_scheme(scheme).freeze(5, slices).unwrap();
            let distance = SlicedDistance::new(&*slices, Order::TWO);
            let matrix = distance.matrix(&draws, &Silent).unwrap();
            let row = distance.to_draws(&draws.draw(0), &draws, &Silent).unwrap();
            for (j, in_row) in row.iter().enumerate().skip(1) {
                let alone = distance.between(&draws.draw(0), &draws.draw(j)).unwrap();
                for error in [in_row.standard_error.unwrap_or(0.0), matrix.standard_errors.get(0, j)] {
                    let own = alone.standard_error.unwrap_or(0.0);
                    assert!((error - own).abs() <= 1e-6 * own.max(1e-6), "{scheme:?}, {j}: {error} and {own}");
                }
            }
        }
    }
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
    let auto = settings(1).with_slices(SliceCount::Auto { cap: 16_000 });
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
    let draws =
        Ensemble::builder(1).atoms_per_draw(2).weights(&weights).means(&means).covariances(&ones).build().unwrap();
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

/// One mode is counted as one in all of 60 posteriors, three as no more than three, and as three in 45 that mix well; 120 answers without a mode too many bound
/// that rate by 2.5 % (at 95 % confidence). docs/modes.md has more. The seeds are fixed.
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
    assert!(found_too_many.is_empty(), "{found_too_many:?}");
}

/// Light modes and near ones, of 200 draws that mix well: a mode of 10 % eight standard deviations away, and modes of 60 and 40 % that are five apart. The rule once found the
/// light one in 19 of 60 posteriors and such near ones in 36; docs/modes.md has more. The seeds are fixed.
#[test]
fn light_and_near_modes_are_found() {
    let found_of = |light: f64, apart: f64| {
        let of =
            |seed: u64| known_modes::posterior_of(Shape::Normal, &[1.0 - light, light], apart, 200, true, 5000 + seed);
        (0..60).filter(|&seed| found(&of(seed).ensemble).representatives.len() == 2).count()
    };
    let (light, near) = (found_of(0.1, 8.0), found_of(0.4, 5.0));
    assert!(light >= 38 && near >= 48, "{light} and {near} of 60");
}

/// One mode of any shape is one mode: a test is wrong with probability at most 0.01, and docs/modes.md has no false alarm in 3,600 such posteriors (at most 0.08 %), so that one among these 36 has a
/// probability below 0.03. The seeds are fixed.
#[test]
fn one_mode_of_any_shape_is_one_mode() {
    for (name, law) in known_modes::ONE_MODE {
        for seed in 0..6 {
            let rho = [0.0, 0.8][seed as usize % 2];
            let modes = found(&known_modes::one_mode(law, 200, rho, 9500 + seed));
            assert_eq!(modes.representatives.len(), 1, "{name}, seed {seed}");
        }
    }
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
    let draws = Ensemble::builder(1).atoms_per_draw(2).weights(&ones).means(&means).covariances(&ones).build().unwrap();
    let modes = found(&in_chains(draws, 4));
    assert_eq!(modes.representatives.len(), 2, "{:?}", modes.tests);
    assert_eq!(
        (&modes.representatives[0].chains[..], &modes.representatives[1].chains[..]),
        (&[0, 1, 2][..], &[3][..])
    );
    assert!(modes.representatives.iter().all(|one| one.of_own_chains));
    assert!(modes.warnings.iter().any(|warning| warning.name() == "chains-disagree"), "{:?}", modes.warnings);
}

/// What a finite mixture of wines in 13 dimensions does to Hamiltonian chains: three of them find three components, the fourth gives one of them next to no weight
/// and lays the other two together. R-hat, modes and verdicts all say so.
#[test]
fn a_chain_with_a_component_less_is_told_in_many_dimensions() {
    let (dim, per_chain) = (13, 100);
    let mut centers = vec![0.0; 3 * dim];
    standard_normals(&mut stream(21, Purpose::Simulation, 3), &mut centers);
    let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
    let mut z = vec![0.0; 3 * dim + 1];
    let mut rng = stream(22, Purpose::Simulation, 3);
    for m in 0..4 * per_chain {
        standard_normals(&mut rng, &mut z);
        let apart = m >= 3 * per_chain;
        let shift = 0.02 * z[3 * dim].clamp(-3.0, 3.0);
        weights.extend(if apart { [0.70 + shift, 0.28 - shift, 0.02] } else { [0.40 + shift, 0.28, 0.32 - shift] });
        for (k, a) in (0..3).flat_map(|k| (0..dim).map(move |a| (k, a))) {
            let center = match (apart, k) {
                (true, 0) => 0.5 * (centers[a] + centers[2 * dim + a]),
                (true, 2) => 3.0,
                _ => centers[k * dim + a],
            };
            means.push(center + 0.1 * z[k * dim + a]);
        }
        let variance = |k: usize| if apart && k == 0 { 0.8 } else { 0.4 };
        covariances.extend((0..3).flat_map(|k| vec![variance(k); dim]));
    }
    let draws = Ensemble::builder(dim)
        .atoms_per_draw(3)
        .weights(&weights)
        .means(&means)
        .covariances(&covariances)
        .form(CovarianceForm::Diagonal)
        .build()
        .unwrap();
    let draws = in_chains(draws, 4);
    assert_eq!(mixgist::inspect(&draws, None).unwrap().agreement.verdict, ChainVerdict::Disagree);
    let posterior = Posterior::new(&draws, None, settings(60)).unwrap();
    let summary = posterior.summary(&Silent).unwrap();
    assert!(summary.warnings.iter().any(|warning| warning.name() == "chains-disagree"), "{:?}", summary.warnings);
    let modes = posterior.representatives(mixgist::representatives::Count::Auto, 0, &Silent).unwrap();
    let chains: Vec<&[u32]> = modes.representatives.iter().map(|one| &one.chains[..]).collect();
    assert_eq!(chains, [&[0, 1, 2][..], &[3][..]], "{:?}", modes.tests);
    assert!(modes.representatives.iter().all(|one| one.of_own_chains));
}

/// Two modes of which 40 draws with an effective sample size of some ten show too little for a proof: it is said that there may be more than one.
#[test]
fn a_gap_that_is_no_proof_is_told() {
    let told = (0..20).filter(|&seed| {
        let two = posterior(Shape::Normal, probabilities(2), 60, false, 7200 + seed).ensemble;
        let modes = found(&two);
        modes.representatives.len() > 1 || modes.may_have_more()
    });
    // Over 20 other seeds 13 of 20 (docs/modes.md); one mode makes the remark in 5 of 480.
    assert!(told.count() >= 8);
}

/// The number of slices that `auto` took is in the answer.
#[test]
fn representatives_say_how_many_slices_they_took() {
    let draws = posterior(Shape::Normal, probabilities(2), 60, true, 8).ensemble;
    let auto = settings(1).with_slices(SliceCount::Auto { cap: 4000 });
    let posterior = Posterior::new(&draws, None, auto).unwrap();
    let modes = posterior.representatives(mixgist::representatives::Count::Auto, 0, &Silent).unwrap();
    assert_eq!(modes.slices, posterior.summary(&Silent).unwrap().slices);
    assert!(modes.slices > 1);
}

/// The only mode is represented by the draw that the summary chooses, for either loss.
#[test]
fn the_only_representative_is_the_summary() {
    let one = posterior(Shape::Skewed, probabilities(1), 200, true, 3).ensemble;
    for loss in [Loss::Distance, Loss::Power] {
        let posterior = Posterior::new(&one, None, settings(60).with_loss(loss)).unwrap();
        let modes = posterior.representatives(mixgist::representatives::Count::Auto, 0, &Silent).unwrap();
        assert_eq!(modes.representatives.len(), 1);
        assert_eq!(modes.representatives[0].draw, posterior.summary(&Silent).unwrap().medoid.draw);
    }
}

/// Where chains disagree nobody is told that more posterior draws help, and at the same time that more iterations hardly do.
#[test]
fn what_helps_is_said_once() {
    let mut z = vec![0.0; 201];
    standard_normals(&mut stream(8, Purpose::Simulation, 3), &mut z);
    // Nearly as many draws in the one chain as in the other, each at a place of its own.
    let means: Vec<f64> = z.iter().enumerate().map(|(m, z)| 0.1 * z + if m < 100 { 0.0 } else { 10.0 }).collect();
    let owners = (0..201).map(|m| u32::from(m >= 100)).collect();
    let draws = at(&means).with_chains(owners, (0..201).collect()).unwrap();
    let answer = summarize(&draws, None, &settings(60), &Silent).unwrap();
    assert_eq!(answer.medoid.margin.unwrap().verdict, ChoiceVerdict::FewDraws, "{:?}", answer.medoid.margin);
    let names: Vec<&str> = answer.warnings.iter().map(Warning::name).collect();
    assert!(names.contains(&"chains-disagree") && !names.contains(&"near-tie"), "{names:?}");
    let said = answer.narrative().plain(&mixgist::text::Neutral);
    assert!(said.contains("but the chains disagree") && !said.contains("only more posterior draws help"), "{said}");
}

/// Two modes that are 0.9 standard deviations apart in each of 40 coordinates: draws of different modes are nearly as near to each other as draws of one, so that
/// no cloud of draws shows two groups, but the chains do. Where a chain changes its mode, it is of neither.
#[test]
fn chains_in_modes_of_their_own_are_modes_in_many_dimensions() {
    let (dim, per_chain) = (20, 100);
    let with = |mode: &dyn Fn(usize) -> f64, rho: f64, seed: u64| {
        let mut rng = stream(seed, Purpose::Simulation, 3);
        let (mut z, mut x) = (vec![0.0; 2 * dim], vec![0.0; 2 * dim]);
        let mut means = Vec::new();
        for m in 0..4 * per_chain {
            standard_normals(&mut rng, &mut z);
            let rho = if m % per_chain == 0 { 0.0 } else { rho };
            x.iter_mut().zip(&z).for_each(|(x, z)| *x = rho * *x + (1.0 - rho * rho).sqrt() * z);
            means.extend(x.iter().enumerate().map(|(i, x)| x + 0.9 * mode(m) + 10.0 * (i / dim) as f64));
        }
        let (weights, variances) = (vec![0.5; 8 * per_chain], vec![1.0; 8 * per_chain * dim]);
        let draws = Ensemble::builder(dim).atoms_per_draw(2).weights(&weights).means(&means);
        let draws = draws.covariances(&variances).form(CovarianceForm::Diagonal).build().unwrap();
        let log_posterior = (0..4 * per_chain).map(|m| -60.0 * mode(m) - 0.1 * (m % 7) as f64).collect();
        in_chains(draws, 4).with_trace(Trace::new(Trace::LOG_POSTERIOR, log_posterior)).unwrap()
    };
    let chains = |draws: &Ensemble| -> Vec<Vec<u32>> {
        found(draws).representatives.iter().map(|one| one.chains.clone()).collect()
    };
    let third = |m: usize| f64::from(u8::from(m / per_chain == 2));
    let two = with(&third, 0.5, 1);
    assert_eq!(chains(&two), [vec![0, 1, 3], vec![2]]);
    let modes = found(&two);
    assert!(modes.representatives.iter().all(|one| one.of_own_chains));
    assert!((0..400).all(|m| modes.assignment[m] == usize::from(m / per_chain == 2)), "every draw is with its chain");
    let lower = modes.representatives[0].log_posterior.unwrap() - modes.representatives[1].log_posterior.unwrap();
    assert!((lower - 60.0).abs() < 0.1, "{lower}");
    // The third chain comes from the other mode after a quarter of its draws: not a mode of its own.
    let late = |m: usize| third(m) * f64::from(u8::from(m % per_chain >= per_chain / 4));
    assert_eq!(chains(&with(&late, 0.5, 1)).len(), 1);
    // One mode through which chains creep: 100 draws are some five times as long as their autocorrelation.
    for seed in 0..10 {
        assert_eq!(chains(&with(&|_| 0.0, 0.95, 100 + seed)).len(), 1, "seed {seed}");
    }
}
