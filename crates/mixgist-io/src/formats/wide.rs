//! Wide text: one row per draw, one column for each entry of a variable (`mu.1.2`, `mu[1,2]`), of which the user names those that make a mixture.
//!
//! `stan-csv` is the output of CmdStan, with its comments; `wide-csv` is a table of any origin: posterior, coda, NIMBLE, MCMCChains, pandas.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use mixgist::{Ensemble, Error, Result, Trace};

use crate::array::{integer, shape_text};
use crate::data::column_text;
use crate::delimited::{Line, Record, Records};
use crate::draws::{DrawsFile, ReadOptions};
use crate::labels::LabelDraws;
use crate::source::{Budget, shown};
use crate::variables::{Shaped, Variable, called_twice, unknown};

/// The output of CmdStan.
pub(crate) fn read_stan(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
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
                let found = Mixture::find(&Header::of(&header), options).map_err(|error| error.at_line(header.line))?;
                mixture = Some(found);
            }
            (Line::Record(record), Some(mixture)) => {
                record.expect(mixture.fields()).map_err(|error| error.hint("was the run stopped before its end?"))?;
                seen += 1;
                if seen > config.rows_to_skip() {
                    budget.take("the draws", 8 * mixture.numbers() as u64)?;
                    rows.push(mixture, &record)?;
                }
            }
        }
    }
    let mixture = mixture.ok_or_else(no_header)?;
    if rows.lines.is_empty() {
        return Err(Error::input(format!(
            "has no draws (rows: {seen}, of which warm-up: {})",
            seen.min(config.rows_to_skip())
        )));
    }
    rows.into_draws(&mixture, options)
}

/// A table of any origin, its fields separated by commas, semicolons or tabs.
pub(crate) fn read_wide(path: &Path, options: &ReadOptions) -> Result<DrawsFile> {
    let mut records = Records::open(path, options)?.with_any_separator();
    let mut budget = Budget::new(options);
    let header = records.next_record()?.ok_or_else(no_header)?;
    let mut mixture = Mixture::find(&Header::of(&header), options).map_err(|error| error.at_line(header.line))?;
    let mut rows = Rows::default();
    while let Some(record) = records.next_record()? {
        // R's write.table leaves out the name of the column of row names.
        if rows.lines.is_empty() && record.len() == mixture.fields() + 1 {
            mixture.shift();
        }
        record.expect(mixture.fields()).map_err(|error| error.hint("was the run stopped before its end?"))?;
        budget.take("the draws", 8 * mixture.numbers() as u64)?;
        rows.push(&mixture, &record)?;
    }
    if rows.lines.is_empty() {
        return Err(Error::input("has a header line, but no draws"));
    }
    rows.into_draws(&mixture, options)
}

fn no_header() -> Error {
    Error::input("has no header line").hint("the first line must name the columns: mu[1,1], mu[1,2], …")
}

/// Names of the columns.
struct Header {
    names: Vec<String>,
    /// Columns in the order of their names: those that begin alike stand together, so that a variable is found without a look at all.
    sorted: Vec<usize>,
}

impl Header {
    fn new(names: Vec<String>) -> Self {
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        sorted.sort_by_key(|&column| &names[column]);
        Header { names, sorted }
    }

    /// `mu[1, 2]` is one name, quoted or not.
    fn of(header: &Record<'_>) -> Self {
        let mut names: Vec<String> = Vec::with_capacity(header.len());
        let mut open = false;
        for field in header.fields() {
            match names.last_mut().filter(|_| open) {
                Some(last) => {
                    last.push(',');
                    last.push_str(field);
                }
                None => names.push(field.to_owned()),
            }
            open = (open || field.contains('[')) && !field.contains(']');
        }
        Header::new(names)
    }

    fn is_indexed(&self) -> bool {
        self.names.iter().any(|name| base_of(name).len() < name.len())
    }

    /// Columns whose names begin like that, in their order, with the names.
    fn starting_with(&self, start: &str) -> impl Iterator<Item = (usize, &str)> {
        let rest = &self.sorted[self.sorted.partition_point(|&column| self.names[column].as_str() < start)..];
        let alike = rest.partition_point(|&column| self.names[column].starts_with(start));
        let mut columns = rest[..alike].to_vec();
        columns.sort_unstable();
        columns.into_iter().map(|column| (column, self.names[column].as_str()))
    }
}

