//! `mixgist distance`: pairs, rows and matrices, sliced and exact.

use crate::{DRAWS, Workplace, line_draws};

const ONE: &str = "draw,weight,mean_1,cov_1_1\n0,1,2,1\n";
const OTHER: &str = "draw,weight,mean_1,cov_1_1\n0,1,5,1\n";

#[test]
fn two_atoms_of_one_width_are_as_far_apart_as_their_means() {
    let place = Workplace::new();
    place.write("a.csv", ONE);
    place.write("b.csv", OTHER);
    for distance in ["exact-w", "exact-w-frobenius", "exact-w-affine", "mw"] {
        let answer = place.json(&format!("distance a.csv b.csv --units none --distance {distance}"));
        assert!((answer["value"].as_f64().unwrap() - 3.0).abs() < 1e-12, "{distance}");
        assert!(answer["standard_error"].is_null() && answer["slices"].is_null() && answer["settings"].is_null());
        assert_eq!(answer["distance"], distance);
    }
    // In dimension 1 smix-w and mix-sw see w_1 v Δμ with w uniform on the circle: the mean square is 9/2.
    for distance in ["smix-w", "mix-sw"] {
        let answer = place.json(&format!(
            "distance a.csv b.csv --units none --scheme iid --distance {distance} --slices 20000 --seed 3"
        ));
        let (value, error) = (answer["value"].as_f64().unwrap(), answer["standard_error"].as_f64().unwrap());
        // Five standard errors: false alarms less than once in a million seeds.
        assert!((value - 3.0 / 2f64.sqrt()).abs() < 5.0 * error && error < 0.02, "{distance}: {value} ± {error}");
        assert_eq!(answer["slices"], 20000);
        assert_eq!(answer["settings"]["seed"], 3);
        assert_eq!(answer["order"], 2.0);
        assert_eq!(answer["units"]["name"], "none");
    }
}

#[test]
fn a_person_sees_value_error_and_settings() {
    let place = Workplace::with_draws();
    let run = place.done("distance draws.npz draws.npz --draw-a 0 --draw-b 3 --slices 100");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].contains(" ± "), "{}", run.stdout);
    assert_eq!(lines[1], "smix-w, order 2, 100 slices, seed 0, units sd");
    let run = place.done("distance draws.npz draws.npz --draw-a 0 --draw-b 3 --distance mw --units none");
    assert!(run.stdout.ends_with("\nmw, exact, units none\n"), "{}", run.stdout);
}

#[test]
fn the_expected_loss_is_the_mean_distance_of_the_estimate() {
    let place = Workplace::with_draws();
    let summary = place.json("summarize draws.npz --slices 200 --seed 4 -o summary.json");
    let answer = place.json("distance summary.json draws.npz --to-draws --slices 200 --seed 4");
    let values: Vec<f64> = serde_json::from_value(answer["values"].clone()).unwrap();
    let errors: Vec<f64> = serde_json::from_value(answer["standard_errors"].clone()).unwrap();
    assert_eq!((values.len(), errors.len()), (DRAWS, DRAWS));
    let mean = values.iter().sum::<f64>() / DRAWS as f64;
    let expected = summary["expected_loss"].as_f64().unwrap();
    assert!((mean - expected).abs() < 1e-9 * expected);
    assert!(values[summary["draw"].as_u64().unwrap() as usize] < 1e-9);
}

#[test]
fn rows_go_to_csv_and_the_nearest_to_the_screen() {
    let place = Workplace::with_draws();
    let run = place.done("distance draws.npz draws.npz --draw-a 5 --to-draws --slices 50 -o rows.csv");
    assert!(run.stdout.contains("(4 draws farther; -o FILE.csv or --json gives all)"), "{}", run.stdout);
    let text = place.read("rows.csv");
    assert!(text.starts_with("draw,chain,iteration,distance,standard_error\n0,0,100,"), "{text}");
    assert_eq!(text.lines().count(), 1 + DRAWS);
    place.done("distance draws.npz draws.npz --draw-a 5 --to-draws --distance mw -o exact.csv");
    assert!(place.read("exact.csv").lines().nth(1).unwrap().ends_with(','), "an exact distance has no error");
}

#[test]
fn the_matrix_is_condensed_as_in_scipy_or_square() {
    let place = Workplace::with_draws();
    place.done("distance draws.npz --matrix m.npy --errors e.npy --slices 60");
    let answer = place.json("distance draws.npz --matrix s.npy --square --slices 60");
    assert_eq!((answer["draws"].as_u64(), answer["pairs"].as_u64()), (Some(24), Some(276)));
    let (condensed, errors, square) = (place.read_npy("m.npy"), place.read_npy("e.npy"), place.read_npy("s.npy"));
    assert_eq!((condensed.len(), errors.len(), square.len()), (276, 276, 576));
    let mut k = 0;
    for i in 0..DRAWS {
        assert_eq!(square[i * DRAWS + i], 0.0);
        for j in i + 1..DRAWS {
            assert_eq!((square[i * DRAWS + j], square[j * DRAWS + i]), (condensed[k], condensed[k]));
            k += 1;
        }
    }
    let pair = place.json("distance draws.npz draws.npz --draw-a 1 --draw-b 4 --slices 60");
    assert!((pair["value"].as_f64().unwrap() - square[DRAWS + 4]).abs() < 1e-9);
    assert!(errors.iter().all(|error| *error > 0.0));
}

/// A pair has no winner to wait for: auto is what it starts with.
#[test]
fn a_pair_may_be_measured_with_auto_slices() {
    let place = Workplace::with_draws();
    let line = "distance draws.npz draws.npz --draw-a 0 --draw-b 1";
    let (named, silent) = (place.json(&format!("{line} --slices auto")), place.json(line));
    assert_eq!(named, silent);
    assert!(named["slices"].as_u64().unwrap() >= 100 && named["settings"]["slices"] == "auto", "{named}");
}

#[test]
fn exact_matrices_agree_with_exact_pairs() {
    let place = Workplace::with_draws();
    place.done("distance draws.npz --matrix m.npy --square --distance exact-w --order 1 --thin 2");
    let square = place.read_npy("m.npy");
    let pair = place.json("distance draws.npz draws.npz --draw-a 2 --draw-b 7 --distance exact-w --order 1 --thin 2");
    assert_eq!(pair["value"].as_f64().unwrap(), square[2 * 12 + 7]);
    assert_eq!(pair["order"], 1.0);
}

#[test]
fn a_single_draw_has_an_empty_matrix() {
    let place = Workplace::new();
    place.write_draws("one.npz", line_draws(1));
    let run = place.done("distance one.npz --matrix m.npy");
    assert!(run.stdout.contains("0 between 1 draws"), "{}", run.stdout);
    assert!(place.read_npy("m.npy").is_empty());
}
