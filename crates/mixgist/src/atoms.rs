//! Gaussian atoms θ = (μ, Σ), many of them in one store; positive definiteness is checked here, once.

use crate::linalg::{cholesky_in_place, from_cholesky, inverse_spd};
use crate::text;
use crate::text::{index, named, option};
use crate::{Error, Result};

/// The form in which covariances are given. The caller says which; nothing is guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CovarianceForm {
    /// d × d covariance matrix Σ.
    #[default]
    Covariance,
    /// d × d precision matrix Σ⁻¹.
    Precision,
    /// d × d lower triangular Cholesky factor L, Σ = L Lᵀ.
    Cholesky,
    /// d variances, Σ = diag(v).
    Diagonal,
    /// One variance, Σ = v I.
    Spherical,
    /// d standard deviations, Σ = diag(s²).
    StandardDeviation,
}

impl CovarianceForm {
    /// Every form, with the name that files and options use.
    pub const NAMES: [(&'static str, CovarianceForm); 6] = [
        ("covariance", CovarianceForm::Covariance),
        ("precision", CovarianceForm::Precision),
        ("cholesky", CovarianceForm::Cholesky),
        ("diagonal", CovarianceForm::Diagonal),
        ("spherical", CovarianceForm::Spherical),
        ("sd", CovarianceForm::StandardDeviation),
    ];

    /// Other words for some of the forms, as other packages have them; `tied` is one covariance that the atoms of a draw share.
    pub const ALIASES: [(&'static str, &'static str); 6] = [
        ("cov", "covariance"),
        ("full", "covariance"),
        ("tied", "covariance"),
        ("diag", "diagonal"),
        ("std", "sd"),
        ("chol", "cholesky"),
    ];

    /// The form of that name, or of another word for it.
    pub fn from_name(name: &str) -> Result<Self> {
        let name = Self::ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, form)| *form).ok_or_else(|| {
            let known: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            Error::usage(format!("unknown covariance form '{name}'")).hint(format!("one of: {}", known.join(", ")))
        })
    }

    /// How many numbers an atom of dimension `dim` takes in this form.
    pub fn numbers_per_atom(self, dim: usize) -> usize {
        match self {
            Self::Covariance | Self::Precision | Self::Cholesky => dim * dim,
            Self::Diagonal | Self::StandardDeviation => dim,
            Self::Spherical => 1,
        }
    }

    /// Writes the covariance matrix that `given` stands for; every entry of `given` is finite.
    fn expand(self, given: &[f64], d: usize, out: &mut [f64]) -> Result<()> {
        match self {
            Self::Covariance => symmetrize(given, d, "covariance", out)?,
            Self::Precision => {
                symmetrize(given, d, "precision matrix", out)?;
                let inverse = inverse_spd(out, d).map_err(|_| not_positive_definite("precision matrix", out, d))?;
                out.copy_from_slice(&inverse);
            }
            Self::Cholesky => {
                for i in 0..d {
                    if let Some(j) = (i + 1..d).find(|&j| given[i * d + j] != 0.0) {
                        let entry =
                            text!["Cholesky factor is not lower triangular: entry (", index(i), ", ", index(j), ")"];
                        return Err(Error::input(entry.then(format!(" is {}", given[i * d + j])))
                            .hint("an upper triangular factor must be transposed first"));
                    }
                    if given[i * d + i] <= 0.0 {
                        let value = format!(" of the Cholesky factor is {}, must be positive", given[i * d + i]);
                        return Err(Error::input(text!["diagonal entry ", index(i), value]));
                    }
                }
                from_cholesky(given, d, out);
            }
            Self::Diagonal | Self::Spherical => {
                out.fill(0.0);
                for i in 0..d {
                    out[i * d + i] = given[if self == Self::Diagonal { i } else { 0 }];
                }
            }
            Self::StandardDeviation => {
                out.fill(0.0);
                for i in 0..d {
                    if given[i] <= 0.0 {
                        return Err(Error::input(format!("standard deviation is {}, must be positive", given[i])));
                    }
                    out[i * d + i] = given[i] * given[i];
                }
            }
        }
        let mut factor = out.to_vec();
        cholesky_in_place(&mut factor, d).map_err(|_| not_positive_definite("covariance", out, d))
    }
}

