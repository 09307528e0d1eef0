//! `mixgist credible`, `components`, `representatives` and `stability`: what can be said with confidence.

use mixgist::slice::{Array, NamedArrays};
use serde_json::Value::Null;

use crate::{DRAWS, Workplace, planar_draws};

#[test]
fn the_ball_is_around_the_medoid_or_any_estimate() {
    let place = Workplace::with_draws();
    let own = place.json("credible draws.npz --slices 60 --level 0.8");
    assert_eq!((&own["schema"], &own["schema_version"]), (&"mixgist.credible".into(), &2.into()));
    let distances: Vec<f64> = serde_json::from_value(own["distances"].clone()).unwrap();
    let radius = own["ball"]["radius"].as_f64().unwrap();
    let inside = distances.iter().filter(|&&d| d <= radius).count() as f64 / DRAWS as f64;
    assert!((0.8..0.8 + 1.0 / DRAWS as f64 + 1e-9).contains(&inside), "{inside}");
    assert_eq!(own["ball"]["farthest"][0]["distance"], own["ball"]["radius"]);

    place.done("summarize draws.npz --slices 60 -o summary.json");
    let line = "credible draws.npz --slices 60 --level 0.8 --estimate summary.json --hypothesis summary.json";
    let given = place.json(line);
    // The hypothesis is the estimate: the region is the ball, and it lies at its centre.
    assert!((given["ball"]["radius"].as_f64().unwrap() - radius).abs() < 1e-9);
    assert_eq!(given["region"]["probability"]["value"], given["ball"]["probability"]["value"]);
    assert_eq!(given["region"]["distance_to_estimate"], 0.0);
    let text = place.done(&format!("{line} --radius 0.1")).stdout;
    assert!(text.contains("80 % ball") && text.contains("P(within 0.1000 of it)"), "{text}");
}

/// Numbers of a document without what says where the estimate came from.
fn told(mut document: serde_json::Value) -> serde_json::Value {
    let fields = document.as_object_mut().unwrap();
    let _ = ["source", "settings", "estimate_source", "estimate_draw"].map(|name| fields.remove(name));
    document
}

#[test]
fn a_summary_of_these_draws_is_not_computed_again() {
    let place = Workplace::with_draws();
    place.done("summarize draws.npz --data data.csv -o summary.json");
    for (verb, usual) in [
        ("credible", "medoid"),
        ("stability", "medoid"),
        ("representatives", "medoid"),
        ("components", "aligned"),
        ("align", "aligned"),
        ("memberships", "aligned"),
        ("how-many", "aligned"),
    ] {
        let known = place.json(&format!("{verb} draws.npz --data data.csv --estimate summary.json"));
        let searched = place.json(&format!("{verb} draws.npz --data data.csv"));
        assert_eq!(told(known.clone()), told(searched), "{verb}");
        // The data that it was made with, and so its units, are found again.
        let found = place.json(&format!("{verb} draws.npz --estimate summary.json"));
        assert_eq!(found, known, "{verb}");
        if let Some(source) = known.get("estimate_source") {
            assert!(source.as_str().unwrap().starts_with(usual), "{verb}: {source}");
        }
    }
    // The atoms of the medoid itself are there for who asks.
    let medoid = place.json("components draws.npz --data data.csv --estimate medoid");
    assert!(medoid["estimate_source"].as_str().unwrap().starts_with("medoid"));

    // Other draws, other options or other units: then it is a measure like any other.
    place.write_draws("others.npz", planar_draws().select(&[0, 2, 3, 5, 7, 8, 11, 13, 17, 19]).unwrap());
    for line in [
        "credible others.npz --data data.csv --estimate summary.json",
        "credible draws.npz --data data.csv --estimate summary.json --distance sw",
        "credible draws.npz --data data.csv --estimate summary.json --thin 2",
    ] {
        assert_eq!(place.json(line)["estimate_source"], "summary.json", "{line}");
    }
    std::fs::remove_file(place.path("data.csv")).unwrap();
    let run = place.done("credible draws.npz --estimate summary.json --json");
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["estimate_source"], "summary.json");
    assert!(run.stderr.contains("the summary was made with other data"), "{}", run.stderr);
}

