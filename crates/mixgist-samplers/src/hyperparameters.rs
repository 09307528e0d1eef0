//! Every number of the model, given or chosen from the data, in a form that can be printed in a paper.

use std::fmt;

use mixgist::linalg::cholesky_in_place;
use mixgist::text::{Text, index};
use mixgist::{Error, Result, text};

use crate::mixing::{Concentration, MixingPrior};
use crate::outline::Outline;
use crate::scales;
use crate::settings::{
    Algorithm, ComponentPrior, CovarianceModel, FitSettings, MAX_STICKS, Scale, Truncation, check_mixing, check_size,
};

/// The model with nothing left open. Its `Display` is the paragraph for a paper.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Hyperparameters {
    /// Dimension d of the data.
    pub dim: usize,
    /// The distribution of the weights.
    pub prior: MixingPrior,
    /// The concentration of that prior.
    pub concentration: Concentration,
    /// How the covariance varies between components.
    pub covariance: CovarianceModel,
    /// μ0, d numbers.
    pub mu0: Vec<f64>,
    /// λ.
    pub lambda: f64,
    /// Ψ, d × d row-major.
    pub psi: Vec<f64>,
    /// ν.
    pub nu: f64,
    /// Which of λ, Ψ and ν are learned: then those above are where their distributions are centred.
    #[serde(default)]
    pub learned: Learned,
    /// Number of sticks of the blocked sampler (the number of components of a finite mixture).
    pub truncation: Option<usize>,
}

/// Which scales of the components' prior are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Learned {
    /// λ.
    pub lambda: bool,
    /// Ψ.
    pub psi: bool,
    /// ν.
    pub nu: bool,
}

impl Learned {
    /// What is not given, if scales are to be learned. A common covariance says nothing about its own prior.
    fn of(given: &ComponentPrior, dim: usize) -> Self {
        let (asked, own) = (given.scales.learns(dim), given.covariance != CovarianceModel::Common);
        Learned {
            lambda: asked && given.lambda.is_none(),
            psi: asked && own && given.psi.is_none(),
            nu: asked && own && given.nu.is_none(),
        }
    }

    /// Whether anything is learned.
    pub fn any(self) -> bool {
        self.lambda || self.psi || self.nu
    }
}

impl Hyperparameters {
    /// Checks the settings against the data (n × dim, row-major, finite) and fills in what they leave open.
    pub fn resolve(values: &[f64], dim: usize, settings: &FitSettings) -> Result<Self> {
        Self::for_data(&Outline::of(values, dim), settings)
    }

    /// The same for data of which ranges, means and variances are known.
    pub(crate) fn for_data(outline: &Outline, settings: &FitSettings) -> Result<Self> {
        settings.check()?;
        let (given, dim) = (&settings.component, outline.dim());
        if given.psi.is_none() {
            check_spread(outline, given.covariance)?;
        }
        let mu0 = match &given.mu0 {
            Some(mu0) => vector("mu0", mu0, dim)?,
            None => outline.mean.clone(),
        };
        let psi = match &given.psi {
            Some(scale) => scale_matrix(scale, dim)?,
            None => diagonal(&outline.variance.iter().map(|variance| variance / 4.0).collect::<Vec<_>>())?,
        };
        let resolved = Hyperparameters {
            dim,
            prior: settings.prior,
            concentration: settings.concentration,
            covariance: given.covariance,
            mu0,
            lambda: given.lambda.unwrap_or(0.1),
            psi,
            nu: given.nu.unwrap_or((inner_dim(given.covariance, dim) + 2) as f64),
            learned: Learned::of(given, dim),
            truncation: match settings.algorithm {
                Algorithm::Blocked { truncation } => Some(sticks(truncation, settings)?),
                Algorithm::Slice | Algorithm::Marginal => None,
            },
        };
        resolved.check(outline)?;
        Ok(resolved)
    }

