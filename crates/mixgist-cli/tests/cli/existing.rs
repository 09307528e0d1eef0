//! `mixgist align`, `memberships` and `how-many`: components that exist, who belongs to them, and how many there are.

use serde_json::Value;

use crate::{DRAWS, Workplace, planar_draws};

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

#[test]
fn draws_are_aligned_and_written_in_every_form() {
    let place = Workplace::with_draws();
    let found = place.json("align draws.npz --data data.csv --slices 60");
    assert_eq!((&found["schema"], &found["schema_version"]), (&"mixgist.alignment".into(), &2.into()));
    assert_eq!((&found["settings"]["estimate"], &found["estimate_slices"]), (&"aligned".into(), &60.into()));
    let draws = &found["aligned_draws"];
    assert_eq!((&draws["draws"], &draws["components"], &draws["dim"]), (&DRAWS.into(), &3.into(), &2.into()));
    // The third atom is missing from every fourth draw.
    let weights = draws["weights"].as_array().unwrap();
    let lacking = (0..DRAWS).filter(|m| weights[3 * m..3 * m + 3].iter().any(Value::is_null)).count();
    assert_eq!(lacking, DRAWS / 4);
    for name in ["a.npz", "a.csv", "a.parquet", "a.nc", "a.json"] {
        place.done(&format!("align draws.npz --data data.csv --slices 60 -o {name}"));
    }
    let table = place.read("a.csv");
    assert!(
        table.starts_with(".chain,.iteration,.draw,unmatched,weight[1],weight[2],weight[3],\"mean[1,1]\""),
        "{table}"
    );
    assert_eq!(table.lines().count(), DRAWS + 1);
    assert!(table.lines().nth(13).unwrap().starts_with("2,1,13,"), "{table}");
    assert!(std::fs::read(place.path("a.nc")).unwrap().starts_with(b"CDF\x02"));
    let again = place.run("align draws.npz -o a.csv");
    assert!(again.code != Some(0) && again.stderr.contains("--force"), "{}", again.stderr);
    let other = place.run("align draws.npz -o a.txt");
    assert!(
        other.code == Some(2) && other.stderr.contains("ends in .npz, .csv, .parquet, .nc or .json"),
        "{}",
        other.stderr
    );
}

#[test]
fn names_are_given_and_carried_over() {
    let place = Workplace::with_draws();
    place.done("align draws.npz --slices 60 --names near,middle,far -o old.json");
    // New draws without the atom that is last.
    let moved = planar_draws().select(&[3, 7, 11, 15, 19, 23]).unwrap();
    place.write_draws("new.npz", moved);
    let found = place.json("align old.json new.npz --slices 60");
    let names = strings(&found["names"]);
    assert_eq!(names.len(), 2);
    let gone = found["carried"]["gone"].as_array().unwrap();
    assert_eq!(gone.len(), 1, "{gone:?}");
    let all: Vec<&str> = names.iter().copied().chain([gone[0]["name"].as_str().unwrap()]).collect();
    assert!(["near", "middle", "far"].iter().all(|name| all.contains(name)), "{all:?}");
    assert!(place.done("align old.json new.npz --slices 60").stdout.contains("gone: "));
    // Draws and summaries are older fits too.
    let back = place.json("align new.npz draws.npz --slices 60");
    assert!(strings(&back["names"]).contains(&"new"), "{}", back["names"]);
    place.done("summarize draws.npz --slices 60 -o summary.json");
    place.done("align summary.json new.npz --slices 60");
    let damaged = place.read("summary.json").replacen("\"expected_losses\": [", "\"expected_losses\": [1.5,", 1);
    place.write("damaged.json", &damaged);
    for (line, words) in [
        ("align draws.npz --slices 60 --names a,b", "2 names for 3 components"),
        ("align draws.npz --slices 60 --names a,b,a", "two components have the name 'a'"),
        ("align old.json new.npz --names a,b", "leave out --names"),
        ("align draws.npz new.npz draws.npz", "mixgist convert"),
        ("align data.json draws.npz", "data.json"),
        ("align damaged.json new.npz", "expected_losses"),
    ] {
        let run = place.run(line);
        assert!(run.code != Some(0) && run.stderr.contains(words), "{line}: {}", run.stderr);
    }
}