/// What a table holds.
pub(crate) struct Contents {
    /// Its variables with their values in the first row.
    pub variables: Vec<Variable>,
    /// What is wrong with columns that do not make a whole variable.
    pub incomplete: Vec<String>,
    /// Whether it looks like the output of CmdStan.
    pub stan: bool,
    /// Whether columns have indices, such as `mu[1]` or `mu.1`; a number alone, such as `mu1`, is none.
    pub indexed: bool,
}

/// Looks at the header and the first row.
pub(crate) fn contents(path: &Path, options: &ReadOptions) -> Result<Contents> {
    let mut records = Records::open(path, options)?.with_any_separator();
    let mut stan = false;
    let mut header: Option<Header> = None;
    // Comments of CmdStan stand anywhere, so both kinds of table are read as such until a row of numbers comes.
    while let Some(line) = records.next_line()? {
        match (line, &header) {
            (Line::Comment(text), _) => {
                stan |= ["stan_version", "model =", "model=", "Adaptation"].iter().any(|word| text.starts_with(word))
            }
            (Line::Record(record), None) => header = Some(Header::of(&record)),
            (Line::Record(record), Some(header)) => {
                let skip = record.len().saturating_sub(header.names.len()).min(1);
                record.expect(header.names.len() + skip)?;
                let value = |column: usize| record.field(column + skip).parse().unwrap_or(f64::NAN);
                let (variables, incomplete) = of_names(header, value);
                return Ok(Contents { variables, incomplete, stan, indexed: header.is_indexed() });
            }
        }
    }
    let header = header.ok_or_else(no_header)?;
    let (variables, incomplete) = of_names(&header, |_| f64::NAN);
    Ok(Contents { variables, incomplete, stan, indexed: header.is_indexed() })
}

/// The variables that columns of these names make, and what is wrong with those that do not make a whole array.
fn of_names(header: &Header, value: impl Fn(usize) -> f64) -> (Vec<Variable>, Vec<String>) {
    let mut bases: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    let mut stems: HashMap<&str, bool> = HashMap::new();
    for name in &header.names {
        let mut is_numbered = |stem| *stems.entry(stem).or_insert_with(|| numbered(header, stem).is_some());
        let base = match base_of(name) {
            base if base.len() < name.len() => base,
            _ => stem_of(name).filter(|stem| is_numbered(stem)).unwrap_or(name),
        };
        if !ABOUT_DRAWS.contains(&base) && !base.is_empty() && !base.ends_with("__") && seen.insert(base) {
            bases.push(base);
        }
    }
    let (mut variables, mut incomplete) = (Vec::new(), Vec::new());
    for base in bases {
        match Columns::find(header, base) {
            Ok(found) => variables.push(Variable {
                name: found.name.to_owned(),
                first: found.columns.iter().map(|&column| value(column)).collect(),
                shape: found.shape,
            }),
            Err(error) => incomplete.push(error.to_string()),
        }
    }
    (variables, incomplete)
}

/// Columns that say where a draw comes from and its weight.
const ABOUT_DRAWS: [&str; 12] = [
    ".chain",
    "chain",
    ".iteration",
    "iteration",
    ".draw",
    "draw",
    ".log_weight",
    "log_weight",
    "lp__",
    "lp",
    "log_density",
    "logjoint",
];

/// The name of a column without its indices.
fn base_of(column: &str) -> &str {
    if let Some((base, rest)) = column.split_once('[')
        && rest.ends_with(']')
    {
        return base;
    }
    let base = column.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
    if base.len() < column.len() && column[base.len()..].starts_with('.') { base } else { column }
}

/// The name of a column such as `prob1` without its number.
fn stem_of(column: &str) -> Option<&str> {
    let stem = column.trim_end_matches(|c: char| c.is_ascii_digit());
    (!stem.is_empty() && stem.len() < column.len()).then_some(stem)
}

