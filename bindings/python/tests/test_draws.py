"""Draws from arrays, lists and files."""

import copy
import pickle

import numpy as np
import pytest

import mixgist
from conftest import optional



def unaligned(array):
    """The same numbers, one byte off: as arrays are that were received."""
    array = np.ascontiguousarray(array)
    moved = np.frombuffer(b"x" + array.tobytes(), dtype=array.dtype, offset=1, count=array.size).reshape(array.shape)
    assert not moved.flags.aligned
    return moved


def test_dense_arrays_are_kept_as_they_are(arrays, draws):
    weights, means, covariances = arrays
    assert len(draws) == 120 and draws.dim == 2
    assert np.array_equal(draws.offsets, np.arange(0, 361, 3))
    assert np.array_equal(draws.means, means.reshape(-1, 2))
    np.testing.assert_allclose(draws.weights, weights.reshape(-1), rtol=1e-14)
    np.testing.assert_allclose(draws.covariances, covariances.reshape(-1, 2, 2), rtol=1e-14)
    assert repr(draws) == "Draws(120 draws of 3 atoms, dimension 2)"


def test_other_layouts_and_types_give_the_same_draws(arrays, draws):
    weights, means, covariances = arrays
    assert mixgist.Draws(weights.tolist(), means.tolist(), covariances.tolist()) == draws
    assert mixgist.Draws(*(np.asfortranarray(x) for x in arrays)) == draws
    assert mixgist.Draws(*map(unaligned, arrays)) == draws
    every_other = mixgist.Draws(weights[::2], means[::2], covariances[::2])
    assert np.array_equal(every_other.covariances, draws[::2].covariances)
    flat = weights.reshape(-1), means.reshape(-1, 2), covariances.reshape(-1, 2, 2)
    assert mixgist.Draws(*flat, offsets=np.arange(0, 361, 3)) == draws
    assert mixgist.Draws(list(weights), list(means), list(covariances)) == draws


def test_every_form_of_a_covariance(arrays, draws):
    weights, means, covariances = arrays
    for form, given in [
        ("cov", covariances),
        ("covariance", covariances),
        ("cholesky", np.linalg.cholesky(covariances)),
        ("precision", np.linalg.inv(covariances)),
    ]:
        made = mixgist.Draws(weights, means, given, form)
        np.testing.assert_allclose(made.covariances, draws.covariances, rtol=1e-9)
    variances = np.full((120, 3, 2), 2.0)
    diagonal = mixgist.Draws(weights, means, variances, "diagonal")
    spherical = mixgist.Draws(weights, means, variances[..., 0], "spherical")
    assert diagonal == spherical
    sd = mixgist.Draws(weights, means[..., 0], np.full((120, 3), 2.0), "sd")
    assert (sd.covariances == 4.0).all() and sd.dim == 1


def test_atoms_may_share_a_covariance(arrays):
    weights, means, _ = arrays
    shared = mixgist.Draws(weights, means, np.tile(np.eye(2), (120, 1, 1)))
    assert np.array_equal(shared.covariances, np.tile(np.eye(2), (360, 1, 1)))


def test_ragged_lists_chains_and_weights():
    draws = mixgist.Draws(
        [[1.0], [0.5, 0.5, 0.0], [0.25, 0.75]],
        [[[0.0]], [[0.0], [3.0], [np.nan]], [[1.0], [2.0]]],
        [[1.0], [1.0, 2.0, np.nan], [1.0, 1.0]],
        chains=[1, 0, 1],
        iterations=[5, 5, 6],
        draw_weights=[1, 1, 2],
    )
    assert np.array_equal(draws.offsets, [0, 1, 3, 5])
    assert np.array_equal(draws.chains, [1, 0, 1]) and np.array_equal(draws.iterations, [5, 5, 6])
    assert np.array_equal(draws.draw_weights, [0.25, 0.25, 0.5])
    assert repr(draws) == "Draws(3 draws of 1 to 2 atoms, dimension 1, 2 chains, weighted)"
    assert np.array_equal(draws[1].means, [[0.0], [3.0]])
    assert [len(measure) for measure in draws] == [1, 2, 2]


def test_the_axis_of_chains_is_kept(arrays):
    three = [x.reshape(4, 30, *x.shape[1:]) for x in arrays]
    draws = mixgist.Draws(*three)
    assert np.array_equal(np.bincount(draws.chains), [30] * 4)
    assert np.array_equal(draws.iterations[:31], [*range(30), 0])
    assert len(draws.thinned(burn_in=10, thin=5)) == 16
    with pytest.raises(ValueError, match="burn_in=30 leaves none of 120 draws"):
        draws.thinned(burn_in=30)


