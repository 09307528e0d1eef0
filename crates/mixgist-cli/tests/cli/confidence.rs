//! `mixgist credible`, `components`, `representatives` and `stability`: what can be said with confidence.

use crate::{DRAWS, Workplace, planar_draws};

#[test]
fn the_ball_is_around_the_medoid_or_any_estimate() {
    let place = Workplace::with_draws();
    let own = place.json("credible draws.npz --slices 60 --level 0.8");
    assert_eq!((&own["schema"], &own["schema_version"]), (&"mixgist.credible".into(), &1.into()));
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

#[test]
fn equal_draws_have_a_ball_of_radius_zero() {
    let place = Workplace::new();
    place.write_draws("draws.npz", planar_draws().select(&[5; 30]).unwrap());
    for distance in ["sw", "mix-sw", "smix-w"] {
        let found = place.json(&format!("credible draws.npz --slices 50 --distance {distance}"));
        assert_eq!(found["ball"]["radius"], 0.0, "{distance}");
    }
    assert_eq!(place.json("representatives draws.npz --slices 50")["count"], 1);
}

#[test]
fn too_few_draws_for_a_conformal_ball_are_told() {
    let place = Workplace::with_draws();
    let text = place.done("credible draws.npz --slices 50 --conformal").stdout;
    assert!(text.contains("no radius:") && text.contains("level 0.95 needs 19"), "{text}");
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
    assert!(text.contains("the guarantee holds only if it was made without these draws"), "{text}");
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

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Workplace::with_draws();
    place.write("line.csv", "draw,weight,mean_1,cov_1_1\n0,1,2,1\n");
    for (line, code, message) in [
        ("credible draws.npz --level 1.5", 2, "level is 1.5"),
        ("credible draws.npz --estimate line.csv", 1, "has dimension 1, the draws have 2"),
        ("credible draws.npz --estimate draws.npz", 1, "holds 24 draws, expected one measure"),
        ("components draws.npz --overlap 2 --slices 20", 2, "overlap is 2"),
        ("representatives draws.npz --count 0", 2, "--count is '0'"),
        ("representatives draws.npz --count 99 --slices 20", 2, "99 representatives of 24 draws"),
    ] {
        let run = place.run(line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}
