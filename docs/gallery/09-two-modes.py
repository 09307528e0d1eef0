"""# A posterior with two modes

Sometimes there is more than one answer. Here 60 % of the posterior draws have two components and 40 % have three, with nothing in between. No single estimate can describe both, and `representatives` says so.

**What to look for:** two separate groups of points in the first figure, and the probabilities of the two modes.
"""

# %%
# Draws made by hand, so that the truth is known: four chains that each visit both modes.
import mixgist
import numpy as np

rng = np.random.default_rng(9)
weights, means, variances = [], [], []
for chain in range(4):
    for i in range(250):
        three = rng.random() < 0.4
        centres = np.array([-6.0, 0.0, 6.0] if three else [-3.0, 6.0])
        alpha = np.array([30.0, 30.0, 40.0] if three else [60.0, 40.0])
        weights.append(rng.dirichlet(5 * alpha))
        means.append(centres + 0.15 * rng.normal(size=len(centres)))
        variances.append((np.array([1.0, 1.0, 1.0]) if three else np.array([9.0, 1.0])) * np.exp(0.1 * rng.normal(size=len(centres))))
draws = mixgist.Draws(weights, means, variances, chains=np.repeat(np.arange(4), 250))

# %%
# The estimate is a draw of the larger mode. In the map each point is a draw: there are two groups.
summary = mixgist.summarize(draws)
print(summary)
assert summary.n_components == 2
mixgist.figure(summary, "map", draws=draws).write("map.svg")

# %%
# `representatives` gives one draw for each mode, with its probability. The true probabilities are 0.6 and 0.4.
modes = mixgist.representatives(draws)
print(modes)
assert len(modes) == 2 and abs(modes.weights.max() - 0.6) < 0.06
mixgist.figure(summary, "representatives", draws=draws).write("representatives.svg")