fn not_positive_definite(what: &str, a: &[f64], d: usize) -> Error {
    let eigenvalues = crate::linalg::eigen_symmetric(a, d).values;
    let smallest = eigenvalues.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = eigenvalues.iter().copied().fold(0.0, f64::max);
    // Rounding decides about the sign of such an eigenvalue.
    if smallest != 0.0 && smallest.abs() <= 1e-12 * largest {
        return Error::input(format!(
            "{what} is singular to rounding (its largest eigenvalue is {largest:.3e}, its smallest less than 1e-12 of that)"
        ));
    }
    Error::input(format!("{what} is not positive definite (smallest eigenvalue {smallest:.3e})"))
}

/// A covariance that was positive definite before: its numbers leave the range, or it is singular to rounding.
fn not_positive_in_units(a: &[f64], d: usize) -> Error {
    let hint = text!["give ", named("units"), " that are nearer to the spread of the data"];
    if a.iter().all(|x| x.is_finite()) && (0..d).all(|i| a[i * d + i] > 0.0) {
        return not_positive_definite("covariance in these units", a, d).hint(hint);
    }
    Error::input("covariance is too large or too small in these units").hint(hint)
}

/// Copies a matrix and removes asymmetry that rounding can explain; larger asymmetry is an error.
fn symmetrize(given: &[f64], d: usize, what: &str, out: &mut [f64]) -> Result<()> {
    for i in 0..d {
        for j in 0..=i {
            let (below, above) = (given[i * d + j], given[j * d + i]);
            let scale = (given[i * d + i] * given[j * d + j]).abs().sqrt().max(below.abs()).max(above.abs());
            if (below - above).abs() > 1e-8 * scale {
                let entry = |i, j, value| text!["entry (", index(i), ", ", index(j), format!(") is {value}")];
                let what = text![format!("{what} is not symmetric: "), entry(i, j, below), ", ", entry(j, i, above)];
                return Err(asymmetry_hint(Error::input(what), below, above));
            }
            let mean = below + (above - below) / 2.0;
            out[i * d + j] = mean;
            out[j * d + i] = mean;
        }
    }
    Ok(())
}

/// What an asymmetric matrix may be: a Cholesky factor when one side of its diagonal is 0, or else a matrix whose indices are exchanged.
fn asymmetry_hint(error: Error, below: f64, above: f64) -> Error {
    match below == 0.0 || above == 0.0 {
        true => error.hint(text![
            "is it a Cholesky factor? Then say so: ",
            option("covariance_form", "cholesky"),
            " (lower triangular, L with L L' = covariance)"
        ]),
        false => error.hint(
            "an array of covariances has the axes (draw, atom, row, column), columns of a file are Sigma[atom,row,column]: does the atom \
             stand elsewhere in yours? If the difference is rounding, replace the matrix by the mean of it and its transpose",
        ),
    }
}

/// Room for n covariances of dimension d, which a few numbers can stand for: an error where there is none.
fn zeros(n: usize, d: usize) -> Result<Vec<f64>> {
    let count = d.checked_mul(d).and_then(|size| size.checked_mul(n)).unwrap_or(usize::MAX);
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(count).map_err(|_| {
        let bytes = 8.0 * n as f64 * d as f64 * d as f64;
        Error::resource(format!("covariances of dimension {d} need {:.1} GB, which are not there", bytes / 1e9))
    })?;
    zeros.resize(count, 0.0);
    Ok(zeros)
}

/// A store of Gaussian atoms of one dimension: means n × d and covariances n × d × d, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianAtoms {
    dim: usize,
    means: Vec<f64>,
    covariances: Vec<f64>,
}

impl GaussianAtoms {
    /// Checks and stores atoms: `means` is n × dim, `shapes` the covariances in the given `form`.
    ///
    /// An error names the atom. Cost O(n d³).
    pub fn new(dim: usize, means: Vec<f64>, shapes: Vec<f64>, form: CovarianceForm) -> Result<Self> {
        if dim == 0 {
            return Err(Error::input("atoms have dimension 0, must be at least 1"));
        }
        let n = means.len() / dim;
        let size = form.numbers_per_atom(dim);
        if means.len() != n * dim || shapes.len() != n * size {
            return Err(Error::input(format!(
                "{} numbers for means and {} for covariances do not make atoms of dimension {dim} ({dim} and {size} an atom)",
                means.len(),
                shapes.len()
            )));
        }
        if let Some(i) = means.iter().position(|x| !x.is_finite()) {
            let message = text!["coordinate ", index(i % dim), format!(" of the mean is {}", means[i])];
            return Err(Error::input(message).at_atom(i / dim));
        }
        if let Some(i) = shapes.iter().position(|x| !x.is_finite()) {
            let value = format!(" of the covariance is {}", shapes[i]);
            let entry = i % size;
            let message = if size == dim * dim && dim > 1 {
                text!["entry (", index(entry / dim), ", ", index(entry % dim), ")", value]
            } else {
                text!["entry ", index(entry), value]
            };
            return Err(Error::input(message).at_atom(i / size));
        }
        let covariances = if form == CovarianceForm::Covariance {
            // In place: the memory that was given becomes that of the atoms.
            let (mut covariances, mut given) = (shapes, vec![0.0; size]);
            for (i, out) in covariances.chunks_exact_mut(size).enumerate() {
                given.copy_from_slice(out);
                form.expand(&given, dim, out).map_err(|error| error.at_atom(i))?;
            }
            covariances
        } else {
            let mut covariances = zeros(n, dim)?;
            for (i, given) in shapes.chunks_exact(size).enumerate() {
                let out = &mut covariances[i * dim * dim..(i + 1) * dim * dim];
                form.expand(given, dim, out).map_err(|error| error.at_atom(i))?;
            }
            covariances
        };
        Ok(GaussianAtoms { dim, means, covariances })
    }