#[test]
fn equal_draws_have_a_ball_of_radius_zero() {
    let place = Workplace::new();
    place.write_draws("draws.npz", planar_draws().select(&[5; 30]).unwrap());
    for distance in ["sw", "mix-sw", "smix-w"] {
        let found = place.json(&format!("credible draws.npz --slices 50 --distance {distance}"));
        assert_eq!(found["ball"]["radius"], 0.0, "{distance}");
    }
    let found = place.json("representatives draws.npz --slices 50");
    assert_eq!(found["representatives"].as_array().unwrap().len(), 1);
}

#[test]
fn too_few_draws_for_a_conformal_ball_are_told() {
    let place = Workplace::with_draws();
    let text = place.done("credible draws.npz --slices 50 --conformal").stdout;
    assert!(text.contains("too few draws: 12 calibration draws") && text.contains("level 0.95 needs 19"), "{text}");
    let found = place.json("credible draws.npz --slices 50 --conformal --level 0.5");
    let conformal = &found["conformal"];
    assert!(conformal["radius"].as_f64().unwrap() > 0.0 && conformal["coverage"].as_f64().unwrap() >= 0.5);
}

#[test]
fn a_given_centre_of_a_conformal_ball_comes_with_its_condition() {
    let place = Workplace::with_draws();
    place.done("summarize draws.npz --slices 60 -o summary.json");
    place.write_draws("others.npz", planar_draws().select(&[0, 2, 3, 5, 7, 8, 11, 13, 17, 19]).unwrap());
    let line = "credible others.npz --slices 50 --level 0.5 --conformal --estimate";
    // These files are not those that the summary was made from; whether the draws are, nobody knows.
    let text = place.done(&format!("{line} summary.json")).stdout;
    assert!(text.contains("the guarantee holds only if that was made without these draws"), "{text}");
    let own = place.run("credible others.npz draws.npz --slices 50 --conformal --estimate summary.json");
    assert!(own.code == Some(2) && own.stderr.contains("was made from these draws (draws.npz)"), "{}", own.stderr);
    place.done("credible draws.npz --slices 50 --estimate summary.json");
}

#[test]
fn components_representatives_and_the_card_answer() {
    let place = Workplace::with_draws();
    place.done("summarize draws.npz --slices 60 -o summary.json");
    let found = place.json("components draws.npz --data data.csv --estimate summary.json");
    let all = found["components"].as_array().unwrap();
    assert_eq!(all.len(), 3, "{found}");
    // The third atom is missing from every fourth draw.
    let mut existence: Vec<f64> = all.iter().map(|one| one["existence"]["value"].as_f64().unwrap()).collect();
    existence.sort_by(f64::total_cmp);
    assert!((existence[0] - 0.75).abs() < 1e-9 && (existence[1] - 1.0).abs() < 1e-9, "{existence:?}");
    assert!(place.done("components draws.npz --data data.csv --slices 60").stdout.contains("mean length"));

    let two = place.json("representatives draws.npz --data data.csv --slices 60 --count 2 --grid 10");
    assert_eq!(
        (two["representatives"].as_array().unwrap().len(), two["assignment"].as_array().unwrap().len()),
        (2, DRAWS)
    );
    let first = &two["representatives"][0];
    assert_eq!(first["labels"].as_array().unwrap().len(), 30);
    assert_eq!(first["densities"][0]["values"].as_array().unwrap().len(), 100);

    let card = place.json("stability draws.npz --data data.csv --slices 60 -o card.json");
    assert_eq!(card["checks"].as_array().unwrap().len(), 14);
    assert!(place.read("card.json").contains("mixgist.stability"));
    assert!(place.done("stability draws.npz --slices 60").stdout.starts_with("verdict"));
}

/// Each verb with few slices.
const VERBS: [&str; 4] = ["credible", "components", "representatives", "stability"];

#[test]
fn chains_that_disagree_are_told_by_every_verb() {
    let place = Workplace::new();
    let planar = planar_draws();
    let far: Vec<usize> = (0..24).map(|m| if m < 12 { 3 + 4 * (m % 3) } else { [0, 1, 2][m % 3] }).collect();
    let apart = planar.select(&far).unwrap().with_chains((0..24).map(|m| m / 12).collect(), (0..24).collect()).unwrap();
    place.write_draws("apart.npz", apart);
    for verb in VERBS {
        let run = place.done(&format!("{verb} apart.npz --slices 40"));
        assert!(
            run.stderr.contains("warning: the chains disagree: they stay in different parts of"),
            "{verb}: {}",
            run.stderr
        );
        assert!(
            run.stderr.contains("warning: only 24 draws") && run.stderr.contains("hint: look at each chain separately")
        );
        let warnings = place.json(&format!("{verb} apart.npz --slices 40"))["warnings"].clone();
        let names: Vec<&str> = warnings.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["few-draws", "chains-disagree"], "{verb}");
    }
    let card = place.json("stability apart.npz --slices 40");
    assert_eq!(card["verdict"], "undecided");
    assert!(card["advice"][0].as_str().unwrap().contains("look at each chain on its own"), "{card}");
}

