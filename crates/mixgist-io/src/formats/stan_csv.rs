//! Stan CSV: the output of CmdStan, of which the user names the variables that make a mixture.

use std::collections::HashMap;
use std::path::Path;

use mixgist::{CovarianceForm, Ensemble, Error, Result, Trace};

use crate::array::{integer, shape_text};
use crate::delimited::{Line, Record, Records};
use crate::draws::{DrawsFile, ReadOptions};
use crate::labels::LabelDraws;
use crate::source::{Budget, shown};

/// The variables of a Stan program that make a mixture of K atoms in dimension d.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StanVariables {
    /// K weights, such as `simplex[K] theta`.
    pub weights: String,
    /// K means, such as `array[K] vector[d] mu`, or `vector[K] mu` in dimension 1.
    pub means: String,
    /// K covariances in the form that is said, such as `array[K] cov_matrix[d] Sigma`, or a single one for all atoms.
    pub covariances: String,
    /// Labels of the observations, such as `array[n] int z`.
    pub labels: Option<String>,
}

impl Default for StanVariables {
    fn default() -> Self {
        StanVariables {
            weights: "weights".into(),
            means: "means".into(),
            covariances: "covariances".into(),
            labels: None,
        }
    }
}

pub(crate) fn read_draws(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    let mut records = Records::open(path, options)?;
    let mut config = Config::default();
    let mut budget = Budget::new(options);
    let mut mixture: Option<Mixture> = None;
    let mut rows = Rows::default();
    let mut seen = 0;
    while let Some(line) = records.next_line()? {
        match (line, &mixture) {
            (Line::Comment(text), _) => {
                // Files without the settings still show where warm-up ends, if it was saved.
                if text.starts_with("Adaptation terminated") && config.save_warmup.is_none() {
                    rows = Rows::default();
                }
                config.read(text);
            }
            (Line::Record(header), None) => {
                let found = Mixture::find(&header, options).map_err(|error| error.at_line(header.line))?;
                mixture = Some(found);
            }
            (Line::Record(record), Some(mixture)) => {
                record.expect(mixture.fields).map_err(|error| error.hint("was the run stopped before its end?"))?;
                seen += 1;
                if seen > config.rows_to_skip() {
                    budget.take("the draws", 8 * mixture.numbers() as u64)?;
                    rows.push(mixture, &record)?;
                }
            }
        }
    }
    let mixture = mixture.ok_or_else(|| Error::input("has no header line"))?;
    if rows.lines.is_empty() {
        return Err(Error::input(format!(
            "has no draws (rows: {seen}, of which warm-up: {})",
            seen.min(config.rows_to_skip())
        )));
    }
    rows.into_draws(&mixture, options.covariance_form)
}

/// What the comments say about the rows; CmdStan and RStan write it in slightly different words.
#[derive(Default)]
struct Config {
    save_warmup: Option<bool>,
    warmup: Option<u64>,
    thin: Option<u64>,
    variational: bool,
}

impl Config {
    fn read(&mut self, comment: &str) {
        let Some((key, value)) = comment.split_once('=') else { return };
        let value = value.split_whitespace().next().unwrap_or("");
        match key.trim() {
            "save_warmup" => self.save_warmup = Some(matches!(value, "1" | "true")),
            "num_warmup" | "warmup" => self.warmup = value.parse().ok(),
            "thin" => self.thin = value.parse().ok(),
            "method" => self.variational = value == "variational",
            _ => {}
        }
    }

    /// Warm-up comes first when it was saved; the first row of a variational fit is its mean, not a draw.
    fn rows_to_skip(&self) -> u64 {
        match (self.save_warmup, self.warmup) {
            _ if self.variational => 1,
            (Some(true), Some(warmup)) => warmup.div_ceil(self.thin.unwrap_or(1).max(1)),
            _ => 0,
        }
    }
}

/// Where the numbers of a draw are.
struct Mixture {
    fields: usize,
    dim: usize,
    weights: Vec<usize>,
    means: Vec<usize>,
    /// The columns of all atoms; those of a shared covariance come again and again.
    covariances: Vec<usize>,
    labels: Option<Vec<usize>>,
    /// Columns that say where a draw comes from, in files that were not written by CmdStan.
    origin: Origin,
}

