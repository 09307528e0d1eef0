//! Whether the chains of a fit agree, and what would help if they do not.

use mixgist::diagnostics::Convergence;
use mixgist::text::{Text, option};
use mixgist::{
    ChainVerdict, Ensemble, Points, Progress, Result, Settings, SliceCount, Summary, Trace, Units, summarize, text,
};

use crate::fit::{Fit, Traces};
use crate::hyperparameters::Hyperparameters;
use crate::mixing::MixingPrior;
use crate::outline::Outline;
use crate::settings::{CovarianceModel, FitSettings};
use crate::tiles::TILE_ROWS;

/// The verdict on the chains with what it is based on.
#[non_exhaustive]
pub struct Agreement {
    /// The estimate that distances are taken to.
    pub summary: Summary,
    /// Name and convergence of each trace that is not constant.
    pub rows: Vec<(String, Convergence)>,
    /// The verdict on all of them, in words.
    pub verdict: &'static str,
    /// What would help; empty when the chains agree.
    pub advice: Vec<Text>,
}

/// Slices for the distance trace: a diagnostic needs no more.
const DIAGNOSTIC_SLICES: usize = 100;

impl Agreement {
    /// Summarises the draws and judges the traces, with what the sampler knows besides the draws.
    pub fn new(fitted: &Fit, data: Points, settings: &FitSettings, progress: &dyn Progress) -> Result<Self> {
        if data.len() > TILE_ROWS {
            let variances = Outline::of(data.values(), data.dim()).variance;
            let deviations: Vec<f64> = variances.into_iter().map(f64::sqrt).collect();
            return Self::in_units(fitted, &deviations, settings, progress);
        }
        Self::judge(fitted, Some(data), units(data), settings, progress)
    }

    /// The same of points that are not at hand, with the standard deviations of their columns.
    pub fn in_units(fitted: &Fit, deviations: &[f64], settings: &FitSettings, progress: &dyn Progress) -> Result<Self> {
        let varies = deviations.iter().all(|deviation| *deviation > 0.0);
        let units = if varies { Units::Scale(deviations.to_vec()) } else { Units::None };
        Self::judge(fitted, None, units, settings, progress)
    }

    fn judge(
        fitted: &Fit,
        data: Option<Points>,
        units: Units,
        settings: &FitSettings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let summary_settings = Settings::default().with_slices(SliceCount::Fixed(DIAGNOSTIC_SLICES)).with_units(units);
        let ensemble = with_traces(&fitted.ensemble, &fitted.traces)?;
        let summary = summarize(&ensemble, data, &summary_settings, progress)?.result;
        let told = summary.agreement.traces.iter();
        let rows = told.filter_map(|trace| Some((trace.name.to_string(), trace.convergence?))).collect();
        let verdict = summary.agreement.verdict.text();
        let advice = advice(&summary.agreement, settings, &fitted.hyperparameters);
        Ok(Agreement { summary, rows, verdict, advice })
    }
}

/// The draws with the traces of their chains.
fn with_traces(ensemble: &Ensemble, traces: &Traces) -> Result<Ensemble> {
    let named = [
        (Trace::LOG_POSTERIOR, &traces.log_posterior),
        (Trace::CLUSTERS, &traces.clusters),
        (Trace::LARGEST_CLUSTER, &traces.largest_cluster),
        ("concentration", &traces.concentration),
    ];
    named.into_iter().try_fold(ensemble.clone(), |all, (name, chains)| {
        let values = chains.concat();
        // A fixed concentration has no trace.
        if values.len() == all.len() { all.with_trace(Trace::new(name, values)) } else { Ok(all) }
    })
}

/// What would help chains that do not agree, or are too short.
fn advice(agreement: &mixgist::Agreement, settings: &FitSettings, model: &Hyperparameters) -> Vec<Text> {
    let mut advice = Vec::new();
    if let Some(factor) = agreement.longer_by() {
        let kept = (settings.iterations - settings.burn_in.min(settings.iterations)) as f64;
        let needed = rounded(kept * factor + settings.burn_in as f64);
        advice.push(text![
            format!("run the chains {factor:.1} times as long for effective sample sizes of 100 per chain and an R-hat below 1.01: "),
            option("iterations", needed)
        ]);
    }
    if !matches!(agreement.verdict, ChainVerdict::Disagree | ChainVerdict::Slow) {
        return advice;
    }
    if agreement.verdict == ChainVerdict::Disagree {
        advice.push(text!["chains stay in modes of their own: more iterations alone will probably not help"]);
    }
    let given = &settings.component;
    let open = given.lambda.is_none() || given.psi.is_none() || given.nu.is_none();
    if open && !model.learned.any() {
        advice.push(text![
            "the widths that the prior expects of clusters are guessed from the spread of the data; learned, they often make fewer modes: ",
            option("scales", "learned")
        ]);
    }
    if settings.component.covariance == CovarianceModel::Full && model.dim > 2 {
        let numbers = model.dim * (model.dim + 1) / 2;
        advice.push(text![
            format!("a full covariance has {numbers} numbers per component; fewer make fewer modes: "),
            option("covariance", "diagonal"),
            " or ",
            option("covariance", "common")
        ]);
    }
    if let MixingPrior::Finite { components } = settings.prior
        && components > 1
    {
        advice.push(text![
            "with a fixed number of components a chain cannot split or join clusters on its way: use fewer of them, or a Dirichlet process"
        ]);
    }
    advice
}

/// To two digits, upwards.
fn rounded(iterations: f64) -> u64 {
    let unit = 10f64.powf((iterations.max(10.0).log10().floor() - 1.0).max(0.0));
    ((iterations / unit).ceil() * unit) as u64
}

/// Standard deviations where the data have them; units as they are for one row or a constant column.
fn units(data: Points) -> Units {
    let varies = |a: usize| (1..data.len()).any(|i| data.point(i)[a] != data.point(0)[a]);
    if (0..data.dim()).all(varies) { Units::Sd } else { Units::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_iterations_are_round() {
        assert_eq!([9.0, 101.0, 2000.0, 12_345.0].map(rounded), [9, 110, 2000, 13_000]);
    }
}