def test_indices(draws):
    assert draws[-1] == draws[119]
    assert draws[[3, 1]][0] == draws[3]
    assert len(draws[np.arange(120) % 2 == 0]) == 60
    with pytest.raises(IndexError):
        draws[120]
    with pytest.raises(ValueError, match="no draw was selected"):
        draws[5:5]


def test_pickles_and_files_give_back_the_same(arrays, observations, tmp_path):
    labels = np.random.default_rng(0).integers(0, 4, (120, 60))
    draws = mixgist.Draws(*arrays, chains=np.repeat([0, 3], 60), draw_weights=np.arange(1, 121), labels=labels, data=observations)
    assert pickle.loads(pickle.dumps(draws)) == draws
    draws.write(tmp_path / "draws.npz")
    assert mixgist.Draws.read(tmp_path / "draws.npz") == draws
    np.testing.assert_array_equal(mixgist.Draws.read(tmp_path / "draws.npz").labels, labels)
    with pytest.raises(FileExistsError, match="exists already"):
        draws.write(tmp_path / "draws.npz")
    draws.write(tmp_path / "draws.npz", force=True)
    plain = mixgist.Draws(*arrays)
    for extension in ("csv", "parquet"):
        plain.write(tmp_path / f"draws.{extension}")
        assert mixgist.Draws.read(tmp_path / f"draws.{extension}") == plain
    joined = mixgist.Draws.read([tmp_path / "draws.csv", tmp_path / "draws.parquet"], burn_in=20)
    assert len(joined) == 200 and set(joined.chains) == {0, 1}
    with pytest.raises(ValueError, match="holds draws only"):
        draws.write(tmp_path / "other.csv")


def test_pickles_remember_what_was_done_at_the_door(arrays):
    weights = np.concatenate([arrays[0] * 0.8, np.zeros((120, 1))], axis=1)
    means, covariances = (np.concatenate([x, x[:, :1]], axis=1) for x in arrays[1:])
    draws = mixgist.Draws(weights, means, covariances)
    same = pickle.loads(pickle.dumps(draws))
    assert same == draws
    for other in (same, draws.with_data(np.ones((2, 2)))):
        assert other._native.renormalization == draws._native.renormalization > 0.1
        assert other._native.padding == draws._native.padding == 120
        with pytest.warns(mixgist.MixgistWarning, match="sum|scaled"):
            mixgist.summarize(other, slices=10)


def test_arrays_are_not_copied_before_the_core_has_them():
    import tracemalloc

    arrays = np.ones((400, 50)), np.zeros((400, 50, 3)), np.tile(np.eye(3), (400, 50, 1, 1))
    tracemalloc.start()
    mixgist.Draws(*arrays)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # NumPy tells tracemalloc of its memory: offsets and small things, never a copy of the 2 MB.
    assert peak < 0.1 * sum(array.nbytes for array in arrays)


