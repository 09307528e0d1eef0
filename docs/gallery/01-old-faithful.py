"""# Old Faithful: from a table to a report

Eruptions of a geyser in two coordinates. There are long and short eruptions, and a few in between whose group is uncertain.

**What to look for:** the probability that each component exists (the column `exists`), and the observations between the two groups in the last figure.
"""

# %%
# The fit of a Dirichlet process mixture: four chains, number of components not fixed. A data frame gives the columns their names.
import mixgist
import polars

x = polars.read_csv(ROOT / "datasets/faithful.csv")
fit = mixgist.fit(x, seed=1)
posterior = mixgist.Posterior(fit.draws)

# %%
# The estimate: the draw that is nearest to all others on average. Like every draw of a Dirichlet process it has many atoms with small weights; the table leaves out light ones without observations.
summary = posterior.summary()
print(summary)
mixgist.figure(summary, "contours", draws=fit.draws).write("contours.svg")

# %%
# Which components do the draws have in common? Two are in all draws. The third, between them, is in most of them.
components = posterior.components()
print(components)
long, short, between = components.components[:3]
assert long.existence.value > 0.99 and short.existence.value > 0.99 and between.existence.value > 0.5
assert short.mean[0] < between.mean[0] < long.mean[0]
mixgist.figure(summary, "components", draws=fit.draws).write("components.svg")

# %%
# For which observations is the component uncertain? For eruptions between the two groups (black).
memberships = posterior.memberships()
uncertain = x["eruptions"].to_numpy()[memberships.uncertain]
assert short.mean[0] < uncertain.min() and uncertain.max() < long.mean[0]
mixgist.figure(summary, "memberships", draws=fit.draws).write("memberships.svg")
