"""# A hundred thousand cells

Data as flow cytometry gives them: n = 100,000 rows in four coordinates, five populations of very different size, one of them rare. The cost of the estimate does not depend on n; only the labels of the observations do.

**What to look for:** the five largest clusters are as large as the populations, the rare one too, and the density is known so well that the grey band is hardly visible.
"""

# %%
import os
import mixgist
import numpy as np

n = 2_000 if os.environ.get("MIXGIST_GALLERY") == "short" else 100_000
rng = np.random.default_rng(8)
shares = np.array([0.5, 0.3, 0.15, 0.045, 0.005])
centres = rng.normal(0, 4, size=(5, 4))
kind = rng.choice(5, size=n, p=shares)
x = centres[kind] + rng.normal(size=(n, 4)) * np.array([1.0, 0.7, 1.2, 0.5, 0.4])[kind, None]
fit = mixgist.fit(x, chains=2, iterations=400, burn_in=200, thin=2, seed=8)

# %%
# A Dirichlet process mixture, which does not fix the number of components. The warning is right: two hundred draws are few. The estimate:
summary = mixgist.summarize(fit.draws)
print(summary)
mixgist.figure(summary, "bands", draws=fit.draws).write("bands.svg")

# %%
# Every population is a cluster of its own:
labels = summary.predict(x)
found, true = (np.sort(np.bincount(of))[::-1][:5] for of in (labels, kind))
print("cells in the five largest clusters:", found)
print("cells in the five populations:     ", true)
assert n < 100_000 or (np.abs(found / true - 1) < 0.02).all()  # the tests make a tenth of the iterations with few cells

# %%
# The distance from the centre of each to the nearest atom is small. (Atoms with a weight below 0.3 % are left out.)
for j in range(5):
    near = np.linalg.norm(summary.means_[summary.weights_ > 0.003] - centres[j], axis=1).min()
    print(f"population {j} ({shares[j]:.1%} of the cells): nearest atom at distance {near:.3f}")
    assert near < 0.1 or n < 100_000
