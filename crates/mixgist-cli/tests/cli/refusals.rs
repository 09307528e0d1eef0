//! Command lines and inputs that cannot work: each with its message, its exit code, and nothing written.

use mixgist::slice::{Array, NamedArrays};

use crate::{Workplace, line_draws};

/// The arguments, the exit code, and what the message must say.
const REFUSALS: &[(&str, i32, &[&str])] = &[
    ("fit exported.csv -o new.npz", 2, &["has a column '.chain': these look like draws, not data", "mixgist inspect"]),
    ("summarize people.csv", 1, &["has no column 'draw'", "if these are data, fit a model to them first: mixgist fit"]),
    ("", 2, &["Usage: mixgist"]),
    ("summarise draws.npz", 2, &["unrecognized subcommand 'summarise'", "summarize"]),
    ("summarize", 2, &["required arguments were not provided", "<DRAWS>"]),
    ("summarize draws.npz --distance swd", 2, &["invalid value 'swd' for '--distance <NAME>'", "smix-w"]),
    ("summarize draws.npz --distance mw", 2, &["invalid value 'mw'"]),
    ("summarize draws.npz --slices 0", 2, &["--slices is '0', must be 'auto' or a number from 1 to"]),
    ("summarize draws.npz --slices many", 2, &["--slices is 'many'"]),
    ("summarize draws.npz --order 0.5", 2, &["order", "0.5", "at least 1"]),
    ("summarize draws.npz --order nan", 2, &["order", "NaN"]),
    ("summarize draws.npz --units feet", 2, &["unknown units 'feet'", "hint: one of: none, sd, whiten"]),
    ("summarize draws.npz --units 1", 2, &["units give 1 numbers for 2 coordinates"]),
    ("summarize draws.npz --units 1,-2", 2, &["units: number 1 is -2, must be positive"]),
    ("summarize draws.npz --prune 2", 2, &["--prune is '2', must be off, rounding or a number from 0 to 1"]),
    ("summarize draws.npz --route sweep", 2, &["route 'sweep' is for order 2 and the power loss", "--route auto"]),
    (
        "credible draws.npz --estimate summry.json",
        1,
        &["summry.json: there is no such file", "summarize … -o summary.json"],
    ),
    ("summarize draws.npz --estimate mean", 2, &["unknown estimate 'mean'", "medoid, free, aligned, or a file"]),
    ("summarize draws.npz --atoms 5", 2, &["--atoms is for the free estimate", "hint: add --estimate free"]),
    ("summarize draws.npz --estimate free --atoms 0", 2, &["--atoms is '0', must be 'auto' or a number from 1 to 200"]),
    ("summarize draws.npz --estimate free --order 1", 2, &["needs order 2, the order is 1", "--estimate medoid"]),
    ("summarize draws.npz --candidate draws.npz", 1, &["draws.npz: holds 24 draws, expected one measure"]),
    ("summarize draws.npz --threads 0", 2, &["invalid value '0' for '--threads <N>'"]),
    ("summarize draws.npz --seed -1", 2, &["unexpected argument '-1' found"]),
    ("summarize draws.npz --thin 0", 2, &["invalid value '0' for '--thin <N>'"]),
    (
        "summarize draws.npz --burn-in 12",
        2,
        &["--burn-in 12 leaves none of 24 draws", "hint: it counts the draws of each chain"],
    ),
    ("summarize missing.npz", 1, &["missing.npz: cannot open: No such file or directory"]),
    ("summarize empty.npz", 1, &["empty.npz: is empty"]),
    (
        "summarize draws.txt",
        2,
        &["draws.txt: extension 'txt' stands for no known format", "hint: name the format with --format"],
    ),
    ("summarize draws.npz --format csv", 1, &["draws.npz:1", "control character"]),
    ("summarize draws.npz --format json", 2, &["draws.npz: holds an answer, not draws"]),
    ("components own.json", 2, &["own.json: holds an answer, not draws", "a summary of them goes with --estimate"]),
    (
        "summarize sw.npz",
        1,
        &["sw.npz: has no array 'weights'; it holds 'sw_theta'", "weights, means and covariances: name"],
    ),
    ("summarize draws.npz line.npz", 1, &["line.npz: means of dimension 1, the first file has dimension 2"]),
    ("summarize draws.npz --data line.csv", 1, &["line.csv: has 1 column, the draws have dimension 2"]),
    ("summarize draws.npz --data words.csv", 1, &["words.csv:2: column 'x' is 'b', expected a number"]),
    ("summarize draws.npz --covariance-form sd", 1, &["draws.npz: ", "covariance"]),
    (
        "summarize draws.npz --directions draws.npz",
        1,
        &["draws.npz: holds none of the arrays sw_theta", "hint: it holds 'chain', 'covariances'"],
    ),
    (
        "credible draws.npz --directions sw.npz",
        1,
        &["sw.npz: directions hold no array 'smix_w_v'", "there are: sw_theta"],
    ),
    ("distance draws.npz --matrix m.npy --directions sw.npz", 1, &["sw.npz: directions hold no array 'smix_w_v'"]),
    (
        "stability draws.npz --distance sw --directions sw.npz",
        1,
        &["sw.npz: array 'sw_theta': direction 1 has length 2"],
    ),
    (
        "summarize draws.npz --directions sw.npz --slices 9",
        2,
        &["'--directions <FILE>'", "cannot be used with", "--slices"],
    ),
    ("credible draws.npz --directions sw.npz --scheme qmc", 2, &["cannot be used with", "--scheme <SCHEME>"]),
    ("summarize draws.npz --threads 1025", 2, &["invalid value '1025' for '--threads <N>'", "1..=1024"]),
    ("summarize draws.npz -o taken.json", 2, &["taken.json: exists already", "hint: --force replaces it"]),
    ("summarize draws.npz -o no/such/summary.json", 2, &["no/such/summary.json: the folder no/such does not exist"]),
    ("summarize draws.npz -o summary.npz", 2, &["summary.npz: --output takes a name that ends in .json"]),
    ("summarize draws.npz --density density.npy", 2, &["density.npy: --density takes a name that ends in .csv"]),
    (
        "summarize draws.npz --data data.csv --labels a.csv --memberships a.csv",
        2,
        &["a.csv: two outputs cannot go to the same file"],
    ),
    (
        "summarize draws.npz --labels labels.csv",
        2,
        &["--labels needs observations, and the file of draws holds none", "--data"],
    ),
    ("summarize draws.npz --memberships p.npy", 2, &["--memberships needs observations"]),
    ("summarize draws.npz --predict data.csv", 2, &["--predict says whom to label, not where", "--labels labels.csv"]),
    (
        "summarize draws.npz --predict line.csv --labels l.csv",
        1,
        &["line.csv: has 1 column, the draws have dimension 2"],
    ),
    ("summarize draws.npz --grid 50", 2, &["--density <FILE>"]),
    ("summarize draws.npz --density d.csv --grid 1", 2, &["invalid value '1' for '--grid <N>'"]),
    ("distance draws.npz", 2, &["a distance is between 2 files, got 1", "--matrix OUT.npy"]),
    ("distance draws.npz draws.npz draws.npz", 2, &["a distance is between 2 files, got 3"]),
    (
        "distance draws.npz draws.npz",
        2,
        &["draws.npz: holds 24 draws, a distance is between single ones", "--draw-a N"],
    ),
    ("distance draws.npz draws.npz --draw-a 0", 2, &["choose one with --draw-b N"]),
    ("distance draws.npz draws.npz --draw-a 24 --draw-b 0", 2, &["--draw-a is 24, the draws count from 0 to 23"]),
    ("distance draws.npz line.npz --draw-a 0 --draw-b 0", 1, &["A has dimension 2, B has dimension 1"]),
    ("distance draws.npz line.npz --draw-a 0 --to-draws", 1, &["A has dimension 2, B has dimension 1"]),
    ("distance draws.npz draws.npz --draw-a 0 --draw-b 1 --slices many", 2, &["--slices is 'many'"]),
    (
        "distance draws.npz draws.npz --draw-a 0 --draw-b 1 --distance mw --slices 9",
        2,
        &["'mw' is exact, --slices has no meaning"],
    ),
    (
        "distance draws.npz draws.npz --draw-a 0 --draw-b 1 --distance mw --order 1",
        2,
        &["'mw' has no order, got --order 1"],
    ),
    (
        "distance draws.npz --matrix m.npy --errors e.npy --distance energy",
        2,
        &["'energy' is exact, it has no standard errors"],
    ),
    ("distance draws.npz --matrix m.csv", 2, &["m.csv: --matrix takes a name that ends in .npy"]),
    ("distance draws.npz --errors e.npy", 2, &["--matrix <FILE>"]),
    ("distance taken.json draws.npz --to-draws", 1, &["taken.json: is a 'other' document, expected 'mixgist.summary'"]),
    (
        "distance draws.npz draws.npz --draw-a 0 --to-draws -o d.npy",
        2,
        &["d.npy: --output takes a name that ends in .csv or .json"],
    ),
    ("inspect", 2, &["<DRAWS>"]),
    ("inspect bad.csv", 1, &["bad.csv", "draw 0, atom 0: weight is -1"]),
    ("inspect singular.csv", 1, &["draw 0, atom 0: covariance is not positive definite (smallest eigenvalue -1"]),
    ("convert draws.npz", 2, &["2 values required"]),
    ("convert draws.npz a.npy", 2, &["a.npy: format 'npy' cannot be written for draws", "npz"]),
    ("convert draws.npz a.nc", 2, &["a.nc: format 'netcdf' cannot be written for draws", "one of: npz, csv, parquet"]),
    ("partition data.csv", 1, &["data.csv:2", "if these are data, fit a model to them first: mixgist fit"]),
    ("convert draws.npz a.csv --to-format stan-csv", 2, &["invalid value 'stan-csv' for '--to-format", "npz, csv"]),
    (
        "convert draws.npz a.txt",
        2,
        &["a.txt: extension 'txt'", "hint: name the format with --to-format, one of: npz, csv"],
    ),
    ("summarize data.csv", 1, &["is no table of draws", "if these are data, fit a model to them first: mixgist fit"]),
    ("plot draws.npz -o a.svg", 2, &["draws.npz: is no summary", "mixgist summarize DRAWS -o summary.json"]),
    ("inspect cr.csv", 1, &["cr.csv:1: has lines that end in CR alone", "hint: save the file with lines that end"]),
    ("summarize draws.npz --units 1e-300,1", 1, &["is too large or too small in these units", "--units"]),
    (
        "credible draws.npz --conformal --estimate own.json",
        2,
        &["own.json: was made from these draws", "hint: leave out --estimate"],
    ),
    ("convert draws.npz a.csv --labels l.csv", 2, &["--labels was given, but the input holds no labels"]),
    ("convert draws.npz draws.npz", 2, &["draws.npz: exists already", "--force"]),
    ("completions tcsh", 2, &["invalid value 'tcsh'", "bash"]),
    ("demo -o no/such/folder", 1, &["no/such/folder: cannot make the folder: No such file or directory"]),
];

