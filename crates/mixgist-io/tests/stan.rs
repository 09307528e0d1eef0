//! The output of CmdStan, in the layout of its guide: settings in comments, columns in column-major order.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use mixgist::{CovarianceForm, Result};
use mixgist_io::*;

const SETTINGS: &str = "# stan_version_major = 2\n# model = mixture_model\n# method = sample (Default)\n#   sample\n\
    #     num_samples = 2\n#     num_warmup = 3\n#     save_warmup = SAVE\n#     thin = 1 (Default)\n";
const ADAPTATION: &str =
    "# Adaptation terminated\n# Step size = 0.5, \"quoted\n# Diagonal elements of inverse mass matrix:\n# 0.1, 0.2\n";

fn options(form: CovarianceForm) -> ReadOptions {
    let variables =
        Variables { weights: "theta".into(), means: "mu".into(), covariances: "Sigma".into(), labels: None };
    ReadOptions { format: Some(Format::StanCsv), covariance_form: form, variables, ..ReadOptions::default() }
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn read(text: &str, form: CovarianceForm) -> Result<DrawsFile> {
    let folder = tempfile::tempdir().unwrap();
    read_draws(&[file(folder.path(), "output.csv", text)], &options(form))
}

/// K = 2, d = 2; arrays of matrices come column-major over all three indices, as CmdStan writes them.
fn plane(row: impl Fn(u32) -> u32, settings: &str, warmup: bool) -> String {
    let mut text = settings.to_owned();
    text.push_str("lp__,accept_stat__,theta.1,theta.2,mu.1.1,mu.2.1,mu.1.2,mu.2.2");
    for j in 1..=2 {
        for i in 1..=2 {
            for k in 1..=2 {
                write!(text, ",Sigma.{k}.{i}.{j}").unwrap();
            }
        }
    }
    text.push('\n');
    let numbers = |m: u32| {
        let x = row(m);
        // Σ_1 = [[2, 0.5], [0.5, 3]], Σ_2 = [[4, 1], [1, 5]]; entry (1, 2) of both before entry (2, 2).
        format!("-7.5,0.9,0.25,0.75,{x}.11,{x}.21,{x}.12,{x}.22,2,4,0.5,1,0.5,1,3,5\n")
    };
    if warmup {
        (0..3).for_each(|_| text.push_str(&numbers(9)));
    }
    text.push_str(ADAPTATION);
    (0..2).for_each(|m| text.push_str(&numbers(m)));
    text.push_str("# \n#  Elapsed Time: 0.001 seconds (Warm-up)\n#                0 seconds (Sampling)\n# \n");
    text
}

/// Chains are judged by the log posterior, which Stan calls lp__; archives keep it.
#[test]
fn the_log_posterior_comes_along() {
    let text = plane(|m| m, &SETTINGS.replace("SAVE", "0"), false);
    let draws = read(&text, CovarianceForm::Covariance).unwrap();
    let told = |draws: &DrawsFile| {
        draws.ensemble.traces().iter().map(|t| (t.name.to_string(), t.values.clone())).collect::<Vec<_>>()
    };
    assert_eq!(told(&draws), [("log posterior".to_owned(), vec![-7.5, -7.5])]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draws.npz");
    write_draws(&path, &draws, None, Overwrite::Refuse).unwrap();
    assert_eq!(told(&read_draws(&[path], &ReadOptions::default()).unwrap()), told(&draws));
    // Without it, or where it is not finite, the draws are read all the same.
    let infinite = read(&text.replace("-7.5", "-inf"), CovarianceForm::Covariance).unwrap();
    assert!(infinite.ensemble.traces().is_empty());
}

fn assert_plane(draws: &DrawsFile) {
    assert_eq!((draws.ensemble.len(), draws.ensemble.dim()), (2, 2));
    assert_eq!(draws.ensemble.weights(), [0.25, 0.75, 0.25, 0.75]);
    assert_eq!(draws.ensemble.atoms().means(), [0.11, 0.12, 0.21, 0.22, 1.11, 1.12, 1.21, 1.22]);
    assert_eq!(&draws.ensemble.atoms().covariances()[..8], [2.0, 0.5, 0.5, 3.0, 4.0, 1.0, 1.0, 5.0]);
    assert_eq!(draws.ensemble.iterations(), [0, 1]);
}

#[test]
fn matrices_are_column_major_and_comments_are_anywhere() {
    assert_plane(
        &read(&plane(|m| m, &SETTINGS.replace("SAVE", "0 (Default)"), false), CovarianceForm::Covariance).unwrap(),
    );
}

#[test]
fn saved_warm_up_is_left_out() {
    for (settings, why) in [
        (SETTINGS.replace("SAVE", "1"), "as older versions write it"),
        (SETTINGS.replace("SAVE", "true"), "as newer versions write it"),
        (String::new(), "by the comment in the middle alone"),
    ] {
        assert_plane(&read(&plane(|m| m, &settings, true), CovarianceForm::Covariance).expect(why));
    }
    let only_warmup = plane(|m| m, &SETTINGS.replace("SAVE", "1").replace("= 3", "= 30"), true);
    let error = read(&only_warmup, CovarianceForm::Covariance).unwrap_err().to_string();
    assert!(error.ends_with("has no draws (rows: 5, of which warm-up: 5)"), "{error}");
}

#[test]
fn several_files_are_several_chains() {
    let folder = tempfile::tempdir().unwrap();
    let settings = SETTINGS.replace("SAVE", "false");
    let first = file(folder.path(), "output_1.csv", &plane(|m| m, &settings, false));
    let second = file(folder.path(), "output_2.csv", &plane(|m| 5 + m, &settings, false));
    let ensemble = read_draws(&[first, second], &options(CovarianceForm::Covariance)).unwrap().ensemble;
    assert_eq!(ensemble.chains(), [0, 0, 1, 1]);
    assert_eq!(ensemble.iterations(), [0, 1, 0, 1]);
    assert_eq!(ensemble.atoms().means()[8], 5.11);
}

#[test]
fn covariances_may_be_scalars_shared_or_in_other_forms() {
    use CovarianceForm::*;
    let line = "lp__,theta.1,theta.2,mu.1,mu.2";
    let plane = "lp__,theta.1,theta.2,mu.1.1,mu.1.2,mu.2.1,mu.2.2";
    for (start, names, form, row, expected) in [
        (line, "Sigma.1,Sigma.2", StandardDeviation, "2,3", &[4.0, 9.0][..]),
        (line, "Sigma", StandardDeviation, "2", &[4.0, 4.0]),
        (line, "Sigma.1,Sigma.2", Covariance, "2,3", &[2.0, 3.0]),
        (line, "Sigma.1.1.1,Sigma.2.1.1", Covariance, "2,3", &[2.0, 3.0]),
        (line, "Sigma", Precision, "4", &[0.25, 0.25]),
        (line, "Sigma[1],Sigma[2]", Spherical, "2,3", &[2.0, 3.0]),
        (
            plane,
            "Sigma.1.1,Sigma.2.1,Sigma.1.2,Sigma.2.2",
            Covariance,
            "2,1,1,3",
            &[2.0, 1.0, 1.0, 3.0, 2.0, 1.0, 1.0, 3.0],
        ),
        (plane, "Sigma.1,Sigma.2", Spherical, "2,3", &[2.0, 0.0, 0.0, 2.0, 3.0, 0.0, 0.0, 3.0]),
        (plane, "Sigma.1,Sigma.2", Diagonal, "2,3", &[2.0, 0.0, 0.0, 3.0, 2.0, 0.0, 0.0, 3.0]),
        (
            plane,
            "Sigma.1.1,Sigma.2.1,Sigma.1.2,Sigma.2.2",
            Diagonal,
            "2,3,4,5",
            &[2.0, 0.0, 0.0, 4.0, 3.0, 0.0, 0.0, 5.0],
        ),
        (
            plane,
            "Sigma.1.1,Sigma.2.1,Sigma.1.2,Sigma.2.2",
            Cholesky,
            "2,1,0,3",
            &[4.0, 2.0, 2.0, 10.0, 4.0, 2.0, 2.0, 10.0],
        ),
    ] {
        let means = if start == line { "1,2" } else { "1,2,3,4" };
        let text = format!("{start},{names}\n-1,0.5,0.5,{means},{row}\n");
        let draws = read(&text, form).unwrap_or_else(|error| panic!("{names} {form:?}: {error}"));
        assert_eq!(draws.ensemble.atoms().covariances(), expected, "{names} {form:?}");
    }
}

#[test]
fn labels_and_the_mean_of_a_variational_fit() {
    let text = "# method = variational\nlp__,theta.1,mu.1,Sigma,z.1,z.2\n0,1,5,1,0,0\n0,1,6,1,3,1\n0,1,7,1,2,2\n";
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(CovarianceForm::Covariance);
    options.variables.labels = Some("z".into());
    let draws = read_draws(&[file(folder.path(), "output.csv", text)], &options).unwrap();
    assert_eq!(draws.ensemble.atoms().means(), [6.0, 7.0]);
    assert_eq!(draws.labels.unwrap().labels, [3, 1, 2, 2]);
}

#[test]
fn what_does_not_make_a_mixture_is_named() {
    use CovarianceForm::*;
    let header = "lp__,theta.1,theta.2,mu.1,mu.2,Sigma.1,Sigma.2";
    for (text, form, expected) in [
        ("lp__,theta.1,mu.1\n", Covariance, "output.csv:1: has no variable 'Sigma'"),
        ("lp__,theta,mu.1,Sigma.1\n", Covariance, "variable 'theta' has shape (), expected (K,), one weight an atom"),
        (
            "lp__,theta.1,theta.3,mu.1,Sigma.1\n",
            Covariance,
            "variable 'theta' has 2 columns, not all up to its largest indices (3,): theta[2] is missing",
        ),
        ("lp__,theta.0,theta.2,mu.1,Sigma.1\n", Covariance, "largest indices (2,): theta[1] is missing"),
        ("lp__,theta.1,theta.1,mu.1,Sigma.1\n", Covariance, "two columns are called 'theta.1'"),
        ("lp__,theta.99999999999,theta.1,mu.1,Sigma.1\n", Covariance, "variable 'theta' has 2 columns"),
        (
            "theta.1,theta.2,mu.1.1,mu.1.2,mu.2.1,mu.2.2,mu.3.1,mu.3.2,Sigma\n",
            Spherical,
            "variable 'mu' has shape (3, 2), expected (2, d)",
        ),
        (
            "theta.1,theta.2,mu.1.1,mu.1.2,mu.1.3,mu.2.1,mu.2.2,mu.2.3,Sigma.1,Sigma.2,Sigma.3\n",
            Covariance,
            "in the form 'covariance'",
        ),
        (&format!("{header}\n1,2,3\n"), Covariance, "output.csv:2: has 3 fields, expected 7"),
        (
            &format!("{header}\n-1,0.5,0.5,1,2,x,1\n"),
            Covariance,
            "output.csv:2: column 'Sigma.1' is 'x', expected a number",
        ),
        (
            &format!("{header}\n# note\n-1,0.5,0.5,1,nan,1,1\n"),
            Covariance,
            "output.csv:3: draw 0, atom 1: coordinate 0 of the mean is NaN",
        ),
        (
            &format!("{header}\n-1,0.5,0.5,1,2,1,-1\n"),
            StandardDeviation,
            "output.csv:2: draw 0, atom 1: standard deviation is -1",
        ),
        (&format!("{header}\n"), Covariance, "has no draws (rows: 0, of which warm-up: 0)"),
        ("# only comments\n", Covariance, "has no header line"),
    ] {
        let error = read(text, form).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}

/// Draws of the R package posterior, or a table of one's own, come with their chains.
#[test]
fn chains_iterations_and_weights_are_kept() {
    for dot in [".", ""] {
        let text = format!(
            "{dot}chain,{dot}iteration,{dot}log_weight,theta.1,mu.1,Sigma\n1,7,-1000,1,5,1\n1,8,-1000,1,6,1\n2,7,-999,1,7,1\n"
        );
        let ensemble = read(&text, CovarianceForm::Covariance).unwrap().ensemble;
        assert_eq!((ensemble.chains(), ensemble.iterations()), (&[1, 1, 2][..], &[7, 8, 7][..]));
        let weights = ensemble.draw_weights().unwrap();
        assert!((weights[2] / weights[0] - 1f64.exp()).abs() < 1e-12, "{weights:?}");
    }
    let ensemble =
        read("chain,theta.1,mu.1,Sigma\n1,1,5,1\n2,1,6,1\n1,1,7,1\n", CovarianceForm::Covariance).unwrap().ensemble;
    assert_eq!((ensemble.chains(), ensemble.iterations()), (&[1, 2, 1][..], &[0, 0, 1][..]));
    let error = read(".chain,theta.1,mu.1,Sigma\n1.5,1,5,1\n", CovarianceForm::Covariance).unwrap_err();
    assert!(error.to_string().contains("output.csv:2: chain or iteration is 1.5"), "{error}");
}
