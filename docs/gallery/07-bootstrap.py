"""# Bootstrap fits of scikit-learn: not a posterior

Maximum likelihood fits to bootstrap samples. mixgist summarises them like posterior draws, but some of its statements then have another meaning or none.

**What to look for:** which lines of the output are still true for such fits, and which are not.
"""

# %%
import mixgist
import numpy as np
from sklearn.mixture import GaussianMixture

x = np.loadtxt(ROOT / "datasets/faithful.csv", delimiter=",", skiprows=1)
rng = np.random.default_rng(0)
fits = [GaussianMixture(2, random_state=0).fit(x[rng.integers(len(x), size=len(x))]) for _ in range(100)]
draws = mixgist.Draws.from_sklearn(fits, data=x)
summary = mixgist.summarize(draws)
print(summary)
mixgist.figure(summary, "contours", draws=draws).write("contours.svg")

# %%
# **What is true.** The estimate is the fit that is nearest to all others on average. Its expected loss, the floor and the errors over slices are facts about this ensemble. The components and their intervals say how the fit varies from
# sample to sample: they are bootstrap intervals.
print(mixgist.components(draws))

# %%
# **What is not true.** There are no chains: the line `chains` compares the first half of the fits with the second, in an order that means nothing. The halves differ by chance only. A ball with 95 % of the fits is not a credible ball. The probability that a component exists is only the share of fits that have it. And
# a fixed number of components hides that their number is unknown: compare the entry on Old Faithful, where a third component appears in most draws.
sizes = [GaussianMixture(k, random_state=0, n_init=2).fit(x).bic(x) for k in (1, 2, 3, 4)]
print("BIC of 1 to 4 components:", np.round(sizes).astype(int))
assert summary.weights_.size == 2