    /// Refuses numbers that make no model: of the mixing prior, μ0, λ, Ψ, ν, by themselves and against the data.
    pub(crate) fn check(&self, outline: &Outline) -> Result<()> {
        let d = self.dim;
        if d == 0 {
            return Err(Error::usage("the model has dimension 0, must be at least 1"));
        }
        check_mixing(self.prior, self.concentration)?;
        vector("mu0", &self.mu0, d)?;
        check_size("lambda", self.lambda)?;
        check_matrix(&vector("psi", &self.psi, d * d)?, d, self.covariance)?;
        let inner = inner_dim(self.covariance, d);
        if self.nu.is_nan() || self.nu <= (inner - 1) as f64 {
            return Err(Error::usage(format!("nu is {}, must be above {} in dimension {inner}", self.nu, inner - 1)));
        }
        check_size("nu", self.nu)?;
        check_scale(&self.mu0, &self.psi, outline)
    }

    /// The model of coordinate j alone: Σ_jj ~ IW(ν − d + 1, Ψ_jj), so that its predictive densities are marginals of the joint ones. For
    /// full covariances.
    pub fn marginal(&self, j: usize) -> Hyperparameters {
        let d = self.dim;
        Hyperparameters {
            dim: 1,
            mu0: vec![self.mu0[j]],
            psi: vec![self.psi[j * d + j]],
            nu: self.nu - (d - 1) as f64,
            ..self.clone()
        }
    }
}

/// The dimension of the covariances that have a distribution of their own.
fn inner_dim(covariance: CovarianceModel, dim: usize) -> usize {
    if covariance == CovarianceModel::Diagonal { 1 } else { dim }
}

fn check_spread(outline: &Outline, covariance: CovarianceModel) -> Result<()> {
    let (rows, columns) = (outline.rows, outline.dim());
    let needed = if covariance == CovarianceModel::Diagonal { 2 } else { columns.max(2) };
    if rows < needed {
        return Err(Error::input(format!("{rows} rows of {columns} columns are too few to choose Ψ from the data"))
            .hint("give psi yourself, or use the diagonal covariance model"));
    }
    match outline.variance.iter().position(|variance| *variance <= 0.0) {
        Some(j) => {
            let value = outline.mean[j];
            Err(Error::input(text![
                "column ",
                index(j),
                format!(" of the data is constant: {value} in all {rows} rows")
            ])
            .hint("drop the column, or give psi yourself"))
        }
        None => Ok(()),
    }
}

fn vector(name: &str, given: &[f64], dim: usize) -> Result<Vec<f64>> {
    if given.len() != dim {
        return Err(Error::usage(format!("{name} has {} numbers, the data have {dim} columns", given.len())));
    }
    match given.iter().position(|v| !v.is_finite()) {
        Some(j) => Err(Error::usage(text!["entry ", index(j), format!(" of {name} is {}", given[j])])),
        None => Ok(given.to_vec()),
    }
}

fn diagonal(entries: &[f64]) -> Result<Vec<f64>> {
    let d = entries.len();
    let mut matrix = Vec::new();
    matrix.try_reserve_exact(d.saturating_mul(d)).map_err(|_| {
        Error::resource(format!(
            "a covariance of {d} columns needs {:.1} GB, which are not there",
            8e-9 * (d as f64).powi(2)
        ))
        .hint("fit fewer columns, or the first principal components of them")
    })?;
    matrix.resize(d * d, 0.0);
    (0..d).for_each(|j| matrix[j * d + j] = entries[j]);
    Ok(matrix)
}

fn scale_matrix(scale: &Scale, dim: usize) -> Result<Vec<f64>> {
    match scale {
        Scale::Diagonal(entries) => diagonal(&vector("psi", entries, dim)?),
        Scale::Full(entries) if entries.len() == dim * dim => vector("psi", entries, dim * dim),
        Scale::Full(entries) => Err(Error::usage(format!("psi has {} numbers, expected {dim} × {dim}", entries.len()))
            .hint("a diagonal takes as many numbers as the data have columns")),
    }
}

/// An entry of a matrix.
fn entry(row: usize, column: usize) -> Text {
    text!["entry (", index(row), ", ", index(column), ")"]
}

