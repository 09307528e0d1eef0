//! From data to draws.

use std::path::PathBuf;

use mixgist::diagnostics::Convergence;
use mixgist::{ChainVerdict, Error, Points, Progress};
use mixgist_io::{DataTable, DrawsFile, FIT_SCHEMA, read_json, to_json};
use mixgist_samplers::{
    Agreement, Algorithm, ChainRun, Checkpoints, ComponentPrior, Concentration, CovarianceModel, Fit, FitRecord,
    FitSettings, MixingPrior, Scale, ScaleChoice, extend as run_on, fit as fit_model, fit_chain as run_chain,
    join_chains,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

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
    scales: String,
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
    pub fn settings(&self) -> Result<FitSettings> {
        let settings = FitSettings::default()
            .with_prior(MixingPrior::from_options(self.discount, self.components)?)
            .with_concentration(match self.alpha {
                (shape, Some(rate)) => Concentration::Gamma { shape, rate },
                (alpha, None) => Concentration::Fixed(alpha),
            })
            .with_component(ComponentPrior {
                covariance: CovarianceModel::from_name(&self.covariance)?,
                mu0: self.mu0.clone(),
                lambda: self.lambda,
                psi: self
                    .psi
                    .clone()
                    .map(|(full, numbers)| if full { Scale::Full(numbers) } else { Scale::Diagonal(numbers) }),
                nu: self.nu,
                scales: ScaleChoice::from_name(&self.scales)?,
            })
            .with_algorithm(Algorithm::from_name(&self.algorithm)?.with_sticks(self.truncation))
            .with_chains(self.chains)
            .with_iterations(self.iterations)
            .with_burn_in(self.burn_in)
            .with_thin(self.thin)
            .with_seed(self.seed);
        settings.check()?;
        Ok(settings)
    }

    fn checkpoints(&self) -> Option<Checkpoints> {
        Checkpoints::from_options(self.checkpoint.clone(), self.resume.clone(), self.checkpoint_every)
    }
}

/// Draws of the posterior, the document of the fit, and what is to be warned of.
pub type Fitted = (Draws, String, Vec<Told>);

/// Draws of the posterior, with what is known about the chains.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    data: Input<'_, f64>,
    columns: Option<Vec<String>>,
    options: FitOptions,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Fitted> {
    let settings = options.settings()?;
    let checkpoints = options.checkpoints();
    let table = DataTable::new(data.as_array().shape()[1], values(&data)?.to_vec(), columns)?;
    let (fitted, agreement) = Call { threads, progress }.run(py, |progress| {
        let fitted = fit_model(table.values(), table.columns(), &settings, checkpoints.as_ref(), progress)
            .map_err(|error| table.naming_column(error, &InPython))?;
        judged(fitted, &table, &settings, progress)
    })?;
    with_data(fitted, &settings, &agreement, table)
}