def test_data_frames_keep_their_columns(arrays):
    pandas = optional("pandas")
    frame = pandas.DataFrame({"length": [1.0, 2.0], "pause": [3.0, 4.0]})
    assert mixgist.Draws(*arrays, data=frame).columns == ["length", "pause"]
    for same in (frame.convert_dtypes(), frame.astype("Float64"), frame.astype(object)):
        draws = mixgist.Draws(*arrays, data=same)
        assert np.array_equal(draws.data, frame.to_numpy()) and draws.columns == ["length", "pause"]
    holes = frame.astype("Float64")
    holes.loc[1, "pause"] = pandas.NA
    with pytest.raises(ValueError, match="finite"):
        mixgist.Draws(*arrays, data=holes)
    with pytest.raises(TypeError, match="column 'pause' of data holds 'long', expected numbers"):
        mixgist.Draws(*arrays, data=frame.assign(pause=["long", "short"]))
    line = mixgist.Draws(np.ones((2, 1)), np.zeros((2, 1)), np.ones((2, 1)), data=frame["pause"])
    assert line.columns == ["pause"]


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"weights": np.full((120, 3), -1.0)}, ValueError, "draw 0, atom 0: weight is -1"),
        ({"weights": np.ones((120, 4))}, ValueError, "means has shape"),
        ({"weights": np.ones(3)}, ValueError, "expected \\(draws, atoms\\)"),
        ({"means": np.full((120, 3, 2), np.nan)}, ValueError, "coordinate 0 of the mean is NaN"),
        ({"covariances": np.zeros((120, 3, 2, 2))}, ValueError, "not positive definite"),
        ({"covariances": np.ones((120, 3, 2))}, ValueError, "expected \\(120, 3, 2, 2\\)"),
        ({"covariance_form": "square"}, ValueError, "one of: covariance"),
        ({"means": np.full((120, 3, 2), 1j)}, TypeError, "complex"),
        ({"chains": [0]}, ValueError, "chain numbers"),
        ({"chains": np.full(120, -1)}, ValueError, "out of range"),
        ({"draw_weights": np.zeros(120)}, ValueError, "draw weights sum to 0"),
        ({"labels": np.zeros((3, 5), int)}, ValueError, "labels has shape"),
        ({"labels": np.ma.array(np.zeros((120, 5), int), mask=np.eye(120, 5, 2))}, ValueError, "3 masked entries, the first at \\[0, 2\\]"),
        ({"labels": np.where(np.eye(120, 5), None, "a")}, ValueError, "labels has 5 missing entries, the first at \\[0, 0\\]"),
        ({"chains": np.ma.array(np.zeros(120, int), mask=np.arange(120) == 7)}, ValueError, "chains has 1 masked entry, the first at \\[7\\]"),
        ({"iterations": np.where(np.arange(120) == 7, np.nan, 1.0)}, ValueError, "iterations has 1 missing entry"),
        ({"data": np.ones((5, 3))}, ValueError, "data has 3 columns"),
        ({"data": [[np.nan, 1.0]]}, ValueError, "finite"),
    ],
)
def test_bad_input_is_named(arrays, change, error, message):
    given = dict(zip(("weights", "means", "covariances"), arrays))
    with pytest.raises(error, match=message):
        mixgist.Draws(**{**given, **change})


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        mixgist.Draws.read(tmp_path / "none.npz")
    (tmp_path / "bad.npz").write_bytes(b"PK nonsense")
    with pytest.raises(ValueError, match="bad.npz"):
        mixgist.Draws.read(tmp_path / "bad.npz")
    with pytest.raises(ValueError, match="extension"):
        mixgist.Draws.read(tmp_path / "draws.what")


def known(draws):
    """Everything that draws know."""
    names = "weights means covariances offsets chains iterations draw_weights labels data columns dim".split()
    history = "renormalization padding lost_chains".split()
    return [getattr(draws, name) for name in names] + [getattr(draws._native, name) for name in history]