/// Ψ: symmetric, positive definite, diagonal if it must be.
fn check_matrix(matrix: &[f64], dim: usize, covariance: CovarianceModel) -> Result<()> {
    for i in 0..dim {
        for j in 0..i {
            let (below, above) = (matrix[i * dim + j], matrix[j * dim + i]);
            if (below - above).abs() > 1e-8 * below.abs().max(above.abs()) {
                return Err(Error::usage(text![
                    "psi is not symmetric: ",
                    entry(i, j),
                    format!(" is {below}, "),
                    entry(j, i),
                    format!(" is {above}")
                ]));
            }
            if covariance == CovarianceModel::Diagonal && below != 0.0 {
                let must = format!(" of psi is {below}, must be 0 for diagonal covariances");
                return Err(Error::usage(entry(i, j).then(must)));
            }
        }
    }
    cholesky_in_place(&mut matrix.to_vec(), dim)
        .map_err(|pivot| Error::usage(text!["psi is not positive definite (at row ", index(pivot), ")"]))
}

/// Ψ and μ0 against the spread of the data, in whose units everything is computed.
fn check_scale(mu0: &[f64], psi: &[f64], outline: &Outline) -> Result<()> {
    let d = mu0.len();
    for j in 0..d {
        let (low, high) = (outline.low[j], outline.high[j]);
        let half = if high > low { high / 2.0 - low / 2.0 } else { 1.0 };
        check_size(
            text![entry(j, j), " of psi, over the squared half-range of column ", index(j), ","],
            psi[j * d + j] / half / half,
        )?;
        let distance = ((mu0[j] - low / 2.0 - high / 2.0) / half).abs();
        if distance > 1e6 {
            return Err(Error::usage(text![
                format!("mu0 lies {distance:e} half-ranges of the data from the middle of column "),
                index(j)
            ])
            .hint("mu0 is in the units of the data"));
        }
    }
    Ok(())
}

fn sticks(truncation: Truncation, settings: &FitSettings) -> Result<usize> {
    if let Some(components) = settings.prior.limit() {
        return Ok(components);
    }
    let tolerance = match truncation {
        Truncation::At(sticks) => return Ok(sticks),
        Truncation::Auto { tolerance } => tolerance,
    };
    let alpha = match settings.concentration {
        Concentration::Fixed(alpha) => alpha,
        // three standard deviations above the prior mean, as α moves
        Concentration::Gamma { shape, rate } => (shape + 3.0 * shape.sqrt()) / rate,
    };
    let mut beyond = 1.0;
    for k in 1..=MAX_STICKS {
        if beyond < tolerance {
            return Ok(k);
        }
        let shape = settings.prior.stick(k - 1, alpha);
        beyond *= shape.b / (shape.a + shape.b);
    }
    Err(Error::usage(format!("truncation to {tolerance:e} would take more than {MAX_STICKS} sticks"))
        .hint("use the slice or the marginal sampler, which do not truncate"))
}

