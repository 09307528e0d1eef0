//! `mixgist fit`: what it writes, what its options mean, and what it says about data that cannot be used.

mod interruptions;

use mixgist_io::{DrawsFile, ReadOptions, read_data, read_draws};

use crate::Workplace;

const ALGORITHMS: [&str; 3] = ["blocked", "slice", "marginal"];

fn draws_of(place: &Workplace, name: &str) -> DrawsFile {
    read_draws(&[place.path(name)], &ReadOptions::default()).unwrap()
}

fn bytes_of(place: &Workplace, name: &str) -> Vec<u8> {
    std::fs::read(place.path(name)).unwrap()
}

#[test]
fn every_algorithm_and_covariance_model_gives_draws_labels_and_data() {
    let place = Workplace::with_draws();
    let data = read_data(&place.path("data.csv"), &ReadOptions::default()).unwrap();
    for algorithm in ALGORITHMS {
        for covariance in ["full", "diagonal", "common"] {
            let name = format!("{algorithm}-{covariance}");
            let printed = place.json(&format!(
                "fit data.csv -o {name}.npz --algorithm {algorithm} --covariance {covariance} --chains 2 --iterations 60 --burn-in 20 --thin 2"
            ));
            let written: serde_json::Value = serde_json::from_str(&place.read(&format!("{name}.fit.json"))).unwrap();
            assert_eq!(printed, written, "{name}");
            let DrawsFile { ensemble, labels, data: kept } = draws_of(&place, &format!("{name}.npz"));
            assert_eq!((ensemble.len(), ensemble.dim()), (40, 2), "{name}");
            assert_eq!(ensemble.chains(), [[0; 20], [1; 20]].concat(), "{name}");
            let iterations: Vec<u64> = (0..20).map(|draw| 21 + 2 * draw).collect();
            assert_eq!(ensemble.iterations(), [iterations.clone(), iterations].concat(), "{name}");
            assert_eq!(kept.unwrap(), data, "{name}");
            let labels = labels.unwrap();
            assert_eq!((labels.draws, labels.observations), (40, 30), "{name}");
            for m in 0..40 {
                let draw = ensemble.draw(m);
                assert!(labels.draw(m).iter().all(|label| (label as usize) < draw.len()), "{name}, draw {m}");
                let mut occupied = labels.draw(m).iter().collect::<Vec<_>>();
                occupied.sort_unstable();
                occupied.dedup();
                let traced = &written["traces"]["clusters"][m / 20][m % 20];
                assert_eq!(traced.as_f64(), Some(occupied.len() as f64), "{name}, draw {m}");
                let covariances = draw.atoms().covariances();
                match covariance {
                    "diagonal" => assert!(covariances.chunks_exact(4).all(|c| c[1] == 0.0 && c[2] == 0.0), "{name}"),
                    "common" => assert!(covariances.chunks_exact(4).all(|c| c == &covariances[..4]), "{name}"),
                    _ => assert!(covariances.chunks_exact(4).any(|c| c[1] != 0.0), "{name}"),
                }
            }
        }
    }
}

