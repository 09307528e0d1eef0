//! Which variables of a file make the mixture: proposed from names, shapes and the first draw; what is ambiguous is asked, not guessed.

use std::path::{Path, PathBuf};

use mixgist::text::{Text, option};
use mixgist::{Error, Result, text};

use crate::draws::{ReadOptions, with_directories};
use crate::format::{Format, is_store};
use crate::formats::{read_netcdf, wide, zarr};
use crate::source::shown;
use crate::variables::Variable;

/// The variables of a file, and what they may be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Proposal {
    /// The format of the file.
    pub format: Format,
    /// Whether its extension says so.
    pub by_extension: bool,
    /// All variables that have draws.
    pub variables: Vec<Variable>,
    /// What is wrong with columns of a table that do not make a whole variable.
    pub incomplete: Vec<String>,
    /// Names of those that may be the weights; a single one is proposed.
    pub weights: Vec<String>,
    /// Names of those that may be the means.
    pub means: Vec<String>,
    /// Names of those that may be the means, but for their indices: the second is that of the atom, the first should be.
    pub exchanged: Vec<String>,
    /// Names of those that may be the covariances.
    pub covariances: Vec<String>,
    /// Forms that the covariances may have, as the option names them.
    pub forms: Vec<&'static str>,
}

const WEIGHTS: &[&str] =
    &["weights", "weight", "w", "pi", "theta", "eta", "p", "probs", "prob", "psi", "π", "lambda", "mix"];
const MEANS: &[&str] = &["means", "mean", "mu", "μ", "locs", "loc", "location", "locations", "mutilde", "centers", "m"];
/// Names of covariances, with the form that they stand for.
const COVARIANCES: &[(&str, &str)] = &[
    ("covariances", "covariance"),
    ("covariance", "covariance"),
    ("cov", "covariance"),
    ("covs", "covariance"),
    ("sigmatilde", "covariance"),
    ("sigma2", "variance"),
    ("sigmasq", "variance"),
    ("s2", "variance"),
    ("s2tilde", "variance"),
    ("var", "variance"),
    ("variance", "variance"),
    ("variances", "variance"),
    ("σ²", "variance"),
    ("sd", "sd"),
    ("sds", "sd"),
    ("sdev", "sd"),
    ("stdev", "sd"),
    ("stddev", "sd"),
    ("sigmas", "sd"),
    ("std", "sd"),
    ("scale", "sd"),
    ("scales", "sd"),
    ("σ", "sd"),
    ("tau", "precision"),
    ("prec", "precision"),
    ("precision", "precision"),
    ("omega", "precision"),
    ("l", "cholesky"),
    ("chol", "cholesky"),
    ("l_sigma", "cholesky"),
    ("cholesky", "cholesky"),
];

