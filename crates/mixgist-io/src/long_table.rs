//! Draws as a long table, one row per atom: chain, draw, atom, weight, mean_1 …, cov_1_1 …; shared by CSV and Parquet.

use std::collections::HashMap;

use mixgist::text::index;
use mixgist::{CovarianceForm, Ensemble, Error, Result, text};

use crate::draws::ReadOptions;
use crate::source::Budget;
use crate::variables::called_twice;

/// Which column plays which role.
#[derive(Debug, PartialEq)]
pub(crate) struct Layout {
    pub chain: Option<usize>,
    pub draw: usize,
    pub atom: Option<usize>,
    pub weight: usize,
    pub draw_weight: Option<usize>,
    /// The columns of the mean.
    pub means: Vec<usize>,
    /// The columns of the covariance in its form; `None` is an entry that is 0.
    pub covariances: Vec<Option<usize>>,
}

const EXPECTED: &str =
    "columns are chain (optional), draw, atom (optional), weight, draw_weight (optional), mean_1 …, cov_1_1, cov_1_2 …";

impl Layout {
    /// The roles of columns with these names.
    pub fn from_names(names: &[String], form: CovarianceForm) -> Result<Self> {
        let mut named: HashMap<&str, usize> = HashMap::new();
        for (column, name) in names.iter().enumerate() {
            if named.insert(name, column).is_some() {
                return Err(called_twice(name));
            }
        }
        if named.contains_key("lp__") {
            return Err(Error::input("has a column 'lp__': this is the output of Stan, not a table of draws")
                .hint(mixgist::text!["name the format: ", mixgist::text::option("format", "stan-csv")]));
        }
        // mu[1,2], mu.1.2 or mu.1.2.
        let indexed = |name: &String| {
            let name = name.trim_end_matches('.');
            name.contains('[') || name.rsplit_once('.').is_some_and(|(_, i)| i.parse::<u32>().is_ok())
        };
        if !named.contains_key("weight") && names.iter().any(indexed) {
            return Err(Error::input("is a table with one draw per row: its columns are entries of variables").hint(
                mixgist::text![
                    "name the format and the variables: ",
                    mixgist::text::option("format", "wide-csv"),
                    ", ",
                    mixgist::text::named("weights"),
                    ", ",
                    mixgist::text::named("means"),
                    ", ",
                    mixgist::text::named("covariances"),
                    "; 'mixgist inspect' proposes them"
                ],
            ));
        }
        if !["draw", "weight", "mean", "mean_1"].iter().any(|name| named.contains_key(name)) {
            return Err(Error::input("is no table of draws: it has no column 'draw'").hint(mixgist::text![
                "draws come from a sampler; if these are data, fit a model to them first: ",
                mixgist::text::verb("fit"),
                "; if each row is a draw, 'mixgist inspect' proposes how to read it"
            ]));
        }
        let mut take = |name: &str| named.remove(name);
        let (chain, draw, atom) = (take("chain"), take("draw"), take("atom"));
        let (weight, draw_weight) = (take("weight"), take("draw_weight"));
        let draw = draw.ok_or_else(|| {
            Error::input("has no column 'draw'").hint(mixgist::text![
                EXPECTED,
                "; if these are data, fit a model to them first: ",
                mixgist::text::verb("fit")
            ])
        })?;
        let weight = weight.ok_or_else(|| Error::input("has no column 'weight'").hint(EXPECTED))?;
        let mut means: Vec<usize> = (1..).map_while(|i| take(&format!("mean_{i}"))).collect();
        if means.is_empty() {
            means.extend(take("mean"));
        }
        if means.is_empty() {
            return Err(Error::input("has no column 'mean_1'").hint(EXPECTED));
        }
        let covariances = covariance_columns(means.len(), form, &mut named)?;
        if let Some((_, name)) = named.into_iter().map(|(name, column)| (column, name)).min() {
            return Err(Error::input(format!("does not expect a column '{name}'")).hint(EXPECTED));
        }
        Ok(Layout { chain, draw, atom, weight, draw_weight, means, covariances })
    }
}

