"""# Wine: thirteen coordinates

178 wines, thirteen chemical measurements in very different units. Full covariances in d = 13 have many parameters for so few rows; diagonal ones do well here.
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
# Units do not matter: proline is in the hundreds, hue around 1, and each is divided by its standard deviation. The clusters against the three growers:
labels = summary.predict(x)
for grower in range(3):
    print(grower, dict(zip(*np.unique(labels[wine.target == grower], return_counts=True))))
assert len(np.unique(labels)) >= 2
mixgist.figure(summary, "bands", draws=fit.draws).write("bands.svg")
