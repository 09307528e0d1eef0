"""What new users ask for: runs that go on, draws without labels, words and shapes of other packages."""

import numpy as np
import pytest

import mixgist

pytestmark = pytest.mark.filterwarnings("ignore::mixgist.MixgistWarning")
RUN = {"chains": 2, "burn_in": 20, "thin": 2}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    return np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(6, 1, (30, 2))])


def test_a_fit_runs_on_to_the_same_bits(data, tmp_path):
    whole = mixgist.fit(data, iterations=100, **RUN)
    short = mixgist.fit(data, iterations=60, **RUN)
    assert short.extend(100) == whole
    short.write(tmp_path / "draws.npz")
    assert mixgist.Fit.read(tmp_path / "draws.npz").extend(100) == whole
    assert whole.model["lambda"] == 0.1 and whole.settings["iterations"] == 100
    with pytest.raises(ValueError, match="20 draws already"):
        short.extend(60)


def test_a_fit_that_does_not_converge_warns_at_the_line_of_the_caller(data):
    with pytest.warns(mixgist.MixgistWarning, match="extend") as caught:
        mixgist.fit(data, iterations=60, **RUN)
    assert caught[0].filename == __file__


def test_partitions_of_draws_without_labels(data):
    fitted = mixgist.fit(data, iterations=300, chains=2, burn_in=100, thin=1)
    bare = fitted.draws.without_labels()
    estimate = mixgist.partition(bare, data)
    assert estimate.labels_sampled and estimate.n_clusters == 2
    assert np.array_equal(estimate.labels_, mixgist.partition(fitted.draws).labels_)
    assert mixgist.partition(bare, data, seed=3).labels_sampled
    cube = fitted.draws.labels.reshape(2, -1, len(data))
    assert np.array_equal(mixgist.partition(cube).labels_, mixgist.partition(fitted.draws).labels_)
    with pytest.raises(ValueError, match="hold no labels"):
        mixgist.partition(mixgist.Draws([[1.0]], [[0.0]], [[1.0]]))


def test_forms_of_covariances():
    weights, means = np.full((4, 2), 0.5), np.zeros((4, 2, 3))
    deviations = np.full((4, 2, 3), 2.0)
    for form, array in [("sd", deviations), ("std", deviations), ("diag", deviations**2), ("full", 4 * np.ones((4, 2, 1, 1)) * np.eye(3))]:
        assert np.array_equal(mixgist.Draws(weights, means, array, form).covariances[0], 4 * np.eye(3)), form
    tied = mixgist.Draws(weights, means, 4 * np.ones((4, 1, 1)) * np.eye(3), "tied")
    assert np.array_equal(tied.covariances[0], 4 * np.eye(3))
    with pytest.raises(ValueError, match="unknown covariance form 'round'\nhint: one of: covariance"):
        mixgist.Draws(weights, means, deviations, "round")
    with pytest.raises(ValueError, match="'diagonal' or 'sd'"):
        mixgist.Draws(weights, means, deviations)
    with pytest.raises(ValueError, match="axes exchanged.*swapaxes"):
        mixgist.Draws(weights, np.swapaxes(means, -1, -2), deviations, "sd")
    with pytest.raises(ValueError, match=r"axis of the atoms the last one\? Then give np.moveaxis\(covariances, -1, -2\)"):
        mixgist.Draws(weights, means, np.swapaxes(deviations, -1, -2), "sd")


def test_standard_deviations_in_the_place_of_variances_are_noticed():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 0.1, 100), rng.normal(3, 0.1, 100)])
    weights = np.full((120, 2), 0.5)
    means, deviations = rng.normal([0, 3], 0.01, (120, 2)), np.full((120, 2), 0.1)
    wrong = mixgist.summarize(mixgist.Draws(weights, means, deviations, data=x), slices=100)
    right = mixgist.summarize(mixgist.Draws(weights, means, deviations, "sd", data=x), slices=100)
    assert "deviations-as-variances" in [warning.name for warning in wrong.warnings]
    assert "deviations-as-variances" not in [warning.name for warning in right.warnings]


def test_draws_from_and_to_other_packages():
    mixture = pytest.importorskip("sklearn.mixture")
    x = np.random.default_rng(0).normal(size=(60, 2))
    for kind in ("full", "tied", "diag", "spherical"):
        fitted = mixture.GaussianMixture(2, covariance_type=kind, random_state=0).fit(x)
        draws = mixgist.Draws.from_sklearn([fitted, fitted])
        assert np.allclose(draws[0].score_samples(x), fitted.score_samples(x)), kind
    again = mixgist.Draws.from_measures(list(draws))
    assert again == draws
    assert list(draws.to_pandas().columns[:5]) == ["chain", "draw", "atom", "weight", "mean_1"]


def test_samples_differ_unless_seeded():
    measure = mixgist.Measure([1.0], [0.0], [1.0])
    assert not np.array_equal(measure.sample(5)[0], measure.sample(5)[0])
    assert np.array_equal(measure.sample(5, seed=1)[0], measure.sample(5, seed=1)[0])


def test_every_kind_of_figure(data, tmp_path):
    draws = mixgist.fit(data, iterations=120, chains=2, burn_in=20, thin=1).draws
    summary = mixgist.summarize(draws, slices=50)
    figure = mixgist.figure(summary, draws=draws)
    assert figure.svg.startswith("<svg") and figure.caption
    figure.write(tmp_path / "a.png", dpi=40)
    with pytest.raises(ValueError, match="pairs"):
        mixgist.figure(summary, "pie", draws=draws)