fn covariance_columns(
    dim: usize,
    form: CovarianceForm,
    named: &mut HashMap<&str, usize>,
) -> Result<Vec<Option<usize>>> {
    let missing =
        |name: &str| Error::input(format!("has no column '{name}', expected for dimension {dim}")).hint(EXPECTED);
    if form.numbers_per_atom(dim) == dim * dim
        && let Some(entry) = missing_of_triangle(dim, form == CovarianceForm::Cholesky, named)
    {
        return Err(missing(&entry));
    }
    let mut take = |name: &str| named.remove(name);
    match form {
        CovarianceForm::Spherical => {
            let only = take("cov").or_else(|| take("cov_1")).or_else(|| take("cov_1_1"));
            Ok(vec![Some(only.ok_or_else(|| missing("cov"))?)])
        }
        CovarianceForm::Diagonal | CovarianceForm::StandardDeviation => (1..=dim)
            .map(|i| {
                let column = take(&format!("cov_{i}")).or_else(|| take(&format!("cov_{i}_{i}")));
                if dim == 1 { column.or_else(|| take("cov")) } else { column }.map(Some)
            })
            .enumerate()
            .map(|(i, column)| column.ok_or_else(|| missing(&format!("cov_{}", i + 1))))
            .collect(),
        CovarianceForm::Covariance | CovarianceForm::Precision | CovarianceForm::Cholesky => {
            let mut columns: Vec<Option<usize>> = Vec::with_capacity(dim * dim);
            for i in 1..=dim {
                columns.extend((1..=dim).map(|j| take(&format!("cov_{i}_{j}"))));
            }
            if dim == 1 && columns[0].is_none() {
                columns[0] = take("cov").or_else(|| take("cov_1"));
            }
            fill_triangle(&mut columns, dim, form == CovarianceForm::Cholesky)
                .map_err(|(i, j)| missing(&format!("cov_{}_{}", i + 1, j + 1)))?;
            Ok(columns)
        }
    }
}

/// Of fewer columns than a triangle of a matrix has, one that is missing: nobody makes room for a matrix that a few names promise.
fn missing_of_triangle(dim: usize, lower_only: bool, named: &HashMap<&str, usize>) -> Option<String> {
    if named.len() >= dim.saturating_mul(dim + 1) / 2 {
        return None;
    }
    let entries = (1..=dim).flat_map(|i| (1..=i).map(move |j| (i, j)));
    let names = entries.map(|(i, j)| (format!("cov_{i}_{j}"), format!("cov_{j}_{i}")));
    let is_there = |name: &String| named.contains_key(name.as_str());
    names.into_iter().find_map(|(lower, upper)| match lower_only {
        true => (!is_there(&lower)).then_some(lower),
        false => (!is_there(&lower) && !is_there(&upper)).then_some(upper),
    })
}

/// Completes a matrix of which just one triangle has columns; an error is the entry that is missing.
fn fill_triangle(columns: &mut [Option<usize>], d: usize, lower_only: bool) -> std::result::Result<(), (usize, usize)> {
    let entries = || (0..d).flat_map(|i| (0..d).map(move |j| (i, j)));
    let lower = entries().all(|(i, j)| (j <= i) == columns[i * d + j].is_some());
    let upper = entries().all(|(i, j)| (j >= i) == columns[i * d + j].is_some());
    if lower && lower_only {
        return Ok(());
    }
    if (lower || upper) && !lower_only {
        for (i, j) in entries() {
            columns[i * d + j] = columns[i * d + j].or(columns[j * d + i]);
        }
        return Ok(());
    }
    entries().find(|&(i, j)| columns[i * d + j].is_none()).map_or(Ok(()), Err)
}

/// The rows of a long table as they come.
#[derive(Debug, Default)]
pub(crate) struct LongTable {
    pub chains: Vec<u32>,
    pub draws: Vec<u64>,
    /// Empty when the table has no such column.
    pub atoms: Vec<i64>,
    pub weights: Vec<f64>,
    /// Empty when the table has no such column.
    pub draw_weights: Vec<f64>,
    pub means: Vec<f64>,
    pub covariances: Vec<f64>,
    /// The line of each row; empty when rows are not lines.
    pub lines: Vec<u64>,
}

