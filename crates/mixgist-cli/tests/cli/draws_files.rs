//! `mixgist inspect` and `mixgist convert`.

use crate::{DRAWS, Workplace, planar_draws};
use mixgist_io::{DataTable, DrawsFile, LabelDraws, Overwrite, read_data, read_draws, read_labels, write_draws};

fn draws(place: &Workplace, name: &str) -> DrawsFile {
    read_draws(&[place.path(name)], &Default::default()).unwrap()
}

/// `full.npz`: draws with draw weights, labels and data.
fn full() -> Workplace {
    let place = Workplace::new();
    let weights: Vec<f64> = (1..=DRAWS).map(|m| m as f64).collect();
    let file = DrawsFile {
        ensemble: planar_draws().with_draw_weights(&weights).unwrap(),
        labels: Some(LabelDraws { draws: DRAWS, observations: 2, labels: [0, 1].repeat(DRAWS).into() }),
        data: Some(DataTable::new(2, vec![0.0, 1.0, 2.0, 3.0], None).unwrap()),
    };
    write_draws(&place.path("full.npz"), &file, None, Overwrite::Refuse).unwrap();
    place
}

#[test]
fn inspection_counts_what_is_there() {
    let place = full();
    let run = place.done("inspect full.npz");
    for expected in [
        "draws          24 in 2 chains (chain 0: 12, iterations 100 to 111; chain 1: 12, iterations 100 to 111)",
        "dimension      2",
        "atoms          2 to 3 per draw, median 3",
        "weight sums    1",
        "labels         24 draws × 2 observations",
        "data           2 observations × 2 columns",
        "(of the data)",
        "problems       only 24 draws stand for the posterior",
        "→ give more posterior draws",
    ] {
        assert!(run.stdout.contains(expected), "{expected}\n{}", run.stdout);
    }
    let answer = place.json("inspect full.npz --burn-in 2");
    assert_eq!(answer["draws"], 20);
    assert_eq!(answer["chains"][1]["first_iteration"], 102);
    assert_eq!(answer["atoms"]["max"], 3);
    assert_eq!(answer["labels"], serde_json::json!([20, 2]));
    assert!(answer["effective_draws"].as_f64().unwrap() < 20.0);
    assert_eq!(answer["problems"][0]["name"], "few-draws");
}

#[test]
fn inspection_points_out_what_was_repaired() {
    let place = Workplace::new();
    place.write("a.csv", "draw,weight,mean_1,cov_1_1\n0,1,0,1\n0,3,1,2\n0,0,,\n1,1,2,1\n");
    let run = place.done("inspect a.csv");
    assert!(run.stdout.contains("1 to 2 per draw, median 1 (1 atom of weight 0 dropped)"), "{}", run.stdout);
    assert!(run.stdout.contains("weight sums    off 1 by up to 3.0, scaled"), "{}", run.stdout);
    assert!(run.stdout.contains("the weights of a draw were off 1 by up to 3.00e0"), "{}", run.stdout);
    let both = place.json("inspect a.csv a.csv");
    assert_eq!((both["padding"].as_u64(), both["renormalization"].as_f64()), (Some(2), Some(3.0)));
}

#[test]
fn a_directory_of_chains_is_proposed_with_a_command_that_works() {
    let place = Workplace::new();
    std::fs::create_dir(place.path("chains")).unwrap();
    for chain in 1..=2 {
        let rows = "0.4,0.6,0,5,1,2\n0.5,0.5,0.1,5,1,2\n0.6,0.4,0,5.1,1,2\n";
        place.write(&format!("chains/chain-{chain}.csv"), &format!("w[1],w[2],mu[1],mu[2],sigma[1],sigma[2]\n{rows}"));
    }
    let said = place.done("inspect chains").stdout;
    let command = said.lines().find_map(|line| line.strip_prefix("to use it      mixgist ")).expect(&said);
    assert_eq!(
        command,
        "summarize chains --format wide-csv --weights w --means mu --covariances sigma --covariance-form sd"
    );
    assert!(place.done(command).stdout.contains(" of 6 (chain "));
}

#[test]
fn means_with_exchanged_indices_are_pointed_out() {
    let place = Workplace::new();
    let head = "w.1,w.2,mu.1.1,mu.2.1,mu.3.1,mu.1.2,mu.2.2,mu.3.2,sd.1,sd.2";
    place.write("wide.csv", &format!("{head}\n0.4,0.6,0,3,1,2,4,5,1,1\n"));
    let said = place.done("inspect wide.csv").stdout;
    assert!(said.contains("the second index of mu seems to be the atom; the first must be"), "{said}");
}

