"""# As few atoms as the loss allows

A draw of a Dirichlet process has many atoms that mean little. The free estimate has as many as you like, placed so that the expected loss is small; the path shows what each further atom gains.
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
mixgist.figure(free, "path", draws=fit.draws).write("path.svg")

# %%
# Its density is close to that of the medoid, with a few components that can be put into a table.
print(free)
mixgist.figure(free, "density", draws=fit.draws).write("density.svg")