/// Columns for chain, iteration and weight of a draw, as the R package posterior calls them, or without the dot, and for its log posterior, as Stan calls it.
struct Origin {
    chain: Option<usize>,
    iteration: Option<usize>,
    log_weight: Option<usize>,
    log_posterior: Option<usize>,
}

impl Origin {
    fn find(header: &Record<'_>) -> Self {
        let column = |names: &[&str]| header.fields().position(|field| names.contains(&field));
        Origin {
            chain: column(&[".chain", "chain"]),
            iteration: column(&[".iteration", "iteration"]),
            log_weight: column(&[".log_weight", "log_weight"]),
            log_posterior: column(&["lp__"]),
        }
    }
}

impl Mixture {
    fn find(header: &Record<'_>, options: &ReadOptions) -> Result<Self> {
        let names = &options.stan;
        let weights = Variable::find(header, &names.weights)?;
        let means = Variable::find(header, &names.means)?;
        let covariances = Variable::find(header, &names.covariances)?;
        let &[atoms] = weights.shape.as_slice() else {
            return Err(weights
                .wrong("(K,), one weight an atom")
                .hint("a single mixing proportion must be made a simplex in 'generated quantities'"));
        };
        let dim = match *means.shape.as_slice() {
            [k] if k == atoms => 1,
            [k, d] if k == atoms => d,
            [_, k] if k == atoms => {
                return Err(means
                    .wrong(&format!("({atoms}, d)"))
                    .hint("the first index must be the atom: transpose the matrix"));
            }
            _ => return Err(means.wrong(&format!("({atoms}, d), or ({atoms},) in dimension 1"))),
        };
        let labels = names.labels.as_ref().map(|name| Variable::find(header, name)).transpose()?;
        if let Some(labels) = labels.as_ref().filter(|labels| labels.shape.len() != 1) {
            return Err(labels.wrong("(n,), one label an observation"));
        }
        Ok(Mixture {
            fields: header.len(),
            dim,
            covariances: covariances.for_each_atom(atoms, dim, options.covariance_form)?,
            weights: weights.columns,
            means: means.columns,
            labels: labels.map(|labels| labels.columns),
            origin: Origin::find(header),
        })
    }

    fn numbers(&self) -> usize {
        self.weights.len() + self.means.len() + self.covariances.len() + self.labels.as_ref().map_or(0, Vec::len)
    }
}

/// A variable of the Stan program: its shape and its columns, row-major whatever their order in the file.
struct Variable<'a> {
    name: &'a str,
    shape: Vec<usize>,
    columns: Vec<usize>,
}

impl<'a> Variable<'a> {
    fn find(header: &Record<'_>, name: &'a str) -> Result<Self> {
        let mut entries: HashMap<Vec<usize>, usize> = HashMap::new();
        for (column, field) in header.fields().enumerate() {
            if let Some(indices) = indices_of(field, name)
                && entries.insert(indices, column).is_some()
            {
                return Err(Error::input(format!("two columns are called '{field}'")));
            }
        }
        let shape = entries.keys().fold(Vec::new(), |mut shape: Vec<usize>, indices| {
            shape.resize(shape.len().max(indices.len()), 0);
            indices.iter().zip(&mut shape).for_each(|(index, axis)| *axis = (*axis).max(*index));
            shape
        });
        let known = || {
            let mut known: Vec<&str> =
                header.fields().map(|field| field.split(['.', '[', ':']).next().unwrap_or(field)).collect();
            known.retain(|name| !name.ends_with("__"));
            known.dedup();
            format!("the file has: {}", known[..known.len().min(30)].join(", "))
        };
        if entries.is_empty() {
            return Err(Error::input(format!("has no variable '{name}'")).hint(known()));
        }
        let size = shape.iter().try_fold(1usize, |size, &axis| size.checked_mul(axis));
        if size != Some(entries.len()) {
            return Err(Error::input(format!(
                "variable '{name}' has {} columns, expected as many as its largest indices {} make",
                entries.len(),
                shape_text(&shape)
            )));
        }
        let mut entries: Vec<(Vec<usize>, usize)> = entries.into_iter().collect();
        entries.sort();
        // As many distinct entries as the shape has, all of its rank and within it: none is missing.
        if let Some((indices, _)) =
            entries.iter().find(|(indices, _)| indices.len() != shape.len() || indices.contains(&0))
        {
            return Err(Error::input(format!(
                "variable '{name}' has an entry {}, which does not fit its shape {}",
                shape_text(indices),
                shape_text(&shape)
            )));
        }
        Ok(Variable { name, shape, columns: entries.into_iter().map(|(_, column)| column).collect() })
    }

