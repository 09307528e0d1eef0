//! The JSON document of a fit: the model, the traces and whether the chains agree.

use mixgist_io::{DataTable, Schema};
use mixgist_samplers::{Agreement, Fit, Settings};
use serde::Serialize;

/// The schema of fits.
pub const FIT_SCHEMA: Schema = Schema { name: "mixgist.fit", version: 1 };

/// A fit without its draws, which are in a file of their own.
#[derive(Serialize)]
pub struct FitDocument {
    mixgist_version: &'static str,
    /// The model in words, ready for a methods section.
    model: String,
    chains: u32,
    iterations: u64,
    burn_in: u64,
    thin: u64,
    seed: u64,
    draws: usize,
    observations: usize,
    columns: Option<Vec<String>>,
    diagnostics: Vec<DiagnosticDocument>,
    verdict: &'static str,
    /// The largest weight that was left unbroken in a draw.
    unresolved: f64,
    traces: TracesDocument,
}

#[derive(Serialize)]
struct DiagnosticDocument {
    name: String,
    rhat: f64,
    bulk_ess: f64,
    tail_ess: f64,
}

/// One list a chain, one value a draw.
#[derive(Serialize)]
struct TracesDocument {
    log_posterior: Vec<Vec<f64>>,
    clusters: Vec<Vec<f64>>,
    largest_cluster: Vec<Vec<f64>>,
    concentration: Vec<Vec<f64>>,
    distance_to_estimate: Vec<Vec<f64>>,
}

impl FitDocument {
    pub fn new(fit: &Fit, settings: &Settings, agreement: &Agreement, data: &DataTable) -> Self {
        let per_chain = settings.draws_per_chain() as usize;
        FitDocument {
            mixgist_version: env!("CARGO_PKG_VERSION"),
            model: fit.hyperparameters.to_string(),
            chains: settings.chains,
            iterations: settings.iterations,
            burn_in: settings.burn_in,
            thin: settings.thin,
            seed: settings.seed,
            draws: fit.ensemble.len(),
            observations: data.rows(),
            columns: data.column_names().map(<[String]>::to_vec),
            diagnostics: agreement
                .rows
                .iter()
                .map(|(name, c)| DiagnosticDocument {
                    name: name.clone(),
                    rhat: c.rhat,
                    bulk_ess: c.bulk_ess,
                    tail_ess: c.tail_ess,
                })
                .collect(),
            verdict: agreement.verdict,
            unresolved: fit.unresolved,
            traces: TracesDocument {
                log_posterior: fit.traces.log_posterior.clone(),
                clusters: fit.traces.clusters.clone(),
                largest_cluster: fit.traces.largest_cluster.clone(),
                concentration: fit.traces.concentration.clone(),
                distance_to_estimate: agreement
                    .summary
                    .medoid
                    .distances
                    .chunks(per_chain)
                    .map(<[f64]>::to_vec)
                    .collect(),
            },
        }
    }
}
