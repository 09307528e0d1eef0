//! The normal-inverse-Wishart prior of the components, as options give it.

use clap::Args;
use mixgist::{Error, Result};
use mixgist_samplers::{ComponentPrior, CovarianceModel, Scale, ScaleChoice};

/// The hyperparameters; what is not given is chosen from the data.
#[derive(Args)]
pub struct ComponentArgs {
    /// Prior mean of the components' means, one number per coordinate, such as 3,70 [default: the mean of the data]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    mu0: Option<String>,

    /// Prior strength of mu0, as a number of observations [default: 0.1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    lambda: Option<f64>,

    /// Scale of the inverse Wishart prior: its diagonal (such as 4,36) or its rows (such as 4,1;1,36) [default: a quarter of the variances]
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    psi: Option<String>,

    /// Degrees of freedom of the inverse Wishart prior [default: dimension + 2; 3 for diagonal covariances]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    nu: Option<f64>,
}

impl ComponentArgs {
    /// The prior for this covariance model, with fixed values where none are given.
    pub fn prior(&self, covariance: CovarianceModel) -> Result<ComponentPrior> {
        Ok(ComponentPrior {
            covariance,
            mu0: self.mu0.as_deref().map(|text| numbers("--mu0", text)).transpose()?,
            lambda: self.lambda,
            psi: self.psi.as_deref().map(scale).transpose()?,
            nu: self.nu,
            scales: ScaleChoice::Fixed,
        })
    }
}

fn scale(text: &str) -> Result<Scale> {
    if !text.contains(';') {
        return Ok(Scale::Diagonal(numbers("--psi", text)?));
    }
    let rows: Vec<Vec<f64>> = text.split(';').map(|row| numbers("--psi", row)).collect::<Result<_>>()?;
    if rows.iter().any(|row| row.len() != rows.len()) {
        return Err(Error::usage(format!("--psi is '{text}', its rows do not make a square matrix")));
    }
    Ok(Scale::Full(rows.concat()))
}

/// Numbers separated by commas.
pub fn numbers(option: &str, text: &str) -> Result<Vec<f64>> {
    let parsed: std::result::Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    parsed.map_err(|_| Error::usage(format!("{option} is '{text}', must be numbers separated by commas")))
}
