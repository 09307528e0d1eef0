"""# Iris: clusters against known species

Four coordinates, three species, of which two overlap. The species are not given to the fit; afterwards they are compared with the clusters.

**What to look for:** the line `chains`, which says whether the chains agree, and the table of species against clusters.
"""

# %%
import mixgist
import numpy as np
import polars

rows = polars.read_csv(ROOT / "datasets/iris.csv")
x, species = rows[:, :4], rows[:, 4].to_numpy()
fit = mixgist.fit(x, seed=3)
summary = mixgist.summarize(fit.draws)
print(summary)

# %%
# One clustering, from the estimate: for each species the number of flowers in each cluster. Nearly all setosa are in one cluster.
labels = summary.predict(x)
for name in np.unique(species):
    print(name, dict(zip(*(a.tolist() for a in np.unique(labels[species == name], return_counts=True)))))
setosa = labels[species == np.unique(species)[0]]
assert np.unique(setosa, return_counts=True)[1].max() >= 45
mixgist.figure(summary, "pairs", draws=fit.draws).write("pairs.svg")

# %%
# Another way: the partition with the smallest expected variation of information, from the labels of the draws alone.
partition = mixgist.partition(fit.draws.labels, loss="vi")
print(partition)
