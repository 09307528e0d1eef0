//! Variables of any name: which of them make a mixture, and what shapes they must have. One place for all formats that have such variables.

use mixgist::text::named;
use mixgist::{CovarianceForm, Ensemble, Error, Result, Trace, text};

use crate::array::{integer, shape_text};
use crate::draws::{DrawsFile, ReadOptions};
use crate::labels::LabelDraws;
use crate::source::{Budget, shown};

/// The variables that make a mixture of K atoms in dimension d.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variables {
    /// K weights, such as `simplex[K] theta` of a Stan program.
    pub weights: String,
    /// K means, such as `array[K] vector[d] mu`, or `vector[K] mu` in dimension 1.
    pub means: String,
    /// K covariances in the form that is said, such as `array[K] cov_matrix[d] Sigma`, or a single one for all atoms.
    pub covariances: String,
    /// Labels of the observations, such as `array[n] int z`.
    pub labels: Option<String>,
}

impl Default for Variables {
    fn default() -> Self {
        Variables { weights: "weights".into(), means: "means".into(), covariances: "covariances".into(), labels: None }
    }
}

/// A variable of a file: its name, its shape in one draw, and its values in the first draw, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name, as options take it.
    pub name: String,
    /// Its shape in one draw.
    pub shape: Vec<usize>,
    /// Its values in the first draw; empty when they were not read.
    pub first: Vec<f64>,
}

/// A variable that is not in the file, with those that are.
pub(crate) fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let mut known: Vec<String> = known.map(shown).collect();
    known.dedup();
    let more = if known.len() > 30 { ", …" } else { "" };
    Error::input(format!("has no variable '{}'", shown(name))).hint(text![
        format!("the file has: {}{more}; name them with ", known[..known.len().min(30)].join(", ")),
        named("weights"),
        ", ",
        named("means"),
        ", ",
        named("covariances")
    ])
}

/// Two columns of one name. A name that was cut at its comma is told.
pub(crate) fn called_twice(name: &str) -> Error {
    let error = Error::input(format!("two columns are called '{name}'"));
    match name.contains('[') && !name.contains(']') {
        true => error.hint("a name with a comma, such as mu[1,2], must stand in double quotes: \"mu[1,2]\""),
        false => error.hint("rename one of them"),
    }
}

/// The name and the shape in one draw of a variable.
pub(crate) struct Shaped<'a> {
    pub name: &'a str,
    pub shape: &'a [usize],
}

impl Shaped<'_> {
    /// Number of atoms that weights of this shape have.
    pub fn atoms(&self) -> Result<usize> {
        match *self.shape {
            [atoms] => Ok(atoms),
            _ => Err(self
                .wrong("(K,), one weight an atom")
                .hint("a single mixing proportion must be made a vector of K weights before it is saved")),
        }
    }

    /// The dimension that means of this shape have.
    pub fn dim(&self, atoms: usize) -> Result<usize> {
        match *self.shape {
            [k] if k == atoms => Ok(1),
            [k, d] if k == atoms && d > 0 => Ok(d),
            [_, k] if k == atoms => {
                let name = shown(self.name);
                Err(self.wrong(&format!("({atoms}, d)")).hint(format!(
                    "the first index must be the atom, the second the coordinate; here the second has as many values as there are weights. Save the \
                     transposed matrix, or rename the columns {name}[i,j] to {name}[j,i]"
                )))
            }
            _ => Err(self.wrong(&format!("({atoms}, d), or ({atoms},) in dimension 1"))),
        }
    }

    /// Whether covariances of this shape are one for all atoms; a shape without the atom's index is.
    pub fn is_shared(&self, atoms: usize, dim: usize, form: CovarianceForm) -> Result<bool> {
        let one: &[usize] = match form {
            CovarianceForm::Covariance | CovarianceForm::Precision | CovarianceForm::Cholesky => &[dim, dim],
            CovarianceForm::StandardDeviation if dim == 1 => &[],
            CovarianceForm::Diagonal | CovarianceForm::StandardDeviation => &[dim],
            CovarianceForm::Spherical => &[],
        };
        let each = [&[atoms], one].concat();
        let scalar = form.numbers_per_atom(dim) == 1;
        if self.shape == each || (scalar && (self.shape == [atoms] || (dim == 1 && self.shape == [atoms, 1]))) {
            return Ok(false);
        }
        if self.shape == one || (scalar && self.shape.is_empty()) {
            return Ok(true);
        }
        let name = CovarianceForm::NAMES.iter().find(|(_, known)| *known == form).map_or("", |(name, _)| name);
        let expected = format!("{}, or {} for all atoms, in the form '{name}'", shape_text(&each), shape_text(one));
        Err(self.wrong(&expected).hint(text![named("covariance_form"), " says in which form covariances are"]))
    }

    /// Checks labels.
    pub fn expect_labels(&self) -> Result<()> {
        if self.shape.len() == 1 { Ok(()) } else { Err(self.wrong("(n,), one label per observation")) }
    }

    fn wrong(&self, expected: &str) -> Error {
        let name = shown(self.name);
        Error::input(format!("variable '{name}' has shape {}, expected {expected}", shape_text(self.shape)))
    }
}

/// Whole variables of a file: shapes (chain, draw, …), values row-major.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    pub chains: usize,
    pub draws: usize,
    /// Numbers of the chains and draws, where the file has them.
    pub chain_numbers: Option<Vec<u32>>,
    pub draw_numbers: Option<Vec<u64>>,
    pub log_posterior: Option<Vec<f64>>,
}

