//! `mixgist summarize`: the table, the JSON, determinism, burn-in and thinning.

use serde_json::Value;

use crate::{DRAWS, Workplace, line_draws};

#[test]
fn the_table_answers_the_questions() {
    let place = Workplace::with_draws();
    let run = place.done("summarize draws.npz --data data.csv --slices 200");
    assert_eq!(run.stdout, include_str!("summaries/table.txt"));
    assert_eq!(run.stderr, include_str!("summaries/warnings.txt"));
    assert_eq!(place.files(), ["data.csv", "draws.npz"]);
}

/// Times in seconds since 1970, a few seconds apart.
#[test]
fn numbers_far_from_zero_are_told_apart() {
    let place = Workplace::new();
    let mut draws = String::from("draw,weight,mean_1,cov_1_1\n");
    for m in 0..60 {
        let shift = 0.1 * crate::wave(m);
        draws += &format!("{m},0.6,{},0.9\n{m},0.4,{},1.1\n", 1.7e9 + shift, 1.7e9 + 12.0 - shift);
    }
    place.write("times.csv", &draws);
    let table = place.done("summarize times.csv --slices 20").stdout;
    let mean = |row: &str| row.split_whitespace().nth(2).map(str::to_owned);
    let means: Vec<String> = table.lines().rev().take(2).filter_map(mean).collect();
    assert!(means[1].starts_with("1700000000.") || means[1].starts_with("1699999999."), "{table}");
    assert!(means[0].starts_with("170000001"), "{table}");
    let intervals = place.done("components times.csv --slices 20").stdout;
    assert!(intervals.contains("1700000012.") && !intervals.contains("e9"), "{intervals}");
}

#[test]
fn the_json_has_every_key_and_goes_to_the_file_as_well() {
    let place = Workplace::with_draws();
    let answer = place.json("summarize draws.npz --data data.csv --route pairs --slices 100 -o summary.json");
    for key in [
        "draw",
        "expected_loss",
        "expected_loss_se",
        "runner_up",
        "margin",
        "agreement",
        "medoid_expected_loss",
        "route",
        "settings",
        "slices",
        "warnings",
        "estimate",
        "expected_losses",
        "labels",
        "clusters",
        "schema",
        "schema_version",
        "units",
        "columns",
    ] {
        assert!(!answer[key].is_null(), "{key} is missing");
    }
    for key in ["distance", "order", "loss", "slices", "scheme", "seed", "units", "route", "prune", "estimate"] {
        assert!(!answer["settings"][key].is_null(), "{key} is missing from the settings");
    }
    for key in ["draw", "expected_loss", "separation"] {
        assert!(!answer["runner_up"][key].is_null(), "{key} is missing from the runner-up");
    }
    let written: Value = serde_json::from_str(&place.read("summary.json")).unwrap();
    assert_eq!(written, answer);
    let losses: Vec<f64> = serde_json::from_value(answer["expected_losses"].clone()).unwrap();
    assert_eq!(losses.len(), DRAWS);
    let draw = answer["draw"].as_u64().unwrap() as usize;
    assert!(losses.iter().all(|loss| losses[draw] <= *loss));
    assert_eq!(answer["labels"].as_array().unwrap().len(), 30);
    assert_eq!(answer["clusters"], 3);
}

#[test]
fn the_free_estimate_has_its_path_and_its_certificate() {
    let place = Workplace::with_draws();
    let answer = place.json("summarize draws.npz --data data.csv --estimate free --slices 100 -o free.json");
    assert_eq!(answer["settings"]["estimate"], "free");
    let (assessment, free) = (&answer["assessment"], &answer["assessment"]["free"]);
    let floor = assessment["floor"].as_f64().unwrap();
    let loss = |of: &Value| of["expected_loss"].as_f64().unwrap();
    assert!(0.0 < floor && floor <= loss(free) && loss(free) < loss(&assessment["medoid"]));
    assert!((free["excess"].as_f64().unwrap() - (loss(free) / floor - 1.0)).abs() < 1e-12);
    let path = free["path"].as_array().unwrap();
    assert_eq!(path.len(), 15);
    for key in ["atoms", "expected_loss", "excess", "held_out", "over_best", "over_best_se", "measure"] {
        assert!(path.iter().all(|point| !point[key].is_null()), "{key} is missing");
    }
    let chosen = &path[free["chosen"].as_u64().unwrap() as usize];
    assert_eq!(chosen["measure"], answer["estimate"]);
    assert_eq!(answer["labels"].as_array().unwrap().len(), 30);
    // The estimate in the file, judged as a measure of the user's own, is what it was.
    let again = place.json("summarize draws.npz --data data.csv --slices 100 --candidate free.json");
    let own = &again["assessment"]["candidate"];
    assert!((loss(own) - loss(free)).abs() < 1e-9 && !own["held_out"].is_null());
    // Two atoms were asked for, two there are, with labels to match.
    let two = place.json("summarize draws.npz --data data.csv --estimate free --atoms 2 --slices 50");
    assert_eq!(two["estimate"]["weights"].as_array().unwrap().len(), 2);
    let table = place.done("summarize draws.npz --estimate free --atoms 2 --slices 50").stdout;
    assert!(table.contains("estimate       free, 2 atoms") && table.contains("of the best possible"), "{table}");
    let chosen = table.lines().find(|line| line.ends_with("chosen")).unwrap();
    assert_eq!(chosen.split_whitespace().take(2).collect::<Vec<_>>(), ["2", "2"], "{table}");
}

