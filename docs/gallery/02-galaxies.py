"""# Galaxies: how many clusters?

82 velocities on a line. The data set is known for its many answers: published analyses find from three to nine components. mixgist shows what the answer depends on.
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
# The band is the posterior's, point by point. Now the number of clusters: by the labels, by the weight that an atom must have to count, and after merging what cannot be told apart. The rows
# disagree, and that is the answer: "how many" depends on what counts as a cluster.
how_many = posterior.how_many()
print(how_many)
mixgist.figure(summary, "how-many", draws=fit.draws).write("how-many.svg")

# %%
# The components that at least half of the draws have, with intervals.
components = posterior.components()
print(components)
assert 2 <= len(components.components) <= 9