impl LongTable {
    /// Gathers the rows of each draw. Draws keep the order of their first row; atoms are ordered by number if they have one.
    pub fn into_ensemble(self, dim: usize, options: &ReadOptions) -> Result<Ensemble> {
        Budget::new(options).fits_covariances(dim, self.weights.len())?;
        if self.weights.is_empty() {
            return Err(Error::input("has no rows"));
        }
        let mut known: HashMap<(u32, u64), usize> = HashMap::new();
        let draw_of: Vec<usize> = (0..self.weights.len())
            .map(|row| {
                let next = known.len();
                *known.entry((self.chains[row], self.draws[row])).or_insert(next)
            })
            .collect();
        let mut rows: Vec<usize> = (0..self.weights.len()).collect();
        rows.sort_by_key(|&row| (draw_of[row], self.atoms.get(row)));
        let mut offsets = vec![0];
        for at in 1..rows.len() {
            let (before, row) = (rows[at - 1], rows[at]);
            if draw_of[before] != draw_of[row] {
                offsets.push(at);
            } else if !self.atoms.is_empty() && self.atoms[before] == self.atoms[row] {
                let error = Error::input(format!(
                    "chain {}, draw {} has atom {} twice",
                    self.chains[row], self.draws[row], self.atoms[row]
                ));
                return Err(self.at_row(row, error));
            } else if !self.draw_weights.is_empty() && self.draw_weights[before] != self.draw_weights[row] {
                let error = Error::input(format!(
                    "draw_weight is {}, other rows of the same draw have {}",
                    self.draw_weights[row], self.draw_weights[before]
                ));
                return Err(self.at_row(row, error));
            }
        }
        let firsts: Vec<usize> = offsets.iter().map(|&at| rows[at]).collect();
        offsets.push(rows.len());
        let gather = |source: &[f64]| -> Vec<f64> {
            let size = source.len() / rows.len();
            rows.iter().flat_map(|&row| &source[row * size..(row + 1) * size]).copied().collect()
        };
        let ensemble = Ensemble::builder(dim)
            .offsets(&offsets)
            .weights(gather(&self.weights))
            .means(gather(&self.means))
            .covariances(gather(&self.covariances))
            .form(options.covariance_form)
            .build();
        let ensemble = ensemble.map_err(|error| match (error.place().draw, error.place().atom) {
            (Some(draw), atom) => self.at_row(rows[offsets[draw] + atom.unwrap_or(0)], error),
            _ => error,
        })?;
        let ensemble = ensemble.with_chains(
            firsts.iter().map(|&row| self.chains[row]).collect(),
            firsts.iter().map(|&row| self.draws[row]).collect(),
        )?;
        if self.draw_weights.is_empty() {
            return Ok(ensemble);
        }
        let weights: Vec<f64> = firsts.iter().map(|&row| self.draw_weights[row]).collect();
        ensemble.with_draw_weights(&weights).map_err(|error| match error.place().draw {
            Some(draw) => self.at_row(firsts[draw], error),
            None => error,
        })
    }

    fn at_row(&self, row: usize, error: Error) -> Error {
        match self.lines.get(row) {
            Some(&line) => error.at_line(line),
            None => error,
        }
    }
}

/// The names of the columns that a table of this ensemble has.
pub(crate) fn column_names(ensemble: &Ensemble) -> Vec<String> {
    let d = ensemble.dim();
    let mut names: Vec<String> = ["chain", "draw", "atom", "weight"].map(String::from).to_vec();
    names.extend(ensemble.draw_weights().map(|_| "draw_weight".to_owned()));
    names.extend((1..=d).map(|i| format!("mean_{i}")));
    names.extend((1..=d).flat_map(|i| (1..=d).map(move |j| format!("cov_{i}_{j}"))));
    names
}