    /// Dimension d of the means.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of atoms.
    pub fn len(&self) -> usize {
        self.means.len() / self.dim
    }

    /// Whether there is no atom.
    pub fn is_empty(&self) -> bool {
        self.means.is_empty()
    }

    /// All means, n × d.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// All covariances, n × d × d.
    pub fn covariances(&self) -> &[f64] {
        &self.covariances
    }

    /// Mean of atom i.
    pub fn mean(&self, i: usize) -> &[f64] {
        &self.means[i * self.dim..(i + 1) * self.dim]
    }

    /// Covariance of atom i, row-major.
    pub fn covariance(&self, i: usize) -> &[f64] {
        let size = self.dim * self.dim;
        &self.covariances[i * size..(i + 1) * size]
    }

    /// The atoms with the given indices, in that order.
    pub fn select(&self, indices: impl IntoIterator<Item = usize>) -> Self {
        let mut selected = GaussianAtoms { dim: self.dim, means: Vec::new(), covariances: Vec::new() };
        for i in indices {
            selected.means.extend_from_slice(self.mean(i));
            selected.covariances.extend_from_slice(self.covariance(i));
        }
        selected
    }

    /// Adds atoms of the same dimension at the end.
    pub(crate) fn append(&mut self, more: &GaussianAtoms) {
        debug_assert_eq!(self.dim, more.dim);
        self.means.extend_from_slice(&more.means);
        self.covariances.extend_from_slice(&more.covariances);
    }

    /// The atoms of a contiguous range.
    pub fn range(&self, range: std::ops::Range<usize>) -> Self {
        let size = self.dim * self.dim;
        GaussianAtoms {
            dim: self.dim,
            means: self.means[range.start * self.dim..range.end * self.dim].to_vec(),
            covariances: self.covariances[range.start * size..range.end * size].to_vec(),
        }
    }