#[test]
fn a_chain_that_the_burn_in_removes_is_named() {
    let place = Workplace::new();
    let chains = (0..24).map(|m| u32::from(m >= 20)).collect();
    place.write_draws("draws.npz", planar_draws().with_chains(chains, (0..24).collect()).unwrap());
    for verb in VERBS.into_iter().chain(["summarize"]) {
        let run = place.done(&format!("{verb} draws.npz --slices 40 --burn-in 4"));
        assert!(run.stderr.contains("warning: no draw of chain 1 is left after the burn-in"), "{verb}: {}", run.stderr);
    }
}

#[test]
fn documents_hold_what_repeats_them() {
    let place = Workplace::with_draws();
    let options = "--slices 40 --distance sw --order 1 --loss power --scheme qmc --seed 7 --units whiten";
    for verb in VERBS {
        let found = place.json(&format!("{verb} draws.npz {options}"));
        let settings = &found["settings"];
        for (key, value) in [("distance", "sw"), ("loss", "power"), ("scheme", "qmc"), ("units", "whiten")] {
            assert_eq!(settings[key], value, "{verb}, {key}");
        }
        let numbers = (&settings["slices"], &settings["seed"], &settings["order"]);
        assert_eq!(numbers, (&40.into(), &7.into(), &1.0.into()), "{verb}");
    }
}

#[test]
fn auto_is_the_number_of_slices_that_a_summary_ends_with() {
    let place = Workplace::with_draws();
    let options = "draws.npz --burn-in 10 --slices auto --scheme iid --units none";
    let slices = place.json(&format!("summarize {options}"))["slices"].clone();
    assert!(slices.as_u64().unwrap() > 1000, "these draws need more slices than auto starts with: {slices}");
    for verb in VERBS {
        let found = place.json(&format!("{verb} {options}"));
        assert_eq!(found["settings"]["slices"], "auto", "{verb}");
        if ["credible", "stability"].contains(&verb) {
            assert_eq!(found["slices"], slices, "{verb}");
        }
    }
}

#[test]
fn given_directions_are_said_to_be_given() {
    let place = Workplace::with_draws();
    let unit = |l: i32| [(0.1 + 0.5 * f64::from(l)).cos(), (0.1 + 0.5 * f64::from(l)).sin()];
    let array = Array { shape: vec![12, 2], values: (0..12).flat_map(unit).collect() };
    let arrays = NamedArrays::from([("smix_w_v".to_owned(), array.clone()), ("smix_w_w".to_owned(), array)]);
    mixgist_io::write_arrays(&place.path("own.npz"), &arrays, mixgist_io::Overwrite::Refuse).unwrap();
    for verb in VERBS.into_iter().chain(["summarize"]) {
        let found = place.json(&format!("{verb} draws.npz --directions own.npz"));
        let given = &found["settings"]["directions"];
        assert_eq!(given["slices"], 12, "{verb}: {}", found["settings"]);
        assert_eq!(given["fingerprint"].as_str().unwrap().len(), 16, "{verb}");
        let text = place.done(&format!("{verb} draws.npz --directions own.npz")).stdout;
        assert!(verb == "components" || text.contains("12 slices (given directions)"), "{verb}: {text}");
    }
}

