"""# Galaxies: how many clusters?

82 velocities on a line. The data set is known for its many answers: published analyses find from three to nine components. mixgist shows what the answer depends on.

**What to look for:** how the number changes from row to row of the table, and which components have a high probability to exist.
"""

# %%
import mixgist
import polars

x = polars.read_csv(ROOT / "datasets/galaxies.csv")
fit = mixgist.fit(x, seed=2)
posterior = mixgist.Posterior(fit.draws)
summary = posterior.summary()
mixgist.figure(summary, "density", draws=fit.draws).write("density.svg")

# %%
# The grey band contains 90 % of the posterior densities at each point. Next, the number of clusters: counted by labels, by the smallest weight that an atom must have, and after merging atoms that are near to each other. The rows
# disagree: the number depends on what counts as a cluster.
how_many = posterior.how_many()
print(how_many)
counted = [how_many.occupied, *how_many.heavier.values(), *how_many.merged.values()]
assert len({one.mode for one in counted}) >= 3
mixgist.figure(summary, "how-many", draws=fit.draws).write("how-many.svg")

# %%
# The components that at least half of the draws have, with intervals.
components = posterior.components()
print(components)
assert 2 <= len(components.components) <= 9
