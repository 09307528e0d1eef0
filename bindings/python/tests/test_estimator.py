"""The scikit-learn estimator."""

import os
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", reason="NOT TESTED: scikit-learn is not installed") if not os.environ.get("CI") else None

from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import mixgist


def small(**options):
    return mixgist.MixtureSummary(chains=1, iterations=120, burn_in=60, thin=2, slices=20, **options)


CHECKS = list(estimator_checks_generator(mixgist.MixtureSummary()))


@pytest.mark.parametrize("number", range(len(CHECKS)))
def test_check_estimator(number):
    estimator, check = CHECKS[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_clusters_that_are_apart_are_found():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, (50, 2)), rng.normal(10, 1, (50, 2))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = small(random_state=1).fit(x)
        again = clone(model).fit(x)
    assert len(set(model.labels_[:50])) == len(set(model.labels_[50:])) == 1
    assert model.labels_[0] != model.labels_[-1]
    assert np.array_equal(model.means_, again.means_)
    assert model.predict_proba(x).shape == (100, len(model.weights_))
    assert model.score(x) == pytest.approx(model.score_samples(x).mean())
    assert model.sample(5)[0].shape == (5, 2)
