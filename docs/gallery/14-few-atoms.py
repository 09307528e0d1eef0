"""# As few atoms as the loss allows

A draw of a Dirichlet process has many atoms with small weights. The free estimate has fewer atoms, placed so that the expected loss is small. The path shows how much each further atom reduces the expected loss.

**What to look for:** the curve in the first figure falls steeply at first, then slowly. The circle is the number of atoms that was chosen, the dashed line the medoid.
"""

# %%
import mixgist
import numpy as np

x = np.loadtxt(ROOT / "datasets/galaxies.csv", skiprows=1)[:, None]
fit = mixgist.fit(x, seed=14)
medoid = mixgist.summarize(fit.draws)
free = mixgist.summarize(fit.draws, estimate="free")
print(f"medoid: {medoid.n_components} atoms, {medoid.excess:.1%} above the floor")
print(f"free:   {free.n_components} atoms, {free.excess:.1%} above the floor")
assert free.expected_loss < medoid.expected_loss
gains = -np.diff(free.path.expected_loss)
print("the second atom reduces the expected loss by", gains[0].round(3), ", the last one by", gains[-1].round(3))
assert gains[0] > 5 * abs(gains[-1])
mixgist.figure(free, "path", draws=fit.draws).write("path.svg")

# %%
# The table has all atoms of the free estimate. Choose fewer with the option `atoms`.
print(free)
mixgist.figure(free, "density", draws=fit.draws).write("density.svg")