/// Columns `name1`, `name2`, …, or `name0`, `name1`, …, up to the last of them, where there are at least two and none is missing.
fn numbered(header: &Header, name: &str) -> Option<Vec<usize>> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (column, field) in header.starting_with(name) {
        let digits = &field[name.len()..];
        let plain = digits == "0" || !digits.starts_with(['0', '+']);
        if let Some(number) = digits.parse().ok().filter(|_| plain) {
            found.push((number, column));
        }
    }
    found.sort_unstable();
    let first = found.first()?.0;
    let complete =
        first <= 1 && found.len() >= 2 && found.iter().enumerate().all(|(i, (number, _))| *number == i + first);
    complete.then(|| found.into_iter().map(|(_, column)| column).collect())
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
    /// Names of all columns.
    names: Vec<String>,
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
    fn find(header: &Header) -> Self {
        let column = |names: &[&str]| header.names.iter().position(|field| names.contains(&field.as_str()));
        Origin {
            chain: column(&[".chain", "chain"]),
            iteration: column(&[".iteration", "iteration"]),
            log_weight: column(&[".log_weight", "log_weight"]),
            log_posterior: column(&["lp__", "lp", "log_density", "logjoint"]),
        }
    }
}

impl Mixture {
    fn find(header: &Header, options: &ReadOptions) -> Result<Self> {
        let names = &options.variables;
        let find = |name| Columns::find(header, name);
        let (weights, means, covariances) = (find(&names.weights)?, find(&names.means)?, find(&names.covariances)?);
        let atoms = weights.shaped().atoms()?;
        let dim = means.shaped().dim(atoms)?;
        let shared = covariances.shaped().is_shared(atoms, dim, options.covariance_form)?;
        Budget::new(options).fits_covariances(dim, atoms)?;
        let labels = names.labels.as_deref().map(find).transpose()?;
        labels.as_ref().map_or(Ok(()), |labels| labels.shaped().expect_labels())?;
        Ok(Mixture {
            names: header.names.clone(),
            dim,
            covariances: if shared { covariances.columns.repeat(atoms) } else { covariances.columns },
            weights: weights.columns,
            means: means.columns,
            labels: labels.map(|labels| labels.columns),
            origin: Origin::find(header),
        })
    }

    /// The same columns, one further to the right.
    fn shift(&mut self) {
        self.names.insert(0, String::new());
        let Origin { chain, iteration, log_weight, log_posterior } = &mut self.origin;
        let lists = [&mut self.weights, &mut self.means, &mut self.covariances].into_iter().chain(&mut self.labels);
        lists
            .flatten()
            .chain([chain, iteration, log_weight, log_posterior].into_iter().flatten())
            .for_each(|at| *at += 1);
    }

    fn fields(&self) -> usize {
        self.names.len()
    }

    fn numbers(&self) -> usize {
        self.weights.len() + self.means.len() + self.covariances.len() + self.labels.as_ref().map_or(0, Vec::len)
    }
}

/// A variable: its shape and its columns, row-major whatever their order in the file.
struct Columns<'a> {
    name: &'a str,
    shape: Vec<usize>,
    columns: Vec<usize>,
}