#[test]
fn one_draw_or_two_are_told_in_plain_words() {
    let place = Workplace::new();
    place.write_draws("one.npz", planar_draws().select(&[0]).unwrap());
    place.write_draws("two.npz", planar_draws().select(&[0, 1]).unwrap());
    for verb in VERBS {
        assert!(place.done(&format!("{verb} one.npz --slices 20")).stderr.contains("only 1 draw: "), "{verb}");
        assert!(place.done(&format!("{verb} two.npz --slices 20")).stderr.contains("only 2 draws stand for"), "{verb}");
    }
    let summary = place.done("summarize two.npz --slices 20");
    assert!(summary.stdout.contains("draw 1 is as good as the chosen one: the two are tied"), "{}", summary.stdout);
    assert!(summary.stderr.contains("are tied") && !summary.stderr.contains("more slices"), "{}", summary.stderr);
    for file in ["one", "two"] {
        let text = place.done(&format!("representatives {file}.npz --slices 20")).stdout;
        assert!(text.contains("too few different draws") && !text.contains("as asked for"), "{text}");
        assert!(
            place.done(&format!("stability {file}.npz --slices 20")).stdout.starts_with("verdict        undecided")
        );
    }
    assert!(place.done("representatives two.npz --slices 20 --count 2").stdout.contains("as asked for"));
}

/// 60 draws of two atoms on the line; `pieces` of ten draws hold the first in two, and its weight is that of the chain.
fn atoms_on_a_line(pieces: usize, chains: &[f64]) -> String {
    let mut text = String::from("chain,draw,weight,mean_1,cov_1_1\n");
    for m in 0..60 {
        let (chain, noise) = (m * chains.len() / 60, 0.01 * ((7 * m) % 11) as f64);
        let weight = chains[chain] + 0.1 * noise;
        let parts = if m % 10 < pieces { vec![0.5 * weight; 2] } else { vec![weight] };
        for (i, part) in parts.iter().enumerate() {
            text.push_str(&format!("{chain},{m},{part},{},1\n", noise + 0.1 * i as f64));
        }
        text.push_str(&format!("{chain},{m},{},{},1\n", 1.0 - weight, 10.0 - noise));
    }
    text
}

#[test]
fn a_component_in_pieces_is_told_in_table_and_report() {
    let place = Workplace::new();
    place.write("pieces.csv", &atoms_on_a_line(3, &[0.7]));
    let text = place.done("components pieces.csv --slices 40").stdout;
    assert!(text.contains("split into several atoms in 30 % of draws"), "{text}");
    place.done("report pieces.csv -o pieces.html --without conformal,path,representatives,stability --slices 40");
    assert!(place.read("pieces.html").contains("split into several atoms in 30 % of draws"));
    place.write("seldom.csv", &atoms_on_a_line(1, &[0.7]));
    assert!(!place.done("components seldom.csv --slices 40").stdout.contains("several atoms"));
}

/// All draws have the components, but two chains that stay at a weight of their own count as two draws.
#[test]
fn draws_that_are_worth_too_few_are_said_to_be() {
    let place = Workplace::new();
    place.write("apart.csv", &atoms_on_a_line(0, &[0.7, 0.4]));
    let text = place.done("components apart.csv --slices 40").stdout;
    assert!(text.contains("in 100.0 % of draws, effective sample size 2: too few for intervals"), "{text}");
    place.done("report apart.csv -o apart.html --without conformal,path,representatives,stability --slices 40");
    let page = place.read("apart.html");
    assert!(page.contains("in 100.0 % of draws, effective sample size 2: too few for intervals"));
}

#[test]
fn one_mode_comes_with_what_refused_two() {
    let place = Workplace::with_draws();
    let found = place.json("representatives draws.npz --slices 60");
    assert_eq!(found["representatives"].as_array().unwrap().len(), 1, "{found}");
    assert!(found["tests"][0]["crossing"].is_null(), "{found}");
    let text = place.done("representatives draws.npz --slices 60").stdout;
    assert!(text.contains("the draws are too few to tell whether near draws join the groups"), "{text}");
}

#[test]
fn chains_that_were_not_left_out_are_counted() {
    let place = Workplace::new();
    let chains = (0..DRAWS as u32).map(|m| m / 2).collect();
    place.write_draws("many.npz", planar_draws().with_chains(chains, (0..DRAWS as u64).collect()).unwrap());
    let text = place.done("stability many.npz --slices 20").stdout;
    assert!(text.contains("4 chains with the fewest draws were not left out in turn"), "{text}");
    assert_eq!(place.json("stability many.npz --slices 20")["untried_chains"], 4);
}

