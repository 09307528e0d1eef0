"""Makes numpyro.npz: python make_numpyro.py (needs numpyro). The model is that of bindings/python/examples/numpyro_mixture.py; four chains, thinned, in single precision."""

import pathlib
import runpy

import jax
import numpy as np
from numpyro.infer import MCMC, NUTS

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]

if __name__ == "__main__":
    model = runpy.run_path(str(ROOT / "bindings/python/examples/numpyro_mixture.py"))["model"]
    raw = np.loadtxt(ROOT / "datasets/faithful.csv", delimiter=",", skiprows=1)
    data = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    mcmc = MCMC(NUTS(model), num_warmup=300, num_samples=500, num_chains=4, thinning=5, chain_method="sequential", progress_bar=False)
    mcmc.run(jax.random.PRNGKey(1), data)
    sample = mcmc.get_samples(group_by_chain=True)
    np.savez_compressed(HERE / "numpyro.npz", data=data, **{name: np.asarray(sample[name], dtype=np.float32) for name in ("w", "mu", "L")})
