"""# Wine: thirteen coordinates

178 wines, thirteen chemical measurements in very different units. Full covariances in d = 13 have many parameters for so few rows, so the covariances are diagonal here.

**What to look for:** the three growers against the clusters, and the width of the grey band (90 % of the posterior) in each coordinate.
"""

# %%
import mixgist
import numpy as np
import polars
from sklearn.datasets import load_wine

wine = load_wine()
x = polars.DataFrame(wine.data, schema=wine.feature_names)
fit = mixgist.fit(x, covariance="diagonal", seed=4)
summary = mixgist.summarize(fit.draws)
print(summary)

# %%
# Units do not matter: proline is in the hundreds, hue around 1, and each is divided by its standard deviation. For each of the three growers the number of wines in each cluster:
labels = summary.predict(x)
for grower in range(3):
    print(grower, dict(zip(*(a.tolist() for a in np.unique(labels[wine.target == grower], return_counts=True)))))
assert len(np.unique(labels)) >= 2
mixgist.figure(summary, "bands", draws=fit.draws).write("bands.svg")