#[test]
fn the_card_of_a_free_estimate() {
    let place = Workplace::with_draws();
    let card = place.json("stability draws.npz --slices 40 --estimate free --atoms 2");
    assert_eq!(card["estimate"]["weights"].as_array().unwrap().len(), 2);
    let refused = place.run("stability draws.npz --slices 40 --atoms 2");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for verb in ["credible", "components"] {
        let found = place.json(&format!("{verb} draws.npz --slices 40 --estimate free --atoms 2"));
        assert_eq!(found["estimate"], card["estimate"], "{verb}");
        assert_eq!((&found["estimate_draw"], &found["estimate_source"]), (&Null, &"free estimate".into()), "{verb}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Workplace::with_draws();
    place.write("one.csv", "draw,weight,mean_1,mean_2,cov_1_1,cov_1_2,cov_2_1,cov_2_2\n0,1,2,1,1,0,0,1\n");
    place.write("line.csv", "draw,weight,mean_1,cov_1_1\n0,1,2,1\n");
    for (line, code, message) in [
        ("credible draws.npz --level 1.5", 2, "level is 1.5"),
        ("credible draws.npz --estimate line.csv", 1, "has dimension 1, the draws have 2"),
        ("credible draws.npz --estimate draws.npz", 1, "holds 24 draws, expected one measure"),
        ("credible draws.npz --hypothesis one.csv --radius -1 --slices 20", 2, "radius is -1"),
        ("components draws.npz --overlap 2 --slices 20", 2, "overlap is 2"),
        ("representatives draws.npz --count 0", 2, "--count is '0'"),
        ("representatives draws.npz --count 99 --slices 20", 2, "99 representatives of 24 draws"),
    ] {
        let run = place.run(line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}

/// "Atom 0" of a draw and "component 0" of the aligned estimate are two things, and one report shows both.
#[test]
fn components_of_the_aligned_estimate_are_not_called_atoms() {
    let place = Workplace::with_draws();
    let of = |estimate: &str| place.done(&format!("components draws.npz --slices 60 --estimate {estimate}")).stdout;
    let (aligned, medoid) = (of("aligned"), of("medoid"));
    assert!(aligned.contains("component 0") && !aligned.contains("atom 0"), "{aligned}");
    assert!(medoid.contains("atom 0") && !medoid.contains("component 0"), "{medoid}");
}

/// Shares of the draws say little of modes between which chains do not move; their log posterior says more.
#[test]
fn modes_come_with_their_log_posterior() {
    let place = Workplace::new();
    let values = (0..planar_draws().len()).map(|m| -100.0 - m as f64).collect();
    let draws = planar_draws().with_trace(mixgist::Trace::new(mixgist::Trace::LOG_POSTERIOR, values)).unwrap();
    place.write_draws("judged.npz", draws);
    place.write_draws("plain.npz", planar_draws());
    let two = |file: &str| place.done(&format!("representatives {file}.npz --slices 20 --count 2")).stdout;
    assert!(
        two("judged").contains("mean log posterior\n") && !two("plain").contains("log posterior"),
        "{}",
        two("judged")
    );
}

/// Where chains differ in their means alone, verbs without an estimate say so too.
#[test]
fn chains_that_disagree_in_their_means_are_told_without_an_estimate() {
    let place = Workplace::with_draws();
    let (draws, wave) = (200, |m: usize| 0.1 * (12.9898 * m as f64).sin());
    let means: Vec<f64> = (0..draws)
        .flat_map(|m| {
            let half = if m < 150 { 4.0 } else { 0.5 };
            [-half + wave(m), 0.0, half + wave(m + 7 * draws), 0.0]
        })
        .collect();
    let covariances: Vec<f64> = (0..2 * draws).flat_map(|_| [1.0, 0.0, 0.0, 1.0]).collect();
    let ensemble = mixgist::Ensemble::builder(2)
        .atoms_per_draw(2)
        .weights(vec![0.5; 2 * draws])
        .means(&means)
        .covariances(&covariances)
        .build()
        .unwrap()
        .with_chains((0..draws as u32).map(|m| m / 50).collect(), (0..draws as u64).collect())
        .unwrap();
    place.write_draws("apart.npz", ensemble);
    let inspected = place.done("inspect apart.npz").stdout;
    assert!(inspected.contains("the chains disagree") && inspected.contains("distance to first draw"), "{inspected}");
    for verb in ["partition", "memberships"] {
        let said = place.done(&format!("{verb} apart.npz --data data.csv")).stderr;
        assert!(said.contains("warning: the chains disagree"), "{verb}: {said}");
    }
}