/// A long table tells draws apart by chain and draw number: checks that this can be done.
pub(crate) fn check_writable_as_table(ensemble: &Ensemble) -> Result<()> {
    let mut known = HashMap::new();
    for (m, key) in ensemble.chains().iter().zip(ensemble.iterations()).enumerate() {
        if let Some(before) = known.insert(key, m) {
            return Err(Error::input(text![
                "has the same chain and iteration as draw ",
                index(before),
                ", a table could not tell the two apart"
            ])
            .at_draw(m)
            .hint("write npz"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(String::from).collect()
    }

    fn layout(text: &str, form: CovarianceForm) -> Result<Layout> {
        Layout::from_names(&names(text), form)
    }

    #[test]
    fn one_triangle_of_a_symmetric_matrix_is_enough() {
        use CovarianceForm::*;
        let covariances =
            |rest: &str, form| layout(&format!("draw weight mean_1 mean_2 {rest}"), form).map(|l| l.covariances);
        let (a, b, c, d) = (Some(4), Some(5), Some(6), Some(7));
        assert_eq!(covariances("cov_1_1 cov_1_2 cov_2_1 cov_2_2", Covariance).unwrap(), [a, b, c, d]);
        assert_eq!(covariances("cov_1_1 cov_2_1 cov_2_2", Covariance).unwrap(), [a, b, b, c]);
        assert_eq!(covariances("cov_1_1 cov_1_2 cov_2_2", Precision).unwrap(), [a, b, b, c]);
        assert_eq!(covariances("cov_1_1 cov_2_1 cov_2_2", Cholesky).unwrap(), [a, None, b, c]);
        assert_eq!(covariances("cov_1 cov_2", Diagonal).unwrap(), [a, b]);
        assert_eq!(covariances("cov", Spherical).unwrap(), [a]);
        let message = |rest, form| covariances(rest, form).unwrap_err().to_string();
        assert!(message("cov_1_1 cov_1_2 cov_2_2", Cholesky).contains("no column 'cov_2_1'"));
        assert!(message("cov_1_1 cov_2_2", Covariance).contains("no column 'cov_1_2'"));
        assert!(message("cov_1_1 cov_1_2 cov_2_1", Covariance).contains("no column 'cov_2_2'"));
    }

    /// Room for 10^10 entries was asked for.
    #[test]
    fn a_triangle_of_any_size_is_looked_for() {
        let means: Vec<String> = (1..=100_000).map(|i| format!("mean_{i}")).collect();
        let text = format!("draw weight {} cov_1_1", means.join(" "));
        for (form, missing) in [(CovarianceForm::Precision, "cov_1_2"), (CovarianceForm::Cholesky, "cov_2_1")] {
            let error = layout(&text, form).unwrap_err().to_string();
            assert!(error.contains(&format!("no column '{missing}', expected for dimension 100000")), "{error}");
        }
    }

    #[test]
    fn a_triangle_with_a_gap_is_refused() {
        let text = "draw weight mean_1 mean_2 mean_3 cov_1_1 cov_2_1 cov_2_2 cov_1_3 cov_2_3 cov_3_3";
        assert!(layout(text, CovarianceForm::Covariance).unwrap_err().to_string().contains("no column 'cov_1_2'"));
    }

    #[test]
    fn rows_find_their_draw_in_any_order() {
        let table = || LongTable {
            chains: vec![0, 1, 0, 0],
            draws: vec![5, 5, 5, 4],
            atoms: vec![2, 1, 1, 1],
            weights: vec![0.25, 1.0, 0.75, 1.0],
            means: vec![2.0, 3.0, 1.0, 4.0],
            covariances: vec![1.0; 4],
            ..LongTable::default()
        };
        let ensemble = table().into_ensemble(1, &ReadOptions::default()).unwrap();
        assert_eq!(ensemble.offsets(), [0, 2, 3, 4]);
        assert_eq!(ensemble.atoms().means(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ensemble.weights(), [0.75, 0.25, 1.0, 1.0]);
        assert_eq!((ensemble.chains(), ensemble.iterations()), (&[0, 1, 0][..], &[5, 5, 4][..]));
        let unnumbered = LongTable { atoms: vec![], ..table() }.into_ensemble(1, &ReadOptions::default()).unwrap();
        assert_eq!(unnumbered.atoms().means(), [2.0, 1.0, 3.0, 4.0]);
        let twice = LongTable { atoms: vec![1, 1, 1, 1], lines: vec![2, 3, 4, 5], ..table() };
        let error = twice.into_ensemble(1, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 4: chain 0, draw 5 has atom 1 twice");
        let bad = LongTable { means: vec![2.0, f64::NAN, 1.0, 4.0], lines: vec![2, 3, 4, 5], ..table() };
        let error = bad.into_ensemble(1, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 3: draw 1, atom 0: coordinate 0 of the mean is NaN");
    }

    #[test]
    fn draws_that_cannot_be_told_apart_are_not_written() {
        let ensemble = Ensemble::builder(1)
            .atoms_per_draw(1)
            .weights(&[1.0; 2])
            .means(&[0.0; 2])
            .covariances(&[1.0; 2])
            .build()
            .unwrap();
        assert!(check_writable_as_table(&ensemble).is_ok());
        let ensemble = ensemble.with_chains(vec![0, 0], vec![3, 3]).unwrap();
        assert!(check_writable_as_table(&ensemble).unwrap_err().to_string().starts_with("draw 1: has the same chain"));
    }
}
