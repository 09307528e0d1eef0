use super::*;
use crate::random::{Purpose, standard_normals, stream};
use crate::text::Neutral;

fn settings() -> Settings {
    Settings { slices: SliceCount::Fixed(60), ..Settings::default() }
}

/// Two chains of draws with two atoms in the plane; the second chain is moved by `gap`.
fn chains(draws: usize, noise: f64, gap: f64) -> Ensemble {
    let mut z = vec![0.0; 4 * draws];
    standard_normals(&mut stream(5, Purpose::Simulation, 0), &mut z);
    let second = |m: usize| if 2 * m >= draws { gap } else { 0.0 };
    let means: Vec<f64> = (0..4 * draws)
        .map(|i| [0.0, 0.0, 6.0, 3.0][i % 4] + noise * z[i] + if i % 4 == 2 { second(i / 4) } else { 0.0 })
        .collect();
    let covariances: Vec<f64> = (0..2 * draws).flat_map(|_| [1.0, 0.0, 0.0, 1.0]).collect();
    let ensemble = Ensemble::builder(2)
        .atoms_per_draw(2)
        .weights(vec![0.5; 2 * draws])
        .means(&means)
        .covariances(&covariances)
        .build();
    let owners = (0..draws).map(|m| u32::from(2 * m >= draws)).collect();
    ensemble.unwrap().with_chains(owners, (0..draws as u64).collect()).unwrap()
}

fn card(ensemble: &Ensemble, data: Option<Points>) -> Stability {
    Posterior::new(ensemble, data, settings()).unwrap().stability(0.95, &Silent).unwrap().result
}

#[test]
fn equal_draws_do_not_move() {
    let data = [0.0, 0.0, 6.0, 3.0, 0.5, -1.0, 6.0, 4.0];
    let same = card(&chains(40, 0.0, 0.0), Some(Points::new(2, &data).unwrap()));
    assert_eq!((same.ball.radius, same.clusters, same.verdict.movement), (0.0, Some(2), Movement::Stable));
    let names: Vec<&str> = same.checks.iter().map(|check| check.choice.as_str()).collect();
    let expected = [
        "slices", "slices", "seed", "seed", "units", "units", "loss", "distance", "distance", "distance", "burn-in",
        "burn-in", "chains", "chains",
    ];
    assert_eq!(names, expected);
    for check in &same.checks {
        let outcome = check.outcome.moved().unwrap();
        assert_eq!((outcome.distance, outcome.radii, outcome.clusters), (0.0, 0.0, Some(2)), "{check:?}");
    }
}

/// Most draws are of one chain, which lies far from the other: without it the estimate leaves the ball, and the card says so.
#[test]
fn a_chain_that_disagrees_is_named() {
    let all = chains(120, 0.1, 8.0);
    let kept: Vec<usize> = (0..60).chain(60..63).collect();
    let lopsided = card(&all.select(&kept).unwrap(), None);
    assert_eq!(lopsided.verdict.movement, Movement::Outside);
    let without = lopsided.checks.iter().find(|check| check.change.to_string() == "without chain 0").unwrap();
    assert!(without.outcome.moved().unwrap().radii > 1.0);
    assert!(
        lopsided.verdict.advice.iter().any(|line| line.to_string().starts_with("chains: moves it by")),
        "{:?}",
        lopsided.verdict
    );
    assert_eq!(lopsided.verdict.verdict, "undecided");
}

/// Half of the draws are of a chain that lies elsewhere: the ball is so wide that no choice leaves it, and yet all is not well.
#[test]
fn chains_that_disagree_leave_the_verdict_open() {
    let apart = card(&chains(120, 0.1, 8.0), None);
    assert!(apart.warnings.iter().any(|warning| warning.name() == "chains-disagree"), "{:?}", apart.warnings);
    assert_eq!(apart.verdict.verdict, "undecided");
    assert!(apart.verdict.advice[0].to_string().contains("look at each chain on its own"), "{:?}", apart.verdict);
    // No other advice beside it, such as to run longer, which the warning says will probably not help.
    assert_eq!(apart.verdict.advice.len(), 1, "{:?}", apart.verdict);
    assert!(card(&chains(120, 0.1, 0.0), None).verdict.decided);
}

#[test]
fn few_draws_leave_the_verdict_open() {
    let all = chains(40, 0.1, 0.0);
    for draws in [1, 2, 12, 19] {
        let few = card(&all.select(&(0..draws).collect::<Vec<_>>()).unwrap(), None);
        assert_eq!(few.verdict.verdict, "undecided", "{draws}");
        assert!(few.verdict.advice[0].to_string().contains("give more posterior draws"), "{:?}", few.verdict);
    }
    assert!(card(&all.select(&(0..20).collect::<Vec<_>>()).unwrap(), None).verdict.decided);
}