/// One chain of a fit, as bytes.
#[pyfunction]
pub fn fit_chain<'py>(
    py: Python<'py>,
    data: Input<'_, f64>,
    options: FitOptions,
    chain: u32,
    threads: Option<usize>,
) -> Result<Bound<'py, PyBytes>> {
    let settings = options.settings()?;
    let table = DataTable::new(data.as_array().shape()[1], values(&data)?.to_vec(), None)?;
    let bytes = Call { threads, progress: None }.run(py, |progress| {
        let run = run_chain(table.values(), table.columns(), &settings, chain, progress)
            .map_err(|error| table.naming_column(error, &InPython))?;
        postcard::to_allocvec(&run).map_err(|cause| Error::resource(format!("a chain cannot be sent: {cause}")))
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// The fit that chains which came as bytes make.
#[pyfunction]
pub fn fit_joined(
    py: Python<'_>,
    data: Input<'_, f64>,
    columns: Option<Vec<String>>,
    options: FitOptions,
    chains: Vec<Vec<u8>>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Fitted> {
    let settings = options.settings()?;
    let table = DataTable::new(data.as_array().shape()[1], values(&data)?.to_vec(), columns)?;
    let (fitted, agreement) = Call { threads, progress }.run(py, |progress| {
        let damaged = |_| Error::input("a chain from another process is damaged");
        let chains = chains.iter().map(|bytes| postcard::from_bytes(bytes).map_err(damaged));
        let chains = chains.collect::<mixgist::Result<Vec<ChainRun>>>()?;
        judged(join_chains(chains, table.values(), table.columns(), &settings)?, &table, &settings, progress)
    })?;
    with_data(fitted, &settings, &agreement, table)
}

/// Lets the chains of a fit, of which these are the draws and the document, run on.
#[pyfunction]
pub fn extend(
    py: Python<'_>,
    draws: PyRef<'_, Draws>,
    document: &str,
    iterations: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Fitted> {
    let document: FitRecord = document_from(document)?;
    if document.ends.is_empty() {
        return Err(FitRecord::without_ends().into());
    }
    let DrawsFile { ensemble, labels: Some(labels), data: Some(table) } = &*draws.file else {
        let error = Error::input("the draws of the fit have no labels or no data");
        return Err(error.hint("give the draws as the fit left them").into());
    };
    let (earlier, settings) = document.into_fit(ensemble.clone(), labels.labels.clone())?;
    let settings = settings.with_iterations(iterations);
    let (fitted, agreement) = Call { threads, progress }.run(py, |progress| {
        let fitted = run_on(earlier, table.values(), table.columns(), &settings, progress)?;
        judged(fitted, table, &settings, progress)
    })?;
    with_data(fitted, &settings, &agreement, table.clone())
}

/// The document of a fit from a file.
#[pyfunction]
pub fn read_fit(path: PathBuf) -> Result<String> {
    let document: FitRecord = read_json(&path, FIT_SCHEMA)?;
    Ok(to_json(FIT_SCHEMA, &document)?)
}

fn document_from(text: &str) -> Result<FitRecord> {
    let damaged = |cause: serde_json::Error| Error::input(format!("the document of the fit is damaged: {cause}"));
    Ok(serde_json::from_str(text).map_err(damaged)?)
}

fn judged(
    fitted: Fit,
    table: &DataTable,
    settings: &FitSettings,
    progress: &dyn Progress,
) -> mixgist::Result<(Fit, Agreement)> {
    let agreement = Agreement::new(&fitted, Points::new(table.columns(), table.values())?, settings, progress)?;
    Ok((fitted, agreement))
}

fn with_data(fitted: Fit, settings: &FitSettings, agreement: &Agreement, table: DataTable) -> Result<Fitted> {
    let columns = table.column_names().map(<[String]>::to_vec);
    answered(fitted, settings, agreement, columns.as_deref(), |fitted| {
        DrawsFile::labelled(fitted.draws(), fitted.labels, table)
    })
}

/// What Python gets of a fit; `file` makes a file of its draws.
pub fn answered(
    fitted: Fit,
    settings: &FitSettings,
    agreement: &Agreement,
    columns: Option<&[String]>,
    file: impl FnOnce(Fit) -> DrawsFile,
) -> Result<Fitted> {
    let text = to_json(FIT_SCHEMA, &FitRecord::new(&fitted, settings, agreement, columns))?;
    Ok((file(fitted).into(), text, chain_warnings(agreement)))
}

/// That the chains do not agree or cannot be judged, with what helps; nothing when they agree.
fn chain_warnings(agreement: &Agreement) -> Vec<Told> {
    let Some(name) = agreement.summary.agreement.verdict.warning() else { return Vec::new() };
    let worst = agreement.summary.agreement.worst().and_then(|trace| Some((&trace.name, trace.convergence?)));
    let message = worst.map_or_else(
        || agreement.verdict.to_owned(),
        |(trace, Convergence { rhat, bulk_ess, .. })| {
            format!("{}; {trace} has R-hat {rhat:.2} and an effective sample size of {bulk_ess:.0}", agreement.verdict)
        },
    );
    let advice: Vec<String> = agreement.advice.iter().map(|text| text.spelled(&InPython)).collect();
    let advice = if advice.is_empty() { "run longer: more iterations".into() } else { advice.join("; ") };
    let advice = match agreement.summary.agreement.verdict {
        ChainVerdict::Disagree => advice,
        _ => format!("{advice} (the method extend of the fit lets its chains run on)"),
    };
    vec![(name.into(), message, advice)]
}
