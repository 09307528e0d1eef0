//! PReMiuM: text files STEM_nClusters.txt, _psi, _mu, _Sigma and _z, a line a sweep. The cluster runs fastest in a line; empty clusters have a place; psi need not sum to 1.

use std::path::{Path, PathBuf};

use mixgist::{CovarianceForm, Ensemble, Error, ErrorKind, Labels, Result};

use crate::array::integer;
use crate::delimited::Records;
use crate::draws::{DrawsFile, ReadOptions};
use crate::labels::LabelDraws;
use crate::source::{Budget, shown};

/// The files that belong together, from one of them.
pub(crate) fn sibling(path: &Path, name: &str) -> Option<PathBuf> {
    let stem = path.file_name()?.to_str()?.strip_suffix("_psi.txt")?;
    Some(path.with_file_name(format!("{stem}_{name}.txt")))
}

fn lines(path: &Path, options: &ReadOptions, budget: &mut Budget) -> Result<Vec<Vec<f64>>> {
    let mut records = Records::open(path, options)?;
    let mut all = Vec::new();
    while let Some(record) = records.next_record()? {
        let parse = |word: &str| {
            let bad = || Error::input(format!("'{}' is not a number", shown(word))).at_line(record.line).in_file(path);
            word.parse::<f64>().map_err(|_| bad().hint("was the run stopped before its end?"))
        };
        let numbers = record.fields().flat_map(str::split_whitespace).map(parse).collect::<Result<Vec<f64>>>()?;
        budget.take("the draws", (size_of::<Vec<f64>>() + 8 * numbers.len()) as u64)?;
        all.push(numbers);
    }
    Ok(all)
}

/// Labels, a line a draw, as many in each.
fn labels(lines: &[Vec<f64>], draws: usize) -> Result<LabelDraws> {
    if lines.len() != draws {
        return Err(Error::input(format!("has {} lines, expected {draws} as the weights have", lines.len()))
            .hint("the run did not end, or the files are of different runs"));
    }
    let observations = lines[0].len();
    let mut labels = Labels::new();
    for (line, numbers) in lines.iter().enumerate() {
        let at = |error: Error| error.at_line(line as u64 + 1);
        if numbers.len() != observations {
            return Err(at(Error::input(format!("has {} labels, expected {observations}", numbers.len()))));
        }
        let label = |&x: &f64| integer(x).ok_or_else(|| Error::input(format!("label is {x}, expected an integer")));
        labels.extend(numbers.iter().map(label).collect::<Result<Vec<i64>>>().map_err(at)?);
    }
    Ok(LabelDraws { draws, observations, labels })
}

pub(crate) fn read_draws(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    let mut budget = Budget::new(options);
    let beside = |name| {
        sibling(path, name).ok_or_else(|| {
            Error::usage("is not called STEM_psi.txt")
                .hint("give the file of weights; its neighbours are found by their names")
        })
    };
    let mut read = |name| {
        let path = beside(name)?;
        if path.is_file() {
            return lines(&path, options, &mut budget).map_err(|error| error.in_file(&path));
        }
        Err(Error::new(ErrorKind::Io, "does not exist")
            .in_file(&path)
            .hint("run profRegr() with xModel = \"Normal\" and keep its files"))
    };
    let (sizes, psi, mu, sigma) = (read("nClusters")?, read("psi")?, read("mu")?, read("Sigma")?);
    let counts = [sizes.len(), psi.len(), mu.len(), sigma.len()];
    if counts.iter().any(|&count| count != counts[0]) || counts[0] == 0 {
        let [a, b, c, d] = counts;
        let message =
            format!("nClusters, psi, mu and Sigma have {a}, {b}, {c} and {d} lines, expected as many in each");
        return Err(Error::input(message).hint("the run did not end, or the files are of different runs"));
    }
    // The run may have kept no labels.
    let z = if beside("z")?.is_file() { Some(read("z")?) } else { None };
    let labels = z.map(|z| labels(&z, counts[0])).transpose().map_err(|error: Error| match beside("z") {
        Ok(path) => error.in_file(&path),
        Err(_) => error,
    })?;
    let size =
        |m: usize| sizes[m].first().copied().filter(|k| *k >= 1.0 && k.fract() == 0.0 && *k < 1e9).map(|k| k as usize);
    let wrong = |m: usize, name: &str, found: usize, expected: String| {
        let error = Error::input(format!("numbers: {found}, expected {expected}")).at_line(m as u64 + 1);
        let error = error.hint("was the run stopped before its end, or are the files of different runs?");
        sibling(path, name).map_or(error.clone(), |path| error.in_file(&path))
    };
    let no_size = |m: usize| wrong(m, "nClusters", sizes[m].len(), "one, the number of clusters".into());
    let first = size(0).ok_or_else(|| no_size(0))?;
    let (d, per_atom) = (mu[0].len() / first, sigma[0].len() / first);
    if d == 0 || mu[0].len() % first != 0 {
        return Err(wrong(0, "mu", mu[0].len(), format!("d for each of {first} clusters")));
    }
    if per_atom != d && per_atom != d * d {
        return Err(wrong(0, "Sigma", sigma[0].len(), format!("{0} or {0} × {0} for each of {first} clusters", d)));
    }
    let (mut offsets, mut weights, mut means, mut shapes) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for m in 0..counts[0] {
        let k = size(m).ok_or_else(|| no_size(m))?;
        for (name, found, each) in [("mu", &mu[m], d), ("Sigma", &sigma[m], per_atom)] {
            if found.len() != k * each {
                return Err(wrong(m, name, found.len(), format!("{each} for each of {k} clusters")));
            }
        }
        if psi[m].len() < k {
            return Err(wrong(m, "psi", psi[m].len(), format!("one for each of {k} clusters")));
        }
        let sum: f64 = psi[m][..k].iter().sum();
        weights.extend(psi[m][..k].iter().map(|weight| weight / sum));
        for atom in 0..k {
            means.extend((0..d).map(|j| mu[m][j * k + atom]));
            shapes.extend((0..per_atom).map(|j| sigma[m][j * k + atom]));
        }
        offsets.push(weights.len());
    }
    Budget::new(options).fits_covariances(d, weights.len())?;
    let form = if per_atom == d * d { CovarianceForm::Covariance } else { CovarianceForm::Diagonal };
    let ensemble = Ensemble::builder(d)
        .offsets(&offsets)
        .weights(&weights)
        .means(&means)
        .covariances(&shapes)
        .form(form)
        .build()?;
    Ok(DrawsFile { ensemble, labels, data: None })
}