impl<'a> Columns<'a> {
    fn find(header: &Header, name: &'a str) -> Result<Self> {
        let mut entries: HashMap<Vec<usize>, usize> = HashMap::new();
        for (column, field) in header.starting_with(name) {
            if let Some(indices) = indices_of(field, name)
                && entries.insert(indices, column).is_some()
            {
                return Err(called_twice(field));
            }
        }
        // Python counts from 0.
        let from_zero = entries.keys().any(|indices| indices.contains(&0));
        if from_zero {
            let counted_on = |(indices, column): (Vec<usize>, usize)| {
                (indices.into_iter().map(|index| index.saturating_add(1)).collect(), column)
            };
            entries = entries.into_iter().map(counted_on).collect();
        }
        let shape = entries.keys().fold(Vec::new(), |mut shape: Vec<usize>, indices| {
            shape.resize(shape.len().max(indices.len()), 0);
            indices.iter().zip(&mut shape).for_each(|(index, axis)| *axis = (*axis).max(*index));
            shape
        });
        if entries.is_empty()
            && let Some(columns) = numbered(header, name)
        {
            return Ok(Columns { name, shape: vec![columns.len()], columns });
        }
        if entries.is_empty() {
            let known = header
                .names
                .iter()
                .map(|field| base_of(field))
                .filter(|name| !name.ends_with("__") && !ABOUT_DRAWS.contains(name));
            return Err(unknown(name, known));
        }
        let size = shape.iter().try_fold(1usize, |size, &axis| size.checked_mul(axis));
        if size != Some(entries.len()) {
            return Err(missing(name, &entries, &shape, from_zero));
        }
        let mut entries: Vec<(Vec<usize>, usize)> = entries.into_iter().collect();
        entries.sort();
        // As many distinct entries as the shape has, all of its rank: none is missing.
        if let Some((indices, _)) = entries.iter().find(|(indices, _)| indices.len() != shape.len()) {
            return Err(Error::input(format!(
                "variable '{name}' has an entry {}, which does not fit its shape {}",
                shape_text(indices),
                shape_text(&shape)
            )));
        }
        Ok(Columns { name, shape, columns: entries.into_iter().map(|(_, column)| column).collect() })
    }

    fn shaped(&self) -> Shaped<'_> {
        Shaped { name: self.name, shape: &self.shape }
    }
}

/// A variable of which columns are missing; the first of them is named.
fn missing(name: &str, entries: &HashMap<Vec<usize>, usize>, shape: &[usize], from_zero: bool) -> Error {
    let mut indices = vec![1; shape.len()];
    // All that are there are passed over, so that this ends.
    while entries.contains_key(&indices) {
        let Some(axis) = (0..shape.len()).rev().find(|&axis| indices[axis] < shape[axis]) else { break };
        indices[axis] += 1;
        indices[axis + 1..].fill(1);
    }
    let told: Vec<String> = indices.iter().map(|index| (index - usize::from(from_zero)).to_string()).collect();
    let largest: Vec<usize> = shape.iter().map(|index| index - usize::from(from_zero)).collect();
    Error::input(format!(
        "variable '{name}' has {} columns, not all up to its largest indices {}: {name}[{}] is missing",
        entries.len(),
        shape_text(&largest),
        told.join(",")
    ))
    .hint("save all entries of the variable, or leave it out")
}