    /// The columns of the covariance of each atom; a shape without the atom's index is shared by all atoms.
    fn for_each_atom(&self, atoms: usize, dim: usize, form: CovarianceForm) -> Result<Vec<usize>> {
        let size = form.numbers_per_atom(dim);
        let one: &[usize] = match form {
            CovarianceForm::Covariance | CovarianceForm::Precision | CovarianceForm::Cholesky => &[dim, dim],
            CovarianceForm::StandardDeviation if dim == 1 => &[],
            CovarianceForm::Diagonal | CovarianceForm::StandardDeviation => &[dim],
            CovarianceForm::Spherical => &[],
        };
        let each = [&[atoms], one].concat();
        let scalar = size == 1;
        if self.shape == each || (scalar && self.shape == [atoms]) {
            return Ok(self.columns.clone());
        }
        if self.shape == one || (scalar && self.shape.is_empty()) {
            return Ok(self.columns.repeat(atoms));
        }
        let name = CovarianceForm::NAMES.iter().find(|(_, known)| *known == form).map_or("", |(name, _)| name);
        Err(self.wrong(&format!("{}, or {} for all atoms, in the form '{name}'", shape_text(&each), shape_text(one))))
    }

    fn wrong(&self, expected: &str) -> Error {
        Error::input(format!("variable '{}' has shape {}, expected {expected}", self.name, shape_text(&self.shape)))
    }
}

/// The indices of a column `name.1.2` or `name[1,2]`, counted from 1; none for a scalar.
fn indices_of(field: &str, name: &str) -> Option<Vec<usize>> {
    let rest = field.strip_prefix(name)?;
    let parse = |text: &str, separator: char| text.split(separator).map(|index| index.trim().parse().ok()).collect();
    if rest.is_empty() {
        Some(Vec::new())
    } else if let Some(indices) = rest.strip_prefix('.') {
        parse(indices, '.')
    } else {
        parse(rest.strip_prefix('[')?.strip_suffix(']')?, ',')
    }
}

/// The numbers of the draws that were read.
#[derive(Default)]
struct Rows {
    weights: Vec<f64>,
    means: Vec<f64>,
    covariances: Vec<f64>,
    labels: LabelDraws,
    chains: Vec<u32>,
    iterations: Vec<u64>,
    log_weights: Vec<f64>,
    log_posteriors: Vec<f64>,
    lines: Vec<u64>,
}

impl Rows {
    fn push(&mut self, mixture: &Mixture, record: &Record<'_>) -> Result<()> {
        let number = |&column: &usize| -> Result<f64> {
            let field = record.field(column);
            field.parse().map_err(|_| {
                Error::input(format!("column {column} (counted from 0) is '{}', expected a number", shown(field)))
                    .at_line(record.line)
            })
        };
        for (out, columns) in [
            (&mut self.weights, &mixture.weights),
            (&mut self.means, &mixture.means),
            (&mut self.covariances, &mixture.covariances),
        ] {
            for column in columns {
                out.push(number(column)?);
            }
        }
        if let Some(columns) = &mixture.labels {
            let label = |column| {
                number(column).and_then(|x| {
                    integer(x)
                        .ok_or_else(|| Error::input(format!("label is {x}, expected an integer")).at_line(record.line))
                })
            };
            let labels: Vec<i64> = columns.iter().map(label).collect::<Result<_>>()?;
            self.labels.observations = labels.len();
            self.labels.push(&labels, |&label| Some(label));
        }
        let count = |column: usize| {
            number(&column).and_then(|x| {
                integer(x).and_then(|x| u64::try_from(x).ok()).ok_or_else(|| {
                    Error::input(format!("chain or iteration is {x}, expected an integer that is not negative"))
                        .at_line(record.line)
                })
            })
        };
        if let Some(column) = mixture.origin.chain {
            let chain = count(column)?;
            self.chains.push(
                u32::try_from(chain)
                    .map_err(|_| Error::input(format!("chain number {chain} is too large")).at_line(record.line))?,
            );
        }
        if let Some(column) = mixture.origin.iteration {
            self.iterations.push(count(column)?);
        }
        if let Some(column) = mixture.origin.log_weight {
            self.log_weights.push(number(&column)?);
        }
        if let Some(column) = mixture.origin.log_posterior {
            self.log_posteriors.push(number(&column)?);
        }
        self.lines.push(record.line);
        Ok(())
    }

