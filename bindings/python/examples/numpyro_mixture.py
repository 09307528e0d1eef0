"""A mixture model in NumPyro, from the fit to the report.

usage: python numpyro_mixture.py [REPORT.html]      needs numpyro and arviz (pip install mixgist[gallery])

A finite mixture of two-dimensional normals for Old Faithful. NumPyro's chains switch their labels as they please: ArviZ carries the draws over
as they are, and mixgist picks the one that stands for all.
"""

import pathlib
import sys

import arviz as az
import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import numpy as jnp
from numpyro.infer import MCMC, NUTS

import mixgist

COMPONENTS = 3


def model(data: np.ndarray) -> None:
    """Weights, means and Cholesky factors of the components; the labels are summed out."""
    dim = data.shape[1]
    weights = numpyro.sample("w", dist.Dirichlet(jnp.full(COMPONENTS, 2.0)))
    with numpyro.plate("components", COMPONENTS):
        means = numpyro.sample("mu", dist.Normal(0.0, 2.0).expand([dim]).to_event(1))
        scales = numpyro.sample("tau", dist.LogNormal(-1.0, 0.5).expand([dim]).to_event(1))
        correlations = numpyro.sample("L_corr", dist.LKJCholesky(dim, 2.0))
    factors = numpyro.deterministic("L", scales[..., None] * correlations)
    components = dist.MultivariateNormal(means, scale_tril=factors)
    numpyro.sample("y", dist.MixtureSameFamily(dist.Categorical(weights), components), obs=data)


def main(report: pathlib.Path, warmup: int = 300, draws: int = 300) -> mixgist.Summary:
    """Fits, summarises, reports."""
    numpyro.set_host_device_count(2)
    faithful = pathlib.Path(__file__).parents[3] / "datasets/faithful.csv"
    raw = np.loadtxt(faithful, delimiter=",", skiprows=1)
    data = (raw - raw.mean(axis=0)) / raw.std(axis=0)

    mcmc = MCMC(NUTS(model), num_warmup=warmup, num_samples=draws, num_chains=2, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(0), data)
    idata = az.from_numpyro(mcmc)

    posterior = mixgist.Draws.from_arviz(
        idata, weights="w", means="mu", covariances="L", covariance_form="cholesky", data=data
    )
    print(posterior)
    summary = mixgist.summarize(posterior, slices="auto")
    print(summary)
    mixgist.report(summary, posterior, path=report, title="Old Faithful in NumPyro", force=True)
    print(f"report: {report}")
    return summary


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "report.html"))
