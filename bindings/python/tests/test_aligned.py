"""Components that exist: aligned draws, memberships, how many there are."""

import json

import numpy as np
import pytest

import mixgist


@pytest.fixture(scope="module")
def draws():
    """Two components at 0 and 6, in random order, in two chains; every fifth draw lacks the second."""
    rng = np.random.default_rng(3)
    weights = rng.dirichlet([60, 40], size=200)
    means = np.array([0.0, 6.0]) + 0.1 * rng.standard_normal((200, 2))
    weights[::5] = [1, 0]
    order = rng.permuted(np.tile([0, 1], (200, 1)), axis=1)
    rows = np.arange(200)[:, None]
    return mixgist.Draws(
        weights[rows, order], means[rows, order], np.ones((200, 2)), chains=np.repeat([0, 4], 100), iterations=np.tile(np.arange(100), 2)
    )


@pytest.fixture(scope="module")
def aligned(draws):
    return mixgist.align(draws, slices=40, names=["low", "high"])


def test_draws_are_aligned_without_sorting(draws, aligned):
    assert aligned.names == ["low", "high"]
    assert aligned.weights.shape == (200, 2) and aligned.means.shape == (200, 2, 1)
    assert aligned.covariances.shape == (200, 2, 1, 1)
    lacking = np.isnan(aligned.weights[:, 1])
    assert lacking.tolist() == [m % 5 == 0 for m in range(200)]
    assert np.allclose(np.nansum(aligned.weights, axis=1) + aligned.unmatched, 1)
    assert np.nanmax(abs(aligned.means[:, 0])) < 1 and np.nanmax(abs(aligned.means[:, 1] - 6)) < 1
    assert [one.value for one in aligned.existence] == pytest.approx([1.0, 0.8])


def test_names_are_carried_over(draws, aligned):
    later = mixgist.align(draws, old=aligned, slices=40)
    assert later.names == ["low", "high"] and later.gone == []
    assert all(one.origin == one.name and not one.split for one in later.carried)
    other = mixgist.align(draws, slices=40, old=mixgist.Measure([0.5, 0.5], [0.0, 90.0], [1.0, 1.0]))
    assert other.names == ["0", "new"] and [one.name for one in other.gone] == ["1"]
    with pytest.raises(ValueError, match="leave out names"):
        mixgist.align(draws, slices=40, old=aligned, names=["a", "b"])
    with pytest.raises(ValueError, match="1 names for 2 components"):
        mixgist.align(draws, slices=40, names=["a"])


def test_xarray_arviz_and_frames(aligned):
    xarray = pytest.importorskip("xarray")
    dataset = aligned.to_xarray()
    assert dataset["mean"].dims == ("chain", "draw", "component", "coordinate")
    assert dataset["weight"].sel(component="high", chain=1).shape == (100,)
    tree = aligned.to_arviz()
    assert tree.posterior["weight"].shape == (2, 100, 2)
    frame = aligned.to_frame()
    assert list(frame.columns[:6]) == [".chain", ".iteration", ".draw", "unmatched", "weight[1]", "weight[2]"]
    assert frame[".chain"].tolist() == [1] * 100 + [2] * 100 and frame[".iteration"].max() == 100
    assert isinstance(dataset, xarray.Dataset)


