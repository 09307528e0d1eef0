"""The scikit-learn estimator."""

import os
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", reason="NOT TESTED: scikit-learn is not installed") if not os.environ.get("CI") else None

from sklearn.base import clone
from sklearn.mixture import GaussianMixture
from sklearn.utils.estimator_checks import estimator_checks_generator

import mixgist
from conftest import optional


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


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"n_jobs": 0}, ValueError, "n_jobs is 0, must be a number of threads, or -1 or None for all cores"),
        ({"n_jobs": 1.5}, ValueError, "n_jobs is 1.5"),
        ({"n_jobs": "all"}, ValueError, "n_jobs is 'all'"),
        ({"random_state": -1}, ValueError, "random_state is -1"),
        ({"loss": "square"}, ValueError, "one of: distance, power"),
        ({"loss": None}, TypeError, "loss is None"),
        ({"estimate": "mode"}, ValueError, "one of: medoid, free"),
        ({"distance": "euclid"}, ValueError, "one of: sw"),
        ({"units": 5}, TypeError, "units is 5"),
        ({"atoms": 0, "estimate": "free"}, ValueError, "atoms is 0"),
        ({"covariance": None}, TypeError, "covariance is None"),
        ({"alpha": "x"}, TypeError, "alpha is 'x'"),
        ({"algorithm": "fast"}, ValueError, "fast"),
    ],
)
def test_wrong_parameters_are_named_by_fit_before_any_work(options, error, message, monkeypatch):
    def never(*arguments):
        raise AssertionError("the chains were run")

    if not {"covariance", "alpha", "algorithm"} & options.keys():  # those are for the core
        monkeypatch.setattr(mixgist._core, "fit", never)
    with pytest.raises(error, match=message):
        small(**options).fit(np.arange(20.0)[:, None])


def test_jobs_are_counted_as_scikit_learn_does():
    x = np.random.default_rng(0).standard_normal((30, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = small().fit(x)
        for n_jobs in (1, 2, -1, -2, -1000, np.int64(1)):
            assert np.array_equal(small(n_jobs=n_jobs).fit(x).means_, expected.means_)


def test_slices_of_ones_own():
    x = np.random.default_rng(0).standard_normal((30, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = small(distance=lambda atoms: atoms.means.T).fit(x)
    assert model.summary_.slices == 2


def test_names_of_columns_are_kept():
    pandas = optional("pandas")
    x = pandas.DataFrame(np.random.default_rng(0).standard_normal((30, 2)), columns=["length", "pause"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = small().fit(x)
        assert model.summary_.columns == model.fit_.draws.columns == ["length", "pause"]
        assert model.fit(x.to_numpy()).summary_.columns is None


def test_the_names_of_scikit_learn_are_understood():
    X = np.random.default_rng(0).normal(size=(40, 2))
    short = {"chains": 1, "iterations": 60, "burn_in": 20, "slices": 40}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = mixgist.MixtureSummary(components=2, covariance="diagonal", **short).fit(X)
        model = mixgist.MixtureSummary(n_components=2, covariance_type="diag", **short).fit(X)
    assert np.array_equal(model.means_, own.means_) and model.get_params()["covariance_type"] == "diag"
    with pytest.raises(ValueError, match="n_components and components are the same option"):
        mixgist.MixtureSummary(n_components=2, components=3, **short).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = mixgist.MixtureSummary(n_clusters=2, **short).fit(X)
        own = mixgist.MixtureSummary(estimate="free", atoms=2, **short).fit(X)
    assert np.array_equal(few.means_, own.means_) and len(few.weights_) <= 2
    with pytest.raises(ValueError, match="n_clusters and atoms are the same option"):
        mixgist.MixtureSummary(n_clusters=2, atoms=3, **short).fit(X)


def test_a_fit_understands_the_names_of_scikit_learn():
    X = np.random.default_rng(0).normal(size=(40, 2))
    short = {"chains": 1, "iterations": 60, "burn_in": 20}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = mixgist.fit(X, components=2, covariance="diagonal", seed=3, **short)
        assert mixgist.fit(X, n_components=2, covariance_type="diag", random_state=3, **short) == own
        some = [mixgist.fit(X, random_state=np.random.default_rng(seed), **short) for seed in (1, 1, 2)]
    assert some[0] == some[1] != some[2]
    with pytest.raises(ValueError, match="random_state and seed are the same option"):
        mixgist.fit(X, random_state=1, seed=2, **short)
    with pytest.raises(TypeError, match="has no n_clusters: .*\nhint: n_components"):
        mixgist.fit(X, n_clusters=2, **short)


def test_what_is_wrong_with_the_chains_is_said_once():
    X = np.concatenate([np.random.default_rng(0).normal(at, 1, (40, 2)) for at in (0, 9)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = mixgist.MixtureSummary().fit(X)
    assert model.fit_.verdict != "the chains agree" and "slow-chains" in [one["name"] for one in model.summary_.to_dict()["warnings"]]
    said = [one.message.name for one in caught if "chains" in str(one.message)]
    assert said == ["slow-chains"]


def test_a_mixture_of_scikit_learn_stands_for_its_measure():
    X = np.concatenate([np.random.default_rng(0).normal(at, 1, (40, 2)) for at in (0, 9)])
    own = GaussianMixture(2, random_state=0).fit(X)
    draws = mixgist.Draws.from_sklearn([own])
    assert float(mixgist.distance(own, draws[0])) == 0.0
    assert mixgist.summarize(draws, candidate=own).to_dict()["assessment"]["candidate"]["expected_loss"] == pytest.approx(0, abs=1e-12)
    with pytest.raises(TypeError, match="a is a GaussianMixture, expected"):
        mixgist.distance(GaussianMixture(2), draws[0])
