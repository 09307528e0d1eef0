//! From data to draws.

use std::path::PathBuf;

use mixgist::diagnostics::Convergence;
use mixgist::{ChainVerdict, Error, Points};
use mixgist_io::{DataTable, DrawsFile, LabelDraws};
use mixgist_samplers::{
    Agreement, Algorithm, CheckpointMode, Checkpoints, ComponentPrior, Concentration, CovarianceModel, FitSettings,
    MixingPrior, Scale, Truncation, fit as fit_model,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::Told;
use crate::arrays::{Input, values};
use crate::draws::Draws;
use crate::error::{InPython, Result};
use crate::running::Call;

/// The model and the chains, in the words of the command line.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FitOptions {
    alpha: (f64, Option<f64>),
    discount: f64,
    components: Option<usize>,
    covariance: String,
    mu0: Option<Vec<f64>>,
    lambda: Option<f64>,
    /// Whether it is the whole matrix, and its numbers.
    psi: Option<(bool, Vec<f64>)>,
    nu: Option<f64>,
    algorithm: String,
    truncation: Option<usize>,
    chains: u32,
    iterations: u64,
    burn_in: u64,
    thin: u64,
    seed: u64,
    checkpoint: Option<PathBuf>,
    resume: Option<PathBuf>,
    checkpoint_every: u64,
}

impl FitOptions {
    fn settings(&self) -> Result<FitSettings> {
        let prior = match self.components {
            Some(components) if self.discount == 0.0 => MixingPrior::Finite { components },
            Some(_) => return Err(Error::usage("a finite mixture has no discount").into()),
            None if self.discount == 0.0 => MixingPrior::DirichletProcess,
            None => MixingPrior::PitmanYor { discount: self.discount },
        };
        let algorithm = match (Algorithm::from_name(&self.algorithm)?, self.truncation) {
            (Algorithm::Blocked { .. }, Some(sticks)) => Algorithm::Blocked { truncation: Truncation::At(sticks) },
            (algorithm, _) => algorithm,
        };
        let settings = FitSettings {
            prior,
            concentration: match self.alpha {
                (shape, Some(rate)) => Concentration::Gamma { shape, rate },
                (alpha, None) => Concentration::Fixed(alpha),
            },
            component: ComponentPrior {
                covariance: CovarianceModel::from_name(&self.covariance)?,
                mu0: self.mu0.clone(),
                lambda: self.lambda,
                psi: self
                    .psi
                    .clone()
                    .map(|(full, numbers)| if full { Scale::Full(numbers) } else { Scale::Diagonal(numbers) }),
                nu: self.nu,
            },
            algorithm,
            chains: self.chains,
            iterations: self.iterations,
            burn_in: self.burn_in,
            thin: self.thin,
            seed: self.seed,
            ..FitSettings::default()
        };
        settings.check()?;
        Ok(settings)
    }

    fn checkpoints(&self) -> Option<Checkpoints> {
        let start = self.checkpoint.clone().map(|directory| (directory, CheckpointMode::Start));
        let resume = self.resume.clone().map(|directory| (directory, CheckpointMode::Resume));
        let every = self.checkpoint_every;
        start.or(resume).map(|(directory, mode)| Checkpoints { directory, every, mode })
    }
}

/// Draws of the posterior, with what is known about the chains.
#[pyfunction]
pub fn fit<'py>(
    py: Python<'py>,
    data: Input<'_, f64>,
    columns: Option<Vec<String>>,
    options: FitOptions,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<(Draws, Bound<'py, PyDict>)> {
    let settings = options.settings()?;
    let checkpoints = options.checkpoints();
    let table = DataTable::new(data.as_array().shape()[1], values(&data)?.to_vec(), columns)?;
    let (fitted, agreement) = Call { threads, progress }.run(py, |progress| {
        let fitted = fit_model(table.values(), table.columns(), &settings, checkpoints.as_ref(), progress)?;
        let points = Points::new(table.columns(), table.values())?;
        let agreement = Agreement::new(&fitted, points, &settings, progress)?;
        Ok((fitted, agreement))
    })?;
    let evidence = PyDict::new(py);
    evidence.set_item("model", fitted.hyperparameters.to_string())?;
    let row = |(name, c): &(String, Convergence)| (name.clone(), c.rhat, c.bulk_ess, c.tail_ess);
    evidence.set_item("diagnostics", agreement.rows.iter().map(row).collect::<Vec<_>>())?;
    evidence.set_item("verdict", agreement.verdict)?;
    evidence.set_item("unresolved", fitted.unresolved)?;
    evidence.set_item("warnings", chain_warnings(&agreement))?;
    let traces = PyDict::new(py);
    traces.set_item("log_posterior", &fitted.traces.log_posterior)?;
    traces.set_item("clusters", &fitted.traces.clusters)?;
    traces.set_item("largest_cluster", &fitted.traces.largest_cluster)?;
    traces.set_item("concentration", &fitted.traces.concentration)?;
    let distances = agreement.summary.medoid.distances.chunks(settings.draws_per_chain() as usize).map(<[f64]>::to_vec);
    traces.set_item("distance_to_estimate", distances.collect::<Vec<_>>())?;
    evidence.set_item("traces", traces)?;
    let labels = LabelDraws {
        draws: fitted.ensemble.len(),
        observations: table.rows(),
        labels: fitted.labels.into_iter().map(i64::from).collect(),
    };
    let file = DrawsFile { ensemble: fitted.ensemble, labels: Some(labels), data: Some(table) };
    Ok((Draws { file }, evidence))
}

/// That the chains do not agree or cannot be judged, with what helps; nothing when they agree.
fn chain_warnings(agreement: &Agreement) -> Vec<Told> {
    let name = match agreement.summary.agreement.verdict {
        ChainVerdict::Agree => return Vec::new(),
        ChainVerdict::Short => "short-chains",
        ChainVerdict::Slow => "slow-chains",
        ChainVerdict::Disagree => "chains-disagree",
        ChainVerdict::TooFew => "few-draws",
    };
    let worst = agreement.summary.agreement.worst().and_then(|trace| Some((&trace.name, trace.convergence?)));
    let message = worst.map_or_else(
        || agreement.verdict.to_owned(),
        |(trace, Convergence { rhat, bulk_ess, .. })| {
            format!("{}; {trace} has R-hat {rhat:.2} and an effective sample size of {bulk_ess:.0}", agreement.verdict)
        },
    );
    let advice: Vec<String> = agreement.advice.iter().map(|text| text.spelled(&InPython)).collect();
    let advice = if advice.is_empty() { "run longer: more iterations".into() } else { advice.join("; ") };
    vec![(name.into(), message, advice)]
}