    /// Chains, iterations and weights of the draws, as far as the file has them.
    fn with_origin(&self, mut ensemble: Ensemble) -> Result<Ensemble> {
        if !self.chains.is_empty() || !self.iterations.is_empty() {
            let chains = if self.chains.is_empty() { ensemble.chains().to_vec() } else { self.chains.clone() };
            let mut seen: HashMap<u32, u64> = HashMap::new();
            let counted = chains.iter().map(|chain| {
                let next = seen.entry(*chain).or_default();
                *next += 1;
                *next - 1
            });
            let iterations = if self.iterations.is_empty() { counted.collect() } else { self.iterations.clone() };
            ensemble = ensemble.with_chains(chains, iterations)?;
        }
        // Chains are judged by it; where it is infinite there is nothing to judge by, and the draws are none the worse.
        if !self.log_posteriors.is_empty() && self.log_posteriors.iter().all(|value| value.is_finite()) {
            ensemble = ensemble.with_trace(Trace::new(Trace::LOG_POSTERIOR, self.log_posteriors.clone()))?;
        }
        if self.log_weights.is_empty() {
            return Ok(ensemble);
        }
        let largest = self.log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = self.log_weights.iter().map(|log| (log - largest).exp()).collect();
        ensemble.with_draw_weights(&weights)
    }

    fn into_draws(self, mixture: &Mixture, form: CovarianceForm) -> Result<DrawsFile> {
        let atoms = mixture.weights.len();
        let ensemble = Ensemble::from_dense(mixture.dim, atoms, &self.weights, &self.means, &self.covariances, form);
        let ensemble = ensemble.map_err(|error| match error.place().draw.and_then(|draw| self.lines.get(draw)) {
            Some(&line) => error.at_line(line),
            None => error,
        })?;
        let ensemble = self.with_origin(ensemble)?;
        Ok(DrawsFile { ensemble, labels: mixture.labels.as_ref().map(|_| self.labels), data: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_belong_to_their_variable_alone() {
        assert_eq!(indices_of("mu", "mu"), Some(vec![]));
        assert_eq!(indices_of("mu.2.1", "mu"), Some(vec![2, 1]));
        assert_eq!(indices_of("mu[2, 1]", "mu"), Some(vec![2, 1]));
        for other in ["mu_raw.1", "mu2", "mu.x", "mu.", "mu[1", "m"] {
            assert_eq!(indices_of(other, "mu"), None, "{other}");
        }
    }

    #[test]
    fn warm_up_is_skipped_as_the_comments_say() {
        let skip = |lines: &[&str]| {
            let mut config = Config::default();
            lines.iter().for_each(|line| config.read(line));
            config.rows_to_skip()
        };
        assert_eq!(skip(&[]), 0);
        assert_eq!(skip(&["num_warmup = 1000 (Default)", "save_warmup = 0 (Default)"]), 0);
        assert_eq!(skip(&["num_warmup = 1000 (Default)", "save_warmup = true"]), 1000);
        assert_eq!(skip(&["save_warmup = 1", "thin = 3", "num_warmup = 10"]), 4);
        assert_eq!(skip(&["warmup=500", "save_warmup=1", "thin=1"]), 500);
        assert_eq!(skip(&["method = variational"]), 1);
    }
}
