"""Wine and digits: do chains agree with fixed and with learned scales, and how near are the clusters to the classes?

python benches/mixing.py [wine|digits] [fixed|learned]

Wine has 13 standardised coordinates, the digits their first ten principal components; fits have the defaults of `mixgist.fit`. Beside them the adjusted Rand
index of scikit-learn's BayesianGaussianMixture with full covariances. Wants scikit-learn.
"""

import sys
import time
import warnings

import mixgist
from sklearn import datasets, decomposition, metrics, mixture, preprocessing

warnings.simplefilter("ignore")
which = sys.argv[1] if len(sys.argv) > 1 else "wine"
if which == "wine":
    data, classes = datasets.load_wine(return_X_y=True)
    x = preprocessing.StandardScaler().fit_transform(data)
else:
    data, classes = datasets.load_digits(return_X_y=True)
    x = decomposition.PCA(10, random_state=0).fit_transform(data)

for scales in sys.argv[2:] or ["fixed", "learned"]:
    before = time.process_time()
    fit = mixgist.fit(x, scales=scales)
    seconds = time.process_time() - before
    labels = mixgist.partition(fit.draws.labels, loss="vi").labels_
    rhats = {name: round(one.rhat, 3) for name, one in fit.diagnostics.items()}
    print(f"{which}, {scales}: {seconds:.0f} s of processor time, {rhats}, adjusted Rand index {metrics.adjusted_rand_score(classes, labels):.3f}")

for components in (10, 20):
    fits = [mixture.BayesianGaussianMixture(n_components=components, max_iter=1000, random_state=seed).fit(x) for seed in range(3)]
    indices = [round(metrics.adjusted_rand_score(classes, one.predict(x)), 3) for one in fits]
    print(f"BayesianGaussianMixture, {components} components: adjusted Rand index {indices}")