/// A variable with its shape in one draw and the values of all draws, chain by chain.
pub(crate) struct Whole {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

impl Arrays {
    /// The draws; `read` gives a variable by its name.
    pub fn into_draws(self, options: &ReadOptions, mut read: impl FnMut(&str) -> Result<Whole>) -> Result<DrawsFile> {
        let names = &options.variables;
        let weights = read(&names.weights)?;
        let means = read(&names.means)?;
        let covariances = read(&names.covariances)?;
        let atoms = Shaped { name: &names.weights, shape: &weights.shape }.atoms()?;
        let dim = Shaped { name: &names.means, shape: &means.shape }.dim(atoms)?;
        let shared = Shaped { name: &names.covariances, shape: &covariances.shape };
        let shared = shared.is_shared(atoms, dim, options.covariance_form)?;
        let size = options.covariance_form.numbers_per_atom(dim);
        Budget::new(options).fits_covariances(dim, weights.values.len())?;
        let repeated: Vec<f64>;
        let shapes = match shared {
            true => {
                repeated = covariances.values.chunks(size).flat_map(|one| one.repeat(atoms)).collect();
                &repeated
            }
            false => &covariances.values,
        };
        let ensemble = Ensemble::builder(dim)
            .atoms_per_draw(atoms)
            .weights(&weights.values)
            .means(&means.values)
            .covariances(shapes)
            .form(options.covariance_form)
            .build()?;
        let chains = self.chain_numbers.unwrap_or_else(|| (0..self.chains as u32).collect());
        let iterations = self.draw_numbers.unwrap_or_else(|| (0..self.draws as u64).collect());
        let mut ensemble = ensemble.with_chains(
            chains.iter().flat_map(|&chain| std::iter::repeat_n(chain, self.draws)).collect(),
            (0..self.chains).flat_map(|_| iterations.iter().copied()).collect(),
        )?;
        // Chains are judged by it; where it is infinite there is nothing to judge by, and the draws are none the worse.
        if let Some(values) = self.log_posterior.filter(|values| values.iter().all(|x| x.is_finite())) {
            ensemble = ensemble.with_trace(Trace::new(Trace::LOG_POSTERIOR, values))?;
        }
        let labels = match &names.labels {
            None => None,
            Some(name) => {
                let found = read(name)?;
                Shaped { name, shape: &found.shape }.expect_labels()?;
                let label = |&x: &f64| {
                    integer(x)
                        .ok_or_else(|| Error::input(format!("label in '{}' is {x}, expected an integer", shown(name))))
                };
                Some(LabelDraws {
                    draws: self.chains * self.draws,
                    observations: found.shape[0],
                    labels: found.values.iter().map(label).collect::<Result<_>>()?,
                })
            }
        };
        Ok(DrawsFile { ensemble, labels, data: None })
    }
}

/// Values with their axes in another order: axis i of the result is axis `order[i]`.
pub(crate) fn transposed(values: &[f64], shape: &[usize], order: &[usize]) -> Vec<f64> {
    if order.iter().copied().eq(0..shape.len()) {
        return values.to_vec();
    }
    let mut steps = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        steps[axis - 1] = steps[axis] * shape[axis];
    }
    let mut index = vec![0; order.len()];
    let mut at = 0;
    let mut out = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        out.push(values[at]);
        for place in (0..order.len()).rev() {
            let axis = order[place];
            index[place] += 1;
            at += steps[axis];
            if index[place] < shape[axis] {
                break;
            }
            at -= steps[axis] * shape[axis];
            index[place] = 0;
        }
    }
    out
}

/// The order of axes with chain and draw first, then the atoms where they are known by name; `None` when chain or draw is not there.
pub(crate) fn order_of(dimensions: &[String], atom: Option<&str>) -> Option<Vec<usize>> {
    let place = |name: &str| dimensions.iter().position(|known| known == name);
    let mut order = vec![place("chain")?, place("draw")?];
    order.extend(atom.and_then(place));
    order.extend((0..dimensions.len()).filter(|axis| !order.contains(axis)).collect::<Vec<_>>());
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_indices_are_told_with_a_remedy() {
        let error = Shaped { name: "mu", shape: &[2, 3] }.dim(3).unwrap_err();
        let hint = error.hint_text().expect("a hint").spelled(&mixgist::text::Neutral);
        assert!(error.to_string().contains("shape (2, 3), expected (3, d)"), "{error}");
        assert!(hint.contains("rename the columns mu[i,j] to mu[j,i]"), "{hint}");
        assert_eq!(Shaped { name: "mu", shape: &[3, 2] }.dim(3).unwrap(), 2);
        let hint = |name: &str| called_twice(name).hint_text().expect("a hint").spelled(&mixgist::text::Neutral);
        assert!(hint("mu[1").contains("double quotes") && hint("mu[1]").contains("rename"));
    }

    #[test]
    fn axes_are_put_in_order() {
        let values: Vec<f64> = (0..24).map(f64::from).collect();
        let names = ["draw", "atom", "chain"].map(String::from);
        let order = order_of(&names, None).unwrap();
        assert_eq!(order, [2, 0, 1]);
        let out = transposed(&values, &[2, 3, 4], &order);
        for (chain, draw, atom) in (0..4).flat_map(|c| (0..2).flat_map(move |d| (0..3).map(move |a| (c, d, a)))) {
            assert_eq!(out[(chain * 2 + draw) * 3 + atom], values[(draw * 3 + atom) * 4 + chain]);
        }
        assert_eq!(order_of(&["chain", "draw", "x", "k"].map(String::from), Some("k")).unwrap(), [0, 1, 3, 2]);
        assert_eq!(order_of(&["chain".to_owned()], None), None);
    }
}