/// Reads the variables of a file whose format has variables of any name; `None` for other formats. Of a directory the first file stands for all.
pub fn propose(path: &Path, options: &ReadOptions) -> Result<Option<Proposal>> {
    let files = match Format::choose(options.format, path) {
        Ok(Format::Zarr) => vec![path.to_owned()],
        _ => with_directories(&[path], options)?,
    };
    let path = files.first().map_or(path, PathBuf::as_path);
    let format = match options.format {
        Some(format) => format,
        None if is_store(path) => Format::Zarr,
        None => Format::choose(None, path)?,
    };
    let mut incomplete = Vec::new();
    let mut columns = || {
        wide::contents(path, options).map(|found| {
            incomplete = found.incomplete;
            (found.stan, found.indexed, found.variables)
        })
    };
    let (format, variables) = match format {
        Format::NetCdf => (format, read_netcdf::variables(path, options)),
        Format::Zarr => (format, zarr::variables(path, options)),
        Format::WideCsv | Format::StanCsv => (format, columns().map(|(_, _, variables)| variables)),
        // A long table has its own names; anything with indexed columns is a wide one.
        Format::Csv => match columns() {
            // Data have numbered columns, too, but none that are weights.
            Ok((stan, indexed, variables)) if indexed || variables.iter().any(is_simplex) => {
                (if stan { Format::StanCsv } else { Format::WideCsv }, Ok(variables))
            }
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let variables = variables.map_err(|error: Error| error.in_file(path))?;
    if variables.is_empty() {
        return Err(Error::input("has no variables with draws").in_file(path).hint(
            "a table needs columns such as mu[1], a store or NetCDF file variables with the dimensions chain and draw",
        ));
    }
    let by_extension = Format::choose(None, path).ok() == Some(format);
    Ok(Some(Proposal { by_extension, incomplete, ..Proposal::new(format, variables) }))
}

impl Proposal {
    fn new(format: Format, variables: Vec<Variable>) -> Self {
        let pick = |fits: &dyn Fn(&Variable) -> bool, known: &dyn Fn(&str) -> bool| -> Vec<String> {
            let able: Vec<&Variable> = variables.iter().filter(|variable| fits(variable)).collect();
            let named: Vec<&Variable> = able.iter().copied().filter(|variable| known(&variable.name)).collect();
            (if named.is_empty() { able } else { named }).into_iter().map(|variable| variable.name.clone()).collect()
        };
        let lower = |name: &str| name.to_lowercase();
        let weights = pick(&is_simplex, &|name| WEIGHTS.contains(&lower(name).as_str()));
        let sizes: Vec<usize> = variables.iter().filter(|v| weights.contains(&v.name)).map(|v| v.shape[0]).collect();
        // Means may sum to 1 by chance; their name tells.
        let is_mean = |v: &Variable| MEANS.contains(&lower(&v.name).as_str());
        let free = |v: &Variable| !weights.contains(&v.name) && !is_whole(v) && (is_mean(v) || !is_simplex(v));
        let form = |name: &str| form_of(name);
        let means = pick(
            &|v| free(v) && matches!(v.shape.len(), 1 | 2) && sizes.contains(&v.shape[0]) && form(&v.name).is_none(),
            &|name| MEANS.contains(&lower(name).as_str()),
        );
        let exchanged = pick(
            &|v| {
                let other = matches!(v.shape[..], [d, k] if sizes.contains(&k) && !sizes.contains(&d));
                means.is_empty() && free(v) && other && form(&v.name).is_none()
            },
            &|name| MEANS.contains(&lower(name).as_str()),
        );
        let shapes: Vec<(usize, usize)> = variables
            .iter()
            .filter(|v| means.contains(&v.name))
            .map(|v| (v.shape[0], v.shape.get(1).copied().unwrap_or(1)))
            .collect();
        let covariances = pick(
            &|v| {
                let fits = |&(k, d): &(usize, usize)| {
                    let one = [vec![], vec![d], vec![d, d]];
                    one.iter().any(|one| v.shape == *one || v.shape == [&[k], one.as_slice()].concat())
                };
                (means.len() > 1 || !means.contains(&v.name))
                    && free(v)
                    && shapes.iter().any(fits)
                    && v.first.iter().any(|x| *x > 0.0)
            },
            &|name| form(name).is_some(),
        );
        let forms = Vec::new();
        let found = Proposal {
            format,
            by_extension: true,
            variables,
            incomplete: Vec::new(),
            weights,
            means,
            exchanged,
            covariances,
            forms,
        };
        match found.covariances.as_slice() {
            [name] => Proposal { forms: found.forms_of(name), ..found },
            _ => found,
        }
    }

    /// Forms that this variable may have as covariances, by its shape, name and first draw; none while the means are in doubt.
    pub fn forms_of(&self, name: &str) -> Vec<&'static str> {
        let find = |name: &str| self.variables.iter().find(|variable| variable.name == name);
        match (self.means.as_slice(), find(name)) {
            ([means], Some(variable)) => {
                forms_of(variable, find(means).and_then(|means| means.shape.get(1).copied()).unwrap_or(1))
            }
            _ => Vec::new(),
        }
    }

    /// Whether nothing is left to ask.
    pub fn is_certain(&self) -> bool {
        [&self.weights, &self.means, &self.covariances].iter().all(|found| found.len() == 1) && self.forms.len() == 1
    }
}

/// What the name says about the form; `Sigma` is a covariance, `sigma` a standard deviation.
fn form_of(name: &str) -> Option<&'static str> {
    match name {
        "Sigma" | "Σ" | "S" => Some("covariance"),
        "sigma" => Some("sd"),
        _ => COVARIANCES.iter().find(|(known, _)| *known == name.to_lowercase()).map(|(_, form)| *form),
    }
}

/// What to say, and what helps, where numbers that are standard deviations by the name of their variable are read as variances: in one dimension
/// their shape does not tell.
pub fn deviations_by_name(name: &str, form: &str, dim: usize) -> Option<(Text, Text)> {
    let doubtful = dim == 1 && form == "covariance" && form_of(name) == Some("sd");
    doubtful.then(|| {
        let message =
            format!("variable '{}' is read as variances; by its name it holds standard deviations", shown(name));
        let advice = text![
            "if it does, read it as such: ",
            option("covariance_form", "sd"),
            "; if these are variances, say so: ",
            option("covariance_form", "diagonal")
        ];
        (message.into(), advice)
    })
}