#[test]
fn refusals_say_what_and_where_and_write_nothing() {
    let place = Workplace::with_draws();
    place.write_draws("line.npz", line_draws(3));
    place.write("line.csv", "1\n2\n");
    place.write("words.csv", "x,y\nb,1\n");
    place.write("empty.npz", "");
    place.write("draws.txt", "1\n");
    place.write("taken.json", "{\"schema\": \"other\"}");
    place.write("bad.csv", "draw,weight,mean_1,cov_1_1\n0,-1,0,1\n");
    place.write("singular.csv", "draw,weight,mean_1,cov_1_1\n0,1,0,-1\n");
    let mut values = vec![0.0; 12];
    (values[0], values[7]) = (1.0, 2.0);
    let arrays = NamedArrays::from([("sw_theta".to_owned(), Array { shape: vec![2, 6], values })]);
    mixgist_io::write_arrays(&place.path("sw.npz"), &arrays, mixgist_io::Overwrite::Refuse).unwrap();
    place.write("exported.csv", ".chain,w[1],mu[1]\n1,1,0\n1,1,2\n");
    place.write("people.csv", "height,weight\n170,70\n160,60\n");
    place.write("cr.csv", "draw,weight,mean_1,cov_1_1\r0,1,0,1\r");
    place.done("summarize draws.npz --slices 20 -o own.json");
    let before = place.files();
    let mut wrong = Vec::new();
    for (line, code, messages) in REFUSALS {
        let run = place.run(line);
        let missing: Vec<_> = messages.iter().filter(|message| !run.stderr.contains(**message)).collect();
        if run.code != Some(*code) || !missing.is_empty() || !run.stdout.is_empty() || place.files() != before {
            wrong.push(format!(
                "mixgist {line}\nexit {:?}, expected {code}; missing {missing:?}\n{}",
                run.code, run.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(place.read("taken.json"), "{\"schema\": \"other\"}");
}

#[test]
fn force_replaces_what_exists() {
    let place = Workplace::with_draws();
    place.write("summary.json", "old");
    place.write("labels.csv", "old");
    place.done("summarize draws.npz --data data.csv --slices 20 -o summary.json --labels labels.csv --force");
    assert!(place.read("summary.json").starts_with("{\n  \"schema\": \"mixgist.summary\""));
    assert!(place.read("labels.csv").starts_with("label,membership_probability\n"));
}