/// The card thins more draws than it uses; its lines count them as they were given.
#[test]
fn burn_in_is_counted_in_draws_as_given() {
    let long = chains(2 * MOST_DRAWS + 400, 0.1, 0.0);
    let few = Settings { slices: SliceCount::Fixed(4), ..Settings::default() };
    let card = stability(&Posterior::new(&long, None, few).unwrap(), 0.95, &Silent).unwrap();
    assert_eq!(card.thin, 3);
    let of_burn_in = card.checks.iter().filter(|check| check.choice == "burn-in");
    let changes: Vec<String> = of_burn_in.map(|check| check.change.to_string()).collect();
    // 1200 draws per chain, 400 of them used.
    assert_eq!(changes, ["burn_in = 300 more", "burn_in = 600 more"]);
}

/// Chain c of 11 has c + 1 draws: the first three are the shortest.
#[test]
fn of_many_chains_the_longest_are_left_out_in_turn() {
    let owners: Vec<u32> = (0..11).flat_map(|chain| vec![chain; chain as usize + 1]).collect();
    let iterations = (0..owners.len() as u64).collect();
    let many = chains(owners.len(), 0.1, 0.0).with_chains(owners, iterations).unwrap();
    let found = card(&many, None);
    let changes: Vec<String> =
        found.checks.iter().filter(|check| check.choice == "chains").map(|check| check.change.to_string()).collect();
    assert_eq!(changes, (3..11).map(|chain| format!("without chain {chain}")).collect::<Vec<_>>());
    assert_eq!(found.untried_chains, 3);
    assert_eq!(card(&chains(40, 0.1, 0.0), None).untried_chains, 0);
}

#[test]
fn distances_on_the_card_are_those_of_the_estimates() {
    let ensemble = chains(80, 0.3, 0.0);
    let card = card(&ensemble, None);
    let other = Settings { loss: Loss::Power, ..settings() };
    let expected = Posterior::new(&ensemble, None, settings()).unwrap();
    let moved = crate::estimate(&ensemble, None, &other, &Silent).unwrap();
    let check = card.checks.iter().find(|check| check.change.to_string() == "loss = power").unwrap();
    let outcome = check.outcome.moved().unwrap();
    assert_eq!(outcome.distance, expected.between(&card.estimate, &moved, &Silent).unwrap().value);
    assert!((outcome.radii - outcome.distance / card.ball.radius).abs() < 1e-12);
}

#[test]
fn a_choice_that_cannot_be_made_is_told_on_its_line() {
    let line = [1.0, 2.0, 2.0, 4.0, 3.0, 6.0];
    let card = card(&chains(40, 0.1, 0.0), Some(Points::new(2, &line).unwrap()));
    let check = card.checks.iter().find(|check| check.change.to_string() == "units = whiten").unwrap();
    let Outcome::Failed { error } = &check.outcome else { panic!("{check:?}") };
    assert!(error.to_string().contains("linear combination"), "{error}");
}

/// One coordinate is a hundred times as wide as the other and outweighs it. Mode A has 60 % of the draws, scattered in the wide coordinate; mode B has the
/// rest, in the middle of it, and is six standard deviations away in the other. As the coordinates are, the medoid is in B, a small part of the ball's radius from A; in
/// units of standard deviations it is in A. The card must not call that stable, and warns as the summary does.
#[test]
fn units_that_move_the_estimate_to_another_mode_are_not_stable() {
    let draws = 200;
    let mut z = vec![0.0; 2 * draws];
    standard_normals(&mut stream(31, Purpose::Simulation, 5), &mut z);
    let in_a = |m: usize| m % 5 < 3;
    let mean =
        |m: usize| if in_a(m) { [20.0 * z[2 * m], 0.1 * z[2 * m + 1]] } else { [z[2 * m], 6.0 + 0.1 * z[2 * m + 1]] };
    let means: Vec<f64> = (0..draws).flat_map(mean).collect();
    let covariances: Vec<f64> = (0..draws).flat_map(|_| [1e4, 1.0]).collect();
    let ensemble = Ensemble::builder(2)
        .atoms_per_draw(1)
        .weights(vec![1.0; draws])
        .means(&means)
        .covariances(&covariances)
        .form(crate::CovarianceForm::Diagonal)
        .build()
        .unwrap();
    let none = Settings { units: Units::None, ..settings() };
    let posterior = Posterior::new(&ensemble, None, none.clone()).unwrap();
    let sd = Posterior::new(&ensemble, None, Settings { units: Units::Sd, ..none }).unwrap();
    let chosen = |posterior: &Posterior| posterior.summary(&Silent).unwrap().medoid.draw;
    assert!(!in_a(chosen(&posterior)) && in_a(chosen(&sd)), "{} {}", chosen(&posterior), chosen(&sd));
    let card = posterior.stability(0.95, &Silent).unwrap().result;
    assert!(card.warnings.iter().any(|warning| warning.name() == "unequal-units"), "{:?}", card.warnings);
    assert_ne!(card.verdict.verdict, "stable", "{:?}", card.verdict);
    assert!(
        card.verdict.advice.iter().any(|advice| advice.spelled(&Neutral).starts_with("units: ")),
        "{:?}",
        card.verdict
    );
}