/// Forms that shape, name and the first draw admit.
fn forms_of(variable: &Variable, d: usize) -> Vec<&'static str> {
    let said = form_of(&variable.name);
    // Of d atoms in d dimensions d × d numbers may be those of all atoms, or one matrix: the name tells.
    let by_coordinate = variable.shape.len() == 2 && matches!(said, Some("sd" | "variance"));
    let matrix = variable.shape.ends_with(&[d, d]) && (d > 1 || variable.shape.len() > 1) && !by_coordinate;
    if matrix {
        let one = &variable.first[..(d * d).min(variable.first.len())];
        let upper_is_zero = d > 1 && (0..d).all(|i| (i + 1..d).all(|j| one.get(i * d + j) == Some(&0.0)));
        let lower_is_not = (1..d).any(|i| (0..i).any(|j| one.get(i * d + j).is_some_and(|x| *x != 0.0)));
        return match said {
            Some("cholesky") => vec!["cholesky"],
            _ if upper_is_zero && lower_is_not => vec!["cholesky"],
            Some("precision") => vec!["precision"],
            Some("covariance" | "variance") => vec!["covariance"],
            _ => vec!["covariance", "precision"],
        };
    }
    let spherical = d > 1 && !variable.shape.ends_with(&[d]);
    match said {
        Some("sd") if !spherical => vec!["sd"],
        Some("variance" | "covariance") if spherical => vec!["spherical"],
        Some("variance" | "covariance") => vec!["diagonal"],
        Some("precision") if d == 1 => vec!["precision"],
        _ if spherical => vec!["spherical"],
        _ => vec!["sd", "diagonal"],
    }
}

/// Weights of the first draw: not negative, sum 1.
fn is_simplex(variable: &Variable) -> bool {
    let sum: f64 = variable.first.iter().sum();
    variable.shape.len() == 1
        && !variable.first.is_empty()
        && variable.first.iter().all(|x| *x >= 0.0)
        && (sum - 1.0).abs() < 1e-3
}

/// Labels: whole numbers only, more than a few.
fn is_whole(variable: &Variable) -> bool {
    variable.first.len() > 20 && variable.first.iter().all(|x| x.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, shape: &[usize], first: &[f64]) -> Variable {
        Variable { name: name.into(), shape: shape.into(), first: first.into() }
    }

    #[test]
    fn deviations_that_are_read_as_variances_are_named() {
        let said = |name: &str, form: &str, dim: usize| deviations_by_name(name, form, dim).is_some();
        assert!(said("sigma", "covariance", 1) && said("sd", "covariance", 1) && said("scale", "covariance", 1));
        assert!(!said("sigma", "sd", 1) && !said("sigma", "diagonal", 1) && !said("sigma", "covariance", 2));
        assert!(
            !said("Sigma", "covariance", 1)
                && !said("sigma2", "covariance", 1)
                && !said("covariances", "covariance", 1)
        );
    }

    #[test]
    fn means_that_sum_to_1_by_chance_are_means() {
        let found = vec![
            variable("w", &[2], &[0.4, 0.6]),
            variable("mu", &[2], &[0.0, 1.0]),
            variable("sd", &[2], &[1.0, 2.0]),
        ];
        let found = Proposal::new(Format::WideCsv, found);
        assert!(found.is_certain(), "{found:?}");
        assert_eq!(found.means, ["mu"]);
    }

    #[test]
    fn names_and_shapes_decide_and_doubts_remain() {
        let usual = vec![
            variable("w", &[2], &[0.4, 0.6]),
            variable("mu", &[2, 2], &[1.0, 2.0, 3.0, 4.5]),
            variable("Sigma", &[2, 2, 2], &[1.0, 0.1, 0.1, 1.0, 1.0, 0.0, 0.0, 1.0]),
            variable("alpha", &[], &[0.7]),
        ];
        let found = Proposal::new(Format::WideCsv, usual.clone());
        assert!(found.is_certain(), "{found:?}");
        assert_eq!(
            (found.weights, found.means, found.covariances, found.forms),
            (vec!["w".into()], vec!["mu".into()], vec!["Sigma".into()], vec!["covariance"])
        );
        let mut two = usual;
        two[0].name = "a".into();
        two.push(variable("b", &[2], &[0.5, 0.5]));
        let found = Proposal::new(Format::WideCsv, two.clone());
        assert_eq!(found.weights, ["a", "b"]);
        assert!(!found.is_certain());
        two.pop();
        two.push(variable("scale", &[2, 2], &[1.0, 1.0, 1.0, 1.0]));
        let found = Proposal::new(Format::WideCsv, two);
        assert_eq!(found.covariances, ["Sigma", "scale"]);
        assert_eq!((found.forms_of("Sigma"), found.forms_of("scale")), (vec!["covariance"], vec!["sd"]));
        assert!(found.forms.is_empty());
        // A shape (K,) with a name that says nothing may be standard deviations or variances.
        let line = vec![
            variable("theta", &[2], &[0.4, 0.6]),
            variable("mu", &[2], &[1.0, 2.0]),
            variable("spread", &[2], &[1.0, 2.5]),
        ];
        assert_eq!(Proposal::new(Format::StanCsv, line).forms, ["sd", "diagonal"]);
    }
}