def test_files_hold_the_same(tmp_path, aligned):
    for name in ["a.npz", "a.csv", "a.parquet", "a.nc"]:
        aligned.write_draws(tmp_path / name)
    with np.load(tmp_path / "a.npz") as arrays:
        assert np.array_equal(arrays["weights"], aligned.weights, equal_nan=True)
        assert np.array_equal(arrays["means"], aligned.means, equal_nan=True)
    pandas = pytest.importorskip("pandas")
    frame = aligned.to_frame()
    for found in [pandas.read_csv(tmp_path / "a.csv"), pandas.read_parquet(tmp_path / "a.parquet")]:
        assert list(found.columns) == list(frame.columns)
        assert np.array_equal(found.to_numpy(float), frame.to_numpy(float), equal_nan=True)
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("scipy")
    with xarray.open_dataset(tmp_path / "a.nc", engine="scipy") as read:
        dataset = aligned.to_xarray()
        assert read["component"].values.tolist() == ["low", "high"]
        for name in ["weight", "mean", "covariance", "unmatched"]:
            assert read[name].dims == dataset[name].dims
            assert np.array_equal(read[name].values, dataset[name].values, equal_nan=True), name
    with pytest.raises(FileExistsError):
        aligned.write_draws(tmp_path / "a.nc")
    with pytest.raises(ValueError, match=r"takes a name that ends in \.npz, \.csv"):
        aligned.write_draws(tmp_path / "a.txt")


def test_memberships_against_the_definition(draws):
    points = np.array([[-1.0], [2.9], [3.1], [7.0]])
    found = mixgist.memberships(draws, points, slices=40, level=0.8)
    aligned = mixgist.align(draws, points, slices=40)
    parts = np.nan_to_num(aligned.weights)[:, None, :] * np.exp(-0.5 * (points - np.nan_to_num(aligned.means[:, None, :, 0])) ** 2)
    probabilities = parts / parts.sum(axis=2, keepdims=True)
    assert np.allclose(found.mean, probabilities.mean(axis=0), atol=1e-9)
    # A fifth of the draws has no second component, so that both observations in the middle are rather of the first.
    assert found.labels.tolist() == probabilities.mean(axis=0).argmax(axis=1).tolist() == [0, 0, 0, 1]
    # The last one has no component where a draw lacks the second.
    assert set(found.uncertain.tolist()) == {i for i in range(4) if found.mean[i].max() < 0.9} == {1, 2, 3}
    assert (found.low <= found.mean + 1e-9).all() and (found.mean <= found.high + 1e-9).all()
    assert found.to_frame().shape == (4, 7)
    with pytest.raises(ValueError, match="memberships need the data"):
        mixgist.memberships(draws, slices=40)


def test_how_many(draws):
    found = mixgist.how_many(draws, slices=40)
    assert found.components == 2 and found.occupied is None
    at = found.heavier[0.1]
    assert at.counts.tolist() == [1, 2] and at.probabilities == pytest.approx([0.2, 0.8])
    with_data = mixgist.how_many(draws, [[0.0], [6.0], [0.2]], slices=40)
    assert with_data.occupied.counts.tolist() == [1, 2]
    assert len(found.to_frame()) == len(found.heavier) + len(found.merged)


def test_the_posterior_asks_about_the_aligned_estimate(draws):
    posterior = mixgist.Posterior(draws, [[0.0], [6.0]], slices=40)
    assert posterior.align() == mixgist.align(draws, [[0.0], [6.0]], slices=40)
    assert posterior.memberships() == mixgist.memberships(draws, [[0.0], [6.0]], slices=40)
    assert posterior.how_many() == mixgist.how_many(draws, [[0.0], [6.0]], slices=40)
    assert posterior.components().estimate_source == "aligned estimate"
    assert posterior.summary().estimator == "medoid"
    medoid = mixgist.Posterior(draws, estimate="medoid", slices=40).components()
    assert medoid.estimate_source.startswith("medoid")


@pytest.mark.parametrize("kind", ["Aligned", "Memberships", "HowMany"])
def test_documents_are_read_back(tmp_path, draws, kind):
    posterior = mixgist.Posterior(draws, [[0.0], [6.0]], slices=40)
    found = {"Aligned": posterior.align, "Memberships": posterior.memberships, "HowMany": posterior.how_many}[kind]()
    found.write(tmp_path / "a.json")
    assert getattr(mixgist, kind).read(tmp_path / "a.json") == found
    assert json.loads((tmp_path / "a.json").read_text())["schema"].startswith("mixgist.")
    assert str(found) and found._repr_html_() and repr(found).startswith(kind)
