//! What follows from the estimate: files of labels, membership probabilities and densities.

use crate::{Workplace, planar_draws, wave};
use mixgist::{CovarianceForm, Ensemble};

fn column(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let place = lines.next().unwrap().split(',').position(|field| field == name).unwrap();
    lines.map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
}

#[test]
fn labels_come_with_their_membership_probability_or_as_an_array() {
    let place = Workplace::with_draws();
    let answer = place.json("summarize draws.npz --data data.csv --slices 50 --labels labels.csv");
    let expected: Vec<f64> = serde_json::from_value(answer["labels"].clone()).unwrap();
    let text = place.read("labels.csv");
    assert!(text.starts_with("label,membership_probability\n"));
    assert_eq!(column(&text, "label"), expected);
    assert!(column(&text, "membership_probability").iter().all(|p| (1.0 / 3.0..=1.0).contains(p)));
    place.done("summarize draws.npz --data data.csv --slices 50 --labels labels.npy");
    let bytes = std::fs::read(place.path("labels.npy")).unwrap();
    assert_eq!(bytes.len(), 128 + 30 * 4);
    let labels: Vec<f64> =
        bytes[128..].chunks_exact(4).map(|four| f64::from(u32::from_le_bytes(four.try_into().unwrap()))).collect();
    assert_eq!(labels, expected);
}

#[test]
fn memberships_are_probabilities_and_the_same_in_both_formats() {
    let place = Workplace::with_draws();
    place.done("summarize draws.npz --data data.csv --slices 50 --memberships p.npy --labels labels.csv");
    place.done("summarize draws.npz --data data.csv --slices 50 --memberships p.csv");
    let array = place.read_npy("p.npy");
    let text = place.read("p.csv");
    let atoms = text.lines().next().unwrap().split(',').count();
    assert!(text.starts_with("atom_0,atom_1"));
    let table: Vec<f64> = text.lines().skip(1).flat_map(|line| line.split(',')).map(|x| x.parse().unwrap()).collect();
    assert_eq!(array, table);
    assert_eq!(array.len(), 30 * atoms);
    let certainty = column(&place.read("labels.csv"), "membership_probability");
    for (row, certainty) in array.chunks_exact(atoms).zip(certainty) {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((row.iter().copied().fold(0.0, f64::max) - certainty).abs() < 1e-12);
    }
}

#[test]
fn new_points_are_labelled_by_the_estimate() {
    let place = Workplace::with_draws();
    place.write("new.csv", "0,0\n4,0\n8,0\n100,0\n");
    place.done("summarize draws.npz --slices 50 --predict new.csv --labels labels.csv --memberships p.npy");
    let labels = column(&place.read("labels.csv"), "label");
    assert_eq!(labels.len(), 4);
    assert_eq!(labels[2], labels[3]);
    assert!(labels[0] != labels[1] && labels[1] != labels[2]);
    assert_eq!(place.read_npy("p.npy").len() % 4, 0);
}

#[test]
fn a_planar_density_is_a_grid_with_a_band() {
    let place = Workplace::with_draws();
    place.done("summarize draws.npz --data data.csv --slices 50 --density density.csv --grid 60");
    let text = place.read("density.csv");
    assert!(text.starts_with("length,pause,estimate,mean,lower,upper\n"));
    let [estimate, mean, lower, upper] = ["estimate", "mean", "lower", "upper"].map(|name| column(&text, name));
    assert_eq!(estimate.len(), 3600);
    assert!((0..3600).all(|i| lower[i] <= upper[i] && mean[i] >= 0.0));
    let x = column(&text, "length");
    let y = column(&text, "pause");
    let cell = (x[60] - x[0]) * (y[1] - y[0]);
    // The grid ends 1 beyond the data, so that some of the mass lies outside.
    let mass = estimate.iter().sum::<f64>() * cell;
    assert!((0.7..1.01).contains(&mass), "{mass}");
}

#[test]
fn on_the_line_the_density_integrates_to_one() {
    let place = Workplace::new();
    place.write_draws("draws.npz", crate::line_draws(12));
    place.done("summarize draws.npz --slices 50 --density density.csv --grid 401");
    let text = place.read("density.csv");
    assert!(text.starts_with("x1,estimate,mean,lower,upper\n"));
    let (x, estimate) = (column(&text, "x1"), column(&text, "estimate"));
    let mass = estimate.iter().sum::<f64>() * (x[1] - x[0]);
    // Without data the grid reaches three standard deviations: 0.27 % are outside.
    assert!((mass - 0.9973).abs() < 1e-3, "{mass}");
}

#[test]
fn in_more_dimensions_there_are_marginals() {
    let place = Workplace::new();
    let means: Vec<f64> = (0..5 * 3).map(wave).collect();
    let ensemble = Ensemble::builder(3)
        .atoms_per_draw(1)
        .weights(&[1.0; 5])
        .means(&means)
        .covariances(&[1.0; 5])
        .form(CovarianceForm::Spherical)
        .build()
        .unwrap();
    place.write_draws("draws.npz", ensemble);
    place.done("summarize draws.npz --slices 50 --density density.csv --grid 11");
    let text = place.read("density.csv");
    assert!(text.starts_with("coordinate,position,estimate,mean,lower,upper\n\"x1\","));
    assert_eq!(text.lines().count(), 1 + 3 * 11);
    assert_eq!(text.lines().filter(|line| line.starts_with("\"x3\",")).count(), 11);
}

#[test]
fn data_in_the_file_of_draws_are_used() {
    let place = Workplace::new();
    let data = mixgist_io::DataTable::new(2, vec![0.0, 0.0, 8.0, 0.0], None).unwrap();
    let file = mixgist_io::DrawsFile { ensemble: planar_draws(), labels: None, data: Some(data) };
    mixgist_io::write_draws(&place.path("draws.npz"), &file, None, mixgist_io::Overwrite::Refuse).unwrap();
    let answer = place.json("summarize draws.npz --slices 50 --labels labels.csv");
    assert_eq!(answer["labels"].as_array().unwrap().len(), 2);
    assert_eq!(place.read("labels.csv").lines().count(), 3);
}