    /// The atoms in other coordinates, y = T x: μ ↦ Tμ, Σ ↦ TΣTᵀ. `transform` is d × d and invertible. A covariance that
    /// is singular to rounding in the new coordinates is an error.
    pub(crate) fn transformed(&self, transform: &[f64]) -> Result<Self> {
        let d = self.dim;
        let mut out = self.clone();
        let mut half = vec![0.0; d * d];
        for i in 0..self.len() {
            let (mean, covariance) = (self.mean(i), self.covariance(i));
            for a in 0..d {
                out.means[i * d + a] = (0..d).map(|b| transform[a * d + b] * mean[b]).sum();
                for b in 0..d {
                    half[a * d + b] = (0..d).map(|k| transform[a * d + k] * covariance[k * d + b]).sum();
                }
            }
            for a in 0..d {
                for b in 0..=a {
                    let value: f64 = (0..d).map(|k| half[a * d + k] * transform[b * d + k]).sum();
                    out.covariances[(i * d + a) * d + b] = value;
                    out.covariances[(i * d + b) * d + a] = value;
                }
            }
            half.copy_from_slice(out.covariance(i));
            cholesky_in_place(&mut half, d).map_err(|_| not_positive_in_units(out.covariance(i), d).at_atom(i))?;
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_given_away_becomes_that_of_the_atoms() {
        let (means, covariances) = (vec![1.0, 2.0], vec![2.0, 0.5, 0.5, 1.0]);
        let given = (means.as_ptr(), covariances.as_ptr());
        let atoms = GaussianAtoms::new(2, means, covariances, CovarianceForm::Covariance).unwrap();
        assert_eq!((atoms.means().as_ptr(), atoms.covariances().as_ptr()), given);
        assert_eq!(atoms.covariances(), [2.0, 0.5, 0.5, 1.0]);
    }

    #[test]
    fn every_form_of_one_covariance_gives_the_same_atoms() {
        let make = |shapes: &[f64], form| GaussianAtoms::new(2, vec![1.0, 2.0], shapes.to_vec(), form).unwrap();
        let reference = make(&[4.0, 0.0, 0.0, 4.0], CovarianceForm::Covariance);
        assert_eq!(make(&[0.25, 0.0, 0.0, 0.25], CovarianceForm::Precision), reference);
        assert_eq!(make(&[2.0, 0.0, 0.0, 2.0], CovarianceForm::Cholesky), reference);
        assert_eq!(make(&[4.0, 4.0], CovarianceForm::Diagonal), reference);
        assert_eq!(make(&[4.0], CovarianceForm::Spherical), reference);
        let plane = GaussianAtoms::new(2, vec![0.0; 2], vec![3.0, 0.5], CovarianceForm::StandardDeviation).unwrap();
        assert_eq!(plane.covariances(), [9.0, 0.0, 0.0, 0.25]);
        let sd = GaussianAtoms::new(1, vec![0.0], vec![3.0], CovarianceForm::StandardDeviation).unwrap();
        assert_eq!(sd.covariances(), [9.0]);
    }

    #[test]
    fn bad_atoms_are_named() {
        let message = |dim, means: &[f64], shapes: &[f64], form| {
            GaussianAtoms::new(dim, means.to_vec(), shapes.to_vec(), form).unwrap_err().to_string()
        };
        use CovarianceForm::*;
        assert!(
            message(1, &[0.0, f64::NAN], &[1.0, 1.0], Covariance).contains("atom 1: coordinate 0 of the mean is NaN")
        );
        assert!(message(1, &[0.0], &[f64::INFINITY], Covariance).contains("atom 0: entry 0 of the covariance is inf"));
        assert!(
            message(1, &[0.0, 0.0], &[1.0, -1.0], Covariance).contains("atom 1: covariance is not positive definite")
        );
        // Its smallest eigenvalue comes out as a tiny number of either sign, or as 0.
        let singular = message(2, &[0.0, 0.0], &[3.0, 1.0, 1.0, 1.0 / 3.0], Covariance);
        assert!(singular.contains("singular to rounding") || singular.contains("smallest eigenvalue 0"), "{singular}");
        assert!(message(2, &[0.0, 0.0], &[1.0, 0.5, 0.2, 1.0], Covariance).contains("not symmetric"));
        let hint = |shape: [f64; 4]| {
            let error = GaussianAtoms::new(2, vec![0.0; 2], shape.to_vec(), Covariance).unwrap_err();
            error.hint_text().expect("a hint").spelled(&crate::text::Neutral)
        };
        assert!(hint([1.0, 0.0, 0.2, 1.0]).contains("Cholesky factor"));
        assert!(hint([1.0, 0.5, 0.2, 1.0]).contains("does the atom stand elsewhere"));
        assert!(message(2, &[0.0, 0.0], &[1.0, 0.5, 0.0, 1.0], Cholesky).contains("not lower triangular"));
        assert!(message(2, &[0.0, 0.0], &[1.0, 0.0, 0.0, -1.0], Cholesky).contains("must be positive"));
        assert!(
            message(2, &[0.0, 0.0], &[1.0, 2.0, 2.0, 1.0], Precision)
                .contains("precision matrix is not positive definite")
        );
        assert!(message(2, &[0.0, 0.0], &[1.0, 0.0], Diagonal).contains("not positive definite"));
        assert!(message(1, &[0.0], &[-2.0], StandardDeviation).contains("must be positive"));
        assert!(message(2, &[0.0, 0.0], &[1.0], StandardDeviation).contains("do not make atoms of dimension 2"));
        assert!(message(2, &[0.0, 0.0], &[1.0, -1.0], StandardDeviation).contains("must be positive"));
        assert!(message(2, &[0.0, 0.0, 1.0], &[1.0], Spherical).contains("do not make atoms"));
        assert!(message(0, &[], &[], Spherical).contains("dimension 0"));
        // A few numbers stand for many.
        let many = vec![0.0; 3_000_000];
        assert!(message(many.len(), &many, &[1.0], Spherical).contains("need 72000.0 GB"));
    }
}
