"""# A chain that did not mix

Four chains, of which one is stuck elsewhere. Each looks fine by itself. This page shows how mixgist says so, and what it then refuses to claim.
"""

# %%
import mixgist
import numpy as np

rng = np.random.default_rng(10)


def chain(centres, length=250):
    weights = rng.dirichlet([40, 60], size=length)
    means = np.asarray(centres) + 0.2 * rng.normal(size=(length, 2))
    return weights, means, np.exp(0.1 * rng.normal(size=(length, 2)))


switched = tuple(array[:, ::-1] for array in chain([0, 4]))
parts = [chain([0, 4]), switched, chain([0, 4]), chain([0, 7])]
weights, means, variances = (np.stack([part[i] for part in parts]) for i in range(3))
draws = mixgist.Draws(weights, means, variances)

# %%
# The second chain has its labels the other way round. That is no disagreement, and it is not reported as one. The last chain is elsewhere: its R-hat is far above 1.01, and the summary warns.
summary = mixgist.summarize(draws)
print(summary)
assert any("the chains disagree" in str(warning) for warning in summary.warnings)

# %%
# The traces show which chain it is, by quantities that do not depend on labels.
mixgist.figure(summary, "traces", draws=draws).write("traces.svg")
mixgist.figure(summary, "map", draws=draws).write("map.svg")

# %%
# Without that chain the others agree. Dropping a chain is no remedy, though: it may be the one that is right. Run longer, or from other starts.
agreeing = mixgist.summarize(draws[draws.chains != 3])
print([str(warning) for warning in agreeing.warnings])
assert not any("disagree" in str(warning) for warning in agreeing.warnings)
