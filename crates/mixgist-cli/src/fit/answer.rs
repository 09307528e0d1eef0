//! A fit without its draws: the model, the traces and whether the chains agree. It is its own document.

use mixgist::Agreement as ChainAgreement;
use mixgist_io::{DataTable, Schema, json_schema};
use mixgist_samplers::{Agreement, ChainEnd, Fit, FitSettings, Hyperparameters, Traces, Truncated};
use schemars::JsonSchema;
use serde::Serialize;

/// The schema of fits.
pub const FIT_SCHEMA: Schema = Schema { name: "mixgist.fit", version: 2 };

/// A fit without its draws, which are in a file of their own.
#[derive(Serialize, JsonSchema)]
pub struct FitAnswer<'a> {
    /// Version of mixgist that computed it.
    mixgist_version: &'static str,
    /// The model, with what was chosen from the data.
    model: &'a Hyperparameters,
    /// The model in words, ready for a methods section.
    model_text: String,
    /// What was asked for.
    settings: &'a FitSettings,
    /// Number of draws.
    draws: usize,
    /// Number of observations.
    observations: usize,
    /// Names of the columns of the data.
    columns: Option<&'a [String]>,
    /// Whether the chains agree, with R-hat and effective sample sizes.
    agreement: &'a ChainAgreement,
    /// The verdict on the chains in words.
    verdict: &'static str,
    /// What would help.
    advice: Vec<String>,
    /// The largest weight that was left unbroken in a draw.
    unresolved: f64,
    /// How the truncation of the blocked sampler worked out; `null` for other samplers and finite mixtures.
    truncated: Option<Truncated>,
    /// Where each chain ended, for mixgist alone: with it the chains can run on.
    ends: &'a [ChainEnd],
    /// Quantities along the chains: one list per chain, one value per draw.
    traces: &'a Traces,
    /// Distance of every draw to the estimate, one list per chain.
    distance_to_estimate: Vec<Vec<f64>>,
}

impl<'a> FitAnswer<'a> {
    pub fn new(fit: &'a Fit, settings: &'a FitSettings, agreement: &'a Agreement, data: &'a DataTable) -> Self {
        let per_chain = settings.draws_per_chain() as usize;
        FitAnswer {
            mixgist_version: env!("CARGO_PKG_VERSION"),
            model: &fit.hyperparameters,
            model_text: fit.hyperparameters.to_string(),
            settings,
            draws: fit.ensemble.len(),
            observations: data.rows(),
            columns: data.column_names(),
            agreement: &agreement.summary.agreement,
            verdict: agreement.verdict,
            advice: agreement.advice.iter().map(ToString::to_string).collect(),
            unresolved: fit.unresolved,
            truncated: fit.truncated,
            ends: &fit.ends,
            traces: &fit.traces,
            distance_to_estimate: agreement.summary.distances.chunks(per_chain).map(<[f64]>::to_vec).collect(),
        }
    }
}

/// The JSON Schema of the answer, with the name of its file.
pub fn json_schemas() -> Vec<(String, serde_json::Value)> {
    vec![json_schema::<FitAnswer>(FIT_SCHEMA)]
}
