"""# Old Faithful: from a table to a report

Eruptions of a geyser in two coordinates. There are long and short ones, and a few in between that the posterior is not sure about.
"""

# %%
# The fit of a Dirichlet process mixture: four chains, number of components not fixed. A data frame gives the columns their names.
import mixgist
import polars

x = polars.read_csv(ROOT / "datasets/faithful.csv")
fit = mixgist.fit(x, seed=1)
posterior = mixgist.Posterior(fit.draws)

# %%
# The draw that stands for all. It has light atoms, as every draw of such a process has; the table leaves out those that hold nothing.
summary = posterior.summary()
print(summary)
mixgist.figure(summary, "contours", draws=fit.draws).write("contours.svg")

# %%
# Which components do the draws have in common? Two are in all of them. The third, between them, is not.
components = posterior.components()
print(components)
assert all(one.existence.value > 0.95 for one in components.components[:2])
mixgist.figure(summary, "components", draws=fit.draws).write("components.svg")

# %%
# Who is hard to place? Eruptions between the two groups.
memberships = posterior.memberships()
mixgist.figure(summary, "memberships", draws=fit.draws).write("memberships.svg")