#[test]
fn columns_that_make_no_whole_variable_are_told() {
    let place = Workplace::new();
    place.write("wide.csv", "w[1],w[2],mu[1],mu[3],sd[1],sd[2]\n0.4,0.6,0,3,1,1\n");
    let said = place.done("inspect wide.csv").stdout;
    assert!(said.contains("left out       variable 'mu' has 2 columns"), "{said}");
    assert!(said.contains("mu[2] is missing"), "{said}");
}

#[test]
fn deviations_by_name_are_not_read_as_variances_in_silence() {
    let place = Workplace::new();
    place.write("wide.csv", "w[1],w[2],mu[1],mu[2],sigma[1],sigma[2]\n0.5,0.5,0,5,1,2\n0.4,0.6,0,5,1,2\n");
    let with = |form: &str| {
        place
            .done(&format!("inspect wide.csv --format wide-csv --weights w --means mu --covariances sigma {form}"))
            .stderr
    };
    let said = with("");
    assert!(said.contains("warning: variable 'sigma' is read as variances"), "{said}");
    assert!(said.contains("--covariance-form sd"), "{said}");
    assert_eq!(with("--covariance-form sd") + &with("--covariance-form diagonal"), "");
}

#[test]
fn conversions_there_and_back_change_no_bit() {
    let place = full();
    place.done("convert full.npz a.csv --drop-extras");
    place.done("convert a.csv a.parquet");
    place.done("convert a.parquet a.npz");
    let (first, last) = (draws(&place, "full.npz"), draws(&place, "a.npz"));
    assert_eq!(first.ensemble, last.ensemble);
    assert!(last.labels.is_none() && last.data.is_none());
}

#[test]
fn labels_and_data_get_files_of_their_own() {
    let place = full();
    let run = place.done("convert full.npz a.parquet --labels l.csv --data d.npy --thin 2");
    assert_eq!(run.stderr, "wrote 12 draws to a.parquet\n");
    let first = draws(&place, "full.npz");
    assert_eq!(read_data(&place.path("d.npy"), &Default::default()).unwrap(), first.data.unwrap());
    assert_eq!(read_labels(&place.path("l.csv"), &Default::default()).unwrap().draws, 12);
    place.done("convert full.npz copy.npz");
    assert_eq!(draws(&place, "copy.npz").labels, first.labels);
}

#[test]
fn the_output_of_stan_is_read() {
    let place = Workplace::new();
    let chain = "# model = m\nlp__,pi.1,pi.2,mu.1,mu.2,s.1,s.2\n-1,0.5,0.5,0,3,1,2\n-2,0.25,0.75,0,4,1,1\n";
    place.write("1.csv", chain);
    place.write("2.csv", chain);
    let stan = "--format stan-csv --stan-weights pi --stan-means mu --stan-covariances s --covariance-form sd";
    place.done(&format!("convert 1.csv 2.csv both.npz {stan}"));
    let both = draws(&place, "both.npz").ensemble;
    assert_eq!(both.chains(), [0, 0, 1, 1]);
    assert_eq!(both.atoms().covariances(), [1.0, 4.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0]);
}

#[test]
fn labels_keep_their_numbers() {
    let place = Workplace::new();
    let chain = "# model = m\nlp__,pi.1,pi.2,pi.3,mu.1,mu.2,mu.3,s.1,s.2,s.3,z.1,z.2,z.3\n\
                 -1,0.25,0.25,0.5,0,3,6,1,2,1,3,1,3\n-2,0.25,0.5,0.25,0,4,7,1,1,1,2,2,3\n";
    place.write("1.csv", chain);
    let stan = "--format stan-csv --stan-weights pi --stan-means mu --stan-covariances s --covariance-form sd";
    place.done(&format!("convert 1.csv a.npz {stan} --stan-labels z"));
    place.done("convert a.npz b.npz");
    place.done("convert b.npz c.csv --labels labels.csv");
    for name in ["a.npz", "b.npz"] {
        assert_eq!(draws(&place, name).labels.unwrap().labels, [3, 1, 3, 2, 2, 3], "{name}");
    }
    assert_eq!(place.read("labels.csv"), "3,1,3\n2,2,3\n");
}

#[test]
fn the_format_to_write_can_be_named() {
    let place = Workplace::with_draws();
    place.done("convert draws.npz table.txt --to-format csv");
    assert!(place.read("table.txt").starts_with("chain,draw,atom,weight,"));
}