#[test]
fn memberships_have_intervals_and_uncertain_observations_are_ranked() {
    let place = Workplace::with_draws();
    let found = place.json("memberships draws.npz --data data.csv --slices 60");
    assert_eq!((&found["points"], &found["components"], &found["draws_used"]), (&30.into(), &3.into(), &DRAWS.into()));
    let numbers = |name: &str| -> Vec<f64> { serde_json::from_value(found[name].clone()).unwrap() };
    let (mean, low, high, none) = (numbers("mean"), numbers("low"), numbers("high"), numbers("none"));
    for i in 0..30 {
        let sum: f64 = mean[3 * i..3 * i + 3].iter().sum::<f64>() + none[i];
        assert!((sum - 1.0).abs() < 1e-9);
    }
    assert!((0..90).all(|e| 0.0 <= low[e] && low[e] <= high[e] && high[e] <= 1.0));
    let most = |i: usize| mean[3 * i..3 * i + 3].iter().copied().fold(0.0, f64::max);
    let uncertain: Vec<usize> = serde_json::from_value(found["uncertain"].clone()).unwrap();
    assert_eq!(uncertain.len(), (0..30).filter(|&i| most(i) < 0.9).count());
    assert!(uncertain.windows(2).all(|pair| most(pair[0]) <= most(pair[1])));
    place.done("memberships draws.npz --data data.csv --slices 60 -o who.csv");
    let table = place.read("who.csv");
    assert!(table.starts_with("observation,component,probability,low,high,none,probability_0,low_0,high_0"), "{table}");
    assert_eq!(table.lines().count(), 31);
    let without = place.run("memberships draws.npz");
    assert!(without.code == Some(2) && without.stderr.contains("--data"), "{}", without.stderr);
}

#[test]
fn numbers_of_clusters_are_counted() {
    let place = Workplace::with_draws();
    let alone = place.json("how-many draws.npz --slices 60");
    assert!(alone["occupied"].is_null());
    assert_eq!(alone["merged"].as_array().unwrap().len(), 7);
    let heavy = &alone["heavier"][3]["posterior"];
    assert_eq!((&heavy["counts"], &heavy["mode"]), (&serde_json::json!([2, 3]), &3.into()));
    assert!((heavy["probabilities"][0].as_f64().unwrap() - 0.25).abs() < 1e-12);
    let with = place.json("how-many draws.npz --data data.csv --slices 60");
    assert_eq!((&with["occupied"]["from_labels"], &with["occupied"]["draws"]), (&false.into(), &DRAWS.into()));
    let text = place.done("how-many draws.npz --data data.csv --slices 60").stdout;
    assert!(
        text.contains("(the merge-truncate-merge rule of Guha, Ho and Nguyen)")
            && text.contains("\nmerged ")
            && text.contains("clusters with observations"),
        "{text}"
    );
}

/// Chains that disagree are told here too.
#[test]
fn chains_that_disagree_are_told() {
    let place = Workplace::new();
    let far: Vec<usize> = (0..24).map(|m| if m < 12 { 3 + 4 * (m % 3) } else { [0, 1, 2][m % 3] }).collect();
    let apart = planar_draws().select(&far).unwrap();
    place.write_draws("apart.npz", apart.with_chains((0..24).map(|m| m / 12).collect(), (0..24).collect()).unwrap());
    for verb in ["align", "how-many"] {
        let run = place.done(&format!("{verb} apart.npz --slices 40"));
        assert!(run.stderr.contains("warning: the chains disagree"), "{verb}: {}", run.stderr);
    }
}
