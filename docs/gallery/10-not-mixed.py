"""# A chain that did not mix

Four chains, of which one is stuck in another place. Each chain alone looks fine. This page shows how mixgist reports it.

**What to look for:** the line `chains`, the warning, and the last chain in the first trace plot.
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
# The second chain has its labels in the opposite order. This is not a disagreement, and it is not reported as one. The last chain is in another place: R-hat is far above 1.01, and there is a warning.
summary = mixgist.summarize(draws)
print(summary)
assert any("the chains disagree" in str(warning) for warning in summary.warnings)

# %%
# The trace plots show which chain it is. Their quantities do not depend on labels.
mixgist.figure(summary, "traces", draws=draws).write("traces.svg")
mixgist.figure(summary, "map", draws=draws).write("map.svg")

# %%
# Without that chain the others agree. But do not simply drop a chain: it may be the one that is right. Run longer, or use other starting values.
agreeing = mixgist.summarize(draws[draws.chains != 3])
print(agreeing)
assert not any("disagree" in str(warning) for warning in agreeing.warnings)