#[test]
fn summaries_of_earlier_versions_can_still_be_read() {
    let place = Workplace::with_draws();
    for old in [
        include_str!("../../../mixgist-io/tests/documents/summary-1-medoid.json"),
        include_str!("../../../mixgist-io/tests/documents/summary-1-free.json"),
    ] {
        let mut answer: Value = serde_json::from_str(old).unwrap();
        assert_eq!(answer["schema_version"], 1);
        place.write("old.json", &answer.to_string());
        let judged = place.json("summarize draws.npz --slices 20 --candidate old.json");
        assert!(judged["assessment"]["candidate"]["expected_loss"].as_f64().unwrap() > 0.0);
        // Before there were free estimates.
        let keys = answer.as_object_mut().unwrap();
        if keys.get("estimator").is_none_or(|name| name == "medoid") {
            keys.remove("estimator");
            keys.remove("assessment");
            place.write("old.json", &answer.to_string());
            let older = place.json("summarize draws.npz --slices 20 --candidate old.json");
            assert_eq!(older["assessment"], judged["assessment"]);
        }
    }
}

#[test]
fn the_floor_is_for_order_two_and_its_absence_is_told() {
    let place = Workplace::with_draws();
    let text = place.done("summarize draws.npz --slices 20 --order 1").stdout;
    assert!(text.contains("best possible  known for order 2 only"), "{text}");
    assert!(place.done("summarize draws.npz --slices 20").stdout.contains("of the best possible"));
}

#[test]
fn without_data_there_are_no_labels() {
    let place = Workplace::with_draws();
    let answer = place.json("summarize draws.npz --slices 50 --loss power");
    assert!(answer.get("labels").is_none() && answer.get("clusters").is_none());
    assert_eq!(answer["route"], "sweep");
}

#[test]
fn every_distance_can_be_chosen_and_every_route_finds_the_same_draw() {
    let place = Workplace::with_draws();
    for distance in ["sw", "mix-sw", "mix-sw-frobenius", "smix-w"] {
        let of =
            |route: &str| place.json(&format!("summarize draws.npz --slices 64 --distance {distance} --route {route}"));
        let (pairs, certified) = (of("pairs"), of("certified"));
        assert_eq!(pairs["settings"]["distance"], distance);
        assert_eq!(pairs["draw"], certified["draw"]);
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let place = Workplace::with_draws();
    let line = "summarize draws.npz --data data.csv --slices 300 --json --seed 5 --memberships";
    let one = place.done(&format!("{line} one.npy --threads 1"));
    let two = place.done(&format!("{line} two.npy --threads 2"));
    assert_eq!(one.stdout, two.stdout);
    let bytes = |name| std::fs::read(place.path(name)).unwrap();
    assert_eq!(bytes("one.npy"), bytes("two.npy"));
    let other = place.done("summarize draws.npz --data data.csv --slices 300 --json --seed 6");
    assert_ne!(one.stdout, other.stdout);
}

#[test]
fn burn_in_and_thinning_keep_iterations() {
    let place = Workplace::with_draws();
    let answer = place.json("summarize draws.npz --slices 50 --burn-in 4 --thin 3");
    assert_eq!(answer["draws"], 6);
    let iteration = answer["iteration"].as_u64().unwrap();
    assert!([104, 107, 110].contains(&iteration), "{iteration}");
}

#[test]
fn several_files_are_several_chains() {
    let place = Workplace::with_draws();
    let answer = place.json("summarize draws.npz draws.npz --slices 50");
    assert_eq!(answer["draws"], 2 * DRAWS);
}

#[test]
fn auto_slices_stop_when_the_winner_is_safe() {
    let place = Workplace::with_draws();
    let answer = place.json("summarize draws.npz --slices auto");
    // More slices would not help: the winner is safe, or what is left is the error of the draws.
    let (slices, verdict) = (answer["slices"].as_u64().unwrap(), answer["margin"]["verdict"].as_str().unwrap());
    assert!(verdict != "few-slices" || slices == 16_000, "{slices} slices, {verdict}");
    let [error, loss] = ["expected_loss_se", "expected_loss"].map(|key| answer[key].as_f64().unwrap());
    assert!(error <= 0.01 * loss || slices == 16_000, "{slices} slices, {loss} ± {error}");
}

#[test]
fn a_matrix_that_cannot_fit_is_refused_at_once_with_the_remedy() {
    // All pairs of 400,000 draws take 640 GB; without them, which is the remedy, some 3 GB are enough.
    let place = Workplace::new();
    place.write_draws("many.npz", line_draws(400_000));
    let run = place.run("summarize many.npz --route pairs --slices 10 -o summary.json");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.starts_with("error: summarising 400000 draws this way needs 64"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: use --route auto, which needs no matrix of all pairs"), "{}", run.stderr);
    let run = place.run("summarize many.npz --order 1 --slices 10");
    assert!(run.stderr.contains("hint: use --loss power") || run.stderr.contains("--thin"), "{}", run.stderr);
    let run = place.run("distance many.npz --matrix m.npy --slices 10");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("the matrix of 400000 draws needs 1.3 TB"), "{}", run.stderr);
    assert!(run.stderr.contains("makes it fit"), "{}", run.stderr);
    assert_eq!(place.files(), ["many.npz"]);
}
