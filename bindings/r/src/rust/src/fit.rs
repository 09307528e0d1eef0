//! From data to draws.

use mixgist::{Error, Points};
use mixgist_io::DrawsFile;
use mixgist_samplers::{
    Agreement, Algorithm, ComponentPrior, Concentration, CovarianceModel, FitSettings, MixingPrior, Scale, ScaleChoice,
    fit as fit_model,
};
use savvy::{FunctionSexp, ListSexp, OwnedListSexp, Sexp, savvy};
use serde_json::json;

use crate::arrays::row_major;
use crate::error::{InR, Result, outcome};
use crate::handle::Kept;
use crate::options::{Options, real_array};
use crate::running::Call;
use crate::values::list;

fn settings(options: &Options) -> Result<FitSettings> {
    let usual = FitSettings::usual();
    let prior = MixingPrior::from_options(options.number("discount")?.unwrap_or(0.0), options.size("components")?)?;
    let named = options.text("algorithm")?.map_or(Ok(usual.algorithm), |name| Algorithm::from_name(&name))?;
    let concentration = match options.numbers("alpha")?.as_deref() {
        None => usual.concentration,
        Some(&[alpha]) => Concentration::Fixed(alpha),
        Some(&[shape, rate]) => Concentration::Gamma { shape, rate },
        Some(_) => {
            let error = Error::usage("alpha must be one number, or the shape and rate of a gamma distribution");
            return Err(error.into());
        }
    };
    let psi = match options.get("psi") {
        None => None,
        Some(given) => {
            let (values, shape) = real_array("psi", given)?;
            Some(if shape.len() == 2 { Scale::Full(row_major(&values, &shape)) } else { Scale::Diagonal(values) })
        }
    };
    let covariance = options.text("covariance")?;
    let settings = FitSettings::default()
        .with_prior(prior)
        .with_concentration(concentration)
        .with_component(ComponentPrior {
            covariance: covariance.map_or(Ok(usual.component.covariance), |name| CovarianceModel::from_name(&name))?,
            mu0: options.numbers("mu0")?,
            lambda: options.number("lambda")?,
            psi,
            nu: options.number("nu")?,
            scales: options.text("scales")?.map_or(Ok(usual.component.scales), |name| ScaleChoice::from_name(&name))?,
        })
        .with_algorithm(named.with_sticks(options.size("truncation")?))
        .with_chains(options.count("chains")?.map_or(usual.chains, |chains| u32::try_from(chains).unwrap_or(u32::MAX)))
        .with_iterations(options.count("iterations")?.unwrap_or(usual.iterations))
        .with_burn_in(options.count("burn_in")?.unwrap_or(usual.burn_in))
        .with_thin(options.count("thin")?.unwrap_or(usual.thin))
        .with_seed(options.seed()?.unwrap_or(usual.seed));
    settings.check()?;
    Ok(settings)
}

/// Draws of the posterior of a mixture, with what is known about the chains.
/// @noRd
#[savvy]
fn fit_mixture(options: ListSexp, tick: FunctionSexp) -> savvy::Result<Sexp> {
    let options = Options(options);
    let ask = || -> Result<Sexp> {
        let settings = settings(&options)?;
        let table = options.data("data")?.ok_or_else(|| Error::usage("data are missing"))?;
        let (fitted, agreement) = Call::new(&options, tick)?.run(|progress| {
            let fitted = fit_model(table.values(), table.columns(), &settings, None, progress)?;
            let points = Points::new(table.columns(), table.values())?;
            let agreement = Agreement::new(&fitted, points, &settings, progress)?;
            Ok((fitted, agreement))
        })?;
        let advice: Vec<String> = agreement.advice.iter().map(|text| text.spelled(&InR)).collect();
        let per_chain = settings.draws_per_chain() as usize;
        let distances: Vec<&[f64]> = agreement.summary.medoid.distances.chunks(per_chain.max(1)).collect();
        let diagnostics: Vec<_> = agreement
            .rows
            .iter()
            .map(|(name, c)| {
                let rhat = c.rhat.is_finite().then_some(c.rhat);
                json!({ "name": name, "rhat": rhat, "bulk_ess": c.bulk_ess, "tail_ess": c.tail_ess })
            })
            .collect();
        let evidence = json!({
            "model": fitted.hyperparameters.to_string(),
            "verdict": agreement.verdict,
            "warning": agreement.summary.agreement.verdict.warning(),
            "advice": advice,
            "diagnostics": diagnostics,
            "unresolved": fitted.unresolved,
            "traces": {
                "log_posterior": fitted.traces.log_posterior,
                "clusters": fitted.traces.clusters,
                "largest_cluster": fitted.traces.largest_cluster,
                "concentration": fitted.traces.concentration,
                "distance_to_estimate": distances,
            },
        });
        // Chains and iterations count from 1 in R.
        let chains = fitted.ensemble.chains().iter().map(|chain| chain + 1).collect();
        let iterations = fitted.ensemble.iterations().iter().map(|number| number + 1).collect();
        let file = DrawsFile::labelled(fitted.draws().with_chains(chains, iterations)?, fitted.labels, table);
        let mut out = OwnedListSexp::new(2, true)?;
        out.set_name_and_value(0, "evidence", list(&evidence)?)?;
        out.set_name_and_value(1, "handle", Kept::of_draws(file).into_sexp())?;
        Ok(out.into())
    };
    outcome(ask())
}