/// Where fewer draws alone give another number of clusters, only the line of the draws is blamed for it: a choice that leaves that estimate as it is decides nothing.
#[test]
fn what_fewer_draws_do_is_not_blamed_on_other_choices() {
    let line = |choice: &str, distance: f64, clusters: usize| Check {
        choice: choice.into(),
        change: "a change".to_owned().into(),
        outcome: Outcome::Moved(Move {
            distance,
            radii: distance,
            movement: Movement::Inside,
            clusters: Some(clusters),
        }),
    };
    let checks = [line("draws", 0.4, 5), line("slices", 0.4, 5), line("seed", 0.4, 5), line("units", 0.45, 7)];
    let verdict = verdict(&checks, Some(6), 500, true, true, &[]);
    let told: Vec<String> = verdict.advice.iter().map(|advice| advice.spelled(&Neutral)).collect();
    let of = |name: &str| told.iter().any(|advice| advice.starts_with(name));
    assert!(of("draws: ") && of("units: ") && !of("slices: ") && !of("seed: "), "{told:?}");
    assert!(of("units: moves it by 0.45 radii (fewer draws alone: 0.40 radii), the number"), "{told:?}");
}

/// Medoids of fewer draws, and under the other loss, are the same whether they are read off the distances between all draws or searched for.
#[test]
fn medoids_are_read_off_the_distances_between_all_draws() {
    let all = chains(60, 0.4, 1.0);
    let settings = Settings { units: Units::None, ..settings() };
    let posterior = Posterior::new(&all, None, settings.clone()).unwrap();
    let part: Vec<usize> = (5..60).filter(|m| m % 3 != 0).collect();
    let with = |draws: Option<&[usize]>, settings: Settings| posterior.with(draws, settings).unwrap();
    assert_eq!(posterior.known_medoid(Some(&part), &with(Some(&part), settings.clone())).unwrap(), None);
    posterior.all_distances(&Silent).unwrap().unwrap();
    for loss in [Loss::Distance, Loss::Power] {
        for draws in [None, Some(&part[..])] {
            let other = with(draws, settings.clone().with_loss(loss));
            let read = posterior.known_medoid(draws, &other).unwrap().unwrap();
            assert_eq!(all.draw(read).heaviest_first(), other.bare_estimate(&Silent).unwrap(), "{loss:?} {draws:?}");
        }
    }
    let changes = [
        settings.clone().with_seed(1),
        settings.clone().with_units(Units::Sd),
        settings.clone().with_slices(SliceCount::Fixed(61)),
        settings.with_estimator(crate::Estimator::Aligned),
    ];
    for changed in changes {
        assert_eq!(posterior.known_medoid(None, &with(None, changed)).unwrap(), None);
    }
}

/// Where leaving out a chain or more burn-in changes the number of clusters although the chains agree, it is fewer draws that do it: the card does not say that
/// chains had not settled, or that one of them decides.
#[test]
fn chains_that_agree_are_not_blamed() {
    let line = |choice: &str| Check {
        choice: choice.into(),
        change: "a change".to_owned().into(),
        outcome: Outcome::Moved(Move { distance: 0.3, radii: 0.6, movement: Movement::Inside, clusters: Some(7) }),
    };
    let checks = [line("burn-in"), line("chains")];
    let told = |agree: bool| -> Vec<String> {
        let verdict = verdict(&checks, Some(6), 500, true, agree, &[]);
        verdict.advice[1..].iter().map(|advice| advice.spelled(&Neutral)).collect()
    };
    assert!(
        told(true).len() == 2 && told(true).iter().all(|advice| advice.contains("fewer draws")),
        "{:?}",
        told(true)
    );
    assert!(told(false)[0].contains("had not converged") && told(false)[1].contains("one chain"), "{:?}", told(false));
}

/// Cards that were written when the word was another one are still read.
#[test]
fn the_earlier_name_of_stable_is_understood() {
    assert_eq!(serde_json::from_str::<Movement>("\"steady\"").unwrap(), Movement::Stable);
    assert_eq!(serde_json::to_string(&Movement::Stable).unwrap(), "\"stable\"");
}