def test_copies_know_all_that_the_draws_know(arrays):
    rng = np.random.default_rng(3)
    scale = rng.uniform(0.1, 1.0, (120, 1))
    draws = mixgist.Draws(
        np.concatenate([arrays[0] * scale, np.zeros((120, 1))], axis=1),
        *(np.concatenate([x, x[:, :1]], axis=1) for x in arrays[1:]),
        chains=np.repeat([2, 5, 7], [80, 39, 1]),
        iterations=np.arange(120) * 3,
        draw_weights=rng.uniform(size=120),
        labels=rng.integers(-3, 9, (120, 30)),
        data=rng.standard_normal((30, 2)),
        columns=["länge", "Pause"],
    ).thinned(burn_in=5, thin=2)
    assert draws._native.lost_chains == [7] and draws._native.padding == 120
    copies = [pickle.loads(pickle.dumps(draws, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    copies += [copy.copy(draws), copy.deepcopy(draws), pickle.loads(pickle.dumps(copies[0]))]
    for other in copies:
        for mine, theirs in zip(known(draws), known(other), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    with pytest.warns(mixgist.MixgistWarning) as caught:
        mixgist.summarize(copies[0], slices=10)
    assert {"chains-lost", "weights-renormalized"} <= {warning.message.name for warning in caught}
    assert draws.with_data(np.ones((30, 2)))._native.lost_chains == [7]
    with pytest.raises(ValueError, match="labels of 30 observations, but data of 2"):
        draws.with_data(np.ones((2, 2)))


def test_columns_are_of_the_data(arrays, observations):
    assert mixgist.Draws(*arrays, data=observations, columns=("a", "b")).columns == ["a", "b"]
    with pytest.raises(ValueError, match="columns names the columns of the data, but there are no data"):
        mixgist.Draws(*arrays, columns=["a", "b"])
    with pytest.raises(ValueError, match="column"):
        mixgist.Draws(*arrays, data=observations, columns=["a"])
    for wrong in ("ab", [1, 2], 5):
        with pytest.raises(TypeError, match="columns"):
            mixgist.Draws(*arrays, data=observations, columns=wrong)


def test_frames_of_other_packages(arrays):
    pandas, pyarrow, polars = optional("pandas"), optional("pyarrow"), optional("polars")
    columns = {"length": [1.0, 2.0], "pause": [3, 4]}
    expected = np.array([[1.0, 3.0], [2.0, 4.0]])
    backed = pandas.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow")
    frames = [backed, backed.astype("double[pyarrow]"), polars.DataFrame(columns), pyarrow.table(columns)]
    frames.append(polars.DataFrame(columns).cast(polars.Decimal(10, 2)))
    for frame in frames:
        draws = mixgist.Draws(*arrays, data=frame)
        np.testing.assert_array_equal(draws.data, expected)
        assert draws.columns == ["length", "pause"]
    holes = {"length": [1.0, None], "pause": [3, 4]}
    for frame in (pandas.DataFrame(holes).astype("double[pyarrow]"), polars.DataFrame(holes), pyarrow.table(holes)):
        with pytest.raises(ValueError, match="finite"):
            mixgist.Draws(*arrays, data=frame)
    words = {"length": [1.0, 2.0], "pause": ["long", "short"]}
    for frame in (pandas.DataFrame(words).convert_dtypes(dtype_backend="pyarrow"), polars.DataFrame(words), pyarrow.table(words)):
        with pytest.raises(TypeError, match="column 'pause' of data holds 'long', expected numbers"):
            mixgist.Draws(*arrays, data=frame)
    with pytest.raises(TypeError, match="data is a LazyFrame, expected an array\nhint: call its method collect"):
        mixgist.Draws(*arrays, data=polars.LazyFrame(columns))
    one = [np.ones((2, 1)), np.zeros((2, 1)), np.ones((2, 1))]
    for series in (polars.Series("pause", [3, 4]), backed["pause"]):
        assert mixgist.Draws(*one, data=series).columns == ["pause"]
    chains = pandas.Series([4, 6], dtype="int64[pyarrow]")
    np.testing.assert_array_equal(mixgist.Draws(*one, chains=chains).chains, [4, 6])
    labels = pandas.DataFrame([[3, 3], [9, 3]]).convert_dtypes(dtype_backend="pyarrow")
    np.testing.assert_array_equal(mixgist.Draws(*one, labels=labels).labels, [[3, 3], [9, 3]])
    fitted = mixgist.fit(polars.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0) ** 2}), chains=1, iterations=20, burn_in=10)
    assert fitted.draws.columns == ["a", "b"]


def test_runs_are_put_together_as_further_chains(arrays, observations):
    labels = np.zeros((120, 60), dtype=int)
    draws = mixgist.Draws(*arrays, chains=np.repeat([2, 5], 60), labels=labels, data=observations)
    both = mixgist.Draws.concat([draws, draws[:60]])
    assert len(both) == 180 and np.array_equal(np.bincount(both.chains), [60, 60, 60])
    assert both[130] == draws[10] and both.labels.shape == (180, 60)
    assert np.array_equal(both.data, observations)
    assert mixgist.Draws.concat([draws, mixgist.Draws(*arrays)]).labels is None
    with pytest.raises(ValueError, match="no draws"):
        mixgist.Draws.concat([])
    with pytest.raises(ValueError, match="draws with weights"):
        mixgist.Draws.concat([mixgist.Draws(*arrays, draw_weights=np.arange(1, 121))])
    with pytest.raises(ValueError, match="dimensions 2, 1"):
        mixgist.Draws.concat([draws, mixgist.Draws([[1.0]], [[0.0]], [[1.0]])])


def test_notebooks_show_draws_and_fits(arrays, observations):
    draws = mixgist.Draws(*arrays, data=observations, columns=["a<b", "c"])
    assert "120" in draws._repr_html_() and "a&lt;b" in draws._repr_html_()
    with pytest.warns(mixgist.MixgistWarning) as caught:
        fitted = mixgist.fit(observations, chains=2, iterations=60, burn_in=20, thin=1)
    assert caught[0].filename == __file__ and caught[0].message.advice
    assert "R-hat" in fitted._repr_html_()


def test_chains_with_different_numbers_of_atoms_get_a_message_of_ours():
    def chain(draws, atoms):
        return np.full((draws, atoms), 1.0 / atoms), np.zeros((draws, atoms)), np.ones((draws, atoms))

    two, three = chain(5, 2), chain(5, 3)
    with pytest.raises(ValueError, match=r"list of chains of different shapes: \(5 draws, 2 atoms\) and \(5 draws, 3 atoms\)\nhint: .*Draws.concat"):
        mixgist.Draws([two[0], three[0]], [two[1], three[1]], [two[2], three[2]])
    assert len(mixgist.Draws.concat([mixgist.Draws(*two), mixgist.Draws(*three)])) == 10
