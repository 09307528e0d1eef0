"""# Images of digits

1,797 images of 8 × 8 points, reduced to their first six principal components. They form many overlapping groups.

**What to look for:** how many components the estimate needs, and which clusters consist of one digit only.
"""

# %%
import mixgist
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

digits = load_digits()
x = PCA(6, random_state=0).fit_transform(digits.data)
fit = mixgist.fit(x, chains=2, iterations=1500, burn_in=750, thin=3, seed=11)
summary = mixgist.summarize(fit.draws)
print(summary)

# %%
# For each of the larger clusters, the most frequent digit in it:
labels = summary.predict(x)
right = 0
for k in np.unique(labels):
    names, counts = np.unique(digits.target[labels == k], return_counts=True)
    right += counts.max()
    if counts.sum() >= 60:
        print(f"cluster {k:3}: {counts.sum():4} images, {counts.max() / counts.sum():4.0%} of them a {names[counts.argmax()]}")
print(f"images whose digit is the most frequent one of their cluster: {right / len(x):.0%}")
assert right / len(x) > 0.4
mixgist.figure(summary, "bands", draws=fit.draws).write("bands.svg")