/// The indices of a column `name.1.2`, `name.1.2.` or `name[1,2]`, as they are counted there; none for a scalar.
fn indices_of(field: &str, name: &str) -> Option<Vec<usize>> {
    let rest = field.strip_prefix(name)?;
    let parse = |text: &str, separator: char| text.split(separator).map(|index| index.trim().parse().ok()).collect();
    if rest.is_empty() {
        Some(Vec::new())
    } else if let Some(indices) = rest.strip_prefix('.') {
        // R makes mu.1.2. of mu[1,2].
        parse(indices.strip_suffix('.').unwrap_or(indices), '.')
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
                let what = format!(" is '{}', expected a number", shown(field));
                let error = Error::input(column_text(column, Some(&mixture.names)).then(what)).at_line(record.line);
                match field {
                    "" | "NA" | "." | "null" => error.hint("leave out draws with missing numbers"),
                    _ if field.contains(',') => {
                        error.hint("write numbers with a decimal point: write.csv, not write.csv2")
                    }
                    _ => error,
                }
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

    fn into_draws(self, mixture: &Mixture, options: &ReadOptions) -> Result<DrawsFile> {
        let atoms = mixture.weights.len();
        Budget::new(options).fits_covariances(mixture.dim, self.weights.len())?;
        let ensemble = Ensemble::builder(mixture.dim)
            .atoms_per_draw(atoms)
            .weights(&self.weights)
            .means(&self.means)
            .covariances(&self.covariances)
            .form(options.covariance_form)
            .build();
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
        assert_eq!(indices_of("mu.2.1.", "mu"), Some(vec![2, 1]));
        for other in ["mu_raw.1", "mu2", "mu.x", "mu.", "mu[1", "m"] {
            assert_eq!(indices_of(other, "mu"), None, "{other}");
        }
    }

    #[test]
    fn numbers_without_brackets_are_indices_when_none_is_missing() {
        let header = |text: &str| Header::new(text.split(' ').map(str::to_owned).collect());
        let shapes = |text: &str| -> Vec<(String, Vec<usize>)> {
            of_names(&header(text), |_| 0.0).0.into_iter().map(|found| (found.name, found.shape)).collect()
        };
        assert_eq!(shapes("prob2 prob1 mu1 mu2"), [("prob".into(), vec![2]), ("mu".into(), vec![2])]);
        assert_eq!(numbered(&header("prob2 x prob1"), "prob"), Some(vec![2, 0]));
        assert_eq!(numbered(&header("prob1 prob0 x"), "prob"), Some(vec![1, 0]));
        for single in ["prob1", "prob0", "prob1 prob3", "prob0 prob2", "prob2 prob3", "prob01 prob02"] {
            assert!(shapes(single).iter().all(|(_, shape)| shape.is_empty()), "{single}");
        }
        // Brackets go first.
        assert_eq!(Columns::find(&header("mu[1] mu[2] mu1 mu2"), "mu").unwrap().columns, [0, 1]);
    }

    /// Each variable was looked for among all columns, and a bracket that never closes was copied with every field behind it: a file of a
    /// megabyte took minutes.
    #[test]
    fn many_columns_take_no_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wide.csv");
        let numbered = |name: &str, last: usize| (1..=last).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(",");
        let read = |header: &str| {
            std::fs::write(&path, format!("{header}\n")).unwrap();
            contents(&path, &ReadOptions::default()).unwrap().variables
        };
        let words: Vec<String> = (0..100_000).map(|i| format!("gene{i}x")).collect();
        assert_eq!(read(&words.join(",")).len(), 100_000);
        // A number is missing, so that each column is a variable of its own.
        assert_eq!(read(&format!("{},a100002", numbered("a", 100_000))).len(), 100_001);
        assert_eq!(read(&numbered("b", 100_000))[0].shape, [100_000]);
        assert_eq!(read(&format!("x[{}", ",".repeat(1_000_000))).len(), 1);
    }

    #[test]
    fn columns_that_begin_alike_are_found_in_their_order() {
        let words = "mu.2 m mu[1,2] μ mu mu10 x.mu mu mv mu1 mt".split(' ').map(str::to_owned);
        let header = Header::new(words.collect());
        for start in ["mu", "m", "", "μ", "mu1", "mu[", "z", "mw", "x.mu "] {
            let found: Vec<_> = header.starting_with(start).collect();
            let names = header.names.iter().map(String::as_str).enumerate();
            assert_eq!(found, names.filter(|(_, name)| name.starts_with(start)).collect::<Vec<_>>(), "{start}");
        }
    }

    #[test]
    fn indices_are_counted_from_0_or_1_and_none_may_be_missing() {
        let header = |text: &str| Header::new(text.split(' ').map(str::to_owned).collect());
        let find = |text: &str| Columns::find(&header(text), "mu").map(|found| (found.shape, found.columns));
        for usual in ["mu[1,1] mu[2,1] mu[1,2] mu[2,2]", "mu[0,0] mu[1,0] mu[0,1] mu[1,1]"] {
            assert_eq!(find(usual).unwrap(), (vec![2, 2], vec![0, 2, 1, 3]), "{usual}");
        }
        assert_eq!(find("mu.1.0 mu.0.0 mu.2.0").unwrap(), (vec![3, 1], vec![1, 0, 2]));
        let message = |text: &str| find(text).unwrap_err().to_string();
        assert!(
            message("mu[1] mu[3]").contains("largest indices (3,): mu[2] is missing"),
            "{}",
            message("mu[1] mu[3]")
        );
        assert!(message("mu[0,0] mu[0,1] mu[1,1]").contains("largest indices (1, 1): mu[1,0] is missing"));
        assert!(message("mu[2,1] mu[2,2]").contains("mu[1,1] is missing"));
        assert!(message("mu[1] mu[1,2]").contains("an entry (1,), which does not fit its shape (1, 2)"));
        assert!(message("mu[18446744073709551615,18446744073709551615] mu[0,1]").contains("is missing"));
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
