"""# A finite mixture by NumPyro

Draws of a mixture of three normals for Old Faithful (standardised), by NUTS in NumPyro, with labels that switch. They are stored in `data/numpyro.npz`; `data/make_numpyro.py` made them. How to write such a
model: [I come from NumPyro](../../from/numpyro.md).

**What to look for:** the mean of `mu[0, 0]` differs from chain to chain because labels switch. After `align` it does not.
"""

# %%
# Arrays with an axis of chains in front are all that is needed.
import mixgist
import numpy as np

stored = np.load(HERE / "data/numpyro.npz")
print({name: stored[name].shape for name in stored})
draws = mixgist.Draws(stored["w"], stored["mu"], stored["L"], covariance_form="cholesky", data=stored["data"])
summary = mixgist.summarize(draws)
print(summary)
mixgist.figure(summary, "contours", draws=draws).write("contours.svg")

# %%
# The first component of one chain is the second of another. Averages over draws would mix them up. `align` follows each component through all draws, so that R-hat of a component has a meaning.
first = np.asarray(stored["mu"])[:, :, 0, 0]
print("mean of 'mu[0, 0]' in each chain, as it came:", first.mean(axis=1).round(2))
aligned = mixgist.align(draws)
print(aligned)
after = [np.nanmean(aligned.means[aligned.chain == chain, 0, 0]) for chain in range(len(first))]
print("mean of the same coordinate of component 0 in each chain, aligned:", np.round(after, 2))
assert np.ptp(first.mean(axis=1)) > 0.5 and np.ptp(after) < 0.1
mixgist.figure(summary, "components", draws=draws).write("components.svg")