impl fmt::Display for Hyperparameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prior {
            MixingPrior::DirichletProcess => write!(f, "mixing prior: Dirichlet process")?,
            MixingPrior::PitmanYor { discount } => write!(f, "mixing prior: Pitman-Yor process, discount {discount}")?,
            MixingPrior::Finite { components } => {
                write!(f, "mixing prior: symmetric Dirichlet on {components} components")?
            }
        }
        match self.concentration {
            Concentration::Fixed(alpha) => writeln!(f, ", alpha {alpha}")?,
            Concentration::Gamma { shape, rate } => writeln!(f, ", alpha ~ Gamma(shape {shape}, rate {rate})")?,
        }
        if let Some(sticks) = self.truncation {
            writeln!(f, "truncation: {sticks} sticks")?;
        }
        match self.covariance {
            CovarianceModel::Full => writeln!(f, "component: normal, (mu, Sigma) ~ NIW(mu0, lambda, Psi, nu)")?,
            CovarianceModel::Diagonal => {
                writeln!(f, "component: normal, diagonal Sigma, (mu_j, Sigma_jj) ~ NIW(mu0_j, lambda, Psi_jj, nu)")?;
            }
            CovarianceModel::Common => {
                writeln!(f, "component: normal, one Sigma ~ IW(nu, Psi), mu_k ~ N(mu0, Sigma/lambda)")?;
            }
        }
        let d = self.dim;
        let centre: Vec<f64> = (0..d).map(|j| matters(self.mu0[j], self.psi[j * d + j].sqrt())).collect();
        writeln!(f, "mu0: {}", list(&centre))?;
        let inner = inner_dim(self.covariance, d);
        let about = |learned: bool, text: String| if learned { text } else { String::new() };
        let gamma = |(shape, rate): (f64, f64)| format!("Gamma(shape {shape}, rate {rate})");
        let lambda = about(self.learned.lambda, format!(" at the start, ~ {}", gamma(scales::LAMBDA)));
        let nu = about(
            self.learned.nu,
            format!(
                " at the start, nu - {} ~ {}, truncated to at least {}",
                inner - 1,
                gamma(scales::NU),
                scales::LEAST_UNIT
            ),
        );
        writeln!(f, "lambda: {}{lambda}", self.lambda)?;
        writeln!(f, "nu: {}{nu}", self.nu)?;
        if self.learned.psi {
            writeln!(
                f,
                "Psi/(nu - {}) ~ Wishart with {inner} degrees of freedom and the mean of the start",
                inner - 1
            )?;
        }
        let is_diagonal = (0..d * d).all(|e| e / d == e % d || self.psi[e] == 0.0);
        if is_diagonal {
            let entries: Vec<f64> = (0..d).map(|j| six_digits(&self.psi[j * d + j])).collect();
            return write!(f, "Psi: diag({})", list(&entries));
        }
        let entries: Vec<f64> = self.psi.iter().map(six_digits).collect();
        let rows: Vec<String> = entries.chunks_exact(d).map(list).collect();
        write!(f, "Psi: [{}]", rows.join("; "))
    }
}

/// A place, to a ten-thousandth of the scale that it is seen on: digits beyond that say nothing. The document has all of them.
fn matters(place: f64, scale: f64) -> f64 {
    let digits = (4.0 - scale.log10().floor()).clamp(0.0, 300.0);
    let step = 10f64.powf(digits);
    let rounded = (place * step).round() / step;
    if rounded.is_finite() { rounded + 0.0 } else { place }
}

/// A size, to six significant digits.
fn six_digits(size: &f64) -> f64 {
    format!("{size:.5e}").parse().unwrap_or(*size)
}