#[test]
fn diagnostics_are_printed_and_stored() {
    let place = Workplace::with_draws();
    let run = place.done("fit data.csv -o fitted.npz --iterations 600 --burn-in 200 --thin 4 --alpha gamma(2,2)");
    let document: serde_json::Value = serde_json::from_str(&place.read("fitted.fit.json")).unwrap();
    assert!(run.stdout.ends_with("written to     fitted.npz; diagnostics in fitted.fit.json\n"), "{}", run.stdout);
    // The name that a summary of these draws is likely to get is free.
    place.done("summarize fitted.npz --slices 20 -o fitted.json");
    let names = [
        "distance to estimate",
        "atoms of at least 1 %",
        "largest weight",
        "mean log determinant",
        "log posterior",
        "clusters",
        "largest cluster",
        "concentration",
    ];
    let rows = document["agreement"]["traces"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
    for (name, row) in names.iter().zip(rows) {
        let row = &row["convergence"];
        let rhat = row["rhat"].as_f64().unwrap();
        assert!(run.stdout.contains(name) && run.stdout.contains(&format!("{rhat:.4}")), "{}", run.stdout);
        assert!(row["bulk_ess"].as_f64().unwrap() > 0.0 && row["tail_ess"].as_f64().unwrap() > 0.0);
    }
    let verdict = document["verdict"].as_str().unwrap();
    assert!(run.stdout.contains(&format!("\nverdict        {verdict}\n")), "{}", run.stdout);
    assert!(run.stdout.starts_with(document["model_text"].as_str().unwrap()), "{}", run.stdout);
    for trace in ["log_posterior", "clusters", "largest_cluster", "concentration", "distance_to_estimate"] {
        let place = if trace == "distance_to_estimate" { &document } else { &document["traces"] };
        let chains = place[trace].as_array().unwrap();
        assert_eq!(chains.iter().map(|chain| chain.as_array().unwrap().len()).collect::<Vec<_>>(), [100; 4], "{trace}");
    }
    // What is fitted can be summarised as it is.
    assert_eq!(place.json("summarize fitted.npz --slices 20")["labels"].as_array().unwrap().len(), 30);
}

#[test]
fn every_option_of_the_model_is_in_the_paragraph_about_it() {
    let place = Workplace::with_draws();
    for (i, (options, paragraph)) in [
        ("", "mixing prior: Dirichlet process, alpha 1\ntruncation: 28 sticks\ncomponent: normal, (mu, Sigma) ~ NIW"),
        ("--alpha 2.5", "Dirichlet process, alpha 2.5"),
        ("--alpha gamma(2,4)", "alpha ~ Gamma(shape 2, rate 4)"),
        ("--discount 0.25 --algorithm slice", "Pitman-Yor process, discount 0.25, alpha 1\n"),
        ("--discount 0.25 --algorithm blocked --truncation 50", "discount 0.25, alpha 1\ntruncation: 50 sticks"),
        ("--discount 0.25 --algorithm marginal --alpha -0.1", "discount 0.25, alpha -0.1\n"),
        ("--components 4 --alpha 0.1", "symmetric Dirichlet on 4 components, alpha 0.1\n"),
        ("--truncation 17", "truncation: 17 sticks"),
        ("--truncation auto --alpha 3", "truncation: 66 sticks"),
        ("--mu0 -1,2.5", "mu0: -1, 2.5\n"),
        ("--lambda 0.5", "lambda: 0.5\n"),
        ("--nu 7.5", "nu: 7.5\n"),
        ("--psi 4,36", "Psi: diag(4, 36)"),
        ("--psi 4,1;1,36", "Psi: [4, 1; 1, 36]"),
        ("--covariance diagonal", "diagonal Sigma"),
        ("--covariance common", "one Sigma ~ IW(nu, Psi)"),
    ]
    .into_iter()
    .enumerate()
    {
        let line = format!("fit data.csv -o {i}.npz --chains 1 --iterations 12 --burn-in 4 {options}");
        let document = place.json(&line);
        assert!(document["model_text"].as_str().unwrap().contains(paragraph), "{options}: {}", document["model_text"]);
        let draws = draws_of(&place, &format!("{i}.npz")).ensemble;
        if let Some(sticks) = options.split_once("--truncation ").and_then(|(_, k)| k.parse::<usize>().ok()) {
            assert!((0..draws.len()).all(|m| draws.draw(m).len() == sticks), "{options}");
        }
    }
}

#[test]
fn draws_depend_on_the_seed_and_not_on_threads() {
    let place = Workplace::with_draws();
    let fit = |name: &str, options: &str| {
        place.done(&format!("fit data.csv -o {name}.npz --chains 3 --iterations 90 --burn-in 30 --thin 3 {options}"));
        (bytes_of(&place, &format!("{name}.npz")), place.read(&format!("{name}.fit.json")))
    };
    for algorithm in ALGORITHMS {
        let one = fit(&format!("{algorithm}-1"), &format!("--algorithm {algorithm} --seed 4 --threads 1"));
        let two = fit(&format!("{algorithm}-2"), &format!("--algorithm {algorithm} --seed 4 --threads 2"));
        assert!(one == two, "{algorithm}");
        let other = fit(&format!("{algorithm}-3"), &format!("--algorithm {algorithm} --seed 5"));
        assert!(one.0 != other.0, "{algorithm}");
        let draws = draws_of(&place, &format!("{algorithm}-1.npz")).ensemble;
        assert!((1..3).all(|chain| draws.draw(20 * chain).atoms().means() != draws.draw(0).atoms().means()));
    }
}

/// The rows of a file, the options, and what the message must say.
const BAD_DATA: &[(&str, &str, &[&str])] = &[
    ("x,y\n1,5\n2,5\n3,5\n", "", &["bad.csv: column 1 of the data is constant: 5 in all 3 rows", "column 1 is 'y'"]),
    ("1,5\n2,5\n", "", &["bad.csv: column 1 of the data is constant: 5 in all 2 rows", "hint: drop the column"]),
    ("x,y,z\n1,2,3\n4,5,7\n", "", &["bad.csv: 2 rows of 3 columns are too few to choose Ψ", "give psi"]),
    ("x,y,z\n1,2,3\n", "--covariance diagonal", &["bad.csv: 1 rows of 3 columns are too few"]),
    ("x,y\n1,2\n3,NA\n", "", &["bad.csv:3: column 'y' is 'NA', expected a number, this value is missing", "impute"]),
    ("x,y\n1,2\n,4\n", "", &["bad.csv:3: column 'x' is empty, expected a number, this value is missing"]),
    ("1,2\n3,nan\n", "", &["bad.csv:2: column 1 (counted from 0) is 'nan', expected a number, this value is missing"]),
    ("x,kind\n1,a\n2,b\n", "", &["bad.csv:2: column 'kind' is 'a', expected a number", "leave the column out"]),
    ("1,2\n3,4\n5,six\n", "", &["bad.csv:3: column 1 (counted from 0) is 'six', expected a number"]),
    ("x,y\n1,2\n3,4\n-inf,4\n", "", &["bad.csv:4: column 'x' is '-inf', expected a finite number"]),
    ("x,y\n1,2\n3,1e999\n", "", &["bad.csv:3: column 'y' is '1e999', expected a finite number"]),
    ("x,y\n1,2\n3\n", "", &["bad.csv:3: has 1 field, expected 2"]),
    ("x,y\n1,1e200\n2,-1e200\n", "", &["bad.csv: column 1 runs from", "column 1 is 'y'; choose another unit"]),
    ("x,y\n", "", &["bad.csv: "]),
];

#[test]
fn bad_data_are_named_by_row_and_column() {
    let place = Workplace::new();
    for (text, options, expected) in BAD_DATA {
        place.write("bad.csv", text);
        let run = place.run(&format!("fit bad.csv -o draws.npz {options}"));
        assert_eq!(run.code, Some(1), "{text}: {}", run.stderr);
        assert!(expected.iter().all(|part| run.stderr.contains(part)), "{text}: {}", run.stderr);
        assert!(run.stdout.is_empty());
        assert_eq!(place.files(), ["bad.csv"]);
    }
    // With a scale of one's own, a constant column and few rows are a model like any other.
    for (name, text) in [("few", "x,y\n1,5\n"), ("constant", "x,y\n1,5\n2,5\n4,5\n")] {
        place.write(&format!("{name}.csv"), text);
        place.done(&format!("fit {name}.csv -o {name}.npz --psi 1,1 --iterations 20 --burn-in 10 --chains 1"));
    }
}

/// Options, and what the message must say; all are found before anything is computed.
const BAD_OPTIONS: &[(&str, &[&str])] = &[
    ("--algorithm gibbs", &["invalid value 'gibbs'", "blocked, slice, marginal"]),
    ("--covariance round", &["invalid value 'round'", "full, diagonal, common"]),
    ("--alpha 0", &["concentration is 0, must be above 0"]),
    ("--alpha gamma(1)", &["--alpha is 'gamma(1)', must be a number or gamma(a,b)"]),
    ("--discount 1", &["discount is 1, must be at least 0 and below 1"]),
    ("--discount 0.1 --components 3", &["cannot be used with"]),
    ("--components 0", &["at least 1 component"]),
    ("--mu0 1", &["mu0 has 1 numbers, the data have 2 columns"]),
    ("--mu0 1,two", &["--mu0 is '1,two', must be numbers separated by commas"]),
    ("--lambda -1", &["error: lambda is -1.0, must be between"]),
    ("--psi 1,2,3", &["psi has 3 numbers, the data have 2 columns"]),
    ("--psi 1,2;3", &["--psi is '1,2;3', its rows do not make a square matrix"]),
    ("--psi 1,2;2,1", &["error: psi is not positive definite"]),
    ("--psi 1,0.5;0,1", &["psi is not symmetric: entry (1, 0) is 0, entry (0, 1) is 0.5"]),
    ("--nu 1", &["nu is 1, must be above 1 in dimension 2"]),
    ("--truncation few", &["--truncation is 'few', must be 'auto' or a number of sticks"]),
    ("--truncation 0", &["truncation is 0, must be at least 1 stick"]),
    ("--discount 0.9", &["more than 10000 sticks", "hint: use the slice or the marginal sampler"]),
    ("--chains 0", &["0 chains, must be 1 to 10000"]),
    ("--thin 0", &["thin is 0, must be at least 1"]),
    (
        "--iterations 1000 --burn-in 1000",
        &["no draw would be kept", "burn-in counts as part of the iterations: give more of them, or --burn-in 250"],
    ),
    ("--checkpoint a --resume b", &["cannot be used with"]),
    ("--checkpoint a --checkpoint-every 0", &["every 0 iterations, must be at least 1"]),
    ("--resume nowhere", &["nowhere: there is no run to resume", "hint:"]),
];

#[test]
fn options_that_make_no_sense_are_refused() {
    let place = Workplace::with_draws();
    let before = place.files();
    for (options, expected) in BAD_OPTIONS {
        let run = place.run(&format!("fit data.csv -o fitted.npz {options}"));
        assert_eq!(run.code, Some(2), "{options}: {}", run.stderr);
        assert!(expected.iter().all(|part| run.stderr.contains(part)), "{options}: {}", run.stderr);
        assert_eq!(place.files(), before, "{options}");
    }
    let run = place.run("fit data.csv -o draws.npz");
    assert_eq!((run.code, run.stderr.contains("draws.npz: exists already")), (Some(2), true), "{}", run.stderr);
    let run = place.run("fit data.csv -o fitted.csv");
    assert_eq!((run.code, run.stderr.contains("go to an .npz file")), (Some(2), true), "{}", run.stderr);
}

/// A run that is over runs on, from its file of draws or from its checkpoints, and gives what a longer run gives, to the last bit.
#[test]
fn a_run_can_be_made_longer() {
    let place = Workplace::with_draws();
    let options = "--chains 2 --burn-in 20 --thin 2 --alpha gamma(2,2)";
    place.done(&format!("fit data.csv -o whole.npz --iterations 100 {options}"));
    place.done(&format!("fit data.csv -o short.npz --iterations 60 {options} --checkpoint saved"));
    let again = place.run("fit --resume short.npz -o longer.npz");
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(
        again.stderr.contains("has 60 iterations") && again.stderr.contains("--iterations 120"),
        "{}",
        again.stderr
    );
    let changed = place.run("fit --resume short.npz --iterations 100 --alpha 2 -o longer.npz");
    assert!(changed.stderr.contains("leave out --alpha"), "{}", changed.stderr);
    place.done("fit --resume short.npz --iterations 100 -o longer.npz");
    place.done(&format!("fit data.csv --resume saved --iterations 100 {options} -o resumed.npz"));
    for name in ["longer", "resumed"] {
        assert!(bytes_of(&place, &format!("{name}.npz")) == bytes_of(&place, "whole.npz"), "{name}");
        assert_eq!(place.read(&format!("{name}.fit.json")), place.read("whole.fit.json"), "{name}");
    }
    let fewer = place.run("fit --resume longer.npz --iterations 80 -o fewer.npz");
    assert!(fewer.stderr.contains("each chain has 40 draws already"), "{}", fewer.stderr);
    std::fs::remove_file(place.path("short.fit.json")).unwrap();
    let alone = place.run("fit --resume short.npz --iterations 100 -o alone.npz");
    assert!(alone.stderr.contains("writes it beside the draws"), "{}", alone.stderr);
}

#[test]
fn columns_are_chosen_by_name_or_number() {
    let place = Workplace::new();
    place.write("named.csv", "x,kind,y\n1,a,2\n2,b,1\n4,c,3\n5,d,7\n");
    place.write("plain.csv", "1,9,2\n2,8,1\n4,7,3\n5,6,7\n");
    for (line, names) in [("named.csv --columns y,x", Some(["y", "x"])), ("plain.csv --columns 2,0", None)] {
        place.done(&format!("fit {line} -o chosen.npz --force --chains 1 --iterations 20 --burn-in 10"));
        let data = draws_of(&place, "chosen.npz").data.unwrap();
        assert_eq!(data.values(), [2.0, 1.0, 1.0, 2.0, 3.0, 4.0, 7.0, 5.0], "{line}");
        assert_eq!(data.column_names().map(<[String]>::to_vec), names.map(|names| names.map(String::from).to_vec()));
    }
    for (line, expected) in [
        ("named.csv --columns z", "the columns are x, kind, y"),
        ("plain.csv --columns 3", "counted from 0 to 2"),
        ("named.csv --columns x,x", "column 'x' is wanted twice"),
        ("named.csv", "choose the others with --columns"),
    ] {
        let run = place.run(&format!("fit {line} -o other.npz"));
        assert!(run.code != Some(0) && run.stderr.contains(expected), "{line}: {}", run.stderr);
    }
}

#[test]
fn semicolons_and_tabs_are_recognised() {
    let place = Workplace::new();
    place.write("commas.csv", "x,y\n1,2\n2,1\n4,3\n");
    let fit = |file: &str| {
        let name = file.replace(".csv", ".npz");
        place.done(&format!("fit {file} -o {name} --chains 1 --iterations 20 --burn-in 10"));
        draws_of(&place, &name)
    };
    let expected = fit("commas.csv");
    for (file, separator) in [("semicolons.csv", ";"), ("tabs.csv", "\t")] {
        place.write(file, &place.read("commas.csv").replace(',', separator));
        assert!(fit(file) == expected, "{file}");
    }
    place.write("decimal.csv", "x;y\n1,5;2\n");
    let run = place.run("fit decimal.csv -o decimal.npz");
    assert!(run.stderr.contains("decimal point"), "{}", run.stderr);
}
