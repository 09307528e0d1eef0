//! A fit without its draws, as documents hold it: the model, the settings, the traces and whether the chains agree.

use mixgist::fits::{Document, has_length};
use mixgist::{Agreement as ChainAgreement, Ensemble, Error, LabelSlice, Labels, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agreement::Agreement;
use crate::end::ChainEnd;
use crate::fit::{Fit, Traces, Truncated};
use crate::hyperparameters::Hyperparameters;
use crate::settings::FitSettings;

/// A fit without its draws, which are in a file of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FitRecord {
    /// Version of mixgist that computed it.
    pub mixgist_version: String,
    /// The model, with what was chosen from the data.
    pub model: Hyperparameters,
    /// The model in words, ready for a methods section.
    pub model_text: String,
    /// What was asked for.
    pub settings: FitSettings,
    /// Number of draws.
    pub draws: usize,
    /// Number of observations.
    pub observations: usize,
    /// Names of the columns of the data.
    pub columns: Option<Vec<String>>,
    /// Whether the chains agree, with R-hat and effective sample sizes.
    pub agreement: ChainAgreement,
    /// The verdict on the chains in words.
    pub verdict: String,
    /// What would help.
    pub advice: Vec<String>,
    /// The largest weight that was left unbroken in a draw.
    pub unresolved: f64,
    /// How the truncation of the blocked sampler worked out; `null` for other samplers and finite mixtures.
    pub truncated: Option<Truncated>,
    /// Where each chain ended, for mixgist alone: with it the chains can run on.
    #[serde(default)]
    pub ends: Vec<ChainEnd>,
    /// Quantities along the chains: one list per chain, one value per draw.
    pub traces: Traces,
    /// Distance of every draw to the estimate, one list per chain.
    pub distance_to_estimate: Vec<Vec<f64>>,
}

impl Document for FitRecord {
    fn check(&self) -> Result<()> {
        let chains = self.settings.chains as usize;
        let Traces { log_posterior, clusters, largest_cluster, concentration } = &self.traces;
        let lists = [
            ("the trace log_posterior", log_posterior),
            ("the trace clusters", clusters),
            ("the trace largest_cluster", largest_cluster),
            ("the trace concentration", concentration),
            ("distance_to_estimate", &self.distance_to_estimate),
        ];
        for (name, list) in lists {
            has_length(name, list.len(), chains)?;
            has_length(&format!("{name} of all chains"), list.iter().map(Vec::len).sum(), self.draws)?;
        }
        if self.ends.is_empty() { Ok(()) } else { has_length("ends", self.ends.len(), chains) }
    }
}

impl FitRecord {
    /// What there is to keep of a fit beside its draws and labels.
    pub fn new(fit: &Fit, settings: &FitSettings, agreement: &Agreement, columns: Option<&[String]>) -> Self {
        let per_chain = settings.draws_per_chain() as usize;
        FitRecord {
            mixgist_version: env!("CARGO_PKG_VERSION").into(),
            model: fit.hyperparameters.clone(),
            model_text: fit.hyperparameters.to_string(),
            settings: settings.clone(),
            draws: fit.ensemble.len(),
            observations: fit.observations,
            columns: columns.map(<[String]>::to_vec),
            agreement: agreement.summary.agreement.clone(),
            verdict: agreement.verdict.into(),
            advice: agreement.advice.iter().map(ToString::to_string).collect(),
            unresolved: fit.unresolved,
            truncated: fit.truncated,
            ends: fit.ends.clone(),
            traces: fit.traces.clone(),
            distance_to_estimate: agreement.summary.distances.chunks(per_chain).map(<[f64]>::to_vec).collect(),
        }
    }

    /// The error of a fit that cannot run on.
    pub fn without_ends() -> Error {
        Error::input("the fit does not say how its chains ended")
            .hint("it is from an earlier version, or of a Dask array: fit again, with more iterations")
    }

    /// The fit again, with its draws and their labels (M × n), so that its chains can run on.
    pub fn into_fit(self, ensemble: Ensemble, labels: Labels) -> Result<(Fit, FitSettings)> {
        if matches!(labels.as_slice(), LabelSlice::I64(_)) {
            return Err(Error::input("labels are not numbers of atoms"));
        }
        if self.ends.is_empty() {
            return Err(Self::without_ends());
        }
        if ensemble.len() != self.draws || self.draws.checked_mul(self.observations) != Some(labels.len()) {
            return Err(Error::input(format!(
                "the fit has {} draws of {} observations, but {} draws and {} labels are with it",
                self.draws,
                self.observations,
                ensemble.len(),
                labels.len()
            ))
            .hint("give the draws as the fit left them, none dropped"));
        }
        let fit = Fit {
            ensemble,
            labels,
            observations: self.observations,
            traces: self.traces,
            hyperparameters: self.model,
            diagnostics: None,
            unresolved: self.unresolved,
            truncated: self.truncated,
            ends: self.ends,
        };
        Ok((fit, self.settings))
    }
}