fn list(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: [f64; 6] = [1.0, 10.0, 2.0, 30.0, 3.0, 20.0];

    fn with(change: impl FnOnce(&mut FitSettings)) -> Result<Hyperparameters> {
        let mut settings = FitSettings::default();
        change(&mut settings);
        Hyperparameters::resolve(&DATA, 2, &settings)
    }

    #[test]
    fn defaults_come_from_the_data_and_are_printed() {
        let resolved = with(|_| ()).unwrap();
        assert_eq!(resolved.mu0, [2.0, 20.0]);
        assert_eq!(resolved.psi, [0.25, 0.0, 0.0, 25.0]);
        assert_eq!((resolved.lambda, resolved.nu), (0.1, 4.0));
        // (1/2)^{K−1} < 1e-8 first at K − 1 = 27
        assert_eq!(resolved.truncation, Some(28));
        let printed = resolved.to_string();
        assert!(
            printed.contains("Dirichlet process, alpha 1\n") && printed.contains("Psi: diag(0.25, 25)"),
            "{printed}"
        );
    }

    #[test]
    fn numbers_are_printed_with_the_digits_that_matter() {
        // Columns around 0 and around a year, whose means have rounding errors and many digits.
        let values: Vec<f64> = (0..7).flat_map(|i| [f64::from(i) / 3.0 - 1.0, 2026.0 + f64::from(i) / 7.0]).collect();
        let model = Hyperparameters::resolve(&values, 2, &FitSettings::default()).unwrap();
        assert!(model.mu0[0].abs() < 1e-15);
        let text = model.to_string();
        assert!(text.contains("mu0: 0, 2026.42857\n"), "{text}");
        assert!(text.contains("Psi: diag(0.12963, 0.0238095)"), "{text}");
        let given = Hyperparameters { mu0: vec![-1.0, 123_456_789.5], ..model };
        assert!(given.to_string().contains("mu0: -1, 123456789.5\n"), "{given}");
    }

    #[test]
    fn what_does_not_fit_the_data_is_named() {
        let message = |change: fn(&mut FitSettings)| with(change).unwrap_err().to_string();
        assert!(message(|s| s.component.mu0 = Some(vec![0.0])).contains("mu0 has 1 numbers, the data have 2 columns"));
        assert!(message(|s| s.component.psi = Some(Scale::Full(vec![1.0; 4]))).contains("not positive definite"));
        assert!(message(|s| s.component.psi = Some(Scale::Full(vec![1.0, 0.2, 0.1, 1.0]))).contains("not symmetric"));
        assert!(
            message(|s| s.component.psi = Some(Scale::Diagonal(vec![1.0, -1.0]))).contains("not positive definite")
        );
        assert!(message(|s| s.component.psi = Some(Scale::Diagonal(vec![1.0, f64::NAN]))).contains("entry 1 of psi"));
        assert!(message(|s| s.component.nu = Some(1.0)).contains("nu is 1, must be above 1"));
        assert!(message(|s| s.prior = MixingPrior::PitmanYor { discount: 0.9 }).contains("more than 10000 sticks"));
        let constant = Hyperparameters::resolve(&[1.0, 5.0, 2.0, 5.0], 2, &FitSettings::default()).unwrap_err();
        assert!(constant.to_string().contains("column 1 of the data is constant"));
        let few = Hyperparameters::resolve(&[1.0, 5.0, 2.0], 3, &FitSettings::default()).unwrap_err();
        assert!(few.to_string().contains("1 rows of 3 columns are too few"));
        // A matrix that no memory holds is refused before it is made.
        let wide = vec![1.0; 3_000_000];
        let mut settings = FitSettings::default();
        settings.component.psi = Some(Scale::Diagonal(wide.clone()));
        let error = Hyperparameters::resolve(&wide, wide.len(), &settings).unwrap_err();
        assert_eq!(error.to_string(), "a covariance of 3000000 columns needs 72000.0 GB, which are not there");
    }

    #[test]
    fn impossible_hyperparameters_are_refused() {
        let new = |mu0: &[f64], lambda: f64, psi: &[f64], nu: f64| {
            let dim = mu0.len();
            let of = |dim| with(|_| ()).map(|resolved| Hyperparameters { dim, ..resolved }).unwrap();
            let model = Hyperparameters { mu0: mu0.to_vec(), lambda, psi: psi.to_vec(), nu, ..of(dim) };
            model.check(&Outline::of(&[0.0, 0.0, 1.0, 1.0][..2 * dim], dim))
        };
        assert!(new(&[], 1.0, &[], 3.0).is_err());
        assert!(new(&[f64::NAN], 1.0, &[1.0], 3.0).is_err());
        assert!(new(&[0.0], 0.0, &[1.0], 3.0).is_err());
        assert!(new(&[0.0], f64::INFINITY, &[1.0], 3.0).is_err());
        assert!(new(&[0.0], 1.0, &[1.0, 2.0], 3.0).is_err());
        assert!(new(&[0.0], 1.0, &[-1.0], 3.0).is_err());
        assert!(new(&[0.0], 1.0, &[1.0], f64::NAN).is_err());
        assert!(new(&[0.0, 0.0], 1.0, &[1.0, 0.5, -0.5, 1.0], 3.0).is_err());
        assert!(new(&[0.0, 0.0], 1.0, &[1.0, 0.0, 0.0, 1.0], 1.0).is_err());
        assert!(new(&[0.0, 0.0], 1.0, &[1.0, 0.0, 0.0, 1.0], 1.01).is_ok());
        assert!(new(&[0.0], 1.0, &[1.0], 0.5).is_ok());
    }
}
